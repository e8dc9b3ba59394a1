/* SPDX-License-Identifier: MIT */
/* Figures that are computed from counts: quantiles, moments, and how much padding batches have.
 * docs/report.md says which of them are exact. */
#include "report/summary/summary.h"
#include <math.h>
#include <stdlib.h>

int64_t sheaf_values_finite(const sheaf_value_counts *v)
{
	return v->n - v->nans - v->infinite[0] - v->infinite[1];
}

int64_t sheaf_field_coded(const sheaf_field_summary *f)
{
	int64_t coded = 0;
	for (int c = 1; c < SHEAF_MISSING_CODES; c++) coded += f->codes[c];
	return coded;
}

/* The quantile of the values as far as bins tell it: the beginning of the bin in which this share of the
 * finite values ends, but not outside of the range of values. Zeros come between the negative and positive
 * bins. */
static double bin_quantile(const sheaf_value_counts *v, double share)
{
	int64_t finite = sheaf_values_finite(v), rank = (int64_t)ceil(share * (double)finite), seen = 0;
	for (int bin = 0; bin < SHEAF_VALUE_BINS; bin++) {
		if (bin == SHEAF_VALUE_BINS / 2 && (seen += v->zeros) >= rank && v->zeros) return 0;
		if ((seen += v->bins[bin]) >= rank && v->bins[bin])
			return fmin(fmax(sheaf_value_bin_begin(bin), v->least), v->most);
	}
	return v->most;
}

/* ---- exact quantiles ---- */

typedef struct value_count {
	double value;
	int64_t count;
} value_count;

static int by_value(const void *a, const void *b)
{
	double x = ((const value_count *)a)->value, y = ((const value_count *)b)->value;
	return x < y ? -1 : x > y;
}

/* The value below or at which this share of the finite values is, from values with their counts in order. */
static double counted_quantile(const value_count *values, int n, int64_t finite, double share)
{
	int64_t rank = (int64_t)ceil(share * (double)finite), seen = 0;
	for (int i = 0; i < n; i++)
		if ((seen += values[i].count) >= rank) return values[i].value;
	return NAN;
}

/* Exact quantiles come from the items, if all different values are still counted one by one (no halvings),
 * the others from the bins. NaN without a finite value. */
sheaf_quantiles sheaf_value_quantiles(const sheaf_field_summary *f)
{
	value_count values[SHEAF_FREQUENT_KEPT];
	const sheaf_value_counts *v = &f->values;
	int n = 0;
	int64_t finite = sheaf_values_finite(v);
	if (finite == 0 || !v->bins) return (sheaf_quantiles){NAN, NAN, NAN, false};
	if (!f->frequent.slots || f->frequent.halvings)
		return (sheaf_quantiles){bin_quantile(v, 0.5), bin_quantile(v, 0.95), bin_quantile(v, 0.99),
		                         v->least == v->most};
	for (int i = 0; i < SHEAF_FREQUENT_SLOTS; i++) {
		const sheaf_item_count *item = &f->frequent.slots[i];
		value_count *to = &values[n];
		if (!item->count || item->size != sizeof to->value) continue;
		*to = (value_count){sheaf_item_double(item), item->count};
		n += isfinite(to->value);
	}
	qsort(values, (size_t)n, sizeof *values, by_value);
	return (sheaf_quantiles){counted_quantile(values, n, finite, 0.5),
	                         counted_quantile(values, n, finite, 0.95),
	                         counted_quantile(values, n, finite, 0.99), true};
}

double sheaf_length_counts_mean(const sheaf_length_counts *h)
{
	return h->n ? (double)h->total / (double)h->n : 0;
}

sheaf_quantiles sheaf_length_quantiles(const sheaf_length_counts *h)
{
	bool exact[3];
	sheaf_quantiles q = {.p50 = (double)sheaf_length_counts_quantile(h, 0.5, &exact[0]),
	                     .p95 = (double)sheaf_length_counts_quantile(h, 0.95, &exact[1]),
	                     .p99 = (double)sheaf_length_counts_quantile(h, 0.99, &exact[2])};
	q.exact = exact[0] && exact[1] && exact[2];
	return q;
}

/* Whether the squares of all values are doubles of full precision, so that their sum is exact. */
static bool has_squares(const sheaf_value_counts *v)
{
	double most = fmax(fabs(v->least), fabs(v->most));
	return sheaf_values_finite(v) > 0 && most < 1e150 && (most == 0 || most > 1e-140);
}

double sheaf_values_deviation(const sheaf_value_counts *v)
{
	return has_squares(v) ? sqrt(sheaf_exact_variance(&v->sum, &v->squares, sheaf_values_finite(v))) : NAN;
}

double sheaf_values_norm(const sheaf_value_counts *v)
{
	return has_squares(v) ? sqrt(sheaf_exact_value(&v->squares)) : NAN;
}

/* ---- padding ---- */

/* The longest of `batch` lengths is at most l with the probability F(l)^batch, where F(l) is the share of
 * lengths of at most l. Its mean is the sum of 1 - F(l)^batch over all l from 0 on; in a bin of lengths that
 * are not counted one by one F counts as constant. */
double sheaf_expected_width(const sheaf_length_counts *h, int64_t batch)
{
	double below = 0, expected = 0;
	for (int64_t l = 0; l < (int64_t)h->room && l < h->most; l++) {
		below += (double)h->counts[l] / (double)h->n;
		expected += 1 - pow(fmin(below, 1), (double)batch);
	}
	for (int64_t l = SHEAF_LENGTHS_EXACT; l < h->most;) {
		int64_t next = sheaf_length_counts_next_bin(l);
		if (next > h->most) next = h->most;
		expected += (double)(next - l) * (1 - pow(fmin(below, 1), (double)batch));
		below += (double)sheaf_length_counts_between(h, l, next) / (double)h->n;
		l = next;
	}
	return expected;
}

double sheaf_padding_at_random(const sheaf_length_counts *h, int64_t batch)
{
	if (h->n == 0 || h->total == 0) return 0;
	double mean = sheaf_length_counts_mean(h), expected = sheaf_expected_width(h, batch);
	return expected > mean ? 1 - mean / expected : 0;
}

double sheaf_waiting_of_ranks(const sheaf_length_counts *h, int64_t batch, int64_t ranks)
{
	if (h->n == 0 || h->total == 0) return 0;
	double own = sheaf_expected_width(h, batch), widest = sheaf_expected_width(h, batch * ranks);
	return widest > own ? 1 - own / widest : 0;
}

/* The share of padding in batches of sequences that are sorted by length, so that each batch is as wide as
 * its last sequence. Going through the lengths, the sequences of one length first fill the batch that shorter
 * ones have begun, then make whole batches, and what remains begins the next one. */
double sheaf_padding_in_buckets(const sheaf_length_counts *h, int64_t batch)
{
	double area = 0; /* of all batches, in samples, with their padding */
	int64_t in_batch = 0;
	if (h->n == 0 || h->total == 0) return 0;
	for (int64_t l = 0; l < (int64_t)h->room; l++) {
		int64_t left = h->counts[l];
		if (left == 0) continue;
		int64_t first = batch - in_batch < left ? batch - in_batch : left;
		in_batch += first;
		left -= first;
		if (in_batch == batch) {
			area += (double)batch * (double)l;
			in_batch = 0;
		}
		int64_t whole = left - left % batch;
		area += (double)whole * (double)l;
		in_batch += left - whole;
	}
	int64_t longer = h->n;
	for (size_t l = 0; l < h->room; l++) longer -= h->counts[l];
	/* Sequences beyond the table count as if they had the largest length: an upper bound. */
	area += (double)(in_batch + longer) * (double)h->most;
	return area > (double)h->total ? 1 - (double)h->total / area : 0;
}
