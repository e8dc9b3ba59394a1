/* SPDX-License-Identifier: MIT */
/* Tables as sequences, from C: failures on the way, and tables that change after the first pass, like a
 * file that another program is writing. */
#include "support.h"
#include <sheaf/sheaf.h>
#include <string.h>

#define LONG "key,sample,stream,index,value,w\n"

/* A table in memory that a test may change. */
static char text[400];

static sheaf_status open_table(const char *layout, sheaf_context *cx, sheaf_dataset **out)
{
	sheaf_source *source;
	sheaf_open_options options = {
		.size = sizeof options, .format = "csv", .sequences = &(sheaf_sequence_options){.layout = layout}};
	sheaf_bytes bytes = {(const uint8_t *)text, strlen(text)};
	*out = NULL;
	SHEAF_TRY(sheaf_source_memory(bytes, "table.csv", cx, &source, &err));
	return sheaf_open_source(source, &options, cx, out, &err);
}

static sheaf_status read_rows(sheaf_dataset *d)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(d, &frame, &err)) == SHEAF_OK) {
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* ---- tables that change ---- */

/* The table is opened, `from` in it becomes `to`, of the same length, and it is read. */
typedef struct change {
	const char *layout, *table, *from, *to, *told;
} change;

static const change changes[] = {
	{"wide", "key,sample,B\n5,0,1:1 3:2\n", "3:2", "4:2",
     "table.csv: sequence 5, its row 0, column \"B\": expected an index that was there in the first pass, "
     "found a larger one"},
	{"wide", "key,sample,B\n5,0,1:1 3:2\n", "3:2", "3-2",
     "column \"B\": expected entries like 3:0.5, found another text"},
	{"lists", "key,B\n5,\"[[[1,1]]]\"\n", "[[[1,1]]]", "[[[1,1]]}", "column \"B\": expected a list, found "},
	{"lists", "key,B\n5,\"[[[1,1]]]\"\n", "[1,1]", "[2,1]",
     "column \"B\": expected an index below 2, found "},
	{"lists", "key,A,B\n5,\"[[1]]\",\"[1,2]\"\n", "[1,2]", "[{},2]",
     "column \"B\": expected a number, found "},
	{"long", LONG "5,0,A,0,1,x\n5,0,B,3,2,x\n", "5,0,A", "5,0,C",
     "expected a stream that was there in the first pass, found another"},
	{"long", LONG "5,0,A,0,1,x\n5,0,B,3,2,x\n", "B,3", "B,4",
     "column \"B\": expected an index that was there in the first pass, found a larger one"},
	{"long", LONG "5,0,A,0,1,x\n5,0,B,3,25,x\n", "B,3,25", "B,-3,2",
     "expected a stream, a sample, an index and a value, found fewer"},
	/* Integers of 64 bits, which a float64 would round: of a sample, beside streams, in rows of their own. */
	{"wide", "key,sample,A\n5,0,9007199254740992\n", "0992", "0993",
     "sequence 5, its row 0, column \"A\": expected a number that float64 holds, found 9007199254740993"},
	{"wide", "key,sample,A,freq\n5,0,1,-9007199254740992\n", "0992", "0993",
     "column \"freq\": expected a number that float64 holds, found -9007199254740993"},
	{"wide", "key,sample,A,event.x\n5,0,1,18446744073709549568\n", "49568", "49569",
     "column \"event.x\": expected a number that float64 holds, found 18446744073709549569"},
	{"long", LONG "5,0,A,0,9007199254740992,x\n", "0992", "0993",
     "column \"A\": expected a number that float64 holds, found 9007199254740993"},
	/* Dense samples are without indices, so their values must come as in the first pass. */
	{"long", LONG "5,0,A,0,1,x\n5,0,A,1,2,x\n", "A,0", "A,1",
     "column \"A\": expected the values of dense samples in order, found another order"},
	{"long", LONG "5,0,A,0,1,x\n5,1,A,0,2,x\n", "5,1,A", "5,2,A",
     "column \"A\": expected the values of dense samples in order, found another order"},
	{"long", LONG "5,0,A,0,1,x\n5,0,A,1,2,x\n", "5,0,A,1", "6,0,A,1",
     "column \"A\": expected all values of a sample, found some of them"},
};

static void check_change(const change *c)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *d;
	size_t n = strlen(c->to);
	strcpy(text, c->table);
	assert_ok(open_table(c->layout, cx, &d));
	char *at = strstr(text, c->from);
	assert_non_null(at);
	memmove(at + n, at + strlen(c->from), strlen(at + strlen(c->from)) + 1);
	memcpy(at, c->to, n);
	sheaf_status status = read_rows(d);
	if (status != SHEAF_DATA) print_error("%s, then %s: %s\n", c->table, c->to, err.message);
	assert_int_equal(status, SHEAF_DATA);
	assert_message(c->told);
	sheaf_close(d);
	end_context(cx);
}

static void test_tables_that_change(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) check_change(&changes[i]);
}

/* ---- options ---- */

static void test_a_layout_that_is_none(void **state)
{
	(void)state;
	sheaf_dataset *d;
	sheaf_context *cx = usual_context();
	strcpy(text, "key,sample,A\n5,0,1\n");
	assert_int_equal(open_table("broad", cx, &d), SHEAF_USAGE);
	assert_message("--sequences: expected wide, long or lists, found broad");
	end_context(cx);
}

/* ---- memory ---- */

static sheaf_status open_and_read(const char *layout, sheaf_context *cx)
{
	sheaf_dataset *d;
	sheaf_status status = open_table(layout, cx, &d);
	if (status == SHEAF_OK) status = read_rows(d);
	sheaf_close(d);
	return status;
}

/* Whichever allocation fails, that is reported, and nothing is leaked. */
static void check_failing(const char *layout, const char *rows)
{
	bool through = false;
	strcpy(text, rows);
	for (int64_t fail_at = 1; !through; fail_at++) {
		allocator memory = {0};
		sheaf_context_options how = options_with(&memory);
		how.threads = 1;
		sheaf_context *cx = context_with(&how);
		memory.fail_at = memory.calls + fail_at;
		sheaf_status status = open_and_read(layout, cx);
		through = memory.calls < memory.fail_at;
		if (status != SHEAF_OK) assert_int_equal(status, SHEAF_NOMEM);
		if (through) assert_ok(status);
		end_context(cx);
	}
}

static void test_failing_allocations(void **state)
{
	(void)state;
	check_failing("wide", "key,sample,A.0,A.1,B,name,freq\n5,0,1,2,3:1,x,1\n5,1,1,2,,y,2\n6,0,3,4,1:1,z,3\n");
	check_failing("long", LONG "5,0,A,0,1,x\n5,1,A,0,1,y\n5,0,B,3,2,x\n5,1,B,0,2,y\n6,0,A,0,2,x\n");
	check_failing("lists", "sequence,A,B,name\n0,\"[[1,2]]\",\"[[[1,1]],[]]\",\"[\"\"x\"\",null]\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_that_change),
		cmocka_unit_test(test_a_layout_that_is_none),
		cmocka_unit_test(test_failing_allocations),
	};
	return cmocka_run_group_tests_name("sequences", tests, NULL, NULL);
}
