/* SPDX-License-Identifier: MIT */
/* Parts of a conversion that is done without rows, from a format to itself: they have no payload, and the
 * merge converts the input. So a job in parts gives the same bytes for these files as for all others. */
#include "base/context.h"
#include "convert/part_body.h"
#include "io/sink.h"
#include "io/source.h"

static sheaf_status say_uncut(const sheaf_conversion *c, sheaf_error *err)
{
	sheaf_problem problem = {SHEAF_WARNING,
	                         SHEAF_UNSUPPORTED,
	                         "input not cut",
	                         SHEAF_NOWHERE,
	                         "a conversion of rows",
	                         "one that copies what the format has",
	                         "the parts have nothing, and the merge converts everything"};
	problem.place.file = sheaf_source_name(c->first);
	return c->part == 1 ? sheaf_report(c->outer, &problem, err) : SHEAF_OK;
}

static sheaf_status finish(const sheaf_conversion *c, sheaf_part_head *head, sheaf_sink *sink,
                           sheaf_error *err)
{
	sheaf_builder common;
	sheaf_builder_begin(&common, c->cx, NULL);
	sheaf_part_put_whole(&common, c);
	sheaf_status status = sheaf_conversion_finish_part(
		c, sink, head, &common, &(sheaf_part_own){.facts = SHEAF_NO_FACTS}, err);
	sheaf_builder_drop(&common);
	return status;
}

sheaf_status sheaf_convert_empty_part(sheaf_conversion *c, const char *output, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_part_input input = {0};
	sheaf_part_head head = {.job = (char *)(uintptr_t) "convert",
	                        .part = c->part,
	                        .parts = c->parts,
	                        .ninputs = 1,
	                        .inputs = &input};
	SHEAF_TRY(sheaf_part_identify(c->first, &input, err));
	SHEAF_TRY(say_uncut(c, err));
	SHEAF_TRY(sheaf_conversion_open_part(c, output, &sink, err));
	return finish(c, &head, sink, err);
}
