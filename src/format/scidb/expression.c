/* SPDX-License-Identifier: MIT */
/* Expressions of integers, where an array schema has a number. */
#include "base/checked.h"
#include "format/scidb/text.h"

enum { MOST_DEPTH = 64 };

typedef struct expression {
	sheaf_scidb_text *text;
	const char *what;
	int depth;
	sheaf_error *err;
} expression;

static sheaf_status expected(const expression *e, const char *at, const char *what)
{
	return sheaf_scidb_text_expected(e->text, at, what, NULL, e->err);
}

static sheaf_status read_sum(expression *e, int64_t *out);

static sheaf_status read_digits(expression *e, int64_t *out)
{
	sheaf_scidb_text *t = e->text;
	const char *begin = t->at;
	bool fits = true;
	*out = 0;
	for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
		fits = fits && sheaf_mul_i64(out, *out, 10) && sheaf_add_i64(out, *out, *t->at - '0');
	if (t->at == begin) return expected(e, begin, e->what);
	return fits ? SHEAF_OK : expected(e, begin, "a number of 64 bits");
}

static sheaf_status read_nested(expression *e, int64_t *out)
{
	if (++e->depth > MOST_DEPTH)
		return expected(e, e->text->at, "fewer parentheses and signs one within the other");
	SHEAF_TRY(read_sum(e, out));
	e->depth--;
	return sheaf_scidb_text_take(e->text, ')') ? SHEAF_OK : expected(e, e->text->at, "an operator or \")\"");
}

static sheaf_status read_factor(expression *e, int64_t *out)
{
	bool negative = false;
	for (;;) {
		bool minus = sheaf_scidb_text_take(e->text, '-');
		if (!minus && !sheaf_scidb_text_take(e->text, '+')) break;
		negative ^= minus;
	}
	SHEAF_TRY(sheaf_scidb_text_take(e->text, '(') ? read_nested(e, out) : read_digits(e, out));
	if (negative) *out = -*out; /* nothing here is as low as -2^63 */
	return SHEAF_OK;
}

/* What an operator makes of two numbers; false where there is no such number of 64 bits. */
static bool operate(char operator, int64_t * left, int64_t right)
{
	switch (operator) {
	case '+': return sheaf_add_i64(left, *left, right);
	case '-': return sheaf_add_i64(left, *left, -right);
	case '*': return sheaf_mul_i64(left, *left, right);
	case '/':
		if (right) *left /= right;
		return right != 0;
	default:
		if (right) *left %= right;
		return right != 0;
	}
}

/* The operator that stands next, if it is one of these; else NUL. */
static char take_operator(expression *e, const char *operators)
{
	for (; *operators; operators++)
		if (sheaf_scidb_text_take(e->text, *operators)) return *operators;
	return '\0';
}

static sheaf_status apply(expression *e, char operator, const char * begin, int64_t *left, int64_t right)
{
	bool fits = operate(operator, left, right) && *left > INT64_MIN;
	return fits ? SHEAF_OK : expected(e, begin, "an expression whose value is a number of 64 bits");
}

static sheaf_status read_product(expression *e, int64_t *out)
{
	int64_t right;
	char operator;
	sheaf_scidb_text_pass(e->text);
	const char *begin = e->text->at;
	SHEAF_TRY(read_factor(e, out));
	while ((operator= take_operator(e, "*/%"))) {
		SHEAF_TRY(read_factor(e, &right));
		SHEAF_TRY(apply(e, operator, begin, out, right));
	}
	return SHEAF_OK;
}

static sheaf_status read_sum(expression *e, int64_t *out)
{
	int64_t right;
	char operator;
	sheaf_scidb_text_pass(e->text);
	const char *begin = e->text->at;
	SHEAF_TRY(read_product(e, out));
	while ((operator= take_operator(e, "+-"))) {
		SHEAF_TRY(read_product(e, &right));
		SHEAF_TRY(apply(e, operator, begin, out, right));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_text_expression(sheaf_scidb_text *text, const char *what, int64_t *out,
                                         sheaf_error *err)
{
	expression e = {text, what, 0, err};
	return read_sum(&e, out);
}
