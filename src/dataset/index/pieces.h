/* SPDX-License-Identifier: MIT */
/* The inside of the table of pieces: made row by row in one pass, or taken from an index file. */
#ifndef SHEAF_DATASET_INDEX_PIECES_H
#define SHEAF_DATASET_INDEX_PIECES_H

#include "dataset/index/lengths.h"
#include "dataset/input/input.h"
#include <sheaf/pieces.h>

enum {
	SHEAF_PIECES_ENTRY = 72 /* bytes of a record: nine words of 64 bits, in the order of sheaf_piece_entry */
};

struct sheaf_pieces {
	sheaf_context *cx;
	int64_t count, rows, samples;
	bool hashed;          /* each entry has its hash */
	sheaf_buffer entries; /* a record for each, little-endian, as in a file */
	sheaf_lengths lengths;
	sheaf_buffer counts;      /* the contents of each (counts.h); empty: they were not counted */
	const sheaf_input *input; /* if they come from a file: the file in which damaged lengths are found */
};

/* A table that is being made. */
typedef struct sheaf_gathering {
	sheaf_context *cx;
	sheaf_builder entries;
	sheaf_packer packer;
	sheaf_builder counts; /* filled by whoever sees the rows */
	int64_t samples;
} sheaf_gathering;

SHEAF_USE sheaf_status sheaf_gathering_begin(sheaf_gathering *g, sheaf_context *cx, sheaf_error *err);
/* Adds a piece with the lengths of its rows and the hash of its bytes, and gives its entry. */
sheaf_piece_entry sheaf_gathering_add(sheaf_gathering *g, const sheaf_piece *piece, const uint32_t *lengths,
                                      int64_t rows, uint64_t hash);
SHEAF_USE sheaf_status sheaf_gathering_finish(sheaf_gathering *g, sheaf_pieces **out, sheaf_error *err);
void sheaf_gathering_drop(sheaf_gathering *g);

void sheaf_pieces_free(sheaf_pieces *pieces);
/* The sum over all pieces. */
int64_t sheaf_pieces_rows(const sheaf_pieces *pieces);
/* The lengths of rows [row, row + n) in samples, as the format counts them: of its main stream where one is
 * declared, else of the longest. (In the text format: of lines, which is the same for rows that break no
 * rule.) USAGE where there are no such rows. */
SHEAF_USE sheaf_status sheaf_pieces_lengths(const sheaf_pieces *pieces, int64_t row, int64_t n,
                                            uint32_t *lengths, sheaf_error *err);

/* The piece of an entry, without its bytes. */
sheaf_piece sheaf_piece_of(const sheaf_piece_entry *entry);

/* The hash of a piece's bytes in the input. Any thread. */
SHEAF_USE sheaf_status sheaf_piece_hash(const sheaf_input *input, const sheaf_piece *piece, uint64_t *out,
                                        sheaf_error *err);

/* Opening the contents of a table has found other rows than when it was made. */
sheaf_status sheaf_pieces_refuse(const sheaf_input *input, const sheaf_piece_entry *entry, int64_t found,
                                 sheaf_error *err);

/* The number of the piece that has this row, 0 <= row < sheaf_pieces_rows; -1 for others. */
int64_t sheaf_pieces_find(const sheaf_pieces *pieces, int64_t row);

#endif
