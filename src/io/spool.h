/* SPDX-License-Identifier: MIT */
/* An unnamed temporary file, for data that do not fit in memory or cannot be read twice. It vanishes with its
 * descriptor, however the process ends. It is in $TMPDIR, else in /tmp. */
#ifndef SHEAF_IO_SPOOL_H
#define SHEAF_IO_SPOOL_H

#include <sheaf/base.h>

typedef struct sheaf_spool {
	sheaf_context *cx;
	int fd;       /* -1: not open */
	int64_t size; /* bytes appended so far */
} sheaf_spool;

SHEAF_USE sheaf_status sheaf_spool_open(sheaf_spool *spool, sheaf_context *cx, sheaf_error *err);
/* Not buffered: append large blocks. */
SHEAF_USE sheaf_status sheaf_spool_append(sheaf_spool *spool, const void *data, size_t size,
                                          sheaf_error *err);
/* Exactly `size` bytes at `offset`, which the caller has appended before. */
SHEAF_USE sheaf_status sheaf_spool_read(const sheaf_spool *spool, int64_t offset, void *data, size_t size,
                                        sheaf_error *err);
void sheaf_spool_close(sheaf_spool *spool);

#endif
