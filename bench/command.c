/* SPDX-License-Identifier: MIT */
/* Programs, run as a user runs them; what they print goes nowhere. */
#include "bench.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 1100, OPTION_SIZE = 160 };

typedef struct line {
	char *words[MAX_WORDS];
	int n;
	char options[MAX_WORDS][OPTION_SIZE];
	char *copy; /* of the text that was split */
	sheaf_setting *settings;
	int nsettings;
} line;

static void add(line *l, char *word)
{
	if (l->n == MAX_WORDS - 1) die("expected at most %d words in a command, found more", MAX_WORDS - 1);
	l->words[l->n++] = word;
}

static void add_streams(line *l, const bench_job *job)
{
	l->settings = workload_settings(job->work, &l->nsettings);
	if (l->nsettings > MAX_WORDS) die("expected at most %d streams, found %d", MAX_WORDS, l->nsettings);
	for (int i = 0; i < l->nsettings; i++) {
		snprintf(l->options[i], OPTION_SIZE, "--%s=%s", l->settings[i].name, l->settings[i].value);
		add(l, l->options[i]);
	}
}

static const char *stand_in(const bench_job *job, const char *word)
{
	return strcmp(word, "TEXT") == 0     ? job->text
	       : strcmp(word, "BINARY") == 0 ? job->binary
	       : strcmp(word, "HUGE") == 0   ? job->huge
	       : strcmp(word, "OUTPUT") == 0 ? job->output
	       : strcmp(word, "SHEAF") == 0  ? job->setup->command
	                                     : word;
}

static void split(line *l, const bench_job *job, const char *words)
{
	char *rest = NULL;
	l->copy = strdup(words);
	if (!l->copy) die("expected memory, found none");
	for (char *word = strtok_r(l->copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (strcmp(word, "STREAMS") == 0)
			add_streams(l, job);
		else
			add(l, (char *)stand_in(job, word));
	}
}

static pid_t spawn(char **words)
{
	posix_spawn_file_actions_t actions;
	pid_t child;
	if (posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
	    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0)
		die("expected memory, found none");
	if (posix_spawnp(&child, words[0], &actions, NULL, words, environ) != 0)
		die("%s: expected a program, found none that runs", words[0]);
	posix_spawn_file_actions_destroy(&actions);
	return child;
}

int64_t command_run(const bench_job *job, const char *words)
{
	line *l = (line *)need(sizeof *l);
	struct rusage usage;
	int status;
	split(l, job, words);
	pid_t child = spawn(l->words);
	if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		die("%s: expected it to succeed, found that it failed", words);
	workload_settings_free(l->settings, l->nsettings);
	free(l->copy);
	free(l);
	return (int64_t)usage.ru_maxrss * 1024;
}

static void run(const bench_job *job, void *state, bench_yield *out)
{
	(void)state;
	out->memory = command_run(job, job->words);
	out->size = file_size(job->output);
}

const bench_runner run_command = {"sheaf", NULL, run};
