/* SPDX-License-Identifier: MIT */
/* From decimal to the nearest binary float, after Eisel and Lemire ("Number parsing at a gigabyte per
 * second", 2021).
 *
 * The first digits times a 128-bit power of ten give a lower and an upper bound of the value. Nearly always
 * both round to the same float, which then is the answer. Otherwise the point halfway between two floats lies
 * within the bounds, and the exact decimal is compared with it as big integers. All of it is integer
 * arithmetic: the processor's rounding mode and its treatment of subnormals have no say. */
#include "number/big.h"
#include "number/clinger.h"
#include "number/decimal.h"
#include "number/powers.h"

#include <string.h>

/* The value of a decimal whose digits and power of ten are exact as float64s, by one operation (clinger.h);
 * false for any other, and in other rounding modes. A decimal that was cut has too many digits. */
static inline bool divide_or_multiply(const sheaf_decimal *d, double *out)
{
	if (d->lead >> SHEAF_EXACT_BITS || d->exponent < -SHEAF_EXACT_POWER || d->exponent > SHEAF_EXACT_POWER ||
	    !sheaf_rounds_to_nearest())
		return false;
	double lead = (double)(int64_t)d->lead;
	*out = d->exponent < 0 ? lead / sheaf_exact_powers[-d->exponent] : lead * sheaf_exact_powers[d->exponent];
	return true;
}

/* The point halfway between two floats has at most 768 digits, so digits after these only say whether it was
 * passed. */
#define MOST_DIGITS (42 * SHEAF_LEAD_DIGITS)

/* The digits as an integer, and the exponent of the last one. Any non-zero digit beyond MOST_DIGITS is
 * represented by one more digit 1: it puts the number on the same side of every halfway point as the digits
 * themselves. */
static int64_t load_digits(sheaf_big *big, const sheaf_decimal *d)
{
	big->count = 0;
	if (!d->cut) {
		sheaf_big_mul_add(big, 0, d->lead);
		return d->exponent;
	}
	const char *at = sheaf_skip_zeros(d->digits, d->end);
	int taken = 0;
	while (at < d->end && taken < MOST_DIGITS) {
		uint64_t part = 0, scale = 1;
		int n = sheaf_take_digits(&at, d->end, SHEAF_LEAD_DIGITS, &part);
		for (int i = 0; i < n; i++) scale *= 10;
		sheaf_big_mul_add(big, scale, part);
		taken += n;
	}
	if (sheaf_skip_zeros(at, d->end) < d->end) {
		sheaf_big_mul_add(big, 10, 1);
		taken++;
	}
	return d->exponent - (taken - SHEAF_LEAD_DIGITS);
}

/* Compares the decimal with half * 2^ulp: with both sides multiplied until they are integers, and divided by
 * the power of two they share. */
static int compare(const sheaf_decimal *d, uint64_t half, int ulp)
{
	sheaf_big a, b = {.count = 1, .limb = {half}};
	int exponent = (int)load_digits(&a, d);
	int shift = exponent - ulp;
	sheaf_big_mul_power5(exponent < 0 ? &b : &a, exponent < 0 ? -exponent : exponent);
	sheaf_big_shift(shift < 0 ? &b : &a, shift < 0 ? -shift : shift);
	return sheaf_big_compare(&a, &b);
}

/* x / 2^(64 + drop), rounded half to even. drop is in [1, 64]. Without branches: nothing could predict
 * them. */
static inline uint64_t round_even(sheaf_wide x, int drop)
{
	uint64_t half = (uint64_t)1 << (drop - 1);
	uint64_t down = x.high >> (drop - 1) >> 1, rest = x.high & (half + (half - 1));
	return down + (rest > half - ((down & 1) | (x.low != 0)));
}

/* The bits of the nearest float without the sign. */
static inline uint64_t nearest(const sheaf_decimal *d, const sheaf_float_type type)
{
	const int hidden = type.mantissa_bits - 1;
	const uint64_t infinity = (uint64_t)(type.max_ulp - type.min_ulp + 2) << hidden;
	if (!d->lead || d->exponent < SHEAF_POWER_FIRST) return 0;
	if (d->exponent > SHEAF_POWER_LAST) return infinity;

	/* The value is between low and high, times 2^(scale - 63 - shift). */
	int k = (int)d->exponent, scale = sheaf_log2_of_power(k), shift = __builtin_clzll(d->lead);
	uint64_t lead = d->lead << shift;
	sheaf_wide power = sheaf_power(k), part = sheaf_wide_mul(lead, power.low);
	sheaf_wide low = sheaf_wide_add(sheaf_wide_mul(lead, power.high), (sheaf_wide){0, part.high}), high = low;
	if (d->cut || part.low || !sheaf_power_is_exact(k)) {
		/* Below 1 was dropped from the product and below 1 is missing from the power; a cut adds below 1 to
		 * lead. */
		high = sheaf_wide_add(low, (sheaf_wide){d->cut ? (uint64_t)1 << shift : 0, 3});
	}

	int ulp = scale - shift + (int)(low.high >> 63) + 64 - type.mantissa_bits;
	if (ulp < type.min_ulp) ulp = type.min_ulp;
	if (ulp > type.max_ulp) return infinity;
	int drop = ulp - scale + shift - 1;
	if (drop > 64) return 0; /* less than half of the smallest subnormal */

	uint64_t mantissa = round_even(low, drop);
	if (mantissa != round_even(high, drop)) {
		/* Either low was rounded down, and the halfway point above it decides; or high has overflowed, to
		 * which low was rounded up, and the halfway point above that is too far away to matter. */
		int side = compare(d, 2 * mantissa + 1, ulp - 1);
		mantissa += side > 0 || (side == 0 && (mantissa & 1));
	}
	/* The hidden bit, where set, adds one to the exponent; so does a carry out of the mantissa, up to
	 * infinity. */
	return mantissa + ((uint64_t)(ulp - type.min_ulp) << hidden);
}

float sheaf_decimal_to_f32(const sheaf_decimal *d)
{
	double wide;
	float v;
	if (divide_or_multiply(d, &wide) && !sheaf_is_halfway(wide)) {
		v = (float)wide;
		return d->negative ? -v : v;
	}
	uint32_t bits = (uint32_t)nearest(d, SHEAF_FLOAT32) | (uint32_t)d->negative << 31;
	memcpy(&v, &bits, sizeof v);
	return v;
}

double sheaf_decimal_to_f64(const sheaf_decimal *d)
{
	double v;
	if (divide_or_multiply(d, &v)) return d->negative ? -v : v;
	uint64_t bits = nearest(d, SHEAF_FLOAT64) | (uint64_t)d->negative << 63;
	memcpy(&v, &bits, sizeof v);
	return v;
}
