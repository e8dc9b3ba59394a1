/* SPDX-License-Identifier: MIT */
/* Counts by size. Lengths of 2^16 and more are counted in bins, four for each power of two:
 *
 *     2^16     1.25 * 2^16     1.5 * 2^16     1.75 * 2^16     2^17     1.25 * 2^17 ...
 *       bin 0          bin 1          bin 2          bin 3      bin 4 ... */
#include "report/summary/histogram.h"
#include "base/memory.h"
#include <math.h>

enum { PARTS = 4, PART_BITS = 2, FIRST_POWER = 16 /* SHEAF_LENGTHS_EXACT is 2^16 */ };

/* The two bits below the leading one choose the quarter of its power of two. */
static int bin_of(int64_t length)
{
	int power = 63 - __builtin_clzll((unsigned long long)length);
	int part = (int)(length >> (power - PART_BITS)) & (PARTS - 1);
	return (power - FIRST_POWER) * PARTS + part;
}

int64_t sheaf_length_bin_begin(int bin)
{
	int power = FIRST_POWER + bin / PARTS;
	if (power > 62) return INT64_MAX;
	return (int64_t)(PARTS + bin % PARTS) << (power - PART_BITS);
}

int64_t sheaf_length_counts_next_bin(int64_t length) { return sheaf_length_bin_begin(bin_of(length) + 1); }

static sheaf_status make_bins(sheaf_length_counts *h, sheaf_context *cx, sheaf_error *err)
{
	if (h->bins) return SHEAF_OK;
	SHEAF_TRY(sheaf_allocate(cx, SHEAF_LENGTH_BINS * sizeof *h->bins, &h->bins, err));
	return SHEAF_OK;
}

/* Makes room to count `length` by itself. The table begins with few counts, since a dataset may have a
 * million streams, and doubles. */
static sheaf_status make_counts(sheaf_length_counts *h, int64_t length, sheaf_context *cx, sheaf_error *err)
{
	enum { LEAST = 8 };
	size_t room = h->room ? h->room : LEAST, old = h->room;
	while (room <= (size_t)length) room *= 2;
	if (room == old) return SHEAF_OK;
	SHEAF_TRY(sheaf_reallocate(cx, &h->counts, old * sizeof *h->counts, room * sizeof *h->counts, err));
	memset(h->counts + old, 0, (room - old) * sizeof *h->counts);
	h->room = room;
	return SHEAF_OK;
}

sheaf_status sheaf_length_counts_reserve(sheaf_length_counts *h, int64_t length, sheaf_context *cx,
                                         sheaf_error *err)
{
	if (length < SHEAF_LENGTHS_EXACT) return make_counts(h, length, cx, err);
	SHEAF_TRY(make_counts(h, SHEAF_LENGTHS_EXACT - 1, cx, err));
	return make_bins(h, cx, err);
}

sheaf_status sheaf_length_counts_add(sheaf_length_counts *h, int64_t length, int64_t times, sheaf_context *cx,
                                     sheaf_error *err)
{
	if (times == 0) return SHEAF_OK;
	if (length >= SHEAF_LENGTHS_EXACT)
		SHEAF_TRY(make_bins(h, cx, err));
	else if ((size_t)length >= h->room)
		SHEAF_TRY(make_counts(h, length, cx, err));
	if (length < SHEAF_LENGTHS_EXACT)
		h->counts[length] += times;
	else
		h->bins[bin_of(length)] += times;
	if (h->n == 0 || length < h->least) h->least = length;
	if (length > h->most) h->most = length;
	h->n += times;
	h->total += length * times;
	return SHEAF_OK;
}

sheaf_status sheaf_length_counts_prepare(sheaf_length_counts *h, const sheaf_length_counts *other,
                                         sheaf_context *cx, sheaf_error *err)
{
	if (other->room > h->room) SHEAF_TRY(make_counts(h, (int64_t)other->room - 1, cx, err));
	return other->bins ? make_bins(h, cx, err) : SHEAF_OK;
}

void sheaf_length_counts_merge(sheaf_length_counts *h, const sheaf_length_counts *other)
{
	if (other->n == 0) return;
	for (size_t i = 0; i < other->room; i++) h->counts[i] += other->counts[i];
	for (int i = 0; other->bins && i < SHEAF_LENGTH_BINS; i++) h->bins[i] += other->bins[i];
	if (h->n == 0 || other->least < h->least) h->least = other->least;
	if (other->most > h->most) h->most = other->most;
	h->n += other->n;
	h->total += other->total;
}

void sheaf_length_counts_free(sheaf_length_counts *h, sheaf_context *cx)
{
	sheaf_release(cx, h->counts, h->room * sizeof *h->counts);
	if (h->bins) sheaf_release(cx, h->bins, SHEAF_LENGTH_BINS * sizeof *h->bins);
	*h = (sheaf_length_counts){0};
}

/* The length of a rank, counted from 0. Beyond the table only the beginning of its bin is known. */
static double at_rank(const sheaf_length_counts *h, int64_t rank, bool *exact)
{
	int64_t seen = 0;
	for (size_t i = 0; i < h->room; i++)
		if ((seen += h->counts[i]) > rank) return (double)i;
	*exact = false;
	for (int i = 0; i < SHEAF_LENGTH_BINS; i++)
		if ((seen += sheaf_length_bin(h, i)) > rank) return (double)sheaf_length_bin_begin(i);
	return (double)h->most;
}

double sheaf_length_counts_quantile(const sheaf_length_counts *h, double share, bool *exact)
{
	double at = share * (double)(h->n - 1), rank = floor(at);
	double below = at_rank(h, (int64_t)rank, exact);
	return at > rank ? below + (at - rank) * (at_rank(h, (int64_t)rank + 1, exact) - below) : below;
}

int64_t sheaf_length_counts_between(const sheaf_length_counts *h, int64_t from, int64_t to)
{
	int64_t sum = 0;
	for (int64_t i = from; i < to && i < (int64_t)h->room; i++) sum += h->counts[i];
	for (int i = 0; h->bins && i < SHEAF_LENGTH_BINS; i++)
		if (sheaf_length_bin_begin(i) >= from && sheaf_length_bin_begin(i) < to) sum += h->bins[i];
	return sum;
}
