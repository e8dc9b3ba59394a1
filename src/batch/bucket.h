/* SPDX-License-Identifier: MIT */
/* Buckets: sequences of about the same length meet in a batch. So many sequences of an order at a time are
 * sorted by length and cut into batches, and the batches are shuffled. Still every place is found from seed,
 * sweep and ordinal alone. */
#ifndef SHEAF_BATCH_BUCKET_H
#define SHEAF_BATCH_BUCKET_H

#include "batch/amount.h"
#include "batch/order.h"

typedef struct sheaf_bucket_options {
	uint64_t seed;
	int64_t size; /* of a batch */
	sheaf_size_unit unit;
} sheaf_bucket_options;

typedef struct sheaf_buckets sheaf_buckets;

/* Over an order that is open and outlives the buckets. */
SHEAF_USE sheaf_status sheaf_buckets_open(const sheaf_rows *rows, const sheaf_order *order, void *opened,
                                          const sheaf_bucket_options *options, sheaf_context *cx,
                                          sheaf_buckets **out, sheaf_error *err);
/* As sheaf_order.fill. */
SHEAF_USE sheaf_status sheaf_buckets_fill(sheaf_buckets *b, int64_t sweep, int64_t ordinal, int64_t n,
                                          sheaf_item *items, int64_t *filled, sheaf_error *err);
void sheaf_buckets_close(sheaf_buckets *b);

#endif
