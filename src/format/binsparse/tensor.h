/* SPDX-License-Identifier: MIT */
/* A tensor in a box: its descriptor and the arrays that this requires.
 *
 *   tensor.c   finding the arrays, their types and lengths
 *   repair.c   pointers that have wrapped around */
#ifndef SHEAF_FORMAT_BINSPARSE_TENSOR_H
#define SHEAF_FORMAT_BINSPARSE_TENSOR_H

#include "base/context.h"
#include "base/extend.h"
#include "container/stored.h"
#include "format/binsparse/descriptor.h"

/* What a user allows. */
typedef struct sheaf_bsp_tolerance {
	bool repair;  /* arrays are mended */
	bool lenient; /* deviations of other programs are accepted */
} sheaf_bsp_tolerance;

typedef struct sheaf_bsp_tensor {
	SHEAF_BASE(sheaf_sparse, sparse); /* its levels, with their arrays */
	sheaf_box *box;
	char *path;  /* of its group; "" is the root */
	char *place; /* the file, and the path if it is not the root: `where` */
	sheaf_bsp_descriptor d;
	sheaf_stored_array values; /* if it is held, as they are declared */
	sheaf_bsp_tolerance tolerance;
	uint8_t fill[16] __attribute__((aligned(8))); /* read as numbers */
	bool is_broken;                               /* found while validating: nothing can be read */
} sheaf_bsp_tensor;

/* NULL: it is not there, and everything in it is 0. */
static inline const sheaf_box_item *sheaf_bsp_item(const sheaf_stored_array *a)
{
	return (const sheaf_box_item *)a->at;
}

/* ---- repair.c ---- */

/* Whether pointers that end at another number than `wanted` are equal to it modulo the range of their type.
 * *out gets the true ones, int64, otherwise it stays empty. */
SHEAF_USE sheaf_status sheaf_bsp_unwrap(const sheaf_bsp_tensor *t, const sheaf_stored_array *pointers,
                                        int64_t wanted, sheaf_buffer *out, sheaf_error *err);

/* ---- tensor.c ---- */

/* Opens the tensor of a group, with cx, box and tolerance set: checks everything that needs no reading of the
 * arrays, and repairs pointers that have wrapped around. It is closed in any case, with
 * sheaf_bsp_tensor_close. */
SHEAF_USE sheaf_status sheaf_bsp_tensor_open(sheaf_bsp_tensor *t, const char *file, const char *path,
                                             sheaf_error *err);
void sheaf_bsp_tensor_close(sheaf_bsp_tensor *t);
/* The schema of its entries. */
SHEAF_USE sheaf_status sheaf_bsp_entries_schema(const sheaf_bsp_tensor *t, sheaf_schema *schema,
                                                sheaf_error *err);
/* Reports with the place of the tensor; `expected` is a format. */
SHEAF_USE sheaf_status sheaf_bsp_report(const sheaf_bsp_tensor *t, sheaf_finding finding, sheaf_context *cx,
                                        sheaf_error *err, const char *expected, ...) SHEAF_PRINTF(5, 6);

#endif
