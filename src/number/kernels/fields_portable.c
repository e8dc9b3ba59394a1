/* SPDX-License-Identifier: MIT */
/* Fields of delimited text in plain C. */
#include "number/digits.h"
#include "number/kernels/fields_parts.h"
#include "number/kernels/kernel_parts.h"
#include "number/kernels/marks.h"

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

static void cut(sheaf_fields_cut *c, const uint8_t *until)
{
	for (; until - c->block >= SHEAF_FIELDS_BLOCK; c->block += SHEAF_FIELDS_BLOCK) {
		sheaf_block_marks m = {mark(c->block, c->delimiter), mark(c->block, c->feed),
		                       c->quote ? mark(c->block, c->quote) : 0};
		SHEAF_CUT_BLOCK(c, m, put_bits);
	}
}

/* ---- numbers ---- */

/* Nineteen digits and a point. */
enum { MOST_BYTES = 20, WORD = 8 };

/* Digits up to a byte that is none; eight at a time while there are that many. */
SHEAF_INLINE const uint8_t *take_digits(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	for (; end - at >= WORD; at += WORD) {
		uint64_t word = sheaf_load_u64le(at) ^ SHEAF_ZEROS;
		if (sheaf_find_no_digits(word)) break;
		*value = *value * 100000000 + sheaf_eight_digits_value(word);
	}
	for (; at < end; at++) {
		uint8_t digit = (uint8_t)(*at - '0');
		if (digit > 9) break;
		*value = *value * 10 + digit;
	}
	return at;
}

SHEAF_INLINE bool take(const sheaf_fields *f, size_t i, sheaf_field_number *n)
{
	const uint8_t *at, *end;
	sheaf_field_at(f, i, &at, &end);
	n->negative = at < end && *at == '-';
	const uint8_t *first = at += n->negative;
	n->digits = 0;
	if (end - at > MOST_BYTES) return false;
	at = take_digits(at, end, &n->digits);
	n->whole = (int)(at - first);
	n->places = -1;
	if (n->whole == 0) return false;
	n->zeros = *first == '0' && n->whole > 1;
	if (at == end) return n->whole < MOST_BYTES;
	if (*at != '.' || at + 1 == end) return false;
	n->places = (int)(end - at) - 1;
	return take_digits(at + 1, end, &n->digits) == end;
}

static inline bool take_time(const sheaf_fields *f, size_t i, int64_t *seconds)
{
	return sheaf_field_time(f, i, seconds);
}

SHEAF_FIELDS_READERS()

static size_t look(const sheaf_fields *f, size_t from, unsigned *seen)
{
	sheaf_field_number n;
	while (from < f->count && take(f, from, &n) && sheaf_field_add_seen(&n, n.digits == 0, seen)) from++;
	return from;
}

/* Reads days of the usual length, up to the first field that is none. */
size_t sheaf_fields_read_days(const sheaf_fields *f, size_t from, int64_t *to)
{
	enum { DAY = 10 }; /* length of "2012-05-25" */
	int64_t days;
	for (; from < f->count; from++) {
		const uint8_t *at, *end;
		sheaf_field_at(f, from, &at, &end);
		if (end - at != DAY || !sheaf_scan_day((const char *)at, (const char *)end, &days)) break;
		if (to) to[from] = days;
	}
	return from;
}

/* Both words are compared, and the outcomes joined without a branch, as which of the two comes cannot be
 * predicted. */
size_t sheaf_fields_read_bools(const sheaf_fields *f, size_t from, uint8_t *to)
{
	enum { TRUE = 4, FALSE = 5 };
	for (; from < f->count; from++) {
		const uint8_t *at, *end;
		sheaf_field_at(f, from, &at, &end);
		size_t size = (size_t)(end - at);
		if (size != TRUE && size != FALSE) break;
		bool yes = (size == TRUE) & (memcmp(end - 4, "true", 4) == 0),
			 no = (size == FALSE) & (memcmp(end - 4, "alse", 4) == 0) & (*at == 'f');
		if (!(yes | no)) break;
		if (to) to[from] = yes;
	}
	return from;
}

const sheaf_fields_kernel sheaf_fields_portable = {
	cut, look, read_f64, read_i64, read_times, sheaf_fields_read_days, sheaf_fields_read_bools};

/* ---- nothing at all ---- */

static void leave_cut(sheaf_fields_cut *c, const uint8_t *until)
{
	(void)until;
	c->stopped = true;
}

static size_t leave_f64(const sheaf_fields *f, size_t from, double *to)
{
	(void)f, (void)to;
	return from;
}

static size_t leave_i64(const sheaf_fields *f, size_t from, int64_t *to)
{
	(void)f, (void)to;
	return from;
}

static size_t leave_bools(const sheaf_fields *f, size_t from, uint8_t *to)
{
	(void)f, (void)to;
	return from;
}

static size_t leave_look(const sheaf_fields *f, size_t from, unsigned *seen)
{
	(void)f, (void)seen;
	return from;
}

const sheaf_fields_kernel sheaf_fields_scalar = {leave_cut, leave_look, leave_f64,  leave_i64,
                                                 leave_i64, leave_i64,  leave_bools};
