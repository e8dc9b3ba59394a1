/* SPDX-License-Identifier: MIT */
/* FROSTT files from the inside: the words that its rooms share.
 *
 *   format.c   the table entry, options, recognition    look.c   rank and shape, which the file may not say
 *   decode.c   a piece into coordinates and values      line.c   one line, and what may be wrong with it
 *   review.c   whether all entries are there            write.c  entries into lines
 *
 * What is read and why is in docs/formats/tns.md. */
#ifndef SHEAF_FORMAT_TNS_TNS_H
#define SHEAF_FORMAT_TNS_TNS_H

#include "data/frame_builder.h"
#include "format/format.h"
#include "lined/lined.h"

/* The comments in which this format's writer says a shape, and that values are integers of 64 bits. */
#define TNS_SHAPE "# shape:"
#define TNS_INTEGERS "# values: integers"

static const sheaf_lined_syntax sheaf_tns_syntax = {
	.spaces = SHEAF_LINED_SPACES, .comment = '#', .stop = '#'};

/* Its schema: a coordinate for each dimension, value */
typedef struct sheaf_tns_reader {
	SHEAF_BASE(sheaf_lined, lined); /* from the first entry on, or what stands before it */
	int rank;
	bool integers;
	bool inferred, guessed; /* the shape is that of the entries; of those in the first part */
	int64_t entries;        /* as the header says, or -1 */
	int64_t seen;           /* entries reviewed */
} sheaf_tns_reader;

/* ---- look.c ---- */

SHEAF_USE sheaf_status sheaf_tns_look(sheaf_tns_reader *in, const sheaf_values *values, bool glance,
                                      sheaf_error *err);

/* ---- review.c ---- */

SHEAF_USE sheaf_status sheaf_tns_rewind(void *in, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_tns_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_tns_settle(void *in, sheaf_error *err);

/* ---- decode.c ---- */

/* A piece being decoded. */
typedef struct sheaf_tns_decoding {
	const sheaf_tns_reader *in;
	sheaf_lined_text text;
	bool beyond; /* the line has a coordinate that is beyond an inferred shape: there was something wrong with
	                it when that was inferred */
	sheaf_frame_builder to;
	sheaf_builder *values, *lines; /* the frame's */
	bool wide[SHEAF_MAX_RANK];
} sheaf_tns_decoding;

SHEAF_USE sheaf_status sheaf_tns_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);
/* Adds the coordinates of an entry, which count from 0. */
void sheaf_tns_put_entry(sheaf_tns_decoding *d, const int64_t *at);

/* ---- line.c ---- */

/* Reads the line at hand, whatever it is, and moves after its feed. */
SHEAF_USE sheaf_status sheaf_tns_read_line(sheaf_tns_decoding *d);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_tns_writing;

#endif
