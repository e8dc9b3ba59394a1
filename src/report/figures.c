/* SPDX-License-Identifier: MIT */
/* Figures that are computed from counts: quantiles, moments, and how much padding batches have.
 * docs/report.md says which of them are exact. */
#include "base/memory.h"
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

/* ---- distributions ---- */

static int by_value(const void *a, const void *b)
{
	double x = ((const struct sheaf_value_count *)a)->value, y = ((const struct sheaf_value_count *)b)->value;
	return x < y ? -1 : x > y;
}

/* The items, if all different values are still counted one by one, else the sample. */
sheaf_status sheaf_distribution_of(const sheaf_field_summary *f, sheaf_context *cx, sheaf_distribution *out,
                                   sheaf_error *err)
{
	int64_t finite = sheaf_values_finite(&f->values);
	*out = (sheaf_distribution){.exact = finite <= f->sample.n};
	bool items = !out->exact && f->frequent.slots && f->frequent.halvings == 0;
	int n = items ? SHEAF_FREQUENT_SLOTS : f->sample.n;
	if (n == 0 || !f->sample.values) return SHEAF_OK;
	out->room = (size_t)n * sizeof *out->values;
	SHEAF_TRY(sheaf_allocate(cx, out->room, &out->values, err));
	for (int i = 0; i < n; i++) {
		struct sheaf_value_count *to = &out->values[out->n];
		const sheaf_item_count *item = items ? &f->frequent.slots[i] : NULL;
		if (item && (!item->count || item->size != sizeof to->value)) continue;
		to->value = item ? sheaf_item_double(item) : f->sample.values[i].value;
		to->count = item ? item->count : 1;
		if (!isfinite(to->value)) continue;
		out->total += to->count;
		out->n++;
	}
	out->exact |= items;
	qsort(out->values, (size_t)out->n, sizeof *out->values, by_value);
	return SHEAF_OK;
}

void sheaf_distribution_free(sheaf_distribution *d, sheaf_context *cx)
{
	if (d->values) sheaf_release(cx, d->values, d->room);
	*d = (sheaf_distribution){0};
}

/* The value of a rank, counted from 0. */
static double at_rank(const sheaf_distribution *d, int64_t rank)
{
	int64_t seen = 0;
	for (int i = 0; i < d->n; i++)
		if ((seen += d->values[i].count) > rank) return d->values[i].value;
	return d->n ? d->values[d->n - 1].value : NAN;
}

double sheaf_distribution_at(const sheaf_distribution *d, double share)
{
	double at = share * (double)(d->total - 1), rank = floor(at);
	double below = at_rank(d, (int64_t)rank), above = at_rank(d, (int64_t)rank + 1), part = at - rank;
	return part > 0 ? below * (1 - part) + above * part : below;
}

int64_t sheaf_distribution_below(const sheaf_distribution *d, double v)
{
	int64_t below = 0;
	for (int i = 0; i < d->n && d->values[i].value < v; i++) below += d->values[i].count;
	return below;
}

sheaf_quantiles sheaf_distribution_quantiles(const sheaf_distribution *d)
{
	return (sheaf_quantiles){sheaf_distribution_at(d, 0.5), sheaf_distribution_at(d, 0.95),
	                         sheaf_distribution_at(d, 0.99), d->exact};
}

double sheaf_length_counts_mean(const sheaf_length_counts *h)
{
	return h->n ? (double)h->total / (double)h->n : 0;
}

sheaf_quantiles sheaf_length_quantiles(const sheaf_length_counts *h)
{
	sheaf_quantiles q = {.exact = true};
	q.p50 = sheaf_length_counts_quantile(h, 0.5, &q.exact);
	q.p95 = sheaf_length_counts_quantile(h, 0.95, &q.exact);
	q.p99 = sheaf_length_counts_quantile(h, 0.99, &q.exact);
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
