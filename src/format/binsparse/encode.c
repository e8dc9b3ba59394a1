/* SPDX-License-Identifier: MIT */
/* Entries, which come in the order of the levels, into bytes: where outer coordinates change, and the rest in the types of the file. */
#include "base/context.h"
#include "data/frame.h"
#include "format/binsparse/writer.h"
#include <inttypes.h>
#include <string.h>

typedef struct encoding {
	const sheaf_bsp_writer *out;
	const sheaf_bsp_building *t;
	const sheaf_frame *frame;
	int64_t row;
	sheaf_builder *b;
	sheaf_error *err;
} encoding;

static const sheaf_column *column_of(const encoding *e, int dimension) { return &e->frame->columns[e->t->d.layout.order[dimension]]; }

static int64_t at(const sheaf_column *column, int64_t i)
{
	return column->type == SHEAF_I32 ? ((const int32_t *)(const void *)column->values.data)[i] : ((const int64_t *)(const void *)column->values.data)[i];
}

/* ---- what must be so ---- */

static sheaf_status misplaced(const encoding *e, int64_t i, const char *expected)
{
	return sheaf_fail(e->err, SHEAF_USAGE, "entry %" PRId64 ": expected coordinates %s, found others", e->row + i, expected);
}

/* Inside of the shape, and each entry behind the one before. */
static sheaf_status check_entries(const encoding *e)
{
	int rank = e->t->d.layout.rank;
	for (int k = 0; k < rank; k++) {
		int64_t extent = sheaf_bsp_extent(&e->t->d, k);
		for (int64_t i = 0; i < e->frame->nrows; i++)
			if (at(column_of(e, k), i) < 0 || at(column_of(e, k), i) >= extent) return misplaced(e, i, "inside of the shape");
	}
	for (int64_t i = 1; i < e->frame->nrows; i++) {
		int k = 0;
		while (k < rank && at(column_of(e, k), i) == at(column_of(e, k), i - 1)) k++;
		if (k == rank || at(column_of(e, k), i) < at(column_of(e, k), i - 1)) return misplaced(e, i, "behind those of the entry before");
	}
	return SHEAF_OK;
}

static sheaf_status check_same(const encoding *e)
{
	const sheaf_column *values = &e->frame->columns[e->t->d.layout.rank];
	size_t size = sheaf_bsp_size(e->t->d.values);
	for (int64_t i = 1; i < e->frame->nrows; i++)
		if (memcmp(values->values.data, values->values.data + (size_t)i * size, size) != 0)
			return sheaf_fail(e->err, SHEAF_USAGE, "entry %" PRId64 ": expected the value that all entries have, found another", e->row + i);
	return SHEAF_OK;
}

/* ---- runs of the same outer coordinates ---- */

static bool begins_run(const encoding *e, int64_t i)
{
	for (int k = 0; k < e->t->outer_rank; k++)
		if (i == 0 || at(column_of(e, k), i) != at(column_of(e, k), i - 1)) return true;
	return i == 0;
}

static int64_t put_runs(const encoding *e)
{
	int64_t runs = 0;
	for (int64_t i = 0; i < e->frame->nrows; i++) {
		if (!begins_run(e, i)) continue;
		sheaf_builder_i64(e->b, i);
		for (int k = 0; k < e->t->outer_rank; k++) sheaf_builder_i64(e->b, at(column_of(e, k), i));
		runs++;
	}
	return runs;
}

/* ---- inner coordinates ---- */

static void put_narrowed(const encoding *e, const sheaf_column *column, sheaf_type type)
{
	int64_t n = e->frame->nrows, wide[512];
	size_t size = sheaf_type_size(type);
	if (n == 0 || !sheaf_builder_room(e->b, (size_t)n * size)) return;
	for (int64_t i = 0; i < n; i += 512) {
		int64_t m = n - i < 512 ? n - i : 512;
		for (int64_t k = 0; k < m; k++) wide[k] = at(column, i + k);
		sheaf_bsp_narrow(wide, m, type, e->b->data + e->b->size);
		e->b->size += (size_t)m * size;
	}
}

/* Of dense levels the place in their block, by rows. */
static void put_offsets(const encoding *e)
{
	for (int64_t i = 0; i < e->frame->nrows; i++) {
		int64_t offset = 0;
		for (int k = e->t->outer_rank; k < e->t->d.layout.rank; k++) offset = offset * sheaf_bsp_extent(&e->t->d, k) + at(column_of(e, k), i);
		sheaf_builder_i64(e->b, offset);
	}
}

static void put_inner(const encoding *e)
{
	const sheaf_bsp_layout *layout = &e->t->d.layout;
	if (e->t->block) {
		put_offsets(e);
		return;
	}
	for (int k = e->t->outer_rank; k < layout->rank; k++) put_narrowed(e, column_of(e, k), e->t->indices[k].type);
}

/* ---- values ---- */

static void put_values(const encoding *e)
{
	const sheaf_column *values = &e->frame->columns[e->t->d.layout.rank];
	size_t size = sheaf_bsp_size(e->t->d.values), n = (size_t)e->frame->nrows;
	if (e->t->d.values.is_iso && n) n = 1;
	if (!e->t->d.values.is_bool) {
		sheaf_builder_append(e->b, values->values.data, n * size);
		return;
	}
	for (size_t i = 0; i < n; i++) sheaf_builder_byte(e->b, (char)(values->values.data[i] != 0));
}

static int64_t count_diagonal(const encoding *e)
{
	int64_t diagonal = 0;
	for (int64_t i = 0; e->t->d.structure && i < e->frame->nrows; i++) diagonal += at(&e->frame->columns[0], i) == at(&e->frame->columns[1], i);
	return diagonal;
}

static sheaf_status encode(const encoding *e)
{
	sheaf_bsp_parcel parcel = {e->frame->nrows, 0, count_diagonal(e)};
	SHEAF_TRY(check_entries(e));
	if (e->t->d.values.is_iso) SHEAF_TRY(check_same(e));
	sheaf_builder_append(e->b, &parcel, sizeof parcel);
	parcel.runs = put_runs(e);
	put_inner(e);
	put_values(e);
	SHEAF_TRY(sheaf_builder_status(e->b, e->err));
	memcpy(e->b->data, &parcel, sizeof parcel);
	return SHEAF_OK;
}

sheaf_status sheaf_bsp_encode_entries(const sheaf_bsp_writer *out, const sheaf_frame *frame, int64_t row, sheaf_blob *blob, sheaf_context *cx,
                                      sheaf_error *err)
{
	sheaf_builder b;
	encoding e = {out, &out->tensors[0], frame, row, &b, err};
	sheaf_builder_begin(&b, cx, &blob->bytes);
	sheaf_status status = encode(&e);
	if (status) {
		sheaf_builder_drop(&b);
		return status;
	}
	blob->rows = blob->samples = frame->nrows;
	return sheaf_builder_finish(&b, &blob->bytes, err);
}
