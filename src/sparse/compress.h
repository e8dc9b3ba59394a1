/* SPDX-License-Identifier: MIT */
/* Entries of a matrix brought from one order into another: shared by compress.c and compress_sorted.c. */
#ifndef SHEAF_SPARSE_COMPRESS_H
#define SHEAF_SPARSE_COMPRESS_H

#include "sparse/sort/partition.h"
#include <sheaf/tensor.h>
#include <stdatomic.h>

typedef struct sheaf_compression {
	sheaf_context *cx;
	/* given */
	int64_t nouter, n, ninner;
	const int32_t *outer, *inner;
	const int64_t *pointers; /* instead of `inner` if entries come by the other dimension: where each of its
	                            slices begins */
	const uint8_t *values;
	size_t value_size;
	/* wanted */
	sheaf_compressed_arrays to;
	/* intermediate: keys have the row in the upper bits, the column in the lower */
	int inner_bits, rows_bits; /* of the rows of a bucket */
	atomic_uint any_inner;     /* bits used by any column */
	atomic_bool bad;
	sheaf_partition buckets;
} sheaf_compression;

/* From the given entries to buckets of rows. Call clear at the end, also on failure. */
SHEAF_USE sheaf_status sheaf_compression_part(sheaf_compression *c, sheaf_error *err);
void sheaf_compression_clear(sheaf_compression *c);

/* The slice of an entry: the last that does not begin after it. Slice k has the entries [pointers[k],
 * pointers[k + 1]). */
int64_t sheaf_slice_of(const int64_t *pointers, int64_t slices, int64_t entry);
/* USAGE if arrays are missing, or numbers or sizes are out of range. `function` is for the message. */
SHEAF_USE sheaf_status sheaf_check_arrays(const char *function, const sheaf_entry_arrays *from, int64_t nrows,
                                          const sheaf_compressed_arrays *to, sheaf_error *err);

#endif
