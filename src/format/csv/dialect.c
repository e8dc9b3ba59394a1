/* SPDX-License-Identifier: MIT */
/* Which bytes quote, escape and separate, as the settings say. There are three dialects:
 *
 *   RFC 4180     double quotes around a field, doubled inside of it       CSV; TSV with some fields in quotes
 *   SciDB        single quotes around a text, escaped by a backslash      CSV
 *   linear TSV   no quotes; backslashes before t, n, r and themselves     TSV
 *
 * What the settings leave open, detect.c finds in the file that is read. */
#include "format/csv/delimited.h"
#include <string.h>

static const struct {
	const char *name;
	uint8_t byte;
} names[] = {{"tab", '\t'}, {"semicolon", ';'}, {"pipe", '|'}, {"comma", ','}, {"space", ' '}, {"\\t", '\t'}};

enum { NAMES = sizeof names / sizeof *names };

const char *sheaf_delimiter_name(uint8_t delimiter)
{
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].byte == delimiter) return names[i].name;
	return "another";
}

/* Bytes of numbers, times, words, quotes, escapes and the ends of lines are out; so is '?', which begins
 * codes. */
bool sheaf_may_delimit(uint8_t byte)
{
	bool letter = (uint8_t)((byte | 32) - 'a') < 26, digit = (uint8_t)(byte - '0') < 10;
	return byte && !letter && !digit && !strchr("\r\n\"'\\?.-+", byte);
}

/* Reads a delimiter, by its name or as the byte itself. */
static sheaf_status read_delimiter(const char *text, uint8_t *out, sheaf_error *err)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strcmp(text, names[i].name) == 0) {
			*out = names[i].byte;
			return SHEAF_OK;
		}
	*out = (uint8_t)text[0];
	if (sheaf_may_delimit(*out) && !text[1]) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "delimiter",
	                         ": expected one byte that is no part of numbers, words and quotes, or tab, "
	                         "comma, semicolon, pipe, space, found %s",
	                         text);
}

void sheaf_dialect_set_missing(sheaf_dialect *dialect, const char *words)
{
	dialect->missing = words;
	memset(dialect->missing_begin, 0, sizeof dialect->missing_begin);
	if (words) dialect->missing_begin[0] |= UINT64_C(1) << ' ' | UINT64_C(1) << '\t'; /* blanks before one */
	for (const char *at = words; at && *at; at += *at == ',') {
		if (*at != ',') dialect->missing_begin[(uint8_t)*at / 64] |= UINT64_C(1) << (uint8_t)*at % 64;
		at += strcspn(at, ",");
	}
}

/* Makes the dialect that the settings select, and notes in *guess what they leave to the file. Quotes are
 * left to guess only if no setting is about them: --quoted no never leaves them open, --quoted with
 * another word does only in a format with quotes, where it says nothing of which ones, and --dialect does
 * not. */
sheaf_status sheaf_dialect_choose(const sheaf_delimited_kind *kind, const sheaf_values *values, bool writing,
                                  sheaf_dialect *out, sheaf_dialect_guess *guess, sheaf_error *err)
{
	const char *delimiter = sheaf_values_text(values, "delimiter"),
			   *name = sheaf_values_text(values, "dialect");
	const char *quoted = writing ? NULL : sheaf_values_text(values, "quoted");
	bool never_quoted = quoted && strcmp(quoted, "no") == 0,
		 quotes = !never_quoted && (kind->quotes || quoted);
	*out = (sheaf_dialect){.delimiter = kind->delimiter,
	                       .quote = quotes ? '"' : 0,
	                       .escape = kind->quotes || quotes ? 0 : '\\',
	                       .feed = '\n'};
	out->any_quoted = quoted && strcmp(quoted, "any") == 0;
	guess->quotes = !never_quoted && (kind->quotes ? !name || strcmp(name, "auto") == 0 : !quoted);
	guess->delimiter = !delimiter;
	if (name && !never_quoted && !guess->quotes && strcmp(name, "rfc") != 0) { /* the only other one */
		out->quote = '\'';
		out->escape = '\\';
	}
	if (delimiter) SHEAF_TRY(read_delimiter(delimiter, &out->delimiter, err));
	/* A comma cannot be both in numbers and between them: spreadsheets then separate by semicolons. */
	const char *decimal = sheaf_values_text(values, "decimal");
	out->point = decimal && strcmp(decimal, "comma") == 0 ? ',' : '.';
	if (out->point == '.' || out->delimiter != ',') return SHEAF_OK;
	if (!delimiter) out->delimiter = ';';
	if (!delimiter || out->any_quoted) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "decimal",
	                         " comma: expected another delimiter between fields, found a comma");
}
