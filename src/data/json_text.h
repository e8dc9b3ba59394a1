/* SPDX-License-Identifier: MIT */
/* Text that may stand in JSON, or on a line for people. */
#ifndef SHEAF_DATA_JSON_TEXT_H
#define SHEAF_DATA_JSON_TEXT_H

#include "base/buffer.h"

/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void sheaf_json_string(sheaf_builder *b, const char *text, size_t n);
/* Text of a file on a line of ours: control characters are spelled, as in "\\x1b". */
void sheaf_put_visibly(sheaf_builder *b, const char *text);
/* A JSON number, or "nan", "inf", "-inf" as a string. */
void sheaf_json_real(sheaf_builder *b, double v);

#endif
