/* SPDX-License-Identifier: MIT */
/* Index files: where they are, when they are written, by whom, and how rows are passed over with them. */
#include "base/third/filled.h"
#include "dataset/dataset.h"
#include "index_support.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- where it is, and when it is written ---- */

static void read_to_end(const char *name, const sheaf_open_options *options)
{
	char hash[33];
	sheaf_dataset *dataset = open_file(name, options);
	assert_ok(hash_dataset(dataset, true, true, hash));
	sheaf_close(dataset);
}

static void test_policies_of_a_small_file(void **state)
{
	(void)state;
	sheaf_open_options options = opening(SHEAF_INDEX_USE);
	const sheaf_frame *frame;
	write_text("a.ctf", sequences);
	read_to_end("a.ctf", &options);
	options.index = SHEAF_INDEX_AUTO;
	read_to_end("a.ctf", &options);
	options.index = SHEAF_INDEX_NEVER;
	read_to_end("a.ctf", &options);
	assert_false(file_exists(index_of("a.ctf")));
	options.index = SHEAF_INDEX_WRITE;
	sheaf_dataset *dataset = open_file("a.ctf", &options);
	assert_ok(sheaf_next(dataset, &frame, &err)); /* not to the end */
	sheaf_close(dataset);
	assert_false(file_exists(index_of("a.ctf")));
	read_to_end("a.ctf", &options);
	assert_true(file_exists(index_of("a.ctf")));
	assert_int_equal(warnings, 0);
	assert_nothing_changes("a.ctf");
	options.index = SHEAF_INDEX_REQUIRE;
	assert_true(is_fresh("a.ctf", &options));
	options.index = SHEAF_INDEX_NEVER;
	dataset = open_file("a.ctf", &options);
	assert_ok(sheaf_dataset_check_index(dataset, &err));
	sheaf_close(dataset);
	assert_false(is_fresh("a.ctf", &options));
}

/* 65 MiB of lines that are mostly a comment. */
static void write_large(const char *name)
{
	enum { LINE = 1000, LINES = (65 << 20) / LINE };
	char line[LINE + 1];
	FILE *file = fopen(in_folder(name), "w");
	for (int l = 0; l < LINES; l++) {
		int n = snprintf(line, sizeof line, "%d |A %d |# ", l / 3, l % 10);
		memset(line + n, 'x', (size_t)(LINE - 1 - n));
		line[LINE - 1] = '\n';
		assert_int_equal(fwrite(line, 1, LINE, file), LINE);
	}
	assert_int_equal(fclose(file), 0);
	set_time(name, time_of(name) - 1000000000);
}

static void test_auto_writes_the_index_of_a_large_file(void **state)
{
	(void)state;
	sheaf_open_options automatic = {.size = sizeof automatic, .index = SHEAF_INDEX_AUTO},
					   never = {.size = sizeof never, .index = SHEAF_INDEX_NEVER};
	sheaf_open_options wrong = automatic;
	static const sheaf_setting missing = {"stream", "A:1:sparse"};
	sheaf_context_options tolerant = {.size = sizeof tolerant, .max_errors = INT64_MAX};
	write_large("a.ctf");
	end_context(cx);
	cx = context_with(&tolerant);
	wrong.settings = &missing;
	wrong.nsettings = 1;
	sheaf_dataset *dataset =
		open_file("a.ctf", &wrong); /* every sample is an error: none of it becomes an index */
	const sheaf_frame *frame;
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK) {
	}
	sheaf_close(dataset);
	assert_false(file_exists(index_of("a.ctf")));
	end_context(cx);
	cx = usual_context();
	read_to_end("a.ctf", &automatic);
	assert_true(is_fresh("a.ctf", &automatic));
	dataset = open_file("a.ctf", &never);
	assert_ok(sheaf_dataset_check_index(dataset, &err));
	sheaf_close(dataset);
}

/* A folder that cannot be written: even for root, a file cannot replace a folder. */
static void test_cache_folder(void **state)
{
	(void)state;
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	sheaf_index_info info;
	write_text("a.ctf", sequences);
	mkdir(in_folder(index_of("a.ctf")), S_IRWXU);
	make_index("a.ctf", NULL, 0);
	sheaf_dataset *dataset = open_file("a.ctf", &require);
	sheaf_dataset_index(dataset, &info);
	assert_int_equal(strncmp(info.path, in_folder("cache/sheaf/"), strlen(in_folder("cache/sheaf/"))), 0);
	sheaf_close(dataset);
	assert_nothing_changes("a.ctf");
	rmdir(in_folder(index_of("a.ctf")));
}

static void test_cache_folder_of_the_home(void **state)
{
	(void)state;
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	const char *home = getenv("HOME");
	setenv("XDG_CACHE_HOME", "not/absolute", 1);
	setenv("HOME", in_folder(""), 1);
	write_text("a.ctf", sequences);
	mkdir(in_folder(index_of("a.ctf")), S_IRWXU);
	make_index("a.ctf", NULL, 0);
	assert_true(is_fresh("a.ctf", &require));
	assert_true(file_exists(".cache/sheaf"));
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/dev/null", 1); /* no place is left */
	sheaf_open_options write = opening(SHEAF_INDEX_WRITE);
	read_to_end("a.ctf", &write);
	assert_int_equal(warnings, 1);
	assert_string_equal(last_rule, "index not written");
	if (home) setenv("HOME", home, 1);
	rmdir(in_folder(index_of("a.ctf")));
}

static void test_nothing_else_is_replaced(void **state)
{
	(void)state;
	sheaf_open_options write = opening(SHEAF_INDEX_WRITE);
	write_text("a.ctf", sequences);
	write_text(index_of("a.ctf"), "somebody's notes, which are longer than the beginning of an index\n");
	sheaf_dataset *dataset = open_file("a.ctf", &write);
	assert_status(SHEAF_UNKNOWN, sheaf_dataset_write_index(dataset, NULL, &err));
	assert_message("expected an index, found another file");
	sheaf_close(dataset);
	read_to_end("a.ctf", &write);
	assert_int_equal(warnings, 1);
	bytes_sink notes = read_file(index_of("a.ctf"));
	assert_memory_equal(notes.data, "somebody's notes", 16);
	free_bytes(&notes);
}

static void test_a_link_is_not_replaced(void **state)
{
	(void)state;
	struct stat info;
	char link[200];
	snprintf(link, sizeof link, "%s", in_folder(index_of("a.ctf")));
	write_text("a.ctf", sequences);
	write_text("elsewhere", "somebody's notes");
	unlink(link);
	assert_int_equal(symlink("elsewhere", link), 0);
	make_index("a.ctf", NULL, 0);
	assert_int_equal(lstat(link, &info), 0);
	assert_true(S_ISLNK(info.st_mode));
	unlink(link);
}

/* An index is only for users who may read the file, whatever the umask and an older index. */
static void test_index_is_as_private_as_its_input(void **state)
{
	(void)state;
	static const mode_t modes[] = {0600, 0640, 0644, 0666, 0755, 0400};
	struct stat info;
	for (size_t i = 0; i < COUNT(modes); i++) {
		mode_t mask = umask(i % 2 ? 022 : 0);
		write_text("x.ctf", sequences);
		assert_int_equal(chmod(in_folder("x.ctf"), modes[i]), 0);
		for (int again = 0; again < 2; again++) {
			make_index("x.ctf", NULL, 0);
			assert_int_equal(stat(in_folder(index_of("x.ctf")), &info), 0);
			assert_int_equal(info.st_mode & 0777, modes[i] & 0644);
		}
		unlink(in_folder("x.ctf"));
		umask(mask);
	}
}

static void test_fifo_is_not_waited_for(void **state)
{
	(void)state;
	write_text("a.ctf", sequences);
	assert_int_equal(mkfifo(in_folder(index_of("a.ctf")), S_IRWXU), 0);
	assert_nothing_changes("a.ctf");
	make_index("a.ctf", NULL, 0);
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	assert_true(is_fresh("a.ctf", &require)); /* in the cache folder */
}

static void refuse_index(const char *name, sheaf_index_policy policy)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = opening(policy);
	assert_status(SHEAF_UNSUPPORTED, sheaf_open(in_folder(name), &options, cx, &dataset, &err));
	assert_message("expected an uncompressed regular file, found gzip");
}

static void test_compressed_input_has_no_index(void **state)
{
	(void)state;
	sheaf_open_options automatic = opening(SHEAF_INDEX_AUTO);
	sheaf_index_info info;
	gzFile packed = gzopen(in_folder("a.ctf.gz"), "wb");
	SHEAF_UNSEEN_BEGIN();
	assert_true(gzwrite(packed, sequences, sizeof sequences - 1) > 0);
	gzclose(packed);
	SHEAF_UNSEEN_END();
	refuse_index("a.ctf.gz", SHEAF_INDEX_REQUIRE);
	refuse_index("a.ctf.gz", SHEAF_INDEX_WRITE);
	sheaf_dataset *dataset = open_file("a.ctf.gz", &automatic);
	sheaf_dataset_index(dataset, &info);
	assert_true(!info.fresh && !info.path);
	assert_status(SHEAF_UNSUPPORTED, sheaf_dataset_write_index(dataset, NULL, &err));
	sheaf_close(dataset);
}

static void test_input_that_changes_while_it_is_read(void **state)
{
	(void)state;
	sheaf_open_options write = opening(SHEAF_INDEX_WRITE);
	const sheaf_frame *frame;
	write_text("a.ctf", sequences);
	sheaf_dataset *dataset = open_file("a.ctf", &write);
	assert_ok(sheaf_next(dataset, &frame, &err));
	set_time("a.ctf", time_of("a.ctf") + 1);
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK) {
	}
	sheaf_close(dataset);
	assert_false(file_exists(index_of("a.ctf")));
	assert_int_equal(warnings, 1);
}

/* ---- several at once ---- */

enum { WRITERS = 3, ROUNDS = 20 };

static void *write_again_and_again(void *user)
{
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER);
	for (int round = 0; round < ROUNDS; round++) {
		sheaf_dataset *dataset;
		if (sheaf_open((const char *)user, &never, cx, &dataset, NULL)) return user;
		sheaf_status status = sheaf_dataset_write_index(dataset, NULL, NULL);
		sheaf_close(dataset);
		if (status) return user;
	}
	return NULL;
}

static void test_writers_and_readers_at_once(void **state)
{
	(void)state;
	pthread_t threads[WRITERS];
	sheaf_open_options use = opening(SHEAF_INDEX_USE);
	char path[200];
	write_indexed("a.ctf");
	snprintf(path, sizeof path, "%s", in_folder("a.ctf"));
	for (int t = 0; t < WRITERS; t++)
		assert_int_equal(pthread_create(&threads[t], NULL, write_again_and_again, path), 0);
	for (int round = 0; round < ROUNDS; round++) assert_true(is_fresh("a.ctf", &use));
	for (int t = 0; t < WRITERS; t++) {
		void *failed;
		pthread_join(threads[t], &failed);
		assert_null(failed);
	}
	assert_true(is_fresh("a.ctf", &use));
	assert_int_equal(files_in_folder(), 3); /* and the cache folder: no temporary is left */
}

/* ---- passing over rows ---- */

static int64_t first_row_behind(sheaf_dataset *dataset, int64_t rows, char *text, size_t size)
{
	const sheaf_frame *frame;
	sheaf_buffer line = {0};
	sheaf_status status = SHEAF_OK;
	int64_t at = -1;
	text[0] = '\0';
	assert_ok(sheaf_skip(dataset, rows, &err));
	while (at < 0 && (status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		int64_t begin = sheaf_dataset_row(dataset);
		if (begin + frame->nrows <= rows) continue;
		at = begin;
		assert_ok(sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON, begin, rows - begin,
		                          rows - begin + 1, &line, &err));
		snprintf(text, size, "%.*s", (int)line.size, (const char *)line.data);
		sheaf_buffer_reset(&line);
	}
	assert_true(status == SHEAF_OK || status == SHEAF_END);
	return at;
}

static void test_rows_are_passed_over(void **state)
{
	(void)state;
	sheaf_open_options options[] = {opening(SHEAF_INDEX_NEVER), opening(SHEAF_INDEX_REQUIRE)};
	char wanted[1000], found[1000];
	sheaf_frame all;
	sheaf_buffer line = {0};
	write_indexed("a.ctf");
	sheaf_dataset *dataset = open_file("a.ctf", &options[0]);
	assert_ok(sheaf_read_all(dataset, &all, &err));
	for (int64_t row = 0; row < all.nrows + 2; row++)
		for (size_t o = 0; o < COUNT(options); o++) {
			sheaf_dataset *other = open_file("a.ctf", &options[o]);
			int64_t at = first_row_behind(other, row, found, sizeof found);
			wanted[0] = '\0';
			if (row < all.nrows) {
				assert_ok(sheaf_rows_text(&all, sheaf_dataset_schema(dataset), SHEAF_JSON, 0, row, row + 1,
				                          &line, &err));
				snprintf(wanted, sizeof wanted, "%.*s", (int)line.size, (const char *)line.data);
			}
			assert_string_equal(wanted, found);
			if (row == 6) assert_true(at > 3); /* not all of it was read */
			sheaf_close(other);
		}
	sheaf_buffer_reset(&line);
	sheaf_frame_free(&all);
	sheaf_close(dataset);
}

static void test_rows_passed_over_are_not_read(void **state)
{
	(void)state;
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER);
	static const sheaf_setting stream = {"stream", "A:1:dense"};
	char text[200];
	never.settings = &stream;
	never.nsettings = 1;
	never.piece_bytes = 8;
	write_text("a.ctf", "|A x\n|A 2\n|A 3\n|A 4\n");
	sheaf_dataset *dataset = open_file("a.ctf", &never);
	assert_int_equal(first_row_behind(dataset, 3, text, sizeof text), 3);
	assert_string_equal(text, "{\"key\":3,\"streams\":{\"A\":[[4]]}}\n");
	sheaf_close(dataset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_policies_of_a_small_file),
		TEST(test_auto_writes_the_index_of_a_large_file),
		TEST(test_cache_folder),
		TEST(test_cache_folder_of_the_home),
		TEST(test_nothing_else_is_replaced),
		TEST(test_a_link_is_not_replaced),
		TEST(test_index_is_as_private_as_its_input),
		TEST(test_fifo_is_not_waited_for),
		TEST(test_compressed_input_has_no_index),
		TEST(test_input_that_changes_while_it_is_read),
		TEST(test_writers_and_readers_at_once),
		TEST(test_rows_are_passed_over),
		TEST(test_rows_passed_over_are_not_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
