/* SPDX-License-Identifier: MIT */
/* A table of rows that grows as it is read: in the order of the file the first batch does not need the number
 * of rows. Datasets that have an index are added as a whole, others piece by piece. Lengths are kept only for
 * rows of the dataset that is being surveyed, from s->recent_row on; once it has its table of pieces, the
 * table has them. */
#include "base/context.h"
#include "batch/reserve.h"
#include "batch/row_source.h"
#include "dataset/index/index.h"
#include "dataset/index/pieces.h"
#include "io/source.h"

/* Adds a piece, and a chunk if it has rows. */
static sheaf_status put_entry(sheaf_row_source *s, const sheaf_piece_entry *entry, sheaf_error *err)
{
	SHEAF_TRY(sheaf_reserve(s->cx, &s->entries, &s->entry_room, (size_t)s->pieces + 1, sizeof *entry, err));
	s->entries[s->pieces] = *entry;
	SHEAF_TRY(sheaf_row_source_chunk_room(s, (size_t)s->pieces + 1, err));
	sheaf_row_source_add_chunk(s, s->pieces++, entry->rows, entry->samples);
	return SHEAF_OK;
}

/* Begins to survey the part that the table has reached (s->lazy_part): its pieces and rows follow those that
 * the table has. */
static sheaf_status begin_part(sheaf_row_source *s, sheaf_error *err)
{
	sheaf_row_source_part *part = &s->parts[s->lazy_part];
	part->first_piece = s->pieces;
	part->first_row = s->rows.rows;
	s->recent_row = s->rows.rows;
	s->recent_count = 0;
	return sheaf_dataset_survey(part->dataset, err);
}

/* Adds the next piece of the part that is surveyed, and keeps the lengths of its rows. At the end of a part,
 * which has its table of pieces then, the rest of its pieces is added, and the next part begins; after the
 * last one the table does not grow any more (s->rows.grow NULL). */
static sheaf_status grow_once(sheaf_row_source *s, sheaf_error *err)
{
	sheaf_piece_entry entry;
	const uint32_t *lengths;
	sheaf_row_source_part *part = &s->parts[s->lazy_part];
	sheaf_status status = sheaf_survey_next(&part->dataset->indexed, &entry, &lengths, err);
	if (status == SHEAF_END) {
		part->pieces = part->dataset->pieces;
		SHEAF_TRY(sheaf_source_report_broken(part->dataset->source, part->dataset->cx, err));
		SHEAF_TRY(sheaf_index_keep_table(&part->dataset->indexed, err));
		for (int64_t i = s->pieces - part->first_piece; i < sheaf_pieces_count(part->pieces); i++) {
			sheaf_pieces_at(part->pieces, i, &entry);
			SHEAF_TRY(put_entry(s, &entry, err));
		}
		if (++s->lazy_part < s->nparts) return begin_part(s, err);
		s->rows.grow = NULL;
		return SHEAF_OK;
	}
	SHEAF_TRY(status);
	SHEAF_TRY(sheaf_reserve(s->cx, &s->recent, &s->recent_room, (size_t)(s->recent_count + entry.rows),
	                        sizeof *lengths, err));
	memcpy(s->recent + s->recent_count, lengths, (size_t)entry.rows * sizeof *lengths);
	s->recent_count += entry.rows;
	return put_entry(s, &entry, err);
}

/* Whether the table reaches beyond a row, by as many pieces as other threads may read ahead. */
static bool reaches(const sheaf_row_source *s, int64_t row)
{
	enum { AHEAD = 4 };
	int64_t wanted = sheaf_context_threads(s->cx) > 1 ? AHEAD : 0, pieces = 0, n = s->rows.chunks;
	while (pieces < n && pieces < wanted && s->rows.first_row[n - pieces - 1] > row) pieces++;
	return s->rows.rows > row && pieces >= wanted;
}

/* Grows the table until it reaches beyond row `to`, or to its end, as sheaf_rows.grow says. */
static sheaf_status grow(void *grower, int64_t from, int64_t to, sheaf_error *err)
{
	sheaf_row_source *s = (sheaf_row_source *)grower;
	if (reaches(s, to)) return SHEAF_OK;
	/* Rows before `from` have been given, and in this order nobody goes back without completing the table
	 * first, so their lengths are dropped. */
	int64_t given = from - s->recent_row;
	if (given > s->recent_count) given = s->recent_count;
	if (given > 0) {
		memmove(s->recent, s->recent + given, (size_t)(s->recent_count - given) * sizeof *s->recent);
		s->recent_row += given;
		s->recent_count -= given;
	}
	while (s->rows.grow && !reaches(s, to)) SHEAF_TRY(grow_once(s, err));
	return SHEAF_OK;
}

sheaf_status sheaf_row_source_complete(sheaf_row_source *s, sheaf_error *err)
{
	while (s->rows.grow) SHEAF_TRY(grow_once(s, err));
	return SHEAF_OK;
}

/* Parts that the table has not reached begin beyond all pieces and rows (INT64_MAX), so that a search for the
 * part of a piece or row passes them. */
sheaf_status sheaf_row_source_begin_lazy_table(sheaf_row_source *s, sheaf_error *err)
{
	s->rows.grow = grow;
	s->rows.grower = s;
	for (int i = 0; i < s->nparts; i++) s->parts[i].first_piece = s->parts[i].first_row = INT64_MAX;
	SHEAF_TRY(begin_part(s, err));
	while (s->rows.grow && s->rows.samples == 0) SHEAF_TRY(grow_once(s, err));
	return SHEAF_OK;
}

void sheaf_row_source_end_lazy_table(sheaf_row_source *s)
{
	for (int i = 0; s->entries && i < s->nparts; i++) sheaf_survey_end(&s->parts[i].dataset->indexed);
	s->rows.grow = NULL;
	sheaf_release(s->cx, s->entries, s->entry_room * sizeof *s->entries);
	sheaf_release(s->cx, s->recent, s->recent_room * sizeof *s->recent);
}
