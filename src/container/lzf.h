/* SPDX-License-Identifier: MIT */
/* Chunks that were packed by LZF. */
#ifndef SHEAF_CONTAINER_LZF_H
#define SHEAF_CONTAINER_LZF_H

#include <sheaf/base.h>
#include <sheaf/io.h>

/* False if the bytes are damaged, or do not unpack to exactly `size`. */
bool sheaf_lzf_unpack(sheaf_bytes packed, uint8_t *to, size_t size);

#endif
