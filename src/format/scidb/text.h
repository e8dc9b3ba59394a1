/* SPDX-License-Identifier: MIT */
/* Texts that describe files, which are format strings and array schemas, read word by word. A message about
 * such a text shows the text around the place of the error. */
#ifndef SHEAF_FORMAT_SCIDB_TEXT_H
#define SHEAF_FORMAT_SCIDB_TEXT_H

#include "frame/schema/names.h"

typedef struct sheaf_scidb_text {
	const char *option; /* that it is given with */
	const char *begin, *at, *end;
	bool comments;    /* it may have comments */
	sheaf_error *err; /* takes the messages */
} sheaf_scidb_text;

sheaf_scidb_text sheaf_scidb_text_over(const char *option, const char *text, bool comments, sheaf_error *err);

/* USAGE: "--format-string: column 8: expected x, found "not": (int64 ^not null)". */
SHEAF_USE sheaf_status sheaf_scidb_text_expected(const sheaf_scidb_text *text, const char *at,
                                                 const char *expected);
/* The same, with other words for what is at `at`. */
SHEAF_USE sheaf_status sheaf_scidb_text_found(const sheaf_scidb_text *text, const char *at,
                                              const char *expected, const char *found);

/* Skips blanks and comments; an unclosed comment ends with the text. */
void sheaf_scidb_text_pass(sheaf_scidb_text *text);
/* The following functions skip blanks and comments first. Takes the character if it comes next. */
bool sheaf_scidb_text_take(sheaf_scidb_text *text, char c);
bool sheaf_scidb_text_is_at(sheaf_scidb_text *text, char c);
/* Takes the first of these characters that comes next, and returns it; NUL if none does. */
char sheaf_scidb_text_take_any(sheaf_scidb_text *text, const char *marks);
/* Takes the character, or fails and says what was expected in its place. */
SHEAF_USE sheaf_status sheaf_scidb_text_need(sheaf_scidb_text *text, char c, const char *expected);
/* A letter and then letters, digits and underscores; `wide`: also _ and $ for letters. The word has no
 * characters if none begins here. */
sheaf_name sheaf_scidb_text_word(sheaf_scidb_text *text, bool wide);
/* The wide word, but it is not taken. */
sheaf_name sheaf_scidb_text_look(sheaf_scidb_text *text);
/* Takes the word if it is this one, ignoring case. */
bool sheaf_scidb_text_keyword(sheaf_scidb_text *text, const char *keyword);
bool sheaf_scidb_word_is(sheaf_name word, const char *keyword);
/* Whole and real numbers, + - * / %, signs and parentheses, as in C, and functions of constants; the result
 * is a whole number. `what` is expected if none begins. In expression.c. */
SHEAF_USE sheaf_status sheaf_scidb_text_expression(sheaf_scidb_text *text, const char *what, int64_t *out);

static inline bool sheaf_scidb_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool sheaf_scidb_is_digit(char c) { return c >= '0' && c <= '9'; }
/* Whether a word goes on with it. */
static inline bool sheaf_scidb_is_of_word(char c, bool wide)
{
	return sheaf_scidb_is_letter(c) || c == '_' || sheaf_scidb_is_digit(c) || (wide && c == '$');
}

#endif
