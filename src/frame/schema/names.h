/* SPDX-License-Identifier: MIT */
/* Names by number and numbers by name: a table of thousands of streams is searched quickly. */
#ifndef SHEAF_FRAME_SCHEMA_NAMES_H
#define SHEAF_FRAME_SCHEMA_NAMES_H

#include <sheaf/base.h>

typedef struct sheaf_name {
	const char *text;
	size_t size;
} sheaf_name;

/* Starts with zeros. Names are numbered as they are added; their text is borrowed. */
typedef struct sheaf_names {
	sheaf_context *cx;
	sheaf_name *names;
	int count, room;
	int *slots; /* number + 1, or 0 */
	size_t nslots;
} sheaf_names;

/* The caller ensures that the name is new. */
SHEAF_USE sheaf_status sheaf_names_add(sheaf_names *names, sheaf_context *cx, const char *text, size_t size,
                                       sheaf_error *err);
/* The number of a name, or -1. `after`: the one found last, whose successor is tried first. */
int sheaf_names_find(const sheaf_names *names, const void *text, size_t size, int after);
void sheaf_names_free(sheaf_names *names);

#endif
