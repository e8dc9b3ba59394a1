/* SPDX-License-Identifier: MIT */
/* The command from start to end: finds the command in the words, checks its options, runs it, and closes
 * standard output, whose failure counts like the command's own. Commands return an exit code; messages are
 * printed where something goes wrong (say_failure). */
#include "cli.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *command_name(const void *user, int i)
{
	(void)user;
	return commands[i].name;
}

/* About a command, or the whole program (NULL). */
static int give_help(const command *c, bool json)
{
	if (json)
		help_json(c);
	else if (c)
		help_command(c, NULL);
	else
		help_overview();
	return EXIT_FINE;
}

/* Runs a command with its words. If it ended because its index was stale, and nothing of its output has gone
 * out, it is run once more without one. */
static int run_command(const command *c, int argc, char **argv)
{
	arguments args;
	sheaf_error err;
	sheaf_status status = arguments_parse(c, argc, argv, &args, &err);
	if (status) return say_failure(&err);
	if (!index_word_is_known()) {
		arguments_free(&args);
		return EXIT_USAGE;
	}
	bool *had = find_indices(&args);
	out_mark();
	int (*work)(const arguments *) = makes_part(&args) ? run_part : c->run;
	int code = work(&args);
	if (is_to_run_again()) code = work(&args);
	report_new_indices(&args, had);
	arguments_free(&args);
	return code;
}

/* The index of the command's name, which options may precede; argc if there is none. */
static int find_command(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (argv[i][0] != '-') return i;
		if (strcmp(argv[i], "--") == 0) return i + 1 < argc ? i + 1 : argc;
		i += option_takes_next(argv[i]);
	}
	return argc;
}

/* Runs the command that the words name, which are without the program's own name, and returns its exit
 * code. The words are put in another order if options come before the command's name. */
static int run(int argc, char **argv)
{
	if (argc > 0 && (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "-V") == 0)) {
		out_printf("sheaf %s\n", sheaf_version());
		return EXIT_FINE;
	}
	/* Help is printed wherever it is requested, even if the rest of the line is wrong. */
	bool json = false, help = false;
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
		json |= strcmp(argv[i], "--json") == 0;
	}
	int at = find_command(argc, argv);
	if (at == argc && help) return give_help(NULL, json);
	if (at == argc) {
		say("error", "expected a command, found %s; see sheaf help", argc ? "only options" : "none");
		return EXIT_USAGE;
	}
	const char *name = argv[at];
	const command *c = command_find(name);
	const char *near = c ? NULL : sheaf_nearest_word(name, command_name, NULL);
	if (near) say("error", "expected a command, found \"%s\"; did you mean %s?", name, near);
	if (!c && !near) say("error", "expected a command, found \"%s\"; see sheaf help", name);
	if (!c) return EXIT_USAGE;
	if (help) return give_help(c, json);
	/* The options before the command's name are its own, too. */
	memmove(argv + 1, argv, (size_t)at * sizeof *argv);
	return run_command(c, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	sheaf_error err;
	struct rlimit limit;
	sheaf_spell_options("--", "", '-');
	/* A file that is opened later must not take the place of a standard stream. What is opened here instead
	 * cannot be used in the stream's direction. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) _exit(EXIT_IO);
	/* Many inputs are open at once, and merging may open thousands of parts. If the limit cannot be raised, a
	 * file that cannot be opened reports that. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	signals_begin();
	int code = run(argc - 1, argv + 1);
	progress_hide();
	sheaf_status status = out_close(&err);
	if (status) {
		int closing = say_failure(&err);
		if (code < closing) code = closing;
	}
	if (pipe_is_broken()) die_of_broken_pipe();
	return code;
}
