/* SPDX-License-Identifier: MIT */
/* cmocka set-up and tear-down: a context of all defaults for each test, in which nothing may be left. */
#ifndef SHEAF_TESTS_WITH_CONTEXT_H
#define SHEAF_TESTS_WITH_CONTEXT_H

#include "support.h"

extern sheaf_context *cx;

int make_context(void **state);
int drop_context(void **state);
/* The same with a folder. */
int make_context_and_folder(void **state);
int drop_context_and_folder(void **state);

#endif
