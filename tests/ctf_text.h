/* SPDX-License-Identifier: MIT */
/* For tests of the text format: texts that are read, findings that are looked for, and tables of tests. */
#ifndef SHEAF_TESTS_CTF_TEXT_H
#define SHEAF_TESTS_CTF_TEXT_H

#include "record.h"
#include <sheaf/sheaf.h>

sheaf_status open_text(const char *input, size_t size, const char *options, int64_t piece_bytes, record *r,
                       sheaf_dataset **out);
/* All rows as JSON into `rows` (NULL: not wanted). */
sheaf_status read_text(const char *input, size_t size, const char *options, int64_t piece_bytes, record *r,
                       char *rows, size_t room);
/* Writes a text into the folder, and its path into `path`. */
void put_file(const char *name, const char *text, char path[128]);
/* The first finding of a rule, which must be there. */
const finding *find_rule(const record *r, const char *rule);

enum { MOST_TESTS = 300 };
extern struct CMUnitTest tests[MOST_TESTS];
extern size_t ntests;
void add(const char *name, CMUnitTestFunction function, const void *state);
/* A name for each point, which lives to the end. */
const char *name_of(const char *what, const char *which);

#endif
