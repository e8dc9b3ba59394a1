/* SPDX-License-Identifier: MIT */
#include "batch/shelf.h"
#include "base/context.h"
#include "base/memory.h"
#include "batch/array.h"
#include "batch/prefetch.h"

enum { NONE = -1, UNDER_WAY = -2 };

/* A place on the shelf; places in use form a ring, the one used last first. */
typedef struct slot {
	sheaf_held *held;
	int64_t piece, bytes;
	int64_t batch; /* that used it last; NONE: it was read ahead, and none has so far */
	int64_t newer, older;
} slot;

struct sheaf_shelf {
	const sheaf_supply *supply;
	sheaf_context *cx;
	int64_t most, limit;
	bool locates;     /* pieces are not decoded, but located */
	int64_t *slot_of; /* each piece's, or NONE, or UNDER_WAY */
	size_t slot_of_room;
	int64_t known; /* pieces that have an entry there: the supply may grow */
	slot *slots;
	size_t room;
	int64_t used, bytes; /* slots, and bytes in them */
	int64_t newest, oldest;
	int64_t batch, gone; /* the number of the batch begun last, and of that ended last */
	sheaf_prefetch prefetch;
};

static sheaf_status know_pieces(sheaf_shelf *shelf, sheaf_error *err)
{
	void *slot_of = shelf->slot_of;
	if (shelf->known == shelf->supply->pieces) return SHEAF_OK;
	SHEAF_TRY(sheaf_array_room(shelf->cx, &slot_of, &shelf->slot_of_room, (size_t)shelf->supply->pieces,
	                           sizeof *shelf->slot_of, err));
	shelf->slot_of = (int64_t *)slot_of;
	while (shelf->known < shelf->supply->pieces) shelf->slot_of[shelf->known++] = NONE;
	return SHEAF_OK;
}

sheaf_status sheaf_shelf_open(const sheaf_supply *supply, bool locates, int64_t most, int64_t bytes,
                              sheaf_context *cx, sheaf_shelf **out, sheaf_error *err)
{
	void *memory;
	*out = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_shelf), &memory, err));
	sheaf_shelf *shelf = (sheaf_shelf *)memory;
	*shelf = (sheaf_shelf){.supply = supply,
	                       .cx = cx,
	                       .locates = locates,
	                       .most = most,
	                       .limit = bytes,
	                       .newest = NONE,
	                       .oldest = NONE};
	sheaf_status status = know_pieces(shelf, err);
	if (status == SHEAF_OK) status = sheaf_prefetch_open(&shelf->prefetch, supply, cx, err);
	if (status) {
		sheaf_shelf_close(shelf);
		return status;
	}
	*out = shelf;
	return SHEAF_OK;
}

static void free_held(sheaf_context *cx, sheaf_held *held)
{
	sheaf_held_free(held);
	sheaf_release(cx, held, sizeof *held);
}

void sheaf_shelf_close(sheaf_shelf *shelf)
{
	if (!shelf) return;
	sheaf_prefetch_close(&shelf->prefetch);
	for (int64_t i = 0; i < shelf->used; i++)
		if (shelf->slots[i].held) free_held(shelf->cx, shelf->slots[i].held);
	sheaf_array_release(shelf->cx, shelf->slots, shelf->room, sizeof *shelf->slots);
	sheaf_array_release(shelf->cx, shelf->slot_of, shelf->slot_of_room, sizeof *shelf->slot_of);
	sheaf_release(shelf->cx, shelf, sizeof *shelf);
}

void sheaf_shelf_begin_batch(sheaf_shelf *shelf) { shelf->batch++; }

void sheaf_shelf_end_batch(sheaf_shelf *shelf)
{
	if (shelf->gone < shelf->batch) shelf->gone++;
}

/* ---- the ring ---- */

static void take_out(sheaf_shelf *shelf, int64_t at)
{
	slot *s = &shelf->slots[at];
	*(s->newer == NONE ? &shelf->newest : &shelf->slots[s->newer].older) = s->older;
	*(s->older == NONE ? &shelf->oldest : &shelf->slots[s->older].newer) = s->newer;
}

static void put_first(sheaf_shelf *shelf, int64_t at, int64_t batch)
{
	slot *s = &shelf->slots[at];
	s->newer = NONE;
	s->older = shelf->newest;
	*(shelf->newest == NONE ? &shelf->oldest : &shelf->slots[shelf->newest].newer) = at;
	shelf->newest = at;
	s->batch = batch;
}

/* ---- room ---- */

static bool is_over(const sheaf_shelf *shelf, int64_t more)
{
	return (shelf->most && shelf->used >= shelf->most) || shelf->bytes + more > shelf->limit;
}

static bool may_go(const sheaf_shelf *shelf, int64_t at)
{
	return at != NONE && shelf->slots[at].batch <= shelf->gone;
}

/* The last slot moves into the place of one that goes, so that slots in use have no gaps. */
static void close_gap(sheaf_shelf *shelf, int64_t at)
{
	int64_t last = --shelf->used;
	if (at == last) return;
	slot *s = &shelf->slots[at];
	*s = shelf->slots[last];
	shelf->slot_of[s->piece] = at;
	*(s->newer == NONE ? &shelf->newest : &shelf->slots[s->newer].older) = at;
	*(s->older == NONE ? &shelf->oldest : &shelf->slots[s->older].newer) = at;
}

/* Takes the piece used longest ago from the shelf; its memory, which can be used again, goes to the
 * caller. */
static sheaf_held *take_oldest(sheaf_shelf *shelf)
{
	int64_t at = shelf->oldest;
	slot *s = &shelf->slots[at];
	sheaf_held *held = s->held;
	take_out(shelf, at);
	shelf->bytes -= s->bytes;
	shelf->slot_of[s->piece] = NONE;
	close_gap(shelf, at);
	return held;
}

/* What to read into: that of the last piece which has to go, or a new one. */
static sheaf_status make_room(sheaf_shelf *shelf, int64_t more, sheaf_held **held, sheaf_error *err)
{
	void *memory;
	*held = NULL;
	while (is_over(shelf, more) && may_go(shelf, shelf->oldest)) {
		if (*held) free_held(shelf->cx, *held);
		*held = take_oldest(shelf);
	}
	if (*held) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(shelf->cx, sizeof **held, &memory, err));
	*held = (sheaf_held *)memory;
	return SHEAF_OK;
}

/* ---- reading ---- */

static sheaf_status add(sheaf_shelf *shelf, int64_t piece, sheaf_held *held, int64_t batch, sheaf_error *err)
{
	void *slots = shelf->slots;
	SHEAF_TRY(sheaf_array_room(shelf->cx, &slots, &shelf->room, (size_t)shelf->used + 1, sizeof *shelf->slots,
	                           err));
	shelf->slots = (slot *)slots;
	shelf->slots[shelf->used] = (slot){.held = held, .piece = piece, .bytes = sheaf_held_bytes(held)};
	shelf->bytes += shelf->slots[shelf->used].bytes;
	shelf->slot_of[piece] = shelf->used;
	put_first(shelf, shelf->used++, batch);
	return SHEAF_OK;
}

static sheaf_status read_now(sheaf_shelf *shelf, int64_t piece, sheaf_error *err)
{
	sheaf_held *held;
	SHEAF_TRY(make_room(shelf, sheaf_supply_piece_size(shelf->supply, piece), &held, err));
	sheaf_piece_ref ref = sheaf_supply_piece(shelf->supply, piece);
	sheaf_status status = sheaf_supply_read(&ref, shelf->locates, held, shelf->cx, err);
	if (status == SHEAF_OK) status = add(shelf, piece, held, shelf->batch, err);
	if (status) free_held(shelf->cx, held);
	return status;
}

/* ---- reading ahead ---- */

/* What would have to go for one more piece, was itself read ahead and is still to be used. */
static bool is_waiting(const sheaf_shelf *shelf, int64_t at)
{
	return at != NONE && shelf->slots[at].batch == NONE;
}

bool sheaf_shelf_offer(sheaf_shelf *shelf, int64_t piece)
{
	sheaf_held *held;
	sheaf_error ignored; /* there will be another call for the piece, in its turn */
	int64_t size = sheaf_supply_piece_size(shelf->supply, piece);
	if (know_pieces(shelf, &ignored)) return false;
	if (shelf->slot_of[piece] != NONE) return true;
	if (!sheaf_prefetch_has_room(&shelf->prefetch) ||
	    (is_over(shelf, size) && (!may_go(shelf, shelf->oldest) || is_waiting(shelf, shelf->oldest))))
		return false;
	if (make_room(shelf, size, &held, &ignored)) return false;
	if (sheaf_prefetch_begin(&shelf->prefetch, piece, shelf->locates, held, &ignored)) {
		free_held(shelf->cx, held);
		return false;
	}
	shelf->slot_of[piece] = UNDER_WAY;
	return true;
}

/* The piece that was begun first comes to the shelf; one that has something to tell is read again when it is
 * asked for. */
static void take_in(sheaf_shelf *shelf)
{
	int64_t piece;
	sheaf_held *held;
	sheaf_error ignored;
	bool clean;
	sheaf_prefetch_take(&shelf->prefetch, &piece, &held, &clean);
	shelf->slot_of[piece] = NONE;
	if (!clean || add(shelf, piece, held, NONE, &ignored)) free_held(shelf->cx, held);
}

/* When memory runs out, what is read ahead gives its own back. */
static void take_in_all(sheaf_shelf *shelf)
{
	while (sheaf_prefetch_count(&shelf->prefetch) > 0) take_in(shelf);
}

/* A piece has something to tell, which only decoding does. From now on all are decoded: rows are gathered
 * from pieces of one kind. */
static void decode_from_now_on(sheaf_shelf *shelf)
{
	take_in_all(shelf);
	shelf->locates = false;
	while (shelf->used > 0) free_held(shelf->cx, take_oldest(shelf));
}

static sheaf_status read_in_turn(sheaf_shelf *shelf, int64_t piece, sheaf_error *err)
{
	while (shelf->slot_of[piece] == UNDER_WAY) take_in(shelf);
	if (shelf->slot_of[piece] != NONE) return SHEAF_OK;
	sheaf_status status = read_now(shelf, piece, err);
	if (status == SHEAF_END) decode_from_now_on(shelf);
	if (!sheaf_is_of_memory(status)) return status;
	take_in_all(shelf);
	while (may_go(shelf, shelf->oldest)) free_held(shelf->cx, take_oldest(shelf));
	return read_now(shelf, piece, err);
}

bool sheaf_shelf_reads_ahead(const sheaf_shelf *shelf) { return sheaf_context_threads(shelf->cx) > 1; }

void sheaf_shelf_want(sheaf_shelf *shelf, int64_t piece)
{
	while (!sheaf_shelf_offer(shelf, piece) && sheaf_prefetch_count(&shelf->prefetch) > 0) take_in(shelf);
}

bool sheaf_shelf_is_complete(const sheaf_shelf *shelf) { return shelf->used == shelf->supply->pieces; }

bool sheaf_shelf_has(sheaf_shelf *shelf, int64_t piece)
{
	if (piece >= shelf->known) return false;
	while (shelf->slot_of[piece] == UNDER_WAY && sheaf_prefetch_is_ready(&shelf->prefetch)) take_in(shelf);
	return shelf->slot_of[piece] >= 0;
}

sheaf_status sheaf_shelf_get(sheaf_shelf *shelf, int64_t piece, const sheaf_held **out, sheaf_error *err)
{
	SHEAF_TRY(know_pieces(shelf, err));
	if (shelf->slot_of[piece] < 0) SHEAF_TRY(read_in_turn(shelf, piece, err));
	int64_t at = shelf->slot_of[piece];
	if (shelf->slots[at].batch != shelf->batch) {
		take_out(shelf, at);
		put_first(shelf, at, shelf->batch);
	}
	*out = shelf->slots[at].held;
	return SHEAF_OK;
}
