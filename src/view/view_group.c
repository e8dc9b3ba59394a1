/* SPDX-License-Identifier: MIT */
/* Entries as sequences. If the pieces below are slices of the tensor, they become rows one by one, on any
 * thread. Otherwise entries are gathered, in order, after sorting if necessary, and cut between rows:
 *
 *     sliced      piece below = rows [slice, slice + slices)
 *                 the rows without entries between two pieces are a piece of their own
 *     gathered    entries -> rest -> whole rows -> piece
 *                 the row that may go on stays in the rest
 *
 * A piece of the view says in `chunk` which of these it is. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "frame/element.h"
#include "frame/frame.h"
#include "io/source.h"
#include "view/gather.h"
#include "view/group.h"
#include "view/view.h"
#include <inttypes.h>
#include <string.h>

/* What a piece is, instead of the number of a chunk; everything else is a piece below. */
enum { EMPTY_ROWS = -2, GATHERED = -3 };

enum { MOST_EMPTY = 64 << 10 /* rows of a piece without entries */ };

typedef struct grouped {
	sheaf_row_view view;
	sheaf_grouping grouping;
	int64_t next_row;    /* the first row that is in no piece so far */
	int64_t gap;         /* rows before this one have no entries, as far as they are in no piece */
	bool ended;          /* there is nothing below any more */
	sheaf_piece waiting; /* the piece below that comes after the gap, */
	bool waits;          /* if there is one */
	bool gathers;        /* entries are gathered; otherwise pieces below are slices of the tensor */
	sheaf_gatherer gatherer;
	sheaf_buffer rest;           /* gathered entries after those of the last piece: a wrapped frame */
	sheaf_buffer last;           /* the entries of that piece, */
	int64_t last_row, last_rows; /* and its rows */
	bool gives_again;            /* the next cut gives the last piece once more */
	sheaf_buffer lengths;        /* int64 of each row, where they are known */
	sheaf_error failure;         /* of gathering, which cannot be resumed where it failed */
} grouped;

/* ---- pieces ---- */

/* Makes an empty piece of rows [row, row + rows); `what` is EMPTY_ROWS or GATHERED. */
static void begin_piece(sheaf_piece *piece, int64_t what, int64_t row, int64_t rows)
{
	sheaf_view_empty_piece(piece);
	piece->chunk = what;
	piece->slice = row;
	piece->slices = rows;
}

/* Cuts a piece of rows without entries, up to the gap, but of at most MOST_EMPTY rows. */
static sheaf_status cut_empty(grouped *v, sheaf_piece *piece)
{
	int64_t n = v->gap - v->next_row < MOST_EMPTY ? v->gap - v->next_row : MOST_EMPTY;
	begin_piece(piece, EMPTY_ROWS, v->next_row, n);
	v->next_row += n;
	return SHEAF_OK;
}

/* ---- gathered pieces ---- */

/* Says how many of the entries make whole rows: about `most` of them, up to the first entry of a row with
 * which there are enough, or after which too many rows are empty. The last row may go on, so its entries do
 * not count; 0 if there is no other. Entries out of order end the piece, so that the next call meets them
 * first and refuses them. */
static int64_t whole_rows(const grouped *v, const sheaf_frame *entries, int64_t most)
{
	int64_t n = entries->nrows, whole = 0, row = sheaf_group_row(&v->grouping, entries, 0);
	for (int64_t e = 1; e < n; e++) {
		int64_t next = sheaf_group_row(&v->grouping, entries, e);
		if (next == row) continue;
		if (next - v->next_row > MOST_EMPTY + e || next < row) return e;
		whole = e;
		row = next;
		if (whole >= most) break;
	}
	return whole;
}

/* Moves the first entries of the rest, which make whole rows, into the last piece, and sets the rows that
 * it covers. Empty rows between them belong to it, too. */
static sheaf_status take_rows(grouped *v, int64_t entries, sheaf_error *err)
{
	sheaf_frame *all_entries = sheaf_view_unwrap(&v->rest), piece_entries = {0}, rest = {0};
	sheaf_status status = sheaf_frame_slice(all_entries, 0, entries, &piece_entries, err);
	if (status == SHEAF_OK)
		status = sheaf_frame_append(&rest, all_entries, entries, all_entries->nrows, v->view.cx, err);
	v->last_row = v->next_row;
	if (status == SHEAF_OK) {
		v->next_row = sheaf_group_row(&v->grouping, all_entries, entries - 1) + 1;
		status = sheaf_view_wrap_frame(&piece_entries, v->view.cx, &v->last, err);
	}
	if (status == SHEAF_OK) status = sheaf_view_wrap_frame(&rest, v->view.cx, &v->rest, err);
	v->last_rows = v->next_row - v->last_row;
	sheaf_frame_free(&piece_entries);
	sheaf_frame_free(&rest);
	return status;
}

/* Makes *piece a reference to the last piece, so that it can be given again after going back to it. */
static void give_gathered(grouped *v, sheaf_piece *piece)
{
	begin_piece(piece, GATHERED, v->last_row, v->last_rows);
	piece->notes = sheaf_buffer_ref(&v->last);
	v->next_row = v->gap = v->last_row + v->last_rows;
	v->gives_again = false;
}

/* Cuts a piece of gathered entries: adds entries to the rest until there are whole rows of about `bytes`,
 * or no more entries. Rows without entries before the first one go first, as a piece of their own. */
static sheaf_status cut_gathered(grouped *v, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	if (v->gives_again) {
		give_gathered(v, piece);
		return SHEAF_OK;
	}
	if (!v->rest.size) SHEAF_TRY(sheaf_view_wrap_frame(NULL, v->view.cx, &v->rest, err));
	sheaf_frame *rest = sheaf_view_unwrap(&v->rest);
	while (!v->ended) {
		bool is_enough = rest->nrows > 0 && sheaf_frame_bytes(rest) >= bytes && whole_rows(v, rest, 0) > 0;
		if (is_enough) break;
		const sheaf_frame *entries;
		sheaf_status status = sheaf_gatherer_next(&v->gatherer, &entries, err);
		v->ended = status == SHEAF_END;
		if (v->ended) break;
		SHEAF_TRY(status);
		SHEAF_TRY(sheaf_frame_append(rest, entries, 0, entries->nrows, v->view.cx, err));
	}
	int64_t nentries = rest->nrows;
	v->gap = nentries ? sheaf_group_row(&v->grouping, rest, 0) : v->grouping.rows;
	if (v->gap < v->next_row)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected entries in the order of rows, found one of row %" PRId64
		                  " after row %" PRId64,
		                  v->grouping.name, v->gap, v->next_row - 1);
	if (v->gap > v->next_row) return cut_empty(v, piece);
	if (nentries == 0) return SHEAF_END;
	int64_t whole =
		whole_rows(v, rest, v->ended ? INT64_MAX : bytes / (1 + sheaf_frame_bytes(rest) / nentries));
	SHEAF_TRY(take_rows(v, whole ? whole : nentries, err));
	give_gathered(v, piece);
	return SHEAF_OK;
}

/* Cuts the next piece: rows without entries before the next piece below, that piece, or gathered rows. The
 * first piece below without slices shows that its pieces are no slices of the tensor: from then on, entries
 * are gathered, and that piece is the first one to be decoded. */
static sheaf_status cut_any(grouped *v, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_row_view *view = &v->view;
	while (!v->gathers && v->next_row >= v->gap && !v->waits) {
		if (v->ended) return SHEAF_END;
		sheaf_status status = view->inner->cut(view->in, bytes, piece, err);
		v->ended = status == SHEAF_END;
		if (v->ended) {
			v->gap = v->grouping.rows;
			continue;
		}
		SHEAF_TRY(status);
		if (piece->slices == 0) {
			v->gathers = true;
			SHEAF_TRY(sheaf_gatherer_begin(&v->gatherer, &v->view, piece, err));
			break;
		}
		bool is_next_slice = piece->slice >= v->next_row && piece->slices >= 0 &&
		                     piece->slices <= v->grouping.rows - piece->slice;
		if (!is_next_slice)
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected slices of the tensor from %" PRId64 " on, below %" PRId64
			                  ", found %" PRId64 " of them from %" PRId64,
			                  v->grouping.name, v->next_row, v->grouping.rows, piece->slices, piece->slice);
		v->waiting = *piece;
		piece->bytes = piece->notes = (sheaf_buffer){0};
		v->waits = true;
		v->gap = v->waiting.slice;
	}
	if (v->gathers) return cut_gathered(v, bytes, piece, err);
	if (v->next_row < v->gap) return cut_empty(v, piece);
	sheaf_view_empty_piece(piece);
	*piece = v->waiting;
	v->waiting = (sheaf_piece){0};
	v->waits = false;
	v->next_row = v->gap = piece->slice + piece->slices;
	return SHEAF_OK;
}

/* Cuts the next piece, as cut_any does. A failure of gathering is kept and returned by every later call,
 * since the arranger has lost entries by then. */
static sheaf_status cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	grouped *v = (grouped *)in;
	sheaf_error failure = v->failure;
	sheaf_status status = failure.status ? failure.status : cut_any(v, bytes, piece, &failure);
	if (status == SHEAF_OK || status == SHEAF_END) return status;
	if (v->gathers) v->failure = failure;
	if (err) *err = failure;
	return status;
}

/* ---- rows ---- */

/* Makes the rows of a piece, on any thread. Their entries are in its notes (gathered), or there are none
 * (empty rows), or the format below decodes them. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const grouped *v = (const grouped *)in;
	const sheaf_frame *entries;
	sheaf_frame no_entries = {0};
	sheaf_buffer notes = {0};
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &v->view.schema, frame, cx, err);
	if (status == SHEAF_OK && piece->chunk == GATHERED) {
		entries = sheaf_view_unwrap(&piece->notes);
	} else if (status == SHEAF_OK && piece->chunk == EMPTY_ROWS) {
		entries = &no_entries;
		status = sheaf_frame_begin(&no_entries, &v->view.in->schema, cx, err);
	} else if (status == SHEAF_OK) {
		status = sheaf_view_decode_below(&v->view, piece, &notes, &entries, cx, err);
		sheaf_builder_hold(&to.notes, &notes);
	}
	if (status == SHEAF_OK)
		status = sheaf_group(&v->grouping, entries, piece->slice, piece->slices, &to, err);
	sheaf_frame_free(&no_entries);
	return sheaf_frame_builder_end(&to, status, frame, err);
}

/* Gives the lengths of a piece's rows (uint32) without decoding it, where the tensor or the file of lengths
 * says them. END means that the rows must be decoded: lengths are not known, or keys are wanted, too. */
static sheaf_status measure(const void *in, const sheaf_piece *piece, sheaf_context *cx,
                            sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err)
{
	const grouped *v = (const grouped *)in;
	const sheaf_grouping *g = &v->grouping;
	sheaf_builder lengths_builder;
	bool is_known = g->one_sample || g->dense || g->lengths;
	if (keys || !is_known) return SHEAF_END;
	sheaf_builder_begin(&lengths_builder, cx, lengths);
	for (int64_t r = 0; r < piece->slices && !lengths_builder.failed; r++) {
		int64_t samples = g->lengths ? g->lengths[piece->slice + r] : g->samples;
		uint32_t length = samples < UINT32_MAX ? (uint32_t)samples : UINT32_MAX;
		sheaf_builder_append(&lengths_builder, &length, sizeof length);
	}
	return sheaf_builder_finish(&lengths_builder, lengths, err);
}

/* Says what is known of the rows before they are read. Where all rows have as many samples as the tensor,
 * or a file of lengths says how many, samples need not be counted; -1 where their sum is too large. */
static sheaf_facts facts_of(const grouped *v)
{
	const sheaf_grouping *g = &v->grouping;
	bool same_length = g->one_sample || g->dense;
	sheaf_facts facts = SHEAF_NO_FACTS;
	facts.guess = v->view.in->facts.guess;
	facts.rows = g->rows;
	facts.ordinal_keys = 1;
	if (same_length && g->samples <= INT32_MAX && g->rows <= INT32_MAX) facts.samples = g->rows * g->samples;
	if (same_length) facts.longest = g->rows ? g->samples : 0;
	if (!g->lengths) return facts;
	facts.samples = facts.longest = 0;
	for (int64_t r = 0; r < g->rows; r++) {
		if (facts.samples < 0 || !sheaf_add_i64(&facts.samples, facts.samples, g->lengths[r]))
			facts.samples = -1;
		if (g->lengths[r] > facts.longest) facts.longest = g->lengths[r];
	}
	return facts;
}

/* ---- going back ---- */

/* Releases everything that cutting has found and goes back to row 0; the format below is not rewound. */
static void forget(grouped *v)
{
	sheaf_view_empty_piece(&v->waiting);
	sheaf_buffer_reset(&v->rest);
	sheaf_buffer_reset(&v->last);
	sheaf_gatherer_end(&v->gatherer);
	v->waits = v->ended = v->gathers = v->gives_again = false;
	v->next_row = v->gap = 0;
	v->failure.status = SHEAF_OK;
}

static void release(sheaf_row_view *view)
{
	grouped *v = (grouped *)view;
	forget(v);
	sheaf_buffer_reset(&v->lengths);
}

/* Decides whether entries are gathered from the beginning: they are if they must be sorted or joined, if
 * the structure implies others, or if another dimension comes first. Otherwise pieces below may be slices,
 * which the first one shows. */
static sheaf_status begin(grouped *v, sheaf_error *err)
{
	const sheaf_tensor *tensor = &v->view.in->schema.tensor;
	bool in_row_order = tensor->sorted && tensor->unique && tensor->structure == SHEAF_GENERAL;
	for (int d = 0; d < tensor->rank; d++) in_row_order &= tensor->order[d] == d;
	v->gathers = !in_row_order;
	return in_row_order ? SHEAF_OK : sheaf_gatherer_begin(&v->gatherer, &v->view, NULL, err);
}

/* Goes back to the first row, and decides anew whether entries are gathered. */
static sheaf_status rewind_all(grouped *v, sheaf_error *err)
{
	forget(v);
	v->view.inner_row = 0;
	SHEAF_TRY(v->view.inner->rewind(v->view.in, NULL, err));
	return begin(v, err);
}

/* Brings back the bytes of a piece. The format below finds its own piece, but does not know which rows it
 * is, so these are kept. Gathered pieces cannot be recalled. */
static sheaf_status recall(const void *in, sheaf_piece *piece, sheaf_error *err)
{
	const grouped *v = (const grouped *)in;
	if (piece->chunk == EMPTY_ROWS) return SHEAF_OK;
	if (piece->chunk == GATHERED)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a tensor whose rows can be read in any order, found one whose "
		                  "entries must be gone through",
		                  v->grouping.name);
	int64_t slice = piece->slice, slices = piece->slices;
	SHEAF_TRY(v->view.inner->random->recall(v->view.in, piece, err));
	piece->slice = slice;
	piece->slices = slices;
	return SHEAF_OK;
}

/* Goes back to the piece that begins with this row by cutting all pieces before it again. Rows without
 * entries are in no piece below, so nothing else finds them. */
static sheaf_status resume_at(grouped *v, int64_t row, sheaf_error *err)
{
	sheaf_piece piece = {0};
	sheaf_status status = rewind_all(v, err);
	while (status == SHEAF_OK && v->next_row < row && (status = cut(v, INT64_MAX, &piece, err)) == SHEAF_OK) {
	}
	sheaf_view_empty_piece(&piece);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* Goes back to a piece that was cut before, which is then the next one; NULL: to the beginning. The last
 * piece can always be cut again; others where the format below can resume at them, and by cutting from the
 * beginning where it cannot, or where rows have no entries. */
static sheaf_status rewind_to(void *in, const sheaf_piece *piece, sheaf_error *err)
{
	grouped *v = (grouped *)in;
	if (!piece) return rewind_all(v, err);
	if (piece->chunk == GATHERED) {
		v->gives_again = true;
		v->next_row = piece->slice;
		return SHEAF_OK;
	}
	bool is_empty = piece->chunk == EMPTY_ROWS;
	if (is_empty && piece->slice + piece->slices == v->next_row) {
		v->next_row = piece->slice;
		return SHEAF_OK;
	}
	bool can_resume = v->view.inner->random && v->view.inner->random->resumes;
	if (is_empty || !can_resume) return resume_at(v, piece->slice, err);
	SHEAF_TRY(v->view.inner->rewind(v->view.in, piece, err));
	forget(v);
	v->next_row = v->gap = piece->slice;
	return SHEAF_OK;
}

static const sheaf_random_access random_access = {.recall = recall, .resumes = true, .measure = measure};

/* ---- opening ---- */

/* Makes the schema of sequences with one stream, which has the name that somebody gives it, or that of the
 * value. Refuses tensors that are no numbers, have missing values, or whose unstored values are not 0, as
 * they are in a sparse sample. */
static sheaf_status make_schema(grouped *v, const sheaf_schema *below, const char *named, sheaf_error *err)
{
	sheaf_field *field;
	const sheaf_field *value = &below->fields[sheaf_schema_value(below)];
	if (value->nlevels > 0 || (value->meaning != SHEAF_NUMBER && value->meaning != SHEAF_BOOL))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a tensor of numbers, none missing, since its rows are to be "
		                  "sequences, found %s values",
		                  v->grouping.name, sheaf_field_storage(value));
	/* Values that are not stored are 0 in a sparse sample. */
	sheaf_element element;
	const sheaf_tensor *tensor = &below->tensor;
	if (!tensor->dense && tensor->has_fill && sheaf_element_of(value, &element) &&
	    !sheaf_element_is_zero(&element, tensor->fill))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: the fill of the tensor is not 0, so that its rows cannot be sequences",
		                  v->grouping.name);
	const char *name = named ? named : value->name;
	SHEAF_TRY(sheaf_schema_add(&v->view.schema, v->view.cx, name, strlen(name), &field, err));
	sheaf_field_make_stream(field, !v->grouping.dense, v->grouping.dim, value->type);
	v->view.schema.rows = SHEAF_SEQUENCES;
	return SHEAF_OK;
}

/* Reads the lengths of sequences that were padded, if there is a file of them, and checks them. A tensor of
 * fewer than three dimensions has no samples to leave out: a file that was only found beside it does not
 * count then. `is_open`: the tensor is as large as its entries say, so it may have had more samples. */
static sheaf_status take_lengths(grouped *v, const sheaf_padding *padding, bool is_open, sheaf_error *err)
{
	sheaf_grouping *g = &v->grouping;
	if (!padding || !padding->file) return SHEAF_OK;
	if (g->one_sample && !padding->is_named) return SHEAF_OK;
	if (g->one_sample)
		return sheaf_fail_option(
			err, SHEAF_USAGE, "lengths",
			": expected a tensor of sequences, samples and elements, found %d dimensions in %s", g->rank,
			g->name);
	SHEAF_TRY(padding->read(padding->file, g->rows, v->view.cx, &v->lengths, err));
	g->lengths = (const int64_t *)(const void *)v->lengths.data;
	g->cuts = padding->is_named;
	for (int64_t r = 0; r < g->rows; r++)
		if (g->lengths[r] < 0 || (g->lengths[r] > g->samples && !is_open))
			return sheaf_fail(err, SHEAF_DATA,
			                  "%s: expected lengths of 0 to %" PRId64
			                  ", the samples of a sequence in %s, found %" PRId64 " for sequence %" PRId64
			                  " (" SHEAF_OPTION("lengths") " none reads it without them)",
			                  padding->file, g->samples, g->name, g->lengths[r], r);
	return SHEAF_OK;
}

/* Puts the view on the input that makes rows of a tensor's entries. If rows are wanted in any order, the
 * first piece is cut at once: it shows whether entries are gathered, which can be read only in order. */
sheaf_status sheaf_view_group(sheaf_input *input, const sheaf_open_options *options,
                              const sheaf_padding *padding, sheaf_error *err)
{
	sheaf_row_view *view;
	const sheaf_schema *below = &input->in->schema;
	bool random = input->format->random != NULL;
	SHEAF_TRY(sheaf_view_new(input, sizeof(grouped), &view, err));
	grouped *v = (grouped *)view;
	view->release = release;
	SHEAF_TRY(sheaf_grouping_make(&v->grouping, &below->tensor, sheaf_source_name(input->source), err));
	SHEAF_TRY(make_schema(v, below, options->tensor->value, err));
	SHEAF_TRY(take_lengths(v, padding, options->tensor->coordinates && !options->tensor->shape, err));
	view->facts = facts_of(v);
	view->format.cut = cut;
	view->format.decode = decode;
	view->format.rewind = rewind_to;
	view->format.random = random ? &random_access : NULL;
	SHEAF_TRY(begin(v, err));
	if (!random || options->access != SHEAF_RANDOM) return SHEAF_OK;
	/* Gathered entries can be read only in order. The first piece shows whether they are gathered. */
	sheaf_piece piece = {0};
	sheaf_status status = cut(v, sheaf_usual_piece(view->cx), &piece, err);
	sheaf_view_empty_piece(&piece);
	if (status && status != SHEAF_END) return status;
	if (v->gathers) view->format.random = NULL;
	return rewind_all(v, err);
}
