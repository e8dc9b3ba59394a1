/* SPDX-License-Identifier: MIT */
/* Sources that begin again, or are read at any place. */
#include "io/source.h"
#include "io_support.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- rewinding and random access ---- */

/* Plain, then by each compression. */
static uint8_t *packed_or_plain(size_t f, const uint8_t *content, size_t size, size_t *out_size)
{
	if (f < COUNT(filters)) return compress(filters[f].suffix, content, size, out_size);
	uint8_t *copy = (uint8_t *)malloc(size + 1);
	assert_non_null(copy);
	memcpy(copy, content, size);
	*out_size = size;
	return copy;
}

enum { SIZE = 600000 };

/* An input of any kind, plain or compressed by one of the filters. */
typedef struct trial {
	input in;
	const uint8_t *content;
	const char *compression; /* NULL: plain */
	int kind;
} trial;

static void for_each_input(void (*property)(trial *t))
{
	uint8_t *content = make_content(SIZE);
	for (size_t f = 0; f <= COUNT(filters); f++) {
		size_t size;
		uint8_t *stored = packed_or_plain(f, content, SIZE, &size);
		for (int kind = 0; kind < KINDS; kind++) {
			trial t = {
				.content = content, .compression = f < COUNT(filters) ? filters[f].name : NULL, .kind = kind};
			open_input(&t.in, (enum kind)kind, stored, size);
			property(&t);
		}
		free(stored);
	}
	free(content);
}

static void is_compressed_by(const trial *t)
{
	if (t->compression) assert_string_equal(sheaf_source_compression(t->in.source), t->compression);
}

static void goes_back(trial *t)
{
	sheaf_source *source = t->in.source;
	sheaf_bytes bytes;
	sheaf_buffer taken = {0};
	assert_ok(sheaf_source_ahead(source, 100, &bytes, &err)); /* looking ahead is allowed before */
	assert_ok(sheaf_source_make_rewindable(source, &err));
	assert_ok(sheaf_source_make_rewindable(source, &err));
	assert_ok(sheaf_source_ahead(source, 1000, &bytes, &err));
	sheaf_source_take(source, 1000, &taken);
	assert_ok(sheaf_source_rewind(source, &err));
	assert_int_equal(sheaf_source_tell(source), 0);
	assert_rest(source, 50000, t->content, SIZE);
	assert_ok(sheaf_source_rewind(source, &err));
	assert_ok(sheaf_source_rewind(source, &err));
	assert_rest(source, 50000, t->content, SIZE);
	assert_memory_equal(taken.data, t->content, 1000);
	is_compressed_by(t);
	sheaf_buffer_reset(&taken);
	close_input(&t->in);
}

static void rewinds(void **state)
{
	(void)state;
	for_each_input(goes_back);
}

static void what_passes_once_says_so(void **state)
{
	(void)state;
	input in;
	sheaf_bytes bytes;
	open_input(&in, RANDOM_BYTES, (const uint8_t *)"0123456789", 10);
	assert_ok(sheaf_source_rewind(in.source, &err)); /* it stands there */
	assert_ok(sheaf_source_ahead(in.source, 5, &bytes, &err));
	sheaf_source_consume(in.source, 1);
	assert_status(SHEAF_USAGE, sheaf_source_rewind(in.source, &err));
	assert_status(SHEAF_USAGE, sheaf_source_make_rewindable(in.source, &err));
	assert_status(SHEAF_USAGE, sheaf_source_make_seekable(in.source, &err));
	assert_message("byte 1");
	assert_rest(in.source, 1, (const uint8_t *)"123456789", 9); /* no harm done */
	close_input(&in);
}

/* What could be copied only in part is not taken for the beginning of the rest. */
static void what_fails_once_fails_again(void **state)
{
	(void)state;
	uint8_t *content = make_content(SIZE);
	input in;
	sheaf_bytes bytes;
	open_input(&in, RANDOM_BYTES, content, SIZE);
	in.feed.wrong = -EIO, in.feed.fails_at = SIZE / 2;
	for (int i = 0; i < 2; i++) {
		assert_status(SHEAF_IO, sheaf_source_make_rewindable(in.source, &err));
		assert_status(SHEAF_IO, sheaf_source_make_seekable(in.source, &err));
		assert_status(SHEAF_IO, sheaf_source_rewind(in.source, &err));
		assert_status(SHEAF_IO, sheaf_source_ahead(in.source, 1, &bytes, &err));
		in.feed.wrong = 0;
	}
	close_input(&in);
	free(content);
}

static void assert_access(sheaf_source *source, const uint8_t *content, size_t size)
{
	static uint8_t bytes[5000];
	sheaf_buffer view = {0};
	for (int i = 0; i < 200; i++) {
		size_t n = (size_t)(next_random() % sizeof bytes);
		size_t at = (size_t)(next_random() % (size - n + 1));
		assert_ok(sheaf_source_read_at(source, (int64_t)at, bytes, n, &err));
		assert_memory_equal(bytes, content + at, n);
		assert_ok(sheaf_source_view_at(source, (int64_t)at, n, &view, &err));
		assert_int_equal(view.size, n);
		if (n > 0) assert_memory_equal(view.data, content + at, n);
	}
	sheaf_buffer_reset(&view);
}

static void is_read_anywhere(trial *t)
{
	sheaf_source *source = t->in.source;
	sheaf_bytes bytes;
	sheaf_buffer view = {0}, whole = {0};
	assert_status(SHEAF_USAGE, sheaf_source_read_at(source, 0, &view, 0, &err));
	assert_status(SHEAF_USAGE, sheaf_source_view_at(source, 0, 0, &view, &err));
	if (t->kind % 2) assert_ok(sheaf_source_ahead(source, 400000, &bytes, &err));
	assert_ok(sheaf_source_make_seekable(source, &err));
	assert_ok(sheaf_source_make_seekable(source, &err));
	assert_int_equal(sheaf_source_size(source), SIZE);
	assert_access(source, t->content, SIZE);
	assert_rest(source, 5000, t->content, SIZE); /* the stream still begins at its beginning */
	assert_ok(sheaf_source_rewind(source, &err));
	assert_rest(source, 70000, t->content, SIZE);
	assert_access(source, t->content, SIZE);
	assert_ok(sheaf_source_view_at(source, 0, SIZE, &whole, &err));
	assert_ok(sheaf_source_view_at(source, 77777, 5000, &view, &err));
	is_compressed_by(t);
	close_input(&t->in);
	assert_memory_equal(view.data, t->content + 77777, 5000); /* views outlive the source */
	assert_memory_equal(whole.data, t->content, SIZE);
	sheaf_buffer_reset(&view);
	sheaf_buffer_reset(&whole);
}

static void random_access(void **state)
{
	(void)state;
	for_each_input(is_read_anywhere);
}

static void access_keeps_to_the_bounds(void **state)
{
	(void)state;
	uint8_t *content = make_content(1000);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		char bytes[1000];
		sheaf_buffer view = {0};
		open_input(&in, (enum kind)kind, content, 1000);
		assert_ok(sheaf_source_make_seekable(in.source, &err));
		assert_ok(sheaf_source_read_at(in.source, 1000, bytes, 0, &err));
		assert_ok(sheaf_source_view_at(in.source, 1000, 0, &view, &err));
		assert_ok(sheaf_source_read_at(in.source, 0, bytes, 1000, &err));
		assert_status(SHEAF_SHORT, sheaf_source_read_at(in.source, 991, bytes, 10, &err));
		assert_message("byte 991");
		assert_message("10 bytes");
		assert_message("byte 1000");
		assert_status(SHEAF_SHORT, sheaf_source_view_at(in.source, 1001, 0, &view, &err));
		assert_status(SHEAF_SHORT, sheaf_source_view_at(in.source, 5, SIZE_MAX, &view, &err));
		assert_status(SHEAF_SHORT, sheaf_source_view_at(in.source, INT64_MAX, SIZE_MAX, &view, &err));
		assert_status(SHEAF_USAGE, sheaf_source_view_at(in.source, -1, 1, &view, &err));
		assert_null(view.data);
		close_input(&in);
	}
	sheaf_source *source = NULL;
	sheaf_buffer view = {0};
	write_raw(in_folder("empty"), "", 0);
	assert_ok(sheaf_source_path(in_folder("empty"), cx, &source, &err));
	assert_ok(sheaf_source_make_seekable(source, &err));
	assert_int_equal(sheaf_source_size(source), 0);
	assert_ok(sheaf_source_view_at(source, 0, 0, &view, &err));
	assert_status(SHEAF_SHORT, sheaf_source_view_at(source, 0, 1, &view, &err));
	sheaf_source_close(source);
	/* A file that is truncated after it was opened. */
	char bytes[1000];
	write_raw(in_folder("cut"), content, 1000);
	assert_ok(sheaf_source_path(in_folder("cut"), cx, &source, &err));
	assert_ok(sheaf_source_make_seekable(source, &err));
	assert_int_equal(truncate(in_folder("cut"), 500), 0);
	assert_status(SHEAF_SHORT, sheaf_source_read_at(source, 0, bytes, 1000, &err));
	assert_message("500");
	sheaf_source_close(source);
	free(content);
}

/* A file of `size` bytes with nothing on any disk, "mark" at `at`. */
static int open_sparse(int64_t size, int64_t at, char path[32])
{
	int fd = memfd_create("sparse", 0);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(pwrite(fd, "mark", 4, at), 4);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Where addresses have 32 bits, a large input is not read at random. */
static bool is_readable_at_random(sheaf_source *source)
{
	if (SIZE_MAX == UINT64_MAX) {
		assert_ok(sheaf_source_make_seekable(source, &err));
		return true;
	}
	assert_status(SHEAF_UNSUPPORTED, sheaf_source_make_seekable(source, &err));
	assert_message("on a machine of 64 bits");
	return false;
}

static void beyond_four_gigabytes(void **state)
{
	(void)state;
	const int64_t at = (INT64_C(9) << 29) + 5, size = INT64_C(5) << 30;
	char path[32], mark[4];
	int fd = open_sparse(size, at, path);
	sheaf_source *source = NULL;
	sheaf_buffer view = {0};
	assert_ok(sheaf_source_path(path, cx, &source, &err));
	if (is_readable_at_random(source)) {
		assert_int_equal(sheaf_source_size(source), size);
		assert_ok(sheaf_source_read_at(source, at, mark, 4, &err));
		assert_memory_equal(mark, "mark", 4);
		assert_ok(sheaf_source_view_at(source, at, 4, &view, &err));
		assert_memory_equal(view.data, "mark", 4);
		assert_status(SHEAF_SHORT, sheaf_source_read_at(source, size - 3, mark, 4, &err));
		sheaf_buffer_reset(&view);
	}
	sheaf_source_close(source);
	close(fd);
}

static void a_file_that_cannot_be_mapped_is_copied(void **state)
{
	(void)state;
	const int64_t size = INT64_C(1) << 61, at = size - 4; /* larger than any address space */
	char path[32];
	int fd = open_sparse(size, at, path);
	sheaf_source *source = NULL;
	sheaf_buffer view = {0};
	assert_ok(sheaf_source_path(path, cx, &source, &err));
	if (is_readable_at_random(source)) {
		assert_ok(sheaf_source_view_at(source, at, 4, &view, &err));
		assert_memory_equal(view.data, "mark", 4);
		assert_status(SHEAF_LIMIT, sheaf_source_view_at(source, 0, (size_t)(INT64_C(1) << 40), &view, &err));
		assert_null(view.data);
	}
	sheaf_source_close(source);
	close(fd);
}

typedef struct reader {
	sheaf_source *source;
	const uint8_t *content;
	size_t size;
	bool is_right;
} reader;

static void *read_many(void *user)
{
	reader *r = (reader *)user;
	uint8_t bytes[3000];
	sheaf_buffer view = {0};
	r->is_right = true;
	for (size_t i = 0; i < 500; i++) {
		size_t at = i * 7919 % (r->size - sizeof bytes);
		r->is_right = r->is_right &&
		              !sheaf_source_read_at(r->source, (int64_t)at, bytes, sizeof bytes, NULL) &&
		              memcmp(bytes, r->content + at, sizeof bytes) == 0;
		r->is_right = r->is_right && !sheaf_source_view_at(r->source, (int64_t)at, 100, &view, NULL) &&
		              memcmp(view.data, r->content + at, 100) == 0;
	}
	sheaf_buffer_reset(&view);
	return NULL;
}

static void several_threads_read_at_random(void **state)
{
	(void)state;
	uint8_t *content = make_content(300000);
	input in;
	pthread_t threads[4];
	reader readers[4];
	open_input(&in, FIFO, content, 300000);
	assert_ok(sheaf_source_make_seekable(in.source, &err));
	for (size_t i = 0; i < COUNT(threads); i++) {
		readers[i] = (reader){in.source, content, 300000, false};
		assert_int_equal(pthread_create(&threads[i], NULL, read_many, &readers[i]), 0);
	}
	assert_rest(in.source, 1000, content, 300000); /* and the stream meanwhile */
	for (size_t i = 0; i < COUNT(threads); i++) {
		pthread_join(threads[i], NULL);
		assert_true(readers[i].is_right);
	}
	close_input(&in);
	free(content);
}

static void a_spool_that_fails_names_the_folder(void **state)
{
	(void)state;
	uint8_t *content = make_content(600000);
	const char *before = getenv("TMPDIR");
	char *saved = before ? strdup(before) : NULL;
	input in;
	sheaf_bytes bytes;
	setenv("TMPDIR", in_folder("missing"), 1);
	open_input(&in, RANDOM_BYTES, content, 600000);
	assert_status(SHEAF_IO, sheaf_source_make_seekable(in.source, &err));
	assert_message("missing");
	assert_int_equal(err.sys, ENOENT);
	assert_rest(in.source, 10000, content, 600000); /* nothing was consumed */
	close_input(&in);

	setenv("TMPDIR", folder, 1);
	open_input(&in, RANDOM_BYTES, content, 600000);
	limit_files(300000);
	assert_status(SHEAF_IO, sheaf_source_make_seekable(in.source, &err));
	limit_files(RLIM_INFINITY);
	assert_int_equal(err.sys, EFBIG);
	assert_message(folder);
	assert_status(SHEAF_IO, sheaf_source_ahead(in.source, 1, &bytes, &err)); /* the beginning is gone */
	assert_status(SHEAF_IO, sheaf_source_rewind(in.source, &err));
	close_input(&in);

	open_input(&in, RANDOM_BYTES, content, 600000);
	assert_ok(sheaf_source_make_seekable(in.source, &err));
	assert_int_equal(temporaries(), 0); /* it has no name */
	close_input(&in);
	if (saved)
		setenv("TMPDIR", saved, 1);
	else
		unsetenv("TMPDIR");
	free(saved);
	free(content);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	const struct CMUnitTest tests[] = {
		TEST(rewinds),
		TEST(what_passes_once_says_so),
		TEST(what_fails_once_fails_again),
		TEST(random_access),
		TEST(access_keeps_to_the_bounds),
		TEST(beyond_four_gigabytes),
		TEST(a_file_that_cannot_be_mapped_is_copied),
		TEST(several_threads_read_at_random),
		TEST(a_spool_that_fails_names_the_folder),
	};
	return cmocka_run_group_tests_name("random_access", tests, NULL, NULL);
}
