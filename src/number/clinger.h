/* SPDX-License-Identifier: MIT */
/* Clinger's case ("How to read floating point numbers accurately", 1990): digits below 2^53 and a power of
 * ten up to 10^22 are exact as float64s, so one division or multiplication of the two rounds once. Used by
 * the kernels and the scanner. */
#ifndef SHEAF_NUMBER_CLINGER_H
#define SHEAF_NUMBER_CLINGER_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SHEAF_EXACT_POWER = 22, SHEAF_EXACT_BITS = 53 };

/* 10^0 to 10^22, followed by ones: as many as are loaded or gathered at once. */
static const double sheaf_exact_powers[24] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1};

/* In the other rounding modes one of the two sides differs from 1. */
static inline bool sheaf_rounds_to_nearest(void)
{
	static const volatile float tiny = FLT_MIN; /* volatile: computed each time */
	return FLT_EVAL_METHOD == 0 && 1.0f + tiny == 1.0f - tiny;
}

/* A float64 which is not halfway between two float32s is on the same side of each halfway point as the exact
 * value that it was rounded from, so rounding it again is safe. (All values of Clinger's case are in
 * float32's normal range.) */
static inline bool sheaf_is_halfway(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return (bits & 0x1fffffff) == 0x10000000;
}

/* More digits than any float32 needs, not counting zeros at the end. */
static inline bool sheaf_has_many_digits(uint64_t digits)
{
	const uint64_t least = 1000000000;
	while (digits >= least && digits % 10 == 0) digits /= 10;
	return digits >= least;
}

#endif
