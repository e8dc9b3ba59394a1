/* SPDX-License-Identifier: MIT */
/* The places of values in blocks and diagonals, which become entries one by one. */
#include "format/npz/places.h"
#include "base/memory.h"
#include "sparse/compress.h"

sheaf_status sheaf_npz_begin_places(sheaf_npz_places *p, int64_t n, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	*p = (sheaf_npz_places){.n = 0};
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)n, 2 * sizeof(int64_t), &memory, err));
	p->at[0] = (int64_t *)memory;
	p->at[1] = p->at[0] + n;
	return SHEAF_OK;
}

void sheaf_npz_end_places(sheaf_npz_places *p, int64_t n, sheaf_context *cx)
{
	sheaf_release(cx, p->at[0], (size_t)n * 2 * sizeof(int64_t));
}

/* Item `at` of the blocks: its block, and its place within that. */
static void find_in_blocks(const sheaf_npz_sparse *s, int64_t at, int64_t *block, int64_t *row,
                           int64_t *column)
{
	int64_t size = s->height * s->width, blocks = s->data.shape[0];
	*block = s->data.fortran ? at % blocks : at / size;
	*row = s->data.fortran ? at / blocks % s->height : at % size / s->width;
	*column = s->data.fortran ? at / blocks / s->height : at % s->width;
}

static sheaf_status place_blocks(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_npz_places *p,
                                 sheaf_error *err)
{
	int64_t column = 0, before = -1, list = 0, lists = s->counts[1], used = s->counts[2];
	const int64_t *pointers = sheaf_numbers(&s->pointers[1].held);
	for (int64_t i = 0; i < n; i++) {
		int64_t block, row, inside;
		find_in_blocks(s, first + i, &block, &row, &inside);
		if (block >= used) {
			p->at[0][i] = p->at[1][i] = -1; /* by columns, unused blocks are among the others */
			continue;
		}
		if (block != before) {
			SHEAF_TRY(sheaf_array_integers(&s->first, block, 1, &column, err));
			if (column < 0 || column >= s->shape[1] / s->width)
				return sheaf_npz_flaw(s, "an index of a block below", s->shape[1] / s->width, column, err);
			list = sheaf_slice_of(pointers, lists, block);
			before = block;
		}
		p->at[0][i] = list * s->height + row;
		p->at[1][i] = column * s->width + inside;
	}
	return SHEAF_OK;
}

static void place_diagonals(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_npz_places *p)
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

sheaf_status sheaf_npz_place(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_npz_places *p,
                             sheaf_error *err)
{
	p->n = n;
	if (s->layout == NPZ_BSR) return place_blocks(s, first, n, p, err);
	place_diagonals(s, first, n, p);
	return SHEAF_OK;
}
