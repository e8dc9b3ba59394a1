/* SPDX-License-Identifier: MIT */
/* A conversion under way. */
#ifndef SHEAF_CONVERT_CONVERSION_H
#define SHEAF_CONVERT_CONVERSION_H

#include "dataset/dataset.h"

typedef struct sheaf_conversion {
	sheaf_context *told; /* the caller's */
	sheaf_context *cx;   /* lets the writer tell first what it has found in the rows before */
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
	bool key_told;
	sheaf_structure structure; /* that is wanted */
	bool structured;
	bool replaces;             /* a file that is there is replaced, or updated */
	int64_t input_bytes;       /* -1: not known, so what was read counts: */
	int64_t read_before, read; /* of the inputs before, and of this one */
} sheaf_conversion;

static inline bool sheaf_needs_totals(const sheaf_format *format)
{
	return format->write && (format->write->needs_totals || format->write->needs_rows);
}

/* ---- inputs.c ---- */

/* Notes that an input has datasets which are not read. */
SHEAF_USE sheaf_status sheaf_conversion_tell_of_others(const sheaf_conversion *c, const sheaf_dataset *input,
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

#endif
