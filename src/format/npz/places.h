/* SPDX-License-Identifier: MIT */
/* Places of the entries of SciPy's layouts, dimension by dimension. */
#ifndef SHEAF_FORMAT_NPZ_PLACES_H
#define SHEAF_FORMAT_NPZ_PLACES_H

#include "format/npz/npz.h"

typedef struct sheaf_npz_places {
	int64_t *at[SHEAF_MAX_RANK]; /* coordinates, dimension by dimension */
	int64_t n;                   /* number of coordinates */
} sheaf_npz_places;

SHEAF_USE sheaf_status sheaf_npz_begin_places(sheaf_npz_places *p, int rank, int64_t n, sheaf_context *cx,
                                              sheaf_error *err);
void sheaf_npz_end_places(sheaf_npz_places *p, int rank, int64_t n, sheaf_context *cx);
/* Those of items [first, first + n) of the values; for padding, outside the shape. */
SHEAF_USE sheaf_status sheaf_npz_place(const sheaf_npz_sparse *s, int64_t first, int64_t n,
                                       sheaf_npz_places *p, sheaf_error *err);
bool sheaf_npz_is_inside(const sheaf_npz_sparse *s, const sheaf_npz_places *p, int64_t i);
/* DATA: place i, which is that of entry first + i, is not within the shape. */
sheaf_status sheaf_npz_refuse_place(const sheaf_npz_sparse *s, const sheaf_npz_places *p, int64_t i,
                                    int64_t first, sheaf_error *err);
/* DATA: a number has a wrong value. */
sheaf_status sheaf_npz_flaw(const sheaf_npz_sparse *s, const char *what, int64_t expected, int64_t found,
                            sheaf_error *err);

#endif
