/* SPDX-License-Identifier: MIT */
/* Members of a folder. A path is gone name by name, and no link is followed: so nobody leads us out of it. */
#include "base/context.h"
#include "base/extend.h"
#include "box/zarr/zarr.h"
#include "io/descriptor.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void close_folder(const int *fd)
{
	int own = *fd;
	sheaf_fd_close(&own);
}

static void close_listing(DIR **listing)
{
	if (*listing) closedir(*listing);
}

static bool is_missing(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == ELOOP || sys == ENAMETOOLONG;
}

/* One name of a path: the descriptor, or -1 with errno. */
static int open_name(int folder, const char *name, size_t size, int flags)
{
	enum { LONGEST = 255 };
	char text[LONGEST + 1];
	int fd;
	if (size == 0 || size > LONGEST || (size <= 2 && memcmp(name, "..", size) == 0)) {
		errno = ENOENT;
		return -1;
	}
	memcpy(text, name, size);
	text[size] = '\0';
	do fd = openat(folder, text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* The file or folder at a path; "" is the folder itself. *fd is -1 where there is none. */
static sheaf_status open_path(const sheaf_zarr_members *m, const char *path, int flags, int *fd,
                              sheaf_error *err)
{
	int at = openat(m->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (at >= 0 && *path) {
		size_t n = strcspn(path, "/");
		int next = open_name(at, path, n, path[n] ? O_DIRECTORY : flags), sys = errno;
		sheaf_fd_close(&at);
		errno = sys;
		at = next;
		path += n + (path[n] == '/');
	}
	*fd = at;
	if (at >= 0 || is_missing(errno)) return SHEAF_OK;
	return sheaf_fail_sys(err, errno, "%s/%s: expected a readable file", m->name, path);
}

static sheaf_status read_part(const sheaf_zarr_members *m, int fd, const char *path, sheaf_zarr_part part,
                              sheaf_builder *bytes, sheaf_error *err)
{
	struct stat info;
	if (fstat(fd, &info) != 0)
		return sheaf_fail_sys(err, errno, "%s/%s: expected an open file", m->name, path);
	int64_t most = part.size, end = S_ISREG(info.st_mode) ? info.st_size : 0;
	if (part.at == SHEAF_ZARR_WHOLE) {
		part = (sheaf_zarr_part){0, end};
		if (end > most)
			return sheaf_fail(err, SHEAF_LIMIT, "%s/%s: expected at most %" PRId64 " bytes, found %" PRId64,
			                  m->name, path, most, end);
	}
	if (part.at < 0) part.at = end - part.size;
	if (part.at < 0 || part.size > end || part.at > end - part.size)
		return sheaf_fail(err, SHEAF_DATA,
		                  "%s/%s: expected %" PRId64 " bytes at byte %" PRId64 ", found %" PRId64 " in all",
		                  m->name, path, part.size, part.at, end);
	if (!sheaf_builder_room(bytes, (uint64_t)part.size + 1)) return sheaf_builder_status(bytes, err);
	for (int64_t at = 0; at < part.size;) {
		size_t got;
		SHEAF_TRY(sheaf_fd_read((sheaf_descriptor){m->cx, fd, m->name}, part.at + at,
		                        bytes->data + bytes->size, (size_t)(part.size - at), &got, err));
		if (got == 0)
			return sheaf_fail(err, SHEAF_SHORT,
			                  "%s/%s: expected %" PRId64 " bytes, found that it was cut to %" PRId64, m->name,
			                  path, part.size, at);
		bytes->size += got;
		at += (int64_t)got;
	}
	return SHEAF_OK;
}

sheaf_status sheaf_zarr_read(const sheaf_zarr_members *m, const char *path, sheaf_zarr_part part,
                             sheaf_builder *bytes, bool *found, sheaf_error *err)
{
	SHEAF_SCOPED(close_folder) int fd = -1;
	SHEAF_TRY(open_path(m, path, 0, &fd, err));
	*found = fd >= 0;
	return *found ? read_part(m, fd, path, part, bytes, err) : SHEAF_OK;
}

sheaf_status sheaf_zarr_children(const sheaf_zarr_members *m, const char *path, sheaf_zarr_child child,
                                 void *user, sheaf_error *err)
{
	int fd;
	SHEAF_TRY(open_path(m, path, O_DIRECTORY, &fd, err));
	if (fd < 0) return SHEAF_OK;
	SHEAF_SCOPED(close_listing) DIR *listing = fdopendir(fd);
	if (!listing) {
		int sys = errno;
		sheaf_fd_close(&fd);
		return sheaf_fail_sys(err, sys, "%s/%s: expected a folder", m->name, path);
	}
	for (;;) {
		errno = 0;
		const struct dirent *entry = readdir(listing);
		if (!entry && errno) return sheaf_fail_sys(err, errno, "%s/%s: expected names", m->name, path);
		if (!entry) return SHEAF_OK;
		SHEAF_TRY(sheaf_check_stop(m->cx, err));
		bool is_folder = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
		if (is_folder && entry->d_name[0] != '.') SHEAF_TRY(child(user, entry->d_name, err));
	}
}
