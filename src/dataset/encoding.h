/* SPDX-License-Identifier: MIT */
/* Chunks on their way to an output: filled with rows by the writing thread, encoded by any thread, appended
 * in order by one thread at a time. Bytes, findings and failures are the same as if one thread made one chunk
 * after the other. */
#ifndef SHEAF_DATASET_ENCODING_H
#define SHEAF_DATASET_ENCODING_H

#include "base/threads/pipeline.h"
#include "dataset/output.h"

/* Begins as zeros. */
typedef struct sheaf_encoding {
	const sheaf_format *format;
	sheaf_output *out;
	sheaf_context *cx; /* receives the findings of encoding */
	sheaf_pipeline pipeline;
	int64_t row;       /* number of the next row to submit */
	int64_t under_way; /* size of the submitted rows */
	bool wastes; /* a loss was found, so nothing more is appended: encoding continues to find the others */
	bool stuck;  /* a chunk could not be appended: everything after it waits for its turn */
} sheaf_encoding;

/* `overlap`: other threads work while the caller continues, so findings and failures may come with a later
 * call. */
SHEAF_USE sheaf_status sheaf_encoding_open(sheaf_encoding *e, const sheaf_format *format, sheaf_output *out,
                                           bool overlap, sheaf_context *cx, sheaf_error *err);
/* The next rows, for the caller to fill: *out is valid until they are submitted. */
SHEAF_USE sheaf_status sheaf_encoding_rows(sheaf_encoding *e, sheaf_frame **out, sheaf_error *err);
/* Lets these rows go their way. `wasted`: they are encoded, but not appended; `begins`: a chunk begins with
 * them, where chunks are joined. */
SHEAF_USE sheaf_status sheaf_encoding_submit(sheaf_encoding *e, bool wasted, bool begins, sheaf_error *err);
/* Waits until all that was submitted is appended, and reports what was found in it. */
SHEAF_USE sheaf_status sheaf_encoding_settle(sheaf_encoding *e, sheaf_error *err);
void sheaf_encoding_close(sheaf_encoding *e);

#endif
