/* SPDX-License-Identifier: MIT */
/* Seconds into years, months and days, and back. */
#include "number/date.h"
#include "number/digits.h"
#include "number/number.h"
#include <stddef.h>
#include <string.h>

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

typedef struct date {
	int64_t year;
	int month, day;
} date;

/* Days are counted from 0000-03-01, so that leap days come last in their year, and by eras of 400 years,
 * which are all of one length. */
static date date_of(int64_t days_since_1970)
{
	enum { SHIFT = 719468, ERA = 146097, CENTURY = 36524, FOUR_YEARS = 1460 };
	int64_t days = days_since_1970 + SHIFT;
	int64_t era = (days >= 0 ? days : days - (ERA - 1)) / ERA;
	int64_t in_era = days - era * ERA;
	int64_t year = (in_era - in_era / FOUR_YEARS + in_era / CENTURY - in_era / (ERA - 1)) / 365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * in_year + 2) / 153; /* from March; months come in fives of 153 days */
	date d = {.day = (int)(in_year - (153 * month + 2) / 5 + 1),
	          .month = (int)(month < 10 ? month + 3 : month - 9)};
	d.year = year + era * 400 + (d.month <= 2);
	return d;
}

static char *put_two(char *to, int64_t n)
{
	*to++ = (char)('0' + n / 10);
	*to++ = (char)('0' + n % 10);
	return to;
}

static char *put_year(char *to, int64_t year)
{
	if (year < 0) *to++ = '-';
	uint64_t y = year < 0 ? (uint64_t)-year : (uint64_t)year;
	for (uint64_t least = 1000; least > 1 && y < least; least /= 10) *to++ = '0';
	return sheaf_print_u64(to, y);
}

/* Eight digits, of which two are zeros and become colons. */
static char *put_clock(char *to, int64_t seconds)
{
	const uint64_t colons = (uint64_t)(':' - '0') << 16 | (uint64_t)(':' - '0') << 40;
	uint32_t s = (uint32_t)seconds, hours = s / HOUR, minutes = s / MINUTE % 60;
	uint64_t digits = sheaf_eight_digits(hours * 1000000 + minutes * 1000 + s % MINUTE);
	sheaf_store_u64le(to, (digits | SHEAF_ZEROS) + colons);
	return to + 8;
}

static __attribute__((noinline)) void print_day(sheaf_day *day, int64_t days)
{
	date d = date_of(days);
	char *to = put_year(day->text, d.year);
	*to++ = '-';
	to = put_two(to, d.month);
	*to++ = '-';
	to = put_two(to, d.day);
	day->days = days;
	day->size = (int)(to - day->text);
}

char *sheaf_print_datetime_near(char *to, int64_t seconds, char between, sheaf_day *day)
{
	int64_t days = seconds / DAY, rest = seconds % DAY;
	if (rest < 0) days--, rest += DAY;
	if (days != day->days || day->size == 0) print_day(day, days);
	memcpy(to, day->text, sizeof day->text);
	to += day->size;
	*to++ = between;
	return put_clock(to, rest);
}

char *sheaf_print_datetime(char *to, int64_t seconds, char between)
{
	sheaf_day day = {0};
	return sheaf_print_datetime_near(to, seconds, between, &day);
}

char *sheaf_print_offset(char *to, int64_t seconds)
{
	uint64_t n = seconds < 0 ? 0 - (uint64_t)seconds : (uint64_t)seconds;
	*to++ = seconds < 0 ? '-' : '+';
	uint64_t hours = n / HOUR;
	if (hours < 10) *to++ = '0';
	to = sheaf_print_u64(to, hours);
	*to++ = ':';
	to = put_two(to, (int64_t)(n / MINUTE % 60));
	if (n % MINUTE == 0) return to;
	*to++ = ':';
	return put_two(to, (int64_t)(n % MINUTE));
}

/* ---- reading ---- */

static bool is_digit(const char *at, const char *end) { return at < end && *at >= '0' && *at <= '9'; }

/* Two digits of a number of at most `most`, after `before` where that is no NUL. */
static const char *scan_two(const char *at, const char *end, char before, int64_t most, int64_t *out)
{
	if (!at || (before && (at == end || *at++ != before)) || !is_digit(at, end) || !is_digit(at + 1, end))
		return NULL;
	*out = (at[0] - '0') * 10 + (at[1] - '0');
	return *out <= most ? at + 2 : NULL;
}

/* Four digits, or more that do not begin with a 0. */
static const char *scan_year(const char *at, const char *end, int64_t *year)
{
	enum { LEAST = 4, MOST = 12 };
	bool negative = at < end && *at == '-';
	const char *first = at += negative;
	for (*year = 0; is_digit(at, end) && at - first < MOST; at++) *year = *year * 10 + (*at - '0');
	if (at - first < LEAST || (at - first > LEAST && *first == '0') || (negative && *year == 0)) return NULL;
	if (negative) *year = -*year;
	return at;
}

static bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static bool is_date(date d)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return d.month >= 1 && d.month <= 12 && d.day >= 1 &&
	       d.day <= lengths[d.month - 1] + (d.month == 2 && is_leap(d.year));
}

/* The inverse of date_of. */
static int64_t days_of(date d)
{
	enum { SHIFT = 719468, ERA = 146097 };
	int64_t year = d.year - (d.month <= 2), era = (year >= 0 ? year : year - 399) / 400,
			in_era = year - era * 400;
	int64_t in_year = (153 * (d.month > 2 ? d.month - 3 : d.month + 9) + 2) / 5 + d.day - 1;
	return era * ERA + in_era * 365 + in_era / 4 - in_era / 100 + in_year - SHIFT;
}

static const char *scan_clock(const char *at, const char *end, int64_t *seconds)
{
	int64_t hours, minutes, rest;
	at = scan_two(at, end, '\0', 23, &hours);
	at = scan_two(at, end, ':', 59, &minutes);
	at = scan_two(at, end, ':', 59, &rest);
	if (at) *seconds = hours * HOUR + minutes * MINUTE + rest;
	return at;
}

const char *sheaf_scan_datetime(const char *at, const char *end, int64_t *seconds)
{
	int64_t year, month, day, clock;
	if (!(at = scan_year(at, end, &year))) return NULL;
	at = scan_two(at, end, '-', 12, &month);
	at = scan_two(at, end, '-', 31, &day);
	if (!at || !is_date((date){year, (int)month, (int)day}) || at == end || (*at != ' ' && *at != 'T'))
		return NULL;
	if (!(at = scan_clock(at + 1, end, &clock))) return NULL;
	/* Days before 1970 are counted down to midnight: the smallest number of seconds is on a day whose
	 * beginning is out of range. */
	int64_t days = days_of((date){year, (int)month, (int)day});
	if (days < 0) days++, clock -= DAY;
	return __builtin_mul_overflow(days, (int64_t)DAY, seconds) ||
	               __builtin_add_overflow(*seconds, clock, seconds)
	           ? NULL
	           : at;
}

const char *sheaf_scan_offset(const char *at, const char *end, int64_t *seconds)
{
	enum { LONGEST = 16 };
	int64_t hours = 0, minutes, rest = 0;
	if (at == end || (*at != '+' && *at != '-')) return NULL;
	bool negative = *at++ == '-';
	const char *first = at;
	for (; is_digit(at, end) && at - first < LONGEST; at++) hours = hours * 10 + (*at - '0');
	if (at - first < 2 || !(at = scan_two(at, end, ':', 59, &minutes))) return NULL;
	const char *more = scan_two(at, end, ':', 59, &rest);
	int64_t sign = negative ? -1 : 1, below_hours = minutes * MINUTE + (more ? rest : 0);
	if (__builtin_mul_overflow(sign * hours, (int64_t)HOUR, seconds) ||
	    __builtin_add_overflow(*seconds, sign * below_hours, seconds))
		return NULL;
	return more ? more : at;
}
