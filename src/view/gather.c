/* SPDX-License-Identifier: MIT */
/* Entries in the order of rows: the arranger sorts, merges and expands what the format below gives. Whoever
 * gathers has perhaps cut the first piece below already, to see whether pieces are slices; it is decoded
 * first. Rows below are reviewed here, since no frame of the view has them in its notes. */
#include "view/gather.h"
#include "base/buffer.h"
#include "io/source.h"
#include "sparse/arrange.h"

/* Prepares a gatherer of the entries below the view. The arranger is asked for the usual order, row after
 * row, without duplicates and with the entries that a symmetric structure implies. `first` is moved into the
 * gatherer: the caller's piece keeps neither bytes nor notes. */
sheaf_status sheaf_gatherer_begin(sheaf_gatherer *g, sheaf_row_view *view, sheaf_piece *first,
                                  sheaf_error *err)
{
	const sheaf_schema *schema = &view->in->schema;
	sheaf_arrange_options options = {.name = sheaf_source_name(view->source)};
	sheaf_tensor to = schema->tensor;
	*g = (sheaf_gatherer){.view = view, .has_first = first != NULL};
	if (first) {
		g->first = *first;
		first->bytes = first->notes = (sheaf_buffer){0};
	}
	to.sorted = to.unique = true;
	to.structure = SHEAF_GENERAL;
	for (int d = 0; d < to.rank; d++) to.order[d] = d;
	SHEAF_TRY(sheaf_arranger_new(schema, &to, &options, view->cx, &g->arranger, err));
	return sheaf_decoding_open(&g->decoding, view->inner, view->in, sheaf_usual_piece(view->cx), view->cx,
	                           err);
}

void sheaf_gatherer_end(sheaf_gatherer *g)
{
	if (!g->view) return;
	sheaf_decoding_close(&g->decoding);
	sheaf_arranger_free(g->arranger);
	sheaf_frame_free(&g->frame);
	sheaf_piece_reset(&g->first);
	*g = (sheaf_gatherer){0};
}

/* Gives the next frame of arranged entries, or END. The arranger says END whenever it needs more entries,
 * so this loop feeds it one decoded piece after the other until it has something to give; END after all
 * pieces were added is the end itself. Entries are reviewed here, since no frame of the view has the frame
 * below in its notes; a frame that a flaw has cut short is not reviewed. */
sheaf_status sheaf_gatherer_next(sheaf_gatherer *g, const sheaf_frame **out, sheaf_error *err)
{
	sheaf_row_view *v = g->view;
	const sheaf_frame *entries = &g->frame;
	sheaf_status status;
	while ((status = sheaf_arranger_next(g->arranger, out, err)) == SHEAF_END && !g->ended) {
		/* The arranger needs more: the first piece, which was cut before, then the others. */
		if (g->has_first)
			status = v->inner->decode(v->in, &g->first, &g->frame, v->cx, err);
		else
			status = sheaf_decoding_next(&g->decoding, &entries, err);
		g->has_first = false;
		g->ended = status == SHEAF_END;
		if (g->ended) {
			SHEAF_TRY(sheaf_arranger_finish(g->arranger, err));
			continue;
		}
		SHEAF_TRY(status);
		bool is_whole = !sheaf_decoding_is_cut_short(&g->decoding);
		if (is_whole && v->inner->review) SHEAF_TRY(v->inner->review(v->in, entries, v->inner_row, err));
		v->inner_row += entries->nrows;
		SHEAF_TRY(sheaf_arranger_add(g->arranger, entries, err));
	}
	return status;
}
