/* SPDX-License-Identifier: MIT */
/* Blocks with a reference count, and the builder that fills one. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/show.h"
#include "base/spell.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

enum { INSIDE = 16 };

/* Where the bytes are. */
typedef enum home {
	IN_BLOCK, /* in the block itself: for few values, of which many columns of a row consist, this is cheaper
	             than separate memory */
	OWN,      /* in memory of the context */
	WRAPPED   /* owned by somebody else; `release` gives them back */
} home;

struct sheaf_block {
	atomic_int owners;
	home home;
	sheaf_context *cx;
	union {
		struct {
			uint8_t *memory;
			size_t capacity;
		};
		_Alignas(16) uint8_t inside[INSIDE];
	};
};

typedef struct wrapping {
	sheaf_block block;
	void (*release)(void *user, uint8_t *data, size_t size);
	void *user;
} wrapping;

static uint8_t *memory_of(sheaf_block *block)
{
	return block->home == IN_BLOCK ? block->inside : block->memory;
}

static size_t capacity_of(const sheaf_block *block)
{
	return block->home == IN_BLOCK ? INSIDE : block->capacity;
}

sheaf_buffer sheaf_buffer_ref(const sheaf_buffer *buffer)
{
	if (!buffer) return (sheaf_buffer){0};
	if (buffer->block) atomic_fetch_add(&buffer->block->owners, 1);
	return *buffer;
}

sheaf_buffer sheaf_buffer_part(const sheaf_buffer *buffer, size_t at, size_t size)
{
	sheaf_buffer part = sheaf_buffer_ref(buffer);
	part.data = size ? part.data + at : part.data;
	part.size = size;
	return part;
}

static void let_go(sheaf_block *block)
{
	if (!block || atomic_fetch_sub(&block->owners, 1) != 1) return;
	const wrapping *w = (const wrapping *)block;
	if (block->home == WRAPPED)
		w->release(w->user, block->memory, block->capacity);
	else if (block->home == OWN)
		sheaf_release(block->cx, block->memory, block->capacity);
	sheaf_context *cx = block->cx;
	sheaf_release(cx, block, block->home == WRAPPED ? sizeof *w : sizeof *block);
	sheaf_context_let_go(cx);
}

void sheaf_buffer_reset(sheaf_buffer *buffer)
{
	if (!buffer) return;
	let_go(buffer->block);
	*buffer = (sheaf_buffer){0};
}

bool sheaf_buffer_is_sole(const sheaf_buffer *buffer)
{
	return buffer->block && buffer->block->home != WRAPPED && atomic_load(&buffer->block->owners) == 1;
}

static sheaf_status new_block(sheaf_context *cx, home where, sheaf_block **out, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(cx, where == WRAPPED ? sizeof(wrapping) : sizeof(sheaf_block), out, err));
	(*out)->home = where;
	(*out)->cx = sheaf_context_owner(cx);
	sheaf_context_hold((*out)->cx);
	atomic_init(&(*out)->owners, 1);
	return SHEAF_OK;
}

sheaf_status sheaf_buffer_wrap(sheaf_context *cx, sheaf_lent memory, sheaf_buffer *out, sheaf_error *err)
{
	*out = (sheaf_buffer){0};
	sheaf_block *block = NULL;
	SHEAF_TRY(new_block(cx, WRAPPED, &block, err));
	wrapping *w = (wrapping *)block;
	block->memory = memory.data;
	block->capacity = memory.size;
	w->release = memory.release;
	w->user = memory.user;
	*out = (sheaf_buffer){memory.data, memory.size, block};
	return SHEAF_OK;
}

/* ---- builder ---- */

void sheaf_builder_begin(sheaf_builder *b, sheaf_context *cx, sheaf_buffer *recycled)
{
	*b = (sheaf_builder){.cx = cx};
	if (!recycled) return;
	if (sheaf_buffer_is_sole(recycled) && recycled->block->cx == sheaf_context_owner(cx)) {
		b->block = recycled->block;
		b->data = memory_of(b->block);
		b->capacity = capacity_of(b->block);
		*recycled = (sheaf_buffer){0};
	} else {
		sheaf_buffer_reset(recycled);
	}
}

void sheaf_builder_resume(sheaf_builder *b, sheaf_context *cx, sheaf_buffer *buffer)
{
	size_t size = buffer->size;
	if (sheaf_buffer_is_sole(buffer) && buffer->data == memory_of(buffer->block) &&
	    buffer->block->cx == sheaf_context_owner(cx)) {
		sheaf_builder_begin(b, cx, buffer);
		b->size = b->block ? size : 0;
		return;
	}
	sheaf_buffer old = *buffer;
	*buffer = (sheaf_buffer){0};
	sheaf_builder_begin(b, cx, NULL);
	sheaf_builder_append(b, old.data, size);
	sheaf_buffer_reset(&old);
}

void sheaf_builder_hold(sheaf_builder *b, sheaf_buffer *buffer)
{
	sheaf_builder_drop(b);
	b->data = buffer->data;
	b->size = b->capacity = buffer->size;
	b->block = buffer->block;
	b->held = true;
	*buffer = (sheaf_buffer){0};
}

void sheaf_builder_share(sheaf_builder *from, sheaf_builder *to)
{
	sheaf_buffer same = {from->data, from->size, from->block};
	same = sheaf_buffer_ref(&same);
	sheaf_builder_hold(to, &same);
	to->failed = from->failed;
	to->wanted = from->wanted;
	from->capacity = from->size;
	from->held = true;
}

/* Copies bytes that have another owner, too, into a block of the builder's own. */
static sheaf_status make_own(sheaf_builder *b, size_t capacity, sheaf_error *err)
{
	sheaf_block *own;
	void *memory = NULL;
	SHEAF_TRY(new_block(b->cx, OWN, &own, err));
	sheaf_status status = sheaf_reallocate(b->cx, &memory, 0, capacity, err);
	if (status) {
		own->memory = NULL;
		let_go(own);
		return status;
	}
	if (b->size) memcpy(memory, b->data, b->size);
	let_go(b->block);
	own->memory = b->data = (uint8_t *)memory;
	own->capacity = b->capacity = capacity;
	b->block = own;
	return SHEAF_OK;
}

/* The block's memory grows; bytes inside the block move out of it. */
static sheaf_status enlarge_block(sheaf_block *block, sheaf_context *cx, size_t capacity, sheaf_error *err)
{
	bool inside = block->home == IN_BLOCK;
	void *memory = inside ? NULL : block->memory;
	SHEAF_TRY(sheaf_reallocate(cx, &memory, inside ? 0 : block->capacity, capacity, err));
	if (inside) memcpy(memory, block->inside, INSIDE);
	block->home = OWN;
	block->memory = (uint8_t *)memory;
	block->capacity = capacity;
	return SHEAF_OK;
}

static sheaf_status enlarge(sheaf_builder *b, size_t needed, sheaf_error *err)
{
	enum { FIRST = 64 };
	size_t doubled = b->capacity > FIRST ? b->capacity : FIRST;
	while (doubled < needed) doubled = doubled > SIZE_MAX / 2 ? needed : doubled * 2;
	if (b->held) {
		SHEAF_TRY(make_own(b, doubled, err));
		b->held = false;
		return SHEAF_OK;
	}
	if (!b->block) {
		SHEAF_TRY(new_block(b->cx, IN_BLOCK, &b->block, err));
	}
	if (needed > capacity_of(b->block)) SHEAF_TRY(enlarge_block(b->block, b->cx, doubled, err));
	b->data = memory_of(b->block);
	b->capacity = capacity_of(b->block);
	return SHEAF_OK;
}

bool sheaf_builder_grow(sheaf_builder *b, uint64_t n)
{
	if (b->failed) return false;
	size_t needed;
	bool fits = sheaf_add_size(&needed, b->size, n);
	if (!fits) needed = SIZE_MAX;
	b->failed = fits ? enlarge(b, needed, NULL) : SHEAF_LIMIT; /* which is less than addresses reach */
	if (!b->failed) return true;
	b->wanted = needed;
	b->capacity = b->size; /* so that sheaf_builder_room always comes here */
	return false;
}

bool sheaf_builder_wish(sheaf_builder *b, uint64_t n)
{
	size_t needed;
	if (b->failed || !sheaf_add_size(&needed, b->size, n)) return false;
	if (needed <= b->capacity) return true;
	/* Capacity stays below twice what is needed, and half of the limit is left for unforeseen needs. */
	int64_t free = sheaf_max_memory(b->cx) / 2 - sheaf_context_memory(b->cx, NULL);
	if (free < 0 || needed > (uint64_t)free / 2) return false;
	sheaf_status refused = enlarge(b, needed, NULL);
	return !refused;
}

sheaf_status sheaf_builder_status(const sheaf_builder *b, sheaf_error *err)
{
	if (!b->failed) return SHEAF_OK;
	return sheaf_fail(err, b->failed, "memory: expected room for a buffer of %zu bytes, found %s", b->wanted,
	                  b->failed == SHEAF_LIMIT ? "that the limit (" SHEAF_OPTION("max-memory") ") is reached"
	                                           : "none");
}

sheaf_status sheaf_builder_finish(sheaf_builder *b, sheaf_buffer *out, sheaf_error *err)
{
	sheaf_buffer_reset(out);
	sheaf_status status = sheaf_builder_status(b, err);
	if (status) {
		sheaf_builder_drop(b);
		return status;
	}
	*out = (sheaf_buffer){b->data, b->size, b->block};
	*b = (sheaf_builder){.cx = b->cx};
	return SHEAF_OK;
}

void sheaf_builder_drop(sheaf_builder *b)
{
	let_go(b->block);
	*b = (sheaf_builder){.cx = b->cx};
}

void sheaf_builder_u32le(sheaf_builder *b, uint32_t v)
{
	uint8_t bytes[4];
	sheaf_store_u32le(bytes, v);
	sheaf_builder_append(b, bytes, sizeof bytes);
}

void sheaf_builder_u64le(sheaf_builder *b, uint64_t v)
{
	uint8_t bytes[8];
	sheaf_store_u64le(bytes, v);
	sheaf_builder_append(b, bytes, sizeof bytes);
}

void sheaf_builder_numbers(sheaf_builder *b, const void *numbers, size_t count, size_t size)
{
	if (count == 0 || !sheaf_builder_room(b, count * size)) return;
	sheaf_copy_le(b->data + b->size, numbers, count, size);
	b->size += count * size;
}

const void *sheaf_numbers_of_files(sheaf_builder *room, const void *numbers, size_t count, size_t size)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || size == 1) return numbers;
	sheaf_builder_numbers(room, numbers, count, size);
	return room->data;
}

void sheaf_builder_counted_text(sheaf_builder *b, const char *text)
{
	sheaf_builder_u32le(b, text ? (uint32_t)strlen(text) : SHEAF_NO_LENGTH);
	if (text) sheaf_builder_text(b, text);
}

/* Each byte from 0x80 on becomes two, from the last one to the first, in place. */
bool sheaf_builder_make_utf8(sheaf_builder *b, size_t from)
{
	size_t more = 0;
	if (b->size <= from || sheaf_is_utf8(b->data + from, b->size - from)) return false;
	for (size_t i = from; i < b->size; i++) more += b->data[i] >> 7;
	if (!sheaf_builder_room(b, more)) return true;
	size_t at = b->size, to = b->size += more;
	while (at > from) {
		uint8_t byte = b->data[--at];
		b->data[--to] = byte < 0x80 ? byte : 0x80 | (byte & 0x3f);
		if (byte >= 0x80) b->data[--to] = (uint8_t)(0xc0 | byte >> 6);
	}
	return true;
}

void sheaf_builder_printf(sheaf_builder *b, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !sheaf_builder_room(b, (uint64_t)n + 1)) return;
	va_start(args, format);
	vsnprintf((char *)b->data + b->size, (size_t)n + 1, format, args);
	va_end(args);
	b->size += (size_t)n;
}
