/* SPDX-License-Identifier: MIT */
/* Turning a column's values into another element type, and reporting where a value changes: writers cast
 * rows to the types that their file has. No value changes silently: the nearest one that the new type has is
 * stored, and each row in which it differs from the value before is a finding of its own. Indices only ever
 * become wider, so they lose nothing. */
#include "base/buffer.h"
#include "base/context.h"
#include "frame/frame.h"
#include "frame/value.h"
#include "number/date.h"
#include <inttypes.h>
#include <stdio.h>

enum { BATCH = 256 };

/* Stores the values of a run as another type, at the same positions of `to`. Returns how many changed. */
static int64_t cast_run(const sheaf_column *column, sheaf_run run, sheaf_type type, uint8_t *to)
{
	sheaf_canon canon[BATCH];
	int64_t changed = 0;
	for (int64_t at = run.begin; at < run.end; at += BATCH) {
		int64_t n = run.end - at < BATCH ? run.end - at : BATCH;
		sheaf_canon_values(column->type, column->values.data, at, n, canon);
		changed += sheaf_canon_store(type, canon, n, to, at);
	}
	return changed;
}

/* Whether the column's times are others than the field's: of another unit or, if they are dates and become
 * points in time, those at which the days begin. No other meaning changes. */
static bool is_other_time(const sheaf_column *column, const sheaf_field *to)
{
	bool begins = column->meaning == SHEAF_DATE && to->meaning == SHEAF_DATETIME;
	return begins || (column->meaning == to->meaning && column->digits != to->digits);
}

/* Writes the times of a run in the field's unit, at the same positions of `values`, and returns how many
 * changed: a time that the unit cannot express is rounded down, one beyond its range becomes the nearest end
 * of that. Of a zoned time, which has two values, the second one is the offset of its zone, and stays. */
static int64_t convert_times(const sheaf_column *column, sheaf_run run, const sheaf_field *to,
                             uint8_t *values)
{
	int64_t changed = 0, step = column->meaning == SHEAF_DATETIMETZ ? 2 : 1;
	const int64_t *from = sheaf_i64s(column->values.data);
	int64_t *out = (int64_t *)(void *)values;
	int32_t unit = 1; /* of the outcome, in nanoseconds */
	for (int d = to->digits; d < 9; d++) unit *= 10;
	for (int64_t i = run.begin; i < run.end; i++) {
		int32_t nanoseconds = 0;
		int64_t seconds = out[i] = from[i];
		bool fits = true;
		if (i % step) continue;
		if (column->meaning == SHEAF_DATE)
			fits = !__builtin_mul_overflow(from[i], (int64_t)SHEAF_DAY_SECONDS, &seconds);
		else
			seconds = sheaf_split_time(from[i], column->digits, &nanoseconds);
		if (fits && sheaf_join_time(seconds, nanoseconds, to->digits, &out[i])) continue;
		changed++;
		if (!fits || !sheaf_join_time(seconds, nanoseconds / unit * unit, to->digits, &out[i]))
			out[i] = from[i] < 0 ? INT64_MIN + 1 : INT64_MAX; /* some types use the smallest value for NaT */
	}
	return changed;
}

/* Casts the values of all rows; `first` is the place of the first one. A slice, whose offsets are absolute,
 * may share the values: the new buffer starts at the same position 0, and what lies between rows of other
 * slices is not written. */
static sheaf_status cast_values(sheaf_column *column, const sheaf_field *to, int64_t nrows,
                                const sheaf_place *first, sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	char expected[64], found[96];
	bool times = sheaf_means_time(to->meaning), other_time = is_other_time(column, to);
	sheaf_problem problem = {.severity = SHEAF_ERROR,
	                         .status = SHEAF_LOSS,
	                         .rule = "value changed by its element type",
	                         .place = *first,
	                         .expected = expected,
	                         .found = found,
	                         .consequence = "rounded"};
	problem.place.stream = to->name;
	snprintf(expected, sizeof expected, "values that fit %s",
	         times ? sheaf_field_storage(to) : sheaf_type_name(to->type));
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&b, cx, NULL);
	size_t count = column->values.size / sheaf_type_size(column->type);
	uint8_t *data = sheaf_builder_extend(&b, (uint64_t)count * sheaf_type_size(to->type));
	for (int64_t r = 0; data && r < nrows && !status; r++) {
		sheaf_run run = {r, r + 1};
		for (int l = 0; l < column->nlevels; l++) run = sheaf_level_below(&column->levels[l], run);
		int64_t changed =
			other_time ? convert_times(column, run, to, data) : cast_run(column, run, to->type, data);
		if (!changed) continue;
		snprintf(found, sizeof found, "%" PRId64 " of %s that do not", changed,
		         times ? "times" : sheaf_type_name(column->type));
		problem.place.row = first->row + r;
		status = sheaf_report(cx, &problem, err);
	}
	if (!status) status = sheaf_builder_finish(&b, &column->values, err);
	sheaf_builder_drop(&b);
	if (status) return status;
	column->type = to->type;
	if (other_time) column->meaning = to->meaning, column->digits = to->digits;
	return SHEAF_OK;
}

static bool must_widen(const sheaf_level *level, const sheaf_level_shape *to)
{
	return level->shape.kind == SHEAF_COORD && level->shape.index_type == SHEAF_I32 &&
	       to->index_type == SHEAF_I64;
}

/* Makes the indices of a level 64 bits wide. Offsets of slices are absolute, so all indices are widened, even
 * those that these rows do not use. */
static sheaf_status widen_indices(sheaf_level *level, sheaf_context *cx, sheaf_error *err)
{
	for (int r = 0; r < level->shape.rank; r++) {
		sheaf_builder b;
		size_t n = level->indices[r].size / sizeof(int32_t);
		sheaf_builder_begin(&b, cx, NULL);
		for (size_t k = 0; k < n; k++) sheaf_builder_i64(&b, sheaf_level_index(level, r, (int64_t)k));
		SHEAF_TRY(sheaf_builder_finish(&b, &level->indices[r], err));
	}
	level->shape.index_type = SHEAF_I64;
	return SHEAF_OK;
}

bool sheaf_frame_is_cast(const sheaf_frame *frame, const sheaf_schema *to)
{
	for (int c = 0; c < frame->ncolumns; c++) {
		const sheaf_column *column = &frame->columns[c];
		const sheaf_field *field = &to->fields[c];
		if (column->type != field->type || is_other_time(column, field)) return false;
		for (int l = 0; l < column->nlevels; l++)
			if (must_widen(&column->levels[l], &field->levels[l])) return false;
	}
	return true;
}

sheaf_status sheaf_frame_cast(sheaf_frame *frame, const sheaf_schema *to, const char *file, int64_t row,
                              sheaf_context *cx, sheaf_error *err)
{
	sheaf_place first = SHEAF_NOWHERE;
	first.file = file;
	first.row = row;
	sheaf_place_words(&first, to->rows);
	for (int c = 0; c < frame->ncolumns; c++) {
		sheaf_column *column = &frame->columns[c];
		const sheaf_field *field = &to->fields[c];
		for (int l = 0; l < column->nlevels; l++)
			if (must_widen(&column->levels[l], &field->levels[l]))
				SHEAF_TRY(widen_indices(&column->levels[l], cx, err));
		if (column->type != field->type || is_other_time(column, field))
			SHEAF_TRY(cast_values(column, field, frame->nrows, &first, cx, err));
	}
	return SHEAF_OK;
}
