/* SPDX-License-Identifier: MIT */
#include "batch/permutation.h"
#include "number/wide.h"

/* By Steele, Lea and Flood. */
uint64_t sheaf_next_key(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t root_above(uint64_t n)
{
	uint64_t low = 1, high = (uint64_t)1 << 31;
	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (middle * middle >= n)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void sheaf_permutation_make(sheaf_permutation *p, int64_t n, uint64_t seed, int64_t sweep, int64_t part)
{
	uint64_t state = seed;
	state = sheaf_next_key(&state) ^ (uint64_t)sweep;
	state = sheaf_next_key(&state) ^ (uint64_t)part;
	p->n = (uint64_t)n;
	p->columns = root_above(p->n);
	p->rows = (p->n + p->columns - 1) / p->columns;
	for (int r = 0; r < SHEAF_PERMUTATION_ROUNDS; r++) p->keys[r] = sheaf_next_key(&state);
}

/* A number below `below`, approximately uniform, from a half and a key. */
static uint64_t scatter(uint64_t half, uint64_t key, uint64_t below)
{
	uint64_t z = (half ^ key) * 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 32) * 0xd6e8feb86659fd93u;
	return sheaf_wide_mul(z, below).high;
}

static uint64_t add_below(uint64_t a, uint64_t b, uint64_t below)
{
	uint64_t sum = a + b;
	return sum >= below ? sum - below : sum;
}

static uint64_t one_pass(const sheaf_permutation *p, uint64_t i)
{
	uint64_t row = i / p->columns, column = i % p->columns;
	for (int r = 0; r < SHEAF_PERMUTATION_ROUNDS; r += 2) {
		row = add_below(row, scatter(column, p->keys[r], p->rows), p->rows);
		column = add_below(column, scatter(row, p->keys[r + 1], p->columns), p->columns);
	}
	return row * p->columns + column;
}

int64_t sheaf_permutation_at(const sheaf_permutation *p, int64_t i)
{
	uint64_t at = (uint64_t)i;
	do at = one_pass(p, at);
	while (at >= p->n);
	return (int64_t)at;
}
