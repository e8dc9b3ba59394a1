/* SPDX-License-Identifier: MIT */
/* The piece cache: decoded pieces in memory. Those used longest ago make room when there are more, or more
 * bytes, than it should hold. */
#ifndef SHEAF_BATCH_PIECE_CACHE_H
#define SHEAF_BATCH_PIECE_CACHE_H

#include "batch/row_source.h"

typedef struct sheaf_piece_cache sheaf_piece_cache;

typedef struct sheaf_piece_cache_options {
	bool locates;  /* pieces are only located, as long as none has to be decoded */
	int64_t most;  /* pieces; 0: any number */
	int64_t bytes; /* of them, about */
} sheaf_piece_cache_options;

/* It always holds what one batch needs. The source outlives the cache. */
SHEAF_USE sheaf_status sheaf_piece_cache_open(const sheaf_row_source *source,
                                              const sheaf_piece_cache_options *options, sheaf_context *cx,
                                              sheaf_piece_cache **out, sheaf_error *err);
void sheaf_piece_cache_close(sheaf_piece_cache *cache);
/* What is got from now on stays until sheaf_piece_cache_end_batch was called as often as this. */
void sheaf_piece_cache_begin_batch(sheaf_piece_cache *cache);
/* What the first one of the batches under way got may go. */
void sheaf_piece_cache_end_batch(sheaf_piece_cache *cache);
/* Has a piece read ahead of its turn, if it is not there; false where that has to wait: too many are under
 * way, or there is no room for it. */
bool sheaf_piece_cache_offer(sheaf_piece_cache *cache, int64_t piece);
/* Whether pieces are read by other threads at all. */
bool sheaf_piece_cache_reads_ahead(const sheaf_piece_cache *cache);
/* The same for a piece whose turn it is: what is under way is waited for where it must be. */
void sheaf_piece_cache_want(sheaf_piece_cache *cache, int64_t piece);
/* Whether all pieces of the source are there. */
bool sheaf_piece_cache_is_complete(const sheaf_piece_cache *cache);
/* Whether a piece is there. What was read meanwhile is. */
bool sheaf_piece_cache_has(sheaf_piece_cache *cache, int64_t piece);
/* A piece, read now where it is not there. END where all were located and have to be decoded from now on:
 * what was got for this batch is to be got again. */
SHEAF_USE sheaf_status sheaf_piece_cache_get(sheaf_piece_cache *cache, int64_t piece,
                                             const sheaf_loaded_piece **out, sheaf_error *err);

#endif
