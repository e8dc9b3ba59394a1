/* SPDX-License-Identifier: MIT */
/* Numbers in drawings and texts have points, even if the program's locale has commas. A program of its
 * own, since it is skipped as a whole on a machine without such a locale. */
#include "with_context.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define COMMAS "de_DE.UTF-8"

static sheaf_summary *summary;
static table streams;

static sheaf_buffer page(void)
{
	sheaf_buffer out = {0};
	sheaf_page_options options = {.size = sizeof options, .title = "streams"};
	assert_ok(sheaf_summary_page(summary, &options, &out, &err));
	return out;
}

static sheaf_buffer numbers(void)
{
	sheaf_buffer out = {0};
	sheaf_summary_options options = {.size = sizeof options, .style = SHEAF_JSON};
	assert_ok(sheaf_summary_text(summary, &options, &out, &err));
	return out;
}

static sheaf_buffer lines(void)
{
	sheaf_buffer out = {0};
	assert_ok(sheaf_summary_text(summary, NULL, &out, &err));
	return out;
}

static sheaf_buffer drawing(void)
{
	sheaf_buffer out = {0};
	assert_ok(sheaf_row_drawing(&streams.frame, &streams.schema, 0, NULL, &out, &err));
	return out;
}

static void assert_commas(void)
{
	char half[8];
	snprintf(half, sizeof half, "%.1f", 0.5);
	assert_string_equal(half, "0,5");
}

static void assert_same_with_commas(sheaf_buffer (*make)(void))
{
	sheaf_buffer with_points = make();
	assert_non_null(setlocale(LC_ALL, COMMAS));
	assert_commas();
	sheaf_buffer with_commas = make();
	assert_commas(); /* the program has its locale again */
	setlocale(LC_ALL, "C");
	assert_int_equal(with_points.size, with_commas.size);
	assert_memory_equal(with_points.data, with_commas.data, with_points.size);
	sheaf_buffer_reset(&with_points);
	sheaf_buffer_reset(&with_commas);
}

static int make_summary(void **state)
{
	make_context(state);
	streams = new_table(cx);
	add_stream(&streams, "dense", false, 2, SHEAF_F32);
	add_stream(&streams, "sparse", true, 5000, SHEAF_F64);
	fill_text(&streams, 0, "0.5 1.5,2.25 -3;0.125 7;1 2,3 4.5,5 6");
	fill_text(&streams, 1, "3:0.5,4999:1.25;_;7:0.75 8:-2.5");
	assert_ok(sheaf_summary_new(&streams.schema, cx, &summary, &err));
	assert_ok(sheaf_summary_add(summary, &streams.frame, 0, &err));
	return 0;
}

static int drop_summary(void **state)
{
	sheaf_summary_free(summary);
	free_table(&streams);
	return drop_context(state);
}

static void test_pages(void **state)
{
	(void)state;
	assert_same_with_commas(page);
}

static void test_json(void **state)
{
	(void)state;
	assert_same_with_commas(numbers);
}

static void test_lines(void **state)
{
	(void)state;
	assert_same_with_commas(lines);
}

static void test_rows(void **state)
{
	(void)state;
	assert_same_with_commas(drawing);
}

/* In the folder in which the C library looks for it. */
static bool make_locale(void)
{
	char command[200];
	setenv("LOCPATH", folder, 1);
	snprintf(command, sizeof command,
	         "localedef -i de_DE -f UTF-8 --no-archive %s/" COMMAS " >/dev/null 2>&1", folder);
	bool made = system(command) == 0 && setlocale(LC_ALL, COMMAS);
	setlocale(LC_ALL, "C");
	return made;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pages, make_summary, drop_summary),
		cmocka_unit_test_setup_teardown(test_json, make_summary, drop_summary),
		cmocka_unit_test_setup_teardown(test_lines, make_summary, drop_summary),
		cmocka_unit_test_setup_teardown(test_rows, make_summary, drop_summary),
	};
	int failed = 0;
	if (make_folder(NULL) != 0) return 1;
	if (make_locale())
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	else
		puts("1..0 # SKIP no localedef here, or none of its sources");
	return remove_folder(NULL) != 0 || failed;
}
