/* SPDX-License-Identifier: MIT */
/* The packed part of a batch: a layout and a grid for each of its streams. */
#ifndef SHEAF_BATCH_PACKING_H
#define SHEAF_BATCH_PACKING_H

#include "batch/pack.h"
#include "batch/row_source.h"

/* Begins as zeros. */
typedef struct sheaf_packings {
	int count; /* streams */
	sheaf_packed *packed;
	sheaf_layout *layouts;
	sheaf_layout cut; /* of all streams, if sequences are truncated */
	sheaf_context *cx;
} sheaf_packings;

/* USAGE if a field of the source is neither a stream nor the key: a grid cannot hold it. */
SHEAF_USE sheaf_status sheaf_packings_open(sheaf_packings *p, const sheaf_row_source *source,
                                           sheaf_context *cx, sheaf_error *err);
void sheaf_packings_close(sheaf_packings *p);
typedef struct sheaf_packing_how {
	sheaf_packing packing;
	int64_t multiple; /* widths are multiples of it, if rows are padded */
} sheaf_packing_how;
/* Packs n picks of each lane; truncated ones as `cut` says. */
SHEAF_USE sheaf_status sheaf_packings_fill(sheaf_packings *p, const sheaf_row_source *source,
                                           sheaf_packing_how how, const sheaf_pick *picks, size_t n,
                                           sheaf_error *err);

#endif
