/* SPDX-License-Identifier: MIT */
/* The fuzz target of one format, whose name is SHEAF_FUZZ_FORMAT. The first four bytes of an input choose how
 * the rest is read, see README.md; of each only the lower six bits count, so that they can be letters.
 *
 * What must hold for any bytes: no access is out of bounds, memory keeps to its limit and is all freed,
 * each frame is sound, the size of pieces changes neither contents nor findings, and what reads
 * without a flaw can be written and read again. */
#include <sheaf/sheaf.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	CHOICES = 4,
	MEMORY = 64 << 20,
	MOST_ERRORS = 1000,
	MOST_SETTINGS = 12,
	MOST_RULES = 96,
	SHOWN_ROWS = 4,
	WORDS = 2000,
	MOST_LINES = 8
};

/* Byte 0, then byte 1. */
enum { VALIDATE = 1, STRICT = 2, FORGIVING = 4, GLANCE = 8, FIRST_FLAG = 16, SECOND_FLAG = 32 };
enum { DECLARED = 3, DOUBLES = 4, THIRD_FLAG = 8, MAIN_STREAM = 16, LINES = 32 };

typedef struct choice {
	const sheaf_format *format;
	sheaf_bytes file;
	unsigned how, what;
	int64_t piece_bytes;
	sheaf_setting settings[MOST_SETTINGS];
	int nsettings;
	char words[MOST_LINES][WORDS];
} choice;

/* The outcome of a reading. */
typedef struct outcome {
	sheaf_status status;
	sheaf_error error;
	char hash[33];
	bool dense;     /* a tensor with all its zeros, which a sparse output leaves out */
	bool is_turned; /* genes by cells, which are written as cells by genes */
	int64_t rows, errors, fatal;
	uint64_t said; /* a hash of all findings, with their places, in order */
	sheaf_tally tally[MOST_RULES];
	int rules;
} outcome;

static void broken(const char *rule, const sheaf_error *error)
{
	fprintf(stderr, "fuzz_%s: broken: %s: %s\n", SHEAF_FUZZ_FORMAT, rule, error ? error->message : "");
	abort();
}

/* ---- choosing ---- */

static bool reads_option(const sheaf_format *format, const char *name)
{
	const sheaf_option *option = sheaf_option_find(sheaf_format_about(format).options, name);
	return option && (option->use & SHEAF_READING);
}

static void set(choice *c, const char *name, const char *value)
{
	if (c->nsettings < MOST_SETTINGS && reads_option(c->format, name))
		c->settings[c->nsettings++] = (sheaf_setting){name, value};
}

/* The flags that the format has for reading, in the order of its table. */
static void set_flags(choice *c, unsigned wanted)
{
	for (const sheaf_option *option = sheaf_format_about(c->format).options; option->name; option++) {
		/* An input that never ends is not read. */
		if (option->kind != SHEAF_OPTION_FLAG || !(option->use & SHEAF_READING) ||
		    strcmp(option->name, "loop") == 0)
			continue;
		if (wanted & 1) set(c, option->name, NULL);
		wanted >>= 1;
	}
}

/* Where a format has the option, a line at the beginning of the file is its value; an empty line is none. */
static void set_line(choice *c, const char *name, char words[WORDS])
{
	const uint8_t *feed = c->file.size ? (const uint8_t *)memchr(c->file.data, '\n', c->file.size) : NULL;
	if (!reads_option(c->format, name) || !feed) return;
	size_t n = (size_t)(feed - c->file.data);
	snprintf(words, WORDS, "%.*s", n < WORDS ? (int)n : WORDS - 1, (const char *)c->file.data);
	c->file = (sheaf_bytes){feed + 1, c->file.size - n - 1};
	if (*words) set(c, name, words);
}

/* Those that say what a file without a header holds are always given, others if the input says so. */
static void set_lines(choice *c)
{
	static const char *const names[MOST_LINES] = {"format-string", "schema",  "type",   "columns",
	                                              "header",        "dialect", "quoted", "delimiter"};
	for (int i = 0; i < MOST_LINES; i++)
		if (i < 2 || c->what & LINES) set_line(c, names[i], c->words[i]);
}

static const char *value_of(const choice *c, const char *name)
{
	for (int i = 0; i < c->nsettings; i++)
		if (strcmp(c->settings[i].name, name) == 0) return c->settings[i].value;
	return NULL;
}

static bool choose(choice *c, const uint8_t *data, size_t size)
{
	static const char *const declarations[DECLARED + 1][2] = {
		{NULL, NULL},
		{"A:3:dense", "B:10:sparse"},
		{"A:2:sparse:double", "B:1:dense:double:alias=b"},
		{"N:alias=A", NULL}};
	static const char *const groups[DECLARED + 1][2] = {{NULL, NULL},
	                                                    {"x:4:input", "y:3:output"},
	                                                    {"x:4:input:sparse", "x:2:output"},
	                                                    {"g:100:output:sparse", NULL}};
	if (size < CHOICES) return false;
	*c = (choice){.format = sheaf_format_find(SHEAF_FUZZ_FORMAT),
	              .file = {data + CHOICES, size - CHOICES},
	              .how = data[0] & 63u,
	              .what = data[1] & 63u};
	if (!c->format) broken("the format is not in this build", NULL);
	c->piece_bytes = 1 + ((data[2] & 63) | (data[3] & 63) << 6);
	for (int i = 0; i < 2; i++)
		if (declarations[c->what & DECLARED][i]) set(c, "stream", declarations[c->what & DECLARED][i]);
	for (int i = 0; i < 2; i++)
		if (groups[c->what & DECLARED][i]) set(c, "group", groups[c->what & DECLARED][i]);
	set_lines(c);
	if (c->what & DOUBLES) set(c, "element-type", "double");
	if (c->what & MAIN_STREAM) set(c, "main-stream", "A");
	set_flags(c, (c->how / FIRST_FLAG & 3u) | (c->what & THIRD_FLAG ? 4u : 0u));
	return true;
}

/* ---- reading ---- */

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++) hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void hear(void *user, const sheaf_problem *problem)
{
	outcome *o = (outcome *)user;
	const sheaf_place *at = &problem->place;
	const int64_t places[] = {(int64_t)problem->severity, at->line, at->column, at->byte, at->chunk, at->row};
	char text[1000];
	sheaf_problem_text(problem, text, sizeof text);
	o->said = mix(o->said, text, strlen(text));
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		o->said = (o->said ^ (uint64_t)places[i]) * UINT64_C(0x100000001b3);
}

/* `o` records the findings; NULL: they are dropped. */
static sheaf_context *new_context(unsigned how, outcome *o)
{
	sheaf_context *cx;
	sheaf_context_options options = {
		.size = sizeof options, .max_memory = MEMORY, .on_problem = o ? hear : NULL, .user = o};
	options.validate = how & VALIDATE;
	options.strict = how & STRICT;
	options.max_errors = how & FORGIVING ? MOST_ERRORS : 0;
	options.threads = how & STRICT ? 2 : 1;
	if (sheaf_context_new(&options, &cx, NULL) != SHEAF_OK) abort();
	return cx;
}

static void end_context(sheaf_context *cx)
{
	int64_t peak;
	if (sheaf_context_memory(cx, &peak) != 0) broken("memory is not given back", NULL);
	if (peak > MEMORY) broken("memory goes beyond its limit", NULL);
	sheaf_context_free(cx);
}

static sheaf_status open_file(const choice *c, int64_t piece_bytes, sheaf_context *cx, sheaf_dataset **out,
                              sheaf_error *error)
{
	sheaf_source *source;
	sheaf_open_options options = {.size = sizeof options,
	                              .format = sheaf_format_about(c->format).name,
	                              .glance = c->how & GLANCE ? SHEAF_GLANCE_SHOWING : SHEAF_GLANCE_NOT,
	                              .settings = c->settings,
	                              .nsettings = c->nsettings};
	options.piece_bytes = piece_bytes;
	*out = NULL;
	SHEAF_TRY(sheaf_source_memory(c->file, "input", cx, &source, error));
	return sheaf_open_source(source, &options, cx, out, error);
}

/* A few bytes may mean a row of millions of values, which takes seconds to print. */
static bool is_short(const sheaf_frame *frame)
{
	enum { MOST_BYTES = 1 << 18 };
	size_t bytes = 0;
	for (int c = 0; c < frame->ncolumns; c++) bytes += frame->columns[c].values.size;
	return bytes <= MOST_BYTES;
}

/* Everything that is made from frames must accept what the check has passed. */
static sheaf_status use_frame(const sheaf_frame *frame, const sheaf_schema *schema, int64_t row,
                              sheaf_hash *hash, sheaf_summary *stats, sheaf_buffer *text, sheaf_error *error)
{
	if (sheaf_frame_check(frame, schema, SHEAF_CHECK_FULL, error) != SHEAF_OK)
		broken("a frame is not sound", error);
	SHEAF_TRY(sheaf_hash_add(hash, frame, -1, error));
	if (stats) SHEAF_TRY(sheaf_summary_add(stats, frame, row, error));
	if (!is_short(frame)) return SHEAF_OK;
	return sheaf_rows_text(frame, schema, SHEAF_JSON, row, 0,
	                       frame->nrows < SHOWN_ROWS ? frame->nrows : SHOWN_ROWS, text, error);
}

static sheaf_status use_frames(sheaf_dataset *dataset, outcome *o, sheaf_hash *hash, sheaf_summary *stats,
                               sheaf_buffer *text)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &o->error)) == SHEAF_OK) {
		if (sheaf_dataset_row(dataset) != o->rows) broken("rows are not numbered one by one", NULL);
		SHEAF_TRY(use_frame(frame, sheaf_dataset_schema(dataset), o->rows, hash, stats, text, &o->error));
		o->rows += frame->nrows;
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* As text, as a page, and as bytes that are read again. */
static sheaf_status use_summary(const sheaf_summary *summary, sheaf_context *cx, sheaf_buffer *text,
                                sheaf_error *error)
{
	sheaf_summary *again;
	sheaf_page_options page = {.size = sizeof page, .title = "fuzz"};
	sheaf_summary_options drawn = {.size = sizeof drawn, .draw = true};
	SHEAF_TRY(sheaf_summary_text(summary, &drawn, text, error));
	SHEAF_TRY(sheaf_summary_page(summary, &page, text, error));
	SHEAF_TRY(sheaf_summary_save(summary, text, error));
	sheaf_status status = sheaf_summary_load(text->data, text->size, cx, &again, error);
	if (status == SHEAF_DATA) broken("a summary that was saved can be loaded", error);
	if (status == SHEAF_OK) sheaf_summary_free(again);
	return status;
}

static bool has_attribute(const sheaf_dataset *dataset, const char *name)
{
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	for (int i = 0; i < schema->nattributes; i++)
		if (strcmp(schema->attributes[i].name, name) == 0) return true;
	return false;
}

static sheaf_status read_dataset(sheaf_dataset *dataset, bool keys, bool sums, sheaf_context *cx, outcome *o)
{
	sheaf_hash *hash = NULL;
	sheaf_summary *stats = NULL;
	sheaf_buffer text = {0};
	o->dense = sheaf_dataset_schema(dataset)->tensor.dense;
	o->is_turned |= strcmp(SHEAF_FUZZ_FORMAT, "hdf5") == 0 && has_attribute(dataset, "barcodes") &&
	                !has_attribute(dataset, "obs_names");
	sheaf_schema schema = *sheaf_dataset_schema(dataset);
	if (o->is_turned) schema.nattributes = 0; /* the names of rows have another name then */
	sheaf_status status = sheaf_hash_new(&schema, keys, false, cx, &hash, &o->error);
	if (status == SHEAF_OK && sums)
		status = sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &stats, &o->error);
	if (status == SHEAF_OK) status = use_frames(dataset, o, hash, stats, &text);
	if (status == SHEAF_OK && sums) status = use_summary(stats, cx, &text, &o->error);
	if (status == SHEAF_OK) sheaf_hash_text(hash, o->hash);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(stats);
	sheaf_hash_free(hash);
	return status;
}

static void read_file(const choice *c, int64_t piece_bytes, bool sums, outcome *o)
{
	sheaf_dataset *dataset;
	sheaf_context *cx = new_context(c->how, o);
	*o = (outcome){.status = SHEAF_OK};
	o->status = open_file(c, piece_bytes, cx, &dataset, &o->error);
	if (o->status == SHEAF_OK)
		o->status = read_dataset(dataset, sheaf_format_about(c->format).can & SHEAF_CAN_KEYS, sums, cx, o);
	sheaf_close(dataset);
	if (o->status && (o->status != o->error.status || !o->error.message[0]))
		broken("a failure is not explained", &o->error);
	while (o->rules < MOST_RULES && sheaf_context_tally(cx, o->rules, &o->tally[o->rules])) {
		const sheaf_tally *t = &o->tally[o->rules++];
		if (t->status == SHEAF_LOSS) continue;
		if (t->severity >= SHEAF_ERROR) o->errors += t->count;
		if (t->severity == SHEAF_FATAL) o->fatal += t->count;
	}
	end_context(cx);
}

/* ---- the size of pieces ---- */

static int64_t count_of(const outcome *o, const char *rule)
{
	for (int i = 0; i < o->rules; i++)
		if (strcmp(o->tally[i].rule, rule) == 0) return o->tally[i].count;
	return 0;
}

static bool is_about_memory(sheaf_status status) { return status == SHEAF_LIMIT || status == SHEAF_NOMEM; }

static void compare(const outcome *a, const outcome *b)
{
	if (is_about_memory(a->status) || is_about_memory(b->status)) return;
	if (a->status != b->status)
		broken("the status depends on the size of pieces", a->status ? &a->error : &b->error);
	if (a->status) return;
	if ((a->fatal > 0) != (b->fatal > 0)) broken("what is fatal depends on the size of pieces", NULL);
	/* After a fatal finding, validation continues with the next piece: what it leaves out depends on where
	 * that begins. */
	if (a->fatal) return;
	for (int i = 0; i < a->rules; i++)
		if (count_of(b, a->tally[i].rule) != a->tally[i].count)
			broken("findings depend on the size of pieces", NULL);
	if (a->rules != b->rules) broken("findings depend on the size of pieces", NULL);
	if (a->rows != b->rows || strcmp(a->hash, b->hash) != 0)
		broken("contents depend on the size of pieces", NULL);
}

/* ---- what reads numbers ---- */

/* Kernel by kernel, the rows and findings are the same. */
static void compare_kernels(const outcome *fast, const outcome *plain)
{
	if (is_about_memory(fast->status) || is_about_memory(plain->status)) return;
	if (fast->status != plain->status || strcmp(fast->error.message, plain->error.message) != 0)
		broken("the failure depends on the kernel", &fast->error);
	if (fast->rules != plain->rules) broken("findings depend on the kernel", NULL);
	for (int i = 0; i < fast->rules; i++)
		if (count_of(plain, fast->tally[i].rule) != fast->tally[i].count)
			broken("findings depend on the kernel", NULL);
	if (fast->said != plain->said) broken("places or texts of findings depend on the kernel", NULL);
	if (fast->rows != plain->rows || strcmp(fast->hash, plain->hash) != 0)
		broken("contents depend on the kernel", NULL);
}

/* ---- writing and reading again ---- */

typedef struct bytes {
	uint8_t *data;
	size_t size;
} bytes;

static int keep(void *user, const void *data, size_t size)
{
	bytes *b = (bytes *)user;
	if (size == 0) return 0;
	uint8_t *larger = realloc(b->data, b->size + size);
	if (!larger) abort();
	memcpy(larger + b->size, data, size);
	b->data = larger;
	b->size += size;
	return 0;
}

static sheaf_status copy_rows(sheaf_dataset *dataset, sheaf_writer *writer, sheaf_error *error)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, error)) == SHEAF_OK)
		SHEAF_TRY(sheaf_write(writer, frame, error));
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* The settings that are for reading and writing alike. */
static int settings_for_both(const choice *c, sheaf_setting *out)
{
	int n = 0;
	for (int i = 0; i < c->nsettings; i++)
		if (sheaf_option_find(sheaf_format_about(c->format).options, c->settings[i].name)->use ==
		    (SHEAF_READING | SHEAF_WRITING))
			out[n++] = c->settings[i];
	return n;
}

static sheaf_status write_dataset(const choice *c, sheaf_dataset *dataset, int64_t rows, sheaf_context *cx,
                                  bytes *out, sheaf_error *error)
{
	sheaf_sink *sink;
	sheaf_writer *writer;
	sheaf_setting settings[MOST_SETTINGS];
	sheaf_facts totals = SHEAF_NO_FACTS;
	totals.rows = rows;
	sheaf_create_options options = {.size = sizeof options,
	                                .format = sheaf_format_about(c->format).name,
	                                .settings = settings,
	                                .totals = &totals};
	options.nsettings = settings_for_both(c, settings);
	SHEAF_TRY(sheaf_sink_function(keep, out, "output", cx, &sink, error));
	SHEAF_TRY(sheaf_create_sink(sink, sheaf_dataset_schema(dataset), &options, cx, &writer, error));
	sheaf_status status = copy_rows(dataset, writer, error);
	if (status == SHEAF_OK) return sheaf_finish(writer, error);
	sheaf_abandon(writer);
	return status;
}

/* The streams of the schema as settings after the first *n, for a format whose files do not hold them. False
 * where a name cannot be declared. */
static bool declare_streams(const sheaf_format *format, const sheaf_schema *schema, sheaf_setting *settings,
                            int *n)
{
	if (!reads_option(format, "stream")) return true;
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *field = &schema->fields[i];
		if (field->meaning == SHEAF_KEY) continue;
		if (strchr(field->name, ':')) return false;
		size_t size = strlen(field->name) + 64;
		char *text = malloc(size);
		if (!text) abort();
		snprintf(text, size, "%s:%" PRId64 ":%s:%s", field->name, sheaf_field_dim(field),
		         sheaf_field_is_sparse(field) ? "sparse" : "dense",
		         field->type == SHEAF_F64 ? "double" : "float");
		settings[(*n)++] = (sheaf_setting){"stream", text};
	}
	return true;
}

static void read_again(const choice *c, const bytes *file, const sheaf_setting *settings, int n,
                       const outcome *before)
{
	outcome again = {.status = SHEAF_OK, .is_turned = before->is_turned};
	sheaf_source *source;
	sheaf_dataset *dataset = NULL;
	sheaf_context *cx = new_context(0, NULL);
	const sheaf_format_info format = sheaf_format_about(c->format);
	sheaf_open_options options = {
		.size = sizeof options, .format = format.name, .settings = settings, .nsettings = n};
	options.select.transpose = before->is_turned;
	again.status =
		sheaf_source_memory((sheaf_bytes){file->data, file->size}, "output", cx, &source, &again.error);
	if (again.status == SHEAF_OK)
		again.status = sheaf_open_source(source, &options, cx, &dataset, &again.error);
	if (again.status == SHEAF_OK)
		again.status = read_dataset(dataset, format.can & SHEAF_CAN_KEYS, false, cx, &again);
	sheaf_close(dataset);
	end_context(cx);
	if (is_about_memory(again.status)) return;
	if (again.status) broken("what was written cannot be read", &again.error);
	if (before->dense != again.dense) return;
	if (again.rows != before->rows || strcmp(again.hash, before->hash) != 0)
		broken("what was written is not what was read", NULL);
}

/* Commas between digits alone are taken for decimal ones where another byte may separate fields: what is
 * written with commas is read with commas. */
static void declare_delimiter(const choice *c, sheaf_setting *settings, int *n)
{
	if (strcmp(SHEAF_FUZZ_FORMAT, "csv") != 0 || value_of(c, "delimiter")) return;
	settings[(*n)++] = (sheaf_setting){"delimiter", strdup("comma")};
}

/* Text does not show all types: declared types are declared again, and others may be read as another
 * type. */
static bool declare_columns(const choice *c, const sheaf_context *cx, sheaf_setting *settings, int *n)
{
	sheaf_tally tally;
	const char *columns = value_of(c, "columns");
	bool untold = false;
	for (int i = 0; sheaf_context_tally(cx, i, &tally); i++)
		untold |= strcmp(tally.rule, "element type not stored") == 0;
	if (columns) settings[(*n)++] = (sheaf_setting){"columns", strdup(columns)};
	return columns || !untold || !reads_option(c->format, "columns");
}

/* Findings about the input were recorded before: here only the rows matter. */
static void write_and_read(const choice *c, const outcome *before)
{
	bytes file = {NULL, 0};
	sheaf_dataset *dataset;
	sheaf_error error;
	int n = 0, kept = 0;
	bool is_twice = false, is_declared = false;
	sheaf_context *cx = new_context(0, NULL);
	sheaf_setting *settings = NULL;
	sheaf_status status = open_file(c, c->piece_bytes, cx, &dataset, &error);
	if (status == SHEAF_OK) {
		settings = calloc((size_t)sheaf_dataset_schema(dataset)->nfields + MOST_SETTINGS, sizeof *settings);
		if (!settings) abort();
		n = kept = settings_for_both(c, settings);
		bool declared = declare_streams(c->format, sheaf_dataset_schema(dataset), settings, &n);
		status = declared ? write_dataset(c, dataset, before->rows, cx, &file, &error) : SHEAF_UNSUPPORTED;
		is_twice = status == SHEAF_DATA && sheaf_dataset_schema(dataset)->rows == SHEAF_ENTRIES;
		is_declared = declare_columns(c, cx, settings, &n);
		declare_delimiter(c, settings, &n);
	}
	sheaf_close(dataset);
	end_context(cx);
	/* Data that the format cannot hold, too much memory, and repeated positions are all possible here. */
	if (status == SHEAF_OK && is_declared)
		read_again(c, &file, settings, n, before);
	else if (status && status != SHEAF_LOSS && status != SHEAF_UNSUPPORTED && !is_twice &&
	         !is_about_memory(status))
		broken("what was read cannot be written", &error);
	for (int i = kept; i < n; i++) free((char *)(uintptr_t)settings[i].value);
	free(settings);
	free(file.data);
}

/* ---- spellings ---- */

/* The same in the spelling of a suffix. *same is false if a finding said that something was written
 * differently. */
static sheaf_status respell(const choice *c, sheaf_bytes from, const char *suffix, bytes *to, bool *same)
{
	sheaf_tally tally;
	sheaf_error error;
	sheaf_source *source;
	sheaf_sink *sink;
	char name[32];
	sheaf_context *cx = new_context(0, NULL);
	snprintf(name, sizeof name, "output%s", suffix);
	*to = (bytes){NULL, 0};
	if (sheaf_source_memory(from, "input", cx, &source, &error) ||
	    sheaf_sink_function(keep, to, name, cx, &sink, &error))
		abort();
	sheaf_status status = sheaf_transcode(c->format, source, sink, cx, &error);
	if (status && (status != error.status || !error.message[0])) broken("a failure is not explained", &error);
	*same &= status == SHEAF_OK && !sheaf_context_tally(cx, 0, &tally);
	sheaf_source_close(source);
	end_context(cx);
	return status;
}

/* From the first spelling into the second and back. */
static void respell_and_back(const choice *c)
{
	bytes first, second, again = {NULL, 0};
	bool same = true, ignored = true;
	const char *const *suffixes = sheaf_format_about(c->format).suffixes;
	sheaf_status status = respell(c, c->file, suffixes[0], &first, &ignored);
	bool begun = status == SHEAF_OK;
	if (begun) status = respell(c, (sheaf_bytes){first.data, first.size}, suffixes[1], &second, &same);
	bool lost = status == SHEAF_LOSS; /* reported, which is fine here */
	if (begun && status && !lost && !is_about_memory(status))
		broken("what was spelt cannot be spelt otherwise", NULL);
	if (begun && status == SHEAF_OK)
		status = respell(c, (sheaf_bytes){second.data, second.size}, suffixes[0], &again, &same);
	if (begun && status && !lost && !is_about_memory(status))
		broken("what was spelt otherwise cannot be spelt back", NULL);
	if (begun && same && (again.size != first.size || memcmp(again.data, first.data, first.size) != 0))
		broken("spellings differ", NULL);
	if (begun) free(second.data);
	free(again.data);
	free(first.data);
}

/* ---- conversion into another format ---- */

/* Which one depends on the input alone; NULL: this one. */
static const sheaf_format *another_format(const choice *c)
{
	int n = 1;
	while (sheaf_format_at(n)) n++;
	const sheaf_format *to = sheaf_format_at((int)(c->file.size % (size_t)n));
	return to == c->format || !(sheaf_format_about(to).can & SHEAF_CAN_WRITE) ? NULL : to;
}

/* As the command does it, by paths: from a file in memory into one that is removed again. */
static void convert(const choice *c, const sheaf_format *to)
{
	char input[64], output[64];
	sheaf_error error;
	sheaf_context *cx = new_context(c->how & ~(unsigned)STRICT, NULL);
	int fd = memfd_create("input", 0);
	if (fd < 0 || write(fd, c->file.data, c->file.size) != (ssize_t)c->file.size) abort();
	snprintf(input, sizeof input, "/proc/self/fd/%d", fd);
	snprintf(output, sizeof output, "/dev/shm/sheaf-fuzz-%d", (int)getpid());
	const char *from = sheaf_format_about(c->format).name;
	sheaf_convert_options options = {.size = sizeof options,
	                                 .open = &(sheaf_open_options){.format = from,
	                                                               .settings = c->settings,
	                                                               .nsettings = c->nsettings,
	                                                               .index = SHEAF_INDEX_NEVER},
	                                 .to = sheaf_format_about(to).name};
	const char *inputs[] = {input};
	sheaf_status status = sheaf_convert(inputs, 1, output, &options, cx, &error);
	if (status && (status != error.status || !error.message[0])) broken("a failure is not explained", &error);
	if ((unlink(output) == 0) != (status == SHEAF_OK)) broken("an output is there after a failure", &error);
	close(fd);
	end_context(cx);
}

/* ---- the input ---- */

/* Its last byte is followed by a protected page: vector loads beyond it are seen without a sanitizer. */
enum { PAGE = 4096, BEYOND = 1 << 17 };

static size_t room_for(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

static uint8_t *map_input(const uint8_t *data, size_t size)
{
	uint8_t *room = (uint8_t *)mmap(NULL, room_for(size) + BEYOND, PROT_NONE,
	                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if ((void *)room == MAP_FAILED || mprotect(room, room_for(size), PROT_READ | PROT_WRITE)) abort();
	return (uint8_t *)memcpy(room + room_for(size) - size, data, size);
}

static void unmap_input(uint8_t *input, size_t size)
{
	munmap(input + size - room_for(size), room_for(size) + BEYOND);
}

static void read_with_kernels(const choice *c, const outcome *fast)
{
	/* All are compared with the plain one, in turn. */
	const char *const kernels[] = {"scalar", c->file.size % 2 ? "portable" : "avx2"};
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
		outcome other;
		sheaf_kernel_use(kernels[k]);
		read_file(c, c->piece_bytes, false, &other);
		sheaf_kernel_use(NULL);
		compare_kernels(fast, &other);
	}
}

/* Statistics and files cost far more than reading: each is tried with one input of eight. */
enum { CONVERTED = 0, SUMMED = 4 };

static bool is_among_eight(const choice *c, int which) { return c->piece_bytes % 8 == which; }

static void try_choice(const choice *c)
{
	outcome first, second;
	read_file(c, c->piece_bytes, is_among_eight(c, SUMMED), &first);
	/* In one piece; or, if that was nearly so already, in the smallest pieces. */
	read_file(c, c->piece_bytes < 512 ? 1 << 20 : 1, false, &second);
	compare(&first, &second);
	read_with_kernels(c, &first);
	if (first.status == SHEAF_OK && first.errors == 0 && first.rows > 0) write_and_read(c, &first);
	if (sheaf_format_about(c->format).can & SHEAF_CAN_TRANSCODE) respell_and_back(c);
	const sheaf_format *to = is_among_eight(c, CONVERTED) ? another_format(c) : NULL;
	if (to) convert(c, to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	choice c;
	if (size < CHOICES) return 0;
	uint8_t *input = map_input(data, size);
	if (choose(&c, input, size)) try_choice(&c);
	unmap_input(input, size);
	return 0;
}
