/* SPDX-License-Identifier: MIT */
/* Items of each type from their text, and the types by the names that --columns takes.
 *
 * Whatever is wrong with an item is the flaw that is returned. A bad item is removed with its row
 * (report.c), and what stands in its place until then does not matter. A number that the type cannot hold
 * exactly is a flaw only if it was meant exactly: an integer is, one with a point was meant to be rounded. */
#include "frame/item.h"
#include "base/endian.h"
#include "format/csv/delimited.h"
#include "number/date.h"
#include "number/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- types by name ---- */

/* Of several names of one type, the first is the one that is written. */

static const struct {
	const char *name, *article;
	sheaf_meaning meaning;
	sheaf_type type;
	int width;  /* of a run; -1: any */
	int digits; /* of times */
} types[] = {
	{"bool", "a bool (true or false)", SHEAF_BOOL, SHEAF_U8, 1},
	{"char", "a single byte", SHEAF_CHAR, SHEAF_U8, 1},
	{"int8", "an int8", SHEAF_NUMBER, SHEAF_I8, 1},
	{"int16", "an int16", SHEAF_NUMBER, SHEAF_I16, 1},
	{"int32", "an int32", SHEAF_NUMBER, SHEAF_I32, 1},
	{"int64", "an int64", SHEAF_NUMBER, SHEAF_I64, 1},
	{"uint8", "a uint8", SHEAF_NUMBER, SHEAF_U8, 1},
	{"uint16", "a uint16", SHEAF_NUMBER, SHEAF_U16, 1},
	{"uint32", "a uint32", SHEAF_NUMBER, SHEAF_U32, 1},
	{"uint64", "a uint64", SHEAF_NUMBER, SHEAF_U64, 1},
	{"float", "a number", SHEAF_NUMBER, SHEAF_F32, 1},
	{"double", "a number", SHEAF_NUMBER, SHEAF_F64, 1},
	{"date", "a date (2012-05-25)", SHEAF_DATE, SHEAF_I64, 1},
	{"time", "a time of day (14:13:29)", SHEAF_TIME, SHEAF_I64, 1},
	{"time[ms]", "a time[ms] of day (14:13:29.500)", SHEAF_TIME, SHEAF_I64, 1, 3},
	{"time[us]", "a time[us] of day (14:13:29.500000)", SHEAF_TIME, SHEAF_I64, 1, 6},
	{"time[ns]", "a time[ns] of day (14:13:29.500000000)", SHEAF_TIME, SHEAF_I64, 1, 9},
	{"datetime", "a datetime (2012-05-25 14:13:29)", SHEAF_DATETIME, SHEAF_I64, 1},
	{"datetimetz", "a datetimetz (2012-05-25 14:13:29 +02:00)", SHEAF_DATETIMETZ, SHEAF_I64, 2},
	{"datetime[ms]", "a datetime[ms] (2012-05-25 14:13:29.500)", SHEAF_DATETIME, SHEAF_I64, 1, 3},
	{"datetime[us]", "a datetime[us] (2012-05-25 14:13:29.500000)", SHEAF_DATETIME, SHEAF_I64, 1, 6},
	{"datetime[ns]", "a datetime[ns] (2012-05-25 14:13:29.500000000)", SHEAF_DATETIME, SHEAF_I64, 1, 9},
	{"datetimetz[ms]", "a datetimetz[ms] (2012-05-25 14:13:29.500 +02:00)", SHEAF_DATETIMETZ, SHEAF_I64, 2,
     3},
	{"datetimetz[us]", "a datetimetz[us] (2012-05-25 14:13:29.500000 +02:00)", SHEAF_DATETIMETZ, SHEAF_I64, 2,
     6},
	{"datetimetz[ns]", "a datetimetz[ns] (2012-05-25 14:13:29.500000000 +02:00)", SHEAF_DATETIMETZ, SHEAF_I64,
     2, 9},
	{"duration", "a duration in seconds", SHEAF_DURATION, SHEAF_I64, 1},
	{"duration[ms]", "a duration in seconds with at most 3 digits of fraction", SHEAF_DURATION, SHEAF_I64, 1,
     3},
	{"duration[us]", "a duration in seconds with at most 6 digits of fraction", SHEAF_DURATION, SHEAF_I64, 1,
     6},
	{"duration[ns]", "a duration in seconds with at most 9 digits of fraction", SHEAF_DURATION, SHEAF_I64, 1,
     9},
	{"string", "a string", SHEAF_STRING, SHEAF_U8, -1},
	{"binary", "bytes in base64", SHEAF_BYTES, SHEAF_U8, -1},
	{"complex64", "a complex number (re,im)", SHEAF_COMPLEX, SHEAF_F32, 2},
	{"complex128", "a complex number (re,im)", SHEAF_COMPLEX, SHEAF_F64, 2},
	{"float32", "a number", SHEAF_NUMBER, SHEAF_F32, 1},
	{"float64", "a number", SHEAF_NUMBER, SHEAF_F64, 1},
};
enum { TYPES = sizeof types / sizeof *types };

/* Returns the entry of a field's type; of one that tables cannot have, the first. */
static size_t find_type(const sheaf_field *field)
{
	for (size_t i = 0; i < TYPES; i++)
		if (types[i].meaning == field->meaning && types[i].type == field->type &&
		    types[i].digits == field->digits)
			return i;
	return 0;
}

const char *sheaf_item_expected(const sheaf_field *field) { return types[find_type(field)].article; }

const char *sheaf_item_type(const sheaf_field *field) { return types[find_type(field)].name; }

/* Makes the field of a type's name, whose letters may be of any case; false if there is none. */
bool sheaf_item_make(sheaf_field *field, const char *type, size_t n, bool nullable)
{
	for (size_t i = 0; i < TYPES; i++) {
		if (strlen(types[i].name) != n || strncasecmp(types[i].name, type, n) != 0) continue;
		sheaf_field_make_cell(field, types[i].meaning, types[i].type, types[i].width, nullable);
		field->digits = types[i].digits;
		return true;
	}
	return false;
}

static const char *name_at(const void *user, int i)
{
	(void)user;
	return i < (int)TYPES ? types[i].name : NULL;
}

const char *sheaf_item_nearest(const char *type) { return sheaf_nearest_word(type, name_at, NULL); }

/* A time with a zone has its offset beside it, and a complex number two parts. */
size_t sheaf_item_size(const sheaf_field *field)
{
	bool two = field->meaning == SHEAF_DATETIMETZ || field->meaning == SHEAF_COMPLEX;
	return sheaf_type_size(field->type) * (two ? 2 : 1);
}

/* ---- numbers ---- */

/* Reads a number of digits alone; false if there are other bytes, none, or too many. Up to 18 digits
 * cannot overflow 64 bits. */
static bool read_magnitude(const uint8_t *at, const uint8_t *end, uint64_t *out)
{
	enum { SURE = 18 };
	uint64_t v = 0;
	if (at == end) return false;
	if (end - at > SURE) {
		sheaf_scanned scanned = sheaf_scan_u64((const char *)at, (const char *)end, out);
		return scanned.flaw == SHEAF_NUMBER_OK && scanned.end == (const char *)end;
	}
	for (; at < end; at++) {
		uint8_t digit = (uint8_t)(*at - '0');
		if (digit > 9) return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

/* Reads an integer of a type of 1 to 8 bytes; 0 after a flaw. Only a signed type takes a minus, and with
 * it one number more. */
static sheaf_item_flaw read_integer(sheaf_type type, sheaf_word word, void *out)
{
	size_t size = sheaf_type_size(type);
	bool is_signed = type == SHEAF_I8 || type == SHEAF_I16 || type == SHEAF_I32 || type == SHEAF_I64,
		 negative = is_signed && word.at < word.end && *word.at == '-';
	uint64_t v = 0, most = UINT64_MAX >> (64 - 8 * size + is_signed);
	if (word.at < word.end && (negative || *word.at == '+')) word.at++;
	bool fits = read_magnitude(word.at, word.end, &v) && v <= most + negative;
	v = !fits ? 0 : negative ? 0 - v : v;
	switch (size) {
	case sizeof(uint8_t): *(uint8_t *)out = (uint8_t)v; break;
	case sizeof(uint16_t): *(uint16_t *)out = (uint16_t)v; break;
	case sizeof(uint32_t): *(uint32_t *)out = (uint32_t)v; break;
	default: *(uint64_t *)out = v; break;
	}
	return fits ? ITEM_OK : ITEM_BAD;
}

/* Whether the word is this one, in letters of any case. */
static bool is_named(sheaf_word word, const char *name)
{
	return (size_t)(word.end - word.at) == strlen(name) &&
	       strncasecmp((const char *)word.at, name, strlen(name)) == 0;
}

/* Returns whether a word is an integer that does not fit the real type exactly; a number with a point was
 * meant to be rounded. `most`: integers below it fit. */
static bool is_rounded(sheaf_word word, double value, double most)
{
	uint64_t v = 0;
	if (fabs(value) < most) return false;
	if (*word.at == '-' || *word.at == '+') word.at++;
	for (const uint8_t *at = word.at; at < word.end; at++)
		if (*at < '0' || *at > '9') return false;
	return !read_magnitude(word.at, word.end, &v) || fabs(value) >= 0x1p64 || (uint64_t)fabs(value) != v;
}

/* Reads a float or a double into *out. What is no number with digits may be named: nan, inf, infinity,
 * with a sign. A number that is too large becomes infinite, and an integer of more digits than the type
 * holds is rounded; both are used and reported. */
static sheaf_item_flaw read_real(sheaf_type type, sheaf_word word, void *out)
{
	const char *at = (const char *)word.at, *end = (const char *)word.end;
	bool is_float = type == SHEAF_F32;
	float narrow = 0;
	double wide = 0;
	sheaf_item_flaw flaw = ITEM_OK;
	sheaf_scanned scanned = is_float ? sheaf_scan_f32(at, end, &narrow) : sheaf_scan_f64(at, end, &wide);
	if (is_float) wide = (double)narrow;
	if (scanned.flaw || scanned.end != end) {
		bool negative = at < end && *at == '-';
		if (at < end && (negative || *at == '+')) word.at++;
		bool nan = is_named(word, "nan");
		wide = nan ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
		flaw = nan || is_named(word, "inf") || is_named(word, "infinity") ? ITEM_OK : ITEM_BAD;
	} else if (scanned.infinite) {
		flaw = ITEM_INFINITE;
	} else if (is_rounded(word, wide, is_float ? 0x1p24 : 0x1p53)) {
		flaw = ITEM_ROUNDED;
	}
	if (is_float)
		*(float *)out = (float)wide;
	else
		*(double *)out = wide;
	return flaw;
}

/* Reads a number with a decimal comma, and no point. Longer texts than LONGEST are no numbers that
 * anybody writes. */
static sheaf_item_flaw read_with_comma(sheaf_type type, sheaf_word word, void *out)
{
	enum { LONGEST = 1024 };
	uint8_t text[LONGEST];
	size_t n = (size_t)(word.end - word.at);
	memset(out, 0, sheaf_type_size(type));
	if (n >= LONGEST || memchr(word.at, '.', n)) return ITEM_BAD;
	memcpy(text, word.at, n);
	uint8_t *comma = (uint8_t *)memchr(text, ',', n);
	if (comma) *comma = '.';
	return read_real(type, (sheaf_word){text, text + n, false}, out);
}

/* ---- other items ---- */

/* Reads a truth value. Most are spelled in small letters, which are compared at once. */
static sheaf_item_flaw read_bool(sheaf_word word, uint8_t *out)
{
	size_t n = (size_t)(word.end - word.at);
	*out = n == 4 && memcmp(word.at, "true", 4) == 0;
	if (*out || (n == 5 && memcmp(word.at, "false", 5) == 0)) return ITEM_OK;
	*out = is_named(word, "true") || is_named(word, "1");
	return *out || is_named(word, "false") || is_named(word, "0") ? ITEM_OK : ITEM_BAD;
}

/* Reads a single byte. In quotes with escapes, a byte other than a letter may be written as in C. */
static sheaf_item_flaw read_char(sheaf_word word, const sheaf_dialect *dialect, uint8_t *out)
{
	enum { LONGEST = 2 };
	static const char names[] = "0nrtf", bytes[] = "\0\n\r\t\f";
	uint8_t text[LONGEST];
	*out = 0;
	if (word.end - word.at > LONGEST) return ITEM_BAD;
	const char *name = word.end - word.at == LONGEST && dialect->quote && dialect->escape &&
	                           *word.at == dialect->escape && word.at[1]
	                       ? strchr(names, word.at[1])
	                       : NULL;
	const uint8_t *end = name ? NULL : sheaf_word_text(&word, dialect, text);
	*out = name ? (uint8_t)bytes[name - names] : text[0];
	return name || (end && end - text == 1) ? ITEM_OK : ITEM_BAD;
}

/* Reads a date, a time of day, a point in time or a duration into parts[0], in the unit of the field, and
 * the offset of a time with a zone, in seconds, into parts[1]. sheaf_join_time refuses a time whose
 * digits would be lost. */
static sheaf_item_flaw read_time(const sheaf_field *field, sheaf_word word, int64_t *parts)
{
	int given;
	int64_t seconds;
	int32_t nanoseconds;
	const char *at = (const char *)word.at, *end = (const char *)word.end;
	bool zoned = field->meaning == SHEAF_DATETIMETZ;
	parts[0] = 0;
	if (zoned) parts[1] = 0;
	if (field->meaning == SHEAF_DURATION)
		return sheaf_scan_duration(at, end, field->digits, parts) == end ? ITEM_OK : ITEM_BAD;
	if (field->meaning == SHEAF_DATE) return sheaf_scan_day(at, end, parts) == end ? ITEM_OK : ITEM_BAD;
	at = (field->meaning == SHEAF_TIME ? sheaf_scan_clock : sheaf_scan_time)(at, end, &seconds, &nanoseconds,
	                                                                         &given);
	if (zoned && at) at = sheaf_scan_zone(at, end, &parts[1]);
	return at == end && sheaf_join_time(seconds, nanoseconds, field->digits, parts) ? ITEM_OK : ITEM_BAD;
}

/* Reads a complex number, (re,im), with blanks around each. The flaw is the worse one of both. */
static sheaf_item_flaw read_complex(sheaf_type type, sheaf_word word, void *out)
{
	size_t size = sheaf_type_size(type);
	memset(out, 0, 2 * size);
	if (word.end - word.at < 2 || *word.at != '(' || word.end[-1] != ')') return ITEM_BAD;
	sheaf_word parts[2] = {{word.at + 1, NULL, false}, {NULL, word.end - 1, false}};
	const uint8_t *comma = (const uint8_t *)memchr(word.at, ',', (size_t)(word.end - word.at));
	if (!comma) return ITEM_BAD;
	parts[0].end = comma;
	parts[1].at = comma + 1;
	sheaf_item_flaw worst = ITEM_OK;
	for (int i = 0; i < 2; i++) {
		sheaf_item_flaw flaw = read_real(type, sheaf_word_trim(parts[i]), (uint8_t *)out + (size_t)i * size);
		if (flaw > worst) worst = flaw;
	}
	return worst;
}

/* Reads an item of a fixed size. Numbers, which are most, come first. A single byte may be a blank, so
 * that only the others lose theirs; and only reals have a decimal comma. */
sheaf_item_flaw sheaf_item_read(const sheaf_field *field, const sheaf_word *given,
                                const sheaf_dialect *dialect, void *out)
{
	bool is_real = field->type >= SHEAF_F32;
	if (field->meaning == SHEAF_CHAR) return read_char(*given, dialect, (uint8_t *)out);
	sheaf_word word = sheaf_word_trim(*given);
	if (field->meaning == SHEAF_NUMBER && !is_real) return read_integer(field->type, word, out);
	if (field->meaning == SHEAF_BOOL) return read_bool(word, (uint8_t *)out);
	if (field->meaning == SHEAF_COMPLEX) return read_complex(field->type, word, out);
	if (sheaf_means_time(field->meaning)) return read_time(field, word, (int64_t *)out);
	if (!is_real) return read_integer(field->type, word, out);
	if (dialect->point != '.' && word.at < word.end) return read_with_comma(field->type, word, out);
	return read_real(field->type, word, out);
}

/* ---- runs ---- */

/* Reads a text or bytes into `to`, which has room for the word; *size becomes the length. Bytes are in
 * base64; a text is what is left without quotes and escapes. */
sheaf_item_flaw sheaf_item_read_run(const sheaf_field *field, const sheaf_word *given,
                                    const sheaf_dialect *dialect, uint8_t *to, size_t *size)
{
	*size = 0;
	if (field->meaning == SHEAF_BYTES) {
		sheaf_word word = sheaf_word_trim(*given);
		return sheaf_read_base64(word.at, (size_t)(word.end - word.at), to, size) ? ITEM_OK : ITEM_BAD;
	}
	uint8_t *end = sheaf_word_text(given, dialect, to);
	if (!end) return ITEM_BAD;
	*size = (size_t)(end - to);
	return ITEM_OK;
}
