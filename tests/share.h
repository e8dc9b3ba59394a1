/* SPDX-License-Identifier: MIT */
/* Sanitizers make a test ten times slower or more: with SHEAF_TESTS_ONE_IN=8, tests try one in eight of
 * their random inputs and combinations. */
#ifndef SHEAF_TESTS_SHARE_H
#define SHEAF_TESTS_SHARE_H

#include <stdbool.h>
#include <stdlib.h>

static inline int one_in(void)
{
	const char *word = getenv("SHEAF_TESTS_ONE_IN");
	int n = word ? atoi(word) : 1;
	return n > 0 ? n : 1;
}

/* Of that many rounds. */
static inline int rounds(int whole) { return (whole + one_in() - 1) / one_in(); }

/* Whether the next of several combinations is tried: the first one is. */
static inline bool is_in_share(void)
{
	static int n;
	return n++ % one_in() == 0;
}

#endif
