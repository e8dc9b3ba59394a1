/* SPDX-License-Identifier: MIT */
/* What rows an array consists of, and what items rows become. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/numpy/array.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static sheaf_type type_of(const sheaf_part *part)
{
	bool wide = part->size > 4;
	if (part->kind == 'f') return wide ? SHEAF_F64 : SHEAF_F32;
	if (part->kind == 'c') return part->size == 16 ? SHEAF_F64 : SHEAF_F32;
	int power = part->size == 1 ? 0 : part->size == 2 ? 1 : part->size == 4 ? 2 : 3;
	return (sheaf_type)((part->kind == 'i' ? SHEAF_I8 : SHEAF_U8) + power);
}

static bool is_number(const sheaf_part *part)
{
	return part->kind == 'i' || part->kind == 'u' || part->kind == 'f';
}

static sheaf_meaning time_of(const sheaf_part *part)
{
	return part->kind == 'm' ? SHEAF_DURATION
	       : part->zoned     ? SHEAF_DATETIMETZ
	       : part->days      ? SHEAF_DATE
	                         : SHEAF_DATETIME;
}

static void make_cell(const sheaf_part *part, sheaf_field *field)
{
	bool nullable = part->nullable || part->absent;
	switch (part->kind) {
	case 'b': sheaf_field_make_cell(field, SHEAF_BOOL, SHEAF_U8, 1, nullable); return;
	case 'c': sheaf_field_make_cell(field, SHEAF_COMPLEX, type_of(part), 2, nullable); return;
	case 'M':
	case 'm':
		sheaf_field_make_cell(field, time_of(part), SHEAF_I64, part->zoned ? 2 : 1, nullable);
		field->digits = part->digits;
		return;
	case 'S':
	case 'U':
		if (part->kind == 'S' && part->size == 1)
			sheaf_field_make_cell(field, SHEAF_CHAR, SHEAF_U8, 1, nullable);
		else
			sheaf_field_make_cell(field, SHEAF_STRING, SHEAF_U8, -1, nullable);
		return;
	case 'V': sheaf_field_make_cell(field, SHEAF_BYTES, SHEAF_U8, part->size, nullable); return;
	default: sheaf_field_make_cell(field, SHEAF_NUMBER, type_of(part), 1, nullable); break;
	}
}

sheaf_status sheaf_array_value_field(const sheaf_array *a, sheaf_field *field, sheaf_error *err)
{
	const sheaf_part *part = &a->dtype.parts[0];
	if (!a->dtype.structured && (is_number(part) || part->kind == 'b' || part->kind == 'c')) {
		make_cell(part, field);
		return SHEAF_OK;
	}
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: expected numbers or truth values, found items of another type", a->holding.name);
}

static sheaf_status make_cells(const sheaf_array *a, sheaf_schema *out, sheaf_error *err)
{
	if (a->rank != 1)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected a table of one dimension, found %d",
		                  a->holding.name, a->rank);
	out->rows = SHEAF_CELLS;
	for (int p = 0; p < a->dtype.nparts; p++) {
		sheaf_field *field;
		const sheaf_part *part = &a->dtype.parts[p];
		SHEAF_TRY(sheaf_schema_add(out, a->cx, part->name, strlen(part->name), &field, err));
		make_cell(part, field);
		memcpy(field->spelled, part->spelled, sizeof field->spelled);
	}
	return SHEAF_OK;
}

static sheaf_status make_entries(const sheaf_array *a, sheaf_schema *out, sheaf_error *err)
{
	sheaf_field *value;
	SHEAF_TRY(sheaf_schema_make_entries(out, a->cx, (sheaf_dimensions){a->rank, a->shape}, &value, err));
	make_cell(&a->dtype.parts[0], value);
	out->tensor.dense = true;
	for (int d = 0; d < a->rank && a->fortran; d++) out->tensor.order[d] = a->rank - 1 - d;
	return SHEAF_OK;
}

/* One row, whose levels are the dimensions in the order of the file. */
static sheaf_status make_whole(const sheaf_array *a, sheaf_schema *out, sheaf_error *err)
{
	sheaf_level_shape levels[SHEAF_MAX_RANK] = {0};
	sheaf_schema entries = {.cx = a->cx};
	sheaf_status status = make_entries(a, &entries, err);
	for (int d = 0; d < a->rank; d++)
		levels[d] = (sheaf_level_shape){.kind = SHEAF_FIXED, .extent = a->shape[entries.tensor.order[d]]};
	const sheaf_field *value = status ? NULL : &entries.fields[a->rank];
	if (value)
		status =
			sheaf_schema_add_levels(out, &entries.tensor, levels, a->rank, value->meaning, value->type, err);
	sheaf_schema_free(&entries);
	return status;
}

/* Each row is a sequence of one dense sample. */
static sheaf_status make_sequences(const sheaf_array *a, const char *name, sheaf_schema *out,
                                   sheaf_error *err)
{
	sheaf_field *field;
	out->rows = SHEAF_SEQUENCES;
	SHEAF_TRY(sheaf_schema_add(out, a->cx, name, strlen(name), &field, err));
	sheaf_field_make_stream(field, false, a->shape[1], type_of(&a->dtype.parts[0]));
	return SHEAF_OK;
}

sheaf_status sheaf_array_schema(sheaf_array *a, unsigned rows, const char *name, sheaf_schema *out,
                                sheaf_error *err)
{
	const sheaf_part *part = &a->dtype.parts[0];
	bool number = !a->dtype.structured && is_number(part),
		 item = number || part->kind == 'b' || part->kind == 'c';
	bool tensor = !a->dtype.structured && item, wanted = rows == 0 || (rows & SHEAF_TAKES_ENTRIES);
	*out = (sheaf_schema){.cx = a->cx};
	SHEAF_TRY(sheaf_array_look_for_absent(a, err));
	sheaf_status status;
	if (tensor && rows == SHEAF_TAKES_WHOLE)
		status = make_whole(a, out, err);
	else if (!tensor || (!wanted && a->rank == 1 && (rows & SHEAF_TAKES_CELLS)))
		status = make_cells(a, out, err);
	else if (!wanted && number && a->rank == 2 && !a->fortran && a->shape[1] > 0 &&
	         (rows & SHEAF_TAKES_SEQUENCES))
		status = make_sequences(a, name, out, err);
	else
		status = make_entries(a, out, err);
	if (status) sheaf_schema_free(out);
	return status;
}

/* ---- writing ---- */

static bool is_by_columns(const sheaf_tensor *t)
{
	for (int d = 0; d < t->rank; d++)
		if (t->order[d] != t->rank - 1 - d) return false;
	return t->rank > 1;
}

void sheaf_array_order(sheaf_tensor *t)
{
	bool turned = t->dense && is_by_columns(t);
	for (int d = 0; d < t->rank; d++) t->order[d] = turned ? t->rank - 1 - d : d;
	t->sorted = t->unique = true;
}

sheaf_array_head sheaf_array_head_of(const sheaf_tensor *t, const sheaf_dtype *dtype)
{
	return (sheaf_array_head){dtype, t->rank, t->shape, is_by_columns(t)};
}

static sheaf_status refuse(const sheaf_field *field, const char *expected, const char *found,
                           sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_UNSUPPORTED, "column \"%s\": expected %s, found %s", field->name, expected,
	                  found);
}

/* Texts keep the form that they had in their file. */
static bool take_spelling(sheaf_part *part, const sheaf_field *field)
{
	bool wide = field->spelled[0] == 'U';
	if (!wide && field->spelled[0] != 'S') return false;
	long long size = strtoll(field->spelled + 1, NULL, 10);
	if (size < 1 || size > INT32_MAX / 4) return false;
	part->kind = field->spelled[0];
	part->size = size * (wide ? 4 : 1);
	return part->kind == 'U' || part->size > 1; /* a single byte is a char */
}

static sheaf_status set_type(sheaf_part *part, const sheaf_field *field, int64_t string_bytes,
                             sheaf_error *err)
{
	bool real = field->type >= SHEAF_F32, list = field->nlevels > 0 && field->levels[0].kind == SHEAF_LIST;
	part->size = (int64_t)sheaf_type_size(field->type);
	part->digits = field->digits;
	switch (field->meaning) {
	case SHEAF_BOOL: part->kind = 'b'; break;
	case SHEAF_CHAR: part->kind = 'S'; break;
	case SHEAF_DATETIME: part->kind = 'M'; break;
	case SHEAF_DATETIMETZ: part->kind = 'M', part->zoned = true, part->size = 16; break;
	case SHEAF_DATE: part->kind = 'M', part->days = true; break;
	case SHEAF_TIME:
	case SHEAF_DURATION: part->kind = 'm'; break;
	case SHEAF_COMPLEX: part->kind = 'c', part->size *= 2; break;
	case SHEAF_STRING:
	case SHEAF_BYTES:
		if (field->meaning == SHEAF_STRING && list && string_bytes == 0 && take_spelling(part, field)) break;
		part->kind = field->meaning == SHEAF_STRING ? 'S' : 'V';
		part->size = list ? string_bytes : field->levels[0].extent;
		if (part->kind == 'V' && list)
			return refuse(field, "byte strings of a fixed length", "ones of any length", err);
		if (part->size < 2 && list)
			return refuse(field,
			              "a fixed length in bytes for texts (" SHEAF_OPTION("string-bytes") ", at least 2)",
			              "none", err);
		if (part->size > INT32_MAX) return refuse(field, "texts of less than 2^31 bytes", "longer ones", err);
		break;
	case SHEAF_NUMBER: part->kind = (char)(real ? 'f' : field->type >= SHEAF_I8 ? 'i' : 'u'); break;
	default: return refuse(field, "an item that NumPy can hold", "another shape", err);
	}
	return SHEAF_OK;
}

static sheaf_status add_field(const sheaf_field *field, int64_t string_bytes, sheaf_dtype *out,
                              sheaf_error *err)
{
	sheaf_part *part = &out->parts[out->nparts++];
	bool run = sheaf_means_run(field->meaning);
	*part = (sheaf_part){.scale = 1};
	if (strlen(field->name) >= sizeof part->name || !field->name[0])
		return refuse(field, "a name of 1 to 255 bytes", "another", err);
	if (field->nlevels > 1 || (field->nlevels == 1 && !run &&
	                           (field->levels[0].kind != SHEAF_FIXED || field->levels[0].extent != 1)))
		return refuse(field, "one item in each row", "another shape", err);
	snprintf(part->name, sizeof part->name, "%s", field->name);
	part->nullable = field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
	SHEAF_TRY(set_type(part, field, string_bytes, err));
	memcpy(part->spelled, field->spelled, sizeof part->spelled);
	/* A missing value may be NaT, if it was in its file. */
	part->absent = part->nullable && !part->zoned && (part->kind == 'M' || part->kind == 'm') &&
	               field->spelled[0] == part->kind;
	if (part->absent) part->nullable = false;
	if (part->nullable) part->null_at = out->size++;
	part->at = out->size;
	out->size += part->size;
	return out->size <= INT32_MAX ? SHEAF_OK
	                              : refuse(field, "items of less than 2^31 bytes", "larger ones", err);
}

static sheaf_status set_stream(const sheaf_field *field, sheaf_dtype *out)
{
	sheaf_part *part = &out->parts[out->nparts++];
	*part = (sheaf_part){.scale = 1, .size = (int64_t)sheaf_type_size(field->type)};
	part->kind = (char)(field->type >= SHEAF_F32 ? 'f' : field->type >= SHEAF_I8 ? 'i' : 'u');
	out->size = part->size;
	return SHEAF_OK;
}

/* A table of one column as an array without fields is read. Numbers of such an array would be a tensor. */
static bool is_plain(const sheaf_dtype *dtype)
{
	const sheaf_part *part = dtype->parts;
	return dtype->nparts == 1 && strcmp(part->name, SHEAF_ITEM) == 0 && strchr("SUMmV", part->kind) &&
	       !part->nullable && !part->zoned && part->spelled[0] != '(';
}

sheaf_status sheaf_array_dtype(const sheaf_schema *schema, int64_t string_bytes, sheaf_context *cx,
                               sheaf_dtype *out, sheaf_error *err)
{
	*out = (sheaf_dtype){.structured = schema->rows == SHEAF_CELLS};
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)schema->nfields + 1, sizeof *out->parts, &out->parts, err));
	out->room = schema->nfields + 1;
	sheaf_status status = SHEAF_OK;
	if (schema->rows == SHEAF_SEQUENCES) status = set_stream(&schema->fields[0], out);
	if (schema->rows == SHEAF_ENTRIES)
		status = add_field(&schema->fields[sheaf_schema_value(schema)], 0, out, err);
	for (int f = 0; f < schema->nfields && out->structured && status == SHEAF_OK; f++)
		status = add_field(&schema->fields[f], string_bytes, out, err);
	if (status == SHEAF_OK && out->structured) out->structured = !is_plain(out);
	else if (status == SHEAF_OK && out->parts[0].nullable)
		status =
			refuse(&schema->fields[sheaf_schema_value(schema)], "values", "some that may be missing", err);
	if (status) sheaf_dtype_free(out, cx);
	return status;
}
