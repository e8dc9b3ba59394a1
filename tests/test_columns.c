/* SPDX-License-Identifier: MIT */
/* Columns beside streams: texts, numbers of rows and of samples, missing values, and formats without a
 * place for them. */
#include "frame/compare.h"
#include "with_context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a frame of each shape ---- */

enum { NAME, FREQ, X, MAX, PROC, COLUMNS, ROWS = 5 };

static const int64_t names_at[ROWS + 1] = {0, 3, 3, 3, 4, 8};
static const char names[] = "oneb\xc3\xa9\"\n";
static const uint8_t names_valid[] = {0x1b}; /* row 2 has none, row 1 an empty one */
static const float freqs[ROWS] = {1, 1, 2.5f, 1, 1};
static const int64_t events_at[ROWS + 1] = {0, 1, 3, 3, 6, 7};
static const float xs[14] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
static const uint8_t xs_valid[] = {0x5d}; /* samples 1 and 5 were not given */
static const float maxes[7] = {1, 1, 1, 3, 1, 1, 1};
static const int64_t procs_at[8] = {0, 0, 0, 2, 2, 2, 2, 3};
static const uint8_t procs_valid[] = {0x44};

static void add_column(table *t, const char *name, sheaf_meaning meaning, sheaf_type type, int nlevels,
                       const char *loss, double usual)
{
	sheaf_field *field;
	assert_ok(sheaf_schema_add(&t->schema, cx, name, strlen(name), &field, &err));
	field->meaning = meaning;
	field->type = type;
	field->nlevels = nlevels;
	for (int l = 0; l < nlevels; l++) field->levels[l] = (sheaf_level_shape){.kind = SHEAF_LIST};
	if (meaning == SHEAF_STRING) field->levels[nlevels - 1].missing = SHEAF_NULLABLE;
	field->loss = loss;
	field->usual = usual;
}

static table make_table(void)
{
	table t = new_table(cx);
	add_column(&t, "name", SHEAF_STRING, SHEAF_U8, 1, "row name", 0);
	add_column(&t, "freq", SHEAF_NUMBER, SHEAF_F32, 0, "weight", 1);
	add_stream(&t, "x", false, 2, SHEAF_F32);
	t.schema.fields[X].levels[1].missing = SHEAF_IMPUTED;
	add_column(&t, "max", SHEAF_NUMBER, SHEAF_F32, 1, "time", 1);
	add_column(&t, "proc", SHEAF_STRING, SHEAF_U8, 2, "proc", 0);
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	sheaf_column *c = t.frame.columns;
	t.frame.nrows = ROWS;
	c[NAME].levels[0].offsets = borrow(names_at);
	c[NAME].levels[0].gaps->valid = borrow(names_valid);
	c[NAME].values = (sheaf_buffer){(uint8_t *)(uintptr_t)names, 8, NULL};
	c[FREQ].values = borrow(freqs);
	c[X].levels[0].offsets = c[MAX].levels[0].offsets = c[PROC].levels[0].offsets = borrow(events_at);
	c[X].levels[1].gaps->valid = borrow(xs_valid);
	c[X].values = borrow(xs);
	c[MAX].values = borrow(maxes);
	c[PROC].levels[1].offsets = borrow(procs_at);
	c[PROC].levels[1].gaps->valid = borrow(procs_valid);
	c[PROC].values = (sheaf_buffer){(uint8_t *)(uintptr_t) "p;q", 3, NULL};
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	return t;
}

static const char *row_text(const table *t, const sheaf_frame *frame, sheaf_style style, int64_t r)
{
	static char text[500];
	sheaf_buffer out = {0};
	assert_ok(sheaf_rows_text(frame, &t->schema, style, 0, r, r + 1, &out, &err));
	snprintf(text, sizeof text, "%.*s", (int)out.size, (const char *)out.data);
	sheaf_buffer_reset(&out);
	return text;
}

static void assert_same_rows(const table *t, const sheaf_frame *frame, int64_t r, int64_t row)
{
	char wanted[500];
	for (int c = 0; c < COLUMNS; c++)
		assert_true(sheaf_positions_equal(&frame->columns[c], 0, r, &t->frame.columns[c], 0, row));
	snprintf(wanted, sizeof wanted, "%s", row_text(t, &t->frame, SHEAF_JSON, row));
	const char *found = row_text(t, frame, SHEAF_JSON, r);
	assert_text(strchr(wanted, ','), strchr(found, ',')); /* after the key, which is the row's number */
}

static void test_rows_as_text(void **state)
{
	(void)state;
	table t = make_table();
	assert_text(
		"{\"key\":0,\"streams\":{\"name\":\"one\",\"freq\":1,\"x\":[[0,1]],\"max\":[1],\"proc\":[null]}}\n",
		row_text(&t, &t.frame, SHEAF_JSON, 0));
	assert_text("{\"key\":1,\"streams\":{\"name\":\"\",\"freq\":1,\"x\":[[2,3],[4,5]],\"max\":[1,1],\"proc\":"
	            "[null,\"p;\"]}}\n",
	            row_text(&t, &t.frame, SHEAF_JSON, 1));
	assert_text("{\"key\":2,\"streams\":{\"name\":null,\"freq\":2.5,\"x\":[],\"max\":[],\"proc\":[]}}\n",
	            row_text(&t, &t.frame, SHEAF_JSON, 2));
	assert_text("4  name \"\xc3\xa9\\\"\\u000a\"  freq 1  x [12 13]  max 1  proc \"q\"\n",
	            row_text(&t, &t.frame, SHEAF_TEXT, 4));
	free_table(&t);
}

/* ---- slices and appending ---- */

static void test_slices_keep_what_is_missing(void **state)
{
	(void)state;
	table t = make_table();
	for (int64_t from = 0; from < ROWS; from++)
		for (int64_t to = from; to <= ROWS; to++) {
			sheaf_frame outer = {0}, inner = {0};
			assert_ok(sheaf_frame_slice(&t.frame, from, to, &outer, &err));
			assert_ok(sheaf_frame_slice(&outer, (to - from) / 2, to - from, &inner, &err));
			assert_ok(sheaf_frame_check(&inner, &t.schema, SHEAF_CHECK_FULL, &err));
			for (int64_t r = 0; r < inner.nrows; r++)
				assert_same_rows(&t, &inner, r, from + (to - from) / 2 + r);
			sheaf_frame_free(&outer);
			sheaf_frame_free(&inner);
		}
	free_table(&t);
}

static void test_append_of_every_cutting(void **state)
{
	(void)state;
	table t = make_table();
	for (unsigned cuts = 0; cuts < 1u << (ROWS - 1); cuts++) {
		sheaf_frame all = {0};
		int64_t from = 0;
		for (int64_t r = 1; r <= ROWS; r++) {
			if (r < ROWS && !(cuts >> (r - 1) & 1)) continue;
			assert_ok(sheaf_frame_append(&all, &t.frame, from, r, cx, &err));
			from = r;
		}
		assert_ok(sheaf_frame_check(&all, &t.schema, SHEAF_CHECK_FULL, &err));
		for (int64_t r = 0; r < ROWS; r++) assert_same_rows(&t, &all, r, r);
		for (int64_t s = 0; s < 7; s++)
			assert_int_equal(sheaf_level_has(&all.columns[X].levels[1], s), s != 1 && s != 5);
		sheaf_frame_free(&all);
	}
	free_table(&t);
}

/* Rows without missing values, then others: the first ones get their bits later. */
static void test_append_after_rows_without_bits(void **state)
{
	(void)state;
	table t = make_table(), whole = make_table();
	sheaf_frame all = {0}, part = {0};
	whole.frame.columns[X].levels[1].gaps = NULL; /* as a frame made by hand may have it */
	assert_ok(sheaf_frame_append(&all, &whole.frame, 0, ROWS, cx, &err));
	assert_false(sheaf_level_has_gaps(&all.columns[X].levels[1]));
	assert_ok(sheaf_frame_append(&all, &t.frame, 1, 2, cx, &err));
	assert_ok(sheaf_frame_append(&all, &whole.frame, 0, 1, cx, &err));
	assert_ok(sheaf_frame_check(&all, &t.schema, SHEAF_CHECK_FULL, &err));
	for (int64_t s = 0; s < 10; s++) assert_int_equal(sheaf_level_has(&all.columns[X].levels[1], s), s != 7);
	assert_ok(sheaf_frame_slice(&all, 2, 3, &part, &err));
	assert_ok(sheaf_frame_slice(&whole.frame, 0, ROWS, &part, &err));
	assert_false(sheaf_level_has_gaps(&part.columns[X].levels[1]));
	sheaf_frame_clear(&all);
	assert_false(sheaf_level_has_gaps(&all.columns[X].levels[1]));
	sheaf_frame_free(&all);
	sheaf_frame_free(&part);
	free_table(&t);
	free_table(&whole);
}

/* ---- checks ---- */

static void test_flaws(void **state)
{
	(void)state;
	static const uint8_t present[] = {0xff}, absent[] = {0};
	table t = make_table();
	sheaf_column *c = t.frame.columns;
	c[NAME].levels[0].gaps->valid = borrow(absent);
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_message("field \"name\", level 0: expected below a missing position 0, found 3");
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_OFFSETS, &err));
	c[NAME].levels[0].gaps->valid = borrow(names_valid);
	c[NAME].levels[0].gaps->valid_at = 4;
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_SIZES, &err));
	assert_message("as many bits of missing positions as 5, found 4");
	c[NAME].levels[0].gaps->valid_at = 0;
	c[MAX].levels[0].gaps = &(sheaf_gaps){.valid = borrow(present)};
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_SIZES, &err));
	assert_message("field \"max\", level 0: expected as many bits of missing positions as 0, found 8");
	c[MAX].levels[0].gaps = NULL;
	c[X].levels[1].shape.missing = SHEAF_NULLABLE;
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_SIZES, &err));
	assert_message("kind of missing positions");
	c[X].levels[1].shape.missing = SHEAF_IMPUTED;
	c[PROC].meaning = SHEAF_NUMBER;
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_SIZES, &err));
	assert_message("field \"proc\", level 0: expected meaning");
	c[PROC].meaning = SHEAF_STRING;
	free_table(&t);
}

/* ---- comparing and hashing ---- */

static void test_what_counts(void **state)
{
	(void)state;
	static const uint8_t named[] = {0x1f}, given[] = {0x7f};
	char a[33], b[33];
	table t = make_table(), other = make_table();
	hash_table(&t, false, false, a);
	hash_table(&other, false, false, b);
	assert_string_equal(a, b);
	/* Default values count like given ones. */
	other.frame.columns[X].levels[1].gaps->valid = borrow(given);
	hash_table(&other, false, false, b);
	assert_string_equal(a, b);
	for (int64_t r = 0; r < ROWS; r++)
		assert_true(sheaf_positions_equal(&t.frame.columns[X], 0, r, &other.frame.columns[X], 0, r));
	/* A missing name is not the empty name. */
	other.frame.columns[NAME].levels[0].gaps->valid = borrow(named);
	hash_table(&other, false, false, b);
	assert_string_not_equal(a, b);
	assert_false(sheaf_positions_equal(&t.frame.columns[NAME], 0, 2, &other.frame.columns[NAME], 0, 2));
	assert_true(sheaf_positions_equal(&t.frame.columns[NAME], 0, 2, &t.frame.columns[NAME], 0, 2));
	free_table(&t);
	free_table(&other);
}

static void test_attributes(void **state)
{
	(void)state;
	char a[33], b[33];
	sheaf_schema copy;
	table t = make_table();
	hash_table(&t, false, false, a);
	assert_null(sheaf_schema_attribute(&t.schema, "proc"));
	assert_ok(sheaf_schema_put_attribute(&t.schema, cx, "proc", "puts 1", "set proc", &err));
	assert_ok(sheaf_schema_put_attribute(&t.schema, cx, "more", "", "set proc", &err));
	assert_ok(sheaf_schema_copy(&t.schema, cx, &copy, &err));
	assert_string_equal(sheaf_schema_attribute(&copy, "proc"), "puts 1");
	assert_string_equal(sheaf_schema_attribute(&copy, "more"), "");
	sheaf_schema_free(&copy);
	hash_table(&t, false, false, b);
	assert_string_not_equal(a, b);
	free_table(&t);
}

static void test_statistics(void **state)
{
	(void)state;
	table t = make_table();
	sheaf_summary *stats;
	sheaf_buffer text = {0};
	assert_ok(sheaf_summary_new(&t.schema, cx, &stats, &err));
	assert_ok(sheaf_summary_add(stats, &t.frame, 0, &err));
	assert_ok(sheaf_summary_text(
		stats, &(sheaf_summary_options){.size = sizeof(sheaf_summary_options), .style = SHEAF_JSON}, &text,
		&err));
	assert_true(is_json((const char *)text.data, text.size - 1));
	assert_ok(sheaf_summary_text(stats, NULL, &text, &err));
	const char *found = (const char *)text.data;
	assert_non_null(strstr(
		found,
		"column name: text; missing: 1\n  bytes in a text: 0 to 4, mean 2; p50 2, p95 3.85, p99 3.97\n"));
	assert_non_null(
		strstr(found, "column freq: float32\n  values: 5; zeros: 0; nan: 0; infinite: 0\n  value: 1 to 2.5"));
	assert_non_null(
		strstr(found, "stream x: dense, dim 2, float32\n  samples: 7; of them not given: 2; values: 14"));
	assert_non_null(strstr(found, "column proc: text; missing: 5\n"));
	sheaf_buffer_reset(&text);
	sheaf_summary_free(stats);
	free_table(&t);
}

/* ---- formats without a place for them ---- */

typedef struct lost {
	int n;
	char text[10][200];
} lost;

static void hear(void *user, const sheaf_problem *problem)
{
	lost *l = (lost *)user;
	assert_int_equal(problem->status, SHEAF_LOSS);
	if (l->n < 10) sheaf_problem_text(problem, l->text[l->n], sizeof l->text[0]);
	l->n++;
}

static sheaf_status write_columns(const sheaf_format *format, bool allow, lost *l, bytes_sink *bytes)
{
	table t = make_table();
	sheaf_context *own;
	sheaf_context_options options = {
		.size = sizeof options, .allow_loss = allow, .on_problem = hear, .user = l};
	sheaf_create_options create = {.size = sizeof create, .format = format->name};
	/* A stream without samples is a loss of its own in some formats. */
	static const int64_t full_events[ROWS + 1] = {0, 1, 3, 4, 6, 7};
	for (int c = X; c < COLUMNS; c++) t.frame.columns[c].levels[0].offsets = borrow(full_events);
	assert_ok(sheaf_schema_put_attribute(&t.schema, cx, "proc", "puts 1", "set proc", &err));
	assert_ok(sheaf_context_new(&options, &own, &err));
	sheaf_status status = write_table(&t, &create, 0, bytes, own);
	sheaf_context_free(own);
	free_table(&t);
	return status;
}

static void test_loss(void **state)
{
	(void)state;
	for (int i = 0; sheaf_format_at(i); i++) {
		const sheaf_format *format = sheaf_format_at(i);
		bytes_sink bytes = {0};
		lost refused = {0}, allowed = {0};
		if (!format->write || format->write->columns || !holds_streams(format)) continue;
		assert_status(SHEAF_LOSS, write_columns(format, false, &refused, &bytes));
		assert_message("set proc (1), row name (4), weight (1), time (1), proc (2)");
		assert_int_equal(bytes.size, 0);
		assert_ok(write_columns(format, true, &allowed, &bytes));
		assert_int_equal(allowed.n, 9);
		assert_non_null(strstr(allowed.text[0], "attribute \"proc\": expected none, since the format has no "
		                                        "place for it, found puts 1; it is left out"));
		assert_non_null(strstr(allowed.text[1], "stream \"name\""));
		assert_non_null(strstr(allowed.text[1], "found \"one\""));
		assert_true(bytes.size > 0);
		free_bytes(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_as_text),
		cmocka_unit_test(test_slices_keep_what_is_missing),
		cmocka_unit_test(test_append_of_every_cutting),
		cmocka_unit_test(test_append_after_rows_without_bits),
		cmocka_unit_test(test_flaws),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_loss),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
