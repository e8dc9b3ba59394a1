/* SPDX-License-Identifier: MIT */
/* Unused blocks, of a context and of the process. */
#include "base/threads/spares.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, MOST_OF_PROCESS = 256 << 20 };

void sheaf_spare_free(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

static void drop_oldest(sheaf_spares *spares)
{
	sheaf_spare oldest = spares->blocks[0];
	atomic_fetch_sub(&spares->bytes, oldest.size);
	memmove(spares->blocks, spares->blocks + 1, (size_t)--spares->n * sizeof *spares->blocks);
	spares->drop(oldest.memory, oldest.size);
}

/* Buffers that grow by doubling leave many blocks that are never needed again. */
bool sheaf_spares_keep(sheaf_spares *spares, void *memory, size_t size)
{
	if (size > spares->most) return false;
	while (spares->n == SHEAF_MOST_SPARES || spares->bytes > spares->most - size) drop_oldest(spares);
	spares->blocks[spares->n++] = (sheaf_spare){memory, size};
	atomic_fetch_add(&spares->bytes, size);
	return true;
}

/* The last one is the warmest. */
void *sheaf_spares_take(sheaf_spares *spares, size_t size)
{
	for (int i = spares->n - 1; i >= 0; i--) {
		if (spares->blocks[i].size != size) continue;
		void *memory = spares->blocks[i].memory;
		memmove(&spares->blocks[i], &spares->blocks[i + 1],
		        (size_t)(--spares->n - i) * sizeof *spares->blocks);
		atomic_fetch_sub(&spares->bytes, size);
		return memory;
	}
	return NULL;
}

void sheaf_spares_clear(sheaf_spares *spares, void (*drop)(void *memory, size_t size))
{
	while (spares->n > 0) {
		const sheaf_spare *last = &spares->blocks[--spares->n];
		drop(last->memory, last->size);
	}
	atomic_store(&spares->bytes, 0);
}

/* ---- of the process ---- */

/* Does not wait for other threads: after a fork, the one that held the lock may be gone. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static sheaf_spares spares_of_process = {.most = MOST_OF_PROCESS, .drop = sheaf_spare_free};

static bool begin(void) { return !atomic_flag_test_and_set_explicit(&busy, memory_order_acquire); }
static void end(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

size_t sheaf_process_spares(void) { return atomic_load(&spares_of_process.bytes); }

/* Whether the system may take back what is in a block, while it has its pages where it does not. Huge pages
 * stay whole. */
static bool offer(void *memory, size_t size)
{
#ifdef MADV_FREE
	return size >= HUGE_PAGE && madvise(memory, size / HUGE_PAGE * HUGE_PAGE, MADV_FREE) == 0;
#else
	(void)memory, (void)size;
	return false;
#endif
}

void sheaf_process_spares_keep(void *memory, size_t size)
{
	bool kept = false;
	if (offer(memory, size) && begin()) {
		kept = sheaf_spares_keep(&spares_of_process, memory, size);
		end();
	}
	if (!kept) free(memory);
}

void *sheaf_process_spares_take(size_t size)
{
	void *memory = NULL;
	if (size >= HUGE_PAGE && sheaf_process_spares() && begin()) {
		memory = sheaf_spares_take(&spares_of_process, size);
		end();
	}
	return memory;
}

void sheaf_process_spares_clear(void)
{
	if (!sheaf_process_spares() || !begin()) return;
	sheaf_spares_clear(&spares_of_process, sheaf_spare_free);
	end();
}
