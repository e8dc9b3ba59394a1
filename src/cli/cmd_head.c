/* SPDX-License-Identifier: MIT */
/* sheaf head: the first rows. */
#include "cli.h"

static sheaf_status print_head(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	sheaf_facts facts;
	sheaf_dataset_facts(dataset, &facts);
	if (facts.guess && !sheaf_values_flag(values, "quiet"))
		say("note", "%s: streams %s", s->label, facts.guess);
	sheaf_style style = sheaf_values_flag(values, "json") ? SHEAF_JSON : SHEAF_TEXT_SHORT;
	return print_rows(dataset, style, sheaf_values_text(values, "dataset"),
	                  sheaf_values_number(values, "skip", 0), sheaf_values_number(values, "rows", 10), err);
}

int run_head(const arguments *args)
{
	enum { SMALL = 64 << 10 }; /* a few rows need no large pieces */
	return visit_files(args, (opening){.glance = true, .shown = true, .piece_bytes = SMALL}, print_head);
}
