/* SPDX-License-Identifier: MIT */
/* Reading in parts: each of several processes reads some of the rows of a file, and their results and
 * findings are combined as if one process had read all rows. (Conversions in parts: sheaf_part_options.)
 *
 * The process of a part opens the dataset, says which part it reads, reads to the end, and finishes the part
 * with the result for its rows, its state. The merging process opens all parts and the same dataset, and
 * reads the dataset: it gets the same findings as without parts, and rows only if parts had to keep them.
 * Then it adds up the states.
 *
 * Most used: sheaf_dataset_take_part, sheaf_dataset_finish_part, sheaf_parts_open, sheaf_parts_about,
 * sheaf_dataset_take_parts. */
#ifndef SHEAF_PART_H
#define SHEAF_PART_H

#include <sheaf/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a state depends on. */
typedef enum sheaf_part_rows {
	SHEAF_PART_COUNTED,  /* rows: states add up */
	SHEAF_PART_NUMBERED, /* also on the numbers of rows. Where errors are tolerated, which leaves rows out,
	                        only the merge knows these: then parts keep rows */
	SHEAF_PART_KEPT      /* what does not add up: parts keep rows */
} sheaf_part_rows;

/* Makes sheaf_next give the rows of part I of N, "I/N", counted from 1, and sheaf_dataset_row their numbers
 * in the whole dataset; if the rows cannot be divided, the first part has all of them, with a WARNING, and
 * the others have none. Call it before anything is read, for one part at a time in a context. The sink
 * receives the part file and belongs to the dataset, also on failure. USAGE if `part` is not of that form,
 * UNSUPPORTED if the input is not an uncompressed file. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_take_part(sheaf_dataset *dataset, const char *part,
                                                         sheaf_part_rows rows, sheaf_sink *sink,
                                                         sheaf_error *err);
/* Whether rows are kept, so that no state is needed. */
SHEAF_API bool sheaf_dataset_keeps_part(const sheaf_dataset *dataset);

typedef struct sheaf_part_outcome {
	size_t size;         /* sizeof(sheaf_part_outcome) */
	const char *job;     /* what is done with the rows; a word */
	const char *options; /* those that make a difference, a line for each; parts with others are refused */
	const void *state;   /* the result for the rows, which sheaf_parts_state gives back */
	size_t state_size;
	/* What ended the reading where that is an outcome, too, as in checking: nobody reads on after it. NULL:
	 * the end of the rows. */
	const sheaf_error *failure;
} sheaf_part_outcome;

/* After the last row: writes the part file and commits its sink. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_finish_part(sheaf_dataset *dataset,
                                                           const sheaf_part_outcome *outcome,
                                                           sheaf_error *err);

enum { SHEAF_PART_JOB = 32 };

/* The job of a part file, "convert" where it is one of a conversion; "" where the file is none. */
SHEAF_API SHEAF_USE sheaf_status sheaf_part_job(const char *path, sheaf_context *cx, char job[SHEAF_PART_JOB],
                                                sheaf_error *err);

typedef struct sheaf_parts sheaf_parts;

/* All parts of one job, in whatever order they come: USAGE or DATA, by name, where one is missing, there
 * twice, damaged, of another job, other options or another input. Nothing in them is trusted. The sources
 * are the parts' from now on, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_parts_open(sheaf_source *const *sources, int n, sheaf_context *cx,
                                                  sheaf_parts **out, sheaf_error *err);
SHEAF_API void sheaf_parts_close(sheaf_parts *parts);

typedef struct sheaf_parts_info {
	int count;                 /* how many parts there are */
	const char *job, *options; /* as in sheaf_part_outcome */
	const char *input;         /* the path of the first input, as the first part has named it */
} sheaf_parts_info;

/* What all of the parts say. The texts are valid until the parts are closed; zeros where `parts` is NULL. */
SHEAF_API sheaf_parts_info sheaf_parts_about(const sheaf_parts *parts);
/* The state of the i-th part, counted from 0, with nothing in it where rows are kept, or others have ended
 * the reading before. Valid until the parts are closed. */
SHEAF_API SHEAF_USE sheaf_status sheaf_parts_state(const sheaf_parts *parts, int i, sheaf_bytes *out,
                                                   sheaf_error *err);

/* From now on sheaf_next gives what the parts have kept: all findings, in order, and rows where these were
 * kept; at the end it reports what only the whole shows. Before anything is read. The parts outlive the
 * dataset. DATA if its input is not the one that the parts were made from. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_take_parts(sheaf_dataset *dataset, sheaf_parts *parts,
                                                          sheaf_error *err);

/* ---- an index in parts ---- */

/* Looks at the rows of the pieces that part "I/N" has of a dataset's table, as sheaf_dataset_write_index does
 * with all of them, and writes a part file of the job "index", for sheaf_dataset_write_index. Before anything
 * is read. The sink is the dataset's, also on failure. */
SHEAF_API SHEAF_USE sheaf_status sheaf_dataset_index_part(sheaf_dataset *dataset, const char *part,
                                                          const char *options, sheaf_sink *sink,
                                                          sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
