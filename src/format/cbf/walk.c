/* SPDX-License-Identifier: MIT */
/* Where the sequences of long chunks are. The streams of a chunk follow one another, and where a sequence
 * begins depends on the counts of all before it: so a chunk to be cut into parts is walked over first, on any
 * thread and ahead of its turn, and marks are recorded on the way. */
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/cbf/cbf.h"
#include "io/source.h"

/* ---- chunks ---- */

void sheaf_cbf_place_chunk(const sheaf_cbf_reader *in, int64_t number, sheaf_piece *piece)
{
	const sheaf_cbf_chunk *chunk = &in->chunks[number];
	piece->byte = chunk->offset;
	piece->size = chunk->end - chunk->offset;
	piece->line = piece->column = -1;
	piece->chunk = number;
}

sheaf_status sheaf_cbf_view_chunk(const sheaf_cbf_reader *in, int64_t number, sheaf_piece *piece,
                                  sheaf_error *err)
{
	sheaf_cbf_place_chunk(in, number, piece);
	return sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err);
}

bool sheaf_cbf_is_long(const sheaf_cbf_reader *in, int64_t number, int64_t bytes)
{
	enum { LONG = 4 };
	const sheaf_cbf_chunk *chunk = &in->chunks[number];
	return (chunk->end - chunk->offset) / LONG > bytes && chunk->sequences > 1;
}

void sheaf_cbf_let_go(const sheaf_cbf_reader *in, const sheaf_piece *piece, int64_t *passed, int64_t at,
                      int64_t least)
{
	if (at - *passed < least) return;
	sheaf_source_let_go(in->source, piece->byte + *passed, at - *passed);
	*passed = at;
}

/* ---- walks ---- */

static void drop(void *user, void *item)
{
	sheaf_cbf_walk *w = (sheaf_cbf_walk *)item;
	sheaf_release(((sheaf_cbf_reader *)user)->cx, w->marks, w->capacity * sizeof *w->marks);
	sheaf_buffer_reset(&w->piece.bytes);
}

/* Decoding reports a flaw: it then gets the whole chunk.
 *
 * A chunk may be larger than the memory limit, and walking over it would keep its pages in memory: these
 * belong to the file, so they are released now and then. Decoding reads them in again. */
static bool mark_streams(const sheaf_cbf_reader *in, sheaf_cbf_walk *w)
{
	enum { STEP = 8 << 20, LARGE = 64 << 20 };
	sheaf_cbf_extent extent;
	sheaf_cursor c = sheaf_cursor_over(w->piece.bytes.data, (size_t)w->piece.size, w->piece.byte);
	int64_t n = in->chunks[w->piece.chunk].sequences, streams = in->schema.nfields, passed = 0;
	c.at += 4 * n;
	for (int64_t s = 0; s < streams; s++) {
		int64_t *mark = w->marks + s;
		for (int64_t i = 0; i < n; mark += streams) {
			int64_t next = n - i < w->stride ? n : i + w->stride;
			*mark = c.at - c.begin;
			for (; i < next; i++)
				if (!sheaf_cbf_pass_sequence(&c, &in->shapes[s], &extent)) return false;
			if (w->piece.size >= LARGE) sheaf_cbf_let_go(in, &w->piece, &passed, c.at - c.begin, STEP);
		}
		*mark = c.at - c.begin;
	}
	return c.at == c.end;
}

static void walk(void *user, void *item)
{
	const sheaf_cbf_reader *in = (const sheaf_cbf_reader *)user;
	sheaf_cbf_walk *w = (sheaf_cbf_walk *)item;
	w->sound = (int64_t)in->chunks[w->piece.chunk].sequences * 4 <= w->piece.size && mark_streams(in, w);
}

/* Several marks for each part, so that parts have about the right length. */
static sheaf_status submit(sheaf_cbf_reader *in, int64_t chunk, int64_t bytes, sheaf_error *err)
{
	enum { MARKS = 8 };
	sheaf_cbf_walk *w = (sheaf_cbf_walk *)sheaf_pipeline_free_item(&in->walks);
	int64_t n = in->chunks[chunk].sequences, size = in->chunks[chunk].end - in->chunks[chunk].offset;
	int64_t marks = size / bytes * MARKS + 1;
	w->stride = n / marks + 1;
	size_t words = (size_t)(n / w->stride + 2) * (size_t)in->schema.nfields;
	if (words > w->capacity) {
		int64_t *room;
		SHEAF_TRY(sheaf_allocate_array(in->cx, words, sizeof *room, &room, err));
		sheaf_release(in->cx, w->marks, w->capacity * sizeof *w->marks);
		w->marks = room;
		w->capacity = words;
	}
	SHEAF_TRY(sheaf_cbf_view_chunk(in, chunk, &w->piece, err));
	sheaf_pipeline_submit(&in->walks);
	in->submitted = chunk + 1;
	return SHEAF_OK;
}

void sheaf_cbf_pass_walk(sheaf_cbf_reader *in)
{
	if (sheaf_pipeline_count(&in->walks) == 0) return;
	sheaf_buffer_reset(&((sheaf_cbf_walk *)sheaf_pipeline_first(&in->walks))->piece.bytes);
	sheaf_pipeline_pass(&in->walks);
}

/* Walks over other chunks are left after a rewind, or where one was not needed. */
sheaf_status sheaf_cbf_walk_over(sheaf_cbf_reader *in, int64_t chunk, int64_t bytes,
                                 const sheaf_cbf_walk **out, sheaf_error *err)
{
	enum { FOR_ONE_WALK = 4 /* threads that decode meanwhile what one has walked over */ };
	int threads = sheaf_context_threads(in->cx);
	int depth = threads == 1 ? 1 : 1 + (threads + FOR_ONE_WALK - 1) / FOR_ONE_WALK;
	if (!in->walks.pool)
		SHEAF_TRY(sheaf_pipeline_open(&in->walks, in->cx, sizeof(sheaf_cbf_walk), depth,
		                              (sheaf_pipeline_steps){walk, NULL, drop, in}, err));
	while (sheaf_pipeline_count(&in->walks) > 0 &&
	       ((const sheaf_cbf_walk *)sheaf_pipeline_first(&in->walks))->piece.chunk != chunk)
		sheaf_cbf_pass_walk(in);
	if (sheaf_pipeline_count(&in->walks) == 0) SHEAF_TRY(submit(in, chunk, bytes, err));
	/* A walk that cannot begin ahead of its turn is requested again in its turn; chunks that have to be
	 * copied are not held twice. */
	bool in_place = in->source->map.data || in->source->raw.kind == SHEAF_RAW_MEMORY;
	while (in_place && in->submitted < in->nchunks && sheaf_pipeline_free_item(&in->walks)) {
		if (!sheaf_cbf_is_long(in, in->submitted, bytes))
			in->submitted++;
		else if (sheaf_put_off(submit(in, in->submitted, bytes, NULL), "its turn"))
			break;
	}
	*out = (const sheaf_cbf_walk *)sheaf_pipeline_first(&in->walks);
	return SHEAF_OK;
}

void sheaf_cbf_end_walks(sheaf_cbf_reader *in) { sheaf_pipeline_close(&in->walks); }
