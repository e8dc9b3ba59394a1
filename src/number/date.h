/* SPDX-License-Identifier: MIT */
/* Points in time as text: the proleptic Gregorian calendar, whatever the locale and the zone of the
 * machine. */
#ifndef SHEAF_NUMBER_DATE_H
#define SHEAF_NUMBER_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* Room that either of the following may need. */
enum { SHEAF_DATE_MAX = 48 };

/* Print and return one past the text; no NUL. Seconds since 1970-01-01 00:00:00 as "2012-05-25T14:13:29",
 * `between` standing for the T; years have four digits, more where they need them, and a sign where they are
 * negative (year 0 is 1 BC). */
char *sheaf_print_datetime(char *to, int64_t seconds, char between);
/* The day that was printed last, which dates one after the other mostly share. Begins as zeros. */
typedef struct sheaf_day {
	int64_t days; /* since 1970-01-01 */
	int size;     /* 0: none yet */
	char text[24];
} sheaf_day;
/* The same, and all of to[SHEAF_DATE_MAX] may be written. */
char *sheaf_print_datetime_near(char *to, int64_t seconds, char between, sheaf_day *day);
/* A number of seconds and parts of them, of which there are 10 to the power of `digits` in a second, as such
 * a time with its fraction: "2012-05-25T14:13:29.500"; and as a decimal number: "-0.500". */
char *sheaf_print_time_near(char *to, int64_t parts, int digits, char between, sheaf_day *day);
char *sheaf_print_duration(char *to, int64_t parts, int digits);
/* An offset in seconds as "+02:00", with seconds where it has any. */
char *sheaf_print_offset(char *to, int64_t seconds);

/* What stands after the text that was read, or NULL where there is none of this kind, or one beyond 64 bits.
 * "2012-05-25 14:13:29", with a blank or a T in between: exactly what sheaf_print_datetime prints. */
const char *sheaf_scan_datetime(const char *at, const char *end, int64_t *seconds);
/* The same with a fraction of 1 to 9 digits, if there is one: *digits gets how many of them there are, 0
 * where there is none. */
const char *sheaf_scan_time(const char *at, const char *end, int64_t *seconds, int32_t *nanoseconds,
                            int *digits);
/* Seconds and their fraction, of which there may be as many digits as 10 to that power are parts of a second,
 * and zeros: "-0.5". */
const char *sheaf_scan_duration(const char *at, const char *end, int digits, int64_t *parts);
/* As many parts as both are; false where 64 bits do not hold them, or digits would get lost. */
bool sheaf_join_time(int64_t seconds, int32_t nanoseconds, int digits, int64_t *parts);
/* The other way round: whole seconds, and how many nanoseconds later it is. */
int64_t sheaf_split_time(int64_t parts, int digits, int32_t *nanoseconds);
/* Where a month begins, counted from January 1970; false beyond 64 bits of seconds. */
bool sheaf_seconds_of_month(int64_t months, int64_t *seconds);
/* An offset as ISO 8601 has it: one as below, "+0200", "+02", or "Z". */
const char *sheaf_scan_zone(const char *at, const char *end, int64_t *seconds);
/* "+02:00", "-00:30", "+01:00:30". */
const char *sheaf_scan_offset(const char *at, const char *end, int64_t *seconds);

#endif
