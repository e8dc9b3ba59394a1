/* SPDX-License-Identifier: MIT */
/* How often threads synchronise: the locks that reading takes per megabyte, which decide how many threads
 * it can use. This program's lock function replaces the C library's. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <sheaf/sheaf.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static _Atomic int64_t locks;

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static _Atomic(void *) found;
	int (*lock)(pthread_mutex_t *);
	if (!found) found = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	void *address = found;
	memcpy(&lock, &address, sizeof lock);
	locks++;
	return lock(mutex);
}

enum { MEGABYTES = 16, LINE = 16 };

static char *make_text(void)
{
	size_t lines = MEGABYTES * 1000000 / LINE;
	char *text = (char *)malloc(lines * LINE + 1);
	assert_non_null(text);
	for (size_t i = 0; i < lines; i++) memcpy(text + i * LINE, "|S 1 22 3 444 5\n", LINE);
	text[lines * LINE] = '\0';
	return text;
}

static int64_t count_rows(const char *text, int threads)
{
	sheaf_context_options options = {.size = sizeof options, .threads = threads};
	sheaf_setting stream = {.name = "stream", .value = "S:5:dense"};
	sheaf_open_options open = {.size = sizeof open, .format = "ctf", .settings = &stream, .nsettings = 1};
	sheaf_context *cx;
	sheaf_source *source;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_error err = {0};
	sheaf_status status;
	int64_t rows = 0;
	assert_int_equal(SHEAF_OK, sheaf_context_new(&options, &cx, &err));
	assert_int_equal(SHEAF_OK, sheaf_source_memory((sheaf_bytes){(const uint8_t *)text, strlen(text)},
	                                               "x.ctf", cx, &source, &err));
	assert_int_equal(SHEAF_OK, sheaf_open_source(source, &open, cx, &dataset, &err));
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) rows += frame->nrows;
	assert_int_equal(SHEAF_END, status);
	sheaf_close(dataset);
	sheaf_context_free(cx);
	return rows;
}

static void reading_takes_few_locks(void **state)
{
	enum { MOST = 40 /* for each megabyte: some twelve for a piece, of which there are two */ };
	static const int threads[] = {1, 2, 8};
	char *text = make_text();
	(void)state;
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		locks = 0;
		assert_int_equal(MEGABYTES * 1000000 / LINE, count_rows(text, threads[i]));
		assert_true(locks > MEGABYTES); /* they are counted */
		assert_in_range(locks, 1, MOST * MEGABYTES);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(reading_takes_few_locks)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
