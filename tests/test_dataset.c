/* SPDX-License-Identifier: MIT */
/* Datasets over formats: the order of calls, settings, recognition, conversion with its losses and totals,
 * stopping, validation, comparison. The list of formats is this program's own: beside the two that hold
 * sequences there are some that only take notes. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "dataset/dataset.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a format that writes down how it is called ---- */

enum { NOTE_PIECES = 2, NOTE_ROWS = 2 };

static char calls[256];
static const char *fails_in; /* the call that fails, as its letter; NULL: none */

static void called(char letter)
{
	size_t n = strlen(calls);
	assert_true(n + 1 < sizeof calls);
	calls[n] = letter;
	calls[n + 1] = '\0';
}

static sheaf_status answer(char letter, sheaf_error *e)
{
	called(letter);
	return fails_in && strchr(fails_in, letter) ? sheaf_fail(e, SHEAF_DATA, "refused in %c", letter)
	                                            : SHEAF_OK;
}

typedef struct notes {
	SHEAF_BASE(sheaf_reader, reader);
	int cut;
} notes;

static sheaf_likely notes_probe(sheaf_bytes head, const char *name)
{
	(void)name;
	if (head.size >= 5 && memcmp(head.data, "NOTES", 5) == 0) return SHEAF_SURE;
	return head.size >= 5 && memcmp(head.data, "MAYBE", 5) == 0 ? SHEAF_PERHAPS : SHEAF_NO;
}

/* As sure as the other one of what is called BOTH. */
static sheaf_likely rival_probe(sheaf_bytes head, const char *name)
{
	(void)name;
	return head.size >= 10 && memcmp(head.data, "NOTES BOTH", 10) == 0 ? SHEAF_SURE : SHEAF_NO;
}

static sheaf_status add_x(sheaf_context *cx, sheaf_schema *schema, sheaf_error *e)
{
	sheaf_field *field;
	SHEAF_TRY(sheaf_schema_add(schema, cx, "x", 1, &field, e));
	sheaf_field_make_stream(field, false, 1, SHEAF_F32);
	return SHEAF_OK;
}

static sheaf_status notes_open(void *in, const sheaf_values *values, const sheaf_opening *how, sheaf_error *e)
{
	notes *n = (notes *)in;
	(void)values, (void)how;
	SHEAF_TRY(answer('O', e));
	return add_x(n->cx, &n->schema, e);
}

static sheaf_status notes_cut(void *in, int64_t bytes, sheaf_piece *piece, sheaf_error *e)
{
	notes *n = (notes *)in;
	(void)bytes;
	SHEAF_TRY(answer('c', e));
	(void)piece;
	return n->cut++ == NOTE_PIECES ? SHEAF_END : SHEAF_OK;
}

static sheaf_status notes_decode(const void *in, const sheaf_piece *piece, sheaf_frame *frame,
                                 sheaf_context *cx, sheaf_error *e)
{
	static const int64_t offsets[] = {0, 1, 2};
	static const float values[] = {1, 2};
	(void)piece;
	SHEAF_TRY(answer('d', e));
	SHEAF_TRY(sheaf_frame_begin(frame, &((const notes *)in)->schema, cx, e));
	frame->columns[0].levels[0].offsets = borrow(offsets);
	frame->columns[0].values = borrow(values);
	frame->nrows = NOTE_ROWS;
	return SHEAF_OK;
}

static sheaf_status notes_review(void *in, const sheaf_frame *frame, int64_t row, sheaf_error *e)
{
	(void)frame;
	assert_int_equal(row, (((notes *)in)->cut - 1) * NOTE_ROWS);
	return answer('r', e);
}

static sheaf_status notes_rewind(void *in, sheaf_error *e)
{
	((notes *)in)->cut = 0;
	return answer('R', e);
}

static sheaf_status notes_settle(void *in, sheaf_error *e)
{
	(void)in;
	return answer('s', e);
}

static void notes_close(void *in)
{
	(void)in;
	called('C');
}

static sheaf_status notes_accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *e)
{
	(void)schema, (void)values;
	return answer('a', e);
}

static sheaf_facts given_totals; /* to the last create */

static sheaf_status notes_create(void *out, const sheaf_facts *totals, const sheaf_values *values,
                                 sheaf_error *e)
{
	(void)out, (void)values;
	given_totals = *totals;
	return answer('n', e);
}

static sheaf_status notes_encode(const void *out, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                                 int64_t *samples, sheaf_error *e)
{
	(void)out, (void)frame, (void)row, (void)b, (void)samples;
	return answer('e', e);
}

static sheaf_status notes_append(void *out, const sheaf_blob *blob, sheaf_error *e)
{
	(void)blob;
	SHEAF_TRY(answer('p', e));
	return sheaf_sink_write(((sheaf_output *)out)->sink, "NOTES", 5, e);
}

static void notes_close_output(void *out)
{
	(void)out;
	called('A');
}

static sheaf_status notes_finish(void *out, sheaf_error *e)
{
	(void)out;
	return answer('F', e);
}

static const char *const notes_suffixes[] = {".notes", ".both", NULL};
static const char *const rival_suffixes[] = {".rival", ".both", NULL};
static const char *const no_suffixes[] = {NULL};
static const sheaf_option notes_options[] = {
	{"volume", SHEAF_OPTION_COUNT, SHEAF_READING, "N", "help", 0},
	{"loud", SHEAF_OPTION_FLAG, SHEAF_READING | SHEAF_WRITING, NULL, "help", 0},
	{"room", SHEAF_OPTION_SIZE, SHEAF_WRITING, "SIZE", "help", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

#define WRITING \
	.takes = SHEAF_TAKES_SEQUENCES, .accept = notes_accept, .create = notes_create, .encode = notes_encode, \
	.append = notes_append, .finish = notes_finish, .close = notes_close_output, \
	.output_size = sizeof(sheaf_output)

static const sheaf_writing writing = {WRITING};
static const sheaf_writing writing_with_totals = {WRITING, .needs_totals = true};
static const sheaf_writing writing_with_rows = {WRITING, .needs_rows = true};

#define NOTES(its_name, its_suffixes, its_writing, its_probe, ...) \
	{ \
		.name = its_name, .summary = "notes", .suffixes = its_suffixes, .options = notes_options, \
		.write = its_writing, .probe = its_probe, __VA_ARGS__ \
	}
#define READING \
	.reader_size = sizeof(notes), .open = notes_open, .cut = notes_cut, .decode = notes_decode, \
	.review = notes_review, .rewind = notes_rewind, .settle = notes_settle, .close = notes_close

static const sheaf_format format_notes =
	NOTES("notes", notes_suffixes, &writing_with_totals, notes_probe, READING);
static const sheaf_format format_rival = NOTES("rival", rival_suffixes, &writing, rival_probe, READING);
static const sheaf_format format_tally = NOTES("tally", no_suffixes, &writing_with_rows, rival_probe);
static const sheaf_format format_deaf = NOTES("deaf", no_suffixes, &writing, rival_probe);
static const sheaf_format format_mute = NOTES("mute", no_suffixes, NULL, rival_probe, READING);

extern const sheaf_format sheaf_format_ctf, sheaf_format_cbf;
const sheaf_format *const sheaf_formats[] = {&sheaf_format_ctf, &format_notes, &sheaf_format_cbf,
                                             &format_rival,     &format_deaf,  &format_mute,
                                             &format_tally,     NULL};

/* ---- a context that hears, in a folder ---- */

enum { MOST_HEARD = 32 };

typedef struct hearing {
	int count;
	sheaf_severity severity[MOST_HEARD];
	char rule[MOST_HEARD][64], text[MOST_HEARD][400];
	int64_t row[MOST_HEARD];
} hearing;

static hearing heard;
static int64_t stop_after; /* progress reports until the stop; 0: never */
static sheaf_context *cx;

static void hear(void *user, const sheaf_problem *problem)
{
	(void)user;
	if (heard.count < MOST_HEARD) {
		int i = heard.count;
		heard.severity[i] = problem->severity;
		heard.row[i] = problem->place.row;
		snprintf(heard.rule[i], sizeof heard.rule[i], "%s", problem->rule);
		sheaf_problem_text(problem, heard.text[i], sizeof heard.text[i]);
	}
	heard.count++;
}

static void see_progress(void *user, int64_t done, int64_t total)
{
	(void)user, (void)done, (void)total;
	if (stop_after && --stop_after == 0) sheaf_context_stop(cx);
}

static sheaf_context_options hearing_options(void)
{
	/* One thread: `calls` is not for several. What more of them change is test_threads.c's. */
	return (sheaf_context_options){
		.size = sizeof(sheaf_context_options), .threads = 1, .on_problem = hear, .on_progress = see_progress};
}

/* Another context, when the first one has served. */
static void renew(const sheaf_context_options *options)
{
	end_context(cx);
	heard = (hearing){0};
	cx = context_with(options);
}

static int set_up(void **state)
{
	sheaf_context_options options = hearing_options();
	calls[0] = '\0';
	fails_in = NULL;
	stop_after = 0;
	heard = (hearing){0};
	return make_folder(state) || sheaf_context_new(&options, &cx, &err) ? -1 : 0;
}

static int tear_down(void **state)
{
	int64_t left = sheaf_context_memory(cx, NULL);
	sheaf_context_free(cx);
	if (left) print_error("expected no memory at the end, found %lld bytes\n", (long long)left);
	return remove_folder(state) || left ? -1 : 0;
}

static sheaf_bytes text_bytes(const char *text) { return (sheaf_bytes){(const uint8_t *)text, strlen(text)}; }

static sheaf_dataset *open_text(const char *text, const sheaf_open_options *options)
{
	sheaf_dataset *dataset;
	assert_ok(open_bytes(text_bytes(text), "text", options, cx, &dataset));
	return dataset;
}

static bool is_heard(const char *rule)
{
	for (int i = 0; i < heard.count && i < MOST_HEARD; i++)
		if (strcmp(heard.rule[i], rule) == 0) return true;
	return false;
}

/* ---- the order of calls ---- */

static void read_notes(sheaf_status wanted)
{
	const sheaf_frame *frame;
	sheaf_dataset *dataset = open_text("NOTES", NULL);
	sheaf_status status;
	for (int n = 0; (status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK; n++)
		assert_int_equal(sheaf_dataset_row(dataset), n * NOTE_ROWS);
	assert_null(frame);
	assert_int_equal(status, wanted);
	if (status == SHEAF_END) assert_status(SHEAF_END, sheaf_next(dataset, &frame, &err));
	sheaf_close(dataset);
}

static void test_order_of_reading(void **state)
{
	(void)state;
	static const struct {
		const char *fails;
		sheaf_status status;
		const char *calls;
	} cases[] = {
		{NULL, SHEAF_END, "OcdrcdrcsC"}, {"c", SHEAF_DATA, "OcC"},        {"d", SHEAF_DATA, "OcdC"},
		{"r", SHEAF_DATA, "OcdrC"},      {"s", SHEAF_DATA, "OcdrcdrcsC"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		calls[0] = '\0';
		fails_in = cases[i].fails;
		read_notes(cases[i].status);
		assert_text(cases[i].calls, calls);
	}
}

static void test_a_failed_open_is_closed(void **state)
{
	(void)state;
	sheaf_dataset *dataset;
	fails_in = "O";
	assert_status(SHEAF_DATA, open_bytes(text_bytes("NOTES"), "text", NULL, cx, &dataset));
	assert_null(dataset);
	assert_text("OC", calls);
}

static void test_closing_early(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	sheaf_dataset *dataset = open_text("NOTES", NULL);
	assert_ok(sheaf_next(dataset, &frame, &err));
	sheaf_close(dataset);
	assert_text("OcdrC", calls);
	sheaf_close(NULL);
}

static void test_nothing_follows_a_failure(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	sheaf_dataset *dataset = open_text("NOTES", NULL);
	fails_in = "d";
	assert_status(SHEAF_DATA, sheaf_next(dataset, &frame, &err));
	fails_in = NULL;
	assert_status(SHEAF_USAGE, sheaf_next(dataset, &frame, &err));
	assert_null(frame);
	assert_text("Ocd", calls);
	sheaf_close(dataset);
}

static sheaf_status write_notes(int frames, bytes_sink *bytes)
{
	sheaf_sink *sink;
	sheaf_writer *writer;
	sheaf_create_options options = {.size = sizeof options, .format = "notes"};
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2");
	assert_ok(sheaf_sink_function(write_bytes, bytes, "memory", cx, &sink, &err));
	sheaf_status status = sheaf_create_sink(sink, &t.schema, &options, cx, &writer, &err);
	for (int i = 0; i < frames && status == SHEAF_OK; i++) {
		status = sheaf_write(writer, &t.frame, &err);
		if (status) sheaf_abandon(writer);
	}
	free_table(&t);
	return status ? status : sheaf_finish(writer, &err);
}

static void test_order_of_writing(void **state)
{
	(void)state;
	static const struct {
		const char *fails;
		sheaf_status status;
		const char *calls;
	} cases[] = {
		{NULL, SHEAF_OK, "anepepFA"}, {"a", SHEAF_DATA, "a"},     {"n", SHEAF_DATA, "anA"},
		{"e", SHEAF_DATA, "aneA"},    {"p", SHEAF_DATA, "anepA"}, {"F", SHEAF_DATA, "anepepFA"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		bytes_sink bytes = {0};
		calls[0] = '\0';
		fails_in = cases[i].fails;
		assert_int_equal(write_notes(2, &bytes), cases[i].status);
		assert_text(cases[i].calls, calls);
		free_bytes(&bytes);
	}
	sheaf_abandon(NULL);
}

static void test_abandoned_file_is_not_there(void **state)
{
	(void)state;
	sheaf_writer *writer;
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2");
	assert_ok(sheaf_create(in_folder("a.ctf"), &t.schema, NULL, cx, &writer, &err));
	assert_ok(sheaf_write(writer, &t.frame, &err));
	sheaf_abandon(writer);
	assert_int_equal(files_in_folder(), 0);
	assert_ok(sheaf_create(in_folder("a.ctf"), &t.schema, NULL, cx, &writer, &err));
	assert_ok(sheaf_write(writer, &t.frame, &err));
	assert_false(file_exists("a.ctf")); /* it appears whole or not at all */
	assert_ok(sheaf_finish(writer, &err));
	assert_true(file_exists("a.ctf"));
	assert_int_equal(files_in_folder(), 1);
	free_table(&t);
}

static void test_write_refuses_other_columns(void **state)
{
	(void)state;
	sheaf_writer *writer;
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2"), two = new_table(cx);
	add_stream(&two, "x", false, 1, SHEAF_F32), add_stream(&two, "y", false, 1, SHEAF_F32);
	fill_text(&two, 0, "1"), fill_text(&two, 1, "1");
	assert_ok(sheaf_create(in_folder("a.ctf"), &t.schema, NULL, cx, &writer, &err));
	assert_status(SHEAF_USAGE, sheaf_write(writer, &two.frame, &err));
	assert_message("expected 1 columns, found 2");
	sheaf_abandon(writer);
	free_table(&t), free_table(&two);
}

static void test_sizes_of_options(void **state)
{
	(void)state;
	bool equal = true;
	sheaf_dataset *dataset;
	sheaf_sink *sink;
	sheaf_writer *writer;
	bytes_sink bytes = {0};
	const char *input = "in";
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2");
	sheaf_open_options open = {.size = sizeof open - 1};
	sheaf_create_options create = {.size = 1, .format = "ctf"};
	sheaf_convert_options convert = {.size = sizeof convert + 1};
	sheaf_diff_options diff = {.size = 1};
	assert_status(SHEAF_USAGE, open_bytes(text_bytes("|A 1\n"), "text", &open, cx, &dataset));
	assert_message("size");
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "memory", cx, &sink, &err));
	assert_status(SHEAF_USAGE, sheaf_create_sink(sink, &t.schema, &create, cx, &writer, &err));
	assert_null(writer);
	assert_status(SHEAF_USAGE, sheaf_convert(&input, 1, in_folder("a.ctf"), &convert, cx, &err));
	dataset = open_text("|A 1\n", NULL);
	assert_status(SHEAF_USAGE, sheaf_diff(dataset, dataset, &diff, &equal, &err));
	assert_false(equal);
	sheaf_close(dataset);
	dataset = open_text("|A 1\n", &(sheaf_open_options){.size = 0});
	sheaf_close(dataset);
	free_table(&t);
	assert_int_equal(files_in_folder(), 0);
}

/* ---- settings ---- */

static sheaf_status open_notes_with(const sheaf_setting *settings, int n, bool *used)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = {.size = sizeof options, .settings = settings, .nsettings = n, .used = used};
	sheaf_status status = open_bytes(text_bytes("NOTES"), "text", &options, cx, &dataset);
	sheaf_close(dataset);
	return status;
}

static void test_settings_for_reading(void **state)
{
	(void)state;
	static const struct {
		sheaf_setting setting;
		const char *message; /* NULL: fine */
	} cases[] = {
		{{"volume", "11"}, NULL},
		{{"loud", NULL}, NULL},
		{{"volume", "eleven"}, "--volume: expected a whole number, found eleven"},
		{{"volume", NULL}, "--volume: expected a whole number, found nothing"},
		{{"loud", "yes"}, "--loud: expected no value, found yes"},
		{{"room", "1K"},
	     "--room: expected an option that format notes uses for reading, found one that it does not"},
		{{"other", "x"},
	     "--other: expected an option that format notes uses for reading, found one that it does not"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *message = cases[i].message;
		assert_status(message ? SHEAF_USAGE : SHEAF_OK, open_notes_with(&cases[i].setting, 1, NULL));
		if (message) assert_text(message, err.message);
	}
}

static void test_settings_are_marked(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {
		{"room", "1K"}, {"volume", "1"}, {"other", "x"}, {"loud", NULL}, {"volume", "2"}};
	bool used[5] = {false}, before[5] = {true, false, false, false, false};
	assert_ok(open_notes_with(settings, 5, used));
	const bool wanted[5] = {false, true, false, true, true};
	assert_memory_equal(used, wanted, sizeof used);
	/* Marks are set, never taken back: another format may have set them. */
	assert_ok(open_notes_with(settings, 5, before));
	assert_true(before[0] && before[1] && !before[2]);
	/* What the format uses is checked all the same. */
	static const sheaf_setting bad[] = {{"other", "x"}, {"volume", "many"}};
	assert_status(SHEAF_USAGE, open_notes_with(bad, 2, used));
	assert_message("--volume");
}

static sheaf_status create_notes_with(const sheaf_setting *setting)
{
	bytes_sink bytes = {0};
	sheaf_sink *sink;
	sheaf_writer *writer;
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1");
	sheaf_create_options options = {
		.size = sizeof options,
		.format = "notes",
		.settings = setting,
		.nsettings = 1,
	};
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "memory", cx, &sink, &err));
	sheaf_status status = sheaf_create_sink(sink, &t.schema, &options, cx, &writer, &err);
	assert_true((writer != NULL) == (status == SHEAF_OK));
	sheaf_abandon(writer);
	free_table(&t);
	free_bytes(&bytes);
	return status;
}

static void test_settings_for_writing(void **state)
{
	(void)state;
	static const sheaf_setting good[] = {{"room", "1K"}, {"loud", NULL}},
							   bad[] = {{"volume", "1"}, {"room", "large"}, {"other", NULL}};
	for (size_t i = 0; i < COUNT(good); i++) assert_ok(create_notes_with(&good[i]));
	for (size_t i = 0; i < COUNT(bad); i++) assert_status(SHEAF_USAGE, create_notes_with(&bad[i]));
	assert_text("--other: expected an option that format notes uses for writing, found one that it does not",
	            err.message);
}

/* ---- recognition ---- */

static void test_recognition(void **state)
{
	(void)state;
	static const struct {
		const char *content, *name, *format; /* NULL: none */
		const char *message;
	} cases[] = {
		{"NOTES", "x", "notes", NULL},
		{"NOTES", "x.ctf", "notes", NULL}, /* content comes before the name */
		{"NOTES BOTH", "x", NULL,
	     "x: expected one of the formats ctf, notes, cbf, rival, deaf, mute, tally, found content of several "
	     "of them (--from names one)"},
		{"MAYBE", "x", "notes", NULL},
		{"MAYBE |", "x", NULL, "content of several of them"},
		{"|A 1\n", "x", "ctf", NULL},
		{"0 |A 1\n", "x.cbf", "ctf", NULL},
		{"\xef\xbb\xbf|A 1\n", "x", "ctf", NULL},
		{"nothing of the kind", "x", NULL,
	     "x: expected one of the formats ctf, notes, cbf, rival, deaf, mute, tally, found content of none of "
	     "them (--from names one)"},
		{"nothing of the kind", "x.notes", NULL, "content of none of them (--from names one)"},
		{"", "x", NULL,
	     "x: expected one of the formats ctf, notes, cbf, rival, deaf, mute, tally, found no bytes at all"},
		{"nib_ktnc", "x", "cbf", NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const sheaf_format *format;
		sheaf_source *source;
		assert_ok(sheaf_source_memory(text_bytes(cases[i].content), cases[i].name, cx, &source, &err));
		sheaf_status status = sheaf_recognise(source, NULL, NULL, &format, &err);
		sheaf_source_close(source);
		assert_int_equal(status, cases[i].format ? SHEAF_OK : SHEAF_UNKNOWN);
		if (cases[i].format)
			assert_string_equal(format->name, cases[i].format);
		else
			assert_null(format);
		if (cases[i].message) assert_message(cases[i].message);
	}
}

static void test_recognition_by_name(void **state)
{
	(void)state;
	sheaf_dataset *dataset;
	sheaf_open_options options = {.size = sizeof options, .format = "notes"};
	dataset = open_text("anything", &options);
	assert_ptr_equal(sheaf_dataset_format(dataset), &format_notes);
	sheaf_close(dataset);
	options.format = "note";
	assert_status(SHEAF_UNKNOWN, open_bytes(text_bytes("NOTES"), "text", &options, cx, &dataset));
	assert_text("format: expected one of the formats ctf, notes, cbf, rival, deaf, mute, tally, found note",
	            err.message);
	options.format = "deaf";
	assert_status(SHEAF_UNSUPPORTED, open_bytes(text_bytes("NOTES"), "text", &options, cx, &dataset));
	assert_message("deaf");
}

static void test_formats_by_suffix(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		const sheaf_format *format;
	} cases[] = {
		{"a.ctf", &sheaf_format_ctf},
		{"a.txt", &sheaf_format_ctf},
		{"a.cbf", &sheaf_format_cbf},
		{"dir.cbf/a.ctf", &sheaf_format_ctf},
		{"A.CTF", &sheaf_format_ctf},
		{"a.ctf.gz", &sheaf_format_ctf},
		{"a.cbf.zst", &sheaf_format_cbf},
		{"a.cbf.xz", &sheaf_format_cbf},
		{"a.notes.bz2", &format_notes},
		{"a.both", NULL},
		{"a.rival", &format_rival},
		{"a.gz", NULL},
		{"a", NULL},
		{"", NULL},
		{"-", NULL},
		{"ctf", NULL},
		{"a.ctf.zip", NULL},
		{"a.ctf.gz.gz", NULL},
		{"a.ctfx", NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		if (sheaf_format_of_name(cases[i].path) != cases[i].format)
			fail_msg("%s: found another format", cases[i].path);
}

/* The suffix that only says how a file is compressed is not the suffix that says what it is. */
static void test_recognition_of_compressed_files(void **state)
{
	(void)state;
	static const char *const paths[] = {"a.ctf.gz", "a.ctf.bz2", "a.ctf.zst", "a.ctf.xz"};
	for (size_t i = 0; i < COUNT(paths); i++) {
		sheaf_dataset *dataset;
		sheaf_frame all;
		table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2");
		sheaf_writer *writer;
		assert_ok(sheaf_create(in_folder(paths[i]), &t.schema, NULL, cx, &writer, &err));
		assert_ok(sheaf_write(writer, &t.frame, &err));
		assert_ok(sheaf_finish(writer, &err));
		assert_ok(sheaf_open(in_folder(paths[i]), NULL, cx, &dataset, &err));
		assert_non_null(sheaf_source_compression(sheaf_dataset_source(dataset)));
		assert_ok(sheaf_read_all(dataset, &all, &err));
		assert_int_equal(all.nrows, 2);
		sheaf_frame_free(&all);
		sheaf_close(dataset);
		free_table(&t);
	}
}

static void test_create_finds_its_format(void **state)
{
	(void)state;
	sheaf_writer *writer;
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1");
	sheaf_create_options options = {.size = sizeof options, .format = "mute"};
	assert_status(SHEAF_USAGE, sheaf_create(in_folder("a"), &t.schema, NULL, cx, &writer, &err));
	assert_message("suffix");
	assert_null(writer);
	assert_status(SHEAF_USAGE, sheaf_create(in_folder("a.both"), &t.schema, NULL, cx, &writer, &err));
	assert_status(SHEAF_UNSUPPORTED,
	              sheaf_create(in_folder("a.ctf"), &t.schema, &options, cx, &writer, &err));
	options.format = "no such";
	assert_status(SHEAF_UNKNOWN, sheaf_create(in_folder("a.ctf"), &t.schema, &options, cx, &writer, &err));
	assert_status(SHEAF_IO, sheaf_create(in_folder("none/a.ctf"), &t.schema, NULL, cx, &writer, &err));
	assert_int_equal(files_in_folder(), 0);
	free_table(&t);
}

/* ---- conversion ---- */

static sheaf_status convert(const char *input, const char *output, const sheaf_convert_options *options)
{
	const char *path = in_folder(input);
	sheaf_convert_options given = options ? *options : (sheaf_convert_options){.size = sizeof given};
	given.force = true;
	return sheaf_convert(&path, 1, in_folder(output), &given, cx, &err);
}

static void assert_file(const char *name, const char *text)
{
	bytes_sink found = read_file(name);
	write_bytes(&found, "", 1);
	assert_text(text, (const char *)found.data);
	free_bytes(&found);
}

static void test_convert_errors(void **state)
{
	(void)state;
	static const sheaf_setting foreign = {"chunk-bytes", "1"}, unknown = {"no-such", "1"},
							   wrong = {"precision", "single"};
	static const struct {
		const char *input, *output;
		sheaf_convert_options options;
		sheaf_status status;
		const char *message;
	} cases[] = {
		{"in.ctf",
	     "out.cbf",
	     {.to = "no such"},
	     SHEAF_UNKNOWN,
	     "format: expected one that this build has, found no such"},
		{"in.ctf", "out.cbf", {.from = "no such"}, SHEAF_UNKNOWN, "found no such"},
		{"in.ctf", "out", {.to = NULL}, SHEAF_USAGE, "expected a suffix that names one format, found none"},
		{"in.ctf", "out.both", {.to = NULL}, SHEAF_USAGE, "suffix"},
		{"in.ctf", "out.ctf", {.to = "mute"}, SHEAF_UNSUPPORTED, "mute"},
		{"in.ctf",
	     "out.ctf",
	     {.settings = &foreign, .nsettings = 1},
	     SHEAF_USAGE,
	     "--chunk-bytes: expected an option that ctf uses for reading or ctf for writing"},
		{"in.ctf",
	     "out.cbf",
	     {.settings = &unknown, .nsettings = 1},
	     SHEAF_USAGE,
	     "--no-such: expected an option that ctf uses for reading or cbf for writing"},
		{"in.ctf",
	     "out.cbf",
	     {.settings = &wrong, .nsettings = 1},
	     SHEAF_USAGE,
	     "--precision: expected float|double, found single"},
		{"none.ctf", "out.cbf", {.to = NULL}, SHEAF_IO, "none.ctf"},
		{"in.ctf", "none/out.cbf", {.to = NULL}, SHEAF_IO, "none"},
		{"in.ctf", "out.cbf", {.from = "cbf"}, SHEAF_SHORT, "in.ctf"},
		{"bad.ctf", "out.cbf", {.to = NULL}, SHEAF_DATA, "bad.ctf:2:"},
	};
	write_text("in.ctf", "|A 1\n|A 2\n");
	write_text("bad.ctf", "|A 1\n|A x\n");
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_convert_options options = cases[i].options;
		options.size = sizeof options;
		assert_status(cases[i].status, convert(cases[i].input, cases[i].output, &options));
		assert_message(cases[i].message);
		assert_int_equal(files_in_folder(), 2);
	}
	assert_status(SHEAF_USAGE, sheaf_convert(NULL, 0, in_folder("out.cbf"), NULL, cx, &err));
}

static void test_convert_uses_settings_of_either_side(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {
		{"stream", "A:3:dense"}, {"chunk-bytes", "1"}, {"precision", "double"}};
	sheaf_convert_options options = {
		.size = sizeof options, .force = true, .settings = settings, .nsettings = 3};
	sheaf_dataset *dataset;
	sheaf_facts facts;
	write_text("in.ctf", "|A 1 2 3\n|A 4 5 6\n");
	assert_ok(convert("in.ctf", "out.cbf", &options));
	assert_ok(sheaf_open(in_folder("out.cbf"), NULL, cx, &dataset, &err));
	sheaf_dataset_facts(dataset, &facts);
	assert_int_equal(facts.chunks, 2);
	assert_int_equal(facts.rows, 2);
	assert_int_equal(sheaf_dataset_schema(dataset)->fields[0].type, SHEAF_F64);
	sheaf_close(dataset);
}

static void test_convert_onto_its_input(void **state)
{
	(void)state;
	write_text("in.ctf", "7 |A 1\n7 |A 2\n9 |A 3\n");
	assert_ok(convert("in.ctf", "in.ctf", NULL));
	assert_file("in.ctf", "7 |A 1\n7 |A 2\n9 |A 3\n");
	assert_int_equal(files_in_folder(), 1);
}

/* ---- several inputs ---- */

static sheaf_status join(const char *a, const char *b, const char *output)
{
	const char *inputs[] = {in_folder(a), in_folder(b)};
	sheaf_convert_options options = {.size = sizeof options, .force = true};
	return sheaf_convert(inputs, 2, in_folder(output), &options, cx, &err);
}

static void test_join_makes_keys_positions(void **state)
{
	(void)state;
	write_text("a.ctf", "7 |A 1\n8 |A 2\n8 |A 3\n");
	write_text("b.ctf", "7 |A 4\n");
	assert_ok(join("a.ctf", "b.ctf", "out.ctf"));
	assert_file("out.ctf", "0 |A 1\n1 |A 2\n1 |A 3\n2 |A 4\n");
}

static void test_join_without_ids(void **state)
{
	(void)state;
	write_text("a.ctf", "7 |A 1\n8 |A 2\n");
	write_text("b.ctf", "7 |A 4\n");
	assert_ok(join("a.ctf", "b.ctf", "out.ctf"));
	assert_file("out.ctf", "|A 1\n|A 2\n|A 4\n");
}

static void test_join_of_different_formats(void **state)
{
	(void)state;
	write_text("a.ctf", "|A 1 2 |S 3:4\n");
	assert_ok(convert("a.ctf", "b.cbf", NULL));
	assert_ok(join("a.ctf", "b.cbf", "out.ctf"));
	assert_file("out.ctf", "|A 1 2 |S 3:4\n|A 1 2 |S 3:4\n");
	assert_ok(join("b.cbf", "a.ctf", "out.cbf"));
	assert_ok(convert("out.cbf", "again.ctf", NULL));
	assert_file("again.ctf", "|A 1 2 |S 3:4\n|A 1 2 |S 3:4\n");
}

/* Inferred dims of sparse streams differ from file to file: the largest holds for all. */
static void test_join_widens_sparse_dims(void **state)
{
	(void)state;
	sheaf_dataset *dataset;
	sheaf_frame all;
	write_text("a.ctf", "|S 3:1\n");
	write_text("b.ctf", "|S 90:1\n");
	for (int swap = 0; swap < 2; swap++) {
		assert_ok(swap ? join("b.ctf", "a.ctf", "out.cbf") : join("a.ctf", "b.ctf", "out.cbf"));
		assert_ok(sheaf_open(in_folder("out.cbf"), NULL, cx, &dataset, &err));
		assert_int_equal(sheaf_field_dim(&sheaf_dataset_schema(dataset)->fields[0]), 91);
		assert_ok(sheaf_read_all(dataset, &all, &err));
		assert_int_equal(all.nrows, 2);
		sheaf_frame_free(&all);
		sheaf_close(dataset);
	}
}

static void test_join_refuses_different_streams(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} others[] = {
		{"|A 1 |B 1:1\n", "b.ctf: stream \"A\": expected it as in the first input (dense, dim 2, float32), "
	                      "found dense, dim 1, float32"},
		{"|A 1 2 3 |B 1:1\n", "found dense, dim 3, float32"},
		{"|A 1:2 |B 1:1\n", "found sparse, dim 2, float32"},
		{"|A 1 2\n", "b.ctf: expected a stream \"B\" as in the first input, found none"},
		{"|A 1 2 |C 1:1\n", "b.ctf: expected a stream \"B\" as in the first input, found none"},
		{"|A 1 2 |B 1:1 |C 2\n", "b.ctf: expected the streams of the first input, found \"C\", too"},
	};
	write_text("a.ctf", "|A 1 2 |B 1:1\n");
	for (size_t i = 0; i < COUNT(others); i++) {
		write_text("b.ctf", others[i].text);
		assert_status(SHEAF_DATA, join("a.ctf", "b.ctf", "out.ctf"));
		assert_message(others[i].message);
		assert_false(file_exists("out.ctf"));
	}
}

/* Streams are matched by name. */
static void test_join_of_streams_in_another_order(void **state)
{
	(void)state;
	write_text("a.ctf", "|A 1 2 |B 1:1\n|B 2:2 |A 3 4\n");
	write_text("b.ctf", "|B 3:3 |A 5 6\n");
	assert_ok(join("a.ctf", "b.ctf", "out.ctf"));
	assert_file("out.ctf", "|A 1 2 |B 1:1\n|A 3 4 |B 2:2\n|A 5 6 |B 3:3\n");
	assert_ok(convert("b.ctf", "b.cbf", NULL));
	assert_ok(join("a.ctf", "b.cbf", "out.ctf"));
	assert_file("out.ctf", "|A 1 2 |B 1:1\n|A 3 4 |B 2:2\n|A 5 6 |B 3:3\n");
}

/* Also where the largest index is beyond 32 bits. */
static void test_join_widens_to_wide_indices(void **state)
{
	(void)state;
	write_text("a.ctf", "|S 3:1\n");
	write_text("b.ctf", "|S 5000000000:1\n");
	assert_ok(join("a.ctf", "b.ctf", "out.ctf"));
	assert_file("out.ctf", "|S 3:1\n|S 5000000000:1\n");
	assert_ok(join("b.ctf", "a.ctf", "out.ctf"));
	assert_file("out.ctf", "|S 5000000000:1\n|S 3:1\n");
}

static void test_join_fails_in_the_second_input(void **state)
{
	(void)state;
	write_text("a.ctf", "|A 1\n");
	write_text("b.ctf", "|A 1\n|A 2\n|A x\n");
	assert_status(SHEAF_DATA, join("a.ctf", "b.ctf", "out.ctf"));
	assert_message("b.ctf:3:");
	assert_int_equal(files_in_folder(), 2);
	assert_status(SHEAF_IO, join("a.ctf", "c.ctf", "out.ctf"));
	assert_message("c.ctf");
}

/* ---- totals: ids stand in text where they are needed ---- */

static void test_ids_are_written_where_they_are_needed(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"|A 1\n|A 2\n", "|A 1\n|A 2\n"},
		{"0 |A 1\n1 |A 2\n", "|A 1\n|A 2\n"},
		{"1 |A 1\n2 |A 2\n", "1 |A 1\n2 |A 2\n"},
		{"0 |A 1\n2 |A 2\n", "0 |A 1\n2 |A 2\n"},
		{"0 |A 1\n0 |A 2\n1 |A 3\n", "0 |A 1\n0 |A 2\n1 |A 3\n"},
		{"0 |A 1\n1 |A 2\n1 |A 3\n", "0 |A 1\n1 |A 2\n1 |A 3\n"},
		{"0 |A 1 |B 1:1\n0 |B 2:1\n", "0 |A 1 |B 1:1\n0 |B 2:1\n"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		write_text("in.ctf", cases[i].in);
		assert_ok(convert("in.ctf", "out.ctf", NULL));
		assert_file("out.ctf", cases[i].out);
	}
}

/* A format without keys: its rows have their numbers. */
static void test_ids_from_a_format_without_keys(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {{"5 |A 1\n7 |A 2\n", "|A 1\n|A 2\n"},
	             {"5 |A 1\n7 |A 2\n7 |A 3\n", "0 |A 1\n1 |A 2\n1 |A 3\n"},
	             {"|A 1\n", "|A 1\n"}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		write_text("in.ctf", cases[i].in);
		assert_ok(convert("in.ctf", "between.cbf", NULL));
		assert_ok(convert("between.cbf", "out.ctf", NULL));
		assert_file("out.ctf", cases[i].out);
	}
}

/* More than is looked at on opening, with the streams declared: only a pass over all of it can tell. */
static void write_long(const char *name, int64_t first_key, const char *last)
{
	bytes_sink text = {0};
	char line[64];
	for (int64_t i = 0; i < 150000; i++) {
		int n = snprintf(line, sizeof line, "%" PRId64 " |A %" PRId64 "\n", first_key + i, i % 100);
		write_bytes(&text, line, (size_t)n);
	}
	write_bytes(&text, last, strlen(last));
	assert_true(text.size > 1 << 20);
	write_file(name, text.data, text.size);
	free_bytes(&text);
}

static const sheaf_setting declared_a = {"stream", "A:1:dense"};

static sheaf_convert_options with_declared_stream(void)
{
	return (sheaf_convert_options){.size = sizeof(sheaf_convert_options),
	                               .force = true,
	                               .settings = &declared_a,
	                               .nsettings = 1,
	                               .piece_bytes = 100000};
}

static void assert_first_line(const char *name, const char *line)
{
	bytes_sink found = read_file(name);
	assert_true(found.size > strlen(line));
	assert_memory_equal(found.data, line, strlen(line));
	free_bytes(&found);
}

static void test_ids_of_long_inputs(void **state)
{
	(void)state;
	sheaf_convert_options options = with_declared_stream();
	write_long("in.ctf", 0, "");
	assert_ok(convert("in.ctf", "out.ctf", &options));
	assert_first_line("out.ctf", "|A 0\n|A 1\n");
	write_long("in.ctf", 0, "150000 |A 1\n150000 |A 2\n");
	assert_ok(convert("in.ctf", "out.ctf", &options));
	assert_first_line("out.ctf", "0 |A 0\n1 |A 1\n");
	write_long("in.ctf", 0, "150001 |A 1\n");
	assert_ok(convert("in.ctf", "out.ctf", &options));
	assert_first_line("out.ctf", "0 |A 0\n1 |A 1\n");
	write_long("in.ctf", 5, "");
	assert_ok(convert("in.ctf", "out.ctf", &options));
	assert_first_line("out.ctf", "5 |A 0\n6 |A 1\n");
}

/* Joined, keys do not count but lengths do: a pass that ends at the first odd key has not seen the longest
 * sequence. */
static void test_ids_of_long_inputs_joined(void **state)
{
	(void)state;
	const char *inputs[] = {in_folder("a.ctf"), in_folder("b.ctf")};
	sheaf_convert_options options = with_declared_stream();
	write_long("a.ctf", 5, "200000 |A 1\n200000 |A 2\n");
	write_text("b.ctf", "|A 1\n");
	assert_ok(sheaf_convert(inputs, 2, in_folder("out.ctf"), &options, cx, &err));
	assert_first_line("out.ctf", "0 |A 0\n1 |A 1\n");
}

/* The counting pass says nothing of what it sees; the pass that counts says it once. */
static void test_counting_is_quiet(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	sheaf_convert_options conversion = with_declared_stream();
	options.max_errors = 1;
	renew(&options);
	write_long("in.ctf", 0, "150000 |A 1 |X 2\n150001 |A 1|A x\n");
	assert_ok(convert("in.ctf", "out.ctf", &conversion));
	assert_int_equal(heard.count, 2);
	assert_true(is_heard("unknown stream") && is_heard("not a number"));
}

static void test_order_of_counting(void **state)
{
	(void)state;
	write_text("in", "NOTES");
	sheaf_convert_options options = {.size = sizeof options, .force = true, .to = "notes"};
	assert_ok(convert("in", "out", &options));
	/* Opened, counted in a pass of its own, put back to the start, and only then written. */
	assert_text("OcdcdcRancdrepcdrepcsFAC", calls);
	assert_file("out", "NOTESNOTES");
}

static void test_failures_of_counting(void **state)
{
	(void)state;
	static const char *const letters[] = {"O", "c", "d", "R", "a", "n", "e", "p", "r", "s", "F"};
	sheaf_convert_options options = {.size = sizeof options, .force = true, .to = "notes"};
	write_text("in", "NOTES");
	for (size_t i = 0; i < COUNT(letters); i++) {
		fails_in = letters[i];
		assert_status(SHEAF_DATA, convert("in", "out", &options));
		assert_message("refused in");
		assert_int_equal(files_in_folder(), 1);
	}
}

/* ---- pipes ---- */

typedef struct pipe_feeder {
	const char *path;
	bytes_sink bytes;
} pipe_feeder;

static void *feed(void *argument)
{
	pipe_feeder *feeder = (pipe_feeder *)argument;
	int fd = open(feeder->path, O_WRONLY);
	for (size_t at = 0; fd >= 0 && at < feeder->bytes.size;) {
		ssize_t n = write(fd, feeder->bytes.data + at, feeder->bytes.size - at);
		if (n < 0 && errno != EINTR) break;
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0) close(fd);
	return NULL;
}

static sheaf_status convert_pipe(const char *from, const char *output, const sheaf_convert_options *options)
{
	pthread_t thread;
	pipe_feeder feeder = {in_folder("pipe"), read_file(from)};
	assert_int_equal(mkfifo(feeder.path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, feed, &feeder), 0);
	sheaf_status status = convert("pipe", output, options);
	pthread_join(thread, NULL);
	unlink(feeder.path);
	free_bytes(&feeder.bytes);
	return status;
}

static void test_convert_from_a_pipe(void **state)
{
	(void)state;
	sheaf_convert_options declared = with_declared_stream();
	write_text("in.ctf", "0 |A 1\n1 |A 2\n1 |A 3\n");
	assert_ok(convert_pipe("in.ctf", "out.ctf", NULL));
	assert_file("out.ctf", "0 |A 1\n1 |A 2\n1 |A 3\n");
	assert_ok(convert_pipe("in.ctf", "out.cbf", NULL));
	assert_ok(convert_pipe("out.cbf", "again.ctf", NULL));
	assert_file("again.ctf", "0 |A 1\n1 |A 2\n1 |A 3\n");
	write_text("in.ctf", "0 |A 1\n1 |A 2\n");
	assert_ok(convert_pipe("in.ctf", "out.ctf", NULL));
	assert_file("out.ctf", "|A 1\n|A 2\n");
	write_long("in.ctf", 0, "150000 |A 1\n150000 |A 2\n");
	assert_ok(convert_pipe("in.ctf", "out.ctf", &declared));
	assert_first_line("out.ctf", "0 |A 0\n1 |A 1\n");
	assert_int_equal(sheaf_context_problems(cx, SHEAF_NOTE), 0);
}

/* A caller that promises too much hears so, and nothing is written. */
/* Sequences of two samples settle what text needs to know at once; who asks for the number of rows gets it
 * all the same. */
static void test_rows_are_counted_where_asked_for(void **state)
{
	(void)state;
	sheaf_convert_options options = {.size = sizeof options, .force = true, .from = "ctf", .to = "tally"};
	const char *inputs[2] = {in_folder("a.ctf"), in_folder("b.ctf")};
	write_text("a.ctf", "0 |x 1\n0 |x 2\n1 |x 3\n");
	write_text("b.ctf", "7 |x 1\n8 |x 1\n9 |x 1\n");
	assert_ok(sheaf_convert(inputs, 1, in_folder("out"), &options, cx, &err));
	assert_int_equal(given_totals.rows, 2);
	assert_ok(sheaf_convert(inputs, 2, in_folder("out"), &options, cx, &err));
	assert_int_equal(given_totals.rows, 5);
}

static void test_totals_that_are_wrong(void **state)
{
	(void)state;
	sheaf_writer *writer;
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2,3");
	sheaf_create_options options = {
		.size = sizeof options, .force = true, .totals = &(sheaf_facts){2, 2, -1, 1, 1, NULL, NULL}};
	assert_ok(sheaf_create(in_folder("a.ctf"), &t.schema, &options, cx, &writer, &err));
	assert_status(SHEAF_USAGE, sheaf_write(writer, &t.frame, &err));
	assert_message("sequence 1: expected one sample");
	sheaf_abandon(writer);
	assert_int_equal(files_in_folder(), 0);
	free_table(&t);
}

/* ---- keys that are not kept, and losses ---- */

static void test_keys_become_positions_with_one_warning(void **state)
{
	(void)state;
	write_text("in.ctf", "0 |A 1\n5 |A 2\n6 |A 3\n");
	assert_ok(convert("in.ctf", "out.cbf", NULL));
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.severity[0], SHEAF_WARNING);
	assert_string_equal(heard.rule[0], "keys become positions");
	assert_int_equal(heard.row[0], 1);
	assert_non_null(strstr(heard.text[0], "expected key 1, found key 5"));
	sheaf_context_options options = hearing_options();
	renew(&options);
	write_text("in.ctf", "0 |A 1\n1 |A 2\n");
	assert_ok(convert("in.ctf", "out.cbf", NULL));
	assert_int_equal(heard.count, 0);
}

/* Frames follow one another: their rows are numbered on. */
static void test_rows_are_counted_over_frames(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {{"stream", "A:1:dense:double"}, {"precision", "float"}};
	sheaf_convert_options options = {
		.size = sizeof options, .settings = settings, .nsettings = 2, .piece_bytes = 1};
	write_text("in.ctf", "0 |A 1\n1 |A 2\n2 |A 3\n3 |A 4\n4 |A 5\n");
	assert_ok(convert("in.ctf", "out.cbf", &options));
	assert_int_equal(heard.count, 0);
	write_text("in.ctf", "0 |A 1\n1 |A 2\n2 |A 3\n3 |A 0.1\n5 |A 5\n");
	assert_status(SHEAF_LOSS, convert("in.ctf", "out.cbf", &options));
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.row[0], 3);
	assert_int_equal(heard.row[1], 4);
}

static void test_strict_refuses_to_drop_keys(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.strict = true;
	renew(&options);
	write_text("in.ctf", "3 |A 1\n");
	assert_status(SHEAF_DATA, convert("in.ctf", "out.cbf", NULL));
	assert_int_equal(files_in_folder(), 1);
}

/* What text cannot say: a NaN, infinities, a stream without samples. */
static table lossy_table(void)
{
	table t = new_table(cx);
	add_stream(&t, "D", false, 2, SHEAF_F32);
	add_stream(&t, "S", true, 9, SHEAF_F32);
	fill_text(&t, 0, "1 nan;;3 4;-inf inf");
	fill_text(&t, 1, "1:2;3:nan;;5:6");
	return t;
}

static void write_lossy(const char *name)
{
	sheaf_writer *writer;
	table t = lossy_table();
	assert_ok(sheaf_create(in_folder(name), &t.schema, NULL, cx, &writer, &err));
	assert_ok(sheaf_write(writer, &t.frame, &err));
	assert_ok(sheaf_finish(writer, &err));
	free_table(&t);
}

static void test_loss_stops_with_all_its_kinds(void **state)
{
	(void)state;
	write_lossy("in.cbf");
	write_text("out.ctf", "the old file");
	assert_status(SHEAF_LOSS, convert("in.cbf", "out.ctf", NULL));
	assert_message("NaN (2)");
	assert_message("infinity (2)");
	assert_message("stream without samples (2)");
	assert_message("format ctf");
	assert_int_equal(heard.count, 6); /* each place is reported */
	assert_file("out.ctf", "the old file");
	assert_int_equal(files_in_folder(), 2);
}

static void test_loss_that_is_allowed(void **state)
{
	(void)state;
	sheaf_context_options options = hearing_options();
	options.allow_loss = true;
	renew(&options);
	write_lossy("in.cbf");
	assert_ok(convert("in.cbf", "out.ctf", NULL));
	assert_int_equal(heard.count, 6);
	assert_int_equal(sheaf_context_losses(cx), 6);
	assert_file("out.ctf", "|D 1 0 |S 1:2\n|D |S 3:0\n|D 3 4 |S\n|D -1e999 1e999 |S 5:6\n");
}

static void test_loss_names_its_places(void **state)
{
	(void)state;
	write_lossy("in.cbf");
	assert_status(SHEAF_LOSS, convert("in.cbf", "out.ctf", NULL));
	static const struct {
		const char *rule, *stream;
		int64_t row;
	} wanted[] = {{"NaN", "\"D\"", 0},      {"stream without samples", "\"D\"", 1},
	              {"NaN", "\"S\"", 1},      {"stream without samples", "\"S\"", 2},
	              {"infinity", "\"D\"", 3}, {"infinity", "\"D\"", 3}};
	for (size_t i = 0; i < COUNT(wanted); i++) {
		assert_string_equal(heard.rule[i], wanted[i].rule);
		assert_int_equal(heard.row[i], wanted[i].row);
		assert_non_null(strstr(heard.text[i], wanted[i].stream));
	}
}

static void test_loss_of_precision(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {{"stream", "A:2:dense:double"}, {"precision", "float"}};
	sheaf_convert_options options = {
		.size = sizeof options, .force = true, .settings = settings, .nsettings = 2};
	write_text("in.ctf", "|A 1 2\n|A 0.1 0.5\n|A 3 16777217\n|A 1e300 0.2\n");
	assert_status(SHEAF_LOSS, convert("in.ctf", "out.cbf", &options));
	assert_message("value changed by its element type (3)");
	assert_false(file_exists("out.cbf"));
	sheaf_context_options allowing = hearing_options();
	allowing.allow_loss = true;
	renew(&allowing);
	assert_ok(convert("in.ctf", "out.cbf", &options));
	assert_int_equal(heard.count, 3);
	assert_int_equal(heard.row[0], 1);
}

/* Losses of one conversion are not held against the next in the same context. */
static void test_loss_does_not_stay(void **state)
{
	(void)state;
	write_lossy("in.cbf");
	write_text("good.ctf", "|A 1\n");
	assert_status(SHEAF_LOSS, convert("in.cbf", "out.ctf", NULL));
	assert_ok(convert("good.ctf", "out.ctf", NULL));
	assert_file("out.ctf", "|A 1\n");
	assert_status(SHEAF_LOSS, convert("in.cbf", "out.ctf", NULL));
}

/* ---- stopping ---- */

static void write_rows(const char *name, int n)
{
	bytes_sink text = {0};
	char line[64];
	for (int i = 0; i < n; i++)
		write_bytes(&text, line, (size_t)snprintf(line, sizeof line, "%d |A %d\n", i, i));
	write_file(name, text.data, text.size);
	free_bytes(&text);
}

static void test_stop_while_reading(void **state)
{
	(void)state;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 100};
	write_rows("in.ctf", 1000);
	assert_ok(sheaf_open(in_folder("in.ctf"), &options, cx, &dataset, &err));
	for (int i = 0; i < 3; i++) assert_ok(sheaf_next(dataset, &frame, &err));
	sheaf_context_stop(cx);
	assert_status(SHEAF_STOPPED, sheaf_next(dataset, &frame, &err));
	assert_null(frame);
	sheaf_close(dataset);
	/* The flag stays: nothing else begins in this context. */
	sheaf_status status = sheaf_open(in_folder("in.ctf"), &options, cx, &dataset, &err);
	if (status == SHEAF_OK) status = sheaf_next(dataset, &frame, &err);
	assert_int_equal(status, SHEAF_STOPPED);
	sheaf_close(dataset);
}

static void test_stop_while_converting(void **state)
{
	(void)state;
	static const char *const outputs[] = {"out.ctf", "out.cbf", "out.cbf.gz"};
	sheaf_convert_options conversion = {.size = sizeof conversion, .force = true, .piece_bytes = 100};
	write_rows("in.ctf", 1000);
	for (size_t i = 0; i < COUNT(outputs); i++) {
		for (int64_t after = 1; after < 50; after += 16) {
			sheaf_context_options options = hearing_options();
			renew(&options);
			stop_after = after;
			write_text(outputs[i], "the old file");
			assert_status(SHEAF_STOPPED, convert("in.ctf", outputs[i], &conversion));
			assert_file(outputs[i], "the old file");
			unlink(in_folder(outputs[i]));
			assert_int_equal(files_in_folder(), 1);
		}
	}
}

static void test_stop_before_anything(void **state)
{
	(void)state;
	write_rows("in.ctf", 10);
	sheaf_context_stop(cx);
	assert_status(SHEAF_STOPPED, convert("in.ctf", "out.cbf", NULL));
	assert_int_equal(files_in_folder(), 1);
}

/* ---- validation ---- */

static void validating(void)
{
	sheaf_context_options options = hearing_options();
	options.validate = true;
	renew(&options);
}

/* Reads to the end; every frame on the way must be sound. Gives the number of rows. */
static int64_t read_sound_frames(sheaf_dataset *dataset)
{
	const sheaf_frame *frame;
	sheaf_status status;
	int64_t rows = 0;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_int_equal(sheaf_dataset_row(dataset), rows);
		rows += frame->nrows;
	}
	assert_status(SHEAF_END, status);
	return rows;
}

static void test_validation_goes_on_behind_fatal_problems(void **state)
{
	(void)state;
	static const char text[] = "0 |A 1 |B 1\n1 |A 2\n2 |A x |B 1\n3 |B 4\n4 |A 1 |B 1\n";
	const sheaf_frame *frame;
	sheaf_dataset *dataset = open_text(text, NULL);
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_int_equal(frame->nrows, 1);
	assert_status(SHEAF_DATA, sheaf_next(dataset, &frame, &err)); /* at the first one */
	assert_message("text:2:");
	sheaf_close(dataset);
	validating();
	dataset = open_text(text, NULL);
	assert_true(read_sound_frames(dataset) >= 2);
	sheaf_close(dataset);
	int fatal = 0;
	for (int i = 0; i < heard.count; i++) fatal += heard.severity[i] == SHEAF_FATAL;
	assert_int_equal(fatal, 0);
	assert_int_equal(heard.count, 4);
	assert_true(is_heard("not a number"));
}

/* A binary file of a chunk for each row, with two sparse streams of one sample. */
static bytes_sink sparse_chunks(int64_t chunk_bytes)
{
	bytes_sink bytes = {0};
	char word[24];
	sheaf_setting setting = {"chunk-bytes", word};
	sheaf_create_options options = {
		.size = sizeof options,
		.format = "cbf",
		.settings = &setting,
		.nsettings = 1,
	};
	table t = new_table(cx);
	snprintf(word, sizeof word, "%" PRId64, chunk_bytes);
	add_stream(&t, "A", true, 9, SHEAF_F32), add_stream(&t, "B", true, 9, SHEAF_F32);
	fill_text(&t, 0, "1:1;2:2;3:3"), fill_text(&t, 1, "4:4;5:5;6:6");
	assert_ok(write_table(&t, &options, 0, &bytes, cx));
	free_table(&t);
	return bytes;
}

/* Rows of 44 bytes each: a count, then for each stream two counts, a value, an index, a length. */
enum { PREFIX = 12, SPARSE_ROW = 44, INDEX_A = 4 + 8 + 4, INDEX_B = INDEX_A + 20 };

static int64_t validate_bytes(const bytes_sink *bytes)
{
	sheaf_dataset *dataset;
	assert_ok(open_bytes((sheaf_bytes){bytes->data, bytes->size}, "binary", NULL, cx, &dataset));
	int64_t rows = read_sound_frames(dataset);
	sheaf_close(dataset);
	return rows;
}

static void test_validation_of_chunks(void **state)
{
	(void)state;
	bytes_sink bytes = sparse_chunks(1);
	validating();
	assert_int_equal(validate_bytes(&bytes), 3);
	assert_int_equal(heard.count, 0);
	bytes.data[PREFIX + INDEX_A] = 77; /* the first chunk, and so before any sound frame */
	bytes.data[PREFIX + 2 * SPARSE_ROW + INDEX_B] = 78;
	assert_int_equal(validate_bytes(&bytes),
	                 3); /* what is flawed stands without samples, so that rows keep their numbers */
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.severity[0], SHEAF_FATAL);
	assert_non_null(strstr(
		heard.text[0], "chunk 0, sequence 0, stream \"A\", byte 28: expected an index below 9, found 77"));
	assert_non_null(strstr(
		heard.text[1], "chunk 2, sequence 2, stream \"B\", byte 136: expected an index below 9, found 78"));
	free_bytes(&bytes);
}

/* After a count that hides where the next thing stands only the next chunk can be read. */
static void test_validation_behind_a_broken_chunk(void **state)
{
	(void)state;
	bytes_sink bytes = sparse_chunks(1), together = sparse_chunks(1000);
	validating();
	memset(bytes.data + PREFIX + 4, 0xff, 4);
	assert_int_equal(validate_bytes(&bytes), 2);
	assert_int_equal(heard.count, 1);
	assert_non_null(strstr(heard.text[0], "chunk 0, sequence 0, stream \"A\""));
	memset(together.data + PREFIX + 3 * 4, 0xff, 4);
	assert_int_equal(validate_bytes(&together), 0);
	assert_int_equal(heard.count, 2);
	free_bytes(&bytes);
	free_bytes(&together);
}

/* Flaws that do not hide where the next thing stands are all told, in whatever stream of the chunk. */
static void test_validation_of_all_streams_of_a_chunk(void **state)
{
	(void)state;
	bytes_sink bytes = sparse_chunks(1);
	validating();
	bytes.data[PREFIX + INDEX_A] = 77;
	bytes.data[PREFIX + INDEX_B] = 78;
	assert_int_equal(validate_bytes(&bytes), 3);
	assert_int_equal(heard.count, 2);
	free_bytes(&bytes);
}

/* ---- comparison ---- */

enum { MOST_DIFFERENCES = 16 };

typedef struct differences {
	int count, wanted; /* tells that it has enough after `wanted` */
	char text[MOST_DIFFERENCES][200];
} differences;

static bool see_difference(void *user, const sheaf_difference *d)
{
	differences *all = (differences *)user;
	if (all->count < MOST_DIFFERENCES)
		snprintf(all->text[all->count], sizeof all->text[0], "%lld/%s/%lld: %s | %s", (long long)d->row,
		         d->stream ? d->stream : "", (long long)d->sample, d->a, d->b);
	return ++all->count < all->wanted;
}

static bool diff_texts(const char *a, const char *b, bool keys, bool strict, differences *found)
{
	bool equal;
	sheaf_diff_options options = {.size = sizeof options,
	                              .keys = keys,
	                              .strict = strict,
	                              .on_difference = see_difference,
	                              .user = found};
	sheaf_open_options pieces = {.size = sizeof pieces, .piece_bytes = 1};
	sheaf_dataset *da = open_text(a, NULL), *db = open_text(b, &pieces);
	*found = (differences){.wanted = MOST_DIFFERENCES};
	assert_ok(sheaf_diff(da, db, &options, &equal, &err));
	sheaf_close(da);
	sheaf_close(db);
	assert_int_equal(equal, found->count == 0);
	return equal;
}

static void test_diff(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		const char *found[4];
	} cases[] = {
		{"|A 1\n|A 2\n", "|A 1\n|A 2\n", {NULL}},
		{"|A 1\n|A 2\n", "5 |A 1.0\n9 |A 20e-1\n", {NULL}},
		{"|A 1 |B 2\n", "|B 2 |A 1\n", {NULL}},
		{"|A 1 2\n", "|A 0:1 1:2\n", {NULL}},
		{"|A 1\n|A 2\n", "|A 1\n|A 3\n", {"1/A/0: [2] | [3]"}},
		{"|A 0\n", "|A -0\n", {"0/A/0: [0] | [-0]"}},
		{"|A 1 2\n", "|A 1:2 0:1\n", {"0/A/0: [1 2] | [1:2 0:1]"}},
		{"0 |A 1\n0 |A 2\n1 |A 3\n", "0 |A 1\n1 |A 3\n", {"0/A/-1: 2 samples | 1 samples"}},
		{"0 |A 1\n1 |A 3\n", "0 |A 1\n0 |A 2\n1 |A 3\n", {"0/A/-1: 1 samples | 2 samples"}},
		{"0 |A 1\n0 |A 2\n1 |A 3\n",
	     "0 |A 9\n1 |A 3\n",
	     {"0/A/-1: 2 samples | 1 samples", "0/A/0: [1] | [9]"}},
		{"|A 1 |B 2\n", "|A 1\n", {"-1/B/-1: such a stream | none"}},
		{"|A 1\n", "|A 1 |B 2\n", {"-1/B/-1: none | such a stream"}},
		{"|A 1 |B 2\n",
	     "|A 3 |C 2\n",
	     {"-1/B/-1: such a stream | none", "-1/C/-1: none | such a stream", "0/A/0: [1] | [3]"}},
		{"|A 1\n|A 2\n|A 3\n", "|A 1\n", {"-1//-1: 3 sequences | 1 sequences"}},
		{"|A 1\n", "|A 1\n|A 2\n|A 3\n", {"-1//-1: 1 sequences | 3 sequences"}},
		{"|A 1 2\n", "|A 1 2 3\n", {"0/A/0: [1 2] | [1 2 3]"}},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		differences found;
		int n = 0;
		diff_texts(cases[i].a, cases[i].b, false, false, &found);
		for (; n < 4 && cases[i].found[n]; n++)
			if (n < found.count) assert_text(cases[i].found[n], found.text[n]);
		assert_int_equal(found.count, n);
	}
}

static void test_diff_of_keys(void **state)
{
	(void)state;
	differences found;
	assert_true(diff_texts("0 |A 1\n1 |A 2\n", "|A 1\n|A 2\n", true, false, &found));
	assert_false(diff_texts("0 |A 1\n7 |A 2\n", "|A 1\n|A 2\n", true, false, &found));
	assert_int_equal(found.count, 1);
	assert_text("1//-1: key 7 | key 1", found.text[0]);
}

static void test_diff_strict(void **state)
{
	(void)state;
	differences found;
	assert_true(diff_texts("|A 1 2\n", "|A 1 2\n", false, true, &found));
	assert_false(diff_texts("|A 1 2\n", "|A 0:1 1:2\n", false, true, &found));
	assert_text("-1/A/-1: dense, dim 2, float32 | sparse, dim 2, float32", found.text[0]);
	assert_false(diff_texts("|S 1:2\n|S 2:2\n", "|S 1:2\n|S 3:2\n", false, true, &found));
	assert_int_equal(found.count, 2);
	assert_text("-1/S/-1: sparse, dim 3, float32 | sparse, dim 4, float32", found.text[0]);
	assert_text("1/S/0: [2:2] | [3:2]", found.text[1]);
}

static void test_diff_stops_when_it_is_told(void **state)
{
	(void)state;
	for (int wanted = 1; wanted < 4; wanted++) {
		bool equal = true;
		differences found = {.wanted = wanted};
		sheaf_diff_options options = {
			.size = sizeof options, .on_difference = see_difference, .user = &found};
		sheaf_dataset *a = open_text("|A 1 |B 1\n|A 2 |B 1\n|A 3 |B 1\n", NULL),
					  *b = open_text("|A 9 |B 9\n|A 9 |B 9\n|A 9 |B 9\n", NULL);
		assert_ok(sheaf_diff(a, b, &options, &equal, &err));
		assert_false(equal);
		assert_int_equal(found.count, wanted);
		sheaf_close(a);
		sheaf_close(b);
	}
	bool equal = true;
	sheaf_dataset *a = open_text("|A 1\n", NULL), *b = open_text("|A 2\n", NULL);
	assert_ok(sheaf_diff(a, b, NULL, &equal, &err)); /* nobody wants to hear */
	assert_false(equal);
	sheaf_close(a);
	sheaf_close(b);
}

static void test_diff_fails_where_reading_does(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		bool equal = true;
		sheaf_dataset *good = open_text("|A 1\n|A 2\n", NULL), *bad = open_text("|A 1\n|A x\n", NULL);
		assert_status(SHEAF_DATA, swap ? sheaf_diff(bad, good, NULL, &equal, &err)
		                               : sheaf_diff(good, bad, NULL, &equal, &err));
		assert_false(equal);
		assert_message("text:2:");
		sheaf_close(good);
		sheaf_close(bad);
	}
}

/* ---- rows ---- */

static void test_keys_of_rows(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 1};
	sheaf_dataset *dataset = open_text("18446744073709551615 |A 1\n5 |A 2\n6 |A 3\n", &options);
	uint64_t keys[3];
	int n = 0;
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK)
		for (int64_t r = 0; r < frame->nrows; r++) {
			assert_int_equal(sheaf_dataset_row(dataset) + r, n);
			keys[n++] = sheaf_row_key(dataset, frame, r);
		}
	assert_int_equal(n, 3);
	assert_true(keys[0] == UINT64_MAX && keys[1] == 5 && keys[2] == 6);
	sheaf_close(dataset);
	dataset = open_text("NOTES", NULL);
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_int_equal(sheaf_row_key(dataset, frame, 1), NOTE_ROWS + 1);
	sheaf_close(dataset);
}

/* A frame's buffers may be kept longer than the frame. */
static void test_buffers_outlive_their_frame(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 1};
	sheaf_dataset *dataset = open_text("|A 1 2\n|A 3 4\n|A 5 6\n", &options);
	sheaf_buffer kept[3] = {{0}};
	int n = 0;
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK)
		kept[n++] = sheaf_buffer_ref(&frame->columns[0].values);
	assert_int_equal(n, 3);
	sheaf_close(dataset);
	for (int i = 0; i < 3; i++) {
		const float *values = (const float *)(const void *)kept[i].data;
		assert_true(values[0] == (float)(2 * i + 1) && values[1] == (float)(2 * i + 2));
		sheaf_buffer_reset(&kept[i]);
	}
}

/* Where reading stops, and what is said of it, is the same however the input is cut. */
static void test_errors_do_not_depend_on_pieces(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"0 |A 1 |B 1\n1 |A 2 |B 1\n2 |A x |B 1\n3 |A 4 |B 1\n",
		"0 |A 1 |B 1\n1 |A 2\n2 |A 3 |B 3\n",
		"0 |A 1 |B 1\n0 |B 1 |B 2 |B 3\n1 |A 2 |B 1\n",
		"0 |A 1 |B 1\n1 |A 2 |B 2\n18446744073709551616 |A 3 |B 3\n",
		"0 |A 1 |A 2 |B 1\n18446744073709551616 |A 3 |B 3\n2 |A 1 |B 1\n3 |A 1 |B 1\n",
		"0 |A 1 |B 1\n0\n\n1 |A 2 |B 2\n",
		"|A 1 |B 1\n|A 2 |B 2\n|A 3 B 3\n",
	};
	static const sheaf_setting declared[] = {{"stream", "A:1:dense"}, {"stream", "B:1:dense"}};
	for (size_t i = 0; i < COUNT(texts); i++) {
		char first[sizeof err.message] = "";
		for (int64_t piece = 100; piece >= 1; piece--) {
			sheaf_frame all;
			sheaf_open_options options = {
				.size = sizeof options, .settings = declared, .nsettings = 2, .piece_bytes = piece};
			sheaf_dataset *dataset = open_text(texts[i], &options);
			assert_status(SHEAF_DATA, sheaf_read_all(dataset, &all, &err));
			sheaf_close(dataset);
			if (piece == 100) memcpy(first, err.message, sizeof first);
			assert_text(first, err.message);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_order_of_reading),
	TEST(test_a_failed_open_is_closed),
	TEST(test_closing_early),
	TEST(test_nothing_follows_a_failure),
	TEST(test_order_of_writing),
	TEST(test_abandoned_file_is_not_there),
	TEST(test_write_refuses_other_columns),
	TEST(test_sizes_of_options),
	TEST(test_settings_for_reading),
	TEST(test_settings_are_marked),
	TEST(test_settings_for_writing),
	TEST(test_recognition),
	TEST(test_recognition_by_name),
	TEST(test_formats_by_suffix),
	TEST(test_recognition_of_compressed_files),
	TEST(test_create_finds_its_format),
	TEST(test_convert_errors),
	TEST(test_convert_uses_settings_of_either_side),
	TEST(test_convert_onto_its_input),
	TEST(test_join_makes_keys_positions),
	TEST(test_join_without_ids),
	TEST(test_join_of_different_formats),
	TEST(test_join_widens_sparse_dims),
	TEST(test_join_refuses_different_streams),
	TEST(test_join_of_streams_in_another_order),
	TEST(test_join_widens_to_wide_indices),
	TEST(test_join_fails_in_the_second_input),
	TEST(test_ids_are_written_where_they_are_needed),
	TEST(test_ids_from_a_format_without_keys),
	TEST(test_ids_of_long_inputs),
	TEST(test_ids_of_long_inputs_joined),
	TEST(test_counting_is_quiet),
	TEST(test_order_of_counting),
	TEST(test_failures_of_counting),
	TEST(test_convert_from_a_pipe),
	TEST(test_rows_are_counted_where_asked_for),
	TEST(test_totals_that_are_wrong),
	TEST(test_keys_become_positions_with_one_warning),
	TEST(test_rows_are_counted_over_frames),
	TEST(test_strict_refuses_to_drop_keys),
	TEST(test_loss_stops_with_all_its_kinds),
	TEST(test_loss_that_is_allowed),
	TEST(test_loss_names_its_places),
	TEST(test_loss_of_precision),
	TEST(test_loss_does_not_stay),
	TEST(test_stop_while_reading),
	TEST(test_stop_while_converting),
	TEST(test_stop_before_anything),
	TEST(test_validation_goes_on_behind_fatal_problems),
	TEST(test_validation_of_chunks),
	TEST(test_validation_behind_a_broken_chunk),
	TEST(test_validation_of_all_streams_of_a_chunk),
	TEST(test_diff),
	TEST(test_diff_of_keys),
	TEST(test_diff_strict),
	TEST(test_diff_stops_when_it_is_told),
	TEST(test_diff_fails_where_reading_does),
	TEST(test_keys_of_rows),
	TEST(test_buffers_outlive_their_frame),
	TEST(test_errors_do_not_depend_on_pieces),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
