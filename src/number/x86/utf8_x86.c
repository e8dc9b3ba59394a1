/* SPDX-License-Identifier: MIT */
/* Whether texts are UTF-8, with AVX2. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* What may be wrong with two bytes that follow each other: each of three tables, of the halves of the first
 * byte and the upper half of the second, says what its half allows; what all three allow is wrong. PAIR, two
 * bytes that continue a character, is right only after a byte that begins one of three or four. */
enum {
	SHORT = 1,   /* a character begins, and the next byte does not continue it */
	EXTRA = 2,   /* a byte continues a character after one of ASCII */
	LONG_3 = 4,  /* two bytes would do for the character of three */
	HIGH = 8,    /* beyond U+10FFFF: from 90 on after F4 and more */
	HALF = 16,   /* a surrogate */
	LONG_2 = 32, /* one byte would do */
	BEYOND = 64, /* below 90 after F5 and more, or after F0, where three bytes would do */
	PAIR = 128,
	ANY = SHORT | EXTRA | PAIR,
	MORE = ANY | HIGH | BEYOND,
};
#define TABLE(name, ...) static const uint8_t name[16] __attribute__((aligned(16))) = {__VA_ARGS__}
TABLE(of_first_upper, EXTRA, EXTRA, EXTRA, EXTRA, EXTRA, EXTRA, EXTRA, EXTRA, PAIR, PAIR, PAIR, PAIR,
      SHORT | LONG_2, SHORT, SHORT | LONG_3 | HALF, SHORT | HIGH | BEYOND);
TABLE(of_first_lower, ANY | LONG_3 | LONG_2 | BEYOND, ANY | LONG_2, ANY, ANY, ANY | HIGH, MORE, MORE, MORE,
      MORE, MORE, MORE, MORE, MORE, MORE | HALF, MORE, MORE);
TABLE(of_second_upper, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT,
      EXTRA | LONG_2 | PAIR | LONG_3 | BEYOND, EXTRA | LONG_2 | PAIR | LONG_3 | HIGH,
      EXTRA | LONG_2 | PAIR | HALF | HIGH, EXTRA | LONG_2 | PAIR | HALF | HIGH, SHORT, SHORT, SHORT, SHORT);

AVX2 static inline __m256i load(const uint8_t *s)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)s);
}

AVX2 static inline __m256i look_up(const uint8_t table[16], __m256i halves)
{
	__m128i bytes = _mm_load_si128((const __m128i *)(const void *)table);
	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), halves);
}

AVX2 static inline __m256i upper(__m256i v)
{
	return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
}

/* Of 32 bytes and the three before each of them; a byte that continues a character is there if and only if
 * the second or the third one before it begins one of as many bytes. */
AVX2 static inline __m256i find_flaws(const uint8_t *s)
{
	__m256i before = load(s - 1), lower = _mm256_and_si256(before, _mm256_set1_epi8(15));
	__m256i wrong = _mm256_and_si256(look_up(of_first_upper, upper(before)), look_up(of_first_lower, lower));
	wrong = _mm256_and_si256(wrong, look_up(of_second_upper, upper(load(s))));
	/* The top bit of the differences, which do not go below 0, is that of PAIR. */
	__m256i third = _mm256_subs_epu8(load(s - 2), _mm256_set1_epi8(0xe0 - PAIR)),
			fourth = _mm256_subs_epu8(load(s - 3), _mm256_set1_epi8(0xf0 - PAIR));
	__m256i wanted = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)PAIR));
	return _mm256_xor_si256(wanted, wrong);
}

AVX2 size_t sheaf_skip_utf8_avx2(const uint8_t *s, size_t i, size_t n)
{
	for (; n - i >= 64; i += 64) {
		__m256i flaws = _mm256_or_si256(find_flaws(s + i), find_flaws(s + i + 32));
		if (!_mm256_testz_si256(flaws, flaws)) break;
	}
	return i;
}
#endif
