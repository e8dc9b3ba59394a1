/* SPDX-License-Identifier: MIT */
/* What a format has no place for, and how that is said. */
#ifndef SHEAF_INPUT_LOST_H
#define SHEAF_INPUT_LOST_H

#include "format/format.h"

/* Whether a column goes lost in a format: a key, or what is said of rows besides their streams. Other shapes
 * are for `accept` to refuse. */
bool sheaf_loses_field(const sheaf_format *format, const sheaf_field *field);
/* Rows of a file: what they are, how many there are, and the number of the first. */
typedef struct sheaf_rows_of {
	const char *file;
	sheaf_row_kind rows;
	int64_t row, nrows;
} sheaf_rows_of;
/* Reports a LOSS for each of the rows that says something in such a column. */
SHEAF_USE sheaf_status sheaf_report_lost(const sheaf_field *field, const sheaf_column *column,
                                         const sheaf_rows_of *rows, sheaf_context *cx, sheaf_error *err);
/* The same for what is said of the dataset as a whole. */
SHEAF_USE sheaf_status sheaf_report_attributes(const sheaf_format *format, const sheaf_schema *schema,
                                               const char *file, sheaf_context *cx, sheaf_error *err);

/* What the rule of this warning is called: */
#define SHEAF_RULE_KEYS "keys become positions"
/* Warns, once, where the keys of rows are not their numbers, which they become. */
SHEAF_USE sheaf_status sheaf_report_keys(const uint64_t *keys, const sheaf_rows_of *rows, bool *reported,
                                         sheaf_context *cx, sheaf_error *err);

#endif
