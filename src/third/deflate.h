/* SPDX-License-Identifier: MIT */
/* The one door to libdeflate: zlib streams whole in memory. States belong to one thread at a time. */
#ifndef SHEAF_THIRD_DEFLATE_H
#define SHEAF_THIRD_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct libdeflate_compressor sheaf_deflater;
typedef struct libdeflate_decompressor sheaf_inflater;

enum { SHEAF_DEFLATE_MOST = 12 };

/* Level 1 to SHEAF_DEFLATE_MOST; NULL for want of memory. */
sheaf_deflater *sheaf_deflater_new(int level);
void sheaf_deflater_free(sheaf_deflater *deflater);
/* Bytes of the result; 0 where it is larger than `room`. */
size_t sheaf_deflate(sheaf_deflater *deflater, const void *data, size_t size, void *to, size_t room);
/* The same without zlib's head and sum, to make a stream of parts; and that sum. */
size_t sheaf_deflate_raw(sheaf_deflater *deflater, const void *data, size_t size, void *to, size_t room);
uint32_t sheaf_adler32(const void *data, size_t size);

sheaf_inflater *sheaf_inflater_new(void);
void sheaf_inflater_free(sheaf_inflater *inflater);
/* False where the data are damaged, or are not exactly `to_size` bytes unpacked. */
bool sheaf_inflate(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t to_size);
/* The same of a stream without a head and a sum, as archives have them. */
bool sheaf_inflate_raw(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t to_size);
/* The sum of `before`, which begins as 0, and what is after. */
uint32_t sheaf_crc32(uint32_t before, const void *data, size_t size);
/* The sum of two texts, one after the other, of which the second has `second_size` bytes. */
uint32_t sheaf_crc32_join(uint32_t first, uint32_t second, uint64_t second_size);

#endif
