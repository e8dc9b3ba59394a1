/* SPDX-License-Identifier: MIT */
/* Memory that is freed all at once, for many small things with the same lifetime, such as names. */
#ifndef SHEAF_BASE_ARENA_H
#define SHEAF_BASE_ARENA_H

#include <sheaf/base.h>

/* Zeroed memory, aligned to 8. *arena begins as NULL. */
SHEAF_USE sheaf_status sheaf_arena_allocate(sheaf_arena **arena, sheaf_context *cx, size_t size, void **out,
                                            sheaf_error *err);
/* A copy of n bytes of text and a NUL. */
SHEAF_USE sheaf_status sheaf_arena_copy_text(sheaf_arena **arena, sheaf_context *cx, const char *text,
                                             size_t n, char **out, sheaf_error *err);
void sheaf_arena_free(sheaf_arena **arena, sheaf_context *cx);

#endif
