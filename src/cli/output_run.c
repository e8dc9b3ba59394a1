/* SPDX-License-Identifier: MIT */
/* Shared by commands that write a file: an existing file is replaced only if the user wants that. */
#include "cli.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- a question ---- */

/* Asks on the terminal whether an output may be replaced: "out.csv already exists (1234 bytes, of 2026-11-22
 * 15:04); replace it? [y/N]". Only an answer that begins with y or Y allows it. `several`: the command has
 * other outputs, which are replaced with it. */
static bool is_to_be_replaced(const char *path, bool several)
{
	char about[96] = "", text[2048], line[256];
	struct stat info;
	struct tm when;
	if (stat(path, &info) == 0 && localtime_r(&info.st_mtime, &when)) {
		char date[32];
		strftime(date, sizeof date, "%Y-%m-%d %H:%M", &when);
		snprintf(about, sizeof about, " (%lld bytes, of %s)", (long long)info.st_size, date);
	}
	int n = snprintf(text, sizeof text, "sheaf: %.1500s already exists%s; replace %s? [y/N] ", path, about,
	                 several ? "it and the other existing outputs" : "it");
	progress_hide();
	if (write(STDERR_FILENO, text, (size_t)n) < 0) return false;
	ssize_t size;
	do size = read(STDIN_FILENO, line, sizeof line);
	while (size < 0 && errno == EINTR && !was_interrupted());
	return size > 0 && (line[0] == 'y' || line[0] == 'Y');
}

/* ---- the run ---- */

/* Asks the user about an existing output, which the work has refused, and does the work again if it may be
 * replaced. *err is the refusal, which names the file at err->file, and gets advice if the user seems to have
 * named only inputs. If nobody can answer, since the input or the question is not at a terminal, the refusal
 * stands. */
static sheaf_status ask(const session *s, output_work work, sheaf_error *err)
{
	const arguments *args = s->args;
	bool several = command_outputs(args->command) == OUTPUT_REST,
		 answers = terminal_is(STDIN_FILENO) && terminal_is(STDERR_FILENO);
	char path[1024], wish[32];
	snprintf(path, sizeof path, "%.*s", err->file.size, err->message + err->file.at);
	/* A user who names only inputs has named the last of them as the output. */
	bool joins = args->command->most < 0;
	if (command_outputs(args->command) == OUTPUT_LAST && args->nfiles >= (joins ? 3 : 2) &&
	    !sheaf_values_text(&args->values, "output")) {
		size_t used = strlen(err->message);
		snprintf(wish, sizeof wish, joins ? "join all %d" : "compare the %d", args->nfiles);
		snprintf(err->message + used, sizeof err->message - used,
		         "; the last file named is the output: to %s, name another file after them", wish);
	}
	for (int i = 0; i < args->nfiles; i++) answers &= strcmp(args->files[i], "-") != 0;
	if (!answers) return SHEAF_USAGE;
	if (!several && args->nfiles > 2) say("note", "the last file named is the output: %s", path);
	if (is_to_be_replaced(path, several)) return work(s, true, err);
	return was_interrupted() ? sheaf_fail(err, SHEAF_STOPPED, "interrupted")
	                         : sheaf_fail(err, SHEAF_USAGE, "%s: left as it is", path);
}

/* An output that exists is found by the work itself, which refuses it: so nothing is asked that need not be.
 */
int run_output(const arguments *args, const char *label, output_work work)
{
	session s;
	sheaf_error err = {0};
	session_options options = {.label = label, .inputs = 1};
	sheaf_status status = session_begin(&s, args, &options, &err);
	if (status) return say_failure(&err);
	status = work(&s, sheaf_values_flag(&args->values, "force"), &err);
	bool exists = status == SHEAF_USAGE && err.sys == EEXIST && strcmp(err.option, "force") == 0;
	if (exists) status = ask(&s, work, &err);
	session_end(&s);
	return status ? say_failure(&err) : EXIT_FINE;
}
