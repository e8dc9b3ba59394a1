/* SPDX-License-Identifier: MIT */
/* Words of the text spelling: blanks, comments and numbers, read like the C library's scanf, which Lens
 * uses. */
#include "format/lens/text.h"
#include "number/number.h"
#include <math.h>
#include <strings.h>

enum { BLANK = LENS_BLANK | LENS_ENDS_REAL | LENS_ENDS_DASH, BRACKET = LENS_BRACKET | LENS_TELLS };

const uint8_t sheaf_lens_classes[256] = {
	['\0'] = LENS_TELLS,
	['\t'] = BLANK,
	['\n'] = BLANK | LENS_TELLS,
	['\v'] = BLANK,
	['\f'] = BLANK,
	['\r'] = BLANK | LENS_TELLS,
	[' '] = BLANK,
	['0' ... '9'] = LENS_DIGIT,
	['{'] = BRACKET | LENS_OPENER | LENS_ENDS_REAL,
	['('] = BRACKET | LENS_OPENER,
	['['] = BRACKET | LENS_OPENER | LENS_ENDS_REAL,
	['"'] = BRACKET | LENS_OPENER,
	['}'] = BRACKET | LENS_ENDS_REAL | LENS_ENDS_DASH,
	[')'] = BRACKET | LENS_ENDS_DASH,
	[']'] = BRACKET | LENS_ENDS_REAL,
	[';'] = LENS_ENDS_REAL | LENS_ENDS_DASH,
	[','] = LENS_ENDS_REAL,
	['\\'] = LENS_TELLS,
	[0x80 ... 0xff] = LENS_TELLS,
};

bool sheaf_lens_pass_blank(sheaf_lens_parsing *p)
{
	const uint8_t *at = p->at, *end = p->end;
	for (;;) {
		while (at < end && sheaf_lens_is(*at, LENS_BLANK)) at++;
		if (at == end || *at != '#') break;
		if (at == p->begin ? !p->line_start : !sheaf_lens_is_newline(at[-1])) break;
		while (at < end && !sheaf_lens_is_newline(*at)) at++;
	}
	p->at = at;
	return at < end;
}

sheaf_status sheaf_lens_flaw_text(sheaf_lens_parsing *p, const char *rule, const uint8_t *at,
                                  const char *expected)
{
	char found[SHEAF_SHOWN_SIZE];
	return sheaf_lens_flaw(p, rule, at, expected, sheaf_show(at, p->end, ';', found));
}

/* ---- numbers ---- */

static bool is_digit_at(const uint8_t *at, const uint8_t *end)
{
	return at < end && sheaf_lens_is(*at, LENS_DIGIT);
}

bool sheaf_lens_is_number(const uint8_t *at, const uint8_t *end)
{
	if (at < end && *at == '-') {
		at++;
		if (at == end || sheaf_lens_is(*at, LENS_ENDS_DASH)) return true;
	}
	return is_digit_at(at, end) || (at < end && *at == '.' && is_digit_at(at + 1, end));
}

static bool has_word(const uint8_t *at, const uint8_t *end, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(end - at) >= n && strncasecmp((const char *)at, word, n) == 0;
}

/* "nan", "inf" and "infinity": an "infi" that does not continue to "infinity" is nothing at all. */
static sheaf_lens_real scan_name(const uint8_t *at, const uint8_t *end)
{
	bool negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+')) at++;
	if (has_word(at, end, "nan")) return (sheaf_lens_real){.value = NAN, .end = at + 3};
	float infinity = negative ? -INFINITY : INFINITY;
	if (has_word(at, end, "infinity")) return (sheaf_lens_real){.value = infinity, .end = at + 8};
	if (has_word(at, end, "inf") && !has_word(at, end, "infi"))
		return (sheaf_lens_real){.value = infinity, .end = at + 3};
	return (sheaf_lens_real){0};
}

/* An exponent without digits is skipped, as by scanf. */
static const uint8_t *scan_power(const uint8_t *at, const uint8_t *end, int64_t *power, bool *cut)
{
	enum { ENOUGH = 1 << 20 };
	int64_t value = 0;
	bool negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+')) at++;
	*cut = !is_digit_at(at, end);
	for (; is_digit_at(at, end); at++)
		if (value < ENOUGH) value = value * 10 + (*at - '0');
	*power += negative ? -value : value;
	return at;
}

/* After "0x", which scanf accepts only if more follows. Up to 52 bits of the digits are kept; dropped bits
 * set the last one, so that rounding to float, once, is exact. A float64 holds all of them and any exponent
 * that matters. */
static sheaf_lens_real scan_hexadecimal(const uint8_t *at, const uint8_t *end, bool negative)
{
	enum { BEYOND = 400 };
	uint64_t digits = 0;
	int64_t exponent = 0; /* of two */
	bool dot = false, any = false;
	sheaf_lens_real real = {.end = at};
	for (; real.end < end; real.end++) {
		uint8_t byte = *real.end, letter = byte | 0x20;
		bool is_letter = letter >= 'a' && letter <= 'f';
		if (byte == '.' && !dot) {
			dot = true;
			continue;
		}
		if (!is_letter && !sheaf_lens_is(byte, LENS_DIGIT)) break;
		int digit = is_letter ? letter - 'a' + 10 : byte - '0';
		bool full = digits >> 48 != 0;
		any = true;
		exponent += (full ? 4 : 0) - (dot ? 4 : 0);
		digits = full ? digits | (digit != 0) : digits << 4 | (uint64_t)digit;
	}
	if (real.end == at) return (sheaf_lens_real){0};
	if (any && real.end < end && (*real.end | 0x20) == 'p')
		real.end = scan_power(real.end + 1, end, &exponent, &real.cut);
	if (exponent > BEYOND) exponent = BEYOND;
	if (exponent < -BEYOND) exponent = -BEYOND;
	real.value = (float)ldexp((double)digits, (int)exponent);
	real.infinite = isinf(real.value);
	if (negative) real.value = -real.value;
	return real;
}

sheaf_lens_real sheaf_lens_scan_real(const uint8_t *at, const uint8_t *end)
{
	if (at < end && sheaf_lens_is(*at, LENS_ENDS_REAL))
		return (sheaf_lens_real){.value = NAN, .end = at, .empty = true};
	if (at < end && *at == '-' && (at + 1 == end || sheaf_lens_is(at[1], LENS_ENDS_REAL)))
		return (sheaf_lens_real){.value = NAN, .end = at + 1};
	const uint8_t *digits = at < end && (*at == '-' || *at == '+') ? at + 1 : at;
	if (end - digits > 1 && digits[0] == '0' && (digits[1] | 0x20) == 'x')
		return scan_hexadecimal(digits + 2, end, *at == '-');
	sheaf_lens_real real = {0};
	sheaf_scanned scanned = sheaf_scan_f32((const char *)at, (const char *)end, &real.value);
	if (scanned.flaw == SHEAF_NUMBER_NO_DIGIT) return scan_name(at, end);
	real.end = (const uint8_t *)scanned.end;
	real.cut = scanned.flaw == SHEAF_NUMBER_NO_EXPONENT_DIGIT;
	if (real.cut) {
		const uint8_t *mantissa = real.end - 1;
		while ((*mantissa | 0x20) != 'e') mantissa--;
		scanned = sheaf_scan_f32((const char *)at, (const char *)mantissa, &real.value);
	}
	real.infinite = scanned.infinite;
	return real;
}

static sheaf_status tell_odd(sheaf_lens_parsing *p, const char *rule, const char *expected,
                             const char *consequence)
{
	char found[SHEAF_SHOWN_SIZE];
	sheaf_show(p->at, p->end, ';', found);
	return sheaf_lens_report(p, p->at, SHEAF_FINDING(SHEAF_WARNING, rule, expected, found, consequence));
}

sheaf_status sheaf_lens_read_real(sheaf_lens_parsing *p, const char *rule, const char *expected, float *out)
{
	char found[SHEAF_SHOWN_SIZE];
	sheaf_lens_pass_blank(p);
	sheaf_lens_real real = sheaf_lens_scan_real(p->at, p->end);
	if (!real.end) return sheaf_lens_flaw_text(p, rule, p->at, expected);
	if (real.empty)
		SHEAF_TRY(sheaf_lens_report(p, p->at,
		                            SHEAF_FINDING(SHEAF_WARNING, "empty value", "a number or '-'",
		                                          sheaf_show(p->at, p->end, '\0', found), "read as NaN")));
	if (real.infinite)
		SHEAF_TRY(tell_odd(p, "value overflow", "a value that float32 can hold", "read as infinity"));
	if (real.cut)
		SHEAF_TRY(
			tell_odd(p, "exponent without digits", "digits of an exponent", "read without the exponent"));
	*out = real.value;
	p->at = real.end;
	return SHEAF_OK;
}

sheaf_lens_integer sheaf_lens_scan_integer(const uint8_t **at, const uint8_t *end, int32_t *out)
{
	const uint8_t *digits = *at;
	bool negative = digits < end && *digits == '-';
	if (digits < end && (*digits == '-' || *digits == '+')) digits++;
	if (!is_digit_at(digits, end)) return SHEAF_LENS_NO_INTEGER;
	int64_t value = 0;
	for (; is_digit_at(digits, end); digits++)
		if (value <= INT32_MAX) value = value * 10 + (*digits - '0');
	*at = digits;
	value = negative ? -value : value;
	if (value < INT32_MIN || value > INT32_MAX) return SHEAF_LENS_INTEGER_OVER;
	*out = (int32_t)value;
	return SHEAF_LENS_INTEGER;
}
