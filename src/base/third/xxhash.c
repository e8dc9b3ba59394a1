/* SPDX-License-Identifier: MIT */
/* XXH3, 128 bits. The state's size is known only to static users of the header, hence the macro. */
#include "base/third/xxhash.h"
#include <string.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#if SHEAF_XXHASH_DISPATCH
#include <xxh_x86dispatch.h> /* gives the functions below other names */
#endif

size_t sheaf_xxhash_state_size(void) { return sizeof(XXH3_state_t); }

void sheaf_xxhash_begin(void *state, uint64_t seed)
{
	XXH3_INITSTATE((XXH3_state_t *)state);
	XXH3_128bits_reset_withSeed((XXH3_state_t *)state, seed);
}

void sheaf_xxhash_add(void *state, const void *data, size_t size)
{
	XXH3_128bits_update((XXH3_state_t *)state, data, size);
}

sheaf_digest sheaf_xxhash_end(const void *state)
{
	XXH128_hash_t h = XXH3_128bits_digest((const XXH3_state_t *)state);
	return (sheaf_digest){h.low64, h.high64};
}

static sheaf_digest hash_many(const void *data, size_t size, uint64_t seed)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
	return (sheaf_digest){h.low64, h.high64};
}

/* The little-endian bytes of some numbers, a block at a time where this machine has another order. */
void sheaf_xxhash_add_numbers(void *state, const void *numbers, size_t n, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	sheaf_xxhash_add(state, numbers, n * size);
#else
	enum { BLOCK = 256 };
	uint8_t block[BLOCK * sizeof(uint64_t)];
	const uint8_t *from = (const uint8_t *)numbers;
	for (size_t some; n > 0; n -= some, from += some * size) {
		some = n < BLOCK ? n : BLOCK;
		for (size_t i = 0; i < some * size; i++) block[i] = from[i / size * size + size - 1 - i % size];
		sheaf_xxhash_add(state, block, some * size);
	}
#endif
}

sheaf_digest sheaf_xxhash_numbers(const void *numbers, size_t n, size_t size, uint64_t seed)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return sheaf_xxhash(numbers, n * size, seed);
#else
	XXH3_state_t state;
	sheaf_xxhash_begin(&state, seed);
	sheaf_xxhash_add_numbers(&state, numbers, n, size);
	return sheaf_xxhash_end(&state);
#endif
}

/* From here on the functions are inline ones of the header, under other names: for a few bytes a call costs
 * more than the hash (`flatten` makes gcc inline all of them). Long inputs are hashed faster by the library,
 * which adapts to the processor. */
#define XXH_INLINE_ALL
#include <xxhash.h>

__attribute__((flatten)) sheaf_digest sheaf_xxhash(const void *data, size_t size, uint64_t seed)
{
	enum { FEW = 16 };
	if (size > FEW) return hash_many(data, size, seed);
	XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
	return (sheaf_digest){h.low64, h.high64};
}

__attribute__((flatten)) void sheaf_xxhash_words(const void *words, size_t n, uint64_t *low, uint64_t *high)
{
	enum { WORD = sizeof(uint64_t) };
	for (size_t i = 0; i < n; i++) {
		uint64_t word;
		memcpy(&word, (const uint8_t *)words + i * WORD, WORD);
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) word = __builtin_bswap64(word);
		XXH128_hash_t h = XXH3_128bits(&word, WORD);
		low[i] = h.low64;
		high[i] = h.high64;
	}
}
