/* SPDX-License-Identifier: MIT */
/* The inside of the reader: common to its two spellings. */
#ifndef SHEAF_FORMAT_LENS_READER_H
#define SHEAF_FORMAT_LENS_READER_H

#include "base/context.h"
#include "format/lens/lens.h"

/* Brackets and quotes that are open in a string. */
enum { SHEAF_LENS_DEEPEST = 256, SHEAF_LENS_DEEPEST_OF_LENS = 32 };
typedef struct sheaf_lens_nest {
	uint8_t open[SHEAF_LENS_DEEPEST];
	int depth, deepest;
	bool escaped;
} sheaf_lens_nest;

/* Finds the ends of examples and remembers how far it came: it may be given more of the input later. Offsets
 * are from the first byte that is not cut yet. */
typedef struct sheaf_lens_scan {
	size_t at;     /* examined so far */
	size_t needed; /* the number of bytes, from the first one on, that it needs to continue; 0: one more than
	                  there are */
	bool broken;   /* the end cannot be found: the rest of the input belongs to this example */
	int state;     /* of the spelling */
	/* text */
	bool line_start; /* the first byte that is not cut begins a line */
	bool comment;    /* within one */
	bool last;       /* nothing follows the available bytes */
	int after;       /* the state after the open string */
	sheaf_lens_nest nest;
	/* binary */
	bool targets;                 /* their section, not that of the inputs */
	uint32_t lists, ranges, left; /* remaining in the section, in the list, and of what the state counts */
} sheaf_lens_scan;

/* The differences between text and binary in reading. */
typedef struct sheaf_lens_way {
	/* Reads the header at the start of the input. */
	sheaf_status (*begin)(sheaf_lens_reader *in, sheaf_error *err);
	/* Sets a scan to the start of an example. */
	void (*start)(sheaf_lens_scan *scan, bool line_start);
	/* Continues to the end of the example; false: more bytes are needed. */
	bool (*find_end)(sheaf_lens_scan *scan, const uint8_t *data, size_t size);
	/* Whether there is no example in the rest of the input, which is not empty. NULL if the header has the
	 * number of examples. */
	bool (*is_nothing)(sheaf_bytes rest, bool line_start);
	sheaf_status (*parse)(const sheaf_lens_reader *in, const sheaf_piece *piece, sheaf_lens_set *set,
	                      sheaf_context *cx, sheaf_error *err);
} sheaf_lens_way;
extern const sheaf_lens_way sheaf_lens_text_way, sheaf_lens_binary_way;

struct sheaf_lens_reader {
	sheaf_context *cx;
	sheaf_source *source;
	const sheaf_lens_way *way;
	sheaf_lens_header header;
	sheaf_lens_scan scan;
	int64_t line, column;           /* of the next byte to cut, from 1; -1 if there are no lines */
	int64_t cut;                    /* examples so far */
	struct sheaf_lens_edits *edits; /* NULL: none */
	int64_t stated;                 /* examples by the header, or -1 */
	bool found;                     /* the scan is after an example that is not cut yet */
	bool ended;                     /* nothing can follow what was cut */
	sheaf_status truncated;         /* the input failed here, after the examples before had been cut */
	sheaf_error truncation;
};

/* How errors in a piece, or in the header, are reported. */
typedef struct sheaf_lens_reporter {
	const sheaf_lens_reader *in;
	sheaf_context *cx;
	sheaf_error *err;
	const uint8_t *begin; /* of the bytes that are read */
	const uint8_t *counted, *line_begin;
	int64_t byte, line, column; /* of `begin`, then `line` is that of `counted`; -1 if there are no lines */
	bool in_header;             /* where nothing can be left out */
	bool flawed;                /* the example has an error, which is reported: it will be left out */
} sheaf_lens_reporter;

sheaf_lens_reporter sheaf_lens_teller_of(const sheaf_lens_reader *in, const sheaf_piece *piece,
                                         sheaf_context *cx, sheaf_error *err);
/* Counts the lines up to a byte. */
void sheaf_lens_count_lines(sheaf_lens_reporter *t, const uint8_t *at);
/* Reports at a byte. */
SHEAF_USE sheaf_status sheaf_lens_report(sheaf_lens_reporter *t, const uint8_t *at, sheaf_finding finding);
/* Reports why an example is left out, or what ends a header. Never OK: if reading may continue, `flawed` is
 * set, and DATA leads out of the example. */
SHEAF_USE sheaf_status sheaf_lens_flaw(sheaf_lens_reporter *t, const char *rule, const uint8_t *at,
                                       const char *expected, const char *found);
/* Events without content take no bytes of a file, but take memory: a few bytes must not claim gigabytes.
 * `example` is the piece from the example's first byte on. */
SHEAF_USE sheaf_status sheaf_lens_check_events(sheaf_lens_reporter *t, sheaf_bytes example, const uint8_t *at,
                                               int32_t events);

#endif
