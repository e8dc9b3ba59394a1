/* SPDX-License-Identifier: MIT */
/* NumPy's arrays as they lie in files: a header, which is a Python literal, and items one after the other.
 * What the formats that hold such arrays share.
 *
 *   literal.c  Python literals
 *   dtype.c    types of items, structured ones too
 *   header.c   the header, read and written
 *   schema.c   what rows an array is made of
 *   rows.c     items into columns
 *   items.c    columns into items */
#ifndef SHEAF_FORMAT_NUMPY_ARRAY_H
#define SHEAF_FORMAT_NUMPY_ARRAY_H

#include "base/buffer.h"
#include "format/format.h"
#include "frame/frame_builder.h"

/* ---- literal.c ---- */

/* A place in a literal. The first flaw sticks. */
typedef struct sheaf_literal {
	const char *begin, *at, *end;
	const char *expected; /* NULL: all is well */
} sheaf_literal;

/* Notes that something else was expected here. */
void sheaf_literal_refuse(sheaf_literal *l, const char *expected);
/* Passes blanks, and then this byte, if it is there. */
bool sheaf_literal_takes(sheaf_literal *l, char c);
void sheaf_literal_needs(sheaf_literal *l, char c, const char *expected);
/* Whether another element of a container follows, up to and with the byte that closes it. *n counts the
 * elements, from 0; a comma is needed before each but the first, and may follow the last. `expected` says
 * what may follow an element. */
bool sheaf_literal_next(sheaf_literal *l, int *n, char close, const char *expected);
/* A string of at most size - 1 bytes, without NULs. */
void sheaf_literal_string(sheaf_literal *l, char *out, size_t size);
bool sheaf_literal_bool(sheaf_literal *l);
int64_t sheaf_literal_integer(sheaf_literal *l);

/* ---- dtype.c ---- */

/* The name of the column of an array without fields. */
#define SHEAF_ITEM "value"

enum { SHEAF_ITEM_NAME = 256, SHEAF_MOST_ITEMS = 10000 };

/* One part of an item: what a column is made of. */
typedef struct sheaf_part {
	char name[SHEAF_ITEM_NAME];
	char kind; /* NumPy's: b i u f c M m S U V */
	bool swapped;
	bool nullable;             /* a byte before it says whether it is there: NumPy's fields null and val */
	bool zoned;                /* datetimes with an offset after them: NumPy's fields time and tz */
	bool absent;               /* of datetimes: some are not times */
	int64_t size, at, null_at; /* bytes; where in the item */
	int64_t scale;             /* M, m: how many of the parts of a second that `digits` says, or months, */
	int digits;                /* are one of its unit */
	bool months, days;         /* ... or days */
	/* As in sheaf_field: of texts, of times that are not times where they are missing, and of the parts of a
	 * subarray, which follow one another. */
	char spelled[16];
} sheaf_part;

typedef struct sheaf_dtype {
	sheaf_part *parts;
	int nparts, room;
	bool structured;
	int64_t size; /* size of an item in bytes */
} sheaf_dtype;

/* Reads the value of "descr". Whatever is not part of the literal's grammar is refused; a type that is not
 * read is UNSUPPORTED. */
SHEAF_USE sheaf_status sheaf_dtype_read(sheaf_literal *l, sheaf_context *cx, sheaf_dtype *out,
                                        const char *file, sheaf_error *err);
/* Appends the type as NumPy spells it: "<f8", or the list of its fields. */
void sheaf_dtype_spell(const sheaf_dtype *dtype, sheaf_builder *b);
/* The number of parts, from number `first` on, that form one subarray, and its shape as text; 1 and an empty
 * text if there is none. */
int sheaf_subarray_parts(const sheaf_dtype *dtype, int first, char *shape, size_t size);
void sheaf_dtype_free(sheaf_dtype *dtype, sheaf_context *cx);
/* Appends a part's type as NumPy spells it: "<f8". */
void sheaf_part_spell(const sheaf_part *part, sheaf_builder *b);

/* ---- header.c ---- */

/* Where the bytes of an array are: in a source, or in memory. */
typedef struct sheaf_holding {
	sheaf_source *source;
	sheaf_buffer bytes; /* if source is NULL */
	int64_t at, size;   /* of everything that belongs to the array, including its header */
	const char *name;   /* for messages */
} sheaf_holding;

SHEAF_USE sheaf_status sheaf_holding_view(const sheaf_holding *holding, int64_t at, int64_t size,
                                          sheaf_buffer *out, sheaf_error *err);

typedef struct sheaf_array {
	sheaf_context *cx;
	sheaf_holding holding; /* not owned, except for its bytes */
	sheaf_dtype dtype;
	int rank;
	int64_t shape[SHEAF_MAX_RANK];
	bool fortran;
	int64_t count, data_at; /* number of items; where the first one begins, after holding.at */
} sheaf_array;

/* Whether the bytes begin like such an array. */
bool sheaf_array_begins(sheaf_bytes head);
/* Reads the header and checks it against the bytes that are there; takes over holding.bytes. */
SHEAF_USE sheaf_status sheaf_array_open(sheaf_array *array, const sheaf_holding *holding, sheaf_context *cx,
                                        sheaf_error *err);
void sheaf_array_close(sheaf_array *array);
/* An array to be written. */
typedef struct sheaf_array_head {
	const sheaf_dtype *dtype;
	int rank;
	const int64_t *shape;
	bool fortran;
} sheaf_array_head;

/* Appends its header. */
void sheaf_array_put_header(sheaf_builder *b, const sheaf_array_head *head);

/* ---- schema.c ---- */

/* What the rows of an array are; `rows` as in sheaf_opening. */
SHEAF_USE sheaf_status sheaf_array_schema(sheaf_array *array, unsigned rows, const char *name,
                                          sheaf_schema *out, sheaf_error *err);
/* Sets the order in which a tensor is written, sorted and each position once: that of a dense one, by rows or
 * by columns, stays. */
void sheaf_array_order(sheaf_tensor *tensor);
/* The type of a field's numbers; of pairs of them that have a type in NumPy, that type. */
sheaf_part sheaf_array_part(const sheaf_field *field);
/* The head of the array that such a tensor becomes. */
sheaf_array_head sheaf_array_head_of(const sheaf_tensor *tensor, const sheaf_dtype *dtype);
/* The items of a schema to be written. `string_bytes`: size of texts without a length of their own; 0: none
 * is given. */
SHEAF_USE sheaf_status sheaf_array_dtype(const sheaf_schema *schema, int64_t string_bytes, sheaf_context *cx,
                                         sheaf_dtype *out, sheaf_error *err);

/* ---- rows.c ---- */

/* Rows [first, first + n) from the bytes of their items. */
SHEAF_USE sheaf_status sheaf_array_rows(const sheaf_array *array, const sheaf_buffer *bytes, int64_t first,
                                        int64_t n, sheaf_frame_builder *to, sheaf_error *err);
/* The values alone: items [first, first + n) into a column. */
SHEAF_USE sheaf_status sheaf_array_values(const sheaf_array *array, const sheaf_buffer *bytes, int64_t first,
                                          int64_t n, sheaf_column_builder *to, sheaf_error *err);
/* The field for items of one simple type, numbers or truth values; UNSUPPORTED for others. */
SHEAF_USE sheaf_status sheaf_array_value_field(const sheaf_array *array, sheaf_field *field,
                                               sheaf_error *err);
/* Items in a row: one, as many as a sample has, or all. */
int64_t sheaf_array_items_of_row(const sheaf_array *array, const sheaf_schema *schema);
int64_t sheaf_array_count_rows(const sheaf_array *array, const sheaf_schema *schema);
/* What is known about an array with this number of rows. */
void sheaf_array_facts(const sheaf_schema *schema, int64_t rows, sheaf_facts *out);
/* n numbers of a part that has nothing beside it, as int64; DATA if one does not fit. */
SHEAF_USE sheaf_status sheaf_array_integers(const sheaf_array *array, int64_t first, int64_t n, int64_t *out,
                                            sheaf_error *err);
/* Appends n such numbers as indices of a type, I32 or I64, sharing the file's own bytes if they have that
 * form. A number that is not an index of that type, or of any, becomes negative. */
SHEAF_USE sheaf_status sheaf_array_indices(const sheaf_array *array, int64_t first, int64_t n,
                                           sheaf_type type, sheaf_builder *to, sheaf_error *err);
/* Looks for NaT. */
SHEAF_USE sheaf_status sheaf_array_look_for_absent(sheaf_array *array, sheaf_error *err);

/* ---- items.c ---- */

/* Rows to be written. */
typedef struct sheaf_items_written {
	const sheaf_schema *schema;
	const sheaf_frame *frame;
	int64_t row; /* number of the first one */
	const char *file;
} sheaf_items_written;

/* Appends their items. */
SHEAF_USE sheaf_status sheaf_array_put_items(const sheaf_dtype *dtype, const sheaf_items_written *rows,
                                             sheaf_builder *b, sheaf_context *cx, sheaf_error *err);

#endif
