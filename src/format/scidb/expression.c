/* SPDX-License-Identifier: MIT */
/* Constant expressions, used in an array schema instead of a number: whole and real numbers, signs,
 * operators, and some functions of the server. An expression is read and evaluated at once, from left to
 * right:
 *
 *     sum      product { (+|-) product }
 *     product  factor { (*|/|%) factor }
 *     factor   { +|- } ( number | function "(" sum { "," sum } ")" | "(" sum ")" )
 *
 * Whole numbers stay whole and must fit 64 bits; an operator with a real number gives a real one, which must
 * be finite. */
#include "base/checked.h"
#include "format/scidb/text.h"
#include "number/number.h"
#include <math.h>

enum { MOST_DEPTH = 64, MOST_ARGUMENTS = 2 };

typedef struct expression {
	sheaf_scidb_text *text;
	const char *what; /* is expected if no number begins */
	int depth;        /* of parentheses, which bounds the recursion */
} expression;

/* The value of a part of one. */
typedef struct constant {
	bool is_real;
	int64_t whole; /* above -2^63 */
	double real;
} constant;

static sheaf_status expected(const expression *e, const char *at, const char *what)
{
	return sheaf_scidb_text_expected(e->text, at, what);
}

static double real_of(const constant *c) { return c->is_real ? c->real : (double)c->whole; }

/* False if it is no whole number of 64 bits. */
static bool make_whole(constant *c)
{
	static const double limit = 9223372036854775808.0;
	if (!c->is_real) return true;
	if (!(c->real > -limit && c->real < limit) || c->real != floor(c->real)) return false;
	*c = (constant){.whole = (int64_t)c->real};
	return true;
}

/* False: the result is infinite or no number. */
static bool make_real(constant *c, double value)
{
	*c = (constant){.is_real = true, .real = value};
	return isfinite(value);
}

static sheaf_status read_operation(expression *e, bool sum, constant *out);

/* ---- numbers ---- */

/* Digits, which are those of a real number if a point or an exponent follows. */
static sheaf_status read_digits(expression *e, constant *out)
{
	sheaf_scidb_text *t = e->text;
	const char *begin = t->at;
	uint64_t whole;
	sheaf_scanned scanned = sheaf_scan_u64(begin, t->end, &whole);
	*out = (constant){.whole = (int64_t)whole};
	t->at = scanned.end;
	if (t->at == begin) return expected(e, begin, e->what);
	if (t->at < t->end && (*t->at == '.' || (*t->at | 0x20) == 'e')) {
		t->at = begin;
		scanned = sheaf_scan_f64(begin, t->end, &out->real);
		if (scanned.flaw || scanned.infinite) return expected(e, begin, "a number that a double holds");
		*out = (constant){.is_real = true, .real = out->real};
		t->at = scanned.end;
		return SHEAF_OK;
	}
	return scanned.flaw || whole > INT64_MAX ? expected(e, begin, "a number of 64 bits") : SHEAF_OK;
}

/* ---- functions ---- */

static bool power(constant *a) { return make_real(&a[0], pow(real_of(&a[0]), real_of(&a[1]))); }
static bool root(constant *a) { return make_real(a, sqrt(real_of(a))); }
static bool below(constant *a) { return make_real(a, floor(real_of(a))); }
static bool above(constant *a) { return make_real(a, ceil(real_of(a))); }
static bool as_real(constant *a) { return make_real(a, real_of(a)); }
static bool as_float(constant *a) { return make_real(a, (double)(float)real_of(a)); }

static bool magnitude(constant *a)
{
	if (a->is_real) return make_real(a, fabs(a->real));
	if (a->whole < 0) a->whole = -a->whole;
	return true;
}

typedef struct function {
	const char *name;
	int arguments;
	bool (*call)(constant *arguments); /* false if it has no value; the result replaces the first argument */
	int bits;                          /* without `call`: the width of a whole number; below 0: signed */
} function;

static const function functions[] = {
	{"int64", 1, NULL, -64},   {"int32", 1, NULL, -32},   {"int16", 1, NULL, -16},  {"int8", 1, NULL, -8},
	{"uint64", 1, NULL, 64},   {"uint32", 1, NULL, 32},   {"uint16", 1, NULL, 16},  {"uint8", 1, NULL, 8},
	{"double", 1, as_real, 0}, {"float", 1, as_float, 0}, {"pow", 2, power, 0},     {"sqrt", 1, root, 0},
	{"floor", 1, below, 0},    {"ceil", 1, above, 0},     {"abs", 1, magnitude, 0},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Reads what is in parentheses after the opening one: `n` sums. */
static sheaf_status read_sums(expression *e, int n, constant *out)
{
	if (++e->depth > MOST_DEPTH) return expected(e, e->text->at, "fewer nested parentheses and signs");
	for (int i = 0; i < n; i++) {
		if (i) SHEAF_TRY(sheaf_scidb_text_need(e->text, ',', "\",\" and a number"));
		SHEAF_TRY(read_operation(e, true, &out[i]));
	}
	e->depth--;
	return sheaf_scidb_text_need(e->text, ')', "an operator or \")\"");
}

static sheaf_status read_function(expression *e, constant *out)
{
	const char *begin = e->text->at;
	sheaf_name word = sheaf_scidb_text_word(e->text, true);
	constant arguments[MOST_ARGUMENTS] = {0};
	size_t i = 0;
	while (i < FUNCTIONS && !sheaf_scidb_word_is(word, functions[i].name)) i++;
	if (i == FUNCTIONS)
		return expected(
			e, begin,
			"a number, or a function of some: int8 to int64, uint8 to uint64, double, float, pow, sqrt, "
			"floor, ceil, abs");
	const function *f = &functions[i];
	SHEAF_TRY(sheaf_scidb_text_need(e->text, '(', "\"(\" after a function"));
	SHEAF_TRY(read_sums(e, f->arguments, arguments));
	bool has_value = f->call ? f->call(arguments) : make_whole(arguments);
	*out = arguments[0];
	if (has_value && !f->call) {
		int bits = f->bits < 0 ? -f->bits - 1 : f->bits;
		has_value = out->whole >= 0 || f->bits < 0;
		if (bits < 63) has_value &= out->whole < INT64_C(1) << bits && out->whole >= -(INT64_C(1) << bits);
	}
	return has_value ? SHEAF_OK : expected(e, begin, "a function that has such a value");
}

/* ---- operators ---- */

static sheaf_status read_factor(expression *e, constant *out)
{
	bool negative = false;
	for (char sign; (sign = sheaf_scidb_text_take_any(e->text, "-+"));) negative ^= sign == '-';
	if (sheaf_scidb_text_take(e->text, '('))
		SHEAF_TRY(read_sums(e, 1, out));
	else if (sheaf_scidb_text_look(e->text).size)
		SHEAF_TRY(read_function(e, out));
	else
		SHEAF_TRY(read_digits(e, out));
	if (negative) *out = (constant){out->is_real, -out->whole, -out->real};
	return SHEAF_OK;
}

/* The result of an operator on two numbers replaces the first; false if there is none. */
static bool operate(char sign, constant *left, const constant *right)
{
	double a = real_of(left), b = real_of(right);
	if (left->is_real || right->is_real)
		return sign != '%' && make_real(left, sign == '+'   ? a + b
		                                      : sign == '-' ? a - b
		                                      : sign == '*' ? a * b
		                                                    : a / b);
	if (sign == '*') return sheaf_mul_i64(&left->whole, left->whole, right->whole);
	if (sign == '+' || sign == '-')
		return sheaf_add_i64(&left->whole, left->whole, sign == '+' ? right->whole : -right->whole);
	if (right->whole == 0) return false;
	left->whole = sign == '/' ? left->whole / right->whole : left->whole % right->whole;
	return true;
}

/* A sum, or else a product. The check keeps -2^63 out, whose negative is no number of 64 bits. */
static sheaf_status read_operation(expression *e, bool sum, constant *out)
{
	constant right;
	sheaf_scidb_text_pass(e->text);
	const char *begin = e->text->at;
	SHEAF_TRY(sum ? read_operation(e, false, out) : read_factor(e, out));
	for (char sign; (sign = sheaf_scidb_text_take_any(e->text, sum ? "+-" : "*/%"));) {
		SHEAF_TRY(sum ? read_operation(e, false, &right) : read_factor(e, &right));
		if (!operate(sign, out, &right) || out->whole == INT64_MIN)
			return expected(e, begin, "an expression whose value is a number of 64 bits");
	}
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_text_expression(sheaf_scidb_text *text, const char *what, int64_t *out)
{
	expression e = {text, what, 0};
	constant c;
	sheaf_scidb_text_pass(text);
	const char *begin = text->at;
	SHEAF_TRY(read_operation(&e, true, &c));
	if (!make_whole(&c)) return expected(&e, begin, "an expression whose value is a whole number of 64 bits");
	*out = c.whole;
	return SHEAF_OK;
}
