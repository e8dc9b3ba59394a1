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

/* Refills a column, already shaped, with column `from` of n picks. `scratch` has room for 2 * n numbers. */
SHEAF_USE sheaf_status sheaf_gather_column(sheaf_column *to, const sheaf_pick *picks, size_t n, int from,
                                           int64_t *scratch, sheaf_context *cx, sheaf_error *err);

#endif
