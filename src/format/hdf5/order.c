/* SPDX-License-Identifier: MIT */
/* Whether indices are within the shape, and entries come in order. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "data/frame.h"
#include "format/hdf5/hdf5.h"

/* ---- the shape ---- */

/* The largest one, with negative ones counted as larger than all others. */
static uint64_t largest(const sheaf_buffer *indices, sheaf_type type, int64_t n)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;
	const uint64_t *wides = (const uint64_t *)(const void *)indices->data;
	const uint32_t *narrows = (const uint32_t *)(const void *)indices->data;
	if (type == SHEAF_I64)
		for (int64_t i = 0; i < n; i++) wide = wides[i] > wide ? wides[i] : wide;
	else
		for (int64_t i = 0; i < n; i++) narrow = narrows[i] > narrow ? narrows[i] : narrow;
	return type == SHEAF_I64 ? wide : narrow;
}

sheaf_status sheaf_hdf_check_indices(const sheaf_hdf_reader *in, sheaf_box_run run, int d,
                                     const sheaf_buffer *indices, sheaf_type type, sheaf_error *err)
{
	int64_t n = run.to - run.from, found;
	if (n == 0 || largest(indices, type, n) < (uint64_t)in->shape[d]) return SHEAF_OK;
	do found = sheaf_index_at(indices->data, type, run.from++ - (run.to - n));
	while (found >= 0 && found < in->shape[d]);
	run.from--;
	return sheaf_hdf_refuse_index(in, run, d, found, err);
}

sheaf_status sheaf_hdf_keep_indices(sheaf_hdf_reader *in, sheaf_error *err)
{
	sheaf_type type = in->schema.fields[!in->set.by_columns].type;
	if (in->rows == 0) return SHEAF_OK;
	return sheaf_box_read(in->box, (sheaf_box_run){in->set.indices, 0, in->rows}, type, &in->indices, err);
}

/* ---- order ---- */

#define ASCENDS(name, type) \
	static bool ascends_##name(const void *indices, int64_t from, int64_t to) \
	{ \
		const type *v = (const type *)indices; \
		int sound = 1; \
		for (int64_t i = from + 1; i < to; i++) sound &= v[i] > v[i - 1]; \
		return sound; \
	}
ASCENDS(i32, int32_t)
ASCENDS(i64, int64_t)

/* Lists of indices, checked in portions. */
typedef struct lists {
	const sheaf_hdf_reader *in;
	sheaf_type type;
	int64_t list, last; /* the unfinished one, and its last index */
	int64_t most;       /* indices are below it */
	bool sorted;
} lists;

/* Indices [first, first + n), which end within a list or at its end. Whether all are in range: of a list that
 * is in order, the first and the last one say that; false also if it is not known. */
static bool see_lists(lists *l, const sheaf_buffer *some, int64_t first, int64_t n)
{
	bool in_range = true;
	const int64_t *pointers = l->in->pointers;
	for (; l->list < l->in->npointers - 1 && l->sorted; l->list++) {
		int64_t begin = pointers[l->list], end = pointers[l->list + 1];
		int64_t from = begin > first ? begin - first : 0, to = (end < first + n ? end : first + n) - first;
		if (from < to) {
			int64_t least = sheaf_index_at(some->data, l->type, from);
			l->sorted = begin >= first || least > l->last;
			l->sorted &=
				l->type == SHEAF_I64 ? ascends_i64(some->data, from, to) : ascends_i32(some->data, from, to);
			l->last = sheaf_index_at(some->data, l->type, to - 1);
			in_range &= least >= 0 && l->last < l->most;
		}
		if (end > first + n) break;
	}
	return in_range && l->sorted;
}

static sheaf_status lists_are_sorted(const sheaf_hdf_reader *in, sheaf_tensor *t, sheaf_error *err)
{
	enum { STEP = 1 << 18, IN_CACHE = 1 << 14 /* a second check finds them there */ };
	const sheaf_box_item *item = in->set.indices;
	int inner = !in->set.by_columns;
	bool narrow =
		item && (item->type == SHEAF_I32 || in->indices.data) && in->schema.fields[inner].type == SHEAF_I32;
	lists l = {
		.in = in, .type = narrow ? SHEAF_I32 : SHEAF_I64, .most = in->shape[inner], .sorted = true};
	int64_t step = in->indices.data ? IN_CACHE : STEP, width = (int64_t)sheaf_type_size(l.type);
	sheaf_buffer some = {0};
	sheaf_status status = SHEAF_OK;
	for (int64_t first = 0; first < in->rows && !status; first += step) {
		int64_t n = in->rows - first < step ? in->rows - first : step;
		sheaf_box_run run = {item, first, first + n};
		status = sheaf_check_stop(in->cx, err);
		if (!status && in->indices.data)
			some = (sheaf_buffer){in->indices.data + first * width, (size_t)(n * width), NULL};
		else if (!status)
			status = sheaf_box_read(in->box, run, l.type, &some, err);
		if (!status && !see_lists(&l, &some, first, n))
			status = sheaf_hdf_check_indices(in, run, inner, &some, l.type, err);
	}
	sheaf_buffer_reset(&some);
	t->sorted = l.sorted;
	return status;
}

static sheaf_status entries_are_sorted(const sheaf_hdf_reader *in, sheaf_tensor *t, sheaf_error *err)
{
	enum { STEP = 1 << 16 };
	void *memory;
	int64_t last[2] = {-1, -1}, *at[SHEAF_MAX_RANK], step = in->rows < STEP ? in->rows + 1 : STEP;
	SHEAF_TRY(sheaf_allocate_array(in->cx, (uint64_t)step, 2 * sizeof(int64_t), &memory, err));
	at[0] = (int64_t *)memory;
	at[1] = at[0] + step;
	sheaf_status status = SHEAF_OK;
	for (int64_t first = 0; first < in->rows && t->sorted && !status; first += step) {
		int64_t n = in->rows - first < step ? in->rows - first : step;
		status = sheaf_hdf_places(in, first, n, at, err);
		for (int64_t i = 0; i < n && !status && t->sorted; i++) {
			int64_t outer = at[t->order[0]][i], inner = at[t->order[1]][i];
			t->sorted = outer > last[0] || (outer == last[0] && inner > last[1]);
			last[0] = outer;
			last[1] = inner;
		}
	}
	sheaf_release(in->cx, memory, (size_t)step * 2 * sizeof(int64_t));
	return status;
}

sheaf_status sheaf_hdf_look_for_order(const sheaf_hdf_reader *in, sheaf_tensor *t, sheaf_error *err)
{
	SHEAF_TRY(in->set.kind == HDF_COMPRESSED ? lists_are_sorted(in, t, err) : entries_are_sorted(in, t, err));
	t->unique = t->sorted;
	return SHEAF_OK;
}
