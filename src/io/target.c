/* SPDX-License-Identifier: MIT */
/* The file of a sink. What the path is decides how it is written:
 *
 *     "-", a descriptor such as /dev/fd/3, a device, a FIFO    directly; there is nothing to commit
 *     a regular file, a folder of Zarr, or nothing             a temporary beside it, renamed at commit
 *
 * A temporary has a lock, which shows other processes that its writer is alive. */
#include "io/target.h"
#include "base/context.h"
#include "base/spell.h"
#include "io/descriptor.h"
#include "io/live.h"
#include "io/tree.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sheaf/option.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- finding the target ---- */

/* Follows symbolic links, also to a file that does not exist yet. Returns errno, or 0. */
static int resolve(const char *path, char resolved[PATH_MAX])
{
	enum { MOST_LINKS = 40 /* like the system */ };
	char link[PATH_MAX];
	size_t size = strlen(path) + 1;
	if (size > PATH_MAX) return ENAMETOOLONG;
	memcpy(resolved, path, size);
	for (int i = 0; i < MOST_LINKS; i++) {
		ssize_t n = readlink(resolved, link, sizeof link - 1);
		if (n < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;
		link[n] = '\0';
		/* A relative link replaces the last part of the path, an absolute one the whole path. */
		const char *slash = strrchr(resolved, '/');
		size_t kept = link[0] != '/' && slash ? (size_t)(slash - resolved) + 1 : 0;
		if (kept + (size_t)n >= PATH_MAX) return ENAMETOOLONG;
		memcpy(resolved + kept, link, (size_t)n + 1);
	}
	return ELOOP;
}

/* Opens the folder of a path, whose last part becomes target->base. */
static sheaf_status open_folder(sheaf_target *target, char *path, sheaf_error *err)
{
	char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *folder = !slash ? "." : slash == path ? "/" : path;
	if (*base == '\0')
		return sheaf_fail_sys(err, path[0] ? EISDIR : ENOENT, "%s: this is not the name of a file",
		                      target->name);
	size_t size = strlen(base) + 1;
	if (size > sizeof target->base)
		return sheaf_fail_sys(err, ENAMETOOLONG, "%s: a name of %zu bytes is too long", target->name,
		                      size - 1);
	memcpy(target->base, base, size);
	if (slash && slash != path) *slash = '\0';
	/* A network file system may be interrupted. */
	while ((target->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 && errno == EINTR)
		SHEAF_TRY(sheaf_check_stop(target->cx, err));
	/* A folder that may be written but not listed: it can be neither cleaned nor synced. */
	if (target->folder < 0 && errno == EACCES)
		target->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (target->folder >= 0) return SHEAF_OK;
	return sheaf_fail_sys(err, errno, "cannot open the folder of %s", target->name);
}

static sheaf_status open_directly(sheaf_target *target, const char *path, sheaf_error *err)
{
	target->is_owned = true;
	while ((target->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)) < 0 && errno == EINTR)
		SHEAF_TRY(sheaf_check_stop(target->cx, err));
	if (target->fd >= 0) return SHEAF_OK;
	return sheaf_fail_sys(err, errno, "cannot open %s for writing", target->name);
}

/* The descriptor named by a path such as /dev/stdout or /dev/fd/3, or -1. Such a path means the open file
 * with its position and its mode, even if that is a regular file: it must be neither replaced nor written
 * from its start. */
static int descriptor_named(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t n = strlen(folders[i]);
		int64_t fd;
		if (strncmp(path, folders[i], n) == 0 && sheaf_size_from_text(path + n, &fd) && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

static sheaf_status refuse_directory(const sheaf_target *target, sheaf_error *err)
{
	sheaf_status status =
		sheaf_fail(err, SHEAF_IO, "%s: expected a file to write, found a directory", target->name);
	if (err) err->sys = EISDIR;
	return status;
}

static sheaf_status refuse_existing(const char *name, sheaf_error *err)
{
	sheaf_status status = sheaf_fail(
		err, SHEAF_USAGE,
		"%s: expected no file of that name, found one, which is kept (" SHEAF_OPTION("force") " replaces it)",
		name);
	if (err) {
		err->sys = EEXIST;
		snprintf(err->option, sizeof err->option, "force");
	}
	return status;
}

/* A symbolic link is a file of that name, also if what it names is not there: whoever made it may not be
 * whoever is about to write. */
static bool is_link(const char *path)
{
	struct stat info;
	return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static sheaf_status open_beside(sheaf_target *target, const char *path, sheaf_error *err)
{
	char resolved[PATH_MAX];
	int sys = resolve(path, resolved);
	if (sys) return sheaf_fail_sys(err, sys, "cannot resolve the path %s", target->name);
	/* /dev/stdout and the like lead to open files that may have no name any more. */
	struct stat info;
	if (target->is_there && lstat(resolved, &info) != 0) {
		if (errno == ENOENT) return open_directly(target, path, err);
		return sheaf_fail_sys(err, errno, "cannot follow the path %s", target->name);
	}
	SHEAF_TRY(open_folder(target, resolved, err));
	SHEAF_TRY(sheaf_temporary_clean(target->folder, target->cx, err));
	return sheaf_temporary_create(target, err);
}

static sheaf_status choose_and_open(sheaf_target *target, const char *path, sheaf_error *err)
{
	SHEAF_TRY(sheaf_check_stop(target->cx, err));
	if (strcmp(path, "-") == 0) {
		target->fd = STDOUT_FILENO;
		return SHEAF_OK;
	}
	int fd = descriptor_named(path);
	if (fd >= 0) {
		target->is_owned = true;
		target->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return target->fd >= 0 ? SHEAF_OK
		                       : sheaf_fail_sys(err, errno, "%s: expected an open file", target->name);
	}
	target->is_there = stat(path, &target->old) == 0;
	if (!target->is_there) {
		if (errno != ENOENT) return sheaf_fail_sys(err, errno, "cannot resolve the path %s", target->name);
		if (target->keeps && is_link(path)) return refuse_existing(target->name, err);
		return open_beside(target, path, err);
	}
	bool is_tree = S_ISDIR(target->old.st_mode);
	if (is_tree && !sheaf_tree_is_there(path)) return refuse_directory(target, err);
	if (!S_ISREG(target->old.st_mode) && !is_tree) return open_directly(target, path, err);
	return target->keeps ? refuse_existing(target->name, err) : open_beside(target, path, err);
}

sheaf_status sheaf_target_check_path(const char *path, sheaf_error *err)
{
	struct stat info;
	bool is_named = strcmp(path, "-") != 0 && descriptor_named(path) < 0, is_there = stat(path, &info) == 0;
	bool is_taken =
		is_named && (is_there ? S_ISREG(info.st_mode) || (S_ISDIR(info.st_mode) && sheaf_tree_is_there(path))
	                          : is_link(path));
	return is_taken ? refuse_existing(path, err) : SHEAF_OK;
}

sheaf_status sheaf_target_open(sheaf_target *target, const char *path, const char *name, bool keeps,
                               sheaf_context *cx, sheaf_error *err)
{
	*target = (sheaf_target){
		.cx = cx, .name = name, .keeps = keeps, .fd = -1, .folder = -1, .live = SHEAF_NOT_LIVE, .lock = -1};
	sheaf_status status = choose_and_open(target, path, err);
	if (status) sheaf_target_abandon(target);
	return status;
}

/* Sends what was written since the last call to the disk, while the rest is made. */
static void begin_writing_back(sheaf_target *target)
{
	(void)sync_file_range(target->fd, target->begun, target->written - target->begun,
	                      SYNC_FILE_RANGE_WRITE); /* only a hint: the sync at the end is what counts */
	target->begun = target->written;
}

void sheaf_target_write_back(sheaf_target *target, int64_t offset, int64_t size)
{
	enum { WORTH_IT = 1 << 20 };
	if (size >= WORTH_IT) (void)sync_file_range(target->fd, offset, size, SYNC_FILE_RANGE_WRITE);
}

sheaf_status sheaf_target_write(sheaf_target *target, const void *data, size_t size, sheaf_error *err)
{
	enum { STEP = 8 << 20 };
	const uint8_t *at = (const uint8_t *)data;
	while (size > 0) {
		size_t n = size < STEP ? size : STEP;
		SHEAF_TRY(sheaf_fd_write((sheaf_descriptor){target->cx, target->fd, target->name}, SHEAF_STREAMING,
		                         at, n, err));
		at += n;
		size -= n;
		target->written += (int64_t)n;
		if (target->folder >= 0 && target->written - target->begun >= STEP) begin_writing_back(target);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_target_copy(sheaf_target *target, int from, int64_t *at, int64_t *size, sheaf_error *err)
{
	enum { STEP = 64 << 20 };
	while (*size > 0 && target->folder >= 0) {
		off_t offset = (off_t)*at;
		SHEAF_TRY(sheaf_check_stop(target->cx, err));
		ssize_t n = copy_file_range(from, &offset, target->fd, NULL, *size < STEP ? (size_t)*size : STEP, 0);
		if (n < 0 && errno == EINTR) continue;
		if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG))
			return sheaf_fail_sys(err, errno, "cannot write to %s", target->name);
		if (n <= 0) return SHEAF_OK; /* not possible between these files: bytes are read and written */
		*at += n;
		*size -= n;
		target->written += n;
		begin_writing_back(target);
	}
	return SHEAF_OK;
}

/* ---- putting it in its place ---- */

sheaf_status sheaf_target_seal(sheaf_target *target, sheaf_error *err)
{
	int failed = 0;
	if (target->folder < 0) {
		if (target->is_owned) failed = sheaf_fd_close(&target->fd);
		return failed ? sheaf_fail_sys(err, failed, "cannot close %s", target->name) : SHEAF_OK;
	}
	SHEAF_TRY(sheaf_check_stop(target->cx, err));
	if (target->is_there && S_ISDIR(target->old.st_mode) && !target->is_tree)
		return refuse_directory(target, err);
	if (target->is_there) {
		mode_t mode = target->old.st_mode & 07777;
		/* Only root can give files away; a group may be one of the user's own. Set-id bits make sense for the
		 * old owner only. */
		if (fchown(target->fd, target->old.st_uid, target->old.st_gid) != 0) {
			if (fchown(target->fd, (uid_t)-1, target->old.st_gid) != 0) mode &= ~(mode_t)S_ISGID;
			mode &= ~(mode_t)S_ISUID;
		}
		/* File systems without modes refuse; then the file is no more open than the old one. */
		if (fchmod(target->fd, mode) != 0 && errno != EPERM && errno != ENOTSUP) failed = errno;
	}
	if (!failed) failed = target->is_tree ? sheaf_tree_sync(target->fd) : sheaf_fd_sync(target->fd);
	if (!failed) {
		/* Closing may report writes that failed late, so it must come before the rename; but the lock must
		 * last until after it. A second descriptor of the same open file holds the lock. */
		target->lock = fcntl(target->fd, F_DUPFD_CLOEXEC, 0);
		failed = target->lock < 0 ? errno : sheaf_fd_close(&target->fd);
	}
	return failed ? sheaf_fail_sys(err, failed, "%s: cannot put the finished file in its place", target->name)
	              : SHEAF_OK;
}

static sheaf_status refuse_newcomer(const sheaf_target *target, sheaf_error *err)
{
	sheaf_status status = sheaf_fail(err, SHEAF_USAGE,
	                                 "%s: expected no file of that name, as at the beginning, found one that "
	                                 "another program has made meanwhile; it is kept",
	                                 target->name);
	if (err) err->sys = EEXIST;
	return status;
}

sheaf_status sheaf_target_check_free(const sheaf_target *target, sheaf_error *err)
{
	struct stat info;
	bool is_taken = target->keeps && target->folder >= 0 &&
	                fstatat(target->folder, target->base, &info, AT_SYMLINK_NOFOLLOW) == 0;
	return is_taken ? refuse_newcomer(target, err) : SHEAF_OK;
}

/* Returns errno, or 0. */
static int rename_to(const sheaf_target *target, unsigned flags)
{
	int result = flags ? renameat2(target->folder, target->temporary, target->folder, target->base, flags)
	                   : renameat(target->folder, target->temporary, target->folder, target->base);
	return result == 0 ? 0 : errno;
}

sheaf_status sheaf_target_place(sheaf_target *target, sheaf_error *err)
{
	if (target->folder < 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_target_check_clone(target, err));
	/* A folder is exchanged with the one that it replaces, which is removed afterwards, as the temporary. */
	bool exchanges = target->is_tree && target->is_there;
	int failed = rename_to(target, exchanges ? RENAME_EXCHANGE : target->keeps ? RENAME_NOREPLACE : 0);
	if (target->keeps && failed == EEXIST) return refuse_newcomer(target, err);
	if (target->keeps && (failed == EINVAL || failed == ENOSYS || failed == ENOTSUP)) {
		/* The file system cannot refuse an existing name in a rename, so the name is checked just before. */
		SHEAF_TRY(sheaf_target_check_free(target, err));
		failed = rename_to(target, 0);
	}
	if (failed)
		return sheaf_fail_sys(err, failed, "%s: cannot put the finished file in its place", target->name);
	sheaf_live_remove(&target->live);
	if (!exchanges) target->temporary[0] = '\0'; /* the name is gone: nothing to remove */
	return SHEAF_OK;
}

sheaf_status sheaf_target_finish(sheaf_target *target, sheaf_error *err)
{
	SHEAF_TRY(sheaf_target_place(target, err));
	int failed = target->folder >= 0 ? sheaf_fd_sync(target->folder) : 0;
	return failed
	           ? sheaf_fail_sys(err, failed, "%s: the file is in its place, but its folder cannot be synced",
	                            target->name)
	           : SHEAF_OK;
}

void sheaf_target_abandon(sheaf_target *target)
{
	/* The name is removed before the lock is released, so that no cleaner takes it for a leftover. */
	if (target->temporary[0] && target->is_tree)
		(void)sheaf_tree_remove(target->folder, target->temporary); /* otherwise the next run does it */
	else if (target->temporary[0])
		unlinkat(target->folder, target->temporary, 0);
	target->temporary[0] = '\0';
	sheaf_live_remove(&target->live);
	sheaf_fd_close(&target->lock);
	if (target->folder >= 0 || target->is_owned) sheaf_fd_close(&target->fd);
	target->fd = -1;
	sheaf_fd_close(&target->folder);
}
