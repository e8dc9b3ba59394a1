/* SPDX-License-Identifier: MIT */
/* Vectors that every x86-64 has, and words of eight bytes elsewhere. */
#include "number/kernels/marks.h"
#include "base/endian.h"
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

static inline uint64_t mask_sixteen(const uint8_t *at, const __m128i *wanted)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
	__m128i first = _mm_or_si128(_mm_cmpeq_epi8(v, wanted[0]), _mm_cmpeq_epi8(v, wanted[1]));
	__m128i rest = _mm_or_si128(_mm_cmpeq_epi8(v, wanted[2]), _mm_cmpeq_epi8(v, wanted[3]));
	return (uint32_t)_mm_movemask_epi8(_mm_or_si128(first, rest));
}

static inline uint64_t mask_block(const uint8_t *at, const uint8_t *bytes)
{
	__m128i wanted[SHEAF_MARKS];
	for (int i = 0; i < SHEAF_MARKS; i++) wanted[i] = _mm_set1_epi8((char)bytes[i]);
	return mask_sixteen(at, wanted) | mask_sixteen(at + 16, wanted) << 16 |
	       mask_sixteen(at + 32, wanted) << 32 | mask_sixteen(at + 48, wanted) << 48;
}
#else
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The highest bit of each byte of a word that is this one. In x those bytes are 0; adding 0x7f to the lower
 * seven bits of a byte sets its highest bit unless they are 0, and no byte's sum carries into the next one.
 */
static inline uint64_t equal_to(uint64_t word, uint8_t byte)
{
	uint64_t x = word ^ EACH(byte), rest = (x & EACH(0x7f)) + EACH(0x7f);
	return ~(rest | x | EACH(0x7f));
}

static inline uint64_t mask_block(const uint8_t *at, const uint8_t *bytes)
{
	uint64_t mask = 0;
	for (int i = 0; i < SHEAF_MARKS_BLOCK; i += 8) {
		/* The product gathers the eight bits of a word in its highest byte. */
		uint64_t word = sheaf_load_u64le(at + i), found = 0;
		for (int k = 0; k < SHEAF_MARKS; k++) found |= equal_to(word, bytes[k]);
		mask |= ((found >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
	}
	return mask;
}
#endif

uint64_t sheaf_marks_of_block(const uint8_t *block, const uint8_t bytes[SHEAF_MARKS])
{
	return mask_block(block, bytes);
}

/* The last block may be shorter: it is examined in a copy. */
static uint64_t mask_rest(const uint8_t *at, size_t size, const uint8_t *bytes)
{
	uint8_t copy[SHEAF_MARKS_BLOCK] = {0};
	memcpy(copy, at, size);
	return mask_block(copy, bytes) & ((UINT64_C(1) << size) - 1);
}

void sheaf_marks_begin(sheaf_marks *marks, const uint8_t *at, const uint8_t *end,
                       const uint8_t bytes[SHEAF_MARKS])
{
	memcpy(marks->bytes, bytes, SHEAF_MARKS);
	marks->end = end;
	marks->block = at;
	size_t left = (size_t)(end - at);
	marks->mask = left >= SHEAF_MARKS_BLOCK ? mask_block(at, bytes) : left ? mask_rest(at, left, bytes) : 0;
}

/* A block that is not the last is whole; the last one ends with the text. */
bool sheaf_marks_refill(sheaf_marks *marks)
{
	while (marks->end - marks->block > SHEAF_MARKS_BLOCK) {
		marks->block += SHEAF_MARKS_BLOCK;
		size_t left = (size_t)(marks->end - marks->block);
		marks->mask = left >= SHEAF_MARKS_BLOCK ? mask_block(marks->block, marks->bytes)
		                                        : mask_rest(marks->block, left, marks->bytes);
		if (marks->mask) return true;
	}
	return false;
}
