/* SPDX-License-Identifier: MIT */
/* The only file that uses Jansson: JSON values, read and written. Integers are exact, even above 2^63, and -0
 * keeps its sign, as a real; repeated names are refused, and so is nesting deeper than SHEAF_JSON_DEPTH.
 * Values are freed with the one that contains them. */
#ifndef SHEAF_BASE_THIRD_JSON_H
#define SHEAF_BASE_THIRD_JSON_H

#include <sheaf/base.h>

typedef struct json_t sheaf_json;

enum { SHEAF_JSON_DEPTH = 64 };

typedef enum sheaf_json_kind {
	SHEAF_JSON_NULL,
	SHEAF_JSON_BOOL,
	SHEAF_JSON_INTEGER,
	SHEAF_JSON_REAL,
	SHEAF_JSON_TEXT,
	SHEAF_JSON_ARRAY,
	SHEAF_JSON_OBJECT
} sheaf_json_kind;

/* ---- reading ---- */

/* `name` is used in messages: DATA with line and column. */
SHEAF_USE sheaf_status sheaf_json_parse(const void *text, size_t size, const char *name, sheaf_json **out,
                                        sheaf_error *err);
/* What is wrong with a text, and where. */
typedef struct sheaf_json_flaw {
	size_t byte;
	char found[200];
} sheaf_json_flaw;

/* The same, with the place by itself: DATA with the flaw, for a message that expects JSON; or NOMEM. */
SHEAF_USE sheaf_status sheaf_json_read(const void *text, size_t size, sheaf_json **out, sheaf_json_flaw *flaw,
                                       sheaf_error *err);
void sheaf_json_free(sheaf_json *value);

/* Of NULL: SHEAF_JSON_NULL. */
sheaf_json_kind sheaf_json_kind_of(const sheaf_json *value);
/* "an object", "a text", ... for messages. */
const char *sheaf_json_kind_name(const sheaf_json *value);
bool sheaf_json_is_true(const sheaf_json *value);
/* The integer value, even if it is spelled 3e9 or 20.0; false if there is none, or it does not fit. */
bool sheaf_json_i64(const sheaf_json *value, int64_t *out);
bool sheaf_json_u64(const sheaf_json *value, uint64_t *out);
/* The nearest double of a number; false if it is no number. */
bool sheaf_json_number(const sheaf_json *value, double *out);
/* A text, with a NUL after its *size bytes (NULL: not wanted); NULL if it is no text. */
const char *sheaf_json_text(const sheaf_json *value, size_t *size);
/* The number of values of an array or members of an object; 0 for anything else. */
size_t sheaf_json_size(const sheaf_json *value);
sheaf_json *sheaf_json_at(const sheaf_json *array, size_t i);
/* The member of this name, or NULL. */
sheaf_json *sheaf_json_get(const sheaf_json *object, const char *name);
/* The members in the order in which they were read or set: *at begins as NULL; NULL after the last one. */
sheaf_json *sheaf_json_next(const sheaf_json *value, void **at, const char **name);

/* ---- making ---- */

/* NULL if memory runs out, and for texts that are not UTF-8. Every function that takes a value fails if it is
 * NULL, so that one check at the end is enough. */
sheaf_json *sheaf_json_new_object(void);
sheaf_json *sheaf_json_new_array(void);
sheaf_json *sheaf_json_new_i64(int64_t v);
sheaf_json *sheaf_json_new_u64(uint64_t v);
sheaf_json *sheaf_json_new_bool(bool v);
sheaf_json *sheaf_json_new_text(const char *text);
/* Both take the value over, even if they fail. They replace a member of the same name. */
bool sheaf_json_set(sheaf_json *object, const char *name, sheaf_json *value);
bool sheaf_json_append(sheaf_json *array, sheaf_json *value);
/* Removes a member; nothing happens if there is none. */
void sheaf_json_remove(sheaf_json *object, const char *name);

/* Calls `put` with pieces of the text until it returns false; indent 0: one line. False if it did, or if
 * memory runs out. */
bool sheaf_json_print(const sheaf_json *value, int indent,
                      bool (*put)(void *user, const char *text, size_t size), void *user);

#endif
