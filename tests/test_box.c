/* SPDX-License-Identifier: MIT */
/* Boxes of each kind, in the same list of tests: what is written can be read. */
#include "box_support.h"
#include "container/inside.h"
#include "container/zip/zip_write.h"
#include <stdio.h>
#include <string.h>

/* ---- a box that is written, then read ---- */

static void assert_attribute(made *m, const char *path, const char *name, const char *wanted)
{
	sheaf_buffer text = {0};
	assert_ok(sheaf_box_text(m->box, path, name, &text, &err));
	assert_int_equal(strlen(wanted), text.size);
	assert_memory_equal(wanted, text.data, text.size);
	sheaf_buffer_reset(&text);
}

/* ---- the list, for each kind ---- */

static void all_types_in_all_storage(sheaf_box_kind kind)
{
	static const sheaf_box_storing storings[] = {{0, false, 0},    {1, false, 0}, {6, true, 4096},
	                                             {0, false, 1000}, {0, true, 64}, {12, true, 1 << 20}};
	static const int64_t counts[] = {0, 1, 63, 1000, 50001};
	made m = begin_box(kind);
	char path[64];
	for (int pass = 0; pass < 2; pass++) {
		for (int t = 0; t < SHEAF_TYPES; t++)
			for (size_t s = 0; s < COUNT(storings); s++)
				for (size_t c = 0; c < COUNT(counts); c++) {
					if (t % 3 && s % 2 && c < 3) continue;
					snprintf(path, sizeof path, "%s/s%zu/n%zu", sheaf_type_name((sheaf_type)t), s, c);
					fill_values((sheaf_type)t, many, counts[c]);
					if (pass == 0)
						assert_ok(sheaf_box_put(m.box, path,
						                        (sheaf_box_values){(sheaf_type)t, many, counts[c]},
						                        &storings[s], &err));
					else {
						assert_int_equal(counts[c], find_item(&m, path)->count);
						assert_values(&m, path, (sheaf_type)t, many, 0, counts[c]);
						assert_values(&m, path, (sheaf_type)t, many, counts[c] / 3, counts[c] / 2);
					}
				}
		if (pass == 0) turn_box(&m);
	}
	end_box(&m);
}

static void groups_and_texts(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	double one = 1;
	assert_ok(sheaf_box_make_group(m.box, "A/sub/deeper", &err));
	assert_ok(sheaf_box_make_group(m.box, "A/sub", &err));
	assert_ok(sheaf_box_make_group(m.box, "", &err));
	assert_ok(sheaf_box_put(m.box, "A/values", (sheaf_box_values){SHEAF_F64, &one, 1}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "A.b/values", (sheaf_box_values){SHEAF_F64, &one, 1}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "\xc3\xa4/x y", (sheaf_box_values){SHEAF_F64, &one, 1}, NULL, &err));
	assert_ok(sheaf_box_set_text(m.box, "", "binsparse", "{\"\xc3\xa4\":1}", 8, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/sub", "t", "first", 5, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/sub", "u", "", 0, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/sub", "t", "second", 6, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/values", "on an array", "yes", 3, &err));
	turn_box(&m);
	assert_paths(&m, "/ A/ A/sub/ A/sub/deeper/ A/values A.b/ A.b/values \xc3\xa4/ \xc3\xa4/x y");
	assert_attribute(&m, "", "binsparse", "{\"\xc3\xa4\":1}");
	assert_attribute(&m, "A/sub", "t", "second");
	assert_attribute(&m, "A/sub", "u", "");
	assert_attribute(&m, "A/values", "on an array", "yes");
	bool has;
	assert_ok(sheaf_box_has_text(m.box, "A/sub", "t", &has, &err));
	assert_true(has);
	assert_ok(sheaf_box_has_text(m.box, "A/sub", "x", &has, &err));
	assert_false(has);
	assert_ok(sheaf_box_has_text(m.box, "B", "x", &has, &err));
	assert_false(has);
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(m.box, &count);
	assert_int_equal(-1, items[0].parent);
	static const char *const parents[][2] = {
		{"A", ""}, {"A/sub", "A"}, {"A/sub/deeper", "A/sub"}, {"A/values", "A"}, {"A.b", ""}};
	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
		assert_text(parents[i][1], items[find_item(&m, parents[i][0])->parent].path);
	assert_text("sub", find_item(&m, "A/sub")->name);
	sheaf_buffer text = {0};
	assert_status(SHEAF_UNKNOWN, sheaf_box_text(m.box, "A", "x", &text, &err));
	end_box(&m);
}

static void a_long_text(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	static char text[200000];
	memset(text, 'x', sizeof text - 1);
	assert_ok(sheaf_box_set_text(m.box, "", "long", text, sizeof text - 1, &err));
	turn_box(&m);
	assert_attribute(&m, "", "long", text);
	end_box(&m);
}

static void arrays_in_pieces(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	sheaf_box_array *a[3];
	sheaf_box_storing packed = {3, true, 10000};
	fill_values(SHEAF_I32, many, 50000);
	assert_ok(
		sheaf_box_new_array(m.box, "known", (sheaf_box_values){SHEAF_I32, NULL, 50000}, NULL, &a[0], &err));
	assert_ok(sheaf_box_new_array(m.box, "packed", (sheaf_box_values){SHEAF_I32, NULL, 50000}, &packed, &a[1],
	                              &err));
	assert_ok(
		sheaf_box_new_array(m.box, "unknown", (sheaf_box_values){SHEAF_I32, NULL, -1}, NULL, &a[2], &err));
	for (int64_t at = 0, n; at < 50000; at += n) {
		n = 1 + at % 4999 < 50000 - at ? 1 + at % 4999 : 50000 - at;
		for (int i = 0; i < 3; i++)
			assert_ok(sheaf_box_append(a[i], (const int32_t *)(const void *)many + at, n, &err));
	}
	for (int i = 0; i < 3; i++) assert_ok(sheaf_box_end_array(a[i], &err));
	assert_ok(
		sheaf_box_new_array(m.box, "none", (sheaf_box_values){SHEAF_U8, NULL, -1}, &packed, &a[0], &err));
	assert_ok(sheaf_box_end_array(a[0], &err));
	turn_box(&m);
	assert_values(&m, "known", SHEAF_I32, many, 0, 50000);
	assert_values(&m, "packed", SHEAF_I32, many, 0, 50000);
	assert_values(&m, "packed", SHEAF_I32, many, 2499, 2501);
	assert_values(&m, "packed", SHEAF_I32, many, 2500, 5000);
	for (int64_t at = 0; at < 50000; at += 777)
		assert_values(&m, "packed", SHEAF_I32, many, at, at + 777 < 50000 ? at + 777 : 50000);
	for (int64_t at = 49000; at > 0; at -= 777) assert_values(&m, "packed", SHEAF_I32, many, at, at + 777);
	assert_values(&m, "unknown", SHEAF_I32, many, 0, 50000);
	assert_int_equal(50000, find_item(&m, "unknown")->count);
	assert_int_equal(0, find_item(&m, "none")->count);
	end_box(&m);
}

static void other_types_where_nothing_changes(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	static const int64_t fine[] = {0, 1, 255}, large[] = {0, 256, -1};
	static const double reals[] = {1, -3, 0.5};
	int64_t as_i64[3];
	uint8_t as_u8[3];
	float as_f32[3];
	assert_ok(sheaf_box_put(m.box, "fine", (sheaf_box_values){SHEAF_I64, fine, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "large", (sheaf_box_values){SHEAF_I64, large, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "reals", (sheaf_box_values){SHEAF_F64, reals, 3}, NULL, &err));
	turn_box(&m);
	assert_ok(
		sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "fine"), 0, 3}, SHEAF_U8, as_u8, &err));
	assert_int_equal(255, as_u8[2]);
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "large"), 0, 3},
	                                              SHEAF_U8, as_u8, &err));
	assert_message("/large, value 1: expected a number that uint8 holds, found 256");
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "large"), 2, 3},
	                                              SHEAF_U8, as_u8, &err));
	assert_message("value 2: expected a number that uint8 holds, found -1");
	assert_ok(
		sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "reals"), 0, 3}, SHEAF_F32, as_f32, &err));
	assert_true(as_f32[2] == 0.5F);
	assert_ok(
		sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "reals"), 0, 2}, SHEAF_I64, as_i64, &err));
	assert_int_equal(-3, as_i64[1]);
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, (sheaf_box_run){find_item(&m, "reals"), 0, 3},
	                                              SHEAF_I64, as_i64, &err));
	assert_message("value 2: expected a number that int64 holds, found 0.5");
	static const struct {
		int64_t from, to;
		sheaf_status status;
	} runs[] = {{0, 4, SHEAF_SHORT}, {-1, 0, SHEAF_SHORT}, {2, 1, SHEAF_SHORT}, {4, 4, SHEAF_SHORT},
	            {3, 3, SHEAF_OK},    {0, 3, SHEAF_OK},     {2, 3, SHEAF_OK}};
	for (size_t i = 0; i < COUNT(runs); i++) {
		sheaf_box_run run = {find_item(&m, "reals"), runs[i].from, runs[i].to};
		assert_status(runs[i].status, sheaf_box_read_into(m.box, run, SHEAF_F64, as_i64, &err));
		if (runs[i].status) assert_message("/reals: expected values");
	}
	end_box(&m);
}

static void what_cannot_be_asked_for(sheaf_box_kind kind)
{
	static const char *const paths[] = {"/a", "a/", "a//b", "", ".", "a/../b", "a\nb", "a\xff"};
	made m = begin_box(kind);
	sheaf_box_array *a;
	double v = 0;
	for (size_t i = 0; i < COUNT(paths); i++) {
		assert_status(SHEAF_USAGE,
		              sheaf_box_put(m.box, paths[i], (sheaf_box_values){SHEAF_F64, &v, 1}, NULL, &err));
		assert_message("expected a path such as \"a/b\"");
	}
	assert_ok(sheaf_box_put(m.box, "g/a", (sheaf_box_values){SHEAF_F64, &v, 1}, NULL, &err));
	assert_status(SHEAF_DATA, sheaf_box_put(m.box, "g", (sheaf_box_values){SHEAF_F64, &v, 1}, NULL, &err));
	assert_message("found a group, which stays");
	assert_status(SHEAF_DATA, sheaf_box_make_group(m.box, "g/a", &err));
	assert_message("expected a group, found an array");
	assert_status(SHEAF_DATA, sheaf_box_make_group(m.box, "g/a/b", &err));
	assert_status(SHEAF_DATA, sheaf_box_remove(m.box, "g", &err));
	assert_ok(sheaf_box_remove(m.box, "nothing", &err));
	assert_status(SHEAF_USAGE, sheaf_box_put(m.box, "d", (sheaf_box_values){SHEAF_F64, &v, 1},
	                                         &(sheaf_box_storing){13, false, 0}, &err));
	static const sheaf_box_storing wrong[] = {{.deflate = -1}, {.chunk_bytes = -1}};
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_status(SHEAF_USAGE,
		              sheaf_box_put(m.box, "d", (sheaf_box_values){SHEAF_F64, &v, 1}, &wrong[i], &err));
	assert_status(SHEAF_USAGE, sheaf_box_put(m.box, "d", (sheaf_box_values){SHEAF_F64, &v, -2}, NULL, &err));
	assert_message("expected a number of values for /d, found -2");
	assert_status(SHEAF_USAGE,
	              sheaf_box_put(m.box, "d", (sheaf_box_values){SHEAF_U8, &v, INT64_MAX / 8 + 1}, NULL, &err));
	assert_message("expected a number of values for /d, found 1152921504606846976");
	assert_status(SHEAF_UNKNOWN, sheaf_box_set_text(m.box, "nothing", "t", "x", 1, &err));
	assert_status(SHEAF_USAGE, sheaf_box_set_text(m.box, "g", "t", "x\0y", 3, &err));
	assert_message("expected a text without NUL for \"t\", found one");
	assert_status(SHEAF_UNKNOWN,
	              sheaf_box_set_numbers(m.box, "nothing", "t", (sheaf_box_values){SHEAF_F64, &v, 1}, &err));
	assert_message("expected /nothing to have room for a list of 1, found none");
	assert_ok(sheaf_box_new_array(m.box, "few", (sheaf_box_values){SHEAF_F64, NULL, 1}, NULL, &a, &err));
	assert_status(SHEAF_USAGE, sheaf_box_remove(m.box, "few", &err));
	assert_message("expected an array that is whole, found one that is being written");
	assert_ok(sheaf_box_append(a, &v, 1, &err));
	assert_status(SHEAF_USAGE, sheaf_box_append(a, &v, 1, &err));
	assert_message("expected 1 values in /few");
	assert_status(SHEAF_USAGE, sheaf_box_append(a, &v, -1, &err));
	assert_message("expected 1 values in /few, found -1 after 1");
	assert_ok(sheaf_box_append(a, &v, 0, &err));
	assert_ok(sheaf_box_end_array(a, &err));
	turn_box(&m);
	assert_paths(&m, "/ few g/ g/a");
	sheaf_buffer bytes = {0};
	if (kind != SHEAF_BOX_MEMORY) {
		assert_status(SHEAF_USAGE, sheaf_box_make_group(m.box, "h", &err));
		assert_message("expected a box opened for writing, found one opened for reading");
	}
	assert_status(SHEAF_UNKNOWN, sheaf_box_text(m.box, "nothing", "t", &bytes, &err));
	assert_message("expected /nothing, found nothing of that name");
	assert_status(SHEAF_UNKNOWN, sheaf_box_numbers(m.box, "nothing", "t", SHEAF_F64, &bytes, &err));
	assert_message("/nothing: expected an attribute \"t\", found none");
	assert_status(SHEAF_UNSUPPORTED,
	              sheaf_box_read(m.box, (sheaf_box_run){find_item(&m, "g"), 0, 0}, SHEAF_F64, &bytes, &err));
	assert_message("expected a readable array, found a group");
	assert_status(SHEAF_USAGE,
	              sheaf_box_read_records(m.box, (sheaf_box_run){find_item(&m, "few"), 0, 1}, &bytes, &err));
	assert_message("expected records of a table, found others");
	end_box(&m);
}

static void groups_inside_one_another(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	char deep[2 * SHEAF_BOX_MAX_DEPTH + 2];
	for (size_t i = 0; i < sizeof deep; i++) deep[i] = i % 2 ? '/' : 'd';
	deep[sizeof deep - 1] = '\0';
	assert_status(SHEAF_USAGE, sheaf_box_make_group(m.box, deep, &err));
	assert_message("found more groups inside one another than are read in");
	deep[sizeof deep - 3] = '\0';
	assert_ok(sheaf_box_make_group(m.box, deep, &err));
	turn_box(&m);
	assert_true(find_item(&m, deep)->is_group);
	assert_null(find_item(&m, deep)->refused);
	end_box(&m);
}

static void zarr_groups_inside_one_another(void **state)
{
	(void)state;
	groups_inside_one_another(SHEAF_BOX_ZARR);
}

static void missing_values_fail_the_whole(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	sheaf_box_array *a;
	assert_ok(sheaf_box_new_array(m.box, "few", (sheaf_box_values){SHEAF_F64, NULL, 2}, NULL, &a, &err));
	assert_status(SHEAF_USAGE, sheaf_box_end_array(a, &err));
	assert_message("expected 2 values in /few, found 0");
	if (m.sink) {
		sheaf_buffer none = {0};
		const sheaf_box_item *root = find_item(&m, "");
		assert_status(SHEAF_USAGE, sheaf_box_text(m.box, "", "t", &none, &err));
		assert_status(SHEAF_USAGE, sheaf_box_numbers(m.box, "", "t", SHEAF_F64, &none, &err));
		assert_status(SHEAF_USAGE,
		              sheaf_box_read(m.box, (sheaf_box_run){root, 0, 0}, SHEAF_F64, &none, &err));
		assert_status(SHEAF_USAGE, sheaf_box_make_group(m.box, "g", &err));
		assert_message("expected 2 values in /few, found 0");
		assert_status(SHEAF_USAGE, sheaf_box_finish(m.box, &err));
		m.box = NULL;
		assert_status(SHEAF_USAGE, sheaf_sink_commit(m.sink, &err));
		assert_int_equal(0, files_in_folder());
	}
	end_box(&m);
}

static void an_open_array_fails_the_whole(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	sheaf_box_array *a;
	assert_ok(sheaf_box_new_array(m.box, "few", (sheaf_box_values){SHEAF_F64, NULL, 2}, NULL, &a, &err));
	if (m.sink) {
		assert_status(SHEAF_USAGE, sheaf_box_finish(m.box, &err));
		assert_message("expected all arrays to be complete, found one that is not");
		m.box = NULL;
		assert_status(SHEAF_USAGE, sheaf_sink_commit(m.sink, &err));
	}
	end_box(&m);
}

static void rewriting_an_array(sheaf_box_kind kind)
{
	made m = begin_box(kind);
	static const int32_t old[] = {1, 2, 3}, new[] = {4, 5};
	assert_ok(sheaf_box_put(m.box, "a", (sheaf_box_values){SHEAF_I32, old, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "b", (sheaf_box_values){SHEAF_I32, old, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "a", (sheaf_box_values){SHEAF_I32, new, 2}, NULL, &err));
	assert_ok(sheaf_box_remove(m.box, "b", &err));
	turn_box(&m);
	assert_paths(&m, "/ a");
	assert_values(&m, "a", SHEAF_I32, new, 0, 2);
	end_box(&m);
}

/* ---- other outputs and inputs ---- */

/* What fails may stick, so each is tried with a box of its own. */
static void what_other_kinds_have_no_place_for(void **state)
{
	enum { ARRAY, NUMBERS, TEXT, SHUFFLE };
	static const uint64_t large = UINT64_C(1) << 63;
	static const sheaf_box_values values = {SHEAF_U64, &large, 1};
	static const struct {
		sheaf_box_kind kind;
		int what;
		const char *wanted;
	} cases[] = {
		{SHEAF_BOX_ZARR, ARRAY, "expected each array once, found it again"},
		{SHEAF_BOX_ZARR, NUMBERS, "expected numbers below 2^63 in \"t\", found another"},
		{SHEAF_BOX_ZARR, SHUFFLE, "expected no shuffle in Zarr, found a request for it"},
		{SHEAF_BOX_ARCHIVE, ARRAY, "expected each array once, found it again"},
		{SHEAF_BOX_ARCHIVE, TEXT, "expected a text about a group, found one about the array /a"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		made m = begin_box(cases[i].kind);
		sheaf_status found = SHEAF_OK;
		assert_ok(sheaf_box_put(m.box, "a", values, NULL, &err));
		switch (cases[i].what) {
		case ARRAY: found = sheaf_box_put(m.box, "a", values, NULL, &err); break;
		case NUMBERS: found = sheaf_box_set_numbers(m.box, "a", "t", values, &err); break;
		case TEXT: found = sheaf_box_set_text(m.box, "a", "t", "x", 1, &err); break;
		case SHUFFLE: found = sheaf_box_put(m.box, "b", values, &(sheaf_box_storing){.shuffle = true}, &err);
		}
		assert_int_equal(SHEAF_UNSUPPORTED, found);
		assert_message(cases[i].wanted);
		sheaf_box_abandon(m.box);
		sheaf_sink_abandon(m.sink);
		end_context(m.cx);
	}
}

/* Not all kinds read them before the end; none has others. */
static void attributes_that_are_being_written(void **state)
{
	static const sheaf_box_kind kinds[] = {SHEAF_BOX_ZARR, SHEAF_BOX_ARCHIVE, SHEAF_BOX_HDF5};
	sheaf_buffer text = {0};
	bool has = true;
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		made m = begin_box(kinds[i]);
		assert_ok(sheaf_box_set_text(m.box, "", "t", "x", 1, &err));
		assert_ok(sheaf_box_has_text(m.box, "", "u", &has, &err));
		assert_false(has);
		assert_status(SHEAF_UNKNOWN, sheaf_box_text(m.box, "", "u", &text, &err));
		assert_message("expected an attribute \"u\"");
		turn_box(&m);
		assert_attribute(&m, "", "t", "x");
		end_box(&m);
	}
}

static void only_hdf5_is_written_into(void **state)
{
	static const struct {
		const char *name;
		sheaf_box_kind kind;
		sheaf_status status;
	} cases[] = {{"a.zarr", SHEAF_BOX_ZARR, SHEAF_UNSUPPORTED},
	             {"a.npz", SHEAF_BOX_ARCHIVE, SHEAF_UNSUPPORTED},
	             {"a.nc", SHEAF_BOX_NETCDF, SHEAF_OK},
	             {"a.h5", SHEAF_BOX_HDF5, SHEAF_OK}};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_sink *sink;
		sheaf_box *box = NULL;
		sheaf_context *cx = usual_context();
		assert_ok(sheaf_sink_path(in_folder(cases[i].name), true, cx, &sink, &err));
		assert_status(cases[i].status, sheaf_box_create(sink, cases[i].kind, true, cx, &box, &err));
		if (cases[i].status) assert_message("an HDF5 or netCDF-4 file to write into, found another kind");
		sheaf_box_abandon(box);
		sheaf_sink_abandon(sink);
		end_context(cx);
	}
}

/* More values than there can be bytes, and a group that cannot be read, as only what is damaged has them. */
static void what_cannot_be(void **state)
{
	static const int64_t far[] = {0, INT64_C(1) << 31, 0};
	(void)state;
	made m = begin_box(SHEAF_BOX_MEMORY);
	sheaf_buffer bytes = {0};
	assert_ok(sheaf_box_make_group(m.box, "g", &err));
	((sheaf_box_item *)(uintptr_t)find_item(&m, "g"))->refused = "one that is damaged";
	assert_status(SHEAF_UNSUPPORTED, sheaf_box_set_text(m.box, "g", "t", "x", 1, &err));
	assert_message("/g: expected a group or an array, found one that is damaged");
	assert_status(SHEAF_DATA, sheaf_box_make_group(m.box, "g/h", &err));
	assert_message("/g: expected a group, found one that is damaged");
	assert_ok(sheaf_box_put(m.box, "a", (sheaf_box_values){SHEAF_U8, "x", 1}, NULL, &err));
	sheaf_box_item item = *find_item(&m, "a");
	sheaf_box_run run = {&item, 0, INT64_MAX};
	item.count = INT64_MAX;
	assert_status(SHEAF_LIMIT, sheaf_box_read(m.box, run, SHEAF_F64, &bytes, &err));
	assert_message("expected fewer values at a time, found 9223372036854775807");
	item.what = SHEAF_BOX_TEXTS;
	assert_status(SHEAF_DATA, sheaf_box_read(m.box, run, SHEAF_F64, &bytes, &err));
	assert_message("/a: expected numbers, found");
	item.what = SHEAF_BOX_RECORDS;
	item.inside->width = 8;
	assert_status(SHEAF_LIMIT, sheaf_box_read_records(m.box, run, &bytes, &err));
	assert_message("/a: expected fewer records at a time");
	run.from = -1;
	assert_status(SHEAF_USAGE, sheaf_box_read_records(m.box, run, &bytes, &err));
	/* An array that cannot be read keeps its attributes. */
	assert_ok(sheaf_box_set_text(m.box, "a", "t", "x", 1, &err));
	((sheaf_box_item *)(uintptr_t)find_item(&m, "a"))->refused = "one that is damaged";
	assert_ok(sheaf_box_text(m.box, "a", "t", &bytes, &err));
	sheaf_buffer_reset(&bytes);
	assert_status(SHEAF_LIMIT,
	              sheaf_box_put_texts(m.box, "b", (sheaf_box_values){.values = "", .count = 2}, far, &err));
	assert_message("expected texts of less than 2^31 bytes for /b, found longer ones");
	end_box(&m);
}

/* What HDF5 keeps in one message, or reaches with an address, at the limit and beyond; each with a box of its
 * own, in which a failure sticks. */
enum { A_GROUP, A_TEXT, NUMBERS, AN_ARRAY, TEXTS };

static sheaf_status put_one(const made *m, int what, const char *name, int64_t count)
{
	static const int64_t ends[] = {1, 2, 3, 5, 6};
	sheaf_box_array *a;
	sheaf_box_values none = {SHEAF_F64, NULL, count}, some = {SHEAF_F64, many, count};
	switch (what) {
	case A_GROUP: return sheaf_box_make_group(m->box, name, &err);
	case A_TEXT: return sheaf_box_set_text(m->box, "", name, "x", 1, &err);
	case NUMBERS: return sheaf_box_set_numbers(m->box, "", name, some, &err);
	case AN_ARRAY: return sheaf_box_new_array(m->box, name, none, NULL, &a, &err);
	default:
		return sheaf_box_put_texts(m->box, "a", (sheaf_box_values){.values = "\0abcd\0e", .count = count},
		                           ends, &err);
	}
}

static void what_hdf5_has_no_room_for(void **state)
{
	static const struct {
		int what;
		size_t name; /* bytes */
		int64_t count;
		sheaf_status status;
		const char *told;
	} cases[] = {
		{A_GROUP, 60000, 0, SHEAF_OK, NULL},
		{A_GROUP, 60001, 0, SHEAF_LIMIT, "expected names of at most 60000 bytes, found 60001"},
		{A_TEXT, 59999, 1, SHEAF_OK, NULL},
		{A_TEXT, 60000, 1, SHEAF_LIMIT, "expected names of less than 60000 bytes, found 60000"},
		{NUMBERS, 1, 7500, SHEAF_OK, NULL},
		{NUMBERS, 1, 7501, SHEAF_UNKNOWN, "to have room for a list of 7501, found none"},
		{NUMBERS, 1, -1, SHEAF_UNKNOWN, "to have room for a list of -1, found none"},
		{NUMBERS, 5486, 7500, SHEAF_OK, NULL},
		{NUMBERS, 5487, 7500, SHEAF_LIMIT,
	     "expected the header of a group or an array to be less than 64 KiB, found"},
		{AN_ARRAY, 1, INT64_MAX / 8, SHEAF_LIMIT, "a file whose addresses of 8 bytes reach all of it"},
		{TEXTS, 1, 3, SHEAF_OK, NULL},
		{TEXTS, 1, 4, SHEAF_USAGE, "expected texts without NULs for /a, found one"},
	};
	static char name[60002];
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		made m = begin_box(SHEAF_BOX_HDF5);
		memset(name, 'a', sizeof name);
		name[cases[i].name] = '\0';
		sheaf_status status = put_one(&m, cases[i].what, name, cases[i].count);
		bool is_done = status == SHEAF_OK;
		if (is_done) status = sheaf_box_finish(m.box, &err);
		if (status == SHEAF_OK) {
			assert_ok(sheaf_sink_commit(m.sink, &err));
			open_file(&m);
			if (cases[i].what == A_GROUP) assert_true(find_item(&m, name)->is_group);
			if (cases[i].what == A_TEXT) assert_attribute(&m, "", name, "x");
			close_made(&m);
		} else {
			if (!is_done) sheaf_box_abandon(m.box);
			sheaf_sink_abandon(m.sink);
		}
		if (status != cases[i].status) fail_msg("case %zu: %s", i, err.message);
		if (cases[i].told) assert_message(cases[i].told);
		end_context(m.cx);
	}
}

/* The output ends before those who write to it. */
static void an_output_that_is_abandoned(void **state)
{
	(void)state;
	made m = begin_box(SHEAF_BOX_HDF5);
	sheaf_sink_abandon(m.sink);
	assert_status(SHEAF_USAGE, sheaf_box_make_group(m.box, "g", &err));
	assert_message("expected the output to be open, found that it was abandoned");
	assert_status(SHEAF_USAGE, sheaf_box_finish(m.box, &err));
	assert_message("expected the output to be open, found that it was abandoned");
	end_context(m.cx);
	assert_int_equal(0, files_in_folder());
}

/* An archive of a number of empty members, the first of which, an array in groups, makes it one of arrays. */
static sheaf_status open_members(int members, int groups)
{
	char name[200];
	sheaf_context *cx = usual_context();
	sheaf_builder file, list;
	sheaf_source *source;
	sheaf_box *box = NULL;
	sheaf_builder_begin(&file, cx, NULL), sheaf_builder_begin(&list, cx, NULL);
	for (int i = 0; i < members; i++) {
		sheaf_zip_head head = {.name = name, .at = file.size};
		size_t used = 0;
		while (i == 0 && used < 2 * (size_t)groups) name[used] = used % 2 ? '/' : 'g', used++;
		snprintf(name + used, sizeof name - used, "a%d%s", i, i ? "" : ".npy");
		sheaf_zip_find_length(&head);
		sheaf_zip_put_local(&file, &head);
		sheaf_zip_put_in_list(&list, &head);
	}
	sheaf_zip_put_end(&list, members, (int64_t)file.size);
	sheaf_builder_append(&file, list.data, list.size);
	assert_ok(sheaf_source_memory((sheaf_bytes){file.data, file.size}, "a.npz", cx, &source, &err));
	sheaf_status status = sheaf_box_open(source, cx, &box, &err);
	sheaf_box_close(box);
	sheaf_source_close(source);
	sheaf_builder_drop(&file), sheaf_builder_drop(&list);
	end_context(cx);
	return status;
}

static void archives_of_many_members(void **state)
{
	(void)state;
	assert_ok(open_members(4096, 0));
	assert_status(SHEAF_LIMIT, open_members(4097, 0));
	assert_message("a.npz: expected at most 4096 arrays, found 4097");
	assert_ok(open_members(1, SHEAF_BOX_MAX_DEPTH));
	assert_status(SHEAF_LIMIT, open_members(1, SHEAF_BOX_MAX_DEPTH + 1));
	assert_message("a.npz: expected at most 32 groups inside one another, found 33 in g/g/");
}

static void views_need_no_copy(void **state)
{
	(void)state;
	made m = begin_box(SHEAF_BOX_HDF5);
	fill_values(SHEAF_F64, many, MANY);
	assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_F64, many, MANY}, NULL, &err));
	turn_box(&m);
	sheaf_buffer a = {0}, b = {0};
	int64_t before = sheaf_context_memory(m.cx, NULL);
	assert_ok(sheaf_box_read(m.box, (sheaf_box_run){find_item(&m, "x"), 0, MANY}, SHEAF_F64, &a, &err));
	assert_ok(sheaf_box_read(m.box, (sheaf_box_run){find_item(&m, "x"), 5, MANY}, SHEAF_F64, &b, &err));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ /* as what is written; others turn the bytes of a copy */
	assert_true(sheaf_context_memory(m.cx, NULL) - before < 1000);
	assert_ptr_equal(a.data + 5 * sizeof(double), b.data);
	assert_int_equal(0, (uintptr_t)a.data % 64);
#else
	(void)before;
#endif
	close_made(&m);
	assert_memory_equal(many, a.data, sizeof many);
	sheaf_buffer_reset(&a);
	sheaf_buffer_reset(&b);
	end_context(m.cx);
}

static void names_and_heads(void **state)
{
	(void)state;
	static const uint8_t signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
	uint8_t head[4096] = {0};
	static const size_t places[] = {0, 512, 1024, 2048};
	for (size_t i = 0; i < COUNT(places); i++) {
		memset(head, 0, sizeof head);
		memcpy(head + places[i], signature, sizeof signature);
		assert_int_equal(SHEAF_BOX_HDF5, sheaf_box_recognise((sheaf_bytes){head, sizeof head}));
	}
	memset(head, 0, sizeof head);
	memcpy(head + 256, signature, sizeof signature);
	assert_int_equal(SHEAF_NO_BOX, sheaf_box_recognise((sheaf_bytes){head, sizeof head}));
	assert_int_equal(SHEAF_BOX_CLASSIC,
	                 sheaf_box_recognise((sheaf_bytes){(const uint8_t *)"CDF\x05....", 8}));
	/* A version that is not known is refused by name, so its file is recognised. */
	assert_int_equal(SHEAF_BOX_CLASSIC,
	                 sheaf_box_recognise((sheaf_bytes){(const uint8_t *)"CDF\x03....", 8}));
	assert_int_equal(SHEAF_NO_BOX, sheaf_box_recognise((sheaf_bytes){(const uint8_t *)"CDF\tx\n1\t2", 9}));
	assert_int_equal(SHEAF_NO_BOX, sheaf_box_recognise((sheaf_bytes){NULL, 0}));
	assert_int_equal(SHEAF_BOX_NETCDF, sheaf_box_kind_by_name("a/b.nc"));
	assert_int_equal(SHEAF_BOX_HDF5, sheaf_box_kind_by_name("a.bsp.h5"));
	assert_int_equal(SHEAF_NO_BOX, sheaf_box_kind_by_name("h5"));
	assert_ok(sheaf_box_available(SHEAF_BOX_HDF5, &err));
	assert_ok(sheaf_box_available(SHEAF_BOX_NETCDF, &err));
	assert_ok(sheaf_box_available(SHEAF_BOX_MEMORY, &err));
	assert_status(SHEAF_UNSUPPORTED, sheaf_box_available(SHEAF_BOX_CLASSIC, &err));
}

/* ---- each for each kind ---- */

#define EACH(test) \
	static void memory_##test(void **state) \
	{ \
		(void)state; \
		test(SHEAF_BOX_MEMORY); \
	} \
	static void hdf5_##test(void **state) \
	{ \
		(void)state; \
		test(SHEAF_BOX_HDF5); \
	} \
	static void netcdf_##test(void **state) \
	{ \
		(void)state; \
		test(SHEAF_BOX_NETCDF); \
	}
/* clang-format off */
#define ROWS(test) \
	cmocka_unit_test_setup_teardown(memory_##test, make_folder, remove_folder), \
	cmocka_unit_test_setup_teardown(hdf5_##test, make_folder, remove_folder), \
	cmocka_unit_test_setup_teardown(netcdf_##test, make_folder, remove_folder)
/* clang-format on */

EACH(all_types_in_all_storage)
EACH(groups_and_texts)
EACH(a_long_text)
EACH(arrays_in_pieces)
EACH(other_types_where_nothing_changes)
EACH(what_cannot_be_asked_for)
EACH(groups_inside_one_another)
EACH(missing_values_fail_the_whole)
EACH(an_open_array_fails_the_whole)
EACH(rewriting_an_array)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROWS(all_types_in_all_storage),
		ROWS(groups_and_texts),
		ROWS(a_long_text),
		ROWS(arrays_in_pieces),
		ROWS(other_types_where_nothing_changes),
		ROWS(what_cannot_be_asked_for),
		ROWS(groups_inside_one_another),
		FOLDER(zarr_groups_inside_one_another),
		ROWS(missing_values_fail_the_whole),
		ROWS(an_open_array_fails_the_whole),
		ROWS(rewriting_an_array),
		FOLDER(what_other_kinds_have_no_place_for),
		FOLDER(attributes_that_are_being_written),
		FOLDER(only_hdf5_is_written_into),
		cmocka_unit_test(what_cannot_be),
		FOLDER(what_hdf5_has_no_room_for),
		FOLDER(an_output_that_is_abandoned),
		cmocka_unit_test(archives_of_many_members),
		FOLDER(views_need_no_copy),
		cmocka_unit_test(names_and_heads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
