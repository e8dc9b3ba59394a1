/* SPDX-License-Identifier: MIT */
/* Two steps at once. */
#ifndef SHEAF_BASE_BOTH_H
#define SHEAF_BASE_BOTH_H

#include <sheaf/base.h>

typedef sheaf_status sheaf_step(void *user, sheaf_error *err);

/* Does both steps, which share nothing that either changes: at once if the context has a thread for it, else
 * one after the other. A failure is the first one's if both fail. */
SHEAF_USE sheaf_status sheaf_do_both(sheaf_context *cx, sheaf_step *one, sheaf_step *other, void *user,
                                     sheaf_error *err);

#endif
