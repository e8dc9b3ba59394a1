/* SPDX-License-Identifier: MIT */
/* How two summaries differ. */
#ifndef SHEAF_REPORT_DRIFT_H
#define SHEAF_REPORT_DRIFT_H

#include "report/summary/summary.h"

/* For a field of both; NaN and -1: not available. Distances of histograms are Jensen-Shannon divergences in
 * bits: 0 if all shares are equal, 1 if the two have nothing in common. */
typedef struct sheaf_drift {
	int field;              /* of the first */
	double lengths, values; /* distances */
	double means;           /* the difference of means, in standard deviations of the first */
	int64_t new_indices;    /* that only the other one uses */
	const char *broken; /* a rule: "another dim"; NULL: none. "not there" if the other has no such field */
} sheaf_drift;

sheaf_drift sheaf_find_drift(const sheaf_summary *s, const sheaf_summary *other, int field);
/* The largest of its distances; 2 if it breaks a rule. */
double sheaf_drift_size(const sheaf_drift *d);

#endif
