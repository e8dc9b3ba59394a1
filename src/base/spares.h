/* SPDX-License-Identifier: MIT */
/* Blocks of memory that nobody uses, for whoever asks for as much next. */
#ifndef SHEAF_BASE_SPARES_H
#define SHEAF_BASE_SPARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { SHEAF_MOST_SPARES = 64 };

typedef struct sheaf_spare {
	void *memory;
	size_t size;
} sheaf_spare;

/* At most `most` bytes; `bytes` may be read by any thread, all else is for one thread at a time. */
typedef struct sheaf_spares {
	sheaf_spare blocks[SHEAF_MOST_SPARES];
	int n;
	size_t most;
	_Atomic size_t bytes;
	void (*drop)(void *memory, size_t size); /* gets what makes room */
} sheaf_spares;

/* Whether the block was taken to be kept. What nobody has asked for longest makes room. */
bool sheaf_spares_keep(sheaf_spares *spares, void *memory, size_t size);
/* The block of this size that was kept last, or NULL. */
void *sheaf_spares_take(sheaf_spares *spares, size_t size);
/* Drops all of them. */
void sheaf_spares_clear(sheaf_spares *spares, void (*drop)(void *memory, size_t size));
/* Frees a block. */
void sheaf_spare_free(void *memory, size_t size);

/* Those of the process, in which blocks outlive their context; the system may take back what is in them. Any
 * thread; where another one is at it they have no room and no block. */
size_t sheaf_process_spares(void); /* bytes */
/* Keeps the block, or frees it. */
void sheaf_process_spares_keep(void *memory, size_t size);
void *sheaf_process_spares_take(size_t size);
void sheaf_process_spares_clear(void);

#endif
