/* SPDX-License-Identifier: MIT */
/* Entries of SciPy's layouts: their order, and rows made from them. Lists and coordinates are levels, whose
 * rows src/sparse makes. Blocks and diagonals are not: of those, each value's row and column is computed, and
 * the values that are no entries are left out:
 *
 *   a block's values are all entries          . x x .      a diagonal's begin at column 0, and those outside
 *   where it lies in the matrix, zeros        . x x .      the matrix, or 0, are padding
 *   included */
#include "base/buffer.h"
#include "base/memory.h"
#include "format/numpy/npz/npz.h"
#include "frame/integers.h"
#include "sparse/compress.h"
#include <string.h>

/* ---- the schema ---- */

/* Makes the schema of a sparse matrix, as entries or, if `whole`, as one row. Whether the entries come by
 * rows, or by columns, without repetition is looked up in the arrays, as SciPy does not promise it.
 * Blocks and diagonals have an order that no tensor has a name for, and count as unsorted. The tensor's
 * layout is the name of SciPy's in capitals, such as "CSR". */
sheaf_status sheaf_npz_sparse_schema(const sheaf_npz_sparse *s, bool whole, sheaf_schema *out,
                                     sheaf_error *err)
{
	sheaf_field *value;
	sheaf_tensor *t = &out->tensor;
	*out = (sheaf_schema){.cx = s->cx};
	sheaf_status status =
		sheaf_schema_make_entries(out, s->cx, (sheaf_dimensions){s->levels.rank, s->shape}, &value, err);
	if (!status) status = sheaf_array_value_field(&s->data, value, err);
	memcpy(t->order, s->levels.order, sizeof t->order);
	t->sorted = false;
	if (!status && s->layout != NPZ_BSR && s->layout != NPZ_DIA)
		status = sheaf_sparse_is_sorted(&s->sparse, false, &t->sorted, err);
	t->unique = t->sorted;
	for (size_t i = 0; i < 3; i++) t->layout[i] = (char)(sheaf_npz_layouts[s->layout][i] - 'a' + 'A');
	if (!status && whole) status = sheaf_sparse_make_whole(&s->sparse, out, err);
	if (status) sheaf_schema_free(out);
	return status;
}

/* ---- rows of blocks and diagonals ---- */

/* Rows and columns of some values, which become entries one by one. Padding is outside the shape. */
typedef struct places {
	int64_t *at[2];
	int64_t n;
} places;

/* Computes the row and the column of values [first, first + n) of a matrix in blocks ("bsr"), into p.
 * `data` has three dimensions: blocks, rows of a block, columns of a block. In an array by rows the last
 * one changes fastest; in one by columns the block does, then the row. A value of a block that is after
 * the last pointer belongs to nothing and gets -1 twice. */
static sheaf_status place_blocks(const sheaf_npz_sparse *s, int64_t first, int64_t n, places *p,
                                 sheaf_error *err)
{
	int64_t column = 0, last_block = -1, block_row = 0, block_rows = s->counts[1], used_blocks = s->counts[2],
			blocks = s->data.shape[0];
	const int64_t *pointers = sheaf_numbers(&s->pointers[1].held);
	for (int64_t i = 0; i < n; i++) {
		int64_t at = first + i, block = s->data.fortran ? at % blocks : at / (s->height * s->width);
		int64_t row_inside = s->data.fortran ? at / blocks % s->height : at / s->width % s->height;
		int64_t column_inside = s->data.fortran ? at / blocks / s->height : at % s->width;
		if (block >= used_blocks) {
			p->at[0][i] = p->at[1][i] = -1; /* by columns, unused blocks are among the others */
			continue;
		}
		/* Values of one block mostly follow one another, so its place is looked up only when the block
		 * changes. */
		if (block != last_block) {
			SHEAF_TRY(sheaf_array_integers(&s->first, block, 1, &column, err));
			if (column < 0 || column >= s->shape[1] / s->width)
				return sheaf_npz_flaw(s, "an index of a block below", s->shape[1] / s->width, column, err);
			block_row = sheaf_slice_of(pointers, block_rows, block);
			last_block = block;
		}
		p->at[0][i] = block_row * s->height + row_inside;
		p->at[1][i] = column * s->width + column_inside;
	}
	return SHEAF_OK;
}

/* Computes the row and the column of values [first, first + n) of a matrix in diagonals ("dia"), into p.
 * Value k of a diagonal is in column k; its row is that less the diagonal's offset, and -1 if that does
 * not fit 64 bits. */
static void place_diagonals(const sheaf_npz_sparse *s, int64_t first, int64_t n, places *p)
{
	const int64_t *offsets = sheaf_numbers(&s->pointers[0].held);
	int64_t diagonals = s->data.shape[0];
	for (int64_t i = 0; i < n; i++) {
		int64_t at = first + i, column = s->data.fortran ? at / diagonals : at % s->width;
		p->at[1][i] = column;
		int64_t offset = offsets[s->data.fortran ? at % diagonals : at / s->width];
		/* A diagonal may lie outside the matrix, at any distance. */
		if (__builtin_sub_overflow(column, offset, &p->at[0][i])) p->at[0][i] = -1;
	}
}

/* Leaves only the values that are entries of the matrix, in `to` and in p, whose n becomes their number.
 * Zeros on diagonals are none, nor are values whose place is outside the matrix. The values are copied
 * into a fresh buffer, since the old one may be the file's own bytes, which others read. */
static sheaf_status keep_entries(const sheaf_npz_sparse *s, places *p, sheaf_column_builder *to,
                                 sheaf_error *err)
{
	static const uint8_t zeros[16];
	size_t size = sheaf_type_size(to->field->type) * (to->field->meaning == SHEAF_COMPLEX ? 2 : 1);
	sheaf_buffer candidates = {0};
	int64_t kept = 0;
	SHEAF_TRY(sheaf_builder_finish(&to->values, &candidates, err));
	for (int64_t i = 0; i < p->n; i++) {
		const uint8_t *value = candidates.data + (size_t)i * size;
		bool inside = true;
		for (int d = 0; d < 2; d++) inside &= p->at[d][i] >= 0 && p->at[d][i] < s->shape[d];
		if (!inside || (s->layout == NPZ_DIA && memcmp(value, zeros, size) == 0)) continue;
		for (int d = 0; d < 2; d++) p->at[d][kept] = p->at[d][i];
		kept++;
		sheaf_builder_append(&to->values, value, size);
	}
	p->n = kept;
	sheaf_buffer_reset(&candidates);
	return SHEAF_OK;
}

/* Makes rows of values [first, first + n) of a matrix in diagonals or blocks, whose bytes are given: it
 * computes their places, converts the values, drops what is no entry, and puts the places into columns 0
 * and 1. The one allocation holds the rows first and then the columns. */
static sheaf_status make_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first, int64_t n,
                              sheaf_frame_builder *to, sheaf_error *err)
{
	int64_t *memory;
	sheaf_column_builder *value = &to->columns[2];
	SHEAF_TRY(sheaf_allocate_array(to->cx, (size_t)n, 2 * sizeof *memory, &memory, err));
	places p = {{memory, memory + n}, n};
	sheaf_status status = SHEAF_OK;
	if (s->layout == NPZ_DIA)
		place_diagonals(s, first, n, &p);
	else
		status = place_blocks(s, first, n, &p, err);
	if (!status) status = sheaf_array_values(&s->data, bytes, first, n, value, err);
	if (!status && (s->layout == NPZ_DIA || s->data.fortran)) status = keep_entries(s, &p, value, err);
	for (int d = 0; d < 2 && !status; d++)
		sheaf_integers_put(SHEAF_I64, p.at[d], p.n, to->columns[d].field->type, &to->columns[d].values);
	if (!status) to->nrows = p.n;
	sheaf_release(to->cx, memory, (size_t)n * 2 * sizeof *memory);
	return status;
}

/* ---- rows ---- */

/* Values after these belong to nothing; in blocks by columns these are among the others. */
static int64_t end_of_values(const sheaf_npz_sparse *s)
{
	if (s->layout == NPZ_DIA || (s->layout == NPZ_BSR && s->data.fortran)) return s->data.count;
	return sheaf_sparse_entries(&s->sparse) * s->height * s->width;
}

sheaf_status sheaf_npz_sparse_rows(const sheaf_npz_sparse *s, const sheaf_buffer *bytes, int64_t first,
                                   int64_t n, sheaf_frame_builder *to, sheaf_error *err)
{
	int64_t end = end_of_values(s);
	if (n > end - first) n = first < end ? end - first : 0;
	if (s->layout == NPZ_BSR || s->layout == NPZ_DIA) return make_rows(s, bytes, first, n, to, err);
	SHEAF_TRY(sheaf_array_values(&s->data, bytes, first, n, &to->columns[s->levels.rank], err));
	SHEAF_TRY(sheaf_sparse_put_run(&s->sparse, (sheaf_run){first, first + n}, to, err));
	to->nrows = n; /* with an error, rows before it are kept */
	return SHEAF_OK;
}

sheaf_status sheaf_npz_whole_row(const sheaf_npz_sparse *s, sheaf_frame_builder *to, sheaf_error *err)
{
	bool broken;
	int64_t n = end_of_values(s);
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer bytes = {0};
	SHEAF_TRY(sheaf_sparse_put_whole(&s->sparse, SHEAF_CHECK_FULL, &to->columns[0], &broken, err));
	SHEAF_TRY(sheaf_holding_view(&s->data.holding, s->data.data_at, n * s->data.dtype.size, &bytes, err));
	to->nrows = 1;
	return sheaf_array_values(&s->data, &bytes, 0, n, &to->columns[0], err);
}
