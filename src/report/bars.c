/* SPDX-License-Identifier: MIT */
/* Histograms as bars. */
#include "report/bars.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

int sheaf_length_bars(const sheaf_length_counts *h, int most, sheaf_bar bars[SHEAF_MOST_BARS])
{
	int n = 0;
	bool table = h->most < SHEAF_LENGTHS_EXACT;
	int64_t step = table ? (h->most - h->least) / most + 1 : 0, next;
	for (int64_t at = table ? h->least : 0; h->n && at <= h->most && n < SHEAF_MOST_BARS; at = next) {
		next = table                       ? at + step
		       : at >= SHEAF_LENGTHS_EXACT ? sheaf_length_counts_next_bin(at)
		                                   : at * 2 + (at == 0);
		if (next <= at) break;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = (double)at,
		                   .to = (double)next,
		                   .amount = (double)sheaf_length_counts_between(h, at, next)};
		if (next == at + 1)
			snprintf(bar->label, sizeof bar->label, "%" PRId64, at);
		else
			snprintf(bar->label, sizeof bar->label, "%" PRId64 " to %" PRId64, at, next - 1);
	}
	return n;
}

/* Runs of bins from the first to the last with something in it. */
static int bin_bars(const sheaf_value_counts *v, int from, int to, int most, sheaf_bar *bars)
{
	int first = from, last = to - 1, n = 0;
	while (first < to && !v->bins[first]) first++;
	while (last >= first && !v->bins[last]) last--;
	if (first > last) return 0;
	int step = (last - first) / most + 1;
	for (int bin = first; bin <= last; bin += step) {
		int end = bin + step < to ? bin + step : to;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = sheaf_value_bin_begin(bin), .to = sheaf_value_bin_begin(end)};
		for (int k = bin; k < end; k++) bar->amount += (double)v->bins[k];
		snprintf(bar->label, sizeof bar->label, "%.4g to %.4g", bar->from, bar->to);
	}
	return n;
}

static int special_bar(sheaf_bar *bar, const char *label, int64_t count)
{
	*bar = (sheaf_bar){.from = NAN, .to = NAN, .amount = (double)count};
	snprintf(bar->label, sizeof bar->label, "%s", label);
	return count > 0;
}

int sheaf_value_bars(const sheaf_value_counts *v, int most, sheaf_bar bars[SHEAF_MOST_BARS])
{
	if (!v->bins || v->n == 0) return 0;
	int n = special_bar(bars, "-inf", v->infinite[0]);
	n += bin_bars(v, 0, SHEAF_VALUE_BINS / 2, most / 2, bars + n);
	n += special_bar(bars + n, "0", v->zeros);
	n += bin_bars(v, SHEAF_VALUE_BINS / 2, SHEAF_VALUE_BINS, most / 2, bars + n);
	n += special_bar(bars + n, "+inf", v->infinite[1]);
	n += special_bar(bars + n, "NaN", v->nans);
	return n;
}

double sheaf_most_amount(const sheaf_bar *bars, int n)
{
	double most = 0;
	for (int i = 0; i < n; i++) most = fmax(most, bars[i].amount);
	return most;
}
