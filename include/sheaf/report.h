/* SPDX-License-Identifier: MIT */
/* Frames for people and other programs: rows as text and as pictures, and a content hash.
 *
 * Most used: sheaf_rows_text, sheaf_hash_new, sheaf_hash_add, sheaf_hash_text, sheaf_hash_free. */
#ifndef SHEAF_REPORT_H
#define SHEAF_REPORT_H

#include <sheaf/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sheaf_style {
	SHEAF_TEXT,       /* one row a line, for reading */
	SHEAF_TEXT_SHORT, /* the same, long samples and sequences cut */
	SHEAF_JSON        /* one JSON object a row: {"key":0,"streams":{"A":[[1,2]],"B":[[[1,0.5]],[]]}} */
} sheaf_style;

/* Prints rows [from, to) of a frame into *out, which is reset first (its memory is reused if nobody else
 * owns it). `row` is the number of the frame's row 0 in the dataset: it is used as the key if the schema has
 * none. Cells of a table are {"row":0,"cells":{"A":7,"C":{"null":5}}}. Entries are one JSON object for the
 * whole tensor, between the heading and the ending: there `row` counts from the first entry that is printed.
 */
SHEAF_API SHEAF_USE sheaf_status sheaf_rows_text(const sheaf_frame *frame, const sheaf_schema *schema,
                                                 sheaf_style style, int64_t row, int64_t from, int64_t to,
                                                 sheaf_buffer *out, sheaf_error *err);

/* The text before all rows, where `name` is the path of the tensor in its file ("/" for the root), and that
 * after them, where `name` is NULL. Both are empty except for entries in JSON. *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_rows_border(const sheaf_schema *schema, sheaf_style style,
                                                   const char *name, sheaf_context *cx, sheaf_buffer *out,
                                                   sheaf_error *err);

/* What drawings made of characters may use. */
typedef struct sheaf_drawing {
	int width;    /* in columns; 0: only requested drawings, 80 wide */
	bool unicode; /* there are block elements and braille; else ASCII */
	int colours;  /* 0, 256 or 1 << 24 */
} sheaf_drawing;

/* Row r of a frame as a picture: samples of a stream side by side, a single one laid out in lines, a square
 * one as a square; dense values in shades of their magnitude, sparse ones as dots; everything else as text.
 * `drawing` NULL: 80 columns of ASCII. *out is reset first. */
SHEAF_API SHEAF_USE sheaf_status sheaf_row_drawing(const sheaf_frame *frame, const sheaf_schema *schema,
                                                   int64_t r, const sheaf_drawing *drawing, sheaf_buffer *out,
                                                   sheaf_error *err);

/* A content hash of all frames given to it: 128 bits over stream names, attributes, sequence lengths, indices
 * and values. The same whatever the format, the storage, the element type, the order of streams and the
 * cutting into frames; of a tensor only if its entries are given as SHEAF_ENTRIES_CONTENT has them. One
 * thread at a time may use a hash. */
typedef struct sheaf_hash sheaf_hash;
/* Of rows of this schema, which is copied. `keys`: the keys of rows count, too, or their numbers where rows
 * have no keys. `types`: so do element types, storage and dims. Free with sheaf_hash_free. */
SHEAF_API SHEAF_USE sheaf_status sheaf_hash_new(const sheaf_schema *schema, bool keys, bool types,
                                                sheaf_context *cx, sheaf_hash **out, sheaf_error *err);
/* `row`: the number of the frame's first row among all rows; frames whose numbers are given may come in any
 * order. -1: it follows the frame before, and the first begins at 0. */
SHEAF_API SHEAF_USE sheaf_status sheaf_hash_add(sheaf_hash *hash, const sheaf_frame *frame, int64_t row,
                                                sheaf_error *err);
/* A hash as bytes, and a function that adds such bytes: the hashes of parts of the rows add up to that of all
 * rows. *out is reset first. DATA if the bytes are not a hash of these columns. */
SHEAF_API SHEAF_USE sheaf_status sheaf_hash_save(const sheaf_hash *hash, sheaf_buffer *out, sheaf_error *err);
SHEAF_API SHEAF_USE sheaf_status sheaf_hash_merge(sheaf_hash *hash, const void *data, size_t size,
                                                  sheaf_error *err);
/* 32 lower-case hexadecimal digits and a NUL. */
SHEAF_API void sheaf_hash_text(const sheaf_hash *hash, char text[33]);
SHEAF_API void sheaf_hash_free(sheaf_hash *hash);

#ifdef __cplusplus
}
#endif
#endif
