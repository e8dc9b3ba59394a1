/* SPDX-License-Identifier: MIT */
/* What all views have in common: frames that are kept in buffers, decoding with the format below, members of
 * the contract that pass a call on to the format below, and reading all rows below.
 *
 * A frame of a view has the frame below in its notes: its buffers may be parts of those below, and it is
 * reviewed and completed together with that frame. A flaw that ends a piece below may leave rows before it;
 * these become rows of the view as far as they can, and the flaw is what the caller hears of. */
#include "view/view.h"
#include "base/buffer.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/status.h"
#include "io/source.h"

/* ---- frames in buffers ---- */

/* Frees a frame that a buffer owns, and the memory of the frame itself: the buffer calls this when its last
 * reference is gone. `user` is the context that owns the memory. */
static void release_frame(void *user, uint8_t *data, size_t size)
{
	sheaf_frame_free((sheaf_frame *)(void *)data);
	sheaf_release((sheaf_context *)user, data, size);
}

/* Moves a frame into a new buffer, so that pieces and notes can carry it. *frame is empty afterwards, as
 * its content belongs to the buffer; with NULL the buffer has an empty frame. */
sheaf_status sheaf_view_wrap_frame(sheaf_frame *frame, sheaf_context *cx, sheaf_buffer *out, sheaf_error *err)
{
	uint8_t *memory;
	sheaf_context *owner = sheaf_context_owner(cx);
	sheaf_buffer_reset(out);
	SHEAF_TRY(sheaf_allocate(cx, sizeof *frame, &memory, err));
	sheaf_status status =
		sheaf_buffer_wrap(cx, (sheaf_lent){memory, sizeof *frame, release_frame, owner}, out, err);
	if (status) {
		sheaf_release(cx, memory, sizeof *frame);
		return status;
	}
	if (frame) {
		*sheaf_view_unwrap(out) = *frame;
		*frame = (sheaf_frame){0};
	}
	return SHEAF_OK;
}

/* Decodes a piece with the format below, for views that make their own frames of it. The frame below lives
 * in *notes, so *below stays valid even after a flaw: it may have rows before it. */
sheaf_status sheaf_view_decode_below(const sheaf_row_view *v, const sheaf_piece *piece, sheaf_buffer *notes,
                                     const sheaf_frame **below, sheaf_context *cx, sheaf_error *err)
{
	*below = NULL;
	SHEAF_TRY(sheaf_view_wrap_frame(NULL, cx, notes, err));
	*below = sheaf_view_unwrap(notes);
	return v->inner->decode(v->in, piece, sheaf_view_unwrap(notes), cx, err);
}

/* Whether a frame has rows before a flaw that ended its piece. */
static bool has_some(sheaf_status status, const sheaf_frame *below)
{
	return below && sheaf_is_flaw(status) && below->nrows > 0;
}

/* Decodes a piece for views that have a `fill`, on any thread: the frame below goes into the notes, and
 * `fill` makes the view's rows of it. If a flaw ends the piece below, the rows before it are still converted,
 * without a message of their own, and the caller hears of the flaw. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	sheaf_frame_builder to;
	sheaf_buffer notes = {0};
	const sheaf_frame *below;
	sheaf_status status = sheaf_frame_builder_begin(&to, &v->schema, frame, cx, err);
	if (status == SHEAF_OK) {
		status = sheaf_view_decode_below(v, piece, &notes, &below, cx, err);
		sheaf_builder_hold(&to.notes, &notes);
		if (status == SHEAF_OK)
			status = v->fill(v, below, &to, err);
		else if (has_some(status, below) &&
		         sheaf_put_off(v->fill(v, below, &to, NULL), "there are no rows before the flaw"))
			to.nrows = 0;
	}
	return sheaf_frame_builder_end(&to, status, frame, err);
}

/* Adds the number of the first row below to numbers of rows that were counted from 0 within a frame. */
void sheaf_view_number(const sheaf_row_view *v, sheaf_column *column, int64_t n)
{
	int64_t *wide = (int64_t *)(void *)column->values.data;
	int32_t *narrow = (int32_t *)(void *)column->values.data;
	for (int64_t i = 0; i < n; i++) {
		if (column->type == SHEAF_I32)
			narrow[i] += (int32_t)v->inner_row;
		else
			wide[i] += v->inner_row;
	}
}

/* Decodes a piece into rows below, whose buffers the frame shares: all columns, or those in `some`, in that
 * order. After a flaw the frame has the rows before it, if there are some; the flaw is what is returned. */
sheaf_status sheaf_view_slice_below(const sheaf_row_view *v, const sheaf_piece *piece,
                                    const sheaf_column_numbers *some, sheaf_frame *frame, sheaf_context *cx,
                                    sheaf_error *err)
{
	const int *columns = some ? some->columns : NULL;
	int ncolumns = some ? some->n : 0;
	const sheaf_frame *below;
	sheaf_buffer notes = {0}; /* which own what is sliced */
	sheaf_buffer_reset(&frame->notes);
	sheaf_status decode_status = sheaf_view_decode_below(v, piece, &notes, &below, cx, err);
	sheaf_status pick_status = SHEAF_OK;
	frame->nrows = 0;
	if (decode_status == SHEAF_OK || has_some(decode_status, below))
		pick_status = sheaf_frame_pick(below, columns, ncolumns, frame, decode_status ? NULL : err);
	if (pick_status) frame->nrows = 0;
	frame->notes = notes;
	return decode_status ? decode_status : pick_status;
}

/* ---- members passed to the format below ---- */

/* Lists what the format below says about itself; a format without a description adds nothing. */
static sheaf_status describe(const void *in, const sheaf_listing *to, sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	return v->inner->model && v->inner->model->describe ? v->inner->model->describe(v->in, to, err)
	                                                    : SHEAF_OK;
}

static sheaf_status cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	return v->inner->cut(v->in, bytes, piece, err);
}

/* Cuts a piece below for a view whose rows are no slices of a tensor: the mark of slices is taken from the
 * piece. */
sheaf_status sheaf_view_cut_whole(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	SHEAF_TRY(cut(in, bytes, piece, err));
	piece->slices = 0;
	return SHEAF_OK;
}

static sheaf_status recall(const void *in, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	return v->inner->random->recall(v->in, piece, err);
}

/* Lets pieces of the view be recalled as those of the format below are, and cutting resume at them if the
 * format below can do so. Without random access below, the view has none. */
void sheaf_view_pass_random(sheaf_row_view *v)
{
	static const sheaf_random_access recall_only = {.recall = recall};
	static const sheaf_random_access both = {.recall = recall, .resumes = true};
	if (v->inner->random) v->format.random = v->inner->random->resumes ? &both : &recall_only;
}

/* Lets the format below review its own frame, which is in the notes, in order; NULL says that the input
 * ends. `row` counts rows of the view, so the view keeps the number of the row below itself. A frame without
 * notes has nothing to review. */
static sheaf_status review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_row_view *v = (sheaf_row_view *)in;
	const sheaf_frame *below = frame ? sheaf_view_unwrap(&frame->notes) : NULL;
	(void)row;
	if (!frame) return v->inner->review ? v->inner->review(v->in, NULL, v->inner_row, err) : SHEAF_OK;
	if (!below) return SHEAF_OK;
	if (v->inner->review) SHEAF_TRY(v->inner->review(v->in, below, v->inner_row, err));
	v->inner_row += below->nrows;
	return SHEAF_OK;
}

/* Goes back to a piece, or to the beginning (NULL), in the format below. Where a piece is, the number of
 * its first row is not known, so inner_row stays as it is. */
static sheaf_status rewind_below(void *in, const sheaf_piece *to, sheaf_error *err)
{
	sheaf_row_view *v = (sheaf_row_view *)in;
	if (!to) v->inner_row = 0;
	return v->inner->rewind(v->in, to, err);
}

static sheaf_status carry(void *in, const sheaf_carried *counts, sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	return v->inner->carry(v->in, counts, err);
}

/* Releases the view's own things, and then closes the reader below, which the view owns. */
static void close_view(void *in)
{
	sheaf_row_view *v = (sheaf_row_view *)in;
	if (v->release) v->release(v);
	sheaf_buffer_reset(&v->lengths);
	sheaf_reader_close(v->inner, v->in);
}

static sheaf_status list(const void *in, sheaf_source *source, const struct sheaf_item_teller *teller,
                         sheaf_error *err)
{
	const sheaf_row_view *v = (const sheaf_row_view *)in;
	return v->inner->model && v->inner->model->list ? v->inner->model->list(v->in, source, teller, err)
	                                                : SHEAF_OK;
}

static const sheaf_model model = {.describe = describe, .list = list};

/* Allocates a view of `size` bytes and puts it over the input. Members of its format pass calls on to the
 * format below until the view replaces them. The view owns the reader below from here on; on failure nothing
 * has changed. */
sheaf_status sheaf_view_new(sheaf_input *input, size_t size, sheaf_row_view **out, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(input->cx, size, out, err));
	sheaf_row_view *v = *out;
	*v = (sheaf_row_view){.inner = input->format, .in = input->in, .under = input->view};
	v->cx = input->cx;
	v->source = input->source;
	v->facts = SHEAF_NO_FACTS;
	v->facts.guess = v->in->facts.guess;
	v->decoder = input->in->decoder;
	v->format = (sheaf_format){
		.name = input->format->name,
		.summary = input->format->summary,
		.suffixes = input->format->suffixes,
		.can = input->format->can,
		.needs_seek = input->format->needs_seek,
		.model = &model,
		.reader_size = size,
		.cut = cut,
		.decode = decode,
		.review = review,
		.rewind = rewind_below,
		.carry = input->format->carry ? carry : NULL,
		.close = close_view,
	};
	input->format = &v->format;
	input->in = &v->reader;
	input->view = v;
	return SHEAF_OK;
}

/* Completes a frame in order, once its first row's number is known, from the lowest view up. The frames
 * below wait in the notes, unless the view below has completed them already (has_placed). Frames that share
 * buffers are completed in place. */
sheaf_status sheaf_view_place(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	if (!view) return SHEAF_OK;
	sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	if (below && !view->has_placed) SHEAF_TRY(sheaf_view_place(view->under, below, err));
	return view->place ? view->place(view, frame, err) : SHEAF_OK;
}

void sheaf_view_empty_piece(sheaf_piece *piece)
{
	sheaf_piece_reset(piece);
	*piece = (sheaf_piece){.byte = -1, .line = -1, .column = -1, .chunk = -1};
}

/* Reports a finding in a cell of the table below; `row` is the number of the row in the whole input. */
sheaf_status sheaf_view_report_cell(const sheaf_row_view *v, int64_t row, const char *column,
                                    sheaf_finding finding, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(v->source), &finding);
	problem.place.row = row;
	problem.place.stream = column;
	sheaf_place_words(&problem.place, SHEAF_CELLS);
	return sheaf_report(v->cx, &problem, err);
}

/* ---- reading the rows below ---- */

/* Gives the next frame of rows below, completed and reviewed, to a view that reads them itself. At END, the
 * format below reviews the whole input. A frame that a flaw has cut short is not reviewed. */
sheaf_status sheaf_view_next_below(const sheaf_row_view *v, sheaf_decoding *decoding, int64_t row,
                                   const sheaf_frame **out, sheaf_error *err)
{
	sheaf_status status = sheaf_decoding_next(decoding, out, err);
	if (status == SHEAF_END && v->inner->review) SHEAF_TRY(v->inner->review(v->in, NULL, row, err));
	if (status) return status;
	SHEAF_TRY(sheaf_view_place(v->under, sheaf_decoding_frame(decoding), err));
	bool is_whole = !sheaf_decoding_is_cut_short(decoding);
	return is_whole && v->inner->review ? v->inner->review(v->in, *out, row, err) : SHEAF_OK;
}

/* Makes the view one that decodes rows below while it cuts: it decodes by itself, and reviews and completes
 * the frames below as it reads them, so nobody else does. `row` is the number of the first row below. */
void sheaf_rows_below_begin(sheaf_rows_below *r, sheaf_row_view *view, int64_t row)
{
	r->view = view;
	r->row = row;
	view->decoder = &view->reader;
	view->format.review = NULL;
	view->has_placed = true;
}

/* Gives the next rows below, opening the decoding at the first call. Messages go to whoever reads the view
 * (its listener), if there is somebody, and else to the view's own context. */
sheaf_status sheaf_rows_below_next(sheaf_rows_below *r, int64_t bytes, const sheaf_frame **out,
                                   sheaf_error *err)
{
	const sheaf_row_view *v = r->view;
	sheaf_context *cx = v->listener ? v->listener : v->cx;
	if (!r->is_open) SHEAF_TRY(sheaf_decoding_open(&r->decoding, v->inner, v->in, bytes, cx, err));
	r->is_open = true;
	SHEAF_TRY(sheaf_view_next_below(v, &r->decoding, r->row, out, err));
	r->row += (*out)->nrows;
	return SHEAF_OK;
}

/* Stops decoding and goes back to the first row below; the next call of sheaf_rows_below_next begins again.
 * */
sheaf_status sheaf_rows_below_rewind(sheaf_rows_below *r, sheaf_error *err)
{
	if (r->is_open) sheaf_decoding_close(&r->decoding);
	r->is_open = false;
	r->row = 0;
	return r->view->inner->rewind(r->view->in, NULL, err);
}

void sheaf_rows_below_end(sheaf_rows_below *r)
{
	if (r->is_open) sheaf_decoding_close(&r->decoding);
}

static sheaf_status count_rows(void *user, const sheaf_frame *frame, sheaf_error *err)
{
	(void)err;
	*(int64_t *)user += frame->nrows;
	return SHEAF_OK;
}

/* Gives the number of rows below: what the reader's facts say, or, where they do not say it (-1), what a
 * pass over all rows counts. */
sheaf_status sheaf_view_count_rows(sheaf_row_view *v, int64_t *rows, sheaf_error *err)
{
	*rows = v->in->facts.rows;
	if (*rows >= 0) return SHEAF_OK;
	*rows = 0;
	return sheaf_view_survey(v, count_rows, rows, err);
}

/* Shows all rows below to `see`, frame by frame and in order, and goes back to the beginning. Findings are
 * reported when the rows are read for the caller, so this pass takes place in a context that says nothing. */
sheaf_status sheaf_view_survey(sheaf_row_view *v,
                               sheaf_status (*see)(void *user, const sheaf_frame *frame, sheaf_error *err),
                               void *user, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_context *quiet;
	sheaf_decoding decoding = {0};
	SHEAF_TRY(sheaf_context_quiet(v->cx, &quiet, err));
	sheaf_status status =
		sheaf_decoding_open(&decoding, v->inner, v->in, sheaf_usual_piece(v->cx), quiet, err);
	while (status == SHEAF_OK && (status = sheaf_decoding_next(&decoding, &frame, err)) == SHEAF_OK)
		status = see(user, frame, err);
	status = sheaf_decoding_end_pass(&decoding, status, err);
	sheaf_context_free(quiet);
	return status;
}
