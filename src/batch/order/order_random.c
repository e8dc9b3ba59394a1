/* SPDX-License-Identifier: MIT */
/* Sequences drawn with replacement, independently: uniformly (Lens's RANDOMIZED), or by the frequencies in
 * the data (PROBABILISTIC). A sweep has as many draws as there are sequences. A draw is a hash of seed, sweep
 * and ordinal, so that any place is found without those before it. */
#include "base/memory.h"
#include "batch/order/order.h"
#include "batch/order/permutation.h"
#include "number/wide.h"

typedef struct random_order {
	const sheaf_rows *rows;
	uint64_t seed;
	sheaf_context *cx;
} random_order;

static sheaf_status random_open(const sheaf_rows *rows, const sheaf_order_options *options, sheaf_context *cx,
                                void **order, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(cx, sizeof(random_order), order, err));
	*(random_order *)*order = (random_order){rows, options->seed, cx};
	return SHEAF_OK;
}

static void random_close(void *order)
{
	random_order *o = (random_order *)order;
	if (o) sheaf_release(o->cx, o, sizeof *o);
}

/* The first row whose running sum exceeds a point between 0 and the total. */
static int64_t frequent_row(const random_order *o, uint64_t drawn)
{
	const double *sums = o->rows->frequencies;
	double point = (double)(drawn >> 11) * 0x1p-53 * sums[o->rows->rows - 1];
	int64_t low = 0, high = o->rows->rows - 1;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (sums[middle] > point)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static sheaf_status random_fill(void *order, sheaf_item_run *run, sheaf_error *err)
{
	const random_order *o = (const random_order *)order;
	sheaf_item_run_limit(run, o->rows->rows - run->ordinal);
	for (int64_t i = 0; i < run->n; i++) {
		uint64_t state = o->seed;
		state = sheaf_next_key(&state) ^ (uint64_t)run->sweep;
		state = sheaf_next_key(&state) ^ (uint64_t)(run->ordinal + i);
		uint64_t drawn = sheaf_next_key(&state);
		int64_t row = o->rows->frequencies ? frequent_row(o, drawn)
		                                   : (int64_t)sheaf_wide_mul(drawn, (uint64_t)o->rows->rows).high;
		run->items[i] = (sheaf_item){.row = row};
	}
	return sheaf_items_measure(o->rows, run->items, run->n, err);
}

static int64_t random_needed(void *order) { return ((const random_order *)order)->rows->chunks; }

static int64_t random_chunk(void *order, int64_t i)
{
	(void)order;
	return i;
}

const sheaf_order sheaf_order_random = {
	.name = "random",
	.summary = "drawn with replacement, each sequence as likely as any other",
	.dealing = SHEAF_DEAL_BATCH,
	.replaces = true,
	.open = random_open,
	.fill = random_fill,
	.needed = random_needed,
	.chunk = random_chunk,
	.close = random_close,
};

const sheaf_order sheaf_order_frequency = {
	.name = "frequency",
	.summary = "drawn with replacement, by the frequencies in the data",
	.dealing = SHEAF_DEAL_BATCH,
	.replaces = true,
	.by_frequency = true,
	.open = random_open,
	.fill = random_fill,
	.needed = random_needed,
	.chunk = random_chunk,
	.close = random_close,
};
