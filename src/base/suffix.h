/* SPDX-License-Identifier: MIT */
/* The suffixes of file names. Case does not matter, and a name that consists of nothing but a suffix has
 * none. */
#ifndef SHEAF_BASE_SUFFIX_H
#define SHEAF_BASE_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the first n bytes of a name without the suffix: n if they do not end with it. */
size_t sheaf_without_suffix(const char *name, size_t n, const char *suffix);
bool sheaf_has_suffix(const char *name, const char *suffix);
/* One of several; the list ends with NULL. */
bool sheaf_has_suffix_of(const char *name, const char *const *suffixes);

#endif
