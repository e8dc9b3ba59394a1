/* SPDX-License-Identifier: MIT */
/* Bytes that separate parts of a text, found 64 bytes at a time: one bit for each byte that is one of a
 * few. */
#ifndef SHEAF_NUMBER_KERNELS_MARKS_H
#define SHEAF_NUMBER_KERNELS_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHEAF_MARKS = 4, SHEAF_MARKS_BLOCK = 64 };

/* A walk over the bytes of [at, end) that are one of `bytes`, some of which may be equal. */
typedef struct sheaf_marks {
	const uint8_t *block, *end;
	uint64_t mask; /* of the block: the remaining ones */
	uint8_t bytes[SHEAF_MARKS];
} sheaf_marks;

/* Those of 64 bytes. */
uint64_t sheaf_marks_of_block(const uint8_t *block, const uint8_t bytes[SHEAF_MARKS]);

void sheaf_marks_begin(sheaf_marks *marks, const uint8_t *at, const uint8_t *end,
                       const uint8_t bytes[SHEAF_MARKS]);
/* Moves to the next block that has one; false if there is none. */
bool sheaf_marks_refill(sheaf_marks *marks);

/* The next one, or NULL. */
static inline const uint8_t *sheaf_marks_next(sheaf_marks *marks)
{
	if (!marks->mask && !sheaf_marks_refill(marks)) return NULL;
	int bit = __builtin_ctzll(marks->mask);
	marks->mask &= marks->mask - 1;
	return marks->block + bit;
}

#endif
