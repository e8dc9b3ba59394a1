/* SPDX-License-Identifier: MIT */
/* The batch builder: what a batch is made from, and what it becomes. Once its sequences are found in memory,
 * any thread can make it. */
#ifndef SHEAF_BATCH_BATCH_BUILDER_H
#define SHEAF_BATCH_BATCH_BUILDER_H

#include "batch/gather.h"
#include "batch/packing.h"
#include "batch/piece_cache.h"
#include "batch/plan.h"

/* How batches are made. */
typedef struct sheaf_batch_settings {
	const sheaf_row_source *source;
	sheaf_packing packing;
	int64_t pad_multiple;
	sheaf_context *cx;
} sheaf_batch_settings;

/* Begins as zeros; the next batch in the same place reuses its memory. */
typedef struct sheaf_batch_builder {
	sheaf_planned planned;
	bool is_planned;     /* but not yet submitted */
	int64_t passed;      /* batches skipped before it */
	sheaf_status status; /* of planning it, then of making it */
	sheaf_error err;
	sheaf_pick *picks;  /* lane by lane */
	sheaf_row_at *rows; /* used instead if pieces are located */
	bool is_located;
	int64_t *scratch;
	uint64_t *keys;
	uint32_t *lengths;
	size_t picks_room, rows_room, scratch_room, keys_room, lengths_room;
	int64_t samples;
	sheaf_frame gathered, view;
	const sheaf_frame *frame; /* either of them; NULL if the batch is packed */
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
