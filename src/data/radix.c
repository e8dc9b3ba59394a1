/* SPDX-License-Identifier: MIT */
/* Radix sort, for values of each size. */
#include "data/radix.h"
#include <string.h>

typedef struct wide {
	uint64_t words[2];
} wide;

static void begin_of_each(uint32_t *starts, size_t n)
{
	uint32_t sum = 0;
	for (size_t d = 0; d < n; d++) {
		uint32_t count = starts[d];
		starts[d] = sum;
		sum += count;
	}
}

#define T uint8_t
#define NAME(x) x##_1
#include "data/radix_template.h"
#define T uint16_t
#define NAME(x) x##_2
#include "data/radix_template.h"
#define T uint32_t
#define NAME(x) x##_4
#include "data/radix_template.h"
#define T uint64_t
#define NAME(x) x##_8
#include "data/radix_template.h"
#define T wide
#define NAME(x) x##_16
#include "data/radix_template.h"

typedef struct kind {
	bool (*sort)(uint64_t *, void *, size_t, int, int, uint64_t *, void *);
	void (*partition)(const uint64_t *restrict, const void *restrict, size_t, int, uint64_t, sheaf_lane *restrict, size_t *restrict, const size_t *restrict,
	                  uint64_t *restrict, void *restrict);
	void (*flush)(size_t, const sheaf_lane *, const size_t *, const size_t *, uint64_t *, void *);
} kind;

static const kind *kind_of(size_t value_size)
{
	static const kind kinds[] = {{sort_1, partition_1, flush_1}, {sort_2, partition_2, flush_2}, {sort_4, partition_4, flush_4}, {sort_8, partition_8, flush_8},
	                             {sort_16, partition_16, flush_16}};
	return &kinds[__builtin_ctzll(value_size)];
}

bool sheaf_radix_sort(uint64_t *keys, void *values, size_t value_size, size_t n, int low, int high, uint64_t *spare_keys, void *spare_values)
{
	return kind_of(value_size)->sort(keys, values, n, low, high, spare_keys, spare_values);
}

void sheaf_radix_count(const uint64_t *keys, size_t n, int shift, uint64_t mask, size_t *counts)
{
	for (size_t i = 0; i < n; i++) counts[keys[i] >> shift & mask]++;
}

void sheaf_radix_partition(const uint64_t *keys, const void *values, size_t value_size, size_t n, int shift, uint64_t mask, sheaf_lane *lanes, size_t *next,
                           const size_t *begins, uint64_t *to_keys, void *to_values)
{
	kind_of(value_size)->partition(keys, values, n, shift, mask, lanes, next, begins, to_keys, to_values);
}

void sheaf_radix_flush(size_t buckets, size_t value_size, const sheaf_lane *lanes, const size_t *next, const size_t *begins, uint64_t *to_keys, void *to_values)
{
	kind_of(value_size)->flush(buckets, lanes, next, begins, to_keys, to_values);
}
