/* SPDX-License-Identifier: MIT */
/* Unused blocks of memory, kept for the next request of their size. */
#ifndef SHEAF_BASE_THREADS_SPARES_H
#define SHEAF_BASE_THREADS_SPARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { SHEAF_MOST_SPARES = 64 };

typedef struct sheaf_spare {
	void *memory;
	size_t size;
} sheaf_spare;

/* At most `most` bytes; any thread may read `bytes`, everything else is for one thread at a time. */
typedef struct sheaf_spares {
	sheaf_spare blocks[SHEAF_MOST_SPARES];
	int n;
	size_t most;
	_Atomic size_t bytes;
	void (*drop)(void *memory, size_t size); /* gets what makes room */
} sheaf_spares;

/* Whether the block was kept. The ones that have been unused longest make room. */
bool sheaf_spares_keep(sheaf_spares *spares, void *memory, size_t size);
/* The block of this size that was kept last, or NULL. */
void *sheaf_spares_take(sheaf_spares *spares, size_t size);
/* Drops all of them. */
void sheaf_spares_clear(sheaf_spares *spares, void (*drop)(void *memory, size_t size));
/* Frees a block. */
void sheaf_spare_free(void *memory, size_t size);

/* Those of the process, in which blocks outlive their context; the system may discard their contents. Any
 * thread; while another thread uses them they have no room and no block. */
size_t sheaf_process_spares(void); /* bytes */
/* Keeps the block, or frees it. */
void sheaf_process_spares_keep(void *memory, size_t size);
void *sheaf_process_spares_take(size_t size);
void sheaf_process_spares_clear(void);

#endif
