/* SPDX-License-Identifier: MIT */
/* Stable sorting of (key, value) entries: a digit at a time where they lie in a cache, and into buckets that do where they are more. */
#ifndef SHEAF_DATA_RADIX_H
#define SHEAF_DATA_RADIX_H

#include <sheaf/base.h>

enum {
	SHEAF_LANE = 8,           /* entries of a bucket that are written at a time: a line of keys */
	SHEAF_WIDEST_VALUE = 16,  /* bytes */
	SHEAF_RADIX_MOST = 1 << 30 /* entries that are sorted at a time */
};

/* The entries of a bucket on their way to it. */
typedef struct sheaf_lane {
	uint64_t keys[SHEAF_LANE];
	uint8_t values[SHEAF_LANE * SHEAF_WIDEST_VALUE];
} sheaf_lane;

/* Sorts n <= SHEAF_RADIX_MOST entries by bits [low, high) of their keys; bits above are the same in all. value_size is 1, 2, 4, 8 or 16. Returns whether the
 * outcome is in the spare arrays. */
bool sheaf_radix_sort(uint64_t *keys, void *values, size_t value_size, size_t n, int low, int high, uint64_t *spare_keys, void *spare_values);

/* Adds n keys to the counts of their digits. */
void sheaf_radix_count(const uint64_t *keys, size_t n, int shift, uint64_t mask, size_t *counts);
/* Moves n entries into buckets by their digits, through `lanes`; next[] has where the next entry of each bucket goes, begins[] where the first of all went. */
void sheaf_radix_partition(const uint64_t *keys, const void *values, size_t value_size, size_t n, int shift, uint64_t mask, sheaf_lane *lanes, size_t *next,
                           const size_t *begins, uint64_t *to_keys, void *to_values);
/* Moves what the lanes still hold. */
void sheaf_radix_flush(size_t buckets, size_t value_size, const sheaf_lane *lanes, const size_t *next, const size_t *begins, uint64_t *to_keys, void *to_values);

#endif
