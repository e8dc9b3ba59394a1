/* SPDX-License-Identifier: MIT */
/* Gathering copies the rows of a batch level by level: the offsets of a level say which positions of the next
 * level the rows need, in g->spans. Rows may be anywhere in memory, so each pass prefetches the rows to come
 * while it copies the current one. The same row may be wanted several times. */
#include "batch/gather.h"
#include "base/buffer.h"
#include "frame/frame.h"

enum { AHEAD = 8 }; /* rows to prefetch */

/* The positions of the level that is reached, or of the values, that belong to a row. */
typedef struct span {
	int64_t begin, end;
} span;

/* A column that is being gathered. */
typedef struct gathering {
	const sheaf_picked *from;
	sheaf_column *to;
	span *spans; /* one for each pick, for the level that is reached */
	sheaf_context *cx;
	sheaf_error *err;
} gathering;

static const sheaf_column *column_of(const gathering *g, size_t i) { return sheaf_picked_column(g->from, i); }

/* Prefetches a run, but only the first line of a long one: the processor then prefetches the rest itself. */
static inline void ask_for_run(const uint8_t *at, size_t bytes)
{
	enum { LINE = 64, LONG = 512 };
	size_t wanted = bytes < LONG ? bytes : LINE;
	for (size_t i = 0; i < wanted; i += LINE) __builtin_prefetch(at + i, 0, 1);
}

/* ---- what is missing ---- */

static const sheaf_level *level_of(const gathering *g, size_t i, int level)
{
	return &column_of(g, i)->levels[level];
}

static int64_t count_positions(const gathering *g)
{
	int64_t total = 0;
	for (size_t i = 0; i < g->from->n; i++) total += g->spans[i].end - g->spans[i].begin;
	return total;
}

static const sheaf_buffer *codes_of(const gathering *g, size_t i, int level)
{
	const sheaf_gaps *gaps = level_of(g, i, level)->gaps;
	return gaps && gaps->codes.size ? &gaps->codes : NULL;
}

/* Puts the gaps of a level into the column: which positions are missing, as a bit for each (0: missing) if
 * any is, and why, as a code for each if any of the rows' levels has codes. Rows whose level has none get 0.
 */
static sheaf_status put_gaps(const gathering *g, int level)
{
	sheaf_builder b;
	sheaf_gaps *gaps = g->to->levels[level].gaps;
	size_t n = g->from->n, at = 0;
	bool missing = false, coded = false;
	if (!gaps) return SHEAF_OK;
	for (size_t i = 0; i < n; i++) {
		missing |= sheaf_level_has_gaps(level_of(g, i, level));
		coded |= codes_of(g, i, level) != NULL;
	}
	size_t positions = (size_t)count_positions(g), bytes = missing ? (positions + 7) / 8 : 0;
	gaps->valid_at = 0;
	sheaf_builder_begin(&b, g->cx, &gaps->valid);
	uint8_t *bits = sheaf_builder_extend(&b, bytes);
	if (bits && bytes) memset(bits, 0xff, bytes);
	for (size_t i = 0; bits && bytes && i < n; i++) {
		const sheaf_level *from = level_of(g, i, level);
		for (int64_t p = g->spans[i].begin; p < g->spans[i].end; p++, at++)
			if (!sheaf_level_has(from, p)) bits[at / 8] &= (uint8_t) ~(1u << (at % 8));
	}
	SHEAF_TRY(sheaf_builder_finish(&b, &gaps->valid, g->err));
	sheaf_builder_begin(&b, g->cx, &gaps->codes);
	uint8_t *to = sheaf_builder_extend(&b, coded ? positions : 0);
	for (size_t i = 0; to && coded && i < n; i++) {
		const sheaf_buffer *codes = codes_of(g, i, level);
		size_t some = (size_t)(g->spans[i].end - g->spans[i].begin);
		if (codes && some) memcpy(to, codes->data + g->spans[i].begin, some);
		if (!codes) memset(to, 0, some);
		to += some;
	}
	return sheaf_builder_finish(&b, &gaps->codes, g->err);
}

/* ---- offsets ---- */

static const int64_t *offsets_of(const gathering *g, size_t i, int level)
{
	return sheaf_level_offsets(level_of(g, i, level));
}

/* Puts the offsets of all positions of a level into a buffer, those of one row after those of the other,
 * shifted so that they go on from each other. Afterwards the spans are those of the level below. */
static sheaf_status put_offsets(const gathering *g, int level, sheaf_buffer *to)
{
	sheaf_builder b;
	span *spans = g->spans;
	size_t n = g->from->n;
	sheaf_builder_begin(&b, g->cx, to);
	int64_t *o = (int64_t *)(void *)sheaf_builder_extend(&b, ((uint64_t)count_positions(g) + 1) * 8);
	if (o) *o = 0;
	for (size_t i = 0; o && i < n; i++) {
		if (i + AHEAD < n) __builtin_prefetch(offsets_of(g, i + AHEAD, level) + spans[i + AHEAD].begin, 0, 1);
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

static inline const uint8_t *run_at(const gathering *g, size_t i, part of, size_t size)
{
	const sheaf_column *column = column_of(g, i);
	const sheaf_buffer *from =
		of.level < 0 ? &column->values : &column->levels[of.level].indices[of.dimension];
	return from->data + (size_t)g->spans[i].begin * size;
}

/* How many picks, from i on, are consecutive in one frame, so that they are copied at once. */
static inline size_t run_of(const gathering *g, size_t i)
{
	const sheaf_pick *picks = g->from->picks + i;
	const span *spans = g->spans + i;
	size_t run = 1;
	while (i + run < g->from->n && picks[run].frame == picks->frame && spans[run].begin == spans[run - 1].end)
		run++;
	return run;
}

/* Copies one buffer of the rows, of entries of `size` bytes, into *to: picks that are consecutive in one
 * frame at once. */
static inline sheaf_status put_runs(const gathering *g, part of, size_t size, sheaf_buffer *to)
{
	sheaf_builder b;
	size_t n = g->from->n;
	const span *spans = g->spans;
	uint64_t total = (uint64_t)count_positions(g) * size;
	sheaf_builder_begin(&b, g->cx, to);
	uint8_t *at = sheaf_builder_extend(&b, total);
	for (size_t i = 0, run; at && i < n; i += run) {
		run = run_of(g, i);
		size_t bytes = (size_t)(spans[i + run - 1].end - spans[i].begin) * size;
		if (i + AHEAD < n)
			ask_for_run(run_at(g, i + AHEAD, of, size),
			            (size_t)(spans[i + AHEAD].end - spans[i + AHEAD].begin) * size);
		if (bytes) memcpy(at, run_at(g, i, of, size), bytes);
		at += bytes;
	}
	return sheaf_builder_finish(&b, to, g->err);
}

/* Goes down the levels: g.spans begin as the rows, and after each level are the positions of the next one. */
sheaf_status sheaf_gather_column(sheaf_column *to, const sheaf_picked *from, int64_t *scratch,
                                 sheaf_context *cx, sheaf_error *err)
{
	gathering g = {from, to, (span *)(void *)scratch, cx, err};
	for (size_t i = 0; i < from->n; i++) g.spans[i] = (span){from->picks[i].row, from->picks[i].row + 1};
	for (int l = 0; l < to->nlevels; l++) {
		sheaf_level *level = &to->levels[l];
		const int64_t extent = level->shape.extent;
		SHEAF_TRY(put_gaps(&g, l));
		if (level->shape.kind != SHEAF_FIXED) SHEAF_TRY(put_offsets(&g, l, &level->offsets));
		for (size_t i = 0; level->shape.kind == SHEAF_FIXED && i < from->n; i++)
			g.spans[i] = (span){g.spans[i].begin * extent, g.spans[i].end * extent};
		size_t size = sheaf_type_size(level->shape.index_type);
		for (int r = 0; r < level->shape.rank; r++)
			SHEAF_TRY(put_runs(&g, (part){l, r}, size, &level->indices[r]));
	}
	return put_runs(&g, (part){-1, 0}, sheaf_type_size(to->type), &to->values);
}
