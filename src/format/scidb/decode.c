/* SPDX-License-Identifier: MIT */
/* A piece into columns: a block of cells at a time, and within it one column after the other. Then an
 * incomplete last cell. Filling a column only notes that something in a block breaks a rule; if so, flaws.c
 * goes through the block again and reports it. If that ends the reading, the piece is decoded once more, up
 * to the cell before, so that the good rows are given first. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/scidb/scidb.h"
#include "io/source.h"
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
	int64_t most;       /* cells of a block */
	int64_t at;         /* next byte in the piece */
	int64_t good;       /* cells before the first flaw that ends the reading */
	sheaf_builder gone; /* int64: numbers of cells of the input that are left out, since they lack a value */
	bool silent;        /* the error has been reported */
} decoding;

/* ---- whole cells ---- */

/* The cells from number `cell` of the piece on, as many as a block has. Another program may change a mapped
 * file meanwhile: cells that have disappeared do not count. */
static sheaf_status next_block(decoding *d, int64_t cell, sheaf_scidb_block *out)
{
	int64_t size = (int64_t)d->piece->bytes.size, left = d->part.count - cell;
	*out = (sheaf_scidb_block){.layout = d->layout,
	                           .data = d->piece->bytes.data,
	                           .end = d->piece->bytes.data + size,
	                           .stride = d->most,
	                           .count = left < d->most ? left : d->most,
	                           .first = d->part.first + cell,
	                           .byte = d->piece->byte};
	if (d->layout->cell_bytes) {
		out->data += d->at;
		out->byte += d->at;
		d->at += out->count * d->layout->cell_bytes;
		return SHEAF_OK;
	}
	out->bases = d->bases;
	int64_t cells = sheaf_scidb_pass_cells(out, size, d->bases, &d->at);
	if (cells == out->count) return SHEAF_OK;
	return sheaf_fail(
		d->err, SHEAF_DATA,
		"%s (byte %" PRId64
		"): expected the same cells as before, found other cells: was the file changed meanwhile?",
		sheaf_source_name(d->in->source), out->byte + d->at);
}

static sheaf_status decode_cells(decoding *d)
{
	bool validating = sheaf_is_validating(d->cx) && !d->silent;
	for (int64_t cell = 0; cell < d->part.count; cell += d->most) {
		sheaf_scidb_block block;
		bool odd = false; /* something in the block breaks a rule */
		d->good = cell;
		SHEAF_TRY(sheaf_check_stop(d->cx, d->err));
		SHEAF_TRY(next_block(d, cell, &block));
		for (int i = 0; i < d->layout->count; i++) {
			const sheaf_scidb_item *item = &d->layout->items[i];
			if (item->column < 0) continue;
			sheaf_scidb_filling *f = &d->fillings[item->column];
			f->odd = false;
			sheaf_scidb_fill(f, item, &block);
			odd |= f->odd;
		}
		if ((odd && !d->silent) || validating) {
			sheaf_status status = sheaf_scidb_report_flaws(d->in, &block, &d->gone, d->cx, d->err);
			d->good += block.reported;
			SHEAF_TRY(status);
		}
		if (validating) sheaf_scidb_judge(&block, (sheaf_scidb_evidence *)(void *)d->to.notes.data);
	}
	d->good = d->part.count;
	return SHEAF_OK;
}

/* ---- the incomplete cell ---- */

/* What is missing of an entry. */
typedef struct rest {
	int64_t byte;   /* position in the cell */
	int64_t needed; /* bytes that it takes */
	const char *what;
} rest;

/* Skips one entry; false if it ends too early, with *r saying what is missing. */
static bool pass_item(const decoding *d, const sheaf_scidb_item *item, const uint8_t *cell, rest *r)
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
	return true;
}

/* In the piece: the last cell before one that makes no sense. A wrong format string often leads to some such
 * cells before the input ends within one. */
static sheaf_status describe_last(decoding *d, char *text, size_t size)
{
	sheaf_scidb_evidence evidence = {.first_odd = -1};
	int64_t end = d->at;
	sheaf_status status = SHEAF_OK;
	d->at = 0;
	for (int64_t cell = 0; cell < d->part.count && evidence.first_odd < 0 && status == SHEAF_OK;
	     cell += d->most) {
		sheaf_scidb_block block;
		status = next_block(d, cell, &block);
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

/* Nothing says what the missing bytes were, so the cell is none. */
static sheaf_status report_rest(decoding *d)
{
	char expected[128], last[80], found[160];
	rest r = {0};
	const uint8_t *cell = d->piece->bytes.data + d->at;
	const sheaf_scidb_item *item = d->layout->items, *end = item + d->layout->count;
	if (d->part.left < 0) return SHEAF_OK;
	while (item < end && pass_item(d, item, cell, &r)) item++;
	if (item == end) return SHEAF_OK;
	SHEAF_TRY(describe_last(d, last, sizeof last));
	const char *type = item->entry.type ? item->entry.type->name : "skip";
	if (r.what)
		snprintf(expected, sizeof expected, "%s of %" PRId64 " byte%s before a value of type %.40s", r.what,
		         r.needed, r.needed > 1 ? "s" : "", type);
	else
		snprintf(expected, sizeof expected, "%" PRId64 " bytes of type %.40s", r.needed, type);
	int64_t left = d->part.left - r.byte;
	if (left)
		snprintf(found, sizeof found, "%" PRId64 " to the end of the input%s", left, last);
	else
		snprintf(found, sizeof found, "the end of the input%s", last);
	sheaf_scidb_spot spot = {d->in, item, d->part.first + d->part.count, d->piece->byte + d->at + r.byte,
	                         d->cx};
	return sheaf_scidb_report(&spot,
	                          SHEAF_FINDING(SHEAF_ERROR, "end of input", expected, found,
	                                        "the cell is left out", .status = SHEAF_SHORT),
	                          d->err);
}

/* ---- the piece ---- */

/* Cells beyond those for which the dimensions have room are left out; the piece that has the first of them
 * reports it. */
static sheaf_status fill_all(decoding *d)
{
	char expected[64];
	int64_t capacity = sheaf_scidb_capacity(&d->in->array), first = d->part.first,
			end = first + d->part.count + (d->part.left >= 0);
	bool beyond = capacity >= 0 && end > capacity;
	if (beyond) {
		d->part.count = first <= capacity ? capacity - first : 0;
		d->part.left = -1;
	}
	for (int a = 0; a < d->in->entries.attributes; a++) {
		sheaf_column_builder *to = &d->to.columns[d->in->coordinates + a];
		d->fillings[a] =
			(sheaf_scidb_filling){.values = &to->values, .level = to->field->nlevels ? &to->levels[0] : NULL};
	}
	SHEAF_TRY(decode_cells(d));
	if (beyond && first <= capacity) {
		sheaf_scidb_spot spot = {d->in, &d->layout->items[0], capacity, d->piece->byte + d->at, d->cx};
		snprintf(expected, sizeof expected, "at most %" PRId64 " cells, as the dimensions say", capacity);
		SHEAF_TRY(sheaf_scidb_report(
			&spot,
			SHEAF_FINDING(SHEAF_FATAL, "cells beyond the array", expected, "more", "they are left out"),
			d->err));
	}
	SHEAF_TRY(report_rest(d));
	/* Bits and reasons are left out if no value is missing. */
	for (int a = 0; a < d->in->entries.attributes; a++) {
		const sheaf_scidb_filling *f = &d->fillings[a];
		if (f->level && !f->nulls) f->level->valid->size = 0;
		if (f->level && !f->reasons) f->level->codes->size = 0;
	}
	sheaf_scidb_fill_coordinates(d->in, first, d->part.count, &d->to);
	d->to.nrows = d->part.count;
	return SHEAF_OK;
}

/* Memory for the results, and for where the entries of a block are. Cells of a block fit a cache together:
 * enough of them to make columns worthwhile, a multiple of eight. After a flaw the cells before it are filled
 * in once more, without a message. */
static sheaf_status allocate_and_fill(decoding *d)
{
	enum { BYTES = 16 << 10, LEAST = 64, MANY = 64 };
	int64_t bytes = d->layout->cell_bytes ? d->layout->cell_bytes
	                : d->part.count       ? d->piece->size / d->part.count + 1
	                                      : 1,
			cells = BYTES / bytes / 8 * 8;
	d->most = d->layout->counted > MANY || cells < LEAST ? LEAST : cells > SCIDB_BLOCK ? SCIDB_BLOCK : cells;
	size_t attributes = (size_t)d->in->entries.attributes,
		   words = d->layout->cell_bytes ? 1 : ((size_t)d->layout->counted + 1) * (size_t)d->most + 1;
	SHEAF_TRY(sheaf_allocate_array(d->cx, attributes, sizeof *d->fillings, &d->fillings, d->err));
	sheaf_status status = sheaf_allocate_array(d->cx, words, sizeof *d->bases, &d->bases, d->err);
	if (status == SHEAF_OK) status = fill_all(d);
	if (sheaf_is_flaw(status)) {
		d->part.count = d->good;
		d->part.left = -1;
		d->at = 0;
		d->silent = true;
		d->err = NULL;
		sheaf_frame_builder_go_back(&d->to);
		if (sheaf_put_off(fill_all(d), "there are then no rows before the flaw")) d->to.nrows = 0;
	}
	sheaf_release(d->cx, d->bases, words * sizeof *d->bases);
	sheaf_release(d->cx, d->fillings, attributes * sizeof *d->fillings);
	return status;
}

/* Columns were filled with something for these cells, too. */
static sheaf_status leave_out(const decoding *d, sheaf_frame *frame, sheaf_error *err)
{
	sheaf_frame kept = {0};
	int64_t from = 0, n = (int64_t)(d->gone.size / sizeof(int64_t));
	const int64_t *gone = (const int64_t *)(const void *)d->gone.data;
	sheaf_status status = sheaf_frame_begin(&kept, &d->in->schema, d->cx, err);
	for (int64_t i = 0; i <= n && status == SHEAF_OK && from < frame->nrows; i++) {
		int64_t to = i < n ? gone[i] - d->part.first : frame->nrows;
		if (to > frame->nrows) to = frame->nrows;
		status = sheaf_frame_append(&kept, frame, from, to, d->cx, err);
		from = to + 1;
	}
	kept.notes = sheaf_buffer_ref(&frame->notes);
	sheaf_frame_free(status ? &kept : frame);
	if (status == SHEAF_OK) *frame = kept;
	return status;
}

sheaf_status sheaf_scidb_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                sheaf_context *cx, sheaf_error *err)
{
	static const sheaf_scidb_evidence none = {.first_odd = -1};
	const sheaf_scidb_reader *in = (const sheaf_scidb_reader *)reader;
	decoding d = {.in = in,
	              .layout = &in->layout,
	              .piece = piece,
	              .part = sheaf_scidb_part_of(piece),
	              .cx = cx,
	              .err = err};
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	sheaf_builder_begin(&d.gone, cx, NULL);
	if (status == SHEAF_OK) {
		sheaf_builder_append(&d.to.notes, &none, sizeof none);
		status = sheaf_builder_status(&d.to.notes, err);
	}
	if (status == SHEAF_OK) status = allocate_and_fill(&d);
	status = sheaf_frame_builder_end(&d.to, status, frame, err);
	if (status == SHEAF_OK) status = sheaf_builder_status(&d.gone, err);
	if (d.gone.size && frame->nrows) {
		sheaf_status left = leave_out(&d, frame, status ? NULL : err);
		if (left) frame->nrows = 0;
		if (status == SHEAF_OK) status = left;
	}
	sheaf_builder_drop(&d.gone);
	return status;
}
