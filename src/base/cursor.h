/* SPDX-License-Identifier: MIT */
/* Bytes of a binary file, taken one field at a time and never past the end. The first failure sticks: it
 * keeps the name and the byte of the field, every later get gives 0, and the owner looks at `failed` once at
 * the end. */
#ifndef SHEAF_BASE_CURSOR_H
#define SHEAF_BASE_CURSOR_H

#include "base/endian.h"
#include <sheaf/base.h>

typedef struct sheaf_cursor {
	const uint8_t *at, *end;
	const uint8_t *begin;
	int64_t base;       /* byte of `begin` in the input, for messages */
	const char *failed; /* field that did not fit, or NULL */
	int64_t failed_at;
	uint64_t needed; /* bytes that the field, or what it counts, would need */
} sheaf_cursor;

sheaf_cursor sheaf_cursor_over(const uint8_t *data, size_t size, int64_t base);
uint64_t sheaf_cursor_u64le(sheaf_cursor *c, const char *field);
int64_t sheaf_cursor_i64le(sheaf_cursor *c, const char *field);
/* A string that ends with a NUL, which is *size bytes after its start; NULL if there is no NUL. */
const uint8_t *sheaf_cursor_string(sheaf_cursor *c, size_t *size, const char *field);
/* A text that sheaf_builder_counted_text has written, without a NUL; data is NULL if there is none. False: it
 * is damaged. */
bool sheaf_cursor_text(sheaf_cursor *c, const char *field, sheaf_bytes *out);
/* A count of things of at least item_size bytes each; refused if the rest of the input cannot hold them. */
uint32_t sheaf_cursor_count_u32le(sheaf_cursor *c, uint64_t item_size, const char *field);
/* The position of the cursor, as a byte of the input. */
int64_t sheaf_cursor_tell(const sheaf_cursor *c);

static inline size_t sheaf_cursor_left(const sheaf_cursor *c) { return (size_t)(c->end - c->at); }

/* Records that count * size bytes are not there; returns NULL. */
const uint8_t *sheaf_cursor_refuse(sheaf_cursor *c, uint64_t count, uint64_t size, const char *field);

/* count * size bytes in place; NULL if they are not there. */
static inline const uint8_t *sheaf_cursor_bytes(sheaf_cursor *c, uint64_t count, uint64_t size,
                                                const char *field)
{
	uint64_t n;
	if (c->failed || __builtin_mul_overflow(count, size, &n) || n > sheaf_cursor_left(c))
		return sheaf_cursor_refuse(c, count, size, field);
	const uint8_t *at = c->at;
	c->at += n;
	return at;
}

static inline uint8_t sheaf_cursor_u8(sheaf_cursor *c, const char *field)
{
	const uint8_t *b = sheaf_cursor_bytes(c, 1, 1, field);
	return b ? *b : 0;
}

static inline int32_t sheaf_cursor_i32be(sheaf_cursor *c, const char *field)
{
	const uint8_t *b = sheaf_cursor_bytes(c, 1, 4, field);
	return b ? sheaf_load_i32be(b) : 0;
}

static inline uint32_t sheaf_cursor_u32le(sheaf_cursor *c, const char *field)
{
	const uint8_t *b = sheaf_cursor_bytes(c, 1, 4, field);
	return b ? sheaf_load_u32le(b) : 0;
}

static inline int32_t sheaf_cursor_i32le(sheaf_cursor *c, const char *field)
{
	return sheaf_signed_32(sheaf_cursor_u32le(c, field));
}

#endif
