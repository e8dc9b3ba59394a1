/* SPDX-License-Identifier: MIT */
/* The usual allocator. */
#include "base/blocks.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, LARGE = 32 << 10, HUGE_PAGE = 2 << 20, STEPS_BITS = 3 };

int sheaf_blocks_init(sheaf_blocks *blocks, size_t most, bool lasting)
{
	void (*drop)(void *memory, size_t size) = lasting ? sheaf_process_spares_keep : sheaf_spare_free;
	*blocks = (sheaf_blocks){.spares = {.most = most, .drop = drop}, .lasting = lasting};
	return sheaf_mutex_init(&blocks->lock);
}

void sheaf_blocks_destroy(sheaf_blocks *blocks)
{
	sheaf_blocks_retire(blocks);
	sheaf_mutex_destroy(&blocks->lock);
}

size_t sheaf_blocks_spare(const sheaf_blocks *blocks)
{
	return atomic_load(&blocks->spares.bytes) + (blocks->lasting ? sheaf_process_spares() : 0);
}

void sheaf_blocks_trim(sheaf_blocks *blocks)
{
	sheaf_mutex_lock(&blocks->lock);
	sheaf_spares_clear(&blocks->spares, sheaf_spare_free);
	sheaf_mutex_unlock(&blocks->lock);
	if (blocks->lasting) sheaf_process_spares_clear();
}

void sheaf_blocks_shed(sheaf_blocks *blocks)
{
	sheaf_mutex_lock(&blocks->lock);
	sheaf_spares_clear(&blocks->spares, blocks->spares.drop);
	sheaf_mutex_unlock(&blocks->lock);
}

void sheaf_blocks_retire(sheaf_blocks *blocks)
{
	sheaf_mutex_lock(&blocks->lock);
	blocks->spares.most = 0;
	sheaf_mutex_unlock(&blocks->lock);
	sheaf_blocks_shed(blocks);
}

/* The bytes that a block of this size has room for: results of inputs that are nearly as large fit one
 * another's blocks. What is not used has no pages. */
static size_t room_of(const sheaf_blocks *blocks, size_t size)
{
	if (!blocks->lasting || size < HUGE_PAGE || size > SIZE_MAX / 2) return size;
	size_t step = ((size_t)1 << (63 - __builtin_clzll(size))) >> STEPS_BITS;
	return (size + step - 1) & ~(step - 1);
}

static bool keep(sheaf_blocks *blocks, void *memory, size_t size)
{
	sheaf_mutex_lock(&blocks->lock);
	bool kept = sheaf_spares_keep(&blocks->spares, memory, size);
	sheaf_mutex_unlock(&blocks->lock);
	return kept;
}

static void *take(sheaf_blocks *blocks, size_t size)
{
	sheaf_mutex_lock(&blocks->lock);
	void *memory = sheaf_spares_take(&blocks->spares, size);
	sheaf_mutex_unlock(&blocks->lock);
	return !memory && blocks->lasting ? sheaf_process_spares_take(size) : memory;
}

static void *allocate(sheaf_blocks *blocks, size_t size)
{
	if (size < ALIGNMENT) return malloc(size); /* aligned for all that fits into it, and half as large */
	size_t room = room_of(blocks, size);
	void *memory = size >= LARGE ? take(blocks, room) : NULL;
	if (memory || posix_memalign(&memory, size >= HUGE_PAGE ? HUGE_PAGE : ALIGNMENT, room) != 0)
		return memory;
	if (size >= HUGE_PAGE)
		(void)madvise(memory, size / HUGE_PAGE * HUGE_PAGE,
		              MADV_HUGEPAGE); /* only a wish: small pages will do, too */
	return memory;
}

static void release(sheaf_blocks *blocks, void *memory, size_t size)
{
	size_t room = room_of(blocks, size);
	if (size < LARGE || !keep(blocks, memory, room)) blocks->spares.drop(memory, room);
}

void *sheaf_blocks_reallocate(sheaf_blocks *blocks, void *memory, size_t old_bytes, size_t new_bytes)
{
	void *fresh = new_bytes ? allocate(blocks, new_bytes) : NULL;
	if (fresh && memory) memcpy(fresh, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
	if (memory && (fresh || new_bytes == 0)) release(blocks, memory, old_bytes);
	return fresh;
}
