/* SPDX-License-Identifier: MIT */
/* The inside of parts: some rows of one input or of several, with what was found in them, as a part file, and
 * all parts read as if their rows came from the inputs. docs/part-file.md describes what a part has. */
#ifndef SHEAF_JOB_PART_READING_PART_H
#define SHEAF_JOB_PART_READING_PART_H

#include "dataset/range.h"
#include "job/part/part_file.h"
#include <sheaf/part.h>

#define SHEAF_INDEX_JOB "index"

/* ---- a part that is being made ---- */

typedef struct sheaf_part_making {
	sheaf_context *cx;
	int part, parts;
	bool keeps;   /* rows, in the payload */
	bool whole;   /* an input cannot be divided: the first part has everything */
	bool settled; /* and has reported what only the whole shows */
	sheaf_sink *sink;
	sheaf_dataset *const *datasets;
	sheaf_dataset *only; /* of these, if there is one that makes the part of itself */
	int ninputs;
	sheaf_part_input *inputs; /* identities of their files */
	sheaf_cuts *cuts;
	int64_t row, rows; /* number of its first row among those of all inputs, -1: none yet; how many it has */
	sheaf_builder segments; /* of the inputs that were read */
	/* of the input that is read: */
	int input;
	int64_t before; /* rows of the inputs before it */
	sheaf_builder findings, frames;
	int64_t nframes;
	sheaf_frame frame;   /* rows to be written */
	sheaf_builder bytes; /* of these */
} sheaf_part_making;

/* USAGE if something has been read of a dataset, by itself or as part of a job. */
SHEAF_USE sheaf_status sheaf_dataset_check_unread(const sheaf_dataset *d, sheaf_error *err);
/* Begins with part, parts, datasets, ninputs, keeps and the sink, which belongs to it from now on, also on
 * failure. Cuts the inputs. */
SHEAF_USE sheaf_status sheaf_part_making_begin(sheaf_part_making *m, sheaf_context *cx, sheaf_error *err);
/* From now on sheaf_next gives the part's rows of an input, which are kept on the way if the part keeps rows,
 * and so is what is found in them. */
SHEAF_USE sheaf_status sheaf_part_making_read(sheaf_part_making *m, int input, sheaf_error *err);
/* Ends an input of the part, after the last of its rows, or with the failure that has ended them. */
SHEAF_USE sheaf_status sheaf_part_making_add(sheaf_part_making *m, const sheaf_error *failure,
                                             sheaf_error *err);
/* Writes the file. `shared` is what the job has in common; NULL: nothing. */
SHEAF_USE sheaf_status sheaf_part_making_write(sheaf_part_making *m, const sheaf_part_outcome *outcome,
                                               const sheaf_builder *shared, sheaf_error *err);
/* The datasets read by the cuts, so these stay until the datasets are closed. */
void sheaf_part_making_drop(sheaf_part_making *m);
void sheaf_part_making_free_cuts(sheaf_part_making *m);

/* ---- all parts ---- */

/* What a part has of an input. */
typedef struct sheaf_part_segment {
	sheaf_bytes findings, kept; /* what its review has kept */
	int64_t nframes;
	sheaf_bytes frames; /* two numbers of each: bytes, rows */
	int64_t at;         /* byte of the part at which they begin */
} sheaf_part_segment;

typedef struct sheaf_part_reading {
	bool settled;
	sheaf_status failure; /* OK: none */
	char *message;
	int64_t row, rows;
	sheaf_part_segment *segments; /* one for each input */
	sheaf_bytes state;
} sheaf_part_reading;

struct sheaf_parts {
	sheaf_context *cx;
	sheaf_part_set set;
	sheaf_part_reading *readings; /* one for each part */
	int64_t rows;                 /* of all of them */
	bool keep;                    /* rows */
	sheaf_bytes shared;           /* what the job has in common */
	const char *output;           /* stands for the file of a part in findings; NULL: the job has none */
	/* the current place of the reading: */
	int input, part;
	int64_t frame_at, byte;
	sheaf_kept_findings findings; /* of the part */
	bool begun;                   /* it belongs to the part */
	sheaf_frame frame;
};

/* DATA if a dataset has another schema than the parts' input. */
SHEAF_USE sheaf_status sheaf_parts_check_schema(const sheaf_parts *parts, int input, const sheaf_dataset *d,
                                                sheaf_error *err);
/* sheaf_dataset_take_parts of one of several inputs, whose file has been checked. */
SHEAF_USE sheaf_status sheaf_dataset_take_input(sheaf_dataset *d, sheaf_parts *parts, int input,
                                                sheaf_error *err);

#endif
