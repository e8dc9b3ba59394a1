/* SPDX-License-Identifier: MIT */
/* What a format has no place for, and how that is said. */
#ifndef SHEAF_INPUT_LOST_H
#define SHEAF_INPUT_LOST_H

#include "format/format.h"

/* Whether a column goes lost in a format: a key, or what is said of rows besides their streams. Other shapes
 * are for `accept` to refuse. */
bool sheaf_loses_field(const sheaf_format *format, const sheaf_field *field);
/* Reports a LOSS for each of the rows that says something in such a column; `row` is the number of the
 * first. */
SHEAF_USE sheaf_status sheaf_tell_of_lost(const sheaf_field *field, sheaf_row_kind rows,
                                          const sheaf_column *column, int64_t nrows, const char *file,
                                          int64_t row, sheaf_context *cx, sheaf_error *err);
/* The same for what is said of the dataset as a whole. */
SHEAF_USE sheaf_status sheaf_tell_of_attributes(const sheaf_format *format, const sheaf_schema *schema,
                                                const char *file, sheaf_context *cx, sheaf_error *err);

/* Warns, once, where the keys of rows are not their numbers, which they become; `row` is the number of the
 * first. */
SHEAF_USE sheaf_status sheaf_tell_of_keys(sheaf_context *cx, const char *file, const uint64_t *keys,
                                          int64_t row, int64_t nrows, bool *told, sheaf_error *err);

#endif
