/* SPDX-License-Identifier: MIT */
/* Sinks: an output appears whole or not at all, whatever happens. */
#include "io/sink.h"
#include "io_support.h"
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- sinks ---- */

/* What was written before could not be moved any more. */
static void a_sink_in_use_does_not_become_random(void **state)
{
	(void)state;
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder("out"), true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "a", 1, &err));
	assert_status(SHEAF_USAGE, sheaf_sink_make_random(sink, &err));
	assert_message("something has been written already");
	sheaf_sink_abandon(sink);
	assert_ok(sheaf_sink_path(in_folder("out"), true, cx, &sink, &err));
	assert_ok(sheaf_sink_make_random(sink, &err));
	assert_status(SHEAF_USAGE, sheaf_sink_make_tree(sink, &err));
	assert_message("something has been written already");
	assert_status(SHEAF_USAGE, sheaf_sink_write(sink, "a", 1, &err));
	assert_message("expected a write at a given byte, found one at the end");
	sheaf_sink_abandon(sink);
}

static sheaf_status write_more(sheaf_sink *sink) { return sheaf_sink_write(sink, "a", 1, &err); }
static sheaf_status make_random(sheaf_sink *sink) { return sheaf_sink_make_random(sink, &err); }
static sheaf_status make_tree(sheaf_sink *sink) { return sheaf_sink_make_tree(sink, &err); }
static sheaf_status make_clone(sheaf_sink *sink)
{
	bool is_there;
	return sheaf_sink_make_clone(sink, &is_there, &err);
}

static void a_sink_that_failed_says_so_to_each_call(void **state)
{
	(void)state;
	sheaf_status (*const calls[])(sheaf_sink *sink) = {write_more, make_random, make_tree, make_clone};
	sheaf_sink *sink;
	sheaf_error why;
	(void)!sheaf_fail(&why, SHEAF_STALE, "it was spoilt");
	for (size_t i = 0; i <= COUNT(calls); i++) {
		assert_ok(sheaf_sink_path(in_folder("out"), true, cx, &sink, &err));
		sheaf_sink_spoil(sink, &why);
		if (i < COUNT(calls)) {
			assert_status(SHEAF_STALE, calls[i](sink));
			assert_message("it was spoilt");
			sheaf_sink_abandon(sink);
		} else {
			assert_status(SHEAF_STALE, sheaf_sink_commit(sink, &err));
			assert_message("it was spoilt");
		}
		assert_int_not_equal(0, access(in_folder("out"), F_OK));
	}
}

static void only_the_name_of_a_folder_becomes_one(void **state)
{
	(void)state;
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder("out.gz"), true, cx, &sink, &err));
	assert_status(SHEAF_UNSUPPORTED, sheaf_sink_make_tree(sink, &err));
	assert_message("expected the name of a folder to make, found an output that is not a folder");
	sheaf_sink_abandon(sink);
}

static void a_sink_writes_any_sizes(void **state)
{
	(void)state;
	enum { SIZE = 3000000 };
	uint8_t *content = make_content(SIZE);
	static const size_t most[] = {10, 5000, 262144, 262145, 700000, SIZE};
	for (size_t m = 0; m < COUNT(most); m++) {
		sheaf_sink *sink = NULL;
		size_t size = most[m] == 10 ? 300000 : SIZE;
		assert_ok(sheaf_sink_path(in_folder("out"), true, cx, &sink, &err));
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
	assert_ok(sheaf_sink_path(target, true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, content, 600000, &err));
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(temporaries(), 1);
	sheaf_sink_abandon(sink);
	assert_int_equal(access(target, F_OK), -1);
	assert_int_equal(temporaries(), 0);

	write_raw(target, "old", 3);
	assert_ok(sheaf_sink_path(target, true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, content, 600000, &err));
	assert_file(target, "old", 3);
	sheaf_sink_abandon(sink);
	assert_file(target, "old", 3);

	assert_ok(sheaf_sink_path(target, true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, content, 600000, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
	assert_file(target, content, 600000);
	assert_int_equal(temporaries(), 0);

	assert_ok(sheaf_sink_path(target, true, cx, &sink, &err)); /* nothing written: an empty file */
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
	assert_ok(sheaf_sink_path(in_folder("secret"), true, cx, &sink, &err));
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
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("loop"), true, cx, &sink, &err));
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
	assert_ok(sheaf_sink_path("bare", true, cx, &sink, &err));
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
	assert_ok(sheaf_sink_path(in_folder("first"), true, cx, &first, &err));
	assert_ok(sheaf_sink_path(in_folder("second"), true, cx, &second, &err));
	assert_ok(sheaf_sink_path(in_folder("first"), true, cx, &same, &err));
	assert_int_equal(temporaries(), 3);
	assert_ok(sheaf_sink_write(first, "1", 1, &err));
	assert_ok(sheaf_sink_write(second, "22", 2, &err));
	assert_ok(sheaf_sink_write(same, "333", 3, &err));
	assert_ok(sheaf_sink_commit(first, &err));
	assert_file(in_folder("first"), "1", 1);
	assert_ok(sheaf_sink_commit(second, &err));
	assert_ok(sheaf_sink_commit(same, &err)); /* the last one wins, and is whole */
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
		if (sheaf_sink_path(in_folder("target"), true, cx, &sink, &err) ||
		    sheaf_sink_write(sink, "new", 3, &err))
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
			if (sheaf_sink_path(in_folder(name), true, cx, &sink, &err) ||
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
	assert_status(SHEAF_IO, sheaf_sink_path(folder, true, cx, &sink, &err));
	assert_null(sink);
	assert_int_equal(err.sys, EISDIR);
	assert_message("found a directory");
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("new/"), true, cx, &sink, &err));
	assert_status(SHEAF_IO, sheaf_sink_path("", true, cx, &sink, &err));
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("missing/file"), true, cx, &sink, &err));
	assert_int_equal(err.sys, ENOENT);
	assert_message("missing/file");
	write_raw(in_folder("file"), "x", 1);
	assert_status(SHEAF_IO, sheaf_sink_path(in_folder("file/under"), true, cx, &sink, &err));
	assert_int_equal(err.sys, ENOTDIR);
	char name[4200];
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = '\0';
	assert_status(SHEAF_IO, sheaf_sink_path(name, true, cx, &sink, &err));
	assert_int_equal(err.sys, ENAMETOOLONG);
	name[300] = '\0';
	assert_status(SHEAF_IO, sheaf_sink_path(name, true, cx, &sink, &err));
	assert_int_equal(err.sys, ENAMETOOLONG);

	assert_ok(sheaf_sink_path("/dev/full", true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "x", 1, &err));
	assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
	assert_int_equal(err.sys, ENOSPC);
	assert_message("/dev/full");

	/* The target becomes a folder in the meantime. */
	assert_ok(sheaf_sink_path(in_folder("turns"), true, cx, &sink, &err));
	assert_int_equal(mkdir(in_folder("turns"), 0777), 0);
	assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
	assert_int_equal(err.sys, EISDIR);
	assert_int_equal(temporaries(), 0);
}

/* As a user without special rights; returns the step that went wrong, or 0. */
static int write_without_privileges(void)
{
	sheaf_sink *sink = NULL;
	struct stat info;
	if (geteuid() == 0 && (setgid(65534) || setuid(65534))) return 1;
	if (sheaf_sink_path(in_folder("readonly/new"), true, cx, &sink, &err) != SHEAF_IO || err.sys != EACCES)
		return 2;
	if (sheaf_sink_path(in_folder("readonly/device"), true, cx, &sink, &err) != SHEAF_IO || err.sys != EACCES)
		return 3;
	/* A folder that cannot be listed: neither cleaned nor synced, but written. */
	if (sheaf_sink_path(in_folder("blind/new"), true, cx, &sink, &err) || sheaf_sink_commit(sink, &err))
		return 4;
	if (sheaf_source_path(in_folder("readonly/device"), cx, &(sheaf_source *){NULL}, &err) != SHEAF_IO ||
	    err.sys != EACCES)
		return 5;
	/* The owner of the old file cannot be kept, so its special rights go. */
	if (sheaf_sink_path(in_folder("open/old"), true, cx, &sink, &err) || sheaf_sink_commit(sink, &err))
		return 6;
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
		assert_ok(sheaf_sink_path(in_folder("target"), true, cx, &sink, &err));
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

/* Runs with descriptor 1 on `fd`; the tests' own output goes there meanwhile, so no check may fail. */
static sheaf_status write_standard_output(int fd, const void *data, size_t size, const char *path)
{
	fflush(stdout);
	int saved = dup(1);
	dup2(fd, 1);
	sheaf_sink *sink = NULL;
	sheaf_status status = sheaf_sink_path(path, true, cx, &sink, &err);
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
	            12); /* after the existing bytes: the file is open, and not ours to replace */
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
		assert_ok(sheaf_sink_path(in_folder(name), true, cx, &sink, &err));
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

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	const struct CMUnitTest tests[] = {
		TEST(a_sink_writes_any_sizes),
		TEST(a_sink_in_use_does_not_become_random),
		TEST(a_sink_that_failed_says_so_to_each_call),
		TEST(only_the_name_of_a_folder_becomes_one),
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
	};
	return cmocka_run_group_tests_name("sinks", tests, NULL, NULL);
}
