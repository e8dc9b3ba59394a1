/* SPDX-License-Identifier: MIT */
/* Integers of any type as those of 64 bits. Indices and coordinates of files have any type, and ours are I32
 * or I64: a number that does not fit becomes -1, which every check of a range refuses. */
#include "frame/integers.h"
#include <string.h>

/* `narrowed` is v as the type. */
#define INTEGERS(name, type, narrowed) \
	static void widen_##name(const void *from, int64_t n, int64_t *to) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			type v; \
			memcpy(&v, (const uint8_t *)from + (size_t)i * sizeof v, sizeof v); \
			to[i] = (int64_t)v; \
		} \
	} \
	static void narrow_##name(const int64_t *from, int64_t n, void *to) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			int64_t v = from[i]; \
			((type *)to)[i] = (type)(narrowed); \
		} \
	}
INTEGERS(u8, uint8_t, v)
INTEGERS(u16, uint16_t, v)
INTEGERS(u32, uint32_t, v)
INTEGERS(i8, int8_t, v)
INTEGERS(i16, int16_t, v)
INTEGERS(i32, int32_t, v<0 || v> INT32_MAX ? -1 : v)

static void widen_all(const void *from, int64_t n, int64_t *to)
{
	if (n) memcpy(to, from, (size_t)n * sizeof *to);
}

static void narrow_none(const int64_t *from, int64_t n, void *to) { widen_all(from, n, (int64_t *)to); }

void sheaf_integers_widen(sheaf_type type, const void *from, int64_t n, int64_t *to)
{
	static void (*const by_type[SHEAF_TYPES])(const void *, int64_t, int64_t *) = {
		widen_u8, widen_u16, widen_u32, widen_all, widen_i8, widen_i16, widen_i32, widen_all};
	by_type[type](from, n, to);
}

void sheaf_integers_narrow(const int64_t *from, int64_t n, sheaf_type type, void *to)
{
	static void (*const by_type[SHEAF_TYPES])(const int64_t *, int64_t, void *) = {
		narrow_u8, narrow_u16, narrow_u32, narrow_none, narrow_i8, narrow_i16, narrow_i32, narrow_none};
	by_type[type](from, n, to);
}

/* Numbers go through blocks of 64 bits, except between types of one size, whose bytes are copied. */
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
