/* SPDX-License-Identifier: MIT */
/* Eight decimal digits at a time, in the bytes of one word: the first digit in the lowest byte. */
#ifndef SHEAF_NUMBER_DIGITS_H
#define SHEAF_NUMBER_DIGITS_H

#include "base/endian.h"

/* '0' in every byte. */
#define SHEAF_ZEROS UINT64_C(0x3030303030303030)

/* The highest bit of each byte other than a digit 0 to 9, of eight bytes minus SHEAF_ZEROS; after the first
 * of them bits may be wrong. */
static inline __attribute__((always_inline)) uint64_t sheaf_find_no_digits(uint64_t digits)
{
	return ((digits + UINT64_C(0x7676767676767676)) | digits) & UINT64_C(0x8080808080808080);
}

/* Powers of ten. */
static const uint64_t sheaf_tens[20] = {
	1,
	10,
	100,
	1000,
	10000,
	100000,
	1000000,
	10000000,
	100000000,
	1000000000,
	10000000000,
	100000000000,
	1000000000000,
	10000000000000,
	100000000000000,
	1000000000000000,
	10000000000000000,
	100000000000000000,
	1000000000000000000,
	10000000000000000000u,
};

/* The eight digits of v < 10^8, as bytes 0 to 9. */
static inline uint64_t sheaf_eight_digits(uint32_t v)
{
	uint64_t high = v / 10000, fours = high | (uint64_t)(v - 10000 * (uint32_t)high) << 32;
	uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
	uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
	uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
	return tens | (pairs - 10 * tens) << 8;
}

/* The number of eight digits, as bytes 0 to 9. */
static inline uint32_t sheaf_eight_digits_value(uint64_t digits)
{
	uint64_t pairs = (digits * (10 << 8 | 1) >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	uint64_t fours = (pairs * (100 << 16 | 1) >> 16) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(fours * (UINT64_C(10000) << 32 | 1) >> 32);
}

/* Bytes before the first that is not 0, in memory's order; v is not 0. */
static inline int sheaf_zeros_before(uint64_t v) { return __builtin_ctzll(v) / 8; }
/* Bytes up to the last that is not 0; 0 has none. */
static inline int sheaf_bytes_used(uint64_t v) { return v ? 8 - __builtin_clzll(v) / 8 : 0; }

/* Prints v < 10^8, without a branch on the number of digits; may write eight bytes. */
static inline char *sheaf_put_below_1e8(char *to, uint32_t v)
{
	uint64_t digits = sheaf_eight_digits(v);
	int zeros =
		sheaf_zeros_before(digits | UINT64_C(1) << 56); /* the last digit is printed, even if it is 0 */
	sheaf_store_u64le(to, (digits | SHEAF_ZEROS) >> 8 * zeros);
	return to + 8 - zeros;
}

/* Numbers below this have their text in a table: up to three digits, and in the highest byte their number. */
#define SHEAF_SMALL 1000
extern const uint32_t sheaf_small[SHEAF_SMALL];

/* Prints v < SHEAF_SMALL; may write four bytes. */
static inline char *sheaf_put_small(char *to, uint32_t v)
{
	sheaf_store_u32le(to, sheaf_small[v]);
	return to + (sheaf_small[v] >> 24);
}

#endif
