/* SPDX-License-Identifier: MIT */
/* Delimited text: what each message says and where it points, pieces of any size, and what the scans below it
 * find. Files with one rule each are in tests/files. */
#include "dataset/dataset.h"
#include "number/date.h"
#include "number/kernels/marks.h"
#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sheaf_status read_rows(const char *format, const char *input, const char *columns, int64_t piece_bytes,
                              record *r, char *rows, size_t room)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_setting setting = {"columns", columns};
	sheaf_open_options open = {.size = sizeof open,
	                           .format = format,
	                           .settings = &setting,
	                           .nsettings = columns ? 1 : 0,
	                           .piece_bytes = piece_bytes};
	sheaf_status status =
		open_bytes((sheaf_bytes){(const uint8_t *)input, strlen(input)}, "x", &open, r->cx, &dataset);
	rows[0] = '\0';
	while (status == SHEAF_OK && (status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		sheaf_buffer text = {0};
		assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_ok(sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_TEXT,
		                          sheaf_dataset_row(dataset), 0, frame->nrows, &text, &err));
		assert_true(strlen(rows) + text.size < room);
		if (text.size) strncat(rows, (const char *)text.data, text.size);
		sheaf_buffer_reset(&text);
	}
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* ---- messages ---- */

typedef struct message {
	const char *format, *input, *columns;
	sheaf_severity severity;
	int64_t line, column, byte;
	const char *rule, *part;
} message;

static const message messages[] = {
	{"csv", "a,b\n1,2\n3\n", NULL, SHEAF_ERROR, 3, 1, 8, "number of fields",
     "expected 2 fields, found 1; the row is left out"},
	{"csv", "a,b\n1,2,\n", NULL, SHEAF_ERROR, 2, 1, 4, "number of fields", "expected 2 fields, found 3"},
	{"csv", "a,b\n1,\"x\"z\n", NULL, SHEAF_ERROR, 2, 6, 9, "text after a quote",
     "found \"z\"; the row is left out"},
	{"csv", "a,b\n1,\"x\ny\"z\n", NULL, SHEAF_ERROR, 2, 3, 6, "open quote",
     "expected a quote that closes the field, found the next one on line 3, and \"z\" after it"},
	{"csv", "a,b\n0,0\n\"k\",\"x\n\ny\",3\n", NULL, SHEAF_ERROR, 3, 1, 8, "number of fields",
     "expected 2 fields, found 3, one of which spans several lines, from the quote on line 3, column 5"},
	{"csv", "a,b\r\r1,2\r", NULL, SHEAF_WARNING, 2, 1, 4, "blank line", "it is ignored"},
	{"csv", "a,b\r\"x\ry\",2\r3", NULL, SHEAF_ERROR, 4, 1, 12, "number of fields", "found 1"},
	{"csv", "a;b\n1;2\n", NULL, SHEAF_NOTE, 1, 1, 0, "delimiter",
     "expected fields separated by comma, found semicolon; read with --delimiter semicolon"},
	{"csv",
     "\xef\xbb\xbf"
     "a,a\n1,2\n",
     NULL, SHEAF_WARNING, 1, 1, 3, "name twice", "found \"a\" again; the column is \"a.1\""},
	{"csv", "a,b\nx,1,2\ny,3,4\n", NULL, SHEAF_NOTE, 1, 1, 0, "first column without a name",
     "expected names of 3 columns, found 2; the first column has row names and is called a0"},
	{"csv", "a,b,c\n1,NA,n/a\nNULL,2,x\n", NULL, SHEAF_WARNING, 1, 1, 0, "missing values in doubt",
     "expected values of one type in column \"a\" (and 1 more), found words like NA"},
	{"csv", "a,b\nc,d\n", NULL, SHEAF_WARNING, 1, 1, 0, "header in doubt",
     "found a,b; it is taken for names, since most tables have them (--header no takes it for values)"},
	{"tsv", "a\tb\n1\t\"x, y\"\n2\t3\n", NULL, SHEAF_NOTE, 1, 1, 0, "quotes",
     "found quotes around whole fields; read with --quoted text"},
	{"csv", "a,b\n\"x\ny\",2\n3\n", NULL, SHEAF_ERROR, 4, 1, 12, "number of fields", "found 1"},
	{"csv", "a,b\n1,\"x\n2,y\n", NULL, SHEAF_ERROR, 2, 3, 6, "open quote",
     "expected a quote that closes the field, found the end of the input"},
	{"csv", "a,b\n1,y\"\n", NULL, SHEAF_BREACH, 2, 4, 7, "quote inside of a field", "it is taken as it is"},
	{"csv", "a,b\n\n1,2\n", NULL, SHEAF_WARNING, 2, 1, 4, "blank line", "it is ignored"},
	{"csv", "a,b\n0.5,9007199254740993\n1,1.5\n", NULL, SHEAF_WARNING, 2, 5, 8, "integer rounded",
     "column \"b\": expected an integer that the column's type holds"},
	{"csv", "a\n-1e999\n", NULL, SHEAF_WARNING, 2, 1, 2, "number overflow",
     "found \"-1e999\"; read as an infinity"},
	{"csv", "a,b\nx,1\n\"y\nz\",256\n", "a:string,b:uint8", SHEAF_ERROR, 4, 4, 14, "field type",
     "column \"b\": expected a uint8, found \"256\"; the row is left out"},
	{"csv", "a,b\nx,\n", "a:string,b:bool", SHEAF_ERROR, 2, 3, 6, "field type",
     "expected a bool (true or false), found nothing"},
	{"csv", "a\n2012-02-30 00:00:00\n", "a:datetime", SHEAF_ERROR, 2, 1, 2, "field type",
     "expected a datetime"},
	{"csv", "a\nAP=\n", "a:binary", SHEAF_ERROR, 2, 1, 2, "field type",
     "expected bytes in base64, found \"AP=\""},
	{"tsv", "a\tb\n1\ty\\\n", NULL, SHEAF_ERROR, 2, 3, 6, "field type",
     "column \"b\": expected a string, found \"y\\\""},
	{"tsv", "a\tb\n1\t2\t3\r\n", NULL, SHEAF_ERROR, 2, 1, 4, "number of fields",
     "expected 2 fields, found 3"},
};

static void test_messages(void **state)
{
	(void)state;
	char rows[500];
	for (size_t i = 0; i < COUNT(messages); i++) {
		const message *m = &messages[i];
		for (int64_t piece = 1; piece < 40; piece += 13) {
			record r;
			begin(&r, (sheaf_context_options){.size = sizeof(sheaf_context_options), .validate = true});
			assert_ok(read_rows(m->format, m->input, m->columns, piece, &r, rows, sizeof rows));
			assert_int_equal(r.n, 1);
			const finding *f = &r.found[0];
			if (f->severity != m->severity || f->place.line != m->line || f->place.column != m->column ||
			    f->place.byte != m->byte)
				fail_msg("message %zu: found %s", i, f->text);
			assert_text(m->rule, f->rule);
			if (!strstr(f->text, m->part)) fail_msg("expected \"%s\", found %s", m->part, f->text);
			end(&r);
		}
	}
}

static const char *const refused[][3] = {
	{"", NULL, "expected a line with the names of columns"},
	{"\xff\xfe\n", NULL, "found that the file ends inside a character"},
	{"a,b\r1,2\n", NULL,
     "expected lines that end alike, with LF, CR LF or CR, found a CR alone before an LF"},
	{"a,b\n", "a:int64", NULL},
	{"1,2\n", "a:int64", "expected 1 columns, as --columns says"},
	{"a\n", "a", "--columns: expected NAME:TYPE, found \"a\""},
	{"a\n", ":int64", "--columns: expected NAME:TYPE, found \":int64\""},
	{"a\n", "a:int", "--columns: expected a type (bool, char, int8 to uint64"},
	{"a\n", "a:int8,a:int8", "--columns: expected a name for each column"},
	{"a\n", "<a:int8", "--columns: expected '>' or ','"},
	{"a\n", "a:int8 not", "--columns: expected null after not"},
};

static void test_what_is_refused(void **state)
{
	(void)state;
	char rows[500];
	for (size_t i = 0; i < COUNT(refused); i++) {
		record r;
		begin(&r, (sheaf_context_options){.size = sizeof(sheaf_context_options)});
		sheaf_status status = read_rows("csv", refused[i][0], refused[i][1], 0, &r, rows, sizeof rows);
		assert_int_equal(status != SHEAF_OK, refused[i][2] != NULL);
		if (status) assert_message(refused[i][2]);
		end(&r);
	}
}

/* The delimiter, if it is not given: the first row's first field shows it. */
static void test_delimiters_found(void **state)
{
	static const struct {
		const char *format, *input, *row;
	} cases[] = {
		{"csv", "a;b\n1;2\n", "0  a 1  b 2"},
		{"csv", "a\tb\n1\t2\n", "0  a 1  b 2"},
		{"csv", "a|b\n1|2\n", "0  a 1  b 2"},
		{"tsv", "a,b\n1,2\n", "0  a 1  b 2"},
		{"csv", "\"a;b\"\n1\n", "0  a;b 1"},
		{"csv", "a b\n1\n", "0  a b 1"},
		{"csv", "a,b;c\n1,2;3\n", "0  a 1  b;c \"2;3\""},
		{"csv", "a,b;c;d\n1,2;3;4\n5,6\n7,8\n", "0  a 1  b;c;d \"2;3;4\""},
		{"csv", "1,5;2,5\n1,5;2\n", "0  a0 \"1,5\"  a1 \"2,5\""},
		{"csv", "1,5\n2,5\n", "0  a0 1  a1 5"},
		{"csv", "a;b|c;d\n1;2|3;4\n", "0  a 1  b|c \"2|3\"  d 4"},
		{"csv", "a;'b;c'\n1;'2;3'\n", "0  a 1  b;c \"2;3\""},
		{"csv", "a;\"b\nc\"\n1;2\n", "0  a 1  b\nc 2"},
		{"csv", "a;b\n1;2\n3\n", "0  a;b \"1;2\""},
		{"csv", "a;b\r1;2\r", "0  a 1  b 2"},
		{"tsv", "a, b\nc, d\n", "0  a, b \"c, d\""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char rows[500];
		record r;
		begin(&r, (sheaf_context_options){.size = sizeof(sheaf_context_options)});
		assert_ok(read_rows(cases[i].format, cases[i].input, NULL, 0, &r, rows, sizeof rows));
		if (strncmp(rows, cases[i].row, strlen(cases[i].row)) != 0)
			fail_msg("%s: expected %s, found %s", cases[i].input, cases[i].row, rows);
		end(&r);
	}
}

/* Whether the first line has names, and whether that is in doubt. */
static void test_headers(void **state)
{
	static const struct {
		const char *input;
		bool names, doubt;
	} cases[] = {
		{"a,b\nc,d\n", true, true},
		{"a,5\n1,6\n", false, false},
		{"a,5\nb,6\n", false, false},
		{"NA,5\n1,6\n", false, true},
		{"c,1990\nd,5\n", false, false},
		{"c,1990,1991\nd,5,6\n", true, false},
		{"c,1990,1992,1993\nd,5,6,7\n", true, true},
		{"c,1990,1990\nd,5,6\n", false, false},
		{"c,1990,-1\nd,5,6\n", false, false},
		{"c,999,1000\nd,5,6\n", false, false},
		{"c,2999,3000\nd,5,6\n", false, false},
		{"c,1000,2999\nd,5,6\n", false, false},
		{"c,1990,1991\nd,5,6\ne,2001,2002\n", false, false},
		{"1990,1991\n5,6\n", true, false},
		{"1990\n5\n", false, false},
		{"0,1,2\n5,6,8\n", true, false},
		{"0,1,2\n5,6,7\n", false, false},
		{"0,1,2\n5,6,8\n0,1,2\n", false, false},
		{"0,2,4\n5,6,8\n", true, true},
		{"1,2,3\n5,6,8\n", true, true},
		{"0,1\n5,6\n", false, false},
		{",0,1\nx,5,6\n", true, false},
		{",0,1\nx,5,6\ny,7,8\n", true, false},
		{",0\n0,5\n1,6\n", true, false},
		{",0,2\nx,5,6\n", false, false},
		{",1\nx,5\ny,6\n", false, true},
		{",0,1\nx,5,6\n,0,1\n", false, false},
		{"id,name\na,b\n", true, false},
		{"id\n5\n", true, false},
		{"first_name,lastName\nAnna,Smith\n", true, false},
		{"Country\nFrance\nItaly\n", true, false},
		{"France,Paris\nItaly,Rome\n", true, true},
		{"the name of a city\nand of a river\n", true, true},
		{"name,type\ncity,text\ncode,date\nkey,number\n", true, true},
		{"a,,b\nx,1,z\n", true, true},
		{"a,,b\nx,,z\n", true, true},
		{"a,,b\nx,,1\n", true, false},
		{",\n1,2\n", false, false},
		{"a,1.5\n2,3\n", false, false},
		{"a,2020-01-02\n2,3\n", true, false},
		{"a,2020-01-02\n2,null\n", true, false},
		{"a,2020-01-02\n2,3\nb,x\n", true, true},
		{"a,2020-01-02,1.5\n2,3,4\n", false, false},
		{"a,2020-01-02,5\n2,3,4\n", false, false},
		{",5%,true\nx,-3,4.5\n", true, false},
		{"2019,5%\n", false, false},
		{"na,inf,1 unit\n1,2,3\n4,5,6\n", true, false},
		{"-113.8.1,-113.9.1\n0.5,2\n0.3,4\n", true, false},
		{"Pop,1751,1755,1762\nFrance,5,6,7\nItaly,8,9,12\n", true, false},
		{"\"Smith\",5\n\"Jones\",6\n", false, false},
		{"red,round\nblue,square\nred,round\nblue,round\n", false, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char rows[500];
		record r;
		int64_t data = -1;
		begin(&r, (sheaf_context_options){.size = sizeof(sheaf_context_options)});
		assert_ok(read_rows("csv", cases[i].input, NULL, 0, &r, rows, sizeof rows));
		for (const char *at = cases[i].input; *at; at++) data += *at == '\n';
		for (const char *at = rows; *at; at++) data -= *at == '\n';
		bool doubt = r.n > 0 && strcmp(r.found[0].rule, "header in doubt") == 0;
		if ((data == 0) != cases[i].names || doubt != cases[i].doubt)
			fail_msg("%s: expected %s%s, found %s (%d findings)", cases[i].input,
			         cases[i].names ? "names" : "values", cases[i].doubt ? " in doubt" : "", rows, r.n);
		end(&r);
	}
}

/* Rejected rows are left out, and nothing of them stays in any column. */
static void test_rows_left_out(void **state)
{
	(void)state;
	static const char input[] = "s,n,d\n\"a\nb\",1,0.5\nx,300,1\ny,?3,nan\nz\n\"w\"w,1,1\nv,-1,2\n";
	for (int64_t piece = 1; piece < 80; piece++) {
		char rows[500];
		record r;
		begin(&r, (sheaf_context_options){.size = sizeof(sheaf_context_options), .max_errors = 3});
		assert_ok(read_rows("csv", input, "s:string,n:int8 null,d:double", piece, &r, rows, sizeof rows));
		assert_text("0  s \"a\\u000ab\"  n 1  d 0.5\n1  s \"y\"  n ?3  d nan\n2  s \"v\"  n -1  d 2\n", rows);
		assert_int_equal(r.n, 3);
		assert_int_equal(r.found[0].place.line, 4);
		assert_int_equal(r.found[1].place.line, 6);
		assert_int_equal(r.found[2].place.line, 7);
		end(&r);
	}
}

/* In angle brackets a column may be missing unless it says otherwise. */
static void test_columns_that_may_be_missing(void **state)
{
	(void)state;
	static const struct {
		const char *columns, *input, *rows;
	} cases[] = {{"<n:int8 not null,m:int8>", "n,m\n1,\n", "0  n 1  m null\n"},
	             {"<n:int8 not null,m:int8>", "n,m\n,1\n", NULL},
	             {"<n:int8 null,m:int8 not null>", "n,m\n,1\n", "0  n null  m 1\n"},
	             {"<n:int8 null,m:int8 not null>", "n,m\n1,\n", NULL},
	             {"n:int8,m:int8 null", "n,m\n1,\n", "0  n 1  m null\n"},
	             {"n:int8,m:int8 null", "n,m\n,1\n", NULL}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char rows[100];
		record r;
		begin(&r, (sheaf_context_options){.size = sizeof(sheaf_context_options)});
		sheaf_status status = read_rows("csv", cases[i].input, cases[i].columns, 100, &r, rows, sizeof rows);
		assert_int_equal(status, cases[i].rows ? SHEAF_OK : SHEAF_DATA);
		assert_text(cases[i].rows ? cases[i].rows : "", rows);
		end(&r);
	}
}

/* ---- types of the first part ---- */

/* Rows that are all alike, more than are looked at first, and then the last ones. */
static char *long_table(const char *row, const char *last)
{
	enum { ROWS = 50000 };
	size_t n = strlen(row), room = ROWS * n + 100;
	char *text = (char *)malloc(room), *at = text;
	assert_non_null(text);
	at += sprintf(at, "i,u,f,s,t\n");
	for (int r = 0; r < ROWS; r++, at += n) memcpy(at, row, n);
	sprintf(at, "%s\n", last);
	return text;
}

/* Fields and rows of everything, as text. */
static sheaf_status read_table(const char *text, sheaf_glance glance, int threads, record *r,
                               sheaf_buffer *out)
{
	sheaf_dataset *dataset;
	sheaf_frame all;
	sheaf_open_options open = {.size = sizeof open, .format = "csv", .glance = glance};
	begin(r, (sheaf_context_options){
				 .size = sizeof(sheaf_context_options), .max_errors = 3, .threads = threads});
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)text, strlen(text)}, "x", &open, r->cx, &dataset));
	sheaf_status status = sheaf_read_all(dataset, &all, &err);
	if (status == SHEAF_OK) {
		const sheaf_frame *more;
		assert_ok(sheaf_frame_check(&all, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_ok(
			sheaf_rows_text(&all, sheaf_dataset_schema(dataset), SHEAF_JSON, 0, 0, all.nrows, out, &err));
		assert_int_equal(sheaf_next(dataset, &more, &err), SHEAF_END);
	}
	sheaf_frame_free(&all);
	sheaf_close(dataset);
	return status;
}

static bool same_bytes(const sheaf_buffer *a, const sheaf_buffer *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Either they hold for all rows, or reading is stale before anything is found. */
static void test_speculation(void **state)
{
	(void)state;
	static const struct {
		const char *row, *last;
		bool holds;
	} cases[] = {
		{"7,18446744073709551615,0.5,x,2012-05-25 14:13:29\n", "-8,1,-1e5,\"y\",2012-05-26 14:13:29", true},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "8,2,3,4,2012-05-26 14:13:29",
	     true}, /* numbers are texts and doubles, too */
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "1.5,1,0.5,x,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "007,1,0.5,x,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "-0,1,0.5,x,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "18446744073709551615,1,0.5,x,2012-05-25 14:13:29", false},
		{"-7,1,0.5,x,2012-05-25 14:13:29\n", "18446744073709551615,1,0.5,x,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,00.5,x,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,-0,x,2012-05-25 14:13:29", true}, /* a double all the same */
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,1234567890123456789,x,2012-05-25 14:13:29",
	     false}, /* rounded, with a note */
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,,0.5,x,2012-05-25 14:13:29", false},
		{",1,0.5,x,2012-05-25 14:13:29\n", "7,1,,x,2012-05-25 14:13:29", false},
		{"null,1,0.5,x,2012-05-25 14:13:29\n", "7,1,0.5,x,2012-05-25 14:13:29",
	     false}, /* nothing is known of the type */
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,0.5,null,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,NA,x,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,0.5,x,2012-05-25 14:13:29.125", false},
		{"7,1,0.5,x,2012-05-25 14:13:29.125\n", "7,1,0.5,x,2012-05-25 14:13:29.125000", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,0.5,x", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "7,1,0.5,\"x,2012-05-25 14:13:29", false},
		{"7,1,0.5,x,2012-05-25 14:13:29\n", "", false}, /* a blank line */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = long_table(cases[i].row, cases[i].last);
		for (int threads = 1; threads <= 3; threads += 2) {
			record one, two;
			sheaf_buffer rows = {0}, again = {0};
			sheaf_status status = read_table(text, SHEAF_GLANCE_SPECULATIVE, threads, &one, &rows);
			sheaf_status plainly = read_table(text, SHEAF_GLANCE_NOT, threads, &two, &again);
			if ((status != SHEAF_STALE) != cases[i].holds) fail_msg("%s: %d", cases[i].last, status);
			if (cases[i].holds) {
				assert_int_equal(status, plainly);
				if (!same_bytes(&rows, &again)) fail_msg("%s: other rows", cases[i].last);
				assert_int_equal(one.n, two.n);
			}
			for (int f = 0; f < one.n; f++) assert_text(two.found[f].text, one.found[f].text);
			sheaf_buffer_reset(&rows);
			sheaf_buffer_reset(&again);
			end(&one);
			end(&two);
		}
		free(text);
	}
}

/* ---- dates ---- */

static void test_dates(void **state)
{
	(void)state;
	static const int64_t seconds[] = {0,         -1,           1337955209,        951782400,
	                                  951868799, -62135596800, -62167219201,      253402300800,
	                                  INT64_MAX, INT64_MIN,    INT64_MIN + 86400, INT64_MAX - 86400};
	static const char *const none[] = {"",
	                                   "2012-05-25",
	                                   "2012-05-25 14:13",
	                                   "2011-02-29 00:00:00",
	                                   "1900-02-29 00:00:00",
	                                   "2012-13-01 00:00:00",
	                                   "2012-00-01 00:00:00",
	                                   "2012-01-00 00:00:00",
	                                   "2012-01-01 24:00:00",
	                                   "2012-01-01 00:60:00",
	                                   "2012-01-01 00:00:60",
	                                   "02012-01-01 00:00:00",
	                                   "-0000-01-01 00:00:00",
	                                   "12-01-01 00:00:00",
	                                   "292277026596-12-04 15:30:08",
	                                   "-292277022657-01-27 08:29:51"};
	char text[SHEAF_DATE_MAX];
	int64_t found;
	seed_random(7);
	for (size_t i = 0; i < COUNT(seconds) + 10000; i++) {
		int64_t wanted = i < COUNT(seconds) ? seconds[i] : (int64_t)(next_random() >> random_below(60));
		const char *end = sheaf_print_datetime(text, wanted, i % 2 ? 'T' : ' ');
		assert_ptr_equal(sheaf_scan_datetime(text, end, &found), end);
		assert_int_equal(found, wanted);
		end = sheaf_print_offset(text, wanted);
		assert_ptr_equal(sheaf_scan_offset(text, end, &found), end);
		assert_int_equal(found, wanted);
	}
	for (size_t i = 0; i < COUNT(none); i++)
		if (sheaf_scan_datetime(none[i], none[i] + strlen(none[i]), &found))
			fail_msg("expected no date in \"%s\"", none[i]);
}

/* Parts of a second: what is printed is read again, in the same unit and in finer ones. */
static void test_fractions(void **state)
{
	(void)state;
	static const int64_t parts[] = {0, 1, -1, 999, -1000, INT64_MAX, INT64_MIN, INT64_MIN + 1};
	static const struct {
		const char *text;
		int digits; /* given; -1: none is read */
	} cases[] = {{"2012-05-25T14:13:29.", -1},
	             {"2012-05-25T14:13:29.1", 1},
	             {"2012-05-25T14:13:29.123456789", 9},
	             {"2012-05-25 14:13:29", 0},
	             {"2012-05-25", -1}};
	static const char *const zones[] = {"Z", "z", "+00:00", "-0000", "+00"};
	static const char west[] = "-0130";
	static const char *const durations[] = {"0.0001", "9223372036854775808", "-"}; /* none of them is one */
	char text[2 * SHEAF_DATE_MAX];
	int64_t found, seconds;
	int32_t nanoseconds;
	int given;
	seed_random(11);
	for (size_t i = 0; i < COUNT(parts) + 5000; i++) {
		int64_t wanted = i < COUNT(parts) ? parts[i] : (int64_t)(next_random() >> random_below(60));
		for (int digits = 0; digits <= 9; digits += 3) {
			sheaf_day day = {0};
			const char *end = sheaf_print_time_near(text, wanted, digits, 'T', &day);
			assert_ptr_equal(sheaf_scan_time(text, end, &seconds, &nanoseconds, &given), end);
			assert_int_equal(given, digits);
			assert_true(sheaf_join_time(seconds, nanoseconds, digits, &found));
			assert_int_equal(found, wanted);
			assert_int_equal(sheaf_split_time(wanted, digits, &given), seconds);
			assert_int_equal(given, nanoseconds);
			if (nanoseconds) assert_false(sheaf_join_time(seconds, nanoseconds, 0, &found));
			end = sheaf_print_duration(text, wanted, digits);
			assert_ptr_equal(sheaf_scan_duration(text, end, digits, &found), end);
			assert_int_equal(found, wanted);
		}
	}
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *end = cases[i].text + strlen(cases[i].text);
		bool read = sheaf_scan_time(cases[i].text, end, &seconds, &nanoseconds, &given) == end;
		if (read != (cases[i].digits >= 0) || (read && given != cases[i].digits))
			fail_msg("%s", cases[i].text);
	}
	for (size_t i = 0; i < COUNT(zones); i++) {
		const char *end = zones[i] + strlen(zones[i]);
		assert_ptr_equal(sheaf_scan_zone(zones[i], end, &found), end);
		assert_int_equal(found, 0);
	}
	assert_ptr_equal(sheaf_scan_zone(west, west + 5, &found), west + 5);
	assert_int_equal(found, -5400);
	assert_null(sheaf_scan_zone("x01", "x01" + 3, &found));
	assert_null(sheaf_scan_zone(west, west, &found));
	assert_false(sheaf_join_time(INT64_MAX / 1000 + 1, 0, 3, &found));
	for (size_t i = 0; i < COUNT(durations); i++)
		assert_null(
			sheaf_scan_duration(durations[i], durations[i] + strlen(durations[i]), i ? 0 : 3, &found));
}

/* ---- marks ---- */

/* Dates of one day, and of days in turn, are what each of them is by itself. */
static void test_dates_near_each_other(void **state)
{
	(void)state;
	sheaf_day day = {0};
	char alone[SHEAF_DATE_MAX], near[SHEAF_DATE_MAX];
	seed_random(8);
	for (int64_t i = 0, seconds = 0; i < 20000; i++) {
		seconds = i % 5 ? seconds + random_below(30000) : (int64_t)next_random();
		size_t n = (size_t)(sheaf_print_datetime(alone, seconds, 'T') - alone);
		assert_int_equal(sheaf_print_datetime_near(near, seconds, 'T', &day) - near, n);
		assert_memory_equal(alone, near, n);
	}
}

/* ---- texts ---- */

/* One quoted field after the other, of bytes with a special meaning somewhere; most have none. */
static void write_texts(const char *name, int rows)
{
	static const char special[] = ",;\t\n\r\"'\\ ?N", plain[] = "abfint01.-e";
	FILE *file = fopen(in_folder(name), "w");
	assert_non_null(file);
	fputs("s,t\n", file);
	for (int field = 0; field < 2 * rows; field++) {
		bool odd = random_below(4) == 0;
		fputc('"', file);
		for (int64_t n = random_below(odd ? 6 : 45); n > 0; n--) {
			const char *set = odd && random_below(2) ? special : plain;
			char c = set[random_below((int64_t)strlen(set))];
			if (c == '"') fputc('"', file);
			fputc(c, file);
		}
		fputs(field % 2 ? "\"\n" : "\",", file);
	}
	fclose(file);
}

static void convert_texts(const char *from, const char *to, const sheaf_setting *chosen, int n)
{
	char input[600];
	const char *inputs[] = {input};
	sheaf_context *cx = usual_context();
	sheaf_convert_options options = {
		.size = sizeof options,
		.force = true,
		.open = &(sheaf_open_options){
			.format = strchr(from, '.') + 1, .settings = chosen, .nsettings = n, .index = SHEAF_INDEX_NEVER}};
	snprintf(input, sizeof input, "%s", in_folder(from));
	assert_ok(sheaf_convert(inputs, 1, in_folder(to), &options, cx, &err));
	end_context(cx);
}

/* Whatever quotes and escapes are around them. */
static void test_texts_come_back(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		sheaf_setting there, back;
	} ways[] = {{"y.csv", {"out-dialect", "rfc"}, {"dialect", "rfc"}},
	            {"y.csv", {"out-dialect", "scidb"}, {"dialect", "scidb"}},
	            {"y.csv", {"out-delimiter", ";"}, {"delimiter", ";"}},
	            {"y.tsv", {"out-header", "yes"}, {"header", "yes"}},
	            {"y.tsv", {"out-delimiter", "pipe"}, {"delimiter", "pipe"}}};
	const sheaf_setting columns = {"columns", "s:string,t:string"};
	seed_random(9);
	write_texts("a.csv", 500);
	convert_texts("a.csv", "x.csv", &columns, 1);
	bytes_sink wanted = read_file("x.csv");
	for (size_t i = 0; i < COUNT(ways); i++) {
		const sheaf_setting there[] = {columns, ways[i].there},
							back[] = {columns, ways[i].back, {"out-delimiter", ","}, {"out-dialect", "rfc"}};
		convert_texts("x.csv", ways[i].name, there, 2);
		convert_texts(ways[i].name, "z.csv", back, 4);
		bytes_sink found = read_file("z.csv");
		assert_same_bytes(&wanted, &found);
		free_bytes(&found);
	}
	free_bytes(&wanted);
}

/* ---- entries of a tensor ---- */

static void write_no_entries(const char *format, record *r, double fill)
{
	static const int64_t shape[] = {2, 2};
	sheaf_schema schema = {0};
	sheaf_field *value;
	sheaf_writer *writer;
	sheaf_sink *sink;
	bytes_sink out = {0};
	sheaf_create_options options = {.size = sizeof options, .format = format};
	assert_ok(sheaf_schema_make_entries(&schema, r->cx, (sheaf_dimensions){2, shape}, &value, &err));
	sheaf_field_make_cell(value, SHEAF_NUMBER, SHEAF_F64, 1, false);
	schema.tensor.has_fill = true;
	memcpy(schema.tensor.fill, &fill, sizeof fill);
	snprintf(schema.tensor.layout, sizeof schema.tensor.layout, "CSR"); /* stands after the fill */
	assert_ok(sheaf_sink_function(write_bytes, &out, "out", r->cx, &sink, &err));
	assert_ok(sheaf_create_sink(sink, &schema, &options, r->cx, &writer, &err));
	assert_ok(sheaf_finish(writer, &err));
	sheaf_schema_free(&schema);
	free_bytes(&out);
}

static void test_fill_of_entries(void **state)
{
	(void)state;
	static const double fills[] = {0, 0.5};
	static const char *const without[] = {"csv", "matrixmarket", "tns", "npz"}; /* a place for a fill */
	for (size_t i = 0; i < COUNT(fills) * COUNT(without); i++) {
		double fill = fills[i / COUNT(without)];
		record r;
		begin(&r, (sheaf_context_options){.allow_loss = true});
		write_no_entries(without[i % COUNT(without)], &r, fill);
		int losses = 0;
		for (int k = 0; k < r.n; k++) losses += strcmp(r.found[k].rule, "fill value") == 0;
		assert_int_equal(losses, fill != 0);
		end(&r);
	}
}

static void test_marks(void **state)
{
	(void)state;
	static const uint8_t wanted[SHEAF_MARKS] = {',', '\n', '"', '"'};
	static const uint8_t likes[] = {',', '\n', '"', ',' ^ 0x80, '"' + 1, 0, 0xff, 'a', 'b', 'c', 'd', 'e'};
	seed_random(8);
	for (size_t size = 0; size < 300; size++) {
		uint8_t *text = (uint8_t *)malloc(
			size ? size : 1); /* of exactly this size, so that sanitizers see accesses beside it */
		sheaf_marks marks;
		assert_non_null(text);
		for (size_t i = 0; i < size; i++) text[i] = likes[random_below((int64_t)COUNT(likes))];
		sheaf_marks_begin(&marks, text, text + size, wanted);
		for (size_t i = 0; i < size; i++)
			if (text[i] == ',' || text[i] == '\n' || text[i] == '"')
				assert_ptr_equal(sheaf_marks_next(&marks), text + i);
		assert_null(sheaf_marks_next(&marks));
		assert_null(sheaf_marks_next(&marks));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_delimiters_found),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_rows_left_out),
		cmocka_unit_test(test_columns_that_may_be_missing),
		cmocka_unit_test(test_speculation),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_dates_near_each_other),
		cmocka_unit_test(test_fractions),
		cmocka_unit_test(test_fill_of_entries),
		cmocka_unit_test(test_marks),
		cmocka_unit_test_setup_teardown(test_texts_come_back, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
