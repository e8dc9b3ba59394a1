/* SPDX-License-Identifier: MIT */
/* The part of Python's literals that headers use: strings, integers, True and False, and the commas of the
 * containers around them. NumPy reads a header with Python's ast.literal_eval, so that any spacing, quotes of
 * either kind, and a comma after the last element are allowed; its writers need none of that, but others do.
 *
 * A literal is read without asking after each step whether the step failed: the first flaw sticks, with what
 * was expected in its place, and then every other step returns at once and takes nothing. */
#include "format/numpy/array.h"
#include "number/number.h"
#include <string.h>

void sheaf_literal_refuse(sheaf_literal *l, const char *expected)
{
	if (!l->expected) l->expected = expected;
}

static void pass_blanks(sheaf_literal *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\n' || *l->at == '\r')) l->at++;
}

bool sheaf_literal_takes(sheaf_literal *l, char c)
{
	if (l->expected) return false;
	pass_blanks(l);
	if (l->at == l->end || *l->at != c) return false;
	l->at++;
	return true;
}

void sheaf_literal_needs(sheaf_literal *l, char c, const char *expected)
{
	if (!sheaf_literal_takes(l, c)) sheaf_literal_refuse(l, expected);
}

bool sheaf_literal_next(sheaf_literal *l, int *n, char close, const char *expected)
{
	if ((*n)++ > 0 && !sheaf_literal_takes(l, ',')) {
		sheaf_literal_needs(l, close, expected);
		return false;
	}
	return !l->expected && !sheaf_literal_takes(l, close);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f') return (c | 32) - 'a' + 10;
	return -1;
}

/* Returns the byte that an escape means, after its backslash; 0 if it is none. Two hexadecimal digits
 * mean a character, so that those above 7f would be two bytes of UTF-8: they are not read. */
static char unescape(sheaf_literal *l)
{
	static const char names[] = "ntr\\'\"", bytes[] = "\n\t\r\\'\"";
	if (l->at == l->end) return '\0';
	char c = *l->at++;
	const char *found = c ? strchr(names, c) : NULL;
	if (found) return bytes[found - names];
	if (c != 'x' || l->end - l->at < 2) return '\0';
	int high = hex_digit(l->at[0]), low = hex_digit(l->at[1]);
	l->at += 2;
	return (char)(high < 0 || low < 0 || high > 7 ? '\0' : high * 16 + low);
}

/* Reads a Python string into `out`, which has room for size - 1 bytes and a NUL. A letter b or u before
 * the quote is accepted, as writers in Python 2 put it there. A NUL cannot be part of a name: it ends the
 * string as a flaw. */
void sheaf_literal_string(sheaf_literal *l, char *out, size_t size)
{
	size_t n = 0;
	out[0] = '\0';
	pass_blanks(l);
	if (l->expected) return;
	if (l->at < l->end && (*l->at == 'b' || *l->at == 'u')) l->at++;
	if (l->at == l->end || (*l->at != '\'' && *l->at != '"')) {
		sheaf_literal_refuse(l, "a string in quotes");
		return;
	}
	char quote = *l->at++;
	while (l->at < l->end && *l->at != quote && n + 1 < size) {
		char c = *l->at++;
		if (c == '\\') c = unescape(l);
		if (c == '\0') break;
		out[n++] = c;
	}
	out[n] = '\0';
	if (l->at == l->end || *l->at != quote)
		sheaf_literal_refuse(l, "a shorter string, of plain letters, and the quote that ends it");
	else
		l->at++;
}

static bool takes_word(sheaf_literal *l, const char *word)
{
	size_t n = strlen(word);
	pass_blanks(l);
	if (l->expected || (size_t)(l->end - l->at) < n || memcmp(l->at, word, n) != 0) return false;
	l->at += n;
	return true;
}

bool sheaf_literal_bool(sheaf_literal *l)
{
	bool is = takes_word(l, "True");
	if (!is && !takes_word(l, "False")) sheaf_literal_refuse(l, "True or False");
	return is;
}

/* Reads an integer from 0 to 2^63-1; an L after it is accepted, as Python 2 writes it. Returns 0 after a
 * flaw. */
int64_t sheaf_literal_integer(sheaf_literal *l)
{
	uint64_t v = 0;
	pass_blanks(l);
	if (l->expected) return 0;
	sheaf_scanned scanned = sheaf_scan_u64(l->at, l->end, &v);
	if (scanned.flaw || v > INT64_MAX) {
		sheaf_literal_refuse(l, "an integer from 0 to 2^63-1");
		return 0;
	}
	l->at = scanned.end;
	if (l->at < l->end && *l->at == 'L') l->at++; /* as Python 2 writes it */
	return (int64_t)v;
}
