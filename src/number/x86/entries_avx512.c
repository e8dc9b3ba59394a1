/* SPDX-License-Identifier: MIT */
/* Lines of entries with AVX-512, in two steps. The first finds where the numbers of about a hundred lines end
 * (entries_marks.h). The second takes eight lines at a time: it gathers the digits of each of their numbers
 * in words of eight, right-aligned in a lane, and converts them by three multiplications for eight digits,
 * and one of 64 bits by a power of ten for the nearest double. So no branch depends on the number of
 * digits. */
#include "number/kernels/entries_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/digits.h"
#include "number/nearest.h"
#include <immintrin.h>

#define AVX512 \
	__attribute__(( \
		target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

INLINE uint64_t find_byte(const uint8_t *at, uint8_t byte)
{
	return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8((char)byte));
}

/* The byte numbers 0 to 63. */
INLINE __m512i iota(void)
{
	return _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43,
	                       42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22,
	                       21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

INLINE void put_places(uint16_t *to, uint64_t mask, unsigned n, unsigned first)
{
	__m512i bytes = _mm512_maskz_compress_epi8(mask, iota()), base = _mm512_set1_epi16((short)first);
	_mm512_storeu_si512(to, _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)), base));
	if (n > 32)
		_mm512_storeu_si512(
			to + 32, _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, 1)), base));
}

#include "number/kernels/entries_marks.h"

/* Lines in a vector; the most marks in a line for which a vector holds those of all lines, and the one before
 * them. */
enum { LANES = 8, HELD = 3 };

/* Mark number `mark` of eight lines, from line number k on; -1: the last mark of the line before each. For
 * lines that are not listed it is any place in the text. */
INLINE __m512i places_of(const marks *m, unsigned k, int mark, int of_line)
{
	const uint16_t *at = m->places + MARKS_AHEAD - 1 + (size_t)(k * (unsigned)of_line);
	mark++;
	if (of_line <= HELD) {
		const uint64_t step = (uint64_t)of_line * 2, lane = 0x0100 + 0x0202 * (uint64_t)mark;
#define LANE(n) (long long)(lane + 0x0101 * step * (n))
		return _mm512_maskz_permutexvar_epi8(
			0x0303030303030303,
			_mm512_set_epi64(LANE(7), LANE(6), LANE(5), LANE(4), LANE(3), LANE(2), LANE(1), LANE(0)),
			_mm512_loadu_si512(at));
#undef LANE
	}
	__m256i lanes = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(of_line));
	return _mm512_and_si512(
		_mm512_cvtepu32_epi64(_mm256_i32gather_epi32((const int *)(const void *)(at + mark), lanes, 2)),
		_mm512_set1_epi64(UINT16_MAX));
}

/* ---- digits into integers ---- */

/* Eight bytes of each line from its place on. */
INLINE __m512i words_at(const uint8_t *base, __m512i from) { return _mm512_i64gather_epi64(from, base, 1); }

/* Digits as bytes 0 to 9; other bytes have something in their upper halves. */
INLINE __m512i as_digits(__m512i text)
{
	return _mm512_xor_si512(text, _mm512_set1_epi64((long long)SHEAF_ZEROS));
}

/* The last `size` bytes of words, preceded by zeros; only zeros if `size` is more than eight. */
INLINE __m512i last_bytes(__m512i words, __m512i size)
{
	__m512i drop = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(size, 3));
	return _mm512_sllv_epi64(_mm512_srlv_epi64(words, drop), drop);
}

/* The first `size` bytes of words, moved to their end; only zeros if `size` is more than eight. */
INLINE __m512i first_bytes(__m512i words, __m512i size)
{
	return _mm512_sllv_epi64(words, _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(size, 3)));
}

/* Which words have bytes other than digits. */
INLINE __mmask8 find_no_digits(__m512i digits)
{
	return _mm512_cmpgt_epu64_mask(_mm512_movm_epi8(_mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9))),
	                               _mm512_setzero_si512());
}

/* The numbers of eight digits. */
INLINE __m512i eight_digits(__m512i digits)
{
	__m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 | 1 << 8));
	__m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 | 1 << 16));
	return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
}

/* ---- integers into doubles ---- */

/* The upper half of products of 64 bits. */
INLINE __m512i multiply_high(__m512i a, __m512i b)
{
	const __m512i low = _mm512_set1_epi64(UINT32_MAX);
	__m512i a1 = _mm512_srli_epi64(a, 32), b1 = _mm512_srli_epi64(b, 32);
	__m512i outer = _mm512_mul_epu32(a, b),
			inner = _mm512_add_epi64(_mm512_mul_epu32(a1, b), _mm512_srli_epi64(outer, 32));
	__m512i other = _mm512_add_epi64(_mm512_mul_epu32(a, b1), _mm512_and_si512(inner, low));
	return _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(a1, b1), _mm512_srli_epi64(inner, 32)),
	                        _mm512_srli_epi64(other, 32));
}

/* sheaf_nearest_f64 of eight numbers; *unsure: those that need more than that. */
INLINE __m512i nearest(__m512i digits, __m512i exponents, __mmask8 *unsure)
{
	const __m512i one = _mm512_set1_epi64(1);
	__m512i shift = _mm512_lzcnt_epi64(_mm512_or_si512(digits, one));
	__m512i power = _mm512_i64gather_epi64(
		_mm512_slli_epi64(_mm512_sub_epi64(exponents, _mm512_set1_epi64(SHEAF_POWER_FIRST)), 1),
		&sheaf_powers[0].high, 8);
	__m512i product = multiply_high(_mm512_sllv_epi64(digits, shift), power);
	__m512i top = _mm512_srli_epi64(product, 63), drop = _mm512_add_epi64(top, _mm512_set1_epi64(10));
	__m512i half = _mm512_sllv_epi64(one, _mm512_sub_epi64(drop, one));
	__m512i rest = _mm512_and_si512(product, _mm512_sub_epi64(_mm512_add_epi64(half, half), one));
	__mmask8 up = _mm512_cmpgt_epu64_mask(rest, half), some = _mm512_test_epi64_mask(digits, digits);
	*unsure = some & (_mm512_cmpeq_epi64_mask(rest, half) |
	                  _mm512_cmpeq_epi64_mask(rest, _mm512_sub_epi64(half, one)));
	__m512i mantissa = _mm512_srlv_epi64(product, drop);
	mantissa = _mm512_mask_add_epi64(mantissa, up, mantissa, one);
	/* As in sheaf_log2_of_power. */
	__m512i log = _mm512_srai_epi64(_mm512_mul_epi32(exponents, _mm512_set1_epi64(217706)), 16);
	__m512i biased =
		_mm512_add_epi64(_mm512_sub_epi64(log, shift), _mm512_add_epi64(top, _mm512_set1_epi64(63 + 1022)));
	return _mm512_maskz_add_epi64(some, _mm512_slli_epi64(biased, 52), mantissa);
}

/* Exponents that `nearest` cannot take: the result may be an infinity, which must be reported. */
INLINE __mmask8 find_extreme(__m512i exponents)
{
	return _mm512_cmplt_epi64_mask(exponents, _mm512_set1_epi64(SHEAF_NEAREST_FIRST)) |
	       _mm512_cmpgt_epi64_mask(exponents, _mm512_set1_epi64(SHEAF_NEAREST_LAST));
}

/* The rest of the work for those that need a second product. */
static __attribute__((noinline)) void mend(uint64_t values[LANES], const uint64_t digits[LANES],
                                           const int64_t exponents[LANES], unsigned lanes)
{
	for (; lanes; lanes &= lanes - 1) {
		int k = __builtin_ctz(lanes);
		double value = sheaf_nearest_exactly(digits[k], (int)exponents[k], 0);
		memcpy(&values[k], &value, sizeof value);
	}
}

/* No exponent in these lines is extreme. */
INLINE __m512i to_doubles(__m512i digits, __m512i exponents, __mmask8 lines)
{
	__mmask8 unsure;
	__m512i values = nearest(digits, _mm512_maskz_mov_epi64(lines, exponents), &unsure);
	unsure &= lines;
	if (unsure) {
		uint64_t v[LANES], d[LANES];
		int64_t e[LANES];
		_mm512_storeu_si512(v, values);
		_mm512_storeu_si512(d, digits);
		_mm512_storeu_si512(e, exponents);
		mend(v, d, e, unsure);
		values = _mm512_loadu_si512(v);
	}
	return values;
}

/* ---- numbers ---- */

/* One number in each of several lines: what is known of it, and the lines in which it is left to the
 * scanner. */
typedef struct parts {
	const uint8_t *base;
	__mmask8 lines, left, minus;
	__m512i first, stop; /* of the digits and the point */
	__m512i exponents;
} parts;

INLINE bool any_above(__m512i values, int most, __mmask8 lines)
{
	return _mm512_mask_cmpgt_epi64_mask(lines, values, _mm512_set1_epi64(most)) != 0;
}

/* The first eight bytes, which lose their sign. */
INLINE __m512i take_sign(parts *v)
{
	__m512i words = words_at(v->base, v->first);
	v->minus =
		_mm512_cmpeq_epi64_mask(_mm512_and_si512(words, _mm512_set1_epi64(0xff)), _mm512_set1_epi64('-'));
	v->first = _mm512_mask_add_epi64(v->first, v->minus, v->first, _mm512_set1_epi64(1));
	return _mm512_mask_srli_epi64(words, v->minus, words, 8);
}

/* Removes the exponents of numbers that end with them. An exponent so long that its 'e' is not found stays
 * among the digits. */
INLINE void take_exponents(parts *v)
{
	const __m512i zero = _mm512_setzero_si512(), byte = _mm512_set1_epi64(8);
	__m512i words = words_at(v->base - 8, v->stop), low = _mm512_or_si512(words, _mm512_set1_epi8(0x20));
	__m512i bits = _mm512_lzcnt_epi64(
		_mm512_movm_epi8(_mm512_cmpeq_epi8_mask(low, _mm512_set1_epi8('e')))); /* of the bytes after it */
	__m512i e = _mm512_sub_epi64(_mm512_sub_epi64(v->stop, _mm512_srli_epi64(bits, 3)), _mm512_set1_epi64(1));
	__mmask8 some =
		_mm512_cmplt_epi64_mask(bits, _mm512_set1_epi64(64)) & _mm512_cmpgt_epi64_mask(e, v->first);
	__m512i sign = _mm512_and_si512(_mm512_srlv_epi64(words, _mm512_sub_epi64(_mm512_set1_epi64(64), bits)),
	                                _mm512_set1_epi64(0xff));
	__mmask8 minus = _mm512_cmpeq_epi64_mask(sign, _mm512_set1_epi64('-')),
			 is_signed = minus | _mm512_cmpeq_epi64_mask(sign, _mm512_set1_epi64('+'));
	__m512i size = _mm512_srli_epi64(_mm512_mask_sub_epi64(bits, is_signed, bits, byte), 3);
	__m512i digits = last_bytes(as_digits(words), size), value = eight_digits(digits);
	v->left |= some & (_mm512_testn_epi64_mask(size, size) | find_no_digits(digits));
	v->exponents = _mm512_mask_mov_epi64(zero, some, _mm512_mask_sub_epi64(value, minus, zero, value));
	v->stop = _mm512_mask_mov_epi64(v->stop, some, e);
}

/* Bytes of mantissas before their point, or all of them. */
INLINE __m512i bytes_before_point(__m512i words, __m512i size)
{
	__m512i dots =
		_mm512_maskz_mov_epi8(_mm512_cmpeq_epi8_mask(words, _mm512_set1_epi8('.')), _mm512_set1_epi8(1));
	__m512i before =
		_mm512_lzcnt_epi64(_mm512_and_si512(dots, _mm512_sub_epi64(_mm512_setzero_si512(), dots)));
	return _mm512_min_epu64(_mm512_srai_epi64(_mm512_sub_epi64(_mm512_set1_epi64(63), before), 3), size);
}

/* Mantissas as digits: those before the point, and the last 24 after it. */
typedef struct mantissas {
	__m512i size, decimals; /* digits before the point, and after it */
	__m512i whole, high, middle, low;
	bool is_long; /* some have digits in `high` */
} mantissas;

/* Of the digits after the point, the eight before the last `back`. */
INLINE __m512i take_decimals(const parts *v, __m512i decimals, int back)
{
	const __m512i eight = _mm512_set1_epi64(8);
	__m512i size =
		_mm512_max_epi64(_mm512_sub_epi64(decimals, _mm512_set1_epi64(back)), _mm512_setzero_si512());
	return last_bytes(as_digits(words_at(v->base - back - 8, v->stop)), _mm512_min_epi64(size, eight));
}

INLINE mantissas take_mantissas(parts *v, __m512i head)
{
	const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
	__m512i size = _mm512_sub_epi64(v->stop, v->first);
	mantissas m = {.size = bytes_before_point(head, size), .high = zero};
	m.decimals = _mm512_max_epi64(_mm512_sub_epi64(_mm512_sub_epi64(size, m.size), one), zero);
	m.whole = first_bytes(as_digits(head), m.size);
	m.low = take_decimals(v, m.decimals, 0);
	m.middle = take_decimals(v, m.decimals, 8);
	m.is_long = any_above(m.decimals, 16, v->lines);
	if (m.is_long) m.high = take_decimals(v, m.decimals, 16);
	return m;
}

INLINE __mmask8 find_strange(const mantissas *m)
{
	return find_no_digits(
		_mm512_max_epu8(_mm512_max_epu8(m->whole, m->high), _mm512_max_epu8(m->middle, m->low)));
}

/* All digits as integers, less the point. */
INLINE __m512i join_digits(parts *v, const mantissas *m)
{
	__m512i whole = eight_digits(m->whole),
			digits = _mm512_add_epi64(_mm512_mul_epu32(eight_digits(m->middle), _mm512_set1_epi64(100000000)),
	                                  eight_digits(m->low));
	__mmask8 some = _mm512_test_epi64_mask(whole, whole);
	v->left |= _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(m->size, _mm512_set1_epi64(1)), _mm512_set1_epi64(7));
	if (m->is_long) {
		__m512i high = eight_digits(m->high);
		/* 1843 times 10^16, plus what follows, fits into 64 bits. */
		v->left |= _mm512_cmpgt_epi64_mask(m->decimals, _mm512_set1_epi64(24)) |
		           _mm512_cmpgt_epi64_mask(high, _mm512_set1_epi64(1843));
		digits = _mm512_add_epi64(digits, _mm512_mullo_epi64(high, _mm512_set1_epi64(10000000000000000)));
	}
	if (!some) return digits;
	__mmask8 fits = _mm512_cmple_epi64_mask(_mm512_add_epi64(m->size, m->decimals),
	                                        _mm512_set1_epi64(SHEAF_ENTRIES_DIGITS));
	v->left |= some & (__mmask8)~fits;
	return _mm512_add_epi64(
		digits, _mm512_mullo_epi64(whole, _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), some & fits,
	                                                                  m->decimals, sheaf_tens, 8)));
}

/* *exponents: some lines so far had them. */
INLINE __m512i take_reals(parts *v, bool *exponents)
{
	__m512i head = take_sign(v);
	v->exponents = _mm512_setzero_si512();
	if (*exponents) take_exponents(v);
	mantissas m = take_mantissas(v, head);
	__mmask8 strange = find_strange(&m) & v->lines;
	if (strange) {
		if (!*exponents) {
			*exponents = true;
			take_exponents(v);
			m = take_mantissas(v, head);
			strange = find_strange(&m);
		}
		v->left |= strange;
	}
	__m512i digits = join_digits(v, &m), scale = _mm512_sub_epi64(v->exponents, m.decimals);
	v->left |= find_extreme(scale);
	__m512i values = to_doubles(digits, scale, v->lines & (__mmask8)~v->left);
	return _mm512_mask_xor_epi64(values, v->minus, values, _mm512_set1_epi64(INT64_MIN));
}

INLINE __m512i take_integers(parts *v)
{
	const __m512i zero = _mm512_setzero_si512();
	(void)take_sign(v);
	__m512i size = _mm512_sub_epi64(v->stop, v->first), low = take_decimals(v, size, 0),
			values = eight_digits(low);
	v->left |= find_no_digits(low) |
	           _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(size, _mm512_set1_epi64(1)), _mm512_set1_epi64(15));
	if (any_above(size, 8, v->lines)) {
		__m512i middle = take_decimals(v, size, 8);
		v->left |= find_no_digits(middle);
		values =
			_mm512_add_epi64(values, _mm512_mul_epu32(eight_digits(middle), _mm512_set1_epi64(100000000)));
	}
	return _mm512_mask_sub_epi64(values, v->minus, zero, values);
}

/* ---- lines ---- */

/* Stores a coordinate of some lines; returns those in which it is none, or out of range, which includes those
 * with more digits than are read. */
INLINE __mmask8 store_coordinates(sheaf_entries *run, int c, const uint8_t *base, __m512i from, __m512i to,
                                  __mmask8 lines)
{
	__m512i digits = first_bytes(as_digits(words_at(base, from)), _mm512_sub_epi64(to, from));
	__m512i values = _mm512_sub_epi64(eight_digits(digits), _mm512_set1_epi64(1));
	if (run->wide[c])
		_mm512_mask_storeu_epi64((int64_t *)run->to[c] + run->count, lines, values);
	else
		_mm256_mask_storeu_epi32((int32_t *)run->to[c] + run->count, lines, _mm512_cvtepi64_epi32(values));
	return _mm512_cmpge_epu64_mask(values, _mm512_set1_epi64((long long)run->limits[c])) |
	       find_no_digits(digits);
}

INLINE void store_numbers(sheaf_entries *run, int n, int numbers, __m512i values, __mmask8 lines)
{
	uint64_t *to = (uint64_t *)run->values + run->count * (size_t)numbers;
	if (numbers == 1)
		_mm512_mask_storeu_epi64(to, lines, values);
	else
		_mm512_mask_i64scatter_epi64(to + n, lines, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), values, 8);
}

/* The shape of each line: constants wherever this is inlined. */
typedef struct line_shape {
	int coordinates, numbers;
	bool integers;
} line_shape;

/* Stores up to eight lines from number k on; returns how many of them are kept. */
INLINE unsigned store_lines(sheaf_entries *run, const marks *m, unsigned k, unsigned n, line_shape shape,
                            bool *exponents)
{
	const int coordinates = shape.coordinates, numbers = shape.numbers;
	const int of_line = coordinates + numbers;
	const __m512i one = _mm512_set1_epi64(1);
	const __mmask8 lines = (__mmask8)((1u << n) - 1);
	__mmask8 left = 0;
	__m512i from = _mm512_add_epi64(places_of(m, k, -1, of_line), one);
#pragma GCC unroll 8
	for (int c = 0; c < of_line; c++) {
		__m512i to = places_of(m, k, c, of_line),
				end = c + 1 == of_line && m->returns ? _mm512_sub_epi64(to, one) : to;
		if (c < coordinates) {
			left |= store_coordinates(run, c, m->base, from, end, lines);
		} else {
			parts v = {.base = m->base, .lines = lines, .first = from, .stop = end};
			store_numbers(run, c - coordinates, numbers,
			              shape.integers ? take_integers(&v) : take_reals(&v, exponents), lines);
			left |= v.left;
		}
		from = _mm512_add_epi64(to, one);
	}
	left &= lines;
	return left ? (unsigned)__builtin_ctz(left) : n;
}

/* Reads the lines that are listed; false if one of them is left to the scanner. */
INLINE bool read_listed(sheaf_entries *run, const marks *m, line_shape shape, bool *exponents)
{
	for (unsigned k = 0; k < m->lines && run->count < run->room;) {
		unsigned n = m->lines - k < LANES ? m->lines - k : LANES;
		if (run->room - run->count < n) n = (unsigned)(run->room - run->count);
		unsigned stored = store_lines(run, m, k, n, shape, exponents);
		k += stored;
		run->count += stored;
		run->at = after_line(m, (int)k - 1, shape.coordinates + shape.numbers);
		if (stored == n) continue;
		if (!sheaf_entries_some(run, 1)) return false;
		k++;
	}
	return true;
}

INLINE void read_lines(sheaf_entries *run, int coordinates, int numbers, bool integers)
{
	marks m;
	const uint8_t *begin = run->at;
	bool exponents = false;
	marks_begin(&m, run, coordinates + numbers);
	while (run->at - begin < MARKS_BEFORE)
		if (!sheaf_entries_some(run, 1)) return;
	while (run->end - run->at >= MARKS_BEHIND && run->count < run->room) {
		marks_find(&m, run->at, run->end - MARKS_BEHIND, (unsigned)(coordinates + numbers));
		if (!read_listed(run, &m, (line_shape){coordinates, numbers, integers}, &exponents)) return;
		if (m.lines < MARKS_FEW && !sheaf_entries_some(run, MARKS_SOME)) return;
	}
}

#define READER(name, coordinates, numbers, integers) \
	AVX512 static void name(sheaf_entries *run) { read_lines(run, coordinates, numbers, integers); }
READER(reals_of_2, 2, 1, false)
READER(integers_of_2, 2, 1, true)
READER(pairs_of_2, 2, 2, false)
READER(places_of_2, 2, 0, false)
READER(reals_of_3, 3, 1, false)
READER(reals_of_4, 4, 1, false)
READER(reals, 0, 1, false)
READER(integers, 0, 1, true)

/* The kinds of lines that have a reader. */
static const struct {
	int coordinates, numbers;
	bool integers;
	sheaf_entries_reader *read;
} readers[] = {
	{2, 1, false, reals_of_2},  {2, 1, true, integers_of_2}, {2, 2, false, pairs_of_2},
	{2, 0, false, places_of_2}, {3, 1, false, reals_of_3},   {4, 1, false, reals_of_4},
	{0, 1, false, reals},       {0, 1, true, integers},
};

void sheaf_entries_avx512(sheaf_entries *run)
{
	for (size_t k = 0; k < sizeof readers / sizeof *readers; k++) {
		if (readers[k].coordinates != run->coordinates || readers[k].numbers != run->numbers) continue;
		if (run->numbers && readers[k].integers != run->integers) continue;
		readers[k].read(run);
		return;
	}
	sheaf_entries_portable(run);
}
#endif
