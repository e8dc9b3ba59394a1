/* SPDX-License-Identifier: MIT */
/* Samples of values by the hashes of their places, and counts in cells of equal width. */
#include "report/summary/sketch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ---- */

/* Values with the same hash, of merged datasets, are ordered by their bits. */
static int by_hash(const void *a, const void *b)
{
	const sheaf_sampled *x = (const sheaf_sampled *)a, *y = (const sheaf_sampled *)b;
	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : memcmp(&x->value, &y->value, sizeof x->value);
}

void sheaf_sample_trim(sheaf_sample *s)
{
	if (s->n == 0) return;
	qsort(s->values, (size_t)s->n, sizeof *s->values, by_hash);
	if (s->n < SHEAF_SAMPLE_KEPT) return;
	s->n = SHEAF_SAMPLE_KEPT;
	s->beyond = ~s->values[s->n - 1].hash;
}

void sheaf_sample_add(sheaf_sample *s, uint64_t hash, double value)
{
	s->values[s->n++] = (sheaf_sampled){hash, value == 0 ? 0 : value};
	if (s->n == SHEAF_SAMPLE_ROOM) sheaf_sample_trim(s);
}

void sheaf_sample_merge(sheaf_sample *s, const sheaf_sample *other)
{
	for (int i = 0; i < other->n; i++)
		if (sheaf_sample_takes(s, other->values[i].hash))
			sheaf_sample_add(s, other->values[i].hash, other->values[i].value);
}

/* ---- cells ---- */

enum { LEAST_POWER = -1020, PRECISION = 52 };

static int64_t cell_of(double v, int power) { return (int64_t)floor(ldexp(v, -power)); }

/* The least power of two of which few enough cells cover the range, and the numbers of cells are exact. It
 * only grows with the range, so that it does not matter in which steps a range has grown. */
static int power_of(double least, double most)
{
	double size = fmax(fabs(least), fabs(most)), half = most / 2 - least / 2;
	int power = size > 0 ? ilogb(size) - PRECISION : LEAST_POWER,
		narrow = half > 0 ? ilogb(half) + 1 - 14 : LEAST_POWER;
	if (narrow > power) power = narrow;
	if (power < LEAST_POWER) power = LEAST_POWER;
	while (cell_of(most, power) - cell_of(least, power) >= SHEAF_CELLS_KEPT) power++;
	return power;
}

/* Cells are joined in groups of 2^k, then they move up behind the new ones. */
void sheaf_cells_reach(sheaf_cells *c, double least, double most)
{
	int power = power_of(least, most);
	int64_t first = cell_of(least, power);
	if (c->begun && power == c->power && first == c->first) return;
	if (c->begun) {
		int joined = power - c->power < 63 ? power - c->power : 63;
		int64_t before = c->first >> joined;
		for (int64_t i = 0; joined && i < SHEAF_CELLS_KEPT; i++) {
			int64_t count = c->counts[i];
			c->counts[i] = 0;
			c->counts[((c->first + i) >> joined) - before] += count;
		}
		size_t moved = (size_t)(before - first);
		if (moved) {
			if (moved > SHEAF_CELLS_KEPT) moved = SHEAF_CELLS_KEPT;
			memmove(c->counts + moved, c->counts, (SHEAF_CELLS_KEPT - moved) * sizeof *c->counts);
			memset(c->counts, 0, moved * sizeof *c->counts);
		}
	}
	*c = (sheaf_cells){c->counts, first, power, true};
}

void sheaf_cells_add(sheaf_cells *c, const double *values, int n)
{
	double scale = ldexp(1, -c->power);
	for (int k = 0; k < n; k++) {
		double at = values[k] * scale;
		int64_t cell = (int64_t)at;
		c->counts[cell - ((double)cell > at) - c->first]++;
	}
}

void sheaf_cells_merge(sheaf_cells *c, const sheaf_cells *other)
{
	int joined = c->power - other->power < 63 ? c->power - other->power : 63;
	for (int64_t i = 0; other->begun && i < SHEAF_CELLS_KEPT; i++)
		if (other->counts[i]) c->counts[((other->first + i) >> joined) - c->first] += other->counts[i];
}

double sheaf_cells_edge(const sheaf_cells *c, double v)
{
	return ldexp(floor(ldexp(v, -c->power) + 0.5), c->power);
}

int64_t sheaf_cells_between(const sheaf_cells *c, double from, double to)
{
	int64_t sum = 0, begin = cell_of(from, c->power) - c->first, end = cell_of(to, c->power) - c->first;
	if (begin < 0) begin = 0;
	for (int64_t i = begin; i < end && i < SHEAF_CELLS_KEPT; i++) sum += c->counts[i];
	return sum;
}
