/* SPDX-License-Identifier: MIT */
/* Texts from a file in places where the library has static strings: names of rules and of losses. */
#ifndef SHEAF_BASE_LASTING_H
#define SHEAF_BASE_LASTING_H

/* The same text, cut to 63 bytes, valid for the lifetime of the process; NULL for NULL. A process keeps a few
 * hundred different ones, and calls all later ones "other". Any thread. */
const char *sheaf_lasting_text(const char *text);

#endif
