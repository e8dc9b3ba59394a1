/* SPDX-License-Identifier: MIT */
#include "batch/piece_cache.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "batch/readahead_queue.h"
#include "batch/reserve.h"

enum { NONE = -1, UNDER_WAY = -2 };

/* A slot of the cache; slots in use form a ring, the one used last first. */
typedef struct slot {
	sheaf_loaded_piece *loaded;
	int64_t piece, bytes;
	int64_t batch; /* the batch that used it last; NONE: it was read ahead and not used yet */
	int64_t newer, older;
} slot;

struct sheaf_piece_cache {
	const sheaf_row_source *source;
	sheaf_context *cx;
	int64_t most, limit;
	bool locates;     /* pieces are located, not decoded */
	int64_t *slot_of; /* the slot of each piece, or NONE, or UNDER_WAY */
	size_t slot_of_room;
	int64_t known; /* pieces that have an entry there: the source may grow */
	slot *slots;
	size_t room;
	int64_t used, bytes; /* number of slots, and bytes in them */
	int64_t newest, oldest;
	int64_t batch, gone; /* the number of the last batch that was begun, and of the last that ended */
	sheaf_readahead_queue ahead;
};

static sheaf_status know_pieces(sheaf_piece_cache *cache, sheaf_error *err)
{
	void *slot_of = cache->slot_of;
	if (cache->known == cache->source->pieces) return SHEAF_OK;
	SHEAF_TRY(sheaf_reserve(cache->cx, &slot_of, &cache->slot_of_room, (size_t)cache->source->pieces,
	                        sizeof *cache->slot_of, err));
	cache->slot_of = (int64_t *)slot_of;
	while (cache->known < cache->source->pieces) cache->slot_of[cache->known++] = NONE;
	return SHEAF_OK;
}

sheaf_status sheaf_piece_cache_open(const sheaf_row_source *source, const sheaf_piece_cache_options *options,
                                    sheaf_context *cx, sheaf_piece_cache **out, sheaf_error *err)
{
	void *memory;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_piece_cache), &memory, err));
	sheaf_piece_cache *cache = (sheaf_piece_cache *)memory;
	*cache = (sheaf_piece_cache){.source = source,
	                             .cx = cx,
	                             .locates = options->locates,
	                             .most = options->most,
	                             .limit = options->bytes,
	                             .newest = NONE,
	                             .oldest = NONE};
	sheaf_status status = know_pieces(cache, err);
	if (status == SHEAF_OK) status = sheaf_readahead_queue_open(&cache->ahead, source, cx, err);
	if (status) {
		sheaf_piece_cache_close(cache);
		return status;
	}
	*out = cache;
	return SHEAF_OK;
}

static void free_held(sheaf_context *cx, sheaf_loaded_piece *loaded)
{
	sheaf_loaded_piece_free(loaded);
	sheaf_release(cx, loaded, sizeof *loaded);
}

void sheaf_piece_cache_close(sheaf_piece_cache *cache)
{
	if (!cache) return;
	sheaf_readahead_queue_close(&cache->ahead);
	for (int64_t i = 0; i < cache->used; i++)
		if (cache->slots[i].loaded) free_held(cache->cx, cache->slots[i].loaded);
	sheaf_release_reserved(cache->cx, cache->slots, cache->room, sizeof *cache->slots);
	sheaf_release_reserved(cache->cx, cache->slot_of, cache->slot_of_room, sizeof *cache->slot_of);
	sheaf_release(cache->cx, cache, sizeof *cache);
}

void sheaf_piece_cache_begin_batch(sheaf_piece_cache *cache) { cache->batch++; }

void sheaf_piece_cache_end_batch(sheaf_piece_cache *cache)
{
	if (cache->gone < cache->batch) cache->gone++;
}

/* ---- the ring ---- */

static void take_out(sheaf_piece_cache *cache, int64_t at)
{
	slot *s = &cache->slots[at];
	*(s->newer == NONE ? &cache->newest : &cache->slots[s->newer].older) = s->older;
	*(s->older == NONE ? &cache->oldest : &cache->slots[s->older].newer) = s->newer;
}

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

static bool is_over(const sheaf_piece_cache *cache, int64_t more)
{
	return (cache->most && cache->used >= cache->most) || cache->bytes + more > cache->limit;
}

static bool may_go(const sheaf_piece_cache *cache, int64_t at)
{
	return at != NONE && cache->slots[at].batch <= cache->gone;
}

/* The last slot is moved into the place of a removed one, so that slots in use have no gaps. */
static void close_gap(sheaf_piece_cache *cache, int64_t at)
{
	int64_t last = --cache->used;
	if (at == last) return;
	slot *s = &cache->slots[at];
	*s = cache->slots[last];
	cache->slot_of[s->piece] = at;
	*(s->newer == NONE ? &cache->newest : &cache->slots[s->newer].older) = at;
	*(s->older == NONE ? &cache->oldest : &cache->slots[s->older].newer) = at;
}

/* Removes the least recently used piece from the cache; its memory, which can be reused, goes to the
 * caller. */
static sheaf_loaded_piece *take_oldest(sheaf_piece_cache *cache)
{
	int64_t at = cache->oldest;
	slot *s = &cache->slots[at];
	sheaf_loaded_piece *loaded = s->loaded;
	take_out(cache, at);
	cache->bytes -= s->bytes;
	cache->slot_of[s->piece] = NONE;
	close_gap(cache, at);
	return loaded;
}

/* The memory to read into: that of a piece that has to go, or new memory. */
static sheaf_status make_room(sheaf_piece_cache *cache, int64_t more, sheaf_loaded_piece **loaded,
                              sheaf_error *err)
{
	void *memory;
	*loaded = NULL;
	while (is_over(cache, more) && may_go(cache, cache->oldest)) {
		if (*loaded) free_held(cache->cx, *loaded);
		*loaded = take_oldest(cache);
	}
	if (*loaded) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(cache->cx, sizeof **loaded, &memory, err));
	*loaded = (sheaf_loaded_piece *)memory;
	return SHEAF_OK;
}

/* ---- reading ---- */

static sheaf_status add(sheaf_piece_cache *cache, int64_t piece, sheaf_loaded_piece *loaded, int64_t batch,
                        sheaf_error *err)
{
	void *slots = cache->slots;
	SHEAF_TRY(
		sheaf_reserve(cache->cx, &slots, &cache->room, (size_t)cache->used + 1, sizeof *cache->slots, err));
	cache->slots = (slot *)slots;
	cache->slots[cache->used] =
		(slot){.loaded = loaded, .piece = piece, .bytes = sheaf_loaded_piece_bytes(loaded)};
	cache->bytes += cache->slots[cache->used].bytes;
	cache->slot_of[piece] = cache->used;
	put_first(cache, cache->used++, batch);
	return SHEAF_OK;
}

static sheaf_status read_now(sheaf_piece_cache *cache, int64_t piece, sheaf_error *err)
{
	sheaf_loaded_piece *loaded;
	SHEAF_TRY(make_room(cache, sheaf_row_source_piece_size(cache->source, piece), &loaded, err));
	sheaf_piece_ref ref = sheaf_row_source_piece(cache->source, piece);
	sheaf_status status = sheaf_row_source_read(&ref, cache->locates, loaded, cache->cx, err);
	if (status == SHEAF_OK) status = add(cache, piece, loaded, cache->batch, err);
	if (status) free_held(cache->cx, loaded);
	return status;
}

/* ---- reading ahead ---- */

/* Whether making room for one more piece would remove one that was itself read ahead and is not used yet. */
static bool is_waiting(const sheaf_piece_cache *cache, int64_t at)
{
	return at != NONE && cache->slots[at].batch == NONE;
}

bool sheaf_piece_cache_offer(sheaf_piece_cache *cache, int64_t piece)
{
	sheaf_loaded_piece *loaded;
	sheaf_error ignored; /* there will be another call for the piece, in its turn */
	int64_t size = sheaf_row_source_piece_size(cache->source, piece);
	if (sheaf_put_off(know_pieces(cache, &ignored), "the piece's turn")) return false;
	if (cache->slot_of[piece] != NONE) return true;
	if (!sheaf_readahead_queue_has_room(&cache->ahead) ||
	    (is_over(cache, size) && (!may_go(cache, cache->oldest) || is_waiting(cache, cache->oldest))))
		return false;
	if (sheaf_put_off(make_room(cache, size, &loaded, &ignored), "the piece's turn")) return false;
	if (sheaf_put_off(sheaf_readahead_queue_begin(&cache->ahead, piece, cache->locates, loaded, &ignored),
	                  "the piece's turn")) {
		free_held(cache->cx, loaded);
		return false;
	}
	cache->slot_of[piece] = UNDER_WAY;
	return true;
}

/* The piece that was begun first goes into the cache; one with something to report is read again when it is
 * asked for. */
static void take_in(sheaf_piece_cache *cache)
{
	int64_t piece;
	sheaf_loaded_piece *loaded;
	sheaf_error ignored;
	bool clean;
	sheaf_readahead_queue_take(&cache->ahead, &piece, &loaded, &clean);
	cache->slot_of[piece] = NONE;
	if (!clean || sheaf_put_off(add(cache, piece, loaded, NONE, &ignored), "the piece's turn"))
		free_held(cache->cx, loaded);
}

/* When memory runs out, frees what is read ahead. */
static void take_in_all(sheaf_piece_cache *cache)
{
	while (sheaf_readahead_queue_count(&cache->ahead) > 0) take_in(cache);
}

/* A piece has something to report, which only decoding finds. From now on all pieces are decoded, since rows
 * are gathered from pieces of one kind. */
static void decode_from_now_on(sheaf_piece_cache *cache)
{
	take_in_all(cache);
	cache->locates = false;
	while (cache->used > 0) free_held(cache->cx, take_oldest(cache));
}

static sheaf_status read_in_turn(sheaf_piece_cache *cache, int64_t piece, sheaf_error *err)
{
	while (cache->slot_of[piece] == UNDER_WAY) take_in(cache);
	if (cache->slot_of[piece] != NONE) return SHEAF_OK;
	sheaf_status status = read_now(cache, piece, err);
	if (status == SHEAF_END) decode_from_now_on(cache);
	if (!sheaf_is_of_memory(status)) return status;
	take_in_all(cache);
	while (may_go(cache, cache->oldest)) free_held(cache->cx, take_oldest(cache));
	return read_now(cache, piece, err);
}

bool sheaf_piece_cache_reads_ahead(const sheaf_piece_cache *cache)
{
	return sheaf_context_threads(cache->cx) > 1;
}

void sheaf_piece_cache_want(sheaf_piece_cache *cache, int64_t piece)
{
	while (!sheaf_piece_cache_offer(cache, piece) && sheaf_readahead_queue_count(&cache->ahead) > 0)
		take_in(cache);
}

bool sheaf_piece_cache_is_complete(const sheaf_piece_cache *cache)
{
	return cache->used == cache->source->pieces;
}

bool sheaf_piece_cache_has(sheaf_piece_cache *cache, int64_t piece)
{
	if (piece >= cache->known) return false;
	while (cache->slot_of[piece] == UNDER_WAY && sheaf_readahead_queue_is_ready(&cache->ahead))
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
