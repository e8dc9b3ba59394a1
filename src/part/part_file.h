/* SPDX-License-Identifier: MIT */
/* Part files: what docs/part-file.md describes, written and read. Whatever the job, a part is a payload and,
 * after it, a foot: which part of which job it is, what all parts of the job have in common, and what is its
 * own. Nothing in a part file is trusted. */
#ifndef SHEAF_PART_PART_FILE_H
#define SHEAF_PART_PART_FILE_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "io/identity.h"

#define SHEAF_PART_SUFFIX ".part"

enum {
	SHEAF_PARTS_MOST = 1 << 20,
	SHEAF_PART_PAYLOAD = 64 /* byte at which the payload begins */
};

/* An input of the job. */
typedef struct sheaf_part_input {
	char *path;
	sheaf_identity identity;
} sheaf_part_input;

/* "I/N" as two numbers; USAGE where it is none. */
SHEAF_USE sheaf_status sheaf_part_number(const char *text, int *part, int *parts, sheaf_error *err);

/* Which part it is; texts and inputs are the owner's. */
typedef struct sheaf_part_head {
	char *job;       /* "convert", ... */
	int part, parts; /* part number `part`, from 1, of `parts` */
	int ninputs;
	sheaf_part_input *inputs;
	char *options; /* a line for each that makes a difference: "name=value" */
} sheaf_part_head;

typedef struct sheaf_part_file {
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_part_head head;
	int64_t payload;         /* bytes of it */
	sheaf_buffer foot;       /* of which the next two are parts */
	sheaf_bytes common, own; /* what the job has in common besides the head, and what is this part's */
} sheaf_part_file;

/* ---- writing ---- */

/* Opens the file and writes what comes before the payload, which the caller writes. */
SHEAF_USE sheaf_status sheaf_part_create(const char *path, bool force, sheaf_context *cx, sheaf_sink **out,
                                         sheaf_error *err);
/* Writes what comes before the payload into a sink of the caller's. */
SHEAF_USE sheaf_status sheaf_part_begin(sheaf_sink *sink, sheaf_error *err);
/* Writes what comes after the payload and commits the sink, which is gone then, whatever comes out. */
SHEAF_USE sheaf_status sheaf_part_finish(sheaf_sink *sink, const sheaf_part_head *head,
                                         const sheaf_builder *common, const sheaf_builder *own,
                                         sheaf_error *err);
/* A text of at most 4 GiB, with its length before it; NULL is another one than "". */
void sheaf_part_put_text(sheaf_builder *b, const char *text);
void sheaf_part_put_i64(sheaf_builder *b, int64_t v);

/* ---- reading ---- */

/* Whether the source begins as a part file does. Moves nothing. */
SHEAF_USE sheaf_status sheaf_is_part(sheaf_source *source, bool *is, sheaf_error *err);
/* Takes the source over, also on failure. */
SHEAF_USE sheaf_status sheaf_part_open(sheaf_source *source, sheaf_context *cx, sheaf_part_file *out,
                                       sheaf_error *err);
void sheaf_part_close(sheaf_part_file *part);
/* A text as sheaf_part_put_text has put it, which the caller releases; NULL where it was NULL. DATA where the
 * cursor's bytes are none. */
SHEAF_USE sheaf_status sheaf_part_read_text(sheaf_cursor *c, const sheaf_part_file *part, char **out,
                                            sheaf_error *err);
/* DATA: the part is not as it should be. */
sheaf_status sheaf_part_refuse(const sheaf_part_file *part, const char *expected, sheaf_error *err);

/* ---- part_set.c ---- */

/* All parts of one job, in order. */
typedef struct sheaf_part_set {
	sheaf_context *cx;
	int n;
	sheaf_part_file *parts;
} sheaf_part_set;

/* Opens all of them. USAGE or DATA, by name, where one is missing, there twice, or of another job, input or
 * options. */
SHEAF_USE sheaf_status sheaf_part_set_open(const char *const *paths, int n, sheaf_context *cx,
                                           sheaf_part_set *out, sheaf_error *err);
/* The same of sources, which are the set's from now on, also on failure. */
SHEAF_USE sheaf_status sheaf_part_set_take(sheaf_source *const *sources, int n, sheaf_context *cx,
                                           sheaf_part_set *out, sheaf_error *err);
void sheaf_part_set_close(sheaf_part_set *set);
/* DATA where an input is not what the parts were made of any more. */
SHEAF_USE sheaf_status sheaf_part_check_input(const sheaf_part_file *part, int input, sheaf_source *source,
                                              sheaf_error *err);

/* ---- kept_findings.c ---- */

/* Problems as bytes: what a part has found, to be reported again. `at` says after how much of the payload;
 * `output` is the name of the part's own file, which stands for that of the output. */
void sheaf_kept_findings_put(sheaf_builder *b, const sheaf_problem *problem, int64_t at, const char *output);

typedef struct sheaf_kept_findings {
	sheaf_cursor cursor;
	const char *output;  /* the name of the file that is written */
	int64_t at;          /* of the problem that comes next; INT64_MAX: there is none */
	sheaf_status failed; /* the bytes are broken */
} sheaf_kept_findings;

/* Begins with what was put. */
sheaf_kept_findings sheaf_kept_findings_over(sheaf_bytes bytes, const char *output);
/* Reports those up to `at`. */
SHEAF_USE sheaf_status sheaf_kept_findings_until(sheaf_kept_findings *t, int64_t at, sheaf_context *cx,
                                                 sheaf_error *err);

#endif
