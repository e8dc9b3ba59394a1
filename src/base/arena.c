/* SPDX-License-Identifier: MIT */
/* A list of blocks, each twice as large as the one before, up to a bound. */
#include "base/arena.h"
#include "base/checked.h"
#include "base/memory.h"
#include <string.h>

struct sheaf_arena {
	sheaf_arena *before;
	size_t size, used;
	_Alignas(8) uint8_t bytes[];
};

static sheaf_status add_block(sheaf_arena **arena, sheaf_context *cx, size_t least, sheaf_error *err)
{
	enum { FIRST = 512 - sizeof(sheaf_arena), MOST = (64 << 10) - sizeof(sheaf_arena) };
	size_t size = *arena ? (*arena)->size * 2 : FIRST;
	if (size > MOST) size = MOST;
	if (size < least) size = least;
	if (!sheaf_add_size(&least, size, sizeof(sheaf_arena))) least = SIZE_MAX;
	sheaf_arena *block;
	SHEAF_TRY(sheaf_allocate(cx, least, &block, err));
	*block = (sheaf_arena){.before = *arena, .size = size};
	*arena = block;
	return SHEAF_OK;
}

sheaf_status sheaf_arena_allocate(sheaf_arena **arena, sheaf_context *cx, size_t size, void **out,
                                  sheaf_error *err)
{
	*out = NULL;
	if (size > SIZE_MAX - 7) return sheaf_fail(err, SHEAF_LIMIT, "memory: expected a smaller size");
	size = (size + 7) / 8 * 8;
	if (!*arena || (*arena)->size - (*arena)->used < size) SHEAF_TRY(add_block(arena, cx, size, err));
	*out = (*arena)->bytes + (*arena)->used;
	(*arena)->used += size;
	return SHEAF_OK;
}

sheaf_status sheaf_arena_copy_text(sheaf_arena **arena, sheaf_context *cx, const char *text, size_t n,
                                   char **out, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_arena_allocate(arena, cx, n + 1, &memory, err));
	*out = (char *)memory;
	if (n) memcpy(*out, text, n);
	return SHEAF_OK;
}

void sheaf_arena_free(sheaf_arena **arena, sheaf_context *cx)
{
	while (*arena) {
		sheaf_arena *block = *arena;
		*arena = block->before;
		sheaf_release(cx, block, sizeof *block + block->size);
	}
}
