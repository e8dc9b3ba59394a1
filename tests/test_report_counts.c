/* SPDX-License-Identifier: MIT */
/* What summaries count with: sums that are exact, bins of values, frequent items and rasters, all in any
 * order. */
#include "report/bars.h"
#include "report/summary/values.h"
#include "with_context.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
	bool exact = true;
	for (int64_t l = 1; l <= 100; l++) assert_ok(sheaf_length_counts_add(&h, l, 1, cx, &err));
	assert_true(sheaf_length_counts_quantile(&h, 0.5, &exact) == 50.5);
	assert_true(fabs(sheaf_length_counts_quantile(&h, 0.99, &exact) - 99.01) < 1e-9);
	assert_true(sheaf_length_counts_quantile(&h, 1, &exact) == 100);
	assert_true(exact);
	assert_int_equal(sheaf_length_counts_between(&h, 10, 20), 10);
	assert_ok(sheaf_length_counts_add(&h, 1000000, 300, cx, &err));
	int64_t bin = (int64_t)sheaf_length_counts_quantile(&h, 0.9, &exact);
	assert_false(exact);
	assert_true(bin <= 1000000 && sheaf_length_counts_next_bin(bin) > 1000000);
	assert_ok(sheaf_length_counts_add(&h, 9000000, 400, cx, &err));
	bin = (int64_t)sheaf_length_counts_quantile(&h, 0.9, &exact);
	assert_false(exact);
	assert_true(bin > 1000000 && bin < 9000000 && sheaf_length_counts_next_bin(bin) > 9000000);
	assert_int_equal(h.most, 9000000);
	assert_int_equal(h.n, 800);
	sheaf_length_counts_free(&h, cx);
}

/* Cells double as the range grows, in whatever steps it does. */
static void test_cells(void **state)
{
	(void)state;
	static int64_t counts[3][SHEAF_CELLS_KEPT];
	static const double ranges[] = {1, 1e-3, 1e5, 1e-300, 1e300};
	enum { N = 400, HALF = N / 2 };
	seed_random(31);
	for (size_t r = 0; r < COUNT(ranges); r++) {
		double values[N], least = INFINITY, most = -INFINITY;
		sheaf_cells cells[3] = {{counts[0]}, {counts[1]}, {counts[2]}};
		memset(counts, 0, sizeof counts);
		for (int i = 0; i < N; i++) values[i] = ranges[r] * ((double)random_below(2000001) / 1e6 - 0.3);
		for (int i = 0; i < N; i++) {
			least = fmin(least, values[i]);
			most = fmax(most, values[i]);
			sheaf_cells *part = &cells[1 + i / HALF];
			if (i % HALF == 0) least = most = values[i];
			sheaf_cells_reach(part, least, most);
			sheaf_cells_add(part, &values[i], 1);
		}
		for (int i = 0; i < N; i++) least = fmin(least, values[i]), most = fmax(most, values[i]);
		sheaf_cells_reach(&cells[0], least, most);
		sheaf_cells_add(&cells[0], values, N);
		sheaf_cells_reach(&cells[1], least, most);
		sheaf_cells_merge(&cells[1], &cells[2]);
		assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
		double edge = sheaf_cells_edge(&cells[0], 0);
		int64_t below = 0;
		for (int i = 0; i < N; i++) below += values[i] < edge;
		assert_int_equal(sheaf_cells_between(&cells[0], -INFINITY < least ? least : 0, edge), below);
	}
}

/* The sample of parts, in any order, is that of the whole; it has all values while there are few. */
static void test_samples(void **state)
{
	(void)state;
	enum { N = 3 * SHEAF_SAMPLE_ROOM };
	static sheaf_sampled rooms[3][SHEAF_SAMPLE_ROOM];
	sheaf_sample whole = {rooms[0]}, odd = {rooms[1]}, even = {rooms[2]};
	for (int i = 0; i < N; i++) {
		uint64_t key = sheaf_mix((uint64_t)i), hash = sheaf_place_hash(key, 0);
		sheaf_sample *part = i % 2 ? &odd : &even;
		if (sheaf_sample_takes(&whole, hash)) sheaf_sample_add(&whole, hash, i);
		if (sheaf_sample_takes(part, hash)) sheaf_sample_add(part, hash, i);
		if (i + 1 == SHEAF_SAMPLE_KEPT) assert_int_equal(whole.n, SHEAF_SAMPLE_KEPT);
	}
	sheaf_sample_merge(&odd, &even);
	sheaf_sample_trim(&whole);
	sheaf_sample_trim(&odd);
	assert_int_equal(whole.n, SHEAF_SAMPLE_KEPT);
	assert_memory_equal(rooms[0], rooms[1], SHEAF_SAMPLE_KEPT * sizeof **rooms);
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
	if (value < v->least) v->least = value == 0 ? 0 : value;
	if (value > v->most) v->most = value == 0 ? 0 : value;
	sheaf_exact_add(&v->sum, value);
	sheaf_exact_add_product(&v->squares, value, value);
	v->fractions += floor(value) != value;
	sheaf_cells_reach(&v->cells, v->least, v->most);
	sheaf_cells_add(&v->cells, &value, 1);
}

static void assert_same_counts(sheaf_value_counts v[2])
{
	assert_int_equal(v[0].n, v[1].n);
	assert_int_equal(v[0].zeros, v[1].zeros);
	assert_int_equal(v[0].negatives, v[1].negatives);
	assert_memory_equal(&v[0].least, &v[1].least, sizeof v[0].least);
	assert_memory_equal(&v[0].most, &v[1].most, sizeof v[0].most);
	assert_int_equal(v[0].fractions, v[1].fractions);
	assert_memory_equal(v[0].cells.counts, v[1].cells.counts, SHEAF_CELLS_KEPT * sizeof(int64_t));
	for (int k = 0; k < 2; k++) sheaf_exact_carry(&v[k].sum), sheaf_exact_carry(&v[k].squares);
	assert_memory_equal(v[0].sum.digits, v[1].sum.digits, sizeof v[0].sum.digits);
	assert_memory_equal(v[0].squares.digits, v[1].squares.digits, sizeof v[0].squares.digits);
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
	static int64_t counts[2][SHEAF_CELLS_KEPT];
	static const int sizes[] = {1, 7, 8, 9, 100, SHEAF_DOUBLES_MOST};
	double values[SHEAF_DOUBLES_MOST];
	seed_random(32);
	for (int kind = 0; kind < 6; kind++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			sheaf_value_counts v[2];
			memset(counts, 0, sizeof counts);
			for (int k = 0; k < 2; k++)
				v[k] = (sheaf_value_counts){.least = INFINITY, .most = -INFINITY, .cells = {counts[k]}};
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

/* What the bars of some values are: how many, on which axis, and the labels of the first and the last. */
static void test_bars_of_values(void **state)
{
	static const struct {
		double values[8];
		int n, bars;
		sheaf_axis axis;
		const char *first, *last;
	} rows[] = {
		{{0, 1, NAN, INFINITY, -INFINITY, -INFINITY}, 6, 5, SHEAF_AXIS_EQUAL, "-inf", "NaN"},
		{{0, 99, 3}, 3, 10, SHEAF_AXIS_EQUAL, "0 to 9", "90 to 99"},
		{{1, 2, 3}, 3, 3, SHEAF_AXIS_EQUAL, "1", "3"},
		{{0.5, 1.5}, 2, 10, SHEAF_AXIS_EQUAL, "0.5 to 0.6", "1.4 to 1.5"},
		{{5, 5, 5}, 3, 1, SHEAF_AXIS_EQUAL, "5", "5"},
	};
	(void)state;
	static sheaf_sampled room[SHEAF_SAMPLE_ROOM];
	static int64_t counts[SHEAF_CELLS_KEPT];
	static sheaf_bar bars[SHEAF_MOST_BARS];
	sheaf_field field = {.name = "v", .type = SHEAF_F64, .meaning = SHEAF_NUMBER};
	for (size_t r = 0; r < COUNT(rows); r++) {
		memset(counts, 0, sizeof counts);
		sheaf_field_summary f = {.values = {.least = INFINITY, .most = -INFINITY, .cells = {counts}},
		                         .sample = {room}};
		sheaf_doubles_add(&f.values, rows[r].values, rows[r].n);
		for (int i = 0; i < rows[r].n; i++)
			if (isfinite(rows[r].values[i])) sheaf_sample_add(&f.sample, (uint64_t)i, rows[r].values[i]);
		sheaf_spread_values v = {.field = &field, .f = &f};
		sheaf_axis axis;
		bool exact;
		assert_ok(sheaf_distribution_of(&f, cx, &v.d, &err));
		int n = sheaf_value_bars(&v, NULL, 10, bars, &axis, &exact);
		assert_int_equal(n, rows[r].bars);
		assert_int_equal(axis, rows[r].axis);
		assert_true(exact);
		assert_string_equal(bars[0].label, rows[r].first);
		assert_string_equal(bars[n - 1].label, rows[r].last);
		double all = 0;
		for (int i = 0; i < n; i++) all += bars[i].amount;
		assert_true(all == rows[r].n);
		sheaf_distribution_free(&v.d, cx);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_do_not_depend_on_order),
		cmocka_unit_test(test_sums_keep_what_doubles_lose),
		cmocka_unit_test(test_variance_without_cancellation),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_samples_of_patterns_at_once),
		cmocka_unit_test(test_doubles_at_once),
		cmocka_unit_test(test_doubles_that_are_no_numbers),
		cmocka_unit_test(test_bars_of_values),
		cmocka_unit_test(test_items_at_once),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_items_are_all_counted_while_there_is_room),
		cmocka_unit_test(test_items_do_not_depend_on_order),
		cmocka_unit_test(test_raster_of_most_columns),
		cmocka_unit_test(test_rasters_do_not_depend_on_order),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
