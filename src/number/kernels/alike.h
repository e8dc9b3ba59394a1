/* SPDX-License-Identifier: MIT */
/* Short lines of whole numbers that are alike: each has the same bytes but for the digits of its numbers. Who
 * knows one of them knows what stands where in the next: so their numbers are read by columns, and nothing
 * else of the lines is looked at but whether they are alike. */
#ifndef SHEAF_NUMBER_KERNELS_ALIKE_H
#define SHEAF_NUMBER_KERNELS_ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SHEAF_ALIKE_BYTES = 64,   /* of a line, its feed included */
	SHEAF_ALIKE_NUMBERS = 16, /* on a line */
	SHEAF_ALIKE_DIGITS = 8,   /* of a number */
	SHEAF_ALIKE_LINES = 128   /* at a time */
};

/* What lines that are alike have in common. */
typedef struct sheaf_line_shape {
	uint8_t others[SHEAF_ALIKE_BYTES]; /* the bytes that are no digits, the last of them a line feed; zeros
	                                      after it */
	uint64_t numbered;                 /* bit i: a number ends at byte i of these */
	int numbers;
	uint32_t fixed; /* bit i: the digits of number i are the same on all lines, as those of a name are: */
	uint8_t digits[SHEAF_ALIKE_NUMBERS][SHEAF_ALIKE_DIGITS]; /* with zeros before them; of other numbers
	                                                            zeros alone */
} sheaf_line_shape;

/* Lines as they are read. */
typedef struct sheaf_alike {
	const sheaf_line_shape *shape;
	const uint8_t *at, *end;          /* `at` is the first byte of a line, before and after */
	int count;                        /* lines read */
	uint32_t ends[SHEAF_ALIKE_LINES]; /* of each, its end after where `at` was */
	uint32_t numbers[SHEAF_ALIKE_LINES][SHEAF_ALIKE_NUMBERS]; /* what is after the shape's is not said */
	uint32_t most[SHEAF_ALIKE_NUMBERS];                       /* the largest of each number */
} sheaf_alike;

/* Reads lines as long as they are alike, at most SHEAF_ALIKE_LINES of them; fewer are right as well. */
typedef void sheaf_alike_reader(sheaf_alike *run);

/* The shape of the line [line, end), which ends with its feed. False where it has too much of anything.
 * Nothing is fixed yet. */
bool sheaf_line_shape_of(const uint8_t *line, const uint8_t *end, sheaf_line_shape *out);

#endif
