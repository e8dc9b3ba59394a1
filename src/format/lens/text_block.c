/* SPDX-License-Identifier: MIT */
/* Strings of the text spelling: bare words, and text in brackets or quotes, which nest. */
#include "format/lens/text.h"
#include <stdio.h>

/* ---- nesting ---- */

void sheaf_lens_nest_begin(sheaf_lens_nest *nest, uint8_t opener)
{
	nest->depth = nest->deepest = 1;
	nest->escaped = false;
	nest->open[0] = opener;
}

static uint8_t closer_of(uint8_t opener)
{
	return opener == '{' ? '}' : opener == '(' ? ')' : opener == '[' ? ']' : '"';
}

/* A quote closes only if the last thing opened was a quote: within any other bracket it opens one. */
sheaf_lens_nesting sheaf_lens_nest_byte(sheaf_lens_nest *nest, uint8_t byte)
{
	bool escapes = byte == '\\', escaped = nest->escaped && !escapes;
	if (escapes || escaped) {
		nest->escaped = escapes && !nest->escaped;
		return SHEAF_LENS_INSIDE;
	}
	if (!sheaf_lens_is(byte, LENS_BRACKET)) return SHEAF_LENS_INSIDE;
	uint8_t last = nest->open[nest->depth - 1];
	if (!sheaf_lens_is(byte, LENS_OPENER) || (byte == '"' && last == '"')) {
		if (closer_of(last) != byte) return SHEAF_LENS_WRONG_CLOSER;
		return --nest->depth ? SHEAF_LENS_INSIDE : SHEAF_LENS_CLOSED;
	}
	if (nest->depth == SHEAF_LENS_DEEPEST) return SHEAF_LENS_TOO_DEEP;
	nest->open[nest->depth++] = byte;
	if (nest->depth > nest->deepest) nest->deepest = nest->depth;
	return SHEAF_LENS_INSIDE;
}

/* ---- reading ---- */

/* The text on a line, up to its end or the end of the string. */
static sheaf_status read_line(sheaf_lens_parsing *p, const char *rule, const char *what,
                              sheaf_lens_nest *nest, bool *closed)
{
	char expected[96], found[SHEAF_SHOWN_SIZE];
	const uint8_t *from = p->at, *at = from;
	sheaf_lens_nesting nesting = SHEAF_LENS_INSIDE;
	while (nesting == SHEAF_LENS_INSIDE) {
		at = sheaf_lens_pass_plain(nest, at, p->end);
		if (at == p->end || sheaf_lens_is_newline(*at) || *at == '\0') break;
		nesting = sheaf_lens_nest_byte(nest, *at++);
	}
	*closed = nesting == SHEAF_LENS_CLOSED;
	if (nesting <= SHEAF_LENS_CLOSED && (*closed || (at < p->end && *at))) {
		sheaf_builder_append(&p->string, from, (size_t)(at - from) - *closed);
		p->at = at;
		return SHEAF_OK;
	}
	if (nesting == SHEAF_LENS_TOO_DEEP)
		snprintf(expected, sizeof expected, "at most %d brackets within each other in %s", SHEAF_LENS_DEEPEST,
		         what);
	else
		snprintf(expected, sizeof expected, "%s to be closed with '%c'", what,
		         closer_of(nest->open[nest->depth - 1]));
	if (nesting > SHEAF_LENS_CLOSED) at--;
	return sheaf_lens_flaw(p, rule, at, expected, sheaf_show(at, p->end, '\0', found));
}

/* Lines are joined by LF, but none comes before the first text. Lines of comments are left out. */
static sheaf_status read_nested(sheaf_lens_parsing *p, const char *rule, const char *what)
{
	sheaf_lens_nest nest;
	bool closed = false;
	const uint8_t *from = p->at;
	sheaf_lens_nest_begin(&nest, *p->at++);
	SHEAF_TRY(read_line(p, rule, what, &nest, &closed));
	while (!closed) {
		do {
			while (p->at < p->end && !sheaf_lens_is_newline(*p->at)) p->at++;
			if (p->end - p->at > 1 && p->at[0] == '\r' && p->at[1] == '\n') p->at++;
			if (p->at < p->end) p->at++;
		} while (p->at < p->end && *p->at == '#');
		if (p->string.size) sheaf_builder_byte(&p->string, '\n');
		SHEAF_TRY(read_line(p, rule, what, &nest, &closed));
	}
	if (nest.deepest <= SHEAF_LENS_DEEPEST_OF_LENS) return SHEAF_OK;
	return sheaf_lens_report(
		p, from,
		SHEAF_FINDING(SHEAF_NOTE, "deep nesting",
	                  "at most 32 brackets within each other, as many as Lens has room for", "more"));
}

sheaf_status sheaf_lens_read_block(sheaf_lens_parsing *p, const char *rule, const char *what)
{
	char found[SHEAF_SHOWN_SIZE];
	p->string.size = 0;
	if (!sheaf_lens_pass_blank(p)) return sheaf_lens_flaw_text(p, rule, p->at, what);
	if (sheaf_lens_is(*p->at, LENS_OPENER)) {
		SHEAF_TRY(read_nested(p, rule, what));
	} else {
		const uint8_t *from = p->at, *at = from, *semicolon;
		while (at < p->end && *at && !sheaf_lens_is(*at, LENS_BLANK | LENS_BRACKET)) at++;
		sheaf_builder_append(&p->string, from, (size_t)(at - from));
		p->at = at;
		semicolon = at > from ? (const uint8_t *)memchr(from, ';', (size_t)(at - from)) : NULL;
		if (semicolon)
			SHEAF_TRY(
				sheaf_lens_report(p, semicolon,
			                      SHEAF_FINDING(SHEAF_WARNING, "semicolon in a bare word",
			                                    "a blank or a bracket after a string without brackets",
			                                    sheaf_show(from, at, '\0', found),
			                                    "the semicolon is part of the string and ends nothing")));
	}
	sheaf_builder_make_utf8(&p->string, 0);
	return sheaf_builder_status(&p->string, p->err);
}

sheaf_status sheaf_lens_read_text(sheaf_lens_parsing *p, const char *rule, const char *what,
                                  sheaf_lens_text *out)
{
	SHEAF_TRY(sheaf_lens_read_block(p, rule, what));
	*out = sheaf_lens_add_text(p->set, p->string.data, p->string.size);
	return SHEAF_OK;
}
