/* SPDX-License-Identifier: MIT */
/* The sizes of arrays when deflated: found by deflating some of their blocks, ever fewer, each of which
 * represents those up to the next. If there are few blocks, all are deflated. */
#ifndef SHEAF_TENSOR_DEFLATING_H
#define SHEAF_TENSOR_DEFLATING_H

#include "base/buffer.h"

enum { SHEAF_DEFLATING_BLOCK = 4096 /* items in a block */, SHEAF_DEFLATING_ARRAYS = 3 };

/* Arrays with the same number of items; begins with the sizes of these, 0 if there are fewer arrays. */
typedef struct sheaf_deflating {
	size_t sizes[SHEAF_DEFLATING_ARRAYS];
	int64_t n, from; /* items so far; the first of the block that is being gathered, or will be */
	double sums[SHEAF_DEFLATING_ARRAYS], last[SHEAF_DEFLATING_ARRAYS];
	uint8_t *block; /* NULL: nothing is gathered yet */
} sheaf_deflating;

/* One item of each array. */
SHEAF_USE sheaf_status sheaf_deflating_put(sheaf_deflating *p,
                                           const void *const items[SHEAF_DEFLATING_ARRAYS], sheaf_context *cx,
                                           sheaf_error *err);
/* Whether the next item will be used; if not, it is only counted. */
static inline bool sheaf_deflating_wants(sheaf_deflating *p)
{
	if (p->n >= p->from) return true;
	p->n++;
	return false;
}
/* After the last one: p->sums are the sizes of the deflated arrays. */
SHEAF_USE sheaf_status sheaf_deflating_finish(sheaf_deflating *p, sheaf_context *cx, sheaf_error *err);
void sheaf_deflating_free(sheaf_deflating *p, sheaf_context *cx);

#endif
