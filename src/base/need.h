/* SPDX-License-Identifier: MIT */
/* Checks of the arguments of public functions before they do anything: USAGE says which one is wrong. */
#ifndef SHEAF_BASE_NEED_H
#define SHEAF_BASE_NEED_H

#include "base/status.h"

/* "sheaf_open: expected a path, found NULL". */
#define SHEAF_NEED(argument, what) \
	do { \
		if (!(argument)) return sheaf_not_given(__func__, what, err); \
	} while (0)
/* "sheaf_skip: expected a number of rows of at least 0, found -1". */
#define SHEAF_EXPECT(condition, what, found) \
	do { \
		if (!(condition)) return sheaf_out_of_range(__func__, what, (int64_t)(found), err); \
	} while (0)

sheaf_status sheaf_not_given(const char *function, const char *what, sheaf_error *err);
sheaf_status sheaf_out_of_range(const char *function, const char *what, int64_t found, sheaf_error *err);
/* The size that a caller has for a struct, 0 or that of this library: "open options: expected size 120". */
SHEAF_USE sheaf_status sheaf_check_size(const char *what, size_t found, size_t size, sheaf_error *err);
/* n settings of a caller. */
SHEAF_USE sheaf_status sheaf_check_settings(const char *function, const sheaf_setting *settings, int n,
                                            sheaf_error *err);
/* n paths or other texts. */
SHEAF_USE sheaf_status sheaf_check_texts(const char *function, const char *what, const char *const *texts,
                                         int n, sheaf_error *err);

#endif
