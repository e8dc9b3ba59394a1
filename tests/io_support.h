/* SPDX-License-Identifier: MIT */
/* What the tests of sources and sinks share: a folder and a context for each, content, inputs of every
 * kind. Nothing of a test may be left at its end: no byte, and no open descriptor. */
#ifndef SHEAF_TESTS_IO_SUPPORT_H
#define SHEAF_TESTS_IO_SUPPORT_H

#include "io/filters/filter.h"
#include "support.h"
#include <pthread.h>
#include <sys/resource.h>

/* ---- a folder and a context for each test ---- */

extern allocator counted;
extern sheaf_context *cx;
sheaf_context *new_context(int64_t max_memory);
int set_up(void **state);
int tear_down(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
/* How many names in the folder begin with ".sheaf-". */
int temporaries(void);

/* ---- content ---- */

/* Lines of numbers, like the data files we read: compressible, and never the same for long. */
uint8_t *make_content(size_t size);
void write_raw(const char *path, const void *data, size_t size);
uint8_t *read_raw(const char *path, size_t *size);
void assert_file(const char *path, const void *data, size_t size);
void write_sink(const char *path, const void *data, size_t size);
/* `data` compressed by the sink, as raw bytes. */
uint8_t *compress(const char *suffix, const void *data, size_t size, size_t *out_size);

enum { FILTERS = 4 };
extern const struct filter_case {
	const char *name, *suffix;
	size_t magic;
	bool padded;
} filters[FILTERS];

/* ---- inputs of every kind ---- */

typedef struct feed {
	const uint8_t *data;
	size_t size, at;
	size_t step;   /* bytes given at a time; 0: a random number */
	int interrupt; /* -EINTR before each such number of calls */
	int calls;
	int64_t wrong;   /* given instead of bytes when not 0 */
	size_t fails_at; /* from this byte on */
} feed;

int64_t read_feed(void *user, void *data, size_t size);

typedef struct pipe_feed {
	int fd;
	const uint8_t *data;
	size_t size;
	pthread_t thread;
} pipe_feed;

enum kind { PATH, FIFO, MEMORY, ONE_BYTE, RANDOM_BYTES, INTERRUPTED, KINDS };

/* An input of one kind, and what stands after it. */
typedef struct input {
	enum kind kind;
	sheaf_source *source;
	feed feed;
	pipe_feed pipe;
} input;

void open_input(input *in, enum kind kind, const uint8_t *data, size_t size);
void close_input(input *in);
/* Reads from here to the end in steps of `want` and compares. */
void assert_rest(sheaf_source *source, size_t want, const uint8_t *data, size_t size);

/* ---- outputs ---- */

/* What a function was given that is a sink. */
typedef struct gathered {
	uint8_t *data;
	size_t size;
	int calls;
	int result;
} gathered;
int gather(void *user, const void *data, size_t size);

/* ---- limits, and failing allocations ---- */

void limit_files(rlim_t bytes);

/* Runs it once for each of its allocations, which fails: NOMEM, with a message, and nothing is leaked. */
void assert_allocations_may_fail(sheaf_status (*run)(sheaf_context *c, const char *name), const char *name);

#endif
