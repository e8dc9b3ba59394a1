/* SPDX-License-Identifier: MIT */
/* One pass finds where each row begins and how long the result becomes; another copies. Rows may be anywhere
 * in memory, so each pass prefetches the rows to come while it processes the current ones. */
#include "batch/gather.h"
#include "base/buffer.h"
#include "data/frame.h"

enum { AHEAD = 8 }; /* rows to prefetch */

/* Where the parts of a row's column are. */
typedef struct span {
	int64_t begin, end;
} span;

/* A column that is being gathered. */
typedef struct gathering {
	const sheaf_picked *from;
	sheaf_column *to;
	span *spans; /* one for each pick */
	sheaf_context *cx;
	sheaf_error *err;
} gathering;

static const sheaf_column *column_of(const gathering *g, size_t i) { return sheaf_picked_column(g->from, i); }

static void ask_for(const void *address) { __builtin_prefetch(address, 0, 1); }

/* Prefetches a run, but only the first line of a long one: the processor then prefetches the rest itself. */
static inline void ask_for_run(const uint8_t *at, size_t bytes)
{
	enum { LINE = 64, LONG = 512 };
	size_t wanted = bytes < LONG ? bytes : LINE;
	for (size_t i = 0; i < wanted; i += LINE) ask_for(at + i);
}

/* ---- offsets ---- */

/* Fills a buffer with n + 1 offsets, from the ends that `spans` have. */
static sheaf_status put_offsets(const gathering *g, sheaf_buffer *to)
{
	sheaf_builder b;
	size_t n = g->from->n;
	sheaf_builder_begin(&b, g->cx, to);
	int64_t *o = (int64_t *)(void *)sheaf_builder_extend(&b, (n + 1) * 8);
	if (o) o[0] = 0;
	for (size_t i = 0; o && i < n; i++) o[i + 1] = o[i] + g->spans[i].end - g->spans[i].begin;
	return sheaf_builder_finish(&b, to, g->err);
}

static const int64_t *offsets_of(const gathering *g, size_t i, int level)
{
	return sheaf_level_offsets(&column_of(g, i)->levels[level]);
}

/* The samples of each row. */
static void find_samples(const gathering *g)
{
	const sheaf_pick *picks = g->from->picks;
	for (size_t i = 0; i < g->from->n; i++) ask_for(offsets_of(g, i, 0) + picks[i].row);
	for (size_t i = 0; i < g->from->n; i++) {
		const int64_t *o = offsets_of(g, i, 0) + picks[i].row;
		g->spans[i] = (span){o[0], o[1]};
	}
}

/* ---- entries of sparse samples ---- */

/* Offsets of all samples, one row's after the other's. */
static sheaf_status put_entry_offsets(const gathering *g, int64_t total, sheaf_buffer *to)
{
	sheaf_builder b;
	const span *samples = g->spans;
	size_t n = g->from->n;
	sheaf_builder_begin(&b, g->cx, to);
	int64_t *o = (int64_t *)(void *)sheaf_builder_extend(&b, ((uint64_t)total + 1) * 8);
	if (o) *o = 0;
	for (size_t i = 0; o && i < n; i++) {
		if (i + AHEAD < n) ask_for(offsets_of(g, i + AHEAD, 1) + samples[i + AHEAD].begin);
		const int64_t *source = offsets_of(g, i, 1);
		int64_t shift = *o - source[samples[i].begin];
		for (int64_t k = samples[i].begin; k < samples[i].end; k++) *++o = source[k + 1] + shift;
	}
	return sheaf_builder_finish(&b, to, g->err);
}

static void find_entries(const gathering *g)
{
	for (size_t i = 0; i < g->from->n; i++) {
		const int64_t *o = offsets_of(g, i, 1);
		g->spans[i] = (span){o[g->spans[i].begin], o[g->spans[i].end]};
	}
}

/* ---- values ---- */

/* The memory in which a column keeps what is copied: its values, or its indices. */
typedef const sheaf_buffer *(*part_of)(const sheaf_column *column);

static const sheaf_buffer *values_of(const sheaf_column *column) { return &column->values; }

static const sheaf_buffer *indices_of(const sheaf_column *column) { return &column->levels[1].indices[0]; }

static inline const uint8_t *run_at(const gathering *g, size_t i, part_of part, size_t size)
{
	return part(column_of(g, i))->data + (size_t)g->spans[i].begin * size;
}

/* How many picks, from i on, are consecutive in one column: these are copied at once. */
static inline size_t run_of(const gathering *g, size_t i)
{
	const sheaf_pick *picks = g->from->picks + i;
	const span *spans = g->spans + i;
	size_t run = 1;
	while (i + run < g->from->n && picks[run].frame == picks->frame && spans[run].begin == spans[run - 1].end)
		run++;
	return run;
}

static inline size_t run_bytes(const span *s, size_t size) { return (size_t)(s->end - s->begin) * size; }

static inline sheaf_status put_runs(const gathering *g, part_of part, size_t size, sheaf_buffer *to)
{
	sheaf_builder b;
	size_t n = g->from->n;
	const span *spans = g->spans;
	uint64_t total = 0; /* rows may be repeated */
	for (size_t i = 0; i < n; i++) total += run_bytes(&spans[i], size);
	sheaf_builder_begin(&b, g->cx, to);
	uint8_t *at = sheaf_builder_extend(&b, total);
	for (size_t i = 0, run; at && i < n; i += run) {
		run = run_of(g, i);
		size_t bytes = (size_t)(spans[i + run - 1].end - spans[i].begin) * size;
		if (i + AHEAD < n) ask_for_run(run_at(g, i + AHEAD, part, size), run_bytes(&spans[i + AHEAD], size));
		if (bytes) memcpy(at, run_at(g, i, part, size), bytes);
		at += bytes;
	}
	return sheaf_builder_finish(&b, to, g->err);
}

/* ---- columns ---- */

static bool is_plain(const sheaf_column *column)
{
	for (int l = 0; l < column->nlevels; l++)
		if (column->levels[l].shape.missing != SHEAF_NEVER) return false;
	return true;
}

static sheaf_status gather_dense(const gathering *g)
{
	sheaf_column *to = g->to;
	size_t size = sheaf_type_size(to->type) * (size_t)to->levels[1].shape.extent;
	find_samples(g);
	SHEAF_TRY(put_offsets(g, &to->levels[0].offsets));
	return put_runs(g, values_of, size, &to->values);
}

static sheaf_status gather_sparse(const gathering *g)
{
	sheaf_column *to = g->to;
	find_samples(g);
	SHEAF_TRY(put_offsets(g, &to->levels[0].offsets));
	int64_t samples = sheaf_level_offsets(&to->levels[0])[g->from->n];
	SHEAF_TRY(put_entry_offsets(g, samples, &to->levels[1].offsets));
	find_entries(g);
	SHEAF_TRY(
		put_runs(g, indices_of, sheaf_type_size(to->levels[1].shape.index_type), &to->levels[1].indices[0]));
	return put_runs(g, values_of, sheaf_type_size(to->type), &to->values);
}

static sheaf_status gather_values(const gathering *g)
{
	for (size_t i = 0; i < g->from->n; i++)
		g->spans[i] = (span){g->from->picks[i].row, g->from->picks[i].row + 1};
	return put_runs(g, values_of, sheaf_type_size(g->to->type), &g->to->values);
}

/* Columns with texts, deeper levels or missing positions are copied row by row. */
static sheaf_status gather_any(const gathering *g)
{
	sheaf_column_clear(g->to);
	for (size_t i = 0; i < g->from->n; i++) {
		int64_t row = g->from->picks[i].row;
		SHEAF_TRY(sheaf_column_append(g->to, (int64_t)i, column_of(g, i), (sheaf_run){row, row + 1}, g->cx,
		                              g->err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_gather_column(sheaf_column *to, const sheaf_picked *from, int64_t *scratch,
                                 sheaf_context *cx, sheaf_error *err)
{
	gathering g = {from, to, (span *)(void *)scratch, cx, err};
	const sheaf_level *below = &to->levels[1];
	bool lists = is_plain(to) && to->nlevels == 2 && to->levels[0].shape.kind == SHEAF_LIST;
	if (is_plain(to) && to->nlevels == 0) return gather_values(&g);
	if (lists && below->shape.kind == SHEAF_FIXED) return gather_dense(&g);
	if (lists && below->shape.kind == SHEAF_COORD && below->shape.rank == 1) return gather_sparse(&g);
	return gather_any(&g);
}
