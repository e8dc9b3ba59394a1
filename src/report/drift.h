/* SPDX-License-Identifier: MIT */
/* How two summaries differ. */
#ifndef SHEAF_REPORT_DRIFT_H
#define SHEAF_REPORT_DRIFT_H

#include "frame/schema/listing.h"
#include "report/words.h"

enum { SHEAF_MOST_CHANGES = 3 };

/* Distances from 0, equal shares, to 1, nothing in common; NaN: not available. */
typedef enum sheaf_distance {
	SHEAF_BY_VALUES,  /* Kolmogorov-Smirnov: the largest difference of the shares below a value */
	SHEAF_BY_ITEMS,   /* total variation: half the sum of all differences of shares */
	SHEAF_BY_INDICES, /* the same for the indices of sparse streams */
	SHEAF_BY_MISSING,
	SHEAF_BY_LENGTHS,
	SHEAF_BY_ENTRIES,
	SHEAF_DISTANCES
} sheaf_distance;
extern const char *const sheaf_distance_names[SHEAF_DISTANCES];

/* The shares of an item in both. */
typedef struct sheaf_change {
	char text[SHEAF_ITEM_TEXT];
	double from, to;
} sheaf_change;

/* One field of either. */
typedef struct sheaf_drift {
	const char *name;
	double score;       /* the largest distance; 1 if a rule is broken */
	const char *broken; /* a rule: "another dim"; NULL: none */
	double distances[SHEAF_DISTANCES];
	double means;        /* the difference of means, in standard deviations of the first */
	int64_t new_indices; /* that only the other one uses; -1: not available */
	sheaf_change changes[SHEAF_MOST_CHANGES];
	int nchanges; /* items whose shares changed most */
	int field;
} sheaf_drift;

/* The drift of all fields that are shown, the largest score first: *n of them, to be released. */
SHEAF_USE sheaf_status sheaf_find_drift(const sheaf_summary *s, const sheaf_summary *other, sheaf_drift **out,
                                        int *n, sheaf_error *err);
void sheaf_release_drift(const sheaf_summary *s, sheaf_drift *all, int n);
/* The distance that makes the score. */
sheaf_distance sheaf_drift_cause(const sheaf_drift *d);

#endif
