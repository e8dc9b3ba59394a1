/* SPDX-License-Identifier: MIT */
/* A packed batch as rows that files can hold: each row of the grid becomes a sequence, with a sample for each
 * step. For a stream X there are
 *
 *     X        its samples; zeros where the grid has none
 *     X.mask   1 for each step that has a sample, 0 for the others
 *     X.key    for each step the key of the sequence to which its sample belongs, and
 *     X.step   the number of that sample in its sequence
 *
 * X.key and X.step are there only if a row may have several sequences; otherwise the frame has a key for each
 * row. */
#include "base/memory.h"
#include "base/need.h"
#include "batch/batches.h"
#include "frame/frame_builder.h"
#include <sheaf/build.h>
#include <stdio.h>
#include <string.h>

/* Whether each sequence has a row of its own, which then has its key. */
static bool is_row_each(const sheaf_batches *batches)
{
	return batches->settings.packing == SHEAF_PACK_PADDED || batches->settings.packing == SHEAF_PACK_FRAMES;
}

/* ---- the schema ---- */

/* Adds a stream STREAM.WHAT of one value for each sample. */
static sheaf_status add_beside(sheaf_schema *to, const char *stream, const char *what, sheaf_type type,
                               sheaf_error *err)
{
	char *name;
	size_t size = strlen(stream) + strlen(what) + 2;
	SHEAF_TRY(sheaf_allocate(to->cx, size, &name, err));
	snprintf(name, size, "%s.%s", stream, what);
	sheaf_status status = sheaf_schema_add_dense(to, name, 1, type, err);
	sheaf_release(to->cx, name, size);
	return status;
}

/* ---- columns ---- */

/* A stream of a batch on its way into a frame. */
typedef struct filling {
	const sheaf_packed *packed;
	const sheaf_field *field;
	sheaf_frame_builder *to;
	int64_t nrows; /* of the frame: as many as the longest grid of the batch has */
} filling;

/* Puts the offsets of all rows of the frame into a column: each row has `width` samples. Rows that only the
 * grids of other streams have are as wide as the rows of this grid. */
static void put_rows(const filling *f, int column)
{
	for (int64_t row = 0; row <= f->nrows; row++) {
		int64_t begin = row * f->packed->width;
		sheaf_build_copy(f->to, column, SHEAF_PART_OFFSETS, 0, &begin, 1);
	}
}

static int64_t place_of(const sheaf_packed *packed, int64_t row, int64_t step)
{
	return row * packed->row_stride + step * packed->step_stride;
}

/* Puts the samples of a grid into a column, row by row: `from` has them in the order of the grid, each of
 * `count` values of `size` bytes. Rows that the grid does not have get zeros. */
static void put_samples(const filling *f, int column, const uint8_t *from, size_t size, int64_t count)
{
	static const uint64_t zero;
	const sheaf_packed *packed = f->packed;
	int64_t steps = packed->step_stride == 1 ? packed->width : 1; /* that follow one another in the grid */
	put_rows(f, column);
	for (int64_t row = 0; row < packed->rows; row++)
		for (int64_t w = 0; w < packed->width; w += steps)
			sheaf_build_copy(f->to, column, SHEAF_PART_VALUES, 0,
			                 from + (size_t)(place_of(packed, row, w) * count) * size, steps * count);
	for (int64_t row = packed->rows; row < f->nrows && !f->to->failure.status; row++)
		for (int64_t i = 0; i < packed->width * count; i++)
			sheaf_build_copy(f->to, column, SHEAF_PART_VALUES, 0, &zero, 1);
}

/* Puts the entries of a sparse grid into a column, place by place: the offsets of their places, the indices
 * and the values. Places that the grid does not have, and those without a sample, have no entries. */
static void put_sparse(const filling *f, int column)
{
	const sheaf_packed *packed = f->packed;
	const int32_t *starts = (const int32_t *)(const void *)packed->starts.data;
	const int32_t *indices = (const int32_t *)(const void *)packed->indices.data;
	size_t size = sheaf_type_size(f->field->type);
	int64_t end = 0;
	put_rows(f, column);
	sheaf_build_copy(f->to, column, SHEAF_PART_OFFSETS, 1, &end, 1);
	for (int64_t i = 0; i < f->nrows * packed->width; i++) {
		bool is_in_grid = i < packed->rows * packed->width;
		int64_t place = is_in_grid ? place_of(packed, i / packed->width, i % packed->width) : 0;
		int64_t from = starts[place], n = is_in_grid ? starts[place + 1] - from : 0;
		end += n;
		sheaf_build_copy(f->to, column, SHEAF_PART_OFFSETS, 1, &end, 1);
		if (n == 0) continue;
		sheaf_build_copy(f->to, column, SHEAF_PART_INDICES, 0, indices + from, n);
		sheaf_build_copy(f->to, column, SHEAF_PART_VALUES, 0, packed->values.data + (size_t)from * size, n);
	}
}

/* Puts a column with a number for each place of the grid: the key of the sequence to which its sample
 * belongs, or, if `keys` is NULL, the number of the sample in its sequence; 0 where there is no sample. A
 * sequence that truncation has cut may begin before the grid (a negative step) and end after it. */
static sheaf_status put_marks(const filling *f, int column, const uint64_t *keys, sheaf_context *cx,
                              sheaf_error *err)
{
	const sheaf_packed *packed = f->packed;
	uint64_t *marks, places = (uint64_t)(packed->rows * packed->width);
	SHEAF_TRY(sheaf_allocate_array(cx, places, sizeof *marks, &marks, err));
	for (const sheaf_placed *p = packed->placed; p < packed->placed + packed->nplaced; p++) {
		int64_t end = p->end < packed->width ? p->end : packed->width;
		for (int64_t w = p->begin > 0 ? p->begin : 0; w < end; w++)
			marks[place_of(packed, p->row, w)] = keys ? keys[p->sequence] : (uint64_t)(w - p->begin);
	}
	put_samples(f, column, (const uint8_t *)marks, sizeof *marks, 1);
	sheaf_release(cx, marks, (size_t)places * sizeof *marks);
	return SHEAF_OK;
}

/* Puts all columns of the frame, in the order in which sheaf_batch_grid has added their fields. */
static sheaf_status put_all(const sheaf_batches *batches, const sheaf_batch *batch, sheaf_frame_builder *to,
                            sheaf_error *err)
{
	bool alone = is_row_each(batches);
	int64_t nrows = 0;
	int column = 0;
	for (int p = 0; p < batch->npacked; p++)
		if (batch->packed[p].rows > nrows) nrows = batch->packed[p].rows;
	if (alone) sheaf_build_copy(to, column++, SHEAF_PART_VALUES, 0, batch->keys, nrows);
	for (int p = 0; p < batch->npacked; p++) {
		const sheaf_packed *packed = &batch->packed[p];
		const sheaf_field *field = &sheaf_batches_schema(batches)->fields[packed->field];
		filling f = {packed, field, to, nrows};
		if (sheaf_field_is_sparse(field))
			put_sparse(&f, column++);
		else
			put_samples(&f, column++, packed->values.data, sheaf_type_size(field->type),
			            sheaf_field_dim(field));
		put_samples(&f, column++, packed->mask.data, 1, 1);
		if (alone) continue;
		SHEAF_TRY(put_marks(&f, column++, batch->keys, batches->cx, err));
		SHEAF_TRY(put_marks(&f, column++, NULL, batches->cx, err));
	}
	sheaf_build_rows(to, nrows);
	return SHEAF_OK;
}

/* *schema and *out are the caller's to free; on failure nothing is left in them. */
sheaf_status sheaf_batch_grid(const sheaf_batches *batches, const sheaf_batch *batch, sheaf_schema *schema,
                              sheaf_frame *out, sheaf_error *err)
{
	SHEAF_NEED(schema, "a place for the schema");
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(batches, "batches");
	SHEAF_NEED(batch, "a batch");
	*schema = (sheaf_schema){.cx = batches->cx};
	*out = (sheaf_frame){0};
	bool alone = is_row_each(batches);
	if (!batch->packed) return sheaf_fail(err, SHEAF_USAGE, "the batch is not packed: it has a frame");
	sheaf_frame_builder *builder = NULL;
	sheaf_status status = alone ? sheaf_schema_add_keys(schema, err) : SHEAF_OK;
	for (int p = 0; p < batch->npacked && !status; p++) {
		const sheaf_field *field = &sheaf_batches_schema(batches)->fields[batch->packed[p].field];
		int64_t dim = sheaf_field_dim(field);
		status = sheaf_field_is_sparse(field)
		             ? sheaf_schema_add_sparse(schema, field->name, dim, field->type, err)
		             : sheaf_schema_add_dense(schema, field->name, dim, field->type, err);
		if (!status) status = add_beside(schema, field->name, "mask", SHEAF_U8, err);
		if (!status && !alone) status = add_beside(schema, field->name, "key", SHEAF_U64, err);
		if (!status && !alone) status = add_beside(schema, field->name, "step", SHEAF_I64, err);
	}
	if (status == SHEAF_OK) status = sheaf_frame_builder_new(schema, batches->cx, &builder, err);
	if (status == SHEAF_OK) status = put_all(batches, batch, builder, err);
	if (status == SHEAF_OK) status = sheaf_frame_builder_take(builder, out, err);
	sheaf_frame_builder_free(builder);
	if (status) sheaf_schema_free(schema);
	return status;
}
