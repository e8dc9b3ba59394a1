/* SPDX-License-Identifier: MIT */
/* Work whose order does not matter, on all threads of a context. */
#ifndef SHEAF_BASE_THREADS_EACH_H
#define SHEAF_BASE_THREADS_EACH_H

#include <sheaf/base.h>

/* Calls work(user, k, scratch) for each k of [0, n). `scratch` is memory of that many bytes that no other
 * call uses at the same time, zeroed before the first call. */
SHEAF_USE sheaf_status sheaf_each(sheaf_context *cx, int64_t n, size_t scratch,
                                  void (*work)(void *user, int64_t k, void *scratch), void *user,
                                  sheaf_error *err);

#endif
