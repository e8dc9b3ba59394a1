/* SPDX-License-Identifier: MIT */
/* CNTK configuration files from the inside. A file is never made into a tree: records are spans of its text,
 * searched when a key is asked for, so that networks and other sections need no understanding.
 *
 *   scan.c     spans: comments, strings, brackets, fields, elements     value.c   fields as numbers, words
 * and text section.c  which record is meant                                    file.c    where the file of a
 * reader is reader.c   the record of a reader into settings */
#ifndef SHEAF_CONFIG_CONFIG_H
#define SHEAF_CONFIG_CONFIG_H

#include "base/buffer.h"
#include <sheaf/config.h>

/* The text of a file while it is read. */
typedef struct sheaf_cntk {
	const char *file, *text;
	size_t size;
	sheaf_context *cx;
	sheaf_error *err;
} sheaf_cntk;

/* A part of the text. */
typedef struct sheaf_span {
	size_t at, end;
} sheaf_span;

/* What stands between the brackets of a record, and the record around it (NULL: this is the whole file). */
typedef struct sheaf_config_record {
	sheaf_span inside;
	const struct sheaf_config_record *outer;
} sheaf_config_record;

/* One `name = value` of a record, the value trimmed; an array or record with its brackets. */
typedef struct sheaf_field_span {
	sheaf_span name, value;
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
/* The last field of that name, whatever its case, in the record itself; END where there is none. */
SHEAF_USE sheaf_status sheaf_cntk_find(const sheaf_cntk *c, const sheaf_config_record *record,
                                       const char *name, sheaf_field_span *out);
/* The next element of an array's inside; END where there is none. */
SHEAF_USE sheaf_status sheaf_cntk_element(const sheaf_cntk *c, sheaf_span *rest, sheaf_span *out);
/* Whether a value is a record, or an array in ( ); *inside is what stands between its brackets. */
bool sheaf_cntk_is_record(const sheaf_cntk *c, sheaf_span value, sheaf_span *inside);
bool sheaf_cntk_is_array(const sheaf_cntk *c, sheaf_span value, sheaf_span *inside);
bool sheaf_cntk_is_name(const sheaf_cntk *c, sheaf_span name, const char *word);

/* ---- value.c ---- */

/* The text of a value without its quotes, $NAME$ replaced by the nearest field of that name in the records
 * around; free it with sheaf_release_text. A name that nothing sets stays as it is. */
SHEAF_USE sheaf_status sheaf_cntk_text(const sheaf_cntk *c, const sheaf_config_record *record,
                                       sheaf_span value, char **out);
SHEAF_USE sheaf_status sheaf_cntk_count(const sheaf_cntk *c, const sheaf_config_record *record,
                                        sheaf_field_span field, int64_t *out);
SHEAF_USE sheaf_status sheaf_cntk_bool(const sheaf_cntk *c, const sheaf_config_record *record,
                                       sheaf_field_span field, bool *out);
/* One of the words in "a|b|c", whatever its case: its number. */
SHEAF_USE sheaf_status sheaf_cntk_choice(const sheaf_cntk *c, const sheaf_config_record *record,
                                         sheaf_field_span field, const char *words, int *out);

/* ---- section.c ---- */

/* The record of a reader: the one that `section` names, or the one that is meant where it is NULL. Uses
 * records[room] for it and those around it; *out points to the innermost. */
enum { CNTK_DEPTH = 16 };
SHEAF_USE sheaf_status sheaf_cntk_section(const sheaf_cntk *c, const char *section,
                                          sheaf_config_record records[CNTK_DEPTH],
                                          const sheaf_config_record **out);

/* ---- file.c ---- */

/* Where the file named in a configuration is: as written, else with '/' for each '\', else by its last name
 * beside the configuration; as written where it is nowhere. Takes over `path` and gives another text of the
 * same context. */
SHEAF_USE sheaf_status sheaf_cntk_locate(const sheaf_cntk *c, char *path, char **out);

/* ---- reader.c ---- */

SHEAF_USE sheaf_status sheaf_cntk_reader(const sheaf_cntk *c, const sheaf_config_record *reader,
                                         sheaf_config *out);

#endif
