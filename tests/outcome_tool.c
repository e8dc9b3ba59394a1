/* SPDX-License-Identifier: MIT */
/* For outcomes.py: what comes of reading a file in many ways, of converting it into each format, and of
 * reading it after each of many small changes. Each outcome is a number that depends on the status, the
 * place of the failure, all findings with their rules and places, and all rows: not on sentences.
 *
 *     outcome_tool [--full] <JOBS
 *
 * A line of JOBS has, with tabs between: a name, a format, a path, how many changes, whether it is converted
 * ("yes", "no"), and names and values of options, "-" for a flag. For each the tool prints its name, a letter
 * for each way, for each target ("-": none) and for each BLOCK changes, and a sum of all outcomes; with
 * --full a line for each outcome, too. Outputs go into the current folder. */
#include "../fuzz/mutator.h"
#include "hdf5_mutants.h"
#include "seal.h"
#include <sheaf/sheaf.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	MOST_SETTINGS = 16,
	BLOCK = 5,
	MOST_LETTERS = 100,
	MOST_ROWS = 1 << 14,
	MOST_OUTPUT = 1 << 20,
	MOST_FILE = 1 << 16,
	ROOM = 2 * MOST_FILE,
	MEMORY = 64 << 20,
	CHOICES = 4 /* bytes before a file, for mutate_binary */
};

typedef struct job {
	char *name, *format, *path, *member;
	int changes, nsettings;
	bool converts, drop_incomplete;
	sheaf_setting settings[MOST_SETTINGS];
	sheaf_bytes file;
} job;

typedef struct outcome {
	uint64_t sum; /* of everything */
	sheaf_status status;
	sheaf_error error;
	int64_t rows, findings;
	char rule[48]; /* of the first finding */
	sheaf_place place;
	char hash[33];
} outcome;

static bool is_full;

/* ---- sums ---- */

static void mix(outcome *o, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		o->sum = (o->sum ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
}

static void mix_number(outcome *o, int64_t v)
{
	o->sum = ((o->sum ^ (uint64_t)v) * UINT64_C(0x9e3779b97f4a7c15));
	o->sum ^= o->sum >> 29;
}

static void mix_text(outcome *o, const char *text)
{
	mix(o, text ? text : "", text ? strlen(text) + 1 : 1);
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

static void mix_schema(outcome *o, const sheaf_schema *s)
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

static void mix_failure(outcome *o)
{
	const sheaf_error *e = &o->error;
	mix_number(o, o->status);
	if (!o->status) return;
	mix_place(o, &(sheaf_place){NULL, e->line, e->column, e->byte, e->chunk, e->row, NULL, NULL, NULL});
	mix_text(o, e->option);
}

static void hear(void *user, const sheaf_problem *p)
{
	outcome *o = (outcome *)user;
	if (!o->findings++) {
		snprintf(o->rule, sizeof o->rule, "%s", p->rule);
		o->place = p->place;
	}
	mix_number(o, p->severity);
	mix_number(o, p->status);
	mix_text(o, p->rule);
	mix_place(o, &p->place);
}

/* ---- ways of reading ---- */

typedef enum aim { ROWS, TEXTS, SUMMARY, PIECES } aim;

typedef struct way {
	const char *name;
	aim use;
	sheaf_context_options cx;
	sheaf_open_options open;
	bool is_found;    /* the format, by content */
	bool streams;     /* bytes come from a function */
	bool is_of_first; /* only one column */
} way;

static const way ways[] = {
	{"reading"},
	{"validating", .cx = {.validate = true}},
	{"its text", TEXTS},
	{"strict", .cx = {.strict = true}},
	{"strictly validating", .cx = {.validate = true, .strict = true}},
	{"tolerating 3", .cx = {.max_errors = 3}},
	{"validating, tolerating 3", .cx = {.max_errors = 3, .validate = true}},
	{"dropping what is incomplete", .cx = {.drop_incomplete = true}},
	{"in pieces of 7 bytes", .open = {.piece_bytes = 7}},
	{"validating in pieces of 40 bytes", .cx = {.validate = true}, .open = {.piece_bytes = 40}},
	{"at a glance", .open = {.glance = SHEAF_GLANCE_SHOWING}},
	{"speculatively", .open = {.glance = SHEAF_GLANCE_SPECULATIVE, .piece_bytes = 30}},
	{"found by content", .is_found = true},
	{"from a function", .streams = true},
	{"from a function, at random", .open = {.random = true}, .streams = true},
	{"from a pipe", .open = {.pipe = true, .once = true}, .streams = true},
	{"some rows", .open = {.select = {.rows = "1:3"}}},
	{"after a row", .open = {.select = {.skip = 1}}},
	{"a sample", .open = {.select = {.sample = "2", .seed = 5}}},
	{"of the first column", .is_of_first = true},
	{"turned round", .open = {.select = {.transpose = true}}},
	{"as a matrix", .open = {.matrix = true}},
	{"as a table", .open = {.table = true}},
	{"as sequences", .open = {.rows = SHEAF_TAKES_SEQUENCES}},
	{"as cells", .open = {.rows = SHEAF_TAKES_CELLS}},
	{"as entries", .open = {.rows = SHEAF_TAKES_ENTRIES}},
	{"as one tensor", .open = {.rows = SHEAF_TAKES_WHOLE}},
	{"expanded", .open = {.entries = SHEAF_ENTRIES_EXPANDED}},
	{"its content", .open = {.entries = SHEAF_ENTRIES_CONTENT}},
	{"wide", .open = {.rows = SHEAF_TAKES_CELLS, .samples = SHEAF_SAMPLES_WIDE}},
	{"long", .open = {.rows = SHEAF_TAKES_CELLS, .samples = SHEAF_SAMPLES_LONG}},
	{"as lists", .open = {.rows = SHEAF_TAKES_CELLS, .samples = SHEAF_SAMPLES_LISTS}},
	{"as its users write it", TEXTS, .open = {.view = SHEAF_VIEW_TEXT}},
	{"as JSON", TEXTS, .open = {.view = SHEAF_VIEW_JSON}},
	{"its summary", SUMMARY},
	{"piece by piece", PIECES, .open = {.piece_bytes = 40, .random = true}},
};
enum { READING, VALIDATING };

static sheaf_context *new_context(const job *j, sheaf_context_options options, outcome *o)
{
	sheaf_context *cx;
	options.size = sizeof options;
	options.max_memory = MEMORY;
	options.threads = 1;
	options.drop_incomplete |= j->drop_incomplete;
	options.on_problem = hear;
	options.user = o;
	*o = (outcome){.sum = UINT64_C(0xcbf29ce484222325)};
	if (sheaf_context_new(&options, &cx, NULL)) abort();
	return cx;
}

static sheaf_open_options open_options(const job *j, sheaf_open_options open)
{
	open.size = sizeof open;
	open.format = j->format;
	open.member = j->member;
	open.settings = j->settings;
	open.nsettings = j->nsettings;
	return open;
}

static void end_context(sheaf_context *cx)
{
	if (sheaf_context_memory(cx, NULL) != 0) abort();
	sheaf_context_free(cx);
}

static int64_t give(void *user, void *data, size_t size)
{
	sheaf_bytes *rest = (sheaf_bytes *)user;
	size_t n = size < rest->size ? size : rest->size;
	if (n > 50) n = 50;
	if (n) memcpy(data, rest->data, n);
	*rest = (sheaf_bytes){rest->data + n, rest->size - n};
	return (int64_t)n;
}

static sheaf_status mix_rows(sheaf_dataset *dataset, const sheaf_frame *frame, aim use, outcome *o)
{
	sheaf_buffer text = {0};
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_status status = SHEAF_OK;
	for (int style = SHEAF_TEXT; use == TEXTS && style <= SHEAF_JSON && !status; style++) {
		status = sheaf_rows_text(frame, schema, (sheaf_style)style, sheaf_dataset_row(dataset), 0,
		                         frame->nrows < 20 ? frame->nrows : 20, &text, &o->error);
		mix(o, text.data, text.size);
	}
	for (size_t i = 0; i < frame->lines.size / 8; i++)
		mix_number(o, ((const int64_t *)(const void *)frame->lines.data)[i]);
	for (size_t i = 0; i < frame->numbers.size / 8; i++)
		mix_number(o, ((const int64_t *)(const void *)frame->numbers.data)[i]);
	sheaf_buffer_reset(&text);
	return status;
}

/* All rows, as they are used. */
static sheaf_status take_rows(sheaf_dataset *dataset, aim use, sheaf_hash *hash, sheaf_summary *summary,
                              outcome *o)
{
	const sheaf_frame *frame;
	sheaf_status status = SHEAF_OK;
	while (o->rows < MOST_ROWS && (status = sheaf_next(dataset, &frame, &o->error)) == SHEAF_OK) {
		if (sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &o->error)) abort();
		SHEAF_TRY(sheaf_hash_add(hash, frame, &o->error));
		SHEAF_TRY(mix_rows(dataset, frame, use, o));
		if (summary) SHEAF_TRY(sheaf_summary_add(summary, frame, o->rows, &o->error));
		o->rows += frame->nrows;
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status take_summary(const sheaf_summary *summary, outcome *o)
{
	sheaf_buffer text = {0};
	sheaf_summary_options options = {.size = sizeof options, .style = SHEAF_JSON};
	sheaf_status status = sheaf_summary_text(summary, &options, &text, &o->error);
	mix(o, text.data, text.size);
	sheaf_buffer_reset(&text);
	return status;
}

static sheaf_status take_all(sheaf_dataset *dataset, aim use, sheaf_context *cx, outcome *o)
{
	sheaf_hash *hash = NULL;
	sheaf_summary *summary = NULL;
	sheaf_buffer text = {0};
	sheaf_status status =
		sheaf_hash_new(sheaf_dataset_schema(dataset), true, true, cx, &hash, &o->error);
	if (!status && use == SUMMARY)
		status = sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &summary, &o->error);
	if (!status && use == TEXTS) status = sheaf_dataset_describe(dataset, true, &text, &o->error);
	mix(o, text.data, text.size);
	if (!status) status = take_rows(dataset, use, hash, summary, o);
	if (!status && use == SUMMARY) status = take_summary(summary, o);
	if (hash) sheaf_hash_text(hash, o->hash);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(summary);
	sheaf_hash_free(hash);
	return status;
}

static sheaf_status take_pieces(sheaf_dataset *dataset, sheaf_context *cx, outcome *o)
{
	const sheaf_pieces *pieces;
	sheaf_frame frame = {0};
	sheaf_piece_entry e;
	sheaf_status status = sheaf_dataset_pieces(dataset, &pieces, &o->error);
	for (int64_t i = 0; !status && i < sheaf_pieces_count(pieces); i++) {
		sheaf_pieces_at(pieces, i, &e);
		const int64_t numbers[] = {e.byte, e.size, e.line, e.column, e.chunk, e.row, e.rows, e.samples};
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) mix_number(o, numbers[k]);
		status = sheaf_dataset_read_piece(dataset, i, &frame, cx, &o->error);
		o->rows += frame.nrows;
	}
	sheaf_frame_free(&frame);
	return status;
}

static void mix_facts(outcome *o, const sheaf_dataset *dataset)
{
	sheaf_facts f;
	sheaf_dataset_facts(dataset, &f);
	mix_number(o, f.rows), mix_number(o, f.samples), mix_number(o, f.chunks);
	mix_number(o, f.longest), mix_number(o, f.ordinal_keys);
	mix_text(o, sheaf_format_name(sheaf_dataset_format(dataset)));
}

static void finish(outcome *o, sheaf_dataset *dataset, sheaf_context *cx)
{
	sheaf_tally tally;
	if (dataset && !o->status) mix_schema(o, sheaf_dataset_schema(dataset)), mix_facts(o, dataset);
	sheaf_close(dataset);
	if (o->status && (o->status != o->error.status || !o->error.message[0])) abort();
	mix_failure(o);
	for (int i = 0; sheaf_context_tally(cx, i, &tally); i++)
		mix_text(o, tally.rule), mix_number(o, tally.count), mix_number(o, tally.severity);
	mix_number(o, o->rows);
	mix_text(o, o->hash);
	end_context(cx);
}

static void read_in_a_way(const job *j, sheaf_bytes file, const way *w, outcome *o)
{
	char name[64];
	sheaf_dataset *dataset = NULL;
	sheaf_source *source;
	sheaf_open_options open = open_options(j, w->open);
	sheaf_bytes rest = file;
	sheaf_context *cx = new_context(j, w->cx, o);
	snprintf(name, sizeof name, "input.%s", strrchr(j->path, '.') ? strrchr(j->path, '.') + 1 : "");
	if (w->is_found) open.format = NULL;
	o->status = w->streams ? sheaf_source_function(give, &rest, name, cx, &source, &o->error)
	                       : sheaf_source_memory(file, name, cx, &source, &o->error);
	if (!o->status) o->status = sheaf_open_source(source, &open, cx, &dataset, &o->error);
	if (!o->status)
		o->status =
			w->use == PIECES ? take_pieces(dataset, cx, o) : take_all(dataset, w->use, cx, o);
	finish(o, dataset, cx);
}

/* ---- conversions ---- */

typedef struct target {
	const char *format, *output;
	bool varies; /* its bytes depend on the machine, or on a library that compresses */
} target;

static const target targets[] = {
	{"ctf", "out.ctf"},
	{"cbf", "out.cbf"},
	{"lens", "out.ex"},
	{"lens", "out.bex"},
	{"scidb", "out.scidb"},
	{"csv", "out.csv"},
	{"tsv", "out.tsv"},
	{"jsonl", "out.jsonl"},
	{"svmlight", "out.svm"},
	{"matrixmarket", "out.mtx"},
	{"tns", "out.tns"},
	{"npy", "out.npy", true},
	{"npz", "out.npz", true},
	{"arrow", "out.arrow", true},
	{"arrow", "out.arrows", true},
	{"binsparse", "out.h5", true},
	{"binsparse", "out.zarr.zip", true},
	{"hdf5", "out.h5ad", true},
	{"hdf5", "out.zarr.zip", true},
};

static void mix_file(outcome *o, const char *path)
{
	static uint8_t bytes[MOST_OUTPUT];
	FILE *f = fopen(path, "rb");
	if (!f) return;
	mix(o, bytes, fread(bytes, 1, sizeof bytes, f));
	fclose(f);
}

/* What was written, as it is read without options. */
static void read_back(const target *t, outcome *o, sheaf_context *cx)
{
	sheaf_dataset *dataset = NULL;
	sheaf_open_options open = {.size = sizeof open, .format = t->format};
	sheaf_status status = sheaf_open(t->output, &open, cx, &dataset, &o->error);
	if (!status) mix_schema(o, sheaf_dataset_schema(dataset));
	if (!status) status = take_all(dataset, ROWS, cx, o);
	sheaf_close(dataset);
	mix_number(o, status);
}

static void convert(const job *j, const target *t, outcome *o)
{
	sheaf_context *cx = new_context(j, (sheaf_context_options){.allow_loss = true}, o);
	sheaf_convert_options options = {.size = sizeof options,
	                                 .from = j->format,
	                                 .to = t->format,
	                                 .settings = j->settings,
	                                 .nsettings = j->nsettings,
	                                 .member = j->member,
	                                 .index = SHEAF_INDEX_NEVER};
	const char *input = j->path;
	o->status = sheaf_convert(&input, 1, t->output, &options, cx, &o->error);
	if (!o->status && !t->varies) mix_file(o, t->output);
	if (!o->status) read_back(t, o, cx);
	unlink(t->output);
	finish(o, NULL, cx);
}

/* ---- changes ---- */

static uint64_t random_state;

static size_t draw(size_t below)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return below ? (size_t)((z ^ z >> 31) % below) : 0;
}

/* A file that is being changed. */
typedef struct changed {
	uint8_t data[CHOICES + ROOM];
	uint8_t *at; /* the file */
	size_t size;
	const char *told;
} changed;

typedef void (*changer)(changed *c);

/* Replaces n bytes. */
static void splice(changed *c, size_t place, size_t n, const void *with, size_t size)
{
	if (c->size - n + size > ROOM) return;
	uint8_t copy[256];
	if (size > sizeof copy) return;
	if (size) memcpy(copy, with, size);
	memmove(c->at + place + size, c->at + place + n, c->size - place - n);
	if (size) memcpy(c->at + place, copy, size);
	c->size = c->size - n + size;
}

static void set_byte(changed *c)
{
	static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xff};
	c->at[draw(c->size)] = bytes[draw(sizeof bytes)];
}

static void set_character(changed *c)
{
	static const char characters[] = " \t\n\r,;:|\"'#%{}[]()<>+-.*/\\=eE019nNax_@?\x80\xc3";
	c->at[draw(c->size)] = (uint8_t)characters[draw(sizeof characters - 1)];
}

static void raise_byte(changed *c) { c->at[draw(c->size)]++; }
static void lower_byte(changed *c) { c->at[draw(c->size)]--; }
static void flip_bit(changed *c) { c->at[draw(c->size)] ^= (uint8_t)(1u << draw(8)); }
static void cut(changed *c) { c->size = draw(c->size); }
static void drop_byte(changed *c) { splice(c, draw(c->size), 1, NULL, 0); }
static void double_byte(changed *c)
{
	size_t place = draw(c->size);
	splice(c, place, 0, c->at + place, 1);
}
static void change_fields(changed *c)
{
	size_t size = mutate_binary(c->data, CHOICES + c->size, CHOICES + ROOM, (unsigned)draw(1 << 30));
	if (size) c->size = size - CHOICES;
	if (!size) set_byte(c);
}

/* Called by a mutator that is not used here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	(void)data, (void)most;
	return size;
}

/* A run of bytes that are of the set, or not, around a place. */
typedef struct run {
	size_t at, size;
} run;

static run run_at(const changed *c, size_t place, const char *ends)
{
	size_t from = place, to = place;
	while (from > 0 && !strchr(ends, c->at[from - 1])) from--;
	while (to < c->size && (c->at[to] == 0 || !strchr(ends, c->at[to]))) to++;
	return (run){from, to - from};
}

#define BETWEEN_WORDS " \t\n\r,;:|\"'{}[]()="

static void drop_word(changed *c)
{
	run r = run_at(c, draw(c->size), BETWEEN_WORDS);
	splice(c, r.at, r.size, NULL, 0);
}

static void exchange_words(changed *c)
{
	run a = run_at(c, draw(c->size), BETWEEN_WORDS), b = run_at(c, draw(c->size), BETWEEN_WORDS);
	uint8_t first[256], second[256];
	run early = a.at < b.at ? a : b, late = a.at < b.at ? b : a;
	if (early.size > sizeof first || late.size > sizeof second || a.at == b.at) return;
	memcpy(first, c->at + early.at, early.size), memcpy(second, c->at + late.at, late.size);
	splice(c, late.at, late.size, first, early.size);
	splice(c, early.at, early.size, second, late.size);
}

static void drop_line(changed *c)
{
	run r = run_at(c, draw(c->size), "\n");
	splice(c, r.at, r.at + r.size < c->size ? r.size + 1 : r.size, NULL, 0);
}

static void double_line(changed *c)
{
	run r = run_at(c, draw(c->size), "\n");
	splice(c, r.at, 0, c->at + r.at, r.at + r.size < c->size ? r.size + 1 : r.size);
}

/* Numbers that are one off, and those at the limits of types. */
static void change_number(changed *c)
{
	static const char *const odd[] = {"0",          "-1",         "1",
	                                  "127",        "255",        "256",
	                                  "32768",      "65536",      "2147483647",
	                                  "2147483648", "4294967296", "9223372036854775807",
	                                  "9223372036854775808",      "18446744073709551616",
	                                  "1e400",      "nan",        "-0",
	                                  "0.5",        "16777217",   "1e-50",
	                                  "null",       "inf",        "007"};
	char text[32];
	run r = {0, 0};
	for (int i = 0; i < 8 && (r.size == 0 || r.size > 18); i++) {
		size_t place = draw(c->size), n = place;
		while (n < c->size && c->at[n] >= '0' && c->at[n] <= '9') n++;
		while (place > 0 && c->at[place - 1] >= '0' && c->at[place - 1] <= '9') place--;
		r = (run){place, n > place ? n - place : 0};
	}
	if (r.size == 0 || r.size > 18) {
		set_character(c);
		return;
	}
	snprintf(text, sizeof text, "%.*s", (int)r.size, (const char *)c->at + r.at);
	int64_t value = atoll(text);
	size_t which = draw(4);
	if (which < 2)
		snprintf(text, sizeof text, "%" PRId64, which ? value + 1 : value - 1);
	else
		snprintf(text, sizeof text, "%s", odd[draw(sizeof odd / sizeof *odd)]);
	splice(c, r.at, r.size, text, strlen(text));
}

typedef struct kind {
	const char *name;
	changer change;
} kind;

static const kind of_bytes[] = {
	{"set a byte", set_byte},
	{"raise a byte", raise_byte},
	{"lower a byte", lower_byte},
	{"flip a bit", flip_bit},
	{"cut", cut},
	{"drop a byte", drop_byte},
	{"double a byte", double_byte},
	{"change fields", change_fields},
	{"change fields", change_fields},
	{"change fields", change_fields},
	{"change fields", change_fields},
};
static const kind of_texts[] = {
	{"set a character", set_character},
	{"set a character", set_character},
	{"set a byte", set_byte},
	{"change a number", change_number},
	{"change a number", change_number},
	{"change a number", change_number},
	{"raise a byte", raise_byte},
	{"flip a bit", flip_bit},
	{"cut", cut},
	{"drop a byte", drop_byte},
	{"double a byte", double_byte},
	{"drop a word", drop_word},
	{"exchange two words", exchange_words},
	{"drop a line", drop_line},
	{"double a line", double_line},
};

static bool is_text(sheaf_bytes file)
{
	for (size_t i = 0; i < file.size; i++)
		if (file.data[i] < 32 && !strchr("\t\n\r", file.data[i])) return false;
	return true;
}

static uint64_t seed_of(const job *j, int k)
{
	outcome o = {.sum = (uint64_t)k};
	mix_text(&o, j->name);
	return o.sum;
}

/* The k-th change of a file; `map` has the structures of an HDF5 file, or none. */
static void change(const job *j, int k, const hdf5_file *map, changed *c)
{
	const kind *kinds = is_text(j->file) ? of_texts : of_bytes;
	size_t n = kinds == of_texts ? sizeof of_texts / sizeof *kinds : sizeof of_bytes / sizeof *kinds;
	random_state = seed_of(j, k);
	c->at = c->data + CHOICES;
	c->size = j->file.size;
	memset(c->data, 0, CHOICES);
	memcpy(c->at, j->file.data, c->size);
	if (map->count && k % 4) {
		c->told = "change structures";
		hdf5_change(map, c->at, random_state);
		return;
	}
	c->told = kinds[k % (int)n].name;
	if (c->size) kinds[k % (int)n].change(c);
	if (map->count && c->size == j->file.size) hdf5_mend(map, c->at);
	if (j->file.size > 4 && memcmp(j->file.data, "PK\3\4", 4) == 0) seal_archive(c->at, c->size);
}

/* ---- jobs ---- */

/* A letter for each run of outcomes, and what they all add up to. */
typedef struct letters {
	char text[MOST_LETTERS + 1];
	int n;
	uint64_t run, sum;
} letters;

static void take(letters *l, const char *what, const outcome *o)
{
	l->run = (l->run ^ o->sum) * UINT64_C(0x9e3779b97f4a7c15);
	l->run ^= l->run >> 32;
	if (is_full)
		printf("# %s: %08" PRIx32 ": %s, %" PRId64 " rows, hash %.8s, %" PRId64 " findings%s%s: %s\n", what,
		       (uint32_t)o->sum, sheaf_status_name(o->status), o->rows, o->hash, o->findings,
		       o->findings ? ", the first " : "", o->rule, o->status ? o->error.message : "");
}

static void end_letter(letters *l)
{
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+=";
	l->text[l->n++] = all[l->run % 64];
	l->text[l->n] = '\0';
	l->sum = l->sum * 31 + l->run;
	l->run = 0;
}

/* One column that is neither a key nor a coordinate. */
static sheaf_selection first_of(const job *j, char name[200])
{
	outcome o;
	sheaf_dataset *dataset = NULL;
	sheaf_source *source;
	sheaf_selection select = {0};
	sheaf_context *cx = new_context(j, (sheaf_context_options){0}, &o);
	sheaf_open_options open = open_options(j, (sheaf_open_options){0});
	sheaf_status status = sheaf_source_memory(j->file, "input", cx, &source, &o.error);
	if (!status) status = sheaf_open_source(source, &open, cx, &dataset, &o.error);
	const sheaf_schema *schema = status ? NULL : sheaf_dataset_schema(dataset);
	for (int i = 0; schema && i < schema->nfields; i++) {
		const sheaf_field *f = &schema->fields[i];
		if (f->meaning == SHEAF_KEY || f->meaning == SHEAF_COORDINATE) continue;
		snprintf(name, 200, "%s", f->name);
		*(sheaf_field_is_stream(f) ? &select.streams : &select.columns) = name;
		break;
	}
	sheaf_close(dataset);
	end_context(cx);
	return select;
}

static void try_ways(const job *j, letters *l)
{
	char name[200];
	outcome o;
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		way chosen = ways[w];
		if (chosen.is_of_first) chosen.open.select = first_of(j, name);
		read_in_a_way(j, j->file, &chosen, &o);
		take(l, chosen.name, &o);
		end_letter(l);
	}
}

static void try_targets(const job *j, letters *l)
{
	char what[80];
	outcome o;
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		convert(j, &targets[t], &o);
		snprintf(what, sizeof what, "to %s", targets[t].output);
		take(l, what, &o);
		end_letter(l);
	}
}

static void try_changes(const job *j, letters *l)
{
	static changed c;
	char what[80];
	outcome o;
	sheaf_error error;
	hdf5_file map = {.name = "input", .bytes = (uint8_t *)j->file.data, .size = j->file.size};
	if (map.size > 4 && memcmp(map.bytes, "\x89HDF", 4) == 0) (void)!hdf5_show(&map, false, true, &error);
	for (int k = 0; k < j->changes; k++) {
		change(j, k, &map, &c);
		for (int w = READING; w <= VALIDATING; w++) {
			read_in_a_way(j, (sheaf_bytes){c.at, c.size}, &ways[w], &o);
			snprintf(what, sizeof what, "change %d, %s, %s", k, c.told, ways[w].name);
			take(l, what, &o);
		}
		if (k % BLOCK == BLOCK - 1) end_letter(l);
	}
	free(map.structures);
}

static bool load(job *j)
{
	static uint8_t data[MOST_FILE];
	FILE *f = fopen(j->path, "rb");
	if (!f) return false;
	j->file = (sheaf_bytes){data, fread(data, 1, sizeof data, f)};
	return fclose(f) == 0 && j->file.size < sizeof data;
}

static bool read_job(char *line, job *j)
{
	char *rest = line, *name;
	line[strcspn(line, "\n")] = '\0';
	*j = (job){.name = strsep(&rest, "\t"), .format = strsep(&rest, "\t"), .path = strsep(&rest, "\t")};
	const char *changes = strsep(&rest, "\t"), *converts = strsep(&rest, "\t");
	if (!converts || atoi(changes) > BLOCK * MOST_LETTERS) return false;
	j->changes = atoi(changes);
	j->converts = strcmp(converts, "yes") == 0;
	while ((name = strsep(&rest, "\t"))) {
		char *value = strsep(&rest, "\t");
		if (!value || j->nsettings == MOST_SETTINGS) return false;
		if (strcmp(name, "drop-incomplete") == 0)
			j->drop_incomplete = true;
		else if (strcmp(name, "dataset") == 0)
			j->member = value;
		else
			j->settings[j->nsettings++] = (sheaf_setting){name, strcmp(value, "-") == 0 ? NULL : value};
	}
	return load(j);
}

int main(int argc, char **argv)
{
	static char line[1 << 14];
	/* A small tensor may be a large file. */
	const struct rlimit most = {MOST_OUTPUT, MOST_OUTPUT};
	if (setrlimit(RLIMIT_FSIZE, &most) || signal(SIGXFSZ, SIG_IGN) == SIG_ERR) return 2;
	is_full = argc > 1 && strcmp(argv[1], "--full") == 0;
	while (fgets(line, sizeof line, stdin)) {
		job j;
		letters ways_l = {.n = 0}, targets_l = {.text = "-"}, changes_l = {.n = 0};
		if (!read_job(line, &j)) return 2;
		try_ways(&j, &ways_l);
		if (j.converts) try_targets(&j, &targets_l);
		try_changes(&j, &changes_l);
		uint64_t sum = ways_l.sum * 31 + targets_l.sum * 37 + changes_l.sum;
		printf("%s\t%s\t%s\t%s\t%08" PRIx32 "\n", j.name, ways_l.text, targets_l.text, changes_l.text,
		       (uint32_t)(sum ^ sum >> 32));
		fflush(stdout);
	}
	return 0;
}
