/* SPDX-License-Identifier: MIT */
/* Grouping entries into rows. A sparse stream gets, for each row, samples up to the last one that has an
 * entry, and the element of each entry; of a dense tensor the values stay where they are, and rows only say
 * where theirs begin. */
#include "view/group.h"
#include "base/buffer.h"
#include "base/checked.h"
#include "base/spell.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <string.h>

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

static sheaf_status refuse_rest(const sheaf_grouping *g, int64_t row, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: expected nothing but zeros after the %" PRId64 " samples of sequence %" PRId64
	                  ", as many as its length says, found others (" SHEAF_OPTION(
						  "lengths") " with the file of the lengths leaves them out of a dense "
	                                 "tensor, " SHEAF_OPTION("lengths") " none keeps them)",
	                  g->name, g->lengths[row], row);
}

/* ---- sparse ---- */

typedef struct filling {
	const sheaf_grouping *g;
	const sheaf_frame *entries;
	sheaf_level_builder *rows, *level; /* samples of each row; entries of each sample */
	int64_t samples;                   /* that are complete */
	int64_t first;                     /* number of the first row */
	int64_t row;                       /* under way, counted from the first */
	int64_t begun;                     /* samples of it */
} filling;

static void end_sample(filling *f, int64_t entry)
{
	sheaf_level_end(f->level, entry);
	f->samples++;
}

/* Begins samples up to number `sample` of the row. */
static void begin_samples(filling *f, int64_t sample, int64_t entry)
{
	for (; f->begun <= sample && !f->level->offsets.failed; f->begun++)
		if (f->begun > 0) end_sample(f, entry);
}

/* A row ends with the last of its samples that has an entry, unless its length is known, or is one anyway. */
static void end_row(filling *f, int64_t entry)
{
	if (f->g->lengths) begin_samples(f, f->g->lengths[f->first + f->row] - 1, entry);
	if (f->begun > 0 || f->g->one_sample) end_sample(f, entry);
	sheaf_level_end(f->rows, f->samples);
	f->begun = 0;
	f->row++;
}

static sheaf_status refuse_order(const filling *f, int64_t e, sheaf_error *err)
{
	return sheaf_fail(
		err, SHEAF_DATA,
		"%s: expected entries in the order of rows, and in order within them, found one of row %" PRId64
		" elsewhere",
		f->g->name, sheaf_group_row(f->g, f->entries, e));
}

/* Reported at the end of building. */
static bool has_failed(const filling *f)
{
	return f->rows->offsets.failed || f->level->offsets.failed || f->level->indices->failed;
}

static sheaf_status fill_sparse(filling *f, int64_t n, sheaf_error *err)
{
	int64_t last = -1, count = f->entries->nrows;
	const int64_t *lengths = f->g->lengths ? f->g->lengths + f->first : NULL;
	for (int64_t e = 0; e < count && !has_failed(f); e++) {
		int64_t row = sheaf_group_row(f->g, f->entries, e) - f->first,
				sample = sample_of(f->g, f->entries, e), element = element_of(f->g, f->entries, e);
		if (row < f->row || row >= n) return refuse_order(f, e, err);
		if (lengths && sample >= lengths[row]) return refuse_rest(f->g, f->first + row, err);
		while (f->row < row && !has_failed(f)) end_row(f, e);
		if (sample >= f->begun) last = -1;
		if (has_failed(f)) break;
		if (sample + 1 < f->begun || element <= last) return refuse_order(f, e, err);
		begin_samples(f, sample, e);
		last = element;
		sheaf_put_index(f->level->indices, f->level->shape->index_type, element);
	}
	while (f->row < n && !has_failed(f)) end_row(f, count);
	return SHEAF_OK;
}

/* ---- dense ---- */

static sheaf_status check_dense(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                                sheaf_error *err)
{
	int64_t e = 0, each = g->samples * g->dim;
	int64_t wanted;
	if (!sheaf_mul_i64(&wanted, n, each) || entries->nrows != wanted)
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

/* The samples that rows [row, row + n) have, without those that fill them up. */
static sheaf_status trim(const sheaf_grouping *g, const sheaf_column *padded, int64_t row, int64_t n,
                         sheaf_frame_builder *to, sheaf_error *err)
{
	size_t sample = (size_t)g->dim * sheaf_type_size(padded->type), all = (size_t)g->samples * sample;
	const uint8_t *at = padded->values.data;
	sheaf_column_builder *column = &to->columns[0];
	int64_t end = 0;
	for (int64_t r = row; r < row + n && !column->values.failed; r++, at += all) {
		size_t kept = (size_t)g->lengths[r] * sample;
		to->nrows = r - row; /* where the rest is refused, these are complete */
		/* Whether a byte after the kept ones is not 0: the first, or one that differs from the byte before
		 * it. */
		const uint8_t *rest = at + kept;
		if (!g->cuts && all > kept && (rest[0] != 0 || memcmp(rest, rest + 1, all - kept - 1) != 0))
			return refuse_rest(g, r, err);
		sheaf_builder_append(&column->values, at, kept);
		sheaf_level_end(&column->levels[0], end += g->lengths[r]);
	}
	to->nrows = n;
	return SHEAF_OK;
}

/* Values of a dense tensor stay where they are, unless they were padded: rows only say where theirs begin. */
sheaf_status sheaf_group(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                         sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_column_builder *column = &to->columns[0];
	const sheaf_column *from = &entries->columns[g->rank];
	if (g->dense) SHEAF_TRY(check_dense(g, entries, row, n, err));
	if (g->dense && g->lengths) return trim(g, from, row, n, to, err);
	sheaf_buffer values = sheaf_buffer_ref(&from->values);
	sheaf_builder_hold(&column->values, &values);
	for (int64_t r = 1; g->dense && r <= n && !column->levels[0].offsets.failed; r++)
		sheaf_level_end(&column->levels[0], r * g->samples);
	if (g->dense) to->nrows = n;
	if (g->dense) return SHEAF_OK;
	filling f = {
		.g = g, .entries = entries, .rows = &column->levels[0], .level = &column->levels[1], .first = row};
	SHEAF_TRY(fill_sparse(&f, n, err));
	to->nrows = n;
	return SHEAF_OK;
}
