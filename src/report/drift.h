/* SPDX-License-Identifier: MIT */
/* How two summaries differ. */
#ifndef SHEAF_REPORT_DRIFT_H
#define SHEAF_REPORT_DRIFT_H

#include "report/summary.h"

/* Of a field of both; NaN and -1: it has none. Distances of histograms are Jensen and Shannon's divergence in
 * bits: 0 where shares are the same, 1 where nothing is in both. */
typedef struct sheaf_drift {
	int field;              /* of the first */
	double lengths, values; /* distances */
	double means;           /* the difference of means, in standard deviations of the first */
	int64_t new_indices;    /* that only the other uses */
	const char *broken; /* a rule: "another dim"; NULL: none. "not there" where the other has no such field */
} sheaf_drift;

sheaf_drift sheaf_find_drift(const sheaf_summary *s, const sheaf_summary *other, int field);
/* The largest of its distances; 2 where a rule is broken. */
double sheaf_drift_size(const sheaf_drift *d);

#endif
