/* SPDX-License-Identifier: MIT */
/* Pages for each block, so that an access beside it is a signal; bytes that no page can guard are filled with
 * a pattern that must stay. */
#include "guard.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, FILL = 0xfb };

static size_t whole_pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

void *guard_map(size_t size)
{
	size_t bytes = whole_pages(size);
	void *pages =
		mmap(NULL, bytes + 2 * GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED) return NULL;
	if (bytes && mprotect((uint8_t *)pages + GUARD_BYTES, bytes, PROT_READ | PROT_WRITE)) return NULL;
	return (uint8_t *)pages + GUARD_BYTES;
}

void guard_unmap(void *memory, size_t size)
{
	if (memory) munmap((uint8_t *)memory - GUARD_BYTES, whole_pages(size) + 2 * GUARD_BYTES);
}

/* Where the block begins in its pages. Blocks of a multiple of 64 bytes are aligned to 64, others at least to
 * 8: what a block is made of divides its size. */
static size_t offset_of(const guard_allocator *guard, size_t size)
{
	return guard->side == GUARD_BEFORE ? 0 : whole_pages(size) - (size + 7) / 8 * 8;
}

/* The bytes beside a block, on its pages. */
typedef struct slack {
	uint8_t *before, *behind;
	size_t nbefore, nbehind;
} slack;

static slack slack_of(const guard_allocator *guard, uint8_t *block, size_t size)
{
	size_t offset = offset_of(guard, size);
	return (slack){block - offset, block + size, offset, whole_pages(size) - offset - size};
}

static void *new_block(guard_allocator *guard, size_t size)
{
	enum { SOILED = 256 }; /* bytes of each block that cannot be valid values */
	uint8_t *pages = (uint8_t *)guard_map(size);
	if (!pages) return NULL;
	uint8_t *block = pages + offset_of(guard, size);
	slack beside = slack_of(guard, block, size);
	memset(beside.before, FILL, beside.nbefore);
	memset(beside.behind, FILL, beside.nbehind);
	memset(block, FILL, size < SOILED ? size : SOILED);
	guard->blocks++;
	return block;
}

static void check_slack(const uint8_t *at, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i] == FILL) continue;
		fprintf(stderr, "beside a block of %zu bytes something has been written\n", size);
		abort();
	}
}

static void end_block(guard_allocator *guard, void *memory, size_t size)
{
	slack beside = slack_of(guard, (uint8_t *)memory, size);
	check_slack(beside.before, beside.nbefore, size);
	check_slack(beside.behind, beside.nbehind, size);
	guard->blocks--;
	guard_unmap(beside.before, size);
}

void *guard_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes)
{
	guard_allocator *guard = (guard_allocator *)user;
	void *block = new_bytes ? new_block(guard, new_bytes) : NULL;
	if (new_bytes && !block) return NULL;
	if (memory) {
		if (block) memcpy(block, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
		end_block(guard, memory, old_bytes);
	}
	return block;
}
