/* SPDX-License-Identifier: MIT */
/* Temporary files beside a target: created and locked, and removed after their writer has died. The lock is
 * an flock, which belongs to the open file: it ends with the process, and two sinks of one process see each
 * other's. */
#include "io/descriptor.h"
#include "io/live.h"
#include "io/set.h"
#include "io/tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Whether the name still refers to the open file. */
static bool is_linked(int folder, const char *name, int fd)
{
	struct stat by_name, by_fd;
	if (fstatat(folder, name, &by_name, AT_SYMLINK_NOFOLLOW) != 0 || fstat(fd, &by_fd) != 0) return false;
	return by_name.st_dev == by_fd.st_dev && by_name.st_ino == by_fd.st_ino;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

static void make_name(char name[SHEAF_TEMPORARY_SIZE])
{
	uint64_t bits;
	if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != (ssize_t)sizeof bits) {
		/* Early in a boot there may be no random bytes: any name will do, since O_EXCL detects existing
		 * names. */
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		bits = (uint64_t)now.tv_nsec * 2654435761U + (uint64_t)getpid();
	}
	size_t n = strlen(SHEAF_TEMPORARY_PREFIX);
	memcpy(name, SHEAF_TEMPORARY_PREFIX, n);
	for (; n < SHEAF_TEMPORARY_SIZE - 1; n++, bits /= sizeof letters - 1)
		name[n] = letters[bits % (sizeof letters - 1)];
	name[n] = '\0';
}

/* Creates and opens the file; -1 with errno. */
static int create(const sheaf_target *target, mode_t mode)
{
	if (!target->is_tree)
		return openat(target->folder, target->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		              mode);
	mode_t search = (mode & (S_IRUSR | S_IRGRP | S_IROTH)) >> 2;
	if (mkdirat(target->folder, target->temporary, mode | search) != 0) return -1;
	int fd = openat(target->folder, target->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int sys = errno;
	if (fd < 0) unlinkat(target->folder, target->temporary, AT_REMOVEDIR);
	errno = sys;
	return fd;
}

sheaf_status sheaf_temporary_create(sheaf_target *target, sheaf_error *err)
{
	enum { TRIES = 100 };
	/* A new file gets the mode that the umask allows; a replacement may have to be as private as the old
	 * file. */
	mode_t mode =
		target->is_there ? S_IRUSR | S_IWUSR : S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
	errno = EEXIST;
	for (int i = 0; i < TRIES; i++) {
		make_name(target->temporary);
		target->fd = create(target, mode);
		if (target->fd < 0 && (errno == EEXIST || errno == EINTR)) continue;
		if (target->fd < 0) break;
		/* A cleaner may have come between creation and lock, and holds the lock or has removed the name: then
		 * the next name is tried. On a file system without locks nobody can clean, either. */
		bool is_locked = flock(target->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
		if (is_locked && is_linked(target->folder, target->temporary, target->fd)) {
			target->live = sheaf_live_add(target->folder, target->temporary);
			return SHEAF_OK;
		}
		unlinkat(target->folder, target->temporary, target->is_tree ? AT_REMOVEDIR : 0);
		sheaf_fd_close(&target->fd);
		errno = EEXIST;
	}
	int sys = errno;
	target->temporary[0] = '\0';
	return sheaf_fail_sys(err, sys, "cannot make a file in the folder of %s", target->name);
}

sheaf_status sheaf_temporary_make_tree(sheaf_target *target, sheaf_error *err)
{
	if (target->folder < 0)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s: expected the name of a folder to make, found an output that is written directly "
			"(a name that ends in .zip makes one file)",
			target->name);
	unlinkat(target->folder, target->temporary, 0);
	target->temporary[0] = '\0';
	sheaf_live_remove(&target->live);
	sheaf_fd_close(&target->fd);
	target->is_tree = true;
	return sheaf_temporary_create(target, err);
}

/* Only names that we make: a user may have files that merely begin like them. */
bool sheaf_temporary_is_name(const char *name)
{
	size_t n = strlen(SHEAF_TEMPORARY_PREFIX);
	if (strlen(name) != SHEAF_TEMPORARY_SIZE - 1 || strncmp(name, SHEAF_TEMPORARY_PREFIX, n) != 0)
		return false;
	return strspn(name + n, letters) == SHEAF_TEMPORARY_SIZE - 1 - n;
}

/* Removes a temporary if it is this user's and nobody has it locked. */
static void remove_leftover(int folder, const char *name)
{
	/* Writable where possible: a lock on a network file system needs it. */
	int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	int fd = openat(folder, name, O_RDWR | flags);
	if (fd < 0) fd = openat(folder, name, O_RDONLY | flags);
	if (fd < 0) return;
	struct stat info;
	bool is_ours = fstat(fd, &info) == 0 && info.st_uid == geteuid();
	bool is_file = is_ours && S_ISREG(info.st_mode) && info.st_nlink == 1;
	bool is_left = (is_file || (is_ours && S_ISDIR(info.st_mode))) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	               is_linked(folder, name, fd);
	/* Its writer may have died after the sets were finished, and left it as part of one. */
	if (is_left && is_file && !sheaf_set_is_there(folder)) unlinkat(folder, name, 0);
	if (is_left && !is_file) (void)sheaf_tree_remove(folder, name);
	sheaf_fd_close(&fd);
}

sheaf_status sheaf_temporary_clean(int folder, sheaf_context *cx, sheaf_error *err)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries) {
		sheaf_fd_close(&fd);
		return SHEAF_OK; /* nothing to clean that we could see */
	}
	const struct dirent *entry;
	sheaf_status status = SHEAF_OK;
	while (!status && (entry = readdir(entries)))
		if (sheaf_set_is_name(entry->d_name)) status = sheaf_set_recover(folder, entry->d_name, cx, err);
	rewinddir(entries);
	while ((entry = readdir(entries)))
		if (sheaf_temporary_is_name(entry->d_name)) remove_leftover(folder, entry->d_name);
	closedir(entries);
	return status;
}
