/* SPDX-License-Identifier: MIT */
/* Buckets put sequences of about the same length into a batch. A window of sequences of an order at a time is
 * sorted by length and cut into batches, and the batches are shuffled. Still every place is computed from
 * seed, sweep and ordinal alone. */
#ifndef SHEAF_BATCH_ORDER_BUCKET_H
#define SHEAF_BATCH_ORDER_BUCKET_H

#include "batch/amount.h"
#include "batch/order/order.h"

typedef struct sheaf_bucket_options {
	const sheaf_order *order; /* gives the sequences that are sorted */
	void *opened;             /* the opened order, which outlives the buckets */
	uint64_t seed;
	int64_t size; /* of a batch, in the unit */
	sheaf_size_unit unit;
} sheaf_bucket_options;

typedef struct sheaf_buckets sheaf_buckets;

SHEAF_USE sheaf_status sheaf_buckets_open(const sheaf_rows *rows, const sheaf_bucket_options *options,
                                          sheaf_context *cx, sheaf_buckets **out, sheaf_error *err);
/* As sheaf_order.fill. */
SHEAF_USE sheaf_status sheaf_buckets_fill(sheaf_buckets *b, sheaf_item_run *run, sheaf_error *err);
void sheaf_buckets_close(sheaf_buckets *b);

#endif
