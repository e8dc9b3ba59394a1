/* SPDX-License-Identifier: MIT */
/* What a report finds in examples: contradictions, targets, units, and names of indices. */
#include "base/third/xxhash.h"
#include "report/words.h"
#include "report_support.h"

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
		cmocka_unit_test(test_contradictions),         cmocka_unit_test(test_contradictions_of_a_sample),
		cmocka_unit_test(test_targets_that_are_given), cmocka_unit_test(test_units),
		cmocka_unit_test(test_names_of_indices),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
