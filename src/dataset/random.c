/* SPDX-License-Identifier: MIT */
/* Random access to a dataset: pieces by number, lengths of rows by piece, and skipping rows.
 *
 * The table of pieces comes from an index or from a survey. Any number of threads may read pieces at the same
 * time, each into a frame of its own, since a recall changes nothing in the reader. What an index says of a
 * piece is held against the piece when it is read, so that an index of other contents is noticed rather than
 * believed. */
#include "base/context.h"
#include "base/need.h"
#include "dataset/dataset.h"
#include "dataset/index/pieces.h"
#include "dataset/input/measure.h"
#include "frame/frame.h"
#include "io/descriptor.h"
#include "io/source.h"
#include <inttypes.h>
#include <string.h>

/* ---- one piece ---- */

/* Brings back the bytes of a piece. If the piece comes from an index, they must be those that the index has
 * hashed: otherwise it is STALE. */
static sheaf_status recall(const sheaf_dataset *d, const sheaf_piece_entry *entry, sheaf_piece *piece,
                           sheaf_error *err)
{
	SHEAF_TRY(sheaf_index_recall(&d->indexed, d->format, d->in, entry, piece, err));
	return sheaf_index_hold_bytes(&d->indexed, entry, piece, err);
}

/* Recalls and decodes a piece into the frame, on any thread. A piece of an index must have the lengths that
 * the index states, and any piece as many rows as its entry; validation alone continues past what would
 * otherwise end the reading, and leaves out rows, so it checks neither. */
sheaf_status sheaf_dataset_read_entry(const sheaf_dataset *d, const sheaf_piece_entry *entry,
                                      sheaf_frame *frame, sheaf_context *cx, sheaf_error *err)
{
	sheaf_piece piece = sheaf_piece_of(entry);
	SHEAF_TRY(sheaf_check_stop(cx, err));
	sheaf_status status = recall(d, entry, &piece, err);
	if (status == SHEAF_OK) status = d->format->decode(d->in, &piece, frame, cx, err);
	if (status == SHEAF_OK && !sheaf_is_validating(cx))
		status = sheaf_index_hold_rows(&d->indexed, entry, &piece, frame, err);
	sheaf_source_let_go(d->source, piece.byte, piece.size);
	/* Validation continues past what would otherwise end the reading, and leaves out rows. */
	if (status == SHEAF_OK && frame->nrows != entry->rows && !sheaf_is_validating(cx))
		status = sheaf_pieces_refuse(&d->input, entry, frame->nrows, err);
	sheaf_piece_reset(&piece);
	return status;
}

/* Reads piece i of the dataset's table, which a call for the pieces must have made before. */
sheaf_status sheaf_dataset_read_piece(const sheaf_dataset *d, int64_t i, sheaf_frame *frame,
                                      sheaf_context *cx, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	SHEAF_NEED(frame, "a frame");
	SHEAF_NEED(cx, "a context");
	sheaf_piece_entry entry;
	if (!d->pieces || i < 0 || i >= d->pieces->count)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected the number of a piece below %" PRId64 ", found %" PRId64,
		                  sheaf_source_name(d->source), d->pieces ? d->pieces->count : 0, i);
	sheaf_pieces_at(d->pieces, i, &entry);
	return sheaf_dataset_read_entry(d, &entry, frame, cx, err);
}

/* ---- keys ---- */

bool sheaf_dataset_is_ordinal(const sheaf_dataset *d)
{
	return d->in->facts.ordinal_keys == 1 || sheaf_schema_key(sheaf_dataset_schema(d)) < 0;
}

/* Reads the keys of a piece's rows into `keys`, on any thread. The format measures keys along with lengths
 * if it can; else the rows are decoded. If some rows are missing then, which is reported when they are read,
 * their keys are 0. */
sheaf_status sheaf_dataset_read_keys(const sheaf_dataset *d, const sheaf_piece_entry *entry, uint64_t *keys,
                                     sheaf_context *cx, sheaf_error *err)
{
	sheaf_piece piece = sheaf_piece_of(entry);
	sheaf_buffer measured = {0};
	size_t size = (size_t)entry->rows * sizeof *keys;
	SHEAF_TRY(sheaf_check_stop(cx, err));
	sheaf_status status = recall(d, entry, &piece, err);
	if (status == SHEAF_OK)
		status = d->format->random->measure
		             ? d->format->random->measure(d->in, &piece, cx, NULL, &measured, err)
		             : SHEAF_END;
	if (status == SHEAF_END) {
		sheaf_frame frame = {0};
		status = d->format->decode(d->in, &piece, &frame, cx, err);
		if (status == SHEAF_OK)
			measured = sheaf_buffer_ref(&frame.columns[sheaf_schema_key(sheaf_dataset_schema(d))].values);
		sheaf_frame_free(&frame);
	}
	memset(keys, 0, size);
	if (status == SHEAF_OK && measured.size > 0)
		memcpy(keys, measured.data, measured.size < size ? measured.size : size);
	sheaf_buffer_reset(&measured);
	sheaf_piece_reset(&piece);
	return status;
}

/* ---- rows of a piece that is not decoded ---- */

bool sheaf_dataset_locates(const sheaf_dataset *d) { return d->format->random && d->format->random->locate; }

void sheaf_dataset_let_go(const sheaf_dataset *d, sheaf_located *located)
{
	sheaf_source_let_go(d->source, located->piece.byte, located->piece.bytes.data ? located->piece.size : 0);
	sheaf_located_reset(located);
}

void sheaf_located_reset(sheaf_located *located)
{
	sheaf_piece_reset(&located->piece);
	sheaf_buffer_reset(&located->rows);
	*located = (sheaf_located){0};
}

/* Finds where each row of a piece is, without decoding it. END if the rows are not as many as the entry
 * says: reading the piece then shows why. */
sheaf_status sheaf_dataset_locate(const sheaf_dataset *d, const sheaf_piece_entry *entry,
                                  sheaf_located *located, sheaf_context *cx, sheaf_error *err)
{
	sheaf_piece_reset(&located->piece);
	located->piece = sheaf_piece_of(entry);
	SHEAF_TRY(sheaf_check_stop(cx, err));
	SHEAF_TRY(recall(d, entry, &located->piece, err));
	SHEAF_TRY(sheaf_index_hold_rows(&d->indexed, entry, &located->piece, NULL, err));
	SHEAF_TRY(d->format->random->locate(d->in, located, cx, err));
	return located->nrows == entry->rows ? SHEAF_OK : SHEAF_END;
}

sheaf_status sheaf_dataset_pick(const sheaf_dataset *d, const sheaf_row_at *rows, size_t n,
                                sheaf_frame *frame, sheaf_context *cx, sheaf_error *err)
{
	return d->format->random->pick(d->in, rows, n, frame, cx, err);
}

/* ---- skipping rows ---- */

/* Goes back to this piece, so that the next cut gives it; its first row is number `row`. */
static sheaf_status go_on_with(sheaf_dataset *d, const sheaf_piece *piece, int64_t row, sheaf_error *err)
{
	SHEAF_TRY(d->format->rewind(d->in, piece, err));
	d->next_row = row;
	return SHEAF_OK;
}

/* Goes to the piece of a table that has the row. An index that turns out to have another content is
 * dropped, and the position stays where it is: the caller then counts rows from there. */
static sheaf_status jump_or_count(sheaf_dataset *d, const sheaf_pieces *pieces, int64_t row, sheaf_error *err)
{
	sheaf_error why;
	sheaf_piece_entry entry;
	sheaf_pieces_at(pieces, sheaf_pieces_find(pieces, row), &entry);
	sheaf_piece piece = sheaf_piece_of(&entry);
	sheaf_status status = recall(d, &entry, &piece, &why);
	sheaf_piece_reset(&piece);
	if (status == SHEAF_OK) status = go_on_with(d, &piece, entry.row, &why);
	if (status == SHEAF_STALE && !d->pieces) {
		sheaf_index_drop(&d->indexed, &why);
		return sheaf_forgive(status, "rows are counted from the beginning instead");
	}
	return status ? sheaf_fail_again(err, &why) : SHEAF_OK;
}

/* Measures and passes pieces of about `bytes`, until one has the row; that piece is the next one to be cut.
 * END if there is no such row. */
static sheaf_status count_to(sheaf_dataset *d, int64_t row, int64_t bytes, sheaf_measurer *m,
                             sheaf_error *err)
{
	sheaf_status status;
	while ((status = sheaf_cut(d->format, d->in, bytes, &d->piece, err)) == SHEAF_OK) {
		SHEAF_TRY(sheaf_measure(m, &d->piece, err));
		if (d->next_row + m->rows > row) return go_on_with(d, &d->piece, d->next_row, err);
		d->next_row += m->rows;
		SHEAF_TRY(sheaf_check_stop(d->cx, err));
	}
	return status;
}

/* Moves from the current position to the piece that has row number `rows`. In a text, rows of the same
 * piece before the one that is wanted would be read, too, and what is wrong with them reported, so smaller
 * and smaller pieces are cut there; chunks are read from their beginning. If there are fewer rows, the
 * position is the beginning again: only reading shows why, and whether the input ends as it should. */
static sheaf_status pass_over(sheaf_dataset *d, int64_t rows, sheaf_error *err)
{
	enum { SMALL = 8192, ONE_ROW = 1 };
	const sheaf_pieces *pieces;
	sheaf_measurer m;
	SHEAF_TRY(sheaf_source_make_seekable(d->source, err));
	sheaf_index_table(&d->indexed, -1, &pieces);
	if (d->pieces) pieces = d->pieces;
	if (pieces && rows >= pieces->rows) return SHEAF_OK;
	if (pieces) SHEAF_TRY(jump_or_count(d, pieces, rows, err));
	SHEAF_TRY(sheaf_measurer_begin(&m, &d->input, err));
	sheaf_status status = count_to(d, rows, d->piece_bytes, &m, err);
	if (status == SHEAF_OK && d->piece.line > 0) status = count_to(d, rows, SMALL, &m, err);
	if (status == SHEAF_OK && d->piece.line > 0) status = count_to(d, rows, ONE_ROW, &m, err);
	if (status == SHEAF_END) {
		d->next_row = 0;
		status = d->format->rewind(d->in, NULL, err);
	}
	sheaf_measurer_end(&m);
	return status;
}

/* Skips whole pieces at the beginning, so that reading begins near row number `rows`. Where pieces cannot
 * be found again without reading, nothing is skipped. */
sheaf_status sheaf_skip(sheaf_dataset *d, int64_t rows, sheaf_error *err)
{
	bool can_resume = d->format->random && d->format->random->resumes && sheaf_source_is_plain(d->source);
	if (rows <= 0 || !can_resume) return SHEAF_OK;
	sheaf_index_pass_over(&d->indexed);
	sheaf_status status = pass_over(d, rows, err);
	d->failed = status != SHEAF_OK;
	return status;
}

/* ---- the table of pieces ---- */

/* Begins to make the table of pieces, unless it is there. That is possible only before the first row is
 * read, since the reader that cuts for the survey is the one that reads. */
sheaf_status sheaf_dataset_survey(sheaf_dataset *d, sheaf_error *err)
{
	const char *file = sheaf_source_name(d->source);
	if (d->pieces || d->surveying) return SHEAF_OK;
	if (!d->format->random)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a format whose pieces can be read in any order, found %s", file,
		                  d->format->name);
	bool has_begun = d->decoding.format || d->ended || d->failed;
	if (has_begun)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"%s: expected a call for its pieces before the first row is read, found it after %" PRId64
			" rows",
			file, d->next_row);
	return sheaf_survey_begin(&d->indexed, err);
}

/* Gives the table of pieces, after making it if there is none yet; it belongs to the dataset. */
sheaf_status sheaf_dataset_pieces(sheaf_dataset *d, const sheaf_pieces **out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(d, "a dataset");
	SHEAF_TRY(sheaf_dataset_survey(d, err));
	SHEAF_TRY(sheaf_survey_finish(&d->indexed, err));
	SHEAF_TRY(sheaf_source_report_broken(d->source, d->cx, err));
	*out = d->pieces;
	return SHEAF_OK;
}
