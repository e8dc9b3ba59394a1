/* SPDX-License-Identifier: MIT */
/* The inside of Matrix Market files: declarations that its files share.
 *
 *   format.c    the table entry, options, recognition       header.c   comments, sizes: into a schema
 *   banner.c    the first line, and GraphBLAS's types       place.c    where the values of an array stand
 *   line.c      a line of the header, and what may be wrong with it
 *   triangle.c  which triangle entries are in               review.c   what only the whole input shows
 *   write.c     entries into lines
 *
 * What lines of entries are is in format/lines/entries.h; what is read and why in
 * docs/formats/matrixmarket.md. */
#ifndef SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H
#define SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H

#include "base/context.h"
#include "format/lines/entries.h"
#include "sparse/sort/sorter.h"

/* The contents of the banner. Its fields are the values of entries. */
typedef enum sheaf_mtx_symmetry { MTX_GENERAL, MTX_SYMMETRIC, MTX_SKEW, MTX_HERMITIAN } sheaf_mtx_symmetry;
extern const char *const sheaf_mtx_fields[], *const sheaf_mtx_symmetries[]; /* end with NULL */

/* Comments are before the sizes: none ends a line of entries. */
static const sheaf_lined_syntax sheaf_mtx_syntax = {
	.spaces = SHEAF_LINED_SPACES | UINT64_C(1) << '\v' | UINT64_C(1) << '\f', .comment = '%', .stop = '\n'};

typedef struct sheaf_mtx_reader {
	SHEAF_BASE(sheaf_entry_reader, entry_reader); /* bare: an array, column by column */
	sheaf_mtx_symmetry symmetry;
	int64_t rows, columns; /* from the sizes; for a vector, 1 column */
	sheaf_type type;       /* of its values, and whether they are truth values */
	bool is_bool;
	bool has_comments;
	sheaf_builder comments; /* while the header is read */
	sheaf_sorter *places;   /* (place, line) of every entry while validating */
} sheaf_mtx_reader;

/* A line of the header. */
typedef struct sheaf_mtx_line {
	const uint8_t *begin, *at, *end; /* end: its feed, or the input's end */
	bool is_last;                    /* the input ends with it */
} sheaf_mtx_line;

static inline void sheaf_mtx_pass_spaces(sheaf_mtx_line *l)
{
	l->at = sheaf_lined_pass_spaces(&sheaf_mtx_syntax, l->at, l->end);
}

/* ---- line.c ---- */

/* Fails, quoting what is at byte `at` of the current line. */
SHEAF_USE sheaf_status sheaf_mtx_refuse(const sheaf_mtx_reader *in, const sheaf_mtx_line *l,
                                        const uint8_t *at, sheaf_finding finding, sheaf_error *err);
/* Reports what is always read although the format's document forbids it; `lenient` decides how severe it
 * is. */
SHEAF_USE sheaf_status sheaf_mtx_tolerate(const sheaf_mtx_reader *in, const sheaf_mtx_line *l,
                                          const uint8_t *at, sheaf_finding finding, sheaf_error *err);
/* Fails, or only reports if the user asked for that. */
SHEAF_USE sheaf_status sheaf_mtx_allow(const sheaf_mtx_reader *in, const sheaf_mtx_line *l, const uint8_t *at,
                                       sheaf_finding finding, sheaf_error *err);
/* The same for anything after the last word; nothing is fine. */
SHEAF_USE sheaf_status sheaf_mtx_end_line(const sheaf_mtx_reader *in, sheaf_mtx_line *l, const char *rule,
                                          const char *expected, sheaf_error *err);
/* The text there, quoted for messages; returns text, or a word for nothing. */
const char *sheaf_mtx_found(const sheaf_mtx_line *l, const uint8_t *at, char text[SHEAF_SHOWN_SIZE]);

/* Reads up to the sizes, and makes the schema; the source is then after them. */
SHEAF_USE sheaf_status sheaf_mtx_read_header(sheaf_mtx_reader *in, sheaf_error *err);

/* ---- header.c ---- */

/* ---- banner.c ---- */

/* What all entries are; the line is the first one. */
SHEAF_USE sheaf_status sheaf_mtx_read_banner(sheaf_mtx_reader *in, sheaf_mtx_line *l, sheaf_error *err);
/* If a comment is "%%GraphBLAS type ...", values have that type. */
void sheaf_mtx_read_type(sheaf_mtx_reader *in, const sheaf_mtx_line *line);

/* ---- place.c, triangle.c: rules of entries ---- */

void sheaf_mtx_find_place(sheaf_entry_decoding *d);
void sheaf_mtx_pass_places(sheaf_entry_decoding *d, int64_t n);
/* Checks the entries from row `from` on against the structure, and moves those above the diagonal below
 * it. */
SHEAF_USE sheaf_status sheaf_mtx_check_triangle(sheaf_entry_decoding *d, int64_t from);

/* ---- review.c ---- */

SHEAF_USE sheaf_status sheaf_mtx_rewind(void *in, const sheaf_piece *to, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_carry(void *in, const struct sheaf_carried *counts, sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_mtx_writing;

#endif
