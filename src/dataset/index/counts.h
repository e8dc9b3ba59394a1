/* SPDX-License-Identifier: MIT */
/* The contents of pieces of sequences, stream by stream: enough to know, without reading them, how many bytes
 * their rows will take elsewhere. */
#ifndef SHEAF_DATASET_INDEX_COUNTS_H
#define SHEAF_DATASET_INDEX_COUNTS_H

#include "dataset/index/pieces.h"

/* Whether pieces of this schema are counted: if it is one of sequences. */
bool sheaf_counts_apply(const sheaf_schema *schema);
/* Size of the counts of a piece, in bytes. */
size_t sheaf_counts_size(const sheaf_schema *schema);
/* Appends the counts of a frame, which is a piece; `row` is the number of its first row. */
void sheaf_counts_add(sheaf_builder *counts, const sheaf_schema *schema, const sheaf_frame *frame,
                      int64_t row);
/* Whether the marks of keys in counts from a file are ones that have a meaning. */
bool sheaf_counts_are_known(const sheaf_pieces *pieces);
/* For piece i: the largest number of samples of any stream in a row, and whether the keys are the numbers of
 * the rows. False if the table does not say. */
bool sheaf_counts_shape(const sheaf_pieces *pieces, int64_t i, int64_t *longest, bool *ordinal);

#endif
