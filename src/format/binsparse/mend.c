/* SPDX-License-Identifier: MIT */
/* Entries out of order, or repeated, as some programs write them: on request the arrays of all levels are
 * made again in memory, from the stored entries, sorted, with values of one position added. Other errors in
 * the arrays are left for reading to report. */
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
	/* results: */
	sheaf_pointers pointers[BSP_MAX_RANK]; /* of each level; their entries are the positions below it */
	sheaf_builder indices[BSP_MAX_RANK];
} mending;

static int64_t coordinate(const sheaf_frame *frame, int d, int64_t i)
{
	return sheaf_coordinate_at(&frame->columns[d], i);
}

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
		sheaf_status status = sheaf_stored_i64(s, &s->pointers[l], (sheaf_run){0, s->counts[l] + 1}, s->cx,
		                                       &pointers, err);
		run.pointers = sheaf_numbers(&pointers);
		if (!status) status = sheaf_level_check_pointers(&run);
		sheaf_buffer_reset(&pointers);
		SHEAF_TRY(status);
	}
	return sheaf_sparse_put_entries(s, ranges, to, &broken, err);
}

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

/* Entry i, whose outer coordinates may be those of the one before. */
static void put_place(mending *m, const sheaf_frame *sorted, int64_t i)
{
	const sheaf_stored_levels *layout = &m->t->levels;
	bool is_new = i == 0;
	int64_t p = 0;
	for (int l = 0, k = 0; l < layout->nlevels; l++) {
		int end = k + layout->levels[l].rank;
		for (int c = k; c < end && !is_new; c++)
			is_new = coordinate(sorted, layout->order[c], i) != coordinate(sorted, layout->order[c], i - 1);
		if (!layout->levels[l].is_sparse) {
			p = p * sheaf_sparse_extent(&m->t->sparse, k) + coordinate(sorted, layout->order[k], i);
			k = end;
			continue;
		}
		sheaf_pointers *pointers = &m->pointers[l];
		if (is_new && l > 0) sheaf_pointers_reach(pointers, p);
		for (; k < end; k++)
			if (is_new) sheaf_builder_i64(&m->indices[k], coordinate(sorted, layout->order[k], i));
		pointers->entries += is_new;
		p = pointers->entries - 1;
	}
}

static sheaf_status replace(sheaf_stored_array *a, sheaf_builder *b, sheaf_error *err)
{
	sheaf_buffer_reset(&a->held);
	a->held_as = SHEAF_I64;
	a->count = (int64_t)(b->size / sizeof(int64_t));
	return sheaf_builder_finish(b, &a->held, err);
}

static sheaf_status replace_levels(mending *m)
{
	sheaf_bsp_tensor *t = m->t;
	const sheaf_stored_levels *layout = &t->levels;
	for (int l = 0, depth = 0; l < layout->nlevels; depth += layout->levels[l++].rank) {
		if (!layout->levels[l].is_sparse) {
			t->counts[l + 1] = t->counts[l] * sheaf_sparse_extent(&t->sparse, depth);
			continue;
		}
		if (l > 0) {
			sheaf_pointers_reach(&m->pointers[l], t->counts[l]);
			SHEAF_TRY(replace(&t->pointers[l], &m->pointers[l].numbers, m->err));
		}
		for (int r = 0; r < layout->levels[l].rank; r++)
			SHEAF_TRY(replace(&t->indices[depth + r], &m->indices[depth + r], m->err));
		t->counts[l + 1] = m->pointers[l].entries;
	}
	t->d.stored = sheaf_sparse_entries(&t->sparse);
	return SHEAF_OK;
}

/* A single value for all stays one, unless some were added. */
static void replace_values(mending *m, const sheaf_frame *sorted)
{
	sheaf_bsp_tensor *t = m->t;
	if (t->d.values.is_iso && (sorted->nrows == m->entries.nrows || t->d.values.is_bool)) return;
	t->d.values.is_iso = false;
	t->values.count = sorted->nrows * sheaf_bsp_parts(t->d.values);
	t->values.held = sheaf_buffer_ref(&sorted->columns[m->schema.tensor.rank].values);
}

static sheaf_status report(const mending *m, int64_t twice)
{
	char found[64];
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

static sheaf_status make_anew(mending *m, const sheaf_frame *sorted)
{
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		sheaf_builder_begin(&m->pointers[k].numbers, m->t->cx, NULL);
		sheaf_builder_begin(&m->indices[k], m->t->cx, NULL);
	}
	for (int64_t i = 0; i < sorted->nrows; i++) put_place(m, sorted, i);
	sheaf_status status = replace_levels(m);
	if (!status) replace_values(m, sorted);
	for (int k = 0; k < BSP_MAX_RANK; k++) {
		sheaf_builder_drop(&m->pointers[k].numbers);
		sheaf_builder_drop(&m->indices[k]);
	}
	return status ? status : report(m, m->entries.nrows - sorted->nrows);
}

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
