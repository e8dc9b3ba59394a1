/* SPDX-License-Identifier: MIT */
/* One pass finds where each row begins and how long the result gets, one copies. Rows lie anywhere in memory,
 * so each pass asks for the lines of those to come while it works on those at hand. */
#include "batch/gather.h"
#include "base/buffer.h"
#include "data/frame.h"

enum { AHEAD = 8 }; /* rows whose lines are asked for */

/* What of a row's column lies where. */
typedef struct span {
	int64_t begin, end;
} span;

static const sheaf_column *column_of(const sheaf_pick *pick, int from) { return &pick->frame->columns[from]; }

static void ask_for(const void *address) { __builtin_prefetch(address, 0, 1); }

/* The lines of a run, but of a long one the first only: the processor sees where those lead. */
static inline void ask_for_run(const uint8_t *at, size_t bytes)
{
	enum { LINE = 64, LONG = 512 };
	size_t wanted = bytes < LONG ? bytes : LINE;
	for (size_t i = 0; i < wanted; i += LINE) ask_for(at + i);
}

/* ---- offsets ---- */

/* Fills a buffer with n + 1 offsets, from the ends that `spans` have. */
static sheaf_status put_offsets(sheaf_buffer *to, const span *spans, size_t n, sheaf_context *cx,
                                sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, to);
	if (sheaf_builder_room(&b, (n + 1) * 8)) {
		int64_t *o = (int64_t *)(void *)b.data;
		o[0] = 0;
		for (size_t i = 0; i < n; i++) o[i + 1] = o[i] + spans[i].end - spans[i].begin;
		b.size = (n + 1) * 8;
	}
	return sheaf_builder_finish(&b, to, err);
}

/* The samples of each row. */
static void find_samples(const sheaf_pick *picks, size_t n, int from, span *spans)
{
	for (size_t i = 0; i < n; i++)
		ask_for(sheaf_level_offsets(&column_of(&picks[i], from)->levels[0]) + picks[i].row);
	for (size_t i = 0; i < n; i++) {
		const int64_t *o = sheaf_level_offsets(&column_of(&picks[i], from)->levels[0]) + picks[i].row;
		spans[i] = (span){o[0], o[1]};
	}
}

/* ---- entries of sparse samples ---- */

/* Offsets of all samples, one row's after the other's. */
static sheaf_status put_entry_offsets(sheaf_buffer *to, const sheaf_pick *picks, size_t n, int from,
                                      const span *samples, int64_t total, sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, to);
	if (sheaf_builder_room(&b, ((uint64_t)total + 1) * 8)) {
		int64_t *o = (int64_t *)(void *)b.data;
		*o = 0;
		for (size_t i = 0; i < n; i++) {
			if (i + AHEAD < n)
				ask_for(sheaf_level_offsets(&column_of(&picks[i + AHEAD], from)->levels[1]) +
				        samples[i + AHEAD].begin);
			const int64_t *source = sheaf_level_offsets(&column_of(&picks[i], from)->levels[1]);
			int64_t shift = *o - source[samples[i].begin];
			for (int64_t k = samples[i].begin; k < samples[i].end; k++) *++o = source[k + 1] + shift;
		}
		b.size = ((size_t)total + 1) * 8;
	}
	return sheaf_builder_finish(&b, to, err);
}

static void find_entries(const sheaf_pick *picks, size_t n, int from, span *spans)
{
	for (size_t i = 0; i < n; i++) {
		const int64_t *o = sheaf_level_offsets(&column_of(&picks[i], from)->levels[1]);
		spans[i] = (span){o[spans[i].begin], o[spans[i].end]};
	}
}

/* ---- values ---- */

/* Where a column keeps what is copied: its values, or its indices. */
typedef const sheaf_buffer *(*part_of)(const sheaf_column *column);

static const sheaf_buffer *values_of(const sheaf_column *column) { return &column->values; }

static const sheaf_buffer *indices_of(const sheaf_column *column) { return &column->levels[1].indices[0]; }

static inline const uint8_t *run_at(const sheaf_pick *pick, int from, part_of part, const span *s,
                                    size_t size)
{
	return part(column_of(pick, from))->data + (size_t)s->begin * size;
}

/* How many of the picks follow one another in one column: they are copied at once. */
static inline size_t run_of(const sheaf_pick *picks, const span *spans, size_t n)
{
	size_t run = 1;
	while (run < n && picks[run].frame == picks->frame && spans[run].begin == spans[run - 1].end) run++;
	return run;
}

static inline size_t run_bytes(const span *s, size_t size) { return (size_t)(s->end - s->begin) * size; }

static inline sheaf_status put_runs(sheaf_buffer *to, const sheaf_pick *picks, size_t n, int from,
                                    part_of part, const span *spans, size_t size, sheaf_context *cx,
                                    sheaf_error *err)
{
	sheaf_builder b;
	uint64_t total = 0; /* rows may come more than once */
	for (size_t i = 0; i < n; i++) total += run_bytes(&spans[i], size);
	sheaf_builder_begin(&b, cx, to);
	if (sheaf_builder_room(&b, total)) {
		uint8_t *at = b.data;
		for (size_t i = 0, run; i < n; i += run) {
			run = run_of(&picks[i], &spans[i], n - i);
			size_t bytes = (size_t)(spans[i + run - 1].end - spans[i].begin) * size;
			if (i + AHEAD < n)
				ask_for_run(run_at(&picks[i + AHEAD], from, part, &spans[i + AHEAD], size),
				            run_bytes(&spans[i + AHEAD], size));
			if (bytes) memcpy(at, run_at(&picks[i], from, part, &spans[i], size), bytes);
			at += bytes;
		}
		b.size = (size_t)total;
	}
	return sheaf_builder_finish(&b, to, err);
}

/* ---- columns ---- */

static bool is_plain(const sheaf_column *column)
{
	for (int l = 0; l < column->nlevels; l++)
		if (column->levels[l].shape.missing != SHEAF_NEVER) return false;
	return true;
}

static sheaf_status gather_dense(sheaf_column *to, const sheaf_pick *picks, size_t n, int from, span *spans,
                                 sheaf_context *cx, sheaf_error *err)
{
	size_t size = sheaf_type_size(to->type) * (size_t)to->levels[1].shape.extents[0];
	find_samples(picks, n, from, spans);
	SHEAF_TRY(put_offsets(&to->levels[0].offsets, spans, n, cx, err));
	return put_runs(&to->values, picks, n, from, values_of, spans, size, cx, err);
}

static sheaf_status gather_sparse(sheaf_column *to, const sheaf_pick *picks, size_t n, int from, span *spans,
                                  sheaf_context *cx, sheaf_error *err)
{
	find_samples(picks, n, from, spans);
	SHEAF_TRY(put_offsets(&to->levels[0].offsets, spans, n, cx, err));
	int64_t samples = sheaf_level_offsets(&to->levels[0])[n];
	SHEAF_TRY(put_entry_offsets(&to->levels[1].offsets, picks, n, from, spans, samples, cx, err));
	find_entries(picks, n, from, spans);
	SHEAF_TRY(put_runs(&to->levels[1].indices[0], picks, n, from, indices_of, spans,
	                   sheaf_type_size(to->levels[1].shape.index_type), cx, err));
	return put_runs(&to->values, picks, n, from, values_of, spans, sheaf_type_size(to->type), cx, err);
}

static sheaf_status gather_values(sheaf_column *to, const sheaf_pick *picks, size_t n, int from, span *spans,
                                  sheaf_context *cx, sheaf_error *err)
{
	for (size_t i = 0; i < n; i++) spans[i] = (span){picks[i].row, picks[i].row + 1};
	return put_runs(&to->values, picks, n, from, values_of, spans, sheaf_type_size(to->type), cx, err);
}

/* What has texts, deeper levels or missing positions goes row by row. */
static sheaf_status gather_any(sheaf_column *to, const sheaf_pick *picks, size_t n, int from,
                               sheaf_context *cx, sheaf_error *err)
{
	sheaf_column_clear(to);
	for (size_t i = 0; i < n; i++)
		SHEAF_TRY(sheaf_column_append(to, (int64_t)i, column_of(&picks[i], from),
		                              (sheaf_run){picks[i].row, picks[i].row + 1}, cx, err));
	return SHEAF_OK;
}

sheaf_status sheaf_gather_column(sheaf_column *to, const sheaf_pick *picks, size_t n, int from,
                                 int64_t *scratch, sheaf_context *cx, sheaf_error *err)
{
	span *spans = (span *)(void *)scratch;
	const sheaf_level *below = &to->levels[1];
	bool lists = is_plain(to) && to->nlevels == 2 && to->levels[0].shape.kind == SHEAF_LIST;
	if (is_plain(to) && to->nlevels == 0) return gather_values(to, picks, n, from, spans, cx, err);
	if (lists && below->shape.kind == SHEAF_FIXED) return gather_dense(to, picks, n, from, spans, cx, err);
	if (lists && below->shape.kind == SHEAF_COORD && below->shape.rank == 1)
		return gather_sparse(to, picks, n, from, spans, cx, err);
	return gather_any(to, picks, n, from, cx, err);
}
