/* SPDX-License-Identifier: MIT */
/* sheaf cat: all rows. */
#include "cli.h"

static sheaf_status print_all(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	const sheaf_values *values = &s->args->values;
	sheaf_style style = sheaf_values_flag(values, "json") ? SHEAF_JSON : SHEAF_TEXT;
	print_file_name(s);
	return print_rows(dataset, style, sheaf_values_text(values, "dataset"), -1, err);
}

int run_cat(const arguments *args)
{
	bool expand = sheaf_values_flag(&args->values, "expand");
	return visit_files(
		args, (opening){.shown = true, .entries = expand ? SHEAF_ENTRIES_EXPANDED : SHEAF_ENTRIES_STORED},
		print_all);
}
