/* SPDX-License-Identifier: MIT */
/* Memory between protected pages: reading or writing beside it kills the process. */
#ifndef SHEAF_TESTS_GUARD_H
#define SHEAF_TESTS_GUARD_H

#include <stddef.h>

/* More than any 16-bit distance away, on both sides. */
enum { GUARD_BYTES = 1 << 17 };

/* `size` bytes, which begin and end beside a guard if they are whole pages, and otherwise begin there; NULL
 * if there are none. */
void *guard_map(size_t size);
void guard_unmap(void *memory, size_t size);

/* An allocator for a context, whose `user` is a guard_allocator. Each block stands alone between guards. */
typedef enum guard_side {
	GUARD_BEHIND, /* blocks end at a guard, as near as eight bytes allow */
	GUARD_BEFORE  /* blocks begin at one */
} guard_side;

typedef struct guard_allocator {
	guard_side side;
	_Atomic long blocks; /* that are not yet freed */
} guard_allocator;

/* As sheaf_context_options.reallocate. Aborts if bytes beside a block have changed. */
void *guard_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes);

#endif
