/* SPDX-License-Identifier: MIT */
/* sheaf head: the first rows. */
#include "cli.h"

enum { FEW = 10 };

static sheaf_status print_head(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	sheaf_facts facts;
	sheaf_dataset_facts(dataset, &facts);
	if (facts.guess && !sheaf_values_flag(values, "quiet"))
		say("note", "%s: streams %s", s->label, facts.guess);
	print_file_name(s);
	sheaf_style style = sheaf_values_flag(values, "json") ? SHEAF_JSON : SHEAF_TEXT_SHORT;
	bool said = sheaf_values_text(values, "rows");
	return print_rows(dataset, style, sheaf_values_text(values, "dataset"), said ? -1 : FEW, err);
}

int run_head(const arguments *args)
{
	enum { SMALL = 64 << 10 }; /* a few rows need no large pieces */
	bool expand = sheaf_values_flag(&args->values, "expand");
	return visit_files(args,
	                   (opening){.glance = true,
	                             .shown = true,
	                             .piece_bytes = SMALL,
	                             .entries = expand ? SHEAF_ENTRIES_EXPANDED : SHEAF_ENTRIES_STORED},
	                   print_head);
}
