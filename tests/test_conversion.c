/* SPDX-License-Identifier: MIT */
/* Conversions over formats: several inputs, totals, pipes, losses, stopping. */
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

/* ---- conversion ---- */

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
							   wrong = {"element-type", "single"};
	static const sheaf_part_options half = {.part = "1/2"};
	static const struct {
		const char *input, *output;
		sheaf_open_options open;
		sheaf_convert_options options;
		sheaf_status status;
		const char *message;
	} cases[] = {
		{"in.ctf", "out.cbf", {0}, {.to = "no such"}, SHEAF_UNKNOWN, "--to: expected one of the formats ctf"},
		{"in.ctf", "out.cbf", {0}, {.to = "cfb"}, SHEAF_UNKNOWN, "found cfb; did you mean cbf?"},
		{"in.ctf", "out.cbf", {.format = "cft"}, {0}, SHEAF_UNKNOWN, "found cft; did you mean ctf?"},
		{"in.ctf", "out.cbf", {.format = "no such"}, {0}, SHEAF_UNKNOWN, "found no such"},
		{"in.ctf",
		 "out",
		 {0},
		 {.to = NULL},
		 SHEAF_USAGE,
		 "expected a suffix that names one format, found none"},
		{"in.ctf", "out.both", {0}, {.to = NULL}, SHEAF_USAGE, "suffix"},
		{"in.ctf", "out.ctf", {0}, {.to = "mute"}, SHEAF_UNSUPPORTED, "mute"},
		{"in.ctf", "out.ctf.part", {0}, {.to = "mute", .part = &half}, SHEAF_UNSUPPORTED, "mute"},
		{"in.ctf",
	     "out.ctf",
	     {.settings = &foreign, .nsettings = 1},
		 {0},
	     SHEAF_USAGE,
	     "--chunk-bytes: expected an option that ctf uses for reading or ctf for writing"},
		{"in.ctf",
	     "out.cbf",
	     {.settings = &unknown, .nsettings = 1},
		 {0},
	     SHEAF_USAGE,
	     "--no-such: expected an option that ctf uses for reading or cbf for writing"},
		{"in.ctf",
	     "out.cbf",
	     {.settings = &wrong, .nsettings = 1},
		 {0},
	     SHEAF_USAGE,
	     "--element-type: expected float|double, found single"},
		{"none.ctf", "out.cbf", {0}, {.to = NULL}, SHEAF_IO, "none.ctf"},
		{"in.ctf", "none/out.cbf", {0}, {.to = NULL}, SHEAF_IO, "none"},
		{"in.ctf", "out.cbf", {.format = "cbf"}, {0}, SHEAF_SHORT, "in.ctf"},
		{"bad.ctf", "out.cbf", {0}, {.to = NULL}, SHEAF_DATA, "bad.ctf:2:"},
	};
	write_text("in.ctf", "|A 1\n|A 2\n");
	write_text("bad.ctf", "|A 1\n|A x\n");
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_convert_options options = cases[i].options;
		options.size = sizeof options;
		options.open = &cases[i].open;
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
		{"stream", "A:3:dense"}, {"chunk-bytes", "1"}, {"element-type", "double"}};
	sheaf_convert_options options = {.size = sizeof options,
	                                 .force = true,
	                                 .open = &(sheaf_open_options){.settings = settings, .nsettings = 3}};
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
		{"|A 1 |B 1:1\n",
	     "b.ctf: stream \"A\": expected the same as in the first input (dense, dim 2, float32), "
	     "found dense, dim 1, float32"},
		{"|A 1 2 3 |B 1:1\n", "found dense, dim 3, float32"},
		{"|A 1:2 |B 1:1\n", "found sparse, dim 2, float32"},
		{"|A 1 2\n", "b.ctf: expected a stream \"B\" as in the first input, found none"},
		{"|A 1 2 |C 1:1\n", "b.ctf: expected a stream \"B\" as in the first input, found none"},
		{"|A 1 2 |B 1:1 |C 2\n", "b.ctf: expected only the streams of the first input, found also \"C\""},
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
	static const sheaf_open_options open = {.settings = &declared_a, .nsettings = 1, .piece_bytes = 100000};
	return (sheaf_convert_options){.size = sizeof(sheaf_convert_options), .force = true, .open = &open};
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

/* Where a key occurs twice, keys do not count but lengths do: a pass that ends at the first odd key has not
 * seen the longest sequence. */
static void test_ids_of_long_inputs_joined(void **state)
{
	(void)state;
	const char *inputs[] = {in_folder("a.ctf"), in_folder("b.ctf")};
	sheaf_convert_options options = with_declared_stream();
	write_long("a.ctf", 5, "200000 |A 1\n200000 |A 2\n");
	write_text("b.ctf", "5 |A 1\n");
	assert_ok(sheaf_convert(inputs, 2, in_folder("out.ctf"), &options, cx, &err));
	assert_first_line("out.ctf", "0 |A 0\n1 |A 1\n");
	write_text("b.ctf", "4 |A 1\n");
	assert_ok(sheaf_convert(inputs, 2, in_folder("out.ctf"), &options, cx, &err));
	assert_first_line("out.ctf", "5 |A 0\n6 |A 1\n");
}

/* The counting pass reports nothing; the main pass reports it once. */
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

/* A caller that promises too much gets an error, and nothing is written. */
/* Sequences of two samples decide at once what text needs to know; the number of rows is found all the
 * same if it is needed. */
static void test_rows_are_counted_where_asked_for(void **state)
{
	(void)state;
	sheaf_convert_options options = {
		.size = sizeof options, .force = true, .open = &(sheaf_open_options){.format = "ctf"}, .to = "tally"};
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
	free_table(&t);
	t = keyed_table(cx, (const uint64_t[]){0, 2, 3});
	options.totals = &(sheaf_facts){3, 3, -1, 1, 1, NULL, NULL};
	assert_ok(sheaf_create(in_folder("a.ctf"), &t.schema, &options, cx, &writer, &err));
	assert_status(SHEAF_USAGE, sheaf_write(writer, &t.frame, &err));
	assert_message("sequence 1: expected this number for its key, as the totals say, found 2");
	sheaf_abandon(writer);
	free_table(&t);
	assert_int_equal(files_in_folder(), 0);
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
	static const sheaf_setting settings[] = {{"stream", "A:1:dense:double"}, {"element-type", "float"}};
	sheaf_convert_options options = {
		.size = sizeof options,
		.open = &(sheaf_open_options){.settings = settings, .nsettings = 2, .piece_bytes = 1}};
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
	static const sheaf_setting settings[] = {{"stream", "A:2:dense:double"}, {"element-type", "float"}};
	sheaf_convert_options options = {.size = sizeof options,
	                                 .force = true,
	                                 .open = &(sheaf_open_options){.settings = settings, .nsettings = 2}};
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

/* Losses of one conversion do not count in the next one of the same context. */
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
	sheaf_convert_options conversion = {
		.size = sizeof conversion, .force = true, .open = &(sheaf_open_options){.piece_bytes = 100}};
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
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
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
