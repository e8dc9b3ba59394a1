/* SPDX-License-Identifier: MIT */
/* Programs, run as a user runs them; their output is discarded. */
#include "bench.h"
#include <fcntl.h>
#include <limits.h>
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

/* "PART1" and so on: part files of the output. */
static const char *part_of(const bench_job *job, const char *word)
{
	static char paths[MAX_PARTS][PATH_SIZE + 16];
	long number = strtol(word + strlen("PART"), NULL, 10);
	if (number < 1 || number > MAX_PARTS) die("%s: expected a part from 1 to %d", word, MAX_PARTS);
	snprintf(paths[number - 1], sizeof *paths, "%s.%ld.part", job->output, number);
	return paths[number - 1];
}

/* If the build has it. */
static const char *beside(const bench_job *job, const char *name)
{
	static char path[PATH_SIZE];
	const char *slash = strrchr(job->setup->command, '/');
	snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - job->setup->command) : 0,
	         job->setup->command, name);
	return path;
}

static const char *stand_in(const bench_job *job, const char *word)
{
	if (strncmp(word, "PART", 4) == 0) return part_of(job, word);
	if (strcmp(word, "SHEAF-MPI") == 0) return beside(job, "mpi/sheaf-mpi");
	if (strcmp(word, "SHEAF-MPICH") == 0) return beside(job, "mpi/sheaf-mpi.mpich");
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

/* ---- several at the same time ---- */

enum { MOST_AT_ONCE = 8 };

static int split_at(char *words, const char *mark, char *out[MOST_AT_ONCE])
{
	int n = 0;
	for (char *at = words; at; n++) {
		char *end = strstr(at, mark);
		if (n == MOST_AT_ONCE) die("%s: expected at most %d commands", words, MOST_AT_ONCE);
		out[n] = at;
		at = end ? end + strlen(mark) : NULL;
		if (end) *end = '\0';
	}
	return n;
}

static void run_at_once(const bench_job *job, char *words)
{
	char *commands[MOST_AT_ONCE];
	pid_t children[MOST_AT_ONCE];
	int n = split_at(words, " & ", commands), status;
	line *l = (line *)need((size_t)n * sizeof *l);
	for (int i = 0; i < n; i++) {
		split(&l[i], job, commands[i]);
		children[i] = spawn(l[i].words);
	}
	for (int i = 0; i < n; i++) {
		if (waitpid(children[i], &status, 0) != children[i] || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
			die("%s: expected it to succeed, found that it failed", commands[i]);
		workload_settings_free(l[i].settings, l[i].nsettings);
		free(l[i].copy);
	}
	free(l);
}

/* "A & B ; C": A and B at the same time, and then C. */
static void run_in_turn(const bench_job *job, const char *words)
{
	char *copy = strdup(words), *turns[MOST_AT_ONCE];
	if (!copy) die("expected memory, found none");
	int n = split_at(copy, " ; ", turns);
	for (int i = 0; i < n; i++) run_at_once(job, turns[i]);
	free(copy);
}

static void run_several(const bench_job *job, void *state, bench_yield *out)
{
	(void)state;
	run_in_turn(job, job->words);
	out->size = file_size(job->output);
}

static const char *find_ranks(const bench_job *job, void **state)
{
	(void)state;
	bool there =
		access(beside(job, "mpi/sheaf-mpi"), X_OK) == 0 && access("/usr/bin/mpirun.openmpi", X_OK) == 0;
	return there ? NULL : "not there: sheaf-mpi beside sheaf, and Open MPI";
}

static const char *find_mpich(const bench_job *job, void **state)
{
	(void)state;
	char command[PATH_MAX + 64];
	const char *program = beside(job, "mpi/sheaf-mpi.mpich");
	if (access(program, X_OK) != 0 || access("/usr/bin/mpirun.mpich", X_OK) != 0)
		return "not there: sheaf-mpi.mpich beside sheaf, and MPICH";
	/* Ubuntu 24.04's launcher does not start ranks that know of each other. */
	snprintf(command, sizeof command, "mpirun.mpich -n 2 '%s' --version >/dev/null 2>&1", program);
	return system(command) == 0 ? NULL : "not there: an MPICH whose launcher starts its own ranks";
}

/* Words before "| " are done once, and are not measured. */
static const char *begin_prepared(const bench_job *job, void **state)
{
	const char *mark = strstr(job->words, " | ");
	char *before = mark ? strndup(job->words, (size_t)(mark - job->words)) : NULL;
	if (!before) die("%s: expected commands, \" | \", and commands", job->words);
	run_in_turn(job, before);
	free(before);
	*state = (void *)(uintptr_t)(mark + 3);
	return NULL;
}

static void run_prepared(const bench_job *job, void *state, bench_yield *out)
{
	run_in_turn(job, (const char *)state);
	out->size = file_size(job->output);
}

static void run(const bench_job *job, void *state, bench_yield *out)
{
	(void)state;
	out->memory = command_run(job, job->words);
	out->size = file_size(job->output);
}

const bench_runner run_command = {"sheaf", NULL, run};
const bench_runner run_commands = {"commands", NULL, run_several};
const bench_runner run_ranks = {"ranks", find_ranks, run_several};
const bench_runner run_mpich = {"ranks", find_mpich, run_several};
const bench_runner run_after = {"commands", begin_prepared, run_prepared};
