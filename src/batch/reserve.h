/* SPDX-License-Identifier: MIT */
/* Arrays that grow, and keep their capacity beside them. */
#ifndef SHEAF_BATCH_RESERVE_H
#define SHEAF_BATCH_RESERVE_H

#include "base/checked.h"
#include "base/memory.h"

/* Makes room for `wanted` entries of `size` bytes; the contents stay. On failure nothing changes. */
SHEAF_USE static inline sheaf_status sheaf_reserve(sheaf_context *cx, void **array, size_t *room,
                                                   size_t wanted, size_t size, sheaf_error *err)
{
	enum { LEAST = 64 };
	size_t old, bytes, entries = *room ? *room : LEAST;
	if (wanted <= *room) return SHEAF_OK;
	while (entries < wanted && sheaf_mul_size(&entries, entries, 2)) continue;
	if (entries < wanted || !sheaf_mul_size(&bytes, entries, size) || !sheaf_mul_size(&old, *room, size))
		return sheaf_fail(err, SHEAF_NOMEM, "memory: expected room for %zu entries, found none", wanted);
	SHEAF_TRY(sheaf_reallocate(cx, array, old, bytes, err));
	*room = entries;
	return SHEAF_OK;
}

static inline void sheaf_release_reserved(sheaf_context *cx, void *array, size_t room, size_t size)
{
	if (array) sheaf_release(cx, array, room * size);
}

#endif
