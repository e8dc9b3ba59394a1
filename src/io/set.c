/* SPDX-License-Identifier: MIT */
/* Sets of files: their lists, and finishing a set whose writer has died. In the folder of a set there are,
 * one after the other,
 *
 *     .sheaf-XXXXXX, .sheaf-YYYYYY       the temporary files of the members, complete and synced
 *     .sheaf-set-ZZZZZZ                  the list of them, and what is in their places now
 *     a.cbf, .sheaf-YYYYYY, the list     some members are renamed
 *     a.cbf, b.cbf                       the list is removed
 *
 * A writer that is killed at the third step leaves its work to the next one. */
#include "io/set.h"
#include "base/context.h"
#include "base/memory.h"
#include "io/descriptor.h"
#include "io/live.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define SET_PREFIX SHEAF_TEMPORARY_PREFIX "set-"
enum { SET_NAME_SIZE = sizeof SET_PREFIX + SHEAF_TEMPORARY_SIZE - sizeof SHEAF_TEMPORARY_PREFIX };

/* One file of a set, as it is in the list, which only programs on the same machine read. */
typedef struct member {
	char temporary[SHEAF_TEMPORARY_SIZE];
	char base[NAME_MAX + 1];                                     /* the name that it gets */
	int64_t is_there, device, inode, size, seconds, nanoseconds; /* the file that has this name so far */
} member;

typedef struct list_head {
	char magic[8];
	int64_t count;
} list_head;

static const char magic[8] = {'S', 'H', 'E', 'A', 'F', 'S', 'E', '1'};
enum { MOST_MEMBERS = 1 << 16 };

bool sheaf_set_is_name(const char *name)
{
	return strlen(name) == SET_NAME_SIZE - 1 && strncmp(name, SET_PREFIX, strlen(SET_PREFIX)) == 0;
}

/* Fills in what file has a name in the folder. */
static void look_at(int folder, const char *base, member *m)
{
	struct stat info;
	m->is_there = fstatat(folder, base, &info, AT_SYMLINK_NOFOLLOW) == 0;
	if (!m->is_there) return;
	m->device = (int64_t)info.st_dev;
	m->inode = (int64_t)info.st_ino;
	m->size = info.st_size;
	m->seconds = info.st_mtim.tv_sec;
	m->nanoseconds = info.st_mtim.tv_nsec;
}

/* ---- the list ---- */

typedef struct set {
	sheaf_context *cx;
	sheaf_target list; /* in the folder of the first file, which it borrows */
	char name[SET_NAME_SIZE];
	member *members;
	size_t size;
	int n;
} set;

/* Writes the list under a temporary name and renames it, so that it appears whole, and is on the disk before
 * any member is renamed. */
static sheaf_status publish(set *s, sheaf_error *err)
{
	sheaf_target *list = &s->list;
	list_head head = {.count = s->n};
	memcpy(head.magic, magic, sizeof magic);
	SHEAF_TRY(sheaf_temporary_create(list, err));
	sheaf_descriptor file = {s->cx, list->fd, list->name};
	SHEAF_TRY(sheaf_fd_write(file, SHEAF_STREAMING, &head, sizeof head, err));
	SHEAF_TRY(sheaf_fd_write(file, SHEAF_STREAMING, s->members, s->size, err));
	int failed = sheaf_fd_sync(list->fd);
	snprintf(s->name, sizeof s->name, SET_PREFIX "%s", list->temporary + strlen(SHEAF_TEMPORARY_PREFIX));
	if (!failed && renameat(list->folder, list->temporary, list->folder, s->name) != 0) failed = errno;
	if (failed) s->name[0] = '\0';
	if (!failed) {
		sheaf_live_remove(&list->live);
		list->temporary[0] = '\0';
		failed = sheaf_fd_sync(list->folder);
	}
	return failed ? sheaf_fail_sys(err, failed, "%s: cannot list the files that belong together", list->name)
	              : SHEAF_OK;
}

/* Makes the list of the sinks, beside the first of them. */
static sheaf_status open_set(set *s, sheaf_sink **sinks, int n, sheaf_error *err)
{
	const sheaf_target *first = &sinks[0]->target;
	/* is_there: others may not read the list, since it contains names of files. */
	s->list = (sheaf_target){.cx = s->cx,
	                         .name = first->name,
	                         .fd = -1,
	                         .folder = first->folder,
	                         .is_there = true,
	                         .live = SHEAF_NOT_LIVE,
	                         .lock = -1};
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)n, sizeof(member), &s->members, err));
	s->size = (size_t)n * sizeof(member);
	for (int i = 0; i < n; i++) {
		const sheaf_target *t = &sinks[i]->target;
		memcpy(s->members[i].temporary, t->temporary, sizeof t->temporary);
		memcpy(s->members[i].base, t->base, strlen(t->base) + 1);
		look_at(t->folder, t->base, &s->members[i]);
	}
	s->n = n;
	return publish(s, err);
}

/* ---- commit ---- */

/* Whether the sinks are several files of one folder, which can be replaced all or not at all. */
static bool are_together(sheaf_sink **sinks, int n)
{
	struct stat first, other;
	if (n < 2 || n > MOST_MEMBERS) return false;
	for (int i = 0; i < n; i++) {
		int folder = sinks[i]->target.folder;
		if (folder < 0 || fstat(folder, i ? &other : &first) != 0) return false;
		if (i && (first.st_dev != other.st_dev || first.st_ino != other.st_ino)) return false;
	}
	return true;
}

static sheaf_status commit_all(set *s, sheaf_sink **sinks, int n, sheaf_error *err)
{
	bool together = are_together(sinks, n);
	for (int i = 0; i < n; i++) SHEAF_TRY(sheaf_sink_seal(sinks[i], err));
	for (int i = 0; i < n; i++) SHEAF_TRY(sheaf_target_check_free(&sinks[i]->target, err));
	if (together) SHEAF_TRY(open_set(s, sinks, n, err));
	for (int i = 0; i < n; i++) {
		sheaf_status status = sheaf_target_place(&sinks[i]->target, err);
		if (status && i > 0)
			sheaf_error_append(err, "; %d of the %d files that belong together are in their places already",
			                   i, n);
		SHEAF_TRY(status);
	}
	for (int i = 0; i < (together ? 1 : n); i++) {
		int folder = sinks[i]->target.folder, failed = folder >= 0 ? sheaf_fd_sync(folder) : 0;
		if (failed)
			return sheaf_fail_sys(
				err, failed, "%s: the file is in its place, but its folder cannot be synced", sinks[i]->name);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_sinks_commit(sheaf_sink **sinks, int n, sheaf_error *err)
{
	set s = {.cx = sinks[0]->cx};
	s.list.fd = -1;
	s.list.live = SHEAF_NOT_LIVE;
	sheaf_status status = commit_all(&s, sinks, n, err);
	int folder = sinks[0]->target.folder;
	if (s.name[0]) unlinkat(folder, s.name, 0);
	if (s.list.temporary[0]) unlinkat(folder, s.list.temporary, 0);
	sheaf_live_remove(&s.list.live);
	sheaf_fd_close(&s.list.fd);
	sheaf_release(s.cx, s.members, s.size);
	for (int i = 0; i < n; i++) {
		sheaf_sink_abandon(sinks[i]);
		sinks[i] = NULL;
	}
	return status;
}

/* ---- sets whose writer has died ---- */

/* A regular file of this user which nobody else can change, open and locked; -1 if it is not. */
static int open_list(int folder, const char *name, struct stat *info)
{
	struct stat by_name;
	int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) return -1;
	bool is_ours = fstat(fd, info) == 0 && S_ISREG(info->st_mode) && info->st_nlink == 1 &&
	               info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
	if (is_ours && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstatat(folder, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 && by_name.st_ino == info->st_ino)
		return fd;
	sheaf_fd_close(&fd);
	return -1;
}

/* Whether a list is one that we have written: it names only files of its own folder. Called before and after
 * the members are read. */
static bool is_sound(const set *s, const list_head *head, int64_t size)
{
	if (memcmp(head->magic, magic, sizeof magic) != 0 || head->count < 2 || head->count > MOST_MEMBERS ||
	    size != (int64_t)sizeof *head + head->count * (int64_t)sizeof(member))
		return false;
	for (int64_t i = 0; s->members && i < head->count; i++) {
		const member *m = &s->members[i];
		size_t n = strnlen(m->base, sizeof m->base);
		if (n == 0 || n == sizeof m->base || strchr(m->base, '/') || strcmp(m->base, ".") == 0 ||
		    strcmp(m->base, "..") == 0)
			return false;
		if (m->temporary[sizeof m->temporary - 1] || !sheaf_temporary_is_name(m->temporary)) return false;
	}
	return true;
}

/* Reads the members; there are none if the list is damaged. */
static sheaf_status read_list(set *s, int fd, int64_t size, sheaf_error *err)
{
	list_head head;
	if (pread(fd, &head, sizeof head, 0) != sizeof head || !is_sound(s, &head, size)) return SHEAF_OK;
	s->n = (int)head.count;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->n, sizeof(member), &s->members, err));
	s->size = (size_t)s->n * sizeof(member);
	ssize_t got = pread(fd, s->members, s->size, sizeof head);
	if (got != (ssize_t)s->size || !is_sound(s, &head, size)) s->n = 0;
	return SHEAF_OK;
}

/* Whether the temporary of a member is still waiting to be renamed. */
static bool is_pending(int folder, const member *m)
{
	struct stat info;
	return fstatat(folder, m->temporary, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
	       info.st_uid == geteuid() && info.st_nlink == 1;
}

static sheaf_status report(const set *s, int done, bool finished, sheaf_error *err)
{
	char expected[80], found[80];
	snprintf(expected, sizeof expected, "all %d files of a set to be replaced", s->n);
	snprintf(found, sizeof found, "%d of them, since the run that did it was killed", done);
	sheaf_problem problem = {SHEAF_WARNING, SHEAF_DATA, "half-done set", SHEAF_NOWHERE, expected,
	                         found,         NULL};
	problem.consequence =
		finished ? "the others are replaced now"
				 : "the others stay as they are, since another program has changed one meanwhile";
	problem.place.file = s->members[0].base;
	return sheaf_report(s->cx, &problem, err);
}

/* Renames the members that the writer of a set could not rename any more, if no other program has changed a
 * file in their places. If no member is in its place, the old set is whole, and temporaries are removed like
 * others. */
static sheaf_status finish_set(set *s, int folder, sheaf_error *err)
{
	int done = 0;
	bool finished = true;
	for (int i = 0; i < s->n; i++) {
		member now = s->members[i];
		if (!is_pending(folder, &now)) {
			done++;
			continue;
		}
		look_at(folder, now.base, &now);
		finished &= memcmp(&now, &s->members[i], sizeof now) == 0;
	}
	if (done == 0 || done == s->n) return SHEAF_OK;
	for (int i = 0; i < s->n && finished; i++) {
		const member *m = &s->members[i];
		finished = !is_pending(folder, m) || renameat(folder, m->temporary, folder, m->base) == 0;
	}
	finished = finished && sheaf_fd_sync(folder) == 0;
	return report(s, done, finished, err);
}

sheaf_status sheaf_set_recover(int folder, const char *name, sheaf_context *cx, sheaf_error *err)
{
	set s = {.cx = cx};
	struct stat info;
	int fd = open_list(folder, name, &info);
	if (fd < 0) return SHEAF_OK;
	sheaf_status status = read_list(&s, fd, info.st_size, err);
	if (!status) status = finish_set(&s, folder, err);
	if (!sheaf_is_of_memory(status)) unlinkat(folder, name, 0);
	sheaf_release(cx, s.members, s.size);
	sheaf_fd_close(&fd);
	return status;
}

bool sheaf_set_is_there(int folder)
{
	bool found = false;
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries) {
		sheaf_fd_close(&fd);
		return false;
	}
	const struct dirent *entry;
	while (!found && (entry = readdir(entries))) {
		struct stat info;
		found = sheaf_set_is_name(entry->d_name) &&
		        fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
		        info.st_uid == geteuid();
	}
	closedir(entries);
	return found;
}
