/* SPDX-License-Identifier: MIT */
/* The table of pieces from the inside: made row by row in one pass, or taken from an index file. */
#ifndef SHEAF_DATASET_PIECES_H
#define SHEAF_DATASET_PIECES_H

#include "dataset/lengths.h"
#include "format/format.h"
#include <sheaf/pieces.h>

enum { SHEAF_PIECES_ENTRY = 64 /* bytes of a record: eight int64, in the order of sheaf_piece_entry */ };

struct sheaf_pieces {
	sheaf_context *cx;
	int64_t count, rows, samples;
	sheaf_buffer entries; /* a record of each, little-endian, as in a file */
	sheaf_lengths lengths;
	const sheaf_dataset
		*dataset; /* where they come from a file: what lengths are found in that are damaged there */
};

/* A table being made. */
typedef struct sheaf_gathering {
	sheaf_context *cx;
	sheaf_builder entries;
	sheaf_packer packer;
	int64_t samples;
} sheaf_gathering;

SHEAF_USE sheaf_status sheaf_gathering_begin(sheaf_gathering *g, sheaf_context *cx, sheaf_error *err);
/* Adds a piece with the lengths of its rows. */
void sheaf_gathering_add(sheaf_gathering *g, const sheaf_piece *piece, const uint32_t *lengths, int64_t rows);
SHEAF_USE sheaf_status sheaf_gathering_finish(sheaf_gathering *g, sheaf_pieces **out, sheaf_error *err);
void sheaf_gathering_drop(sheaf_gathering *g);

void sheaf_pieces_free(sheaf_pieces *pieces);

/* The piece of an entry, without its bytes. */
sheaf_piece sheaf_piece_of(const sheaf_piece_entry *entry);

/* ---- survey.c ---- */

/* About how long the pieces of the table are to be; 0: chunks as they are. */
int64_t sheaf_table_bytes(const sheaf_dataset *d);
/* Makes the table in one pass, after which the dataset is at its beginning. */
SHEAF_USE sheaf_status sheaf_survey(sheaf_dataset *d, sheaf_error *err);
/* The same step by step, for who wants the first pieces before the last one is known: the table is there
 * where an index has it; else each further call finds one more piece, whose entry and lengths of rows
 * (borrowed until the next call) it tells, or END, with which the table is there. Other threads may decode
 * pieces meanwhile. */
SHEAF_USE sheaf_status sheaf_survey_begin(sheaf_dataset *d, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_survey_next(sheaf_dataset *d, sheaf_piece_entry *entry, const uint32_t **lengths,
                                         sheaf_error *err);
/* Lets an unfinished one go; the dataset is at its beginning again. No other thread may be at it. */
void sheaf_survey_end(sheaf_dataset *d);

/* ---- random.c ---- */

/* sheaf_dataset_read_piece for a piece of which the entry is known, be it in a table yet or not. */
SHEAF_USE sheaf_status sheaf_dataset_read_entry(const sheaf_dataset *d, const sheaf_piece_entry *entry,
                                                sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);

/* The lengths of rows [row, row + n) of a table, from the input itself. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_measure(const sheaf_dataset *d, const sheaf_pieces *pieces, int64_t row,
                                             int64_t n, uint32_t *lengths, sheaf_error *err);

#endif
