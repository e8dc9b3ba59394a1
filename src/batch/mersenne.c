/* SPDX-License-Identifier: MIT */
#include "batch/mersenne.h"

enum { SHIFT = 156 };

void sheaf_mersenne_seed(sheaf_mersenne *m, uint64_t seed)
{
	m->words[0] = seed;
	for (int i = 1; i < SHEAF_MERSENNE_WORDS; i++) {
		uint64_t before = m->words[i - 1];
		m->words[i] = 6364136223846793005u * (before ^ before >> 62) + (uint64_t)i;
	}
	m->used = SHEAF_MERSENNE_WORDS;
}

static void twist(sheaf_mersenne *m)
{
	const uint64_t upper = 0xffffffff80000000u, lower = 0x7fffffffu, matrix = 0xb5026f5aa96619e9u;
	for (int i = 0; i < SHEAF_MERSENNE_WORDS; i++) {
		uint64_t x = (m->words[i] & upper) | (m->words[(i + 1) % SHEAF_MERSENNE_WORDS] & lower);
		m->words[i] = m->words[(i + SHIFT) % SHEAF_MERSENNE_WORDS] ^ x >> 1 ^ (x & 1 ? matrix : 0);
	}
	m->used = 0;
}

uint64_t sheaf_mersenne_next(sheaf_mersenne *m)
{
	if (m->used == SHEAF_MERSENNE_WORDS) twist(m);
	uint64_t x = m->words[m->used++];
	x ^= x >> 29 & 0x5555555555555555u;
	x ^= x << 17 & 0x71d67fffeda60000u;
	x ^= x << 37 & 0xfff7eee000000000u;
	return x ^ x >> 43;
}
