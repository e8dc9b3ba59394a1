/* SPDX-License-Identifier: MIT */
/* A tensor that is one row as entries. The levels of the row are what files have, arrays of pointers and
 * indices, except that they are in memory: so its entries are made like those of a file. A matrix by rows, of
 * levels FIXED and COORD, becomes
 *
 *     offsets 0 2 2 3   indices 1 3 2   values 5 7 9      entries  (0,1) 5   (0,3) 7   (2,2) 9
 *
 * Values, which have the order of the entries, are shared, and so are the indices of the last level where
 * they have the type of the coordinates. */
#include "sparse/unroll.h"
#include "base/need.h"
#include "sparse/sparse.h"
#include <sheaf/tensor.h>
#include <string.h>

sheaf_status sheaf_unroll_schema(const sheaf_schema *whole, sheaf_context *cx, sheaf_schema *out,
                                 sheaf_error *err)
{
	const sheaf_field *value = &whole->fields[0];
	sheaf_tensor tensor = whole->tensor;
	tensor.dense = true;
	*out = (sheaf_schema){.cx = cx};
	for (int l = 0; l < value->nlevels; l++) tensor.dense &= value->levels[l].kind == SHEAF_FIXED;
	SHEAF_TRY(sheaf_schema_add_entries(out, &tensor, value->meaning, value->type, err));
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < whole->nattributes && !status; i++) {
		const sheaf_attribute *a = &whole->attributes[i];
		status = sheaf_schema_put_attribute(out, cx, a->name, a->text, a->loss, err);
	}
	if (status) sheaf_schema_free(out);
	return status;
}

/* The levels of the row as stored arrays, which borrow its buffers. */
static sheaf_sparse arrays_of(const sheaf_unrolled *from)
{
	const sheaf_column *column = &from->frame->columns[0];
	const sheaf_tensor *tensor = &from->whole->tensor;
	sheaf_sparse s = {.cx = from->cx, .where = "tensor", .counts = {1}};
	s.levels.rank = tensor->rank;
	s.levels.nlevels = column->nlevels - (from->whole->fields[0].meaning == SHEAF_COMPLEX);
	memcpy(s.levels.order, tensor->order, sizeof s.levels.order);
	memcpy(s.shape, tensor->shape, sizeof s.shape);
	for (int l = 0, k = 0; l < s.levels.nlevels; k += s.levels.levels[l++].rank) {
		const sheaf_level *level = &column->levels[l];
		bool is_sparse = level->shape.kind == SHEAF_COORD;
		int64_t n = s.counts[l], below = is_sparse ? sheaf_level_offsets(level)[n] : n * level->shape.extent;
		s.counts[l + 1] = below;
		s.levels.levels[l] = (sheaf_stored_level){is_sparse, is_sparse ? level->shape.rank : 1};
		if (is_sparse)
			s.pointers[l] =
				(sheaf_stored_array){.count = n + 1, .held = level->offsets, .held_as = SHEAF_I64};
		for (int r = 0; r < level->shape.rank; r++)
			s.indices[k + r] = (sheaf_stored_array){
				.count = below, .held = level->indices[r], .held_as = level->shape.index_type};
	}
	return s;
}

sheaf_status sheaf_unroll_count(const sheaf_unrolled *from, int64_t *out, sheaf_error *err)
{
	if (from->frame->nrows != 1)
		return sheaf_fail(err, SHEAF_DATA, "tensor: expected it as one row, found %lld rows",
		                  (long long)from->frame->nrows);
	sheaf_sparse s = arrays_of(from);
	*out = sheaf_sparse_entries(&s);
	return SHEAF_OK;
}

/* Coordinates are made like those of a file; values are a part of the row's own buffer, which is shared. */
sheaf_status sheaf_unroll_part(const sheaf_unrolled *from, sheaf_run part, sheaf_frame *out, sheaf_error *err)
{
	sheaf_frame_builder b;
	sheaf_sparse s = arrays_of(from);
	const sheaf_field *value = &from->whole->fields[0];
	size_t size = sheaf_type_size(value->type) * (value->meaning == SHEAF_COMPLEX ? 2 : 1);
	sheaf_status status = sheaf_frame_builder_begin(&b, from->entries, out, from->cx, err);
	if (!status) status = sheaf_sparse_put_run(&s, part, &b, err);
	if (!status) {
		sheaf_buffer values = sheaf_buffer_part(&from->frame->columns[0].values, (size_t)part.begin * size,
		                                        (size_t)sheaf_run_length(part) * size);
		sheaf_builder_hold(&b.columns[s.levels.rank].values, &values);
		b.nrows = sheaf_run_length(part);
	}
	return sheaf_frame_builder_end(&b, status, out, err);
}

sheaf_status sheaf_frame_unroll(const sheaf_frame *whole, const sheaf_schema *schema, sheaf_context *cx,
                                sheaf_schema *entries, sheaf_frame *out, sheaf_error *err)
{
	SHEAF_NEED(entries, "a place for the schema");
	SHEAF_NEED(out, "a place for the outcome");
	*entries = (sheaf_schema){0};
	*out = (sheaf_frame){0};
	SHEAF_NEED(cx, "a context");
	SHEAF_TRY(sheaf_frame_fits(__func__, whole, schema, err));
	if (schema->rows != SHEAF_WHOLE)
		return sheaf_misuse(err, __func__, "expected a tensor that is one row, found %s",
		                    sheaf_row_kind_name(schema->rows));
	SHEAF_TRY(sheaf_unroll_schema(schema, cx, entries, err));
	sheaf_unrolled from = {whole, schema, entries, cx};
	int64_t n = 0;
	sheaf_status status = sheaf_unroll_count(&from, &n, err);
	if (!status && n)
		status = sheaf_unroll_part(&from, (sheaf_run){0, n}, out, err);
	else if (!status)
		status = sheaf_frame_begin(out, entries, cx, err);
	if (!status) return SHEAF_OK;
	sheaf_frame_free(out);
	sheaf_schema_free(entries);
	return status;
}
