/* SPDX-License-Identifier: MIT */
/* Rows before a flaw are given before it is reported: in every format whose rows follow one another,
 * under every view, for any size of pieces and any number of threads. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct flawed {
	const char *name, *format, *text;
	size_t size; /* 0: as long as the text */
	const char *message;
	const char *rows; /* as JSON */
	int64_t max_errors;
	sheaf_setting settings[2];
	sheaf_open_options open; /* what else there is to say */
} flawed;

#define CTF_GOOD "0 |A 1 2 |B 1:1\n1 |A 3 4 |B 2:1\n1 |A 5 6 |B 2:2\n"
#define CTF_ROWS \
	"{\"key\":0,\"streams\":{\"A\":[[1,2]],\"B\":[[[1,1]]]}}\n" \
	"{\"key\":1,\"streams\":{\"A\":[[3,4],[5,6]],\"B\":[[[2,1]],[[2,2]]]}}\n"
#define MTX "%%MatrixMarket matrix coordinate "
#define AB12 "{\"row\":0,\"cells\":{\"a\":1,\"b\":2}}\n"
#define AB34 "{\"row\":1,\"cells\":{\"a\":3,\"b\":4}}\n"
#define LENS_GOOD "I: 1 2 T: 1;\nI: 3 4 T: 0;\n"
#define LENS_ROW(key, inputs, target) \
	"{\"key\":" key ",\"streams\":{\"inputs\":[[" inputs "]],\"targets\":[[" target \
	"]],\"name\":null,\"proc\":null," \
	"\"freq\":1,\"event.max\":[1],\"event.min\":[0],\"event.grace\":[0],\"event.proc\":[null]}}\n"
#define LENS_EXAMPLE(number, inputs, target) \
	"{\"example\":" number \
	",\"name\":null,\"proc\":null,\"freq\":1,\"events\":[{\"proc\":null,\"max\":null,\"min\":null," \
	"\"grace\":null,\"defI\":0,\"actI\":1,\"defT\":0,\"actT\":1,\"inputs\":0,\"targets\":1}],\"lists\":[[{" \
	"\"group\":null," \
	"\"dense\":[" inputs "],\"first\":0}],[{\"group\":null,\"dense\":[" target "],\"first\":0}]]}\n"
#define LENS_ROWS LENS_ROW("0", "1,2", "1") LENS_ROW("1", "3,4", "0")

static const flawed cases[] = {
	{"a number that is none", "ctf", CTF_GOOD "2 |A x 1 |B 1:1\n3 |A 1 1 |B 1:1\n", 0, ":4:", CTF_ROWS},
	{"in the midst of a sequence", "ctf", CTF_GOOD "2 |A 1 1 |B 1:1\n2 |A x 1 |B 1:1\n", 0, ":5:", CTF_ROWS},
	{"after one that is tolerated", "ctf",
     "0 |A 1 y |A 1 2 |B 1:1\n1 |A 3 4 |B 2:1\n1 |A 5 6 |B 2:2\n2 |A 7 7 |A z 1 |B 1:1\n", 0, ":4:", CTF_ROWS,
     1},
	{"some columns", "ctf", CTF_GOOD "2 |A x 1 |B 1:1\n", 0,
     ":4:", "{\"key\":0,\"streams\":{\"B\":[[[1,1]]]}}\n{\"key\":1,\"streams\":{\"B\":[[[2,1]],[[2,2]]]}}\n",
     .open = {.select = {.streams = "B"}}},
	{"some rows", "ctf", CTF_GOOD "2 |A x 1 |B 1:1\n", 0,
     ":4:", "{\"key\":1,\"streams\":{\"A\":[[3,4],[5,6]],\"B\":[[[2,1]],[[2,2]]]}}\n",
     .open = {.select = {.skip = 1}}},
	{"type", "csv", "a,b\n1,2\n3,4\nx,5\n6,7\n", 0, ":4:1", AB12 AB34, 0, {{"columns", "a:int64,b:int64"}}},
	{"count of fields", "csv", "a,b\n1,2\n3,4\n5\n6,7\n", 0, ":4:1", AB12 AB34},
	{"a row left out, then one refused", "csv", "a,b\n1,2\n9\n3,4\n5\n6,7\n", 0, ":5:1", AB12 AB34, 1},
	{"cells as a matrix", "csv", "a,b\n1,2\n3,4\n5\n6,7\n", 0, ":4:1",
	 "[[0,0],1],[[0,1],2],[[1,0],3],[[1,1],4]", .open = {.tensor = &(sheaf_tensor_options){.matrix = true}}},
	{"cells as entries", "csv", "a,b,c\n0,0,2\n1,1,4\n5\n", 0, ":4:1", "[[0,0],2],[[1,1],4]",
	 .open = {.tensor = &(sheaf_tensor_options){.coordinates = "a,b", .shape = "9,9"}}},
	{"cells as sequences", "csv", "a,b\n1,2\n3,4\n5\n6,7\n", 0, ":4:1",
     "{\"key\":0,\"streams\":{\"a\":[[1]],\"b\":[[2]]}}\n{\"key\":1,\"streams\":{\"a\":[[3]],\"b\":[[4]]}}\n",
     .open = {.rows = SHEAF_TAKES_SEQUENCES}},
	{"JSON", "jsonl", "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n{\"a\":3,\n{\"a\":5,\"b\":6}\n", 0,
     ":3:", AB12 AB34},
	{"a value of JSON", "jsonl", "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n{\"a\":3,\"b\":[]}\n", 0,
     ":3:", AB12 AB34},
	{"a feature", "svmlight", "1 1:2\n-1 2:3\n1 x:4\n1 3:3\n", 0, ":3:",
     "{\"key\":0,\"streams\":{\"label\":[[1]],\"features\":[[[0,2]]]}}\n"
     "{\"key\":1,\"streams\":{\"label\":[[-1]],\"features\":[[[1,3]]]}}\n"},
	{"a place", "matrixmarket", MTX "real general\n3 3 4\n1 1 1.5\n2 2 2\n4 1 1\n1 3 3\n", 0,
     ":5:", "[[0,0],1.5],[[1,1],2]"},
	{"a diagonal", "matrixmarket", MTX "integer skew-symmetric\n3 3 4\n2 1 1\n3 2 2\n2 2 1\n3 1 3\n", 0,
     ":5:", "[[1,0],1],[[2,1],2]"},
	{"narrow values", "matrixmarket",
     "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type int8_t\n3 3 4\n"
     "1 1 1\n2 2 -2\n3 1 300\n1 3 3\n",
     0, ":6:", "[[0,0],1],[[1,1],-2]"},
	{"after narrow values", "matrixmarket",
     "%%MatrixMarket matrix coordinate integer general\n%%GraphBLAS type int8_t\n3 3 4\n"
     "1 1 1\n2 2 -2\n3 1 x\n1 3 3\n",
     0, ":6:", "[[0,0],1],[[1,1],-2]"},
	{"narrow reals", "matrixmarket",
     "%%MatrixMarket matrix coordinate real general\n%%GraphBLAS type float\n3 3 4\n"
     "1 1 1.5\n2 2 2\n3 x 1\n1 3 3\n",
     0, ":6:", "[[0,0],1.5],[[1,1],2]"},
	{"turned round", "matrixmarket", MTX "real general\n3 3 4\n1 2 1.5\n3 1 2\n4 1 1\n1 3 3\n", 0,
     ":5:", "[[1,0],1.5],[[0,2],2]", .open = {.select = {.transpose = true}}},
	{"expanded", "matrixmarket", MTX "real symmetric\n3 3 4\n2 1 1.5\n3 3 2\n4 1 1\n3 1 3\n", 0,
	 ":5:", "[[1,0],1.5],[[0,1],1.5],[[2,2],2]",
	 .open = {.tensor = &(sheaf_tensor_options){.entries = SHEAF_ENTRIES_EXPANDED}}},
	{"coordinates", "tns", "1 1 1 4\n1 2 1 5\n1 x 1 6\n1 1 2 7\n", 0, ":3:", "[[0,0,0],4],[[0,1,0],5]"},
	{"an example", "lens", LENS_GOOD "I: 1 x T: 1;\nI: 5 6 T: 1;\n", 0, ":3:", LENS_ROWS},
	{"an example after one that is left out", "lens",
     "I: 1 2 T: 1;\nI: y T: 1;\nI: 3 4 T: 0;\nI: 1 x T: 1;\n", 0, ":4:", LENS_ROWS, 1},
	{"a unit that a group has not",
     "lens",
     LENS_GOOD "i: 1 9 T: 1;\nI: 5 6 T: 1;\n",
     0,
     ":3:",
     LENS_ROWS,
     0,
     {{"group", "inputs:2:input"}, {"group", "targets:1:output"}}},
	{"as it is spelled", "lens", LENS_GOOD "I: 1 x T: 1;\nI: 5 6 T: 1;\n", 0,
     ":3:", LENS_EXAMPLE("0", "1,2", "1") LENS_EXAMPLE("1", "3,4", "0"), .open = {.view = SHEAF_VIEW_JSON}},
	{"a cell",
     "scidb",
     "\x01\x02\x03",
     0,
     "byte 2",
     "{\"row\":0,\"cells\":{\"a0\":513}}\n",
     0,
     {{"format-string", "(int16)"}}},
	{"a null",
     "scidb",
     "\xff\x07\xff\x08\x01\x00\xff\x09",
     8,
     "byte 4",
     "{\"row\":0,\"cells\":{\"a\":7}}\n{\"row\":1,\"cells\":{\"a\":8}}\n",
     0,
     {{"schema", "<a:int8 not null>[i=0:*]"}, {"format-string", "(int8 null)"}}},
	{"beyond the array",
     "scidb",
     "\x07\x08\x09",
     3,
     "2 cells",
     "{\"row\":0,\"cells\":{\"a\":7}}\n{\"row\":1,\"cells\":{\"a\":8}}\n",
     0,
     {{"schema", "<a:int8 not null>[i=0:1]"}}},
};

static sheaf_buffer said;

static void keep(const sheaf_dataset *dataset, const sheaf_frame *frame, sheaf_builder *text)
{
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	assert_ok(sheaf_frame_check(frame, schema, SHEAF_CHECK_FULL, &err));
	assert_ok(
		sheaf_rows_text(frame, schema, SHEAF_JSON, sheaf_dataset_row(dataset), 0, frame->nrows, &said, &err));
	sheaf_builder_append(text, said.data, said.size);
}

static void read_up_to_the_flaw(const flawed *c, int64_t piece_bytes, int threads)
{
	sheaf_context_options options = {.size = sizeof options, .threads = threads, .max_errors = c->max_errors};
	sheaf_context *cx = context_with(&options);
	sheaf_dataset *dataset;
	sheaf_builder text;
	sheaf_open_options open = c->open;
	const sheaf_frame *frame;
	sheaf_status status;
	open.size = sizeof open;
	open.format = c->format;
	open.settings = c->settings;
	open.nsettings = !!c->settings[0].name + !!c->settings[1].name;
	open.piece_bytes = piece_bytes;
	sheaf_builder_begin(&text, cx, NULL);
	sheaf_bytes bytes = {(const uint8_t *)c->text, c->size ? c->size : strlen(c->text)};
	assert_ok(open_bytes(bytes, "flawed", &open, cx, &dataset));
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) keep(dataset, frame, &text);
	assert_true(status == SHEAF_DATA || status == SHEAF_SHORT);
	assert_message(c->message);
	sheaf_builder_byte(&text, '\0');
	assert_text(c->rows, (const char *)text.data);
	sheaf_builder_drop(&text);
	sheaf_buffer_reset(&said);
	sheaf_close(dataset);
	end_context(cx);
}

static void test_rows_before_a_flaw(void **state)
{
	static const int64_t pieces[] = {1, 20, 60, 1000, 0};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t p = 0; p < COUNT(pieces); p++)
			for (int threads = 1; threads < 4; threads += 2) {
				print_message("# %s: %s, pieces of %lld bytes, %d threads\n", cases[i].format, cases[i].name,
				              (long long)pieces[p], threads);
				read_up_to_the_flaw(&cases[i], pieces[p], threads);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_before_a_flaw)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
