/* SPDX-License-Identifier: MIT */
/* The only file that uses libdeflate: zlib streams that are whole in memory. A state belongs to one thread at
 * a time. */
#ifndef SHEAF_BASE_THIRD_DEFLATE_H
#define SHEAF_BASE_THIRD_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct libdeflate_compressor sheaf_deflater;
typedef struct libdeflate_decompressor sheaf_inflater;

enum { SHEAF_DEFLATE_MOST = 12 };

/* Level 1 to SHEAF_DEFLATE_MOST; NULL if memory runs out. */
sheaf_deflater *sheaf_deflater_new(int level);
void sheaf_deflater_free(sheaf_deflater *deflater);
/* Size of the result in bytes; 0 if it is larger than `room`. */
size_t sheaf_deflate(sheaf_deflater *deflater, const void *data, size_t size, void *to, size_t room);
/* The same without zlib's header and checksum, to make a stream from parts; and that checksum. */
size_t sheaf_deflate_raw(sheaf_deflater *deflater, const void *data, size_t size, void *to, size_t room);
/* Room that is enough for any `size` bytes, at any level. */
size_t sheaf_deflate_raw_room(size_t size);
uint32_t sheaf_adler32(const void *data, size_t size);

sheaf_inflater *sheaf_inflater_new(void);
void sheaf_inflater_free(sheaf_inflater *inflater);
/* False if the data are damaged; *to_size, the room, becomes the number of bytes, or SIZE_MAX if there are
 * more. */
bool sheaf_inflate(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t *to_size);
/* For a stream without header and checksum, as archives have them; false if the data do not unpack to exactly
 * `to_size` bytes, too. */
bool sheaf_inflate_raw(sheaf_inflater *inflater, const void *data, size_t size, void *to, size_t to_size);
/* The checksum of `before`, which begins as 0, and of what follows it. */
uint32_t sheaf_crc32(uint32_t before, const void *data, size_t size);
/* The checksum of two texts, one after the other; the second has `second_size` bytes. */
uint32_t sheaf_crc32_join(uint32_t first, uint32_t second, uint64_t second_size);

#endif
