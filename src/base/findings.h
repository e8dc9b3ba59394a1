/* SPDX-License-Identifier: MIT */
/* Findings that are kept to be reported later: work that is done ahead of its turn must not report what it
 * finds before its turn comes. */
#ifndef SHEAF_BASE_FINDINGS_H
#define SHEAF_BASE_FINDINGS_H

#include "base/buffer.h"

/* Begins as zeros. */
typedef struct sheaf_findings {
	sheaf_context *cx; /* keeps what is reported to it; decides as the first one would if nothing had been
	                      found before */
	sheaf_builder list;
	int64_t errors;
	int64_t heard, reported; /* their number, and the number that sheaf_findings_report has reported */
	int64_t last; /* the number, from 1, of the one that ends the work; 0: as the first one decides */
	bool lossy;   /* some are of status LOSS */
	bool over;    /* more than can be kept: the work must be done again, reporting directly */
} sheaf_findings;

SHEAF_USE sheaf_status sheaf_findings_open(sheaf_findings *findings, sheaf_context *cx, sheaf_error *err);
void sheaf_findings_close(sheaf_findings *findings);
void sheaf_findings_clear(sheaf_findings *findings);
/* Reports them to `cx` in order, up to the first that does not pass. */
SHEAF_USE sheaf_status sheaf_findings_report(sheaf_findings *findings, sheaf_context *cx, sheaf_error *err);

#endif
