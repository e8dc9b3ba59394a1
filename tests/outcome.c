/* SPDX-License-Identifier: MIT */
#include "outcome.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mix(outcome *o, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		o->sum = (o->sum ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
}

void mix_number(outcome *o, int64_t v)
{
	o->sum = ((o->sum ^ (uint64_t)v) * UINT64_C(0x9e3779b97f4a7c15));
	o->sum ^= o->sum >> 29;
}

void mix_text(outcome *o, const char *text)
{
	mix(o, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Without names of options, which other tests know. */
static void mix_words(outcome *o, const char *text)
{
	while (text && *text) {
		if (text[0] == '-' && text[1] == '-') text += strspn(text, "-abcdefghijklmnopqrstuvwxyz");
		size_t n = strcspn(text + (*text != '\0'), "-") + (*text != '\0');
		mix(o, text, n);
		text += n;
	}
	mix(o, "", 1);
}

static void mix_field(outcome *o, const sheaf_field *f)
{
	const int64_t numbers[] = {f->meaning, f->digits, f->main, f->type, f->nlevels};
	mix_text(o, f->name);
	mix_text(o, f->alias);
	mix_text(o, f->loss);
	mix_text(o, f->spelled);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) mix_number(o, numbers[i]);
	for (int i = 0; i < f->nlevels; i++) {
		const sheaf_level_shape *l = &f->levels[i];
		mix_number(o, l->kind), mix_number(o, l->rank), mix_number(o, l->index_type);
		mix_number(o, l->missing), mix_number(o, l->extent);
	}
}

static void mix_tensor(outcome *o, const sheaf_tensor *t)
{
	const int64_t numbers[] = {t->rank,      t->sorted,   t->unique, t->dense,      t->iso,
	                           t->structure, t->has_fill, t->nshort, t->first_short};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) mix_number(o, numbers[i]);
	for (int i = 0; i < t->rank; i++) mix_number(o, t->shape[i]), mix_number(o, t->order[i]);
	mix_text(o, t->layout);
}

void mix_schema(outcome *o, const sheaf_schema *s)
{
	mix_number(o, s->rows);
	mix_number(o, s->cells);
	if (s->rows == SHEAF_ENTRIES || s->rows == SHEAF_WHOLE) mix_tensor(o, &s->tensor);
	for (int i = 0; i < s->nfields; i++) mix_field(o, &s->fields[i]);
	for (int i = 0; i < s->nattributes; i++) {
		mix_text(o, s->attributes[i].name);
		mix_text(o, s->attributes[i].text);
		mix_text(o, s->attributes[i].loss);
	}
}

static void mix_place(outcome *o, const sheaf_place *p)
{
	const int64_t numbers[] = {p->line, p->column, p->byte, p->chunk, p->row};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) mix_number(o, numbers[i]);
	mix_text(o, p->stream);
}

void mix_failure(outcome *o)
{
	const sheaf_error *e = &o->error;
	mix_number(o, o->status);
	if (!o->status) return;
	mix_place(o, &(sheaf_place){NULL, e->line, e->column, e->byte, e->chunk, e->row, NULL, NULL, NULL});
	mix_text(o, e->option);
	mix_words(o, e->message);
}

static void hear(void *user, const sheaf_problem *p)
{
	outcome *o = (outcome *)user;
	if (!o->findings++) snprintf(o->rule, sizeof o->rule, "%s", p->rule);
	mix_number(o, p->severity);
	mix_number(o, p->status);
	mix_text(o, p->rule);
	mix_place(o, &p->place);
	mix_words(o, p->expected);
	mix_words(o, p->found);
	mix_words(o, p->consequence);
}

sheaf_context *begin_outcome(const job *j, sheaf_context_options options, outcome *o)
{
	sheaf_context *cx;
	options.size = sizeof options;
	if (!options.max_memory) options.max_memory = MEMORY;
	options.threads = 1;
	options.drop_incomplete |= j->drop_incomplete;
	options.on_problem = hear;
	options.user = o;
	*o = (outcome){.sum = UINT64_C(0xcbf29ce484222325)};
	if (sheaf_context_new(&options, &cx, NULL)) abort();
	return cx;
}

sheaf_open_options open_options(const job *j, sheaf_open_options open)
{
	open.size = sizeof open;
	open.format = j->format;
	open.container = &j->container;
	open.settings = j->settings;
	open.nsettings = j->nsettings;
	return open;
}

void end_outcome(outcome *o, sheaf_context *cx)
{
	sheaf_tally tally;
	if (o->status && (o->status != o->error.status || !o->error.message[0])) abort();
	mix_failure(o);
	for (int i = 0; sheaf_context_tally(cx, i, &tally); i++)
		mix_text(o, tally.rule), mix_number(o, tally.count), mix_number(o, tally.severity);
	mix_number(o, o->rows);
	mix_text(o, o->hash);
	if (sheaf_context_memory(cx, NULL) != 0) abort();
	sheaf_context_free(cx);
}

size_t get_file(const char *path, uint8_t *data, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t size = f ? fread(data, 1, room, f) : 0;
	if (f) fclose(f);
	return size;
}

void mix_file(outcome *o, const char *path)
{
	static uint8_t bytes[MOST_OUTPUT];
	mix(o, bytes, get_file(path, bytes, sizeof bytes));
}
