/* SPDX-License-Identifier: MIT */
/* Members of a folder, or of a ZIP file. A path is opened name by name, and no link is followed: so
 * nothing leads out of the folder. A member that does not exist is no error, since chunks may be missing. */
#include "base/context.h"
#include "base/extend.h"
#include "base/memory.h"
#include "container/zarr/zarr.h"
#include "io/descriptor.h"
#include "io/source.h"
#include "io/tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* For SHEAF_SCOPED. */
static void close_listing(DIR **listing)
{
	if (*listing) closedir(*listing);
}

/* Opens one name of a path in a folder: returns the descriptor, or -1 with errno. Links are not followed,
 * and devices and pipes do not block. */
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

/* Opens the file or folder at a path inside the folder; "" is the folder itself. *fd is -1 where there is
 * none, and belongs to the caller. The path is followed part by part, and each folder on the way is
 * closed as soon as the next is open. */
static sheaf_status open_path(const sheaf_zarr_members *m, const char *path, int flags, int *fd,
                              sheaf_error *err)
{
	int at;
	do at = openat(m->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (at < 0 && errno == EINTR);
	while (at >= 0 && *path) {
		size_t n = strcspn(path, "/");
		int next = open_name(at, path, n, path[n] ? O_DIRECTORY : flags), sys = errno;
		sheaf_fd_close(&at);
		errno = sys;
		at = next;
		path += n + (path[n] == '/');
	}
	*fd = at;
	bool is_missing = errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG;
	if (at >= 0 || is_missing) return SHEAF_OK;
	return sheaf_fail_sys(err, errno, "%s/%s: expected a readable file", m->name, path);
}

/* Turns *part into a range of a member of `end` bytes: all of it, up to a limit; the last bytes; or the
 * range that it is. */
static sheaf_status find_part(const sheaf_zarr_members *m, const char *path, int64_t end,
                              sheaf_zarr_part *part, sheaf_error *err)
{
	if (part->at == SHEAF_ZARR_WHOLE && end > part->size)
		return sheaf_fail(err, SHEAF_LIMIT, "%s/%s: expected at most %" PRId64 " bytes, found %" PRId64,
		                  m->name, path, part->size, end);
	if (part->at == SHEAF_ZARR_WHOLE) *part = (sheaf_zarr_part){0, end};
	if (part->at < 0) part->at = end - part->size;
	if (part->at >= 0 && part->size <= end && part->at <= end - part->size) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s/%s: expected %" PRId64 " bytes at byte %" PRId64 ", found %" PRId64 " in all",
	                  m->name, path, part->size, part->at, end);
}

/* ---- ZIP files ---- */

/* Reads a part of an archive's member, or all of it; *found is false if there is none. A part can only be
 * found if the member is stored as it is. Its contents are checked against their checksum once, when they
 * are first needed, since many parts of a shard are requested: m->begins remembers where they begin (0:
 * not checked yet). */
static sheaf_status read_in_zip(const sheaf_zarr_members *m, const char *path, sheaf_zarr_part part,
                                sheaf_builder *bytes, bool *found, sheaf_error *err)
{
	const sheaf_zip_member *member = sheaf_zip_find(&m->zip, path, strlen(path), "");
	SHEAF_SCOPED(sheaf_buffer_reset) sheaf_buffer contents = {0};
	*found = member;
	if (!member) return SHEAF_OK;
	if (part.at != SHEAF_ZARR_WHOLE && member->method != 0)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s/%s: expected a shard that the archive stores as it is (zip -0), found a packed one", m->name,
			path);
	SHEAF_TRY(find_part(m, path, member->size, &part, err));
	_Atomic int64_t *known = &m->begins[member - m->zip.members];
	int64_t begin = atomic_load_explicit(known, memory_order_relaxed);
	if (begin == 0) SHEAF_TRY(sheaf_zip_contents(&m->zip, member, &begin, &contents, err));
	if (begin > 0) atomic_store_explicit(known, begin, memory_order_relaxed);
	uint8_t *to = sheaf_builder_extend(bytes, (uint64_t)part.size);
	if (!to) return sheaf_builder_status(bytes, err);
	if (begin > 0) return sheaf_source_read_at(m->zip.source, begin + part.at, to, (size_t)part.size, err);
	if (part.size) memcpy(to, contents.data + part.at, (size_t)part.size);
	return SHEAF_OK;
}

/* Calls `child` for each folder in the folder `path` of an archive. Names are sorted, so equal beginnings
 * are side by side. Hidden folders, and names that lead elsewhere ("..", "a//b"), are passed over. */
static sheaf_status children_in_zip(const sheaf_zarr_members *m, const char *path, sheaf_zarr_child child,
                                    void *user, sheaf_error *err)
{
	enum { LONGEST = 255 };
	char name[LONGEST + 1], last_name[LONGEST + 1] = "";
	size_t skip = *path ? strlen(path) + 1 : 0;
	for (int i = sheaf_zip_place(&m->zip, path, strlen(path), skip ? "/" : ""); i < m->zip.count; i++) {
		const char *member_name = m->zip.by_name[i]->name;
		if (strncmp(member_name, path, strlen(path)) != 0 || (skip && member_name[skip - 1] != '/'))
			return SHEAF_OK;
		size_t n = strcspn(member_name + skip, "/");
		if (n == 0 || n > LONGEST || !member_name[skip + n] || member_name[skip] == '.') continue;
		memcpy(name, member_name + skip, n);
		name[n] = '\0';
		if (strcmp(name, last_name) == 0) continue;
		SHEAF_TRY(sheaf_check_stop(m->cx, err));
		SHEAF_TRY(child(user, name, err));
		memcpy(last_name, name, sizeof last_name);
	}
	return SHEAF_OK;
}

/* ---- either ---- */

/* Opens the members of a folder, or of an archive. Of members that occur twice in an archive the last one
 * counts, with a warning for the first of them. */
sheaf_status sheaf_zarr_open_members(sheaf_zarr_members *m, sheaf_source *source, sheaf_context *cx,
                                     sheaf_error *err)
{
	*m = (sheaf_zarr_members){
		.cx = cx, .name = sheaf_source_name(source), .folder = sheaf_source_folder(source)};
	if (m->folder >= 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_zip_open(&m->zip, source, cx, err));
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)m->zip.count + 1, sizeof *m->begins, &m->begins, err));
	int i = 1;
	while (i < m->zip.count && strcmp(m->zip.by_name[i - 1]->name, m->zip.by_name[i]->name) != 0) i++;
	if (i >= m->zip.count || m->zip.is_told) return SHEAF_OK;
	char found[300];
	m->zip.is_told = true;
	snprintf(found, sizeof found, "%.280s twice", m->zip.by_name[i]->name);
	sheaf_problem problem =
		sheaf_problem_in(m->name, &SHEAF_FINDING(SHEAF_WARNING, "member twice", "each member once", found,
	                                             "of members of the same name the last one counts"));
	return sheaf_report(cx, &problem, err);
}

void sheaf_zarr_close_members(sheaf_zarr_members *m)
{
	if (m->begins) sheaf_release(m->cx, m->begins, ((size_t)m->zip.count + 1) * sizeof *m->begins);
	m->begins = NULL;
	if (m->folder < 0) sheaf_zip_close(&m->zip);
}

/* Appends a part of a member to `bytes`; *found is false if there is none. In a folder, a file that
 * becomes shorter while it is read is noticed: the builder never has bytes that were not there. Folders
 * and devices count as empty. */
sheaf_status sheaf_zarr_read(const sheaf_zarr_members *m, const char *path, sheaf_zarr_part part,
                             sheaf_builder *bytes, bool *found, sheaf_error *err)
{
	if (m->folder < 0) return read_in_zip(m, path, part, bytes, found, err);
	SHEAF_SCOPED(sheaf_fd_close) int fd = -1;
	struct stat info;
	SHEAF_TRY(open_path(m, path, 0, &fd, err));
	*found = fd >= 0;
	if (!*found) return SHEAF_OK;
	if (fstat(fd, &info) != 0)
		return sheaf_fail_sys(err, errno, "%s/%s: expected an open file", m->name, path);
	SHEAF_TRY(find_part(m, path, S_ISREG(info.st_mode) ? info.st_size : 0, &part, err));
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

/* Calls `child` for each folder in the folder `path`. Hidden folders are passed over, as in a ZIP file. A
 * file system that does not say what a name is (DT_UNKNOWN) has it looked at like a folder: one without
 * metadata is passed over later. */
sheaf_status sheaf_zarr_children(const sheaf_zarr_members *m, const char *path, sheaf_zarr_child child,
                                 void *user, sheaf_error *err)
{
	int fd;
	if (m->folder < 0) return children_in_zip(m, path, child, user, err);
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

/* Counts the stored bytes of an array. In an archive they are those of the members in its folder, which are
 * side by side in the order of names. */
sheaf_status sheaf_zarr_stored(const sheaf_zarr_members *m, const char *path, int64_t *bytes,
                               sheaf_error *err)
{
	size_t n = strlen(path);
	*bytes = 0;
	if (m->folder >= 0) {
		SHEAF_SCOPED(sheaf_fd_close) int fd = -1;
		SHEAF_TRY(open_path(m, path, O_DIRECTORY, &fd, err));
		*bytes = fd < 0 ? -1 : sheaf_tree_bytes(fd);
		return SHEAF_OK;
	}
	for (int i = sheaf_zip_place(&m->zip, path, n, n ? "/" : ""); i < m->zip.count; i++) {
		const char *name = m->zip.by_name[i]->name;
		if (strncmp(name, path, n) != 0 || (n && name[n] != '/')) break;
		*bytes += m->zip.by_name[i]->stored;
	}
	return SHEAF_OK;
}
