/* SPDX-License-Identifier: MIT */
/* Rows of a table as entries of a tensor: the columns that the user names are coordinates, another one is the
 * value. If no shape is given, all rows are looked at first, which also shows whether they are in order:
 *
 *     row,col,x
 *     0,0,1.5        -->      (0, 0) 1.5   (2, 1) 2.5      shape 3 x 2
 *     2,1,2.5
 *
 * Coordinates count from 0. They are checked in both passes, since the second one may read other bytes. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "base/status.h"
#include "frame/element.h"
#include "frame/frame.h"
#include "frame/value.h"
#include "io/source.h"
#include "view/view.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct coordinates {
	sheaf_row_view view;
	int rank;
	int columns[SHEAF_MAX_RANK]; /* of the table: the coordinates, */
	int value;                   /* and the value, */
	bool nullable;               /* which may be missing */
	bool shaped;                 /* the shape was given; otherwise it is what the coordinates need */
	int64_t shape[SHEAF_MAX_RANK];
	/* While all rows are looked at: */
	int64_t rows, missing;        /* rows so far, and rows without a value */
	int64_t last[SHEAF_MAX_RANK]; /* coordinates of the last row */
	bool sorted;                  /* each row has come after the row before */
} coordinates;

static const char *file_of(const coordinates *v) { return sheaf_source_name(v->view.source); }

/* ---- coordinates of a row ---- */

/* The coordinate in a row; -1 or another negative number if it is none: missing, negative, or beyond what
 * 64 bits count. */
static int64_t coordinate_at(const sheaf_column *column, int64_t row)
{
	sheaf_canon c;
	int64_t v;
	if (column->nlevels && !sheaf_level_has(&column->levels[0], row)) return -1;
	sheaf_canon_values(column->type, column->values.data, row, 1, &c);
	sheaf_canon_store(SHEAF_I64, &c, 1, &v, 0);
	return v == INT64_MAX ? -1 : v;
}

/* Fails because the row has no valid coordinate in dimension d; the message names the line, if the format
 * knows lines. */
static sheaf_status refuse_coordinate(const coordinates *v, const sheaf_frame *below, int64_t row, int d,
                                      sheaf_error *err)
{
	const sheaf_column *column = &below->columns[v->columns[d]];
	const int64_t *lines = (const int64_t *)(const void *)below->lines.data;
	const char *name = v->view.in->schema.fields[v->columns[d]].name;
	char expected[64] = "of at least 0", line[40] = "";
	if (v->shaped) snprintf(expected, sizeof expected, "from 0 to %" PRId64, v->shape[d] - 1);
	if (below->lines.size) snprintf(line, sizeof line, ":%" PRId64, lines[row]);
	if (column->nlevels && !sheaf_level_has(&column->levels[0], row))
		return sheaf_fail(err, SHEAF_DATA, "%s%s: column \"%s\": expected a coordinate, found null",
		                  file_of(v), line, name);
	return sheaf_fail(err, SHEAF_DATA, "%s%s: column \"%s\": expected a coordinate %s, found %" PRId64,
	                  file_of(v), line, name, expected, coordinate_at(column, row));
}

/* ---- looking at all rows ---- */

/* Whether a row has a value. */
static bool is_there(const coordinates *v, const sheaf_frame *below, int64_t row)
{
	return !v->nullable || sheaf_level_has(&below->columns[v->value].levels[0], row);
}

/* Looks at rows in order, during the first pass: checks their coordinates, finds the shape, if it was not
 * given, and whether each row comes after the one before. */
static sheaf_status see(void *user, const sheaf_frame *below, sheaf_error *err)
{
	coordinates *v = (coordinates *)user;
	for (int64_t row = 0; row < below->nrows; row++) {
		int order = 0; /* of the row and the one before: the first coordinate that differs decides */
		for (int d = 0; d < v->rank; d++) {
			int64_t c = coordinate_at(&below->columns[v->columns[d]], row);
			if (c < 0 || (v->shaped && c >= v->shape[d])) return refuse_coordinate(v, below, row, d, err);
			if (!v->shaped && c >= v->shape[d]) v->shape[d] = c + 1;
			if (order == 0) order = (c > v->last[d]) - (c < v->last[d]);
			v->last[d] = c;
		}
		if (v->rows > 0 && order <= 0) v->sorted = false;
		v->rows++;
		v->missing += !is_there(v, below, row);
	}
	return SHEAF_OK;
}

/* ---- entries ---- */

/* Makes entries of rows: the coordinates as indices, and the values, which stay where they are unless some
 * are missing. Rows without a value are no entries. Coordinates are checked again, since the file may have
 * changed since the first pass. */
static sheaf_status fill(const sheaf_row_view *view, const sheaf_frame *below, sheaf_frame_builder *to,
                         sheaf_error *err)
{
	const coordinates *v = (const coordinates *)view;
	for (int d = 0; d < v->rank; d++) {
		sheaf_column_builder *column = &to->columns[d];
		for (int64_t r = 0; r < below->nrows && !column->values.failed; r++) {
			int64_t c = coordinate_at(&below->columns[v->columns[d]], r);
			if (c < 0 || c >= v->shape[d]) return refuse_coordinate(v, below, r, d, err);
			if (is_there(v, below, r)) sheaf_put_index(&column->values, column->field->type, c);
		}
	}
	const sheaf_column *from = &below->columns[v->value];
	sheaf_builder *values = &to->columns[v->rank].values;
	size_t size = sheaf_type_size(from->type);
	to->nrows = below->nrows;
	if (!v->nullable) {
		sheaf_buffer shared_values = sheaf_buffer_ref(&from->values);
		sheaf_builder_hold(values, &shared_values);
		return SHEAF_OK;
	}
	for (int64_t r = 0; r < below->nrows; r++) {
		if (is_there(v, below, r))
			sheaf_builder_append(values, from->values.data + (size_t)r * size, size);
		else
			to->nrows--;
	}
	return SHEAF_OK;
}

/* Missing values are reported here, in order, since the numbers of rows are known now. */
static sheaf_status place(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	const coordinates *v = (const coordinates *)view;
	const sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	for (int64_t r = 0; v->nullable && r < below->nrows; r++) {
		if (is_there(v, below, r)) continue;
		sheaf_problem problem = {SHEAF_ERROR,
		                         SHEAF_LOSS,
		                         "missing value",
		                         SHEAF_NOWHERE,
		                         "a value, since rows are to be entries of a tensor",
		                         "null",
		                         "the entry is left out"};
		problem.place.file = file_of(v);
		problem.place.row = view->inner_row + r;
		problem.place.stream = view->in->schema.fields[v->value].name;
		SHEAF_TRY(sheaf_report(view->cx, &problem, err));
	}
	return SHEAF_OK;
}

/* ---- opening ---- */

/* Finds a column by the first n bytes of `name`; *out is its number below. */
static sheaf_status find_column(const coordinates *v, const char *name, size_t n, int *out, sheaf_error *err)
{
	const sheaf_schema *below = &v->view.in->schema;
	for (int f = 0; f < below->nfields; f++) {
		*out = f;
		if (strlen(below->fields[f].name) == n && memcmp(below->fields[f].name, name, n) == 0)
			return SHEAF_OK;
	}
	char wanted[64];
	snprintf(wanted, sizeof wanted, "%.*s", (int)n, name);
	sheaf_status status =
		sheaf_fail(err, SHEAF_USAGE, "%s: expected a column \"%.*s\", found none of that name", file_of(v),
	               (int)n, name);
	sheaf_error_append_near(err, sheaf_schema_nearest(below, false, wanted));
	return status;
}

/* Reads the list of names "a,b" of the columns that are coordinates: v->columns and v->rank. Each is a
 * column of integers, and named once. */
static sheaf_status read_coordinates(coordinates *v, const char *text, sheaf_error *err)
{
	const sheaf_schema *below = &v->view.in->schema;
	for (const char *name = text; *name || v->rank == 0; v->rank++) {
		size_t name_size = strcspn(name, ",");
		if (v->rank == SHEAF_MAX_RANK)
			return sheaf_fail_option(err, SHEAF_USAGE, "coordinates",
			                         ": expected at most %d columns, found more", SHEAF_MAX_RANK);
		SHEAF_TRY(find_column(v, name, name_size, &v->columns[v->rank], err));
		const sheaf_field *field = &below->fields[v->columns[v->rank]];
		bool plain = field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_COORDINATE;
		for (int d = 0; d < v->rank; d++)
			if (v->columns[d] == v->columns[v->rank])
				return sheaf_fail_option(err, SHEAF_USAGE, "coordinates",
				                         ": expected each column once, found \"%s\" twice", field->name);
		if (!plain || field->type >= SHEAF_F32)
			return sheaf_fail(
				err, SHEAF_UNSUPPORTED,
				"%s: column \"%s\": expected integers, since they are to be coordinates, found %s",
				file_of(v), field->name,
				field->meaning == SHEAF_NUMBER ? sheaf_type_name(field->type) : sheaf_field_storage(field));
		name += name_size + (name[name_size] == ',');
	}
	return SHEAF_OK;
}

static bool is_coordinate(const coordinates *v, int f)
{
	for (int d = 0; d < v->rank; d++)
		if (v->columns[d] == f) return true;
	return false;
}

/* Finds the column that has the values: the one that is named, or, without a name (NULL), the only one that
 * is no coordinate. */
static sheaf_status find_value(coordinates *v, const char *name, sheaf_error *err)
{
	const sheaf_schema *below = &v->view.in->schema;
	int others = 0;
	v->value = -1;
	if (name) {
		SHEAF_TRY(find_column(v, name, strlen(name), &v->value, err));
		if (!is_coordinate(v, v->value)) return SHEAF_OK;
		return sheaf_fail_option(err, SHEAF_USAGE, "value",
		                         ": expected a column that is no coordinate, found \"%s\"", name);
	}
	for (int f = 0; f < below->nfields; f++) {
		if (is_coordinate(v, f)) continue;
		v->value = f;
		others++;
	}
	if (others == 1) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected one column besides the coordinates, found %d; say which one is the value "
	                  "(" SHEAF_OPTION("value") " NAME)",
	                  file_of(v), others);
}

/* Makes the schema of entries. Fields have the names of their columns, so that a table made of the entries
 * has them again. Without the first pass nothing is known of the order. */
static sheaf_status make_schema(coordinates *v, sheaf_error *err)
{
	const sheaf_schema *below = &v->view.in->schema;
	const char *names[SHEAF_MAX_RANK];
	sheaf_field *value;
	const sheaf_field *from = &below->fields[v->value];
	sheaf_schema *schema = &v->view.schema;
	for (int d = 0; d < v->rank; d++) names[d] = below->fields[v->columns[d]].name;
	SHEAF_TRY(sheaf_schema_make_entries(schema, v->view.cx, (sheaf_dimensions){v->rank, v->shape, names},
	                                    &value, err));
	sheaf_schema_remove(schema, sheaf_schema_value(schema));
	SHEAF_TRY(sheaf_schema_add(schema, v->view.cx, from->name, strlen(from->name), &value, err));
	sheaf_field_make_cell(value, from->meaning == SHEAF_COORDINATE ? SHEAF_NUMBER : from->meaning, from->type,
	                      from->meaning == SHEAF_COMPLEX ? 2 : 1, false);
	schema->tensor.sorted = schema->tensor.unique = v->sorted && !v->shaped;
	return SHEAF_OK;
}

/* Puts the view on the input that makes a table's rows entries of a tensor. Without a shape all rows are
 * read first, which also shows whether they are in order. With one, the value may be missing in rows that
 * nobody has looked at, so that the number of entries is not known. */
sheaf_status sheaf_view_coordinates(sheaf_input *input, const sheaf_tensor_options *tensor, sheaf_error *err)
{
	sheaf_row_view *view;
	SHEAF_TRY(sheaf_view_new(input, sizeof(coordinates), &view, err));
	coordinates *v = (coordinates *)view;
	v->sorted = true;
	SHEAF_TRY(read_coordinates(v, tensor->coordinates, err));
	int extents = 0; /* of a shape like "10,20" */
	v->shaped = tensor->shape != NULL;
	const char *extent_text = v->shaped ? tensor->shape : "";
	for (char *digits_end; extents < v->rank && *extent_text >= '0' && *extent_text <= '9';
	     extent_text = *digits_end == ',' ? digits_end + 1 : digits_end)
		v->shape[extents++] = strtoll(extent_text, &digits_end, 10);
	if (v->shaped && (extents < v->rank || *extent_text))
		return sheaf_fail_option(err, SHEAF_USAGE, "shape",
		                         ": expected %d extents, separated by commas, found \"%s\"", v->rank,
		                         tensor->shape);
	SHEAF_TRY(find_value(v, tensor->value, err));
	sheaf_element element;
	sheaf_field field = view->in->schema.fields[v->value];
	/* Judge the value's type as if no value were missing: rows without one are left out. */
	v->nullable = sheaf_view_may_miss(&field);
	if (v->nullable) field.nlevels = field.meaning == SHEAF_COMPLEX ? 2 : 0;
	if (field.meaning == SHEAF_COORDINATE) field.meaning = SHEAF_NUMBER;
	if (!sheaf_element_of(&field, &element))
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s: column \"%s\": expected numbers, since they are to be the values of a tensor, found %s%s",
			file_of(v), field.name, sheaf_field_storage(&field), v->nullable ? " that may be missing" : "");
	if (!v->shaped) SHEAF_TRY(sheaf_view_survey(view, see, v, err));
	SHEAF_TRY(make_schema(v, err));
	view->fill = fill;
	view->facts.rows = v->nullable ? -1 : view->in->facts.rows;
	if (!v->shaped) view->facts.rows = v->rows - v->missing;
	view->place = place;
	return SHEAF_OK;
}
