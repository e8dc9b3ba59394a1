/* SPDX-License-Identifier: MIT */
/* What a format has no place for, and how that is reported. */
#ifndef SHEAF_DATASET_INPUT_LOST_H
#define SHEAF_DATASET_INPUT_LOST_H

#include "format/format.h"

/* Whether a column is lost in a format: a key, or data about rows besides their streams. Other shapes are for
 * `accept` to refuse. */
bool sheaf_loses_field(const sheaf_format *format, const sheaf_field *field);
/* Rows of a file: what they are, how many there are, and the number of the first. */
typedef struct sheaf_rows_of {
	const char *file;
	sheaf_row_kind rows;
	int64_t row, nrows;
} sheaf_rows_of;
/* Reports a LOSS for each of the rows that has a value in such a column. */
SHEAF_USE sheaf_status sheaf_report_lost(const sheaf_field *field, const sheaf_column *column,
                                         const sheaf_rows_of *rows, sheaf_context *cx, sheaf_error *err);
/* Reports a LOSS of a column as such, whatever it would contain, in a file without rows. */
SHEAF_USE sheaf_status sheaf_report_lost_column(const sheaf_field *field, const char *file,
                                                sheaf_row_kind rows, sheaf_context *cx, sheaf_error *err);
/* Reports a LOSS for each text about the dataset as a whole that the format cannot hold. */
SHEAF_USE sheaf_status sheaf_report_attributes(const sheaf_format *format, const sheaf_schema *schema,
                                               const char *file, sheaf_context *cx, sheaf_error *err);

/* The name of this warning's rule: */
#define SHEAF_RULE_KEYS "keys become positions"
/* Warns, once, if the keys of rows are not their numbers, which will replace them. */
SHEAF_USE sheaf_status sheaf_report_keys(const uint64_t *keys, const sheaf_rows_of *rows, bool *reported,
                                         sheaf_context *cx, sheaf_error *err);

#endif
