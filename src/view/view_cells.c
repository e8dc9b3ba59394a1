/* SPDX-License-Identifier: MIT */
/* Rows of a table as sequences of one sample: each column of numbers is a dense stream of dim 1. If an item
 * is missing there is no sample, so that lengths are 0 or 1:
 *
 *     x,name                 x: [[1]]      name: a
 *     1,a          -->       x: []         name: b
 *     ,b
 *
 * Values of a column without missing ones stay where they are; only offsets are made. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/status.h"
#include "frame/frame.h"
#include "io/source.h"
#include "view/view.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_number(const sheaf_field *field)
{
	return field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL ||
	       field->meaning == SHEAF_COORDINATE;
}

/* Makes a stream of a column of numbers that may be missing: the offsets say which rows have a sample, and
 * values of rows without one are left out. A column in which nothing is missing keeps its values, which the
 * stream shares. */
static sheaf_status make_stream(const sheaf_column *from, const sheaf_field *field, sheaf_column *to,
                                int64_t nrows, sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder offsets, values;
	size_t size = sheaf_type_size(from->type);
	int64_t samples = 0;
	sheaf_buffer_reset(&to->values);
	sheaf_level_close_gaps(&to->levels[0]);
	to->meaning = SHEAF_NUMBER;
	to->nlevels = 2;
	for (int l = 0; l < 2; l++) to->levels[l].shape = field->levels[l];
	bool has_all = from->nlevels == 0 || !sheaf_level_has_gaps(&from->levels[0]);
	sheaf_builder_begin(&offsets, cx, &to->levels[0].offsets);
	sheaf_builder_begin(&values, cx, &to->values);
	sheaf_builder_i64(&offsets, 0);
	for (int64_t r = 0; r < nrows && !offsets.failed; r++) {
		bool has_item = has_all || sheaf_level_has(&from->levels[0], r);
		if (has_item && !has_all) sheaf_builder_append(&values, from->values.data + (size_t)r * size, size);
		samples += has_item;
		sheaf_builder_i64(&offsets, samples);
	}
	sheaf_status status = sheaf_builder_finish(&offsets, &to->levels[0].offsets, err);
	if (status == SHEAF_OK && !has_all) return sheaf_builder_finish(&values, &to->values, err);
	sheaf_builder_drop(&values);
	SHEAF_TRY(status);
	to->values = sheaf_buffer_ref(&from->values);
	return SHEAF_OK;
}

/* Makes streams of all columns of numbers; other columns stay as they are. */
static sheaf_status make_streams(const sheaf_row_view *v, const sheaf_frame *below, sheaf_frame *frame,
                                 sheaf_context *cx, sheaf_error *err)
{
	for (int c = 0; c < frame->ncolumns; c++) {
		const sheaf_field *field = &v->schema.fields[c];
		if (!sheaf_field_is_stream(field)) continue;
		SHEAF_TRY(make_stream(&below->columns[c], field, &frame->columns[c], below->nrows, cx, err));
	}
	return SHEAF_OK;
}

/* Decodes a piece on any thread: rows below whose columns of numbers become streams. After a flaw below,
 * the rows before it become streams as far as they can, and the flaw is returned. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	sheaf_status status = sheaf_view_slice_below(v, piece, NULL, frame, cx, err);
	const sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	if (status == SHEAF_OK) return make_streams(v, below, frame, cx, err);
	if (frame->nrows > 0 &&
	    sheaf_put_off(make_streams(v, below, frame, cx, NULL), "there are then no rows before the flaw"))
		frame->nrows = 0;
	return status;
}

/* Missing values are reported here, in order, since the numbers of rows are known now. */
static sheaf_status place(sheaf_row_view *v, sheaf_frame *frame, sheaf_error *err)
{
	const sheaf_schema *schema = &v->in->schema;
	const sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	char found[48];
	for (int c = 0; c < schema->nfields; c++) {
		const sheaf_field *field = &schema->fields[c];
		const sheaf_level *level = &below->columns[c].levels[0];
		if (!is_number(field) || !sheaf_view_may_miss(field) || !sheaf_level_has_gaps(level)) continue;
		for (int64_t r = 0; r < below->nrows; r++) {
			if (sheaf_level_has(level, r)) continue;
			snprintf(found, sizeof found, "null, code %d", sheaf_level_code(level, r));
			SHEAF_TRY(sheaf_view_report_cell(
				v, v->inner_row + r, field->name,
				SHEAF_FINDING(SHEAF_ERROR, "missing value", "a value, since rows are to be sequences", found,
			                  "the sequence has no sample there", .status = SHEAF_LOSS),
				err));
		}
	}
	return SHEAF_OK;
}

/* Puts the view on the input that makes each row of a table a sequence: columns of numbers become streams.
 * Other columns stay beside them, and are lost where rows have no place for them. */
sheaf_status sheaf_view_cells(sheaf_input *input, sheaf_error *err)
{
	sheaf_row_view *v;
	const sheaf_schema *below = &input->in->schema;
	int streams = 0;
	bool all_have_samples = true; /* every sequence has a sample in each stream */
	SHEAF_TRY(sheaf_view_new(input, sizeof(sheaf_row_view), &v, err));
	SHEAF_TRY(sheaf_schema_copy(below, v->cx, &v->schema, err));
	v->schema.rows = SHEAF_SEQUENCES;
	v->schema.cells = true;
	for (int f = 0; f < v->schema.nfields; f++) {
		sheaf_field *field = &v->schema.fields[f];
		if (is_number(field)) {
			all_have_samples &= !sheaf_view_may_miss(field);
			sheaf_field_make_stream(field, false, 1, field->type);
			streams++;
		} else {
			field->loss = "column that is not numeric";
			field->usual = (double)NAN; /* whatever it contains is lost */
		}
	}
	if (streams == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a column of numbers, since rows are to be sequences, found none",
		                  sheaf_source_name(v->source));
	v->format.decode = decode;
	v->facts.rows = v->in->facts.rows;
	v->facts.ordinal_keys = 1;
	if (all_have_samples) v->facts.longest = 1;
	if (all_have_samples) v->facts.samples = v->facts.rows;
	sheaf_view_pass_random(v);
	v->place = place;
	v->keeps_rows = true;
	return SHEAF_OK;
}
