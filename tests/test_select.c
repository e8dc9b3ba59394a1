/* SPDX-License-Identifier: MIT */
/* Selections from C: what is chosen, what is known of it, and what is refused. */
#include "dataset/dataset.h"
#include "frame/row_choice.h"
#include "support.h"
#include <sheaf/sheaf.h>
#include <string.h>

static sheaf_context *cx;

static int begin(void **state)
{
	(void)state;
	sheaf_context_options options = {.size = sizeof options, .threads = 2};
	return (int)sheaf_context_new(&options, &cx, &err);
}

static int end(void **state)
{
	(void)state;
	sheaf_context_free(cx);
	return 0;
}

static sheaf_status open_table(const sheaf_selection *select, sheaf_dataset **out)
{
	static const char text[] = "name,x,y\nann,1,2\nbob,3,4\namy,5,6\n,7,8\n";
	sheaf_source *source;
	sheaf_open_options options = {.size = sizeof options, .format = "csv", .select = *select};
	assert_int_equal(sheaf_source_memory((sheaf_bytes){(const uint8_t *)text, sizeof text - 1}, "table.csv",
	                                     cx, &source, &err),
	                 SHEAF_OK);
	return sheaf_open_source(source, &options, cx, out, &err);
}

static const int64_t *numbers_of(const sheaf_frame *frame)
{
	return (const int64_t *)(const void *)frame->numbers.data;
}

static void rows_keep_their_numbers(void **state)
{
	(void)state;
	sheaf_dataset *d;
	sheaf_frame frame;
	assert_int_equal(open_table(&(sheaf_selection){.rows = "1:", .where = "a*"}, &d), SHEAF_OK);
	assert_int_equal(sheaf_read_all(d, &frame, &err), SHEAF_OK);
	assert_int_equal(frame.nrows, 1);
	assert_int_equal(numbers_of(&frame)[0], 2);
	assert_int_equal(sheaf_row_key(d, &frame, 0), 2);
	sheaf_frame_free(&frame);
	sheaf_close(d);
}

static void columns_come_in_the_order_that_is_given(void **state)
{
	(void)state;
	sheaf_dataset *d;
	sheaf_facts facts;
	assert_int_equal(open_table(&(sheaf_selection){.columns = "y,name", .skip = 1}, &d), SHEAF_OK);
	const sheaf_schema *schema = sheaf_dataset_schema(d);
	assert_int_equal(schema->nfields, 2);
	assert_string_equal(schema->fields[0].name, "y");
	assert_string_equal(schema->fields[1].name, "name");
	sheaf_dataset_facts(d, &facts);
	assert_int_equal(facts.rows, 3);
	sheaf_close(d);
}

static void a_list_with_types_declares(void **state)
{
	(void)state;
	sheaf_dataset *d;
	assert_int_equal(open_table(&(sheaf_selection){.columns = "name:string null,x:float,y:int8"}, &d),
	                 SHEAF_OK);
	assert_int_equal(sheaf_dataset_schema(d)->fields[1].type, SHEAF_F32);
	assert_int_equal(sheaf_dataset_schema(d)->fields[2].type, SHEAF_I8);
	sheaf_close(d);
}

static void what_is_known_of_a_sample(void **state)
{
	(void)state;
	sheaf_dataset *d;
	sheaf_facts facts;
	assert_int_equal(open_table(&(sheaf_selection){.sample = "2"}, &d), SHEAF_OK);
	sheaf_dataset_facts(d, &facts);
	assert_int_equal(facts.rows, 2);
	sheaf_close(d);
	assert_int_equal(open_table(&(sheaf_selection){.sample = "50%"}, &d), SHEAF_OK);
	sheaf_dataset_facts(d, &facts);
	assert_int_equal(facts.rows, -1);
	sheaf_close(d);
}

static void a_sample_has_as_many_rows_as_were_asked_for(void **state)
{
	(void)state;
	sheaf_dataset *d;
	sheaf_frame frame;
	static const char *const samples[] = {"0", "1", "2", "3", "4", "5"};
	for (uint64_t seed = 0; seed < 10; seed++)
		for (int n = 0; n < 6; n++) {
			const sheaf_selection sample = {.sample = samples[n], .seed = seed};
			assert_int_equal(open_table(&sample, &d), SHEAF_OK);
			assert_int_equal(sheaf_read_all(d, &frame, &err), SHEAF_OK);
			assert_int_equal(frame.nrows, n < 4 ? n : 4);
			sheaf_frame_free(&frame);
			sheaf_close(d);
		}
}

/* The numbers are those of docs/selecting.md, for programs that choose the same rows. */
static void the_hash_is_the_one_that_is_documented(void **state)
{
	(void)state;
	assert_true(sheaf_row_hash(0, 0) == 0x48218226ff3cd4bfu);
	assert_true(sheaf_row_hash(0, 1) == 0xa706dd2f4d197e6fu);
	assert_true(sheaf_row_hash(7, 1000000) == 0x969232a35264a95u);
}

static void refuses(const sheaf_selection *select, const char *expected)
{
	sheaf_dataset *d;
	assert_int_equal(open_table(select, &d), SHEAF_USAGE);
	assert_null(d);
	if (!strstr(err.message, expected)) fail_msg("expected \"%s\", found \"%s\"", expected, err.message);
}

static void what_cannot_be_selected_is_said(void **state)
{
	(void)state;
	refuses(&(sheaf_selection){.skip = -1}, "--skip: expected a number of at least 0, found -1");
	refuses(&(sheaf_selection){.columns = "x,z"},
	        "--columns: expected columns of table.csv (name, x, y), found \"z\"");
	refuses(&(sheaf_selection){.columns = "x,x"}, "--columns: expected each name once, found \"x\" twice");
	refuses(&(sheaf_selection){.columns = ""},
	        "--columns: expected columns of table.csv (name, x, y), found \"\"");
	refuses(&(sheaf_selection){.streams = "x"},
	        "--streams: expected sequences, which have streams, found rows of a table in table.csv");
	refuses(&(sheaf_selection){.transpose = true},
	        "--transpose: expected a tensor, found rows of a table in table.csv");
}

static void a_name_that_no_row_has_is_an_error(void **state)
{
	(void)state;
	sheaf_dataset *d;
	const sheaf_frame *frame;
	assert_int_equal(open_table(&(sheaf_selection){.where = "zoe"}, &d), SHEAF_OK);
	assert_int_equal(sheaf_next(d, &frame, &err), SHEAF_USAGE);
	assert_non_null(strstr(err.message, "found \"zoe\", which none of them has"));
	sheaf_close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_keep_their_numbers),
		cmocka_unit_test(columns_come_in_the_order_that_is_given),
		cmocka_unit_test(a_list_with_types_declares),
		cmocka_unit_test(what_is_known_of_a_sample),
		cmocka_unit_test(a_sample_has_as_many_rows_as_were_asked_for),
		cmocka_unit_test(the_hash_is_the_one_that_is_documented),
		cmocka_unit_test(what_cannot_be_selected_is_said),
		cmocka_unit_test(a_name_that_no_row_has_is_an_error),
	};
	return cmocka_run_group_tests_name("select", tests, begin, end);
}
