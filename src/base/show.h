/* SPDX-License-Identifier: MIT */
/* How messages show bytes of an input. */
#ifndef SHEAF_BASE_SHOW_H
#define SHEAF_BASE_SHOW_H

#include <sheaf/base.h>

enum { SHEAF_SHOWN_SIZE = 64 };

/* What is found at `at`, for a message: "abc" in quotes up to a space or `stop`, "the end of the line", "byte
 * 0x00". */
const char *sheaf_show(const uint8_t *at, const uint8_t *end, uint8_t stop, char text[SHEAF_SHOWN_SIZE]);

/* Length of the UTF-8 sequence at s[0..n), n > 0; 0 if there is no valid one, as for overlong forms and
 * surrogates. */
size_t sheaf_utf8_length(const uint8_t *s, size_t n);
/* How many of the first bytes of s[0..n) are ASCII. */
size_t sheaf_ascii_prefix(const uint8_t *s, size_t n);
/* How many of the first bytes of s[0..n) are whole characters of UTF-8. */
size_t sheaf_utf8_prefix(const uint8_t *s, size_t n);
/* Whether all of s[0..n) is UTF-8. */
bool sheaf_is_utf8(const uint8_t *s, size_t n);

#endif
