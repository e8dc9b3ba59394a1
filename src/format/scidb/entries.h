/* SPDX-License-Identifier: MIT */
/* Format strings: the contents of a cell, entry by entry. */
#ifndef SHEAF_FORMAT_SCIDB_ENTRIES_H
#define SHEAF_FORMAT_SCIDB_ENTRIES_H

#include "base/buffer.h"
#include "format/scidb/types.h"

enum { SCIDB_COUNT = 4 }; /* size of a count */

typedef struct sheaf_scidb_entry {
	const sheaf_scidb_type *type; /* NULL: skipped */
	int64_t size;                 /* bytes after the null byte; 0: a count, and as many bytes as it says */
	bool nullable;
	int attribute; /* index among those that are not skipped, or -1 */
} sheaf_scidb_entry;

/* Begins as zeros, but for its context. */
typedef struct sheaf_scidb_entries {
	sheaf_context *cx;
	sheaf_scidb_entry *list;
	int count, room;
	int attributes;     /* entries that are not skipped */
	int64_t least;      /* least size of a cell */
	int64_t cell_bytes; /* size of each cell; 0: cells differ */
} sheaf_scidb_entries;

SHEAF_USE sheaf_status sheaf_scidb_entries_read(sheaf_scidb_entries *entries, const char *text,
                                                sheaf_scidb_types *types, sheaf_error *err);
SHEAF_USE sheaf_status sheaf_scidb_entries_add(sheaf_scidb_entries *entries, sheaf_scidb_entry entry,
                                               sheaf_error *err);
void sheaf_scidb_entries_free(sheaf_scidb_entries *entries);
/* Appends the format string. */
void sheaf_scidb_entries_text(const sheaf_scidb_entries *entries, sheaf_builder *b);

#endif
