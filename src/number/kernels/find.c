/* SPDX-License-Identifier: MIT */
/* The compiler's vectors: readable as plain C, compiled to the machine's own instructions, which every x86-64
 * has. Byte by byte, which defines the result, for the scalar kernel. */
#include "number/kernels/find.h"
#include "base/endian.h"
#include "number/digits.h"
#include "number/kernels/kernel_parts.h"
#include <stdbool.h>

enum { BLOCK = 16 };
typedef uint8_t block __attribute__((vector_size(BLOCK)));

static inline block load(const uint8_t *at)
{
	block v;
	memcpy(&v, at, sizeof v);
	return v;
}

/* Bytes of ones where two blocks are equal. */
static inline block same(block a, block b) { return (block)(a == b); }

/* The index of the first byte of ones; BLOCK: there is none. */
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

const uint8_t *sheaf_find_any_scalar(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted)
{
	while (at < end && !is_wanted(*at, wanted)) at++;
	return at;
}

/* Sixteen bytes at a time, and what is left byte by byte. */
const uint8_t *sheaf_find_any_portable(const uint8_t *at, const uint8_t *end, const sheaf_wanted *wanted)
{
	const block a = load(wanted->bytes[0]), b = load(wanted->bytes[1]), c = load(wanted->bytes[2]);
	const block d = load(wanted->bytes[3]), e = load(wanted->bytes[4]), f = load(wanted->bytes[5]);
	for (; end - at >= BLOCK; at += BLOCK) {
		block v = load(at);
		int found = first_of(same(v, a) | same(v, b) | same(v, c) | same(v, d) | same(v, e) | same(v, f));
		if (found < BLOCK) return at + found;
	}
	return sheaf_find_any_scalar(at, end, wanted);
}
