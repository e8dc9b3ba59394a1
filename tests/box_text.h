/* SPDX-License-Identifier: MIT */
/* Boxes as texts that can be read, reviewed and changed: for files that probe one rule, for examples of
 * pages, and for fuzzing.
 *
 *   # a comment                         lines that begin so, and empty ones, are passed over
 *   /A/sub                              what follows stands in this group; at first it is the root
 *   binsparse = {"binsparse": ...       an attribute of the group: a text, which goes on in lines that begin
 * with a blank or a tab indices_1: uint8 0 3 1              an array: its type, and its values; each is cut
 * down to the type */
#ifndef SHEAF_TESTS_BOX_TEXT_H
#define SHEAF_TESTS_BOX_TEXT_H

#include "box/box.h"

/* Makes everything of the text in a box that is being written. DATA with the line that is none of these. */
SHEAF_USE sheaf_status box_of_text(sheaf_box *box, const char *text, size_t size, sheaf_error *err);

#endif
