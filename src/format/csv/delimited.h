/* SPDX-License-Identifier: MIT */
/* Tables as delimited text: rows are records of fields, separated by a delimiter and ended by a line feed.
 * The formats of this family differ only in their dialects and options; everything else is here.
 *
 *   dialect.c  what the settings say of quotes, delimiters, words    detect.c   what the file says of them
 *   header.c   the first line: widths and names                      evidence.c whether it has names
 *   columns.c  columns that settings declare
 *   word.c     a field's text: nulls, kinds, without its escapes     item.c     it as an item of its type
 *   records.c  where records and fields end                          cut.c      the input into pieces of them
 *   see.c      what columns contain, and the types that follow       reader.c   opening, schema, facts
 *   infer.c    that of the whole input
 *   decode.c   a piece into columns                                  report.c   what is wrong with a piece
 *   write.c    the writer's life                                     encode.c   rows into records
 *   probe.c    whether a file is a table
 *
 * The formats' pages in docs/formats say what is read and why. */
#ifndef SHEAF_FORMAT_CSV_DELIMITED_H
#define SHEAF_FORMAT_CSV_DELIMITED_H

#include "base/buffer.h"
#include "base/show.h"
#include "format/format.h"
#include "frame/frame_builder.h"
#include "number/date.h"
#include "number/kernels/fields.h"
#include "number/kernels/marks.h"

/* ---- dialect.c ---- */

typedef struct sheaf_dialect {
	uint8_t delimiter;
	uint8_t quote;   /* around fields, doubled inside them; 0: there are none */
	uint8_t escape;  /* before a byte that is taken literally: within quotes, or anywhere if there are no
	                    quotes; 0: there is none */
	bool any_quoted; /* a field in quotes may be something other than text */
	uint8_t feed;    /* ends lines: a line feed, or a carriage return in files of old Macintoshes */
	uint8_t point;   /* before the fraction of a number */
	bool fill;       /* records may have fewer fields: the others are empty */
	/* Words for missing values, besides those of sheaf_word_null, separated by commas; NULL: none. Borrowed.
	 * Bit b of `missing_begin`: one of them begins with byte b. */
	const char *missing;
	uint64_t missing_begin[4];
} sheaf_dialect;

/* What distinguishes a format of this family. */
typedef struct sheaf_delimited_kind {
	uint8_t delimiter;
	bool quotes;
} sheaf_delimited_kind;

/* Whether a byte is no part of numbers, words and quotes. */
bool sheaf_may_delimit(uint8_t byte);
/* The byte that --delimiter names. */
const char *sheaf_delimiter_name(uint8_t delimiter);
/* Whether there are escapes instead of quotes, as in linear TSV. */
static inline bool sheaf_dialect_is_linear(const sheaf_dialect *dialect)
{
	return !dialect->quote && dialect->escape;
}
/* What the settings leave open. */
typedef struct sheaf_dialect_guess {
	bool quotes, delimiter;
} sheaf_dialect_guess;

/* The dialect that the settings select. */
SHEAF_USE sheaf_status sheaf_dialect_choose(const sheaf_delimited_kind *kind, const sheaf_values *values,
                                            bool writing, sheaf_dialect *out, sheaf_dialect_guess *guess,
                                            sheaf_error *err);
/* Adds a word for missing values; the text is borrowed. */
void sheaf_dialect_set_missing(sheaf_dialect *dialect, const char *words);

/* ---- detect.c ---- */

/* The first bytes of a file, or all of it. */
typedef struct sheaf_file_head {
	sheaf_bytes bytes;
	bool is_all;
} sheaf_file_head;

/* Finds what the settings leave open from the first bytes of a file. *sample is the part of them that ends
 * with a whole record, or empty. */
SHEAF_USE sheaf_status sheaf_dialect_detect(sheaf_dialect *dialect, sheaf_dialect_guess guess,
                                            sheaf_file_head head, sheaf_context *cx, sheaf_bytes *sample,
                                            sheaf_error *err);

/* ---- records.c ---- */

/* Errors and oddities of a record. */
typedef enum sheaf_record_flaw {
	RECORD_COUNT,
	RECORD_BLANK,
	RECORD_OPEN,
	RECORD_AFTER_QUOTE,
	RECORD_AFTER_LINES, /* the same for a field of several lines: its first quote may be the wrong one */
	RECORD_INNER_QUOTE
} sheaf_record_flaw;

typedef struct sheaf_record_finding {
	uint32_t at, line_start, line; /* size of the piece; lines after its first one */
	uint32_t rows;                 /* records before it that are kept */
	uint32_t count;                /* fields of the record; AFTER_LINES: where the text after the quote is */
	/* A quote that opens a field of several lines, or `at`. */
	uint32_t open, open_line_start, open_line;
	sheaf_record_flaw flaw;
} sheaf_record_finding;

/* Records of `width` fields: field f of record r ends before byte ends[r * width + f], and the next one
 * begins after it. Fields that were filled in are empty, after the record, and nobody reads there. */
typedef struct sheaf_records {
	const uint8_t *begin;
	uint32_t width;
	int64_t count;
	sheaf_builder starts, ends; /* uint32 */
	sheaf_builder lines;        /* int64: the line that a record begins on */
	sheaf_builder findings;
} sheaf_records;

void sheaf_records_begin(sheaf_records *records, sheaf_context *cx);
/* Finds the records of a text, which begins with one on line `line`. Those that do not have `width` fields,
 * or are not sound, are findings. */
SHEAF_USE sheaf_status sheaf_records_find(sheaf_records *records, const sheaf_dialect *dialect, int width,
                                          sheaf_bytes text, int64_t line, sheaf_error *err);
/* If a kernel leaves most words of a column, it is called less and less often. Begins as zeros. */
typedef struct sheaf_patience {
	int64_t next; /* the record from which it is called again */
	int pause;
} sheaf_patience;

/* The kernel was called at record `from` and stopped at record r. */
static inline void sheaf_patience_note(sheaf_patience *p, int64_t from, int64_t r)
{
	enum { LONGEST = 64 };
	p->pause = r > from ? 0 : p->pause < LONGEST ? 2 * p->pause + 1 : p->pause;
	p->next = r + 1 + p->pause;
}

/* The fields of a column. */
sheaf_fields sheaf_records_column(const sheaf_records *records, uint32_t column);
/* Removes the records that are marked. */
void sheaf_records_leave_out(sheaf_records *records, const uint8_t *marked);
void sheaf_records_drop(sheaf_records *records);

/* The quote that closes a field, given the byte after the opening one; NULL if none does. */
const uint8_t *sheaf_records_close(const sheaf_dialect *dialect, const uint8_t *at, const uint8_t *end);
/* The byte after the last whole record of [begin, end), or NULL. A record begins at `begin`. */
const uint8_t *sheaf_records_last_end(const sheaf_dialect *dialect, const uint8_t *begin, const uint8_t *end);
/* The byte after the first one. */
const uint8_t *sheaf_records_first_end(const sheaf_dialect *dialect, const uint8_t *begin,
                                       const uint8_t *end);
/* The unclosed quote in the first record, or NULL. */
const uint8_t *sheaf_records_open(const sheaf_dialect *dialect, const uint8_t *begin, const uint8_t *end);

/* ---- word.c ---- */

/* A field's text, without its quotes, but with its escapes. */
typedef struct sheaf_word {
	const uint8_t *at, *end;
	bool quoted;
} sheaf_word;

static inline sheaf_word sheaf_word_of(const sheaf_records *records, const sheaf_dialect *dialect,
                                       int64_t record, uint32_t field)
{
	const uint32_t *ends =
		(const uint32_t *)(const void *)records->ends.data + record * records->width + field;
	uint32_t start = field ? ends[-1] + 1 : ((const uint32_t *)(const void *)records->starts.data)[record];
	sheaf_word word = {records->begin + start, records->begin + *ends, false};
	while (field + 1 == records->width && word.end > word.at && word.end[-1] == '\r') word.end--;
	if (dialect->quote && word.end - word.at >= 2 && *word.at == dialect->quote)
		word = (sheaf_word){word.at + 1, word.end - 1, true};
	return word;
}

enum { SHEAF_NO_CODE = -1, SHEAF_MOST_CODE = 127 };
/* The code of a word that means a missing value ("null", "\N", "?5", an empty one), or SHEAF_NO_CODE. */
int sheaf_word_null(const sheaf_word *given, const sheaf_dialect *dialect);
/* False if the word's first byte rules that out. */
static inline bool sheaf_word_may_be_null(sheaf_word word, const sheaf_dialect *dialect)
{
	if (word.quoted) return false;
	if (word.at == word.end) return true;
	uint8_t first = *word.at;
	return first == 'n' || first == '\\' || first == '?' ||
	       (dialect->missing && (dialect->missing_begin[first / 64] >> first % 64 & 1));
}
/* Without surrounding blanks. */
static inline sheaf_word sheaf_word_trim(sheaf_word word)
{
	while (word.at < word.end && (*word.at == ' ' || *word.at == '\t')) word.at++;
	while (word.at < word.end && (word.end[-1] == ' ' || word.end[-1] == '\t')) word.end--;
	return word;
}

/* Whether values have the meaning that kernels assume: numbers with a point, and no number, time, or true or
 * false means a missing value. */
bool sheaf_values_are_plain(const sheaf_dialect *dialect);

/* What a word looks like. */
enum {
	KIND_NULL = 1,
	KIND_BLANK = 2, /* missing, unless it is a text */
	KIND_BOOL = 4,
	KIND_INTEGER = 8, /* fits signed 64 bits */
	KIND_NEGATIVE = 16,
	KIND_LARGE = 32, /* an integer that fits only unsigned 64 bits */
	KIND_REAL = 64,
	KIND_TEXT = 512,
	KIND_ABSENT = 1024, /* a text that other programs take for missing: NA, NULL, ... */
	KIND_COMMA = 2048,  /* a text that is a number with decimal commas */
	/* Or what sheaf_see_time finds. */
	KIND_DATE = SHEAF_SEEN_DATE,
	KIND_TIME = SHEAF_SEEN_CLOCK,
	KIND_DATETIME = SHEAF_SEEN_TIME,
	KIND_DATETIMETZ = SHEAF_SEEN_ZONED
};
unsigned sheaf_word_kind(const sheaf_word *given, const sheaf_dialect *dialect);
/* Whether a text begins like numbers, dates, times and addresses: with a digit, or with a sign or a point
 * before one. */
bool sheaf_begins_as_number(const uint8_t *text, size_t size);
/* Whether a text would be taken for something else without quotes and escapes. */
bool sheaf_text_looks_otherwise(const uint8_t *text, size_t size, const sheaf_dialect *dialect);

/* Writes the text that the word means, which is not longer, and returns its end; NULL if nothing follows an
 * escape. */
uint8_t *sheaf_word_text(const sheaf_word *given, const sheaf_dialect *dialect, uint8_t *to);

/* ---- item.c ---- */

/* The result of reading a word. All above OK are worth a finding; the values of ITEM_ROUNDED and
 * ITEM_INFINITE are used all the same. */
typedef enum sheaf_item_flaw {
	ITEM_OK,
	ITEM_ROUNDED,
	ITEM_INFINITE,
	ITEM_BAD,
	ITEM_NOT_UTF8
} sheaf_item_flaw;

/* Size of one item of a field, for runs of a fixed length. */
size_t sheaf_item_size(const sheaf_field *field);
/* Reads an item of a fixed size. */
sheaf_item_flaw sheaf_item_read(const sheaf_field *field, const sheaf_word *given,
                                const sheaf_dialect *dialect, void *out);
/* Reads a text, or bytes, into memory with room for the word; *size becomes its length. */
sheaf_item_flaw sheaf_item_read_run(const sheaf_field *field, const sheaf_word *given,
                                    const sheaf_dialect *dialect, uint8_t *to, size_t *size);
/* "an int32", for messages. */
const char *sheaf_item_expected(const sheaf_field *field);
/* The name of the field's type, as --columns takes it. */
const char *sheaf_item_type(const sheaf_field *field);
/* The name of the type that was probably meant, or NULL. */
const char *sheaf_item_nearest(const char *type);
/* Makes the field of a type's name; false if there is none. */
bool sheaf_item_make(sheaf_field *field, const char *type, size_t n, bool nullable);

/* ---- the reader ---- */

/* What was found in the columns of a file. */
typedef struct sheaf_seen {
	unsigned *kinds; /* of each column */
	int64_t rows;
	bool flawed; /* some records were skipped */
} sheaf_seen;

/* Its schema: the columns of the file, or the declared ones. */
typedef struct sheaf_delimited_reader {
	SHEAF_BASE(sheaf_reader, reader);
	sheaf_dialect dialect;
	int *columns; /* of each field: the index of its column in the file */
	int ncolumns; /* capacity */
	int width;    /* fields in a record */
	bool header;
	const char *header_reason;
	double header_confidence; /* 0: it was requested */
	bool unnamed_first; /* the header has one name less than there are columns: the first column has none */
	bool guessed_delimiter;
	uint8_t said;         /* the delimiter that a line before the table says; 0: none does */
	char *missing;        /* the words of --missing */
	int64_t line, column; /* of the next byte to cut, from 1 */
	char guess[112];
	sheaf_status truncated; /* the input failed here, after the records before had been cut */
	sheaf_error truncation;
	sheaf_seen seen; /* by the first part, if the reader is speculative */
} sheaf_delimited_reader;

SHEAF_USE sheaf_status sheaf_delimited_open(void *reader, const sheaf_delimited_kind *kind,
                                            const sheaf_values *values, const sheaf_opening *how,
                                            sheaf_error *err);
void sheaf_delimited_close(void *reader);
SHEAF_USE sheaf_status sheaf_delimited_describe(const void *reader, const sheaf_listing *to,
                                                sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_rewind(void *in, const sheaf_piece *to, sheaf_error *err);

/* ---- probe.c ---- */

sheaf_likely sheaf_delimited_probe(const sheaf_glimpse *glimpse, const sheaf_delimited_kind *kind,
                                   const char *const *suffixes);

/* ---- columns.c ---- */

/* Columns in the notation of users: "a:int64, b:string null". */
SHEAF_USE sheaf_status sheaf_columns_declare(const char *text, sheaf_context *cx, sheaf_schema *out,
                                             sheaf_error *err);
/* Appends them in the notation of --columns. */
void sheaf_columns_text(sheaf_builder *b, const sheaf_schema *schema);
SHEAF_USE sheaf_status sheaf_delimited_declare(const sheaf_schema *schema, const char *file, bool own,
                                               sheaf_context *cx, sheaf_buffer *text, sheaf_error *err);

/* ---- see.c ---- */

SHEAF_USE sheaf_status sheaf_seen_begin(sheaf_seen *seen, sheaf_context *cx, int width, sheaf_error *err);
void sheaf_seen_free(sheaf_seen *seen, sheaf_context *cx, int width);
/* Adds what some records contain. */
SHEAF_USE sheaf_status sheaf_see(sheaf_seen *seen, const sheaf_delimited_reader *in, sheaf_bytes text,
                                 sheaf_error *err);
/* The same of one of their columns. */
unsigned sheaf_see_column(const sheaf_records *records, const sheaf_dialect *dialect, uint32_t column);
/* Looks at the first part without moving. */
SHEAF_USE sheaf_status sheaf_infer_part(sheaf_delimited_reader *in, sheaf_seen *seen, size_t *part,
                                        bool *complete, sheaf_error *err);
/* Size of the first part, for the context's memory limit. */
size_t sheaf_infer_part_size(const sheaf_context *cx);
/* Makes a field from what was found. */
void sheaf_infer_field(sheaf_field *field, unsigned kinds, bool complete);
/* Whether both make the same field, with the same doubts, if they are all of a column. */
bool sheaf_infers_same(unsigned kinds, unsigned others);
/* KIND_ABSENT and KIND_COMMA, if without such words the column would have another type than text. */
unsigned sheaf_infer_doubts(unsigned kinds);

/* ---- infer.c ---- */

/* Reads all of the input, and returns to its beginning. */
SHEAF_USE sheaf_status sheaf_infer_whole(sheaf_delimited_reader *in, sheaf_seen *seen, sheaf_error *err);

/* ---- header.c ---- */

/* What is known while a table is being opened. */
typedef struct sheaf_delimited_opening {
	sheaf_delimited_reader *in;
	const sheaf_values *values;
	const sheaf_opening *how;
	sheaf_error *err;
	sheaf_dialect_guess guess;
	int64_t begin, line;  /* the first byte, after a byte order mark; its line */
	sheaf_records first;  /* the first record */
	sheaf_records sample; /* some of those after it */
	sheaf_schema names;   /* the first record's names of the columns, made distinct */
	sheaf_seen seen;
	bool complete; /* all of the input was read */
} sheaf_delimited_opening;

/* The header's word for a column; an empty one if there is none. */
static inline sheaf_word sheaf_header_word(const sheaf_delimited_opening *o, int column)
{
	if (column < o->in->unnamed_first) return (sheaf_word){o->first.begin, o->first.begin, false};
	return sheaf_word_of(&o->first, &o->in->dialect, 0, (uint32_t)(column - o->in->unnamed_first));
}
/* Reads the first record, and with it the number of columns. `sample`: whole records from the first on. */
SHEAF_USE sheaf_status sheaf_header_read(sheaf_delimited_opening *o, sheaf_bytes sample);
/* Whether the first record has names, judging by it and the records below; doubts are reported. */
SHEAF_USE sheaf_status sheaf_header_decide(sheaf_delimited_opening *o);
/* The names of the first record; if `warn`, reports repeated ones. */
SHEAF_USE sheaf_status sheaf_header_names(sheaf_delimited_opening *o, bool warn);
/* Whether the first record has a name in each column that was declared as something other than text. */
bool sheaf_header_contradicts(const sheaf_delimited_opening *o);
/* Reports something about the first line. */
SHEAF_USE sheaf_status sheaf_header_report(const sheaf_delimited_opening *o, sheaf_severity severity,
                                           const char *rule, const char *expected, const char *found,
                                           const char *consequence);

/* ---- evidence.c ---- */

/* What speaks for a line of names, or against it. */
typedef enum sheaf_header_evidence {
	HEADER_USUAL,
	HEADER_WIDTH, /* a name is missing, as R writes tables with row names */
	HEADER_KINDS,
	HEADER_NAMES, /* words of which names are made */
	HEADER_TEXTS,
	HEADER_SHAPES,
	HEADER_COUNTS,
	HEADER_QUOTES,
	HEADER_DISTINCT,
	HEADER_EVIDENCE
} sheaf_header_evidence;

/* Logarithms of the odds for names by each kind of evidence; returns their sum. */
double sheaf_header_weigh(const sheaf_delimited_opening *o, double odds[HEADER_EVIDENCE]);

/* ---- cut.c ---- */

/* Skips a byte order mark, and the header. */
SHEAF_USE sheaf_status sheaf_delimited_begin(sheaf_delimited_reader *in, sheaf_error *err);
/* Shows the first record without moving. */
SHEAF_USE sheaf_status sheaf_delimited_first(sheaf_delimited_reader *in, sheaf_bytes *record,
                                             sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_pass_mark(sheaf_delimited_reader *in, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_recall(const void *in, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_resume(sheaf_delimited_reader *in, const sheaf_piece *piece,
                                              sheaf_error *err);

/* ---- decode.c and report.c ---- */

typedef struct sheaf_delimited_decoding {
	const sheaf_delimited_reader *in;
	sheaf_context *cx;
	sheaf_error *err;
	const sheaf_piece *piece;
	sheaf_records records;
	sheaf_frame_builder to;
	bool found; /* some item is worth a finding */
	bool other; /* a column has other items than the first part, by which the types were inferred */
} sheaf_delimited_decoding;

SHEAF_USE sheaf_status sheaf_delimited_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                              sheaf_context *cx, sheaf_error *err);
/* Reports all findings of a piece in the order of the input, and removes the records that are left out. */
SHEAF_USE sheaf_status sheaf_delimited_report(sheaf_delimited_decoding *d);
/* Whether an item may be an empty text. */
static inline bool sheaf_delimited_may_be_empty(sheaf_meaning meaning)
{
	return sheaf_means_text(meaning) || meaning == SHEAF_BYTES || meaning == SHEAF_CHAR;
}

/* The word's code if it means a missing value and the field is nullable, or SHEAF_NO_CODE. */
static inline int sheaf_delimited_null(const sheaf_field *field, const sheaf_word *word,
                                       const sheaf_dialect *dialect)
{
	if (field->nlevels == 0 || field->levels[0].missing != SHEAF_NULLABLE) return SHEAF_NO_CODE;
	int code = sheaf_word_null(word, dialect);
	if (code != SHEAF_NO_CODE || sheaf_delimited_may_be_empty(field->meaning)) return code;
	sheaf_word bare = sheaf_word_trim(*word);
	return bare.at == bare.end ? 0 : SHEAF_NO_CODE;
}

/* ---- the writer ---- */

SHEAF_USE sheaf_status sheaf_delimited_accept(sheaf_schema *schema, const sheaf_values *values,
                                              sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_create(void *writer, const sheaf_delimited_kind *kind,
                                              const sheaf_values *values, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_encode(const void *out, const sheaf_frame *frame, int64_t row,
                                              sheaf_builder *b, int64_t *samples, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_delimited_finish(void *out, sheaf_error *err);
void sheaf_delimited_close_output(void *out);
/* Warns of columns whose values would change by the types that text shows. */
SHEAF_USE sheaf_status sheaf_report_types(const sheaf_output *out,
                                          bool (*is_lost)(const sheaf_output *out, int field),
                                          sheaf_error *err);

typedef enum sheaf_null_style { NULL_WORD, NULL_EMPTY, NULL_CODE } sheaf_null_style;

typedef struct sheaf_delimited_writer {
	SHEAF_BASE(sheaf_output, output);
	const sheaf_delimited_kind *kind;
	sheaf_dialect dialect;
	sheaf_null_style nulls;
	const char *null_word;
	bool code_columns;
	bool header, quoted_names;
	_Atomic(int64_t) *reached; /* of a tensor: the extents of the entries so far; NULL: it is none */
} sheaf_delimited_writer;

/* Writes a column's name as a field, in quotes or only if it needs them. */
void sheaf_delimited_put_name(sheaf_builder *b, const sheaf_dialect *dialect, const uint8_t *name,
                              size_t size, bool quoted);

#endif
