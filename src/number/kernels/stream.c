/* SPDX-License-Identifier: MIT */
/* Stores that every x86-64 has, and memcpy elsewhere. */
#include "number/kernels/stream.h"
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum { LINE = SHEAF_STREAM_LINE };

/* Writes a line of 64 bytes, to a multiple of 64, past the caches. */
static void put_line(uint8_t *restrict to, const uint8_t *restrict from)
{
	__m128i *line = (__m128i *)(void *)to;
	const __m128i *held = (const __m128i *)(const void *)from;
	__m128i a = _mm_loadu_si128(held), b = _mm_loadu_si128(held + 1), c = _mm_loadu_si128(held + 2),
			d = _mm_loadu_si128(held + 3);
	_mm_stream_si128(line, a);
	_mm_stream_si128(line + 1, b);
	_mm_stream_si128(line + 2, c);
	_mm_stream_si128(line + 3, d);
}

/* Bytes before the first whole line of the target, and after the last, are copied as usual. */
void sheaf_stream(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *at = (uint8_t *)to;
	const uint8_t *held = (const uint8_t *)from;
	size_t before = -(uintptr_t)at % LINE;
	if (before) {
		if (before > size) before = size;
		memcpy(at, held, before);
		at += before, held += before, size -= before;
	}
	for (; size >= LINE; at += LINE, held += LINE, size -= LINE) put_line(at, held);
	if (size) memcpy(at, held, size);
}

void sheaf_stream_end(void) { _mm_sfence(); }
#else
void sheaf_stream(void *restrict to, const void *restrict from, size_t size) { memcpy(to, from, size); }

void sheaf_stream_end(void) {}
#endif
