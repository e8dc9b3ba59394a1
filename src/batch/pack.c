/* SPDX-License-Identifier: MIT */
/* Puts the samples of a stream into a grid of rows and steps. The layout has decided where each sequence
 * goes. What is in the grid:
 *
 *     mask     one byte for each place: 1 where there is a sample
 *     values   of dense streams: all values of each place, zeros where there is no sample
 *     starts   of sparse streams: where the entries of each place begin, and the end of the last place's;
 *              `values` and `indices` have the entries
 *
 * A place is a row and a step; it has number row * row_stride + step * step_stride. */
#include "batch/pack.h"
#include "base/buffer.h"
#include "base/checked.h"
#include "batch/reserve.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <string.h>

void sheaf_packed_free(sheaf_packed *packed)
{
	sheaf_buffer_reset(&packed->values);
	sheaf_buffer_reset(&packed->indices);
	sheaf_buffer_reset(&packed->starts);
	sheaf_buffer_reset(&packed->mask);
}

static sheaf_status too_large(const sheaf_field *field, sheaf_error *err)
{
	return sheaf_fail(
		err, SHEAF_LIMIT,
		"stream \"%s\": expected a packed batch of less than 2^31 entries, found more: make batches smaller",
		field->name);
}

/* The place of an extract's k-th sample. */
static size_t place_of(const sheaf_packed *packed, const sheaf_extract *e, int64_t k)
{
	return (size_t)(e->row * packed->row_stride + (e->step + k) * packed->step_stride);
}

/* Fills a buffer, whose memory is reused, with n zeros of `size` bytes each. */
static sheaf_status zeros(sheaf_buffer *to, size_t n, size_t size, sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder b;
	size_t bytes;
	if (!sheaf_mul_size(&bytes, n, size))
		return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for %zu samples, found none", n);
	sheaf_builder_begin(&b, cx, to);
	if (sheaf_builder_room(&b, bytes)) {
		if (bytes) memset(b.data, 0, bytes);
		b.size = bytes;
	}
	return sheaf_builder_finish(&b, to, err);
}

/* A stream on its way into a grid. */
typedef struct packing {
	sheaf_packed *packed;
	const sheaf_layout *layout;
	const sheaf_picked *from;
	size_t places; /* of the grid */
	sheaf_context *cx;
	sheaf_error *err;
} packing;

/* The number of an extract's first sample among all samples of its column. */
static int64_t first_sample(const packing *p, const sheaf_extract *e)
{
	const sheaf_column *column = sheaf_picked_column(p->from, e->pick);
	return sheaf_level_offsets(&column->levels[0])[p->from->picks[e->pick].row] + e->from;
}

/* Copies the samples of a dense stream to their places. */
static sheaf_status pack_dense(const packing *p)
{
	sheaf_packed *packed = p->packed;
	const sheaf_field *field = p->from->field;
	size_t size = sheaf_type_size(field->type) * (size_t)sheaf_field_dim(field);
	SHEAF_TRY(zeros(&packed->values, p->places, size, p->cx, p->err));
	for (size_t i = 0; i < p->layout->count; i++) {
		const sheaf_extract *e = &p->layout->extracts[i];
		if (e->count == 0) continue;
		const uint8_t *from =
			sheaf_picked_column(p->from, e->pick)->values.data + (size_t)first_sample(p, e) * size;
		/* If the steps of a row follow one another in the grid, all samples are copied at once. */
		int64_t run = packed->step_stride == 1 ? e->count : 1;
		for (int64_t k = 0; k < e->count; k += run)
			memcpy(packed->values.data + place_of(packed, e, k) * size, from + (size_t)k * size,
			       (size_t)run * size);
	}
	return SHEAF_OK;
}

/* Fills packed->starts: first with the number of entries of each place, then, as the sums of these, with
 * where they begin; the last one, after all places, is the number of all entries. LIMIT if that is 2^31 or
 * more. */
static sheaf_status put_starts(const packing *p)
{
	int64_t sum = 0;
	sheaf_packed *packed = p->packed;
	SHEAF_TRY(zeros(&packed->starts, p->places + 1, sizeof(int32_t), p->cx, p->err));
	int32_t *starts = (int32_t *)(void *)packed->starts.data;
	for (size_t i = 0; i < p->layout->count; i++) {
		const sheaf_extract *e = &p->layout->extracts[i];
		const int64_t *o =
			sheaf_level_offsets(&sheaf_picked_column(p->from, e->pick)->levels[1]) + first_sample(p, e);
		if (o[e->count] - o[0] > INT32_MAX) return too_large(p->from->field, p->err);
		for (int64_t k = 0; k < e->count; k++) starts[place_of(packed, e, k)] = (int32_t)(o[k + 1] - o[k]);
	}
	for (size_t at = 0; at <= p->places; at++) {
		int32_t entries = starts[at];
		if (sum > INT32_MAX) return too_large(p->from->field, p->err);
		starts[at] = (int32_t)sum;
		sum += entries;
	}
	return SHEAF_OK;
}

/* Copies the entries of a sparse stream, place by place; indices become numbers of 32 bits. */
static sheaf_status pack_sparse(const packing *p)
{
	sheaf_packed *packed = p->packed;
	const sheaf_field *field = p->from->field;
	size_t size = sheaf_type_size(field->type);
	if (sheaf_field_dim(field) - 1 > INT32_MAX)
		return sheaf_fail(p->err, SHEAF_UNSUPPORTED,
		                  "stream \"%s\": expected a dim of at most 2^31 in a packed batch, found %" PRId64,
		                  field->name, sheaf_field_dim(field));
	SHEAF_TRY(put_starts(p));
	const int32_t *starts = (const int32_t *)(const void *)packed->starts.data;
	size_t entries = (size_t)starts[p->places];
	SHEAF_TRY(zeros(&packed->values, entries, size, p->cx, p->err));
	SHEAF_TRY(zeros(&packed->indices, entries, sizeof(int32_t), p->cx, p->err));
	int32_t *indices = (int32_t *)(void *)packed->indices.data;
	for (size_t i = 0; i < p->layout->count; i++) {
		const sheaf_extract *e = &p->layout->extracts[i];
		const sheaf_column *from = sheaf_picked_column(p->from, e->pick);
		const int64_t *o = sheaf_level_offsets(&from->levels[1]) + first_sample(p, e);
		for (int64_t k = 0; k < e->count; k++) {
			size_t at = (size_t)starts[place_of(packed, e, k)], n = (size_t)(o[k + 1] - o[k]);
			if (n == 0) continue;
			memcpy(packed->values.data + at * size, from->values.data + (size_t)o[k] * size, n * size);
			for (size_t j = 0; j < n; j++)
				indices[at + j] = (int32_t)sheaf_level_index(&from->levels[1], 0, o[k] + (int64_t)j);
		}
	}
	return SHEAF_OK;
}

/* The mask and the list of placed sequences come from the layout alone; a sequence that is cut begins in the
 * list where it would begin if it were whole, perhaps before the grid. */
sheaf_status sheaf_pack_stream(sheaf_packed *packed, sheaf_layout *layout, const sheaf_picked *from,
                               sheaf_context *cx, sheaf_error *err)
{
	int64_t places;
	packed->rows = layout->rows;
	packed->width = layout->width;
	packed->row_stride = layout->rows_outermost ? layout->width : 1;
	packed->step_stride = layout->rows_outermost ? 1 : layout->rows;
	if (!sheaf_mul_i64(&places, packed->rows, packed->width) || places >= INT32_MAX)
		return too_large(from->field, err);
	packing p = {packed, layout, from, (size_t)places, cx, err};
	SHEAF_TRY(zeros(&packed->mask, p.places, 1, cx, err));
	SHEAF_TRY(
		sheaf_reserve(cx, &layout->placed, &layout->placed_room, layout->count, sizeof *layout->placed, err));
	for (size_t i = 0; i < layout->count; i++) {
		const sheaf_extract *e = &layout->extracts[i];
		for (int64_t k = 0; k < e->count; k++) packed->mask.data[place_of(packed, e, k)] = 1;
		layout->placed[i] =
			(sheaf_placed){(int64_t)e->pick, e->row, e->step - e->from, e->step - e->from + e->whole};
	}
	packed->placed = layout->placed;
	packed->nplaced = (int64_t)layout->count;
	return sheaf_field_is_sparse(from->field) ? pack_sparse(&p) : pack_dense(&p);
}
