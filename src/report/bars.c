/* SPDX-License-Identifier: MIT */
/* Histograms as bars. Charts and drawings have room for some tens of bars, so neighbours share a bar where
 * there are more; another summary is counted in the same bars, so that both can be compared. */
#include "report/bars.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Gives a bar its label: "7", or "8 to 11" if it has several numbers, after what these are. */
static void name_range(sheaf_bar *bar, const char *what, int64_t from, int64_t last)
{
	if (from == last)
		snprintf(bar->label, sizeof bar->label, "%s%" PRId64, what, from);
	else
		snprintf(bar->label, sizeof bar->label, "%s%" PRId64 " to %" PRId64, what, from, last);
}

/* Bars have equal widths if all lengths, also those of the other summary, are counted one by one. Where they
 * are too long for that, the bars double from 0 on: 0, 1, 2 to 3, 4 to 7, and then the bins. */
int sheaf_length_bars(const sheaf_length_counts *h, const sheaf_length_counts *other, int most,
                      sheaf_bar bars[SHEAF_MOST_BARS])
{
	bool both = other && other->n;
	int64_t least = both && other->least < h->least ? other->least : h->least,
			end = both && other->most > h->most ? other->most : h->most, next;
	int n = 0;
	bool is_exact = end < SHEAF_LENGTHS_EXACT;
	int64_t step = is_exact ? (end - least) / most + 1 : 0;
	for (int64_t at = is_exact ? least : 0; h->n && at <= end && n < SHEAF_MOST_BARS; at = next) {
		next = is_exact                    ? at + step
		       : at >= SHEAF_LENGTHS_EXACT ? sheaf_length_counts_next_bin(at)
		                                   : at * 2 + (at == 0);
		if (next <= at) break;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = (double)at,
		                   .to = (double)next,
		                   .amount = (double)sheaf_length_counts_between(h, at, next),
		                   .other = both ? (double)sheaf_length_counts_between(other, at, next) : 0};
		name_range(bar, "", at, next - 1);
	}
	return n;
}

static bool has_bin(const sheaf_value_counts *v, const sheaf_value_counts *other, int bin)
{
	return v->bins[bin] || (other && other->bins[bin]);
}

/* Makes at most `most` bars of the bins of positive values, or of negative ones, from the first to the last
 * bin that either summary has, as many bins in each bar; returns their number. */
static int bin_bars(const sheaf_value_counts *v, const sheaf_value_counts *other, bool positive, int most,
                    sheaf_bar *bars)
{
	enum { HALF = SHEAF_VALUE_BINS / 2 };
	int from = positive ? HALF : 0, to = from + HALF, first = from, last = to - 1, n = 0;
	while (first < to && !has_bin(v, other, first)) first++;
	while (last >= first && !has_bin(v, other, last)) last--;
	if (first > last) return 0;
	int step = (last - first) / most + 1;
	for (int bin = first; bin <= last; bin += step) {
		int end = bin + step < to ? bin + step : to;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = sheaf_value_bin_begin(bin), .to = sheaf_value_bin_begin(end)};
		for (int k = bin; k < end; k++) {
			bar->amount += (double)v->bins[k];
			if (other) bar->other += (double)other->bins[k];
		}
		snprintf(bar->label, sizeof bar->label, "%.4g to %.4g", bar->from, bar->to);
	}
	return n;
}

/* Makes a bar without a range, for zeros, NaN or infinities. Returns 1, or 0 if neither summary has any: then
 * the next bar takes its place. */
static int special_bar(sheaf_bar *bar, const char *label, int64_t count, int64_t other)
{
	*bar = (sheaf_bar){.from = NAN, .to = NAN, .amount = (double)count, .other = (double)other};
	snprintf(bar->label, sizeof bar->label, "%s", label);
	return count > 0 || other > 0;
}

int sheaf_value_bars(const sheaf_value_counts *v, const sheaf_value_counts *other, int most,
                     sheaf_bar bars[SHEAF_MOST_BARS])
{
	static const sheaf_value_counts nothing;
	if (!v->bins || v->n == 0) return 0;
	if (other && !other->bins) other = NULL;
	const sheaf_value_counts *o = other ? other : &nothing;
	int n = special_bar(bars, "-inf", v->infinite[0], o->infinite[0]);
	n += bin_bars(v, other, false, most / 2, bars + n);
	n += special_bar(bars + n, "0", v->zeros, o->zeros);
	n += bin_bars(v, other, true, most / 2, bars + n);
	n += special_bar(bars + n, "+inf", v->infinite[1], o->infinite[1]);
	n += special_bar(bars + n, "NaN", v->nans, o->nans);
	return n;
}

/* The counts other than 0, ordered from the largest on, have ranks from 1 on. Bars double: the first has the
 * largest count, and a bar is the mean of the counts whose ranks are above `from` and at most `to`. Of counts
 * beyond the table only the beginning of their bin is known. */
int sheaf_rank_bars(const sheaf_length_counts *counts, sheaf_bar bars[SHEAF_MOST_BARS])
{
	int n = 0, room = (int)counts->room;
	int64_t used = counts->n - sheaf_length_counts_between(counts, 0, 1);
	for (int64_t from = 0, to = 1; from < used && n < SHEAF_MOST_BARS; from = to, to *= 2) {
		if (to > used) to = used;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = (double)from + 1, .to = (double)to + 1};
		int64_t rank = 0;
		for (int i = SHEAF_LENGTH_BINS - 1 + room; i > 0 && rank < to; i--) {
			int64_t times = i < room ? counts->counts[i] : sheaf_length_bin(counts, i - room);
			int64_t size = i < room ? i : sheaf_length_bin_begin(i - room);
			int64_t first = rank > from ? rank : from, last = rank + times < to ? rank + times : to;
			if (last > first) bar->amount += (double)(last - first) * (double)size;
			rank += times;
		}
		bar->amount /= (double)(to - from);
		name_range(bar, "rank ", from + 1, to);
	}
	return n;
}

int sheaf_raster_bars(const sheaf_raster *r, bool down, int most, sheaf_bar bars[SHEAF_MOST_BARS])
{
	int lines = down ? sheaf_raster_height(r) : sheaf_raster_width(r), step = (lines - 1) / most + 1, n = 0;
	int64_t each = down ? r->rows_to_a_cell : r->columns_to_a_cell, all = down ? r->rows : r->columns;
	for (int line = 0; line < lines; line += step) {
		int end = line + step < lines ? line + step : lines;
		int64_t from = line * each, to = end == lines ? all : end * each;
		sheaf_bar *bar = &bars[n++];
		*bar = (sheaf_bar){.from = (double)from, .to = (double)to};
		for (int k = line; k < end; k++)
			for (int i = 0; i < SHEAF_RASTER_SIDE; i++)
				bar->amount +=
					(double)r->counts[down ? k * SHEAF_RASTER_SIDE + i : i * SHEAF_RASTER_SIDE + k];
		name_range(bar, "", from, to - 1);
	}
	return n;
}

double sheaf_most_amount(const sheaf_bar *bars, int n)
{
	double most = 0;
	for (int i = 0; i < n; i++) most = fmax(most, bars[i].amount);
	return most;
}
