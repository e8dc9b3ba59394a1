/* SPDX-License-Identifier: MIT */
/* Streams that nobody declared: a name with an index:value pair anywhere is a sparse stream, its dim one more than the largest index;
 * any other is dense, its dim the most values of a sample. Order is that of first appearance. A sample
 * with a word that cannot be a number does not count; whether it is one is judged when the values are read. */
#include "base/context.h"
#include "base/memory.h"
#include "format/ctf/ctf.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_PART = 1 << 20 };

typedef struct guess {
	bool sparse;
	int64_t most_values, most_index;
	int64_t sequence, in_sequence; /* the last sequence with a sample, and how many it has */
} guess;

typedef struct inference {
	sheaf_ctf_reader *in;
	sheaf_error *err;
	sheaf_builder guesses; /* guess of each stream, in the schema's order */
	int last;              /* stream found last */
	bool add;              /* unknown names become streams */
	bool open;
	int64_t longest; /* most samples of a stream in the open sequence */
	uint64_t key;
	int64_t line;
	const uint8_t *at, *end;
} inference;

static guess *guess_at(const inference *f, int i) { return (guess *)(void *)f->guesses.data + i; }

static sheaf_status find_or_add(inference *f, const uint8_t *name, size_t size, int *stream)
{
	static const guess fresh = {false, 0, -1, -1, 0};
	sheaf_field *field;
	*stream = sheaf_names_find(&f->in->names, name, size, f->last);
	if (*stream >= 0 || !f->add) return SHEAF_OK;
	SHEAF_TRY(sheaf_schema_add(&f->in->schema, f->in->cx, (const char *)name, size, &field, f->err));
	SHEAF_TRY(sheaf_names_add(&f->in->names, f->in->cx, field->name, size, f->err));
	sheaf_builder_append(&f->guesses, &fresh, sizeof fresh);
	*stream = f->in->schema.nfields - 1;
	return sheaf_builder_status(&f->guesses, f->err);
}

/* ---- sequences ---- */

static void close_sequence(inference *f)
{
	if (!f->open) return;
	sheaf_facts *facts = &f->in->facts;
	if (f->key != (uint64_t)facts->rows) facts->ordinal_keys = 0;
	if (f->longest > facts->longest) facts->longest = f->longest;
	facts->samples += f->longest;
	f->longest = 0;
	facts->rows++;
	f->open = false;
}

static void open_sequence(inference *f)
{
	uint64_t id;
	bool over;
	bool has_id = sheaf_ctf_read_id(&f->at, f->end, &id, &over);
	if (f->in->by_line) id = (uint64_t)(f->line - f->in->first_line);
	if (!f->in->by_line && (!has_id || (f->open && id == f->key))) return;
	if (!f->in->by_line && f->at == f->end && f->in->facts.rows + f->open > 0) return; /* a last line of digits only is dropped */
	close_sequence(f);
	f->open = true;
	f->key = id;
}

/* ---- samples ---- */

static const uint8_t *word_end(const uint8_t *at, const uint8_t *end)
{
	while (at < end && !sheaf_ctf_is(*at, CTF_SPACE | CTF_ENDS_VALUES)) at++;
	return at;
}

/* Values that a word of numbers without spaces, such as "1+2", stands for. */
static int64_t values_in(const uint8_t *at, const uint8_t *end)
{
	int64_t n = 1;
	for (const uint8_t *c = at + 1; c < end; c++) n += (*c == '+' || *c == '-') && (c[-1] | 0x20) != 'e';
	return n;
}

static bool can_be_number(const uint8_t *at, const uint8_t *end)
{
	while (at < end && (sheaf_ctf_is_digit(*at) || (*at && strchr("+-.eE:", *at)))) at++;
	return at == end;
}

static void read_word(guess *g, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *digits = at;
	uint64_t index;
	bool over = false;
	if (!sheaf_ctf_read_id(&digits, end, &index, &over) || digits == end || *digits != ':') {
		g->most_values += values_in(at, end);
		return;
	}
	g->sparse = true;
	if (!over && index < INT64_MAX && (int64_t)index > g->most_index) g->most_index = (int64_t)index;
}

/* What reading will reject tells nothing of the stream but that it is there. */
static void take_over(guess *g, const guess *sample)
{
	g->sparse |= sample->sparse;
	if (sample->most_values > g->most_values) g->most_values = sample->most_values;
	if (sample->most_index > g->most_index) g->most_index = sample->most_index;
}

static void read_sample(inference *f, guess *g)
{
	guess sample = {false, 0, -1, 0, 0};
	bool sound = true;
	for (;;) {
		while (f->at < f->end && sheaf_ctf_is(*f->at, CTF_SPACE)) f->at++;
		if (f->at == f->end || sheaf_ctf_is(*f->at, CTF_ENDS_VALUES)) break;
		const uint8_t *end = word_end(f->at, f->end);
		sound = sound && can_be_number(f->at, end);
		read_word(&sample, f->at, end);
		f->at = end;
	}
	if (sound) take_over(g, &sample);
	if (g->sequence != f->in->facts.rows) g->in_sequence = 0;
	g->sequence = f->in->facts.rows;
	if (++g->in_sequence > f->longest) f->longest = g->in_sequence;
}

static sheaf_status read_line(inference *f)
{
	int stream;
	open_sequence(f);
	while (f->at < f->end && *f->at != '\n') {
		f->at = sheaf_ctf_next_input(f->at, f->end);
		if (f->at == f->end || *f->at == '\n') break;
		const uint8_t *name = ++f->at;
		if (name < f->end && *name == '#') continue;
		while (f->at < f->end && !sheaf_ctf_is(*f->at, CTF_ENDS_NAME)) f->at++;
		if (f->at == name) continue;
		SHEAF_TRY(find_or_add(f, name, (size_t)(f->at - name), &stream));
		if (stream < 0) continue;
		read_sample(f, guess_at(f, stream));
		f->last = stream;
	}
	if (f->at < f->end) f->at++;
	f->line++;
	return SHEAF_OK;
}

static sheaf_status read_text(inference *f, const uint8_t *at, const uint8_t *end)
{
	f->at = at;
	f->end = end;
	while (f->at < end) SHEAF_TRY(read_line(f));
	return sheaf_check_stop(f->in->cx, f->err);
}

/* ---- the input ---- */

/* A small limit leaves room for a small window only. */
static size_t first_part(const sheaf_context *cx)
{
	enum { SHARE = 32, LEAST = 4096 };
	int64_t share = sheaf_max_memory(cx) / SHARE;
	return share > FIRST_PART ? FIRST_PART : share < LEAST ? LEAST : (size_t)share;
}

static sheaf_status read_whole(inference *f)
{
	sheaf_piece piece = {0};
	sheaf_status status;
	while ((status = sheaf_ctf_cut(f->in, (int64_t)first_part(f->in->cx), &piece, f->err)) == SHEAF_OK) {
		status = read_text(f, piece.bytes.data, piece.bytes.data + piece.size);
		if (status) break;
	}
	sheaf_buffer_reset(&piece.bytes);
	/* An input that breaks off tells what it can; reading it meets the failure in its place. */
	bool told = status == SHEAF_END || (f->in->cut_off && f->in->schema.nfields > 0 && status == f->in->cut_off);
	if (!told) return status;
	close_sequence(f);
	return sheaf_source_rewind(f->in->source, f->err);
}

/* Does not move the source, so a pipe can be read on. *complete tells that this was all of the input. */
static sheaf_status read_part(inference *f, size_t most, bool *complete)
{
	sheaf_bytes window;
	const uint8_t *feed = NULL;
	for (*complete = false; !*complete && !feed; most *= 2) {
		/* A line that is cut would tell a wrong dim. */
		sheaf_status status = sheaf_source_ahead(f->in->source, most, &window, f->err);
		*complete = status == SHEAF_OK && window.size < most;
		if (window.size > most) window.size = most;
		feed = window.size ? (const uint8_t *)memrchr(window.data, '\n', window.size) : NULL;
		if (status && !feed) return status;
	}
	SHEAF_TRY(read_text(f, window.data, *complete ? window.data + window.size : feed + 1));
	close_sequence(f);
	return SHEAF_OK;
}

static void shape_fields(inference *f, sheaf_type type, bool guessed)
{
	for (int i = 0; i < f->in->schema.nfields; i++) {
		const guess *g = guess_at(f, i);
		/* A stream of empty samples only: sparse adds no zeros that nobody wrote. */
		bool sparse = g->sparse || g->most_values == 0;
		int64_t dim = !sparse ? g->most_values : g->most_index >= 0 ? g->most_index + 1 : 1;
		sheaf_field_make_stream(&f->in->schema.fields[i], sparse, dim, type);
		if (guessed) f->in->schema.fields[i].levels[1].index_type = SHEAF_I64; /* no index is beyond it */
	}
}

static sheaf_status infer(inference *f, bool glance, const sheaf_values *values)
{
	sheaf_ctf_reader *in = f->in;
	bool complete = true;
	size_t part = first_part(in->cx);
	const char *word = sheaf_values_text(values, "precision");
	in->facts = (sheaf_facts){0, 0, -1, 0, 1, NULL, NULL};
	SHEAF_TRY(f->add && !glance ? read_whole(f) : read_part(f, part, &complete));
	if (f->add) {
		shape_fields(f, word && strcmp(word, "double") == 0 ? SHEAF_F64 : SHEAF_F32, !complete);
		in->facts.guess = in->guess;
		snprintf(in->guess, sizeof in->guess, complete ? CTF_INFERRED : "inferred from the first %zu bytes", part);
		in->guessed = !complete;
		if (in->schema.nfields == 0)
			return sheaf_fail(f->err, SHEAF_DATA, "%s: expected '|' and a stream name on some line, found none", sheaf_source_name(in->source));
	}
	if (!complete || in->drop_incomplete) { /* what will be left out is not known here */
		const char *guess_text = in->facts.guess;
		in->facts = SHEAF_NO_FACTS;
		in->facts.guess = guess_text;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_ctf_infer(sheaf_ctf_reader *in, bool declared, bool glance, const sheaf_values *values, sheaf_error *err)
{
	inference f = {.in = in, .err = err, .last = -1, .add = !declared, .line = in->line};
	static const guess fresh = {false, 0, -1, -1, 0};
	int64_t line = in->line, column = in->column;
	in->facts = SHEAF_NO_FACTS;
	if (declared && sheaf_source_size(in->source) > (int64_t)first_part(in->cx)) return SHEAF_OK; /* the first part would tell no facts */
	sheaf_builder_begin(&f.guesses, in->cx, NULL);
	for (int i = 0; i < in->schema.nfields; i++) sheaf_builder_append(&f.guesses, &fresh, sizeof fresh);
	sheaf_status status = sheaf_builder_status(&f.guesses, err);
	if (status == SHEAF_OK) status = infer(&f, glance, values);
	sheaf_builder_drop(&f.guesses);
	if (status == SHEAF_OK && !glance && !declared) return sheaf_ctf_begin(in, err);
	in->line = line;
	in->column = column;
	return status;
}
