/* SPDX-License-Identifier: MIT */
/* Numbers as text: reading them exactly and printing them shortest, whatever the locale and the rounding
 * mode.
 *
 * The scalar code after these functions defines what a number means; faster kernels must agree with it bit
 * for bit. Nothing here allocates, fails otherwise than shown, or touches a byte outside [at, end) or
 * to[SHEAF_NUMBER_MAX]. */
#ifndef SHEAF_NUMBER_NUMBER_H
#define SHEAF_NUMBER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* An integer converted to double. On i386 it may stay in a register that is wider than a double, in which a
 * comparison would still see all digits; going through memory prevents that. */
static inline double sheaf_rounded(double v)
{
#ifdef __i386__
	volatile double kept = v;
	return kept;
#else
	return v;
#endif
}

typedef enum sheaf_number_flaw {
	SHEAF_NUMBER_OK,
	SHEAF_NUMBER_NO_DIGIT,          /* `end` is where the first digit was expected */
	SHEAF_NUMBER_NO_EXPONENT_DIGIT, /* `end` is where a digit was expected, past the 'e' and its sign */
	SHEAF_NUMBER_OVERFLOW           /* integers only: `end` is past all digits */
} sheaf_number_flaw;

typedef struct sheaf_scanned {
	const char *end; /* one past the number, or where the flaw is */
	sheaf_number_flaw flaw;
	bool unusual;  /* spelled ".5" or "1.e2": standard, but refused by CNTK's reader */
	bool infinite; /* finite digits beyond the type's range, read as an infinity with their sign */
} sheaf_scanned;

/* Read the longest prefix of [at, end) that is
 *
 *   [+-]? ( digit+ [ '.' digit* ] | '.' digit+ ) [ (e|E) [+-]? digit+ ]
 *
 * as the nearest value, half to even: any number of digits, any exponent, subnormals, the sign of zero. An
 * 'e' after the mantissa always starts an exponent, so "1ex" is a flaw and not a 1. "nan" and "inf" are no
 * numbers. *out is 0 on a flaw. */
sheaf_scanned sheaf_scan_f32(const char *at, const char *end, float *out);
sheaf_scanned sheaf_scan_f64(const char *at, const char *end, double *out);

/* Reads digit+ of at most 2^64-1. *out is 0 on a flaw. */
sheaf_scanned sheaf_scan_u64(const char *at, const char *end, uint64_t *out);

/* Room that the following functions need at most. */
#define SHEAF_NUMBER_MAX 32

/* Print into to[SHEAF_NUMBER_MAX], all of which may be written, and return one past the text; no NUL. Of the
 * shortest digits that read back to the same bits these are the nearest to the value. Plain ("0.00001",
 * "10000000000000000") where the decimal exponent is in
 * [-5, 16], else "1.5e-7", "1e30". CNTK's reader takes all of it but "nan", "inf" and "-inf". */
char *sheaf_print_f32(char *to, float v);
char *sheaf_print_f64(char *to, double v);
char *sheaf_print_u64(char *to, uint64_t v);
char *sheaf_print_i64(char *to, int64_t v);

#endif
