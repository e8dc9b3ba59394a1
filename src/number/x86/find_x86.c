/* SPDX-License-Identifier: MIT */
/* Searching for bytes with AVX2 and with AVX-512. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi")))
#define AVX512 __attribute__((target("avx512f,avx512bw,bmi,bmi2")))

AVX2 static inline __m256i all_avx2(const sheaf_wanted *wanted, int k)
{
	return _mm256_set1_epi8((char)wanted->bytes[k][0]);
}

AVX2 const uint8_t *sheaf_find_any_avx2(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted)
{
	const __m256i a = all_avx2(wanted, 0), b = all_avx2(wanted, 1), c = all_avx2(wanted, 2);
	const __m256i d = all_avx2(wanted, 3), e = all_avx2(wanted, 4), f = all_avx2(wanted, 5);
	for (; end - at >= 32; at += 32) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)at);
		__m256i ab = _mm256_or_si256(_mm256_cmpeq_epi8(v, a), _mm256_cmpeq_epi8(v, b)),
				cd = _mm256_or_si256(_mm256_cmpeq_epi8(v, c), _mm256_cmpeq_epi8(v, d));
		__m256i ef = _mm256_or_si256(_mm256_cmpeq_epi8(v, e), _mm256_cmpeq_epi8(v, f));
		uint32_t found = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(ab, cd), ef));
		if (found) return at + _tzcnt_u32(found);
	}
	return sheaf_find_any_portable(at, end, wanted);
}

AVX512 static inline __m512i all_avx512(const sheaf_wanted *wanted, int k)
{
	return _mm512_set1_epi8((char)wanted->bytes[k][0]);
}

AVX512 const uint8_t *sheaf_find_any_avx512(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted)
{
	const __m512i a = all_avx512(wanted, 0), b = all_avx512(wanted, 1), c = all_avx512(wanted, 2);
	const __m512i d = all_avx512(wanted, 3), e = all_avx512(wanted, 4), f = all_avx512(wanted, 5);
	for (; at < end; at += 64) {
		size_t left = (size_t)(end - at);
		__mmask64 there = left >= 64 ? ~0ull : _bzhi_u64(~0ull, (unsigned)left);
		__m512i v = _mm512_maskz_loadu_epi8(there, at);
		uint64_t found = _mm512_cmpeq_epi8_mask(v, a) | _mm512_cmpeq_epi8_mask(v, b) |
		                 _mm512_cmpeq_epi8_mask(v, c) | _mm512_cmpeq_epi8_mask(v, d) |
		                 _mm512_cmpeq_epi8_mask(v, e) | _mm512_cmpeq_epi8_mask(v, f);
		found &= there;
		if (found) return at + _tzcnt_u64(found);
	}
	return end;
}
#endif
