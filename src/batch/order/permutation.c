/* SPDX-License-Identifier: MIT */
/* The permutation as a Feistel network: number i is a cell of the grid; in each round a number that is
 * computed from one of its coordinates is added to the other, which can be undone, so no two cells become the
 * same. */
#include "batch/order/permutation.h"
#include "number/wide.h"

/* The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). */
uint64_t sheaf_next_key(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void sheaf_permutation_make(sheaf_permutation *p, int64_t n, uint64_t seed, int64_t sweep, int64_t part)
{
	uint64_t state = seed, low = 1, high = (uint64_t)1 << 31;
	state = sheaf_next_key(&state) ^ (uint64_t)sweep;
	state = sheaf_next_key(&state) ^ (uint64_t)part;
	p->n = (uint64_t)n;
	while (low < high) { /* the root of n, rounded up */
		uint64_t middle = (low + high) / 2;
		if (middle * middle >= p->n)
			high = middle;
		else
			low = middle + 1;
	}
	p->columns = low;
	p->rows = (p->n + p->columns - 1) / p->columns;
	for (int r = 0; r < SHEAF_PERMUTATION_ROUNDS; r++) p->keys[r] = sheaf_next_key(&state);
}

/* A number below `below`, approximately uniform, from one coordinate of a cell and a key. */
static uint64_t scatter(uint64_t coordinate, uint64_t key, uint64_t below)
{
	uint64_t z = (coordinate ^ key) * 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
	return sheaf_wide_mul(z, below).high;
}

static uint64_t add_below(uint64_t a, uint64_t b, uint64_t below)
{
	uint64_t sum = a + b;
	return sum >= below ? sum - below : sum;
}

int64_t sheaf_permutation_at(const sheaf_permutation *p, int64_t i)
{
	uint64_t at = (uint64_t)i;
	do {
		uint64_t row = at / p->columns, column = at % p->columns;
		for (int r = 0; r < SHEAF_PERMUTATION_ROUNDS; r += 2) {
			row = add_below(row, scatter(column, p->keys[r], p->rows), p->rows);
			column = add_below(column, scatter(row, p->keys[r + 1], p->columns), p->columns);
		}
		at = row * p->columns + column;
	} while (at >= p->n); /* a cell beyond n leads to another one, at last to a cell below n */
	return (int64_t)at;
}
