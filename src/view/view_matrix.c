/* SPDX-License-Identifier: MIT */
/* Tables of numbers as matrices with the same rows and columns, and matrices as such tables. All values of a
 * matrix have one type: the smallest one that holds the types of all columns. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "frame/frame.h"
#include "frame/value.h"
#include "io/source.h"
#include "view/view.h"
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the type of all values ---- */

static bool is_number(const sheaf_field *field)
{
	bool alone = field->nlevels == 0 || (field->nlevels == 1 && field->levels[0].kind == SHEAF_FIXED);
	return alone && (field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_COORDINATE ||
	                 field->meaning == SHEAF_BOOL);
}

static bool is_signed(sheaf_type type) { return type >= SHEAF_I8 && type <= SHEAF_I64; }

/* The smallest signed integer type that holds both, or doubles if there is none. */
static sheaf_type join_integers(sheaf_type a, sheaf_type b)
{
	if (is_signed(a) == is_signed(b)) return a > b ? a : b;
	sheaf_type with = is_signed(a) ? a : b, without = is_signed(a) ? b : a;
	if (without == SHEAF_U64) return SHEAF_F64;
	sheaf_type held = (sheaf_type)(SHEAF_I16 + (without - SHEAF_U8));
	return with > held ? with : held;
}

/* Reals hold the integers that they can hold exactly. */
static sheaf_type join_types(sheaf_type a, sheaf_type b)
{
	sheaf_type low = a < b ? a : b, high = a < b ? b : a;
	if (low == high) return low;
	if (high < SHEAF_F32) return join_integers(a, b);
	bool narrow = low == SHEAF_U8 || low == SHEAF_U16 || low == SHEAF_I8 || low == SHEAF_I16;
	return high == SHEAF_F32 && narrow ? SHEAF_F32 : SHEAF_F64;
}

/* ---- a table as a matrix ---- */

/* A table with r rows and c columns as the r * c entries of a dense matrix, row by row. */
typedef struct matrix {
	sheaf_row_view view;
	int64_t rows; /* all of the table, which are counted first if they are not known */
	int columns;
} matrix;

static sheaf_status count_rows(void *user, const sheaf_frame *frame, sheaf_error *err)
{
	(void)err;
	((matrix *)user)->rows += frame->nrows;
	return SHEAF_OK;
}

/* Coordinates of n rows from 0 on: place() finds where they begin. */
static void fill_places(const matrix *m, int64_t n, int dimension, sheaf_column_builder *to)
{
	sheaf_type type = to->field->type;
	uint8_t *data =
		sheaf_builder_extend(&to->values, (uint64_t)n * (uint64_t)m->columns * sheaf_type_size(type));
	int64_t *wide = (int64_t *)(void *)data;
	int32_t *narrow = (int32_t *)(void *)data;
	for (int64_t r = 0, i = 0; data && r < n; r++)
		for (int c = 0; c < m->columns; c++, i++) {
			int64_t at = dimension ? c : r;
			if (type == SHEAF_I64)
				wide[i] = at;
			else
				narrow[i] = (int32_t)at;
		}
}

/* Copies a column of the table to its place in each row of values; a missing value becomes NaN, or 0. */
static void fill_column(const matrix *m, const sheaf_column *from, int column, int64_t n, sheaf_type type,
                        uint8_t *to)
{
	for (int64_t r = 0; r < n; r++) {
		sheaf_canon value = {(double)NAN, 0};
		bool there = from->nlevels == 0 || sheaf_level_has(&from->levels[0], r);
		if (there) sheaf_canon_values(from->type, from->values.data, r, 1, &value);
		sheaf_canon_store(type, &value, 1, to, r * m->columns + column);
	}
}

static sheaf_status fill(const sheaf_row_view *v, const sheaf_frame *below, sheaf_frame_builder *to,
                         sheaf_error *err)
{
	const matrix *m = (const matrix *)v;
	sheaf_column_builder *values = &to->columns[2];
	sheaf_type type = values->field->type;
	(void)err;
	to->nrows = below->nrows * m->columns;
	for (int d = 0; d < 2; d++) fill_places(m, below->nrows, d, &to->columns[d]);
	uint8_t *data = sheaf_builder_extend(&values->values, (uint64_t)to->nrows * sheaf_type_size(type));
	for (int c = 0; data && c < m->columns; c++)
		fill_column(m, &below->columns[c], c, below->nrows, type, data);
	return SHEAF_OK;
}

/* Reports a value of a row that the matrix cannot hold. */
static sheaf_status lose(const matrix *m, int column, int64_t row, sheaf_finding finding, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(m->view.source), &finding);
	problem.place.row = row;
	problem.place.stream = m->view.in->schema.fields[column].name;
	sheaf_place_words(&problem.place, SHEAF_CELLS);
	return sheaf_report(m->view.cx, &problem, err);
}

/* Reports missing values, and values that the common type does not hold, which exist only if columns have
 * different types. */
static sheaf_status check_values(const matrix *m, const sheaf_frame *below, int column, sheaf_error *err)
{
	const sheaf_column *from = &below->columns[column];
	sheaf_type type = m->view.schema.fields[2].type;
	bool missing = sheaf_view_may_miss(&m->view.in->schema.fields[column]);
	uint64_t held;
	for (int64_t r = 0; r < below->nrows && (missing || from->type != type); r++) {
		sheaf_canon value;
		if (missing && !sheaf_level_has(&from->levels[0], r)) {
			SHEAF_TRY(lose(m, column, m->view.inner_row + r,
			               SHEAF_FINDING(SHEAF_ERROR, "missing value",
			                             "a number, since the table is to be a matrix", "null",
			                             type < SHEAF_F32 ? "it is 0" : "it is not a number (nan)",
			                             .status = SHEAF_LOSS),
			               err));
			continue;
		}
		sheaf_canon_values(from->type, from->values.data, r, 1, &value);
		if (sheaf_canon_store(type, &value, 1, &held, 0))
			SHEAF_TRY(lose(m, column, m->view.inner_row + r,
			               SHEAF_FINDING(SHEAF_ERROR, "value changed by its element type",
			                             "an integer that a double holds, as the other columns have them",
			                             sheaf_type_name(from->type), "rounded", .status = SHEAF_LOSS),
			               err));
	}
	return SHEAF_OK;
}

/* Adds the number of the first row to the coordinates, which count from 0 in each frame. */
static sheaf_status place(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	const matrix *m = (const matrix *)view;
	const sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	for (int c = 0; c < m->columns; c++) SHEAF_TRY(check_values(m, below, c, err));
	sheaf_view_number(view, &frame->columns[0], frame->nrows);
	return SHEAF_OK;
}

static sheaf_status make_schema(matrix *m, const sheaf_schema *below, sheaf_error *err)
{
	sheaf_field *value;
	/* Without rows no type can be found. */
	sheaf_type type = m->rows ? below->fields[0].type : SHEAF_F64;
	bool truth = m->rows > 0;
	int64_t shape[2] = {m->rows, m->columns};
	for (int f = 0; f < below->nfields; f++) {
		const sheaf_field *field = &below->fields[f];
		if (m->rows == 0) continue;
		if (!is_number(field))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: column \"%s\": expected numbers, since the table is to be a matrix, found "
			                  "%s; take the other columns alone (" SHEAF_OPTION("columns") " NAME,...)",
			                  sheaf_source_name(m->view.source), field->name, sheaf_field_storage(field));
		type = join_types(type, field->type);
		truth &= field->meaning == SHEAF_BOOL && !sheaf_view_may_miss(field);
	}
	SHEAF_TRY(
		sheaf_schema_make_entries(&m->view.schema, m->view.cx, (sheaf_dimensions){2, shape}, &value, err));
	sheaf_field_make_cell(value, truth ? SHEAF_BOOL : SHEAF_NUMBER, type, 1, false);
	m->view.schema.tensor.dense = true;
	return SHEAF_OK;
}

sheaf_status sheaf_view_matrix(sheaf_input *input, sheaf_error *err)
{
	sheaf_row_view *view;
	const sheaf_schema *below = &input->in->schema;
	SHEAF_TRY(sheaf_view_new(input, sizeof(matrix), &view, err));
	matrix *m = (matrix *)view;
	m->rows = view->in->facts.rows;
	m->columns = below->nfields;
	if (m->rows < 0) {
		m->rows = 0;
		SHEAF_TRY(sheaf_view_survey(view, count_rows, m, err));
	}
	SHEAF_TRY(make_schema(m, below, err));
	view->fill = fill;
	view->facts.guess = view->in->facts.guess;
	view->place = place;
	return SHEAF_OK;
}

/* ---- a matrix as a table ---- */

/* Copies sample c of each row into column c. */
static void fill_dense(const sheaf_column *from, int64_t n, sheaf_frame_builder *to)
{
	size_t size = sheaf_type_size(from->type);
	int64_t dim = to->schema->nfields;
	sheaf_run all = {0, n};
	for (int l = 0; l < from->nlevels && n > 0; l++) all = sheaf_level_below(&from->levels[l], all);
	for (int64_t c = 0; c < dim; c++) {
		uint8_t *data = sheaf_builder_extend(&to->columns[c].values, (uint64_t)n * size);
		for (int64_t r = 0; data && r < n; r++)
			memcpy(data + (size_t)r * size, from->values.data + (size_t)(all.begin + r * dim + c) * size,
			       size);
	}
}

/* Copies the entries of each row into their columns, which are 0 elsewhere. */
static void fill_sparse(const sheaf_column *from, int64_t n, sheaf_frame_builder *to)
{
	size_t size = sheaf_type_size(from->type);
	for (int c = 0; c < to->schema->nfields; c++) {
		uint8_t *data = sheaf_builder_extend(&to->columns[c].values, (uint64_t)n * size);
		if (!data && n) return;
		if (n) memset(data, 0, (size_t)n * size);
	}
	for (int64_t r = 0; r < n; r++) {
		sheaf_run entries = sheaf_level_below(&from->levels[1], sheaf_level_below_one(&from->levels[0], r));
		for (int64_t e = entries.begin; e < entries.end; e++)
			memcpy(to->columns[sheaf_level_index(&from->levels[1], 0, e)].values.data + (size_t)r * size,
			       from->values.data + (size_t)e * size, size);
	}
}

/* Over rows of one sample each. */
static sheaf_status fill_cells(const sheaf_row_view *v, const sheaf_frame *below, sheaf_frame_builder *to,
                               sheaf_error *err)
{
	(void)err;
	to->nrows = below->nrows;
	(sheaf_field_is_sparse(&v->in->schema.fields[0]) ? fill_sparse : fill_dense)(&below->columns[0],
	                                                                             below->nrows, to);
	return SHEAF_OK;
}

/* The matrix becomes sequences of one sample first, whatever rows there were, and these become rows of a
 * table. */
sheaf_status sheaf_view_wide(sheaf_input *input, const sheaf_open_options *options, sheaf_error *err)
{
	sheaf_row_view *v;
	const char *file = sheaf_source_name(input->source);
	if (input->in->schema.rows == SHEAF_SEQUENCES) SHEAF_TRY(sheaf_view_ungroup(input, options, err));
	int rank = input->in->schema.tensor.rank;
	if (input->in->schema.rows != SHEAF_ENTRIES || rank > 2)
		return sheaf_fail_option(err, SHEAF_UNSUPPORTED, "matrix",
		                         ": expected a matrix, or a table, found a tensor of %d dimensions in %s",
		                         rank, file);
	SHEAF_TRY(sheaf_view_group(input, options, NULL, err));
	if (sheaf_field_dim(&input->in->schema.fields[0]) > INT_MAX / 8)
		return sheaf_fail(err, SHEAF_LIMIT, "%s: expected fewer columns, since they become those of a table",
		                  file);
	SHEAF_TRY(sheaf_view_new(input, sizeof(sheaf_row_view), &v, err));
	const sheaf_field *from = &v->in->schema.fields[0];
	v->schema.rows = SHEAF_CELLS;
	for (int64_t c = 0; c < sheaf_field_dim(from); c++) {
		sheaf_field *field;
		char name[24];
		int n = snprintf(name, sizeof name, "a%" PRId64, c);
		SHEAF_TRY(sheaf_schema_add(&v->schema, v->cx, name, (size_t)n, &field, err));
		sheaf_field_make_cell(field, SHEAF_NUMBER, from->type, 1, false);
	}
	v->fill = fill_cells;
	v->facts.guess = v->in->facts.guess;
	v->facts.rows = v->in->facts.rows;
	return SHEAF_OK;
}
