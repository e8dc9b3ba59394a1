/* SPDX-License-Identifier: MIT */
/* Each public function with invalid arguments: the outcome is USAGE with a message that names the function
 * and what it expected, or what the header says about NULL; never a crash, and nothing leaks. */
#include "support.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT "0 |A 1 2 |B 3:1\n1 |A 3 4 |B 4:1\n"

/* A call that is refused, and a part of what it says. */
#define assert_usage(call, part) \
	do { \
		memset(&err, 0, sizeof err); \
		assert_status(SHEAF_USAGE, (call)); \
		assert_message(part); \
	} while (0)

static sheaf_context *cx;

static int begin(void **state)
{
	make_folder(state);
	write_text("a.ctf", TEXT);
	cx = usual_context();
	return 0;
}

static int end(void **state)
{
	assert_int_equal(sheaf_context_memory(cx, NULL), 0);
	end_context(cx);
	return remove_folder(state);
}

static sheaf_dataset *open_some(void)
{
	sheaf_dataset *d;
	assert_ok(sheaf_open(in_folder("a.ctf"), NULL, cx, &d, &err));
	return d;
}

static sheaf_status read_nothing_status(void *user, const char *path, sheaf_error *error)
{
	(void)user, (void)path, (void)error;
	return SHEAF_OK;
}
static int64_t read_nothing(void *user, void *data, size_t size)
{
	(void)user, (void)data, (void)size;
	return 0;
}
static int write_nothing(void *user, const void *data, size_t size)
{
	(void)user, (void)data, (void)size;
	return 0;
}

/* ---- base ---- */

static void test_base(void **state)
{
	(void)state;
	char text[16] = "x";
	sheaf_context *other = cx;
	sheaf_tally tally;
	sheaf_context_options options = {.size = sizeof options};
	assert_text("status?", sheaf_status_name((sheaf_status)99));
	assert_text("status?", sheaf_status_name((sheaf_status)-1));
	assert_text("", sheaf_problem_text(NULL, text, sizeof text));
	assert_text("", sheaf_problem_text(NULL, NULL, 0));
	assert_int_equal(SHEAF_DATA, sheaf_fail(NULL, SHEAF_DATA, "x"));
	assert_int_equal(SHEAF_IO, sheaf_fail_sys(NULL, EIO, "x"));

	assert_usage(sheaf_context_new(NULL, NULL, &err),
	             "sheaf_context_new: expected a place for the outcome, found NULL");
	options.threads = -1;
	assert_usage(sheaf_context_new(&options, &other, &err), "expected threads of at least 0, found -1");
	assert_null(other);
	options = (sheaf_context_options){.size = sizeof options, .max_memory = -5};
	assert_usage(sheaf_context_new(&options, &other, &err), "expected max_memory of at least 0, found -5");
	options = (sheaf_context_options){.size = sizeof options, .max_errors = -1};
	assert_usage(sheaf_context_new(&options, &other, &err), "expected max_errors of at least 0, found -1");
	options = (sheaf_context_options){.size = 3};
	assert_usage(sheaf_context_new(&options, &other, &err), "expected size");
	sheaf_context_free(NULL);
	sheaf_context_stop(NULL);
	assert_false(sheaf_context_tally(NULL, 0, &tally));
	assert_false(sheaf_context_tally(cx, 0, NULL));
	assert_false(sheaf_context_tally(cx, -1, &tally));
	assert_int_equal(0, sheaf_context_problems(NULL, SHEAF_NOTE));
	assert_int_equal(0, sheaf_context_problems(cx, (sheaf_severity)77));
	assert_int_equal(0, sheaf_context_problems(cx, (sheaf_severity)-7));
	assert_int_equal(0, sheaf_context_memory(NULL, NULL));
	assert_null(sheaf_buffer_ref(NULL).data);
	sheaf_buffer_reset(NULL);
	sheaf_kernel_use("no such kernel");
	assert_non_null(sheaf_kernel_name());
	sheaf_kernel_use(NULL);
	sheaf_remove_temporaries();
}

static void test_options(void **state)
{
	(void)state;
	const sheaf_option option = {"name", SHEAF_OPTION_COUNT, SHEAF_READING, "N", "help", 0};
	const sheaf_values none = {NULL, 0};
	int64_t number;
	assert_null(sheaf_option_find(NULL, "name"));
	assert_null(sheaf_option_find(&option, NULL));
	assert_usage(sheaf_option_check(NULL, "1", &err), "sheaf_option_check: expected an option, found NULL");
	assert_status(SHEAF_USAGE, sheaf_option_check(&option, NULL, &err));
	assert_null(sheaf_values_text(NULL, "name"));
	assert_null(sheaf_values_text(&none, NULL));
	assert_null(sheaf_values_nth(NULL, "name", 0));
	assert_null(sheaf_values_nth(&none, "name", -1));
	assert_false(sheaf_values_flag(NULL, "name"));
	assert_int_equal(7, sheaf_values_number(NULL, "name", 7));
	assert_int_equal(7, sheaf_values_number(&none, NULL, 7));
	uint64_t seed;
	assert_false(sheaf_seed_from_text(NULL, &seed));
	assert_false(sheaf_seed_from_text("1", NULL));
	assert_false(sheaf_size_from_text(NULL, &number));
	assert_false(sheaf_size_from_text("1", NULL));
}

/* ---- io ---- */

static void test_sources(void **state)
{
	(void)state;
	sheaf_source *s, *mark = (sheaf_source *)&err;
	sheaf_bytes bytes = {(const uint8_t *)"text", 4}, broken = {NULL, 4}, shown;
	sheaf_buffer buffer = {0};
	int64_t done = 5, total = 5;
	s = mark;
	assert_usage(sheaf_source_path(NULL, cx, &s, &err), "sheaf_source_path: expected a path, found NULL");
	assert_null(s);
	assert_usage(sheaf_source_path("x", NULL, &s, &err), "expected a context");
	assert_usage(sheaf_source_path("x", cx, NULL, &err), "expected a place for the outcome");
	assert_usage(sheaf_source_memory(bytes, "x", NULL, &s, &err), "expected a context");
	assert_usage(sheaf_source_memory(bytes, "x", cx, NULL, &err), "expected a place");
	assert_usage(sheaf_source_memory(broken, "x", cx, &s, &err), "expected bytes");
	assert_usage(sheaf_source_function(NULL, NULL, "x", cx, &s, &err), "expected a function");
	assert_usage(sheaf_source_function(read_nothing, NULL, "x", NULL, &s, &err), "expected a context");
	assert_usage(sheaf_source_function(read_nothing, NULL, "x", cx, NULL, &err), "expected a place");
	assert_ok(sheaf_source_function(read_nothing, NULL, NULL, cx, &s, &err));
	sheaf_source_close(s);
	sheaf_source_close(NULL);
	assert_text("", sheaf_source_name(NULL));
	sheaf_source_progress(NULL, &done, &total);
	assert_true(done == 0 && total == -1);
	assert_int_equal(-1, sheaf_source_size(NULL));
	assert_int_equal(-1, sheaf_source_bytes(NULL));
	assert_null(sheaf_source_compression(NULL));
	assert_usage(sheaf_source_ahead(NULL, 1, &shown, &err), "sheaf_source_ahead: expected a source");
	sheaf_source_consume(NULL, 1);
	sheaf_source_take(NULL, 1, &buffer);
	assert_int_equal(-1, sheaf_source_tell(NULL));
	assert_usage(sheaf_source_make_rewindable(NULL, &err), "expected a source");
	assert_usage(sheaf_source_rewind(NULL, &err), "expected a source");
	assert_usage(sheaf_source_reopen(NULL, &err), "expected a source");
	assert_usage(sheaf_source_make_seekable(NULL, &err), "expected a source");
	assert_usage(sheaf_source_seek(NULL, 0, &err), "expected a source");
	assert_usage(sheaf_source_read_at(NULL, 0, &done, 1, &err), "expected a source");
	assert_usage(sheaf_source_view_at(NULL, 0, 1, &buffer, &err), "expected a source");

	assert_ok(sheaf_source_memory(bytes, NULL, cx, &s, &err));
	assert_usage(sheaf_source_ahead(s, 1, NULL, &err), "expected a place for the outcome");
	sheaf_source_take(s, 1, NULL);
	sheaf_source_progress(s, NULL, NULL);
	assert_ok(sheaf_source_make_seekable(s, &err));
	assert_usage(sheaf_source_read_at(s, 0, NULL, 1, &err), "expected room for the bytes");
	assert_usage(sheaf_source_view_at(s, 0, 1, NULL, &err), "expected a place for the outcome");
	assert_status(SHEAF_SHORT, sheaf_source_seek(s, 5, &err));
	assert_int_not_equal(SHEAF_OK, sheaf_source_seek(s, -1, &err));
	assert_int_not_equal(SHEAF_OK, sheaf_source_read_at(s, -1, &done, 1, &err));
	assert_int_not_equal(SHEAF_OK, sheaf_source_read_at(s, INT64_MAX, &done, 8, &err));
	assert_int_not_equal(SHEAF_OK, sheaf_source_view_at(s, -1, 1, &buffer, &err));
	assert_int_not_equal(SHEAF_OK, sheaf_source_view_at(s, 1, SIZE_MAX, &buffer, &err));
	/* more than was shown: all that was */
	assert_ok(sheaf_source_ahead(s, 1, &shown, &err));
	sheaf_source_consume(s, SIZE_MAX);
	assert_int_equal(4, sheaf_source_tell(s));
	sheaf_source_close(s);
}

static void test_sinks(void **state)
{
	(void)state;
	sheaf_sink *s = (sheaf_sink *)&err;
	assert_usage(sheaf_sink_path(NULL, cx, &s, &err), "sheaf_sink_path: expected a path, found NULL");
	assert_null(s);
	assert_usage(sheaf_sink_path("x", NULL, &s, &err), "expected a context");
	assert_usage(sheaf_sink_path("x", cx, NULL, &err), "expected a place");
	assert_usage(sheaf_sink_function(NULL, NULL, "x", cx, &s, &err), "expected a function");
	assert_usage(sheaf_sink_function(write_nothing, NULL, "x", NULL, &s, &err), "expected a context");
	assert_usage(sheaf_sink_function(write_nothing, NULL, "x", cx, NULL, &err), "expected a place");
	assert_text("", sheaf_sink_name(NULL));
	assert_usage(sheaf_sink_write(NULL, "x", 1, &err), "sheaf_sink_write: expected a sink, found NULL");
	assert_usage(sheaf_sink_flush(NULL, &err), "expected a sink");
	assert_int_equal(-1, sheaf_sink_tell(NULL));
	assert_usage(sheaf_sink_commit(NULL, &err), "expected a sink");
	sheaf_sink_abandon(NULL);
	assert_ok(sheaf_sink_function(write_nothing, NULL, NULL, cx, &s, &err));
	assert_usage(sheaf_sink_write(s, NULL, 1, &err), "expected bytes, found NULL");
	assert_ok(sheaf_sink_write(s, NULL, 0, &err));
	if (SIZE_MAX > INT64_MAX) assert_status(SHEAF_IO, sheaf_sink_write(s, "x", SIZE_MAX, &err));
	sheaf_sink_abandon(s);
	assert_int_equal(1, files_in_folder());
}

/* ---- formats and frames ---- */

static void test_formats(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx};
	sheaf_buffer text = {0};
	sheaf_source *source;
	sheaf_sink *sink;
	const sheaf_format *ctf = sheaf_format_find("ctf");
	assert_null(sheaf_format_at(-1));
	assert_null(sheaf_format_at(10000));
	assert_null(sheaf_format_find(NULL));
	assert_null(sheaf_format_nearest(NULL));
	assert_null(sheaf_format_nearest("nothing that is near"));
	assert_null(sheaf_format_of_name(NULL));
	assert_text("", sheaf_format_name(NULL));
	assert_text("", sheaf_format_summary(NULL));
	assert_null(sheaf_format_suffixes(NULL)[0]);
	assert_null(sheaf_format_options(NULL));
	assert_int_equal(0, sheaf_format_can(NULL));
	assert_int_equal(0, sheaf_format_takes(NULL));
	assert_usage(sheaf_declare(NULL, &schema, "x", false, cx, &text, &err),
	             "sheaf_declare: expected a format");
	assert_usage(sheaf_declare(ctf, NULL, "x", false, cx, &text, &err), "expected a schema");
	assert_usage(sheaf_declare(ctf, &schema, NULL, false, cx, &text, &err), "expected the name of a file");
	assert_usage(sheaf_declare(ctf, &schema, "x", false, NULL, &text, &err), "expected a context");
	assert_usage(sheaf_declare(ctf, &schema, "x", false, cx, NULL, &err), "expected a buffer");
	assert_ok(sheaf_source_path(in_folder("a.ctf"), cx, &source, &err));
	assert_usage(sheaf_transcode(ctf, source, NULL, cx, &err), "expected a sink");
	for (int missing = 0; missing < 3; missing++) {
		assert_ok(sheaf_sink_path(in_folder("out.ctf"), cx, &sink, &err));
		assert_usage(sheaf_transcode(missing == 0 ? NULL : ctf, missing == 1 ? NULL : source, sink,
		                             missing == 2 ? NULL : cx, &err),
		             "found NULL");
	}
	sheaf_source_close(source);
}

static void test_frames(void **state)
{
	(void)state;
	table t = stream_table(cx, "A", false, 2, SHEAF_F32, "1 2,3 4;5 6");
	sheaf_frame broken = t.frame;
	assert_int_equal(0, sheaf_type_size((sheaf_type)99));
	assert_text("type?", sheaf_type_name((sheaf_type)99));
	assert_text("structure?", sheaf_structure_name((sheaf_structure)-1));
	assert_false(sheaf_field_is_dense(NULL) || sheaf_field_is_sparse(NULL));
	assert_text("values", sheaf_field_storage(NULL));
	assert_int_equal(0, sheaf_field_dim(NULL));
	assert_int_equal(-1, sheaf_schema_find(NULL, "A"));
	assert_int_equal(-1, sheaf_schema_find(&t.schema, NULL));
	assert_int_equal(-1, sheaf_schema_key(NULL));
	assert_int_equal(-1, sheaf_schema_value(NULL));
	assert_null(sheaf_schema_attribute(NULL, "x"));
	assert_null(sheaf_schema_attribute(&t.schema, NULL));
	sheaf_frame_free(NULL);
	assert_usage(sheaf_frame_check(NULL, &t.schema, SHEAF_CHECK_FULL, &err), "expected a frame");
	assert_usage(sheaf_frame_check(&t.frame, NULL, SHEAF_CHECK_FULL, &err), "expected a schema");
	assert_usage(sheaf_frame_check(&t.frame, &t.schema, (sheaf_depth)9, &err),
	             "expected a depth from 0 to 3, found 9");
	assert_usage(sheaf_frame_check(&t.frame, &t.schema, (sheaf_depth)-1, &err), "found -1");
	broken.columns = NULL;
	assert_usage(sheaf_frame_check(&broken, &t.schema, SHEAF_CHECK_SIZES, &err), "expected columns");
	free_table(&t);
}

/* Frames of another schema, and with more or fewer rows than they have. */
static void try_frames(sheaf_status (*take)(void *user, const sheaf_frame *frame), void *user,
                       const char *name)
{
	table t = stream_table(cx, "A", false, 2, SHEAF_F32, "1 2,3 4;5 6");
	table other[] = {stream_table(cx, "A", true, 2, SHEAF_F32, "1:2;1:3"),
	                 stream_table(cx, "A", false, 3, SHEAF_F32, "1 2 3;4 5 6"),
	                 stream_table(cx, "A", false, 2, SHEAF_F64, "1 2;3 4")};
	sheaf_frame frame = t.frame;
	char part[120];
	snprintf(part, sizeof part, "%s: expected a frame, found NULL", name);
	assert_usage(take(user, NULL), part);
	snprintf(part, sizeof part, "%s: expected a sound frame of the same schema; ", name);
	for (size_t i = 0; i < COUNT(other); i++) assert_usage(take(user, &other[i].frame), part);
	static const int64_t counts[] = {-1, 3, 1 << 30, INT64_MAX};
	for (size_t i = 0; i < COUNT(counts); i++) {
		frame.nrows = counts[i];
		assert_usage(take(user, &frame), part);
	}
	frame = t.frame;
	frame.ncolumns = 0;
	assert_usage(take(user, &frame), part);
	for (size_t i = 0; i < COUNT(other); i++) free_table(&other[i]);
	free_table(&t);
}

static sheaf_status add_to_stats(void *user, const sheaf_frame *frame)
{
	return sheaf_summary_add((sheaf_summary *)user, frame, 0, &err);
}
static sheaf_status add_to_hash(void *user, const sheaf_frame *frame)
{
	return sheaf_hash_add((sheaf_hash *)user, frame, &err);
}
static sheaf_status print(void *user, const sheaf_frame *frame)
{
	sheaf_buffer text = {0};
	return sheaf_rows_text(frame, (const sheaf_schema *)user, SHEAF_TEXT, 0, 0, 1, &text, &err);
}

static void test_reports(void **state)
{
	(void)state;
	table t = stream_table(cx, "A", false, 2, SHEAF_F32, "1 2,3 4;5 6");
	sheaf_summary *stats;
	sheaf_hash *hash;
	sheaf_buffer text = {0};
	char digits[33];
	assert_usage(sheaf_rows_text(&t.frame, NULL, SHEAF_TEXT, 0, 0, 1, &text, &err), "expected a schema");
	assert_usage(sheaf_rows_text(&t.frame, &t.schema, SHEAF_TEXT, 0, 0, 1, NULL, &err), "expected a place");
	assert_usage(sheaf_rows_text(&t.frame, &t.schema, (sheaf_style)9, 0, 0, 1, &text, &err),
	             "expected a style, found 9");
	assert_usage(sheaf_rows_text(&t.frame, &t.schema, SHEAF_TEXT, -1, 0, 1, &text, &err),
	             "expected a row of at least 0");
	assert_usage(sheaf_rows_text(&t.frame, &t.schema, SHEAF_TEXT, 0, -1, 1, &text, &err),
	             "expected a first row within the frame, found -1");
	assert_usage(sheaf_rows_text(&t.frame, &t.schema, SHEAF_TEXT, 0, 0, 3, &text, &err),
	             "expected a last row within the frame, found 3");
	assert_usage(sheaf_rows_text(&t.frame, &t.schema, SHEAF_TEXT, 0, 2, 1, &text, &err),
	             "expected a last row");
	assert_usage(sheaf_rows_heading(NULL, SHEAF_JSON, "/", cx, &text, &err), "expected a schema");
	assert_usage(sheaf_rows_heading(&t.schema, SHEAF_JSON, NULL, cx, &text, &err),
	             "expected the name of the tensor");
	assert_usage(sheaf_rows_heading(&t.schema, SHEAF_JSON, "/", NULL, &text, &err), "expected a context");
	assert_usage(sheaf_rows_heading(&t.schema, SHEAF_JSON, "/", cx, NULL, &err), "expected a place");
	assert_text("", sheaf_rows_ending(NULL, SHEAF_JSON));

	assert_usage(sheaf_summary_new(NULL, cx, &stats, &err), "expected a schema");
	assert_usage(sheaf_summary_new(&t.schema, NULL, &stats, &err), "expected a context");
	assert_usage(sheaf_summary_new(&t.schema, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_summary_add(NULL, &t.frame, 0, &err), "expected a summary");
	assert_usage(sheaf_summary_text(NULL, NULL, &text, &err), "expected a summary");
	sheaf_summary_free(NULL);
	assert_usage(sheaf_summary_load(NULL, 0, cx, &stats, &err), "expected bytes");
	assert_usage(sheaf_summary_load("", 0, NULL, &stats, &err), "expected a context");
	assert_usage(sheaf_summary_load("", 0, cx, NULL, &err), "expected a place");
	assert_ok(sheaf_summary_new(&t.schema, cx, &stats, &err));
	assert_usage(sheaf_summary_text(stats, NULL, NULL, &err), "expected a place");
	sheaf_summary_options bad = {.size = sizeof bad, .style = (sheaf_style)7};
	assert_usage(sheaf_summary_text(stats, &bad, &text, &err), "expected a style");
	bad.size = 3;
	assert_usage(sheaf_summary_text(stats, &bad, &text, &err), "expected options of");
	assert_usage(sheaf_summary_save(NULL, &text, &err), "expected a summary");
	assert_usage(sheaf_summary_save(stats, NULL, &err), "expected a place");
	assert_usage(sheaf_summary_profile(NULL, NULL, &err), "expected a summary");
	assert_usage(sheaf_summary_finish(NULL, &err), "expected a summary");
	try_frames(add_to_stats, stats, "sheaf_summary_add");
	sheaf_summary_free(stats);

	assert_usage(sheaf_hash_new(NULL, true, true, cx, &hash, &err), "expected a schema");
	assert_usage(sheaf_hash_new(&t.schema, true, true, NULL, &hash, &err), "expected a context");
	assert_usage(sheaf_hash_new(&t.schema, true, true, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_hash_add(NULL, &t.frame, &err), "expected a hash");
	sheaf_hash_text(NULL, digits);
	assert_text("", digits);
	sheaf_hash_text(NULL, NULL);
	sheaf_hash_free(NULL);
	assert_ok(sheaf_hash_new(&t.schema, true, true, cx, &hash, &err));
	try_frames(add_to_hash, hash, "sheaf_hash_add");
	sheaf_hash_free(hash);
	try_frames(print, &t.schema, "sheaf_rows_text");
	free_table(&t);
}

/* ---- datasets ---- */

static void test_opening(void **state)
{
	static const sheaf_setting unnamed = {NULL, "1"};
	static const struct {
		sheaf_open_options options;
		const char *message;
	} bad[] = {
		{{.nsettings = -1}, "expected a number of settings of at least 0, found -1"},
		{{.nsettings = 1}, "expected settings, found NULL"},
		{{.settings = &unnamed, .nsettings = 1}, "expected settings with names, found NULL"},
		{{.piece_bytes = -1}, "expected piece_bytes of at least 0, found -1"},
		{{.view = (sheaf_view)9}, "expected a view, found 9"},
		{{.index = (sheaf_index_policy)-1}, "expected a policy for indices, found -1"},
		{{.entries = (sheaf_entries_as)9}, "expected a word for entries, found 9"},
	};
	(void)state;
	sheaf_dataset *d = (sheaf_dataset *)&err;
	sheaf_source *source;
	sheaf_buffer text = {0};
	const char *path = in_folder("a.ctf");
	assert_usage(sheaf_open(NULL, NULL, cx, &d, &err), "sheaf_open: expected a path, found NULL");
	assert_null(d);
	assert_usage(sheaf_open(path, NULL, NULL, &d, &err), "sheaf_open: expected a context, found NULL");
	assert_usage(sheaf_open(path, NULL, cx, NULL, &err),
	             "sheaf_open: expected a place for the outcome, found NULL");
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_open_options options = bad[i].options;
		options.size = sizeof options;
		assert_usage(sheaf_open(path, &options, cx, &d, &err), bad[i].message);
		assert_usage(sheaf_members(path, &options, cx, read_nothing_status, NULL, &err), bad[i].message);
		assert_ok(sheaf_source_path(path, cx, &source, &err));
		assert_usage(sheaf_open_source(source, &options, cx, &d, &err), bad[i].message);
	}
	assert_usage(sheaf_open_source(NULL, NULL, cx, &d, &err), "expected a source");
	assert_ok(sheaf_source_path(path, cx, &source, &err));
	assert_usage(sheaf_open_source(source, NULL, NULL, &d, &err), "expected a context");
	assert_usage(sheaf_members(NULL, NULL, cx, read_nothing_status, NULL, &err), "expected a path");
	assert_usage(sheaf_members(path, NULL, NULL, read_nothing_status, NULL, &err), "expected a context");
	assert_usage(sheaf_members(path, NULL, cx, NULL, NULL, &err), "expected a function");
	assert_usage(sheaf_besides(NULL, NULL, false, cx, &text, &err), "expected a path");
	assert_usage(sheaf_besides(path, NULL, false, NULL, &text, &err), "expected a context");
	assert_usage(sheaf_besides(path, NULL, false, cx, NULL, &err), "expected a place");
	sheaf_close(NULL);
}

static void test_reading(void **state)
{
	(void)state;
	sheaf_facts facts;
	const sheaf_frame *frame = (const sheaf_frame *)&err;
	sheaf_frame own;
	sheaf_buffer text = {0};
	sheaf_index_info info;
	assert_null(sheaf_dataset_schema(NULL));
	assert_null(sheaf_dataset_format(NULL));
	assert_null(sheaf_dataset_source(NULL));
	sheaf_dataset_facts(NULL, &facts);
	assert_int_equal(-1, facts.rows);
	sheaf_dataset_facts(NULL, NULL);
	assert_usage(sheaf_dataset_describe(NULL, false, &text, &err), "expected a dataset");
	assert_usage(sheaf_next(NULL, &frame, &err), "sheaf_next: expected a dataset, found NULL");
	assert_null(frame);
	assert_usage(sheaf_skip(NULL, 1, &err), "expected a dataset");
	assert_int_equal(-1, sheaf_dataset_row(NULL));
	assert_true(sheaf_row_key(NULL, NULL, 0) == UINT64_MAX);
	assert_usage(sheaf_read_all(NULL, &own, &err), "expected a dataset");
	sheaf_dataset_index(NULL, &info);
	assert_false(info.found);
	sheaf_dataset_index(NULL, NULL);
	assert_usage(sheaf_dataset_write_index(NULL, &err), "expected a dataset");
	assert_usage(sheaf_dataset_check_index(NULL, &err), "expected a dataset");

	sheaf_dataset *d = open_some();
	assert_usage(sheaf_next(d, NULL, &err), "expected a place for the outcome");
	assert_usage(sheaf_read_all(d, NULL, &err), "expected a place for the outcome");
	assert_usage(sheaf_dataset_describe(d, false, NULL, &err), "expected a place");
	assert_usage(sheaf_skip(d, -1, &err), "sheaf_skip: expected a number of rows of at least 0, found -1");
	assert_ok(sheaf_next(d, &frame, &err));
	assert_int_equal(1, sheaf_row_key(d, frame, 1));
	assert_true(sheaf_row_key(d, frame, 2) == UINT64_MAX);
	assert_true(sheaf_row_key(d, frame, -1) == UINT64_MAX);
	assert_usage(sheaf_skip(d, 1, &err), "");
	/* the end stays the end */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(SHEAF_END, sheaf_next(d, &frame, &err));
		assert_null(frame);
	}
	sheaf_close(d);
}

static void test_pieces(void **state)
{
	(void)state;
	const sheaf_pieces *pieces;
	sheaf_piece_entry entry = {.rows = 9};
	sheaf_frame frame = {0};
	uint32_t length;
	assert_usage(sheaf_dataset_pieces(NULL, &pieces, &err), "expected a dataset");
	assert_int_equal(0, sheaf_pieces_count(NULL) + sheaf_pieces_rows(NULL) + sheaf_pieces_samples(NULL));
	sheaf_pieces_at(NULL, 0, &entry);
	assert_int_equal(0, entry.rows);
	assert_int_equal(-1, sheaf_pieces_find(NULL, 0));
	assert_usage(sheaf_pieces_lengths(NULL, 0, 1, &length, &err), "expected a table of pieces");
	assert_usage(sheaf_dataset_read_piece(NULL, 0, &frame, cx, &err), "expected a dataset");
	sheaf_dataset *d = open_some();
	assert_usage(sheaf_dataset_pieces(d, NULL, &err), "expected a place");
	assert_usage(sheaf_dataset_read_piece(d, 0, &frame, cx, &err), "");
	assert_ok(sheaf_dataset_pieces(d, &pieces, &err));
	sheaf_pieces_at(pieces, 0, NULL);
	sheaf_pieces_at(pieces, -1, &entry);
	sheaf_pieces_at(pieces, 1, &entry);
	assert_int_equal(0, entry.rows);
	assert_int_equal(-1, sheaf_pieces_find(pieces, -1));
	assert_int_equal(-1, sheaf_pieces_find(pieces, 2));
	assert_int_equal(0, sheaf_pieces_find(pieces, 1));
	assert_usage(sheaf_pieces_lengths(pieces, 0, 1, NULL, &err), "expected room for lengths");
	assert_usage(sheaf_pieces_lengths(pieces, 0, 3, &length, &err), "");
	assert_usage(sheaf_pieces_lengths(pieces, -1, 1, &length, &err), "");
	assert_usage(sheaf_pieces_lengths(pieces, 0, -1, &length, &err), "");
	assert_usage(sheaf_dataset_read_piece(d, -1, &frame, cx, &err), "found -1");
	assert_usage(sheaf_dataset_read_piece(d, 1, &frame, cx, &err), "found 1");
	assert_usage(sheaf_dataset_read_piece(d, 0, NULL, cx, &err), "expected a frame");
	assert_usage(sheaf_dataset_read_piece(d, 0, &frame, NULL, &err), "expected a context");
	sheaf_close(d);
}

static sheaf_status write_to(void *user, const sheaf_frame *frame)
{
	/* after a failure a writer fails in the same way: each try has its own */
	sheaf_writer *w;
	SHEAF_TRY(sheaf_create(in_folder("out.ctf"), (const sheaf_schema *)user, NULL, cx, &w, &err));
	sheaf_status status = sheaf_write(w, frame, &err);
	sheaf_abandon(w);
	return status;
}

static void test_writing(void **state)
{
	(void)state;
	table t = stream_table(cx, "A", false, 2, SHEAF_F32, "1 2,3 4;5 6");
	sheaf_writer *w = (sheaf_writer *)&err;
	sheaf_sink *sink;
	sheaf_create_options options = {.size = sizeof options, .format = "ctf"};
	sheaf_structure structure = (sheaf_structure)99;
	assert_usage(sheaf_create(NULL, &t.schema, NULL, cx, &w, &err),
	             "sheaf_create: expected a path, found NULL");
	assert_null(w);
	assert_usage(sheaf_create("x.ctf", NULL, NULL, cx, &w, &err), "expected a schema");
	assert_usage(sheaf_create("x.ctf", &t.schema, NULL, NULL, &w, &err), "expected a context");
	assert_usage(sheaf_create("x.ctf", &t.schema, NULL, cx, NULL, &err), "expected a place");
	options.nsettings = -1;
	assert_usage(sheaf_create(in_folder("x.ctf"), &t.schema, &options, cx, &w, &err), "found -1");
	options.nsettings = 0;
	options.duplicates = (sheaf_duplicates)9;
	assert_usage(sheaf_create(in_folder("x.ctf"), &t.schema, &options, cx, &w, &err),
	             "a word for duplicates, found 9");
	options.duplicates = SHEAF_DUPLICATES_ERROR;
	options.structure = &structure;
	assert_usage(sheaf_create(in_folder("x.ctf"), &t.schema, &options, cx, &w, &err),
	             "expected a structure, found 99");
	options.structure = NULL;
	assert_usage(sheaf_create_sink(NULL, &t.schema, &options, cx, &w, &err), "expected a sink");
	for (int missing = 0; missing < 4; missing++) {
		assert_ok(sheaf_sink_path(in_folder("x.ctf"), cx, &sink, &err));
		if (missing == 3) {
			assert_usage(sheaf_create_sink(sink, &t.schema, &options, cx, NULL, &err), "expected a place");
			sheaf_sink_abandon(sink);
		} else {
			assert_usage(sheaf_create_sink(sink, missing == 0 ? NULL : &t.schema,
			                               missing == 1 ? NULL : &options, missing == 2 ? NULL : cx, &w,
			                               &err),
			             "found NULL");
		}
	}
	assert_usage(sheaf_write(NULL, &t.frame, &err), "sheaf_write: expected a writer, found NULL");
	assert_usage(sheaf_finish(NULL, &err), "sheaf_finish: expected a writer, found NULL");
	sheaf_abandon(NULL);
	try_frames(write_to, &t.schema, "sheaf_write");
	assert_int_equal(1, files_in_folder());
	free_table(&t);
}

static void test_conversions(void **state)
{
	(void)state;
	const char *path = in_folder("a.ctf"), *out = in_folder("out.cbf"), *none = NULL;
	sheaf_convert_options options = {.size = sizeof options};
	bool equal = true;
	int64_t rows;
	assert_usage(sheaf_convert(NULL, 1, out, NULL, cx, &err),
	             "sheaf_convert: expected paths of inputs, found NULL");
	assert_usage(sheaf_convert(&none, 1, out, NULL, cx, &err), "expected paths of inputs");
	assert_usage(sheaf_convert(&path, 0, out, NULL, cx, &err), "expected at least one input");
	assert_usage(sheaf_convert(&path, -1, out, NULL, cx, &err), "expected at least one input");
	assert_usage(sheaf_convert(&path, 1, NULL, NULL, cx, &err), "expected a path for the output");
	assert_usage(sheaf_convert(&path, 1, out, NULL, NULL, &err), "expected a context");
	options.nsettings = 2;
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "expected settings");
	options = (sheaf_convert_options){.size = sizeof options, .piece_bytes = -9};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err),
	             "expected piece_bytes of at least 0, found -9");
	options = (sheaf_convert_options){.size = sizeof options, .index = (sheaf_index_policy)9};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "expected a policy for indices");
	options = (sheaf_convert_options){.size = sizeof options, .duplicates = (sheaf_duplicates)9};
	assert_usage(sheaf_convert(&path, 1, out, &options, cx, &err), "expected a word for duplicates");

	sheaf_dataset *d = open_some();
	assert_usage(sheaf_diff(NULL, d, NULL, &equal, &err), "expected two datasets");
	assert_false(equal);
	assert_usage(sheaf_diff(d, NULL, NULL, &equal, &err), "expected two datasets");
	assert_usage(sheaf_diff(d, d, NULL, NULL, &err), "expected a place");
	sheaf_close(d);

	assert_usage(sheaf_split(NULL, &out, 1, NULL, cx, NULL, &err), "expected a path");
	assert_usage(sheaf_split(path, NULL, 1, NULL, cx, NULL, &err), "expected paths of outputs");
	assert_usage(sheaf_split(path, &none, 1, NULL, cx, NULL, &err), "expected paths of outputs");
	assert_usage(sheaf_split(path, &out, 0, NULL, cx, NULL, &err), "expected at least 1 output");
	assert_usage(sheaf_split(path, &out, -1, NULL, cx, NULL, &err), "expected at least 1 output");
	assert_usage(sheaf_split(path, &out, 1, NULL, NULL, NULL, &err), "expected a context");
	assert_usage(sheaf_merge(NULL, 1, out, NULL, cx, &rows, &err), "expected paths of inputs");
	assert_usage(sheaf_merge(&none, 1, out, NULL, cx, &rows, &err), "expected paths of inputs");
	assert_usage(sheaf_merge(&path, 0, out, NULL, cx, &rows, &err), "expected at least 1 input");
	assert_usage(sheaf_merge(&path, 1, NULL, NULL, cx, &rows, &err), "expected a path for the output");
	assert_usage(sheaf_merge(&path, 1, out, NULL, NULL, &rows, &err), "expected a context");
	assert_int_equal(1, files_in_folder());
}

/* ---- tensors ---- */

static sheaf_dataset *open_matrix(void)
{
	sheaf_dataset *d;
	write_text("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 4\n");
	assert_ok(sheaf_open(in_folder("m.mtx"), NULL, cx, &d, &err));
	return d;
}

static void test_arranging(void **state)
{
	(void)state;
	sheaf_dataset *d = open_matrix();
	const sheaf_schema *schema = sheaf_dataset_schema(d);
	sheaf_tensor to = schema->tensor, bad = to;
	sheaf_arrange_options options = {.size = sizeof options, .duplicates = (sheaf_duplicates)9};
	sheaf_arranger *a = (sheaf_arranger *)&err;
	const sheaf_frame *frame;
	sheaf_frame own, other = {.nrows = 1};
	int64_t count;
	assert_usage(sheaf_arranger_new(NULL, &to, NULL, cx, &a, &err), "sheaf_arranger_new: expected a schema");
	assert_null(a);
	assert_usage(sheaf_arranger_new(schema, NULL, NULL, cx, &a, &err), "expected a tensor");
	assert_usage(sheaf_arranger_new(schema, &to, NULL, NULL, &a, &err), "expected a context");
	assert_usage(sheaf_arranger_new(schema, &to, NULL, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_arranger_new(schema, &to, &options, cx, &a, &err), "a word for duplicates, found 9");
	bad.rank = -1;
	assert_usage(sheaf_arranger_new(schema, &bad, NULL, cx, &a, &err),
	             "expected a rank from 0 to 8, found -1");
	bad.rank = 9;
	assert_usage(sheaf_arranger_new(schema, &bad, NULL, cx, &a, &err), "found 9");
	bad = to;
	bad.order[1] = bad.order[0];
	assert_usage(sheaf_arranger_new(schema, &bad, NULL, cx, &a, &err),
	             "an order that has each dimension once");
	bad.order[1] = 2;
	assert_usage(sheaf_arranger_new(schema, &bad, NULL, cx, &a, &err), "found 2");
	bad = to;
	bad.structure = (sheaf_structure)77;
	assert_usage(sheaf_arranger_new(schema, &bad, NULL, cx, &a, &err), "expected a structure, found 77");
	assert_usage(sheaf_arranger_add(NULL, &other, &err), "expected an arranger");
	assert_usage(sheaf_arranger_finish(NULL, &err), "expected an arranger");
	assert_usage(sheaf_arranger_next(NULL, &frame, &err), "expected an arranger");
	assert_usage(sheaf_arranger_count(NULL, &count, &err), "expected an arranger");
	sheaf_arranger_free(NULL);
	assert_ok(sheaf_arranger_new(schema, &to, NULL, cx, &a, &err));
	assert_usage(sheaf_arranger_add(a, NULL, &err), "expected a frame");
	assert_usage(sheaf_arranger_add(a, &other, &err), "expected a sound frame of the same schema");
	assert_usage(sheaf_arranger_next(a, NULL, &err), "expected a place");
	assert_usage(sheaf_arranger_count(a, NULL, &err), "expected a place");
	assert_usage(sheaf_arranger_count(a, &count, &err), "expected entries without missing values");
	sheaf_arranger_free(a);
	assert_usage(sheaf_frame_arrange(NULL, schema, &to, NULL, cx, &own, &err), "expected a frame");
	assert_usage(sheaf_frame_arrange(&other, schema, &to, NULL, cx, &own, &err),
	             "expected a sound frame of the same schema");
	assert_usage(sheaf_frame_arrange(&other, NULL, &to, NULL, cx, &own, &err), "expected a schema");
	assert_usage(sheaf_frame_arrange(&other, schema, &to, NULL, NULL, &own, &err), "expected a context");
	assert_usage(sheaf_frame_arrange(&other, schema, &to, NULL, cx, NULL, &err), "expected a place");
	sheaf_close(d);
}

static int released;

static void release_stream(struct ArrowArrayStream *stream)
{
	stream->release = NULL;
	released++;
}

static void release_schema(struct ArrowSchema *schema)
{
	schema->release = NULL;
	released++;
}

static void release_array(struct ArrowArray *array)
{
	array->release = NULL;
	released++;
}

/* A reader that cannot be made takes over what it was given, too. */
static void test_exchange(void **state)
{
	(void)state;
	sheaf_arrow_reader *reader;
	struct ArrowArrayStream stream = {.release = release_stream};
	struct ArrowSchema schema = {.release = release_schema};
	struct ArrowArray array = {.release = release_array};
	assert_usage(sheaf_arrow_reader_new(NULL, cx, &reader, &err), "a stream");
	assert_usage(sheaf_arrow_reader_new(&stream, NULL, &reader, &err), "a context");
	assert_null(reader);
	assert_int_equal(released, 1);
	assert_usage(sheaf_arrow_reader_of(&schema, &array, NULL, &reader, &err), "a context");
	assert_null(reader);
	assert_int_equal(released, 3);
	assert_usage(sheaf_arrow_reader_of(&schema, &array, cx, &reader, &err), "a schema and an array");
}

static void test_arrays(void **state)
{
	(void)state;
	int32_t rows[2] = {0, 1}, columns[2] = {0, 1}, indices[2];
	int64_t pointers[3] = {0, 1, 2}, room[3];
	double values[2] = {1, 2}, out[2];
	const sheaf_entry_arrays from = {2, rows, columns, values, 8};
	const sheaf_compressed_arrays to = {room, indices, out, 8}, matrix = {pointers, indices, values, 8};
	sheaf_entry_arrays entries;
	sheaf_compressed_arrays other;
	struct {
		sheaf_entry_arrays from;
		int64_t nrows;
		sheaf_compressed_arrays to;
	} bad[] = {
		{from, -1, to},
		{{-1, rows, columns, values, 8}, 2, to},
		{{2, NULL, columns, values, 8}, 2, to},
		{{2, rows, NULL, values, 8}, 2, to},
		{{2, rows, columns, NULL, 8}, 2, to},
		{{2, rows, columns, values, 3}, 2, to},
		{{2, rows, columns, values, 8}, 2, {room, indices, out, 4}},
		{{2, rows, columns, values, 8}, 2, {NULL, indices, out, 8}},
		{{2, rows, columns, values, 8}, 2, {room, NULL, out, 8}},
		{{2, rows, columns, values, 8}, 2, {room, indices, NULL, 8}},
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		entries = bad[i].from;
		other = bad[i].to;
		assert_usage(sheaf_compress_entries(&entries, bad[i].nrows, cx, &other, &err),
		             "sheaf_compress_entries: expected");
		assert_usage(
			sheaf_compress_sorted(&entries, bad[i].nrows, SHEAF_F64, SHEAF_DUPLICATES_SUM, cx, &other, &err),
			"sheaf_compress_sorted: expected");
	}
	assert_usage(sheaf_compress_entries(NULL, 2, cx, &to, &err), "expected entries");
	assert_usage(sheaf_compress_entries(&from, 2, NULL, &to, &err), "expected a context");
	assert_usage(sheaf_compress_entries(&from, 2, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_compress_sorted(NULL, 2, SHEAF_F64, SHEAF_DUPLICATES_SUM, cx, &to, &err),
	             "expected entries");
	assert_usage(sheaf_compress_sorted(&from, 2, (sheaf_type)99, SHEAF_DUPLICATES_SUM, cx, &to, &err),
	             "expected an element type, found 99");
	assert_usage(sheaf_compress_sorted(&from, 2, SHEAF_F64, (sheaf_duplicates)9, cx, &to, &err),
	             "a word for duplicates");
	assert_usage(sheaf_transpose_compressed(NULL, 2, 2, cx, &to, &err), "expected a matrix");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, NULL, &to, &err), "expected a context");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_transpose_compressed(&matrix, -1, 2, cx, &to, &err), "a number of rows of at least 0");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, -1, cx, &to, &err),
	             "a number of columns of at least 0");
	other = (sheaf_compressed_arrays){NULL, indices, values, 8};
	assert_usage(sheaf_transpose_compressed(&other, 2, 2, cx, &to, &err), "expected pointers of the matrix");
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, &other, &err), "expected room for pointers");
	other = (sheaf_compressed_arrays){room, NULL, out, 8};
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, &other, &err),
	             "expected room for indices and values");
	other = (sheaf_compressed_arrays){pointers, NULL, values, 8};
	assert_usage(sheaf_transpose_compressed(&other, 2, 2, cx, &to, &err), "expected indices and values");
	other = (sheaf_compressed_arrays){room, indices, out, 4};
	assert_usage(sheaf_transpose_compressed(&matrix, 2, 2, cx, &other, &err), "expected values of");
}

static sheaf_status add_to_profile(void *user, const sheaf_frame *frame)
{
	return sheaf_profile_add((sheaf_profile *)user, frame, &err);
}

static void test_profiles(void **state)
{
	(void)state;
	sheaf_dataset *d = open_matrix();
	const sheaf_schema *schema = sheaf_dataset_schema(d);
	sheaf_profile *p;
	sheaf_buffer text = {0};
	assert_usage(sheaf_profile_new(NULL, "x", cx, &p, &err), "sheaf_profile_new: expected a schema");
	assert_usage(sheaf_profile_new(schema, "x", NULL, &p, &err), "expected a context");
	assert_usage(sheaf_profile_new(schema, "x", cx, NULL, &err), "expected a place");
	assert_usage(sheaf_profile_add(NULL, NULL, &err), "expected a profile");
	assert_usage(sheaf_profile_finish(NULL, &err), "expected a profile");
	assert_false(sheaf_profile_has(NULL, SHEAF_GENERAL));
	assert_usage(sheaf_profile_text(NULL, false, &text, &err), "expected a profile");
	sheaf_profile_free(NULL);
	assert_ok(sheaf_profile_new(schema, NULL, cx, &p, &err));
	try_frames(add_to_profile, p, "sheaf_profile_add");
	assert_false(sheaf_profile_has(p, (sheaf_structure)99));
	assert_usage(sheaf_profile_text(p, false, NULL, &err), "expected a place");
	sheaf_profile_free(p);
	sheaf_close(d);
}

/* ---- batches and configurations ---- */

static void test_batches(void **state)
{
	static const struct {
		sheaf_batch_options options;
		const char *message;
	} bad[] = {
		{{.batch_size = -1}, "size of a batch"},
		{{.batch_size = 1, .window = -1}, "window"},
		{{.batch_size = 1, .world = -1}, "shard: expected a rank"},
		{{.batch_size = 1, .rank = -1}, "found -1"},
		{{.batch_size = 1, .rank = 2, .world = 2}, "found 2"},
		{{.batch_size = 1, .sweeps = -1}, "found less"},
		{{.batch_size = 1, .epoch_size = -1}, "found less"},
		{{.batch_size = 1, .first_epoch = -1}, "found less"},
		{{.batch_size = 1, .epochs = -1}, "found less"},
		{{.batch_size = 1, .chunk_bytes = -1}, "found less"},
		{{.batch_size = 1, .pad_multiple = -1}, "found -1"},
		{{.batch_size = 1, .unit = (sheaf_size_unit)9}, "found 9"},
		{{.batch_size = 1, .rest = (sheaf_rest)9}, "found 9"},
		{{.batch_size = 1, .packing = (sheaf_packing)9}, "found 9"},
		{{.batch_size = 1, .order = "no such order"}, "no such order"},
	};
	(void)state;
	sheaf_batches *b = (sheaf_batches *)&err;
	const sheaf_batch *batch;
	char text[SHEAF_STATE_SIZE] = "x";
	int64_t rows = 5;
	sheaf_batch_options good = {.size = sizeof good, .batch_size = 1};
	sheaf_shard shard;
	assert_usage(sheaf_shard_from_text(NULL, &shard, &err), "expected a text");
	assert_usage(sheaf_shard_from_text("0/1", NULL, &err), "expected room for the shard");
	sheaf_dataset *d, *none = NULL;
	sheaf_open_options how = {.size = sizeof how, .random = true};
	assert_ok(sheaf_open(in_folder("a.ctf"), &how, cx, &d, &err));
	assert_usage(sheaf_batches_open(NULL, 1, &good, cx, &b, &err), "sheaf_batches_open: expected datasets");
	assert_null(b);
	assert_usage(sheaf_batches_open(&none, 1, &good, cx, &b, &err), "expected datasets");
	assert_usage(sheaf_batches_open(&d, 0, &good, cx, &b, &err),
	             "a number of datasets of at least 1, found 0");
	assert_usage(sheaf_batches_open(&d, -1, &good, cx, &b, &err), "found -1");
	assert_usage(sheaf_batches_open(&d, 1, NULL, cx, &b, &err), "expected options");
	assert_usage(sheaf_batches_open(&d, 1, &good, NULL, &b, &err), "expected a context");
	assert_usage(sheaf_batches_open(&d, 1, &good, cx, NULL, &err), "expected a place");
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_batch_options options = bad[i].options;
		options.size = sizeof options;
		assert_usage(sheaf_batches_open(&d, 1, &options, cx, &b, &err), bad[i].message);
	}
	sheaf_batches_close(NULL);
	assert_null(sheaf_batches_schema(NULL));
	sheaf_batches_facts(NULL, &rows, NULL, NULL);
	assert_int_equal(-1, rows);
	assert_usage(sheaf_batches_next(NULL, &batch, &err), "expected batches");
	assert_usage(sheaf_batches_seek(NULL, 0, &err), "expected batches");
	assert_usage(sheaf_batches_resume(NULL, "{}", &err), "expected batches");
	sheaf_batches_state(NULL, text);
	assert_text("", text);
	sheaf_batches_state(NULL, NULL);
	assert_ok(sheaf_batches_open(&d, 1, &good, cx, &b, &err));
	sheaf_batches_facts(b, NULL, NULL, NULL);
	assert_usage(sheaf_batches_next(b, NULL, &err), "expected a place");
	assert_usage(sheaf_batches_seek(b, -1, &err), "expected a position of at least 0, found -1");
	assert_usage(sheaf_batches_resume(b, NULL, &err), "expected a state");
	assert_usage(sheaf_batches_resume(b, "{}", &err), "");
	for (int i = 0; i < 2; i++) assert_ok(sheaf_batches_next(b, &batch, &err));
	for (int i = 0; i < 3; i++) assert_int_equal(SHEAF_END, sheaf_batches_next(b, &batch, &err));
	sheaf_batches_close(b);
	sheaf_close(d);
}

static void test_configurations(void **state)
{
	(void)state;
	sheaf_config *config = (sheaf_config *)&err;
	assert_usage(sheaf_config_read(NULL, (sheaf_variables){0}, cx, &config, &err),
	             "sheaf_config_read: expected the name of a file");
	assert_null(config);
	assert_usage(sheaf_config_read("x", (sheaf_variables){0}, NULL, &config, &err), "expected a context");
	assert_usage(sheaf_config_read("x", (sheaf_variables){0}, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_config_read("x", (sheaf_variables){NULL, 1}, cx, &config, &err), "expected variables");
	sheaf_config_free(NULL);
}

/* Once closed, a handle can be closed again, which does nothing, and calls with it say that it is closed. */
static void test_what_was_closed(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	const sheaf_batch *batch;
	sheaf_frame rows;
	sheaf_writer *w, *v;
	sheaf_batches *b;
	sheaf_context *other = usual_context();
	sheaf_dataset *d = open_some();
	assert_ok(sheaf_read_all(d, &rows, &err));
	assert_ok(sheaf_create(in_folder("x.cbf"), sheaf_dataset_schema(d), NULL, cx, &w, &err));
	assert_ok(sheaf_create(in_folder("y.cbf"), sheaf_dataset_schema(d), NULL, cx, &v, &err));
	sheaf_close(d);
	sheaf_close(d);
	assert_usage(sheaf_next(d, &frame, &err),
	             "sheaf_next: expected an open dataset, found one that was closed");
	sheaf_frame none;
	assert_usage(sheaf_read_all(d, &none, &err), "sheaf_read_all: expected an open dataset");
	assert_usage(sheaf_skip(d, 1, &err), "sheaf_skip: expected an open dataset");
	assert_usage(sheaf_dataset_read_piece(d, 0, &none, cx, &err),
	             "sheaf_dataset_read_piece: expected an open dataset");
	assert_ok(sheaf_write(w, &rows, &err));
	assert_ok(sheaf_finish(w, &err));
	assert_usage(sheaf_finish(w, &err), "sheaf_finish: expected an open writer, found one that was closed");
	assert_usage(sheaf_write(w, &rows, &err), "sheaf_write: expected an open writer");
	sheaf_abandon(w);
	sheaf_abandon(v);
	sheaf_abandon(v);
	sheaf_frame_free(&rows);
	sheaf_open_options random = {.random = true};
	assert_ok(sheaf_open(in_folder("a.ctf"), &random, cx, &d, &err));
	assert_ok(sheaf_batches_open(&d, 1, &(sheaf_batch_options){0}, cx, &b, &err));
	assert_ok(sheaf_batches_next(b, &batch, &err));
	sheaf_batches_close(b);
	sheaf_batches_close(b);
	assert_usage(sheaf_batches_next(b, &batch, &err), "sheaf_batches_next: expected open batches");
	assert_usage(sheaf_batches_skip(b, 1, &err), "sheaf_batches_skip: expected open batches");
	assert_usage(sheaf_batches_seek(b, 0, &err), "sheaf_batches_seek: expected open batches");
	assert_usage(sheaf_batches_start_epoch(b, 0, 1, &err),
	             "sheaf_batches_start_epoch: expected open batches");
	assert_usage(sheaf_batches_resume(b, "{}", &err), "sheaf_batches_resume: expected open batches");
	sheaf_close(d);
	sheaf_context_free(other);
	sheaf_context_free(other);
}

/* More than there are places for are believed to be open. */
static void test_many_that_are_open(void **state)
{
	enum { MANY = 3000 };
	static sheaf_dataset *all[MANY];
	(void)state;
	for (int i = 0; i < MANY; i++) all[i] = open_some();
	const sheaf_frame *frame;
	for (int i = 0; i < MANY; i++) assert_ok(sheaf_next(all[i], &frame, &err));
	for (int i = 0; i < MANY; i++) sheaf_close(all[i]);
	assert_usage(sheaf_next(all[0], &frame, &err), "expected an open dataset");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_base),
		TEST(test_options),
		TEST(test_sources),
		TEST(test_sinks),
		TEST(test_formats),
		TEST(test_frames),
		TEST(test_reports),
		TEST(test_opening),
		TEST(test_reading),
		TEST(test_pieces),
		TEST(test_writing),
		TEST(test_conversions),
		TEST(test_arranging),
		TEST(test_arrays),
		TEST(test_profiles),
		TEST(test_batches),
		TEST(test_configurations),
		TEST(test_what_was_closed),
		TEST(test_many_that_are_open),
		TEST(test_exchange),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
