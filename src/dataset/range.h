/* SPDX-License-Identifier: MIT */
/* A run of a dataset's pieces, read as if there were no others: a part of a job reads such a run. */
#ifndef SHEAF_DATASET_RANGE_H
#define SHEAF_DATASET_RANGE_H

#include "dataset/dataset.h"

enum { SHEAF_PARTS_MOST = 1 << 20 };

/* A piece, or, if its chunk is divided, some rows of it and what recalls them from it. */
typedef struct sheaf_cut_piece {
	sheaf_piece_entry entry;
	sheaf_buffer notes;
} sheaf_cut_piece;

/* All pieces of a dataset, in order. */
typedef struct sheaf_cuts {
	sheaf_context *cx;
	sheaf_cut_piece *pieces;
	int64_t count, room;
	bool divided; /* some are parts of a chunk */
	int64_t rows; /* of all of them */
} sheaf_cuts;

/* The input in its own format, below all views. */
sheaf_input sheaf_dataset_below(const sheaf_dataset *d);
/* Why rows of a dataset can be read only from the first one on, in words; NULL: they can be read in parts. */
const char *sheaf_dataset_uncut(const sheaf_dataset *d);
/* Warns that such an input belongs to the first part alone. */
SHEAF_USE sheaf_status sheaf_report_uncut(const sheaf_dataset *d, const char *why, sheaf_context *cx,
                                          sheaf_error *err);
/* The pieces of such a dataset for `parts` parts, from its index, or by a pass over it. Before anything is
 * read. */
SHEAF_USE sheaf_status sheaf_dataset_cut(sheaf_dataset *d, int parts, sheaf_cuts *out, sheaf_error *err);
void sheaf_cuts_free(sheaf_cuts *cuts);
int64_t sheaf_cuts_bytes(const sheaf_cuts *cuts);
/* Parts whose borders are the same have cuts with the same hash. */
uint64_t sheaf_cuts_hash(const sheaf_cuts *cuts);
/* How much of a sum the first `share` of `parts` parts have together. */
int64_t sheaf_part_border(int64_t sum, int share, int parts);

/* Adds what an index says of all rows to the facts, if there is one: for callers that find out whether it
 * was right. */
void sheaf_dataset_counted(sheaf_dataset *d, sheaf_facts *facts);
/* Whether the contents of each piece can be counted. */
bool sheaf_dataset_counts_pieces(const sheaf_dataset *d);
/* The counts of pieces [first, first + n). `nothing`: rows would be left out, so there are none. */
typedef struct sheaf_piece_counts {
	int64_t first, n;
	bool nothing;
	sheaf_buffer counts;
} sheaf_piece_counts;
/* Counts the contents of the pieces that part `part` of `parts` has, where parts are divided by bytes. */
SHEAF_USE sheaf_status sheaf_dataset_count_some(sheaf_dataset *d, const sheaf_pieces *pieces, int part,
                                                int parts, sheaf_piece_counts *out, sheaf_error *err);
/* Counts the contents of all pieces, stream by stream, if there are streams and no rows would be left out. */
SHEAF_USE sheaf_status sheaf_dataset_count_pieces(sheaf_dataset *d, sheaf_pieces *pieces, sheaf_error *err);

/* A run of a dataset's pieces: those from `from` up to, but not including, `to`. */
typedef struct sheaf_range {
	const sheaf_cuts *cuts; /* outlive the dataset */
	int64_t from, to;
	bool open_ended; /* do not check that the input ends after the last one */
} sheaf_range;

/* The pieces of a part, counted from 1, that gets its share of the bytes of all inputs, `total`, of which
 * `before` come before this one: those that begin in its share. */
sheaf_range sheaf_cuts_share(const sheaf_cuts *cuts, int64_t before, int64_t total, int part, int parts);
/* From now on sheaf_next gives the rows of these pieces, all of them whole; findings that only the whole
 * input can show are not reported. */
SHEAF_USE sheaf_status sheaf_dataset_narrow(sheaf_dataset *d, const sheaf_range *range, sheaf_error *err);

#endif
