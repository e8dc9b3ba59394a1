/* SPDX-License-Identifier: MIT */
/* The index of a dataset: found and compared when the dataset is opened, gathered while all of it is read. */
#ifndef SHEAF_DATASET_INDEX_INDEX_H
#define SHEAF_DATASET_INDEX_INDEX_H

#include "base/extend.h"
#include "base/threads/thread.h"
#include "dataset/index/index_file.h"
#include "dataset/input/measure.h"
#include <sheaf/index.h>

enum { SHEAF_INDEX_PLACES = 2 /* beside the input, and in the user's cache folder */ };

/* Whether reading also gathers an index. */
typedef enum sheaf_gathering_state {
	SHEAF_GATHERING_NOT_YET,
	SHEAF_GATHERING,
	SHEAF_GATHERING_NOT
} sheaf_gathering_state;

/* An index being written. */
typedef struct sheaf_keeping {
	struct sheaf_indexed *d;
	sheaf_index_head head;
	const sheaf_pieces *pieces;
	int place;
	sheaf_status status;
	sheaf_error error;
	sheaf_thread thread;
	bool runs;
} sheaf_keeping;

typedef struct sheaf_index {
	sheaf_index_policy policy;
	bool applies; /* the input can have an index; otherwise this says why not: */
	sheaf_status obstacle;
	sheaf_identity input; /* its hash is computed when it is needed: */
	bool hashed;
	char *places[SHEAF_INDEX_PLACES]; /* where the index may be; NULL: nowhere */
	int place;                        /* where it was found, or the first possible place */
	sheaf_buffer settings;            /* a text */
	bool asked;                       /* for one to be written */
	bool found;                       /* there is one */
	bool fresh;
	bool foreign;    /* it was made from this input, but with other settings */
	sheaf_error why; /* it is not fresh */
	sheaf_index_file file;
	sheaf_pieces *pieces; /* of the file */
	sheaf_gathering_state gathering;
	sheaf_gathering gathered;
	sheaf_measurer measurer; /* of what is gathered */
	sheaf_keeping keeping;
	sheaf_pieces *kept; /* those it writes */
} sheaf_index;

/* An input with its index and its table of pieces. */
typedef struct sheaf_indexed {
	SHEAF_BASE(sheaf_input, input);
	struct sheaf_index *index;
	int64_t table_bytes;        /* of the pieces of the table; 0: the default */
	const sheaf_pieces *pieces; /* the table, of the index or of a survey; NULL until it is requested */
	sheaf_pieces *surveyed;
	struct sheaf_surveying *surveying; /* NULL: no survey is in progress */
	bool surveyed_past;                /* a survey has cut pieces and not returned to the beginning */
	sheaf_piece piece;                 /* of the survey */
} sheaf_indexed;

/* Before the format opens the input: looks for an index. It fails only if memory runs out, or if --index
 * require does. */
SHEAF_USE sheaf_status sheaf_index_find(sheaf_indexed *d, sheaf_index_policy policy, sheaf_error *err);
/* Lets the format open the input, and compares the index with it. STALE if a speculative reader has other
 * columns than the index. */
SHEAF_USE sheaf_status sheaf_index_open_input(sheaf_indexed *d, const sheaf_opening *how, sheaf_error *err);
/* The table in the index if its pieces have `piece_bytes` (below 0: any size), or NULL. */
void sheaf_index_table(sheaf_indexed *d, int64_t piece_bytes, const sheaf_pieces **out);
/* The rows are not those of the format, so no index describes them. After sheaf_index_pass_over. */
void sheaf_index_disown(sheaf_indexed *d);
void sheaf_index_free(sheaf_indexed *d);

/* STALE if a piece of the index's table does not have the bytes, or the lengths of rows, that it states; the
 * lengths are those of `frame`, or are measured if that is NULL. Any thread. */
SHEAF_USE sheaf_status sheaf_index_hold_bytes(const sheaf_indexed *d, const sheaf_piece_entry *entry,
                                              const sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_index_hold_rows(const sheaf_indexed *d, const sheaf_piece_entry *entry,
                                             const sheaf_piece *piece, const sheaf_frame *frame,
                                             sheaf_error *err);
/* Recalls a piece by its entry, from a reader of a format. STALE if it comes from an index, and can be no
 * piece. Any thread. */
SHEAF_USE sheaf_status sheaf_index_recall(const sheaf_indexed *d, const sheaf_format *format,
                                          const sheaf_reader *in, const sheaf_piece_entry *entry,
                                          sheaf_piece *piece, sheaf_error *err);
/* Closes the index and goes on as if there were none. */
void sheaf_index_drop(sheaf_indexed *d, const sheaf_error *why);

/* Opens the index that has just been written. */
SHEAF_USE sheaf_status sheaf_index_look(sheaf_indexed *d, sheaf_error *err);
/* Completes `input`. UNSUPPORTED if the input cannot have an index, DATA if it was changed since it was
 * opened. */
SHEAF_USE sheaf_status sheaf_index_identify(sheaf_indexed *d, sheaf_error *err);
/* The settings as one text, and what decides whether two readers find the same rows. */
const char *sheaf_index_settings(const sheaf_index *x);
const char *sheaf_index_counting(const sheaf_indexed *d);
/* Whether an index with this head describes the rows that the dataset has. */
bool sheaf_index_is_of(const sheaf_indexed *d, const sheaf_index_head *head);
bool sheaf_index_same_schema(const sheaf_schema *a, const sheaf_schema *b, sheaf_context *cx);
/* Whether the index says that all of the input has the schema that a speculative reader has found. */
bool sheaf_index_confirms(const sheaf_indexed *d);

/* ---- index_keep.c ---- */

/* Adds each piece, in order, as it is read. */
void sheaf_index_gather(sheaf_indexed *d, const sheaf_piece *piece, const sheaf_frame *frame);
/* Writes an index of these pieces, in the first possible place. */
SHEAF_USE sheaf_status sheaf_index_write_table(sheaf_indexed *d, const sheaf_pieces *pieces,
                                               sheaf_error *err);
/* Stops gathering an index, since not all of the input will be read. */
void sheaf_index_pass_over(sheaf_indexed *d);
/* Writes the index that was gathered, if that is worthwhile, after all of the input has been read. A
 * failure is a warning only if the index was requested. */
SHEAF_USE sheaf_status sheaf_index_finish(sheaf_indexed *d, sheaf_error *err);

/* Writes the table of a survey as an index, by the same rules as sheaf_index_finish. */
SHEAF_USE sheaf_status sheaf_index_keep_table(sheaf_indexed *d, sheaf_error *err);

/* Waits until the index is written; nothing is gathered any more. Call it before the index is freed. */
void sheaf_index_wait(sheaf_indexed *d);

/* ---- index_place.c ---- */

/* Fills in the places for the index of a file; none if the path leads nowhere. They are texts of the
 * context. */
SHEAF_USE sheaf_status sheaf_index_find_places(const char *path, sheaf_context *cx,
                                               char *places[SHEAF_INDEX_PLACES], sheaf_error *err);
/* Whether an index can be read there without waiting. */
bool sheaf_index_is_file(const char *path);
/* Whether nothing is there. */
bool sheaf_index_is_free(const char *path);
/* Creates the folders of the user's cache that a place needs. */
void sheaf_index_make_folder(const char *place);

/* ---- survey.c ---- */

/* Approximate size of the table's pieces; 0: chunks as they are. */
int64_t sheaf_table_bytes(const sheaf_indexed *d);
/* Makes the table in one pass, after which the dataset is at its beginning. */
SHEAF_USE sheaf_status sheaf_survey(sheaf_indexed *d, sheaf_error *err);
/* Begins to make the table step by step, for callers that need the first pieces before the last one is
 * known: the table is there if an index has it; otherwise each call of sheaf_survey_next finds one more
 * piece, with its entry and the lengths of its rows (borrowed until the next call), or END, after which the
 * table is there. Other threads may decode pieces meanwhile. */
SHEAF_USE sheaf_status sheaf_survey_begin(sheaf_indexed *d, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_survey_next(sheaf_indexed *d, sheaf_piece_entry *entry, const uint32_t **lengths,
                                         sheaf_error *err);
/* Abandons an unfinished one; the dataset is at its beginning again. No other thread may be using it. */
void sheaf_survey_end(sheaf_indexed *d);
/* Runs a survey that was begun to its end, and goes back to the beginning. */
SHEAF_USE sheaf_status sheaf_survey_finish(sheaf_indexed *d, sheaf_error *err);

#endif
