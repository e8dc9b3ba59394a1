/* SPDX-License-Identifier: MIT */
/* Little-endian and big-endian numbers at any address, on any machine. The compiler turns each into one move
 * where it can. */
#ifndef SHEAF_BASE_ENDIAN_H
#define SHEAF_BASE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline uint32_t sheaf_load_u32le(const void *from)
{
	const uint8_t *b = (const uint8_t *)from;
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t sheaf_load_u64le(const void *from)
{
	return (uint64_t)sheaf_load_u32le(from) | (uint64_t)sheaf_load_u32le((const uint8_t *)from + 4) << 32;
}

static inline uint32_t sheaf_load_u32be(const void *from)
{
	const uint8_t *b = (const uint8_t *)from;
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

/* Two's complement, without a cast whose result the standard leaves to the implementation. */
static inline int32_t sheaf_signed_32(uint32_t u)
{
	return u <= INT32_MAX ? (int32_t)u : -1 - (int32_t)(UINT32_MAX - u);
}

static inline int32_t sheaf_load_i32le(const void *from) { return sheaf_signed_32(sheaf_load_u32le(from)); }

static inline int32_t sheaf_load_i32be(const void *from) { return sheaf_signed_32(sheaf_load_u32be(from)); }

static inline int64_t sheaf_load_i64le(const void *from)
{
	uint64_t u = sheaf_load_u64le(from);
	return u <= INT64_MAX ? (int64_t)u : -1 - (int64_t)(UINT64_MAX - u);
}

/* This machine's word whose bytes in memory are those of v, lowest first. Compilers recognise loads that are
 * made of single bytes, but compile such stores badly. */
static inline uint64_t sheaf_u64_in_le(uint64_t v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap64(v);
}
static inline uint32_t sheaf_u32_in_le(uint32_t v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? v : __builtin_bswap32(v);
}

static inline void sheaf_store_u32le(void *to, uint32_t v)
{
	v = sheaf_u32_in_le(v);
	memcpy(to, &v, sizeof v);
}

static inline void sheaf_store_u32be(void *to, uint32_t v)
{
	uint8_t *b = (uint8_t *)to;
	for (int i = 0; i < 4; i++) b[3 - i] = (uint8_t)(v >> 8 * i);
}

static inline void sheaf_store_u64le(void *to, uint64_t v)
{
	v = sheaf_u64_in_le(v);
	memcpy(to, &v, sizeof v);
}

/* Copies `count` numbers of `size` bytes with the bytes of each in the opposite order. */
static inline void sheaf_copy_reversed(void *to, const void *from, size_t count, size_t size)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < size; k++)
			((uint8_t *)to)[i * size + k] = ((const uint8_t *)from)[i * size + size - 1 - k];
}

/* Copies `count` numbers of `size` bytes from this machine's order into little-endian order, or back. */
static inline void sheaf_copy_le(void *to, const void *from, size_t count, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (count) memcpy(to, from, count * size);
#else
	sheaf_copy_reversed(to, from, count, size);
#endif
}

#endif
