/* SPDX-License-Identifier: MIT */
/* The bounds-checked cursor. */
#include "base/cursor.h"
#include "base/buffer.h"
#include <string.h>

sheaf_cursor sheaf_cursor_over(const uint8_t *data, size_t size, int64_t base)
{
	static const uint8_t nothing[1];
	if (size == 0) data = nothing; /* which may be NULL, and has no end */
	return (sheaf_cursor){.at = data, .begin = data, .end = data + size, .base = base};
}

int64_t sheaf_cursor_tell(const sheaf_cursor *c) { return c->base + (c->at - c->begin); }

static void fail(sheaf_cursor *c, const char *field, int64_t at, uint64_t needed)
{
	if (c->failed) return;
	c->failed = field;
	c->failed_at = at;
	c->needed = needed;
}

const uint8_t *sheaf_cursor_refuse(sheaf_cursor *c, uint64_t count, uint64_t size, const char *field)
{
	uint64_t n;
	if (__builtin_mul_overflow(count, size, &n)) n = UINT64_MAX;
	fail(c, field, sheaf_cursor_tell(c), n);
	return NULL;
}

uint64_t sheaf_cursor_u64le(sheaf_cursor *c, const char *field)
{
	const uint8_t *b = sheaf_cursor_bytes(c, 1, 8, field);
	return b ? sheaf_load_u64le(b) : 0;
}

int64_t sheaf_cursor_i64le(sheaf_cursor *c, const char *field)
{
	const uint8_t *b = sheaf_cursor_bytes(c, 1, 8, field);
	return b ? sheaf_load_i64le(b) : 0;
}

const uint8_t *sheaf_cursor_string(sheaf_cursor *c, size_t *size, const char *field)
{
	size_t left = sheaf_cursor_left(c);
	const uint8_t *nul = left == 0 ? NULL : *c->at ? (const uint8_t *)memchr(c->at, '\0', left) : c->at;
	*size = nul ? (size_t)(nul - c->at) : left;
	const uint8_t *text = sheaf_cursor_bytes(c, *size + 1, 1, field);
	if (!text) *size = 0;
	return text;
}

uint32_t sheaf_cursor_count_u32le(sheaf_cursor *c, uint64_t item_size, const char *field)
{
	int64_t at = sheaf_cursor_tell(c);
	uint32_t n = sheaf_cursor_u32le(c, field);
	uint64_t needed = 0;
	if (c->failed) return 0;
	if (__builtin_mul_overflow((uint64_t)n, item_size, &needed)) needed = UINT64_MAX;
	if (needed <= sheaf_cursor_left(c)) return n;
	fail(c, field, at, needed);
	return 0;
}

bool sheaf_cursor_text(sheaf_cursor *c, const char *field, sheaf_bytes *out)
{
	uint32_t n = sheaf_cursor_u32le(c, field);
	*out = (sheaf_bytes){0};
	if (n == SHEAF_NO_LENGTH) return !c->failed;
	const uint8_t *text = sheaf_cursor_bytes(c, n, 1, field);
	*out = (sheaf_bytes){text, n};
	return text && !memchr(text, '\0', n);
}
