/* SPDX-License-Identifier: MIT */
/* Powers of ten in 128 bits, and the logarithms that go with them. The table is made by
 * tools/make_tables.py. */
#ifndef SHEAF_NUMBER_POWERS_H
#define SHEAF_NUMBER_POWERS_H

#include "number/wide.h"

/* Below the first, no 19 digits reach half of the smallest float64. Printing that float64 needs the last. */
#define SHEAF_POWER_FIRST (-342)
#define SHEAF_POWER_LAST 324

/* sheaf_powers[k - SHEAF_POWER_FIRST] holds the first 128 bits of 10^k, truncated, not rounded: T with T <=
 * 10^k / 2^(floor(log2(10^k)) - 127) < T + 1. */
extern const sheaf_wide sheaf_powers[SHEAF_POWER_LAST - SHEAF_POWER_FIRST + 1];

static inline sheaf_wide sheaf_power(int k) { return sheaf_powers[k - SHEAF_POWER_FIRST]; }

/* These powers did not have to be truncated: 5^55 is the last below 2^128. */
static inline int sheaf_power_is_exact(int k) { return k >= 0 && k <= 55; }

/* The logarithms below were compared with exact ones for all |k| <= 350 and all q in [-1100, 1000).
 * They shift negative numbers right, which gcc and clang define as rounding down. */

/* floor(log2(10^k)) */
static inline int sheaf_log2_of_power(int k) { return (k * 217706) >> 16; }

/* floor(log10(2^q)), and floor(log10(3/4 * 2^q)) */
static inline int sheaf_log10_of_binary(int q) { return (q * 315653) >> 20; }
static inline int sheaf_log10_of_three_quarters(int q) { return (q * 315653 - 131008) >> 20; }

#endif
