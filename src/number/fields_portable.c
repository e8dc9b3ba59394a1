/* SPDX-License-Identifier: MIT */
/* Fields of delimited text in plain C. */
#include "number/clinger.h"
#include "number/fields_parts.h"
#include "number/kernel_parts.h"
#include "number/marks.h"

void sheaf_fields_cut_begin(sheaf_fields_cut *c)
{
	c->block = c->begin;
	c->after_end = 1;
}

/* ---- where fields end ---- */

static inline void put_bits(uint32_t *to, uint32_t base, uint64_t bits)
{
	for (; bits; bits &= bits - 1) *to++ = base + (uint32_t)__builtin_ctzll(bits);
}

static inline uint64_t mark(const uint8_t *block, uint8_t byte)
{
	return sheaf_marks_of_block(block, (const uint8_t[SHEAF_MARKS]){byte, byte, byte, byte});
}

void sheaf_cut_fields_portable(sheaf_fields_cut *c, const uint8_t *until)
{
	for (; until - c->block >= SHEAF_FIELDS_BLOCK; c->block += SHEAF_FIELDS_BLOCK) {
		sheaf_block_marks m = {mark(c->block, c->delimiter), mark(c->block, c->feed),
		                       c->quote ? mark(c->block, c->quote) : 0};
		SHEAF_CUT_BLOCK(c, m, put_bits);
	}
}

void sheaf_cut_fields_scalar(sheaf_fields_cut *c, const uint8_t *until)
{
	(void)until;
	c->stopped = true;
}

/* ---- numbers ---- */

enum { MOST_DIGITS = 16 };

typedef struct number {
	uint64_t digits;
	int places; /* -1: there is no point */
	bool negative, zeros;
} number;

static inline bool take(const sheaf_fields *f, size_t i, number *out)
{
	const uint8_t *at, *end, *point = NULL;
	uint64_t v = 0;
	sheaf_field_at(f, i, &at, &end);
	bool negative = at < end && *at == '-';
	const uint8_t *first = at += negative;
	if (end - at > MOST_DIGITS || at == end) return false;
	for (; at < end; at++) {
		uint8_t digit = (uint8_t)(*at - '0');
		if (digit <= 9) {
			v = v * 10 + digit;
		} else if (*at == '.' && !point && at > first && at + 1 < end) {
			point = at;
		} else {
			return false;
		}
	}
	*out = (number){v, point ? (int)(end - point) - 1 : -1, negative,
	                *first == '0' && (point ? point : end) - first > 1};
	return true;
}

SHEAF_FIELDS_READERS(, portable)

size_t sheaf_fields_look_portable(const sheaf_fields *f, size_t from, unsigned *seen)
{
	number n;
	unsigned all = 0;
	for (; from < f->count && take(f, from, &n) && !n.zeros; from++) {
		if (n.places < 0 && n.negative && n.digits == 0) break;
		all |= sheaf_field_bits(n.places < 0, n.negative);
	}
	*seen |= all;
	return from;
}

size_t sheaf_fields_f64_scalar(const sheaf_fields *f, size_t from, double *to)
{
	(void)f, (void)to;
	return from;
}

size_t sheaf_fields_i64_scalar(const sheaf_fields *f, size_t from, int64_t *to)
{
	(void)f, (void)to;
	return from;
}

size_t sheaf_fields_look_scalar(const sheaf_fields *f, size_t from, unsigned *seen)
{
	(void)f, (void)seen;
	return from;
}
