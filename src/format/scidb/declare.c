/* SPDX-License-Identifier: MIT */
/* Schemas as the server's users write them: the format string, the array schema, and the statements that
 * create and load such an array. */
#include "base/buffer.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/scidb/scidb.h"
#include <inttypes.h>
#include <string.h>

/* ---- labels ---- */

static sheaf_status add_label(sheaf_schema *schema, sheaf_context *cx, const char *name, sheaf_builder *b,
                              sheaf_error *err)
{
	sheaf_builder_byte(b, '\0');
	sheaf_status status = sheaf_builder_status(b, err);
	if (status == SHEAF_OK)
		status = sheaf_schema_put_attribute(schema, cx, name, (const char *)b->data, NULL, err);
	sheaf_builder_drop(b);
	return status;
}

static void put_types(const sheaf_scidb_types *types, sheaf_builder *b)
{
	const sheaf_scidb_type *type;
	for (int i = 0; (type = sheaf_scidb_types_at(types, i)); i++) {
		sheaf_builder_printf(b, "%-12s", type->name);
		if (type->size)
			sheaf_builder_printf(b, " %" PRId64 "\n", type->size);
		else
			sheaf_builder_text(b, type->kind == SCIDB_USER ? " as the name says\n" : " counted\n");
	}
}

sheaf_status sheaf_scidb_label(sheaf_schema *schema, const sheaf_scidb_entries *entries,
                               const sheaf_scidb_array *array, const sheaf_scidb_types *types,
                               sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_scidb_entries_text(entries, &b);
	SHEAF_TRY(add_label(schema, cx, SCIDB_LABEL_ENTRIES, &b, err));
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_scidb_array_text(array, true, &b);
	SHEAF_TRY(add_label(schema, cx, SCIDB_LABEL_ARRAY, &b, err));
	if (array->name)
		SHEAF_TRY(sheaf_schema_put_attribute(schema, cx, SCIDB_LABEL_NAME, array->name, NULL, err));
	if (!types) return SHEAF_OK;
	sheaf_builder_begin(&b, cx, NULL);
	put_types(types, &b);
	return add_label(schema, cx, SCIDB_LABEL_TYPES, &b, err);
}

/* ---- attributes of fields ---- */

/* A coordinate is an attribute as wide as the server's coordinates are. */
static const sheaf_scidb_type *type_of(const sheaf_field *field)
{
	static const sheaf_scidb_kind numbers[SHEAF_TYPES] = {
		[SHEAF_U8] = SCIDB_UINT8,   [SHEAF_U16] = SCIDB_UINT16, [SHEAF_U32] = SCIDB_UINT32,
		[SHEAF_U64] = SCIDB_UINT64, [SHEAF_I8] = SCIDB_INT8,    [SHEAF_I16] = SCIDB_INT16,
		[SHEAF_I32] = SCIDB_INT32,  [SHEAF_I64] = SCIDB_INT64,  [SHEAF_F32] = SCIDB_FLOAT,
		[SHEAF_F64] = SCIDB_DOUBLE};
	bool alone = field->nlevels == 0 || (field->nlevels == 1 && field->levels[0].kind == SHEAF_FIXED &&
	                                     field->levels[0].extent == 1);
	switch (field->meaning) {
	case SHEAF_NUMBER: return alone ? sheaf_scidb_type_of(numbers[field->type]) : NULL;
	case SHEAF_BOOL: return sheaf_scidb_type_of(SCIDB_BOOL);
	case SHEAF_CHAR: return sheaf_scidb_type_of(SCIDB_CHAR);
	case SHEAF_DATETIME: return sheaf_scidb_type_of(SCIDB_DATETIME);
	case SHEAF_DATETIMETZ: return sheaf_scidb_type_of(SCIDB_DATETIMETZ);
	case SHEAF_COMPLEX: return field->type == SHEAF_F64 ? sheaf_scidb_type_of(SCIDB_COMPLEX) : NULL;
	case SHEAF_COORDINATE: return sheaf_scidb_type_of(SCIDB_INT64);
	case SHEAF_STRING: return field->nlevels == 1 ? sheaf_scidb_type_of(SCIDB_STRING) : NULL;
	case SHEAF_BYTES: return field->nlevels == 1 ? sheaf_scidb_type_of(SCIDB_BINARY) : NULL;
	default: return NULL;
	}
}

static int64_t width_of(const sheaf_field *field, const sheaf_scidb_type *type)
{
	bool fixed = field->nlevels == 1 && field->levels[0].kind == SHEAF_FIXED;
	return type->size ? type->size : fixed ? field->levels[0].extent : 0;
}

sheaf_status sheaf_scidb_array_from_schema(sheaf_scidb_array *array, sheaf_scidb_entries *entries,
                                           const sheaf_schema *schema, sheaf_context *cx, sheaf_error *err)
{
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		const sheaf_scidb_type *type = type_of(field);
		bool nullable = field->nlevels == 1 && field->levels[0].missing == SHEAF_NULLABLE,
			 timed = field->meaning == SHEAF_TIME || field->meaning == SHEAF_DURATION;
		if (!type || (type->size == 0 && width_of(field, type) > INT32_MAX))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "attribute \"%s\": expected a number, date, text or bytes of some length, "
			                  "found %s%s",
			                  field->name, timed ? sheaf_field_storage(field) : "another shape",
			                  timed ? " (" SHEAF_OPTION("columns") " may make it a string of the input)"
			                        : "");
		SHEAF_TRY(sheaf_scidb_array_add(array, cx,
		                                (sheaf_bytes){(const uint8_t *)field->name, strlen(field->name)},
		                                type, nullable, err));
		if (entries)
			SHEAF_TRY(sheaf_scidb_entries_add(
				entries, cx, (sheaf_scidb_entry){type, width_of(field, type), nullable, -1}, err));
	}
	return SHEAF_OK;
}

/* Labels of a schema that came from another format. */
static sheaf_status label_other(sheaf_schema *schema, sheaf_context *cx, sheaf_error *err)
{
	sheaf_scidb_array array = {0};
	sheaf_scidb_entries entries = {0};
	sheaf_status status = sheaf_scidb_array_from_schema(&array, &entries, schema, cx, err);
	if (status == SHEAF_OK) status = sheaf_scidb_label(schema, &entries, &array, NULL, cx, err);
	sheaf_scidb_entries_free(&entries);
	sheaf_scidb_array_free(&array);
	return status;
}

/* ---- statements ---- */

typedef struct statements {
	const sheaf_schema *schema;
	sheaf_builder *b;
	const char *file, *name, *entries, *array;
} statements;

static void put_name(const statements *s, const char *after)
{
	for (const char *c = s->name; *c; c++) {
		bool plain =
			(*c >= '0' && *c <= '9') || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') || *c == '_' || *c == '.';
		sheaf_builder_byte(s->b, (char)(plain ? *c : '_'));
	}
	sheaf_builder_text(s->b, after);
}

static void put_file(const statements *s)
{
	sheaf_builder_byte(s->b, '\'');
	for (const char *c = s->file; *c; c++) {
		if (*c == '\'' || *c == '\\') sheaf_builder_byte(s->b, '\\');
		sheaf_builder_byte(s->b, *c);
	}
	sheaf_builder_byte(s->b, '\'');
}

static void put_create(const statements *s)
{
	sheaf_builder_text(s->b, "create array ");
	put_name(s, " ");
	sheaf_builder_printf(s->b, "%s;\nload(", s->array);
	put_name(s, ", ");
	put_file(s);
	sheaf_builder_printf(s->b, ", -2, '%s');\n", s->entries);
}

/* The leading attributes that can be coordinates, at most all but the last. */
static int count_coordinates(const sheaf_schema *schema)
{
	int n = 0;
	while (n + 1 < schema->nfields && n < SHEAF_MAX_RANK) {
		const sheaf_field *field = &schema->fields[n];
		bool whole = field->meaning == SHEAF_COORDINATE ||
		             (field->meaning == SHEAF_NUMBER && field->type == SHEAF_I64);
		if (!whole || field->nlevels > 0) break;
		n++;
	}
	return n;
}

static sheaf_status put_target(const statements *s, sheaf_error *err)
{
	sheaf_scidb_array array = {0};
	int n = count_coordinates(s->schema);
	bool entries = s->schema->rows == SHEAF_ENTRIES;
	sheaf_scidb_dimension *d;
	sheaf_schema rest = *s->schema;
	rest.fields += n;
	rest.nfields -= n;
	sheaf_status status = sheaf_scidb_array_from_schema(&array, NULL, &rest, s->b->cx, err);
	for (int i = 0; i < n && status == SHEAF_OK; i++) {
		const char *name = s->schema->fields[i].name;
		status = sheaf_scidb_array_add_dimension(&array, s->b->cx, name, strlen(name), &d, err);
		if (status == SHEAF_OK && entries && s->schema->tensor.shape[i] > 0)
			*d = (sheaf_scidb_dimension){d->name, 0, s->schema->tensor.shape[i] - 1, 0, 0, 0, 0, '*'};
	}
	if (status == SHEAF_OK) sheaf_scidb_array_text(&array, true, s->b);
	sheaf_scidb_array_free(&array);
	return status;
}

/* From a list of cells to an array whose dimensions are their first attributes. */
static sheaf_status put_redimension(const statements *s, sheaf_error *err)
{
	const char *dimensions = strstr(s->array, "> [");
	if (count_coordinates(s->schema) == 0) return SHEAF_OK;
	sheaf_builder_text(s->b, "\n-- or, their first attributes being coordinates\ncreate array ");
	put_name(s, "_array ");
	SHEAF_TRY(put_target(s, err));
	sheaf_builder_text(s->b, ";\nstore(redimension(input(");
	sheaf_builder_append(s->b, s->array, dimensions ? (size_t)(dimensions + 1 - s->array) : strlen(s->array));
	sheaf_builder_text(s->b, "[cell_=0:*], ");
	put_file(s);
	sheaf_builder_printf(s->b, ", -2, '%s'), ", s->entries);
	put_name(s, "_array), ");
	put_name(s, "_array);\n");
	return SHEAF_OK;
}

static sheaf_status put_all(const statements *s, sheaf_error *err)
{
	const char *types = sheaf_schema_attribute(s->schema, SCIDB_LABEL_TYPES);
	sheaf_builder_printf(s->b, "-- format string\n%s\n\n-- array schema\n", s->entries);
	put_name(s, s->array);
	sheaf_builder_text(s->b, "\n\n-- an array of the cells, one after the other\n");
	put_create(s);
	SHEAF_TRY(put_redimension(s, err));
	if (types)
		sheaf_builder_text(s->b, "\n-- types, and bytes of a value\n"), sheaf_builder_text(s->b, types);
	return SHEAF_OK;
}

static sheaf_status declare(const sheaf_schema *schema, const char *file, sheaf_builder *b, sheaf_error *err)
{
	const char *name = sheaf_schema_attribute(schema, SCIDB_LABEL_NAME);
	statements s = {schema,
	                b,
	                file,
	                name ? name : "cells",
	                sheaf_schema_attribute(schema, SCIDB_LABEL_ENTRIES),
	                sheaf_schema_attribute(schema, SCIDB_LABEL_ARRAY)};
	return put_all(&s, err);
}

sheaf_status sheaf_scidb_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
                                 sheaf_buffer *text, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_schema labelled = {0};
	if (schema->rows != SHEAF_CELLS && schema->rows != SHEAF_ENTRIES)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected rows of a table or entries of a tensor, found %s",
		                  "others");
	sheaf_builder_resume(&b, cx, text);
	sheaf_status status = own ? SHEAF_OK : sheaf_schema_copy(schema, cx, &labelled, err);
	if (status == SHEAF_OK && !own) status = label_other(&labelled, cx, err);
	if (status == SHEAF_OK) status = declare(own ? schema : &labelled, file, &b, err);
	if (!own) sheaf_schema_free(&labelled);
	if (status) {
		sheaf_builder_drop(&b);
		return status;
	}
	return sheaf_builder_finish(&b, text, err);
}
