/* SPDX-License-Identifier: MIT */
/* Lengths of the rows of pieces: as the format measures them where it can without decoding, else decoded and
 * counted. What is wrong with the rows is not reported: that comes when they are read. */
#ifndef SHEAF_INPUT_MEASURE_H
#define SHEAF_INPUT_MEASURE_H

#include "base/buffer.h"
#include "input/input.h"

typedef struct sheaf_measurer {
	const sheaf_input *input;
	sheaf_context *quiet;
	sheaf_frame frame;
	sheaf_buffer bytes;
	const uint32_t *lengths; /* of the rows of the piece measured last */
	int64_t rows;
} sheaf_measurer;

SHEAF_USE sheaf_status sheaf_measurer_begin(sheaf_measurer *m, const sheaf_input *input, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_measure(sheaf_measurer *m, const sheaf_piece *piece, sheaf_error *err);
/* As the format measures them without decoding, else those of the frame; END where neither is there. */
SHEAF_USE sheaf_status sheaf_measure_quickly(sheaf_measurer *m, const sheaf_piece *piece,
                                             const sheaf_frame *frame, sheaf_error *err);
/* The same for rows that are decoded already. */
SHEAF_USE sheaf_status sheaf_measure_frame(sheaf_measurer *m, const sheaf_frame *frame, sheaf_error *err);
void sheaf_measurer_end(sheaf_measurer *m);

/* What rows add to the facts that a writer relies on; `row`: number of the first. facts->rows begins as 0,
 * ordinal_keys as 1. */
void sheaf_facts_add(sheaf_facts *facts, const sheaf_schema *schema, const sheaf_frame *frame, int64_t row);

#endif
