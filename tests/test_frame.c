/* SPDX-License-Identifier: MIT */
/* Frames: slices, rows that are appended, and the check of every level. */
#include "frame/compare.h"
#include "shapes.h"

static void test_slice_of_every_run(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	assert_ok(sheaf_frame_check(&s.frame, &s.schema, SHEAF_CHECK_FULL, &err));
	sheaf_frame slice = {0};
	for (int64_t from = 0; from <= SHAPE_ROWS; from++) {
		for (int64_t to = from; to <= SHAPE_ROWS; to++) {
			assert_ok(sheaf_frame_slice(&s.frame, from, to, &slice, &err));
			assert_int_equal(slice.nrows, to - from);
			assert_ok(sheaf_frame_check(&slice, &s.schema, SHEAF_CHECK_FULL, &err));
			for (int64_t r = from; r < to; r++) assert_same_row(&slice, r - from, &s.frame, r);
		}
	}
	sheaf_frame_free(&slice);
}

static void test_slice_of_a_slice(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	sheaf_frame outer = {0}, inner = {0};
	for (int64_t from = 0; from < 3; from++) {
		assert_ok(sheaf_frame_slice(&s.frame, 1, 5, &outer, &err));
		assert_ok(sheaf_frame_slice(&outer, from, from + 2, &inner, &err));
		sheaf_frame_free(&outer); /* the inner one keeps what it needs */
		assert_ok(sheaf_frame_check(&inner, &s.schema, SHEAF_CHECK_FULL, &err));
		for (int64_t r = 0; r < 2; r++) assert_same_row(&inner, r, &s.frame, 1 + from + r);
	}
	sheaf_frame_free(&inner);
}

static void test_slice_shares_memory(void **state)
{
	(void)state;
	table t = stream_table(cx, "a", false, 2, SHEAF_F32, "1 2;3 4,5 6;7 8");
	int64_t lines[] = {1, 4, 6};
	t.frame.lines = borrow(lines);
	sheaf_frame slice = {0};
	assert_ok(sheaf_frame_slice(&t.frame, 1, 3, &slice, &err));
	assert_int_equal(slice.lines.size, 16);
	assert_true(((const int64_t *)(const void *)slice.lines.data)[0] == 4);
	assert_ptr_equal(slice.columns[0].values.data, t.frame.columns[0].values.data);
	assert_false(sheaf_buffer_is_sole(&t.frame.columns[0].values));
	t.frame.lines = (sheaf_buffer){0};
	assert_ok(sheaf_frame_slice(&t.frame, 1, 3, &slice, &err));
	assert_int_equal(slice.lines.size, 0); /* those of the slice before are gone */
	free_table(&t);
	assert_true(sheaf_buffer_is_sole(&slice.columns[0].values));
	assert_true(((const float *)(const void *)slice.columns[0].values.data)[4] == 5);
	sheaf_frame_free(&slice);
}

static void test_slice_without_a_column(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	sheaf_frame rows = {0}, slice = {0};
	for (int gone = 0; gone < SHAPES; gone++) {
		int kept[SHAPES], n = 0;
		for (int c = 0; c < SHAPES; c++)
			if (c != gone) kept[n++] = c;
		assert_ok(sheaf_frame_slice(&s.frame, 1, 4, &rows, &err));
		assert_ok(sheaf_frame_pick(&rows, kept, n, &slice, &err));
		assert_int_equal(slice.ncolumns, KEYS);
		for (int c = 0; c < KEYS; c++)
			for (int64_t r = 0; r < 3; r++)
				assert_true(sheaf_positions_equal(&slice.columns[c], 0, r, &s.frame.columns[c + (c >= gone)],
				                                  0, r + 1));
	}
	sheaf_frame_free(&rows);
	sheaf_frame_free(&slice);
}

/* Every way to cut five rows into runs gives the same frame again. */
static void test_append_of_every_cutting(void **state)
{
	(void)state;
	shapes s;
	int64_t lines[] = {10, 20, 30, 40, 50};
	make_shapes(&s);
	s.frame.lines = borrow(lines);
	for (unsigned cuts = 0; cuts < 1u << (SHAPE_ROWS - 1); cuts++) {
		sheaf_frame all = {0}, slice = {0};
		int64_t from = 0;
		for (int64_t r = 1; r <= SHAPE_ROWS; r++) {
			if (r < SHAPE_ROWS && !(cuts >> (r - 1) & 1)) continue;
			/* Alternately rows of the whole, and all rows of a slice, whose offsets do not begin at 0. */
			assert_ok(sheaf_frame_slice(&s.frame, from, r, &slice, &err));
			if (r % 2)
				assert_ok(sheaf_frame_append(&all, &slice, 0, slice.nrows, cx, &err));
			else
				assert_ok(sheaf_frame_append(&all, &s.frame, from, r, cx, &err));
			from = r;
		}
		assert_int_equal(all.nrows, SHAPE_ROWS);
		assert_ok(sheaf_frame_check(&all, &s.schema, SHEAF_CHECK_FULL, &err));
		for (int64_t r = 0; r < SHAPE_ROWS; r++) assert_same_row(&all, r, &s.frame, r);
		assert_int_equal(all.lines.size, sizeof lines);
		assert_memory_equal(all.lines.data, lines, sizeof lines);
		sheaf_frame_free(&slice);
		sheaf_frame_free(&all);
	}
}

static const struct {
	int64_t rows[SHAPE_ROWS + 1], n;
	bool shares; /* memory of the frame */
} taken[] = {
	{{0}, 0, true},
	{{2}, 1, true},
	{{1, 2, 3}, 3, true},
	{{4, 3, 2, 1, 0}, 5, false},
	{{0, 1, 4, 4, 1, 2}, 6, false},
};

static void test_rows_by_their_numbers(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	s.frame.cx = cx;
	for (size_t i = 0; i < COUNT(taken); i++) {
		sheaf_frame out;
		assert_ok(sheaf_frame_take(&s.frame, &s.schema, taken[i].rows, taken[i].n, &out, &err));
		assert_int_equal(out.nrows, taken[i].n);
		assert_ok(sheaf_frame_check(&out, &s.schema, SHEAF_CHECK_FULL, &err));
		for (int64_t r = 0; r < out.nrows; r++) assert_same_row(&out, r, &s.frame, taken[i].rows[r]);
		assert_true(sheaf_buffer_is_sole(&out.columns[0].values) == !taken[i].shares);
		sheaf_frame_free(&out);
	}
	sheaf_frame refused;
	assert_status(SHEAF_USAGE,
	              sheaf_frame_take(&s.frame, &s.schema, &(int64_t){SHAPE_ROWS}, 1, &refused, &err));
	assert_status(SHEAF_USAGE, sheaf_frame_take(&s.frame, &s.schema, &(int64_t){-1}, 1, &refused, &err));
	assert_status(SHEAF_USAGE, sheaf_frame_take(&s.frame, &s.schema, NULL, 1, &refused, &err));
	assert_int_equal(refused.ncolumns, 0);
}

/* Room for expected rows is reserved once, in all buffers; without memory for it, nothing happens. */
static void test_expected_rows_are_not_moved(void **state)
{
	(void)state;
	enum { ONCE = 20000, TIMES = 9 };
	table t = stream_table(cx, "a", true, 10, SHEAF_F64, "1:1;2:2,3:3;4:4");
	sheaf_frame all = {0};
	for (int i = 0; i < ONCE; i++) assert_ok(sheaf_frame_append(&all, &t.frame, 0, 3, cx, &err));
	assert_ok(sheaf_frame_expect(&all, 1e30, cx, &err));
	assert_ok(sheaf_frame_expect(&all, TIMES, cx, &err));
	const sheaf_column *a = &all.columns[0];
	const uint8_t *values = a->values.data, *offsets = a->levels[0].offsets.data,
				  *indices = a->levels[1].indices[0].data;
	for (int i = ONCE; i < ONCE * TIMES; i++) assert_ok(sheaf_frame_append(&all, &t.frame, 0, 3, cx, &err));
	assert_ptr_equal(a->values.data, values);
	assert_ptr_equal(a->levels[0].offsets.data, offsets);
	assert_ptr_equal(a->levels[1].indices[0].data, indices);
	assert_int_equal(all.nrows, 3 * ONCE * TIMES);
	assert_ok(sheaf_frame_check(&all, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_same_row(&all, all.nrows - 1, &t.frame, 2);
	sheaf_frame_free(&all);
	int64_t two[2] = {0}; /* and there are three rows */
	t.frame.numbers = borrow(two);
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_message("expected numbers of 3 rows, found 2");
	t.frame.numbers = (sheaf_buffer){0};
	t.frame.lines = borrow(two);
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_message("expected lines of 3 rows, found 2");
	t.frame.lines = (sheaf_buffer){0};
	free_table(&t);
}

static void test_append_leaves_shared_rows_alone(void **state)
{
	(void)state;
	table t = stream_table(cx, "a", true, 10, SHEAF_F32, "1:1;2:2,3:3");
	sheaf_frame slice = {0};
	assert_ok(sheaf_frame_slice(&t.frame, 0, 2, &slice, &err));
	assert_ok(sheaf_frame_append(&t.frame, &slice, 1, 2, cx, &err));
	assert_int_equal(t.frame.nrows, 3);
	assert_int_equal(slice.nrows, 2);
	assert_ok(sheaf_frame_check(&slice, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_same_row(&t.frame, 2, &slice, 1);
	assert_same_row(&t.frame, 0, &slice, 0);
	sheaf_frame_free(&slice);
	free_table(&t);
}

static void test_clear_keeps_memory(void **state)
{
	(void)state;
	table t = stream_table(cx, "a", true, 10, SHEAF_F64, "1:1;2:2,3:3;4:4");
	sheaf_frame all = {0};
	assert_ok(sheaf_frame_append(&all, &t.frame, 0, 3, cx, &err));
	const uint8_t *values = all.columns[0].values.data;
	int64_t held = sheaf_context_memory(cx, NULL);
	sheaf_frame_clear(&all);
	assert_int_equal(all.nrows, 0);
	assert_ok(sheaf_frame_append(&all, &t.frame, 1, 3, cx, &err));
	assert_ptr_equal(all.columns[0].values.data, values);
	assert_int_equal(sheaf_context_memory(cx, NULL), held);
	assert_ok(sheaf_frame_check(&all, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_same_row(&all, 0, &t.frame, 1);
	assert_same_row(&all, 1, &t.frame, 2);
	sheaf_frame_free(&all);
	free_table(&t);
}

static void test_append_of_no_rows(void **state)
{
	(void)state;
	table t = stream_table(cx, "a", true, 10, SHEAF_F64, "1:1;2:2");
	sheaf_frame all = {0};
	assert_ok(sheaf_frame_append(&all, &t.frame, 1, 1, cx, &err));
	assert_int_equal(all.nrows, 0);
	assert_ok(sheaf_frame_check(&all, &t.schema, SHEAF_CHECK_FULL, &err));
	sheaf_frame_free(&all);
	free_table(&t);
}

/* The first rows of a chunk may have no samples: then only an offset is appended first, and that may be
 * refused. */
static void test_append_of_no_samples_without_memory(void **state)
{
	(void)state;
	static const int64_t starts[] = {0, 0, 0};
	sheaf_status status = SHEAF_NOMEM;
	int failures = 0;
	table t = stream_table(cx, "a", true, 10, SHEAF_F64, "1:1;2:2");
	sheaf_buffer_reset(&t.frame.columns[0].levels[0].offsets);
	t.frame.columns[0].levels[0].offsets = borrow(starts);
	for (int n = 2; status != SHEAF_OK; n++, failures++) {
		allocator memory = {.fail_at = n};
		sheaf_context_options options = options_with(&memory);
		sheaf_context *c = context_with(&options);
		sheaf_frame all = {0};
		status = sheaf_frame_append(&all, &t.frame, 0, 2, c, &err);
		assert_true(status == SHEAF_OK || status == SHEAF_NOMEM);
		sheaf_frame_free(&all);
		end_context(c);
		assert_int_equal(memory.bytes, 0);
	}
	assert_true(failures > 3);
	free_table(&t);
}

/* Every function accepts what the check passes: they trust it. */
static void use_in_every_way(table *t)
{
	sheaf_summary *stats;
	sheaf_frame slice = {0}, all = {0};
	sheaf_buffer out = {0};
	char text[33];
	assert_ok(sheaf_frame_check(&t->frame, &t->schema, SHEAF_CHECK_FULL, &err));
	hash_table(t, true, true, text);
	assert_ok(sheaf_summary_new(&t->schema, cx, &stats, &err));
	assert_ok(sheaf_summary_add(stats, &t->frame, 0, &err));
	sheaf_summary_free(stats);
	assert_ok(sheaf_frame_slice(&t->frame, 0, t->frame.nrows, &slice, &err));
	assert_ok(sheaf_frame_check(&slice, &t->schema, SHEAF_CHECK_FULL, &err));
	for (int i = 0; i < 2; i++) assert_ok(sheaf_frame_append(&all, &slice, 0, slice.nrows, cx, &err));
	assert_ok(sheaf_frame_check(&all, &t->schema, SHEAF_CHECK_FULL, &err));
	assert_int_equal(all.nrows, 2 * t->frame.nrows);
	assert_ok(sheaf_rows_text(&t->frame, &t->schema, SHEAF_JSON, 0, 0, t->frame.nrows, &out, &err));
	for (int c = 0; c < t->schema.nfields; c++) t->schema.fields[c].type = SHEAF_F64;
	assert_ok(sheaf_frame_cast(&all, &t->schema, NULL, 0, cx, &err));
	assert_ok(sheaf_frame_check(&all, &t->schema, SHEAF_CHECK_FULL, &err));
	sheaf_buffer_reset(&out);
	sheaf_frame_free(&slice);
	sheaf_frame_free(&all);
}

static table without_offsets(int64_t nrows)
{
	static const int64_t outer[4] = {0, 0, 0, 0};
	table t = new_table(cx);
	add_stream(&t, "dense", false, 2, SHEAF_F32);
	add_stream(&t, "sparse", true, 2, SHEAF_F32);
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	t.frame.nrows = nrows;
	for (int c = 0; c < 2 && nrows; c++)
		t.frame.columns[c].levels[0].offsets =
			(sheaf_buffer){(uint8_t *)outer, (size_t)(nrows + 1) * 8, NULL};
	return t;
}

/* A frame that has just been shaped must be as good as any other. */
static void test_frame_of_no_rows(void **state)
{
	(void)state;
	table t = without_offsets(0);
	use_in_every_way(&t);
	free_table(&t);
}

static void test_frame_of_no_samples(void **state)
{
	(void)state;
	table t = without_offsets(3);
	if (sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_SIZES, &err) == SHEAF_OK) use_in_every_way(&t);
	/* With its only offset it is always sound. */
	static const int64_t zero[1] = {0};
	t.frame.columns[1].levels[1].offsets = borrow(zero);
	t.schema.fields[0].type = t.schema.fields[1].type = SHEAF_F32;
	use_in_every_way(&t);
	free_table(&t);
}

static void test_frame_begin_takes_another_schema(void **state)
{
	(void)state;
	table a = stream_table(cx, "a", true, 10, SHEAF_F64, "1:1;2:2"), b = new_table(cx);
	add_stream(&b, "x", false, 3, SHEAF_F32);
	add_stream(&b, "y", false, 3, SHEAF_F32);
	assert_ok(sheaf_frame_begin(&a.frame, &b.schema, cx, &err));
	assert_int_equal(a.frame.ncolumns, 2);
	assert_int_equal(a.frame.nrows, 0);
	assert_int_equal(a.frame.columns[1].type, SHEAF_F32);
	assert_int_equal(a.frame.columns[1].levels[1].shape.kind, SHEAF_FIXED);
	free_table(&a);
	free_table(&b);
}

/* ---- checks ---- */

typedef struct broken {
	shapes s;
	int64_t offsets[16];
	int32_t indices[16];
} broken;

static int64_t *copy_offsets(broken *b, int column, int level)
{
	sheaf_buffer *buffer = &b->s.columns[column].levels[level].offsets;
	memcpy(b->offsets, buffer->data, buffer->size);
	buffer->data = (uint8_t *)b->offsets;
	return b->offsets;
}

static int32_t *copy_indices(broken *b)
{
	memcpy(b->indices, narrow_indices, sizeof narrow_indices);
	b->s.columns[SPARSE].levels[1].indices[0].data = (uint8_t *)b->indices;
	return b->indices;
}

static void negative_rows(broken *b) { b->s.frame.nrows = -1; }
static void another_column(broken *b) { b->s.frame.ncolumns = 3; }
static void fewer_levels(broken *b) { b->s.columns[DENSE].nlevels = 1; }
static void another_type(broken *b) { b->s.columns[DENSE].type = SHEAF_F64; }
static void another_kind(broken *b) { b->s.columns[DENSE].levels[0].shape.kind = SHEAF_COORD; }
static void another_rank(broken *b) { b->s.columns[COORDINATES].levels[0].shape.rank = 1; }
static void another_dim(broken *b) { b->s.columns[DENSE].levels[1].shape.extent = 1; }
static void larger_extent(broken *b) { b->s.columns[SPARSE].levels[1].shape.extent = 11; }
static void index_type_of_nothing(broken *b) { b->s.columns[SPARSE].levels[1].shape.index_type = SHEAF_U8; }
static void fewer_offsets(broken *b) { b->s.columns[DENSE].levels[0].offsets.size -= 8; }
static void part_of_an_offset(broken *b) { b->s.columns[DENSE].levels[0].offsets.size -= 1; }
static void negative_first_offset(broken *b) { copy_offsets(b, DENSE, 0)[0] = -1; }
static void decreasing_offsets(broken *b) { copy_offsets(b, DENSE, 0)[2] = 1; }
static void offset_below_the_first(broken *b) { copy_offsets(b, TEXT, 0)[5] = -7; }
static void offsets_past_the_level_below(broken *b) { copy_offsets(b, SPARSE, 0)[5] = 8; }
static void endless_offset(broken *b) { copy_offsets(b, SPARSE, 0)[5] = INT64_MAX; }
static void endless_dense_offset(broken *b) { copy_offsets(b, DENSE, 0)[5] = INT64_MAX; }
static void decreasing_inner_offsets(broken *b) { copy_offsets(b, SPARSE, 1)[3] = 3; }
static void fewer_indices(broken *b) { b->s.columns[SPARSE].levels[1].indices[0].size -= 4; }
static void fewer_second_indices(broken *b) { b->s.columns[COORDINATES].levels[0].indices[1].size -= 8; }
static void index_too_large(broken *b) { copy_indices(b)[8] = 10; }
static void index_below_zero(broken *b) { copy_indices(b)[0] = -1; }
static void index_past_the_second_extent(broken *b)
{
	b->s.fields[COORDINATES].levels[0].extent--, b->s.columns[COORDINATES].levels[0].shape.extent--;
}
static void no_levels(broken *b) { b->s.columns[DENSE].levels = NULL; }
static void no_indices(broken *b) { b->s.columns[SPARSE].levels[1].indices = NULL; }
/* It has as many bytes as the lower 32 bits of their number say. */
static void a_dim_beyond_32_bits(broken *b)
{
	b->s.fields[DENSE].levels[1].extent = b->s.columns[DENSE].levels[1].shape.extent = (INT64_C(1) << 32) + 2;
}
static void fewer_values(broken *b) { b->s.columns[DENSE].values.size -= 1; }
static void no_values(broken *b) { b->s.columns[SQUARE].values = none; }
static void fewer_keys(broken *b) { b->s.columns[KEYS].values.size -= 8; }
static void fewer_lines(broken *b)
{
	b->s.frame.lines = (sheaf_buffer){(uint8_t *)b->offsets, (SHAPE_ROWS - 1) * 8, NULL};
}

static const struct {
	void (*break_it)(broken *);
	const char *name;
	sheaf_depth depth; /* the least at which it is found */
	const char *message;
} breakages[] = {
	{negative_rows, "negative rows", SHEAF_CHECK_SIZES, "frame: expected at least 0 rows, found -1"},
	{another_column, "another column", SHEAF_CHECK_SIZES, "frame: expected 7 columns, found 3"},
	{fewer_levels, "fewer levels", SHEAF_CHECK_SIZES,
     "field \"dense\", level 0: expected levels: 2, found 1"},
	{another_type, "another type", SHEAF_CHECK_SIZES, "field \"dense\", level 0: expected element type"},
	{another_kind, "another kind", SHEAF_CHECK_SIZES,
     "field \"dense\", level 0: expected level kind 1, found 2"},
	{another_rank, "another rank", SHEAF_CHECK_SIZES, "field \"coordinates\", level 0: expected"},
	{another_dim, "another dim", SHEAF_CHECK_SIZES, "field \"dense\", level 1: expected"},
	{larger_extent, "larger extent", SHEAF_CHECK_SIZES, "field \"sparse\", level 1: expected"},
	{index_type_of_nothing, "index type of nothing", SHEAF_CHECK_SIZES,
     "field \"sparse\", level 1: expected"},
	{fewer_offsets, "fewer offsets", SHEAF_CHECK_SIZES,
     "field \"dense\", level 0: expected as many offsets as 6, found 5"},
	{part_of_an_offset, "part of an offset", SHEAF_CHECK_SIZES,
     "field \"dense\", level 0: expected as many offsets as 6, found 5"},
	{negative_first_offset, "negative first offset", SHEAF_CHECK_SIZES,
     "field \"dense\", level 0: expected a first offset of at least 0, found -1"},
	{decreasing_offsets, "decreasing offsets", SHEAF_CHECK_OFFSETS,
     "field \"dense\", level 0: expected an offset of at least 2, found 1"},
	{offset_below_the_first, "offset below the first", SHEAF_CHECK_SIZES,
     "field \"text\", level 0: expected a"},
	{offsets_past_the_level_below, "offsets past the level below", SHEAF_CHECK_SIZES,
     "field \"sparse\", level 1: expected as many offsets as 9, found 8"},
	{endless_offset, "endless offset", SHEAF_CHECK_SIZES, "field \"sparse\", level 1: expected"},
	{endless_dense_offset, "endless dense offset", SHEAF_CHECK_SIZES,
     "field \"dense\", level 1: expected fewer positions than"},
	{decreasing_inner_offsets, "decreasing inner offsets", SHEAF_CHECK_OFFSETS,
     "field \"sparse\", level 1: expected an offset of at least 4, found 3"},
	{fewer_indices, "fewer indices", SHEAF_CHECK_SIZES,
     "field \"sparse\", level 1: expected as many indices as 9, found 8"},
	{fewer_second_indices, "fewer second indices", SHEAF_CHECK_SIZES,
     "field \"coordinates\", level 0: expected as many indices as 6, found 5"},
	{index_too_large, "index too large", SHEAF_CHECK_FULL,
     "field \"sparse\", level 1: expected an index below 10, found 10"},
	{index_below_zero, "index below zero", SHEAF_CHECK_FULL,
     "field \"sparse\", level 1: expected an index below 10, found -1"},
	{index_past_the_second_extent, "index past the second extent", SHEAF_CHECK_FULL,
     "field \"coordinates\", level 0: expected an index below 5999999999, found 5999999999"},
	{no_levels, "no levels", SHEAF_CHECK_SIZES, "field \"dense\", level 0: expected levels: 2, found 0"},
	{no_indices, "no indices", SHEAF_CHECK_SIZES, "field \"sparse\", level 1: expected indices: 1, found 0"},
	{a_dim_beyond_32_bits, "a dim beyond 32 bits", SHEAF_CHECK_SIZES,
     "field \"dense\", level 2: expected as many values as 30064771086, found 14"},
	{fewer_values, "fewer values", SHEAF_CHECK_SIZES,
     "field \"dense\", level 2: expected as many values as 14, found 13"},
	{no_values, "no values", SHEAF_CHECK_SIZES,
     "field \"square\", level 2: expected as many values as 20, found 0"},
	{fewer_keys, "fewer keys", SHEAF_CHECK_SIZES,
     "field \"key\", level 0: expected as many values as 5, found 4"},
	{fewer_lines, "fewer lines", SHEAF_CHECK_SIZES, "expected"},
};

static void test_check_finds_every_flaw(void **state)
{
	(void)state;
	int missed = 0;
	for (size_t i = 0; i < COUNT(breakages); i++) {
		for (int depth = SHEAF_CHECK_NONE; depth <= SHEAF_CHECK_FULL; depth++) {
			broken b;
			make_shapes(&b.s);
			breakages[i].break_it(&b);
			b.s.schema.fields = b.s.fields;
			b.s.frame.columns = b.s.columns;
			sheaf_status status = sheaf_frame_check(&b.s.frame, &b.s.schema, (sheaf_depth)depth, &err);
			sheaf_status wanted = depth >= (int)breakages[i].depth ? SHEAF_DATA : SHEAF_OK;
			bool right = status == wanted && (!status || strstr(err.message, breakages[i].message));
			if (!right)
				print_error("%s, depth %d: found %s: %s\n", breakages[i].name, depth,
				            sheaf_status_name(status), status ? err.message : "");
			missed += !right;
		}
	}
	assert_int_equal(missed, 0);
}

static void test_check_of_endless_rows(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	for (int64_t nrows = INT64_MAX; nrows > SHAPE_ROWS; nrows /= 2) {
		s.frame.nrows = nrows;
		assert_status(SHEAF_DATA, sheaf_frame_check(&s.frame, &s.schema, SHEAF_CHECK_SIZES, &err));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, drop_context)

static const struct CMUnitTest tests[] = {
	TEST(test_slice_of_every_run),
	TEST(test_slice_of_a_slice),
	TEST(test_slice_shares_memory),
	TEST(test_slice_without_a_column),
	TEST(test_append_of_every_cutting),
	TEST(test_rows_by_their_numbers),
	TEST(test_expected_rows_are_not_moved),
	TEST(test_append_leaves_shared_rows_alone),
	TEST(test_clear_keeps_memory),
	TEST(test_append_of_no_rows),
	TEST(test_append_of_no_samples_without_memory),
	TEST(test_frame_of_no_rows),
	TEST(test_frame_of_no_samples),
	TEST(test_frame_begin_takes_another_schema),
	TEST(test_check_finds_every_flaw),
	TEST(test_check_of_endless_rows),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
