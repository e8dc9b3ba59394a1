/* SPDX-License-Identifier: MIT */
/* Exact sums of doubles: the same in any order, and however the numbers are divided into parts. */
#ifndef SHEAF_REPORT_SUMMARY_EXACT_H
#define SHEAF_REPORT_SUMMARY_EXACT_H

#include <stdint.h>

/* Digits to the base of 2^32, from 2^-1074 up to the largest sum of 2^63 doubles. */
enum { SHEAF_EXACT_DIGITS = 70 };

/* Begins as zeros. */
typedef struct sheaf_exact {
	int64_t digits[SHEAF_EXACT_DIGITS];
	int64_t pending; /* numbers added since digits were last normalised */
} sheaf_exact;

/* `v` must be finite. */
void sheaf_exact_add(sheaf_exact *sum, double v);
/* Adds a * b, except for bits below the smallest double. */
void sheaf_exact_add_product(sheaf_exact *sum, double a, double b);
void sheaf_exact_merge(sheaf_exact *sum, const sheaf_exact *other);
/* Normalises every digit but the last to 0 ... 2^32 - 1: then equal sums have equal digits. */
void sheaf_exact_carry(sheaf_exact *sum);
/* The double nearest to the sum; infinite beyond the range. */
double sheaf_exact_value(const sheaf_exact *sum);
/* The variance of n numbers, from their sum and the sum of their squares: without cancellation. */
double sheaf_exact_variance(const sheaf_exact *sum, const sheaf_exact *squares, int64_t n);

#endif
