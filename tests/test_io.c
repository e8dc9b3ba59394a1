/* SPDX-License-Identifier: MIT */
/* Sources of every kind: every promise of sheaf/io.h, and failures of the system, the data and the
 * allocator. */
#include "io/source.h"
#include "io_support.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- plain sources ---- */

static void every_source_gives_the_same_bytes(void **state)
{
	(void)state;
	static const size_t wants[] = {1, 7, 4096, 100000, 262144, 300001, 5000000};
	static const size_t sizes[] = {0, 1, 2, 5, 4095, 4096, 262143, 262144, 700001};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint8_t *content = make_content(sizes[i]);
		for (int kind = 0; kind < KINDS; kind++)
			for (size_t w = 0; w < COUNT(wants); w++) {
				if (wants[w] == 1 && sizes[i] > 5000) continue; /* a long walk that shows nothing new */
				input in;
				open_input(&in, (enum kind)kind, content, sizes[i]);
				assert_rest(in.source, wants[w], content, sizes[i]);
				assert_null(sheaf_source_compression(in.source));
				close_input(&in);
			}
		free(content);
	}
}

static void ahead_does_not_move_and_consume_does(void **state)
{
	(void)state;
	uint8_t *content = make_content(1000);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		sheaf_bytes bytes;
		open_input(&in, (enum kind)kind, content, 1000);
		assert_ok(sheaf_source_ahead(in.source, 0, &bytes, &err));
		for (int i = 0; i < 3; i++) {
			assert_ok(sheaf_source_ahead(in.source, 10, &bytes, &err));
			assert_memory_equal(bytes.data, content, 10);
			assert_int_equal(sheaf_source_tell(in.source), 0);
		}
		sheaf_source_consume(in.source, 4);
		assert_ok(sheaf_source_ahead(in.source, 2000, &bytes, &err));
		assert_int_equal(bytes.size, 996);
		assert_memory_equal(bytes.data, content + 4, 996);
		sheaf_source_consume(in.source, SIZE_MAX); /* more than was shown: everything that was */
		assert_int_equal(sheaf_source_tell(in.source), 1000);
		assert_ok(sheaf_source_ahead(in.source, 1, &bytes, &err));
		assert_int_equal(bytes.size, 0);
		assert_non_null(bytes.data);
		close_input(&in);
	}
	free(content);
}

static void names_sizes_and_progress(void **state)
{
	(void)state;
	uint8_t *content = make_content(1000);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		sheaf_bytes bytes;
		int64_t done, total, known = kind == PATH || kind == MEMORY ? 1000 : -1;
		open_input(&in, (enum kind)kind, content, 1000);
		assert_int_equal(sheaf_source_size(in.source), known);
		assert_ok(sheaf_source_ahead(in.source, 100, &bytes, &err));
		sheaf_source_consume(in.source, 100);
		sheaf_source_progress(in.source, &done, &total);
		assert_int_equal(done, 100);
		assert_int_equal(total, known);
		assert_int_equal(sheaf_source_size(in.source), known);
		close_input(&in);
	}
	sheaf_source *source = NULL;
	assert_ok(sheaf_source_path("-", cx, &source, &err));
	assert_string_equal(sheaf_source_name(source), "(stdin)");
	sheaf_source_close(source);
	assert_ok(sheaf_source_memory((sheaf_bytes){0}, NULL, cx, &source, &err));
	assert_string_equal(sheaf_source_name(source), "(memory)");
	sheaf_source_close(source);
	sheaf_source_close(NULL);
	free(content);
}

/* Takes random pieces, closes the source, and only then reads them. */
static void assert_taken_lasts(input *in, const uint8_t *content, size_t size)
{
	static sheaf_buffer taken[4000];
	size_t n = 0, at = 0;
	memset(taken, 0, sizeof taken);
	for (sheaf_bytes bytes;; n++) {
		size_t want = (size_t)(next_random() % 3000) + 1;
		assert_ok(sheaf_source_ahead(in->source, want, &bytes, &err));
		if (bytes.size == 0) break;
		assert_true(n < COUNT(taken));
		if (bytes.size < want) want = bytes.size;
		sheaf_source_take(in->source, want, &taken[n]);
		assert_int_equal(taken[n].size, want);
	}
	sheaf_buffer again = sheaf_buffer_ref(&taken[0]);
	close_input(in);
	for (size_t i = 0; i < n; i++) {
		assert_true(at + taken[i].size <= size);
		assert_memory_equal(taken[i].data, content + at, taken[i].size);
		at += taken[i].size;
		sheaf_buffer_reset(&taken[i]);
	}
	assert_int_equal(at, size);
	assert_memory_equal(again.data, content, again.size);
	sheaf_buffer_reset(&again);
}

static void what_is_taken_stays(void **state)
{
	(void)state;
	enum { SIZE = 1500000 };
	uint8_t *content = make_content(SIZE);
	size_t packed_size;
	uint8_t *packed = compress(".gz", content, SIZE, &packed_size);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		open_input(&in, (enum kind)kind, content, SIZE);
		assert_taken_lasts(&in, content, SIZE);
		open_input(&in, (enum kind)kind, packed, packed_size);
		assert_taken_lasts(&in, content, SIZE);
	}
	free(packed);
	free(content);
}

static void take_copies_nothing(void **state)
{
	(void)state;
	uint8_t *content = make_content(1000);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		sheaf_bytes bytes;
		sheaf_buffer taken = {0};
		open_input(&in, (enum kind)kind, content, 1000);
		assert_ok(sheaf_source_ahead(in.source, 1000, &bytes, &err));
		const uint8_t *where = bytes.data;
		sheaf_source_take(in.source, 0, &taken);
		assert_int_equal(taken.size, 0);
		sheaf_source_consume(in.source, 10);
		sheaf_source_take(in.source, 20, &taken);
		assert_ptr_equal(taken.data, where + 10);
		sheaf_source_take(in.source, SIZE_MAX, &taken); /* resets, and returns the shown bytes */
		assert_ptr_equal(taken.data, where + 30);
		assert_int_equal(taken.size, 970);
		sheaf_buffer_reset(&taken);
		close_input(&in);
	}
	free(content);
}

static void the_window_is_used_again(void **state)
{
	(void)state;
	enum { SIZE = 8 << 20 };
	uint8_t *content = make_content(SIZE);
	input in;
	int64_t peak;
	open_input(&in, RANDOM_BYTES, content, SIZE);
	assert_rest(in.source, 1000, content, SIZE);
	sheaf_context_memory(cx, &peak);
	assert_true(peak < 300 << 10);
	close_input(&in);
	/* One piece taken and released at a time: two blocks at most. */
	open_input(&in, PATH, content, SIZE);
	sheaf_buffer taken = {0};
	for (sheaf_bytes bytes;;) {
		assert_ok(sheaf_source_ahead(in.source, 1, &bytes, &err));
		if (bytes.size == 0) break;
		sheaf_source_take(in.source, bytes.size, &taken);
	}
	sheaf_buffer_reset(&taken);
	close_input(&in);
	sheaf_context_memory(cx, &peak);
	assert_true(peak < 600 << 10);
	free(content);
}

static void memory_limit_holds_and_passes(void **state)
{
	(void)state;
	uint8_t *content = make_content(4 << 20);
	sheaf_context *usual = cx;
	cx = new_context(1 << 20);
	for (int kind = 0; kind < KINDS; kind++) {
		if (kind == MEMORY) continue; /* shown without a copy */
		input in;
		sheaf_bytes bytes;
		open_input(&in, (enum kind)kind, content, 4 << 20);
		assert_status(SHEAF_LIMIT, sheaf_source_ahead(in.source, 2 << 20, &bytes, &err));
		assert_message(sheaf_source_name(in.source));
		assert_non_null(bytes.data);
		assert_rest(in.source, 1000, content, 4 << 20); /* what fits still works */
		close_input(&in);
	}
	assert_int_equal(sheaf_context_memory(cx, NULL), 0);
	sheaf_context_free(cx);
	cx = usual;
	free(content);
}

static void a_wish_takes_no_memory(void **state)
{
	(void)state;
	uint8_t *content = make_content(100000);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		sheaf_bytes bytes;
		int64_t peak;
		open_input(&in, (enum kind)kind, content, 100000);
		assert_ok(sheaf_source_ahead(in.source, SIZE_MAX, &bytes, &err));
		assert_int_equal(bytes.size, 100000);
		assert_memory_equal(bytes.data, content, 100000);
		close_input(&in);
		sheaf_context_memory(cx, &peak);
		assert_true(peak < 300 << 10);
	}
	free(content);
}

static void failures_of_sources(void **state)
{
	(void)state;
	sheaf_source *source = NULL;
	sheaf_bytes bytes;
	assert_status(SHEAF_IO, sheaf_source_path(in_folder("missing"), cx, &source, &err));
	assert_null(source);
	assert_int_equal(err.sys, ENOENT);
	assert_message("missing");
	assert_status(SHEAF_IO, sheaf_source_path(folder, cx, &source, &err));
	assert_int_equal(err.sys, EISDIR);
	assert_message("expected a file, found a directory");
	assert_status(SHEAF_IO, sheaf_source_path(folder, cx, &source, NULL));

	input in;
	open_input(&in, RANDOM_BYTES, NULL, 0);
	in.feed.wrong = -EIO;
	assert_status(SHEAF_IO, sheaf_source_ahead(in.source, 1, &bytes, &err));
	assert_int_equal(err.sys, EIO);
	assert_message("feed");
	in.feed.wrong = 1; /* more bytes than were asked for */
	assert_status(SHEAF_USAGE, sheaf_source_ahead(in.source, 1, &bytes, &err));
	in.feed.wrong = 0;
	assert_ok(sheaf_source_ahead(in.source, 1, &bytes, &err));
	close_input(&in);

	assert_ok(sheaf_source_path("/proc/self/mem", cx, &source, &err)); /* nothing is mapped at 0 */
	assert_status(SHEAF_IO, sheaf_source_ahead(source, 1, &bytes, &err));
	assert_int_equal(err.sys, EIO);
	assert_message("/proc/self/mem (byte 0 of the file)");
	sheaf_source_close(source);

	/* A descriptor that cannot be read: standard input, opened for writing. */
	int saved = dup(0), wrong = open("/dev/null", O_WRONLY);
	dup2(wrong, 0);
	assert_ok(sheaf_source_path("-", cx, &source, &err));
	assert_status(SHEAF_IO, sheaf_source_ahead(source, 1, &bytes, &err));
	assert_int_equal(err.sys, EBADF);
	assert_message("(stdin)");
	sheaf_source_close(source);
	dup2(saved, 0);
	close(saved);
	close(wrong);
}

static void standard_input(void **state)
{
	(void)state;
	uint8_t *content = make_content(300000);
	write_raw(in_folder("stdin"), content, 300000);
	int saved = dup(0), fd = open(in_folder("stdin"), O_RDONLY);
	assert_int_equal(lseek(fd, 1234, SEEK_SET), 1234); /* another process has read a part before us */
	dup2(fd, 0);
	close(fd);
	sheaf_source *source = NULL;
	sheaf_buffer view = {0};
	char some[100];
	assert_ok(sheaf_source_path("-", cx, &source, &err));
	assert_ok(sheaf_source_make_rewindable(source, &err));
	assert_int_equal(sheaf_source_size(source), 300000 - 1234);
	assert_rest(source, 10000, content + 1234, 300000 - 1234);
	assert_ok(sheaf_source_rewind(source, &err));
	assert_ok(sheaf_source_make_seekable(source, &err));
	assert_ok(sheaf_source_read_at(source, 10, some, sizeof some, &err));
	assert_memory_equal(some, content + 1244, sizeof some);
	assert_ok(sheaf_source_view_at(source, 200000, 50000, &view, &err));
	assert_memory_equal(view.data, content + 201234, 50000);
	assert_status(SHEAF_SHORT, sheaf_source_read_at(source, 298766, some, 1, &err));
	sheaf_source_close(source);
	sheaf_buffer_reset(&view);
	assert_true(fcntl(0, F_GETFD) >= 0); /* not ours to close */
	dup2(saved, 0);
	close(saved);
	free(content);
}

static void a_non_blocking_pipe_is_waited_for(void **state)
{
	(void)state;
	int ends[2], saved = dup(0);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[0], 0);
	close(ends[0]);
	pid_t child = fork();
	if (child == 0) {
		usleep(20000);
		_exit(write(ends[1], "late", 4) == 4 ? 0 : 1);
	}
	close(ends[1]);
	sheaf_source *source = NULL;
	assert_ok(sheaf_source_path("-", cx, &source, &err));
	assert_rest(source, 4, (const uint8_t *)"late", 4);
	sheaf_source_close(source);
	waitpid(child, NULL, 0);
	dup2(saved, 0);
	close(saved);
}

/* ---- stopping ---- */

static void stop_is_seen(void **state)
{
	(void)state;
	uint8_t *content = make_content(600000);
	char byte;
	for (int kind = 0; kind < KINDS; kind++) {
		if (kind == MEMORY) continue; /* nothing in it takes long */
		input in;
		sheaf_bytes bytes;
		sheaf_context *usual = cx;
		cx = new_context(0);
		open_input(&in, (enum kind)kind, content, 600000);
		assert_ok(sheaf_source_ahead(in.source, 1, &bytes, &err));
		if (kind == PATH) assert_ok(sheaf_source_make_seekable(in.source, &err));
		sheaf_context_stop(cx);
		assert_status(SHEAF_STOPPED, sheaf_source_ahead(in.source, 600000, &bytes, &err));
		if (kind == PATH) assert_status(SHEAF_STOPPED, sheaf_source_read_at(in.source, 0, &byte, 1, &err));
		if (kind != PATH) assert_status(SHEAF_STOPPED, sheaf_source_make_seekable(in.source, &err));
		close_input(&in);
		sheaf_context_free(cx);
		cx = usual;
	}
	sheaf_context *stopped = new_context(0);
	sheaf_sink *sink = NULL;
	write_raw(in_folder("target"), "old", 3);
	assert_ok(sheaf_sink_path(in_folder("target"), true, stopped, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "new", 3, &err));
	sheaf_context_stop(stopped);
	assert_status(SHEAF_STOPPED, sheaf_sink_write(sink, content, 600000, &err));
	assert_status(SHEAF_STOPPED, sheaf_sink_commit(sink, &err));
	assert_status(SHEAF_STOPPED, sheaf_sink_path(in_folder("target"), true, stopped, &sink, &err));
	assert_file(in_folder("target"), "old", 3);
	assert_int_equal(temporaries(), 0);
	sheaf_context_free(stopped);
	free(content);
}

static sheaf_context *stopped_by_signal;

static void stop_on_signal(int number)
{
	(void)number;
	sheaf_context_stop(stopped_by_signal);
}

static void a_signal_ends_a_read_that_waits(void **state)
{
	(void)state;
	struct sigaction action = {.sa_handler = stop_on_signal}, before;
	struct itimerval soon = {.it_value = {.tv_usec = 30000}, .it_interval = {.tv_usec = 30000}}, never = {0};
	int ends[2];
	char path[32];
	assert_int_equal(pipe(ends), 0);
	stopped_by_signal = new_context(0);
	sigaction(SIGALRM, &action, &before);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	sheaf_source *source = NULL;
	sheaf_bytes bytes;
	assert_ok(sheaf_source_path(path, stopped_by_signal, &source, &err));
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_status(SHEAF_STOPPED, sheaf_source_ahead(source, 1, &bytes, &err));
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	sheaf_source_close(source);
	sheaf_context_free(stopped_by_signal);
	close(ends[0]);
	close(ends[1]);
}

/* ---- every allocation may fail ---- */

static uint8_t *scenario_content;
enum { SCENARIO_SIZE = 300000 };

static sheaf_status take_all(sheaf_source *source, bool rewind)
{
	sheaf_buffer taken = {0};
	size_t at = 0;
	sheaf_status status = rewind ? sheaf_source_rewind(source, &err) : SHEAF_OK;
	while (!status) {
		sheaf_bytes bytes;
		status = sheaf_source_ahead(source, 1000, &bytes, &err);
		if (status || bytes.size == 0) break;
		size_t n = bytes.size < 1000 ? bytes.size : 1000;
		sheaf_source_take(source, n, &taken);
		assert_memory_equal(taken.data, scenario_content + at, n);
		at += n;
	}
	sheaf_buffer_reset(&taken);
	if (!status) assert_int_equal(at, SCENARIO_SIZE);
	return status;
}

static sheaf_status read_path(sheaf_context *c, const char *name)
{
	sheaf_source *source = NULL;
	SHEAF_TRY(sheaf_source_path(in_folder(name), c, &source, &err));
	sheaf_status status = sheaf_source_make_rewindable(source, &err);
	if (!status) status = take_all(source, false);
	if (!status) status = take_all(source, true);
	sheaf_source_close(source);
	return status;
}

static sheaf_status write_path(sheaf_context *c, const char *name)
{
	sheaf_sink *sink = NULL;
	SHEAF_TRY(sheaf_sink_path(in_folder(name), true, c, &sink, &err));
	sheaf_status status = sheaf_sink_write(sink, scenario_content, SCENARIO_SIZE, &err);
	if (!status) return sheaf_sink_commit(sink, &err);
	sheaf_sink_abandon(sink);
	return status;
}

static sheaf_status read_memory(sheaf_context *c, const char *name)
{
	sheaf_source *source = NULL;
	(void)name;
	SHEAF_TRY(sheaf_source_memory((sheaf_bytes){scenario_content, SCENARIO_SIZE}, NULL, c, &source, &err));
	sheaf_status status = take_all(source, false);
	sheaf_source_close(source);
	return status;
}

static sheaf_status view_path(sheaf_context *c, const char *name)
{
	sheaf_source *source = NULL;
	sheaf_buffer view = {0};
	SHEAF_TRY(sheaf_source_path(in_folder(name), c, &source, &err));
	sheaf_status status = sheaf_source_make_seekable(source, &err);
	if (!status) status = sheaf_source_view_at(source, 1000, 5000, &view, &err);
	if (!status) status = take_all(source, false);
	sheaf_source_close(source);
	if (!status) assert_memory_equal(view.data, scenario_content + 1000, 5000);
	sheaf_buffer_reset(&view);
	return status;
}

static sheaf_status spool_function(sheaf_context *c, const char *name)
{
	feed f = {.data = scenario_content, .size = SCENARIO_SIZE, .step = 10000};
	sheaf_source *source = NULL;
	SHEAF_TRY(sheaf_source_function(read_feed, &f, name, c, &source, &err));
	sheaf_status status = sheaf_source_make_seekable(source, &err);
	if (!status) status = take_all(source, false);
	sheaf_source_close(source);
	return status;
}

static sheaf_status write_function(sheaf_context *c, const char *name)
{
	gathered g = {.data = (uint8_t *)malloc(SCENARIO_SIZE)};
	sheaf_sink *sink = NULL;
	sheaf_status status = sheaf_sink_function(gather, &g, name, c, &sink, &err);
	if (!status) status = sheaf_sink_write(sink, scenario_content, SCENARIO_SIZE, &err);
	if (sink && !status)
		status = sheaf_sink_commit(sink, &err);
	else
		sheaf_sink_abandon(sink);
	free(g.data);
	return status;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	static const struct {
		sheaf_status (*run)(sheaf_context *c, const char *name);
		const char *name;
	} scenarios[] = {{write_path, "a"},       {write_path, "a.gz"}, {write_path, "a.bz2"},
	                 {write_path, "a.zst"},   {write_path, "a.xz"}, {read_path, "a"},
	                 {read_path, "a.gz"},     {read_path, "a.bz2"}, {read_path, "a.zst"},
	                 {read_path, "a.xz"},     {view_path, "a"},     {view_path, "a.gz"},
	                 {view_path, "a.zst"},    {read_memory, NULL},  {spool_function, "function"},
	                 {write_function, "name"}};
	scenario_content = make_content(SCENARIO_SIZE);
	for (size_t i = 0; i < COUNT(scenarios); i++)
		assert_allocations_may_fail(scenarios[i].run, scenarios[i].name);
	free(scenario_content);
}

static void errors_may_be_unwanted(void **state)
{
	(void)state;
	size_t size;
	uint8_t *packed = compress(".gz", "content", 7, &size);
	input in;
	sheaf_bytes bytes;
	sheaf_buffer view = {0};
	sheaf_sink *sink = NULL;
	open_input(&in, MEMORY, packed, size - 1);
	assert_int_equal(sheaf_source_ahead(in.source, 100, &bytes, NULL), SHEAF_SHORT);
	assert_int_equal(sheaf_source_view_at(in.source, 0, 1, &view, NULL), SHEAF_USAGE);
	close_input(&in);
	assert_int_equal(sheaf_sink_path(folder, true, cx, &sink, NULL), SHEAF_IO);
	assert_ok(sheaf_sink_path("/dev/full", true, cx, &sink, NULL));
	assert_ok(sheaf_sink_write(sink, "x", 1, NULL));
	assert_int_equal(sheaf_sink_commit(sink, NULL), SHEAF_IO);
	free(packed);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	const struct CMUnitTest tests[] = {
		TEST(every_source_gives_the_same_bytes),
		TEST(ahead_does_not_move_and_consume_does),
		TEST(names_sizes_and_progress),
		TEST(what_is_taken_stays),
		TEST(take_copies_nothing),
		TEST(the_window_is_used_again),
		TEST(memory_limit_holds_and_passes),
		TEST(a_wish_takes_no_memory),
		TEST(failures_of_sources),
		TEST(standard_input),
		TEST(a_non_blocking_pipe_is_waited_for),
		TEST(stop_is_seen),
		TEST(a_signal_ends_a_read_that_waits),
		TEST(every_allocation_may_fail),
		TEST(errors_may_be_unwanted),
	};
	return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}
