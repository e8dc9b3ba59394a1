/* SPDX-License-Identifier: MIT */
/* Histograms as bars, for drawing and printing. */
#ifndef SHEAF_REPORT_BARS_H
#define SHEAF_REPORT_BARS_H

#include "report/summary/summary.h"

enum { SHEAF_MOST_BARS = 200, SHEAF_BAR_LABEL = 56 };

/* One bar: what it represents, and how much. */
typedef struct sheaf_bar {
	char label[SHEAF_BAR_LABEL];
	double from, to; /* for numbers: those from `from` on and below `to`; NaN: it is no range */
	double amount;
	double other; /* of another summary */
} sheaf_bar;

/* Lengths in at most about `most` bars of equal width; by powers of two if some are too long to be counted
 * one by one. `other`: another summary, whose amounts are counted in the same bars; NULL: there is none.
 * Returns their number. */
int sheaf_length_bars(const sheaf_length_counts *h, const sheaf_length_counts *other, int most,
                      sheaf_bar bars[SHEAF_MOST_BARS]);
/* Values by size on both sides of 0, with bars for 0 and for NaN and infinities if there are any: not many
 * more than `most`. */
int sheaf_value_bars(const sheaf_value_counts *v, const sheaf_value_counts *other, int most,
                     sheaf_bar bars[SHEAF_MOST_BARS]);
/* Counts by their rank, the largest first: the means of ranks 1, 2, 3 to 4, 5 to 8 and so on. */
int sheaf_rank_bars(const sheaf_length_counts *counts, sheaf_bar bars[SHEAF_MOST_BARS]);
/* Entries of a picture by its lines, or by its columns. */
int sheaf_raster_bars(const sheaf_raster *r, bool down, int most, sheaf_bar bars[SHEAF_MOST_BARS]);
double sheaf_most_amount(const sheaf_bar *bars, int n);

#endif
