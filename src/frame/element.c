/* SPDX-License-Identifier: MIT */
/* Values of the entries of a tensor: what a structure (the negative or the conjugate of a mirrored entry),
 * the treatment of duplicates (their sum, or whether they are equal) and messages need of them. Values are
 * bytes at any address; a complex number has two parts of one type. */
#include "frame/element.h"
#include "frame/frame.h"
#include "frame/value.h"
#include "number/number.h"
#include <string.h>

bool sheaf_element_of(const sheaf_field *field, sheaf_element *out)
{
	bool complex = field->meaning == SHEAF_COMPLEX && field->nlevels == 1 &&
	               field->levels[0].kind == SHEAF_FIXED && field->levels[0].extent == 2;
	bool number = (field->meaning == SHEAF_NUMBER || field->meaning == SHEAF_BOOL) && field->nlevels == 0;
	*out = (sheaf_element){field->type, complex, field->meaning == SHEAF_BOOL,
	                       sheaf_type_size(field->type) << complex};
	return number || (complex && field->levels[0].missing == SHEAF_NEVER);
}

#define INTEGER
#define T uint8_t
#define NAME(x) x##_u8
#include "frame/element_template.h"
#define T uint16_t
#define NAME(x) x##_u16
#include "frame/element_template.h"
#define T uint32_t
#define NAME(x) x##_u32
#include "frame/element_template.h"
#define T uint64_t
#define NAME(x) x##_u64
#include "frame/element_template.h"
#define T int8_t
#define NAME(x) x##_i8
#include "frame/element_template.h"
#define T int16_t
#define NAME(x) x##_i16
#include "frame/element_template.h"
#define T int32_t
#define NAME(x) x##_i32
#include "frame/element_template.h"
#define T int64_t
#define NAME(x) x##_i64
#include "frame/element_template.h"
#undef INTEGER
#define T float
#define NAME(x) x##_f32
#include "frame/element_template.h"
#define T double
#define NAME(x) x##_f64
#include "frame/element_template.h"

static bool negate_part(sheaf_type type, const void *from, void *to)
{
	static bool (*const by_type[SHEAF_TYPES])(const void *, void *) = {
		negate_u8,  negate_u16, negate_u32, negate_u64, negate_i8,
		negate_i16, negate_i32, negate_i64, negate_f32, negate_f64};
	return by_type[type](from, to);
}

static bool add_part(sheaf_type type, void *to, const void *other)
{
	static bool (*const by_type[SHEAF_TYPES])(void *, const void *) = {
		add_u8, add_u16, add_u32, add_u64, add_i8, add_i16, add_i32, add_i64, add_f32, add_f64};
	return by_type[type](to, other);
}

static size_t part_size(const sheaf_element *e) { return sheaf_type_size(e->type); }

/* Unsigned numbers but 0, and the least one of a signed type, have no negative. */
bool sheaf_element_negate(const sheaf_element *e, const void *from, void *to)
{
	size_t size = part_size(e);
	return negate_part(e->type, from, to) &&
	       (!e->complex || negate_part(e->type, (const uint8_t *)from + size, (uint8_t *)to + size));
}

void sheaf_element_conjugate(const sheaf_element *e, const void *from, void *to)
{
	size_t size = part_size(e);
	memmove(to, from, e->size);
	if (e->complex && !negate_part(e->type, (const uint8_t *)from + size, (uint8_t *)to + size))
		return; /* the parts are reals, which all have a negative */
}

/* The sum of truth values is whether one of them is true. */
bool sheaf_element_add(const sheaf_element *e, void *to, const void *other)
{
	size_t size = part_size(e);
	if (e->boolean) {
		*(uint8_t *)to = *(const uint8_t *)to || *(const uint8_t *)other;
		return true;
	}
	return add_part(e->type, to, other) &&
	       (!e->complex || add_part(e->type, (uint8_t *)to + size, (const uint8_t *)other + size));
}

static bool is_zero(sheaf_type type, const void *value)
{
	sheaf_canon c;
	sheaf_canon_values(type, value, 0, 1, &c);
	return c.nearest == 0 && c.rest == 0;
}

bool sheaf_element_is_real(const sheaf_element *e, const void *value)
{
	return !e->complex || is_zero(e->type, (const uint8_t *)value + part_size(e));
}

bool sheaf_element_is_zero(const sheaf_element *e, const void *value)
{
	return is_zero(e->type, value) && sheaf_element_is_real(e, value);
}

/* The same bytes are equal; other bytes may mean the same, such as two NaNs, so their parts are compared in
 * canonical form. The usual sizes are constants for the compiler, so that most comparisons need no call. */
bool sheaf_element_equal(const sheaf_element *e, const void *a, const void *b)
{
	sheaf_canon ca, cb;
	bool same = e->size == sizeof(double)  ? memcmp(a, b, sizeof(double)) == 0
	            : e->size == sizeof(float) ? memcmp(a, b, sizeof(float)) == 0
	                                       : memcmp(a, b, e->size) == 0;
	if (same) return true;
	for (int part = 0; part < (e->complex ? 2 : 1); part++) {
		sheaf_canon_values(e->type, a, part, 1, &ca);
		sheaf_canon_values(e->type, b, part, 1, &cb);
		if (!sheaf_canon_equal(ca, cb)) return false;
	}
	return true;
}

const char *sheaf_element_text(const sheaf_element *e, const void *value, char *text, size_t size)
{
	char number[2 * SHEAF_NUMBER_MAX + 8], *at = number;
	if (e->complex) *at++ = '[';
	at = sheaf_value_print(e->type, value, 0, at);
	if (e->complex) {
		*at++ = ',';
		at = sheaf_value_print(e->type, value, 1, at);
		*at++ = ']';
	}
	*at = '\0';
	size_t n = (size_t)(at - number) < size ? (size_t)(at - number) : size - 1;
	memcpy(text, number, n);
	text[n] = '\0';
	return text;
}
