/* SPDX-License-Identifier: MIT */
/* Words of texts, and messages about them. A message shows up to 60 characters on both sides of its place,
 * which a caret marks: the user may have written the text into a script, far from the command. */
#include "format/scidb/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

sheaf_scidb_text sheaf_scidb_text_over(const char *option, const char *text, bool comments, sheaf_error *err)
{
	return (sheaf_scidb_text){option, text, text, text + strlen(text), comments, err};
}

/* ---- messages ---- */

sheaf_status sheaf_scidb_text_found(const sheaf_scidb_text *text, const char *at, const char *expected,
                                    const char *found)
{
	enum { AROUND = 60 };
	const char *from = at - text->begin > AROUND ? at - AROUND : text->begin,
			   *to = text->end - at > AROUND ? at + AROUND : text->end;
	return sheaf_fail_option(text->err, SHEAF_USAGE, text->option,
	                         ": column %td: expected %s, found %s: %s%.*s^%.*s%s", at - text->begin + 1,
	                         expected, found, from > text->begin ? "..." : "", (int)(at - from), from,
	                         (int)(to - at), at, to < text->end ? "..." : "");
}

/* What was found is the word at `at`, or a single character; one beyond ASCII is shown whole. */
sheaf_status sheaf_scidb_text_expected(const sheaf_scidb_text *text, const char *at, const char *expected)
{
	enum { MOST = 40 };
	char word[64];
	int n = 0;
	if (at >= text->end) return sheaf_scidb_text_found(text, at, expected, "the end");
	while (at + n < text->end && n < MOST && sheaf_scidb_is_of_word(at[n], true)) n++;
	for (n += n == 0; at + n < text->end && n < MOST && ((unsigned char)at[n] & 0xc0) == 0x80;) n++;
	snprintf(word, sizeof word, "\"%.*s\"", n, at);
	return sheaf_scidb_text_found(text, at, expected, word);
}

/* ---- words ---- */

static bool stands(const sheaf_scidb_text *text, const char *mark)
{
	size_t n = strlen(mark);
	return (size_t)(text->end - text->at) >= n && memcmp(text->at, mark, n) == 0;
}

/* Comments are those of SQL and of C; the server's two languages, AQL and AFL, have both. */
void sheaf_scidb_text_pass(sheaf_scidb_text *text)
{
	for (;;) {
		while (text->at < text->end && (*text->at == ' ' || (*text->at >= '\t' && *text->at <= '\r')))
			text->at++;
		bool line = stands(text, "--") || stands(text, "//"), block = stands(text, "/*");
		if (!text->comments || (!line && !block)) return;
		text->at += 2;
		while (text->at < text->end && !(line ? *text->at == '\n' : stands(text, "*/"))) text->at++;
		if (block && text->at < text->end) text->at += 2;
	}
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

char sheaf_scidb_text_take_any(sheaf_scidb_text *text, const char *marks)
{
	while (*marks && !sheaf_scidb_text_take(text, *marks)) marks++;
	return *marks;
}

sheaf_status sheaf_scidb_text_need(sheaf_scidb_text *text, char c, const char *expected)
{
	return sheaf_scidb_text_take(text, c) ? SHEAF_OK : sheaf_scidb_text_expected(text, text->at, expected);
}

sheaf_name sheaf_scidb_text_word(sheaf_scidb_text *text, bool wide)
{
	sheaf_scidb_text_pass(text);
	const char *begin = text->at;
	if (begin < text->end && sheaf_scidb_is_of_word(*begin, wide) && !sheaf_scidb_is_digit(*begin) &&
	    (wide || *begin != '_'))
		while (text->at < text->end && sheaf_scidb_is_of_word(*text->at, wide)) text->at++;
	return (sheaf_name){begin, (size_t)(text->at - begin)};
}

sheaf_name sheaf_scidb_text_look(sheaf_scidb_text *text)
{
	sheaf_name word = sheaf_scidb_text_word(text, true);
	text->at = word.text;
	return word;
}

bool sheaf_scidb_word_is(sheaf_name word, const char *keyword)
{
	return word.size == strlen(keyword) && strncasecmp(word.text, keyword, word.size) == 0;
}

bool sheaf_scidb_text_keyword(sheaf_scidb_text *text, const char *keyword)
{
	sheaf_name word = sheaf_scidb_text_look(text);
	if (!sheaf_scidb_word_is(word, keyword)) return false;
	text->at += word.size;
	return true;
}
