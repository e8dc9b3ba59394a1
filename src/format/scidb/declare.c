/* SPDX-License-Identifier: MIT */
/* Schemas as the server's users write them: the format string, the array schema, and the statements that
 * create and load such an array. A reader keeps these texts as labels of its schema; for a schema of another
 * format they are made when they are asked for. */
#include "base/buffer.h"
#include "base/spell.h"
#include "format/scidb/scidb.h"
#include "format/scidb/text.h"
#include <string.h>

/* ---- labels ---- */

/* Adds a label with the text of the builder, which is dropped. */
static sheaf_status add_label(sheaf_schema *schema, const char *name, sheaf_builder *b, sheaf_error *err)
{
	sheaf_builder_byte(b, '\0');
	sheaf_status status = sheaf_builder_status(b, err);
	if (status == SHEAF_OK)
		status = sheaf_schema_put_attribute(schema, b->cx, name, (const char *)b->data, NULL, err);
	sheaf_builder_drop(b);
	return status;
}

sheaf_status sheaf_scidb_label(sheaf_schema *schema, const sheaf_scidb_entries *entries,
                               const sheaf_scidb_array *array, sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_scidb_entries_text(entries, &b);
	SHEAF_TRY(add_label(schema, SCIDB_LABEL_ENTRIES, &b, err));
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_scidb_array_text(array, true, &b);
	SHEAF_TRY(add_label(schema, SCIDB_LABEL_ARRAY, &b, err));
	if (!array->name) return SHEAF_OK;
	return sheaf_schema_put_attribute(schema, cx, SCIDB_LABEL_NAME, array->name, NULL, err);
}

/* ---- attributes of fields ---- */

/* A column of any number of bytes gets a counted entry, one of a fixed number the size of its entry. Times
 * and durations have no type on the server. */
sheaf_status sheaf_scidb_array_from_schema(sheaf_scidb_array *array, sheaf_scidb_entries *entries,
                                           const sheaf_schema *schema, sheaf_context *cx, sheaf_error *err)
{
	array->cx = cx;
	if (entries) entries->cx = cx;
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		const sheaf_scidb_type *type = sheaf_scidb_type_for(field);
		bool one = field->nlevels == 1, fixed = one && field->levels[0].kind == SHEAF_FIXED,
			 nullable = one && field->levels[0].missing == SHEAF_NULLABLE,
			 timed = field->meaning == SHEAF_TIME || field->meaning == SHEAF_DURATION;
		int64_t width = type && type->size ? type->size : fixed ? field->levels[0].extent : 0;
		if (!type || (type->size == 0 && width > INT32_MAX))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "attribute \"%s\": expected a number, date, text or bytes of some length, "
			                  "found %s%s",
			                  field->name, timed ? sheaf_field_storage(field) : "another shape",
			                  timed ? " (" SHEAF_OPTION("columns") " may make it a string of the input)"
			                        : "");
		SHEAF_TRY(sheaf_scidb_array_add(array, (sheaf_name){field->name, strlen(field->name)}, type, nullable,
		                                err));
		if (entries)
			SHEAF_TRY(sheaf_scidb_entries_add(entries, (sheaf_scidb_entry){type, width, nullable, -1}, err));
	}
	return SHEAF_OK;
}

/* ---- statements ---- */

typedef struct statements {
	const sheaf_schema *schema;
	sheaf_builder *b;
	const char *file, *name, *entries, *array;
	int coordinates; /* leading attributes that can be coordinates, at most all but the last */
} statements;

/* The name of the array, in which other characters than those of plain names become underscores. */
static void put_name(const statements *s, const char *after)
{
	for (const char *c = s->name; *c; c++)
		sheaf_builder_byte(s->b, (char)(sheaf_scidb_is_of_word(*c, false) || *c == '.' ? *c : '_'));
	sheaf_builder_text(s->b, after);
}

/* The file in quotes of AFL, and the arguments of load() and input() that follow it: -2 lets the coordinator
 * read it. */
static void put_file(const statements *s)
{
	sheaf_builder_byte(s->b, '\'');
	for (const char *c = s->file; *c; c++) {
		if (*c == '\'' || *c == '\\') sheaf_builder_byte(s->b, '\\');
		sheaf_builder_byte(s->b, *c);
	}
	sheaf_builder_printf(s->b, "', -2, '%s')", s->entries);
}

/* The schema of an array whose dimensions are the coordinates. Entries of a tensor have the bounds of its
 * shape; of other rows nothing says how far the coordinates go. */
static sheaf_status put_target(const statements *s, sheaf_error *err)
{
	sheaf_scidb_array array = {0};
	sheaf_scidb_dimension *d;
	sheaf_schema rest = *s->schema;
	rest.fields += s->coordinates;
	rest.nfields -= s->coordinates;
	sheaf_status status = sheaf_scidb_array_from_schema(&array, NULL, &rest, s->b->cx, err);
	for (int i = 0; i < s->coordinates && status == SHEAF_OK; i++) {
		const char *name = s->schema->fields[i].name;
		status = sheaf_scidb_array_add_dimension(&array, (sheaf_name){name, strlen(name)}, &d, err);
		if (status == SHEAF_OK && s->schema->rows == SHEAF_ENTRIES && s->schema->tensor.shape[i] > 0) {
			d->high = s->schema->tensor.shape[i] - 1;
			d->high_mark = '\0';
		}
	}
	if (status == SHEAF_OK) sheaf_scidb_array_text(&array, true, s->b);
	sheaf_scidb_array_free(&array);
	return status;
}

/* What a user pastes: the two schemas, and the statements that create and load an array of the cells, then
 * those that make of it an array whose dimensions are its first attributes. The server's coordinates are
 * int64 and never null. */
static sheaf_status put_all(const sheaf_schema *schema, const char *file, sheaf_builder *b, sheaf_error *err)
{
	const char *name = sheaf_schema_attribute(schema, SCIDB_LABEL_NAME);
	statements s = {.schema = schema,
	                .b = b,
	                .file = file,
	                .name = name ? name : "cells",
	                .entries = sheaf_schema_attribute(schema, SCIDB_LABEL_ENTRIES),
	                .array = sheaf_schema_attribute(schema, SCIDB_LABEL_ARRAY)};
	const char *dimensions = strstr(s.array, "> [");
	for (const sheaf_field *f = schema->fields;
	     s.coordinates + 1 < schema->nfields && s.coordinates < SHEAF_MAX_RANK && f->nlevels == 0 &&
	     (f->meaning == SHEAF_COORDINATE || (f->meaning == SHEAF_NUMBER && f->type == SHEAF_I64));
	     f++)
		s.coordinates++;
	sheaf_builder_printf(b, "-- format string\n%s\n\n-- array schema\n", s.entries);
	put_name(&s, s.array);
	sheaf_builder_text(b, "\n\n-- an array of the cells, one after the other\ncreate array ");
	put_name(&s, " ");
	sheaf_builder_printf(b, "%s;\nload(", s.array);
	put_name(&s, ", ");
	put_file(&s);
	sheaf_builder_text(b, ";\n");
	if (s.coordinates == 0) return SHEAF_OK;
	sheaf_builder_text(b, "\n-- or, their first attributes being coordinates\ncreate array ");
	put_name(&s, "_array ");
	SHEAF_TRY(put_target(&s, err));
	sheaf_builder_text(b, ";\nstore(redimension(input(");
	sheaf_builder_append(b, s.array, dimensions ? (size_t)(dimensions + 1 - s.array) : strlen(s.array));
	sheaf_builder_text(b, "[cell_=0:*], ");
	put_file(&s);
	sheaf_builder_text(b, ", ");
	put_name(&s, "_array), ");
	put_name(&s, "_array);\n");
	return SHEAF_OK;
}

/* A schema that came from another format gets the labels in a copy. */
sheaf_status sheaf_scidb_declare(const sheaf_schema *schema, const char *file, bool own, sheaf_context *cx,
                                 sheaf_buffer *text, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_schema labelled = {0};
	sheaf_scidb_array array = {0};
	sheaf_scidb_entries entries = {0};
	sheaf_status status = SHEAF_OK;
	if (schema->rows != SHEAF_CELLS && schema->rows != SHEAF_ENTRIES)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "expected rows of a table or entries of a tensor, found %s",
		                  "others");
	own = own && sheaf_schema_attribute(schema, SCIDB_LABEL_ENTRIES) &&
	      sheaf_schema_attribute(schema, SCIDB_LABEL_ARRAY);
	sheaf_builder_resume(&b, cx, text);
	if (!own) {
		status = sheaf_schema_copy(schema, cx, &labelled, err);
		if (status == SHEAF_OK) status = sheaf_scidb_array_from_schema(&array, &entries, &labelled, cx, err);
		if (status == SHEAF_OK) status = sheaf_scidb_label(&labelled, &entries, &array, cx, err);
		sheaf_scidb_entries_free(&entries);
		sheaf_scidb_array_free(&array);
	}
	if (status == SHEAF_OK) status = put_all(own ? schema : &labelled, file, &b, err);
	if (!own) sheaf_schema_free(&labelled);
	if (status == SHEAF_OK) return sheaf_builder_finish(&b, text, err);
	sheaf_builder_drop(&b);
	return status;
}
