/* SPDX-License-Identifier: MIT */
/* Lines of entries: coordinates that count from 1, and a value. What Matrix Market and FROSTT share, of which
 * each has its own header and its own rules.
 *
 *   entries_decode.c   a piece into columns: kernels read what lines are plain
 *   entries_line.c     all other lines, one at a time, and what may be wrong with them
 *   entries_review.c   what only the whole input shows
 *   entries_write.c    entries into lines */
#ifndef SHEAF_FORMAT_LINES_ENTRIES_H
#define SHEAF_FORMAT_LINES_ENTRIES_H

#include "format/lines/lined.h"
#include "frame/frame_builder.h"

/* What follows the coordinates. */
typedef enum sheaf_entry_value {
	SHEAF_ENTRY_REAL,     /* float64 */
	SHEAF_ENTRY_INTEGER,  /* int64 */
	SHEAF_ENTRY_UNSIGNED, /* uint64 */
	SHEAF_ENTRY_COMPLEX,  /* two float64 */
	SHEAF_ENTRY_PATTERN   /* nothing: each entry is true */
} sheaf_entry_value;

/* ---- reading ---- */

/* Deviations of some writers from the format's document. Each is read if the format or the user says so, and
 * reported once, with the first line that has it. */
typedef enum sheaf_entry_habit {
	SHEAF_ENTRY_MORE_TEXT,     /* text after an entry, which is left out */
	SHEAF_ENTRY_DECIMAL_PLACE, /* coordinates that are whole, but spelled 1.0 */
	SHEAF_ENTRY_DECIMAL_VALUE, /* the same for integers */
	SHEAF_ENTRY_SIGNED_PLACE,  /* coordinates with the sign + */
	SHEAF_ENTRY_HABITS
} sheaf_entry_habit;

typedef struct sheaf_entry_count {
	int64_t lines, first, last; /* the number of lines that have it, the first one and the last one */
} sheaf_entry_count;

struct sheaf_entry_decoding;

/* The rules of a format. */
typedef struct sheaf_entry_rules {
	const char *const *names; /* of the coordinates, in messages; NULL: they have numbers */
	const char *announced;    /* what says how many entries there are: "as the sizes say" */
	/* Comments are skipped; NULL: silently. */
	sheaf_status (*report_comment)(const struct sheaf_entry_decoding *d);
	/* Checks the entries from row `from` on against other facts of the header. NULL: it has none. */
	sheaf_status (*check)(struct sheaf_entry_decoding *d, int64_t from);
	/* For lines with values alone, whose order implies their places: the place of number d->entry, and of the
	 * one that comes n later, both in one column. NULL: there are no such lines. */
	void (*find_place)(struct sheaf_entry_decoding *d);
	void (*pass_places)(struct sheaf_entry_decoding *d, int64_t n);
} sheaf_entry_rules;

/* The head of the readers of such a format. Its schema: the coordinates, then the value. */
typedef struct sheaf_entry_reader {
	SHEAF_BASE(sheaf_lined, lined);
	const sheaf_entry_rules *rules;
	int rank;
	sheaf_entry_value value;
	bool bare;              /* lines have values alone, which are numbered */
	bool inferred, guessed; /* the shape follows from the entries; from those in the first part */
	unsigned habits;        /* those that are read: 1 << SHEAF_ENTRY_... */
	bool lenient;           /* at the user's request: so they are no breach */
	int64_t entries;        /* as the header says; -1: it does not */
	int64_t seen;           /* entries reviewed */
	sheaf_entry_count met[SHEAF_ENTRY_HABITS];
} sheaf_entry_reader;

/* A piece that is being decoded. */
typedef struct sheaf_entry_decoding {
	const sheaf_entry_reader *in;
	sheaf_lined_text text;
	sheaf_frame_builder to;
	sheaf_builder *values, *lines; /* of the frame */
	bool wide[SHEAF_MAX_RANK];     /* coordinates: int64 */
	bool beyond;   /* the line has a coordinate beyond an inferred shape: it had an error when the shape was
	                  inferred */
	int64_t entry; /* for values alone: the number of the next one */
	int64_t place[SHEAF_MAX_RANK]; /* and its place */
	sheaf_entry_count met[SHEAF_ENTRY_HABITS];
} sheaf_entry_decoding;

/* Members of the format's table. */
SHEAF_USE sheaf_status sheaf_entry_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                                          sheaf_context *cx, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_entry_review(void *reader, const sheaf_frame *frame, int64_t row,
                                          sheaf_error *err);
SHEAF_USE sheaf_status sheaf_entry_rewind(void *reader, const sheaf_piece *to, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_entry_carry(void *reader, const struct sheaf_carried *counts, sheaf_error *err);

/* Reads the current line, whatever it is, and moves past its line feed. */
SHEAF_USE sheaf_status sheaf_entry_read_line(sheaf_entry_decoding *d);

/* ---- writing ---- */

/* How a value is changed into the opposite entry of a structure. */
typedef enum sheaf_entry_sign {
	SHEAF_ENTRY_AS_IS,
	SHEAF_ENTRY_OPPOSITE,
	SHEAF_ENTRY_CONJUGATE
} sheaf_entry_sign;

/* How entries become lines. */
typedef struct sheaf_entry_style {
	int rank;                    /* coordinates; the value is in the column after them */
	int ncoordinates;            /* in a line; 0: values alone */
	int columns[SHEAF_MAX_RANK]; /* which coordinates, in their order on the line */
	bool one_column;             /* a vector as a matrix: 1 is its second coordinate */
	sheaf_entry_value value;
	sheaf_entry_sign sign;
} sheaf_entry_style;

/* A member of the format's table, except for the style. */
SHEAF_USE sheaf_status sheaf_entry_encode(const sheaf_entry_style *style, const sheaf_frame *frame,
                                          sheaf_builder *b, sheaf_error *err);
/* Writes what comes before the entries. */
SHEAF_USE sheaf_status sheaf_entry_write_header(const sheaf_output *out, const sheaf_builder *header,
                                                sheaf_error *err);

#endif
