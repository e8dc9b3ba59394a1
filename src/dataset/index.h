/* SPDX-License-Identifier: MIT */
/* The index of a dataset: found and compared when it is opened, gathered while all of it is read. */
#ifndef SHEAF_DATASET_INDEX_H
#define SHEAF_DATASET_INDEX_H

#include "base/thread.h"
#include "dataset/index_file.h"
#include "dataset/measure.h"
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
	sheaf_dataset *d;
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
	bool applies;         /* the input is one that can have an index */
	sheaf_identity input; /* its hash is made when it is needed: */
	bool hashed;
	char *places[SHEAF_INDEX_PLACES]; /* where it may be; NULL: nowhere */
	int place;                        /* where it was found, or the first that may be */
	sheaf_buffer settings;            /* a text */
	bool found;                       /* there is one */
	bool fresh;
	bool foreign;  /* the input is the one that it was made of, but the settings are others */
	char why[400]; /* it is not fresh */
	sheaf_index_file file;
	sheaf_pieces *pieces; /* of the file; NULL until they are wanted */
	sheaf_gathering_state gathering;
	sheaf_gathering gathered;
	sheaf_measurer measurer; /* of what is gathered */
	sheaf_keeping keeping;
	sheaf_pieces *kept; /* those it writes */
} sheaf_index;

/* Before the format opens the input: looks for an index. Only failures of memory, and of --index require, are
 * failures. */
SHEAF_USE sheaf_status sheaf_index_find(sheaf_dataset *d, sheaf_index_policy policy, sheaf_error *err);
/* Has the format open the input, with what the index knows. */
SHEAF_USE sheaf_status sheaf_index_open_input(sheaf_dataset *d, const sheaf_opening *how, sheaf_error *err);
/* The table in the index where it is sound and its pieces are of `piece_bytes` (below 0: of any size), or
 * NULL. */
SHEAF_USE sheaf_status sheaf_index_table(sheaf_dataset *d, int64_t piece_bytes, const sheaf_pieces **out,
                                         sheaf_error *err);
/* The rows are others than those of the format, so that no index is of them. */
void sheaf_index_disown(sheaf_dataset *d);
void sheaf_index_free(sheaf_dataset *d);

/* Opens the index that has just been written. */
SHEAF_USE sheaf_status sheaf_index_look(sheaf_dataset *d, sheaf_error *err);
/* Makes `input` complete. UNSUPPORTED where the input can have no index, DATA where it was changed since it
 * was opened. */
SHEAF_USE sheaf_status sheaf_index_identify(sheaf_dataset *d, sheaf_error *err);
/* The settings as one text, and what says whether two readers find the same rows. */
const char *sheaf_index_settings(const sheaf_index *x);
const char *sheaf_index_counting(const sheaf_dataset *d);
/* Whether an index with this head has the rows that the dataset has. */
bool sheaf_index_is_of(const sheaf_dataset *d, const sheaf_index_head *head);
bool sheaf_index_same_schema(const sheaf_schema *a, const sheaf_schema *b, sheaf_context *cx);

/* ---- index_keep.c ---- */

/* Each piece in order, as it is read. */
void sheaf_index_gather(sheaf_dataset *d, const sheaf_piece *piece, const sheaf_frame *frame);
/* Not all of it will be read. */
void sheaf_index_pass_over(sheaf_dataset *d);
/* All of the input has been read: writes what was gathered, where that is worth it. Only what was asked for
 * is told of where it cannot be done. */
SHEAF_USE sheaf_status sheaf_index_finish(sheaf_dataset *d, sheaf_error *err);

/* The table has been made by a survey: writes it, by the same rules. */
SHEAF_USE sheaf_status sheaf_index_keep_table(sheaf_dataset *d, sheaf_error *err);

/* Until what is being written is written. */
void sheaf_index_wait(sheaf_dataset *d);

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

#endif
