/* SPDX-License-Identifier: MIT */
/* Entries out of order, or repeated, as some programs write them: on request the arrays of all levels are
 * made again in memory, from the stored entries, sorted, with values of one position added. Other errors in
 * the arrays are left for reading to report. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "data/element.h"
#include "format/binsparse/reader.h"
#include "sort/entry_sorter.h"
#include "sparse/key_layout.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct mending {
	sheaf_bsp_tensor *t;
	sheaf_error *err;
	int64_t n; /* elements */
	sheaf_element element;
	sheaf_key_layout layout;
	uint64_t *keys; /* of each element as it is stored */
	size_t keys_size;
	int64_t *positions; /* of each, above the current level */
	bool is_sound;      /* pointers and indices can be followed */
	int64_t unordered;  /* elements that do not come after the one before */
	sheaf_entry_sorter sorter;
	/* results: */
	sheaf_builder pointers[BSP_MAX_RANK], indices[BSP_MAX_RANK], values;
	int64_t children[BSP_MAX_RANK]; /* positions below each level so far */
	int64_t unique;
} mending;

/* ---- keys of the elements as they are stored ---- */

static void put_coordinate(mending *m, int64_t i, int dimension, int64_t value)
{
	const sheaf_key_place *place = &m->layout.places[m->t->d.layout.order[dimension]];
	m->keys[i * m->layout.words + place->word] |= (uint64_t)value << place->shift;
}

static void climb_dense(mending *m, int depth)
{
	int64_t extent = sheaf_bsp_extent(&m->t->d, depth);
	for (int64_t i = 0; i < m->n; i++) {
		put_coordinate(m, i, depth, m->positions[i] % extent);
		m->positions[i] /= extent;
	}
}

static sheaf_status put_indices(mending *m, int dimension)
{
	const sheaf_stored_array *a = &m->t->indices[dimension];
	sheaf_buffer read = {0};
	SHEAF_TRY(sheaf_stored_i64(&m->t->sparse, a, (sheaf_run){0, a->count}, m->t->cx, &read, m->err));
	int64_t extent = sheaf_bsp_extent(&m->t->d, dimension);
	for (int64_t p = 0; p < a->count; p++)
		m->is_sound &= sheaf_numbers(&read)[p] >= 0 && sheaf_numbers(&read)[p] < extent;
	for (int64_t i = 0; i < m->n && m->is_sound; i++)
		put_coordinate(m, i, dimension, sheaf_numbers(&read)[m->positions[i]]);
	sheaf_buffer_reset(&read);
	return SHEAF_OK;
}

/* Positions belong to elements that ascend: so the positions above them ascend, too. */
static sheaf_status climb_sparse(mending *m, int l)
{
	int64_t above = 0, count = m->t->counts[l];
	sheaf_buffer read = {0};
	if (l == 0) {
		memset(m->positions, 0, (size_t)m->n * sizeof *m->positions);
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_stored_i64(&m->t->sparse, &m->t->pointers[l], (sheaf_run){0, count + 1}, m->t->cx, &read,
	                             m->err));
	const int64_t *p = sheaf_numbers(&read);
	m->is_sound &= p[0] == 0 && p[count] == m->t->counts[l + 1];
	for (int64_t i = 0; i < count; i++) m->is_sound &= p[i + 1] >= p[i];
	for (int64_t i = 0; i < m->n && m->is_sound; i++) {
		while (p[above + 1] <= m->positions[i]) above++;
		m->positions[i] = above;
	}
	sheaf_buffer_reset(&read);
	return SHEAF_OK;
}

static sheaf_status find_keys(mending *m)
{
	const sheaf_stored_levels *layout = &m->t->d.layout;
	for (int64_t i = 0; i < m->n; i++) m->positions[i] = i;
	for (int l = layout->nlevels - 1; l >= 0 && m->is_sound; l--) {
		int depth = sheaf_levels_depth(layout, l);
		if (!layout->levels[l].is_sparse) {
			climb_dense(m, depth);
			continue;
		}
		for (int r = 0; r < layout->levels[l].rank && m->is_sound; r++) SHEAF_TRY(put_indices(m, depth + r));
		if (m->is_sound) SHEAF_TRY(climb_sparse(m, l));
	}
	for (int64_t i = 1; i < m->n && m->is_sound; i++)
		m->unordered += sheaf_key_order_compare(&m->layout.by, m->keys + i * m->layout.words,
		                                        m->keys + (i - 1) * m->layout.words) <= 0;
	return SHEAF_OK;
}

/* ---- sorting ---- */

static sheaf_status add_entries(mending *m)
{
	sheaf_builder values = {.cx = m->t->cx};
	sheaf_status status = sheaf_bsp_read_values(m->t, 0, m->n, &values, m->err);
	for (int64_t at = 0, room; at < m->n && status == SHEAF_OK; at += room) {
		uint64_t *keys;
		uint8_t *to;
		status = sheaf_entry_sorter_room(&m->sorter, &keys, &to, &room, m->err);
		if (status) break;
		if (room > m->n - at) room = m->n - at;
		memcpy(keys, m->keys + at * m->layout.words, (size_t)(room * m->layout.words) * sizeof *keys);
		memcpy(to, values.data + (size_t)at * m->element.size, (size_t)room * m->element.size);
		sheaf_entry_sorter_added(&m->sorter, room);
	}
	sheaf_builder_drop(&values);
	return status;
}

/* ---- making levels again ---- */

/* Pointers up to that of position p of level l: what is below begins at the current end. */
static void reach(mending *m, int l, int64_t p)
{
	sheaf_builder *b = &m->pointers[l];
	while (!b->failed && (int64_t)(b->size / sizeof(int64_t)) <= p) sheaf_builder_i64(b, m->children[l]);
}

static bool differs(const mending *m, const uint64_t *key, const uint64_t *last, int from, int to)
{
	for (int k = from; k < to; k++) {
		int d = m->t->d.layout.order[k];
		if (sheaf_key_layout_coordinate(&m->layout, key, d) !=
		    sheaf_key_layout_coordinate(&m->layout, last, d))
			return true;
	}
	return false;
}

/* The entry after `last`, which is NULL for the first one. */
static void put_place(mending *m, const uint64_t *key, const uint64_t *last)
{
	const sheaf_stored_levels *layout = &m->t->d.layout;
	bool is_new = !last;
	int64_t p = 0;
	for (int l = 0, depth = 0; l < layout->nlevels; depth += layout->levels[l++].rank) {
		int below = depth + layout->levels[l].rank;
		is_new = is_new || differs(m, key, last, depth, below);
		if (!layout->levels[l].is_sparse) {
			p = p * sheaf_bsp_extent(&m->t->d, depth) +
			    sheaf_key_layout_coordinate(&m->layout, key, layout->order[depth]);
			continue;
		}
		if (is_new) {
			if (l > 0) reach(m, l, p);
			for (int k = depth; k < below; k++)
				sheaf_builder_i64(&m->indices[k],
				                  sheaf_key_layout_coordinate(&m->layout, key, layout->order[k]));
			m->children[l]++;
		}
		p = m->children[l] - 1;
	}
}

static sheaf_status add_value(mending *m, const uint8_t *value)
{
	size_t size = m->element.size;
	if (sheaf_element_add(&m->element, m->values.data + m->values.size - size, value)) return SHEAF_OK;
	return sheaf_fail(
		m->err, SHEAF_DATA,
		"%s: " SHEAF_OPTION("repair") ": expected values of one place whose sum %s holds, found a larger one",
		m->t->where, sheaf_type_name(m->element.type));
}

static sheaf_status put_entries(mending *m)
{
	uint64_t last[SHEAF_MAX_RANK];
	sheaf_keyed some;
	sheaf_status status;
	while ((status = sheaf_entry_sorter_next(&m->sorter, &some, m->err)) == SHEAF_OK) {
		for (int64_t i = 0; i < some.n; i++) {
			const uint64_t *key = some.keys + i * m->layout.words;
			const uint8_t *value = some.values + (size_t)i * m->element.size;
			if (m->unique && sheaf_key_order_compare(&m->layout.by, key, last) == 0) {
				SHEAF_TRY(sheaf_builder_status(&m->values, m->err));
				SHEAF_TRY(add_value(m, value));
				continue;
			}
			put_place(m, key, m->unique ? last : NULL);
			sheaf_builder_append(&m->values, value, m->element.size);
			memcpy(last, key, (size_t)m->layout.words * sizeof *last);
			m->unique++;
		}
		SHEAF_TRY(sheaf_check_stop(m->t->cx, m->err));
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* ---- the arrays ---- */

static sheaf_status replace(sheaf_stored_array *a, sheaf_builder *b, sheaf_error *err)
{
	sheaf_buffer_reset(&a->held);
	a->count = (int64_t)(b->size / sizeof(int64_t));
	a->held_as = SHEAF_I64;
	return sheaf_builder_finish(b, &a->held, err);
}

static sheaf_status replace_levels(mending *m)
{
	sheaf_bsp_tensor *t = m->t;
	const sheaf_stored_levels *layout = &t->d.layout;
	for (int l = 0, depth = 0; l < layout->nlevels; depth += layout->levels[l++].rank) {
		if (!layout->levels[l].is_sparse) {
			t->counts[l + 1] = t->counts[l] * sheaf_bsp_extent(&t->d, depth);
			continue;
		}
		if (l > 0) {
			reach(m, l, t->counts[l]);
			SHEAF_TRY(replace(&t->pointers[l], &m->pointers[l], m->err));
		}
		for (int r = 0; r < layout->levels[l].rank; r++)
			SHEAF_TRY(replace(&t->indices[depth + r], &m->indices[depth + r], m->err));
		t->counts[l + 1] = m->children[l];
	}
	t->d.stored = sheaf_sparse_entries(&t->sparse);
	return SHEAF_OK;
}

/* A single value for all stays one, unless some were added. */
static sheaf_status replace_values(mending *m)
{
	sheaf_bsp_tensor *t = m->t;
	if (t->d.values.is_iso && (m->unique == m->n || t->d.values.is_bool)) return SHEAF_OK;
	t->d.values.is_iso = false;
	t->values.count = sheaf_sparse_entries(&t->sparse) * sheaf_bsp_parts(t->d.values);
	return sheaf_builder_finish(&m->values, &t->values.held, m->err);
}

static sheaf_status report(const mending *m)
{
	char found[64];
	int64_t twice = m->n - m->unique;
	snprintf(found, sizeof found, "%" PRId64 " that %s not", m->unordered, m->unordered == 1 ? "does" : "do");
	SHEAF_TRY(sheaf_bsp_report(m->t,
	                           SHEAF_FINDING(SHEAF_WARNING, "order of indices", .found = found,
	                                         .consequence = "repaired: they are sorted"),
	                           m->t->cx, m->err, "entries that ascend"));
	if (twice == 0) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64 " more in places of others", twice);
	return sheaf_bsp_report(m->t,
	                        SHEAF_FINDING(SHEAF_WARNING, "entry twice", .found = found,
	                                      .consequence = "repaired: their values are added"),
	                        m->t->cx, m->err, "one entry in each place");
}

static sheaf_status make_anew(mending *m)
{
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		sheaf_builder_begin(&m->pointers[k], m->t->cx, NULL);
		sheaf_builder_begin(&m->indices[k], m->t->cx, NULL);
	}
	sheaf_builder_begin(&m->values, m->t->cx, NULL);
	sheaf_status status = put_entries(m);
	if (status == SHEAF_OK) status = replace_levels(m);
	if (status == SHEAF_OK) status = replace_values(m);
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		sheaf_builder_drop(&m->pointers[k]);
		sheaf_builder_drop(&m->indices[k]);
	}
	sheaf_builder_drop(&m->values);
	return status ? status : report(m);
}

static sheaf_status sort_and_make(mending *m)
{
	enum { ROOM = 1 << 16 };
	SHEAF_TRY(sheaf_entry_sorter_begin(&m->sorter, &m->layout.by, m->element.size, m->n < ROOM ? m->n : ROOM,
	                                   m->t->cx, m->err));
	sheaf_status status = add_entries(m);
	sheaf_release(m->t->cx, m->keys, m->keys_size);
	m->keys = NULL;
	if (status == SHEAF_OK) status = sheaf_entry_sorter_sort(&m->sorter, m->err);
	if (status == SHEAF_OK) status = make_anew(m);
	sheaf_entry_sorter_clear(&m->sorter);
	return status;
}

/* ---- all of it ---- */

static void lay_out(mending *m)
{
	const sheaf_bsp_descriptor *d = &m->t->d;
	sheaf_tensor to = {.rank = d->layout.rank, .sorted = true, .unique = true}, from;
	for (int k = 0; k < to.rank; k++) {
		to.shape[k] = d->shape[k];
		to.order[k] = d->layout.order[k];
	}
	from = to;
	from.sorted = from.unique = false;
	sheaf_key_layout_make(&m->layout, &from, &to);
}

static sheaf_status read_keys(mending *m)
{
	void *memory;
	size_t size = (size_t)m->n * sizeof *m->positions;
	SHEAF_TRY(sheaf_allocate_array(m->t->cx, (size_t)m->n, (size_t)m->layout.words * sizeof *m->keys, &memory,
	                               m->err));
	m->keys = (uint64_t *)memory;
	m->keys_size = size * (size_t)m->layout.words;
	SHEAF_TRY(sheaf_allocate(m->t->cx, size, &memory, m->err));
	m->positions = (int64_t *)memory;
	sheaf_status status = find_keys(m);
	sheaf_release(m->t->cx, m->positions, size);
	return status;
}

sheaf_status sheaf_bsp_mend(sheaf_bsp_tensor *t, sheaf_error *err)
{
	mending m = {.t = t, .err = err, .n = sheaf_sparse_entries(&t->sparse), .is_sound = true};
	bool any = false;
	for (int l = 0; l < t->d.layout.nlevels; l++) any |= t->d.layout.levels[l].is_sparse;
	if (!any || m.n == 0 || t->is_broken) return SHEAF_OK;
	m.element = (sheaf_element){.type = t->d.values.type,
	                            .complex = t->d.values.is_complex,
	                            .boolean = t->d.values.is_bool,
	                            .size = sheaf_bsp_size(t->d.values)};
	lay_out(&m);
	sheaf_status status = read_keys(&m);
	if (status == SHEAF_OK && m.is_sound && m.unordered) status = sort_and_make(&m);
	sheaf_release(t->cx, m.keys, m.keys_size);
	return status;
}
