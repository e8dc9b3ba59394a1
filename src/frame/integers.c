/* SPDX-License-Identifier: MIT */
/* Integers of any type as those of 64 bits. */
#include "frame/integers.h"
#include <string.h>

#define WIDEN(name, type) \
	static void widen_##name(const uint8_t *from, int64_t n, int64_t *to) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			type v; \
			memcpy(&v, from + (size_t)i * sizeof v, sizeof v); \
			to[i] = (int64_t)v; \
		} \
	}
WIDEN(u8, uint8_t)
WIDEN(u16, uint16_t)
WIDEN(u32, uint32_t)
WIDEN(i8, int8_t)
WIDEN(i16, int16_t)
WIDEN(i32, int32_t)

static void copy(const uint8_t *from, int64_t n, int64_t *to)
{
	if (n) memcpy(to, from, (size_t)n * sizeof *to);
}

void sheaf_integers_widen(sheaf_type type, const void *from, int64_t n, int64_t *to)
{
	static void (*const by_type[SHEAF_TYPES])(const uint8_t *, int64_t, int64_t *) = {
		[SHEAF_U8] = widen_u8, [SHEAF_U16] = widen_u16, [SHEAF_U32] = widen_u32, [SHEAF_U64] = copy,
		[SHEAF_I8] = widen_i8, [SHEAF_I16] = widen_i16, [SHEAF_I32] = widen_i32, [SHEAF_I64] = copy};
	by_type[type]((const uint8_t *)from, n, to);
}

#define NARROW(name, type) \
	static void narrow_##name(const int64_t *from, int64_t n, type *to) \
	{ \
		for (int64_t i = 0; i < n; i++) to[i] = (type)from[i]; \
	}
NARROW(u8, uint8_t)
NARROW(u16, uint16_t)
NARROW(u32, uint32_t)
NARROW(i8, int8_t)
NARROW(i16, int16_t)

static void narrow_i32(const int64_t *from, int64_t n, int32_t *to)
{
	for (int64_t i = 0; i < n; i++) to[i] = from[i] < 0 || from[i] > INT32_MAX ? -1 : (int32_t)from[i];
}

void sheaf_integers_narrow(const int64_t *from, int64_t n, sheaf_type type, void *to)
{
	switch (type) {
	case SHEAF_U8: narrow_u8(from, n, (uint8_t *)to); break;
	case SHEAF_U16: narrow_u16(from, n, (uint16_t *)to); break;
	case SHEAF_U32: narrow_u32(from, n, (uint32_t *)to); break;
	case SHEAF_I8: narrow_i8(from, n, (int8_t *)to); break;
	case SHEAF_I16: narrow_i16(from, n, (int16_t *)to); break;
	case SHEAF_I32: narrow_i32(from, n, (int32_t *)to); break;
	default:
		if (n) memcpy(to, from, (size_t)n * sizeof *from);
		break;
	}
}

void sheaf_integers_put(sheaf_type from, const void *numbers, int64_t n, sheaf_type type, sheaf_builder *to)
{
	enum { BLOCK = 512 };
	int64_t wide[BLOCK];
	size_t size = sheaf_type_size(type), width = sheaf_type_size(from);
	if (width == size) {
		sheaf_builder_append(to, numbers, (size_t)n * size);
		return;
	}
	uint8_t *out = sheaf_builder_extend(to, (uint64_t)n * size);
	for (int64_t at = 0; out && at < n; at += BLOCK) {
		int64_t some = n - at < BLOCK ? n - at : BLOCK;
		sheaf_integers_widen(from, (const uint8_t *)numbers + (size_t)at * width, some, wide);
		sheaf_integers_narrow(wide, some, type, out + (size_t)at * size);
	}
}
