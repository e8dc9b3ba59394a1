/* SPDX-License-Identifier: MIT */
/* The table of pieces from the inside: made row by row in one pass, or taken from an index file. */
#ifndef SHEAF_DATASET_PIECES_H
#define SHEAF_DATASET_PIECES_H

#include "dataset/lengths.h"
#include <sheaf/pieces.h>

struct sheaf_pieces {
	sheaf_context *cx;
	int64_t count, rows, samples;
	sheaf_buffer entries; /* a record of each, little-endian, as in a file */
	sheaf_lengths lengths;
};

/* A table being made. */
typedef struct sheaf_gathering {
	sheaf_context *cx;
	sheaf_builder entries;
	sheaf_packer packer;
	int64_t samples;
	sheaf_buffer lengths; /* of the rows of one piece, uint32; reused */
} sheaf_gathering;

SHEAF_USE sheaf_status sheaf_gathering_begin(sheaf_gathering *g, sheaf_context *cx, sheaf_error *err);
/* Adds a piece whose rows have the lengths in g->lengths. */
void sheaf_gathering_add(sheaf_gathering *g, const sheaf_piece *piece);
/* Fills g->lengths from the rows of a frame. */
SHEAF_USE sheaf_status sheaf_gathering_measure(sheaf_gathering *g, const sheaf_schema *schema, const sheaf_frame *frame, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_gathering_finish(sheaf_gathering *g, sheaf_pieces **out, sheaf_error *err);
void sheaf_gathering_drop(sheaf_gathering *g);

void sheaf_pieces_free(sheaf_pieces *pieces);

#endif
