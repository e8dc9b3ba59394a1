/* SPDX-License-Identifier: MIT */
/* A few float32s at once, as vectors of the compiler, which it supports on every processor. */
#ifndef SHEAF_REPORT_SUMMARY_LANES_H
#define SHEAF_REPORT_SUMMARY_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SHEAF_LANES = 4, SHEAF_SMALL_WHOLE = 1 << 10 };

typedef float sheaf_floats __attribute__((vector_size(16)));
typedef int32_t sheaf_ints __attribute__((vector_size(16)));
typedef uint32_t sheaf_bits __attribute__((vector_size(16)));

static inline sheaf_floats sheaf_floats_at(const float *values)
{
	sheaf_floats v;
	memcpy(&v, values, sizeof v);
	return v;
}

/* Without signs, so that they can be ordered, with NaNs above infinities. */
static inline sheaf_ints sheaf_sizes_of(sheaf_floats v) { return (sheaf_ints)v & 0x7fffffff; }

static inline bool sheaf_any(sheaf_ints mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }

/* Whole numbers from -SHEAF_SMALL_WHOLE on and below SHEAF_SMALL_WHOLE, plus SHEAF_SMALL_WHOLE; *odd gets
 * bits in each lane that has another value. A large number is added: its last bits are the whole number. */
static inline sheaf_ints sheaf_to_small_whole(sheaf_floats v, sheaf_ints *odd)
{
	const float large = 0x1.8p23f;
	const uint32_t bits_of_large = 0x4b400000;
	sheaf_ints whole = (sheaf_ints)((sheaf_bits)(v + large) - bits_of_large);
	sheaf_ints counted = (sheaf_ints)((sheaf_bits)whole + SHEAF_SMALL_WHOLE);
	*odd |= (__builtin_convertvector(whole, sheaf_floats) != v) | (counted & ~(2 * SHEAF_SMALL_WHOLE - 1));
	return counted;
}

#endif
