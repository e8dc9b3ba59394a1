/* SPDX-License-Identifier: MIT */
/* Folders as datasets: written file by file, synced, measured and removed. No link in them is followed, so
 * that nothing outside is touched. */
#include "io/tree.h"
#include "base/context.h"
#include "io/descriptor.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 64, IS_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

const char *const sheaf_tree_heads[] = {"zarr.json", ".zgroup", ".zarray", NULL};

bool sheaf_tree_is_there(const char *path)
{
	struct stat info;
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is = false;
	for (int i = 0; folder >= 0 && sheaf_tree_heads[i] && !is; i++)
		is = fstatat(folder, sheaf_tree_heads[i], &info, AT_SYMLINK_NOFOLLOW) == 0;
	sheaf_fd_close(&folder);
	return is;
}

/* ---- writing ---- */

static int open_again(int folder, const char *name, int flags, mode_t mode)
{
	int fd;
	do fd = openat(folder, name, flags, mode);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* The file at a path; -1 with errno. */
static int create(int folder, const char *path)
{
	char name[NAME_MAX + 1];
	int at = folder;
	for (const char *slash; (slash = strchr(path, '/')); path = slash + 1) {
		size_t n = (size_t)(slash - path);
		if (n >= sizeof name) return errno = ENAMETOOLONG, -1;
		memcpy(name, path, n);
		name[n] = '\0';
		/* A folder is created if there is none. */
		int next = open_again(at, name, IS_FOLDER, 0);
		if (next < 0 && errno == ENOENT) {
			bool made = mkdirat(at, name, S_IRWXU | S_IRWXG | S_IRWXO) == 0 || errno == EEXIST;
			if (made) next = open_again(at, name, IS_FOLDER, 0);
		}
		int sys = errno;
		if (at != folder) sheaf_fd_close(&at);
		if (next < 0) return errno = sys, -1;
		at = next;
	}
	mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
	int fd = open_again(at, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode), sys = errno;
	if (at != folder) sheaf_fd_close(&at);
	errno = sys;
	return fd;
}

sheaf_status sheaf_tree_put(const sheaf_target *target, const char *path, sheaf_bytes bytes, sheaf_error *err)
{
	enum { WORTH_IT = 1 << 18 };
	int fd = create(target->fd, path);
	if (fd < 0) return sheaf_fail_sys(err, errno, "cannot make %s/%s", target->name, path);
	sheaf_status status =
		sheaf_fd_write((sheaf_descriptor){target->cx, fd, target->name}, 0, bytes.data, bytes.size, err);
	if (!status && bytes.size >= WORTH_IT)
		(void)sync_file_range(fd, 0, (off_t)bytes.size, SYNC_FILE_RANGE_WRITE);
	int sys = sheaf_fd_close(&fd);
	if (!status && sys) status = sheaf_fail_sys(err, sys, "cannot close %s/%s", target->name, path);
	return status;
}

/* ---- walking through one ---- */

/* What happens to a name in a folder; for a folder, after its contents. Returns errno, or 0. */
typedef struct visit {
	int (*each)(void *user, int above, const char *name, bool is_folder);
	void *user;
} visit;

/* Visits everything in the folder of this name, then the folder; a file alone if it is one. */
static int walk(int above, const char *name, const visit *each, int depth)
{
	int folder = depth < DEEPEST ? open_again(above, name, IS_FOLDER, 0) : -1;
	if (folder < 0 && errno != ENOTDIR && errno != ELOOP) return depth < DEEPEST ? errno : ELOOP;
	if (folder < 0) return each->each(each->user, above, name, false);
	DIR *entries = fdopendir(folder);
	int sys = errno;
	if (!entries) {
		sheaf_fd_close(&folder);
		return sys;
	}
	for (sys = 0; !sys;) {
		errno = 0;
		const struct dirent *entry = readdir(entries);
		if (!entry) {
			sys = errno;
			break;
		}
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			sys = walk(dirfd(entries), entry->d_name, each, depth + 1);
	}
	closedir(entries);
	return sys ? sys : each->each(each->user, above, name, true);
}

static int sync_one(void *user, int above, const char *name, bool is_folder)
{
	(void)user;
	int fd = open_again(above, name, is_folder ? IS_FOLDER : O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0) return errno;
	int sys = sheaf_fd_sync(fd), closed = sheaf_fd_close(&fd);
	return sys ? sys : closed;
}

int sheaf_tree_sync(int folder) { return walk(folder, ".", &(visit){sync_one, NULL}, 0); }

static int remove_one(void *user, int above, const char *name, bool is_folder)
{
	(void)user;
	return unlinkat(above, name, is_folder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT ? 0 : errno;
}

int sheaf_tree_remove(int above, const char *name)
{
	return walk(above, name, &(visit){remove_one, NULL}, 0);
}

static int add_size(void *user, int above, const char *name, bool is_folder)
{
	struct stat info;
	int64_t *sum = (int64_t *)user;
	bool counts =
		!is_folder && fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
	if (counts && info.st_size <= INT64_MAX - *sum) *sum += info.st_size;
	return 0;
}

int64_t sheaf_tree_bytes(int folder)
{
	int64_t sum = 0;
	return walk(folder, ".", &(visit){add_size, &sum}, 0) ? -1 : sum;
}
