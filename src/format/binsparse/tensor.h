/* SPDX-License-Identifier: MIT */
/* A tensor in a box: its descriptor and the arrays that this requires.
 *
 *   array.c    values of one array, by runs and one by one
 *   tensor.c   finding the arrays, their types and lengths
 *   repair.c   pointers that have wrapped around
 *   place.c    positions: from levels down to entries, and up again */
#ifndef SHEAF_FORMAT_BINSPARSE_TENSOR_H
#define SHEAF_FORMAT_BINSPARSE_TENSOR_H

#include "base/context.h"
#include "box/box.h"
#include "format/binsparse/descriptor.h"

/* What a user allows. */
typedef struct sheaf_bsp_tolerance {
	bool repair;  /* arrays are mended */
	bool lenient; /* deviations of other programs are accepted */
} sheaf_bsp_tolerance;

typedef struct sheaf_bsp_array {
	char name[BSP_NAME_SIZE];
	const sheaf_box_item *item; /* NULL: it is not there, and everything in it is 0 */
	int64_t count;              /* number of values */
	sheaf_buffer repaired;      /* instead of the file's: int64; for values as they are declared */
} sheaf_bsp_array;

typedef struct sheaf_bsp_tensor {
	sheaf_context *cx;
	sheaf_box *box;
	char *path;  /* of its group; "" is the root */
	char *where; /* the file, and the path if it is not the root, for messages */
	sheaf_bsp_descriptor d;
	sheaf_bsp_array pointers[BSP_MAX_RANK]; /* by level */
	sheaf_bsp_array indices[BSP_MAX_RANK];  /* by dimension of the levels */
	sheaf_bsp_array values;
	int64_t counts[BSP_MAX_RANK + 1]; /* positions above level l; the last one is the number of elements */
	sheaf_bsp_tolerance tolerance;
	uint8_t fill[16] __attribute__((aligned(8))); /* read as numbers */
	bool is_broken;                               /* found while validating: nothing can be read */
} sheaf_bsp_tensor;

static inline int64_t sheaf_bsp_elements(const sheaf_bsp_tensor *t) { return t->counts[t->d.layout.nlevels]; }

/* ---- array.c ---- */

typedef struct sheaf_bsp_range {
	int64_t begin, end;
} sheaf_bsp_range;

/* Values as they are stored; for a missing array, zeros of type U8. *type becomes their type. */
SHEAF_USE sheaf_status sheaf_bsp_read_raw(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a,
                                          sheaf_bsp_range range, sheaf_type *type, sheaf_buffer *out,
                                          sheaf_error *err);
/* Whole numbers as int64, a view if they are stored like that. Unsigned ones that do not fit become
 * negative. */
SHEAF_USE sheaf_status sheaf_bsp_read_i64(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a,
                                          sheaf_bsp_range range, sheaf_context *cx, sheaf_buffer *out,
                                          sheaf_error *err);

/* A part of an array that moves to where it is needed. Begins as zeros; belongs to one thread. */
typedef struct sheaf_bsp_window {
	int64_t from, to;
	sheaf_buffer values; /* int64 */
} sheaf_bsp_window;
SHEAF_USE sheaf_status sheaf_bsp_look(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a,
                                      sheaf_bsp_window *window, int64_t at, int64_t *value, sheaf_error *err);
static inline void sheaf_bsp_window_close(sheaf_bsp_window *window) { sheaf_buffer_reset(&window->values); }

/* ---- repair.c ---- */

/* Whether pointers that end at another number than `wanted` are equal to it modulo the range of their type.
 * *out gets the true ones, int64, otherwise it stays empty. */
SHEAF_USE sheaf_status sheaf_bsp_unwrap(const sheaf_bsp_tensor *t, const sheaf_bsp_array *pointers,
                                        int64_t wanted, sheaf_buffer *out, sheaf_error *err);

/* ---- tensor.c ---- */

/* Opens the tensor of a group, with cx, box and tolerance set: checks everything that needs no reading of the
 * arrays, and repairs pointers that have wrapped around. It is closed in any case, with
 * sheaf_bsp_tensor_close. */
SHEAF_USE sheaf_status sheaf_bsp_tensor_open(sheaf_bsp_tensor *t, const char *file, const char *path,
                                             sheaf_error *err);
void sheaf_bsp_tensor_close(sheaf_bsp_tensor *t);
/* Reports with the place of the tensor; `expected` is a format. */
SHEAF_USE sheaf_status sheaf_bsp_report(const sheaf_bsp_tensor *t, sheaf_finding finding, sheaf_context *cx,
                                        sheaf_error *err, const char *expected, ...) SHEAF_PRINTF(5, 6);

/* ---- place.c ---- */

/* Windows over the arrays of a tensor, for one thread. Begins as zeros. */
typedef struct sheaf_bsp_view {
	sheaf_bsp_window pointers[BSP_MAX_RANK], indices[BSP_MAX_RANK];
} sheaf_bsp_view;
void sheaf_bsp_view_close(sheaf_bsp_view *view);

/* Where the positions below position p of level l begin, 0 <= p <= counts[l]; at most counts[l + 1] whatever
 * the file says. */
SHEAF_USE sheaf_status sheaf_bsp_below(const sheaf_bsp_tensor *t, sheaf_bsp_view *view, int l, int64_t p,
                                       int64_t *out, sheaf_error *err);
/* Advances *at to the position of level l above position q of level l + 1; it is not before *at. */
SHEAF_USE sheaf_status sheaf_bsp_above(const sheaf_bsp_tensor *t, sheaf_bsp_view *view, int l, int64_t q,
                                       int64_t *at, sheaf_error *err);
/* Advances *at to the first position of array `a` whose value is at least `value`; to its end if there is
 * none. Values ascend. */
SHEAF_USE sheaf_status sheaf_bsp_search(const sheaf_bsp_tensor *t, const sheaf_bsp_array *a,
                                        sheaf_bsp_window *window, int64_t value, int64_t *at,
                                        sheaf_error *err);

#endif
