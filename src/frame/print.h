/* SPDX-License-Identifier: MIT */
/* Positions of columns as text. */
#ifndef SHEAF_FRAME_PRINT_H
#define SHEAF_FRAME_PRINT_H

#include "base/buffer.h"
#include "frame/schema/json_text.h"
#include <sheaf/report.h>

/* Everything under position `at` of level `level`, as SHEAF_TEXT, SHEAF_TEXT_SHORT or SHEAF_JSON shows it. */
void sheaf_position_text(sheaf_builder *b, const sheaf_column *column, int level, int64_t at,
                         sheaf_style style);
/* Row r of a frame whose first row has the number `row`, with its line's end, as sheaf_rows_text does. */
void sheaf_row_text(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, sheaf_style style,
                    int64_t row, int64_t r);
/* The cells of row r of a table as an object; if `plain`, as other programs read them: null instead of
 * {"null":0}, a point in whole reals, spans of time as numbers of any length. */
void sheaf_cells_json(sheaf_builder *b, const sheaf_frame *frame, const sheaf_schema *schema, int64_t r,
                      bool plain);

#endif
