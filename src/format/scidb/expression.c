/* SPDX-License-Identifier: MIT */
/* Constant expressions, used in an array schema instead of a number: whole and real numbers, signs,
 * operators, and some functions of the server. */
#include "base/checked.h"
#include "format/scidb/text.h"
#include "number/number.h"
#include <math.h>

enum { MOST_DEPTH = 64, MOST_ARGUMENTS = 2 };

typedef struct expression {
	sheaf_scidb_text *text;
	const char *what;
	int depth;
	sheaf_error *err;
} expression;

/* The value of a part of one. */
typedef struct constant {
	bool is_real;
	int64_t whole; /* above -2^63 */
	double real;
} constant;

static sheaf_status expected(const expression *e, const char *at, const char *what)
{
	return sheaf_scidb_text_expected(e->text, at, what, NULL, e->err);
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

static bool make_real(constant *c, double value)
{
	*c = (constant){.is_real = true, .real = value};
	return isfinite(value);
}

static sheaf_status read_sum(expression *e, constant *out);

/* ---- numbers ---- */

static sheaf_status read_real(expression *e, constant *out)
{
	sheaf_scidb_text *t = e->text;
	sheaf_scanned scanned = sheaf_scan_f64(t->at, t->end, &out->real);
	if (scanned.flaw || scanned.infinite) return expected(e, t->at, "a number that a double holds");
	t->at = scanned.end;
	out->is_real = true;
	return SHEAF_OK;
}

static sheaf_status read_digits(expression *e, constant *out)
{
	sheaf_scidb_text *t = e->text;
	const char *begin = t->at;
	bool fits = true;
	*out = (constant){0};
	for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
		fits = fits && sheaf_mul_i64(&out->whole, out->whole, 10) &&
		       sheaf_add_i64(&out->whole, out->whole, *t->at - '0');
	if (t->at == begin) return expected(e, begin, e->what);
	if (t->at < t->end && (*t->at == '.' || (*t->at | 0x20) == 'e')) {
		t->at = begin;
		return read_real(e, out);
	}
	return fits ? SHEAF_OK : expected(e, begin, "a number of 64 bits");
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
	a->whole = a->whole < 0 ? -a->whole : a->whole;
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

static bool call(const function *f, constant *arguments)
{
	if (f->call) return f->call(arguments);
	if (!make_whole(arguments)) return false;
	int64_t value = arguments->whole;
	int bits = f->bits < 0 ? -f->bits - 1 : f->bits;
	if (value < 0 && f->bits > 0) return false;
	return bits >= 63 || (value < INT64_C(1) << bits && value >= -(INT64_C(1) << bits));
}

static sheaf_status read_arguments(expression *e, const function *f, const char *begin, constant *out)
{
	constant arguments[MOST_ARGUMENTS] = {0};
	if (!sheaf_scidb_text_take(e->text, '(')) return expected(e, e->text->at, "\"(\" after a function");
	if (++e->depth > MOST_DEPTH) return expected(e, e->text->at, "fewer nested parentheses and signs");
	for (int a = 0; a < f->arguments; a++) {
		if (a && !sheaf_scidb_text_take(e->text, ',')) return expected(e, e->text->at, "\",\" and a number");
		SHEAF_TRY(read_sum(e, &arguments[a]));
	}
	e->depth--;
	if (!sheaf_scidb_text_take(e->text, ')')) return expected(e, e->text->at, "an operator or \")\"");
	bool has_value = call(f, arguments);
	*out = arguments[0];
	if (has_value) return SHEAF_OK;
	return expected(e, begin, "a function that has such a value");
}

static sheaf_status read_function(expression *e, constant *out)
{
	const char *begin = e->text->at;
	sheaf_scidb_word word = sheaf_scidb_text_word(e->text, true);
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
		if (sheaf_scidb_word_is(word, functions[f].name)) return read_arguments(e, &functions[f], begin, out);
	if (word.size == 0) return expected(e, begin, e->what);
	e->text->at = begin;
	return expected(
		e, begin,
		"a number, or a function of some: int8 to int64, uint8 to uint64, double, float, pow, sqrt, "
		"floor, ceil, abs");
}

/* ---- operators ---- */

static sheaf_status read_nested(expression *e, constant *out)
{
	if (++e->depth > MOST_DEPTH) return expected(e, e->text->at, "fewer nested parentheses and signs");
	SHEAF_TRY(read_sum(e, out));
	e->depth--;
	return sheaf_scidb_text_take(e->text, ')') ? SHEAF_OK : expected(e, e->text->at, "an operator or \")\"");
}

static sheaf_status read_factor(expression *e, constant *out)
{
	bool negative = false;
	for (;;) {
		bool minus = sheaf_scidb_text_take(e->text, '-');
		if (!minus && !sheaf_scidb_text_take(e->text, '+')) break;
		negative ^= minus;
	}
	if (sheaf_scidb_text_take(e->text, '('))
		SHEAF_TRY(read_nested(e, out));
	else if (sheaf_scidb_text_look(e->text).size)
		SHEAF_TRY(read_function(e, out));
	else
		SHEAF_TRY(read_digits(e, out));
	if (negative) *out = (constant){out->is_real, -out->whole, -out->real};
	return SHEAF_OK;
}

/* The result of an operator on two numbers; false if there is none. */
static bool operate_on_reals(char operator, constant * left, double right)
{
	double value = real_of(left);
	switch (operator) {
	case '+': return make_real(left, value + right);
	case '-': return make_real(left, value - right);
	case '*': return make_real(left, value * right);
	case '/': return make_real(left, value / right);
	default: return false;
	}
}

static bool operate(char operator, constant * left, const constant *right)
{
	if (left->is_real || right->is_real) return operate_on_reals(operator, left, real_of(right));
	switch (operator) {
	case '+': return sheaf_add_i64(&left->whole, left->whole, right->whole);
	case '-': return sheaf_add_i64(&left->whole, left->whole, -right->whole);
	case '*': return sheaf_mul_i64(&left->whole, left->whole, right->whole);
	case '/':
		if (right->whole) left->whole /= right->whole;
		return right->whole != 0;
	default:
		if (right->whole) left->whole %= right->whole;
		return right->whole != 0;
	}
}

/* The next operator, if it is one of these; else NUL. */
static char take_operator(expression *e, const char *operators)
{
	for (; *operators; operators++)
		if (sheaf_scidb_text_take(e->text, *operators)) return *operators;
	return '\0';
}

static sheaf_status apply(expression *e, char operator, const char * begin, constant *left,
                          const constant *right)
{
	bool fits = operate(operator, left, right) && left->whole > INT64_MIN;
	return fits ? SHEAF_OK : expected(e, begin, "an expression whose value is a number of 64 bits");
}

static sheaf_status read_product(expression *e, constant *out)
{
	constant right;
	char operator;
	sheaf_scidb_text_pass(e->text);
	const char *begin = e->text->at;
	SHEAF_TRY(read_factor(e, out));
	while ((operator= take_operator(e, "*/%"))) {
		SHEAF_TRY(read_factor(e, &right));
		SHEAF_TRY(apply(e, operator, begin, out, &right));
	}
	return SHEAF_OK;
}

static sheaf_status read_sum(expression *e, constant *out)
{
	constant right;
	char operator;
	sheaf_scidb_text_pass(e->text);
	const char *begin = e->text->at;
	SHEAF_TRY(read_product(e, out));
	while ((operator= take_operator(e, "+-"))) {
		SHEAF_TRY(read_product(e, &right));
		SHEAF_TRY(apply(e, operator, begin, out, &right));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_text_expression(sheaf_scidb_text *text, const char *what, int64_t *out,
                                         sheaf_error *err)
{
	expression e = {text, what, 0, err};
	constant c;
	sheaf_scidb_text_pass(text);
	const char *begin = text->at;
	SHEAF_TRY(read_sum(&e, &c));
	if (!make_whole(&c)) return expected(&e, begin, "an expression whose value is a whole number of 64 bits");
	*out = c.whole;
	return SHEAF_OK;
}
