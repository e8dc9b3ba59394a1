/* SPDX-License-Identifier: MIT */
/* Datasets over formats: the order of calls, settings, recognition. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "dataset/dataset.h"
#include "notes.h"
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
	const sheaf_split_options split = {.size = 1};
	const char *output = in_folder("a.ctf");
	struct ArrowSchema arrow;
	const sheaf_arrow_options exchange = {.size = 1};
	assert_status(SHEAF_USAGE, open_bytes(text_bytes("|A 1\n"), "text", &open, cx, &dataset));
	assert_message("open options: expected size");
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "memory", cx, &sink, &err));
	assert_status(SHEAF_USAGE, sheaf_create_sink(sink, &t.schema, &create, cx, &writer, &err));
	assert_null(writer);
	assert_message("create options: expected size");
	assert_status(SHEAF_USAGE, sheaf_convert(&input, 1, output, &convert, cx, &err));
	assert_message("convert options: expected size");
	assert_status(SHEAF_USAGE, sheaf_split(input, &output, 1, &split, cx, NULL, &err));
	assert_message("split options: expected size");
	assert_status(SHEAF_USAGE, sheaf_merge(&input, 1, output, &split, cx, NULL, &err));
	assert_message("split options: expected size");
	assert_status(SHEAF_USAGE, sheaf_arrow_schema(&t.schema, &exchange, cx, &arrow, &err));
	assert_message("arrow options: expected size");
	dataset = open_text("|A 1\n", NULL);
	assert_status(SHEAF_USAGE, sheaf_diff(dataset, dataset, &diff, &equal, &err));
	assert_message("diff options: expected size");
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
	     "--room: expected an option that format notes uses for reading, found one that it does not use"},
		{{"other", "x"},
	     "--other: expected an option that format notes uses for reading, found one that it does not use"},
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
	static const sheaf_setting settings[] = {{"room", "1K"}, {"volume", "1"}, {"other", "x"}, {"loud", NULL}};
	bool used[4] = {false}, before[4] = {true, false, false, false};
	assert_ok(open_notes_with(settings, 4, used));
	const bool wanted[4] = {false, true, false, true};
	assert_memory_equal(used, wanted, sizeof used);
	/* Marks are set, never removed: another format may have set them. */
	assert_ok(open_notes_with(settings, 4, before));
	assert_true(before[0] && before[1] && !before[2]);
	/* Settings that the format uses are checked all the same. */
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
	assert_text(
		"--other: expected an option that format notes uses for writing, found one that it does not use",
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
		{"PAR1\x15\x04", "x.parquet", NULL, "found Parquet, which is not read"},
		{"", "x", NULL,
	     "x: expected one of the formats ctf, notes, cbf, rival, deaf, mute, tally, found no bytes at all"},
		{"nib_ktnc", "x", "cbf", NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const sheaf_format *format;
		sheaf_source *source;
		assert_ok(sheaf_source_memory(text_bytes(cases[i].content), cases[i].name, cx, &source, &err));
		sheaf_status status = sheaf_recognise(source, NULL, &(sheaf_values){0}, &format, &err);
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
	assert_text("--from: expected one of the formats ctf, notes, cbf, rival, deaf, mute, tally, found note; "
	            "did you mean notes?",
	            err.message);
	assert_text("from", err.option);
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
		assert_non_null(sheaf_source_about(sheaf_dataset_source(dataset)).compression);
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
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
