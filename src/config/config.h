/* SPDX-License-Identifier: MIT */
/* CNTK configuration files from the inside. A file is never made into a tree: names between dollars are
 * replaced in its text, and records are spans of that, searched when a key is asked for, so that networks and
 * other sections need no understanding.
 *
 *   scan.c      spans: comments, strings, brackets, fields, elements
 *   expand.c    the text with its names replaced, and the place of each byte of it
 *   record.c    records: their fields, and those of the records around
 *   value.c     fields as text, numbers and words
 *   section.c   which record is meant
 *   file.c      where the file of a reader is
 *   settings.c  lists of settings
 *   streams.c   the inputs of a reader into settings
 *   shuffle.c   in which order a reader gives what it reads
 *   sizes.c     how much of it training takes at a time
 *   reader.c    the record of a reader into inputs and settings
 */
#ifndef SHEAF_CONFIG_CONFIG_H
#define SHEAF_CONFIG_CONFIG_H

#include "base/buffer.h"
#include <sheaf/config.h>

/* A part of the text. */
typedef struct sheaf_span {
	size_t at, end;
} sheaf_span;

/* Where the bytes of an expanded text from `at` on stood before. */
typedef struct sheaf_cntk_run {
	size_t at, from;
	bool whole; /* all of them came of what stood at `from` */
} sheaf_cntk_run;

/* The text of a file while it is read. */
typedef struct sheaf_cntk {
	const char *file, *text;
	size_t size;
	sheaf_context *cx;
	sheaf_error *err;
	const struct sheaf_cntk *written; /* the text before its names were replaced; NULL: this is it */
	const sheaf_cntk_run *runs;       /* where that was done; the first begins at 0 */
	size_t nruns;
	size_t own; /* the bytes before this are the file's, the lines after it came with the command line */
} sheaf_cntk;

enum { CNTK_PARTS = 16, CNTK_NAMES = 256 }; /* records of one name, and names that are looked into */

/* What stands between the brackets of a record: several records of one name are one. */
typedef struct sheaf_config_record {
	sheaf_span parts[CNTK_PARTS];
	int nparts;
	sheaf_span name;                         /* empty: it is an element of an array, or the whole file */
	int element;                             /* its number in the array */
	const struct sheaf_config_record *outer; /* around it; NULL: this is the whole file */
} sheaf_config_record;

/* One field of a record, the value trimmed; an array or record with its brackets. */
typedef struct sheaf_field_span {
	sheaf_span name, value;
	bool bare; /* a name alone, which is true */
} sheaf_field_span;

/* ---- scan.c ---- */

/* DATA with the place of text[at]. */
SHEAF_USE sheaf_status sheaf_cntk_fail(const sheaf_cntk *c, size_t at, const char *format, ...)
	SHEAF_PRINTF(3, 4);
/* Line and column (from 1) of text[at]. */
void sheaf_cntk_place(const sheaf_cntk *c, size_t at, sheaf_place *place);
/* The next field of *rest, which moves past it; END where there is none. Text that is no field is passed
 * over. */
SHEAF_USE sheaf_status sheaf_cntk_next(const sheaf_cntk *c, sheaf_span *rest, sheaf_field_span *out);
/* The next element of an array's inside; END where there is none. */
SHEAF_USE sheaf_status sheaf_cntk_element(const sheaf_cntk *c, sheaf_span *rest, sheaf_span *out);
/* The insides of the records in [ ] or { } that a value is, one after the other: how many, or 0 where it is
 * something else. */
int sheaf_cntk_records(const sheaf_cntk *c, sheaf_span value, sheaf_span parts[CNTK_PARTS]);
/* Whether a value is an array in ( ); *inside is what stands between its brackets. */
bool sheaf_cntk_is_array(const sheaf_cntk *c, sheaf_span value, sheaf_span *inside);
bool sheaf_cntk_is_name(const sheaf_cntk *c, sheaf_span name, const char *word);
bool sheaf_cntk_is_same(const sheaf_cntk *c, sheaf_span a, sheaf_span b);
/* After the comment that begins at `at`; `at` where none does. */
size_t sheaf_cntk_past_comment(const sheaf_cntk *c, size_t at, size_t end);
/* A value without its quotes, in which a backslash is a character like any other. */
SHEAF_USE sheaf_status sheaf_cntk_unquote(const sheaf_cntk *c, sheaf_span *value);
/* The length of the name in the $NAME$ that begins at `at`; 0 where none does. */
size_t sheaf_cntk_named(const sheaf_cntk *c, size_t at, size_t end);

/* ---- expand.c ---- */

/* What sheaf_cntk_expand allocates. */
typedef struct sheaf_cntk_memory {
	sheaf_builder text, runs;
} sheaf_cntk_memory;

/* The text of *written with the names in values replaced: each $NAME$ by the value of the field NAME at the
 * top. A name that nothing sets stays as it is. *out refers to *written; drop *memory after it. */
SHEAF_USE sheaf_status sheaf_cntk_expand(const sheaf_cntk *written, sheaf_cntk_memory *memory,
                                         sheaf_cntk *out);
void sheaf_cntk_drop(sheaf_cntk_memory *memory);

/* ---- record.c ---- */

/* The fields of a record, one after the other. */
typedef struct sheaf_field_walk {
	const sheaf_config_record *record;
	int part;
	sheaf_span rest;
} sheaf_field_walk;

sheaf_config_record sheaf_cntk_whole(const sheaf_cntk *c);
sheaf_field_walk sheaf_cntk_walk(const sheaf_config_record *record);
SHEAF_USE sheaf_status sheaf_cntk_step(const sheaf_cntk *c, sheaf_field_walk *walk, sheaf_field_span *out);
/* The last field of that name, whatever its case, in the record itself; END where there is none. */
SHEAF_USE sheaf_status sheaf_cntk_find(const sheaf_cntk *c, const sheaf_config_record *record,
                                       const char *name, sheaf_field_span *out);
/* The same in the record or, where `outward`, the nearest around it that has one. END, too, where its value
 * is `default`, which is as if nothing were said. */
SHEAF_USE sheaf_status sheaf_cntk_said(const sheaf_cntk *c, const sheaf_config_record *record, bool outward,
                                       const char *name, sheaf_field_span *out);
/* All that the fields of a name in a record make, in *out, whose outer is set; END where there is none, or
 * something else than a record. */
SHEAF_USE sheaf_status sheaf_cntk_inner(const sheaf_cntk *c, const sheaf_config_record *outer,
                                        sheaf_span name, sheaf_config_record *out);
SHEAF_USE sheaf_status sheaf_cntk_inner_named(const sheaf_cntk *c, const sheaf_config_record *outer,
                                              const char *name, sheaf_config_record *out);
/* Whether the field of that name is the first one of it in the record. */
SHEAF_USE sheaf_status sheaf_cntk_is_first(const sheaf_cntk *c, const sheaf_config_record *record,
                                           sheaf_span name, bool *yes);
/* The path of a record, as a section is named: "train.reader". */
enum { CNTK_PATH = 200 };
const char *sheaf_cntk_path(const sheaf_cntk *c, const sheaf_config_record *record, char path[CNTK_PATH]);

/* ---- value.c ---- */

/* The text of a field without its quotes; free it with sheaf_release_text. DATA where a name in it is set
 * nowhere. */
SHEAF_USE sheaf_status sheaf_cntk_text(const sheaf_cntk *c, sheaf_field_span field, char **out);
SHEAF_USE sheaf_status sheaf_cntk_check_names(const sheaf_cntk *c, sheaf_field_span field);
SHEAF_USE sheaf_status sheaf_cntk_count(const sheaf_cntk *c, sheaf_field_span field, int64_t *out);
SHEAF_USE sheaf_status sheaf_cntk_bool(const sheaf_cntk *c, sheaf_field_span field, bool *out);
/* One of the words in "a|b|c", whatever its case: its number. */
SHEAF_USE sheaf_status sheaf_cntk_choice(const sheaf_cntk *c, sheaf_field_span field, const char *words,
                                         int *out);
/* The number of the word in "a|b|c" that a field is, or -1. */
SHEAF_USE sheaf_status sheaf_cntk_word(const sheaf_cntk *c, sheaf_field_span field, const char *words,
                                       int *out);
/* DATA: what a field says is not what it should. */
SHEAF_USE sheaf_status sheaf_cntk_refuse(const sheaf_cntk *c, sheaf_field_span field, const char *expected,
                                         const char *found);

/* ---- section.c ---- */

/* The record of a reader: the one that `section` names, or the one that is meant where it is NULL. Uses
 * records[room] for it and those around it; *out points to the innermost. */
enum { CNTK_DEPTH = 16 };
SHEAF_USE sheaf_status sheaf_cntk_section(const sheaf_cntk *c, const char *section,
                                          sheaf_config_record records[CNTK_DEPTH],
                                          const sheaf_config_record **out);
/* What CNTK does with a section: the first of these words that its `action` is. */
typedef enum sheaf_cntk_action { CNTK_OTHER, CNTK_TRAINS, CNTK_EVALUATES, CNTK_WRITES } sheaf_cntk_action;
SHEAF_USE sheaf_status sheaf_cntk_action_of(const sheaf_cntk *c, const sheaf_config_record *section,
                                            bool outward, sheaf_cntk_action *out);

/* ---- file.c ---- */

/* Where the file named in a configuration is: as written, else with '/' for each '\', else by its last name
 * beside the configuration; as written where it is nowhere. Takes over `path` and gives another text of the
 * same context. */
SHEAF_USE sheaf_status sheaf_cntk_locate(const sheaf_cntk *c, char *path, char **out);

/* ---- settings.c ---- */

/* A list of settings that grows. */
typedef struct sheaf_setting_list {
	sheaf_setting **list;
	int *count;
} sheaf_setting_list;

/* Takes over `value`; NULL for a flag. */
SHEAF_USE sheaf_status sheaf_cntk_add(const sheaf_cntk *c, sheaf_setting_list s, const char *name,
                                      char *value);
SHEAF_USE sheaf_status sheaf_cntk_add_text(const sheaf_cntk *c, sheaf_setting_list s, const char *name,
                                           const char *value, size_t n);
/* The i-th of "a|b|c". */
SHEAF_USE sheaf_status sheaf_cntk_add_word(const sheaf_cntk *c, sheaf_setting_list s, const char *name,
                                           const char *words, int i);
SHEAF_USE sheaf_status sheaf_cntk_add_count(const sheaf_cntk *c, sheaf_setting_list s, const char *name,
                                            int64_t count);
/* A warning: what a field says counts for nothing, or for less than it says. */
SHEAF_USE sheaf_status sheaf_cntk_warn(const sheaf_cntk *c, sheaf_span what, const char *rule,
                                       const char *expected, const char *note);

/* ---- streams.c ---- */

/* The streams of a reader's `input`; `declares`: each must have its dim and storage. */
SHEAF_USE sheaf_status sheaf_cntk_streams(const sheaf_cntk *c, const sheaf_config_record *reader,
                                          bool declares, sheaf_setting_list to);

/* ---- shuffle.c and sizes.c ---- */

/* What CNTK has for a reader: a reader of one file with `readerType`, or one that joins deserializers. */
typedef struct sheaf_cntk_reading {
	const sheaf_config_record *reader;
	bool composite;
	bool text; /* one of its files at least is read by a text reader */
} sheaf_cntk_reading;

SHEAF_USE sheaf_status sheaf_cntk_shuffle(const sheaf_cntk *c, sheaf_cntk_reading reading,
                                          sheaf_setting_list to);
SHEAF_USE sheaf_status sheaf_cntk_sizes(const sheaf_cntk *c, const sheaf_config_record *reader,
                                        sheaf_setting_list to);

/* ---- reader.c ---- */

SHEAF_USE sheaf_status sheaf_cntk_reader(const sheaf_cntk *c, const sheaf_config_record *reader,
                                         sheaf_config *out);

#endif
