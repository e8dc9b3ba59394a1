/* SPDX-License-Identifier: MIT */
/* The places of entries in SciPy's layouts. Blocks and diagonals become entries one by one. */
#include "format/npz/places.h"
#include "base/memory.h"
#include "data/compress.h"
#include <inttypes.h>
#include <stdio.h>

sheaf_status sheaf_npz_begin_places(sheaf_npz_places *p, int rank, int64_t n, sheaf_context *cx,
                                    sheaf_error *err)
{
	void *memory;
	*p = (sheaf_npz_places){.n = 0};
	SHEAF_TRY(sheaf_allocate_array(cx, (size_t)n, (size_t)rank * sizeof(int64_t), &memory, err));
	for (int d = 0; d < rank; d++) p->at[d] = (int64_t *)memory + d * n;
	return SHEAF_OK;
}

void sheaf_npz_end_places(sheaf_npz_places *p, int rank, int64_t n, sheaf_context *cx)
{
	sheaf_release(cx, p->at[0], (size_t)n * (size_t)rank * sizeof(int64_t));
}

static sheaf_status place_compressed(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_npz_places *p,
                                     sheaf_error *err)
{
	int minor = sheaf_npz_minor(s);
	int64_t *major = s->rank == 1 ? NULL : p->at[!minor];
	SHEAF_TRY(sheaf_array_integers(&s->first, first, n, p->at[minor], err));
	int64_t list = n ? sheaf_slice_of(s->pointers, s->npointers - 1, first) : 0;
	for (int64_t i = 0; i < n && major; i++) {
		while (s->pointers[list + 1] <= first + i) list++;
		major[i] = list;
	}
	return SHEAF_OK;
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
	int64_t column = 0, before = -1, list = 0, used = s->pointers[s->npointers - 1];
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
			list = sheaf_slice_of(s->pointers, s->npointers - 1, block);
			before = block;
		}
		p->at[0][i] = list * s->height + row;
		p->at[1][i] = column * s->width + inside;
	}
	return SHEAF_OK;
}

static void place_diagonals(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_npz_places *p)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t at = first + i, column = s->data.fortran ? at / s->npointers : at % s->width;
		p->at[1][i] = column;
		int64_t offset = s->pointers[s->data.fortran ? at % s->npointers : at / s->width];
		/* A diagonal may lie outside the matrix, at any distance. */
		if (__builtin_sub_overflow(column, offset, &p->at[0][i])) p->at[0][i] = -1;
	}
}

static sheaf_status place_coordinates(const sheaf_npz_sparse *s, int64_t first, int64_t n,
                                      sheaf_npz_places *p, sheaf_error *err)
{
	if (!s->together) {
		SHEAF_TRY(sheaf_array_integers(&s->first, first, n, p->at[0], err));
		return sheaf_array_integers(&s->second, first, n, p->at[1], err);
	}
	for (int d = 0; d < s->rank; d++) {
		if (!s->first.fortran) {
			SHEAF_TRY(sheaf_array_integers(&s->first, d * s->data.count + first, n, p->at[d], err));
			continue;
		}
		for (int64_t i = 0; i < n; i++)
			SHEAF_TRY(sheaf_array_integers(&s->first, (first + i) * s->rank + d, 1, &p->at[d][i], err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_npz_place(const sheaf_npz_sparse *s, int64_t first, int64_t n, sheaf_npz_places *p,
                             sheaf_error *err)
{
	p->n = n;
	switch (s->layout) {
	case NPZ_COO: return place_coordinates(s, first, n, p, err);
	case NPZ_DIA: place_diagonals(s, first, n, p); return SHEAF_OK;
	case NPZ_BSR: return place_blocks(s, first, n, p, err);
	default: return place_compressed(s, first, n, p, err);
	}
}

bool sheaf_npz_is_inside(const sheaf_npz_sparse *s, const sheaf_npz_places *p, int64_t i)
{
	bool inside = true;
	for (int d = 0; d < s->rank; d++) inside &= p->at[d][i] >= 0 && p->at[d][i] < s->shape[d];
	return inside;
}

sheaf_status sheaf_npz_refuse_place(const sheaf_npz_sparse *s, const sheaf_npz_places *p, int64_t i,
                                    int64_t first, sheaf_error *err)
{
	char shape[SHEAF_MAX_RANK * 24] = "", found[SHEAF_MAX_RANK * 24] = "";
	size_t a = 0, b = 0;
	for (int d = 0; d < s->rank; d++) {
		a += (size_t)snprintf(shape + a, sizeof shape - a, "%s%" PRId64, d ? " x " : "", s->shape[d]);
		b += (size_t)snprintf(found + b, sizeof found - b, "%s%" PRId64, d ? "," : "", p->at[d][i]);
	}
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s: %s matrix, entry %" PRId64 ": expected a place inside of %s, found (%s)", s->file,
	                  sheaf_npz_layouts[s->layout], first + i, shape, found);
}
