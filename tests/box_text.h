/* SPDX-License-Identifier: MIT */
/* Boxes as texts that can be read, reviewed and changed: for files that probe one rule, for examples of
 * pages, and for fuzzing.
 *
 *   # a comment                         such lines, and empty ones, are skipped
 *   /A/sub                              what follows is in this group; at first the root
 *   binsparse = {"binsparse": ...       an attribute of the group: a text, which continues in lines that
 * begin with a blank or a tab indices_1: uint8 0 3 1              an array: its type, and its values; each is
 * cut down to the type */
#ifndef SHEAF_TESTS_BOX_TEXT_H
#define SHEAF_TESTS_BOX_TEXT_H

#include "container/box.h"

/* Makes everything in the text in a box that is being written. DATA with the first line of another form. */
SHEAF_USE sheaf_status box_of_text(sheaf_box *box, const char *text, size_t size, sheaf_error *err);

#endif
