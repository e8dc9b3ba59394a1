/* SPDX-License-Identifier: MIT */
/* The kernel for AVX-512 with VBMI and VBMI2: 64 bytes of text in a register, and one bit for each byte in masks.
 *
 * Adding the mask of all numbers' first bytes to the mask of their bytes carries each bit to the first byte behind its number: so ends are
 * found for all numbers at once, and what stands where it must not is found by comparing masks. Then the bytes that are no digits are
 * pressed out of the numbers, eight numbers are gathered into the eight lanes of a register, each against the right end of its lane, and
 * three multiplications make integers of their digits. */
#include "number/clinger.h"
#include "number/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

enum { LANES = 8, LANE_DIGITS = 8, MOST_DIGITS = 16 };

/* 64 bytes of text, and for each class of bytes a mask; bytes behind the text belong to no class. */
typedef struct block {
	__m512i bytes;
	uint64_t digit, dot, minus, space, end, pair;
} block;

INLINE uint64_t find(__m512i bytes, uint8_t byte) { return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8((char)byte)); }

INLINE block load(const sheaf_numbers *run, bool pairs)
{
	const sheaf_delimiters *is = run->delimiters;
	size_t size = (size_t)(run->end - run->at);
	block b = {.bytes = size >= 64 ? _mm512_loadu_si512(run->at) : _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, (unsigned)size), run->at)};
	b.digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(b.bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
	b.space = find(b.bytes, is->spaces[0]) | find(b.bytes, is->spaces[1]);
	b.end = find(b.bytes, is->ends[0]) | find(b.bytes, is->ends[1]) | find(b.bytes, is->ends[2]);
	b.dot = find(b.bytes, '.');
	b.minus = find(b.bytes, '-');
	b.pair = pairs ? find(b.bytes, is->pair) : 0;
	return b;
}

/* The byte numbers 0 to 63. */
INLINE __m512i iota(void)
{
	return _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31,
	                       30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/* The bits up to the n-th one of the mask, n >= 1. */
INLINE uint64_t up_to(uint64_t mask, unsigned n) { return _blsmsk_u64(_pdep_u64(1ull << (n - 1), mask)); }

/* ---- integers of one to three digits ---- */

INLINE void store_small(sheaf_numbers *run, __m512i words, size_t n, bool wide)
{
	__m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(words)), high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(words, 1));
	if (wide) {
		double *to = (double *)run->values + run->count;
		_mm512_storeu_pd(to, _mm512_cvtepi32_pd(_mm512_castsi512_si256(low)));
		_mm512_storeu_pd(to + 8, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(low, 1)));
		_mm512_storeu_pd(to + 16, _mm512_cvtepi32_pd(_mm512_castsi512_si256(high)));
		_mm512_storeu_pd(to + 24, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(high, 1)));
	} else {
		float *to = (float *)run->values + run->count;
		_mm512_storeu_ps(to, _mm512_cvtepi32_ps(low));
		_mm512_storeu_ps(to + 16, _mm512_cvtepi32_ps(high));
	}
	run->count += n;
}

/* Every digit meets the two digits before it; where a number ends, the three are its value. No step depends on a number. */
INLINE void read_small(sheaf_numbers *run, const block *b, uint64_t ends, bool wide)
{
	const __m512i tens = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 0, 0, 0, 0, 0, 0));
	uint64_t last = ends >> 1;
	__m512i digits = _mm512_maskz_sub_epi8(b->digit, b->bytes, _mm512_set1_epi8('0'));
	__m512i before = _mm512_permutexvar_epi8(_mm512_sub_epi8(iota(), _mm512_set1_epi8(1)), digits);
	__m512i hundreds = _mm512_maskz_permutexvar_epi8(b->digit & b->digit << 1 & ~3ull, _mm512_sub_epi8(iota(), _mm512_set1_epi8(2)), digits);
	__m512i rest = _mm512_add_epi8(digits, _mm512_shuffle_epi8(tens, _mm512_maskz_mov_epi8(~1ull, before)));
	__m512i r = _mm512_maskz_compress_epi8(last, rest), h = _mm512_maskz_compress_epi8(last, hundreds);
	__m512i words = _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(r)),
	                                 _mm512_mullo_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(h)), _mm512_set1_epi16(100)));
	store_small(run, words, (size_t)_mm_popcnt_u64(last), wide);
}

/* Reads the block's numbers where all up to a list's end are such integers. */
INLINE bool try_small(sheaf_numbers *run, const block *b, bool wide)
{
	uint64_t stop = ~(b->digit | b->space), first = _blsi_u64(stop), seen = first ? first - 1 : ~0ull;
	uint64_t digit = b->digit & seen, ends = digit << 1 & ~digit & (b->space | b->end);
	if ((digit & digit << 1 & digit << 2 & digit << 3) || (first & ~b->end) || !ends) return false;
	block whole = *b;
	whole.digit = digit;
	read_small(run, &whole, ends, wide);
	run->at += 63 - _lzcnt_u64(ends) + !(first & ends);
	return true;
}

/* ---- all other numbers: eight in a step ---- */

/* Masks of the numbers in a block that a step reads. */
typedef struct numbers {
	unsigned n;
	uint64_t first;            /* first bytes, signs included */
	uint64_t exponent, number; /* 'e's; all bytes of numbers */
	uint64_t stop;             /* one behind each number's mantissa */
	uint64_t fraction;         /* first digit behind each number's point, or `stop` where it has none */
	uint64_t after;            /* one behind each number */
	uint64_t kept;             /* bytes that are not pressed out */
	uint64_t digits;           /* first byte of each mantissa that is kept */
	uint64_t index, colon;     /* first byte of, and one behind, each index */
	bool has_point, has_exponent;
} numbers;

/* What is not a number of the plain kind. Each finding stands in its number or straight behind it. */
INLINE uint64_t find_flaws(const block *b, const numbers *m, uint64_t plus, uint64_t ones)
{
	uint64_t sign_of_exponent = m->exponent << 1 & (b->minus | plus);
	uint64_t first_of_exponent = (m->exponent << 1 & ~sign_of_exponent) | sign_of_exponent << 1;
	uint64_t mantissa = m->first & ~b->minus;
	uint64_t flaws = ~(m->number | b->space | b->end | b->pair);
	flaws |= (mantissa | (m->first & b->minus) << 1) & ~b->digit;
	flaws |= (b->dot & ~ones) | (b->dot << 1 & m->exponent);
	flaws |= (b->minus | plus) & ~((m->first & b->minus) | sign_of_exponent);
	flaws |= first_of_exponent & ~b->digit;
	return flaws;
}

/* Each index follows no pair mark and ends in one; each pair mark has an index before it and a number behind it. */
INLINE uint64_t find_flawed_pairs(const block *b, const numbers *m, uint64_t first) { return (m->colon ^ b->pair) | (b->pair << 1 & ~first); }

INLINE numbers find_numbers(const block *b, bool pairs)
{
	numbers m = {.exponent = find(_mm512_or_si512(b->bytes, _mm512_set1_epi8(0x20)), 'e')};
	uint64_t plus = find(b->bytes, '+'), zero = find(b->bytes, '0');
	m.number = b->digit | b->dot | b->minus | m.exponent | plus;
	uint64_t first = m.number & ~(m.number << 1);
	m.first = pairs ? first & b->pair << 1 : first;
	uint64_t exponents = m.number & ~(m.number + m.exponent), mantissa = m.number & ~exponents;
	uint64_t undotted = mantissa & ~b->dot, ones = (undotted + m.first) & ~undotted; /* the point, or the end, of each number */
	uint64_t flaws = find_flaws(b, &m, plus, ones) | (m.exponent & ~exponents);
	m.after = m.number << 1 & ~m.number;
	if (pairs) {
		m.index = first & ~m.first;
		m.colon = (b->digit + m.index) & ~b->digit;
		flaws |= find_flawed_pairs(b, &m, first);
		m.after &= ~b->pair;
	}
	uint64_t halt = _blsi_u64(flaws | b->end), before = halt - 1; /* all ones where nothing halts */
	m.after &= before | (halt & b->end & ~flaws);
	unsigned n = (unsigned)_mm_popcnt_u64(m.after);
	m.n = n < LANES ? n : LANES;
	m.stop = (mantissa + m.first) & ~mantissa;
	m.fraction = (ones & b->dot) << 1 | (ones & ~b->dot);
	m.digits = (m.first & ~b->minus) | (m.first & b->minus) << 1;
	uint64_t lead = m.digits & zero & b->dot >> 1; /* "0." says nothing */
	m.digits = (m.digits & ~lead) | lead << 2;
	m.kept = ~(b->dot | (b->minus & m.first) | lead);
	m.has_point = b->dot != 0;
	m.has_exponent = m.exponent != 0;
	return m;
}

/* Where the marked bytes are once the others are pressed out: one lane each. */
INLINE __m512i places(uint64_t mask, uint64_t kept)
{
	return _mm512_cvtepu8_epi64(_mm512_castsi512_si128(_mm512_maskz_compress_epi8(_pext_u64(mask, kept), iota())));
}

/* Copies the low byte of each lane into all of the lane. */
INLINE __m512i spread(__m512i lanes)
{
	return _mm512_shuffle_epi8(lanes, _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0, 0x0808080808080808, 0, 0x0808080808080808, 0));
}

/* Up to eight digits in [from, to - back) of each lane, as an integer. */
INLINE __m512i eight_digits(__m512i text, __m512i from, __m512i to, char back)
{
	__m512i at = _mm512_add_epi8(spread(to), _mm512_set1_epi64((long long)0xfffefdfcfbfaf9f8));
	at = _mm512_sub_epi8(at, _mm512_set1_epi8(back));
	__m512i digits = _mm512_maskz_permutexvar_epi8(_mm512_cmpge_epi8_mask(at, spread(from)), at, text);
	__m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 | 1 << 8));
	__m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 | 1 << 16));
	return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
}

/* What a step has made of its numbers, lane by lane. `left` marks lanes that are left to the scanner. */
typedef struct lanes {
	__m512d values;
	__m512i integers; /* all digits */
	__mmask8 left;
} lanes;

INLINE __m512i read_digits(__m512i text, __m512i from, __m512i to, __mmask8 *left)
{
	__m512i size = _mm512_sub_epi64(to, from), low = eight_digits(text, from, to, 0);
	if (!_mm512_cmpgt_epi64_mask(size, _mm512_set1_epi64(LANE_DIGITS))) return low;
	__m512i high = eight_digits(text, from, to, LANE_DIGITS);
	__m512i all = _mm512_add_epi64(_mm512_mul_epu32(high, _mm512_set1_epi64(100000000)), low);
	*left |= _mm512_cmpgt_epi64_mask(size, _mm512_set1_epi64(MOST_DIGITS)) | _mm512_cmpgt_epi64_mask(all, _mm512_set1_epi64(1ll << 53));
	return all;
}

enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC, TABLE = 15 };

/* Digits and power are exact, so one division rounds once. */
INLINE void divide(lanes *l, __m512i decimals)
{
	__m512d power = _mm512_permutex2var_pd(_mm512_loadu_pd(sheaf_exact_powers), decimals, _mm512_loadu_pd(sheaf_exact_powers + 8));
	l->left |= _mm512_cmpgt_epi64_mask(decimals, _mm512_set1_epi64(TABLE));
	l->values = _mm512_div_round_pd(l->values, power, NEAREST);
}

INLINE void scale(lanes *l, __m512i exponent)
{
	__m512i size = _mm512_abs_epi64(exponent);
	__mmask8 fits = _mm512_cmple_epi64_mask(size, _mm512_set1_epi64(SHEAF_EXACT_POWER));
	__mmask8 down = _mm512_movepi64_mask(exponent);
	__m512d power = _mm512_mask_i64gather_pd(_mm512_set1_pd(1), fits, size, sheaf_exact_powers, sizeof *sheaf_exact_powers);
	l->left |= (__mmask8)~fits;
	l->values = _mm512_mask_div_round_pd(_mm512_mask_mul_round_pd(l->values, (__mmask8)~down, l->values, power, NEAREST), down, l->values, power, NEAREST);
}

/* The digits behind 'e', where there is one: what is no digit is its sign. */
INLINE __m512i read_exponents(const block *b, const numbers *m, __m512i text, __m512i stop, __m512i after, __mmask8 *left)
{
	uint64_t minus = (m->number + (m->exponent << 1 & b->minus)) & m->after;
	__m512i digits = _mm512_maskz_mov_epi8(_mm512_cmple_epu8_mask(text, _mm512_set1_epi8(9)), text);
	__m512i value = eight_digits(digits, _mm512_add_epi64(stop, _mm512_set1_epi64(1)), after, 0);
	*left |= _mm512_cmpgt_epi64_mask(_mm512_sub_epi64(after, stop), _mm512_set1_epi64(LANE_DIGITS));
	return _mm512_mask_sub_epi64(value, (__mmask8)_pext_u64(minus, m->after), _mm512_setzero_si512(), value);
}

INLINE lanes read_values(const block *b, const numbers *m, __m512i text)
{
	lanes l = {.left = (__mmask8)(0xff << m->n)};
	__m512i stop = places(m->stop, m->kept);
	l.integers = read_digits(text, places(m->digits, m->kept), stop, &l.left);
	l.values = _mm512_cvtepi64_pd(l.integers);
	__m512i decimals = m->has_point ? _mm512_sub_epi64(stop, places(m->fraction, m->kept)) : _mm512_setzero_si512();
	if (m->has_exponent)
		scale(&l, _mm512_sub_epi64(read_exponents(b, m, text, stop, places(m->after, m->kept), &l.left), decimals));
	else if (m->has_point)
		divide(&l, decimals);
	__mmask8 minus = (__mmask8)_pext_u64(b->minus, m->first);
	l.values = _mm512_mask_xor_pd(l.values, minus, l.values, _mm512_set1_pd(-0.0));
	return l;
}

INLINE void read_indices(const sheaf_numbers *run, const numbers *m, __m512i text, lanes *l)
{
	__m512i from = places(m->index, m->kept), to = places(m->colon, m->kept), index = eight_digits(text, from, to, 0);
	l->left |= _mm512_cmpgt_epi64_mask(_mm512_sub_epi64(to, from), _mm512_set1_epi64(LANE_DIGITS));
	l->left |= _mm512_cmpge_epu64_mask(index, _mm512_set1_epi64((long long)run->limit));
	if (run->wide_indices)
		_mm512_storeu_si512((int64_t *)run->indices + run->count, index);
	else
		_mm256_storeu_si256((__m256i *)(void *)((int32_t *)run->indices + run->count), _mm512_cvtepi64_epi32(index));
}

/* More than nine digits, zeros at the end apart, and a float of another value. */
INLINE int64_t count_rounded(const lanes *l, __m256 rounded, __mmask8 read)
{
	uint64_t integers[LANES];
	int64_t count = 0;
	unsigned candidates = _mm512_mask_cmpge_epu64_mask(read, l->integers, _mm512_set1_epi64(1000000000));
	if (!candidates) return 0;
	candidates &= _mm512_cmp_pd_mask(_mm512_cvtps_pd(rounded), l->values, _CMP_NEQ_OQ);
	_mm512_storeu_si512(integers, l->integers);
	for (; candidates; candidates &= candidates - 1) count += sheaf_has_many_digits(integers[__builtin_ctz(candidates)]);
	return count;
}

/* Rounding twice, to double and to float, is right but where the double is halfway between two floats. */
INLINE unsigned store_floats(sheaf_numbers *run, lanes *l)
{
	const __m512i rest = _mm512_set1_epi64(0x1fffffff), half = _mm512_set1_epi64(0x10000000);
	__m256 values = _mm512_cvt_roundpd_ps(l->values, NEAREST);
	l->left |= _mm512_cmpeq_epi64_mask(_mm512_and_si512(_mm512_castpd_si512(l->values), rest), half);
	unsigned n = _tzcnt_u32(l->left | 0x100u);
	_mm256_storeu_ps((float *)run->values + run->count, values);
	run->rounded += count_rounded(l, values, (__mmask8)_bzhi_u32(0xff, n));
	return n;
}

INLINE unsigned store_doubles(const sheaf_numbers *run, const lanes *l)
{
	_mm512_storeu_pd((double *)run->values + run->count, l->values);
	return _tzcnt_u32(l->left | 0x100u);
}

/* Passes spaces where no number can be read; false: something else is there. */
INLINE bool pass_spaces(sheaf_numbers *run, const block *b)
{
	unsigned n = (unsigned)_tzcnt_u64(~b->space);
	run->at += n;
	return n > 0;
}

/* Reads some numbers; false: the next thing is none, or none for this kernel. */
INLINE bool step(sheaf_numbers *run, const block *b, bool pairs, bool wide)
{
	numbers m = find_numbers(b, pairs);
	if (m.n == 0) return pass_spaces(run, b);
	__m512i text = _mm512_maskz_compress_epi8(m.kept, _mm512_sub_epi8(b->bytes, _mm512_set1_epi8('0')));
	lanes l = read_values(b, &m, text);
	if (pairs) read_indices(run, &m, text, &l);
	unsigned n = wide ? store_doubles(run, &l) : store_floats(run, &l);
	if (n < m.n) {
		run->count += n;
		run->at += _tzcnt_u64(_pdep_u64(1ull << n, pairs ? m.index : m.first));
		return false;
	}
	/* Told by the masks alone, so that the next step need not wait for the values of this one. */
	run->count += m.n;
	uint64_t last = _pdep_u64(1ull << (m.n - 1), m.after);
	run->at += _tzcnt_u64(last) + !(last & b->end);
	return !(last & b->end);
}

/* ---- runs ---- */

INLINE void read_run(sheaf_numbers *caller, bool pairs, bool wide)
{
	sheaf_numbers run = *caller; /* whose address nobody knows: it can live in registers */
	bool more = true;
	while (more && run.room - run.count >= SHEAF_NUMBERS_ROOM) {
		block b = load(&run, pairs);
		if (pairs || !try_small(&run, &b, wide)) more = step(&run, &b, pairs, wide);
	}
	*caller = run;
}

AVX512 static void dense_f32(sheaf_numbers *run) { read_run(run, false, false); }
AVX512 static void dense_f64(sheaf_numbers *run) { read_run(run, false, true); }
AVX512 static void pairs_f32(sheaf_numbers *run) { read_run(run, true, false); }
AVX512 static void pairs_f64(sheaf_numbers *run) { read_run(run, true, true); }

static bool is_available(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

const sheaf_kernel sheaf_kernel_avx512 = {"avx512", is_available, dense_f32, dense_f64, pairs_f32, pairs_f64, sheaf_find_feeds_avx512, sheaf_count_feeds_avx2};
#endif
