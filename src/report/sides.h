/* SPDX-License-Identifier: MIT */
/* Which streams are what a network is shown, and which are what it should answer. */
#ifndef SHEAF_REPORT_SIDES_H
#define SHEAF_REPORT_SIDES_H

#include "report/summary.h"

/* By their names, where these say it: "targets" and "GROUP.target", "inputs" and "GROUP.input". */
void sheaf_sides_by_name(sheaf_summary *s);
/* Begins to look for contradictions where there are streams of both sides and *left bytes are enough. */
SHEAF_USE sheaf_status sheaf_sides_begin(sheaf_summary *s, size_t *left, sheaf_error *err);
/* Rows of the frame, of which the first has this number. */
void sheaf_sides_add(sheaf_summary *s, const sheaf_frame *frame, int64_t row);

#endif
