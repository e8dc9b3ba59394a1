/* SPDX-License-Identifier: MIT */
/* sheaf head and sheaf cat: the first rows, and all of them. head reads little: it opens the file with a
 * quick look, in small pieces, and shortens rows that are long; what the look has guessed is said, since
 * nobody has declared it. Rows of a table are a table on a terminal. */
#include "cli.h"
#include <unistd.h>

static bool is_head(const arguments *args) { return args->command->run == run_head; }

/* Prints the rows of an open file: of head the first FEW, unless --rows has selected some already. */
static sheaf_status print(session *s, sheaf_dataset *dataset, sheaf_error *err)
{
	enum { FEW = 10 };
	const sheaf_values *values = &s->args->values;
	bool few = is_head(s->args) && !sheaf_values_text(values, "rows");
	sheaf_facts facts;
	sheaf_dataset_facts(dataset, &facts);
	if (is_head(s->args) && facts.guess && !sheaf_values_flag(values, "quiet"))
		say("note", "%s: streams %s", s->label, facts.guess);
	print_file_name(s);
	bool cells = sheaf_dataset_schema(dataset)->rows == SHEAF_CELLS && !as_json(s->args),
		 wanted = sheaf_values_flag(values, "table") || (is_head(s->args) && terminal_is(STDOUT_FILENO));
	if (cells && wanted) return print_rows_table(dataset, few ? FEW : -1, err);
	sheaf_style style = as_json(s->args) ? SHEAF_JSON : is_head(s->args) ? SHEAF_TEXT_SHORT : SHEAF_TEXT;
	return print_rows(dataset, style, sheaf_values_text(values, "dataset"), few ? FEW : -1, err);
}

int run_cat(const arguments *args)
{
	enum { SMALL = 64 << 10 }; /* a few rows need no large pieces */
	bool expand = sheaf_values_flag(&args->values, "expand");
	return visit_files(args,
	                   (opening){.glance = is_head(args),
	                             .shown = true,
	                             .piece_bytes = is_head(args) ? SMALL : 0,
	                             .entries = expand ? SHEAF_ENTRIES_EXPANDED : SHEAF_ENTRIES_STORED},
	                   print);
}

int run_head(const arguments *args) { return run_cat(args); }
