/* SPDX-License-Identifier: MIT */
/* A batch in three steps: the plan says which rows it has (m->planned); finding gets the pieces of these rows
 * from the cache, on the thread of the caller; making copies the rows into a frame or into grids, on any
 * thread. */
#include "batch/batch_builder.h"
#include "batch/reserve.h"
#include "frame/frame.h"

void sheaf_batch_builder_forget(sheaf_batch_builder *m)
{
	sheaf_frame_free(&m->gathered);
	sheaf_frame_free(&m->view);
	m->frame = NULL;
}

void sheaf_batch_builder_free(sheaf_batch_builder *m, const sheaf_batch_settings *settings)
{
	sheaf_context *cx = settings->cx;
	sheaf_batch_builder_forget(m);
	sheaf_packings_close(&m->packings);
	sheaf_planned_free(&m->planned, cx);
	sheaf_release(cx, m->picks, m->picks_room * sizeof *m->picks);
	sheaf_release(cx, m->rows, m->rows_room * sizeof *m->rows);
	sheaf_release(cx, m->scratch, m->scratch_room * sizeof *m->scratch);
	sheaf_release(cx, m->keys, m->keys_room * sizeof *m->keys);
	sheaf_release(cx, m->lengths, m->lengths_room * sizeof *m->lengths);
	*m = (sheaf_batch_builder){0};
}

/* ---- finding ---- */

/* A walk over the rows of a batch, lane by lane: where the row that was reached last is in this lane. */
typedef struct walk {
	int lane;
	size_t i;          /* items of the plan that were passed in this lane */
	int64_t chunk;     /* where sheaf_row_source_locate begins to look for the next row */
	int64_t piece, at; /* the piece that has the row, and the row's index in it */
} walk;

/* Goes on to the next row of the batch, in the first lane, then in the next; false after the last row of the
 * last lane. */
static inline bool walk_on(walk *w, const sheaf_batch_builder *m, const sheaf_row_source *source)
{
	if (w->i == m->planned.count) *w = (walk){.lane = w->lane + 1};
	if (w->lane == source->lanes || m->planned.count == 0) return false;
	sheaf_row_source_locate(source, w->lane, m->planned.items[w->i++].row, &w->chunk, &w->piece, &w->at);
	return true;
}

bool sheaf_batch_builder_is_at_hand(const sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                                    sheaf_piece_cache *cache)
{
	int64_t last = -1;
	if (sheaf_piece_cache_is_complete(cache)) return true;
	for (walk w = {0}; walk_on(&w, m, settings->source); last = w.piece)
		if (w.piece != last && !sheaf_piece_cache_has(cache, w.piece)) return false;
	return true;
}

/* Gets the pieces of all rows from the cache, and notes for each row where it is: in m->rows if pieces are
 * located, else in m->picks. END: a piece could not be located, so that all have to be decoded from now on,
 * and what was found so far is gone. */
static sheaf_status find_all(sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                             sheaf_piece_cache *cache, sheaf_error *err)
{
	const sheaf_loaded_piece *loaded = NULL;
	int64_t last = -1;
	size_t i = 0;
	/* Missing pieces are all requested before the first one is waited for, so that they are read in parallel.
	 */
	if (sheaf_piece_cache_reads_ahead(cache) && !sheaf_piece_cache_is_complete(cache))
		for (walk w = {0}; walk_on(&w, m, settings->source); last = w.piece)
			if (w.piece != last) sheaf_piece_cache_want(cache, w.piece);
	last = -1;
	for (walk w = {0}; walk_on(&w, m, settings->source); last = w.piece, i++) {
		if (w.piece != last) SHEAF_TRY(sheaf_piece_cache_get(cache, w.piece, &loaded, err));
		m->is_located = loaded->is_located;
		if (loaded->is_located)
			m->rows[i] = (sheaf_row_at){&loaded->located, w.at};
		else
			m->picks[i] = (sheaf_pick){&loaded->frame, w.at};
	}
	return SHEAF_OK;
}

/* The arrays get their room here, on the thread of the caller. */
sheaf_status sheaf_batch_builder_find(sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                                      sheaf_piece_cache *cache, sheaf_error *err)
{
	sheaf_context *cx = settings->cx;
	size_t n = m->planned.count, lanes = (size_t)settings->source->lanes;
	m->is_located = false;
	SHEAF_TRY(sheaf_reserve(cx, &m->picks, &m->picks_room, n * lanes, sizeof *m->picks, err));
	SHEAF_TRY(sheaf_reserve(cx, &m->rows, &m->rows_room, n, sizeof *m->rows, err));
	SHEAF_TRY(sheaf_reserve(cx, &m->scratch, &m->scratch_room, 2 * n, sizeof *m->scratch, err));
	SHEAF_TRY(sheaf_reserve(cx, &m->keys, &m->keys_room, n, sizeof *m->keys, err));
	SHEAF_TRY(sheaf_reserve(cx, &m->lengths, &m->lengths_room, n, sizeof *m->lengths, err));
	sheaf_piece_cache_begin_batch(cache);
	sheaf_status status = find_all(m, settings, cache, err);
	return status == SHEAF_END ? find_all(m, settings, cache, err) : status;
}

/* ---- making ---- */

/* Whether the picks are consecutive rows of one piece, so that the batch can be a view of that piece. */
static bool is_run(const sheaf_batch_builder *m, const sheaf_batch_settings *settings)
{
	if (settings->source->lanes > 1) return false;
	for (size_t i = 1; i < m->planned.count; i++)
		if (m->picks[i].frame != m->picks->frame || m->picks[i].row != m->picks[i - 1].row + 1) return false;
	return m->planned.count > 0;
}

/* Makes the contents of a batch from what was found, in the cheapest way: grids if it is packed, a view of
 * one piece if its rows are consecutive there, else a frame into which the rows are decoded or copied.
 * m->frame points to the result, and is NULL for grids. */
static sheaf_status assemble(sheaf_batch_builder *m, const sheaf_batch_settings *settings, sheaf_error *err)
{
	const sheaf_row_source *source = settings->source;
	size_t n = m->planned.count;
	m->frame = NULL;
	if (m->is_located) {
		/* Rows of located pieces are decoded straight into one frame; the picks then refer to that frame. */
		SHEAF_TRY(sheaf_row_source_pick(source, m->rows, n, &m->gathered, settings->cx, err));
		for (size_t i = 0; i < n; i++) m->picks[i] = (sheaf_pick){&m->gathered, (int64_t)i};
	}
	if (settings->packing) return sheaf_packings_fill(&m->packings, settings, m->picks, n, err);
	if (!m->is_located && is_run(m, settings)) {
		m->frame = &m->view;
		return sheaf_frame_slice(m->picks->frame, m->picks->row, m->picks->row + (int64_t)n, &m->view, err);
	}
	m->frame = &m->gathered;
	if (m->is_located) return SHEAF_OK;
	SHEAF_TRY(sheaf_frame_begin(&m->gathered, &source->schema, settings->cx, err));
	for (int c = 0; c < source->schema.nfields; c++) {
		sheaf_origin origin = source->origins[c];
		sheaf_picked from = {m->picks + (size_t)origin.lane * n, n, origin.column, &source->schema.fields[c]};
		SHEAF_TRY(sheaf_gather_column(&m->gathered.columns[c], &from, m->scratch, settings->cx, err));
	}
	m->gathered.nrows = (int64_t)n;
	return SHEAF_OK;
}

void sheaf_batch_builder_make(sheaf_batch_builder *m, const sheaf_batch_settings *settings)
{
	int key = settings->source->key;
	m->status = assemble(m, settings, &m->err);
	if (m->status) return;
	m->samples = 0;
	for (size_t i = 0; i < m->planned.count; i++) {
		const sheaf_pick *pick = &m->picks[i]; /* keys come from the first lane */
		m->keys[i] = key < 0
		                 ? (uint64_t)m->planned.items[i].row
		                 : ((const uint64_t *)(const void *)pick->frame->columns[key].values.data)[pick->row];
		m->samples += m->lengths[i] = m->planned.items[i].samples;
	}
}
