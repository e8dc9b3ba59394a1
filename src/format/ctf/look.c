/* SPDX-License-Identifier: MIT */
/* Names, sequences and samples in lines. A sample with a word that cannot be a number does not count; whether
 * a word is one is decided when the values are read. So a look needs no declarations, and costs less than
 * reading: of dense samples it counts values, of sparse ones it wants the largest index. */
#include "format/ctf/look.h"
#include "base/context.h"
#include <string.h>

static const sheaf_ctf_guess fresh = {false, 0, -1, -1, 0, -1};

/* The number of a stream; -1: it is none of those that are declared. */
static sheaf_status find_or_add(sheaf_ctf_look *f, const uint8_t *name, size_t size, int *stream)
{
	sheaf_field *field;
	*stream = sheaf_names_find(f->declared ? &f->in->names : &f->names, name, size, f->last);
	if (*stream >= 0 || f->declared) return SHEAF_OK;
	SHEAF_TRY(sheaf_schema_add(&f->schema, f->cx, (const char *)name, size, &field, f->err));
	SHEAF_TRY(sheaf_names_add(&f->names, f->cx, field->name, size, f->err));
	sheaf_builder_append(&f->guesses, &fresh, sizeof fresh);
	*stream = f->schema.nfields - 1;
	SHEAF_TRY(sheaf_builder_status(&f->guesses, f->err));
	sheaf_ctf_guess_of(f, *stream)->first_at = f->line_at;
	return SHEAF_OK;
}

/* ---- sequences ---- */

/* The length of a sequence is the number of samples in its longest stream. Keys in a row may be the
 * numbers of the sequences. */
static void close_sequence(sheaf_ctf_look *f)
{
	if (!f->open) return;
	if (f->rows == 0) f->first_key = f->key;
	f->in_a_row = f->in_a_row && f->key == f->first_key + (uint64_t)f->rows;
	if (f->in_open > f->longest) f->longest = f->in_open;
	f->samples += f->in_open;
	f->in_open = 0;
	f->rows++;
	f->open = false;
}

/* ---- samples ---- */

/* A word is a pair, or numbers that signs may separate, as in "1+2". *sound becomes false if it cannot be
 * either. */
static void read_word(sheaf_ctf_look *f, sheaf_ctf_guess *g, bool *sound)
{
	const uint8_t *begin = f->at, *digits = begin;
	uint64_t index;
	int64_t values = 1;
	bool over = false;
	for (; f->at < f->end && !sheaf_ctf_is(*f->at, CTF_SPACE | CTF_ENDS_VALUES); f->at++) {
		bool sign = *f->at == '+' || *f->at == '-';
		*sound &= sheaf_ctf_is_digit(*f->at) || (*f->at && strchr("+-.eE:", *f->at));
		values += sign && f->at > begin && (f->at[-1] | 0x20) != 'e';
	}
	if (!sheaf_ctf_read_id(&digits, f->at, &index, &over) || digits == f->at || *digits != ':') {
		g->most_values += values;
		return;
	}
	g->sparse = true;
	if (!over && index < INT64_MAX && (int64_t)index > g->most_index) g->most_index = (int64_t)index;
}

/* Lets a kernel read what it can of a long sample, whose values are not needed. False: nothing. */
static bool read_run(sheaf_ctf_look *f, sheaf_ctf_guess *sample)
{
	enum { ROOM = 4 * SHEAF_NUMBERS_ROOM };
	float values[ROOM];
	int64_t indices[ROOM];
	sheaf_numbers run = {.delimiters = &sheaf_ctf_delimiters,
	                     .at = f->at,
	                     .end = f->end,
	                     .values = values,
	                     .indices = indices,
	                     .room = ROOM};
	run.limit = INT64_MAX;
	run.wide_indices = true;
	(sample->sparse ? sheaf_kernel_chosen()->pairs_f32 : sheaf_kernel_chosen()->dense_f32)(&run);
	f->at = run.at;
	if (!sample->sparse) sample->most_values += (int64_t)run.count;
	for (size_t i = 0; sample->sparse && i < run.count; i++)
		if (indices[i] > sample->most_index) sample->most_index = indices[i];
	return run.count > 0;
}

/* A sample that reading will reject only shows that the stream exists. */
static void take_over(sheaf_ctf_guess *g, const sheaf_ctf_guess *sample)
{
	g->sparse |= sample->sparse;
	if (sample->most_values > g->most_values) g->most_values = sample->most_values;
	if (sample->most_index > g->most_index) g->most_index = sample->most_index;
}

/* The words of a sample, one by one at first: most samples are short. */
static void read_sample(sheaf_ctf_look *f, sheaf_ctf_guess *g)
{
	sheaf_ctf_guess sample = {false, 0, -1, 0, 0, f->line_at};
	enum { FEW = 4 }; /* fewer are not worth a kernel */
	bool sound = true;
	for (int words = 0;; words++) {
		while (f->at < f->end && sheaf_ctf_is(*f->at, CTF_SPACE)) f->at++;
		if (f->at == f->end || sheaf_ctf_is(*f->at, CTF_ENDS_VALUES)) break;
		if (words < FEW || !read_run(f, &sample)) read_word(f, &sample, &sound);
	}
	if (sound) take_over(g, &sample);
	if (g->sequence != f->rows) g->in_sequence = 0;
	g->sequence = f->rows;
	if (++g->in_sequence > f->in_open) f->in_open = g->in_sequence;
}

/* All inputs on a line; unless each line is a sequence, one without an id goes on with the open one. Comments
 * and inputs without a name are passed, as in reading. */
static sheaf_status read_line(sheaf_ctf_look *f)
{
	int stream;
	uint64_t id = 0;
	bool over, by_line = f->in->by_line;
	f->line_at = f->byte + (f->at - f->begin);
	bool has_id = sheaf_ctf_read_id(&f->at, f->end, &id, &over), same = f->open && id == f->key;
	/* Of a last line of only digits, nothing is read. */
	bool dropped = f->at == f->end && (f->continues || f->rows + f->open > 0);
	if (by_line || (has_id && !same && !dropped)) {
		close_sequence(f);
		f->open = true;
		f->key = by_line ? (uint64_t)(f->line - f->in->first_line) : id;
	}
	while (f->at < f->end && *f->at != '\n') {
		f->at = sheaf_ctf_next_input(f->at, f->end);
		if (f->at == f->end || *f->at == '\n') break;
		const uint8_t *name = ++f->at;
		if (name < f->end && *name == '#') continue;
		while (f->at < f->end && !sheaf_ctf_is(*f->at, CTF_ENDS_NAME)) f->at++;
		if (f->at == name) continue;
		SHEAF_TRY(find_or_add(f, name, (size_t)(f->at - name), &stream));
		if (stream < 0) continue;
		read_sample(f, sheaf_ctf_guess_of(f, stream));
		f->last = stream;
	}
	if (f->at < f->end) f->at++;
	f->line++;
	return SHEAF_OK;
}

/* ---- runs ---- */

sheaf_status sheaf_ctf_look_begin(sheaf_ctf_look *look, const sheaf_ctf_reader *in, bool declared,
                                  sheaf_error *err)
{
	*look = (sheaf_ctf_look){.in = in, .cx = in->cx, .declared = declared, .last = -1, .in_a_row = true};
	sheaf_builder_begin(&look->guesses, in->cx, NULL);
	for (int i = 0; declared && i < in->schema.nfields; i++)
		sheaf_builder_append(&look->guesses, &fresh, sizeof fresh);
	return sheaf_builder_status(&look->guesses, err);
}

void sheaf_ctf_look_free(sheaf_ctf_look *look)
{
	if (!look->cx) return;
	sheaf_builder_drop(&look->guesses);
	sheaf_names_free(&look->names);
	sheaf_schema_free(&look->schema);
	look->cx = NULL;
}

sheaf_status sheaf_ctf_look_at(sheaf_ctf_look *look, const uint8_t *begin, const uint8_t *end, int64_t line,
                               bool continues, sheaf_error *err)
{
	look->at = look->begin = begin;
	look->end = end;
	look->line = line;
	look->continues = continues;
	look->err = err;
	while (look->at < end) SHEAF_TRY(read_line(look));
	close_sequence(look);
	return sheaf_check_stop(look->cx, err);
}

sheaf_status sheaf_ctf_look_add(sheaf_ctf_look *look, const sheaf_ctf_look *after, sheaf_error *err)
{
	look->err = err;
	for (int i = 0; i < after->schema.nfields; i++) {
		const char *name = after->schema.fields[i].name;
		int stream;
		look->line_at = sheaf_ctf_guess_of(after, i)->first_at;
		SHEAF_TRY(find_or_add(look, (const uint8_t *)name, strlen(name), &stream));
		take_over(sheaf_ctf_guess_of(look, stream), sheaf_ctf_guess_of(after, i));
		look->last = stream;
	}
	if (after->rows == 0) return SHEAF_OK;
	if (look->rows == 0) look->first_key = after->first_key;
	look->in_a_row =
		look->in_a_row && after->in_a_row && after->first_key == look->first_key + (uint64_t)look->rows;
	if (after->longest > look->longest) look->longest = after->longest;
	look->samples += after->samples;
	look->rows += after->rows;
	return SHEAF_OK;
}
