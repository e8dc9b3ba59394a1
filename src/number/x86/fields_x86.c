/* SPDX-License-Identifier: MIT */
/* Fields of delimited text with AVX2 and AVX-512. A number is loaded by its last 16 bytes, so that its digits
 * are at the right; the bytes to the left of it become zeros, and a point is removed by moving what is before
 * it. */
#include "number/kernels/kernel_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/kernels/fields_parts.h"
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

AVX2 static void cut_avx2(sheaf_fields_cut *c, const uint8_t *until)
{
	const __m256i delimiter = _mm256_set1_epi8((char)c->delimiter), feed = _mm256_set1_epi8((char)c->feed),
				  quote = _mm256_set1_epi8((char)c->quote);
	for (; until - c->block >= SHEAF_FIELDS_BLOCK; c->block += SHEAF_FIELDS_BLOCK) {
		sheaf_block_marks m = {mark_avx2(c->block, delimiter), mark_avx2(c->block, feed),
		                       c->quote ? mark_avx2(c->block, quote) : 0};
		SHEAF_CUT_BLOCK(c, m, put_avx2);
	}
}

/* Sixteen at a time; those after the last mean nothing. */
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

AVX512 static void cut_avx512(sheaf_fields_cut *c, const uint8_t *until)
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

#define TARGET AVX2
typedef __m128i sixteen;
#include "number/kernels/fields_tables.h"

/* The digits of up to sixteen bytes before `end`, right-aligned after zeros; *other: which of the bytes are
 * none. */
AVX2 static inline sixteen load_digits(const uint8_t *end, size_t size, unsigned *other)
{
	__m128i there = _mm_loadu_si128((const __m128i *)(const void *)(last_bytes + size)),
			text = _mm_loadu_si128((const __m128i *)(const void *)(end - LANES)),
			d = _mm_and_si128(_mm_sub_epi8(text, _mm_set1_epi8('0')), there);
	*other = ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d)) & 0xffff;
	return d;
}

/* Without the point. */
AVX2 static inline sixteen take_point_out(sixteen d, int point)
{
	const __m128i all = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m128i move = _mm_loadu_si128((const __m128i *)(const void *)(moves + LANES - 1 - point));
	return _mm_shuffle_epi8(d, _mm_sub_epi8(all, move)); /* byte 0 comes from 255: a zero */
}

/* Sixteen digits. */
AVX2 static inline uint64_t value_of(sixteen d)
{
	__m128i twos = _mm_maddubs_epi16(d, _mm_set1_epi16(1 << 8 | 10)),
			fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100)),
			eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
	uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
	return (both & UINT32_MAX) * 100000000 + (both >> 32);
}

AVX2 static inline bool are_zeros(sixteen d) { return _mm_testz_si128(d, d); }

#include "number/kernels/fields_vectors.h"

/* ---- times ---- */

/* Years begin with March here, so that leap days come last. */
SHEAF_INLINE int64_t seconds_of(unsigned year, unsigned month, unsigned day, unsigned clock)
{
	static const uint16_t before[13] = {0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};
	enum { EPOCH = 719469, DAY = 86400 };
	unsigned y = year - (month <= 2);
	return ((int64_t)(365 * y + y / 4 - y / 100 + y / 400 + before[month] + day) - EPOCH) * DAY + clock;
}

SHEAF_INLINE bool is_in_month(unsigned year, unsigned month, unsigned day)
{
	const unsigned short_ones = 1u << 4 | 1u << 6 | 1u << 9 | 1u << 11;
	if (month != 2) return day < 31 || !(short_ones >> month & 1);
	return day < 29 || (day == 29 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* The pairs of digits of sixteen bytes; false if these cannot begin a time. */
AVX2 static inline bool take_pairs(const uint8_t *at, __m128i *out)
{
	const __m128i pattern = _mm_setr_epi8('0', '0', '0', '0', '-', '0', '0', '-', '0', '0', ' ', '0', '0',
	                                      ':', '0', '0'),
				  most = _mm_setr_epi8(9, 9, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9),
				  letter = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ' ' ^ 'T', 0, 0, 0, 0, 0),
				  places = _mm_setr_epi8(0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, -1, -1, -1, -1),
				  largest = _mm_setr_epi16(99, 99, 12, 31, 23, 59, 0, 0),
				  least = _mm_setr_epi16(0, 0, 1, 1, 0, 0, 0, 0);
	__m128i d = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)at), pattern);
	d = _mm_andnot_si128(_mm_cmpeq_epi8(d, letter), d);
	__m128i fits = _mm_cmpeq_epi8(_mm_min_epu8(d, most), d);
	*out = _mm_maddubs_epi16(_mm_shuffle_epi8(d, places), _mm_set1_epi16(1 << 8 | 10));
	__m128i beyond = _mm_or_si128(_mm_cmpgt_epi16(*out, largest), _mm_cmpgt_epi16(least, *out));
	return _mm_movemask_epi8(_mm_andnot_si128(beyond, fits)) == 0xffff;
}

AVX2 static inline bool take_time(const sheaf_fields *f, size_t i, int64_t *seconds)
{
	const uint8_t *at, *end;
	__m128i pairs;
	sheaf_field_at(f, i, &at, &end);
	if (end - at != SHEAF_FIELD_TIME || !take_pairs(at, &pairs)) return false;
	unsigned tens = (unsigned)end[-2] - '0', ones = (unsigned)end[-1] - '0';
	if (end[-3] != ':' || tens > 5 || ones > 9) return false;
	uint64_t date = (uint64_t)_mm_cvtsi128_si64(pairs), clock = (uint64_t)_mm_extract_epi64(pairs, 1);
	unsigned year = (unsigned)(date & 0xff) * 100 + (unsigned)(date >> 16 & 0xff),
			 month = (unsigned)(date >> 32 & 0xff), day = (unsigned)(date >> 48);
	if (year < SHEAF_FIELD_FIRST_YEAR || year > SHEAF_FIELD_LAST_YEAR) return false;
	if (day > 28 && !is_in_month(year, month, day)) return false;
	*seconds =
		seconds_of(year, month, day,
	               (unsigned)(clock & 0xff) * 3600 + (unsigned)(clock >> 16 & 0xff) * 60 + tens * 10 + ones);
	return true;
}

SHEAF_FIELDS_READERS(AVX2)

const sheaf_fields_kernel sheaf_fields_avx2 = {
	cut_avx2, look, read_f64, read_i64, read_times, sheaf_fields_read_days, sheaf_fields_read_bools};
const sheaf_fields_kernel sheaf_fields_avx512 = {
	cut_avx512, look, read_f64, read_i64, read_times, sheaf_fields_read_days, sheaf_fields_read_bools};
#endif
