/* SPDX-License-Identifier: MIT */
/* The only file that uses xxHash: 128-bit hashes with a seed, streamed. */
#ifndef SHEAF_BASE_THIRD_XXHASH_H
#define SHEAF_BASE_THIRD_XXHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct sheaf_digest {
	uint64_t low, high;
} sheaf_digest;

/* Size of a state, which the caller allocates aligned to 64. */
size_t sheaf_xxhash_state_size(void);
void sheaf_xxhash_begin(void *state, uint64_t seed);
void sheaf_xxhash_add(void *state, const void *data, size_t size);
sheaf_digest sheaf_xxhash_end(const void *state);
sheaf_digest sheaf_xxhash(const void *data, size_t size, uint64_t seed);
/* Numbers of 1 to 8 bytes are hashed as their little-endian bytes, so that the hash is the same on all
 * machines. */
void sheaf_xxhash_add_numbers(void *state, const void *numbers, size_t n, size_t size);
sheaf_digest sheaf_xxhash_numbers(const void *numbers, size_t n, size_t size, uint64_t seed);
/* The same for each of n words of 8 bytes, with the seed 0. */
void sheaf_xxhash_words(const void *words, size_t n, uint64_t *low, uint64_t *high);

#endif
