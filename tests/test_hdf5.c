/* SPDX-License-Identifier: MIT */
/* Matrices and arrays of HDF5 and netCDF as one row. Files with one rule each are in tests/files/hdf5;
 * conform_hdf5.py and netcdf_files.py put them beside other programs. */
#include "box_text.h"
#include "conversion.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX "%%MatrixMarket matrix coordinate "

/* A file of the corpus, which is a text, as HDF5. */
static const char *assemble(const char *name)
{
	static char text[1 << 16];
	char path[600];
	sheaf_box *box;
	sheaf_sink *sink;
	sheaf_context *cx = context_with(&(sheaf_context_options){.size = sizeof(sheaf_context_options)});
	snprintf(path, sizeof path, "%s/files/hdf5/%s.txt", getenv("SHEAF_TESTS"), name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t size = fread(text, 1, sizeof text, file);
	fclose(file);
	assert_ok(sheaf_sink_path(in_folder("a.h5"), true, cx, &sink, &err));
	assert_ok(sheaf_box_create(sink, SHEAF_BOX_HDF5, false, cx, &box, &err));
	assert_ok(box_of_text(box, text, size, &err));
	assert_ok(sheaf_box_finish(box, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
	sheaf_context_free(cx);
	return in_folder("a.h5");
}

static void test_matrices(void **state)
{
	static const char *const files[] = {"anndata-columns", "anndata", "coordinates-names", "coordinates",
	                                    "dense",           "empty",   "h5sparse",          "loose-columns",
	                                    "loose-shape",     "loose",   "rest-unused",       "unsorted"};
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		char name[80];
		snprintf(name, sizeof name, "good-%s", files[i]);
		check_whole(assemble(name), "c.tns");
	}
}

static void test_flaws(void **state)
{
	static const char *const files[][2] = {
		{"bad-index", "expected indices[1] below 3, found 5"},
		{"bad-index-negative", "expected row[1] at least 0 and below 1, found -1"},
		{"bad-index-unsigned", "expected indices[1] below 3, found 9223372036854775813"},
		{"bad-index-wide", "expected indices[1] below 3, found 4294967297"},
		{"bad-indices-short", "expected indptr[2] at most 1, found 2"},
		{"bad-pointers-decrease", "expected indptr[2] at least 2, found 1"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		record r;
		sheaf_dataset *data = NULL;
		const sheaf_frame *frame;
		sheaf_status status = open_whole(&r, assemble(files[i][0]), &data);
		if (status == SHEAF_OK) status = sheaf_next(data, &frame, &err);
		assert_int_equal(status, SHEAF_DATA);
		assert_message(files[i][1]);
		sheaf_close(data);
		end(&r);
	}
}

/* What HDF5 has no place for, or is not asked for in this way. */
static void test_refusals(void **state)
{
	static const conversion refused[] = {
		{"mtx", MATRIX "real general\n1 1 1\n1 1 2\n", "h5", "-compression=deflate:13", SHEAF_USAGE, NULL,
	     "deflate:LEVEL with a level of 1 to 12, found deflate:13"},
		{"mtx", MATRIX "real general\n1 1 1\n1 1 2\n", "h5", "-compression=deflate:12", SHEAF_OK, NULL, NULL},
		{"mtx", MATRIX "real general\n1 1 1\n1 1 2\n", "h5ad", "-compression=deflate:13", SHEAF_USAGE, NULL,
	     "deflate:LEVEL with a level of 1 to 12, found deflate:13"},
		{"tns", "1 1 1 2\n", "h5ad", NULL, SHEAF_UNSUPPORTED, NULL,
	     "tensor: expected a matrix of two dimensions, found 3"},
		{"tns", "1 2\n", "h5ad", NULL, SHEAF_UNSUPPORTED, NULL,
	     "tensor: expected a matrix of two dimensions, found 1"},
		{"mtx", MATRIX "complex general\n1 1 1\n1 1 2 3\n", "h5ad", NULL, SHEAF_UNSUPPORTED, NULL,
	     "expected numbers, none of which may be missing, found"},
		{"mtx", MATRIX "pattern general\n1 1 1\n1 1\n", "h5ad", NULL, SHEAF_UNSUPPORTED, NULL,
	     "expected numbers, none of which may be missing, found bool"},
		{"tns", "# shape: 2 4294967296 4294967296\n1 1 1 1\n", "h5", "-layout=SDD", SHEAF_UNSUPPORTED, NULL,
	     "b.h5: expected a layout with fewer dense positions, found more than can be counted"},
		{"tns", "# shape: 1099511627777 2\n1 1 1\n", "h5", "-layout=CSR", SHEAF_UNSUPPORTED, NULL,
	     "b.h5: expected a layout with at most 1099511627776 dense positions, found more"},
		{"tns", "# shape: 2 4194304 4194304 1048576 2\n1 4194304 4194304 1048576 1 5\n", "h5", "-layout=SDDDS",
	     SHEAF_UNSUPPORTED, NULL,
	     "b.h5: expected a layout with at most 1099511627776 dense positions, found more"},
		{"tns", "# shape: 1099511627776 2\n1 1 1\n", "h5", "-layout=CSR", SHEAF_LIMIT, NULL,
	     "an output of at most 1073741824 bytes"},
		{"tns", "# shape: 257\n1 1\n", "h5", "-index-type=uint8", SHEAF_UNSUPPORTED, NULL,
	     "--index-type: expected one that holds indices below 257, found uint8"},
		{"tns", "# shape: 256\n256 1\n", "h5", "-index-type=uint8", SHEAF_OK, NULL, NULL},
		{"tns", "1 2\n", "zarr", "-into=a", SHEAF_USAGE, NULL,
	     "--into: expected an HDF5 or netCDF-4 file (.h5, .nc), found Zarr"},
		{"tns", "1 2\n", "zarr", "-compression=deflate:0", SHEAF_USAGE, NULL,
	     "--compression: expected none, deflate, zstd, or deflate:LEVEL with a level of 1 to 12, found deflate:0"},
		{"tns", "1 2\n", "zarr.gz", NULL, SHEAF_USAGE, NULL, "and is not compressed as a whole"},
		{"tns", "1 2\n", "h5", "-compression=zstd", SHEAF_USAGE, NULL,
	     "--compression: expected Zarr (a name that ends in .zarr or .zip) for zstd, found another output"},
		{"tns", "1 2\n", "h5", "-zarr=2", SHEAF_USAGE, NULL, "--zarr: expected Zarr (a name that ends in"},
		{"mtx", "%%MatrixMarket matrix coordinate real general\n%\1a\n1 1 1\n1 1 2\n", "h5", NULL,
	     SHEAF_UNSUPPORTED, NULL, "expected UTF-8 without U+0001 at its start, found another text"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) check_conversion(&refused[i], 0, 0);
}

/* Descriptors are JSON, and have keys of their own. */
static void test_names_in_descriptors(void **state)
{
	static const struct {
		const char *stream, *attribute, *text, *told;
	} cases[] = {
		{"A", "binsparse", "x", "attribute \"binsparse\": expected a name that descriptors do not use"},
		{"A", "sheaf", "x", "attribute \"sheaf\": expected a name that descriptors do not use"},
		{"A", "a", "\1x", "attribute \"a\": expected UTF-8 without U+0001 at its start, found another text"},
		{"\1", "a", "x", "expected a name in UTF-8, found another"},
		{"A", "a", "x\1", NULL},
		{"A", "a", "caf\xe9", NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		record r;
		sheaf_writer *writer;
		begin(&r, (sheaf_context_options){.threads = 1});
		sheaf_schema schema = {.cx = r.cx};
		assert_ok(sheaf_schema_add_dense(&schema, cases[i].stream, 1, SHEAF_F32, &err));
		assert_ok(sheaf_schema_add_attribute(&schema, cases[i].attribute, cases[i].text, &err));
		sheaf_create_options how = {.size = sizeof how, .force = true};
		assert_ok(sheaf_create(in_folder("b.h5"), &schema, &how, r.cx, &writer, &err));
		assert_status(cases[i].told ? SHEAF_UNSUPPORTED : SHEAF_OK, sheaf_finish(writer, &err));
		if (cases[i].told) assert_message(cases[i].told);
		bool is_latin = strchr(cases[i].text, '\xe9');
		assert_int_equal(r.n, is_latin);
		if (is_latin) assert_non_null(strstr(r.found[0].text, "it is taken as Latin-1"));
		sheaf_schema_free(&schema);
		end(&r);
	}
}

/* ---- arrays of several dimensions ---- */

typedef struct bytes {
	uint8_t data[400];
	size_t size;
} bytes;

static void put(bytes *to, uint64_t number, int size)
{
	while (size--) to->data[to->size++] = (uint8_t)(number >> 8 * size);
}

static void put_name(bytes *to, const char *name)
{
	put(to, strlen(name), 4);
	memcpy(to->data + to->size, name, strlen(name));
	to->size += (strlen(name) + 3) / 4 * 4;
}

/* CDF-1: two rows of three short integers, with an attribute (NULL: none) that is the number 2. */
static const char *make_netcdf(const char *attribute)
{
	enum { DIMENSION = 10, VARIABLE = 11, ATTRIBUTE = 12, SHORT = 3, DOUBLE = 6, TWO = 0x40000000 };
	bytes b = {.data = "CDF\1", .size = 4};
	put(&b, 0, 4);
	put(&b, DIMENSION, 4), put(&b, 2, 4);
	put_name(&b, "y"), put(&b, 2, 4);
	put_name(&b, "x"), put(&b, 3, 4);
	put(&b, 0, 8);
	put(&b, VARIABLE, 4), put(&b, 1, 4);
	put_name(&b, "v"), put(&b, 2, 4), put(&b, 0, 4), put(&b, 1, 4);
	put(&b, attribute ? ATTRIBUTE : 0, 4), put(&b, attribute != NULL, 4);
	if (attribute)
		put_name(&b, attribute), put(&b, DOUBLE, 4), put(&b, 1, 4), put(&b, TWO, 4), put(&b, 0, 4);
	put(&b, SHORT, 4), put(&b, 12, 4), put(&b, b.size + 4, 4);
	for (int i = 0; i < 6; i++) put(&b, (uint64_t)(i == 2 ? -7 : i + 300), 2);
	write_file("a.nc", b.data, b.size);
	return in_folder("a.nc");
}

static void test_arrays(void **state)
{
	(void)state;
	check_whole(make_netcdf(NULL), "c.tns");
	check_whole(make_netcdf("scale_factor"), "c.tns");
	bytes_sink written = read_file("c.tns");
	assert_non_null(memmem(written.data, written.size, "1 3 -14\n", 8));
	free_bytes(&written);
}

/* Files that are there, and that nothing is written into. */
static void test_not_written_into(void **state)
{
	static const char *const told[] = {
		"a.nc: expected netCDF-4, found the classic netCDF format, which is not written",
		"a.nc: expected an HDF5 or netCDF-4 file, found no signature of either",
	};
	(void)state;
	for (size_t i = 0; i < COUNT(told); i++) {
		sheaf_box *box = NULL;
		sheaf_sink *sink;
		sheaf_context *cx = usual_context();
		make_netcdf(NULL);
		if (i) write_text("a.nc", "no box");
		bytes_sink before = read_file("a.nc");
		assert_ok(sheaf_sink_path(in_folder("a.nc"), true, cx, &sink, &err));
		assert_status(i ? SHEAF_UNKNOWN : SHEAF_UNSUPPORTED,
		              sheaf_box_create(sink, SHEAF_NO_BOX, true, cx, &box, &err));
		assert_message(told[i]);
		sheaf_sink_abandon(sink);
		bytes_sink after = read_file("a.nc");
		assert_same_bytes(&before, &after);
		free_bytes(&before), free_bytes(&after);
		end_context(cx);
	}
}

/* Attributes without which the numbers are right, too, are not passed over for want of memory. */
static void test_open_without_memory(void **state)
{
	bool refused = true;
	(void)state;
	const char *file = make_netcdf("missing_value");
	for (int n = 2; refused; n++) {
		sheaf_dataset *data = NULL;
		allocator memory = {.fail_at = n};
		sheaf_context_options options = options_with(&memory);
		options.threads = 1;
		sheaf_context *cx = context_with(&options);
		sheaf_status status = sheaf_open(file, NULL, cx, &data, &err);
		refused = memory.calls >= n;
		if (status) assert_int_equal(status, SHEAF_NOMEM);
		if (!refused) assert_int_equal(status, SHEAF_OK);
		sheaf_close(data);
		end_context(cx);
	}
}

/* Indices need not be in order. */
static void test_unsorted(void **state)
{
	record r;
	sheaf_dataset *data = NULL;
	(void)state;
	assert_ok(open_whole(&r, assemble("good-unsorted"), &data));
	assert_false(sheaf_dataset_schema(data)->tensor.sorted);
	sheaf_close(data);
	end(&r);
}

/* How many datasets a file has is counted while it is opened; of several none is, unless one is named. */
static void test_members_are_counted(void **state)
{
	static const struct {
		const char *file, *member;
		int64_t before, count;
		bool opens;
	} cases[] = {
		{"good-dense", NULL, 7, 1, true},
		{"good-dense-by-path", NULL, 7, 2, false},
		{"good-dense-by-path", "a/y", 7, 7, true},
	};
	(void)state;
	sheaf_context *cx = context_with(&(sheaf_context_options){.size = sizeof(sheaf_context_options)});
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t members = cases[i].before;
		sheaf_dataset *data;
		sheaf_open_options options = {
			.size = sizeof options,
			.container = &(sheaf_container_options){.member = cases[i].member, .members = &members}};
		assert_ok(sheaf_open(assemble(cases[i].file), &options, cx, &data, &err));
		assert_int_equal(members, cases[i].count);
		assert_int_equal(data != NULL, cases[i].opens);
		sheaf_close(data);
	}
	sheaf_context_free(cx);
}

/* Of other files they are not counted. */
static void test_no_members(void **state)
{
	int64_t members = 7;
	sheaf_dataset *data;
	sheaf_open_options options = {.size = sizeof options,
	                              .container = &(sheaf_container_options){.members = &members}};
	(void)state;
	sheaf_context *cx = context_with(&(sheaf_context_options){.size = sizeof(sheaf_context_options)});
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)"|A 1\n", 5}, "a.ctf", &options, cx, &data));
	assert_int_equal(members, 7);
	sheaf_close(data);
	sheaf_context_free(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_matrices, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_flaws, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_refusals, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_names_in_descriptors, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_arrays, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_not_written_into, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_open_without_memory, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_unsorted, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_members_are_counted, make_folder, remove_folder),
		cmocka_unit_test(test_no_members),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
