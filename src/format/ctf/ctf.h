/* SPDX-License-Identifier: MIT */
/* The inside of CNTK's text format: declarations that its files share.
 *
 *   format.c   the table entry, options, recognition
 *   streams.c  declared streams, map files, names
 *   cut.c      the input into pieces of whole sequences
 *   infer.c    streams that nobody declared, by what look.c sees
 *   decode.c   a piece into sequences and rows (lines)
 *   sample.c   a sample's values
 *   short.c    short lines, many at once
 *   alike.c    short lines of one shape
 *   review.c   what only the whole input shows
 *   write.c    sequences into lines
 *   report.c   findings with their places
 *   measure.c  lengths of sequences by their lines
 *   declare.c  the schema as CNTK's users write it
 *   words.c    bytes: their classes
 *
 * What is read and why is in docs/formats/ctf.md. */
#ifndef SHEAF_FORMAT_CTF_CTF_H
#define SHEAF_FORMAT_CTF_CTF_H

#include "base/context.h"
#include "base/show.h"
#include "format/format.h"
#include "frame/frame_builder.h"
#include "frame/schema/names.h"
#include "number/kernels/kernel.h"
#include "sparse/sort/sorter.h"

/* What the rows reviewed so far have of a stream: its name, and a sample in some sequence. */
enum { CTF_NAMED = 1, CTF_FILLED = 2 };

typedef struct sheaf_ctf_reader {
	SHEAF_BASE(sheaf_reader, reader); /* its schema: the streams, then the key */
	int nstreams;
	sheaf_names names; /* names of the streams in the file; stream i is field and column i */
	int main;          /* stream that defines the length, or -1 */
	bool skip_ids, allow_unaligned, allow_missing, drop_incomplete;
	bool guessed; /* dims are those of the first part: later indices may be beyond them */
	bool by_line; /* each line is a sequence and ids are ignored */
	int64_t first_line;
	int64_t line, column; /* of the next byte to cut, from 1 */
	bool space_noted;
	char guess[80];
	sheaf_sorter *ids; /* (key, line) of every sequence while validating */
	int64_t rows;      /* reviewed */
	uint8_t *met;      /* for each stream: CTF_NAMED, CTF_FILLED */
	int64_t *rounded;  /* for each stream: values whose digits float32 cannot keep, in the frames reviewed */
	sheaf_status truncated; /* the input failed here, after the sequences before had been cut */
	sheaf_error truncation;
} sheaf_ctf_reader;

/* ---- words.c ---- */

enum { CTF_SPACE = 1, CTF_ENDS_VALUES = 2, CTF_ENDS_NAME = 4, CTF_SKIPPED = 8 };
/* Class bits of each byte: separates values; ends a list of values; ends a name; is skipped between
 * inputs. */
extern const uint8_t sheaf_ctf_classes[256];
/* The same for kernels. */
extern const sheaf_delimiters sheaf_ctf_delimiters;
static inline bool sheaf_ctf_is(uint8_t byte, int classes)
{
	return (sheaf_ctf_classes[byte] & classes) != 0;
}
static inline bool sheaf_ctf_is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
/* The next '|' or LF, or end. */
const uint8_t *sheaf_ctf_next_input(const uint8_t *at, const uint8_t *end);
enum { CTF_FOUND_SIZE = SHEAF_SHOWN_SIZE };
static inline const char *sheaf_ctf_found(const uint8_t *at, const uint8_t *end, char text[CTF_FOUND_SIZE])
{
	return sheaf_show(at, end, '|', text);
}
/* The id at the start of a line: false if there is none. Ids beyond 64 bits become UINT64_MAX with *over
 * set. */
bool sheaf_ctf_read_id(const uint8_t **at, const uint8_t *end, uint64_t *id, bool *over);

/* ---- streams.c ---- */

/* The name of a stream in the file. */
static inline const char *sheaf_ctf_name_of(const sheaf_field *field)
{
	return field->alias ? field->alias : field->name;
}

/* Of streams whose declaration names no type. */
sheaf_type sheaf_ctf_precision(const sheaf_values *values);
/* The streams that the settings declare; there may be none. */
SHEAF_USE sheaf_status sheaf_ctf_declare_streams(sheaf_ctf_reader *in, const sheaf_values *values,
                                                 sheaf_error *err);
/* Whether they exist, as far as the beginning of the input shows: USAGE if a name is mistyped. In
 * declared.c. */
SHEAF_USE sheaf_status sheaf_ctf_check_names(const sheaf_ctf_reader *in, sheaf_error *err);
/* Adds the key field, and finds the main stream. */
SHEAF_USE sheaf_status sheaf_ctf_seal_streams(sheaf_ctf_reader *in, const sheaf_values *values,
                                              sheaf_error *err);

/* ---- cut.c ---- */

/* Skips the byte order mark and white space at the start, and decides between ids and lines. */
SHEAF_USE sheaf_status sheaf_ctf_begin(sheaf_ctf_reader *in, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ctf_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);

/* ---- measure.c ---- */

/* Lengths are numbers of lines, which CNTK's indexer takes for them. */
SHEAF_USE sheaf_status sheaf_ctf_measure(const void *in, const sheaf_piece *piece, sheaf_context *cx,
                                         sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err);
const char *sheaf_ctf_counting(const sheaf_ctf_reader *in);
SHEAF_USE sheaf_status sheaf_ctf_recall(const void *in, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ctf_resume(sheaf_ctf_reader *in, const sheaf_piece *piece, sheaf_error *err);

/* ---- infer.c ---- */

#define CTF_INFERRED "inferred from the whole input"

/* Finds facts and, if none are declared, streams: from the whole input, or, to glance, from its first part.
 * The source is where the lines begin before and after. */
SHEAF_USE sheaf_status sheaf_ctf_infer(sheaf_ctf_reader *in, bool declared, const sheaf_opening *how,
                                       const sheaf_values *values, sheaf_error *err);

/* ---- decode.c and sample.c ---- */

/* A column while it is filled. */
typedef struct sheaf_ctf_column {
	sheaf_builder *lists, *entries, *indices, *values; /* of the frame */
	int64_t nsamples;
	int64_t rounded;            /* values whose digits float32 cannot hold */
	bool named;                 /* a sample was begun, whatever happened to it */
	int64_t sequence_start;     /* nsamples where the sequence began */
	int64_t seen_on, looked_on; /* line of its last sample; of the last one that short.c examined */
	/* Of the field: */
	int64_t dim;
	bool sparse, wide_values, wide_indices;
	/* The name's first eight bytes, and which of the bits count; no bits: it is longer. */
	uint64_t name, name_bits;
	size_t name_size;
} sheaf_ctf_column;

enum { CTF_MOST_LISTS = 64, CTF_ALIKE_LISTS = 8, CTF_SHAPES = 4 };

/* A short line that was read well. */
typedef struct sheaf_ctf_line {
	const uint8_t *begin, *end; /* with its feed */
	bool has_id;
	int nlists;
	int streams[CTF_MOST_LISTS]; /* of its lists */
} sheaf_ctf_line;

/* What the numbers on lines that are alike are for. */
typedef struct sheaf_ctf_alike_list {
	int stream, first, numbers; /* of the line's numbers */
	int entries, step;          /* each has `step` numbers, of which the last is its value */
} sheaf_ctf_alike_list;

typedef struct sheaf_ctf_shape {
	sheaf_line_shape text;
	bool has_id; /* its first number */
	int nlists;
	sheaf_ctf_alike_list lists[CTF_ALIKE_LISTS];
} sheaf_ctf_shape;

/* A piece being decoded. */
typedef struct sheaf_ctf_decoding {
	const sheaf_ctf_reader *in;
	sheaf_context *cx;
	sheaf_error *err;
	const sheaf_piece *piece;
	const sheaf_kernel *kernel;
	const uint8_t *begin, *at, *end, *line_start;
	int64_t line;
	sheaf_ctf_column *columns;
	int *shown, nshown; /* streams with a sample in the open sequence */
	sheaf_frame_builder to;
	bool open; /* a sequence is */
	bool held; /* the piece was held against the streams of the first part */
	uint64_t key;
	const uint8_t *key_at; /* where the open sequence begins */
	int64_t key_line, sequence_lines;
	int pause, waiting; /* lines that short.c is not asked for: after its next failure, and now */
	sheaf_ctf_shape shapes[CTF_SHAPES];
	int nshapes; /* learnt so far; the last ones are kept */
} sheaf_ctf_decoding;

SHEAF_USE sheaf_status sheaf_ctf_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                        sheaf_context *cx, sheaf_error *err);
/* Ends the open sequence and opens one if a line begins with a different id, or if each line is a
 * sequence. */
SHEAF_USE sheaf_status sheaf_ctf_enter_sequence(sheaf_ctf_decoding *d, bool has_id, uint64_t id);
SHEAF_USE sheaf_status sheaf_ctf_close_sequence(sheaf_ctf_decoding *d);
/* The open sequence has n more samples of a stream. */
static inline void sheaf_ctf_add_samples(sheaf_ctf_decoding *d, int stream, int64_t n)
{
	sheaf_ctf_column *column = &d->columns[stream];
	if (column->nsamples == column->sequence_start) d->shown[d->nshown++] = stream;
	column->nsamples += n;
}
/* Sequences that closed without a sample of the stream get their list, which is empty. */
void sheaf_ctf_fill_lists(const sheaf_ctf_decoding *d, int stream);
/* Reads the values of one sample from d->at, which is after the name, to their end. *kept says whether the
 * sample is kept. */
SHEAF_USE sheaf_status sheaf_ctf_read_sample(sheaf_ctf_decoding *d, int stream, bool *kept);

/* ---- short.c ---- */

/* Reads lines from d->at on, the start of one, as long as they are short and plain. read_line decides whether
 * a line has an error, and reports it: this stops at such a line. */
SHEAF_USE sheaf_status sheaf_ctf_read_short(sheaf_ctf_decoding *d);

/* ---- alike.c ---- */

/* Reads lines from d->at on, the start of one, that are like the one that was just read, or like others
 * before. */
SHEAF_USE sheaf_status sheaf_ctf_read_alike(sheaf_ctf_decoding *d, const sheaf_ctf_line *like);

/* ---- report.c ---- */

/* Reports a problem at byte `at` of the current line. stream < 0: none. */
SHEAF_USE sheaf_status sheaf_ctf_report(sheaf_ctf_decoding *d, const uint8_t *at, int stream,
                                        sheaf_finding finding);
/* Reports a problem of the open sequence, at the byte where it begins. */
SHEAF_USE sheaf_status sheaf_ctf_report_sequence(sheaf_ctf_decoding *d, int stream, sheaf_finding finding);

/* ---- review.c ---- */

SHEAF_USE sheaf_status sheaf_ctf_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_ctf_carry(void *in, const struct sheaf_carried *counts, sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_ctf_writing;

/* ---- declare.c ---- */

SHEAF_USE sheaf_status sheaf_ctf_declare(const sheaf_schema *schema, const char *file, bool own,
                                         sheaf_context *cx, sheaf_buffer *text, sheaf_error *err);

#endif
