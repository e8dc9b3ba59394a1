/* SPDX-License-Identifier: MIT */
/* Lines of entries with AVX-512, some dozens at a time, in two steps. The first finds where the numbers of each line begin and end, by masks of
 * its 64 first bytes, and puts their digits aside as words of eight. The second makes numbers of the words of eight lines at once: three
 * multiplications for eight digits, and one of 64 bits by a power of ten for the nearest double. So nothing waits for the length of a line but
 * the next line, and no branch depends on how many digits there are. */
#include "number/entries_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/digits.h"
#include "number/nearest.h"
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

/* Lines of a batch, those of a vector, the most coordinates and numbers for which there are words; bytes before a line, and behind it, that may be
 * loaded. */
enum { LINES = 32, LANES = 8, COORDINATES = 4, NUMBERS = 2, BEFORE = 32, BEHIND = 128, MOST_FRACTION = 19 };

/* What the first step puts aside. */
typedef struct batch {
	const uint8_t *starts[LINES + 1];                                             /* of each line, and of the next one */
	uint64_t coordinates[COORDINATES][LINES];                                     /* eight digits, the last one highest */
	uint64_t whole[NUMBERS][LINES];                                               /* the digits before the point */
	uint64_t low[NUMBERS][LINES], middle[NUMBERS][LINES], high[NUMBERS][LINES];   /* and the last 24 behind it, or what stands there */
	uint64_t decimals[NUMBERS][LINES];                                            /* how many of them are digits */
	int64_t exponents[NUMBERS][LINES];                                            /* what is said behind 'e' */
	uint64_t signs[NUMBERS][LINES];                                               /* the highest bit */
	bool is_long;                                                                 /* some have more than 16 digits behind the point */
} batch;

/* ---- lines into words ---- */

/* Masks of a line's bytes. */
typedef struct line {
	const uint8_t *begin;
	uint64_t others, space, dot, minus; /* others: no digits; the feed is the last of them */
	unsigned end, feed;                 /* of its last number, where nothing else stands behind it; of the line */
} line;

INLINE uint64_t find(__m512i bytes, char byte) { return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte)); }

/* False where the line is longer than a vector, or empty. */
INLINE bool load_line(line *l, const uint8_t *at)
{
	__m512i bytes = _mm512_loadu_si512(at);
	uint64_t feed = find(bytes, '\n');
	l->feed = (unsigned)_tzcnt_u64(feed);
	if (l->feed == 0 || l->feed == 64) return false;
	l->begin = at;
	l->others = _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(9)) & _blsmsk_u64(feed);
	l->space = find(bytes, ' ') | find(bytes, '\t');
	l->dot = find(bytes, '.');
	l->minus = find(bytes, '-');
	l->end = l->feed - (at[l->feed - 1] == '\r');
	return true;
}

INLINE bool has(uint64_t mask, unsigned bit) { return mask >> bit & 1; }

/* The next byte that is no digit. */
INLINE unsigned next_other(line *l)
{
	unsigned at = (unsigned)_tzcnt_u64(l->others);
	l->others = _blsr_u64(l->others);
	return at;
}

INLINE uint64_t word_at(const uint8_t *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof word);
	return word;
}

/* 1 to 8 digits, pushed to the upper end. */
INLINE uint64_t digits_at(const uint8_t *at, unsigned n) { return (word_at(at) ^ SHEAF_ZEROS) << (64 - 8 * n); }

/* Behind an 'e'; false where it is something else. *end is the byte behind the exponent. */
INLINE bool take_exponent(line *l, unsigned mark, unsigned *end, int64_t *exponent)
{
	if ((l->begin[mark] | 0x20) != 'e') return false;
	uint8_t sign = l->begin[mark + 1];
	bool negative = sign == '-', is_signed = negative || sign == '+';
	if (is_signed && next_other(l) != mark + 1) return false;
	unsigned first = mark + 1 + is_signed;
	*end = next_other(l);
	unsigned n = *end - first;
	if (n < 1 || n > 3) return false;
	int64_t value = (int64_t)sheaf_eight_digits_value(digits_at(l->begin + first, n));
	*exponent = negative ? -value : value;
	return true;
}

/* A number from byte *at on, which moves to the byte behind it. */
INLINE bool take_number(batch *b, line *l, unsigned *at, int n, int number, bool integers)
{
	bool negative = has(l->minus, *at);
	l->others &= l->others - negative; /* without a branch: signs come as they like */
	unsigned first = *at + negative, whole_end = next_other(l), end = whole_end, whole = whole_end - first, decimals = 0;
	int64_t exponent = 0;
	if (whole < 1 || whole > 8) return false;
	if (!integers && has(l->dot, whole_end)) {
		end = next_other(l);
		decimals = end - whole_end - 1;
	}
	/* Nineteen digits fit into a word, a zero before the point apart. */
	bool is_zero = whole == 1 && l->begin[first] == '0';
	if (decimals + (is_zero ? 0 : whole) > MOST_FRACTION) return false;
	const uint8_t *last = l->begin + end;
	if (!integers && end != l->end && !has(l->space, end)) {
		if ((decimals == 0 && end != whole_end) || !take_exponent(l, end, &end, &exponent)) return false;
	}
	b->whole[number][n] = digits_at(l->begin + first, whole);
	b->low[number][n] = word_at(last - 8);
	b->middle[number][n] = word_at(last - 16);
	b->high[number][n] = word_at(last - 24);
	if (decimals > 16) b->is_long = true;
	b->decimals[number][n] = decimals;
	b->exponents[number][n] = exponent;
	b->signs[number][n] = (uint64_t)negative << 63;
	*at = end;
	return true;
}

/* Puts line number n aside; returns what is behind it, or NULL where it is left. */
INLINE const uint8_t *take_line(batch *b, const uint8_t *begin, int n, int coordinates, int numbers, bool integers)
{
	line l;
	unsigned at = 0, end = 0;
	if (!load_line(&l, begin)) return NULL;
	for (int c = 0; c < coordinates; c++) {
		end = next_other(&l);
		unsigned size = end - at;
		if (size < 1 || size > 8 || (!has(l.space, end) && (numbers || c + 1 < coordinates))) return NULL;
		b->coordinates[c][n] = digits_at(begin + at, size);
		at = end + 1;
	}
	for (int k = 0; k < numbers; k++) {
		if (at >= l.end || !take_number(b, &l, &at, n, k, integers)) return NULL;
		end = at++;
		if (k + 1 < numbers && !has(l.space, end)) return NULL;
	}
	/* The next line begins where the masks say, so that it need not wait for the numbers of this one. */
	return end == l.end ? begin + l.feed + 1 : NULL;
}

/* ---- words into numbers ---- */

INLINE __m512i load(const uint64_t *words) { return _mm512_loadu_si512(words); }

/* The numbers of eight digits, which are bytes 0 to 9. */
INLINE __m512i eight_digits(__m512i digits)
{
	__m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 | 1 << 8));
	__m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 | 1 << 16));
	return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
}

/* The same of the digits behind a point, where only the last 64 - drop bits are digits. */
INLINE __m512i some_digits(const uint64_t *words, __m512i drop)
{
	__m512i digits = _mm512_xor_si512(load(words), _mm512_set1_epi64((long long)SHEAF_ZEROS));
	return eight_digits(_mm512_sllv_epi64(_mm512_srlv_epi64(digits, drop), drop));
}

/* 64 bits less than eight for each digit, and none below 0. */
INLINE __m512i bits_without(__m512i decimals, int digits)
{
	return _mm512_max_epi64(_mm512_sub_epi64(_mm512_set1_epi64(8LL * digits), _mm512_slli_epi64(decimals, 3)), _mm512_setzero_si512());
}

static const uint64_t powers[MOST_FRACTION + 1] = {
	1,          10,          100,          1000,          10000,          100000,          1000000,          10000000,          100000000,          1000000000,
	10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
	10000000000000000000u,
};

/* All digits of a number as an integer. */
INLINE __m512i join_digits(const batch *b, int number, int from, __m512i decimals)
{
	__m512i fraction = _mm512_add_epi64(_mm512_mul_epu32(some_digits(b->middle[number] + from, bits_without(decimals, 16)), _mm512_set1_epi64(100000000)),
	                                    some_digits(b->low[number] + from, bits_without(decimals, 8)));
	if (b->is_long)
		fraction = _mm512_add_epi64(
			fraction, _mm512_mullo_epi64(some_digits(b->high[number] + from, bits_without(decimals, 24)), _mm512_set1_epi64(10000000000000000)));
	__m512i whole = eight_digits(load(b->whole[number] + from));
	if (!_mm512_test_epi64_mask(whole, whole)) return fraction;
	return _mm512_add_epi64(fraction, _mm512_mullo_epi64(whole, _mm512_i64gather_epi64(decimals, powers, 8)));
}

/* The upper half of products of 64 bits. */
INLINE __m512i multiply_high(__m512i a, __m512i b)
{
	const __m512i low = _mm512_set1_epi64(UINT32_MAX);
	__m512i a1 = _mm512_srli_epi64(a, 32), b1 = _mm512_srli_epi64(b, 32);
	__m512i outer = _mm512_mul_epu32(a, b), inner = _mm512_add_epi64(_mm512_mul_epu32(a1, b), _mm512_srli_epi64(outer, 32));
	__m512i other = _mm512_add_epi64(_mm512_mul_epu32(a, b1), _mm512_and_si512(inner, low));
	return _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(a1, b1), _mm512_srli_epi64(inner, 32)), _mm512_srli_epi64(other, 32));
}

/* sheaf_nearest_f64 of eight numbers; *unsure: which of them take more than that. */
INLINE __m512i nearest(__m512i digits, __m512i exponents, __mmask8 *unsure)
{
	const __m512i one = _mm512_set1_epi64(1);
	__m512i shift = _mm512_lzcnt_epi64(_mm512_or_si512(digits, one));
	__m512i power = _mm512_i64gather_epi64(_mm512_slli_epi64(_mm512_sub_epi64(exponents, _mm512_set1_epi64(SHEAF_POWER_FIRST)), 1), &sheaf_powers[0].high, 8);
	__m512i product = multiply_high(_mm512_sllv_epi64(digits, shift), power);
	__m512i top = _mm512_srli_epi64(product, 63), drop = _mm512_add_epi64(top, _mm512_set1_epi64(10));
	__m512i half = _mm512_sllv_epi64(one, _mm512_sub_epi64(drop, one));
	__m512i rest = _mm512_and_si512(product, _mm512_sub_epi64(_mm512_add_epi64(half, half), one));
	__mmask8 up = _mm512_cmpgt_epu64_mask(rest, half), some = _mm512_test_epi64_mask(digits, digits);
	*unsure = some & (_mm512_cmpeq_epi64_mask(rest, half) | _mm512_cmpeq_epi64_mask(rest, _mm512_sub_epi64(half, one)));
	__m512i mantissa = _mm512_srlv_epi64(product, drop);
	mantissa = _mm512_mask_add_epi64(mantissa, up, mantissa, one);
	/* As in sheaf_log2_of_power. */
	__m512i log = _mm512_srai_epi64(_mm512_mul_epi32(exponents, _mm512_set1_epi64(217706)), 16);
	__m512i biased = _mm512_add_epi64(_mm512_sub_epi64(log, shift), _mm512_add_epi64(top, _mm512_set1_epi64(63 + 1022)));
	return _mm512_maskz_add_epi64(some, _mm512_slli_epi64(biased, 52), mantissa);
}

/* Exponents that `nearest` cannot take. */
INLINE __mmask8 find_extreme(__m512i exponents)
{
	return _mm512_cmplt_epi64_mask(exponents, _mm512_set1_epi64(SHEAF_NEAREST_FIRST)) | _mm512_cmpgt_epi64_mask(exponents, _mm512_set1_epi64(SHEAF_NEAREST_LAST));
}

/* The rest of the work for those of which one product does not tell enough. */
static __attribute__((noinline)) void mend(uint64_t values[LANES], const uint64_t digits[LANES], const int64_t exponents[LANES], unsigned lanes)
{
	for (; lanes; lanes &= lanes - 1) {
		int k = __builtin_ctz(lanes);
		double value = sheaf_nearest_exactly(digits[k], (int)exponents[k], 0);
		memcpy(&values[k], &value, sizeof value);
	}
}

INLINE __m512i to_doubles(const batch *b, int number, int from, unsigned n)
{
	/* Behind the last line there is anything, which must not choose what is loaded. */
	const __mmask8 lines = (__mmask8)((1u << n) - 1);
	__m512i decimals = _mm512_maskz_loadu_epi64(lines, b->decimals[number] + from), digits = join_digits(b, number, from, decimals);
	__m512i exponents = _mm512_sub_epi64(_mm512_maskz_loadu_epi64(lines, b->exponents[number] + from), decimals);
	__mmask8 unsure, extreme = find_extreme(exponents);
	__m512i values = nearest(digits, _mm512_mask_mov_epi64(exponents, extreme, _mm512_setzero_si512()), &unsure);
	unsigned left = (unsigned)(unsure | extreme) & ((1u << n) - 1);
	if (left) {
		uint64_t v[LANES], d[LANES];
		int64_t e[LANES];
		_mm512_storeu_si512(v, values);
		_mm512_storeu_si512(d, digits);
		_mm512_storeu_si512(e, exponents);
		mend(v, d, e, left);
		values = _mm512_loadu_si512(v);
	}
	return _mm512_or_si512(values, load(b->signs[number] + from));
}

INLINE __m512i to_integers(const batch *b, int number, int from)
{
	__m512i digits = eight_digits(load(b->whole[number] + from));
	return _mm512_mask_sub_epi64(digits, _mm512_movepi64_mask(load(b->signs[number] + from)), _mm512_setzero_si512(), digits);
}

/* Which of some lines have coordinates beyond the limit; those of the others are stored. */
INLINE __mmask8 store_coordinates(sheaf_entries *run, const batch *b, int c, int from, __mmask8 lines)
{
	__m512i values = _mm512_sub_epi64(eight_digits(load(b->coordinates[c] + from)), _mm512_set1_epi64(1));
	if (run->wide[c])
		_mm512_mask_storeu_epi64((int64_t *)run->to[c] + run->count + from, lines, values);
	else
		_mm256_mask_storeu_epi32((int32_t *)run->to[c] + run->count + from, lines, _mm512_cvtepi64_epi32(values));
	return _mm512_cmpge_epu64_mask(values, _mm512_set1_epi64((long long)run->limits[c])) & lines;
}

INLINE void store_numbers(sheaf_entries *run, const batch *b, int from, unsigned n, int numbers, bool integers)
{
	__mmask8 lines = (__mmask8)((1u << n) - 1);
	uint64_t *to = (uint64_t *)run->values + (run->count + (size_t)from) * (size_t)numbers;
	for (int k = 0; k < numbers; k++) {
		__m512i values = integers ? to_integers(b, k, from) : to_doubles(b, k, from, n);
		if (numbers == 1)
			_mm512_mask_storeu_epi64(to, lines, values);
		else
			_mm512_mask_i64scatter_epi64(to + k, lines, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), values, 8);
	}
}

/* Stores n lines; returns how many of them stand. */
INLINE int store_lines(sheaf_entries *run, const batch *b, int n, int coordinates, int numbers, bool integers)
{
	for (int from = 0; from < n; from += LANES) {
		unsigned some = n - from < LANES ? (unsigned)(n - from) : LANES;
		__mmask8 beyond = 0, lines = (__mmask8)((1u << some) - 1);
		for (int c = 0; c < coordinates; c++) beyond |= store_coordinates(run, b, c, from, lines);
		store_numbers(run, b, from, some, numbers, integers);
		if (beyond) return from + __builtin_ctz(beyond);
	}
	return n;
}

/* Reads a batch; false where the next line is left. */
INLINE bool read_batch(sheaf_entries *run, batch *b, int coordinates, int numbers, bool integers)
{
	int n = 0, most = run->room - run->count < LINES ? (int)(run->room - run->count) : LINES;
	const uint8_t *at = run->at, *last = run->end - BEHIND;
	b->is_long = false;
	while (n < most && at <= last) {
		const uint8_t *next = take_line(b, at, n, coordinates, numbers, integers);
		if (!next) break;
		b->starts[n++] = at;
		at = next;
	}
	b->starts[n] = at;
	int stored = store_lines(run, b, n, coordinates, numbers, integers);
	run->count += (size_t)stored;
	run->at = b->starts[stored];
	return stored == most && most > 0;
}

INLINE void read_lines(sheaf_entries *run, int coordinates, int numbers, bool integers)
{
	batch b;
	const uint8_t *begin = run->at;
	while (run->at - begin < BEFORE)
		if (!sheaf_entries_one(run)) return;
	while (run->end - run->at > BEHIND && run->room > run->count) {
		if (!read_batch(run, &b, coordinates, numbers, integers) && !sheaf_entries_one(run)) return;
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

/* Kinds of lines that there is a reader for. */
static const struct {
	int coordinates, numbers;
	bool integers;
	sheaf_entries_reader *read;
} readers[] = {
	{2, 1, false, reals_of_2}, {2, 1, true, integers_of_2}, {2, 2, false, pairs_of_2}, {2, 0, false, places_of_2},
	{3, 1, false, reals_of_3}, {4, 1, false, reals_of_4},   {0, 1, false, reals},      {0, 1, true, integers},
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
