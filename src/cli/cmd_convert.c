/* SPDX-License-Identifier: MIT */
/* sheaf convert: from any format to any other, of one input or of several that are joined. The library
 * converts; here the options become its struct. A part (--part) has the same options, and who makes it opens
 * its sink. */
#include "cli.h"
#include <stdio.h>

/* Says that rows become rows of another kind, which the library tells before it converts. */
static void say_change(void *user, sheaf_row_kind from, sheaf_row_kind to)
{
	static const char *const kinds[] = {"sequences", "rows of a table", "entries of a tensor", "a tensor"};
	const session *s = (const session *)user;
	if (!sheaf_values_flag(&s->args->values, "quiet"))
		say("note", "%s: %s become %s", s->label, kinds[from], kinds[to]);
}

/* Converts all operands but the last, which is the output, as the options say; `force`: it may be replaced.
 */
static sheaf_status convert(const session *s, bool force, sheaf_error *err)
{
	const arguments *args = s->args;
	const part_maker maker = part_making();
	const sheaf_part_options part = {
		.size = sizeof part, .part = part_wanted(args), .open = maker.open, .user = maker.user};
	opening_options how;
	read_opening(args, &how);
	how.open.index = index_policy(args);
	const sheaf_convert_options options = {
		.size = sizeof options,
		.open = &how.open,
		.to = sheaf_values_text(&args->values, "to"),
		.duplicates = (sheaf_duplicates)option_choice(args, "duplicates"),
		.structure = sheaf_values_text(&args->values, "structure"),
		.part = part.part ? &part : NULL,
		.pad = sheaf_values_flag(&args->values, "pad"),
		.allow_large = sheaf_values_flag(&args->values, "allow=large"),
		.force = force,
		.on_change = say_change,
		.user = (void *)(uintptr_t)s,
	};
	return sheaf_convert(args->files, args->nfiles - 1, args->files[args->nfiles - 1], &options, s->cx, err);
}

int run_convert(const arguments *args)
{
	char label[512];
	if (args->nfiles == 2)
		snprintf(label, sizeof label, "%s", args->files[0]);
	else
		snprintf(label, sizeof label, "%d inputs", args->nfiles - 1);
	return run_output(args, label, convert);
}
