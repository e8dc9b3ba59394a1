/* SPDX-License-Identifier: MIT */
/* The public calls that make a schema: each first checks whether the request is possible, then adds the field
 * as decoders do, and keeps it only if there can be such a one (schema_check.c). A call that fails leaves the
 * schema as it was, so a caller may correct the request and go on. */
#include "base/checked.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <math.h>
#include <sheaf/build.h>
#include <string.h>

/* ---- checks ---- */

static sheaf_status check_made(const sheaf_schema *schema, sheaf_error *err)
{
	if (schema && schema->cx) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "schema: expected one that was initialised with {.cx = cx}, found %s",
	                  schema ? "no context in it" : "NULL");
}

/* USAGE if fields cannot be added: they can to a schema of sequences or cells. */
static sheaf_status check_fields(const sheaf_schema *schema, sheaf_error *err)
{
	SHEAF_TRY(check_made(schema, err));
	if (schema->rows != SHEAF_ENTRIES && schema->rows != SHEAF_WHOLE) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "schema: expected sequences or cells, which have fields, found a tensor");
}

/* USAGE if a field of this name cannot be added, since there is no name, or there is a field of it already.
 */
static sheaf_status check_name(sheaf_schema *schema, const char *name, sheaf_error *err)
{
	int found;
	SHEAF_TRY(check_fields(schema, err));
	if (!name) return sheaf_fail(err, SHEAF_USAGE, "schema: expected a name, found none");
	SHEAF_TRY(sheaf_schema_look_up(schema, name, &found, err));
	if (found >= 0 && schema->fields[found].meaning != SHEAF_KEY)
		return sheaf_fail(err, SHEAF_USAGE, "schema: expected each name once, found \"%s\" twice", name);
	return SHEAF_OK;
}

/* Keeps the field that was added last, if there can be such a one, and removes it otherwise. */
static sheaf_status keep(sheaf_schema *schema, sheaf_error *err)
{
	sheaf_status status = sheaf_field_check(schema, schema->nfields - 1, SHEAF_USAGE, err);
	if (status) sheaf_schema_remove(schema, schema->nfields - 1);
	return status;
}

/* ---- streams, keys, columns ---- */

static sheaf_status add_stream(sheaf_schema *schema, const char *name, bool sparse, int64_t dim,
                               sheaf_type type, sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(check_name(schema, name, err));
	if (schema->rows != SHEAF_SEQUENCES)
		return sheaf_fail(err, SHEAF_USAGE, "stream \"%s\": expected a schema of sequences, found %s", name,
		                  sheaf_row_kind_name(schema->rows));
	if (dim < 1)
		return sheaf_fail(err, SHEAF_USAGE, "stream \"%s\": expected a dim of at least 1, found %" PRId64,
		                  name, dim);
	SHEAF_TRY(sheaf_schema_add(schema, schema->cx, name, strlen(name), &field, err));
	sheaf_field_make_stream(field, sparse, dim, type);
	return keep(schema, err);
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
	SHEAF_TRY(check_fields(schema, err));
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

/* Adds a column of cells: of a table, or beside the streams of sequences, where a format that has no place
 * for it reports its loss. The parts of complex numbers and of zoned times are two, whatever the caller says.
 */
static sheaf_status add_column(sheaf_schema *schema, const char *name, cell_shape cell, sheaf_missing missing,
                               sheaf_error *err)
{
	sheaf_field *field;
	SHEAF_TRY(check_name(schema, name, err));
	if (cell.meaning == SHEAF_KEY || cell.meaning == SHEAF_COORDINATE)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "field \"%s\": expected a meaning that a column may be given, found number %d",
		                  name, (int)cell.meaning);
	if (missing != SHEAF_NEVER && missing != SHEAF_NULLABLE)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "field \"%s\": expected items that are never missing, or nullable, found number %d",
		                  name, (int)missing);
	SHEAF_TRY(sheaf_schema_add(schema, schema->cx, name, strlen(name), &field, err));
	bool parts = cell.meaning == SHEAF_COMPLEX || cell.meaning == SHEAF_DATETIMETZ;
	sheaf_field_make_cell(field, cell.meaning, cell.type, parts ? 2 : cell.width, missing == SHEAF_NULLABLE);
	field->digits = cell.digits;
	SHEAF_TRY(keep(schema, err));
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
	SHEAF_TRY(check_made(schema, err));
	if (!name || !*name || !text)
		return sheaf_fail(err, SHEAF_USAGE, "attribute: expected a name and a text, found none");
	if (sheaf_schema_attribute(schema, name))
		return sheaf_fail(err, SHEAF_USAGE, "attribute: expected each name once, found \"%s\" twice", name);
	return sheaf_schema_put_attribute(schema, schema->cx, name, text, "attribute", err);
}

/* ---- tensors ---- */

/* Checks that a tensor can be that of a schema, which must be empty, and makes *out a copy of it. An order of
 * zeros means that none was given, and becomes the order by rows. */
static sheaf_status begin_tensor(const sheaf_schema *schema, const sheaf_tensor *tensor,
                                 sheaf_meaning meaning, sheaf_tensor *out, sheaf_error *err)
{
	bool given = false;
	SHEAF_TRY(check_made(schema, err));
	if (schema->nfields)
		return sheaf_fail(err, SHEAF_USAGE, "schema: expected none of the fields before the tensor, found %d",
		                  schema->nfields);
	if (!tensor) return sheaf_fail(err, SHEAF_USAGE, "tensor: expected its rank and shape, found NULL");
	*out = *tensor;
	for (int d = 0; d < out->rank && d < SHEAF_MAX_RANK; d++) given |= out->order[d] != 0;
	for (int d = 0; d < out->rank && d < SHEAF_MAX_RANK && !given; d++) out->order[d] = d;
	SHEAF_TRY(sheaf_tensor_check(out, SHEAF_USAGE, err));
	if (meaning != SHEAF_NUMBER && meaning != SHEAF_BOOL && meaning != SHEAF_COMPLEX)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"tensor: expected numbers, truth values or complex numbers, found meaning number %d",
			(int)meaning);
	return SHEAF_OK;
}

/* Keeps a tensor's schema, if there can be such a one; otherwise, or after a failure of the steps before, it
 * is empty again. */
static sheaf_status end_tensor(sheaf_schema *schema, sheaf_status status, sheaf_error *err)
{
	if (!status) status = sheaf_schema_check(schema, SHEAF_USAGE, err);
	if (!status) return SHEAF_OK;
	while (schema->nfields) sheaf_schema_remove(schema, schema->nfields - 1);
	schema->rows = SHEAF_SEQUENCES;
	return status;
}

sheaf_status sheaf_schema_add_entries(sheaf_schema *schema, const sheaf_tensor *tensor, sheaf_meaning meaning,
                                      sheaf_type type, sheaf_error *err)
{
	sheaf_field *value;
	sheaf_tensor ordered;
	SHEAF_TRY(begin_tensor(schema, tensor, meaning, &ordered, err));
	sheaf_status status = sheaf_schema_make_entries(
		schema, schema->cx, (sheaf_dimensions){tensor->rank, tensor->shape}, &value, err);
	if (!status) {
		sheaf_field_make_cell(value, meaning, type, meaning == SHEAF_COMPLEX ? 2 : 1, false);
		schema->tensor = ordered;
	}
	return end_tensor(schema, status, err);
}

/* One level more than the caller's is made room for: the two parts of complex numbers. */
sheaf_status sheaf_schema_add_levels(sheaf_schema *schema, const sheaf_tensor *tensor,
                                     const sheaf_level_shape *levels, int nlevels, sheaf_meaning meaning,
                                     sheaf_type type, sheaf_error *err)
{
	sheaf_field *field;
	sheaf_tensor ordered;
	int most = SHEAF_MAX_LEVELS - 1; /* one more for the parts of complex numbers */
	SHEAF_TRY(begin_tensor(schema, tensor, meaning, &ordered, err));
	if (nlevels < 0 || nlevels > most || (nlevels && !levels))
		return sheaf_fail(err, SHEAF_USAGE, "tensor: expected 0 to %d levels, found %d", most, nlevels);
	SHEAF_TRY(sheaf_schema_add(schema, schema->cx, "value", 5, &field, err));
	schema->rows = SHEAF_WHOLE;
	schema->tensor = ordered;
	sheaf_status status = sheaf_schema_make_levels(schema, field, nlevels + 1, err);
	if (status) return end_tensor(schema, status, err);
	sheaf_field_make_cell(field, meaning, type, 2, false);
	field->nlevels = nlevels;
	for (int l = 0; l < nlevels; l++) {
		field->levels[l] = levels[l];
		field->levels[l].missing = SHEAF_NEVER;
		if (levels[l].kind == SHEAF_FIXED) field->levels[l].rank = 0;
	}
	if (meaning == SHEAF_COMPLEX)
		field->levels[field->nlevels++] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = 2};
	return end_tensor(schema, SHEAF_OK, err);
}
