/* SPDX-License-Identifier: MIT */
/* What the system and other libraries refuse: memory for compression and for JSON, locks, and files of a
 * folder. In each conversion each of these calls fails once: it ends with a reason and without an output, or
 * does without what it asked for. */
#include "support.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef enum refused { DEFLATE, JSON, LOCK, OPEN, STATE, FOLDER, NAMES } refused;

static refused which;
static atomic_int left = -1; /* calls before the one that fails; below 0: none does */

static bool fails(refused what)
{
	return what == which && atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

static void *allocate_for_deflate(size_t size) { return fails(DEFLATE) ? NULL : calloc(1, size); }
static void *allocate_for_json(size_t size) { return fails(JSON) ? NULL : calloc(1, size); }

/* Instead of the C library's. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *how)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	(void)how;
	if (fails(LOCK)) return ENOMEM;
	*mutex = fresh;
	return 0;
}

/* These are called as they are where they do not fail. */
static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	assert_non_null(found);
	errno = 0;
	return found;
}

static bool fails_with(refused what, int error)
{
	if (!fails(what)) return false;
	errno = error;
	return true;
}

int openat(int folder_fd, const char *path, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	unsigned mode = flags & O_CREAT ? va_arg(more, unsigned) : 0;
	va_end(more);
	int (*call)(int, const char *, int, ...) = (int (*)(int, const char *, int, ...))next("openat");
	return fails_with(OPEN, EIO) ? -1 : call(folder_fd, path, flags, mode);
}

int fstat(int fd, struct stat *info)
{
	int (*call)(int, struct stat *) = (int (*)(int, struct stat *))next("fstat");
	return fails_with(STATE, EIO) ? -1 : call(fd, info);
}

DIR *fdopendir(int fd)
{
	DIR *(*call)(int) = (DIR * (*)(int)) next("fdopendir");
	return fails_with(FOLDER, ENOMEM) ? NULL : call(fd);
}

struct dirent *readdir(DIR *listing)
{
	struct dirent *(*call)(DIR *) = (struct dirent * (*)(DIR *)) next("readdir");
	return fails_with(NAMES, EIO) ? NULL : call(listing);
}

static sheaf_status turn(const char *from, const char *to, const char *format, const char *packing)
{
	sheaf_context *own = NULL;
	const sheaf_setting packed = {"compression", packing};
	const char *input = in_folder(from);
	sheaf_convert_options how = {.size = sizeof how,
	                             .open =
	                                 &(sheaf_open_options){.settings = &packed, .nsettings = packing != NULL},
	                             .to = format,
	                             .force = true};
	const sheaf_context_options options = {.size = sizeof options, .threads = 1};
	sheaf_status status = sheaf_context_new(&options, &own, &err);
	if (status == SHEAF_OK) status = sheaf_convert(&input, 1, in_folder(to), &how, own, &err);
	sheaf_context_free(own);
	return status;
}

static const struct {
	refused what;
	const char *from, *to, *format, *packing, *told;
	int most; /* calls that fail, each by itself; 0: all */
} cases[] = {
	{DEFLATE, "a.mtx", "b.npz", "npz", "deflate", "b.npz: expected memory to compress with, found none"},
	{DEFLATE, "a.mtx", "b.npz", "binsparse", "deflate",
	 "b.npz: expected memory to compress with, found none"},
	{DEFLATE, "a.mtx", "b.h5", "binsparse", "deflate", "expected memory to compress a chunk, found none"},
	{DEFLATE, "a.mtx", "b.zarr", "binsparse", "deflate", "expected memory to compress a chunk, found none"},
	{DEFLATE, "a.h5", "b.mtx", NULL, NULL, "found no memory"},
	{DEFLATE, "a.npz", "b.mtx", NULL, NULL, "no memory to unpack with"},
	{DEFLATE, "levels.npz", "b.mtx", NULL, NULL, "no memory to unpack with"},
	{JSON, "a.mtx", "b.h5", "binsparse", NULL, "descriptor: expected memory for its JSON, found none"},
	/* Where it has no room for more of a text, Jansson goes on without: so only its first call fails. */
	{JSON, "a.h5", "b.mtx", NULL, NULL, "bytes of JSON, found none", 1},
	{JSON, "a.zarr", "b.mtx", NULL, NULL, "bytes of JSON, found none", 1},
	{LOCK, "a.mtx", "b.mtx", NULL, NULL, "context: expected a lock"},
	{LOCK, "a.mtx", "b.h5", "binsparse", NULL, "b.h5: expected a lock"},
	{LOCK, "a.h5", "b.mtx", NULL, NULL, "a.h5: expected a lock"},
	{LOCK, "a.zarr", "b.mtx", NULL, NULL, "a.zarr: expected a lock"},
	{OPEN, "a.zarr", "b.mtx", NULL, NULL, "expected a readable file"},
	{STATE, "a.zarr", "b.mtx", NULL, NULL, "expected an open file"},
	{FOLDER, "a.zarr", "b.mtx", NULL, NULL, "expected a folder"},
	{NAMES, "a.zarr", "b.mtx", NULL, NULL, "expected names"},
};

static void make_inputs(void)
{
	static char text[40000] = "%%MatrixMarket matrix coordinate real general\n3000 1 2000\n";
	size_t used = strlen(text);
	for (int i = 1; i <= 2000; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%d 1 %d\n", i, i % 7);
	write_file("a.mtx", text, used);
	assert_ok(turn("a.mtx", "a.h5", "binsparse", "deflate"));
	assert_ok(turn("a.mtx", "a.zarr", "binsparse", "deflate"));
	assert_ok(turn("a.mtx", "a.npz", "npz", "deflate"));
	assert_ok(turn("a.mtx", "levels.npz", "binsparse", "deflate"));
}

static void test_calls_that_fail(void **state)
{
	(void)state;
	libdeflate_set_memory_allocator(allocate_for_deflate, free);
	json_set_alloc_funcs(allocate_for_json, free);
	make_inputs();
	for (size_t i = 0; i < COUNT(cases); i++) {
		bool is_told = false;
		int before = files_in_folder();
		which = cases[i].what;
		for (int n = 0, over = 0; !over && (n < cases[i].most || !cases[i].most); n++) {
			atomic_store(&left, n);
			sheaf_status status = turn(cases[i].from, cases[i].to, cases[i].format, cases[i].packing);
			over = atomic_exchange(&left, -1) >= 0;
			if (over) assert_ok(status);
			if (status == SHEAF_OK) before = files_in_folder();
			if (status == SHEAF_OK) continue;
			if (status != (which >= LOCK ? SHEAF_IO : SHEAF_NOMEM))
				fail_msg("case %zu, call %d: %s", i, n, err.message);
			is_told |= strstr(err.message, cases[i].told) != NULL;
			assert_int_equal(files_in_folder(), before);
		}
		if (!is_told) fail_msg("case %zu: not told: %s", i, cases[i].told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_calls_that_fail, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
