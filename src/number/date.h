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
/* An offset in seconds as "+02:00", with seconds where it has any. */
char *sheaf_print_offset(char *to, int64_t seconds);

/* What stands after the text that was read, or NULL where there is none of this kind, or one beyond 64 bits.
 * "2012-05-25 14:13:29", with a blank or a T in between: exactly what sheaf_print_datetime prints. */
const char *sheaf_scan_datetime(const char *at, const char *end, int64_t *seconds);
/* "+02:00", "-00:30", "+01:00:30". */
const char *sheaf_scan_offset(const char *at, const char *end, int64_t *seconds);

#endif
