/* SPDX-License-Identifier: MIT */
/* Lines of entries with AVX2 and BMI2: first the ends of the numbers in about a hundred lines are listed
 * (entries_marks.h), and then each number is made from words of eight digits, which are loaded relative to
 * its end: without a branch on the number of digits. */
#include "number/kernels/entries_parts.h"

#ifdef SHEAF_KERNEL_X86
#include "number/digits.h"
#include "number/nearest.h"
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define INLINE AVX2 static inline __attribute__((always_inline))

INLINE uint64_t find_byte(const uint8_t *at, uint8_t byte)
{
	const __m256i wanted = _mm256_set1_epi8((char)byte), *blocks = (const __m256i *)(const void *)at;
	uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(blocks), wanted));
	uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(blocks + 1), wanted));
	return low | (uint64_t)high << 32;
}

/* Eight at a time, so that there is no branch for each. */
INLINE void put_places(uint16_t *to, uint64_t mask, unsigned n, unsigned first)
{
	enum { STEP = 8 };
	for (unsigned k = 0; k < n; k += STEP, to += STEP) {
#pragma GCC unroll 8
		for (int i = 0; i < STEP; i++) {
			to[i] = (uint16_t)(first + (unsigned)_tzcnt_u64(mask));
			mask = _blsr_u64(mask);
		}
	}
}

#include "number/kernels/entries_marks.h"

/* ---- words ---- */

INLINE uint64_t word_at(const uint8_t *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof word);
	return word;
}

/* The first n bytes of a word, moved to its end; the last n, preceded by zeros. n is at most 8. */
INLINE uint64_t first_bytes(uint64_t word, unsigned n) { return n ? word << (64 - 8 * n) : 0; }
INLINE uint64_t last_bytes(uint64_t word, unsigned n) { return n ? word >> (64 - 8 * n) << (64 - 8 * n) : 0; }

/* The highest bit of each byte that equals `byte`. */
INLINE uint64_t find_in_word(uint64_t word, uint8_t byte)
{
	uint64_t other = word ^ UINT64_C(0x0101010101010101) * byte;
	return ~(((other & UINT64_C(0x7f7f7f7f7f7f7f7f)) + UINT64_C(0x7f7f7f7f7f7f7f7f)) | other) &
	       UINT64_C(0x8080808080808080);
}

/* ---- numbers ---- */

/* A number between two places; if `strange` is not 0 it is none. */
typedef struct number {
	const uint8_t *first, *stop; /* of the digits and the point */
	uint64_t head;               /* the first eight bytes */
	uint64_t negative, strange;
	int exponent;
} number;

INLINE number take_sign(const uint8_t *from, const uint8_t *to)
{
	number v = {.first = from, .stop = to, .head = word_at(from)};
	v.negative = (v.head & 0xff) == '-';
	v.first += v.negative;
	v.head >>= 8 * v.negative;
	return v;
}

/* Up to eight of the n digits before the stop: those before the last `back`. */
INLINE uint64_t take_eight(number *v, unsigned n, unsigned back)
{
	unsigned size = n > back ? n - back : 0;
	uint64_t digits = last_bytes(word_at(v->stop - back - 8) ^ SHEAF_ZEROS, size < 8 ? size : 8);
	v->strange |= sheaf_find_no_digits(digits);
	return sheaf_eight_digits_value(digits);
}

/* Removes an exponent at the end, if its 'e' is among the last eight bytes. */
INLINE void take_exponent(number *v)
{
	uint64_t word = word_at(v->stop - 8), e = find_in_word(word | UINT64_C(0x2020202020202020), 'e');
	unsigned after = (unsigned)_lzcnt_u64(e) / 8;
	if (!e || v->stop - after - 1 <= v->first) return;
	uint8_t sign = *(v->stop - after);
	bool negative = sign == '-';
	unsigned n = after - (after && (negative || sign == '+'));
	uint64_t digits = last_bytes(word ^ SHEAF_ZEROS, n);
	v->strange |= sheaf_find_no_digits(digits) | (n == 0);
	v->exponent = (int)sheaf_eight_digits_value(digits);
	if (negative) v->exponent = -v->exponent;
	v->stop -= after + 1;
}

INLINE uint64_t join_digits(number *v)
{
	uint64_t dots = find_in_word(v->head, '.');
	unsigned size = (unsigned)(v->stop - v->first),
			 before = dots ? (unsigned)_tzcnt_u64(dots) / 8 : UINT32_MAX,
			 whole = before < size ? before : size;
	unsigned decimals = size > whole + 1 ? size - whole - 1 : 0;
	if (whole - 1 > 7 || decimals > 24) {
		v->strange = 1;
		return 0;
	}
	uint64_t units = first_bytes(v->head ^ SHEAF_ZEROS, whole),
			 digits = take_eight(v, decimals, 8) * 100000000 + take_eight(v, decimals, 0);
	v->strange |= sheaf_find_no_digits(units);
	units = sheaf_eight_digits_value(units);
	if (decimals > 16) {
		/* 1843 times 10^16, plus what follows, fits into 64 bits. */
		uint64_t high = take_eight(v, decimals, 16);
		v->strange |= high > 1843;
		digits += high * 10000000000000000;
	}
	if (units) {
		v->strange |= whole + decimals > SHEAF_ENTRIES_DIGITS;
		digits += units * sheaf_tens[decimals < SHEAF_ENTRIES_DIGITS ? decimals : SHEAF_ENTRIES_DIGITS];
	}
	v->exponent -= (int)decimals;
	return digits;
}

INLINE bool take_real(const uint8_t *from, const uint8_t *to, double *out)
{
	number v = take_sign(from, to);
	take_exponent(&v);
	uint64_t digits = join_digits(&v);
	if (v.strange || v.exponent < SHEAF_NEAREST_FIRST || v.exponent > SHEAF_NEAREST_LAST) return false;
	if (!sheaf_nearest_f64(digits, v.exponent, v.negative, out))
		*out = sheaf_nearest_exactly(digits, v.exponent, v.negative);
	return true;
}

INLINE bool take_integer(const uint8_t *from, const uint8_t *to, int64_t *out)
{
	number v = take_sign(from, to);
	unsigned size = (unsigned)(to - v.first);
	uint64_t value = take_eight(&v, size, 0);
	if (size > 8) value += take_eight(&v, size, 8) * 100000000;
	*out = v.negative ? -(int64_t)value : (int64_t)value;
	return size - 1 < 16 && !v.strange;
}

INLINE bool take_coordinate(sheaf_entries *run, int c, const uint8_t *from, const uint8_t *to)
{
	unsigned size = (unsigned)(to - from);
	if (size - 1 > 7) return false;
	uint64_t digits = first_bytes(word_at(from) ^ SHEAF_ZEROS, size),
			 value = (uint64_t)sheaf_eight_digits_value(digits) - 1;
	if (run->wide[c])
		((int64_t *)run->to[c])[run->count] = (int64_t)value;
	else
		((int32_t *)run->to[c])[run->count] = (int32_t)value;
	return !sheaf_find_no_digits(digits) && value < run->limits[c];
}

/* ---- lines ---- */

/* Line number k of those listed. */
INLINE bool take_line(sheaf_entries *run, const marks *m, unsigned k, int coordinates, int numbers,
                      bool integers)
{
	const int of_line = coordinates + numbers;
	const uint16_t *places = m->places + MARKS_AHEAD + (size_t)(k * (unsigned)of_line);
	const uint8_t *from = m->base + places[-1] + 1;
#pragma GCC unroll 8
	for (int c = 0; c < of_line; c++) {
		const uint8_t *to = m->base + places[c], *end = to - (c + 1 == of_line && m->returns);
		size_t n = run->count * (size_t)numbers + (size_t)(c - coordinates);
		bool taken = c < coordinates ? take_coordinate(run, c, from, end)
		             : integers      ? take_integer(from, end, (int64_t *)run->values + n)
		                             : take_real(from, end, (double *)run->values + n);
		if (!taken) return false;
		from = to + 1;
	}
	return true;
}

/* Reads the lines that are listed; false if one of them is left to the scanner. */
INLINE bool read_listed(sheaf_entries *caller, const marks *m, int coordinates, int numbers, bool integers)
{
	for (unsigned k = 0; k < m->lines && caller->count < caller->room; k++) {
		sheaf_entries run = *caller; /* whose address is never taken: it can stay in registers */
		for (; k < m->lines && run.count < run.room && take_line(&run, m, k, coordinates, numbers, integers);
		     k++)
			run.count++;
		caller->count = run.count;
		caller->at = after_line(m, (int)k - 1, coordinates + numbers);
		if (k < m->lines && run.count < run.room && !sheaf_entries_some(caller, 1)) return false;
	}
	return true;
}

INLINE void read_lines(sheaf_entries *run, int coordinates, int numbers, bool integers)
{
	marks m;
	const uint8_t *begin = run->at;
	marks_begin(&m, run, coordinates + numbers);
	while (run->at - begin < MARKS_BEFORE)
		if (!sheaf_entries_some(run, 1)) return;
	while (run->end - run->at >= MARKS_BEHIND && run->count < run->room) {
		marks_find(&m, run->at, run->end - MARKS_BEHIND, (unsigned)(coordinates + numbers));
		if (!read_listed(run, &m, coordinates, numbers, integers)) return;
		if (m.lines < MARKS_FEW && !sheaf_entries_some(run, MARKS_SOME)) return;
	}
}

#define READER(name, coordinates, numbers, integers) \
	AVX2 static void name(sheaf_entries *run) { read_lines(run, coordinates, numbers, integers); }
READER(reals_of_2, 2, 1, false)
READER(integers_of_2, 2, 1, true)
READER(places_of_2, 2, 0, false)
READER(reals_of_3, 3, 1, false)
READER(reals, 0, 1, false)

void sheaf_entries_avx2(sheaf_entries *run)
{
	if (run->coordinates == 2 && run->numbers == 1)
		(run->integers ? integers_of_2 : reals_of_2)(run);
	else if (run->coordinates == 2 && run->numbers == 0)
		places_of_2(run);
	else if (run->coordinates == 3 && run->numbers == 1 && !run->integers)
		reals_of_3(run);
	else if (run->coordinates == 0 && run->numbers == 1 && !run->integers)
		reals(run);
	else
		sheaf_entries_portable(run);
}
#endif
