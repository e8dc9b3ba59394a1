/* SPDX-License-Identifier: MIT */
/* Array schemas: name<attributes>[dimensions], as the server's users write them and as it shows them. */
#ifndef SHEAF_FORMAT_SCIDB_ARRAY_H
#define SHEAF_FORMAT_SCIDB_ARRAY_H

#include "format/scidb/entries.h"

#define SCIDB_MOST_COORDINATE ((INT64_C(1) << 62) - 1)

typedef struct sheaf_scidb_attribute {
	char *name;
	const sheaf_scidb_type *type;
	bool nullable;
	char *usual;       /* the value after DEFAULT, as it was written; NULL: none */
	char *compression; /* with its quotes; NULL: none */
	int64_t reserve;   /* -1: none */
} sheaf_scidb_attribute;

/* '*' or '?' for an unspecified bound, else 0. */
typedef struct sheaf_scidb_dimension {
	char *name;
	int64_t low, high, overlap, chunk;
	char low_mark, high_mark, chunk_mark;
} sheaf_scidb_dimension;

/* Begins as zeros, but for its context. */
typedef struct sheaf_scidb_array {
	sheaf_context *cx;
	char *name; /* NULL: none */
	sheaf_scidb_attribute *attributes;
	int nattributes, attribute_room;
	sheaf_scidb_dimension *dimensions;
	int ndimensions, dimension_room; /* 0: a dataframe */
	bool says_null;                  /* on the server, attributes without NULL are not nullable */
} sheaf_scidb_array;

/* For an empty array, in which says_null is set. */
SHEAF_USE sheaf_status sheaf_scidb_array_read(sheaf_scidb_array *array, const char *text,
                                              sheaf_scidb_types *types, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_scidb_array_add(sheaf_scidb_array *array, sheaf_name name,
                                             const sheaf_scidb_type *type, bool nullable, sheaf_error *err);
/* A dimension from 0 without an end, which the caller can change. */
SHEAF_USE sheaf_status sheaf_scidb_array_add_dimension(sheaf_scidb_array *array, sheaf_name name,
                                                       sheaf_scidb_dimension **out, sheaf_error *err);
void sheaf_scidb_array_free(sheaf_scidb_array *array);

/* Appends "<a:int64,b:string NOT NULL> [i=0:*:0:*]", without the name; a dimension i if it has none and
 * `dimension` is set. */
void sheaf_scidb_array_text(const sheaf_scidb_array *array, bool dimension, sheaf_builder *b);

#endif
