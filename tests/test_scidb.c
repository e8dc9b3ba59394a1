/* SPDX-License-Identifier: MIT */
/* SciDB's binary files: each byte of cells, what is said of those that break a rule, and what the writer
 * refuses. Format strings and array schemas by themselves are in test_scidb_schemas.c; files with one rule
 * each in tests/files/scidb. */
#include "base/endian.h"
#include "record.h"
#include "scidb_words.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

typedef struct read_cells {
	record r;
	char rows[8000];
} read_cells;

static sheaf_status read_bytes_as(const void *data, size_t size, const sheaf_setting *given, int n,
                                  sheaf_context_options how, int64_t piece_bytes, read_cells *out)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_buffer text = {0};
	sheaf_open_options open = {.size = sizeof open,
	                           .format = "scidb",
	                           .settings = given,
	                           .nsettings = n,
	                           .piece_bytes = piece_bytes};
	begin(&out->r, how);
	out->rows[0] = '\0';
	sheaf_status status =
		open_bytes((sheaf_bytes){(const uint8_t *)data, size}, "x.scidb", &open, out->r.cx, &dataset);
	if (status) return status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_ok(sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON,
		                          sheaf_dataset_row(dataset), 0, frame->nrows, &text, &err));
		assert_true(strlen(out->rows) + text.size < sizeof out->rows);
		strncat(out->rows, (const char *)text.data, text.size);
	}
	sheaf_buffer_reset(&text);
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* One case: bytes, what they are read as, and what comes of it. */
typedef struct cell_case {
	const char *format, *schema; /* NULL: not given */
	const char *bytes;
	size_t size;
	const char *rows;    /* as JSON, without "row" and "cells"; NULL: an error */
	const char *finding; /* the first one: a part of its text; NULL: there is none */
	const char *rule;
	int64_t cell, byte;
	int64_t max_errors;
	bool validate, strict;
} cell_case;

#define BYTES(text) .bytes = text, .size = sizeof(text) - 1

static void check_case(const cell_case *c, int64_t piece_bytes)
{
	static read_cells cells;
	sheaf_setting given[2];
	char bare[8000] = "";
	int n = 0;
	if (c->format) given[n++] = (sheaf_setting){"format-string", c->format};
	if (c->schema) given[n++] = (sheaf_setting){"schema", c->schema};
	sheaf_context_options how = {.max_errors = c->max_errors, .validate = c->validate, .strict = c->strict};
	sheaf_status status = read_bytes_as(c->bytes, c->size, given, n, how, piece_bytes, &cells);
	if (c->rows && status) fail_msg("%s: %s", c->format, err.message);
	if (!c->rows && !status) fail_msg("%s: expected an error about %s, found none", c->format, c->finding);
	for (const char *line = cells.rows; c->rows && *line; line = strchr(line, '\n') + 1) {
		const char *begin = strstr(line, "\"cells\":") + 8, *end = strchr(line, '\n') - 1;
		strncat(bare, begin, (size_t)(end - begin));
	}
	if (c->rows) assert_text(c->rows, bare);
	if (c->rule) {
		assert_true(cells.r.n > 0);
		assert_text(c->rule, cells.r.found[0].rule);
		assert_int_equal(c->cell, cells.r.found[0].place.row);
		assert_int_equal(c->byte, cells.r.found[0].place.byte);
	} else if (c->rows) {
		assert_int_equal(0, cells.r.n);
	}
	if (c->finding && !strstr(c->rows ? cells.r.found[0].text : err.message, c->finding))
		fail_msg("expected %s, found %s", c->finding, c->rows ? cells.r.found[0].text : err.message);
	end(&cells.r);
}

static const cell_case cell_cases[] = {
	/* the page's sample */
	{.schema = "flatArray<A:int8 NOT NULL,B:int16,C:string,D:string NOT NULL>[row=0:1]",
     BYTES("\x07\xff\x2c\x01\x00\x00\x00\x00\x00\x03\x00\x00\x00hi\x00"
           "\xf8\x05\x00\x00\xff\x02\x00\x00\x00x\x00\x04\x00\x00\x00"
           "abc\x00"),
     .rows = "{\"A\":7,\"B\":300,\"C\":{\"null\":0},\"D\":\"hi\"}{\"A\":-8,\"B\":{\"null\":5},\"C\":\"x\","
             "\"D\":\"abc\"}"},
	/* every type, with and without null */
	{.format = "(bool,char,int8,int16,int32,int64,uint8,uint16,uint32,uint64)",
     BYTES("\x02\xe9\xff\xfe\xff\xfd\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xfd\xff\xff\xff"
           "\xfc\xff\xff\xff\xff\xff\xff\xff"),
     .rows = "{\"a0\":true,\"a1\":\"\xc3\xa9\",\"a2\":-1,\"a3\":-2,\"a4\":-3,\"a5\":-4,\"a6\":255,\"a7\":"
             "65534,\"a8\":4294967293,\"a9\":18446744073709551612}"},
	{.format = "(float,double,datetime,datetimetz)",
     BYTES("\x00\x00\xc0\x3f\x9a\x99\x99\x99\x99\x99\xb9\x3f\xff\xff\xff\xff\xff\xff\xff\xff\x80\x51\x01\x00"
           "\x00\x00\x00\x00\x20\x1c\x00\x00\x00\x00\x00\x00"),
     .rows = "{\"a0\":1.5,\"a1\":0.1,\"a2\":\"1969-12-31T23:59:59\",\"a3\":\"1970-01-02T00:00:00+02:00\"}"},
	{.format = "(string,binary,string(4),binary(2),rational,complex,indicator)",
     BYTES("\x02\x00\x00\x00\x61\x00\x01\x00\x00\x00\x00xy\x00\x00\x01\x02\x00\x01\x02\x03\x04\x05\x06\x07"
           "\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
           "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40\x01"),
     .rows = "{\"a0\":\"a\",\"a1\":{\"base64\":\"AA==\"},\"a2\":\"xy\",\"a3\":{\"base64\":\"AQI=\"},\"a4\":{"
             "\"base64\":\"AAECAwQFBgcICQoLDA0ODw==\"},"
             "\"a5\":[1,2],\"a6\":true}"},
	/* what a string may hold is looked at where somebody validates */
	{.format = "(string)", BYTES("\x02\x00\x00\x00\x61\x00"), .rows = "{\"a0\":\"a\"}", .validate = true},
	{.format = "(string)", BYTES("\x04\x00\x00\x00\x61\x00\x62\x00"), .rows = "{\"a0\":\"a\\u0000b\"}"},
	{.format = "(string)",
     BYTES("\x04\x00\x00\x00\x61\x00\x62\x00"),
     .rows = "{\"a0\":\"a\\u0000b\"}",
     .finding = "expected a string without NUL in it",
     .rule = "NUL in a string",
     .validate = true},
	{.format = "(int16 null, datetimetz null, string(3) null, binary null, rational null)",
     BYTES("\x7f\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00"
           "\x03\x00\x00\x00\x00"
           "\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
     .rows = "{\"a0\":{\"null\":127},\"a1\":{\"null\":1},\"a2\":{\"null\":2},\"a3\":{\"null\":3},\"a4\":{"
             "\"null\":4}}"},
	/* skips of all forms */
	{.format = "(skip(2),int8,skip null,skip,skip(3) null,string)",
     BYTES("ab\x05\x00\x01\x00\x00\x00z\x02\x00\x00\x00zz\x01zzz\x02\x00\x00\x00q\x00"),
     .rows = "{\"a0\":5,\"a1\":\"q\"}"},
	/* nothing at all */
	{.format = "(int64)", BYTES(""), .rows = ""},
	{.format = "(string)", BYTES(""), .rows = ""},
	/* what the server accepts and the page forbids */
	{.format = "(int8 null)",
     BYTES("\x80\x01\xff\x02"),
     .rows = "{\"a0\":1}{\"a0\":2}",
     .rule = "null byte",
     .cell = 0,
     .byte = 0,
     .finding = "x.scidb: cell 0, attribute \"a0\", byte 0: expected a null byte of 0xff before a value, or "
                "of 0 to 0x7f before none, found 0x80"},
	{.format = "(int8 null)",
     BYTES("\xff\x01\xfe\x02"),
     .strict = true,
     .finding = "cell 1, attribute \"a0\", byte 2: "},
	{.format = "(int8,int8 null)",
     BYTES("\x01\x00\x09"),
     .rows = "{\"a0\":1,\"a1\":{\"null\":0}}",
     .rule = "bytes under a null",
     .cell = 0,
     .byte = 1},
	{.format = "(string null)",
     BYTES("\x01\x02\x00\x00\x00zz"),
     .rows = "{\"a0\":{\"null\":1}}",
     .rule = "bytes under a null",
     .cell = 0,
     .byte = 0,
     .finding = "expected a count of 0 after the null byte, found 2"},
	{.format = "(string null)",
     BYTES("\x01\x02\x00\x00\x00\x00\x00"),
     .rows = "{\"a0\":{\"null\":1}}",
     .rule = "bytes under a null",
     .cell = 0,
     .byte = 0},
	{.format = "(string)",
     BYTES("\x03\x00\x00\x00"
           "abc\x00\x00\x00\x00"),
     .rows = "{\"a0\":\"abc\"}{\"a0\":\"\"}",
     .rule = "string without an end",
     .cell = 0,
     .byte = 0,
     .finding = "expected a string whose last byte is NUL, found byte 0x63"},
	{.format = "(string)",
     BYTES("\x00\x00\x00\x00"),
     .strict = true,
     .finding = "cell 0, attribute \"a0\", byte 0: expected a string whose last byte is NUL, found no byte"},
	{.format = "(string(3))", BYTES("abc"), .rows = "{\"a0\":\"abc\"}"},
	{.format = "(string(4))",
     BYTES("a\x00zz"),
     .rows = "{\"a0\":\"a\"}",
     .rule = "bytes after the end of a string",
     .cell = 0,
     .byte = 0},
	{.format = "(string)",
     BYTES("\x04\x00\x00\x00"
           "a\x00z\x00"),
     .rows = "{\"a0\":\"a\\u0000z\"}"},
	{.format = "(string)",
     BYTES("\x04\x00\x00\x00"
           "a\x00z\x00"),
     .rows = "{\"a0\":\"a\\u0000z\"}",
     .validate = true,
     .rule = "NUL in a string",
     .cell = 0,
     .byte = 0},
	/* input that ends too early */
	{.format = "(int64 null)",
     BYTES("\xff\x01\x00\x00\x00\x00\x00\x00\x00\xff"),
     .finding = "cell 1, attribute \"a0\", byte 10: expected 8 bytes of type int64, found the end of the "
                "input; the last cell that makes sense is 0"},
	{.format = "(int8,int32 null)",
     BYTES("\x01\xff\x01\x00\x00\x00\x02"),
     .finding =
         "cell 1, attribute \"a1\", byte 7: expected a null byte of 1 byte before a value of type int32"},
	{.format = "(int8,string)",
     BYTES("\x01\x02\x00"),
     .finding = "cell 0, attribute \"a1\", byte 1: expected a count of 4 bytes before a value of type "
                "string, found 2 to the end of the input; no cell before"},
	{.format = "(string)",
     BYTES("\xf0\xff\xff\xff"
           "abc"),
     .finding =
         "cell 0, attribute \"a0\", byte 4: expected 4294967280 bytes of type string, found 3 to the end"},
	{.format = "(int32,skip(4))",
     BYTES("\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00"),
     .finding =
         "cell 1, entry \"2\", byte 12: expected 4 bytes of type skip, found 1 to the end of the input"},
	/* the incomplete cell is left out: nothing says what was in it */
	{.format = "(int8,int16 null,string,binary(2))",
     BYTES("\x01\xff\x02\x00\x01\x00\x00\x00\x00zz\x01"),
     .max_errors = 1,
     .rows = "{\"a0\":1,\"a1\":2,\"a2\":\"\",\"a3\":{\"base64\":\"eno=\"}}",
     .rule = "end of input",
     .cell = 1,
     .byte = 12},
	{.format = "(int32 null)",
     .schema = "<a:int32 NOT NULL>",
     BYTES("\xff\x01\x00\x00\x00\x03\x00\x00\x00\x00"),
     .max_errors = 1,
     .rows = "{\"a\":1}",
     .rule = "null in a NOT NULL attribute",
     .cell = 1,
     .byte = 5},
	{.format = "(int32 null)",
     .schema = "<a:int32 NOT NULL>",
     BYTES("\xff\x01\x00\x00\x00\x03\x00\x00\x00\x00"),
     .finding = "cell 1, attribute \"a\", byte 5: expected a value, since the attribute is NOT NULL, found "
                "null, reason 3"},
	{.format = "(string null)",
     .schema = "<a:string NOT NULL>",
     BYTES("\x03\x00\x00\x00\x00\xff\x02\x00\x00\x00x\x00"),
     .max_errors = 1,
     .rows = "{\"a\":\"x\"}",
     .rule = "null in a NOT NULL attribute",
     .cell = 0,
     .byte = 0},
	/* an attribute may be nullable where the entry is not */
	{.format = "(int8)", .schema = "<a:int8>", BYTES("\x01\x02"), .rows = "{\"a\":1}{\"a\":2}"},
	{.format = "(int16)",
     .schema = "<a:int16>",
     BYTES("\x05\x00\x01"),
     .max_errors = 1,
     .rows = "{\"a\":5}",
     .rule = "end of input",
     .cell = 1,
     .byte = 2},
	/* more cells than the dimensions have room for */
	{.schema = "<a:int8 NOT NULL>[i=0:1]",
     BYTES("\x01\x02\x03"),
     .finding =
         "cell 2, attribute \"a\", byte 2: expected at most 2 cells, as the dimensions say, found more"},
	{.schema = "<a:int8 NOT NULL>[i=0:1; j=0:0]", BYTES("\x01\x02"), .rows = "{\"a\":1}{\"a\":2}"},
};

static void test_cells(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cell_cases); i++)
		for (int64_t piece = 0; piece < 9; piece += 4) check_case(&cell_cases[i], piece);
}

/* ---- values of another type ---- */

typedef struct conversion_case {
	const char *from, *to;
	const char *bytes;
	size_t size;
	const char *value, *flaw; /* flaw NULL: none; value NULL: no conversion */
} conversion_case;

#define CONVERTS(from, to, bytes, value, flaw) \
	{ \
		from, to, bytes, sizeof(bytes) - 1, value, flaw \
	}

static const conversion_case conversion_cases[] = {
	CONVERTS("int8", "int64", "\xff", "-1", NULL),
	CONVERTS("int16", "int8", "\x2c\x01", "44", "found 300"),
	CONVERTS("int8", "uint64", "\xff", "18446744073709551615", "found -1"),
	CONVERTS("uint64", "int64", "\xff\xff\xff\xff\xff\xff\xff\xff", "-1", "found 18446744073709551615"),
	CONVERTS("uint8", "char", "\x41", "\"A\"", NULL),
	CONVERTS("char", "int16", "\x41\x00", NULL, NULL),
	CONVERTS("char", "int32", "\x41", "65", NULL),
	CONVERTS("double", "int32", "\x00\x00\x00\x00\x00\x00\xf8\x3f", "1", "found 1.5"),
	CONVERTS("double", "int32", "\x00\x00\x00\x00\x00\x00\xf0\x7f", "-2147483648", "found inf"),
	CONVERTS("double", "uint64", "\x00\x00\x00\x00\x00\x00\xe0\x43", "9223372036854775808", NULL),
	CONVERTS("double", "float", "\x00\x00\x00\x00\x00\x00\xf8\x3f", "1.5", NULL),
	CONVERTS("double", "float", "\x00\x00\x00\x00\x00\x00\xf0\x7e", "\"inf\"", "found 2.74306203439684e+303"),
	CONVERTS("int64", "double", "\x01\x00\x00\x00\x00\x00\x20\x00", "9007199254740992",
             "found 9007199254740993"),
	CONVERTS("int64", "float", "\x02\x00\x00\x00\x00\x00\x00\x00", "2", NULL),
	CONVERTS("int8", "bool", "\x01", "true", NULL),
	CONVERTS("int8", "bool", "\x05", "true", "expected 0 or 1, found 5"),
	CONVERTS("int64", "datetime", "\x00\x00\x00\x00\x00\x00\x00\x00", "\"1970-01-01T00:00:00\"", NULL),
	CONVERTS("datetime", "double", "\x01\x00\x00\x00\x00\x00\x00\x00", "1", NULL),
	CONVERTS("int32", "string", "\xff\xff\xff\xff", "\"-1\"", NULL),
	CONVERTS("float", "string", "\x00\x24\x74\x49", "\"1e+06\"", NULL),
	CONVERTS("double", "string", "\x9a\x99\x99\x99\x99\x99\xb9\x3f", "\"0.1\"", NULL),
	CONVERTS("double", "string", "\x9b\x99\x99\x99\x99\x99\xb9\x3f", "\"0.1\"",
             "expected a number with no more digits than the server prints"),
	CONVERTS("float", "string", "\xcd\xcc\xcc\x3d", "\"0.1\"", NULL),
	CONVERTS("datetime", "string", "\x99\x8f\xbf\x4f\x00\x00\x00\x00", "\"2012-05-25 13:56:41\"", NULL),
	CONVERTS("string(4)", "int32", " 12\x00", "12", NULL),
	CONVERTS("string(4)", "int32", "12ab", "12",
             "expected a text with nothing after the number, found \"12ab\""),
	CONVERTS("string(2)", "int32", "ab", "{\"null\":0}", "found \"ab\"; null is put in its place"),
	CONVERTS("string(4)", "int8", "0x1f", "31", NULL),
	CONVERTS("string(3)", "int8", "300", "{\"null\":0}", "found \"300\""),
	CONVERTS("string(2)", "uint8", "-1", "{\"null\":0}", "found \"-1\""),
	CONVERTS("string(2)", "uint16", "-1", "65535", "found \"-1\""),
	CONVERTS("string(20)", "int64", "-9223372036854775808", "-9223372036854775808", NULL),
	CONVERTS("string(20)", "int64", "9223372036854775808\0", "{\"null\":0}",
             "an integer that the attribute's type can hold"),
	CONVERTS("string(3)", "double", "1.5", "1.5", NULL),
	CONVERTS("string(3)", "double", "nan", "{\"null\":0}", "found \"nan\""),
	CONVERTS("string(5)", "float", "1e999", "{\"null\":0}", "found \"1e999\""),
	CONVERTS("string(19)", "datetime", "2012-05-25 14:13:29", "\"2012-05-25T14:13:29\"", NULL),
	CONVERTS("string(10)", "datetime", "2012-02-30", "{\"null\":0}", "expected the text of a date"),
	CONVERTS("string(26)", "datetimetz", "5/25/2012 14:13:29 -03:30\0", "\"2012-05-25T14:13:29-03:30\"",
             NULL),
	CONVERTS("bool", "int8", "\x01", NULL, NULL),
	CONVERTS("string(1)", "bool", "1", NULL, NULL),
	CONVERTS("string(1)", "char", "1", NULL, NULL),
	CONVERTS("float", "bool", "\x01\x00\x00\x00", NULL, NULL),
	CONVERTS("double", "rational", "\x01\x00\x00\x00\x00\x00\x00\x00", NULL, NULL),
	CONVERTS("bool", "datetime", "\x01", NULL, NULL),
	CONVERTS("binary", "string", "\x01", NULL, NULL),
};

static void check_conversion(const conversion_case *c)
{
	static read_cells cells;
	char format[64], schema[64], rows[128];
	snprintf(format, sizeof format, "(%s)", c->from);
	snprintf(schema, sizeof schema, "<a:%s>", c->to);
	const sheaf_setting given[] = {{"format-string", format}, {"schema", schema}};
	sheaf_status status = read_bytes_as(c->bytes, c->size, given, 2, (sheaf_context_options){0}, 0, &cells);
	bool none = !c->value && !(strcmp(c->from, "char") == 0);
	if (none)
		assert_int_equal(SHEAF_USAGE, status),
			assert_message("expected a type that the server converts into that of attribute \"a\"");
	if (c->value) {
		snprintf(rows, sizeof rows, "{\"row\":0,\"cells\":{\"a\":%s}}\n", c->value);
		if (status) fail_msg("%s to %s: %s", c->from, c->to, err.message);
		assert_text(rows, cells.rows);
		assert_int_equal(c->flaw ? 1 : 0, cells.r.n);
		if (c->flaw && !strstr(cells.r.found[0].text, c->flaw))
			fail_msg("expected %s, found %s", c->flaw, cells.r.found[0].text);
		if (c->flaw) assert_int_equal(SHEAF_WARNING, cells.r.found[0].severity);
	}
	end(&cells.r);
}

static void test_conversions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(conversion_cases); i++) check_conversion(&conversion_cases[i]);
}

static void test_dates(void **state)
{
	static const struct {
		const char *text;
		bool zone;
		int64_t seconds, offset; /* seconds -1: none */
	} cases[] = {
		{"1970-01-01", false, 0, 0},
		{"2000-02-29 12:00:00.000", false, 951825600, 0},
		{" 2000-02-29 12:00:00.75 ", false, 951825600, 0},
		{"2000-02-29T12:00", false, 951825600, 0},
		{"2/29/2000 12:00", false, 951825600, 0},
		{"29.2.2000 12:00:00", false, 951825600, 0},
		{"29FEB2000:12:00:00", false, 951825600, 0},
		{"29-Feb-00 12.00.00 PM", false, 951825600, 0},
		{"29-Feb-00 12.00.00 AM", false, 951782400, 0},
		{"29-Feb-2000", false, 951782400, 0},
		{"1969-12-31 23:59:58", false, -2, 0},
		{"1900-03-01", false, -2203891200, 0},
		{"2000-02-29 12:00:00 +05:30", true, 951825600, 19800},
		{"2000-02-29 12:00:00 -0", true, 951825600, 0},
		{"2000-02-29 12:00:00", true, -1, 0},
		{"2000-02-29 12:00:00 +14:00", true, -1, 0},
		{"1900-02-29", false, -1, 0},
		{"2000-13-01", false, -1, 0},
		{"2000-01-01 24:00:00", false, -1, 0},
		{"2000-01-01 x", false, -1, 0},
		{"12:00:00", false, -1, 0},
		{"now", false, -1, 0},
		{"", false, -1, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t seconds, offset;
		bool failed;
		const char *flaw = sheaf_scidb_read_date(cases[i].text, strlen(cases[i].text), cases[i].zone,
		                                         &seconds, &offset, &failed);
		if (failed != (cases[i].seconds == -1))
			fail_msg("\"%s\": expected %s date", cases[i].text, failed ? "a" : "no");
		if (failed) assert_non_null(flaw);
		if (failed) continue;
		assert_int_equal(strchr(cases[i].text, '.') && strstr(cases[i].text, "75"), flaw != NULL);
		assert_int_equal(cases[i].seconds, seconds);
		assert_int_equal(cases[i].offset, offset);
	}
}

/* ---- where cells are ---- */

/* The numbers of cells as the server fills chunks, compared with walking through all of them. */
static void check_order(const char *schema)
{
	words w;
	int64_t n = 0, at[3], back, low[3] = {0}, high[3] = {0}, chunk[3] = {1, 1, 1};
	begin_words(&w);
	assert_ok(sheaf_scidb_array_read(&w.array, schema, &w.types, &err));
	assert_ok(sheaf_scidb_check_dimensions(&w.array, &err));
	int rank = w.array.ndimensions, shift = 3 - rank;
	for (int d = 0; d < rank; d++) {
		const sheaf_scidb_dimension *dimension = &w.array.dimensions[d];
		low[shift + d] = dimension->low, high[shift + d] = dimension->high,
					chunk[shift + d] = dimension->chunk_mark ? 1000 : dimension->chunk;
	}
	for (int64_t a = low[0]; a <= high[0]; a += chunk[0])
		for (int64_t b = low[1]; b <= high[1]; b += chunk[1])
			for (int64_t c = low[2]; c <= high[2]; c += chunk[2])
				for (int64_t i = a; i < a + chunk[0] && i <= high[0]; i++)
					for (int64_t j = b; j < b + chunk[1] && j <= high[1]; j++)
						for (int64_t k = c; k < c + chunk[2] && k <= high[2]; k++, n++) {
							const int64_t wanted[3] = {i, j, k};
							sheaf_scidb_coordinates(&w.array, n, at);
							assert_memory_equal(wanted + shift, at, (size_t)rank * sizeof *at);
							assert_true(sheaf_scidb_cell_at(&w.array, at, &back));
							assert_int_equal(n, back);
						}
	assert_int_equal(n, sheaf_scidb_capacity(&w.array));
	end_words(&w);
}

static void test_order_of_cells(void **state)
{
	(void)state;
	check_order("<a:int8>[i=3:9]");
	check_order("<a:int8>[i=0:9:0:5; j=0:9:0:5]");
	check_order("<a:int8>[i=-2:4:0:3; j=1:5:1:2]");
	check_order("<a:int8>[i=0:4:0:2; j=0:6:0:3; k=-1:3:0:4]");
	check_order("<a:int8>[i=0:1:0:100; j=0:6:0:3; k=0:2:0:1]");
}

static void test_order_of_endless_cells(void **state)
{
	words w;
	int64_t at[2], cell;
	(void)state;
	begin_words(&w);
	assert_ok(sheaf_scidb_array_read(&w.array, "<a:int8>[i=0:*:0:4611686018427387903; j=0:9:0:5]",
	                                 &w.types, &err));
	assert_ok(sheaf_scidb_check_dimensions(&w.array, &err));
	assert_int_equal(-1, sheaf_scidb_capacity(&w.array));
	sheaf_scidb_coordinates(&w.array, 23, at);
	assert_int_equal(4, at[0]);
	assert_int_equal(3, at[1]);
	assert_true(sheaf_scidb_cell_at(&w.array, at, &cell));
	assert_int_equal(23, cell);
	assert_false(sheaf_scidb_cell_at(&w.array, (const int64_t[]){0, 10}, &cell));
	assert_false(sheaf_scidb_cell_at(&w.array, (const int64_t[]){-1, 0}, &cell));
	end_words(&w);
}

static void test_dimensions_as_columns(void **state)
{
	static read_cells cells;
	static const sheaf_setting given[] = {{"schema", "<v:int8 NOT NULL>[i=0:2:0:2; j=5:6:0:1]"},
	                                      {"dimensions", NULL}};
	(void)state;
	assert_int_equal(SHEAF_OK, read_bytes_as("\x01\x02\x03\x04\x05\x06", 6, given, 2,
	                                         (sheaf_context_options){0}, 0, &cells));
	assert_text(
		"{\"row\":0,\"cells\":{\"i\":0,\"j\":5,\"v\":1}}\n{\"row\":1,\"cells\":{\"i\":1,\"j\":5,\"v\":2}}\n"
		"{\"row\":2,\"cells\":{\"i\":0,\"j\":6,\"v\":3}}\n{\"row\":3,\"cells\":{\"i\":1,\"j\":6,\"v\":4}}\n"
		"{\"row\":4,\"cells\":{\"i\":2,\"j\":5,\"v\":5}}\n{\"row\":5,\"cells\":{\"i\":2,\"j\":6,\"v\":6}}\n",
		cells.rows);
	end(&cells.r);
}

static void test_dimensions_that_say_too_little(void **state)
{
	static const char *const cases[][2] = {
		{"<v:int8>", "expected a --schema with dimensions"},
		{"<v:int8>[i=0:*:0:5; j=0:*:0:5]", "expected an end of dimension \"j\""},
		{"<v:int8>[i=0:3; j=0:3]", "expected the length of chunks of dimension \"j\""},
		{"<v:int8>[i=0:*:0:5; j=0:3037000499:0:5; k=0:3037000499:0:5]",
	     "expected fewer than 2^63 cells, found more"},
		{"<v:int8>[a=0:1:0:2; b=0:1:0:2; c=0:1:0:2; d=0:1:0:2; e=0:1:0:2; f=0:1:0:2; g=0:1:0:2; h=0:1:0:2; "
	     "i=0:1:0:2]",
	     "expected at most 8 dimensions, found 9"}};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		static read_cells cells;
		const sheaf_setting given[] = {{"schema", cases[i][0]}, {"dimensions", NULL}};
		assert_int_equal(strstr(cases[i][1], "at most 8") ? SHEAF_UNSUPPORTED : SHEAF_USAGE,
		                 read_bytes_as("", 0, given, 2, (sheaf_context_options){0}, 0, &cells));
		assert_message(cases[i][1]);
		end(&cells.r);
	}
}

/* ---- judging ---- */

static int64_t judge(const char *format, const void *data, size_t size, char *text, size_t room)
{
	static read_cells cells;
	int64_t cell = -1;
	const sheaf_setting given[] = {{"format-string", format}};
	assert_int_equal(
		SHEAF_OK, read_bytes_as(data, size, given, 1, (sheaf_context_options){.validate = true}, 0, &cells));
	for (int i = 0; i < cells.r.n; i++) {
		if (strcmp(cells.r.found[i].rule, "doubtful format string") != 0) continue;
		cell = cells.r.found[i].place.row;
		snprintf(text, room, "%s", cells.r.found[i].text);
	}
	end(&cells.r);
	return cell;
}

/* Only the values show that a format string of the right length is wrong. */
static void test_wrong_format_strings_are_doubted(void **state)
{
	uint8_t bytes[40 * 16] = {0};
	char text[1100] = "";
	(void)state;
	for (int c = 0; c < 40; c++) {
		double v = 20.5 + c;
		memcpy(bytes + 16 * c + 8, &v, sizeof v);
		sheaf_store_u64le(bytes + 16 * c, 1337000000u + (uint32_t)c);
	}
	assert_int_equal(-1, judge("(datetime, double)", bytes, sizeof bytes, text, sizeof text));
	assert_int_equal(0, judge("(double, double)", bytes, sizeof bytes, text, sizeof text));
	assert_non_null(strstr(text,
	                       "attribute \"a0\", byte 0: expected cells that make sense (this is the first that "
	                       "does not), found 40 of 80 numbers below 1e-30"));
	assert_int_equal(0, judge("(datetime, datetime)", bytes, sizeof bytes, text, sizeof text));
	assert_non_null(
		strstr(text, "found 40 of 80 dates before 1800 or after 2200; the format string is probably wrong"));
}

/* ---- types that are declared ---- */

static void test_declared_types(void **state)
{
	static read_cells cells;
	static const sheaf_setting given[] = {
		{"format-string", "(Money, blob_3 null)"}, {"type", "money=2"}, {"type", "blob_*"}};
	(void)state;
	assert_int_equal(SHEAF_OK, read_bytes_as("\x01\x02\xff\x01\x02\x03", 6, given, 3,
	                                         (sheaf_context_options){0}, 0, &cells));
	assert_text("{\"row\":0,\"cells\":{\"a0\":{\"base64\":\"AQI=\"},\"a1\":{\"base64\":\"AQID\"}}}\n",
	            cells.rows);
	end(&cells.r);
}

static void test_declared_types_that_are_none(void **state)
{
	static const char *const cases[][2] = {
		{"money", "--type: expected NAME=BYTES"},     {"=3", "--type: expected NAME=BYTES"},
		{"money=0", "expected a size from 1"},        {"money=x", "expected a size from 1"},
		{"int64=4", "expected a name that no other"}, {"m y=3", "--type: expected NAME=BYTES"}};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		static read_cells cells;
		const sheaf_setting given[] = {{"format-string", "(int8)"}, {"type", cases[i][0]}};
		assert_int_equal(SHEAF_USAGE, read_bytes_as("", 0, given, 2, (sheaf_context_options){0}, 0, &cells));
		assert_message(cases[i][1]);
		end(&cells.r);
	}
}

/* ---- files of other kinds ---- */

static void test_opaque_files_are_refused_by_name(void **state)
{
	static const char magic[40] = "\x0e\xc0\x5a\x00\x02\x00\x00\x00";
	sheaf_dataset *dataset;
	(void)state;
	sheaf_context *cx = usual_context();
	assert_status(SHEAF_UNSUPPORTED, open_bytes((sheaf_bytes){(const uint8_t *)magic, sizeof magic}, "backup",
	                                            NULL, cx, &dataset));
	assert_message("backup (byte 0): expected cells, found a file of the server's format opaque");
	end_context(cx);
}

static sheaf_status forget(void *user, const sheaf_candidate *candidate, sheaf_error *at)
{
	(void)user, (void)candidate, (void)at;
	return SHEAF_OK;
}

static sheaf_status keep_first(void *user, const sheaf_candidate *candidate, sheaf_error *at)
{
	char *kept = (char *)user;
	(void)at;
	if (!kept[0]) snprintf(kept, 64, "%s", candidate->value);
	return SHEAF_OK;
}

/* Letters beside one another are one string, at the end of a cell, too. */
static void test_guess_of_letters(void **state)
{
	enum { CELLS = 200, SIZE = 9 };
	(void)state;
	static uint8_t cells[CELLS][SIZE];
	char found[64] = "";
	sheaf_context *cx = usual_context();
	seed_random(1);
	for (int i = 0; i < CELLS; i++) {
		int32_t number = (int32_t)random_below(1000000);
		for (int k = 0; k < SIZE; k++) cells[i][k] = (uint8_t)('a' + random_below(8));
		memcpy(cells[i] + 3, &number, sizeof number);
	}
	write_file("cells", cells, sizeof cells);
	assert_ok(sheaf_guess(in_folder("cells"), "scidb", cx, keep_first, found, &err));
	assert_text("(string(3), int32, string(2))", found);
	end_context(cx);
}

/* Many sizes of cells are tried: a stop is heard between two of them. */
static void test_guess_that_is_stopped(void **state)
{
	(void)state;
	static const uint8_t cells[1000];
	sheaf_context *cx = usual_context();
	write_file("cells", cells, sizeof cells);
	assert_ok(sheaf_guess(in_folder("cells"), "scidb", cx, forget, NULL, &err));
	assert_status(SHEAF_UNKNOWN, sheaf_guess(in_folder("cells"), "nosuch", cx, forget, NULL, &err));
	assert_message("expected one of the formats");
	sheaf_context_stop(cx);
	assert_status(SHEAF_STOPPED, sheaf_guess(in_folder("cells"), "scidb", cx, forget, NULL, &err));
	end_context(cx);
}

static void test_settings_are_needed(void **state)
{
	static read_cells cells;
	(void)state;
	assert_int_equal(SHEAF_USAGE, read_bytes_as("x", 1, NULL, 0, (sheaf_context_options){0}, 0, &cells));
	assert_message("x.scidb: expected --format-string or --schema, since nothing in the file says what it "
	               "holds, found neither");
	end(&cells.r);
}

/* ---- writing ---- */

typedef struct write_case {
	const char *format, *schema;
	const char *bytes;
	size_t size;
	const char *as;
	const char *written; /* NULL: a loss */
	size_t written_size;
	const char *loss;
	bool allow;
} write_case;

static const write_case write_cases[] = {
	/* what is skipped is zeros, and a count of zero */
	{.format = "(int8, skip(2), skip null, int16 null)",
     BYTES("\x01zz\x05\x01\x00\x00\x00z\xff\x02\x00"),
     .as = NULL,
     "\x01\x00\x00\x00\x00\x00\x00\x00\xff\x02\x00",
     11},
	{.format = "(int8 null, string, binary null)",
     BYTES("\x07\x00\x02\x00\x00\x00x\x00\xff\x01\x00\x00\x00y"),
     .as = "(skip(1), int16 null, string null, binary null)",
     "\x00\x07\x00\x00\xff\x02\x00\x00\x00x\x00\xff\x01\x00\x00\x00y",
     17},
	/* a string without an end gets one */
	{.format = "(string)", BYTES("\x01\x00\x00\x00x"), .as = NULL, "\x02\x00\x00\x00x\x00", 6},
	{.format = "(string)", BYTES("\x03\x00\x00\x00xy\x00"), .as = "(string(4))", "xy\x00\x00", 4},
	{.format = "(string)",
     BYTES("\x03\x00\x00\x00xy\x00"),
     .as = "(string(2))",
     .loss = "cell 0, attribute \"a0\": expected at most 1 bytes and their NUL, found 2"},
	{.format = "(string)", BYTES("\x03\x00\x00\x00xy\x00"), .as = "(string(2))", "x\x00", 2, .allow = true},
	{.format = "(string)",
     BYTES("\x04\x00\x00\x00x\x00y\x00"),
     .as = "(string(9))",
     .loss = "expected a string without NUL in it"},
	{.format = "(binary)",
     BYTES("\x03\x00\x00\x00xyz"),
     .as = "(binary(4))",
     .loss = "expected 4 bytes, found 3"},
	{.format = "(binary(3))", BYTES("xyz"), .as = "(binary)", "\x03\x00\x00\x00xyz", 7},
	{.format = "(binary(16))", BYTES("0123456789abcdef"), .as = "(rational)", "0123456789abcdef", 16},
	{.format = "(int8 null)",
     BYTES("\x05\x00"),
     .as = "(int8)",
     .loss = "cell 0, attribute \"a0\": expected a value, since entry 1 is not null, found null, reason 5"},
	{.format = "(int8 null)", BYTES("\x05\x00"), .as = "(int8)", "\x00", 1, .allow = true},
	{.format = "(string null)",
     BYTES("\x05\x00\x00\x00\x00"),
     .as = "(string)",
     "\x01\x00\x00\x00\x00",
     5,
     .allow = true},
	{.format = "(int64)", BYTES("\x2c\x01\x00\x00\x00\x00\x00\x00"), .as = "(int16)", "\x2c\x01", 2},
	{.format = "(int64)",
     BYTES("\x2c\x01\x00\x00\x00\x00\x00\x00"),
     .as = "(int8)",
     .loss = "expected a number that the attribute's type can hold, found 300"},
	{.format = "(int64)",
     BYTES("\x2c\x01\x00\x00\x00\x00\x00\x00"),
     .as = "(string)",
     "\x04\x00\x00\x00"
     "300\x00",
     8},
	{.format = "(bool)", BYTES("\x07"), .as = NULL, "\x01", 1},
};

static sheaf_status convert_bytes(const write_case *c, record *r, bytes_sink *out)
{
	sheaf_dataset *dataset;
	sheaf_sink *sink;
	sheaf_writer *writer;
	const sheaf_frame *frame;
	sheaf_setting read[] = {{"format-string", c->format}},
				  write[] = {{c->as ? "out-format-string" : "format-string", c->as ? c->as : c->format}};
	sheaf_open_options open = {.size = sizeof open, .format = "scidb", .settings = read, .nsettings = 1};
	sheaf_create_options create = {
		.size = sizeof create,
		.format = "scidb",
		.settings = write,
		.nsettings = 1,
	};
	SHEAF_TRY(
		open_bytes((sheaf_bytes){(const uint8_t *)c->bytes, c->size}, "x.scidb", &open, r->cx, &dataset));
	sheaf_status status = sheaf_sink_function(write_bytes, out, "y.scidb", r->cx, &sink, &err);
	if (status == SHEAF_OK)
		status = sheaf_create_sink(sink, sheaf_dataset_schema(dataset), &create, r->cx, &writer, &err);
	bool created = status == SHEAF_OK;
	while (status == SHEAF_OK && (status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		status = sheaf_write(writer, frame, &err);
	if (created && status == SHEAF_END)
		status = sheaf_finish(writer, &err);
	else if (created)
		sheaf_abandon(writer);
	sheaf_close(dataset);
	return status;
}

static void test_what_is_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(write_cases); i++) {
		const write_case *c = &write_cases[i];
		record r;
		bytes_sink out = {0};
		begin(&r, (sheaf_context_options){.allow_loss = c->allow});
		sheaf_status status = convert_bytes(c, &r, &out);
		if (c->written) {
			if (status) fail_msg("%s as %s: %s", c->format, c->as, err.message);
			assert_int_equal(c->written_size, out.size);
			assert_memory_equal(c->written, out.data, out.size);
		} else {
			assert_int_equal(SHEAF_LOSS, status);
			bool told = false;
			for (int k = 0; k < r.n; k++) told |= strstr(r.found[k].text, c->loss) != NULL;
			if (!told)
				fail_msg("%s as %s: expected %s, found %s", c->format, c->as, c->loss,
				         r.n ? r.found[0].text : "nothing");
		}
		free_bytes(&out);
		end(&r);
	}
}

/* ---- as users write it ---- */

static void declared(const sheaf_setting *given, int n, char *text, size_t room)
{
	sheaf_dataset *dataset;
	sheaf_buffer out = {0};
	record r;
	sheaf_open_options open = {.size = sizeof open, .format = "scidb", .settings = given, .nsettings = n};
	begin(&r, (sheaf_context_options){0});
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)"", 0}, "x.scidb", &open, r.cx, &dataset));
	assert_ok(sheaf_dataset_format(dataset)->model->declare(sheaf_dataset_schema(dataset), "it's", true, r.cx,
	                                                        &out, &err));
	assert_true(out.size < room);
	memcpy(text, out.data, out.size);
	text[out.size] = '\0';
	sheaf_buffer_reset(&out);
	sheaf_close(dataset);
	end(&r);
}

static void test_statements(void **state)
{
	static const sheaf_setting schema[] = {
		{"schema", "t<i:int64 NOT NULL, j:int64 NOT NULL, v:double DEFAULT 1 COMPRESSION 'zlib'>"}};
	static const sheaf_setting format[] = {{"format-string", "(skip(8), string(10), int8 null)"}};
	char text[4000];
	(void)state;
	declared(schema, 1, text, sizeof text);
	assert_text("-- format string\n(int64, int64, double null)\n\n"
	            "-- array schema\nt<i:int64 NOT NULL,j:int64 NOT NULL,v:double DEFAULT 1 COMPRESSION 'zlib'> "
	            "[i=0:*:0:*]\n\n"
	            "-- an array of the cells, one after the other\n"
	            "create array t <i:int64 NOT NULL,j:int64 NOT NULL,v:double DEFAULT 1 COMPRESSION 'zlib'> "
	            "[i=0:*:0:*];\n"
	            "load(t, 'it\\'s', -2, '(int64, int64, double null)');\n\n"
	            "-- or, their first attributes being coordinates\n"
	            "create array t_array <v:double> [i=0:*:0:*; j=0:*:0:*];\n"
	            "store(redimension(input(<i:int64 NOT NULL,j:int64 NOT NULL,v:double DEFAULT 1 COMPRESSION "
	            "'zlib'>[cell_=0:*], 'it\\'s', -2, "
	            "'(int64, int64, double null)'), t_array), t_array);\n",
	            text);
	declared(format, 1, text, sizeof text);
	assert_text("-- format string\n(skip(8), string(10), int8 null)\n\n"
	            "-- array schema\ncells<a0:string NOT NULL,a1:int8> [i=0:*:0:*]\n\n"
	            "-- an array of the cells, one after the other\n"
	            "create array cells <a0:string NOT NULL,a1:int8> [i=0:*:0:*];\n"
	            "load(cells, 'it\\'s', -2, '(skip(8), string(10), int8 null)');\n",
	            text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_order_of_cells),
		cmocka_unit_test(test_order_of_endless_cells),
		cmocka_unit_test(test_dimensions_as_columns),
		cmocka_unit_test(test_dimensions_that_say_too_little),
		cmocka_unit_test(test_wrong_format_strings_are_doubted),
		cmocka_unit_test(test_declared_types),
		cmocka_unit_test(test_declared_types_that_are_none),
		cmocka_unit_test(test_opaque_files_are_refused_by_name),
		cmocka_unit_test_setup_teardown(test_guess_of_letters, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_guess_that_is_stopped, make_folder, remove_folder),
		cmocka_unit_test(test_settings_are_needed),
		cmocka_unit_test(test_what_is_written),
		cmocka_unit_test(test_statements),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
