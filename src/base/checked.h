/* SPDX-License-Identifier: MIT */
/* Arithmetic on sizes that detects overflow. True is success. Numbers that will become sizes are passed in 64
 * bits, whatever the width of size_t; a negative number passed as unsigned does not fit. */
#ifndef SHEAF_BASE_CHECKED_H
#define SHEAF_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool sheaf_add_size(size_t *out, uint64_t a, uint64_t b)
{
	return !__builtin_add_overflow(a, b, out);
}
static inline bool sheaf_mul_size(size_t *out, uint64_t a, uint64_t b)
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
