/* SPDX-License-Identifier: MIT */
/* A dataset that is being written. */
#ifndef SHEAF_DATASET_WRITER_H
#define SHEAF_DATASET_WRITER_H

#include "dataset/dataset.h"
#include "dataset/encoding.h"
#include "dataset/output.h"
#include "sparse/arrange.h"

struct sheaf_writer {
	sheaf_context *caller;
	sheaf_context *outer; /* names rows as the caller knows them */
	sheaf_context *cx;    /* first reports what encoding has found in earlier rows */
	const sheaf_format *format;
	sheaf_sink *sink;   /* NULL once `out` has it */
	sheaf_sink *output; /* the same, while `out` or `sink` exists */
	bool bounded;       /* used by what is written, from the first frame on */
	int64_t taken;      /* bytes of the frames so far */
	char *name;         /* of the sink */
	sheaf_schema given, stored;
	bool lent; /* `given` belongs to the caller */
	/* The schema of frames that become entries while they are written; no fields: they come as `given`. */
	sheaf_schema whole;
	sheaf_frame entries; /* those of such a frame, some at a time */
	int key;             /* the given key field, or -1 */
	bool key_reported;
	int *kept; /* the given fields that are stored */
	sheaf_values values;
	int nsettings;
	sheaf_facts totals;
	bool overlap;
	sheaf_arranger *arranger; /* of entries: brings them into the order that the format requires; NULL: they
	                             are written as they come */
	bool holds;               /* the arranger collects all entries before the output is created */
	bool collects;            /* all rows are collected before that, since the format needs their number: */
	sheaf_frame rows;         /* here */
	sheaf_output *out;
	sheaf_frame cast; /* the frame in stored types, without keys that are not stored */
	sheaf_encoding encoding;
	int64_t *bytes_of_row;
	size_t bytes_size;
	int64_t bytes_before; /* size of all rows so far */
	int64_t last_chunk;   /* the number of the last row's chunk: floor(bytes before it / chunk bytes) */
	bool begins;          /* the next rows that are submitted begin a chunk */
	int64_t row;          /* rows seen */
	bool finishing;       /* all rows have come; the remaining work is reported as progress */
	int64_t losses_before;
	sheaf_error failure; /* of the first write that failed: nothing is committed then */
};

/* ---- create.c ---- */

/* Creates the output once everything is known that the format needs first. */
SHEAF_USE sheaf_status sheaf_writer_start(sheaf_writer *w, sheaf_error *err);

#endif
