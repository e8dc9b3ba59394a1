/* SPDX-License-Identifier: MIT */
/* The usual allocator. Large blocks are on huge pages if the system has them, and are kept for the next
 * request of that size: touching fresh memory for the first time costs more than writing to it. */
#ifndef SHEAF_BASE_BLOCKS_H
#define SHEAF_BASE_BLOCKS_H

#include "base/threads/spares.h"
#include "base/threads/thread.h"

typedef struct sheaf_blocks {
	sheaf_mutex lock;
	sheaf_spares spares;
	bool lasting; /* blocks end up with those of the process */
} sheaf_blocks;

/* Returns errno, or 0. Keeps at most `bytes` bytes. */
int sheaf_blocks_init(sheaf_blocks *blocks, size_t most, bool lasting);
void sheaf_blocks_destroy(sheaf_blocks *blocks);
/* Aligned to 64, as sheaf_context_options requires. */
void *sheaf_blocks_reallocate(sheaf_blocks *blocks, void *memory, size_t old_bytes, size_t new_bytes);
/* Bytes that are kept, by these blocks and for them by the process. */
size_t sheaf_blocks_spare(const sheaf_blocks *blocks);
/* Gives all of them back to the system. */
void sheaf_blocks_trim(sheaf_blocks *blocks);
/* Frees those kept so far; the process may keep them. */
void sheaf_blocks_shed(sheaf_blocks *blocks);
/* From here on only the process keeps blocks. */
void sheaf_blocks_retire(sheaf_blocks *blocks);

#endif
