/* SPDX-License-Identifier: MIT */
/* Level by level: offsets say where the positions of the next level are, and how many. Rows may be anywhere
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

/* ---- what is missing ---- */

static const sheaf_level *level_of(const gathering *g, size_t i, int level)
{
	return &column_of(g, i)->levels[level];
}

static int64_t count_positions(const gathering *g)
{
	int64_t total = 0; /* rows may be repeated */
	for (size_t i = 0; i < g->from->n; i++) total += g->spans[i].end - g->spans[i].begin;
	return total;
}

static bool any_missing(const gathering *g, int level)
{
	bool any = false;
	for (size_t i = 0; i < g->from->n && !any; i++) any = sheaf_level_has_gaps(level_of(g, i, level));
	return any;
}

static sheaf_status put_valid(const gathering *g, int level, size_t positions, sheaf_buffer *to)
{
	sheaf_builder b;
	size_t bytes = any_missing(g, level) ? (positions + 7) / 8 : 0, at = 0;
	sheaf_builder_begin(&b, g->cx, to);
	uint8_t *bits = sheaf_builder_extend(&b, bytes);
	if (bits && bytes) memset(bits, 0xff, bytes);
	for (size_t i = 0; bits && bytes && i < g->from->n; i++) {
		const sheaf_level *from = level_of(g, i, level);
		for (int64_t p = g->spans[i].begin; p < g->spans[i].end; p++, at++)
			if (!sheaf_level_has(from, p)) bits[at / 8] &= (uint8_t) ~(1u << (at % 8));
	}
	return sheaf_builder_finish(&b, to, g->err);
}

static const sheaf_buffer *codes_of(const gathering *g, size_t i, int level)
{
	const sheaf_gaps *gaps = level_of(g, i, level)->gaps;
	return gaps && gaps->codes.size ? &gaps->codes : NULL;
}

static sheaf_status put_codes(const gathering *g, int level, size_t positions, sheaf_buffer *to)
{
	sheaf_builder b;
	size_t i = 0;
	while (i < g->from->n && !codes_of(g, i, level)) i++;
	sheaf_builder_begin(&b, g->cx, to);
	uint8_t *at = sheaf_builder_extend(&b, i < g->from->n ? positions : 0);
	for (i = 0; at && b.size && i < g->from->n; i++) {
		const sheaf_buffer *codes = codes_of(g, i, level);
		size_t n = (size_t)(g->spans[i].end - g->spans[i].begin);
		if (codes && n) memcpy(at, codes->data + g->spans[i].begin, n);
		if (!codes) memset(at, 0, n);
		at += n;
	}
	return sheaf_builder_finish(&b, to, g->err);
}

static sheaf_status put_gaps(const gathering *g, int level)
{
	sheaf_gaps *gaps = g->to->levels[level].gaps;
	if (!gaps) return SHEAF_OK;
	size_t positions = (size_t)count_positions(g);
	gaps->valid_at = 0;
	SHEAF_TRY(put_valid(g, level, positions, &gaps->valid));
	return put_codes(g, level, positions, &gaps->codes);
}

/* ---- offsets ---- */

static const int64_t *offsets_of(const gathering *g, size_t i, int level)
{
	return sheaf_level_offsets(level_of(g, i, level));
}

/* Offsets of all positions, one row's after the other's. What is below them are the spans from then on. */
static sheaf_status put_offsets(const gathering *g, int level, sheaf_buffer *to)
{
	sheaf_builder b;
	span *spans = g->spans;
	size_t n = g->from->n;
	sheaf_builder_begin(&b, g->cx, to);
	int64_t *o = (int64_t *)(void *)sheaf_builder_extend(&b, ((uint64_t)count_positions(g) + 1) * 8);
	if (o) *o = 0;
	for (size_t i = 0; o && i < n; i++) {
		if (i + AHEAD < n) ask_for(offsets_of(g, i + AHEAD, level) + spans[i + AHEAD].begin);
		const int64_t *source = offsets_of(g, i, level);
		int64_t shift = *o - source[spans[i].begin];
		for (int64_t k = spans[i].begin; k < spans[i].end; k++) *++o = source[k + 1] + shift;
		spans[i] = (span){source[spans[i].begin], source[spans[i].end]};
	}
	return sheaf_builder_finish(&b, to, g->err);
}

/* ---- values ---- */

/* A buffer of a column: the indices of a level in one dimension, or the values. */
typedef struct part {
	int level, dimension; /* level: -1 for the values */
} part;

static inline const sheaf_buffer *part_of(const sheaf_column *column, part of)
{
	return of.level < 0 ? &column->values : &column->levels[of.level].indices[of.dimension];
}

static inline const uint8_t *run_at(const gathering *g, size_t i, part of, size_t size)
{
	return part_of(column_of(g, i), of)->data + (size_t)g->spans[i].begin * size;
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

static inline sheaf_status put_runs(const gathering *g, part of, size_t size, sheaf_buffer *to)
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
		if (i + AHEAD < n) ask_for_run(run_at(g, i + AHEAD, of, size), run_bytes(&spans[i + AHEAD], size));
		if (bytes) memcpy(at, run_at(g, i, of, size), bytes);
		at += bytes;
	}
	return sheaf_builder_finish(&b, to, g->err);
}

/* ---- columns ---- */

static void scale(const gathering *g, int64_t extent)
{
	for (size_t i = 0; i < g->from->n; i++)
		g->spans[i] = (span){g->spans[i].begin * extent, g->spans[i].end * extent};
}

static sheaf_status gather_level(const gathering *g, int l)
{
	sheaf_level *level = &g->to->levels[l];
	SHEAF_TRY(put_gaps(g, l));
	if (level->shape.kind == SHEAF_FIXED)
		scale(g, level->shape.extent);
	else
		SHEAF_TRY(put_offsets(g, l, &level->offsets));
	size_t size = sheaf_type_size(level->shape.index_type);
	for (int r = 0; r < level->shape.rank; r++)
		SHEAF_TRY(put_runs(g, (part){l, r}, size, &level->indices[r]));
	return SHEAF_OK;
}

sheaf_status sheaf_gather_column(sheaf_column *to, const sheaf_picked *from, int64_t *scratch,
                                 sheaf_context *cx, sheaf_error *err)
{
	gathering g = {from, to, (span *)(void *)scratch, cx, err};
	for (size_t i = 0; i < from->n; i++) g.spans[i] = (span){from->picks[i].row, from->picks[i].row + 1};
	for (int l = 0; l < to->nlevels; l++) SHEAF_TRY(gather_level(&g, l));
	return put_runs(&g, (part){-1, 0}, sheaf_type_size(to->type), &to->values);
}
