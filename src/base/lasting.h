/* SPDX-License-Identifier: MIT */
/* Texts that come from a file where the library has static strings: names of rules, of losses. */
#ifndef SHEAF_BASE_LASTING_H
#define SHEAF_BASE_LASTING_H

/* The same text, cut to 63 bytes, for as long as the process lives; NULL for NULL. A process keeps some
 * hundred different ones, and calls all that come after them "other". Any thread. */
const char *sheaf_lasting_text(const char *text);

#endif
