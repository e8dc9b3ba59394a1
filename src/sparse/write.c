/* SPDX-License-Identifier: MIT */
/* Entries into the arrays of levels, for every format that has such arrays. It is done in two steps. Any
 * thread encodes entries into bytes: a run for each group of neighbours that share their outer coordinates,
 * then all inner coordinates in the types of the file.
 *
 *     entries runs | first entry, outer coordinates | ... | inner coordinates, by dimension | values
 *                    of run 0                       runs
 *
 * One thread after the other then appends such bytes: it counts positions as it makes them. An entry makes
 * one below each sparse level from the first one on whose coordinates differ from those of the entry
 * before. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "frame/integers.h"
#include "sparse/sparse.h"
#include <string.h>

enum { BLOCK = 512 }; /* coordinates that are widened at a time */

/* What encoded bytes begin with: how many entries and how many runs follow. */
typedef struct parcel {
	int64_t entries, runs;
} parcel;

/* The extent of dimension k of the levels. */
static int64_t extent_of(const sheaf_sparse_writer *w, int k) { return w->shape[w->levels->order[k]]; }

/* Divides the levels in two: the outer ones, whose positions are made one for each group of entries, and the
 * inner part, of which each entry has a position. The inner part is the last level if that is sparse, or else
 * all dense levels at the end, which together form a block of positions, one for each place in it. */
bool sheaf_sparse_plan(sheaf_sparse_writer *w)
{
	const sheaf_stored_levels *levels = w->levels;
	w->inner = levels->nlevels;
	w->block = 0;
	if (w->inner && levels->levels[w->inner - 1].is_sparse) {
		w->inner--;
	} else {
		w->block = 1;
		for (; w->inner && !levels->levels[w->inner - 1].is_sparse; w->inner--)
			if (!sheaf_mul_i64(&w->block, w->block, extent_of(w, sheaf_levels_depth(levels, w->inner - 1))))
				return false;
		/* An empty block has no entries; it must not look like a missing one. */
		if (w->block == 0) w->block = 1;
	}
	w->outer_rank = sheaf_levels_depth(levels, w->inner);
	return true;
}

/* ---- into bytes ---- */

/* Writes the coordinates of n entries, from entry `from` on, in dimension k of the levels, as int64. */
static void widen(const sheaf_sparse_writer *w, const sheaf_frame *frame, int k, int64_t from, int64_t n,
                  int64_t *to)
{
	const sheaf_column *column = &frame->columns[w->levels->order[k]];
	sheaf_integers_widen(column->type, column->values.data + (size_t)from * sheaf_type_size(column->type), n,
	                     to);
}

/* How many entries are widened at a time, from entry `from` on. */
static int64_t block_size(const sheaf_frame *frame, int64_t from)
{
	return frame->nrows - from < BLOCK ? frame->nrows - from : BLOCK;
}

/* Appends the runs of a frame, each with the number of its first entry and its outer coordinates, and returns
 * how many there are. An entry begins a run if one of its outer coordinates differs from that of the entry
 * before. A run is written for each entry, but the place advances only past those that begin one, so that the
 * loop has no branch. An arranger has ensured that entries are within the shape and in order. */
static int64_t put_runs(const sheaf_sparse_writer *w, const sheaf_frame *frame, sheaf_builder *b)
{
	int64_t c[SHEAF_MAX_RANK][BLOCK + 1], runs = 0; /* c[k][0] is that of the entry before the block */
	bool begins[BLOCK];
	int outer = w->outer_rank;
	size_t width = (1 + (size_t)outer) * sizeof(int64_t);
	for (int64_t from = 0; from < frame->nrows; from += BLOCK) {
		int64_t n = block_size(frame, from), kept = 0;
		memset(begins, 0, sizeof begins);
		begins[0] = from == 0;
		for (int k = 0; k < outer; k++) {
			c[k][0] = from ? c[k][BLOCK] : -1;
			widen(w, frame, k, from, n, c[k] + 1);
			for (int64_t i = 0; i < n; i++) begins[i] |= c[k][i + 1] != c[k][i];
		}
		if (!sheaf_builder_room(b, (uint64_t)n * width)) return runs;
		int64_t *to = (int64_t *)(void *)(b->data + b->size);
		for (int64_t i = 0; i < n; i++) {
			to[0] = from + i;
			for (int k = 0; k < outer; k++) to[1 + k] = c[k][i + 1];
			to += begins[i] ? outer + 1 : 0;
			kept += begins[i];
		}
		b->size += (size_t)kept * width;
		runs += kept;
	}
	return runs;
}

/* Appends the place of each entry within the block of dense levels, counted in the order of these levels. */
static void put_offsets(const sheaf_sparse_writer *w, const sheaf_frame *frame, sheaf_builder *b)
{
	int64_t offsets[BLOCK], wide[BLOCK];
	for (int64_t from = 0; from < frame->nrows; from += BLOCK) {
		int64_t n = block_size(frame, from);
		memset(offsets, 0, sizeof offsets);
		for (int k = w->outer_rank; k < w->levels->rank; k++) {
			int64_t extent = extent_of(w, k);
			widen(w, frame, k, from, n, wide);
			for (int64_t i = 0; i < n; i++) offsets[i] = offsets[i] * extent + wide[i];
		}
		sheaf_builder_append(b, offsets, (size_t)n * sizeof *offsets);
	}
}

void sheaf_sparse_encode(const sheaf_sparse_writer *w, const sheaf_frame *frame, sheaf_builder *b)
{
	size_t begin = b->size;
	parcel p = {.entries = frame->nrows};
	sheaf_builder_append(b, &p, sizeof p);
	p.runs = put_runs(w, frame, b);
	if (!b->failed) memcpy(b->data + begin, &p, sizeof p);
	if (w->block) put_offsets(w, frame, b);
	for (int k = w->outer_rank; k < w->levels->rank && !w->block; k++) {
		const sheaf_column *column = &frame->columns[w->levels->order[k]];
		sheaf_integers_put(column->type, column->values.data, frame->nrows, w->types[k], b);
	}
}

/* ---- into arrays ---- */

/* Gives the pointers that wait to the format, if there are any. All of them are of level `waits`. */
static sheaf_status pass_pointers(sheaf_sparse_writer *w, sheaf_error *err)
{
	int64_t n = w->nwaiting;
	w->nwaiting = 0;
	return n ? w->take(w->to, SHEAF_POINTERS, w->waits, w->waiting, n, err) : SHEAF_OK;
}

/* Makes the pointers of level l for all positions above it up to this one. Each says where the list of its
 * position begins: at the next position that will be made below, also where the list is empty.
 * counts[l + 1], the number of positions made below level l so far, is that position. */
static sheaf_status point(sheaf_sparse_writer *w, int l, int64_t position, sheaf_error *err)
{
	if (l != w->waits) SHEAF_TRY(pass_pointers(w, err));
	w->waits = l;
	for (; w->pointers[l] <= position; w->pointers[l]++) {
		if (w->nwaiting == SHEAF_POINTERS_WAIT) {
			SHEAF_TRY(pass_pointers(w, err));
			SHEAF_TRY(sheaf_check_stop(w->cx, err));
		}
		w->waiting[w->nwaiting++] = w->counts[l + 1];
	}
	return SHEAF_OK;
}

/* Leads one group of entries, which share these outer coordinates, into the outer levels, and finds the
 * position below these that it has. On the way down `position` is the one above level l: a dense level
 * computes the next one, a sparse level makes one. It makes it if a coordinate of this level or of one above
 * differs from that of the group before (`is_new`): the pointers up to its list are made, its indices are
 * given to the format, and counts[l + 1], the number of positions below level l, grows. Otherwise the group
 * continues the last position that was made there, counts[l + 1] - 1. */
static sheaf_status enter(sheaf_sparse_writer *w, const int64_t *coordinates, int64_t *position,
                          sheaf_error *err)
{
	bool is_new = !w->has_last;
	*position = 0;
	for (int l = 0, k = 0; l < w->inner; l++) {
		const sheaf_stored_level *level = &w->levels->levels[l];
		int begin = k;
		for (; k < begin + level->rank; k++) is_new |= coordinates[k] != w->last[k];
		if (!level->is_sparse) {
			*position = *position * extent_of(w, begin) + coordinates[begin];
			continue;
		}
		if (is_new && l > 0) SHEAF_TRY(point(w, l, *position, err));
		for (int d = begin; d < k && is_new; d++) {
			uint64_t index; /* in its first bytes, as a number of the file's type */
			sheaf_integers_narrow(&coordinates[d], 1, w->types[d], &index);
			SHEAF_TRY(w->take(w->to, SHEAF_INDICES, d, &index, 1, err));
		}
		w->counts[l + 1] += is_new;
		*position = w->counts[l + 1] - 1;
	}
	if (is_new) memcpy(w->last, coordinates, (size_t)w->outer_rank * sizeof *coordinates);
	w->has_last = true;
	return SHEAF_OK;
}

/* Gives the format the fill value for each position that has no entry, from the next one that is made up to,
 * but without, position `until`. */
static sheaf_status fill(sheaf_sparse_writer *w, int64_t until, sheaf_error *err)
{
	for (int64_t *made = &w->counts[w->levels->nlevels]; *made < until; ++*made)
		SHEAF_TRY(w->take(w->to, SHEAF_VALUES, 0, w->fill, 1, err));
	return SHEAF_OK;
}

/* Gives the format the values of some entries of a block whose first position is `base`: entry e belongs to
 * position base + offsets[e]. Positions between them are filled, and entries of consecutive positions go
 * together. An entry whose position was passed already came out of order. */
static sheaf_status put_dense(sheaf_sparse_writer *w, int64_t base, const int64_t *offsets,
                              const uint8_t *values, sheaf_run entries, sheaf_error *err)
{
	int64_t *made = &w->counts[w->levels->nlevels];
	for (int64_t from = entries.begin, n; from < entries.end; from += n) {
		n = 1;
		while (from + n < entries.end && offsets[from + n] == offsets[from] + n) n++;
		if (base + offsets[from] < *made)
			return sheaf_fail(err, SHEAF_USAGE,
			                  "expected entries in the order of the layout, found one after its place");
		if (w->value_size) {
			SHEAF_TRY(fill(w, base + offsets[from], err));
			SHEAF_TRY(w->take(w->to, SHEAF_VALUES, 0, values + (size_t)from * w->value_size, n, err));
		}
		*made = base + offsets[from] + n;
	}
	return SHEAF_OK;
}

/* Reads the bytes of sheaf_sparse_encode back: run by run, it enters the outer coordinates, then makes the
 * positions of the run's entries. A dense block takes offsets and values; a sparse level only counts entries
 * here, and its indices follow at once for all of them. If the first run has the same outer coordinates as
 * the last one of the bytes before, its entries continue that list, so they must come after its entries. */
sheaf_status sheaf_sparse_append(sheaf_sparse_writer *w, const uint8_t **bytes, sheaf_error *err)
{
	const parcel *p = (const parcel *)(const void *)*bytes;
	int64_t width = 1 + w->outer_rank, position;
	const int64_t *runs = sheaf_i64s(p + 1), *offsets = runs + p->runs * width;
	const uint8_t *inner = (const uint8_t *)offsets;
	for (int64_t i = 0; i < p->runs; i++) {
		const int64_t *run = runs + i * width;
		sheaf_run entries = {run[0], i + 1 < p->runs ? run[width] : p->entries};
		SHEAF_TRY(enter(w, run + 1, &position, err));
		if (w->block) {
			SHEAF_TRY(put_dense(w, position * w->block, offsets, (const uint8_t *)(offsets + p->entries),
			                    entries, err));
			continue;
		}
		if (w->inner > 0) SHEAF_TRY(point(w, w->inner, position, err));
		w->counts[w->inner + 1] += sheaf_run_length(entries);
	}
	SHEAF_TRY(pass_pointers(w, err));
	if (w->block) inner += (size_t)p->entries * sizeof *offsets;
	for (int k = w->outer_rank; k < w->levels->rank && !w->block; k++) {
		SHEAF_TRY(w->take(w->to, SHEAF_INDICES, k, inner, p->entries, err));
		inner += (size_t)p->entries * sheaf_type_size(w->types[k]);
	}
	*bytes = inner;
	return SHEAF_OK;
}

/* Goes down once more. Each sparse level but the first gets pointers for all positions above it, and the last
 * one, which says where the last list ends; dense positions after the last entry get the fill value.
 * `entries` is the number of positions above each level, and at the end that of all entries. */
sheaf_status sheaf_sparse_finish(sheaf_sparse_writer *w, sheaf_error *err)
{
	int64_t entries = 1;
	for (int l = 0, k = 0; l < w->levels->nlevels; k += w->levels->levels[l++].rank) {
		if (w->levels->levels[l].is_sparse) {
			if (l > 0) SHEAF_TRY(point(w, l, entries, err));
			entries = w->counts[l + 1];
		} else {
			entries *= extent_of(w, k);
		}
	}
	SHEAF_TRY(pass_pointers(w, err));
	if (w->block && w->value_size) SHEAF_TRY(fill(w, entries, err));
	w->counts[w->levels->nlevels] = entries;
	return SHEAF_OK;
}

sheaf_type sheaf_narrow_pointers(sheaf_builder *b, int64_t entries)
{
	if (entries > INT32_MAX) return SHEAF_I64;
	size_t n = b->size / sizeof(int64_t);
	for (size_t i = 0; i < n; i++) {
		int64_t wide;
		memcpy(&wide, b->data + i * sizeof wide, sizeof wide);
		int32_t narrow = (int32_t)wide; /* written before what is still to be read */
		memcpy(b->data + i * sizeof narrow, &narrow, sizeof narrow);
	}
	b->size = n * sizeof(int32_t);
	return SHEAF_I32;
}
