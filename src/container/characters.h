/* SPDX-License-Identifier: MIT */
/* Texts as NumPy stores them: each in as many bytes as the longest takes. */
#ifndef SHEAF_CONTAINER_CHARACTERS_H
#define SHEAF_CONTAINER_CHARACTERS_H

#include "base/buffer.h"

/* Appends a text of UTF-32 as UTF-8, without the NULs at its end. Invalid characters become U+FFFD. */
void sheaf_box_put_utf32(sheaf_builder *text, const uint8_t *bytes, size_t size, bool is_big);
/* The same for bytes, unchanged. */
void sheaf_box_put_padded(sheaf_builder *text, const uint8_t *bytes, size_t size);
/* Appends UTF-8 as little-endian UTF-32; returns the number of characters. */
size_t sheaf_box_spread_utf8(sheaf_builder *to, const uint8_t *text, size_t size);

#endif
