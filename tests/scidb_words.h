/* SPDX-License-Identifier: MIT */
/* For tests of SciDB's format strings and array schemas: what these are read into. */
#ifndef SHEAF_TESTS_SCIDB_WORDS_H
#define SHEAF_TESTS_SCIDB_WORDS_H

#include "format/scidb/array.h"
#include "format/scidb/scidb.h"
#include "support.h"

typedef struct words {
	sheaf_context *cx;
	sheaf_scidb_types types;
	sheaf_scidb_entries entries;
	sheaf_scidb_array array;
} words;

void begin_words(words *w);
void end_words(words *w);

#endif
