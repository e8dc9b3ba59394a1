/* SPDX-License-Identifier: MIT */
/* The inside of svmlight and libsvm files: declarations that its files share.
 *
 *   format.c   the table entry, options, recognition   look.c    the streams, from a look at the whole input
 *   decode.c   a piece into columns                    line.c    one line, and errors in it
 *   write.c    rows into lines
 *
 * What is read and why is in docs/formats/svmlight.md. */
#ifndef SHEAF_FORMAT_SVMLIGHT_SVMLIGHT_H
#define SHEAF_FORMAT_SVMLIGHT_SVMLIGHT_H

#include "format/format.h"
#include "format/lines/lined.h"
#include "frame/frame_builder.h"
#include "number/kernels/kernel.h"

/* What is used in an input. */
typedef struct sheaf_svm_uses {
	int64_t rows;
	int64_t most_index, least_index; /* as written; -1, INT64_MAX: there is none */
	int64_t most_label;              /* of whole labels; -1: there is none */
	bool several;                    /* a row has several labels, or a comment says that they are lists */
	bool queries, costs, comments;
	/* Rows that begin with "number:number", which may be a label and a weight, or a feature. */
	int64_t pairs, most_first, least_first; /* their first numbers, as indices above */
	bool spaced;                            /* one comes after white space, so no label precedes it */
	bool weighted; /* one is no feature: its number is not whole, or not below the next */
	bool triples;  /* the first row has "field:index:value" */
} sheaf_svm_uses;

/* The comment by which this format's writer marks labels as lists, if each row has only one. */
#define SVM_LISTS "# multilabel"

static const sheaf_lined_syntax sheaf_svm_syntax = {
	.spaces = SHEAF_LINED_SPACES, .comment = '#', .stop = '#'};

/* Its schema: label or labels, features, then the query, the weight and the comment if rows have them */
typedef struct sheaf_svm_reader {
	SHEAF_BASE(sheaf_lined, lined);
	int query, weight, comment; /* fields, or -1 */
	bool paired;                /* weights follow labels */
	bool many, wide;            /* several labels; float64 */
	bool guessed;               /* the dim is that of the first part: later indices may be beyond it */
	int base;                   /* of the first feature, as written */
	sheaf_svm_uses uses;
} sheaf_svm_reader;

/* ---- look.c ---- */

/* Finds the streams: from the whole input, or from a quick look at its first part. The source is at its
 * beginning before and after. */
SHEAF_USE sheaf_status sheaf_svm_look(sheaf_svm_reader *in, const sheaf_values *values, bool glance,
                                      sheaf_error *err);

/* ---- decode.c ---- */

/* The buffers of a sparse stream while they fill; of a dense one the values. */
typedef struct sheaf_svm_stream {
	sheaf_builder *lists, *entries, *indices, *values;
	bool sparse, wide; /* indices */
} sheaf_svm_stream;

/* A piece that is being decoded. */
typedef struct sheaf_svm_decoding {
	const sheaf_svm_reader *in;
	sheaf_lined_text text;
	const sheaf_kernel *kernel;
	sheaf_svm_stream labels, features;
	sheaf_frame_builder to;
	sheaf_builder *queries, *weights; /* NULL: there is no such column */
	sheaf_column_builder *comment;    /* NULL: there is no such column */
	bool commented, queried, weighed; /* of the current row */
} sheaf_svm_decoding;

SHEAF_USE sheaf_status sheaf_svm_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);
/* A value of the reader's type. */
void sheaf_svm_put_value(const sheaf_svm_decoding *d, sheaf_svm_stream *s, double value);
void sheaf_svm_put_index(sheaf_svm_stream *s, int64_t index);
/* Lets the kernel read features from there on; false if it reads none. */
bool sheaf_svm_read_many(sheaf_svm_decoding *d);
/* The first index from byte `from` of the features' indices on that does not ascend; -1: all do. */
int64_t sheaf_svm_find_descent(const sheaf_svm_stream *s, size_t from);

/* ---- line.c ---- */

/* Reads the row on the current line; *kept says whether it is kept. Ends at its line feed, or at the end. */
SHEAF_USE sheaf_status sheaf_svm_read_row(sheaf_svm_decoding *d, bool *kept);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_svm_writing;

#endif
