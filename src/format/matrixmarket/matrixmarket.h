/* SPDX-License-Identifier: MIT */
/* Matrix Market files from the inside: the words that its rooms share.
 *
 *   format.c    the table entry, options, recognition       header.c   banner, comments, sizes: into a schema
 *   decode.c    a piece into coordinates and values         line.c     one line, and what may be wrong with
 * it triangle.c  which triangle a structure's entries are in review.c   what only the whole input shows
 *   write.c     entries into lines
 *
 * What is read and why is in docs/formats/matrixmarket.md. */
#ifndef SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H
#define SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H

#include "data/frame_builder.h"
#include "format/format.h"
#include "io/sorter.h"
#include "lined/lined.h"

/* What the banner says. */
typedef enum sheaf_mtx_field {
	MTX_REAL,
	MTX_INTEGER,
	MTX_UNSIGNED,
	MTX_COMPLEX,
	MTX_PATTERN
} sheaf_mtx_field;
typedef enum sheaf_mtx_symmetry { MTX_GENERAL, MTX_SYMMETRIC, MTX_SKEW, MTX_HERMITIAN } sheaf_mtx_symmetry;
extern const char *const sheaf_mtx_fields[], *const sheaf_mtx_symmetries[]; /* end with NULL */

/* Comments stand before the sizes: none ends a line of entries. */
static const sheaf_lined_syntax sheaf_mtx_syntax = {
	.spaces = SHEAF_LINED_SPACES | UINT64_C(1) << '\v' | UINT64_C(1) << '\f', .comment = '%', .stop = '\n'};

/* Its schema: i, j, value */
typedef struct sheaf_mtx_reader {
	SHEAF_BASE(sheaf_lined, lined); /* after the sizes, once they are read; the lines of an array, which do
	                      not say where their values stand, are numbered */
	bool array;                     /* values alone, column by column */
	sheaf_mtx_field field;
	sheaf_mtx_symmetry symmetry;
	int64_t rows, columns, entries; /* as the sizes say */
	bool has_comments;
	sheaf_builder comments; /* while the header is read */
	int64_t seen;           /* entries reviewed */
	sheaf_sorter *places;   /* (place, line) of every entry while validating */
} sheaf_mtx_reader;

/* ---- header.c ---- */

/* Reads up to the sizes, and makes the schema; the source stands after them. */
SHEAF_USE sheaf_status sheaf_mtx_read_header(sheaf_mtx_reader *in, sheaf_error *err);

/* ---- decode.c ---- */

/* A piece being decoded. */
typedef struct sheaf_mtx_decoding {
	const sheaf_mtx_reader *in;
	sheaf_lined_text text;
	sheaf_frame_builder to;
	sheaf_builder *i, *j, *values, *lines; /* the frame's */
	bool wide_i, wide_j;
	int64_t entry;       /* of an array: the number of the next one */
	int64_t row, column; /* and where that stands */
} sheaf_mtx_decoding;

SHEAF_USE sheaf_status sheaf_mtx_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);
/* Adds an entry; coordinates count from 0. */
void sheaf_mtx_put_entry(sheaf_mtx_decoding *d, int64_t i, int64_t j);

/* Of an array: the place after n more values, which are of one column. */
void sheaf_mtx_pass_places(sheaf_mtx_decoding *d, int64_t n);

/* ---- line.c ---- */

/* Reads the line at hand, whatever it is, and moves after its feed. */
SHEAF_USE sheaf_status sheaf_mtx_read_line(sheaf_mtx_decoding *d);

/* ---- triangle.c ---- */

/* Holds the entries from row `from` on against the structure, and puts those above the diagonal below it. */
SHEAF_USE sheaf_status sheaf_mtx_check_triangle(sheaf_mtx_decoding *d, int64_t from);

/* ---- review.c ---- */

SHEAF_USE sheaf_status sheaf_mtx_rewind(void *in, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_settle(void *in, sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_mtx_writing;

#endif
