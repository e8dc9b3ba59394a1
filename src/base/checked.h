/* SPDX-License-Identifier: MIT */
/* Arithmetic on sizes that says when it does not fit. True is success. */
#ifndef SHEAF_BASE_CHECKED_H
#define SHEAF_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool sheaf_add_size(size_t *out, size_t a, size_t b)
{
	return !__builtin_add_overflow(a, b, out);
}
static inline bool sheaf_mul_size(size_t *out, size_t a, size_t b)
{
	return !__builtin_mul_overflow(a, b, out);
}
static inline bool sheaf_add_i64(int64_t *out, int64_t a, int64_t b)
{
	return !__builtin_add_overflow(a, b, out);
}
static inline bool sheaf_mul_i64(int64_t *out, int64_t a, int64_t b)
{
	return !__builtin_mul_overflow(a, b, out);
}

#endif
