/* SPDX-License-Identifier: MIT */
/* The formats of this build: their names, what each one can do, its options.
 *
 * Most used: sheaf_format_at, sheaf_format_find, sheaf_format_of_name, sheaf_format_about, sheaf_declare. */
#ifndef SHEAF_FORMAT_H
#define SHEAF_FORMAT_H

#include <sheaf/frame.h>
#include <sheaf/io.h>
#include <sheaf/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A format; constant, and valid as long as the library is loaded. */
typedef struct sheaf_format sheaf_format;

/* The formats of this build, i from 0; NULL past the last one. */
SHEAF_API const sheaf_format *sheaf_format_at(int i);
/* By name, or by a suffix of its files, with or without the dot; NULL where this build has none of that
 * name. */
SHEAF_API const sheaf_format *sheaf_format_find(const char *name);
/* The one that a mistyped name or suffix may mean; NULL if none is near. */
SHEAF_API const sheaf_format *sheaf_format_nearest(const char *name);
/* By a file name's suffix (a compression suffix is ignored); NULL where no format, or more than one, has it.
 */
SHEAF_API const sheaf_format *sheaf_format_of_name(const char *path);

/* What a format can do. */
enum {
	SHEAF_CAN_READ = 1,
	SHEAF_CAN_WRITE = 2,
	SHEAF_CAN_KEYS = 4,       /* holds the keys of sequences; elsewhere they become positions */
	SHEAF_CAN_PIPE = 8,       /* gives rows as they come, and begins again at the end (SHEAF_PIPED) */
	SHEAF_CAN_SPLIT = 16,     /* a file can be cut into files (sheaf/split.h) */
	SHEAF_CAN_CONTAIN = 32,   /* a file may hold several datasets (sheaf_members) */
	SHEAF_CAN_TRANSCODE = 64, /* has several spellings (sheaf_transcode) */
	SHEAF_CAN_DECLARE = 128   /* its users write schemas in a way of their own (sheaf_declare) */
};

typedef struct sheaf_format_info {
	const char *name;            /* "ctf" */
	const char *summary;         /* a short description */
	const char *const *suffixes; /* of its files: ".ctf", ...; ends with NULL */
	const sheaf_option *options; /* its options; ends with a row whose name is NULL */
	unsigned can;                /* SHEAF_CAN_... */
	unsigned takes;              /* the kinds of rows that it can write: SHEAF_TAKES_... */
} sheaf_format_info;

/* What is to be known of a format; empty texts and lists, and zeros, where it is NULL. */
SHEAF_API sheaf_format_info sheaf_format_about(const sheaf_format *format);

/* Appends a schema to *text as the format's users write it: options, configuration, statements. `file` is the
 * file's name. `own`: the file is of this format, so the fields' aliases are those of the file. UNSUPPORTED
 * if the format cannot hold the schema, or has no such text. */
SHEAF_API SHEAF_USE sheaf_status sheaf_declare(const sheaf_format *format, const sheaf_schema *schema,
                                               const char *file, bool own, sheaf_context *cx,
                                               sheaf_buffer *text, sheaf_error *err);
/* Rewrites a file in another spelling of its format, which the name of the sink chooses, without loss. The
 * sink is taken over, also on failure; the source is not. UNSUPPORTED where the format has one spelling. */
SHEAF_API SHEAF_USE sheaf_status sheaf_transcode(const sheaf_format *format, sheaf_source *source,
                                                 sheaf_sink *sink, sheaf_context *cx, sheaf_error *err);

/* What rows are for. The two for showing differ in formats whose users write rows in a way of their own: then
 * the schema is one field of meaning SPELLING. */
typedef enum sheaf_view { SHEAF_VIEW_STREAMS, SHEAF_VIEW_TEXT, SHEAF_VIEW_JSON } sheaf_view;

/* What is known of a dataset without reading all of it; -1 where it is not. */
typedef struct sheaf_facts {
	int64_t rows;
	int64_t samples; /* sum of the rows' lengths as the format counts them */
	int64_t chunks;
	int64_t longest;   /* most samples that any stream has in a row; 2 can also mean "more than one" */
	int ordinal_keys;  /* 1: the keys are 0, 1, 2, ...; 0: they are not */
	const char *guess; /* how the schema was found where it is not in the file ("inferred from the first 32768
	                      bytes"), or NULL */
	const char *heading; /* in views for showing: a text that stands before the rows, or NULL */
} sheaf_facts;
#define SHEAF_NO_FACTS ((sheaf_facts){-1, -1, -1, -1, -1, NULL, NULL})

/* A setting with which an input that does not describe itself may be read. The texts live only as long as the
 * call that gives them. */
typedef struct sheaf_candidate {
	const char *format, *option, *value;
	double bits; /* the bits per byte when read so: the fewer, the likelier; 8 is noise */
	const char *evidence;
} sheaf_candidate;
typedef sheaf_status (*sheaf_candidate_teller)(void *user, const sheaf_candidate *candidate,
                                               sheaf_error *err);

/* Reads the beginning of a file and suggests how to read it, the likeliest way first, for formats whose files
 * do not describe themselves, or for one of them (`format`; NULL: all, unless the first bytes show what the
 * file is); nothing if no way fits. */
SHEAF_API SHEAF_USE sheaf_status sheaf_guess(const char *path, const char *format, sheaf_context *cx,
                                             sheaf_candidate_teller teller, void *user, sheaf_error *err);

#ifdef __cplusplus
}
#endif
#endif
