/* SPDX-License-Identifier: MIT */
/* Elements as they are stored, from wherever they are: a stretch of the file, the metadata, or a grid of
 * chunks of any number of dimensions. */
#include "base/context.h"
#include "box/filter.h"
#include <string.h>

enum { MOST_DIMENSIONS = 32 };

typedef struct grid {
	sheaf_box *box;
	const sheaf_box_item *item;
	int64_t from, to; /* rows of the first dimension */
	uint8_t *out;
	int64_t at[MOST_DIMENSIONS];                          /* the chunk */
	int64_t first[MOST_DIMENSIONS], end[MOST_DIMENSIONS]; /* what of it is wanted */
	sheaf_builder stored;
	sheaf_filtering filtering;
} grid;

static int64_t chunks_along(const sheaf_box_item *item, int dimension)
{
	return (item->dims[dimension] - 1) / item->inside->grid[dimension] + 1;
}

static void fill(const sheaf_box_detail *inside, uint8_t *to, size_t count)
{
	size_t known = inside->width < sizeof inside->fill ? inside->width : sizeof inside->fill;
	for (size_t i = 0; i < count; i++) {
		memset(to + i * inside->width, 0, inside->width);
		memcpy(to + i * inside->width, inside->fill, known);
	}
}

/* The elements of the chunk at `at`. */
static sheaf_status read_chunk(grid *g, const uint8_t **out, sheaf_error *err)
{
	char where[300];
	const sheaf_box_detail *inside = g->item->inside;
	int64_t number = 0;
	size_t elements = 1;
	uint32_t skipped = 0;
	sheaf_error failure = {0};
	for (int i = 0; i < g->item->rank; i++) {
		number = number * chunks_along(g->item, i) + g->at[i];
		elements *= (size_t)inside->grid[i];
	}
	g->stored.size = 0;
	SHEAF_TRY(g->box->driver->read_chunk(g->box->state, g->item, number, &skipped, &g->stored, err));
	if (g->stored.size == 0) {
		if (!sheaf_builder_room(&g->stored, elements * inside->width))
			return sheaf_builder_status(&g->stored, err);
		fill(inside, g->stored.data, elements);
		*out = g->stored.data;
		return SHEAF_OK;
	}
	sheaf_bytes stored = {g->stored.data, g->stored.size};
	sheaf_status status = sheaf_unfilter(&g->filtering, inside, skipped, inside->width, stored,
	                                     elements * inside->width, NULL, out, &failure);
	return status ? sheaf_fail(err, status, "%s, chunk %lld: %s", sheaf_box_where(g->box, g->item, where),
	                           (long long)number, failure.message)
	              : SHEAF_OK;
}

/* Byte of the element at `place` in the chunk, or in what is wanted. */
static size_t byte_in_chunk(const grid *g, const int64_t place[])
{
	const sheaf_box_detail *inside = g->item->inside;
	size_t byte = 0;
	for (int i = 0; i < g->item->rank; i++)
		byte = byte * (size_t)inside->grid[i] + (size_t)(place[i] - g->at[i] * inside->grid[i]);
	return byte * inside->width;
}

static size_t byte_in_rows(const grid *g, const int64_t place[])
{
	size_t byte = 0;
	for (int i = 0; i < g->item->rank; i++)
		byte = byte * (size_t)g->item->dims[i] + (size_t)(i ? place[i] : place[i] - g->from);
	return byte * g->item->inside->width;
}

/* To the next of those before `last` dimensions; false at the end. */
static bool step(int64_t place[], const int64_t first[], const int64_t end[], int last)
{
	for (int i = last - 1; i >= 0; i--) {
		if (++place[i] < end[i]) return true;
		place[i] = first[i];
	}
	return false;
}

static void copy_chunk(const grid *g, const uint8_t *chunk)
{
	int64_t place[MOST_DIMENSIONS];
	int last = g->item->rank - 1;
	size_t run = (size_t)(g->end[last] - g->first[last]) * g->item->inside->width;
	memcpy(place, g->first, sizeof place);
	do memcpy(g->out + byte_in_rows(g, place), chunk + byte_in_chunk(g, place), run);
	while (step(place, g->first, g->end, last));
}

static void find_part(grid *g)
{
	for (int i = 0; i < g->item->rank; i++) {
		int64_t extent = g->item->inside->grid[i], begin = g->at[i] * extent;
		int64_t low = i ? 0 : g->from, high = i ? g->item->dims[i] : g->to;
		g->first[i] = begin > low ? begin : low;
		g->end[i] = high - begin < extent ? high : begin + extent;
	}
}

static sheaf_status read_chunks(grid *g, sheaf_error *err)
{
	int64_t low[MOST_DIMENSIONS] = {0}, high[MOST_DIMENSIONS];
	for (int i = 0; i < g->item->rank; i++) high[i] = chunks_along(g->item, i);
	low[0] = g->from / g->item->inside->grid[0];
	high[0] = (g->to - 1) / g->item->inside->grid[0] + 1;
	memcpy(g->at, low, sizeof low);
	do {
		const uint8_t *chunk = NULL;
		SHEAF_TRY(sheaf_check_stop(g->box->cx, err));
		SHEAF_TRY(read_chunk(g, &chunk, err));
		find_part(g);
		copy_chunk(g, chunk);
	} while (step(g->at, low, high, g->item->rank));
	return SHEAF_OK;
}

static sheaf_status read_grid(sheaf_box *box, const sheaf_box_item *item, int64_t from, int64_t to,
                              uint8_t *out, sheaf_error *err)
{
	grid g = {.box = box, .item = item, .from = from, .to = to, .filtering = {.cx = box->cx}};
	g.out = out;
	sheaf_builder_begin(&g.stored, box->cx, NULL);
	sheaf_status status = read_chunks(&g, err);
	sheaf_builder_drop(&g.stored);
	sheaf_filtering_close(&g.filtering);
	return status;
}

sheaf_status sheaf_box_read_elements(sheaf_box *box, const sheaf_box_item *item, int64_t from, int64_t to,
                                     uint8_t *out, sheaf_error *err)
{
	const sheaf_box_detail *inside = item->inside;
	int64_t row = item->count / inside->per / (item->rank ? item->dims[0] : 1);
	if (inside->grid) return read_grid(box, item, from, to, out, err);
	if (inside->is_absent) {
		fill(inside, out, (size_t)((to - from) * row));
		return SHEAF_OK;
	}
	if (inside->offset < 0) return box->driver->read_rows(box->state, item, from, to, out, err);
	int64_t width = (int64_t)inside->width;
	return box->store.read(box->store.user, inside->offset + from * row * width, out,
	                       (size_t)((to - from) * row * width), err);
}
