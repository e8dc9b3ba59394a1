/* SPDX-License-Identifier: MIT */
/* Bytes that were packed by LZF, or by BloscLZ. */
#ifndef SHEAF_CONTAINER_LZF_H
#define SHEAF_CONTAINER_LZF_H

#include <sheaf/base.h>
#include <sheaf/io.h>

/* False if the bytes are damaged; *size, the room, becomes the number of bytes, or SIZE_MAX if there are
 * more. */
bool sheaf_lzf_unpack(sheaf_bytes packed, uint8_t *to, size_t *size, bool is_blosc);

#endif
