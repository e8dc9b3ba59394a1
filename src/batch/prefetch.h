/* SPDX-License-Identifier: MIT */
/* Pieces that are read ahead of their turn, by the threads of the context. */
#ifndef SHEAF_BATCH_PREFETCH_H
#define SHEAF_BATCH_PREFETCH_H

#include "base/pipeline.h"
#include "batch/supply.h"

typedef struct sheaf_prefetch {
	const sheaf_supply *supply;
	sheaf_context *cx;
	sheaf_pipeline pipeline;
} sheaf_prefetch;

/* So many at a time as there are threads, and as memory allows. The supply outlives it. */
SHEAF_USE sheaf_status sheaf_prefetch_open(sheaf_prefetch *p, const sheaf_supply *supply, sheaf_context *cx,
                                           sheaf_error *err);
void sheaf_prefetch_close(sheaf_prefetch *p);
/* Whether another piece could be begun. */
bool sheaf_prefetch_has_room(sheaf_prefetch *p);
/* Begins one. *held, zeros or an earlier one, goes to the caller again with sheaf_prefetch_take. */
SHEAF_USE sheaf_status sheaf_prefetch_begin(sheaf_prefetch *p, int64_t piece, bool locate, sheaf_held *held,
                                            sheaf_error *err);
/* How many are under way. */
int64_t sheaf_prefetch_count(const sheaf_prefetch *p);
/* Whether the one begun first is complete. */
bool sheaf_prefetch_is_ready(sheaf_prefetch *p);
/* The one begun first, complete; *clean: it was read, and nothing was found to tell of. Where not, it has to
 * be read again, in its turn. */
void sheaf_prefetch_take(sheaf_prefetch *p, int64_t *piece, sheaf_held **held, bool *clean);

#endif
