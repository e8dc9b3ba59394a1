/* SPDX-License-Identifier: MIT */
/* A conversion under way. */
#ifndef SHEAF_CONVERT_CONVERSION_H
#define SHEAF_CONVERT_CONVERSION_H

#include "base/buffer.h"
#include "dataset/dataset.h"

typedef struct sheaf_conversion {
	sheaf_context *caller;
	sheaf_context *outer; /* the same, or of a part: keeps what is reported on its way there */
	sheaf_context *cx;    /* lets the writer report first what it has found in the rows before */
	sheaf_writer *writer;
	const sheaf_convert_options *options;
	const sheaf_format *to;
	sheaf_dataset **inputs;
	int ninputs;
	sheaf_source *first; /* the first input where it had to be looked at before the others: a pipe cannot be
	                        opened again */
	bool *used;          /* one for each setting */
	sheaf_schema schema;
	sheaf_facts totals;
	bool key_reported;
	sheaf_buffer lengths;      /* of sequences, where they are padded */
	sheaf_structure structure; /* that is wanted */
	bool structured;
	bool replaces;             /* a file that is there is replaced, or updated */
	int part, parts;           /* the part of `parts` that is made; 0: all of it is done */
	sheaf_builder opening;     /* of a part: what was found before the first row */
	sheaf_builder *kept;       /* where what is reported goes, too; NULL: nowhere */
	int64_t stored;            /* of a part: frames that are stored so far */
	const char *output;        /* a path */
	bool stores;               /* of rows as they are: what is written is made of them when all are merged */
	bool sorts;                /* ... but for entries, which are brought into the order of the output */
	int64_t input_bytes;       /* -1: not known, so what was read counts: */
	int64_t read_before, read; /* of the inputs before, and of this one */
} sheaf_conversion;

static inline bool sheaf_needs_totals(const sheaf_format *format)
{
	return format->write && (format->write->needs_totals || format->write->needs_rows);
}

/* ---- conversion.c ---- */

/* How the writer of a conversion is created. */
sheaf_create_options sheaf_conversion_creates(const sheaf_conversion *c);
/* Numbers of the columns of an input's frames, in the order of the conversion's schema; the caller releases
 * them. */
SHEAF_USE sheaf_status sheaf_conversion_columns(const sheaf_conversion *c, const sheaf_dataset *input,
                                                int **out, sheaf_error *err);
/* A frame with the columns of the conversion's schema, sharing buffers, after what must be said of its keys.
 */
SHEAF_USE sheaf_status sheaf_conversion_frame(sheaf_conversion *c, const sheaf_dataset *input,
                                              const sheaf_frame *frame, const int *columns, sheaf_frame *out,
                                              sheaf_error *err);
SHEAF_USE sheaf_status sheaf_conversion_check_settings(const sheaf_conversion *c, sheaf_error *err);
/* ---- inputs.c ---- */

/* Notes that an input has datasets which are not read. */
SHEAF_USE sheaf_status sheaf_conversion_report_others(const sheaf_conversion *c, const sheaf_dataset *input,
                                                      sheaf_error *err);
/* The schema of all inputs: UNSUPPORTED where they have none together. */
SHEAF_USE sheaf_status sheaf_conversion_join_schemas(sheaf_conversion *c, const char *const *paths,
                                                     sheaf_error *err);
/* What is known of all rows, counted where the format needs it. */
SHEAF_USE sheaf_status sheaf_conversion_gather_totals(sheaf_conversion *c, sheaf_error *err);
/* The structure that is wanted of the tensor, or the first one that it has. */
SHEAF_USE sheaf_status sheaf_conversion_find_structure(sheaf_conversion *c, const char *path,
                                                       sheaf_error *err);
/* Several inputs are rows, not one tensor. */
SHEAF_USE sheaf_status sheaf_conversion_check_one_tensor(const sheaf_conversion *c, sheaf_error *err);

/* ---- part.c, merge.c ---- */

/* Writes part c->part of c->parts to `output`. Inputs are open, and all about them is known. */
SHEAF_USE sheaf_status sheaf_convert_part(sheaf_conversion *c, const char *output, sheaf_error *err);
/* The format of what is made of a part file with this name, in which ".part", and a number before that, stand
 * after the name; NULL: it says none. */
const sheaf_format *sheaf_part_target(const char *path);
typedef struct sheaf_part_paths {
	const char *const *paths;
	int n;
} sheaf_part_paths;

/* Makes one output of all parts of a conversion, and says how many rows it has. */
SHEAF_USE sheaf_status sheaf_convert_merge(sheaf_part_paths parts, const char *output, bool force,
                                           sheaf_context *cx, int64_t *rows, sheaf_error *err);

#endif
