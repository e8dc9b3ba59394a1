/* SPDX-License-Identifier: MIT */
/* Columns filled from JSON, and schemas as JSON: reads what print.c prints of rows. */
#ifndef SHEAF_FRAME_SCHEMA_READ_JSON_H
#define SHEAF_FRAME_SCHEMA_READ_JSON_H

#include "base/third/json.h"
#include "frame/frame_builder.h"

/* sheaf_json_read whose memory counts against the context until the same size of text is given back. */
SHEAF_USE sheaf_status sheaf_json_take(const uint8_t *text, size_t size, sheaf_context *cx, sheaf_json **out,
                                       sheaf_json_flaw *flaw, sheaf_error *err);
void sheaf_json_give_back(sheaf_json *json, size_t size, sheaf_context *cx);

/* Why a value does not fit. */
typedef struct sheaf_json_misfit {
	char expected[64], found[64];
} sheaf_json_misfit;

/* Appends a row to a column: `value` as sheaf_rows_text prints it, or null if the row may be missing, or
 * NULL, which means the same and also a stream without samples. With `unbound`, indices may be as large as
 * their type allows. False if the value does not fit: the builder must go back. */
bool sheaf_column_put_json(sheaf_column_builder *to, const sheaf_json *value, bool unbound,
                           sheaf_json_misfit *misfit);
/* Makes a column that rows may lack as long as `rows`, without a value in the last of them. False if memory
 * runs out. */
bool sheaf_column_put_absent(sheaf_column_builder *to, int64_t rows);
/* Sets what is wrong and returns false: `found` was there instead of `expected`. */
bool sheaf_json_misfits(sheaf_json_misfit *misfit, const char *expected, const sheaf_json *found);

/* The reason of {"null":7}, 0 for null; -1 if there is a value. */
int sheaf_json_missing(const sheaf_json *value);
/* Whether it is "nan", "inf" or "-inf", and that number; and the same of a text. */
bool sheaf_json_special(const sheaf_json *value, double *out);
bool sheaf_text_special(const char *text, size_t size, double *out);

/* A schema of sequences or cells as a line: {"sheaf":"schema","rows":"cells","columns":[{"name":"x",
 * "storage":"values","type":"int64","null":true},...]}. Sequences have keys, which it does not
 * name. UNSUPPORTED where a name is not UTF-8. */
#define SHEAF_SCHEMA_JSON "{\"sheaf\":\"schema\","
SHEAF_USE sheaf_status sheaf_schema_to_json(const sheaf_schema *schema, sheaf_builder *b, sheaf_error *err);
/* Makes the empty schema {.cx = cx} what such an object describes; DATA if that is impossible; the object is
 * on the first line of `file`. */
SHEAF_USE sheaf_status sheaf_schema_from_json(const sheaf_json *json, const char *file, sheaf_schema *schema,
                                              sheaf_error *err);

#endif
