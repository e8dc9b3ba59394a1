/* SPDX-License-Identifier: MIT */
/* The kernel for AVX-512 with VBMI and VBMI2: 64 bytes of text in a register, and one bit for each byte in
 * masks. Shared by its readers of runs and of lines.
 *
 * In a mask bit i stands for byte i of the block, so that what comes later in the text is higher, `mask << 1`
 * means "the byte after", and `mask >> 1` "the byte before". Adding the mask of all numbers' first bytes to
 * the mask of their bytes carries each bit through the ones of its number to the first byte after it, as 0111
 * + 0001 is 1000. So
 *
 *     (bytes + firsts) & ~bytes    is the first byte after each number, and
 *     bytes & ~(bytes + firsts)    is all bytes of the runs of ones in which a first lies, from there on,
 *
 * for all numbers at once; and misplaced bytes are found by comparing masks. Then the bytes other than digits
 * are compressed out of the numbers, eight numbers are gathered into the eight lanes of a register,
 * right-aligned, and three multiplications turn their digits into integers. */
#ifndef SHEAF_NUMBER_X86_KERNEL_AVX512_H
#define SHEAF_NUMBER_X86_KERNEL_AVX512_H

#include "number/clinger.h"
#include "number/kernels/kernel_parts.h"
#include "number/nearest.h"
#include <immintrin.h>

#define AVX512 \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt," \
	                      "popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

/* Numbers in a step; digits of a lane; digits that a float64 has; powers in a table of two registers; digits
 * of 64 bits. */
enum { LANES = 8, LANE_DIGITS = 8, EXACT_DIGITS = 15, EXACT_DECIMALS = 15, MOST_DIGITS = 19 };

/* 64 bytes of text, and for each class of bytes a mask; bytes after the text belong to no class. */
typedef struct block {
	__m512i bytes;
	uint64_t digit, zero, dot, minus, plus, e; /* of numbers */
	uint64_t space, pair, end;                 /* between them */
} block;

INLINE uint64_t find(__m512i bytes, uint8_t byte)
{
	return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8((char)byte));
}

INLINE __m512i load_bytes(const uint8_t *at, const uint8_t *end)
{
	size_t size = (size_t)(end - at);
	return size >= 64 ? _mm512_loadu_si512(at)
	                  : _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, (unsigned)size), at);
}

INLINE void find_parts_of_numbers(block *b)
{
	b->zero = find(b->bytes, '0');
	b->dot = find(b->bytes, '.');
	b->minus = find(b->bytes, '-');
	b->plus = find(b->bytes, '+');
	b->e = find(_mm512_or_si512(b->bytes, _mm512_set1_epi8(0x20)), 'e');
}

/* The byte numbers 0 to 63. */
INLINE __m512i iota(void)
{
	return _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43,
	                       42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22,
	                       21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/* ---- finding numbers ---- */

/* Masks of the numbers in a block: one bit for each, in order. */
typedef struct numbers {
	unsigned n;            /* how many of them are read */
	uint64_t first;        /* first bytes, signs included */
	uint64_t number;       /* all bytes of numbers, including those of indices */
	uint64_t stop, after;  /* after the mantissa; after the number */
	uint64_t fraction;     /* after the point, or `stop` */
	uint64_t digits;       /* first byte of the mantissa that is kept */
	uint64_t kept;         /* bytes that are not compressed out: digits that count, and whatever is between */
	uint64_t index, colon; /* first byte of, and one after, each index */
	uint64_t flaws;        /* bytes of, or directly after, anything but a plain number */
} numbers;

/* Finds the exponents, all bytes from each 'e' to the end of its number, by the carry from that 'e'. What is
 * wrong with them is added to the flaws: an 'e' that starts none, as a second one in a number, no digit after
 * it and its sign, a point directly before it or in it, and any other sign in it. */
INLINE uint64_t find_exponents(const block *b, numbers *m)
{
	uint64_t exponents = m->number & ~(m->number + b->e), sign = b->e << 1 & (b->minus | b->plus),
			 digit = (b->e << 1 & ~sign) | sign << 1;
	m->flaws |= (b->e & ~exponents) | (digit & ~b->digit) | (b->dot << 1 & b->e) | (b->dot & exponents);
	m->flaws |= (b->minus | b->plus) & exponents & ~sign;
	return exponents;
}

/* Finds the parts of all numbers from m->number and m->first. Two carries lead from each first byte: one
 * through the bytes other than points, to the point or the end (`ones`), and one through the mantissa, to
 * where it ends (`stop`). A zero alone before the point (`lead`) does not matter, nor do zeros directly after
 * that point: a third carry, from two bytes after the lead through the zeros, passes these, and they are
 * compressed out. */
INLINE void find_mantissas(const block *b, numbers *m)
{
	uint64_t exponents = b->e | b->plus ? find_exponents(b, m) : 0, mantissas = m->number & ~exponents;
	uint64_t undotted = mantissas & ~b->dot,
			 ones = (undotted + m->first) & ~undotted; /* the point, or the end, of each number */
	uint64_t sign = m->first & b->minus, digits = (m->first ^ sign) | sign << 1,
			 lead = digits & b->zero & b->dot >> 1;
	uint64_t zeros = b->zero + (lead << 2);
	m->flaws |=
		(digits & ~b->digit) | (b->dot & ~ones) | (b->minus & ~sign & ~exponents) | (b->plus & ~exponents);
	m->after = (m->number << 1) & ~m->number;
	m->stop = (mantissas + m->first) & ~mantissas;
	m->fraction = ones + (ones & b->dot);
	m->digits = (digits & ~lead) | (zeros & ~b->zero);
	m->kept = ~(b->dot | sign | lead | (b->zero & ~zeros));
}

/* ---- from digits to values ---- */

/* Where the marked bytes are once the others are compressed out: each place in all eight bytes of a lane. */
INLINE __m512i places(uint64_t mask, uint64_t kept)
{
	__m512i bytes = _mm512_maskz_compress_epi8(kept == ~0ull ? mask : _pext_u64(mask, kept), iota());
	return _mm512_permutexvar_epi8(
		_mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
	                     0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0),
		bytes);
}

/* The last eight of the digits in [from, to), as an integer. */
INLINE __m512i eight_digits(__m512i text, __m512i from, __m512i to)
{
	__m512i at = _mm512_add_epi8(to, _mm512_set1_epi64((long long)0xfffefdfcfbfaf9f8));
	__m512i digits = _mm512_maskz_permutexvar_epi8(_mm512_cmpge_epi8_mask(at, from), at, text);
	__m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 | 1 << 8));
	__m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 | 1 << 16));
	return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
}

INLINE __mmask8 lanes_above(__m512i places, int most)
{
	return _mm512_cmpgt_epi64_mask(_mm512_and_si512(places, _mm512_set1_epi64(0x7f)),
	                               _mm512_set1_epi64(most));
}
INLINE bool any_above(__m512i places, char most)
{
	return _mm512_cmpgt_epi8_mask(places, _mm512_set1_epi8(most)) != 0;
}

/* The results of a step, lane by lane. `left` marks lanes that are left to the scanner. */
typedef struct lanes {
	__m512d values;
	__m512i integers; /* all digits */
	__mmask8 left;
	__mmask8 hard; /* one division would round twice, or its power is not exact */
	bool is_long;  /* some numbers have more digits than a lane */
} lanes;

INLINE void read_digits(lanes *l, __m512i text, __m512i from, __m512i to, __m512i decimals)
{
	__m512i size = _mm512_sub_epi8(to, from);
	l->integers = eight_digits(text, from, to);
	l->is_long = any_above(
		_mm512_max_epi8(size, _mm512_sub_epi8(decimals, _mm512_set1_epi8(EXACT_DECIMALS - LANE_DIGITS))),
		LANE_DIGITS);
	if (!l->is_long) return;
	__m512i high = eight_digits(text, from, _mm512_sub_epi8(to, _mm512_set1_epi8(LANE_DIGITS)));
	l->integers = _mm512_add_epi64(_mm512_mul_epu32(high, _mm512_set1_epi64(100000000)), l->integers);
	l->hard = lanes_above(size, EXACT_DIGITS) | lanes_above(decimals, EXACT_DECIMALS);
	if (!any_above(size, 2 * LANE_DIGITS)) return;
	__m512i highest = eight_digits(text, from, _mm512_sub_epi8(to, _mm512_set1_epi8(2 * LANE_DIGITS)));
	l->integers =
		_mm512_add_epi64(_mm512_mullo_epi64(highest, _mm512_set1_epi64(10000000000000000)), l->integers);
	l->left |= lanes_above(size, MOST_DIGITS);
}

enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };

/* Digits and power are exact, so one division rounds once. */
INLINE void divide(lanes *l, __m512i decimals)
{
	__m512d power = _mm512_permutex2var_pd(_mm512_loadu_pd(sheaf_exact_powers), decimals,
	                                       _mm512_loadu_pd(sheaf_exact_powers + 8));
	l->values = _mm512_div_round_pd(l->values, power, NEAREST);
}

INLINE void scale(lanes *l, __m512i exponent)
{
	__m512i size = _mm512_abs_epi64(exponent);
	__mmask8 fits = _mm512_cmple_epi64_mask(size, _mm512_set1_epi64(SHEAF_EXACT_POWER));
	__mmask8 down = _mm512_movepi64_mask(exponent);
	__m512d power = _mm512_mask_i64gather_pd(_mm512_set1_pd(1), fits, size, sheaf_exact_powers,
	                                         sizeof *sheaf_exact_powers);
	l->hard |= (__mmask8)~fits;
	l->values = _mm512_mask_div_round_pd(
		_mm512_mask_mul_round_pd(l->values, (__mmask8)~down, l->values, power, NEAREST), down, l->values,
		power, NEAREST);
}

/* One by one: a multiplication by 64 bits of the power, which nearly always decides. Values are in float32's
 * normal range, so that they can be rounded again. */
AVX512 static __attribute__((noinline)) void settle_hard(lanes *l, __m512i powers)
{
	uint64_t integers[LANES];
	int64_t power[LANES];
	double values[LANES];
	enum { LEAST_POWER = -37, MOST_POWER = 18 };
	_mm512_storeu_si512(integers, l->integers);
	_mm512_storeu_si512(power, powers);
	_mm512_storeu_pd(values, l->values);
	for (unsigned hard = l->hard & (uint8_t)~l->left; hard; hard &= hard - 1) {
		int i = __builtin_ctz(hard);
		bool in_range = power[i] >= LEAST_POWER && power[i] <= MOST_POWER;
		if (!in_range || !sheaf_nearest_f64(integers[i], (int)power[i], 0, &values[i]))
			l->left |= (__mmask8)(1 << i);
	}
	l->values = _mm512_loadu_pd(values);
}

/* The digits after 'e', where there is one; what is no digit is its sign. */
INLINE __m512i read_exponents(const block *b, const numbers *m, __m512i text, __m512i stop, __m512i after,
                              __mmask8 *left)
{
	uint64_t minus = (m->number + (b->e << 1 & b->minus)) & m->after;
	__m512i digits = _mm512_maskz_mov_epi8(_mm512_cmple_epu8_mask(text, _mm512_set1_epi8(9)), text);
	__m512i value = eight_digits(digits, _mm512_add_epi8(stop, _mm512_set1_epi8(1)), after);
	*left |= lanes_above(_mm512_sub_epi8(after, stop), LANE_DIGITS);
	return _mm512_mask_sub_epi64(value, (__mmask8)_pext_u64(minus, m->after), _mm512_setzero_si512(), value);
}

/* The digits of numbers, as bytes 0 to 9, and arbitrary bytes between numbers. */
INLINE __m512i press(const block *b, const numbers *m)
{
	return _mm512_maskz_compress_epi8(m->kept, _mm512_sub_epi8(b->bytes, _mm512_set1_epi8('0')));
}

INLINE lanes read_values(const block *b, const numbers *m, __m512i text)
{
	lanes l = {.left = (__mmask8)(0xff << m->n)};
	__m512i stop = places(m->stop, m->kept), decimals = _mm512_setzero_si512();
	if (b->dot) decimals = _mm512_sub_epi8(places(m->stop, ~0ull), places(m->fraction, ~0ull));
	read_digits(&l, text, places(m->digits, m->kept), stop, decimals);
	l.values = _mm512_cvtepi64_pd(l.integers);
	__m512i powers =
		_mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(decimals, _mm512_set1_epi64(0x7f)));
	if (b->e) {
		powers =
			_mm512_add_epi64(powers, read_exponents(b, m, text, stop, places(m->after, m->kept), &l.left));
		scale(&l, powers);
	} else if (b->dot) {
		divide(&l, decimals);
	}
	if (l.hard & (uint8_t)~l.left) settle_hard(&l, powers);
	__mmask8 minus = (__mmask8)_pext_u64(b->minus, m->first);
	l.values = _mm512_mask_xor_pd(l.values, minus, l.values, _mm512_set1_pd(-0.0));
	return l;
}

INLINE __m512i read_indices(const numbers *m, __m512i text, __mmask8 *left)
{
	__m512i from = places(m->index, m->kept), to = places(m->colon, m->kept),
			size = _mm512_sub_epi8(to, from);
	if (any_above(size, LANE_DIGITS)) *left |= lanes_above(size, LANE_DIGITS);
	return eight_digits(text, from, to);
}

/* Rounding twice, to double and to float, is correct unless the double is halfway between two floats. */
INLINE __m256 to_floats(lanes *l)
{
	const __m512i rest = _mm512_set1_epi64(0x1fffffff), half = _mm512_set1_epi64(0x10000000);
	l->left |= _mm512_cmpeq_epi64_mask(_mm512_and_si512(_mm512_castpd_si512(l->values), rest), half);
	return _mm512_cvt_roundpd_ps(l->values, NEAREST);
}

/* Lanes whose values a float does not hold exactly, and that may have more than nine digits. */
INLINE __mmask8 find_rounded(const lanes *l, __m256 floats)
{
	__mmask8 rounded = _mm512_cmp_pd_mask(_mm512_cvtps_pd(floats), l->values, _CMP_NEQ_OQ);
	return _mm512_mask_cmpge_epu64_mask(rounded, l->integers, _mm512_set1_epi64(1000000000));
}

#endif
