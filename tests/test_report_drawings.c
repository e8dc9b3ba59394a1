/* SPDX-License-Identifier: MIT */
/* Drawings in the terminal, and rows as pictures. */
#include "report/draw.h"
#include "report_support.h"

/* ---- drawings ---- */

static void assert_drawn(const char *expected, sheaf_builder *b)
{
	sheaf_buffer out = {0};
	assert_ok(sheaf_builder_finish(b, &out, &err));
	if (out.size != strlen(expected) || memcmp(out.data, expected, out.size) != 0)
		fail_msg("expected:\n%s\nfound:\n%.*s", expected, (int)out.size, (const char *)out.data);
	sheaf_buffer_reset(&out);
	sheaf_builder_begin(b, cx, NULL);
}

static void test_lines_of_blocks(void **state)
{
	(void)state;
	sheaf_bar bars[] = {
		{.label = "a", .amount = 0}, {.label = "bb", .amount = 1}, {.label = "c", .amount = 800}};
	sheaf_drawing plain = {.width = 40}, blocks = {.width = 40, .unicode = true};
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_draw_line(&b, bars, 3, &blocks);
	assert_drawn(" \u2581\u2588", &b); /* little is not nothing */
	sheaf_draw_line(&b, bars, 3, &plain);
	assert_drawn(" .@", &b);
	sheaf_draw_bars(&b, bars, 3, &plain);
	assert_drawn("    bb              1   0.1% #\n     c            800  99.9% ##########\n", &b);
	sheaf_draw_bars(&b, bars, 3, &blocks);
	assert_drawn("    bb              1   0.1% \u258f\n     c            800  99.9% "
	             "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\n",
	             &b);
	sheaf_builder_drop(&b);
}

static void test_dots_and_shades(void **state)
{
	(void)state;
	double cells[15] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4};
	sheaf_grid grid = {3, 5, cells};
	sheaf_drawing plain = {.width = 40}, dots = {.width = 40, .unicode = true},
				  colours = {.width = 40, .unicode = true, .colours = 1 << 24};
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_draw_grid(&b, &grid, SHEAF_DOTS, &dots);
	assert_drawn("    \u250c\u2500\u2500\u2510\n    \u2502\u2811\u2804\u2502\n"
	             "    \u2502\u2800\u2801\u2502\n    \u2514\u2500\u2500\u2518\n",
	             &b);
	sheaf_draw_grid(&b, &grid, SHEAF_DOTS, &plain);
	assert_drawn("    +--+\n    |:.|\n    | .|\n    +--+\n", &b);
	sheaf_draw_grid(&b, &grid, 4, &plain);
	assert_drawn("    +---+\n    |:: |\n    |  :|\n    |  @|\n    +---+\n", &b);
	sheaf_draw_grid(&b, &grid, 4, &colours);
	sheaf_buffer out = {0};
	assert_ok(sheaf_builder_finish(&b, &out, &err));
	assert_non_null(memmem(out.data, out.size, "\x1b[38;2;", 7));
	assert_non_null(memmem(out.data, out.size, "\u2584\x1b[0m", 7)); /* the lower half alone */
	sheaf_buffer_reset(&out);
}

/* If dots would stand for many entries each, shades are drawn. */
static void test_spy(void **state)
{
	(void)state;
	sheaf_raster r;
	sheaf_drawing drawing = {.width = 40, .unicode = true};
	sheaf_builder b;
	for (int crowd = 1; crowd <= 10; crowd += 9) {
		sheaf_buffer out = {0};
		assert_ok(sheaf_raster_begin(&r, 1000, cx, &err));
		for (int64_t i = 0; i < 600; i += 10)
			for (int k = 0; k < crowd; k++) sheaf_raster_add(&r, i, i, 1);
		sheaf_builder_begin(&b, cx, NULL);
		assert_ok(sheaf_draw_raster(&b, &r, &drawing, &err));
		assert_ok(sheaf_builder_finish(&b, &out, &err));
		assert_true((memmem(out.data, out.size, "\u2588", 3) != NULL) == (crowd > 1));
		sheaf_buffer_reset(&out);
		sheaf_raster_free(&r, cx);
	}
}

static void test_rows_as_pictures(void **state)
{
	(void)state;
	table t = streams_of(3);
	sheaf_buffer out = {0};
	sheaf_drawing narrow = {.width = 1};
	assert_ok(sheaf_row_drawing(&t.frame, &t.schema, 1, NULL, &out, &err));
	const char *text = "d<b>: dense, dim 2, float32; samples: ";
	assert_memory_equal(out.data, text, strlen(text));
	assert_null(memmem(out.data, out.size, "\x01", 1)); /* of a name */
	assert_ok(sheaf_row_drawing(&t.frame, &t.schema, 1, &narrow, &out, &err));
	assert_status(SHEAF_USAGE, sheaf_row_drawing(&t.frame, &t.schema, 3, NULL, &out, &err));
	assert_status(SHEAF_USAGE, sheaf_row_drawing(&t.frame, NULL, 0, NULL, &out, &err));
	sheaf_buffer_reset(&out);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_blocks),
		cmocka_unit_test(test_dots_and_shades),
		cmocka_unit_test(test_spy),
		cmocka_unit_test(test_rows_as_pictures),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
