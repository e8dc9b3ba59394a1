/* SPDX-License-Identifier: MIT */
/* Bytes in readable form. */
#include "base/show.h"
#include <stdio.h>
#include <string.h>

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

size_t sheaf_utf8_take(const uint8_t *s, size_t n, uint32_t *point)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = s[0] < 0x80             ? 1
	                : (s[0] & 0xe0) == 0xc0 ? 2
	                : (s[0] & 0xf0) == 0xe0 ? 3
	                : (s[0] & 0xf8) == 0xf0 ? 4
	                                        : 0;
	*point = s[0];
	if (length <= 1 || length > n) return length == 1;
	*point &= 0x7fu >> length;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80) return 0;
		*point = *point << 6 | (s[i] & 0x3fu);
	}
	return *point < least[length] || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000) ? 0 : length;
}

/* The first and the last of characters that are not shown: of control, of direction, of the ends of lines. */
static const uint16_t hidden[][2] = {
	{0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

size_t sheaf_show_character(const char *text, size_t n, char shown[SHEAF_SHOWN])
{
	const uint8_t *s = (const uint8_t *)text;
	shown[0] = '\0';
	if (n == 0) return 0;
	uint32_t point;
	size_t length = sheaf_utf8_take(s, n, &point);
	if (length == 0 || s[0] < 0x20) {
		snprintf(shown, SHEAF_SHOWN, "\\x%02x", s[0]);
		return 1;
	}
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		if (point >= hidden[i][0] && point <= hidden[i][1]) {
			snprintf(shown, SHEAF_SHOWN, "\\u%04x", point);
			return length;
		}
	memcpy(shown, text, length);
	shown[length] = '\0';
	return length;
}

size_t sheaf_ascii_prefix(const uint8_t *s, size_t n)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t words[4];
	size_t i = 0;
	while (n - i >= sizeof words) {
		memcpy(words, s + i, sizeof words);
		if ((words[0] | words[1] | words[2] | words[3]) & high) break;
		i += sizeof words;
	}
	while (i < n && s[i] < 0x80) i++;
	return i;
}

size_t sheaf_utf8_prefix(const uint8_t *s, size_t n)
{
	size_t i = sheaf_ascii_prefix(s, n);
	for (size_t length; i < n; i += length)
		if ((length = s[i] < 0x80 ? 1 : sheaf_utf8_length(s + i, n - i)) == 0) break;
	return i;
}

bool sheaf_is_utf8(const uint8_t *s, size_t n) { return sheaf_utf8_prefix(s, n) == n; }
