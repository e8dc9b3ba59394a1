/* SPDX-License-Identifier: MIT */
/* The inside of a summary: what is counted for each field. */
#ifndef SHEAF_REPORT_SUMMARY_SUMMARY_H
#define SHEAF_REPORT_SUMMARY_SUMMARY_H

#include "report/matrix/profile.h"
#include "report/page/raster.h"
#include "report/summary/contradictions.h"
#include "report/summary/exact.h"
#include "report/summary/frequent.h"
#include "report/summary/histogram.h"
#include "report/summary/pattern.h"
#include "report/summary/sketch.h"
#include <sheaf/summary.h>
#include <sheaf/tensor.h>

enum {
	SHEAF_PICTURED_FIELDS =
		32, /* fields that have more than numbers and histograms: memory for all would be too much */
	SHEAF_MOST_USES = 1 << 22, /* dims below this have a count for each index */
	SHEAF_MISSING_CODES = 128  /* 0 to 127 */
};

/* More than any dataset has: reading a saved summary accepts no more, so sums of counts cannot overflow. */
static const int64_t sheaf_most_counted = INT64_C(1) << 56;

/* Counts of all values, of which n counts every one; sums and bounds are of the finite ones. */
typedef struct sheaf_value_counts {
	int64_t n, zeros, negatives, nans, infinite[2]; /* -inf, +inf */
	int64_t fractions;                              /* that are not whole */
	double least, most;
	sheaf_exact sum, squares;
	sheaf_cells cells; /* of the finite ones */
} sheaf_value_counts;

/* Bounds have no sign of zero: which zero comes first depends on threads. */
static inline double sheaf_unsigned_zero(double v) { return v == 0 ? 0 : v; }

/* The role of a stream for a network. */
typedef enum sheaf_side { SHEAF_SIDE_NONE, SHEAF_SIDE_INPUT, SHEAF_SIDE_TARGET } sheaf_side;

typedef struct sheaf_field_summary {
	sheaf_length_counts lengths; /* samples in a row; bytes of a text */
	sheaf_length_counts entries; /* stored values in a sample */
	sheaf_value_counts values;
	sheaf_sample sample; /* of finite values */
	int64_t missing;
	int64_t codes[SHEAF_MISSING_CODES]; /* the reasons, by code; 0 is not counted: no reason is given */
	int64_t other_keys;                 /* keys that are not their row's number */
	int64_t least_index, most_index;    /* -1: there is none */
	int64_t dim;
	sheaf_buffer names; /* for indices: a line each; empty: there are none */
	/* Needs memory, and is left out if it would need too much. */
	int64_t *uses;           /* for each index, if dim <= SHEAF_MOST_USES; NULL: not counted */
	sheaf_raster raster;     /* counts NULL: none */
	sheaf_frequent frequent; /* slots NULL: none */
	sheaf_pattern pattern;   /* cells NULL: none */
	sheaf_side side;
} sheaf_field_summary;

/* What is counted for a field besides its numbers. */
enum {
	SHEAF_COUNTS_SKETCH = 1, /* a sample and cells */
	SHEAF_COUNTS_USES = 2,
	SHEAF_COUNTS_RASTER = 4,
	SHEAF_COUNTS_ITEMS = 8,
	SHEAF_COUNTS_PATTERN = 16
};

/* For a matrix: entries on the diagonal, and the largest distance of the others from it. */
typedef struct sheaf_band {
	int64_t diagonal, lower, upper;
} sheaf_band;

struct sheaf_summary {
	sheaf_context *cx;
	sheaf_schema schema;
	sheaf_field_summary *fields;
	int64_t rows;
	sheaf_profile *profile;              /* of a tensor; NULL: it is not wanted, or not finished */
	sheaf_profile *gathered;             /* the same while frames come */
	sheaf_contradictions contradictions; /* slots NULL: they are not searched for */
	bool sides_given;
	int64_t entries; /* of a tensor, including those that its structure implies */
	sheaf_band band;
	struct sheaf_shares *shares; /* what is counted by several threads; NULL: nothing */
};

/* The number of leading coordinates. */
int sheaf_schema_rank(const sheaf_schema *schema);
/* Whether the means of its units form a picture. */
bool sheaf_field_has_pattern(const sheaf_field *field);
/* Widens the range of indices that are used by one. */
void sheaf_field_see(sheaf_field_summary *to, int64_t index);
/* Frees the tables of a set of SHEAF_COUNTS_, which are not counted any more. */
void sheaf_field_drop(sheaf_field_summary *f, unsigned counts, sheaf_context *cx);
/* What can be counted for a field: a set of SHEAF_COUNTS_. */
unsigned sheaf_field_counts(const sheaf_summary *s, int field);
/* What is counted for a field: the tables that were allocated. */
unsigned sheaf_field_counted(const sheaf_field_summary *f);
/* The memory that a set of SHEAF_COUNTS_ takes. */
size_t sheaf_field_cost(const sheaf_summary *s, int field, unsigned counts);
/* An empty summary in which `counts(user, field)` says what is counted for each field. */
SHEAF_USE sheaf_status sheaf_summary_begin(const sheaf_schema *schema, sheaf_context *cx,
                                           unsigned (*counts)(void *user, const sheaf_summary *s, int field),
                                           void *user, sheaf_summary **out, sheaf_error *err);
/* Frees a summary; NULL is allowed. */
void sheaf_summary_end(sheaf_summary *s);
/* Adds a frame that was checked, except to a profile. */
SHEAF_USE sheaf_status sheaf_summary_count(sheaf_summary *s, const sheaf_frame *frame, int64_t row,
                                           sheaf_error *err);
/* Adds the counts of another summary of the same fields. If memory runs out, nothing was added. */
SHEAF_USE sheaf_status sheaf_summary_count_merge(sheaf_summary *s, const sheaf_summary *other,
                                                 sheaf_error *err);
/* Before anything is read from a summary: merges what threads have counted apart. */
SHEAF_USE sheaf_status sheaf_summary_join(const sheaf_summary *s, sheaf_error *err);

/* ---- figures from the counts ---- */

typedef struct sheaf_quantiles {
	double p50, p95, p99;
	bool exact; /* otherwise they are about right: within 1.2 % of their ranks */
} sheaf_quantiles;

/* The finite values of a field in order, with how often each comes: all of them, or those of the sample. */
typedef struct sheaf_distribution {
	struct sheaf_value_count {
		double value;
		int64_t count;
	} * values;
	int n;
	size_t room;
	int64_t total; /* of the counts */
	bool exact;    /* it has all values */
} sheaf_distribution;

SHEAF_USE sheaf_status sheaf_distribution_of(const sheaf_field_summary *f, sheaf_context *cx,
                                             sheaf_distribution *out, sheaf_error *err);
void sheaf_distribution_free(sheaf_distribution *d, sheaf_context *cx);
/* The value below which this share of all is, between two values in proportion; NaN if there is none. */
double sheaf_distribution_at(const sheaf_distribution *d, double share);
/* How many of its values are less than v. */
int64_t sheaf_distribution_below(const sheaf_distribution *d, double v);
sheaf_quantiles sheaf_distribution_quantiles(const sheaf_distribution *d);
double sheaf_length_counts_mean(const sheaf_length_counts *h);
sheaf_quantiles sheaf_length_quantiles(const sheaf_length_counts *h);
/* Of finite values; NaN if their squares are beyond the range of exact sums. */
double sheaf_values_deviation(const sheaf_value_counts *v);
double sheaf_values_norm(const sheaf_value_counts *v);
int64_t sheaf_values_finite(const sheaf_value_counts *v);
/* How many positions are missing with a code. */
int64_t sheaf_field_coded(const sheaf_field_summary *f);
/* The mean of the longest of `batch` lengths drawn at random. */
double sheaf_expected_width(const sheaf_length_counts *h, int64_t batch);
/* The share of padding if sequences of these lengths come in batches of `batch`, each as wide as its longest:
 * drawn at random, or sorted by length. */
double sheaf_padding_at_random(const sheaf_length_counts *h, int64_t batch);
/* The share of time that ranks wait for the one with the widest batch, each having one drawn at random. */
double sheaf_waiting_of_ranks(const sheaf_length_counts *h, int64_t batch, int64_t ranks);
double sheaf_padding_in_buckets(const sheaf_length_counts *h, int64_t batch);

#endif
