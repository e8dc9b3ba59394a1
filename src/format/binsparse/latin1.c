/* SPDX-License-Identifier: MIT */
/* Texts of old files are often Latin-1, and JSON is UTF-8. */
#include "base/buffer.h"
#include "base/show.h"
#include "format/binsparse/binsparse.h"

bool sheaf_bsp_is_utf8(const void *text, size_t size)
{
	size_t length;
	for (size_t at = 0; at < size; at += length)
		if ((length = sheaf_utf8_length((const uint8_t *)text + at, size - at)) == 0) return false;
	return true;
}

void sheaf_bsp_put_latin1(sheaf_builder *b, const void *text, size_t size)
{
	const uint8_t *bytes = (const uint8_t *)text;
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] >= 0x80) sheaf_builder_byte(b, (char)(0xc0 | bytes[i] >> 6));
		sheaf_builder_byte(b, (char)(bytes[i] < 0x80 ? bytes[i] : 0x80 | (bytes[i] & 0x3f)));
	}
}
