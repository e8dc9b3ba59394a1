/* SPDX-License-Identifier: MIT */
/* Boxes with several writers, existing files, other outputs, and little memory: all is written, or nothing.
 */
#include "box_support.h"

/* ---- several writers, and existing files ---- */

static sheaf_sink *sink_of(sheaf_context *cx, const char *name)
{
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder(name), true, cx, &sink, &err));
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
	made m = begin_box_in(cx, SHEAF_BOX_HDF5, false);
	put_one(m.box, "old", 1);
	put_one(m.box, "both", 1);
	turn_box(&m);
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
	end_box(&m);
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
	made m = begin_box_in(cx, SHEAF_BOX_HDF5, true);
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
	assert_ok(sheaf_sink_path(in_folder("x.h5.gz"), true, cx, &sinks[1], &err));
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

/* ---- want of memory ---- */

static sheaf_status write_some(sheaf_context *cx, bool into)
{
	sheaf_sink *sink;
	sheaf_box *box = NULL;
	sheaf_box_storing packed = {1, true, 4096};
	SHEAF_TRY(sheaf_sink_path(in_folder("box.nc"), true, cx, &sink, &err));
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
	fill_values(SHEAF_F64, many, 2000);
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
	made m = begin_box(SHEAF_BOX_HDF5);
	sheaf_box_storing packed = {1, false, 1 << 20};
	static uint8_t zeros[1 << 22];
	assert_ok(sheaf_box_put(m.box, "x", (sheaf_box_values){SHEAF_U8, zeros, sizeof zeros}, &packed, &err));
	turn_box(&m);
	end_box(&m);
	sheaf_context_options options = {.size = sizeof options, .max_memory = 3 << 20};
	sheaf_buffer values = {0};
	m = (made){.cx = context_with(&options), .kind = SHEAF_BOX_HDF5};
	open_file(&m);
	assert_status(SHEAF_LIMIT, sheaf_box_read(m.box, (sheaf_box_run){find_item(&m, "x"), 0, sizeof zeros},
	                                          SHEAF_U8, &values, &err));
	assert_ok(sheaf_box_read(m.box, (sheaf_box_run){find_item(&m, "x"), 1 << 19, 1 << 20}, SHEAF_U8, &values,
	                         &err));
	sheaf_buffer_reset(&values);
	end_box(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER(writers_commit_together),
		FOLDER(one_that_gives_up_takes_all_with_it),
		FOLDER(a_writer_that_is_not_done_forbids_the_commit),
		FOLDER(a_file_that_changes_meanwhile_is_not_replaced),
		FOLDER(into_what_is_no_box),
		FOLDER(boxes_through_functions_and_compression),
		FOLDER(no_memory_at_any_point),
		FOLDER(limits_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
