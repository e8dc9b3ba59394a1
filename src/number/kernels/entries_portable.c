/* SPDX-License-Identifier: MIT */
/* Lines of entries in plain C: eight digits at a time in a 64-bit word, so that few branches depend on the
 * number of digits. */
#include "number/digits.h"
#include "number/kernels/entries_parts.h"
#include "number/nearest.h"

#define INLINE static inline __attribute__((always_inline))

/* Such a line ends before that many bytes: no step checks for the end of the text. The most digits in a
 * coordinate, in a number, in an integer, in an exponent. */
enum { SLACK = 512, MOST_SPACES = 8, MOST_COORDINATE = 18, MOST_INTEGER = 18, MOST_EXPONENT = 4 };

INLINE bool is_space(uint8_t c) { return c == ' ' || c == '\t'; }
INLINE bool is_digit(uint8_t c) { return (uint8_t)(c - '0') <= 9; }

/* Appends up to eight digits to *value; returns their number. */
INLINE int take_eight(const uint8_t *at, uint64_t *value)
{
	static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	uint64_t word = sheaf_load_u64le(at) ^ SHEAF_ZEROS, others = sheaf_find_no_digits(word);
	int n = others ? __builtin_ctzll(others) / 8 : 8;
	uint64_t part = n ? sheaf_eight_digits_value(word << (64 - 8 * n)) : 0;
	*value = *value * powers[n] + part;
	return n;
}

/* Appends the digits from `at` on to *value, at most `words` times eight of them, and returns the position
 * after these; whoever calls checks that they are not too many for 64 bits. */
INLINE const uint8_t *take_digits(const uint8_t *at, int words, uint64_t *value)
{
	for (int w = 0; w < words; w++) {
		int n = take_eight(at, value);
		at += n;
		if (n < 8) break;
	}
	return at;
}

INLINE const uint8_t *pass_spaces(const uint8_t *at)
{
	for (int n = 0; n < MOST_SPACES && is_space(*at); n++) at++;
	return at;
}

/* Stores coordinate c of a line, which counts from 1 in the text and from 0 here; NULL if it is left. */
INLINE const uint8_t *take_coordinate(const uint8_t *at, sheaf_entries *run, int c)
{
	uint64_t value = 0;
	const uint8_t *end = take_digits(at, 3, &value);
	if (end - at > MOST_COORDINATE || value - 1 >= run->limits[c])
		return NULL; /* 0 is out of range, and so is no digit at all */
	if (run->wide[c])
		((int64_t *)run->to[c])[run->count] = (int64_t)(value - 1);
	else
		((int32_t *)run->to[c])[run->count] = (int32_t)(value - 1);
	return end;
}

INLINE const uint8_t *take_integer(const uint8_t *at, int64_t *out)
{
	uint64_t value = 0, negative = *at == '-';
	const uint8_t *first = at + negative, *end = take_digits(first, 3, &value);
	if (end == first || end - first > MOST_INTEGER) return NULL;
	*out = negative ? -(int64_t)value : (int64_t)value;
	return end;
}

INLINE const uint8_t *take_exponent(const uint8_t *at, int *exponent)
{
	int value = 0, negative = *at == '-';
	const uint8_t *first = at + (negative || *at == '+'), *end = first;
	while (end - first < MOST_EXPONENT && is_digit(*end)) value = value * 10 + (*end++ - '0');
	*exponent += negative ? -value : value;
	return end > first ? end : NULL;
}

/* Reads a number and stores its nearest float64; NULL if it is left: without a digit before the point, with
 * too many digits to decide at once, or with an extreme exponent. */
INLINE const uint8_t *take_real(const uint8_t *at, double *out)
{
	uint64_t digits = 0, negative = *at == '-';
	const uint8_t *first = at + negative, *end = take_digits(first, 3, &digits);
	int exponent = 0;
	bool whole = end > first;
	int count = (int)(end - first);
	if (*end == '.') {
		const uint8_t *fraction = end + 1;
		/* Two words, and a third one if the number begins with its point: there may be at most nineteen
		 * digits on both sides together. */
		end = take_digits(fraction, 3, &digits);
		exponent = -(int)(end - fraction);
		if (end == fraction && (*end | 0x20) == 'e') return NULL;
		count += (int)(end - fraction);
	}
	if (!whole || count > SHEAF_ENTRIES_DIGITS) return NULL;
	if ((*end | 0x20) == 'e' && !(end = take_exponent(end + 1, &exponent))) return NULL;
	if (exponent < SHEAF_NEAREST_FIRST || exponent > SHEAF_NEAREST_LAST) return NULL;
	if (!sheaf_nearest_f64(digits, exponent, negative, out))
		*out = sheaf_nearest_exactly(digits, exponent, negative);
	return end;
}

INLINE const uint8_t *take_number(const uint8_t *at, const sheaf_entries *run, size_t n)
{
	return run->integers ? take_integer(at, (int64_t *)run->values + n)
	                     : take_real(at, (double *)run->values + n);
}

/* The position after the line's feed; NULL if the line is left to the scanner. */
INLINE const uint8_t *take_line(sheaf_entries *run, int coordinates, int numbers)
{
	const uint8_t *at = run->at;
	if (run->end - at < SLACK) return NULL;
	at = pass_spaces(at);
	for (int c = 0; c < coordinates; c++) {
		if (!(at = take_coordinate(at, run, c))) return NULL;
		if (!is_space(*at) && (c + 1 < coordinates || numbers)) return NULL;
		at = pass_spaces(at);
	}
	for (int n = 0; n < numbers; n++) {
		if (!(at = take_number(at, run, run->count * (size_t)numbers + (size_t)n))) return NULL;
		if (!is_space(*at) && n + 1 < numbers) return NULL;
		at = pass_spaces(at);
	}
	at += *at == '\r';
	return *at == '\n' ? at + 1 : NULL;
}

INLINE void read_lines(sheaf_entries *caller, int coordinates, int numbers, size_t most)
{
	sheaf_entries run = *caller; /* whose address is never taken: it can stay in registers */
	for (const uint8_t *next; run.count < most && (next = take_line(&run, coordinates, numbers)); run.count++)
		run.at = next;
	*caller = run;
}

static void read_most(sheaf_entries *run, size_t most)
{
	if (run->coordinates == 2 && run->numbers == 1)
		read_lines(run, 2, 1, most);
	else if (run->coordinates == 2 && run->numbers == 0)
		read_lines(run, 2, 0, most);
	else
		read_lines(run, run->coordinates, run->numbers, most);
}

void sheaf_entries_portable(sheaf_entries *run) { read_most(run, run->room); }

bool sheaf_entries_some(sheaf_entries *run, size_t lines)
{
	size_t before = run->count;
	read_most(run, run->room - before < lines ? run->room : before + lines);
	return run->count - before == lines;
}
