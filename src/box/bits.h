/* SPDX-License-Identifier: MIT */
/* Numbers that are none of our types: some bits of a word, as an integer or a float. */
#ifndef SHEAF_BOX_BITS_H
#define SHEAF_BOX_BITS_H

#include <sheaf/frame.h>

typedef struct sheaf_box_bits {
	uint8_t size; /* bytes of the word */
	bool is_big, is_signed, is_float;
	uint8_t at, count; /* bits of an integer, the lowest first */
	struct {
		uint8_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
	} parts; /* of a float; the exponent is biased, and the leading bit of the mantissa implied, as by IEEE
	            754 */
} sheaf_box_bits;

/* The type that holds all such numbers, as wide as the word or wider; false: there is none. */
bool sheaf_box_bits_type(const sheaf_box_bits *bits, sheaf_type *out);
/* Stored numbers as such, in place: there is room for them. */
void sheaf_box_expand(const sheaf_box_bits *bits, sheaf_type type, uint8_t *values, size_t count);

#endif
