/* SPDX-License-Identifier: MIT */
/* SciDB's format strings and array schemas: what they say, and where they are wrong. */
#include "scidb_words.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_built(sheaf_builder *b, const char *wanted)
{
	sheaf_builder_byte(b, '\0');
	assert_ok(sheaf_builder_status(b, &err));
	assert_text(wanted, (const char *)b->data);
	sheaf_builder_drop(b);
}

/* What is read is written in one form. */
static void test_format_strings(void **state)
{
	static const char *const cases[][2] = {
		{"(int64)", "(int64)"},
		{" ( INT64 ,\tString Null , skip ( 8 ) ,skip NULL,string(10)null) ",
	     "(int64, string null, skip(8), skip null, string(10) null)"},
		{"(skip,binary(2147483647),double null)", "(skip, binary(2147483647), double null)"},
		{"(bool,char,int8,int16,int32,int64,uint8,uint16,uint32,uint64,float,double,datetime,datetimetz,"
	     "string,binary,indicator)",
	     "(bool, char, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, datetime, "
	     "datetimetz, string, binary, indicator)"},
		{"(rational,point null,complex)", "(rational, point null, complex)"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		words w;
		sheaf_builder b;
		begin_words(&w);
		assert_ok(sheaf_scidb_entries_read(&w.entries, cases[i][0], &w.types, &err));
		sheaf_builder_begin(&b, w.cx, NULL);
		sheaf_scidb_entries_text(&w.entries, &b);
		assert_built(&b, cases[i][1]);
		end_words(&w);
	}
}

static void test_format_strings_that_are_none(void **state)
{
	static const char *const cases[][2] = {
		{"", "column 1: expected \"(\" at the start of a format string, found the end: ^"},
		{"int64", "column 1: expected \"(\" at the start of a format string, found \"int64\": ^int64"},
		{"csv", "column 1: expected \"(\" at the start of a format string, found \"csv\": ^csv"},
		{"()", "column 2: expected a type or skip, found \")\": (^)"},
		{"(int64,)", "column 8: expected a type or skip, found \")\": (int64,^)"},
		{"(int64,,string)", "column 8: expected a type or skip, found \",\": (int64,^,string)"},
		{"(int64", "column 7: expected \",\", \")\" or null, found the end: (int64^"},
		{"(int64 null", "column 12: expected \",\" or \")\", found the end: (int64 null^"},
		{"(int64 null null)", "column 13: expected \",\" or \")\", found \"null\": (int64 null ^null)"},
		{"(int64) x", "column 9: expected nothing after \")\", found \"x\": (int64) ^x"},
		{"(int64);", "column 8: expected nothing after \")\", found \";\": (int64)^;"},
		{"(int64(8))",
	     "column 7: expected no size after int64, which always has 8 bytes, found \"(\": (int64^(8))"},
		{"(string(0))", "column 9: expected a size from 1 to 2147483647, found \"0\": (string(^0))"},
		{"(string(2147483648))",
	     "column 9: expected a size from 1 to 2147483647, found \"2147483648\": (string(^2147483648))"},
		{"(string(-1))", "column 9: expected a size from 1 to 2147483647, found \"-\": (string(^-1))"},
		{"(string())", "column 9: expected a size from 1 to 2147483647, found \")\": (string(^))"},
		{"(string(8)", "column 11: expected \",\", \")\" or null, found the end: (string(8)^"},
		{"(string(8", "column 10: expected \")\" after the size, found the end: (string(8^"},
		{"(int64 not null)", "column 8: expected \",\", \")\" or null (in a format string what does not say "
	                         "null is not nullable), found \"not\": (int64 ^not null)"},
		{"(text)", "column 2: expected the name of a type (--type NAME=BYTES declares others), found "
	               "\"text\": (^text)"},
		{"(_int)", "column 2: expected a type or skip, found \"_int\": (^_int)"},
		{"(dummy, int64)", "column 2: expected a type or skip, as it is called since version 15, found "
	                       "\"dummy\": (^dummy, int64)"},
		{"(void)",
	     "column 2: expected a type or skip, as it is called since version 15, found \"void\": (^void)"},
		{"(skip)", "column 1: expected an entry that is not skipped, found none: ^(skip)"},
		{"(int64 \xc3\xa9)",
	     "column 8: expected \",\", \")\" or null, found \"\xc3\xa9\": (int64 ^\xc3\xa9)"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		words w;
		char wanted[400];
		begin_words(&w);
		assert_status(SHEAF_USAGE, sheaf_scidb_entries_read(&w.entries, cases[i][0],
		                                                    &w.types, &err));
		snprintf(wanted, sizeof wanted, "--format-string: %s", cases[i][1]);
		assert_text(wanted, err.message);
		end_words(&w);
	}
	words w;
	begin_words(&w);
	assert_status(SHEAF_UNSUPPORTED,
	              sheaf_scidb_entries_read(&w.entries, "OPAQUE", &w.types, &err));
	end_words(&w);
}

static void test_array_schemas(void **state)
{
	static const char *const cases[][2] = {
		{"<a:int64>", "<a:int64>"},
		{"<a:INT64 not null, b : string NULL>[i]", "<a:int64 NOT NULL,b:string> [i=0:*:0:*]"},
		{"x <a:int8>[i=0:1]", "<a:int8> [i=0:1:0:*]"},
		{"<a:int8>[i=1:int64(pow(2.0, 31.0)):0:9223372036854775807]",
	     "<a:int8> [i=1:2147483648:0:9223372036854775807]"},
		{"<a:int8>[i=-abs(-3):INT8(127),uint64(1e3)/2,floor(2.9)-ceil(1.1), j=0:sqrt(16)*1.5,2,0]",
	     "<a:int8> [i=-3:127:0:500; j=0:6:0:2]"},
		{"<a:int8>[i=0:double(7)/float(0.5)+uint8(255)-int16(-32768)]", "<a:int8> [i=0:33037:0:*]"},
		{"create array x <a:int8>[i=-5:5:1:3; j=0:*:0:?];", "<a:int8> [i=-5:5:1:3; j=0:*:0:?]"},
		{"create temp array ns.x@7<a:int8>[i=0:9,5,1,j=0:*,1000,0]", "<a:int8> [i=0:9:1:5; j=0:*:0:1000]"},
		{"not empty x<a:int8>[i=?:?,?,0, j=1:2:3]", "<a:int8> [i=?:?:0:?; j=1:2:3:*]"},
		{"<a:int8>[i,j;k]", "<a:int8> [i=0:*:0:*; j=0:*:0:*; k=0:*:0:*]"},
		{"< -- a comment\na:int8 /* and\nanother */ >[ i = 0 : 3 // and one\n]", "<a:int8> [i=0:3:0:*]"},
		{"<\"a b\":int8, \"null\":int8, $c_1:int8>[\"0\"=0:1]",
	     "<\"a b\":int8,\"null\":int8,$c_1:int8> [\"0\"=0:1:0:*]"},
		{"<a:int64 NOT NULL DEFAULT -5 COMPRESSION 'zlib' RESERVE 20,b:string DEFAULT 'it\\'s, <>' ,c:double "
	     "default f(1,(2)), d:double default (1+2)>",
	     "<a:int64 NOT NULL DEFAULT -5 COMPRESSION 'zlib' RESERVE 20,b:string DEFAULT 'it\\'s, <>',c:double "
	     "DEFAULT f(1,(2)),d:double DEFAULT (1+2)>"},
		{"<a:int8>[i=1+2*3:10*(2+3)-1:0:100/4; j=-(2):+7 % 4,(5),0; "
	     "k=4611686018427387903-5:4611686018427387903]",
	     "<a:int8> [i=7:49:0:25; j=-2:3:0:5; k=4611686018427387898:4611686018427387903:0:*]"},
		{"create array x <a:int8, EmptyTag:indicator NOT NULL>[i] DISTRIBUTION hashed EMPTYTAG COMPRESSION "
	     "'zlib';",
	     "<a:int8> [i=0:*:0:*]"},
		{"create_array(ns.x, <a:int8>[i=0:3], false, 'row cyclic')", "<a:int8> [i=0:3:0:*]"},
		{"CREATE_ARRAY (x, <a:int8>, true);", "<a:int8>"},
		{"<a:bool DEFAULT null>[i=-4611686018427387903:4611686018427387903]",
	     "<a:bool DEFAULT null> [i=-4611686018427387903:4611686018427387903:0:*]"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		words w;
		sheaf_builder b;
		begin_words(&w);
		assert_ok(sheaf_scidb_array_read(&w.array, cases[i][0], &w.types, &err));
		sheaf_builder_begin(&b, w.cx, NULL);
		sheaf_scidb_array_text(&w.array, false, &b);
		assert_built(&b, cases[i][1]);
		end_words(&w);
	}
}

static void test_names_of_arrays(void **state)
{
	static const char *const cases[][2] = {{"x<a:int8>", "x"},
	                                       {"ns.x<a:int8>", "ns.x"},
	                                       {"\"a b\" <a:int8>", "a b"},
	                                       {"ns.\"a b\"@3<a:int8>", "a b"},
	                                       {"create array not_<a:int8>", "not_"}};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		words w;
		begin_words(&w);
		assert_ok(sheaf_scidb_array_read(&w.array, cases[i][0], &w.types, &err));
		assert_text(cases[i][1], w.array.name);
		end_words(&w);
	}
}

static void test_array_schemas_that_are_none(void **state)
{
	static const char *const cases[][2] = {
		{"", "column 1: expected the name of the array or \"<\", found the end: ^"},
		{"x", "column 2: expected \"<\" and the attributes, found the end: x^"},
		{"create x<a:int8>", "column 8: expected \"array\" after \"create\", found \"x\": create ^x<a:int8>"},
		{"<>", "column 2: expected the name of an attribute, found \">\": <^>"},
		{"<a>", "column 3: expected \":\" after the name of the attribute, found \">\": <a^>"},
		{"<a:>", "column 4: expected a type, found \">\": <a:^>"},
		{"<a:integer>", "column 4: expected the name of a type (--type NAME=BYTES declares others), found "
	                    "\"integer\": <a:^integer>"},
		{"<a:int8,a:int8>",
	     "column 9: expected a name that no other attribute or dimension has, found \"a\": <a:int8,^a:int8>"},
		{"<a:int8>[a]",
	     "column 10: expected a name that no other attribute or dimension has, found \"a\": <a:int8>[^a]"},
		{"<a:int8 not>", "column 12: expected NULL after NOT, found \">\": <a:int8 not^>"},
		{"<a:int8 default>", "column 16: expected a value after DEFAULT, found \">\": <a:int8 default^>"},
		{"<a:string default 'x>",
	     "column 19: expected a string that ends with a quote, found \"'\": <a:string default ^'x>"},
		{"<a:int8 default (1>",
	     "column 17: expected a bracket that is closed, found \"(\": <a:int8 default ^(1>"},
		{"<a:int8 compression zlib>", "column 21: expected 'zlib', 'bzlib' or 'none' after COMPRESSION, "
	                                  "found \"zlib\": <a:int8 compression ^zlib>"},
		{"<a:int8 reserve>", "column 16: expected a number after RESERVE, found \">\": <a:int8 reserve^>"},
		{"<a:int8", "column 8: expected \",\" or \">\" after the attribute, found the end: <a:int8^"},
		{"<\"a:int8>", "column 10: expected a quote after the name, found the end: <\"a:int8>^"},
		{"<a:int8>[]", "column 10: expected the name of a dimension, found \"]\": <a:int8>[^]"},
		{"<a:int8>[i=]", "column 12: expected the lowest coordinate or \"?\", found \"]\": <a:int8>[i=^]"},
		{"<a:int8>[i=0]",
	     "column 13: expected \":\" and the highest coordinate, found \"]\": <a:int8>[i=0^]"},
		{"<a:int8>[i=5:4]", "column 12: expected a lowest coordinate that is not above the highest, found "
	                        "\"5\": <a:int8>[i=^5:4]"},
		{"<a:int8>[i=0:4611686018427387904]", "column 14: expected a number from -(2^62-1) to 2^62-1, found "
	                                          "\"4611686018427387904\": <a:int8>[i=0:^4611686018427387904]"},
		{"<a:int8>[i=0:9:-1]",
	     "column 16: expected an overlap of at least 0, found \"-\": <a:int8>[i=0:9:^-1]"},
		{"<a:int8>[i=0:9:0:0]",
	     "column 18: expected a length of chunks of at least 1, found \"0\": <a:int8>[i=0:9:0:^0]"},
		{"<a:int8>[i=0:9,5]",
	     "column 17: expected \",\" and the overlap of chunks, found \"]\": <a:int8>[i=0:9,5^]"},
		{"create_array(x <a:int8>)",
	     "column 16: expected \",\" and the schema, found \"<\": create_array(x ^<a:int8>)"},
		{"create_array(x, <a:int8>",
	     "column 25: expected \",\" or \")\", found the end: create_array(x, <a:int8>^"},
		{"<a:int8> distribution",
	     "column 22: expected the name of a distribution, found the end: <a:int8> distribution^"},
		{"<a:int8>[i=0:9*]",
	     "column 16: expected the highest coordinate, \"*\" or \"?\", found \"]\": <a:int8>[i=0:9*^]"},
		{"<a:int8>[i=0:1/0]", "column 14: expected an expression whose value is a number of 64 bits, found "
	                          "\"1\": <a:int8>[i=0:^1/0]"},
		{"<a:int8>[i=0:(9]", "column 16: expected an operator or \")\", found \"]\": <a:int8>[i=0:(9^]"},
		{"<a:int8>[i=0:3037000500*3037000500]",
	     "column 14: expected an expression whose value is a number of 64 bits, found \"3037000500\": "
	     "<a:int8>[i=0:^3037000500*3037000500]"},
		{"<a:int8>[i=0:2*4611686018427387903]", "column 14: expected a number from -(2^62-1) to 2^62-1, "
	                                            "found \"2\": <a:int8>[i=0:^2*4611686018427387903]"},
		{"<a:int8>[i=0:int64(2.5)]",
	     "column 14: expected a function that has such a value, found \"int64\": <a:int8>[i=0:^int64(2.5)]"},
		{"<a:int8>[i=0:int8(128)]",
	     "column 14: expected a function that has such a value, found \"int8\": <a:int8>[i=0:^int8(128)]"},
		{"<a:int8>[i=0:uint8(-1)]",
	     "column 14: expected a function that has such a value, found \"uint8\": <a:int8>[i=0:^uint8(-1)]"},
		{"<a:int8>[i=0:sqrt(-1)]",
	     "column 14: expected a function that has such a value, found \"sqrt\": <a:int8>[i=0:^sqrt(-1)]"},
		{"<a:int8>[i=0:pow(2)]",
	     "column 19: expected \",\" and a number, found \")\": <a:int8>[i=0:pow(2^)]"},
		{"<a:int8>[i=0:pow(2,3,4)]",
	     "column 21: expected an operator or \")\", found \",\": <a:int8>[i=0:pow(2,3^,4)]"},
		{"<a:int8>[i=0:int64 5]",
	     "column 20: expected \"(\" after a function, found \"5\": <a:int8>[i=0:int64 ^5]"},
		{"<a:int8>[i=0:log(5)]", "column 14: expected a number, or a function of some: int8 to int64, uint8 "
	                             "to uint64, double, float, "
	                             "pow, sqrt, floor, ceil, abs, found \"log\": <a:int8>[i=0:^log(5)]"},
		{"<a:int8>[i=0:5/2.0]", "column 14: expected an expression whose value is a whole number of 64 bits, "
	                            "found \"5\": <a:int8>[i=0:^5/2.0]"},
		{"<a:int8>[i=0:5%2.0]", "column 14: expected an expression whose value is a number of 64 bits, found "
	                            "\"5\": <a:int8>[i=0:^5%2.0]"},
		{"<a:int8>[i=0:int64(pow(2.0,63.0))]",
	     "column 14: expected a function that has such a value, found \"int64\": "
	     "<a:int8>[i=0:^int64(pow(2.0,63.0))]"},
		{"<a:int8>[i=0:9:0:9223372036854775808]",
	     "column 18: expected a number of 64 bits, found \"9223372036854775808\": "
	     "<a:int8>[i=0:9:0:^9223372036854775808]"},
		{"<a:int8>[i=0:9",
	     "column 15: expected \",\", \";\" or \"]\" after the dimension, found the end: <a:int8>[i=0:9^"},
		{"<a:int8>[i] x", "column 13: expected nothing after the dimensions, found \"x\": <a:int8>[i] ^x"},
		{"<a:int8> x", "column 10: expected \"[\" and the dimensions, or nothing, found \"x\": <a:int8> ^x"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		words w;
		char wanted[400];
		begin_words(&w);
		assert_status(SHEAF_USAGE,
		              sheaf_scidb_array_read(&w.array, cases[i][0], &w.types, &err));
		snprintf(wanted, sizeof wanted, "--schema: %s", cases[i][1]);
		assert_text(wanted, err.message);
		end_words(&w);
	}
}

/* A long text is shown around the place. */
static void test_long_texts_are_cut(void **state)
{
	words w;
	char text[400];
	(void)state;
	begin_words(&w);
	strcpy(text, "(");
	for (int i = 0; i < 20; i++) strcat(text, "int64, ");
	strcat(text, "what, ");
	for (int i = 0; i < 20; i++) strcat(text, "int64, ");
	assert_status(SHEAF_USAGE,
	              sheaf_scidb_entries_read(&w.entries, text, &w.types, &err));
	assert_message("column 142: ");
	assert_message(": ...64, int64, int64, ");
	assert_message("int64, ^what, int64, ");
	assert_message("int64...");
	end_words(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format_strings),
		cmocka_unit_test(test_format_strings_that_are_none),
		cmocka_unit_test(test_array_schemas),
		cmocka_unit_test(test_names_of_arrays),
		cmocka_unit_test(test_array_schemas_that_are_none),
		cmocka_unit_test(test_long_texts_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
