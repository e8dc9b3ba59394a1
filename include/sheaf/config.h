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

/* Reads "FILE" or "FILE:SECTION", SECTION being names and (for elements of arrays) numbers separated by '.':
 * "train.reader", "train.reader.deserializers.1". Without SECTION the only reader is meant, or the one in the
 * section that trains. Unknown keys are warnings. DATA with file:line:column where a value is wrong; UNKNOWN
 * where there is no such section; free *out with sheaf_config_free before the context. */
SHEAF_API SHEAF_USE sheaf_status sheaf_config_read(const char *name, sheaf_context *cx, sheaf_config **out,
                                                   sheaf_error *err);
SHEAF_API void sheaf_config_free(sheaf_config *config);

#ifdef __cplusplus
}
#endif
#endif
