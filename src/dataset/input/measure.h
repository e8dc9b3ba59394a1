/* SPDX-License-Identifier: MIT */
/* Lengths of the rows of pieces: the format measures them without decoding if it can, else they are decoded
 * and counted. Errors in the rows are not reported: that happens when they are read. */
#ifndef SHEAF_DATASET_INPUT_MEASURE_H
#define SHEAF_DATASET_INPUT_MEASURE_H

#include "base/buffer.h"
#include "dataset/input/input.h"

typedef struct sheaf_measurer {
	const sheaf_input *input;
	sheaf_context *quiet;
	sheaf_frame frame;
	sheaf_buffer bytes;
	const uint32_t *lengths; /* of the rows of the last piece measured */
	int64_t rows;
} sheaf_measurer;

SHEAF_USE sheaf_status sheaf_measurer_begin(sheaf_measurer *m, const sheaf_input *input, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_measure(sheaf_measurer *m, const sheaf_piece *piece, sheaf_error *err);
/* Takes the lengths of a piece's rows as the format measures them without decoding, or else from the frame;
 * END if there is neither. */
SHEAF_USE sheaf_status sheaf_measure_quickly(sheaf_measurer *m, const sheaf_piece *piece,
                                             const sheaf_frame *frame, sheaf_error *err);
/* Takes the lengths of rows that are decoded. */
SHEAF_USE sheaf_status sheaf_measure_frame(sheaf_measurer *m, const sheaf_frame *frame, sheaf_error *err);
void sheaf_measurer_end(sheaf_measurer *m);

/* Adds to the facts on which a writer relies what these rows show; `row` is the number of the first.
 * facts->rows begins as 0, and ordinal_keys as 1. */
void sheaf_facts_add(sheaf_facts *facts, const sheaf_schema *schema, const sheaf_frame *frame, int64_t row);

#endif
