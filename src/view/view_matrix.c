/* SPDX-License-Identifier: MIT */
/* Tables of numbers as matrices with the same rows and columns, and matrices as such tables:
 *
 *     a,b                 (0, 0) 1   (0, 1) 2
 *     1,2       <-->      (1, 0) 3   (1, 1) 4
 *     3,4
 *
 * All values of a matrix have one type: the smallest one that holds the types of all columns. A table made of
 * a matrix has columns a0, a1, ...; one that was made a matrix and back keeps its values, but neither its
 * names nor its types. */
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

static bool is_signed(sheaf_type type) { return type >= SHEAF_I8 && type <= SHEAF_I64; }

/* The smallest type that holds the values of both types. Reals hold the integers that they can hold
 * exactly: float32 those of up to 16 bits. Of integers of which only one type is signed, it is the smallest
 * signed type that holds both, or float64 if there is none; float64 does not hold all integers of 64 bits,
 * and check_values reports those that it rounds. */
static sheaf_type join_types(sheaf_type a, sheaf_type b)
{
	sheaf_type low = a < b ? a : b, high = a < b ? b : a;
	bool is_short = low == SHEAF_U8 || low == SHEAF_U16 || low == SHEAF_I8 || low == SHEAF_I16;
	if (low == high) return low;
	if (high >= SHEAF_F32) return high == SHEAF_F32 && is_short ? SHEAF_F32 : SHEAF_F64;
	if (is_signed(a) == is_signed(b)) return high;
	sheaf_type with_sign = is_signed(a) ? a : b, without_sign = is_signed(a) ? b : a;
	if (without_sign == SHEAF_U64) return SHEAF_F64;
	sheaf_type next_signed = (sheaf_type)(SHEAF_I16 + (without_sign - SHEAF_U8));
	return with_sign > next_signed ? with_sign : next_signed;
}

/* ---- a table as a matrix ---- */

/* A table with r rows and c columns as the r * c entries of a dense matrix, row by row. */
typedef struct matrix {
	sheaf_row_view view;
	int columns;
} matrix;

/* Makes the entries of a dense matrix of rows of a table: the coordinates of all positions, whose row
 * numbers count from 0 in the frame until place() adds the number of the first one, and the values, with the
 * columns side by side. A missing value becomes NaN, or 0 in a type without NaN. */
static sheaf_status fill(const sheaf_row_view *v, const sheaf_frame *below, sheaf_frame_builder *to,
                         sheaf_error *err)
{
	const matrix *m = (const matrix *)v;
	sheaf_column_builder *values = &to->columns[2];
	sheaf_type type = values->field->type;
	(void)err;
	to->nrows = below->nrows * m->columns;
	for (int d = 0; d < 2; d++) {
		sheaf_type index_type = to->columns[d].field->type;
		uint8_t *places =
			sheaf_builder_extend(&to->columns[d].values, (uint64_t)to->nrows * sheaf_type_size(index_type));
		int64_t *wide = (int64_t *)(void *)places;
		int32_t *narrow = (int32_t *)(void *)places;
		for (int64_t r = 0, i = 0; places && r < below->nrows; r++)
			for (int c = 0; c < m->columns; c++, i++)
				if (index_type == SHEAF_I64)
					wide[i] = d ? c : r;
				else
					narrow[i] = d ? c : (int32_t)r;
	}
	uint8_t *data = sheaf_builder_extend(&values->values, (uint64_t)to->nrows * sheaf_type_size(type));
	for (int c = 0; data && c < m->columns; c++) {
		const sheaf_column *from = &below->columns[c];
		for (int64_t r = 0; r < below->nrows; r++) {
			sheaf_canon value = {(double)NAN, 0};
			bool has_value = from->nlevels == 0 || sheaf_level_has(&from->levels[0], r);
			if (has_value) sheaf_canon_values(from->type, from->values.data, r, 1, &value);
			sheaf_canon_store(type, &value, 1, data, r * m->columns + c);
		}
	}
	return SHEAF_OK;
}

/* Reports missing values, and values that the common type does not hold, which exist only if columns have
 * different types. */
static sheaf_status check_values(const matrix *m, const sheaf_frame *below, int column, sheaf_error *err)
{
	const sheaf_column *from = &below->columns[column];
	const sheaf_field *field = &m->view.in->schema.fields[column];
	sheaf_type type = m->view.schema.fields[2].type;
	bool missing = sheaf_view_may_miss(field);
	uint64_t held;
	for (int64_t r = 0; r < below->nrows && (missing || from->type != type); r++) {
		sheaf_canon value;
		int64_t row = m->view.inner_row + r;
		if (missing && !sheaf_level_has(&from->levels[0], r)) {
			SHEAF_TRY(sheaf_view_report_cell(
				&m->view, row, field->name,
				SHEAF_FINDING(SHEAF_ERROR, "missing value", "a number, since the table is to be a matrix",
			                  "null", type < SHEAF_F32 ? "it is 0" : "it is not a number (nan)",
			                  .status = SHEAF_LOSS),
				err));
			continue;
		}
		sheaf_canon_values(from->type, from->values.data, r, 1, &value);
		if (sheaf_canon_store(type, &value, 1, &held, 0))
			SHEAF_TRY(sheaf_view_report_cell(
				&m->view, row, field->name,
				SHEAF_FINDING(SHEAF_ERROR, "value changed by its element type",
			                  "an integer that a double holds, as the other columns have them",
			                  sheaf_type_name(from->type), "rounded", .status = SHEAF_LOSS),
				err));
	}
	return SHEAF_OK;
}

/* Reports what the matrix changes, in order, and numbers its rows. */
static sheaf_status place(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	const matrix *m = (const matrix *)view;
	const sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	for (int c = 0; c < m->columns; c++) SHEAF_TRY(check_values(m, below, c, err));
	sheaf_view_number(view, &frame->columns[0], frame->nrows);
	return SHEAF_OK;
}

/* Puts the view on the input that makes a table of numbers a dense matrix. The number of rows is an extent
 * of the matrix, so rows are counted first if it is not known. Without rows no type can be found, and columns
 * may be anything. */
sheaf_status sheaf_view_matrix(sheaf_input *input, sheaf_error *err)
{
	sheaf_row_view *view;
	sheaf_field *value;
	const sheaf_schema *below = &input->in->schema;
	SHEAF_TRY(sheaf_view_new(input, sizeof(matrix), &view, err));
	matrix *m = (matrix *)view;
	m->columns = below->nfields;
	int64_t shape[2] = {0, m->columns};
	SHEAF_TRY(sheaf_view_count_rows(view, &shape[0], err));
	sheaf_type type = shape[0] ? below->fields[0].type : SHEAF_F64;
	bool all_bool = shape[0] > 0; /* all values are true or false */
	for (int f = 0; f < below->nfields && shape[0]; f++) {
		const sheaf_field *field = &below->fields[f];
		bool is_single = field->nlevels == 0 || (field->nlevels == 1 && field->levels[0].kind == SHEAF_FIXED);
		if (!is_single || (field->meaning != SHEAF_NUMBER && field->meaning != SHEAF_COORDINATE &&
		                   field->meaning != SHEAF_BOOL))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: column \"%s\": expected numbers, since the table is to be a matrix, found "
			                  "%s; take the other columns alone (" SHEAF_OPTION("columns") " NAME,...)",
			                  sheaf_source_name(view->source), field->name, sheaf_field_storage(field));
		type = join_types(type, field->type);
		all_bool &= field->meaning == SHEAF_BOOL && !sheaf_view_may_miss(field);
	}
	SHEAF_TRY(sheaf_schema_make_entries(&view->schema, view->cx, (sheaf_dimensions){2, shape}, &value, err));
	sheaf_field_make_cell(value, all_bool ? SHEAF_BOOL : SHEAF_NUMBER, type, 1, false);
	view->schema.tensor.dense = true;
	view->fill = fill;
	view->place = place;
	return SHEAF_OK;
}

/* ---- a matrix as a table ---- */

/* Makes rows of a table from rows with one sample each: element c of the sample is column c. A column is 0
 * where a sparse sample has no entry. */
static sheaf_status fill_cells(const sheaf_row_view *v, const sheaf_frame *below, sheaf_frame_builder *to,
                               sheaf_error *err)
{
	const sheaf_column *from = &below->columns[0];
	size_t size = sheaf_type_size(from->type);
	int64_t dim = v->schema.nfields, n = to->nrows = below->nrows;
	bool sparse = sheaf_field_is_sparse(&v->in->schema.fields[0]);
	(void)err;
	if (n == 0) return SHEAF_OK;
	sheaf_run all =
		sheaf_level_below(&from->levels[1], sheaf_level_below(&from->levels[0], (sheaf_run){0, n}));
	for (int64_t c = 0; c < dim; c++) {
		uint8_t *data = sheaf_builder_extend(&to->columns[c].values, (uint64_t)n * size);
		if (!data) return SHEAF_OK;
		if (sparse) memset(data, 0, (size_t)n * size);
		for (int64_t r = 0; !sparse && r < n; r++)
			memcpy(data + (size_t)r * size, from->values.data + (size_t)(all.begin + r * dim + c) * size,
			       size);
	}
	for (int64_t r = 0; sparse && r < n; r++) {
		sheaf_run entries = sheaf_level_below(&from->levels[1], sheaf_level_below_one(&from->levels[0], r));
		for (int64_t e = entries.begin; e < entries.end; e++)
			memcpy(to->columns[sheaf_level_index(&from->levels[1], 0, e)].values.data + (size_t)r * size,
			       from->values.data + (size_t)e * size, size);
	}
	return SHEAF_OK;
}

/* Puts the views on the input that make a matrix a table with a column for each of its columns. Whatever
 * rows there were become sequences of one sample first, and these become rows of a table. */
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
	v->facts.rows = v->in->facts.rows;
	return SHEAF_OK;
}
