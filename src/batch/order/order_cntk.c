/* SPDX-License-Identifier: MIT */
/* CNTK's randomised order (BlockRandomizer, ChunkRandomizer and SequenceRandomizer of its reader library):
 * chunks are shuffled; then each sequence is swapped with one in a window of chunks around its place, chunk
 * by chunk as they are handed out. Every chunk of the result has as many sequences as the shuffled chunk in
 * that place. As in CNTK, only the sequences near the reading position are in a table:
 *
 *     chunks       0 ... first_loaded ... handed ... drawn ... loaded ... n     in their shuffled order
 *     sequences          [ in the table                             )
 *                                     final         swapped
 *
 * The draws are the same as in CNTK, one by one, so that a run gives the minibatches that CNTK gives. */
#include "batch/order/order.h"
#include "batch/reserve.h"
#include <string.h>

/* The 64-bit Mersenne twister of Matsumoto and Nishimura, std::mt19937_64 in C++, which CNTK uses. */
enum { WORDS = 312, SHIFT = 156 };

typedef struct twister {
	uint64_t words[WORDS];
	int used; /* words that have been given since the last twist */
} twister;

/* A chunk in its shuffled place. */
typedef struct cntk_chunk {
	int64_t chunk;             /* its number in the file */
	int64_t position, samples; /* sequences, and samples, of the sweep before its first */
	int64_t begin, end;        /* its window: the places of the chunks with which its sequences are swapped */
} cntk_chunk;

typedef struct cntk_sequence {
	int64_t row;
	uint32_t samples;
	uint32_t home; /* the place of its chunk */
} cntk_sequence;

typedef struct cntk_order {
	const sheaf_rows *rows;
	sheaf_order_options options;
	sheaf_context *cx;
	int64_t sweep; /* to which what follows belongs; -1: to none */
	twister draws;
	cntk_chunk *chunks; /* and one more, whose position is the end of the last */
	int64_t handed;     /* chunks in places before this one are final */
	int64_t drawn;      /* sequences of chunks before this place have been swapped */
	int64_t first_loaded, loaded;
	cntk_sequence *sequences; /* of the chunks in places [first_loaded, loaded) */
	size_t room;
	uint32_t *lengths; /* of one chunk, while it is loaded */
	size_t lengths_room;
	int64_t near; /* the place that place_of found last */
} cntk_order;

static void cntk_close(void *order)
{
	cntk_order *o = (cntk_order *)order;
	if (!o) return;
	sheaf_release(o->cx, o->chunks, ((size_t)o->rows->chunks + 1) * sizeof *o->chunks);
	sheaf_release(o->cx, o->sequences, o->room * sizeof *o->sequences);
	sheaf_release(o->cx, o->lengths, o->lengths_room * sizeof *o->lengths);
	sheaf_release(o->cx, o, sizeof *o);
}

static sheaf_status cntk_open(const sheaf_rows *rows, const sheaf_order_options *options, sheaf_context *cx,
                              void **order, sheaf_error *err)
{
	cntk_order *o;
	*order = NULL;
	SHEAF_TRY(sheaf_allocate(cx, sizeof *o, &o, err));
	*o = (cntk_order){.rows = rows, .options = *options, .cx = cx, .sweep = -1};
	sheaf_status status =
		sheaf_allocate_array(cx, (uint64_t)rows->chunks + 1, sizeof *o->chunks, &o->chunks, err);
	if (status)
		cntk_close(o);
	else
		*order = o;
	return status;
}

/* ---- random numbers ---- */

static void seed_twister(twister *m, uint64_t seed)
{
	m->words[0] = seed;
	for (int i = 1; i < WORDS; i++) {
		uint64_t before = m->words[i - 1];
		m->words[i] = 6364136223846793005u * (before ^ before >> 62) + (uint64_t)i;
	}
	m->used = WORDS;
}

static uint64_t next_word(twister *m)
{
	const uint64_t upper = 0xffffffff80000000u, lower = 0x7fffffffu, matrix = 0xb5026f5aa96619e9u;
	if (m->used == WORDS) {
		for (int i = 0; i < WORDS; i++) {
			uint64_t x = (m->words[i] & upper) | (m->words[(i + 1) % WORDS] & lower);
			m->words[i] = m->words[(i + SHIFT) % WORDS] ^ x >> 1 ^ (x & 1 ? matrix : 0);
		}
		m->used = 0;
	}
	uint64_t x = m->words[m->used++];
	x ^= x >> 29 & 0x5555555555555555u;
	x ^= x << 17 & 0x71d67fffeda60000u;
	x ^= x << 37 & 0xfff7eee000000000u;
	return x ^ x >> 43;
}

static int64_t draw(cntk_order *o, int64_t begin, int64_t end)
{
	return begin + (int64_t)(next_word(&o->draws) % (uint64_t)(end - begin));
}

/* ---- chunks and their windows ---- */

/* The window of a chunk: as many chunks as the option says, half of them before it where possible; or the
 * chunks that begin within half of the samples before its first sample, and end within half of them after it.
 */
static void set_windows(cntk_order *o)
{
	int64_t n = o->rows->chunks, window = o->options.window, half = window / 2, begin = 0, end = 1;
	bool in_samples = o->options.window_in_samples && window > 0;
	if (!in_samples && (window < 1 || window > n)) window = n;
	for (int64_t i = 0; i < n; i++) {
		int64_t start = o->chunks[i].samples;
		if (in_samples) {
			while (start - o->chunks[begin].samples > half) begin++;
			if (end < i + 1) end = i + 1;
			while (end < n && o->chunks[end + 1].samples - start < half) end++;
		} else {
			begin = i > window / 2 ? i - window / 2 : 0;
			if (begin > n - window) begin = n - window;
			end = begin + window;
		}
		o->chunks[i].begin = begin;
		o->chunks[i].end = end;
	}
}

/* Shuffles the chunks, and says where each has its sequences and its window. */
static void start_sweep(cntk_order *o, int64_t sweep)
{
	uint64_t seed = o->options.seed + (uint64_t)sweep;
	int64_t n = o->rows->chunks, position = 0, samples = 0;
	seed_twister(&o->draws, seed);
	for (int64_t i = 0; i < n; i++) o->chunks[i].chunk = i;
	for (int64_t i = 0; i < n; i++) {
		int64_t j = draw(o, 0, n), chunk = o->chunks[i].chunk;
		o->chunks[i].chunk = o->chunks[j].chunk;
		o->chunks[j].chunk = chunk;
	}
	for (int64_t i = 0; i < n; i++) {
		int64_t chunk = o->chunks[i].chunk;
		o->chunks[i].position = position;
		o->chunks[i].samples = samples;
		position += o->rows->first_row[chunk + 1] - o->rows->first_row[chunk];
		samples += o->rows->first_sample[chunk + 1] - o->rows->first_sample[chunk];
	}
	o->chunks[n].position = position;
	o->chunks[n].samples = samples;
	set_windows(o);
	/* In CNTK sequences have a generator of their own, of the same seed. */
	seed_twister(&o->draws, seed);
	o->handed = o->drawn = o->first_loaded = o->loaded = o->near = 0;
	o->sweep = sweep;
}

/* ---- sequences ---- */

/* The place of the chunk that contains a position, which is mostly the place found last. */
static int64_t place_of(cntk_order *o, int64_t position)
{
	int64_t low = 0, high = o->rows->chunks;
	if (o->chunks[o->near].position <= position && position < o->chunks[o->near + 1].position) return o->near;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (o->chunks[middle].position <= position)
			low = middle;
		else
			high = middle;
	}
	return o->near = low;
}

static cntk_sequence *sequence_at(const cntk_order *o, int64_t position)
{
	return &o->sequences[position - o->chunks[o->first_loaded].position];
}

/* Adds the sequences of the next chunk to the table. */
static sheaf_status load_chunk(cntk_order *o, sheaf_error *err)
{
	int64_t place = o->loaded, chunk = o->chunks[place].chunk, row = o->rows->first_row[chunk],
			n = o->rows->first_row[chunk + 1] - row;
	int64_t before = o->chunks[place].position - o->chunks[o->first_loaded].position;
	SHEAF_TRY(sheaf_reserve(o->cx, &o->sequences, &o->room, (size_t)(before + n), sizeof *o->sequences, err));
	SHEAF_TRY(sheaf_reserve(o->cx, &o->lengths, &o->lengths_room, (size_t)n, sizeof *o->lengths, err));
	if (o->rows->lengths) SHEAF_TRY(o->rows->lengths(o->rows->user, row, n, o->lengths, err));
	for (int64_t i = 0; i < n; i++)
		o->sequences[before + i] =
			(cntk_sequence){row + i, o->rows->lengths ? o->lengths[i] : 1, (uint32_t)place};
	o->loaded++;
	return SHEAF_OK;
}

static bool may_stand(const cntk_order *o, const cntk_sequence *sequence, int64_t place)
{
	return o->chunks[place].begin <= (int64_t)sequence->home &&
	       (int64_t)sequence->home < o->chunks[place].end;
}

/* Swaps the sequence at a position with one of the chunk's window, and draws again until each may stand where
 * the other one is: a sequence never leaves the window of its own chunk. */
static void draw_for(cntk_order *o, int64_t position, int64_t place)
{
	int64_t begin = o->chunks[o->chunks[place].begin].position,
			end = o->chunks[o->chunks[place].end].position;
	cntk_sequence *mine = sequence_at(o, position), *other;
	int64_t j;
	do {
		j = draw(o, begin, end);
		other = sequence_at(o, j);
	} while (!may_stand(o, other, place) || !may_stand(o, mine, place_of(o, j)));
	cntk_sequence sequence = *mine;
	*mine = *other;
	*other = sequence;
}

/* Makes the next place final: first draws for every place that might still change it. Chunks at the front of
 * the table that no later place can draw from go if they are more than half of it: then the sequences that
 * stay are moved no more often than they are loaded. */
static sheaf_status hand_out(cntk_order *o, sheaf_error *err)
{
	int64_t n = o->rows->chunks, until = o->chunks[o->handed].end, first = o->first_loaded,
			keep = o->handed < n ? o->chunks[o->handed].begin : o->handed;
	while (first < o->handed && first < keep) first++;
	int64_t gone = o->chunks[first].position - o->chunks[o->first_loaded].position,
			stay = o->chunks[o->loaded].position - o->chunks[first].position;
	if (gone > 0 && gone >= stay) {
		memmove(o->sequences, o->sequences + gone, (size_t)stay * sizeof *o->sequences);
		o->first_loaded = first;
	}
	while (until < n && o->chunks[until].begin <= o->handed) until++;
	while (o->loaded < o->chunks[until - 1].end) SHEAF_TRY(load_chunk(o, err));
	for (; o->drawn < until; o->drawn++)
		for (int64_t t = o->chunks[o->drawn].position; t < o->chunks[o->drawn + 1].position; t++)
			draw_for(o, t, o->drawn);
	o->handed++;
	return SHEAF_OK;
}

static sheaf_status cntk_fill(void *order, sheaf_item_run *run, sheaf_error *err)
{
	cntk_order *o = (cntk_order *)order;
	int64_t ordinal = run->ordinal;
	if (o->sweep != run->sweep || ordinal < o->chunks[o->first_loaded].position) start_sweep(o, run->sweep);
	while (o->chunks[o->handed].position <= ordinal) SHEAF_TRY(hand_out(o, err));
	sheaf_item_run_limit(run, o->chunks[o->handed].position - ordinal);
	for (int64_t i = 0; i < run->n; i++) {
		const cntk_sequence *sequence = sequence_at(o, ordinal + i);
		run->items[i] =
			(sheaf_item){.row = sequence->row, .samples = sequence->samples, .owner = sequence->home};
	}
	return SHEAF_OK;
}

static int64_t cntk_needed(void *order)
{
	const cntk_order *o = (const cntk_order *)order;
	return o->handed < o->rows->chunks ? o->chunks[o->handed].end : o->rows->chunks;
}

static int64_t cntk_chunk_at(void *order, int64_t i) { return ((const cntk_order *)order)->chunks[i].chunk; }

const sheaf_order sheaf_order_cntk = {
	.name = "cntk",
	.summary = "CNTK's randomisation: shuffled chunks, and sequences within a window",
	.dealing = SHEAF_DEAL_OWNER,
	.uses_chunks = true,
	.owns_chunks = true,
	.skips_other_shards = true,
	.open = cntk_open,
	.fill = cntk_fill,
	.needed = cntk_needed,
	.chunk = cntk_chunk_at,
	.close = cntk_close,
};
