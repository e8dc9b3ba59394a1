/* SPDX-License-Identifier: MIT */
/* A keyed permutation of 0 ... n-1 that is computed, not stored: a shuffle of any number of sequences in
 * constant memory. A Feistel network over a grid of about sqrt(n) by sqrt(n) cells; the few cells beyond n
 * are skipped. */
#ifndef SHEAF_BATCH_ORDER_PERMUTATION_H
#define SHEAF_BATCH_ORDER_PERMUTATION_H

#include <stdint.h>

enum { SHEAF_PERMUTATION_ROUNDS = 8 };

typedef struct sheaf_permutation {
	uint64_t n, columns, rows; /* columns * rows >= n */
	uint64_t keys[SHEAF_PERMUTATION_ROUNDS];
} sheaf_permutation;

/* The next number of a pseudorandom stream: one step of splitmix64. */
uint64_t sheaf_next_key(uint64_t *state);

/* 0 < n < 2^62. Different (seed, sweep, part) give independent permutations. */
void sheaf_permutation_make(sheaf_permutation *p, int64_t n, uint64_t seed, int64_t sweep, int64_t part);
/* The image of i, 0 <= i < n. */
int64_t sheaf_permutation_at(const sheaf_permutation *p, int64_t i);

#endif
