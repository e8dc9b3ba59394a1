/* SPDX-License-Identifier: MIT */
/* Comparison of rows, and the content hash, which differs for any change and for nothing else. */
#include "frame/compare.h"
#include "shapes.h"

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
	/* The hash must agree with the comparison. */
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
		{"1 0 3", "0:1 2:3", false}, /* a zero that was not stored is not an entry */
		{"1 0 3", "0:1 1:0 2:3", true},
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
	                         "0:0.1")); /* two values: no float32 equals 0.1 */
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
	assert_false(sheaf_positions_equal(&s.columns[KEYS], 0, 0, &s.columns[TEXT], 0, 0));
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

/* Comparison does not see in which order the entries of a sample come, unless they have the same index. */
static void test_hash_of_entries_in_any_order(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{"0:1 1:2 3:4", "3:4 0:1 1:2", true},     {"0:1 1:2;2:1 3:4", "1:2 0:1;3:4 2:1", true},
		{"0:1 1:2 3:4", "3:4 1:1 0:2", false},    {"2:1 2:2 0:5", "0:5 2:1 2:2", true},
		{"2:1 2:2 0:5", "0:5 2:2 2:1", false},    {"0:1,1:2", "1:2,0:1", false},
		{"1:nan 0:1", "0:1 1:nan", true},
	};
	char a[33], b[33];
	for (size_t i = 0; i < COUNT(cases); i++) {
		hash_text(a, true, SHEAF_F64, "x", cases[i].a);
		hash_text(b, true, SHEAF_F32, "x", cases[i].b);
		assert_int_equal(strcmp(a, b) == 0, cases[i].same);
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
			assert_ok(sheaf_hash_add(hash, &slice, -1, &err));
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

static void test_hash_of_keys(void **state)
{
	(void)state;
	static const uint64_t ordinal[] = {0, 1, 2}, others[] = {0, 1, 3};
	char with[33], without[33], plain[33], keyed[33];
	table none_ = stream_table(cx, "x", false, 1, SHEAF_F32, "1;2;3"), a = keyed_table(cx, ordinal),
		  b = keyed_table(cx, others);
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
	assert_status(SHEAF_USAGE, sheaf_hash_add(hash, &s.frame, -1, &err));
	sheaf_hash_free(hash);
	free_table(&t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, drop_context)

static const struct CMUnitTest tests[] = {
	TEST(test_compare),
	TEST(test_compare_of_long_samples),
	TEST(test_compare_of_other_shapes),
	TEST(test_hash_differs_for_any_change),
	TEST(test_hash_of_entries_in_any_order),
	TEST(test_hash_differs_for_each_value),
	TEST(test_hash_of_large_integers),
	TEST(test_hash_is_independent_of_type_and_storage),
	TEST(test_hash_is_independent_of_cutting),
	TEST(test_hash_is_independent_of_the_order_of_streams),
	TEST(test_hash_of_keys),
	TEST(test_hash_of_types),
	TEST(test_hash_refuses_other_columns),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
