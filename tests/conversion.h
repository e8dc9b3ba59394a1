/* SPDX-License-Identifier: MIT */
/* Conversions of small files, tried and compared byte by byte: for tests of what a format writes, what it
 * loses and what it says. */
#ifndef SHEAF_TESTS_CONVERSION_H
#define SHEAF_TESTS_CONVERSION_H

#include "record.h"

/* What a conversion of one file into another comes to. */
typedef struct conversion {
	const char *from, *input, *to, *settings;
	sheaf_status status;
	const char *output, *told; /* the whole file; a part of a message. NULL: nothing */
} conversion;

/* Runs one in the `folder` of the tests; of a binary input or output the size says how long it is, 0: it is a
 * text. */
void check_conversion(const conversion *c, size_t input_size, size_t output_size);

/* Runs them all, each in the `folder` of the tests, and fails where something else comes out; a whole
 * program's main. */
int check_conversions(const conversion *conversions, size_t n);

/* Begins *r and opens a file whose tensor is to be one row. */
sheaf_status open_whole(record *r, const char *file, sheaf_dataset **out);
/* The levels of one row, as entries again, are those that the file gives by itself: both are written to the
 * file `to` in the `folder`. */
void check_whole(const char *file, const char *to);

#endif
