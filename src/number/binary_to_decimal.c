/* SPDX-License-Identifier: MIT */
/* From a binary float to the shortest decimal that reads back to it, after Raffaello Giulietti's Schubfach
 * ("The Schubfach way to render doubles", 2021).
 *
 * The decimals read as v form an interval about it. With 10^k the largest power of ten not above its width,
 * the interval holds at least one multiple of 10^k and at most one of 10^(k+1): that one is shortest; else
 * the nearest multiple of 10^k is. Four times v and the interval's ends are scaled by 10^-k and rounded to
 * odd: their lowest bit then remembers whether anything was cut off, and all comparisons come out as the
 * exact ones would. */
#include "number/decimal.h"
#include "number/places.h"
#include "number/powers.h"

#include <string.h>

/* x * g / 2^128 rounded to odd, for a g that is above the exact power by at most 1. The surplus adds less
 * than 2^-64. Where the exact product is an integer, the second word does not show so little. Where it is
 * not, it is, for all floats, more than 2^-63 above the even integer before it, which does show, and more
 * than 2^-61 below the next. */
static inline uint64_t scale_to_odd(sheaf_wide g, uint64_t x)
{
	sheaf_wide low = sheaf_wide_mul(x, g.low);
	sheaf_wide product = sheaf_wide_add(sheaf_wide_mul(x, g.high), (sheaf_wide){0, low.high});
	return product.high | (product.low != 0);
}

/* For a number s that was cut off, s + 1, and the multiples of ten around s: the one to print. `in` says
 * which of them read back. There is no branch, since it could not be predicted. */
typedef struct candidates {
	bool tens_down, tens_up, down, up;
} candidates;

static inline uint64_t choose(uint64_t s, candidates in, bool nearer_up)
{
	uint64_t shorter = 0 - (uint64_t)((in.tens_down ^ in.tens_up) & (s >= 10)); /* all ones, or none */
	bool only_one = in.down ^ in.up, up = (only_one & in.up) | (!only_one & nearer_up);
	return ((s - s % 10 + 10 * (uint64_t)in.tens_up) & shorter) | ((s + up) & ~shorter);
}

/* The shortest decimal of mantissa * 2^ulp, as the head of this file describes it. */
static inline sheaf_shortest shortest(uint64_t mantissa, int ulp, bool lowest_of_its_power)
{
	/* Below a power of two floats lie twice as close, so the interval reaches half as far down. */
	int k = lowest_of_its_power ? sheaf_log10_of_three_quarters(ulp) : sheaf_log10_of_binary(ulp);
	int shift = ulp + sheaf_log2_of_power(-k) + 1;
	sheaf_wide g = sheaf_wide_add(sheaf_power(-k), (sheaf_wide){0, 1});
	uint64_t four = 4 * mantissa;
	uint64_t below = scale_to_odd(g, (four - (lowest_of_its_power ? 1 : 2)) << shift);
	uint64_t value = scale_to_odd(g, four << shift);
	uint64_t above = scale_to_odd(g, (four + 2) << shift);
	uint64_t open = mantissa & 1; /* an end reads as the even neighbour: it belongs to us if we are even */
	below += open;
	above -= open;

	uint64_t s = value / 4, tens = s - s % 10;
	candidates in = {below <= 4 * tens, 4 * tens + 40 <= above, below <= 4 * s, 4 * s + 4 <= above};
	return (sheaf_shortest){choose(s, in, value % 4 + (s & 1) > 2), k};
}

/* bits: of a finite float above 0 */
static inline sheaf_shortest shortest_of(uint64_t bits, const sheaf_float_type type)
{
	const int hidden = type.mantissa_bits - 1;
	uint64_t fraction = bits & (((uint64_t)1 << hidden) - 1);
	int exponent = (int)(bits >> hidden);
	if (!exponent) return shortest(fraction, type.min_ulp, false);
	return shortest(fraction | (uint64_t)1 << hidden, type.min_ulp + exponent - 1, !fraction && exponent > 1);
}

static const uint32_t powers_of_five[] = {1,     5,      25,      125,     625,      3125,      15625,
                                          78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125};

/* As above for mantissa * 2^ulp with 2^23 < mantissa < 2^24 and -40 <= ulp <= -1: everything is exact in one
 * word, with v and the interval's ends in units of which 2^unit make one in the last place of the decimal. */
static inline sheaf_shortest shortest_in_a_word(uint64_t mantissa, int ulp)
{
	int places = -sheaf_log10_of_binary(ulp), unit = 1 - ulp - places;
	uint64_t half = powers_of_five[places], value = mantissa * half * 2, open = mantissa & 1;
	uint64_t below = value - half + open, above = value + half - open;
	uint64_t s = value >> unit, tens = s - s % 10, rest = value - (s << unit);
	candidates in = {tens << unit >= below, (tens + 10) << unit <= above, s << unit >= below,
	                 (s + 1) << unit <= above};
	return (sheaf_shortest){choose(s, in, 2 * rest + (s & 1) > UINT64_C(1) << unit), -places};
}

sheaf_shortest sheaf_shortest_f32(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	sheaf_binary binary = sheaf_binary_f32(bits);
	if (!binary.lowest && binary.ulp >= -40 && binary.ulp < 0)
		return shortest_in_a_word(binary.mantissa, binary.ulp);
	return shortest_of(bits, SHEAF_FLOAT32);
}

sheaf_shortest sheaf_shortest_f64(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return shortest_of(bits, SHEAF_FLOAT64);
}
