/* SPDX-License-Identifier: MIT */
/* Which bytes quote and escape: asked for by name, or found in the file. */
#include "delimited/delimited.h"
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint8_t byte;
	bool rare; /* texts seldom have it */
} names[] = {{"tab", '\t', true},   {"semicolon", ';', true}, {"pipe", '|', true},
             {"comma", ',', false}, {"space", ' ', false},    {"\\t", '\t', false}};

enum { NAMES = sizeof names / sizeof *names };

const char *sheaf_delimiter_name(uint8_t delimiter)
{
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].byte == delimiter) return names[i].name;
	return "another";
}

const char *sheaf_delimiter_within(const uint8_t *at, const uint8_t *end)
{
	for (size_t i = 0; i < NAMES && at < end; i++)
		if (names[i].rare && memchr(at, names[i].byte, (size_t)(end - at))) return names[i].name;
	return NULL;
}

static sheaf_status read_delimiter(const char *text, uint8_t *out, sheaf_error *err)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strcmp(text, names[i].name) == 0) {
			*out = names[i].byte;
			return SHEAF_OK;
		}
	*out = (uint8_t)text[0];
	bool is_byte = text[0] && !text[1] && !strchr("\r\n\"'\\?", text[0]) &&
	               !(text[0] >= '0' && text[0] <= '9') && text[0] != '.' && text[0] != '-' && text[0] != '+';
	bool is_letter = (text[0] | 32) >= 'a' && (text[0] | 32) <= 'z';
	if (is_byte && !is_letter) return SHEAF_OK;
	return sheaf_fail_option(err, SHEAF_USAGE, "delimiter",
	                         ": expected one byte that is no part of numbers, words and quotes, or tab, "
	                         "comma, semicolon, pipe, space, found %s",
	                         text);
}

const char *sheaf_delimited_choice(const sheaf_values *values, const char *name, bool writing)
{
	char out[24];
	snprintf(out, sizeof out, "out-%s", name);
	const char *text = writing ? sheaf_values_text(values, out) : NULL;
	return text ? text : sheaf_values_text(values, name);
}

sheaf_status sheaf_dialect_choose(const sheaf_delimited_kind *kind, const sheaf_values *values, bool writing,
                                  sheaf_dialect *out, bool *guess, sheaf_error *err)
{
	const char *delimiter = sheaf_delimited_choice(values, "delimiter", writing),
			   *name = sheaf_delimited_choice(values, "dialect", writing);
	const char *quoted = sheaf_values_text(values, "quoted");
	*out = (sheaf_dialect){
		.delimiter = kind->delimiter, .quote = kind->quotes ? '"' : 0, .escape = kind->quotes ? 0 : '\\'};
	out->any_quoted = quoted && strcmp(quoted, "any") == 0;
	*guess = kind->quotes && (!name || strcmp(name, "auto") == 0);
	if (name && !*guess && strcmp(name, "rfc") != 0) { /* the only other one */
		out->quote = '\'';
		out->escape = '\\';
	}
	return delimiter ? read_delimiter(delimiter, &out->delimiter, err) : SHEAF_OK;
}

/* Whether the field that begins at `at` stands in these quotes from its first byte to its last. */
static bool stands_in(const sheaf_dialect *dialect, const uint8_t *at, const uint8_t *end, uint8_t quote)
{
	for (const uint8_t *close = at + 1;
	     (close = (const uint8_t *)memchr(close, quote, (size_t)(end - close))); close++) {
		if (close + 1 == end || close[1] == dialect->delimiter || close[1] == '\n' || close[1] == '\r')
			return true;
		if (close[1] == quote) close++;
	}
	return false;
}

void sheaf_dialect_guess(sheaf_dialect *dialect, sheaf_bytes head)
{
	const uint8_t *end = head.data + head.size;
	for (const uint8_t *at = head.data; at < end; at++) {
		bool begins = at == head.data || at[-1] == dialect->delimiter || at[-1] == '\n';
		if (!begins || (*at != '"' && *at != '\'') || !stands_in(dialect, at, end, *at)) continue;
		dialect->quote = *at;
		dialect->escape = *at == '\'' ? '\\' : 0;
		return;
	}
}
