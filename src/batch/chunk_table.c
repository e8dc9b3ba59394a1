/* SPDX-License-Identifier: MIT */
/* The chunks of a table of rows: where each begins, and in which piece it is. */
#include "batch/reserve.h"
#include "batch/row_source.h"

static sheaf_status numbers_room(sheaf_row_source *s, int64_t **numbers, size_t *room, size_t wanted,
                                 sheaf_error *err)
{
	void *memory = *numbers;
	SHEAF_TRY(sheaf_reserve(s->cx, &memory, room, wanted, sizeof **numbers, err));
	*numbers = (int64_t *)memory;
	return SHEAF_OK;
}

sheaf_status sheaf_row_source_chunk_room(sheaf_row_source *s, size_t chunks, sheaf_error *err)
{
	SHEAF_TRY(numbers_room(s, &s->first_row, &s->row_room, chunks + 1, err));
	SHEAF_TRY(numbers_room(s, &s->first_sample, &s->sample_room, chunks + 1, err));
	SHEAF_TRY(numbers_room(s, &s->piece_of_chunk, &s->piece_room, chunks + 1, err));
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
