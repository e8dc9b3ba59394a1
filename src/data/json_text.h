/* SPDX-License-Identifier: MIT */
/* Text that may stand in JSON. */
#ifndef SHEAF_DATA_JSON_TEXT_H
#define SHEAF_DATA_JSON_TEXT_H

#include "base/buffer.h"

/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void sheaf_json_string(sheaf_builder *b, const char *text, size_t n);
/* A JSON number, or "nan", "inf", "-inf" as a string. */
void sheaf_json_real(sheaf_builder *b, double v);

#endif
