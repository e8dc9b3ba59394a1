/* SPDX-License-Identifier: MIT */
/* Counted allocation. Every byte of the library comes from here, so that one limit bounds it all and a test
 * can make any allocation fail. Callers keep the size and pass it on release.
 *
 * `out` and `memory` are addresses of pointers of any type: sheaf_allocate(cx, n, &rows, err). They are read
 * and written as bytes, so that a caller needs neither a second pointer nor a cast. */
#ifndef SHEAF_BASE_MEMORY_H
#define SHEAF_BASE_MEMORY_H

#include <sheaf/base.h>

/* Zeroed memory, aligned to 64. NOMEM, or LIMIT with the sizes. */
SHEAF_USE sheaf_status sheaf_allocate(sheaf_context *cx, size_t size, void *out, sheaf_error *err);
/* count * size, multiplied with a check for overflow. */
SHEAF_USE sheaf_status sheaf_allocate_array(sheaf_context *cx, uint64_t count, size_t size, void *out,
                                            sheaf_error *err);
/* Grows or shrinks; on failure *memory is as it was. New bytes are not zeroed. */
SHEAF_USE sheaf_status sheaf_reallocate(sheaf_context *cx, void *memory, size_t old_size, size_t new_size,
                                        sheaf_error *err);
void sheaf_release(sheaf_context *cx, void *memory, size_t size);
/* A copy of n bytes of text and a NUL; release it with sheaf_release_text. */
SHEAF_USE sheaf_status sheaf_copy_text(sheaf_context *cx, const char *text, size_t n, char **out,
                                       sheaf_error *err);
void sheaf_release_text(sheaf_context *cx, char *text);

/* Counts memory that somebody else allocates, such as another library, as if it were ours; and stops counting
 * it. */
SHEAF_USE sheaf_status sheaf_charge(sheaf_context *cx, size_t size, sheaf_error *err);
void sheaf_discharge(sheaf_context *cx, size_t size);

/* Whether a failure may be temporary because less memory would be enough. */
static inline bool sheaf_is_of_memory(sheaf_status status)
{
	return status == SHEAF_NOMEM || status == SHEAF_LIMIT;
}

#endif
