/* SPDX-License-Identifier: MIT */
/* Numbers whose bits are not those of one of our types: 16-bit floats, integers of 24 bits, bit fields
 * within a word. Each is stored in a word of up to 8 bytes, in either byte order, and is expanded in
 * place to a type of ours that holds it exactly: floats of up to 11 bits of exponent and 52 of mantissa,
 * integers of up to 64 bits. */
#include "container/bits.h"
#include "container/inside.h"
#include <string.h>

/* Whether a field of the word has bits, and all of them are in it. */
static bool is_within(const sheaf_box_bits *b, unsigned at, unsigned count)
{
	return count > 0 && at + count <= 8U * b->size;
}

/* Finds the narrowest type that holds the number exactly and is not narrower than the word, so that
 * values can be expanded in place from the last one on; false if there is none. */
bool sheaf_box_bits_type(const sheaf_box_bits *b, sheaf_type *out)
{
	bool is_narrow = b->size <= 4 && b->parts.exponent_bits <= 8 && b->parts.mantissa_bits <= 23;
	if (b->size == 0 || b->size > 8) return false;
	*out = is_narrow ? SHEAF_F32 : SHEAF_F64;
	if (b->is_float)
		return is_within(b, b->parts.sign, 1) && is_within(b, b->parts.exponent, b->parts.exponent_bits) &&
		       is_within(b, b->parts.mantissa, b->parts.mantissa_bits) && b->parts.exponent_bits > 1 &&
		       b->parts.exponent_bits <= 11 && b->parts.mantissa_bits <= 52;
	return sheaf_box_number_type(b->is_signed ? 'i' : 'u',
	                             b->size <= 2   ? b->size
	                             : b->size <= 4 ? 4
	                                            : 8,
	                             out) &&
	       is_within(b, b->at, b->count);
}

/* Bits [at, at + count) of the word. */
static uint64_t some(uint64_t word, unsigned at, unsigned count)
{
	return word >> at & (count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX);
}

/* Returns the float64 with the value of a float of any layout, by moving sign, exponent and mantissa to
 * their places. All ones in the exponent stay all ones (infinity and NaN); a subnormal number becomes a
 * normal one, since float64 has smaller ones. */
static double float_of(const sheaf_box_bits *b, uint64_t word)
{
	enum { BIAS = 1023, INFINITE = 2047, WIDTH = 52 };
	unsigned most = (1U << b->parts.exponent_bits) - 1;
	int64_t exponent = (int64_t)some(word, b->parts.exponent, b->parts.exponent_bits);
	uint64_t mantissa = some(word, b->parts.mantissa, b->parts.mantissa_bits)
	                    << (WIDTH - b->parts.mantissa_bits);
	uint64_t sign = some(word, b->parts.sign, 1) << 63;
	if (exponent == most)
		exponent = INFINITE;
	else if (exponent > 0)
		exponent += BIAS - most / 2;
	else if (mantissa && most / 2 < BIAS) {
		/* A subnormal number that has a leading bit in our type. */
		int zeros = __builtin_clzll(mantissa) - (63 - WIDTH);
		mantissa = mantissa << zeros & ((UINT64_C(1) << WIDTH) - 1);
		exponent = (int64_t)BIAS - most / 2 + 1 - zeros;
	}
	uint64_t all = sign | (uint64_t)exponent << WIDTH | mantissa;
	double value;
	memcpy(&value, &all, sizeof value);
	return value;
}

/* Replaces `count` packed words by numbers of a type, in place: from the last value to the first, as each
 * one is at least as wide as the word that it replaces. */
void sheaf_box_expand(const sheaf_box_bits *b, sheaf_type type, uint8_t *values, size_t count)
{
	size_t width = sheaf_type_size(type);
	while (count-- > 0) {
		/* The word, whatever its byte order. */
		const uint8_t *from = values + count * b->size;
		uint64_t word = 0;
		for (unsigned i = 0; i < b->size; i++) word = word << 8 | from[b->is_big ? i : b->size - 1U - i];
		/* The sign bit of a signed integer is repeated upward. */
		uint64_t sign = UINT64_C(1) << ((b->count - 1) & 63);
		uint64_t value = b->is_float ? 0 : some(word, b->at, b->count);
		if (!b->is_float && b->is_signed && (value & sign)) value |= ~(sign | (sign - 1));
		double real = b->is_float ? float_of(b, word) : 0;
		uint8_t *to = values + count * width;
		float narrow = (float)real;
		uint8_t u8 = (uint8_t)value;
		uint16_t u16 = (uint16_t)value;
		uint32_t u32 = (uint32_t)value;
		switch (sheaf_type_size(type)) {
		case 1: memcpy(to, &u8, 1); break;
		case 2: memcpy(to, &u16, 2); break;
		case 4: memcpy(to, type == SHEAF_F32 ? (const void *)&narrow : &u32, 4); break;
		default: memcpy(to, type == SHEAF_F64 ? (const void *)&real : &value, 8);
		}
	}
}
