/* SPDX-License-Identifier: MIT */
#include "base/third/szip.h"
#include "base/third/filled.h"
#include <szlib.h>

bool sheaf_szip_unpack(const uint32_t parameters[4], const void *data, size_t size, void *to, size_t to_size)
{
	SZ_com_t how = {.options_mask = (int)parameters[0],
	                .pixels_per_block = (int)parameters[1],
	                .bits_per_pixel = (int)parameters[2],
	                .pixels_per_scanline = (int)parameters[3]};
	uint32_t bits = parameters[2], block = parameters[1], line = parameters[3];
	size_t given = to_size;
	bool is_known = bits > 0 && (bits <= 32 || bits == 64) && block >= 2 &&
	                block <= SZ_MAX_PIXELS_PER_BLOCK && block % 2 == 0 && line >= block &&
	                line <= SZ_MAX_PIXELS_PER_SCANLINE;
	SHEAF_FILLED(to, to_size);
	return is_known && SZ_BufftoBuffDecompress(to, &given, data, size, &how) == SZ_OK && given == to_size;
}
