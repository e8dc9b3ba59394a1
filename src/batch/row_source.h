/* SPDX-License-Identifier: MIT */
/* A row source: datasets as one table of rows. One dataset, several one after the other, or several side by
 * side, joined by the keys of their rows. A row is in one piece of each lane: lanes are the datasets that are
 * joined, otherwise there is one. */
#ifndef SHEAF_BATCH_ROW_SOURCE_H
#define SHEAF_BATCH_ROW_SOURCE_H

#include "batch/order/order.h"
#include "dataset/dataset.h"

typedef struct sheaf_row_source_part {
	sheaf_dataset *dataset;     /* owned by the caller */
	const sheaf_pieces *pieces; /* NULL while the table grows and has not reached its end */
	int64_t first_piece;        /* pieces are numbered through all parts */
	int64_t first_row;          /* of its rows, if parts follow one another */
} sheaf_row_source_part;

/* What reading a piece needs: the table may grow meanwhile. */
typedef struct sheaf_piece_ref {
	const sheaf_dataset *dataset;
	sheaf_piece_entry entry;
} sheaf_piece_ref;

/* A piece in memory: decoded, or only with its rows located, which is enough if they are gathered anyway. */
typedef struct sheaf_loaded_piece {
	sheaf_frame frame;
	sheaf_located located;
	const sheaf_dataset *of; /* to which the piece belongs, if it is located */
	bool is_located;
} sheaf_loaded_piece;

/* Where a column of a batch comes from. */
typedef struct sheaf_origin {
	int lane, column;
} sheaf_origin;

typedef struct sheaf_row_source {
	sheaf_context *cx;
	sheaf_row_source_part *parts;
	int nparts, lanes;
	int64_t pieces; /* of all parts */
	sheaf_schema schema;
	sheaf_origin *origins; /* of each field */
	int key;               /* the field with the keys of rows; -1: the numbers of rows are the keys */
	sheaf_rows rows;
	int64_t *first_chunks; /* of each part, and the end of the last; NULL if they are joined */
	int64_t *first_row, *first_sample, *piece_of_chunk;
	size_t row_room, sample_room, piece_room;
	/* While the table grows: the part that it has reached, an entry for each piece, and the lengths of that
	 * part's rows that were not given yet. */
	int lazy_part;
	sheaf_piece_entry *entries;
	uint32_t *recent;
	size_t entry_room, recent_room;
	int64_t recent_row, recent_count;
	/* Joined: for each row its number in each lane, lane by lane with room for all rows of the first part,
	 * and its length. */
	int64_t *matches;
	uint32_t *lengths;
	double *frequencies; /* of each row the sum of its own frequency and all before; NULL if they were not
	                        requested */
	int64_t match_room, matched; /* rows of the first part, and those with a partner in every other part */
} sheaf_row_source;

/* How datasets become one table. */
typedef enum sheaf_union {
	SHEAF_UNION_FOLLOW, /* one after the other */
	SHEAF_UNION_GROW,   /* the same; what no index has is found as it is needed, piece by piece */
	SHEAF_UNION_JOIN
} sheaf_union;

/* The datasets outlive the source, which must not move. */
SHEAF_USE sheaf_status sheaf_row_source_open(sheaf_row_source *s, sheaf_dataset *const *datasets, int n,
                                             sheaf_union how, sheaf_context *cx, sheaf_error *err);
/* Extends a table that grows to its end. */
SHEAF_USE sheaf_status sheaf_row_source_complete(sheaf_row_source *s, sheaf_error *err);
sheaf_piece_ref sheaf_row_source_piece(const sheaf_row_source *s, int64_t piece);
void sheaf_row_source_close(sheaf_row_source *s);
/* The piece that contains lane `lane` of a row, and the row's index in it. *chunk, 0 at first, is where the
 * last row was, and is updated. */
void sheaf_row_source_locate(const sheaf_row_source *s, int lane, int64_t row, int64_t *chunk, int64_t *piece,
                             int64_t *at);
/* Refills *loaded. END if the piece was to be located, but has to be decoded. Any thread. */
SHEAF_USE sheaf_status sheaf_row_source_read(const sheaf_piece_ref *piece, bool locate,
                                             sheaf_loaded_piece *loaded, sheaf_context *cx, sheaf_error *err);
/* Whether pieces can be located: all have one format, which supports it, and each row is in one piece. */
bool sheaf_row_source_locates(const sheaf_row_source *s);
/* Gathers rows of located pieces. Any thread. */
SHEAF_USE sheaf_status sheaf_row_source_pick(const sheaf_row_source *s, const sheaf_row_at *rows, size_t n,
                                             sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);
void sheaf_loaded_piece_free(sheaf_loaded_piece *loaded);
int64_t sheaf_loaded_piece_bytes(const sheaf_loaded_piece *loaded);
/* Size of a piece in its input, in bytes. */
int64_t sheaf_row_source_piece_size(const sheaf_row_source *s, int64_t piece);
/* Which data a state must agree with: */
typedef enum sheaf_likeness {
	SHEAF_LIKE_INPUTS, /* the streams, and the bytes of the inputs as far as a quick look shows them: their
	                      number, the first and the last ones */
	SHEAF_LIKE_ROWS,   /* the streams, and how many rows, samples and bytes there are */
	SHEAF_LIKE_CHUNKS  /* the same, and how rows are cut into chunks */
} sheaf_likeness;
SHEAF_USE sheaf_status sheaf_row_source_fingerprint(const sheaf_row_source *s, sheaf_likeness like,
                                                    uint32_t *out, sheaf_error *err);

/* ---- chunk_table.c ---- */

/* Adds a chunk to the table, if it has any rows. There must be room for it. */
void sheaf_row_source_add_chunk(sheaf_row_source *s, int64_t piece, int64_t rows, int64_t samples);
SHEAF_USE sheaf_status sheaf_row_source_chunk_room(sheaf_row_source *s, size_t chunks, sheaf_error *err);

/* ---- lazy_table.c ---- */

/* Begins a table that grows, with as much of it as is needed to have a sample. */
SHEAF_USE sheaf_status sheaf_row_source_begin_lazy_table(sheaf_row_source *s, sheaf_error *err);
void sheaf_row_source_end_lazy_table(sheaf_row_source *s);

/* ---- frequency.c ---- */

/* Reads how often each row should be drawn. DATA if no column says so. */
SHEAF_USE sheaf_status sheaf_row_source_weigh(sheaf_row_source *s, sheaf_error *err);

/* ---- join.c ---- */

/* Finds the partners of the first part's rows: fills matches, lengths and their counts. */
SHEAF_USE sheaf_status sheaf_row_source_join(sheaf_row_source *s, sheaf_error *err);

#endif
