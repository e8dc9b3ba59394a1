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

/* Coordinates are looked at in blocks, as int64. */
enum { BLOCK = 512 };

static int64_t block_size(const encoding *e, int64_t from) { return e->frame->nrows - from < BLOCK ? e->frame->nrows - from : BLOCK; }

static void widen(const sheaf_column *column, int64_t from, int64_t n, int64_t to[])
{
	const int32_t *narrow = (const int32_t *)(const void *)column->values.data;
	const int64_t *wide = (const int64_t *)(const void *)column->values.data;
	if (column->type == SHEAF_I32)
		for (int64_t i = 0; i < n; i++) to[i] = narrow[from + i];
	else
		memcpy(to, wide + from, (size_t)n * sizeof *to);
}

/* ---- what must be so, and runs of the same outer coordinates ---- */

static sheaf_status misplaced(const encoding *e, int64_t i, const char *expected)
{
	return sheaf_fail(e->err, SHEAF_USAGE, "entry %" PRId64 ": expected coordinates %s, found others", e->row + i, expected);
}

/* How an entry stands to the one before. */
enum { SAME = 0, BEHIND = 1, BEFORE = 2 };

typedef struct block {
	int64_t coordinates[BSP_MAX_RANK][BLOCK + 1]; /* the first is that of the entry before */
	uint8_t order[BLOCK];                         /* by the dimensions so far */
} block;

/* Adds a dimension: one entry after the other is told apart by the first coordinate that is not the same. False where one is outside of the shape. */
static bool compare(block *b, int dimension, int64_t n, int64_t extent)
{
	const int64_t *c = b->coordinates[dimension];
	uint64_t most = 0;
	for (int64_t i = 0; i < n; i++) {
		uint8_t step = (uint8_t)((c[i + 1] > c[i]) | (c[i + 1] < c[i]) << 1);
		most = (uint64_t)c[i + 1] > most ? (uint64_t)c[i + 1] : most;
		b->order[i] = b->order[i] ? b->order[i] : step;
	}
	return n == 0 || most < (uint64_t)extent;
}

static void put_run(const encoding *e, const block *b, int64_t from, int64_t i)
{
	sheaf_builder_i64(e->b, from + i);
	for (int k = 0; k < e->t->outer_rank; k++) sheaf_builder_i64(e->b, b->coordinates[k][i + 1]);
}

/* Entries [from, from + n), the first of which begins a run where nothing is before it. */
static sheaf_status put_runs_of(const encoding *e, block *b, int64_t from, int64_t n, int64_t *runs)
{
	int rank = e->t->d.layout.rank, k = 0;
	bool inside = true;
	memset(b->order, SAME, sizeof b->order);
	for (; k < e->t->outer_rank; k++) inside &= compare(b, k, n, sheaf_bsp_extent(&e->t->d, k));
	for (int64_t i = 0; i < n && inside; i++) {
		if (b->order[i] == SAME && from + i > 0) continue;
		put_run(e, b, from, i);
		++*runs;
	}
	for (; k < rank; k++) inside &= compare(b, k, n, sheaf_bsp_extent(&e->t->d, k));
	if (!inside) return misplaced(e, from, "from here on that are inside of the shape");
	for (int64_t i = from == 0; i < n; i++)
		if (b->order[i] != BEHIND) return misplaced(e, from + i, "behind those of the entry before");
	return SHEAF_OK;
}

/* Coordinates must be inside of the shape, and each entry's behind those of the one before. */
static sheaf_status put_runs(const encoding *e, int64_t *runs)
{
	block b;
	int rank = e->t->d.layout.rank;
	for (int64_t from = 0; from < e->frame->nrows; from += BLOCK) {
		int64_t n = block_size(e, from);
		for (int k = 0; k < rank; k++) {
			b.coordinates[k][0] = from ? b.coordinates[k][BLOCK] : 0;
			widen(column_of(e, k), from, n, b.coordinates[k] + 1);
		}
		SHEAF_TRY(put_runs_of(e, &b, from, n, runs));
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

/* ---- inner coordinates ---- */

/* Those of one dimension, in the type of the file. What is inside of the shape has the same bits in types of one size. */
static void put_narrowed(const encoding *e, const sheaf_column *column, sheaf_type type)
{
	int64_t wide[BLOCK];
	size_t size = sheaf_type_size(type);
	if (sheaf_type_size(column->type) == size) {
		sheaf_builder_append(e->b, column->values.data, (size_t)e->frame->nrows * size);
		return;
	}
	if (!sheaf_builder_room(e->b, (size_t)e->frame->nrows * size)) return;
	for (int64_t from = 0; from < e->frame->nrows; from += BLOCK) {
		int64_t n = block_size(e, from);
		widen(column, from, n, wide);
		sheaf_bsp_narrow(wide, n, type, e->b->data + e->b->size);
		e->b->size += (size_t)n * size;
	}
}

/* Of dense levels the place in their block, by rows. */
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
	int64_t diagonal = 0, rows[BLOCK], columns[BLOCK];
	for (int64_t from = 0; e->t->d.structure && from < e->frame->nrows; from += BLOCK) {
		int64_t n = block_size(e, from);
		widen(&e->frame->columns[0], from, n, rows);
		widen(&e->frame->columns[1], from, n, columns);
		for (int64_t i = 0; i < n; i++) diagonal += rows[i] == columns[i];
	}
	return diagonal;
}

static sheaf_status encode(const encoding *e)
{
	sheaf_bsp_parcel parcel = {e->frame->nrows, 0, count_diagonal(e)};
	if (e->t->d.values.is_iso) SHEAF_TRY(check_same(e));
	sheaf_builder_append(e->b, &parcel, sizeof parcel);
	SHEAF_TRY(put_runs(e, &parcel.runs));
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
