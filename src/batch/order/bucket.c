/* SPDX-License-Identifier: MIT */
/* Buckets: sorted by length, cut into batches, shuffled. */
#include "batch/order/bucket.h"
#include "base/memory.h"
#include "batch/order/permutation.h"
#include <stdlib.h>
#include <string.h>

/* A bucket of two batches, its sequences named by their lengths:
 *
 *     items    3 9 4 8    as the order gives them
 *     ranks    3 4 8 9    sorted by length; the runs begin at 0 and 2
 *     sorted   8 9 3 4    the runs in shuffled order
 */

struct sheaf_buckets {
	const sheaf_rows *rows;
	sheaf_bucket_options options;
	sheaf_context *cx;
	int64_t room;         /* the number of sequences in a bucket, except the last one of a sweep */
	int64_t sweep;        /* of the current bucket; -1: there is none */
	int64_t first, count; /* the ordinal of its first sequence, and its number of sequences */
	sheaf_item *items, *sorted;
	uint64_t *ranks; /* the length of a sequence in the upper 32 bits, its index in `items` in the lower */
	int64_t *runs;   /* where each batch begins in the ranks, and the end of the last */
};

void sheaf_buckets_close(sheaf_buckets *b)
{
	if (!b) return;
	sheaf_release(b->cx, b->items, (size_t)b->room * sizeof *b->items);
	sheaf_release(b->cx, b->sorted, (size_t)b->room * sizeof *b->sorted);
	sheaf_release(b->cx, b->ranks, (size_t)b->room * sizeof *b->ranks);
	sheaf_release(b->cx, b->runs, ((size_t)b->room + 1) * sizeof *b->runs);
	sheaf_release(b->cx, b, sizeof *b);
}

sheaf_status sheaf_buckets_open(const sheaf_rows *rows, const sheaf_bucket_options *options,
                                sheaf_context *cx, sheaf_buckets **out, sheaf_error *err)
{
	enum { BATCHES = 64, MOST = 1 << 16 }; /* batches in a bucket, and the most sequences in it */
	sheaf_buckets *b;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof *b, &b, err));
	*b = (sheaf_buckets){.rows = rows, .options = *options, .cx = cx, .sweep = -1};
	/* About as many sequences as fill BATCHES batches. */
	int64_t mean = rows->rows && options->unit != SHEAF_SIZE_SEQUENCES
	                   ? (rows->samples + rows->rows - 1) / rows->rows
	                   : 1;
	int64_t in_batch = options->size / (mean > 0 ? mean : 1);
	if (in_batch < 1) in_batch = 1;
	b->room = in_batch > MOST / BATCHES ? MOST : in_batch * BATCHES;
	uint64_t n = (uint64_t)b->room;
	sheaf_status status = sheaf_allocate_array(cx, n, sizeof *b->items, &b->items, err);
	if (!status) status = sheaf_allocate_array(cx, n, sizeof *b->sorted, &b->sorted, err);
	if (!status) status = sheaf_allocate_array(cx, n, sizeof *b->ranks, &b->ranks, err);
	if (!status) status = sheaf_allocate_array(cx, n + 1, sizeof *b->runs, &b->runs, err);
	if (status)
		sheaf_buckets_close(b);
	else
		*out = b;
	return status;
}

static int by_rank(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Cuts the sorted sequences into runs, one for each batch, by the rule by which the plan will cut batches.
 * Returns the number of runs. */
static int64_t cut_runs(sheaf_buckets *b)
{
	sheaf_amount amount = {0};
	int64_t n = 0;
	for (int64_t i = 0; i < b->count; i++) {
		uint32_t samples = (uint32_t)(b->ranks[i] >> 32);
		sheaf_amount more = sheaf_amount_with(amount, samples);
		if (i == 0 || sheaf_amount_in(more, b->options.unit) > b->options.size) {
			b->runs[n++] = i;
			more = sheaf_amount_with((sheaf_amount){0}, samples);
		}
		amount = more;
	}
	b->runs[n] = b->count;
	return n;
}

/* Fills the bucket to which a sequence belongs. A failure leaves no bucket. */
static sheaf_status take_bucket(sheaf_buckets *b, int64_t sweep, int64_t ordinal, sheaf_error *err)
{
	b->sweep = -1;
	b->first = ordinal - ordinal % b->room;
	int64_t rest = b->rows->rows - b->first, wanted = rest < b->room ? rest : b->room;
	for (b->count = 0; b->count < wanted;) {
		sheaf_item_run run = {sweep, b->first + b->count, wanted - b->count, b->items + b->count};
		SHEAF_TRY(b->options.order->fill(b->options.opened, &run, err));
		b->count += run.n;
	}
	for (int64_t i = 0; i < b->count; i++) b->ranks[i] = (uint64_t)b->items[i].samples << 32 | (uint64_t)i;
	qsort(b->ranks, (size_t)b->count, sizeof *b->ranks, by_rank);
	int64_t runs = cut_runs(b);
	sheaf_permutation p;
	sheaf_item *to = b->sorted;
	/* The seed differs from that of the order, so that the two shuffles are independent. */
	sheaf_permutation_make(&p, runs, ~b->options.seed, sweep, b->first / b->room);
	for (int64_t i = 0; i < runs; i++) {
		int64_t run = sheaf_permutation_at(&p, i);
		sheaf_item *first = to;
		for (int64_t k = b->runs[run]; k < b->runs[run + 1]; k++) *to++ = b->items[(uint32_t)b->ranks[k]];
		first->begins = true;
	}
	b->sweep = sweep;
	return SHEAF_OK;
}

sheaf_status sheaf_buckets_fill(sheaf_buckets *b, sheaf_item_run *run, sheaf_error *err)
{
	if (b->sweep != run->sweep || run->ordinal < b->first || run->ordinal >= b->first + b->count)
		SHEAF_TRY(take_bucket(b, run->sweep, run->ordinal, err));
	sheaf_item_run_limit(run, b->first + b->count - run->ordinal);
	memcpy(run->items, b->sorted + (run->ordinal - b->first), (size_t)run->n * sizeof *run->items);
	return SHEAF_OK;
}
