/* SPDX-License-Identifier: MIT */
/* Entries out of order, or repeated, as some programs write them: on request the arrays of all levels are
 * made again in memory, from the stored entries, sorted, with values of one position added. Other errors in
 * the arrays are left for reading to report. The new arrays take the place
 * of the stored ones in the tensor, so that cutting and reading go on as if the file had them. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/spell.h"
#include "base/status.h"
#include "format/binsparse/reader.h"
#include "sparse/arrange.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct mending {
	sheaf_bsp_tensor *t;
	sheaf_error *err;
	sheaf_schema schema; /* of entries */
	sheaf_frame entries;
	int64_t unordered; /* those that do not come after the one before */
	sheaf_builder pointers[BSP_MAX_RANK], indices[BSP_MAX_RANK]; /* the new ones, int64 */
} mending;

/* ---- the entries as they are stored ---- */

/* All of them, in any order: the first flaw ends it. */
static sheaf_status follow_arrays(const sheaf_sparse *s, sheaf_frame_builder *to, sheaf_error *err)
{
	bool broken;
	sheaf_run ranges[SHEAF_MAX_RANK + 1];
	for (int l = 0; l <= s->levels.nlevels; l++) ranges[l] = (sheaf_run){0, s->counts[l]};
	for (int l = 1; l < s->levels.nlevels; l++) {
		sheaf_level_run run = {.s = s, .l = l, .above = ranges[l], .cx = s->cx, .err = err};
		sheaf_buffer pointers = {0};
		if (!s->levels.levels[l].is_sparse) continue;
		sheaf_status status =
			sheaf_stored_i64(s, &s->pointers[l], (sheaf_run){0, s->counts[l] + 1}, s->cx, &pointers, err);
		run.pointers = sheaf_numbers(&pointers);
		if (!status) status = sheaf_level_check_pointers(&run);
		sheaf_buffer_reset(&pointers);
		SHEAF_TRY(status);
	}
	return sheaf_sparse_put_entries(s, ranges, to, &broken, err);
}

/* Counts entries that do not come after the one before, in the order of the levels. */
static void count_unordered(mending *m, const sheaf_frame_builder *read, int64_t n)
{
	const sheaf_tensor *t = &m->schema.tensor;
	for (int64_t i = 1; i < n; i++) {
		int64_t here = 0, before = 0;
		for (int k = 0; k < t->rank && here == before; k++) {
			const sheaf_column_builder *column = &read->columns[t->order[k]];
			here = sheaf_index_at(column->values.data, column->field->type, i);
			before = sheaf_index_at(column->values.data, column->field->type, i - 1);
		}
		m->unordered += here <= before;
	}
}

/* Values, too, if any entry is out of order: else there is nothing to mend. */
static sheaf_status read_entries(mending *m)
{
	sheaf_frame_builder to;
	sheaf_error flaw = {0};
	sheaf_sparse any_order = m->t->sparse;
	int64_t n = sheaf_sparse_entries(&any_order);
	any_order.is_strict = any_order.no_empty = false;
	sheaf_status status = sheaf_frame_builder_begin(&to, &m->schema, &m->entries, m->t->cx, m->err);
	if (!status) {
		status = follow_arrays(&any_order, &to, &flaw);
		if (!status) count_unordered(m, &to, n);
		if (status == SHEAF_DATA)
			status = sheaf_forgive(status, "reading reports such arrays");
		else if (status)
			status = sheaf_fail_again(m->err, &flaw);
	}
	if (!status && m->unordered)
		status = sheaf_bsp_read_values(m->t, 0, n, &to.columns[m->schema.tensor.rank].values, m->err);
	if (m->unordered)
		to.nrows = n;
	else
		sheaf_frame_builder_clear(&to);
	return sheaf_frame_builder_end(&to, status, &m->entries, m->err);
}

/* ---- making levels again ---- */

/* Collects the new arrays. */
static sheaf_status take(void *user, sheaf_level_part part, int k, const void *numbers, int64_t n,
                         sheaf_error *err)
{
	mending *m = (mending *)user;
	sheaf_builder *to = part == SHEAF_POINTERS ? &m->pointers[k] : &m->indices[k];
	sheaf_builder_append(to, numbers, (size_t)n * sizeof(int64_t));
	return sheaf_builder_status(to, err);
}

/* A part of the entries at a time, since their places are copied. */
static sheaf_status put_places(mending *m, sheaf_sparse_writer *w, const sheaf_frame *sorted)
{
	enum { PART = 1 << 16 };
	sheaf_builder b;
	sheaf_frame part = {0};
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&b, m->t->cx, NULL);
	for (int64_t from = 0; from < sorted->nrows && !status; from += PART) {
		int64_t to = sorted->nrows - from < PART ? sorted->nrows : from + PART;
		status = sheaf_frame_slice(sorted, from, to, &part, m->err);
		if (status) break;
		b.size = 0;
		sheaf_sparse_encode(w, &part, &b);
		const uint8_t *at = b.data;
		status = sheaf_builder_status(&b, m->err);
		if (!status) status = sheaf_sparse_append(w, &at, m->err);
	}
	sheaf_frame_free(&part);
	sheaf_builder_drop(&b);
	return status ? status : sheaf_sparse_finish(w, m->err);
}

static sheaf_status replace(sheaf_stored_array *a, sheaf_builder *b, sheaf_error *err)
{
	sheaf_buffer_reset(&a->held);
	a->held_as = SHEAF_I64;
	a->count = (int64_t)(b->size / sizeof(int64_t));
	return sheaf_builder_finish(b, &a->held, err);
}

/* Puts the new arrays into the tensor, and counts its positions again. */
static sheaf_status replace_levels(mending *m, const sheaf_sparse_writer *w)
{
	sheaf_bsp_tensor *t = m->t;
	const sheaf_stored_levels *layout = &t->levels;
	for (int l = 0, depth = 0; l < layout->nlevels; depth += layout->levels[l++].rank) {
		if (!layout->levels[l].is_sparse) {
			t->counts[l + 1] = t->counts[l] * sheaf_sparse_extent(&t->sparse, depth);
			continue;
		}
		if (l > 0) SHEAF_TRY(replace(&t->pointers[l], &m->pointers[l], m->err));
		for (int r = 0; r < layout->levels[l].rank; r++)
			SHEAF_TRY(replace(&t->indices[depth + r], &m->indices[depth + r], m->err));
		t->counts[l + 1] = w->counts[l + 1];
	}
	t->d.stored = sheaf_sparse_entries(&t->sparse);
	return SHEAF_OK;
}

static sheaf_status make_anew(mending *m, const sheaf_frame *sorted)
{
	sheaf_sparse_writer w = {
		.cx = m->t->cx, .levels = &m->t->levels, .shape = m->t->shape, .take = take, .to = m};
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		w.types[k] = SHEAF_I64;
		sheaf_builder_begin(&m->pointers[k], m->t->cx, NULL);
		sheaf_builder_begin(&m->indices[k], m->t->cx, NULL);
	}
	(void)sheaf_sparse_plan(&w); /* opening has counted the positions */
	sheaf_status status = put_places(m, &w, sorted);
	if (!status) status = replace_levels(m, &w);
	/* A single value for all stays one, unless some were added. */
	sheaf_bsp_type *type = &m->t->d.values;
	bool same = type->is_iso && (sorted->nrows == m->entries.nrows || type->is_bool);
	if (!status && !same) {
		type->is_iso = false;
		m->t->values.count = sorted->nrows * sheaf_bsp_parts(*type);
		m->t->values.held = sheaf_buffer_ref(&sorted->columns[m->schema.tensor.rank].values);
	}
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		sheaf_builder_drop(&m->pointers[k]);
		sheaf_builder_drop(&m->indices[k]);
	}
	SHEAF_TRY(status);
	/* What was mended is reported, as the file still has it. */
	char found[64];
	int64_t twice = m->entries.nrows - sorted->nrows;
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

/* Sorts the entries, adds up values of one place, and makes the levels from what is left. */
static sheaf_status sort_and_make(mending *m)
{
	sheaf_frame sorted = {0};
	sheaf_error failure = {0};
	sheaf_arrange_options options = {.duplicates = SHEAF_DUPLICATES_SUM};
	sheaf_tensor to = m->schema.tensor;
	to.sorted = to.unique = true;
	sheaf_status status =
		sheaf_frame_arrange(&m->entries, &m->schema, &to, &options, m->t->cx, &sorted, &failure);
	if (status == SHEAF_DATA) /* all places are inside */
		return sheaf_fail(m->err, SHEAF_DATA,
		                  "%s: " SHEAF_OPTION("repair") ": expected values of one place whose sum %s holds, "
		                                                "found a larger one",
		                  m->t->where, sheaf_type_name(m->t->d.values.type));
	if (status) return sheaf_fail_again(m->err, &failure);
	status = make_anew(m, &sorted);
	sheaf_frame_free(&sorted);
	return status;
}

/* ---- all of it ---- */

/* Dense levels have no order that could be wrong. */
sheaf_status sheaf_bsp_mend(sheaf_bsp_tensor *t, sheaf_error *err)
{
	mending m = {.t = t, .err = err, .schema = {.cx = t->cx}};
	bool any = false;
	for (int l = 0; l < t->levels.nlevels; l++) any |= t->levels.levels[l].is_sparse;
	if (!any || sheaf_sparse_entries(&t->sparse) == 0 || t->is_broken) return SHEAF_OK;
	sheaf_status status = sheaf_bsp_entries_schema(t, &m.schema, err);
	if (!status) {
		memcpy(m.schema.tensor.order, t->levels.order, sizeof t->levels.order);
		m.schema.tensor.sorted = m.schema.tensor.unique = false;
		status = read_entries(&m);
	}
	if (!status && m.unordered) status = sort_and_make(&m);
	sheaf_frame_free(&m.entries);
	sheaf_schema_free(&m.schema);
	return status;
}
