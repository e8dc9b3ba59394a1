/* SPDX-License-Identifier: MIT */
/* Limits of outputs and of memory that a small input cannot exceed. */
#include "io/sink.h"
#include "record.h"
#include "sparse/sparse.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t most_written = INT64_MAX;

static int count_bytes(void *user, const void *data, size_t size)
{
	(void)data;
	*(int64_t *)user += (int64_t)size;
	return *(int64_t *)user > most_written ? -ENOSPC : 0;
}

/* ---- outputs ---- */

static void test_bound_of_a_sink(void **state)
{
	(void)state;
	enum { STEP = 64 << 20, STEPS = 16 };
	sheaf_context *cx = usual_context();
	sheaf_sink *sink;
	int64_t written = 0;
	uint8_t *step = (uint8_t *)calloc(1, STEP);
	assert_ok(sheaf_sink_function(count_bytes, &written, "out", cx, &sink, &err));
	assert_ok(sheaf_sink_check_size(sink, INT64_MAX, &err));
	sheaf_sink_bound(sink, 0);
	assert_ok(sheaf_sink_check_size(sink, 1 << 30, &err));
	for (int i = 0; i < STEPS; i++) assert_ok(sheaf_sink_write(sink, step, STEP, &err));
	assert_status(SHEAF_LIMIT, sheaf_sink_write(sink, step, 1, &err));
	assert_message(
		"out: expected an output of at most 1073741824 bytes, which is 64 times the input or 1 GiB, found "
		"a need for 1073741825 or more (--allow large writes it anyway)");
	assert_status(SHEAF_LIMIT, sheaf_sink_commit(sink, &err));
	assert_int_equal(written, 1 << 30);
	/* more input, more output */
	assert_ok(sheaf_sink_function(count_bytes, &written, "out", cx, &sink, &err));
	sheaf_sink_bound(sink, (1 << 24) + 1);
	assert_ok(sheaf_sink_check_size(sink, (1 << 30) + 64, &err));
	assert_status(SHEAF_LIMIT, sheaf_sink_check_size(sink, (1 << 30) + 65, &err));
	sheaf_sink_bound(sink, INT64_MAX);
	assert_ok(sheaf_sink_check_size(sink, INT64_MAX, &err));
	sheaf_sink_abandon(sink);
	free(step);
	end_context(cx);
}

/* An existing file does not count: only additions to it do. */
static void test_bound_of_a_random_sink(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_sink *sink;
	bool is_there;
	write_text("old", "0123456789");
	assert_ok(sheaf_sink_path(in_folder("old"), true, cx, &sink, &err));
	assert_ok(sheaf_sink_make_clone(sink, &is_there, &err));
	assert_true(is_there);
	sheaf_sink_bound(sink, 0);
	assert_ok(sheaf_sink_resize(sink, (1 << 30) + 10, &err));
	assert_status(SHEAF_LIMIT, sheaf_sink_resize(sink, (1 << 30) + 11, &err));
	assert_status(SHEAF_LIMIT, sheaf_sink_write_at(sink, (1 << 30) + 10, "x", 1, &err));
	assert_status(SHEAF_LIMIT, sheaf_sink_write_at(sink, INT64_MAX, "x", 1, &err));
	assert_ok(sheaf_sink_write_at(sink, 3, "x", 1, &err));
	sheaf_sink_abandon(sink);
	end_context(cx);
}

/* A tensor of one entry made dense by a writer: the bytes of frames are the input. */
static sheaf_status write_dense(bool allow_large, int64_t *written)
{
	static const char text[] = "# shape: 140000000\n1 2\n";
	sheaf_context *cx = usual_context();
	sheaf_dataset *d;
	sheaf_sink *sink;
	sheaf_writer *w;
	const sheaf_frame *frame;
	sheaf_create_options options = {.size = sizeof options, .format = "npy", .allow_large = allow_large};
	*written = 0;
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)text, strlen(text)}, "a.tns", NULL, cx, &d));
	assert_ok(sheaf_sink_function(count_bytes, written, "out.npy", cx, &sink, &err));
	sheaf_status status = sheaf_create_sink(sink, sheaf_dataset_schema(d), &options, cx, &w, &err);
	if (status == SHEAF_OK) {
		assert_ok(sheaf_next(d, &frame, &err));
		status = sheaf_write(w, frame, &err);
		sheaf_status finished = sheaf_finish(w, &err);
		if (status == SHEAF_OK) status = finished;
	}
	sheaf_close(d);
	end_context(cx);
	return status;
}

static void test_bound_of_a_writer(void **state)
{
	(void)state;
	int64_t written;
	assert_status(SHEAF_LIMIT, write_dense(false, &written));
	if (SIZE_MAX < UINT64_MAX) return; /* with 32-bit sizes, the limit of memory is reached first */
	assert_message("(--allow large writes it anyway)");
	assert_null(strstr(err.message, "make chunks smaller"));
	assert_true(written <= 1 << 30);
	assert_true(written > 1 << 29);
	most_written = (1 << 30) + (1 << 20);
	assert_status(SHEAF_IO, write_dense(true, &written));
	assert_true(written > 1 << 30);
}

/* Smaller chunks do not help where the output is too large. */
static void test_bound_of_chunks(void **state)
{
	(void)state;
	enum { STEP = 64 << 20, STEPS = 16, LEFT = 100 };
	static const char text[] =
		"|A 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28\n";
	sheaf_context *cx = usual_context();
	sheaf_dataset *d;
	sheaf_sink *sink;
	sheaf_writer *w;
	const sheaf_frame *frame;
	int64_t written = 0;
	sheaf_create_options options = {.size = sizeof options, .format = "cbf"};
	uint8_t *step = (uint8_t *)calloc(1, STEP);
	most_written = INT64_MAX;
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)text, strlen(text)}, "a.ctf", NULL, cx, &d));
	assert_ok(sheaf_sink_function(count_bytes, &written, "out.cbf", cx, &sink, &err));
	sheaf_sink_bound(sink, 0);
	for (int i = 0; i < STEPS; i++)
		assert_ok(sheaf_sink_write(sink, step, i + 1 < STEPS ? STEP : STEP - LEFT, &err));
	assert_ok(sheaf_create_sink(sink, sheaf_dataset_schema(d), &options, cx, &w, &err));
	assert_ok(sheaf_next(d, &frame, &err));
	assert_ok(sheaf_write(w, frame, &err));
	assert_status(SHEAF_LIMIT, sheaf_finish(w, &err));
	assert_message("(--allow large writes it anyway)");
	assert_null(strstr(err.message, "make chunks smaller"));
	sheaf_close(d);
	free(step);
	end_context(cx);
}

static void test_many_more_rows_than_entries(void **state)
{
	(void)state;
	assert_false(sheaf_is_hypersparse(1 << 20, 0));
	assert_true(sheaf_is_hypersparse((1 << 20) + 1, 0));
	assert_false(sheaf_is_hypersparse(64 << 20, 1 << 20));
	assert_true(sheaf_is_hypersparse((64 << 20) + 64, 1 << 20));
	assert_false(sheaf_is_hypersparse(1 << 27, -1));
	assert_true(sheaf_is_hypersparse((1 << 27) + 1, -1));
}

static void test_layout_instead_of_another(void **state)
{
	(void)state;
	record r;
	begin(&r, (sheaf_context_options){0});
	assert_ok(sheaf_report_layout(r.cx, "a.h5", 1 << 21, "DCSR", "CSR", &err));
	assert_int_equal(r.n, 1);
	assert_text("a.h5: expected not many more rows than entries, for layout CSR, found "
	            "2097152 rows; it is stored as DCSR (--layout CSR keeps to that)",
	            r.found[0].text);
	end(&r);
}

/* ---- memory ---- */

/* Kilobytes of mapped files that are resident. */
static int64_t resident_files(void)
{
	char line[128];
	long kilobytes = -1;
	FILE *status = fopen("/proc/self/status", "r");
	assert_non_null(status);
	while (fgets(line, sizeof line, status))
		if (sscanf(line, "RssFile: %ld", &kilobytes) == 1) break;
	fclose(status);
	return kilobytes;
}

static void write_one_chunk(const char *name, int64_t rows)
{
	enum { DIM = 250 };
	sheaf_context *cx = usual_context();
	const sheaf_setting setting = {"chunk-bytes", "1G"};
	sheaf_create_options options = {.size = sizeof options, .settings = &setting, .nsettings = 1};
	table t = new_table(cx);
	add_stream(&t, "A", false, DIM, SHEAF_F32);
	add_stream(&t, "B", true, DIM, SHEAF_F32);
	filler dense, sparse;
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	begin_filling(&dense, &t.schema.fields[0], cx), begin_filling(&sparse, &t.schema.fields[1], cx);
	for (int64_t r = 0; r < 1000; r++) {
		for (int i = 0; i < DIM; i++) fill_value(&dense, -1, i);
		for (int i = 0; i < DIM; i++) fill_value(&sparse, i, i);
		end_sample(&dense), end_row(&dense), end_sample(&sparse), end_row(&sparse);
	}
	finish_filling(&dense, &t.frame.columns[0]), finish_filling(&sparse, &t.frame.columns[1]);
	t.frame.nrows = 1000;
	sheaf_writer *w;
	assert_ok(sheaf_create(in_folder(name), &t.schema, &options, cx, &w, &err));
	for (int64_t r = 0; r < rows; r += 1000) assert_ok(sheaf_write(w, &t.frame, &err));
	assert_ok(sheaf_finish(w, &err));
	free_table(&t);
	end_context(cx);
}

/* A chunk much larger than the limit streams, and its pages do not stay. */
static void test_a_large_chunk(void **state)
{
	(void)state;
	enum { ROWS = 32000, MOST = 40 << 10 };
	sheaf_context_options options = {.size = sizeof options, .max_memory = 24 << 20, .threads = 2};
	sheaf_context *cx = context_with(&options);
	sheaf_dataset *d;
	const sheaf_frame *frame;
	sheaf_facts facts;
	int64_t before = resident_files(), rows = 0;
	write_one_chunk("a.cbf", ROWS);
	assert_ok(sheaf_open(in_folder("a.cbf"), NULL, cx, &d, &err));
	sheaf_dataset_facts(d, &facts);
	assert_int_equal(facts.chunks, 1);
	while (sheaf_next(d, &frame, &err) == SHEAF_OK) {
		rows += frame->nrows;
		if (resident_files() - before > MOST)
			fail_msg("expected at most %d kB of the file in memory, found %ld", MOST,
			         (long)(resident_files() - before));
	}
	assert_int_equal(rows, ROWS);
	sheaf_close(d);
	end_context(cx);
}

enum { STREAMS = 20000 };

/* In one line: STREAMS of them are 170 kB. */
static void write_many_streams(const char *name, int n)
{
	char *text = malloc((size_t)n * 16), *at = text;
	assert_non_null(text);
	for (int i = 0; i < n; i++) at += sprintf(at, "|%x 1%c", i, i + 1 < n ? ' ' : '\n');
	write_text(name, text);
	free(text);
}

/* Streams cost what they use: at most 750 bytes each to open, and some 300 more to read. */
static void test_many_streams(void **state)
{
	(void)state;
	enum { TO_OPEN = 750, TO_READ = 1080 };
	sheaf_context_options options = {.size = sizeof options, .threads = 1};
	sheaf_context *cx = context_with(&options);
	sheaf_dataset *d;
	const sheaf_frame *frame;
	int64_t opened, read;
	write_many_streams("a.ctf", STREAMS);
	assert_ok(sheaf_open(in_folder("a.ctf"), NULL, cx, &d, &err));
	sheaf_context_memory(cx, &opened);
	assert_ok(sheaf_next(d, &frame, &err));
	assert_int_equal(frame->ncolumns, STREAMS + 1);
	sheaf_context_memory(cx, &read);
	if (opened > STREAMS * (int64_t)TO_OPEN || read > STREAMS * (int64_t)TO_READ)
		fail_msg("expected at most %d and %d bytes for each stream, found %ld and %ld", TO_OPEN, TO_READ,
		         (long)(opened / STREAMS), (long)(read / STREAMS));
	sheaf_close(d);
	end_context(cx);
}

/* Each name is looked up among the earlier ones: a linear search would take an hour. */
static void test_names_of_many_streams(void **state)
{
	(void)state;
	enum { MANY = 1000000 };
	sheaf_context_options options = {.size = sizeof options, .threads = 1};
	sheaf_context *cx = context_with(&options);
	sheaf_schema schema = {.cx = cx};
	char name[32];
	assert_ok(sheaf_schema_add_keys(&schema, &err));
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "stream%d", i);
		assert_ok(sheaf_schema_add_sparse(&schema, name, 2, SHEAF_F32, &err));
	}
	assert_ok(sheaf_schema_add_dense(&schema, "key", 1, SHEAF_F32, &err));
	static const char *const twice[] = {"key", "stream0", "stream500000", "stream999999"};
	for (size_t i = 0; i < COUNT(twice); i++) {
		assert_int_equal(sheaf_schema_add_sparse(&schema, twice[i], 2, SHEAF_F32, &err), SHEAF_USAGE);
		assert_message("expected each name once, found");
	}
	assert_int_equal(schema.nfields, MANY + 2);
	sheaf_schema_free(&schema);
	end_context(cx);
}

/* Bytes in use, and their peak. */
typedef struct usage {
	int64_t now, most;
} usage;

static void *count_most(void *user, void *memory, size_t old_bytes, size_t new_bytes)
{
	usage *u = (usage *)user;
	void *fresh = NULL;
	if (new_bytes && posix_memalign(&fresh, 64, new_bytes) != 0) return NULL;
	u->now += (int64_t)new_bytes;
	if (u->now > u->most) u->most = u->now;
	if (memory && fresh) memcpy(fresh, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
	u->now -= (int64_t)old_bytes;
	free(memory);
	return fresh;
}

/* Converting has two schemas and two frames at a time: unchanged columns are not copied. */
static void test_converting_many_streams(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int64_t most; /* of each stream */
	} outputs[] = {{"b.ctf", 1280}, {"b.cbf", 1200}};
	write_many_streams("a.ctf", STREAMS);
	for (size_t i = 0; i < COUNT(outputs); i++) {
		usage u = {0};
		sheaf_context_options options = {
			.size = sizeof options, .threads = 1, .reallocate = count_most, .user = &u};
		sheaf_context *cx = context_with(&options);
		const char *input = in_folder("a.ctf");
		assert_ok(sheaf_convert(&input, 1, in_folder(outputs[i].name), NULL, cx, &err));
		end_context(cx);
		assert_int_equal(u.now, 0);
		if (u.most > STREAMS * outputs[i].most)
			fail_msg("%s: expected at most %ld bytes for each stream, found %ld", outputs[i].name,
			         (long)outputs[i].most, (long)(u.most / STREAMS));
	}
}

/* What is counted of a stream takes memory as it is needed. */
static void test_statistics_of_many_streams(void **state)
{
	(void)state;
	enum { MOST = 6500 /* of each stream; a quarter is the pictures of the first ones */ };
	usage u = {0};
	sheaf_context_options options = {
		.size = sizeof options, .threads = 1, .reallocate = count_most, .user = &u};
	sheaf_context *cx = context_with(&options);
	sheaf_dataset *d;
	sheaf_summary *s;
	const sheaf_frame *frame;
	write_many_streams("a.ctf", STREAMS);
	assert_ok(sheaf_open(in_folder("a.ctf"), NULL, cx, &d, &err));
	assert_ok(sheaf_summary_new(sheaf_dataset_schema(d), cx, &s, &err));
	assert_ok(sheaf_next(d, &frame, &err));
	assert_ok(sheaf_summary_add(s, frame, 0, &err));
	sheaf_summary_free(s);
	sheaf_close(d);
	end_context(cx);
	assert_int_equal(u.now, 0);
	if (u.most > STREAMS * (int64_t)MOST)
		fail_msg("expected at most %d bytes for each stream, found %ld", MOST, (long)(u.most / STREAMS));
}

/* Seconds of the processor. */
static double time_to_convert(int streams, const char *output)
{
	sheaf_context_options options = {.size = sizeof options, .threads = 1};
	sheaf_context *cx = context_with(&options);
	const char *input = in_folder("a.ctf");
	write_many_streams("a.ctf", streams);
	clock_t begun = clock();
	assert_ok(sheaf_convert(&input, 1, in_folder(output), NULL, cx, &err));
	double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
	end_context(cx);
	remove(in_folder(output));
	return seconds;
}

/* Were all streams before one gone through for it, ten times as many would take a hundred times as long. */
static void test_time_of_many_streams(void **state)
{
	(void)state;
	static const char *const outputs[] = {"b.ctf", "b.cbf"};
	for (size_t i = 0; i < COUNT(outputs); i++) {
		double few = time_to_convert(STREAMS, outputs[i]), many = time_to_convert(10 * STREAMS, outputs[i]);
		if (many > 40 * few)
			fail_msg(
				"%s: expected ten times as many streams to take at most 40 times as long, found %.3f and "
				"%.3f s",
				outputs[i], few, many);
	}
}

/* Each line of 12 bytes names a column of its own: the table has 3,000 places for each. */
static void test_columns_of_lines(void **state)
{
	(void)state;
	enum { LINES = 3000, LIMIT = 8 << 20 };
	sheaf_context_options options = {.size = sizeof options, .threads = 1, .max_memory = LIMIT};
	sheaf_context *cx = context_with(&options);
	char *text = malloc(LINES * 20), *at = text;
	sheaf_dataset *d;
	const sheaf_frame *frame;
	assert_non_null(text);
	for (int i = 0; i < LINES; i++) at += sprintf(at, "{\"c%d\": %d}\n", i, i);
	write_text("a.jsonl", text);
	free(text);
	assert_ok(sheaf_open(in_folder("a.jsonl"), NULL, cx, &d, &err));
	assert_int_equal(sheaf_next(d, &frame, &err), SHEAF_LIMIT);
	assert_message("(each line is read with a place for all 3000 columns)");
	sheaf_close(d);
	end_context(cx);
}

/* ---- what is there and what is not ---- */

/* A file with bytes that no text has is not of a text format, whatever its name. */
static void test_recognition_of_control_bytes(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		sheaf_bytes bytes;
	} files[] = {{"a.tns", {(const uint8_t *)"1 2\001\n", 5}},
	             {"a.svmlight", {(const uint8_t *)"1 2:3\0\n", 7}},
	             {"a", {(const uint8_t *)"\0\0[0] I:1;", 11}}};
	sheaf_context *plain = usual_context();
	sheaf_dataset *d;
	for (size_t i = 0; i < COUNT(files); i++) {
		assert_int_not_equal(SHEAF_OK, open_bytes(files[i].bytes, files[i].name, NULL, plain, &d));
		assert_message("found content of none of");
	}
	end_context(plain);
}

/* Zeros of a dense tensor are entries as it is stored and none as it is meant; those that a sparse one has
 * are entries always. */
static void test_zeros_of_tensors(void **state)
{
	(void)state;
	static const char dense[] = "%%MatrixMarket matrix array real general\n2 1\n0\n3\n",
					  sparse[] = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0\n2 2 3\n";
	static const struct {
		const char *text;
		sheaf_entries_as entries;
		int64_t rows;
	} all[] = {{dense, SHEAF_ENTRIES_STORED, 2},
	           {dense, SHEAF_ENTRIES_CONTENT, 1},
	           {sparse, SHEAF_ENTRIES_STORED, 2},
	           {sparse, SHEAF_ENTRIES_CONTENT, 2}};
	sheaf_context *plain = usual_context();
	for (size_t i = 0; i < COUNT(all); i++) {
		sheaf_dataset *d;
		sheaf_frame frame = {0};
		sheaf_open_options options = {.size = sizeof options,
		                              .rows = SHEAF_TAKES_ENTRIES,
		                              .tensor = &(sheaf_tensor_options){.entries = all[i].entries}};
		sheaf_bytes bytes = {(const uint8_t *)all[i].text, strlen(all[i].text)};
		assert_ok(open_bytes(bytes, "a.mtx", &options, plain, &d));
		assert_ok(sheaf_read_all(d, &frame, &err));
		assert_int_equal(all[i].rows, frame.nrows);
		sheaf_frame_free(&frame);
		sheaf_close(d);
	}
	end_context(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound_of_a_sink),
		cmocka_unit_test_setup_teardown(test_bound_of_a_random_sink, make_folder, remove_folder),
		cmocka_unit_test(test_bound_of_a_writer),
		cmocka_unit_test(test_bound_of_chunks),
		cmocka_unit_test(test_many_more_rows_than_entries),
		cmocka_unit_test(test_layout_instead_of_another),
		cmocka_unit_test_setup_teardown(test_a_large_chunk, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_many_streams, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_converting_many_streams, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_statistics_of_many_streams, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_time_of_many_streams, make_folder, remove_folder),
		cmocka_unit_test(test_names_of_many_streams),
		cmocka_unit_test_setup_teardown(test_columns_of_lines, make_folder, remove_folder),
		cmocka_unit_test(test_recognition_of_control_bytes),
		cmocka_unit_test(test_zeros_of_tensors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
