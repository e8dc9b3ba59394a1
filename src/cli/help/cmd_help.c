/* SPDX-License-Identifier: MIT */
/* sheaf help: about the program, a command, a format, or a command with the options of a format; for people,
 * as JSON, as a manual page, or as a script with which a shell completes command lines. */
#include "../cli.h"

/* The i-th word that may be meant by a misspelled one: commands, then formats; NULL after the last one. */
static const char *word_at(const void *user, int i)
{
	int n = 0;
	(void)user;
	while (commands[n].name) n++;
	return i < n                    ? commands[i].name
	       : sheaf_format_at(i - n) ? sheaf_format_about(sheaf_format_at(i - n)).name
	                                : NULL;
}

/* Refuses a word that is neither a command nor a format; `near`: the nearest word that is, or NULL. */
static int refuse(const char *name, const char *near)
{
	say("error", "help: expected a command or a format, found \"%s\"; %s%s%s", name,
	    near ? "did you mean " : "see sheaf help and sheaf formats", near ? near : "", near ? "?" : "");
	return EXIT_USAGE;
}

/* The operands are a command, a format, or a command and a format. --as with the name of a shell prints its
 * script, with "man" a manual page. */
int run_help(const arguments *args)
{
	const char *as = sheaf_values_text(&args->values, "as");
	if (as && help_completion(as)) return EXIT_FINE;
	const char *first = args->nfiles > 0 ? args->files[0] : NULL;
	const command *about = first ? command_find(first) : NULL;
	const char *second = about ? (args->nfiles > 1 ? args->files[1] : NULL) : first;
	const sheaf_format *format = second ? sheaf_format_find(second) : NULL;
	if (first && !about && !format) return refuse(first, sheaf_nearest_word(first, word_at, NULL));
	const sheaf_format *near = second && !format ? sheaf_format_nearest(second) : NULL;
	if (second && !format) return refuse(second, near ? sheaf_format_about(near).name : NULL);
	if (!about && args->nfiles > 1) return refuse(args->files[1], NULL);
	if (as)
		help_manual(about);
	else if (as_json(args) && format) {
		help_json_format(format);
		out_text("\n");
	} else if (as_json(args))
		help_json(about);
	else if (about)
		help_command(about, format);
	else if (format)
		help_format(format);
	else
		help_overview();
	return EXIT_FINE;
}
