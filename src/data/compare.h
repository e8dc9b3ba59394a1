/* SPDX-License-Identifier: MIT */
/* Whether two columns hold the same under a position, whatever their element types and storage: a FIXED run
 * counts as entries with indices 0, 1, 2, ... and so equals a COORD run that has all of them. */
#ifndef SHEAF_DATA_COMPARE_H
#define SHEAF_DATA_COMPARE_H

#include <sheaf/frame.h>

/* Whether a row of a column says no more than its absence would: everything under it is the field's usual
 * value, or missing. */
bool sheaf_row_is_usual(const sheaf_column *column, const sheaf_field *field, int64_t row);

bool sheaf_positions_equal(const sheaf_column *a, int level_a, int64_t at_a, const sheaf_column *b,
                           int level_b, int64_t at_b);

#endif
