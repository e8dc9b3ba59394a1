/* SPDX-License-Identifier: MIT */
/* Many values at once, much faster than one by one, with the same exact sums. */
#include "report/summary/values.h"
#include <math.h>
#include <string.h>

enum { LANES = 8 };

/* Counts one value, which may also be NaN, infinite or tiny. */
static void add_double(sheaf_value_counts *v, double value)
{
	v->n++;
	if (isnan(value)) {
		v->nans++;
	} else if (isinf(value)) {
		v->infinite[value > 0]++;
	} else {
		if (value < v->least) v->least = sheaf_unsigned_zero(value);
		if (value > v->most) v->most = sheaf_unsigned_zero(value);
		v->negatives += value < 0;
		v->zeros += value == 0;
		v->fractions += floor(value) != value;
		sheaf_exact_add(&v->sum, value);
		sheaf_exact_add_product(&v->squares, value, value);
		if (!v->cells.counts) return;
		sheaf_cells_reach(&v->cells, v->least, v->most);
		sheaf_cells_add(&v->cells, &value, 1);
	}
}

/* Adds small whole numbers to the sums. Sums of doubles are exact here, since they stay below 2^53:
 * SHEAF_DOUBLES_MOST squares of at most 2^40. */
static void sum_whole_doubles(sheaf_value_counts *v, const double *values, int n)
{
	double sums[LANES] = {0}, squares[LANES] = {0};
	int k = 0;
	for (; k + LANES <= n; k += LANES)
		for (int i = 0; i < LANES; i++) {
			sums[i] += values[k + i];
			squares[i] += values[k + i] * values[k + i];
		}
	for (; k < n; k++) {
		sums[0] += values[k];
		squares[0] += values[k] * values[k];
	}
	for (int i = 1; i < LANES; i++) {
		sums[0] += sums[i];
		squares[0] += squares[i];
	}
	sheaf_exact_add(&v->sum, sums[0]);
	sheaf_exact_add(&v->squares, squares[0]);
}

/* Doubles with one exponent: the sum of their fractions, which have 53 bits, and the sums of the products of
 * the high 26 and the low 27 bits of each fraction: high * high, high * low and low * low make up its
 * square. */
typedef struct double_group {
	int exponent;
	int64_t sum;
	uint64_t high, middle, low;
} double_group;

enum { LOW = 27, DOUBLE_FRACTION = 52, DOUBLE_BIAS = 1023 + DOUBLE_FRACTION, DOUBLE_EXPONENT = 0x7ff };

/* whole * 2^exponent */
static void add_scaled(sheaf_exact *sum, uint64_t whole, int exponent)
{
	enum { HALF = 32 };
	sheaf_exact_add(sum, ldexp((double)(whole & UINT32_MAX), exponent));
	sheaf_exact_add(sum, ldexp((double)(whole >> HALF), exponent + HALF));
}

static void add_double_group(sheaf_value_counts *v, const double_group *g)
{
	int exponent = g->exponent - DOUBLE_BIAS;
	uint64_t size = g->sum < 0 ? 0 - (uint64_t)g->sum : (uint64_t)g->sum;
	const double sign = g->sum < 0 ? -1 : 1;
	sheaf_exact_add(&v->sum, sign * ldexp((double)(size & UINT32_MAX), exponent));
	sheaf_exact_add(&v->sum, sign * ldexp((double)(size >> 32), exponent + 32));
	add_scaled(&v->squares, g->low, 2 * exponent);
	add_scaled(&v->squares, g->middle, 2 * exponent + LOW + 1);
	add_scaled(&v->squares, g->high, 2 * exponent + 2 * LOW);
}

/* Adds doubles to the sums, group by group: the group of an exponent is at the place that its last bits say;
 * if that of another exponent is there, this one is added first. None may be NaN, infinite or so small that
 * its square is not exact. */
static void sum_doubles(sheaf_value_counts *v, const double *values, int n)
{
	enum { PLACES = 32 };
	double_group groups[PLACES] = {{0}};
	for (int k = 0; k < n; k++) {
		uint64_t bits;
		memcpy(&bits, &values[k], sizeof bits);
		int exponent = (int)(bits >> DOUBLE_FRACTION) & DOUBLE_EXPONENT;
		double_group *g = &groups[exponent % PLACES];
		if ((g->exponent != exponent) & (exponent != 0)) {
			if (g->exponent) add_double_group(v, g);
			*g = (double_group){.exponent = exponent};
		}
		uint64_t fraction = (bits & ((UINT64_C(1) << DOUBLE_FRACTION) - 1)) | (uint64_t)(exponent != 0)
		                                                                          << DOUBLE_FRACTION;
		uint64_t high = fraction >> LOW, low = fraction & ((1 << LOW) - 1);
		g->sum += bits >> 63 ? -(int64_t)fraction : (int64_t)fraction;
		g->high += high * high;
		g->middle += high * low;
		g->low += low * low;
	}
	for (int i = 0; i < PLACES; i++)
		if (groups[i].exponent) add_double_group(v, &groups[i]);
}

/* Usual blocks of doubles have zeros and values whose squares are exact sums of doubles; or even small whole
 * numbers alone, whose sums are doubles. A few values, and unusual ones, are added one by one. */
void sheaf_doubles_add(sheaf_value_counts *v, const double *values, int n)
{
	enum { FEW = 8 };
	const double small = 0x1p-480, large = 0x1p500, most_whole = 1 << 20, round = 0x1p52, whole_from = 0x1p52;
	int unusual = 0, odd = 0, fractions = 0;
	for (int k = 0; k < n; k++) {
		double size = fabs(values[k]);
		int below = size < small, some = size != 0, within = size < large, short_one = size <= most_whole,
			rounded = (size + round - round == size) | (size >= whole_from);
		unusual |= (below & some) | (within ^ 1);
		odd |= (short_one & rounded) ^ 1;
		fractions += rounded ^ 1;
	}
	if (unusual || n < FEW) {
		for (int k = 0; k < n; k++) add_double(v, values[k]);
		return;
	}
	v->n += n;
	double least = v->least, most = v->most;
	int negatives = 0, zeros = 0;
	for (int k = 0; k < n; k++) {
		least = values[k] < least ? values[k] : least;
		most = values[k] > most ? values[k] : most;
		negatives += values[k] < 0;
		zeros += values[k] == 0;
	}
	v->least = sheaf_unsigned_zero(least);
	v->most = sheaf_unsigned_zero(most);
	v->negatives += negatives;
	v->zeros += zeros;
	v->fractions += fractions;
	(odd ? sum_doubles : sum_whole_doubles)(v, values, n);
	if (!v->cells.counts) return;
	sheaf_cells_reach(&v->cells, v->least, v->most);
	sheaf_cells_add(&v->cells, values, n);
}
