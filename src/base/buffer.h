/* SPDX-License-Identifier: MIT */
/* The inside of buffers: blocks with a reference count, and the builder that fills one. */
#ifndef SHEAF_BASE_BUFFER_H
#define SHEAF_BASE_BUFFER_H

#include <sheaf/base.h>
#include <string.h>

/* Memory of somebody else: a mapping, another library's array. */
typedef struct sheaf_lent {
	uint8_t *data;
	size_t size;
	void (*release)(void *user, uint8_t *data, size_t size); /* gives it back */
	void *user;
} sheaf_lent;

/* A buffer over this memory, which is given back when the last owner releases it. On failure nothing is taken
 * over. */
SHEAF_USE sheaf_status sheaf_buffer_wrap(sheaf_context *cx, sheaf_lent memory, sheaf_buffer *out,
                                         sheaf_error *err);
/* A part of a buffer, with its own reference. The caller ensures that at + size is within the buffer. */
sheaf_buffer sheaf_buffer_part(const sheaf_buffer *buffer, size_t at, size_t size);
/* Whether nobody else owns the block, so that its memory may be written again. */
bool sheaf_buffer_is_sole(const sheaf_buffer *buffer);

/* Fills a block of its own, doubling it as needed. The first failure sticks, later calls do nothing, and
 * sheaf_builder_finish reports it: append often, ask once. */
typedef struct sheaf_builder {
	uint8_t *data;
	size_t size, capacity;
	sheaf_block *block;
	sheaf_context *cx;
	size_t wanted; /* bytes asked for when it failed */
	sheaf_status failed;
	bool held; /* other owners share the bytes: they are copied before any more are appended */
} sheaf_builder;

/* An empty builder; takes over the block of *recycled (NULL: none) if nobody else owns it, and resets
 * *recycled. */
void sheaf_builder_begin(sheaf_builder *b, sheaf_context *cx, sheaf_buffer *recycled);
/* A builder that continues after the bytes of *buffer, which is reset: in the same block if nobody else owns
 * it, else in a copy. */
void sheaf_builder_resume(sheaf_builder *b, sheaf_context *cx, sheaf_buffer *buffer);
/* A builder whose bytes are those of *buffer, which it takes over: they are not copied unless more are
 * appended. */
void sheaf_builder_hold(sheaf_builder *b, sheaf_buffer *buffer);
/* Makes one builder share the bytes of another one, replacing its own: they are not copied unless more are
 * appended to either. */
void sheaf_builder_share(sheaf_builder *from, sheaf_builder *to);
/* Makes room for n bytes after the size; if that fails, returns false, and the failure sticks. The slow path
 * of sheaf_builder_room. */
bool sheaf_builder_grow(sheaf_builder *b, uint64_t n);
/* Makes room for n bytes after the size where memory is plentiful; false, and nothing fails, where it is not.
 */
bool sheaf_builder_wish(sheaf_builder *b, uint64_t n);
/* The error of a failed builder, OK otherwise. */
SHEAF_USE sheaf_status sheaf_builder_status(const sheaf_builder *b, sheaf_error *err);
/* The bytes so far, until it grows. */
static inline sheaf_bytes sheaf_builder_bytes(const sheaf_builder *b)
{
	return (sheaf_bytes){b->data, b->size};
}
/* Moves the bytes to *out (reset first) and empties the builder, also on failure. */
SHEAF_USE sheaf_status sheaf_builder_finish(sheaf_builder *b, sheaf_buffer *out, sheaf_error *err);
/* Releases the block. */
void sheaf_builder_drop(sheaf_builder *b);

static inline bool sheaf_builder_room(sheaf_builder *b, uint64_t n)
{
	return b->capacity - b->size >= n || sheaf_builder_grow(b, n);
}

/* n more bytes, for the caller to write; NULL if there is no room for them, or none of them and no block. */
static inline uint8_t *sheaf_builder_extend(sheaf_builder *b, uint64_t n)
{
	if (!sheaf_builder_room(b, n)) return NULL;
	b->size += (size_t)n;
	return b->data ? b->data + b->size - n : NULL;
}

/* Makes it at least `size` bytes long, with copies of one byte; false if there is no room for them. */
static inline bool sheaf_builder_pad(sheaf_builder *b, size_t size, int byte)
{
	if (b->size >= size) return true;
	if (!sheaf_builder_room(b, size - b->size)) return false;
	memset(b->data + b->size, byte, size - b->size);
	b->size = size;
	return true;
}
static inline void sheaf_builder_append(sheaf_builder *b, const void *data, size_t n)
{
	if (n == 0 || !sheaf_builder_room(b, n)) return;
	memcpy(b->data + b->size, data, n);
	b->size += n;
}

static inline void sheaf_builder_text(sheaf_builder *b, const char *text)
{
	sheaf_builder_append(b, text, strlen(text));
}

static inline void sheaf_builder_byte(sheaf_builder *b, char c) { sheaf_builder_append(b, &c, 1); }

static inline void sheaf_builder_i64(sheaf_builder *b, int64_t v) { sheaf_builder_append(b, &v, sizeof v); }

void sheaf_builder_u32le(sheaf_builder *b, uint32_t v);
void sheaf_builder_u64le(sheaf_builder *b, uint64_t v);
static inline void sheaf_builder_i64le(sheaf_builder *b, int64_t v) { sheaf_builder_u64le(b, (uint64_t)v); }
/* Appends `count` numbers of `size` bytes as files have them, the lowest byte first. */
void sheaf_builder_numbers(sheaf_builder *b, const void *numbers, size_t count, size_t size);
/* The same numbers where they are, if this machine has the lowest byte first, too; otherwise a copy in
 * `room`, which is NULL if there is no memory for it, as the builder's status says. */
const void *sheaf_numbers_of_files(sheaf_builder *room, const void *numbers, size_t count, size_t size);
/* A text with its length before it (32 bits), as our own files have it: SHEAF_NO_LENGTH for NULL.
 * sheaf_cursor_text reads it. */
#define SHEAF_NO_LENGTH UINT32_MAX
void sheaf_builder_counted_text(sheaf_builder *b, const char *text);
/* Makes UTF-8 of the bytes from `from` on, if they are not: they are taken as Latin-1. Returns whether they
 * were. */
bool sheaf_builder_make_utf8(sheaf_builder *b, size_t from);
/* Formatted text, for messages and other short texts. */
void sheaf_builder_printf(sheaf_builder *b, const char *format, ...) SHEAF_PRINTF(2, 3);

#endif
