/* SPDX-License-Identifier: MIT */
/* Slices that are known to be in one component, found by a few passes over all entries in order. Where most
 * of a matrix is one component, this leaves little to a search whose loads wait for memory: it needs a bit
 * for each slice, and those fit a cache. */
#ifndef SHEAF_TENSOR_CORE_H
#define SHEAF_TENSOR_CORE_H

#include "tensor/slices.h"

enum { SHEAF_CORE_BITS = 64 };

static inline bool sheaf_bit(const uint64_t *bits, int64_t i)
{
	return bits[i / SHEAF_CORE_BITS] >> (i % SHEAF_CORE_BITS) & 1;
}

static inline void sheaf_bit_set(uint64_t *bits, int64_t i)
{
	bits[i / SHEAF_CORE_BITS] |= UINT64_C(1) << (i % SHEAF_CORE_BITS);
}

static inline size_t sheaf_core_words(const sheaf_slices *s)
{
	return (size_t)s->extent / SHEAF_CORE_BITS + 1;
}

/* Slices that reach each other, entry by entry: at least one. */
SHEAF_USE sheaf_status sheaf_core_find(sheaf_slices *s, sheaf_error *err);
/* The core, or if there is none one slice, with others that entries connect with it in either direction.
 * Where `done` has a bit, all that the slice leads to belongs to it, too. */
SHEAF_USE sheaf_status sheaf_core_widen(sheaf_slices *s, sheaf_error *err);

#endif
