/* SPDX-License-Identifier: MIT */
/* What rows an array consists of, and what items rows become.
 *
 *   items                                 rows
 *   numbers, truth values, complex ones   the entries of a dense tensor, in the order of the file; or one row
 *                                         that is the whole tensor; or sequences of one dense sample; or, of
 *                                         one dimension, a table of a single column: as the caller asks
 *   anything else, of one dimension       a table, with a column for each part of the items
 *
 * The other way, entries and sequences become items of one number, and a table becomes structured items,
 * unless its only column is one that an array without fields would have been read as. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/numpy/array.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* A float of two bytes becomes one of four, as columns have none of two. */
static sheaf_type type_of(const sheaf_part *part)
{
	if (part->kind == 'f') return part->size > 4 ? SHEAF_F64 : SHEAF_F32;
	if (part->kind == 'c') return part->size == 16 ? SHEAF_F64 : SHEAF_F32;
	int power = part->size == 1 ? 0 : part->size == 2 ? 1 : part->size == 4 ? 2 : 3;
	return (sheaf_type)((part->kind == 'i' ? SHEAF_I8 : SHEAF_U8) + power);
}

static bool is_number(const sheaf_array *a)
{
	const sheaf_part *part = &a->dtype.parts[0];
	return !a->dtype.structured && (part->kind == 'i' || part->kind == 'u' || part->kind == 'f');
}

/* Whether the items can be the values of a tensor: numbers, truth values and complex numbers. */
static bool is_value(const sheaf_array *a)
{
	const sheaf_part *part = &a->dtype.parts[0];
	return is_number(a) || (!a->dtype.structured && (part->kind == 'b' || part->kind == 'c'));
}

/* Makes the column for a part of an item. A single byte of text is a character; longer texts end at their
 * padding, so that their lengths differ. A time with a zone takes two numbers, and so does a complex one. */
static void make_cell(const sheaf_part *part, sheaf_field *field)
{
	bool nullable = part->nullable || part->absent;
	sheaf_meaning time = part->kind == 'm' ? SHEAF_DURATION
	                     : part->zoned     ? SHEAF_DATETIMETZ
	                     : part->days      ? SHEAF_DATE
	                                       : SHEAF_DATETIME;
	switch (part->kind) {
	case 'b': sheaf_field_make_cell(field, SHEAF_BOOL, SHEAF_U8, 1, nullable); return;
	case 'c': sheaf_field_make_cell(field, SHEAF_COMPLEX, type_of(part), 2, nullable); return;
	case 'M':
	case 'm':
		sheaf_field_make_cell(field, time, SHEAF_I64, part->zoned ? 2 : 1, nullable);
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
	if (!is_value(a))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected numbers or truth values, found items of another type",
		                  a->holding.name);
	make_cell(&a->dtype.parts[0], field);
	return SHEAF_OK;
}

/* Makes the schema of a table with a column for each part; only an array of one dimension can be one. */
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

/* Makes the schema of one row that is the whole array, whose levels are the dimensions in the order of
 * the file. */
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

/* Chooses what the rows of an array are, among the kinds that the caller takes (bits in `rows`; 0: any).
 * Entries are the first choice, as they hold an array of any rank and order. A caller that takes none
 * gets a column, or sequences of samples, each row of a matrix by rows being one dense sample; and
 * entries if the array is neither, for which the caller then refuses the file. */
sheaf_status sheaf_array_schema(sheaf_array *a, unsigned rows, const char *name, sheaf_schema *out,
                                sheaf_error *err)
{
	bool is_tensor = is_value(a), takes_entries = rows == 0 || (rows & SHEAF_TAKES_ENTRIES);
	*out = (sheaf_schema){.cx = a->cx};
	SHEAF_TRY(sheaf_array_look_for_absent(a, err));
	sheaf_status status;
	if (is_tensor && rows == SHEAF_TAKES_WHOLE) {
		status = make_whole(a, out, err);
	} else if (!is_tensor || (!takes_entries && a->rank == 1 && (rows & SHEAF_TAKES_CELLS))) {
		status = make_cells(a, out, err);
	} else if (!takes_entries && is_number(a) && a->rank == 2 && !a->fortran && a->shape[1] > 0 &&
	           (rows & SHEAF_TAKES_SEQUENCES)) {
		sheaf_field *field;
		out->rows = SHEAF_SEQUENCES;
		status = sheaf_schema_add(out, a->cx, name, strlen(name), &field, err);
		if (!status) sheaf_field_make_stream(field, false, a->shape[1], type_of(&a->dtype.parts[0]));
	} else {
		status = make_entries(a, out, err);
	}
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

/* Sets the order in which a tensor is written. A header can state two: "fortran_order" is the one by
 * columns, which a dense tensor keeps; any other becomes the one by rows. */
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

/* Takes kind and size of a text's part from the form that it had in its file, false if there is none that
 * fits: "U7" is seven characters of four bytes, "S12" twelve bytes. A single byte would be read back as a
 * character. The spelling may come from any file, so it is checked. */
static bool take_spelling(sheaf_part *part, const sheaf_field *field)
{
	bool wide = field->spelled[0] == 'U';
	if (!wide && field->spelled[0] != 'S') return false;
	long long size = strtoll(field->spelled + 1, NULL, 10);
	if (size < 1 || size > INT32_MAX / 4) return false;
	part->kind = field->spelled[0];
	part->size = size * (wide ? 4 : 1);
	return wide || part->size > 1;
}

/* b, i, u or f. */
static char number_kind(sheaf_type type)
{
	return (char)(type >= SHEAF_F32 ? 'f' : type >= SHEAF_I8 ? 'i' : 'u');
}

/* Returns the type of a field's numbers; of pairs of them that have a type in NumPy, which is complex
 * numbers, that type. */
sheaf_part sheaf_array_part(const sheaf_field *field)
{
	sheaf_part part = {
		.scale = 1, .size = (int64_t)sheaf_type_size(field->type), .kind = number_kind(field->type)};
	switch (field->meaning) {
	case SHEAF_BOOL: part.kind = 'b'; break;
	case SHEAF_CHAR: part.kind = 'S'; break;
	case SHEAF_DATE: part.kind = 'M', part.days = true; break;
	case SHEAF_DATETIME: part.kind = 'M', part.digits = field->digits; break;
	case SHEAF_TIME:
	case SHEAF_DURATION: part.kind = 'm', part.digits = field->digits; break;
	case SHEAF_COMPLEX: part.kind = 'c', part.size *= 2; break;
	default: break;
	}
	return part;
}

/* Sets the kind and the size of a part to be written where they do not follow from the column's numbers
 * alone: times with a zone, texts and byte strings. Texts of any length need a size that holds the
 * longest: the user's string_bytes gives it (0: none), or the spelling that the column had in its file. */
static sheaf_status set_type(sheaf_part *part, const sheaf_field *field, int64_t string_bytes,
                             sheaf_error *err)
{
	bool any_length = field->nlevels > 0 && field->levels[0].kind == SHEAF_LIST;
	part->digits = field->digits;
	switch (field->meaning) {
	case SHEAF_BOOL:
	case SHEAF_CHAR:
	case SHEAF_DATETIME:
	case SHEAF_DATE:
	case SHEAF_TIME:
	case SHEAF_DURATION:
	case SHEAF_COMPLEX:
	case SHEAF_NUMBER: break;
	case SHEAF_DATETIMETZ: part->kind = 'M', part->zoned = true, part->size = 16; break;
	case SHEAF_STRING:
	case SHEAF_BYTES:
		if (field->meaning == SHEAF_STRING && any_length && string_bytes == 0 && take_spelling(part, field))
			break;
		part->kind = field->meaning == SHEAF_STRING ? 'S' : 'V';
		part->size = any_length ? string_bytes : field->levels[0].extent;
		if (part->kind == 'V' && any_length)
			return refuse(field, "byte strings of a fixed length", "ones of any length", err);
		if (part->size < 2 && any_length)
			return refuse(field,
			              "a fixed length in bytes for texts (" SHEAF_OPTION("string-bytes") ", at least 2)",
			              "none", err);
		if (part->size > INT32_MAX) return refuse(field, "texts of less than 2^31 bytes", "longer ones", err);
		break;
	default: return refuse(field, "an item that NumPy can hold", "another shape", err);
	}
	return SHEAF_OK;
}

/* Appends the part for a column to out->parts, which have room for it, at the end of the item. A column
 * with missing values has a byte before its value, unless they are times that were NaT in their file and
 * become NaT again (`absent`). Rows of several items, such as lists of numbers, have no place in an item. */
static sheaf_status add_field(const sheaf_field *field, int64_t string_bytes, sheaf_dtype *out,
                              sheaf_error *err)
{
	sheaf_part *part = &out->parts[out->nparts++];
	bool is_run = sheaf_means_run(field->meaning);
	*part = sheaf_array_part(field);
	if (strlen(field->name) >= sizeof part->name || !field->name[0])
		return refuse(field, "a name of 1 to 255 bytes", "another", err);
	if (field->nlevels > 1 || (field->nlevels == 1 && !is_run &&
	                           (field->levels[0].kind != SHEAF_FIXED || field->levels[0].extent != 1)))
		return refuse(field, "one item in each row", "another shape", err);
	snprintf(part->name, sizeof part->name, "%s", field->name);
	part->nullable = field->nlevels > 0 && field->levels[0].missing == SHEAF_NULLABLE;
	SHEAF_TRY(set_type(part, field, string_bytes, err));
	memcpy(part->spelled, field->spelled, sizeof part->spelled);
	part->absent = part->nullable && !part->zoned && (part->kind == 'M' || part->kind == 'm') &&
	               field->spelled[0] == part->kind;
	if (part->absent) part->nullable = false;
	if (part->nullable) part->null_at = out->size++;
	part->at = out->size;
	out->size += part->size;
	return out->size <= INT32_MAX ? SHEAF_OK
	                              : refuse(field, "items of less than 2^31 bytes", "larger ones", err);
}

/* Makes the type of the items to be written; *out is empty after an error. Entries have the type of their
 * values, and sequences that of their samples' numbers. A table has a field for each column, except that
 * a single column becomes an array without fields if such an array is read as that table: its name is
 * SHEAF_ITEM, and its items are no numbers, which would be a tensor. */
sheaf_status sheaf_array_dtype(const sheaf_schema *schema, int64_t string_bytes, sheaf_context *cx,
                               sheaf_dtype *out, sheaf_error *err)
{
	*out = (sheaf_dtype){.structured = schema->rows == SHEAF_CELLS};
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)schema->nfields + 1, sizeof *out->parts, &out->parts, err));
	out->room = schema->nfields + 1;
	sheaf_status status = SHEAF_OK;
	sheaf_part *part = out->parts;
	if (schema->rows == SHEAF_SEQUENCES) {
		sheaf_type type = schema->fields[0].type;
		*part = (sheaf_part){.scale = 1, .size = (int64_t)sheaf_type_size(type), .kind = number_kind(type)};
		out->nparts = 1;
		out->size = part->size;
	}
	if (schema->rows == SHEAF_ENTRIES)
		status = add_field(&schema->fields[sheaf_schema_value(schema)], 0, out, err);
	for (int f = 0; f < schema->nfields && out->structured && status == SHEAF_OK; f++)
		status = add_field(&schema->fields[f], string_bytes, out, err);
	if (status == SHEAF_OK && out->structured)
		out->structured = out->nparts != 1 || strcmp(part->name, SHEAF_ITEM) != 0 ||
		                  !strchr("SUMmV", part->kind) || part->nullable || part->zoned ||
		                  part->spelled[0] == '(';
	else if (status == SHEAF_OK && part->nullable)
		status =
			refuse(&schema->fields[sheaf_schema_value(schema)], "values", "some that may be missing", err);
	if (status) sheaf_dtype_free(out, cx);
	return status;
}
