/* SPDX-License-Identifier: MIT */
/* Everything that a reading reports and gives, as text, so that two can be compared: rows, findings with
 * their places and counts, the outcome. */
#ifndef SHEAF_TESTS_READING_H
#define SHEAF_TESTS_READING_H

#include "guard.h"
#include <sheaf/sheaf.h>

typedef struct reading {
	char *said; /* NUL-terminated; the caller frees it */
	size_t size;
} reading;

/* How something is read. */
typedef struct reading_how {
	const char *format; /* NULL: found by content */
	const sheaf_setting *settings;
	int nsettings;
	bool validate, drop_incomplete;
	int64_t max_errors, piece_bytes;
	bool guarded; /* all memory, that of the input included, lies between guards, on that side */
	guard_side side;
} reading_how;

/* Reads with the kernel of that name. */
reading read_with(const char *kernel, const reading_how *how, sheaf_bytes input);
/* Fails at the first line that differs, and shows it with the input. */
void assert_same_reading(const char *kernel, const reading *wanted, const reading *found, sheaf_bytes input);

/* How a text is read by all kernels. */
typedef struct way {
	const char *format;
	sheaf_setting settings[4];
	bool validate;
	int64_t piece_bytes;
	bool drop_incomplete;
} way;

/* Each kernel of this machine reads and reports the same as the scanner alone. */
void compare_readings(const way *w, sheaf_bytes input);

#endif
