/* SPDX-License-Identifier: MIT */
/* Public functions below the datasets with invalid arguments. */
#include "io/sink.h"
#include "io/source.h"
#include "misuse_support.h"
#include <errno.h>
#include <string.h>

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
	const char *no_format = NULL;
	assert_int_equal(SHEAF_DATA, sheaf_fail(&err, SHEAF_DATA, no_format, 0));
	assert_text("", err.message);
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
	assert_int_equal(0, sheaf_context_memory(NULL, NULL));
	assert_null(sheaf_buffer_ref(NULL).data);
	sheaf_buffer_reset(NULL);
	sheaf_kernel_use("no such kernel");
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
	assert_usage(sheaf_option_check(NULL, "1", NULL, &err),
	             "sheaf_option_check: expected an option, found NULL");
	assert_status(SHEAF_USAGE, sheaf_option_check(&option, NULL, NULL, &err));
	const sheaf_option odd = {"name", (sheaf_option_kind)99, SHEAF_READING, "N", "help", 0};
	assert_usage(sheaf_option_check(&odd, "1", NULL, &err), "of a known kind, found kind 99");
	assert_null(sheaf_values_text(NULL, "name"));
	assert_null(sheaf_values_text(&none, NULL));
	assert_null(sheaf_values_nth(NULL, "name", 0));
	assert_null(sheaf_values_nth(&none, "name", -1));
	assert_false(sheaf_values_flag(NULL, "name"));
	assert_false(sheaf_values_flag(&none, NULL));
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
	int64_t done = 5;
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
	assert_usage(sheaf_source_seek(s, 0, &err), "make_seekable before access at random, found none");
	assert_usage(sheaf_source_read_at(s, 0, &done, 0, &err), "make_seekable before access at random");
	assert_usage(sheaf_source_view_at(s, 0, 0, &buffer, &err), "make_seekable before access at random");
	sheaf_source_close(s);
	sheaf_source_close(NULL);
	assert_text("", sheaf_source_name(NULL));
	sheaf_source_info none = sheaf_source_about(NULL);
	assert_true(none.done == 0 && none.bytes == -1 && !none.compression && !none.encoding);
	assert_int_equal(-1, sheaf_source_size(NULL));
	sheaf_source_consume(NULL, 1);
	sheaf_source_take(NULL, 1, &buffer);
	assert_int_equal(-1, sheaf_source_tell(NULL));

	assert_ok(sheaf_source_memory(bytes, NULL, cx, &s, &err));
	sheaf_source_take(s, 1, NULL);
	assert_ok(sheaf_source_make_seekable(s, &err));
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
	assert_usage(sheaf_sink_path(NULL, true, cx, &s, &err), "sheaf_sink_path: expected a path, found NULL");
	assert_null(s);
	assert_usage(sheaf_sink_path("x", true, NULL, &s, &err), "expected a context");
	assert_usage(sheaf_sink_path("x", true, cx, NULL, &err), "expected a place");
	assert_usage(sheaf_sink_function(NULL, NULL, "x", cx, &s, &err), "expected a function");
	assert_usage(sheaf_sink_function(write_nothing, NULL, "x", NULL, &s, &err), "expected a context");
	assert_usage(sheaf_sink_function(write_nothing, NULL, "x", cx, NULL, &err), "expected a place");
	assert_text("", sheaf_sink_name(NULL));
	assert_usage(sheaf_sink_write(NULL, "x", 1, &err), "sheaf_sink_write: expected a sink, found NULL");
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
	assert_text("", sheaf_format_about(NULL).name);
	assert_text("", sheaf_format_about(NULL).summary);
	assert_null(sheaf_format_about(NULL).suffixes[0]);
	assert_null(sheaf_format_about(NULL).options->name);
	assert_int_equal(0, sheaf_format_about(NULL).can);
	assert_int_equal(0, sheaf_format_about(NULL).takes);
	assert_usage(sheaf_declare(NULL, &schema, "x", false, cx, &text, &err),
	             "sheaf_declare: expected a format");
	assert_usage(sheaf_declare(ctf, NULL, "x", false, cx, &text, &err), "expected a schema");
	assert_usage(sheaf_declare(ctf, &schema, NULL, false, cx, &text, &err), "expected the name of a file");
	assert_usage(sheaf_declare(ctf, &schema, "x", false, NULL, &text, &err), "expected a context");
	assert_usage(sheaf_declare(ctf, &schema, "x", false, cx, NULL, &err), "expected a buffer");
	schema.rows = SHEAF_CELLS;
	assert_ok(sheaf_schema_add_column(&schema, "n", SHEAF_NUMBER, SHEAF_I64, SHEAF_NEVER, &err));
	for (int i = 0; sheaf_format_at(i); i++) { /* whatever the caller says that it is */
		(void)!sheaf_declare(sheaf_format_at(i), &schema, "x", true, cx, &text, &err);
		sheaf_buffer_reset(&text);
	}
	sheaf_schema_free(&schema);
	assert_ok(sheaf_source_path(in_folder("a.ctf"), cx, &source, &err));
	assert_usage(sheaf_transcode(ctf, source, NULL, cx, &err), "expected a sink");
	for (int missing = 0; missing < 3; missing++) {
		assert_ok(sheaf_sink_path(in_folder("out.ctf"), true, cx, &sink, &err));
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
	const sheaf_field without_levels = {.meaning = SHEAF_NUMBER, .type = SHEAF_F32};
	assert_int_equal(0, sheaf_type_size((sheaf_type)99));
	assert_text("type?", sheaf_type_name((sheaf_type)99));
	assert_text("structure?", sheaf_structure_name((sheaf_structure)-1));
	assert_false(sheaf_field_is_dense(NULL) || sheaf_field_is_sparse(NULL));
	assert_text("values", sheaf_field_storage(NULL));
	assert_int_equal(0, sheaf_field_dim(NULL));
	assert_int_equal(0, sheaf_field_dim(&without_levels));
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

static sheaf_status add_to_stats(void *user, const sheaf_frame *frame)
{
	return sheaf_summary_add((sheaf_summary *)user, frame, 0, &err);
}
static sheaf_status add_to_hash(void *user, const sheaf_frame *frame)
{
	return sheaf_hash_add((sheaf_hash *)user, frame, -1, &err);
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
	assert_usage(sheaf_rows_border(NULL, SHEAF_JSON, "/", cx, &text, &err), "expected a schema");
	assert_usage(sheaf_rows_border(&t.schema, SHEAF_JSON, "/", NULL, &text, &err), "expected a context");
	assert_usage(sheaf_rows_border(&t.schema, SHEAF_JSON, "/", cx, NULL, &err), "expected a place");

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
	assert_ok(sheaf_summary_add(stats, &t.frame, 0, &err));
	assert_usage(sheaf_summary_profile(stats, "x", &err), "expected a call before the first frame");
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
	assert_usage(sheaf_hash_add(NULL, &t.frame, -1, &err), "expected a hash");
	sheaf_hash_text(NULL, digits);
	assert_text("", digits);
	sheaf_hash_text(NULL, NULL);
	sheaf_hash_free(NULL);
	assert_ok(sheaf_hash_new(&t.schema, true, true, cx, &hash, &err));
	assert_usage(sheaf_hash_add(hash, &t.frame, -2, &err), "expected a row of at least -1, found -2");
	try_frames(add_to_hash, hash, "sheaf_hash_add");
	sheaf_hash_free(hash);
	try_frames(print, &t.schema, "sheaf_rows_text");
	free_table(&t);
}

/* ---- tensors ---- */

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

/* ---- making frames ---- */

/* None of these has a status. */
static void build_nothing(sheaf_frame_builder *b)
{
	const sheaf_foreign array = {.data = "x", .count = 1};
	const int64_t index = 0;
	sheaf_build_number(b, 0, 1);
	sheaf_build_integer(b, 0, 1);
	sheaf_build_key(b, 1);
	sheaf_build_text(b, 0, "x", 1);
	sheaf_build_item(b, 0, "x");
	sheaf_build_missing(b, 0, 0);
	sheaf_build_dense(b, 0, &index, 1);
	sheaf_build_sparse(b, 0, &index, &index, 1);
	sheaf_build_row(b);
	sheaf_build_rows(b, 1);
	sheaf_build_wrap(b, 0, SHEAF_PART_VALUES, 0, &array);
	sheaf_build_copy(b, 0, SHEAF_PART_VALUES, 0, "x", 1);
	sheaf_frame_builder_free(b);
}

/* Calls that are refused when the frame is taken. */
static void assert_refused(sheaf_frame_builder *b, const char *expected)
{
	sheaf_frame frame = {.nrows = 1};
	assert_usage(sheaf_frame_builder_take(b, &frame, &err), expected);
	assert_int_equal(frame.nrows, 0);
}

static void test_building(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx}, cells = {.rows = SHEAF_CELLS, .cx = cx};
	const int64_t index = 0;
	const float value = 1;
	sheaf_frame frame;
	sheaf_frame_builder *b;
	assert_ok(sheaf_schema_add_dense(&schema, "D", 1, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, "S", 1, SHEAF_F32, &err));
	assert_usage(sheaf_frame_builder_new(NULL, cx, &b, &err), "expected a schema");
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	build_nothing(NULL);
	assert_usage(sheaf_frame_builder_take(NULL, &frame, &err),
	             "sheaf_frame_builder_take: expected a builder, found NULL");
	assert_usage(sheaf_frame_builder_take(b, NULL, &err), "expected a place for the frame, found NULL");
	sheaf_build_dense(b, 0, NULL, 1);
	assert_refused(b, "row 0, column \"D\": expected values, found NULL");
	sheaf_build_sparse(b, 1, NULL, &value, 1);
	assert_refused(b, "column \"S\": expected indices, found NULL");
	sheaf_build_sparse(b, 1, &index, NULL, 1);
	assert_refused(b, "column \"S\": expected values, found NULL");
	sheaf_build_wrap(b, 0, SHEAF_PART_VALUES, 0, NULL);
	assert_refused(b, "column \"D\": expected an array, found NULL");
	sheaf_build_dense(b, 0, NULL, 0);
	sheaf_build_sparse(b, 1, NULL, NULL, 0);
	sheaf_build_row(b);
	assert_ok(sheaf_frame_builder_take(b, &frame, &err));
	sheaf_frame_free(&frame);
	sheaf_frame_builder_free(b);
	sheaf_schema_free(&schema);

	assert_ok(sheaf_schema_add_column(&cells, "t", SHEAF_STRING, SHEAF_U8, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_schema_add_column(&cells, "n", SHEAF_NUMBER, SHEAF_F32, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_frame_builder_new(&cells, cx, &b, &err));
	sheaf_build_text(b, 0, NULL, 1);
	assert_refused(b, "column \"t\": expected a text, found NULL");
	sheaf_build_item(b, 1, NULL);
	assert_refused(b, "column \"n\": expected an item, found NULL");
	sheaf_frame_builder_free(b);
	sheaf_schema_free(&cells);
	sheaf_schema_free(NULL);
}

static void test_items(void **state)
{
	(void)state;
	const int32_t numbers[] = {3, 4};
	const sheaf_items items = {.type = SHEAF_I32, .count = 2, .data = numbers};
	static const int64_t none[] = {-1, 2, INT64_MIN, INT64_MAX};
	assert_int_equal(4, sheaf_items_integer(&items, 1));
	assert_true(sheaf_items_number(&items, 1) == 4);
	assert_int_equal(0, sheaf_items_integer(NULL, 0));
	assert_true(sheaf_items_number(NULL, 0) == 0);
	for (size_t i = 0; i < COUNT(none); i++) {
		assert_int_equal(0, sheaf_items_integer(&items, none[i]));
		assert_true(sheaf_items_number(&items, none[i]) == 0);
	}
}

/* ---- batches and configurations ---- */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_base),     TEST(test_options),  TEST(test_sources), TEST(test_sinks),
		TEST(test_formats),  TEST(test_frames),   TEST(test_reports), TEST(test_configurations),
		TEST(test_exchange), TEST(test_building), TEST(test_items),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
