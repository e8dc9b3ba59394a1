/* SPDX-License-Identifier: MIT */
/* The nearest float64 to digits * 10^exponent by one multiplication, for kernels: only integers, so the
 * rounding mode does not matter. After Eisel and Lemire ("Number parsing at a gigabyte per second", 2021). */
#ifndef SHEAF_NUMBER_NEAREST_H
#define SHEAF_NUMBER_NEAREST_H

#include "number/decimal.h"
#include "number/powers.h"
#include <stdbool.h>
#include <string.h>

/* Exponents for which nineteen digits give normal numbers, and no infinity. */
enum { SHEAF_NEAREST_FIRST = -300, SHEAF_NEAREST_LAST = 288 };

/* False if that is not enough to decide: for about one number in a thousand. SHEAF_NEAREST_FIRST <= exponent
 * <= SHEAF_NEAREST_LAST. */
static inline bool sheaf_nearest_f64(uint64_t digits, int exponent, uint64_t negative, double *out)
{
	/* 0 gives a result that is discarded */
	int shift = __builtin_clzll(digits | 1);
	sheaf_wide product = sheaf_wide_mul(digits << shift, sheaf_power(exponent).high);
	/* The power was truncated, so the value exceeds the product by less than 1 in its high word. The last
	 * bits of this are to be rounded off: near one half, either result may be right. */
	int top = (int)(product.high >> 63), drop = 10 + top;
	uint64_t half = UINT64_C(1) << (drop - 1), rest = product.high & (2 * half - 1);
	bool sure = rest != half && rest != half - 1;
	uint64_t mantissa = (product.high >> drop) + (rest > half); /* with the hidden bit, which may carry */
	int64_t power =
		sheaf_log2_of_power(exponent) - shift + top + 63 + 1022; /* biased, minus what the hidden bit adds */
	uint64_t bits = ((uint64_t)power << 52) + mantissa;
	bits = digits ? bits : 0;
	bits |= negative << 63;
	memcpy(out, &bits, sizeof *out);
	return sure || !digits;
}

/* The same, however long it takes. */
static inline double sheaf_nearest_exactly(uint64_t digits, int exponent, uint64_t negative)
{
	const sheaf_decimal decimal = {.lead = digits, .exponent = exponent, .negative = negative != 0};
	return sheaf_decimal_to_f64(&decimal);
}

#endif
