/* SPDX-License-Identifier: MIT */
/* Characters of four bytes (NumPy's U), and texts that are padded with NULs (S). A number that is no
 * character, such as a surrogate, becomes U+FFFD. */
#include "container/characters.h"
#include "base/endian.h"
#include "base/show.h"

enum { UNKNOWN = 0xfffd };

/* One character in one to four bytes. */
static void put_utf8(sheaf_builder *text, uint32_t c)
{
	enum { MOST = 0x10ffff };
	uint8_t bytes[4];
	if (c > MOST || (c >= 0xd800 && c < 0xe000)) c = UNKNOWN;
	sheaf_builder_append(text, bytes, sheaf_utf8_put(c, bytes));
}

/* A character in the file's byte order. */
static uint32_t load_character(const uint8_t *at, bool is_big)
{
	uint32_t c = sheaf_load_u32le(at);
	return is_big ? __builtin_bswap32(c) : c;
}

void sheaf_box_put_utf32(sheaf_builder *text, const uint8_t *bytes, size_t size, bool is_big)
{
	while (size >= 4 && load_character(bytes + size - 4, is_big) == 0) size -= 4;
	for (size_t at = 0; at + 4 <= size; at += 4) put_utf8(text, load_character(bytes + at, is_big));
}

void sheaf_box_put_padded(sheaf_builder *text, const uint8_t *bytes, size_t size)
{
	while (size > 0 && bytes[size - 1] == 0) size--;
	sheaf_builder_append(text, bytes, size);
}

/* The other way: each character takes four bytes. Returns their number. */
size_t sheaf_box_spread_utf8(sheaf_builder *to, const uint8_t *text, size_t size)
{
	size_t count = 0;
	for (size_t at = 0; at < size; count++) {
		uint32_t c;
		size_t n = sheaf_utf8_take(text + at, size - at, &c);
		sheaf_builder_u32le(to, n ? c : UNKNOWN);
		at += n ? n : 1;
	}
	return count;
}
