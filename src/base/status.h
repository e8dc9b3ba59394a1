/* SPDX-License-Identifier: MIT */
/* Statuses of what is tried early. */
#ifndef SHEAF_BASE_STATUS_H
#define SHEAF_BASE_STATUS_H

#include <sheaf/base.h>

/* Whether a step failed that was tried ahead of its turn, or with more memory than it needs. It is done
 * again, as `until` says, and what fails then is a failure. */
SHEAF_USE bool sheaf_put_off(sheaf_status status, const char *until);

/* Whether a failure is of what the input holds: what stands before it is good, and may be given first. */
static inline bool sheaf_is_flaw(sheaf_status status)
{
	return status == SHEAF_DATA || status == SHEAF_SHORT || status == SHEAF_UNSUPPORTED;
}

#endif
