/* SPDX-License-Identifier: MIT */
/* Short lines that are alike. Where a line was read well, and has whole numbers only, the next ones mostly
 * differ in these numbers alone: such lines are read by the shape of the one before, and go into the columns
 * list by list. */
#include "base/context.h"
#include "format/ctf/ctf.h"
#include <string.h>

/* ---- the shape of a line ---- */

/* What the numbers on a line are for, as a walk over it meets them. */
typedef struct learning {
	sheaf_ctf_shape *shape;
	int list;    /* -1: before the first */
	bool naming; /* in a list's name */
	int number;
} learning;

/* White space, and what stands between an index and its value; numbers with anything else are left to
 * others. */
static bool is_between(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == ':' || byte == '\r' || byte == '\n';
}

static void learn_number(learning *l, const uint8_t *begin, const uint8_t *end)
{
	sheaf_line_shape *text = &l->shape->text;
	int number = l->number++;
	if (l->naming) {
		text->fixed |= 1u << number;
		memcpy(text->digits[number] + SHEAF_ALIKE_DIGITS - (end - begin), begin, (size_t)(end - begin));
	} else if (l->list >= 0) {
		l->shape->lists[l->list].numbers++;
	}
}

static void learn_byte(learning *l, uint8_t byte)
{
	if (byte == '|') {
		l->naming = true;
		l->shape->lists[++l->list].first = l->number;
	} else if (l->naming && sheaf_ctf_is(byte, CTF_ENDS_NAME)) {
		l->naming = false;
		l->shape->lists[l->list].first = l->number;
	}
}

/* The numbers of a line that was read well: an id, digits of names, and those of its lists. */
static bool learn_numbers(sheaf_ctf_shape *shape, const uint8_t *begin, const uint8_t *end)
{
	learning l = {.shape = shape, .list = -1};
	for (const uint8_t *at = begin; at < end; at++) {
		const uint8_t *number = at;
		while (sheaf_ctf_is_digit(*at)) at++;
		if (at - number > SHEAF_ALIKE_DIGITS) return false;
		if (at > number) learn_number(&l, number, at);
		if (*at == '|' && l.list + 1 == shape->nlists) return false;
		learn_byte(&l, *at);
		if (!l.naming && *at != '|' && !is_between(*at)) return false;
	}
	return true;
}

/* Dense lists have a value for each number, sparse ones an index before it. */
static bool learn_lists(const sheaf_ctf_decoding *d, const sheaf_ctf_line *line, sheaf_ctf_shape *shape)
{
	for (int i = 0; i < line->nlists; i++) {
		sheaf_ctf_alike_list *list = &shape->lists[i];
		list->stream = line->streams[i];
		list->step = d->columns[list->stream].sparse ? 2 : 1;
		if (list->numbers % list->step) return false;
		list->entries = list->numbers / list->step;
	}
	return true;
}

static bool learn(const sheaf_ctf_decoding *d, const sheaf_ctf_line *line, sheaf_ctf_shape *shape)
{
	*shape = (sheaf_ctf_shape){.nlists = line->nlists, .has_id = line->has_id};
	return line->nlists <= CTF_ALIKE_LISTS && sheaf_line_shape_of(line->begin, line->end, &shape->text) &&
	       learn_numbers(shape, line->begin, line->end) && learn_lists(d, line, shape);
}

/* ---- taking ---- */

enum { ID = 0 /* the number that is one, where lines have it */ };

/* A run of lines from `begin` on, and those of it that go into the columns now. */
typedef struct taking {
	sheaf_ctf_decoding *d;
	const sheaf_ctf_shape *shape;
	const sheaf_alike *run;
	const uint8_t *begin;
	int from, to;
} taking;

/* Whether what stands in a list is what its stream wants: values that float32 holds, indices below its
 * dim. */
static bool is_sound(const sheaf_ctf_decoding *d, const sheaf_ctf_alike_list *list, const sheaf_alike *run)
{
	enum { EXACT = 1 << 24 };
	const sheaf_ctf_column *column = &d->columns[list->stream];
	const uint32_t *most = run->most + list->first;
	for (int i = 0; i < list->numbers; i += list->step) {
		if (most[i + list->step - 1] > EXACT) return false;
		if (column->sparse && !d->in->guessed && most[i] >= column->dim) return false;
	}
	return true;
}

static bool are_sound(const sheaf_ctf_decoding *d, const sheaf_ctf_shape *shape, const sheaf_alike *run)
{
	if (!d->in->by_line && !d->open && !shape->has_id) return false;
	for (int i = 0; i < shape->nlists; i++)
		if (!is_sound(d, &shape->lists[i], run)) return false;
	return true;
}

/* Number `first` of each line into every `every`-th item. */
static void put_f32(float *to, const taking *t, int first, int every)
{
	for (int line = t->from; line < t->to; line++, to += every) *to = (float)t->run->numbers[line][first];
}

static void put_f64(double *to, const taking *t, int first, int every)
{
	for (int line = t->from; line < t->to; line++, to += every) *to = t->run->numbers[line][first];
}

static void put_i32(int32_t *to, const taking *t, int first, int every)
{
	for (int line = t->from; line < t->to; line++, to += every) *to = (int32_t)t->run->numbers[line][first];
}

static void put_i64(int64_t *to, const taking *t, int first, int every)
{
	for (int line = t->from; line < t->to; line++, to += every) *to = t->run->numbers[line][first];
}

/* Room for an item of each entry of a list; NULL where there is none, as the builder will say. */
static void *room_for(const taking *t, sheaf_builder *b, const sheaf_ctf_alike_list *list, bool wide)
{
	uint64_t entries = (uint64_t)(t->to - t->from) * (uint64_t)list->entries;
	return sheaf_builder_extend(b, entries * (wide ? sizeof(int64_t) : sizeof(int32_t)));
}

static void put_values(const taking *t, const sheaf_ctf_column *column, const sheaf_ctf_alike_list *list)
{
	void *to = room_for(t, column->values, list, column->wide_values);
	for (int k = 0; to && k < list->entries; k++) {
		int number = list->first + k * list->step + list->step - 1;
		if (column->wide_values)
			put_f64((double *)to + k, t, number, list->entries);
		else
			put_f32((float *)to + k, t, number, list->entries);
	}
}

static void put_indices(const taking *t, const sheaf_ctf_column *column, const sheaf_ctf_alike_list *list)
{
	void *to = room_for(t, column->indices, list, column->wide_indices);
	for (int k = 0; to && k < list->entries; k++) {
		int number = list->first + k * list->step;
		if (column->wide_indices)
			put_i64((int64_t *)to + k, t, number, list->entries);
		else
			put_i32((int32_t *)to + k, t, number, list->entries);
	}
}

/* Where the entries of each sample end, of values that are there already. */
static void put_ends(const taking *t, const sheaf_ctf_column *column, int64_t entries)
{
	int64_t lines = t->to - t->from;
	int64_t end = (int64_t)(column->values->size / (column->wide_values ? sizeof(double) : sizeof(float))) -
	              lines * entries;
	int64_t *to = (int64_t *)(void *)sheaf_builder_extend(column->entries, (uint64_t)lines * sizeof(int64_t));
	for (int64_t i = 0; to && i < lines; i++) to[i] = end += entries;
}

static void put_lists(const taking *t)
{
	for (int i = 0; i < t->shape->nlists; i++) {
		const sheaf_ctf_alike_list *list = &t->shape->lists[i];
		const sheaf_ctf_column *column = &t->d->columns[list->stream];
		put_values(t, column, list);
		if (!column->sparse) continue;
		put_indices(t, column, list);
		put_ends(t, column, list->entries);
	}
}

/* The lines from `first` on that are of one sequence. */
static int end_of_sequence(const taking *t, int first)
{
	int end = first + 1;
	if (t->d->in->by_line) return end;
	if (!t->shape->has_id) return t->run->count;
	while (end < t->run->count && t->run->numbers[end][ID] == t->run->numbers[first][ID]) end++;
	return end;
}

/* Lines that were entered are the sequence's. */
static void count_lines(const taking *t, int first, int end)
{
	for (int i = 0; i < t->shape->nlists; i++)
		sheaf_ctf_add_samples(t->d, t->shape->lists[i].stream, end - first);
	t->d->sequence_lines += end - first;
	t->d->line += end - first;
	if (end - first > 1) t->d->line_start = t->begin + t->run->ends[end - 2];
	t->d->at = t->begin + t->run->ends[end - 1];
}

/* All lists of the run go into the columns at once, except when a sequence may still be rolled back. */
static sheaf_status take_run(sheaf_ctf_decoding *d, const sheaf_ctf_shape *shape, const sheaf_alike *run)
{
	taking t = {d, shape, run, d->at, 0, run->count};
	for (int first = 0, end; first < run->count; first = end) {
		end = end_of_sequence(&t, first);
		d->line_start = d->at;
		SHEAF_TRY(sheaf_ctf_enter_sequence(d, shape->has_id, run->numbers[first][ID]));
		if (d->in->drop_incomplete) t.from = first, t.to = end;
		if (d->in->drop_incomplete || first == 0) put_lists(&t);
		count_lines(&t, first, end);
	}
	return SHEAF_OK;
}

/* ---- the choice ---- */

/* Lines of one shape, which go on after a run that is full. */
static sheaf_status read_shape(sheaf_ctf_decoding *d, const sheaf_ctf_shape *shape, bool *any)
{
	sheaf_alike run;
	run.shape = &shape->text;
	run.end = d->end;
	for (*any = false;; *any = true) {
		run.at = d->at;
		d->kernel->alike(&run);
		if (run.count == 0 || !are_sound(d, shape, &run)) return SHEAF_OK;
		SHEAF_TRY(take_run(d, shape, &run));
	}
}

static sheaf_status read_known(sheaf_ctf_decoding *d)
{
	int known = d->nshapes < CTF_SHAPES ? d->nshapes : CTF_SHAPES;
	bool any = true;
	while (any && d->at < d->end) {
		any = false;
		for (int i = 0; i < known && !any; i++) SHEAF_TRY(read_shape(d, &d->shapes[i], &any));
	}
	return SHEAF_OK;
}

/* Lines of one shape have the same lists. */
static bool is_known(const sheaf_ctf_decoding *d, const sheaf_ctf_shape *shape)
{
	for (int i = 0; i < d->nshapes && i < CTF_SHAPES; i++)
		if (memcmp(&d->shapes[i].text, &shape->text, sizeof shape->text) == 0) return true;
	return false;
}

sheaf_status sheaf_ctf_read_alike(sheaf_ctf_decoding *d, const sheaf_ctf_line *like)
{
	sheaf_ctf_shape shape;
	if (!d->kernel->alike) return SHEAF_OK;
	if (learn(d, like, &shape) && !is_known(d, &shape)) d->shapes[d->nshapes++ % CTF_SHAPES] = shape;
	return read_known(d);
}
