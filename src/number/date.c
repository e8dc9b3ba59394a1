/* SPDX-License-Identifier: MIT */
/* Seconds into years, months and days, and back. */
#include "number/date.h"
#include "number/digits.h"
#include "number/number.h"
#include <stddef.h>
#include <string.h>

enum { MINUTE = 60, HOUR = 3600, DAY = SHEAF_DAY_SECONDS };

typedef struct date {
	int64_t year;
	int month, day;
} date;

/* Days are counted from 0000-03-01, so that leap days come last in their year, and by eras of 400 years,
 * which all have the same length. */
static date date_of(int64_t days_since_1970)
{
	enum { SHIFT = 719468, ERA = 146097, CENTURY = 36524, FOUR_YEARS = 1460 };
	int64_t days = days_since_1970 % ERA + SHIFT; /* of any 64 bits */
	int64_t era = days_since_1970 / ERA + days / ERA, in_era = days % ERA;
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

/* Eight digits, two of which are zeros and become colons. */
static char *put_clock(char *to, int64_t seconds)
{
	const uint64_t colons = (uint64_t)(':' - '0') << 16 | (uint64_t)(':' - '0') << 40;
	uint32_t s = (uint32_t)seconds, hours = s / HOUR, minutes = s / MINUTE % 60;
	uint64_t digits = sheaf_eight_digits(hours * 1000000 + minutes * 1000 + s % MINUTE);
	sheaf_store_u64le(to, (digits | SHEAF_ZEROS) + colons);
	return to + 8;
}

/* Prints a day into the memory of the last one. */
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

char *sheaf_print_day_near(char *to, int64_t days, sheaf_day *day)
{
	if (days != day->days || day->size == 0) print_day(day, days);
	memcpy(to, day->text, sizeof day->text);
	return to + day->size;
}

char *sheaf_print_datetime_near(char *to, int64_t seconds, char between, sheaf_day *day)
{
	int64_t days = seconds / DAY, rest = seconds % DAY;
	if (rest < 0) days--, rest += DAY;
	to = sheaf_print_day_near(to, days, day);
	*to++ = between;
	return put_clock(to, rest);
}

char *sheaf_print_datetime(char *to, int64_t seconds, char between)
{
	sheaf_day day = {0};
	return sheaf_print_datetime_near(to, seconds, between, &day);
}

/* ---- parts of a second ---- */

static int64_t power_of_ten(int digits)
{
	static const int64_t powers[] = {1,      10,      100,      1000,      10000,
	                                 100000, 1000000, 10000000, 100000000, 1000000000};
	return powers[digits];
}

int64_t sheaf_split_time(int64_t parts, int digits, int32_t *nanoseconds)
{
	int64_t scale = power_of_ten(digits), seconds = parts / scale, rest = parts % scale;
	if (rest < 0) seconds--, rest += scale;
	*nanoseconds = (int32_t)(rest * power_of_ten(9 - digits));
	return seconds;
}

bool sheaf_is_clock(int64_t parts, int digits) { return parts >= 0 && parts / power_of_ten(digits) < DAY; }

bool sheaf_join_time(int64_t seconds, int32_t nanoseconds, int digits, int64_t *parts)
{
	int64_t scale = power_of_ten(digits), below = power_of_ten(9 - digits), rest = nanoseconds / below;
	if (nanoseconds % below) return false;
	/* Below zero seconds are rounded down, and may be out of range by themselves. */
	if (seconds < 0 && rest) seconds++, rest -= scale;
	return !__builtin_mul_overflow(seconds, scale, parts) && !__builtin_add_overflow(*parts, rest, parts);
}

static char *put_fraction(char *to, int64_t nanoseconds, int digits)
{
	if (digits == 0) return to;
	*to++ = '.';
	for (int64_t v = nanoseconds, scale = power_of_ten(8); digits > 0; digits--, scale /= 10) {
		*to++ = (char)('0' + v / scale);
		v %= scale;
	}
	return to;
}

char *sheaf_print_time_near(char *to, int64_t parts, int digits, char between, sheaf_day *day)
{
	int32_t nanoseconds;
	if (digits == 0) return sheaf_print_datetime_near(to, parts, between, day);
	int64_t seconds = sheaf_split_time(parts, digits, &nanoseconds);
	return put_fraction(sheaf_print_datetime_near(to, seconds, between, day), nanoseconds, digits);
}

char *sheaf_print_clock(char *to, int64_t parts, int digits)
{
	int32_t nanoseconds;
	if (!sheaf_is_clock(parts, digits)) return sheaf_print_duration(to, parts, digits); /* made by hand */
	int64_t seconds = sheaf_split_time(parts, digits, &nanoseconds);
	return put_fraction(put_clock(to, seconds), nanoseconds, digits);
}

char *sheaf_print_duration(char *to, int64_t parts, int digits)
{
	uint64_t n = parts < 0 ? 0 - (uint64_t)parts : (uint64_t)parts, scale = (uint64_t)power_of_ten(digits);
	if (parts < 0) *to++ = '-';
	to = sheaf_print_u64(to, n / scale);
	return put_fraction(to, (int64_t)(n % scale) * power_of_ten(9 - digits), digits);
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

/* Reads a number of two digits, at most `most`, after the byte `before` if that is not NUL, and returns the
 * position after it; NULL if there is none, or if `at` is NULL, since an earlier part was none. */
static const char *scan_two(const char *at, const char *end, char before, int64_t most, int64_t *out)
{
	if (!at || (before && (at == end || *at++ != before)) || !is_digit(at, end) || !is_digit(at + 1, end))
		return NULL;
	*out = (at[0] - '0') * 10 + (at[1] - '0');
	return *out <= most ? at + 2 : NULL;
}

/* Reads a year: four digits, or more that do not begin with a 0, and a sign only if it is negative. NULL if
 * there is none. */
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

/* A month has at most 31 days, so months beyond `most` are beyond 64 bits of seconds in any case. */
bool sheaf_seconds_of_month(int64_t months, int64_t *seconds)
{
	enum { FIRST_YEAR = 1970, YEAR = 12 };
	const int64_t most = INT64_MAX / DAY / 32;
	if (months > most || months < -most) return false;
	int64_t year = months / YEAR, month = months % YEAR;
	if (month < 0) year--, month += YEAR;
	int64_t days = days_of((date){.year = year + FIRST_YEAR, .month = (int)month + 1, .day = 1});
	return !__builtin_mul_overflow(days, (int64_t)DAY, seconds);
}

static const char *scan_minutes(const char *at, const char *end, int64_t *seconds)
{
	int64_t hours, minutes;
	at = scan_two(at, end, '\0', 23, &hours);
	at = scan_two(at, end, ':', 59, &minutes);
	if (at) *seconds = hours * HOUR + minutes * MINUTE;
	return at;
}

static const char *scan_clock(const char *at, const char *end, int64_t *seconds)
{
	int64_t rest;
	at = scan_two(scan_minutes(at, end, seconds), end, ':', 59, &rest);
	if (at) *seconds += rest;
	return at;
}

static const char *scan_date(const char *at, const char *end, int64_t *days)
{
	int64_t year, month, day;
	if (!(at = scan_year(at, end, &year))) return NULL;
	at = scan_two(at, end, '-', 12, &month);
	at = scan_two(at, end, '-', 31, &day);
	if (!at || !is_date((date){year, (int)month, (int)day})) return NULL;
	*days = days_of((date){year, (int)month, (int)day});
	return at;
}

/* Joins a day and a time of day, in seconds; false if they are beyond 64 bits. Days before 1970 are counted
 * down from the midnight at their end: the smallest number of seconds falls on a day whose beginning is out
 * of range. */
static bool join_day(int64_t days, int64_t clock, int64_t *seconds)
{
	if (days < 0) days++, clock -= DAY;
	return !__builtin_mul_overflow(days, (int64_t)DAY, seconds) &&
	       !__builtin_add_overflow(*seconds, clock, seconds);
}

/* The number of two digits; 100 if one of them is none. */
static inline unsigned two_digits(const char *at)
{
	unsigned tens = (uint8_t)(at[0] - '0'), ones = (uint8_t)(at[1] - '0');
	return ((tens > 9) | (ones > 9)) ? 100 : tens * 10 + ones;
}

enum { USUAL_DAY = 10, USUAL_TIME = 19 };

/* A day of the usual bytes, after the year 0; false for any other. */
static inline bool scan_usual_day(const char *at, int64_t *days)
{
	unsigned century = two_digits(at), of_century = two_digits(at + 2), month = two_digits(at + 5),
			 day = two_digits(at + 8);
	bool fits = (century < 100) & (of_century < 100) & (month - 1 < 12) & (day - 1 < 31) & (at[4] == '-') &
	            (at[7] == '-');
	date d = {(int)(century * 100 + of_century), (int)month, (int)day};
	if (!fits || d.year == 0 || !is_date(d)) return false;
	*days = days_of(d);
	return true;
}

/* The same for a time. */
static bool scan_usual(const char *at, int64_t *seconds)
{
	int64_t days;
	unsigned hour = two_digits(at + 11), minute = two_digits(at + 14), second = two_digits(at + 17);
	bool fits = ((at[10] == ' ') | (at[10] == 'T')) & (at[13] == ':') & (at[16] == ':') & (hour < 24) &
	            (minute < 60) & (second < 60);
	if (!fits || !scan_usual_day(at, &days)) return false;
	*seconds = days * DAY + (int64_t)(hour * HOUR + minute * MINUTE + second);
	return true;
}

const char *sheaf_scan_datetime(const char *at, const char *end, int64_t *seconds)
{
	if (end - at >= USUAL_TIME && scan_usual(at, seconds)) return at + USUAL_TIME;
	int64_t days, clock;
	at = scan_date(at, end, &days);
	if (!at || at == end || (*at != ' ' && *at != 'T')) return NULL;
	if (!(at = scan_clock(at + 1, end, &clock))) return NULL;
	return join_day(days, clock, seconds) ? at : NULL;
}

/* Reads a fraction of one to nine digits after its point, and returns the position after it; `at` itself if
 * there is no point, NULL if there is no digit after it. */
static const char *scan_fraction(const char *at, const char *end, int32_t *nanoseconds, int *digits)
{
	enum { MOST = 9 };
	*nanoseconds = 0;
	*digits = 0;
	if (at == end || *at != '.') return at;
	for (at++; is_digit(at, end) && *digits < MOST; at++, ++*digits)
		*nanoseconds = *nanoseconds * 10 + (*at - '0');
	*nanoseconds *= (int32_t)power_of_ten(MOST - *digits);
	return *digits ? at : NULL;
}

const char *sheaf_scan_time(const char *at, const char *end, int64_t *seconds, int32_t *nanoseconds,
                            int *digits)
{
	int64_t days, clock;
	const char *after = sheaf_scan_datetime(at, end, seconds);
	*digits = 0;
	*nanoseconds = 0;
	if (after) return scan_fraction(after, end, nanoseconds, digits);
	at = scan_date(at, end, &days);
	if (!at || at == end || (*at != ' ' && *at != 'T')) return NULL;
	at = scan_minutes(at + 1, end, &clock);
	return at && join_day(days, clock, seconds) ? at : NULL;
}

const char *sheaf_scan_day(const char *at, const char *end, int64_t *days)
{
	if (end - at == USUAL_DAY && scan_usual_day(at, days)) return end;
	const int64_t most = INT64_MAX / DAY; /* also as seconds within 64 bits */
	at = scan_date(at, end, days);
	return at && *days <= most && *days >= -most ? at : NULL;
}

const char *sheaf_scan_clock(const char *at, const char *end, int64_t *seconds, int32_t *nanoseconds,
                             int *digits)
{
	const char *after = scan_clock(at, end, seconds);
	*digits = 0;
	*nanoseconds = 0;
	return after ? scan_fraction(after, end, nanoseconds, digits) : scan_minutes(at, end, seconds);
}

/* A span is counted below zero, whatever its sign, as the smallest number has no positive counterpart. */
const char *sheaf_scan_duration(const char *at, const char *end, int digits, int64_t *parts)
{
	int32_t nanoseconds;
	int given;
	bool negative = at < end && *at == '-';
	const char *first = at += negative || (at < end && *at == '+');
	int64_t seconds = 0; /* below zero: the smallest number has no positive counterpart */
	for (; is_digit(at, end); at++)
		if (__builtin_mul_overflow(seconds, (int64_t)10, &seconds) ||
		    __builtin_sub_overflow(seconds, (int64_t)(*at - '0'), &seconds))
			return NULL;
	if (at == first || !(at = scan_fraction(at, end, &nanoseconds, &given))) return NULL;
	if (nanoseconds % power_of_ten(9 - digits)) return NULL;
	int64_t rest = nanoseconds / power_of_ten(9 - digits);
	if (__builtin_mul_overflow(seconds, power_of_ten(digits), parts) ||
	    __builtin_sub_overflow(*parts, rest, parts))
		return NULL;
	if (!negative && *parts == INT64_MIN) return NULL;
	if (!negative) *parts = -*parts;
	return at;
}

const char *sheaf_scan_zone(const char *at, const char *end, int64_t *seconds)
{
	int64_t hours = 0, minutes = 0;
	*seconds = 0;
	if (at < end && *at == ' ') at++;
	if (at < end && (*at == 'Z' || *at == 'z')) return at + 1;
	const char *long_form = sheaf_scan_offset(at, end, seconds);
	if (long_form || at == end || (*at != '+' && *at != '-')) return long_form;
	const char *after = scan_two(at + 1, end, '\0', 99, &hours);
	if (after && is_digit(after, end)) after = scan_two(after, end, '\0', 59, &minutes);
	*seconds = (*at == '-' ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
	return after;
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

/* What is seen of a time, by its seconds and the number of digits after its point: which unit it needs, and
 * in which units 64 bits do not hold it. */
static unsigned see_fraction(int64_t seconds, int digits)
{
	const int64_t thousandths = INT64_MAX / 1000 - 1, millionths = thousandths / 1000,
				  billionths = millionths / 1000;
	unsigned far = (seconds > thousandths || seconds < -thousandths ? (unsigned)SHEAF_SEEN_FAR_3 : 0) |
	               (seconds > millionths || seconds < -millionths ? (unsigned)SHEAF_SEEN_FAR_6 : 0) |
	               (seconds > billionths || seconds < -billionths ? (unsigned)SHEAF_SEEN_FAR_9 : 0);
	return far | (digits > 6   ? (unsigned)SHEAF_SEEN_FRACTION_9
	              : digits > 3 ? (unsigned)SHEAF_SEEN_FRACTION_6
	              : digits > 0 ? (unsigned)SHEAF_SEEN_FRACTION_3
	                           : 0);
}

/* What a text that has a date's dash is: a day, or a time with or without a zone; 0: none of these. */
static unsigned see_day(const char *at, const char *end)
{
	int64_t days, seconds, offset;
	int32_t nanoseconds;
	int digits;
	if (sheaf_scan_day(at, end, &days) == end) return SHEAF_SEEN_DATE;
	const char *after = sheaf_scan_time(at, end, &seconds, &nanoseconds, &digits);
	if (!after) return 0;
	if (after == end) return SHEAF_SEEN_TIME | see_fraction(seconds, digits);
	return sheaf_scan_zone(after, end, &offset) == end ? SHEAF_SEEN_ZONED | see_fraction(seconds, digits) : 0;
}

unsigned sheaf_see_time(const char *at, const char *end)
{
	enum { SHORTEST_DATE = 10, DASH = 4, SHORTEST_CLOCK = 5, COLON = 2 };
	int64_t seconds;
	int32_t nanoseconds;
	int digits;
	if (end - at >= SHORTEST_DATE && memchr(at + DASH, '-', (size_t)(end - at - DASH)))
		return see_day(at, end);
	if (end - at < SHORTEST_CLOCK || at[COLON] != ':') return 0;
	at = sheaf_scan_clock(at, end, &seconds, &nanoseconds, &digits);
	return at == end ? SHEAF_SEEN_CLOCK | see_fraction(seconds, digits) : 0;
}
