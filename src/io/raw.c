/* SPDX-License-Identifier: MIT */
/* The bytes as stored: opening them, and reading them in order or at any byte. A folder of Zarr is opened by
 * the file that describes it, which is then the input. */
#include "io/raw.h"
#include "base/context.h"
#include "io/descriptor.h"
#include "io/tree.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How files in a folder are opened: no link is followed, and no writer of a FIFO is waited for. */
enum { INSIDE = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

/* Says what the folder lacks if it was meant as a folder of Zarr. */
static sheaf_status refuse_directory(const sheaf_raw *raw, sheaf_error *err)
{
	int fd = openat(raw->fd, ".zmetadata", INSIDE);
	const char *kind = fd >= 0 ? " of Zarr that has its metadata in .zmetadata alone; the nodes' own are read"
	                   : strstr(raw->name, ".zarr")
	                       ? " without zarr.json, .zgroup or .zarray, which folders of Zarr have"
	                       : "";
	sheaf_fd_close(&fd);
	sheaf_status status =
		sheaf_fail(err, SHEAF_IO, "%s: expected a file, found a directory%s", raw->name, kind);
	if (err) err->sys = EISDIR;
	return status;
}

/* Fills in what kind of file is open, and where it begins and ends. */
static sheaf_status look_at_file(sheaf_raw *raw, sheaf_error *err)
{
	struct stat info;
	if (fstat(raw->fd, &info) != 0) return sheaf_fail_sys(err, errno, "%s: expected an open file", raw->name);
	if (S_ISDIR(info.st_mode)) {
		int fd = -1;
		for (int i = 0; raw->folder < 0 && raw->is_owned && fd < 0 && sheaf_tree_heads[i]; i++)
			fd = openat(raw->fd, sheaf_tree_heads[i], INSIDE);
		if (fd < 0) return refuse_directory(raw, err);
		raw->folder = raw->fd;
		raw->fd = fd;
		return look_at_file(raw, err);
	}
	if (!S_ISREG(info.st_mode)) return SHEAF_OK;
	off_t base = lseek(raw->fd, 0, SEEK_CUR);
	if (base < 0) return sheaf_fail_sys(err, errno, "cannot find the position in %s", raw->name);
	raw->kind = SHEAF_RAW_FILE;
	raw->base = base;
	raw->size = info.st_size > base ? info.st_size - base : 0;
	return SHEAF_OK;
}

sheaf_status sheaf_raw_adopt(sheaf_raw *raw, int fd, sheaf_error *err)
{
	raw->kind = SHEAF_RAW_STREAM;
	raw->fd = fd;
	raw->folder = -1;
	raw->is_owned = true;
	raw->size = -1;
	sheaf_status status = look_at_file(raw, err);
	if (status) sheaf_raw_close(raw);
	return status;
}

sheaf_status sheaf_raw_open(sheaf_raw *raw, const char *path, sheaf_error *err)
{
	raw->kind = SHEAF_RAW_STREAM;
	raw->fd = raw->folder = -1;
	raw->size = -1;
	if (strcmp(path, "-") == 0) {
		raw->fd = STDIN_FILENO;
	} else {
		raw->is_owned = true;
		/* Opening a FIFO waits for its writer, so a signal may interrupt it. */
		do {
			SHEAF_TRY(sheaf_check_stop(raw->cx, err));
			raw->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		} while (raw->fd < 0 && errno == EINTR);
		if (raw->fd < 0) return sheaf_fail_sys(err, errno, "cannot open %s", raw->name);
	}
	sheaf_status status = look_at_file(raw, err);
	if (status) sheaf_raw_close(raw);
	return status;
}

/* Has the caller's function read from byte `at`, which a function for a stream does not see. */
static sheaf_status call_function(const sheaf_raw *raw, int64_t at, void *data, size_t size, size_t *got,
                                  sheaf_error *err)
{
	int64_t n;
	*got = 0;
	if (raw->kind == SHEAF_RAW_RANGES && at >= raw->size) return SHEAF_OK;
	if (raw->kind == SHEAF_RAW_RANGES && (uint64_t)size > (uint64_t)(raw->size - at))
		size = (size_t)(raw->size - at);
	do {
		SHEAF_TRY(sheaf_check_stop(raw->cx, err));
		n = raw->kind == SHEAF_RAW_RANGES ? raw->read_at(raw->user, at, data, size)
		                                  : raw->read(raw->user, data, size);
	} while (n == -EINTR);
	if (n < 0) {
		int sys = n < -INT32_MAX ? EIO : (int)-n;
		return sheaf_fail_sys(err, sys, "%s (byte %" PRId64 "): cannot read on", raw->name, at);
	}
	if ((uint64_t)n > size)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected at most %zu bytes from the read function, found %" PRId64, raw->name,
		                  size, n);
	*got = (size_t)n;
	return SHEAF_OK;
}

sheaf_status sheaf_raw_read(sheaf_raw *raw, void *data, size_t size, size_t *got, sheaf_error *err)
{
	sheaf_descriptor file = {raw->cx, raw->fd, raw->name};
	*got = 0;
	if (raw->has_ended) return SHEAF_OK;
	switch (raw->kind) {
	case SHEAF_RAW_MEMORY:
		*got = raw->memory.size - (size_t)raw->at < size ? raw->memory.size - (size_t)raw->at : size;
		if (*got > 0) memcpy(data, raw->memory.data + raw->at, *got);
		break;
	case SHEAF_RAW_FILE: SHEAF_TRY(sheaf_fd_read(file, raw->base + raw->at, data, size, got, err)); break;
	case SHEAF_RAW_STREAM:
		if (raw->is_polled) SHEAF_TRY(sheaf_fd_wait(raw->cx, raw->fd, err));
		SHEAF_TRY(sheaf_fd_read(file, SHEAF_STREAMING, data, size, got, err));
		break;
	case SHEAF_RAW_FUNCTION:
	case SHEAF_RAW_RANGES: SHEAF_TRY(call_function(raw, raw->at, data, size, got, err)); break;
	}
	raw->at += (int64_t)*got;
	raw->has_ended = *got == 0;
	return SHEAF_OK;
}

bool sheaf_raw_is_rewindable(const sheaf_raw *raw)
{
	return raw->kind == SHEAF_RAW_MEMORY || raw->kind == SHEAF_RAW_FILE || raw->kind == SHEAF_RAW_RANGES;
}

void sheaf_raw_rewind(sheaf_raw *raw)
{
	raw->at = 0;
	raw->has_ended = false;
}

int64_t sheaf_raw_peek(const sheaf_raw *raw, void *data, size_t size)
{
	sheaf_raw probe = *raw; /* reading from a copy moves nothing */
	size_t got = 0;
	sheaf_raw_rewind(&probe);
	if (!sheaf_raw_is_rewindable(raw)) return 0;
	sheaf_status status = sheaf_raw_read(&probe, data, size, &got, NULL);
	return status ? -1 : (int64_t)got;
}

sheaf_status sheaf_raw_check_range(const sheaf_raw *raw, int64_t offset, size_t size, sheaf_error *err)
{
	if (offset < 0)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected an offset of at least 0, found %" PRId64, raw->name,
		                  offset);
	if (offset <= raw->size && size <= (uint64_t)(raw->size - offset)) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_SHORT,
	                  "%s (byte %" PRId64 "): expected %zu bytes, found the end at byte %" PRId64, raw->name,
	                  offset, size, raw->size);
}

sheaf_status sheaf_raw_read_at(const sheaf_raw *raw, int64_t offset, void *data, size_t size,
                               sheaf_error *err)
{
	SHEAF_TRY(sheaf_raw_check_range(raw, offset, size, err));
	if (raw->kind == SHEAF_RAW_MEMORY) {
		if (size > 0) memcpy(data, raw->memory.data + offset, size);
		return SHEAF_OK;
	}
	sheaf_descriptor file = {raw->cx, raw->fd, raw->name};
	uint8_t *to = (uint8_t *)data;
	for (size_t done = 0; done < size;) {
		size_t got;
		int64_t at = offset + (int64_t)done;
		SHEAF_TRY(raw->kind == SHEAF_RAW_RANGES
		              ? call_function(raw, at, to + done, size - done, &got, err)
		              : sheaf_fd_read(file, raw->base + at, to + done, size - done, &got, err));
		if (got == 0)
			return sheaf_fail(err, SHEAF_SHORT,
			                  "%s (byte %" PRId64
			                  "): expected %zu bytes, found that the file was cut to %" PRId64,
			                  raw->name, offset, size, at);
		done += got;
	}
	return SHEAF_OK;
}

void sheaf_raw_close(sheaf_raw *raw)
{
	if (raw->is_owned) sheaf_fd_close(&raw->fd);
	sheaf_fd_close(&raw->folder);
	raw->fd = -1;
}
