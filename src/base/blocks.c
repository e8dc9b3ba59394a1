/* SPDX-License-Identifier: MIT */
/* The usual allocator. */
#include "base/blocks.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, LARGE = 32 << 10, HUGE_PAGE = 2 << 20 };

int sheaf_blocks_init(sheaf_blocks *blocks, size_t most)
{
	*blocks = (sheaf_blocks){.most = most};
	return sheaf_mutex_init(&blocks->lock);
}

void sheaf_blocks_destroy(sheaf_blocks *blocks)
{
	sheaf_blocks_trim(blocks);
	sheaf_mutex_destroy(&blocks->lock);
}

void sheaf_blocks_trim(sheaf_blocks *blocks)
{
	sheaf_mutex_lock(&blocks->lock);
	while (blocks->nspares > 0) free(blocks->spares[--blocks->nspares].memory);
	atomic_store(&blocks->spare, 0);
	sheaf_mutex_unlock(&blocks->lock);
}

/* The block that has been kept longest goes. */
static void drop_oldest(sheaf_blocks *blocks)
{
	free(blocks->spares[0].memory);
	atomic_fetch_sub(&blocks->spare, blocks->spares[0].size);
	memmove(blocks->spares, blocks->spares + 1, (size_t)--blocks->nspares * sizeof *blocks->spares);
}

/* Whether the block was taken to be kept. What nobody has asked for makes room: what grows by doubling leaves
 * many blocks that nobody wants. */
static bool keep(sheaf_blocks *blocks, void *memory, size_t size)
{
	if (size > blocks->most) return false;
	sheaf_mutex_lock(&blocks->lock);
	while (blocks->nspares == SHEAF_MOST_SPARES || blocks->spare > blocks->most - size) drop_oldest(blocks);
	blocks->spares[blocks->nspares++] = (sheaf_spare){memory, size};
	atomic_fetch_add(&blocks->spare, size);
	sheaf_mutex_unlock(&blocks->lock);
	return true;
}

/* The block of this size that was kept last, or NULL: sizes are mostly powers of two, and the last one is the
 * warmest. */
static void *take(sheaf_blocks *blocks, size_t size)
{
	void *memory = NULL;
	sheaf_mutex_lock(&blocks->lock);
	for (int i = blocks->nspares - 1; i >= 0 && !memory; i--) {
		if (blocks->spares[i].size != size) continue;
		memory = blocks->spares[i].memory;
		memmove(&blocks->spares[i], &blocks->spares[i + 1],
		        (size_t)(--blocks->nspares - i) * sizeof *blocks->spares);
		atomic_fetch_sub(&blocks->spare, size);
	}
	sheaf_mutex_unlock(&blocks->lock);
	return memory;
}

static void *allocate(sheaf_blocks *blocks, size_t size)
{
	if (size < ALIGNMENT) return malloc(size); /* aligned for all that fits into it, and half as large */
	void *memory = size >= LARGE ? take(blocks, size) : NULL;
	if (memory || posix_memalign(&memory, size >= HUGE_PAGE ? HUGE_PAGE : ALIGNMENT, size) != 0)
		return memory;
	if (size >= HUGE_PAGE)
		(void)madvise(memory, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* a wish: small pages do, too */
	return memory;
}

static void release(sheaf_blocks *blocks, void *memory, size_t size)
{
	if (size < LARGE || !keep(blocks, memory, size)) free(memory);
}

void *sheaf_blocks_reallocate(sheaf_blocks *blocks, void *memory, size_t old_bytes, size_t new_bytes)
{
	void *fresh = new_bytes ? allocate(blocks, new_bytes) : NULL;
	if (fresh && memory) memcpy(fresh, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
	if (memory && (fresh || new_bytes == 0)) release(blocks, memory, old_bytes);
	return fresh;
}
