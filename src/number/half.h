/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits (IEEE 754 binary16), which other programs store: the float with the same value. */
#ifndef SHEAF_NUMBER_HALF_H
#define SHEAF_NUMBER_HALF_H

#include <stdint.h>
#include <string.h>

static inline float sheaf_float_of_half(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff,
			 bits;
	float value;
	if (exponent == 0) {
		value = (float)fraction * 0x1p-24f;
		return sign ? -value : value;
	}
	bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
	memcpy(&value, &bits, sizeof value);
	return value;
}

#endif
