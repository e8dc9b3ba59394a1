/* SPDX-License-Identifier: MIT */
/* Text for JSON, or for a line that people read. */
#ifndef SHEAF_DATA_JSON_TEXT_H
#define SHEAF_DATA_JSON_TEXT_H

#include "base/buffer.h"

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void sheaf_json_string(sheaf_builder *b, const char *text, size_t n);
/* Text from a file within a line of ours: as sheaf_show_character shows it. */
void sheaf_put_visibly(sheaf_builder *b, const char *text);
/* A JSON number, or "nan", "inf", "-inf" as a string. */
void sheaf_json_real(sheaf_builder *b, double v);

#endif
