/* SPDX-License-Identifier: MIT */
/* For tests of formats: a context that remembers what is reported to it, and settings in one text. */
#ifndef SHEAF_TESTS_RECORD_H
#define SHEAF_TESTS_RECORD_H

#include "support.h"

enum { MOST_FOUND = 40, TEXT = 1100, MOST_SETTINGS = 8 };

typedef struct finding {
	sheaf_severity severity;
	sheaf_place place;
	char rule[64], stream[64], text[TEXT];
} finding;

typedef struct record {
	finding found[MOST_FOUND];
	int n;
	sheaf_context *cx;
} record;

/* A context whose problems go into *r. */
void begin(record *r, sheaf_context_options options);
/* Frees it; no memory may be leaked. */
void end(record *r);

typedef struct settings {
	char text[256];
	sheaf_setting list[MOST_SETTINGS];
	int n;
} settings;

/* "A:2:dense -chunk-bytes=30 -sort-indices": streams, and other settings after a dash. */
void read_settings(const char *text, settings *s);

#endif
