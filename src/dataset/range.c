/* SPDX-License-Identifier: MIT */
/* A view over the pieces of a table: each is recalled instead of cut.
 *
 * A job in parts needs the same borders in every process, and parts that come out even. So the input is cut
 * into several pieces for each part, by an index or a pass of its own, and a part gets those that begin in
 * its share of the bytes. A chunk of a format that is longer than that is divided at rows if the format can
 * recall some of them. What then reads the part's pieces is a view like those that change rows (view/view.h),
 * but at the top, and it gives the rows of the format unchanged. */
#include "dataset/range.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/third/xxhash.h"
#include "dataset/index/counts.h"
#include "dataset/input/measure.h"
#include "frame/frame.h"
#include "io/source.h"
#include "view/view.h"
#include <sheaf/part.h>
#include <string.h>

typedef struct ranged {
	sheaf_row_view view;
	sheaf_dataset *d;
	sheaf_range range;
	int64_t next; /* next piece to cut */
	int64_t row;  /* of the next frame to be placed and reviewed */
} ranged;

/* ---- inputs that can be cut ---- */

/* Says why rows of a dataset can be read only from the first one on, or NULL. Rows can be cut only if each
 * one that is given is a row of the format, with the same number: v is the first view, from the top, for
 * which that is not so. */
const char *sheaf_dataset_uncut(const sheaf_dataset *d)
{
	const sheaf_format *own = sheaf_dataset_below(d).format;
	const sheaf_row_view *v = d->view;
	while (v && v->keeps_rows) v = v->under;
	if (!d->format->random || d->in->decoder) return "its rows can only be read from the first one on";
	if (own->review && !own->carry) return "some of its findings need all of it";
	return v ? "its rows are made of others" : NULL;
}

/* Warns that an input that cannot be read in parts belongs to the first part alone; `why` comes from
 * sheaf_dataset_uncut. */
sheaf_status sheaf_report_uncut(const sheaf_dataset *d, const char *why, sheaf_context *cx, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_UNSUPPORTED,
	                         "input not cut",
	                         SHEAF_NOWHERE,
	                         "an input that can be read in parts",
	                         why,
	                         "the first part has everything, the others have nothing"};
	problem.place.file = sheaf_source_name(d->source);
	return sheaf_report(cx, &problem, err);
}

/* ---- all pieces ---- */

void sheaf_cuts_free(sheaf_cuts *cuts)
{
	for (int64_t i = 0; i < cuts->count; i++) sheaf_buffer_reset(&cuts->pieces[i].notes);
	sheaf_release(cuts->cx, cuts->pieces, (size_t)cuts->room * sizeof *cuts->pieces);
	*cuts = (sheaf_cuts){0};
}

/* Adds a piece to the cuts, whose rows follow those before. */
static sheaf_status add(sheaf_cuts *cuts, const sheaf_piece_entry *entry, sheaf_error *err)
{
	enum { FIRST = 256 };
	const size_t entry_size = sizeof *cuts->pieces, old_room = (size_t)cuts->room,
				 new_room = old_room ? 2 * old_room : FIRST;
	if (cuts->count == cuts->room) {
		SHEAF_TRY(
			sheaf_reallocate(cuts->cx, &cuts->pieces, old_room * entry_size, new_room * entry_size, err));
		cuts->room = (int64_t)new_room;
	}
	cuts->pieces[cuts->count++] = (sheaf_cut_piece){.entry = *entry};
	cuts->rows += entry->rows;
	return SHEAF_OK;
}

/* ---- chunks that are longer than a part's share ---- */

/* Cuts the next rows of a chunk and adds them as a piece of their own, with the notes that recall them. Its
 * share of the chunk's bytes is as large as its share of the rows. END if the cut piece is not within the
 * chunk, or is all of it. */
static sheaf_status add_some(sheaf_dataset *d, const sheaf_piece_entry *chunk, int64_t bytes,
                             sheaf_measurer *m, sheaf_cuts *cuts, sheaf_error *err)
{
	int64_t done = cuts->rows - chunk->row;
	SHEAF_TRY(sheaf_cut(d->format, d->in, bytes, &d->piece, err));
	SHEAF_TRY(sheaf_measure(m, &d->piece, err));
	bool is_division = d->piece.chunk == chunk->chunk && d->piece.byte == chunk->byte && m->rows > 0 &&
	                   m->rows < chunk->rows && m->rows <= chunk->rows - done;
	if (!is_division) return SHEAF_END;
	double bytes_per_row = (double)chunk->size / (double)chunk->rows;
	sheaf_piece_entry some = *chunk;
	some.row += done;
	some.rows = m->rows;
	some.size = (int64_t)(bytes_per_row * (double)(done + m->rows)) - (int64_t)(bytes_per_row * (double)done);
	SHEAF_TRY(add(cuts, &some, err));
	cuts->pieces[cuts->count - 1].notes = d->piece.notes;
	d->piece.notes = (sheaf_buffer){0};
	cuts->divided = true;
	return SHEAF_OK;
}

/* Adds all divisions of a chunk, of about `bytes` each, or, if it cannot be divided, the whole chunk. The
 * reader is at the beginning afterwards. */
static sheaf_status divide(sheaf_dataset *d, const sheaf_piece_entry *chunk, int64_t bytes, sheaf_cuts *cuts,
                           sheaf_error *err)
{
	sheaf_measurer m;
	sheaf_piece begin = sheaf_piece_of(chunk);
	int64_t old_count = cuts->count;
	SHEAF_TRY(d->format->rewind(d->in, &begin, err));
	SHEAF_TRY(sheaf_measurer_begin(&m, &d->input, err));
	sheaf_status status = SHEAF_OK;
	while (status == SHEAF_OK && cuts->rows - chunk->row < chunk->rows)
		status = add_some(d, chunk, bytes, &m, cuts, err);
	sheaf_measurer_end(&m);
	if (status == SHEAF_OK) return d->format->rewind(d->in, NULL, err);
	while (cuts->count > old_count) sheaf_buffer_reset(&cuts->pieces[--cuts->count].notes);
	cuts->rows = chunk->row;
	if (status != SHEAF_END) return status;
	SHEAF_TRY(d->format->rewind(d->in, NULL, err));
	return add(cuts, chunk, err);
}

enum { FOR_EACH = 16, LONG = 4 };

/* The size of pieces for this many parts: several for each part, so that the parts come out even, and none
 * too long. */
static int64_t piece_for(const sheaf_dataset *d, int parts)
{
	enum { USUAL = 2 << 20 };
	int64_t size = sheaf_source_size(d->source) / FOR_EACH / parts;
	return size < 1 ? 1 : size < USUAL ? size : USUAL;
}

/* The part of a sum that the first `share` of `parts` parts have together. The product of sum and share
 * might overflow, so the quotient and the rest are multiplied separately. */
int64_t sheaf_part_border(int64_t sum, int share, int parts)
{
	int64_t quotient = sum / parts, rest = sum % parts;
	return quotient * share + rest * share / parts;
}

/* The part, counted from 0, in whose share of the bytes a piece begins; `from` is a part that is not after
 * it, as pieces come in order. */
static int part_of(int64_t byte, int64_t total, int n, int from)
{
	while (from + 1 < n && byte >= sheaf_part_border(total, from + 1, n)) from++;
	return from;
}

/* Whether parts made of these pieces are even enough: none is more than a sixteenth above the mean. */
static bool come_out_even(const sheaf_pieces *pieces, int parts)
{
	int64_t total = 0, byte = 0, part_bytes = 0;
	int part = 0;
	sheaf_piece_entry e;
	for (int64_t i = 0; i < sheaf_pieces_count(pieces); i++) {
		sheaf_pieces_at(pieces, i, &e);
		total += e.size;
	}
	int64_t most_bytes = total / parts + total / parts / FOR_EACH;
	for (int64_t i = 0; i < sheaf_pieces_count(pieces) && part_bytes <= most_bytes; i++) {
		sheaf_pieces_at(pieces, i, &e);
		int piece_part = part_of(byte, total, parts, part);
		part_bytes = piece_part == part ? part_bytes + e.size : e.size;
		part = piece_part;
		byte += e.size;
	}
	return part_bytes <= most_bytes;
}

/* Adds the pieces of the dataset's table to the cuts: that of an index, or a new one with pieces that are
 * short enough. That of an index is good enough if its pieces are short, or there are several for each part,
 * or the parts come out even anyway. Chunks that are longer than several pieces are divided, if the format
 * can do that. */
static sheaf_status take_table(sheaf_dataset *d, int parts, sheaf_cuts *cuts, sheaf_error *err)
{
	const sheaf_pieces *pieces;
	sheaf_piece_entry entry;
	int64_t bytes = piece_for(d, parts), enough_pieces = FOR_EACH * (int64_t)parts,
			index_bytes = d->index->file.head.piece_bytes;
	sheaf_index_table(&d->indexed, -1, &pieces);
	bool is_good_enough =
		pieces && (index_bytes <= bytes || pieces->count >= enough_pieces || come_out_even(pieces, parts));
	d->table_bytes = is_good_enough ? index_bytes : bytes;
	SHEAF_TRY(sheaf_dataset_survey(d, err)); /* what cuts the input short is reported by its last part */
	SHEAF_TRY(sheaf_survey_finish(&d->indexed, err));
	bool divides = d->format->random->divides && d->pieces->count < enough_pieces;
	for (int64_t i = 0; i < d->pieces->count; i++) {
		sheaf_pieces_at(d->pieces, i, &entry);
		bool is_long = divides && entry.rows > 1 && entry.size / LONG > bytes;
		SHEAF_TRY(is_long ? divide(d, &entry, bytes, cuts, err) : add(cuts, &entry, err));
	}
	return SHEAF_OK;
}

/* Gives the input in its own format, as it is below all views. */
sheaf_input sheaf_dataset_below(const sheaf_dataset *d)
{
	sheaf_input native = d->input;
	for (const sheaf_row_view *v = d->view; v; v = v->under) {
		native.format = v->inner;
		native.in = v->in;
	}
	native.view = NULL;
	return native;
}

/* Adds the pieces of a dataset with views to the cuts, by a pass over it. Since these views keep all rows,
 * rows are counted in the format below, which takes no decoding in most formats. */
static sheaf_status make_table(sheaf_dataset *d, int parts, sheaf_cuts *cuts, sheaf_error *err)
{
	sheaf_measurer m;
	const sheaf_piece *p = &d->piece;
	sheaf_input native = sheaf_dataset_below(d);
	int64_t bytes = native.in->facts.chunks >= 0 ? INT64_MAX : piece_for(d, parts);
	SHEAF_TRY(sheaf_measurer_begin(&m, &native, err));
	sheaf_status status = SHEAF_OK;
	while (status == SHEAF_OK) {
		status = sheaf_check_stop(d->cx, err);
		if (status == SHEAF_OK) status = sheaf_cut(d->format, d->in, bytes, &d->piece, err);
		if (status == SHEAF_OK) status = sheaf_measure(&m, p, err);
		const sheaf_piece_entry entry = {.byte = p->byte,
		                                 .size = p->size,
		                                 .line = p->line,
		                                 .column = p->column,
		                                 .chunk = p->chunk,
		                                 .row = cuts->rows,
		                                 .rows = m.rows};
		if (status == SHEAF_OK) status = add(cuts, &entry, err);
	}
	sheaf_measurer_end(&m);
	return status == SHEAF_END ? d->format->rewind(d->in, NULL, err) : status;
}

/* Cuts a dataset into pieces for `parts` parts. With views, a table of an index does not help, since it is
 * that of the format; the pieces are then found by a pass. */
sheaf_status sheaf_dataset_cut(sheaf_dataset *d, int parts, sheaf_cuts *out, sheaf_error *err)
{
	*out = (sheaf_cuts){.cx = d->cx};
	sheaf_status status = sheaf_source_make_seekable(d->source, err);
	if (status == SHEAF_OK)
		status = d->view ? make_table(d, parts, out, err) : take_table(d, parts, out, err);
	if (status) sheaf_cuts_free(out);
	return status;
}

/* ---- shares ---- */

int64_t sheaf_cuts_bytes(const sheaf_cuts *cuts)
{
	int64_t sum = 0;
	for (int64_t p = 0; p < cuts->count; p++) sum += cuts->pieces[p].entry.size;
	return sum;
}

/* A hash of all borders, by which parts find out whether they were cut in the same way. */
uint64_t sheaf_cuts_hash(const sheaf_cuts *cuts)
{
	uint64_t hash = 0;
	for (int64_t p = 0; p < cuts->count; p++) {
		const sheaf_piece_entry *e = &cuts->pieces[p].entry;
		const int64_t numbers[] = {e->byte, e->size, e->row, e->rows};
		hash = sheaf_xxhash_numbers(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, hash).low;
	}
	return hash;
}

/* Gives the pieces of one part, counted from 1: those that begin in its share of the bytes. `before` is the
 * number of bytes in inputs before this one, `total` that of all. */
sheaf_range sheaf_cuts_share(const sheaf_cuts *cuts, int64_t before, int64_t total, int part, int parts)
{
	int64_t low = sheaf_part_border(total, part - 1, parts), high = sheaf_part_border(total, part, parts);
	sheaf_range range = {.cuts = cuts};
	for (int64_t p = 0; p < cuts->count; p++) {
		if (before < low) range.from = p + 1;
		if (before < high) range.to = p + 1;
		before += cuts->pieces[p].entry.size;
	}
	return range;
}

/* Tells callers what each part would get: out[p] has the pieces, bytes and rows of part p + 1. */
sheaf_status sheaf_dataset_shares(sheaf_dataset *d, int n, sheaf_part_share *out, sheaf_error *err)
{
	sheaf_cuts cuts;
	SHEAF_NEED(d, "a dataset");
	SHEAF_NEED(out, "room for shares");
	SHEAF_EXPECT(n >= 1 && n <= SHEAF_PARTS_MOST, "a number of parts from 1 to 2^20", n);
	const char *why = sheaf_dataset_uncut(d);
	if (why)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected an input that can be read in parts, found that %s",
		                  sheaf_source_name(d->source), why);
	memset(out, 0, (size_t)n * sizeof *out);
	SHEAF_TRY(sheaf_dataset_cut(d, n, &cuts, err));
	int64_t byte = 0, total = sheaf_cuts_bytes(&cuts);
	int part = 0;
	for (int64_t p = 0; p < cuts.count; p++) {
		const sheaf_piece_entry *e = &cuts.pieces[p].entry;
		part = part_of(byte, total, n, part);
		out[part].pieces++;
		out[part].bytes += e->size;
		out[part].rows += e->rows;
		byte += e->size;
	}
	sheaf_cuts_free(&cuts);
	return sheaf_source_report_broken(d->source, d->cx, err);
}

/* ---- the view ---- */

static const sheaf_piece_entry *entry_of(const ranged *r, int64_t piece)
{
	return &r->range.cuts->pieces[piece].entry;
}

/* Brings back piece number `number` of the cuts. Rows of a divided chunk are recalled by their notes, and
 * the hash of the chunk says nothing of them. */
static sheaf_status recall(const ranged *r, int64_t number, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_piece_entry *entry = entry_of(r, number);
	const sheaf_buffer *notes = &r->range.cuts->pieces[number].notes;
	sheaf_piece_reset(piece);
	*piece = sheaf_piece_of(entry);
	SHEAF_TRY(sheaf_index_recall(&r->d->indexed, r->view.inner, r->view.in, entry, piece, err));
	if (notes->size == 0) return sheaf_index_hold_bytes(&r->d->indexed, entry, piece, err);
	sheaf_buffer_reset(&piece->notes);
	piece->notes = sheaf_buffer_ref(notes);
	return SHEAF_OK;
}

/* Looks, after the very last piece, whether the input ends there: the last part reads on to the end, like
 * any reader of the whole. END if it does, or where that is not to be checked: another part has the last
 * piece, or the format cannot resume. */
static sheaf_status meet_end(const ranged *r, sheaf_error *err)
{
	sheaf_piece piece = {0};
	sheaf_status status = SHEAF_OK;
	const sheaf_format *inner = r->view.inner;
	const sheaf_cuts *cuts = r->range.cuts;
	bool must_look = !r->range.open_ended && r->range.to >= cuts->count && inner->random->resumes;
	if (!must_look) return SHEAF_END;
	const sheaf_piece_entry *last = entry_of(r, cuts->count - 1);
	sheaf_piece begin = sheaf_piece_of(last);
	SHEAF_TRY(inner->rewind(r->view.in, &begin, err));
	while (status == SHEAF_OK && piece.byte < last->byte + last->size)
		status = sheaf_cut(inner, r->view.in, last->size > 0 ? last->size : 1, &piece, err);
	int64_t found_end = piece.byte + piece.size;
	sheaf_piece_reset(&piece);
	if (status == SHEAF_OK)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s: expected the end of its rows, found more of them up to byte "
		                  "%lld: it was changed",
		                  sheaf_source_name(r->view.source), (long long)found_end);
	return status;
}

/* Gives the next piece of the range by recalling it, whatever size is asked for. */
static sheaf_status cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	ranged *r = (ranged *)in;
	(void)bytes;
	if (r->next == r->range.to) return meet_end(r, err);
	return recall(r, r->next++, piece, err);
}

/* Decodes a piece and checks its number of rows, on any thread. A binary search finds its entry, by its
 * byte or, since parts of a chunk begin at the same one, by its row. Rows that were left out with a tolerated
 * error are missing; otherwise there are as many as were counted. */
static sheaf_status decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx,
                           sheaf_error *err)
{
	const ranged *r = (const ranged *)in;
	int64_t low = r->range.from, high = r->range.to - 1;
	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		const sheaf_piece_entry *e = entry_of(r, middle);
		if (r->range.cuts->divided ? e->row <= piece->slice : e->byte <= piece->byte)
			low = middle;
		else
			high = middle - 1;
	}
	const sheaf_piece_entry *entry = entry_of(r, low);
	SHEAF_TRY(r->view.inner->decode(r->view.in, piece, frame, cx, err));
	if (frame->nrows == entry->rows || sheaf_is_validating(cx) || sheaf_leaves_out(cx)) return SHEAF_OK;
	return sheaf_pieces_refuse(&r->d->input, entry, frame->nrows, err);
}

/* Sets the number of the next row in all views below, since they count only the rows that they review
 * themselves. */
static void report_row(const ranged *r)
{
	for (sheaf_row_view *v = r->view.under; v; v = v->under) v->inner_row = r->row;
}

/* Completes a frame in the views below, after telling them the number of its first row. */
static sheaf_status place(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	const ranged *r = (const ranged *)view;
	report_row(r);
	return sheaf_view_place(view->under, frame, err);
}

/* Lets the view or the format below review a frame, with the number that its first row has in the whole
 * input; what only the whole input shows (NULL) is not reported. */
static sheaf_status review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	ranged *r = (ranged *)in;
	(void)row;
	if (!frame) return SHEAF_OK; /* what only the whole shows is not reported */
	report_row(r);
	if (r->view.inner->review) SHEAF_TRY(r->view.inner->review(r->view.in, frame, r->row, err));
	r->row += frame->nrows;
	return SHEAF_OK;
}

/* Puts a view on the dataset that gives only the pieces of a range. The index of the whole is neither made
 * nor finished. A piece that is read is as long as its entry says, so piece_bytes grows to the longest: no
 * piece is refused for its length then. */
sheaf_status sheaf_dataset_narrow(sheaf_dataset *d, const sheaf_range *range, sheaf_error *err)
{
	sheaf_row_view *view;
	sheaf_index_pass_over(&d->indexed);
	SHEAF_TRY(sheaf_view_new(&d->input, sizeof(ranged), &view, err));
	ranged *r = (ranged *)view;
	r->d = d;
	r->range = *range;
	r->next = range->from;
	r->row = range->from < range->to ? entry_of(r, range->from)->row : 0;
	SHEAF_TRY(sheaf_schema_copy(&view->in->schema, view->cx, &view->schema, err));
	view->place = place;
	view->has_placed = true;
	view->format.cut = cut;
	view->format.decode = decode;
	view->format.review = review;
	d->ranged = true;
	d->ends_before = range->from >= range->to || range->to < range->cuts->count;
	d->next_row = r->row;
	for (int64_t i = range->from; i < range->to; i++)
		if (entry_of(r, i)->size > d->piece_bytes) d->piece_bytes = entry_of(r, i)->size;
	return SHEAF_OK;
}

/* ---- contents of pieces ---- */

/* Counts the contents of all pieces of the range, stream by stream. END means that a piece has other rows
 * than its entry says, so that there are no counts. */
static sheaf_status count_all(sheaf_dataset *d, const sheaf_range *range, sheaf_decoding *decoding,
                              sheaf_builder *counts, sheaf_error *err)
{
	const sheaf_frame *frame;
	const sheaf_cut_piece *pieces = range->cuts->pieces;
	for (int64_t p = range->from; p < range->to; p++) {
		SHEAF_TRY(sheaf_decoding_next(decoding, &frame, err));
		if (frame->nrows != pieces[p].entry.rows) return SHEAF_END;
		sheaf_counts_add(counts, &d->in->schema, frame, pieces[p].entry.row);
		sheaf_progress(d->cx, pieces[p].entry.byte - pieces[range->from].entry.byte,
		               pieces[range->to - 1].entry.byte - pieces[range->from].entry.byte);
	}
	return sheaf_builder_status(counts, err);
}

/* Counts the contents of the range's pieces: narrows the dataset to them, decodes them without reports, and
 * takes the view away again. */
static sheaf_status count_quietly(sheaf_dataset *d, const sheaf_range *range, sheaf_builder *counts,
                                  sheaf_error *err)
{
	sheaf_context *quiet;
	sheaf_decoding decoding = {0};
	int64_t piece_bytes = d->piece_bytes;
	SHEAF_TRY(sheaf_context_quiet(d->cx, &quiet, err));
	sheaf_status status = sheaf_dataset_narrow(d, range, err);
	if (status == SHEAF_OK) {
		status = sheaf_decoding_open(&decoding, d->format, d->in, d->piece_bytes, quiet, err);
		if (status == SHEAF_OK) status = count_all(d, range, &decoding, counts, err);
		sheaf_decoding_close(&decoding);
		ranged *r = (ranged *)d->view;
		d->format = r->view.inner;
		d->in = r->view.in;
		d->view = r->view.under;
		d->next_row = 0;
		sheaf_schema_free(&r->view.schema);
		sheaf_release(r->view.cx, r, sizeof *r);
	}
	d->piece_bytes = piece_bytes;
	d->ranged = false;
	sheaf_context_free(quiet);
	return status;
}

bool sheaf_dataset_counts_pieces(const sheaf_dataset *d)
{
	return !sheaf_dataset_uncut(d) && sheaf_counts_apply(&d->in->schema);
}

/* Counts the contents of the pieces that a part has, as counts for an index. If a row of the part is flawed
 * there is no result rather than a failure (out->nothing): an index without counts is one, too. */
sheaf_status sheaf_dataset_count_some(sheaf_dataset *d, const sheaf_pieces *pieces, int part, int parts,
                                      sheaf_piece_counts *out, sheaf_error *err)
{
	sheaf_cuts cuts = {.cx = d->cx};
	sheaf_piece_entry entry;
	sheaf_builder counts;
	sheaf_status status = SHEAF_OK;
	*out = (sheaf_piece_counts){0};
	sheaf_builder_begin(&counts, d->cx, NULL);
	for (int64_t i = 0; i < pieces->count && status == SHEAF_OK; i++) {
		sheaf_pieces_at(pieces, i, &entry);
		status = add(&cuts, &entry, err);
	}
	sheaf_range range = sheaf_cuts_share(&cuts, 0, sheaf_cuts_bytes(&cuts), part, parts);
	range.open_ended = true;
	out->first = range.from;
	out->n = range.from < range.to ? range.to - range.from : 0;
	if (status == SHEAF_OK && out->n > 0) status = count_quietly(d, &range, &counts, err);
	if (status == SHEAF_OK) status = sheaf_builder_finish(&counts, &out->counts, err);
	sheaf_builder_drop(&counts);
	sheaf_cuts_free(&cuts);
	bool data = status == SHEAF_END || status == SHEAF_DATA || status == SHEAF_SHORT;
	out->nothing = data;
	return data ? SHEAF_OK : status;
}

/* Counts the contents of all pieces for an index. If rows would be left out there is no result: the sums
 * would cover other rows than those counted. */
sheaf_status sheaf_dataset_count_pieces(sheaf_dataset *d, sheaf_pieces *pieces, sheaf_error *err)
{
	sheaf_piece_counts all;
	if (pieces->counts.size || !sheaf_dataset_counts_pieces(d)) return SHEAF_OK;
	SHEAF_TRY(sheaf_dataset_count_some(d, pieces, 1, 1, &all, err));
	pieces->counts = all.counts;
	return SHEAF_OK;
}

/* Fills in the facts that the counts of an index give for all rows: their number, the greatest length, and
 * whether keys are the numbers of rows. Without counts the facts stay as they are. */
void sheaf_dataset_counted(sheaf_dataset *d, sheaf_facts *facts)
{
	const sheaf_pieces *pieces;
	int64_t longest;
	bool ordinal;
	sheaf_index_table(&d->indexed, -1, &pieces);
	if (!pieces || pieces->counts.size == 0) return;
	facts->rows = pieces->rows;
	facts->longest = 0;
	facts->ordinal_keys = 1;
	for (int64_t i = 0; i < pieces->count && sheaf_counts_shape(pieces, i, &longest, &ordinal); i++) {
		if (longest > facts->longest) facts->longest = longest;
		if (!ordinal) facts->ordinal_keys = 0;
	}
}
