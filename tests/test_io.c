/* SPDX-License-Identifier: MIT */
/* Sources, sinks, compression and the external sorter: every promise of sheaf/io.h, and what happens when the
 * system, the data or the allocator refuses. */
#include "io/filter.h"
#include "sort/sorter.h"
#include "support.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a folder and a context for each test ---- */

static allocator counted;
static sheaf_context *cx;

static sheaf_context *new_context(int64_t max_memory)
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

static int set_up(void **state)
{
	if (make_folder(state)) return -1;
	memset(&counted, 0, sizeof counted);
	memset(&err, 0, sizeof err);
	cx = new_context(0);
	descriptors_before = open_descriptors();
	return 0;
}

static int tear_down(void **state)
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
static int temporaries(void)
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
static uint8_t *make_content(size_t size)
{
	uint8_t *content = (uint8_t *)malloc(size + 32);
	assert_non_null(content);
	seed_random(size);
	for (size_t at = 0; at < size;)
		at += (size_t)snprintf((char *)content + at, 32, "|x %u:%u\n", (unsigned)(next_random() % 1000),
		                       (unsigned)(next_random() % 90));
	return content;
}

static void write_raw(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static uint8_t *read_raw(const char *path, size_t *size)
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

static void assert_file(const char *path, const void *data, size_t size)
{
	size_t found;
	uint8_t *bytes = read_raw(path, &found);
	assert_int_equal(found, size);
	assert_memory_equal(bytes, data, size);
	free(bytes);
}

static void write_sink(const char *path, const void *data, size_t size)
{
	sheaf_sink *sink = NULL;
	assert_ok(sheaf_sink_path(path, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, data, size, &err));
	assert_int_equal(sheaf_sink_tell(sink), (int64_t)size);
	assert_ok(sheaf_sink_commit(sink, &err));
}

/* `data` compressed by the sink, as raw bytes. */
static uint8_t *compress(const char *suffix, const void *data, size_t size, size_t *out_size)
{
	char name[32];
	snprintf(name, sizeof name, "compress%s", suffix);
	write_sink(in_folder(name), data, size);
	return read_raw(in_folder(name), out_size);
}

static const struct {
	const char *name, *suffix;
	size_t magic;
	bool padded;
} filters[] = {{"gzip", ".gz", 3, true},
               {"bzip2", ".bz2", 10, false},
               {"zstd", ".zst", 4, false},
               {"xz", ".xz", 6, true}};

/* ---- inputs of every kind ---- */

typedef struct feed {
	const uint8_t *data;
	size_t size, at;
	size_t step;   /* bytes given at a time; 0: a random number */
	int interrupt; /* -EINTR before every so many calls */
	int calls;
	int64_t wrong; /* given instead of bytes when not 0 */
} feed;

static int64_t read_feed(void *user, void *data, size_t size)
{
	feed *f = (feed *)user;
	if (f->wrong) return f->wrong > 0 ? (int64_t)size + f->wrong : f->wrong;
	if (f->interrupt && ++f->calls % f->interrupt == 0) return -EINTR;
	size_t n = f->step ? f->step : (size_t)(next_random() % 5000) + 1;
	if (n > size) n = size;
	if (n > f->size - f->at) n = f->size - f->at;
	if (n > 0) memcpy(data, f->data + f->at, n);
	f->at += n;
	return (int64_t)n;
}

typedef struct pipe_feed {
	int fd;
	const uint8_t *data;
	size_t size;
	pthread_t thread;
} pipe_feed;

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

enum kind { PATH, FIFO, MEMORY, ONE_BYTE, RANDOM_BYTES, INTERRUPTED, KINDS };

/* An input of one kind, and what stands after it. */
typedef struct input {
	enum kind kind;
	sheaf_source *source;
	feed feed;
	pipe_feed pipe;
} input;

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

static void open_input(input *in, enum kind kind, const uint8_t *data, size_t size)
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

static void close_input(input *in)
{
	sheaf_source_close(in->source);
	if (in->kind == FIFO) pthread_join(in->pipe.thread, NULL);
}

/* Reads from here to the end in steps of `want` and compares. */
static void assert_rest(sheaf_source *source, size_t want, const uint8_t *data, size_t size)
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
		assert_null(bytes.data);
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

/* Takes random pieces, closes the source, and only then looks at them. */
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
		sheaf_source_take(in.source, SIZE_MAX, &taken); /* resets, and gives what is shown */
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
	/* One piece taken and let go at a time: two blocks at most. */
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
		assert_null(bytes.data);
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
	assert_int_equal(lseek(fd, 1234, SEEK_SET), 1234); /* somebody has read a part before us */
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

/* ---- compression ---- */

static void round_trips_by_suffix_and_content(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 100, 1000000};
	for (size_t f = 0; f < COUNT(filters); f++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			uint8_t *content = make_content(sizes[i]);
			size_t size;
			uint8_t *packed = compress(filters[f].suffix, content, sizes[i], &size);
			assert_true(sizes[i] < 1000 || size < sizes[i] / 2);
			for (int kind = 0; kind < KINDS; kind++) {
				/* The content decides: "input" has no suffix. */
				input in;
				sheaf_bytes bytes;
				open_input(&in, (enum kind)kind, packed, size);
				assert_int_equal(sheaf_source_size(in.source), -1);
				assert_ok(sheaf_source_ahead(in.source, 1, &bytes, &err));
				assert_string_equal(sheaf_source_compression(in.source), filters[f].name);
				assert_int_equal(sheaf_source_size(in.source), -1);
				assert_rest(in.source, 5000, content, sizes[i]);
				int64_t done, total;
				sheaf_source_progress(in.source, &done, &total);
				assert_int_equal(done, (int64_t)size);
				assert_int_equal(total, kind == PATH || kind == MEMORY ? (int64_t)size : -1);
				close_input(&in);
			}
			free(packed);
			free(content);
		}
}

static void a_suffix_alone_is_no_compression(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
	                                    "B",
	                                    "BZ",
	                                    "BZh",
	                                    "BZh9 is plain text",
	                                    "\x1f",
	                                    "\x1f\x8b",
	                                    "\x1f\x8b\x07not deflate",
	                                    "\xfd\x37zXZ",
	                                    "(\xb5/",
	                                    "plain"};
	for (size_t i = 0; i < COUNT(texts); i++)
		for (int kind = 0; kind < KINDS; kind++) {
			input in;
			open_input(&in, (enum kind)kind, (const uint8_t *)texts[i], strlen(texts[i]));
			assert_rest(in.source, 3, (const uint8_t *)texts[i], strlen(texts[i]));
			assert_null(sheaf_source_compression(in.source));
			close_input(&in);
		}
	write_raw(in_folder("plain.gz"), "plain", 5);
	sheaf_source *source = NULL;
	assert_ok(sheaf_source_path(in_folder("plain.gz"), cx, &source, &err));
	assert_rest(source, 1, (const uint8_t *)"plain", 5);
	sheaf_source_close(source);
}

/* Three members, the middle one empty, with `pad` zero bytes after each. */
static uint8_t *make_members(const char *suffix, const uint8_t *content, size_t size, size_t pad,
                             size_t *out_size)
{
	size_t first, none, second;
	uint8_t *a = compress(suffix, content, size / 3, &first);
	uint8_t *b = compress(suffix, content, 0, &none);
	uint8_t *c = compress(suffix, content + size / 3, size - size / 3, &second);
	*out_size = first + none + second + 3 * pad;
	uint8_t *all = (uint8_t *)calloc(1, *out_size);
	assert_non_null(all);
	memcpy(all, a, first);
	memcpy(all + first + pad, b, none);
	memcpy(all + first + none + 2 * pad, c, second);
	free(a);
	free(b);
	free(c);
	return all;
}

static void concatenated_members(void **state)
{
	(void)state;
	static const size_t pads[] = {0, 4, 5, 1000000};
	uint8_t *content = make_content(100000);
	for (size_t f = 0; f < COUNT(filters); f++)
		for (size_t p = 0; p < (filters[f].padded ? COUNT(pads) : 1); p++) {
			size_t size;
			uint8_t *members = make_members(filters[f].suffix, content, 100000, pads[p], &size);
			for (int kind = 0; kind < KINDS; kind++) {
				if (kind == ONE_BYTE && pads[p] > 5) continue; /* a long walk that shows nothing new */
				input in;
				open_input(&in, (enum kind)kind, members, size);
				assert_rest(in.source, 777, content, 100000);
				close_input(&in);
			}
			free(members);
		}
	free(content);
}

static void a_skippable_zstd_frame_is_skipped(void **state)
{
	(void)state;
	static const uint8_t skipped[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
	size_t size;
	uint8_t *packed = compress(".zst", "content", 7, &size);
	uint8_t *all = (uint8_t *)malloc(size + 2 * sizeof skipped);
	assert_non_null(all);
	memcpy(all, skipped, sizeof skipped);
	memcpy(all + sizeof skipped, packed, size);
	memcpy(all + sizeof skipped + size, skipped, sizeof skipped);
	for (int kind = 0; kind < KINDS; kind++) {
		input in;
		open_input(&in, (enum kind)kind, all, size + 2 * sizeof skipped);
		assert_rest(in.source, 2, (const uint8_t *)"content", 7);
		assert_string_equal(sheaf_source_compression(in.source), "zstd");
		close_input(&in);
	}
	free(all);
	free(packed);
}

/* Reads to the end or the first failure. *got bytes came, or SIZE_MAX where they differ from data[size]. */
static sheaf_status read_through(sheaf_source *source, const uint8_t *data, size_t size, size_t *got)
{
	*got = 0;
	for (;;) {
		sheaf_bytes bytes;
		sheaf_status status = sheaf_source_ahead(source, 1, &bytes, &err);
		if (status) {
			/* It stays: the same is told again. */
			assert_status(status, sheaf_source_ahead(source, 1, &bytes, &err));
			return status;
		}
		if (bytes.size == 0) return SHEAF_OK;
		bool is_same =
			*got <= size && bytes.size <= size - *got && memcmp(bytes.data, data + *got, bytes.size) == 0;
		*got = is_same ? *got + bytes.size : SIZE_MAX;
		sheaf_source_consume(source, bytes.size);
	}
}

static void truncated_at_every_byte(void **state)
{
	(void)state;
	uint8_t *content = make_content(600);
	for (size_t f = 0; f < COUNT(filters); f++) {
		size_t size, got;
		uint8_t *packed = compress(filters[f].suffix, content, 600, &size);
		for (size_t cut = 0; cut < size; cut++)
			for (int kind = MEMORY; kind <= ONE_BYTE; kind++) {
				input in;
				open_input(&in, (enum kind)kind, packed, cut);
				if (cut < filters[f].magic) {
					assert_ok(read_through(in.source, packed, cut, &got));
					assert_null(sheaf_source_compression(in.source));
				} else {
					assert_status(SHEAF_SHORT, read_through(in.source, content, 600, &got));
					assert_true(got <= 600);
					assert_message("ends inside a");
					assert_message(filters[f].name);
				}
				close_input(&in);
			}
		/* A second member that is cut, also within its magic. */
		uint8_t *twice = (uint8_t *)malloc(2 * size + 1);
		assert_non_null(twice);
		memcpy(twice, packed, size);
		memcpy(twice + size, packed, size);
		for (size_t cut = size + 1; cut < 2 * size; cut += cut < size + 12 ? 1 : 97) {
			input in;
			open_input(&in, MEMORY, twice, cut);
			uint8_t *both = (uint8_t *)malloc(1200);
			assert_non_null(both);
			memcpy(both, content, 600);
			memcpy(both + 600, content, 600);
			assert_status(SHEAF_SHORT, read_through(in.source, both, 1200, &got));
			assert_true(got >= 600 && got <= 1200);
			free(both);
			close_input(&in);
		}
		free(twice);
		free(packed);
	}
	free(content);
}

static void corrupted_at_every_byte(void **state)
{
	(void)state;
	static const uint8_t flips[] = {0x01, 0x80, 0xff};
	uint8_t *content = make_content(600);
	for (size_t f = 0; f < COUNT(filters); f++) {
		size_t size, got, refused = 0;
		uint8_t *packed = compress(filters[f].suffix, content, 600, &size);
		for (size_t i = 0; i < size * COUNT(flips); i++) {
			input in;
			packed[i / COUNT(flips)] ^= flips[i % COUNT(flips)];
			open_input(&in, MEMORY, packed, size);
			sheaf_bytes bytes;
			sheaf_status status = sheaf_source_ahead(in.source, 0, &bytes, &err);
			bool is_plain = !status && !sheaf_source_compression(in.source);
			if (!status && is_plain)
				status = read_through(in.source, packed, size, &got);
			else if (!status)
				status = read_through(in.source, content, 600, &got);
			assert_true(status == SHEAF_OK || status == SHEAF_DATA || status == SHEAF_SHORT ||
			            status == SHEAF_UNSUPPORTED || status == SHEAF_LIMIT);
			if (status == SHEAF_OK) assert_int_equal(got, is_plain ? size : 600);
			if (status == SHEAF_DATA) assert_message(" of the file)");
			refused += status != SHEAF_OK;
			close_input(&in);
			packed[i / COUNT(flips)] ^= flips[i % COUNT(flips)];
		}
		assert_true(refused > size * COUNT(flips) / 2);
		free(packed);
	}
	free(content);
}

static void trailing_garbage_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t size;
	} tails[] = {{"x", 1},  {"\n", 1},       {"garbage that is long enough", 27},
	             {"\0", 1}, {"\0\0\0\0", 4}, {"\0\0\0x", 4}};
	for (size_t f = 0; f < COUNT(filters); f++) {
		size_t size;
		uint8_t *packed = compress(filters[f].suffix, "content", 7, &size);
		uint8_t *all = (uint8_t *)malloc(size + 32);
		assert_non_null(all);
		memcpy(all, packed, size);
		for (size_t i = 0; i < COUNT(tails) * KINDS; i++) {
			size_t t = i / KINDS, got;
			memcpy(all + size, tails[t].bytes, tails[t].size);
			input in;
			open_input(&in, (enum kind)(i % KINDS), all, size + tails[t].size);
			bool is_padding = filters[f].padded && tails[t].bytes[tails[t].size - 1] == '\0';
			assert_status(is_padding ? SHEAF_OK : SHEAF_DATA,
			              read_through(in.source, (const uint8_t *)"content", 7, &got));
			assert_int_equal(got, 7);
			if (!is_padding) {
				char place[64];
				size_t zeros = filters[f].padded && tails[t].bytes[0] == '\0' ? 3 : 0;
				snprintf(place, sizeof place, "(byte %zu of the file)", size + zeros);
				assert_message(place);
			}
			close_input(&in);
		}
		free(all);
		free(packed);
	}
}

static void xz_keeps_to_the_memory_limit(void **state)
{
	(void)state;
	uint8_t *content = make_content(500000);
	size_t size;
	uint8_t *packed = compress(".xz", content, 500000, &size);
	sheaf_context *usual = cx;
	cx = new_context(2 << 20);
	input in;
	sheaf_bytes bytes;
	open_input(&in, MEMORY, packed, size);
	assert_status(SHEAF_LIMIT, sheaf_source_ahead(in.source, 1, &bytes, &err));
	assert_message("xz");
	close_input(&in);
	/* Writing takes a preset that fits, so that a small limit is enough to write and to read. */
	sheaf_context_free(cx);
	cx = new_context(16 << 20);
	write_sink(in_folder("small.xz"), content, 500000);
	assert_ok(sheaf_source_path(in_folder("small.xz"), cx, &in.source, &err));
	assert_rest(in.source, 1000, content, 500000);
	sheaf_source_close(in.source);
	sheaf_context_free(cx);
	cx = usual;
	free(packed);
	free(content);
}

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

static void rewinds(void **state)
{
	(void)state;
	enum { SIZE = 600000 };
	uint8_t *content = make_content(SIZE);
	for (size_t f = 0; f <= COUNT(filters); f++) {
		size_t size;
		uint8_t *stored = packed_or_plain(f, content, SIZE, &size);
		for (int kind = 0; kind < KINDS; kind++) {
			input in;
			sheaf_bytes bytes;
			sheaf_buffer taken = {0};
			open_input(&in, (enum kind)kind, stored, size);
			assert_ok(sheaf_source_ahead(in.source, 100, &bytes, &err)); /* a look is allowed before */
			assert_ok(sheaf_source_make_rewindable(in.source, &err));
			assert_ok(sheaf_source_make_rewindable(in.source, &err));
			assert_ok(sheaf_source_ahead(in.source, 1000, &bytes, &err));
			sheaf_source_take(in.source, 1000, &taken);
			assert_ok(sheaf_source_rewind(in.source, &err));
			assert_int_equal(sheaf_source_tell(in.source), 0);
			assert_rest(in.source, 50000, content, SIZE);
			assert_ok(sheaf_source_rewind(in.source, &err));
			assert_ok(sheaf_source_rewind(in.source, &err));
			assert_rest(in.source, 50000, content, SIZE);
			assert_memory_equal(taken.data, content, 1000);
			if (f < COUNT(filters)) assert_string_equal(sheaf_source_compression(in.source), filters[f].name);
			sheaf_buffer_reset(&taken);
			close_input(&in);
		}
		free(stored);
	}
	free(content);
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

static void random_access(void **state)
{
	(void)state;
	enum { SIZE = 600000 };
	uint8_t *content = make_content(SIZE);
	for (size_t f = 0; f <= COUNT(filters); f++) {
		size_t size;
		uint8_t *stored = packed_or_plain(f, content, SIZE, &size);
		for (int kind = 0; kind < KINDS; kind++) {
			input in;
			sheaf_bytes bytes;
			sheaf_buffer view = {0}, whole = {0};
			open_input(&in, (enum kind)kind, stored, size);
			assert_status(SHEAF_USAGE, sheaf_source_read_at(in.source, 0, &view, 0, &err));
			assert_status(SHEAF_USAGE, sheaf_source_view_at(in.source, 0, 0, &view, &err));
			if (kind % 2) assert_ok(sheaf_source_ahead(in.source, 400000, &bytes, &err));
			assert_ok(sheaf_source_make_seekable(in.source, &err));
			assert_ok(sheaf_source_make_seekable(in.source, &err));
			assert_int_equal(sheaf_source_size(in.source), SIZE);
			assert_access(in.source, content, SIZE);
			assert_rest(in.source, 5000, content, SIZE); /* the stream still begins at its beginning */
			assert_ok(sheaf_source_rewind(in.source, &err));
			assert_rest(in.source, 70000, content, SIZE);
			assert_access(in.source, content, SIZE);
			assert_ok(sheaf_source_view_at(in.source, 0, SIZE, &whole, &err));
			assert_ok(sheaf_source_view_at(in.source, 77777, 5000, &view, &err));
			if (f < COUNT(filters)) assert_string_equal(sheaf_source_compression(in.source), filters[f].name);
			close_input(&in);
			assert_memory_equal(view.data, content + 77777, 5000); /* views outlive the source */
			assert_memory_equal(whole.data, content, SIZE);
			sheaf_buffer_reset(&view);
			sheaf_buffer_reset(&whole);
		}
		free(stored);
	}
	free(content);
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
	/* A file that somebody cuts after it was opened. */
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

/* With the process not allowed to write files beyond `bytes`: what a full disk does, without one. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
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

/* ---- stopping ---- */

static void stop_is_seen(void **state)
{
	(void)state;
	uint8_t *content = make_content(600000);
	char byte;
	for (int kind = 0; kind < KINDS; kind++) {
		if (kind == MEMORY) continue; /* nothing there takes long */
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
	assert_ok(sheaf_sink_path(in_folder("target"), stopped, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "new", 3, &err));
	sheaf_context_stop(stopped);
	assert_status(SHEAF_STOPPED, sheaf_sink_write(sink, content, 600000, &err));
	assert_status(SHEAF_STOPPED, sheaf_sink_commit(sink, &err));
	assert_status(SHEAF_STOPPED, sheaf_sink_path(in_folder("target"), stopped, &sink, &err));
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

/* ---- sinks ---- */

static void a_sink_writes_any_sizes(void **state)
{
	(void)state;
	enum { SIZE = 3000000 };
	uint8_t *content = make_content(SIZE);
	static const size_t most[] = {10, 5000, 262144, 262145, 700000, SIZE};
	for (size_t m = 0; m < COUNT(most); m++) {
		sheaf_sink *sink = NULL;
		size_t size = most[m] == 10 ? 300000 : SIZE;
		assert_ok(sheaf_sink_path(in_folder("out"), cx, &sink, &err));
		assert_string_equal(sheaf_sink_name(sink), in_folder("out"));
		for (size_t at = 0; at < size;) {
			size_t n = m % 2 ? most[m] : (size_t)(next_random() % (most[m] + 1));
			if (n > size - at) n = size - at;
			assert_ok(sheaf_sink_write(sink, content + at, n, &err));
			at += n;
			assert_int_equal(sheaf_sink_tell(sink), (int64_t)at);
		}
		assert_ok(sheaf_sink_commit(sink, &err));
		assert_file(in_folder("out"), content, size);
	}
	free(content);
}

static void output_is_whole_or_not_there(void **state)
{
	(void)state;
	uint8_t *content = make_content(600000);
	sheaf_sink *sink = NULL;
	const char *target = in_folder("target");
	assert_ok(sheaf_sink_path(target, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, content, 600000, &err));
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(temporaries(), 1);
	sheaf_sink_abandon(sink);
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(temporaries(), 0);

	write_raw(target, "old", 3);
	assert_ok(sheaf_sink_path(target, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, content, 600000, &err));
	assert_file(target, "old", 3);
	sheaf_sink_abandon(sink);
	assert_file(target, "old", 3);

	assert_ok(sheaf_sink_path(target, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, content, 600000, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
	assert_file(target, content, 600000);
	assert_int_equal(temporaries(), 0);

	assert_ok(sheaf_sink_path(target, cx, &sink, &err)); /* nothing written: an empty file */
	assert_ok(sheaf_sink_commit(sink, &err));
	assert_file(target, "", 0);
	sheaf_sink_abandon(NULL);
	free(content);
}

static mode_t mode_of(const char *path)
{
	struct stat info;
	assert_int_equal(stat(path, &info), 0);
	return info.st_mode & 07777;
}

static void mode_and_owner_are_kept(void **state)
{
	(void)state;
	static const mode_t modes[] = {0600, 0640, 0664, 0755, 0444};
	for (size_t i = 0; i < COUNT(modes); i++) {
		write_raw(in_folder("kept"), "old", 3);
		assert_int_equal(chmod(in_folder("kept"), modes[i]), 0);
		write_sink(in_folder("kept"), "new", 3);
		assert_file(in_folder("kept"), "new", 3);
		assert_int_equal(mode_of(in_folder("kept")), modes[i]);
		assert_int_equal(unlink(in_folder("kept")), 0);
	}
	static const mode_t masks[] = {022, 077, 0};
	for (size_t i = 0; i < COUNT(masks); i++) {
		mode_t before = umask(masks[i]);
		write_sink(in_folder("fresh"), "new", 3);
		umask(before);
		assert_int_equal(mode_of(in_folder("fresh")), 0666 & ~masks[i]);
		assert_int_equal(unlink(in_folder("fresh")), 0);
	}
	if (geteuid() != 0) return; /* only root can give a file away to begin with */
	struct stat info;
	write_raw(in_folder("owned"), "old", 3);
	assert_int_equal(chown(in_folder("owned"), 12345, 54321), 0);
	write_sink(in_folder("owned"), "new", 3);
	assert_int_equal(stat(in_folder("owned"), &info), 0);
	assert_int_equal(info.st_uid, 12345);
	assert_int_equal(info.st_gid, 54321);
}

/* What replaces a private file is private from its first byte on. */
static void temporaries_of_private_files_are_private(void **state)
{
	(void)state;
	sheaf_sink *sink = NULL;
	write_raw(in_folder("secret"), "old", 3);
	assert_int_equal(chmod(in_folder("secret"), 0600), 0);
	assert_ok(sheaf_sink_path(in_folder("secret"), cx, &sink, &err));
	DIR *entries = opendir(folder);
	assert_non_null(entries);
	for (const struct dirent *e; (e = readdir(entries));)
		if (strncmp(e->d_name, ".sheaf-", 7) == 0) assert_int_equal(mode_of(in_folder(e->d_name)) & 077, 0);
	closedir(entries);
	sheaf_sink_abandon(sink);
}

static void symbolic_links_are_followed(void **state)
{
	(void)state;
	char link[256];
	assert_int_equal(mkdir(in_folder("other"), 0777), 0);
	assert_int_equal(symlink("other/middle", in_folder("link")), 0);
	assert_int_equal(symlink("../other/target", in_folder("other/middle")), 0);
	for (int i = 0; i < 2; i++) { /* dangling at first, then not */
		write_sink(in_folder("link"), i ? "second" : "first", i ? 6 : 5);
		assert_file(in_folder("other/target"), i ? "second" : "first", i ? 6 : 5);
		assert_int_equal(readlink(in_folder("link"), link, sizeof link), 12);
		assert_int_equal(readlink(in_folder("other/middle"), link, sizeof link), 15);
	}
	assert_int_equal(symlink(in_folder("absolute-target"), in_folder("absolute")), 0);
	write_sink(in_folder("absolute"), "x", 1);
	assert_file(in_folder("absolute-target"), "x", 1);

	sheaf_sink *sink = NULL;
	assert_int_equal(symlink("loop", in_folder("loop")), 0);
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("loop"), cx, &sink, &err));
	assert_int_equal(err.sys, ELOOP);
	/* The name that the caller gave decides about compression. */
	assert_int_equal(symlink("unpacked", in_folder("link.gz")), 0);
	write_sink(in_folder("link.gz"), "content", 7);
	size_t size;
	uint8_t *bytes = read_raw(in_folder("unpacked"), &size);
	assert_memory_equal(bytes, "\x1f\x8b", 2);
	free(bytes);
}

static void names_without_a_folder(void **state)
{
	(void)state;
	int before = open(".", O_RDONLY | O_DIRECTORY);
	assert_int_equal(chdir(folder), 0);
	write_sink("bare", "content", 7);
	assert_file(in_folder("bare"), "content", 7);
	sheaf_sink *sink = NULL;
	assert_ok(sheaf_sink_path("bare", cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "moved", 5, &err));
	assert_int_equal(chdir("/"), 0); /* the folder is the one of the opening */
	assert_ok(sheaf_sink_commit(sink, &err));
	assert_file(in_folder("bare"), "moved", 5);
	assert_int_equal(fchdir(before), 0);
	close(before);
}

static void leftovers_are_removed_unless_locked(void **state)
{
	(void)state;
	write_raw(in_folder(".sheaf-left01"), "left", 4);
	write_raw(in_folder(".sheaf-left02"), "left", 4);
	write_raw(in_folder(".sheaf-locked"), "busy", 4);
	write_raw(in_folder("sheaf-other"), "data", 4);
	assert_int_equal(chmod(in_folder(".sheaf-left02"), 0444), 0);
	assert_int_equal(mkdir(in_folder(".sheaf-folder"), 0777), 0);
	assert_int_equal(symlink("sheaf-other", in_folder(".sheaf-link")), 0);
	int fd = open(in_folder(".sheaf-locked"), O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	write_sink(in_folder("target"), "new", 3);
	assert_int_equal(access(in_folder(".sheaf-left01"), F_OK), -1);
	assert_int_equal(access(in_folder(".sheaf-left02"), F_OK), -1);
	assert_file(in_folder(".sheaf-locked"), "busy", 4);
	assert_file(in_folder("sheaf-other"), "data", 4);
	close(fd);
	write_sink(in_folder("target"), "new", 3);
	assert_int_equal(access(in_folder(".sheaf-locked"), F_OK), -1);
}

static void two_sinks_in_one_folder(void **state)
{
	(void)state;
	sheaf_sink *first = NULL, *second = NULL, *same = NULL;
	assert_ok(sheaf_sink_path(in_folder("first"), cx, &first, &err));
	assert_ok(sheaf_sink_path(in_folder("second"), cx, &second, &err));
	assert_ok(sheaf_sink_path(in_folder("first"), cx, &same, &err));
	assert_int_equal(temporaries(), 3);
	assert_ok(sheaf_sink_write(first, "1", 1, &err));
	assert_ok(sheaf_sink_write(second, "22", 2, &err));
	assert_ok(sheaf_sink_write(same, "333", 3, &err));
	assert_ok(sheaf_sink_commit(first, &err));
	assert_file(in_folder("first"), "1", 1);
	assert_ok(sheaf_sink_commit(second, &err));
	assert_ok(sheaf_sink_commit(same, &err)); /* the last one wins, whole */
	assert_file(in_folder("first"), "333", 3);
	assert_file(in_folder("second"), "22", 2);
	assert_int_equal(temporaries(), 0);
}

static void a_killed_run_leaves_the_old_file(void **state)
{
	(void)state;
	write_raw(in_folder("target"), "old", 3);
	pid_t child = fork();
	if (child == 0) {
		sheaf_sink *sink = NULL;
		if (sheaf_sink_path(in_folder("target"), cx, &sink, &err) || sheaf_sink_write(sink, "new", 3, &err))
			_exit(1);
		raise(SIGKILL);
	}
	int how;
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFSIGNALED(how));
	assert_file(in_folder("target"), "old", 3);
	assert_int_equal(temporaries(), 1);
	write_sink(in_folder("target"), "next", 4);
	assert_file(in_folder("target"), "next", 4);
	assert_int_equal(temporaries(), 0);
}

/* Runs on one folder at the same time: every one clears leftovers while the others create. */
static void many_processes_write_at_once(void **state)
{
	(void)state;
	enum { CHILDREN = 4, FILES = 30 };
	pid_t children[CHILDREN];
	for (int c = 0; c < CHILDREN; c++) {
		children[c] = fork();
		if (children[c] > 0) continue;
		for (int i = 0; i < FILES; i++) {
			char name[32];
			sheaf_sink *sink = NULL;
			snprintf(name, sizeof name, "out-%d", i % 3);
			if (sheaf_sink_path(in_folder(name), cx, &sink, &err) ||
			    sheaf_sink_write(sink, "content", 7, &err) || sheaf_sink_commit(sink, &err))
				_exit(1);
		}
		_exit(0);
	}
	for (int c = 0; c < CHILDREN; c++) {
		int how;
		assert_int_equal(waitpid(children[c], &how, 0), children[c]);
		assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
	}
	assert_file(in_folder("out-0"), "content", 7);
	assert_int_equal(temporaries(), 0);
}

static void failures_of_sinks(void **state)
{
	(void)state;
	sheaf_sink *sink = NULL;
	assert_status(SHEAF_IO, sheaf_sink_path(folder, cx, &sink, &err));
	assert_null(sink);
	assert_int_equal(err.sys, EISDIR);
	assert_message("found a directory");
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("new/"), cx, &sink, &err));
	assert_status(SHEAF_IO, sheaf_sink_path("", cx, &sink, &err));
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("missing/file"), cx, &sink, &err));
	assert_int_equal(err.sys, ENOENT);
	assert_message("missing/file");
	write_raw(in_folder("file"), "x", 1);
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("file/under"), cx, &sink, &err));
	assert_int_equal(err.sys, ENOTDIR);
	char name[4200];
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = '\0';
	assert_status(SHEAF_IO, sheaf_sink_path(name, cx, &sink, &err));
	assert_int_equal(err.sys, ENAMETOOLONG);
	name[300] = '\0';
	assert_status(SHEAF_IO, sheaf_sink_path(name, cx, &sink, &err));
	assert_int_equal(err.sys, ENAMETOOLONG);

	assert_ok(sheaf_sink_path("/dev/full", cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "x", 1, &err));
	assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
	assert_int_equal(err.sys, ENOSPC);
	assert_message("/dev/full");

	/* The target turns into a folder after our back. */
	assert_ok(sheaf_sink_path(in_folder("turns"), cx, &sink, &err));
	assert_int_equal(mkdir(in_folder("turns"), 0777), 0);
	assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
	assert_int_equal(err.sys, EISDIR);
	assert_int_equal(temporaries(), 0);
}

/* As somebody who may not do everything; gives the step that went wrong, or 0. */
static int write_without_privileges(void)
{
	sheaf_sink *sink = NULL;
	struct stat info;
	if (geteuid() == 0 && (setgid(65534) || setuid(65534))) return 1;
	if (sheaf_sink_path(in_folder("readonly/new"), cx, &sink, &err) != SHEAF_IO || err.sys != EACCES)
		return 2;
	if (sheaf_sink_path(in_folder("readonly/device"), cx, &sink, &err) != SHEAF_IO || err.sys != EACCES)
		return 3;
	/* A folder that cannot be listed: neither cleaned nor synced, but written. */
	if (sheaf_sink_path(in_folder("blind/new"), cx, &sink, &err) || sheaf_sink_commit(sink, &err)) return 4;
	if (sheaf_source_path(in_folder("readonly/device"), cx, &(sheaf_source *){NULL}, &err) != SHEAF_IO ||
	    err.sys != EACCES)
		return 5;
	/* The owner of the old file cannot be kept, so its special rights go. */
	if (sheaf_sink_path(in_folder("open/old"), cx, &sink, &err) || sheaf_sink_commit(sink, &err)) return 6;
	if (stat(in_folder("open/old"), &info) || info.st_size != 0) return 7;
	return (info.st_mode & 07777) == (info.st_uid == 65534 ? 0755 : 06755) ? 0 : 8;
}

static void rights_are_respected(void **state)
{
	(void)state;
	static const char *const folders[] = {"readonly", "blind", "open"};
	static const mode_t modes[] = {0555, 0333, 0777};
	for (size_t i = 0; i < COUNT(folders); i++) assert_int_equal(mkdir(in_folder(folders[i]), 0777), 0);
	assert_int_equal(mkfifo(in_folder("readonly/device"), 0), 0);
	write_raw(in_folder("open/old"), "old", 3);
	assert_int_equal(chmod(in_folder("open/old"), 06755), 0);
	for (size_t i = 0; i < COUNT(folders); i++) assert_int_equal(chmod(in_folder(folders[i]), modes[i]), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	pid_t child = fork();
	if (child == 0) _exit(write_without_privileges());
	int how;
	assert_int_equal(waitpid(child, &how, 0), child);
	for (size_t i = 0; i < COUNT(folders); i++) assert_int_equal(chmod(in_folder(folders[i]), 0777), 0);
	assert_true(WIFEXITED(how));
	assert_int_equal(WEXITSTATUS(how), 0);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
	(void)state;
	uint8_t *content = make_content(600000);
	for (int late = 0; late < 2; late++) {
		/* In a write, and in the flush at commit. */
		size_t size = late ? 100000 : 600000;
		sheaf_sink *sink = NULL;
		write_raw(in_folder("target"), "old", 3);
		assert_ok(sheaf_sink_path(in_folder("target"), cx, &sink, &err));
		limit_files(50000);
		sheaf_status written = sheaf_sink_write(sink, content, size, &err);
		assert_int_equal(written, late ? SHEAF_OK : SHEAF_IO);
		if (!late) {
			assert_int_equal(err.sys, EFBIG);
			assert_status(SHEAF_IO, sheaf_sink_write(sink, "x", 1, &err)); /* no way back */
		}
		assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
		limit_files(RLIM_INFINITY);
		assert_int_equal(err.sys, EFBIG);
		assert_message("target");
		assert_file(in_folder("target"), "old", 3);
		assert_int_equal(temporaries(), 0);
	}
	free(content);
}

static void *read_fifo(void *user)
{
	pipe_feed *f = (pipe_feed *)user;
	uint8_t *to = (uint8_t *)malloc(f->size + 1);
	size_t at = 0;
	ssize_t n;
	f->fd = open((const char *)f->data, O_RDONLY);
	while (to && at <= f->size && (n = read(f->fd, to + at, f->size + 1 - at)) > 0) at += (size_t)n;
	close(f->fd);
	f->size = at;
	return to;
}

static void what_is_no_regular_file_is_written_directly(void **state)
{
	(void)state;
	uint8_t *content = make_content(600000);
	void *got = NULL;
	assert_int_equal(mkfifo(in_folder("fifo"), 0666), 0);
	pipe_feed f = {.data = (const uint8_t *)strdup(in_folder("fifo")), .size = 600000};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, read_fifo, &f), 0);
	write_sink(in_folder("fifo"), content, 600000);
	pthread_join(thread, &got);
	assert_int_equal(f.size, 600000);
	assert_memory_equal(got, content, 600000);
	struct stat info;
	assert_int_equal(stat(in_folder("fifo"), &info), 0);
	assert_true(S_ISFIFO(info.st_mode));
	assert_int_equal(temporaries(), 0);
	free(got);
	free((void *)(uintptr_t)f.data);
	write_sink("/dev/null", content, 600000);
	assert_int_equal(stat("/dev/null", &info), 0);
	assert_true(S_ISCHR(info.st_mode));
	free(content);
}

/* Runs with descriptor 1 on `fd`; the tests' own output goes there meanwhile, so nothing may fail in
 * between. */
static sheaf_status write_standard_output(int fd, const void *data, size_t size, const char *path)
{
	fflush(stdout);
	int saved = dup(1);
	dup2(fd, 1);
	sheaf_sink *sink = NULL;
	sheaf_status status = sheaf_sink_path(path, cx, &sink, &err);
	if (!status) {
		status = sheaf_sink_write(sink, data, size, &err);
		sheaf_status committed = sheaf_sink_commit(sink, &err);
		if (!status) status = committed;
	}
	if (fcntl(1, F_GETFD) < 0) status = SHEAF_USAGE; /* it is not ours to close */
	dup2(saved, 1);
	close(saved);
	return status;
}

static void standard_output(void **state)
{
	(void)state;
	int fd = open(in_folder("stdout"), O_RDWR | O_CREAT | O_TRUNC, 0666);
	assert_ok(write_standard_output(fd, "content", 7, "-"));
	assert_file(in_folder("stdout"), "content", 7);
	assert_ok(write_standard_output(fd, "other", 5, "/dev/stdout"));
	assert_file(in_folder("stdout"), "contentother",
	            12); /* after what is there: the file is open, and not ours to replace */
	close(fd);
	/* An open file without a name can only be written directly. */
	fd = memfd_create("nameless", 0);
	assert_ok(write_standard_output(fd, "content", 7, "/dev/stdout"));
	char bytes[8];
	assert_int_equal(pread(fd, bytes, sizeof bytes, 0), 7);
	close(fd);
	/* A reader that has gone. */
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_status(SHEAF_IO, write_standard_output(ends[1], "content", 7, "-"));
	assert_int_equal(err.sys, EPIPE);
	assert_message("(stdout)");
	close(ends[1]);
}

typedef struct gathered {
	uint8_t *data;
	size_t size;
	int calls;
	int result;
} gathered;

static int gather(void *user, const void *data, size_t size)
{
	gathered *g = (gathered *)user;
	if (g->result) return g->result;
	memcpy(g->data + g->size, data, size);
	g->size += size;
	g->calls++;
	return 0;
}

static void a_function_as_a_sink(void **state)
{
	(void)state;
	enum { SIZE = 700000 };
	uint8_t *content = make_content(SIZE);
	gathered g = {.data = (uint8_t *)malloc(SIZE)};
	sheaf_sink *sink = NULL;
	assert_ok(
		sheaf_sink_function(gather, &g, "function.gz", cx, &sink, &err)); /* the name is for messages only */
	assert_string_equal(sheaf_sink_name(sink), "function.gz");
	for (size_t at = 0; at < SIZE; at += 1000) assert_ok(sheaf_sink_write(sink, content + at, 1000, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
	assert_int_equal(g.size, SIZE);
	assert_memory_equal(g.data, content, SIZE);
	assert_true(g.calls <= 4);
	g.result = -ENOSPC;
	assert_ok(sheaf_sink_function(gather, &g, NULL, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "x", 1, &err));
	assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
	assert_int_equal(err.sys, ENOSPC);
	assert_ok(sheaf_sink_function(gather, &g, NULL, cx, &sink, &err));
	sheaf_sink_abandon(sink);
	free(g.data);
	free(content);
}

static void compressed_output_is_bounded(void **state)
{
	(void)state;
	enum { STEP = 100000, STEPS = 30 };
	uint8_t *content = make_content(STEP);
	for (size_t f = 0; f < 3; f++) { /* xz's own hundred megabytes say nothing */
		sheaf_context *usual = cx;
		int64_t peak;
		sheaf_sink *sink = NULL;
		cx = new_context(0);
		char name[32];
		snprintf(name, sizeof name, "bounded%s", filters[f].suffix);
		assert_ok(sheaf_sink_path(in_folder(name), cx, &sink, &err));
		for (int i = 0; i < STEPS; i++) assert_ok(sheaf_sink_write(sink, content, STEP, &err));
		assert_int_equal(sheaf_sink_tell(sink), STEP * STEPS);
		assert_ok(sheaf_sink_commit(sink, &err));
		sheaf_context_memory(cx, &peak);
		assert_true(peak < 10 << 20);
		sheaf_context_free(cx);
		cx = usual;
	}
	free(content);
}

/* ---- the sorter ---- */

typedef struct record {
	uint64_t key, value;
} record;

static int compare_records(const void *a, const void *b)
{
	const record *x = (const record *)a, *y = (const record *)b;
	if (x->key != y->key) return x->key < y->key ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

typedef struct expected {
	const record *records;
	size_t n, at;
	size_t stop_at;
} expected;

static sheaf_status compare_next(void *user, uint64_t key, uint64_t value)
{
	expected *e = (expected *)user;
	assert_true(e->at < e->n);
	assert_int_equal(key, e->records[e->at].key);
	assert_int_equal(value, e->records[e->at].value);
	return ++e->at == e->stop_at ? SHEAF_LOSS : SHEAF_OK;
}

/* Keys by the way the data come: anything, few different ones, ascending, descending, all equal. */
static uint64_t make_key(int way, size_t i)
{
	switch (way) {
	case 0: return next_random();
	case 1: return next_random() % 7;
	case 2: return i;
	case 3: return UINT64_MAX - i;
	default: return 42;
	}
}

static record *make_records(int way, size_t n)
{
	record *records = (record *)calloc(n + 1, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < n; i++)
		records[i] = (record){make_key(way, i), way % 2 ? i : next_random() % 1000};
	return records;
}

static void sorts_like_a_plain_sort(void **state)
{
	(void)state;
	static const size_t memories[] = {0, 20000, 200000, 64 << 20};
	static const size_t sizes[] = {0, 1, 2, 127, 128, 129, 5000, 200000};
	for (size_t i = 0; i < COUNT(memories) * COUNT(sizes) * 5; i++) {
		size_t memory = memories[i % COUNT(memories)], n = sizes[i / COUNT(memories) % COUNT(sizes)];
		record *records = make_records((int)(i / COUNT(memories) / COUNT(sizes)), n);
		sheaf_context *usual = cx;
		sheaf_sorter *sorter = NULL;
		int64_t peak;
		cx = new_context(0);
		assert_ok(sheaf_sorter_new(cx, memory, &sorter, &err));
		for (size_t r = 0; r < n; r++)
			assert_ok(sheaf_sorter_add(sorter, records[r].key, records[r].value, &err));
		qsort(records, n, sizeof *records, compare_records);
		expected e = {.records = records, .n = n};
		assert_ok(sheaf_sorter_finish(sorter, compare_next, &e, &err));
		assert_int_equal(e.at, n);
		assert_status(SHEAF_USAGE, sheaf_sorter_finish(sorter, compare_next, &e, &err));
		assert_status(SHEAF_USAGE, sheaf_sorter_add(sorter, 1, 1, &err));
		sheaf_sorter_free(sorter);
		sheaf_context_memory(cx, &peak);
		assert_true(peak < (int64_t)memory + (120 << 10)); /* the run table of 1600 runs, a merge's buffer */
		assert_int_equal(sheaf_context_memory(cx, NULL), 0);
		sheaf_context_free(cx);
		cx = usual;
		free(records);
	}
	sheaf_sorter_free(NULL);
}

static void the_sorters_callback_may_end_it(void **state)
{
	(void)state;
	record *records = make_records(2, 5000);
	qsort(records, 5000, sizeof *records, compare_records);
	for (size_t memory = 0; memory <= 1 << 20; memory += 1 << 20) {
		expected e = {.records = records, .n = 5000, .stop_at = 3000};
		sheaf_sorter *sorter = NULL;
		assert_ok(sheaf_sorter_new(cx, memory, &sorter, &err));
		for (size_t r = 0; r < 5000; r++)
			assert_ok(sheaf_sorter_add(sorter, records[r].key, records[r].value, &err));
		assert_int_equal(sheaf_sorter_finish(sorter, compare_next, &e, &err), SHEAF_LOSS);
		assert_int_equal(e.at, 3000);
		sheaf_sorter_free(sorter);
	}
	free(records);
}

static void the_sorter_stops(void **state)
{
	(void)state;
	sheaf_context *stopped = new_context(0);
	expected e = {0};
	for (int n = 1; n <= 1000; n *= 1000) {
		sheaf_sorter *sorter = NULL;
		assert_ok(sheaf_sorter_new(stopped, 0, &sorter, &err));
		sheaf_status status = SHEAF_OK;
		for (int i = 0; i < n && !status; i++) status = sheaf_sorter_add(sorter, 1, 1, &err);
		sheaf_context_stop(stopped);
		if (!status) status = sheaf_sorter_finish(sorter, compare_next, &e, &err);
		assert_int_equal(status, SHEAF_STOPPED);
		sheaf_sorter_free(sorter);
	}
	sheaf_context_free(stopped);
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
	SHEAF_TRY(sheaf_sink_path(in_folder(name), c, &sink, &err));
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

static sheaf_status sort_some(sheaf_context *c, const char *name)
{
	size_t n = name ? 3000 : 100;
	record *records = make_records(2, n);
	expected e = {.records = records, .n = n};
	sheaf_sorter *sorter = NULL;
	sheaf_status status = sheaf_sorter_new(c, 0, &sorter, &err);
	for (size_t r = n; r-- > 0 && !status;)
		status = sheaf_sorter_add(sorter, records[r].key, records[r].value, &err);
	if (!status) status = sheaf_sorter_finish(sorter, compare_next, &e, &err);
	sheaf_sorter_free(sorter);
	free(records);
	return status;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	static const struct {
		sheaf_status (*run)(sheaf_context *c, const char *name);
		const char *name;
	} scenarios[] = {{write_path, "a"},        {write_path, "a.gz"}, {write_path, "a.bz2"},
	                 {write_path, "a.zst"},    {write_path, "a.xz"}, {read_path, "a"},
	                 {read_path, "a.gz"},      {read_path, "a.bz2"}, {read_path, "a.zst"},
	                 {read_path, "a.xz"},      {view_path, "a"},     {view_path, "a.gz"},
	                 {view_path, "a.zst"},     {read_memory, NULL},  {spool_function, "function"},
	                 {write_function, "name"}, {sort_some, NULL},    {sort_some, "spilled"}};
	scenario_content = make_content(SCENARIO_SIZE);
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		int refused = 0;
		for (int64_t fail_at = 1;; fail_at++) {
			allocator failing = {.fail_at = fail_at};
			sheaf_context *c = NULL;
			sheaf_context_options options = options_with(&failing);
			sheaf_status status = sheaf_context_new(&options, &c, &err);
			if (!status) {
				status = scenarios[i].run(c, scenarios[i].name);
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
	assert_int_equal(sheaf_sink_path(folder, cx, &sink, NULL), SHEAF_IO);
	assert_ok(sheaf_sink_path("/dev/full", cx, &sink, NULL));
	assert_ok(sheaf_sink_write(sink, "x", 1, NULL));
	assert_int_equal(sheaf_sink_commit(sink, NULL), SHEAF_IO);
	free(packed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
		TEST(round_trips_by_suffix_and_content),
		TEST(a_suffix_alone_is_no_compression),
		TEST(concatenated_members),
		TEST(a_skippable_zstd_frame_is_skipped),
		TEST(truncated_at_every_byte),
		TEST(corrupted_at_every_byte),
		TEST(trailing_garbage_is_refused),
		TEST(xz_keeps_to_the_memory_limit),
		TEST(rewinds),
		TEST(what_passes_once_says_so),
		TEST(random_access),
		TEST(access_keeps_to_the_bounds),
		TEST(beyond_four_gigabytes),
		TEST(a_file_that_cannot_be_mapped_is_copied),
		TEST(several_threads_read_at_random),
		TEST(a_spool_that_fails_names_the_folder),
		TEST(stop_is_seen),
		TEST(a_signal_ends_a_read_that_waits),
		TEST(a_sink_writes_any_sizes),
		TEST(output_is_whole_or_not_there),
		TEST(mode_and_owner_are_kept),
		TEST(temporaries_of_private_files_are_private),
		TEST(symbolic_links_are_followed),
		TEST(names_without_a_folder),
		TEST(leftovers_are_removed_unless_locked),
		TEST(two_sinks_in_one_folder),
		TEST(a_killed_run_leaves_the_old_file),
		TEST(many_processes_write_at_once),
		TEST(failures_of_sinks),
		TEST(rights_are_respected),
		TEST(a_full_disk_leaves_the_old_file),
		TEST(what_is_no_regular_file_is_written_directly),
		TEST(standard_output),
		TEST(a_function_as_a_sink),
		TEST(compressed_output_is_bounded),
		TEST(sorts_like_a_plain_sort),
		TEST(the_sorters_callback_may_end_it),
		TEST(the_sorter_stops),
		TEST(every_allocation_may_fail),
		TEST(errors_may_be_unwanted),
	};
	return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}
