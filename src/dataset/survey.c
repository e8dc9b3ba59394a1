/* SPDX-License-Identifier: MIT */
/* Random access to a dataset: one pass that finds its pieces, and reading each of them by number. */
#include "base/context.h"
#include "dataset/dataset.h"
#include "dataset/pieces.h"
#include <inttypes.h>

/* Not less under a small memory limit, unlike the pieces of sheaf_next: the table must not depend on that. */
static const int64_t USUAL_PIECE = 8 << 20;

/* ---- the pass ---- */

typedef struct pass {
	sheaf_dataset *d;
	sheaf_gathering gathering;
	sheaf_context *quiet; /* what is wrong with the rows is told when they are read */
	sheaf_frame frame;
} pass;

static sheaf_status measure_by_decoding(pass *p, sheaf_error *err)
{
	const sheaf_format *format = p->d->format;
	SHEAF_TRY(format->decode(p->d->in, &p->d->piece, &p->frame, p->quiet, err));
	return sheaf_gathering_measure(&p->gathering, format->schema(p->d->in), &p->frame, err);
}

static sheaf_status add_piece(pass *p, sheaf_error *err)
{
	sheaf_dataset *d = p->d;
	sheaf_status status = d->format->measure ? d->format->measure(d->in, &d->piece, d->cx, &p->gathering.lengths, err) : SHEAF_END;
	if (status == SHEAF_END) status = measure_by_decoding(p, err);
	SHEAF_TRY(status);
	sheaf_gathering_add(&p->gathering, &d->piece);
	return sheaf_check_stop(d->cx, err);
}

static sheaf_status add_pieces(pass *p, sheaf_error *err)
{
	sheaf_dataset *d = p->d;
	sheaf_status status;
	sheaf_facts facts;
	sheaf_dataset_facts(d, &facts);
	int64_t bytes = facts.chunks >= 0 ? INT64_MAX : d->table_bytes > 0 ? d->table_bytes : USUAL_PIECE; /* chunks are pieces as they are */
	while ((status = d->format->cut(d->in, bytes, &d->piece, err)) == SHEAF_OK && (status = add_piece(p, err)) == SHEAF_OK) {
	}
	return status == SHEAF_END ? d->format->rewind(d->in, err) : status;
}

static sheaf_status survey(sheaf_dataset *d, sheaf_error *err)
{
	pass p = {.d = d};
	SHEAF_TRY(sheaf_context_quiet(d->cx, &p.quiet, err));
	sheaf_status status = sheaf_gathering_begin(&p.gathering, d->cx, err);
	if (status == SHEAF_OK) status = add_pieces(&p, err);
	if (status == SHEAF_OK) status = sheaf_gathering_finish(&p.gathering, &d->pieces, err);
	sheaf_gathering_drop(&p.gathering);
	sheaf_frame_free(&p.frame); /* its memory is the quiet context's */
	sheaf_context_free(p.quiet);
	return status;
}

sheaf_status sheaf_dataset_pieces(sheaf_dataset *d, const sheaf_pieces **out, sheaf_error *err)
{
	const char *file = sheaf_source_name(d->source);
	*out = d->pieces;
	if (d->pieces) return SHEAF_OK;
	if (!d->format->recall)
		return sheaf_fail(err, SHEAF_UNSUPPORTED, "%s: expected a format whose pieces can be read in any order, found %s", file, d->format->name);
	if (d->decoding.format || d->ended || d->failed)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a call for its pieces before the first row is read, found it behind %" PRId64 " rows", file,
		                  d->next_row);
	SHEAF_TRY(sheaf_source_make_seekable(d->source, err));
	sheaf_status status = survey(d, err);
	d->failed = status != SHEAF_OK;
	*out = d->pieces;
	return status;
}

/* ---- one piece ---- */

static sheaf_status check_rows(const sheaf_dataset *d, const sheaf_piece_entry *entry, const sheaf_frame *frame, const sheaf_context *cx, sheaf_error *err)
{
	/* Validation passes what else ends the reading, and leaves out rows. */
	if (frame->nrows == entry->rows || sheaf_is_validating(cx)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA, "%s (byte %" PRId64 "): expected %" PRId64 " rows, as when its pieces were found, found %" PRId64,
	                  sheaf_source_name(d->source), entry->byte, entry->rows, frame->nrows);
}

sheaf_status sheaf_dataset_read_piece(const sheaf_dataset *d, int64_t i, sheaf_frame *frame, sheaf_context *cx, sheaf_error *err)
{
	sheaf_piece_entry entry;
	if (!d->pieces || i < 0 || i >= d->pieces->count)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected the number of a piece below %" PRId64 ", found %" PRId64, sheaf_source_name(d->source),
		                  d->pieces ? d->pieces->count : 0, i);
	sheaf_pieces_at(d->pieces, i, &entry);
	sheaf_piece piece = {.byte = entry.byte, .size = entry.size, .line = entry.line, .column = entry.column, .chunk = entry.chunk};
	SHEAF_TRY(sheaf_check_stop(cx, err));
	sheaf_status status = d->format->recall(d->in, &piece, err);
	if (status == SHEAF_OK) status = d->format->decode(d->in, &piece, frame, cx, err);
	if (status == SHEAF_OK) status = check_rows(d, &entry, frame, cx, err);
	sheaf_buffer_reset(&piece.bytes);
	sheaf_buffer_reset(&piece.notes);
	return status;
}
