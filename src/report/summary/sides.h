/* SPDX-License-Identifier: MIT */
/* Which streams are the inputs of a network, and which are its targets. */
#ifndef SHEAF_REPORT_SUMMARY_SIDES_H
#define SHEAF_REPORT_SUMMARY_SIDES_H

#include "report/summary/summary.h"

/* By their names, if these show it: "targets" and "GROUP.target", "inputs" and "GROUP.input". */
void sheaf_sides_by_name(sheaf_summary *s);
/* Begins to look for contradictions if there are streams of both sides and *left bytes are enough. */
SHEAF_USE sheaf_status sheaf_sides_begin(sheaf_summary *s, size_t *left, sheaf_error *err);
/* Adds the rows of the frame, the first of which has this number. */
void sheaf_sides_add(sheaf_summary *s, const sheaf_frame *frame, int64_t row);

#endif
