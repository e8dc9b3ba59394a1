/* SPDX-License-Identifier: MIT */
/* Files that are replaced together, whole or not at all, and what remains if a process ends on the way:
 * system calls are counted here, and any of them fails or kills the process. */
#include "io/live.h"
#include "io/set.h"
#include "support.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 5 };

/* ---- the system's calls, which the library is linked with ---- */

static int renames_left = -1; /* renames until the process is killed */
static int fails_to_close = -1;

int renameat(int old_folder, const char *old, int new_folder, const char *new)
{
	if (renames_left == 0) kill(getpid(), SIGKILL);
	if (renames_left > 0) renames_left--;
	return (int)syscall(SYS_renameat2, old_folder, old, new_folder, new, 0);
}

int close(int fd)
{
	int result = (int)syscall(SYS_close, fd);
	if (fd != fails_to_close) return result;
	fails_to_close = -1;
	errno = EIO;
	return -1;
}

/* ---- sets ---- */

static const char *name_of(int i)
{
	static char name[16];
	snprintf(name, sizeof name, "part.%d", i);
	return name;
}

static void write_old(void)
{
	for (int i = 0; i < FILES; i++) write_text(name_of(i), "old");
}

static sheaf_status open_new(sheaf_context *cx, sheaf_sink **sinks)
{
	for (int i = 0; i < FILES; i++) {
		SHEAF_TRY(sheaf_sink_path(in_folder(name_of(i)), true, cx, &sinks[i], &err));
		SHEAF_TRY(sheaf_sink_write(sinks[i], "new", 3, &err));
	}
	return SHEAF_OK;
}

static bool holds(const char *name, const char *text)
{
	bytes_sink bytes = read_file(name);
	bool same = bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
	free_bytes(&bytes);
	return same;
}

static int count_new(void)
{
	int n = 0;
	for (int i = 0; i < FILES; i++) {
		assert_true(holds(name_of(i), "new") || holds(name_of(i), "old"));
		n += holds(name_of(i), "new");
	}
	return n;
}

/* Commits a set in a process of its own, which is killed before a rename; false if it finished. */
static bool is_killed_at(int renames)
{
	int state;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		sheaf_context *cx = usual_context();
		sheaf_sink *sinks[FILES];
		if (open_new(cx, sinks) != SHEAF_OK) _exit(1);
		renames_left = renames;
		_exit(sheaf_sinks_commit(sinks, FILES, &err) == SHEAF_OK ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &state, 0), child);
	if (WIFEXITED(state)) assert_int_equal(WEXITSTATUS(state), 0);
	return WIFSIGNALED(state);
}

typedef struct telling {
	int told;
	char text[600];
} telling;

static void tell(void *user, const sheaf_problem *problem)
{
	telling *t = (telling *)user;
	t->told++;
	sheaf_problem_text(problem, t->text, sizeof t->text);
}

/* Any next output in the folder. */
static telling write_another(void)
{
	telling t = {0};
	sheaf_context_options options = {.size = sizeof options, .on_problem = tell, .user = &t};
	sheaf_context *cx = context_with(&options);
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder("another"), true, cx, &sink, &err));
	sheaf_sink_abandon(sink);
	end_context(cx);
	return t;
}

static void test_killed_at_any_rename(void **state)
{
	(void)state;
	int done, at = 0;
	for (;; at++) {
		write_old();
		if (!is_killed_at(at)) break;
		done = count_new();
		telling t = write_another();
		assert_int_equal(count_new(), done ? FILES : 0);
		assert_int_equal(t.told, done > 0);
		if (done) assert_non_null(strstr(t.text, "all 5 files of a set to be replaced"));
		assert_int_equal(files_in_folder(), FILES);
	}
	/* the list is one rename, each file another */
	assert_int_equal(at, FILES + 1);
	assert_int_equal(count_new(), FILES);
	assert_int_equal(files_in_folder(), FILES);
}

static void test_changed_since(void **state)
{
	(void)state;
	write_old();
	assert_true(is_killed_at(3));
	assert_int_equal(count_new(), 2);
	write_text(name_of(4), "somebody's");
	telling t = write_another();
	assert_int_equal(t.told, 1);
	assert_non_null(
		strstr(t.text, "the others stay as they are, since another program has changed one meanwhile"));
	assert_true(holds(name_of(0), "new") && holds(name_of(2), "old") && holds(name_of(4), "somebody's"));
	assert_int_equal(files_in_folder(), FILES);
}

/* A list that others can write is not trusted, and neither is a damaged one. */
static void test_lists_not_believed(void **state)
{
	(void)state;
	char command[256];
	for (int way = 0; way < 2; way++) {
		write_old();
		assert_true(is_killed_at(3));
		snprintf(command, sizeof command,
		         way ? "truncate -s -1 %s/.sheaf-set-*" : "chmod 666 %s/.sheaf-set-*", folder);
		assert_int_equal(system(command), 0);
		telling t = write_another();
		assert_int_equal(t.told, 0);
		assert_int_equal(count_new(), 2);
		snprintf(command, sizeof command, "rm -f %s/.sheaf-*", folder);
		assert_int_equal(system(command), 0);
	}
}

/* Another process cleans the folder while a set is being replaced. */
static void test_a_set_under_way(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_sink *sinks[FILES];
	write_old();
	assert_ok(open_new(cx, sinks));
	int before = files_in_folder();
	telling t = write_another();
	assert_int_equal(t.told, 0);
	assert_int_equal(files_in_folder(), before);
	assert_ok(sheaf_sinks_commit(sinks, FILES, &err));
	assert_int_equal(count_new(), FILES);
	assert_int_equal(files_in_folder(), FILES);
	end_context(cx);
}

/* A file that appeared since one of them was opened: none replaces it. */
static void test_no_file_of_a_set_replaces_a_newcomer(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_sink *sinks[FILES];
	for (int i = 0; i < FILES; i++) {
		assert_ok(sheaf_sink_path(in_folder(name_of(i)), false, cx, &sinks[i], &err));
		assert_ok(sheaf_sink_write(sinks[i], "new", 3, &err));
	}
	write_text(name_of(FILES - 1), "other");
	assert_status(SHEAF_USAGE, sheaf_sinks_commit(sinks, FILES, &err));
	assert_message("found one that another program has made meanwhile");
	assert_true(holds(name_of(FILES - 1), "other"));
	assert_int_equal(files_in_folder(), 1);
	end_context(cx);
}

/* ---- one file ---- */

static void test_a_close_that_fails(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_sink *sink;
	write_text("out", "old");
	assert_ok(sheaf_sink_path(in_folder("out"), true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "new", 3, &err));
	fails_to_close = sink->target.fd;
	assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
	assert_int_equal(err.sys, EIO);
	assert_true(holds("out", "old"));
	assert_int_equal(files_in_folder(), 1);
	end_context(cx);
}

static void test_removing_temporaries(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_sink *sinks[FILES];
	write_old();
	assert_ok(open_new(cx, sinks));
	assert_int_equal(files_in_folder(), 2 * FILES);
	sheaf_sink_abandon(sinks[1]);
	sheaf_sink *tree;
	assert_ok(sheaf_sink_path(in_folder("tree"), true, cx, &tree, &err));
	assert_ok(sheaf_sink_make_tree(tree, &err));
	assert_int_equal(files_in_folder(), 2 * FILES);
	sheaf_remove_temporaries();
	assert_int_equal(files_in_folder(), FILES);
	sheaf_sink_abandon(tree);
	for (int i = 0; i < FILES; i++)
		if (i != 1) sheaf_sink_abandon(sinks[i]);
	end_context(cx);
}

/* More than the table has places for: the next run removes them. */
static void test_many_temporaries(void **state)
{
	(void)state;
	int slots[2000];
	char name[SHEAF_TEMPORARY_SIZE] = ".sheaf-none00";
	int first = sheaf_live_add(AT_FDCWD, name), refused = 0;
	assert_true(first >= 0);
	for (int i = 0; i < 2000; i++) {
		slots[i] = sheaf_live_add(AT_FDCWD, name);
		refused += slots[i] == SHEAF_NOT_LIVE;
	}
	assert_true(refused > 0 && refused < 2000);
	for (int i = 0; i < 2000; i++) sheaf_live_remove(&slots[i]);
	sheaf_live_remove(&first);
	first = sheaf_live_add(AT_FDCWD, name);
	assert_true(first >= 0);
	sheaf_live_remove(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_killed_at_any_rename, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_changed_since, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_lists_not_believed, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_a_set_under_way, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_no_file_of_a_set_replaces_a_newcomer, make_folder,
	                                    remove_folder),
		cmocka_unit_test_setup_teardown(test_a_close_that_fails, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_removing_temporaries, make_folder, remove_folder),
		cmocka_unit_test(test_many_temporaries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
