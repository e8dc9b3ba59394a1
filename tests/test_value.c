/* SPDX-License-Identifier: MIT */
/* Canonical values: exact, stored back, cast between all types, and printed. */
#include "frame/value.h"
#include "with_context.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

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

/* A number stored as each type: the result, and whether it changes. */
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
			for (int64_t r = 0; r < 3; r++) assert_same_row(&t.frame, r, &same.frame, r);
			free_table(&t);
			free_table(&to);
			free_table(&same);
			end_context(c);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, drop_context)

static const struct CMUnitTest tests[] = {
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
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
