/* SPDX-License-Identifier: MIT */
/* The fields of sequences and tables as JSON, and back: the first line of files of JSON lines, which without
 * it have to be guessed from their rows. A field has the words that reports use for it, its storage and its
 * element type; what it may have beyond these is the loss of this format. */
#include "base/show.h"
#include "base/status.h"
#include "frame/print.h"
#include "frame/schema/read_json.h"
#include <inttypes.h>

sheaf_status sheaf_schema_to_json(const sheaf_schema *schema, sheaf_builder *b, sheaf_error *err)
{
	bool sequences = schema->rows == SHEAF_SEQUENCES;
	sheaf_builder_printf(b, SHEAF_SCHEMA_JSON "\"rows\":\"%s\",\"columns\":[",
	                     sequences ? "sequences" : "cells");
	for (int f = 0, n = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		const sheaf_level_shape *first = field->nlevels ? field->levels : NULL;
		if (field->meaning == SHEAF_KEY) continue;
		if (!sheaf_is_utf8((const uint8_t *)field->name, strlen(field->name)))
			return sheaf_fail(err, SHEAF_UNSUPPORTED, "\"%s\": expected a name in UTF-8, found other bytes",
			                  field->name);
		sheaf_builder_text(b, n++ ? ",{\"name\":" : "{\"name\":");
		sheaf_json_string(b, field->name, strlen(field->name));
		sheaf_builder_printf(b, ",\"storage\":\"%s\",\"type\":\"%s\"", sheaf_field_storage(field),
		                     sheaf_type_name(field->type));
		bool stream = sheaf_field_is_stream(field);
		if (stream || (field->meaning == SHEAF_BYTES && first->kind == SHEAF_FIXED))
			sheaf_builder_printf(b, ",\"dim\":%" PRId64, stream ? sheaf_field_dim(field) : first->extent);
		if (first && first->missing == SHEAF_NULLABLE) sheaf_builder_text(b, ",\"null\":true");
		sheaf_builder_byte(b, '}');
	}
	sheaf_builder_text(b, "]}\n");
	return sheaf_builder_status(b, err);
}

/* ---- reading ---- */

enum { DENSE = SHEAF_MEANINGS, SPARSE, STORAGES };

/* The meaning whose storage a word names, or DENSE or SPARSE; -1 if it names none. *digits becomes the number
 * of digits that times of this name have after the point. */
static int storage_of(const char *word, int *digits)
{
	static const char *const others[] = {"dense", "sparse"};
	for (int k = 0; word && k < STORAGES; k++)
		for (*digits = 0; *digits <= 9; *digits += 3) {
			sheaf_field plain = {.meaning = (sheaf_meaning)k, .digits = *digits};
			const char *name = k < SHEAF_MEANINGS ? sheaf_field_storage(&plain) : others[k - DENSE];
			if (strcmp(word, name) == 0) return k;
		}
	return -1;
}

static int type_of(const char *word)
{
	for (int k = 0; word && k < SHEAF_TYPES; k++)
		if (strcmp(word, sheaf_type_name((sheaf_type)k)) == 0) return k;
	return -1;
}

/* Adds a field by the public calls, which refuse what there cannot be. */
static sheaf_status add_field(sheaf_schema *schema, const sheaf_json *json, sheaf_error *err)
{
	const char *name = sheaf_json_text(sheaf_json_get(json, "name"), NULL);
	int digits = 0, storage = storage_of(sheaf_json_text(sheaf_json_get(json, "storage"), NULL), &digits),
		type = type_of(sheaf_json_text(sheaf_json_get(json, "type"), NULL));
	sheaf_missing missing = sheaf_json_is_true(sheaf_json_get(json, "null")) ? SHEAF_NULLABLE : SHEAF_NEVER;
	int64_t dim;
	bool sized = sheaf_json_i64(sheaf_json_get(json, "dim"), &dim);
	if (!name || storage < 0 || type < 0)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "expected columns with a name, a storage and a type, found another");
	switch (storage) {
	case DENSE: return sheaf_schema_add_dense(schema, name, dim, (sheaf_type)type, err);
	case SPARSE: return sheaf_schema_add_sparse(schema, name, dim, (sheaf_type)type, err);
	default: break;
	}
	/* Entries of a tensor are written as rows of a table, whose coordinates are numbers like others. */
	if (storage == SHEAF_COORDINATE) storage = SHEAF_NUMBER;
	if (storage == SHEAF_BYTES && sized) return sheaf_schema_add_bytes(schema, name, dim, missing, err);
	if (sheaf_means_time((sheaf_meaning)storage) && type == SHEAF_I64)
		return sheaf_schema_add_times(schema, name, (sheaf_meaning)storage, digits, missing, err);
	return sheaf_schema_add_column(schema, name, (sheaf_meaning)storage, (sheaf_type)type, missing, err);
}

/* Adds all fields that the JSON names. Sequences also get keys, which are not among its columns. */
static sheaf_status add_fields(const sheaf_json *json, sheaf_schema *schema, sheaf_error *err)
{
	const char *rows = sheaf_json_text(sheaf_json_get(json, "rows"), NULL);
	const sheaf_json *columns = sheaf_json_get(json, "columns");
	bool sequences = rows && strcmp(rows, "sequences") == 0, cells = rows && strcmp(rows, "cells") == 0;
	if (!sequences && !cells)
		return sheaf_fail(err, SHEAF_USAGE, "expected rows that are sequences or cells, found others");
	if (sheaf_json_kind_of(columns) != SHEAF_JSON_ARRAY)
		return sheaf_fail(err, SHEAF_USAGE, "expected columns that are a list, found %s",
		                  columns ? sheaf_json_kind_name(columns) : "none");
	schema->rows = sequences ? SHEAF_SEQUENCES : SHEAF_CELLS;
	for (size_t k = 0; k < sheaf_json_size(columns); k++)
		SHEAF_TRY(add_field(schema, sheaf_json_at(columns, k), err));
	return sequences ? sheaf_schema_add_keys(schema, err) : SHEAF_OK;
}

sheaf_status sheaf_schema_from_json(const sheaf_json *json, const char *file, sheaf_schema *schema,
                                    sheaf_error *err)
{
	sheaf_error why = {0};
	sheaf_status status = add_fields(json, schema, &why);
	if (status == SHEAF_USAGE) why.status = SHEAF_DATA; /* it is not the caller who made the mistake */
	return status ? sheaf_fail_within(err, &why, "%s:1", file) : SHEAF_OK;
}
