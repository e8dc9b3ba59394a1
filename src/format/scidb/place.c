/* SPDX-License-Identifier: MIT */
/* Cells into their places in the array. As long as they come in the order of chunks they are written as they
 * come; from the first one out of order they are kept in a temporary file, and at the end copied out of it in
 * order. */
#include "format/scidb/place.h"
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "io/sink.h"
#include <inttypes.h>
#include <stdio.h>

enum { WINDOW = 4096 };

/* `p` borrows the sink, the array and the layout. */
void sheaf_scidb_places_begin(sheaf_scidb_places *p, sheaf_sink *sink, const sheaf_scidb_array *array,
                              const sheaf_scidb_layout *layout, sheaf_context *cx)
{
	*p = (sheaf_scidb_places){.cx = cx, .sink = sink, .array = array, .layout = layout, .spool = {.fd = -1}};
	sheaf_builder_begin(&p->window, cx, NULL);
	sheaf_builder_begin(&p->empty, cx, NULL);
}

void sheaf_scidb_places_end(sheaf_scidb_places *p)
{
	sheaf_sorter_free(p->sorter);
	sheaf_spool_close(&p->spool);
	sheaf_builder_drop(&p->window);
	sheaf_builder_drop(&p->empty);
}

/* ---- places in messages ---- */

const char *sheaf_scidb_place_text(const int64_t *coordinates, int n, char text[SCIDB_PLACE_TEXT])
{
	int used = 0;
	for (int i = 0; i < n; i++)
		used += snprintf(text + used, (size_t)(SCIDB_PLACE_TEXT - used), "%s%" PRId64 "%s", i ? ", " : "{",
		                 coordinates[i], i + 1 == n ? "}" : "");
	return text;
}

static const char *place_of(const sheaf_scidb_places *p, int64_t cell, char text[SCIDB_PLACE_TEXT])
{
	int64_t coordinates[SHEAF_MAX_RANK] = {0};
	sheaf_scidb_coordinates(p->array, cell, coordinates);
	return sheaf_scidb_place_text(coordinates, p->array->ndimensions, text);
}

/* ---- cells without a row ---- */

/* From the next cell to the one before `end`. A shape costs nothing, filling it does. */
static sheaf_status fill(sheaf_scidb_places *p, int64_t end, sheaf_error *err)
{
	char text[SCIDB_PLACE_TEXT];
	int64_t bytes;
	if (end <= p->next) return SHEAF_OK;
	if (p->empty.size == 0)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s: cell %" PRId64
			": expected every cell, since a file has no empty cells, found none for %s; " SHEAF_OPTION(
				"fill-cells") " writes null, or 0",
			sheaf_sink_name(p->sink), p->next, place_of(p, p->next, text));
	if (!sheaf_mul_i64(&bytes, end - p->next, (int64_t)p->empty.size) || bytes > sheaf_max_memory(p->cx))
		return sheaf_fail(err, SHEAF_LIMIT,
		                  "%s: expected empty cells that fit the memory limit "
		                  "(" SHEAF_OPTION("max-memory") "), found %" PRId64 " of %zu bytes",
		                  sheaf_sink_name(p->sink), end - p->next, p->empty.size);
	for (; p->next < end; p->next++) SHEAF_TRY(sheaf_sink_write(p->sink, p->empty.data, p->empty.size, err));
	return SHEAF_OK;
}

/* ---- cells as they arrive ---- */

/* The cells up to the first one that is not next are written at once, the others kept: the sorter has the
 * number of each and where it is in the temporary file, which has the bytes. An eighth of the memory is the
 * sorter's. */
sheaf_status sheaf_scidb_places_add(sheaf_scidb_places *p, sheaf_bytes cells, const int64_t *numbers,
                                    int64_t n, sheaf_error *err)
{
	enum { SHARE = 8 };
	int64_t i = 0;
	uint64_t needed;
	const uint8_t *at = cells.data, *end = cells.data + cells.size;
	for (; !p->sorter && i < n && numbers[i] == p->next; i++, p->next++)
		at = sheaf_scidb_pass_cell(p->layout, at, end, &needed);
	SHEAF_TRY(sheaf_sink_write(p->sink, cells.data, (size_t)(at - cells.data), err));
	if (i == n) return SHEAF_OK;
	if (!p->sorter) {
		SHEAF_TRY(sheaf_sorter_new(p->cx, (size_t)(sheaf_max_memory(p->cx) / SHARE), &p->sorter, err));
		SHEAF_TRY(sheaf_spool_open(&p->spool, p->cx, err));
	}
	const uint8_t *kept = at;
	for (; i < n; i++, at = sheaf_scidb_pass_cell(p->layout, at, end, &needed))
		SHEAF_TRY(
			sheaf_sorter_add(p->sorter, (uint64_t)numbers[i], (uint64_t)(p->spool.size + (at - kept)), err));
	return sheaf_spool_append(&p->spool, kept, (size_t)(end - kept), err);
}

/* ---- cells in their order ---- */

typedef struct copying {
	sheaf_scidb_places *p;
	sheaf_error *err;
} copying;

/* Cells arrive here in the order of their numbers, each with its byte in the temporary file, and are copied.
 * The window moves to the cell, and grows to what the cell is known to need, until all of it is inside: cells
 * in the file are complete, so this ends. */
static sheaf_status take(void *user, uint64_t cell, uint64_t byte)
{
	const copying *c = (const copying *)user;
	sheaf_scidb_places *p = c->p;
	char text[SCIDB_PLACE_TEXT];
	if ((int64_t)cell < p->next)
		return sheaf_fail(c->err, SHEAF_DATA, "%s: cell %" PRId64 ": expected each cell once, found %s twice",
		                  sheaf_sink_name(p->sink), (int64_t)cell, place_of(p, (int64_t)cell, text));
	SHEAF_TRY(fill(p, (int64_t)cell, c->err));
	p->next++;
	int64_t at = (int64_t)byte;
	uint64_t size = WINDOW, left = (uint64_t)(p->spool.size - at);
	for (;;) {
		int64_t within = at - p->window_at;
		if (within >= 0 && (uint64_t)within < p->window.size) {
			const uint8_t *begin = p->window.data + within, *end = p->window.data + p->window.size,
						  *after = sheaf_scidb_pass_cell(p->layout, begin, end, &size);
			if (after) return sheaf_sink_write(p->sink, begin, (size_t)(after - begin), c->err);
		}
		if (size < WINDOW) size = WINDOW;
		if (size > left) size = left;
		if (size > SIZE_MAX) size = SIZE_MAX; /* larger than any memory */
		p->window.size = 0;
		p->window_at = at;
		if (!sheaf_builder_room(&p->window, size)) return sheaf_builder_status(&p->window, c->err);
		SHEAF_TRY(sheaf_spool_read(&p->spool, at, p->window.data, (size_t)size, c->err));
		p->window.size = (size_t)size;
	}
}

sheaf_status sheaf_scidb_places_finish(sheaf_scidb_places *p, sheaf_error *err)
{
	copying c = {p, err};
	if (p->sorter) SHEAF_TRY(sheaf_sorter_finish(p->sorter, take, &c, err));
	return p->empty.size ? fill(p, sheaf_scidb_capacity(p->array), err) : SHEAF_OK;
}
