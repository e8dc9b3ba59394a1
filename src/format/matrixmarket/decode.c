/* SPDX-License-Identifier: MIT */
/* A piece into coordinates and values: kernels read what lines are plain, line.c all others. */
#include "base/context.h"
#include "format/matrixmarket/matrixmarket.h"
#include "number/kernel.h"
#include "number/lines.h"
#include <string.h>

void sheaf_mtx_put_entry(sheaf_mtx_decoding *d, int64_t i, int64_t j)
{
	sheaf_put_index(d->i, d->in->schema.fields[0].type, i);
	sheaf_put_index(d->j, d->in->schema.fields[1].type, j);
	sheaf_builder_i64(d->lines, d->text.line);
	d->to.nrows++;
}

/* ---- arrays: where values stand ---- */

/* The first row of a column that an array holds. */
static int64_t first_row(const sheaf_mtx_reader *in, int64_t column)
{
	return in->symmetry == MTX_GENERAL ? 0 : column + (in->symmetry == MTX_SKEW);
}

/* Values before a column of a triangle. */
static int64_t values_before(const sheaf_mtx_reader *in, int64_t column)
{
	int64_t most = in->rows - (in->symmetry == MTX_SKEW);
	return in->symmetry == MTX_GENERAL ? column * in->rows : column * most - (column - 1) * column / 2;
}

/* Where the entry d->entry stands, which is below in->entries: in the last column before which there are not
 * more values. */
static void find_place(sheaf_mtx_decoding *d)
{
	int64_t low = 0, high = d->in->columns;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (values_before(d->in, middle) <= d->entry)
			low = middle;
		else
			high = middle;
	}
	d->column = low;
	d->row = first_row(d->in, low) + d->entry - values_before(d->in, low);
}

void sheaf_mtx_pass_places(sheaf_mtx_decoding *d, int64_t n)
{
	d->entry += n;
	d->row += n;
	if (d->row < d->in->rows) return;
	d->column++;
	d->row = first_row(d->in, d->column);
}

/* ---- many at once ---- */

static size_t value_size(const sheaf_mtx_reader *in)
{
	return in->field == MTX_PATTERN ? 1 : in->field == MTX_COMPLEX ? 16 : 8;
}

/* Some room where none is asked for, too, so that there is a place after. */
static void *room_after(sheaf_builder *b, size_t bytes)
{
	return sheaf_builder_room(b, bytes + 1) ? b->data + b->size : NULL;
}

/* Coordinates and line numbers of entries that the kernel has read. */
static void take_rows(sheaf_mtx_decoding *d, size_t n)
{
	int64_t *lines = (int64_t *)(void *)(d->lines->data + d->lines->size);
	for (size_t r = 0; r < n; r++) lines[r] = d->text.line + (int64_t)r;
	d->lines->size += n * sizeof *lines;
	d->i->size += n * (d->wide_i ? 8 : 4);
	d->j->size += n * (d->wide_j ? 8 : 4);
	if (d->in->field == MTX_PATTERN) memset(d->values->data + d->values->size, 1, n);
	d->values->size += n * value_size(d->in);
	d->text.line += (int64_t)n;
	d->to.nrows += (int64_t)n;
}

/* Coordinates of an array's values, from the order that they come in: column by column. */
static void take_array(sheaf_mtx_decoding *d, size_t n)
{
	size_t left = n;
	while (left > 0) {
		size_t run = (uint64_t)(d->in->rows - d->row) < left ? (size_t)(d->in->rows - d->row) : left;
		for (size_t r = 0; r < run; r++) {
			sheaf_put_index(d->i, d->in->schema.fields[0].type, d->row + (int64_t)r);
			sheaf_put_index(d->j, d->in->schema.fields[1].type, d->column);
		}
		sheaf_mtx_pass_places(d, (int64_t)run);
		left -= run;
	}
	d->i->size -= n * (d->wide_i ? 8 : 4); /* as after the other lines: take_rows counts them */
	d->j->size -= n * (d->wide_j ? 8 : 4);
}

/* Makes room for as many entries as there may be, and lets the kernel read on. */
static void read_many(sheaf_mtx_decoding *d, size_t most)
{
	const sheaf_mtx_reader *in = d->in;
	int64_t left = in->entries - d->entry;
	if (in->array && left < (int64_t)most) most = left > 0 ? (size_t)left : 0;
	sheaf_entries run = {
		.at = d->text.at, .end = d->text.end, .coordinates = in->array ? 0 : 2, .room = most};
	run.numbers = in->field == MTX_COMPLEX ? 2 : in->field != MTX_PATTERN;
	run.integers = in->field == MTX_INTEGER;
	run.to[0] = room_after(d->i, most * 8);
	run.to[1] = room_after(d->j, most * 8);
	run.values = room_after(d->values, most * value_size(in));
	if (!run.to[0] || !run.to[1] || !run.values || !room_after(d->lines, most * 8))
		return; /* the builders keep the failure */
	run.wide[0] = d->wide_i;
	run.wide[1] = d->wide_j;
	run.limits[0] = (uint64_t)in->rows;
	run.limits[1] = (uint64_t)in->columns;
	sheaf_kernel_chosen()->entries(&run);
	d->text.at = run.at;
	if (in->array) take_array(d, run.count);
	take_rows(d, run.count);
}

/* ---- the frame ---- */

static sheaf_status begin_frame(sheaf_mtx_decoding *d, sheaf_frame *frame)
{
	SHEAF_TRY(sheaf_frame_builder_begin(&d->to, &d->in->schema, frame, d->text.cx, d->text.err));
	d->i = &d->to.columns[0].values;
	d->j = &d->to.columns[1].values;
	d->values = &d->to.columns[2].values;
	d->lines = &d->to.lines;
	return SHEAF_OK;
}

/* Lines that are there, at most: a piece's entries. */
static size_t count_lines(const sheaf_mtx_decoding *d)
{
	return (size_t)sheaf_count_feeds(d->text.begin, d->text.end) + 1;
}

/* What is wrong with the lines that the kernel has read is told before the next line's. */
static sheaf_status read_lines(sheaf_mtx_decoding *d)
{
	size_t most = count_lines(d);
	while (d->text.at < d->text.end) {
		int64_t from = d->to.nrows, next;
		if (d->in->field != MTX_UNSIGNED) read_many(d, most - (size_t)d->to.nrows);
		SHEAF_TRY(sheaf_builder_status(d->values, d->text.err));
		SHEAF_TRY(sheaf_mtx_check_triangle(d, from));
		next = d->to.nrows;
		if (d->text.at < d->text.end) SHEAF_TRY(sheaf_mtx_read_line(d));
		SHEAF_TRY(sheaf_mtx_check_triangle(d, next));
		SHEAF_TRY(sheaf_check_stop(d->text.cx, d->text.err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_mtx_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_mtx_reader *in = (const sheaf_mtx_reader *)reader;
	sheaf_mtx_decoding d = {.in = in,
	                        .text = sheaf_lined_text_of(&in->lined, piece, cx, err),
	                        .entry = in->array ? piece->chunk : 0};
	d.wide_i = in->schema.fields[0].type == SHEAF_I64;
	d.wide_j = in->schema.fields[1].type == SHEAF_I64;
	if (in->array && d.entry < in->entries) find_place(&d);
	sheaf_status status = begin_frame(&d, frame);
	if (status == SHEAF_OK) status = read_lines(&d);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
