/* SPDX-License-Identifier: MIT */
/* The index of a dataset: found and compared when it is opened, gathered while all of it is read. */
#ifndef SHEAF_INDEX_INDEX_H
#define SHEAF_INDEX_INDEX_H

#include "base/extend.h"
#include "base/thread.h"
#include "index/index_file.h"
#include "input/measure.h"
#include <sheaf/index.h>

enum { SHEAF_INDEX_PLACES = 2 /* beside the input, and in the user's cache folder */ };

/* Whether what is read is gathered for an index. */
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
	bool applies; /* the input is one that can have an index; else this says why not: */
	sheaf_status obstacle;
	sheaf_identity input; /* its hash is made when it is needed: */
	bool hashed;
	char *places[SHEAF_INDEX_PLACES]; /* where it may be; NULL: nowhere */
	int place;                        /* where it was found, or the first that may be */
	sheaf_buffer settings;            /* a text */
	bool asked;                       /* for one to be written */
	bool found;                       /* there is one */
	bool fresh;
	bool foreign;  /* the input is the one that it was made of, but the settings are others */
	char why[400]; /* it is not fresh */
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
	int64_t table_bytes;        /* of the pieces of the table; 0: as usual */
	const sheaf_pieces *pieces; /* the table, of the index or of a survey; NULL until somebody asks for it */
	sheaf_pieces *surveyed;
	struct sheaf_surveying *surveying; /* NULL: no survey is under way */
	bool surveyed_past;                /* a survey has cut pieces and not gone back */
	sheaf_piece piece;                 /* of the survey */
} sheaf_indexed;

/* Before the format opens the input: looks for an index. Only failures of memory, and of --index require, are
 * failures. */
SHEAF_USE sheaf_status sheaf_index_find(sheaf_indexed *d, sheaf_index_policy policy, sheaf_error *err);
/* Has the format open the input, with what the index knows. */
SHEAF_USE sheaf_status sheaf_index_open_input(sheaf_indexed *d, const sheaf_opening *how, sheaf_error *err);
/* The table in the index where its pieces are of `piece_bytes` (below 0: of any size), or NULL. */
void sheaf_index_table(sheaf_indexed *d, int64_t piece_bytes, const sheaf_pieces **out);
/* The rows are others than those of the format, so that no index is of them. After sheaf_index_pass_over. */
void sheaf_index_disown(sheaf_indexed *d);
void sheaf_index_free(sheaf_indexed *d);

/* STALE where a piece of the index's table is not as that says: its bytes, and the lengths of its rows, which
 * are those of `frame`, or measured where that is NULL. Any thread. */
SHEAF_USE sheaf_status sheaf_index_hold_bytes(const sheaf_indexed *d, const sheaf_piece_entry *entry,
                                              const sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_index_hold_rows(const sheaf_indexed *d, const sheaf_piece_entry *entry,
                                             const sheaf_piece *piece, const sheaf_frame *frame,
                                             sheaf_error *err);
/* STALE: the piece is not what the index says. */
sheaf_status sheaf_index_refute(const sheaf_indexed *d, const sheaf_piece_entry *entry, const char *expected,
                                sheaf_error *err);
/* Whether the table in use is the index's. */
bool sheaf_index_is_in_use(const sheaf_indexed *d);
/* Everything is from now on as without one. */
void sheaf_index_drop(sheaf_indexed *d, const char *why);

/* Opens the index that has just been written. */
SHEAF_USE sheaf_status sheaf_index_look(sheaf_indexed *d, sheaf_error *err);
/* Makes `input` complete. UNSUPPORTED where the input can have no index, DATA where it was changed since it
 * was opened. */
SHEAF_USE sheaf_status sheaf_index_identify(sheaf_indexed *d, sheaf_error *err);
/* The settings as one text, and what says whether two readers find the same rows. */
const char *sheaf_index_settings(const sheaf_index *x);
const char *sheaf_index_counting(const sheaf_indexed *d);
/* Whether an index with this head has the rows that the dataset has. */
bool sheaf_index_is_of(const sheaf_indexed *d, const sheaf_index_head *head);
bool sheaf_index_same_schema(const sheaf_schema *a, const sheaf_schema *b, sheaf_context *cx);

/* ---- index_keep.c ---- */

/* Each piece in order, as it is read. */
void sheaf_index_gather(sheaf_indexed *d, const sheaf_piece *piece, const sheaf_frame *frame);
/* Writes an index of these pieces, wherever it may be. */
SHEAF_USE sheaf_status sheaf_index_write_table(sheaf_indexed *d, const sheaf_pieces *pieces,
                                               sheaf_error *err);
/* Not all of it will be read. */
void sheaf_index_pass_over(sheaf_indexed *d);
/* All of the input has been read: writes what was gathered, where that is worth it. Only what was asked for
 * is warned about where it cannot be done. */
SHEAF_USE sheaf_status sheaf_index_finish(sheaf_indexed *d, sheaf_error *err);

/* The table has been made by a survey: writes it, by the same rules. */
SHEAF_USE sheaf_status sheaf_index_keep_table(sheaf_indexed *d, sheaf_error *err);

/* Until what is being written is written; nothing is gathered any more. Before the index is freed. */
void sheaf_index_wait(sheaf_indexed *d);

/* ---- index_place.c ---- */

/* Fills the places of the index of a file; none where the path leads nowhere. They are texts of the
 * context. */
SHEAF_USE sheaf_status sheaf_index_find_places(const char *path, sheaf_context *cx,
                                               char *places[SHEAF_INDEX_PLACES], sheaf_error *err);
/* Whether an index may be read there: nothing that would have to be waited for. */
bool sheaf_index_is_file(const char *path);
/* Whether nothing is there. */
bool sheaf_index_is_free(const char *path);
/* Makes the folders of the user's cache that a place needs. */
void sheaf_index_make_folder(const char *place);

/* ---- survey.c ---- */

/* About how long the pieces of the table are to be; 0: chunks as they are. */
int64_t sheaf_table_bytes(const sheaf_indexed *d);
/* Makes the table in one pass, after which the dataset is at its beginning. */
SHEAF_USE sheaf_status sheaf_survey(sheaf_indexed *d, sheaf_error *err);
/* The same step by step, for who wants the first pieces before the last one is known: the table is there
 * where an index has it; else each further call finds one more piece, whose entry and lengths of rows
 * (borrowed until the next call), or END, with which the table is there. Other threads may decode
 * pieces meanwhile. */
SHEAF_USE sheaf_status sheaf_survey_begin(sheaf_indexed *d, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_survey_next(sheaf_indexed *d, sheaf_piece_entry *entry, const uint32_t **lengths,
                                         sheaf_error *err);
/* Lets an unfinished one go; the dataset is at its beginning again. No other thread may be at it. */
void sheaf_survey_end(sheaf_indexed *d);
/* To its end, and back to the beginning. */
SHEAF_USE sheaf_status sheaf_survey_finish(sheaf_indexed *d, sheaf_error *err);

#endif
