/* SPDX-License-Identifier: MIT */
/* A piece into coordinates and values: kernels read plain lines, entries_line.c reads all others.
 *
 * Lines are read in the widest form that their kind of value has: 64-bit integers, doubles. Where the header
 * declares a narrower type, all values of the piece are narrowed at the end, in place, and an integer that
 * does not fit is an error of its line. Entries before an error are given. */
#include "base/context.h"
#include "base/status.h"
#include "format/lines/entries.h"
#include "io/source.h"
#include "number/kernels/kernel.h"
#include "number/kernels/lines.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- many at once ---- */

static size_t value_size(const sheaf_entry_reader *in)
{
	return in->value == SHEAF_ENTRY_PATTERN ? 1 : in->value == SHEAF_ENTRY_COMPLEX ? 16 : 8;
}

/* Makes room for `most` entries in all columns; false if memory runs out. At least a byte more is
 * reserved, so that there is an address after them. */
static bool make_room(sheaf_entry_decoding *d, size_t most)
{
	bool room = sheaf_builder_room(d->values, most * value_size(d->in) + 1) &&
	            sheaf_builder_room(d->lines, most * sizeof(int64_t) + 1);
	for (int c = 0; c < d->in->rank; c++)
		room = sheaf_builder_room(&d->to.columns[c].values, most * sizeof(int64_t) + 1) && room;
	return room;
}

/* Appends the coordinates of n values alone, whose order, column by column, gives them; d->place moves
 * on. */
static void place_values(sheaf_entry_decoding *d, size_t n)
{
	const sheaf_schema *schema = &d->in->schema;
	for (size_t left = n; left > 0;) {
		uint64_t below = (uint64_t)(schema->tensor.shape[0] - d->place[0]);
		size_t run = below < left ? (size_t)below : left;
		for (int c = 0; c < d->in->rank; c++)
			for (size_t r = 0; r < run; r++)
				sheaf_put_index(&d->to.columns[c].values, schema->fields[c].type,
				                d->place[c] + (c ? 0 : (int64_t)r));
		d->in->rules->pass_places(d, (int64_t)run);
		left -= run;
	}
}

/* Counts n lines that the kernel has read as entries. They follow one another, so that their numbers do,
 * too. */
static void take_rows(sheaf_entry_decoding *d, size_t n)
{
	int64_t *lines = (int64_t *)(void *)(d->lines->data + d->lines->size);
	for (size_t r = 0; r < n; r++) lines[r] = d->text.line + (int64_t)r;
	d->lines->size += n * sizeof *lines;
	if (d->in->value == SHEAF_ENTRY_PATTERN) memset(d->values->data + d->values->size, 1, n);
	d->values->size += n * value_size(d->in);
	if (d->in->bare)
		place_values(d, n);
	else
		for (int c = 0; c < d->in->rank; c++) d->to.columns[c].values.size += n * (d->wide[c] ? 8 : 4);
	d->text.line += (int64_t)n;
	d->to.nrows += (int64_t)n;
}

/* Lets the kernel read as many lines as there are, at most `most`, up to the first that is not plain.
 * Room is made for all of them before, so that the kernel need not ask. Where places follow from the
 * order, no more lines are read than the header announces. */
static void read_many(sheaf_entry_decoding *d, size_t most)
{
	const sheaf_entry_reader *in = d->in;
	int64_t announced_left = in->entries - d->entry;
	if (in->bare && announced_left < (int64_t)most) most = announced_left > 0 ? (size_t)announced_left : 0;
	if (!make_room(d, most)) return; /* the builders keep the failure */
	sheaf_entries run = {.at = d->text.at,
	                     .end = d->text.end,
	                     .coordinates = in->bare ? 0 : in->rank,
	                     .numbers = in->value == SHEAF_ENTRY_COMPLEX ? 2 : in->value != SHEAF_ENTRY_PATTERN,
	                     .integers = in->value == SHEAF_ENTRY_INTEGER,
	                     .room = most};
	for (int c = 0; c < in->rank; c++) {
		run.to[c] = d->to.columns[c].values.data + d->to.columns[c].values.size;
		run.wide[c] = d->wide[c];
		run.limits[c] = (uint64_t)in->schema.tensor.shape[c];
	}
	run.values = d->values->data + d->values->size;
	sheaf_kernel_chosen()->entries(&run);
	d->text.at = run.at;
	take_rows(d, run.count);
}

/* ---- types ---- */

/* Narrows the integers of a piece, which were read as 64 bits, to the field's type, in place; in either
 * byte order the low bytes are kept. The first value that does not fit is reported, and the rows from it
 * on are dropped; with `silent` they are dropped alone. */
static sheaf_status narrow_integers(sheaf_entry_decoding *d, const sheaf_field *field, bool silent)
{
	char expected[96], found[32];
	size_t size = sheaf_type_size(field->type);
	int bits = 8 * (int)size;
	bool is_signed = field->type >= SHEAF_I8 && field->type <= SHEAF_I64;
	int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0,
			most = field->meaning == SHEAF_BOOL ? 1 : (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
	const int64_t *wide = (const int64_t *)(const void *)d->values->data;
	for (int64_t r = 0; r < d->to.nrows; r++) {
		int64_t value = wide[r];
		const uint8_t *low = (const uint8_t *)&value;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		low += sizeof value - size;
#endif
		if (value < least || value > most) {
			d->to.nrows = r;
			d->values->size = (size_t)r * size;
			if (silent) return SHEAF_OK;
			snprintf(expected, sizeof expected, "a value of type %s, from %" PRId64 " to %" PRId64,
			         field->meaning == SHEAF_BOOL ? "bool" : sheaf_type_name(field->type), least, most);
			snprintf(found, sizeof found, "%" PRId64, value);
			sheaf_problem problem =
				sheaf_problem_in(sheaf_source_name(d->in->lined.source),
			                     &SHEAF_FINDING(SHEAF_FATAL, "integer range", expected, found));
			problem.place.line = ((const int64_t *)(const void *)d->lines->data)[r];
			problem.place.column = 1;
			return sheaf_report(d->text.cx, &problem, d->text.err);
		}
		memcpy(d->values->data + (size_t)r * size, low, size);
	}
	d->values->size = (size_t)d->to.nrows * size;
	return SHEAF_OK;
}

/* Narrows the values of a piece, in place, that the header declares with a narrower type than the one in
 * which lines are read. `silent`: an integer that does not fit is not reported. */
static sheaf_status narrow_values(sheaf_entry_decoding *d, bool silent)
{
	const sheaf_field *field = &d->in->schema.fields[d->in->rank];
	const double *wide = (const double *)(const void *)d->values->data;
	float *narrow = (float *)(void *)d->values->data;
	size_t n = d->values->size / sizeof(double);
	if (d->in->value == SHEAF_ENTRY_PATTERN || sheaf_type_size(field->type) == 8 || n == 0) return SHEAF_OK;
	if (d->in->value == SHEAF_ENTRY_INTEGER) return narrow_integers(d, field, silent);
	for (size_t k = 0; k < n; k++) {
		float value = (float)wide[k];
		memcpy(&narrow[k], &value, sizeof value);
	}
	d->values->size = n * sizeof *narrow;
	return SHEAF_OK;
}

/* ---- the frame ---- */

static sheaf_status check(sheaf_entry_decoding *d, int64_t from)
{
	return d->in->rules->check ? d->in->rules->check(d, from) : SHEAF_OK;
}

/* Reads all lines of a piece: many at once by the kernel, and the line at which it stops by itself. A
 * piece has at most as many entries as lines. Findings in lines that the kernel has read are reported
 * before those of the next line. */
static sheaf_status read_lines(sheaf_entry_decoding *d)
{
	size_t most = (size_t)sheaf_count_feeds(d->text.begin, d->text.end) + 1;
	while (d->text.at < d->text.end) {
		int64_t from = d->to.nrows, next;
		if (d->in->value != SHEAF_ENTRY_UNSIGNED) read_many(d, most - (size_t)d->to.nrows);
		SHEAF_TRY(sheaf_builder_status(d->values, d->text.err));
		SHEAF_TRY(sheaf_builder_status(d->lines, d->text.err));
		SHEAF_TRY(check(d, from));
		next = d->to.nrows;
		if (d->text.at < d->text.end) SHEAF_TRY(sheaf_entry_read_line(d));
		SHEAF_TRY(check(d, next));
		SHEAF_TRY(sheaf_check_stop(d->text.cx, d->text.err));
	}
	sheaf_builder_append(&d->to.notes, d->met, sizeof d->met);
	return SHEAF_OK;
}

/* Decodes a piece of lines into entries on a worker's thread. Where places follow from the order, each
 * needs its value; elsewhere an entry with an error is left out. After a flaw that ends the reading the
 * entries before it are narrowed like all others, as they are delivered. */
sheaf_status sheaf_entry_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                sheaf_context *cx, sheaf_error *err)
{
	const sheaf_entry_reader *in = (const sheaf_entry_reader *)reader;
	sheaf_entry_decoding d = {.in = in,
	                          .text = sheaf_lined_text_of(&in->lined, piece, cx, err),
	                          .entry = in->bare ? piece->chunk : 0};
	if (!in->bare) {
		d.text.severity = SHEAF_ERROR;
		d.text.consequence = "the entry is left out";
	}
	if (in->bare && d.entry < in->entries) in->rules->find_place(&d);
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	if (status) return sheaf_frame_builder_end(&d.to, status, frame, err);
	for (int c = 0; c < in->rank; c++) d.wide[c] = in->schema.fields[c].type == SHEAF_I64;
	d.values = &d.to.columns[in->rank].values;
	d.lines = &d.to.lines;
	status = read_lines(&d);
	if (status == SHEAF_OK) {
		status = narrow_values(&d, false);
	} else if (sheaf_is_flaw(status)) {
		size_t size = (size_t)d.to.nrows * value_size(in);
		if (d.values->size > size) d.values->size = size;
		if (sheaf_put_off(narrow_values(&d, true), "there are no entries before the flaw then"))
			d.to.nrows = 0;
	}
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
