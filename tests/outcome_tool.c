/* SPDX-License-Identifier: MIT */
/* For outcomes.py: what comes of reading a file in many ways, of converting it into each format, and of
 * reading it after each of many small changes. Each outcome is a number that depends on the status, the
 * place of the failure, its words, all findings with their rules, places and words, and all rows.
 *
 *     outcome_tool [--full] <JOBS
 *
 * A line of JOBS has, with tabs between: a name, a format, a path, how many changes, whether it is converted
 * and used otherwise ("yes", "no"), and names and values of options, "-" for a flag. For each the tool prints
 * its name, a letter for each way, for each use ("-": none) and for each BLOCK changes, and a sum of all
 * outcomes; with --full a line for each outcome, too. Outputs go into the current folder, which should have
 * no other files. */
#include "outcome.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCK = 5, MOST_LETTERS = 100, MOST_ROWS = 1 << 14, WRITTEN = 8 /* changes of an output */ };

static bool is_full;

/* ---- ways of reading ---- */

typedef enum aim { ROWS, TEXTS, SUMMARY, PIECES } aim;

typedef struct way {
	const char *name;
	aim aims;
	sheaf_context_options cx;
	sheaf_open_options open;
	sheaf_tensor_options tensor;
	sheaf_sequence_options sequences;
	bool is_found;    /* the format, by content */
	bool streams;     /* bytes come from a function */
	enum { ALL, COLUMN, WHERE, COORDINATE, VALUE } first; /* what the first column is for */
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
	{"from a function, at random", .open = {.access = SHEAF_RANDOM}, .streams = true},
	{"from a pipe", .open = {.access = SHEAF_PIPED_ONCE}, .streams = true},
	{"some rows", .open = {.select = {.rows = "1:3"}}},
	{"after a row", .open = {.select = {.skip = 1}}},
	{"a sample", .open = {.select = {.sample = "2", .seed = 5}}},
	{"of the first column", .first = COLUMN},
	{"where the first column has a 1", .first = WHERE},
	{"by the first column", .first = COORDINATE},
	{"as a tensor of the first column", .first = VALUE, .open = {.rows = SHEAF_TAKES_ENTRIES}},
	{"turned round", .open = {.select = {.transpose = true}}},
	{"as a matrix", .tensor = {.matrix = true}},
	{"as a table", .tensor = {.table = true}},
	{"as sequences", .open = {.rows = SHEAF_TAKES_SEQUENCES}},
	{"as cells", .open = {.rows = SHEAF_TAKES_CELLS}},
	{"as entries", .open = {.rows = SHEAF_TAKES_ENTRIES}},
	{"as one tensor", .open = {.rows = SHEAF_TAKES_WHOLE}},
	{"expanded", .tensor = {.entries = SHEAF_ENTRIES_EXPANDED}},
	{"its content", .tensor = {.entries = SHEAF_ENTRIES_CONTENT}},
	{"wide", .open = {.rows = SHEAF_TAKES_CELLS}, .sequences = {.samples = SHEAF_SAMPLES_WIDE}},
	{"long", .open = {.rows = SHEAF_TAKES_CELLS}, .sequences = {.samples = SHEAF_SAMPLES_LONG}},
	{"a tensor as sequences", .open = {.rows = SHEAF_TAKES_SEQUENCES},
     .tensor = {.entries = SHEAF_ENTRIES_CONTENT}},
	{"a matrix, turned round, as a table", .open = {.select = {.transpose = true}},
     .tensor = {.matrix = true, .table = true}},
	{"wide, as sequences", .open = {.rows = SHEAF_TAKES_SEQUENCES}, .sequences = {.layout = "wide"}},
	{"long, as sequences", .open = {.rows = SHEAF_TAKES_SEQUENCES}, .sequences = {.layout = "long"}},
	{"lists, as sequences", .open = {.rows = SHEAF_TAKES_SEQUENCES}, .sequences = {.layout = "lists"}},
	{"a share of the rows", .open = {.select = {.sample = "50%", .seed = 3, .skip = 1}}},
	{"as lists", .open = {.rows = SHEAF_TAKES_CELLS}, .sequences = {.samples = SHEAF_SAMPLES_LISTS}},
	{"as its users write it", TEXTS, .open = {.view = SHEAF_VIEW_TEXT}},
	{"as JSON", TEXTS, .open = {.view = SHEAF_VIEW_JSON}},
	{"its summary", SUMMARY},
	{"piece by piece", PIECES, .open = {.piece_bytes = 40, .access = SHEAF_RANDOM}},
};
enum { READING, VALIDATING };

static int64_t give(void *user, void *data, size_t size)
{
	sheaf_bytes *rest = (sheaf_bytes *)user;
	size_t n = size < rest->size ? size : rest->size;
	if (n > 50) n = 50;
	if (n) memcpy(data, rest->data, n);
	*rest = (sheaf_bytes){rest->data + n, rest->size - n};
	return (int64_t)n;
}

static sheaf_status mix_rows(sheaf_dataset *dataset, const sheaf_frame *frame, aim aims, outcome *o)
{
	sheaf_buffer text = {0};
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	sheaf_status status = SHEAF_OK;
	for (int style = SHEAF_TEXT; aims == TEXTS && style <= SHEAF_JSON && !status; style++) {
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
static sheaf_status take_rows(sheaf_dataset *dataset, aim aims, sheaf_hash *hash, sheaf_summary *summary,
                              outcome *o)
{
	const sheaf_frame *frame;
	sheaf_status status = SHEAF_OK;
	while (o->rows < MOST_ROWS && (status = sheaf_next(dataset, &frame, &o->error)) == SHEAF_OK) {
		if (sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &o->error)) abort();
		SHEAF_TRY(sheaf_hash_add(hash, frame, -1, &o->error));
		SHEAF_TRY(mix_rows(dataset, frame, aims, o));
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

static sheaf_status take_all(sheaf_dataset *dataset, aim aims, sheaf_context *cx, outcome *o)
{
	sheaf_hash *hash = NULL;
	sheaf_summary *summary = NULL;
	sheaf_buffer text = {0};
	sheaf_status status =
		sheaf_hash_new(sheaf_dataset_schema(dataset), true, true, cx, &hash, &o->error);
	if (!status && aims == SUMMARY)
		status = sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &summary, &o->error);
	if (!status && aims == TEXTS) {
		const sheaf_tree_options tree = {.size = sizeof tree, .json = true};
		status = sheaf_dataset_describe(dataset, &tree, &text, &o->error);
	}
	mix(o, text.data, text.size);
	if (!status) status = take_rows(dataset, aims, hash, summary, o);
	if (!status && aims == SUMMARY) status = take_summary(summary, o);
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
	mix_text(o, sheaf_format_about(sheaf_dataset_format(dataset)).name);
}

static void finish(outcome *o, sheaf_dataset *dataset, sheaf_context *cx)
{
	if (dataset && !o->status) mix_schema(o, sheaf_dataset_schema(dataset)), mix_facts(o, dataset);
	sheaf_close(dataset);
	end_outcome(o, cx);
}

static void read_in_a_way(const job *j, sheaf_bytes file, const way *w, outcome *o)
{
	char name[64];
	sheaf_dataset *dataset = NULL;
	sheaf_source *source;
	sheaf_open_options open = open_options(j, w->open);
	sheaf_bytes rest = file;
	sheaf_context *cx = begin_outcome(j, w->cx, o);
	snprintf(name, sizeof name, "input.%s", strrchr(j->path, '.') ? strrchr(j->path, '.') + 1 : "");
	open.tensor = &w->tensor;
	open.sequences = &w->sequences;
	if (w->is_found) open.format = NULL;
	o->status = w->streams ? sheaf_source_function(give, &rest, name, cx, &source, &o->error)
	                       : sheaf_source_memory(file, name, cx, &source, &o->error);
	if (!o->status) o->status = sheaf_open_source(source, &open, cx, &dataset, &o->error);
	if (!o->status)
		o->status =
			w->aims == PIECES ? take_pieces(dataset, cx, o) : take_all(dataset, w->aims, cx, o);
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

/* What was written, changed: each output in its own way. */
static void change_written(const job *j, const target *t, outcome *o)
{
	static uint8_t bytes[MOST_FILE];
	static changed c;
	char name[300];
	outcome seed = {.sum = 0};
	snprintf(name, sizeof name, "%s as %s", j->name, t->output);
	job written = {.name = name, .format = (char *)t->format, .path = (char *)t->output};
	written.file = (sheaf_bytes){bytes, get_file(t->output, bytes, sizeof bytes)};
	if (written.file.size == sizeof bytes) return;
	mix_text(&seed, name);
	hdf5_file map = structures_of(&written);
	for (int k = 0; k < WRITTEN; k++) {
		outcome one;
		change_file(&written, (int)(seed.sum % 60) + k, &map, &c);
		read_in_a_way(&written, (sheaf_bytes){c.at, c.size}, &ways[READING], &one);
		mix_number(o, (int64_t)one.sum);
	}
	free(map.structures);
}

static void convert(const job *j, const target *t, outcome *o)
{
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){.allow_loss = true}, o);
	sheaf_open_options open = open_options(j, (sheaf_open_options){.index = SHEAF_INDEX_NEVER});
	sheaf_convert_options options = {.size = sizeof options, .open = &open, .to = t->format};
	const char *input = j->path;
	o->status = sheaf_convert(&input, 1, t->output, &options, cx, &o->error);
	if (!o->status && !t->varies) mix_file(o, t->output);
	if (!o->status) read_back(t, o, cx);
	if (!o->status) change_written(j, t, o);
	unlink(t->output);
	finish(o, NULL, cx);
}

/* ---- jobs ---- */

/* A letter for each run of outcomes, and what they all add up to. */
typedef struct letters {
	char text[MOST_LETTERS + 1];
	int n;
	uint64_t run, sum;
} letters;

static void take(letters *l, const char *block, const char *what, const outcome *o)
{
	l->run = (l->run ^ o->sum) * UINT64_C(0x9e3779b97f4a7c15);
	l->run ^= l->run >> 32;
	if (is_full)
		printf("# %s: %s: %08" PRIx32 ": %s, %" PRId64 " rows, hash %.8s, %" PRId64 " findings%s%s: %s\n",
		       block, what, (uint32_t)o->sum, sheaf_status_name(o->status), o->rows, o->hash, o->findings,
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

/* The name of the first column that is neither a key nor a coordinate; false where there is none. */
static bool find_first(const job *j, char name[200], bool *is_stream)
{
	outcome o;
	sheaf_dataset *dataset = NULL;
	sheaf_source *source;
	sheaf_context *cx = begin_outcome(j, (sheaf_context_options){0}, &o);
	sheaf_open_options open = open_options(j, (sheaf_open_options){0});
	o.status = sheaf_source_memory(j->file, "input", cx, &source, &o.error);
	if (!o.status) o.status = sheaf_open_source(source, &open, cx, &dataset, &o.error);
	const sheaf_schema *schema = o.status ? NULL : sheaf_dataset_schema(dataset);
	int i = 0, n = schema ? schema->nfields : 0;
	while (i < n && (i == sheaf_schema_key(schema) || schema->fields[i].meaning == SHEAF_COORDINATE)) i++;
	*is_stream = i < n && sheaf_field_is_stream(&schema->fields[i]);
	snprintf(name, 200, "%s", i < n ? schema->fields[i].name : "");
	sheaf_close(dataset);
	end_outcome(&o, cx);
	return i < n;
}

static void use_first(const job *j, way *w, char name[200], char where[210])
{
	bool is_stream;
	if (!w->first || !find_first(j, name, &is_stream)) return;
	snprintf(where, 210, "%s=*1*", name);
	if (w->first == COLUMN) *(is_stream ? &w->open.select.streams : &w->open.select.columns) = name;
	if (w->first == WHERE) w->open.select.where = where;
	if (w->first == COORDINATE) w->tensor.coordinates = name;
	if (w->first == VALUE) w->tensor.value = name;
}

static void try_ways(const job *j, letters *l)
{
	char name[200], where[210];
	outcome o;
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		way chosen = ways[w];
		use_first(j, &chosen, name, where);
		read_in_a_way(j, j->file, &chosen, &o);
		take(l, "way", chosen.name, &o);
		end_letter(l);
	}
}

static void try_targets(const job *j, letters *l)
{
	outcome o;
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		convert(j, &targets[t], &o);
		take(l, "use: to", targets[t].output, &o);
		end_letter(l);
	}
	for (int u = 0; u < USES; u++) {
		uses[u].try(j, uses[u].number, &o);
		take(l, "use", uses[u].name, &o);
		end_letter(l);
	}
}

static void try_changes(const job *j, letters *l)
{
	static changed c;
	char what[80];
	outcome o;
	hdf5_file map = structures_of(j);
	for (int k = 0; k < j->changes; k++) {
		change_file(j, k, &map, &c);
		snprintf(what, sizeof what, "change %d, %s", k, c.told);
		for (int w = READING; w <= VALIDATING; w++) {
			read_in_a_way(j, (sheaf_bytes){c.at, c.size}, &ways[w], &o);
			take(l, what, ways[w].name, &o);
		}
		if (k % BLOCK == BLOCK - 1) end_letter(l);
	}
	free(map.structures);
}

static void try_configs(const job *j, letters *ways_l, letters *changes_l)
{
	static changed c;
	char what[80];
	outcome o;
	hdf5_file map = {.count = 0};
	try_config(j, j->file, &o);
	take(ways_l, "way", "configuration", &o);
	end_letter(ways_l);
	for (int k = 0; k < j->changes; k++) {
		change_file(j, k, &map, &c);
		snprintf(what, sizeof what, "change %d, %s", k, c.told);
		try_config(j, (sheaf_bytes){c.at, c.size}, &o);
		take(changes_l, what, "configuration", &o);
		if (k % BLOCK == BLOCK - 1) end_letter(changes_l);
	}
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
			j->container.member = value;
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
		if (strcmp(j.format, "config") == 0) {
			try_configs(&j, &ways_l, &changes_l);
		} else {
			try_ways(&j, &ways_l);
			if (j.converts) try_targets(&j, &targets_l);
			try_changes(&j, &changes_l);
		}
		uint64_t sum = ways_l.sum * 31 + targets_l.sum * 37 + changes_l.sum;
		printf("%s\t%s\t%s\t%s\t%08" PRIx32 "\n", j.name, ways_l.text, targets_l.text, changes_l.text,
		       (uint32_t)(sum ^ sum >> 32));
		fflush(stdout);
	}
	return 0;
}
