/* SPDX-License-Identifier: MIT */
/* Pairs of integers with AVX2 and BMI2: masks of 64 bytes show where indices and values are, and eight of
 * each become integers at once. Other pairs are left to the portable kernel. */
#include "number/clinger.h"
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define INLINE AVX2 static inline __attribute__((always_inline))

enum { BLOCK = 64, WORD = 8, LANES = 8, MOST_PAIRS = BLOCK / 4 };

/* 64 bytes of text as masks of their classes. */
typedef struct block {
	uint64_t digit, space, end, pair;
} block;

INLINE uint64_t join(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

INLINE uint64_t find(__m256i low, __m256i high, uint8_t byte)
{
	__m256i wanted = _mm256_set1_epi8((char)byte);
	return join(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

INLINE __m256i mark_digits(__m256i bytes)
{
	__m256i digits = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
	return _mm256_cmpeq_epi8(_mm256_min_epu8(digits, _mm256_set1_epi8(9)), digits);
}

INLINE block load(const sheaf_numbers *run)
{
	const sheaf_delimiters *is = run->delimiters;
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)run->at),
			high = _mm256_loadu_si256((const __m256i *)(const void *)(run->at + BLOCK / 2));
	block b = {.digit = join(mark_digits(low), mark_digits(high)), .pair = find(low, high, is->pair)};
	b.space = find(low, high, is->spaces[0]) | find(low, high, is->spaces[1]);
	b.end = find(low, high, is->mark) | find(low, high, is->feed) | find(low, high, is->before_feed);
	return b;
}

/* Where the first digits of the indices are, the colons after them, and the bytes after the values, of n
 * pairs. */
typedef struct places {
	uint64_t first, colon, after;
	unsigned n;
} places;

/* Finds the pairs of a block. The sum of digits and first digits carries each bit to the byte after its
 * index, which must be a colon. `two`, `four` and `eight` have the last digit of that many in a row, and one
 * more digit before eight is a flaw. False if there is no pair, or if one up to the list's end does not
 * consist of integers of up to eight digits. */
INLINE bool find_pairs(const block *b, places *p)
{
	uint64_t stop = ~(b->digit | b->space | b->pair), halt = _blsi_u64(stop), seen = halt ? halt - 1 : ~0ull;
	uint64_t digit = b->digit & seen, colon = b->pair & seen, first = digit & ~(digit << 1);
	uint64_t two = digit & digit << 1, four = two & two << 2, eight = four & four << 4;
	p->first = first & ~(colon << 1);
	p->colon = (digit + p->first) & ~digit & (seen | halt);
	p->after = digit << 1 & ~digit & ~colon & (b->space | b->end);
	p->n = (unsigned)_mm_popcnt_u64(p->after);
	uint64_t whole =
		p->n ? _blsmsk_u64(1ull << (63 - _lzcnt_u64(p->after))) : 0; /* up to the last pair that ends here */
	uint64_t flaws = (p->colon ^ colon) | (colon << 1 & ~digit) | (eight & digit << 8);
	return p->n > 0 && !(flaws & whole) && !(halt & ~b->end);
}

/* The digits in the upper bytes of two times four words, as eight integers. */
INLINE __m256i eight_integers(const uint64_t *words)
{
	const __m256i tens = _mm256_set1_epi16(10 | 1 << 8), hundreds = _mm256_set1_epi32(100 | 1 << 16),
				  fours = _mm256_set1_epi32(10000 | 1 << 16);
	const __m256i digit = _mm256_set1_epi8(15);
	__m256i a = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)words), digit);
	__m256i b = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(words + 4)), digit);
	a = _mm256_madd_epi16(_mm256_maddubs_epi16(a, tens), hundreds);
	b = _mm256_madd_epi16(_mm256_maddubs_epi16(b, tens), hundreds);
	return _mm256_permute4x64_epi64(_mm256_madd_epi16(_mm256_packus_epi32(a, b), fours), 0xd8);
}

INLINE void store(const sheaf_numbers *run, __m256i integers, bool wide)
{
	if (wide) {
		double *to = (double *)run->values + run->count;
		_mm256_storeu_pd(to, _mm256_cvtepi32_pd(_mm256_castsi256_si128(integers)));
		_mm256_storeu_pd(to + 4, _mm256_cvtepi32_pd(_mm256_extracti128_si256(integers, 1)));
	} else {
		_mm256_storeu_ps((float *)run->values + run->count, _mm256_cvtepi32_ps(integers));
	}
}

INLINE void store_indices(const sheaf_numbers *run, __m256i indices)
{
	if (run->wide_indices) {
		__m256i *to = (__m256i *)(void *)((int64_t *)run->indices + run->count);
		_mm256_storeu_si256(to, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(indices)));
		_mm256_storeu_si256(to + 1, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(indices, 1)));
	} else {
		_mm256_storeu_si256((__m256i *)(void *)((int32_t *)run->indices + run->count), indices);
	}
}

INLINE uint64_t load_word(const uint8_t *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof word);
	return word;
}

/* How many of n indices, at most eight, are below the limit, up to the first that is not. Lanes after them do
 * not matter. */
INLINE unsigned count_below(__m256i indices, uint64_t limit, unsigned n)
{
	__m256i most = _mm256_set1_epi32(limit > INT32_MAX ? INT32_MAX : (int32_t)limit - 1);
	unsigned above = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(indices, most)));
	return (unsigned)_tzcnt_u32(_bzhi_u32(above, n) | 1u << n);
}

INLINE unsigned put_pairs(sheaf_numbers *run, const places *p, bool wide)
{
	uint64_t indices[MOST_PAIRS + LANES], values[MOST_PAIRS + LANES], first = p->first, colon = p->colon,
																	  after = p->after;
	for (unsigned i = 0; i < p->n; i++) {
		uint64_t begin = _tzcnt_u64(first), middle = _tzcnt_u64(colon), end = _tzcnt_u64(after);
		indices[i] = load_word(run->at + begin) << 8 * (WORD - (middle - begin));
		values[i] = load_word(run->at + middle + 1) << 8 * (WORD - (end - middle - 1));
		first = _blsr_u64(first);
		colon = _blsr_u64(colon);
		after = _blsr_u64(after);
	}
	for (unsigned i = 0; i < p->n; i += LANES) {
		__m256i index = eight_integers(indices + i);
		unsigned left = p->n - i, n = count_below(index, run->limit, left < LANES ? left : LANES);
		store_indices(run, index);
		store(run, eight_integers(values + i), wide);
		run->count += n;
		if (n < LANES) return i + n;
	}
	return p->n;
}

/* False: the next item is no such pair, or the list ends. */
INLINE bool read_block(sheaf_numbers *run, const block *b, bool wide)
{
	places p;
	if (!find_pairs(b, &p)) return false;
	unsigned n = put_pairs(run, &p, wide);
	uint64_t last = 1ull << (63 - _lzcnt_u64(p.after));
	bool more = n == p.n && !(last & b->end);
	run->at += n < p.n ? _tzcnt_u64(_pdep_u64(1ull << n, p.first)) : 63 - _lzcnt_u64(last) + more;
	return more;
}

INLINE void read_run(sheaf_numbers *caller, bool wide)
{
	sheaf_numbers run = *caller; /* whose address is never taken: it can stay in registers */
	bool more = sheaf_rounds_to_nearest();
	while (more && run.end - run.at >= BLOCK + WORD && run.room - run.count >= SHEAF_NUMBERS_ROOM) {
		block b = load(&run);
		more = read_block(&run, &b, wide);
	}
	*caller = run;
}

AVX2 void sheaf_pairs_f32_avx2(sheaf_numbers *run)
{
	read_run(run, false);
	sheaf_pairs_f32_portable(run);
}

AVX2 void sheaf_pairs_f64_avx2(sheaf_numbers *run)
{
	read_run(run, true);
	sheaf_pairs_f64_portable(run);
}
#endif
