/* SPDX-License-Identifier: MIT */
/* Summaries by several threads: the same bytes for any number of them, any pieces and any memory. */
#include "frame/frame.h"
#include "with_context.h"
#include <math.h>
#include <sheaf/summary.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is counted ---- */

static table take_table(sheaf_schema *schema, sheaf_frame_builder *b)
{
	table t = {.cx = cx};
	assert_ok(sheaf_frame_builder_take(b, &t.frame, &err));
	sheaf_frame_builder_free(b);
	t.schema = *schema;
	return t;
}

/* Inputs and targets: contradictions are searched for. */
static table make_streams(int64_t rows)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	assert_ok(sheaf_schema_add_dense(&schema, "a.input", 3, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, "b.input", 5000, SHEAF_F64, &err));
	assert_ok(sheaf_schema_add_dense(&schema, "targets", 1, SHEAF_F32, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	seed_random(30);
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t k = random_below(4); k >= 0; k--) {
			int64_t indices[] = {random_below(4000), 4000 + random_below(50)};
			double values[] = {(double)random_below(1000) / 7 - 50, r % 50 ? 1 : NAN};
			sheaf_build_dense(b, 0, (float[]){(float)random_below(3), (float)random_below(900) / 7, -1.5f},
			                  1);
			sheaf_build_sparse(b, 1, indices, values, 2);
		}
		sheaf_build_dense(b, 2, &(float){(float)(r % 10)}, 1);
		sheaf_build_row(b);
	}
	return take_table(&schema, b);
}

static table make_cells(int64_t rows)
{
	sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
	sheaf_frame_builder *b;
	assert_ok(sheaf_schema_add_column(&schema, "n", SHEAF_NUMBER, SHEAF_F64, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_schema_add_column(&schema, "t", SHEAF_STRING, SHEAF_U8, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	seed_random(31);
	for (int64_t r = 0; r < rows; r++) {
		char text[32];
		int size = snprintf(text, sizeof text, "%*d", (int)random_below(20), (int)random_below(9000));
		if (r == rows / 2 || r == rows - 7)
			sheaf_build_number(b, 0, r == rows / 2 ? -0.0 : 0);
		else if (random_below(9))
			sheaf_build_number(b, 0, (double)(random_below(100000) + 1) / 7);
		else
			sheaf_build_missing(b, 0, (int)random_below(5));
		sheaf_build_text(b, 1, text, (size_t)size);
		sheaf_build_row(b);
	}
	return take_table(&schema, b);
}

static table make_matrix(int64_t entries, sheaf_structure structure)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_tensor tensor = {.rank = 2, .shape = {3000, 3000}, .structure = structure};
	sheaf_frame_builder *b;
	assert_ok(sheaf_schema_add_entries(&schema, &tensor, SHEAF_NUMBER, SHEAF_F64, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	seed_random(32);
	for (int64_t i = 0; i < entries; i++) {
		int64_t row = i * 3000 / entries;
		sheaf_build_integer(b, 0, row);
		sheaf_build_integer(b, 1, random_below(structure ? row + 1 : 3000));
		sheaf_build_number(b, 2, (double)random_below(9) - 4);
		sheaf_build_row(b);
	}
	return take_table(&schema, b);
}

/* ---- how ---- */

typedef struct way {
	int threads;
	int64_t piece, max_memory;
	bool borrowed; /* frames do not own what is in their first column */
} way;

static uint8_t *copy_values(sheaf_column *column)
{
	size_t size = column->values.size;
	uint8_t *copy = malloc(size);
	assert_non_null(copy);
	memcpy(copy, column->values.data, size);
	sheaf_buffer_reset(&column->values);
	column->values = (sheaf_buffer){copy, size, NULL};
	return copy;
}

static sheaf_status add_piece(sheaf_summary *s, const table *t, const way *w, int64_t at)
{
	sheaf_frame part = {0};
	int64_t end = at + w->piece < t->frame.nrows ? at + w->piece : t->frame.nrows;
	assert_ok(sheaf_frame_slice(&t->frame, at, end, &part, &err));
	uint8_t *copy = w->borrowed ? copy_values(&part.columns[0]) : NULL;
	sheaf_status status = sheaf_summary_add(s, &part, at, &err);
	free(copy);
	sheaf_frame_free(&part);
	return status;
}

/* The numbers, and the page. */
static sheaf_status count(const table *t, const way *w, sheaf_context *with, sheaf_buffer out[2])
{
	static const sheaf_summary_options as_json = {.size = sizeof as_json, .style = SHEAF_JSON};
	sheaf_page_options page = {.title = "page"};
	sheaf_summary *s;
	SHEAF_TRY(sheaf_summary_new(&t->schema, with, &s, &err));
	sheaf_status status = sheaf_summary_profile(s, "m", &err);
	for (int64_t at = 0; status == SHEAF_OK && at < t->frame.nrows; at += w->piece)
		status = add_piece(s, t, w, at);
	if (status == SHEAF_OK) status = sheaf_summary_finish(s, &err);
	if (status == SHEAF_OK) status = sheaf_summary_text(s, &as_json, &out[0], &err);
	if (status == SHEAF_OK) status = sheaf_summary_page(s, &page, &out[1], &err);
	sheaf_summary_free(s);
	return status;
}

static void assert_same(const table *t, const way *w, const sheaf_buffer expected[2])
{
	sheaf_buffer found[2] = {{0}};
	sheaf_context_options options = {
		.size = sizeof options, .threads = w->threads, .max_memory = w->max_memory};
	sheaf_context *with = context_with(&options);
	assert_ok(count(t, w, with, found));
	for (int i = 0; i < 2; i++) {
		if (found[i].size != expected[i].size || memcmp(found[i].data, expected[i].data, found[i].size) != 0)
			fail_msg("%d threads, pieces of %ld rows: expected\n%.*s\nfound\n%.*s", w->threads,
			         (long)w->piece, (int)expected[0].size, (const char *)expected[0].data,
			         (int)found[0].size, (const char *)found[0].data);
		sheaf_buffer_reset(&found[i]);
	}
	end_context(with);
}

/* With little memory less is counted, but the same. */
static void assert_any_way(table t)
{
	static const int threads[] = {1, 2, 4, 7};
	static const int64_t memories[] = {0, 24 << 20};
	const int64_t pieces[] = {t.frame.nrows / 2 + 1, t.frame.nrows / 9, t.frame.nrows / 40};
	for (size_t m = 0; m < COUNT(memories); m++) {
		sheaf_buffer expected[2] = {{0}};
		sheaf_context_options options = {.size = sizeof options, .threads = 1, .max_memory = memories[m]};
		sheaf_context *with = context_with(&options);
		assert_ok(count(&t, &(way){.piece = t.frame.nrows}, with, expected));
		assert_true(expected[0].size > 500);
		for (size_t n = 0; n < COUNT(threads); n++)
			for (size_t p = 0; p < COUNT(pieces); p++)
				assert_same(&t, &(way){threads[n], pieces[p], memories[m], (n + p) % 3 == 2}, expected);
		for (int i = 0; i < 2; i++) sheaf_buffer_reset(&expected[i]);
		end_context(with);
	}
	free_table(&t);
}

static void test_streams(void **state) { (void)state, assert_any_way(make_streams(12000)); }

static void test_cells(void **state) { (void)state, assert_any_way(make_cells(40000)); }

static void test_matrix(void **state) { (void)state, assert_any_way(make_matrix(40000, SHEAF_GENERAL)); }

static void test_symmetric_matrix(void **state)
{
	(void)state, assert_any_way(make_matrix(40000, SHEAF_SYMMETRIC_LOWER));
}

/* ---- memory that runs out ---- */

/* Whichever allocation fails: the right bytes, or no memory; and nothing is left. */
static void test_failing_allocations(void **state)
{
	(void)state;
	enum { MOST = 3000 };
	table t = make_streams(6000);
	way w = {.threads = 3, .piece = 1000};
	sheaf_buffer expected[2] = {{0}};
	assert_ok(count(&t, &w, cx, expected));
	bool failed = true;
	for (int64_t n = 1; failed && n < MOST; n += 1 + n / 20) {
		allocator memory = {.fail_at = n};
		sheaf_context_options options = options_with(&memory);
		options.threads = w.threads;
		sheaf_context *with;
		sheaf_buffer found[2] = {{0}};
		sheaf_status status = sheaf_context_new(&options, &with, &err);
		if (status == SHEAF_OK) {
			status = count(&t, &w, with, found);
			if (status == SHEAF_OK) assert_int_equal(found[1].size, expected[1].size);
			for (int i = 0; status == SHEAF_OK && i < 2; i++)
				assert_memory_equal(found[i].data, expected[i].data, expected[i].size);
			for (int i = 0; i < 2; i++) sheaf_buffer_reset(&found[i]);
			end_context(with);
		}
		failed = memory.calls >= n;
		if (status) assert_status(SHEAF_NOMEM, status);
		assert_int_equal(memory.bytes, 0);
	}
	assert_false(failed);
	for (int i = 0; i < 2; i++) sheaf_buffer_reset(&expected[i]);
	free_table(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_symmetric_matrix),
		cmocka_unit_test(test_failing_allocations),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
