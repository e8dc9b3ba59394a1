/* SPDX-License-Identifier: MIT */
/* Floats that are decimals with few digits, like most in files: found with one multiplication, exactly, in
 * any rounding mode. */
#ifndef SHEAF_NUMBER_PLACES_H
#define SHEAF_NUMBER_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/* mantissa * 2^ulp, of a normal float; lowest: of those of its exponent, so that floats below it lie twice as
 * close. */
typedef struct sheaf_binary {
	uint64_t mantissa;
	int ulp;
	bool lowest;
} sheaf_binary;

static inline sheaf_binary sheaf_binary_f32(uint32_t bits)
{
	uint32_t hidden = UINT32_C(1) << 23, fraction = bits & (hidden - 1);
	return (sheaf_binary){fraction | hidden, (int)(bits >> 23) - 150, fraction == 0};
}

static inline sheaf_binary sheaf_binary_f64(uint64_t bits)
{
	uint64_t hidden = UINT64_C(1) << 52, fraction = bits & (hidden - 1);
	return (sheaf_binary){fraction | hidden, (int)(bits >> 52) - 1075, fraction == 0};
}

/* five: the power of five for the decimal's places. Two floats are that far apart in units of the difference,
 * which is taken modulo 2^64; what is within half of it is surely read as the float: five is odd, so that
 * nothing is on the edge. (Below a power of two floats lie closer, but those powers are such decimals, or far
 * from one.) */
static inline bool sheaf_reads_back(uint64_t difference, uint64_t five)
{
	return difference + five / 2 < five;
}

/* Whether a float32 in [2^-17, 2^4) is the nearest to a decimal of six places. Such decimals are further
 * apart than such floats, so no other is as near, and none that reads back is shorter. */
static inline bool sheaf_has_six_places(sheaf_binary v, uint64_t *millionths)
{
	const uint64_t five = 15625;
	int shift = -v.ulp - 6;
	uint64_t product = v.mantissa * five;
	*millionths = (product + (UINT64_C(1) << (shift - 1))) >> shift;
	return sheaf_reads_back(product - (*millionths << shift), five);
}

/* The same for a float64 in [2^-17, 2^23) and nine places; v is its value, too. The estimate of the decimal
 * may be off by one, which the test finds: it computes modulo 2^64 a difference that is below 2^63. */
static inline bool sheaf_has_nine_places(double value, sheaf_binary v, uint64_t *billionths)
{
	const uint64_t five = 1953125;
	*billionths = (uint64_t)(int64_t)(value * 1e9 + 0.5);
	return sheaf_reads_back(v.mantissa * five - (*billionths << (-v.ulp - 9)), five);
}

#endif
