/* SPDX-License-Identifier: MIT */
/* Orders and plans: which sequences come when, for which shard; without data. */
#include "batch/order/permutation.h"
#include "batch/plan.h"
#include "support.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* ---- rows to arrange ---- */

enum { MOST_ROWS = 3000 };

typedef struct made_rows {
	uint32_t lengths[MOST_ROWS];
	int64_t first_row[MOST_ROWS + 1], first_sample[MOST_ROWS + 1];
	sheaf_rows rows;
} made_rows;

static sheaf_status tell_lengths(const void *user, int64_t row, int64_t n, uint32_t *lengths, sheaf_error *e)
{
	(void)e;
	memcpy(lengths, ((const made_rows *)user)->lengths + row, (size_t)n * sizeof *lengths);
	return SHEAF_OK;
}

/* n rows of 1 to `longest` samples, in chunks of 1 to `most` rows (0: one chunk). */
static void make_rows(made_rows *m, int64_t n, int64_t longest, int64_t most)
{
	int64_t samples = 0, chunks = 0, left = 0;
	for (int64_t i = 0; i < n; i++) {
		if (left == 0) {
			m->first_row[chunks] = i;
			m->first_sample[chunks++] = samples;
			left = most ? 1 + random_below(most) : n;
		}
		left--;
		m->lengths[i] = (uint32_t)(1 + random_below(longest));
		samples += m->lengths[i];
	}
	m->first_row[chunks] = n;
	m->first_sample[chunks] = samples;
	m->rows = (sheaf_rows){n,    samples, chunks, m->first_row, m->first_sample, tell_lengths, m,
	                       NULL, false,   NULL,   NULL};
}

static sheaf_plan_options plan_of(const made_rows *m, const char *order, int64_t size)
{
	return (sheaf_plan_options){.order = sheaf_order_find(order),
	                            .size = size,
	                            .crosses = true,
	                            .world = 1,
	                            .epoch_size = m->rows.samples,
	                            .epochs = 1};
}

/* ---- the permutation ---- */

static void test_permutation_is_one(void **state)
{
	(void)state;
	for (int64_t n = 1; n < 2000; n = n < 40 ? n + 1 : n * 5 / 4) {
		sheaf_permutation p;
		char seen[2000] = {0};
		sheaf_permutation_make(&p, n, (uint64_t)n, 3, 1);
		for (int64_t i = 0; i < n; i++) {
			int64_t at = sheaf_permutation_at(&p, i);
			assert_in_range(at, 0, n - 1);
			assert_false(seen[at]++);
		}
	}
}

static void test_permutation_of_many(void **state)
{
	(void)state;
	const int64_t n = (int64_t)1 << 61;
	sheaf_permutation p;
	sheaf_permutation_make(&p, n, 1, 0, 0);
	for (int64_t i = 0; i < 1000; i++) assert_true(sheaf_permutation_at(&p, n - 1 - i) < n);
}

/* Small permutations are about equally frequent: chi-square of the 24 orders of four, 23 degrees of freedom.
 */
static void test_permutation_of_few_is_fair(void **state)
{
	(void)state;
	enum { DRAWS = 24000 };
	int counts[256] = {0};
	double sum = 0;
	for (uint64_t seed = 0; seed < DRAWS; seed++) {
		sheaf_permutation p;
		int order = 0;
		sheaf_permutation_make(&p, 4, seed, 0, 0);
		for (int i = 0; i < 4; i++) order = order * 4 + (int)sheaf_permutation_at(&p, i);
		counts[order]++;
	}
	for (int i = 0; i < 256; i++)
		if (counts[i]) sum += (counts[i] - 1000.0) * (counts[i] - 1000.0) / 1000.0;
	assert_true(sum < 58.6); /* exceeded once in 10^4.3 */
}

/* ---- orders ---- */

static int64_t *rows_of_sweep(const sheaf_rows *rows, const char *name, sheaf_order_options options,
                              int64_t sweep)
{
	const sheaf_order *order = sheaf_order_find(name);
	sheaf_context *cx = usual_context();
	sheaf_item items[37];
	void *opened;
	int64_t *out = calloc((size_t)rows->rows, sizeof *out);
	assert_non_null(out);
	assert_ok(order->open(rows, &options, cx, &opened, &err));
	for (int64_t i = 0; i < rows->rows;) {
		sheaf_item_run run = {sweep, i, (int64_t)COUNT(items), items};
		assert_ok(order->fill(opened, &run, &err));
		assert_in_range(run.n, 1, COUNT(items));
		for (int64_t k = 0; k < run.n; k++) out[i++] = items[k].row;
	}
	order->close(opened);
	end_context(cx);
	return out;
}

static void check_each_once(const int64_t *order, int64_t n)
{
	char *seen = calloc((size_t)n, 1);
	assert_non_null(seen);
	for (int64_t i = 0; i < n; i++) assert_false(seen[order[i]]++);
	free(seen);
}

static const struct {
	const char *name;
	sheaf_order_options options;
} arrangements[] = {
	{"file", {0}},           {"sheaf", {5, 0, false}}, {"sheaf", {6, 3, false}}, {"sheaf", {7, 90, true}},
	{"cntk", {0, 0, false}}, {"cntk", {1, 4, false}},  {"cntk", {2, 60, true}},  {"cntk", {3, 1, false}},
};

static void test_orders_have_each_row_once(void **state)
{
	(void)state;
	made_rows m;
	seed_random(11);
	for (int round = 0; round < 30; round++) {
		make_rows(&m, 1 + random_below(400), 1 + random_below(9), random_below(30));
		for (size_t a = 0; a < COUNT(arrangements); a++) {
			int64_t *order =
				rows_of_sweep(&m.rows, arrangements[a].name, arrangements[a].options, random_below(5));
			check_each_once(order, m.rows.rows);
			free(order);
		}
	}
}

/* Any place gives the same as going there, whatever was asked before. */
static void test_orders_tell_any_place(void **state)
{
	(void)state;
	made_rows m;
	seed_random(12);
	make_rows(&m, 500, 4, 20);
	for (size_t a = 0; a < COUNT(arrangements); a++) {
		int64_t *sweeps[3];
		const sheaf_order *order = sheaf_order_find(arrangements[a].name);
		sheaf_context *cx = usual_context();
		void *opened;
		for (int64_t s = 0; s < 3; s++)
			sweeps[s] = rows_of_sweep(&m.rows, arrangements[a].name, arrangements[a].options, s);
		assert_ok(order->open(&m.rows, &arrangements[a].options, cx, &opened, &err));
		for (int k = 0; k < 200; k++) {
			sheaf_item item;
			int64_t sweep = random_below(3), ordinal = random_below(m.rows.rows);
			sheaf_item_run run = {sweep, ordinal, 1, &item};
			assert_ok(order->fill(opened, &run, &err));
			assert_int_equal(item.row, sweeps[sweep][ordinal]);
			assert_int_equal(item.samples, m.lengths[item.row]);
		}
		order->close(opened);
		end_context(cx);
		for (int s = 0; s < 3; s++) free(sweeps[s]);
	}
}

/* What CNTK's own tests expect of ten sequences in five chunks. */
static void test_cntk_order_of_ten(void **state)
{
	(void)state;
	static const int64_t first[] = {6, 3, 1, 5, 9, 0, 4, 2, 7, 8}, second[] = {3, 0, 8, 4, 7, 5, 2, 9, 1, 6},
						 narrow[] = {8, 9, 1, 0, 6, 7, 2, 3, 4, 5};
	static const int64_t starts[] = {0, 2, 4, 6, 8, 10};
	sheaf_rows rows = {10, 10, 5, starts, starts, NULL, NULL, NULL, false, NULL, NULL};
	const struct {
		sheaf_order_options options;
		int64_t sweep;
		const int64_t *wanted;
	} cases[] = {{{0, 0, false}, 0, first},
	             {{0, 0, false}, 1, second},
	             {{1, 0, false}, 0, second},
	             {{0, 4, true}, 0, narrow}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t *order = rows_of_sweep(&rows, "cntk", cases[i].options, cases[i].sweep);
		assert_memory_equal(order, cases[i].wanted, 10 * sizeof *order);
		free(order);
	}
}

/* Within a window, rows of all its chunks are mixed, and of no other: as many chunks as its size says, or
 * as hold that many samples. */
static void test_windows_are_full(void **state)
{
	enum { CHUNKS = 12, EACH = 40 };
	(void)state;
	made_rows m;
	for (int64_t i = 0; i <= CHUNKS; i++) m.first_row[i] = m.first_sample[i] = i * EACH;
	for (int i = 0; i < CHUNKS * EACH; i++) m.lengths[i] = 1;
	m.rows = (sheaf_rows){CHUNKS * EACH, CHUNKS * EACH, CHUNKS, m.first_row, m.first_sample, tell_lengths, &m,
	                      NULL,          false,         NULL,   NULL};
	for (int64_t window = 1; window <= 4; window++)
		for (int samples = 0; samples < 2; samples++) {
			sheaf_order_options options = {3, samples ? window * EACH : window, samples};
			int64_t *order = rows_of_sweep(&m.rows, "sheaf", options, 0);
			for (int64_t first = 0; first < CHUNKS; first += window) {
				int64_t n = window * EACH, chunks = 0, changes = 0;
				bool seen[CHUNKS] = {false};
				for (int64_t i = first * EACH; i < first * EACH + n; i++) {
					int64_t chunk = order[i] / EACH;
					chunks += !seen[chunk];
					seen[chunk] = true;
					changes += i > first * EACH && chunk != order[i - 1] / EACH;
				}
				assert_int_equal(chunks, window);
				if (window > 1) assert_true(changes > n / 4);
			}
			free(order);
		}
}

/* ---- how well the default order shuffles ---- */

static double correlation(const int64_t *order, int64_t n)
{
	double mean = (double)(n - 1) / 2, products = 0, squares = 0;
	for (int64_t i = 0; i < n; i++) {
		products += ((double)i - mean) * ((double)order[i] - mean);
		squares += ((double)i - mean) * ((double)i - mean);
	}
	return products / squares;
}

/* Runs of rows of the same chunk. In a true shuffle of chunks of k rows two neighbours share a chunk with
 * chance (k-1)/(n-1). */
static int64_t runs_of_chunks(const int64_t *order, int64_t n, int64_t k)
{
	int64_t runs = 1;
	for (int64_t i = 1; i < n; i++) runs += order[i] / k != order[i - 1] / k;
	return runs;
}

static void test_shuffle_is_good(void **state)
{
	(void)state;
	enum { CHUNK = 50 };
	made_rows m;
	seed_random(13);
	make_rows(&m, MOST_ROWS, 3, 0);
	int64_t n = m.rows.rows;
	double same = (double)(CHUNK - 1) / (double)(n - 1), sigma = sqrt((double)(n - 1) * same * (1 - same));
	for (uint64_t seed = 0; seed < 20; seed++) {
		int64_t *order = rows_of_sweep(&m.rows, "sheaf", (sheaf_order_options){seed, 0, false}, 0);
		assert_true(fabs(correlation(order, n)) <= 4 / sqrt((double)n));
		double expected = 1 + (double)(n - 1) * (1 - same);
		assert_true(fabs((double)runs_of_chunks(order, n, CHUNK) - expected) <= 3 * sigma);
		free(order);
	}
}

/* ---- plans ---- */

enum { MOST_BATCHES = 8000 };

typedef struct walked {
	sheaf_planned batches[MOST_BATCHES];
	int n;
} walked;

static void walk(walked *w, sheaf_plan *plan)
{
	sheaf_status status;
	w->n = 0;
	while ((status = sheaf_plan_next(plan, &w->batches[w->n], &err)) == SHEAF_OK) {
		w->n++;
		assert_true(w->n < MOST_BATCHES);
	}
	assert_status(SHEAF_END, status);
}

static void free_walk(walked *w, sheaf_context *cx)
{
	for (int i = 0; i < MOST_BATCHES; i++) sheaf_planned_free(&w->batches[i], cx);
}

static void assert_same_batch(const sheaf_planned *a, const sheaf_planned *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->repeated, b->repeated);
	assert_int_equal(a->before.position, b->before.position);
	assert_int_equal(a->after.position, b->after.position);
	assert_int_equal(a->sweep_end, b->sweep_end);
	assert_int_equal(a->epoch_end, b->epoch_end);
	for (size_t i = 0; i < a->count; i++) assert_int_equal(a->items[i].row, b->items[i].row);
}

static sheaf_plan_options random_plan(const made_rows *m)
{
	size_t a = (size_t)random_below((int64_t)COUNT(arrangements));
	sheaf_plan_options o = plan_of(m, arrangements[a].name, 1 + random_below(40));
	o.arranged = arrangements[a].options;
	o.unit = (sheaf_size_unit)random_below(3);
	o.rest = (sheaf_rest)random_below(4);
	o.crosses = o.rest == SHEAF_REST_WRAP || random_below(2);
	o.bucket = o.order->dealing == SHEAF_DEAL_BATCH && random_below(3) == 0;
	o.global = o.order->dealing == SHEAF_DEAL_BATCH || random_below(2);
	o.world = 1 + random_below(4);
	o.rank = random_below(o.world);
	o.epochs = 1 + random_below(3);
	o.epoch_size = random_below(2) ? m->rows.samples : 1 + random_below(2 * m->rows.samples);
	return o;
}

static void test_resuming_at_every_batch_changes_nothing(void **state)
{
	(void)state;
	static walked all, rest;
	made_rows m;
	seed_random(14);
	for (int round = 0; round < 60; round++) {
		sheaf_context *cx = usual_context();
		sheaf_plan *plan, *again;
		make_rows(&m, 1 + random_below(120), 1 + random_below(6), random_below(12));
		sheaf_plan_options o = random_plan(&m);
		assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
		walk(&all, plan);
		for (int i = 0; i < all.n; i += 1 + (int)random_below(4)) {
			assert_ok(sheaf_plan_open(&m.rows, &o, cx, &again, &err));
			assert_ok(sheaf_plan_resume(again, all.batches[i].after, &err));
			walk(&rest, again);
			assert_int_equal(rest.n, all.n - i - 1);
			for (int k = 0; k < rest.n; k++) assert_same_batch(&rest.batches[k], &all.batches[i + 1 + k]);
			sheaf_plan_close(again);
		}
		sheaf_plan_close(plan);
		free_walk(&all, cx);
		free_walk(&rest, cx);
		end_context(cx);
	}
}

/* The batches of one shard, and the shares of several shards of the same batches, taken together. */
static void check_shards(const made_rows *m, sheaf_plan_options o, int64_t world)
{
	static walked whole, part;
	static size_t taken[MOST_BATCHES];
	sheaf_context *cx = usual_context();
	sheaf_plan *plan;
	memset(taken, 0, sizeof taken);
	assert_ok(sheaf_plan_open(&m->rows, &o, cx, &plan, &err));
	walk(&whole, plan);
	sheaf_plan_close(plan);
	o.world = world;
	for (o.rank = 0; o.rank < world; o.rank++) {
		assert_ok(sheaf_plan_open(&m->rows, &o, cx, &plan, &err));
		walk(&part, plan);
		assert_int_equal(part.n, whole.n);
		for (int b = 0; b < part.n; b++) {
			assert_int_equal(part.batches[b].after.position, whole.batches[b].after.position);
			for (size_t i = 0; i < part.batches[b].count; i++)
				assert_int_equal(part.batches[b].items[i].row,
				                 whole.batches[b].items[(size_t)o.rank + i * (size_t)world].row);
			taken[b] += part.batches[b].count;
		}
		sheaf_plan_close(plan);
	}
	for (int b = 0; b < whole.n; b++) assert_int_equal(taken[b], whole.batches[b].count);
	free_walk(&whole, cx);
	free_walk(&part, cx);
	end_context(cx);
}

static void test_batches_are_the_same_for_any_number_of_shards(void **state)
{
	(void)state;
	static const int64_t worlds[] = {1, 2, 3, 7};
	made_rows m;
	seed_random(15);
	make_rows(&m, 300, 5, 17);
	for (int bucket = 0; bucket < 2; bucket++)
		for (int64_t window = 0; window < 5; window += 4)
			for (size_t w = 0; w < COUNT(worlds); w++) {
				sheaf_plan_options o = plan_of(&m, "sheaf", 21);
				o.arranged = (sheaf_order_options){9, window, false};
				o.bucket = bucket;
				o.global = true;
				check_shards(&m, o, worlds[w]);
			}
}

static void test_shards_share_a_sweep(void **state)
{
	(void)state;
	static walked w;
	made_rows m;
	seed_random(16);
	make_rows(&m, 200, 5, 6);
	for (size_t a = 0; a < COUNT(arrangements); a++)
		for (int64_t world = 1; world < 5; world++) {
			int64_t rows[MOST_ROWS], n = 0;
			for (int64_t rank = 0; rank < world; rank++) {
				sheaf_plan_options o = plan_of(&m, arrangements[a].name, 16);
				sheaf_context *cx = usual_context();
				sheaf_plan *plan;
				o.arranged = arrangements[a].options;
				o.world = world;
				o.rank = rank;
				o.global = o.order->dealing == SHEAF_DEAL_BATCH;
				assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
				walk(&w, plan);
				for (int b = 0; b < w.n; b++)
					for (size_t i = 0; i < w.batches[b].count; i++) rows[n++] = w.batches[b].items[i].row;
				sheaf_plan_close(plan);
				free_walk(&w, cx);
				end_context(cx);
			}
			assert_int_equal(n, m.rows.rows);
			check_each_once(rows, n);
		}
}

static sheaf_planned first_batch(const made_rows *m, sheaf_plan_options o, sheaf_context *cx)
{
	sheaf_plan *plan;
	sheaf_planned batch = {0};
	assert_ok(sheaf_plan_open(&m->rows, &o, cx, &plan, &err));
	assert_ok(sheaf_plan_next(plan, &batch, &err));
	sheaf_plan_close(plan);
	return batch;
}

/* Rows of the lengths given, in file order. */
static void fixed_rows(made_rows *m, const uint32_t *lengths, int64_t n)
{
	make_rows(m, n, 1, 0);
	m->rows.samples = 0;
	for (int64_t i = 0; i < n; i++) m->rows.samples += m->lengths[i] = lengths[i];
	m->first_sample[1] = m->rows.samples;
}

static void test_sizes(void **state)
{
	(void)state;
	static const uint32_t lengths[] = {3, 4, 5, 1, 9, 2};
	static const struct {
		sheaf_size_unit unit;
		int64_t size, count;
	} cases[] = {
		{SHEAF_SIZE_SAMPLES, 7, 2}, {SHEAF_SIZE_SAMPLES, 11, 2},  {SHEAF_SIZE_SAMPLES, 12, 3},
		{SHEAF_SIZE_SAMPLES, 1, 1}, {SHEAF_SIZE_SEQUENCES, 4, 4}, {SHEAF_SIZE_TOKENS, 8, 2},
		{SHEAF_SIZE_TOKENS, 19, 3}, {SHEAF_SIZE_TOKENS, 20, 4},   {SHEAF_SIZE_TOKENS, 1, 1},
	};
	made_rows m;
	fixed_rows(&m, lengths, 6);
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_context *cx = usual_context();
		sheaf_plan_options o = plan_of(&m, "file", cases[i].size);
		o.unit = cases[i].unit;
		sheaf_planned batch = first_batch(&m, o, cx);
		assert_int_equal(batch.count, cases[i].count);
		sheaf_planned_free(&batch, cx);
		end_context(cx);
	}
}

/* Ten sequences of one sample in batches of four, for one sweep and three: sizes of the batches, and how many
 * sequences are repeated. */
static void test_rests(void **state)
{
	(void)state;
	static walked w;
	static const struct {
		sheaf_rest rest;
		bool crosses;
		int64_t sweeps;
		const char *sizes;
	} cases[] = {
		{SHEAF_REST_SHORT, true, 1, "4 4 2E"},        {SHEAF_REST_DROP, true, 1, "4 4E"},
		{SHEAF_REST_PAD, true, 1, "4 4 4+2E"},        {SHEAF_REST_WRAP, true, 1, "4 4 4E"},
		{SHEAF_REST_SHORT, true, 2, "4 4 4 4 4E"},    {SHEAF_REST_SHORT, false, 2, "4 4 2 4 4 2E"},
		{SHEAF_REST_DROP, false, 2, "4 4 4 4E"},      {SHEAF_REST_PAD, false, 2, "4 4 4+2 4 4 4+2E"},
		{SHEAF_REST_DROP, true, 3, "4 4 4 4 4 4 4E"},
	};
	made_rows m;
	make_rows(&m, 10, 1, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[100] = "";
		sheaf_context *cx = usual_context();
		sheaf_plan *plan;
		sheaf_plan_options o = plan_of(&m, "file", 4);
		o.rest = cases[i].rest;
		o.crosses = cases[i].crosses;
		o.epoch_size = 10 * cases[i].sweeps;
		assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
		walk(&w, plan);
		for (int b = 0; b < w.n; b++) {
			size_t used = strlen(text);
			const sheaf_planned *p = &w.batches[b];
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", b ? " " : "", p->count);
			if (p->repeated) used += (size_t)snprintf(text + used, sizeof text - used, "+%zu", p->repeated);
			if (p->epoch_end) snprintf(text + used, sizeof text - used, "E");
		}
		assert_text(cases[i].sizes, text);
		sheaf_plan_close(plan);
		free_walk(&w, cx);
		end_context(cx);
	}
}

/* The sequence in which an epoch ends belongs to the batch before it as far as the size has room for it: ends
 * of epochs of seven samples, by the keys of the batches. */
static void test_epochs_end_in_sequences(void **state)
{
	(void)state;
	static walked w;
	static const uint32_t lengths[] = {3, 3, 3, 3, 3};
	static const struct {
		int64_t size;
		const char *sizes;
	} cases[] = {{9, "3E 2E"}, {8, "2 1E 2E"}, {100, "3E 2E"}, {1, "1 1 1E 1 1E"}};
	made_rows m;
	fixed_rows(&m, lengths, 5);
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[100] = "";
		sheaf_context *cx = usual_context();
		sheaf_plan *plan;
		sheaf_plan_options o = plan_of(&m, "file", cases[i].size);
		o.epoch_size = 7;
		o.epochs = 2;
		o.crosses = false;
		assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
		walk(&w, plan);
		for (int b = 0; b < w.n; b++) {
			size_t used = strlen(text);
			snprintf(text + used, sizeof text - used, "%s%zu%s", b ? " " : "", w.batches[b].count,
			         w.batches[b].epoch_end ? "E" : "");
		}
		assert_text(cases[i].sizes, text);
		sheaf_plan_close(plan);
		free_walk(&w, cx);
		end_context(cx);
	}
}

static void test_epochs_meet(void **state)
{
	(void)state;
	static walked w;
	made_rows m;
	seed_random(17);
	make_rows(&m, 50, 4, 0);
	sheaf_context *cx = usual_context();
	sheaf_plan *plan;
	sheaf_plan_options o = plan_of(&m, "sheaf", 10);
	o.epoch_size = 33;
	o.epochs = 6;
	assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
	walk(&w, plan);
	int ends = 0;
	for (int b = 0; b < w.n; b++) {
		if (b) assert_int_equal(w.batches[b].before.position, w.batches[b - 1].after.position);
		ends += w.batches[b].epoch_end;
	}
	assert_int_equal(ends, 6);
	assert_in_range(w.batches[w.n - 1].after.position, 6 * 33, 6 * 33 + 3);
	sheaf_plan_close(plan);
	/* An epoch by itself begins where the one before has ended. */
	int third = 0;
	for (int passed = 0; passed < 2; third++) passed += w.batches[third].epoch_end;
	o.first_epoch = 2;
	o.epochs = 1;
	sheaf_planned batch = first_batch(&m, o, cx);
	assert_same_batch(&batch, &w.batches[third]);
	sheaf_planned_free(&batch, cx);
	free_walk(&w, cx);
	end_context(cx);
}

/* Batches of whole sequences; the context is the walk's. */
static sheaf_context *walk_sequences(walked *w, const made_rows *m, sheaf_plan_options o)
{
	sheaf_plan *plan;
	sheaf_context *cx = usual_context();
	o.unit = SHEAF_SIZE_SEQUENCES;
	assert_ok(sheaf_plan_open(&m->rows, &o, cx, &plan, &err));
	walk(w, plan);
	sheaf_plan_close(plan);
	return cx;
}

static void test_buckets_have_little_padding(void **state)
{
	(void)state;
	static walked w;
	made_rows m;
	seed_random(18);
	make_rows(&m, MOST_ROWS, 60, 0);
	int64_t padded[2] = {0};
	for (int bucket = 0; bucket < 2; bucket++) {
		sheaf_plan_options o = plan_of(&m, "sheaf", 8);
		o.bucket = bucket;
		sheaf_context *cx = walk_sequences(&w, &m, o);
		for (int b = 0; b < w.n; b++) {
			sheaf_amount amount = {0};
			for (size_t i = 0; i < w.batches[b].count; i++)
				amount = sheaf_amount_with(amount, w.batches[b].items[i].samples);
			padded[bucket] += amount.sequences * amount.longest - amount.samples;
		}
		free_walk(&w, cx);
		end_context(cx);
	}
	assert_true(padded[1] * 10 < padded[0]);
}

/* The longest has a batch of its own, wherever the order puts it. */
static void test_buckets_sort_all_of_their_rows(void **state)
{
	(void)state;
	static walked w;
	static const uint32_t lengths[] = {9, 1, 1};
	made_rows m;
	fixed_rows(&m, lengths, 3);
	for (uint64_t seed = 0; seed < 10; seed++) {
		sheaf_plan_options o = plan_of(&m, "sheaf", 2);
		o.bucket = true;
		o.arranged.seed = seed;
		sheaf_context *cx = walk_sequences(&w, &m, o);
		assert_int_equal(w.n, 2);
		for (int b = 0; b < w.n; b++)
			assert_int_equal(w.batches[b].count, w.batches[b].items[0].row == 0 ? 1 : 2);
		free_walk(&w, cx);
		end_context(cx);
	}
}

static void test_seeking(void **state)
{
	(void)state;
	static const uint32_t lengths[] = {3, 4, 5};
	static const int64_t goes_to[] = {0, 3, 3, 3, 7, 7, 7, 7, 12, 12, 12, 12, 12, 15};
	made_rows m;
	fixed_rows(&m, lengths, 3);
	sheaf_context *cx = usual_context();
	sheaf_plan *plan;
	sheaf_plan_options o = plan_of(&m, "file", 4);
	assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
	for (int64_t p = 0; p < (int64_t)COUNT(goes_to); p++) {
		assert_ok(sheaf_plan_seek(plan, p, &err));
		assert_int_equal(sheaf_plan_mark(plan).position, goes_to[p]);
	}
	assert_status(SHEAF_USAGE,
	              sheaf_plan_resume(plan, (sheaf_mark){.sweep = 0, .ordinal = 3, .position = 12}, &err));
	assert_status(SHEAF_USAGE,
	              sheaf_plan_resume(plan, (sheaf_mark){.sweep = 1, .ordinal = 0, .position = 11}, &err));
	assert_message("ordinal 0 of sweep 1 at position 11");
	sheaf_plan_close(plan);
	end_context(cx);
}

static void test_positions_have_an_end(void **state)
{
	(void)state;
	static const uint32_t lengths[] = {3, 4, 5};
	const int64_t end = (int64_t)1 << 62;
	made_rows m;
	fixed_rows(&m, lengths, 3);
	sheaf_context *cx = usual_context();
	sheaf_plan *plan;
	sheaf_plan_options o = plan_of(&m, "file", 4);
	assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
	assert_ok(sheaf_plan_seek(plan, end - 1, &err));
	assert_in_range(sheaf_plan_mark(plan).position, end - 1, end + 4);
	assert_status(SHEAF_USAGE, sheaf_plan_seek(plan, end, &err));
	assert_message("position: expected one below 2^62, found 4611686018427387904");
	assert_status(SHEAF_USAGE, sheaf_plan_seek(plan, INT64_MAX, &err));
	m.rows.uneven = true; /* any position is possible in any sweep */
	assert_status(SHEAF_USAGE,
	              sheaf_plan_resume(plan, (sheaf_mark){.sweep = 1, .ordinal = 0, .position = end}, &err));
	assert_status(SHEAF_USAGE,
	              sheaf_plan_resume(plan, (sheaf_mark){.sweep = 1, .ordinal = 0, .position = -1}, &err));
	sheaf_plan_close(plan);
	end_context(cx);
}

/* ---- stops ---- */

static sheaf_context *stopped_soon;

static void stop(int number)
{
	(void)number;
	sheaf_context_stop(stopped_soon);
}

static void stop_soon(sheaf_context *cx)
{
	const struct itimerval soon = {.it_value.tv_usec = 20000};
	stopped_soon = cx;
	signal(SIGALRM, stop);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
}

/* Places that take long to reach, and batches that take long to fill. */
static void test_planning_hears_a_stop(void **state)
{
	(void)state;
	static const uint32_t lengths[] = {3, 4, 5};
	static const sheaf_rest rests[] = {SHEAF_REST_PAD, SHEAF_REST_WRAP};
	made_rows m;
	for (size_t r = 0; r <= COUNT(rests); r++) {
		fixed_rows(&m, lengths, 3);
		m.rows.uneven = r == COUNT(rests);
		sheaf_context *cx = usual_context();
		sheaf_plan *plan;
		sheaf_planned batch = {0};
		sheaf_plan_options o = plan_of(&m, "file", m.rows.uneven ? 4 : INT64_MAX);
		if (!m.rows.uneven) o.rest = rests[r];
		assert_ok(sheaf_plan_open(&m.rows, &o, cx, &plan, &err));
		stop_soon(cx);
		assert_status(SHEAF_STOPPED, m.rows.uneven ? sheaf_plan_seek(plan, (int64_t)1 << 60, &err)
		                                           : sheaf_plan_next(plan, &batch, &err));
		sheaf_planned_free(&batch, cx);
		sheaf_plan_close(plan);
		end_context(cx);
	}
}

/* ---- allocations that fail ---- */

static void test_plans_survive_any_failing_allocation(void **state)
{
	(void)state;
	made_rows m;
	seed_random(19);
	make_rows(&m, 200, 4, 9);
	for (size_t a = 0; a < COUNT(arrangements); a++)
		for (int64_t fail_at = 1, failed = true; failed; fail_at++) {
			allocator memory = {.fail_at = fail_at};
			sheaf_context_options options = options_with(&memory);
			sheaf_context *cx = NULL;
			sheaf_plan *plan = NULL;
			sheaf_planned batch = {0};
			sheaf_plan_options o = plan_of(&m, arrangements[a].name, 20);
			o.arranged = arrangements[a].options;
			o.bucket = a == 1;
			sheaf_status status = sheaf_context_new(&options, &cx, &err);
			if (!status) status = sheaf_plan_open(&m.rows, &o, cx, &plan, &err);
			while (!status) status = sheaf_plan_next(plan, &batch, &err);
			failed = status == SHEAF_NOMEM;
			if (!failed) assert_status(SHEAF_END, status);
			sheaf_planned_free(&batch, cx);
			sheaf_plan_close(plan);
			sheaf_context_free(cx);
			assert_int_equal(memory.bytes, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_permutation_is_one),
		cmocka_unit_test(test_permutation_of_many),
		cmocka_unit_test(test_permutation_of_few_is_fair),
		cmocka_unit_test(test_orders_have_each_row_once),
		cmocka_unit_test(test_orders_tell_any_place),
		cmocka_unit_test(test_cntk_order_of_ten),
		cmocka_unit_test(test_windows_are_full),
		cmocka_unit_test(test_shuffle_is_good),
		cmocka_unit_test(test_resuming_at_every_batch_changes_nothing),
		cmocka_unit_test(test_batches_are_the_same_for_any_number_of_shards),
		cmocka_unit_test(test_shards_share_a_sweep),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_rests),
		cmocka_unit_test(test_epochs_meet),
		cmocka_unit_test(test_epochs_end_in_sequences),
		cmocka_unit_test(test_buckets_have_little_padding),
		cmocka_unit_test(test_buckets_sort_all_of_their_rows),
		cmocka_unit_test(test_seeking),
		cmocka_unit_test(test_positions_have_an_end),
		cmocka_unit_test(test_planning_hears_a_stop),
		cmocka_unit_test(test_plans_survive_any_failing_allocation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
