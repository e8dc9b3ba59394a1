/* SPDX-License-Identifier: MIT */
/* Text for JSON, or for a line that people read. */
#ifndef SHEAF_FRAME_SCHEMA_JSON_TEXT_H
#define SHEAF_FRAME_SCHEMA_JSON_TEXT_H

#include "base/buffer.h"

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void sheaf_json_string(sheaf_builder *b, const char *text, size_t n);
/* Text from a file within a line of ours: as sheaf_show_character shows it. */
void sheaf_put_visibly(sheaf_builder *b, const char *text);
/* A JSON number, or "nan", "inf", "-inf" as a string. */
void sheaf_json_real(sheaf_builder *b, double v);

/* Members of objects and elements of lists. The last byte of the text shows whether a comma comes first: not
 * where it opened an object, a list, a value or a line. So callers keep no count of what they have written. A
 * member that begins the text continues an object whose beginning is elsewhere, and has a comma; an element,
 * whose name is NULL, has none there. */
void sheaf_member(sheaf_builder *b, const char *name); /* the name alone: the caller writes the value */
void sheaf_member_text(sheaf_builder *b, const char *name, const char *text); /* of NULL: null */
void sheaf_member_count(sheaf_builder *b, const char *name, int64_t n);
void sheaf_member_real(sheaf_builder *b, const char *name, double v);
void sheaf_member_flag(sheaf_builder *b, const char *name, bool flag);
/* Begins an object ('{') or a list ('['), which the caller ends with its closing bracket. */
void sheaf_member_open(sheaf_builder *b, const char *name, char bracket);

#endif
