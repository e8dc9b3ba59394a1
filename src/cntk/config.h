/* SPDX-License-Identifier: MIT */
/* The inside of CNTK configuration files. A file is never parsed into a tree: names between dollars are
 * replaced in its text, and records are spans of that text, which are searched when a key is needed. So
 * networks and other sections need not be understood.
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
 *   reader.c    the record of a reader into inputs and settings */
#ifndef SHEAF_CNTK_CONFIG_H
#define SHEAF_CNTK_CONFIG_H

#include "base/buffer.h"
#include <sheaf/config.h>

/* A part of the text. */
typedef struct sheaf_cntk_span {
	size_t at, end;
} sheaf_cntk_span;

/* Where the bytes of an expanded text, from `at` on, were before. */
typedef struct sheaf_cntk_run {
	size_t at, from;
	bool whole; /* all of them come from what was at `from` */
} sheaf_cntk_run;

/* The text of a file that is being read. */
typedef struct sheaf_cntk {
	const char *file, *text;
	size_t size;
	sheaf_context *cx;
	sheaf_error *err;
	const struct sheaf_cntk *written; /* the text before its names were replaced; NULL: this is it */
	const sheaf_cntk_run *runs;       /* where names were replaced; the first begins at 0 */
	size_t nruns;
	size_t own; /* the bytes before this come from the file, the lines after it from the command line */
} sheaf_cntk;

enum { CNTK_PARTS = 16, CNTK_NAMES = 256 }; /* records of one name, and names that refer to others */

/* The text between the brackets of a record: several records of one name act as one. */
typedef struct sheaf_config_record {
	sheaf_cntk_span parts[CNTK_PARTS];
	int nparts;
	sheaf_cntk_span name;                    /* empty: it is an element of an array, or the whole file */
	int element;                             /* its index in the array */
	const struct sheaf_config_record *outer; /* the record around it; NULL: this is the whole file */
} sheaf_config_record;

/* One field of a record, the value trimmed; an array or record with its brackets. */
typedef struct sheaf_field_span {
	sheaf_cntk_span name, value;
	bool bare; /* a name alone, which means true */
} sheaf_field_span;

/* ---- scan.c ---- */

/* DATA with the place of text[at]. */
SHEAF_USE sheaf_status sheaf_cntk_fail(const sheaf_cntk *c, size_t at, const char *format, ...)
	SHEAF_PRINTF(3, 4);
/* Line and column (from 1) of text[at]. */
void sheaf_cntk_place(const sheaf_cntk *c, size_t at, sheaf_place *place);
/* The next field of *rest, which moves past it; END if there is none. Text that is not a field is skipped. */
SHEAF_USE sheaf_status sheaf_cntk_next(const sheaf_cntk *c, sheaf_cntk_span *rest, sheaf_field_span *out);
/* The next element of an array's contents; END if there is none. */
SHEAF_USE sheaf_status sheaf_cntk_element(const sheaf_cntk *c, sheaf_cntk_span *rest, sheaf_cntk_span *out);
/* The contents of the consecutive records in [ ] or { } of which a value consists: their number, or 0 if it
 * is something else. */
int sheaf_cntk_records(const sheaf_cntk *c, sheaf_cntk_span value, sheaf_cntk_span parts[CNTK_PARTS]);
/* Whether a value is an array in ( ); *inside is the text between its brackets. */
bool sheaf_cntk_is_array(const sheaf_cntk *c, sheaf_cntk_span value, sheaf_cntk_span *inside);
bool sheaf_cntk_is_name(const sheaf_cntk *c, sheaf_cntk_span name, const char *word);
bool sheaf_cntk_is_same(const sheaf_cntk *c, sheaf_cntk_span a, sheaf_cntk_span b);
/* The position after the comment that begins at `at`; `at` if none does. */
size_t sheaf_cntk_past_comment(const sheaf_cntk *c, size_t at, size_t end);
/* A value without its quotes, within which a backslash is an ordinary character. */
SHEAF_USE sheaf_status sheaf_cntk_unquote(const sheaf_cntk *c, sheaf_cntk_span *value);
/* The length of the name in the $NAME$ that begins at `at`; 0 if none does. */
size_t sheaf_cntk_named(const sheaf_cntk *c, size_t at, size_t end);

/* ---- expand.c ---- */

/* What sheaf_cntk_expand allocates. */
typedef struct sheaf_cntk_memory {
	sheaf_builder text, runs;
} sheaf_cntk_memory;

/* The text of *written with the names in values replaced: each $NAME$ by the value of the field NAME at the
 * top level. A name that is not set stays as it is. *out refers to *written; release *memory after it,
 * also after a failure. */
SHEAF_USE sheaf_status sheaf_cntk_expand(const sheaf_cntk *written, sheaf_cntk_memory *memory,
                                         sheaf_cntk *out);
void sheaf_cntk_drop(sheaf_cntk_memory *memory);

/* ---- record.c ---- */

/* The fields of a record, one after the other. */
typedef struct sheaf_field_walk {
	const sheaf_config_record *record;
	int part;
	sheaf_cntk_span rest;
} sheaf_field_walk;

sheaf_config_record sheaf_cntk_whole(const sheaf_cntk *c);
sheaf_field_walk sheaf_cntk_walk(const sheaf_config_record *record);
SHEAF_USE sheaf_status sheaf_cntk_step(const sheaf_cntk *c, sheaf_field_walk *walk, sheaf_field_span *out);
/* The last field of that name, ignoring case, in the record itself; END if there is none. */
SHEAF_USE sheaf_status sheaf_cntk_find(const sheaf_cntk *c, const sheaf_config_record *record,
                                       const char *name, sheaf_field_span *out);
/* The same in the record or, if `outward`, in the nearest enclosing one that has the field. Also END if its
 * value is `default`, which means that it is not set. */
SHEAF_USE sheaf_status sheaf_cntk_said(const sheaf_cntk *c, const sheaf_config_record *record, bool outward,
                                       const char *name, sheaf_field_span *out);
/* What has ended for lack of a key, or of another field, is no failure. */
static inline sheaf_status sheaf_cntk_may_lack(sheaf_status status)
{
	return status == SHEAF_END ? SHEAF_OK : status;
}
/* Whether the record itself has a field of that name; NULL has none. */
SHEAF_USE sheaf_status sheaf_cntk_has(const sheaf_cntk *c, const sheaf_config_record *record,
                                      const char *name, bool *yes);
/* A truth value that the record or an enclosing one may set; else *yes stays. *field: where it is set. */
SHEAF_USE sheaf_status sheaf_cntk_flag(const sheaf_cntk *c, const sheaf_config_record *record,
                                       const char *name, bool *yes, sheaf_field_span *field);
/* All records with a name in a record, in *out, whose `outer` is set; END if there is none, or something
 * other than a record. */
SHEAF_USE sheaf_status sheaf_cntk_inner(const sheaf_cntk *c, const sheaf_config_record *outer,
                                        sheaf_cntk_span name, sheaf_config_record *out);
SHEAF_USE sheaf_status sheaf_cntk_inner_named(const sheaf_cntk *c, const sheaf_config_record *outer,
                                              const char *name, sheaf_config_record *out);
/* Whether the field of that name is the first one of it in the record. */
SHEAF_USE sheaf_status sheaf_cntk_is_first(const sheaf_cntk *c, const sheaf_config_record *record,
                                           sheaf_cntk_span name, bool *yes);
/* The path of a record, in the way a section is named: "train.reader". */
enum { CNTK_PATH = 200 };
const char *sheaf_cntk_path(const sheaf_cntk *c, const sheaf_config_record *record, char path[CNTK_PATH]);

/* ---- value.c ---- */

/* The text of a field without its quotes; free it with sheaf_release_text. DATA if it contains a name that is
 * not set. */
SHEAF_USE sheaf_status sheaf_cntk_text(const sheaf_cntk *c, sheaf_field_span field, char **out);
SHEAF_USE sheaf_status sheaf_cntk_check_names(const sheaf_cntk *c, sheaf_field_span field);
SHEAF_USE sheaf_status sheaf_cntk_count(const sheaf_cntk *c, sheaf_field_span field, int64_t *out);
SHEAF_USE sheaf_status sheaf_cntk_bool(const sheaf_cntk *c, sheaf_field_span field, bool *out);
/* One of the words in "a|b|c", ignoring case: its number. */
SHEAF_USE sheaf_status sheaf_cntk_choice(const sheaf_cntk *c, sheaf_field_span field, const char *words,
                                         int *out);
/* The number of the word in "a|b|c" that a field has, or -1. */
SHEAF_USE sheaf_status sheaf_cntk_word(const sheaf_cntk *c, sheaf_field_span field, const char *words,
                                       int *out);
/* DATA: a field has a wrong value. */
SHEAF_USE sheaf_status sheaf_cntk_refuse(const sheaf_cntk *c, sheaf_field_span field, const char *expected,
                                         const char *found);

/* ---- section.c ---- */

/* The record of a reader: the one that `section` names, or the one that is meant if it is NULL. Uses
 * records[room] for it and the enclosing ones; *out points to the innermost. */
enum { CNTK_DEPTH = 16 };
SHEAF_USE sheaf_status sheaf_cntk_section(const sheaf_cntk *c, const char *section,
                                          sheaf_config_record records[CNTK_DEPTH],
                                          const sheaf_config_record **out);
/* What CNTK does with a section: the first of these words in its `action`. */
typedef enum sheaf_cntk_action { CNTK_OTHER, CNTK_TRAINS, CNTK_EVALUATES, CNTK_WRITES } sheaf_cntk_action;
SHEAF_USE sheaf_status sheaf_cntk_action_of(const sheaf_cntk *c, const sheaf_config_record *section,
                                            bool outward, sheaf_cntk_action *out);

/* ---- file.c ---- */

/* Where the file named in a configuration is: as written, else with '/' for each '\', else by its last name
 * beside the configuration; as written if it is in none of these places. Takes over `path`, also on failure;
 * *out, which may be the same text, is the caller's. */
SHEAF_USE sheaf_status sheaf_cntk_locate(const sheaf_cntk *c, char *path, char **out);

/* ---- settings.c ---- */

/* A growing list of settings. */
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
/* A warning: the value of a field is ignored, or only part of it is used. */
SHEAF_USE sheaf_status sheaf_cntk_warn(const sheaf_cntk *c, sheaf_cntk_span what, const char *rule,
                                       const char *expected, const char *note);

/* ---- streams.c ---- */

/* The streams of a reader's `input`; `declares`: each must have its dim and storage. */
SHEAF_USE sheaf_status sheaf_cntk_streams(const sheaf_cntk *c, const sheaf_config_record *reader,
                                          bool declares, sheaf_setting_list to);

/* ---- shuffle.c and sizes.c ---- */

/* CNTK's kinds of readers: a reader of one file, given by `readerType`, or one that joins deserializers. */
typedef struct sheaf_cntk_reading {
	const sheaf_config_record *reader;
	bool composite;
	bool text; /* at least one of its files is read by a text reader */
} sheaf_cntk_reading;

SHEAF_USE sheaf_status sheaf_cntk_shuffle(const sheaf_cntk *c, sheaf_cntk_reading reading,
                                          sheaf_setting_list to);
SHEAF_USE sheaf_status sheaf_cntk_sizes(const sheaf_cntk *c, const sheaf_config_record *reader,
                                        sheaf_setting_list to);

/* ---- reader.c ---- */

SHEAF_USE sheaf_status sheaf_cntk_reader(const sheaf_cntk *c, const sheaf_config_record *reader,
                                         sheaf_config *out);

#endif
