/* SPDX-License-Identifier: MIT */
/* Figures that are made of counts. */
#include "report/summary.h"
#include <math.h>

int64_t sheaf_values_finite(const sheaf_value_counts *v)
{
	return v->n - v->nans - v->infinite[0] - v->infinite[1];
}

double sheaf_values_quantile(const sheaf_value_counts *v, double share)
{
	int64_t finite = sheaf_values_finite(v), rank = (int64_t)ceil(share * (double)finite), seen = 0;
	if (finite == 0 || !v->bins) return NAN;
	for (int bin = 0; bin < SHEAF_VALUE_BINS; bin++) {
		if (bin == SHEAF_VALUE_BINS / 2 && (seen += v->zeros) >= rank && v->zeros) return 0;
		if ((seen += v->bins[bin]) >= rank && v->bins[bin])
			return fmin(fmax(sheaf_value_bin_begin(bin), v->least), v->most);
	}
	return v->most;
}

/* The longest of `batch` is below l with the probability F(l)^batch, F being the share of lengths below. */
double sheaf_padding_at_random(const sheaf_length_counts *h, int64_t batch)
{
	double below = 0, expected = 0;
	if (h->n == 0 || h->total == 0) return 0;
	for (int64_t l = 0; l < (int64_t)h->room && l < h->most; l++) {
		below += (double)h->counts[l] / (double)h->n;
		expected += 1 - pow(fmin(below, 1), (double)batch);
	}
	for (int64_t l = SHEAF_LENGTHS_EXACT; l < h->most;) {
		int64_t next = sheaf_length_counts_next_bin(l);
		expected += (double)(next - l) * (1 - pow(fmin(below, 1), (double)batch));
		below += (double)sheaf_length_counts_between(h, l, next) / (double)h->n;
		l = next;
	}
	double mean = (double)h->total / (double)h->n;
	return expected > mean ? 1 - mean / expected : 0;
}

/* Sorted by length: each batch is as wide as its last sequence. */
double sheaf_padding_in_buckets(const sheaf_length_counts *h, int64_t batch)
{
	double wide = 0;
	int64_t in_batch = 0;
	if (h->n == 0 || h->total == 0) return 0;
	for (int64_t l = 0; l < (int64_t)h->room; l++) {
		int64_t left = h->counts[l];
		if (left == 0) continue;
		int64_t first = batch - in_batch < left ? batch - in_batch : left;
		in_batch += first;
		left -= first;
		if (in_batch == batch) {
			wide += (double)batch * (double)l;
			in_batch = 0;
		}
		wide += (double)(left / batch * batch) * (double)l;
		in_batch += left % batch;
	}
	int64_t longer = h->n;
	for (size_t l = 0; l < h->room; l++) longer -= h->counts[l];
	/* Those beyond the table count as long as the longest: an upper bound. */
	wide += (double)(in_batch + longer) * (double)h->most;
	return wide > (double)h->total ? 1 - (double)h->total / wide : 0;
}
