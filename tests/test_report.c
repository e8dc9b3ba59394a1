/* SPDX-License-Identifier: MIT */
/* Summaries: what is counted is exact, and parts merged in any order are the whole to the last byte. */
#include "base/show.h"
#include "data/frame.h"
#include "report/draw.h"
#include "report/html.h"
#include "report/values.h"
#include "report/words.h"
#include "third/xxhash.h"
#include "with_context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- exact sums ---- */

static void test_sums_do_not_depend_on_order(void **state)
{
	(void)state;
	double numbers[1000];
	seed_random(3);
	for (size_t i = 0; i < COUNT(numbers); i++)
		numbers[i] = ldexp((double)(int64_t)next_random(), (int)random_below(600) - 300);
	sheaf_exact forward = {0}, backward = {0}, parts[3] = {{{0}, 0}};
	for (size_t i = 0; i < COUNT(numbers); i++) {
		sheaf_exact_add(&forward, numbers[i]);
		sheaf_exact_add(&backward, numbers[COUNT(numbers) - 1 - i]);
		sheaf_exact_add(&parts[random_below(3)], numbers[i]);
	}
	sheaf_exact_merge(&parts[2], &parts[0]);
	sheaf_exact_merge(&parts[2], &parts[1]);
	double sum = sheaf_exact_value(&forward);
	assert_true(sheaf_exact_value(&backward) == sum && sheaf_exact_value(&parts[2]) == sum);
}

static void test_sums_keep_what_doubles_lose(void **state)
{
	(void)state;
	static const struct {
		double numbers[4], sum;
	} cases[] = {{{1e300, 1, -1e300, 0}, 1},
	             {{0x1p-1074, 0x1p-1074, 0, 0}, 0x1p-1073},
	             {{1e16, 1, 1, -1e16}, 2},
	             {{1.7976931348623157e308, 1.7976931348623157e308, -1.7976931348623157e308, 0},
	              1.7976931348623157e308},
	             {{-5, 0, 0, 0}, -5}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_exact sum = {0};
		for (int k = 0; k < 4; k++) sheaf_exact_add(&sum, cases[i].numbers[k]);
		assert_true(sheaf_exact_value(&sum) == cases[i].sum);
	}
}

static void test_variance_without_cancellation(void **state)
{
	(void)state;
	sheaf_exact sum = {0}, squares = {0};
	for (int i = 0; i < 1000; i++) {
		double v = 1e9 + (i % 2 ? 1 : -1);
		sheaf_exact_add(&sum, v);
		sheaf_exact_add_product(&squares, v, v);
	}
	assert_true(sheaf_exact_variance(&sum, &squares, 1000) == 1);
	assert_true(isnan(sheaf_exact_variance(&sum, &squares, 0)));
}

/* ---- lengths and values ---- */

static void test_lengths(void **state)
{
	(void)state;
	sheaf_length_counts h = {0};
	bool exact;
	for (int64_t l = 1; l <= 100; l++) assert_ok(sheaf_length_counts_add(&h, l, 1, cx, &err));
	assert_int_equal(sheaf_length_counts_quantile(&h, 0.5, &exact), 50);
	assert_true(exact);
	assert_int_equal(sheaf_length_counts_quantile(&h, 0.99, &exact), 99);
	assert_int_equal(sheaf_length_counts_quantile(&h, 1, &exact), 100);
	assert_int_equal(sheaf_length_counts_between(&h, 10, 20), 10);
	assert_ok(sheaf_length_counts_add(&h, 1000000, 300, cx, &err));
	int64_t bin = sheaf_length_counts_quantile(&h, 0.9, &exact);
	assert_false(exact);
	assert_true(bin <= 1000000 && sheaf_length_counts_next_bin(bin) > 1000000);
	assert_int_equal(h.most, 1000000);
	assert_int_equal(h.n, 400);
	sheaf_length_counts_free(&h, cx);
}

static void test_value_bins_are_in_order(void **state)
{
	(void)state;
	static const double values[] = {-1e308, -1, -0.75, -1e-308, 1e-308, 0.5, 1, 1.3, 1e308};
	for (size_t i = 0; i + 1 < COUNT(values); i++)
		assert_true(sheaf_value_bin(values[i]) < sheaf_value_bin(values[i + 1]));
	for (size_t i = 0; i < COUNT(values); i++) {
		int bin = sheaf_value_bin(values[i]);
		double begin = sheaf_value_bin_begin(bin), end = sheaf_value_bin_begin(bin + 1);
		assert_true(begin <= values[i] && (values[i] < end || values[i] == begin || end == values[i]));
	}
}

static float made_value(int kind)
{
	switch (kind) {
	case 0: return random_below(5) ? 0 : (float)random_below(256);
	case 1: return random_below(3) ? -0.0f : 0.0f;
	case 2: return (float)(random_below(2000001) - 1000000) / 1000000;
	default:
		return ldexpf((float)(random_below(1 << 24) + 1) * (random_below(2) ? 1 : -1),
		              (int)random_below(200) - 120);
	}
}

static void add_alone(sheaf_value_counts *v, double value)
{
	v->n++;
	v->zeros += value == 0;
	v->negatives += value < 0;
	if (value < v->least) v->least = value;
	if (value > v->most) v->most = value;
	sheaf_exact_add(&v->sum, value);
	sheaf_exact_add_product(&v->squares, value, value);
	if (value != 0) v->bins[sheaf_value_bin(value)]++;
}

static void assert_same_counts(sheaf_value_counts v[2])
{
	assert_int_equal(v[0].n, v[1].n);
	assert_int_equal(v[0].zeros, v[1].zeros);
	assert_int_equal(v[0].negatives, v[1].negatives);
	assert_memory_equal(&v[0].least, &v[1].least, sizeof v[0].least);
	assert_memory_equal(&v[0].most, &v[1].most, sizeof v[0].most);
	assert_memory_equal(v[0].bins, v[1].bins, SHEAF_VALUE_BINS * sizeof *v[0].bins);
	for (int k = 0; k < 2; k++) sheaf_exact_carry(&v[k].sum), sheaf_exact_carry(&v[k].squares);
	assert_memory_equal(v[0].sum.digits, v[1].sum.digits, sizeof v[0].sum.digits);
	assert_memory_equal(v[0].squares.digits, v[1].squares.digits, sizeof v[0].squares.digits);
}

/* Groups of values give the same as single values, to the last digit of the sums. */
static void test_values_in_groups(void **state)
{
	(void)state;
	static float values[SHEAF_VALUES_MOST];
	static int64_t bins[2][SHEAF_VALUE_BINS];
	static const int64_t sizes[] = {1, 7, 8, 9, 1000, SHEAF_VALUES_MOST};
	seed_random(30);
	for (int kind = 0; kind < 6; kind++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			sheaf_value_counts v[2];
			memset(bins, 0, sizeof bins);
			for (int k = 0; k < 2; k++)
				v[k] = (sheaf_value_counts){.least = INFINITY, .most = -INFINITY, .bins = bins[k]};
			for (int64_t n = 0; n < sizes[i]; n++)
				values[n] = kind < 4 ? made_value(kind) : (float)(random_below(kind) - 2) * 512;
			for (int64_t n = 0; n < sizes[i]; n++) add_alone(&v[1], (double)values[n]);
			assert_true(sheaf_values_add(&v[0], values, sizes[i]));
			assert_same_counts(v);
		}
}

static void test_values_that_no_group_has(void **state)
{
	(void)state;
	static const float odd[] = {NAN, INFINITY, -INFINITY, 0x1p-127f, -0x1p-149f};
	for (size_t i = 0; i < 2 * COUNT(odd); i++) {
		float values[22] = {1, 2, 3};
		int at = i % 2 ? 13 : 21;
		sheaf_value_counts v = {.least = INFINITY, .most = -INFINITY}, before = v;
		values[at] = odd[i / 2];
		assert_false(sheaf_values_add(&v, values, COUNT(values)));
		assert_memory_equal(&v, &before, sizeof v);
		assert_true(sheaf_values_add(&v, values, at));
		assert_int_equal(v.n, at);
	}
}

static double made_double(int kind)
{
	double sign = random_below(2) ? 1 : -1;
	switch (kind) {
	case 0: return random_below(5) ? 0 : (double)random_below(1 << 20);
	case 1: return sign * (random_below(3) ? 0 : 1 << 20);
	case 2: return (double)(random_below(2000001) - 1000000) / 1000000;
	case 3: return (random_below(4) ? 1 : 0) * sign * (double)(random_below(INT64_C(1) << 40) + 1) / 1024;
	case 4: return sign * ldexp((double)(random_below(INT64_C(1) << 53) + 1), (int)random_below(900) - 500);
	default:
		return sign * ldexp((double)(random_below(INT64_C(1) << 53) + 1), (int)random_below(2000) - 1074);
	}
}

/* Groups of doubles give the same as single ones: with few exponents and with many, small whole numbers,
 * and numbers whose squares are not exact. */
static void test_doubles_at_once(void **state)
{
	(void)state;
	static int64_t bins[2][SHEAF_VALUE_BINS];
	static const int sizes[] = {1, 7, 8, 9, 100, SHEAF_DOUBLES_MOST};
	double values[SHEAF_DOUBLES_MOST];
	seed_random(32);
	for (int kind = 0; kind < 6; kind++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			sheaf_value_counts v[2];
			memset(bins, 0, sizeof bins);
			for (int k = 0; k < 2; k++)
				v[k] = (sheaf_value_counts){.least = INFINITY, .most = -INFINITY, .bins = bins[k]};
			for (int round = 0; round < 40; round++) {
				for (int n = 0; n < sizes[i]; n++) values[n] = made_double(kind);
				for (int n = 0; n < sizes[i]; n++) add_alone(&v[1], values[n]);
				sheaf_doubles_add(&v[0], values, sizes[i]);
			}
			assert_same_counts(v);
		}
}

static void test_doubles_that_are_no_numbers(void **state)
{
	(void)state;
	double values[SHEAF_DOUBLES_MOST] = {1, NAN, INFINITY, -INFINITY, 1e300, 5e-324};
	sheaf_value_counts v = {.least = INFINITY, .most = -INFINITY};
	sheaf_doubles_add(&v, values, SHEAF_DOUBLES_MOST);
	assert_int_equal(v.n, SHEAF_DOUBLES_MOST);
	assert_int_equal(v.nans, 1);
	assert_int_equal(v.infinite[0], 1);
	assert_int_equal(v.infinite[1], 1);
	assert_int_equal(v.zeros, SHEAF_DOUBLES_MOST - 6);
	assert_true(v.most == 1e300 && v.least == 0);
}

static float made_unit(int kind)
{
	static const float odd[] = {NAN, INFINITY, -INFINITY, 16384.01f, -16385, 0x1.fffffep-18f, -0x1p-17f};
	if (kind == 4) return odd[random_below((int64_t)COUNT(odd))];
	if (kind == 5) return (float)(random_below(2001) - 1000) / 131072; /* halves of what is rounded to */
	return made_value(kind == 3 ? 2 : kind);
}

/* Groups of samples give the same as single values. */
static void test_samples_of_patterns_at_once(void **state)
{
	(void)state;
	enum { MOST_UNITS = 600, MOST_ROWS = 40 };
	static const int64_t units[] = {1, 3, 4, 255, 256, 259, MOST_UNITS}, rows[] = {1, 2, 16, 17, MOST_ROWS};
	static float values[MOST_UNITS * MOST_ROWS];
	seed_random(31);
	for (int kind = 0; kind < 6; kind++)
		for (size_t i = 0; i < COUNT(units) * COUNT(rows); i++) {
			struct sheaf_pattern_cell at_once[MOST_UNITS] = {{0}}, alone[MOST_UNITS] = {{0}};
			int64_t n = units[i % COUNT(units)], all = n * rows[i / COUNT(units)];
			for (int64_t k = 0; k < all; k++) values[k] = made_unit(kind == 4 && k % 900 ? 3 : kind);
			if (kind == 3) values[0] = 16384, values[all - 1] = -16384;
			sheaf_pattern_add_all(at_once, values, n, all / n);
			for (int64_t k = 0; k < all; k++) sheaf_pattern_add(&alone[k % n], (double)values[k]);
			assert_memory_equal(at_once, alone, sizeof alone);
		}
}

/* Against batches drawn one by one. */
static void test_padding(void **state)
{
	(void)state;
	enum { BATCH = 8, DRAWS = 20000 };
	sheaf_length_counts h = {0};
	double wide = 0, held = 0;
	seed_random(9);
	for (int64_t l = 1; l <= 30; l++) assert_ok(sheaf_length_counts_add(&h, l, 1, cx, &err));
	for (int i = 0; i < DRAWS; i++) {
		int64_t most = 0;
		for (int k = 0; k < BATCH; k++) {
			int64_t l = 1 + random_below(30);
			held += (double)l;
			if (l > most) most = l;
		}
		wide += (double)most * BATCH;
	}
	assert_true(fabs(sheaf_padding_at_random(&h, BATCH) - (1 - held / wide)) < 0.005);
	assert_true(sheaf_padding_at_random(&h, 1) < 1e-12);
	assert_true(sheaf_padding_in_buckets(&h, 1) < 1e-12);
	/* 1 to 30 in tens: 10, 20 and 30 wide. */
	assert_true(fabs(sheaf_padding_in_buckets(&h, 10) - (1 - 465.0 / 600)) < 1e-12);
	sheaf_length_counts_free(&h, cx);
}

/* ---- items ---- */

static void add_words(sheaf_frequent *f, int from, int to, int step)
{
	for (int i = from; i < to; i += step) {
		char word[16];
		int n = snprintf(word, sizeof word, "word %d", i);
		sheaf_frequent_add(f, word, (size_t)n, i % 7 == 0 ? 2 : 1);
	}
}

static void test_items_are_all_counted_while_there_is_room(void **state)
{
	(void)state;
	sheaf_frequent f;
	const sheaf_item_count *most[3];
	bool exact;
	assert_ok(sheaf_frequent_begin(&f, cx, &err));
	add_words(&f, 0, 4000, 1);
	assert_int_equal(sheaf_frequent_distinct(&f, &exact), 4000);
	assert_true(exact);
	assert_int_equal(sheaf_frequent_most(&f, most, 3), 3);
	assert_int_equal(most[0]->count, 2);
	assert_memory_equal(most[0]->bytes, "word 0", 6);
	sheaf_frequent_free(&f, cx);
}

static void test_items_do_not_depend_on_order(void **state)
{
	(void)state;
	sheaf_frequent whole, odd, even;
	const sheaf_item_count *a[20], *b[20];
	bool exact;
	assert_ok(sheaf_frequent_begin(&whole, cx, &err));
	assert_ok(sheaf_frequent_begin(&odd, cx, &err));
	assert_ok(sheaf_frequent_begin(&even, cx, &err));
	add_words(&whole, 0, 60000, 1);
	add_words(&odd, 1, 60000, 2);
	add_words(&even, 0, 60000, 2);
	sheaf_frequent_merge(&odd, &even);
	int64_t distinct = sheaf_frequent_distinct(&whole, &exact);
	assert_false(exact);
	assert_true(distinct > 54000 && distinct < 66000);
	assert_int_equal(sheaf_frequent_distinct(&odd, &exact), distinct);
	assert_int_equal(whole.halvings, odd.halvings);
	assert_int_equal(sheaf_frequent_most(&whole, a, 20), 20);
	assert_int_equal(sheaf_frequent_most(&odd, b, 20), 20);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(a[i]->count, b[i]->count);
		assert_memory_equal(a[i]->bytes, b[i]->bytes, a[i]->size);
	}
	sheaf_frequent_free(&whole, cx);
	sheaf_frequent_free(&odd, cx);
	sheaf_frequent_free(&even, cx);
}

static void assert_same_items(const sheaf_frequent *a, const sheaf_frequent *b)
{
	enum { MOST = 5000 };
	static const sheaf_item_count *one[MOST], *other[MOST];
	int n = sheaf_frequent_most(a, one, MOST);
	assert_int_equal(a->halvings, b->halvings);
	assert_int_equal(sheaf_frequent_most(b, other, MOST), n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(one[i]->count, other[i]->count);
		assert_int_equal(one[i]->low, other[i]->low);
		assert_int_equal(one[i]->high, other[i]->high);
		assert_int_equal(one[i]->size, other[i]->size);
		assert_memory_equal(one[i]->bytes, other[i]->bytes, one[i]->size);
	}
}

/* Many items at once give the same as single ones: few different ones, and more than are kept. */
static void test_items_at_once(void **state)
{
	(void)state;
	enum { AT_ONCE = SHEAF_FREQUENT_AT_ONCE };
	static const int64_t different[] = {3, 4000, 100000};
	seed_random(33);
	for (size_t i = 0; i < COUNT(different); i++) {
		sheaf_frequent f[4];
		for (int k = 0; k < 4; k++) assert_ok(sheaf_frequent_begin(&f[k], cx, &err));
		for (int round = 0; round < 200; round++) {
			double values[AT_ONCE];
			char words[AT_ONCE][40];
			sheaf_some_bytes texts[AT_ONCE];
			for (int k = 0; k < AT_ONCE; k++) {
				int64_t item = random_below(different[i]);
				values[k] = (double)item / 3;
				int size = snprintf(words[k], sizeof *words, "%.*s%d", (int)(item % 20),
				                    "a word of twenty b.", (int)item);
				texts[k] = (sheaf_some_bytes){words[k], (size_t)size};
				sheaf_frequent_add(&f[1], &values[k], sizeof values[k], 1);
				sheaf_frequent_add(&f[3], texts[k].data, texts[k].size, 1);
			}
			sheaf_frequent_add_doubles(&f[0], values, AT_ONCE);
			sheaf_frequent_add_texts(&f[2], texts, AT_ONCE);
		}
		assert_same_items(&f[0], &f[1]);
		assert_same_items(&f[2], &f[3]);
		for (int k = 0; k < 4; k++) sheaf_frequent_free(&f[k], cx);
	}
}

/* ---- rasters ---- */

/* The last of 2^63 columns is in the last cell of its line, and not in the first one of the next, which for
 * the last line is none. */
static void test_raster_of_most_columns(void **state)
{
	(void)state;
	enum { LAST = SHEAF_RASTER_SIDE - 1 };
	static const int64_t columns[] = {INT64_MAX, INT64_MAX - 1, (int64_t)1 << 62, ((int64_t)1 << 53) + 1};
	for (size_t i = 0; i < COUNT(columns); i++) {
		sheaf_raster r;
		assert_ok(sheaf_raster_begin(&r, columns[i], cx, &err));
		sheaf_raster_add(&r, LAST, columns[i] - 1, 2);
		sheaf_raster_add(&r, LAST, 0, 1);
		int64_t x = (columns[i] - 1) / r.columns_to_a_cell, line = (int64_t)LAST * SHEAF_RASTER_SIDE;
		assert_int_equal(r.counts[line + x], 1);
		assert_int_equal(r.counts[line], 1);
		sheaf_raster_free(&r, cx);
	}
}

static void test_rasters_do_not_depend_on_order(void **state)
{
	(void)state;
	enum { ROWS = 3000, COLUMNS = 900, SIDE = SHEAF_RASTER_SIDE };
	sheaf_raster whole, first, rest;
	seed_random(4);
	assert_ok(sheaf_raster_begin(&whole, COLUMNS, cx, &err));
	assert_ok(sheaf_raster_begin(&first, COLUMNS, cx, &err));
	assert_ok(sheaf_raster_begin(&rest, COLUMNS, cx, &err));
	int64_t *naive = calloc(SIDE * SIDE, sizeof *naive);
	assert_non_null(naive);
	for (int i = 0; i < 20000; i++) {
		int64_t row = random_below(ROWS), column = random_below(COLUMNS);
		double value = (double)random_below(100) - 50;
		sheaf_raster_add(&whole, row, column, value);
		sheaf_raster_add(row < 300 ? &first : &rest, row, column, value);
		naive[row / 8 * SIDE + column / 2]++; /* 3000 rows want 8 to a cell, 900 columns 2 */
	}
	sheaf_raster_reach(&whole, ROWS);
	sheaf_raster_reach(&first, ROWS);
	sheaf_raster_merge(&first, &rest);
	assert_int_equal(whole.rows_to_a_cell, 8);
	assert_int_equal(sheaf_raster_height(&whole), 375);
	assert_int_equal(sheaf_raster_width(&whole), 450);
	assert_memory_equal(whole.counts, naive, SIDE * SIDE * sizeof *naive);
	assert_memory_equal(first.counts, whole.counts, SIDE * SIDE * sizeof *naive);
	assert_memory_equal(first.magnitudes, whole.magnitudes, SIDE * SIDE * sizeof *whole.magnitudes);
	free(naive);
	sheaf_raster_free(&whole, cx);
	sheaf_raster_free(&first, cx);
	sheaf_raster_free(&rest, cx);
}

/* ---- whole summaries ---- */

static const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON};

static table streams_of(int64_t rows)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	table t = {.cx = cx};
	assert_ok(sheaf_schema_add_dense(&schema, "d<b>", 2, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, "s\x01&\"", 5000, SHEAF_F64, &err));
	assert_ok(sheaf_schema_add_dense(&schema, "label", 1, SHEAF_F32, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	seed_random(7);
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t k = random_below(9); k >= 0; k--) {
			int64_t indices[] = {random_below(5000), random_below(50)};
			double values[] = {(double)random_below(1000) / 7 - 50, r % 50 ? 1 : NAN};
			sheaf_build_dense(b, 0, (float[]){(float)random_below(9), k == 3 ? INFINITY : -1.5f}, 1);
			sheaf_build_sparse(b, 1, indices, values, 2);
		}
		sheaf_build_dense(b, 2, &(float){(float)(r % 10)}, 1);
		sheaf_build_row(b);
	}
	assert_ok(sheaf_frame_builder_take(b, &t.frame, &err));
	sheaf_frame_builder_free(b);
	t.schema = schema;
	return t;
}

static sheaf_buffer page_of(const sheaf_summary *summary)
{
	sheaf_buffer page = {0};
	sheaf_fact card[] = {{"file", "</script><b>&\u202e\u2066\u200f\u061c\u05d0"}};
	sheaf_page_options options = {.title = "a <title>", .card = card, .ncard = 1, .rows = "<i>"};
	assert_ok(sheaf_summary_page(summary, &options, &page, &err));
	return page;
}

static sheaf_summary *summary_of(const table *t, int64_t from, int64_t to)
{
	sheaf_summary *summary;
	sheaf_frame part = {0};
	assert_ok(sheaf_summary_new(&t->schema, cx, &summary, &err));
	assert_ok(sheaf_frame_slice(&t->frame, from, to, &part, &err));
	assert_ok(sheaf_summary_add(summary, &part, from, &err));
	sheaf_frame_free(&part);
	return summary;
}

/* Seven parts in any order are the whole. */
static void test_parts_are_the_whole(void **state)
{
	(void)state;
	enum { ROWS = 1400, PARTS = 7 };
	static const int order[PARTS] = {4, 0, 6, 2, 5, 1, 3};
	table t = streams_of(ROWS);
	sheaf_summary *whole = summary_of(&t, 0, ROWS), *merged;
	assert_ok(sheaf_summary_new(&t.schema, cx, &merged, &err));
	for (int i = 0; i < PARTS; i++) {
		sheaf_summary *part = summary_of(&t, order[i] * ROWS / PARTS, (order[i] + 1) * ROWS / PARTS);
		assert_ok(sheaf_summary_merge(merged, part, &err));
		sheaf_summary_free(part);
	}
	sheaf_buffer a = page_of(whole), b = page_of(merged), text = {0};
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	assert_ok(sheaf_summary_text(whole, &as_json, &text, &err));
	assert_true(is_json((const char *)text.data, text.size));
	sheaf_buffer_reset(&a);
	sheaf_buffer_reset(&b);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(whole);
	sheaf_summary_free(merged);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

/* ---- as bytes ---- */

static sheaf_buffer saved(const sheaf_summary *summary)
{
	sheaf_buffer bytes = {0};
	assert_ok(sheaf_summary_save(summary, &bytes, &err));
	return bytes;
}

static void assert_same_page(const sheaf_summary *one, const sheaf_summary *other)
{
	sheaf_buffer a = page_of(one), b = page_of(other);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	sheaf_buffer_reset(&a);
	sheaf_buffer_reset(&b);
}

/* What was saved and loaded is as it was, also for adding up. */
static void test_saved_and_loaded(void **state)
{
	(void)state;
	enum { ROWS = 900, HALF = 400 };
	table t = streams_of(ROWS);
	sheaf_summary *whole = summary_of(&t, 0, ROWS), *first = summary_of(&t, 0, HALF),
				  *rest = summary_of(&t, HALF, ROWS), *loaded[2];
	sheaf_buffer bytes[2] = {saved(first), saved(rest)}, all = saved(whole), again;
	for (int i = 0; i < 2; i++)
		assert_ok(sheaf_summary_load(bytes[i].data, bytes[i].size, cx, &loaded[i], &err));
	assert_same_page(first, loaded[0]);
	assert_ok(sheaf_summary_merge(loaded[1], loaded[0], &err));
	assert_same_page(whole, loaded[1]);
	assert_ok(sheaf_summary_merge(rest, loaded[0], &err));
	again = saved(rest);
	assert_int_equal(again.size, all.size);
	assert_memory_equal(again.data, all.data, all.size);
	for (int i = 0; i < 2; i++) sheaf_buffer_reset(&bytes[i]), sheaf_summary_free(loaded[i]);
	sheaf_buffer_reset(&all), sheaf_buffer_reset(&again);
	sheaf_summary_free(whole), sheaf_summary_free(first), sheaf_summary_free(rest);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

static void put_hash(uint8_t *data, size_t size)
{
	uint64_t hash = sheaf_xxhash(data, size - 8, 3).low;
	for (int i = 0; i < 8; i++) data[size - 8 + (size_t)i] = (uint8_t)(hash >> 8 * i);
}

/* Any bytes are refused, or make a summary that can be shown, saved and added up. */
static void test_changed_bytes(void **state)
{
	(void)state;
	enum { CHANGES = 600 };
	table t = streams_of(30);
	sheaf_summary *summary = summary_of(&t, 0, 30), *loaded;
	sheaf_buffer bytes = saved(summary);
	int refused = 0;
	uint8_t *changed = malloc(bytes.size);
	assert_non_null(changed);
	assert_status(SHEAF_DATA, sheaf_summary_load(bytes.data, bytes.size - 1, cx, &loaded, &err));
	assert_message("expected bytes that match its hash");
	assert_null(loaded);
	assert_status(SHEAF_DATA, sheaf_summary_load("sheaf", 5, cx, &loaded, &err));
	memcpy(changed, bytes.data, bytes.size);
	changed[8] = 9;
	assert_status(SHEAF_UNSUPPORTED, sheaf_summary_load(changed, bytes.size, cx, &loaded, &err));
	for (size_t cut = 20; cut < bytes.size; cut += 1 + bytes.size / 100) {
		memcpy(changed, bytes.data, cut);
		put_hash(changed, cut);
		assert_status(SHEAF_DATA, sheaf_summary_load(changed, cut, cx, &loaded, &err));
		assert_null(loaded);
	}
	seed_random(5);
	for (int i = 0; i < CHANGES; i++) {
		memcpy(changed, bytes.data, bytes.size);
		size_t near = i % 2 ? 400 : bytes.size - 8;
		for (int64_t k = random_below(3); k >= 0; k--)
			changed[12 + random_below((int64_t)near - 12)] = (uint8_t)next_random();
		put_hash(changed, bytes.size);
		sheaf_status status = sheaf_summary_load(changed, bytes.size, cx, &loaded, &err);
		refused += status != SHEAF_OK;
		if (status) continue;
		sheaf_buffer again = saved(loaded);
		assert_ok(sheaf_summary_merge(loaded, loaded, &err));
		sheaf_buffer_reset(&again);
		again = page_of(loaded);
		sheaf_buffer_reset(&again);
		sheaf_summary_free(loaded);
	}
	assert_true(refused > CHANGES / 20 && refused < CHANGES);
	free(changed);
	sheaf_buffer_reset(&bytes);
	sheaf_summary_free(summary);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

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
	sheaf_draw_dots(&b, &grid, &dots);
	assert_drawn("    \u250c\u2500\u2500\u2510\n    \u2502\u2811\u2804\u2502\n"
	             "    \u2502\u2800\u2801\u2502\n    \u2514\u2500\u2500\u2518\n",
	             &b);
	sheaf_draw_dots(&b, &grid, &plain);
	assert_drawn("    +--+\n    |:.|\n    | .|\n    +--+\n", &b);
	sheaf_draw_shades(&b, &grid, 4, &plain);
	assert_drawn("    +---+\n    |:: |\n    |  :|\n    |  @|\n    +---+\n", &b);
	sheaf_draw_shades(&b, &grid, 4, &colours);
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
		assert_ok(sheaf_draw_raster(&b, &r, &drawing, cx, &err));
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

static bool has(const sheaf_buffer *page, const char *text)
{
	return memmem(page->data, page->size, text, strlen(text)) != NULL;
}

static void test_names_are_text(void **state)
{
	(void)state;
	table t = streams_of(20);
	sheaf_summary *summary = summary_of(&t, 0, 20);
	sheaf_buffer page = page_of(summary);
	assert_true(has(&page, "<bdi>d&lt;b&gt;</bdi>"));
	assert_true(has(&page, "<bdi>s\xef\xbf\xbd&amp;&quot;</bdi>"));
	assert_true(has(&page, "&lt;/script&gt;&lt;b&gt;&amp;\ufffd\ufffd\ufffd\ufffd\u05d0<"));
	assert_true(has(&page, "\"name\":\"d\\u003cb>\""));
	assert_true(has(&page, "<title>a &lt;title&gt;</title>"));
	assert_true(has(&page, "<pre>&lt;i&gt;</pre>"));
	assert_false(has(&page, "<b>"));
	assert_false(has(&page, "style=\""));
	assert_false(has(&page, "http:"));
	sheaf_buffer_reset(&page);
	sheaf_summary_free(summary);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

/* Whatever a name contains, the page has no markup from it, no control characters, and only UTF-8. */
static void test_any_text_is_text(void **state)
{
	(void)state;
	static const char *const parts[] = {
		"<",        ">",    "&",    "\"",   "'",        "</script>", "]]>",      "<!--",  "\xe2\x80\xae",
		"\xd8\x9c", "\xff", "\x00", "\x1b", "\xc3\xa9", "a",         "\xe2\x80", "&amp;", "\xed\xa0\x80"};
	seed_random(11);
	for (int i = 0; i < 3000; i++) {
		sheaf_builder b;
		sheaf_buffer out = {0};
		char text[128];
		size_t n = 0;
		for (int64_t k = random_below(12); k >= 0; k--) {
			const char *part = parts[random_below(COUNT(parts))];
			size_t size = *part ? strlen(part) : 1;
			memcpy(text + n, part, size);
			n += size;
		}
		sheaf_builder_begin(&b, cx, NULL);
		sheaf_html_text(&b, text, n);
		assert_ok(sheaf_builder_finish(&b, &out, &err));
		assert_true(sheaf_is_utf8(out.data, out.size));
		for (size_t at = 0; at < out.size; at++) {
			assert_null(memchr("<>\"'", out.data[at], 4));
			assert_true(out.data[at] >= ' ' && out.data[at] != 0x7f);
			if (out.data[at] == '&')
				assert_non_null(memchr(out.data + at, ';', out.size - at < 7 ? out.size - at : 7));
		}
		assert_null(memmem(out.data, out.size, "\xe2\x80\xae", 3));
		sheaf_buffer_reset(&out);
	}
}

/* Entries of a matrix, structure and all, in seven parts of which three go through bytes. */
static void test_parts_of_a_matrix(void **state)
{
	(void)state;
	enum { N = 700, PARTS = 7 };
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	sheaf_summary *whole, *merged = NULL;
	table t = {.cx = cx};
	sheaf_tensor tensor = {.rank = 2, .shape = {3000, 3000}, .structure = SHEAF_SYMMETRIC_LOWER};
	assert_ok(sheaf_schema_add_entries(&schema, &tensor, SHEAF_NUMBER, SHEAF_F64, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	seed_random(21);
	for (int i = 0; i < N; i++) {
		int64_t row = random_below(3000), column = random_below(row + 1);
		sheaf_build_integer(b, 0, row);
		sheaf_build_integer(b, 1, column);
		sheaf_build_number(b, 2, (double)random_below(9) - 4);
		sheaf_build_row(b);
	}
	assert_ok(sheaf_frame_builder_take(b, &t.frame, &err));
	sheaf_frame_builder_free(b);
	t.schema = schema;
	whole = summary_of(&t, 0, N);
	for (int i = PARTS - 1; i >= 0; i--) {
		sheaf_summary *part = summary_of(&t, i * N / PARTS, (i + 1) * N / PARTS);
		if (i % 3 == 0) {
			sheaf_buffer bytes = saved(part);
			sheaf_summary_free(part);
			assert_ok(sheaf_summary_load(bytes.data, bytes.size, cx, &part, &err));
			sheaf_buffer_reset(&bytes);
		}
		if (merged) {
			assert_ok(sheaf_summary_merge(merged, part, &err));
			sheaf_summary_free(part);
		} else {
			merged = part;
		}
	}
	assert_same_page(whole, merged);
	assert_int_equal(whole->entries, 2 * N - whole->band.diagonal);
	assert_int_equal(whole->band.lower, whole->band.upper);
	sheaf_summary_free(whole);
	sheaf_summary_free(merged);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

static void test_cells(void **state)
{
	(void)state;
	sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
	sheaf_frame_builder *b;
	table t = {.cx = cx};
	sheaf_buffer text = {0};
	assert_ok(sheaf_schema_add_column(&schema, "n", SHEAF_NUMBER, SHEAF_I32, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_schema_add_column(&schema, "t", SHEAF_STRING, SHEAF_U8, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	for (int i = 0; i < 9; i++) {
		if (i % 3 == 0)
			sheaf_build_missing(b, 0, i ? 2 : 0);
		else
			sheaf_build_integer(b, 0, i % 2);
		sheaf_build_text(b, 1, "abcdefgh", (size_t)(i % 2 ? 3 : 8));
		sheaf_build_row(b);
	}
	assert_ok(sheaf_frame_builder_take(b, &t.frame, &err));
	sheaf_frame_builder_free(b);
	t.schema = schema;
	sheaf_summary *summary = summary_of(&t, 0, 9);
	assert_ok(sheaf_summary_text(summary, &as_json, &text, &err));
	assert_true(has(&text, "\"coded\":2,\"codes\":[[2,2]],\"missing\":3"));
	assert_true(has(&text, "\"distinct\":2,\"items\":\"exact\",\"most_frequent\":[[\"0\",3],[\"1\",3]]"));
	assert_true(has(&text, "\"most_frequent\":[[\"abcdefgh\",5],[\"abc\",4]]"));
	sheaf_buffer_reset(&text);
	sheaf_summary_free(summary);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

/* What would take too much memory is left out, and the page says so. */
static void test_what_is_left_out(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	table t = {.cx = cx};
	sheaf_buffer text = {0};
	int n = SHEAF_PICTURED_FIELDS + 1;
	assert_ok(sheaf_schema_add_sparse(&schema, "wide", SHEAF_MOST_USES + 1, SHEAF_F32, &err));
	for (int f = 1; f < n; f++) {
		char name[16];
		snprintf(name, sizeof name, "f%d", f);
		assert_ok(sheaf_schema_add_dense(&schema, name, 1, SHEAF_F32, &err));
	}
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	sheaf_build_sparse(b, 0, (int64_t[]){SHEAF_MOST_USES}, (float[]){1}, 1);
	for (int f = 1; f < n; f++) sheaf_build_dense(b, f, &(float){2.5f}, 1);
	sheaf_build_row(b);
	assert_ok(sheaf_frame_builder_take(b, &t.frame, &err));
	sheaf_frame_builder_free(b);
	t.schema = schema;
	sheaf_summary *summary = summary_of(&t, 0, 1);
	sheaf_buffer page = page_of(summary);
	assert_true(has(&page, "There are too many to count each of them."));
	assert_true(
		has(&page, "Only the first 32 fields have histograms of values, and as many as memory allows."));
	assert_ok(sheaf_summary_text(summary, &as_json, &text, &err));
	assert_false(has(&text, "never_used"));
	uint8_t *last = memmem(text.data, text.size, "\"name\":\"f32\"", 12);
	assert_non_null(last);
	sheaf_buffer rest = {last, text.size - (size_t)(last - text.data), NULL};
	assert_true(has(&rest, "\"mean\":2.5"));
	assert_false(has(&rest, "quantiles\":\"of bins"));
	sheaf_page_options bad = {.size = 1, .title = "a"};
	assert_status(SHEAF_USAGE, sheaf_summary_page(summary, &bad, &page, &err));
	assert_message("page options: expected size");
	sheaf_buffer_reset(&text);
	sheaf_buffer_reset(&page);
	sheaf_summary_free(summary);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

static void test_what_cannot_be_summed_up(void **state)
{
	(void)state;
	table t = streams_of(3), u = streams_of(3);
	sheaf_summary *a = summary_of(&t, 0, 3), *b;
	sheaf_buffer out = {0};
	u.schema.fields[0].meaning = SHEAF_NUMBER;
	assert_status(SHEAF_USAGE, sheaf_summary_new(NULL, cx, &b, &err));
	assert_null(b);
	assert_status(SHEAF_USAGE, sheaf_summary_add(a, &t.frame, -1, &err));
	assert_status(SHEAF_USAGE, sheaf_summary_merge(a, NULL, &err));
	sheaf_schema other = {.cx = cx};
	assert_ok(sheaf_schema_add_dense(&other, "x", 1, SHEAF_F32, &err));
	assert_ok(sheaf_summary_new(&other, cx, &b, &err));
	assert_status(SHEAF_USAGE, sheaf_summary_merge(a, b, &err));
	assert_status(SHEAF_USAGE, sheaf_summary_page(a, NULL, &out, &err));
	sheaf_summary_free(a);
	sheaf_summary_free(b);
	sheaf_summary_free(NULL);
	sheaf_schema_free(&other);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
	sheaf_frame_free(&u.frame);
	sheaf_schema_free(&u.schema);
}

/* ---- examples ---- */

/* Sequences of two streams, whose values are small numbers, so that some inputs come again. */
static table examples_of(int64_t rows, const char *input, const char *target)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	table t = {.cx = cx};
	assert_ok(sheaf_schema_add_dense(&schema, input, 3, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, target, 9, SHEAF_F32, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t k = random_below(2); k >= 0; k--) {
			float units[] = {(float)random_below(2), (float)random_below(2), (float)random_below(2) - 0.5f};
			sheaf_build_dense(b, 0, units, 1);
			sheaf_build_sparse(b, 1, (int64_t[]){random_below(2)}, (float[]){1}, 1);
		}
		sheaf_build_row(b);
	}
	assert_ok(sheaf_frame_builder_take(b, &t.frame, &err));
	sheaf_frame_builder_free(b);
	t.schema = schema;
	return t;
}

static bool is_same(const table *t, int column, int64_t a, int64_t b)
{
	const sheaf_column *c = &t->frame.columns[column];
	const int64_t *offsets = sheaf_level_offsets(&c->levels[0]);
	int64_t n = offsets[a + 1] - offsets[a], size = column ? 1 : 3;
	const float *values = (const float *)(const void *)c->values.data;
	if (offsets[b + 1] - offsets[b] != n) return false;
	for (int64_t i = 0; i < n * size; i++) {
		bool same = column ? sheaf_level_index(&c->levels[1], 0, offsets[a] + i) ==
		                         sheaf_level_index(&c->levels[1], 0, offsets[b] + i)
		                   : values[offsets[a] * 3 + i] == values[offsets[b] * 3 + i];
		if (!same) return false;
	}
	return true;
}

/* Each row against each other one. */
static void assert_contradictions(const table *t, const sheaf_summary *s)
{
	int64_t rows = 0, inputs = 0, different = 0;
	for (int64_t a = 0; a < t->frame.nrows; a++) {
		bool known = false, contradicts = false;
		for (int64_t b = 0; b < t->frame.nrows; b++) {
			if (!is_same(t, 0, a, b)) continue;
			known = known || b < a;
			contradicts = contradicts || !is_same(t, 1, a, b);
		}
		different += !known;
		rows += contradicts;
		inputs += contradicts && !known;
	}
	sheaf_contradicted found = sheaf_contradictions_count(&s->contradictions);
	assert_true(found.exact);
	assert_int_equal(found.different, different);
	assert_int_equal(found.inputs, inputs);
	assert_int_equal(found.rows, rows);
	const sheaf_same_inputs *pairs[3];
	int n = sheaf_contradictions_first(&s->contradictions, pairs, 3);
	assert_int_equal(n, inputs < 3 ? inputs : 3);
	for (int i = 0; i < n; i++) {
		assert_true(pairs[i]->first < pairs[i]->other);
		assert_true(is_same(t, 0, pairs[i]->first, pairs[i]->other));
		assert_false(is_same(t, 1, pairs[i]->first, pairs[i]->other));
		if (i) assert_true(pairs[i - 1]->first < pairs[i]->first);
	}
}

static void test_contradictions(void **state)
{
	(void)state;
	seed_random(31);
	for (int i = 0; i < 30; i++) {
		int64_t rows = 1 + random_below(90);
		table t = examples_of(rows, "a.input", "a.target");
		sheaf_summary *whole = summary_of(&t, 0, rows), *rest = summary_of(&t, rows / 3, rows),
					  *first = summary_of(&t, 0, rows / 3);
		assert_contradictions(&t, whole);
		assert_ok(sheaf_summary_merge(rest, first, &err));
		assert_contradictions(&t, rest);
		sheaf_buffer a = saved(whole), b = saved(rest);
		assert_int_equal(a.size, b.size);
		assert_memory_equal(a.data, b.data, a.size);
		sheaf_summary_free(first);
		assert_ok(sheaf_summary_load(a.data, a.size, cx, &first, &err));
		assert_contradictions(&t, first);
		assert_same_page(first, whole);
		sheaf_buffer_reset(&a), sheaf_buffer_reset(&b);
		sheaf_summary_free(whole), sheaf_summary_free(rest), sheaf_summary_free(first);
		sheaf_frame_free(&t.frame);
		sheaf_schema_free(&t.schema);
	}
}

/* More inputs than are kept: a sample of them, the same in any order. */
static void test_contradictions_of_a_sample(void **state)
{
	(void)state;
	enum { INPUTS = 60000 };
	sheaf_contradictions c[2];
	for (int k = 0; k < 2; k++) {
		assert_ok(sheaf_contradictions_begin(&c[k], cx, &err));
		for (int64_t i = 0; i < 2 * INPUTS; i++) {
			int64_t row = k ? 2 * INPUTS - 1 - i : i, input = row % INPUTS;
			sheaf_digest inputs = sheaf_xxhash(&input, sizeof input, 0);
			sheaf_same_inputs one = {.low = inputs.low,
			                         .high = inputs.high,
			                         .targets = (uint64_t)(input % 5 == 0 && row >= INPUTS),
			                         .count = 1,
			                         .first = row,
			                         .other = -1};
			sheaf_contradictions_add(&c[k], &one);
		}
	}
	sheaf_contradicted a = sheaf_contradictions_count(&c[0]), b = sheaf_contradictions_count(&c[1]);
	assert_false(a.exact);
	assert_true(a.different == b.different && a.inputs == b.inputs && a.rows == b.rows);
	assert_true((double)a.different > INPUTS * 0.95 && (double)a.different < INPUTS * 1.05);
	assert_true((double)a.inputs > INPUTS * 0.18 && (double)a.inputs < INPUTS * 0.22 &&
	            a.rows == 2 * a.inputs);
	for (int k = 0; k < 2; k++) sheaf_contradictions_free(&c[k], cx);
}

static void test_targets_that_are_given(void **state)
{
	(void)state;
	table t = examples_of(60, "x", "y");
	sheaf_summary *s;
	assert_ok(sheaf_summary_new(&t.schema, cx, &s, &err));
	assert_null(s->contradictions.slots);
	assert_status(SHEAF_USAGE, sheaf_summary_target(s, "yy", &err));
	assert_message("expected a stream of the dataset, found \"yy\"; did you mean y?");
	assert_ok(sheaf_summary_target(s, "y", &err));
	assert_ok(sheaf_summary_add(s, &t.frame, 0, &err));
	assert_contradictions(&t, s);
	assert_status(SHEAF_USAGE, sheaf_summary_target(s, "x", &err));
	sheaf_summary_free(s);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

static void test_units(void **state)
{
	(void)state;
	enum { ROWS = 80 };
	table t = examples_of(ROWS, "inputs", "targets");
	sheaf_summary *s = summary_of(&t, 0, ROWS);
	const sheaf_column *column = &t.frame.columns[0];
	const int64_t *offsets = sheaf_level_offsets(&column->levels[0]);
	const float *values = (const float *)(const void *)column->values.data;
	double sums[2][3] = {{0}}, counts[2] = {0};
	for (int64_t r = 0; r < ROWS; r++)
		for (int64_t p = offsets[r]; p < offsets[r + 1]; p++) {
			counts[p - offsets[r]]++;
			for (int u = 0; u < 3; u++) sums[p - offsets[r]][u] += values[p * 3 + u];
		}
	for (int e = 0; e < 2; e++)
		for (int u = 0; u < 3; u++)
			assert_true(sheaf_pattern_mean(&s->fields[0].pattern, e, u) == sums[e][u] / counts[e]);
	sheaf_buffer page = page_of(s);
	assert_true(has(&page, "The mean of each of 3 units, row by row, 2 in each"));
	assert_true(has(&page, "The same event by event"));
	assert_true(has(&page, "Each sample names one of 9 units"));
	assert_true(has(&page, "<h2>Contradictions</h2>"));
	sheaf_buffer_reset(&page);
	sheaf_summary_free(s);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

static void test_names_of_indices(void **state)
{
	(void)state;
	table t = examples_of(40, "in", "words");
	sheaf_summary *s = summary_of(&t, 0, 40);
	sheaf_buffer text = {0};
	sheaf_source *source;
	static const char names[] = "<none>\r\nthe & \"and\"";
	sheaf_bytes bytes = {(const uint8_t *)names, sizeof names - 1};
	assert_ok(sheaf_source_memory(bytes, "names", cx, &source, &err));
	assert_status(SHEAF_USAGE, sheaf_summary_names(s, "word", source, &err));
	assert_message("did you mean words?");
	assert_ok(sheaf_summary_names(s, "words", source, &err));
	sheaf_source_close(source);
	assert_ok(sheaf_summary_text(s, &as_json, &text, &err));
	assert_true(has(&text, "\"<none>\"]"));
	assert_true(has(&text, "\"the & \\\"and\\\"\"]"));
	assert_ok(sheaf_summary_text(s, NULL, &text, &err));
	assert_true(has(&text, "  most used: "));
	sheaf_buffer page = page_of(s);
	assert_true(has(&page, "<bdi>&lt;none&gt;</bdi></th><td>"));
	assert_true(has(&page, "<bdi>the &amp; &quot;and&quot;</bdi>"));
	sheaf_buffer_reset(&page);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(s);
	sheaf_frame_free(&t.frame);
	sheaf_schema_free(&t.schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_do_not_depend_on_order),
		cmocka_unit_test(test_sums_keep_what_doubles_lose),
		cmocka_unit_test(test_variance_without_cancellation),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_value_bins_are_in_order),
		cmocka_unit_test(test_values_in_groups),
		cmocka_unit_test(test_values_that_no_group_has),
		cmocka_unit_test(test_samples_of_patterns_at_once),
		cmocka_unit_test(test_doubles_at_once),
		cmocka_unit_test(test_doubles_that_are_no_numbers),
		cmocka_unit_test(test_items_at_once),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_items_are_all_counted_while_there_is_room),
		cmocka_unit_test(test_items_do_not_depend_on_order),
		cmocka_unit_test(test_raster_of_most_columns),
		cmocka_unit_test(test_rasters_do_not_depend_on_order),
		cmocka_unit_test(test_parts_are_the_whole),
		cmocka_unit_test(test_saved_and_loaded),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_lines_of_blocks),
		cmocka_unit_test(test_dots_and_shades),
		cmocka_unit_test(test_spy),
		cmocka_unit_test(test_rows_as_pictures),
		cmocka_unit_test(test_names_are_text),
		cmocka_unit_test(test_any_text_is_text),
		cmocka_unit_test(test_parts_of_a_matrix),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_what_is_left_out),
		cmocka_unit_test(test_what_cannot_be_summed_up),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_contradictions_of_a_sample),
		cmocka_unit_test(test_targets_that_are_given),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_names_of_indices),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
