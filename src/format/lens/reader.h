/* SPDX-License-Identifier: MIT */
/* The inside of the reader: common to its two spellings. */
#ifndef SHEAF_FORMAT_LENS_READER_H
#define SHEAF_FORMAT_LENS_READER_H

#include "base/context.h"
#include "base/cursor.h"
#include "format/lens/lens.h"
#include "number/kernels/kernel.h"

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

typedef struct sheaf_lens_parsing sheaf_lens_parsing;

/* The differences between text and binary in reading. */
typedef struct sheaf_lens_way {
	/* Shows as much of the input as the header may take. */
	sheaf_status (*show_header)(sheaf_lens_reader *in, sheaf_bytes *shown, sheaf_error *err);
	/* Reads the header of the set, and leaves `at` after it. END: it cannot be read, which was reported, and
	 * there are no examples then. */
	sheaf_status (*read_header)(sheaf_lens_parsing *p, sheaf_lens_reader *in);
	/* Sets a scan to the start of an example. */
	void (*start)(sheaf_lens_scan *scan, bool line_start);
	/* Continues to the end of the example; false: more bytes are needed. */
	bool (*find_end)(sheaf_lens_scan *scan, const uint8_t *data, size_t size);
	/* Moves to the next example; false: there is none. NULL if the header has the number of examples. */
	bool (*has_more)(sheaf_lens_parsing *p);
	/* Reads an example into the set and leaves `at` after it. END: nothing after it can be read, which was
	 * reported. */
	sheaf_status (*read_example)(sheaf_lens_parsing *p);
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

/* Events, from first to last. */
typedef struct sheaf_lens_span {
	int32_t first, last;
} sheaf_lens_span;

/* Text: inputs or targets of the current example, and whose turn it is. */
typedef struct sheaf_lens_side {
	const char *name; /* "inputs" */
	bool is_input;
	bool seen;    /* since the last event list */
	int32_t next; /* event that was next when this was seen */
} sheaf_lens_side;

/* Bytes that are being read: a piece, or the header. */
struct sheaf_lens_parsing {
	const sheaf_lens_reader *in;
	sheaf_context *cx;
	sheaf_error *err;
	const uint8_t *begin, *at, *end;
	const uint8_t *counted, *line_begin;
	int64_t byte, line, column; /* of `begin`, then `line` is that of `counted`; -1 if there are no lines */
	bool line_start;            /* `begin` is the first byte of a line */
	bool in_header;             /* where nothing can be left out */
	bool flawed;                /* the example has an error, which is reported: it will be left out */
	sheaf_builder string;       /* the last one */
	sheaf_builder spans;        /* sheaf_lens_span: the last list of events */
	sheaf_lens_set *set;
	sheaf_lens_example *example; /* the current one */
	const uint8_t *from;         /* where it begins */
	const sheaf_kernel *kernel;
	sheaf_lens_side input, target;
	sheaf_cursor c; /* binary: over the bytes from `from` on */
};

/* At the beginning of these bytes. */
sheaf_lens_parsing sheaf_lens_parsing_of(const sheaf_lens_reader *in, const sheaf_piece *piece,
                                         sheaf_context *cx, sheaf_error *err);
/* Keeps the last string as the proc of the set, in place of an earlier one. */
SHEAF_USE sheaf_status sheaf_lens_keep_proc(sheaf_lens_parsing *p, sheaf_lens_reader *in);
/* Counts the lines up to a byte, and returns its column. */
int64_t sheaf_lens_count_lines(sheaf_lens_parsing *p, const uint8_t *at);
/* Reports at a byte. */
SHEAF_USE sheaf_status sheaf_lens_report(sheaf_lens_parsing *p, const uint8_t *at, sheaf_finding finding);
/* Reports why an example is left out, or what ends a header. Never OK: if reading may continue, `flawed` is
 * set, and DATA leads out of the example. */
SHEAF_USE sheaf_status sheaf_lens_flaw(sheaf_lens_parsing *p, const char *rule, const uint8_t *at,
                                       const char *expected, const char *found);
/* Events without content take no bytes of a file, but take memory: a few bytes must not claim gigabytes. */
SHEAF_USE sheaf_status sheaf_lens_check_events(sheaf_lens_parsing *p, const uint8_t *at, int32_t events);

#endif
