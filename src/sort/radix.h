/* SPDX-License-Identifier: MIT */
/* Stable sorting of (key, value) entries, a digit at a time: best if they fit a cache. */
#ifndef SHEAF_SORT_RADIX_H
#define SHEAF_SORT_RADIX_H

#include <sheaf/base.h>

enum { SHEAF_RADIX_MOST = 1 << 30 /* most entries that are sorted at a time */ };

typedef struct sheaf_pairs {
	uint64_t *keys;
	void *values;
} sheaf_pairs;

/* Sorts n <= SHEAF_RADIX_MOST entries by bits [low, high) of their keys; the bits above are the same in all
 * keys. value_size is 1, 2, 4, 8 or 16. Returns whether the result is in the spare arrays. */
bool sheaf_radix_sort(sheaf_pairs entries, sheaf_pairs spare, size_t value_size, size_t n, int low, int high);

#endif
