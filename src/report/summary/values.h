/* SPDX-License-Identifier: MIT */
/* Counting many values at once. */
#ifndef SHEAF_REPORT_SUMMARY_VALUES_H
#define SHEAF_REPORT_SUMMARY_VALUES_H

#include "report/summary/summary.h"

/* Float32s: fewer than the least are not worthwhile; there may be up to the most. */
enum { SHEAF_VALUES_LEAST = 1 << 10, SHEAF_VALUES_MOST = 1 << 15 };

/* Adds n values; false, with nothing added, if some are neither zero nor normal. */
bool sheaf_values_add(sheaf_value_counts *v, const float *values, int64_t n);

/* Adds up to SHEAF_DOUBLES_MOST values, whatever they are. */
enum { SHEAF_DOUBLES_MOST = 256 };
void sheaf_doubles_add(sheaf_value_counts *v, const double *values, int n);

#endif
