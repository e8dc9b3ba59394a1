/* SPDX-License-Identifier: MIT */
/* Foresight: which pieces will be needed soon, offered to the shelf to be read meanwhile. */
#ifndef SHEAF_BATCH_FORESIGHT_H
#define SHEAF_BATCH_FORESIGHT_H

#include "batch/plan.h"
#include "batch/shelf.h"

/* How far one list of chunks has been offered. */
typedef struct sheaf_offered {
	int64_t sweep, chunk; /* chunks of this sweep */
	int lane;             /* of the chunk after those: lanes before are offered */
	int64_t row;          /* and rows of this lane */
} sheaf_offered;

/* Begins as zeros. */
typedef struct sheaf_foresight {
	const sheaf_supply *supply;
	sheaf_plan *plan;
	sheaf_shelf *shelf;
	int64_t rank, world; /* of the shard that needs only chunks of its own; world 1: it needs all */
	int lists;
	sheaf_offered *offered;
	sheaf_context *cx;
} sheaf_foresight;

SHEAF_USE sheaf_status sheaf_foresight_open(sheaf_foresight *a, const sheaf_supply *supply, sheaf_plan *plan,
                                            sheaf_shelf *shelf, int64_t rank, int64_t world,
                                            sheaf_context *cx, sheaf_error *err);
void sheaf_foresight_close(sheaf_foresight *a);
/* Offers what there is room for. */
void sheaf_foresight_offer(sheaf_foresight *a);

#endif
