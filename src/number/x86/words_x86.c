/* SPDX-License-Identifier: MIT */
/* Big-endian words with AVX2 and with AVX-512: a shuffle swaps the bytes of a register's words. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,bmi2")))

enum { INFINITY_BITS = 0x7f800000, NAN_BITS = 0x7fc00000, ALL_BUT_SIGN = 0x7fffffff };

AVX2 static inline __m256i turned_avx2(const uint8_t *from)
{
	const __m256i order = _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0,
	                                       7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
	return _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(const void *)from), order);
}

AVX2 static inline __m256i one_nan_avx2(__m256i reals)
{
	__m256i size = _mm256_and_si256(reals, _mm256_set1_epi32(ALL_BUT_SIGN)),
			nan = _mm256_cmpgt_epi32(size, _mm256_set1_epi32(INFINITY_BITS));
	return _mm256_blendv_epi8(reals, _mm256_set1_epi32(NAN_BITS), nan);
}

AVX2 void sheaf_copy_words_avx2(uint32_t *to, const uint8_t *from, size_t n)
{
	for (; n >= 8; n -= 8, to += 8, from += 32) _mm256_storeu_si256((__m256i *)(void *)to, turned_avx2(from));
	sheaf_copy_words_scalar(to, from, n);
}

AVX2 void sheaf_copy_reals_avx2(uint32_t *to, const uint8_t *from, size_t n)
{
	for (; n >= 8; n -= 8, to += 8, from += 32)
		_mm256_storeu_si256((__m256i *)(void *)to, one_nan_avx2(turned_avx2(from)));
	sheaf_copy_reals_scalar(to, from, n);
}

AVX512 static inline __m512i turn_avx512(__m512i words)
{
	return _mm512_shuffle_epi8(
		words, _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)));
}

AVX512 static inline __m512i one_nan_avx512(__m512i reals)
{
	__m512i size = _mm512_and_si512(reals, _mm512_set1_epi32(ALL_BUT_SIGN));
	return _mm512_mask_mov_epi32(reals, _mm512_cmpgt_epi32_mask(size, _mm512_set1_epi32(INFINITY_BITS)),
	                             _mm512_set1_epi32(NAN_BITS));
}

/* The words that do not fill a register. */
AVX512 static inline __mmask16 rest_of(size_t n) { return (__mmask16)_bzhi_u32(0xffff, (unsigned)n); }

AVX512 void sheaf_copy_words_avx512(uint32_t *to, const uint8_t *from, size_t n)
{
	for (; n >= 16; n -= 16, to += 16, from += 64)
		_mm512_storeu_si512(to, turn_avx512(_mm512_loadu_si512(from)));
	_mm512_mask_storeu_epi32(to, rest_of(n), turn_avx512(_mm512_maskz_loadu_epi32(rest_of(n), from)));
}

AVX512 void sheaf_copy_reals_avx512(uint32_t *to, const uint8_t *from, size_t n)
{
	for (; n >= 16; n -= 16, to += 16, from += 64)
		_mm512_storeu_si512(to, one_nan_avx512(turn_avx512(_mm512_loadu_si512(from))));
	_mm512_mask_storeu_epi32(to, rest_of(n),
	                         one_nan_avx512(turn_avx512(_mm512_maskz_loadu_epi32(rest_of(n), from))));
}
#endif
