/* SPDX-License-Identifier: MIT */
/* Pieces that are read ahead of their turn, by the threads of the context: the items of a pipeline, which
 * knows how many are in progress and whether the one begun first is complete. */
#ifndef SHEAF_BATCH_READAHEAD_QUEUE_H
#define SHEAF_BATCH_READAHEAD_QUEUE_H

#include "base/threads/pipeline.h"
#include "batch/row_source.h"

typedef struct sheaf_readahead_queue {
	const sheaf_row_source *source;
	sheaf_context *cx;
	sheaf_pipeline pipeline;
} sheaf_readahead_queue;

/* As many at a time as there are threads, if memory allows. The source outlives it. */
SHEAF_USE sheaf_status sheaf_readahead_queue_open(sheaf_readahead_queue *p, const sheaf_row_source *source,
                                                  sheaf_context *cx, sheaf_error *err);
void sheaf_readahead_queue_close(sheaf_readahead_queue *p);
/* Whether another piece could be begun. */
bool sheaf_readahead_queue_has_room(sheaf_readahead_queue *p);
/* Begins one. sheaf_readahead_queue_take returns *loaded, zeros or an earlier piece, to the caller. */
SHEAF_USE sheaf_status sheaf_readahead_queue_begin(sheaf_readahead_queue *p, int64_t piece, bool locate,
                                                   sheaf_loaded_piece *loaded, sheaf_error *err);
/* The one begun first, complete; *clean: it was read, and there is nothing to report. Otherwise it has to be
 * read again, in its turn. */
void sheaf_readahead_queue_take(sheaf_readahead_queue *p, int64_t *piece, sheaf_loaded_piece **loaded,
                                bool *clean);

#endif
