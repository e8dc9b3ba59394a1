/* SPDX-License-Identifier: MIT */
/* The example of a binary format in fvecs.c: what an author gets for its table entry. The list of formats is
 * this program's own. */
#include "conversion.h"
#include "dataset/dataset.h"

extern const sheaf_format sheaf_format_ctf, sheaf_format_fvecs;
const sheaf_format *const sheaf_formats[] = {&sheaf_format_ctf, &sheaf_format_fvecs, NULL};

#define ONE_TWO "\2\0\0\0\0\0\x80\x3f\0\0\0\x40"
#define THREE_FOUR "\2\0\0\0\0\0\x40\x40\0\0\x80\x40"
#define THREE "\1\0\0\0\0\0\x40\x40"

static void test_conversions(void **state)
{
	static const struct {
		conversion c;
		size_t input, output;
	} rows[] = {
		{{"ctf", "|v 1 2\n|v 3 4\n", "fvecs", NULL, SHEAF_OK, ONE_TWO THREE_FOUR, NULL}, 0, 24},
		{{"fvecs", ONE_TWO THREE_FOUR, "ctf", NULL, SHEAF_OK, "|vector 1 2\n|vector 3 4\n", NULL}, 24, 0},
		{{"fvecs", ONE_TWO THREE_FOUR, "fvecs", NULL, SHEAF_OK, ONE_TWO THREE_FOUR, NULL}, 24, 24},
		{{"ctf", "0 |v 1\n0 |v 2\n", "fvecs", NULL, SHEAF_UNSUPPORTED, NULL,
	      "row 0: expected one sample, found 2"},
	     0,
	     0},
		{{"ctf", "|v 1 |w 2\n", "fvecs", NULL, SHEAF_UNSUPPORTED, NULL, "expected one dense stream, found 2"},
	     0,
	     0},
		{{"fvecs", ONE_TWO "\2\0", "ctf", NULL, SHEAF_DATA, NULL,
	      "expected vectors of 2 values, found 14 bytes"},
	     14,
	     0},
		{{"fvecs", ONE_TWO THREE "\0\0\0", "ctf", NULL, SHEAF_DATA, NULL,
	      "byte 12: expected 2 values, found 1"},
	     24,
	     0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) check_conversion(&rows[i].c, rows[i].input, rows[i].output);
}

/* Pieces are found again by their places, and places that are none are refused. */
static void test_places(void **state)
{
	static const int64_t places[] = {0, 12, 24, 6, -12};
	static const sheaf_status outcomes[] = {SHEAF_OK, SHEAF_OK, SHEAF_SHORT, SHEAF_DATA, SHEAF_DATA};
	(void)state;
	for (size_t i = 0; i < COUNT(places); i++) {
		record r;
		sheaf_dataset *d;
		sheaf_open_options options = {.size = sizeof options, .format = "fvecs", .access = SHEAF_RANDOM};
		begin(&r, (sheaf_context_options){0});
		assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)ONE_TWO THREE_FOUR, 24}, "a.fvecs", &options,
		                     r.cx, &d));
		sheaf_piece piece = {.byte = places[i], .size = 12};
		assert_status(outcomes[i], d->format->random->recall(d->in, &piece, &err));
		sheaf_buffer_reset(&piece.bytes);
		sheaf_close(d);
		end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_conversions, make_folder, remove_folder),
		cmocka_unit_test(test_places),
	};
	return cmocka_run_group_tests_name("fvecs", tests, NULL, NULL);
}
