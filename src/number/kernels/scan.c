/* SPDX-License-Identifier: MIT */
/* The grammar of numbers: text to sign, digits and exponent. */
#include "number/decimal.h"
#include "number/number.h"

#include <math.h>
#include <stddef.h>

static inline bool is_digit(char c) { return (unsigned char)(c - '0') <= 9; }

static inline const char *scan_digits(const char *at, const char *end, uint64_t *value)
{
	uint64_t v = *value;
	while (at < end && is_digit(*at)) v = v * 10 + (uint64_t)(*at++ - '0');
	*value = v;
	return at;
}

static inline const char *scan_sign(const char *at, const char *end, bool *negative)
{
	*negative = at < end && *at == '-';
	return at < end && (*at == '-' || *at == '+') ? at + 1 : at;
}

/* The digits after 'e' and its sign. The value stops growing once no text in memory could have enough digits
 * to bring the number back into range. */
static const char *scan_exponent(const char *at, const char *end, int64_t *value)
{
	const int64_t enough = (int64_t)1 << 56;
	for (; at < end && is_digit(*at); at++)
		if (*value < enough) *value = *value * 10 + (*at - '0');
	return at;
}

/* Takes the first digits again, for a mantissa with more of them than `lead` holds: leading zeros do not
 * count, and `cut` says that digits follow. The exponent is then that of the last digit taken, so each that
 * is left raises it by one; `dot` is no digit, if it is among those. */
static void take_lead(sheaf_decimal *d, const char *dot)
{
	const char *at = sheaf_skip_zeros(d->digits, d->end);
	d->lead = 0;
	sheaf_take_digits(&at, d->end, SHEAF_LEAD_DIGITS, &d->lead);
	int64_t left = d->end - at - (dot && at <= dot);
	d->exponent += left;
	d->cut = left > 0;
}

/* Scans a number as sheaf_scan_f64 defines it, without computing its value. All digits go into `lead` at
 * first, which may overflow: take_lead mends that. */
static inline sheaf_scanned scan_decimal(const char *at, const char *end, sheaf_decimal *d)
{
	d->lead = 0;
	d->cut = false;
	d->digits = at = scan_sign(at, end, &d->negative);
	at = scan_digits(at, end, &d->lead);
	ptrdiff_t whole = at - d->digits, fraction = 0;
	const char *dot = NULL;
	if (at < end && *at == '.') {
		dot = at++;
		at = scan_digits(at, end, &d->lead);
		fraction = at - dot - 1;
	}
	if (whole + fraction == 0) return (sheaf_scanned){.end = at, .flaw = SHEAF_NUMBER_NO_DIGIT};
	d->end = at;
	d->exponent = -fraction;
	if (whole + fraction > SHEAF_LEAD_DIGITS) take_lead(d, dot);

	bool unusual = whole == 0;
	if (at < end && (*at == 'e' || *at == 'E')) {
		bool negative;
		int64_t exponent = 0;
		const char *first = scan_sign(at + 1, end, &negative);
		at = scan_exponent(first, end, &exponent);
		if (at == first) return (sheaf_scanned){.end = at, .flaw = SHEAF_NUMBER_NO_EXPONENT_DIGIT};
		d->exponent += negative ? -exponent : exponent;
		unusual |= dot && fraction == 0;
	}
	return (sheaf_scanned){.end = at, .flaw = SHEAF_NUMBER_OK, .unusual = unusual};
}

sheaf_scanned sheaf_scan_f32(const char *at, const char *end, float *out)
{
	sheaf_decimal d;
	sheaf_scanned scanned = scan_decimal(at, end, &d);
	*out = scanned.flaw ? 0 : sheaf_decimal_to_f32(&d);
	scanned.infinite = isinf(*out);
	return scanned;
}

sheaf_scanned sheaf_scan_f64(const char *at, const char *end, double *out)
{
	sheaf_decimal d;
	sheaf_scanned scanned = scan_decimal(at, end, &d);
	*out = scanned.flaw ? 0 : sheaf_decimal_to_f64(&d);
	scanned.infinite = isinf(*out);
	return scanned;
}
