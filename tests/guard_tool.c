/* SPDX-License-Identifier: MIT */
/* For guarded.py: reads a file with every kernel of this machine, once validating and once not, with all
 * memory between guards, and fails unless all say the same.
 *
 *     guard_tool FILE FORMAT [NAME VALUE | NAME -]... */
#include "number/kernels/kernel.h"
#include "reading.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 16 };

static reading_how how;
static sheaf_setting settings[MOST_SETTINGS];
static sheaf_bytes input;

static void compare_kernels(void **state)
{
	(void)state;
	reading wanted = read_with(sheaf_kernels[0]->name, &how, input);
	for (int k = 1; sheaf_kernels[k]; k++) {
		if (!sheaf_kernels[k]->is_available()) continue;
		reading found = read_with(sheaf_kernels[k]->name, &how, input);
		assert_same_reading(sheaf_kernels[k]->name, &wanted, &found, input);
		free(found.said);
	}
	free(wanted.said);
}

static void test_blocks_that_end_at_a_guard(void **state)
{
	how.side = GUARD_BEHIND;
	compare_kernels(state);
}

static void test_blocks_that_begin_at_a_guard(void **state)
{
	how.side = GUARD_BEFORE;
	how.validate = true;
	how.piece_bytes = 200;
	compare_kernels(state);
}

static bool read_input(const char *path)
{
	enum { MOST = 1 << 20 };
	static uint8_t data[MOST];
	FILE *file = fopen(path, "rb");
	if (!file) return false;
	input = (sheaf_bytes){data, fread(data, 1, sizeof data, file)};
	return fclose(file) == 0 && input.size < MOST;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_that_end_at_a_guard),
	                                   cmocka_unit_test(test_blocks_that_begin_at_a_guard)};
	if (argc < 3 || argc > 3 + 2 * MOST_SETTINGS || !read_input(argv[1])) return 2;
	how = (reading_how){.format = argv[2], .settings = settings, .max_errors = 1000, .guarded = true};
	for (int k = 3; k + 1 < argc; k += 2)
		settings[how.nsettings++] =
			(sheaf_setting){argv[k], strcmp(argv[k + 1], "-") == 0 ? NULL : argv[k + 1]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
