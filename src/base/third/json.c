/* SPDX-License-Identifier: MIT */
/* Jansson keeps integers as signed ones of 64 bits and refuses larger ones. Larger ones are passed to it as
 * texts that begin with MARK, which is removed when they are printed; no other text may begin like that. */
#include "base/third/json.h"
#include "base/third/filled.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK '\x01'
#define ESCAPED_MARK "\\u0001" /* how it is spelled inside JSON, by us and by Jansson */

#ifdef SHEAF_MEMORY_SANITIZER
static void *allocate_filled(size_t size) { return calloc(1, size); }

__attribute__((constructor)) static void allocate_all_filled(void)
{
	json_set_alloc_funcs(allocate_filled, free);
}
#endif

/* ---- reading ---- */

/* The text on its way to Jansson, read once from left to right. */
typedef struct scan {
	const char *at, *end;
	char *to;
	int depth;
	const char *found; /* what is wrong at `at`, or NULL */
} scan;

static void keep(scan *s, size_t n)
{
	memcpy(s->to, s->at, n);
	s->to += n;
	s->at += n;
}

static void keep_string(scan *s)
{
	size_t n = 1, left = (size_t)(s->end - s->at), mark = strlen(ESCAPED_MARK);
	if (left > mark && memcmp(s->at + 1, ESCAPED_MARK, mark) == 0) {
		s->found = "a text that begins with U+0001, which is not read";
		return;
	}
	while (n < left && s->at[n] != '"') n += s->at[n] == '\\' && n + 1 < left ? 2 : 1;
	keep(s, n < left ? n + 1 : left);
}

static bool is_in_number(char c) { return (c >= '0' && c <= '9') || (c && strchr("+-.eE", c)); }

static bool is_digits(const char *at, size_t n)
{
	while (n && *at >= '0' && *at <= '9') at++, n--;
	return n == 0;
}

/* Whether this whole number is too large for Jansson. */
static bool is_large(const char *digits, size_t n)
{
	static const char most[] = "9223372036854775807";
	bool negative = n && *digits == '-';
	if (negative) digits++, n--;
	if (n == 0 || *digits == '0' || !is_digits(digits, n)) return false;
	if (n != sizeof most - 1) return n > sizeof most - 1;
	int order = memcmp(digits, most, n);
	return order > 0 && !(negative && memcmp(digits, "9223372036854775808", n) == 0);
}

static void keep_number(scan *s)
{
	size_t n = 1;
	while (s->at + n < s->end && is_in_number(s->at[n])) n++;
	if (n == 2 && memcmp(s->at, "-0", 2) == 0) {
		keep(s, n);
		memcpy(s->to, ".0", 2);
		s->to += 2;
		return;
	}
	if (!is_large(s->at, n)) {
		keep(s, n);
		return;
	}
	*s->to++ = '"';
	memcpy(s->to, ESCAPED_MARK, strlen(ESCAPED_MARK));
	s->to += strlen(ESCAPED_MARK);
	keep(s, n);
	*s->to++ = '"';
}

static void keep_one(scan *s)
{
	char c = *s->at;
	if (c == '"') {
		keep_string(s);
	} else if (c == '-' || (c >= '0' && c <= '9')) {
		keep_number(s);
	} else {
		if (c == '[' || c == '{') s->depth++;
		if (c == ']' || c == '}') s->depth--;
		if (s->depth > SHEAF_JSON_DEPTH) s->found = "too many values inside one another";
		if (!s->found) keep(s, 1);
	}
}

/* How far the text had been read when Jansson had seen `seen` bytes of what it received. */
static size_t place_of(const char *text, size_t size, char *copy, int seen)
{
	scan s = {text, text + size, copy, 0, NULL};
	while (s.at < s.end && s.to - copy < seen) keep_one(&s);
	return (size_t)(s.at - text);
}

static sheaf_status read_copy(const char *text, size_t size, char *copy, sheaf_json **out,
                              sheaf_json_flaw *flaw)
{
	scan s = {text, text + size, copy, 0, NULL};
	json_error_t failure;
	while (s.at < s.end && !s.found) keep_one(&s);
	if (s.found) {
		flaw->byte = (size_t)(s.at - text);
		snprintf(flaw->found, sizeof flaw->found, "%s", s.found);
		return SHEAF_DATA;
	}
	SHEAF_UNSEEN_BEGIN();
	*out = json_loadb(copy, (size_t)(s.to - copy), JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL,
	                  &failure);
	SHEAF_UNSEEN_END();
	SHEAF_FILLED(&failure, sizeof failure);
	if (*out) return SHEAF_OK;
	/* Without a word it is memory, too, that a part of a value had no room in. */
	if (json_error_code(&failure) == json_error_out_of_memory || !*failure.text) return SHEAF_NOMEM;
	snprintf(flaw->found, sizeof flaw->found, "a mistake in it: %s", failure.text);
	flaw->byte = place_of(text, size, copy, failure.position);
	if (flaw->byte) flaw->byte--; /* where it ends */
	return SHEAF_DATA;
}

static sheaf_status no_memory(size_t size, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for %zu bytes of JSON, found none", size);
}

sheaf_status sheaf_json_read(const void *text, size_t size, sheaf_json **out, sheaf_json_flaw *flaw,
                             sheaf_error *err)
{
	*out = NULL;
	/* A number of 19 digits or more grows by 8 bytes, "-0" by two. */
	char *copy = (char *)malloc(2 * size + 1);
	if (!copy) return no_memory(size, err);
	sheaf_status status = read_copy(size ? (const char *)text : "", size, copy, out, flaw);
	free(copy);
	return status == SHEAF_NOMEM ? no_memory(size, err) : status;
}

sheaf_status sheaf_json_parse(const void *text, size_t size, const char *name, sheaf_json **out,
                              sheaf_error *err)
{
	sheaf_json_flaw flaw = {0};
	size_t line = 1, column = 1;
	sheaf_status status = sheaf_json_read(text, size, out, &flaw, err);
	if (status != SHEAF_DATA) return status;
	for (size_t byte = 0; byte < flaw.byte; byte++, column++)
		if (((const char *)text)[byte] == '\n') line++, column = 0;
	return sheaf_fail(err, SHEAF_DATA, "%s:%zu:%zu: expected JSON, found %s", name, line, column, flaw.found);
}

void sheaf_json_free(sheaf_json *value) { json_decref(value); }

/* ---- looking ---- */

/* The digits of a marked number, or NULL. */
static const char *large(const sheaf_json *value)
{
	const char *text = json_string_value(value);
	return text && *text == MARK ? text + 1 : NULL;
}

sheaf_json_kind sheaf_json_kind_of(const sheaf_json *value)
{
	if (!value) return SHEAF_JSON_NULL;
	switch (json_typeof(value)) {
	case JSON_TRUE:
	case JSON_FALSE: return SHEAF_JSON_BOOL;
	case JSON_INTEGER: return SHEAF_JSON_INTEGER;
	case JSON_REAL: return SHEAF_JSON_REAL;
	case JSON_STRING: return large(value) ? SHEAF_JSON_INTEGER : SHEAF_JSON_TEXT;
	case JSON_ARRAY: return SHEAF_JSON_ARRAY;
	case JSON_OBJECT: return SHEAF_JSON_OBJECT;
	default: return SHEAF_JSON_NULL;
	}
}

const char *sheaf_json_kind_name(const sheaf_json *value)
{
	static const char *const names[] = {"null",   "true or false", "an integer", "a number",
	                                    "a text", "an array",      "an object"};
	return value ? names[sheaf_json_kind_of(value)] : "nothing";
}

bool sheaf_json_is_true(const sheaf_json *value) { return json_is_true(value); }

static bool large_u64(const char *digits, uint64_t *out)
{
	*out = 0;
	for (; *digits; digits++)
		if (*digits == '-' || __builtin_mul_overflow(*out, 10U, out) ||
		    __builtin_add_overflow(*out, (uint64_t)(*digits - '0'), out))
			return false;
	return true;
}

bool sheaf_json_i64(const sheaf_json *value, int64_t *out)
{
	*out = 0;
	if (json_is_integer(value)) {
		*out = json_integer_value(value);
		return true;
	}
	double real = json_real_value(value);
	if (!json_is_real(value) || real != trunc(real) ||
	    !(real >= -9223372036854775808.0 && real < 9223372036854775808.0))
		return false;
	*out = (int64_t)real;
	return true;
}

bool sheaf_json_u64(const sheaf_json *value, uint64_t *out)
{
	int64_t small;
	const char *digits = large(value);
	if (digits) return large_u64(digits, out);
	*out = 0;
	if (sheaf_json_i64(value, &small)) {
		*out = small < 0 ? 0 : (uint64_t)small;
		return small >= 0;
	}
	double real = json_real_value(value);
	if (!json_is_real(value) || real != trunc(real) || !(real >= 0x1p63 && real < 0x1p64)) return false;
	*out = (uint64_t)real;
	return true;
}

bool sheaf_json_number(const sheaf_json *value, double *out)
{
	const char *digits = large(value);
	*out = digits ? strtod(digits, NULL) : json_number_value(value);
	return digits || json_is_number(value);
}

const char *sheaf_json_text(const sheaf_json *value, size_t *size)
{
	bool is_text = json_is_string(value) && !large(value);
	if (size) *size = is_text ? json_string_length(value) : 0;
	return is_text ? json_string_value(value) : NULL;
}

size_t sheaf_json_size(const sheaf_json *value)
{
	return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

sheaf_json *sheaf_json_at(const sheaf_json *array, size_t i) { return json_array_get(array, i); }

sheaf_json *sheaf_json_get(const sheaf_json *object, const char *name)
{
	return json_object_get(object, name);
}

sheaf_json *sheaf_json_next(const sheaf_json *value, void **at, const char **name)
{
	sheaf_json *object = (sheaf_json *)(uintptr_t)value; /* Jansson only looks at it */
	*at = *at ? json_object_iter_next(object, *at) : json_object_iter(object);
	*name = *at ? json_object_iter_key(*at) : NULL;
	return *at ? json_object_iter_value(*at) : NULL;
}

/* ---- making ---- */

sheaf_json *sheaf_json_new_object(void) { return json_object(); }

sheaf_json *sheaf_json_new_array(void) { return json_array(); }

sheaf_json *sheaf_json_new_i64(int64_t v) { return json_integer(v); }

sheaf_json *sheaf_json_new_u64(uint64_t v)
{
	char digits[24];
	char *at = digits + sizeof digits;
	if (v <= INT64_MAX) return json_integer((int64_t)v);
	for (*--at = '\0'; v; v /= 10) *--at = (char)('0' + v % 10);
	*--at = MARK;
	return json_string(at);
}

sheaf_json *sheaf_json_new_bool(bool v) { return json_boolean(v); }

sheaf_json *sheaf_json_new_text(const char *text)
{
	return *text == MARK ? NULL : json_string(text);
}

bool sheaf_json_set(sheaf_json *object, const char *name, sheaf_json *value)
{
	return json_object_set_new(object, name, value) == 0;
}

bool sheaf_json_append(sheaf_json *array, sheaf_json *value)
{
	return json_array_append_new(array, value) == 0;
}

void sheaf_json_remove(sheaf_json *object, const char *name) { (void)json_object_del(object, name); }

/* Removes the marks: `"\u0001123"` is the number 123. Nothing else has that spelling. */
static bool put_unmarked(const char *text, bool (*put)(void *user, const char *text, size_t size), void *user)
{
	static const char before[] = "\"" ESCAPED_MARK;
	const char *found;
	while ((found = strstr(text, before))) {
		const char *digits = found + strlen(before);
		size_t n = strcspn(digits, "\"");
		if (!put(user, text, (size_t)(found - text)) || !put(user, digits, n)) return false;
		text = digits + n + 1;
	}
	return put(user, text, strlen(text));
}

bool sheaf_json_print(const sheaf_json *value, int indent,
                      bool (*put)(void *user, const char *text, size_t size), void *user)
{
	size_t flags =
		JSON_ENCODE_ANY | JSON_PRESERVE_ORDER | (indent ? JSON_INDENT((size_t)indent) : JSON_COMPACT);
	char *text = json_dumps(value, flags);
	bool fine = text && put_unmarked(text, put, user);
	free(text);
	return fine;
}
