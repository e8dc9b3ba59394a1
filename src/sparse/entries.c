/* SPDX-License-Identifier: MIT */
/* A run of entries as columns of coordinates. From the innermost level outwards this finds at which entry
 * each position of a level begins; then each position's coordinate is repeated for each of its entries. */
#include "base/buffer.h"
#include "sparse/sparse.h"

typedef struct decoding {
	const sheaf_sparse *s;
	const sheaf_run *ranges; /* above each level; the last one is that of the entries */
	sheaf_frame_builder *to;
	sheaf_error *err;
	/* Where the entries of each position below the level begin, from 0; empty below the innermost level,
	 * whose positions are the entries. */
	sheaf_builder starts;
	bool is_broken;
} decoding;

/* ---- positions ---- */

/* Finds for each position above level l, and for the one after the last, at which entry of the run its part
 * begins, and keeps it in d->starts for the next level outwards. Pointers lead from a position above to one
 * below, and the starts of the level below (if it is not the innermost) from there to an entry. Pointers
 * outside of the run are moved to its ends, as its first and last lists may continue beyond it. */
static sheaf_status find_starts(decoding *d, int l, sheaf_builder *pointers)
{
	sheaf_builder b;
	sheaf_run below = d->ranges[l + 1];
	int64_t n = sheaf_run_length(d->ranges[l]);
	const int64_t *inner = sheaf_i64s(d->starts.data), *from = sheaf_i64s(pointers->data);
	if (!d->starts.size) inner = NULL;
	sheaf_builder_begin(&b, d->to->cx, NULL);
	int64_t *starts = (int64_t *)(void *)sheaf_builder_extend(&b, (uint64_t)(n + 1) * sizeof *starts);
	for (int64_t i = 0; starts && i <= n; i++) {
		int64_t p = from[i] < below.begin ? below.begin : from[i] > below.end ? below.end : from[i];
		starts[i] = inner ? inner[p - below.begin] : p - below.begin;
	}
	sheaf_builder_drop(&d->starts);
	d->starts = b;
	return sheaf_builder_status(&d->starts, d->err);
}

/* ---- coordinates ---- */

/* Writes the coordinate of each of n positions once for each of its entries: starts[i] is the first of
 * position i. Without starts every position is one entry. Coordinates come from `indices` or, where that is
 * NULL, are those of a dense dimension, which count from dense.begin, and from 0 again at dense.end. */
#define SPREAD(name, type) \
	static void spread_##name(type to[], const void *indices, sheaf_run dense, const int64_t *starts, \
	                          int64_t n) \
	{ \
		const type *v = (const type *)indices; \
		int64_t next = dense.begin; \
		for (int64_t i = 0; i < n; i++) { \
			type value = v ? v[i] : (type)next; \
			if (++next == dense.end) next = 0; \
			if (!starts) to[i] = value; \
			for (int64_t e = starts ? starts[i] : 0; starts && e < starts[i + 1]; e++) to[e] = value; \
		} \
	}
SPREAD(i32, int32_t)
SPREAD(i64, int64_t)

/* Appends the coordinates that the entries have in dimension k of the levels, which is one of level l, to
 * their column: out of `indices` or, where that is NULL, those of a dense level. The run may begin within a
 * list of a dense level. */
static void put_coordinates(const decoding *d, int l, int k, const void *indices)
{
	sheaf_column_builder *column = &d->to->columns[d->s->levels.order[k]];
	sheaf_type type = column->field->type;
	sheaf_run range = d->ranges[l + 1];
	int64_t n = sheaf_run_length(d->ranges[d->s->levels.nlevels]), extent = sheaf_sparse_extent(d->s, k);
	const int64_t *starts = d->starts.size ? sheaf_i64s(d->starts.data) : NULL;
	sheaf_run dense = {extent ? range.begin % extent : 0, extent};
	uint8_t *to = sheaf_builder_extend(&column->values, (uint64_t)n * sheaf_type_size(type));
	if (!to) return;
	if (type == SHEAF_I32)
		spread_i32((int32_t *)(void *)to, indices, dense, starts, sheaf_run_length(range));
	else
		spread_i64((int64_t *)(void *)to, indices, dense, starts, sheaf_run_length(range));
}

/* Reads and checks the indices of a sparse level. Those of the innermost level are the coordinates of
 * entries, and go into the columns as they are; those of other levels are read into builders of their own,
 * and spread over the entries. */
static sheaf_status put_indices(decoding *d, int l, sheaf_level_run *run)
{
	int k = sheaf_levels_depth(&d->s->levels, l), rank = d->s->levels.levels[l].rank;
	bool is_inner = l == d->s->levels.nlevels - 1;
	sheaf_builder own[SHEAF_MAX_RANK], *to[SHEAF_MAX_RANK];
	sheaf_type types[SHEAF_MAX_RANK];
	for (int r = 0; r < rank; r++) {
		sheaf_column_builder *column = &d->to->columns[d->s->levels.order[k + r]];
		types[r] = column->field->type;
		sheaf_builder_begin(&own[r], d->to->cx, NULL);
		to[r] = is_inner ? &column->values : &own[r];
	}
	sheaf_status status = sheaf_level_read_indices(run, to, types);
	for (int r = 0; r < rank; r++) {
		if (!status && !run->is_broken && !is_inner) put_coordinates(d, l, k + r, own[r].data);
		sheaf_builder_drop(&own[r]);
	}
	return status;
}

/* ---- levels ---- */

/* Reads one level of the run: its pointers, one for each position above it and one more, then its
 * coordinates; then it finds the starts for the next level outwards. Pointers that are not stored are
 * computed: each position above a dense level has as many below it as the extent, and a sparse level without
 * pointers has all its positions below a single one. Once something is broken, levels are only checked. */
static sheaf_status read_level(decoding *d, int l, sheaf_builder *pointers)
{
	const sheaf_sparse *s = d->s;
	const sheaf_stored_array *stored = &s->pointers[l];
	bool is_sparse = s->levels.levels[l].is_sparse;
	sheaf_run read = {d->ranges[l].begin, d->ranges[l].end + 1};
	int k = sheaf_levels_depth(&s->levels, l);
	if (l > 0 && is_sparse && (stored->at || stored->held.data)) {
		SHEAF_TRY(sheaf_stored_read(s, stored, read, SHEAF_I64, pointers, d->err));
	} else if (l > 0) {
		int64_t extent = is_sparse ? s->counts[l + 1] : sheaf_sparse_extent(s, k);
		int64_t n = sheaf_run_length(read),
				*to = (int64_t *)(void *)sheaf_builder_extend(pointers, (uint64_t)n * sizeof *to);
		for (int64_t i = 0; to && i < n; i++) to[i] = (read.begin + i) * extent;
		SHEAF_TRY(sheaf_builder_status(pointers, d->err));
	}
	sheaf_level_run run = {.s = s,
	                       .l = l,
	                       .above = d->ranges[l],
	                       .below = d->ranges[l + 1],
	                       .pointers = l ? sheaf_i64s(pointers->data) : NULL,
	                       .cx = d->to->cx,
	                       .err = d->err,
	                       .is_broken = d->is_broken};
	if (is_sparse && l > 0 && s->is_strict) SHEAF_TRY(sheaf_level_check_pointers(&run));
	if (is_sparse)
		SHEAF_TRY(put_indices(d, l, &run));
	else if (!d->is_broken)
		put_coordinates(d, l, k, NULL);
	d->is_broken = run.is_broken;
	return d->is_broken || l == 0 ? SHEAF_OK : find_starts(d, l, pointers);
}

sheaf_status sheaf_sparse_put_entries(const sheaf_sparse *s, const sheaf_run ranges[SHEAF_MAX_RANK + 1],
                                      sheaf_frame_builder *to, bool *broken, sheaf_error *err)
{
	decoding d = {.s = s, .ranges = ranges, .to = to, .err = err};
	sheaf_status status = SHEAF_OK;
	sheaf_builder_begin(&d.starts, to->cx, NULL);
	for (int l = s->levels.nlevels - 1; l >= 0 && !status; l--) {
		sheaf_builder pointers;
		sheaf_builder_begin(&pointers, to->cx, NULL);
		status = read_level(&d, l, &pointers);
		sheaf_builder_drop(&pointers);
	}
	sheaf_builder_drop(&d.starts);
	*broken = d.is_broken;
	return status;
}

sheaf_status sheaf_sparse_put_run(const sheaf_sparse *s, sheaf_run entries, sheaf_frame_builder *to,
                                  sheaf_error *err)
{
	bool broken;
	sheaf_sparse_view view = {0}; /* stays empty */
	sheaf_run ranges[SHEAF_MAX_RANK + 1];
	ranges[s->levels.nlevels] = entries;
	SHEAF_TRY(sheaf_sparse_locate(s, &view, NULL, ranges, err));
	return sheaf_sparse_put_entries(s, ranges, to, &broken, err);
}
