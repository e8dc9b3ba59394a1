/* SPDX-License-Identifier: MIT */
/* Seconds into years, months and days. */
#include "number/date.h"
#include "number/number.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

typedef struct date {
	int64_t year;
	int month, day;
} date;

/* Days are counted from 0000-03-01, so that leap days come last in their year, and by eras of 400 years, which are all of one length. */
static date date_of(int64_t days_since_1970)
{
	enum { SHIFT = 719468, ERA = 146097, CENTURY = 36524, FOUR_YEARS = 1460 };
	int64_t days = days_since_1970 + SHIFT;
	int64_t era = (days >= 0 ? days : days - (ERA - 1)) / ERA;
	int64_t in_era = days - era * ERA;
	int64_t year = (in_era - in_era / FOUR_YEARS + in_era / CENTURY - in_era / (ERA - 1)) / 365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * in_year + 2) / 153; /* from March; months come in fives of 153 days */
	date d = {.day = (int)(in_year - (153 * month + 2) / 5 + 1), .month = (int)(month < 10 ? month + 3 : month - 9)};
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

static char *put_clock(char *to, int64_t seconds)
{
	to = put_two(to, seconds / HOUR);
	*to++ = ':';
	to = put_two(to, seconds / MINUTE % 60);
	*to++ = ':';
	return put_two(to, seconds % MINUTE);
}

char *sheaf_print_datetime(char *to, int64_t seconds, char between)
{
	int64_t days = seconds / DAY, rest = seconds % DAY;
	if (rest < 0) days--, rest += DAY;
	date d = date_of(days);
	to = put_year(to, d.year);
	*to++ = '-';
	to = put_two(to, d.month);
	*to++ = '-';
	to = put_two(to, d.day);
	*to++ = between;
	return put_clock(to, rest);
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
