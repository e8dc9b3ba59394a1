/* SPDX-License-Identifier: MIT */
/* Inputs whose lines are rows: the common part of their formats.
 *
 *   input.c    the lines into pieces, in order and in any
 *   look.c     what only a look at the input says
 *   text.c     a piece, line by line, and what is wrong with it
 *   entries.h  lines of coordinates and a value */
#ifndef SHEAF_FORMAT_LINES_LINED_H
#define SHEAF_FORMAT_LINES_LINED_H

#include "base/context.h"
#include "base/show.h"
#include "format/format.h"
#include "io/cutter.h"
#include <string.h>

/* ---- bytes of a line ---- */

typedef struct sheaf_lined_syntax {
	uint64_t spaces; /* bit c: byte c is white space; up to ' ' */
	uint8_t comment; /* how a line begins that is no row */
	uint8_t stop;    /* what ends a row: a comment, if one may follow it, or the line feed */
} sheaf_lined_syntax;

/* White space in all of them. */
#define SHEAF_LINED_SPACES (UINT64_C(1) << ' ' | UINT64_C(1) << '\t' | UINT64_C(1) << '\r')

static inline bool sheaf_lined_is_space(const sheaf_lined_syntax *syntax, uint8_t c)
{
	return c <= ' ' && (syntax->spaces >> c & 1);
}

/* Skips white space, up to the end. */
static inline const uint8_t *sheaf_lined_pass_spaces(const sheaf_lined_syntax *syntax, const uint8_t *at,
                                                     const uint8_t *end)
{
	while (at < end && sheaf_lined_is_space(syntax, *at)) at++;
	return at;
}

/* Whether a line that begins there is a row, that is, neither blank nor a comment. Errors in the row do not
 * matter. */
static inline bool sheaf_lined_is_row(const sheaf_lined_syntax *syntax, const uint8_t *at, const uint8_t *end)
{
	at = sheaf_lined_pass_spaces(syntax, at, end);
	return at < end && *at != syntax->comment && *at != '\n';
}

static inline bool sheaf_lined_ends_row(const sheaf_lined_syntax *syntax, const uint8_t *at,
                                        const uint8_t *end)
{
	return at == end || *at == '\n' || *at == syntax->stop;
}

static inline bool sheaf_lined_ends_word(const sheaf_lined_syntax *syntax, const uint8_t *at,
                                         const uint8_t *end)
{
	if (at == end) return true;
	return *at > ' ' ? *at == syntax->stop : *at == '\n' || sheaf_lined_is_space(syntax, *at);
}

/* After the line's feed, or at the end. */
static inline const uint8_t *sheaf_lined_pass_line(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *feed = at < end ? (const uint8_t *)memchr(at, '\n', (size_t)(end - at)) : NULL;
	return feed ? feed + 1 : end;
}

/* Whether the first bytes of an input are text: errors in it are reported when it is read. */
bool sheaf_lined_is_text(sheaf_bytes head);

/* ---- input.c: members of the format's table ---- */

/* The head of the readers of such formats. */
typedef struct sheaf_lined {
	SHEAF_BASE(sheaf_reader, reader);
	const sheaf_lined_syntax *syntax;
	bool numbered;             /* pieces have the number of their first row, instead of that of a chunk */
	int64_t begin, first_line; /* byte and line at which pieces begin */
	int64_t line, row;         /* of the next byte to cut, from 1; of the next row, if rows are numbered */
	sheaf_cutter cutter;
} sheaf_lined;

/* Pieces begin at the source's position, on this line. */
void sheaf_lined_begin(sheaf_lined *in, int64_t line);
SHEAF_USE sheaf_status sheaf_lined_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_lined_rewind(void *reader, const sheaf_piece *to, sheaf_error *err);
/* Each row counts as one, whatever the settings (sheaf_reader.counting). */
#define SHEAF_LINE_EACH "a line each"
SHEAF_USE sheaf_status sheaf_lined_recall(const void *reader, sheaf_piece *piece, sheaf_error *err);
/* For readers with a row on each line, whose lengths are known without decoding. */
extern const sheaf_random_access sheaf_lined_random;

/* ---- look.c ---- */

enum { SHEAF_LINED_GLANCE = 32768 };

/* How the lines of an input are looked at. */
typedef struct sheaf_lined_survey {
	size_t size;                /* size of a result */
	void (*begin)(void *shown); /* makes it that of no lines; without `add` it begins once */
	/* Adds what whole lines show, [at, end). On any thread, if there is `add`. */
	sheaf_status (*see)(void *shown, const uint8_t *at, const uint8_t *end, sheaf_error *err);
	/* Adds the result of the lines that follow. NULL: `see` gets all lines in order. */
	void (*add)(void *shown, const void *after);
} sheaf_lined_survey;

/* Begins with line 1, fills in *all with what all lines show, and returns the reader to the first one. With
 * *glance these are the lines of the first bytes; *glance becomes false if there are no others. If the input
 * breaks off, reading will find that again. */
SHEAF_USE sheaf_status sheaf_lined_look(sheaf_lined *in, bool *glance, const sheaf_lined_survey *how,
                                        void *all, sheaf_error *err);

/* ---- text.c: a piece being decoded ---- */

typedef struct sheaf_lined_text {
	const sheaf_lined *in;
	sheaf_context *cx;
	sheaf_error *err;
	const sheaf_piece *piece;
	const uint8_t *begin, *at, *end, *line_start;
	int64_t line;
	const uint8_t *line_end; /* of sheaf_lined_next_row */
	sheaf_severity severity; /* of a row that cannot be read: FATAL, unless changed */
	const char *consequence; /* what then happens to it; NULL: reading ends */
} sheaf_lined_text;

sheaf_lined_text sheaf_lined_text_of(const sheaf_lined *in, const sheaf_piece *piece, sheaf_context *cx,
                                     sheaf_error *err);

/* Moves to the next line that is a row, [at, line_end); false if there is none. */
bool sheaf_lined_next_row(sheaf_lined_text *text);

/* Reports a problem at byte `at` of the current line; stream may be NULL. */
SHEAF_USE sheaf_status sheaf_lined_report(const sheaf_lined_text *text, const uint8_t *at, const char *stream,
                                          sheaf_finding finding);
/* The same, quoting the text there. */
SHEAF_USE sheaf_status sheaf_lined_report_at(const sheaf_lined_text *text, const uint8_t *at,
                                             const char *stream, sheaf_finding finding);
/* Reports that the row cannot be read because of the text there. */
SHEAF_USE sheaf_status sheaf_lined_refuse(const sheaf_lined_text *text, const char *rule, const uint8_t *at,
                                          const char *stream, const char *expected);
/* Reads the current number, as F32 or F64, or a word for nan or infinity; *ok: there was one, and a word ends
 * after it. Otherwise this has reported it. */
SHEAF_USE sheaf_status sheaf_lined_read_real(sheaf_lined_text *text, sheaf_type type, const char *stream,
                                             double *out, bool *ok);

#endif
