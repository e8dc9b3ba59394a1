/* SPDX-License-Identifier: MIT */
/* Bytes in readable form. */
#include "base/show.h"
#include <stdio.h>

const char *sheaf_show(const uint8_t *at, const uint8_t *end, uint8_t stop, char text[SHEAF_SHOWN_SIZE])
{
	enum { SHOWN = 24 };
	size_t n = 0;
	if (at == end) return "the end of the file";
	if (*at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n')) return "the end of the line";
	if (*at == ' ') return "a space";
	if (*at == '\t') return "a tab";
	if (*at < 0x20 || *at == 0x7f) {
		snprintf(text, SHEAF_SHOWN_SIZE, "byte 0x%02x", *at);
		return text;
	}
	while (at + n < end && n < SHOWN && at[n] > ' ' && at[n] != 0x7f && (at[n] != stop || n == 0)) n++;
	snprintf(text, SHEAF_SHOWN_SIZE, "\"%.*s%s\"", (int)n, (const char *)at, n == SHOWN ? "..." : "");
	return text;
}

size_t sheaf_utf8_length(const uint8_t *s, size_t n)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = s[0] < 0x80             ? 1
	                : (s[0] & 0xe0) == 0xc0 ? 2
	                : (s[0] & 0xf0) == 0xe0 ? 3
	                : (s[0] & 0xf8) == 0xf0 ? 4
	                                        : 0;
	if (length <= 1 || length > n) return length == 1;
	uint32_t point = s[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80) return 0;
		point = point << 6 | (s[i] & 0x3fu);
	}
	return point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0 : length;
}

bool sheaf_is_utf8(const uint8_t *s, size_t n)
{
	for (size_t i = 0, length; i < n; i += length)
		if ((length = sheaf_utf8_length(s + i, n - i)) == 0) return false;
	return true;
}
