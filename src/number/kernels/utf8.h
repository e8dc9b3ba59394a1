/* SPDX-License-Identifier: MIT */
/* Whether texts are UTF-8, many bytes at a time. What UTF-8 is, sheaf_utf8_length (base/show.h) says. */
#ifndef SHEAF_NUMBER_KERNELS_UTF8_H
#define SHEAF_NUMBER_KERNELS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Skips blocks from s[i] on in which it is certain of all characters, up to s[n]; three bytes come before
 * s[i], and the last character may go on after the blocks. Returns where the rest begins: skipping nothing is
 * correct. */
typedef size_t sheaf_utf8_skipper(const uint8_t *s, size_t i, size_t n);

/* The number of the first text in bytes[ends[0]..ends[n]) that is not UTF-8, where text k ends before
 * ends[k + 1]; n: all of them are. */
int64_t sheaf_find_not_utf8(const uint8_t *bytes, const int64_t *ends, int64_t n);

#endif
