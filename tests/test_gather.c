/* SPDX-License-Identifier: MIT */
/* Rows gathered into a column, compared with the same rows appended one by one. */
#include "batch/gather.h"
#include "frame/frame.h"
#include "shapes.h"
#include <string.h>

enum { PICKS = 37 };

static uint8_t valid[] = {0xad, 0x5b, 0xf6}, codes[] = {0, 3, 0, 127, 1, 0, 0, 9, 2, 0, 0, 5};
static sheaf_gaps bits_alone = {.valid = {valid, sizeof valid, NULL}, .valid_at = 3};
static sheaf_gaps bits_and_codes = {.valid = {valid, sizeof valid, NULL},
                                    .codes = {codes, sizeof codes, NULL}};
static sheaf_gaps nothing_missing;

/* Every level of `s` may have gaps; in every third one they are `gaps`. */
static void add_gaps(shapes *s, int first, sheaf_gaps *gaps)
{
	int number = 0;
	for (int c = 0; c < s->frame.ncolumns; c++)
		for (int l = 0; l < s->columns[c].nlevels; l++) {
			s->wanted[c][l].missing = s->levels[c][l].shape.missing = SHEAF_IMPUTED;
			s->levels[c][l].gaps = number++ % 3 == first ? gaps : &nothing_missing;
		}
}

static void assert_same_buffer(const sheaf_buffer *expected, const sheaf_buffer *found)
{
	assert_int_equal(expected->size, found->size);
	if (expected->size) assert_memory_equal(expected->data, found->data, expected->size);
}

static void assert_same_column(const sheaf_column *expected, const sheaf_column *found)
{
	for (int l = 0; l < expected->nlevels; l++) {
		const sheaf_level *e = &expected->levels[l], *f = &found->levels[l];
		assert_same_buffer(&e->offsets, &f->offsets);
		for (int r = 0; r < e->shape.rank; r++) assert_same_buffer(&e->indices[r], &f->indices[r]);
		if (!e->gaps) continue;
		assert_same_buffer(&e->gaps->valid, &f->gaps->valid);
		assert_same_buffer(&e->gaps->codes, &f->gaps->codes);
		assert_int_equal(f->gaps->valid_at, 0);
	}
	assert_same_buffer(&expected->values, &found->values);
}

/* Rows of several frames in any order, some of them more than once, and some that follow one another. */
static void make_picks(const sheaf_frame *const *frames, int nframes, sheaf_pick *picks)
{
	for (int i = 0; i < PICKS; i++) {
		const sheaf_frame *frame = frames[random_below(nframes)];
		bool follows = i > 0 && random_below(2) && picks[i - 1].row + 1 < picks[i - 1].frame->nrows;
		picks[i] = follows ? (sheaf_pick){picks[i - 1].frame, picks[i - 1].row + 1}
		                   : (sheaf_pick){frame, random_below(frame->nrows)};
	}
}

static void gather(sheaf_frame *to, const sheaf_schema *schema, const sheaf_pick *picks, size_t n)
{
	int64_t scratch[2 * PICKS];
	assert_ok(sheaf_frame_begin(to, schema, cx, &err));
	for (int c = 0; c < schema->nfields; c++) {
		const sheaf_picked from = {picks, n, c, &schema->fields[c]};
		assert_ok(sheaf_gather_column(&to->columns[c], &from, scratch, cx, &err));
	}
	to->nrows = (int64_t)n;
}

static void compare(const shapes *s, const sheaf_frame *const *frames, int nframes)
{
	sheaf_frame expected = {0}, found = {0};
	for (int round = 0; round < 50; round++) {
		sheaf_pick picks[PICKS];
		size_t n = 1 + (size_t)random_below(PICKS);
		make_picks(frames, nframes, picks);
		gather(&found, &s->schema, picks, n);
		assert_ok(sheaf_frame_begin(&expected, &s->schema, cx, &err));
		sheaf_frame_clear(&expected);
		for (size_t i = 0; i < n; i++)
			assert_ok(
				sheaf_frame_append(&expected, picks[i].frame, picks[i].row, picks[i].row + 1, cx, &err));
		for (int c = 0; c < s->schema.nfields; c++)
			assert_same_column(&expected.columns[c], &found.columns[c]);
	}
	sheaf_frame_free(&expected);
	sheaf_frame_free(&found);
}

static void test_columns_of_every_shape(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	sheaf_frame slice = {0};
	assert_ok(sheaf_frame_slice(&s.frame, 2, 5, &slice, &err));
	const sheaf_frame *frames[] = {&s.frame, &slice};
	compare(&s, frames, 2);
	sheaf_frame_free(&slice);
}

static void test_what_is_missing(void **state)
{
	(void)state;
	shapes with_bits, with_codes, without;
	for (int first = 0; first < 3; first++) {
		make_shapes(&with_bits);
		make_shapes(&with_codes);
		make_shapes(&without);
		add_gaps(&with_bits, first, &bits_alone);
		add_gaps(&with_codes, first, &bits_and_codes);
		add_gaps(&without, first, &nothing_missing);
		const sheaf_frame *frames[] = {&without.frame, &with_bits.frame, &with_codes.frame};
		for (int n = 1; n <= 3; n++) compare(&without, frames, n);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, drop_context)

static const struct CMUnitTest tests[] = {
	TEST(test_columns_of_every_shape),
	TEST(test_what_is_missing),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
