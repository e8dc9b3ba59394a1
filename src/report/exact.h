/* SPDX-License-Identifier: MIT */
/* Exact sums of doubles: the same whatever the order, and however they are cut into parts. */
#ifndef SHEAF_REPORT_EXACT_H
#define SHEAF_REPORT_EXACT_H

#include <stdint.h>

/* Digits to the base of 2^32, from 2^-1074 up to all that 2^63 doubles can sum up to. */
enum { SHEAF_EXACT_DIGITS = 70 };

/* Begins as zeros. */
typedef struct sheaf_exact {
	int64_t digits[SHEAF_EXACT_DIGITS];
	int64_t pending; /* numbers added since digits were last made small */
} sheaf_exact;

/* `v` must be finite. */
void sheaf_exact_add(sheaf_exact *sum, double v);
/* Adds a * b, but for what is below the least double. */
void sheaf_exact_add_product(sheaf_exact *sum, double a, double b);
void sheaf_exact_merge(sheaf_exact *sum, const sheaf_exact *other);
/* Makes every digit but the last one of 0 to 2^32 - 1: the same sum is then the same digits. */
void sheaf_exact_carry(sheaf_exact *sum);
/* The double next to the sum; infinite beyond the range. */
double sheaf_exact_value(const sheaf_exact *sum);
/* The variance of n numbers of which the sum and the sum of squares are given: without cancellation. */
double sheaf_exact_variance(const sheaf_exact *sum, const sheaf_exact *squares, int64_t n);

#endif
