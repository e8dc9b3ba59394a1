/* SPDX-License-Identifier: MIT */
/* Handles that callers hold. A second close, or a call after one, is noticed without reading freed memory. */
#ifndef SHEAF_BASE_HANDLE_H
#define SHEAF_BASE_HANDLE_H

#include "base/status.h"

/* Any thread, without a lock, so also in a fork of a process whose other threads were here. */
void sheaf_handle_open(const void *handle);
bool sheaf_handle_is_open(const void *handle);
/* False if it is not open: then there is nothing to close. */
bool sheaf_handle_close(const void *handle);

sheaf_status sheaf_not_open(const char *function, const char *what, sheaf_error *err);

/* "sheaf_next: expected an open dataset, found one that was closed". */
#define SHEAF_NEED_OPEN(handle, what) \
	do { \
		if (!sheaf_handle_is_open(handle)) return sheaf_not_open(__func__, what, err); \
	} while (0)

#endif
