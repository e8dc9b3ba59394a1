/* SPDX-License-Identifier: MIT */
/* Items as text for people and programs. */
#include "frame/item.h"
#include "base/show.h"
#include "frame/frame.h"
#include "frame/schema/json_text.h"
#include "frame/value.h"
#include "number/date.h"
#include "number/number.h"
#include "number/spell.h"
#include <math.h>

static bool is_finite(const sheaf_column *column, int64_t at)
{
	if (column->type == SHEAF_F32) return isfinite(((const float *)(const void *)column->values.data)[at]);
	if (column->type == SHEAF_F64) return isfinite(((const double *)(const void *)column->values.data)[at]);
	return true;
}

static void put_number(sheaf_builder *b, const sheaf_column *column, int64_t at, bool json)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX + 2)) return;
	bool quoted = json && !is_finite(column, at);
	char *to = (char *)b->data + b->size;
	if (quoted) *to++ = '"';
	to = sheaf_value_print(column->type, column->values.data, at, to);
	if (quoted) *to++ = '"';
	b->size = (size_t)(to - (char *)b->data);
}

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

static void put_base64(sheaf_builder *b, const uint8_t *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n && !b->failed; i += 3) {
		uint32_t three =
			(uint32_t)s[i] << 16 | (i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0u);
		char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
		                (char)(i + 1 < n ? digits[three >> 6 & 63] : '='),
		                (char)(i + 2 < n ? digits[three & 63] : '=')};
		sheaf_builder_append(b, four, sizeof four);
	}
}

static int sextet(uint8_t c)
{
	if (c >= 'A' && c <= 'Z') return c - 'A';
	if (c >= 'a' && c <= 'z') return c - 'a' + 26;
	if (c >= '0' && c <= '9') return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four digits are three bytes; '=' pads the last group. */
bool sheaf_read_base64(const uint8_t *at, size_t n, uint8_t *to, size_t *size)
{
	size_t fill = 0;
	*size = 0;
	if (n % 4) return false;
	while (fill < 2 && n > 0 && at[n - 1] == '=') n--, fill++;
	uint32_t bits = 0;
	for (size_t i = 0; i < n; i++) {
		int v = sextet(at[i]);
		if (v < 0) return false;
		bits = bits << 6 | (uint32_t)v;
		if (i % 4 > 0) to[(*size)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	return fill == 0 || (bits & (fill == 1 ? 3u : 15u)) == 0;
}

static void put_bytes(sheaf_builder *b, sheaf_bytes bytes, bool json)
{
	sheaf_builder_text(b, json ? "{\"base64\":\"" : "base64:");
	put_base64(b, bytes.data, bytes.size);
	if (json) sheaf_builder_text(b, "\"}");
}

static void put_text(sheaf_builder *b, sheaf_bytes text, bool json)
{
	if (json && !sheaf_is_utf8(text.data, text.size))
		put_bytes(b, text, true);
	else
		sheaf_json_string(b, (const char *)text.data, text.size);
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

/* A span of time is a number of seconds; in JSON its text if a double has fewer digits. */
static void put_time(sheaf_builder *b, const sheaf_column *column, int64_t at, bool json)
{
	const int64_t exact = INT64_C(1) << 53;
	const int64_t *parts = (const int64_t *)(const void *)column->values.data + at;
	bool number = column->meaning == SHEAF_DURATION &&
	              (!column->digits || (parts[0] < exact && parts[0] > -exact)),
		 quoted = json && !number;
	if (!sheaf_builder_room(b, SHEAF_TIME_ROOM + 2)) return;
	char *to = (char *)b->data + b->size;
	if (quoted) *to++ = '"';
	to = sheaf_time_print(to, column->meaning, column->digits, parts);
	if (quoted) *to++ = '"';
	b->size = (size_t)(to - (char *)b->data);
}

static void put_complex(sheaf_builder *b, const sheaf_column *column, int64_t at, bool json)
{
	sheaf_builder_byte(b, json ? '[' : '(');
	put_number(b, column, at, json);
	sheaf_builder_byte(b, ',');
	put_number(b, column, at + 1, json);
	sheaf_builder_byte(b, json ? ']' : ')');
}

/* A byte need not be valid UTF-8 by itself: it is then shown as a character of Latin-1. */
static void put_char(sheaf_builder *b, uint8_t c)
{
	char two[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 63))};
	if (c < 0x80)
		sheaf_json_string(b, (const char *)&c, 1);
	else
		sheaf_json_string(b, two, sizeof two);
}

static void put_run(sheaf_builder *b, const sheaf_column *column, sheaf_run run, bool json)
{
	if (column->meaning == SHEAF_BYTES)
		put_bytes(b, sheaf_column_bytes(column, run), json);
	else if (sheaf_means_text(column->meaning))
		put_text(b, sheaf_column_bytes(column, run), json);
	else if (column->meaning == SHEAF_COMPLEX)
		put_complex(b, column, run.begin, json);
	else
		put_time(b, column, run.begin, json);
}

void sheaf_item_text(sheaf_builder *b, const sheaf_column *column, int level, int64_t at, bool json)
{
	if (level < column->nlevels && sheaf_means_run(column->meaning))
		put_run(b, column, sheaf_level_below_one(&column->levels[level], at), json);
	else if (column->meaning == SHEAF_BOOL)
		sheaf_builder_text(b, column->values.data[at] ? "true" : "false");
	else if (column->meaning == SHEAF_CHAR)
		put_char(b, column->values.data[at]);
	else if (sheaf_means_time(column->meaning))
		put_time(b, column, at, json);
	else
		put_number(b, column, at, json);
}

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
