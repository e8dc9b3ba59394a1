/* SPDX-License-Identifier: MIT */
/* Texts that describe files, format strings and array schemas, read word by word. Errors are shown in their
 * place. */
#ifndef SHEAF_FORMAT_SCIDB_TEXT_H
#define SHEAF_FORMAT_SCIDB_TEXT_H

#include <sheaf/base.h>

typedef struct sheaf_scidb_text {
	const char *option; /* its name in messages */
	const char *begin, *at, *end;
	bool comments; /* it may have comments */
} sheaf_scidb_text;

typedef struct sheaf_scidb_word {
	const char *at;
	size_t size; /* 0: there is none */
} sheaf_scidb_word;

sheaf_scidb_text sheaf_scidb_text_over(const char *option, const char *text, bool comments);

/* USAGE: "--format-string: column 8: expected x, found "not": (int64 ^not null)". `found` NULL: the text at
 * `at`. */
SHEAF_USE sheaf_status sheaf_scidb_text_expected(const sheaf_scidb_text *text, const char *at,
                                                 const char *expected, const char *found, sheaf_error *err);

/* Skips blanks and comments; an unclosed comment ends with the text. */
void sheaf_scidb_text_pass(sheaf_scidb_text *text);
/* All of these first skip blanks. Takes the character if it comes next. */
bool sheaf_scidb_text_take(sheaf_scidb_text *text, char c);
bool sheaf_scidb_text_is_at(sheaf_scidb_text *text, char c);
/* A letter and then letters, digits and underscores; `wide`: also _ and $ for letters. */
sheaf_scidb_word sheaf_scidb_text_word(sheaf_scidb_text *text, bool wide);
/* The same, but not taken. */
sheaf_scidb_word sheaf_scidb_text_look(sheaf_scidb_text *text);
/* Takes the word if it is this one, ignoring case. */
bool sheaf_scidb_text_keyword(sheaf_scidb_text *text, const char *keyword);
bool sheaf_scidb_word_is(sheaf_scidb_word word, const char *keyword);
/* Whole and real numbers, + - * / %, signs and parentheses, as in C, and functions of constants; the result
 * is a whole number. `what` is expected if none begins. In expression.c. */
SHEAF_USE sheaf_status sheaf_scidb_text_expression(sheaf_scidb_text *text, const char *what, int64_t *out,
                                                   sheaf_error *err);
/* From 1. */
int64_t sheaf_scidb_text_column(const sheaf_scidb_text *text, const char *at);

#endif
