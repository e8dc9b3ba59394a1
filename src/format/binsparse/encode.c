/* SPDX-License-Identifier: MIT */
/* Entries into bytes, and these into the arrays of levels. Where entries are is the sparse room's part; added
 * to this are the values, of which one may stand for all, and the number of entries on the diagonal, which
 * the descriptor of a matrix with a structure has. */
#include "base/context.h"
#include "format/binsparse/writer.h"
#include "frame/frame.h"
#include "frame/integers.h"
#include <inttypes.h>
#include <string.h>

/* Entries whose row is their column. Coordinates of any type are widened a few at a time, and compared
 * without a branch. */
static int64_t count_diagonal(const sheaf_frame *frame)
{
	enum { BLOCK = 512 };
	int64_t diagonal = 0, c[2][BLOCK];
	for (int64_t from = 0; from < frame->nrows; from += BLOCK) {
		int64_t n = frame->nrows - from < BLOCK ? frame->nrows - from : BLOCK;
		for (int d = 0; d < 2; d++) {
			const sheaf_column *column = &frame->columns[d];
			const uint8_t *at = column->values.data + (size_t)from * sheaf_type_size(column->type);
			sheaf_integers_widen(column->type, at, n, c[d]);
		}
		for (int64_t i = 0; i < n; i++) diagonal += c[0][i] == c[1][i];
	}
	return diagonal;
}

/* The diagonal's count, where the entries are, then their values: a single one if all are the same. */
sheaf_status sheaf_bsp_encode_entries(const sheaf_bsp_writer *out, const sheaf_frame *frame, int64_t row,
                                      sheaf_builder *b, sheaf_error *err)
{
	const sheaf_bsp_building *t = &out->tensors[0];
	const uint8_t *values = frame->columns[t->d.layout.rank].values.data;
	size_t size = sheaf_bsp_size(t->d.values), n = (size_t)frame->nrows;
	for (size_t i = 1; t->d.values.is_iso && i < n; i++)
		if (memcmp(values, values + i * size, size) != 0)
			return sheaf_fail(err, SHEAF_USAGE,
			                  "entry %" PRId64 ": expected the value that all entries have, found another",
			                  row + (int64_t)i);
	sheaf_builder_i64(b, t->d.structure ? count_diagonal(frame) : 0);
	sheaf_sparse_encode(&t->entries, frame, b);
	if (t->d.values.is_iso && n) n = 1;
	if (!t->d.values.is_bool) sheaf_builder_append(b, values, n * size);
	for (size_t i = 0; t->d.values.is_bool && i < n; i++) sheaf_builder_byte(b, (char)(values[i] != 0));
	return sheaf_builder_status(b, err);
}

sheaf_status sheaf_bsp_take(void *tensor, sheaf_level_part part, int k, const void *numbers, int64_t n,
                            sheaf_error *err)
{
	sheaf_bsp_building *t = (sheaf_bsp_building *)tensor;
	if (part == SHEAF_VALUES)
		return sheaf_bsp_store_add(&t->values, numbers, n * sheaf_bsp_parts(t->d.values), err);
	return sheaf_bsp_store_add(part == SHEAF_POINTERS ? &t->pointers[k] : &t->indices[k], numbers, n, err);
}

/* Entries of one blob: where they are goes to the levels, and their values after them, or once for all. */
sheaf_status sheaf_bsp_append_entries(sheaf_bsp_writer *out, const sheaf_blob *blob, sheaf_error *err)
{
	sheaf_bsp_building *t = &out->tensors[0];
	const uint8_t *at = blob->bytes.data + sizeof(int64_t);
	if (!t->is_begun) SHEAF_TRY(sheaf_bsp_plan(out, err));
	SHEAF_TRY(sheaf_sparse_append(&t->entries, &at, err));
	if (t->d.structure) t->d.diagonal += *(const int64_t *)(const void *)blob->bytes.data;
	if (blob->rows == 0 || t->entries.value_size) return SHEAF_OK; /* dense levels have taken their values */
	if (!t->d.values.is_iso) return sheaf_bsp_take(t, SHEAF_VALUES, 0, at, blob->rows, err);
	if (t->values.count == 0) return sheaf_bsp_take(t, SHEAF_VALUES, 0, at, 1, err);
	if (memcmp(t->values.strand.held.data, at, sheaf_bsp_size(t->d.values)) == 0) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE, "expected the value that all entries have, found another");
}

/* One value for all has a place even if there is no entry. */
sheaf_status sheaf_bsp_complete(sheaf_bsp_building *t, sheaf_error *err)
{
	SHEAF_TRY(sheaf_sparse_finish(&t->entries, err));
	t->d.stored = t->entries.counts[t->d.layout.nlevels];
	if (!t->d.values.is_iso)
		t->d.values.is_iso = sheaf_bsp_store_is_same(&t->values);
	else if (t->values.count == 0)
		return sheaf_bsp_take(t, SHEAF_VALUES, 0, t->fill, 1, err);
	return SHEAF_OK;
}
