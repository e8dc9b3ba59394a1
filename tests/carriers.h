/* SPDX-License-Identifier: MIT */
/* Files that carry a schema, made of small inputs in the current folder, and read again after a byte of the
 * schema was changed and all hashes over it were made right: for the test and the fuzzer of schemas. */
#ifndef SHEAF_TESTS_CARRIERS_H
#define SHEAF_TESTS_CARRIERS_H

#include <sheaf/sheaf.h>
#include <stdio.h>

/* What reading a changed file gives, where it is not refused. */
typedef enum carrier_promise {
	CARRIES_ANYTHING,  /* what the schema says now */
	CARRIES_SAME_KIND, /* the same rows, if they are still of the same kind */
	CARRIES_SAME       /* the same rows, and nothing is refused */
} carrier_promise;

typedef struct carrier_way {
	const char *input, *file;
	bool is_hex; /* the schema is spelled in hexadecimal digits */
	carrier_promise promise;
	void (*seal)(uint8_t *bytes, size_t size);
	sheaf_status (*make)(const struct carrier_way *way, sheaf_context *cx, sheaf_error *err);
	/* What is read, as a text. */
	sheaf_status (*read)(const struct carrier_way *way, FILE *out, sheaf_context *cx, sheaf_error *err);
} carrier_way;

enum { CARRIERS = 14 };
extern const carrier_way carrier_ways[CARRIERS];

/* A file as bytes, and where its schema is. */
typedef struct carrier {
	const carrier_way *way;
	uint8_t *bytes;
	size_t size, at, length; /* of the schema: bytes, or digits */
} carrier;

/* Makes the inputs. */
void carrier_write_inputs(void);
/* Makes the file; ends the process if it cannot be made. */
carrier carrier_make(const carrier_way *way);
void carrier_free(carrier *c);
/* Sets byte `at` of the schema. */
void carrier_change(const carrier *c, size_t at, uint8_t value);
/* Bytes of the schema. */
size_t carrier_length(const carrier *c);
/* Makes the hashes right, writes the file, and reads it: a text to be freed, or NULL and a failure. Ends the
 * process if a failure has no message, or memory is left. */
char *carrier_read(const carrier *c, sheaf_error *err);

#endif
