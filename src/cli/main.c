/* SPDX-License-Identifier: MIT */
/* The command's way from start to end. */
#include "cli.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *command_name(const void *user, int i)
{
	(void)user;
	return commands[i].name;
}

static int refuse_command(const char *name)
{
	if (name[0] == '-') {
		say("error", "expected a command before its options, found \"%s\"; see sheaf help", name);
		return EXIT_USAGE;
	}
	const char *near = nearest_word(name, command_name, NULL);
	if (near)
		say("error", "expected a command, found \"%s\"; did you mean %s?", name, near);
	else
		say("error", "expected a command, found \"%s\"; see sheaf help", name);
	return EXIT_USAGE;
}

/* Help is given wherever it is asked for, whatever else is wrong on the line. */
static bool asks_for_help(int argc, char **argv, bool *json)
{
	bool help = false;
	*json = false;
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
		*json |= strcmp(argv[i], "--json") == 0;
	}
	return help;
}

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

static int run_command(const command *c, int argc, char **argv)
{
	arguments args;
	sheaf_error err;
	sheaf_status status = arguments_parse(c, argc, argv, &args, &err);
	if (status) return say_failure(&err);
	out_mark();
	int code = c->run(&args);
	if (is_to_run_again()) code = c->run(&args);
	arguments_free(&args);
	return code;
}

static int run(int argc, char **argv)
{
	bool json, help;
	if (argc < 1) {
		say("error", "expected a command, found none; see sheaf help");
		return EXIT_USAGE;
	}
	const command *c = command_find(argv[0]);
	help = asks_for_help(argc, argv, &json);
	if (c && help) return give_help(c, json);
	if (c) return run_command(c, argc - 1, argv + 1);
	if (argv[0][0] == '-' && help) return give_help(NULL, json);
	if (strcmp(argv[0], "--version") == 0 && argc == 1) {
		out_printf("sheaf %s\n", sheaf_version());
		return EXIT_FINE;
	}
	return refuse_command(argv[0]);
}

/* A file that is opened later must not come to stand where the standard streams are looked for. What is
 * opened instead refuses to be used in the stream's direction. */
static void hold_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) _exit(EXIT_IO);
}

int main(int argc, char **argv)
{
	sheaf_error err;
	hold_standard_descriptors();
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
