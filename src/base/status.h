/* SPDX-License-Identifier: MIT */
/* Statuses of work that is tried ahead of its turn. */
#ifndef SHEAF_BASE_STATUS_H
#define SHEAF_BASE_STATUS_H

#include <sheaf/base.h>

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
