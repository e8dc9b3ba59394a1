/* SPDX-License-Identifier: MIT */
/* The pieces of the source, each in one of three states: not there (NONE), being read by another thread
 * (UNDER_WAY), or in a slot. Slots in use are slots[0 ... used), and form a list by their last use:
 *
 *     newest -> older -> older -> oldest
 *
 * The oldest piece makes room, unless a batch that is planned or in use has got it: batches are counted when
 * they begin, and a piece keeps the number of the last batch that got it. */
#include "batch/piece_cache.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "batch/readahead_queue.h"
#include "batch/reserve.h"

enum { NONE = -1, UNDER_WAY = -2 };

typedef struct slot {
	sheaf_loaded_piece *loaded;
	int64_t piece, bytes;
	int64_t batch; /* the last batch that got it; NONE: it was read ahead, and no batch has got it so far */
	int64_t newer, older; /* slots, or NONE at the ends of the list */
} slot;

struct sheaf_piece_cache {
	const sheaf_row_source *source;
	sheaf_context *cx;
	int64_t most, limit; /* slots, 0 for any number; and bytes of their pieces */
	bool locates;        /* pieces are located, not decoded */
	int64_t *slot_of;    /* the slot of each piece, or NONE, or UNDER_WAY */
	size_t slot_of_room;
	int64_t known; /* entries of slot_of: the source may grow */
	slot *slots;
	size_t room;
	int64_t used, bytes; /* the number of slots in use, and the bytes of their pieces */
	int64_t newest, oldest;
	int64_t batch, gone; /* the number of the last batch that has begun, and of the last one that has ended */
	sheaf_readahead_queue ahead;
};

/* Gives every piece of the source an entry in slot_of, also those that it has got since the last call. */
static sheaf_status know_pieces(sheaf_piece_cache *cache, sheaf_error *err)
{
	if (cache->known == cache->source->pieces) return SHEAF_OK;
	SHEAF_TRY(sheaf_reserve(cache->cx, &cache->slot_of, &cache->slot_of_room, (size_t)cache->source->pieces,
	                        sizeof *cache->slot_of, err));
	while (cache->known < cache->source->pieces) cache->slot_of[cache->known++] = NONE;
	return SHEAF_OK;
}

/* The cache begins without slots, which are made as pieces come. */
sheaf_status sheaf_piece_cache_open(const sheaf_row_source *source, const sheaf_piece_cache_options *options,
                                    sheaf_context *cx, sheaf_piece_cache **out, sheaf_error *err)
{
	sheaf_piece_cache *cache;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof *cache, &cache, err));
	*cache = (sheaf_piece_cache){.source = source,
	                             .cx = cx,
	                             .locates = options->locates,
	                             .most = options->most,
	                             .limit = options->bytes,
	                             .newest = NONE,
	                             .oldest = NONE};
	sheaf_status status = know_pieces(cache, err);
	if (status == SHEAF_OK) status = sheaf_readahead_queue_open(&cache->ahead, source, cx, err);
	if (status)
		sheaf_piece_cache_close(cache);
	else
		*out = cache;
	return status;
}

static void free_piece(sheaf_context *cx, sheaf_loaded_piece *loaded)
{
	sheaf_loaded_piece_free(loaded);
	sheaf_release(cx, loaded, sizeof *loaded);
}

void sheaf_piece_cache_close(sheaf_piece_cache *cache)
{
	if (!cache) return;
	sheaf_readahead_queue_close(&cache->ahead);
	for (int64_t i = 0; i < cache->used; i++)
		if (cache->slots[i].loaded) free_piece(cache->cx, cache->slots[i].loaded);
	sheaf_release(cache->cx, cache->slots, cache->room * sizeof *cache->slots);
	sheaf_release(cache->cx, cache->slot_of, cache->slot_of_room * sizeof *cache->slot_of);
	sheaf_release(cache->cx, cache, sizeof *cache);
}

void sheaf_piece_cache_begin_batch(sheaf_piece_cache *cache) { cache->batch++; }

void sheaf_piece_cache_end_batch(sheaf_piece_cache *cache)
{
	if (cache->gone < cache->batch) cache->gone++;
}

/* ---- the list ---- */

/* Takes a slot in use out of the list, and joins its neighbours; NONE as a neighbour means an end, whose
 * place the list itself records (newest, oldest). */
static void take_out(sheaf_piece_cache *cache, int64_t at)
{
	slot *s = &cache->slots[at];
	*(s->newer == NONE ? &cache->newest : &cache->slots[s->newer].older) = s->older;
	*(s->older == NONE ? &cache->oldest : &cache->slots[s->older].newer) = s->newer;
}

/* Puts a slot at the newest end of the list, as one that `batch` (or NONE) has got. */
static void put_first(sheaf_piece_cache *cache, int64_t at, int64_t batch)
{
	slot *s = &cache->slots[at];
	s->newer = NONE;
	s->older = cache->newest;
	*(cache->newest == NONE ? &cache->oldest : &cache->slots[cache->newest].newer) = at;
	cache->newest = at;
	s->batch = batch;
}

/* ---- room ---- */

/* Whether one more piece, which has `bytes` bytes, would be more than the cache should hold. */
static bool is_over(const sheaf_piece_cache *cache, int64_t bytes)
{
	return (cache->most && cache->used >= cache->most) || cache->bytes + bytes > cache->limit;
}

/* Whether the piece in a slot may be removed: every batch that has got it has ended. A piece that was read
 * ahead, and that no batch has got so far, may go as well (NONE is below all numbers). `at` may be NONE. */
static bool may_go(const sheaf_piece_cache *cache, int64_t at)
{
	return at != NONE && cache->slots[at].batch <= cache->gone;
}

/* Removes the least recently used piece from the cache; its memory, which can be reused, goes to the
 * caller. */
static sheaf_loaded_piece *take_oldest(sheaf_piece_cache *cache)
{
	int64_t at = cache->oldest, last = --cache->used;
	slot *s = &cache->slots[at];
	sheaf_loaded_piece *loaded = s->loaded;
	take_out(cache, at);
	cache->bytes -= s->bytes;
	cache->slot_of[s->piece] = NONE;
	if (at == last) return loaded;
	/* The last slot moves into the place of the removed one, so that slots in use have no gaps. */
	*s = cache->slots[last];
	cache->slot_of[s->piece] = at;
	*(s->newer == NONE ? &cache->newest : &cache->slots[s->newer].older) = at;
	*(s->older == NONE ? &cache->oldest : &cache->slots[s->older].newer) = at;
	return loaded;
}

/* *loaded becomes memory for a piece of about `size` bytes, which the caller owns: that of the last piece
 * that had to go, or new memory. If no piece may go, the cache gets larger than it should be. */
static sheaf_status make_room(sheaf_piece_cache *cache, int64_t size, sheaf_loaded_piece **loaded,
                              sheaf_error *err)
{
	*loaded = NULL;
	while (is_over(cache, size) && may_go(cache, cache->oldest)) {
		if (*loaded) free_piece(cache->cx, *loaded);
		*loaded = take_oldest(cache);
	}
	return *loaded ? SHEAF_OK : sheaf_allocate(cache->cx, sizeof **loaded, loaded, err);
}

/* ---- reading ---- */

/* Puts a piece into a slot, which owns it from then on; on failure the caller still does. `batch`: which
 * batch has got it, or NONE. */
static sheaf_status add(sheaf_piece_cache *cache, int64_t piece, sheaf_loaded_piece *loaded, int64_t batch,
                        sheaf_error *err)
{
	SHEAF_TRY(sheaf_reserve(cache->cx, &cache->slots, &cache->room, (size_t)cache->used + 1,
	                        sizeof *cache->slots, err));
	cache->slots[cache->used] =
		(slot){.loaded = loaded, .piece = piece, .bytes = sheaf_loaded_piece_bytes(loaded)};
	cache->bytes += cache->slots[cache->used].bytes;
	cache->slot_of[piece] = cache->used;
	put_first(cache, cache->used++, batch);
	return SHEAF_OK;
}

/* Reads a piece on the thread of the caller, for the current batch. END: it cannot be located, and has to be
 * decoded. */
static sheaf_status read_now(sheaf_piece_cache *cache, int64_t piece, sheaf_error *err)
{
	sheaf_loaded_piece *loaded;
	SHEAF_TRY(make_room(cache, sheaf_row_source_piece_size(cache->source, piece), &loaded, err));
	sheaf_piece_ref ref = sheaf_row_source_piece(cache->source, piece);
	sheaf_status status = sheaf_row_source_read(&ref, cache->locates, loaded, cache->cx, err);
	if (status == SHEAF_OK) status = add(cache, piece, loaded, cache->batch, err);
	if (status) free_piece(cache->cx, loaded);
	return status;
}

/* ---- reading ahead ---- */

/* Failures are not reported: the piece is asked for again in its turn, and fails then. */
bool sheaf_piece_cache_offer(sheaf_piece_cache *cache, int64_t piece)
{
	sheaf_loaded_piece *loaded;
	sheaf_error ignored; /* there will be another call for the piece, in its turn */
	int64_t size = sheaf_row_source_piece_size(cache->source, piece), oldest = cache->oldest;
	if (sheaf_put_off(know_pieces(cache, &ignored), "the piece's turn")) return false;
	if (cache->slot_of[piece] != NONE) return true;
	if (!sheaf_readahead_queue_has_room(&cache->ahead)) return false;
	/* A piece that was read ahead does not make room for one more before a batch has got it. */
	if (is_over(cache, size) && (!may_go(cache, oldest) || cache->slots[oldest].batch == NONE)) return false;
	if (sheaf_put_off(make_room(cache, size, &loaded, &ignored), "the piece's turn")) return false;
	if (sheaf_put_off(sheaf_readahead_queue_begin(&cache->ahead, piece, cache->locates, loaded, &ignored),
	                  "the piece's turn")) {
		free_piece(cache->cx, loaded);
		return false;
	}
	cache->slot_of[piece] = UNDER_WAY;
	return true;
}

/* Puts the piece that was begun first into the cache. If there is something to report about it, it is
 * dropped, and read again when a batch asks for it: then the report comes in its turn. */
static void take_in(sheaf_piece_cache *cache)
{
	int64_t piece;
	sheaf_loaded_piece *loaded;
	sheaf_error ignored;
	bool clean;
	sheaf_readahead_queue_take(&cache->ahead, &piece, &loaded, &clean);
	cache->slot_of[piece] = NONE;
	if (!clean || sheaf_put_off(add(cache, piece, loaded, NONE, &ignored), "the piece's turn"))
		free_piece(cache->cx, loaded);
}

/* Ends all reading ahead. */
static void take_in_all(sheaf_piece_cache *cache)
{
	while (sheaf_pipeline_count(&cache->ahead.pipeline) > 0) take_in(cache);
}

/* Gets a piece that is not in a slot: waits for it if another thread reads it, else reads it now. If memory
 * runs out, all pieces that no batch needs are freed, and it is read once more. END: all pieces were dropped,
 * and are decoded from now on. */
static sheaf_status read_in_turn(sheaf_piece_cache *cache, int64_t piece, sheaf_error *err)
{
	while (cache->slot_of[piece] == UNDER_WAY) take_in(cache);
	if (cache->slot_of[piece] != NONE) return SHEAF_OK;
	sheaf_status status = read_now(cache, piece, err);
	if (status == SHEAF_END) {
		/* There is something to report about the piece, which only decoding finds. From now on all pieces are
		 * decoded, since rows are gathered from pieces of one kind. */
		take_in_all(cache);
		cache->locates = false;
		while (cache->used > 0) free_piece(cache->cx, take_oldest(cache));
	}
	if (!sheaf_is_of_memory(status)) return status;
	take_in_all(cache);
	while (may_go(cache, cache->oldest)) free_piece(cache->cx, take_oldest(cache));
	return read_now(cache, piece, err);
}

bool sheaf_piece_cache_reads_ahead(const sheaf_piece_cache *cache)
{
	return sheaf_context_threads(cache->cx) > 1;
}

void sheaf_piece_cache_want(sheaf_piece_cache *cache, int64_t piece)
{
	while (!sheaf_piece_cache_offer(cache, piece) && sheaf_pipeline_count(&cache->ahead.pipeline) > 0)
		take_in(cache);
}

bool sheaf_piece_cache_is_complete(const sheaf_piece_cache *cache)
{
	return cache->used == cache->source->pieces;
}

bool sheaf_piece_cache_has(sheaf_piece_cache *cache, int64_t piece)
{
	if (piece >= cache->known) return false;
	while (cache->slot_of[piece] == UNDER_WAY && sheaf_pipeline_is_ready(&cache->ahead.pipeline))
		take_in(cache);
	return cache->slot_of[piece] >= 0;
}

sheaf_status sheaf_piece_cache_get(sheaf_piece_cache *cache, int64_t piece, const sheaf_loaded_piece **out,
                                   sheaf_error *err)
{
	SHEAF_TRY(know_pieces(cache, err));
	if (cache->slot_of[piece] < 0) SHEAF_TRY(read_in_turn(cache, piece, err));
	int64_t at = cache->slot_of[piece];
	if (cache->slots[at].batch != cache->batch) {
		take_out(cache, at);
		put_first(cache, at, cache->batch);
	}
	*out = cache->slots[at].loaded;
	return SHEAF_OK;
}
