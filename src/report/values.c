/* SPDX-License-Identifier: MIT */
/* Values of one sign, exponent and beginning of the fraction are a group: their fractions are summed as
 * integers, and so are their squares, which is exact, and added to the sums once for each group. A group's
 * values are all in one bin. */
#include "report/values.h"
#include "report/histogram.h"
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

static inline float value_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ---- least and most ---- */

/* Of zeros the first one counts, whatever its sign. */
static double first_of(const float *values, int64_t n, float wanted)
{
	for (int64_t k = 0; k < n; k++)
		if (values[k] == wanted) return (double)values[k];
	return (double)wanted;
}

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
	if ((double)least[0] < v->least) v->least = first_of(values, n, least[0]);
	if ((double)most[0] > v->most) v->most = first_of(values, n, most[0]);
}

/* ---- groups ---- */

static bool are_usual(const float *values, int64_t n)
{
	uint32_t odd = 0;
	for (int64_t k = 0; k < n; k++) {
		uint32_t size = bits_of(values[k]) & magnitude;
		odd |= (uint32_t)(size - 1 < hidden - 1) | (uint32_t)(size >= infinite);
	}
	return odd == 0;
}

static void sort_into(group groups[GROUPS], const float *values, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		uint32_t bits = bits_of(values[k]);
		uint64_t fraction = (bits & (hidden - 1)) | (uint32_t)((bits & magnitude) != 0) << FRACTION;
		group *g = &groups[bits >> GROUP];
		g->count++;
		g->sum += fraction;
		g->squares += fraction * fraction;
	}
}

/* SHEAF_VALUES_MOST squares of 48 bits fit in 64. */
static void add_group(sheaf_value_counts *v, uint32_t key, const group *g)
{
	enum { BIAS = 127 + FRACTION, HALF = 32 };
	uint32_t begin = key << GROUP;
	int exponent = (int)(begin >> FRACTION & EXPONENT) - BIAS;
	bool negative = begin > magnitude;
	double sum = ldexp((double)g->sum, exponent);
	sheaf_exact_add(&v->sum, negative ? -sum : sum);
	sheaf_exact_add(&v->squares, ldexp((double)(g->squares & UINT32_MAX), 2 * exponent));
	sheaf_exact_add(&v->squares, ldexp((double)(g->squares >> HALF), 2 * exponent + HALF));
	v->negatives += negative ? (int64_t)g->count : 0;
	if (v->bins) v->bins[sheaf_value_bin((double)value_of(begin))] += (int64_t)g->count;
}

bool sheaf_values_add(sheaf_value_counts *v, const float *values, int64_t n)
{
	enum { ZEROS = GROUPS / 2 };
	group groups[GROUPS];
	if (n < 1 || n > SHEAF_VALUES_MOST || !are_usual(values, n)) return false;
	memset(groups, 0, sizeof groups);
	sort_into(groups, values, n);
	take_bounds(v, values, n);
	v->n += n;
	v->zeros += (int64_t)(groups[0].count + groups[ZEROS].count);
	for (uint32_t key = 0; key < GROUPS; key++)
		if (groups[key].count && key % ZEROS) add_group(v, key, &groups[key]);
	return true;
}
