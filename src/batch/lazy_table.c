/* SPDX-License-Identifier: MIT */
/* A table of rows that grows as it is read: in the order of the file the first batch does not need the number
 * of rows. Datasets with an index are added as a whole, others piece by piece. */
#include "base/context.h"
#include "batch/reserve.h"
#include "batch/row_source.h"
#include "index/index.h"
#include "index/pieces.h"

enum { AHEAD = 4 /* pieces that other threads may read at the same time */ };

/* ---- entries and lengths ---- */

static sheaf_status put_entry(sheaf_row_source *s, const sheaf_piece_entry *entry, sheaf_error *err)
{
	void *entries = s->entries;
	SHEAF_TRY(sheaf_reserve(s->cx, &entries, &s->entry_room, (size_t)s->pieces + 1, sizeof *entry, err));
	s->entries = (sheaf_piece_entry *)entries;
	s->entries[s->pieces] = *entry;
	SHEAF_TRY(sheaf_row_source_chunk_room(s, (size_t)s->pieces + 1, err));
	sheaf_row_source_add_chunk(s, s->pieces++, entry->rows, entry->samples);
	return SHEAF_OK;
}

static sheaf_status put_lengths(sheaf_row_source *s, const uint32_t *lengths, int64_t n, sheaf_error *err)
{
	void *recent = s->recent;
	SHEAF_TRY(
		sheaf_reserve(s->cx, &recent, &s->recent_room, (size_t)(s->recent_count + n), sizeof *lengths, err));
	s->recent = (uint32_t *)recent;
	memcpy(s->recent + s->recent_count, lengths, (size_t)n * sizeof *lengths);
	s->recent_count += n;
	return SHEAF_OK;
}

/* All rows before one that is asked for have been given: in this order nobody goes back without completing
 * the table first. */
static void drop_lengths_before(sheaf_row_source *s, int64_t row)
{
	int64_t gone = row - s->recent_row;
	if (gone <= 0) return;
	if (gone > s->recent_count) gone = s->recent_count;
	memmove(s->recent, s->recent + gone, (size_t)(s->recent_count - gone) * sizeof *s->recent);
	s->recent_row += gone;
	s->recent_count -= gone;
}

void sheaf_row_source_recent_lengths(const sheaf_row_source *s, int64_t row, int64_t n, uint32_t *lengths)
{
	memcpy(lengths, s->recent + (row - s->recent_row), (size_t)n * sizeof *lengths);
}

/* ---- parts ---- */

static sheaf_status begin_part(sheaf_row_source *s, sheaf_error *err)
{
	sheaf_row_source_part *part = &s->parts[s->lazy_part];
	part->first_piece = s->pieces;
	part->first_row = s->rows.rows;
	s->recent_row = s->rows.rows;
	s->recent_count = 0;
	return sheaf_dataset_survey(part->dataset, err);
}

/* Adds the whole of a part that has its table, except for what is already there. */
static sheaf_status finish_part(sheaf_row_source *s, sheaf_error *err)
{
	sheaf_row_source_part *part = &s->parts[s->lazy_part];
	sheaf_piece_entry entry;
	part->pieces = part->dataset->pieces;
	SHEAF_TRY(sheaf_index_keep_table(&part->dataset->indexed, err));
	for (int64_t i = s->pieces - part->first_piece; i < sheaf_pieces_count(part->pieces); i++) {
		sheaf_pieces_at(part->pieces, i, &entry);
		SHEAF_TRY(put_entry(s, &entry, err));
	}
	if (++s->lazy_part < s->nparts) return begin_part(s, err);
	s->rows.grow = NULL;
	return SHEAF_OK;
}

static sheaf_status grow_once(sheaf_row_source *s, sheaf_error *err)
{
	sheaf_piece_entry entry;
	const uint32_t *lengths;
	sheaf_status status = sheaf_survey_next(&s->parts[s->lazy_part].dataset->indexed, &entry, &lengths, err);
	if (status == SHEAF_END) return finish_part(s, err);
	SHEAF_TRY(status);
	SHEAF_TRY(put_lengths(s, lengths, entry.rows, err));
	return put_entry(s, &entry, err);
}

static int64_t pieces_beyond(const sheaf_row_source *s, int64_t row)
{
	int64_t n = 0;
	while (n < s->rows.chunks && s->rows.first_row[s->rows.chunks - n - 1] > row) n++;
	return n;
}

static sheaf_status grow(void *grower, int64_t from, int64_t to, sheaf_error *err)
{
	sheaf_row_source *s = (sheaf_row_source *)grower;
	int64_t wanted = sheaf_context_threads(s->cx) > 1 ? AHEAD : 0;
	bool enough = s->rows.rows > to && pieces_beyond(s, to) >= wanted;
	if (!enough) drop_lengths_before(s, from);
	for (; s->rows.grow && !enough; enough = s->rows.rows > to && pieces_beyond(s, to) >= wanted)
		SHEAF_TRY(grow_once(s, err));
	return SHEAF_OK;
}

sheaf_status sheaf_row_source_complete(sheaf_row_source *s, sheaf_error *err)
{
	while (s->rows.grow) SHEAF_TRY(grow_once(s, err));
	return SHEAF_OK;
}

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
	sheaf_release_reserved(s->cx, s->entries, s->entry_room, sizeof *s->entries);
	sheaf_release_reserved(s->cx, s->recent, s->recent_room, sizeof *s->recent);
}
