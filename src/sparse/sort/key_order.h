/* SPDX-License-Identifier: MIT */
/* The order of keys: words, the first being the most significant. */
#ifndef SHEAF_SPARSE_SORT_KEY_ORDER_H
#define SHEAF_SPARSE_SORT_KEY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sheaf_key_order {
	int words; /* of a key */
	int bits;  /* significant bits, the lowest of all words */
	int loose; /* the lowest of these bits, in whose order entries already come if their higher bits are
	              equal; for several words all or none */
} sheaf_key_order;

/* Whether entries are already in order. */
static inline bool sheaf_key_order_is_done(const sheaf_key_order *k) { return k->loose == k->bits; }

/* Below 0, 0, above 0. */
static inline int sheaf_key_order_compare(const sheaf_key_order *k, const uint64_t *a, const uint64_t *b)
{
	for (int w = 0; w < k->words; w++)
		if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
	return 0;
}

#endif
