/* SPDX-License-Identifier: MIT */
/* A piece into columns: a block of cells at a time, and within it one column after the other. Then an
 * incomplete last cell. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/scidb/scidb.h"
#include <inttypes.h>
#include <stdio.h>

typedef struct decoding {
	const sheaf_scidb_reader *in;
	const sheaf_scidb_layout *layout;
	const sheaf_piece *piece;
	sheaf_scidb_part part;
	sheaf_frame_builder to;
	sheaf_context *cx;
	sheaf_error *err;
	sheaf_scidb_filling *fillings; /* one for each attribute */
	int64_t *bases;
	int64_t most; /* cells of a block */
	int64_t at;   /* next byte in the piece */
	sheaf_scidb_evidence *evidence;
	int64_t good; /* cells before the first flaw that ends the reading */
	bool silent;  /* the error has been reported */
} decoding;

/* ---- whole cells ---- */

/* The next `count` cells. Another program may change a mapped file meanwhile: cells that have disappeared do
 * not count. */
static sheaf_status next_block(decoding *d, int64_t cell, int64_t count, sheaf_scidb_block *out)
{
	int64_t size = (int64_t)d->piece->bytes.size;
	*out = (sheaf_scidb_block){.layout = d->layout,
	                           .data = d->piece->bytes.data,
	                           .end = d->piece->bytes.data + size,
	                           .stride = d->most,
	                           .count = count};
	out->items = d->layout->count;
	out->first = d->part.first + cell;
	out->byte = d->piece->byte;
	if (d->layout->cell_bytes) {
		out->data += d->at;
		out->byte += d->at;
		d->at += count * d->layout->cell_bytes;
		return SHEAF_OK;
	}
	out->bases = d->bases;
	int64_t cells = sheaf_scidb_pass_cells(out, size, d->bases, &d->at);
	if (cells == count) return SHEAF_OK;
	return sheaf_fail(
		d->err, SHEAF_DATA,
		"%s (byte %" PRId64
		"): expected the same cells as before, found other cells: was the file changed meanwhile?",
		sheaf_source_name(d->in->source), out->byte + d->at);
}

static bool fill_columns(decoding *d, const sheaf_scidb_block *block)
{
	bool odd = false;
	for (int i = 0; i < block->items; i++) {
		const sheaf_scidb_item *item = &d->layout->items[i];
		if (item->column < 0) continue;
		sheaf_scidb_filling *f = &d->fillings[item->column];
		f->odd = false;
		sheaf_scidb_fill(f, item, block);
		odd |= f->odd;
	}
	return odd;
}

static sheaf_status decode_cells(decoding *d)
{
	bool validating = sheaf_is_validating(d->cx) && !d->silent;
	for (int64_t cell = 0; cell < d->part.count; cell += d->most) {
		sheaf_scidb_block block;
		int64_t left = d->part.count - cell;
		d->good = cell;
		SHEAF_TRY(sheaf_check_stop(d->cx, d->err));
		SHEAF_TRY(next_block(d, cell, left < d->most ? left : d->most, &block));
		if ((fill_columns(d, &block) && !d->silent) || validating) {
			sheaf_status status = sheaf_scidb_report_flaws(d->in, &block, d->cx, d->err);
			d->good += block.reported;
			SHEAF_TRY(status);
		}
		if (validating) sheaf_scidb_judge(&block, d->evidence);
	}
	d->good = d->part.count;
	return SHEAF_OK;
}

/* ---- the incomplete cell ---- */

typedef struct rest {
	int items;      /* entries that are there */
	int64_t byte;   /* position in the cell, of the missing entry */
	int64_t needed; /* bytes that it takes */
	const char *what;
} rest;

/* Skips one entry; false if it ends too early, with *r saying what is missing. */
static bool pass_item(const decoding *d, const sheaf_scidb_item *item, const uint8_t *cell, int64_t *bases,
                      rest *r)
{
	r->what = "a null byte";
	r->needed = 1;
	if (item->entry.nullable && d->part.left - r->byte < 1) return false;
	r->byte += item->entry.nullable ? 1 : 0;
	r->what = "a count";
	r->needed = item->entry.size ? item->entry.size : SCIDB_COUNT;
	if (item->entry.size == 0) {
		if (d->part.left - r->byte < r->needed) return false;
		r->needed = sheaf_load_u32le(cell + r->byte);
		r->byte += SCIDB_COUNT;
	}
	r->what = NULL;
	if (d->part.left - r->byte < r->needed) return false;
	r->byte += r->needed;
	if (item->entry.size == 0) bases[item->base + 1] = r->byte;
	return true;
}

static rest pass_rest(const decoding *d, const uint8_t *cell, int64_t *bases)
{
	rest r = {0};
	bases[0] = 0;
	while (r.items < d->layout->count && pass_item(d, &d->layout->items[r.items], cell, bases, &r)) r.items++;
	return r;
}

/* In the piece: the last cell before one that makes no sense. */
static sheaf_status describe_last(decoding *d, char *text, size_t size)
{
	sheaf_scidb_evidence evidence = {.first_odd = -1};
	int64_t end = d->at;
	sheaf_status status = SHEAF_OK;
	d->at = 0;
	for (int64_t cell = 0; cell < d->part.count && evidence.first_odd < 0 && status == SHEAF_OK;
	     cell += d->most) {
		sheaf_scidb_block block;
		int64_t left = d->part.count - cell;
		status = next_block(d, cell, left < d->most ? left : d->most, &block);
		if (status == SHEAF_OK) sheaf_scidb_judge(&block, &evidence);
	}
	d->at = end;
	int64_t last = evidence.first_odd < 0 ? d->part.first + d->part.count - 1 : evidence.first_odd - 1;
	if (last < 0)
		snprintf(text, size, "; no cell before it makes sense");
	else
		snprintf(text, size, "; the last cell that makes sense is %" PRId64, last);
	return status;
}

/* Of the missing bytes; for all entries after the first missing one that is none. */
static void describe_needed(const rest *r, const sheaf_scidb_item *item, bool first, char *text, size_t size)
{
	const char *type = item->entry.type ? item->entry.type->name : "skip";
	if (!first)
		snprintf(text, size, "a value of type %.40s", type);
	else if (r->what)
		snprintf(text, size, "%s of %" PRId64 " byte%s before a value of type %.40s", r->what, r->needed,
		         r->needed > 1 ? "s" : "", type);
	else
		snprintf(text, size, "%" PRId64 " bytes of type %.40s", r->needed, type);
}

/* The server counts an error for each attribute, but cannot continue after an entry that it skips. */
static sheaf_status report_rest(decoding *d, const rest *r, bool *readable)
{
	char expected[128], last[80], found[160];
	int64_t left = d->part.left - r->byte;
	SHEAF_TRY(describe_last(d, last, sizeof last));
	for (int i = r->items; i < d->layout->count; i++) {
		const sheaf_scidb_item *item = &d->layout->items[i];
		bool first = i == r->items, skip = item->column < 0;
		int64_t byte = d->piece->byte + d->at + (first ? r->byte : d->part.left);
		sheaf_scidb_spot spot = {d->in, item, d->part.first + d->part.count, byte, d->cx};
		describe_needed(r, item, first, expected, sizeof expected);
		if (left && first)
			snprintf(found, sizeof found, "%" PRId64 " to the end of the input%s", left, last);
		else
			snprintf(found, sizeof found, "the end of the input%s", first ? last : "");
		*readable &= !skip;
		SHEAF_TRY(sheaf_scidb_report(
			&spot,
			SHEAF_FINDING(skip ? SHEAF_FATAL : SHEAF_ERROR, "end of input", expected, found,
		                  skip ? "the cell is left out" : sheaf_scidb_consequence(item),
		                  .status = SHEAF_SHORT),
			d->err));
	}
	return SHEAF_OK;
}

static sheaf_status read_rest(decoding *d, int64_t *bases)
{
	bool readable = true;
	const uint8_t *cell = d->piece->bytes.data + d->at;
	rest r = pass_rest(d, cell, bases);
	sheaf_scidb_block block = {d->layout,
	                           cell,
	                           d->piece->bytes.data + d->piece->bytes.size,
	                           bases,
	                           1,
	                           1,
	                           r.items,
	                           d->part.first + d->part.count,
	                           d->piece->byte + d->at};
	SHEAF_TRY(sheaf_scidb_report_flaws(d->in, &block, d->cx, d->err));
	SHEAF_TRY(report_rest(d, &r, &readable));
	if (!readable) return SHEAF_OK;
	fill_columns(d, &block);
	for (int i = r.items; i < d->layout->count; i++) {
		const sheaf_scidb_item *item = &d->layout->items[i];
		if (item->column >= 0) sheaf_scidb_fill_default(&d->fillings[item->column]);
	}
	d->part.count++;
	return SHEAF_OK;
}

static sheaf_status decode_rest(decoding *d)
{
	void *memory;
	size_t n = (size_t)d->layout->counted + 1;
	if (d->part.left < 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate_array(d->cx, n, sizeof(int64_t), &memory, d->err));
	sheaf_status status = read_rest(d, (int64_t *)memory);
	sheaf_release(d->cx, memory, n * sizeof(int64_t));
	return status;
}

/* ---- cells beyond the array ---- */

/* Cells beyond those for which the dimensions have room are left out; this says whether the first of them is
 * in this piece. */
static bool cut_beyond(decoding *d)
{
	int64_t capacity = sheaf_scidb_capacity(&d->in->array),
			end = d->part.first + d->part.count + (d->part.left >= 0);
	if (capacity < 0 || end <= capacity) return false;
	bool first = d->part.first <= capacity;
	d->part.count = first ? capacity - d->part.first : 0;
	d->part.left = -1;
	return first;
}

static sheaf_status tell_beyond(decoding *d)
{
	char expected[64];
	int64_t capacity = sheaf_scidb_capacity(&d->in->array);
	sheaf_scidb_spot spot = {d->in, &d->layout->items[0], capacity, d->piece->byte + d->at, d->cx};
	snprintf(expected, sizeof expected, "at most %" PRId64 " cells, as the dimensions say", capacity);
	return sheaf_scidb_report(
		&spot, SHEAF_FINDING(SHEAF_FATAL, "cells beyond the array", expected, "more", "they are left out"),
		d->err);
}

/* ---- the piece ---- */

static sheaf_status begin_notes(decoding *d)
{
	static const sheaf_scidb_evidence none = {.first_odd = -1};
	sheaf_builder_append(&d->to.notes, &none, sizeof none);
	d->evidence = (sheaf_scidb_evidence *)(void *)d->to.notes.data;
	return sheaf_builder_status(&d->to.notes, d->err);
}

static sheaf_status fill_all(decoding *d)
{
	bool beyond = cut_beyond(d);
	for (int a = 0; a < d->in->entries.attributes; a++)
		sheaf_scidb_filling_begin(&d->fillings[a], &d->to.columns[d->in->coordinates + a]);
	SHEAF_TRY(decode_cells(d));
	if (beyond) SHEAF_TRY(tell_beyond(d));
	SHEAF_TRY(decode_rest(d));
	for (int a = 0; a < d->in->entries.attributes; a++) sheaf_scidb_filling_end(&d->fillings[a]);
	sheaf_scidb_fill_coordinates(d->in, d->part.first, d->part.count, &d->to);
	d->to.nrows = d->part.count;
	return SHEAF_OK;
}

/* The cells before the one with a flaw. */
static void fill_before(decoding *d)
{
	d->part.count = d->good;
	d->part.left = -1;
	d->at = 0;
	d->silent = true;
	d->err = NULL;
	sheaf_frame_builder_go_back(&d->to);
	if (sheaf_put_off(fill_all(d), "there are then no rows before the flaw")) d->to.nrows = 0;
}

/* Cells of a block fit a cache together: enough of them to make columns worthwhile, a multiple of eight. */
static int64_t block_cells(const sheaf_scidb_layout *layout, int64_t piece_bytes, int64_t count)
{
	enum { BYTES = 16 << 10, LEAST = 64 };
	int64_t bytes = layout->cell_bytes ? layout->cell_bytes
	                : count            ? piece_bytes / count + 1
	                                   : 1,
			cells = BYTES / bytes / 8 * 8;
	if (layout->counted > 64) return LEAST;
	return cells < LEAST ? LEAST : cells > SCIDB_BLOCK ? SCIDB_BLOCK : cells;
}

/* Memory for the results, and for where the entries of a block are. */
static sheaf_status allocate_and_fill(decoding *d)
{
	void *fillings, *bases;
	d->most = block_cells(d->layout, d->piece->size, d->part.count);
	size_t attributes = (size_t)d->in->entries.attributes,
		   words = d->layout->cell_bytes ? 0 : ((size_t)d->layout->counted + 1) * (size_t)d->most;
	SHEAF_TRY(sheaf_allocate_array(d->cx, attributes, sizeof *d->fillings, &fillings, d->err));
	d->fillings = (sheaf_scidb_filling *)fillings;
	sheaf_status status = sheaf_allocate_array(d->cx, words + 1, sizeof *d->bases, &bases, d->err);
	if (status == SHEAF_OK) {
		d->bases = (int64_t *)bases;
		status = fill_all(d);
		if (sheaf_is_flaw(status)) fill_before(d);
		sheaf_release(d->cx, bases, (words + 1) * sizeof *d->bases);
	}
	sheaf_release(d->cx, fillings, attributes * sizeof *d->fillings);
	return status;
}

sheaf_status sheaf_scidb_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                sheaf_context *cx, sheaf_error *err)
{
	const sheaf_scidb_reader *in = (const sheaf_scidb_reader *)reader;
	decoding d = {.in = in,
	              .layout = &in->layout,
	              .piece = piece,
	              .part = sheaf_scidb_part_of(piece),
	              .cx = cx,
	              .err = err};
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) status = begin_notes(&d);
	if (status == SHEAF_OK) status = allocate_and_fill(&d);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
