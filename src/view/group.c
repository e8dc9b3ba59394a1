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

/* Derives from a tensor's shape how its entries become rows: the first dimension counts rows, the second
 * one samples if there are more than two dimensions, and the product of the others is the number of elements
 * in a sample. */
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

/* The index of an entry within its sample: the coordinates after those of the row and the sample as one
 * number, in which the last dimension varies fastest. */
static int64_t element_of(const sheaf_grouping *g, const sheaf_frame *entries, int64_t e)
{
	int64_t element = 0;
	for (int d = g->one_sample ? 1 : 2; d < g->rank; d++)
		element = element * g->shape[d] + coordinate(entries, d, e);
	return element;
}

/* Fails because a sequence has values after its last sample: `row` is its number. */
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

/* The state of grouping a frame of sparse entries into rows. */
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

/* Begins all samples of the current row up to number `sample`, which ends those before it: samples without
 * entries are empty. `entry` is the number of entries before the sample, which is where the samples before it
 * end. A sample is ended only when the next one begins, or its row ends. */
static void begin_samples(filling *f, int64_t sample, int64_t entry)
{
	for (; f->begun <= sample && !f->level->offsets.failed; f->begun++)
		if (f->begun > 0) end_sample(f, entry);
}

/* Ends the current row; entries before number `entry` are its last ones. A row ends with the last of its
 * samples that has an entry, unless a length says how many samples it has, or each row has exactly one. */
static void end_row(filling *f, int64_t entry)
{
	if (f->g->lengths) begin_samples(f, f->g->lengths[f->first + f->row] - 1, entry);
	if (f->begun > 0 || f->g->one_sample) end_sample(f, entry);
	sheaf_level_end(f->rows, f->samples);
	f->begun = 0;
	f->row++;
}

/* Fails because entry e is not where the order of rows, samples and elements wants it. */
static sheaf_status refuse_order(const filling *f, int64_t e, sheaf_error *err)
{
	return sheaf_fail(
		err, SHEAF_DATA,
		"%s: expected entries in the order of rows, and in order within them, found one of row %" PRId64
		" elsewhere",
		f->g->name, sheaf_group_row(f->g, f->entries, e));
}

/* Whether memory has run out in one of the builders. Loops stop then, and building reports it at its
 * end. */
static bool has_failed(const filling *f)
{
	return f->rows->offsets.failed || f->level->offsets.failed || f->level->indices->failed;
}

/* Puts the entries of n rows, which begin with row f->first, into rows, samples and elements. Entries must
 * ascend by row, sample and element: `last_element` is the last one of the current sample, or -1 before the
 * first. Rows without entries, also those at the end, are empty. */
static sheaf_status fill_sparse(filling *f, int64_t nrows, sheaf_error *err)
{
	int64_t last_element = -1, count = f->entries->nrows;
	const int64_t *lengths = f->g->lengths ? f->g->lengths + f->first : NULL;
	for (int64_t e = 0; e < count && !has_failed(f); e++) {
		int64_t row = sheaf_group_row(f->g, f->entries, e) - f->first,
				sample = sample_of(f->g, f->entries, e), element = element_of(f->g, f->entries, e);
		if (row < f->row || row >= nrows) return refuse_order(f, e, err);
		if (lengths && sample >= lengths[row]) return refuse_rest(f->g, f->first + row, err);
		while (f->row < row && !has_failed(f)) end_row(f, e);
		if (sample >= f->begun) last_element = -1;
		if (has_failed(f)) break;
		if (sample + 1 < f->begun || element <= last_element) return refuse_order(f, e, err);
		begin_samples(f, sample, e);
		last_element = element;
		sheaf_put_index(f->level->indices, f->level->shape->index_type, element);
	}
	while (f->row < nrows && !has_failed(f)) end_row(f, count);
	return SHEAF_OK;
}

/* ---- dense ---- */

/* Checks that the entries of rows [row, row + n) of a dense tensor are all there, and in the order of rows,
 * samples and elements, so that their values can be taken as they are. */
static sheaf_status check_dense(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                                sheaf_error *err)
{
	int64_t e = 0, row_entries = g->samples * g->dim;
	int64_t wanted;
	if (!sheaf_mul_i64(&wanted, n, row_entries) || entries->nrows != wanted)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected %" PRId64 " entries in each of %" PRId64
		                  " rows, since the tensor is dense, found %" PRId64 " in all",
		                  g->name, row_entries, n, entries->nrows);
	for (int64_t r = row; r < row + n; r++)
		for (int64_t sample = 0; sample < g->samples; sample++)
			for (int64_t element = 0; element < g->dim; element++, e++) {
				bool is_in_place = sheaf_group_row(g, entries, e) == r &&
				                   sample_of(g, entries, e) == sample && element_of(g, entries, e) == element;
				if (!is_in_place)
					return sheaf_fail(err, SHEAF_DATA,
					                  "%s: expected all entries in the order of rows, since the tensor is "
					                  "dense, found entry %" PRId64 " elsewhere",
					                  g->name, e);
			}
	return SHEAF_OK;
}

/* Copies the samples that rows [row, row + n) have out of the padded values of a dense tensor, where each
 * row takes as many samples as the longest one. What is left out must be zeros, unless somebody has named the
 * lengths (`cuts`). On failure, the rows before the bad one are complete and counted in to->nrows. */
static sheaf_status trim(const sheaf_grouping *g, const sheaf_column *padded, int64_t row, int64_t n,
                         sheaf_frame_builder *to, sheaf_error *err)
{
	size_t sample_bytes = (size_t)g->dim * sheaf_type_size(padded->type),
		   row_bytes = (size_t)g->samples * sample_bytes;
	const uint8_t *row_values = padded->values.data;
	sheaf_column_builder *column = &to->columns[0];
	int64_t samples_end = 0;
	for (int64_t r = row; r < row + n && !column->values.failed; r++, row_values += row_bytes) {
		size_t kept_bytes = (size_t)g->lengths[r] * sample_bytes;
		to->nrows = r - row; /* where the rest is refused, these are complete */
		/* All bytes of the rest are 0 if the first one is, and each one equals the byte before it: memcmp
		 * compares the rest with itself, moved by one byte. */
		const uint8_t *rest = row_values + kept_bytes;
		if (!g->cuts && row_bytes > kept_bytes &&
		    (rest[0] != 0 || memcmp(rest, rest + 1, row_bytes - kept_bytes - 1) != 0))
			return refuse_rest(g, r, err);
		sheaf_builder_append(&column->values, row_values, kept_bytes);
		sheaf_level_end(&column->levels[0], samples_end += g->lengths[r]);
	}
	to->nrows = n;
	return SHEAF_OK;
}

/* Builds the rows [row, row + n) of the stream from their entries. Values stay in the buffer of the
 * entries, which the frame shares, unless padding has to be left out of them: only the ends of rows and
 * samples, and the indices of sparse samples, are made. */
sheaf_status sheaf_group(const sheaf_grouping *g, const sheaf_frame *entries, int64_t row, int64_t n,
                         sheaf_frame_builder *to, sheaf_error *err)
{
	sheaf_column_builder *column = &to->columns[0];
	const sheaf_column *from = &entries->columns[g->rank];
	if (g->dense) SHEAF_TRY(check_dense(g, entries, row, n, err));
	if (g->dense && g->lengths) return trim(g, from, row, n, to, err);
	sheaf_buffer values = sheaf_buffer_ref(&from->values);
	sheaf_builder_hold(&column->values, &values);
	if (g->dense) {
		for (int64_t r = 1; r <= n && !column->levels[0].offsets.failed; r++)
			sheaf_level_end(&column->levels[0], r * g->samples);
		to->nrows = n;
		return SHEAF_OK;
	}
	filling f = {
		.g = g, .entries = entries, .rows = &column->levels[0], .level = &column->levels[1], .first = row};
	SHEAF_TRY(fill_sparse(&f, n, err));
	to->nrows = n;
	return SHEAF_OK;
}
