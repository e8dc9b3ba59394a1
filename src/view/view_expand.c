/* SPDX-License-Identifier: MIT */
/* Entries of a tensor in another form: including those that its structure implies, or as rows of a table.
 * Frames are expanded one by one, on any thread, so that the entries of a tensor with a structure are not
 * sorted as a whole. */
#include "base/memory.h"
#include "base/status.h"
#include "frame/frame.h"
#include "frame/schema/structure.h"
#include "io/source.h"
#include "sparse/arrange.h"
#include "view/view.h"

typedef struct expanded {
	sheaf_row_view view;
	sheaf_arrange_options options; /* for the arranger, which adds the entries and drops the fill */
} expanded;

/* Replaces the frame by one that the arranger makes of the frame below: with implied entries, or without
 * those that equal the fill. The frame below stays in the notes. */
static sheaf_status expand(const expanded *e, const sheaf_frame *below, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	sheaf_frame made;
	SHEAF_TRY(
		sheaf_frame_arrange(below, &e->view.in->schema, &e->view.schema.tensor, &e->options, cx, &made, err));
	made.notes = frame->notes;
	frame->notes = (sheaf_buffer){0};
	sheaf_frame_free(frame);
	*frame = made;
	return SHEAF_OK;
}

/* Decodes a piece and expands its entries, on any thread. After a flaw below, the entries before it are
 * expanded, and the flaw is returned. */
static sheaf_status decode_expanded(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                    sheaf_context *cx, sheaf_error *err)
{
	const expanded *e = (const expanded *)in;
	const sheaf_frame *below;
	frame->nrows = 0;
	sheaf_status status = sheaf_view_decode_below(&e->view, piece, &frame->notes, &below, cx, err);
	if (status == SHEAF_OK) return expand(e, below, frame, cx, err);
	bool has_rows = sheaf_is_flaw(status) && below->nrows > 0;
	if (has_rows && sheaf_put_off(expand(e, below, frame, cx, NULL), "there are no rows then"))
		frame->nrows = 0;
	return status;
}

/* The frame below has been completed since it was expanded, but its coordinates were copied: it is expanded
 * again. */
static sheaf_status place_expanded(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	const sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	return below ? expand((const expanded *)view, below, frame, view->cx, err) : SHEAF_OK;
}

/* Puts the view on the input that adds the entries that a structure implies, and, if `content` is wanted of
 * a dense tensor, leaves out those that equal the fill. A tensor that needs neither gets no view. */
sheaf_status sheaf_view_expand(sheaf_input *input, bool content, sheaf_error *err)
{
	sheaf_row_view *v;
	const sheaf_schema *below = &input->in->schema;
	bool drops_fill = content && below->tensor.dense;
	if (below->tensor.structure == SHEAF_GENERAL && !drops_fill) return SHEAF_OK;
	SHEAF_TRY(sheaf_view_new(input, sizeof(expanded), &v, err));
	((expanded *)v)->options =
		(sheaf_arrange_options){.drop_fill = drops_fill, .name = sheaf_source_name(input->source)};
	v->format.decode = decode_expanded;
	/* Views below that complete their frames later change coordinates that were copied by then. */
	for (const sheaf_row_view *under = v->under; under; under = under->under)
		if (under->place) v->place = place_expanded;
	v->format.cut = sheaf_view_cut_whole;
	v->facts = v->in->facts;
	v->facts.rows = -1;
	SHEAF_TRY(sheaf_schema_copy(below, v->cx, &v->schema, err));
	sheaf_tensor *tensor = &v->schema.tensor;
	bool is_skew = sheaf_structure_is_skew(tensor->structure); /* its diagonal need not be stored */
	if (tensor->structure != SHEAF_GENERAL) tensor->sorted = tensor->iso = false;
	tensor->structure = SHEAF_GENERAL;
	if (drops_fill || is_skew) tensor->dense = false;
	return SHEAF_OK;
}

/* ---- entries as rows of a table ---- */

static sheaf_status decode_as_it_is(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                    sheaf_context *cx, sheaf_error *err)
{
	return sheaf_view_slice_below((const sheaf_row_view *)in, piece, NULL, frame, cx, err);
}

/* Puts the view on the input that makes entries rows of a table, unchanged. A table cannot hold the other
 * properties of a tensor, so the entries that its structure implies become rows first. */
sheaf_status sheaf_view_table(sheaf_input *input, sheaf_error *err)
{
	sheaf_row_view *v;
	SHEAF_TRY(sheaf_view_expand(input, false, err));
	const sheaf_schema *below = &input->in->schema;
	SHEAF_TRY(sheaf_view_new(input, sizeof(sheaf_row_view), &v, err));
	v->format.decode = decode_as_it_is;
	v->facts = v->in->facts;
	SHEAF_TRY(sheaf_schema_copy(below, v->cx, &v->schema, err));
	v->schema.rows = SHEAF_CELLS;
	v->schema.tensor = (sheaf_tensor){0};
	return SHEAF_OK;
}
