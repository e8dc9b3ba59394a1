/* SPDX-License-Identifier: MIT */
/* Memory that nobody reads soon: whole lines of it are written bypassing the caches if the processor can, so
 * that none is fetched before it is overwritten. */
#ifndef SHEAF_NUMBER_KERNELS_STREAM_H
#define SHEAF_NUMBER_KERNELS_STREAM_H

#include <stddef.h>
#include <stdint.h>

enum { SHEAF_STREAM_LINE = 64 };

/* As memcpy. */
void sheaf_stream(void *restrict to, const void *restrict from, size_t size);
/* After the last one, before another thread reads. */
void sheaf_stream_end(void);

/* A hint: this memory will soon be read and written, in whatever order. */
static inline void sheaf_fetch(const void *memory, size_t size)
{
	const uint8_t *at = (const uint8_t *)memory;
	for (size_t k = 0; k < size; k += SHEAF_STREAM_LINE) __builtin_prefetch(at + k, 1);
}

#endif
