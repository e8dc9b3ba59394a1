/* SPDX-License-Identifier: MIT */
/* Counts of lengths, one by one as far as a table goes, which can be added up. */
#ifndef SHEAF_REPORT_SUMMARY_HISTOGRAM_H
#define SHEAF_REPORT_SUMMARY_HISTOGRAM_H

#include "base/buffer.h"
#include <string.h>

enum {
	SHEAF_LENGTHS_EXACT = 65536, /* lengths below this have a count each */
	SHEAF_LENGTH_BINS = 200      /* of the others: four in each power of two */
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
/* The length below which this share of all is, between those of two ranks in proportion; *exact becomes false
 * if it is the beginning of a bin. */
double sheaf_length_counts_quantile(const sheaf_length_counts *h, double share, bool *exact);
/* How many are at least `from` and less than `to`; both are below SHEAF_LENGTHS_EXACT or beginnings of
 * bins. */
int64_t sheaf_length_counts_between(const sheaf_length_counts *h, int64_t from, int64_t to);
int64_t sheaf_length_bin_begin(int bin);
/* The first length of the bin after that of `length`, which is not counted one by one. */
int64_t sheaf_length_counts_next_bin(int64_t length);

#endif
