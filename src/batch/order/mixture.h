/* SPDX-License-Identifier: MIT */
/* Mixtures: sequences drawn by weights from several tables of rows, which are numbered one after the other.
 * Of every W sequences, W being the sum of the weights, each table gives as many as its weight, in shuffled
 * turns; each table has sweeps of its own. */
#ifndef SHEAF_BATCH_ORDER_MIXTURE_H
#define SHEAF_BATCH_ORDER_MIXTURE_H

#include "batch/order/order.h"

typedef struct sheaf_mixture sheaf_mixture;

typedef struct sheaf_mixture_options {
	const sheaf_order *order;
	sheaf_order_options arranged;
	const int64_t *first_chunks; /* of each table, n of them, and the end of the last */
	const int64_t *weights;      /* > 0, their sum below 2^31 */
	int n;
} sheaf_mixture_options;

/* The options' arrays are copied; the rows outlive the mixture. */
SHEAF_USE sheaf_status sheaf_mixture_open(const sheaf_rows *rows, const sheaf_mixture_options *options,
                                          sheaf_context *cx, sheaf_mixture **out, sheaf_error *err);
/* As sheaf_order.fill. */
SHEAF_USE sheaf_status sheaf_mixture_fill(sheaf_mixture *m, sheaf_item_run *run, sheaf_error *err);
/* The chunks of one table, by their numbers among all tables, as sheaf_order gives them, and the sweep of
 * that table to which they belong. */
int64_t sheaf_mixture_sweep(const sheaf_mixture *m, int table);
int64_t sheaf_mixture_needed(const sheaf_mixture *m, int table);
int64_t sheaf_mixture_chunk(const sheaf_mixture *m, int table, int64_t i);
void sheaf_mixture_close(sheaf_mixture *m);

#endif
