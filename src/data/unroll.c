/* SPDX-License-Identifier: MIT */
/* A tensor that is one row as entries: each coordinate is written once for every entry below its position. */
#include "data/unroll.h"
#include "base/checked.h"
#include "base/memory.h"
#include "data/frame_builder.h"
#include <sheaf/arrays.h>

sheaf_status sheaf_unroll_schema(const sheaf_schema *whole, sheaf_context *cx, sheaf_schema *out,
                                 sheaf_error *err)
{
	const sheaf_field *value = &whole->fields[0];
	bool dense = true, complex = value->meaning == SHEAF_COMPLEX;
	*out = (sheaf_schema){.cx = cx};
	for (int l = 0; l < value->nlevels; l++) dense &= value->levels[l].kind == SHEAF_FIXED;
	sheaf_tensor tensor = whole->tensor;
	tensor.dense = dense;
	SHEAF_TRY(
		sheaf_schema_add_entries(out, &tensor, complex ? SHEAF_COMPLEX : value->meaning, value->type, err));
	sheaf_status status = SHEAF_OK;
	for (int i = 0; i < whole->nattributes && status == SHEAF_OK; i++) {
		const sheaf_attribute *a = &whole->attributes[i];
		status = sheaf_schema_put_attribute(out, cx, a->name, a->text, a->loss, err);
	}
	if (status) sheaf_schema_free(out);
	return status;
}

/* The coordinates in one dimension, for the entries below each of n positions. */
static void put_coordinates(sheaf_builder *to, sheaf_type type, const sheaf_items *indices, int64_t extent,
                            const sheaf_buffer *below, int64_t n)
{
	const int64_t *starts = below->size ? (const int64_t *)(const void *)below->data : NULL;
	for (int64_t q = 0; q < n && !to->failed; q++) {
		int64_t at = indices->data ? sheaf_items_integer(indices, q) : q % extent;
		int64_t times = starts ? starts[q + 1] - starts[q] : 1;
		for (int64_t k = 0; k < times; k++) sheaf_put_index(to, type, at);
	}
}

typedef struct unrolling {
	const sheaf_tensor_arrays *arrays;
	const sheaf_schema *entries;
	sheaf_frame_builder *to;
	sheaf_buffer starts; /* of the positions below the level at hand */
	int64_t counts[SHEAF_MAX_RANK + 1];
	int ranks[SHEAF_MAX_RANK + 1], nlevels;
	sheaf_context *cx;
	sheaf_error *err;
} unrolling;

/* Where the entries of each of n positions begin, one more than there are: from those of the positions below
 * (none: each is an entry). */
static sheaf_status find_starts(const unrolling *u, const int64_t *pointers, int64_t extent, int64_t n,
                                sheaf_buffer *out)
{
	sheaf_builder b;
	size_t bytes;
	const int64_t *inner = u->starts.size ? (const int64_t *)(const void *)u->starts.data : NULL;
	sheaf_builder_begin(&b, u->cx, NULL);
	if (!sheaf_mul_size(&bytes, (uint64_t)n + 1, sizeof(int64_t)))
		return sheaf_fail(u->err, SHEAF_LIMIT, "tensor: expected positions that fit memory, found too many");
	int64_t *starts = (int64_t *)(void *)sheaf_builder_extend(&b, bytes);
	for (int64_t p = 0; starts && p <= n; p++) {
		int64_t at = pointers ? pointers[p] : p * extent;
		starts[p] = inner ? inner[at] : at;
	}
	return sheaf_builder_finish(&b, out, u->err);
}

/* How many dimensions each level has, and how many positions there are above and below it. */
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

static sheaf_status unroll_level(unrolling *u, int l, int depth)
{
	const sheaf_tensor_arrays *a = u->arrays;
	sheaf_buffer above = {0};
	for (int d = depth; d < depth + u->ranks[l]; d++) {
		int dimension = u->entries->tensor.order[d];
		put_coordinates(&u->to->columns[dimension].values, u->entries->fields[dimension].type, &a->indices[d],
		                a->shape[d], &u->starts, u->counts[l + 1]);
	}
	SHEAF_TRY(find_starts(u, a->pointers[depth], a->shape[depth], u->counts[l], &above));
	sheaf_buffer_reset(&u->starts);
	u->starts = above;
	return SHEAF_OK;
}

static sheaf_status unroll(unrolling *u, const sheaf_frame *frame, const sheaf_field *value)
{
	int depth = u->arrays->rank;
	count_positions(u, value);
	for (int l = u->nlevels - 1; l >= 0; l--) {
		depth -= u->ranks[l];
		SHEAF_TRY(unroll_level(u, l, depth));
	}
	size_t size = sheaf_type_size(value->type) * (value->meaning == SHEAF_COMPLEX ? 2 : 1);
	sheaf_buffer values = sheaf_buffer_part(&frame->columns[0].values, 0, (size_t)u->arrays->nentries * size);
	sheaf_builder_hold(&u->to->columns[u->arrays->rank].values, &values);
	u->to->nrows = u->arrays->nentries;
	return SHEAF_OK;
}

sheaf_status sheaf_unroll_frame(const sheaf_frame *frame, const sheaf_schema *whole,
                                const sheaf_schema *entries, sheaf_context *cx, sheaf_frame *out,
                                sheaf_error *err)
{
	sheaf_tensor_arrays arrays;
	sheaf_frame_builder b;
	if (frame->nrows != 1)
		return sheaf_fail(err, SHEAF_DATA, "tensor: expected it as one row, found %lld rows",
		                  (long long)frame->nrows);
	SHEAF_TRY(sheaf_frame_tensor(frame, whole, &arrays, err));
	unrolling u = {.arrays = &arrays, .entries = entries, .to = &b, .cx = cx, .err = err};
	sheaf_status status = sheaf_frame_builder_begin(&b, entries, out, cx, err);
	if (status == SHEAF_OK) status = unroll(&u, frame, &whole->fields[0]);
	sheaf_buffer_reset(&u.starts);
	return sheaf_frame_builder_end(&b, status, out, err);
}
