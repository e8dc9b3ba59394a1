/* SPDX-License-Identifier: MIT */
#include "third/deflate.h"
#include "third/filled.h"
#include <libdeflate.h>

sheaf_deflater *sheaf_deflater_new(int level) { return libdeflate_alloc_compressor(level); }

void sheaf_deflater_free(sheaf_deflater *deflater)
{
	if (deflater) libdeflate_free_compressor(deflater);
}

size_t sheaf_deflate(sheaf_deflater *deflater, const void *data, size_t size, void *to, size_t room)
{
	size_t filled = libdeflate_zlib_compress(deflater, data, size, to, room);
	SHEAF_FILLED(to, filled);
	return filled;
}

size_t sheaf_deflate_raw(sheaf_deflater *deflater, const void *data, size_t size, void *to, size_t room)
{
	size_t filled = libdeflate_deflate_compress(deflater, data, size, to, room);
	SHEAF_FILLED(to, filled);
	return filled;
}

uint32_t sheaf_adler32(const void *data, size_t size) { return libdeflate_adler32(1, data, size); }

sheaf_inflater *sheaf_inflater_new(void) { return libdeflate_alloc_decompressor(); }

void sheaf_inflater_free(sheaf_inflater *inflater)
{
	if (inflater) libdeflate_free_decompressor(inflater);
}

bool sheaf_inflate(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t to_size)
{
	SHEAF_FILLED(to, to_size);
	return libdeflate_zlib_decompress(inflater, data, size, to, to_size, NULL) == LIBDEFLATE_SUCCESS;
}

bool sheaf_inflate_raw(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t to_size)
{
	SHEAF_FILLED(to, to_size);
	return libdeflate_deflate_decompress(inflater, data, size, to, to_size, NULL) == LIBDEFLATE_SUCCESS;
}

uint32_t sheaf_crc32(uint32_t before, const void *data, size_t size)
{
	if (size == 0) return before; /* of no bytes at NULL libdeflate gives the first sum */
	return libdeflate_crc32(before, data, size);
}
