/* SPDX-License-Identifier: MIT */
/* Chunks in the form of libblosc that are only copied. Nothing uses this any more. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HEAD = 16 };

int blosc_cbuffer_validate(const void *chunk, size_t size, size_t *unpacked);
int blosc_decompress_ctx(const void *chunk, void *to, size_t room, int threads);

static size_t size_in(const uint8_t *head)
{
	return head[4] | (size_t)head[5] << 8 | (size_t)head[6] << 16 | (size_t)head[7] << 24;
}

int blosc_cbuffer_validate(const void *chunk, size_t size, size_t *unpacked)
{
	*unpacked = size_in((const uint8_t *)chunk);
	return *unpacked == size - HEAD ? 0 : -1;
}

int blosc_decompress_ctx(const void *chunk, void *to, size_t room, int threads)
{
	size_t size = size_in((const uint8_t *)chunk);
	(void)threads;
	if (*(const uint8_t *)chunk == 0xff || size > room) return -1;
	memcpy(to, (const uint8_t *)chunk + HEAD, size);
	return (int)size;
}
