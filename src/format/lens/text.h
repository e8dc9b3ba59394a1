/* SPDX-License-Identifier: MIT */
/* The inside of the text spelling.
 *
 *   text_words.c    blanks, comments, numbers       text_block.c    strings
 *   text_scan.c     where examples end              text_header.c   the header of the set, fields
 *   text_example.c  examples                        text_events.c   lists of events, and whose turn it is
 *   text_ranges.c   values and units                text_write.c    the writer */
#ifndef SHEAF_FORMAT_LENS_TEXT_H
#define SHEAF_FORMAT_LENS_TEXT_H

#include "base/show.h"
#include "format/lens/reader.h"

/* ---- text_words.c ---- */

enum {
	LENS_BLANK = 1,   /* separates words: isspace in C */
	LENS_BRACKET = 2, /* { } ( ) [ ] ": ends a bare word */
	LENS_OPENER = 4,  /* { ( [ ": begins a string that is no bare word */
	LENS_DIGIT = 8,
	LENS_ENDS_REAL = 16, /* , ; { } [ ] and blanks: the word "-" ends before these */
	LENS_ENDS_DASH = 32, /* } ) ; and blanks: a "-" before these is a number */
	LENS_TELLS = 64      /* in a string: brackets, a backslash, newlines, NUL, and what is not ASCII */
};
extern const uint8_t sheaf_lens_classes[256];
static inline bool sheaf_lens_is(uint8_t byte, int classes)
{
	return (sheaf_lens_classes[byte] & classes) != 0;
}
static inline bool sheaf_lens_is_newline(uint8_t byte) { return byte == '\n' || byte == '\r'; }

/* Skips blanks and comment lines; false at the end of the text. */
bool sheaf_lens_pass_blank(sheaf_lens_parsing *p);
/* Skips the word if it comes next. */
static inline bool sheaf_lens_follows(sheaf_lens_parsing *p, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0) return false;
	p->at += n;
	return true;
}
/* Skips blanks, and then the word if it comes next. */
static inline bool sheaf_lens_match(sheaf_lens_parsing *p, const char *word)
{
	return sheaf_lens_pass_blank(p) && sheaf_lens_follows(p, word);
}
/* Whether a list of numbers continues at this byte, which is no blank. */
bool sheaf_lens_is_number(const uint8_t *at, const uint8_t *end);

/* A real as scanf's %f reads it; "-", or nothing, are NaN. */
typedef struct sheaf_lens_real {
	float value;
	const uint8_t *end; /* NULL: there is none */
	bool empty;         /* there is nothing */
	bool infinite;      /* digits beyond the type's precision */
	bool cut;           /* an exponent without digits */
} sheaf_lens_real;
sheaf_lens_real sheaf_lens_scan_real(const uint8_t *at, const uint8_t *end);
/* Skips blanks and reads a real; oddities are reported, and so is the flaw that there is none. */
SHEAF_USE sheaf_status sheaf_lens_read_real(sheaf_lens_parsing *p, const char *rule, const char *expected,
                                            float *out);

typedef enum sheaf_lens_integer {
	SHEAF_LENS_INTEGER,
	SHEAF_LENS_NO_INTEGER,
	SHEAF_LENS_INTEGER_OVER
} sheaf_lens_integer;
/* A whole number as scanf's %d reads it, except that overflow is reported. Does not move if there is none. */
sheaf_lens_integer sheaf_lens_scan_integer(const uint8_t **at, const uint8_t *end, int32_t *out);

/* Reports a flaw at a byte, where something else was expected than the text up to the next ';'. */
SHEAF_USE sheaf_status sheaf_lens_flaw_text(sheaf_lens_parsing *p, const char *rule, const uint8_t *at,
                                            const char *expected);

/* ---- text_block.c ---- */

typedef enum sheaf_lens_nesting {
	SHEAF_LENS_INSIDE,
	SHEAF_LENS_CLOSED,
	SHEAF_LENS_WRONG_CLOSER,
	SHEAF_LENS_TOO_DEEP
} sheaf_lens_nesting;
/* Takes one more byte of a string that began with an opener. */
sheaf_lens_nesting sheaf_lens_nest_byte(sheaf_lens_nest *nest, uint8_t byte);
void sheaf_lens_nest_begin(sheaf_lens_nest *nest, uint8_t opener);
/* Skips bytes of a string that open and close nothing. */
static inline const uint8_t *sheaf_lens_pass_plain(sheaf_lens_nest *nest, const uint8_t *at,
                                                   const uint8_t *end)
{
	const uint8_t *from = at;
	while (at < end && !sheaf_lens_is(*at, LENS_TELLS)) at++;
	if (at > from) nest->escaped = false;
	return at;
}
/* Reads a string into p->string. `what` names it for messages: "the name of an example". */
SHEAF_USE sheaf_status sheaf_lens_read_block(sheaf_lens_parsing *p, const char *rule, const char *what);
/* The same, and adds it to the set. */
SHEAF_USE sheaf_status sheaf_lens_read_text(sheaf_lens_parsing *p, const char *rule, const char *what,
                                            sheaf_lens_text *out);

/* ---- text_scan.c ---- */

void sheaf_lens_text_start(sheaf_lens_scan *scan, bool line_start);
bool sheaf_lens_text_end(sheaf_lens_scan *scan, const uint8_t *data, size_t size);

/* ---- text_header.c ---- */

/* "max:" and so on. */
extern const char *const sheaf_lens_field_words[SHEAF_LENS_FIELDS];
sheaf_status sheaf_lens_text_show_header(sheaf_lens_reader *in, sheaf_bytes *shown, sheaf_error *err);
sheaf_status sheaf_lens_text_read_header(sheaf_lens_parsing *p, sheaf_lens_reader *in);
/* Reads a field if one comes next, otherwise *found is false. `where` is "set header" or "event header". */
SHEAF_USE sheaf_status sheaf_lens_read_field(sheaf_lens_parsing *p, const char *where,
                                             float fields[SHEAF_LENS_FIELDS], unsigned *given, bool *found);

/* ---- text_events.c, text_ranges.c, text_example.c ---- */

/* After '[': the events, then their fields, up to ']'. */
SHEAF_USE sheaf_status sheaf_lens_read_events(sheaf_lens_parsing *p);
/* The event that owns what comes next; the first of those that get it. */
SHEAF_USE sheaf_status sheaf_lens_take_turn(sheaf_lens_parsing *p, sheaf_lens_side *side, const uint8_t *word,
                                            int32_t *owner);
/* Gives the list to its owner and those that share it. */
SHEAF_USE sheaf_status sheaf_lens_give(sheaf_lens_parsing *p, sheaf_lens_side *side, const uint8_t *word,
                                       int32_t owner, int32_t list);
/* Reads ranges; *list is -1 if there are none. `active` is the value of sparse ranges that give none. */
SHEAF_USE sheaf_status sheaf_lens_read_ranges(sheaf_lens_parsing *p, bool sparse, float active,
                                              int32_t *list);

#endif
