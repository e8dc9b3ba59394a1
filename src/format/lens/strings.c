/* SPDX-License-Identifier: MIT */
/* Strings of example files: valid UTF-8 is taken as UTF-8, anything else as Latin-1, as in Lens. */
#include "base/show.h"
#include "format/lens/reader.h"

static bool is_utf8(const uint8_t *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t n = text[at] < 0x80 ? 1 : sheaf_utf8_length(text + at, size - at);
		if (n == 0) return false;
		at += n;
	}
	return true;
}

/* Each byte from 0x80 on becomes two, from the last one to the first, in place. */
void sheaf_lens_make_utf8(sheaf_builder *text)
{
	size_t more = 0;
	if (is_utf8(text->data, text->size)) return;
	for (size_t i = 0; i < text->size; i++) more += text->data[i] >> 7;
	if (!sheaf_builder_room(text, more)) return;
	size_t from = text->size, to = text->size += more;
	while (from > 0) {
		uint8_t byte = text->data[--from];
		text->data[--to] = byte < 0x80 ? byte : 0x80 | (byte & 0x3f);
		if (byte >= 0x80) text->data[--to] = (uint8_t)(0xc0 | byte >> 6);
	}
}
