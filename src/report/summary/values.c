/* SPDX-License-Identifier: MIT */
/* Many values at once, much faster than one by one, with the same exact sums.
 *
 * Float32s with the same leading 11 bits are a group:
 *
 *     sign (1)  exponent (8)  fraction (23 bits, of which 2 belong to the number of the group)
 *
 * The fractions of a group are summed as integers, and so are their squares, which is exact; both are added
 * to the sums of all values once for each group. All values of a group are in one bin of the histogram, since
 * bins, too, have two bits of the fraction. Small whole numbers, of which labels and pixels consist, are only
 * counted: how often each comes gives all the sums. */
#include "report/summary/values.h"
#include "report/summary/histogram.h"
#include "report/summary/lanes.h"
#include <math.h>
#include <string.h>

enum { FRACTION = 23, GROUP = 21, GROUPS = 1 << (32 - GROUP), EXPONENT = 0xff, LANES = 8 };
static const uint32_t hidden = UINT32_C(1) << FRACTION, magnitude = 0x7fffffff, infinite = 0x7f800000;

typedef struct group {
	uint64_t count, sum, squares; /* of whole fractions, with the hidden bit */
} group;

static inline uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* ---- least and most ---- */

/* Widens v->least and v->most to n values, of which at least one is given and none is NaN: LANES comparisons
 * at a time, which compilers turn into vector instructions. */
static void take_bounds(sheaf_value_counts *v, const float *values, int64_t n)
{
	float least[LANES], most[LANES];
	for (int i = 0; i < LANES; i++) least[i] = most[i] = values[0];
	int64_t k = 0;
	for (; k + LANES <= n; k += LANES)
		for (int i = 0; i < LANES; i++) {
			float x = values[k + i];
			least[i] = x < least[i] ? x : least[i];
			most[i] = x > most[i] ? x : most[i];
		}
	for (; k < n; k++) {
		least[0] = values[k] < least[0] ? values[k] : least[0];
		most[0] = values[k] > most[0] ? values[k] : most[0];
	}
	for (int i = 1; i < LANES; i++) {
		least[0] = least[i] < least[0] ? least[i] : least[0];
		most[0] = most[i] > most[0] ? most[i] : most[0];
	}
	if ((double)least[0] < v->least) v->least = sheaf_unsigned_zero((double)least[0]);
	if ((double)most[0] > v->most) v->most = sheaf_unsigned_zero((double)most[0]);
}

/* ---- groups ---- */

/* Adds a group to the sums of all values. Its squares have 48 bits each, and SHEAF_VALUES_MOST of them fit in
 * 64; a double holds half of these exactly. */
static void add_group(sheaf_value_counts *v, uint32_t key, const group *g)
{
	enum { BIAS = 127 + FRACTION, HALF = 32 };
	uint32_t begin = key << GROUP;
	float first; /* the value of the group with the smallest magnitude */
	memcpy(&first, &begin, sizeof first);
	int exponent = (int)(begin >> FRACTION & EXPONENT) - BIAS;
	bool negative = begin > magnitude;
	double sum = ldexp((double)g->sum, exponent);
	sheaf_exact_add(&v->sum, negative ? -sum : sum);
	sheaf_exact_add(&v->squares, ldexp((double)(g->squares & UINT32_MAX), 2 * exponent));
	sheaf_exact_add(&v->squares, ldexp((double)(g->squares >> HALF), 2 * exponent + HALF));
	v->negatives += negative ? (int64_t)g->count : 0;
	if (v->bins) v->bins[sheaf_value_bin((double)first)] += (int64_t)g->count;
}

/* ---- small whole numbers ---- */

/* Four tables are counted in turn, so that consecutive equal values do not wait for each other's addition in
 * memory. Zeros, of which most data have many, have several places for the same reason. */
enum { AT_ONCE = 1024, TABLES = 4, WHOLE = 2 * SHEAF_SMALL_WHOLE, ZERO_PLACES = 32 };

typedef struct wholes {
	int32_t block[AT_ONCE]; /* plus SHEAF_SMALL_WHOLE; zeros: one of the places from WHOLE on */
	uint16_t counts[TABLES][WHOLE + ZERO_PLACES];
} wholes;

/* Counts at most AT_ONCE values, a multiple of the number of lanes. Returns false if one of them is not a
 * small whole number; the counts cannot be used then. */
static bool take_wholes(wholes *w, const float *values, int64_t n)
{
	enum { MOVED = WHOLE - SHEAF_SMALL_WHOLE /* zeros, to the first of their places */ };
	sheaf_ints place = {MOVED, MOVED + 1, MOVED + 2, MOVED + 3};
	sheaf_ints odd = {0};
	for (int64_t k = 0; k < n; k += SHEAF_LANES) {
		sheaf_ints whole = sheaf_to_small_whole(sheaf_floats_at(values + k), &odd);
		whole += place & (whole == SHEAF_SMALL_WHOLE);
		place = (place + SHEAF_LANES) & (MOVED | (ZERO_PLACES - 1));
		memcpy(w->block + k, &whole, sizeof whole);
	}
	if (sheaf_any(odd)) return false;
	for (int64_t k = 0; k < n; k += TABLES) {
		const int32_t *four = w->block + k;
		w->counts[0][four[0]]++;
		w->counts[1][four[1]]++;
		w->counts[2][four[2]]++;
		w->counts[3][four[3]]++;
	}
	return true;
}

/* Adds n counted values to the sums: a count times the value, and times its square. */
static void add_counts(sheaf_value_counts *v, wholes *w, int64_t n)
{
	int64_t sum = 0, squares = 0;
	for (int t = 0; t < TABLES; t++)
		for (int i = WHOLE; i < WHOLE + ZERO_PLACES; i++)
			w->counts[t][SHEAF_SMALL_WHOLE] = (uint16_t)(w->counts[t][SHEAF_SMALL_WHOLE] + w->counts[t][i]);
	int least = SHEAF_SMALL_WHOLE, most = -SHEAF_SMALL_WHOLE;
	for (int i = 0; i < WHOLE; i++) {
		int64_t count = 0, value = i - SHEAF_SMALL_WHOLE;
		for (int t = 0; t < TABLES; t++) count += w->counts[t][i];
		if (count == 0) continue;
		sum += count * value;
		squares += count * value * value;
		v->negatives += value < 0 ? count : 0;
		v->zeros += value == 0 ? count : 0;
		least = value < least ? (int)value : least;
		most = (int)value;
		if (v->bins && value) v->bins[sheaf_value_bin((double)value)] += count;
	}
	sheaf_exact_add(&v->sum, (double)sum);
	sheaf_exact_add(&v->squares, (double)squares);
	v->n += n;
	if (least < v->least) v->least = least;
	if (most > v->most) v->most = most;
}

/* Adds as many values as fill lanes, if all values are small whole numbers, including the rest, which the
 * caller adds. Otherwise nothing is added. */
static bool add_whole(sheaf_value_counts *v, const float *values, int64_t n)
{
	wholes w;
	sheaf_ints odd = {0};
	for (; n % SHEAF_LANES; n--) (void)sheaf_to_small_whole((sheaf_floats){values[n - 1], 0, 0, 0}, &odd);
	if (n == 0 || sheaf_any(odd)) return false;
	memset(w.counts, 0, sizeof w.counts);
	for (int64_t at = 0; at < n; at += AT_ONCE)
		if (!take_wholes(&w, values + at, n - at < AT_ONCE ? n - at : AT_ONCE)) return false;
	add_counts(v, &w, n);
	return true;
}

/* The rest of small whole numbers that fills no lane is added as any other values. */
bool sheaf_values_add(sheaf_value_counts *v, const float *values, int64_t n)
{
	enum { ZEROS = GROUPS / 2 };
	group groups[GROUPS];
	if (n >= SHEAF_LANES && n <= SHEAF_VALUES_MOST && add_whole(v, values, n)) {
		values += n / SHEAF_LANES * SHEAF_LANES;
		n %= SHEAF_LANES;
		if (n == 0) return true;
	}
	if (n < 1 || n > SHEAF_VALUES_MOST) return false;
	/* No value may be NaN or infinite, or so small that its fraction has no hidden bit; zeros are usual.
	 * There is no branch for each value: `odd` collects what is wrong. */
	uint32_t odd = 0;
	for (int64_t k = 0; k < n; k++) {
		uint32_t size = bits_of(values[k]) & magnitude;
		odd |= (uint32_t)(size - 1 < hidden - 1) | (uint32_t)(size >= infinite);
	}
	if (odd) return false;
	memset(groups, 0, sizeof groups);
	for (int64_t k = 0; k < n; k++) {
		uint32_t bits = bits_of(values[k]);
		uint64_t fraction = (bits & (hidden - 1)) | (uint32_t)((bits & magnitude) != 0) << FRACTION;
		group *g = &groups[bits >> GROUP];
		g->count++;
		g->sum += fraction;
		g->squares += fraction * fraction;
	}
	take_bounds(v, values, n);
	v->n += n;
	v->zeros += (int64_t)(groups[0].count + groups[ZEROS].count);
	for (uint32_t key = 0; key < GROUPS; key++)
		if (groups[key].count && key % ZEROS) add_group(v, key, &groups[key]);
	return true;
}

/* ---- doubles ---- */

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
		sheaf_exact_add(&v->sum, value);
		sheaf_exact_add_product(&v->squares, value, value);
		if (value == 0)
			v->zeros++;
		else if (v->bins)
			v->bins[sheaf_value_bin(value)]++;
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
	const double small = 0x1p-480, large = 0x1p500, most_whole = 1 << 20, round = 0x1.8p52;
	int unusual = 0, odd = 0;
	for (int k = 0; k < n; k++) {
		double size = fabs(values[k]);
		int below = size < small, some = size != 0, within = size < large, short_one = size <= most_whole,
			rounded = size + round - round == size;
		unusual |= (below & some) | (within ^ 1);
		odd |= (short_one & rounded) ^ 1;
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
	(odd ? sum_doubles : sum_whole_doubles)(v, values, n);
	for (int k = 0; v->bins && k < n; k++)
		if (values[k] != 0) v->bins[sheaf_value_bin(values[k])]++;
}
