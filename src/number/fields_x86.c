/* SPDX-License-Identifier: MIT */
/* Fields of delimited text with AVX2 and AVX-512. A number is loaded by its last 16 bytes, so that its digits
 * stand at the right; what is left of it becomes zeros, and a point is taken out by moving what is before it.
 */
#include "number/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/clinger.h"
#include "number/fields_parts.h"
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define AVX512 \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,popcnt")))

/* ---- where fields end ---- */

AVX2 static inline uint64_t mark_avx2(const uint8_t *block, __m256i byte)
{
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)block),
			high = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32));
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, byte)) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, byte)) << 32;
}

AVX2 static inline void put_avx2(uint32_t *to, uint32_t base, uint64_t bits)
{
	for (; bits; bits = _blsr_u64(bits)) *to++ = base + (uint32_t)_tzcnt_u64(bits);
}

AVX2 void sheaf_cut_fields_avx2(sheaf_fields_cut *c, const uint8_t *until)
{
	const __m256i delimiter = _mm256_set1_epi8((char)c->delimiter), feed = _mm256_set1_epi8((char)c->feed),
				  quote = _mm256_set1_epi8((char)c->quote);
	for (; until - c->block >= SHEAF_FIELDS_BLOCK; c->block += SHEAF_FIELDS_BLOCK) {
		sheaf_block_marks m = {mark_avx2(c->block, delimiter), mark_avx2(c->block, feed),
		                       c->quote ? mark_avx2(c->block, quote) : 0};
		SHEAF_CUT_BLOCK(c, m, put_avx2);
	}
}

/* Sixteen at a time, of which those after the last mean nothing. */
AVX512 static inline void put_avx512(uint32_t *to, uint32_t base, uint64_t bits)
{
	static const uint8_t each[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	                                 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	                                 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
	__m512i at = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(each)),
			from = _mm512_set1_epi32((int)base);
	int n = (int)_mm_popcnt_u64(bits);
	_mm512_storeu_si512(to, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(at)), from));
	if (n <= 16) return;
	_mm512_storeu_si512(to + 16,
	                    _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(at, 1)), from));
	if (n <= 32) return;
	_mm512_storeu_si512(to + 32,
	                    _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(at, 2)), from));
	_mm512_storeu_si512(to + 48,
	                    _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(at, 3)), from));
}

AVX512 void sheaf_cut_fields_avx512(sheaf_fields_cut *c, const uint8_t *until)
{
	const __m512i delimiter = _mm512_set1_epi8((char)c->delimiter), feed = _mm512_set1_epi8((char)c->feed),
				  quote = _mm512_set1_epi8((char)c->quote);
	for (; until - c->block >= SHEAF_FIELDS_BLOCK; c->block += SHEAF_FIELDS_BLOCK) {
		__m512i v = _mm512_loadu_si512(c->block);
		sheaf_block_marks m = {_mm512_cmpeq_epi8_mask(v, delimiter), _mm512_cmpeq_epi8_mask(v, feed),
		                       c->quote ? _mm512_cmpeq_epi8_mask(v, quote) : 0};
		SHEAF_CUT_BLOCK(c, m, put_avx512);
	}
}

/* ---- numbers ---- */

enum { LANES = 16 };

/* From byte 16 - n on: the last n of 16 bytes. */
static const uint8_t last_bytes[2 * LANES] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                              0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                              255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

/* From byte 15 - p on, together with `all`: all bytes up to p move one up. */
static const uint8_t moves[2 * LANES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

typedef struct number {
	uint64_t digits;
	int places, whole; /* digits after the point, and before; places -1: there is no point */
	bool negative, zeros;
} number;

/* The digits, at the right of zeros; false where something else is among them, or where they are too many. */
AVX2 static inline bool take_digits(const sheaf_fields *f, size_t i, number *n, __m128i *out)
{
	const uint8_t *at, *end;
	sheaf_field_at(f, i, &at, &end);
	n->negative = at < end && *at == '-';
	at += n->negative;
	size_t size = (size_t)(end - at);
	if (size - 1 >= LANES || end - f->text < LANES) return false;
	__m128i there = _mm_loadu_si128((const __m128i *)(const void *)(last_bytes + size)),
			text = _mm_loadu_si128((const __m128i *)(const void *)(end - LANES)),
			d = _mm_and_si128(_mm_sub_epi8(text, _mm_set1_epi8('0')), there);
	unsigned other =
		~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d)) & 0xffff;
	n->places = -1;
	n->whole = (int)size;
	if (other) {
		int point = (int)_tzcnt_u32(other);
		n->places = LANES - 1 - point;
		n->whole = (int)size - 1 - n->places;
		if ((other & (other - 1)) || end[-1 - n->places] != '.' || n->whole == 0 || n->places == 0)
			return false;
		const __m128i all = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
		__m128i move = _mm_loadu_si128((const __m128i *)(const void *)(moves + LANES - 1 - point));
		d = _mm_shuffle_epi8(d, _mm_sub_epi8(all, move)); /* byte 0 comes from 255: a zero */
	}
	n->zeros = *at == '0' && n->whole > 1;
	*out = d;
	return true;
}

AVX2 static inline bool take(const sheaf_fields *f, size_t i, number *n)
{
	__m128i d;
	if (!take_digits(f, i, n, &d)) return false;
	__m128i twos = _mm_maddubs_epi16(d, _mm_set1_epi16(1 << 8 | 10)),
			fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100)),
			eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
	uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
	n->digits = (both & UINT32_MAX) * 100000000 + (both >> 32);
	return true;
}

SHEAF_FIELDS_READERS(AVX2, avx2)

AVX2 size_t sheaf_fields_look_avx2(const sheaf_fields *f, size_t from, unsigned *seen)
{
	number n;
	__m128i d;
	unsigned all = 0;
	for (; from < f->count && take_digits(f, from, &n, &d) && !n.zeros; from++) {
		if (n.places < 0 && n.negative && _mm_testz_si128(d, d)) break;
		all |= sheaf_field_bits(n.places < 0, n.negative);
	}
	*seen |= all;
	return from;
}
#endif
