/* SPDX-License-Identifier: MIT */
#ifndef SHEAF_REPORT_MATRIX_MIX_H
#define SHEAF_REPORT_MATRIX_MIX_H

#include <stdint.h>

/* A hash of 64 bits, each of which depends on all: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t sheaf_mix(uint64_t bits)
{
	bits += UINT64_C(0x9e3779b97f4a7c15);
	bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return bits ^ bits >> 31;
}

#endif
