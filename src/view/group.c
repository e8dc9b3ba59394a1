/* SPDX-License-Identifier: MIT */
/* Grouping entries into rows. */
#include "view/group.h"
#include "base/buffer.h"
#include "base/checked.h"
#include "data/frame.h"
#include <inttypes.h>

sheaf_status sheaf_grouping_make(sheaf_grouping *g, const sheaf_tensor *tensor, const char *name,
                                 sheaf_error *err)
{
	*g = (sheaf_grouping){.rank = tensor->rank,
	                      .rows = 1,
	                      .samples = 1,
	                      .dim = 1,
	                      .one_sample = tensor->rank <= 2,
	                      .dense = tensor->dense,
	                      .name = name};
	for (int d = 0; d < tensor->rank; d++) g->shape[d] = tensor->shape[d];
	if (g->rank > 0) g->rows = g->shape[0];
	if (g->rank > 2) g->samples = g->shape[1];
	for (int d = g->one_sample ? 1 : 2; d < g->rank; d++)
		if (!sheaf_mul_i64(&g->dim, g->dim, g->shape[d]))
			return sheaf_fail(err, SHEAF_UNSUPPORTED,
			                  "%s: expected fewer than 2^63 elements in a sample, found more", name);
	return SHEAF_OK;
}

static inline int64_t coordinate(const sheaf_frame *entries, int d, int64_t e)
{
	return sheaf_coordinate_at(&entries->columns[d], e);
}

int64_t sheaf_group_row(const sheaf_grouping *g, const sheaf_frame *entries, int64_t entry)
{
	return g->rank ? coordinate(entries, 0, entry) : 0;
}

static int64_t sample_of(const sheaf_grouping *g, const sheaf_frame *entries, int64_t e)
{
	return g->one_sample ? 0 : coordinate(entries, 1, e);
}

static int64_t element_of(const sheaf_grouping *g, const sheaf_frame *entries, int64_t e)
{
	int64_t element = 0;
	for (int d = g->one_sample ? 1 : 2; d < g->rank; d++)
		element = element * g->shape[d] + coordinate(entries, d, e);
	return element;
}

/* ---- sparse ---- */

typedef struct filling {
	const sheaf_grouping *g;
	const sheaf_frame *entries;
	sheaf_builder lists, ends, indices;
	int64_t samples; /* that are complete */
	int64_t row;     /* under way, counted from the first */
	int64_t begun;   /* samples of it */
	bool wide;       /* indices are int64 */
} filling;

static void end_sample(filling *f, int64_t entry)
{
	sheaf_builder_i64(&f->ends, entry);
	f->samples++;
}

/* A row ends with the last of its samples that has an entry, unless each has one sample anyway. */
static void end_row(filling *f, int64_t entry)
{
	if (f->begun > 0 || f->g->one_sample) end_sample(f, entry);
	sheaf_builder_i64(&f->lists, f->samples);
	f->begun = 0;
	f->row++;
}

/* Begins samples up to number `sample` of the row. */
static void begin_samples(filling *f, int64_t sample, int64_t entry)
{
	for (; f->begun <= sample && !f->ends.failed; f->begun++)
		if (f->begun > 0) end_sample(f, entry);
}

static void put_index(filling *f, int64_t index)
{
	int32_t narrow = (int32_t)index;
	if (f->wide)
		sheaf_builder_i64(&f->indices, index);
	else
		sheaf_builder_append(&f->indices, &narrow, sizeof narrow);
}

static sheaf_status refuse_order(const filling *f, int64_t e, sheaf_error *err)
{
	return sheaf_fail(
		err, SHEAF_DATA,
		"%s: expected entries in the order of rows, and in order within them, found one of row %" PRId64
		" elsewhere",
		f->g->name, sheaf_group_row(f->g, f->entries, e));
}

/* Finishing tells of it. */
static bool has_failed(const filling *f) { return f->lists.failed || f->ends.failed || f->indices.failed; }

static sheaf_status fill_sparse(filling *f, int64_t first, int64_t n, sheaf_error *err)
{
	int64_t last = -1, count = f->entries->nrows;
	for (int64_t e = 0; e < count && !has_failed(f); e++) {
		int64_t row = sheaf_group_row(f->g, f->entries, e) - first, sample = sample_of(f->g, f->entries, e),
				element = element_of(f->g, f->entries, e);
		if (row < f->row || row >= n) return refuse_order(f, e, err);
		while (f->row < row && !has_failed(f)) end_row(f, e);
		if (sample >= f->begun) last = -1;
		if (has_failed(f)) break;
		if (sample + 1 < f->begun || element <= last) return refuse_order(f, e, err);
		begin_samples(f, sample, e);
		last = element;
		put_index(f, element);
	}
	while (f->row < n && !has_failed(f)) end_row(f, count);
	return SHEAF_OK;
}

static sheaf_status finish_sparse(filling *f, sheaf_column *column, sheaf_error *err)
{
	SHEAF_TRY(sheaf_builder_finish(&f->lists, &column->levels[0].offsets, err));
	SHEAF_TRY(sheaf_builder_finish(&f->ends, &column->levels[1].offsets, err));
	return sheaf_builder_finish(&f->indices, &column->levels[1].indices[0], err);
}

static sheaf_status group_sparse(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                                 sheaf_column *column, sheaf_context *cx, sheaf_error *err)
{
	filling f = {.g = g, .entries = entries, .wide = column->levels[1].shape.index_type == SHEAF_I64};
	sheaf_builder_begin(&f.lists, cx, &column->levels[0].offsets);
	sheaf_builder_begin(&f.ends, cx, &column->levels[1].offsets);
	sheaf_builder_begin(&f.indices, cx, &column->levels[1].indices[0]);
	sheaf_builder_i64(&f.lists, 0);
	sheaf_builder_i64(&f.ends, 0);
	sheaf_status status = fill_sparse(&f, row, n, err);
	if (status == SHEAF_OK) status = finish_sparse(&f, column, err);
	sheaf_builder_drop(&f.lists);
	sheaf_builder_drop(&f.ends);
	sheaf_builder_drop(&f.indices);
	return status;
}

/* ---- dense ---- */

static sheaf_status check_dense(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                                sheaf_error *err)
{
	int64_t e = 0, each = g->samples * g->dim;
	if (entries->nrows / (each ? each : 1) != n || entries->nrows != n * each)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected %" PRId64 " entries in each of %" PRId64
		                  " rows, since the tensor is dense, found %" PRId64 " in all",
		                  g->name, each, n, entries->nrows);
	for (int64_t r = row; r < row + n; r++)
		for (int64_t s = 0; s < g->samples; s++)
			for (int64_t k = 0; k < g->dim; k++, e++)
				if (sheaf_group_row(g, entries, e) != r || sample_of(g, entries, e) != s ||
				    element_of(g, entries, e) != k)
					return sheaf_fail(err, SHEAF_DATA,
					                  "%s: expected all entries in the order of rows, since the tensor is "
					                  "dense, found entry %" PRId64 " elsewhere",
					                  g->name, e);
	return SHEAF_OK;
}

static sheaf_status group_dense(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                                sheaf_column *column, sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	SHEAF_TRY(check_dense(g, entries, row, n, err));
	sheaf_builder_begin(&b, cx, &column->levels[0].offsets);
	for (int64_t r = 0; r <= n && !b.failed; r++) sheaf_builder_i64(&b, r * g->samples);
	return sheaf_builder_finish(&b, &column->levels[0].offsets, err);
}

/* Values stay where they are: rows only say where theirs begin. */
sheaf_status sheaf_group(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                         sheaf_frame *frame, sheaf_context *cx, sheaf_error *err)
{
	sheaf_column *column = &frame->columns[0];
	SHEAF_TRY((g->dense ? group_dense : group_sparse)(g, entries, row, n, column, cx, err));
	sheaf_buffer_reset(&column->values);
	column->values = sheaf_buffer_ref(&entries->columns[g->rank].values);
	frame->nrows = n;
	return SHEAF_OK;
}
