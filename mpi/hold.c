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
	*h = (hold){.most = most, .fd = -1, .name = name, .folder = folder, .out.fd = -1};
}

void hold_end(hold *h)
{
	if (h->fd >= 0) close(h->fd);
	if (h->out.fd >= 0) close(h->out.fd);
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
	int failed = write_all(fd, h->bytes, h->inside, 0);
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
	while (room < h->inside + size) room *= 2;
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
	if (h->inside + size <= h->touched) return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
			  begin = (uintptr_t)(h->bytes + h->touched) & ~(page - 1);
	int64_t end = h->inside + size + AHEAD;
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
	if (h->fd >= 0) return write_all(h->fd, data, size, h->inside);
	touch_ahead(h, size);
	memcpy(h->bytes + h->inside, data, (size_t)size);
	return 0;
}

/* Data to be synced go to the disk while the rest is made. */
static int put_into_output(stretch *out, const void *data, int64_t size)
{
	enum { STEP = 8 << 20 };
	int failed = write_all(out->fd, data, size, out->at + out->size);
	if (failed) return failed;
	out->size += size;
	if (out->size - out->begun < STEP) return 0;
	(void)sync_file_range(out->fd, out->at + out->begun, out->size - out->begun, SYNC_FILE_RANGE_WRITE);
	out->begun = out->size;
	return 0;
}

static int take(void *user, const void *data, size_t size)
{
	hold *h = (hold *)user;
	int failed =
		h->out.open ? put_into_output(&h->out, data, (int64_t)size) : keep(h, data, (int64_t)size);
	if (failed) return -failed;
	h->size += (int64_t)size;
	if (!h->out.open) h->inside += (int64_t)size;
	return 0;
}

int hold_place(hold *h, const char *path, int64_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) return errno;
	h->out = (stretch){.fd = fd, .begin = h->size, .at = at, .open = true};
	return 0;
}

void hold_rest(hold *h) { h->out.open = false; }

sheaf_status hold_open(void *user, sheaf_context *cx, sheaf_sink **out, sheaf_error *err)
{
	hold *h = (hold *)user;
	empty(h);
	h->opened++;
	return sheaf_sink_function(take, h, h->name, cx, out, err);
}

int hold_reserve(hold *h, int64_t size)
{
	hold_end(h);
	h->size = h->inside = size;
	if (size <= h->most && (h->bytes = malloc(size > 0 ? (size_t)size : 1))) {
		h->room = size;
		return 0;
	}
	h->fd = open_nameless(h->folder);
	return h->fd < 0 ? errno : 0;
}

int hold_put(hold *h, int64_t at, const void *data, int64_t size)
{
	if (h->fd >= 0) return write_all(h->fd, data, size, at);
	memcpy(h->bytes + at, data, (size_t)size);
	return 0;
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

/* Some bytes of a part that follow one another, and where they are. */
typedef struct range {
	bool in_output;
	int64_t at, size; /* where: in the output, else among those that the hold has itself */
} range;

/* As many as possible from byte `from` on, up to `size`. */
static range find_range(const hold *h, int64_t from, int64_t size)
{
	const stretch *out = &h->out;
	int64_t into = from - out->begin, left = out->size - into;
	if (out->fd < 0 || into < 0) {
		bool reaches = out->fd >= 0 && size > -into;
		return (range){false, from, reaches ? -into : size};
	}
	if (left <= 0) return (range){false, from - out->size, size};
	return (range){true, out->at + into, size < left ? size : left};
}

static int read_range(const hold *h, const range *r, uint8_t *data)
{
	if (r->in_output) return read_all(h->out.fd, data, r->size, r->at);
	if (h->fd >= 0) return read_all(h->fd, data, r->size, r->at);
	memcpy(data, h->bytes + r->at, (size_t)r->size);
	return 0;
}

int hold_read(const hold *h, int64_t from, void *data, size_t size)
{
	uint8_t *to = data;
	int64_t left = (int64_t)size;
	int failed = 0;
	if (from < 0 || left > h->size - from) return EINVAL;
	while (left > 0 && !failed) {
		range r = find_range(h, from, left);
		failed = read_range(h, &r, to);
		from += r.size;
		to += r.size;
		left -= r.size;
	}
	return failed;
}

/* The system copies if it can between such files, and may share the blocks. */
static int copy_inside(const hold *h, range *r, int64_t *to, int fd)
{
	while (h->fd >= 0 && r->size > 0) {
		off_t in = (off_t)r->at, out = (off_t)*to;
		enum { STEP = 64 << 20 };
		ssize_t n = copy_file_range(h->fd, &in, fd, &out, r->size < STEP ? (size_t)r->size : STEP, 0);
		if (n < 0 && errno == EINTR && !was_interrupted()) continue;
		if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG)) return errno;
		if (n <= 0) return 0;
		r->at += n;
		*to += n;
		r->size -= n;
	}
	return 0;
}

static int copy_through(const hold *h, const range *all, int64_t to, int fd)
{
	enum { STEP = 1 << 20 };
	static uint8_t step[STEP];
	range left = *all;
	int failed = 0;
	while (left.size > 0 && !failed) {
		range r = {false, left.at, left.size < STEP ? left.size : STEP};
		failed = read_range(h, &r, step);
		if (!failed) failed = write_all(fd, step, r.size, to);
		left.at += r.size;
		to += r.size;
		left.size -= r.size;
	}
	return failed;
}

static int copy_range(const hold *h, range r, int64_t to, int fd)
{
	if (r.in_output) return r.at == to ? 0 : ESTALE;
	if (h->fd < 0) return write_all(fd, h->bytes + r.at, r.size, to);
	int failed = copy_inside(h, &r, &to, fd);
	return failed ? failed : copy_through(h, &r, to, fd);
}

int hold_copy(const hold *h, int64_t from, int64_t to, int64_t size, int fd)
{
	int failed = 0;
	if (from < 0 || size < 0 || size > h->size - from) return EINVAL;
	while (size > 0 && !failed) {
		range r = find_range(h, from, size);
		failed = copy_range(h, r, to, fd);
		from += r.size;
		to += r.size;
		size -= r.size;
	}
	return failed;
}
