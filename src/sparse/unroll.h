/* SPDX-License-Identifier: MIT */
/* A tensor that is one row, a chain of levels, as entries. */
#ifndef SHEAF_SPARSE_UNROLL_H
#define SHEAF_SPARSE_UNROLL_H

#include "frame/frame.h"

/* The schema of its entries: what `whole` says about the tensor applies to them, too. */
SHEAF_USE sheaf_status sheaf_unroll_schema(const sheaf_schema *whole, sheaf_context *cx, sheaf_schema *out,
                                           sheaf_error *err);
/* A valid frame of `whole`, one row, to be read as entries of the schema `entries`. */
typedef struct sheaf_unrolled {
	const sheaf_frame *frame;
	const sheaf_schema *whole, *entries;
	sheaf_context *cx;
} sheaf_unrolled;

SHEAF_USE sheaf_status sheaf_unroll_count(const sheaf_unrolled *from, int64_t *out, sheaf_error *err);
/* Some of its entries, at least one, in the order of the frame. *out (zeros, or an earlier one) shares the
 * values. */
SHEAF_USE sheaf_status sheaf_unroll_part(const sheaf_unrolled *from, sheaf_run part, sheaf_frame *out,
                                         sheaf_error *err);

#endif
