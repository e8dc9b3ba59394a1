/* SPDX-License-Identifier: MIT */
/* Arrow's arrays as our columns: what one of Arrow's types is, which field it becomes, and how its buffers
 * become ours. */
#ifndef SHEAF_ARROW_TAKE_H
#define SHEAF_ARROW_TAKE_H

#include "frame/frame_builder.h"
#include <sheaf/exchange.h>

typedef enum sheaf_arrow_class {
	SHEAF_IS_OTHER, /* not supported here */
	SHEAF_IS_NUMBER,
	SHEAF_IS_HALF,
	SHEAF_IS_BITS,
	SHEAF_IS_NULLS, /* only missing items */
	SHEAF_IS_TEXT,
	SHEAF_IS_BYTES,
	SHEAF_IS_FIXED_BYTES,
	SHEAF_IS_TIME,
	SHEAF_IS_DECIMAL,
	SHEAF_IS_LIST,
	SHEAF_IS_LIST_VIEW, /* its lists cover runs of the child in any order */
	SHEAF_IS_FIXED_LIST,
	SHEAF_IS_STRUCT,
	SHEAF_IS_RUNS /* of equal items: children are where each ends, and the items */
} sheaf_arrow_class;

typedef struct sheaf_arrow_type {
	sheaf_arrow_class class;
	sheaf_type number;     /* NUMBER, TIME: what is stored; HALF, DECIMAL: what it becomes (U8: a text) */
	int64_t width;         /* FIXED_BYTES, FIXED_LIST; DECIMAL: bytes */
	bool small;            /* LIST, LIST_VIEW, TEXT, BYTES: offsets of 32 bits */
	bool views;            /* TEXT, BYTES: in the layout of views */
	sheaf_meaning meaning; /* TIME */
	int digits;            /* TIME: of the fractions of a second; DECIMAL: after the point */
} sheaf_arrow_type;

/* What a schema's format means, regardless of its dictionary. */
sheaf_arrow_type sheaf_arrow_type_of(const struct ArrowSchema *schema);
/* Of "d:10,2", what comes after the colon. */
sheaf_arrow_type sheaf_arrow_decimal_type(const char *format);
/* Appends such a decimal as the number or the text that its type becomes; bytes NULL: 0, or no text. False
 * where it has more digits than its type says. */
bool sheaf_arrow_put_decimal(const sheaf_arrow_type *type, const uint8_t *bytes, sheaf_builder *to);
/* The text of a key of the metadata, not NUL-terminated; NULL where it has none. */
const char *sheaf_arrow_metadata(const struct ArrowSchema *schema, const char *key, int32_t *n);

/* What one of Arrow's columns becomes. */
typedef enum sheaf_taking {
	SHEAF_TAKE_DENSE,  /* list of numbers, or of fixed-size lists of them */
	SHEAF_TAKE_VECTOR, /* fixed-size list: one sample in each row */
	SHEAF_TAKE_SPARSE,
	SHEAF_TAKE_COMPLEX,
	SHEAF_TAKE_NESTED, /* lists of other items, or of lists, of any sizes */
	SHEAF_TAKE_ITEM
} sheaf_taking;

/* Whether a field is a struct, whose children become columns of their own, with dotted names. */
bool sheaf_arrow_is_struct(const struct ArrowSchema *field);
/* What the items of a column are: itself, the values of its dictionary, or those of its runs. */
const struct ArrowSchema *sheaf_arrow_values_of(const struct ArrowSchema *column);
/* UNSUPPORTED, with the column's name and type, if it is not supported. */
SHEAF_USE sheaf_status sheaf_arrow_taking(const struct ArrowSchema *column, sheaf_taking *out,
                                          sheaf_error *err);
/* Whether a child of the rows, or of a struct in them, has a type that is not supported. */
bool sheaf_arrow_is_left_out(const struct ArrowSchema *column);
/* What the rows of a file show. */
typedef struct sheaf_arrow_rows {
	const struct ArrowSchema *schema; /* a struct of columns */
	/* Whether entries of a field of lists are missing anywhere. Its schema says only whether they may be,
	 * which most programs say of all fields. NULL: none are. */
	bool (*misses)(const struct ArrowSchema *field);
	const char *name; /* of the file or program that the rows come from */
} sheaf_arrow_rows;

/* Adds the fields of all columns; *out has none yet. Each that is not supported is left out, with a warning,
 * unless none is left. */
SHEAF_USE sheaf_status sheaf_arrow_take_schema(const sheaf_arrow_rows *rows, sheaf_schema *out,
                                               sheaf_error *err);

/* An array that is released with its last buffer. */
typedef struct sheaf_arrow_taken sheaf_arrow_taken;
SHEAF_USE sheaf_status sheaf_arrow_taken_new(struct ArrowArray *array, sheaf_context *cx,
                                             sheaf_arrow_taken **out, sheaf_error *err);
void sheaf_arrow_taken_let_go(sheaf_arrow_taken *taken);
/* Puts the columns of the array into a builder of the schema that they have become. */
SHEAF_USE sheaf_status sheaf_arrow_take(sheaf_arrow_taken *taken, const struct ArrowSchema *rows,
                                        sheaf_frame_builder *b, sheaf_error *err);

#endif
