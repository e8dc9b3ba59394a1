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

static sheaf_status identify(sheaf_source *source, sheaf_part_input *input, sheaf_error *err)
{
	sheaf_identity stamp;
	input->path = (char *)(uintptr_t)sheaf_source_name(source);
	SHEAF_TRY(sheaf_source_stamp(source, &stamp, err));
	return sheaf_source_identify(source, &stamp, &input->identity, err);
}

static sheaf_status finish(const sheaf_conversion *c, sheaf_part_head *head, sheaf_sink *sink,
                           sheaf_error *err)
{
	sheaf_builder common, own, options, *const all[] = {&common, &own, &options};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) sheaf_builder_begin(all[i], c->cx, NULL);
	sheaf_part_put_whole(&common, c);
	sheaf_part_put_own(&own, &(sheaf_part_own){.facts = SHEAF_NO_FACTS});
	sheaf_part_put_options(&options, c);
	sheaf_status status = sheaf_builder_status(&options, err);
	head->options = (char *)options.data;
	if (status == SHEAF_OK)
		status = sheaf_part_finish(sink, head, &common, &own, err);
	else
		sheaf_sink_abandon(sink);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) sheaf_builder_drop(all[i]);
	return status;
}

sheaf_status sheaf_convert_empty_part(sheaf_conversion *c, const char *output, sheaf_error *err)
{
	sheaf_sink *sink;
	sheaf_part_input input = {0};
	sheaf_part_head head = {
		.job = (char *)(uintptr_t) "convert", .part = c->part, .parts = c->parts, 1, &input, NULL};
	SHEAF_TRY(identify(c->first, &input, err));
	SHEAF_TRY(say_uncut(c, err));
	SHEAF_TRY(sheaf_conversion_open_part(c, output, &sink, err));
	return finish(c, &head, sink, err);
}
