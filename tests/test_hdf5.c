/* SPDX-License-Identifier: MIT */
/* Matrices and arrays of HDF5 and netCDF as one row. Files with one rule each are in tests/files/hdf5;
 * conform_hdf5.py and netcdf_files.py put them beside other programs. */
#include "box_text.h"
#include "conversion.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	assert_ok(sheaf_sink_path(in_folder("a.h5"), cx, &sink, &err));
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
	static const char *const files[] = {"bad-index", "bad-index-negative", "bad-indices-short",
	                                    "bad-pointers-decrease"};
	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		record r;
		sheaf_dataset *data = NULL;
		const sheaf_frame *frame;
		sheaf_status status = open_whole(&r, assemble(files[i]), &data);
		if (status == SHEAF_OK) status = sheaf_next(data, &frame, &err);
		assert_int_equal(status, SHEAF_DATA);
		sheaf_close(data);
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

/* CDF-1: two rows of three short integers, which stand for numbers twice as large where `scaled`. */
static const char *make_netcdf(bool scaled)
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
	put(&b, scaled ? ATTRIBUTE : 0, 4), put(&b, scaled, 4);
	if (scaled)
		put_name(&b, "scale_factor"), put(&b, DOUBLE, 4), put(&b, 1, 4), put(&b, TWO, 4), put(&b, 0, 4);
	put(&b, SHORT, 4), put(&b, 12, 4), put(&b, b.size + 4, 4);
	for (int i = 0; i < 6; i++) put(&b, (uint64_t)(i == 2 ? -7 : i + 300), 2);
	write_file("a.nc", b.data, b.size);
	return in_folder("a.nc");
}

static void test_arrays(void **state)
{
	(void)state;
	check_whole(make_netcdf(false), "c.tns");
	check_whole(make_netcdf(true), "c.tns");
	bytes_sink written = read_file("c.tns");
	assert_non_null(memmem(written.data, written.size, "1 3 -14\n", 8));
	free_bytes(&written);
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
		sheaf_open_options options = {.size = sizeof options, .member = cases[i].member, .members = &members};
		assert_ok(sheaf_open(assemble(cases[i].file), &options, cx, &data, &err));
		assert_int_equal(members, cases[i].count);
		assert_int_equal(data != NULL, cases[i].opens);
		sheaf_close(data);
	}
	sheaf_context_free(cx);
}

/* Other files have none. */
static void test_no_members(void **state)
{
	int64_t members = 7;
	sheaf_dataset *data;
	sheaf_open_options options = {.size = sizeof options, .members = &members};
	(void)state;
	sheaf_context *cx = context_with(&(sheaf_context_options){.size = sizeof(sheaf_context_options)});
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)"|A 1\n", 5}, "a.ctf", &options, cx, &data));
	assert_int_equal(members, 0);
	sheaf_close(data);
	sheaf_context_free(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_matrices, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_flaws, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_arrays, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_unsorted, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_members_are_counted, make_folder, remove_folder),
		cmocka_unit_test(test_no_members),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
