/* SPDX-License-Identifier: MIT */
/* CNTK configuration files: what a reader section says, in the words of this library's options. Nothing in
 * the file is run; sections that describe no reader are passed over, whatever stands in them. docs/config.md
 * has the exact reading. */
#ifndef SHEAF_CONFIG_H
#define SHEAF_CONFIG_H

#include <sheaf/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One input of a reader: sheaf_open takes its path, and its format and settings as options. */
typedef struct sheaf_config_input {
	char *path;         /* the file, where it was found; as the configuration names it where it is nowhere */
	const char *format; /* name of a format of this build */
	sheaf_setting *settings; /* of the format, by the names of its options: "stream", "precision", ... */
	int nsettings;
	sheaf_setting *others; /* what is not the format's: "max-errors" is of the context, ... */
	int nothers;
} sheaf_config_input;

/* Read-only for the caller. */
typedef struct sheaf_config {
	int ninputs; /* at least 1; more are joined by the keys of their sequences, the first one leading */
	sheaf_config_input *inputs;
	sheaf_setting *settings; /* of the reader as a whole: "order", "seed", "window", ... */
	int nsettings;
	sheaf_context *cx; /* whose memory all of it is */
} sheaf_config;

/* Fields that stand at the end of a file, as those do that follow it on CNTK's command line: "NAME=VALUE"
 * each. One of a name that the file sets replaces what that sets, or is added where both are records in [ ].
 * {0}: none. */
typedef struct sheaf_variables {
	const char *const *list;
	int count;
} sheaf_variables;

/* Reads "FILE" or "FILE:SECTION", SECTION being names and (for elements of arrays) numbers separated by '.':
 * "train.reader", "train.reader.deserializers.1". Without SECTION the only reader is meant, or the one in the
 * section that trains. Keys that the reader does not read are warnings. DATA with file:line:column where a
 * value is wrong, or has a name between dollars that nothing sets; UNKNOWN where there is no such section;
 * free *out with sheaf_config_free before the context. */
SHEAF_API SHEAF_USE sheaf_status sheaf_config_read(const char *name, sheaf_variables variables,
                                                   sheaf_context *cx, sheaf_config **out, sheaf_error *err);
SHEAF_API void sheaf_config_free(sheaf_config *config);

#ifdef __cplusplus
}
#endif
#endif
