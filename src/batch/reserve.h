/* SPDX-License-Identifier: MIT */
/* Arrays that grow: their owner has a pointer and, beside it, the number of entries for which there is room.
 */
#ifndef SHEAF_BATCH_RESERVE_H
#define SHEAF_BATCH_RESERVE_H

#include "base/checked.h"
#include "base/memory.h"

/* Makes room for `wanted` entries of `size` bytes. `array` is the address of the owner's pointer, as in
 * memory.h. The room at least doubles, so that adding entries one by one costs constant time for each. The
 * contents stay; on failure nothing changes. Release it with *room * size bytes. */
SHEAF_USE static inline sheaf_status sheaf_reserve(sheaf_context *cx, void *array, size_t *room,
                                                   size_t wanted, size_t size, sheaf_error *err)
{
	enum { LEAST = 64 };
	size_t bytes, entries = *room ? *room : LEAST;
	if (wanted <= *room) return SHEAF_OK;
	while (entries < wanted && sheaf_mul_size(&entries, entries, 2)) continue;
	if (entries < wanted || !sheaf_mul_size(&bytes, entries, size))
		return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for %zu entries, found none", wanted);
	SHEAF_TRY(sheaf_reallocate(cx, array, *room * size, bytes, err));
	*room = entries;
	return SHEAF_OK;
}

#endif
