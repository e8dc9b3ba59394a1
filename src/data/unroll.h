/* SPDX-License-Identifier: MIT */
/* A tensor that is one row, a chain of levels, as entries. */
#ifndef SHEAF_DATA_UNROLL_H
#define SHEAF_DATA_UNROLL_H

#include "data/frame.h"

/* The schema of its entries: what `whole` says of the tensor holds for them, too. */
SHEAF_USE sheaf_status sheaf_unroll_schema(const sheaf_schema *whole, sheaf_context *cx, sheaf_schema *out,
                                           sheaf_error *err);
/* A sound frame of `whole`, one row, whose entries are wanted by the schema `entries`. */
typedef struct sheaf_unrolled {
	const sheaf_frame *frame;
	const sheaf_schema *whole, *entries;
	sheaf_context *cx;
} sheaf_unrolled;

SHEAF_USE sheaf_status sheaf_unroll_count(const sheaf_unrolled *from, int64_t *out, sheaf_error *err);
/* Some of its entries, one at least, in the order in which the frame has them. *out (zeros, or an earlier
 * one) shares the values. */
SHEAF_USE sheaf_status sheaf_unroll_part(const sheaf_unrolled *from, sheaf_run part, sheaf_frame *out,
                                         sheaf_error *err);

#endif
