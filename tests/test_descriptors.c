/* SPDX-License-Identifier: MIT */
/* Descriptors of Binsparse, by themselves. */
#include "base/memory.h"
#include "binsparse_support.h"
#include "format/binsparse/descriptor.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- descriptors ---- */

static sheaf_status parse_as(const char *text, bool lenient, sheaf_context *cx, sheaf_bsp_descriptor *out)
{
	const char *json = quoted(text);
	return sheaf_bsp_descriptor_parse((sheaf_bytes){(const uint8_t *)json, strlen(json)}, "x.h5", lenient, cx,
	                                  out, &err);
}

static sheaf_status parse(const char *text, sheaf_context *cx, sheaf_bsp_descriptor *out)
{
	return parse_as(text, false, cx, out);
}

/* The same things in one line: version, format, levels, shape, stored values, types, fill, structure,
 * diagonal. */
static const char *summary(const sheaf_bsp_descriptor *d)
{
	static char text[500];
	char levels[BSP_LAYOUT_SIZE], type[BSP_NAME_SIZE];
	size_t n = (size_t)snprintf(text, sizeof text, "%s %s %s [", d->version, d->format,
	                            sheaf_bsp_layout_text(&d->layout, levels));
	for (int k = 0; k < d->layout.rank; k++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%" PRId64, k ? "," : "", d->shape[k]);
	n += (size_t)snprintf(text + n, sizeof text - n, "] %" PRId64 " %s", d->stored,
	                      sheaf_bsp_type_text(d->values, type));
	if (d->has_fill)
		n += (size_t)snprintf(text + n, sizeof text - n, " fill %s", sheaf_bsp_type_text(d->fill, type));
	if (d->structure)
		n += (size_t)snprintf(text + n, sizeof text - n, " %s", sheaf_structure_name(d->structure));
	if (d->diagonal >= 0) snprintf(text + n, sizeof text - n, " diagonal %" PRId64, d->diagonal);
	return text;
}

static void assert_reads(const char *json, const char *wanted, const char *findings)
{
	told t;
	sheaf_bsp_descriptor d;
	sheaf_context *cx = listening(&t, false);
	assert_ok(parse(json, cx, &d));
	assert_text(wanted, summary(&d));
	if (!strstr(t.text, findings) || (!*findings && t.count))
		fail_msg("expected \"%s\", told \"%s\"", findings, t.text);
	sheaf_bsp_descriptor_free(&d);
	end_context(cx);
}

static void assert_refused(sheaf_status status, const char *json, const char *message)
{
	told t;
	sheaf_bsp_descriptor d;
	sheaf_context *cx = listening(&t, false);
	assert_status(status, parse(json, cx, &d));
	assert_message(message);
	assert_message("x.h5: ");
	sheaf_bsp_descriptor_free(&d);
	end_context(cx);
}

#define OF(type) \
	"{'binsparse':{'version':'0.1','format':'DVEC','shape':[3],'number_of_stored_values':3,'data_types':{'" \
	"values':'" type "'}}}"

static void test_examples_of_the_specification(void **state)
{
	(void)state;
	assert_reads("{'binsparse':{'version':'0.1','format':'CSC','shape':[10,12],'number_of_stored_values':20,'"
	             "data_types':{'pointers_to_1':'uint64',"
	             "'indices_1':'uint64','values':'float32'}},'original_source':'https://url/of/original/"
	             "file.mtx','author':'John Doe'}",
	             "0.1 CSC DS@10 [10,12] 20 float32", "");
	/* The other two stand there without the name around them. */
	assert_reads("{'version':'0.1','format':'CSR','shape':[5,5],'number_of_stored_values':6,'data_types':{'"
	             "pointers_to_1':'uint64','indices_1':'uint64',"
	             "'values':'iso[int8]'}}",
	             "0.1 CSR DS [5,5] 6 iso[int8]",
	             "warning: x.h5: expected the descriptor inside of \"binsparse\"");
	assert_reads("{'version':'0.1','format':'CSR','shape':[5,5],'number_of_stored_values':9,'structure':'"
	             "symmetric_lower','data_types':{"
	             "'pointers_to_1':'uint64','indices_1':'uint64','values':'int8'}}",
	             "0.1 CSR DS [5,5] 9 int8 symmetric_lower", "warning: x.h5");
}

static void test_versions(void **state)
{
	(void)state;
	static const struct {
		const char *version, *finding;
	} read[] = {{"'0.1'", ""},
	            {"'0.1.0'", ""},
	            {"'0.1.7-draft+x'", ""},
	            {"0.1", "breach: x.h5: expected the version as a text"},
	            {"'0.1-rc'", ""}};
	for (size_t i = 0; i < COUNT(read); i++) {
		char json[600];
		told t;
		sheaf_bsp_descriptor d;
		sheaf_context *cx = listening(&t, false);
		snprintf(json, sizeof json,
		         "{'binsparse':{'format':'DVEC','shape':[1],'number_of_stored_values':1,'data_types':{'"
		         "values':'int8'},'version':%s}}",
		         read[i].version);
		assert_ok(parse(json, cx, &d));
		if (!strstr(t.text, read[i].finding) || (!*read[i].finding && t.count))
			fail_msg("version %s: told \"%s\"", read[i].version, t.text);
		sheaf_bsp_descriptor_free(&d);
		end_context(cx);
	}
	assert_refused(SHEAF_UNSUPPORTED, "{'binsparse':{'version':'1.0','format':'DVEC'}}",
	               "version: expected one of major version 0, found \"1.0\"");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'draft','format':'DVEC'}}",
	               "version: expected a version like \"0.1\", found \"draft\"");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1x','format':'DVEC'}}",
	               "version: expected a version like \"0.1\"");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':[0,1],'format':'DVEC'}}",
	               "version: expected a text like \"0.1\", found an array");
}

#define VECTOR "'format':'DVEC','shape':[1],'number_of_stored_values':1,'data_types':{'values':'int8'}"
#define LEVELS(level) \
	"{'binsparse':{'version':'0.1','format':'custom','shape':[1],'number_of_stored_values':1,'data_types':{'" \
	"values':'int8'},'custom':{" level "}}}"

/* What this version of the specification has not may change what the rest means: with `lenient` it is read as
 * if it were not there, where the rest is whole. */
static void test_what_is_not_known(void **state)
{
	static const struct {
		const char *json, *told;
		sheaf_status status;
		bool may_be_read;
	} all[] = {
		{"{'binsparse':{'version':'0.5'," VECTOR "}}", "version: expected 0.1, found \"0.5\"",
	     SHEAF_UNSUPPORTED, true},
		{"{'binsparse':{'version':'0'," VECTOR "}}", "version: expected 0.1, found \"0\"", SHEAF_UNSUPPORTED,
	     true},
		{"{'binsparse':{'version':'0.1','offset':1," VECTOR "}}", "found the key \"offset\"",
	     SHEAF_UNSUPPORTED, true},
		{LEVELS("'level':{'level_desc':'dense','rank':1,'level':{'level_desc':'element'}},'x':1"),
	     "custom: expected keys of version 0.1, found the key \"x\"", SHEAF_UNSUPPORTED, false},
		{LEVELS("'level':{'level_desc':'dense','rank':1,'x':1,'level':{'level_desc':'element'}}"),
	     "custom: expected keys of version 0.1, found the key \"x\"", SHEAF_UNSUPPORTED, false},
		{LEVELS("'level':{'level_desc':'run','rank':1,'level':{'level_desc':'element'}}"),
	     "level_desc: expected \"element\", \"dense\" or \"sparse\"", SHEAF_DATA, false},
		{"{'binsparse':{'version':'0.1','format':'BSR','shape':[1,1],'number_of_stored_values':1}}",
	     "format: expected one of", SHEAF_DATA, false},
		{"{'binsparse':{'version':'0.1','format':'DVEC','shape':[1],'number_of_stored_values':1,"
	     "'data_types':{'values':'float16'}}}",
	     "data_types, values: expected a data type", SHEAF_DATA, false},
		{"{'binsparse':{'version':'0.1','format':'DVEC','shape':[1],'number_of_stored_values':1,"
	     "'data_types':{'values':'rle[int8]'}}}",
	     "data_types, values: expected a data type", SHEAF_DATA, false},
		{"{'binsparse':{'version':'0.1','structure':'upper'," VECTOR "}}", "structure: expected one of",
	     SHEAF_DATA, false},
		{"{'binsparse':{'version':'0.1','fill':'yes'," VECTOR "}}", "fill: expected true or false",
	     SHEAF_DATA, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		told t;
		sheaf_bsp_descriptor d;
		assert_refused(all[i].status, all[i].json, all[i].told);
		sheaf_context *cx = listening(&t, false);
		assert_status(all[i].may_be_read ? SHEAF_OK : all[i].status, parse_as(all[i].json, true, cx, &d));
		if (all[i].may_be_read) assert_int_equal(t.count, 1);
		sheaf_bsp_descriptor_free(&d);
		end_context(cx);
	}
}

/* Each required key has its own error. */
static void test_missing_keys(void **state)
{
	(void)state;
	assert_refused(SHEAF_DATA, "{'author':'x'}", "expected the key \"binsparse\", an object, found none");
	assert_refused(SHEAF_DATA, "{'binsparse':3}", "binsparse: expected an object, found 3");
	assert_refused(SHEAF_DATA, "[1]", "all of it: expected an object, found an array");
	assert_refused(SHEAF_DATA, "{'binsparse':{'format':'CSR'}}", "expected the key \"version\"");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','format':'CSR'}}",
	               "expected the key \"shape\"");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','format':'CSR','shape':[5,5]}}",
	               "expected the key \"number_of_stored_values\"");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','shape':[5,5],'number_of_stored_values':6}}",
	               "expected the key \"format\"");
	assert_refused(SHEAF_DATA,
	               "{'binsparse':{'version':'0.1','format':'CSR','shape':[5,5],'number_of_stored_values':6}}",
	               "expected the key \"data_types\"");
	assert_refused(
		SHEAF_DATA,
		"{'binsparse':{'version':'0.1','format':'custom','shape':[5,5],'number_of_stored_values':6}}",
		"expected the key \"custom\"");
	static const char *const arrays[] = {"pointers_to_1", "indices_1", "values"};
	for (size_t i = 0; i < COUNT(arrays); i++) {
		char json[500], message[100];
		snprintf(json, sizeof json,
		         "{'binsparse':{'version':'0.1','format':'CSR','shape':[5,5],'number_of_stored_values':6,'"
		         "data_types':{");
		for (size_t k = 0; k < COUNT(arrays); k++)
			snprintf(json + strlen(json), sizeof json - strlen(json), "%s'%s':'uint8'", k ? "," : "",
			         k == i ? "other" : arrays[k]);
		strcat(json, "}}}");
		snprintf(message, sizeof message, "data_types: expected the type of \"%s\", found none", arrays[i]);
		assert_refused(SHEAF_DATA, json, message);
	}
}

static void test_broken_json(void **state)
{
	(void)state;
	assert_refused(SHEAF_DATA, "{'binsparse':{'custom':{'level':{'level_desc':'element',}}}}",
	               "expected JSON");
	assert_refused(SHEAF_DATA, "{'binsparse':{}", "expected JSON");
	assert_refused(SHEAF_DATA, "", "expected JSON");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','version':'0.1'}}", "expected JSON");
}

static void test_whole_numbers(void **state)
{
	(void)state;
	assert_reads("{'binsparse':{'version':'0.1','format':'COO','shape':[9007199254740993,3e9],'number_of_"
	             "stored_values':20.0,"
	             "'data_types':{'indices_0':'uint64','indices_1':'uint64','values':'int8'}}}",
	             "0.1 COO S2 [9007199254740993,3000000000] 20 int8", "");
	assert_reads("{'binsparse':{'version':'0.1','format':'CVEC','shape':[9223372036854775807],'number_of_"
	             "stored_values':0,"
	             "'data_types':{'indices_0':'uint64','values':'int8'}}}",
	             "0.1 CVEC S [9223372036854775807] 0 int8", "");
	assert_refused(SHEAF_DATA,
	               "{'binsparse':{'version':'0.1','format':'CVEC','shape':[18446744073709551615]}}",
	               "shape: expected whole numbers");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','format':'CVEC','shape':[-1]}}",
	               "shape: expected whole numbers from 0");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','format':'CVEC','shape':[2.5]}}",
	               "shape: expected whole numbers");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','format':'CVEC','shape':['3']}}",
	               "shape: expected whole numbers from 0 to 9223372036854775807, found \"3\"");
	assert_refused(SHEAF_DATA, "{'binsparse':{'version':'0.1','format':'CVEC','shape':3}}",
	               "shape: expected an array of whole numbers, found 3");
	assert_refused(
		SHEAF_DATA,
		"{'binsparse':{'version':'0.1','format':'CVEC','shape':[3],'number_of_stored_values':-2}}",
		"number_of_stored_values: expected a whole number from 0 to 9223372036854775807, found -2");
	assert_refused(SHEAF_UNSUPPORTED,
	               "{'binsparse':{'version':'0.1','format':'custom','shape':[1,1,1,1,1,1,1,1,1]}}",
	               "shape: expected at most 8 dimensions, found 9");
}

/* ---- formats and levels ---- */

static void test_formats(void **state)
{
	(void)state;
	static const struct {
		const char *name, *levels;
	} formats[] = {{"DVEC", "D"},     {"DMATR", "DD"}, {"DMAT", "DD"},   {"DMATC", "DD@10"},
	               {"CVEC", "S"},     {"CSR", "DS"},   {"CSC", "DS@10"}, {"DCSR", "SS"},
	               {"DCSC", "SS@10"}, {"COOR", "S2"},  {"COO", "S2"},    {"COOC", "S2@10"}};
	for (size_t i = 0; i < COUNT(formats); i++) {
		sheaf_stored_levels named, spelled;
		char text[BSP_LAYOUT_SIZE];
		assert_true(sheaf_bsp_layout_named(formats[i].name, &named));
		assert_text(formats[i].levels, sheaf_bsp_layout_text(&named, text));
		assert_ok(sheaf_bsp_layout_parse(formats[i].levels, &spelled, &err));
		assert_true(sheaf_bsp_layout_equal(&named, &spelled));
		/* Each name gives levels, and these a name of the same levels. */
		assert_true(sheaf_bsp_layout_named(sheaf_bsp_layout_name(&named, false), &spelled));
		assert_true(sheaf_bsp_layout_equal(&named, &spelled));
		if (strchr(strstr(sheaf_bsp_layout_names, formats[i].name), ',') == NULL)
			assert_string_equal(formats[i].name, "COOC");
	}
	assert_refused(SHEAF_DATA,
	               "{'binsparse':{'version':'0.1','format':'csr','shape':[5,5],'number_of_stored_values':6}}",
	               "format: expected one of DVEC, DMATR");
	assert_refused(SHEAF_DATA,
	               "{'binsparse':{'version':'0.1','format':7,'shape':[5,5],'number_of_stored_values':6}}",
	               "format: expected a text, found 7");
	assert_refused(SHEAF_DATA,
	               "{'binsparse':{'version':'0.1','format':'CSR','shape':[5],'number_of_stored_values':6}}",
	               "shape: expected 2 dimensions in format CSR, found 1");
	assert_refused(
		SHEAF_DATA,
		"{'binsparse':{'version':'0.1','format':'DVEC','shape':[5,2],'number_of_stored_values':6}}",
		"shape: expected 1 dimension in format DVEC, found 2");
	/* Vectors used to be written with two dimensions. */
	assert_reads("{'binsparse':{'version':'0.1','format':'DVEC','shape':[5,1],'number_of_stored_values':5,'"
	             "data_types':{'values':'int8'}}}",
	             "0.1 DVEC D [5] 5 int8", "warning: x.h5: expected one dimension, found two");
}

static void test_levels(void **state)
{
	(void)state;
	assert_reads(CUSTOM("", DENSE(1, SPARSE(1, ELEMENT)), "[2,3]", P1 I1), "0.1 custom DS [2,3] 2 int8", "");
	assert_reads(CUSTOM("'format':'custom',", SPARSE(2, ELEMENT), "[2,3]", I0 I1),
	             "0.1 custom S2 [2,3] 2 int8", "");
	assert_reads(CUSTOM("'format':'CSR',", DENSE(1, SPARSE(1, ELEMENT)), "[2,3]", P1 I1),
	             "0.1 CSR DS [2,3] 2 int8", "");
	/* Dense levels of rank 2 are two of rank 1; arrays are named by dimensions, not by levels. */
	assert_reads(CUSTOM("'format':'DMATR',", DENSE(2, ELEMENT), "[2,3]", ""), "0.1 DMATR DD [2,3] 2 int8",
	             "");
	assert_reads(CUSTOM("", DENSE(2, SPARSE(1, ELEMENT)), "[2,3,4]", P2 I2), "0.1 custom DDS [2,3,4] 2 int8",
	             "");
	assert_reads(CUSTOM("", SPARSE(1, DENSE(1, ELEMENT)), "[2,3]", I0), "0.1 custom SD [2,3] 2 int8", "");
	assert_reads(CUSTOM("", ELEMENT, "[]", ""), "0.1 custom E [] 2 int8", "");
	assert_reads(CUSTOM("'format':'custom',", SPARSE(8, ELEMENT), "[1,1,1,1,1,1,1,1]",
	                    I0 I1 I2 "'indices_3':'int8','indices_4':'int8','indices_5':'int8','indices_6':'int8'"
	                             ",'indices_7':'int8',"),
	             "0.1 custom S8 [1,1,1,1,1,1,1,1] 2 int8", "");
	assert_refused(SHEAF_DATA, CUSTOM("'format':'CSC',", DENSE(1, SPARSE(1, ELEMENT)), "[2,3]", P1 I1),
	               "expected a custom section that is format CSC");
	assert_refused(SHEAF_DATA, CUSTOM("", DENSE(1, ELEMENT), "[2,3]", ""),
	               "custom: expected levels of rank 2 in all, as shape has it, found 1");
	assert_refused(SHEAF_DATA, CUSTOM("", DENSE(3, ELEMENT), "[2,3]", ""),
	               "custom: expected levels of rank 2 in all, as shape has it, found more");
	assert_refused(SHEAF_DATA, CUSTOM("", DENSE(0, ELEMENT), "[2,3]", ""),
	               "custom: rank: expected a whole number of at least 1");
	assert_refused(SHEAF_DATA, CUSTOM("", "{'level_desc':'dense','level':" ELEMENT "}", "[2]", ""),
	               "custom: rank: expected a whole number of at least 1");
	assert_refused(SHEAF_DATA, CUSTOM("", "{'level_desc':'dense','rank':1}", "[2]", ""),
	               "custom: level: expected an object, found nothing");
	assert_refused(SHEAF_DATA, CUSTOM("", "{'level_desc':'ragged','rank':1}", "[2]", ""), "found \"ragged\"");
	assert_refused(SHEAF_DATA, CUSTOM("", "5", "[2]", ""), "custom: level");
	assert_refused(SHEAF_DATA,
	               "{'binsparse':{'version':'0.1','custom':[],'shape':[2],'number_of_stored_values':2}}",
	               "custom: the section: expected an object");
}

#define TRANSPOSED(transpose, format) \
	"{'binsparse':{'version':'0.1'," format "'custom':{'transpose':" transpose \
	",'level':" SPARSE(2, ELEMENT) "},'shape':[2,3],'number_of_stored_values':2,'data_types':{" I0 I1 \
								   "'values':'int8'}}}"

static void test_transpose(void **state)
{
	(void)state;
	assert_reads(TRANSPOSED("[1,0]", ""), "0.1 custom S2@10 [2,3] 2 int8", "");
	assert_reads(TRANSPOSED("[0,1]", ""), "0.1 custom S2 [2,3] 2 int8", "");
	assert_reads(TRANSPOSED("[1,0]", "'format':'COOC',"), "0.1 COOC S2@10 [2,3] 2 int8", "");
	assert_refused(SHEAF_DATA, TRANSPOSED("[0,0]", ""),
	               "transpose: expected a permutation of the dimensions, each number from 0 once, found 0 at "
	               "position 1");
	assert_refused(SHEAF_DATA, TRANSPOSED("[1,2]", ""), "found 2 at position 1");
	assert_refused(SHEAF_DATA, TRANSPOSED("[1]", ""), "transpose: expected a permutation");
	assert_refused(SHEAF_DATA, TRANSPOSED("[1,-1]", ""), "from 0 once, found -1 at position 1");
	assert_refused(SHEAF_DATA, TRANSPOSED("[2,0]", ""), "from 0 once, found 2 at position 0");
	assert_refused(SHEAF_DATA, TRANSPOSED("'10'", ""), "transpose: expected a permutation");
	assert_refused(SHEAF_DATA, TRANSPOSED("[1,'0']", ""), "transpose: expected a permutation");
}

/* Doubly compressed formats have no empty rows, which levels may have. */
static void test_equivalences(void **state)
{
	(void)state;
	sheaf_stored_levels layout;
	assert_ok(sheaf_bsp_layout_parse("SS", &layout, &err));
	assert_string_equal(sheaf_bsp_layout_name(&layout, false), "DCSR");
	assert_null(sheaf_bsp_layout_name(&layout, true));
	assert_ok(sheaf_bsp_layout_parse("D2", &layout, &err));
	assert_string_equal(sheaf_bsp_layout_name(&layout, true), "DMATR");
	assert_ok(sheaf_bsp_layout_parse("DSS", &layout, &err));
	assert_null(sheaf_bsp_layout_name(&layout, false));
	static const char *const bad[] = {"",      "X",      "D9",  "DDDDDDDDD", "S@1", "DS@1",
	                                  "DS@11", "DS@012", "csr", "S0",        "E2"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_status(SHEAF_USAGE, sheaf_bsp_layout_parse(bad[i], &layout, &err));
		assert_message("--layout: expected one of DVEC");
	}
}

static void test_types(void **state)
{
	(void)state;
	static const char *const good[] = {"uint8",
	                                   "uint16",
	                                   "uint32",
	                                   "uint64",
	                                   "int8",
	                                   "int16",
	                                   "int32",
	                                   "int64",
	                                   "float32",
	                                   "float64",
	                                   "bint8",
	                                   "complex[float32]",
	                                   "complex[float64]",
	                                   "iso[int8]",
	                                   "iso[bint8]",
	                                   "iso[complex[float64]]"};
	for (size_t i = 0; i < COUNT(good); i++) {
		sheaf_bsp_type type;
		char text[BSP_NAME_SIZE];
		assert_true(sheaf_bsp_type_parse(good[i], &type));
		assert_text(good[i], sheaf_bsp_type_text(type, text));
	}
	static const char *const bad[] = {"",
	                                  "float",
	                                  "double",
	                                  "int",
	                                  "complex[int8]",
	                                  "complex[bint8]",
	                                  "complex[iso[float64]]",
	                                  "iso[iso[int8]]",
	                                  "complex[complex[float32]]",
	                                  "iso[]",
	                                  "iso[int8",
	                                  "int8]",
	                                  "Iso[int8]",
	                                  "iso [int8]",
	                                  "float16"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_bsp_type type;
		assert_false(sheaf_bsp_type_parse(bad[i], &type));
	}
	assert_refused(SHEAF_DATA, OF("float"), "data_types, values: expected a data type");
	assert_refused(SHEAF_DATA, OF("complex[int8]"), "found \"complex[int8]\"");
	assert_refused(SHEAF_DATA, CUSTOM("", SPARSE(1, ELEMENT), "[2]", "'indices_0':'float32',"),
	               "indices_0: expected a whole number type, found \"float32\"");
	assert_refused(SHEAF_DATA, CUSTOM("", SPARSE(1, ELEMENT), "[2]", "'indices_0':'iso[int8]',"),
	               "indices_0: expected a whole number type");
	assert_refused(SHEAF_DATA, CUSTOM("", SPARSE(1, ELEMENT), "[2]", "'indices_0':3,"),
	               "indices_0: expected a data type");
}

static void test_fill_and_attributes(void **state)
{
	(void)state;
	assert_reads("{'binsparse':{" CSR ",'fill':true}}", "0.1 CSR DS [5,5] 6 float32 fill float32", "");
	assert_reads("{'binsparse':{" CSR ",'fill':false}}", "0.1 CSR DS [5,5] 6 float32", "");
	assert_refused(SHEAF_DATA, "{'binsparse':{" CSR ",'fill':0}}", "fill: expected true or false, found 0");
	assert_reads("{'binsparse':{" CSR ",'attributes':{'number_of_diagonal_elements':5,'more':[1]}}}",
	             "0.1 CSR DS [5,5] 6 float32 diagonal 5", "");
	assert_refused(SHEAF_DATA, "{'binsparse':{" CSR ",'attributes':3}}",
	               "attributes: expected an object, found 3");
	assert_refused(SHEAF_DATA, "{'binsparse':{" CSR ",'attributes':{'number_of_diagonal_elements':-1}}}",
	               "number_of_diagonal_elements: expected a whole number");
}

static void test_structures(void **state)
{
	(void)state;
	for (int s = SHEAF_SYMMETRIC_LOWER; s < SHEAF_STRUCTURES; s++) {
		char json[500], wanted[100];
		const char *name = sheaf_structure_name((sheaf_structure)s);
		snprintf(json, sizeof json, STRUCTURED("'%s'", "complex[float64]", "[3,3]"), name);
		snprintf(wanted, sizeof wanted, "0.1 COO S2 [3,3] 1 complex[float64] %s", name);
		assert_reads(json, wanted, "");
	}
	assert_reads(STRUCTURED("'general'", "int8", "[3,4]"), "0.1 COO S2 [3,4] 1 int8", "");
	assert_reads(STRUCTURED("'hermitian'", "complex[float32]", "[3,3]"),
	             "0.1 COO S2 [3,3] 1 complex[float32] hermitian_lower",
	             "warning: x.h5: expected a structure that names its triangle, found hermitian; the lower "
	             "triangle is meant");
	assert_reads(STRUCTURED("'symmetric'", "int8", "[3,3]"), "0.1 COO S2 [3,3] 1 int8 symmetric_lower",
	             "warning");
	assert_reads(STRUCTURED("'skew_symmetric'", "int8", "[3,3]"),
	             "0.1 COO S2 [3,3] 1 int8 skew_symmetric_lower", "warning");
	assert_reads(STRUCTURED("'skew_symmetric_lower'", "uint8", "[3,3]"),
	             "0.1 COO S2 [3,3] 1 uint8 skew_symmetric_lower", "it cannot be expanded");
	assert_refused(SHEAF_DATA, STRUCTURED("'hermitian_lower'", "float64", "[3,3]"),
	               "since the values are not complex");
	assert_refused(SHEAF_DATA, STRUCTURED("'symmetric_lower'", "float64", "[3,4]"),
	               "since the tensor is no square matrix");
	assert_refused(SHEAF_DATA, STRUCTURED("'triangular'", "float64", "[3,3]"), "structure: expected one of");
	assert_refused(SHEAF_DATA, STRUCTURED("1", "float64", "[3,3]"), "structure: expected a text, found 1");
}

/* Composing gives what was parsed, in the same words again. */
static void test_composing(void **state)
{
	(void)state;
	static const char *const given[] = {
		"{'binsparse':{" CSR
		",'fill':true,'structure':'symmetric_upper','attributes':{'number_of_diagonal_elements':2}}}",
		TRANSPOSED("[1,0]", ""),
		CUSTOM("", DENSE(2, SPARSE(1, ELEMENT)), "[2,3,4]", P2 I2),
		CUSTOM("", ELEMENT, "[]", ""),
		OF("iso[complex[float32]]"),
	};
	for (size_t i = 0; i < COUNT(given); i++) {
		sheaf_context *cx = usual_context();
		sheaf_bsp_descriptor a, b;
		sheaf_buffer text = {0}, again = {0};
		assert_ok(parse(given[i], cx, &a));
		sheaf_json *json = sheaf_bsp_descriptor_json(&a, true);
		assert_ok(sheaf_bsp_json_text(json, 0, cx, &text, &err));
		sheaf_json_free(json);
		assert_ok(
			sheaf_bsp_descriptor_parse((sheaf_bytes){text.data, text.size}, "x.h5", false, cx, &b, &err));
		assert_true(sheaf_bsp_layout_equal(&a.layout, &b.layout));
		json = sheaf_bsp_descriptor_json(&b, true);
		assert_ok(sheaf_bsp_json_text(json, 0, cx, &again, &err));
		sheaf_json_free(json);
		assert_int_equal(text.size, again.size);
		assert_memory_equal(text.data, again.data, text.size);
		sheaf_buffer_reset(&text);
		sheaf_buffer_reset(&again);
		sheaf_bsp_descriptor_free(&a);
		sheaf_bsp_descriptor_free(&b);
		end_context(cx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples_of_the_specification),
		cmocka_unit_test(test_what_is_not_known),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_missing_keys),
		cmocka_unit_test(test_broken_json),
		cmocka_unit_test(test_whole_numbers),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_transpose),
		cmocka_unit_test(test_equivalences),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_fill_and_attributes),
		cmocka_unit_test(test_structures),
		cmocka_unit_test(test_composing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
