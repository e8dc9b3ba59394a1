/* SPDX-License-Identifier: MIT */
/* The types that attributes and entries have: the server's own, those of the plugins shipped with it, and
 * those that the user declares. A type of a plugin is known by its size alone: its values are bytes. */
#ifndef SHEAF_FORMAT_SCIDB_TYPES_H
#define SHEAF_FORMAT_SCIDB_TYPES_H

#include "frame/schema/names.h"
#include <sheaf/frame.h>
#include <sheaf/option.h>

typedef enum sheaf_scidb_kind {
	SCIDB_BOOL,
	SCIDB_CHAR,
	SCIDB_INT8,
	SCIDB_INT16,
	SCIDB_INT32,
	SCIDB_INT64,
	SCIDB_UINT8,
	SCIDB_UINT16,
	SCIDB_UINT32,
	SCIDB_UINT64,
	SCIDB_FLOAT,
	SCIDB_DOUBLE,
	SCIDB_DATETIME,
	SCIDB_DATETIMETZ,
	SCIDB_STRING,
	SCIDB_BINARY,
	SCIDB_INDICATOR,
	SCIDB_COMPLEX, /* of a plugin that comes with the server: two doubles */
	SCIDB_USER     /* a type of a plugin: bytes of unknown meaning */
} sheaf_scidb_kind;

typedef struct sheaf_scidb_type {
	sheaf_scidb_kind kind;
	const char *name; /* in lower case, as the server prints it */
	int64_t size;     /* size of a value; 0: a count in the file gives it */
} sheaf_scidb_type;

/* Begins as zeros, but for its context. Types are borrowed from it. */
typedef struct sheaf_scidb_types {
	sheaf_context *cx;
	sheaf_scidb_type **declared; /* each in its own memory, so that its address stays the same */
	int count, room;
} sheaf_scidb_types;

/* Room for one more in a list of `count` items of `size` bytes; `list` is the address of the pointer to it,
 * which has *room of them. */
SHEAF_USE sheaf_status sheaf_scidb_make_room(sheaf_context *cx, void *list, int count, int *room, size_t size,
                                             sheaf_error *err);
/* Takes NAME=BYTES, or NAME_* for types whose size is in their name, from each setting `type`. */
SHEAF_USE sheaf_status sheaf_scidb_types_declare(sheaf_scidb_types *types, const sheaf_values *values,
                                                 sheaf_error *err);
void sheaf_scidb_types_free(sheaf_scidb_types *types);
/* The type of a name, ignoring case; *out is NULL if there is none. */
SHEAF_USE sheaf_status sheaf_scidb_types_find(sheaf_scidb_types *types, sheaf_name name,
                                              const sheaf_scidb_type **out, sheaf_error *err);
/* What was expected instead of an unknown name, including the one that was probably meant. */
enum { SCIDB_EXPECTED = 160 };
const char *sheaf_scidb_types_expected(const sheaf_scidb_types *types, sheaf_name name,
                                       char text[SCIDB_EXPECTED]);
/* The i-th type whose name contains no number, the server's own first; NULL after the last one. */
const sheaf_scidb_type *sheaf_scidb_types_at(const sheaf_scidb_types *types, int i);
/* Of the server's own types. */
const sheaf_scidb_type *sheaf_scidb_type_of(sheaf_scidb_kind kind);

#endif
