/* SPDX-License-Identifier: MIT */
/* The kernel for AVX2 with BMI2: lists of small integers 64 bytes at a time; pairs are in
 * kernel_avx2_pairs.c, everything else is the portable kernel's. */
#include "number/kernels/entries_parts.h"
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define INLINE AVX2 static inline __attribute__((always_inline))

/* 64 bytes of text, and for each class of bytes a mask. */
typedef struct block {
	__m256i low, high; /* digits as 0 to 9, other bytes as anything else */
	uint64_t digit, space, end;
} block;

INLINE uint64_t mask_of(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

INLINE uint64_t find(__m256i low, __m256i high, uint8_t byte)
{
	__m256i wanted = _mm256_set1_epi8((char)byte);
	return mask_of(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

INLINE __m256i at_most_9(__m256i bytes)
{
	return _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(9)), bytes);
}

INLINE block load(const sheaf_numbers *run)
{
	const sheaf_delimiters *is = run->delimiters;
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)run->at),
			high = _mm256_loadu_si256((const __m256i *)(const void *)(run->at + 32));
	block b = {.space = find(low, high, is->spaces[0]) | find(low, high, is->spaces[1])};
	b.end = find(low, high, is->mark) | find(low, high, is->feed) | find(low, high, is->before_feed);
	b.low = _mm256_sub_epi8(low, _mm256_set1_epi8('0'));
	b.high = _mm256_sub_epi8(high, _mm256_set1_epi8('0'));
	b.digit = mask_of(at_most_9(b.low), at_most_9(b.high));
	return b;
}

/* For each mask of the last bytes of numbers in eight bytes, as indices of a shuffle: the place of each, and
 * that of its hundreds eight bytes on. A mask has at most four such bytes, since no two are adjacent; entries
 * for other masks are unused. */
#define BIT(mask, i) ((mask) >> (i) & 1)
#define LOW_BITS(mask) (BIT(mask, 0) + BIT(mask, 1) + BIT(mask, 2) + BIT(mask, 3) + BIT(mask, 4) + \
                        BIT(mask, 5) + BIT(mask, 6))
#define INDICES(i) ((uint64_t)(i) | (uint64_t)((i) + 8) << 8)
#define PLACE(mask, i) (INDICES(i) * BIT(mask, i) << 16 * (LOW_BITS((mask) & ((1 << (i)) - 1)) & 3))
#define PICK(mask) (PLACE(mask, 0) | PLACE(mask, 1) | PLACE(mask, 2) | PLACE(mask, 3) | PLACE(mask, 4) | \
                    PLACE(mask, 5) | PLACE(mask, 6) | PLACE(mask, 7))
#define PICK_4(mask) PICK(mask), PICK((mask) + 1), PICK((mask) + 2), PICK((mask) + 3)
#define PICK_16(mask) PICK_4(mask), PICK_4((mask) + 4), PICK_4((mask) + 8), PICK_4((mask) + 12)
#define PICK_64(mask) PICK_16(mask), PICK_16((mask) + 16), PICK_16((mask) + 32), PICK_16((mask) + 48)
static const uint64_t picks[256] = {PICK_64(0), PICK_64(64), PICK_64(128), PICK_64(192)};

/* Up to four numbers in each lane of `parts`, which has for eight bytes the values of their last two digits,
 * then their hundreds: of the first eight bytes of `last` and, in the upper lane, of the third eight. */
INLINE __m256i pick(__m256i parts, uint32_t last)
{
	__m128i low = _mm_loadl_epi64((const __m128i *)(const void *)&picks[last & 0xff]);
	__m128i high = _mm_loadl_epi64((const __m128i *)(const void *)&picks[last >> 16 & 0xff]);
	return _mm256_shuffle_epi8(parts, _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
}

/* The numbers of sixteen bytes: up to four words, and four more. */
INLINE void store_words(sheaf_numbers *run, __m128i words, uint32_t last, bool wide)
{
	__m256i integers = _mm256_cvtepu16_epi32(words);
	size_t first = (size_t)_mm_popcnt_u32(last & 0xff), second = (size_t)_mm_popcnt_u32(last >> 8 & 0xff);
	if (wide) {
		double *to = (double *)run->values + run->count;
		_mm256_storeu_pd(to, _mm256_cvtepi32_pd(_mm256_castsi256_si128(integers)));
		_mm256_storeu_pd(to + first, _mm256_cvtepi32_pd(_mm256_extracti128_si256(integers, 1)));
	} else {
		float *to = (float *)run->values + run->count;
		__m256 reals = _mm256_cvtepi32_ps(integers);
		_mm_storeu_ps(to, _mm256_castps256_ps128(reals));
		_mm_storeu_ps(to + first, _mm256_extractf128_ps(reals, 1));
	}
	run->count += first + second;
}

/* Every digit is combined with the two digits before it; where a number ends, the three are its value.
 * `before` has the 32 bytes before `digits`. */
INLINE void store_half(sheaf_numbers *run, __m256i before, __m256i digits, uint32_t last, bool wide)
{
	const __m256i tens = _mm256_setr_epi8(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 0, 0, 0, 0, 0, 0, 0, 10, 20,
	                                      30, 40, 50, 60, 70, 80, 90, 0, 0, 0, 0, 0, 0);
	const __m256i none = _mm256_set1_epi8(-1);
	__m256i across = _mm256_permute2x128_si256(before, digits, 0x21);
	__m256i one = _mm256_alignr_epi8(digits, across, 15), two = _mm256_alignr_epi8(digits, across, 14);
	/* Any byte but a digit is all ones here: it has no tens, and no hundreds before it. */
	__m256i hundreds =
		_mm256_andnot_si256(_mm256_or_si256(_mm256_cmpeq_epi8(one, none), _mm256_cmpeq_epi8(two, none)), two);
	__m256i rest = _mm256_add_epi8(digits, _mm256_shuffle_epi8(tens, one));
	__m256i even = _mm256_unpacklo_epi64(rest, hundreds), odd = _mm256_unpackhi_epi64(rest, hundreds);
	__m256i words = _mm256_maddubs_epi16(_mm256_unpacklo_epi64(pick(even, last), pick(odd, last >> 8)),
	                                     _mm256_set1_epi16(1 | 100 << 8));
	store_words(run, _mm256_castsi256_si128(words), last, wide);
	store_words(run, _mm256_extracti128_si256(words, 1), last >> 16, wide);
}

/* Reads the block's numbers if all up to the list's end have one to three digits. */
INLINE bool read_small(sheaf_numbers *run, const block *b, bool wide)
{
	uint64_t halt = _blsi_u64(~(b->digit | b->space)),
			 digit = b->digit & (halt - 1); /* all of them if nothing stops */
	uint64_t after = digit << 1 & ~digit & (b->space | b->end), last = after >> 1;
	if ((digit & digit << 1 & digit << 2 & digit << 3) || (halt & ~b->end) || !after) return false;
	__m256i none = _mm256_set1_epi8(-1);
	__m256i low = _mm256_or_si256(b->low, _mm256_xor_si256(at_most_9(b->low), none)),
			high = _mm256_or_si256(b->high, _mm256_xor_si256(at_most_9(b->high), none));
	store_half(run, none, low, (uint32_t)last, wide);
	store_half(run, low, high, (uint32_t)(last >> 32), wide);
	run->at += 63 - _lzcnt_u64(after) + !(halt & after);
	return true;
}

INLINE void read_run(sheaf_numbers *caller, bool wide)
{
	sheaf_numbers run = *caller; /* whose address is never taken: it can stay in registers */
	while (run.room - run.count >= SHEAF_NUMBERS_ROOM && run.end - run.at >= 64) {
		block b = load(&run);
		if (!read_small(&run, &b, wide)) break;
	}
	*caller = run;
}

AVX2 static void dense_f32(sheaf_numbers *run)
{
	read_run(run, false);
	sheaf_dense_f32_portable(run);
}

AVX2 static void dense_f64(sheaf_numbers *run)
{
	read_run(run, true);
	sheaf_dense_f64_portable(run);
}

/* The first two generations of Zen take hundreds of cycles for PEXT, which pairs and entries use. */
static bool is_available(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
	       !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

const sheaf_kernel sheaf_kernel_avx2 = {
	.name = "avx2",
	.is_available = is_available,
	.dense_f32 = dense_f32,
	.dense_f64 = dense_f64,
	.pairs_f32 = sheaf_pairs_f32_avx2,
	.pairs_f64 = sheaf_pairs_f64_avx2,
	.whole_i32 = sheaf_whole_i32_portable,
	.find_feeds = sheaf_find_feeds_avx2,
	.count_feeds = sheaf_count_feeds_avx2,
	.count_ends = sheaf_count_ends_avx2,
	.lines_f32 = sheaf_tape_f32_portable,
	.lines_f64 = sheaf_tape_f64_portable,
	.alike = sheaf_alike_portable,
	.find_any = sheaf_find_any_avx2,
	.skip_utf8 = sheaf_skip_utf8_avx2,
	.copy_words = sheaf_copy_words_avx2,
	.copy_reals = sheaf_copy_reals_avx2,
	.entries = sheaf_entries_avx2,
	.fields = &sheaf_fields_avx2,
};
#endif
