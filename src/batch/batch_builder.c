/* SPDX-License-Identifier: MIT */
#include "batch/batch_builder.h"
#include "batch/reserve.h"
#include "data/frame.h"

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
	sheaf_release_reserved(cx, m->picks, m->picks_room, sizeof *m->picks);
	sheaf_release_reserved(cx, m->rows, m->rows_room, sizeof *m->rows);
	sheaf_release_reserved(cx, m->scratch, m->scratch_room, sizeof *m->scratch);
	sheaf_release_reserved(cx, m->keys, m->keys_room, sizeof *m->keys);
	sheaf_release_reserved(cx, m->lengths, m->lengths_room, sizeof *m->lengths);
	*m = (sheaf_batch_builder){0};
}

/* ---- finding ---- */

static sheaf_status grow(sheaf_batch_builder *m, const sheaf_batch_settings *settings, sheaf_error *err)
{
	void *picks = m->picks, *rows = m->rows, *scratch = m->scratch, *keys = m->keys, *lengths = m->lengths;
	size_t n = m->planned.count;
	SHEAF_TRY(sheaf_reserve(settings->cx, &picks, &m->picks_room, n * (size_t)settings->source->lanes,
	                        sizeof *m->picks, err));
	m->picks = (sheaf_pick *)picks;
	SHEAF_TRY(sheaf_reserve(settings->cx, &rows, &m->rows_room, n, sizeof *m->rows, err));
	m->rows = (sheaf_row_at *)rows;
	SHEAF_TRY(sheaf_reserve(settings->cx, &scratch, &m->scratch_room, 2 * n, sizeof *m->scratch, err));
	m->scratch = (int64_t *)scratch;
	SHEAF_TRY(sheaf_reserve(settings->cx, &keys, &m->keys_room, n, sizeof *m->keys, err));
	m->keys = (uint64_t *)keys;
	SHEAF_TRY(sheaf_reserve(settings->cx, &lengths, &m->lengths_room, n, sizeof *m->lengths, err));
	m->lengths = (uint32_t *)lengths;
	return SHEAF_OK;
}

/* A walk over the pieces of a batch, lane by lane. */
typedef struct walk {
	int lane;
	size_t i;
	int64_t chunk, piece, at;
} walk;

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

/* Missing pieces are all requested at once, so that they are read in parallel. */
static void ask_for_pieces(const sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                           sheaf_piece_cache *cache)
{
	int64_t last = -1;
	if (!sheaf_piece_cache_reads_ahead(cache) || sheaf_piece_cache_is_complete(cache)) return;
	for (walk w = {0}; walk_on(&w, m, settings->source); last = w.piece)
		if (w.piece != last) sheaf_piece_cache_want(cache, w.piece);
}

static sheaf_status find_all(sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                             sheaf_piece_cache *cache, sheaf_error *err)
{
	const sheaf_loaded_piece *loaded = NULL;
	int64_t last = -1;
	size_t i = 0;
	ask_for_pieces(m, settings, cache);
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

sheaf_status sheaf_batch_builder_find(sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                                      sheaf_piece_cache *cache, sheaf_error *err)
{
	m->is_located = false;
	SHEAF_TRY(grow(m, settings, err));
	sheaf_piece_cache_begin_batch(cache);
	sheaf_status status = find_all(m, settings, cache, err);
	return status == SHEAF_END ? find_all(m, settings, cache, err) : status;
}

/* ---- making ---- */

/* Whether the sequences are consecutive in one piece. */
static bool is_run(const sheaf_batch_builder *m, const sheaf_batch_settings *settings)
{
	if (settings->source->lanes > 1) return false;
	for (size_t i = 1; i < m->planned.count; i++)
		if (m->picks[i].frame != m->picks->frame || m->picks[i].row != m->picks[i - 1].row + 1) return false;
	return m->planned.count > 0;
}

static sheaf_status gather(sheaf_batch_builder *m, const sheaf_batch_settings *settings, sheaf_error *err)
{
	const sheaf_row_source *source = settings->source;
	size_t n = m->planned.count;
	SHEAF_TRY(sheaf_frame_begin(&m->gathered, &source->schema, settings->cx, err));
	for (int c = 0; c < source->schema.nfields; c++) {
		sheaf_origin origin = source->origins[c];
		sheaf_picked from = {m->picks + (size_t)origin.lane * n, n, origin.column, &source->schema.fields[c]};
		SHEAF_TRY(sheaf_gather_column(&m->gathered.columns[c], &from, m->scratch, settings->cx, err));
	}
	m->gathered.nrows = (int64_t)n;
	m->frame = &m->gathered;
	return SHEAF_OK;
}

/* Rows of located pieces are copied straight into one frame; the picks then refer to that frame. */
static sheaf_status take_located(sheaf_batch_builder *m, const sheaf_batch_settings *settings,
                                 sheaf_error *err)
{
	SHEAF_TRY(
		sheaf_row_source_pick(settings->source, m->rows, m->planned.count, &m->gathered, settings->cx, err));
	for (size_t i = 0; i < m->planned.count; i++) m->picks[i] = (sheaf_pick){&m->gathered, (int64_t)i};
	m->frame = &m->gathered;
	return SHEAF_OK;
}

static sheaf_status assemble(sheaf_batch_builder *m, const sheaf_batch_settings *settings, sheaf_error *err)
{
	if (m->is_located) SHEAF_TRY(take_located(m, settings, err));
	if (m->is_located && !settings->packing) return SHEAF_OK;
	m->frame = NULL;
	if (settings->packing)
		return sheaf_packings_fill(&m->packings, settings->source,
		                           (sheaf_packing_how){settings->packing, settings->pad_multiple}, m->picks,
		                           m->planned.count, err);
	if (!is_run(m, settings)) return gather(m, settings, err);
	m->frame = &m->view;
	return sheaf_frame_slice(m->picks->frame, m->picks->row, m->picks->row + (int64_t)m->planned.count,
	                         &m->view, err);
}

static void report_keys(sheaf_batch_builder *m, const sheaf_batch_settings *settings)
{
	int key = settings->source->key;
	for (size_t i = 0; i < m->planned.count; i++) {
		const sheaf_pick *pick = &m->picks[i]; /* keys come from the first lane */
		m->keys[i] = key < 0
		                 ? (uint64_t)m->planned.items[i].row
		                 : ((const uint64_t *)(const void *)pick->frame->columns[key].values.data)[pick->row];
	}
}

static void report_lengths(sheaf_batch_builder *m)
{
	m->samples = 0;
	for (size_t i = 0; i < m->planned.count; i++) m->samples += m->lengths[i] = m->planned.items[i].samples;
}

void sheaf_batch_builder_make(sheaf_batch_builder *m, const sheaf_batch_settings *settings)
{
	m->status = assemble(m, settings, &m->err);
	if (m->status) return;
	report_keys(m, settings);
	report_lengths(m);
}
