/* SPDX-License-Identifier: MIT */
#include "batch/making.h"
#include "batch/array.h"
#include "data/frame.h"

void sheaf_making_forget(sheaf_making *m)
{
	sheaf_frame_free(&m->gathered);
	sheaf_frame_free(&m->view);
	m->frame = NULL;
}

void sheaf_making_free(sheaf_making *m, const sheaf_manner *manner)
{
	sheaf_context *cx = manner->cx;
	sheaf_making_forget(m);
	sheaf_packings_close(&m->packings);
	sheaf_planned_free(&m->planned, cx);
	sheaf_array_release(cx, m->picks, m->picks_room, sizeof *m->picks);
	sheaf_array_release(cx, m->rows, m->rows_room, sizeof *m->rows);
	sheaf_array_release(cx, m->scratch, m->scratch_room, sizeof *m->scratch);
	sheaf_array_release(cx, m->keys, m->keys_room, sizeof *m->keys);
	sheaf_array_release(cx, m->lengths, m->lengths_room, sizeof *m->lengths);
	*m = (sheaf_making){0};
}

/* ---- finding ---- */

static sheaf_status grow(sheaf_making *m, const sheaf_manner *manner, sheaf_error *err)
{
	void *picks = m->picks, *rows = m->rows, *scratch = m->scratch, *keys = m->keys, *lengths = m->lengths;
	size_t n = m->planned.count;
	SHEAF_TRY(sheaf_array_room(manner->cx, &picks, &m->picks_room, n * (size_t)manner->supply->lanes,
	                           sizeof *m->picks, err));
	m->picks = (sheaf_pick *)picks;
	SHEAF_TRY(sheaf_array_room(manner->cx, &rows, &m->rows_room, n, sizeof *m->rows, err));
	m->rows = (sheaf_row_at *)rows;
	SHEAF_TRY(sheaf_array_room(manner->cx, &scratch, &m->scratch_room, 2 * n, sizeof *m->scratch, err));
	m->scratch = (int64_t *)scratch;
	SHEAF_TRY(sheaf_array_room(manner->cx, &keys, &m->keys_room, n, sizeof *m->keys, err));
	m->keys = (uint64_t *)keys;
	SHEAF_TRY(sheaf_array_room(manner->cx, &lengths, &m->lengths_room, n, sizeof *m->lengths, err));
	m->lengths = (uint32_t *)lengths;
	return SHEAF_OK;
}

/* A walk over the pieces of a batch, lane by lane. */
typedef struct walk {
	int lane;
	size_t i;
	int64_t chunk, piece, at;
} walk;

static inline bool walk_on(walk *w, const sheaf_making *m, const sheaf_supply *supply)
{
	if (w->i == m->planned.count) *w = (walk){.lane = w->lane + 1};
	if (w->lane == supply->lanes || m->planned.count == 0) return false;
	sheaf_supply_locate(supply, w->lane, m->planned.items[w->i++].row, &w->chunk, &w->piece, &w->at);
	return true;
}

bool sheaf_making_is_at_hand(const sheaf_making *m, const sheaf_manner *manner, sheaf_shelf *shelf)
{
	int64_t last = -1;
	if (sheaf_shelf_is_complete(shelf)) return true;
	for (walk w = {0}; walk_on(&w, m, manner->supply); last = w.piece)
		if (w.piece != last && !sheaf_shelf_has(shelf, w.piece)) return false;
	return true;
}

/* What is missing is asked for at once, so that it is read side by side. */
static void ask_for_pieces(const sheaf_making *m, const sheaf_manner *manner, sheaf_shelf *shelf)
{
	int64_t last = -1;
	if (!sheaf_shelf_reads_ahead(shelf) || sheaf_shelf_is_complete(shelf)) return;
	for (walk w = {0}; walk_on(&w, m, manner->supply); last = w.piece)
		if (w.piece != last) sheaf_shelf_want(shelf, w.piece);
}

static sheaf_status find_all(sheaf_making *m, const sheaf_manner *manner, sheaf_shelf *shelf,
                             sheaf_error *err)
{
	const sheaf_held *held = NULL;
	int64_t last = -1;
	size_t i = 0;
	ask_for_pieces(m, manner, shelf);
	for (walk w = {0}; walk_on(&w, m, manner->supply); last = w.piece, i++) {
		if (w.piece != last) SHEAF_TRY(sheaf_shelf_get(shelf, w.piece, &held, err));
		m->is_located = held->is_located;
		if (held->is_located)
			m->rows[i] = (sheaf_row_at){&held->located, w.at};
		else
			m->picks[i] = (sheaf_pick){&held->frame, w.at};
	}
	return SHEAF_OK;
}

sheaf_status sheaf_making_find(sheaf_making *m, const sheaf_manner *manner, sheaf_shelf *shelf,
                               sheaf_error *err)
{
	m->is_located = false;
	SHEAF_TRY(grow(m, manner, err));
	sheaf_shelf_begin_batch(shelf);
	sheaf_status status = find_all(m, manner, shelf, err);
	return status == SHEAF_END ? find_all(m, manner, shelf, err) : status;
}

/* ---- making ---- */

/* Whether the sequences stand one behind the other in one piece. */
static bool is_run(const sheaf_making *m, const sheaf_manner *manner)
{
	if (manner->supply->lanes > 1) return false;
	for (size_t i = 1; i < m->planned.count; i++)
		if (m->picks[i].frame != m->picks->frame || m->picks[i].row != m->picks[i - 1].row + 1) return false;
	return m->planned.count > 0;
}

static sheaf_status gather(sheaf_making *m, const sheaf_manner *manner, sheaf_error *err)
{
	const sheaf_supply *supply = manner->supply;
	size_t n = m->planned.count;
	SHEAF_TRY(sheaf_frame_begin(&m->gathered, &supply->schema, manner->cx, err));
	for (int c = 0; c < supply->schema.nfields; c++) {
		sheaf_origin origin = supply->origins[c];
		SHEAF_TRY(sheaf_gather_column(&m->gathered.columns[c], m->picks + (size_t)origin.lane * n, n,
		                              origin.column, m->scratch, manner->cx, err));
	}
	m->gathered.nrows = (int64_t)n;
	m->frame = &m->gathered;
	return SHEAF_OK;
}

/* Rows of located pieces go straight into one frame, of which they are then the picks. */
static sheaf_status take_located(sheaf_making *m, const sheaf_manner *manner, sheaf_error *err)
{
	SHEAF_TRY(sheaf_supply_pick(manner->supply, m->rows, m->planned.count, &m->gathered, manner->cx, err));
	for (size_t i = 0; i < m->planned.count; i++) m->picks[i] = (sheaf_pick){&m->gathered, (int64_t)i};
	m->frame = &m->gathered;
	return SHEAF_OK;
}

static sheaf_status assemble(sheaf_making *m, const sheaf_manner *manner, sheaf_error *err)
{
	if (m->is_located) SHEAF_TRY(take_located(m, manner, err));
	if (m->is_located && !manner->packing) return SHEAF_OK;
	m->frame = NULL;
	if (manner->packing)
		return sheaf_packings_fill(&m->packings, manner->supply, manner->packing, manner->pad_multiple,
		                           m->picks, m->planned.count, err);
	if (!is_run(m, manner)) return gather(m, manner, err);
	m->frame = &m->view;
	return sheaf_frame_slice(m->picks->frame, m->picks->row, m->picks->row + (int64_t)m->planned.count, NULL,
	                         0, &m->view, err);
}

static void tell_keys(sheaf_making *m, const sheaf_manner *manner)
{
	int key = manner->supply->key;
	for (size_t i = 0; i < m->planned.count; i++) {
		const sheaf_pick *pick = &m->picks[i]; /* keys are the first lane's */
		m->keys[i] = key < 0
		                 ? (uint64_t)m->planned.items[i].row
		                 : ((const uint64_t *)(const void *)pick->frame->columns[key].values.data)[pick->row];
	}
}

static void tell_lengths(sheaf_making *m)
{
	m->samples = 0;
	for (size_t i = 0; i < m->planned.count; i++) m->samples += m->lengths[i] = m->planned.items[i].samples;
}

void sheaf_making_make(sheaf_making *m, const sheaf_manner *manner)
{
	m->status = assemble(m, manner, &m->err);
	if (m->status) return;
	tell_keys(m, manner);
	tell_lengths(m);
}
