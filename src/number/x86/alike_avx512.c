/* SPDX-License-Identifier: MIT */
/* Lines that are alike with AVX-512: a line is one register. Its bytes that are no digits, pressed together,
 * are compared with those of the shape at once, and so is where numbers end among them. */
#include "number/kernels/alike.h"
#include "number/kernels/kernel_parts.h"
#include <string.h>

#ifdef SHEAF_KERNEL_X86
#include "number/x86/kernel_avx512.h"

/* The shape in registers, with the largest numbers so far: eight numbers to a half. */
typedef struct half {
	__m512i digits, most;
	__mmask8 fixed;
} half;

/* Byte numbers, eight of them from `first` on, each in all bytes of a lane. */
INLINE __m512i spread(__m512i places, long long first)
{
	const __m512i eight =
		_mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
	                     0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
	return _mm512_permutexvar_epi8(_mm512_add_epi8(eight, _mm512_set1_epi8((char)first)), places);
}

/* The digits in [from, to) as text, against the right ends of their lanes, after zeros. */
INLINE __m512i gather(__m512i bytes, __m512i from, __m512i to)
{
	__m512i at = _mm512_add_epi8(to, _mm512_set1_epi64((long long)0xfffefdfcfbfaf9f8));
	return _mm512_maskz_permutexvar_epi8(_mm512_cmpge_epi8_mask(at, from), at, bytes);
}

INLINE __m512i value_of(__m512i text)
{
	__m512i digits = _mm512_and_si512(text, _mm512_set1_epi8(0x0f));
	__m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 | 1 << 8));
	__m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 | 1 << 16));
	return _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
}

/* Eight numbers of a line; false where one is too long, or not the one that is fixed. Numbers that are not
 * there begin and end at the line's first byte. */
INLINE bool read_half(const half *h, __m512i bytes, __m512i from, __m512i to, __m512i *values)
{
	__m512i text = gather(bytes, from, to);
	*values = value_of(text);
	return !_mm512_mask_cmpneq_epi64_mask(h->fixed, text, h->digits) &&
	       !any_above(_mm512_sub_epi8(to, from), SHEAF_ALIKE_DIGITS);
}

INLINE void keep_half(half *h, __m512i values, uint32_t *to)
{
	h->most = _mm512_max_epu32(h->most, values);
	_mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi64_epi32(values));
}

/* How many bytes the line at `at` has; 0 where it is not alike. */
INLINE unsigned read_line(const sheaf_alike *run, half *h, __m512i others, uint32_t *into, bool both)
{
	__m512i bytes = load_bytes(run->at, run->end), low, high;
	uint64_t feed = find(bytes, '\n'), line = feed ^ (feed - 1);
	uint64_t digit =
		line & _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
	uint64_t other = line ^ digit, first = digit & ~(digit << 1), after = digit << 1 & ~digit;
	if (!feed || _pext_u64(after, other) != run->shape->numbered ||
	    _mm512_cmpneq_epi8_mask(_mm512_maskz_compress_epi8(other, bytes), others))
		return 0;
	__m512i from = _mm512_maskz_compress_epi8(first, iota()), to = _mm512_maskz_compress_epi8(after, iota());
	if (!read_half(&h[0], bytes, spread(from, 0), spread(to, 0), &low)) return 0;
	if (both && !read_half(&h[1], bytes, spread(from, LANES), spread(to, LANES), &high)) return 0;
	keep_half(&h[0], low, into);
	if (both) keep_half(&h[1], high, into + LANES);
	return (unsigned)_mm_popcnt_u64(line);
}

INLINE void read_lines(sheaf_alike *caller, bool both)
{
	sheaf_alike *run = caller;
	const uint8_t *begin = run->at;
	__m512i others = _mm512_loadu_si512(run->shape->others);
	half h[2];
	for (size_t i = 0; i < 2; i++)
		h[i] = (half){.digits = _mm512_loadu_si512(run->shape->digits[i * LANES]),
		              .most = _mm512_setzero_si512(),
		              .fixed = (__mmask8)(run->shape->fixed >> i * LANES)};
	unsigned size;
	while (run->count < SHEAF_ALIKE_LINES &&
	       (size = read_line(run, h, others, run->numbers[run->count], both))) {
		run->at += size;
		run->ends[run->count++] = (uint32_t)(run->at - begin);
	}
	for (size_t i = 0; i < 2; i++)
		_mm256_storeu_si256((__m256i *)(void *)(run->most + i * LANES), _mm512_cvtepi64_epi32(h[i].most));
}

AVX512 void sheaf_alike_avx512(sheaf_alike *run)
{
	run->count = 0;
	if (run->shape->numbers > LANES)
		read_lines(run, true);
	else
		read_lines(run, false);
}
#endif
