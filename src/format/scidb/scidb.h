/* SPDX-License-Identifier: MIT */
/* The inside of SciDB's binary files: declarations that its files share.
 *
 *   types.c        the table of types
 *   text.c         words of texts, and errors in them
 *   entries.c      format strings
 *   array.c        array schemas
 *   array_read.c   their reading
 *   expression.c   numbers in them
 *   format.c       the table entry, options, recognition
 *   layout.c       where entries are in a cell, and their columns
 *   walk.c         cells by their counts
 *   cut.c          pieces of whole cells
 *   decode.c       a piece into columns
 *   column.c       one column of some cells
 *   flaws.c        errors in cells, one by one
 *   convert.c      values from one type into another
 *   dates.c        dates in texts
 *   evidence.c     whether a format string can be right
 *   guess.c        possible format strings
 *   declare.c      schemas and statements as users write them
 *   coordinates.c  where a cell is in its array
 *   write.c        rows into cells
 *   place.c        cells into their order
 *
 * What is read and why is in docs/formats/scidb.md. */
#ifndef SHEAF_FORMAT_SCIDB_SCIDB_H
#define SHEAF_FORMAT_SCIDB_SCIDB_H

#include "base/context.h"
#include "format/format.h"
#include "format/scidb/array.h"
#include "frame/frame_builder.h"
#include <string.h>

/* An entry of the format string in its cell. */
typedef struct sheaf_scidb_item {
	sheaf_scidb_entry entry;
	int number;     /* of the entry, from 0 */
	int column;     /* -1: skipped */
	int base;       /* counted entries before it */
	int64_t offset; /* bytes to its null byte, or else to its payload, from the end of the last of them, or
	                   from the cell's beginning */
	const sheaf_scidb_type *type; /* of the attribute */
	bool nullable;                /* the attribute */
	bool converts;                /* the attribute has another type than the entry */
} sheaf_scidb_item;

/* What follows for cells from the entries of a format string and the attributes that they become. */
typedef struct sheaf_scidb_layout {
	sheaf_context *cx;
	sheaf_scidb_item *items;
	int count;
	int counted; /* entries with a count: the bytes between them are gaps[0] ... gaps[counted] */
	int64_t *gaps;
	int64_t cell_bytes; /* 0: cells differ */
} sheaf_scidb_layout;

/* What is judged in cells, and counted together with what is hardly ever intended. */
enum {
	SCIDB_CELLS,
	SCIDB_NULLS, /* null bytes and bools; odd are null bytes from 0x80 to 0xFE, nulls with bytes under them,
	                and bools above 1 */
	SCIDB_TEXTS, /* that are not null; odd are those without an end or with control characters */
	SCIDB_DATES, /* odd are those before 1800 or after 2200 */
	SCIDB_REALS, /* odd are those beyond 1e30 or below 1e-30 */
	SCIDB_JUDGED
};

/* The evidence for or against a format string; sums over frames. */
typedef struct sheaf_scidb_evidence {
	int64_t all[SCIDB_JUDGED], odd[SCIDB_JUDGED];
	int64_t first_odd; /* number of the first odd cell in the frame, -1: none */
	int64_t first_byte;
	int64_t first_item;
} sheaf_scidb_evidence;

typedef struct sheaf_scidb_reader {
	SHEAF_BASE(sheaf_reader, reader); /* attribute i is field and column `coordinates` + i */
	sheaf_scidb_types types;
	sheaf_scidb_entries entries;
	sheaf_scidb_array array;
	sheaf_scidb_layout layout;
	int coordinates; /* columns before them: a cell's place in its array */
	bool views;      /* cells of fixed size in a plain file: pieces are views */
	/* the position of cut */
	int64_t cell;
	bool ended;
	sheaf_scidb_evidence evidence;
} sheaf_scidb_reader;

/* What cut passes to decode about a piece, in its notes. */
typedef struct sheaf_scidb_part {
	int64_t first, count; /* complete cells at the beginning of the piece */
	int64_t left; /* bytes of an incomplete cell after them, in the input; the piece may have fewer of them.
	                 -1: none */
} sheaf_scidb_part;

/* ---- layout.c ---- */

/* For entries that hold the attributes of the array, in their order. Sets the types of attributes: USAGE if
 * no value of an entry's type can become one, or UNSUPPORTED if `writes` and none of one can become the
 * entry's. */
SHEAF_USE sheaf_status sheaf_scidb_layout_make(sheaf_scidb_layout *layout, const sheaf_scidb_entries *entries,
                                               const sheaf_scidb_array *array, bool writes,
                                               sheaf_error *err);
void sheaf_scidb_layout_free(sheaf_scidb_layout *layout);
/* Shapes a field as an attribute of a type. `width`: size of each item, if that is fixed though the type's is
 * not; 0: it is not. */
void sheaf_scidb_make_field(sheaf_field *field, const sheaf_scidb_type *type, int64_t width, bool nullable);
/* The type of attributes that hold a field; NULL: none does. */
const sheaf_scidb_type *sheaf_scidb_type_for(const sheaf_field *field);
/* The entries and attributes in the options, each derived from the other if only one is given. The context is
 * that of `types`. */
SHEAF_USE sheaf_status sheaf_scidb_read_options(const sheaf_values *values, sheaf_scidb_types *types,
                                                sheaf_scidb_entries *entries, sheaf_scidb_array *array,
                                                sheaf_error *err);

/* ---- guess.c ---- */

SHEAF_USE sheaf_status sheaf_scidb_guess(sheaf_source *source, sheaf_context *cx,
                                         sheaf_candidate_teller teller, void *user, sheaf_error *err);

/* ---- walk.c ---- */

/* The end of the cell that begins at `at`; NULL if it goes on after `end`, with *needed as its least size. */
const uint8_t *sheaf_scidb_pass_cell(const sheaf_scidb_layout *layout, const uint8_t *at, const uint8_t *end,
                                     uint64_t *needed);
/* ---- cut.c ---- */

SHEAF_USE sheaf_status sheaf_scidb_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err);
sheaf_scidb_part sheaf_scidb_part_of(const sheaf_piece *piece);
SHEAF_USE sheaf_status sheaf_scidb_recall(const void *in, sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_scidb_resume(sheaf_scidb_reader *in, const sheaf_piece *piece, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_scidb_measure(const void *in, const sheaf_piece *piece, sheaf_context *cx,
                                           sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err);

/* ---- column.c ---- */

/* A column that is being filled. */
typedef struct sheaf_scidb_filling {
	sheaf_builder *values;
	sheaf_level_builder *level; /* the first; NULL: there is none */
	bool nulls, reasons;        /* some row is missing; some for a reason other than 0 */
	bool odd;                   /* some row since the last reset breaks a rule */
} sheaf_scidb_filling;

/* Some cells of a piece. Cell number c begins at bases[c] or, without bases, at data + c * cell_bytes. */
typedef struct sheaf_scidb_block {
	const sheaf_scidb_layout *layout;
	const uint8_t *data, *end; /* end: of the piece */
	const int64_t *bases;
	int64_t stride; /* from one row of bases to the next */
	int64_t count;
	int64_t first;    /* number of the first cell in the input */
	int64_t byte;     /* of the input at which data begins */
	int64_t reported; /* cells whose flaws were counted, up to the one that ended reading */
} sheaf_scidb_block;

enum { SCIDB_BLOCK = 512 };

/* ---- walk.c, for blocks ---- */

/* Walks through the cells of the block from byte *at of its data on, as far as they are there before `to`,
 * and returns their number. bases[k * stride + c] becomes the byte at which cell number c begins (k 0), or
 * its k-th counted entry ends. */
int64_t sheaf_scidb_pass_cells(const sheaf_scidb_block *block, int64_t to, int64_t *bases, int64_t *at);

/* The item in cell c: its null byte, or else its payload. */
static inline const uint8_t *sheaf_scidb_item_at(const sheaf_scidb_block *block, const sheaf_scidb_item *item,
                                                 int64_t c)
{
	int64_t base =
		block->bases ? block->bases[item->base * block->stride + c] : c * block->layout->cell_bytes;
	return block->data + base + item->offset;
}

/* The bytes of a payload, after its count if it has one. */
static inline sheaf_bytes sheaf_scidb_payload(const sheaf_scidb_block *block, const sheaf_scidb_item *item,
                                              int64_t c)
{
	const uint8_t *at = sheaf_scidb_item_at(block, item, c) + (item->entry.nullable ? 1 : 0);
	if (item->entry.size) return (sheaf_bytes){at, (size_t)item->entry.size};
	const uint8_t *end = block->data + block->bases[(item->base + 1) * block->stride + c];
	return (sheaf_bytes){at + SCIDB_COUNT, (size_t)(end - at - SCIDB_COUNT)};
}

static inline bool sheaf_scidb_is_null(const sheaf_scidb_item *item, const uint8_t *at)
{
	return item->entry.nullable && *at < 0x80;
}

/* Appends the item of each cell of the block. The rows before them are a multiple of eight. */
void sheaf_scidb_fill(sheaf_scidb_filling *f, const sheaf_scidb_item *item, const sheaf_scidb_block *block);

/* The text in a payload, without its terminator; `clean` is false if there is none, or if something follows
 * it. */
typedef struct sheaf_scidb_string {
	sheaf_bytes text;
	bool ended, clean;
} sheaf_scidb_string;
static inline sheaf_scidb_string sheaf_scidb_string_of(const sheaf_scidb_item *item, sheaf_bytes payload)
{
	bool fixed = item->entry.size > 0;
	if (!fixed) {
		bool ended = payload.size > 0 && payload.data[payload.size - 1] == '\0';
		return (sheaf_scidb_string){{payload.data, payload.size - ended}, ended, true};
	}
	const uint8_t *nul = (const uint8_t *)memchr(payload.data, '\0', payload.size);
	if (!nul) return (sheaf_scidb_string){payload, false, true};
	bool clean = true;
	for (const uint8_t *at = nul; at < payload.data + payload.size; at++) clean &= *at == '\0';
	return (sheaf_scidb_string){{payload.data, (size_t)(nul - payload.data)}, true, clean};
}
/* Whether there are bytes under a null byte that means a missing value. */
bool sheaf_scidb_hides(const sheaf_scidb_item *item, sheaf_bytes payload);

/* ---- coordinates.c ---- */

/* Cells that fit into the dimensions of an array; -1: any number. */
int64_t sheaf_scidb_capacity(const sheaf_scidb_array *array);
/* USAGE if the place of a cell in the array does not follow from its number. */
SHEAF_USE sheaf_status sheaf_scidb_check_dimensions(const sheaf_scidb_array *array, sheaf_error *err);
/* The coordinates of a cell by its number, from 0 to the capacity: cells come chunk by chunk; those of a
 * chunk, and the chunks themselves, with the last coordinate varying fastest. */
void sheaf_scidb_coordinates(const sheaf_scidb_array *array, int64_t cell, int64_t *coordinates);
/* The reverse; false if there is no such cell. */
bool sheaf_scidb_cell_at(const sheaf_scidb_array *array, const int64_t *coordinates, int64_t *cell);
/* Fills the columns of coordinates, if there are any. */
void sheaf_scidb_fill_coordinates(const sheaf_scidb_reader *in, int64_t first, int64_t count,
                                  sheaf_frame_builder *to);

/* ---- decode.c ---- */

SHEAF_USE sheaf_status sheaf_scidb_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                          sheaf_context *cx, sheaf_error *err);

/* ---- flaws.c ---- */

/* Where something was found. */
typedef struct sheaf_scidb_spot {
	const sheaf_scidb_reader *in;
	const sheaf_scidb_item *item;
	int64_t cell, byte;
	sheaf_context *cx;
} sheaf_scidb_spot;

SHEAF_USE sheaf_status sheaf_scidb_report(const sheaf_scidb_spot *spot, sheaf_finding finding,
                                          sheaf_error *err);
/* Reports everything in these cells that breaks a rule, in their order; the numbers of cells in the input
 * that lack a value go to `gone`. */
SHEAF_USE sheaf_status sheaf_scidb_report_flaws(const sheaf_scidb_reader *in, sheaf_scidb_block *block,
                                                sheaf_builder *gone, sheaf_context *cx, sheaf_error *err);

/* ---- convert.c ---- */

enum { SCIDB_NUMBER_TEXT = 64 };

/* A value between two types: all zeros if there is none. */
typedef struct sheaf_scidb_value {
	bool real;
	int64_t i; /* of an integer of up to 64 bits, also extended to a larger one; of a date its seconds */
	int64_t offset;
	double d;
	const char *text; /* into the input, or into `own` */
	size_t size;
	char own[SCIDB_NUMBER_TEXT];
	const char *flaw; /* what the value should have been to stay unchanged; NULL: it is unchanged */
	bool failed;      /* there is no value */
} sheaf_scidb_value;

/* Whether the server has a conversion. */
bool sheaf_scidb_converts(const sheaf_scidb_type *from, const sheaf_scidb_type *to);
/* The value of a payload in another type; *out is zeros before. The text of a string is given without its
 * terminator. */
void sheaf_scidb_convert(const sheaf_scidb_type *from, sheaf_bytes payload, const sheaf_scidb_type *to,
                         sheaf_scidb_value *out);
/* The same for an item that is read. */
void sheaf_scidb_convert_item(const sheaf_scidb_item *item, sheaf_bytes payload, sheaf_scidb_value *out);
/* Stores a number in this machine's order, as an item of a column, or as in a file. */
void sheaf_scidb_store(const sheaf_scidb_type *type, const sheaf_scidb_value *value, bool little,
                       uint8_t *to);

/* ---- dates.c ---- */

/* Seconds since 1970 of a date as the server reads it, and of its zone if `zone`; *failed if it is no date.
 * Returns what the text should have been so that all of it counted, or NULL. */
const char *sheaf_scidb_read_date(const char *text, size_t size, bool zone, int64_t *seconds, int64_t *offset,
                                  bool *failed);

/* ---- evidence.c ---- */

/* Judges the cells of a block. */
void sheaf_scidb_judge(const sheaf_scidb_block *block, sheaf_scidb_evidence *evidence);
/* Reports where a format string is probably wrong. */
SHEAF_USE sheaf_status sheaf_scidb_carry(void *in, const struct sheaf_carried *counts, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_scidb_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *err);

/* ---- declare.c ---- */

/* Labels of a schema: how the file is written, which is not part of its contents. */
#define SCIDB_LABEL_ENTRIES "format string"
#define SCIDB_LABEL_ARRAY "array schema"
#define SCIDB_LABEL_NAME "array name"

SHEAF_USE sheaf_status sheaf_scidb_label(sheaf_schema *schema, const sheaf_scidb_entries *entries,
                                         const sheaf_scidb_array *array, sheaf_context *cx,
                                         sheaf_error *err);
SHEAF_USE sheaf_status sheaf_scidb_declare(const sheaf_schema *schema, const char *file, bool own,
                                           sheaf_context *cx, sheaf_buffer *text, sheaf_error *err);
/* The attributes that hold the fields of a schema; UNSUPPORTED if there are none. */
SHEAF_USE sheaf_status sheaf_scidb_array_from_schema(sheaf_scidb_array *array, sheaf_scidb_entries *entries,
                                                     const sheaf_schema *schema, sheaf_context *cx,
                                                     sheaf_error *err);

/* ---- write.c ---- */

extern const sheaf_writing sheaf_scidb_writing;

#endif
