/* SPDX-License-Identifier: MIT */
/* The common part of the kernels that find where fields end. Each has its own way to find bytes in a block,
 * and to store their places. */
#ifndef SHEAF_NUMBER_KERNELS_FIELDS_PARTS_H
#define SHEAF_NUMBER_KERNELS_FIELDS_PARTS_H

#include "number/clinger.h"
#include "number/date.h"
#include "number/kernels/fields.h"
#include "number/nearest.h"
#include <string.h>

/* Inlined into functions for one kind of processor. */
#define SHEAF_INLINE static inline __attribute__((always_inline))

/* One bit for each byte of a block. */
typedef struct sheaf_block_marks {
	uint64_t delimiters, feeds, quotes;
} sheaf_block_marks;

/* Bit i of the outcome: whether the number of ones in bits 0 to i is odd. Of the mask of quotes these are the
 * bytes in quotes, with the quotes that open and without those that close. Each step doubles how many bits
 * are summed. */
SHEAF_INLINE uint64_t sheaf_odd_so_far(uint64_t bits)
{
	for (int shift = 1; bits && shift < 64; shift *= 2) bits ^= bits << shift;
	return bits;
}

/* `at` has the bytes after closing quotes that do not end their field. Whether each of them is a carriage
 * return that belongs to the line feed after it: then the field ends there all the same. */
SHEAF_INLINE bool sheaf_ends_at_return(const sheaf_fields_cut *c, uint64_t at)
{
	for (; at; at &= at - 1) {
		const uint8_t *p = c->block + __builtin_ctzll(at);
		if (*p != '\r' || p + 1 == c->end || p[1] != '\n' || c->feed != '\n') return false;
	}
	return true;
}

/* Keeps only delimiters and feeds outside quotes. A quote may open only at the beginning of a field (ends <<
 * 1), or directly after one that closes, which makes the two a doubled quote; and what follows a closing one
 * must end the field or be another quote. False if a quote is irregular. The state goes on to the next block:
 * whether it begins in quotes, and whether the byte before it is a closing quote. */
SHEAF_INLINE bool sheaf_take_quotes(sheaf_fields_cut *c, sheaf_block_marks *m)
{
	uint64_t in = sheaf_odd_so_far(m->quotes) ^ c->inside, open = m->quotes & in, close = m->quotes & ~in;
	m->delimiters &= ~in;
	m->feeds &= ~in;
	uint64_t ends = m->delimiters | m->feeds, after_close = close << 1 | c->after_close;
	if (open & ~(ends << 1 | c->after_end | after_close)) return false;
	if (!sheaf_ends_at_return(c, after_close & ~(ends | m->quotes))) return false;
	c->inside = 0 - (in >> 63);
	c->after_close = close >> 63;
	return true;
}

SHEAF_INLINE uint64_t sheaf_bits_up_to(int bit) { return ~UINT64_C(0) >> (63 - bit); }

/* Ends the records of a block, of which `ends` has the bytes that end fields, `feeds` those that end records,
 * and `all_feeds` also the feeds in quotes, which count as lines. `before` is the number of ends before the
 * block. False if a record has another number of fields than the width. */
SHEAF_INLINE bool sheaf_end_records(sheaf_fields_cut *c, uint64_t ends, uint64_t feeds, uint64_t all_feeds,
                                    size_t before)
{
	uint32_t base = (uint32_t)(c->block - c->begin);
	for (; feeds; feeds &= feeds - 1) {
		int bit = __builtin_ctzll(feeds);
		uint64_t so_far = sheaf_bits_up_to(bit);
		size_t fields = before + (size_t)__builtin_popcountll(ends & so_far);
		if (fields - c->before != c->width) return false;
		c->starts[c->records] = c->record;
		c->lines[c->records++] = c->first_line + c->record_line;
		c->before = fields;
		c->record = base + (uint32_t)bit + 1;
		c->record_line = c->line + (uint32_t)__builtin_popcountll(all_feeds & so_far);
	}
	return true;
}

/* One block, from the bytes found in it; `put` stores the places of bits. */
#define SHEAF_CUT_BLOCK(c, m, put) \
	do { \
		uint64_t all_feeds = (m).feeds; \
		if (((m).quotes | (c)->inside | (c)->after_close) && !sheaf_take_quotes(c, &(m))) { \
			(c)->stopped = true; \
			return; \
		} \
		uint64_t ends = (m).delimiters | (m).feeds; \
		size_t before = (c)->nends; \
		put((c)->ends + before, (uint32_t)((c)->block - (c)->begin), ends); \
		(c)->nends += (size_t)__builtin_popcountll(ends); \
		(c)->after_end = ends >> 63; \
		if (!sheaf_end_records(c, ends, (m).feeds, all_feeds, before)) { \
			(c)->stopped = true; \
			return; \
		} \
		(c)->line += (uint32_t)__builtin_popcountll(all_feeds); \
	} while (0)

SHEAF_INLINE double sheaf_signed_f64(double v, bool negative)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	bits ^= (uint64_t)negative << 63;
	memcpy(&v, &bits, sizeof v);
	return v;
}

SHEAF_INLINE int64_t sheaf_signed_i64(uint64_t v, bool negative)
{
	return (int64_t)((v ^ (0 - (uint64_t)negative)) + negative);
}

/* What a field contained: signs are unpredictable, so there is no branch on them. */
SHEAF_INLINE unsigned sheaf_field_bits(bool whole, bool negative)
{
	return whole ? SHEAF_FIELD_WHOLE | (unsigned)negative * SHEAF_FIELD_NEGATIVE : SHEAF_FIELD_REAL;
}

/* A number that is a field. */
typedef struct sheaf_field_number {
	uint64_t digits;
	int whole, places; /* digits before the point, and after it; places -1: there is no point */
	bool negative, zeros;
} sheaf_field_number;

/* The number of digits that always fit in signed 64 bits. */
enum { SHEAF_FIELD_DIGITS = 18 };

/* Whether it is spelled as numbers are, so that a column of such texts is one of numbers: 007 and -0 may be
 * something else. */
SHEAF_INLINE bool sheaf_field_is_plain(const sheaf_field_number *n)
{
	return !n->zeros &&
	       (n->places >= 0 || (n->whole <= SHEAF_FIELD_DIGITS && !(n->negative && n->digits == 0)));
}

/* The float64 of a number: by one exact division if its digits and power allow that, else by the slower ways.
 * An integer above 2^53, which a float64 need not hold exactly, is left (false). */
SHEAF_INLINE bool sheaf_field_f64(const sheaf_field_number *n, double *out)
{
	const uint64_t most = UINT64_C(1) << SHEAF_EXACT_BITS;
	if (n->digits <= most && n->places <= SHEAF_EXACT_POWER) {
		double v = (double)(int64_t)n->digits / sheaf_exact_powers[n->places < 0 ? 0 : n->places];
		*out = sheaf_signed_f64(v, n->negative);
		return true;
	}
	if (n->places < 0) return false;
	if (!sheaf_nearest_f64(n->digits, -n->places, n->negative, out))
		*out = sheaf_nearest_exactly(n->digits, -n->places, n->negative);
	return true;
}

/* Adds the kind of a number; false if it is left. */
SHEAF_INLINE bool sheaf_field_add_seen(const sheaf_field_number *n, bool is_zero, unsigned *seen)
{
	bool whole = n->places < 0;
	if (n->zeros || (whole && ((n->negative && is_zero) || n->whole > SHEAF_FIELD_DIGITS))) return false;
	*seen |= sheaf_field_bits(whole, n->negative);
	return true;
}

/* Length of "2012-05-25 14:13:29". Years so far from now that their times in nanoseconds do not fit 64 bits
 * are left. */
enum { SHEAF_FIELD_TIME = 19, SHEAF_FIELD_FIRST_YEAR = 1720, SHEAF_FIELD_LAST_YEAR = 2220 };

SHEAF_INLINE bool sheaf_field_time(const sheaf_fields *f, size_t i, int64_t *seconds)
{
	const int64_t most = INT64_C(8000000000), least = -most;
	const uint8_t *at, *end;
	sheaf_field_at(f, i, &at, &end);
	const char *begin = (const char *)at, *stop = (const char *)end;
	bool is_time = end - at == SHEAF_FIELD_TIME && sheaf_scan_datetime(begin, stop, seconds) == stop;
	return is_time && *seconds < most && least < *seconds;
}

/* The readers for one kind of processor, whose `take` returns the number in a field, and whose `take_time`
 * the time. */
/* NOLINTBEGIN(bugprone-macro-parentheses): an attribute */
#define SHEAF_FIELDS_READERS(target) \
	target static size_t read_f64(const sheaf_fields *f, size_t from, double *to) \
	{ \
		sheaf_field_number n; \
		if (!sheaf_rounds_to_nearest()) return from; \
		while (from < f->count && take(f, from, &n) && sheaf_field_is_plain(&n) && \
		       sheaf_field_f64(&n, to + from)) \
			from++; \
		return from; \
	} \
	target static size_t read_i64(const sheaf_fields *f, size_t from, int64_t *to) \
	{ \
		sheaf_field_number n; \
		for (; from < f->count && take(f, from, &n) && n.places < 0 && sheaf_field_is_plain(&n); from++) \
			to[from] = sheaf_signed_i64(n.digits, n.negative); \
		return from; \
	} \
	target static size_t read_times(const sheaf_fields *f, size_t from, int64_t *to) \
	{ \
		int64_t seconds; \
		for (; from < f->count && take_time(f, from, &seconds); from++) \
			if (to) to[from] = seconds; \
		return from; \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
