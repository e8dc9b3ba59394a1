/* SPDX-License-Identifier: MIT */
/* Memory that outlives sheaf_context_free. */
#ifndef SHEAF_ARROW_MEMORY_H
#define SHEAF_ARROW_MEMORY_H

#include "base/context.h"
#include "base/memory.h"

/* Zeroed memory that holds its context until it is freed with its size; `out` is the address of any pointer.
 */
static inline SHEAF_USE sheaf_status sheaf_arrow_allocate(sheaf_context *cx, size_t size, void *out,
                                                          sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate(cx, size, out, err));
	sheaf_context_hold(sheaf_context_owner(cx));
	return SHEAF_OK;
}

static inline void sheaf_arrow_release(sheaf_context *owner, void *memory, size_t size)
{
	sheaf_release(owner, memory, size);
	sheaf_context_let_go(owner);
}

#endif
