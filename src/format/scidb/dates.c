/* SPDX-License-Identifier: MIT */
/* Dates in texts, in the layouts that the server knows: 2012-05-25 14:13:29, 5/25/2012 14:13, 25.5.2012
 * 14:13:29, 25MAY2012:14:13:29 and 25-MAY-12 02.13.29 PM, each also without a time. A time alone or "now",
 * whose value depends on the day on which it is read, is not accepted: the same file would not always give
 * the same result. */
#include "format/scidb/scidb.h"
#include "format/scidb/text.h"
#include "number/number.h"
#include <string.h>
#include <strings.h>

typedef struct scan {
	const char *at, *end;
} scan;

typedef struct date {
	int64_t year, month, day, hour, minute, second;
	int64_t fraction; /* its digits: not 0 if part of a second is cut off */
} date;

static void pass_blanks(scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t')) s->at++;
}

static bool take(scan *s, char c)
{
	bool is = s->at < s->end && *s->at == c;
	s->at += is;
	return is;
}

/* Up to `most` digits, at least one. */
static bool number(scan *s, int most, int64_t *out)
{
	uint64_t n;
	sheaf_scanned scanned = sheaf_scan_u64(s->at, s->end - s->at < most ? s->end : s->at + most, &n);
	*out = (int64_t)n;
	s->at = scanned.end;
	return !scanned.flaw;
}

/* h:m[:s[.digits]], with `mark` as the colon. */
static bool read_time(scan *s, char mark, date *d)
{
	if (!number(s, 2, &d->hour) || !take(s, mark) || !number(s, 2, &d->minute)) return false;
	if (take(s, mark) && !number(s, 2, &d->second)) return false;
	return mark == '.' || !take(s, '.') || number(s, 18, &d->fraction);
}

/* What follows the date: nothing, a time, or a zone. */
static bool read_optional_time(scan *s, date *d)
{
	(void)take(s, 'T');
	pass_blanks(s);
	if (s->at == s->end || *s->at == '+' || *s->at == '-') return true;
	return read_time(s, ':', d);
}

/* MAY2012[:time], or -MAY-12[ time AM|PM], whose hour is that of a clock of twelve hours. */
static bool read_named(scan *s, date *d)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	bool dash = take(s, '-');
	for (int m = 1; m <= 12 && s->end - s->at >= 3; m++)
		if (strncasecmp(s->at, names + 3 * (m - 1), 3) == 0) d->month = m;
	if (d->month == 0) return false;
	s->at += 3;
	if (take(s, '-') != dash || !number(s, 4, &d->year)) return false;
	if (!dash) return s->at == s->end || (take(s, ':') && read_time(s, ':', d));
	pass_blanks(s);
	if (s->at == s->end) return true;
	if (!read_time(s, '.', d)) return false;
	pass_blanks(s);
	bool morning = s->end - s->at >= 2 && strncasecmp(s->at, "am", 2) == 0,
		 afternoon = s->end - s->at >= 2 && strncasecmp(s->at, "pm", 2) == 0;
	s->at += morning || afternoon ? 2 : 0;
	d->hour = d->hour % 12 + (afternoon ? 12 : 0);
	return morning || afternoon;
}

/* The mark after the first number says what the date's layout is. */
static bool read_layout(scan *s, date *d)
{
	int64_t first;
	if (!number(s, 4, &first) || s->at == s->end) return false;
	if (sheaf_scidb_is_letter(*s->at) || (s->end - s->at > 1 && *s->at == '-' && (s->at[1] | 0x20) >= 'a')) {
		d->day = first;
		return read_named(s, d);
	}
	char mark = *s->at++;
	if (mark != '-' && mark != '/' && mark != '.') return false;
	int64_t *second = mark == '/' ? &d->day : &d->month, *third = mark == '-' ? &d->day : &d->year;
	*(mark == '-' ? &d->year : mark == '/' ? &d->month : &d->day) = first;
	return number(s, 2, second) && take(s, mark) && number(s, mark == '-' ? 2 : 4, third) &&
	       read_optional_time(s, d);
}

/* A date of the Gregorian calendar, and a time of day. */
static bool is_sound(const date *d)
{
	static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = d->year % 4 == 0 && (d->year % 100 != 0 || d->year % 400 == 0);
	if (d->month < 1 || d->month > 12 || d->day < 1 || d->day > days[d->month - 1] + (leap && d->month == 2))
		return false;
	return d->hour < 24 && d->minute < 60 && d->second < 60;
}

/* +02:00, or only the hours. */
static bool read_zone(scan *s, int64_t *offset)
{
	int64_t hours, minutes = 0;
	pass_blanks(s);
	bool negative = take(s, '-');
	if (!negative && !take(s, '+')) return false;
	if (!number(s, 2, &hours) || (take(s, ':') && !number(s, 2, &minutes)) || hours > 13 || minutes > 59)
		return false;
	*offset = (negative ? -1 : 1) * (3600 * hours + 60 * minutes);
	return true;
}

/* Blanks may be around the date. Years of two digits are those of this century, as on the server. */
const char *sheaf_scidb_read_date(const char *text, size_t size, bool zone, int64_t *seconds, int64_t *offset,
                                  bool *failed)
{
	scan s = {text, text + size};
	date d = {0};
	*seconds = *offset = 0;
	pass_blanks(&s);
	scan all = s;
	*failed = !read_layout(&s, &d) || (zone && !read_zone(&s, offset));
	pass_blanks(&s);
	if (d.year < 100) d.year += 2000;
	*failed |= s.at < s.end || !is_sound(&d);
	if (*failed) {
		*offset = 0;
		date clock = {0};
		while (all.at < all.end && (all.end[-1] == ' ' || all.end[-1] == '\t')) all.end--;
		bool of_the_day = sheaf_scidb_word_is((sheaf_name){all.at, (size_t)(all.end - all.at)}, "now") ||
		                  (read_time(&all, ':', &clock) && all.at == all.end);
		return of_the_day ? "a date that does not depend on the day on which it is read"
		                  : "the text of a date";
	}
	/* Days from 1970-01-01, counting years from March. */
	int64_t year = d.year - (d.month <= 2), month = (d.month + 9) % 12;
	int64_t days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + d.day - 719469;
	*seconds = 86400 * days + 3600 * d.hour + 60 * d.minute + d.second;
	return d.fraction ? "a date of whole seconds" : NULL;
}
