/* SPDX-License-Identifier: MIT */
/* The columns of a table whose rows are samples, values or lists of sequences: streams, and what is beside
 * them. */
#ifndef SHEAF_VIEW_SEQUENCES_H
#define SHEAF_VIEW_SEQUENCES_H

#include "frame/frame_builder.h"
#include "frame/schema/names.h"
#include <sheaf/dataset.h>

typedef enum sheaf_part_kind {
	SHEAF_PART_DENSE,    /* a stream: a column for each value of a sample */
	SHEAF_PART_SPARSE,   /* a stream: texts like "3:1 7:0.5" */
	SHEAF_PART_OF_ROW,   /* beside streams: an item of the sequence, */
	SHEAF_PART_OF_SAMPLE /* or of each sample */
} sheaf_part_kind;

/* A part of the sequences, and the columns that hold it. */
typedef struct sheaf_sequence_part {
	char *name;
	sheaf_part_kind kind;
	int first_column; /* of the table; -1: values in rows of their own */
	int64_t nvalues;  /* DENSE: values of a sample; 0: not known yet */
	int64_t dim;      /* SPARSE: indices are below it */
	bool is_text;     /* of columns beside streams */
	bool is_wide;     /* numbers are float64 */
	bool may_miss;    /* some item is missing */
	/* Used while the table is examined: */
	unsigned kinds_seen;     /* the kinds of cells so far, a bit for each */
	int64_t row, sample;     /* the sequence and the sample of the last row that had the part, */
	int64_t sample_values;   /* and the values in that sample so far */
	sheaf_builder last_item; /* beside streams, which shows whether it changes within a sequence */
} sheaf_sequence_part;

/* A table of sequences while it is examined, and afterwards what its columns are. */
typedef struct sheaf_sequence_table {
	sheaf_context *cx;
	const char *file;
	sheaf_samples_as as;
	bool has_keys;                         /* otherwise sequences have their numbers */
	int key, sample, stream, index, value; /* columns; -1: none */
	sheaf_sequence_part *parts;
	int nparts, room;
	sheaf_names streams; /* those whose values are in rows of their own: the last parts */
	int last_stream;     /* of these, the one found last */
	/* Used while the table is examined: */
	int64_t rows_seen;   /* so far */
	int64_t row;         /* the number of the current sequence, */
	bool has_row;        /* if there is one, */
	uint64_t last_key;   /* its key, */
	int64_t last_sample; /* and the number of its last sample; -1: the last row had none */
} sheaf_sequence_table;

/* Begins with the columns of the header. USAGE, naming the missing one, if they are not those of `as`. */
SHEAF_USE sheaf_status sheaf_sequence_table_begin(sheaf_sequence_table *t, const sheaf_schema *schema,
                                                  sheaf_error *err);
/* Examines rows, in order; `user` is the table. */
SHEAF_USE sheaf_status sheaf_sequence_table_see(void *user, const sheaf_frame *rows, sheaf_error *err);
/* Decides what the parts are, after all rows were examined. */
SHEAF_USE sheaf_status sheaf_sequence_table_end(sheaf_sequence_table *t, sheaf_schema *out, sheaf_error *err);
void sheaf_sequence_table_free(sheaf_sequence_table *t);

/* The part for this stream's values in rows of their own; -1: none. *last: the last stream found, which is
 * tried first. */
int sheaf_sequence_part_find(const sheaf_sequence_table *t, const uint8_t *name, size_t size, int *last);
/* Whether row r of some rows begins a sequence; the first one does. */
bool sheaf_sequence_begins(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r);
uint64_t sheaf_sequence_key(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r);
/* The number of a row's sample; -1: it has none. */
int64_t sheaf_sequence_sample(const sheaf_sequence_table *t, const sheaf_frame *rows, int64_t r);
/* Whether a row has a sample; where samples have no column, each does. */
static inline bool sheaf_sequence_has_sample(const sheaf_sequence_table *t, const sheaf_frame *rows,
                                             int64_t r)
{
	return t->sample < 0 || sheaf_sequence_sample(t, rows, r) >= 0;
}
/* A whole number that samples, or values of one, can have: 0 or more. */
bool sheaf_sequence_is_place(double number);
/* The number in a row, or the text; false if there is none. */
bool sheaf_sequence_number(const sheaf_column *column, int64_t r, double *out);
bool sheaf_sequence_text(const sheaf_column *column, int64_t r, const uint8_t **text, size_t *size);
/* The number in a row as a text if it is an integer that no float64 holds exactly; else NULL. */
enum { SHEAF_SEQUENCE_INTEGER = 24 };
const char *sheaf_sequence_inexact(const sheaf_column *column, int64_t r, char text[SHEAF_SEQUENCE_INTEGER]);
/* The next "3:0.5" of such a text; false at the end, where *at is `end`, or if there is something else. */
bool sheaf_sequence_entry(const char **at, const char *end, int64_t *index, double *value);

#endif
