/* SPDX-License-Identifier: MIT */
/* Readahead: which pieces will be needed soon, offered to the cache to be read meanwhile. */
#ifndef SHEAF_BATCH_READAHEAD_H
#define SHEAF_BATCH_READAHEAD_H

#include "batch/piece_cache.h"
#include "batch/plan.h"

/* How far one list of chunks has been requested. */
typedef struct sheaf_offered {
	int64_t sweep, chunk; /* chunks before this one, of this sweep, are requested; */
	int lane;             /* of this chunk, lanes before this one */
	int64_t row;          /* and, of this lane, rows before this one */
} sheaf_offered;

/* Begins as zeros. */
typedef struct sheaf_readahead {
	/* Set by the caller, before it is opened: */
	const sheaf_row_source *source;
	sheaf_plan *plan;
	sheaf_piece_cache *cache;
	int64_t rank, world; /* the shard, if it needs only chunks of its own; world 1: it needs all */
	sheaf_context *cx;
	int lists;
	sheaf_offered *offered;
} sheaf_readahead;

SHEAF_USE sheaf_status sheaf_readahead_open(sheaf_readahead *a, sheaf_error *err);
void sheaf_readahead_close(sheaf_readahead *a);
/* Requests as much as there is room for. */
void sheaf_readahead_offer(sheaf_readahead *a);

#endif
