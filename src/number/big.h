/* SPDX-License-Identifier: MIT */
/* Natural numbers of up to 3072 bits on the stack, with the few operations that an exact comparison needs.
 *
 * This is enough for the comparisons in decimal_to_binary.c: at most 799 digits (2655 bits) against a number
 * within a factor of two of them, both without the powers of two and five that they share. Larger numbers
 * would lose bits. */
#ifndef SHEAF_NUMBER_BIG_H
#define SHEAF_NUMBER_BIG_H

#include <stdint.h>

#define SHEAF_BIG_LIMBS 48

typedef struct sheaf_big {
	int count;                      /* number of limbs in use; the last one is not 0 */
	uint64_t limb[SHEAF_BIG_LIMBS]; /* lowest first */
} sheaf_big;

/* big * factor + addend */
void sheaf_big_mul_add(sheaf_big *big, uint64_t factor, uint64_t addend);
/* big * 5^n and big * 2^n */
void sheaf_big_mul_power5(sheaf_big *big, int n);
void sheaf_big_shift(sheaf_big *big, int n);
/* Below 0, 0, above 0 for a < b, a == b, a > b. */
int sheaf_big_compare(const sheaf_big *a, const sheaf_big *b);

#endif
