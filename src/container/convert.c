/* SPDX-License-Identifier: MIT */
/* Stored values as another type, in either byte order. The answer is the first value that the other type
 * cannot hold, so that nothing is rounded or cut silently. Integers have fast ways; other pairs of types
 * go through the general form of a number. */
#include "container/inside.h"
#include "frame/integers.h"
#include "frame/value.h"
#include <string.h>

/* Returns whether a kind ('b', 'i', 'u', 'f', 'c') and a size in bytes are one of our types, which goes to
 * *out. A complex number is two floats side by side, so its size is even. */
bool sheaf_box_number_type(char kind, size_t size, sheaf_type *out)
{
	static const sheaf_type whole[2][4] = {{SHEAF_U8, SHEAF_U16, SHEAF_U32, SHEAF_U64},
	                                       {SHEAF_I8, SHEAF_I16, SHEAF_I32, SHEAF_I64}};
	if (kind == 'c' && size % 2 == 0) return sheaf_box_number_type('f', size / 2, out);
	bool is_power = size && size <= 8 && (size & (size - 1)) == 0;
	if (kind == 'b' ? size != 1 : kind == 'f' ? size != 4 && size != 8 : kind != 'i' && kind != 'u')
		return false;
	if (!is_power) return false;
	*out = kind != 'f' ? whole[kind == 'i'][__builtin_ctz((unsigned)size)]
	       : size == 8 ? SHEAF_F64
	                   : SHEAF_F32;
	return true;
}

/* ---- byte order ---- */

static void swap_2(uint8_t *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint16_t x;
		memcpy(&x, v + 2 * i, 2);
		x = __builtin_bswap16(x);
		memcpy(v + 2 * i, &x, 2);
	}
}

static void swap_4(uint8_t *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t x;
		memcpy(&x, v + 4 * i, 4);
		x = __builtin_bswap32(x);
		memcpy(v + 4 * i, &x, 4);
	}
}

static void swap_8(uint8_t *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t x;
		memcpy(&x, v + 8 * i, 8);
		x = __builtin_bswap64(x);
		memcpy(v + 8 * i, &x, 8);
	}
}

/* Reverses the bytes of each value, wherever they lie. */
static void swap(void *values, size_t count, size_t size)
{
	if (size == 2) swap_2((uint8_t *)values, count);
	if (size == 4) swap_4((uint8_t *)values, count);
	if (size == 8) swap_8((uint8_t *)values, count);
}

/* ---- types ---- */

/* Integers as another type, through blocks of 64 bits; false if one does not fit. Unsigned ones of 2^63 and
 * above are negative in these blocks, as no unsigned number is. */
static bool convert_integers(const sheaf_box_stored *from, sheaf_type type, uint8_t *to)
{
	enum { BLOCK = 512 };
	int64_t wide[BLOCK];
	size_t width = sheaf_type_size(from->type), size = sheaf_type_size(type);
	int64_t most = INT64_MAX >> (64 - 8 * size), least = from->type < SHEAF_I8 ? 0 : -most - 1;
	bool differs = false;
	if (type < SHEAF_I8) { /* unsigned */
		most = size == sizeof most ? most : 2 * most + 1;
		least = 0;
	}
	for (size_t at = 0; at < from->count; at += BLOCK) {
		int64_t n = from->count - at < BLOCK ? (int64_t)(from->count - at) : BLOCK;
		sheaf_integers_widen(from->type, (const uint8_t *)from->values + at * width, n, wide);
		for (int64_t i = 0; i < n; i++) differs |= (wide[i] < least) | (wide[i] > most);
		/* Narrowing to I32 would change negative numbers. */
		sheaf_integers_narrow(wide, n, type == SHEAF_I32 ? SHEAF_U32 : type, to + at * size);
	}
	return !differs;
}

/* Converts values of the other byte order: they are turned into a block of this machine's memory,
 * converted, and so on. Returns the first value that changes, or -1. If the sizes are equal, values may
 * be converted in their place. */
static int64_t convert_swapped(sheaf_box_stored all, sheaf_type type, uint8_t *to)
{
	enum { PIECE = 512 };
	uint64_t piece[PIECE];
	const uint8_t *from = (const uint8_t *)all.values;
	size_t size = sheaf_type_size(all.type);
	int64_t changed = -1;
	for (size_t at = 0; at < all.count; at += PIECE) {
		size_t n = all.count - at < PIECE ? all.count - at : PIECE;
		memcpy(piece, from + at * size, n * size);
		swap(piece, n, size);
		int64_t changed_in_piece = sheaf_box_convert((sheaf_box_stored){all.type, false, piece, n}, type,
		                                             to + at * sheaf_type_size(type));
		if (changed_in_piece >= 0 && changed < 0) changed = (int64_t)at + changed_in_piece;
	}
	return changed;
}

/* Converts stored numbers to a type, and returns the index of the first one that changes by that, or -1.
 * Equal types are copied, with their bytes turned if needed; integers have kernels that see whether all
 * of them fit; all other pairs go through a common form, and are compared with what was stored. */
int64_t sheaf_box_convert(sheaf_box_stored from, sheaf_type type, void *to)
{
	if (from.count == 0) return -1;
	if (from.type == type) {
		size_t size = sheaf_type_size(type);
		if (from.values != to) memcpy(to, from.values, from.count * size);
		if (from.is_swapped) swap(to, from.count, size);
		return -1;
	}
	if (from.is_swapped) return convert_swapped(from, type, (uint8_t *)to);
	bool are_integers = from.type < SHEAF_F32 && type < SHEAF_F32;
	if (are_integers && convert_integers(&from, type, (uint8_t *)to)) return -1;
	/* Any types, slowly; returns the first value that changes, or -1. */
	enum { BATCH = 256 };
	sheaf_canon canon[BATCH], back[BATCH];
	int64_t changed = -1;
	for (size_t at = 0; at < from.count; at += BATCH) {
		int64_t n = from.count - at < BATCH ? (int64_t)(from.count - at) : BATCH;
		sheaf_canon_values(from.type, from.values, (int64_t)at, n, canon);
		if (sheaf_canon_store(type, canon, n, to, (int64_t)at) == 0 || changed >= 0) continue;
		sheaf_canon_values(type, to, (int64_t)at, n, back);
		for (int64_t i = 0; i < n && changed < 0; i++)
			if (!sheaf_canon_equal(canon[i], back[i])) changed = (int64_t)at + i;
	}
	return changed;
}
