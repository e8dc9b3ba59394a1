/* SPDX-License-Identifier: MIT */
/* Whether there are as many entries as the first line says. */
#include "base/context.h"
#include "format/tns/tns.h"
#include <inttypes.h>
#include <stdio.h>

sheaf_status sheaf_tns_rewind(void *reader, sheaf_error *err)
{
	((sheaf_tns_reader *)reader)->seen = 0;
	return sheaf_lined_rewind(reader, err);
}

sheaf_status sheaf_tns_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_tns_reader *in = (sheaf_tns_reader *)reader;
	(void)err;
	in->seen = row + frame->nrows;
	return SHEAF_OK;
}

/* What was left out while validating has been told of. */
sheaf_status sheaf_tns_settle(void *reader, sheaf_error *err)
{
	sheaf_tns_reader *in = (sheaf_tns_reader *)reader;
	char expected[96], found[64];
	if (in->entries < 0 || in->seen == in->entries || sheaf_context_problems(in->cx, SHEAF_FATAL) > 0)
		return SHEAF_OK;
	snprintf(expected, sizeof expected, "%" PRId64 " entries, as the first line says", in->entries);
	snprintf(found, sizeof found, "%" PRId64, in->seen);
	sheaf_problem problem = {SHEAF_FATAL,
	                         in->seen < in->entries ? SHEAF_SHORT : SHEAF_DATA,
	                         "number of entries",
	                         SHEAF_NOWHERE,
	                         expected,
	                         found,
	                         NULL};
	problem.place.file = sheaf_source_name(in->lined.source);
	return sheaf_report(in->cx, &problem, err);
}
