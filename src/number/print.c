/* SPDX-License-Identifier: MIT */
/* Floats to text: which notation, and where the dot goes. */
#include "number/decimal.h"
#include "number/number.h"

#include <math.h>
#include <string.h>

/* The decimal exponents, of the first digit, that are printed plainly. */
#define PLAIN_FIRST (-5)
#define PLAIN_LAST 16

static char *put(char *to, const char *text, int n)
{
	memcpy(to, text, (size_t)n);
	return to + n;
}

static char *put_zeros(char *to, int n)
{
	memset(to, '0', (size_t)n);
	return to + n;
}

static char *put_plain(char *to, const char *digits, int n, int exponent)
{
	if (exponent < 0) {
		to = put_zeros(to, 1);
		*to++ = '.';
		return put(put_zeros(to, -exponent - 1), digits, n);
	}
	int whole = exponent + 1;
	if (n <= whole) return put_zeros(put(to, digits, n), whole - n);
	to = put(to, digits, whole);
	*to++ = '.';
	return put(to, digits + whole, n - whole);
}

static char *put_scientific(char *to, const char *digits, int n, int exponent)
{
	*to++ = digits[0];
	if (n > 1) {
		*to++ = '.';
		to = put(to, digits + 1, n - 1);
	}
	*to++ = 'e';
	return sheaf_print_i64(to, exponent);
}

static char *put_shortest(char *to, sheaf_shortest decimal)
{
	char digits[SHEAF_NUMBER_MAX];
	int n = (int)(sheaf_print_u64(digits, decimal.digits) - digits);
	int exponent = decimal.exponent + n - 1;
	while (digits[n - 1] == '0') n--;
	bool plain = exponent >= PLAIN_FIRST && exponent <= PLAIN_LAST;
	return (plain ? put_plain : put_scientific)(to, digits, n, exponent);
}

/* What needs no search: NaN, infinities, and integers below `whole`, where all digits of an integer are needed.
 * Puts the sign, too. False if there are digits yet to come. */
static bool put_simple(char **to, double v, double whole)
{
	if (signbit(v) && !isnan(v)) *(*to)++ = '-';
	v = fabs(v);
	if (v < whole) {
		uint64_t integer = (uint64_t)v;
		if ((double)integer == v) *to = sheaf_print_u64(*to, integer);
		return (double)integer == v;
	}
	if (isfinite(v)) return false;
	*to = put(*to, isnan(v) ? "nan" : "inf", 3);
	return true;
}

char *sheaf_print_f32(char *to, float v)
{
	return put_simple(&to, (double)v, 0x1p24) ? to : put_shortest(to, sheaf_shortest_f32(fabsf(v)));
}

char *sheaf_print_f64(char *to, double v)
{
	return put_simple(&to, v, 0x1p53) ? to : put_shortest(to, sheaf_shortest_f64(fabs(v)));
}
