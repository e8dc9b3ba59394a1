/* SPDX-License-Identifier: MIT */
/* Short lines that are alike. Where a line was read well, and has whole numbers only, the next ones mostly
 * differ in these numbers alone: such lines are read by the shape of the one before, and go into the columns
 * list by list. */
#include "base/context.h"
#include "format/ctf/ctf.h"
#include <string.h>

/* ---- the shape of a line ---- */

/* What the numbers of a line that was read well are for: an id, digits of names, which stay the same on lines
 * of this shape, and values and indices of its lists. Dense lists have a value for each number, sparse ones
 * an index before it. False: numbers with something else between them than white space and ':' are left to
 * others. */
static bool learn(const sheaf_ctf_decoding *d, const sheaf_ctf_line *line, sheaf_ctf_shape *shape)
{
	int list = -1, number = 0;
	bool naming = false;
	for (const uint8_t *at = line->begin; at < line->end; at++) {
		const uint8_t *first = at;
		while (sheaf_ctf_is_digit(*at)) at++;
		if (at - first > SHEAF_ALIKE_DIGITS) return false;
		if (at > first && naming) {
			uint8_t *digits = (uint8_t *)shape->text.digits[number] + SHEAF_ALIKE_DIGITS - (at - first);
			shape->text.fixed |= 1u << number;
			memcpy(digits, first, (size_t)(at - first));
		} else if (at > first && list >= 0) {
			shape->lists[list].numbers++;
		}
		number += at > first;
		if (*at == '|' && list + 1 == shape->nlists) return false;
		if (*at == '|') {
			naming = true;
			shape->lists[++list].first = number;
		} else if (naming && sheaf_ctf_is(*at, CTF_ENDS_NAME)) {
			naming = false;
			shape->lists[list].first = number;
		}
		if (!naming && !sheaf_ctf_is(*at, CTF_SPACE) && *at != ':' && *at != '\r' && *at != '\n')
			return false;
	}
	for (int i = 0; i < line->nlists; i++) {
		sheaf_ctf_alike_list *made = &shape->lists[i];
		made->stream = line->streams[i];
		made->step = d->columns[made->stream].sparse ? 2 : 1;
		if (made->numbers % made->step) return false;
		made->entries = made->numbers / made->step;
	}
	return true;
}

/* ---- taking ---- */

enum { ID = 0 /* the number that is one, where lines have it */ };

/* A run of lines, and those of it that go into the columns now. */
typedef struct taking {
	sheaf_ctf_decoding *d;
	const sheaf_ctf_shape *shape;
	const sheaf_alike *run;
	int from, to;
} taking;

/* Whether what stands in the lists is what their streams want: values that float32 holds, indices below the
 * dim. */
static bool are_sound(const sheaf_ctf_decoding *d, const sheaf_ctf_shape *shape, const sheaf_alike *run)
{
	enum { EXACT = 1 << 24 };
	if (!d->in->by_line && !d->open && !shape->has_id) return false;
	for (const sheaf_ctf_alike_list *list = shape->lists; list < shape->lists + shape->nlists; list++) {
		const sheaf_ctf_column *column = &d->columns[list->stream];
		const uint32_t *most = run->most + list->first;
		for (int i = 0; i < list->numbers; i += list->step) {
			if (most[i + list->step - 1] > EXACT) return false;
			if (column->sparse && !d->in->guessed && most[i] >= column->dim) return false;
		}
	}
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

/* The values of all lists, and of sparse ones their indices, and where the entries of each sample end. */
static void put_lists(const taking *t)
{
	int lines = t->to - t->from;
	for (int i = 0; i < t->shape->nlists; i++) {
		const sheaf_ctf_alike_list *list = &t->shape->lists[i];
		const sheaf_ctf_column *column = &t->d->columns[list->stream];
		int n = list->entries, index = list->first, value = index + list->step - 1;
		void *values = room_for(t, column->values, list, column->wide_values);
		for (int k = 0; values && k < n; k++, value += list->step) {
			if (column->wide_values)
				put_f64((double *)values + k, t, value, n);
			else
				put_f32((float *)values + k, t, value, n);
		}
		if (!column->sparse) continue;
		void *indices = room_for(t, column->indices, list, column->wide_indices);
		for (int k = 0; indices && k < n; k++, index += list->step) {
			if (column->wide_indices)
				put_i64((int64_t *)indices + k, t, index, n);
			else
				put_i32((int32_t *)indices + k, t, index, n);
		}
		size_t size = column->wide_values ? sizeof(double) : sizeof(float);
		int64_t end = (int64_t)(column->values->size / size) - (int64_t)lines * n;
		int64_t *ends =
			(int64_t *)(void *)sheaf_builder_extend(column->entries, (uint64_t)lines * sizeof(int64_t));
		for (int j = 0; ends && j < lines; j++) ends[j] = end += n;
	}
}

/* ---- the choice ---- */

/* Lines of one shape, which go on after a run that is full. All lists of a run go into the columns at once,
 * except when a sequence may still be rolled back. The lines from `first` to `end` are of one sequence. */
static sheaf_status read_shape(sheaf_ctf_decoding *d, const sheaf_ctf_shape *shape, bool *any)
{
	sheaf_alike run;
	run.shape = &shape->text;
	run.end = d->end;
	for (*any = false;; *any = true) {
		const uint8_t *begin = run.at = d->at;
		d->kernel->alike(&run);
		if (run.count == 0 || !are_sound(d, shape, &run)) return SHEAF_OK;
		taking t = {d, shape, &run, 0, run.count};
		for (int first = 0, end; first < run.count; first = end) {
			end = d->in->by_line || shape->has_id ? first + 1 : run.count;
			while (!d->in->by_line && end < run.count && run.numbers[end][ID] == run.numbers[first][ID])
				end++;
			d->line_start = d->at;
			SHEAF_TRY(sheaf_ctf_enter_sequence(d, shape->has_id, run.numbers[first][ID]));
			if (d->in->drop_incomplete) t.from = first, t.to = end;
			if (d->in->drop_incomplete || first == 0) put_lists(&t);
			for (int i = 0; i < shape->nlists; i++)
				sheaf_ctf_add_samples(d, shape->lists[i].stream, end - first);
			d->sequence_lines += end - first;
			d->line += end - first;
			if (end - first > 1) d->line_start = begin + run.ends[end - 2];
			d->at = begin + run.ends[end - 1];
		}
	}
}

/* Lines of one shape have the same lists, so a shape is known by its text. */
sheaf_status sheaf_ctf_read_alike(sheaf_ctf_decoding *d, const sheaf_ctf_line *like)
{
	sheaf_ctf_shape shape = {.nlists = like->nlists, .has_id = like->has_id};
	if (!d->kernel->alike) return SHEAF_OK;
	bool learnt = like->nlists <= CTF_ALIKE_LISTS &&
	              sheaf_line_shape_of(like->begin, like->end, &shape.text) && learn(d, like, &shape);
	for (int i = 0; i < d->nshapes && i < CTF_SHAPES && learnt; i++)
		learnt = memcmp(&d->shapes[i].text, &shape.text, sizeof shape.text) != 0;
	if (learnt) d->shapes[d->nshapes++ % CTF_SHAPES] = shape;
	int known = d->nshapes < CTF_SHAPES ? d->nshapes : CTF_SHAPES;
	bool any = true;
	while (any && d->at < d->end) {
		any = false;
		for (int i = 0; i < known && !any; i++) SHEAF_TRY(read_shape(d, &d->shapes[i], &any));
	}
	return SHEAF_OK;
}
