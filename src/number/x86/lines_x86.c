/* SPDX-License-Identifier: MIT */
/* Line feeds with AVX2 and with AVX-512: comparing all bytes of a register gives a mask, or nearly. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))

AVX2 static inline uint64_t find_avx2(const uint8_t *block, char wanted)
{
	__m256i feed = _mm256_set1_epi8(wanted);
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)block),
			high = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32));
	uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, feed)),
			 second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, feed));
	return first | (uint64_t)second << 32;
}

AVX2 static inline uint64_t feeds_avx2(const uint8_t *block) { return find_avx2(block, '\n'); }

AVX512 static inline uint64_t find_avx512(const uint8_t *block, char wanted)
{
	return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(block), _mm512_set1_epi8(wanted));
}

AVX512 static inline uint64_t feeds_avx512(const uint8_t *block) { return find_avx512(block, '\n'); }

AVX2 void sheaf_find_feeds_avx2(const uint8_t *text, int64_t n, uint64_t *masks)
{
	for (int64_t k = 0; k < n; k++) masks[k] = feeds_avx2(text + k * SHEAF_LINES_BLOCK);
}

AVX2 static inline int64_t count_page(const uint8_t *text, int64_t n)
{
	int64_t feeds = 0;
	for (int64_t k = 0; k < n; k++) feeds += _mm_popcnt_u64(feeds_avx2(text + k * SHEAF_LINES_BLOCK));
	return feeds;
}

AVX2 int64_t sheaf_count_feeds_avx2(const uint8_t *text, int64_t n)
{
	/* The processor by itself looks no further than to the end of a page. To ask for each line of the next
	 * one costs more than it saves. */
	enum { PAGE = 4096, BLOCKS = PAGE / SHEAF_LINES_BLOCK };
	int64_t feeds = 0;
	for (; n > 0; n -= BLOCKS, text += PAGE) {
		_mm_prefetch((const char *)((uintptr_t)text + PAGE), _MM_HINT_T0);
		feeds += count_page(text, n < BLOCKS ? n : BLOCKS);
	}
	return feeds;
}

AVX512 void sheaf_find_feeds_avx512(const uint8_t *text, int64_t n, uint64_t *masks)
{
	for (int64_t k = 0; k < n; k++) masks[k] = feeds_avx512(text + k * SHEAF_LINES_BLOCK);
}

/* A feed directly after a return ends no further line. */
AVX2 int64_t sheaf_count_ends_avx2(const uint8_t *text, int64_t n)
{
	int64_t ends = 0;
	uint64_t before = 0;
	for (int64_t k = 0; k < n; k++) {
		uint64_t feeds = feeds_avx2(text + k * SHEAF_LINES_BLOCK),
				 returns = find_avx2(text + k * SHEAF_LINES_BLOCK, '\r');
		ends += _mm_popcnt_u64(feeds & ~(returns << 1 | before)) + _mm_popcnt_u64(returns);
		before = returns >> 63;
	}
	return ends;
}

AVX512 int64_t sheaf_count_ends_avx512(const uint8_t *text, int64_t n)
{
	int64_t ends = 0;
	uint64_t before = 0;
	for (int64_t k = 0; k < n; k++) {
		uint64_t feeds = feeds_avx512(text + k * SHEAF_LINES_BLOCK),
				 returns = find_avx512(text + k * SHEAF_LINES_BLOCK, '\r');
		ends += _mm_popcnt_u64(feeds & ~(returns << 1 | before)) + _mm_popcnt_u64(returns);
		before = returns >> 63;
	}
	return ends;
}
#endif
