/* SPDX-License-Identifier: MIT */
/* cmocka set-up and tear-down: a context of all defaults for each test, in which nothing may be left. */
#ifndef SHEAF_TESTS_WITH_CONTEXT_H
#define SHEAF_TESTS_WITH_CONTEXT_H

#include "support.h"

static sheaf_context *cx;

static int make_context(void **state)
{
	(void)state;
	cx = usual_context();
	return 0;
}

static int drop_context(void **state)
{
	(void)state;
	end_context(cx);
	return 0;
}

#endif
