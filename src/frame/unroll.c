/* SPDX-License-Identifier: MIT */
/* A tensor that is one row as entries: each coordinate is written once for every entry below its position. A
 * matrix by rows, of levels FIXED and COORD, becomes
 *
 *     offsets 0 2 2 3   indices 1 3 2   values 5 7 9      entries  (0,1) 5   (0,3) 7   (2,2) 9
 *
 * Values, which have the order of the entries, are shared; only coordinates are new. */
#include "frame/unroll.h"
#include "base/need.h"
#include "frame/frame_builder.h"
#include <sheaf/arrays.h>
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

/* A part of the entries, being made. */
typedef struct unrolling {
	const sheaf_tensor_arrays *arrays;
	const sheaf_schema *entries;
	sheaf_frame_builder *to;
	sheaf_run below; /* the positions below the current level that have entries of the part */
	sheaf_buffer
		starts; /* where in the part the entries of each begin, and one more; none: each is an entry */
	int64_t counts[SHEAF_MAX_RANK + 1];
	int ranks[SHEAF_MAX_RANK + 1], nlevels;
	sheaf_context *cx;
	sheaf_error *err;
} unrolling;

/* ---- coordinates ---- */

static const int64_t *starts_of(const unrolling *u)
{
	return u->starts.size ? sheaf_i64s(u->starts.data) : NULL;
}

/* The coordinates in one dimension: a position's coordinate for each of its entries. Those of a dense level
 * are counted; `next` is that of the next position. */
static void put_coordinates(const unrolling *u, int dimension, const sheaf_items *indices, int64_t extent)
{
	const int64_t *starts = starts_of(u);
	sheaf_type type = u->entries->fields[dimension].type;
	size_t size = sheaf_type_size(type);
	int64_t positions = sheaf_run_length(u->below), n = starts ? starts[positions] : positions;
	int64_t next = u->below.begin % extent;
	uint8_t *to = sheaf_builder_extend(&u->to->columns[dimension].values, (uint64_t)n * size);
	for (int64_t q = 0; to && q < positions; q++) {
		int64_t at = indices->data ? sheaf_items_integer(indices, u->below.begin + q) : next;
		int32_t narrow = (int32_t)at;
		const void *from = type == SHEAF_I32 ? (const void *)&narrow : (const void *)&at;
		for (int64_t times = starts ? starts[q + 1] - starts[q] : 1; times > 0; times--, to += size)
			memcpy(to, from, size);
		next = next + 1 == extent ? 0 : next + 1;
	}
}

/* ---- levels ---- */

/* The position above, one of n, that contains position q. */
static int64_t above_of(const int64_t *pointers, int64_t extent, int64_t n, int64_t q)
{
	int64_t low = 0, high = n;
	if (!pointers) return q / extent;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		*(pointers[middle] <= q ? &low : &high) = middle;
	}
	return low;
}

/* Where the entries of the positions above begin, from those of the positions below: counted from the first
 * entry of the part, and within it. */
static sheaf_status find_starts(const unrolling *u, sheaf_run above, const int64_t *pointers, int64_t extent,
                                sheaf_buffer *out)
{
	sheaf_builder b;
	const int64_t *inner = starts_of(u);
	int64_t n = sheaf_run_length(above);
	sheaf_builder_begin(&b, u->cx, NULL);
	int64_t *starts = (int64_t *)(void *)sheaf_builder_extend(&b, ((uint64_t)n + 1) * sizeof(int64_t));
	for (int64_t p = 0; starts && p <= n; p++) {
		int64_t at = pointers ? pointers[above.begin + p] : (above.begin + p) * extent;
		if (at < u->below.begin) at = u->below.begin;
		if (at > u->below.end) at = u->below.end;
		at -= u->below.begin;
		starts[p] = inner ? inner[at] : at;
	}
	return sheaf_builder_finish(&b, out, u->err);
}

/* How many dimensions each level has, and how many positions are above and below it. */
static void count_positions(unrolling *u, const sheaf_field *value)
{
	int64_t n = 1;
	u->counts[0] = n;
	for (int d = 0; d < u->arrays->rank; d += u->ranks[u->nlevels++]) {
		const sheaf_level_shape *level = &value->levels[u->nlevels];
		u->ranks[u->nlevels] = level->kind == SHEAF_COORD ? level->rank : 1;
		n = u->arrays->pointers[d] ? u->arrays->pointers[d][n] : n * u->arrays->shape[d];
		u->counts[u->nlevels + 1] = n;
	}
}

/* From the innermost level, below which each position is an entry, to the outermost one. */
static sheaf_status unroll(unrolling *u, const sheaf_unrolled *from)
{
	const sheaf_tensor_arrays *a = u->arrays;
	int depth = a->rank;
	sheaf_run part = u->below;
	const sheaf_field *value = &from->whole->fields[0];
	count_positions(u, value);
	for (int l = u->nlevels - 1; l >= 0; l--) {
		depth -= u->ranks[l];
		const int64_t *pointers = a->pointers[depth];
		int64_t extent = a->shape[depth];
		sheaf_buffer starts = {0};
		for (int d = depth; d < depth + u->ranks[l]; d++)
			put_coordinates(u, u->entries->tensor.order[d], &a->indices[d], a->shape[d]);
		sheaf_run above = {above_of(pointers, extent, u->counts[l], u->below.begin),
		                   above_of(pointers, extent, u->counts[l], u->below.end - 1) + 1};
		SHEAF_TRY(find_starts(u, above, pointers, extent, &starts));
		sheaf_buffer_reset(&u->starts);
		u->starts = starts;
		u->below = above;
	}
	size_t size = sheaf_type_size(value->type) * (value->meaning == SHEAF_COMPLEX ? 2 : 1);
	sheaf_buffer values = sheaf_buffer_part(&from->frame->columns[0].values, (size_t)part.begin * size,
	                                        (size_t)sheaf_run_length(part) * size);
	sheaf_builder_hold(&u->to->columns[a->rank].values, &values);
	u->to->nrows = sheaf_run_length(part);
	return SHEAF_OK;
}

sheaf_status sheaf_unroll_count(const sheaf_unrolled *from, int64_t *out, sheaf_error *err)
{
	sheaf_tensor_arrays arrays;
	if (from->frame->nrows != 1)
		return sheaf_fail(err, SHEAF_DATA, "tensor: expected it as one row, found %lld rows",
		                  (long long)from->frame->nrows);
	SHEAF_TRY(sheaf_frame_tensor(from->frame, from->whole, &arrays, err));
	*out = arrays.nentries;
	return SHEAF_OK;
}

sheaf_status sheaf_unroll_part(const sheaf_unrolled *from, sheaf_run part, sheaf_frame *out, sheaf_error *err)
{
	sheaf_tensor_arrays arrays;
	sheaf_frame_builder b;
	SHEAF_TRY(sheaf_frame_tensor(from->frame, from->whole, &arrays, err));
	unrolling u = {
		.arrays = &arrays, .entries = from->entries, .to = &b, .below = part, .cx = from->cx, .err = err};
	sheaf_status status = sheaf_frame_builder_begin(&b, from->entries, out, from->cx, err);
	if (!status) status = unroll(&u, from);
	sheaf_buffer_reset(&u.starts);
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
