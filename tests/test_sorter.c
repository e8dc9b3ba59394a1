/* SPDX-License-Identifier: MIT */
/* The external sorter. */
#include "io_support.h"
#include "sparse/sort/sorter.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- the sorter ---- */

typedef struct record {
	uint64_t key, value;
} record;

static int compare_records(const void *a, const void *b)
{
	const record *x = (const record *)a, *y = (const record *)b;
	if (x->key != y->key) return x->key < y->key ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

typedef struct expected {
	const record *records;
	size_t n, at;
	size_t stop_at;
} expected;

static sheaf_status compare_next(void *user, uint64_t key, uint64_t value)
{
	expected *e = (expected *)user;
	assert_true(e->at < e->n);
	assert_int_equal(key, e->records[e->at].key);
	assert_int_equal(value, e->records[e->at].value);
	return ++e->at == e->stop_at ? SHEAF_LOSS : SHEAF_OK;
}

/* Keys in different orders: random, few different ones, ascending, descending, all equal. */
static uint64_t make_key(int way, size_t i)
{
	switch (way) {
	case 0: return next_random();
	case 1: return next_random() % 7;
	case 2: return i;
	case 3: return UINT64_MAX - i;
	default: return 42;
	}
}

static record *make_records(int way, size_t n)
{
	record *records = (record *)calloc(n + 1, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < n; i++)
		records[i] = (record){make_key(way, i), way % 2 ? i : next_random() % 1000};
	return records;
}

static void sorts_like_a_plain_sort(void **state)
{
	(void)state;
	static const size_t memories[] = {0, 20000, 200000, 64 << 20};
	static const size_t sizes[] = {0, 1, 2, 127, 128, 129, 5000, 200000};
	for (size_t i = 0; i < COUNT(memories) * COUNT(sizes) * 5; i++) {
		size_t memory = memories[i % COUNT(memories)], n = sizes[i / COUNT(memories) % COUNT(sizes)];
		record *records = make_records((int)(i / COUNT(memories) / COUNT(sizes)), n);
		sheaf_context *usual = cx;
		sheaf_sorter *sorter = NULL;
		int64_t peak;
		cx = new_context(0);
		assert_ok(sheaf_sorter_new(cx, memory, &sorter, &err));
		for (size_t r = 0; r < n; r++)
			assert_ok(sheaf_sorter_add(sorter, records[r].key, records[r].value, &err));
		qsort(records, n, sizeof *records, compare_records);
		expected e = {.records = records, .n = n};
		assert_ok(sheaf_sorter_finish(sorter, compare_next, &e, &err));
		assert_int_equal(e.at, n);
		assert_status(SHEAF_USAGE, sheaf_sorter_finish(sorter, compare_next, &e, &err));
		assert_status(SHEAF_USAGE, sheaf_sorter_add(sorter, 1, 1, &err));
		sheaf_sorter_free(sorter);
		sheaf_context_memory(cx, &peak);
		assert_true(peak < (int64_t)memory + (120 << 10)); /* the run table of 1600 runs, a merge's buffer */
		assert_int_equal(sheaf_context_memory(cx, NULL), 0);
		sheaf_context_free(cx);
		cx = usual;
		free(records);
	}
	sheaf_sorter_free(NULL);
}

static void the_sorters_callback_may_end_it(void **state)
{
	(void)state;
	record *records = make_records(2, 5000);
	qsort(records, 5000, sizeof *records, compare_records);
	for (size_t memory = 0; memory <= 1 << 20; memory += 1 << 20) {
		expected e = {.records = records, .n = 5000, .stop_at = 3000};
		sheaf_sorter *sorter = NULL;
		assert_ok(sheaf_sorter_new(cx, memory, &sorter, &err));
		for (size_t r = 0; r < 5000; r++)
			assert_ok(sheaf_sorter_add(sorter, records[r].key, records[r].value, &err));
		assert_int_equal(sheaf_sorter_finish(sorter, compare_next, &e, &err), SHEAF_LOSS);
		assert_int_equal(e.at, 3000);
		sheaf_sorter_free(sorter);
	}
	free(records);
}

static void the_sorter_stops(void **state)
{
	(void)state;
	sheaf_context *stopped = new_context(0);
	expected e = {0};
	for (int n = 1; n <= 1000; n *= 1000) {
		sheaf_sorter *sorter = NULL;
		assert_ok(sheaf_sorter_new(stopped, 0, &sorter, &err));
		sheaf_status status = SHEAF_OK;
		for (int i = 0; i < n && !status; i++) status = sheaf_sorter_add(sorter, 1, 1, &err);
		sheaf_context_stop(stopped);
		if (!status) status = sheaf_sorter_finish(sorter, compare_next, &e, &err);
		assert_int_equal(status, SHEAF_STOPPED);
		sheaf_sorter_free(sorter);
	}
	sheaf_context_free(stopped);
}

static sheaf_status sort_some(sheaf_context *c, const char *name)
{
	size_t n = name ? 3000 : 100;
	record *records = make_records(2, n);
	expected e = {.records = records, .n = n};
	sheaf_sorter *sorter = NULL;
	sheaf_status status = sheaf_sorter_new(c, 0, &sorter, &err);
	for (size_t r = n; r-- > 0 && !status;)
		status = sheaf_sorter_add(sorter, records[r].key, records[r].value, &err);
	if (!status) status = sheaf_sorter_finish(sorter, compare_next, &e, &err);
	sheaf_sorter_free(sorter);
	free(records);
	return status;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	assert_allocations_may_fail(sort_some, NULL);
	assert_allocations_may_fail(sort_some, "spilled");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	const struct CMUnitTest tests[] = {
		TEST(sorts_like_a_plain_sort),
		TEST(the_sorters_callback_may_end_it),
		TEST(the_sorter_stops),
		TEST(every_allocation_may_fail),
	};
	return cmocka_run_group_tests_name("sorter", tests, NULL, NULL);
}
