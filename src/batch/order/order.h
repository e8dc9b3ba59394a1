/* SPDX-License-Identifier: MIT */
/* Orders: in which order the rows of a sweep come. A sweep is one pass over the data; sweeps are numbered
 * from 0, and an order may differ from sweep to sweep. The ordinal of a sequence is its place in the order of
 * its sweep. An order is one file and one row of the table in order.c; of the data it sees only how many rows
 * there are, in which chunks they are, and how long they are. */
#ifndef SHEAF_BATCH_ORDER_ORDER_H
#define SHEAF_BATCH_ORDER_ORDER_H

#include <sheaf/base.h>

/* What an order arranges. Chunks have at least one row each. */
typedef struct sheaf_rows {
	int64_t rows, samples; /* of a sweep; those known so far, if the table grows */
	int64_t chunks;
	const int64_t *first_row, *first_sample; /* of each chunk, and one more: the end of the last */
	/* Lengths in samples of rows [row, row + n); NULL: each row has one sample. Any thread may call it. */
	sheaf_status (*lengths)(const void *user, int64_t row, int64_t n, uint32_t *lengths, sheaf_error *err);
	const void *user;
	/* For each row the sum of its frequency and those of all rows before; NULL if rows have no frequencies.
	 */
	const double *frequencies;
	/* Rows are drawn, so a sweep has only about `samples` samples, and different ones each time. */
	bool uneven;
	/* Extends the table beyond row `to`, or to its end, after which this member is NULL. Lengths of rows
	 * before `from` are not needed any more. */
	sheaf_status (*grow)(void *grower, int64_t from, int64_t to, sheaf_error *err);
	void *grower;
} sheaf_rows;

/* One sequence, as an order gives it. */
typedef struct sheaf_item {
	int64_t row;
	uint32_t samples;
	uint64_t owner; /* how shards are distinguished: see sheaf_order.shards */
	bool begins;    /* a batch has to begin here, even if there is room in the last one */
} sheaf_item;

/* Consecutive sequences of an order: number `ordinal` of the sweep, and those after it. */
typedef struct sheaf_item_run {
	int64_t sweep, ordinal;
	int64_t n; /* items: first the room for them, then their number */
	sheaf_item *items;
} sheaf_item_run;
/* Cuts a run to `most` items. */
static inline void sheaf_item_run_limit(sheaf_item_run *run, int64_t most)
{
	if (run->n > most) run->n = most;
}

typedef struct sheaf_order_options {
	uint64_t seed;
	int64_t window; /* in chunks or samples; 0: everything */
	bool window_in_samples;
} sheaf_order_options;

/* How the sequences of an order are dealt to shards. */
typedef enum sheaf_dealing {
	SHEAF_DEAL_BATCH, /* each batch is dealt among all shards: its i-th sequence belongs to shard i % world */
	SHEAF_DEAL_OWNER  /* item.owner % world is the shard of a sequence, and each shard cuts batches from its
	                     own sequences */
} sheaf_dealing;

typedef struct sheaf_order {
	const char *name, *summary;
	sheaf_dealing dealing;
	bool replaces;           /* a row may come several times in a sweep, or not at all */
	bool by_frequency;       /* needs the frequencies of rows */
	bool in_file_order;      /* rows never return to a chunk that was left */
	bool uses_chunks;        /* a different division into chunks gives a different order */
	bool owns_chunks;        /* item.owner is the index of the chunk among those needed */
	bool skips_other_shards; /* a shard's batch continues over sequences of other shards until its own next
	                            one */
	sheaf_status (*open)(const sheaf_rows *rows, const sheaf_order_options *options, sheaf_context *cx,
	                     void **order, sheaf_error *err);
	/* Fills a run, 0 <= ordinal < rows, with at least one item. Calls mostly continue where the last one
	 * ended; others may take long. */
	sheaf_status (*fill)(void *order, sheaf_item_run *run, sheaf_error *err);
	/* The chunks of the current sweep, approximately in the order in which they are needed: the number that
	 * is useful by now, and the i-th of them. */
	int64_t (*needed)(void *order);
	int64_t (*chunk)(void *order, int64_t i);
	void (*close)(void *order);
} sheaf_order;

/* By name; NULL if there is none. */
const sheaf_order *sheaf_order_find(const char *name);

extern const sheaf_order sheaf_order_file, sheaf_order_cntk, sheaf_order_sheaf, sheaf_order_random,
	sheaf_order_frequency;

/* Fills in the lengths of items whose rows are known. */
SHEAF_USE sheaf_status sheaf_items_measure(const sheaf_rows *rows, sheaf_item *items, int64_t n,
                                           sheaf_error *err);
/* The chunk of a row, which is probably this chunk. */
int64_t sheaf_rows_chunk_near(const sheaf_rows *rows, int64_t row, int64_t chunk);

#endif
