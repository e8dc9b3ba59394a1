/* SPDX-License-Identifier: MIT */
/* A few float32s at once, as vectors of the compiler, which it supports on every processor. */
#ifndef SHEAF_REPORT_LANES_H
#define SHEAF_REPORT_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SHEAF_LANES = 4, SHEAF_SMALL_WHOLE = 1 << 10 };

typedef float sheaf_floats __attribute__((vector_size(16)));
typedef int32_t sheaf_ints __attribute__((vector_size(16)));

static inline sheaf_floats sheaf_floats_at(const float *values)
{
	sheaf_floats v;
	memcpy(&v, values, sizeof v);
	return v;
}

/* Without signs, so that they can be ordered, with NaNs above infinities. */
static inline sheaf_ints sheaf_sizes_of(sheaf_floats v) { return (sheaf_ints)v & 0x7fffffff; }

static inline bool sheaf_any(sheaf_ints mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }

/* -1 in each lane except for whole numbers of at most SHEAF_SMALL_WHOLE. */
static inline sheaf_ints sheaf_not_small_whole(sheaf_floats v)
{
	enum { MOST_BITS = 0x44800000 /* of SHEAF_SMALL_WHOLE */ };
	const float round = 0x1p23f; /* from here on all floats are whole numbers */
	sheaf_ints bits = sheaf_sizes_of(v);
	sheaf_floats size = (sheaf_floats)bits;
	return (bits > MOST_BITS) | (size + round - round != size);
}

/* For n values; those after the last full vector are processed one by one. */
static inline bool sheaf_are_small_whole(const float *values, int64_t n)
{
	sheaf_ints odd = {0};
	int64_t k = 0;
	for (; k + SHEAF_LANES <= n; k += SHEAF_LANES) odd |= sheaf_not_small_whole(sheaf_floats_at(values + k));
	for (; k < n; k++) odd |= sheaf_not_small_whole((sheaf_floats){values[k], 0, 0, 0});
	return !sheaf_any(odd);
}

#endif
