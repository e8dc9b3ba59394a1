/* SPDX-License-Identifier: MIT */
/* Places of the values of blocks and diagonals, dimension by dimension. */
#ifndef SHEAF_FORMAT_NPZ_PLACES_H
#define SHEAF_FORMAT_NPZ_PLACES_H

#include "format/npz/npz.h"

typedef struct sheaf_npz_places {
	int64_t *at[2]; /* rows and columns */
	int64_t n;      /* number of each */
} sheaf_npz_places;

SHEAF_USE sheaf_status sheaf_npz_begin_places(sheaf_npz_places *p, int64_t n, sheaf_context *cx,
                                              sheaf_error *err);
void sheaf_npz_end_places(sheaf_npz_places *p, int64_t n, sheaf_context *cx);
/* Those of items [first, first + n) of the values; for padding, outside the shape. */
SHEAF_USE sheaf_status sheaf_npz_place(const sheaf_npz_sparse *s, int64_t first, int64_t n,
                                       sheaf_npz_places *p, sheaf_error *err);

#endif
