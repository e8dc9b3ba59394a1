/* SPDX-License-Identifier: MIT */
/* Gathering: rows from anywhere into one frame. */
#ifndef SHEAF_BATCH_GATHER_H
#define SHEAF_BATCH_GATHER_H

#include <sheaf/frame.h>

/* A row of a decoded piece. */
typedef struct sheaf_pick {
	const sheaf_frame *frame;
	int64_t row;
} sheaf_pick;

/* A column of n such rows, and its field in the result. */
typedef struct sheaf_picked {
	const sheaf_pick *picks;
	size_t n;
	int column;
	const sheaf_field *field;
} sheaf_picked;
static inline const sheaf_column *sheaf_picked_column(const sheaf_picked *from, size_t pick)
{
	return &from->picks[pick].frame->columns[from->column];
}

/* Refills a column whose shape is already set. `scratch` has room for 2 * n numbers. */
SHEAF_USE sheaf_status sheaf_gather_column(sheaf_column *to, const sheaf_picked *from, int64_t *scratch,
                                           sheaf_context *cx, sheaf_error *err);

#endif
