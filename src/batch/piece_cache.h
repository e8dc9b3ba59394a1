/* SPDX-License-Identifier: MIT */
/* The piece cache: decoded pieces in memory. The least recently used ones make room if there are more pieces,
 * or more bytes, than it should hold. */
#ifndef SHEAF_BATCH_PIECE_CACHE_H
#define SHEAF_BATCH_PIECE_CACHE_H

#include "batch/row_source.h"

typedef struct sheaf_piece_cache sheaf_piece_cache;

typedef struct sheaf_piece_cache_options {
	bool locates;  /* pieces are only located, as long as none has to be decoded */
	int64_t most;  /* pieces; 0: any number */
	int64_t bytes; /* approximate bytes in them */
} sheaf_piece_cache_options;

/* It always holds the pieces of one batch. The source outlives the cache. */
SHEAF_USE sheaf_status sheaf_piece_cache_open(const sheaf_row_source *source,
                                              const sheaf_piece_cache_options *options, sheaf_context *cx,
                                              sheaf_piece_cache **out, sheaf_error *err);
void sheaf_piece_cache_close(sheaf_piece_cache *cache);
/* Pieces got from now on stay until sheaf_piece_cache_end_batch was called as often as this. */
void sheaf_piece_cache_begin_batch(sheaf_piece_cache *cache);
/* Pieces that the first of the current batches got may be removed. */
void sheaf_piece_cache_end_batch(sheaf_piece_cache *cache);
/* Requests a piece ahead of its turn, if it is not there; false if that has to wait: too many are in
 * progress, or there is no room. */
bool sheaf_piece_cache_offer(sheaf_piece_cache *cache, int64_t piece);
/* Whether other threads read pieces at all. */
bool sheaf_piece_cache_reads_ahead(const sheaf_piece_cache *cache);
/* The same for a piece whose turn it is: waits for pieces in progress if necessary. */
void sheaf_piece_cache_want(sheaf_piece_cache *cache, int64_t piece);
/* Whether all pieces of the source are there. */
bool sheaf_piece_cache_is_complete(const sheaf_piece_cache *cache);
/* Whether a piece is there. First stores the pieces that were read meanwhile. */
bool sheaf_piece_cache_has(sheaf_piece_cache *cache, int64_t piece);
/* A piece, read now if it is not there. END if all pieces were located and have to be decoded from now on:
 * the pieces of this batch must then be requested again. */
SHEAF_USE sheaf_status sheaf_piece_cache_get(sheaf_piece_cache *cache, int64_t piece,
                                             const sheaf_loaded_piece **out, sheaf_error *err);

#endif
