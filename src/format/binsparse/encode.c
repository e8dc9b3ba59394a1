/* SPDX-License-Identifier: MIT */
/* Entries, which come in the order of the levels, into bytes: where outer coordinates change, and the rest in
 * the types of the file. */
#include "base/context.h"
#include "format/binsparse/writer.h"
#include "frame/frame.h"
#include "frame/integers.h"
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

static const sheaf_column *column_of(const encoding *e, int dimension)
{
	return &e->frame->columns[e->t->d.layout.order[dimension]];
}

/* Coordinates are processed in blocks, as int64. */
enum { BLOCK = 512 };

static int64_t block_size(const encoding *e, int64_t from)
{
	return e->frame->nrows - from < BLOCK ? e->frame->nrows - from : BLOCK;
}

static void widen(const sheaf_column *column, int64_t from, int64_t n, int64_t to[])
{
	sheaf_integers_widen(column->type, column->values.data + (size_t)from * sheaf_type_size(column->type), n,
	                     to);
}

/* ---- runs of the same outer coordinates ---- */

/* The arranger ensures that entries are within the shape and in order. */
static int64_t put_runs(const encoding *e)
{
	int64_t c[BSP_MAX_RANK][BLOCK + 1], runs = 0; /* the first continues that of the entry before */
	bool begins[BLOCK];
	int outer = e->t->outer_rank;
	for (int64_t from = 0; from < e->frame->nrows; from += BLOCK) {
		int64_t n = block_size(e, from);
		memset(begins, 0, sizeof begins);
		begins[0] = from == 0;
		for (int k = 0; k < outer; k++) {
			c[k][0] = from ? c[k][BLOCK] : -1;
			widen(column_of(e, k), from, n, c[k] + 1);
			for (int64_t i = 0; i < n; i++) begins[i] |= c[k][i + 1] != c[k][i];
		}
		for (int64_t i = 0; i < n; i++) {
			if (!begins[i]) continue;
			sheaf_builder_i64(e->b, from + i);
			for (int k = 0; k < outer; k++) sheaf_builder_i64(e->b, c[k][i + 1]);
			runs++;
		}
	}
	return runs;
}

/* ---- inner coordinates ---- */

/* For dense levels the index within their block, by rows. */
static void put_offsets(const encoding *e)
{
	int64_t offsets[BLOCK], wide[BLOCK];
	for (int64_t from = 0; from < e->frame->nrows; from += BLOCK) {
		int64_t n = block_size(e, from);
		memset(offsets, 0, sizeof offsets);
		for (int k = e->t->outer_rank; k < e->t->d.layout.rank; k++) {
			int64_t extent = sheaf_bsp_extent(&e->t->d, k);
			widen(column_of(e, k), from, n, wide);
			for (int64_t i = 0; i < n; i++) offsets[i] = offsets[i] * extent + wide[i];
		}
		sheaf_builder_append(e->b, offsets, (size_t)n * sizeof *offsets);
	}
}

static void put_inner(const encoding *e)
{
	const sheaf_stored_levels *layout = &e->t->d.layout;
	if (e->t->block) {
		put_offsets(e);
		return;
	}
	for (int k = e->t->outer_rank; k < layout->rank; k++) {
		const sheaf_column *column = column_of(e, k);
		sheaf_integers_put(column->type, column->values.data, e->frame->nrows, e->t->indices[k].type, e->b);
	}
}

/* ---- values ---- */

static sheaf_status check_same(const encoding *e)
{
	const sheaf_column *values = &e->frame->columns[e->t->d.layout.rank];
	size_t size = sheaf_bsp_size(e->t->d.values);
	for (int64_t i = 1; i < e->frame->nrows; i++)
		if (memcmp(values->values.data, values->values.data + (size_t)i * size, size) != 0)
			return sheaf_fail(e->err, SHEAF_USAGE,
			                  "entry %" PRId64 ": expected the value that all entries have, found another",
			                  e->row + i);
	return SHEAF_OK;
}

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
	int64_t diagonal = 0, rows[BLOCK], columns[BLOCK];
	for (int64_t from = 0; e->t->d.structure && from < e->frame->nrows; from += BLOCK) {
		int64_t n = block_size(e, from);
		widen(&e->frame->columns[0], from, n, rows);
		widen(&e->frame->columns[1], from, n, columns);
		for (int64_t i = 0; i < n; i++) diagonal += rows[i] == columns[i];
	}
	return diagonal;
}

sheaf_status sheaf_bsp_encode_entries(const sheaf_bsp_writer *out, const sheaf_frame *frame, int64_t row,
                                      sheaf_builder *b, sheaf_error *err)
{
	encoding e = {out, &out->tensors[0], frame, row, b, err};
	sheaf_bsp_parcel parcel = {frame->nrows, 0, count_diagonal(&e)};
	if (e.t->d.values.is_iso) SHEAF_TRY(check_same(&e));
	sheaf_builder_append(b, &parcel, sizeof parcel);
	parcel.runs = put_runs(&e);
	put_inner(&e);
	put_values(&e);
	SHEAF_TRY(sheaf_builder_status(b, err));
	memcpy(b->data, &parcel, sizeof parcel);
	return SHEAF_OK;
}
