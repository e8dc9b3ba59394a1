/* SPDX-License-Identifier: MIT */
/* Texts of numbers for the tests of kernels: random, from a fixed seed. */
#ifndef SHEAF_TESTS_TEXTS_H
#define SHEAF_TESTS_TEXTS_H

#include "number/kernels/kernel.h"
#include "support.h"

enum { TEXT_ROOM = 16384 };

typedef struct made_text {
	char data[TEXT_ROOM];
	size_t size;
} made_text;

static inline sheaf_bytes bytes_of(const made_text *t)
{
	return (sheaf_bytes){(const uint8_t *)t->data, t->size};
}

void put(made_text *t, const char *word);
/* A number of any kind that a text may have. */
void put_number(made_text *t);
/* A decimal at or beside the point halfway between two floats, or two doubles, of 6 to 17 digits. */
void put_midpoint(made_text *t);
void put_space(made_text *t);
/* Bytes changed, lost, doubled; the end cut off. */
void damage(made_text *t);

/* cmocka set-up and tear-down of what with_kernels needs. */
int map_guarded(void **state);
int unmap_guarded(void **state);
typedef void text_check(const sheaf_kernel *kernel, const char *text, size_t size);
/* Runs a check for each kernel of this machine, with the text against the end of memory that may be read, and
 * against its beginning. */
void with_kernels(text_check *check, const char *text, size_t size);

#endif
