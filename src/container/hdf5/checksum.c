/* SPDX-License-Identifier: MIT */
/* Bob Jenkins's lookup3, by which HDF5 protects its structures, and Fletcher's sum, by which it can
 * protect chunks. */
#include "container/hdf5/checksum.h"
#include "base/endian.h"
#include <string.h>

/* ---- lookup3 ---- */

static uint32_t rotate(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

/* What lookup3 calls mix. */
static void mix(uint32_t s[3])
{
	static const uint8_t bits[] = {4, 6, 8, 16, 19, 4};
	for (int i = 0; i < 6; i++) {
		uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
		*a = (*a - *c) ^ rotate(*c, bits[i]);
		*c += *b;
	}
}

/* What lookup3 calls final. */
static uint32_t finish(uint32_t s[3])
{
	static const uint8_t bits[] = {14, 11, 25, 16, 4, 14, 24};
	for (int i = 0; i < 7; i++) {
		uint32_t *to = &s[(i + 2) % 3];
		uint32_t from = s[(i + 1) % 3];
		*to = (*to ^ from) - rotate(from, bits[i]);
	}
	return s[2];
}

/* Returns the checksum of HDF5's structures, which is hashlittle of lookup3 with the initial value 0:
 * three words are mixed for each 12 bytes; what is left at the end, up to 12 bytes, goes through another
 * mixing. Bytes beyond the end count as zeros. */
uint32_t sheaf_hdf5_checksum(const void *data, size_t size)
{
	enum { WORDS = 3, WORD = 4, STEP = WORDS * WORD };
	const uint8_t *at = (const uint8_t *)data;
	uint8_t rest[STEP] = {0};
	uint32_t first = 0xdeadbeef + (uint32_t)size, s[WORDS] = {first, first, first};
	if (size == 0) return first;
	for (; size > STEP; size -= STEP, at += STEP) {
		for (size_t i = 0; i < WORDS; i++) s[i] += sheaf_load_u32le(at + WORD * i);
		mix(s);
	}
	memcpy(rest, at, size);
	for (size_t i = 0; i < WORDS; i++) s[i] += sheaf_load_u32le(rest + WORD * i);
	return finish(s);
}

/* ---- Fletcher ---- */

static uint32_t fold(uint32_t sum) { return (sum & 0xffff) + (sum >> 16); }

/* Returns the checksum of the filter fletcher32: sums of big-endian words of 16 bits modulo 65535, folded
 * before they can overflow. An odd byte at the end is the upper half of a word. */
uint32_t sheaf_hdf5_fletcher(const void *data, size_t size)
{
	enum { RUN = 360 /* words that cannot overflow the sums */ };
	const uint8_t *at = (const uint8_t *)data;
	uint32_t a = 0, b = 0;
	for (size_t words = size / 2; words > 0;) {
		size_t n = words < RUN ? words : RUN;
		words -= n;
		for (; n > 0; n--, at += 2) {
			a += (uint32_t)at[0] << 8 | at[1];
			b += a;
		}
		a = fold(a);
		b = fold(b);
	}
	if (size % 2) {
		a = fold(a + ((uint32_t)*at << 8));
		b = fold(b + a);
	}
	return fold(b) << 16 | fold(a);
}

_Bool sheaf_hdf5_is_fletcher(uint32_t stored, uint32_t sum)
{
	uint32_t other = (sum & 0x00ff00ff) << 8 | (sum >> 8 & 0x00ff00ff);
	return stored == sum || stored == other;
}
