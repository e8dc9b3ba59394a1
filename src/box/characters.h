/* SPDX-License-Identifier: MIT */
/* Texts as NumPy stores them: in as many bytes as the longest takes. */
#ifndef SHEAF_BOX_CHARACTERS_H
#define SHEAF_BOX_CHARACTERS_H

#include "base/buffer.h"

/* Appends a text of UTF-32 as UTF-8, without the NULs at its end. What is no character becomes U+FFFD. */
void sheaf_box_put_utf32(sheaf_builder *text, const uint8_t *bytes, size_t size, bool is_big);
/* The same of bytes, as they are. */
void sheaf_box_put_padded(sheaf_builder *text, const uint8_t *bytes, size_t size);
/* Appends UTF-8 as little-endian UTF-32; gives the number of characters. */
size_t sheaf_box_spread_utf8(sheaf_builder *to, const uint8_t *text, size_t size);

#endif
