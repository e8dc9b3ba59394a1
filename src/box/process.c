/* SPDX-License-Identifier: MIT */
/* The program that has libhdf5: the only file of the library that starts a process. It uses posix_spawn,
 * which is safe with threads, with a socket as its input, nothing as its output, and a process group of its
 * own: the caller handles interrupts itself. */
#include "box/process.h"
#include "base/context.h"
#include "base/spell.h"
#include "base/status.h"
#include "io/descriptor.h"
#include "places.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int sheaf_process_seconds = 60;

/* ---- finding the program ---- */

static bool is_there(char path[PATH_MAX], const char *folder, const char *below)
{
	int n = snprintf(path, PATH_MAX, "%s/%s" SHEAF_HDF5_PROGRAM, folder, below);
	return n > 0 && n < PATH_MAX && access(path, F_OK) == 0;
}

/* The folder of the program or library that contains this code. */
static bool own_folder(char folder[PATH_MAX])
{
	Dl_info info;
	if (!dladdr((const void *)&sheaf_process_seconds, &info) || !info.dli_fname) return false;
	/* For a program, this name is how it was called, so the system is asked for its file. */
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	folder[n > 0 ? n : 0] = '\0';
	if (strchr(info.dli_fname, '/') && strstr(info.dli_fname, ".so") && !realpath(info.dli_fname, folder))
		return false;
	char *slash = strrchr(folder, '/');
	if (slash) *slash = '\0';
	return slash != NULL;
}

/* Beside the program (in a build), beside the library if both are installed, and where they were meant to be
 * installed. */
static bool find_program(char path[PATH_MAX])
{
	char folder[PATH_MAX];
	const char *wanted = secure_getenv("SHEAF_MODULES");
	if (wanted && *wanted) return is_there(path, wanted, "");
	if (own_folder(folder) && (is_there(path, folder, "") || is_there(path, folder, "sheaf/") ||
	                           is_there(path, folder, SHEAF_PROGRAMS_FROM_COMMAND "/")))
		return true;
	return is_there(path, SHEAF_PROGRAMS_INSTALLED, "");
}

/* ---- starting ---- */

static int spawn_with(sheaf_process *p, const char *path, int input, posix_spawn_file_actions_t *files,
                      posix_spawnattr_t *how)
{
	char *const words[] = {(char *)(uintptr_t)path, NULL};
	sigset_t none, usual;
	sigemptyset(&none);
	sigfillset(&usual);
	int sys = posix_spawn_file_actions_adddup2(files, input, STDIN_FILENO);
	if (!sys) sys = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (!sys) sys = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!sys) sys = posix_spawnattr_setsigmask(how, &none);
	if (!sys) sys = posix_spawnattr_setsigdefault(how, &usual);
	if (!sys) sys = posix_spawnattr_setpgroup(how, 0);
	if (!sys)
		sys = posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
		                                        POSIX_SPAWN_SETPGROUP);
	return sys ? sys : posix_spawn(&p->pid, path, files, how, words, environ);
}

static int spawn(sheaf_process *p, const char *path, int input)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	int sys = posix_spawn_file_actions_init(&files);
	if (sys) return sys;
	sys = posix_spawnattr_init(&how);
	if (!sys) {
		sys = spawn_with(p, path, input, &files, &how);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	return sys;
}

static sheaf_status start(sheaf_process *p, const char *path, sheaf_error *err)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return sheaf_fail_sys(err, errno, "%s: expected a socket for the HDF5 library", p->name);
	/* Duplicating 0 to 0 would leave it close-on-exec. */
	int input = ends[1] == STDIN_FILENO ? fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : ends[1];
	int sys = input < 0 ? errno : spawn(p, path, input);
	if (input != ends[1]) (void)sheaf_fd_close(&input);
	(void)sheaf_fd_close(&ends[1]);
	p->fd = ends[0];
	if (!sys) return SHEAF_OK;
	p->pid = -1;
	(void)sheaf_fd_close(&p->fd);
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: expected the program for HDF5, found %.300s, which cannot be used: %s", p->name,
	                  path, strerrorname_np(sys) ? strerrordesc_np(sys) : "it does not start");
}

static sheaf_status greet(sheaf_process *p)
{
	sheaf_hdf5_word word;
	uint32_t version = 0;
	sheaf_builder text;
	sheaf_builder_begin(&text, p->cx, NULL);
	sheaf_status status = sheaf_process_hear(p, &word, &text);
	if (!status && word == SHEAF_HDF5_HELLO && text.size == sizeof version)
		memcpy(&version, text.data, sizeof version);
	sheaf_builder_drop(&text);
	if (status || version == SHEAF_HDF5_PROTOCOL) return status;
	return sheaf_process_fail(p, SHEAF_UNSUPPORTED, "the program for HDF5 of this version of sheaf",
	                          "another");
}

static sheaf_status refuse_without(const char *name, sheaf_error *err)
{
	const char *wanted = secure_getenv("SHEAF_MODULES");
	bool is_set = wanted && *wanted;
	return sheaf_fail(err, SHEAF_UNSUPPORTED,
	                  "%s: expected the program for HDF5 (" SHEAF_HDF5_PROGRAM
	                  "), found that it is not %s%.300s (most files need no " SHEAF_OPTION("hdf5") " system)",
	                  name, is_set ? "in the folder that SHEAF_MODULES names, " : "installed",
	                  is_set ? wanted : "");
}

sheaf_status sheaf_process_start(sheaf_process *p, const char *name, sheaf_context *cx, sheaf_error *err)
{
	char path[PATH_MAX];
	*p = (sheaf_process){.cx = cx, .name = name, .fd = -1, .pid = -1, .owner = getpid()};
	if (SHEAF_HDF5 == 0)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s: expected a build of sheaf with the HDF5 library, found that it was not built in", name);
	if (!find_program(path)) return refuse_without(name, err);
	SHEAF_TRY(start(p, path, err));
	sheaf_status status = greet(p);
	return status ? sheaf_fail_again(err, &p->failure) : SHEAF_OK;
}

/* ---- ending ---- */

/* Its exit status: a child that has closed its end is about to exit, or is killed. False if it is unknown,
 * since the caller ignores its children, or has waited for all of them. */
static bool reap(sheaf_process *p, int *how)
{
	enum { TRIES = 100, NAP_MS = 5 };
	pid_t gone = 0;
	(void)sheaf_fd_close(&p->fd);
	if (p->pid < 0 || p->owner != getpid()) return false;
	for (int i = 0; i < TRIES && gone == 0; i++) {
		if (i) (void)poll(NULL, 0, NAP_MS);
		gone = waitpid(p->pid, how, WNOHANG);
	}
	if (gone == 0) {
		(void)kill(p->pid, SIGKILL);
		do gone = waitpid(p->pid, how, 0);
		while (gone < 0 && errno == EINTR);
	}
	p->pid = -1;
	return gone > 0;
}

void sheaf_process_end(sheaf_process *p)
{
	(void)sheaf_fd_close(&p->fd);
	if (p->pid < 0 || p->owner != getpid()) return;
	(void)kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) continue;
	p->pid = -1;
}

sheaf_status sheaf_process_fail(sheaf_process *p, sheaf_status status, const char *expected,
                                const char *found)
{
	sheaf_process_end(p);
	return p->failure.status =
	           sheaf_fail(&p->failure, status, "%s: expected %s, found %s", p->name, expected, found);
}

static sheaf_status fail_as_ended(sheaf_process *p)
{
	char found[100];
	int how = 0;
	if (!reap(p, &how))
		return sheaf_process_fail(p, SHEAF_DATA, "a file that the HDF5 library can read",
		                          "that the library ended");
	if (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU) {
		snprintf(found, sizeof found, "that it takes more than %d seconds", sheaf_process_seconds);
		return sheaf_process_fail(p, SHEAF_LIMIT, "the HDF5 library to read it", found);
	}
	if (WIFSIGNALED(how))
		snprintf(found, sizeof found, "that the library crashed (signal %d)", WTERMSIG(how));
	else
		snprintf(found, sizeof found, "that the library gave up (exit status %d)", WEXITSTATUS(how));
	return sheaf_process_fail(p, SHEAF_DATA, "a file that the HDF5 library can read", found);
}

/* ---- talking ---- */

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Until it reads or answers. Each CPU second that it uses is granted; while we wait it gets some more. */
static sheaf_status wait_for(sheaf_process *p, short events)
{
	enum { NAP_MS = 50, MORE_MS = 2000 };
	char found[100];
	int64_t until = now_ms() + (int64_t)sheaf_process_seconds * 1000 + MORE_MS;
	if (p->fd < 0 || p->owner != getpid())
		return p->failure.status
		           ? p->failure.status
		           : sheaf_process_fail(p, SHEAF_USAGE, "the process that opened the file", "another");
	while (now_ms() < until) {
		struct pollfd waiting = {.fd = p->fd, .events = events};
		sheaf_error stop = {0};
		sheaf_status status = sheaf_check_stop(p->cx, &stop);
		if (status) {
			sheaf_process_end(p);
			p->failure = stop;
			return status;
		}
		if (poll(&waiting, 1, NAP_MS) > 0) return SHEAF_OK;
	}
	snprintf(found, sizeof found, "that it does not answer for %d seconds", sheaf_process_seconds);
	return sheaf_process_fail(p, SHEAF_LIMIT, "the HDF5 library to read it", found);
}

static sheaf_status send_all(sheaf_process *p, const void *data, size_t size)
{
	const uint8_t *at = (const uint8_t *)data;
	while (size > 0) {
		SHEAF_TRY(wait_for(p, POLLOUT));
		ssize_t n = send(p->fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
		if (n <= 0) return fail_as_ended(p);
		at += n;
		size -= (size_t)n;
	}
	return SHEAF_OK;
}

static sheaf_status receive_all(sheaf_process *p, void *data, size_t size)
{
	uint8_t *at = (uint8_t *)data;
	while (size > 0) {
		SHEAF_TRY(wait_for(p, POLLIN));
		ssize_t n = recv(p->fd, at, size, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
		if (n <= 0) return fail_as_ended(p);
		at += n;
		size -= (size_t)n;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_process_say(sheaf_process *p, sheaf_hdf5_word word, sheaf_bytes head, sheaf_bytes rest)
{
	sheaf_hdf5_head h = {word, (uint32_t)(head.size + rest.size)};
	SHEAF_TRY(send_all(p, &h, sizeof h));
	SHEAF_TRY(send_all(p, head.data, head.size));
	return send_all(p, rest.data, rest.size);
}

sheaf_status sheaf_process_hear(sheaf_process *p, sheaf_hdf5_word *word, sheaf_builder *out)
{
	sheaf_hdf5_head h = {0};
	SHEAF_TRY(receive_all(p, &h, sizeof h));
	*word = (sheaf_hdf5_word)h.word;
	if (h.size > SHEAF_HDF5_MESSAGE)
		return sheaf_process_fail(p, SHEAF_DATA, "an answer of the program for HDF5", "one that is too long");
	out->size = 0;
	if (!sheaf_builder_room(out, h.size ? h.size : 1)) {
		sheaf_error failure = {0};
		sheaf_status status = sheaf_builder_status(out, &failure);
		sheaf_process_end(p);
		p->failure = failure;
		return status;
	}
	out->size = h.size;
	return receive_all(p, out->data, h.size);
}
