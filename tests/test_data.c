/* SPDX-License-Identifier: MIT */
/* Data in memory: schemas, frames and their checks, canonical values, casts, comparison, the content hash,
 * and what people and programs are shown. */
#include "data/compare.h"
#include "data/declare.h"
#include "data/print.h"
#include "data/value.h"
#include "with_context.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- schemas ---- */

static void test_types(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t size;
	} types[SHEAF_TYPES] = {{"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8},  {"int8", 1},
	                        {"int16", 2}, {"int32", 4},  {"int64", 8},  {"float32", 4}, {"float64", 8}};
	for (int t = 0; t < SHEAF_TYPES; t++) {
		assert_string_equal(sheaf_type_name((sheaf_type)t), types[t].name);
		assert_int_equal(sheaf_type_size((sheaf_type)t), types[t].size);
	}
	assert_string_equal(sheaf_type_name((sheaf_type)SHEAF_TYPES), "type?");
}

static void test_schema_streams(void **state)
{
	(void)state;
	table t = new_table(cx);
	add_stream(&t, "dense", false, 7, SHEAF_F64);
	add_stream(&t, "sparse", true, 9, SHEAF_F32);
	add_stream(&t, "wide", true, (INT64_C(1) << 31) + 1, SHEAF_F32);
	add_stream(&t, "narrow", true, INT64_C(1) << 31, SHEAF_F32); /* its largest index is just an int32 */
	assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	const sheaf_field *f = t.schema.fields;
	assert_int_equal(t.schema.nfields, 5);
	assert_true(sheaf_field_is_dense(&f[0]) && !sheaf_field_is_sparse(&f[0]));
	assert_true(sheaf_field_is_sparse(&f[1]) && !sheaf_field_is_dense(&f[1]));
	assert_false(sheaf_field_is_dense(&f[4]) || sheaf_field_is_sparse(&f[4]));
	assert_int_equal(sheaf_field_dim(&f[0]), 7);
	assert_int_equal(sheaf_field_dim(&f[1]), 9);
	assert_int_equal(f[1].levels[1].index_type, SHEAF_I32);
	assert_int_equal(f[2].levels[1].index_type, SHEAF_I64);
	assert_int_equal(f[3].levels[1].index_type, SHEAF_I32);
	assert_int_equal(f[4].type, SHEAF_U64);
	assert_int_equal(sheaf_schema_find(&t.schema, "wide"), 2);
	assert_int_equal(sheaf_schema_find(&t.schema, "wid"), -1);
	assert_int_equal(sheaf_schema_find(&t.schema, "key"), -1); /* a key is no stream */
	assert_int_equal(sheaf_schema_key(&t.schema), 4);
	free_table(&t);
	assert_int_equal(sheaf_schema_key(&t.schema), -1);
}

static void test_schema_finds_a_stream_called_key(void **state)
{
	(void)state;
	table t = new_table(cx);
	assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	add_stream(&t, "key", false, 1, SHEAF_F32);
	assert_int_equal(sheaf_schema_find(&t.schema, "key"), 1);
	free_table(&t);
}

static void test_schema_copy(void **state)
{
	(void)state;
	sheaf_schema copy;
	table t = new_table(cx);
	add_stream(&t, "a", false, 2, SHEAF_F64);
	add_stream(&t, "b", true, 3, SHEAF_F32);
	assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[1], "first", 5, &err));
	assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[1], "short name", 5, &err));
	t.schema.fields[0].main = true;
	assert_ok(sheaf_schema_copy(&t.schema, cx, &copy, &err));
	assert_ptr_not_equal(copy.fields[0].name, t.schema.fields[0].name);
	free_table(&t);
	assert_int_equal(copy.nfields, 2);
	assert_string_equal(copy.fields[0].name, "a");
	assert_string_equal(copy.fields[1].alias, "short");
	assert_null(copy.fields[0].alias);
	assert_true(copy.fields[0].main);
	assert_int_equal(copy.fields[0].type, SHEAF_F64);
	assert_int_equal(sheaf_field_dim(&copy.fields[1]), 3);
	sheaf_schema_free(&copy);
	sheaf_schema_free(&copy);
}

static void test_schema_remove(void **state)
{
	(void)state;
	static const char *const names[] = {"a", "b", "c"};
	for (int gone = 0; gone < 3; gone++) {
		table t = new_table(cx);
		for (int i = 0; i < 3; i++) add_stream(&t, names[i], false, 1 + i, SHEAF_F32);
		assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[gone], "x", 1, &err));
		sheaf_schema_remove(&t.schema, gone);
		assert_int_equal(t.schema.nfields, 2);
		assert_string_equal(t.schema.fields[0].name, names[gone == 0]);
		assert_string_equal(t.schema.fields[1].name, names[gone == 2 ? 1 : 2]);
		free_table(&t);
	}
}

/* Counted memory must come out even whichever way a schema got to its fields. */
static void test_schema_emptied_and_filled_again(void **state)
{
	(void)state;
	table t = new_table(cx);
	add_stream(&t, "a", false, 1, SHEAF_F32);
	sheaf_schema_remove(&t.schema, 0);
	assert_int_equal(t.schema.nfields, 0);
	add_stream(&t, "b", false, 1, SHEAF_F32);
	assert_string_equal(t.schema.fields[0].name, "b");
	free_table(&t);
	assert_int_equal(sheaf_context_memory(cx, NULL), 0);
}

/* Everything that makes a schema, with each of its allocations refused in turn. */
static sheaf_status make_and_copy(sheaf_context *c)
{
	sheaf_schema schema = {.cx = c}, copy = {.cx = c};
	sheaf_field *field;
	sheaf_status status = sheaf_schema_add(&schema, c, "name", 4, &field, &err);
	if (status == SHEAF_OK) status = sheaf_schema_set_alias(&schema, field, "n", 1, &err);
	if (status == SHEAF_OK) status = sheaf_schema_add_key(&schema, c, &err);
	if (status == SHEAF_OK) status = sheaf_schema_copy(&schema, c, &copy, &err);
	if (status == SHEAF_OK) sheaf_schema_remove(&schema, 0);
	sheaf_schema_free(&schema);
	sheaf_schema_free(&copy);
	return status;
}

static void test_schema_without_memory(void **state)
{
	(void)state;
	sheaf_status status = SHEAF_NOMEM;
	int failures = 0;
	for (int n = 2; status != SHEAF_OK; n++, failures++) {
		allocator memory = {.fail_at = n};
		sheaf_context_options options = options_with(&memory);
		sheaf_context *c = context_with(&options);
		status = make_and_copy(c);
		assert_true(status == SHEAF_OK || status == SHEAF_NOMEM);
		end_context(c);
		assert_int_equal(memory.bytes, 0);
	}
	assert_true(failures > 4);
}

/* ---- declarations of streams ---- */

static void test_declarations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t dim;
		int sparse, type;
		const char *name, *alias;
	} cases[] = {
		{"A:2:dense", 2, 0, -1, "A", NULL},
		{"A:sparse:2", 2, 1, -1, "A", NULL},
		{"long name:9223372036854775807:sparse:double", INT64_MAX, 1, SHEAF_F64, "long name", NULL},
		{"A:2:dense:float:alias=x:y", 2, 0, SHEAF_F32, "A", "x:y"},
		{"A:alias=B", -1, -1, -1, "A", "B"},
		{"A", -1, -1, -1, "A", NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_declared d;
		assert_ok(sheaf_declared_from_text(cases[i].text, &d, &err));
		assert_int_equal(d.dim, cases[i].dim);
		assert_int_equal(d.sparse, cases[i].sparse);
		assert_int_equal(d.type, cases[i].type);
		assert_int_equal(d.name_size, strlen(cases[i].name));
		assert_memory_equal(d.name, cases[i].name, d.name_size);
		assert_true((d.alias != NULL) == (cases[i].alias != NULL));
		if (d.alias) assert_string_equal(d.alias, cases[i].alias);
	}
	static const char *const bad[] = {"",           ":2:dense",  "A:",         "A:0:dense",
	                                  "A:-1:dense", "A:2:dens",  "A:2:dense:", "A:9223372036854775808:dense",
	                                  "A:2:alias=", "A:2 :dense"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_declared d;
		assert_status(SHEAF_USAGE, sheaf_declared_from_text(bad[i], &d, &err));
		assert_message("--stream");
	}
}

static void test_declarations_printed(void **state)
{
	(void)state;
	static const char *const texts[] = {"A:2:dense", "B:70000000000:sparse:double", "C:1:sparse:alias=c"};
	table t = new_table(cx);
	for (size_t i = 0; i < COUNT(texts); i++) {
		sheaf_declared d;
		sheaf_builder b;
		char name[2] = {texts[i][0], '\0'};
		assert_ok(sheaf_declared_from_text(texts[i], &d, &err));
		add_stream(&t, name, d.sparse, d.dim, d.type == SHEAF_F64 ? SHEAF_F64 : SHEAF_F32);
		if (d.alias)
			assert_ok(sheaf_schema_set_alias(&t.schema, &t.schema.fields[i], d.alias, d.alias_size, &err));
		sheaf_builder_begin(&b, cx, NULL);
		sheaf_declared_to_text(&b, &t.schema.fields[i], true);
		sheaf_builder_byte(&b, '\0');
		assert_text(texts[i], (const char *)b.data);
		sheaf_builder_drop(&b);
	}
	free_table(&t);
}

/* ---- frames of every shape ---- */

/* Five rows in columns that begin with each kind of level, over arrays on the stack of whoever asks. */
enum { SHAPES = 7, SHAPE_ROWS = 5 };

typedef struct shapes {
	sheaf_schema schema;
	sheaf_field fields[SHAPES];
	sheaf_level_shape wanted[SHAPES][2];
	sheaf_frame frame;
	sheaf_column columns[SHAPES];
	sheaf_level levels[SHAPES][2];
	sheaf_buffer indices[SHAPES][2];
} shapes;

static int64_t list_offsets[] = {0, 2, 2, 3, 6, 7};
static int64_t entry_offsets[] = {0, 1, 4, 4, 4, 6, 7, 9};
static int32_t narrow_indices[] = {5, 0, 2, 9, 1, 1, 3, 0, 9};
static int64_t coord_offsets[] = {0, 1, 3, 3, 4, 6};
static int64_t row_indices[] = {0, 3, 1, 2, 0, 3},
			   column_indices[] = {INT64_C(5000000000), 0, 7, 1, 2, INT64_C(5999999999)};
static int64_t pair_offsets[] = {0, 1, 1, 3, 4, 6, 7, 7, 8, 10, 11};
static float floats[24];
static double doubles[24];
static uint8_t letters[] = "hello, world";
static uint64_t keys[] = {7, 8, UINT64_MAX, 0, 3};

static sheaf_field *add_shape(shapes *s, char *name, sheaf_type type, void *values, size_t bytes)
{
	int c = s->frame.ncolumns++;
	s->schema.nfields++;
	s->fields[c] = (sheaf_field){.name = name, .type = type, .levels = s->wanted[c], .room = 2};
	s->columns[c] =
		(sheaf_column){.type = type, .levels = s->levels[c], .values = {(uint8_t *)values, bytes, NULL}};
	return &s->fields[c];
}

static sheaf_level *add_level(shapes *s, sheaf_level_shape shape, sheaf_buffer offsets)
{
	int c = s->frame.ncolumns - 1, l = s->columns[c].nlevels++;
	s->fields[c].nlevels++;
	s->fields[c].levels[l] = shape;
	s->columns[c].levels[l] =
		(sheaf_level){.shape = shape, .offsets = offsets, .indices = shape.rank ? s->indices[c] : NULL};
	return &s->columns[c].levels[l];
}

static const sheaf_level_shape list = {.kind = SHEAF_LIST}, fixed_two = {.kind = SHEAF_FIXED, .extent = 2};
static const sheaf_buffer none = {0};

static void make_shapes(shapes *s)
{
	static const sheaf_level_shape coord = {
		.kind = SHEAF_COORD, .rank = 1, .extent = 10, .index_type = SHEAF_I32};
	static const sheaf_level_shape coords = {
		.kind = SHEAF_COORD, .rank = 2, .extent = INT64_C(6000000000), .index_type = SHEAF_I64};
	for (int i = 0; i < 24; i++) floats[i] = (float)i / 4, doubles[i] = -i;
	*s = (shapes){.frame = {.nrows = SHAPE_ROWS, .cx = cx}};
	s->schema.fields = s->fields;
	s->frame.columns = s->columns;
	add_shape(s, "dense", SHEAF_F32, floats, 14 * sizeof *floats);
	add_level(s, list, borrow(list_offsets));
	add_level(s, fixed_two, none);
	add_shape(s, "sparse", SHEAF_F64, doubles, 9 * sizeof *doubles);
	add_level(s, list, borrow(list_offsets));
	add_level(s, coord, borrow(entry_offsets))->indices[0] = borrow(narrow_indices);
	add_shape(s, "text", SHEAF_U8, letters, 7);
	add_level(s, list, borrow(list_offsets));
	add_shape(s, "coordinates", SHEAF_F32, floats, 6 * sizeof *floats);
	sheaf_level *level = add_level(s, coords, borrow(coord_offsets));
	level->indices[0] = borrow(row_indices);
	level->indices[1] = borrow(column_indices);
	add_shape(s, "pairs of lists", SHEAF_F64, doubles, 11 * sizeof *doubles);
	add_level(s, fixed_two, none);
	add_level(s, list, borrow(pair_offsets));
	add_shape(s, "square", SHEAF_F32, floats, 20 * sizeof *floats);
	add_level(s, fixed_two, none);
	add_level(s, fixed_two, none);
	add_shape(s, "key", SHEAF_U64, keys, sizeof keys)->meaning = SHEAF_KEY;
}

static void assert_rows_equal(const sheaf_frame *a, int64_t row_a, const sheaf_frame *b, int64_t row_b)
{
	assert_int_equal(a->ncolumns, b->ncolumns);
	for (int c = 0; c < a->ncolumns; c++)
		if (!sheaf_positions_equal(&a->columns[c], 0, row_a, &b->columns[c], 0, row_b))
			fail_msg("column %d: row %d differs from row %d", c, (int)row_a, (int)row_b);
}

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
			for (int64_t r = from; r < to; r++) assert_rows_equal(&slice, r - from, &s.frame, r);
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
		for (int64_t r = 0; r < 2; r++) assert_rows_equal(&inner, r, &s.frame, 1 + from + r);
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
		assert_int_equal(slice.ncolumns, SHAPES - 1);
		for (int c = 0; c < SHAPES - 1; c++)
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
		for (int64_t r = 0; r < SHAPE_ROWS; r++) assert_rows_equal(&all, r, &s.frame, r);
		assert_int_equal(all.lines.size, sizeof lines);
		assert_memory_equal(all.lines.data, lines, sizeof lines);
		sheaf_frame_free(&slice);
		sheaf_frame_free(&all);
	}
}

/* Room is made once for rows that are expected, in all buffers; where there is no memory for them, nothing
 * happens. */
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
	assert_rows_equal(&all, all.nrows - 1, &t.frame, 2);
	sheaf_frame_free(&all);
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
	assert_rows_equal(&t.frame, 2, &slice, 1);
	assert_rows_equal(&t.frame, 0, &slice, 0);
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
	assert_rows_equal(&all, 0, &t.frame, 1);
	assert_rows_equal(&all, 1, &t.frame, 2);
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

/* The first rows of a chunk may have no samples: then the first thing to append is an offset alone, and that
 * may be refused. */
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

/* What the check passes, every function takes: they trust it. */
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
	/* With the one offset that there is to have it is sound in any case. */
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

/* Column numbers of make_shapes. */
enum { DENSE, SPARSE, TEXT, COORDINATES, PAIRS, SQUARE };

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
/* As many bytes are there as the lower 32 bits of their number say. */
static void a_dim_beyond_32_bits(broken *b)
{
	b->s.fields[DENSE].levels[1].extent = b->s.columns[DENSE].levels[1].shape.extent = (INT64_C(1) << 32) + 2;
}
static void fewer_values(broken *b) { b->s.columns[DENSE].values.size -= 1; }
static void no_values(broken *b) { b->s.columns[SQUARE].values = none; }
static void fewer_keys(broken *b) { b->s.columns[SHAPES - 1].values.size -= 8; }
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

/* ---- canonical values ---- */

#define EACH_INTEGER_TYPE(X) \
	X(SHEAF_U8, uint8_t) \
	X(SHEAF_U16, uint16_t) \
	X(SHEAF_U32, uint32_t) \
	X(SHEAF_U64, uint64_t) \
	X(SHEAF_I8, int8_t) X(SHEAF_I16, int16_t) X(SHEAF_I32, int32_t) X(SHEAF_I64, int64_t)

static sheaf_canon canon_of(sheaf_type type, const void *value)
{
	sheaf_canon c[3];
	uint8_t three[24];
	size_t size = sheaf_type_size(type);
	memset(three, 0x5a, sizeof three);
	memcpy(three + size, value, size);
	sheaf_canon_values(type, three, 1, 1, c + 1);
	return c[1];
}

static sheaf_canon canon_u64(uint64_t v) { return canon_of(SHEAF_U64, &v); }
static sheaf_canon canon_i64(int64_t v) { return canon_of(SHEAF_I64, &v); }
static sheaf_canon canon_f64(double v) { return canon_of(SHEAF_F64, &v); }

static void test_canon_small_integers_are_doubles(void **state)
{
	(void)state;
#define CHECK(type, T) \
	{ \
		T one = 1, top = (T) ~(T)0; \
		assert_true(sheaf_canon_equal(canon_of(type, &one), canon_f64(1))); \
		if (sizeof top < 8) assert_true(sheaf_canon_equal(canon_of(type, &top), canon_f64((double)top))); \
	}
	EACH_INTEGER_TYPE(CHECK)
#undef CHECK
	assert_true(sheaf_canon_equal(canon_i64(0), canon_f64(0)));
	assert_false(sheaf_canon_equal(canon_i64(0), canon_f64(-0.0)));
	assert_false(sheaf_canon_equal(canon_f64(0), canon_f64(-0.0)));
	assert_true(sheaf_canon_equal(canon_f64((double)NAN), canon_f64(-(double)NAN)));
	assert_false(sheaf_canon_equal(canon_f64((double)NAN), canon_f64(0)));
	assert_false(sheaf_canon_equal(canon_f64((double)INFINITY), canon_f64(-(double)INFINITY)));
}

static void test_canon_large_integers_are_exact(void **state)
{
	(void)state;
	static const uint64_t values[] = {0,
	                                  1,
	                                  (UINT64_C(1) << 53) - 1,
	                                  UINT64_C(1) << 53,
	                                  (UINT64_C(1) << 53) + 1,
	                                  (UINT64_C(1) << 53) + 2,
	                                  (UINT64_C(1) << 62) + 1,
	                                  INT64_MAX - 1,
	                                  INT64_MAX,
	                                  UINT64_C(1) << 63,
	                                  (UINT64_C(1) << 63) + 1,
	                                  (UINT64_C(1) << 63) + 1024,
	                                  UINT64_MAX - 1024,
	                                  UINT64_MAX - 1,
	                                  UINT64_MAX};
	for (size_t i = 0; i < COUNT(values); i++) {
		for (size_t k = 0; k < COUNT(values); k++) {
			assert_int_equal(sheaf_canon_equal(canon_u64(values[i]), canon_u64(values[k])), i == k);
			if (values[i] > INT64_MAX || values[k] > INT64_MAX) continue;
			assert_int_equal(sheaf_canon_equal(canon_i64((int64_t)values[i]), canon_u64(values[k])), i == k);
			assert_int_equal(
				sheaf_canon_equal(canon_i64(-(int64_t)values[i] - 1), canon_i64(-(int64_t)values[k] - 1)),
				i == k);
		}
	}
	assert_true(sheaf_canon_equal(canon_u64(UINT64_C(1) << 63), canon_f64(0x1p63)));
	assert_true(sheaf_canon_equal(canon_i64(INT64_MIN), canon_f64(-0x1p63)));
	assert_false(sheaf_canon_equal(canon_i64(INT64_MAX), canon_f64(0x1p63)));
	assert_false(sheaf_canon_equal(canon_u64(UINT64_MAX), canon_f64(0x1p64)));
}

static void test_canon_stores_back_what_it_took(void **state)
{
	(void)state;
	seed_random(1);
#define CHECK(type, T) \
	for (int i = 0; i < 2000; i++) { \
		uint64_t bits = i == 0   ? 0 \
		                : i == 1 ? INT64_MAX \
		                : i == 2 ? (uint64_t)INT64_MIN \
		                : i == 3 ? UINT64_MAX \
		                : i == 4 ? (uint64_t)INT64_MIN + 1 \
		                         : next_random() >> (i % 64); \
		T v = (T)bits, back[3] = {0, 0, 0}; \
		sheaf_canon c = canon_of(type, &v); \
		assert_int_equal(sheaf_canon_store(type, &c, 1, back, 1), 0); \
		assert_true(back[0] == 0 && back[1] == v && back[2] == 0); \
	}
	EACH_INTEGER_TYPE(CHECK)
#undef CHECK
	for (int i = 0; i < 2000; i++) {
		uint64_t bits = next_random();
		double v, back;
		memcpy(&v, &bits, sizeof v);
		sheaf_canon c = canon_f64(v);
		assert_int_equal(sheaf_canon_store(SHEAF_F64, &c, 1, &back, 0), 0);
		assert_true(isnan(v) ? isnan(back) : memcmp(&v, &back, sizeof v) == 0);
	}
}

/* A number stored as each type: what it becomes, and whether that is a change. */
static void test_canon_store_says_what_changed(void **state)
{
	(void)state;
	static const struct {
		double value;
		sheaf_type type;
		int64_t becomes;
		int changed;
	} cases[] = {
		{255, SHEAF_U8, 255, 0},
		{256, SHEAF_U8, 255, 1},
		{-1, SHEAF_U8, 0, 1},
		{0.5, SHEAF_U8, 0, 1},
		{(double)NAN, SHEAF_U8, 0, 1},
		{(double)INFINITY, SHEAF_U16, 65535, 1},
		{-128, SHEAF_I8, -128, 0},
		{-129, SHEAF_I8, -128, 1},
		{128, SHEAF_I8, 127, 1},
		{-0.0, SHEAF_I8, 0, 1},
		{-1e300, SHEAF_I64, INT64_MIN, 1},
		{1e300, SHEAF_I64, INT64_MAX, 1},
		{0x1p63, SHEAF_I64, INT64_MAX, 1},
		{-0x1p63, SHEAF_I64, INT64_MIN, 0},
		{4294967295.0, SHEAF_U32, UINT32_MAX, 0},
		{4294967296.0, SHEAF_U32, UINT32_MAX, 1},
		{-32769, SHEAF_I16, -32768, 1},
		{2147483648.0, SHEAF_I32, INT32_MAX, 1},
		{-2147483648.0, SHEAF_I32, INT32_MIN, 0},
		{(double)NAN, SHEAF_I64, 0, 1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t room = 0;
		sheaf_canon c = canon_f64(cases[i].value), back;
		assert_int_equal(sheaf_canon_store(cases[i].type, &c, 1, &room, 0), cases[i].changed);
		back = canon_of(cases[i].type, &room);
		if (!sheaf_canon_equal(back, canon_i64(cases[i].becomes)))
			fail_msg("case %d: found %.17g", (int)i, back.nearest);
	}
}

static void test_canon_store_of_large_integers(void **state)
{
	(void)state;
	sheaf_canon c = canon_u64(UINT64_MAX);
	int64_t narrow = 0;
	uint64_t wide = 0;
	double real;
	assert_int_equal(sheaf_canon_store(SHEAF_I64, &c, 1, &narrow, 0), 1);
	assert_true(narrow == INT64_MAX);
	assert_int_equal(sheaf_canon_store(SHEAF_F64, &c, 1, &real, 0), 1);
	assert_true(real == 0x1p64);
	c = canon_i64(INT64_MAX);
	assert_int_equal(sheaf_canon_store(SHEAF_U64, &c, 1, &wide, 0), 0);
	assert_true(wide == INT64_MAX);
	c = canon_u64((UINT64_C(1) << 63) + 5);
	assert_int_equal(sheaf_canon_store(SHEAF_I64, &c, 1, &narrow, 0), 1);
	assert_true(narrow == INT64_MAX);
	c = canon_i64((INT64_C(1) << 53) + 1);
	assert_int_equal(sheaf_canon_store(SHEAF_F64, &c, 1, &real, 0), 1);
	assert_true(real == 0x1p53);
	c = canon_i64(INT64_MIN);
	assert_int_equal(sheaf_canon_store(SHEAF_U64, &c, 1, &wide, 0), 1);
	assert_true(wide == 0);
}

/* What does not fit becomes the nearest that does, also where the nearest double lies half way between two
 * floats. */
static void test_canon_store_rounds_once(void **state)
{
	(void)state;
	float f;
	sheaf_canon c = canon_u64((UINT64_C(1) << 63) + (UINT64_C(1) << 39) + 1);
	assert_int_equal(sheaf_canon_store(SHEAF_F32, &c, 1, &f, 0), 1);
	assert_true(f == 0x1p63f + 0x1p40f);
	c = canon_i64((INT64_C(1) << 62) + (INT64_C(3) << 38) - 1);
	assert_int_equal(sheaf_canon_store(SHEAF_F32, &c, 1, &f, 0), 1);
	assert_true(f == 0x1p62f + 0x1p39f);
}

static void test_canon_store_of_reals(void **state)
{
	(void)state;
	static const struct {
		double value;
		int changed;
	} cases[] = {{0.5, 0},        {0.1, 1},
	             {-0.0, 0},       {16777216, 0},
	             {16777217, 1},   {(double)FLT_MAX, 0},
	             {0x1p-149, 0},   {0x1p-150, 1},
	             {1e300, 1},      {(double)INFINITY, 0},
	             {(double)NAN, 0}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		float f = 99;
		sheaf_canon c = canon_f64(cases[i].value);
		assert_int_equal(sheaf_canon_store(SHEAF_F32, &c, 1, &f, 0), cases[i].changed);
		if (!isnan(cases[i].value))
			assert_true(f == (float)cases[i].value && !signbit(f) == !signbit(cases[i].value));
	}
}

static void test_value_print(void **state)
{
	(void)state;
	static const uint8_t u8 = 255;
	static const int8_t i8 = -128;
	static const uint16_t u16 = 65535;
	static const int16_t i16 = -32768;
	static const uint32_t u32 = UINT32_MAX;
	static const int32_t i32 = INT32_MIN;
	static const uint64_t u64 = UINT64_MAX;
	static const int64_t i64 = INT64_MIN, top = INT64_MAX;
	static const float f32 = 0.1f;
	static const double f64 = 0.1, minus = -0.0;
	const struct {
		sheaf_type type;
		const void *value;
		const char *text;
	} cases[] = {{SHEAF_U8, &u8, "255"},
	             {SHEAF_I8, &i8, "-128"},
	             {SHEAF_U16, &u16, "65535"},
	             {SHEAF_I16, &i16, "-32768"},
	             {SHEAF_U32, &u32, "4294967295"},
	             {SHEAF_I32, &i32, "-2147483648"},
	             {SHEAF_U64, &u64, "18446744073709551615"},
	             {SHEAF_I64, &i64, "-9223372036854775808"},
	             {SHEAF_I64, &top, "9223372036854775807"},
	             {SHEAF_F32, &f32, "0.1"},
	             {SHEAF_F64, &f64, "0.1"},
	             {SHEAF_F64, &minus, "-0"}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[64];
		*sheaf_value_print(cases[i].type, cases[i].value, 0, text) = '\0';
		assert_text(cases[i].text, text);
	}
}

/* ---- casts ---- */

typedef struct losses {
	int count;
	int64_t rows[16];
	char found[16][96];
	char stream[16], file[16];
	sheaf_status status;
} losses;

static losses lost;

static void see_loss(void *user, const sheaf_problem *problem)
{
	(void)user;
	if (lost.count == 16) return;
	lost.rows[lost.count] = problem->place.row;
	lost.status = problem->status;
	snprintf(lost.stream, sizeof lost.stream, "%s", problem->place.stream);
	snprintf(lost.file, sizeof lost.file, "%s", problem->place.file ? problem->place.file : "none");
	snprintf(lost.found[lost.count++], sizeof lost.found[0], "%s", problem->found);
}

static sheaf_context *loss_context(void)
{
	sheaf_context_options options = {.size = sizeof options, .on_problem = see_loss};
	lost = (losses){0};
	return context_with(&options);
}

static void test_cast_reports_each_row_that_changes(void **state)
{
	(void)state;
	sheaf_context *c = loss_context();
	table t = stream_table(c, "x", false, 2, SHEAF_F64, "1 2;0.1 3,4 0.2;5 6;7 0.3"), to = new_table(c);
	add_stream(&to, "x", false, 2, SHEAF_F32);
	assert_ok(sheaf_frame_cast(&t.frame, &to.schema, "some file", 100, c, &err));
	assert_int_equal(lost.count, 2);
	assert_int_equal(lost.status, SHEAF_LOSS);
	assert_int_equal(lost.rows[0], 101);
	assert_int_equal(lost.rows[1], 103);
	assert_string_equal(lost.stream, "x");
	assert_string_equal(lost.file, "some file");
	assert_string_equal(lost.found[0], "2 of float64 that do not");
	assert_string_equal(lost.found[1], "1 of float64 that do not");
	assert_ok(sheaf_frame_check(&t.frame, &to.schema, SHEAF_CHECK_FULL, &err));
	const float *values = (const float *)(const void *)t.frame.columns[0].values.data;
	static const float wanted[] = {1, 2, 0.1f, 3, 4, 0.2f, 5, 6, 7, 0.3f};
	for (size_t i = 0; i < COUNT(wanted); i++) assert_true(values[i] == wanted[i]);
	free_table(&t);
	free_table(&to);
	end_context(c);
}

static void test_cast_of_a_slice_leaves_the_whole_alone(void **state)
{
	(void)state;
	sheaf_context *c = loss_context();
	table t = stream_table(c, "x", true, 9, SHEAF_F64, "1:0.1;2:2,3:3;4:0.4"), to = new_table(c);
	sheaf_frame slice = {0};
	add_stream(&to, "x", true, 9, SHEAF_F32);
	assert_ok(sheaf_frame_slice(&t.frame, 1, 3, &slice, &err));
	assert_ok(sheaf_frame_cast(&slice, &to.schema, NULL, 1, c, &err));
	assert_int_equal(lost.count, 1); /* row 0 is not in the slice */
	assert_int_equal(lost.rows[0], 2);
	assert_ok(sheaf_frame_check(&slice, &to.schema, SHEAF_CHECK_FULL, &err));
	const float *values = (const float *)(const void *)slice.columns[0].values.data;
	assert_true(values[1] == 2 && values[2] == 3 && values[3] == 0.4f);
	assert_int_equal(t.frame.columns[0].type, SHEAF_F64);
	assert_true(((const double *)(const void *)t.frame.columns[0].values.data)[3] == 0.4);
	sheaf_frame_free(&slice);
	free_table(&t);
	free_table(&to);
	end_context(c);
}

static void test_cast_between_all_types(void **state)
{
	(void)state;
	for (int from = 0; from < SHEAF_TYPES; from++) {
		for (int type = 0; type < SHEAF_TYPES; type++) {
			sheaf_context *c = loss_context();
			table t = stream_table(c, "x", true, 9, (sheaf_type)from, "0:1,1:2;;3:127,_"), to = new_table(c);
			table same = stream_table(c, "x", true, 9, (sheaf_type)type, "0:1,1:2;;3:127,_");
			add_stream(&to, "x", true, 9, (sheaf_type)type);
			const uint8_t *values = t.frame.columns[0].values.data;
			assert_ok(sheaf_frame_cast(&t.frame, &to.schema, NULL, 0, c, &err));
			assert_int_equal(lost.count, 0);
			assert_true((t.frame.columns[0].values.data == values) ==
			            (from == type)); /* nothing is copied without need */
			assert_ok(sheaf_frame_check(&t.frame, &to.schema, SHEAF_CHECK_FULL, &err));
			for (int64_t r = 0; r < 3; r++) assert_rows_equal(&t.frame, r, &same.frame, r);
			free_table(&t);
			free_table(&to);
			free_table(&same);
			end_context(c);
		}
	}
}

/* ---- comparison ---- */

static bool rows_equal(const table *a, const table *b)
{
	if (a->frame.nrows != b->frame.nrows) return false;
	for (int64_t r = 0; r < a->frame.nrows; r++)
		if (!sheaf_positions_equal(&a->frame.columns[0], 0, r, &b->frame.columns[0], 0, r)) return false;
	return true;
}

static bool texts_equal(bool sparse_a, sheaf_type type_a, const char *a, bool sparse_b, sheaf_type type_b,
                        const char *b)
{
	table ta = stream_table(cx, "x", sparse_a, 3, type_a, a),
		  tb = stream_table(cx, "x", sparse_b, 3, type_b, b);
	bool equal = rows_equal(&ta, &tb);
	assert_int_equal(rows_equal(&tb, &ta), equal);
	char ha[33], hb[33];
	hash_table(&ta, false, false, ha);
	hash_table(&tb, false, false, hb);
	/* The hash must say the same as the comparison. */
	assert_int_equal(strcmp(ha, hb) == 0, equal);
	free_table(&ta);
	free_table(&tb);
	return equal;
}

static void test_compare(void **state)
{
	(void)state;
	static const struct {
		const char *dense, *sparse;
		bool equal;
	} mixed[] = {
		{"1 2 3", "0:1 1:2 2:3", true},
		{"1 2 3,4 5 6;;7 8 9", "0:1 1:2 2:3,0:4 1:5 2:6;;0:7 1:8 2:9", true},
		{"1 0 3", "0:1 2:3", false}, /* a zero that nobody stored is not an entry */
		{"1 0 3", "0:1 1:0 2:3", true},
		{"1 2 3", "1:2 0:1 2:3", false}, /* in stored order */
		{"1 2 3", "0:1 1:2 2:3,_", false},
		{"1 2 3", "0:1 1:2 1:3", false},
		{";1 2 3", "0:1 1:2 2:3;", false},
	};
	for (size_t i = 0; i < COUNT(mixed); i++)
		assert_int_equal(texts_equal(false, SHEAF_F32, mixed[i].dense, true, SHEAF_F64, mixed[i].sparse),
		                 mixed[i].equal);
	assert_true(texts_equal(true, SHEAF_F32, "_,0:5;1:1", true, SHEAF_I16, "_,0:5;1:1"));
	assert_false(texts_equal(true, SHEAF_F32, "_", true, SHEAF_F32, ""));
	assert_false(texts_equal(true, SHEAF_F32, "0:1,1:1", true, SHEAF_F32, "0:1 1:1"));
	assert_true(texts_equal(true, SHEAF_U8, "0:200", true, SHEAF_F64, "0:200"));
	assert_false(texts_equal(true, SHEAF_F64, "0:0.1", true, SHEAF_F32,
	                         "0:0.1")); /* two values: the float is none that reads 0.1 */
	assert_false(texts_equal(true, SHEAF_F64, "0:0", true, SHEAF_F64, "0:-0"));
	assert_false(texts_equal(true, SHEAF_F64, "0:0", true, SHEAF_F32, "0:-0"));
	assert_true(texts_equal(true, SHEAF_F64, "0:-0", true, SHEAF_F32, "0:-0"));
	assert_true(texts_equal(true, SHEAF_F64, "0:nan", true, SHEAF_F32, "0:nan"));
	assert_true(texts_equal(true, SHEAF_F64, "0:nan", true, SHEAF_F64, "0:-nan"));
	assert_false(texts_equal(true, SHEAF_F64, "0:nan", true, SHEAF_F64, "0:inf"));
	assert_true(texts_equal(true, SHEAF_F64, "0:-inf", true, SHEAF_F32, "0:-inf"));
}

/* Longer than any batch that the code works in, with one difference at each place. */
static void test_compare_of_long_samples(void **state)
{
	(void)state;
	enum { N = 600 };
	double a[N];
	float b[N];
	sheaf_level runs = {.shape = {.kind = SHEAF_FIXED, .extent = N}};
	sheaf_column ca = {.nlevels = 1, .levels = &runs, .type = SHEAF_F64, .values = borrow(a)},
				 cb = {.nlevels = 1, .levels = &runs, .type = SHEAF_F32, .values = borrow(b)};
	for (int i = 0; i < N; i++) a[i] = i, b[i] = (float)i;
	assert_true(sheaf_positions_equal(&ca, 0, 0, &cb, 0, 0));
	for (int i = 0; i < N; i++) {
		b[i] += 0.5f;
		assert_false(sheaf_positions_equal(&ca, 0, 0, &cb, 0, 0));
		b[i] -= 0.5f;
	}
}

static void test_compare_of_other_shapes(void **state)
{
	(void)state;
	shapes s, other;
	make_shapes(&s);
	for (int c = 0; c < SHAPES; c++)
		for (int64_t p = 0; p < SHAPE_ROWS; p++)
			for (int64_t q = 0; q < SHAPE_ROWS; q++) {
				bool equal = sheaf_positions_equal(&s.columns[c], 0, p, &s.columns[c], 0, q);
				if (p == q) assert_true(equal);
				if (p != q && c == SQUARE) assert_false(equal);
			}
	make_shapes(&other);
	int64_t moved[6];
	memcpy(moved, column_indices, sizeof moved);
	moved[3]++;
	other.columns[COORDINATES].levels[0].indices[1] = borrow(moved);
	for (int64_t r = 0; r < SHAPE_ROWS; r++)
		assert_int_equal(
			sheaf_positions_equal(&s.columns[COORDINATES], 0, r, &other.columns[COORDINATES], 0, r), r != 3);
	/* Chains of other lengths, and lists against fixed runs, are never equal. */
	assert_false(sheaf_positions_equal(&s.columns[TEXT], 0, 0, &s.columns[DENSE], 0, 0));
	assert_false(sheaf_positions_equal(&s.columns[SPARSE], 0, 0, &s.columns[COORDINATES], 0, 0));
	assert_false(sheaf_positions_equal(&s.columns[SHAPES - 1], 0, 0, &s.columns[TEXT], 0, 0));
}

/* ---- the hash ---- */

static void hash_text(char text[33], bool sparse, sheaf_type type, const char *name, const char *rows)
{
	table t = stream_table(cx, name, sparse, 4, type, rows);
	hash_table(&t, false, false, text);
	free_table(&t);
}

/* No two of these are the same content. */
static void test_hash_differs_for_any_change(void **state)
{
	(void)state;
	static const struct {
		const char *name, *rows;
	} cases[] = {
		{"x", "0:1 1:2,2:3;_;0:4"},
		{"y", "0:1 1:2,2:3;_;0:4"},
		{"x", "0:1 1:2,2:3;_;0:5"},
		{"x", "0:1 1:2,2:3;_;1:4"},
		{"x", "0:1 1:2,2:3;;0:4"},
		{"x", "0:1 1:2 2:3;_;0:4"},
		{"x", "0:1,1:2 2:3;_;0:4"},
		{"x", "0:1 1:2,2:3;0:4;_"},
		{"x", "_;0:1 1:2,2:3;0:4"},
		{"x", "0:1 1:2,2:3,_;0:4"},
		{"x", "0:1 1:2,2:3;_"},
		{"x", "0:1 1:2,2:3;_;0:4;"},
		{"x", "0:1 1:2,2:3;_;0:4;_"},
		{"x", "1:2 0:1,2:3;_;0:4"},
		{"x", "0:2 1:1,2:3;_;0:4"},
		{"x", "2:3,0:1 1:2;_;0:4"},
		{"x", "0:1 1:2,2:3;_;0:-4"},
		{"x", "0:1 1:2,2:3;_,_;0:4"},
		{"xy", "0:1 1:2,2:3;_;0:4"},
		{"", "0:1 1:2,2:3;_;0:4"},
		{"x", ""},
		{"x", ";"},
		{"x", "_"},
		{"x", "_;"},
		{"x", ";_"},
		{"x", "0:0"},
		{"x", "0:-0"},
		{"x", "0:nan"},
		{"x", "0:inf"},
		{"x", "0:-inf"},
		{"x", "0:1"},
		{"x", "1:0"},
	};
	char hashes[COUNT(cases)][33];
	for (size_t i = 0; i < COUNT(cases); i++) {
		hash_text(hashes[i], true, SHEAF_F64, cases[i].name, cases[i].rows);
		assert_int_equal(strspn(hashes[i], "0123456789abcdef"), 32);
		for (size_t k = 0; k < i; k++)
			if (strcmp(hashes[i], hashes[k]) == 0)
				fail_msg("\"%s\" and \"%s\" have the same hash", cases[i].rows, cases[k].rows);
	}
}

static void test_hash_differs_for_each_value(void **state)
{
	(void)state;
	char before[33], after[33];
	table t = stream_table(cx, "x", true, 50, SHEAF_F64, "0:1 1:2,2:3;_;0:4 7:5;9:1 3:2");
	hash_table(&t, false, false, before);
	double *values = (double *)(void *)t.frame.columns[0].values.data;
	int32_t *indices = (int32_t *)(void *)t.frame.columns[0].levels[1].indices[0].data;
	for (size_t i = 0; i < t.frame.columns[0].values.size / 8; i++) {
		values[i] += 1;
		hash_table(&t, false, false, after);
		assert_string_not_equal(before, after);
		values[i] -= 1;
		indices[i] += 30;
		hash_table(&t, false, false, after);
		assert_string_not_equal(before, after);
		indices[i] -= 30;
	}
	hash_table(&t, false, false, after);
	assert_string_equal(before, after);
	free_table(&t);
}

static void test_hash_of_large_integers(void **state)
{
	(void)state;
	static const uint64_t values[] = {UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_MAX, UINT64_MAX - 1,
	                                  INT64_MAX,         UINT64_C(1) << 63};
	char hashes[COUNT(values)][33];
	for (size_t i = 0; i < COUNT(values); i++) {
		table t = new_table(cx);
		filler f;
		add_stream(&t, "x", false, 1, SHEAF_U64);
		assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
		begin_filling(&f, &t.schema.fields[0], cx);
		fill_raw(&f, -1, &values[i]);
		end_sample(&f);
		end_row(&f);
		finish_filling(&f, &t.frame.columns[0]);
		t.frame.nrows = 1;
		hash_table(&t, false, false, hashes[i]);
		for (size_t k = 0; k < i; k++) assert_string_not_equal(hashes[i], hashes[k]);
		free_table(&t);
	}
}

static void test_hash_is_independent_of_type_and_storage(void **state)
{
	(void)state;
	char wanted[33], found[33];
	hash_text(wanted, true, SHEAF_F64, "x", "0:1 1:2 2:3 3:4;;0:5 1:6 2:7 3:8,0:9 1:10 2:11 3:12");
	for (int type = 0; type < SHEAF_TYPES; type++) {
		hash_text(found, true, (sheaf_type)type, "x", "0:1 1:2 2:3 3:4;;0:5 1:6 2:7 3:8,0:9 1:10 2:11 3:12");
		assert_string_equal(wanted, found);
		hash_text(found, false, (sheaf_type)type, "x", "1 2 3 4;;5 6 7 8,9 10 11 12");
		assert_string_equal(wanted, found);
	}
}

static void test_hash_is_independent_of_cutting(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	char wanted[33] = "";
	for (unsigned cuts = 0; cuts < 1u << (SHAPE_ROWS - 1); cuts++) {
		sheaf_hash *hash;
		sheaf_frame slice = {0};
		char found[33];
		int64_t from = 0;
		assert_ok(sheaf_hash_new(&s.schema, true, true, cx, &hash, &err));
		for (int64_t r = 1; r <= SHAPE_ROWS; r++) {
			if (r < SHAPE_ROWS && !(cuts >> (r - 1) & 1)) continue;
			assert_ok(sheaf_frame_slice(&s.frame, from, r, &slice, &err));
			assert_ok(sheaf_hash_add(hash, &slice, &err));
			sheaf_hash_text(hash, found); /* asking in between changes nothing */
			from = r;
		}
		if (cuts == 0) memcpy(wanted, found, sizeof wanted);
		assert_string_equal(wanted, found);
		sheaf_hash_free(hash);
		sheaf_frame_free(&slice);
	}
	sheaf_hash_free(NULL);
}

static void test_hash_is_independent_of_the_order_of_streams(void **state)
{
	(void)state;
	char ab[33], ba[33], swapped[33];
	table a = new_table(cx), b = new_table(cx), c = new_table(cx);
	add_stream(&a, "a", false, 1, SHEAF_F32), add_stream(&a, "b", false, 1, SHEAF_F32);
	fill_text(&a, 0, "1;2"), fill_text(&a, 1, "3;4");
	add_stream(&b, "b", false, 1, SHEAF_F32), add_stream(&b, "a", false, 1, SHEAF_F32);
	fill_text(&b, 0, "3;4"), fill_text(&b, 1, "1;2");
	add_stream(&c, "a", false, 1, SHEAF_F32), add_stream(&c, "b", false, 1, SHEAF_F32);
	fill_text(&c, 0, "3;4"), fill_text(&c, 1, "1;2");
	hash_table(&a, false, false, ab);
	hash_table(&b, false, false, ba);
	hash_table(&c, false, false, swapped);
	assert_string_equal(ab, ba);
	assert_string_not_equal(ab, swapped);
	free_table(&a), free_table(&b), free_table(&c);
}

static table keyed_table(const uint64_t *three)
{
	table t = new_table(cx);
	sheaf_builder b;
	assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	add_stream(&t, "x", false, 1, SHEAF_F32);
	fill_text(&t, 1, "1;2;3");
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_builder_append(&b, three, 24);
	assert_ok(sheaf_builder_finish(&b, &t.frame.columns[0].values, &err));
	return t;
}

static void test_hash_of_keys(void **state)
{
	(void)state;
	static const uint64_t ordinal[] = {0, 1, 2}, others[] = {0, 1, 3};
	char with[33], without[33], plain[33], keyed[33];
	table none_ = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2;3"), a = keyed_table(ordinal),
		  b = keyed_table(others);
	hash_table(&none_, false, false, plain);
	hash_table(&none_, true, false, keyed);
	hash_table(&a, false, false, without);
	hash_table(&a, true, false, with);
	assert_string_equal(plain, without);
	assert_string_equal(keyed, with); /* rows without keys have their numbers for keys */
	assert_string_not_equal(with, without);
	hash_table(&b, false, false, without);
	hash_table(&b, true, false, with);
	assert_string_equal(plain, without);
	assert_string_not_equal(keyed, with);
	free_table(&none_), free_table(&a), free_table(&b);
}

static void test_hash_of_types(void **state)
{
	(void)state;
	char hashes[6][33];
	table t[6] = {stream_table(cx, "x", false, 1, SHEAF_F32, "1;2"),
	              stream_table(cx, "x", false, 1, SHEAF_F64, "1;2"),
	              stream_table(cx, "x", true, 1, SHEAF_F32, "0:1;0:2"),
	              stream_table(cx, "x", true, 2, SHEAF_F32, "0:1;0:2"),
	              stream_table(cx, "x", true, 1, SHEAF_U8, "0:1;0:2"),
	              stream_table(cx, "x", false, 1, SHEAF_I64, "1;2")};
	for (int i = 0; i < 6; i++) {
		hash_table(&t[i], false, true, hashes[i]);
		for (int k = 0; k < i; k++) assert_string_not_equal(hashes[i], hashes[k]);
		char plain[33];
		hash_table(&t[i], false, false, plain);
		assert_string_not_equal(plain, hashes[i]);
		free_table(&t[i]);
	}
}

static void test_hash_refuses_other_columns(void **state)
{
	(void)state;
	sheaf_hash *hash;
	shapes s;
	make_shapes(&s);
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1");
	assert_ok(sheaf_hash_new(&t.schema, false, false, cx, &hash, &err));
	assert_status(SHEAF_USAGE, sheaf_hash_add(hash, &s.frame, &err));
	sheaf_hash_free(hash);
	free_table(&t);
}

/* ---- text ---- */

static void assert_printed(const table *t, sheaf_style style, int64_t row, int64_t from, int64_t to,
                           const char *wanted)
{
	sheaf_buffer out = {0};
	char text[2000];
	assert_ok(sheaf_rows_text(&t->frame, &t->schema, style, row, from, to, &out, &err));
	snprintf(text, sizeof text, "%.*s", (int)out.size, (const char *)out.data);
	sheaf_buffer_reset(&out);
	assert_text(wanted, text);
	for (const char *at = text; style == SHEAF_JSON && *at; at = strchr(at, '\n') + 1)
		assert_true(is_json(at, (size_t)(strchr(at, '\n') - at)));
}

static void test_print_rows(void **state)
{
	(void)state;
	table t = new_table(cx);
	add_stream(&t, "A", false, 2, SHEAF_F32);
	add_stream(&t, "B", true, 5, SHEAF_F64);
	fill_text(&t, 0, "1 2,3 -0.5;;0.1 1e30");
	fill_text(&t, 1, "1:0.5,_;4:1 0:2;_");
	assert_printed(&t, SHEAF_JSON, 10, 0, 3,
	               "{\"key\":10,\"streams\":{\"A\":[[1,2],[3,-0.5]],\"B\":[[[1,0.5]],[]]}}\n"
	               "{\"key\":11,\"streams\":{\"A\":[],\"B\":[[[4,1],[0,2]]]}}\n"
	               "{\"key\":12,\"streams\":{\"A\":[[0.1,1e30]],\"B\":[[]]}}\n");
	assert_printed(&t, SHEAF_TEXT, 0, 0, 3,
	               "0  A [1 2] [3 -0.5]  B [1:0.5] []\n1  A -  B [4:1 0:2]\n2  A [0.1 1e30]  B []\n");
	assert_printed(&t, SHEAF_JSON, 10, 1, 2, "{\"key\":11,\"streams\":{\"A\":[],\"B\":[[[4,1],[0,2]]]}}\n");
	assert_printed(&t, SHEAF_JSON, 0, 3, 3, "");
	free_table(&t);
}

static void test_print_keys(void **state)
{
	(void)state;
	static const uint64_t three[] = {UINT64_MAX, 0, 7};
	table t = keyed_table(three);
	assert_printed(&t, SHEAF_JSON, 100, 0, 3,
	               "{\"key\":18446744073709551615,\"streams\":{\"x\":[[1]]}}\n{\"key\":0,\"streams\":{\"x\":["
	               "[2]]}}\n{\"key\":7,\"streams\":{\"x\":[[3]]}}\n");
	assert_printed(&t, SHEAF_TEXT, 100, 0, 1, "18446744073709551615  x [1]\n");
	free_table(&t);
}

static void test_print_special_values(void **state)
{
	(void)state;
	table t = stream_table(cx, "x", false, 4, SHEAF_F32, "nan inf -inf -0"),
		  d = stream_table(cx, "x", true, 1, SHEAF_F64, "0:nan,0:-inf,0:5e-324,0:0.1");
	assert_printed(&t, SHEAF_JSON, 0, 0, 1,
	               "{\"key\":0,\"streams\":{\"x\":[[\"nan\",\"inf\",\"-inf\",-0]]}}\n");
	assert_printed(&t, SHEAF_TEXT, 0, 0, 1, "0  x [nan inf -inf -0]\n");
	assert_printed(&d, SHEAF_JSON, 0, 0, 1,
	               "{\"key\":0,\"streams\":{\"x\":[[[0,\"nan\"]],[[0,\"-inf\"]],[[0,5e-324]],[[0,0.1]]]}}\n");
	free_table(&t), free_table(&d);
}

static void test_print_short(void **state)
{
	(void)state;
	table t = stream_table(cx, "x", false, 11, SHEAF_F32, "1 2 3 4 5 6 7 8 9 10 11"),
		  fits = stream_table(cx, "x", false, 10, SHEAF_F32, "1 2 3 4 5 6 7 8 9 10");
	table many = stream_table(cx, "x", true, 3, SHEAF_F32, "0:1,1:2,_,2:3,0:4"),
		  four = stream_table(cx, "x", true, 3, SHEAF_F32, "0:1,1:2,_,2:3");
	assert_printed(&t, SHEAF_TEXT_SHORT, 0, 0, 1, "0  x [1 2 3 4 5 6 7 8 9 ... 11 values]\n");
	assert_printed(&fits, SHEAF_TEXT_SHORT, 0, 0, 1, "0  x [1 2 3 4 5 6 7 8 9 10]\n");
	assert_printed(&many, SHEAF_TEXT_SHORT, 0, 0, 1, "0  x [0:1] [1:2] [] ... 5 samples\n");
	assert_printed(&four, SHEAF_TEXT_SHORT, 0, 0, 1, "0  x [0:1] [1:2] [] [2:3]\n");
	assert_printed(&many, SHEAF_TEXT, 0, 0, 1, "0  x [0:1] [1:2] [] [2:3] [0:4]\n");
	free_table(&t), free_table(&fits), free_table(&many), free_table(&four);
}

static void test_print_other_shapes(void **state)
{
	(void)state;
	shapes s;
	make_shapes(&s);
	sheaf_buffer out = {0};
	char text[600];
	assert_ok(sheaf_rows_text(&s.frame, &s.schema, SHEAF_JSON, 0, 1, 2, &out, &err));
	snprintf(text, sizeof text, "%.*s", (int)out.size, (const char *)out.data);
	assert_text("{\"key\":8,\"streams\":{\"dense\":[],\"sparse\":[],\"text\":[],\"coordinates\":[[[3,0],0.25]"
	            ",[[1,7],0.5]],\"pairs of lists\":[[-1,-2],[-3]],"
	            "\"square\":[[1,1.25],[1.5,1.75]]}}\n",
	            text);
	assert_true(is_json(text, strlen(text)));
	/* The buffer's memory is used again where nobody else owns it. */
	const uint8_t *memory = out.data;
	assert_ok(sheaf_rows_text(&s.frame, &s.schema, SHEAF_TEXT, 0, 1, 2, &out, &err));
	assert_ptr_equal(out.data, memory);
	snprintf(text, sizeof text, "%.*s", (int)out.size, (const char *)out.data);
	assert_text("8  dense -  sparse -  text -  coordinates [3,0:0.25 1,7:0.5]  pairs of lists [-1 -2 -3]  "
	            "square [[1 1.25] [1.5 1.75]]\n",
	            text);
	sheaf_buffer_reset(&out);
}

static void test_json_strings(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t n;
		const char *json;
	} cases[] = {
		{"", 0, "\"\""},
		{"plain", 5, "\"plain\""},
		{"a\"b\\c/", 6, "\"a\\\"b\\\\c/\""},
		{"\n\t\0\x1f", 4, "\"\\u000a\\u0009\\u0000\\u001f\""},
		{"\x7f", 1, "\"\x7f\""},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\xbe", 9, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\xbe\""},
		{"\xff", 1, "\"\xef\xbf\xbd\""},
		{"\x80"
	     "a",
	     2,
	     "\"\xef\xbf\xbd"
	     "a\""},                             /* a continuation byte alone */
		{"\xc3", 1, "\"\xef\xbf\xbd\""},     /* cut */
		{"\xc3\xa9", 1, "\"\xef\xbf\xbd\""}, /* cut, with the rest after it */
		{"\xc3(", 2, "\"\xef\xbf\xbd(\""},
		{"\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\""}, /* overlong */
		{"\xe0\x80\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* a surrogate */
		{"\xf4\x8f\xbf\xbf", 4, "\"\xf4\x8f\xbf\xbf\""}, /* the last code point, and the one after it */
		{"\xf4\x90\x80\x80", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_builder b;
		sheaf_builder_begin(&b, cx, NULL);
		sheaf_json_string(&b, cases[i].text, cases[i].n);
		assert_true(is_json((const char *)b.data, b.size));
		sheaf_builder_byte(&b, '\0');
		assert_text(cases[i].json, (const char *)b.data);
		sheaf_builder_drop(&b);
	}
}

static void test_json_reals(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *json;
	} cases[] = {{0, "0"},
	             {-0.0, "-0"},
	             {0.1, "0.1"},
	             {1e300, "1e300"},
	             {(double)NAN, "\"nan\""},
	             {(double)INFINITY, "\"inf\""},
	             {-(double)INFINITY, "\"-inf\""}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_builder b;
		sheaf_builder_begin(&b, cx, NULL);
		sheaf_json_real(&b, cases[i].value);
		sheaf_builder_byte(&b, '\0');
		assert_text(cases[i].json, (const char *)b.data);
		sheaf_builder_drop(&b);
	}
}

static void test_print_names_that_need_escapes(void **state)
{
	(void)state;
	table t = stream_table(cx, "a\"\xff\n", false, 1, SHEAF_U8, "1");
	assert_printed(&t, SHEAF_JSON, 0, 0, 1, "{\"key\":0,\"streams\":{\"a\\\"\xef\xbf\xbd\\u000a\":[[1]]}}\n");
	free_table(&t);
}

/* ---- statistics ---- */

static void stats_of(const table *t, int64_t step, sheaf_style style, char *text, size_t size)
{
	sheaf_summary *stats;
	sheaf_buffer out = {0};
	sheaf_frame slice = {0};
	sheaf_summary_options options = {.size = sizeof options, .style = style};
	assert_ok(sheaf_summary_new(&t->schema, cx, &stats, &err));
	for (int64_t from = 0; from < t->frame.nrows; from += step) {
		assert_ok(sheaf_frame_slice(
			&t->frame, from, from + step < t->frame.nrows ? from + step : t->frame.nrows, &slice, &err));
		assert_ok(sheaf_summary_add(stats, &slice, from, &err));
	}
	assert_ok(sheaf_summary_text(stats, &options, &out, &err));
	if (style == SHEAF_JSON) assert_true(is_json((const char *)out.data, out.size));
	snprintf(text, size, "%.*s", (int)out.size, (const char *)out.data);
	sheaf_buffer_reset(&out);
	sheaf_frame_free(&slice);
	sheaf_summary_free(stats);
}

static table hand_made(void)
{
	table t = new_table(cx);
	add_stream(&t, "D", false, 2, SHEAF_F32);
	add_stream(&t, "S", true, 10, SHEAF_F64);
	fill_text(&t, 0, "1 2,3 4,-5 0;;0.5 nan");
	fill_text(&t, 1, "3:1 9:-2,_;1:0;2:inf 2:-0 4:8 5:2.5");
	return t;
}

static const char hand_made_json[] =
	"{\"sequences\":3,\"keys\":\"ordinal\",\"streams\":[{\"name\":\"D\",\"type\":\"float32\","
	"\"storage\":\"dense\",\"dim\":2,\"samples\":4,\"values\":8,\"zeros\":1,\"nan\":1,\"infinite\":0,"
	"\"min\":-5,\"max\":4,\"sum\":5.5,\"mean\":0.7857142857142857,\"sd\":2.697315369785601,"
	"\"norm\":7.433034373659253,\"negatives\":1,\"p50\":1,\"p95\":4,\"p99\":4,"
	"\"quantiles\":\"of bins\",\"histogram\":[{\"from\":-6,\"to\":-5,\"count\":1},{\"from\":0.5,"
	"\"to\":0.625,\"count\":1},{\"from\":1,\"to\":1.25,\"count\":1},{\"from\":2,\"to\":2.5,"
	"\"count\":1},{\"from\":3,\"to\":3.5,\"count\":1},{\"from\":4,\"to\":5,\"count\":1}],"
	"\"lengths\":{\"count\":3,\"min\":0,\"max\":3,\"mean\":1.3333333333333333,\"p50\":1,\"p95\":3,"
	"\"p99\":3,\"quantiles\":\"exact\",\"histogram\":[{\"from\":0,\"to\":0,\"count\":1},{\"from\":1,"
	"\"to\":1,\"count\":1},{\"from\":2,\"to\":3,\"count\":1}]},\"unit_means\":[-0.125,2]},{\"name\":\"S\","
	"\"type\":\"float64\","
	"\"storage\":\"sparse\",\"dim\":10,\"samples\":4,\"values\":7,\"zeros\":2,\"nan\":0,\"infinite\":1,"
	"\"min\":-2,\"max\":8,\"sum\":9.5,\"mean\":1.5833333333333333,\"sd\":3.1677629681247024,"
	"\"norm\":8.674675786448736,\"negatives\":1,\"p50\":0,\"p95\":8,\"p99\":8,"
	"\"quantiles\":\"of bins\",\"histogram\":[{\"from\":-2.5,\"to\":-2,\"count\":1},{\"from\":1,"
	"\"to\":1.25,\"count\":1},{\"from\":2.5,\"to\":3,\"count\":1},{\"from\":8,\"to\":10,\"count\":1}],"
	"\"lengths\":{\"count\":3,\"min\":1,\"max\":2,\"mean\":1.3333333333333333,\"p50\":1,\"p95\":2,"
	"\"p99\":2,\"quantiles\":\"exact\",\"histogram\":[{\"from\":1,\"to\":1,\"count\":2},{\"from\":2,"
	"\"to\":3,\"count\":1}]},\"nonzeros\":{\"count\":4,\"min\":0,\"max\":4,\"mean\":1.75,\"p50\":1,"
	"\"p95\":4,\"p99\":4,\"quantiles\":\"exact\",\"histogram\":[{\"from\":0,\"to\":0,\"count\":1},"
	"{\"from\":1,\"to\":1,\"count\":1},{\"from\":2,\"to\":3,\"count\":1},{\"from\":4,\"to\":7,"
	"\"count\":1}]},\"density\":0.175,\"min_index\":1,\"max_index\":9,\"never_used\":4,"
	"\"most_used\":[[2,2],[1,1],[3,1],[4,1],[5,1],[9,1]]}]}\n";

static void test_stats_exact(void **state)
{
	(void)state;
	char text[4000];
	table t = hand_made();
	for (int64_t step = 1; step <= 3; step++) {
		stats_of(&t, step, SHEAF_JSON, text, sizeof text);
		assert_text(hand_made_json, text);
	}
	stats_of(&t, 2, SHEAF_TEXT, text, sizeof text);
	static const char *const lines[] = {
		"sequences: 3; keys: ordinal\n",
		"stream D: dense, dim 2, float32\n",
		"  samples: 4; values: 8; zeros: 1; nan: 1; infinite: 0\n",
		"  value: -5 to 4, mean 0.785714, sum 5.5\n",
		"  samples in a sequence: 0 to 3, mean 1.33333; p50 1, p95 3, p99 3\n",
		"stream S: sparse, dim 10, float64\n",
		"  stored values in a sample: 0 to 4, mean 1.75; p50 1, p95 4, p99 4\n",
		"  density: 0.175; indices: 1 to 9\n",
	};
	for (size_t i = 0; i < COUNT(lines); i++)
		if (!strstr(text, lines[i])) fail_msg("expected \"%s\" in:\n%s", lines[i], text);
	free_table(&t);
}

static void test_stats_of_keys(void **state)
{
	(void)state;
	static const uint64_t ordinal[] = {0, 1, 2}, others[] = {0, 2, 1};
	char text[2000];
	table a = keyed_table(ordinal), b = keyed_table(others);
	stats_of(&a, 2, SHEAF_JSON, text, sizeof text);
	assert_non_null(strstr(text, "\"keys\":\"ordinal\""));
	assert_null(strstr(text, "\"name\":\"key\""));
	stats_of(&b, 2, SHEAF_JSON, text, sizeof text);
	assert_non_null(strstr(text, "\"keys\":\"explicit\""));
	stats_of(&b, 2, SHEAF_TEXT, text, sizeof text);
	assert_non_null(strstr(text, "keys: explicit"));
	free_table(&a), free_table(&b);
}

/* Nothing at all: no division by it, and still JSON. */
static void test_stats_of_nothing(void **state)
{
	(void)state;
	char text[2000];
	table t = stream_table(cx, "x", true, 3, SHEAF_F32, ";"),
		  special = stream_table(cx, "x", false, 1, SHEAF_F32, "nan");
	t.frame.nrows = 0;
	stats_of(&t, 1, SHEAF_JSON, text, sizeof text);
	assert_text("{\"sequences\":0,\"keys\":\"ordinal\",\"streams\":[{\"name\":\"x\",\"type\":\"float32\","
	            "\"storage\":\"sparse\",\"dim\":3,\"samples\":0,\"values\":0,"
	            "\"zeros\":0,\"nan\":0,\"infinite\":0,\"lengths\":{\"count\":0,\"min\":0,\"max\":0,\"mean\":"
	            "0,\"histogram\":[]},"
	            "\"nonzeros\":{\"count\":0,\"min\":0,\"max\":0,\"mean\":0,\"histogram\":[]},\"density\":0,"
	            "\"min_index\":-1,\"max_index\":-1,\"never_used\":3,\"most_used\":[]}]}\n",
	            text);
	stats_of(&t, 1, SHEAF_TEXT, text, sizeof text);
	assert_non_null(strstr(text, "sequences: 0"));
	stats_of(&special, 1, SHEAF_JSON, text, sizeof text);
	assert_null(strstr(text, "\"sum\"")); /* of no finite value */
	free_table(&t), free_table(&special);
}

/* Sums that doubles alone get wrong. */
static void test_stats_sums_are_compensated(void **state)
{
	(void)state;
	char text[2000];
	table t = stream_table(cx, "x", false, 1, SHEAF_F64, "1;1e100;1;-1e100"), tenths = new_table(cx);
	stats_of(&t, 4, SHEAF_JSON, text, sizeof text);
	assert_non_null(strstr(text, "\"sum\":2,"));
	filler f;
	add_stream(&tenths, "x", false, 1, SHEAF_F64);
	assert_ok(sheaf_frame_begin(&tenths.frame, &tenths.schema, cx, &err));
	begin_filling(&f, &tenths.schema.fields[0], cx);
	for (int i = 0; i < 1000; i++) fill_value(&f, -1, 0.1), end_sample(&f);
	end_row(&f);
	finish_filling(&f, &tenths.frame.columns[0]);
	tenths.frame.nrows = 1;
	stats_of(&tenths, 1, SHEAF_JSON, text, sizeof text);
	assert_non_null(strstr(text, "\"sum\":100,")); /* added one by one in doubles it is 99.9999999999986 */
	free_table(&t), free_table(&tenths);
}

static void test_stats_refuse_other_columns(void **state)
{
	(void)state;
	sheaf_summary *stats;
	shapes s;
	make_shapes(&s);
	table t = stream_table(cx, "x", false, 1, SHEAF_F32, "1");
	assert_ok(sheaf_summary_new(&t.schema, cx, &stats, &err));
	assert_status(SHEAF_USAGE, sheaf_summary_add(stats, &s.frame, 0, &err));
	sheaf_summary_free(stats);
	free_table(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, drop_context)

static const struct CMUnitTest tests[] = {
	TEST(test_types),
	TEST(test_schema_streams),
	TEST(test_schema_finds_a_stream_called_key),
	TEST(test_schema_copy),
	TEST(test_schema_remove),
	TEST(test_schema_emptied_and_filled_again),
	TEST(test_schema_without_memory),
	TEST(test_declarations),
	TEST(test_declarations_printed),
	TEST(test_slice_of_every_run),
	TEST(test_slice_of_a_slice),
	TEST(test_slice_shares_memory),
	TEST(test_slice_without_a_column),
	TEST(test_append_of_every_cutting),
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
	TEST(test_canon_small_integers_are_doubles),
	TEST(test_canon_large_integers_are_exact),
	TEST(test_canon_stores_back_what_it_took),
	TEST(test_canon_store_says_what_changed),
	TEST(test_canon_store_of_large_integers),
	TEST(test_canon_store_rounds_once),
	TEST(test_canon_store_of_reals),
	TEST(test_value_print),
	TEST(test_cast_reports_each_row_that_changes),
	TEST(test_cast_of_a_slice_leaves_the_whole_alone),
	TEST(test_cast_between_all_types),
	TEST(test_compare),
	TEST(test_compare_of_long_samples),
	TEST(test_compare_of_other_shapes),
	TEST(test_hash_differs_for_any_change),
	TEST(test_hash_differs_for_each_value),
	TEST(test_hash_of_large_integers),
	TEST(test_hash_is_independent_of_type_and_storage),
	TEST(test_hash_is_independent_of_cutting),
	TEST(test_hash_is_independent_of_the_order_of_streams),
	TEST(test_hash_of_keys),
	TEST(test_hash_of_types),
	TEST(test_hash_refuses_other_columns),
	TEST(test_print_rows),
	TEST(test_print_keys),
	TEST(test_print_special_values),
	TEST(test_print_short),
	TEST(test_print_other_shapes),
	TEST(test_json_strings),
	TEST(test_json_reals),
	TEST(test_print_names_that_need_escapes),
	TEST(test_stats_exact),
	TEST(test_stats_of_keys),
	TEST(test_stats_of_nothing),
	TEST(test_stats_sums_are_compensated),
	TEST(test_stats_refuse_other_columns),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
