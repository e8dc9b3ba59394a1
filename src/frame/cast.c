/* SPDX-License-Identifier: MIT */
/* Turning a column's values into another element type, and reporting where a value changes. */
#include "base/buffer.h"
#include "base/context.h"
#include "frame/frame.h"
#include "frame/value.h"
#include "number/date.h"
#include <inttypes.h>
#include <stdio.h>

enum { BATCH = 256 };

/* The values in one row. */
static sheaf_run values_of(const sheaf_column *column, int64_t row)
{
	sheaf_run run = {row, row + 1};
	for (int l = 0; l < column->nlevels; l++) run = sheaf_level_below(&column->levels[l], run);
	return run;
}

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

/* Nothing but dates may become a time of another meaning: that at which they begin. */
static bool is_other_time(const sheaf_column *column, const sheaf_field *to)
{
	bool begins = column->meaning == SHEAF_DATE && to->meaning == SHEAF_DATETIME;
	return begins || (column->meaning == to->meaning && column->digits != to->digits);
}

/* The time in another unit: rounded down, and limited to its range; then it counts as changed. */
static bool convert_time(int64_t from, const sheaf_column *column, int digits, int64_t *to)
{
	int32_t nanoseconds = 0, below = 1;
	int64_t seconds = from;
	bool fits = true;
	if (column->meaning == SHEAF_DATE)
		fits = !__builtin_mul_overflow(from, (int64_t)SHEAF_DAY_SECONDS, &seconds);
	else
		seconds = sheaf_split_time(from, column->digits, &nanoseconds);
	if (fits && sheaf_join_time(seconds, nanoseconds, digits, to)) return false;
	for (int d = digits; d < 9; d++) below *= 10;
	if (!fits || !sheaf_join_time(seconds, nanoseconds / below * below, digits, to))
		*to = from < 0 ? INT64_MIN + 1 : INT64_MAX; /* some types use the smallest value for NaT */
	return true;
}

static int64_t convert_times(const sheaf_column *column, sheaf_run run, const sheaf_field *to,
                             uint8_t *values)
{
	int64_t changed = 0, step = column->meaning == SHEAF_DATETIMETZ ? 2 : 1;
	const int64_t *from = (const int64_t *)(const void *)column->values.data;
	int64_t *out = (int64_t *)(void *)values;
	for (int64_t i = run.begin; i < run.end; i++) {
		out[i] = from[i];
		if (i % step == 0) changed += convert_time(from[i], column, to->digits, &out[i]);
	}
	return changed;
}

/* A frame that is being cast. */
typedef struct casting {
	sheaf_row_kind rows;
	const char *file;
	int64_t row; /* number of the first row */
	int64_t nrows;
	sheaf_context *cx;
	sheaf_error *err;
} casting;

static sheaf_status report(const casting *c, const sheaf_field *to, sheaf_type from, int64_t r,
                           int64_t changed)
{
	char expected[64], found[96];
	const char *type = sheaf_means_time(to->meaning) ? sheaf_field_storage(to) : sheaf_type_name(to->type);
	snprintf(expected, sizeof expected, "values that fit %s", type);
	snprintf(found, sizeof found, "%" PRId64 " of %s that do not", changed,
	         sheaf_means_time(to->meaning) ? "times" : sheaf_type_name(from));
	sheaf_finding finding = {SHEAF_ERROR, "value changed by its element type", expected, found, "rounded",
	                         SHEAF_LOSS};
	sheaf_problem problem = sheaf_problem_in(c->file, &finding);
	problem.place.stream = to->name;
	problem.place.row = c->row + r;
	sheaf_place_words(&problem.place, c->rows);
	return sheaf_report(c->cx, &problem, c->err);
}

/* A slice, whose offsets are absolute, may share the values: the new buffer starts at the same position 0. */
static sheaf_status cast_column(const casting *c, const sheaf_field *to, sheaf_column *column)
{
	sheaf_builder b;
	size_t count = column->values.size / sheaf_type_size(column->type);
	sheaf_builder_begin(&b, c->cx, NULL);
	sheaf_status status = SHEAF_OK;
	uint8_t *data = sheaf_builder_extend(&b, (uint64_t)count * sheaf_type_size(to->type));
	for (int64_t r = 0; data && r < c->nrows && status == SHEAF_OK; r++) {
		sheaf_run run = values_of(column, r);
		int64_t changed = is_other_time(column, to) ? convert_times(column, run, to, data)
		                                            : cast_run(column, run, to->type, data);
		if (changed) status = report(c, to, column->type, r, changed);
	}
	if (status) {
		sheaf_builder_drop(&b);
		return status;
	}
	SHEAF_TRY(sheaf_builder_finish(&b, &column->values, c->err));
	column->type = to->type;
	if (is_other_time(column, to)) column->meaning = to->meaning, column->digits = to->digits;
	return SHEAF_OK;
}

/* Offsets of slices are absolute, so all indices are widened, even those that these rows do not use. */
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

static bool must_widen(const sheaf_level *level, const sheaf_level_shape *to)
{
	return level->shape.kind == SHEAF_COORD && level->shape.index_type == SHEAF_I32 &&
	       to->index_type == SHEAF_I64;
}

static sheaf_status cast_indices(sheaf_column *column, const sheaf_field *to, sheaf_context *cx,
                                 sheaf_error *err)
{
	for (int l = 0; l < column->nlevels; l++)
		if (must_widen(&column->levels[l], &to->levels[l]))
			SHEAF_TRY(widen_indices(&column->levels[l], cx, err));
	return SHEAF_OK;
}

static bool is_cast(const sheaf_column *column, const sheaf_field *to)
{
	for (int l = 0; l < column->nlevels; l++)
		if (must_widen(&column->levels[l], &to->levels[l])) return false;
	return column->type == to->type && !is_other_time(column, to);
}

bool sheaf_frame_is_cast(const sheaf_frame *frame, const sheaf_schema *to)
{
	for (int c = 0; c < frame->ncolumns; c++)
		if (!is_cast(&frame->columns[c], &to->fields[c])) return false;
	return true;
}

sheaf_status sheaf_frame_cast(sheaf_frame *frame, const sheaf_schema *to, const char *file, int64_t row,
                              sheaf_context *cx, sheaf_error *err)
{
	casting all = {to->rows, file, row, frame->nrows, cx, err};
	for (int c = 0; c < frame->ncolumns; c++) {
		SHEAF_TRY(cast_indices(&frame->columns[c], &to->fields[c], cx, err));
		if (frame->columns[c].type != to->fields[c].type || is_other_time(&frame->columns[c], &to->fields[c]))
			SHEAF_TRY(cast_column(&all, &to->fields[c], &frame->columns[c]));
	}
	return SHEAF_OK;
}
