/* SPDX-License-Identifier: MIT */
/* What a rank has made, until it is in the output. */
#include "team.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void hold_begin(hold *h, int64_t most, const char *name, const char *folder)
{
	*h = (hold){.most = most, .fd = -1, .name = name, .folder = folder};
}

void hold_end(hold *h)
{
	if (h->fd >= 0) close(h->fd);
	free(h->bytes);
	hold_begin(h, h->most, h->name, h->folder);
}

static void empty(hold *h)
{
	int opened = h->opened;
	hold_end(h);
	h->opened = opened;
}

/* ---- writing ---- */

static int write_all(int fd, const uint8_t *data, int64_t size, int64_t offset)
{
	while (size > 0) {
		enum { STEP = 64 << 20 };
		ssize_t n = pwrite(fd, data, size < STEP ? (size_t)size : STEP, (off_t)offset);
		if (n < 0 && errno == EINTR && !was_interrupted()) continue;
		if (n <= 0) return n < 0 ? errno : EIO;
		data += n;
		offset += n;
		size -= n;
	}
	return 0;
}

/* An unnamed file: whatever happens to the process, nothing is left. */
static int open_nameless(const char *folder)
{
	char path[PATH_MAX];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0) return fd;
	if ((size_t)snprintf(path, sizeof path, "%s/.sheaf-rank-XXXXXX", folder) >= sizeof path) return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0) unlink(path);
	return fd;
}

static int move_to_file(hold *h)
{
	int fd = open_nameless(h->folder);
	if (fd < 0) return errno;
	int failed = write_all(fd, h->bytes, h->size, 0);
	if (failed) {
		close(fd);
		return failed;
	}
	free(h->bytes);
	h->bytes = NULL;
	h->room = 0;
	h->fd = fd;
	return 0;
}

static int make_room(hold *h, int64_t size)
{
	enum { FIRST = 1 << 20 };
	int64_t room = h->room ? h->room : FIRST;
	while (room < h->size + size) room *= 2;
	if (room == h->room) return 0;
	uint8_t *bytes = room <= h->most ? realloc(h->bytes, (size_t)room) : NULL;
	if (!bytes) return ENOMEM;
	h->bytes = bytes;
	h->room = room;
	return 0;
}

/* Memory that is touched page by page costs a fault for each page. Where the system cannot do more at once,
 * nothing is lost. */
static void touch_ahead(hold *h, int64_t size)
{
#ifdef MADV_POPULATE_WRITE
	enum { AHEAD = 4 << 20 };
	if (h->size + size <= h->touched) return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
			  begin = (uintptr_t)(h->bytes + h->touched) & ~(page - 1);
	int64_t end = h->size + size + AHEAD;
	if (end > h->room) end = h->room;
	(void)madvise((void *)begin, (uintptr_t)(h->bytes + end) - begin, MADV_POPULATE_WRITE);
	h->touched = end;
#endif
}

static int keep(hold *h, const void *data, int64_t size)
{
	int failed = 0;
	if (h->fd < 0 && make_room(h, size)) failed = move_to_file(h);
	if (failed) return failed;
	if (h->fd >= 0) return write_all(h->fd, data, size, h->size);
	touch_ahead(h, size);
	memcpy(h->bytes + h->size, data, (size_t)size);
	return 0;
}

static int take(void *user, const void *data, size_t size)
{
	hold *h = (hold *)user;
	int failed = keep(h, data, (int64_t)size);
	if (failed) return -failed;
	h->size += (int64_t)size;
	return 0;
}

sheaf_status hold_open(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err)
{
	hold *h = (hold *)user;
	empty(h);
	h->opened++;
	return sheaf_sink_function(take, h, h->name, cx, out, err);
}

/* ---- reading ---- */

static int read_all(int fd, void *data, int64_t size, int64_t offset)
{
	uint8_t *at = data;
	while (size > 0) {
		ssize_t n = pread(fd, at, (size_t)size, (off_t)offset);
		if (n < 0 && errno == EINTR && !was_interrupted()) continue;
		if (n <= 0) return n < 0 ? errno : EIO;
		at += n;
		offset += n;
		size -= n;
	}
	return 0;
}

int hold_read(const hold *h, int64_t from, void *data, size_t size)
{
	if (from < 0 || (int64_t)size > h->size - from) return EINVAL;
	if (h->fd >= 0) return read_all(h->fd, data, (int64_t)size, from);
	memcpy(data, h->bytes + from, size);
	return 0;
}
