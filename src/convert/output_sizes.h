/* SPDX-License-Identifier: MIT */
/* How many bytes rows will take in an output where sizes decide about chunks, before they are written. */
#ifndef SHEAF_CONVERT_OUTPUT_SIZES_H
#define SHEAF_CONVERT_OUTPUT_SIZES_H

#include "convert/conversion.h"
#include "dataset/range.h"

typedef struct sheaf_output_sizes {
	sheaf_context *cx;
	const sheaf_cuts *cuts; /* of each input */
	int ninputs;
	int64_t **before;    /* of each input: size of all rows before each of its pieces */
	int64_t bytes;       /* of all rows */
	int64_t chunk_bytes; /* 0: bytes are not needed */
} sheaf_output_sizes;

/* From an index's counts of the pieces, else by a pass over the rows. The conversion's writer exists. */
SHEAF_USE sheaf_status sheaf_measure_output(sheaf_conversion *c, const sheaf_cuts *cuts,
                                            sheaf_output_sizes *out, sheaf_error *err);
void sheaf_output_sizes_free(sheaf_output_sizes *sizes);
/* STALE if `bytes` is not the size that was found for the rows up to the end of a piece. */
SHEAF_USE sheaf_status sheaf_output_sizes_check(const sheaf_output_sizes *sizes, int input, int64_t piece,
                                                int64_t bytes, sheaf_error *err);

#endif
