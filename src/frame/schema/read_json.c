/* SPDX-License-Identifier: MIT */
/* Values, samples and rows from JSON into the columns of a frame builder: the other way of print.c and
 * item.c, whose rules both follow. A value that does not fit its column is no failure here: the caller, who
 * knows the line, gets what was expected and found in words, and the builder goes back to the row before. */
#include "frame/schema/read_json.h"
#include "base/memory.h"
#include "base/show.h"
#include "frame/item.h"
#include "frame/value.h"
#include "number/date.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The most memory that a byte of JSON can take: in lists of empty objects. */
enum { TREE = 96 };

sheaf_status sheaf_json_take(const uint8_t *text, size_t size, sheaf_context *cx, sheaf_json **out,
                             sheaf_json_flaw *flaw, sheaf_error *err)
{
	*out = NULL;
	SHEAF_TRY(sheaf_charge(cx, size * TREE, err));
	sheaf_status status = sheaf_json_read(text, size, out, flaw, err);
	if (status) sheaf_discharge(cx, size * TREE);
	return status;
}

void sheaf_json_give_back(sheaf_json *json, size_t size, sheaf_context *cx)
{
	if (!json) return; /* nor is anything counted */
	sheaf_json_free(json);
	sheaf_discharge(cx, size * TREE);
}

int sheaf_json_missing(const sheaf_json *value)
{
	int64_t code;
	if (sheaf_json_kind_of(value) == SHEAF_JSON_NULL) return 0;
	bool missing = sheaf_json_kind_of(value) == SHEAF_JSON_OBJECT && sheaf_json_size(value) == 1 &&
	               sheaf_json_i64(sheaf_json_get(value, "null"), &code) && code >= 0 && code <= INT8_MAX;
	return missing ? (int)code : -1;
}

bool sheaf_text_special(const char *text, size_t size, double *out)
{
	static const char *const words[] = {"nan", "inf", "-inf"};
	const double numbers[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
	for (int k = 0; k < 3; k++) {
		*out = numbers[k];
		if (strlen(words[k]) == size && memcmp(text, words[k], size) == 0) return true;
	}
	return false;
}

bool sheaf_json_special(const sheaf_json *value, double *out)
{
	size_t n;
	const char *text = sheaf_json_text(value, &n);
	return text && sheaf_text_special(text, n, out);
}

/* What was found is a text or a number itself, where it is one, else the kind of the value. */
bool sheaf_json_misfits(sheaf_json_misfit *misfit, const char *expected, const sheaf_json *found)
{
	size_t n;
	uint64_t large;
	int64_t small;
	double real;
	const char *text = sheaf_json_text(found, &n);
	snprintf(misfit->expected, sizeof misfit->expected, "%s", expected);
	snprintf(misfit->found, sizeof misfit->found, "%s", sheaf_json_kind_name(found));
	if (text && n)
		sheaf_show((const uint8_t *)text, (const uint8_t *)text + n, '\0', misfit->found);
	else if (sheaf_json_i64(found, &small))
		*sheaf_print_i64(misfit->found, small) = '\0';
	else if (sheaf_json_u64(found, &large))
		*sheaf_print_u64(misfit->found, large) = '\0';
	else if (sheaf_json_number(found, &real))
		*sheaf_print_f64(misfit->found, real) = '\0';
	return false;
}

/* Says that a value does not fit where a number of something was expected: `before` and `after` stand around
 * the number, and of a list its length is what was found. */
static bool misfits_dim(sheaf_json_misfit *misfit, const char *before, int64_t dim, const char *after,
                        const sheaf_json *found)
{
	bool list = sheaf_json_kind_of(found) == SHEAF_JSON_ARRAY;
	(void)sheaf_json_misfits(misfit, "", found);
	snprintf(misfit->expected, sizeof misfit->expected, "%s%" PRId64 "%s", before, dim, after);
	if (list) snprintf(misfit->found, sizeof misfit->found, "%zu", sheaf_json_size(found));
	return false;
}

/* ---- values ---- */

/* Appends a number. Of a float32 the nearest to the digits is stored, which need not be the one nearest to
 * the nearest double: so the double is printed, which gives up to 15 digits back, and they are read as a
 * float32. Integers must be of the type, without a rest. */
static bool put_number(sheaf_column_builder *to, const sheaf_json *json, sheaf_json_misfit *misfit)
{
	sheaf_type type = to->field->type;
	double real;
	int64_t small, value;
	uint64_t large;
	sheaf_canon canon;
	if (type == SHEAF_F64 || type == SHEAF_F32) {
		char digits[SHEAF_NUMBER_MAX];
		if (!sheaf_json_number(json, &real) && !sheaf_json_special(json, &real))
			return sheaf_json_misfits(misfit, "a number", json);
		float narrow = (float)real;
		if (type == SHEAF_F32 && isfinite(real))
			(void)sheaf_scan_f32(digits, sheaf_print_f64(digits, real), &narrow);
		sheaf_builder_append(&to->values, type == SHEAF_F64 ? (void *)&real : (void *)&narrow,
		                     sheaf_type_size(type));
		return true;
	}
	if (sheaf_json_i64(json, &small))
		sheaf_canon_values(SHEAF_I64, &small, 0, 1, &canon);
	else if (sheaf_json_u64(json, &large))
		sheaf_canon_values(SHEAF_U64, &large, 0, 1, &canon);
	else
		return sheaf_json_misfits(misfit, "an integer", json);
	if (sheaf_canon_store(type, &canon, 1, &value, 0))
		return sheaf_json_misfits(misfit, sheaf_type_name(type), json);
	sheaf_builder_append(&to->values, &value, sheaf_type_size(type));
	return true;
}

/* Appends a character of Latin-1, one or two bytes in UTF-8, as the byte that it is. */
static bool put_char(sheaf_column_builder *to, const sheaf_json *json, sheaf_json_misfit *misfit)
{
	size_t n;
	const uint8_t *s = (const uint8_t *)sheaf_json_text(json, &n);
	if (!s || n != (s[0] < 0x80 ? 1u : 2u) || s[0] > 0xc3)
		return sheaf_json_misfits(misfit, "one character of Latin-1", json);
	sheaf_builder_byte(&to->values, (char)(n == 1 ? s[0] : (s[0] & 3) << 6 | (s[1] & 63)));
	return true;
}

/* Appends a point in time, which is a text; one with a zone is two values, the second of which is the offset.
 */
static bool put_time(sheaf_column_builder *to, const sheaf_json *json, sheaf_json_misfit *misfit)
{
	static const char *const expected[SHEAF_MEANINGS] = {[SHEAF_DATE] = "a date",
	                                                     [SHEAF_TIME] = "a time of day",
	                                                     [SHEAF_DATETIME] = "a time",
	                                                     [SHEAF_DATETIMETZ] = "a time with its zone"};
	const sheaf_field *field = to->field;
	size_t n = 0;
	int digits;
	int32_t nanoseconds;
	int64_t seconds, parts[2];
	bool day = field->meaning == SHEAF_DATE, zone = field->meaning == SHEAF_DATETIMETZ;
	const char *text = sheaf_json_text(json, &n), *at = text ? text : "", *end = at + n;
	if (day)
		at = sheaf_scan_day(at, end, parts);
	else
		at = (field->meaning == SHEAF_TIME ? sheaf_scan_clock : sheaf_scan_time)(at, end, &seconds,
		                                                                         &nanoseconds, &digits);
	if (at && zone) at = sheaf_scan_zone(at, end, &parts[1]);
	if (!at || at != end || (!day && !sheaf_join_time(seconds, nanoseconds, field->digits, parts)))
		return sheaf_json_misfits(misfit, expected[field->meaning], json);
	sheaf_builder_append(&to->values, parts, zone ? sizeof parts : sizeof *parts);
	return true;
}

/* Appends a span of time: a number of seconds, or its text where a double has fewer digits. A number that is
 * not whole must be one of parts of a second, up to the 2^53 that a double counts exactly. */
static bool put_span(sheaf_column_builder *to, const sheaf_json *json, sheaf_json_misfit *misfit)
{
	size_t n = 0;
	int64_t seconds, parts = 0, scale = 1;
	double real;
	int digits = to->field->digits;
	const char *text = sheaf_json_text(json, &n);
	bool fits;
	for (int d = 0; d < digits; d++) scale *= 10;
	if (text) {
		fits = sheaf_scan_duration(text, text + n, digits, &parts) == text + n;
	} else if (sheaf_json_i64(json, &seconds)) {
		fits = sheaf_join_time(seconds, 0, digits, &parts);
	} else {
		fits = sheaf_json_number(json, &real) && fabs(real * (double)scale) < 0x1p53;
		parts = fits ? llrint(real * (double)scale) : 0;
		fits = fits && sheaf_rounded((double)parts / (double)scale) == real;
	}
	if (!fits) return sheaf_json_misfits(misfit, "a span of time in seconds", json);
	sheaf_builder_append(&to->values, &parts, sizeof parts);
	return true;
}

/* Appends one value by the field's meaning, whatever stands around it. */
static bool put_value(sheaf_column_builder *to, const sheaf_json *json, sheaf_json_misfit *misfit)
{
	switch (to->field->meaning) {
	case SHEAF_CHAR: return put_char(to, json, misfit);
	case SHEAF_DATE:
	case SHEAF_TIME:
	case SHEAF_DATETIME: return put_time(to, json, misfit);
	case SHEAF_DURATION: return put_span(to, json, misfit);
	case SHEAF_BOOL:
		if (sheaf_json_kind_of(json) != SHEAF_JSON_BOOL)
			return sheaf_json_misfits(misfit, "true or false", json);
		sheaf_builder_byte(&to->values, sheaf_json_is_true(json) ? 1 : 0);
		return true;
	default: return put_number(to, json, misfit);
	}
}

/* Appends a text, or {"base64":"..."}: bytes, and texts that are not UTF-8. Base64 is decoded into the room
 * that its digits would take, which is more than its bytes need. */
static bool put_bytes(sheaf_column_builder *to, const sheaf_json *json, sheaf_json_misfit *misfit)
{
	size_t n, size;
	bool is_text = to->field->meaning == SHEAF_STRING;
	const sheaf_level_shape *shape = to->levels[0].shape;
	const sheaf_json *coded = sheaf_json_get(json, "base64");
	const char *from = sheaf_json_text(coded ? coded : is_text ? json : NULL, &n);
	if (!from) return sheaf_json_misfits(misfit, is_text ? "a text" : "bytes in base64", json);
	if (!sheaf_builder_room(&to->values, n + 1)) return true; /* the builder keeps the failure */
	uint8_t *at = to->values.data + to->values.size;
	if (!coded)
		memcpy(at, from, size = n);
	else if (!sheaf_read_base64((const uint8_t *)from, n, at, &size))
		return sheaf_json_misfits(misfit, "bytes in base64", coded);
	if (shape->kind == SHEAF_FIXED && (int64_t)size != shape->extent)
		return misfits_dim(misfit, "", shape->extent, " bytes", coded);
	to->values.size += size;
	if (shape->kind == SHEAF_LIST) sheaf_level_end(&to->levels[0], (int64_t)to->values.size);
	return true;
}

/* ---- positions ---- */

/* Lengthens the column to `rows` rows by positions without a value: they are missing, for the reason `code`,
 * if they may be, and otherwise empty lists, or zeros. False if there is no memory. */
static bool put_absent(sheaf_column_builder *to, int64_t rows, int code)
{
	sheaf_level_builder *at = &to->levels[0];
	int64_t n = sheaf_column_count(to, 0);
	if (n >= rows) return true;
	bool nullable = at->shape->missing == SHEAF_NULLABLE, fixed = at->shape->kind == SHEAF_FIXED;
	int64_t end = fixed ? 0 : sheaf_column_count(to, 1);
	size_t more = fixed ? (size_t)((rows - n) * at->shape->extent) * sheaf_type_size(to->field->type) : 0;
	for (int64_t p = n; p < rows && nullable; p++) sheaf_level_miss(at, p, code);
	for (int64_t p = n; p < rows && !fixed; p++) sheaf_level_end(at, end);
	return sheaf_builder_pad(&to->values, to->values.size + more, 0) && sheaf_column_count(to, 0) == rows;
}

bool sheaf_column_put_absent(sheaf_column_builder *to, int64_t rows) { return put_absent(to, rows, 0); }

/* Appends the index of an entry, which is a list of its index and its value. `unbound` allows indices beyond
 * the extent, up to what their type holds, as the extent is not known yet. */
static bool put_index(sheaf_column_builder *to, int l, const sheaf_json *entry, bool unbound,
                      sheaf_json_misfit *misfit)
{
	const sheaf_level_shape *shape = to->levels[l].shape;
	const sheaf_json *first = sheaf_json_at(entry, 0);
	int64_t index, most = !unbound                         ? shape->extent - 1
	                      : shape->index_type == SHEAF_I32 ? INT32_MAX
	                                                       : INT64_MAX;
	if (sheaf_json_size(entry) != 2 || !first)
		return sheaf_json_misfits(misfit, "an index and a value", entry);
	if (!sheaf_json_i64(first, &index) || index < 0 || index > most)
		return misfits_dim(misfit, "an index below ", shape->extent, "", first);
	sheaf_put_index(&to->levels[l].indices[0], shape->index_type, index);
	return true;
}

/* Appends level l of a row, and all levels below it, from a list. No JSON at all (NULL) is a list without
 * elements. */
static bool put_list(sheaf_column_builder *to, int l, const sheaf_json *json, bool unbound,
                     sheaf_json_misfit *misfit)
{
	sheaf_level_builder *at = &to->levels[l];
	bool fixed = at->shape->kind == SHEAF_FIXED, entries = at->shape->kind == SHEAF_COORD;
	size_t n = sheaf_json_size(json);
	if (json && sheaf_json_kind_of(json) != SHEAF_JSON_ARRAY)
		return sheaf_json_misfits(misfit, "a list", json);
	if (fixed && (int64_t)n != at->shape->extent)
		return misfits_dim(misfit, "", at->shape->extent, " values", json);
	for (size_t k = 0; k < n; k++) {
		const sheaf_json *value = sheaf_json_at(json, k);
		if (entries && !put_index(to, l, value, unbound, misfit)) return false;
		if (entries) value = sheaf_json_at(value, 1);
		bool fits = l + 1 == to->field->nlevels ? put_value(to, value, misfit)
		                                        : put_list(to, l + 1, value, unbound, misfit);
		if (!fits) return false;
	}
	if (!fixed) sheaf_level_end(at, sheaf_column_count(to, l + 1));
	return true;
}

bool sheaf_column_put_json(sheaf_column_builder *to, const sheaf_json *value, bool unbound,
                           sheaf_json_misfit *misfit)
{
	if (to->field->nlevels == 0) return put_value(to, value, misfit);
	bool nullable = to->levels[0].shape->missing == SHEAF_NULLABLE;
	int code = nullable ? sheaf_json_missing(value) : -1;
	if (code >= 0) {
		(void)put_absent(to, sheaf_column_count(to, 0) + 1, code); /* the builder keeps the failure */
		return true;
	}
	switch (to->field->meaning) {
	case SHEAF_STRING:
	case SHEAF_BYTES: return put_bytes(to, value, misfit);
	case SHEAF_DATETIMETZ: return put_time(to, value, misfit);
	case SHEAF_COMPLEX: return put_list(to, 0, value, unbound, misfit);
	default: return nullable ? put_value(to, value, misfit) : put_list(to, 0, value, unbound, misfit);
	}
}
