/* SPDX-License-Identifier: MIT */
/* Stable sorting of (key, value) entries, a digit at a time: best if they fit a cache. */
#ifndef SHEAF_SPARSE_SORT_RADIX_H
#define SHEAF_SPARSE_SORT_RADIX_H

#include <sheaf/base.h>

enum { SHEAF_RADIX_MOST = 1 << 30 /* most entries that are sorted at a time */ };

/* A value of 16 bytes. */
typedef struct sheaf_value16 {
	uint64_t words[2];
} sheaf_value16;

/* From how many entries there are of each of n kinds to where those of each begin. */
static inline void sheaf_begin_of_each(uint32_t *counts, size_t n)
{
	uint32_t sum = 0;
	for (size_t k = 0; k < n; k++) {
		uint32_t count = counts[k];
		counts[k] = sum;
		sum += count;
	}
}

typedef struct sheaf_pairs {
	uint64_t *keys;
	void *values;
} sheaf_pairs;

/* Sorts n <= SHEAF_RADIX_MOST entries by bits [low, high) of their keys; the bits above are the same in all
 * keys. value_size is 1, 2, 4, 8 or 16. Returns whether the result is in the spare arrays. */
bool sheaf_radix_sort(sheaf_pairs entries, sheaf_pairs spare, size_t value_size, size_t n, int low, int high);

#endif
