/* SPDX-License-Identifier: MIT */
/* Remembering what is reported to a context. */
#include "record.h"
#include <stdio.h>
#include <string.h>

static void remember(void *user, const sheaf_problem *problem)
{
	record *r = (record *)user;
	assert_true(r->n < MOST_FOUND);
	finding *f = &r->found[r->n++];
	f->severity = problem->severity;
	f->place = problem->place;
	f->place.file = f->place.stream = NULL;
	snprintf(f->rule, sizeof f->rule, "%s", problem->rule);
	snprintf(f->stream, sizeof f->stream, "%s", problem->place.stream ? problem->place.stream : "");
	sheaf_problem_text(problem, f->text, sizeof f->text);
}

void begin(record *r, sheaf_context_options options)
{
	*r = (record){.n = 0};
	err = (sheaf_error){0};
	options.size = sizeof options;
	options.on_problem = remember;
	options.user = r;
	assert_int_equal(SHEAF_OK, sheaf_context_new(&options, &r->cx, &err));
}

void end(record *r)
{
	assert_int_equal(0, sheaf_context_memory(r->cx, NULL));
	sheaf_context_free(r->cx);
}

void read_settings(const char *text, settings *s)
{
	*s = (settings){.n = 0};
	snprintf(s->text, sizeof s->text, "%s", text);
	char *rest = s->text, *word;
	while ((word = strsep(&rest, " "))) {
		if (!*word) continue;
		assert_true(s->n < MOST_SETTINGS);
		char *value = *word == '-' ? strchr(word, '=') : word;
		if (*word == '-' && value) *value++ = '\0';
		s->list[s->n++] = (sheaf_setting){*word == '-' ? word + 1 : "stream", value};
	}
}
