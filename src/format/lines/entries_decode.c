/* SPDX-License-Identifier: MIT */
/* A piece into coordinates and values: kernels read plain lines, entries_line.c reads all others. */
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

/* For as many entries as there may be; at least for a few, so that there is an address after them. */
static bool make_room(sheaf_entry_decoding *d, size_t most)
{
	bool room = sheaf_builder_room(d->values, most * value_size(d->in) + 1) &&
	            sheaf_builder_room(d->lines, most * sizeof(int64_t) + 1);
	for (int c = 0; c < d->in->rank; c++)
		room = sheaf_builder_room(&d->to.columns[c].values, most * sizeof(int64_t) + 1) && room;
	return room;
}

/* Values alone: their order, column by column, gives the coordinates. */
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

/* Counts what the kernel has read. */
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

static void read_many(sheaf_entry_decoding *d, size_t most)
{
	const sheaf_entry_reader *in = d->in;
	int64_t left = in->entries - d->entry;
	if (in->bare && left < (int64_t)most) most = left > 0 ? (size_t)left : 0;
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

/* The range of an integer type narrower than the one in which lines are read. */
static void range_of(const sheaf_field *field, int64_t *least, int64_t *most)
{
	int bits = 8 * (int)sheaf_type_size(field->type);
	bool is_signed = field->type >= SHEAF_I8 && field->type <= SHEAF_I64;
	*least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
	*most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
	if (field->meaning == SHEAF_BOOL) *most = 1;
}

static sheaf_status refuse_value(const sheaf_entry_decoding *d, int64_t r, const sheaf_field *field,
                                 int64_t least, int64_t most, int64_t value)
{
	char expected[96], found[32];
	snprintf(expected, sizeof expected, "a value of type %s, from %" PRId64 " to %" PRId64,
	         field->meaning == SHEAF_BOOL ? "bool" : sheaf_type_name(field->type), least, most);
	snprintf(found, sizeof found, "%" PRId64, value);
	sheaf_problem problem = {SHEAF_FATAL, SHEAF_DATA, "integer range", SHEAF_NOWHERE, expected, found, NULL};
	problem.place.file = sheaf_source_name(d->in->lined.source);
	problem.place.line = ((const int64_t *)(const void *)d->lines->data)[r];
	problem.place.column = 1;
	return sheaf_report(d->text.cx, &problem, d->text.err);
}

/* Narrows integers in place: in either byte order the low bytes are kept. Returns the first row whose value
 * does not fit, or the number of rows. */
static int64_t narrow_integers(sheaf_entry_decoding *d, int64_t least, int64_t most, size_t size)
{
	const int64_t *wide = (const int64_t *)(const void *)d->values->data;
	int64_t r = 0;
	for (; r < d->to.nrows; r++) {
		int64_t value = wide[r];
		if (value < least || value > most) break;
		const uint8_t *low = (const uint8_t *)&value;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		low += sizeof value - size;
#endif
		memcpy(d->values->data + (size_t)r * size, low, size);
	}
	d->values->size = (size_t)r * size;
	return r;
}

/* With `silent`, drops the rows from the first one whose value does not fit. */
static sheaf_status narrow_all_integers(sheaf_entry_decoding *d, const sheaf_field *field, bool silent)
{
	int64_t least, most;
	range_of(field, &least, &most);
	int64_t r = narrow_integers(d, least, most, sheaf_type_size(field->type));
	if (r == d->to.nrows) return SHEAF_OK;
	d->to.nrows = r;
	int64_t value = ((const int64_t *)(const void *)d->values->data)[r];
	return silent ? SHEAF_OK : refuse_value(d, r, field, least, most, value);
}

/* Values that the header declares with a narrower type than the one in which lines are read. */
static sheaf_status narrow_values(sheaf_entry_decoding *d, bool silent)
{
	const sheaf_field *field = &d->in->schema.fields[d->in->rank];
	const double *wide = (const double *)(const void *)d->values->data;
	float *narrow = (float *)(void *)d->values->data;
	size_t n = d->values->size / sizeof(double);
	if (d->in->value == SHEAF_ENTRY_PATTERN || sheaf_type_size(field->type) == 8 || n == 0) return SHEAF_OK;
	if (d->in->value == SHEAF_ENTRY_INTEGER) return narrow_all_integers(d, field, silent);
	for (size_t k = 0; k < n; k++) {
		float value = (float)wide[k];
		memcpy(&narrow[k], &value, sizeof value);
	}
	d->values->size = n * sizeof *narrow;
	return SHEAF_OK;
}

/* For the entries before a flaw. */
static void narrow_before(sheaf_entry_decoding *d)
{
	size_t size = (size_t)d->to.nrows * value_size(d->in);
	if (d->values->size > size) d->values->size = size;
	if (sheaf_put_off(narrow_values(d, true), "there are no entries before the flaw then")) d->to.nrows = 0;
}

/* ---- the frame ---- */

/* The most lines that there can be: a piece's entries. */
static size_t count_lines(const sheaf_entry_decoding *d)
{
	return (size_t)sheaf_count_feeds(d->text.begin, d->text.end) + 1;
}

static sheaf_status check(sheaf_entry_decoding *d, int64_t from)
{
	return d->in->rules->check ? d->in->rules->check(d, from) : SHEAF_OK;
}

/* Findings in lines that the kernel has read are reported before those of the next line. */
static sheaf_status read_lines(sheaf_entry_decoding *d)
{
	size_t most = count_lines(d);
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

static sheaf_status begin_frame(sheaf_entry_decoding *d, sheaf_frame *frame)
{
	const sheaf_entry_reader *in = d->in;
	SHEAF_TRY(sheaf_frame_builder_begin(&d->to, &in->schema, frame, d->text.cx, d->text.err));
	for (int c = 0; c < in->rank; c++) d->wide[c] = in->schema.fields[c].type == SHEAF_I64;
	d->values = &d->to.columns[in->rank].values;
	d->lines = &d->to.lines;
	return SHEAF_OK;
}

sheaf_status sheaf_entry_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                sheaf_context *cx, sheaf_error *err)
{
	const sheaf_entry_reader *in = (const sheaf_entry_reader *)reader;
	sheaf_entry_decoding d = {.in = in,
	                          .text = sheaf_lined_text_of(&in->lined, piece, cx, err),
	                          .entry = in->bare ? piece->chunk : 0};
	if (!in->bare) { /* where places follow from the order, each needs its value */
		d.text.severity = SHEAF_ERROR;
		d.text.consequence = "the entry is left out";
	}
	if (in->bare && d.entry < in->entries) in->rules->find_place(&d);
	sheaf_status status = begin_frame(&d, frame);
	if (status == SHEAF_OK) status = read_lines(&d);
	if (status == SHEAF_OK)
		status = narrow_values(&d, false);
	else if (sheaf_is_flaw(status))
		narrow_before(&d);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
