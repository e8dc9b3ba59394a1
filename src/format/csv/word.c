/* SPDX-License-Identifier: MIT */
/* What a field's text means: whether it is missing, what it looks like, and its text without escapes.
 *
 * What a word looks like decides the types of columns that nobody declares, so that the rules are strict: a
 * word is a number or a time only if nothing is lost when it is read as one. A number that begins with a zero
 * is an identifier, and an integer of more than 64 bits is a text. */
#include "format/csv/delimited.h"
#include "number/date.h"
#include "number/number.h"
#include <string.h>

static inline bool is_digit(uint8_t c) { return (uint8_t)(c - '0') <= 9; }
static inline bool is_space(uint8_t c) { return c == ' ' || c == '\t'; }

/* Returns the code of a missing value as SciDB writes it, "?0" to "?127", from a word of n bytes whose
 * first one is the question mark; SHEAF_NO_CODE if it is none. */
static int code_of(const uint8_t *at, size_t n)
{
	int code = 0;
	enum { DIGITS = 3 };
	if (n < 2 || n > 1 + DIGITS) return SHEAF_NO_CODE;
	for (size_t i = 1; i < n; i++) {
		if (!is_digit(at[i])) return SHEAF_NO_CODE;
		code = code * 10 + (at[i] - '0');
	}
	return code <= SHEAF_MOST_CODE ? code : SHEAF_NO_CODE;
}

/* One of the words for missing values in the settings, with or without surrounding blanks. */
static __attribute__((noinline)) bool is_said(const char *words, const uint8_t *at, size_t n)
{
	sheaf_word bare = sheaf_word_trim((sheaf_word){at, at + n, false});
	at = bare.at;
	n = (size_t)(bare.end - bare.at);
	for (const char *word = words; *word; word += *word == ',') {
		size_t size = strcspn(word, ",");
		if (size == n && n > 0 && memcmp(word, at, n) == 0) return true;
		word += size;
	}
	return false;
}

/* Returns the code of a missing value, if a word without quotes means one. Each such word begins with
 * another byte, so that the first byte of nearly all words shows that they mean none. */
static inline int missing_of(const uint8_t *at, size_t n, const sheaf_dialect *dialect)
{
	if (n == 0) return 0;
	if (*at == 'n' && n == 4 && memcmp(at, "null", 4) == 0) return 0;
	if (*at == '\\' && n == 2 && at[1] == 'N') return 0;
	int code = *at == '?' ? code_of(at, n) : SHEAF_NO_CODE;
	if (code != SHEAF_NO_CODE || !dialect->missing || !(dialect->missing_begin[*at / 64] >> *at % 64 & 1))
		return code;
	return is_said(dialect->missing, at, n) ? 0 : SHEAF_NO_CODE;
}

/* Returns the code of a word that means a missing value, or SHEAF_NO_CODE. In linear TSV, which has no
 * quotes, an empty text is a text, unless fields that a record lacks are filled in; in other dialects an
 * empty word without quotes is missing. */
int sheaf_word_null(const sheaf_word *given, const sheaf_dialect *dialect)
{
	const uint8_t *at = given->at, *end = given->end;
	if (given->quoted || (at == end && sheaf_dialect_is_linear(dialect) && !dialect->fill))
		return SHEAF_NO_CODE;
	return missing_of(at, (size_t)(end - at), dialect);
}

/* Kernels know neither commas nor words of the settings. */
bool sheaf_values_are_plain(const sheaf_dialect *dialect)
{
	if (dialect->point != '.') return false;
	for (const char *begin = "-0123456789tf"; dialect->missing && *begin; begin++)
		if (dialect->missing_begin[(uint8_t)*begin / 64] >> (uint8_t)*begin % 64 & 1) return false;
	return true;
}

/* ---- kinds ---- */

/* Whether a text is a word, given in small letters, in letters of any case. */
static bool is_word(const uint8_t *at, size_t n, const char *word)
{
	if (strlen(word) != n) return false;
	for (size_t i = 0; i < n; i++)
		if ((at[i] | 32) != word[i]) return false;
	return true;
}

static const uint8_t *pass_digits(const uint8_t *at, const uint8_t *end)
{
	while (at < end && is_digit(*at)) at++;
	return at;
}

/* Returns the kind of n digits; a number that begins with a zero is an identifier rather than a number.
 * Minus zero is no integer, since its sign would be lost. Numbers of up to 18 digits fit 64 bits; longer
 * ones are compared as texts. */
static unsigned integer_kind(const uint8_t *digits, size_t n, bool negative)
{
	enum { SURE = 18 };
	static const char most[] = "9223372036854775807", least[] = "9223372036854775808",
					  largest[] = "18446744073709551615";
	unsigned sign = negative ? KIND_NEGATIVE : 0;
	if (n > 1 && *digits == '0') return KIND_TEXT;
	if (n == 1 && *digits == '0' && negative) return KIND_REAL;
	if (n <= SURE || (n == SURE + 1 && memcmp(digits, negative ? least : most, n) <= 0))
		return KIND_INTEGER | sign;
	if (!negative && (n == SURE + 1 || (n == SURE + 2 && memcmp(digits, largest, n) <= 0))) return KIND_LARGE;
	return KIND_TEXT;
}

/* Returns the kind of a word that may be a number: [+-]? digits, with a point, an exponent or both.
 * `point` is the byte before the fraction. Leading zeros of a number with a fraction or an exponent make
 * it a text. */
static unsigned number_kind(const uint8_t *at, const uint8_t *end, uint8_t point)
{
	bool negative = *at == '-';
	const uint8_t *first = at += negative || *at == '+';
	at = pass_digits(at, end);
	size_t whole = (size_t)(at - first), part = 0;
	if (at == end) return whole ? integer_kind(first, whole, negative) : KIND_TEXT;
	if (whole > 1 && *first == '0') return KIND_TEXT;
	if (*at == point) {
		const uint8_t *fraction = ++at;
		at = pass_digits(at, end);
		part = (size_t)(at - fraction);
	}
	if (whole + part == 0) return KIND_TEXT;
	if (at < end && (*at | 32) == 'e') {
		at++;
		if (at < end && (*at == '-' || *at == '+')) at++;
		const uint8_t *exponent = at;
		at = pass_digits(at, end);
		if (at == exponent) return KIND_TEXT;
	}
	return at == end ? KIND_REAL : KIND_TEXT;
}

/* Not a number or infinite, with or without a sign. */
static bool is_nonfinite(const uint8_t *at, const uint8_t *end)
{
	at += *at == '-' || *at == '+';
	size_t n = (size_t)(end - at);
	return is_word(at, n, "nan") || is_word(at, n, "inf") || is_word(at, n, "infinity");
}

/* Returns the kind of a word that is not empty and not in quotes. Its first byte shows which of the kinds
 * to try: numbers and times, truth values, numbers that are not finite, words that other programs write
 * for missing values. */
static unsigned plain_kind(const uint8_t *at, const uint8_t *end, uint8_t point)
{
	/* What other programs write for missing values. */
	static const char *const absent[] = {"na", "n/a", "#n/a", "null", "none", "nil"};
	size_t n = (size_t)(end - at);
	uint8_t first = *at;
	if (is_digit(first) || first == '-' || first == '+' || first == point) {
		unsigned kind = number_kind(at, end, point);
		if (kind != KIND_TEXT) return kind;
		kind = sheaf_see_time((const char *)at, (const char *)end);
		if (kind == 0) kind = KIND_TEXT;
		if (kind == KIND_TEXT && is_nonfinite(at, end)) return KIND_REAL;
		return kind == KIND_TEXT && point != ',' && number_kind(at, end, ',') == KIND_REAL ? KIND_COMMA
		                                                                                   : kind;
	}
	if ((first | 32) == 't' || (first | 32) == 'f')
		return is_word(at, n, "true") || is_word(at, n, "false") ? KIND_BOOL : KIND_TEXT;
	if (((first | 32) == 'n' || (first | 32) == 'i') && is_nonfinite(at, end)) return KIND_REAL;
	if ((first | 32) != 'n' && first != '#') return KIND_TEXT;
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		if (is_word(at, n, absent[i])) return KIND_ABSENT;
	return KIND_TEXT;
}

unsigned sheaf_word_kind(const sheaf_word *given, const sheaf_dialect *dialect)
{
	if (given->quoted && !dialect->any_quoted) return KIND_TEXT;
	if (!given->quoted && sheaf_word_null(given, dialect) != SHEAF_NO_CODE) return KIND_NULL;
	sheaf_word word = sheaf_word_trim(*given);
	return word.at == word.end ? KIND_BLANK : plain_kind(word.at, word.end, dialect->point);
}

bool sheaf_begins_as_number(const uint8_t *text, size_t size)
{
	size_t before = 0;
	while (before < 2 && before < size && strchr(before ? "." : "+-.", text[before]) && text[before])
		before++;
	return before < size && is_digit(text[before]);
}

/* Returns whether a text would be read as something else without quotes and escapes. A reader may guess
 * the dialect, so that other quotes than those of this dialect count, too. */
bool sheaf_text_looks_otherwise(const uint8_t *text, size_t size, const sheaf_dialect *dialect)
{
	if (size == 0) return dialect->quote != 0;
	uint8_t first = text[0], last = text[size - 1];
	if (first >= 0xfe || sheaf_utf8_mark(text, size))
		return true; /* at the start of a file it would be taken for a byte order mark */
	if (first == '"' || (dialect->quote && first == '\''))
		return true; /* the other dialect's quotes, if the dialect is guessed */
	if (is_space(first) || is_space(last) || first == '?' || missing_of(text, size, dialect) != SHEAF_NO_CODE)
		return true;
	/* Most texts begin with a letter with which nothing else begins. */
	return !(plain_kind(text, text + size, dialect->point) & (KIND_TEXT | KIND_ABSENT | KIND_COMMA));
}

/* ---- escapes ---- */

/* Writes the text that a word means, which is never longer than the word, and returns its end; NULL if
 * nothing follows an escape. In quotes, two quotes are one, and SciDB escapes its quotes and escapes;
 * other escapes are two bytes of the text. In linear TSV an escape makes a tab, a line feed or a carriage
 * return of a letter, and any other byte itself. */
uint8_t *sheaf_word_text(const sheaf_word *given, const sheaf_dialect *dialect, uint8_t *to)
{
	const uint8_t *at = given->at, *end = given->end, quote = dialect->quote, escape = dialect->escape;
	size_t n = (size_t)(end - at);
	if (given->quoted && (memchr(at, quote, n) || (escape && memchr(at, escape, n)))) {
		for (; at < end; at++) {
			bool has_next = at + 1 < end, doubled = *at == quote && has_next && at[1] == quote,
				 escaped = escape && *at == escape && has_next && (at[1] == quote || at[1] == escape);
			*to++ = *(at += doubled || escaped);
		}
		return to;
	}
	if (sheaf_dialect_is_linear(dialect) && n && memchr(at, escape, n)) {
		for (; at < end; at++) {
			if (*at != escape) {
				*to++ = *at;
				continue;
			}
			if (++at == end) return NULL;
			*to++ = *at == 't' ? '\t' : *at == 'n' ? '\n' : *at == 'r' ? '\r' : *at;
		}
		return to;
	}
	if (n) memcpy(to, at, n);
	return to + n;
}
