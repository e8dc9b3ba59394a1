/* SPDX-License-Identifier: MIT */
/* Positions of columns as text, and text that may stand in JSON. */
#ifndef SHEAF_DATA_PRINT_H
#define SHEAF_DATA_PRINT_H

#include "base/buffer.h"
#include <sheaf/report.h>

/* Everything under position `at` of level `level`, as SHEAF_TEXT, SHEAF_TEXT_SHORT or SHEAF_JSON shows it. */
void sheaf_position_text(sheaf_builder *b, const sheaf_column *column, int level, int64_t at,
                         sheaf_style style);
/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void sheaf_json_string(sheaf_builder *b, const char *text, size_t n);
/* A JSON number, or "nan", "inf", "-inf" as a string. */
void sheaf_json_real(sheaf_builder *b, double v);

#endif
