/* SPDX-License-Identifier: MIT */
/* Exact sums: one long number with a fixed point, whose digits are added without carrying for a while.
 *
 *     digits[0] * 2^-1074 + digits[1] * 2^(-1074 + 32) + ... + digits[69] * 2^(-1074 + 69 * 32)
 *
 * A double spans at most three digits. Each addition changes a digit by less than 2^32, so that 2^30 numbers
 * can be added before digits of 64 bits overflow; then the excess of each digit is carried to the next
 * one. */
#include "report/summary/exact.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 32, FRACTION_BITS = 52, PARTS = 3 };
static const int64_t digit_mask = 0xffffffff;
static const int64_t most_pending = INT64_C(1) << 30;

/* Afterwards all digits but the last are at least 0, and the last one has the sign of the sum. */
void sheaf_exact_carry(sheaf_exact *sum)
{
	int64_t over = 0;
	for (int i = 0; i + 1 < SHEAF_EXACT_DIGITS; i++) {
		int64_t digit = sum->digits[i] + over;
		sum->digits[i] = digit & digit_mask;
		over = digit >> DIGIT_BITS;
	}
	sum->digits[SHEAF_EXACT_DIGITS - 1] += over;
	sum->pending = 0;
}

/* The fraction is shifted to where its exponent says, which takes up to three digits. */
void sheaf_exact_add(sheaf_exact *sum, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	int exponent = (int)(bits >> FRACTION_BITS & 0x7ff);
	uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
	if (exponent) fraction |= UINT64_C(1) << FRACTION_BITS;
	int at = exponent ? exponent - 1 : 0, shift = at % DIGIT_BITS;
	uint64_t low = fraction << shift, high = shift ? fraction >> (64 - shift) : 0;
	int64_t sign = bits >> 63 ? -1 : 1, *digits = sum->digits + at / DIGIT_BITS;
	digits[0] += sign * (int64_t)(low & 0xffffffff);
	digits[1] += sign * (int64_t)(low >> DIGIT_BITS);
	digits[2] += sign * (int64_t)high;
	if (++sum->pending == most_pending) sheaf_exact_carry(sum);
}

/* A product of two doubles is the sum of two: the rounded product, and what rounding took away. */
void sheaf_exact_add_product(sheaf_exact *sum, double a, double b)
{
	double product = a * b, rest = fma(a, b, -product);
	if (!isfinite(product)) product = copysign(1.7976931348623157e308, product), rest = 0;
	sheaf_exact_add(sum, product);
	if (rest != 0) sheaf_exact_add(sum, rest);
}

void sheaf_exact_merge(sheaf_exact *sum, const sheaf_exact *other)
{
	sheaf_exact small = *other;
	sheaf_exact_carry(&small);
	sheaf_exact_carry(sum);
	for (int i = 0; i < SHEAF_EXACT_DIGITS; i++) sum->digits[i] += small.digits[i];
	sum->pending = 2;
}

/* The leading digits, as many as a double can tell apart, are added up; a negative sum is negated first. */
double sheaf_exact_value(const sheaf_exact *sum)
{
	enum { LEAST = -1074 };
	sheaf_exact s = *sum;
	sheaf_exact_carry(&s);
	bool negative = s.digits[SHEAF_EXACT_DIGITS - 1] < 0;
	for (int i = 0; negative && i < SHEAF_EXACT_DIGITS; i++) s.digits[i] = -s.digits[i];
	if (negative) sheaf_exact_carry(&s);
	int top = SHEAF_EXACT_DIGITS - 1;
	while (top > 0 && s.digits[top] == 0) top--;
	double value = 0;
	for (int i = top; i >= 0 && i >= top - PARTS; i--)
		value += ldexp((double)s.digits[i], LEAST + i * DIGIT_BITS);
	return negative ? -value : value;
}

/* A sum as a few doubles, from the largest part to the smallest. */
static void expand(const sheaf_exact *sum, double parts[PARTS])
{
	sheaf_exact rest = *sum;
	for (int i = 0; i < PARTS; i++) {
		parts[i] = sheaf_exact_value(&rest);
		if (isfinite(parts[i])) sheaf_exact_add(&rest, -parts[i]);
	}
}

/* (n * squares - sum^2) / n^2, in which the difference is computed exactly from the leading parts of both. */
double sheaf_exact_variance(const sheaf_exact *sum, const sheaf_exact *squares, int64_t n)
{
	sheaf_exact spread = {0};
	double sums[PARTS], squared[PARTS];
	if (n < 1) return NAN;
	expand(sum, sums);
	expand(squares, squared);
	if (!isfinite(sums[0]) || !isfinite(squared[0]) || fabs(sums[0]) > 1e150 || squared[0] > 1e290)
		return INFINITY;
	for (int i = 0; i < PARTS; i++) {
		sheaf_exact_add_product(&spread, squared[i], (double)n);
		for (int k = 0; k < PARTS; k++) sheaf_exact_add_product(&spread, -sums[i], sums[k]);
	}
	double value = sheaf_exact_value(&spread) / (double)n / (double)n;
	return value > 0 ? value : 0;
}
