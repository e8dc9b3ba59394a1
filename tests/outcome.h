/* SPDX-License-Identifier: MIT */
/* What comes of a file, as one number: for outcome_tool.c. */
#ifndef SHEAF_TESTS_OUTCOME_H
#define SHEAF_TESTS_OUTCOME_H

#include "hdf5_mutants.h"
#include <sheaf/sheaf.h>

enum {
	MOST_SETTINGS = 16,
	MOST_FILE = 1 << 16,
	ROOM = 2 * MOST_FILE,
	MOST_OUTPUT = 1 << 20,
	MEMORY = 64 << 20
};

/* A file, and how it is read. */
typedef struct job {
	char *name, *format, *path;
	int changes, nsettings;
	bool converts, drop_incomplete;
	sheaf_setting settings[MOST_SETTINGS];
	sheaf_container_options container;
	sheaf_bytes file;
} job;

typedef struct outcome {
	uint64_t sum; /* of everything */
	sheaf_status status;
	sheaf_error error;
	int64_t rows, findings;
	char rule[48]; /* of the first finding */
	char hash[33]; /* of the rows */
} outcome;

void mix(outcome *o, const void *data, size_t size);
void mix_number(outcome *o, int64_t v);
void mix_text(outcome *o, const char *text);
void mix_schema(outcome *o, const sheaf_schema *s);
/* Status, place and words of a failure. */
void mix_failure(outcome *o);
/* Up to `room` bytes of a file, and how many; none where there is no file. */
size_t get_file(const char *path, uint8_t *data, size_t room);
/* All bytes of a file; nothing where there is none. */
void mix_file(outcome *o, const char *path);

/* Begins an outcome: its context has one thread and little memory, and findings go into the sum. */
sheaf_context *begin_outcome(const job *j, sheaf_context_options options, outcome *o);
/* Ends it: status, place and counts of findings go into the sum. No memory may be left. */
void end_outcome(outcome *o, sheaf_context *cx);
sheaf_open_options open_options(const job *j, sheaf_open_options open);

/* ---- changes ---- */

enum { CHOICES = 4 /* bytes before a file, for mutate_binary */ };

/* A file that is being changed. */
typedef struct changed {
	uint8_t data[CHOICES + ROOM];
	uint8_t *at; /* the file */
	size_t size;
	const char *told;
} changed;

/* Those of an HDF5 file, which the caller frees; none of another one. */
hdf5_file structures_of(const job *j);
/* The k-th change of a file; `map` has the structures of an HDF5 file, or none. */
void change_file(const job *j, int k, const hdf5_file *map, changed *c);

/* Makes the little-endian number of 4 or 8 bytes at `at`, where 8 are, a limit of its type or one off. */
void change_number(uint8_t *at, uint64_t which);

/* ---- uses of files that are not their rows ---- */

typedef struct use {
	const char *name;
	void (*try)(const job *j, int number, outcome *o);
	int number;
} use;
enum { USES = 28 };
extern const use uses[USES];
/* Bytes that were kept, changed; `number`: of a schema, of rows, of a summary. */
void try_bytes(const job *j, int number, outcome *o);
/* A configuration of CNTK's, and what it says. */
void try_config(const job *j, sheaf_bytes file, outcome *o);

#endif
