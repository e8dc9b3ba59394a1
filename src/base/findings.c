/* SPDX-License-Identifier: MIT */
/* The list: a problem with its numbers, then the texts that it points to. */
#include "base/findings.h"
#include "base/context.h"

enum { MOST_BYTES = 1 << 20, TEXTS = 5, ALIGNMENT = 8 };

static void texts_of(sheaf_problem *problem, const char **texts[TEXTS])
{
	texts[0] = &problem->place.file;
	texts[1] = &problem->place.stream;
	texts[2] = &problem->expected;
	texts[3] = &problem->found;
	texts[4] = &problem->consequence;
}

static void keep(sheaf_findings *f, const sheaf_problem *problem)
{
	const char **texts[TEXTS];
	sheaf_problem copy = *problem;
	texts_of(&copy, texts);
	sheaf_builder_append(&f->list, problem, sizeof *problem);
	for (int t = 0; t < TEXTS; t++)
		if (*texts[t]) sheaf_builder_append(&f->list, *texts[t], strlen(*texts[t]) + 1);
	while (f->list.size % ALIGNMENT && !f->list.failed) sheaf_builder_byte(&f->list, '\0');
	f->over = f->list.failed || f->list.size > MOST_BYTES;
}

static sheaf_status hear(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_findings *f = (sheaf_findings *)user;
	sheaf_severity severity = sheaf_weigh(f->cx, problem);
	if (severity == SHEAF_NOTE && !sheaf_is_validating(f->cx)) return SHEAF_OK;
	f->lossy |= problem->status == SHEAF_LOSS;
	f->errors += severity == SHEAF_ERROR && problem->status != SHEAF_LOSS;
	if (!f->over) keep(f, problem);
	f->heard++;
	if (f->last ? f->heard < f->last : sheaf_passes(f->cx, problem, severity, f->errors)) return SHEAF_OK;
	return sheaf_fail_problem(err, problem);
}

sheaf_status sheaf_findings_open(sheaf_findings *findings, sheaf_context *cx, sheaf_error *err)
{
	sheaf_builder_begin(&findings->list, cx, NULL);
	return sheaf_context_listen(cx, (sheaf_listener){hear, findings}, &findings->cx, err);
}

void sheaf_findings_close(sheaf_findings *findings)
{
	if (!findings->cx) return;
	sheaf_builder_drop(&findings->list);
	sheaf_context_end_listening(findings->cx);
	*findings = (sheaf_findings){0};
}

void sheaf_findings_clear(sheaf_findings *findings)
{
	if (findings->list.failed) sheaf_builder_drop(&findings->list);
	findings->list.size = 0;
	findings->errors = findings->heard = findings->last = 0;
	findings->lossy = findings->over = false;
}

sheaf_status sheaf_findings_report(sheaf_findings *findings, sheaf_context *cx, sheaf_error *err)
{
	findings->reported = 0;
	for (size_t at = 0; at < findings->list.size;) {
		sheaf_problem problem;
		const char **texts[TEXTS];
		memcpy(&problem, findings->list.data + at, sizeof problem);
		at += sizeof problem;
		texts_of(&problem, texts);
		for (int t = 0; t < TEXTS; t++) {
			if (!*texts[t]) continue;
			*texts[t] = (const char *)findings->list.data + at;
			at += strlen(*texts[t]) + 1;
		}
		at += (ALIGNMENT - at % ALIGNMENT) % ALIGNMENT;
		findings->reported++;
		SHEAF_TRY(sheaf_report(cx, &problem, err));
	}
	return SHEAF_OK;
}
