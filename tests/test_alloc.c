/* SPDX-License-Identifier: MIT */
/* Every allocation refused once, and all of them from some point on; memory limits from nothing to
 * enough. Each operation ends with the right status, leaks nothing, and leaves no file. */
#include "base/context.h"
#include "dataset/dataset.h"
#include "share.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- inputs: a dataset in every format that can hold it, in memory, as a file, as a compressed file ---- */

enum { MOST_INPUTS = 32, ROWS = 40 };

/* What is written: any streams, one of labels and one of features, a table, a matrix. */
typedef enum contents { STREAMS, LABELLED, TABLE, MATRIX, CONTENTS } contents;

typedef struct input {
	const sheaf_format *format;
	contents content;
	bytes_sink file;
	char name[32], packed[32], flat[32];
} input;

static input inputs[MOST_INPUTS];
static int ninputs, nfiles;
static char expected_hashes[CONTENTS][33];

static const sheaf_format *format_of(int i) { return inputs[i].format; }

static table make_labelled(sheaf_context *cx)
{
	table t = new_table(cx);
	filler label, features;
	add_stream(&t, "label", false, 1, SHEAF_F64);
	add_stream(&t, "features", true, 22, SHEAF_F64);
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	begin_filling(&label, &t.schema.fields[0], cx);
	begin_filling(&features, &t.schema.fields[1], cx);
	for (int r = 0; r < ROWS; r++) {
		fill_value(&label, -1, r % 2 ? 1 : -1);
		for (int v = 0; v < 3; v++) fill_value(&features, v * 10 + 1, r + 0.5);
		end_sample(&label), end_sample(&features), end_row(&label), end_row(&features);
	}
	finish_filling(&label, &t.frame.columns[0]);
	finish_filling(&features, &t.frame.columns[1]);
	t.frame.nrows = ROWS;
	return t;
}

static void add_cell(table *t, const char *name, sheaf_meaning meaning, sheaf_type type, int64_t width)
{
	sheaf_field *field;
	assert_ok(sheaf_schema_add(&t->schema, t->cx, name, strlen(name), &field, &err));
	sheaf_field_make_cell(field, meaning, type, width, false);
}

static table make_table(sheaf_context *cx)
{
	table t = new_table(cx);
	sheaf_builder a, b, c, offsets;
	t.schema.rows = SHEAF_CELLS;
	add_cell(&t, "a", SHEAF_NUMBER, SHEAF_I64, 1), add_cell(&t, "b", SHEAF_NUMBER, SHEAF_F64, 1),
		add_cell(&t, "c", SHEAF_STRING, SHEAF_U8, -1);
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	sheaf_builder_begin(&a, cx, NULL), sheaf_builder_begin(&b, cx, NULL), sheaf_builder_begin(&c, cx, NULL),
		sheaf_builder_begin(&offsets, cx, NULL);
	sheaf_builder_i64(&offsets, 0);
	for (int r = 0; r < ROWS; r++) {
		double half = r + 0.5;
		sheaf_builder_i64(&a, r * 1000);
		sheaf_builder_append(&b, &half, sizeof half);
		sheaf_builder_printf(&c, "row %d", r);
		sheaf_builder_i64(&offsets, (int64_t)c.size);
	}
	assert_ok(sheaf_builder_finish(&a, &t.frame.columns[0].values, &err));
	assert_ok(sheaf_builder_finish(&b, &t.frame.columns[1].values, &err));
	assert_ok(sheaf_builder_finish(&c, &t.frame.columns[2].values, &err));
	assert_ok(sheaf_builder_finish(&offsets, &t.frame.columns[2].levels[0].offsets, &err));
	t.frame.nrows = ROWS;
	return t;
}

/* Four entries in each of ten rows. */
static table make_matrix(sheaf_context *cx)
{
	static const int64_t shape[] = {10, 4}; /* all of them: a format may have no gaps */
	table t = new_table(cx);
	sheaf_field *value;
	sheaf_builder columns[3];
	assert_ok(sheaf_schema_make_entries(&t.schema, cx, (sheaf_dimensions){2, shape}, &value, &err));
	value->type = SHEAF_F64;
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	for (int c = 0; c < 3; c++) sheaf_builder_begin(&columns[c], cx, NULL);
	for (int32_t r = 0; r < ROWS; r++) {
		int32_t at[] = {r / 4, r % 4};
		double half = r + 0.5;
		for (int d = 0; d < 2; d++) sheaf_builder_append(&columns[d], &at[d], sizeof at[d]);
		sheaf_builder_append(&columns[2], &half, sizeof half);
	}
	for (int c = 0; c < 3; c++)
		assert_ok(sheaf_builder_finish(&columns[c], &t.frame.columns[c].values, &err));
	t.frame.nrows = ROWS;
	return t;
}

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
			for (int v = 0; v < r % 4; v++)
				fill_value(&sparse, v * 7 + s, (double)((float)r * 0.1f)); /* any format holds it */
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

static table (*const makers[CONTENTS])(sheaf_context *cx) = {make_dataset, make_labelled, make_table,
                                                             make_matrix};

/* Doubles, for the format that does not store types; and the group of each stream, for the one that needs
 * them. */
enum { MOST_SETTINGS = 5 };
#define TABLE_SCHEMA "<a:int64 NOT NULL,b:double NOT NULL,c:string NOT NULL>"
static const sheaf_setting of_dataset[MOST_SETTINGS] = {{"element-type", "double"},
                                                        {"group", "D:3:input"},
                                                        {"group", "S:100:output:sparse"},
                                                        {"schema", TABLE_SCHEMA},
                                                        {"string-bytes", "16"}};
static const sheaf_setting of_flat[MOST_SETTINGS] = {{"element-type", "double"},
                                                     {"group", "F:9:input:sparse"},
                                                     {"group", "G:1:output"},
                                                     {"schema", TABLE_SCHEMA},
                                                     {"string-bytes", "16"}};

typedef struct settings {
	sheaf_setting list[MOST_SETTINGS];
	const char *coordinates, *shape;
	int n;
} settings;

static bool uses(int i, unsigned use, const char *name)
{
	const sheaf_option *option = sheaf_option_find(format_of(i)->options, name);
	return option && (option->use & use);
}

/* Which columns of a table are a tensor's coordinates, for formats that know tables only. */
static const char *coordinates_of(int i)
{
	return inputs[i].content == MATRIX && uses(i, SHEAF_READING, "columns") ? "i,j" : NULL;
}
static const char *shape_of(int i) { return coordinates_of(i) ? "10,4" : NULL; }
/* Whether its pieces can be read in any order: not if a table is read as a tensor. */
static bool has_pieces(int i) { return format_of(i)->random && !coordinates_of(i); }

/* Those that format `from` uses for reading or format `to` for writing; -1: neither. */
static settings settings_for(const sheaf_setting *all, int from, int to)
{
	settings s = {.n = 0,
	              .coordinates = from >= 0 ? coordinates_of(from) : NULL,
	              .shape = from >= 0 ? shape_of(from) : NULL};
	for (int k = 0; k < MOST_SETTINGS && all[k].name; k++) {
		bool precision = strcmp(all[k].name, "element-type") == 0; /* is only for reading text here */
		bool used = (from >= 0 && uses(from, SHEAF_READING, all[k].name) &&
		             (!precision || format_of(from)->text)) ||
		            (to >= 0 && !precision && uses(to, SHEAF_WRITING, all[k].name));
		if (used) s.list[s.n++] = all[k];
	}
	return s;
}

static void compress(input *in, sheaf_context *cx)
{
	sheaf_sink *sink;
	assert_ok(sheaf_sink_path(in_folder(in->packed), true, cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, in->file.data, in->file.size, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
}

/* One sample in each sequence: a writer that must know has them counted. */
static table make_flat(sheaf_context *cx)
{
	return stream_table(cx, "F", true, 9, SHEAF_F32, "1:1;2:2;3:3;_;5:5;6:6;7:7;8:8");
}

static bytes_sink write_input(int i, const table *t, const sheaf_setting *all)
{
	bytes_sink bytes = {0};
	settings s = settings_for(all, -1, i);
	sheaf_facts totals = SHEAF_NO_FACTS;
	totals.rows = t->frame.nrows;
	sheaf_create_options options = {.size = sizeof options,
	                                .format = format_of(i)->name,
	                                .settings = s.list,
	                                .nsettings = s.n,
	                                .totals = &totals};
	assert_ok(write_table(t, &options, 0, &bytes, t->cx));
	return bytes;
}

static void make_input(int i, const sheaf_format *format, contents content, sheaf_context *cx)
{
	static const char *const suffixes[] = {".gz", ".zst", ".xz", ".bz2"};
	input *in = &inputs[i];
	*in = (input){.format = format, .content = content};
	snprintf(in->name, sizeof in->name, "in%d%s", i, format->suffixes[0]);
	snprintf(in->packed, sizeof in->packed, "in%d%s%s", i, format->suffixes[0], suffixes[i % 4]);
	snprintf(in->flat, sizeof in->flat, "flat%d%s", i, format->suffixes[0]);
	table t = makers[content](cx), f = content == STREAMS ? make_flat(cx) : makers[content](cx);
	hash_table(&t, false, false, expected_hashes[content]);
	in->file = write_input(i, &t, of_dataset);
	write_file(in->name, in->file.data, in->file.size);
	compress(in, cx);
	bytes_sink flat = write_input(i, &f, of_flat);
	write_file(in->flat, flat.data, flat.size);
	free_bytes(&flat);
	free_table(&t);
	free_table(&f);
}

static bool holds(const sheaf_format *format, contents content)
{
	static const unsigned kinds[CONTENTS] = {SHEAF_TAKES_SEQUENCES, SHEAF_TAKES_SEQUENCES, SHEAF_TAKES_CELLS,
	                                         SHEAF_TAKES_ENTRIES};
	if (content == STREAMS) return holds_streams(format);
	if (content == LABELLED)
		return sheaf_format_about(format).takes == SHEAF_TAKES_SEQUENCES && !holds_streams(format);
	return is_built(format) && (sheaf_format_about(format).takes & kinds[content]);
}

static int make_inputs(void **state)
{
	if (make_folder(state)) return -1;
	sheaf_context *cx = usual_context();
	for (int f = 0; sheaf_format_at(f); f++) {
		for (int c = STREAMS; c < CONTENTS; c++) {
			if (!holds(sheaf_format_at(f), (contents)c)) continue;
			assert_true(ninputs < MOST_INPUTS);
			make_input(ninputs++, sheaf_format_at(f), (contents)c, cx);
		}
	}
	nfiles = files_in_folder();
	end_context(cx);
	return 0;
}

static int drop_inputs(void **state)
{
	for (int i = 0; i < ninputs; i++) free_bytes(&inputs[i].file);
	return remove_folder(state);
}

/* ---- what is done ---- */

/* The next input with the same in it. */
static int next_to(int i)
{
	int k = i;
	do k = (k + 1) % ninputs;
	while (inputs[k].content != inputs[i].content);
	return k;
}

/* An operation on input i; its results must be right if it returns OK. */
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
	/* A table, rows of labels, and lines of entries may not be recognised by content. */
	const char *format = inputs[i].content != STREAMS ? format_of(i)->name : NULL;
	static sheaf_tensor_options tensor;
	tensor = (sheaf_tensor_options){.coordinates = s.coordinates, .shape = s.shape};
	return (sheaf_open_options){.size = sizeof(sheaf_open_options),
	                            .format = format,
	                            .settings = s.list,
	                            .nsettings = s.n,
	                            .piece_bytes = 300,
	                            .tensor = &tensor};
}

static sheaf_status open_memory(int i, sheaf_context *cx, sheaf_dataset **out)
{
	sheaf_open_options options = reading(i);
	return open_bytes((sheaf_bytes){inputs[i].file.data, inputs[i].file.size}, "memory", &options, cx, out);
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

static sheaf_status read_path(int i, sheaf_context *cx) { return read_named(inputs[i].name, i, cx); }
static sheaf_status read_packed(int i, sheaf_context *cx) { return read_named(inputs[i].packed, i, cx); }

/* Input that cannot be rewound is kept in a temporary file. */
static sheaf_status read_stream(int i, sheaf_context *cx)
{
	sheaf_source *source;
	sheaf_dataset *dataset;
	sheaf_open_options options = reading(i);
	bytes_source drip = {{inputs[i].file.data, inputs[i].file.size}, 100};
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
	if (!has_pieces(i)) return read_path(i, cx);
	options.access = SHEAF_RANDOM;
	SHEAF_TRY(open_bytes((sheaf_bytes){inputs[i].file.data, inputs[i].file.size}, "memory", &options, cx,
	                     &dataset));
	sheaf_status status = sheaf_dataset_pieces(dataset, &pieces, &err);
	if (status == SHEAF_OK) status = read_pieces(dataset, pieces, cx);
	sheaf_close(dataset);
	return status;
}

static const char *index_name(int i)
{
	static char name[64];
	snprintf(name, sizeof name, "%s.sheaf-index", inputs[i].name);
	return name;
}

static sheaf_status write_index(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = reading(i);
	if (!has_pieces(i)) return read_path(i, cx);
	options.index = SHEAF_INDEX_NEVER;
	SHEAF_TRY(sheaf_open(in_folder(inputs[i].name), &options, cx, &dataset, &err));
	sheaf_status status = sheaf_dataset_write_index(dataset, NULL, &err);
	sheaf_close(dataset);
	unlink(in_folder(index_name(i)));
	return status;
}

/* Made once: a file that is committed each time would take most of the time. */
static void put_index(int i)
{
	static bytes_sink indexes[MOST_INPUTS];
	if (indexes[i].size == 0) {
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset;
		sheaf_open_options options = reading(i);
		assert_ok(sheaf_open(in_folder(inputs[i].name), &options, cx, &dataset, &err));
		assert_ok(sheaf_dataset_write_index(dataset, NULL, &err));
		sheaf_close(dataset);
		end_context(cx);
		indexes[i] = read_file(index_name(i));
		err = (sheaf_error){0};
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
	if (!has_pieces(i)) return read_path(i, cx);
	put_index(i);
	sheaf_status status = sheaf_open(in_folder(inputs[i].name), &options, cx, &dataset, &err);
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
	if (status == SHEAF_OK) assert_string_equal(expected_hashes[inputs[i].content], found);
	return status;
}

static sheaf_status add_all(sheaf_dataset *dataset, sheaf_summary *stats)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		SHEAF_TRY(sheaf_summary_add(stats, frame, sheaf_dataset_row(dataset), &err));
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status stats_it(int i, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_summary *stats = NULL;
	sheaf_buffer text = {0};
	SHEAF_TRY(open_memory(i, cx, &dataset));
	sheaf_status status = sheaf_summary_new(sheaf_dataset_schema(dataset), cx, &stats, &err);
	if (status == SHEAF_OK) status = sheaf_summary_profile(stats, NULL, &err);
	if (status == SHEAF_OK) status = add_all(dataset, stats);
	if (status == SHEAF_OK) status = sheaf_summary_finish(stats, &err);
	if (status == SHEAF_OK)
		status = sheaf_summary_page(stats, &(sheaf_page_options){.title = "a"}, &text, &err);
	if (status == SHEAF_OK) status = sheaf_summary_save(stats, &text, &err);
	if (status == SHEAF_OK) status = sheaf_summary_text(stats, NULL, &text, &err);
	if (status) assert_null(text.data);
	sheaf_buffer_reset(&text);
	sheaf_summary_free(stats);
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
	if (status == SHEAF_OK)
		status = sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON, 0, 0, frame->nrows, &text,
		                         &err);
	sheaf_buffer_reset(&text);
	sheaf_close(dataset);
	return status;
}

/* Rows as users of the format write them, and everything else about a file. */
static sheaf_status show_it(int i, sheaf_context *cx)
{
	sheaf_status status = SHEAF_OK;
	for (int view = SHEAF_VIEW_TEXT; view <= SHEAF_VIEW_JSON && status == SHEAF_OK; view++) {
		sheaf_dataset *dataset;
		sheaf_buffer text = {0};
		sheaf_open_options options = reading(i);
		options.view = (sheaf_view)view;
		SHEAF_TRY(open_bytes((sheaf_bytes){inputs[i].file.data, inputs[i].file.size}, "memory", &options, cx,
		                     &dataset));
		status = read_rows(dataset);
		const sheaf_tree_options tree = {.size = sizeof tree, .json = view == SHEAF_VIEW_JSON};
		if (status == SHEAF_OK) status = sheaf_dataset_describe(dataset, &tree, &text, &err);
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
	sheaf_open_options options = {.size = sizeof options};
	if (inputs[i].content != STREAMS) options.format = format_of(i)->name, options.tensor = reading(i).tensor;
	if (inputs[i].content == TABLE) options = reading(i);
	options.glance = true;
	SHEAF_TRY(open_bytes((sheaf_bytes){inputs[i].file.data, inputs[i].file.size}, "memory", &options, cx,
	                     &dataset));
	sheaf_status status = sheaf_dataset_describe(dataset, NULL, &text, &err);
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
	sheaf_diff_options options = {.size = sizeof options,
	                              .keys = true,
	                              .types = true,
	                              .on_difference = see_difference,
	                              .user = &differences};
	SHEAF_TRY(open_memory(i, cx, &a));
	sheaf_status status = open_memory(next_to(i), cx, &b);
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

static sheaf_status convert_it(const char *const *from, int n, settings s, const char *suffix,
                               sheaf_context *cx)
{
	char output[32];
	sheaf_convert_options options = {
		.size = sizeof options,
		.force = true,
		.open = &(sheaf_open_options){
			.settings = s.list,
			.nsettings = s.n,
			.piece_bytes = 300,
			.tensor = &(sheaf_tensor_options){.coordinates = s.coordinates, .shape = s.shape}}};
	snprintf(output, sizeof output, "out%s", suffix);
	sheaf_status status = sheaf_convert(from, n, in_folder(output), &options, cx, &err);
	assert_int_equal(file_exists(output), status == SHEAF_OK);
	if (status == SHEAF_OK) remove(in_folder(output));
	assert_int_equal(files_in_folder(), nfiles);
	return status;
}

static sheaf_status convert_to_next(int i, sheaf_context *cx)
{
	const char *from = in_folder(inputs[i].name);
	return convert_it(&from, 1, settings_for(of_dataset, i, next_to(i)), format_of(next_to(i))->suffixes[0],
	                  cx);
}

static sheaf_status convert_packed_to_itself(int i, sheaf_context *cx)
{
	const char *from = in_folder(inputs[i].packed);
	return convert_it(&from, 1, settings_for(of_dataset, i, i), format_of(i)->suffixes[0], cx);
}

/* Only tables are declared; a format with two spellings converts one into the other. */
static sheaf_status convert_as_it_is(int i, sheaf_context *cx)
{
	const char *from = in_folder(inputs[i].name);
	const char *const *suffixes = format_of(i)->suffixes;
	settings none = {.n = 0};
	return convert_it(&from, 1, inputs[i].content == TABLE ? settings_for(of_dataset, i, i) : none,
	                  suffixes[1] ? suffixes[1] : suffixes[0], cx);
}

static sheaf_status convert_flat(int i, sheaf_context *cx)
{
	const char *from = in_folder(inputs[i].flat);
	return convert_it(&from, 1,
	                  settings_for(inputs[i].content == STREAMS ? of_flat : of_dataset, i, next_to(i)),
	                  format_of(next_to(i))->suffixes[0], cx);
}

static sheaf_status convert_two(int i, sheaf_context *cx)
{
	const char *from[] = {in_folder(inputs[i].name), in_folder(inputs[i].packed)};
	int n = inputs[i].content == MATRIX ? 1 : 2; /* a tensor that is given twice has each position twice */
	return convert_it(from, n, settings_for(of_dataset, i, next_to(i)), format_of(next_to(i))->suffixes[0],
	                  cx);
}

/* Over an existing file, which must stay as it was. */
static sheaf_status convert_over(int i, sheaf_context *cx)
{
	char output[32];
	const char *from = in_folder(inputs[i].name);
	int to = next_to(i);
	settings s = settings_for(of_dataset, i, to);
	sheaf_convert_options options = {
		.size = sizeof options,
		.force = true,
		.open = &(sheaf_open_options){
			.settings = s.list,
			.nsettings = s.n,
			.tensor = &(sheaf_tensor_options){.coordinates = s.coordinates, .shape = s.shape}}};
	snprintf(output, sizeof output, "old%s", format_of(to)->suffixes[0]);
	write_text(output, "the old file");
	sheaf_status status = sheaf_convert(&from, 1, in_folder(output), &options, cx, &err);
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
	print_error("%s, %s, %s %lld: found %s: %s\n", o->name, format_of(i)->name, what, (long long)n,
	            sheaf_status_name(status), status ? err.message : "");
}

/* Runs it with allocation n refused. False if there are fewer. */
static bool refuse(const operation *o, int i, int64_t n, bool stay, int threads, int *refused)
{
	allocator memory = {.stay = stay};
	sheaf_context_options options = options_with(&memory);
	options.threads = threads;
	options.validate = o->validate;
	sheaf_context *cx = context_with(&options);
	memory.fail_at = memory.calls + n;
	err = (sheaf_error){0};
	sheaf_status status = o->run(i, cx);
	bool reached = memory.calls >= memory.fail_at;
	int64_t left = sheaf_context_memory(cx, NULL);
	bool good = left == 0 && (status == SHEAF_OK || (reached && status == SHEAF_NOMEM &&
	                                                 err.status == SHEAF_NOMEM && err.message[0]));
	/* A failure must not be taken for a flaw of the data. */
	if (o->validate && sheaf_context_problems(cx, SHEAF_ERROR)) good = false;
	*refused += status == SHEAF_NOMEM;
	sheaf_context_free(cx);
	if (!good || memory.bytes != 0) {
		explain(o, i, "allocation", n, status);
		fail_msg("held at the end: %lld bytes of the context, %lld of the allocator", (long long)left,
		         (long long)memory.bytes);
	}
	return reached;
}

/* Refusing every allocation takes minutes: without FAULTS=all it is one in STEP, a different one in each
 * case. */
static int64_t step(void)
{
	enum { STEP = 11 };
	const char *faults = getenv("FAULTS");
	return faults && strcmp(faults, "all") == 0 ? 1 : STEP * one_in();
}

static void refuse_each(bool stay, int threads)
{
	int cases = 0;
	for (size_t k = 0; k < COUNT(operations); k++) {
		for (int i = 0; i < ninputs; i++) {
			int refused = 0;
			int64_t n = 1 + cases++ % step();
			while (refuse(&operations[k], i, n, stay, threads, &refused)) n += step();
			assert_true(n > 5 && (refused > 5 || step() > 1));
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

enum { CONTEXTS = 16000 }; /* what a context and a quiet one under it take themselves */

static sheaf_status limit(const operation *o, int i, int64_t max_memory)
{
	allocator memory = {0};
	int64_t peak;
	sheaf_context_options options = options_with(&memory);
	options.validate = o->validate;
	options.max_memory = max_memory;
	sheaf_context *cx = context_with(&options);
	err = (sheaf_error){0};
	sheaf_status status = o->run(i, cx);
	int64_t left = sheaf_context_memory(cx, &peak);
	/* Memory taken from the allocator keeps to the limit, too, except for a few kilobytes of the
	 * contexts themselves. */
	bool good = left == 0 && peak <= max_memory && memory.peak <= max_memory + CONTEXTS &&
	            (status == SHEAF_OK ||
	             (status == SHEAF_LIMIT && err.status == SHEAF_LIMIT && strstr(err.message, "limit")));
	sheaf_context_free(cx);
	if (!good || memory.bytes != 0) {
		explain(o, i, "limit", max_memory, status);
		fail_msg("held at the end: %lld bytes of the context, %lld of the allocator; peaks %lld and %lld",
		         (long long)left, (long long)memory.bytes, (long long)peak, (long long)memory.peak);
	}
	return status;
}

static void test_each_limit(void **state)
{
	(void)state;
	const int64_t enough = INT64_C(1) << 30;
	for (size_t k = 0; k < COUNT(operations); k++) {
		for (int i = 0; i < ninputs; i++) {
			int64_t bytes = 1;
			assert_int_equal(limit(&operations[k], i, bytes), SHEAF_LIMIT);
			while (limit(&operations[k], i, bytes) == SHEAF_LIMIT && bytes < enough)
				bytes += bytes / (step() > 1 ? 4 : 16) + 40;
			assert_true(bytes < enough);
			sheaf_status status = limit(&operations[k], i, bytes * 4);
			if (status) explain(&operations[k], i, "limit", bytes * 4, status);
			assert_ok(status);
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
