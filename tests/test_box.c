/* SPDX-License-Identifier: MIT */
/* Boxes of each kind by the same list of tests: what is written is read. */
#include "support.h"
#include "box/box.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- a box that is written, then read ---- */

typedef struct made {
	sheaf_context *cx;
	sheaf_box_kind kind;
	sheaf_sink *sink;
	sheaf_source *source;
	sheaf_box *box;
} made;

static const char *name_of(sheaf_box_kind kind) { return kind == SHEAF_BOX_NETCDF ? "box.nc" : "box.h5"; }

static made begin_in(sheaf_context *cx, sheaf_box_kind kind, bool into)
{
	made m = {.cx = cx, .kind = kind};
	if (kind == SHEAF_BOX_MEMORY) {
		assert_ok(sheaf_box_in_memory(cx, &m.box, &err));
		return m;
	}
	assert_ok(sheaf_sink_path(in_folder(name_of(kind)), cx, &m.sink, &err));
	assert_ok(sheaf_box_create(m.sink, kind, into, cx, &m.box, &err));
	return m;
}

static made begin(sheaf_box_kind kind) { return begin_in(usual_context(), kind, false); }

static void open_file(made *m)
{
	assert_ok(sheaf_source_path(in_folder(name_of(m->kind)), m->cx, &m->source, &err));
	assert_ok(sheaf_box_open(m->source, m->cx, &m->box, &err));
}

/* From writing to reading. */
static void turn(made *m)
{
	if (m->kind == SHEAF_BOX_MEMORY) return;
	assert_ok(sheaf_box_finish(m->box, &err));
	assert_ok(sheaf_sink_commit(m->sink, &err));
	open_file(m);
}

static void close_made(made *m)
{
	sheaf_box_close(m->box);
	sheaf_source_close(m->source);
	m->box = NULL;
	m->source = NULL;
}

static void end(made *m)
{
	close_made(m);
	end_context(m->cx);
}

static const sheaf_box_item *find(const made *m, const char *path)
{
	const sheaf_box_item *item = sheaf_box_find(m->box, path);
	if (!item) fail_msg("expected /%s", path);
	return item;
}

static void assert_paths(const made *m, const char *wanted)
{
	char text[1000] = "";
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(m->box, &count);
	for (int64_t i = 0; i < count; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", i ? " " : "", items[i].path, items[i].is_group ? "/" : "");
	assert_text(wanted, text);
}

static void assert_attribute(made *m, const char *path, const char *name, const char *wanted)
{
	sheaf_buffer text = {0};
	assert_ok(sheaf_box_text(m->box, path, name, &text, &err));
	assert_int_equal(strlen(wanted), text.size);
	assert_memory_equal(wanted, text.data, text.size);
	sheaf_buffer_reset(&text);
}

/* Values of any type that are all different. */
static void fill(sheaf_type type, void *values, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		switch (type) {
		case SHEAF_F32: ((float *)values)[i] = (float)i / 3; break;
		case SHEAF_F64: ((double *)values)[i] = (double)i / 3; break;
		default: {
			uint64_t v = (uint64_t)i * 0x9e3779b97f4a7c15;
			memcpy((uint8_t *)values + (size_t)i * sheaf_type_size(type), &v, sheaf_type_size(type));
		}
		}
	}
}

static void assert_values(made *m, const char *path, sheaf_type type, const void *wanted, int64_t from, int64_t to)
{
	sheaf_buffer values = {0};
	const sheaf_box_item *item = find(m, path);
	assert_int_equal(type, item->type);
	assert_ok(sheaf_box_read(m->box, item, from, to, type, &values, &err));
	assert_int_equal((size_t)(to - from) * sheaf_type_size(type), values.size);
	if (to > from) assert_memory_equal((const uint8_t *)wanted + (size_t)from * sheaf_type_size(type), values.data, values.size);
	sheaf_buffer_reset(&values);
}

/* ---- the list, for each kind ---- */

enum { MANY = 100000 };
static uint64_t many[MANY];

static void all_types_in_all_storage(sheaf_box_kind kind)
{
	static const sheaf_box_storing storings[] = {{0, false, 0}, {1, false, 0}, {6, true, 4096}, {0, false, 1000}, {0, true, 64}, {12, true, 1 << 20}};
	static const int64_t counts[] = {0, 1, 63, 1000, 50001};
	made m = begin(kind);
	char path[64];
	for (int pass = 0; pass < 2; pass++) {
		for (int t = 0; t < SHEAF_TYPES; t++)
			for (size_t s = 0; s < COUNT(storings); s++)
				for (size_t c = 0; c < COUNT(counts); c++) {
					if (t % 3 && s % 2 && c < 3) continue;
					snprintf(path, sizeof path, "%s/s%zu/n%zu", sheaf_type_name((sheaf_type)t), s, c);
					fill((sheaf_type)t, many, counts[c]);
					if (pass == 0)
						assert_ok(sheaf_box_put(m.box, path, (sheaf_type)t, many, counts[c], &storings[s], &err));
					else {
						assert_int_equal(counts[c], find(&m, path)->count);
						assert_values(&m, path, (sheaf_type)t, many, 0, counts[c]);
						assert_values(&m, path, (sheaf_type)t, many, counts[c] / 3, counts[c] / 2);
					}
				}
		if (pass == 0) turn(&m);
	}
	end(&m);
}

static void groups_and_texts(sheaf_box_kind kind)
{
	made m = begin(kind);
	double one = 1;
	assert_ok(sheaf_box_make_group(m.box, "A/sub/deeper", &err));
	assert_ok(sheaf_box_make_group(m.box, "A/sub", &err));
	assert_ok(sheaf_box_make_group(m.box, "", &err));
	assert_ok(sheaf_box_put(m.box, "A/values", SHEAF_F64, &one, 1, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "A.b/values", SHEAF_F64, &one, 1, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "\xc3\xa4/x y", SHEAF_F64, &one, 1, NULL, &err));
	assert_ok(sheaf_box_set_text(m.box, "", "binsparse", "{\"\xc3\xa4\":1}", 8, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/sub", "t", "first", 5, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/sub", "u", "", 0, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/sub", "t", "second", 6, &err));
	assert_ok(sheaf_box_set_text(m.box, "A/values", "on an array", "yes", 3, &err));
	turn(&m);
	assert_paths(&m, "/ A/ A/sub/ A/sub/deeper/ A/values A.b/ A.b/values \xc3\xa4/ \xc3\xa4/x y");
	assert_attribute(&m, "", "binsparse", "{\"\xc3\xa4\":1}");
	assert_attribute(&m, "A/sub", "t", "second");
	assert_attribute(&m, "A/sub", "u", "");
	assert_attribute(&m, "A/values", "on an array", "yes");
	assert_true(sheaf_box_has_text(m.box, "A/sub", "t"));
	assert_false(sheaf_box_has_text(m.box, "A/sub", "x"));
	assert_false(sheaf_box_has_text(m.box, "B", "x"));
	int64_t count;
	const sheaf_box_item *items = sheaf_box_items(m.box, &count);
	assert_int_equal(-1, items[0].parent);
	assert_int_equal(0, items[1].parent);
	assert_int_equal(1, items[2].parent);
	assert_int_equal(2, items[3].parent);
	assert_int_equal(1, items[4].parent);
	assert_int_equal(0, items[5].parent);
	assert_text("sub", items[2].name);
	sheaf_buffer text = {0};
	assert_status(SHEAF_UNKNOWN, sheaf_box_text(m.box, "A", "x", &text, &err));
	end(&m);
}

static void a_long_text(sheaf_box_kind kind)
{
	made m = begin(kind);
	static char text[200000];
	memset(text, 'x', sizeof text - 1);
	assert_ok(sheaf_box_set_text(m.box, "", "long", text, sizeof text - 1, &err));
	turn(&m);
	assert_attribute(&m, "", "long", text);
	end(&m);
}

static void arrays_in_pieces(sheaf_box_kind kind)
{
	made m = begin(kind);
	sheaf_box_array *a[3];
	sheaf_box_storing packed = {3, true, 10000};
	fill(SHEAF_I32, many, 50000);
	assert_ok(sheaf_box_new_array(m.box, "known", SHEAF_I32, 50000, NULL, &a[0], &err));
	assert_ok(sheaf_box_new_array(m.box, "packed", SHEAF_I32, 50000, &packed, &a[1], &err));
	assert_ok(sheaf_box_new_array(m.box, "unknown", SHEAF_I32, -1, NULL, &a[2], &err));
	for (int64_t at = 0, n; at < 50000; at += n) {
		n = 1 + at % 4999 < 50000 - at ? 1 + at % 4999 : 50000 - at;
		for (int i = 0; i < 3; i++) assert_ok(sheaf_box_append(a[i], (const int32_t *)(const void *)many + at, n, &err));
	}
	for (int i = 0; i < 3; i++) assert_ok(sheaf_box_end_array(a[i], &err));
	assert_ok(sheaf_box_new_array(m.box, "none", SHEAF_U8, -1, &packed, &a[0], &err));
	assert_ok(sheaf_box_end_array(a[0], &err));
	turn(&m);
	assert_values(&m, "known", SHEAF_I32, many, 0, 50000);
	assert_values(&m, "packed", SHEAF_I32, many, 0, 50000);
	assert_values(&m, "packed", SHEAF_I32, many, 2499, 2501);
	assert_values(&m, "packed", SHEAF_I32, many, 2500, 5000);
	assert_values(&m, "unknown", SHEAF_I32, many, 0, 50000);
	assert_int_equal(50000, find(&m, "unknown")->count);
	assert_int_equal(0, find(&m, "none")->count);
	end(&m);
}

static void other_types_where_nothing_changes(sheaf_box_kind kind)
{
	made m = begin(kind);
	static const int64_t fine[] = {0, 1, 255}, large[] = {0, 256, -1};
	static const double reals[] = {1, -3, 0.5};
	int64_t as_i64[3];
	uint8_t as_u8[3];
	float as_f32[3];
	assert_ok(sheaf_box_put(m.box, "fine", SHEAF_I64, fine, 3, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "large", SHEAF_I64, large, 3, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "reals", SHEAF_F64, reals, 3, NULL, &err));
	turn(&m);
	assert_ok(sheaf_box_read_into(m.box, find(&m, "fine"), 0, 3, SHEAF_U8, as_u8, &err));
	assert_int_equal(255, as_u8[2]);
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, find(&m, "large"), 0, 3, SHEAF_U8, as_u8, &err));
	assert_message("/large, value 1: expected a number that uint8 holds, found 256");
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, find(&m, "large"), 2, 3, SHEAF_U8, as_u8, &err));
	assert_message("value 2: expected a number that uint8 holds, found -1");
	assert_ok(sheaf_box_read_into(m.box, find(&m, "reals"), 0, 3, SHEAF_F32, as_f32, &err));
	assert_true(as_f32[2] == 0.5F);
	assert_ok(sheaf_box_read_into(m.box, find(&m, "reals"), 0, 2, SHEAF_I64, as_i64, &err));
	assert_int_equal(-3, as_i64[1]);
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, find(&m, "reals"), 0, 3, SHEAF_I64, as_i64, &err));
	assert_message("value 2: expected a number that int64 holds, found 0.5");
	assert_status(SHEAF_SHORT, sheaf_box_read_into(m.box, find(&m, "reals"), 0, 4, SHEAF_F64, as_i64, &err));
	end(&m);
}

static void what_cannot_be_asked_for(sheaf_box_kind kind)
{
	static const char *const paths[] = {"/a", "a/", "a//b", "", ".", "a/../b", "a\nb", "a\xff"};
	made m = begin(kind);
	sheaf_box_array *a;
	double v = 0;
	for (size_t i = 0; i < COUNT(paths); i++) {
		assert_status(SHEAF_USAGE, sheaf_box_put(m.box, paths[i], SHEAF_F64, &v, 1, NULL, &err));
		assert_message("expected a path such as \"a/b\"");
	}
	assert_ok(sheaf_box_put(m.box, "g/a", SHEAF_F64, &v, 1, NULL, &err));
	assert_status(SHEAF_DATA, sheaf_box_put(m.box, "g", SHEAF_F64, &v, 1, NULL, &err));
	assert_message("found a group, which stays");
	assert_status(SHEAF_DATA, sheaf_box_make_group(m.box, "g/a", &err));
	assert_message("expected a group, found an array");
	assert_status(SHEAF_DATA, sheaf_box_make_group(m.box, "g/a/b", &err));
	assert_status(SHEAF_DATA, sheaf_box_remove(m.box, "g", &err));
	assert_ok(sheaf_box_remove(m.box, "nothing", &err));
	assert_status(SHEAF_USAGE, sheaf_box_put(m.box, "d", SHEAF_F64, &v, 1, &(sheaf_box_storing){13, false, 0}, &err));
	assert_status(SHEAF_UNKNOWN, sheaf_box_set_text(m.box, "nothing", "t", "x", 1, &err));
	assert_ok(sheaf_box_new_array(m.box, "few", SHEAF_F64, 1, NULL, &a, &err));
	assert_ok(sheaf_box_append(a, &v, 1, &err));
	assert_status(SHEAF_USAGE, sheaf_box_append(a, &v, 1, &err));
	assert_message("expected 1 values in /few");
	assert_ok(sheaf_box_end_array(a, &err));
	turn(&m);
	assert_paths(&m, "/ few g/ g/a");
	end(&m);
}

static void missing_values_fail_the_whole(sheaf_box_kind kind)
{
	made m = begin(kind);
	sheaf_box_array *a;
	assert_ok(sheaf_box_new_array(m.box, "few", SHEAF_F64, 2, NULL, &a, &err));
	assert_status(SHEAF_USAGE, sheaf_box_end_array(a, &err));
	assert_message("expected 2 values in /few, found 0");
	if (m.sink) {
		assert_status(SHEAF_USAGE, sheaf_box_finish(m.box, &err));
		m.box = NULL;
		assert_status(SHEAF_USAGE, sheaf_sink_commit(m.sink, &err));
		assert_int_equal(0, files_in_folder());
	}
	end(&m);
}

static void rewriting_an_array(sheaf_box_kind kind)
{
	made m = begin(kind);
	static const int32_t old[] = {1, 2, 3}, new[] = {4, 5};
	assert_ok(sheaf_box_put(m.box, "a", SHEAF_I32, old, 3, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "b", SHEAF_I32, old, 3, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "a", SHEAF_I32, new, 2, NULL, &err));
	assert_ok(sheaf_box_remove(m.box, "b", &err));
	turn(&m);
	assert_paths(&m, "/ a");
	assert_values(&m, "a", SHEAF_I32, new, 0, 2);
	end(&m);
}

#define EACH(test) \
	static void memory_##test(void **state) { (void)state; test(SHEAF_BOX_MEMORY); } \
	static void hdf5_##test(void **state) { (void)state; test(SHEAF_BOX_HDF5); } \
	static void netcdf_##test(void **state) { (void)state; test(SHEAF_BOX_NETCDF); }
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
EACH(missing_values_fail_the_whole)
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
		ROWS(missing_values_fail_the_whole),
		ROWS(rewriting_an_array),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
