/* SPDX-License-Identifier: MIT */
/* A tensor that is one row, a chain of levels, as entries. */
#ifndef SHEAF_DATA_UNROLL_H
#define SHEAF_DATA_UNROLL_H

#include <sheaf/frame.h>

/* The schema of its entries: what `whole` says of the tensor holds for them, too. */
SHEAF_USE sheaf_status sheaf_unroll_schema(const sheaf_schema *whole, sheaf_context *cx, sheaf_schema *out,
                                           sheaf_error *err);
/* The entries of a sound frame of `whole`, in the order in which it has them. *out (zeros, or an earlier one)
 * shares the values. */
SHEAF_USE sheaf_status sheaf_unroll_frame(const sheaf_frame *frame, const sheaf_schema *whole,
                                          const sheaf_schema *entries, sheaf_context *cx, sheaf_frame *out,
                                          sheaf_error *err);

#endif
