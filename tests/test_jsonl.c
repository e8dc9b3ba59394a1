/* SPDX-License-Identifier: MIT */
/* Lines of JSON: what is written, byte by byte, what is lost, and what messages say. Files with one rule each
 * are in tests/files/jsonl. */
#include "conversion.h"

#define COLUMNS(rows, columns) "{\"sheaf\":\"schema\",\"rows\":\"" rows "\",\"columns\":[" columns "]}\n"
#define DENSE_A "{\"name\":\"A\",\"storage\":\"dense\",\"type\":\"float32\",\"dim\":2}"

static const conversion conversions[] = {
	/* sequences, with their keys */
	{"ctf", "7 |A 1 2\n7 |A 3 4\n9 |A -0 0.1\n", "jsonl", "A:2:dense", SHEAF_OK,
     COLUMNS("sequences", DENSE_A) "{\"key\":7,\"streams\":{\"A\":[[1,2],[3,4]]}}\n"
                                   "{\"key\":9,\"streams\":{\"A\":[[-0,0.1]]}}\n",
     NULL},
	/* rows alone */
	{"ctf", "7 |A 1 2\n", "jsonl", "A:2:dense -layout=bare", SHEAF_OK,
     "{\"key\":7,\"streams\":{\"A\":[[1,2]]}}\n", NULL},
	/* a table is of flat objects */
	{"csv", "a,b\n1,x\n,\"\"\n", "jsonl", NULL, SHEAF_OK, "{\"a\":1,\"b\":\"x\"}\n{\"a\":null,\"b\":\"\"}\n",
     NULL},
	/* and nothing else, whatever their types; times are known by their texts, */
	{"csv", "a,b,c,d,e\n1,2020-01-05,12:30:00.5,2020-01-05 12:30,2020-01-05 12:30 Z\n", "jsonl", NULL,
     SHEAF_OK,
     "{\"a\":1,\"b\":\"2020-01-05\",\"c\":\"12:30:00.500\",\"d\":\"2020-01-05T12:30:00\","
     "\"e\":\"2020-01-05T12:30:00+00:00\"}\n",
     NULL},
	{"jsonl", "{\"b\":\"2020-01-05\",\"c\":\"12:30\",\"e\":\"2020-01-05 12:30:00.5Z\"}\n", "csv", NULL,
     SHEAF_OK, "b,c,e\n2020-01-05,12:30:00,2020-01-05 12:30:00.500 +00:00\n", NULL},
	/* if all texts of a column are such; complex numbers are pairs. */
	{"jsonl",
     "{\"b\":\"2020-01-05\",\"c\":\"12:30\",\"z\":[1,\"inf\"]}\n"
     "{\"b\":\"x\",\"c\":\"2020-01-05\",\"z\":[2.5,3]}\n",
     "csv", NULL, SHEAF_OK,
     "b,c,z\n\"2020-01-05\",\"12:30\",\"(1.0,inf)\"\nx,\"2020-01-05\",\"(2.5,3.0)\"\n", NULL},
	/* What is not known by its values is named, */
	{"csv", "a\n0.1\n", "jsonl", "-columns=a:float", SHEAF_OK, "{\"a\":0.1}\n",
     "column \"a\": expected a type that text shows, found float, which the text does not record; read it "
     "back with --columns and a:float"},
	{"csv", "a\n5.5\n", "jsonl", "-columns=a:duration[ms]", SHEAF_OK, "{\"a\":5.500}\n",
     "found duration[ms]"},
	{"csv", "a\nx\n", "jsonl", "-columns=a:char", SHEAF_OK, "{\"a\":\"x\"}\n", "found char"},
	/* and so are texts that all look like something else, */
	{"csv", "a,b\n\"2020-01-05\",\"inf\"\n,\"nan\"\n", "jsonl", NULL, SHEAF_OK,
     "{\"a\":\"2020-01-05\",\"b\":\"inf\"}\n{\"a\":null,\"b\":\"nan\"}\n",
     "column \"a\": expected a type that text shows"},
	{"csv", "a,b\n\"2020-01-05\",\"inf\"\n,\"nan\"\n", "jsonl", NULL, SHEAF_OK, NULL,
     "column \"b\": expected a type that text shows"},
	/* unless the user declares columns, which leaves out others. */
	{"jsonl", "{\"a\":\"12:30\",\"b\":5,\"c\":[]}\n{\"c\":1,\"b\":2,\"a\":\"\"}\n", "csv",
     "-columns=b:float,a:string", SHEAF_OK, "b,a\n5.0,\"12:30\"\n2.0,\"\"\n", NULL},
	{"jsonl", "{\"a\":1}\n", "csv", "-columns=a:string", SHEAF_DATA, NULL,
     "column \"a\": expected a text, found 1"},
	{"jsonl",
     COLUMNS("cells", "{\"name\":\"a\",\"storage\":\"text\",\"type\":\"uint8\"}") "{\"a\":\"2020-01-05\"}\n",
     "csv", "-columns=a:date", SHEAF_OK, "a\n2020-01-05\n", NULL},
	/* A first line may declare them instead, */
	{"csv", "a,b\n0.1,\"2020-01-05\"\n", "jsonl", "-columns=a:float,b:string -layout=declared", SHEAF_OK,
     COLUMNS("cells",
             "{\"name\":\"a\",\"storage\":\"values\",\"type\":\"float32\"},"
             "{\"name\":\"b\",\"storage\":\"text\",\"type\":\"uint8\"}") "{\"a\":0.1,\"b\":\"2020-01-05\"}\n",
     NULL},
	/* as it does where there are no rows; */
	{"jsonl", COLUMNS("cells", "{\"name\":\"a\",\"storage\":\"values\",\"type\":\"int64\"}"), "jsonl", NULL,
     SHEAF_OK, COLUMNS("cells", "{\"name\":\"a\",\"storage\":\"values\",\"type\":\"int64\"}"), NULL},
	/* whole numbers of a column of reals have a point, and a column of nan alone has numbers */
	{"jsonl", "{\"a\":1.0,\"b\":\"nan\"}\n{\"a\":-1e20,\"b\":\"-inf\"}\n{\"a\":0.5,\"b\":null}\n", "jsonl",
     NULL, SHEAF_OK, "{\"a\":1.0,\"b\":\"nan\"}\n{\"a\":-1e20,\"b\":\"-inf\"}\n{\"a\":0.5,\"b\":null}\n",
     NULL},
	/* unless a column would make them look like another kind */
	{"csv", "cells\n1\n2\n", "jsonl", NULL, SHEAF_OK,
     "{\"row\":0,\"cells\":{\"cells\":1}}\n{\"row\":1,\"cells\":{\"cells\":2}}\n", NULL},
	/* a reason stays */
	{"jsonl", "{\"a\":1}\n{\"a\":{\"null\":5}}\n", "jsonl", NULL, SHEAF_OK,
     "{\"a\":1}\n{\"a\":{\"null\":5}}\n", NULL},
	/* a tensor becomes a table */
	{"tns", "1 2 0.5\n", "jsonl", NULL, SHEAF_OK, NULL, NULL},
	/* and the line that declares the rows is read as such */
	{"jsonl",
     COLUMNS("sequences", DENSE_A) "{\"key\":7,\"streams\":{\"A\":[[1,2],[3,4]]}}\n"
                                   "{\"key\":9,\"streams\":{\"A\":[[5,6]]}}\n",
     "ctf", NULL, SHEAF_OK, "7 |A 1 2\n7 |A 3 4\n9 |A 5 6\n", NULL},
	{"jsonl", "{\"row\":0,\"cells\":{\"cells\":1}}\n{\"row\":1,\"cells\":{\"cells\":2}}\n", "csv", NULL,
     SHEAF_OK, "cells\n1\n2\n", NULL},
	/* a name that is not a text */
	{"csv", "\xff\n1\n", "jsonl", NULL, SHEAF_DATA, NULL,
     "a.csv (byte 0): expected text in UTF-8 (--encoding names another encoding), found byte 0xff"},
	/* a bad line writes nothing */
	{"jsonl", "{\"a\":1}\n{\"a\":\"x\"}\n", "csv", NULL, SHEAF_DATA, NULL,
     "a.jsonl:2:1 (byte 8): column \"a\": expected an integer, found \"x\""},
	{"jsonl", "{\"a\":1}\n{\"a\":12345678901234567890123}\n", "csv", NULL, SHEAF_DATA, NULL,
     "column \"a\": expected an integer, found 1.2345678901234568e22"},
	/* the place of a mistake after a number that is passed on in another spelling */
	{"jsonl", "{\"a\":1}\n{\"a\":12345678901234567890,\"b\":-0,}\n", "csv", NULL, SHEAF_DATA, NULL,
     "a.jsonl:2:34"},
};

int main(void) { return check_conversions(conversions, COUNT(conversions)); }
