/* SPDX-License-Identifier: MIT */
/* Means of units. A sum is an integer in units of 2^-16 modulo 2^64, so that the order in which values are
 * added does not matter, nor how they are divided among threads.
 *
 * Samples of float32 are added tile by tile: TILE units of ROWS samples, which stay in the L1 cache. A tile
 * of small whole numbers is summed as it is, other tiles are rounded first; values beyond the bounds and the
 * units at the end that fill no vector are added one by one. */
#include "report/summary/pattern.h"
#include "base/memory.h"
#include "report/summary/lanes.h"
#include <math.h>

static const double unit = 1 << 16;

static int events_of(int64_t units)
{
	int64_t events = SHEAF_PATTERN_CELLS / units;
	return events < SHEAF_PATTERN_EVENTS ? (int)events : SHEAF_PATTERN_EVENTS;
}

size_t sheaf_pattern_bytes(int64_t units)
{
	return (size_t)units * (size_t)events_of(units) * sizeof(struct sheaf_pattern_cell);
}

sheaf_status sheaf_pattern_begin(sheaf_pattern *p, int64_t units, sheaf_context *cx, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(cx, sheaf_pattern_bytes(units), &memory, err));
	*p = (sheaf_pattern){units, events_of(units), (struct sheaf_pattern_cell *)memory};
	return SHEAF_OK;
}

void sheaf_pattern_free(sheaf_pattern *p, sheaf_context *cx)
{
	if (p->cells) sheaf_release(cx, p->cells, sheaf_pattern_bytes(p->units));
	*p = (sheaf_pattern){0};
}

/* ---- many at once ---- */

enum { TILE = 256, ROWS = 16 };

typedef struct tile {
	const float *values;
	int64_t units; /* distance from one sample to the next */
	int n, rows;   /* n is a multiple of the number of lanes */
} tile;

static sheaf_floats floats_of(const tile *t, int row, int k)
{
	return sheaf_floats_at(t->values + row * t->units + k);
}

/* Whether the magnitudes of all values are at most 2^14, so that they fit into 32 bits in units of 2^-16. The
 * bits of floats without their sign are compared as integers, which have the same order; NaN is beyond. */
static bool are_within_bounds(const tile *t)
{
	enum { MOST_BITS = 0x46800000 /* of 2^14 */ };
	sheaf_ints beyond = {0};
	for (int r = 0; r < t->rows; r++)
		for (int k = 0; k < t->n; k += SHEAF_LANES) beyond |= sheaf_sizes_of(floats_of(t, r, k)) > MOST_BITS;
	return !sheaf_any(beyond);
}

/* Adds a tile of small whole numbers; returns false, and adds nothing, if it has any other value. */
static bool add_whole(struct sheaf_pattern_cell *cells, const tile *t)
{
	const int64_t one = 1 << 16;
	int32_t sums[TILE];
	for (int k = 0; k < t->n; k += SHEAF_LANES) {
		sheaf_bits sum = {0}; /* of others, too, until they are found to be odd */
		sheaf_ints odd = {0};
		for (int r = 0; r < t->rows; r++) sum += (sheaf_bits)sheaf_to_small_whole(floats_of(t, r, k), &odd);
		if (sheaf_any(odd)) return false;
		memcpy(sums + k, &sum, sizeof sum);
	}
	for (int k = 0; k < t->n; k++) {
		cells[k].n += t->rows;
		cells[k].sum += one * (sums[k] - t->rows * SHEAF_SMALL_WHOLE);
	}
	return true;
}

/* Adds a tile of values within the bounds, in units of 2^-16, rounded to the nearest: before the rest is cut
 * off, the float just below one half is added, since one half would round up a number just below one half. */
static void add_rounded(struct sheaf_pattern_cell *cells, const tile *t)
{
	const float half = 0x1.fffffep-2f, one = 1 << 16;
	const sheaf_floats halves = {half, half, half, half};
	for (int k = 0; k < t->n; k += SHEAF_LANES) {
		int64_t sums[SHEAF_LANES] = {0};
		for (int r = 0; r < t->rows; r++) {
			sheaf_floats v = floats_of(t, r, k);
			sheaf_ints sign = (sheaf_ints)v & ~0x7fffffff;
			sheaf_ints rounded =
				__builtin_convertvector(v * one + (sheaf_floats)((sheaf_ints)halves | sign), sheaf_ints);
			for (int i = 0; i < SHEAF_LANES; i++) sums[i] += rounded[i];
		}
		for (int i = 0; i < SHEAF_LANES; i++) {
			cells[k + i].n += t->rows;
			cells[k + i].sum += sums[i];
		}
	}
}

static void add_each(struct sheaf_pattern_cell *cells, const tile *t)
{
	for (int r = 0; r < t->rows; r++)
		for (int k = 0; k < t->n; k++) sheaf_pattern_add(&cells[k], (double)t->values[r * t->units + k]);
}

void sheaf_pattern_add_all(struct sheaf_pattern_cell *cells, const float *values, int64_t units, int64_t rows)
{
	for (int64_t r = 0; r < rows; r += ROWS)
		for (int64_t u = 0; u < units; u += TILE) {
			tile t = {.values = values + r * units + u,
			          .units = units,
			          .n = units - u < TILE ? (int)(units - u) : TILE,
			          .rows = rows - r < ROWS ? (int)(rows - r) : ROWS};
			tile full = t, rest = t; /* what fills vectors, and what does not */
			full.n -= t.n % SHEAF_LANES;
			rest.n -= full.n;
			rest.values += full.n;
			if (!add_whole(cells + u, &full))
				(are_within_bounds(&full) ? add_rounded : add_each)(cells + u, &full);
			add_each(cells + u + full.n, &rest);
		}
}

void sheaf_pattern_merge(sheaf_pattern *p, const sheaf_pattern *other)
{
	for (int64_t i = 0; i < p->units * p->events; i++) {
		p->cells[i].n += other->cells[i].n;
		p->cells[i].sum = (int64_t)((uint64_t)p->cells[i].sum + (uint64_t)other->cells[i].sum);
	}
}

double sheaf_pattern_mean(const sheaf_pattern *p, int64_t event, int64_t u)
{
	const struct sheaf_pattern_cell *cell = &sheaf_pattern_event(p, event)[u];
	return cell->n ? (double)cell->sum / unit / (double)cell->n : NAN;
}

double sheaf_pattern_total(const sheaf_pattern *p, int64_t u, int64_t *n)
{
	double sum = 0;
	*n = 0;
	for (int e = 0; e < p->events; e++) {
		const struct sheaf_pattern_cell *cell = &sheaf_pattern_event(p, e)[u];
		sum += (double)cell->sum / unit;
		*n += cell->n;
	}
	return sum;
}
