/* SPDX-License-Identifier: MIT */
/* Binsparse: tensors in boxes in memory. Descriptors by themselves are in test_descriptors.c. */
#include "base/memory.h"
#include "binsparse_support.h"
#include "format/binsparse/reader.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tensors in memory ---- */

/* An array: "indices_1:u8=0 1 2". */
static void put_array(sheaf_box *box, const char *group, const char *spec)
{
	static const struct {
		const char *name;
		sheaf_type type;
	} types[] = {{"u8", SHEAF_U8},   {"u16", SHEAF_U16}, {"u32", SHEAF_U32}, {"u64", SHEAF_U64},
	             {"i8", SHEAF_I8},   {"i16", SHEAF_I16}, {"i32", SHEAF_I32}, {"i64", SHEAF_I64},
	             {"f32", SHEAF_F32}, {"f64", SHEAF_F64}};
	char path[100], name[50], type_name[8];
	int at = 0;
	assert_int_equal(sscanf(spec, "%49[^:]:%7[^=]=%n", name, type_name, &at), 2);
	size_t t = 0;
	while (t < COUNT(types) - 1 && strcmp(types[t].name, type_name) != 0) t++;
	double values[64];
	uint8_t stored[64 * 8];
	int64_t n = 0;
	for (char *end, *from = (char *)(uintptr_t)spec + at;; from = end) {
		values[n] = strtod(from, &end);
		if (end == from) break;
		n++;
	}
	for (int64_t i = 0; i < n; i++) {
		size_t size = sheaf_type_size(types[t].type);
		int64_t whole = (int64_t)values[i];
		float narrow = (float)values[i];
		memcpy(stored + (size_t)i * size,
		       types[t].type == SHEAF_F32   ? (void *)&narrow
		       : types[t].type == SHEAF_F64 ? (void *)&values[i]
		                                    : (void *)&whole,
		       size);
	}
	snprintf(path, sizeof path, "%s%s%s", group, *group ? "/" : "", name);
	static const sheaf_box_storing plain;
	assert_ok(sheaf_box_put(box, path, (sheaf_box_values){types[t].type, stored, n}, &plain, &err));
}

/* A tensor: its descriptor, then arrays separated by bars. */
static void put_tensor(sheaf_box *box, const char *group, const char *json, const char *arrays)
{
	char copy[1000], *at = copy;
	const char *text = quoted(json);
	assert_ok(sheaf_box_make_group(box, group, &err));
	assert_ok(sheaf_box_set_text(box, group, "binsparse", text, strlen(text), &err));
	snprintf(copy, sizeof copy, "%s", arrays);
	for (char *spec; (spec = strsep(&at, "|"));)
		if (*spec) put_array(box, group, spec);
}

typedef struct reading {
	told findings;
	char rows[4000];
	char described[3000];
	sheaf_status status;
} reading;

static sheaf_status read_pieces(sheaf_bsp_reader *in, int64_t bytes, sheaf_builder *b, sheaf_context *cx)
{
	sheaf_piece piece = {0};
	sheaf_frame frame = {0};
	sheaf_buffer text = {0};
	sheaf_status status;
	int64_t row = 0;
	while ((status = sheaf_bsp_cut(in, bytes, &piece, &err)) == SHEAF_OK &&
	       (status = sheaf_bsp_decode(in, &piece, &frame, cx, &err)) == SHEAF_OK) {
		assert_ok(sheaf_frame_check(&frame, &in->schema, SHEAF_CHECK_FULL, &err));
		assert_ok(sheaf_bsp_review(in, &frame, row, &err));
		if (in->schema.rows != SHEAF_WHOLE) {
			assert_ok(sheaf_rows_text(&frame, &in->schema, SHEAF_JSON, row, 0, frame.nrows, &text, &err));
			sheaf_builder_append(b, text.data, text.size);
		}
		row += frame.nrows;
	}
	if (status == SHEAF_END) status = sheaf_bsp_review(in, NULL, 0, &err);
	sheaf_buffer_reset(&text);
	sheaf_buffer_reset(&piece.notes);
	sheaf_buffer_reset(&piece.bytes);
	sheaf_frame_free(&frame);
	return status;
}

/* The box is read and closed. */
static reading read_box(sheaf_box *box, sheaf_context *cx, told *t, const char *setting, unsigned rows,
                        int64_t bytes)
{
	static reading r;
	sheaf_bsp_reader in = {.cx = cx, .facts = SHEAF_NO_FACTS};
	char words[40] = "", *value = words;
	snprintf(words, sizeof words, "%s", setting ? setting : "");
	const char *name = strsep(&value, "="); /* "repair", or "allow=breach" */
	sheaf_setting settings[1] = {{name, value}};
	sheaf_values values = {settings, setting != NULL};
	sheaf_opening how = {.rows = rows};
	sheaf_builder b;
	r = (reading){.status = sheaf_bsp_open_box(&in, box, "x.h5", &values, &how, &err)};
	sheaf_builder_begin(&b, cx, NULL);
	if (r.status == SHEAF_OK) {
		r.status = read_pieces(&in, bytes, &b, cx);
		sheaf_builder text;
		sheaf_builder_begin(&text, cx, NULL);
		assert_ok(sheaf_bsp_describe(&in, &(sheaf_listing){&text, false}, &err));
		snprintf(r.described, sizeof r.described, "%.*s", (int)text.size, (const char *)text.data);
		sheaf_builder_drop(&text);
	}
	snprintf(r.rows, sizeof r.rows, "%.*s", (int)b.size, b.size ? (const char *)b.data : "");
	sheaf_builder_drop(&b);
	sheaf_bsp_close(&in);
	sheaf_schema_free(&in.schema);
	r.findings = *t;
	return r;
}

static reading read_tensor_as(const char *json, const char *arrays, bool validate, const char *setting,
                              unsigned rows, int64_t bytes)
{
	told t;
	sheaf_box *box;
	sheaf_context *cx = listening(&t, validate);
	assert_ok(sheaf_box_in_memory(cx, &box, &err));
	put_tensor(box, "", json, arrays);
	reading r = read_box(box, cx, &t, setting, rows, bytes);
	end_context(cx);
	return r;
}

/* The entries are these, however small the pieces; only `finding` is reported. */
static void assert_tensor(const char *json, const char *arrays, const char *entries, const char *finding)
{
	static const int64_t sizes[] = {1000000, 1, 20, 50};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		reading r = read_tensor_as(json, arrays, false, NULL, SHEAF_TAKES_ENTRIES, sizes[i]);
		assert_ok(r.status);
		assert_text(entries, r.rows);
		if (!strstr(r.findings.text, finding) || (!*finding && r.findings.count))
			fail_msg("expected \"%s\", told \"%s\"", finding, r.findings.text);
	}
	assert_ok(read_tensor_as(json, arrays, false, NULL, SHEAF_TAKES_WHOLE, 1).status);
}

/* Refused when read, with this message; all of `findings`, separated by bars, are reported when validated, by
 * pieces and as a whole. */
static void assert_flawed(const char *json, const char *arrays, const char *findings)
{
	char copy[1000], *at = copy;
	reading one = read_tensor_as(json, arrays, false, NULL, SHEAF_TAKES_ENTRIES, 1000000);
	assert_status(SHEAF_DATA, one.status);
	reading all = read_tensor_as(json, arrays, true, NULL, SHEAF_TAKES_ENTRIES, 1000000);
	assert_ok(all.status);
	assert_text("", all.rows);
	assert_status(SHEAF_DATA, read_tensor_as(json, arrays, false, NULL, SHEAF_TAKES_WHOLE, 1).status);
	int wanted = 0;
	snprintf(copy, sizeof copy, "%s", findings);
	for (char *finding; (finding = strsep(&at, "|")); wanted++)
		if (!strstr(all.findings.text, finding))
			fail_msg("expected \"%s\", told \"%s\"", finding, all.findings.text);
	if (wanted != all.findings.count)
		fail_msg("expected %d findings, told \"%s\"", wanted, all.findings.text);
}

#define FORMAT(format, shape, stored, types, value) \
	"{'binsparse':{'version':'0.1','format':'" format "','shape':" shape \
	",'number_of_stored_values':" #stored ",'data_types':{" types "'values':'" value "'}}}"
#define A3 "[[0,1],1],[[0,3],2],[[2,0],3],[[2,3],4]"
#define U0 "'indices_0':'uint8',"
#define U1 "'indices_1':'uint8',"
#define Q1 "'pointers_to_1':'uint8',"

static void test_arrays_of_each_format(void **state)
{
	(void)state;
	assert_tensor(FORMAT("DVEC", "[3]", 3, "", "int16"), "values:i16=5 -6 7", "[[0],5],[[1],-6],[[2],7]", "");
	assert_tensor(FORMAT("DMATR", "[2,3]", 6, "", "uint8"), "values:u8=1 2 3 4 5 6",
	              "[[0,0],1],[[0,1],2],[[0,2],3],[[1,0],4],[[1,1],5],[[1,2],6]", "");
	assert_tensor(FORMAT("DMATC", "[2,3]", 6, "", "uint8"), "values:u8=1 2 3 4 5 6",
	              "[[0,0],1],[[1,0],2],[[0,1],3],[[1,1],4],[[0,2],5],[[1,2],6]", "");
	assert_tensor(FORMAT("CVEC", "[10]", 2, U0, "float32"), "indices_0:u8=3 9|values:f32=0.5 0",
	              "[[3],0.5],[[9],0]", "");
	assert_tensor(FORMAT("CSR", "[3,4]", 4, Q1 U1, "float64"),
	              "pointers_to_1:u8=0 2 2 4|indices_1:u8=1 3 0 3|values:f64=1 2 3 4", A3, "");
	assert_tensor(FORMAT("CSC", "[3,4]", 4, Q1 U1, "float64"),
	              "pointers_to_1:u8=0 1 2 2 4|indices_1:u8=2 0 0 2|values:f64=3 1 2 4",
	              "[[2,0],3],[[0,1],1],[[0,3],2],[[2,3],4]", "");
	assert_tensor(FORMAT("DCSR", "[3,4]", 4, U0 Q1 U1, "float64"),
	              "indices_0:u8=0 2|pointers_to_1:u8=0 2 4|indices_1:u8=1 3 0 3|values:f64=1 2 3 4", A3, "");
	assert_tensor(FORMAT("DCSC", "[3,4]", 4, U0 Q1 U1, "float64"),
	              "indices_0:u8=0 1 3|pointers_to_1:u8=0 1 2 4|indices_1:u8=2 0 0 2|values:f64=3 1 2 4",
	              "[[2,0],3],[[0,1],1],[[0,3],2],[[2,3],4]", "");
	assert_tensor(FORMAT("COO", "[3,4]", 4, U0 U1, "float64"),
	              "indices_0:u8=0 0 2 2|indices_1:u8=1 3 0 3|values:f64=1 2 3 4", A3, "");
	/* By columns indices_0 is the column. */
	assert_tensor(FORMAT("COOC", "[3,4]", 4, U0 U1, "float64"),
	              "indices_0:u8=0 1 3 3|indices_1:u8=2 0 0 2|values:f64=3 1 2 4",
	              "[[2,0],3],[[0,1],1],[[0,3],2],[[2,3],4]", "");
}

static void test_arrays_of_levels(void **state)
{
	(void)state;
	/* No dimension: one value. */
	assert_tensor("{'binsparse':{'version':'0.1','format':'custom','custom':{'level':" ELEMENT
	              "},'shape':[],'number_of_stored_values':1,'data_types':{'values':'int8'}}}",
	              "values:i8=-7", "[[],-7]", "");
	/* Dense inside of sparse: all positions below a stored one are stored. */
	assert_tensor(CUSTOM("", SPARSE(1, DENSE(1, ELEMENT)), "[5,2]", I0), "indices_0:i32=3|values:i8=1 2",
	              "[[3,0],1],[[3,1],2]", "");
	/* Dense of rank 2 above sparse: pointers_to_2 has 2 * 2 + 1 values. */
	assert_tensor(CUSTOM("", DENSE(2, SPARSE(1, ELEMENT)), "[2,2,9]", P2 I2),
	              "pointers_to_2:i32=0 0 1 1 2|indices_2:i32=8 4|values:i8=5 6", "[[0,1,8],5],[[1,1,4],6]",
	              "");
	/* Inner slices of levels may be empty. */
	assert_tensor(CUSTOM("", SPARSE(1, SPARSE(1, ELEMENT)), "[5,5]", I0 P1 I1),
	              "indices_0:i32=1 2 4|pointers_to_1:i32=0 1 1 2|indices_1:i32=0 3|values:i8=5 6",
	              "[[1,0],5],[[4,3],6]", "");
	/* Dimension k of the levels is dimension transpose[k] of the tensor. */
	assert_tensor("{'binsparse':{'version':'0.1','custom':{'transpose':[1,2,0],'level':" SPARSE(
					  3, ELEMENT) "},'shape':[2,3,4],'number_of_stored_values':2,'data_types':{" I0 I1 I2
	                              "'values':'int8'}}}",
	              "indices_0:i32=0 2|indices_1:i32=2 1|indices_2:i32=1 1|values:i8=1 4",
	              "[[1,0,2],1],[[1,2,1],4]", "");
	/* A root may have pointers, which are not checked. */
	assert_tensor(CUSTOM("", SPARSE(1, ELEMENT), "[5]", I0),
	              "pointers_to_0:i32=0 2|indices_0:i32=1 2|values:i8=5 6", "[[1],5],[[2],6]", "");
}

/* A value that stands for all takes nothing to store, but all of them take time. */
static void test_one_value_for_very_many(void **state)
{
	(void)state;
	static const char *const many[] = {
		FORMAT("DVEC", "[1000000000000]", 1000000000000, "", "iso[float64]"),
		FORMAT("DMAT", "[1000000,1000000]", 1000000000000, "", "iso[int8]"),
	};
	for (size_t i = 0; i < COUNT(many); i++)
		for (int validate = 0; validate < 2; validate++) {
			const char *value = i ? "values:i8=7" : "values:f64=7";
			reading r = read_tensor_as(many[i], value, validate, NULL, SHEAF_TAKES_ENTRIES, 1000000);
			assert_status(SHEAF_LIMIT, r.status);
			assert_message(
				"x.h5: values: expected at most 1 GiB, or 1032 for each index, since all are the same, "
				"found 1000000000000 values");
		}
}

static void test_values(void **state)
{
	(void)state;
	assert_tensor(FORMAT("CVEC", "[5]", 2, U0, "complex[float32]"), "indices_0:u8=1 2|values:f32=1 -2 0.5 0",
	              "[[1],[1,-2]],[[2],[0.5,0]]", "");
	assert_tensor(FORMAT("CVEC", "[5]", 2, U0, "iso[int8]"), "indices_0:u8=1 2|values:i8=7",
	              "[[1],7],[[2],7]", "");
	assert_tensor(FORMAT("CVEC", "[5]", 2, U0, "iso[complex[float64]]"), "indices_0:u8=1 2|values:f64=3 -3.5",
	              "[[1],[3,-3.5]],[[2],[3,-3.5]]", "");
	assert_tensor(FORMAT("DVEC", "[2]", 2, "", "iso[complex[float64]]"), "values:f64=1 2",
	              "[[0],[1,2]],[[1],[1,2]]", "");
	assert_flawed(
		FORMAT("CVEC", "[5]", 2, U0, "iso[int8]"), "indices_0:u8=1 2|values:i8=7 8",
		"values with 1 number, since all are the same (--allow breach reads one for each entry), found 2");
	assert_flawed(FORMAT("CVEC", "[5]", 2, U0, "iso[int8]"), "indices_0:u8=1 2|values:i8=7 8 9",
	              "values with 1 number, since all are the same, found 3");
	/* Nothing stored: one value or none. */
	assert_tensor(FORMAT("CVEC", "[5]", 0, U0, "iso[int8]"), "indices_0:u8=|values:i8=7", "", "");
	assert_tensor(FORMAT("CVEC", "[5]", 0, U0, "iso[int8]"), "indices_0:u8=|values:i8=", "", "");
	assert_flawed(FORMAT("CVEC", "[5]", 1, U0, "iso[int8]"),
	              "indices_0:u8=1|values:i8=", "values with 1 number, since all are the same, found 0");
	/* Truth values in bytes of either kind; other numbers are true. */
	assert_tensor(FORMAT("DVEC", "[2]", 2, "", "bint8"), "values:u8=1 0", "[[0],true],[[1],false]", "");
	assert_tensor(FORMAT("DVEC", "[2]", 2, "", "bint8"), "values:i8=1 0", "[[0],true],[[1],false]", "");
	assert_tensor(FORMAT("DVEC", "[3]", 3, "", "bint8"), "values:i8=0 -1 1",
	              "[[0],false],[[1],true],[[2],true]",
	              "values[1] to be 0 or 1, found 255; it is read as true");
	/* Indices of any type; integers exact. */
	assert_tensor(FORMAT("CVEC", "[5]", 2, "'indices_0':'int64',", "int8"), "indices_0:i64=1 2|values:i8=7 8",
	              "[[1],7],[[2],8]", "");
	assert_tensor(FORMAT("CVEC", "[5]", 2, "'indices_0':'int16',", "int8"), "indices_0:i16=1 2|values:i8=7 8",
	              "[[1],7],[[2],8]", "");
	assert_tensor(FORMAT("CVEC", "[4294967296]", 1, "'indices_0':'uint32',", "int8"),
	              "indices_0:u32=4294967295|values:i8=7", "[[4294967295],7]", "");
	/* Other types than declared. */
	assert_tensor(FORMAT("CVEC", "[5]", 2, U0, "int8"), "indices_0:u32=1 2|values:i8=7 8", "[[1],7],[[2],8]",
	              "breach: x.h5: expected indices_0 of the declared type uint8, found uint32");
	assert_tensor(FORMAT("DVEC", "[2]", 2, "", "float32"), "values:f64=1 2.5", "[[0],1],[[1],2.5]",
	              "breach: x.h5: expected values of the declared type float32, found float64");
	assert_status(SHEAF_DATA, read_tensor_as(FORMAT("DVEC", "[2]", 2, "", "int8"), "values:f64=1 2.5", false,
	                                         NULL, SHEAF_TAKES_ENTRIES, 100)
	                              .status);
	assert_status(SHEAF_DATA,
	              read_tensor_as(FORMAT("CVEC", "[5]", 1, U0, "int8"), "indices_0:f32=1|values:i8=7", false,
	                             NULL, SHEAF_TAKES_ENTRIES, 100)
	                  .status);
	assert_message("indices_0: expected an array of whole numbers");
}

static void test_empty_tensors(void **state)
{
	(void)state;
	assert_tensor(FORMAT("CSR", "[3,4]", 0, Q1 U1, "float64"),
	              "pointers_to_1:u8=0 0 0 0|indices_1:u8=|values:f64=", "", "");
	assert_tensor(FORMAT("CSR", "[0,0]", 0, Q1 U1, "float64"),
	              "pointers_to_1:u8=0|indices_1:u8=|values:f64=", "", "");
	assert_tensor(FORMAT("DMAT", "[0,4]", 0, "", "float64"), "values:f64=", "", "");
	/* Arrays that a program could not write. */
	assert_tensor(FORMAT("CSR", "[3,4]", 0, Q1 U1, "float64"), "pointers_to_1:u8=0 0 0 0|values:f64=", "",
	              "breach: x.h5: expected the array \"indices_1\", found none; the tensor is empty");
	assert_tensor(FORMAT("COO", "[3,4]", 0, U0 U1, "float64"), "values:f64=", "",
	              "the array \"indices_0\", found none");
	assert_tensor(FORMAT("DCSR", "[3,4]", 0, U0 Q1 U1, "float64"), "", "",
	              "the array \"pointers_to_1\", found none");
	assert_status(SHEAF_DATA, read_tensor_as(FORMAT("COO", "[3,4]", 1, U0 U1, "float64"),
	                                         "indices_0:u8=1|values:f64=1", false, NULL, 0, 100)
	                              .status);
	assert_message("expected the array \"indices_1\", found none");
	/* Pointers of a tensor without elements are checked, too. */
	assert_flawed(FORMAT("CSR", "[3,4]", 0, Q1 U1, "float64"),
	              "pointers_to_1:u8=0 1 0 0|indices_1:u8=|values:f64=",
	              "pointers_to_1[1] at most 0, found 1|pointers_to_1[2] at least 1, found 0");
}

#define CSR34 FORMAT("CSR", "[3,4]", 4, Q1 U1, "uint8")
#define VALUES4 "values:u8=1 2 3 4"

static void test_flaws_of_arrays(void **state)
{
	(void)state;
	assert_flawed(CSR34, "pointers_to_1:u8=0 2 4|indices_1:u8=1 3 0 3|" VALUES4,
	              "pointers_to_1 with 4 values, one more than positions above, found 3");
	assert_flawed(CSR34, "pointers_to_1:u8=0 2 2 3|indices_1:u8=1 3 0 3|" VALUES4,
	              "pointers_to_1 to end with 4, the length of its indices, found 3");
	assert_flawed(CSR34, "pointers_to_1:u8=0 2 2 4|indices_1:u8=1 3 0 3|values:u8=1 2 3",
	              "values with 4 numbers, found 3");
	assert_flawed(FORMAT("CSR", "[3,4]", 5, Q1 U1, "uint8"),
	              "pointers_to_1:u8=0 2 2 4|indices_1:u8=1 3 0 3|" VALUES4,
	              "5 stored values, as number_of_stored_values has it, found 4");
	assert_flawed(FORMAT("COO", "[3,4]", 4, U0 U1, "uint8"),
	              "indices_0:u8=0 0 2 2|indices_1:u8=1 3 0|" VALUES4,
	              "indices_1 with 4 values, as many as indices_0, found 3");
	assert_flawed(FORMAT("DVEC", "[4]", 4, "", "uint8"), "values:u8=1 2 3", "values with 4 numbers, found 3");
	assert_flawed(
		FORMAT("DVEC", "[4]", 3, "", "uint8"), "values:u8=1 2 3",
		"3 stored values, as number_of_stored_values has it, found 4|values with 4 numbers, found 3");
}

/* Every flaw with its array and position. */
static void test_flaws_of_indices(void **state)
{
	(void)state;
	assert_flawed(CSR34, "pointers_to_1:u8=1 2 2 4|indices_1:u8=1 3 0 3|" VALUES4,
	              "pointers_to_1[0] to be 0, found 1");
	assert_flawed(CSR34, "pointers_to_1:u8=0 3 2 4|indices_1:u8=0 1 2 3|" VALUES4,
	              "pointers_to_1[2] at least 3, found 2");
	assert_flawed(CSR34, "pointers_to_1:u8=0 9 2 4|indices_1:u8=0 1 2 3|" VALUES4,
	              "pointers_to_1[1] at most 4, found 9|pointers_to_1[2] at least 9, found 2");
	assert_flawed(
		FORMAT("CVEC", "[10]", 4, U0, "uint8"), "indices_0:u8=1 10 12 3|" VALUES4,
		"indices_0[1] below 10, found 10|indices_0[2] below 10, found 12|indices_0[3] above 12, found 3");
	assert_flawed(FORMAT("CVEC", "[10]", 2, "'indices_0':'int8',", "uint8"),
	              "indices_0:i8=-1 3|values:u8=1 2", "indices_0[0] at least 0 and below 10, found -1");
	/* Twice, and out of order. */
	assert_flawed(CSR34, "pointers_to_1:u8=0 2 2 4|indices_1:u8=1 1 3 0|" VALUES4,
	              "indices_1[1] above 1, found 1|indices_1[3] above 3, found 0");
	assert_flawed(FORMAT("COO", "[3,4]", 4, U0 U1, "uint8"),
	              "indices_0:u8=0 0 2 1|indices_1:u8=1 1 0 3|" VALUES4,
	              "indices_1[1] above 1, found 1|indices_0[3] above 2, found 1");
	/* Doubly compressed formats have no empty rows. */
	assert_flawed(FORMAT("DCSR", "[3,4]", 2, U0 Q1 U1, "uint8"),
	              "indices_0:u8=0 2|pointers_to_1:u8=0 0 2|indices_1:u8=1 3|values:u8=1 2",
	              "pointers_to_1[1] above 0, found 0");
	assert_flawed(FORMAT("DCSR", "[3,4]", 2, U0 Q1 U1, "uint8"),
	              "indices_0:u8=2 0|pointers_to_1:u8=0 1 2|indices_1:u8=1 3|values:u8=1 2",
	              "indices_0[1] above 2, found 0");
}

/* Order is checked across the ends of pieces. */
static void test_flaws_between_pieces(void **state)
{
	(void)state;
	for (int64_t bytes = 1; bytes < 40; bytes += 3) {
		reading r = read_tensor_as(FORMAT("COO", "[9,9]", 6, U0 U1, "uint8"),
		                           "indices_0:u8=0 1 2 2 2 1|indices_1:u8=0 0 0 3 1 5|values:u8=1 2 3 4 5 6",
		                           true, NULL, SHEAF_TAKES_ENTRIES, bytes);
		assert_ok(r.status);
		if (!strstr(r.findings.text, "indices_1[4] above 3, found 1") ||
		    !strstr(r.findings.text, "indices_0[5] above 2, found 1") || r.findings.count != 2)
			fail_msg("pieces of %" PRId64 " bytes: told \"%s\"", bytes, r.findings.text);
	}
}

static void test_structure_of_arrays(void **state)
{
	(void)state;
	assert_tensor(STRUCTURED("'symmetric_lower'", "int8", "[3,3]"),
	              "indices_0:i8=2|indices_1:i8=1|values:i8=5", "[[2,1],5]", "");
	reading r = read_tensor_as(STRUCTURED("'symmetric_upper'", "int8", "[3,3]"),
	                           "indices_0:i8=2|indices_1:i8=1|values:i8=5", false, NULL, 0, 100);
	assert_status(SHEAF_DATA, r.status);
	assert_message("expected element 0 in the upper triangle, found (2, 1)");
	assert_tensor(STRUCTURED("'skew_symmetric_lower'", "int8", "[3,3]"),
	              "indices_0:i8=1|indices_1:i8=1|values:i8=0", "[[1,1],0]", "");
	assert_tensor(STRUCTURED("'skew_symmetric_lower'", "int8", "[3,3]"),
	              "indices_0:i8=1|indices_1:i8=1|values:i8=5", "[[1,1],5]",
	              "breach: x.h5: expected values[0], which is on the diagonal, to be 0");
	assert_tensor(STRUCTURED("'hermitian_lower'", "complex[float32]", "[3,3]"),
	              "indices_0:i8=1|indices_1:i8=1|values:f32=5 2", "[[1,1],[5,2]]", "to be real");
	/* In dense formats the other triangle is present, and has no meaning. */
	assert_tensor("{'binsparse':{'version':'0.1','format':'DMAT','shape':[2,2],'number_of_stored_values':4,'"
	              "structure':'symmetric_lower','data_types':{'values':'int8'}}}",
	              "values:i8=1 99 3 4", "[[0,0],1],[[1,0],3],[[1,1],4]", "");
	/* The number of elements on the diagonal is counted. */
	assert_tensor(
		"{'binsparse':{'version':'0.1','format':'COO','shape':[3,3],'number_of_stored_values':2,'structure':'"
		"symmetric_lower','attributes':{'number_of_diagonal_elements':2},"
		"'data_types':{'indices_0':'int8','indices_1':'int8','values':'int8'}}}",
		"indices_0:i8=1 2|indices_1:i8=1 1|values:i8=5 6", "[[1,1],5],[[2,1],6]",
		"warning: x.h5: expected 2 elements on the diagonal, as number_of_diagonal_elements has it, found 1");
}

static void test_fill(void **state)
{
	(void)state;
	static const char filled[] = "{'binsparse':{'version':'0.1','format':'DVEC','shape':[1],'number_of_"
								 "stored_values':1,'fill':true,'data_types':{'values':'int16'}}}";
	assert_tensor(filled, "values:i16=5|fill_value:i16=-1", "[[0],5]", "");
	assert_status(SHEAF_DATA, read_tensor_as(filled, "values:i16=5", false, NULL, 0, 100).status);
	assert_message("expected the array \"fill_value\", since fill is true, found none");
	assert_status(SHEAF_DATA,
	              read_tensor_as(filled, "values:i16=5|fill_value:i16=1 2", false, NULL, 0, 100).status);
	assert_message("fill_value with 1 number, found 2");
}

/* Ten rows of thirty entries, in a type that holds 255. */
static void test_wrapped_pointers(void **state)
{
	(void)state;
	sheaf_box *box;
	told t;
	for (int repair = 0; repair < 2; repair++) {
		uint8_t pointers[11], indices[300];
		sheaf_context *cx = listening(&t, true);
		const char *json = quoted(FORMAT("CSR", "[10,30]", 300, Q1 U1, "iso[bint8]"));
		static const sheaf_box_storing plain;
		assert_ok(sheaf_box_in_memory(cx, &box, &err));
		for (int i = 0; i <= 10; i++) pointers[i] = (uint8_t)(30 * i);
		for (int i = 0; i < 300; i++) indices[i] = (uint8_t)(i % 30);
		assert_ok(sheaf_box_set_text(box, "", "binsparse", json, strlen(json), &err));
		assert_ok(
			sheaf_box_put(box, "pointers_to_1", (sheaf_box_values){SHEAF_U8, pointers, 11}, &plain, &err));
		assert_ok(sheaf_box_put(box, "indices_1", (sheaf_box_values){SHEAF_U8, indices, 300}, &plain, &err));
		assert_ok(sheaf_box_put(box, "values", (sheaf_box_values){SHEAF_U8, "\1", 1}, &plain, &err));
		reading r = read_box(box, cx, &t, repair ? "repair" : NULL, SHEAF_TAKES_ENTRIES, 100);
		assert_ok(r.status);
		assert_true(strstr(r.findings.text, repair ? "they are repaired" : "--repair mends them") != NULL);
		assert_int_equal(strlen(r.rows) > 0, repair);
		if (repair) assert_memory_equal(r.rows, "[[0,0],true],[[0,1],true]", 25);
		end_context(cx);
	}
}

/* Read with this setting: these entries, in pieces of any size, and these findings, separated by bars. */
static void assert_read_with(const char *setting, const char *json, const char *arrays, const char *entries,
                             const char *findings)
{
	for (int64_t bytes = 1; bytes < 100; bytes = 3 * bytes + 7) {
		char copy[600], *at = copy;
		int wanted = 0;
		reading r = read_tensor_as(json, arrays, true, setting, SHEAF_TAKES_ENTRIES, bytes);
		assert_ok(r.status);
		assert_text(entries, r.rows);
		snprintf(copy, sizeof copy, "%s", findings);
		for (char *finding; (finding = strsep(&at, "|")); wanted++)
			if (!strstr(r.findings.text, finding))
				fail_msg("expected \"%s\", told \"%s\"", finding, r.findings.text);
		assert_int_equal(wanted, r.findings.count);
	}
	assert_ok(read_tensor_as(json, arrays, false, setting, SHEAF_TAKES_WHOLE, 1).status);
}

#define SORTED(n) "warning: x.h5: expected entries that ascend, found " n "; repaired: they are sorted"
#define ADDED(n) \
	"|warning: x.h5: expected one entry in each place, found " n \
	" more in places of others; repaired: their values are added"

static void test_mending(void **state)
{
	(void)state;
	/* Levels of every kind: vectors, rows with gaps, rows that come twice, levels below dense ones, blocks.
	 */
	assert_read_with("repair", FORMAT("CVEC", "[9]", 4, U0, "int8"), "indices_0:u8=8 1 8 0|values:i8=1 2 3 4",
	                 "[[0],4],[[1],2],[[8],4]", SORTED("2 that do not") ADDED("1"));
	assert_read_with("repair", FORMAT("CSR", "[4,4]", 4, Q1 U1, "complex[float32]"),
	                 "pointers_to_1:u8=0 0 3 3 4|indices_1:u8=3 0 3 2|values:f32=1 2 3 4 5 6 7 8",
	                 "[[1,0],[3,4]],[[1,3],[6,8]],[[3,2],[7,8]]", SORTED("1 that does not") ADDED("1"));
	assert_read_with("repair", FORMAT("CSC", "[4,4]", 3, Q1 U1, "uint64"),
	                 "pointers_to_1:u8=0 2 2 2 3|indices_1:u8=2 1 0|values:u64=9 2 3",
	                 "[[1,0],2],[[2,0],9],[[0,3],3]", SORTED("1 that does not"));
	assert_read_with("repair", FORMAT("DCSR", "[9,4]", 4, U0 Q1 U1, "int16"),
	                 "indices_0:u8=7 0 7|pointers_to_1:u8=0 1 3 4|indices_1:u8=3 2 1 3|values:i16=1 2 3 4",
	                 "[[0,1],3],[[0,2],2],[[7,3],5]", SORTED("2 that do not") ADDED("1"));
	assert_read_with("repair", FORMAT("COOC", "[4,9]", 3, U0 U1, "bint8"),
	                 "indices_0:u8=8 0 8|indices_1:u8=1 1 1|values:u8=0 0 1", "[[1,0],false],[[1,8],true]",
	                 SORTED("1 that does not") ADDED("1"));
	/* One value for all: sums need one each; a truth value stays one. */
	assert_read_with("repair", FORMAT("COO", "[2,2]", 3, U0 U1, "iso[int8]"),
	                 "indices_0:u8=1 0 1|indices_1:u8=0 0 0|values:i8=5", "[[0,0],5],[[1,0],10]",
	                 SORTED("1 that does not") ADDED("1"));
	assert_read_with("repair", FORMAT("COO", "[2,2]", 2, U0 U1, "iso[int8]"),
	                 "indices_0:u8=1 0|indices_1:u8=0 0|values:i8=5", "[[0,0],5],[[1,0],5]",
	                 SORTED("1 that does not"));
	/* The description is of the mended tensor. */
	reading mended =
		read_tensor_as(FORMAT("CVEC", "[9]", 4, U0, "int8"), "indices_0:u8=8 1 8 0|values:i8=1 2 3 4", true,
	                   "repair", SHEAF_TAKES_ENTRIES, 100);
	assert_non_null(strstr(mended.described, "stored values: 3\n"));
	/* Sound parts stay, and other flaws are reported as usual. */
	reading r = read_tensor_as(FORMAT("CVEC", "[9]", 2, U0, "int8"), "indices_0:u8=1 8|values:i8=1 2", true,
	                           "repair", SHEAF_TAKES_ENTRIES, 100);
	assert_text("[[1],1],[[8],2]", r.rows);
	assert_int_equal(0, r.findings.count);
	r = read_tensor_as(FORMAT("CVEC", "[9]", 2, U0, "int8"), "indices_0:u8=9 8|values:i8=1 2", true, "repair",
	                   SHEAF_TAKES_ENTRIES, 100);
	assert_non_null(strstr(r.findings.text, "indices_0[0] below 9, found 9"));
	r = read_tensor_as(FORMAT("CSR", "[2,4]", 2, Q1 U1, "int8"),
	                   "pointers_to_1:u8=1 0 2|indices_1:u8=3 1|values:i8=1 2", true, "repair",
	                   SHEAF_TAKES_ENTRIES, 100);
	assert_non_null(strstr(r.findings.text, "pointers_to_1[0] to be 0, found 1"));
	assert_status(SHEAF_DATA,
	              read_tensor_as(FORMAT("CVEC", "[9]", 2, U0, "int8"), "indices_0:u8=1 1|values:i8=127 1",
	                             false, "repair", SHEAF_TAKES_ENTRIES, 100)
	                  .status);
	assert_message("--repair: expected values of one place whose sum int8 holds, found a larger one");
}

static void test_leniency(void **state)
{
	(void)state;
	assert_read_with("allow=breach", FORMAT("CVEC", "[5]", 2, U0, "iso[complex[float32]]"),
	                 "indices_0:u8=1 2|values:f32=7 8 9 10", "[[1],[7,8]],[[2],[9,10]]",
	                 "warning: x.h5: expected values with 2 numbers, since all are the same, found 4; one is "
	                 "read for each entry");
	assert_read_with(
		"allow=breach", FORMAT("CVEC", "[5]", 1, U0, "int8"), "indices_0:u32=1|values:i16=7", "[[1],7]",
		"warning: x.h5: expected indices_0 of the declared type uint8, found uint32|warning: x.h5: "
		"expected values of the declared type int8, found int16");
}

/* ---- the box around ---- */

static void test_members(void **state)
{
	(void)state;
	told t;
	sheaf_box *box;
	sheaf_context *cx = listening(&t, false);
	assert_ok(sheaf_box_in_memory(cx, &box, &err));
	put_tensor(box, "A", FORMAT("DVEC", "[1]", 1, "", "int8"), "values:i8=1|more:f64=1 2");
	put_tensor(box, "A/sub", FORMAT("DVEC", "[1]", 1, "", "int8"), "values:i8=2");
	assert_ok(sheaf_box_make_group(box, "other", &err));
	static const struct {
		const char *member, *path;
	} named[] = {{"A", "A"}, {"/A/", "A"}, {"A/sub", "A/sub"}, {"/A/sub", "A/sub"}};
	char *path;
	for (size_t i = 0; i < COUNT(named); i++) {
		assert_ok(sheaf_bsp_choose(box, "x.h5", named[i].member, cx, &path, &err));
		assert_string_equal(named[i].path, path);
		sheaf_release_text(cx, path);
	}
	assert_status(SHEAF_USAGE, sheaf_bsp_choose(box, "x.h5", NULL, cx, &path, &err));
	assert_message("expected one tensor, or --dataset with the path of one of them, found 2: A, A/sub");
	assert_status(SHEAF_UNKNOWN, sheaf_bsp_choose(box, "x.h5", "B", cx, &path, &err));
	assert_message("expected a tensor at \"B\", found nothing there");
	assert_status(SHEAF_UNKNOWN, sheaf_bsp_choose(box, "x.h5", "/", cx, &path, &err));
	assert_message("found a group without a descriptor");
	sheaf_box_close(box);
	end_context(cx);
}

/* What `info` adds: all tensors, their levels, arrays, user keys. */
static void test_description(void **state)
{
	(void)state;
	reading r = read_tensor_as("{'binsparse':{'version':'0.1','format':'CSC','shape':[5,5],'number_of_stored_"
	                           "values':2,'structure':'symmetric_lower',"
	                           "'attributes':{'number_of_diagonal_elements':1},'data_types':{" Q1 U1
	                           "'values':'int8'}},'author':'J'}",
	                           "pointers_to_1:u8=0 1 2 2 2 2|indices_1:u8=0 4|values:i8=5 6", false, NULL,
	                           SHEAF_TAKES_ENTRIES, 100);
	assert_ok(r.status);
	assert_text("tensor /: binsparse 0.1, format CSC: dense, sparse, element; transposed 1 "
	            "0\nshape: 5 x 5\nvalues: int8\nstored values: 2\n"
	            "structure: symmetric_lower\nvalues of both triangles: 3\narrays:\n  pointers_to_1  uint8  6 "
	            " contiguous  6 bytes\n  indices_1  uint8  2  contiguous  2 bytes\n"
	            "  values  int8  2  contiguous  2 bytes\nuser keys: author\n",
	            r.described);
}

/* ---- rows of sequences ---- */

static void test_matrices_as_sequences(void **state)
{
	(void)state;
	for (int64_t bytes = 1; bytes < 100; bytes += 33) {
		reading r = read_tensor_as(CSR34, "pointers_to_1:u8=0 2 2 4|indices_1:u8=1 3 0 3|" VALUES4, false,
		                           NULL, SHEAF_TAKES_SEQUENCES, bytes);
		assert_ok(r.status);
		assert_text("{\"key\":0,\"streams\":{\"value\":[[[1,1],[3,2]]]}}\n{\"key\":1,\"streams\":{\"value\":["
		            "[]]}}\n{\"key\":2,\"streams\":{\"value\":[[[0,3],[3,4]]]}}\n",
		            r.rows);
		r = read_tensor_as(FORMAT("DMATR", "[2,2]", 4, "", "uint8"), VALUES4, false, NULL,
		                   SHEAF_TAKES_SEQUENCES, bytes);
		assert_ok(r.status);
		assert_text(
			"{\"key\":0,\"streams\":{\"value\":[[1,2]]}}\n{\"key\":1,\"streams\":{\"value\":[[3,4]]}}\n",
			r.rows);
	}
	assert_status(SHEAF_DATA, read_tensor_as(CSR34, "pointers_to_1:u8=0 3 2 4|indices_1:u8=1 3 0 3|" VALUES4,
	                                         false, NULL, SHEAF_TAKES_SEQUENCES, 100)
	                              .status);
	assert_status(SHEAF_DATA, read_tensor_as(CSR34, "pointers_to_1:u8=0 2 2 4|indices_1:u8=1 4 0 3|" VALUES4,
	                                         false, NULL, SHEAF_TAKES_SEQUENCES, 100)
	                              .status);
}

#define STREAM(levels, shape, stored, types) \
	"{'binsparse':{'version':'0.1','format':'custom','custom':{'level':" levels "},'shape':" shape \
	",'number_of_stored_values':" #stored ",'data_types':{" types \
	"'values':'int8'}},'sheaf':{'stream':'a'}}"

static void test_streams(void **state)
{
	(void)state;
	static const char sparse[] =
		STREAM(DENSE(1, SPARSE(1, SPARSE(1, ELEMENT))), "[3,2,4]", 2,
	           "'pointers_to_1':'uint8','pointers_to_2':'uint8','indices_1':'uint8','indices_2':'uint8',");
	for (int64_t bytes = 1; bytes < 100; bytes += 33) {
		reading r = read_tensor_as(sparse,
		                           "pointers_to_1:u8=0 2 2 3|indices_1:u8=0 1 0|pointers_to_2:u8=0 1 1 "
		                           "2|indices_2:u8=3 0|values:i8=5 6",
		                           false, NULL, 0, bytes);
		assert_ok(r.status);
		assert_text("{\"key\":0,\"streams\":{\"a\":[[[3,5]],[]]}}\n{\"key\":1,\"streams\":{\"a\":[]}}\n{"
		            "\"key\":2,\"streams\":{\"a\":[[[0,6]]]}}\n",
		            r.rows);
	}
	assert_status(SHEAF_DATA, read_tensor_as(sparse,
	                                         "pointers_to_1:u8=0 2 2 3|indices_1:u8=0 2 0|pointers_to_2:u8=0 "
	                                         "1 1 2|indices_2:u8=3 0|values:i8=5 6",
	                                         false, NULL, 0, 100)
	                              .status);
	assert_message("indices_1[1] to be 1, found 2");
	static const char dense[] = STREAM(DENSE(1, SPARSE(1, DENSE(1, ELEMENT))), "[2,2,2]", 4,
	                                   "'pointers_to_1':'uint8','indices_1':'uint8',");
	reading r =
		read_tensor_as(dense, "pointers_to_1:u8=0 0 2|indices_1:u8=0 1|values:i8=5 6 7 8", false, NULL, 0, 1);
	assert_ok(r.status);
	assert_text("{\"key\":0,\"streams\":{\"a\":[]}}\n{\"key\":1,\"streams\":{\"a\":[[5,6],[7,8]]}}\n",
	            r.rows);
}

/* A file that begins as HDF5 but is of no known kind: refused when opened. */
static void test_files_that_are_no_boxes(void **state)
{
	(void)state;
	static const uint8_t bytes[16] = "\x89HDF\r\n\x1a\n\x63";
	sheaf_context *cx = usual_context();
	sheaf_source *source;
	sheaf_dataset *dataset;
	sheaf_box *box = NULL;
	assert_status(SHEAF_UNSUPPORTED,
	              open_bytes((sheaf_bytes){bytes, sizeof bytes}, "a.h5", NULL, cx, &dataset));
	assert_message("expected a superblock of version 0 to 3, found version 99");
	assert_ok(sheaf_source_memory((sheaf_bytes){bytes, sizeof bytes}, "a.h5", cx, &source, &err));
	assert_status(SHEAF_UNSUPPORTED, sheaf_box_open_known(source, cx, &box, &err));
	assert_null(box);
	sheaf_source_close(source);
	end_context(cx);
}

/* ---- chance ---- */

/* Sound tensors with some of their numbers changed: they are read or refused, and what is read is sound. */
static void test_damaged_tensors(void **state)
{
	(void)state;
	static const struct {
		const char *json, *arrays;
	} sound[] = {
		{CSR34, "pointers_to_1:u8=0 2 2 4|indices_1:u8=1 3 0 3|" VALUES4},
		{FORMAT("DCSC", "[3,4]", 4, U0 Q1 U1, "float64"),
	     "indices_0:u8=0 1 3|pointers_to_1:u8=0 1 2 4|indices_1:u8=2 0 0 2|values:f64=3 1 2 4"},
		{FORMAT("COO", "[3,4]", 4, U0 U1, "bint8"), "indices_0:u8=0 0 2 2|indices_1:u8=1 3 0 3|" VALUES4},
		{CUSTOM("", DENSE(2, SPARSE(1, ELEMENT)), "[2,2,9]", P2 I2),
	     "pointers_to_2:i32=0 0 1 1 2|indices_2:i32=8 4|values:i8=5 6"},
		{CUSTOM("", SPARSE(1, SPARSE(1, DENSE(1, ELEMENT))), "[5,5,1]", I0 P1 I1),
	     "indices_0:i32=1 2 4|pointers_to_1:i32=0 1 1 2|indices_1:i32=0 3|values:i8=5 6"},
		{STREAM(DENSE(1, SPARSE(1, SPARSE(1, ELEMENT))), "[3,2,4]", 2,
	            "'pointers_to_1':'uint8','pointers_to_2':'uint8','indices_1':'uint8','indices_2':'uint8',"),
	     "pointers_to_1:u8=0 2 2 3|indices_1:u8=0 1 0|pointers_to_2:u8=0 1 1 2|indices_2:u8=3 0|values:i8=5 "
	     "6"},
		{STRUCTURED("'symmetric_lower'", "int8", "[3,3]"), "indices_0:i8=2|indices_1:i8=1|values:i8=5"},
	};
	static const unsigned rows[] = {0, SHEAF_TAKES_ENTRIES, SHEAF_TAKES_WHOLE, SHEAF_TAKES_SEQUENCES};
	seed_random(4);
	const char *more = getenv("SHEAF_DAMAGED");
	for (int64_t k = 0; k < (more ? atoll(more) : 4000); k++) {
		size_t i = (size_t)random_below(COUNT(sound));
		char json[1500], arrays[500];
		snprintf(json, sizeof json, "%s", sound[i].json);
		snprintf(arrays, sizeof arrays, "%s", sound[i].arrays);
		for (int64_t n = random_below(4); n >= 0; n--) {
			char *text = random_below(3) ? arrays : json;
			size_t at = (size_t)random_below((int64_t)strlen(text));
			/* Digits of numbers, and now and then a byte of anything. */
			if (text[at] >= '0' && text[at] <= '9' && at && !(text[at - 1] >= 'a' && text[at - 1] <= 'z') &&
			    text[at - 1] != '_')
				text[at] = (char)('0' + random_below(10));
			else if (text == json && random_below(4) == 0)
				text[at] = (char)(' ' + random_below(95));
		}
		(void)read_tensor_as(json, arrays, random_below(2), random_below(2) ? "repair" : NULL,
		                     rows[random_below(4)], 1 + random_below(60));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrays_of_each_format),
		cmocka_unit_test(test_arrays_of_levels),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_one_value_for_very_many),
		cmocka_unit_test(test_empty_tensors),
		cmocka_unit_test(test_flaws_of_arrays),
		cmocka_unit_test(test_flaws_of_indices),
		cmocka_unit_test(test_flaws_between_pieces),
		cmocka_unit_test(test_structure_of_arrays),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_wrapped_pointers),
		cmocka_unit_test(test_mending),
		cmocka_unit_test(test_leniency),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_description),
		cmocka_unit_test(test_matrices_as_sequences),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_files_that_are_no_boxes),
		cmocka_unit_test(test_damaged_tensors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
