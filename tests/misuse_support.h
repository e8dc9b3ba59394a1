/* SPDX-License-Identifier: MIT */
/* What the tests of invalid arguments share. The outcome is USAGE with a message that names the function and
 * what it expected, or what the header says about NULL; never a crash, and nothing leaks. */
#ifndef SHEAF_TESTS_MISUSE_SUPPORT_H
#define SHEAF_TESTS_MISUSE_SUPPORT_H

#include "support.h"

/* A call that is refused, and a part of what it says. */
#define assert_usage(call, part) \
	do { \
		memset(&err, 0, sizeof err); \
		assert_status(SHEAF_USAGE, (call)); \
		assert_message(part); \
	} while (0)

extern sheaf_context *cx;

int set_up(void **state);
int tear_down(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
sheaf_dataset *open_some(void);

/* Frames of another schema, and with more or fewer rows than they have. */
void try_frames(sheaf_status (*take)(void *user, const sheaf_frame *frame), void *user, const char *name);

#endif
