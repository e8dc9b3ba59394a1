/* SPDX-License-Identifier: MIT */
/* Encodings of text: one table of them, decoded into UTF-8. Those that are not in the table are left to the C
 * library's iconv, where it has one. */
#ifndef SHEAF_IO_FILTERS_CHARSET_H
#define SHEAF_IO_FILTERS_CHARSET_H

#include <sheaf/base.h>

typedef struct sheaf_charset {
	const char *name;     /* as messages spell it */
	const char *names[4]; /* as users spell it, in small letters and without punctuation; ends with NULL */
	uint8_t unit;         /* bytes of a unit: 1 or 2; 0: UTF-8, nothing to decode */
	bool is_big;          /* of units of 2 bytes: the first is the high one */
	const uint16_t *high; /* of single bytes: the characters 0x80 to 0x9f, 0 for none; NULL: the byte's
	                         value. From 0xa0 on it always is. */
} sheaf_charset;

/* One step of decoding: advances `in` and `out` as far as possible. */
typedef struct sheaf_charset_step {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
	char found[80]; /* after DATA: what is wrong at `in` */
} sheaf_charset_step;

/* A decoder of one encoding. Begins as zeros. */
typedef struct sheaf_recoder {
	const sheaf_charset *charset; /* NULL: it is not in the table */
	void *foreign;                /* iconv's, if it is not */
	char name[40];                /* of the encoding, as messages spell it; "": not open, it is UTF-8 */
} sheaf_recoder;

/* The encoding of a name, whatever its case and punctuation; NULL: not in the table. */
const sheaf_charset *sheaf_charset_find(const char *name);
/* UTF-16 by its mark or by the zeros in the first two characters; NULL: neither. */
const sheaf_charset *sheaf_charset_of_head(sheaf_bytes head);
/* CP1252 if the text is not UTF-8 and there is strong evidence for it; else NULL. `whole`: nothing follows.
 */
const sheaf_charset *sheaf_charset_guess(sheaf_bytes text, bool whole);

/* USAGE if neither the table nor the system has the encoding. `head`: the first bytes, by which UTF-16 shows
 * its order. What is UTF-8 anyway is not opened. */
SHEAF_USE sheaf_status sheaf_recoder_open(sheaf_recoder *r, const char *name, sheaf_bytes head,
                                          sheaf_error *err);
void sheaf_recoder_use(sheaf_recoder *r, const sheaf_charset *charset);
void sheaf_recoder_close(sheaf_recoder *r);
/* Returns to the state at the beginning of a text. */
void sheaf_recoder_restart(sheaf_recoder *r);
/* OK: as far as there is room or there are whole characters; DATA: bytes that are no character come next. */
SHEAF_USE sheaf_status sheaf_recoder_run(const sheaf_recoder *r, sheaf_charset_step *step);
/* Bytes that a text of UTF-8 has in an encoding of the table. A character counts where it begins. */
int64_t sheaf_charset_measure(const sheaf_charset *set, const uint8_t *text, size_t n);

#endif
