/* SPDX-License-Identifier: MIT */
/* Datasets from the inside: what opening, writing and converting share. */
#ifndef SHEAF_DATASET_DATASET_H
#define SHEAF_DATASET_DATASET_H

#include "dataset/decoding.h"
#include <sheaf/dataset.h>
#include <sheaf/pieces.h>

/* A dataset being read. */
struct sheaf_dataset {
	sheaf_context *cx;
	sheaf_source *source;
	const sheaf_format *format;  /* of the input, or a view of its rows */
	const sheaf_format *native;  /* of the input */
	struct sheaf_row_view *view; /* NULL: rows are as the format gives them */
	sheaf_values values;
	int nsettings;
	int64_t piece_bytes;
	bool glance;
	int64_t table_bytes;        /* of the pieces of the table; 0: as usual */
	const sheaf_pieces *pieces; /* the table, of the index or of a survey; NULL until somebody asks for it */
	sheaf_pieces *surveyed;
	struct sheaf_index *index;
	void *in;
	struct sheaf_surveying *surveying; /* NULL: no survey is under way */
	bool surveyed_past;                /* a survey has cut pieces and not gone back */
	sheaf_piece piece;                 /* of the survey */
	sheaf_decoding decoding;           /* open once a frame was asked for */
	int64_t row, next_row;             /* of the frame given last, and of the one to come */
	bool ended, failed;
};

/* sheaf_random_access.counting of its format, or NULL. */
static inline const char *sheaf_counting_word(const sheaf_dataset *d)
{
	const sheaf_random_access *random = d->format->random;
	return random && random->counting ? random->counting(d->in) : NULL;
}

/* Made by the build from the list of formats; ends with NULL. */
extern const sheaf_format *const sheaf_formats[];

/* Picks the settings that a format uses for `use` (SHEAF_READING or SHEAF_WRITING), checked, into *out, whose
 * settings array the caller releases with sheaf_settings_release. used[i] is set for each one picked; NULL:
 * one that is not picked is a USAGE error. */
SHEAF_USE sheaf_status sheaf_settings_pick(const sheaf_format *format, unsigned use,
                                           const sheaf_setting *settings, int n, bool *used,
                                           sheaf_context *cx, sheaf_values *out, sheaf_error *err);
void sheaf_settings_release(sheaf_context *cx, sheaf_values *values, int n);

/* sheaf_source_path that knows formats whose users leave a compression suffix out of the names they give. */
SHEAF_USE sheaf_status sheaf_source_named(const char *path, sheaf_context *cx, sheaf_source **out,
                                          sheaf_error *err);

/* The format of a source: by name, else by content and name. */
SHEAF_USE sheaf_status sheaf_recognise(sheaf_source *source, const char *name, const sheaf_format **out,
                                       sheaf_error *err);

/* Adds to an error which format the settings speak of, where they are options of only one. */
void sheaf_settings_hint(const sheaf_setting *settings, int n, sheaf_error *err);

/* sheaf_open_source after which sheaf_dataset_count may follow, where `rewindable`. */
SHEAF_USE sheaf_status sheaf_open_rewindable(sheaf_source *source, const sheaf_open_options *options,
                                             bool rewindable, sheaf_context *cx, sheaf_dataset **out,
                                             sheaf_error *err);
/* Counts rows, samples and, where `keys` matter, keys by a pass over the whole input, as far as a writer
 * needs to know them: all of it where `rows` are wanted. Opens the input anew. */
SHEAF_USE sheaf_status sheaf_dataset_count(sheaf_dataset *dataset, bool keys, bool rows, sheaf_facts *facts,
                                           sheaf_error *err);

/* sheaf_create_sink with marks for the settings used, and a writer that works while its caller goes on:
 * findings and failures of a write may come with a later call. */
SHEAF_USE sheaf_status sheaf_create_overlapping(sheaf_sink *sink, const sheaf_schema *schema,
                                                const sheaf_create_options *options, bool *used,
                                                sheaf_context *cx, sheaf_writer **out, sheaf_error *err);
/* Waits until what was written is on its way out, and tells what was found in it. */
SHEAF_USE sheaf_status sheaf_writer_settle(sheaf_writer *writer, sheaf_error *err);

/* Whether the keys of its rows are their numbers, as far as that is known without reading them. */
bool sheaf_dataset_is_ordinal(const sheaf_dataset *dataset);
/* The keys of the rows of a piece, into room for as many as its entry has. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_read_keys(const sheaf_dataset *dataset, const sheaf_piece_entry *entry,
                                               uint64_t *keys, sheaf_context *cx, sheaf_error *err);

/* Whether rows of its pieces can be taken without decoding them. */
bool sheaf_dataset_locates(const sheaf_dataset *dataset);
/* Finds the rows of a piece: refills *located, whose parts the caller resets. END where the piece has to be
 * read with sheaf_dataset_read_piece. Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_locate(const sheaf_dataset *dataset, const sheaf_piece_entry *entry,
                                            sheaf_located *located, sheaf_context *cx, sheaf_error *err);
void sheaf_located_reset(sheaf_located *located);
/* The same, and the pages of the piece, which a walk over it and its rows have brought in, are let go. */
void sheaf_dataset_let_go(const sheaf_dataset *dataset, sheaf_located *located);
/* Refills the frame with rows of pieces located so, of this dataset or of others of its format and schema.
 * Any thread. */
SHEAF_USE sheaf_status sheaf_dataset_pick(const sheaf_dataset *dataset, const sheaf_row_at *rows, size_t n,
                                          sheaf_frame *frame, sheaf_context *cx, sheaf_error *err);

/* Whether a column goes lost in a format: a key, or what is said of rows besides their streams. Other shapes
 * are for `accept` to refuse. */
bool sheaf_loses_field(const sheaf_format *format, const sheaf_field *field);
/* Reports a LOSS for each of the rows that says something in such a column; `row` is the number of the
 * first. */
SHEAF_USE sheaf_status sheaf_tell_of_lost(const sheaf_field *field, sheaf_row_kind rows,
                                          const sheaf_column *column, int64_t nrows, const char *file,
                                          int64_t row, sheaf_context *cx, sheaf_error *err);
/* The same for what is said of the dataset as a whole. */
SHEAF_USE sheaf_status sheaf_tell_of_attributes(const sheaf_format *format, const sheaf_schema *schema,
                                                const char *file, sheaf_context *cx, sheaf_error *err);

/* sheaf_diff of two datasets of entries. */
SHEAF_USE sheaf_status sheaf_diff_tensors(sheaf_dataset *a, sheaf_dataset *b,
                                          const sheaf_diff_options *options, bool *equal, sheaf_error *err);

/* Warns, once, where the keys of rows are not their numbers, which they become; `row` is the number of the
 * first. */
SHEAF_USE sheaf_status sheaf_tell_of_keys(sheaf_context *cx, const char *file, const uint64_t *keys,
                                          int64_t row, int64_t nrows, bool *told, sheaf_error *err);

#endif
