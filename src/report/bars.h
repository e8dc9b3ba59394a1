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
	bool whole;      /* it has whole numbers */
	bool apart;      /* it does not stand on the axis of the others */
	double amount;
	double other; /* of another summary */
} sheaf_bar;

/* Lengths in at most about `most` bars of equal width; by powers of two if some are too long to be counted
 * one by one. `other`: another summary, whose amounts are counted in the same bars; NULL: there is none.
 * Returns their number. */
int sheaf_length_bars(const sheaf_length_counts *h, const sheaf_length_counts *other, int most,
                      sheaf_bar bars[SHEAF_MOST_BARS]);
/* The values of a field, for people. */
typedef struct sheaf_spread_values {
	const sheaf_field *field;
	const sheaf_field_summary *f;
	sheaf_distribution d;
} sheaf_spread_values;

/* How the bars of values stand on their axis. */
typedef enum sheaf_axis {
	SHEAF_AXIS_EQUAL,       /* equal widths over the range of all values */
	SHEAF_AXIS_MIDDLE,      /* the same over the middle of the range: outliers are bars apart */
	SHEAF_AXIS_LOGARITHMIC, /* equal ratios */
} sheaf_axis;

/* Values in at most about `most` bars on an axis that their distribution chooses, with bars apart for NaN,
 * infinities and what the axis has not. *other: of another summary, counted in the same bars; NULL: there is
 * none. *exact: amounts are counts, not estimates. */
int sheaf_value_bars(const sheaf_spread_values *v, const sheaf_spread_values *other, int most,
                     sheaf_bar bars[SHEAF_MOST_BARS], sheaf_axis *axis, bool *exact);
/* A value in words, as short as a label has to be; a time as a time. */
void sheaf_value_words(const sheaf_field *field, double v, char *text, size_t size);
/* The unit of a field's values: of numbers 1. */
double sheaf_seconds_of(const sheaf_field *field);
/* A difference of values: of times a duration. */
void sheaf_difference_words(const sheaf_field *field, double v, char *text, size_t size);
/* Counts by their rank, the largest first: the means of ranks 1, 2, 3 to 4, 5 to 8 and so on. */
int sheaf_rank_bars(const sheaf_length_counts *counts, sheaf_bar bars[SHEAF_MOST_BARS]);
/* Entries of a picture by its lines, or by its columns. */
int sheaf_raster_bars(const sheaf_raster *r, bool down, int most, sheaf_bar bars[SHEAF_MOST_BARS]);
double sheaf_most_amount(const sheaf_bar *bars, int n);

#endif
