/* SPDX-License-Identifier: MIT */
/* Gathering entries in order. */
#include "view/gather.h"
#include "base/buffer.h"
#include "io/source.h"
#include "tensor/arrange.h"

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
	sheaf_buffer_reset(&g->first.bytes);
	sheaf_buffer_reset(&g->first.notes);
	*g = (sheaf_gatherer){0};
}

/* As the file has them. */
static sheaf_status next_below(sheaf_gatherer *g, const sheaf_frame **out, sheaf_error *err)
{
	sheaf_row_view *v = g->view;
	if (g->has_first) {
		g->has_first = false;
		SHEAF_TRY(v->inner->decode(v->in, &g->first, &g->frame, v->cx, err));
		*out = &g->frame;
	} else {
		SHEAF_TRY(sheaf_decoding_next(&g->decoding, out, err));
	}
	bool whole = !sheaf_decoding_is_cut_short(&g->decoding);
	if (whole && v->inner->review) SHEAF_TRY(v->inner->review(v->in, *out, v->inner_row, err));
	v->inner_row += (*out)->nrows;
	return SHEAF_OK;
}

sheaf_status sheaf_gatherer_next(sheaf_gatherer *g, const sheaf_frame **out, sheaf_error *err)
{
	const sheaf_frame *entries;
	sheaf_status status;
	while ((status = sheaf_arranger_next(g->arranger, out, err)) == SHEAF_END && !g->ended) {
		status = next_below(g, &entries, err);
		g->ended = status == SHEAF_END;
		if (status != SHEAF_END) SHEAF_TRY(status);
		SHEAF_TRY(g->ended ? sheaf_arranger_finish(g->arranger, err)
		                   : sheaf_arranger_add(g->arranger, entries, err));
	}
	return status;
}
