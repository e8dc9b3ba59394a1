/* SPDX-License-Identifier: MIT */
/* Cells of a table and entries of a tensor in the core: printing, codes of what is missing, comparing,
 * hashing, statistics, dates. */
#include "frame/compare.h"
#include "frame/item.h"
#include "frame/schema/schema_bytes.h"
#include "number/date.h"
#include "with_context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- dates ---- */

static const char *date_text(int64_t seconds)
{
	static char text[SHEAF_DATE_MAX + 1];
	*sheaf_print_datetime(text, seconds, 'T') = '\0';
	return text;
}

static void test_dates(void **state)
{
	(void)state;
	static const struct {
		int64_t seconds;
		const char *text;
	} dates[] = {
		{0, "1970-01-01T00:00:00"},
		{-1, "1969-12-31T23:59:59"},
		{1337955209, "2012-05-25T14:13:29"},
		{951782400, "2000-02-29T00:00:00"},
		{951868799, "2000-02-29T23:59:59"},
		{4107542400, "2100-03-01T00:00:00"},
		{-2203891200, "1900-03-01T00:00:00"},
		{-62135596800, "0001-01-01T00:00:00"},
		{-62167219200, "0000-01-01T00:00:00"},
		{-62167219201, "-0001-12-31T23:59:59"},
		{253402300799, "9999-12-31T23:59:59"},
		{253402300800, "10000-01-01T00:00:00"},
		{INT64_MAX, "292277026596-12-04T15:30:07"},
		{INT64_MIN, "-292277022657-01-27T08:29:52"},
	};
	for (size_t i = 0; i < COUNT(dates); i++) assert_text(dates[i].text, date_text(dates[i].seconds));
}

/* Each day follows the one before, over more than an era. */
static void test_days_follow_one_another(void **state)
{
	(void)state;
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year = 1899, month = 12, day = 31;
	for (int64_t t = INT64_C(-25567) * 86400; year < 2310; t += 86400) {
		char wanted[64];
		bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
		if (++day > lengths[month - 1] + (month == 2 && leap)) day = 1, month++;
		if (month > 12) month = 1, year++;
		snprintf(wanted, sizeof wanted, "%04d-%02d-%02dT00:00:00", year, month, day);
		assert_text(wanted, date_text(t));
	}
}

static void test_offsets(void **state)
{
	(void)state;
	static const struct {
		int64_t seconds;
		const char *text;
	} offsets[] = {{0, "+00:00"},     {7200, "+02:00"},    {-12600, "-03:30"},
	               {-1, "-00:00:01"}, {360000, "+100:00"}, {INT64_MIN, "-2562047788015215:30:08"}};
	for (size_t i = 0; i < COUNT(offsets); i++) {
		char text[SHEAF_DATE_MAX + 1];
		*sheaf_print_offset(text, offsets[i].seconds) = '\0';
		assert_text(offsets[i].text, text);
	}
}

/* ---- a table of one cell of each kind ---- */

enum { NUMBER, MAYBE, TRUTH, LETTER, DATE, ZONED, TEXT, BYTES, COLUMNS, ROWS = 3 };

static const int8_t numbers[ROWS] = {-8, 0, 127};
static const double maybes[ROWS] = {0.1, 0, 1e300};
static const uint8_t second_is_missing[] = {0x05};
static const int8_t codes[ROWS] = {0, 5, 0};
static const uint8_t truths[ROWS] = {0, 1, 1}, letters[ROWS] = {'a', '"', 0xe9};
static const int64_t dates[ROWS] = {0, 1337955209, -1};
static const int64_t zoned[2 * ROWS] = {1337955209, 7200, 0, 0, 0, -3600};
static const int64_t text_offsets[ROWS + 1] = {0, 2, 2, 4}, byte_offsets[ROWS + 1] = {0, 0, 2, 5};
static const char texts[] = "hi\xff\xfe";
static const uint8_t bytes[] = {0, 255, 1, 2, 3};

static void add_cell(table *t, const char *name, sheaf_meaning meaning, sheaf_type type, int64_t width,
                     bool nullable)
{
	sheaf_field *field;
	assert_ok(sheaf_schema_add(&t->schema, cx, name, strlen(name), &field, &err));
	sheaf_field_make_cell(field, meaning, type, width, nullable);
}

static table make_table(void)
{
	table t = new_table(cx);
	t.schema.rows = SHEAF_CELLS;
	add_cell(&t, "n", SHEAF_NUMBER, SHEAF_I8, 1, false);
	add_cell(&t, "m", SHEAF_NUMBER, SHEAF_F64, 1, true);
	add_cell(&t, "t", SHEAF_BOOL, SHEAF_U8, 1, false);
	add_cell(&t, "l", SHEAF_CHAR, SHEAF_U8, 1, false);
	add_cell(&t, "d", SHEAF_DATETIME, SHEAF_I64, 1, false);
	add_cell(&t, "z", SHEAF_DATETIMETZ, SHEAF_I64, 2, false);
	add_cell(&t, "s", SHEAF_STRING, SHEAF_U8, -1, true);
	add_cell(&t, "b", SHEAF_BYTES, SHEAF_U8, -1, false);
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	sheaf_column *c = t.frame.columns;
	t.frame.nrows = ROWS;
	c[NUMBER].values = borrow(numbers);
	c[MAYBE].values = borrow(maybes);
	c[TRUTH].values = borrow(truths), c[LETTER].values = borrow(letters);
	c[DATE].values = borrow(dates), c[ZONED].values = borrow(zoned);
	c[TEXT].values = (sheaf_buffer){(uint8_t *)(uintptr_t)texts, 4, NULL};
	c[TEXT].levels[0].offsets = borrow(text_offsets);
	c[MAYBE].levels[0].gaps->valid = c[TEXT].levels[0].gaps->valid = borrow(second_is_missing);
	c[MAYBE].levels[0].gaps->codes = borrow(codes);
	c[BYTES].values = borrow(bytes);
	c[BYTES].levels[0].offsets = borrow(byte_offsets);
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	return t;
}

static void assert_rows_text(const table *t, const sheaf_frame *frame, sheaf_style style, int64_t row,
                             const char *wanted)
{
	sheaf_buffer text = {0};
	assert_ok(sheaf_rows_text(frame, &t->schema, style, row, 0, frame->nrows, &text, &err));
	if (text.size != strlen(wanted) || memcmp(text.data, wanted, text.size) != 0)
		fail_msg("expected\n%sfound\n%.*s", wanted, (int)text.size, (const char *)text.data);
	sheaf_buffer_reset(&text);
}

static void test_printing(void **state)
{
	(void)state;
	table t = make_table();
	assert_rows_text(&t, &t.frame, SHEAF_JSON, 7,
	                 "{\"row\":7,\"cells\":{\"n\":-8,\"m\":0.1,\"t\":false,\"l\":\"a\",\"d\":\"1970-01-01T00:"
	                 "00:00\",\"z\":\"2012-05-25T14:13:29+02:00\","
	                 "\"s\":\"hi\",\"b\":{\"base64\":\"\"}}}\n"
	                 "{\"row\":8,\"cells\":{\"n\":0,\"m\":{\"null\":5},\"t\":true,\"l\":\"\\\"\",\"d\":"
	                 "\"2012-05-25T14:13:29\",\"z\":\"1970-01-01T00:00:00+00:00\","
	                 "\"s\":{\"null\":0},\"b\":{\"base64\":\"AP8=\"}}}\n"
	                 "{\"row\":9,\"cells\":{\"n\":127,\"m\":1e300,\"t\":true,\"l\":\"\xc3\xa9\",\"d\":\"1969-"
	                 "12-31T23:59:59\",\"z\":\"1970-01-01T00:00:00-01:00\","
	                 "\"s\":{\"base64\":\"//4=\"},\"b\":{\"base64\":\"AQID\"}}}\n");
	sheaf_frame second = {0};
	assert_ok(sheaf_frame_slice(&t.frame, 1, 2, &second, &err));
	assert_rows_text(&t, &second, SHEAF_TEXT, 8,
	                 "8  n 0  m ?5  t true  l \"\\\"\"  d 2012-05-25T14:13:29  z 1970-01-01T00:00:00+00:00  "
	                 "s null  b base64:AP8=\n");
	sheaf_frame_free(&second);
	free_table(&t);
}

static void test_codes_are_sliced_and_appended(void **state)
{
	(void)state;
	table t = make_table();
	sheaf_frame last = {0}, all = {0};
	assert_ok(sheaf_frame_slice(&t.frame, 1, 3, &last, &err));
	assert_ok(sheaf_frame_check(&last, &t.schema, SHEAF_CHECK_FULL, &err));
	for (int k = 0; k < 3; k++) assert_ok(sheaf_frame_append(&all, &last, 0, 2, cx, &err));
	assert_ok(sheaf_frame_append(&all, &t.frame, 0, 3, cx, &err));
	assert_ok(sheaf_frame_check(&all, &t.schema, SHEAF_CHECK_FULL, &err));
	for (int64_t r = 0; r < all.nrows; r++) {
		int64_t from = r < 6 ? 1 + r % 2 : r - 6;
		assert_int_equal(sheaf_level_code(&all.columns[MAYBE].levels[0], r), codes[from]);
		for (int c = 0; c < COLUMNS; c++)
			assert_true(sheaf_positions_equal(&all.columns[c], 0, r, &t.frame.columns[c], 0, from));
	}
	sheaf_frame_free(&last);
	sheaf_frame_free(&all);
	free_table(&t);
}

/* Codes that come late count from then on. */
static void test_codes_that_come_late(void **state)
{
	(void)state;
	table t = make_table();
	sheaf_frame first = {0}, all = {0};
	assert_ok(sheaf_frame_slice(&t.frame, 0, 1, &first, &err));
	sheaf_buffer_reset(&first.columns[MAYBE].levels[0].gaps->codes);
	assert_ok(sheaf_frame_append(&all, &first, 0, 1, cx, &err));
	assert_ok(sheaf_frame_append(&all, &t.frame, 0, 3, cx, &err));
	assert_ok(sheaf_frame_append(&all, &first, 0, 1, cx, &err));
	assert_ok(sheaf_frame_check(&all, &t.schema, SHEAF_CHECK_FULL, &err));
	for (int64_t r = 0; r < 5; r++)
		assert_int_equal(sheaf_level_code(&all.columns[MAYBE].levels[0], r), r == 2 ? 5 : 0);
	sheaf_frame_free(&first);
	sheaf_frame_free(&all);
	free_table(&t);
}

static void test_flawed_codes(void **state)
{
	(void)state;
	static const int8_t of_present[ROWS] = {1, 0, 0}, negative[ROWS] = {0, -1, 0};
	table t = make_table();
	sheaf_level *level = &t.frame.columns[MAYBE].levels[0];
	level->gaps->codes = borrow(of_present);
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_message("field \"m\", level 0: expected the code of what is not missing to be 0, found 1");
	level->gaps->codes = borrow(negative);
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_message("expected a code of at least 0, found -1");
	level->gaps->codes.size = 2;
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_SIZES, &err));
	assert_message("expected as many codes as 3, found 2");
	level->gaps->codes = borrow(codes);
	level->gaps->valid_at = INT64_C(1) << 50;
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_message("expected as many bits of missing positions as 3");
	level->gaps->valid_at = INT64_MIN;
	assert_status(SHEAF_DATA, sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	assert_message("expected a first bit of at least 0");
	free_table(&t);
}

/* ---- comparing and hashing ---- */

static void hash_of(const table *t, char text[33]) { hash_table(t, false, false, text); }

static void test_a_code_is_content(void **state)
{
	(void)state;
	static const int8_t other[ROWS] = {0, 6, 0};
	char before[33], after[33];
	table a = make_table(), b = make_table();
	hash_of(&a, before), hash_of(&b, after);
	assert_text(before, after);
	b.frame.columns[MAYBE].levels[0].gaps->codes = borrow(other);
	assert_false(sheaf_positions_equal(&a.frame.columns[MAYBE], 0, 1, &b.frame.columns[MAYBE], 0, 1));
	assert_true(sheaf_positions_equal(&a.frame.columns[MAYBE], 0, 2, &b.frame.columns[MAYBE], 0, 2));
	hash_of(&b, after);
	assert_string_not_equal(before, after);
	free_table(&a);
	free_table(&b);
}

/* Whether a number may be missing is not content. */
static void test_numbers_that_may_be_missing_equal_others(void **state)
{
	(void)state;
	static const float reals[] = {1, 2, 3};
	static const int64_t wide[] = {1, 2, 3};
	char bare_hash[33], maybe_hash[33];
	table bare = new_table(cx), maybe = new_table(cx);
	bare.schema.rows = maybe.schema.rows = SHEAF_CELLS;
	add_cell(&bare, "v", SHEAF_NUMBER, SHEAF_F32, 1, false);
	add_cell(&maybe, "v", SHEAF_NUMBER, SHEAF_I64, 1, true);
	assert_ok(sheaf_frame_begin(&bare.frame, &bare.schema, cx, &err));
	assert_ok(sheaf_frame_begin(&maybe.frame, &maybe.schema, cx, &err));
	bare.frame.nrows = maybe.frame.nrows = 3;
	bare.frame.columns[0].values = borrow(reals);
	maybe.frame.columns[0].values = borrow(wide);
	for (int64_t r = 0; r < 3; r++)
		assert_int_equal(sheaf_positions_equal(&bare.frame.columns[0], 0, r, &maybe.frame.columns[0], 0, 2),
		                 r == 2);
	hash_of(&bare, bare_hash), hash_of(&maybe, maybe_hash);
	assert_text(bare_hash, maybe_hash);
	free_table(&bare);
	free_table(&maybe);
}

/* ---- schemas ---- */

static void test_schemas_as_bytes(void **state)
{
	(void)state;
	static const int64_t shape[] = {INT64_C(1) << 40, INT64_C(1) << 40};
	table t = make_table();
	sheaf_field *value;
	sheaf_schema tensor = {0}, schemas[2], back;
	assert_ok(sheaf_schema_make_entries(&tensor, cx, (sheaf_dimensions){2, shape}, &value, &err));
	sheaf_field_make_cell(value, SHEAF_COMPLEX, SHEAF_F64, 2, false);
	tensor.tensor.structure = SHEAF_HERMITIAN_UPPER;
	tensor.tensor.has_fill = tensor.tensor.iso = true;
	snprintf(tensor.tensor.layout, sizeof tensor.tensor.layout, "COO");
	schemas[0] = t.schema, schemas[1] = tensor;
	for (size_t i = 0; i < COUNT(schemas); i++) {
		sheaf_builder b, again;
		sheaf_builder_begin(&b, cx, NULL), sheaf_builder_begin(&again, cx, NULL);
		sheaf_schema_to_bytes(&schemas[i], &b);
		sheaf_cursor c = sheaf_cursor_over(b.data, b.size, 0);
		assert_ok(sheaf_schema_from_bytes(&c, cx, &back, &err));
		assert_int_equal(back.rows, schemas[i].rows);
		assert_memory_equal(&back.tensor, &schemas[i].tensor, sizeof back.tensor);
		sheaf_schema_to_bytes(&back, &again);
		assert_int_equal(again.size, b.size);
		assert_memory_equal(again.data, b.data, b.size);
		for (size_t n = 0; n < b.size; n++) {
			c = sheaf_cursor_over(b.data, n, 0);
			sheaf_schema cut;
			assert_status(SHEAF_DATA, sheaf_schema_from_bytes(&c, cx, &cut, &err));
		}
		sheaf_schema_free(&back);
		sheaf_builder_drop(&b), sheaf_builder_drop(&again);
	}
	sheaf_schema_free(&tensor);
	free_table(&t);
}

/* ---- entries ---- */

static const int32_t rows_of[] = {0, 1, 2}, columns_of[] = {3, 1, 0}, shuffled_rows[] = {2, 0, 1},
					 shuffled_columns[] = {0, 3, 1};
static const double values_of[] = {7, 1, 0.5}, shuffled_values[] = {0.5, 7, 1};

static table make_entries(bool shuffled)
{
	static const int64_t shape[] = {5, 5};
	table t = new_table(cx);
	sheaf_field *value;
	assert_ok(sheaf_schema_make_entries(&t.schema, cx, (sheaf_dimensions){2, shape}, &value, &err));
	value->type = SHEAF_F64;
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	t.frame.nrows = 3;
	t.frame.columns[0].values = shuffled ? borrow(shuffled_rows) : borrow(rows_of);
	t.frame.columns[1].values = shuffled ? borrow(shuffled_columns) : borrow(columns_of);
	t.frame.columns[2].values = shuffled ? borrow(shuffled_values) : borrow(values_of);
	assert_ok(sheaf_frame_check(&t.frame, &t.schema, SHEAF_CHECK_FULL, &err));
	return t;
}

static void test_entries_in_json(void **state)
{
	(void)state;
	sheaf_buffer text = {0};
	table t = make_entries(false);
	snprintf(t.schema.tensor.layout, sizeof t.schema.tensor.layout, "CSR");
	t.schema.tensor.structure = SHEAF_SYMMETRIC_LOWER;
	t.schema.tensor.has_fill = true;
	memcpy(t.schema.tensor.fill, &values_of[2], sizeof values_of[2]);
	assert_ok(sheaf_rows_border(&t.schema, SHEAF_JSON, "/A \"b\"", cx, &text, &err));
	static const char heading[] = "{\"tensor\":\"/A "
								  "\\\"b\\\"\",\"format\":\"CSR\",\"shape\":[5,5],\"structure\":\"symmetric_"
								  "lower\",\"fill\":0.5,\"entries\":[";
	assert_int_equal(text.size, sizeof heading - 1);
	assert_memory_equal(text.data, heading, text.size);
	assert_rows_text(&t, &t.frame, SHEAF_JSON, 0, "[[0,3],7],[[1,1],1],[[2,0],0.5]");
	assert_rows_text(&t, &t.frame, SHEAF_JSON, 3, ",[[0,3],7],[[1,1],1],[[2,0],0.5]");
	assert_rows_text(&t, &t.frame, SHEAF_TEXT, 0, "0 3  7\n1 1  1\n2 0  0.5\n");
	assert_ok(sheaf_rows_border(&t.schema, SHEAF_JSON, NULL, cx, &text, &err));
	assert_int_equal(text.size, 3);
	assert_memory_equal(text.data, "]}\n", 3);
	assert_ok(sheaf_rows_border(&t.schema, SHEAF_TEXT, NULL, cx, &text, &err));
	assert_int_equal(text.size, 0);
	sheaf_buffer_reset(&text);
	free_table(&t);
}

static void test_hash_of_entries_has_no_order(void **state)
{
	(void)state;
	char a[33], b[33], c[33], d[33];
	table sorted = make_entries(false), shuffled = make_entries(true), wrong = make_entries(false),
		  larger = make_entries(false);
	wrong.frame.columns[1].values = borrow(shuffled_columns);
	larger.schema.tensor.shape[1] = 6;
	hash_of(&sorted, a), hash_of(&shuffled, b), hash_of(&wrong, c), hash_of(&larger, d);
	assert_text(a, b);
	assert_string_not_equal(a, c);
	assert_string_not_equal(a, d);
	free_table(&sorted);
	free_table(&shuffled);
	free_table(&wrong);
	free_table(&larger);
}

/* ---- statistics ---- */

static bool contains(const sheaf_buffer *text, const char *part)
{
	return memmem(text->data, text->size, part, strlen(part)) != NULL;
}

static void test_statistics(void **state)
{
	(void)state;
	static const char *const parts[] = {
		"{\"rows\":3,\"columns\":[{\"name\":\"n\",\"type\":\"int8\",\"storage\":\"values\",\"values\":3,"
		"\"zeros\":1,\"nan\":0,\"infinite\":0,\"min\":-8,\"max\":127,",
		"{\"name\":\"m\",\"type\":\"float64\",\"storage\":\"values\",\"coded\":1,\"codes\":[[5,1]],"
		"\"missing\":1,\"values\":2,",
		"{\"name\":\"t\",\"type\":\"uint8\",\"storage\":\"bool\",\"values\":3,\"zeros\":1,",
		"\"storage\":\"datetime\",\"values\":3,\"zeros\":1,\"nan\":0,\"infinite\":0,\"min\":\"1969-12-31T23:"
		"59:59\",\"max\":\"2012-05-25T14:13:29\",\"mean\":\"1984-02-1",
		"\"storage\":\"text\",\"missing\":1,\"lengths\":{\"count\":2,\"min\":2,\"max\":2,",
		"\"storage\":\"bytes\",\"missing\":0,\"lengths\":{\"count\":3,\"min\":0,\"max\":3,",
	};
	sheaf_summary *stats;
	sheaf_buffer text = {0};
	table t = make_table();
	assert_ok(sheaf_summary_new(&t.schema, cx, &stats, &err));
	assert_ok(sheaf_summary_add(stats, &t.frame, 0, &err));
	assert_ok(sheaf_summary_text(
		stats, &(sheaf_summary_options){.size = sizeof(sheaf_summary_options), .style = SHEAF_JSON}, &text,
		&err));
	assert_true(is_json((const char *)text.data, text.size));
	for (size_t i = 0; i < COUNT(parts); i++)
		if (!contains(&text, parts[i]))
			fail_msg("expected %s in %.*s", parts[i], (int)text.size, (const char *)text.data);
	assert_ok(sheaf_summary_text(stats, NULL, &text, &err));
	assert_true(contains(&text, "column m: float64\n  missing: 1; with a code: 1 (5: 1); values: 2;"));
	assert_true(contains(&text, "column s: text; missing: 1\n"));
	sheaf_buffer_reset(&text);
	sheaf_summary_free(stats);
	free_table(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_days_follow_one_another),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_printing),
		cmocka_unit_test(test_codes_are_sliced_and_appended),
		cmocka_unit_test(test_codes_that_come_late),
		cmocka_unit_test(test_flawed_codes),
		cmocka_unit_test(test_a_code_is_content),
		cmocka_unit_test(test_numbers_that_may_be_missing_equal_others),
		cmocka_unit_test(test_schemas_as_bytes),
		cmocka_unit_test(test_entries_in_json),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_hash_of_entries_has_no_order),
	};
	return cmocka_run_group_tests(tests, make_context, drop_context);
}
