/* SPDX-License-Identifier: MIT */
#include "base/third/deflate.h"
#include "base/third/filled.h"
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

size_t sheaf_deflate_raw_room(size_t size) { return libdeflate_deflate_compress_bound(NULL, size); }

uint32_t sheaf_adler32(const void *data, size_t size) { return libdeflate_adler32(1, data, size); }

sheaf_inflater *sheaf_inflater_new(void) { return libdeflate_alloc_decompressor(); }

void sheaf_inflater_free(sheaf_inflater *inflater)
{
	if (inflater) libdeflate_free_decompressor(inflater);
}

bool sheaf_inflate(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t *to_size)
{
	SHEAF_FILLED(to, *to_size);
	enum libdeflate_result result = libdeflate_zlib_decompress(inflater, data, size, to, *to_size, to_size);
	if (result == LIBDEFLATE_INSUFFICIENT_SPACE) *to_size = SIZE_MAX;
	return result == LIBDEFLATE_SUCCESS || result == LIBDEFLATE_INSUFFICIENT_SPACE;
}

bool sheaf_inflate_raw(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t to_size)
{
	SHEAF_FILLED(to, to_size);
	return libdeflate_deflate_decompress(inflater, data, size, to, to_size, NULL) == LIBDEFLATE_SUCCESS;
}

uint32_t sheaf_crc32(uint32_t before, const void *data, size_t size)
{
	if (size == 0) return before; /* for no bytes at NULL libdeflate returns the initial checksum */
	return libdeflate_crc32(before, data, size);
}

/* The product of two polynomials over the bits 0 and 1, modulo the polynomial of the checksum. The highest
 * bit is the coefficient of 1. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	enum { OWN = (int)0xedb88320u };
	uint32_t product = 0;
	for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
		if (a & bit) product ^= b;
		b = b >> 1 ^ (b & 1 ? (uint32_t)OWN : 0);
	}
	return product;
}

/* A zero byte after a text multiplies its checksum by x^8. */
uint32_t sheaf_crc32_join(uint32_t first, uint32_t second, uint64_t second_size)
{
	for (uint32_t power = 1u << 23; second_size; second_size >>= 1, power = multiply(power, power))
		if (second_size & 1) first = multiply(first, power);
	return first ^ second;
}
