/* SPDX-License-Identifier: MIT */
/* The 64-bit Mersenne twister of Matsumoto and Nishimura, std::mt19937_64 in C++: CNTK's randomisers use
 * it. */
#ifndef SHEAF_BATCH_MERSENNE_H
#define SHEAF_BATCH_MERSENNE_H

#include <stdint.h>

enum { SHEAF_MERSENNE_WORDS = 312 };

typedef struct sheaf_mersenne {
	uint64_t words[SHEAF_MERSENNE_WORDS];
	int used;
} sheaf_mersenne;

void sheaf_mersenne_seed(sheaf_mersenne *m, uint64_t seed);
uint64_t sheaf_mersenne_next(sheaf_mersenne *m);

#endif
