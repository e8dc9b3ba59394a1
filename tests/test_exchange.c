/* SPDX-License-Identifier: MIT */
/* Rows for other programs: buffers that outlive the dataset and the context they come from, inputs whose
 * bytes a caller's function gives in any order. */
#include "io/source.h"
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char two_streams[] = "0 |A 1 2 |B 3:1 5:2.5\n"
								  "0 |A 3 4\n"
								  "1 |A 5 6 |B 0:7\n";
static const sheaf_setting streams[] = {{"stream", "A:2:dense"}, {"stream", "B:10:sparse"}};

static sheaf_dataset *open_text(sheaf_context *cx, const char *name, const char *text)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = {.settings = streams, .nsettings = COUNT(streams)};
	write_text(name, text);
	assert_ok(sheaf_open(in_folder(name), &options, cx, &dataset, &err));
	return dataset;
}

static const sheaf_flat *find(const sheaf_held *held, int column, int part, int at)
{
	int n;
	const sheaf_flat *flats = sheaf_held_buffers(held, &n);
	for (int i = 0; i < n; i++)
		if (flats[i].column == column && flats[i].part == part && flats[i].at == at) return &flats[i];
	fail_msg("expected part %d of column %d, found none", part, column);
	return NULL;
}

/* ---- buffers ---- */

static void test_buffers_in_one_list(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset = open_text(cx, "a.ctf", two_streams);
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	const sheaf_frame *frame;
	sheaf_held *held;
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_ok(sheaf_frame_hold(frame, schema, cx, &held, &err));
	int a = sheaf_schema_find(schema, "A"), b = sheaf_schema_find(schema, "B");
	const sheaf_flat *rows = find(held, a, SHEAF_PART_OFFSETS, 0);
	assert_int_equal(rows->count, 3);
	assert_memory_equal(rows->data, ((int64_t[]){0, 2, 3}), 24);
	const sheaf_flat *values = find(held, a, SHEAF_PART_VALUES, 0);
	assert_int_equal(values->count, 6);
	assert_int_equal(values->type, SHEAF_F32);
	assert_memory_equal(values->data, ((float[]){1, 2, 3, 4, 5, 6}), 24);
	const sheaf_flat *indices = find(held, b, SHEAF_PART_INDICES, 0);
	assert_int_equal(indices->count, 3);
	assert_int_equal(indices->type, SHEAF_I32);
	assert_memory_equal(indices->data, ((int32_t[]){3, 5, 0}), 12);
	assert_memory_equal(find(held, b, SHEAF_PART_OFFSETS, 1)->data, ((int64_t[]){0, 2, 3}), 24);
	const sheaf_frame *again = sheaf_held_frame(held);
	sheaf_buffer text = {0};
	assert_int_equal(again->nrows, 2);
	assert_ptr_equal(again->columns[a].values.data, values->data);
	assert_ok(sheaf_rows_text(again, schema, SHEAF_JSON, 0, 1, 2, &text, &err));
	assert_non_null(strstr((const char *)text.data, "\"A\":[[5,6]]"));
	sheaf_buffer_reset(&text);
	sheaf_held_free(held);
	sheaf_close(dataset);
	end_context(cx);
}

static void test_what_is_missing_and_why(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_schema schema = {.rows = SHEAF_CELLS, .cx = cx};
	sheaf_frame_builder *builder;
	sheaf_frame frame;
	sheaf_held *held;
	assert_ok(sheaf_schema_add_column(&schema, "x", SHEAF_NUMBER, SHEAF_I32, SHEAF_NULLABLE, &err));
	assert_ok(sheaf_frame_builder_new(&schema, cx, &builder, &err));
	for (int r = 0; r < 10; r++) {
		if (r == 3)
			sheaf_build_missing(builder, 0, 7);
		else
			sheaf_build_integer(builder, 0, r);
		sheaf_build_row(builder);
	}
	assert_ok(sheaf_frame_builder_take(builder, &frame, &err));
	sheaf_frame_builder_free(builder);
	assert_ok(sheaf_frame_hold(&frame, &schema, cx, &held, &err));
	const sheaf_flat *valid = find(held, 0, SHEAF_PART_VALID, 0);
	assert_int_equal(valid->count, 10);
	assert_int_equal(valid->first, 0);
	assert_int_equal(((const uint8_t *)valid->data)[0], 0xff & ~(1 << 3));
	assert_int_equal(((const int8_t *)find(held, 0, SHEAF_PART_CODES, 0)->data)[3], 7);
	sheaf_held_free(held);
	sheaf_frame_free(&frame);
	sheaf_schema_free(&schema);
	end_context(cx);
}

static void test_what_cannot_be_held(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_held *held;
	sheaf_schema schema = {.cx = cx};
	assert_status(SHEAF_USAGE, sheaf_frame_hold(NULL, &schema, cx, &held, &err));
	assert_null(held);
	assert_status(SHEAF_USAGE, sheaf_frame_hold(&(sheaf_frame){.nrows = -1}, &schema, cx, &held, &err));
	assert_status(SHEAF_USAGE, sheaf_frame_hold(&(sheaf_frame){0}, &schema, NULL, &held, &err));
	assert_null(sheaf_held_buffers(NULL, NULL));
	assert_null(sheaf_held_frame(NULL));
	sheaf_held_free(NULL);
	end_context(cx);
}

/* Memory is aligned whatever its size, outlives its context, and serves the next one that wants as much. */
static void test_memory_is_held(void **state)
{
	static const int64_t sizes[] = {0, 1, 16, 64, 1000, 5 << 20};
	sheaf_held *held;
	void *data, *again;
	int n;
	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		sheaf_context *cx = usual_context();
		assert_ok(sheaf_hold_memory(sizes[i], cx, &data, &held, &err));
		sheaf_context_free(cx);
		assert_int_equal((uintptr_t)data % 64, 0);
		const sheaf_flat *only = sheaf_held_buffers(held, &n);
		assert_int_equal(n, 1);
		assert_int_equal(only->count, sizes[i]);
		assert_int_equal(only->type, SHEAF_U8);
		assert_null(sheaf_held_frame(held));
		memset(data, 7, (size_t)sizes[i]);
		sheaf_held_free(held);
	}
	sheaf_context_options options = {.size = sizeof options, .keep_memory = true};
	for (int i = 0; i < 2; i++) {
		sheaf_context *cx = context_with(&options);
		assert_ok(sheaf_hold_memory(5 << 20, cx, &again, &held, &err));
		sheaf_context_free(cx);
		sheaf_held_free(held);
		if (i) assert_ptr_equal(again, data);
		data = again;
	}
}

static void test_no_memory_is_held(void **state)
{
	sheaf_held *held;
	void *data;
	(void)state;
	sheaf_context *cx = context_with(&(sheaf_context_options){.size = sizeof(sheaf_context_options),
	                                                          .max_memory = 1 << 20});
	assert_status(SHEAF_USAGE, sheaf_hold_memory(-1, cx, &data, &held, &err));
	assert_status(SHEAF_USAGE, sheaf_hold_memory(1, cx, NULL, &held, &err));
	assert_status(SHEAF_USAGE, sheaf_hold_memory(1, cx, &data, NULL, &err));
	assert_status(SHEAF_USAGE, sheaf_hold_memory(1, NULL, &data, &held, &err));
	assert_status(SHEAF_LIMIT, sheaf_hold_memory(INT64_MAX, cx, &data, &held, &err));
	assert_null(held);
	assert_null(data);
	sheaf_context_free(cx);
}

/* ---- batches ---- */

static void hold_batch(sheaf_packing packing, sheaf_held **held, sheaf_context *own, int *a)
{
	sheaf_dataset *dataset;
	sheaf_batches *batches;
	const sheaf_batch *batch;
	sheaf_open_options options = {.settings = streams, .nsettings = COUNT(streams), .access = SHEAF_RANDOM};
	sheaf_batch_options how = {
		.order = "file", .batch_size = 100, .packing = &(sheaf_packing_options){.packing = packing}};
	write_text("h.ctf", two_streams);
	assert_ok(sheaf_open(in_folder("h.ctf"), &options, own, &dataset, &err));
	assert_ok(sheaf_batches_open(&dataset, 1, &how, own, &batches, &err));
	assert_ok(sheaf_batches_next(batches, &batch, &err));
	const sheaf_schema *schema = sheaf_batches_schema(batches);
	*a = sheaf_schema_find(schema, "A");
	assert_ok(sheaf_batch_hold(batch, schema, own, held, &err));
	sheaf_batches_close(batches);
	sheaf_close(dataset);
	sheaf_context_free(own);
}

static void test_a_dataset_as_a_stream(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array;
	int64_t rows = 0;
	sheaf_dataset *dataset = open_text(cx, "a.ctf", two_streams);
	assert_ok(sheaf_arrow_dataset(dataset, cx, NULL, &stream, &err)); /* which owns both from now on */
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_string_equal(schema.format, "+s");
	schema.release(&schema);
	for (;;) {
		assert_int_equal(stream.get_next(&stream, &array), 0);
		if (!array.release) break;
		rows += array.length;
		array.release(&array);
	}
	assert_int_equal(rows, 2);
	stream.release(&stream);
	assert_status(SHEAF_USAGE, sheaf_arrow_dataset(NULL, NULL, NULL, &stream, &err));
	assert_null(stream.release);
}

static void test_batches_are_held(void **state)
{
	(void)state;
	sheaf_held *held;
	int a;
	hold_batch(SHEAF_PACK_NONE, &held, usual_context(), &a);
	assert_memory_equal(find(held, a, SHEAF_PART_VALUES, 0)->data, ((float[]){1, 2, 3, 4, 5, 6}), 24);
	assert_memory_equal(find(held, -1, SHEAF_PART_KEYS, 0)->data, ((uint64_t[]){0, 1}), 16);
	assert_memory_equal(find(held, -1, SHEAF_PART_LENGTHS, 0)->data, ((uint32_t[]){2, 1}), 8);
	sheaf_held_free(held);
	hold_batch(SHEAF_PACK_PADDED, &held, usual_context(), &a);
	const sheaf_flat *values = find(held, a, SHEAF_PART_VALUES, 0), *mask = find(held, a, SHEAF_PART_MASK, 0);
	assert_int_equal(values->count, 8);
	assert_memory_equal(values->data, ((float[]){1, 2, 3, 4, 5, 6, 0, 0}), 32);
	assert_int_equal(mask->count, 4);
	assert_memory_equal(mask->data, "\1\1\1\0", 4);
	assert_memory_equal(find(held, 1 - a, SHEAF_PART_STARTS, 0)->data, ((int32_t[]){0, 2, 3}), 12);
	assert_memory_equal(find(held, 1 - a, SHEAF_PART_INDICES, 0)->data, ((int32_t[]){3, 5, 0}), 12);
	sheaf_held_free(held);
	assert_status(SHEAF_USAGE, sheaf_batch_hold(NULL, NULL, NULL, &held, &err));
}

/* ---- what stopped a call ---- */

static void test_the_problem_that_stopped_a_call(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset = open_text(cx, "i.ctf", "|A 1 2 |B 1:1\n|A 1 x |B 1:1\n");
	const sheaf_frame *frame;
	sheaf_status status;
	while (!(status = sheaf_next(dataset, &frame, &err))) {
	}
	assert_status(SHEAF_DATA, status);
	sheaf_close(dataset);
	assert_int_equal(err.status, SHEAF_DATA);
	assert_int_equal(err.line, 2);
	assert_int_equal(err.column, 6);
	assert_int_equal(err.byte, 19);
	assert_part(in_folder("i.ctf"), file);
	assert_part("A", stream);
	assert_part("a number", expected);
	assert_part("\"x\"", found);
	end_context(cx);
}

/* ---- after the context ---- */

/* The test's own memory, so that leaks can be counted when the context is freed. */
static sheaf_held *hold_all(allocator *memory, int threads, const char *text)
{
	sheaf_held *held;
	const sheaf_frame *frame;
	sheaf_context_options options = options_with(memory);
	options.threads = threads;
	options.no_mapping = true;
	sheaf_context *cx = context_with(&options);
	sheaf_dataset *dataset = open_text(cx, "b.ctf", text);
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_ok(sheaf_frame_hold(frame, sheaf_dataset_schema(dataset), cx, &held, &err));
	sheaf_close(dataset);
	sheaf_context_free(cx);
	return held;
}

static void test_buffers_outlive_their_context(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 3; threads += 2) {
		allocator memory = {0};
		sheaf_held *held = hold_all(&memory, threads, two_streams);
		assert_true(memory.bytes > 0);
		assert_memory_equal(find(held, 0, SHEAF_PART_VALUES, 0)->data, ((float[]){1, 2, 3, 4, 5, 6}), 24);
		sheaf_held_free(held);
		assert_int_equal(memory.bytes, 0);
	}
}

static void *let_go(void *held)
{
	sheaf_held_free((sheaf_held *)held);
	return NULL;
}

static void test_buffers_go_on_any_thread(void **state)
{
	(void)state;
	allocator memory = {0};
	pthread_t threads[4];
	sheaf_held *held[COUNT(threads)];
	for (size_t i = 0; i < COUNT(threads); i++) held[i] = hold_all(&memory, 2, two_streams);
	for (size_t i = 0; i < COUNT(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, let_go, held[i]), 0);
	for (size_t i = 0; i < COUNT(threads); i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(memory.bytes, 0);
}

static void test_a_buffer_alone_keeps_what_it_needs(void **state)
{
	(void)state;
	sheaf_buffer kept = {0};
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset = open_text(cx, "c.ctf", two_streams);
	const sheaf_frame *frame;
	assert_ok(sheaf_next(dataset, &frame, &err));
	kept = sheaf_buffer_ref(&frame->columns[0].values);
	sheaf_close(dataset);
	sheaf_context_free(cx);
	assert_memory_equal(kept.data, ((float[]){1, 2, 3, 4, 5, 6}), 24);
	sheaf_buffer_reset(&kept);
}

/* ---- inputs in ranges ---- */

typedef struct remote {
	bytes_sink bytes;
	int64_t most;    /* bytes in one answer */
	int64_t fail_at; /* the byte from which on reading fails; -1: none */
	int64_t end;     /* the input turns out to end here */
} remote;

static int64_t read_remote(void *user, int64_t offset, void *data, size_t n)
{
	const remote *r = (const remote *)user;
	assert_true(offset >= 0 && n > 0);
	if (r->fail_at >= 0 && offset + (int64_t)n > r->fail_at) return -ECONNRESET;
	if (offset >= r->end) return 0;
	int64_t size = (int64_t)n < r->most ? (int64_t)n : r->most;
	if (size > r->end - offset) size = r->end - offset;
	memcpy(data, r->bytes.data + offset, (size_t)size);
	return size;
}

static remote remote_file(const char *name, int64_t most)
{
	remote r = {.bytes = read_file(name), .most = most, .fail_at = -1};
	r.end = (int64_t)r.bytes.size;
	return r;
}

static void convert(const char *from, const char *to)
{
	sheaf_context *cx = usual_context();
	const char *input = in_folder(from);
	sheaf_convert_options options = {
		.open = &(sheaf_open_options){.settings = streams, .nsettings = COUNT(streams)}};
	write_text(from, two_streams);
	assert_ok(sheaf_convert(&input, 1, in_folder(to), &options, cx, &err));
	end_context(cx);
}

/* Reads the remote file as a dataset to its end; gives its rows, or the status. */
static sheaf_status count_rows(remote *r, const char *name, int64_t *rows)
{
	sheaf_context *cx = usual_context();
	sheaf_source *source;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	int64_t size = (int64_t)r->bytes.size;
	*rows = 0;
	assert_ok(sheaf_source_ranges(read_remote, r, size, name, cx, &source, &err));
	sheaf_status status = sheaf_open_source(source, NULL, cx, &dataset, &err);
	while (!status && !(status = sheaf_next(dataset, &frame, &err))) *rows += frame->nrows;
	sheaf_close(dataset);
	end_context(cx);
	return status;
}

static void test_a_remote_file(void **state)
{
	(void)state;
	int64_t rows;
	convert("d.ctf", "d.cbf");
	for (int64_t most = 1; most < 10000; most = most * 7 + 1) {
		remote r = remote_file("d.cbf", most);
		assert_int_equal(count_rows(&r, "far/d.cbf", &rows), SHEAF_END);
		assert_int_equal(rows, 2);
		free_bytes(&r.bytes);
	}
}

static void test_a_compressed_remote_file(void **state)
{
	(void)state;
	int64_t rows;
	convert("e.ctf", "e.cbf.gz");
	remote r = remote_file("e.cbf.gz", 10);
	assert_int_equal(count_rows(&r, "far/e.cbf.gz", &rows), SHEAF_END);
	assert_int_equal(rows, 2);
	free_bytes(&r.bytes);
}

static void test_a_remote_file_that_breaks_off(void **state)
{
	(void)state;
	int64_t rows;
	convert("f.ctf", "f.cbf");
	remote r = remote_file("f.cbf", 100);
	r.fail_at = 40;
	assert_int_equal(count_rows(&r, "far/f.cbf", &rows), SHEAF_IO);
	assert_int_equal(err.sys, ECONNRESET);
	assert_message("far/f.cbf");
	r.fail_at = -1;
	r.end = r.end - 3;
	assert_int_equal(count_rows(&r, "far/f.cbf", &rows), SHEAF_SHORT);
	free_bytes(&r.bytes);
}

static int64_t read_too_much(void *user, int64_t offset, void *data, size_t n)
{
	(void)user, (void)offset, (void)data;
	return (int64_t)n + 1;
}

static void test_ranges_that_cannot_be(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_source *source;
	sheaf_bytes bytes;
	assert_status(SHEAF_USAGE, sheaf_source_ranges(NULL, NULL, 1, "a", cx, &source, &err));
	assert_status(SHEAF_USAGE, sheaf_source_ranges(read_remote, NULL, -1, "a", cx, &source, &err));
	assert_null(source);
	assert_ok(sheaf_source_ranges(read_too_much, NULL, 10, "a", cx, &source, &err));
	assert_status(SHEAF_USAGE, sheaf_source_ahead(source, 1, &bytes, &err));
	assert_message("expected at most 10 bytes from the read function, found 11");
	sheaf_source_close(source);
	assert_ok(sheaf_source_ranges(read_too_much, NULL, 0, "a", cx, &source, &err));
	assert_ok(sheaf_source_ahead(source, 1, &bytes, &err));
	assert_int_equal(bytes.size, 0);
	assert_int_equal(sheaf_source_size(source), 0);
	sheaf_source_close(source);
	end_context(cx);
}

/* ---- inputs that are not mapped ---- */

static void test_no_mapping_reads_into_memory(void **state)
{
	(void)state;
	sheaf_context_options options = {.no_mapping = true};
	sheaf_context *cx = context_with(&options);
	sheaf_source *source;
	sheaf_buffer view = {0};
	write_text("g", "0123456789");
	assert_ok(sheaf_source_path(in_folder("g"), cx, &source, &err));
	assert_ok(sheaf_source_make_seekable(source, &err));
	assert_ok(sheaf_source_view_at(source, 2, 3, &view, &err));
	write_text("g", "");
	assert_memory_equal(view.data, "234", 3);
	sheaf_buffer_reset(&view);
	sheaf_source_close(source);
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffers_in_one_list),
		cmocka_unit_test(test_what_is_missing_and_why),
		cmocka_unit_test(test_what_cannot_be_held),
		cmocka_unit_test(test_memory_is_held),
		cmocka_unit_test(test_no_memory_is_held),
		cmocka_unit_test(test_a_dataset_as_a_stream),
		cmocka_unit_test(test_batches_are_held),
		cmocka_unit_test(test_the_problem_that_stopped_a_call),
		cmocka_unit_test(test_buffers_outlive_their_context),
		cmocka_unit_test(test_buffers_go_on_any_thread),
		cmocka_unit_test(test_a_buffer_alone_keeps_what_it_needs),
		cmocka_unit_test(test_a_remote_file),
		cmocka_unit_test(test_a_compressed_remote_file),
		cmocka_unit_test(test_a_remote_file_that_breaks_off),
		cmocka_unit_test(test_ranges_that_cannot_be),
		cmocka_unit_test(test_no_mapping_reads_into_memory),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
