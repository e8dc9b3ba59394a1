/* SPDX-License-Identifier: MIT */
/* Matrix Market files from the inside: the words that its rooms share.
 *
 *   format.c    the table entry, options, recognition       header.c   banner, comments, sizes: into a schema
 *   place.c     where the values of an array stand          triangle.c which triangle a structure's entries
 *   review.c    what only the whole input shows                        are in
 *   write.c     entries into lines
 *
 * What lines of entries are is in lined/entries.h; what is read and why in docs/formats/matrixmarket.md. */
#ifndef SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H
#define SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H

#include "io/sorter.h"
#include "lined/entries.h"

/* What the banner says. Its fields are the values of entries. */
typedef enum sheaf_mtx_symmetry { MTX_GENERAL, MTX_SYMMETRIC, MTX_SKEW, MTX_HERMITIAN } sheaf_mtx_symmetry;
extern const char *const sheaf_mtx_fields[], *const sheaf_mtx_symmetries[]; /* end with NULL */

/* Comments stand before the sizes: none ends a line of entries. */
static const sheaf_lined_syntax sheaf_mtx_syntax = {
	.spaces = SHEAF_LINED_SPACES | UINT64_C(1) << '\v' | UINT64_C(1) << '\f', .comment = '%', .stop = '\n'};

typedef struct sheaf_mtx_reader {
	SHEAF_BASE(sheaf_entry_reader, entry_reader); /* bare: an array, column by column */
	sheaf_mtx_symmetry symmetry;
	int64_t rows, columns; /* as the sizes say */
	bool has_comments;
	sheaf_builder comments; /* while the header is read */
	sheaf_sorter *places;   /* (place, line) of every entry while validating */
} sheaf_mtx_reader;

/* ---- header.c ---- */

/* Reads up to the sizes, and makes the schema; the source stands after them. */
SHEAF_USE sheaf_status sheaf_mtx_read_header(sheaf_mtx_reader *in, sheaf_error *err);

/* ---- place.c, triangle.c: rules of entries ---- */

void sheaf_mtx_find_place(sheaf_entry_decoding *d);
void sheaf_mtx_pass_places(sheaf_entry_decoding *d, int64_t n);
/* Holds the entries from row `from` on against the structure, and puts those above the diagonal below it. */
SHEAF_USE sheaf_status sheaf_mtx_check_triangle(sheaf_entry_decoding *d, int64_t from);

/* ---- review.c ---- */

SHEAF_USE sheaf_status sheaf_mtx_rewind(void *in, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_settle(void *in, sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_mtx_writing;

#endif
