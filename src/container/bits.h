/* SPDX-License-Identifier: MIT */
/* Numbers of a type that we do not have: some bits of a word, as an integer or a float. */
#ifndef SHEAF_CONTAINER_BITS_H
#define SHEAF_CONTAINER_BITS_H

#include <sheaf/frame.h>

typedef struct sheaf_box_bits {
	uint8_t size; /* bytes in the word */
	bool is_big, is_signed, is_float;
	uint8_t at, count; /* bits in an integer, the lowest first */
	struct {
		uint8_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
	} parts; /* of a float; the exponent is biased, and the leading bit of the mantissa implied, as in IEEE
	            754 */
} sheaf_box_bits;

/* The type that holds all such numbers, at least as wide as the word; false: there is none. */
bool sheaf_box_bits_type(const sheaf_box_bits *bits, sheaf_type *out);
/* Converts stored numbers to it in place: there is room for them. */
void sheaf_box_expand(const sheaf_box_bits *bits, sheaf_type type, uint8_t *values, size_t count);

#endif
