/* SPDX-License-Identifier: MIT */
/* The table of pieces from the inside: made row by row in one pass, or taken from an index file. */
#ifndef SHEAF_INDEX_PIECES_H
#define SHEAF_INDEX_PIECES_H

#include "index/lengths.h"
#include "input/input.h"
#include <sheaf/pieces.h>

enum { SHEAF_PIECES_ENTRY = 64 /* bytes of a record: eight int64, in the order of sheaf_piece_entry */ };

struct sheaf_pieces {
	sheaf_context *cx;
	int64_t count, rows, samples;
	sheaf_buffer entries; /* a record of each, little-endian, as in a file */
	sheaf_lengths lengths;
	const sheaf_input
		*input; /* where they come from a file: what lengths are found in that are damaged there */
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

/* The lengths of rows [row, row + n) of a table, from the input itself. Any thread. */
SHEAF_USE sheaf_status sheaf_pieces_measure(const sheaf_input *input, const sheaf_pieces *pieces, int64_t row,
                                            int64_t n, uint32_t *lengths, sheaf_error *err);
/* Opening what is in a table has found other rows than when it was made. */
sheaf_status sheaf_pieces_refuse(const sheaf_input *input, const sheaf_piece_entry *entry, int64_t found,
                                 sheaf_error *err);

#endif
