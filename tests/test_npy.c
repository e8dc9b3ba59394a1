/* SPDX-License-Identifier: MIT */
/* NumPy's array files: what is written, byte by byte, what is lost, and what messages say. Files with one
 * rule each are in tests/files/npy. */
#include "base/endian.h"
#include "conversion.h"
#include "dataset/dataset.h"
#include <stdio.h>
#include <string.h>

/* Version 1; a header of 59 bytes, filled up with spaces and a line feed, so that the items begin at byte
 * 128. */
#define SPACES "                                                          "
#define HEADER(text) "\x93NUMPY\1\0v\0" text SPACES "\n"
/* A binary file, without the NUL after the literal. */
#define SIZE(text) (sizeof(text) - 1)

#define MATRIX \
	HEADER("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }") \
	"\0\0\0\0\0\0\xf0?\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\xc0\0\0\0\0\0\0\0\0"
#define NO_ITEMS HEADER("{'descr': '<f8', 'fortran_order': False, 'shape': (5, 0), }")
#define MATRIX_TEXT "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 -3\n"
#define WHOLE \
	HEADER("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }  ") \
	"\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
#define CUT \
	HEADER("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }  ") \
	"\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"
#define BY_COLUMNS HEADER("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), } ") "\1\2\3\4\5\6"
#define PAIRS HEADER("{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1), }") "\0\0\0?\0\0\x80\xbf"
#define TRUTHS HEADER("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2), }") "\1\0"
#define CHARACTERS HEADER("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }  ") "\0\xf6\1\0\0\0\1\0"
#define SCALAR HEADER("{'descr': '|u1', 'fortran_order': False, 'shape': (), }    ") "\1"
#define OBJECTS HEADER("{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), } ") "\0\0\0\0\0\0\0\0"

static const struct {
	conversion c;
	size_t input_size, output_size;
} conversions[] = {
	/* entries, by rows, with zeros where there are none */
	{{"mtx", MATRIX_TEXT, "npy", NULL, SHEAF_OK, MATRIX, NULL}, 0, SIZE(MATRIX)},
	/* integers stay integers */
	{{"tns", "# values: integers\n# shape: 3\n1 1\n3 -1\n", "npy", NULL, SHEAF_OK, WHOLE, NULL},
     0,
     SIZE(WHOLE)},
	/* a structure is expanded */
	{{"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n", "npy", NULL, SHEAF_OK, NULL,
      NULL},
     0,
     0},
	/* rows of one dense sample are a matrix */
	{{"ctf", "0 |A 1 0\n1 |A -3 0\n", "npy", "A:2:dense:double", SHEAF_OK, MATRIX, NULL}, 0, SIZE(MATRIX)},
	/* read: by columns, complex, truth values */
	{{"npy", BY_COLUMNS, "mtx", NULL, SHEAF_OK,
      "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n", NULL},
     SIZE(BY_COLUMNS),
     0},
	{{"npy", PAIRS, "mtx", NULL, SHEAF_OK, "%%MatrixMarket matrix array complex general\n1 1\n0.5 -1\n",
      NULL},
     SIZE(PAIRS),
     0},
	{{"npy", TRUTHS, "mtx", NULL, SHEAF_OK, "%%MatrixMarket matrix array integer general\n1 2\n1\n0\n", NULL},
     SIZE(TRUTHS),
     0},
	/* characters beyond the first 65536 */
	{{"npy", CHARACTERS, "csv", NULL, SHEAF_OK, "value\n\xf0\x9f\x98\x80\xf0\x90\x80\x80\n", NULL},
     SIZE(CHARACTERS),
     0},
	/* as they are */
	{{"npy", MATRIX, "npy", NULL, SHEAF_OK, MATRIX, NULL}, SIZE(MATRIX), SIZE(MATRIX)},
	/* refused */
	{{"npy", SCALAR, "tns", NULL, SHEAF_UNSUPPORTED, NULL, "expected at least one dimension, found none"},
     SIZE(SCALAR),
     0},
	{{"npy", CUT, "mtx", NULL, SHEAF_SHORT, NULL, "a.npy (byte 128): expected 24 bytes of items, found 23"},
     SIZE(CUT),
     0},
	{{"npy", OBJECTS, "mtx", NULL, SHEAF_UNSUPPORTED, NULL,
      "plain bytes, not objects of Python, which are never unpickled, found type '|O'"},
     SIZE(OBJECTS),
     0},
	{{"tns", "1 1 0.5\n1 1 2\n", "npy", NULL, SHEAF_DATA, NULL,
      "b.npy: expected each position once, found (0,0) twice"},
     0,
     0},
	{{"mtx", "%%MatrixMarket matrix coordinate real general\n3000000000 3000000000 1\n1 1 1\n", "npy", NULL,
      SHEAF_LIMIT, NULL,
      "an output of at most 1073741824 bytes, which is 64 times the input or 1 GiB, found a need for"},
     0,
     0},
	{{"ctf", "0 |A 1 2 |B 3\n", "npy", NULL, SHEAF_UNSUPPORTED, NULL,
      "b.npy: expected one dense stream, found 2 (A, B)"},
     0,
     0},
	{{"ctf", "0 |A 0:1\n", "npy", NULL, SHEAF_UNSUPPORTED, NULL, "expected one dense stream, found"}, 0, 0},
	{{"ctf", "0 |A 1\n0 |A 2\n", "npy", NULL, SHEAF_UNSUPPORTED, NULL,
      "b.npy: sequence 0: expected one sample in each sequence, found 2"},
     0,
     0},
	{{"ctf", "7 |A 1\n", "npy", NULL, SHEAF_OK, NULL, "expected key 0, found key 7; keys become positions"},
     0,
     0},
	/* texts have a size */
	{{"csv", "s\nabc\n", "npy", NULL, SHEAF_UNSUPPORTED, NULL,
      "column \"s\": expected a fixed length in bytes for texts (--string-bytes, at least 2), found none"},
     0,
     0},
	{{"csv", "s\nabc\n", "npy", "-string-bytes=1", SHEAF_UNSUPPORTED, NULL,
      "column \"s\": expected a fixed length in bytes for texts (--string-bytes, at least 2), found none"},
     0,
     0},
	{{"csv", "s\nab\n", "npy", "-string-bytes=2", SHEAF_OK, NULL, NULL}, 0, 0},
	{{"jsonl", "{\"s\":{\"base64\":\"AAE=\"}}\n", "npy", "-string-bytes=9", SHEAF_UNSUPPORTED, NULL,
      "column \"s\": expected byte strings of a fixed length, found ones of any length"},
     0,
     0},
	{{"csv", "s\nabc\nabcd\n", "npy", "-string-bytes=3", SHEAF_LOSS, NULL,
      "row 1, column \"s\": expected at most 3 bytes, found 4"},
     0,
     0},
};

static void test_conversions(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(conversions); k++)
		check_conversion(&conversions[k].c, conversions[k].input_size, conversions[k].output_size);
}

#define ONES "1,1,1,1,1,1,1,1"
#define NO_TYPE SHEAF_UNSUPPORTED, "expected items of booleans, integers, floats"

/* Each limit of a header, and one more. */
static const struct {
	const char *descr, *shape;
	size_t items; /* bytes after the header */
	sheaf_status status;
	const char *told;
} headers[] = {
	{"'|i1'", "(" ONES ")", 1, SHEAF_OK, NULL},
	{"'|i1'", "(" ONES ",1)", 1, SHEAF_UNSUPPORTED, "expected an array of at most 8 dimensions"},
	{"'|i1'", "(9223372036854775807,0)", 0, SHEAF_OK, NULL},
	{"'|i1'", "(9223372036854775808,0)", 0, SHEAF_DATA, "expected an integer from 0 to 2^63-1"},
	{"'<f8'", "(1152921504606846975,)", 0, SHEAF_SHORT, "expected 9223372036854775800 bytes of items"},
	{"'<f8'", "(1152921504606846976,)", 0, SHEAF_DATA, "expected items of less than 2^63 bytes"},
	{"'<i2'", "(2,)", 3, SHEAF_SHORT, "expected 4 bytes of items, found 3"},
	{"'<i2'", "(2,)", 4, SHEAF_OK, NULL},
	{"'<i2'", "(0,)", (size_t)-1, SHEAF_SHORT, "expected a header within the file, found"},
	{"'|S2147483647'", "(1,)", 0, SHEAF_SHORT, "expected 2147483647 bytes of items, found 0"},
	{"'|S2147483648'", "(1,)", 0, NO_TYPE},
	{"'<U536870911'", "(1,)", 0, SHEAF_SHORT, "expected 2147483644 bytes of items, found 0"},
	{"'<U536870912'", "(1,)", 0, NO_TYPE},
	{"'|S1'", "(1,)", 1, SHEAF_OK, NULL},
	{"'|S0'", "(1,)", 0, NO_TYPE},
	{"'<U0'", "(1,)", 0, NO_TYPE},
	{"'|b2'", "(1,)", 2, NO_TYPE},
	{"'<i3'", "(1,)", 3, NO_TYPE},
	{"'<f1'", "(1,)", 1, NO_TYPE},
	{"'<c4'", "(1,)", 4, NO_TYPE},
	{"'<M4[s]'", "(1,)", 4, NO_TYPE},
	{"'<M8[s'", "(1,)", 8, NO_TYPE},
	{"'<M8[2147483647s]'", "(1,)", 8, SHEAF_OK, NULL},
	{"'<M8[2147483648s]'", "(1,)", 8, NO_TYPE},
	{"'<M8[0s]'", "(1,)", 8, NO_TYPE},
	{"'<M8[M]'", "(1,)", 8, SHEAF_OK, NULL},
	{"'<m8[M]'", "(1,)", 8, NO_TYPE},
	{"[('a','|S2147483646'),('b','|i1')]", "(1,)", 0, SHEAF_SHORT, "expected 2147483647 bytes of items"},
	{"[('a','|S2147483647'),('b','|i1')]", "(1,)", 0, SHEAF_UNSUPPORTED, "at most 2^31-1 bytes"},
	{"[('a','|i1',(" ONES "))]", "(1,)", 1, SHEAF_OK, NULL},
	{"[('a','|i1',(" ONES ",1))]", "(1,)", 1, SHEAF_UNSUPPORTED, "at most 8 dimensions and 10000 items"},
	{"[('a','|i1',(10000,))]", "(1,)", 10000, SHEAF_OK, NULL},
	{"[('a','|i1',(10001,))]", "(1,)", 10001, SHEAF_UNSUPPORTED, "at most 8 dimensions and 10000 items"},
	{"[('a','|i1',(100,100))]", "(1,)", 10000, SHEAF_OK, NULL},
	{"[('a','|i1',(73,137))]", "(1,)", 10001, SHEAF_UNSUPPORTED, "at most 8 dimensions and 10000 items"},
	{"[('a','<f4',(2,0)),('b','|i1')]", "(1,)", 1, SHEAF_OK, NULL},
	{"[('a','<f4',(2,0))]", "(1,)", 0, SHEAF_UNSUPPORTED, "expected items of at least one field, found none"},
	{"'\\x3ci2'", "(1,)", 2, SHEAF_OK, NULL},
	{"'\\xbci2'", "(1,)", 2, SHEAF_DATA, "expected a shorter string, of plain letters"},
	{"'\\x3gi2'", "(1,)", 2, SHEAF_DATA, "expected a shorter string, of plain letters"},
	{"<i2", "(1,)", 2, SHEAF_DATA, "expected"},
};

/* A file of the version 2 with items of nothing but zeros. */
static sheaf_status open_header(const char *dictionary, size_t items, const char version[2])
{
	enum { HEAD = 12 };
	static uint8_t file[12000];
	size_t used = strlen(dictionary);
	sheaf_dataset *dataset = NULL;
	sheaf_context *cx = usual_context();
	memset(file, 0, sizeof file);
	memcpy(file, "\x93NUMPY", 6);
	memcpy(file + 6, version, 2);
	sheaf_store_u32le(file + 8, (uint32_t)used);
	memcpy(file + HEAD, dictionary, used);
	sheaf_status status =
		open_bytes((sheaf_bytes){file, HEAD + used + items}, "a.npy", NULL, cx, &dataset);
	sheaf_close(dataset);
	end_context(cx);
	return status;
}

static void test_headers(void **state)
{
	char text[300];
	(void)state;
	for (size_t i = 0; i < COUNT(headers); i++) {
		snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': %s}\n", headers[i].descr,
		         headers[i].shape);
		sheaf_status status = open_header(text, headers[i].items, "\2");
		if (status != headers[i].status)
			fail_msg("%s %s: %s", headers[i].descr, headers[i].shape, err.message);
		if (headers[i].told) assert_message(headers[i].told);
	}
}

static void test_dictionaries(void **state)
{
#define REST "'fortran_order': False, 'shape': (0,)}\n"
	static const struct {
		const char *text, *version, *told;
	} cases[] = {
		{"{'descr': '|i1', " REST, "\2", NULL},
		{"{'descr': '|i1', " REST, "\3", NULL},
		{"{'descr': '|i1', " REST, "\4", "expected version 1.0, 2.0 or 3.0, found version 4.0"},
		{"{'descr': '|i1', " REST, "\0", "expected version 1.0, 2.0 or 3.0, found version 0.0"},
		{"{'descr': '|i1', " REST, "\2\1", "expected version 1.0, 2.0 or 3.0, found version 2.1"},
		{"{'descr': '|i1', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 1, " REST, "\2", "expected each of the keys"},
		{"{'descr': '|i1', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 1, " REST, "\2", "expected a shorter string"},
		{"{'descr': '|i1', 'descr': '|i1', " REST, "\2", "expected each of the keys"},
		{"{'descr': '|i1', 'fortran_order': 1, 'shape': (0,)}\n", "\2", "expected True or False"},
		{"{'descr': '|i1', 'fortran_order': False}\n", "\2", "expected the keys 'descr'"},
		{"{'descr': '|i1' 'fortran_order': False, 'shape': (0,)}\n", "\2", "',' or '}' after a value"},
		{"{'descr' '|i1', " REST, "\2", "expected ':' after a key"},
		{"{'descr': '|i1', 'fortran_order': False, 'shape': 0}\n", "\2", "expected '(' of a shape"},
		{"{'descr': '|i1', 'fortran_order': False, 'shape': (0 1)}\n", "\2", "',' or ')' after an extent"},
		{"{'descr': '|i1', " REST "x", "\2", "expected nothing after the dictionary"},
		{"['descr']\n", "\2", "expected '{' of a dictionary"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_status status = open_header(cases[i].text, 0, cases[i].version);
		bool is_version = cases[i].told && strstr(cases[i].told, "version");
		assert_int_equal(status, !cases[i].told ? SHEAF_OK : is_version ? SHEAF_UNSUPPORTED : SHEAF_DATA);
		if (cases[i].told) assert_message(cases[i].told);
	}
}

#define NOTHING(extents) \
	"\x93NUMPY\2\0\x51\0\0\0{'descr': '|i1', 'fortran_order': False, 'shape': (2147483648, " extents ", 0), }\n"

/* NumPy, too, wants the extents of an array without items to have a product. */
static void test_nothing_in_large_extents(void **state)
{
	static const conversion fine = {"npy", NOTHING("4294967295"), "npy", NULL, SHEAF_OK, NULL, NULL},
							large[] = {
								{"npy", NOTHING("4294967296"), "npy", NULL, SHEAF_UNSUPPORTED, NULL,
	                             "tensor: expected less than 2^63 positions, found more"},
								{"npy", NOTHING("4294967296"), "npz", NULL, SHEAF_UNSUPPORTED, NULL,
	                             "tensor: expected less than 2^62 bytes of values, found more"},
							};
	(void)state;
	check_conversion(&fine, SIZE(NOTHING("4294967295")), 0);
	for (size_t i = 0; i < COUNT(large); i++) check_conversion(&large[i], SIZE(NOTHING("4294967296")), 0);
}

/* As many fields as an item may have, and one more. */
static void test_many_fields(void **state)
{
	enum { MOST = 10000, HEAD = 12 };
	static char text[1 << 18];
	(void)state;
	for (int n = MOST; n <= MOST + 1; n++) {
		size_t used = HEAD;
		used += (size_t)snprintf(text + used, sizeof text - used, "{'descr': [");
		for (int i = 0; i < n; i++)
			used += (size_t)snprintf(text + used, sizeof text - used, "('a%d','|i1'),", i);
		used +=
			(size_t)snprintf(text + used, sizeof text - used, "], 'fortran_order': False, 'shape': (0,)}\n");
		memcpy(text, "\x93NUMPY\2\0", 8);
		sheaf_store_u32le((uint8_t *)text + 8, (uint32_t)(used - HEAD));
		const char *told = n == MOST ? NULL : "expected at most 10000 fields in an item, found more";
		const conversion c = {"npy", text, "csv", NULL, told ? SHEAF_LIMIT : SHEAF_OK, NULL, told};
		check_conversion(&c, used, 0);
	}
}

/* A row of one field: `items` bytes, from 0 on. */
static void write_field(const char *descr, int items)
{
	char text[256];
	int n = snprintf(text, sizeof text,
	                 "\x93NUMPY%c%cv%c{'descr': [('m', '|i1', %s)], 'fortran_order': False, 'shape': (1,), }",
	                 1, 0, 0, descr);
	while (n < 127) text[n++] = ' ';
	text[n++] = '\n';
	for (int i = 0; i < items; i++) text[n++] = (char)i;
	write_file("a.npy", text, (size_t)n);
}

static void assert_becomes(const char *descr, int items, const char *expected)
{
	sheaf_context *cx = usual_context();
	sheaf_convert_options replace = {.size = sizeof replace, .force = true};
	const char *input = in_folder("a.npy");
	write_field(descr, items);
	assert_ok(sheaf_convert(&input, 1, in_folder("b.npy"), &replace, cx, &err));
	bytes_sink output = read_file("b.npy");
	assert_non_null(memmem(output.data, output.size, expected, strlen(expected)));
	free_bytes(&output);
	end_context(cx);
}

/* Shapes of fields come back if their spelling has at most 15 characters. */
static void test_shapes_of_fields(void **state)
{
	(void)state;
	assert_becomes("(9,1,1,1,1,1,1)", 9, "[('m', '|i1', (9,1,1,1,1,1,1))]");
	assert_becomes("(10,1,1,1,1,1,1)", 10, "[('m[0,0,0,0,0,0,0]', '|i1'), ('m[1,0,0,0,0,0,0]', '|i1'), ");
}

/* An index that is damaged may have pieces where no rows can be: before the items, between two, beyond the
 * last one. The only row of an array without items, as one tensor, has no bytes. */
static void test_places_of_rows(void **state)
{
	static const struct {
		bool is_empty;
		int64_t byte, size;
		sheaf_status status;
	} places[] = {{false, 128, 32, SHEAF_OK},  {false, 152, 8, SHEAF_OK},    {false, 120, 8, SHEAF_DATA},
	              {false, 132, 8, SHEAF_DATA}, {false, 128, 12, SHEAF_DATA}, {false, 128, 0, SHEAF_DATA},
	              {false, 160, 8, SHEAF_DATA}, {false, 152, 16, SHEAF_DATA}, {true, 128, 0, SHEAF_OK},
	              {true, 128, -1, SHEAF_DATA}, {true, 128, 8, SHEAF_DATA},   {true, 129, 0, SHEAF_DATA}};
	(void)state;
	sheaf_context *cx = usual_context();
	write_file("a.npy", MATRIX, SIZE(MATRIX));
	write_file("empty.npy", NO_ITEMS, SIZE(NO_ITEMS));
	for (size_t i = 0; i < COUNT(places); i++) {
		bool is_empty = places[i].is_empty;
		sheaf_dataset *dataset;
		sheaf_frame frame = {0};
		sheaf_piece piece = {.byte = places[i].byte, .size = places[i].size};
		sheaf_open_options options = {.size = sizeof options, .rows = is_empty ? SHEAF_TAKES_WHOLE : 0};
		assert_ok(sheaf_open(in_folder(is_empty ? "empty.npy" : "a.npy"), &options, cx, &dataset, &err));
		assert_status(places[i].status, dataset->format->random->recall(dataset->in, &piece, &err));
		if (places[i].status) {
			assert_message("expected the place of rows, found byte ");
		} else {
			assert_ok(dataset->format->decode(dataset->in, &piece, &frame, cx, &err));
			assert_int_equal(frame.nrows, is_empty ? 1 : piece.size / 8);
		}
		sheaf_frame_free(&frame);
		sheaf_buffer_reset(&piece.bytes);
		sheaf_close(dataset);
	}
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_conversions, make_folder, remove_folder),
		cmocka_unit_test(test_headers),
		cmocka_unit_test_setup_teardown(test_nothing_in_large_extents, make_folder, remove_folder),
		cmocka_unit_test(test_dictionaries),
		cmocka_unit_test_setup_teardown(test_many_fields, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_shapes_of_fields, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_places_of_rows, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
