/* SPDX-License-Identifier: MIT */
/* sheaf help. */
#include "cli.h"

static const char *command_name(const void *user, int i)
{
	(void)user;
	return commands[i].name;
}

static int refuse(const char *name)
{
	const char *near = nearest_word(name, command_name, NULL);
	say("error", "help: expected a command, found \"%s\"%s%s%s", name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return EXIT_USAGE;
}

int run_help(const arguments *args)
{
	const command *about = args->nfiles ? command_find(args->files[0]) : NULL;
	if (args->nfiles && !about) return refuse(args->files[0]);
	if (sheaf_values_flag(&args->values, "man"))
		help_manual();
	else if (sheaf_values_flag(&args->values, "json"))
		help_json(about);
	else if (about)
		help_command(about);
	else
		help_overview();
	return EXIT_FINE;
}
