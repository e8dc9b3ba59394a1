/* SPDX-License-Identifier: MIT */
/* Boxes of each kind, in the same list of tests: what is written can be read. */
#include "base/thread.h"
#include "box/box.h"
#include "box/hdf5/checksum.h"
#include "number/shuffle.h"
#include "support.h"
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
	for (int64_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", i ? " " : "", items[i].path,
		         items[i].is_group ? "/" : "");
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

static void assert_values(made *m, const char *path, sheaf_type type, const void *wanted, int64_t from,
                          int64_t to)
{
	sheaf_buffer values = {0};
	const sheaf_box_item *item = find(m, path);
	assert_int_equal(type, item->type);
	assert_ok(sheaf_box_read(m->box, (sheaf_box_run){item, from, to}, type, &values, &err));
	assert_int_equal((size_t)(to - from) * sheaf_type_size(type), values.size);
	if (to > from)
		assert_memory_equal((const uint8_t *)wanted + (size_t)from * sheaf_type_size(type), values.data,
		                    values.size);
	sheaf_buffer_reset(&values);
}

/* ---- the list, for each kind ---- */

enum { MANY = 100000 };
static uint64_t many[MANY];

static void all_types_in_all_storage(sheaf_box_kind kind)
{
	static const sheaf_box_storing storings[] = {{0, false, 0},    {1, false, 0}, {6, true, 4096},
	                                             {0, false, 1000}, {0, true, 64}, {12, true, 1 << 20}};
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
						assert_ok(sheaf_box_put(m.box, path,
						                        (sheaf_box_values){(sheaf_type)t, many, counts[c]},
						                        &storings[s], &err));
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
	assert_ok(sheaf_box_put(m.box, "A/values", (sheaf_box_values){SHEAF_F64, &one, 1}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "A.b/values", (sheaf_box_values){SHEAF_F64, &one, 1}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "\xc3\xa4/x y", (sheaf_box_values){SHEAF_F64, &one, 1}, NULL, &err));
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
	turn(&m);
	assert_values(&m, "known", SHEAF_I32, many, 0, 50000);
	assert_values(&m, "packed", SHEAF_I32, many, 0, 50000);
	assert_values(&m, "packed", SHEAF_I32, many, 2499, 2501);
	assert_values(&m, "packed", SHEAF_I32, many, 2500, 5000);
	for (int64_t at = 0; at < 50000; at += 777)
		assert_values(&m, "packed", SHEAF_I32, many, at, at + 777 < 50000 ? at + 777 : 50000);
	for (int64_t at = 49000; at > 0; at -= 777) assert_values(&m, "packed", SHEAF_I32, many, at, at + 777);
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
	assert_ok(sheaf_box_put(m.box, "fine", (sheaf_box_values){SHEAF_I64, fine, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "large", (sheaf_box_values){SHEAF_I64, large, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "reals", (sheaf_box_values){SHEAF_F64, reals, 3}, NULL, &err));
	turn(&m);
	assert_ok(sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "fine"), 0, 3}, SHEAF_U8, as_u8, &err));
	assert_int_equal(255, as_u8[2]);
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "large"), 0, 3}, SHEAF_U8,
	                                              as_u8, &err));
	assert_message("/large, value 1: expected a number that uint8 holds, found 256");
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "large"), 2, 3}, SHEAF_U8,
	                                              as_u8, &err));
	assert_message("value 2: expected a number that uint8 holds, found -1");
	assert_ok(sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "reals"), 0, 3}, SHEAF_F32, as_f32, &err));
	assert_true(as_f32[2] == 0.5F);
	assert_ok(sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "reals"), 0, 2}, SHEAF_I64, as_i64, &err));
	assert_int_equal(-3, as_i64[1]);
	assert_status(SHEAF_DATA, sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "reals"), 0, 3}, SHEAF_I64,
	                                              as_i64, &err));
	assert_message("value 2: expected a number that int64 holds, found 0.5");
	assert_status(SHEAF_SHORT, sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "reals"), 0, 4}, SHEAF_F64,
	                                               as_i64, &err));
	end(&m);
}

static void what_cannot_be_asked_for(sheaf_box_kind kind)
{
	static const char *const paths[] = {"/a", "a/", "a//b", "", ".", "a/../b", "a\nb", "a\xff"};
	made m = begin(kind);
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
	assert_status(SHEAF_UNKNOWN, sheaf_box_set_text(m.box, "nothing", "t", "x", 1, &err));
	assert_ok(sheaf_box_new_array(m.box, "few", (sheaf_box_values){SHEAF_F64, NULL, 1}, NULL, &a, &err));
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
	assert_ok(sheaf_box_new_array(m.box, "few", (sheaf_box_values){SHEAF_F64, NULL, 2}, NULL, &a, &err));
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
	assert_ok(sheaf_box_put(m.box, "a", (sheaf_box_values){SHEAF_I32, old, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "b", (sheaf_box_values){SHEAF_I32, old, 3}, NULL, &err));
	assert_ok(sheaf_box_put(m.box, "a", (sheaf_box_values){SHEAF_I32, new, 2}, NULL, &err));
	assert_ok(sheaf_box_remove(m.box, "b", &err));
	turn(&m);
	assert_paths(&m, "/ a");
	assert_values(&m, "a", SHEAF_I32, new, 0, 2);
	end(&m);
}

/* ---- several writers, and existing files ---- */

static sheaf_sink *sink_of(sheaf_context *cx, const char *name)
{
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder(name), cx, &sink, &err));
	return sink;
}

static void put_one(sheaf_box *box, const char *path, double value)
{
	assert_ok(sheaf_box_put(box, path, (sheaf_box_values){SHEAF_F64, &value, 1}, NULL, &err));
}

static double one_of(sheaf_box *box, const char *path)
{
	double value = -1;
	const sheaf_box_item *item = sheaf_box_find(box, path);
	if (item) assert_ok(sheaf_box_read_into(box, (sheaf_box_run){item, 0, 1}, SHEAF_F64, &value, &err));
	return value;
}

static void make_old(sheaf_context *cx)
{
	made m = begin_in(cx, SHEAF_BOX_HDF5, false);
	put_one(m.box, "old", 1);
	put_one(m.box, "both", 1);
	turn(&m);
	close_made(&m);
}

static void assert_old(sheaf_context *cx)
{
	made m = {.cx = cx, .kind = SHEAF_BOX_HDF5};
	open_file(&m);
	assert_paths(&m, "/ both old");
	close_made(&m);
	assert_int_equal(1, files_in_folder());
}

static void writers_commit_together(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	make_old(cx);
	sheaf_sink *sink = sink_of(cx, "box.h5");
	sheaf_box *a, *b;
	assert_ok(sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &a, &err));
	assert_ok(sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &b, &err));
	assert_true(one_of(a, "old") == 1);
	assert_ok(sheaf_box_set_text(a, "", "t", "one", 3, &err));
	sheaf_buffer text = {0};
	assert_ok(sheaf_box_text(b, "", "t", &text, &err));
	assert_memory_equal("one", text.data, 3);
	sheaf_buffer_reset(&text);
	put_one(a, "A/x", 2);
	put_one(b, "B/x", 3);
	put_one(b, "both", 4);
	assert_ok(sheaf_box_finish(a, &err));
	assert_ok(sheaf_box_finish(b, &err));
	assert_true(file_exists("box.h5"));
	assert_ok(sheaf_sink_commit(sink, &err));
	made m = {.cx = cx, .kind = SHEAF_BOX_HDF5};
	open_file(&m);
	assert_paths(&m, "/ A/ A/x B/ B/x both old");
	assert_true(one_of(m.box, "both") == 4 && one_of(m.box, "old") == 1);
	end(&m);
}

static void one_that_gives_up_takes_all_with_it(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	make_old(cx);
	sheaf_sink *sink = sink_of(cx, "box.h5");
	sheaf_box *a, *b, *c;
	assert_ok(sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &a, &err));
	assert_ok(sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &b, &err));
	put_one(a, "A/x", 2);
	sheaf_box_abandon(a);
	assert_status(SHEAF_USAGE, sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &c, &err));
	assert_status(SHEAF_USAGE, sheaf_box_finish(b, &err));
	assert_message("found that one has given up");
	assert_status(SHEAF_USAGE, sheaf_sink_commit(sink, &err));
	assert_old(cx);
	end_context(cx);
}

static void a_writer_that_is_not_done_forbids_the_commit(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	make_old(cx);
	sheaf_sink *sink = sink_of(cx, "box.h5");
	sheaf_box *a;
	double v = 0;
	assert_ok(sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &a, &err));
	put_one(a, "x", 1);
	assert_status(SHEAF_USAGE, sheaf_sink_commit(sink, &err));
	assert_message("expected its writers to have finished");
	assert_status(SHEAF_USAGE, sheaf_box_put(a, "y", (sheaf_box_values){SHEAF_F64, &v, 1}, NULL, &err));
	sheaf_box_abandon(a);
	assert_old(cx);
	end_context(cx);
}

static void a_file_that_changes_meanwhile_is_not_replaced(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	make_old(cx);
	made m = begin_in(cx, SHEAF_BOX_HDF5, true);
	put_one(m.box, "new", 1);
	write_text("box.h5", "somebody else's");
	assert_ok(sheaf_box_finish(m.box, &err));
	assert_status(SHEAF_IO, sheaf_sink_commit(m.sink, &err));
	assert_message("found it changed");
	bytes_sink now = read_file("box.h5");
	assert_int_equal(15, now.size);
	free_bytes(&now);
	assert_int_equal(1, files_in_folder());
	end_context(cx);
}

static void into_what_is_no_box(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_box *box;
	write_text("box.h5", "this is no box, but something that must stay");
	sheaf_sink *sink = sink_of(cx, "box.h5");
	assert_status(SHEAF_UNKNOWN, sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &box, &err));
	assert_status(SHEAF_UNKNOWN, sheaf_sink_commit(sink, &err));
	sink = sink_of(cx, "new.h5");
	assert_ok(sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &box, &err));
	write_text("new.h5", "came meanwhile");
	assert_ok(sheaf_box_finish(box, &err));
	assert_status(SHEAF_IO, sheaf_sink_commit(sink, &err));
	sink = sink_of(cx, "packed.h5.gz");
	assert_status(SHEAF_UNSUPPORTED, sheaf_box_create(sink, SHEAF_BOX_HDF5, true, cx, &box, &err));
	sheaf_sink_abandon(sink);
	assert_int_equal(2, files_in_folder());
	end_context(cx);
}

/* ---- other outputs and inputs ---- */

static void boxes_through_functions_and_compression(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	bytes_sink bytes = {0};
	sheaf_sink *sinks[2];
	sheaf_source *sources[2];
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "bytes", cx, &sinks[0], &err));
	assert_ok(sheaf_sink_path(in_folder("x.h5.gz"), cx, &sinks[1], &err));
	for (int i = 0; i < 2; i++) {
		sheaf_box *box;
		assert_ok(sheaf_box_create(sinks[i], SHEAF_NO_BOX, false, cx, &box, &err));
		put_one(box, "a/b", 7);
		assert_ok(sheaf_box_finish(box, &err));
		assert_ok(sheaf_sink_commit(sinks[i], &err));
	}
	assert_int_equal(SHEAF_BOX_HDF5, sheaf_box_recognise((sheaf_bytes){bytes.data, bytes.size}));
	assert_ok(sheaf_source_memory((sheaf_bytes){bytes.data, bytes.size}, "bytes", cx, &sources[0], &err));
	assert_ok(sheaf_source_path(in_folder("x.h5.gz"), cx, &sources[1], &err));
	for (int i = 0; i < 2; i++) {
		sheaf_box *box;
		assert_ok(sheaf_box_open(sources[i], cx, &box, &err));
		assert_true(one_of(box, "a/b") == 7);
		sheaf_box_close(box);
		sheaf_source_close(sources[i]);
	}
	free_bytes(&bytes);
	end_context(cx);
}

static void views_need_no_copy(void **state)
{
	(void)state;
	made m = begin(SHEAF_BOX_HDF5);
	fill(SHEAF_F64, many, MANY);
	assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_F64, many, MANY}, NULL, &err));
	turn(&m);
	sheaf_buffer a = {0}, b = {0};
	int64_t before = sheaf_context_memory(m.cx, NULL);
	assert_ok(sheaf_box_read(m.box, (sheaf_box_run){find(&m, "x"), 0, MANY}, SHEAF_F64, &a, &err));
	assert_ok(sheaf_box_read(m.box, (sheaf_box_run){find(&m, "x"), 5, MANY}, SHEAF_F64, &b, &err));
	assert_true(sheaf_context_memory(m.cx, NULL) - before < 1000);
	assert_ptr_equal(a.data + 5 * sizeof(double), b.data);
	assert_int_equal(0, (uintptr_t)a.data % 64);
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
	assert_int_equal(SHEAF_NO_BOX, sheaf_box_recognise((sheaf_bytes){(const uint8_t *)"CDF\x03....", 8}));
	assert_int_equal(SHEAF_NO_BOX, sheaf_box_recognise((sheaf_bytes){NULL, 0}));
	assert_int_equal(SHEAF_BOX_NETCDF, sheaf_box_kind_by_name("a/b.nc"));
	assert_int_equal(SHEAF_BOX_HDF5, sheaf_box_kind_by_name("a.bsp.h5"));
	assert_int_equal(SHEAF_NO_BOX, sheaf_box_kind_by_name("h5"));
	assert_ok(sheaf_box_available(SHEAF_BOX_HDF5, &err));
	assert_ok(sheaf_box_available(SHEAF_BOX_NETCDF, &err));
	assert_ok(sheaf_box_available(SHEAF_BOX_MEMORY, &err));
	assert_status(SHEAF_UNSUPPORTED, sheaf_box_available(SHEAF_BOX_CLASSIC, &err));
}

/* ---- want of memory ---- */

static sheaf_status write_some(sheaf_context *cx, bool into)
{
	sheaf_sink *sink;
	sheaf_box *box = NULL;
	sheaf_box_storing packed = {1, true, 4096};
	SHEAF_TRY(sheaf_sink_path(in_folder("box.nc"), cx, &sink, &err));
	sheaf_status status = sheaf_box_create(sink, SHEAF_BOX_NETCDF, into, cx, &box, &err);
	if (!status) status = sheaf_box_put(box, "g/a", (sheaf_box_values){SHEAF_F64, many, 2000}, NULL, &err);
	if (!status) status = sheaf_box_put(box, "g/b", (sheaf_box_values){SHEAF_F64, many, 2000}, &packed, &err);
	if (!status) status = sheaf_box_set_text(box, "g", "t", "text", 4, &err);
	if (!status)
		status = sheaf_box_finish(box, &err);
	else
		sheaf_box_abandon(box);
	if (!status) return sheaf_sink_commit(sink, &err);
	sheaf_sink_abandon(sink);
	return status;
}

static sheaf_status read_all(sheaf_context *cx)
{
	sheaf_source *source;
	sheaf_box *box = NULL;
	sheaf_buffer values = {0};
	SHEAF_TRY(sheaf_source_path(in_folder("box.nc"), cx, &source, &err));
	sheaf_status status = sheaf_box_open(source, cx, &box, &err);
	if (!status)
		status = sheaf_box_read(box, (sheaf_box_run){sheaf_box_find(box, "g/b"), 0, 2000}, SHEAF_F64, &values,
		                        &err);
	if (!status) assert_memory_equal(many, values.data, 2000 * sizeof(double));
	if (!status) status = sheaf_box_text(box, "g", "t", &values, &err);
	sheaf_buffer_reset(&values);
	sheaf_box_close(box);
	sheaf_source_close(source);
	return status;
}

/* Each allocation fails once, and then all from some point on. */
static void failing(sheaf_status (*what)(sheaf_context *cx), bool stay)
{
	sheaf_status status = SHEAF_NOMEM;
	for (int64_t at = 1; status; at++) {
		allocator memory = {.fail_at = at, .stay = stay};
		sheaf_context_options options = options_with(&memory);
		sheaf_context *cx = NULL;
		status = sheaf_context_new(&options, &cx, &err);
		if (!status) status = what(cx);
		if (status && status != SHEAF_NOMEM) fail_msg("call %d: %s", (int)at, err.message);
		if (cx) sheaf_context_free(cx);
		assert_int_equal(0, memory.bytes);
		if (at > 5000) fail_msg("no end");
	}
}

static sheaf_status write_new(sheaf_context *cx) { return write_some(cx, false); }
static sheaf_status write_into(sheaf_context *cx) { return write_some(cx, true); }

static void no_memory_at_any_point(void **state)
{
	(void)state;
	fill(SHEAF_F64, many, 2000);
	for (int stay = 0; stay < 2; stay++) {
		failing(write_new, stay);
		failing(write_into, stay);
		failing(read_all, stay);
	}
	assert_int_equal(1, files_in_folder());
}

static void limits_are_kept(void **state)
{
	(void)state;
	made m = begin(SHEAF_BOX_HDF5);
	sheaf_box_storing packed = {1, false, 1 << 20};
	static uint8_t zeros[1 << 22];
	assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_U8, zeros, sizeof zeros}, &packed, &err));
	turn(&m);
	end(&m);
	sheaf_context_options options = {.size = sizeof options, .max_memory = 3 << 20};
	sheaf_buffer values = {0};
	m = (made){.cx = context_with(&options), .kind = SHEAF_BOX_HDF5};
	open_file(&m);
	assert_status(SHEAF_LIMIT, sheaf_box_read(m.box, (sheaf_box_run){find(&m, "x"), 0, sizeof zeros},
	                                          SHEAF_U8, &values, &err));
	assert_ok(
		sheaf_box_read(m.box, (sheaf_box_run){find(&m, "x"), 1 << 19, 1 << 20}, SHEAF_U8, &values, &err));
	sheaf_buffer_reset(&values);
	end(&m);
}

/* ---- checksums ---- */

static void checksums(void **state)
{
	(void)state;
	static const char text[] = "Four score and seven years ago";
	/* A superblock as HDF5 wrote it, before its checksum. */
	static const uint8_t superblock[44] = {
		0x89, 'H',  'D',  'F',  '\r', '\n', 0x1a, '\n', 3, 8, 8, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf9, 0x0b, 0, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0,    0};
	static const uint8_t few[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t more[1000];
	for (int i = 0; i < 1000; i++) more[i] = (uint8_t)(i | 200);
	assert_int_equal(0xdeadbeef, sheaf_hdf5_checksum(text, 0));
	assert_int_equal(0x17770551, sheaf_hdf5_checksum(text, 30));
	assert_int_equal(0x60f21761, sheaf_hdf5_checksum(superblock, sizeof superblock));
	assert_int_equal(0x282e1410, sheaf_hdf5_fletcher(few, sizeof few));
	assert_int_equal(0xa6003a2c, sheaf_hdf5_fletcher(more, sizeof more));
	assert_true(sheaf_hdf5_is_fletcher(0x282e1410, 0x282e1410));
	assert_true(sheaf_hdf5_is_fletcher(0x2e281014, 0x282e1410));
	assert_false(sheaf_hdf5_is_fletcher(0x282e1411, 0x282e1410));
}

/* ---- shuffling ---- */

static void shuffled_bytes(void **state)
{
	(void)state;
	static uint8_t from[1000], to[1000], back[1000];
	seed_random(1);
	for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)next_random();
	for (size_t width = 1; width <= 17; width++)
		for (size_t size = 0; size <= sizeof from; size += size < 300 ? 1 : 233) {
			size_t n = size / width;
			sheaf_shuffle(from, to, size, width);
			for (size_t i = 0; i < n; i++)
				for (size_t k = 0; k < width; k++) assert_int_equal(from[i * width + k], to[k * n + i]);
			sheaf_unshuffle(to, back, size, width);
			assert_memory_equal(from, back, size);
		}
}

/* Noise in low bytes, in all, and in none. */
static void shuffled_noise(void **state)
{
	(void)state;
	made m = begin(SHEAF_BOX_HDF5);
	enum { COUNT_OF = 300000, KINDS = 4 };
	static const char *const names[KINDS] = {"low", "all", "none", "high"};
	static double values[KINDS][COUNT_OF];
	sheaf_box_storing packed = {3, true, 1 << 20};
	seed_random(2);
	for (int i = 0; i < COUNT_OF; i++) {
		uint64_t bits = next_random();
		values[0][i] = (double)(bits >> 11);
		memcpy(&values[1][i], &bits, sizeof bits);
		values[2][i] = i % 1000;
		bits &= 0x0000ffff00000000;
		memcpy(&values[3][i], &bits, sizeof bits);
	}
	for (int k = 0; k < KINDS; k++)
		assert_ok(sheaf_box_put(m.box, names[k], (sheaf_box_values){SHEAF_F64, values[k], COUNT_OF}, &packed,
		                        &err));
	turn(&m);
	for (int k = 0; k < KINDS; k++) assert_values(&m, names[k], SHEAF_F64, values[k], 0, COUNT_OF);
	assert_true(find(&m, "low")->bytes < (int64_t)sizeof values[0] * 9 / 10);
	assert_true(find(&m, "all")->bytes <= (int64_t)sizeof values[0] + (1 << 20));
	assert_true(find(&m, "none")->bytes < (int64_t)sizeof values[0] / 10);
	assert_true(find(&m, "high")->bytes < (int64_t)sizeof values[0] * 3 / 10);
	end(&m);
}

/* ---- threads ---- */

static void any_number_of_threads_gives_the_same(void **state)
{
	(void)state;
	static const int threads[] = {1, 2, 5};
	bytes_sink files[COUNT(threads)];
	fill(SHEAF_I32, many, 2 * MANY);
	for (size_t i = 0; i < COUNT(threads); i++) {
		sheaf_context_options options = {.size = sizeof options, .threads = threads[i]};
		made m = begin_in(context_with(&options), SHEAF_BOX_HDF5, false);
		sheaf_box_storing packed = {4, true, 5000};
		assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_I32, many, 2 * MANY}, &packed, &err));
		assert_ok(sheaf_box_put(m.box, "y", (sheaf_box_values){SHEAF_I32, many, 2 * MANY}, NULL, &err));
		turn(&m);
		static int64_t wide[2 * MANY];
		assert_values(&m, "x", SHEAF_I32, many, 0, 2 * MANY);
		assert_ok(
			sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "x"), 1, 2 * MANY}, SHEAF_I64, wide, &err));
		assert_int_equal(((int32_t *)(void *)many)[2 * MANY - 1], wide[2 * MANY - 2]);
		assert_ok(
			sheaf_box_read_into(m.box, (sheaf_box_run){find(&m, "y"), 1, 2 * MANY}, SHEAF_I64, wide, &err));
		assert_int_equal(((int32_t *)(void *)many)[2 * MANY - 1], wide[2 * MANY - 2]);
		end(&m);
		files[i] = read_file("box.h5");
		if (i) assert_same_bytes(&files[0], &files[i]);
	}
	for (size_t i = 0; i < COUNT(threads); i++) free_bytes(&files[i]);
}

/* Several readers of one box, and of boxes beside it. */
typedef struct reader {
	sheaf_thread thread;
	const made *m;
	const char *path;
	bool fine;
} reader;

static void *read_in_thread(void *user)
{
	reader *r = (reader *)user;
	sheaf_error mine = {0};
	sheaf_source *source;
	sheaf_box *box;
	r->fine = true;
	for (int i = 0; r->fine && i < 20; i++) {
		static _Thread_local int32_t values[MANY];
		r->fine = sheaf_box_read_into(r->m->box, (sheaf_box_run){sheaf_box_find(r->m->box, "x"), 0, MANY},
		                              SHEAF_I32, values, &mine) == SHEAF_OK &&
		          memcmp(values, many, sizeof values) == 0;
		sheaf_context *cx;
		if (sheaf_context_new(NULL, &cx, &mine)) return NULL;
		r->fine = r->fine && sheaf_source_path(r->path, cx, &source, &mine) == SHEAF_OK;
		if (r->fine) {
			r->fine = sheaf_box_open(source, cx, &box, &mine) == SHEAF_OK;
			if (r->fine) sheaf_box_close(box);
			sheaf_source_close(source);
		}
		sheaf_context_free(cx);
	}
	return NULL;
}

static void readers_beside_each_other(void **state)
{
	(void)state;
	made m = begin(SHEAF_BOX_HDF5);
	reader readers[4];
	sheaf_box_storing packed = {1, true, 20000};
	fill(SHEAF_I32, many, MANY);
	assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_I32, many, MANY}, &packed, &err));
	turn(&m);
	for (size_t i = 0; i < COUNT(readers); i++) {
		readers[i] = (reader){.m = &m, .path = in_folder("box.h5")};
		assert_true(sheaf_thread_start(&readers[i].thread, read_in_thread, &readers[i]));
	}
	for (size_t i = 0; i < COUNT(readers); i++) sheaf_thread_join(&readers[i].thread);
	for (size_t i = 0; i < COUNT(readers); i++) assert_true(readers[i].fine);
	end(&m);
}

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
#define FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
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
		FOLDER(writers_commit_together),
		FOLDER(one_that_gives_up_takes_all_with_it),
		FOLDER(a_writer_that_is_not_done_forbids_the_commit),
		FOLDER(a_file_that_changes_meanwhile_is_not_replaced),
		FOLDER(into_what_is_no_box),
		FOLDER(boxes_through_functions_and_compression),
		FOLDER(views_need_no_copy),
		cmocka_unit_test(names_and_heads),
		FOLDER(no_memory_at_any_point),
		FOLDER(limits_are_kept),
		cmocka_unit_test(checksums),
		cmocka_unit_test(shuffled_bytes),
		FOLDER(shuffled_noise),
		FOLDER(any_number_of_threads_gives_the_same),
		FOLDER(readers_beside_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
