/* SPDX-License-Identifier: MIT */
/* Histograms as bars, for whoever draws or prints them. */
#ifndef SHEAF_REPORT_BARS_H
#define SHEAF_REPORT_BARS_H

#include "report/summary.h"

enum { SHEAF_MOST_BARS = 200, SHEAF_BAR_LABEL = 56 };

/* One bar: what it stands for, and how much. */
typedef struct sheaf_bar {
	char label[SHEAF_BAR_LABEL];
	double from, to; /* of numbers: it has those from `from` on and below `to`; NaN: it is no range */
	double amount;
	double other; /* of another summary */
} sheaf_bar;

/* Lengths in at most some `most` bars of equal width; where some are too long to be counted one by one, by
 * powers of two. `other`: another summary, whose amounts the same bars have; NULL: there is none. Gives how
 * many. */
int sheaf_length_bars(const sheaf_length_counts *h, const sheaf_length_counts *other, int most,
                      sheaf_bar bars[SHEAF_MOST_BARS]);
/* Values by size on both sides of 0, with bars for 0 and for what is not finite where there is any: not many
 * more than `most`. */
int sheaf_value_bars(const sheaf_value_counts *v, const sheaf_value_counts *other, int most,
                     sheaf_bar bars[SHEAF_MOST_BARS]);
/* Counts by their rank, the largest first: the means of ranks 1, 2, 3 to 4, 5 to 8 and so on. */
int sheaf_rank_bars(const sheaf_length_counts *counts, sheaf_bar bars[SHEAF_MOST_BARS]);
/* Entries of a picture by its lines, or across them. */
int sheaf_raster_bars(const sheaf_raster *r, bool down, int most, sheaf_bar bars[SHEAF_MOST_BARS]);
double sheaf_most_amount(const sheaf_bar *bars, int n);

#endif
