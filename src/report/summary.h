/* SPDX-License-Identifier: MIT */
/* A summary from the inside: what is counted of each field. */
#ifndef SHEAF_REPORT_SUMMARY_H
#define SHEAF_REPORT_SUMMARY_H

#include "report/exact.h"
#include "report/frequent.h"
#include "report/histogram.h"
#include "report/raster.h"
#include <sheaf/summary.h>

enum {
	SHEAF_PICTURED_FIELDS = 32, /* have more than numbers and histograms: memory for all would be too much */
	SHEAF_MOST_USES = 1 << 22   /* dims below have a count for each index */
};

/* Of finite values, and of others. */
typedef struct sheaf_value_counts {
	int64_t n, zeros, negatives, nans, infinite[2]; /* -inf, +inf */
	double least, most;
	sheaf_exact sum, squares;
	int64_t *bins; /* SHEAF_VALUE_BINS of them: finite values but zeros; NULL: not counted */
} sheaf_value_counts;

typedef struct sheaf_field_summary {
	sheaf_length_counts lengths; /* samples in a row; bytes of a text */
	sheaf_length_counts entries; /* stored values in a sample */
	sheaf_value_counts values;
	int64_t missing, coded;
	int64_t dim;
	int64_t *uses;           /* of each index, where dim <= SHEAF_MOST_USES; else NULL */
	sheaf_raster raster;     /* counts NULL: none */
	sheaf_frequent frequent; /* slots NULL: none */
} sheaf_field_summary;

struct sheaf_summary {
	sheaf_context *cx;
	sheaf_schema schema;
	sheaf_field_summary *fields;
	int64_t rows;
};

/* ---- what is made of the counts ---- */

/* The beginning of the bin in which this share of the finite values ends. */
double sheaf_values_quantile(const sheaf_value_counts *v, double share);
int64_t sheaf_values_finite(const sheaf_value_counts *v);
/* The share of padding where sequences of these lengths come in batches of `batch`, each as wide as its
 * longest: drawn at random, or sorted by length. */
double sheaf_padding_at_random(const sheaf_length_counts *h, int64_t batch);
double sheaf_padding_in_buckets(const sheaf_length_counts *h, int64_t batch);

#endif
