/* SPDX-License-Identifier: MIT */
/* Points in time as text: the proleptic Gregorian calendar, whatever the locale and the zone of the
 * machine. */
#ifndef SHEAF_NUMBER_DATE_H
#define SHEAF_NUMBER_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* Room that the following functions need at most. */
enum { SHEAF_DATE_MAX = 48, SHEAF_DAY_SECONDS = 86400 };

/* Print and return one past the text; no NUL. Seconds since 1970-01-01 00:00:00 as "2012-05-25T14:13:29",
 * with `between` instead of the T; years have four digits, more if they need them, and a sign if they are
 * negative (year 0 is 1 BC). */
char *sheaf_print_datetime(char *to, int64_t seconds, char between);
/* The day that was printed last, which consecutive dates mostly share. Begins as zeros. */
typedef struct sheaf_day {
	int64_t days; /* since 1970-01-01 */
	int size;     /* 0: none yet */
	char text[24];
} sheaf_day;
/* The same, but all of to[SHEAF_DATE_MAX] may be written. */
char *sheaf_print_datetime_near(char *to, int64_t seconds, char between, sheaf_day *day);
/* A number of seconds and fractional parts, of which a second has 10 to the power of `digits`, as such a time
 * with its fraction: "2012-05-25T14:13:29.500"; and as a decimal number: "-0.500". */
char *sheaf_print_time_near(char *to, int64_t parts, int digits, char between, sheaf_day *day);
/* A day, counted from 1970-01-01: "2012-05-25"; and a time of day: "14:13:29.500". */
char *sheaf_print_day_near(char *to, int64_t days, sheaf_day *day);
char *sheaf_print_clock(char *to, int64_t parts, int digits);
char *sheaf_print_duration(char *to, int64_t parts, int digits);
/* An offset in seconds as "+02:00", with seconds if it has any. */
char *sheaf_print_offset(char *to, int64_t seconds);

/* Return the end of the text that was read, or NULL if there is none of this kind, or it is beyond 64 bits.
 * "2012-05-25 14:13:29", with a blank or a T in between: exactly what sheaf_print_datetime prints. */
const char *sheaf_scan_datetime(const char *at, const char *end, int64_t *seconds);
/* The same, where the seconds may be left out, or have a fraction of 1 to 9 digits: *digits becomes their
 * number, 0 if there is none. */
const char *sheaf_scan_time(const char *at, const char *end, int64_t *seconds, int32_t *nanoseconds,
                            int *digits);
/* What the first two print; seconds may be left out here, too. */
const char *sheaf_scan_day(const char *at, const char *end, int64_t *days);
const char *sheaf_scan_clock(const char *at, const char *end, int64_t *seconds, int32_t *nanoseconds,
                             int *digits);
/* Seconds and their fraction, which may have as many digits as `digits` says, followed by zeros: "-0.5". */
const char *sheaf_scan_duration(const char *at, const char *end, int digits, int64_t *parts);
/* Both as one number of parts; false if it does not fit 64 bits, or digits would be lost. */
bool sheaf_join_time(int64_t seconds, int32_t nanoseconds, int digits, int64_t *parts);
/* Whether such a number of parts is a time of day. */
bool sheaf_is_clock(int64_t parts, int digits);
/* The reverse: whole seconds, and the nanoseconds after them. */
int64_t sheaf_split_time(int64_t parts, int digits, int32_t *nanoseconds);
/* Where a month begins, counted from January 1970; false beyond 64 bits of seconds. */
bool sheaf_seconds_of_month(int64_t months, int64_t *seconds);
/* An offset in ISO 8601's notations: as below, "+0200", "+02", or "Z"; a blank may come first. */
const char *sheaf_scan_zone(const char *at, const char *end, int64_t *seconds);
/* "+02:00", "-00:30", "+01:00:30". */
const char *sheaf_scan_offset(const char *at, const char *end, int64_t *seconds);

/* What a text is as a point in time; that of all texts of a column, put together, shows which type holds
 * them (sheaf_time_seen). */
enum {
	/* How many digits their fractions need, and whether 64 bits overflow if they count thousandths,
	 * millionths or billionths of a second. */
	SHEAF_SEEN_FRACTION_3 = 1 << 12,
	SHEAF_SEEN_FRACTION_6 = 1 << 13,
	SHEAF_SEEN_FRACTION_9 = 1 << 14,
	SHEAF_SEEN_FAR_3 = 1 << 15,
	SHEAF_SEEN_FAR_6 = 1 << 16,
	SHEAF_SEEN_FAR_9 = 1 << 17,
	SHEAF_SEEN_DATE = 1 << 18,
	SHEAF_SEEN_CLOCK = 1 << 19, /* a time of day */
	SHEAF_SEEN_TIME = 1 << 20,
	SHEAF_SEEN_ZONED = 1 << 21
};
/* 0: the whole text is none. */
unsigned sheaf_see_time(const char *at, const char *end);

#endif
