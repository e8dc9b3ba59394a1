/* SPDX-License-Identifier: MIT */
/* NumPy's array files: one array and nothing else. format.c reads, write.c writes; what arrays are is in
 * src/array. */
#ifndef SHEAF_FORMAT_NPY_NPY_H
#define SHEAF_FORMAT_NPY_NPY_H

#include "array/array.h"

SHEAF_USE sheaf_status sheaf_npy_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npy_create(sheaf_sink *sink, const sheaf_schema *schema,
                                        const sheaf_facts *totals, const sheaf_values *values,
                                        sheaf_context *cx, void **out, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npy_encode(const void *out, const sheaf_frame *frame, int64_t row,
                                        sheaf_blob *blob, sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npy_append(void *out, const sheaf_blob *blob, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_npy_finish(void *out, sheaf_error *err);
void sheaf_npy_abandon(void *opened);

#endif
