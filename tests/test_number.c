/* SPDX-License-Identifier: MIT */
/* Scanning of numbers, and printing of integers, bit for bit against the C library's strtof, strtod and
 * printf. */
#include "number/number.h"
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
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest text made here: thousands of digits and some room. */
#define ROOM 16384

static int64_t compared;

static void assert_f32(const char *text, const char *end, sheaf_scanned got, float v)
{
	float expected = strtof(text, NULL);
	if (got.flaw == SHEAF_NUMBER_OK && got.end == end && bits32(v) == bits32(expected) &&
	    got.infinite == !!isinf(expected))
		return;
	fail_msg("\"%.100s\": flaw %d, %td of %td bytes, %a for %a", text, (int)got.flaw, got.end - text,
	         end - text, (double)v, (double)expected);
}

static void assert_f64(const char *text, const char *end, sheaf_scanned got, double v)
{
	double expected = strtod(text, NULL);
	if (got.flaw == SHEAF_NUMBER_OK && got.end == end && bits64(v) == bits64(expected) &&
	    got.infinite == !!isinf(expected))
		return;
	fail_msg("\"%.100s\": flaw %d, %td of %td bytes, %a for %a", text, (int)got.flaw, got.end - text,
	         end - text, v, expected);
}

/* All of text[length] is one number. Bytes past its end must not matter: once there is a NUL, once the
 * text continues. */
static void check_number(char *text, int length)
{
	static const char more[][5] = {"7", "99", ".5", "e9", "E-3", "+1"};
	const char *end = text + length;
	float narrow;
	double wide;
	text[length] = 0;
	sheaf_scanned got = sheaf_scan_f32(text, end, &narrow);
	assert_f32(text, end, got, narrow);
	got = sheaf_scan_f64(text, end, &wide);
	assert_f64(text, end, got, wide);

	float narrow_again;
	double wide_again;
	memcpy(text + length, more[(size_t)(compared / 2) % COUNT(more)], 5);
	got = sheaf_scan_f32(text, end, &narrow_again);
	assert_true(got.end == end && bits32(narrow) == bits32(narrow_again));
	got = sheaf_scan_f64(text, end, &wide_again);
	assert_true(got.end == end && bits64(wide) == bits64(wide_again));
	text[length] = 0;
	compared += 2;
}

/* The same for a literal, with either sign. */
static void check_literal(const char *literal)
{
	static char text[ROOM];
	check_number(text, snprintf(text, ROOM - 8, "%s", literal));
	if (literal[0] != '-' && literal[0] != '+') {
		check_number(text, snprintf(text, ROOM - 8, "-%s", literal));
		check_number(text, snprintf(text, ROOM - 8, "+%s", literal));
	}
}

static void test_hard_cases(void **unused UNUSED)
{
	static const char *const hard[] = {
		/* zeros, exponents of all sizes, exact powers of ten */
		"0",
		"0.0",
		"00000",
		"0e0",
		"0e99999999999999",
		"0.000e-99999999999999999999999999999999",
		"1",
		"10",
		"0.1",
		"0.3",
		"123456789",
		"1e0",
		"1E+0",
		"1e-0",
		"5e-1",
		"1e22",
		"1e23",
		"1e-22",
		"1e-23",
		"9007199254740992e22",
		"1e99999999999",
		"1e-99999999",
		"1e18446744073709551616",
		"1e-18446744073709551617",
		"1e340282366920938463463374607",
		/* float32: whole numbers, largest, normal and subnormal limits, with numbers just beside the
	     * halves */
		"16777215",
		"16777216",
		"16777217",
		"16777218",
		"16777219",
		"16777217.0000000000000000000000000000000000001",
		"16777216.99999999999999999999999999999999999",
		"33554434",
		"33554437",
		"8388608.5",
		"8388609.5",
		"8388609.4999999999999999999999999999999999999999999",
		"3.40282346638528859811704183484516925440e38",
		"3.4028235677973366e38",
		"340282356779733661637539395458142568447",
		"340282356779733661637539395458142568448",
		"340282356779733661637539395458142568448.000000000000000000001",
		"3.4028236e38",
		"1e38",
		"1e39",
		"1.17549435082228750796873653722224568e-38",
		"1.1754943e-38",
		"1.1754942e-38",
		"1.17549428075736429172788299103576651332285899275899042768296311842500306496517303855853242566809058"
		"1893920898438e-38",
		"1.40129846432481707092372958328991613e-45",
		"7.00649232162408535461864791644958065640130970938257885878534141944895541342930300743319094181060791"
		"015625e-46",
		"7.00649232162408535461864791644958065640130970938257885878534141944895541342930300743319094181060791"
		"0156250000000000000000001e-46",
		"7.0064923216240853e-46",
		"7.1e-46",
		"1e-46",
		"2.1019476964872256e-45",
		"2.10194769648722560638559437493487419692039291281477365763560242583468662402879090222995728254318237"
		"3046875e-45",
		/* float64: the same; then what other readers got wrong */
		"9007199254740991",
		"9007199254740992",
		"9007199254740993",
		"9007199254740994",
		"9007199254740995",
		"9007199254740993.00000000000000000000000000000000000000000000000000000000000000000000000000000000000"
		"00000000000001",
		"9007199254740992.99999999999999999999999999999999999999999999999999999999999999999999999999999999999"
		"999999999999",
		"9007199254740993.00000000000000000000000000000000000000000000000",
		"18446744073709551615",
		"18446744073709551616",
		"9999999999999999999",
		"99999999999999999999",
		"10000000000000000000",
		"0.1000000000000000055511151231257827",
		"1.7976931348623157e308",
		"1.7976931348623158e308",
		"1.7976931348623159e308",
		"1.797693134862315708145e308",
		"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070"
		"9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447"
		"5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904"
		"174497791",
		"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070"
		"9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447"
		"5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904"
		"174497792",
		"1e308",
		"1e309",
		"2.2250738585072014e-308",
		"2.2250738585072011e-308",
		"2.2250738585072012e-308",
		"2.2250738585072009e-308",
		"4.9406564584124654e-324",
		"2.4703282292062327e-324",
		"2.4703282292062328e-324",
		"2.47032822920623272e-324",
		"2e-324",
		"3e-324",
		"7.4109846876186981e-324",
		"7.4109846876186982e-324",
		"1e-323",
		"1.00000000000000011102230246251565404236316680908203125",
		"1.00000000000000011102230246251565404236316680908203124",
		"1.00000000000000011102230246251565404236316680908203126",
		"1.00000000000000033306690738754696212708950042724609375",
		"6.631236846766476e-316",
		"3.23788391330290128958835241250153217486303766942310805990129704955230197067067656578683574258779955"
		"7860615776559838283435514391084153169252689190564396459577394618038928365305143463955100356696665629"
		"20201733134403173006990e-308",
		"8.988465674311580e307",
		"1.152921504606846977e18",
		"7.2057594037927933e16",
	};
	for (size_t i = 0; i < COUNT(hard); i++) check_literal(hard[i]);
}

/* Writes `n` times the same digit and returns the place after it. */
static char *put_run(char *to, char digit, int n)
{
	memset(to, digit, (size_t)n);
	return to + n;
}

static int put_text(char *to, const char *text)
{
	strcpy(to, text);
	return (int)strlen(text);
}

static void test_long_texts(void **unused UNUSED)
{
	static char text[ROOM];
	static const int lengths[] = {1,   18,  19,  20,  21,  307, 308, 309,  323,  324,  325,
	                              400, 767, 768, 797, 798, 799, 800, 1100, 5000, 12000};
	for (size_t i = 0; i < COUNT(lengths); i++) {
		int n = lengths[i];
		for (char digit = '0'; digit <= '9'; digit++) {
			char *end = put_run(text, digit, n);
			check_number(text, (int)(end - text));
			check_number(text, (int)(end - text) + sprintf(end, "e-%d", n));
			check_number(text, (int)(end - text) + sprintf(end, ".%cE-%d", digit, n - 1));
		}
		/* zeros before and after the dot, and an exponent which makes up for them */
		char *end = put_run(text, '0', n);
		check_number(text, (int)(end - text) + put_text(end, "1.5"));
		check_number(text, (int)(end - text) + put_text(end, "16777217"));
		strcpy(text, "0.");
		end = put_run(text + 2, '0', n);
		check_number(text, (int)(end - text) + put_text(end, "123"));
		check_number(text, (int)(end - text) + sprintf(end, "9007199254740993e%d", n + 16));
		check_number(text, (int)(end - text) + sprintf(end, "9007199254740993000000000000001e%d", n + 16));
		check_number(text, (int)(end - text) + sprintf(end, "49406564584124654e%d", n - 323));
		/* the last of n digits decides */
		end = put_run(text + put_text(text, "9007199254740993."), '0', n);
		check_number(text, (int)(end - text));
		check_number(text, (int)(end - text) + put_text(end, "1"));
		end = put_run(text + put_text(text, "16777217"), '0', n);
		check_number(text, (int)(end - text) + sprintf(end, "1e-%d", n + 1));
		check_number(text, (int)(end - text) + sprintf(end, "0e-%d", n + 1));
		end = put_run(text + put_text(text, "16777216."), '9', n);
		check_number(text, (int)(end - text));
	}
}

#define OK SHEAF_NUMBER_OK
#define NONE SHEAF_NUMBER_NO_DIGIT
#define NOEXP SHEAF_NUMBER_NO_EXPONENT_DIGIT

typedef struct sample {
	const char *text;
	sheaf_number_flaw flaw;
	int used;
	bool unusual;
} sample;

static void check_sample(const char *text, size_t length, sheaf_number_flaw flaw, size_t used, bool unusual)
{
	float narrow = 1;
	double wide = 1;
	sheaf_scanned a = sheaf_scan_f32(text, text + length, &narrow);
	sheaf_scanned b = sheaf_scan_f64(text, text + length, &wide);
	if (a.flaw != flaw || a.end != text + used || (!flaw && a.unusual != unusual))
		fail_msg("\"%.*s\": flaw %d at %td", (int)length, text, (int)a.flaw, a.end - text);
	assert_true(b.flaw == a.flaw && b.end == a.end && b.unusual == a.unusual);
	if (flaw) assert_true(bits32(narrow) == 0 && bits64(wide) == 0 && !a.infinite && !b.infinite);
}

static void test_grammar(void **unused UNUSED)
{
	static const sample samples[] = {
		{"", NONE, 0, 0},
		{"+", NONE, 1, 0},
		{"-", NONE, 1, 0},
		{"-x", NONE, 1, 0},
		{"+-1", NONE, 1, 0},
		{"--1", NONE, 1, 0},
		{".", NONE, 1, 0},
		{"-.", NONE, 2, 0},
		{".e1", NONE, 1, 0},
		{"..5", NONE, 1, 0},
		{"x", NONE, 0, 0},
		{"e5", NONE, 0, 0},
		{"nan", NONE, 0, 0},
		{"inf", NONE, 0, 0},
		{"-inf", NONE, 1, 0},
		{" 1", NONE, 0, 0},
		{"\t1", NONE, 0, 0},
		{"1", OK, 1, 0},
		{"+1", OK, 2, 0},
		{"-0", OK, 2, 0},
		{"007", OK, 3, 0},
		{"1 ", OK, 1, 0},
		{"1,5", OK, 1, 0},
		{"1.", OK, 2, 0},
		{"1.5", OK, 3, 0},
		{"1.5.5", OK, 3, 0},
		{"1..5", OK, 2, 0},
		{"1-2", OK, 1, 0},
		{"1:2", OK, 1, 0},
		{"0x10", OK, 1, 0},
		{"1f", OK, 1, 0},
		{"1d5", OK, 1, 0},
		{"1_0", OK, 1, 0},
		{"12\0"
	     "3",
	     OK, 2, 0},
		{".5", OK, 2, 1},
		{"-.5", OK, 3, 1},
		{"+.5e1", OK, 5, 1},
		{".5.", OK, 2, 1},
		{".0", OK, 2, 1},
		{"1e2", OK, 3, 0},
		{"1E2", OK, 3, 0},
		{"1e+2", OK, 4, 0},
		{"1e-2", OK, 4, 0},
		{"1e02", OK, 4, 0},
		{"1e2e3", OK, 3, 0},
		{"1e2.5", OK, 3, 0},
		{"1.5e2", OK, 5, 0},
		{"1.0e2", OK, 5, 0},
		{"1.e2", OK, 4, 1},
		{"-1.E-2", OK, 6, 1},
		{"1. e2", OK, 2, 0},
		{"1e", NOEXP, 2, 0},
		{"1E", NOEXP, 2, 0},
		{"1e+", NOEXP, 3, 0},
		{"1e-", NOEXP, 3, 0},
		{"1ex", NOEXP, 2, 0},
		{"1e+x", NOEXP, 3, 0},
		{"1e+-2", NOEXP, 3, 0},
		{"1e 2", NOEXP, 2, 0},
		{"1.5e", NOEXP, 4, 0},
		{"1.e", NOEXP, 3, 0},
		{".5e-", NOEXP, 4, 0},
		{"1ee2", NOEXP, 2, 0},
		{"1e.5", NOEXP, 2, 0},
		{"0e", NOEXP, 2, 0},
	};
	for (size_t i = 0; i < COUNT(samples); i++) {
		const sample *s = &samples[i];
		check_sample(s->text, strlen(s->text), s->flaw, (size_t)s->used, s->unusual);
	}
	/* cut anywhere, the rest is not read */
	static const char whole[] = "-12.5e+34";
	static const sheaf_number_flaw flaws[] = {NONE, NONE, OK, OK, OK, OK, NOEXP, NOEXP, OK, OK};
	for (size_t n = 0; n < sizeof whole; n++) check_sample(whole, n, flaws[n], n, false);
	float v;
	assert_true(sheaf_scan_f32(NULL, NULL, &v).flaw == SHEAF_NUMBER_NO_DIGIT);
}

/* Random texts over the grammar's alphabet, against regular expressions. Each text has an allocation of
 * exactly its size, so that an address sanitizer sees every read beyond it. */
static void test_grammar_random(void **unused UNUSED)
{
	static const char alphabet[] = "0123456789012345000++--...eeEE x";
	regex_t mantissa, number, dotted;
	assert_int_equal(regcomp(&mantissa, "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)", REG_EXTENDED), 0);
	assert_int_equal(regcomp(&number, "^[eE][+-]?[0-9]+", REG_EXTENDED), 0);
	assert_int_equal(regcomp(&dotted, "^[+-]?(\\.|[0-9]+\\.[eE])", REG_EXTENDED | REG_NOSUB), 0);
	for (int i = 0; i < rounds(200000); i++) {
		char text[16];
		int length = pick(12);
		for (int k = 0; k < length; k++) text[k] = alphabet[pick((int)sizeof alphabet - 1)];
		text[length] = 0;
		regmatch_t match;
		sheaf_number_flaw flaw = SHEAF_NUMBER_OK;
		size_t used;
		if (regexec(&mantissa, text, 1, &match, 0)) {
			flaw = SHEAF_NUMBER_NO_DIGIT;
			used = text[0] == '+' || text[0] == '-';
			used += text[used] == '.';
		} else {
			used = (size_t)match.rm_eo;
			if (!regexec(&number, text + used, 1, &match, 0))
				used += (size_t)match.rm_eo;
			else if (text[used] == 'e' || text[used] == 'E') {
				flaw = SHEAF_NUMBER_NO_EXPONENT_DIGIT;
				used++;
				used += text[used] == '+' || text[used] == '-';
			}
		}
		bool unusual = !regexec(&dotted, text, 0, NULL, 0);
		char *exact = memcpy(malloc((size_t)length + !length), text, (size_t)length);
		check_sample(exact, (size_t)length, flaw, used, unusual);
		free(exact);
		if (!flaw) check_number(text, (int)used);
	}
	regfree(&mantissa);
	regfree(&number);
	regfree(&dotted);
}

static void test_printed_bits(void **unused UNUSED)
{
	static char text[ROOM];
	for (int i = 0; i < rounds(400000); i++) {
		check_number(text, snprintf(text, ROOM, "%.*g", 1 + pick(20), (double)random_f32()));
		check_number(text, snprintf(text, ROOM, "%.*g", 1 + pick(20), random_f64()));
		if (i % 4) continue;
		check_number(text, snprintf(text, ROOM, "%.*f", pick(60), (double)random_f32()));
		check_number(text, snprintf(text, ROOM, "%.*E", pick(40), random_f64()));
		if (i % 32 == 0) check_number(text, snprintf(text, ROOM, "%.*f", pick(400), random_f64()));
	}
}

static char *put_random_digits(char *to, int n)
{
	while (n-- > 0) *to++ = (char)('0' + pick(10));
	return to;
}

static void test_random_decimals(void **unused UNUSED)
{
	static char text[ROOM];
	for (int i = 0; i < rounds(500000); i++) {
		char *at = text;
		int most = i % 200 ? 26 : 1200, whole = pick(most), fraction = pick(most);
		if (pick(2)) *at++ = "+-"[pick(2)];
		at = put_random_digits(at, whole);
		if (fraction || pick(2)) *at++ = '.';
		at = put_random_digits(at, fraction + (whole + fraction == 0));
		if (at[-1] == '.' && whole == 0) at[-1] = '0';
		if (pick(3))
			at += sprintf(at, "%c%+d", "eE"[pick(2)],
			              pick(3) ? pick(100) - 50 - whole : pick(700) - 350 - whole);
		check_number(text, (int)(at - text));
	}
}

/* The midpoint itself, a little more, and a little less: the mantissa of "d.ddde-x" gets a tail, or its last
 * digit is lowered and nines follow. */
static void check_about_midpoint(char *text, int length)
{
	static char changed[ROOM];
	static const char tails[][24] = {"1", "01", "000000000000000000001"};
	int mantissa = (int)strcspn(text, "e"), last = mantissa;
	check_number(text, length);
	int n = snprintf(changed, ROOM, "%.*s%s%s", mantissa, text, tails[pick(3)], text + mantissa);
	check_number(changed, n);
	while (text[last - 1] == '0' || text[last - 1] == '.') last--;
	n = snprintf(changed, ROOM, "%.*s%s%s", mantissa, text, "9999", text + mantissa);
	changed[last - 1]--;
	memset(changed + last, '9', (size_t)(mantissa + 4 - last));
	char *dot = memchr(text, '.', (size_t)mantissa);
	if (dot) changed[dot - text] = '.';
	check_number(changed, n);
}

static void test_midpoints(void **unused UNUSED)
{
	static char text[ROOM];
	for (int i = 0; i < rounds(60000); i++) {
		float v = fabsf(random_f32()), up = nextafterf(v, INFINITY);
		double middle = isinf(up) ? 0x1.ffffffp127 : ((double)v + (double)up) / 2;
		check_about_midpoint(text, snprintf(text, ROOM, "%.120e", middle));
		check_about_midpoint(text, snprintf(text, ROOM, "%.40e", middle));
		/* so near to it that no float64 is between */
		middle = ((double)(1 << 24) + 1 + 2 * pick(1 << 23)) * ldexp(1, -pick(50));
		check_number(text, snprintf(text, ROOM, "%.*g", 14 + pick(4), middle));
	}
#if LDBL_MANT_DIG > DBL_MANT_DIG
	for (int i = 0; i < rounds(40000); i++) {
		double v = fabs(random_f64()), up = nextafter(v, INFINITY);
		long double middle = isinf(up) ? 0x1.fffffffffffff8p1023L : ((long double)v + (long double)up) / 2;
		check_about_midpoint(text,
		                     snprintf(text, ROOM, "%.*Le", i % 4 ? 60 + pick(100) : 770 + pick(60), middle));
	}
#endif
}

static void assert_printed(const char *text, const char *end, const char *expected)
{
	if ((size_t)(end - text) != strlen(expected) || memcmp(text, expected, strlen(expected)))
		fail_msg("%.*s for %s", (int)(end - text), text, expected);
}

static void check_integer(uint64_t v)
{
	char text[SHEAF_NUMBER_MAX + 1], expected[32];
	uint64_t got = 0;
	sprintf(expected, "%" PRIu64, v);
	char *end = sheaf_print_u64(text, v);
	assert_printed(text, end, expected);
	*end = '7';
	sheaf_scanned scanned = sheaf_scan_u64(text, end, &got);
	assert_true(scanned.flaw == SHEAF_NUMBER_OK && scanned.end == end && got == v);
	sprintf(expected, "%" PRId64, (int64_t)v);
	assert_printed(text, sheaf_print_i64(text, (int64_t)v), expected);
}

static void test_integers(void **unused UNUSED)
{
	for (int i = 0; i < rounds(300000); i++) check_integer(next_random() >> pick(64));
	uint64_t power = 1;
	for (int i = 0; i < 20; i++, power *= 10)
		for (uint64_t d = 0; d < 3; d++) check_integer(power - 1 + d);
	check_integer(0);
	check_integer(UINT64_MAX);
	check_integer((uint64_t)INT64_MIN);
	check_integer(INT64_MAX);

	static const struct {
		const char *text;
		sheaf_number_flaw flaw;
		int used;
		uint64_t v;
	} samples[] = {
		{"", SHEAF_NUMBER_NO_DIGIT, 0, 0},
		{"-1", SHEAF_NUMBER_NO_DIGIT, 0, 0},
		{"+1", SHEAF_NUMBER_NO_DIGIT, 0, 0},
		{" 1", SHEAF_NUMBER_NO_DIGIT, 0, 0},
		{"x", SHEAF_NUMBER_NO_DIGIT, 0, 0},
		{"12x", SHEAF_NUMBER_OK, 2, 12},
		{"1.5", SHEAF_NUMBER_OK, 1, 1},
		{"000000000000000000000000000000007:", SHEAF_NUMBER_OK, 33, 7},
		{"18446744073709551615", SHEAF_NUMBER_OK, 20, UINT64_MAX},
		{"18446744073709551616", SHEAF_NUMBER_OVERFLOW, 20, 0},
		{"18446744073709551620 ", SHEAF_NUMBER_OVERFLOW, 20, 0},
		{"99999999999999999999", SHEAF_NUMBER_OVERFLOW, 20, 0},
		{"184467440737095516150|", SHEAF_NUMBER_OVERFLOW, 21, 0},
		{"36893488147419103232", SHEAF_NUMBER_OVERFLOW, 20, 0},
		{"1000000000000000000000000000000000000000", SHEAF_NUMBER_OVERFLOW, 40, 0},
	};
	for (size_t i = 0; i < COUNT(samples); i++) {
		uint64_t v = 1;
		sheaf_scanned got = sheaf_scan_u64(samples[i].text, samples[i].text + strlen(samples[i].text), &v);
		assert_true(got.flaw == samples[i].flaw && got.end == samples[i].text + samples[i].used &&
		            v == samples[i].v);
	}
}

/* The processor's rounding mode has no influence. */
static void test_rounding_modes(void **unused UNUSED)
{
	static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	for (size_t m = 0; m < COUNT(modes); m++) {
		for (int i = 0; i < 3000; i++) {
			char text[64];
			double v = random_f64(), expected, got;
			int n = snprintf(text, sizeof text, "%.*g", 1 + pick(20), v);
			sheaf_scan_f64(text, text + n, &expected);
			fesetround(modes[m]);
			sheaf_scan_f64(text, text + n, &got);
			fesetround(FE_TONEAREST);
			assert_true(bits64(got) == bits64(expected));
		}
	}
}

/* Last: there were as many comparisons as intended. */
static void test_were_enough(void **unused UNUSED)
{
	print_message("# %" PRId64 " comparisons\n", compared);
	assert_true(compared >= 2000000 / one_in());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_hard_cases, seed),     cmocka_unit_test_setup(test_long_texts, seed),
		cmocka_unit_test_setup(test_grammar, seed),        cmocka_unit_test_setup(test_grammar_random, seed),
		cmocka_unit_test_setup(test_printed_bits, seed),   cmocka_unit_test_setup(test_random_decimals, seed),
		cmocka_unit_test_setup(test_midpoints, seed),      cmocka_unit_test_setup(test_integers, seed),
		cmocka_unit_test_setup(test_rounding_modes, seed), cmocka_unit_test(test_were_enough),
	};
	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
