/* SPDX-License-Identifier: MIT */
/* The Arrow C data interface: frames as arrays, shared if nothing must change, and back, as streams, too. */
#include "frame/print.h"
#include "with_context.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- tables to send ---- */

static table take(sheaf_schema *schema, sheaf_frame_builder *builder)
{
	table t = {.cx = cx, .schema = *schema};
	assert_ok(sheaf_frame_builder_take(builder, &t.frame, &err));
	sheaf_frame_builder_free(builder);
	return t;
}

static void drop(table *t)
{
	sheaf_frame_free(&t->frame);
	sheaf_schema_free(&t->schema);
}

static table streams_of(int64_t rows)
{
	sheaf_schema schema = {.cx = cx};
	sheaf_frame_builder *b;
	assert_ok(sheaf_schema_add_dense(&schema, "dense", 3, SHEAF_F32, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, "sparse", 100, SHEAF_F64, &err));
	assert_ok(sheaf_schema_add_sparse(&schema, "wide", INT64_C(1) << 40, SHEAF_I16, &err));
	assert_ok(sheaf_schema_add_keys(&schema, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t s = 0; s < r % 4; s++) {
			int64_t indices[] = {r % 100, 99}, far[] = {(INT64_C(1) << 39) + r};
			sheaf_build_dense(b, 0, (float[]){(float)r, (float)s, 0.5f}, 1);
			sheaf_build_sparse(b, 1, indices, (double[]){1.5, (double)s}, r % 3);
			sheaf_build_sparse(b, 2, far, (int16_t[]){7}, 1);
		}
		sheaf_build_key(b, (uint64_t)r * 10);
		sheaf_build_row(b);
	}
	return take(&schema, b);
}

enum { NUMBERS, WHOLES, TEXTS, BLOBS, WIDE, TRUTHS, LETTERS, DATES, ZONED, PAIRS, COLUMNS };

static table cells_of(int64_t rows, sheaf_missing missing)
{
	sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
	sheaf_frame_builder *b;
	assert_ok(sheaf_schema_add_column(&schema, "number", SHEAF_NUMBER, SHEAF_F64, missing, &err));
	assert_ok(sheaf_schema_add_column(&schema, "whole", SHEAF_NUMBER, SHEAF_U64, SHEAF_NEVER, &err));
	assert_ok(sheaf_schema_add_column(&schema, "text", SHEAF_STRING, SHEAF_U8, missing, &err));
	assert_ok(sheaf_schema_add_column(&schema, "blob", SHEAF_BYTES, SHEAF_U8, missing, &err));
	assert_ok(sheaf_schema_add_bytes(&schema, "wide", 4, missing, &err));
	assert_ok(sheaf_schema_add_column(&schema, "truth", SHEAF_BOOL, SHEAF_U8, missing, &err));
	assert_ok(sheaf_schema_add_column(&schema, "letter", SHEAF_CHAR, SHEAF_U8, missing, &err));
	assert_ok(sheaf_schema_add_column(&schema, "date", SHEAF_DATETIME, SHEAF_I64, missing, &err));
	assert_ok(sheaf_schema_add_column(&schema, "zoned", SHEAF_DATETIMETZ, SHEAF_I64, missing, &err));
	assert_ok(sheaf_schema_add_column(&schema, "pair", SHEAF_COMPLEX, SHEAF_F32, missing, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	for (int64_t r = 0; r < rows; r++) {
		bool gone = missing == SHEAF_NULLABLE && r % 3 == 1;
		for (int c = 0; c < COLUMNS && gone; c++)
			if (c != WHOLES) sheaf_build_missing(b, c, 0);
		sheaf_build_item(b, WHOLES, &(uint64_t){UINT64_MAX - (uint64_t)r});
		if (!gone) {
			sheaf_build_number(b, NUMBERS, (double)r / 7);
			sheaf_build_text(b, TEXTS, "caf\xc3\xa9, na\xc3\xafve", (size_t[]){3, 5, 14}[r % 3]);
			sheaf_build_text(b, BLOBS, "\xff\x00\xfe", (size_t)(r % 4));
			sheaf_build_item(b, WIDE, "\x01\x02\x03\x04");
			sheaf_build_item(b, TRUTHS, &(uint8_t){(uint8_t)(r % 2)});
			sheaf_build_item(b, LETTERS, &(uint8_t){'x'});
			sheaf_build_integer(b, DATES, r * 86400 - 5);
			sheaf_build_item(b, ZONED, (int64_t[]){r + 3600, 0});
			sheaf_build_item(b, PAIRS, (float[]){(float)r, -1});
		}
		sheaf_build_row(b);
	}
	return take(&schema, b);
}

static void send(const table *t, const sheaf_arrow_options *options, struct ArrowSchema *schema,
                 struct ArrowArray *array)
{
	assert_ok(sheaf_arrow_schema(&t->schema, options, cx, schema, &err));
	assert_ok(sheaf_arrow_frame(&t->frame, &t->schema, options, cx, array, &err));
}

static const struct ArrowSchema *child_named(const struct ArrowSchema *schema, const char *name, int *at)
{
	for (int i = 0; i < schema->n_children; i++)
		if (strcmp(schema->children[i]->name, name) == 0) {
			if (at) *at = i;
			return schema->children[i];
		}
	fail_msg("expected a field \"%s\", found none", name);
	return NULL;
}

/* ---- out ---- */

static void test_what_fields_are_called(void **state)
{
	(void)state;
	static const struct {
		const char *name, *format;
	} wanted[] = {{"number", "g"},      {"whole", "L"},        {"text", "U"},   {"blob", "Z"},
	              {"wide", "w:4"},      {"truth", "b"},        {"letter", "C"}, {"date", "tss:"},
	              {"zoned", "tss:UTC"}, {"zoned.offset", "i"}, {"pair", "+w:2"}};
	table t = cells_of(1, SHEAF_NULLABLE);
	struct ArrowSchema schema;
	assert_ok(sheaf_arrow_schema(&t.schema, NULL, cx, &schema, &err));
	assert_text("+s", schema.format);
	assert_int_equal(schema.n_children, COUNT(wanted));
	for (size_t i = 0; i < COUNT(wanted); i++) {
		const struct ArrowSchema *field = child_named(&schema, wanted[i].name, NULL);
		assert_text(wanted[i].format, field->format);
		assert_int_equal(field->flags, strcmp(field->name, "whole") ? ARROW_FLAG_NULLABLE : 0);
	}
	schema.release(&schema);
	assert_null(schema.release);
	drop(&t);
}

static void test_streams_are_lists(void **state)
{
	(void)state;
	table t = streams_of(5);
	struct ArrowSchema schema;
	struct ArrowArray array;
	send(&t, NULL, &schema, &array);
	const struct ArrowSchema *dense = child_named(&schema, "dense", NULL),
							 *sparse = child_named(&schema, "sparse", NULL);
	assert_text("+L", dense->format);
	assert_text("+w:3", dense->children[0]->format);
	assert_text("f", dense->children[0]->children[0]->format);
	assert_text("+s", sparse->children[0]->children[0]->format);
	assert_text("index", sparse->children[0]->children[0]->children[0]->name);
	assert_text("i", sparse->children[0]->children[0]->children[0]->format);
	assert_text("l", child_named(&schema, "wide", NULL)->children[0]->children[0]->children[0]->format);
	assert_memory_equal(sparse->metadata + 8, "sheaf.dim", 9);
	/* The buffers are ours. */
	assert_ptr_equal(array.children[0]->buffers[1], t.frame.columns[0].levels[0].offsets.data);
	assert_ptr_equal(array.children[0]->children[0]->children[0]->buffers[1], t.frame.columns[0].values.data);
	const struct ArrowArray *entry = array.children[1]->children[0]->children[0];
	assert_ptr_equal(entry->children[0]->buffers[1], t.frame.columns[1].levels[1].indices[0].data);
	assert_ptr_equal(entry->children[1]->buffers[1], t.frame.columns[1].values.data);
	assert_int_equal(array.children[0]->children[0]->length, 0 + 1 + 2 + 3 + 0);
	array.release(&array);
	schema.release(&schema);
	drop(&t);
}

static void test_a_part_of_a_frame(void **state)
{
	(void)state;
	table t = cells_of(40, SHEAF_NULLABLE);
	for (int64_t from = 0; from < 20; from++) {
		sheaf_frame part = {0};
		struct ArrowArray array;
		assert_ok(sheaf_frame_slice(&t.frame, from, 37, &part, &err));
		assert_ok(sheaf_arrow_frame(&part, &t.schema, NULL, cx, &array, &err));
		for (int64_t r = 0; r < 37 - from; r++) {
			const uint8_t *valid = (const uint8_t *)array.children[0]->buffers[0];
			assert_int_equal(valid[r / 8] >> (r % 8) & 1, (from + r) % 3 != 1);
			if ((from + r) % 3 == 1) continue;
			assert_true(((const double *)array.children[0]->buffers[1])[r] == (double)(from + r) / 7);
			const uint8_t *truths = (const uint8_t *)array.children[TRUTHS]->buffers[1];
			assert_int_equal(truths[r / 8] >> (r % 8) & 1, (from + r) % 2);
		}
		array.release(&array);
		sheaf_frame_free(&part);
	}
	drop(&t);
}

static void test_a_child_that_is_moved_away(void **state)
{
	(void)state;
	table t = streams_of(5);
	struct ArrowSchema schema, field;
	struct ArrowArray array, child;
	send(&t, NULL, &schema, &array);
	drop(&t);
	child = *array.children[0];
	array.children[0]->release = NULL;
	field = *schema.children[0];
	schema.children[0]->release = NULL;
	array.release(&array);
	schema.release(&schema);
	assert_text("dense", field.name);
	const float *values = (const float *)child.children[0]->children[0]->buffers[1];
	assert_true(values[0] == 1 && values[2] == 0.5f);
	child.release(&child);
	field.release(&field);
}

static void test_small_offsets(void **state)
{
	(void)state;
	sheaf_arrow_options options = {.small_offsets = true};
	table t = streams_of(5);
	struct ArrowSchema schema;
	struct ArrowArray array;
	send(&t, &options, &schema, &array);
	assert_text("+l", schema.children[0]->format);
	assert_memory_equal(array.children[0]->buffers[1], ((int32_t[]){0, 0, 1, 3, 6, 6}), 24);
	array.release(&array);
	schema.release(&schema);
	drop(&t);
}

/* Each unit there and back, and the names of all of them. */
static void test_units_of_time(void **state)
{
	(void)state;
	static const char units[] = "smun";
	for (int u = 0; u < 4; u++) {
		char wanted[16];
		sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
		sheaf_frame_builder *b;
		struct ArrowSchema fields;
		struct ArrowArray array;
		const sheaf_meaning times[] = {SHEAF_DATETIME, SHEAF_DURATION, SHEAF_DATETIMETZ};
		for (int i = 0; i < 3; i++)
			assert_ok(sheaf_schema_add_times(&schema, (char[]){(char)('a' + i), 0}, times[i], u * 3,
			                                 SHEAF_NEVER, &err));
		assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
		sheaf_build_item(b, 0, &(int64_t){5});
		sheaf_build_item(b, 1, &(int64_t){-6});
		sheaf_build_item(b, 2, (int64_t[]){INT64_C(7200000000007), 2});
		sheaf_build_row(b);
		table t = take(&schema, b);
		send(&t, NULL, &fields, &array);
		snprintf(wanted, sizeof wanted, "ts%c:", units[u]);
		assert_text(wanted, fields.children[0]->format);
		snprintf(wanted, sizeof wanted, "tD%c", units[u]);
		assert_text(wanted, fields.children[1]->format);
		snprintf(wanted, sizeof wanted, "ts%c:UTC", units[u]);
		assert_text(wanted, fields.children[2]->format);
		int64_t second = (int64_t[]){1, 1000, 1000000, 1000000000}[u];
		assert_int_equal(*(const int64_t *)array.children[2]->buffers[1],
		                 INT64_C(7200000000007) - 2 * second);
		assert_text("c.offset", fields.children[3]->name);
		assert_int_equal(*(const int32_t *)array.children[3]->buffers[1], 2);
		array.release(&array);
		fields.release(&fields);
		drop(&t);
	}
}

static void test_times_that_arrow_does_not_hold(void **state)
{
	(void)state;
	static const struct {
		sheaf_meaning meaning;
		int64_t value[2];
		const char *told;
	} rows[] = {
		{SHEAF_DATE, {(int64_t)INT32_MAX + 1}, "that 32 bits hold, found 2147483648"},
		{SHEAF_DATE, {(int64_t)INT32_MIN - 1}, "that 32 bits hold, found -2147483649"},
		{SHEAF_DATE, {INT32_MAX}, NULL},
		{SHEAF_DATE, {INT32_MIN}, NULL},
		{SHEAF_DATETIMETZ, {INT64_MIN, 1}, "that 64 bits hold in UTC, found -9223372036854775808"},
		{SHEAF_DATETIMETZ, {0, (int64_t)INT32_MAX + 1}, "2147483648 seconds ahead"},
		{SHEAF_DATETIMETZ, {0, (int64_t)INT32_MIN - 1}, "-2147483649 seconds ahead"},
		{SHEAF_DATETIMETZ, {0, INT32_MIN}, NULL},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
		sheaf_frame_builder *b;
		struct ArrowArray array;
		assert_status(SHEAF_USAGE,
		              sheaf_schema_add_times(&schema, "t", SHEAF_DATETIME, 5, SHEAF_NEVER, &err));
		assert_message("expected times with 0, 3, 6 or 9 digits");
		assert_ok(sheaf_schema_add_column(&schema, "t", rows[i].meaning, SHEAF_I64, SHEAF_NEVER, &err));
		assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
		sheaf_build_item(b, 0, rows[i].value);
		sheaf_build_row(b);
		table t = take(&schema, b);
		sheaf_status status = sheaf_arrow_frame(&t.frame, &t.schema, NULL, cx, &array, &err);
		assert_int_equal(status, rows[i].told ? SHEAF_DATA : SHEAF_OK);
		if (rows[i].told) assert_message(rows[i].told);
		if (!status) array.release(&array);
		drop(&t);
	}
}

static void test_text_that_is_no_utf8(void **state)
{
	(void)state;
	static const char *const bad[] = {"\xff", "caf\xc3", "\xed\xa0\x80", "abcdefgh\x80", "\xc0\xaf"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
		sheaf_frame_builder *b;
		struct ArrowArray array;
		assert_ok(sheaf_schema_add_column(&schema, "t", SHEAF_STRING, SHEAF_U8, SHEAF_NEVER, &err));
		assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
		sheaf_build_text(b, 0, "fine", 4);
		sheaf_build_row(b);
		sheaf_build_text(b, 0, bad[i], strlen(bad[i]));
		sheaf_build_row(b);
		sheaf_build_text(b, 0, "\xa9", 1); /* it would complete the one before */
		sheaf_build_row(b);
		table t = take(&schema, b);
		assert_status(SHEAF_DATA, sheaf_arrow_frame(&t.frame, &t.schema, NULL, cx, &array, &err));
		assert_text("text-as-bytes", err.advice);
		assert_message("row 1, column \"t\": expected UTF-8 (--text-as-bytes takes any bytes), found byte 0x");
		assert_null(array.release);
		sheaf_arrow_options options = {.text_as_bytes = true};
		assert_ok(sheaf_arrow_frame(&t.frame, &t.schema, &options, cx, &array, &err));
		array.release(&array);
		drop(&t);
	}
}

static void test_codes_on_request(void **state)
{
	(void)state;
	sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
	sheaf_frame_builder *b;
	struct ArrowArray array;
	struct ArrowSchema fields;
	assert_ok(sheaf_schema_add_column(&schema, "x", SHEAF_NUMBER, SHEAF_I32, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &b, &err));
	sheaf_build_missing(b, 0, 5);
	sheaf_build_row(b);
	sheaf_build_integer(b, 0, 1);
	sheaf_build_row(b);
	table t = take(&schema, b);
	assert_status(SHEAF_LOSS, sheaf_arrow_frame(&t.frame, &t.schema, NULL, cx, &array, &err));
	assert_text("codes", err.option);
	sheaf_arrow_options options = {.codes = true};
	send(&t, &options, &fields, &array);
	int at;
	assert_text("c", child_named(&fields, "x.code", &at)->format);
	assert_memory_equal(array.children[at]->buffers[1], "\x05\x00", 2);
	array.release(&array);
	fields.release(&fields);
	drop(&t);
}

static void test_what_is_imputed(void **state)
{
	(void)state;
	uint8_t given = 0x05;
	float values[] = {1, 2, 3};
	sheaf_level_shape level = {.kind = SHEAF_FIXED, .extent = 1, .missing = SHEAF_IMPUTED};
	sheaf_field field = {.name = (char[]){"x"}, .type = SHEAF_F32, .nlevels = 1, .levels = &level};
	sheaf_schema schema = {.rows = SHEAF_CELLS, .nfields = 1, .fields = &field, .cx = cx};
	sheaf_column column = {.nlevels = 1, .type = SHEAF_F32, .values = borrow(values)};
	column.levels = &(sheaf_level){.shape = level, .gaps = &(sheaf_gaps){.valid = {&given, 1, NULL}}};
	sheaf_frame frame = {.nrows = 3, .ncolumns = 1, .columns = &column};
	struct ArrowSchema fields;
	struct ArrowArray array;
	int at;
	assert_ok(sheaf_arrow_schema(&schema, NULL, cx, &fields, &err));
	assert_ok(sheaf_arrow_frame(&frame, &schema, NULL, cx, &array, &err));
	assert_text("b", child_named(&fields, "x.imputed", &at)->format);
	assert_int_equal(*(const uint8_t *)array.children[at]->buffers[1], 0x02);
	assert_int_equal(array.children[0]->null_count, 0);
	array.release(&array);
	fields.release(&fields);
}

static void test_what_is_no_table(void **state)
{
	(void)state;
	sheaf_schema schema = {.cx = cx};
	sheaf_tensor tensor = {.rank = 2, .shape = {2, 3}};
	sheaf_level_shape levels[] = {{.kind = SHEAF_FIXED, .extent = 2}, {.kind = SHEAF_FIXED, .extent = 3}};
	struct ArrowSchema fields;
	assert_ok(sheaf_schema_add_levels(&schema, &tensor, levels, 2, SHEAF_NUMBER, SHEAF_F32, &err));
	assert_status(SHEAF_USAGE, sheaf_arrow_schema(&schema, NULL, cx, &fields, &err));
	assert_message("read it as entries");
	sheaf_schema_free(&schema);
	assert_status(SHEAF_USAGE, sheaf_arrow_schema(NULL, NULL, cx, &fields, &err));
	assert_null(fields.release);
}

/* ---- there and back ---- */

static void check_return(const table *t, const sheaf_arrow_options *options)
{
	struct ArrowSchema schema;
	struct ArrowArray array;
	sheaf_arrow_reader *reader;
	table back = {.cx = cx};
	char sent[33], received[33];
	send(t, options, &schema, &array);
	assert_ok(sheaf_arrow_reader_of(&schema, &array, cx, &reader, &err));
	assert_null(schema.release);
	assert_null(array.release);
	back.schema = *sheaf_arrow_reader_schema(reader);
	assert_ok(sheaf_arrow_reader_next(reader, &back.frame, &err));
	assert_int_equal(back.frame.nrows, t->frame.nrows);
	hash_table(t, true, true, sent);
	hash_table(&back, true, true, received);
	assert_text(sent, received);
	sheaf_frame none;
	assert_status(SHEAF_END, sheaf_arrow_reader_next(reader, &none, &err));
	sheaf_arrow_reader_free(reader);
	sheaf_frame_free(&back.frame);
}

static void test_there_and_back(void **state)
{
	(void)state;
	sheaf_arrow_options small = {.small_offsets = true};
	for (int64_t rows = 1; rows < 40; rows += 7) {
		table streams = streams_of(rows), whole = cells_of(rows, SHEAF_NEVER),
			  holes = cells_of(rows, SHEAF_NULLABLE);
		/* Time zones come back as UTC, and their offset as a column. */
		sheaf_schema_remove(&whole.schema, ZONED);
		sheaf_schema_remove(&holes.schema, ZONED);
		for (int c = ZONED; c + 1 < COLUMNS; c++) {
			sheaf_column moved = whole.frame.columns[c];
			whole.frame.columns[c] = whole.frame.columns[c + 1];
			whole.frame.columns[c + 1] = moved;
			moved = holes.frame.columns[c];
			holes.frame.columns[c] = holes.frame.columns[c + 1];
			holes.frame.columns[c + 1] = moved;
		}
		whole.frame.ncolumns--;
		holes.frame.ncolumns--;
		check_return(&streams, NULL);
		check_return(&streams, &small);
		check_return(&whole, NULL);
		check_return(&holes, NULL);
		check_return(&holes, &small);
		whole.frame.ncolumns++;
		holes.frame.ncolumns++;
		drop(&streams);
		drop(&whole);
		drop(&holes);
	}
}

static void test_a_frame_outlives_its_reader(void **state)
{
	(void)state;
	table t = streams_of(9);
	struct ArrowSchema schema;
	struct ArrowArray array;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	send(&t, NULL, &schema, &array);
	const void *values = t.frame.columns[0].values.data;
	drop(&t);
	assert_ok(sheaf_arrow_reader_of(&schema, &array, cx, &reader, &err));
	assert_ok(sheaf_arrow_reader_next(reader, &frame, &err));
	sheaf_arrow_reader_free(reader);
	assert_ptr_equal(frame.columns[0].values.data, values); /* never copied */
	sheaf_frame_free(&frame);
}

/* ---- streams ---- */

static void test_a_dataset_as_a_stream(void **state)
{
	(void)state;
	sheaf_context *own = usual_context();
	sheaf_dataset *dataset;
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array, kept = {0};
	sheaf_open_options options = {
		.settings = (sheaf_setting[]){{"stream", "A:1:dense"}}, .nsettings = 1, .piece_bytes = 64};
	bytes_sink text = {0};
	for (int i = 0; i < 1000; i++) write_bytes(&text, "|A 1\n", 5);
	write_file("s.ctf", text.data, text.size);
	free_bytes(&text);
	assert_ok(sheaf_open(in_folder("s.ctf"), &options, own, &dataset, &err));
	assert_ok(sheaf_arrow_dataset(dataset, own, NULL, &stream, &err));
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_text("A", schema.children[0]->name);
	schema.release(&schema);
	int64_t rows = 0;
	while (stream.get_next(&stream, &array) == 0 && array.release) {
		rows += array.length;
		if (kept.release) kept.release(&kept);
		kept = array;
	}
	assert_int_equal(rows, 1000);
	assert_null(stream.get_last_error(&stream));
	stream.release(&stream);
	assert_null(stream.release);
	/* Exported arrays outlive all of it. */
	assert_true(((const float *)kept.children[0]->children[0]->children[0]->buffers[1])[0] == 1);
	kept.release(&kept);
}

static void test_a_stream_over_a_bad_file(void **state)
{
	(void)state;
	sheaf_context *own = usual_context();
	sheaf_dataset *dataset;
	struct ArrowArrayStream stream;
	struct ArrowArray array;
	sheaf_open_options options = {.settings = (sheaf_setting[]){{"stream", "A:1:dense"}}, .nsettings = 1};
	write_text("bad.ctf", "|A 1\n|A x\n");
	assert_ok(sheaf_open(in_folder("bad.ctf"), &options, own, &dataset, &err));
	assert_ok(sheaf_arrow_dataset(dataset, own, NULL, &stream, &err));
	int status = 0;
	while (!status && (status = stream.get_next(&stream, &array)) == 0 && array.release)
		array.release(&array);
	assert_int_equal(status, EINVAL);
	assert_non_null(strstr(stream.get_last_error(&stream), "bad.ctf:2:"));
	assert_int_equal(stream.get_next(&stream, &array), EINVAL);
	assert_null(array.release);
	stream.release(&stream);
	assert_status(SHEAF_USAGE, sheaf_arrow_dataset(NULL, NULL, NULL, &stream, &err));
}

typedef struct counter {
	int asked, closed;
	sheaf_status status;
} counter;

static sheaf_status fail_next(void *user, const sheaf_frame **out, sheaf_error *e)
{
	(void)out;
	((counter *)user)->asked++;
	return sheaf_fail(e, ((counter *)user)->status, "no more, for a reason");
}

static void count_close(void *user) { ((counter *)user)->closed++; }

static void test_failures_are_numbers_of_errno(void **state)
{
	(void)state;
	static const struct {
		sheaf_status status;
		int sys;
	} wanted[] = {
		{SHEAF_NOMEM, ENOMEM}, {SHEAF_LIMIT, ENOMEM},        {SHEAF_IO, EIO}, {SHEAF_STOPPED, ECANCELED},
		{SHEAF_DATA, EINVAL},  {SHEAF_UNSUPPORTED, ENOTSUP}, {SHEAF_END, 0}};
	table t = streams_of(1);
	for (size_t i = 0; i < COUNT(wanted); i++) {
		counter feed = {.status = wanted[i].status};
		struct ArrowArrayStream stream;
		struct ArrowArray array;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		assert_ok(sheaf_arrow_stream(&(sheaf_feed){fail_next, count_close, &feed}, &t.schema, NULL, cx,
		                             &stream, &err));
		assert_int_equal(stream.get_next(&stream, &array), wanted[i].sys);
		assert_null(array.release);
		/* And back again. */
		assert_ok(sheaf_arrow_reader_new(&stream, cx, &reader, &err));
		assert_null(stream.release);
		assert_status(wanted[i].sys ? SHEAF_IO : SHEAF_END, sheaf_arrow_reader_next(reader, &frame, &err));
		if (wanted[i].sys) assert_message("no more, for a reason");
		assert_int_equal(feed.asked, wanted[i].sys ? 1 : 2);
		sheaf_arrow_reader_free(reader);
		assert_int_equal(feed.closed, 1);
	}
	counter feed = {0};
	struct ArrowArrayStream stream;
	sheaf_feed closing = {fail_next, count_close, &feed};
	assert_status(SHEAF_USAGE, sheaf_arrow_stream(&closing, NULL, NULL, cx, &stream, &err));
	assert_int_equal(feed.closed, 1);
	drop(&t);
}

/* ---- arrays of others ---- */

static void test_capsules_need_python(void **state)
{
	(void)state;
	table t = streams_of(1);
	struct ArrowSchema schema;
	assert_ok(sheaf_arrow_schema(&t.schema, NULL, cx, &schema, &err));
	assert_null(sheaf_capsule_new("arrow", &schema));
	assert_non_null(schema.release);
	assert_null(sheaf_capsule_new("arrow_schema", &schema));
	assert_null(schema.release);
	assert_null(sheaf_capsule_new("arrow_array", NULL));
	assert_null(sheaf_capsule_content("arrow_array_stream", NULL));
	sheaf_object_drop(NULL);
	sheaf_object_drop(&schema);
	drop(&t);
}

/* Every allocation fails once: nothing leaks, nothing is released twice. */
static void test_memory_that_is_refused(void **state)
{
	(void)state;
	for (int64_t at = 1;; at++) {
		allocator memory = {.fail_at = at};
		sheaf_context_options options = options_with(&memory);
		options.threads = 1;
		sheaf_context *few;
		if (sheaf_context_new(&options, &few, &err)) continue;
		table t = streams_of(3);
		struct ArrowSchema schema = {0};
		struct ArrowArray array = {0};
		sheaf_arrow_reader *reader = NULL;
		sheaf_frame frame = {0};
		sheaf_status status = sheaf_arrow_schema(&t.schema, NULL, few, &schema, &err);
		if (!status) status = sheaf_arrow_frame(&t.frame, &t.schema, NULL, few, &array, &err);
		if (!status) status = sheaf_arrow_reader_of(&schema, &array, few, &reader, &err);
		if (!status) status = sheaf_arrow_reader_next(reader, &frame, &err);
		sheaf_arrow_reader_free(reader);
		sheaf_frame_free(&frame);
		if (schema.release) schema.release(&schema);
		if (array.release) array.release(&array);
		sheaf_context_free(few);
		drop(&t);
		assert_int_equal(memory.bytes, 0);
		if (!status) break;
		assert_int_equal(status, SHEAF_NOMEM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_fields_are_called),
		cmocka_unit_test(test_streams_are_lists),
		cmocka_unit_test(test_a_part_of_a_frame),
		cmocka_unit_test(test_a_child_that_is_moved_away),
		cmocka_unit_test(test_times_that_arrow_does_not_hold),
		cmocka_unit_test(test_small_offsets),
		cmocka_unit_test(test_units_of_time),
		cmocka_unit_test(test_text_that_is_no_utf8),
		cmocka_unit_test(test_codes_on_request),
		cmocka_unit_test(test_what_is_imputed),
		cmocka_unit_test(test_what_is_no_table),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_a_frame_outlives_its_reader),
		cmocka_unit_test(test_a_dataset_as_a_stream),
		cmocka_unit_test(test_a_stream_over_a_bad_file),
		cmocka_unit_test(test_failures_are_numbers_of_errno),
		cmocka_unit_test(test_capsules_need_python),
		cmocka_unit_test(test_memory_that_is_refused),
	};
	return cmocka_run_group_tests(tests, make_context_and_folder, drop_context_and_folder);
}
