/* SPDX-License-Identifier: MIT */
/* The usual allocator. Large blocks lie on huge pages where the system has them, and are kept for whoever
 * asks for as much next: their first touch costs more than what is written into them. */
#ifndef SHEAF_BASE_BLOCKS_H
#define SHEAF_BASE_BLOCKS_H

#include "base/thread.h"
#include <stdatomic.h>

enum { SHEAF_MOST_SPARES = 64 };

typedef struct sheaf_spare {
	void *memory;
	size_t size;
} sheaf_spare;

typedef struct sheaf_blocks {
	sheaf_mutex lock;
	sheaf_spare spares[SHEAF_MOST_SPARES];
	int nspares;
	size_t most;          /* bytes that may be kept */
	_Atomic size_t spare; /* bytes that are */
} sheaf_blocks;

/* errno, or 0. Keeps at most `bytes` bytes. */
int sheaf_blocks_init(sheaf_blocks *blocks, size_t most);
void sheaf_blocks_destroy(sheaf_blocks *blocks);
/* As sheaf_context_options has it: aligned to 64. */
void *sheaf_blocks_reallocate(sheaf_blocks *blocks, void *memory, size_t old_bytes, size_t new_bytes);
/* Gives back all that is kept. */
void sheaf_blocks_trim(sheaf_blocks *blocks);

#endif
