/* SPDX-License-Identifier: MIT */
/* Matrix Market files from the inside: the words that its rooms share.
 *
 *   format.c    the table entry, options, recognition       header.c   banner, comments, sizes: into a schema
 *   cut.c       the entries into pieces of whole lines      decode.c   a piece into coordinates and values
 *   line.c      one line, and what may be wrong with it     triangle.c which triangle the entries of a structure stand in
 *   review.c    what only the whole input shows             write.c    entries into lines
 *
 * What is read and why is in docs/formats/matrixmarket.md. */
#ifndef SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H
#define SHEAF_FORMAT_MATRIXMARKET_MATRIXMARKET_H

#include "base/buffer.h"
#include "base/show.h"
#include "data/frame.h"
#include "io/cutter.h"
#include "io/sorter.h"
#include <sheaf/sys/format.h>

/* What the banner says. */
typedef enum sheaf_mtx_field { MTX_REAL, MTX_INTEGER, MTX_UNSIGNED, MTX_COMPLEX, MTX_PATTERN } sheaf_mtx_field;
typedef enum sheaf_mtx_symmetry { MTX_GENERAL, MTX_SYMMETRIC, MTX_SKEW, MTX_HERMITIAN } sheaf_mtx_symmetry;
extern const char *const sheaf_mtx_fields[], *const sheaf_mtx_symmetries[]; /* end with NULL */

typedef struct sheaf_mtx_reader {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_schema schema; /* i, j, value */
	bool array;          /* values alone, column by column */
	sheaf_mtx_field field;
	sheaf_mtx_symmetry symmetry;
	int64_t rows, columns, entries; /* as the sizes say */
	bool has_comments;
	sheaf_builder comments;         /* while the header is read */
	int64_t begin, first_line;      /* byte and line behind the sizes */
	sheaf_cutter cutter;
	int64_t line;    /* of the next byte to cut, from 1 */
	int64_t entry;   /* of an array: the number of the next one to cut */
	int64_t seen;    /* entries reviewed */
	sheaf_sorter *places; /* (place, line) of every entry while validating */
} sheaf_mtx_reader;

/* ---- header.c ---- */

/* Reads up to the sizes, and makes the schema; the source stands behind them. */
SHEAF_USE sheaf_status sheaf_mtx_read_header(sheaf_mtx_reader *in, sheaf_error *err);

/* ---- cut.c ---- */

SHEAF_USE sheaf_status sheaf_mtx_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_measure(const void *in, const sheaf_piece *piece, sheaf_context *cx, sheaf_buffer *lengths, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_rewind(void *in, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_recall(const void *in, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_resume(void *in, const sheaf_piece *piece, sheaf_error *err);

/* ---- decode.c ---- */

/* A piece being decoded. */
typedef struct sheaf_mtx_decoding {
	const sheaf_mtx_reader *in;
	sheaf_context *cx;
	sheaf_error *err;
	const sheaf_piece *piece;
	const uint8_t *begin, *at, *end, *line_start;
	int64_t line;
	sheaf_builder i, j, values, lines;
	bool wide_i, wide_j;
	int64_t nrows;
	int64_t entry; /* of an array: the number of the next one */
	int64_t row, column; /* and where that stands */
} sheaf_mtx_decoding;

SHEAF_USE sheaf_status sheaf_mtx_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);
/* Adds an entry; coordinates count from 0. */
void sheaf_mtx_put_entry(sheaf_mtx_decoding *d, int64_t i, int64_t j);

/* Of an array: the place behind n more values, which are of one column. */
void sheaf_mtx_pass_places(sheaf_mtx_decoding *d, int64_t n);

/* ---- line.c ---- */

/* Reads the line at d->at, whatever it is, and moves behind its feed. */
SHEAF_USE sheaf_status sheaf_mtx_read_line(sheaf_mtx_decoding *d);
/* Reports a problem at byte `at` of the current line. */
SHEAF_USE sheaf_status sheaf_mtx_report(sheaf_mtx_decoding *d, sheaf_severity severity, const char *rule, const uint8_t *at, const char *expected,
                                        const char *found, const char *consequence);
static inline bool sheaf_mtx_is_space(uint8_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* ---- triangle.c ---- */

/* Holds the entries from row `from` on against the structure, and puts those above the diagonal below it. */
SHEAF_USE sheaf_status sheaf_mtx_check_triangle(sheaf_mtx_decoding *d, int64_t from);

/* ---- review.c ---- */

SHEAF_USE sheaf_status sheaf_mtx_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_settle(void *in, sheaf_error *err);

/* ---- write.c ---- */

bool sheaf_mtx_holds(const sheaf_field *field);
SHEAF_USE sheaf_status sheaf_mtx_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_create(sheaf_sink *sink, const sheaf_schema *schema, const sheaf_facts *totals, const sheaf_values *values, sheaf_context *cx,
                                        void **out, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_encode(const void *out, const sheaf_frame *frame, int64_t row, sheaf_blob *blob, sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_append(void *out, const sheaf_blob *blob, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_mtx_finish(void *out, sheaf_error *err);
void sheaf_mtx_abandon(void *writer);

#endif
