/* SPDX-License-Identifier: MIT */
/* Reads and writes on a file descriptor that continue after interruptions, and stop when the context says
 * so. */
#ifndef SHEAF_IO_DESCRIPTOR_H
#define SHEAF_IO_DESCRIPTOR_H

#include "base/status.h"

/* If the descriptor itself keeps the position: pipes, devices, and files written from front to back. */
#define SHEAF_STREAMING ((int64_t)-1)

/* An open file, with its name for messages. */
typedef struct sheaf_descriptor {
	sheaf_context *cx;
	int fd;
	const char *name;
} sheaf_descriptor;

/* One read of up to `size` bytes at `offset` (or SHEAF_STREAMING); *got is 0 at the end only. */
SHEAF_USE sheaf_status sheaf_fd_read(sheaf_descriptor from, int64_t offset, void *data, size_t size,
                                     size_t *got, sheaf_error *err);

/* Waits until there is something to read, or the context is stopped: for threads that no signal wakes from a
 * read. */
SHEAF_USE sheaf_status sheaf_fd_wait(sheaf_context *cx, int fd, sheaf_error *err);

/* Writes all `size` bytes at `offset` (or SHEAF_STREAMING), however many calls it takes. */
SHEAF_USE sheaf_status sheaf_fd_write(sheaf_descriptor to, int64_t offset, const void *data, size_t size,
                                      sheaf_error *err);

/* Closes *fd if it is open, and sets it to -1. Returns errno, or 0. */
int sheaf_fd_close(int *fd);

/* Returns errno, or 0; also 0 if this kind of file cannot be synced. */
int sheaf_fd_sync(int fd);

#endif
