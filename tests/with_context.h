/* SPDX-License-Identifier: MIT */
/* cmocka set-up and tear-down: a context of all defaults for each test, in which nothing may be left. */
#ifndef SHEAF_TESTS_WITH_CONTEXT_H
#define SHEAF_TESTS_WITH_CONTEXT_H

#include "support.h"

static sheaf_context *cx;

static inline int make_context(void **state)
{
	(void)state;
	cx = usual_context();
	return 0;
}

static inline int drop_context(void **state)
{
	(void)state;
	end_context(cx);
	return 0;
}

/* The same with a folder. */
static inline int make_context_and_folder(void **state) { return make_context(state) || make_folder(state); }

static inline int drop_context_and_folder(void **state)
{
	drop_context(state);
	return remove_folder(state);
}

#endif
