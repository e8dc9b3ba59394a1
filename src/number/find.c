/* SPDX-License-Identifier: MIT */
/* Vectors of the compiler's: plain C to read, the machine's own instructions to run, and every x86-64 has them. */
#include "number/find.h"
#include "base/endian.h"
#include "number/digits.h"
#include <stdbool.h>

enum { BLOCK = 16 };
typedef uint8_t block __attribute__((vector_size(BLOCK)));

static inline block load(const uint8_t *at)
{
	block v;
	memcpy(&v, at, sizeof v);
	return v;
}

static inline block all(uint8_t byte) { return (block){0} + byte; }

/* Bytes of ones where two blocks are the same. */
static inline block same(block a, block b) { return (block)(a == b); }

/* Where the first byte of ones is; BLOCK: nowhere. */
static inline int first_of(block marks)
{
	uint8_t bytes[BLOCK];
	memcpy(bytes, &marks, sizeof bytes);
	uint64_t low = sheaf_load_u64le(bytes), high = sheaf_load_u64le(bytes + BLOCK / 2);
	return low ? sheaf_zeros_before(low) : high ? BLOCK / 2 + sheaf_zeros_before(high) : BLOCK;
}

static bool is_wanted(uint8_t byte, const sheaf_wanted *wanted)
{
	bool is = false;
	for (size_t i = 0; i < SHEAF_WANTED; i++) is |= byte == wanted->bytes[i][0];
	return is;
}

const uint8_t *sheaf_find_any(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted)
{
	const block a = load(wanted->bytes[0]), b = load(wanted->bytes[1]), c = load(wanted->bytes[2]);
	const block d = load(wanted->bytes[3]), e = load(wanted->bytes[4]), f = load(wanted->bytes[5]);
	for (; end - at >= BLOCK; at += BLOCK) {
		block v = load(at);
		int found = first_of(same(v, a) | same(v, b) | same(v, c) | same(v, d) | same(v, e) | same(v, f));
		if (found < BLOCK) return at + found;
	}
	while (at < end && !is_wanted(*at, wanted)) at++;
	return at;
}

/* Each byte of a block counts its own place, as far as a byte can count. */
static size_t count_blocks(const uint8_t *at, size_t blocks, uint8_t byte)
{
	block counts = {0};
	uint8_t places[BLOCK];
	size_t sum = 0;
	for (; blocks > 0; blocks--, at += BLOCK) counts -= same(load(at), all(byte));
	memcpy(places, &counts, sizeof places);
	for (int i = 0; i < BLOCK; i++) sum += places[i];
	return sum;
}

size_t sheaf_count_byte(const uint8_t *at, const uint8_t *end, uint8_t byte)
{
	size_t sum = 0;
	while (end - at >= BLOCK) {
		size_t blocks = (size_t)(end - at) / BLOCK;
		if (blocks > UINT8_MAX) blocks = UINT8_MAX;
		sum += count_blocks(at, blocks, byte);
		at += blocks * BLOCK;
	}
	for (; at < end; at++) sum += *at == byte;
	return sum;
}
