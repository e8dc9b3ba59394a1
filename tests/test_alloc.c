/* SPDX-License-Identifier: MIT */
/* Every allocation refused once, and every one from some point on; memory limits from nothing to enough. Whatever is under way
 * ends with the right status, holds nothing, and leaves no file behind. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- inputs: one dataset in every format, in memory, as a file, as a compressed file ---- */

enum { MOST_FORMATS = 16, ROWS = 40 };

static bytes_sink files[MOST_FORMATS];
static char names[MOST_FORMATS][32], packed[MOST_FORMATS][32], flat[MOST_FORMATS][32];
static int nformats, nfiles;
static char expected_hash[33];

static table make_dataset(sheaf_context *cx)
{
	table t = new_table(cx);
	filler dense, sparse;
	sheaf_builder keys;
	add_stream(&t, "D", false, 3, SHEAF_F32);
	add_stream(&t, "S", true, 100, SHEAF_F64);
	assert_ok(sheaf_schema_add_key(&t.schema, cx, &err));
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	begin_filling(&dense, &t.schema.fields[0], cx);
	begin_filling(&sparse, &t.schema.fields[1], cx);
	sheaf_builder_begin(&keys, cx, NULL);
	for (int r = 0; r < ROWS; r++) {
		for (int s = 0; s <= r % 3; s++) {
			for (int v = 0; v < 3; v++) fill_value(&dense, -1, r + v);
			end_sample(&dense);
			for (int v = 0; v < r % 4; v++) fill_value(&sparse, v * 7 + s, (double)((float)r * 0.1f)); /* any format holds it */
			end_sample(&sparse);
		}
		end_row(&dense);
		end_row(&sparse);
		sheaf_builder_i64(&keys, 1000 - r);
	}
	finish_filling(&dense, &t.frame.columns[0]);
	finish_filling(&sparse, &t.frame.columns[1]);
	assert_ok(sheaf_builder_finish(&keys, &t.frame.columns[2].values, &err));
	t.frame.nrows = ROWS;
	return t;
}

/* Doubles, as the format that does not store types reads them on request; and the groups that each stream is, for one that wants to know. */
enum { MOST_SETTINGS = 3 };
static const sheaf_setting of_dataset[MOST_SETTINGS] = {{"precision", "double"}, {"group", "D:3:input"}, {"group", "S:100:output:sparse"}};
static const sheaf_setting of_flat[MOST_SETTINGS] = {{"precision", "double"}, {"group", "F:9:input:sparse"}, {"group", "G:1:output"}};

typedef struct settings {
	sheaf_setting list[MOST_SETTINGS];
	int n;
} settings;

static bool uses(int i, unsigned use, const char *name)
{
	const sheaf_option *option = sheaf_option_find(sheaf_format_at(i)->options, name);
	return option && (option->use & use);
}

/* Those that format `from` uses for reading or format `to` for writing; -1: neither. */
static settings settings_for(const sheaf_setting *all, int from, int to)
{
	settings s = {.n = 0};
	for (int k = 0; k < MOST_SETTINGS; k++) {
		bool precision = strcmp(all[k].name, "precision") == 0; /* is not for writing here */
		bool used = (from >= 0 && uses(from, SHEAF_READING, all[k].name)) || (to >= 0 && !precision && uses(to, SHEAF_WRITING, all[k].name));
		if (used) s.list[s.n++] = all[k];
	}
	return s;
}

static void compress(int i, sheaf_context *cx)
{
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder(packed[i]), cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, files[i].data, files[i].size, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
}

/* One sample in each sequence: a writer that wants to know has to have them counted. */
static void write_flat(int i, sheaf_context *cx)
{
	bytes_sink bytes = {0};
	settings s = settings_for(of_flat, -1, i);
	sheaf_create_options options = {.size = sizeof options, .format = sheaf_format_at(i)->name, .settings = s.list, .nsettings = s.n, .totals = SHEAF_NO_FACTS};
	table t = stream_table(cx, "F", true, 9, SHEAF_F32, "1:1;2:2;3:3;_;5:5;6:6;7:7;8:8");
	assert_ok(write_table(&t, &options, 0, &bytes, cx));
	snprintf(flat[i], sizeof flat[i], "flat%s", sheaf_format_at(i)->suffixes[0]);
	write_file(flat[i], bytes.data, bytes.size);
	free_bytes(&bytes);
	free_table(&t);
}

static int make_inputs(void **state)
{
	if (make_folder(state)) return -1;
	sheaf_context *cx = usual_context();
	table t = make_dataset(cx);
	hash_table(&t, false, false, expected_hash);
	for (nformats = 0; sheaf_format_at(nformats); nformats++) {
		int i = nformats;
		static const char *const suffixes[] = {".gz", ".zst", ".xz", ".bz2"};
		settings s = settings_for(of_dataset, -1, i);
		sheaf_create_options options = {
			.size = sizeof options, .format = sheaf_format_at(i)->name, .settings = s.list, .nsettings = s.n, .totals = SHEAF_NO_FACTS};
		assert_true(i < MOST_FORMATS);
		assert_ok(write_table(&t, &options, 0, &files[i], cx));
		snprintf(names[i], sizeof names[i], "in%s", sheaf_format_at(i)->suffixes[0]);
		snprintf(packed[i], sizeof packed[i], "in%s%s", sheaf_format_at(i)->suffixes[0], suffixes[i % 4]);
		write_file(names[i], files[i].data, files[i].size);
		compress(i, cx);
		write_flat(i, cx);
	}
	nfiles = files_in_folder();
	free_table(&t);
	end_context(cx);
	return 0;
}

static int drop_inputs(void **state)
{
	for (int i = 0; i < nformats; i++) free_bytes(&files[i]);
	return remove_folder(state);
}

/* ---- what is done ---- */

/* An operation on input i; its results must be right where it says OK. */
typedef struct operation {
	const char *name;
	sheaf_status (*run)(int i, sheaf_context *cx);
	bool validate;
} operation;

/* Valid until the next call. */
static sheaf_open_options reading(int i)
{
	static settings s;
	s = settings_for(of_dataset, i, -1);
	return (sheaf_open_options){.size = sizeof(sheaf_open_options), .settings = s.list, .nsettings = s.n, .piece_bytes = 300};
}

static sheaf_status open_memory(int i, sheaf_context *cx, sheaf_dataset **out)
{
	sheaf_open_options options = reading(i);
	return open_bytes((sheaf_bytes){files[i].data, files[i].size}, "memory", &options, cx, out);
}

static sheaf_status read_rows(sheaf_dataset *dataset)
{
	sheaf_frame all;
	sheaf_status status = sheaf_read_all(dataset, &all, &err);
	if (status) return status;
	assert_int_equal(all.nrows, ROWS);
	assert_ok(sheaf_frame_check(&all, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
	sheaf_frame_free(&all);
	return SHEAF_OK;
}

static sheaf_status read_memory(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	SHEAF_TRY(open_memory(i, cx, &dataset));
	sheaf_status status = read_rows(dataset);
	sheaf_close(dataset);
	return status;
}

static sheaf_status read_named(const char *name, int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = reading(i);
	SHEAF_TRY(sheaf_open(in_folder(name), &options, cx, &dataset, &err));
	sheaf_status status = read_rows(dataset);
	sheaf_close(dataset);
	return status;
}

static sheaf_status read_path(int i, sheaf_context *cx) { return read_named(names[i], i, cx); }
static sheaf_status read_packed(int i, sheaf_context *cx) { return read_named(packed[i], i, cx); }

/* What cannot be rewound is kept in a file of its own. */
static sheaf_status read_stream(int i, sheaf_context *cx)
{
	sheaf_source *source;
	sheaf_dataset *dataset;
	sheaf_open_options options = reading(i);
	bytes_source drip = {{files[i].data, files[i].size}, 100};
	SHEAF_TRY(sheaf_source_function(read_bytes, &drip, "stream", cx, &source, &err));
	SHEAF_TRY(sheaf_open_source(source, &options, cx, &dataset, &err));
	sheaf_status status = read_rows(dataset);
	sheaf_close(dataset);
	return status;
}

/* Pieces by number, the last one first. */
static sheaf_status read_pieces(const sheaf_dataset *dataset, const sheaf_pieces *pieces, sheaf_context *cx)
{
	sheaf_frame frame = {0};
	sheaf_status status = SHEAF_OK;
	int64_t rows = 0;
	for (int64_t k = sheaf_pieces_count(pieces); k-- > 0 && status == SHEAF_OK; rows += frame.nrows)
		status = sheaf_dataset_read_piece(dataset, k, &frame, cx, &err);
	if (status == SHEAF_OK) assert_int_equal(rows, ROWS);
	sheaf_frame_free(&frame);
	return status;
}

static sheaf_status read_any_order(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	const sheaf_pieces *pieces = NULL;
	sheaf_open_options options = reading(i);
	if (!sheaf_format_at(i)->recall) return SHEAF_OK;
	options.random = true;
	SHEAF_TRY(open_bytes((sheaf_bytes){files[i].data, files[i].size}, "memory", &options, cx, &dataset));
	sheaf_status status = sheaf_dataset_pieces(dataset, &pieces, &err);
	if (status == SHEAF_OK) status = read_pieces(dataset, pieces, cx);
	sheaf_close(dataset);
	return status;
}

static const char *index_name(int i)
{
	static char name[64];
	snprintf(name, sizeof name, "%s.sheaf-index", names[i]);
	return name;
}

static sheaf_status write_index(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = reading(i);
	if (!sheaf_format_at(i)->recall) return read_path(i, cx);
	options.index = SHEAF_INDEX_NEVER;
	SHEAF_TRY(sheaf_open(in_folder(names[i]), &options, cx, &dataset, &err));
	sheaf_status status = sheaf_dataset_write_index(dataset, &err);
	sheaf_close(dataset);
	unlink(in_folder(index_name(i)));
	return status;
}

/* Made once: a file that is committed each time would take most of the time. */
static void put_index(int i)
{
	static bytes_sink indexes[MOST_FORMATS];
	if (indexes[i].size == 0) {
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset;
		sheaf_open_options options = reading(i);
		assert_ok(sheaf_open(in_folder(names[i]), &options, cx, &dataset, &err));
		assert_ok(sheaf_dataset_write_index(dataset, &err));
		sheaf_close(dataset);
		end_context(cx);
		indexes[i] = read_file(index_name(i));
		err = (sheaf_error){SHEAF_OK, 0, ""};
	}
	write_file(index_name(i), indexes[i].data, indexes[i].size);
}

static sheaf_status skip_first(sheaf_dataset *dataset)
{
	const sheaf_frame *frame;
	SHEAF_TRY(sheaf_skip(dataset, 1, &err));
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status use_index(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = reading(i);
	if (!sheaf_format_at(i)->recall) return read_path(i, cx);
	put_index(i);
	sheaf_status status = sheaf_open(in_folder(names[i]), &options, cx, &dataset, &err);
	if (status == SHEAF_OK) {
		status = skip_first(dataset);
		sheaf_close(dataset);
	}
	unlink(in_folder(index_name(i)));
	return status;
}

static sheaf_status hash_it(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	char found[33] = "";
	SHEAF_TRY(open_memory(i, cx, &dataset));
	sheaf_status status = hash_dataset(dataset, false, false, found);
	sheaf_close(dataset);
	if (status == SHEAF_OK) assert_string_equal(expected_hash, found);
	return status;
}

static sheaf_status add_all(sheaf_dataset *dataset, sheaf_stats *stats)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) SHEAF_TRY(sheaf_stats_add(stats, frame, &err));
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status stats_it(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_stats *stats = NULL;
	sheaf_buffer text = {0};
	int64_t rows = 0, samples, values;
	SHEAF_TRY(open_memory(i, cx, &dataset));
	sheaf_status status = sheaf_stats_new(sheaf_dataset_schema(dataset), cx, &stats, &err);
	if (status == SHEAF_OK) status = add_all(dataset, stats);
	if (status == SHEAF_OK) status = sheaf_stats_text(stats, SHEAF_JSON, &text, &err);
	if (status == SHEAF_OK) sheaf_stats_totals(stats, &rows, &samples, &values);
	assert_int_equal(rows, status == SHEAF_OK ? ROWS : 0);
	if (status) assert_null(text.data);
	sheaf_buffer_reset(&text);
	sheaf_stats_free(stats);
	sheaf_close(dataset);
	return status;
}

static sheaf_status print_it(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_buffer text = {0};
	SHEAF_TRY(open_memory(i, cx, &dataset));
	sheaf_status status = sheaf_next(dataset, &frame, &err);
	if (status == SHEAF_OK) status = sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON, 0, 0, frame->nrows, &text, &err);
	sheaf_buffer_reset(&text);
	sheaf_close(dataset);
	return status;
}

/* Rows as users of the format write them, and what else there is to know of a file. */
static sheaf_status show_it(int i, sheaf_context *cx)
{
	sheaf_status status = SHEAF_OK;
	for (int view = SHEAF_VIEW_TEXT; view <= SHEAF_VIEW_JSON && status == SHEAF_OK; view++) {
		sheaf_dataset *dataset;
		sheaf_buffer text = {0};
		sheaf_open_options options = reading(i);
		options.view = (sheaf_view)view;
		SHEAF_TRY(open_bytes((sheaf_bytes){files[i].data, files[i].size}, "memory", &options, cx, &dataset));
		status = read_rows(dataset);
		if (status == SHEAF_OK) status = sheaf_dataset_describe(dataset, view == SHEAF_VIEW_JSON, &text, &err);
		sheaf_buffer_reset(&text);
		sheaf_close(dataset);
	}
	return status;
}

/* Without a word about its streams. */
static sheaf_status look_at_it(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_buffer text = {0};
	sheaf_open_options options = {.size = sizeof options, .glance = true};
	SHEAF_TRY(open_bytes((sheaf_bytes){files[i].data, files[i].size}, "memory", &options, cx, &dataset));
	sheaf_status status = sheaf_dataset_describe(dataset, false, &text, &err);
	sheaf_buffer_reset(&text);
	sheaf_close(dataset);
	return status;
}

static bool see_difference(void *user, const sheaf_difference *difference)
{
	(void)difference;
	++*(int *)user;
	return true;
}

static sheaf_status diff_it(int i, sheaf_context *cx)
{
	sheaf_dataset *a, *b;
	bool equal = true;
	int differences = 0;
	sheaf_diff_options options = {.size = sizeof options, .keys = true, .strict = true, .on_difference = see_difference, .user = &differences};
	SHEAF_TRY(open_memory(i, cx, &a));
	sheaf_status status = open_memory((i + 1) % nformats, cx, &b);
	if (status) {
		sheaf_close(a);
		return status;
	}
	status = sheaf_diff(a, b, &options, &equal, &err);
	if (status == SHEAF_OK) assert_int_equal(equal, differences == 0);
	if (status) assert_false(equal);
	sheaf_close(a);
	sheaf_close(b);
	return status;
}

static sheaf_status convert_it(const char *const *inputs, int ninputs, settings s, const char *suffix, sheaf_context *cx)
{
	char output[32];
	sheaf_convert_options options = {.size = sizeof options, .settings = s.list, .nsettings = s.n, .piece_bytes = 300};
	snprintf(output, sizeof output, "out%s", suffix);
	sheaf_status status = sheaf_convert(inputs, ninputs, in_folder(output), &options, cx, &err);
	assert_int_equal(file_exists(output), status == SHEAF_OK);
	if (status == SHEAF_OK) remove(in_folder(output));
	assert_int_equal(files_in_folder(), nfiles);
	return status;
}

static int next_to(int i) { return (i + 1) % nformats; }

static sheaf_status convert_to_next(int i, sheaf_context *cx)
{
	const char *input = in_folder(names[i]);
	return convert_it(&input, 1, settings_for(of_dataset, i, next_to(i)), sheaf_format_at(next_to(i))->suffixes[0], cx);
}

static sheaf_status convert_packed_to_itself(int i, sheaf_context *cx)
{
	const char *input = in_folder(packed[i]);
	return convert_it(&input, 1, settings_for(of_dataset, i, i), sheaf_format_at(i)->suffixes[0], cx);
}

/* Nothing is declared: where a format has another spelling, it goes from one into the other. */
static sheaf_status convert_as_it_is(int i, sheaf_context *cx)
{
	const char *input = in_folder(names[i]);
	const char *const *suffixes = sheaf_format_at(i)->suffixes;
	return convert_it(&input, 1, (settings){.n = 0}, suffixes[1] ? suffixes[1] : suffixes[0], cx);
}

static sheaf_status convert_flat(int i, sheaf_context *cx)
{
	const char *input = in_folder(flat[i]);
	return convert_it(&input, 1, settings_for(of_flat, i, next_to(i)), sheaf_format_at(next_to(i))->suffixes[0], cx);
}

static sheaf_status convert_two(int i, sheaf_context *cx)
{
	const char *inputs[] = {in_folder(names[i]), in_folder(packed[i])};
	return convert_it(inputs, 2, settings_for(of_dataset, i, next_to(i)), sheaf_format_at(next_to(i))->suffixes[0], cx);
}

/* Over a file that is there: it must stay as it was. */
static sheaf_status convert_over(int i, sheaf_context *cx)
{
	char output[32];
	const char *input = in_folder(names[i]);
	int to = next_to(i);
	settings s = settings_for(of_dataset, i, to);
	sheaf_convert_options options = {.size = sizeof options, .settings = s.list, .nsettings = s.n};
	snprintf(output, sizeof output, "old%s", sheaf_format_at(to)->suffixes[0]);
	write_text(output, "the old file");
	sheaf_status status = sheaf_convert(&input, 1, in_folder(output), &options, cx, &err);
	bytes_sink found = read_file(output);
	assert_int_equal(found.size == 12 && memcmp(found.data, "the old file", 12) == 0, status != SHEAF_OK);
	free_bytes(&found);
	remove(in_folder(output));
	assert_int_equal(files_in_folder(), nfiles);
	return status;
}

static const operation operations[] = {
	{"read memory", read_memory, false},
	{"read a file", read_path, false},
	{"read a compressed file", read_packed, false},
	{"read a stream", read_stream, false},
	{"read pieces in any order", read_any_order, false},
	{"write an index", write_index, false},
	{"use an index", use_index, false},
	{"hash", hash_it, false},
	{"stats", stats_it, false},
	{"print", print_it, false},
	{"show", show_it, false},
	{"look", look_at_it, false},
	{"diff", diff_it, false},
	{"validate memory", read_memory, true},
	{"validate a compressed file", read_packed, true},
	{"convert", convert_to_next, false},
	{"convert a compressed file", convert_packed_to_itself, false},
	{"convert as it is", convert_as_it_is, false},
	{"convert a flat file", convert_flat, false},
	{"convert two files", convert_two, false},
	{"convert over a file", convert_over, false},
};

/* ---- allocations that fail ---- */

static void explain(const operation *o, int i, const char *what, int64_t n, sheaf_status status)
{
	print_error("%s, %s, %s %lld: found %s: %s\n", o->name, sheaf_format_at(i)->name, what, (long long)n, sheaf_status_name(status), status ? err.message : "");
}

/* Runs it with allocation n refused. False where that many are not made. */
static bool refuse(const operation *o, int i, int64_t n, bool stay, int threads, int *refused)
{
	allocator memory = {.stay = stay};
	sheaf_context_options options = options_with(&memory);
	options.threads = threads;
	options.validate = o->validate;
	sheaf_context *cx = context_with(&options);
	memory.fail_at = memory.calls + n;
	err = (sheaf_error){SHEAF_OK, 0, ""};
	sheaf_status status = o->run(i, cx);
	bool reached = memory.calls >= memory.fail_at;
	int64_t left = sheaf_context_memory(cx, NULL);
	bool good = left == 0 && (status == SHEAF_OK || (reached && status == SHEAF_NOMEM && err.status == SHEAF_NOMEM && err.message[0]));
	/* A failure must not be taken for a flaw of the data. */
	if (o->validate && sheaf_context_problems(cx, SHEAF_ERROR)) good = false;
	*refused += status == SHEAF_NOMEM;
	sheaf_context_free(cx);
	if (!good || memory.bytes != 0) {
		explain(o, i, "allocation", n, status);
		fail_msg("held at the end: %lld bytes of the context, %lld of the allocator", (long long)left, (long long)memory.bytes);
	}
	return reached;
}

static void refuse_each(bool stay, int threads)
{
	for (size_t k = 0; k < COUNT(operations); k++) {
		for (int i = 0; i < nformats; i++) {
			int refused = 0;
			int64_t n = 1;
			while (refuse(&operations[k], i, n, stay, threads, &refused)) n++;
			assert_true(n > 5 && refused > 5);
		}
	}
}

static void test_each_allocation_fails(void **state)
{
	(void)state;
	refuse_each(false, 1);
}

static void test_all_allocations_fail_from_one_on(void **state)
{
	(void)state;
	refuse_each(true, 1);
}

static void test_each_allocation_fails_with_threads(void **state)
{
	(void)state;
	refuse_each(false, 3);
}

static void test_all_allocations_fail_from_one_on_with_threads(void **state)
{
	(void)state;
	refuse_each(true, 3);
}

/* ---- limits ---- */

enum { CONTEXTS = 10000 };

static sheaf_status limit(const operation *o, int i, int64_t max_memory)
{
	allocator memory = {0};
	int64_t peak;
	sheaf_context_options options = options_with(&memory);
	options.validate = o->validate;
	options.max_memory = max_memory;
	sheaf_context *cx = context_with(&options);
	err = (sheaf_error){SHEAF_OK, 0, ""};
	sheaf_status status = o->run(i, cx);
	int64_t left = sheaf_context_memory(cx, &peak);
	/* What is taken from the allocator keeps to the limit, too; a few kilobytes are the contexts themselves. */
	bool good = left == 0 && peak <= max_memory && memory.peak <= max_memory + CONTEXTS &&
	            (status == SHEAF_OK || (status == SHEAF_LIMIT && err.status == SHEAF_LIMIT && strstr(err.message, "limit")));
	sheaf_context_free(cx);
	if (!good || memory.bytes != 0) {
		explain(o, i, "limit", max_memory, status);
		fail_msg("held at the end: %lld bytes of the context, %lld of the allocator; peaks %lld and %lld", (long long)left, (long long)memory.bytes,
		         (long long)peak, (long long)memory.peak);
	}
	return status;
}

static void test_each_limit(void **state)
{
	(void)state;
	const int64_t enough = INT64_C(1) << 30;
	for (size_t k = 0; k < COUNT(operations); k++) {
		for (int i = 0; i < nformats; i++) {
			int64_t bytes = 1;
			assert_int_equal(limit(&operations[k], i, bytes), SHEAF_LIMIT);
			while (limit(&operations[k], i, bytes) == SHEAF_LIMIT && bytes < enough) bytes += bytes / 16 + 40;
			assert_true(bytes < enough);
			assert_ok(limit(&operations[k], i, bytes * 4));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_allocation_fails),
		cmocka_unit_test(test_all_allocations_fail_from_one_on),
		cmocka_unit_test(test_each_allocation_fails_with_threads),
		cmocka_unit_test(test_all_allocations_fail_from_one_on_with_threads),
		cmocka_unit_test(test_each_limit),
	};
	return cmocka_run_group_tests(tests, make_inputs, drop_inputs);
}
