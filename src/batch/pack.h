/* SPDX-License-Identifier: MIT */
/* Packing: sequences side by side in a grid of rows and steps. First the layout of a stream, which needs only
 * the lengths of its sequences, then the samples. With SHEAF_PACK_SEQUENCES, and the sequences A (3 samples),
 * B (1), C (2):
 *
 *     step   0   1   2
 *     row 0  A0  A1  A2
 *     row 1  B0  C0  C1
 */
#ifndef SHEAF_BATCH_PACK_H
#define SHEAF_BATCH_PACK_H

#include "batch/gather.h"
#include "batch/order/order.h"
#include <sheaf/batch.h>

/* The samples [from, from + count) of a sequence of `whole` samples, and their place in the grid. Only
 * truncation makes extracts that are not whole sequences. */
typedef struct sheaf_extract {
	size_t pick; /* the number of the sequence in the batch */
	int64_t from, count, whole;
	int64_t row, step; /* of the first sample */
} sheaf_extract;

/* Begins as zeros; the arrays are reused from batch to batch. */
typedef struct sheaf_layout {
	sheaf_extract *extracts;
	size_t count, room;
	int64_t rows, width;  /* of the grid; the width in steps */
	bool rows_outermost;  /* the steps of a row follow one another; otherwise the rows of a step do */
	int64_t *taken;       /* the number of steps used of each row, while rows are filled */
	sheaf_placed *placed; /* the extracts, as the caller of the library sees them */
	size_t taken_room, placed_room;
} sheaf_layout;

/* Where the whole sequences of a stream go; *err if they cannot be packed like that. */
SHEAF_USE sheaf_status sheaf_layout_make(sheaf_layout *layout, sheaf_packing packing, int64_t multiple,
                                         const sheaf_picked *from, sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_layout_add(sheaf_layout *layout, sheaf_extract extract, sheaf_context *cx,
                                        sheaf_error *err);
void sheaf_layout_free(sheaf_layout *layout, sheaf_context *cx);

/* Fills a stream's part of a batch, packed->field. *packed is zeros or an earlier result, whose buffers are
 * reused; it points into the layout. */
SHEAF_USE sheaf_status sheaf_pack_stream(sheaf_packed *packed, sheaf_layout *layout, const sheaf_picked *from,
                                         sheaf_context *cx, sheaf_error *err);
void sheaf_packed_free(sheaf_packed *packed);

#endif
