/* SPDX-License-Identifier: MIT */
/* Values of any element type in one canonical form, so that comparing, hashing, casting and statistics are
 * written once. */
#ifndef SHEAF_FRAME_VALUE_H
#define SHEAF_FRAME_VALUE_H

#include <sheaf/frame.h>

/* A number is `nearest` + `rest`: the double nearest to it and, for 64-bit integers that no double holds, the
 * difference. Each number has one such pair, whatever type it came from; all NaNs are the same. */
typedef struct sheaf_canon {
	double nearest;
	int64_t rest;
} sheaf_canon;

/* Canonical forms of values[at .. at+n). */
void sheaf_canon_values(sheaf_type type, const void *values, int64_t at, int64_t n, sheaf_canon *out);
/* The same for a column's values; times of any unit become comparable. */
void sheaf_canon_items(const sheaf_column *column, int64_t at, int64_t n, sheaf_canon *out);
/* Stores canonical values as another type, into `values` from position `at` on; returns how many had to
 * change. Values that do not fit become the nearest one that does; a NaN becomes 0 in integers. */
int64_t sheaf_canon_store(sheaf_type type, const sheaf_canon *from, int64_t n, void *values, int64_t at);

/* The same bits: -0 is not 0, a NaN is a NaN. */
bool sheaf_canon_equal(sheaf_canon a, sheaf_canon b);

/* Shortest text that reads back to the value; at least SHEAF_NUMBER_MAX bytes of room; returns the end. */
char *sheaf_value_print(sheaf_type type, const void *values, int64_t at, char *to);

#endif
