/* SPDX-License-Identifier: MIT */
/* Statuses of what is tried early. */
#ifndef SHEAF_BASE_STATUS_H
#define SHEAF_BASE_STATUS_H

#include <sheaf/base.h>

/* Whether a step failed that was tried ahead of its turn, or with more memory than it needs. It is done
 * again, as `until` says, and what fails then is a failure. */
SHEAF_USE bool sheaf_put_off(sheaf_status status, const char *until);

#endif
