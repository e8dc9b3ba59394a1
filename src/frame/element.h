/* SPDX-License-Identifier: MIT */
/* Operations on the values of a tensor's entries, whatever their type: those that structures and duplicates
 * need. */
#ifndef SHEAF_FRAME_ELEMENT_H
#define SHEAF_FRAME_ELEMENT_H

#include <sheaf/frame.h>

typedef struct sheaf_element {
	sheaf_type type;
	bool complex; /* of its two parts */
	bool boolean;
	size_t size; /* of both */
} sheaf_element;

/* False if such a field does not have a single number in each row. */
bool sheaf_element_of(const sheaf_field *field, sheaf_element *out);

/* Writes -v or, for a complex number, its conjugate. False if the type has no such value. `to` may be
 * `from`. */
bool sheaf_element_negate(const sheaf_element *e, const void *from, void *to);
void sheaf_element_conjugate(const sheaf_element *e, const void *from, void *to);
/* to += other; false if an integer overflows. */
bool sheaf_element_add(const sheaf_element *e, void *to, const void *other);
/* Whether all of it is 0, of either sign. */
bool sheaf_element_is_zero(const sheaf_element *e, const void *value);
/* Whether it equals its conjugate: its imaginary part is 0. */
bool sheaf_element_is_real(const sheaf_element *e, const void *value);
/* The same number: a NaN equals a NaN, -0 is not 0. */
bool sheaf_element_equal(const sheaf_element *e, const void *a, const void *b);
/* For messages; returns text. */
const char *sheaf_element_text(const sheaf_element *e, const void *value, char *text, size_t size);

#endif
