/* SPDX-License-Identifier: MIT */
/* Reading and writing part files: docs/part-file.md describes them. Whatever the job, a part is a payload
 * followed by a foot: which part of which job it is, what all parts of the job have in common, and what
 * belongs to this part. Nothing in a part file is trusted. */
#ifndef SHEAF_JOB_PART_PART_FILE_H
#define SHEAF_JOB_PART_PART_FILE_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "dataset/range.h"
#include "io/identity.h"

#define SHEAF_PART_SUFFIX ".part"

enum {
	SHEAF_PART_PAYLOAD = 64 /* byte at which the payload begins */
};

/* An input of the job. */
typedef struct sheaf_part_input {
	char *path; /* borrowed from the source, or of a part that was opened: owned */
	sheaf_identity identity;
	uint64_t schema; /* the hash of what it was opened with; 0: it was not opened */
} sheaf_part_input;

/* "I/N" as two numbers; USAGE if it is not. */
SHEAF_USE sheaf_status sheaf_part_number(const char *text, int *part, int *parts, sheaf_error *err);

/* Which part it is; the owner keeps texts and inputs. */
typedef struct sheaf_part_head {
	char *job;       /* "convert", ... */
	int part, parts; /* part number `part`, from 1, of `parts` */
	int ninputs;
	sheaf_part_input *inputs;
	char *options; /* a line for each one that affects the result: "name=value", "name" */
} sheaf_part_head;

typedef struct sheaf_part_file {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_part_head head;
	int64_t payload;         /* its size */
	sheaf_buffer foot;       /* whose parts are the next two */
	sheaf_bytes common, own; /* what the job has in common besides the head, and what belongs to this part */
} sheaf_part_file;

/* ---- writing ---- */

/* Writes what precedes the payload into a sink of the caller. */
SHEAF_USE sheaf_status sheaf_part_begin(sheaf_sink *sink, sheaf_error *err);

/* Writes what follows the payload and commits the sink, which is closed in any case. */
SHEAF_USE sheaf_status sheaf_part_finish(sheaf_sink *sink, const sheaf_part_head *head,
                                         const sheaf_builder *common, const sheaf_builder *own,
                                         sheaf_error *err);

/* ---- reading ---- */

/* Whether the source begins like a part file. Moves nothing. */
SHEAF_USE sheaf_status sheaf_is_part(sheaf_source *source, bool *is, sheaf_error *err);
/* Takes the source over, also on failure. */
SHEAF_USE sheaf_status sheaf_part_open(sheaf_source *source, sheaf_context *cx, sheaf_part_file *out,
                                       sheaf_error *err);
void sheaf_part_close(sheaf_part_file *part);
/* A text written by sheaf_part_put_text, which the caller releases; NULL if it was NULL. DATA if the cursor's
 * bytes are not such a text. */
SHEAF_USE sheaf_status sheaf_part_read_text(sheaf_cursor *c, const sheaf_part_file *part, char **out,
                                            sheaf_error *err);
/* A word that is 0 or 1; DATA, by its name, if it is another one. */
SHEAF_USE sheaf_status sheaf_part_read_mark(sheaf_cursor *c, const sheaf_part_file *part, const char *what,
                                            bool *out, sheaf_error *err);
/* DATA: the part is not valid. */
sheaf_status sheaf_part_refuse(const sheaf_part_file *part, const char *expected, sheaf_error *err);

/* ---- part_set.c ---- */

/* All parts of one job, in order. */
typedef struct sheaf_part_set {
	sheaf_context *cx;
	int n;
	sheaf_part_file *parts;
} sheaf_part_set;

/* Opens all of them. USAGE or DATA, by name, if one is missing, repeated, or from another job, input or
 * options. The sources belong to the set from now on, also on failure. */
SHEAF_USE sheaf_status sheaf_part_set_take(sheaf_source *const *sources, int n, sheaf_context *cx,
                                           sheaf_part_set *out, sheaf_error *err);
void sheaf_part_set_close(sheaf_part_set *set);
/* DATA if an input has changed since the parts were made. */
SHEAF_USE sheaf_status sheaf_part_check_input(const sheaf_part_file *part, int input, sheaf_source *source,
                                              sheaf_error *err);

/* ---- kept_findings.c ---- */

/* Problems as bytes: the findings of a part, to be reported again. `at` is the position in the payload after
 * which they come; `output` is the name of the part's own file, which represents that of the output. */
void sheaf_kept_findings_put(sheaf_builder *b, const sheaf_problem *problem, int64_t at, const char *output);

typedef struct sheaf_kept_findings {
	sheaf_cursor cursor;
	const char *output;  /* the name of the file that is being written */
	int64_t at;          /* of the next problem; INT64_MAX: there is none */
	sheaf_status failed; /* the bytes are damaged */
} sheaf_kept_findings;

/* Begins with the bytes that were written. */
sheaf_kept_findings sheaf_kept_findings_over(sheaf_bytes bytes, const char *output);
/* Reports those up to `at`. */
SHEAF_USE sheaf_status sheaf_kept_findings_until(sheaf_kept_findings *t, int64_t at, sheaf_context *cx,
                                                 sheaf_error *err);

#endif
