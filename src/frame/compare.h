/* SPDX-License-Identifier: MIT */
/* Whether two columns hold the same under a position, whatever their element types and storage: a FIXED run
 * counts as entries with indices 0, 1, 2, ... and so equals a COORD run that has all of them. */
#ifndef SHEAF_FRAME_COMPARE_H
#define SHEAF_FRAME_COMPARE_H

#include "base/buffer.h"
#include "frame/frame.h"

/* Whether a row of a column says no more than its absence would: everything under it is the field's usual
 * value, or missing. A field whose usual value is NaN has none: its missing items are content, too. */
bool sheaf_row_is_usual(const sheaf_column *column, const sheaf_field *field, int64_t row);

/* Entries of sparse samples are compared as they come: */
bool sheaf_positions_equal(const sheaf_column *a, int level_a, int64_t at_a, const sheaf_column *b,
                           int level_b, int64_t at_b);

/* An entry of a sample: its index, and where its value is. */
typedef struct sheaf_sample_entry {
	int64_t index, at;
} sheaf_sample_entry;

/* Whether the positions of a level are sparse samples, or dense ones, which have all indices. */
bool sheaf_level_has_samples(const sheaf_column *column, int level);
/* Appends the entries of a run of such a level by their indices, those of one index as they come. */
void sheaf_sort_sample(const sheaf_level *level, sheaf_run run, sheaf_builder *b);

#endif
