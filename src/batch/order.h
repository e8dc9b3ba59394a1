/* SPDX-License-Identifier: MIT */
/* Orders: in which sequence the rows of a sweep come. An order is one file and one row of the table in
 * order.c; it sees nothing of the data but how many rows there are, in which chunks they stand and how long
 * they are. */
#ifndef SHEAF_BATCH_ORDER_H
#define SHEAF_BATCH_ORDER_H

#include <sheaf/base.h>

/* What an order arranges. Chunks have at least one row each. */
typedef struct sheaf_rows {
	int64_t rows, samples; /* of a sweep; as far as they are known where the table grows */
	int64_t chunks;
	const int64_t *first_row, *first_sample; /* of each chunk, and one entry more: what is after the last */
	/* Lengths in samples of rows [row, row + n); NULL: each row has one sample. Any thread may call it. */
	sheaf_status (*lengths)(const void *user, int64_t row, int64_t n, uint32_t *lengths, sheaf_error *err);
	const void *user;
	const double
		*frequencies; /* of each row the sum of its own and of all before; NULL: nothing is known of them */
	bool uneven; /* rows are drawn, so that a sweep has about `samples` samples, and not the same ones each
	                time */
	/* Makes the table reach beyond row `to`, or to its end, where this is NULL from then on. Lengths of rows
	 * before `from` are not asked for any more. */
	sheaf_status (*grow)(void *grower, int64_t from, int64_t to, sheaf_error *err);
	void *grower;
} sheaf_rows;

/* One sequence as an order gives it. */
typedef struct sheaf_item {
	int64_t row;
	uint32_t samples;
	uint64_t owner; /* what shards are distinguished by: see sheaf_order.shards */
	bool begins;    /* a batch has to begin here, whatever there is room for */
} sheaf_item;

/* Some of them, one after the other: number `ordinal` of the sweep, and those after it. */
typedef struct sheaf_item_run {
	int64_t sweep, ordinal;
	int64_t n; /* items: how many there is room for, then how many there are */
	sheaf_item *items;
} sheaf_item_run;
/* Cuts a run down to `most` items. */
static inline void sheaf_item_run_limit(sheaf_item_run *run, int64_t most)
{
	if (run->n > most) run->n = most;
}

typedef struct sheaf_order_options {
	uint64_t seed;
	int64_t window; /* in chunks or samples; 0: everything */
	bool window_in_samples;
} sheaf_order_options;

/* How an order's sequences are dealt to shards. */
typedef enum sheaf_dealing {
	SHEAF_DEAL_BATCH, /* each batch among all: the i-th sequence of a batch is shard i % world's */
	SHEAF_DEAL_OWNER  /* item.owner % world says whose a sequence is, and each shard cuts batches from what is
	                     its own */
} sheaf_dealing;

typedef struct sheaf_order {
	const char *name, *summary;
	sheaf_dealing dealing;
	bool replaces;           /* a row may come several times in a sweep, or not at all */
	bool by_frequency;       /* needs the rows' frequencies */
	bool in_file_order;      /* no row comes back to a chunk that was left */
	bool uses_chunks;        /* another cutting into chunks gives another order */
	bool owns_chunks;        /* item.owner is the number of the chunk among those needed */
	bool skips_other_shards; /* a shard's batch goes on past what is not its own until its next sequence */
	sheaf_status (*open)(const sheaf_rows *rows, const sheaf_order_options *options, sheaf_context *cx,
	                     void **order, sheaf_error *err);
	/* Fills a run, 0 <= ordinal < rows, with at least one item. Calls mostly go on where the last one ended;
	 * others may take long. */
	sheaf_status (*fill)(void *order, sheaf_item_run *run, sheaf_error *err);
	/* The chunks of the sweep at hand in about the order in which they are needed: how many are of use by
	 * now, and the i-th of them. */
	int64_t (*needed)(void *order);
	int64_t (*chunk)(void *order, int64_t i);
	void (*close)(void *order);
} sheaf_order;

/* By name; NULL where there is none. */
const sheaf_order *sheaf_order_find(const char *name);

extern const sheaf_order sheaf_order_file, sheaf_order_cntk, sheaf_order_sheaf, sheaf_order_random,
	sheaf_order_frequency;

/* Fills in the lengths of items whose rows are known. */
SHEAF_USE sheaf_status sheaf_items_measure(const sheaf_rows *rows, sheaf_item *items, int64_t n,
                                           sheaf_error *err);
/* The chunk that a row stands in. */
int64_t sheaf_rows_chunk(const sheaf_rows *rows, int64_t row);
/* The same where it is probably this chunk. */
int64_t sheaf_rows_chunk_near(const sheaf_rows *rows, int64_t row, int64_t chunk);

#endif
