/* SPDX-License-Identifier: MIT */
/* Sixteen elements in a step: their bytes are vectors, one for each rank, which are interleaved like
 * cards. */
#include "number/shuffle.h"
#include <stdbool.h>
#include <string.h>

typedef uint8_t cards __attribute__((vector_size(16)));

enum { STEP = sizeof(cards), MOST = 16 };

static inline cards load(const uint8_t *from)
{
	cards v;
	memcpy(&v, from, sizeof v);
	return v;
}

static inline void store(uint8_t *to, cards v) { memcpy(to, &v, sizeof v); }

#if defined(__clang__) || __GNUC__ >= 12
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (cards){__VA_ARGS__})
#endif

static inline cards lower(cards a, cards b)
{
	return PICK(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline cards upper(cards a, cards b)
{
	return PICK(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
static inline cards evens(cards a, cards b)
{
	return PICK(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
static inline cards odds(cards a, cards b)
{
	return PICK(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/* Riffles the two halves of a deck of n vectors, as many times as n - 1 has bits: the bytes of each rank,
 * which were one vector, end side by side in their elements. `back` deals them out again, so that each vector
 * gets all bytes of one rank. */
__attribute__((always_inline)) static inline void riffle(cards deck[], size_t n, bool back)
{
	cards other[MOST];
#pragma GCC unroll 4
	for (size_t left = n; left > 1; left /= 2) {
#pragma GCC unroll 8
		for (size_t k = 0, half = n / 2; k < half; k++) {
			other[back ? k : 2 * k] =
				back ? evens(deck[2 * k], deck[2 * k + 1]) : lower(deck[k], deck[k + half]);
			other[back ? k + half : 2 * k + 1] =
				back ? odds(deck[2 * k], deck[2 * k + 1]) : upper(deck[k], deck[k + half]);
		}
#pragma GCC unroll 16
		for (size_t k = 0; k < n; k++) deck[k] = other[k];
	}
}

/* Moves the elements that make up whole steps, and returns how many they are. `apart`: byte k of element i
 * goes to byte k * n + i; else it comes back from there. */
__attribute__((always_inline)) static inline size_t run_steps(const uint8_t *from, uint8_t *to, size_t n,
                                                              size_t width, bool apart)
{
	size_t i = 0;
	for (; i + STEP <= n; i += STEP) {
		cards deck[MOST];
#pragma GCC unroll 16
		for (size_t k = 0; k < width; k++) deck[k] = load(from + (apart ? i * width + k * STEP : k * n + i));
		riffle(deck, width, apart);
#pragma GCC unroll 16
		for (size_t k = 0; k < width; k++) store(to + (apart ? k * n + i : i * width + k * STEP), deck[k]);
	}
	return i;
}

/* Moves all elements: by steps, if there are vectors for the width, then one by one. Bytes after the last
 * whole element stay where they are. */
__attribute__((always_inline)) static inline void run(const uint8_t *from, uint8_t *to, size_t size,
                                                      size_t width, bool apart)
{
	size_t n = size / width, i = 0;
	if (width == 2) i = run_steps(from, to, n, 2, apart);
	if (width == 4) i = run_steps(from, to, n, 4, apart);
	if (width == 8) i = run_steps(from, to, n, 8, apart);
	if (width == 16) i = run_steps(from, to, n, 16, apart);
	for (; i < n; i++)
		for (size_t k = 0, one = i * width; k < width; k++)
			to[apart ? k * n + i : one + k] = from[apart ? one + k : k * n + i];
	memcpy(to + n * width, from + n * width, size - n * width);
}

void sheaf_shuffle(const uint8_t *from, uint8_t *to, size_t size, size_t width)
{
	run(from, to, size, width, true);
}

void sheaf_unshuffle(const uint8_t *from, uint8_t *to, size_t size, size_t width)
{
	run(from, to, size, width, false);
}
