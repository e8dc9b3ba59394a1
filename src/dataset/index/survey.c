/* SPDX-License-Identifier: MIT */
/* One pass that finds the pieces of a dataset and the lengths of its rows.
 *
 * Whoever needs all pieces runs the survey to its end; whoever can use the first ones before the last is
 * known, such as batches in the file's order, takes step by step (sheaf_survey_next). In either case the
 * dataset is at its beginning afterwards, since the reader that cuts for the survey is the one that reads. */
#include "base/context.h"
#include "base/memory.h"
#include "dataset/index/index.h"
#include "dataset/input/measure.h"
#include "io/source.h"
#include <inttypes.h>

/* Not less under a small memory limit, unlike the pieces of sheaf_next: the table must not depend on that. */
static const int64_t USUAL_PIECE = 2 << 20;

int64_t sheaf_table_bytes(const sheaf_indexed *d)
{
	return d->in->facts.chunks >= 0 ? 0 : d->table_bytes > 0 ? d->table_bytes : USUAL_PIECE;
}

struct sheaf_surveying {
	sheaf_gathering gathered;
	sheaf_measurer measurer;
	int64_t bytes; /* of a piece */
	bool hashes;   /* an index may be made from it */
};

static void drop_surveying(sheaf_indexed *d)
{
	if (!d->surveying) return;
	sheaf_gathering_drop(&d->surveying->gathered);
	sheaf_measurer_end(&d->surveying->measurer);
	sheaf_buffer_reset(&d->piece.bytes);
	sheaf_release(d->cx, d->surveying, sizeof *d->surveying);
	d->surveying = NULL;
}

/* Returns the reader to the beginning, if the survey has moved it. */
static sheaf_status go_back(sheaf_indexed *d, sheaf_error *err)
{
	if (!d->surveyed_past) return SHEAF_OK;
	d->surveyed_past = false;
	return d->format->rewind(d->in, NULL, err);
}

/* Abandons a survey, and goes back to the beginning; if that fails, nothing more can be read. */
void sheaf_survey_end(sheaf_indexed *d)
{
	drop_surveying(d);
	sheaf_status status = go_back(d, NULL);
	if (status) d->failed = true;
}

/* Prepares a survey from the reader's current position, which must be the beginning. */
static sheaf_status begin_surveying(sheaf_indexed *d, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(d->cx, sizeof *d->surveying, &d->surveying, err));
	int64_t bytes = sheaf_table_bytes(d);
	d->surveying->bytes = bytes ? bytes : INT64_MAX;
	/* For text, whose bytes are available, in case an index is made; for chunks if an index is requested. */
	d->surveying->hashes = d->index->asked || (d->index->policy != SHEAF_INDEX_NEVER && bytes > 0);
	sheaf_status status = sheaf_measurer_begin(&d->surveying->measurer, &d->input, err);
	if (status == SHEAF_OK) status = sheaf_gathering_begin(&d->surveying->gathered, d->cx, err);
	if (status) drop_surveying(d);
	return status;
}

/* Cuts and measures one more piece, and adds it to the table that is being made. *lengths is borrowed until
 * the next call. */
static sheaf_status cut_next(sheaf_indexed *d, sheaf_piece_entry *entry, const uint32_t **lengths,
                             sheaf_error *err)
{
	struct sheaf_surveying *s = d->surveying;
	uint64_t hash = 0;
	d->surveyed_past = true;
	SHEAF_TRY(sheaf_cut(d->format, d->in, s->bytes, &d->piece, err));
	SHEAF_TRY(sheaf_measure(&s->measurer, &d->piece, err));
	if (s->hashes) SHEAF_TRY(sheaf_piece_hash(&d->input, &d->piece, &hash, err));
	*lengths = s->measurer.lengths;
	*entry = sheaf_gathering_add(&s->gathered, &d->piece, *lengths, s->measurer.rows, hash);
	return sheaf_check_stop(d->cx, err);
}

/* Takes the table from the index, if it has one of the usual pieces, or begins to make one. A second call
 * changes nothing. */
sheaf_status sheaf_survey_begin(sheaf_indexed *d, sheaf_error *err)
{
	if (d->pieces || d->surveying) return SHEAF_OK;
	SHEAF_TRY(sheaf_source_make_seekable(d->source, err));
	sheaf_index_table(d, sheaf_table_bytes(d), &d->pieces);
	return d->pieces ? SHEAF_OK : begin_surveying(d, err);
}

/* Gives the next piece of a survey in progress; END when the table is complete or was there before. After
 * END the reader is at the end of the input: sheaf_survey_finish or sheaf_survey_end goes back. After a
 * failure nothing more can be read. */
sheaf_status sheaf_survey_next(sheaf_indexed *d, sheaf_piece_entry *entry, const uint32_t **lengths,
                               sheaf_error *err)
{
	if (d->pieces) return SHEAF_END;
	sheaf_status status = cut_next(d, entry, lengths, err);
	if (status == SHEAF_OK) return SHEAF_OK;
	if (status == SHEAF_END) SHEAF_TRY(sheaf_gathering_finish(&d->surveying->gathered, &d->surveyed, err));
	d->pieces = d->surveyed;
	if (d->surveyed) d->surveyed->hashed = d->surveying->hashes;
	d->failed = status != SHEAF_END;
	drop_surveying(d);
	return status;
}

/* Runs a survey to its end, and goes back to the beginning. */
sheaf_status sheaf_survey_finish(sheaf_indexed *d, sheaf_error *err)
{
	sheaf_piece_entry entry;
	const uint32_t *lengths;
	sheaf_status status = SHEAF_OK;
	while (status == SHEAF_OK) status = sheaf_survey_next(d, &entry, &lengths, err);
	return status == SHEAF_END ? go_back(d, err) : status;
}

/* Makes a new table of pieces by a pass over the input, also if an index has one. */
sheaf_status sheaf_survey(sheaf_indexed *d, sheaf_error *err)
{
	SHEAF_TRY(sheaf_source_make_seekable(d->source, err));
	SHEAF_TRY(begin_surveying(d, err));
	return sheaf_survey_finish(d, err);
}
