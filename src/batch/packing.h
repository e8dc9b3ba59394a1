/* SPDX-License-Identifier: MIT */
/* The packed part of a batch: a layout and a grid for each of its streams. */
#ifndef SHEAF_BATCH_PACKING_H
#define SHEAF_BATCH_PACKING_H

#include "batch/pack.h"
#include "batch/row_source.h"

/* How the batches of a run are made. */
typedef struct sheaf_batch_settings {
	const sheaf_row_source *source;
	sheaf_packing packing;
	int64_t pad_multiple; /* the width of padded grids is a multiple of this number of steps; 0: any width */
	sheaf_context *cx;
} sheaf_batch_settings;

/* The grids of one batch. Begins as zeros; the next batch reuses the memory. */
typedef struct sheaf_packings {
	int count;             /* streams of the source */
	sheaf_packed *packed;  /* the grid of each stream, */
	sheaf_layout *layouts; /* and its layout, */
	sheaf_layout cut;      /* or the layout of all streams, if sequences are truncated */
	sheaf_context *cx;
} sheaf_packings;

/* Fields of the source that are no streams get no grid. USAGE if there is none, or one lacks samples. */
SHEAF_USE sheaf_status sheaf_packings_open(sheaf_packings *p, const sheaf_row_source *source,
                                           sheaf_context *cx, sheaf_error *err);
void sheaf_packings_close(sheaf_packings *p);
/* Packs the picks of a batch, n of each lane, lane by lane. If sequences are truncated, `cut` already says
 * which of their samples go where; otherwise each stream gets a layout from the lengths of its sequences. */
SHEAF_USE sheaf_status sheaf_packings_fill(sheaf_packings *p, const sheaf_batch_settings *settings,
                                           const sheaf_pick *picks, size_t n, sheaf_error *err);

#endif
