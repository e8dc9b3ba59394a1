/* SPDX-License-Identifier: MIT */
/* Floats to text: which notation, and where the dot goes. Digits are written by whole words; later ones, or
 * the next number, overwrite the surplus. */
#include "number/decimal.h"
#include "number/digits.h"
#include "number/kernels/kernel.h"
#include "number/number.h"
#include "number/places.h"

#include <math.h>
#include <string.h>

/* The decimal exponents, of the first digit, that are printed without an exponent. */
#define PLAIN_FIRST (-5)
#define PLAIN_LAST 16

/* A decimal in scientific terms: `count` digits without zeros after the last, padded with zeros, and the
 * exponent of the first. */
typedef struct digits {
	char first;
	uint64_t next, last; /* digits 2 to 9, and 10 to 17, as text */
	int count, exponent;
} digits;

/* For a number from 1 to 10^17-1: the number of its bits determines it up to one. */
static inline int count_digits(uint64_t v)
{
	int n = (64 - __builtin_clzll(v)) * 1233 >> 12;
	return n + (v >= sheaf_tens[n]);
}

/* The text of nine digits, the first of which is not 0, and which may end in zeros. */
static inline digits spell_nine(uint64_t v, int exponent)
{
	uint64_t next = sheaf_eight_digits((uint32_t)(v % 100000000));
	return (digits){(char)('0' + v / 100000000), next | SHEAF_ZEROS, SHEAF_ZEROS, 1 + sheaf_bytes_used(next),
	                exponent};
}

static inline digits spell_seventeen(uint64_t v, int exponent)
{
	uint64_t last = sheaf_eight_digits((uint32_t)(v % 100000000));
	digits d = spell_nine(v / 100000000, exponent);
	d.last |= last;
	if (last) d.count = 9 + sheaf_bytes_used(last);
	return d;
}

/* The digits of a decimal as text: filled up by zeros to nine or seventeen digits. */
static inline digits spell(sheaf_shortest decimal)
{
	int n = count_digits(decimal.digits), exponent = decimal.exponent + n - 1;
	if (n <= 9) return spell_nine(decimal.digits * sheaf_tens[9 - n], exponent);
	return spell_seventeen(decimal.digits * sheaf_tens[17 - n], exponent);
}

static inline void put_digits(char *to, const digits *d)
{
	*to = d->first;
	sheaf_store_u64le(to + 1, d->next);
	sheaf_store_u64le(to + 9, d->last);
}

/* Writes the digits from number n on, 1 <= n <= 16, out of the two words that have digits 2 to 17. */
static inline void put_rest(char *to, const digits *d, int n)
{
	int bits = 8 * (n - 1);
	if (bits < 64) {
		sheaf_store_u64le(to, d->next >> bits | d->last << 1 << (63 - bits));
		sheaf_store_u64le(to + 8, d->last >> bits);
	} else {
		sheaf_store_u64le(to, d->last >> (bits - 64));
	}
}

/* Writes digits without an exponent: after zeros, with a point among them, or as a whole number, for which
 * zeros stand after the last digit already. */
static inline char *put_plain(char *to, const digits *d)
{
	int whole = d->exponent + 1;
	if (whole <= 0) {
		sheaf_store_u64le(to, SHEAF_ZEROS);
		to[1] = '.';
		put_digits(to + 2 - whole, d);
		return to + 2 - whole + d->count;
	}
	put_digits(to, d);
	if (d->count <= whole) return to + whole;
	to[whole] = '.';
	put_rest(to + whole + 1, d, whole);
	return to + d->count + 1;
}

static inline char *put_scientific(char *to, const digits *d)
{
	put_digits(to, d);
	put_rest(to + 2, d, 1);
	to[1] = '.';
	to += d->count > 1 ? d->count + 1 : 1;
	*to++ = 'e';
	return sheaf_print_i64(to, d->exponent);
}

static inline char *put_spelled(char *to, const digits *d)
{
	bool plain = d->exponent >= PLAIN_FIRST && d->exponent <= PLAIN_LAST;
	return plain ? put_plain(to, d) : put_scientific(to, d);
}

static char *put_shortest(char *to, sheaf_shortest decimal)
{
	digits d = spell(decimal);
	return put_spelled(to, &d);
}

/* A decimal of six places, below 10. */
static inline char *put_six_places(char *to, uint32_t millionths)
{
	uint64_t spelled = sheaf_eight_digits(millionths), places = spelled >> 16;
	to[0] = (char)('0' + (spelled >> 8 & 15));
	to[1] = '.';
	sheaf_store_u64le(to + 2, places | SHEAF_ZEROS);
	return to + 2 + sheaf_bytes_used(places);
}

/* A NaN has no sign. */
static char *put_nonfinite(char *to, bool negative, bool nan)
{
	const char *text = nan ? "nan" : "inf";
	if (nan && negative) to--;
	while (*text) *to++ = *text++;
	return to;
}

static inline char *put_whole(char *to, uint64_t v)
{
	return v < SHEAF_SMALL ? sheaf_put_small(to, (uint32_t)v) : sheaf_print_u64(to, v);
}

/* Whole numbers and decimals of six places take short ways; the sign is written first, and passed if there is
 * one. */
char *sheaf_print_f32(char *to, float v)
{
	uint32_t bits;
	uint64_t millionths;
	memcpy(&bits, &v, sizeof bits);
	bool negative = bits >> 31;
	*to = '-';
	to += negative;
	v = fabsf(v);
	bits &= INT32_MAX;
	if (v < 0x1p24f && (float)(int32_t)v == v) return put_whole(to, (uint64_t)(int32_t)v);
	if (v >= 1e-5f && v < 10 && sheaf_has_six_places(sheaf_binary_f32(bits), &millionths))
		return put_six_places(to, (uint32_t)millionths);
	return isfinite(v) ? put_shortest(to, sheaf_shortest_f32(v)) : put_nonfinite(to, negative, isnan(v));
}

static inline char *put_nine_places(char *to, uint64_t billionths)
{
	bool six = billionths < 10000000000 && billionths % 1000 == 0;
	return six ? put_six_places(to, (uint32_t)(billionths / 1000))
	           : put_shortest(to, (sheaf_shortest){billionths, -9});
}

/* As sheaf_print_f32 does, with decimals of nine places. */
char *sheaf_print_f64(char *to, double v)
{
	uint64_t bits, billionths;
	memcpy(&bits, &v, sizeof bits);
	bool negative = bits >> 63;
	*to = '-';
	to += negative;
	v = fabs(v);
	bits &= INT64_MAX;
	if (v < 0x1p53 && (double)(int64_t)v == v) return put_whole(to, (uint64_t)(int64_t)v);
	if (v >= 1e-5 && v < 0x1p23 && sheaf_has_nine_places(v, sheaf_binary_f64(bits), &billionths))
		return put_nine_places(to, billionths);
	return isfinite(v) ? put_shortest(to, sheaf_shortest_f64(v)) : put_nonfinite(to, negative, isnan(v));
}

/* ---- several at once ---- */

void sheaf_spell_f32(sheaf_spelling *s, const float *values, size_t n)
{
	sheaf_speller *all = sheaf_kernel_chosen()->spell_f32;
	for (size_t k = 0; k < SHEAF_SPELLED; k++) s->values[k] = k < n ? (double)values[k] : 0;
	s->is_spelled = all != NULL;
	if (all) all(s, n);
}

void sheaf_spell_f64(sheaf_spelling *s, const double *values, size_t n)
{
	sheaf_speller *all = sheaf_kernel_chosen()->spell_f64;
	for (size_t k = 0; k < SHEAF_SPELLED; k++) s->values[k] = k < n ? values[k] : 0;
	s->is_spelled = all != NULL;
	if (all) all(s, n);
}

static inline char *put_spelling(char *to, const sheaf_spelling *s, size_t k)
{
	digits d = {(char)s->first[k], s->next[k], s->last[k], (int)s->count[k], (int)s->exponent[k]};
	*to = '-';
	return put_spelled(to + (s->values[k] < 0), &d);
}

char *sheaf_print_spelled_f32(char *to, const sheaf_spelling *s, size_t k)
{
	if (!s->is_spelled || s->count[k] == 0) return sheaf_print_f32(to, (float)s->values[k]);
	return put_spelling(to, s, k);
}

char *sheaf_print_spelled_f64(char *to, const sheaf_spelling *s, size_t k)
{
	double v = s->values[k];
	if (!s->is_spelled || !isfinite(v) || v == 0) return sheaf_print_f64(to, v);
	return put_spelling(to, s, k);
}
