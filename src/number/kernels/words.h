/* SPDX-License-Identifier: MIT */
/* Big-endian words of four bytes, many at a time. */
#ifndef SHEAF_NUMBER_KERNELS_WORDS_H
#define SHEAF_NUMBER_KERNELS_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Copies n words into this machine's order. The source need not be aligned, and does not overlap the
 * target. */
typedef void sheaf_word_copier(uint32_t *to, const uint8_t *from, size_t n);

/* Any NaN is the same NaN. */
static inline uint32_t sheaf_one_nan(uint32_t bits)
{
	return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

/* As they are. */
void sheaf_copy_words(uint32_t *to, const uint8_t *from, size_t n);
/* As float32, of which any NaN becomes the same. */
void sheaf_copy_reals(uint32_t *to, const uint8_t *from, size_t n);

#endif
