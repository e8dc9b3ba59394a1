/* SPDX-License-Identifier: MIT */
/* The entries below a view, one frame after the other, in the order of rows: sorted, merged and expanded if
 * necessary. */
#ifndef SHEAF_VIEW_GATHER_H
#define SHEAF_VIEW_GATHER_H

#include "tensor/arrange.h"
#include "view/view.h"

/* Begins as zeros. */
typedef struct sheaf_gatherer {
	sheaf_row_view *view;
	sheaf_piece first; /* cut already */
	sheaf_frame frame; /* its */
	bool has_first;
	sheaf_decoding decoding;
	sheaf_arranger *arranger;
	bool ended;
} sheaf_gatherer;

/* `first`: a piece that is already cut, which is taken over; or NULL. */
SHEAF_USE sheaf_status sheaf_gatherer_begin(sheaf_gatherer *g, sheaf_row_view *view, sheaf_piece *first,
                                            sheaf_error *err);
/* The next entries, or END; *out is borrowed until the next call. */
SHEAF_USE sheaf_status sheaf_gatherer_next(sheaf_gatherer *g, const sheaf_frame **out, sheaf_error *err);
void sheaf_gatherer_end(sheaf_gatherer *g);

#endif
