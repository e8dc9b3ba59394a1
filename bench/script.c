/* SPDX-License-Identifier: MIT */
/* Programs in Python that keep running, and do their job each time they are asked. */
#include "bench.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A program that has started and imported what it needs, and does its job once for each line that it gets. */
typedef struct script {
	FILE *ask, *answer;
} script;

static int64_t answer_of(script *s)
{
	char line[64];
	return fgets(line, sizeof line, s->answer) ? strtoll(line, NULL, 10) : -1;
}

const char *script_begin(const char *text, const char *argument, void **state)
{
	static const char python[] = "/usr/bin/python3";
	char *words[] = {(char *)python, (char *)"-c", (char *)text, (char *)argument, NULL};
	posix_spawn_file_actions_t actions;
	script *s = (script *)need(sizeof *s);
	int ask[2], answer[2];
	pid_t child;
	if (pipe2(ask, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0) die("expected two pipes, found none");
	if (posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_adddup2(&actions, ask[0], STDIN_FILENO) != 0 ||
	    posix_spawn_file_actions_adddup2(&actions, answer[1], STDOUT_FILENO) != 0 ||
	    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) != 0)
		die("expected memory, found none");
	if (posix_spawn(&child, python, &actions, NULL, words, environ) != 0) return "no /usr/bin/python3";
	posix_spawn_file_actions_destroy(&actions);
	close(ask[0]);
	close(answer[1]);
	s->ask = fdopen(ask[1], "w");
	s->answer = fdopen(answer[0], "r");
	if (!s->ask || !s->answer) die("expected memory, found none");
	*state = s;
	char version[64];
	if (!fgets(version, sizeof version, s->answer)) return "not installed";
	fprintf(stderr, "bench: %s", version);
	return NULL;
}

void script_run(const bench_job *job, void *state, bench_yield *out)
{
	script *s = (script *)state;
	bool asked = fputs("\n", s->ask) >= 0 && fflush(s->ask) == 0;
	out->values = asked ? answer_of(s) : -1;
	if (out->values < 0)
		die("%s: expected Python to do it, found that it failed", job->counted ? job->counted : "tensors");
}
