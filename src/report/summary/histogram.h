/* SPDX-License-Identifier: MIT */
/* Counts by size: for lengths, one by one as far as a table goes, and for values, by exponent. Both can be
 * added up. */
#ifndef SHEAF_REPORT_SUMMARY_HISTOGRAM_H
#define SHEAF_REPORT_SUMMARY_HISTOGRAM_H

#include "base/buffer.h"
#include <string.h>

enum {
	SHEAF_LENGTHS_EXACT = 65536, /* lengths below this have a count each */
	SHEAF_LENGTH_BINS = 200,     /* of the others: four in each power of two */
	SHEAF_VALUE_BINS = 16384     /* the sign, the exponent and two bits of the fraction of a double */
};

/* Begins as zeros. */
typedef struct sheaf_length_counts {
	int64_t n, least, most, total;
	int64_t *counts; /* room for `room` of them, by length */
	size_t room;
	int64_t *bins; /* SHEAF_LENGTH_BINS of them: of longer ones; NULL: there are none */
} sheaf_length_counts;

/* How many lengths are in a bin of those that are not counted one by one. */
static inline int64_t sheaf_length_bin(const sheaf_length_counts *h, int bin)
{
	return h->bins ? h->bins[bin] : 0;
}

SHEAF_USE sheaf_status sheaf_length_counts_add(sheaf_length_counts *h, int64_t length, int64_t times,
                                               sheaf_context *cx, sheaf_error *err);
/* Makes room for the counts of `other`, so that adding them cannot fail. */
SHEAF_USE sheaf_status sheaf_length_counts_prepare(sheaf_length_counts *h, const sheaf_length_counts *other,
                                                   sheaf_context *cx, sheaf_error *err);
void sheaf_length_counts_merge(sheaf_length_counts *h, const sheaf_length_counts *other);
/* Makes room to count lengths up to this one. */
SHEAF_USE sheaf_status sheaf_length_counts_reserve(sheaf_length_counts *h, int64_t length, sheaf_context *cx,
                                                   sheaf_error *err);
void sheaf_length_counts_free(sheaf_length_counts *h, sheaf_context *cx);
/* The smallest length that is not exceeded by this share of all; *exact is false if it is the beginning of a
 * bin. */
int64_t sheaf_length_counts_quantile(const sheaf_length_counts *h, double share, bool *exact);
/* How many are at least `from` and less than `to`; both are below SHEAF_LENGTHS_EXACT or beginnings of
 * bins. */
int64_t sheaf_length_counts_between(const sheaf_length_counts *h, int64_t from, int64_t to);
int64_t sheaf_length_bin_begin(int bin);
/* The first length of the bin after that of `length`, which is not counted one by one. */
int64_t sheaf_length_counts_next_bin(int64_t length);

/* The bin of a finite value other than 0, in the order of values, and where each bin begins; the two
 * infinities end the last bins. */
static inline int sheaf_value_bin(double v)
{
	enum { SHIFT = 50, HALF = SHEAF_VALUE_BINS / 2 };
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	int at = (int)(bits >> SHIFT);
	return at < HALF ? HALF + at : SHEAF_VALUE_BINS - 1 - at;
}

double sheaf_value_bin_begin(int bin);

#endif
