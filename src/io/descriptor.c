/* SPDX-License-Identifier: MIT */
/* The only reads and writes on file descriptors of this folder: EINTR, EAGAIN and short writes are handled
 * here. */
#include "io/descriptor.h"
#include "base/context.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == sizeof(int64_t),
               "files beyond 2 GiB need a 64-bit off_t: build with _FILE_OFFSET_BITS=64");

/* Whether the failed call is worth another try. If another program made a terminal or pipe non-blocking, this
 * waits for it, in short naps so that the stop flag is seen. */
static bool is_worth_retrying(int fd, short events)
{
	enum { NAP_MS = 100 };
	if (errno == EINTR) return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
	struct pollfd waiting = {.fd = fd, .events = events};
	poll(&waiting, 1, NAP_MS);
	return true;
}

sheaf_status sheaf_fd_read(sheaf_descriptor from, int64_t offset, void *data, size_t size, size_t *got,
                           sheaf_error *err)
{
	*got = 0;
	for (;;) {
		SHEAF_TRY(sheaf_check_stop(from.cx, err));
		ssize_t n = offset < 0 ? read(from.fd, data, size) : pread(from.fd, data, size, (off_t)offset);
		if (n >= 0) {
			*got = (size_t)n;
			return SHEAF_OK;
		}
		if (is_worth_retrying(from.fd, POLLIN)) continue;
		if (offset < 0) return sheaf_fail_sys(err, errno, "cannot read %s", from.name);
		return sheaf_fail_sys(err, errno, "%s (byte %" PRId64 " of the file): cannot read on", from.name,
		                      offset);
	}
}

sheaf_status sheaf_fd_wait(sheaf_context *cx, int fd, sheaf_error *err)
{
	enum { NAP_MS = 20 };
	struct pollfd waiting = {.fd = fd, .events = POLLIN};
	do SHEAF_TRY(sheaf_check_stop(cx, err));
	while (poll(&waiting, 1, NAP_MS) == 0);
	return SHEAF_OK;
}

sheaf_status sheaf_fd_write(sheaf_descriptor to, int64_t offset, const void *data, size_t size,
                            sheaf_error *err)
{
	const uint8_t *at = (const uint8_t *)data;
	while (size > 0) {
		SHEAF_TRY(sheaf_check_stop(to.cx, err));
		ssize_t n = offset < 0 ? write(to.fd, at, size) : pwrite(to.fd, at, size, (off_t)offset);
		if (n < 0) {
			if (is_worth_retrying(to.fd, POLLOUT)) continue;
			return sheaf_fail_sys(err, errno, "cannot write to %s", to.name);
		}
		at += n;
		size -= (size_t)n;
		if (offset >= 0) offset += n;
	}
	return SHEAF_OK;
}

int sheaf_fd_close(int *fd)
{
	int failed = 0;
	/* Never repeated after EINTR: Linux has closed the descriptor by then, and its number may be another
	 * thread's. */
	if (*fd >= 0 && close(*fd) != 0 && errno != EINTR) failed = errno;
	*fd = -1;
	return failed;
}

int sheaf_fd_sync(int fd)
{
	int result;
	do result = fsync(fd);
	while (result != 0 && errno == EINTR);
	return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EBADF ? 0 : errno;
}
