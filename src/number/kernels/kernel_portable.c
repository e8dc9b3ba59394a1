/* SPDX-License-Identifier: MIT */
/* The kernel in plain C: number by number, eight digits at a time in a 64-bit word, without checking for the
 * end of the text. */
#include "number/clinger.h"
#include "number/digits.h"
#include "number/kernels/entries_parts.h"
#include "number/kernels/kernel_parts.h"

#define INLINE static inline __attribute__((always_inline))

/* No number or pair that is read here is as long as SLACK, so what begins that far from the end of the text
 * needs no check for it. The others are the most digits before a point, of an index, and of an index on a
 * tape, which has 32 bits. */
enum { SLACK = 64, MOST_WHOLE = 19, MOST_INDEX = 18, MOST_TAPE_INDEX = 9 };

typedef struct decimal {
	uint64_t digits;
	int64_t exponent;
	uint64_t negative;
} decimal;

INLINE bool is_digit(uint8_t c) { return (uint8_t)(c - '0') <= 9; }

/* The number of eight digits, the first in the lowest byte: each multiplication joins neighbours, into
 * numbers of two, of four, and of eight digits. */
INLINE uint64_t eight_digits(uint64_t word)
{
	word = (word & 0x0f0f0f0f0f0f0f0f) * (1 + (10 << 8)) >> 8;
	word = (word & 0x00ff00ff00ff00ff) * (1 + (100ull << 16)) >> 16;
	return (word & 0x0000ffff0000ffff) * (1 + (10000ull << 32)) >> 32;
}

INLINE const uint8_t *take_digits(const uint8_t *at, int most, uint64_t *value)
{
	uint64_t v = 0;
	for (int n = 0; n < most && is_digit(*at); n++) v = v * 10 + (uint64_t)(*at++ - '0');
	*value = v;
	return at;
}

/* Takes up to sixteen digits after a point: all of a word, or those before the first other byte, moved to the
 * word's upper end, so that zeros come before them. */
INLINE const uint8_t *take_fraction(const uint8_t *at, decimal *d)
{
	static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	for (int words = 0; words < 2; words++) {
		uint64_t word = sheaf_load_u64le(at), others = sheaf_find_no_digits(word ^ SHEAF_ZEROS);
		int n = others ? __builtin_ctzll(others) / 8 : 8;
		uint64_t part = n ? eight_digits(word << (64 - 8 * n)) : 0;
		d->digits = d->digits * powers[n] + part;
		d->exponent -= n;
		at += n;
		if (n < 8) break;
	}
	return at;
}

/* Up to two digits; NULL if there are more or none. */
INLINE const uint8_t *take_exponent(const uint8_t *at, decimal *d)
{
	bool negative = *at == '-';
	uint64_t exponent;
	at += negative || *at == '+';
	const uint8_t *end = take_digits(at, 2, &exponent);
	d->exponent += negative ? -(int64_t)exponent : (int64_t)exponent;
	return end > at && !is_digit(*end) ? end : NULL;
}

/* Reads a number as digits, exponent and sign, and returns its end; NULL if it is left, since it is spelled
 * otherwise or no single exact division or multiplication gives its value (clinger.h). */
INLINE const uint8_t *take_number(const uint8_t *at, decimal *d)
{
	d->exponent = 0;
	d->negative = *at == '-';
	const uint8_t *first = at + d->negative;
	at = take_digits(first, MOST_WHOLE, &d->digits);
	if (at == first || is_digit(*at)) return NULL;
	if (*at == '.') {
		const uint8_t *dot = at;
		at = take_fraction(at + 1, d);
		if (at - first > MOST_WHOLE || is_digit(*at) || (at == dot + 1 && (*at | 0x20) == 'e')) return NULL;
	}
	if ((*at | 0x20) == 'e' && !(at = take_exponent(at + 1, d))) return NULL;
	return d->digits >> SHEAF_EXACT_BITS || d->exponent < -SHEAF_EXACT_POWER ||
	               d->exponent > SHEAF_EXACT_POWER
	           ? NULL
	           : at;
}

/* The value of a number that take_number has taken: digits and power are exact, so that it is rounded once.
 */
INLINE double value_of(const decimal *d)
{
	double digits = (double)(int64_t)d->digits, value;
	value = d->exponent < 0 ? digits / sheaf_exact_powers[-d->exponent]
	                        : digits * sheaf_exact_powers[d->exponent];
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	bits |= d->negative << 63;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Stores a value as a double or, if not `wide`, as a float; false if that is left, since rounding twice could
 * give another float. Numbers of more than nine digits that a float does not hold are counted. */
INLINE bool put_value(sheaf_numbers *run, const decimal *d, bool wide)
{
	double value = value_of(d);
	if (wide) {
		((double *)run->values)[run->count] = value;
		return true;
	}
	if (sheaf_is_halfway(value)) return false;
	float narrow = (float)value;
	((float *)run->values)[run->count] = narrow;
	if (narrow != value && sheaf_has_many_digits(d->digits)) run->rounded++;
	return true;
}

/* Stores the index of a pair, and returns the position after its colon; NULL if it is left. */
INLINE const uint8_t *take_index(sheaf_numbers *run, const uint8_t *at)
{
	uint64_t index;
	const uint8_t *end = take_digits(at, MOST_INDEX, &index);
	if (end == at || *end != run->delimiters->pair || index >= run->limit) return NULL;
	if (run->wide_indices)
		((int64_t *)run->indices)[run->count] = (int64_t)index;
	else
		((int32_t *)run->indices)[run->count] = (int32_t)index;
	return end + 1;
}

INLINE bool is_space(const sheaf_delimiters *is, uint8_t c)
{
	return c == is->spaces[0] || c == is->spaces[1];
}
INLINE bool is_end(const sheaf_delimiters *is, uint8_t c)
{
	return c == is->mark || c == is->feed || c == is->before_feed;
}

/* Reads numbers, or pairs, until something is left, the list ends, or there is no room. `pairs` and `wide`
 * are constants wherever this is inlined. */
INLINE void read_run(sheaf_numbers *caller, bool pairs, bool wide)
{
	sheaf_numbers run = *caller;                 /* whose address is never taken: it can stay in registers */
	const sheaf_delimiters *is = run.delimiters; /* a copy would take registers that numbers need */
	bool nearest = sheaf_rounds_to_nearest();
	while (nearest && run.end - run.at > SLACK && run.room > run.count) {
		decimal d;
		const uint8_t *at = run.at;
		if (is_space(is, *at)) {
			run.at++;
			continue;
		}
		if (pairs && !(at = take_index(&run, at))) break;
		at = take_number(at, &d);
		if (!at || !(is_space(is, *at) || is_end(is, *at)) || !put_value(&run, &d, wide)) break;
		run.count++;
		run.at = at + !is_end(is, *at);
	}
	*caller = run;
}

/* ---- short lines ---- */

INLINE void put_event(sheaf_tape *tape, const uint8_t *at)
{
	tape->at[tape->nevents] = (uint32_t)(at - tape->begin);
	tape->values_before[tape->nevents] = (uint32_t)tape->nvalues;
	tape->indices_before[tape->nevents] = (uint32_t)tape->nindices;
	tape->nevents++;
}

/* Puts a number, or a pair, on the tape and returns the position after it. NULL if it is left, or if float32
 * cannot hold its digits: these are counted when they are read. */
INLINE const uint8_t *put_number(sheaf_tape *tape, const sheaf_delimiters *is, const uint8_t *at, bool wide)
{
	uint64_t index;
	decimal d;
	const uint8_t *end = take_digits(at, MOST_TAPE_INDEX, &index);
	if (*end == is->pair && end > at) {
		tape->indices[tape->nindices++] = (uint32_t)index;
		at = end + 1;
	}
	at = take_number(at, &d);
	if (!at || !(is_space(is, *at) || is_end(is, *at))) return NULL;
	double value = value_of(&d);
	if (wide) {
		tape->values.f64[tape->nvalues++] = value;
		return at;
	}
	tape->values.f32[tape->nvalues++] = (float)value;
	return sheaf_is_halfway(value) || ((float)value != value && sheaf_has_many_digits(d.digits)) ? NULL : at;
}

/* The position after the name that follows a mark; NULL for a name that is empty, long or not of letters, and
 * for a comment. */
INLINE const uint8_t *pass_name(const sheaf_delimiters *is, const uint8_t *at)
{
	const uint8_t *most = at + SLACK / 2, *first = at;
	if (*at == is->comment) return NULL;
	while (at<most && * at> ' ' && *at < 0x80 && *at != is->mark) at++;
	return at > first && (is_space(is, *at) || is_end(is, *at)) && *at != is->mark ? at : NULL;
}

/* The position after the id of a line, if it has one; NULL if it is left. */
INLINE const uint8_t *put_id(sheaf_tape *tape, const sheaf_delimiters *is, const uint8_t *at)
{
	uint64_t id;
	const uint8_t *end = take_digits(at, MOST_INDEX, &id);
	if (end == at) return *at == is->mark ? at : NULL;
	tape->ids[tape->nids++] = id;
	return is_space(is, *end) || *end == is->mark ? end : NULL;
}

INLINE bool has_room(const sheaf_tape *tape)
{
	return tape->nvalues < SHEAF_TAPE_ROOM && tape->nevents < SHEAF_TAPE_ROOM && tape->nids < SHEAF_TAPE_ROOM;
}

/* The position after the line's feed, or NULL if the line is left; then the tape may contain part of it. */
INLINE const uint8_t *put_line(sheaf_tape *tape, const sheaf_delimiters *is, const uint8_t *at, bool wide)
{
	bool listed = false;
	if (tape->end - at > SLACK) at = put_id(tape, is, at);
	while (at && tape->end - at > SLACK && has_room(tape)) {
		if (is_space(is, *at)) {
			at++;
		} else if (*at == is->mark) {
			put_event(tape, at);
			listed = true;
			at = pass_name(is, at + 1);
		} else if (is_end(is, *at)) {
			at += *at == is->before_feed;
			if (*at != is->feed) return NULL;
			put_event(tape, at);
			return at + 1;
		} else {
			at = listed ? put_number(tape, is, at, wide) : NULL;
		}
	}
	return NULL;
}

INLINE void read_lines(sheaf_tape *tape, bool wide)
{
	const sheaf_delimiters is = *tape->delimiters;
	const uint8_t *at = tape->begin;
	tape->nvalues = tape->nindices = tape->nids = tape->nevents = 0;
	if (!sheaf_rounds_to_nearest()) return;
	while (at) at = put_line(tape, &is, at, wide);
}

void sheaf_tape_f32_portable(sheaf_tape *tape) { read_lines(tape, false); }
void sheaf_tape_f64_portable(sheaf_tape *tape) { read_lines(tape, true); }

/* ---- the kernel ---- */

void sheaf_dense_f32_portable(sheaf_numbers *run) { read_run(run, false, false); }
void sheaf_dense_f64_portable(sheaf_numbers *run) { read_run(run, false, true); }
void sheaf_pairs_f32_portable(sheaf_numbers *run) { read_run(run, true, false); }
void sheaf_pairs_f64_portable(sheaf_numbers *run) { read_run(run, true, true); }

static bool is_available(void) { return true; }

const sheaf_kernel sheaf_kernel_portable = {
	.name = "portable",
	.is_available = is_available,
	.dense_f32 = sheaf_dense_f32_portable,
	.dense_f64 = sheaf_dense_f64_portable,
	.pairs_f32 = sheaf_pairs_f32_portable,
	.pairs_f64 = sheaf_pairs_f64_portable,
	.whole_i32 = sheaf_whole_i32_portable,
	.find_feeds = sheaf_find_feeds_portable,
	.count_feeds = sheaf_count_feeds_portable,
	.count_ends = sheaf_count_ends_portable,
	.lines_f32 = sheaf_tape_f32_portable,
	.lines_f64 = sheaf_tape_f64_portable,
	.alike = sheaf_alike_portable,
	.find_any = sheaf_find_any_portable,
	.skip_utf8 = sheaf_skip_utf8_portable,
	.copy_words = sheaf_copy_words_scalar,
	.copy_reals = sheaf_copy_reals_scalar,
	.entries = sheaf_entries_portable,
	.fields = &sheaf_fields_portable,
};
