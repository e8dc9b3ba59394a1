/* SPDX-License-Identifier: MIT */
/* The chunks of a table of rows: where each begins, and in which piece it is. Both the table that is made at
 * once and the one that grows add chunks here. */
#include "batch/reserve.h"
#include "batch/row_source.h"

sheaf_status sheaf_row_source_chunk_room(sheaf_row_source *s, size_t chunks, sheaf_error *err)
{
	size_t n = chunks + 1;
	SHEAF_TRY(sheaf_reserve(s->cx, &s->first_row, &s->row_room, n, sizeof *s->first_row, err));
	SHEAF_TRY(sheaf_reserve(s->cx, &s->first_sample, &s->sample_room, n, sizeof *s->first_sample, err));
	SHEAF_TRY(sheaf_reserve(s->cx, &s->piece_of_chunk, &s->piece_room, n, sizeof *s->piece_of_chunk, err));
	s->first_row[0] = s->first_sample[0] = 0;
	s->rows.first_row = s->first_row;
	s->rows.first_sample = s->first_sample;
	return SHEAF_OK;
}

void sheaf_row_source_add_chunk(sheaf_row_source *s, int64_t piece, int64_t rows, int64_t samples)
{
	sheaf_rows *table = &s->rows;
	if (rows == 0) return;
	s->piece_of_chunk[table->chunks++] = piece;
	table->rows += rows;
	table->samples += samples;
	s->first_row[table->chunks] = table->rows;
	s->first_sample[table->chunks] = table->samples;
}
