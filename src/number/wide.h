/* SPDX-License-Identifier: MIT */
/* Products of two 64-bit numbers, for compilers and targets with and without a 128-bit type. */
#ifndef SHEAF_NUMBER_WIDE_H
#define SHEAF_NUMBER_WIDE_H

#include <stdint.h>

typedef struct sheaf_wide {
	uint64_t high, low;
} sheaf_wide;

static inline sheaf_wide sheaf_wide_mul(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(SHEAF_NUMBER_NO_INT128)
	__extension__ typedef unsigned __int128 sheaf_u128;
	sheaf_u128 product = (sheaf_u128)a * b;
	return (sheaf_wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t outer = a0 * b0,
			 inner = a1 * b0 + (outer >> 32); /* each at most 2^64-2^33+1 + 2^32-1: no carry is lost */
	uint64_t other = a0 * b1 + (uint32_t)inner;
	return (sheaf_wide){a1 * b1 + (inner >> 32) + (other >> 32), other << 32 | (uint32_t)outer};
#endif
}

/* Modulo 2^128. */
static inline sheaf_wide sheaf_wide_add(sheaf_wide a, sheaf_wide b)
{
	uint64_t low = a.low + b.low;
	return (sheaf_wide){a.high + b.high + (low < a.low), low};
}

#endif
