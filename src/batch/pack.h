/* SPDX-License-Identifier: MIT */
/* Packing: sequences side by side. First the layout of a stream, from lengths alone; then its samples. */
#ifndef SHEAF_BATCH_PACK_H
#define SHEAF_BATCH_PACK_H

#include "batch/gather.h"
#include "batch/order.h"
#include <sheaf/batch.h>

/* The part of a sequence that is in a batch: samples [from, from + count) of a pick. */
typedef struct sheaf_extract {
	size_t pick;                /* among those of its lane */
	int64_t from, count, whole; /* `whole` samples in all */
	int64_t row, step;          /* where it is placed */
} sheaf_extract;

typedef struct sheaf_layout {
	sheaf_extract *extracts;
	size_t count, room;
	int64_t rows, width;
	bool rows_outermost;
	int64_t *taken; /* steps used of each row */
	size_t taken_room;
	sheaf_placed *placed;
	size_t placed_room;
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
