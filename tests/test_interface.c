/* SPDX-License-Identifier: MIT */
/* The Arrow C data interface: frames as arrays, shared if nothing must change, and arrays of other
 * programs as frames; both with consumers and producers written here by hand. */
#include "data/print.h"
#include "support.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sheaf_context *cx;

static int begin(void **state)
{
	cx = usual_context();
	return make_folder(state);
}

static int end(void **state)
{
	end_context(cx);
	return remove_folder(state);
}

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
			assert_ok(sheaf_schema_add_column(&schema, (char[]){(char)('a' + i), 0},
			                                  sheaf_meaning_with_digits(times[i], u * 3), SHEAF_I64,
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
		assert_text("text-as-bytes", err.option);
		assert_message("column \"t\"");
		assert_message("position 1");
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

typedef struct made_array {
	struct ArrowSchema schema, fields[4], *field_pointers[4];
	struct ArrowArray array, columns[4], *column_pointers[4];
	const void *root_buffers[1];
	int schemas, arrays; /* how often they were released */
} made_array;

static void count_schema(struct ArrowSchema *schema)
{
	((made_array *)schema->private_data)->schemas++;
	schema->release = NULL;
}

static void count_array(struct ArrowArray *array)
{
	((made_array *)array->private_data)->arrays++;
	array->release = NULL;
}

/* Rows of n columns, which the caller fills in. */
static void make(made_array *m, int n, int64_t rows)
{
	*m = (made_array){0};
	for (int i = 0; i < n; i++) {
		m->field_pointers[i] = &m->fields[i];
		m->column_pointers[i] = &m->columns[i];
	}
	m->schema = (struct ArrowSchema){.format = "+s",
	                                 .name = "",
	                                 .n_children = n,
	                                 .children = m->field_pointers,
	                                 .release = count_schema,
	                                 .private_data = m};
	m->array = (struct ArrowArray){.length = rows,
	                               .n_buffers = 1,
	                               .n_children = n,
	                               .buffers = m->root_buffers,
	                               .children = m->column_pointers,
	                               .release = count_array,
	                               .private_data = m};
}

static void put_field(made_array *m, int i, const char *name, const char *format, int64_t flags)
{
	m->fields[i] = (struct ArrowSchema){.format = format, .name = name, .flags = flags};
}

static void put_column(made_array *m, int i, int64_t length, int64_t nulls, const void **buffers, int n)
{
	m->columns[i] =
		(struct ArrowArray){.length = length, .null_count = nulls, .n_buffers = n, .buffers = buffers};
}

/* Reads it as a frame of one array, as JSON lines of its cells. */
static sheaf_status read_made(made_array *m, sheaf_arrow_reader **reader, sheaf_frame *frame)
{
	*frame = (sheaf_frame){0};
	SHEAF_TRY(sheaf_arrow_reader_of(&m->schema, &m->array, cx, reader, &err));
	return sheaf_arrow_reader_next(*reader, frame, &err);
}

static sheaf_column_arrays column_of(const sheaf_arrow_reader *reader, const sheaf_frame *frame, int column)
{
	sheaf_column_arrays arrays;
	assert_ok(sheaf_frame_column(frame, sheaf_arrow_reader_schema(reader), column, &arrays, &err));
	return arrays;
}

static void end_made(made_array *m, sheaf_arrow_reader *reader, sheaf_frame *frame)
{
	sheaf_arrow_reader_free(reader);
	sheaf_frame_free(frame);
	assert_int_equal(m->schemas, 1);
	assert_int_equal(m->arrays, 1);
}

static void check_texts(const sheaf_column_arrays *c, const char *const *wanted)
{
	for (int64_t r = 0; r < c->nrows; r++) {
		assert_int_equal(sheaf_column_has(c, r), wanted[r] != NULL);
		int64_t n = c->offsets[r + 1] - c->offsets[r];
		assert_int_equal(n, wanted[r] ? strlen(wanted[r]) : 0);
		if (wanted[r]) assert_memory_equal(c->values.u8 + c->offsets[r], wanted[r], (size_t)n);
	}
}

static void test_texts_of_others(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	static const char letters[] = "xxonetwo...three";
	static const int32_t offsets[] = {0, 2, 5, 8, 11, 16};
	static const uint8_t valid[] = {0x16}; /* rows 1, 2 and 4 of five; number 3 covers bytes all the same */
	make(&m, 2, 4);
	put_field(&m, 0, "nulls", "u", ARROW_FLAG_NULLABLE);
	put_column(&m, 0, 4, -1, (const void *[]){valid, offsets, letters}, 3);
	m.columns[0].offset = 1;
	/* Views: four short ones, and one of more than twelve bytes. */
	static const char far[] = "a text of more than twelve bytes";
	struct {
		int32_t n;
		char text[12];
	} views[4] = {{3, "one"}, {0, ""}, {12, "twelve bytes"}, {32, "a te"}};
	memcpy(views[3].text + 4, (int32_t[]){0, 0}, 8);
	int64_t lengths[] = {sizeof far};
	put_field(&m, 1, "views", "vu", 0);
	put_column(&m, 1, 4, 0, (const void *[]){NULL, views, far, lengths}, 4);
	assert_ok(read_made(&m, &reader, &frame));
	sheaf_column_arrays nulls = column_of(reader, &frame, 0), viewed = column_of(reader, &frame, 1);
	check_texts(&nulls, (const char *const[]){"one", "two", NULL, "three"});
	assert_null(viewed.valid);
	assert_int_equal(viewed.offsets[4], 3 + 0 + 12 + 32);
	assert_memory_equal(viewed.values.u8 + viewed.offsets[3], far, 32);
	end_made(&m, reader, &frame);
}

static void test_a_dictionary(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	static const int32_t offsets[] = {0, 3, 4};
	static const int8_t places[] = {1, 0, 0, 5, 1};
	static const uint8_t valid[] = {0x17};
	struct ArrowSchema words = {.format = "u"};
	struct ArrowArray letters = {
		.length = 2, .n_buffers = 3, .buffers = (const void *[]){NULL, offsets, "redx"}};
	make(&m, 1, 5);
	put_field(&m, 0, "colour", "c", ARROW_FLAG_NULLABLE);
	put_column(&m, 0, 5, 1, (const void *[]){valid, places}, 2);
	m.fields[0].dictionary = &words;
	m.columns[0].dictionary = &letters;
	assert_ok(read_made(&m, &reader, &frame));
	sheaf_column_arrays c = column_of(reader, &frame, 0);
	assert_int_equal(c.meaning, SHEAF_STRING);
	check_texts(&c, (const char *const[]){"x", "red", "red", NULL, "x"});
	end_made(&m, reader, &frame);
	/* An index beyond the dictionary, where it is not missing. */
	make(&m, 1, 5);
	put_field(&m, 0, "colour", "c", 0);
	put_column(&m, 0, 5, 0, (const void *[]){NULL, places}, 2);
	m.fields[0].dictionary = &words;
	m.columns[0].dictionary = &letters;
	assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
	assert_message("column \"colour\": expected an index below the size of its dictionary, found 5");
	end_made(&m, reader, &frame);
}

static void test_numbers_of_others(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	static const uint16_t halves[] = {0x3c00, 0xc000, 0x7c00, 0x0001, 0x7e00};
	static const uint8_t bits[] = {0x15};
	static const int32_t days[] = {0, 1, -1, 365, 10};
	_Alignas(8) static char shifted[8 * 6];
	for (int i = 0; i < 5; i++) memcpy(shifted + 4 + 8 * i, &(double){i + 0.5}, 8);
	make(&m, 4, 5);
	put_field(&m, 0, "half", "e", 0);
	put_column(&m, 0, 5, 0, (const void *[]){NULL, halves}, 2);
	put_field(&m, 1, "truth", "b", 0);
	put_column(&m, 1, 5, 0, (const void *[]){NULL, bits}, 2);
	put_field(&m, 2, "day", "tdD", 0);
	put_column(&m, 2, 5, 0, (const void *[]){NULL, days}, 2);
	put_field(&m, 3, "shifted", "g", 0);
	put_column(&m, 3, 5, 0, (const void *[]){NULL, shifted + 4}, 2);
	assert_ok(read_made(&m, &reader, &frame));
	const float *floats = column_of(reader, &frame, 0).values.f32;
	assert_true(floats[0] == 1 && floats[1] == -2 && floats[2] == __builtin_inff() && floats[3] == 0x1p-24f &&
	            floats[4] != floats[4]);
	assert_memory_equal(column_of(reader, &frame, 1).values.u8, "\1\0\1\0\1", 5);
	assert_int_equal(column_of(reader, &frame, 2).meaning, SHEAF_DATETIME);
	assert_memory_equal(column_of(reader, &frame, 2).values.i64,
	                    ((int64_t[]){0, 86400, -86400, 31536000, 864000}), 40);
	assert_true(column_of(reader, &frame, 3).values.f64[4] == 4.5);
	end_made(&m, reader, &frame);
}

static void test_times_of_others(void **state)
{
	(void)state;
	static const int64_t times[] = {1500, INT64_MAX};
	static const struct {
		const char *format;
		sheaf_meaning meaning;
	} cases[] = {{"tss:", SHEAF_DATETIME},    {"tsm:", SHEAF_DATETIME_MS},
	             {"tsu:", SHEAF_DATETIME_US}, {"tsn:", SHEAF_DATETIME_NS},
	             {"tdm", SHEAF_DATETIME_MS},  {"tsm:Europe/Rome", SHEAF_DATETIMETZ_MS},
	             {"tDs", SHEAF_DURATION},     {"tDn", SHEAF_DURATION_NS}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, 2);
		put_field(&m, 0, "t", cases[i].format, 0);
		put_column(&m, 0, 2, 0, (const void *[]){NULL, times}, 2);
		assert_ok(read_made(&m, &reader, &frame));
		assert_int_equal(column_of(reader, &frame, 0).values.i64[0], 1500);
		assert_int_equal(column_of(reader, &frame, 0).meaning, cases[i].meaning);
		end_made(&m, reader, &frame);
	}
}

static void test_lists_of_others(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	sheaf_stream_arrays arrays;
	static const int32_t offsets[] = {1, 2, 2, 4};
	static const double numbers[] = {9, 1, 2, 3, 4, 5, 6, 7};
	const void *values[] = {NULL, numbers};
	struct ArrowSchema number = {.format = "g", .name = "item"}, *numbers_of[] = {&number};
	struct ArrowArray number_array = {.length = 7, .offset = 1, .n_buffers = 2, .buffers = values},
					  *arrays_of[] = {&number_array};
	make(&m, 2, 3);
	put_field(&m, 0, "list", "+l", ARROW_FLAG_NULLABLE);
	m.fields[0].n_children = 1;
	m.fields[0].children = numbers_of;
	put_column(&m, 0, 3, 0, (const void *[]){NULL, offsets}, 2);
	m.columns[0].n_children = 1;
	m.columns[0].children = arrays_of;
	put_field(&m, 1, "vector", "+w:2", 0);
	m.fields[1].n_children = 1;
	m.fields[1].children = numbers_of;
	put_column(&m, 1, 3, 0, (const void *[]){NULL}, 1);
	m.columns[1].n_children = 1;
	m.columns[1].children = arrays_of;
	assert_ok(read_made(&m, &reader, &frame));
	assert_ok(sheaf_frame_stream(&frame, sheaf_arrow_reader_schema(reader), 0, &arrays, &err));
	assert_int_equal(arrays.dim, 1);
	assert_memory_equal(arrays.rows, ((int64_t[]){0, 1, 1, 3}), 32);
	assert_ptr_equal(arrays.values.data, numbers + 2);
	assert_ok(sheaf_frame_stream(&frame, sheaf_arrow_reader_schema(reader), 1, &arrays, &err));
	assert_int_equal(arrays.dim, 2);
	assert_memory_equal(arrays.rows, ((int64_t[]){0, 1, 2, 3}), 32);
	assert_int_equal(arrays.values.count, 6);
	end_made(&m, reader, &frame);
}

static void put_cell(char *text, size_t size, const sheaf_frame *frame, int column, int64_t r);

/* A dictionary of numbers, one of which is missing, and indices, one of which is missing, too. */
static void test_dictionaries_of_numbers(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	char text[100] = "";
	static const uint8_t indices[] = {2, 0, 1, 0, 2}, all_but_last[] = {0xf}, but_the_second[] = {5};
	static const int64_t words[] = {-7, 1, 1LL << 62};
	const void *values[] = {but_the_second, words};
	struct ArrowSchema word = {.format = "l", .name = "", .flags = ARROW_FLAG_NULLABLE};
	struct ArrowArray word_array = {.length = 3, .null_count = 1, .n_buffers = 2, .buffers = values};
	make(&m, 1, 5);
	put_field(&m, 0, "c", "C", ARROW_FLAG_NULLABLE);
	m.fields[0].dictionary = &word;
	put_column(&m, 0, 5, 1, (const void *[]){all_but_last, indices}, 2);
	m.columns[0].null_count = 1;
	m.columns[0].dictionary = &word_array;
	assert_ok(read_made(&m, &reader, &frame));
	for (int64_t r = 0; r < 5; r++) put_cell(text, sizeof text, &frame, 0, r);
	assert_string_equal(text, "4611686018427387904 -7 null -7 null");
	end_made(&m, reader, &frame);
	word_array.length = 2;
	make(&m, 1, 5);
	put_field(&m, 0, "c", "C", ARROW_FLAG_NULLABLE);
	m.fields[0].dictionary = &word;
	put_column(&m, 0, 5, 1, (const void *[]){NULL, indices}, 2);
	m.columns[0].dictionary = &word_array;
	assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
	assert_message("expected an index below the size of its dictionary, found 2");
	end_made(&m, reader, &frame);
}

static void make_text_lists(made_array *m, struct ArrowSchema **item, struct ArrowArray **items, int columns)
{
	static const int32_t offsets[] = {0, 2, 2, 3};
	static const void *buffers[] = {NULL, offsets};
	make(m, columns, 3);
	put_field(m, 0, "words", "+l", 0);
	m->fields[0].n_children = 1;
	m->fields[0].children = item;
	put_column(m, 0, 3, 0, buffers, 2);
	m->columns[0].n_children = 1;
	m->columns[0].children = items;
}

/* Lists of texts beside a stream are texts of samples; alone they are refused. */
static void test_lists_of_texts(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	char text[100] = "";
	static const int32_t ends[] = {0, 1, 3, 3};
	static const uint8_t valid[] = {3};
	static const double numbers[] = {1, 2, 3};
	struct ArrowSchema item = {.format = "u", .name = "item", .flags = ARROW_FLAG_NULLABLE}, *of[] = {&item};
	struct ArrowSchema number = {.format = "g", .name = "item"}, *numbers_of[] = {&number};
	const void *texts[] = {valid, ends, "abc"}, *values[] = {NULL, numbers};
	struct ArrowArray items = {.length = 3, .null_count = 1, .n_buffers = 3, .buffers = texts},
					  *arrays[] = {&items},
					  vector = {.length = 3, .n_buffers = 2, .buffers = values}, *vectors[] = {&vector};
	make_text_lists(&m, of, arrays, 1);
	assert_status(SHEAF_UNSUPPORTED, read_made(&m, &reader, &frame));
	assert_message("arrow column \"words\": expected lists of texts beside lists of numbers");
	end_made(&m, NULL, &frame);
	make_text_lists(&m, of, arrays, 2);
	put_field(&m, 1, "A", "+w:1", 0);
	m.fields[1].n_children = 1;
	m.fields[1].children = numbers_of;
	put_column(&m, 1, 3, 0, (const void *[]){NULL}, 1);
	m.columns[1].n_children = 1;
	m.columns[1].children = vectors;
	assert_ok(read_made(&m, &reader, &frame));
	for (int64_t r = 0; r < 3; r++) put_cell(text, sizeof text, &frame, 0, r);
	assert_string_equal(text, "\"a\" \"bc\" - null");
	end_made(&m, reader, &frame);
}

static void test_what_has_no_place(void **state)
{
	(void)state;
	static const struct {
		const char *format, *message;
	} bad[] = {
		{"d:10,2,24", "found type \"d:10,2,24\", decimals (the program that has written it can cast it"},
		{"d:77,2", "decimals"},
		{"d:10", "decimals"},
		{"d:10,2,128x", "decimals"},
		{"d:10,77", "decimals"},
		{"+m", "found type \"+m\""},
		{"ttm", "found type \"ttm\""},
		{"+r", "found type \"+r\""},
		{"w:0", "found type \"w:0\""},
		{"tDx", "found type"},
		{"", "found type"},
		{NULL, "found type \"\""}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, 1);
		put_field(&m, 0, "c", bad[i].format, 0);
		put_column(&m, 0, 1, 0, (const void *[]){NULL, "12345678"}, 2);
		assert_status(SHEAF_UNSUPPORTED, read_made(&m, &reader, &frame));
		assert_message(bad[i].message);
		assert_null(reader);
		end_made(&m, NULL, &frame);
	}
}

/* The message names the type of the words, not of the indices. */
static void test_dictionaries_that_have_no_place(void **state)
{
	(void)state;
	static const char *const formats[] = {"d:38,2", "+vl", "+m"};
	for (size_t i = 0; i < COUNT(formats); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		char message[80];
		make(&m, 1, 1);
		put_field(&m, 0, "c", "c", 0);
		struct ArrowSchema words = {.format = formats[i], .name = ""};
		m.fields[0].dictionary = &words;
		put_column(&m, 0, 1, 0, (const void *[]){NULL, "1"}, 2);
		assert_status(SHEAF_UNSUPPORTED, read_made(&m, &reader, &frame));
		snprintf(message, sizeof message, "found a dictionary of type \"%s\"", formats[i]);
		assert_message(message);
		end_made(&m, NULL, &frame);
	}
}

/* Row r of a column, after those before it. */
static void put_cell(char *text, size_t size, const sheaf_frame *frame, int column, int64_t r)
{
	sheaf_builder b;
	size_t n = strlen(text);
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_position_text(&b, &frame->columns[column], 0, r, SHEAF_TEXT_SHORT);
	sheaf_builder_byte(&b, '\0');
	snprintf(text + n, size - n, "%s%s", n ? " " : "", (const char *)b.data);
	sheaf_builder_drop(&b);
}

static void test_decimals(void **state)
{
	(void)state;
	static const int64_t numbers[][2] = {{-1234, -1}, {5, 0}, {999999999999999, 0}};
	static const int32_t narrow[] = {-7, 70, 0};
	static const struct {
		const char *format;
		const void *values;
		const char *rows;
	} good[] = {{"d:15,2", numbers, "-12.34 0.05 9999999999999.99"},
	            {"d:16,0", numbers, "-1234 5 999999999999999"},
	            {"d:15,-1", numbers, "-12340 50 9999999999999990"},
	            {"d:20,3", numbers, "\"-1.234\" \"0.005\" \"999999999999.999\""},
	            {"d:19,-1", numbers, "\"-12340\" \"50\" \"9999999999999990\""},
	            {"d:9,12,32", narrow, "-7e-12 7e-11 0"},
	            {"d:9,30,32", narrow,
	             "\"-0.000000000000000000000000000007\" \"0.000000000000000000000000000070\" "
	             "\"0.000000000000000000000000000000\""}};
	for (size_t i = 0; i < COUNT(good); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		char found[300] = "";
		make(&m, 1, 3);
		put_field(&m, 0, "d", good[i].format, 0);
		put_column(&m, 0, 3, 0, (const void *[]){NULL, good[i].values}, 2);
		assert_ok(read_made(&m, &reader, &frame));
		for (int64_t r = 0; r < 3; r++) put_cell(found, sizeof found, &frame, 0, r);
		assert_string_equal(found, good[i].rows);
		end_made(&m, reader, &frame);
	}
}

static void test_decimals_of_too_many_digits(void **state)
{
	(void)state;
	static const int64_t numbers[][2] = {{1, 0}, {INT64_C(1000000000000000), 0}, {0, 1}};
	static const char *const formats[] = {"d:15,2", "d:14,-3", "d:18,0"};
	static const int rows[] = {1, 1, 2};
	for (size_t i = 0; i < COUNT(formats); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		char expected[100];
		make(&m, 1, 3);
		put_field(&m, 0, "d", formats[i], 0);
		put_column(&m, 0, 3, 0, (const void *[]){NULL, numbers}, 2);
		snprintf(expected, sizeof expected,
		         "column \"d\": expected decimals of as many digits as their type says, found more in row %d",
		         rows[i]);
		assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
		assert_message(expected);
		end_made(&m, reader, &frame);
	}
}

/* Mistakes of a producer that a consumer can detect. */
static void test_arrays_that_are_not_sound(void **state)
{
	(void)state;
	static const int32_t falling[] = {0, 5, 2};
	static const uint8_t second_missing[] = {0x01};
	const void *one[] = {NULL, "12345678"}, *none[] = {NULL, NULL}, *texts[] = {NULL, falling, "abcdefgh"},
			   *gap[] = {second_missing, "12345678"};
	struct {
		const char *format;
		int64_t length, nulls;
		const void **buffers;
		int n;
		const char *message;
	} bad[] = {{"i", 1, 0, one, 2, "as many positions as its parent covers, found 1"},
	           {"i", 2, 0, one, 1, "the buffers of its type, found 1"},
	           {"i", 2, 0, none, 2, "expected its elements, found none in buffer 1"},
	           {"i", -1, 0, one, 2, "positions"},
	           {"u", 2, 0, texts, 3, ""},
	           {"i", 2, 1, gap, 2, "null"}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, 2);
		put_field(&m, 0, "c", bad[i].format, 0);
		put_column(&m, 0, bad[i].length, bad[i].nulls, bad[i].buffers, bad[i].n);
		assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
		assert_message(bad[i].message);
		end_made(&m, reader, &frame);
	}
}

static void test_capsules_need_python(void **state)
{
	(void)state;
	table t = streams_of(1);
	struct ArrowSchema schema;
	assert_ok(sheaf_arrow_schema(&t.schema, NULL, cx, &schema, &err));
	assert_null(sheaf_capsule_schema(&schema));
	assert_null(schema.release);
	assert_null(sheaf_capsule_array(NULL));
	assert_null(sheaf_stream_in_capsule(NULL));
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
		cmocka_unit_test(test_texts_of_others),
		cmocka_unit_test(test_a_dictionary),
		cmocka_unit_test(test_numbers_of_others),
		cmocka_unit_test(test_times_of_others),
		cmocka_unit_test(test_lists_of_others),
		cmocka_unit_test(test_dictionaries_of_numbers),
		cmocka_unit_test(test_lists_of_texts),
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_decimals_of_too_many_digits),
		cmocka_unit_test(test_what_has_no_place),
		cmocka_unit_test(test_dictionaries_that_have_no_place),
		cmocka_unit_test(test_arrays_that_are_not_sound),
		cmocka_unit_test(test_capsules_need_python),
		cmocka_unit_test(test_memory_that_is_refused),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
