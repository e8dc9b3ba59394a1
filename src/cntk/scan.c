/* SPDX-License-Identifier: MIT */
/* Spans of a configuration's text: comments, strings, brackets, names, and where fields and elements begin
 * and end. Nothing is copied: a span is two places in the text, and whoever wants a value reads it from
 * there.
 *
 *   name = value      name: value       name = [ fields ]      name = ( element : element )     name   (true)
 *
 * Brackets of any kind are passed as a whole, so that only those of the records that are used must have
 * fields that this reader knows; the rest of the text may be in other languages of CNTK. A message has the
 * place that the text had before names were replaced, in the file or on the command line. */
#include "base/status.h"
#include "cntk/config.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST = 200 }; /* maximum nesting of brackets */

/* ---- places ---- */

/* The place at which text[at] was before names were replaced: a binary search for the run that contains it.
 */
static size_t origin_of(const sheaf_cntk *c, size_t at)
{
	size_t low = 0, high = c->nruns;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (c->runs[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return c->runs[low].from + (c->runs[low].whole ? 0 : at - c->runs[low].at);
}

/* A place after the text of the file is on the command line, whose settings are lines of their own, counted
 * from 1. A text to which nothing was appended is all of the file, also its end. */
void sheaf_cntk_place(const sheaf_cntk *c, size_t at, sheaf_place *place)
{
	const sheaf_cntk *written = c->written ? c->written : c;
	if (c->nruns) at = origin_of(c, at);
	bool own = at < c->own || c->own == written->size;
	size_t line = 1, start = own ? 0 : c->own;
	for (size_t i = start; i < at; i++)
		if (written->text[i] == '\n') line++, start = i + 1;
	*place = SHEAF_NOWHERE;
	place->file = own ? c->file : "command line";
	place->line = (int64_t)line;
	place->column = (int64_t)(at - start + 1);
}

sheaf_status sheaf_cntk_fail(const sheaf_cntk *c, size_t at, const char *format, ...)
{
	sheaf_error failure;
	sheaf_place place;
	va_list args;
	va_start(args, format);
	failure.status = sheaf_fail_list(&failure, SHEAF_DATA, format, args);
	va_end(args);
	sheaf_cntk_place(c, at, &place);
	return sheaf_fail_within(c->err, &failure, "%s:%" PRId64 ":%" PRId64, place.file, place.line,
	                         place.column);
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

static bool is_separator(char byte) { return byte == '\n' || byte == ';' || byte == ','; }

static bool is_quote(char byte) { return byte == '"' || byte == '\''; }

/* A comment begins at the start of a line or after a blank: "a#b" is a word. */
static bool begins_comment(const sheaf_cntk *c, size_t at)
{
	return c->text[at] == '#' && (at == 0 || is_blank(c->text[at - 1]) || c->text[at - 1] == '\n');
}

static bool begins_word(const sheaf_cntk *c, size_t at)
{
	char byte = c->text[at];
	return !is_blank(byte) && !is_separator(byte) && !is_quote(byte) && !closer_of(byte) &&
	       !is_closer(byte) && byte != '=' && byte != ':' && !begins_comment(c, at);
}

size_t sheaf_cntk_past_comment(const sheaf_cntk *c, size_t at, size_t end)
{
	if (!begins_comment(c, at)) return at;
	while (at < end && c->text[at] != '\n') at++;
	return at;
}

/* The position after the comment or string that begins at `at`; `at` if there is none. An unclosed string
 * ends with its line: if it is used as a value, reading it reports the error. */
static size_t past_quiet(const sheaf_cntk *c, size_t at, size_t end)
{
	char mark = c->text[at];
	if (!is_quote(mark)) return sheaf_cntk_past_comment(c, at, end);
	for (at++; at < end && c->text[at] != '\n';)
		if (c->text[at++] == mark) return at;
	return at;
}

/* *past becomes the position after the bracket that closes the one at `at`. Comments and strings in between
 * are passed; DATA if brackets do not match, or one is not closed. */
static sheaf_status past_block(const sheaf_cntk *c, size_t at, size_t end, size_t *past)
{
	size_t open[DEEPEST] = {at}; /* the brackets that are not closed yet, from the outside in */
	int depth = 1;
	while (++at < end) {
		char byte = c->text[at];
		size_t quiet = past_quiet(c, at, end);
		if (quiet > at) {
			at = quiet - 1;
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

/* Moves *at past what begins there: a bracket with all that it encloses, a string, a comment, or one other
 * byte. */
static sheaf_status pass_unit(const sheaf_cntk *c, size_t *at, size_t end)
{
	char byte = c->text[*at];
	if (closer_of(byte)) return past_block(c, *at, end, at);
	if (is_closer(byte))
		return sheaf_cntk_fail(c, *at, "expected a field, found '%c', which closes nothing", byte);
	size_t quiet = past_quiet(c, *at, end);
	*at = quiet > *at ? quiet : *at + 1;
	return SHEAF_OK;
}

static size_t past_blanks(const sheaf_cntk *c, size_t at, size_t end)
{
	while (at < end && is_blank(c->text[at])) at++;
	return at;
}

/* Skips comments and line ends, too. */
static size_t past_space(const sheaf_cntk *c, size_t at, size_t end)
{
	for (size_t next; at < end; at = next) {
		next = is_blank(c->text[at]) || c->text[at] == '\n' ? at + 1 : sheaf_cntk_past_comment(c, at, end);
		if (next == at) break;
	}
	return at;
}

static void trim(const sheaf_cntk *c, sheaf_cntk_span *span)
{
	while (span->end > span->at && (is_blank(c->text[span->end - 1]) || c->text[span->end - 1] == '\n'))
		span->end--;
}

/* ---- fields ---- */

static bool begins_record(char byte) { return byte == '[' || byte == '{'; }

static bool ends_value(const sheaf_cntk *c, size_t at)
{
	return is_separator(c->text[at]) || begins_comment(c, at);
}

/* Reads the value that begins at *rest, and moves *rest past it. Records end with their brackets: several
 * that follow one another are one value, and another field may follow on the same line. Other values end with
 * their line, at ';' or ',', or before a comment. An opening bracket may be on a line of its own. */
static sheaf_status read_value(const sheaf_cntk *c, sheaf_cntk_span *rest, sheaf_cntk_span *value)
{
	size_t block = past_space(c, rest->at, rest->end);
	rest->at = past_blanks(c, rest->at, rest->end);
	if (block < rest->end && closer_of(c->text[block])) rest->at = block;
	value->at = rest->at;
	bool is_record = rest->at < rest->end && begins_record(c->text[rest->at]);
	while (is_record && rest->at < rest->end && begins_record(c->text[rest->at])) {
		SHEAF_TRY(past_block(c, rest->at, rest->end, &value->end));
		rest->at = past_blanks(c, value->end, rest->end);
	}
	if (is_record) return SHEAF_OK;
	while (rest->at < rest->end && !ends_value(c, rest->at)) SHEAF_TRY(pass_unit(c, &rest->at, rest->end));
	value->end = rest->at;
	trim(c, value);
	return SHEAF_OK;
}

/* Moves *at past the '=' or ':' that comes next; false, with *at as it was, if none does, or if it is part of
 * "==", ":=" or "::", which occur in expressions of other sections. */
static bool pass_sign(const sheaf_cntk *c, size_t *at, size_t end)
{
	size_t sign = past_space(c, *at, end);
	if (sign == end || (c->text[sign] != '=' && c->text[sign] != ':')) return false;
	if (sign + 1 < end && (c->text[sign + 1] == '=' || c->text[sign + 1] == ':')) return false;
	*at = sign + 1;
	return true;
}

/* Whether the name that ends at *rest is a field although no sign follows it: before a bracket or a string,
 * to which *rest then moves, or alone, which means true (*bare). */
static bool is_field_without_sign(const sheaf_cntk *c, sheaf_cntk_span *rest, bool *bare)
{
	size_t next = past_blanks(c, rest->at, rest->end);
	*bare = next == rest->end || ends_value(c, next);
	if (*bare) return true;
	if (!closer_of(c->text[next]) && c->text[next] != '"') return false;
	rest->at = next;
	return true;
}

/* Reads the word at *rest, and its value if it is the name of a field; else END, with *rest past the word.
 * Only where a field `begins` it needs no sign. */
static sheaf_status read_field(const sheaf_cntk *c, sheaf_cntk_span *rest, bool begins, sheaf_field_span *out)
{
	out->bare = false;
	out->name.at = rest->at;
	while (rest->at < rest->end && begins_word(c, rest->at)) rest->at++;
	out->name.end = rest->at;
	bool found = pass_sign(c, &rest->at, rest->end) || (begins && is_field_without_sign(c, rest, &out->bare));
	if (!found) return SHEAF_END;
	out->value = (sheaf_cntk_span){rest->at, rest->at};
	return out->bare ? SHEAF_OK : read_value(c, rest, &out->value);
}

sheaf_status sheaf_cntk_next(const sheaf_cntk *c, sheaf_cntk_span *rest, sheaf_field_span *out)
{
	bool begins = true; /* a field may begin here */
	while (rest->at < rest->end) {
		if (begins_word(c, rest->at)) {
			sheaf_status status = read_field(c, rest, begins, out);
			if (status != SHEAF_END) return status;
			begins = false;
			continue;
		}
		char byte = c->text[rest->at];
		begins = is_separator(byte) || (begins && is_blank(byte));
		SHEAF_TRY(pass_unit(c, &rest->at, rest->end));
	}
	return SHEAF_END;
}

bool sheaf_cntk_is_name(const sheaf_cntk *c, sheaf_cntk_span name, const char *word)
{
	size_t n = strlen(word);
	return name.end - name.at == n && strncasecmp(c->text + name.at, word, n) == 0;
}

bool sheaf_cntk_is_same(const sheaf_cntk *c, sheaf_cntk_span a, sheaf_cntk_span b)
{
	return a.end - a.at == b.end - b.at && strncasecmp(c->text + a.at, c->text + b.at, a.end - a.at) == 0;
}

/* ---- records and arrays ---- */

/* What is no record is no failure, so that its message is not kept. */
int sheaf_cntk_records(const sheaf_cntk *c, sheaf_cntk_span value, sheaf_cntk_span parts[CNTK_PARTS])
{
	int n = 0;
	size_t past;
	sheaf_cntk quiet = *c;
	quiet.err = NULL;
	while (value.at < value.end) {
		if (n == CNTK_PARTS || !begins_record(c->text[value.at])) return 0;
		if (sheaf_put_off(past_block(&quiet, value.at, value.end, &past), "it is no record")) return 0;
		parts[n++] = (sheaf_cntk_span){value.at + 1, past - 1};
		value.at = past_blanks(c, past, value.end);
	}
	return n;
}

bool sheaf_cntk_is_array(const sheaf_cntk *c, sheaf_cntk_span value, sheaf_cntk_span *inside)
{
	size_t past;
	sheaf_cntk quiet = *c;
	quiet.err = NULL;
	if (value.at == value.end || c->text[value.at] != '(') return false;
	if (sheaf_put_off(past_block(&quiet, value.at, value.end, &past), "it is no array")) return false;
	*inside = (sheaf_cntk_span){value.at + 1, value.end - 1};
	return past == value.end;
}

/* Elements are separated by any of ':', ';', ',' and line ends, and by several of them as well. */
sheaf_status sheaf_cntk_element(const sheaf_cntk *c, sheaf_cntk_span *rest, sheaf_cntk_span *out)
{
	for (size_t next;; rest->at = next) {
		next = past_space(c, rest->at, rest->end);
		if (next < rest->end && strchr(":;,", c->text[next])) next++;
		if (next == rest->at) break;
	}
	if (rest->at == rest->end) return SHEAF_END;
	out->at = rest->at;
	while (rest->at < rest->end && c->text[rest->at] != ':' && !ends_value(c, rest->at))
		SHEAF_TRY(pass_unit(c, &rest->at, rest->end));
	out->end = rest->at;
	trim(c, out);
	return SHEAF_OK;
}

/* ---- strings and names between dollars ---- */

sheaf_status sheaf_cntk_unquote(const sheaf_cntk *c, sheaf_cntk_span *value)
{
	if (value->at >= value->end || !is_quote(c->text[value->at])) return SHEAF_OK;
	char mark = c->text[value->at];
	const char *second = (const char *)memchr(c->text + value->at + 1, mark, value->end - value->at - 1);
	if (!second)
		return sheaf_cntk_fail(c, value->at,
		                       "expected a second %c to end this string, found the end of the line", mark);
	size_t end = (size_t)(second - c->text);
	if (end + 1 != value->end)
		return sheaf_cntk_fail(c, end + 1, "expected the end of the field after a string, found more");
	*value = (sheaf_cntk_span){value->at + 1, end};
	return SHEAF_OK;
}

/* A name begins with a letter or '_', and has no blank and no sign of `never`. */
size_t sheaf_cntk_named(const sheaf_cntk *c, size_t at, size_t end)
{
	static const char never[] = ",/<>?;':\"[]{}\\|!@#%^&*()+=~` \t\r\n";
	size_t n = 0;
	if (c->text[at] != '$' || ++at == end) return 0;
	char first = c->text[at];
	bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
	while (letter && at + n < end && c->text[at + n] != '$' && !strchr(never, c->text[at + n])) n++;
	return at + n < end && c->text[at + n] == '$' ? n : 0;
}
