/* SPDX-License-Identifier: MIT */
/* Parts whose bytes go to their places in the output while the parts are made, as by processes that share a
 * file: here the processes are functions. */
#include "with_context.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 5 };

/* A part: all of its bytes, and which of them have a place in the output. */
typedef struct placed_part {
	bytes_sink bytes;
	int64_t at; /* in the output; -1: not known */
	size_t begin, end;
	int calls; /* of place_part */
} placed_part;

typedef struct job {
	const char *input, *output;
	sheaf_convert_options options;
	int n;
	placed_part parts[MOST];
	int fd; /* of the output */
	int64_t left_out, filled;
} job;

/* ---- making parts ---- */

static sheaf_status open_sink(void *user, sheaf_context *context, sheaf_sink **out, sheaf_error *error)
{
	placed_part *part = (placed_part *)user;
	part->bytes.size = 0;
	part->calls = 0;
	part->at = -1;
	return sheaf_sink_function(write_bytes, &part->bytes, "part", context, out, error);
}

static sheaf_status place(void *user, int64_t at, sheaf_error *error)
{
	placed_part *part = (placed_part *)user;
	(void)error;
	part->calls++;
	if (part->calls == 1) {
		part->at = at;
		part->begin = part->bytes.size;
	}
	part->end = part->bytes.size;
	return SHEAF_OK;
}

static void make_parts(job *j)
{
	for (int p = 0; p < j->n; p++) {
		char part[24];
		snprintf(part, sizeof part, "%d/%d", p + 1, j->n);
		sheaf_convert_options options = j->options;
		options.part = part;
		options.open_part = open_sink;
		options.place_part = place;
		options.part_user = &j->parts[p];
		assert_ok(sheaf_convert(&j->input, 1, j->output, &options, cx, &err));
	}
}

static job new_job(const char *input, const char *output, int n)
{
	static sheaf_setting small = {"chunk-bytes", "700"};
	job j = {.input = in_folder(input), .output = in_folder(output), .n = n, .fd = -1};
	j.options = (sheaf_convert_options){.size = sizeof j.options, .piece_bytes = 300, .force = true};
	if (strstr(output, ".cbf")) {
		j.options.settings = &small;
		j.options.nsettings = 1;
	}
	return j;
}

static void free_job(job *j)
{
	for (int p = 0; p < j->n; p++) free_bytes(&j->parts[p].bytes);
	if (j->fd >= 0) close(j->fd);
}

/* ---- the places ---- */

static int begin(void **state)
{
	bytes_sink ctf = {0}, csv = {0};
	char line[96];
	if (make_folder(state) || make_context(state)) return -1;
	write_bytes(&csv, "a,b\n", 4);
	for (int i = 0; i < 300; i++) {
		int n = snprintf(line, sizeof line, "%d |x %d 1.5 |y %d:1%s\n", i / 2, i % 13, i % 7,
		                 i % 3 ? "" : " 9:2");
		write_bytes(&ctf, line, (size_t)n);
		n = snprintf(line, sizeof line, "%d,x%d\n", i * 7, i);
		write_bytes(&csv, line, (size_t)n);
	}
	write_file("a.ctf", ctf.data, ctf.size);
	write_file("a.csv", csv.data, csv.size);
	free_bytes(&ctf);
	free_bytes(&csv);
	return 0;
}

static int end(void **state) { return drop_context(state) || remove_folder(state); }

static void write_index(const char *name)
{
	sheaf_dataset *dataset;
	const sheaf_open_options options = {.size = sizeof options, .piece_bytes = 300, .random = true};
	assert_ok(sheaf_open(in_folder(name), &options, cx, &dataset, &err));
	assert_ok(sheaf_dataset_write_index(dataset, &err));
	sheaf_close(dataset);
}

/* Whether the part's bytes are those of the output at its place. */
static void check_place(const placed_part *part, const bytes_sink *output)
{
	size_t size = part->end - part->begin;
	assert_true(part->begin == 64 && part->end > part->begin && part->end < part->bytes.size);
	assert_true((size_t)part->at + size <= output->size);
	assert_memory_equal(output->data + part->at, part->bytes.data + part->begin, size);
}

/* How many of n parts have a place. */
static int count_places(const char *input, const char *output, int n)
{
	int places = 0;
	char serial[32];
	snprintf(serial, sizeof serial, "serial.%s", strchr(output, '.') + 1);
	job whole = new_job(input, serial, 0), j = new_job(input, output, n);
	assert_ok(sheaf_convert(&whole.input, 1, whole.output, &whole.options, cx, &err));
	bytes_sink expected = read_file(serial);
	make_parts(&j);
	for (int p = 0; p < n; p++) {
		bool has_rows = j.parts[p].end > j.parts[p].begin;
		assert_int_equal(1 + has_rows, j.parts[p].calls);
		if (j.parts[p].at < 0) continue;
		check_place(&j.parts[p], &expected);
		places++;
	}
	free_bytes(&expected);
	free_job(&j);
	return places;
}

static void places_are_known_where_sizes_are(void **state)
{
	(void)state;
	for (int indexed = 0; indexed < 2; indexed++) {
		for (int n = 1; n <= MOST; n++) assert_int_equal(n, count_places("a.ctf", "x.cbf", n));
		assert_int_equal(1, count_places("a.ctf", "x.ctf", 3));
		assert_int_equal(0, count_places("a.csv", "x.csv", 3));
		assert_int_equal(1, count_places("a.csv", "x.jsonl", 2));
		write_index("a.ctf");
	}
}

static void there_are_more_parts_than_chunks(void **state)
{
	(void)state;
	write_text("one.ctf", "|x 1 2\n");
	assert_int_equal(1, count_places("one.ctf", "x.cbf", 4));
}

/* ---- an output that others write ---- */

static sheaf_source *source_of(const bytes_sink *bytes)
{
	sheaf_source *source;
	assert_ok(sheaf_source_memory((sheaf_bytes){bytes->data, bytes->size}, "part", cx, &source, &err));
	return source;
}

static sheaf_sink *open_output(job *j)
{
	char path[PATH_MAX];
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(j->output, cx, &sink, &err));
	assert_true(sheaf_sink_temporary(sink, path, sizeof path));
	assert_false(sheaf_sink_temporary(sink, path, 4));
	assert_true(sheaf_sink_temporary(sink, path, sizeof path));
	j->fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(j->fd >= 0);
	return sink;
}

static void write_at(const job *j, const void *data, size_t size, int64_t at)
{
	assert_int_equal(size, pwrite(j->fd, data, size, (off_t)at));
}

/* The merge asks for bytes exactly where they are already. */
static void leave_out(void *user, int number, int64_t from, int64_t to, int64_t size)
{
	job *j = (job *)user;
	const placed_part *part = &j->parts[number];
	assert_true(from >= (int64_t)part->begin && from + size <= (int64_t)part->end);
	assert_int_equal(part->at + (from - (int64_t)part->begin), to);
	j->left_out += size;
}

static sheaf_status fill(void *user, const char *path, sheaf_error *error)
{
	job *j = (job *)user;
	(void)error;
	assert_int_equal(0, access(path, W_OK));
	j->filled++;
	return SHEAF_OK;
}

static sheaf_status merge(job *j, int n, sheaf_sink *sink)
{
	int64_t rows;
	sheaf_source *sources[MOST];
	const sheaf_gathering_options how = {.size = sizeof how,
	                                     .output = j->output,
	                                     .force = true,
	                                     .leave_out = leave_out,
	                                     .fill = fill,
	                                     .user = j,
	                                     .output_sink = sink};
	for (int p = 0; p < n; p++) sources[p] = source_of(&j->parts[p].bytes);
	return sheaf_merge_sources(sources, n, &how, cx, &rows, &err);
}

/* Also if somebody has written more before than the output has. */
static void bytes_in_their_places_are_the_output(void **state)
{
	(void)state;
	uint8_t more[4096];
	memset(more, 'x', sizeof more);
	job whole = new_job("a.ctf", "serial.cbf", 0);
	assert_ok(sheaf_convert(&whole.input, 1, whole.output, &whole.options, cx, &err));
	bytes_sink expected = read_file("serial.cbf");
	for (int n = 1; n <= 3; n++) {
		int64_t size = 0;
		job j = new_job("a.ctf", "ours.cbf", n);
		make_parts(&j);
		sheaf_sink *sink = open_output(&j);
		for (int p = 0; p < n; p++) {
			const placed_part *part = &j.parts[p];
			write_at(&j, part->bytes.data + part->begin, part->end - part->begin, part->at);
			size += (int64_t)(part->end - part->begin);
		}
		write_at(&j, more, sizeof more, (int64_t)expected.size - 8);
		assert_ok(merge(&j, n, sink));
		assert_int_equal(size, j.left_out);
		assert_int_equal(1, j.filled);
		bytes_sink found = read_file("ours.cbf");
		assert_same_bytes(&expected, &found);
		free_bytes(&found);
		free_job(&j);
	}
	free_bytes(&expected);
}

static void a_merge_that_fails_leaves_no_output(void **state)
{
	(void)state;
	int before = files_in_folder();
	job j = new_job("a.ctf", "new.cbf", 3);
	make_parts(&j);
	sheaf_sink *sink = open_output(&j);
	assert_int_equal(before + 1, files_in_folder());
	assert_status(SHEAF_USAGE, merge(&j, 2, sink));
	assert_message("part 3/3 missing");
	assert_int_equal(before, files_in_folder());
	free_job(&j);
}

static void other_sinks_have_no_temporary_file(void **state)
{
	(void)state;
	char path[PATH_MAX];
	sheaf_sink *sink;
	bytes_sink bytes = {0};
	assert_false(sheaf_sink_temporary(NULL, path, sizeof path));
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "bytes", cx, &sink, &err));
	assert_false(sheaf_sink_temporary(sink, path, sizeof path));
	sheaf_sink_abandon(sink);
	assert_ok(sheaf_sink_path(in_folder("x.ctf.gz"), cx, &sink, &err));
	assert_false(sheaf_sink_temporary(sink, path, sizeof path));
	sheaf_sink_abandon(sink);
	assert_ok(sheaf_sink_path("-", cx, &sink, &err));
	assert_false(sheaf_sink_temporary(sink, path, sizeof path));
	sheaf_sink_abandon(sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(places_are_known_where_sizes_are, begin, end),
		cmocka_unit_test_setup_teardown(there_are_more_parts_than_chunks, begin, end),
		cmocka_unit_test_setup_teardown(bytes_in_their_places_are_the_output, begin, end),
		cmocka_unit_test_setup_teardown(a_merge_that_fails_leaves_no_output, begin, end),
		cmocka_unit_test_setup_teardown(other_sinks_have_no_temporary_file, begin, end),
	};
	return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
