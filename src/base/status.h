/* SPDX-License-Identifier: MIT */
/* Failures: made from arguments, problems and other failures; and statuses of work that is tried ahead of its
 * turn. */
#ifndef SHEAF_BASE_STATUS_H
#define SHEAF_BASE_STATUS_H

#include <sheaf/base.h>
#include <stdarg.h>

/* sheaf_fail with a list of arguments. */
sheaf_status sheaf_fail_list(sheaf_error *err, sheaf_status status, const char *format, va_list args)
	SHEAF_PRINTF(3, 0);
/* USAGE. The message begins with the name of the function, and `format` with "expected". */
sheaf_status sheaf_misuse(sheaf_error *err, const char *function, const char *format, ...) SHEAF_PRINTF(3, 4);
/* A failure that consists of this problem. */
sheaf_status sheaf_fail_problem(sheaf_error *err, const sheaf_problem *problem);
/* Copies the failure `from` to *err and returns its status: used to return a failure that sticks again. */
sheaf_status sheaf_fail_again(sheaf_error *err, const sheaf_error *from);
/* The same with a place before the message: `format` is what sheaf_fail takes before ": expected". */
sheaf_status sheaf_fail_within(sheaf_error *err, const sheaf_error *from, const char *format, ...)
	SHEAF_PRINTF(3, 4);
/* Appends to the message of an error (NULL: nothing), cut to fit. */
void sheaf_error_append(sheaf_error *err, const char *format, ...) SHEAF_PRINTF(2, 3);
/* Appends "; did you mean near?", unless `near` is NULL. */
void sheaf_error_append_near(sheaf_error *err, const char *near);

/* Whether a step failed that was tried ahead of its turn, or with more memory than it needs. It is then
 * repeated as `until` says, and a failure of that repetition is final. */
SHEAF_USE bool sheaf_put_off(sheaf_status status, const char *until);

/* Whether the contents of the input caused the failure: everything before it is good, and may be given
 * first. */
static inline bool sheaf_is_flaw(sheaf_status status)
{
	return status == SHEAF_DATA || status == SHEAF_SHORT || status == SHEAF_UNSUPPORTED;
}

#endif
