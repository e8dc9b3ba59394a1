/* SPDX-License-Identifier: MIT */
/* Spans of a configuration's text: what a comment, a string, a bracket is, and where fields and elements
 * begin and end. */
#include "config/config.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST = 200 }; /* brackets in brackets */

/* ---- places ---- */

void sheaf_cntk_place(const sheaf_cntk *c, size_t at, sheaf_place *place)
{
	size_t line = 1, start = 0;
	for (size_t i = 0; i < at; i++)
		if (c->text[i] == '\n') line++, start = i + 1;
	*place = SHEAF_NOWHERE;
	place->file = c->file;
	place->line = (int64_t)line;
	place->column = (int64_t)(at - start + 1);
}

sheaf_status sheaf_cntk_fail(const sheaf_cntk *c, size_t at, const char *format, ...)
{
	char text[600];
	sheaf_place place;
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	sheaf_cntk_place(c, at, &place);
	return sheaf_fail(c->err, SHEAF_DATA, "%s:%" PRId64 ":%" PRId64 ": %s", c->file, place.line, place.column,
	                  text);
}

/* ---- tokens ---- */

static char closer_of(char opener)
{
	static const char pairs[] = "[]{}()";
	const char *pair = opener ? strchr(pairs, opener) : NULL;
	return (char)(pair && (pair - pairs) % 2 == 0 ? pair[1] : '\0');
}

static bool is_closer(char byte) { return byte == ']' || byte == '}' || byte == ')'; }

static bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

static bool is_word(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '_' || byte == '.' || byte == '$' || (unsigned char)byte >= 0x80;
}

/* After the comment or string that begins at `at`. A string that its line does not end stops there: where it
 * is a value, reading it as one says so. */
static size_t past_quiet(const sheaf_cntk *c, size_t at, size_t end)
{
	char mark = c->text[at++];
	while (at < end && c->text[at] != '\n') {
		if (c->text[at++] == mark && mark != '#') return at;
	}
	return at;
}

static bool begins_quiet(char byte) { return byte == '#' || byte == '"' || byte == '\''; }

/* After the bracket that closes the one at `at`. */
static sheaf_status past_block(const sheaf_cntk *c, size_t at, size_t end, size_t *past)
{
	size_t open[DEEPEST] = {at};
	int depth = 1;
	while (++at < end) {
		char byte = c->text[at];
		if (begins_quiet(byte)) {
			at = past_quiet(c, at, end) - 1;
		} else if (closer_of(byte)) {
			if (depth == DEEPEST)
				return sheaf_cntk_fail(c, at, "expected at most %d brackets in brackets, found more",
				                       DEEPEST);
			open[depth++] = at;
		} else if (is_closer(byte)) {
			char wanted = closer_of(c->text[open[--depth]]);
			if (byte != wanted) return sheaf_cntk_fail(c, at, "expected '%c', found '%c'", wanted, byte);
			if (depth == 0) {
				*past = at + 1;
				return SHEAF_OK;
			}
		}
	}
	return sheaf_cntk_fail(c, open[depth - 1], "expected '%c' to close this '%c', found the end",
	                       closer_of(c->text[open[depth - 1]]), c->text[open[depth - 1]]);
}

/* Over one bracket, string, comment or other byte. */
static sheaf_status pass_unit(const sheaf_cntk *c, size_t *at, size_t end)
{
	char byte = c->text[*at];
	if (closer_of(byte)) return past_block(c, *at, end, at);
	if (is_closer(byte))
		return sheaf_cntk_fail(c, *at, "expected a field, found '%c', which closes nothing", byte);
	*at = begins_quiet(byte) ? past_quiet(c, *at, end) : *at + 1;
	return SHEAF_OK;
}

static size_t past_blanks(const sheaf_cntk *c, size_t at, size_t end, bool feeds)
{
	while (at < end &&
	       (is_blank(c->text[at]) || (feeds && c->text[at] == '\n') || (feeds && c->text[at] == '#')))
		at = c->text[at] == '#' ? past_quiet(c, at, end) : at + 1;
	return at;
}

static void trim(const sheaf_cntk *c, sheaf_span *span)
{
	while (span->end > span->at && (is_blank(c->text[span->end - 1]) || c->text[span->end - 1] == '\n'))
		span->end--;
}

/* ---- fields ---- */

/* A value ends with its line, at ';' or ',', or before a comment; an opening bracket may stand on a line of
 * its own. */
static sheaf_status read_value(const sheaf_cntk *c, sheaf_span *rest, sheaf_span *value)
{
	size_t block = past_blanks(c, rest->at, rest->end, true);
	rest->at = past_blanks(c, rest->at, rest->end, false);
	if (block < rest->end && closer_of(c->text[block])) rest->at = block;
	value->at = rest->at;
	while (rest->at < rest->end && !strchr("\n;,#", c->text[rest->at]))
		SHEAF_TRY(pass_unit(c, &rest->at, rest->end));
	value->end = rest->at;
	trim(c, value);
	return SHEAF_OK;
}

/* After '=' or ':', but neither "==" nor ":=" nor "::", which stand in other sections' expressions. */
static bool pass_sign(const sheaf_cntk *c, size_t *at, size_t end)
{
	size_t sign = past_blanks(c, *at, end, true);
	if (sign == end || (c->text[sign] != '=' && c->text[sign] != ':')) return false;
	if (sign + 1 < end && (c->text[sign + 1] == '=' || c->text[sign + 1] == ':')) return false;
	*at = sign + 1;
	return true;
}

sheaf_status sheaf_cntk_next(const sheaf_cntk *c, sheaf_span *rest, sheaf_field_span *out)
{
	while (rest->at < rest->end) {
		if (!is_word(c->text[rest->at])) {
			SHEAF_TRY(pass_unit(c, &rest->at, rest->end));
			continue;
		}
		out->name.at = rest->at;
		while (rest->at < rest->end && is_word(c->text[rest->at])) rest->at++;
		out->name.end = rest->at;
		if (pass_sign(c, &rest->at, rest->end)) return read_value(c, rest, &out->value);
	}
	return SHEAF_END;
}

bool sheaf_cntk_is_name(const sheaf_cntk *c, sheaf_span name, const char *word)
{
	size_t n = strlen(word);
	return name.end - name.at == n && strncasecmp(c->text + name.at, word, n) == 0;
}

sheaf_status sheaf_cntk_find(const sheaf_cntk *c, const sheaf_config_record *record, const char *name,
                             sheaf_field_span *out)
{
	sheaf_span rest = record->inside;
	sheaf_field_span field;
	sheaf_status found = SHEAF_END, status;
	while ((status = sheaf_cntk_next(c, &rest, &field)) == SHEAF_OK) {
		if (!sheaf_cntk_is_name(c, field.name, name)) continue;
		*out = field;
		found = SHEAF_OK;
	}
	return status == SHEAF_END ? found : status;
}

/* ---- records and arrays ---- */

static bool is_block(const sheaf_cntk *c, sheaf_span value, const char *openers, sheaf_span *inside)
{
	size_t past;
	sheaf_cntk quiet = *c;
	quiet.err = NULL;
	if (value.at == value.end || !strchr(openers, c->text[value.at])) return false;
	sheaf_status status = past_block(&quiet, value.at, value.end, &past);
	if (status || past != value.end) return false;
	*inside = (sheaf_span){value.at + 1, value.end - 1};
	return true;
}

bool sheaf_cntk_is_record(const sheaf_cntk *c, sheaf_span value, sheaf_span *inside)
{
	return is_block(c, value, "[{", inside);
}

bool sheaf_cntk_is_array(const sheaf_cntk *c, sheaf_span value, sheaf_span *inside)
{
	return is_block(c, value, "(", inside);
}

sheaf_status sheaf_cntk_element(const sheaf_cntk *c, sheaf_span *rest, sheaf_span *out)
{
	while (rest->at < rest->end &&
	       (strchr(":;,", c->text[rest->at]) || past_blanks(c, rest->at, rest->end, true) > rest->at))
		rest->at =
			strchr(":;,", c->text[rest->at]) ? rest->at + 1 : past_blanks(c, rest->at, rest->end, true);
	if (rest->at == rest->end) return SHEAF_END;
	out->at = rest->at;
	while (rest->at < rest->end && !strchr(":;,\n#", c->text[rest->at]))
		SHEAF_TRY(pass_unit(c, &rest->at, rest->end));
	out->end = rest->at;
	trim(c, out);
	return SHEAF_OK;
}
