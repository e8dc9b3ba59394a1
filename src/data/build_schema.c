/* SPDX-License-Identifier: MIT */
/* The public calls that make a schema: each first checks whether the request is possible. */
#include "base/checked.h"
#include "data/frame.h"
#include <inttypes.h>
#include <math.h>
#include <sheaf/build.h>
#include <string.h>

/* ---- checks ---- */

static sheaf_status check_schema(const sheaf_schema *schema, bool of_tensor, sheaf_error *err)
{
	if (!schema || !schema->cx)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "schema: expected one that was initialised with {.cx = cx}, found %s",
		                  schema ? "no context in it" : "NULL");
	bool is_tensor = schema->rows == SHEAF_ENTRIES || schema->rows == SHEAF_WHOLE;
	if (of_tensor && schema->nfields)
		return sheaf_fail(err, SHEAF_USAGE, "schema: expected none of the fields before the tensor, found %d",
		                  schema->nfields);
	if (!of_tensor && is_tensor)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "schema: expected sequences or cells, which have fields, found a tensor");
	return SHEAF_OK;
}

static sheaf_status check_name(sheaf_schema *schema, const char *name, sheaf_error *err)
{
	int found;
	SHEAF_TRY(check_schema(schema, false, err));
	if (!name || !*name) return sheaf_fail(err, SHEAF_USAGE, "schema: expected a name, found an empty one");
	SHEAF_TRY(sheaf_schema_look_up(schema, name, &found, err));
	if (found >= 0 && schema->fields[found].meaning != SHEAF_KEY)
		return sheaf_fail(err, SHEAF_USAGE, "schema: expected each name once, found \"%s\" twice", name);
	return SHEAF_OK;
}

static sheaf_status check_type(const char *name, sheaf_type type, sheaf_error *err)
{
	if ((int)type >= 0 && (int)type < SHEAF_TYPES) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "field \"%s\": expected an element type, found number %d", name,
	                  (int)type);
}

static sheaf_status check_meaning(const char *name, sheaf_meaning meaning, sheaf_type type, sheaf_error *err)
{
	static const char *const types[SHEAF_MEANINGS] = {
		[SHEAF_STRING] = "uint8",     [SHEAF_SPELLING] = "uint8", [SHEAF_BYTES] = "uint8",
		[SHEAF_BOOL] = "uint8",       [SHEAF_CHAR] = "uint8",     [SHEAF_DATETIME] = "int64",
		[SHEAF_DATETIMETZ] = "int64", [SHEAF_DURATION] = "int64", [SHEAF_DATE] = "int64",
		[SHEAF_TIME] = "int64"};
	SHEAF_TRY(check_type(name, type, err));
	if ((int)meaning < 0 || (int)meaning >= SHEAF_MEANINGS || meaning == SHEAF_KEY ||
	    meaning == SHEAF_COORDINATE)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "field \"%s\": expected a meaning that a column may be given, found number %d",
		                  name, (int)meaning);
	if (meaning == SHEAF_COMPLEX && type < SHEAF_F32)
		return sheaf_fail(err, SHEAF_USAGE, "field \"%s\": expected float32 or float64 for complex, found %s",
		                  name, sheaf_type_name(type));
	const char *expected = types[meaning];
	if (expected && strcmp(expected, sheaf_type_name(type)) != 0)
		return sheaf_fail(err, SHEAF_USAGE, "field \"%s\": expected %s for what it means, found %s", name,
		                  expected, sheaf_type_name(type));
	return SHEAF_OK;
}

/* ---- streams, keys, columns ---- */

static sheaf_status add_stream(sheaf_schema *schema, const char *name, bool sparse, int64_t dim,
                               sheaf_type type, sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(check_name(schema, name, err));
	SHEAF_TRY(check_type(name, type, err));
	if (schema->rows != SHEAF_SEQUENCES)
		return sheaf_fail(err, SHEAF_USAGE, "stream \"%s\": expected a schema of sequences, found %s", name,
		                  sheaf_row_kind_name(schema->rows));
	if (dim < 1)
		return sheaf_fail(err, SHEAF_USAGE, "stream \"%s\": expected a dim of at least 1, found %" PRId64,
		                  name, dim);
	SHEAF_TRY(sheaf_schema_add(schema, schema->cx, name, strlen(name), &field, err));
	sheaf_field_make_stream(field, sparse, dim, type);
	return SHEAF_OK;
}

sheaf_status sheaf_schema_add_dense(sheaf_schema *schema, const char *name, int64_t dim, sheaf_type type,
                                    sheaf_error *err)
{
	return add_stream(schema, name, false, dim, type, err);
}

sheaf_status sheaf_schema_add_sparse(sheaf_schema *schema, const char *name, int64_t dim, sheaf_type type,
                                     sheaf_error *err)
{
	return add_stream(schema, name, true, dim, type, err);
}

sheaf_status sheaf_schema_add_keys(sheaf_schema *schema, sheaf_error *err)
{
	SHEAF_TRY(check_schema(schema, false, err));
	if (schema->rows != SHEAF_SEQUENCES)
		return sheaf_fail(err, SHEAF_USAGE, "keys: expected a schema of sequences, found %s",
		                  sheaf_row_kind_name(schema->rows));
	if (sheaf_schema_key(schema) >= 0)
		return sheaf_fail(err, SHEAF_USAGE, "keys: expected one column of them, found two");
	return sheaf_schema_add_key(schema, schema->cx, err);
}

/* A column of cells; width -1: lists of items. */
typedef struct cell_shape {
	sheaf_meaning meaning;
	sheaf_type type;
	int64_t width;
	int digits;
} cell_shape;

static sheaf_status add_column(sheaf_schema *schema, const char *name, cell_shape cell, sheaf_missing missing,
                               sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(check_name(schema, name, err));
	SHEAF_TRY(check_meaning(name, cell.meaning, cell.type, err));
	if (missing != SHEAF_NEVER && missing != SHEAF_NULLABLE)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "field \"%s\": expected items that are never missing, or nullable, found number %d",
		                  name, (int)missing);
	SHEAF_TRY(sheaf_schema_add(schema, schema->cx, name, strlen(name), &field, err));
	bool parts = cell.meaning == SHEAF_COMPLEX || cell.meaning == SHEAF_DATETIMETZ;
	sheaf_field_make_cell(field, cell.meaning, cell.type, parts ? 2 : cell.width, missing == SHEAF_NULLABLE);
	field->digits = cell.digits;
	if (schema->rows != SHEAF_SEQUENCES) return SHEAF_OK;
	field->loss = "column"; /* a format that cannot hold it says so */
	field->usual = NAN;
	return SHEAF_OK;
}

sheaf_status sheaf_schema_add_column(sheaf_schema *schema, const char *name, sheaf_meaning meaning,
                                     sheaf_type type, sheaf_missing missing, sheaf_error *err)
{
	return add_column(schema, name, (cell_shape){meaning, type, -1}, missing, err);
}

sheaf_status sheaf_schema_add_times(sheaf_schema *schema, const char *name, sheaf_meaning meaning, int digits,
                                    sheaf_missing missing, sheaf_error *err)
{
	if (!sheaf_means_time(meaning) || !sheaf_means_parts(meaning, digits))
		return sheaf_fail(
			err, SHEAF_USAGE,
			"field \"%s\": expected times with 0, 3, 6 or 9 digits, found meaning number %d with %d",
			name ? name : "", (int)meaning, digits);
	return add_column(schema, name, (cell_shape){meaning, SHEAF_I64, -1, digits}, missing, err);
}

sheaf_status sheaf_schema_add_bytes(sheaf_schema *schema, const char *name, int64_t width,
                                    sheaf_missing missing, sheaf_error *err)
{
	if (width < 1)
		return sheaf_fail(err, SHEAF_USAGE, "field \"%s\": expected a width of at least 1, found %" PRId64,
		                  name ? name : "", width);
	return add_column(schema, name, (cell_shape){SHEAF_BYTES, SHEAF_U8, width}, missing, err);
}

sheaf_status sheaf_schema_add_attribute(sheaf_schema *schema, const char *name, const char *text,
                                        sheaf_error *err)
{
	if (!schema || !schema->cx)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "schema: expected one that was initialised with {.cx = cx}, found %s",
		                  schema ? "no context in it" : "NULL");
	if (!name || !*name || !text)
		return sheaf_fail(err, SHEAF_USAGE, "attribute: expected a name and a text, found none");
	if (sheaf_schema_attribute(schema, name))
		return sheaf_fail(err, SHEAF_USAGE, "attribute: expected each name once, found \"%s\" twice", name);
	return sheaf_schema_put_attribute(schema, schema->cx, name, text, "attribute", err);
}

/* ---- tensors ---- */

static sheaf_status check_order(const sheaf_tensor *tensor, sheaf_error *err)
{
	unsigned seen = 0;
	for (int d = 0; d < tensor->rank; d++) {
		int at = tensor->order[d];
		if (at < 0 || at >= tensor->rank || seen & 1u << at)
			return sheaf_fail(
				err, SHEAF_USAGE,
				"tensor: expected an order of all %d dimensions, found dimension %d in place %d",
				tensor->rank, at, d);
		seen |= 1u << at;
	}
	return SHEAF_OK;
}

static sheaf_status check_tensor(const sheaf_tensor *tensor, sheaf_meaning meaning, sheaf_type type,
                                 sheaf_error *err)
{
	if (!tensor) return sheaf_fail(err, SHEAF_USAGE, "tensor: expected its rank and shape, found NULL");
	if (tensor->rank < 0 || tensor->rank > SHEAF_MAX_RANK)
		return sheaf_fail(err, SHEAF_USAGE, "tensor: expected a rank from 0 to %d, found %d", SHEAF_MAX_RANK,
		                  tensor->rank);
	for (int d = 0; d < tensor->rank; d++)
		if (tensor->shape[d] < 0)
			return sheaf_fail(err, SHEAF_USAGE, "tensor: expected an extent of at least 0, found %" PRId64,
			                  tensor->shape[d]);
	if ((int)tensor->structure < 0 || (int)tensor->structure >= SHEAF_STRUCTURES ||
	    (tensor->structure && (tensor->rank != 2 || tensor->shape[0] != tensor->shape[1])))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "tensor: expected a square matrix, since it has a structure, "
		                  "found another shape");
	if (meaning != SHEAF_NUMBER && meaning != SHEAF_BOOL && meaning != SHEAF_COMPLEX)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"tensor: expected numbers, truth values or complex numbers, found meaning number %d",
			(int)meaning);
	return check_meaning("value", meaning, type, err);
}

/* An order of zeros means by rows. */
static sheaf_tensor with_order(const sheaf_tensor *tensor)
{
	sheaf_tensor out = *tensor;
	bool given = false;
	for (int d = 0; d < out.rank; d++) given |= out.order[d] != 0;
	for (int d = 0; d < out.rank && !given; d++) out.order[d] = d;
	return out;
}

sheaf_status sheaf_schema_add_entries(sheaf_schema *schema, const sheaf_tensor *tensor, sheaf_meaning meaning,
                                      sheaf_type type, sheaf_error *err)
{
	sheaf_field *value;
	SHEAF_TRY(check_schema(schema, true, err));
	SHEAF_TRY(check_tensor(tensor, meaning, type, err));
	sheaf_tensor ordered = with_order(tensor);
	SHEAF_TRY(check_order(&ordered, err));
	sheaf_status status = sheaf_schema_make_entries(
		schema, schema->cx, (sheaf_dimensions){tensor->rank, tensor->shape}, &value, err);
	if (status) {
		while (schema->nfields) sheaf_schema_remove(schema, schema->nfields - 1);
		schema->rows = SHEAF_SEQUENCES;
		return status;
	}
	sheaf_field_make_cell(value, meaning, type, meaning == SHEAF_COMPLEX ? 2 : 1, false);
	schema->tensor = ordered;
	return SHEAF_OK;
}

static sheaf_status check_level(const sheaf_tensor *tensor, const sheaf_level_shape *level, int number,
                                int *depth, sheaf_error *err)
{
	int rank = level->kind == SHEAF_COORD ? level->rank : 1;
	if (level->kind != SHEAF_FIXED && level->kind != SHEAF_COORD)
		return sheaf_fail(err, SHEAF_USAGE, "level %d: expected FIXED or COORD, found kind %d", number,
		                  (int)level->kind);
	if (rank < 1 || rank > tensor->rank - *depth)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "level %d: expected at most the %d dimensions that are left, found %d", number,
		                  tensor->rank - *depth, rank);
	int longest = tensor->order[*depth];
	for (int r = 0; r < rank; r++, ++*depth)
		if (tensor->shape[tensor->order[*depth]] > tensor->shape[longest]) longest = tensor->order[*depth];
	int64_t extent = tensor->shape[longest];
	if (level->extent != extent)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "level %d: expected the extent %" PRId64 " of dimension %d, found %" PRId64, number,
		                  extent, longest, level->extent);
	if (level->kind == SHEAF_COORD && level->index_type != SHEAF_I64 &&
	    (level->index_type != SHEAF_I32 || extent - 1 > INT32_MAX))
		return sheaf_fail(err, SHEAF_USAGE,
		                  "level %d: expected indices of int32 if they fit, or int64, found %s", number,
		                  sheaf_type_name(level->index_type));
	return SHEAF_OK;
}

sheaf_status sheaf_schema_add_levels(sheaf_schema *schema, const sheaf_tensor *tensor,
                                     const sheaf_level_shape *levels, int nlevels, sheaf_meaning meaning,
                                     sheaf_type type, sheaf_error *err)
{
	sheaf_field *field;
	int depth = 0, most = SHEAF_MAX_LEVELS - 1; /* one more for the parts of complex numbers */
	SHEAF_TRY(check_schema(schema, true, err));
	SHEAF_TRY(check_tensor(tensor, meaning, type, err));
	sheaf_tensor ordered = with_order(tensor);
	SHEAF_TRY(check_order(&ordered, err));
	if (nlevels < 0 || nlevels > most || (nlevels && !levels))
		return sheaf_fail(err, SHEAF_USAGE, "tensor: expected 0 to %d levels, found %d", most, nlevels);
	for (int l = 0; l < nlevels; l++) SHEAF_TRY(check_level(&ordered, &levels[l], l, &depth, err));
	if (depth != tensor->rank)
		return sheaf_fail(err, SHEAF_USAGE, "tensor: expected levels of %d dimensions, found %d",
		                  tensor->rank, depth);
	SHEAF_TRY(sheaf_schema_add(schema, schema->cx, "value", 5, &field, err));
	sheaf_status status = sheaf_schema_make_levels(schema, field, nlevels + 1, err);
	if (status) {
		sheaf_schema_remove(schema, schema->nfields - 1);
		return status;
	}
	sheaf_field_make_cell(field, meaning, type, 2, false);
	field->nlevels = 0;
	for (int l = 0; l < nlevels; l++) {
		field->levels[field->nlevels] = levels[l];
		field->levels[field->nlevels].missing = SHEAF_NEVER;
		if (levels[l].kind == SHEAF_FIXED) field->levels[l].rank = 0;
		field->nlevels++;
	}
	if (meaning == SHEAF_COMPLEX)
		field->levels[field->nlevels++] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = 2};
	schema->rows = SHEAF_WHOLE;
	schema->tensor = ordered;
	return SHEAF_OK;
}
