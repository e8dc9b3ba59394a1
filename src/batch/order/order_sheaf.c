/* SPDX-License-Identifier: MIT */
/* The default order: a keyed permutation, so that any place of any sweep is found without the places before
 * it. With a window the chunks are permuted, then the sequences of each run of chunks that fills the window:
 * only one window has to be in memory at a time, and the next one while it is read ahead. */
#include "batch/order/order.h"
#include "batch/order/permutation.h"
#include "batch/reserve.h"

enum { CHUNKS_PART = -1 }; /* parts from 0 on are windows */

typedef struct placed_chunk {
	int64_t chunk;   /* its number in the file */
	int64_t ordinal; /* of the first sequence in its place */
} placed_chunk;

typedef struct sheaf_shuffle {
	const sheaf_rows *rows;
	sheaf_order_options options;
	sheaf_context *cx;
	int64_t sweep; /* to which what follows belongs; -1: to none */
	sheaf_permutation of_chunks, inside; /* of all chunks; of the window's sequences, or of all sequences */
	int64_t window;        /* the number of the current window in its sweep, */
	int64_t place, places; /* its chunks: those in places [place, place + places), */
	int64_t begin, end;    /* and the ordinals of its sequences */
	placed_chunk *chunks;  /* of the window */
	size_t room;
} sheaf_shuffle;

static sheaf_status shuffle_open(const sheaf_rows *rows, const sheaf_order_options *options,
                                 sheaf_context *cx, void **order, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(cx, sizeof(sheaf_shuffle), order, err));
	*(sheaf_shuffle *)*order = (sheaf_shuffle){.rows = rows, .options = *options, .cx = cx, .sweep = -1};
	return SHEAF_OK;
}

static void shuffle_close(void *order)
{
	sheaf_shuffle *s = (sheaf_shuffle *)order;
	if (!s) return;
	sheaf_release(s->cx, s->chunks, s->room * sizeof *s->chunks);
	sheaf_release(s->cx, s, sizeof *s);
}

/* ---- windows ---- */

static int64_t weight(const sheaf_shuffle *s, int64_t chunk)
{
	return s->options.window_in_samples ? s->rows->first_sample[chunk + 1] - s->rows->first_sample[chunk] : 1;
}

/* The window that begins at this place and ordinal: chunks until it is full, but at least one. */
static sheaf_status gather_window(sheaf_shuffle *s, int64_t place, int64_t ordinal, sheaf_error *err)
{
	int64_t full = 0;
	s->place = place;
	s->begin = s->end = ordinal;
	for (s->places = 0; place + s->places < s->rows->chunks; s->places++) {
		int64_t chunk = sheaf_permutation_at(&s->of_chunks, place + s->places);
		if (s->places && full + weight(s, chunk) > s->options.window) break;
		SHEAF_TRY(sheaf_reserve(s->cx, &s->chunks, &s->room, (size_t)s->places + 1, sizeof *s->chunks, err));
		s->chunks[s->places] = (placed_chunk){chunk, s->end};
		s->end += s->rows->first_row[chunk + 1] - s->rows->first_row[chunk];
		full += weight(s, chunk);
	}
	return SHEAF_OK;
}

/* Makes the window that contains a place of the order the current one. Windows before it are passed one by
 * one. */
static sheaf_status find_window(sheaf_shuffle *s, int64_t sweep, int64_t ordinal, sheaf_error *err)
{
	bool moved = s->sweep != sweep || ordinal < s->begin;
	if (moved) {
		s->sweep = -1; /* until the window is complete */
		sheaf_permutation_make(&s->of_chunks, s->rows->chunks, s->options.seed, sweep, CHUNKS_PART);
		s->window = 0;
		SHEAF_TRY(gather_window(s, 0, 0, err));
		s->sweep = sweep;
	}
	for (; ordinal >= s->end; moved = true) {
		s->window++;
		SHEAF_TRY(gather_window(s, s->place + s->places, s->end, err));
	}
	if (moved) sheaf_permutation_make(&s->inside, s->end - s->begin, s->options.seed, sweep, s->window);
	return SHEAF_OK;
}

/* The row that this ordinal would have if only the chunks were shuffled. */
static int64_t row_in_window(const sheaf_shuffle *s, int64_t ordinal)
{
	int64_t low = 0, high = s->places;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (s->chunks[middle].ordinal <= ordinal)
			low = middle;
		else
			high = middle;
	}
	return s->rows->first_row[s->chunks[low].chunk] + ordinal - s->chunks[low].ordinal;
}

static sheaf_status shuffle_fill(void *order, sheaf_item_run *run, sheaf_error *err)
{
	sheaf_shuffle *s = (sheaf_shuffle *)order;
	if (s->options.window) {
		SHEAF_TRY(find_window(s, run->sweep, run->ordinal, err));
		sheaf_item_run_limit(run, s->end - run->ordinal);
	} else {
		if (s->sweep != run->sweep)
			sheaf_permutation_make(&s->inside, s->rows->rows, s->options.seed, run->sweep, 0);
		s->sweep = run->sweep;
		sheaf_item_run_limit(run, s->rows->rows - run->ordinal);
	}
	/* Without windows s->begin is 0. */
	for (int64_t i = 0; i < run->n; i++) {
		int64_t inside = sheaf_permutation_at(&s->inside, run->ordinal + i - s->begin);
		run->items[i] = (sheaf_item){.row = s->options.window ? row_in_window(s, s->begin + inside) : inside};
	}
	return sheaf_items_measure(s->rows, run->items, run->n, err);
}

static int64_t shuffle_needed(void *order)
{
	const sheaf_shuffle *s = (const sheaf_shuffle *)order;
	int64_t next_too = s->place + 2 * s->places;
	return s->options.window == 0 || next_too > s->rows->chunks ? s->rows->chunks : next_too;
}

static int64_t shuffle_chunk(void *order, int64_t i)
{
	const sheaf_shuffle *s = (const sheaf_shuffle *)order;
	return s->options.window ? sheaf_permutation_at(&s->of_chunks, i) : i;
}

const sheaf_order sheaf_order_sheaf = {
	.name = "sheaf",
	.summary = "a shuffle of all sequences, the same for any number of shards",
	.dealing = SHEAF_DEAL_BATCH,
	.open = shuffle_open,
	.fill = shuffle_fill,
	.needed = shuffle_needed,
	.chunk = shuffle_chunk,
	.close = shuffle_close,
};
