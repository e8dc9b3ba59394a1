/* SPDX-License-Identifier: MIT */
/* What a sink does if the system refuses, interrupts, or runs another program in between: this program's own
 * functions replace those of the C library. */
#undef _FORTIFY_SOURCE /* with it these calls have other names */
#include "io/identity.h"
#include "io/sink.h"
#include "io/source.h"
#include "support.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sheaf/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- calls of the system ---- */

enum { NOTHING, CLOSE, SYNC, SYNC_FOLDER, LOCK, TEMPORARY, LOOK, RENAME_NEW, COPY };

static struct {
	int call, error, times; /* which call fails, with what, how often */
	uid_t more;             /* added to the number of the user */
	void (*while_locking)(const char *name);
	char story[512]; /* of the calls on files of the folder */
} played;

static bool refuses(int call)
{
	if (played.call != call || played.times == 0) return false;
	played.times--;
	errno = played.error;
	return true;
}

static void tell(const char *what)
{
	size_t used = strlen(played.story);
	snprintf(played.story + used, sizeof played.story - used, "%s ", what);
}

/* The name of an open temporary file; "" of the folder; else NULL. */
static const char *place(int fd, char path[256])
{
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, 255);
	path[n > 0 ? n : 0] = '\0';
	size_t length = strlen(folder);
	if (length == 0 || strncmp(path, folder, length) != 0) return NULL;
	if (path[length] == '\0') return path + length;
	return strncmp(path + length + 1, ".sheaf-", 7) == 0 ? path + length + 1 : NULL;
}

int close(int fd)
{
	char path[256];
	const char *name = place(fd, path);
	bool is_temporary = name && *name;
	if (is_temporary) tell("close");
	bool fails = is_temporary && refuses(CLOSE);
	int result = (int)syscall(SYS_close, fd);
	if (fails) errno = played.error;
	return fails ? -1 : result;
}

int fsync(int fd)
{
	char path[256];
	const char *name = place(fd, path);
	bool is_folder = name && !*name;
	if (name) tell(is_folder ? "sync-folder" : "sync");
	return refuses(is_folder ? SYNC_FOLDER : SYNC) ? -1 : 0;
}

int flock(int fd, int operation)
{
	char path[256];
	const char *name = place(fd, path);
	void (*others)(const char *) = played.while_locking;
	played.while_locking = NULL;
	if (name && others) others(name);
	if (name && refuses(LOCK)) return -1;
	return (int)syscall(SYS_flock, fd, operation);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	tell("rename");
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	tell("rename-new");
	if (refuses(RENAME_NEW)) return -1;
	return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int lstat(const char *path, struct stat *info)
{
	return refuses(LOOK) ? -1 : fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

/* Some file systems cannot copy inside, or not to others. */
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags)
{
	if (refuses(COPY)) return -1;
	return syscall(SYS_copy_file_range, from, from_at, to, to_at, size, flags);
}

/* None clones a whole file. */
int ioctl(int fd, unsigned long request, ...)
{
	(void)fd, (void)request;
	errno = EOPNOTSUPP;
	return -1;
}

uid_t geteuid(void) { return (uid_t)syscall(SYS_geteuid) + played.more; }

/* Only the file system is asked for a file without a name. */
int open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(args, int) : 0;
	va_end(args);
	if ((flags & O_TMPFILE) == O_TMPFILE && refuses(TEMPORARY)) return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

/* ---- tests ---- */

static sheaf_context *cx;

static int set_up(void **state)
{
	memset(&played, 0, sizeof played);
	memset(&err, 0, sizeof err);
	cx = usual_context();
	return make_folder(state);
}

static int tear_down(void **state)
{
	memset(&played, 0, sizeof played);
	end_context(cx);
	return remove_folder(state);
}

static void expect_failure(int call, int error, int times)
{
	memset(&played, 0, sizeof played);
	played.call = call;
	played.error = error;
	played.times = times;
}

static void assert_content(const char *name, const char *text)
{
	bytes_sink found = read_file(name);
	assert_int_equal(found.size, strlen(text));
	assert_memory_equal(found.data, text, found.size);
	free_bytes(&found);
}

static sheaf_status write_new(void)
{
	sheaf_sink *sink;
	SHEAF_TRY(sheaf_sink_path(in_folder("target"), true, cx, &sink, &err));
	sheaf_status status = sheaf_sink_write(sink, "new", 3, &err);
	if (!status) return sheaf_sink_commit(sink, &err);
	sheaf_sink_abandon(sink);
	return status;
}

static void content_and_name_are_synced_in_order(void **state)
{
	(void)state;
	assert_ok(write_new());
	assert_string_equal(played.story, "sync close rename sync-folder ");
	assert_content("target", "new");
}

static void a_failure_before_the_rename_leaves_the_old_file(void **state)
{
	(void)state;
	static const int calls[] = {SYNC, CLOSE, SYNC, CLOSE}, errors[] = {EIO, EIO, ENOSPC, EDQUOT};
	write_text("target", "old");
	for (size_t i = 0; i < COUNT(calls); i++) {
		expect_failure(calls[i], errors[i], 1);
		assert_status(SHEAF_IO, write_new());
		assert_int_equal(err.sys, errors[i]);
		assert_message("cannot put the finished file in its place");
		assert_null(strstr(played.story, "rename"));
		assert_content("target", "old");
		assert_int_equal(files_in_folder(), 1);
	}
}

static void a_folder_that_cannot_be_synced_is_told_of(void **state)
{
	(void)state;
	write_text("target", "old");
	expect_failure(SYNC_FOLDER, EIO, 1);
	assert_status(SHEAF_IO, write_new());
	assert_int_equal(err.sys, EIO);
	assert_message("its folder cannot be synced");
	assert_content("target", "new");
	assert_int_equal(files_in_folder(), 1);
}

/* Existing contents are kept, copied by the system or through memory, entirely or from where the system
 * stopped.
 */
static void a_file_that_is_changed_is_copied_first(void **state)
{
	(void)state;
	enum { SIZE = 3 << 20 };
	static const int errors[] = {0, EXDEV, EINTR};
	char *old = malloc(SIZE + 1);
	assert_non_null(old);
	for (int i = 0; i < SIZE; i++) old[i] = (char)('a' + i % 23);
	old[SIZE] = '\0';
	for (size_t i = 0; i < COUNT(errors); i++) {
		sheaf_sink *sink;
		bool is_there;
		write_text("target", old);
		expect_failure(errors[i] ? COPY : NOTHING, errors[i], 1);
		assert_ok(sheaf_sink_path(in_folder("target"), true, cx, &sink, &err));
		assert_ok(sheaf_sink_make_clone(sink, &is_there, &err));
		assert_true(is_there);
		assert_int_equal(played.times, errors[i] ? 0 : 1);
		assert_ok(sheaf_sink_write_at(sink, 5, "NEW", 3, &err));
		assert_ok(sheaf_sink_commit(sink, &err));
		memcpy(old + 5, "NEW", 3);
		assert_content("target", old);
	}
	free(old);
}

/* A failed sync is not tried again: the system has dropped what it could not write, and a second one would
 * succeed. Only an interrupted one is. */
static void syncing_goes_on_after_interruptions(void **state)
{
	(void)state;
	expect_failure(SYNC, EINTR, 3);
	assert_ok(write_new());
	assert_string_equal(played.story, "sync sync sync sync close rename sync-folder ");
	expect_failure(SYNC_FOLDER, EINTR, 2);
	assert_ok(write_new());
	assert_string_equal(played.story, "sync close rename sync-folder sync-folder sync-folder ");
	expect_failure(SYNC, EIO, 1);
	assert_status(SHEAF_IO, write_new());
	assert_string_equal(played.story, "sync close ");
}

static void a_close_that_is_interrupted_has_closed(void **state)
{
	(void)state;
	expect_failure(CLOSE, EINTR, 1);
	assert_ok(write_new());
	assert_content("target", "new");
}

/* Some file systems cannot sync, and say so. */
static void what_cannot_be_synced_at_all_is_written(void **state)
{
	(void)state;
	static const int errors[] = {EINVAL, ENOTSUP, EBADF};
	for (size_t i = 0; i < COUNT(errors); i++) {
		expect_failure(SYNC, errors[i], 1);
		assert_ok(write_new());
		expect_failure(SYNC_FOLDER, errors[i], 1);
		assert_ok(write_new());
		assert_content("target", "new");
	}
}

/* A file like a private one is private from the first byte on, and ends with the same mode, except for
 * execution and for writing by others. */
static void what_resembles_a_file_is_as_private(void **state)
{
	(void)state;
	struct stat info;
	sheaf_source *source;
	sheaf_sink *sink;
	mode_t before = umask(0);
	write_text("private", "x");
	for (size_t i = 0; i < 2; i++) {
		const mode_t mode = i ? 0777 : 0640;
		assert_int_equal(chmod(in_folder("private"), mode), 0);
		assert_ok(sheaf_source_path(in_folder("private"), cx, &source, &err));
		assert_ok(sheaf_sink_path(in_folder("target"), true, cx, &sink, &err));
		sheaf_sink_resemble(sink, source);
		assert_int_equal(fstat(sink->target.fd, &info), 0);
		assert_int_equal(info.st_mode & 07777, 0600);
		assert_ok(sheaf_sink_commit(sink, &err));
		assert_int_equal(stat(in_folder("target"), &info), 0);
		assert_int_equal(info.st_mode & 07777, mode & 0644);
		assert_int_equal(unlink(in_folder("target")), 0);
		sheaf_source_close(source);
	}
	umask(before);
}

/* Only a file without a name is written in place. */
static void a_file_that_cannot_be_looked_at_is_left_alone(void **state)
{
	(void)state;
	write_text("target", "old");
	expect_failure(LOOK, EIO, 1);
	assert_status(SHEAF_IO, write_new());
	assert_int_equal(err.sys, EIO);
	assert_content("target", "old");
}

/* ---- cleaning up ---- */

static const char leftover[] = ".sheaf-abc123";

static void leftovers_of_others_stay(void **state)
{
	(void)state;
	write_text(leftover, "somebody's");
	played.more = 1;
	assert_ok(write_new());
	assert_true(file_exists(leftover));
	played.more = 0;
	assert_ok(write_new());
	assert_false(file_exists(leftover));
}

static void leftovers_of_other_names_stay(void **state)
{
	(void)state;
	static const char *const names[] = {".sheaf-abc12",  ".sheaf-abc1234", ".sheaf-abc12.", ".sheaf-ABC123",
	                                    ".sheaf_abc123", "xsheaf-abc123",  ".sheaf-abc 23"};
	for (size_t i = 0; i < COUNT(names); i++) write_text(names[i], "somebody's");
	assert_ok(write_new());
	for (size_t i = 0; i < COUNT(names); i++) assert_true(file_exists(names[i]));
}

static void a_leftover_with_a_second_name_stays(void **state)
{
	(void)state;
	write_text(leftover, "somebody's");
	assert_int_equal(link(in_folder(leftover), in_folder("second")), 0);
	assert_ok(write_new());
	assert_true(file_exists(leftover));
}

static void put_another_there(const char *name)
{
	char path[256];
	write_text("another", "another's");
	snprintf(path, sizeof path, "%s", in_folder(name));
	assert_int_equal(rename(in_folder("another"), path), 0);
}

/* Between checking a leftover and locking it, another run has removed it and begun a file of its own. */
static void a_name_that_changes_hands_stays(void **state)
{
	(void)state;
	write_text(leftover, "dead");
	played.while_locking = put_another_there;
	assert_ok(write_new());
	assert_content(leftover, "another's");
}

static void take_away(const char *name) { assert_int_equal(unlink(in_folder(name)), 0); }

/* A cleaner has mistaken the new file for a leftover, or is checking it. */
static void a_temporary_that_is_taken_away_is_made_anew(void **state)
{
	(void)state;
	played.while_locking = take_away;
	assert_ok(write_new());
	assert_content("target", "new");
	expect_failure(LOCK, EWOULDBLOCK, 1);
	assert_ok(write_new());
	assert_content("target", "new");
	assert_int_equal(files_in_folder(), 1);
	/* Always, so it must end. */
	expect_failure(LOCK, EWOULDBLOCK, 1000);
	assert_status(SHEAF_IO, write_new());
	assert_int_equal(played.times, 900);
	assert_int_equal(files_in_folder(), 1);
}

/* If nothing can be locked, nothing is cleaned up, either. */
static void files_are_written_without_locks(void **state)
{
	(void)state;
	expect_failure(LOCK, ENOLCK, 1000);
	write_text(leftover, "dead");
	assert_ok(write_new());
	assert_content("target", "new");
	assert_true(file_exists(leftover));
}

/* ---- temporary files without a name ---- */

static void copy_through(const char *what)
{
	sheaf_source *source;
	bytes_source bytes = {{(const uint8_t *)what, strlen(what)}, 2};
	sheaf_bytes seen;
	assert_ok(sheaf_source_function(read_bytes, &bytes, "(bytes)", cx, &source, &err));
	assert_ok(sheaf_source_make_rewindable(source, &err));
	assert_ok(sheaf_source_ahead(source, strlen(what), &seen, &err));
	assert_int_equal(seen.size, strlen(what));
	assert_memory_equal(seen.data, what, seen.size);
	sheaf_source_close(source);
}

static void a_file_system_without_nameless_files(void **state)
{
	(void)state;
	char before[256];
	const char *kept = getenv("TMPDIR");
	snprintf(before, sizeof before, "%s", kept ? kept : "/tmp");
	assert_int_equal(setenv("TMPDIR", folder, 1), 0);
	copy_through("nameless");
	expect_failure(TEMPORARY, EOPNOTSUPP, 1);
	copy_through("named for a moment");
	assert_int_equal(played.times, 0);
	assert_int_equal(files_in_folder(), 0);
	assert_int_equal(setenv("TMPDIR", before, 1), 0);
}

/* ---- existing files ---- */

static sheaf_status write_where_nothing_is(const char *name, const char *meanwhile)
{
	sheaf_sink *sink;
	SHEAF_TRY(sheaf_sink_path(in_folder(name), false, cx, &sink, &err));
	if (meanwhile) write_text(name, meanwhile);
	sheaf_status status = sheaf_sink_write(sink, "new", 3, &err);
	if (!status) return sheaf_sink_commit(sink, &err);
	sheaf_sink_abandon(sink);
	return status;
}

static void what_is_there_is_not_replaced(void **state)
{
	(void)state;
	assert_ok(write_where_nothing_is("target", NULL));
	assert_string_equal(played.story, "sync close rename-new sync-folder ");
	assert_content("target", "new");
	write_text("target", "old");
	assert_int_equal(symlink("target", in_folder("link")), 0);
	static const char *const names[] = {"target", "link"};
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_status(SHEAF_USAGE, write_where_nothing_is(names[i], NULL));
		assert_int_equal(err.sys, EEXIST);
		assert_string_equal(err.option, "force");
		assert_message("expected no file of that name, found one, which is kept (--force replaces it)");
		assert_content("target", "old");
	}
	assert_int_equal(unlink(in_folder("target")), 0);
	assert_status(SHEAF_USAGE, write_where_nothing_is("link", NULL)); /* a link to nothing is there, too */
	assert_int_equal(files_in_folder(), 1);
}

static void what_is_no_regular_file_is_written(void **state)
{
	(void)state;
	sheaf_sink *sink;
	static const char *const paths[] = {"/dev/null", "-"};
	for (size_t i = 0; i < COUNT(paths); i++) {
		assert_ok(sheaf_sink_path(paths[i], false, cx, &sink, &err));
		sheaf_sink_abandon(sink);
	}
}

static void what_has_come_meanwhile_is_not_replaced(void **state)
{
	(void)state;
	/* Even if the file system cannot check while it renames. */
	static const int errors[] = {0, EINVAL, ENOSYS, ENOTSUP};
	for (size_t i = 0; i < COUNT(errors); i++) {
		if (errors[i]) expect_failure(RENAME_NEW, errors[i], 1);
		assert_status(SHEAF_USAGE, write_where_nothing_is("target", "other"));
		assert_int_equal(err.sys, EEXIST);
		assert_string_equal(err.option, "");
		assert_message("expected no file of that name, as at the beginning, found one that another program "
		               "has made meanwhile; it is kept");
		assert_content("target", "other");
		assert_int_equal(files_in_folder(), 1);
		assert_int_equal(unlink(in_folder("target")), 0);
		if (!errors[i]) continue;
		expect_failure(RENAME_NEW, errors[i], 1);
		assert_ok(write_where_nothing_is("target", NULL));
		assert_string_equal(played.story, "sync close rename-new rename sync-folder ");
		assert_content("target", "new");
		assert_int_equal(unlink(in_folder("target")), 0);
	}
	expect_failure(RENAME_NEW, ENOSPC, 1);
	assert_status(SHEAF_IO, write_where_nothing_is("target", NULL));
	assert_int_equal(err.sys, ENOSPC);
	assert_int_equal(files_in_folder(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(content_and_name_are_synced_in_order),
		TEST(a_failure_before_the_rename_leaves_the_old_file),
		TEST(a_folder_that_cannot_be_synced_is_told_of),
		TEST(a_file_that_is_changed_is_copied_first),
		TEST(a_file_that_is_changed_is_copied_first),
		TEST(syncing_goes_on_after_interruptions),
		TEST(a_close_that_is_interrupted_has_closed),
		TEST(what_cannot_be_synced_at_all_is_written),
		TEST(what_resembles_a_file_is_as_private),
		TEST(a_file_that_cannot_be_looked_at_is_left_alone),
		TEST(leftovers_of_others_stay),
		TEST(leftovers_of_other_names_stay),
		TEST(a_leftover_with_a_second_name_stays),
		TEST(a_name_that_changes_hands_stays),
		TEST(a_temporary_that_is_taken_away_is_made_anew),
		TEST(files_are_written_without_locks),
		TEST(a_file_system_without_nameless_files),
		TEST(what_is_there_is_not_replaced),
		TEST(what_is_no_regular_file_is_written),
		TEST(what_has_come_meanwhile_is_not_replaced),
	};
	return cmocka_run_group_tests_name("commit", tests, NULL, NULL);
}
