/* SPDX-License-Identifier: MIT */
/* The inside of JSON lines: declarations that its files share.
 *
 *   format.c   the table entry, the line that says the columns, writing
 *   infer.c    columns that no line says
 *   decode.c   a piece into columns
 *
 * What is read and why is in docs/formats/jsonl.md. */
#ifndef SHEAF_FORMAT_JSONL_JSONL_H
#define SHEAF_FORMAT_JSONL_JSONL_H

#include "format/lines/lined.h"
#include "frame/schema/names.h"
#include "frame/schema/read_json.h"

typedef struct sheaf_jsonl_reader {
	SHEAF_BASE(sheaf_lined, lined);
	bool guessed;      /* the columns are those of the first part */
	bool chosen;       /* the user has declared columns: rows may have others */
	sheaf_names names; /* of the columns */
	int key;           /* the column of keys, or -1 */
	int required;      /* columns that each row must have */
} sheaf_jsonl_reader;

/* The members of a row that are columns; NULL if it is no row of this kind. */
const sheaf_json *sheaf_jsonl_columns(const sheaf_json *row, sheaf_row_kind kind);
/* Whether a row may be without such a column. */
bool sheaf_jsonl_may_lack(const sheaf_field *field);
/* What values of a column look like, put together; and sheaf_see_time's. */
enum {
	SEEN_NONE = 1,
	SEEN_BOOLS = 2,
	SEEN_TEXTS = 4,
	SEEN_BYTES = 8,
	SEEN_INTEGERS = 16,
	SEEN_INEXACT = 32, /* integers that no double holds */
	SEEN_LARGE = 64,   /* that only unsigned 64 bits hold */
	SEEN_REALS = 128,
	SEEN_SPECIAL = 256, /* words for what is not finite */
	SEEN_PAIRS = 512    /* of two numbers */
};
unsigned sheaf_jsonl_see_text(const char *text, size_t size);
/* What is inferred of a column from that, and the digits of its times. */
sheaf_meaning sheaf_jsonl_meaning(unsigned kinds, int *digits);
/* Infers the schema from the rows. */
SHEAF_USE sheaf_status sheaf_jsonl_infer(sheaf_jsonl_reader *in, bool glance, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_jsonl_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                          sheaf_context *cx, sheaf_error *err);

#endif
