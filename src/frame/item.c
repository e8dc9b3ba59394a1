/* SPDX-License-Identifier: MIT */
/* Items as text for people and programs. Text and JSON differ where JSON has no word for an item:
 *
 *     number      nan            "nan"
 *     time        2024-02-29     "2024-02-29"
 *     complex     (1,2)          [1,2]
 *     text        "a"            "a"; what is not UTF-8 is U+FFFD in text, and {"base64":"..."} in JSON
 *     bytes       base64:AAE=    {"base64":"AAE="}
 *
 * Each function appends to a builder, which keeps the failure of its memory, so none of them returns one. */
#include "frame/item.h"
#include "base/show.h"
#include "frame/frame.h"
#include "frame/schema/json_text.h"
#include "frame/value.h"
#include "number/date.h"
#include "number/number.h"
#include "number/spell.h"
#include <math.h>

/* An entry: what stands before it, its index, ':' and its value. */
enum { ENTRY_MAX = 2 * SHEAF_NUMBER_MAX + 2, BATCH = 64 };

#define T float
#define NAME f32
#include "frame/finite_template.h"
#define T double
#define NAME f64
#include "frame/finite_template.h"

int64_t sheaf_finite_text(sheaf_builder *b, const sheaf_column *column, sheaf_run run, char before)
{
	const sheaf_level_shape *shape = &column->levels[column->nlevels - 1].shape;
	if (column->meaning != SHEAF_NUMBER || shape->rank > 1) return run.begin;
	if (column->type == SHEAF_F32) return put_finite_f32(b, column, run, before);
	if (column->type == SHEAF_F64) return put_finite_f64(b, column, run, before);
	return run.begin;
}

char *sheaf_put_base64(char *to, const uint8_t *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i += 3) {
		uint32_t three =
			(uint32_t)s[i] << 16 | (i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0u);
		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = (char)(i + 1 < n ? digits[three >> 6 & 63] : '=');
		*to++ = (char)(i + 2 < n ? digits[three & 63] : '=');
	}
	return to;
}

/* Appends bytes in base64, as text or as a JSON object. */
static void put_bytes(sheaf_builder *b, sheaf_bytes bytes, bool json)
{
	sheaf_builder_text(b, json ? "{\"base64\":\"" : "base64:");
	if (sheaf_builder_room(b, (uint64_t)(bytes.size / 3 + 1) * 4))
		b->size =
			(size_t)(sheaf_put_base64((char *)b->data + b->size, bytes.data, bytes.size) - (char *)b->data);
	if (json) sheaf_builder_text(b, "\"}");
}

/* The value of a digit of base64, from 0 to 63; -1 for any other character. */
static int digit_of(uint8_t c)
{
	if (c >= 'A' && c <= 'Z') return c - 'A';
	if (c >= 'a' && c <= 'z') return c - 'a' + 26;
	if (c >= '0' && c <= '9') return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four digits are three bytes; '=' pads the last group (RFC 4648). Digits whose bits no byte takes must be 0
 * there, so that each sequence of bytes has one spelling:
 *
 *     bits    aaaaaaaa bbbbbbbb cccccccc
 *     digits  aaaaaa aabbbb bbbbcc cccccc
 */
bool sheaf_read_base64(const uint8_t *at, size_t n, uint8_t *to, size_t *size)
{
	size_t fill = 0;
	*size = 0;
	if (n % 4) return false;
	while (fill < 2 && n > 0 && at[n - 1] == '=') n--, fill++;
	uint32_t bits = 0;
	for (size_t i = 0; i < n; i++) {
		int digit = digit_of(at[i]);
		if (digit < 0) return false;
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4 > 0) to[(*size)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	return fill == 0 || (bits & (fill == 1 ? 3u : 15u)) == 0;
}

char *sheaf_time_print(char *to, sheaf_meaning meaning, int digits, const int64_t *parts)
{
	sheaf_day day = {0};
	switch (meaning) {
	case SHEAF_DURATION: return sheaf_print_duration(to, parts[0], digits);
	case SHEAF_DATE: return sheaf_print_day_near(to, parts[0], &day);
	case SHEAF_TIME: return sheaf_print_clock(to, parts[0], digits);
	default: to = sheaf_print_time_near(to, parts[0], digits, 'T', &day); break;
	}
	return meaning == SHEAF_DATETIMETZ ? sheaf_print_offset(to, parts[1]) : to;
}

/* Texts of one kind (dates, times of day, points in time, those with a zone) have a type, if 64 bits hold all
 * of them in the unit that the finest fraction needs. `far` has for each unit the bit that says that they do
 * not. */
sheaf_meaning sheaf_time_seen(unsigned seen, int *digits)
{
	static const unsigned far[] = {0, SHEAF_SEEN_FAR_3, SHEAF_SEEN_FAR_6, SHEAF_SEEN_FAR_9};
	int most = seen & SHEAF_SEEN_FRACTION_9   ? 9
	           : seen & SHEAF_SEEN_FRACTION_6 ? 6
	           : seen & SHEAF_SEEN_FRACTION_3 ? 3
	                                          : 0;
	unsigned kinds = seen & (SHEAF_SEEN_DATE | SHEAF_SEEN_CLOCK | SHEAF_SEEN_TIME | SHEAF_SEEN_ZONED);
	*digits = 0;
	if (seen & far[most / 3]) return SHEAF_STRING;
	sheaf_meaning meaning = kinds == SHEAF_SEEN_DATE    ? SHEAF_DATE
	                        : kinds == SHEAF_SEEN_CLOCK ? SHEAF_TIME
	                        : kinds == SHEAF_SEEN_TIME  ? SHEAF_DATETIME
	                        : kinds == SHEAF_SEEN_ZONED ? SHEAF_DATETIMETZ
	                                                    : SHEAF_STRING;
	if (meaning != SHEAF_STRING) *digits = most; /* texts have none */
	return meaning;
}

/* Appends the number or the time at position `at`. JSON has no number that is not finite, so those are its
 * strings "nan", "inf" and "-inf". A span of time is a number of seconds; in JSON its text if a double has
 * fewer digits: readers of JSON take its numbers as doubles, which hold whole numbers of parts of a second up
 * to 2^53. */
static void put_value(sheaf_builder *b, const sheaf_column *column, int64_t at, bool json)
{
	const int64_t exact = INT64_C(1) << 53, *parts = NULL;
	sheaf_canon canon = {0, 0};
	bool quoted = false;
	if (sheaf_means_time(column->meaning)) {
		parts = sheaf_i64s(column->values.data) + at;
		quoted = json && (column->meaning != SHEAF_DURATION ||
		                  (column->digits && (parts[0] >= exact || parts[0] <= -exact)));
	} else if (json && column->type >= SHEAF_F32) {
		sheaf_canon_values(column->type, column->values.data, at, 1, &canon);
		quoted = !isfinite(canon.nearest);
	}
	if (!sheaf_builder_room(b, (parts ? SHEAF_TIME_ROOM : SHEAF_NUMBER_MAX) + 2)) return;
	char *to = (char *)b->data + b->size;
	if (quoted) *to++ = '"';
	to = parts ? sheaf_time_print(to, column->meaning, column->digits, parts)
	           : sheaf_value_print(column->type, column->values.data, at, to);
	if (quoted) *to++ = '"';
	b->size = (size_t)(to - (char *)b->data);
}

/* The last level of a text, of bytes, of a complex number or of a zoned time makes one item of what it
 * covers; any other item is a value itself. So `run` is what the item covers, or else the value's own
 * position. */
void sheaf_item_text(sheaf_builder *b, const sheaf_column *column, int level, int64_t at, bool json)
{
	sheaf_run run = {at, at};
	bool covers = level < column->nlevels && sheaf_means_run(column->meaning);
	if (covers) run = sheaf_level_below_one(&column->levels[level], at);
	sheaf_bytes bytes = sheaf_column_bytes(column, run);
	if (covers && sheaf_means_text(column->meaning) && (!json || sheaf_is_utf8(bytes.data, bytes.size))) {
		sheaf_json_string(b, (const char *)bytes.data, bytes.size);
	} else if (covers && (sheaf_means_text(column->meaning) || column->meaning == SHEAF_BYTES)) {
		put_bytes(b, bytes, json);
	} else if (covers && column->meaning == SHEAF_COMPLEX) {
		sheaf_builder_byte(b, json ? '[' : '(');
		put_value(b, column, run.begin, json);
		sheaf_builder_byte(b, ',');
		put_value(b, column, run.begin + 1, json);
		sheaf_builder_byte(b, json ? ']' : ')');
	} else if (column->meaning == SHEAF_BOOL) {
		sheaf_builder_text(b, column->values.data[at] ? "true" : "false");
	} else if (column->meaning == SHEAF_CHAR) {
		/* A byte need not be valid UTF-8 by itself: it is then shown as a character of Latin-1. */
		uint8_t c = column->values.data[at];
		char two[2] = {(char)(c < 0x80 ? c : 0xc0 | c >> 6), (char)(0x80 | (c & 63))};
		sheaf_json_string(b, two, c < 0x80 ? 1 : 2);
	} else {
		put_value(b, column, run.begin, json);
	}
}

/* Something missing is null and, where the file says why, "?3" or {"null":3}: code 3 of the reasons that the
 * format has. JSON always has the code, also 0. */
void sheaf_cell_text(sheaf_builder *b, const sheaf_column *column, int64_t row, bool json)
{
	if (column->nlevels == 0 || !sheaf_level_is_null(&column->levels[0], row)) {
		sheaf_item_text(b, column, 0, row, json);
		return;
	}
	int code = sheaf_level_code(&column->levels[0], row);
	if (json)
		sheaf_builder_printf(b, "{\"null\":%d}", code);
	else if (code)
		sheaf_builder_printf(b, "?%d", code);
	else
		sheaf_builder_text(b, "null");
}
