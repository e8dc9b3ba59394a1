/* SPDX-License-Identifier: MIT */
/* CNTK configuration files: a reader section, converted into options of this library. Nothing in the file is
 * run; sections that do not describe a reader are ignored, whatever they contain. docs/config.md describes
 * exactly how files are read. */
#ifndef SHEAF_CONFIG_H
#define SHEAF_CONFIG_H

#include <sheaf/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One input of a reader: sheaf_open takes its path, and its format and settings as options. */
typedef struct sheaf_config_input {
	char *path;         /* the file, where it was found; if it was not found, the name in the configuration */
	const char *format; /* name of a format of this build */
	sheaf_setting *settings; /* of the format, by the names of its options: "stream", "map", ... */
	int nsettings;
	sheaf_setting *others; /* options that are not the format's, such as the context's "max-errors" */
	int nothers;
} sheaf_config_input;

/* Read-only for the caller. */
typedef struct sheaf_config {
	int ninputs; /* at least 1; more are joined by the keys of their sequences, the first one leading */
	sheaf_config_input *inputs;
	sheaf_setting *settings; /* of the reader as a whole: "order", "seed", "window", ... */
	int nsettings;
	sheaf_context *cx; /* owns the memory of all of it */
} sheaf_config;

/* Fields that are added at the end of a file, like those after the file on CNTK's command line: "NAME=VALUE"
 * each. A field that the file also sets is replaced, or merged if both are records in [ ]. {0}: none. */
typedef struct sheaf_variables {
	const char *const *list;
	int count;
} sheaf_variables;

/* Reads "FILE" or "FILE:SECTION", SECTION being names and (for elements of arrays) numbers separated by '.':
 * "train.reader", "train.reader.deserializers.1". Without SECTION it reads the only reader, or the one in the
 * section that trains. Keys that the reader does not read are warnings. DATA with file:line:column if a value
 * is wrong, or has a name between dollar signs that is not set; UNKNOWN if there is no such section. Free
 * *out with sheaf_config_free before the context. */
SHEAF_API SHEAF_USE sheaf_status sheaf_config_read(const char *name, sheaf_variables variables,
                                                   sheaf_context *cx, sheaf_config **out, sheaf_error *err);
SHEAF_API void sheaf_config_free(sheaf_config *config);

#ifdef __cplusplus
}
#endif
#endif
