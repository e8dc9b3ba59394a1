/* SPDX-License-Identifier: MIT */
/* A packed batch as rows that files hold: each row of the grid is a sequence, with a sample for each step.
 * Streams beside it say which of these samples are there, and whose they are. */
#include "base/memory.h"
#include "base/need.h"
#include "batch/batches.h"
#include "data/frame_builder.h"
#include <sheaf/build.h>
#include <stdio.h>
#include <string.h>

/* Whether each sequence has a row of its own, which then has its key. Otherwise each sample has the key of
 * its sequence, and its number in that. */
static bool is_row_each(const sheaf_batches *batches)
{
	return batches->settings.packing == SHEAF_PACK_PADDED || batches->settings.packing == SHEAF_PACK_FRAMES;
}

/* ---- the schema ---- */

static sheaf_status add_beside(sheaf_schema *to, const char *stream, const char *what, sheaf_type type,
                               sheaf_error *err)
{
	void *name;
	size_t size = strlen(stream) + strlen(what) + 2;
	SHEAF_TRY(sheaf_allocate(to->cx, size, &name, err));
	snprintf(name, size, "%s.%s", stream, what);
	sheaf_status status = sheaf_schema_add_dense(to, name, 1, type, err);
	sheaf_release(to->cx, name, size);
	return status;
}

/* Adds the stream, its mask and, if `marked`, the keys and numbers of its samples. */
static sheaf_status add_stream(sheaf_schema *to, const sheaf_field *field, bool marked, sheaf_error *err)
{
	int64_t dim = sheaf_field_dim(field);
	SHEAF_TRY(sheaf_field_is_sparse(field)
	              ? sheaf_schema_add_sparse(to, field->name, dim, field->type, err)
	              : sheaf_schema_add_dense(to, field->name, dim, field->type, err));
	SHEAF_TRY(add_beside(to, field->name, "mask", SHEAF_U8, err));
	if (!marked) return SHEAF_OK;
	SHEAF_TRY(add_beside(to, field->name, "key", SHEAF_U64, err));
	return add_beside(to, field->name, "step", SHEAF_I64, err);
}

static sheaf_status make_schema(const sheaf_batches *batches, const sheaf_batch *batch, sheaf_schema *out,
                                sheaf_error *err)
{
	bool alone = is_row_each(batches);
	const sheaf_schema *from = sheaf_batches_schema(batches);
	if (alone) SHEAF_TRY(sheaf_schema_add_keys(out, err));
	for (int p = 0; p < batch->npacked; p++)
		SHEAF_TRY(add_stream(out, &from->fields[batch->packed[p].field], !alone, err));
	return SHEAF_OK;
}

/* ---- columns ---- */

/* A stream of a grid on its way into a frame of `nrows` rows: at least as many as the grid has. */
typedef struct filling {
	const sheaf_packed *packed;
	const sheaf_field *field;
	sheaf_frame_builder *to;
	int64_t nrows;
} filling;

/* Rows that only other grids have are as long, so that all rows of a stream are. */
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

/* Samples of `count` values, each of `size` bytes, from the order of the grid to that of rows; zeros in rows
 * that the grid does not have. */
static void put_samples(const filling *f, int column, const uint8_t *from, size_t size, int64_t count)
{
	static const uint64_t zero;
	const sheaf_packed *packed = f->packed;
	int64_t steps = packed->step_stride == 1 ? packed->width : 1;
	put_rows(f, column);
	for (int64_t row = 0; row < packed->rows; row++)
		for (int64_t w = 0; w < packed->width; w += steps)
			sheaf_build_copy(f->to, column, SHEAF_PART_VALUES, 0,
			                 from + (size_t)(place_of(packed, row, w) * count) * size, steps * count);
	for (int64_t row = packed->rows; row < f->nrows && !f->to->failure.status; row++)
		for (int64_t i = 0; i < packed->width * count; i++)
			sheaf_build_copy(f->to, column, SHEAF_PART_VALUES, 0, &zero, 1);
}

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
		bool there = i < packed->rows * packed->width;
		int64_t place = there ? place_of(packed, i / packed->width, i % packed->width) : 0;
		int64_t from = starts[place], n = there ? starts[place + 1] - from : 0;
		end += n;
		sheaf_build_copy(f->to, column, SHEAF_PART_OFFSETS, 1, &end, 1);
		if (n == 0) continue;
		sheaf_build_copy(f->to, column, SHEAF_PART_INDICES, 0, indices + from, n);
		sheaf_build_copy(f->to, column, SHEAF_PART_VALUES, 0, packed->values.data + (size_t)from * size, n);
	}
}

/* Of each sample the key of its sequence (`keys`) or, if that is NULL, its number in the sequence; 0 where
 * there is none. */
static sheaf_status put_marks(const filling *f, int column, const uint64_t *keys, sheaf_context *cx,
                              sheaf_error *err)
{
	const sheaf_packed *packed = f->packed;
	void *memory;
	uint64_t places = (uint64_t)(packed->rows * packed->width);
	SHEAF_TRY(sheaf_allocate_array(cx, places, sizeof(uint64_t), &memory, err));
	uint64_t *marks = (uint64_t *)memory;
	for (const sheaf_placed *p = packed->placed; p < packed->placed + packed->nplaced; p++) {
		int64_t end = p->end < packed->width ? p->end : packed->width;
		for (int64_t w = p->begin > 0 ? p->begin : 0; w < end; w++)
			marks[place_of(packed, p->row, w)] = keys ? keys[p->sequence] : (uint64_t)(w - p->begin);
	}
	put_samples(f, column, (const uint8_t *)marks, sizeof *marks, 1);
	sheaf_release(cx, memory, (size_t)places * sizeof *marks);
	return SHEAF_OK;
}

/* Puts a stream and those beside it into the columns from `column` on. */
static sheaf_status put_stream(const filling *f, int *column, const uint64_t *keys, sheaf_context *cx,
                               sheaf_error *err)
{
	int64_t dim = sheaf_field_dim(f->field);
	int at = (*column)++;
	if (sheaf_field_is_sparse(f->field))
		put_sparse(f, at);
	else
		put_samples(f, at, f->packed->values.data, sheaf_type_size(f->field->type), dim);
	put_samples(f, (*column)++, f->packed->mask.data, 1, 1);
	if (!keys) return SHEAF_OK;
	SHEAF_TRY(put_marks(f, (*column)++, keys, cx, err));
	return put_marks(f, (*column)++, NULL, cx, err);
}

/* ---- a frame ---- */

static int64_t count_rows(const sheaf_batch *batch)
{
	int64_t rows = 0;
	for (int p = 0; p < batch->npacked; p++)
		if (batch->packed[p].rows > rows) rows = batch->packed[p].rows;
	return rows;
}

static sheaf_status put_all(const sheaf_batches *batches, const sheaf_batch *batch, sheaf_frame_builder *to,
                            sheaf_error *err)
{
	bool alone = is_row_each(batches);
	int64_t nrows = count_rows(batch);
	int column = alone ? 1 : 0;
	if (alone) sheaf_build_copy(to, 0, SHEAF_PART_VALUES, 0, batch->keys, nrows);
	for (int p = 0; p < batch->npacked; p++) {
		const sheaf_packed *packed = &batch->packed[p];
		filling f = {packed, &sheaf_batches_schema(batches)->fields[packed->field], to, nrows};
		SHEAF_TRY(put_stream(&f, &column, alone ? NULL : batch->keys, batches->cx, err));
	}
	sheaf_build_rows(to, nrows);
	return SHEAF_OK;
}

static sheaf_status make_frame(const sheaf_batches *batches, const sheaf_batch *batch,
                               const sheaf_schema *schema, sheaf_frame *out, sheaf_error *err)
{
	sheaf_frame_builder *builder;
	SHEAF_TRY(sheaf_frame_builder_new(schema, batches->cx, &builder, err));
	sheaf_status status = put_all(batches, batch, builder, err);
	if (status == SHEAF_OK) status = sheaf_frame_builder_take(builder, out, err);
	sheaf_frame_builder_free(builder);
	return status;
}

sheaf_status sheaf_batch_grid(const sheaf_batches *batches, const sheaf_batch *batch, sheaf_schema *schema,
                              sheaf_frame *out, sheaf_error *err)
{
	SHEAF_NEED(schema, "a place for the schema");
	SHEAF_NEED(out, "a place for the outcome");
	SHEAF_NEED(batches, "batches");
	SHEAF_NEED(batch, "a batch");
	*schema = (sheaf_schema){.cx = batches->cx};
	*out = (sheaf_frame){0};
	if (!batch->packed)
		return sheaf_fail(err, SHEAF_USAGE, "batch: expected one that is packed, found one with a frame");
	sheaf_status status = make_schema(batches, batch, schema, err);
	if (status == SHEAF_OK) status = make_frame(batches, batch, schema, out, err);
	if (status) sheaf_schema_free(schema);
	return status;
}
