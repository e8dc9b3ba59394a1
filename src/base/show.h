/* SPDX-License-Identifier: MIT */
/* How messages show bytes of an input. */
#ifndef SHEAF_BASE_SHOW_H
#define SHEAF_BASE_SHOW_H

#include <sheaf/base.h>
#include <string.h>

enum { SHEAF_SHOWN_SIZE = 64 };

/* What is found at `at`, for a message: "abc" in quotes up to a space or `stop`, "the end of the line", "byte
 * 0x00". */
const char *sheaf_show(const uint8_t *at, const uint8_t *end, uint8_t stop, char text[SHEAF_SHOWN_SIZE]);

/* Reads the character at s[0..n), n > 0, and returns the length of its sequence in UTF-8; 0 if there is no
 * valid one, as for overlong forms and surrogates. */
size_t sheaf_utf8_take(const uint8_t *s, size_t n, uint32_t *point);
/* Returns that length, without the character. */
static inline size_t sheaf_utf8_length(const uint8_t *s, size_t n)
{
	uint32_t point;
	return sheaf_utf8_take(s, n, &point);
}
/* Writes a character in its one to four bytes, and returns their number. The caller ensures that there is
 * such a character. */
static inline size_t sheaf_utf8_put(uint32_t point, uint8_t *to)
{
	static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	if (point < 0x80) return *to = (uint8_t)point, 1;
	size_t n = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	for (size_t i = n; i-- > 1; point >>= 6) to[i] = (uint8_t)(0x80 | (point & 0x3f));
	to[0] = (uint8_t)(lead[n] | point);
	return n;
}
/* The size of the byte order mark of UTF-8 with which s[0..n) begins, or 0. */
static inline size_t sheaf_utf8_mark(const uint8_t *s, size_t n)
{
	return n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}
/* How many of the first bytes of s[0..n) are ASCII. */
size_t sheaf_ascii_prefix(const uint8_t *s, size_t n);
/* How many of the first bytes of s[0..n) are whole characters of UTF-8. */
size_t sheaf_utf8_prefix(const uint8_t *s, size_t n);
/* Whether all of s[0..n) is UTF-8. */
bool sheaf_is_utf8(const uint8_t *s, size_t n);

#endif
