/* SPDX-License-Identifier: MIT */
/* The batch builder: what a batch is made from, and what it becomes. Once its sequences are found in memory,
 * any thread can make it. */
#ifndef SHEAF_BATCH_BATCH_BUILDER_H
#define SHEAF_BATCH_BATCH_BUILDER_H

#include "batch/gather.h"
#include "batch/packing.h"
#include "batch/piece_cache.h"
#include "batch/plan.h"

/* One batch from its plan to its contents. Begins as zeros; the next batch in the same place reuses its
 * memory. The arrays have one entry for each row of the batch, `picks` as many for each lane. */
typedef struct sheaf_batch_builder {
	sheaf_planned planned;
	bool is_planned;     /* but not yet submitted to the pipeline */
	int64_t passed;      /* batches that the stride skipped before this one */
	sheaf_status status; /* of planning the batch, then of making it */
	sheaf_error err;
	/* Lane by lane; the pieces belong to the cache, which keeps them while the batch is used. */
	sheaf_pick *picks;
	sheaf_row_at *rows; /* what was found instead of picks if pieces are located */
	bool is_located;
	int64_t *scratch; /* for sheaf_gather_column: two numbers for each row */
	uint64_t *keys;
	uint32_t *lengths; /* in samples */
	size_t picks_room, rows_room, scratch_room, keys_room, lengths_room;
	int64_t samples;            /* the sum of the lengths */
	sheaf_frame gathered, view; /* rows that were copied; or rows of one piece, which owns them */
	const sheaf_frame *frame;   /* one of these two; NULL if the batch is packed */
	sheaf_packings packings;
} sheaf_batch_builder;

void sheaf_batch_builder_free(sheaf_batch_builder *m, const sheaf_batch_settings *settings);
/* Frees the memory of what was made, not of what it is made from. */
void sheaf_batch_builder_forget(sheaf_batch_builder *m);
/* Whether all pieces that a planned batch needs are in the cache, or on their way to it. */
bool sheaf_batch_builder_is_at_hand(const sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                                    sheaf_piece_cache *cache);
/* Finds the sequences of a planned batch; reads the pieces that are not in the cache, and keeps them all
 * there. */
SHEAF_USE sheaf_status sheaf_batch_builder_find(sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                                                sheaf_piece_cache *cache, sheaf_error *err);
/* Makes a batch whose sequences were found: frame or grids, keys and lengths. Any thread. */
void sheaf_batch_builder_make(sheaf_batch_builder *m, const sheaf_batch_settings *settings);

#endif
