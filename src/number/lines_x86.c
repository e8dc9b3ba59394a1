/* SPDX-License-Identifier: MIT */
/* Line feeds with AVX2 and with AVX-512: a comparison of all bytes of a register is a mask, or almost. */
#include "number/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw")))

AVX2 static inline uint64_t feeds_avx2(const uint8_t *block)
{
	__m256i feed = _mm256_set1_epi8('\n');
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)block), high = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32));
	uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, feed)), second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, feed));
	return first | (uint64_t)second << 32;
}

AVX512 static inline uint64_t feeds_avx512(const uint8_t *block) { return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(block), _mm512_set1_epi8('\n')); }

AVX2 void sheaf_find_feeds_avx2(const uint8_t *text, int64_t n, uint64_t *masks)
{
	for (int64_t k = 0; k < n; k++) masks[k] = feeds_avx2(text + k * SHEAF_LINES_BLOCK);
}

AVX2 int64_t sheaf_count_feeds_avx2(const uint8_t *text, int64_t n)
{
	int64_t feeds = 0;
	for (int64_t k = 0; k < n; k++) feeds += _mm_popcnt_u64(feeds_avx2(text + k * SHEAF_LINES_BLOCK));
	return feeds;
}

AVX512 void sheaf_find_feeds_avx512(const uint8_t *text, int64_t n, uint64_t *masks)
{
	for (int64_t k = 0; k < n; k++) masks[k] = feeds_avx512(text + k * SHEAF_LINES_BLOCK);
}
#endif
