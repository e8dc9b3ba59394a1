/* SPDX-License-Identifier: MIT */
/* Sets of files: their lists, and finishing a set whose writer has died. */
#include "io/set.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "io/descriptor.h"
#include "io/live.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define SET_PREFIX SHEAF_TEMPORARY_PREFIX "set-"
enum { SET_NAME_SIZE = sizeof SET_PREFIX + SHEAF_TEMPORARY_SIZE - sizeof SHEAF_TEMPORARY_PREFIX };

/* One file of a set, as the list has it: for programs on the same machine only. */
typedef struct member {
	char temporary[SHEAF_TEMPORARY_SIZE];
	char base[NAME_MAX + 1];
	int64_t is_there, device, inode, size, seconds, nanoseconds; /* the file before that is in its place */
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

/* The file of a name in the folder. */
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

static sheaf_status gather(set *s, sheaf_sink **sinks, int n, sheaf_error *err)
{
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)n, sizeof(member), &s->members, err));
	s->size = (size_t)n * sizeof(member);
	for (int i = 0; i < n; i++) {
		const sheaf_target *t = &sinks[i]->target;
		memcpy(s->members[i].temporary, t->temporary, sizeof t->temporary);
		memcpy(s->members[i].base, t->base, strlen(t->base) + 1);
		look_at(t->folder, t->base, &s->members[i]);
	}
	s->n = n;
	return SHEAF_OK;
}

/* The list appears at once, and is on the disk before anything is renamed. */
static sheaf_status publish(set *s, sheaf_error *err)
{
	sheaf_target *list = &s->list;
	list_head head = {.count = s->n};
	memcpy(head.magic, magic, sizeof magic);
	SHEAF_TRY(sheaf_temporary_create(list, err));
	SHEAF_TRY(sheaf_fd_write((sheaf_descriptor){s->cx, list->fd, list->name}, SHEAF_STREAMING, &head,
	                         sizeof head, err));
	SHEAF_TRY(sheaf_fd_write((sheaf_descriptor){s->cx, list->fd, list->name}, SHEAF_STREAMING, s->members,
	                         s->size, err));
	int failed = sheaf_fd_sync(list->fd);
	snprintf(s->name, sizeof s->name, SET_PREFIX "%s", list->temporary + strlen(SHEAF_TEMPORARY_PREFIX));
	if (!failed && renameat(list->folder, list->temporary, list->folder, s->name) != 0) failed = errno;
	if (failed) s->name[0] = '\0';
	if (!failed) {
		sheaf_live_remove(&list->live);
		list->temporary[0] = '\0';
		failed = sheaf_fd_sync(list->folder);
	}
	return failed ? sheaf_fail_sys(err, failed, "%s: expected to list the files that belong together",
	                               list->name)
	              : SHEAF_OK;
}

static sheaf_status open_set(set *s, sheaf_sink **sinks, int n, sheaf_error *err)
{
	const sheaf_target *first = &sinks[0]->target;
	/* Others may not read it: it contains names of files. */
	s->list = (sheaf_target){.cx = s->cx,
	                         .name = first->name,
	                         .fd = -1,
	                         .folder = first->folder,
	                         .is_there = true,
	                         .live = SHEAF_NOT_LIVE,
	                         .lock = -1};
	SHEAF_TRY(gather(s, sinks, n, err));
	return publish(s, err);
}

static void close_set(set *s, int folder)
{
	if (s->name[0]) unlinkat(folder, s->name, 0);
	if (s->list.temporary[0]) unlinkat(folder, s->list.temporary, 0);
	sheaf_live_remove(&s->list.live);
	sheaf_fd_close(&s->list.fd);
	if (s->members) sheaf_release(s->cx, s->members, s->size);
}

/* ---- commit ---- */

/* Whether they are several files of one folder. */
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

static sheaf_status place_all(sheaf_sink **sinks, int n, sheaf_error *err)
{
	for (int i = 0; i < n; i++) {
		sheaf_status status = sheaf_target_place(&sinks[i]->target, err);
		if (!status) continue;
		if (i > 0)
			sheaf_error_append(err, "; %d of the %d files that belong together are in their places already",
			                   i, n);
		return status;
	}
	return SHEAF_OK;
}

static sheaf_status sync_folders(sheaf_sink **sinks, int n, sheaf_error *err)
{
	for (int i = 0; i < n; i++) {
		int folder = sinks[i]->target.folder, failed = folder >= 0 ? sheaf_fd_sync(folder) : 0;
		if (failed)
			return sheaf_fail_sys(err, failed,
			                      "%s: expected the folder to be synced after the file was put in its place",
			                      sinks[i]->name);
	}
	return SHEAF_OK;
}

static sheaf_status commit_all(set *s, sheaf_sink **sinks, int n, sheaf_error *err)
{
	bool together = are_together(sinks, n);
	for (int i = 0; i < n; i++) SHEAF_TRY(sheaf_sink_seal(sinks[i], err));
	for (int i = 0; i < n; i++) SHEAF_TRY(sheaf_target_check_free(&sinks[i]->target, err));
	if (together) SHEAF_TRY(open_set(s, sinks, n, err));
	SHEAF_TRY(place_all(sinks, n, err));
	return sync_folders(sinks, together ? 1 : n, err);
}

sheaf_status sheaf_sinks_commit(sheaf_sink **sinks, int n, sheaf_error *err)
{
	set s = {.cx = sinks[0]->cx};
	s.list.fd = -1;
	s.list.live = SHEAF_NOT_LIVE;
	sheaf_status status = commit_all(&s, sinks, n, err);
	close_set(&s, sinks[0]->target.folder);
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

static bool is_plain_name(const char *name, size_t size)
{
	size_t n = strnlen(name, size);
	return n > 0 && n < size && !memchr(name, '/', n) && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool is_sound(const set *s, const list_head *head, int64_t size)
{
	if (memcmp(head->magic, magic, sizeof magic) != 0 || head->count < 2 || head->count > MOST_MEMBERS ||
	    size != (int64_t)sizeof *head + head->count * (int64_t)sizeof(member))
		return false;
	for (int64_t i = 0; s->members && i < head->count; i++) {
		const member *m = &s->members[i];
		if (!is_plain_name(m->base, sizeof m->base) || m->temporary[sizeof m->temporary - 1] ||
		    !sheaf_temporary_is_name(m->temporary))
			return false;
	}
	return true;
}

/* Empty if the list is damaged. */
static sheaf_status read_list(set *s, int fd, int64_t size, sheaf_error *err)
{
	list_head head;
	void *memory;
	if (pread(fd, &head, sizeof head, 0) != sizeof head || !is_sound(s, &head, size)) return SHEAF_OK;
	s->n = (int)head.count;
	SHEAF_TRY(sheaf_allocate_array(s->cx, (uint64_t)s->n, sizeof(member), &memory, err));
	s->members = (member *)memory;
	s->size = (size_t)s->n * sizeof(member);
	ssize_t got = pread(fd, memory, s->size, sizeof head);
	if (got != (ssize_t)s->size || !is_sound(s, &head, size)) s->n = 0;
	return SHEAF_OK;
}

/* Whether its temporary is still waiting to be renamed. */
static bool is_pending(int folder, const member *m)
{
	struct stat info;
	return fstatat(folder, m->temporary, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
	       info.st_uid == geteuid() && info.st_nlink == 1;
}

static bool is_unchanged(int folder, const member *m)
{
	member now = *m;
	look_at(folder, m->base, &now);
	return memcmp(&now, m, sizeof now) == 0;
}

/* How many are in their places, and whether the others' places still hold what they held before. */
static int count_done(const set *s, int folder, bool *unchanged)
{
	int done = 0;
	*unchanged = true;
	for (int i = 0; i < s->n; i++) {
		if (!is_pending(folder, &s->members[i]))
			done++;
		else if (!is_unchanged(folder, &s->members[i]))
			*unchanged = false;
	}
	return done;
}

static bool finish(const set *s, int folder)
{
	for (int i = 0; i < s->n; i++) {
		const member *m = &s->members[i];
		if (is_pending(folder, m) && renameat(folder, m->temporary, folder, m->base) != 0) return false;
	}
	return sheaf_fd_sync(folder) == 0;
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

static sheaf_status mend(set *s, int folder, sheaf_error *err)
{
	bool unchanged;
	int done = count_done(s, folder, &unchanged);
	/* If none is replaced, the old set is whole, and temporaries are removed like others. */
	if (done == 0 || done == s->n) return SHEAF_OK;
	return report(s, done, unchanged && finish(s, folder), err);
}

sheaf_status sheaf_set_mend(int folder, const char *name, sheaf_context *cx, sheaf_error *err)
{
	set s = {.cx = cx};
	struct stat info;
	int fd = open_list(folder, name, &info);
	if (fd < 0) return SHEAF_OK;
	sheaf_status status = read_list(&s, fd, info.st_size, err);
	if (!status) status = mend(&s, folder, err);
	if (!sheaf_is_of_memory(status)) unlinkat(folder, name, 0);
	if (s.members) sheaf_release(cx, s.members, s.size);
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
