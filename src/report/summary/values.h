/* SPDX-License-Identifier: MIT */
/* Counting many values at once. */
#ifndef SHEAF_REPORT_SUMMARY_VALUES_H
#define SHEAF_REPORT_SUMMARY_VALUES_H

#include "report/summary/summary.h"

/* Adds up to SHEAF_DOUBLES_MOST values, whatever they are. */
enum { SHEAF_DOUBLES_MOST = 256 };
void sheaf_doubles_add(sheaf_value_counts *v, const double *values, int n);

#endif
