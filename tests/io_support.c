/* SPDX-License-Identifier: MIT */
/* What the tests of sources and sinks share: a folder and a context for each, content, inputs of every
 * kind. */
#include "io/sink.h"
#include "io/source.h"
#include "io_support.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- a folder and a context for each test ---- */

allocator counted;
sheaf_context *cx;

sheaf_context *new_context(int64_t max_memory)
{
	sheaf_context_options options = options_with(&counted);
	options.max_memory = max_memory;
	return context_with(&options);
}

static int open_descriptors(void)
{
	int n = 0;
	DIR *entries = opendir("/proc/self/fd");
	assert_non_null(entries);
	while (readdir(entries)) n++;
	closedir(entries);
	return n;
}

static int descriptors_before;

int set_up(void **state)
{
	if (make_folder(state)) return -1;
	memset(&counted, 0, sizeof counted);
	memset(&err, 0, sizeof err);
	cx = new_context(0);
	descriptors_before = open_descriptors();
	return 0;
}

int tear_down(void **state)
{
	remove_folder(state);
	int64_t left = sheaf_context_memory(cx, NULL);
	sheaf_context_free(cx);
	int descriptors = open_descriptors() - descriptors_before;
	if (left == 0 && counted.bytes == 0 && descriptors == 0) return 0;
	print_error("expected nothing left at the end, found %lld bytes and %d descriptors\n", (long long)left,
	            descriptors);
	return -1;
}

/* How many names in the folder begin with ".sheaf-". */
int temporaries(void)
{
	int n = 0;
	DIR *entries = opendir(folder);
	assert_non_null(entries);
	for (const struct dirent *e; (e = readdir(entries));) n += strncmp(e->d_name, ".sheaf-", 7) == 0;
	closedir(entries);
	return n;
}

/* ---- content ---- */

/* Lines of numbers, like the data files we read: compressible, and never the same for long. */
uint8_t *make_content(size_t size)
{
	uint8_t *content = (uint8_t *)malloc(size + 32);
	assert_non_null(content);
	seed_random(size);
	for (size_t at = 0; at < size;)
		at += (size_t)snprintf((char *)content + at, 32, "|x %u:%u\n", (unsigned)(next_random() % 1000),
		                       (unsigned)(next_random() % 90));
	return content;
}

void write_raw(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

uint8_t *read_raw(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*size = (size_t)ftell(file);
	rewind(file);
	uint8_t *data = (uint8_t *)malloc(*size + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, *size, file), *size);
	fclose(file);
	return data;
}

void assert_file(const char *path, const void *data, size_t size)
{
	size_t found;
	uint8_t *bytes = read_raw(path, &found);
	assert_int_equal(found, size);
	assert_memory_equal(bytes, data, size);
	free(bytes);
}

void write_sink(const char *path, const void *data, size_t size)
{
	sheaf_sink *sink = NULL;
	assert_ok(sheaf_sink_path(path, true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, data, size, &err));
	assert_int_equal(sheaf_sink_tell(sink), (int64_t)size);
	assert_ok(sheaf_sink_commit(sink, &err));
}

/* `data` compressed by the sink, as raw bytes. */
uint8_t *compress(const char *suffix, const void *data, size_t size, size_t *out_size)
{
	char name[32];
	snprintf(name, sizeof name, "compress%s", suffix);
	write_sink(in_folder(name), data, size);
	return read_raw(in_folder(name), out_size);
}

const struct filter_case filters[FILTERS] = {{"gzip", ".gz", 3, true},
                                             {"bzip2", ".bz2", 10, false},
                                             {"zstd", ".zst", 4, false},
                                             {"xz", ".xz", 6, true}};

/* ---- inputs of every kind ---- */

int64_t read_feed(void *user, void *data, size_t size)
{
	feed *f = (feed *)user;
	if (f->wrong && f->at >= f->fails_at) return f->wrong > 0 ? (int64_t)size + f->wrong : f->wrong;
	if (f->interrupt && ++f->calls % f->interrupt == 0) return -EINTR;
	size_t n = f->step ? f->step : (size_t)(next_random() % 5000) + 1;
	if (n > size) n = size;
	if (n > f->size - f->at) n = f->size - f->at;
	if (n > 0) memcpy(data, f->data + f->at, n);
	f->at += n;
	return (int64_t)n;
}

static void *write_pipe(void *user)
{
	pipe_feed *f = (pipe_feed *)user;
	size_t at = 0;
	while (at < f->size) {
		ssize_t n = write(f->fd, f->data + at, f->size - at);
		if (n <= 0) break; /* the reader has had enough */
		at += (size_t)n;
	}
	close(f->fd);
	return NULL;
}

static void open_pipe(input *in)
{
	int ends[2];
	char path[32];
	assert_int_equal(pipe(ends), 0);
	in->pipe = (pipe_feed){.fd = ends[1], .data = in->feed.data, .size = in->feed.size};
	assert_int_equal(pthread_create(&in->pipe.thread, NULL, write_pipe, &in->pipe), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	assert_ok(sheaf_source_path(path, cx, &in->source, &err));
	close(ends[0]);
}

void open_input(input *in, enum kind kind, const uint8_t *data, size_t size)
{
	*in = (input){.kind = kind, .feed = {.data = data, .size = size}};
	switch (kind) {
	case PATH:
		write_raw(in_folder("input"), data, size);
		assert_ok(sheaf_source_path(in_folder("input"), cx, &in->source, &err));
		return;
	case FIFO: open_pipe(in); return;
	case MEMORY:
		assert_ok(sheaf_source_memory((sheaf_bytes){data, size}, "bytes", cx, &in->source, &err));
		return;
	case ONE_BYTE: in->feed.step = 1; break;
	case INTERRUPTED: in->feed.interrupt = 3; break;
	default: break;
	}
	assert_ok(sheaf_source_function(read_feed, &in->feed, "feed", cx, &in->source, &err));
}

void close_input(input *in)
{
	sheaf_source_close(in->source);
	if (in->kind == FIFO) pthread_join(in->pipe.thread, NULL);
}

/* Reads from here to the end in steps of `want` and compares. */
void assert_rest(sheaf_source *source, size_t want, const uint8_t *data, size_t size)
{
	int64_t start = sheaf_source_tell(source);
	size_t at = 0;
	for (;;) {
		sheaf_bytes bytes;
		assert_ok(sheaf_source_ahead(source, want, &bytes, &err));
		if (bytes.size == 0) break;
		assert_true(bytes.size >= want || at + bytes.size == size);
		assert_true(bytes.size <= size - at);
		size_t n = bytes.size < want ? bytes.size : want;
		assert_memory_equal(bytes.data, data + at, n);
		sheaf_source_consume(source, n);
		at += n;
		assert_int_equal(sheaf_source_tell(source), start + (int64_t)at);
	}
	assert_int_equal(at, size);
}

/* ---- outputs ---- */

int gather(void *user, const void *data, size_t size)
{
	gathered *g = (gathered *)user;
	if (g->result) return g->result;
	memcpy(g->data + g->size, data, size);
	g->size += size;
	g->calls++;
	return 0;
}

/* ---- limits, and failing allocations ---- */

/* With the size of files limited to `bytes`: like a full disk. */
void limit_files(rlim_t bytes)
{
	struct rlimit limit;
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
}

void assert_allocations_may_fail(sheaf_status (*run)(sheaf_context *c, const char *name), const char *name)
{
	int refused = 0;
	for (int64_t fail_at = 1;; fail_at++) {
		allocator failing = {.fail_at = fail_at};
		sheaf_context *c = NULL;
		sheaf_context_options options = options_with(&failing);
		sheaf_status status = sheaf_context_new(&options, &c, &err);
		if (!status) {
			status = run(c, name);
			assert_int_equal(sheaf_context_memory(c, NULL), 0);
		}
		sheaf_context_free(c);
		assert_int_equal(failing.bytes, 0);
		if (status) {
			assert_status(SHEAF_NOMEM, status);
			assert_int_equal(err.status, SHEAF_NOMEM);
			assert_true(strlen(err.message) > 10);
			refused++;
		}
		assert_int_equal(temporaries(), 0);
		if (failing.calls < fail_at) break;
	}
	assert_true(refused >= 3);
}
