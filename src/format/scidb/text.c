/* SPDX-License-Identifier: MIT */
/* Words of texts, and messages about them. */
#include "format/scidb/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

sheaf_scidb_text sheaf_scidb_text_over(const char *option, const char *text, bool comments)
{
	return (sheaf_scidb_text){option, text, text, text + strlen(text), comments};
}

int64_t sheaf_scidb_text_column(const sheaf_scidb_text *text, const char *at) { return at - text->begin + 1; }

/* ---- messages ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_of_word(char c, bool wide)
{
	return is_letter(c) || c == '_' || is_digit(c) || (wide && c == '$');
}

/* The word or character at `at`. */
static void show_found(const sheaf_scidb_text *text, const char *at, char *out, size_t size)
{
	enum { MOST = 40 };
	int n = 0;
	if (at >= text->end) {
		snprintf(out, size, "the end");
		return;
	}
	while (at + n < text->end && n < MOST && is_of_word(at[n], true)) n++;
	/* A character beyond ASCII is shown whole. */
	for (n += n == 0; at + n < text->end && n < MOST && ((unsigned char)at[n] & 0xc0) == 0x80;) n++;
	snprintf(out, size, "\"%.*s\"", n, at);
}

sheaf_status sheaf_scidb_text_expected(const sheaf_scidb_text *text, const char *at, const char *expected,
                                       const char *found, sheaf_error *err)
{
	enum { AROUND = 60 };
	char word[64];
	if (!found) show_found(text, at, word, sizeof word);
	const char *from = at - text->begin > AROUND ? at - AROUND : text->begin,
			   *to = text->end - at > AROUND ? at + AROUND : text->end;
	return sheaf_fail(err, SHEAF_USAGE, "%s: column %" PRId64 ": expected %s, found %s: %s%.*s^%.*s%s",
	                  text->option, sheaf_scidb_text_column(text, at), expected, found ? found : word,
	                  from > text->begin ? "..." : "", (int)(at - from), from, (int)(to - at), at,
	                  to < text->end ? "..." : "");
}

/* ---- words ---- */

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool stands(const sheaf_scidb_text *text, const char *mark)
{
	size_t n = strlen(mark);
	return (size_t)(text->end - text->at) >= n && memcmp(text->at, mark, n) == 0;
}

static bool pass_comment(sheaf_scidb_text *text)
{
	bool line = stands(text, "--") || stands(text, "//"), block = stands(text, "/*");
	if (!text->comments || (!line && !block)) return false;
	text->at += 2;
	while (text->at < text->end && !(line ? *text->at == '\n' : stands(text, "*/"))) text->at++;
	if (block && text->at < text->end) text->at += 2;
	return true;
}

void sheaf_scidb_text_pass(sheaf_scidb_text *text)
{
	do {
		while (text->at < text->end && is_blank(*text->at)) text->at++;
	} while (pass_comment(text));
}

bool sheaf_scidb_text_is_at(sheaf_scidb_text *text, char c)
{
	sheaf_scidb_text_pass(text);
	return text->at < text->end && *text->at == c;
}

bool sheaf_scidb_text_take(sheaf_scidb_text *text, char c)
{
	bool is = sheaf_scidb_text_is_at(text, c);
	text->at += is;
	return is;
}

sheaf_scidb_word sheaf_scidb_text_word(sheaf_scidb_text *text, bool wide)
{
	sheaf_scidb_text_pass(text);
	sheaf_scidb_word word = {text->at, 0};
	if (text->at < text->end && (is_letter(*text->at) || (wide && (*text->at == '_' || *text->at == '$'))))
		while (text->at < text->end && is_of_word(*text->at, wide)) text->at++;
	word.size = (size_t)(text->at - word.at);
	return word;
}

sheaf_scidb_word sheaf_scidb_text_look(sheaf_scidb_text *text)
{
	sheaf_scidb_word word = sheaf_scidb_text_word(text, true);
	text->at = word.at;
	return word;
}

bool sheaf_scidb_word_is(sheaf_scidb_word word, const char *keyword)
{
	return word.size == strlen(keyword) && strncasecmp(word.at, keyword, word.size) == 0;
}

bool sheaf_scidb_text_keyword(sheaf_scidb_text *text, const char *keyword)
{
	sheaf_scidb_word word = sheaf_scidb_text_look(text);
	if (!sheaf_scidb_word_is(word, keyword)) return false;
	text->at += word.size;
	return true;
}
