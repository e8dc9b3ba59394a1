/* SPDX-License-Identifier: MIT */
/* Summaries: parts merged in any order, or saved and loaded, are the whole to the last byte. */
#include "base/show.h"
#include "report/page/html.h"
#include "report_support.h"
#include "seal.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- whole summaries ---- */

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
	assert_message("expected version 4, found 9");
	for (size_t cut = 20; cut < bytes.size; cut += 1 + bytes.size / 100) {
		memcpy(changed, bytes.data, cut);
		seal_summary(changed, cut);
		assert_status(SHEAF_DATA, sheaf_summary_load(changed, cut, cx, &loaded, &err));
		assert_null(loaded);
	}
	seed_random(5);
	for (int i = 0; i < CHANGES; i++) {
		memcpy(changed, bytes.data, bytes.size);
		size_t near = i % 2 ? 400 : bytes.size - 8;
		for (int64_t k = random_below(3); k >= 0; k--)
			changed[12 + random_below((int64_t)near - 12)] = (uint8_t)next_random();
		seal_summary(changed, bytes.size);
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

static void test_names_are_text(void **state)
{
	(void)state;
	table t = streams_of(20);
	sheaf_summary *summary = summary_of(&t, 0, 20);
	sheaf_buffer page = page_of(summary);
	assert_true(has(&page, "<bdi>d&lt;b&gt;</bdi>"));
	assert_true(has(&page, "<bdi>s\\x01&amp;&quot;</bdi>"));
	assert_true(has(&page, "&lt;/script&gt;&lt;b&gt;&amp;\\u202e\\u2066\\u200f\\u061c\u05d0<"));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_are_the_whole),
		cmocka_unit_test(test_saved_and_loaded),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_names_are_text),
		cmocka_unit_test(test_any_text_is_text),
		cmocka_unit_test(test_parts_of_a_matrix),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_what_is_left_out),
		cmocka_unit_test(test_what_cannot_be_summed_up),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
