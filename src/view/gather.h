/* SPDX-License-Identifier: MIT */
/* The entries below a view, one frame after the other, in the order of rows: sorted, merged and expanded if
 * necessary. */
#ifndef SHEAF_VIEW_GATHER_H
#define SHEAF_VIEW_GATHER_H

#include "sparse/arrange.h"
#include "view/view.h"

/* Begins as zeros. */
typedef struct sheaf_gatherer {
	sheaf_row_view *view;
	sheaf_piece first;       /* the first piece, which was cut by somebody else, */
	bool has_first;          /* and is not decoded yet; */
	sheaf_frame frame;       /* then its entries */
	sheaf_decoding decoding; /* of the other pieces */
	sheaf_arranger *arranger;
	bool ended; /* the arranger has all entries */
} sheaf_gatherer;

/* `first`: a piece that is already cut, which is taken over; or NULL. */
SHEAF_USE sheaf_status sheaf_gatherer_begin(sheaf_gatherer *g, sheaf_row_view *view, sheaf_piece *first,
                                            sheaf_error *err);
/* The next entries, or END; *out is borrowed until the next call. */
SHEAF_USE sheaf_status sheaf_gatherer_next(sheaf_gatherer *g, const sheaf_frame **out, sheaf_error *err);
void sheaf_gatherer_end(sheaf_gatherer *g);

#endif
