/* SPDX-License-Identifier: MIT */
/* What the tests of Binsparse share. */
#include "binsparse_support.h"
#include <stdio.h>
#include <string.h>

const char *quoted(const char *text)
{
	static char room[8][3000];
	static int next;
	char *to = room[next++ % 8];
	snprintf(to, sizeof room[0], "%s", text);
	for (char *c = to; *c; c++)
		if (*c == '\'') *c = '"';
	return to;
}

static void hear(void *user, const sheaf_problem *problem)
{
	static const char *const names[] = {"note", "warning", "breach", "error", "fatal"};
	told *t = (told *)user;
	char text[500];
	snprintf(t->text + strlen(t->text), sizeof t->text - strlen(t->text), "%s%s: %s", t->count++ ? "\n" : "",
	         names[problem->severity], sheaf_problem_text(problem, text, sizeof text));
}

sheaf_context *listening(told *t, bool validate)
{
	sheaf_context_options options = {
		.size = sizeof options, .validate = validate, .on_problem = hear, .user = t};
	*t = (told){.count = 0};
	return context_with(&options);
}
