/* SPDX-License-Identifier: MIT */
/* Points in time as text: the proleptic Gregorian calendar, whatever the locale and the zone of the machine. */
#ifndef SHEAF_NUMBER_DATE_H
#define SHEAF_NUMBER_DATE_H

#include <stdint.h>

/* Room that either of the following may need. */
enum { SHEAF_DATE_MAX = 48 };

/* Print and return one past the text; no NUL. Seconds since 1970-01-01 00:00:00 as "2012-05-25T14:13:29", `between` standing for the T; years have
 * four digits, more where they need them, and a sign where they are negative (year 0 is 1 BC). */
char *sheaf_print_datetime(char *to, int64_t seconds, char between);
/* An offset in seconds as "+02:00", with seconds where it has any. */
char *sheaf_print_offset(char *to, int64_t seconds);

#endif
