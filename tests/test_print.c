/* SPDX-License-Identifier: MIT */
/* Printing of floats: the text reads back, no shorter decimal does, and none of the same length is
 * nearer. */
#include "number/number.h"
#include "number/spell.h"
#include "numbers.h"
#include "share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t compared;

/* A number's digits without dot and zeros around, and the exponent of the first of them. */
typedef struct digits {
	char text[64];
	int count, exponent;
} digits;

/* text: unsigned */
static digits read_digits(const char *text)
{
	digits d = {.count = 0, .exponent = (int)strcspn(text, ".e")};
	for (; *text && *text != 'e'; text++) {
		if (*text == '.') continue;
		if (*text != '0' || d.count)
			d.text[d.count++] = *text;
		else
			d.exponent--;
	}
	d.exponent += (*text == 'e' ? atoi(text + 1) : 0) - 1;
	while (d.count && d.text[d.count - 1] == '0') d.count--;
	d.text[d.count] = 0;
	return d;
}

static bool reads_as(const char *text, double v, bool narrow)
{
	if (narrow) return bits32(strtof(text, NULL)) == bits32((float)v);
	return bits64(strtod(text, NULL)) == bits64(v);
}

/* No decimal of fewer digits reads back: neither the nearest nor the ones beside it, which may be in when the
 * nearest is not, where the floats get twice as close. */
static void check_shortness(double v, bool narrow, const digits *d)
{
	char text[64];
	if (d->count < 2) return;
	sprintf(text, "%.*e", d->count - 2, v);
	digits fewer = read_digits(text);
	while (fewer.count < d->count - 1) fewer.text[fewer.count++] = '0';
	fewer.text[fewer.count] = 0;
	int64_t mantissa = strtoll(fewer.text, NULL, 10);
	for (int64_t m = mantissa - 1; m <= mantissa + 1; m++) {
		sprintf(text, "%" PRId64 "e%d", m, fewer.exponent - (d->count - 2));
		if (reads_as(text, v, narrow)) fail_msg("%a: %s is shorter than %s", v, text, d->text);
	}
}

/* v is above 0 */
static void check_printed(char *text, char *end, double v, bool narrow)
{
	static regex_t plain, scientific;
	static bool ready;
	if (!ready) {
		assert_int_equal(regcomp(&plain, "^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$", REG_EXTENDED | REG_NOSUB), 0);
		assert_int_equal(
			regcomp(&scientific, "^[1-9](\\.[0-9]*[1-9])?e-?[1-9][0-9]*$", REG_EXTENDED | REG_NOSUB), 0);
		ready = true;
	}
	assert_in_range(end - text, 1, SHEAF_NUMBER_MAX);
	*end = 0;
	digits d = read_digits(text);
	bool is_plain = d.exponent >= -5 && d.exponent <= 16;
	if (regexec(is_plain ? &plain : &scientific, text, 0, NULL, 0)) fail_msg("%a as %s", v, text);
	if (!reads_as(text, v, narrow)) fail_msg("%a as %s", v, text);
	check_shortness(v, narrow, &d);

	/* the nearest of as many digits, where that reads back at all; where all digits are shown it has no
	 * choice */
	char nearest[64];
	sprintf(nearest, "%.*e", d.count - 1, v);
	digits n = read_digits(nearest);
	if (reads_as(nearest, v, narrow) && (strcmp(n.text, d.text) || n.exponent != d.exponent))
		fail_msg("%a as %s, nearer is %s", v, text, nearest);
	compared++;
}

static void check_print(double v, bool narrow)
{
	char text[SHEAF_NUMBER_MAX + 1], minus[SHEAF_NUMBER_MAX + 1];
	char *end = narrow ? sheaf_print_f32(text, (float)v) : sheaf_print_f64(text, v);
	char *minus_end = narrow ? sheaf_print_f32(minus, (float)-v) : sheaf_print_f64(minus, -v);
	assert_true(minus[0] == '-' && minus_end - minus == end - text + 1);
	assert_memory_equal(minus + 1, text, (size_t)(end - text));
	float v32;
	double v64;
	sheaf_scanned got = narrow ? sheaf_scan_f32(text, end, &v32) : sheaf_scan_f64(text, end, &v64);
	assert_true(got.flaw == SHEAF_NUMBER_OK && got.end == end && !got.unusual);
	if (narrow)
		assert_true(bits32(v32) == bits32((float)v));
	else
		assert_true(bits64(v64) == bits64(v));
	check_printed(text, end, v, narrow);
}

static void test_print_random(void **unused UNUSED)
{
	for (int i = 0; i < rounds(200000); i++) {
		float v32 = fabsf(random_f32());
		double v64 = fabs(random_f64());
		if (v32 > 0) check_print((double)v32, true);
		if (v64 > 0) check_print(v64, false);
	}
}

static void test_print_edges(void **unused UNUSED)
{
	for (int e = -149; e <= 127; e++) {
		float v = ldexpf(1, e);
		check_print((double)v, true);
		check_print((double)nextafterf(v, INFINITY), true);
		if (e > -149) check_print((double)nextafterf(v, 0), true);
	}
	for (int e = -1074; e <= 1023; e++) {
		double v = ldexp(1, e);
		check_print(v, false);
		check_print(nextafter(v, INFINITY), false);
		if (e > -1074) check_print(nextafter(v, 0), false);
	}
	for (int e = -45; e <= 38; e++) check_print((double)(float)pow(10, e), true);
	for (int i = 1; i < 3000; i++) {
		check_print((double)from_bits32((uint32_t)i), true); /* subnormals */
		check_print(from_bits64((uint64_t)i), false);
		check_print(i, true);
		check_print(i / 1000.0, false);
		check_print((double)((float)i / 1000), true);
		check_print((double)nextafterf((float)(16777216 - 1500 + i), 0), true);
		check_print((double)(((int64_t)1 << 53) - 1500 + i), false);
		check_print(1e15 + i / 8.0, false);
	}
	check_print((double)FLT_MAX, true);
	check_print(DBL_MAX, false);
	check_print((double)FLT_MIN, true);
	check_print(DBL_MIN, false);
}

static void assert_printed(const char *text, const char *end, const char *expected)
{
	if ((size_t)(end - text) != strlen(expected) || memcmp(text, expected, strlen(expected)))
		fail_msg("%.*s for %s", (int)(end - text), text, expected);
}

static void test_print_exact(void **unused UNUSED)
{
	static const struct {
		double v;
		const char *text;
	} wide[] = {
		{0.0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{-1, "-1"},
		{0.1, "0.1"},
		{1.5, "1.5"},
		{-123.456, "-123.456"},
		{100, "100"},
		{1.0 / 3, "0.3333333333333333"},
		{2.0 / 3, "0.6666666666666666"},
		{0.00001, "0.00001"},
		{0.000012345, "0.000012345"},
		{0.000001, "1e-6"},
		{0.0000015, "1.5e-6"},
		{1e15, "1000000000000000"},
		{1e16, "10000000000000000"},
		{1.5e16, "15000000000000000"},
		{1e17, "1e17"},
		{1.2345e17, "1.2345e17"},
		{1e21, "1e21"},
		{1e22, "1e22"},
		{1e23, "1e23"},
		{9007199254740991, "9007199254740991"},
		{9007199254740992, "9007199254740992"},
		{9007199254740994, "9007199254740994"},
		{5e-324, "5e-324"},
		{1e-323, "1e-323"},
		{2.2250738585072014e-308, "2.2250738585072014e-308"},
		{1.7976931348623157e308, "1.7976931348623157e308"},
		{-1.7976931348623157e308, "-1.7976931348623157e308"},
		{9.5367431640625e-07, "9.5367431640625e-7"},
		{2251799813685248.5, "2251799813685248.5"},
		{12345678901234568, "12345678901234568"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
		{NAN, "nan"},
		{-NAN, "nan"},
	};
	static const struct {
		float v;
		const char *text;
	} narrow[] = {
		{0.0f, "0"},
		{-0.0f, "-0"},
		{1, "1"},
		{0.1f, "0.1"},
		{0.3f, "0.3"},
		{1.0f / 3, "0.33333334"},
		{16777216, "16777216"},
		{16777218, "16777218"},
		{1e10f, "10000000000"},
		{1073741824, "1073741800"},
		{3.4028235e38f, "3.4028235e38"},
		{1e-45f, "1e-45"},
		{1.1754944e-38f, "1.1754944e-38"},
		{1e-5f, "0.00001"},
		{1e-6f, "1e-6"},
		{9.8e-45f, "1e-44"},
		{1e16f, "10000000000000000"},
		{1e17f, "1e17"},
		{8388607.5f, "8388607.5"},
		{-2.5f, "-2.5"},
		{INFINITY, "inf"},
		{-INFINITY, "-inf"},
		{NAN, "nan"},
	};
	char text[SHEAF_NUMBER_MAX];
	for (size_t i = 0; i < COUNT(wide); i++)
		assert_printed(text, sheaf_print_f64(text, wide[i].v), wide[i].text);
	for (size_t i = 0; i < COUNT(narrow); i++)
		assert_printed(text, sheaf_print_f32(text, narrow[i].v), narrow[i].text);
}

/* Mantissas of every exponent, the lowest and the highest among them. */
static void test_print_exponents(void **unused UNUSED)
{
	for (uint32_t e = 0; e < 255; e++) {
		int more = e >= 110 && e < 152 ? 1000 : 100; /* plain numbers are printed in several ways */
		check_print((double)from_bits32(e << 23 | 0x7fffff), true);
		if (e) check_print((double)from_bits32(e << 23), true);
		for (int i = 0; i < more; i++)
			check_print((double)from_bits32(e << 23 | (1 + (uint32_t)pick(0x7fffff))), true);
	}
	for (uint64_t e = 0; e < 2047; e++) {
		int more = e >= 1006 && e < 1048 ? 500 : 20;
		for (int i = 0; i < more; i++)
			check_print(from_bits64(e << 52 | (1 + next_random() % 0xfffffffffffff)), false);
	}
}

static void assert_both_printed(double v, float narrow, const char *expected)
{
	char text[SHEAF_NUMBER_MAX];
	assert_printed(text, sheaf_print_f64(text, v), expected);
	assert_printed(text, sheaf_print_f32(text, narrow), expected);
	compared += 2;
}

/* Adds one to a number in decimal digits that end at `last`; returns where it begins now. */
static char *count_up(char *first, char *last)
{
	while (*last == '9') *last-- = '0';
	if (last < first) *last = '0';
	++*last;
	return last < first ? last : first;
}

static void test_print_integers(void **unused UNUSED)
{
	char text[16] = "-0000000000";
	char *first = text + 10, *last = first;
	for (int v = 1; v <= 1 << 24; v++) {
		first = count_up(first, last);
		assert_both_printed(v, (float)v, first);
		first[-1] = '-';
		assert_both_printed(-v, (float)-v, first - 1);
		first[-1] = '0';
	}
}

/* k / 10^places as a person writes it, into SHEAF_NUMBER_MAX bytes */
static void write_decimal(char *to, int k, int places)
{
	int n = snprintf(to, SHEAF_NUMBER_MAX - 1, "%0*d", places + 1, k);
	memmove(to + n - places + 1, to + n - places, (size_t)places + 1);
	to[n - places] = '.';
	while (to[n] == '0') to[n--] = 0;
	if (to[n] == '.') to[n] = 0;
}

/* Every decimal of six digits and places; none of them is another's float. */
static void test_print_decimals(void **unused UNUSED)
{
	char text[SHEAF_NUMBER_MAX];
	for (int places = 1; places <= 6; places++) {
		for (int k = 1; k < 1000000; k += one_in()) {
			float narrow;
			double v;
			write_decimal(text, k, places);
			sheaf_scan_f32(text, text + strlen(text), &narrow);
			sheaf_scan_f64(text, text + strlen(text), &v);
			if (v >= 0.00001) assert_both_printed(v, narrow, text);
		}
	}
}

/* Decimals of more places, and their neighbours, which are not decimals. */
static void test_print_places(void **unused UNUSED)
{
	double power = 1e6;
	for (int places = 7; places <= 12; places++) {
		power *= 10;
		for (int i = 0; i < 5000; i++) {
			double v = (double)(1 + (int64_t)(next_random() >> (11 + pick(40)))) / power;
			check_print(v, false);
			check_print(nextafter(v, INFINITY), false);
			check_print(nextafter(v, 0), false);
			if ((float)v > 0) check_print((double)(float)v, true);
		}
	}
}

/* The processor's rounding mode has no influence. */
static void test_print_in_modes(void **unused UNUSED)
{
	static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	for (int i = 0; i < rounds(30000); i++) {
		char text[4][SHEAF_NUMBER_MAX], narrow[4][SHEAF_NUMBER_MAX];
		double v = i % 2 ? random_f64() : (pick(20000000) - 10000000) / 1e6;
		ptrdiff_t length = sheaf_print_f64(text[0], v) - text[0],
				  narrow_length = sheaf_print_f32(narrow[0], (float)v) - narrow[0];
		float narrowed = (float)v;
		for (size_t m = 1; m <= COUNT(modes); m++) {
			fesetround(modes[m - 1]);
			ptrdiff_t length_again = sheaf_print_f64(text[m], v) - text[m],
					  narrow_again = sheaf_print_f32(narrow[m], narrowed) - narrow[m];
			fesetround(FE_TONEAREST);
			assert_true(length_again == length && narrow_again == narrow_length);
			assert_memory_equal(text[m], text[0], (size_t)length);
			assert_memory_equal(narrow[m], narrow[0], (size_t)narrow_length);
		}
	}
}

static void check_text(double value, const char *text, ptrdiff_t length, const char *one, ptrdiff_t expected)
{
	if (length != expected || memcmp(text, one, (size_t)length) != 0)
		fail_msg("%a as %.*s, not %.*s", value, (int)length, text, (int)expected, one);
	compared++;
}

static void check_spelled(const double *values, size_t n)
{
	char text[SHEAF_NUMBER_MAX], one[SHEAF_NUMBER_MAX];
	float narrow[SHEAF_SPELLED];
	sheaf_spelling s;
	sheaf_spell_f64(&s, values, n);
	for (size_t k = 0; k < n; k++) {
		ptrdiff_t length = sheaf_print_spelled_f64(text, &s, k) - text;
		check_text(values[k], text, length, one, sheaf_print_f64(one, values[k]) - one);
		narrow[k] = (float)values[k];
	}
	sheaf_spell_f32(&s, narrow, n);
	for (size_t k = 0; k < n; k++) {
		ptrdiff_t length = sheaf_print_spelled_f32(text, &s, k) - text;
		check_text((double)narrow[k], text, length, one, sheaf_print_f32(one, narrow[k]) - one);
	}
}

/* Several at once have the same text, whatever is beside them, in any rounding mode. */
static void test_print_spelled(void **unused UNUSED)
{
	static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	static const double odd[] = {
		0,       -0.0, 1,    -1,   INFINITY, -INFINITY,        NAN, 5e-324, -DBL_MIN,
		DBL_MAX, 0.1,  1e16, 1e17, 1e23,     9007199254740994, 100, 1.5e-7, 123456789};
	double values[SHEAF_SPELLED];
	for (int i = 0; i < rounds(300000); i++) {
		for (size_t k = 0; k < COUNT(values); k++) {
			switch (pick(7)) {
			case 0: values[k] = odd[pick((int)COUNT(odd))]; break;
			case 1: values[k] = ldexp(1 + pick(3), pick(2090) - 1074); break;
			case 2: values[k] = nextafter(ldexp(1, pick(2090) - 1074), pick(2) ? INFINITY : 0); break;
			case 3: values[k] = (double)(next_random() >> 11) / 9007199254740992.0; break;
			case 4: values[k] = (pick(2000000) - 1000000) / 1e3; break;
			case 5: values[k] = ldexp(1 + (double)pick(1 << 23) / (1 << 23), pick(42) - 18); break;
			default: values[k] = random_f64(); break;
			}
		}
		fesetround(modes[i % (int)COUNT(modes)]);
		check_spelled(values, i % 50 ? COUNT(values) : (size_t)pick((int)COUNT(values)));
		fesetround(FE_TONEAREST);
	}
	for (int e = -1074; e <= 1023; e++) {
		for (size_t k = 0; k < COUNT(values); k++)
			values[k] = ldexp(1 + (double)(k / 2) / 4, e) * (k % 2 ? -1 : 1);
		check_spelled(values, COUNT(values));
	}
}

/* Last: there were as many comparisons as intended. */
static void test_were_enough(void **unused UNUSED)
{
	print_message("# %" PRId64 " comparisons\n", compared);
	assert_true(compared >= 70000000 / one_in());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_print_random, seed),   cmocka_unit_test_setup(test_print_edges, seed),
		cmocka_unit_test_setup(test_print_exact, seed),    cmocka_unit_test_setup(test_print_exponents, seed),
		cmocka_unit_test_setup(test_print_integers, seed), cmocka_unit_test_setup(test_print_decimals, seed),
		cmocka_unit_test_setup(test_print_places, seed),   cmocka_unit_test_setup(test_print_in_modes, seed),
		cmocka_unit_test_setup(test_print_spelled, seed),  cmocka_unit_test(test_were_enough),
	};
	return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
