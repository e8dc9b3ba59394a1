/* SPDX-License-Identifier: MIT */
/* FlatBuffers, as far as Arrow's messages need them: tables of optional slots, vectors and texts, found by
 * offsets from where they are named (the FlatBuffers "Internals" page).
 *
 * Reading checks every offset against the bytes; the first one that does not fit breaks the buffer, and
 * whatever is read from then on is absent. The owner checks `broken` once at the end. */
#ifndef SHEAF_FORMAT_ARROW_FLAT_H
#define SHEAF_FORMAT_ARROW_FLAT_H

#include "base/buffer.h"

/* ---- reading ---- */

typedef struct sheaf_fb {
	const uint8_t *data;
	size_t size;
	/* How many tables, and bytes of texts, may still be read: parts may be shared, and would multiply. */
	size_t budget;
	int64_t text_budget;
	bool broken;
} sheaf_fb;

/* A table, or none if `in` is NULL. */
typedef struct sheaf_fb_table {
	sheaf_fb *in;
	size_t at, slots; /* its first byte, and that of its vtable */
	int count;        /* of slots */
} sheaf_fb_table;

typedef struct sheaf_fb_vector {
	sheaf_fb *in;
	const uint8_t *items;
	int64_t count;
} sheaf_fb_vector;

sheaf_fb sheaf_fb_over(const void *data, size_t size);
sheaf_fb_table sheaf_fb_root(sheaf_fb *in);
/* A signed number of `width` bytes (1, 2, 4 or 8); `absent` if the slot is empty. */
int64_t sheaf_fb_number(const sheaf_fb_table *table, int slot, size_t width, int64_t absent);
sheaf_fb_table sheaf_fb_child(const sheaf_fb_table *table, int slot);
/* NULL if the slot is empty. */
sheaf_bytes sheaf_fb_text(const sheaf_fb_table *table, int slot);
/* Items of `size` bytes each. */
sheaf_fb_vector sheaf_fb_items(const sheaf_fb_table *table, int slot, size_t size);
sheaf_fb_vector sheaf_fb_tables(const sheaf_fb_table *table, int slot);
sheaf_fb_table sheaf_fb_table_at(const sheaf_fb_vector *tables, int64_t i);
/* Number k, of 8 bytes, of item i, whose items have `size` bytes. */
int64_t sheaf_fb_long_at(const sheaf_fb_vector *items, size_t size, int64_t i, int k);

/* ---- writing: each part after the one that names it ---- */

typedef struct sheaf_fb_writer {
	sheaf_builder *to;
	size_t begin; /* where the buffer begins, at a multiple of 8 */
} sheaf_fb_writer;

/* A slot of a table: `width` 0 is an empty one; SHEAF_FB_POINTER refers to a part that follows. */
enum { SHEAF_FB_POINTER = 3 };
typedef struct sheaf_fb_slot {
	size_t width;
	int64_t value;
	size_t at; /* set on return: where the slot is */
} sheaf_fb_slot;

/* The buffer begins with its root, which is the next table. */
sheaf_fb_writer sheaf_fb_begin(sheaf_builder *to);
/* `from`: the slot that refers to it (SHEAF_FB_ROOT: the start of the buffer). */
enum { SHEAF_FB_ROOT = 0 };
void sheaf_fb_put_table(sheaf_fb_writer *w, size_t from, sheaf_fb_slot *slots, int count);
void sheaf_fb_put_text(sheaf_fb_writer *w, size_t from, const void *text, size_t n);
/* The items follow, which the caller appends: `size` bytes each, aligned to 8 if `size` is a multiple of
 * 8. */
void sheaf_fb_put_vector(sheaf_fb_writer *w, size_t from, int64_t count, size_t size);
/* A vector of tables that the caller writes next: slot i is 4 * i bytes after the one returned. */
size_t sheaf_fb_put_tables(sheaf_fb_writer *w, size_t from, int64_t count);
/* Zeros up to a multiple of 8. */
void sheaf_fb_align(sheaf_fb_writer *w, size_t to);

#endif
