/* SPDX-License-Identifier: MIT */
/* The inside of a dataset that is read in parts: docs/part-file.md describes what a part has. */
#ifndef SHEAF_DATASET_READING_PART_H
#define SHEAF_DATASET_READING_PART_H

#include "dataset/range.h"
#include "part/part_file.h"
#include <sheaf/part.h>

#define SHEAF_INDEX_JOB "index"

/* The part that a dataset is making. */
typedef struct sheaf_part_making {
	int part, parts;
	bool keeps;   /* rows, in the payload */
	bool whole;   /* the input cannot be divided: the first part has everything */
	bool settled; /* and has reported what only the whole shows */
	sheaf_sink *sink;
	sheaf_identity input;
	sheaf_cuts cuts;
	sheaf_builder findings, blobs; /* the findings; size and rows of each frame that is kept */
	int64_t nblobs;
	sheaf_frame frame; /* rows to be written */
} sheaf_part_making;

void sheaf_dataset_drop_part(sheaf_dataset *d);

/* What belongs to one part of a reading. */
typedef struct sheaf_part_reading {
	bool settled;
	sheaf_bytes findings, kept, state;
	sheaf_status failure; /* OK: none */
	char *message;
	int64_t nblobs;
	sheaf_bytes blobs; /* two numbers of each: bytes, rows */
} sheaf_part_reading;

/* What all its parts share: whether they keep rows, and how they divide the pieces. */
void sheaf_part_put_reading(sheaf_builder *common, const sheaf_part_making *m);
SHEAF_USE sheaf_status sheaf_part_read_reading(const sheaf_part_file *part, sheaf_part_reading *out,
                                               sheaf_error *err);

void sheaf_dataset_drop_parts(sheaf_dataset *d);

#endif
