/* SPDX-License-Identifier: MIT */
/* Between text and binary numbers: decimals, and the two float types as parameters of the same code. */
#ifndef SHEAF_NUMBER_DECIMAL_H
#define SHEAF_NUMBER_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* The number of decimal digits that always fit in 64 bits. */
#define SHEAF_LEAD_DIGITS 19

/* A number as scanned. It is lead * 10^exponent, or, if cut, at least this and less than (lead + 1) *
 * 10^exponent. */
typedef struct sheaf_decimal {
	uint64_t lead; /* the first SHEAF_LEAD_DIGITS digits after the leading zeros */
	int64_t exponent;
	bool negative;
	bool cut;                 /* more digits follow in the text */
	const char *digits, *end; /* the mantissa's text: digits and perhaps a dot */
} sheaf_decimal;

/* A binary float type: a value is mantissa * 2^ulp, mantissa < 2^mantissa_bits, min_ulp <= ulp <= max_ulp. */
typedef struct sheaf_float_type {
	int mantissa_bits; /* with the hidden one */
	int min_ulp, max_ulp;
} sheaf_float_type;

#define SHEAF_FLOAT32 ((sheaf_float_type){24, -149, 104})
#define SHEAF_FLOAT64 ((sheaf_float_type){53, -1074, 971})

/* The nearest value, half to even; an infinity beyond the range. */
float sheaf_decimal_to_f32(const sheaf_decimal *d);
double sheaf_decimal_to_f64(const sheaf_decimal *d);

/* Takes up to `most` digits from *at, which moves past them and past a dot among them; adds them to *value
 * (which overflows from 20 digits on) and returns their number. */
static inline int sheaf_take_digits(const char **at, const char *end, int most, uint64_t *value)
{
	int n = 0;
	for (; *at < end && n < most; (*at)++) {
		if (**at == '.') continue;
		*value = *value * 10 + (uint64_t)(**at - '0');
		n++;
	}
	return n;
}

/* Moves past the leading zeros of a mantissa. */
static inline const char *sheaf_skip_zeros(const char *at, const char *end)
{
	while (at < end && (*at == '0' || *at == '.')) at++;
	return at;
}

/* The number of digits in the longest shortest decimal of a float64. */
#define SHEAF_DIGITS_MOST 17

/* digits * 10^exponent, 0 < digits < 10^SHEAF_DIGITS_MOST; the digits may end in zeros. */
typedef struct sheaf_shortest {
	uint64_t digits;
	int exponent;
} sheaf_shortest;

/* Of the decimals with the fewest digits that read back as v, the nearest. v is finite and above 0. */
sheaf_shortest sheaf_shortest_f32(float v);
sheaf_shortest sheaf_shortest_f64(double v);

#endif
