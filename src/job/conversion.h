/* SPDX-License-Identifier: MIT */
/* A conversion in progress. */
#ifndef SHEAF_JOB_CONVERSION_H
#define SHEAF_JOB_CONVERSION_H

#include "base/buffer.h"
#include "base/findings.h"
#include "dataset/dataset.h"

typedef struct sheaf_merging sheaf_merging; /* job/part.h */

/* The options of a conversion, and the structs that they point to, which are never used through pointers. */
typedef struct sheaf_conversion_options {
	sheaf_convert_options convert;
	sheaf_open_options open;
	sheaf_container_options container;
	sheaf_tensor_options tensor;
	sheaf_sequence_options sequences;
} sheaf_conversion_options;

typedef struct sheaf_conversion {
	sheaf_context *caller;
	sheaf_context *outer; /* the same, or while speculating: keeps findings on their way there */
	sheaf_context *cx;    /* lets the writer first report what it has found in earlier rows */
	sheaf_writer *writer;
	const sheaf_conversion_options *options;
	const sheaf_format *to;
	sheaf_dataset **inputs;
	int ninputs;
	/* The first input, if it had to be opened before the others: a pipe cannot be opened again. */
	sheaf_source *first;
	bool *used; /* one for each setting */
	sheaf_schema schema;
	sheaf_facts totals;
	bool key_reported, told_of_keys;
	sheaf_buffer lengths;      /* of sequences, if they are padded */
	sheaf_structure structure; /* that was requested */
	bool structured;
	bool replaces;         /* an existing file is replaced, or updated */
	int part, parts;       /* which of the `parts` is made; 0: the whole is done */
	bool speculates;       /* the schema is that of the first part of the input: */
	sheaf_findings held;   /* until its end proves that it is that of the whole */
	const char *output;    /* a path */
	bool stores;           /* parts hold rows as they are: the output is made from them in the merge */
	sheaf_merging *merged; /* parts, which have what is read; NULL: the inputs have it */
	int64_t input_bytes;   /* of all inputs; -1: not known, so those that are read are counted: */
	int64_t read;          /* of the inputs that were read to their ends */
} sheaf_conversion;

static inline bool sheaf_needs_totals(const sheaf_format *format)
{
	return format->write && (format->write->needs_totals || format->write->needs_rows);
}

/* ---- conversion.c ---- */

/* Creates the writer, which takes over the sink, and refuses options that neither it nor the inputs have
 * used; then the writer is there, to be abandoned. */
SHEAF_USE sheaf_status sheaf_conversion_create(sheaf_conversion *c, sheaf_sink *sink, sheaf_error *err);
/* Indices of the columns of an input's frames, in the order of the conversion's schema; the caller releases
 * them. */
SHEAF_USE sheaf_status sheaf_conversion_columns(const sheaf_conversion *c, const sheaf_dataset *input,
                                                int **out, sheaf_error *err);
/* A frame with the columns of the conversion's schema, sharing buffers, after findings about its keys are
 * reported; slices of a tensor are counted on from those of the inputs before. */
SHEAF_USE sheaf_status sheaf_conversion_frame(sheaf_conversion *c, const sheaf_dataset *input,
                                              const sheaf_frame *frame, const int *columns, sheaf_frame *out,
                                              sheaf_error *err);
/* USAGE if there is a setting that neither the reader nor the writer has used. */
SHEAF_USE sheaf_status sheaf_check_used(const sheaf_setting *settings, int n, const bool *used,
                                        const sheaf_dataset *from, const sheaf_format *to, sheaf_error *err);

/* ---- inputs.c ---- */

/* Reports, as a note, that an input has datasets which are not read. */
SHEAF_USE sheaf_status sheaf_conversion_report_others(const sheaf_conversion *c, const sheaf_dataset *input,
                                                      sheaf_error *err);
/* The schema of all inputs: UNSUPPORTED if they have none in common. */
SHEAF_USE sheaf_status sheaf_conversion_join_schemas(sheaf_conversion *c, const char *const *paths,
                                                     sheaf_error *err);
/* What is known of all rows, counted if the format needs it. */
SHEAF_USE sheaf_status sheaf_conversion_gather_totals(sheaf_conversion *c, sheaf_error *err);
/* The structure requested for the tensor, or the first one that it has. */
SHEAF_USE sheaf_status sheaf_conversion_find_structure(sheaf_conversion *c, const char *path,
                                                       sheaf_error *err);

/* ---- lengths.c ---- */

/* USAGE if the lengths of sequences that are padded cannot be in a file beside the output, or if one exists
 * that must not be replaced. */
SHEAF_USE sheaf_status sheaf_conversion_check_lengths(const sheaf_conversion *c, sheaf_error *err);
/* Finishes the writer of the output, and writes an int64 for each sequence: either both files appear, or none
 * does. */
SHEAF_USE sheaf_status sheaf_conversion_finish_padded(const sheaf_conversion *c, sheaf_error *err);

/* ---- part.c, merge.c, merged.c ---- */

/* Writes part c->part of c->parts to `output`. Inputs are open, and everything about them is known; if
 * c->first is left, it is copied without rows, by the merge. */
SHEAF_USE sheaf_status sheaf_convert_part(sheaf_conversion *c, const char *output, sheaf_error *err);
/* The format of the output that part files of this name make; ".part", and perhaps a number before it, follow
 * that output's name; NULL: the name shows none. */
const sheaf_format *sheaf_part_target(const char *path);

typedef struct sheaf_part_paths {
	const char *const *paths;
	sheaf_source *const *sources; /* taken over, also on failure; NULL: the paths are opened */
	int n;
} sheaf_part_paths;

/* Merges all parts of a conversion into one output, and gives its number of rows, -1 if it is done without
 * them. */
SHEAF_USE sheaf_status sheaf_convert_merge(sheaf_part_paths parts, const char *output, bool force,
                                           sheaf_context *cx, int64_t *rows, sheaf_error *err);
/* The conversion of these inputs, of which the parts have what is read. */
SHEAF_USE sheaf_status sheaf_conversion_merge(sheaf_merging *parts, const char *const *inputs,
                                              const char *output, const sheaf_conversion_options *options,
                                              sheaf_context *cx, sheaf_error *err);
/* Takes the totals that the parts say: STALE if they do not fit together. */
SHEAF_USE sheaf_status sheaf_conversion_merged_totals(sheaf_conversion *c, sheaf_error *err);
/* Appends the bytes of the output that parts have, if they do not have rows. */
SHEAF_USE sheaf_status sheaf_conversion_take_bytes(const sheaf_conversion *c, sheaf_error *err);

#endif
