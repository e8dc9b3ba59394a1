/* SPDX-License-Identifier: MIT */
/* A batch in the making: what it is made of, and what it is made into. Once its sequences are found in memory
 * any thread can make it. */
#ifndef SHEAF_BATCH_MAKING_H
#define SHEAF_BATCH_MAKING_H

#include "batch/gather.h"
#include "batch/packing.h"
#include "batch/plan.h"
#include "batch/shelf.h"

/* How batches are made. */
typedef struct sheaf_manner {
	const sheaf_supply *supply;
	sheaf_packing packing;
	int64_t pad_multiple;
	sheaf_context *cx;
} sheaf_manner;

/* Begins as zeros; memory is used again by the next batch in the same place. */
typedef struct sheaf_making {
	sheaf_planned planned;
	bool is_planned;     /* but not yet submitted */
	sheaf_status status; /* of planning it, then of making it */
	sheaf_error err;
	sheaf_pick *picks;  /* lane by lane */
	sheaf_row_at *rows; /* instead, where pieces are located */
	bool is_located;
	int64_t *scratch;
	uint64_t *keys;
	uint32_t *lengths;
	size_t picks_room, rows_room, scratch_room, keys_room, lengths_room;
	int64_t samples;
	sheaf_frame gathered, view;
	const sheaf_frame *frame; /* either of them; NULL where the batch is packed */
	sheaf_packings packings;
} sheaf_making;

void sheaf_making_free(sheaf_making *m, const sheaf_manner *manner);
/* Gives back the memory of what was made, not what it is made of. */
void sheaf_making_forget(sheaf_making *m);
/* Whether all pieces that a planned batch needs are on the shelf, or on their way to it. */
bool sheaf_making_is_at_hand(const sheaf_making *m, const sheaf_manner *manner, sheaf_shelf *shelf);
/* Finds the sequences of a planned batch; reads those pieces that are not on the shelf, and keeps all
 * there. */
SHEAF_USE sheaf_status sheaf_making_find(sheaf_making *m, const sheaf_manner *manner, sheaf_shelf *shelf,
                                         sheaf_error *err);
/* Makes a batch whose sequences were found: frame or grids, keys and lengths. Any thread. */
void sheaf_making_make(sheaf_making *m, const sheaf_manner *manner);

#endif
