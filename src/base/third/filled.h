/* SPDX-License-Identifier: MIT */
/* MemorySanitizer sees only what it has compiled: it must be given the bytes that a library has written. */
#ifndef SHEAF_BASE_THIRD_FILLED_H
#define SHEAF_BASE_THIRD_FILLED_H

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SHEAF_MEMORY_SANITIZER 1
#endif
#endif

#ifdef SHEAF_MEMORY_SANITIZER
#define SHEAF_FILLED(memory, size) __msan_unpoison((memory), (size))
/* Around a call in which a library passes on to the C library what it has written itself, unseen. */
#define SHEAF_UNSEEN_BEGIN() __msan_scoped_disable_interceptor_checks()
#define SHEAF_UNSEEN_END() __msan_scoped_enable_interceptor_checks()
#else
#define SHEAF_FILLED(memory, size) ((void)(memory), (void)(size))
#define SHEAF_UNSEEN_BEGIN() ((void)0)
#define SHEAF_UNSEEN_END() ((void)0)
#endif

#endif
