/* SPDX-License-Identifier: MIT */
/* Rows as people and programs see them: texts, JSON, statistics. */
#include "frame/print.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>

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
	table t = keyed_table(cx, three);
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

/* Finite numbers are printed in batches: what ends one may stand anywhere, or nowhere. */
static void test_print_long_lists(void **state)
{
	(void)state;
	enum { LONG = 140 };
	static const int places[] = {0, 1, 63, 64, 65, 66, 129, 130, LONG - 1, LONG};
	for (size_t p = 0; p < 2 * COUNT(places); p++) {
		bool sparse = p % 2;
		char items[1900] = "", wanted[2000], *to = items;
		for (int i = 0; i < LONG; i++) {
			if (i) *to++ = ' ';
			if (sparse) to += sprintf(to, "%d:", i);
			to += sprintf(to, i == places[p / 2] ? "-inf" : "%d.5", i);
		}
		table t = stream_table(cx, "x", sparse, LONG, sparse ? SHEAF_F64 : SHEAF_F32, items);
		snprintf(wanted, sizeof wanted, "0  x [%s]\n", items);
		assert_printed(&t, SHEAF_TEXT, 0, 0, 1, wanted);
		if (!sparse && places[p / 2] == LONG) {
			for (char *c = items; *c; c++)
				if (*c == ' ') *c = ',';
			snprintf(wanted, sizeof wanted, "{\"key\":0,\"streams\":{\"x\":[[%s]]}}\n", items);
			assert_printed(&t, SHEAF_JSON, 0, 0, 1, wanted);
		}
		free_table(&t);
	}
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
	assert_text("8  dense -  sparse -  text -  coordinates [3,0:0.25 1,7:0.5]  pairs of lists [[-1 -2] [-3]]  "
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
	"{\"sequences\":3,\"keys\":\"ordinal\",\"streams\":[{\"name\":\"D\",\"type\":\"float32\",\"storage\""
	":\"dense\",\"dim\":2,\"samples\":4,\"values\":8,\"zeros\":1,\"nan\":1,\"infinite\":0,\"min\":-5,\""
	"max\":4,\"sum\":5.5,\"mean\":0.7857142857142857,\"sd\":2.697315369785601,\"norm\":7.43303437365925"
	"3,\"negatives\":1,\"p50\":1,\"p95\":3.6999999999999993,\"p99\":3.9399999999999995,\"quantiles\":\""
	"exact\",\"axis\":\"equal\",\"bars\":\"exact\",\"histogram\":[{\"from\":-5,\"to\":-4.859375,\"count"
	"\":1},{\"from\":-0.078125,\"to\":0.0625,\"count\":1},{\"from\":0.484375,\"to\":0.625,\"count\":1},"
	"{\"from\":0.90625,\"to\":1.046875,\"count\":1},{\"from\":1.890625,\"to\":2.03125,\"count\":1},{\"f"
	"rom\":2.875,\"to\":3.015625,\"count\":1},{\"from\":3.859375,\"to\":4,\"count\":1}],\"lengths\":{\""
	"count\":3,\"min\":0,\"max\":3,\"mean\":1.3333333333333333,\"p50\":1,\"p95\":2.8,\"p99\":2.96,\"qua"
	"ntiles\":\"exact\",\"histogram\":[{\"from\":0,\"to\":0,\"count\":1},{\"from\":1,\"to\":1,\"count\""
	":1},{\"from\":2,\"to\":3,\"count\":1}]},\"unit_means\":[-0.125,2]},{\"name\":\"S\",\"type\":\"floa"
	"t64\",\"storage\":\"sparse\",\"dim\":10,\"samples\":4,\"values\":7,\"zeros\":2,\"nan\":0,\"infinit"
	"e\":1,\"min\":-2,\"max\":8,\"sum\":9.5,\"mean\":1.5833333333333333,\"sd\":3.1677629681247024,\"nor"
	"m\":8.674675786448736,\"negatives\":1,\"p50\":0.5,\"p95\":6.625,\"p99\":7.725000000000001,\"quanti"
	"les\":\"exact\",\"axis\":\"equal\",\"bars\":\"exact\",\"histogram\":[{\"from\":-2,\"to\":-1.84375,"
	"\"count\":1},{\"from\":-0.125,\"to\":0.03125,\"count\":2},{\"from\":0.96875,\"to\":1.125,\"count\""
	":1},{\"from\":2.375,\"to\":2.53125,\"count\":1},{\"from\":7.84375,\"to\":8,\"count\":1}],\"lengths"
	"\":{\"count\":3,\"min\":1,\"max\":2,\"mean\":1.3333333333333333,\"p50\":1,\"p95\":1.9,\"p99\":1.98"
	",\"quantiles\":\"exact\",\"histogram\":[{\"from\":1,\"to\":1,\"count\":2},{\"from\":2,\"to\":3,\"c"
	"ount\":1}]},\"nonzeros\":{\"count\":4,\"min\":0,\"max\":4,\"mean\":1.75,\"p50\":1.5,\"p95\":3.6999"
	"999999999993,\"p99\":3.9399999999999995,\"quantiles\":\"exact\",\"histogram\":[{\"from\":0,\"to\":"
	"0,\"count\":1},{\"from\":1,\"to\":1,\"count\":1},{\"from\":2,\"to\":3,\"count\":1},{\"from\":4,\"t"
	"o\":7,\"count\":1}]},\"density\":0.175,\"min_index\":1,\"max_index\":9,\"never_used\":4,\"most_use"
	"d\":[[2,2],[1,1],[3,1],[4,1],[5,1],[9,1]]}]}\n";

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
		"  samples in a sequence: 0 to 3, mean 1.33333; p50 1, p95 2.8, p99 2.96\n",
		"stream S: sparse, dim 10, float64\n",
		"  stored values in a sample: 0 to 4, mean 1.75; p50 1.5, p95 3.7, p99 3.94\n",
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
	table a = keyed_table(cx, ordinal), b = keyed_table(cx, others);
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

/* Sums that are wrong in plain doubles. */
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
	TEST(test_print_rows),
	TEST(test_print_keys),
	TEST(test_print_special_values),
	TEST(test_print_long_lists),
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
