/* SPDX-License-Identifier: MIT */
/* Example files as rows, by the library: pipe mode, pieces in any order, what writers refuse, flushing and
 * opening again. */
#include "dataset/index/pieces.h"
#include "io/sink.h"
#include "io/source.h"
#include "support.h"

#include <sheaf/batch.h>
#include <sheaf/pieces.h>
#include <stdio.h>
#include <string.h>

static const char three[] = ";\nname:{a} freq:2 I: 1 2 T: 3;\nI: 4 5 T: 6;\n2 [0] I: 7 8 [1] T: 9;\n";
static const sheaf_setting network[] = {{"group", "x:2:input"}, {"group", "y:1:output"}};

static sheaf_open_options piped(bool once)
{
	return (sheaf_open_options){.size = sizeof(sheaf_open_options),
	                            .settings = network,
	                            .nsettings = 2,
	                            .access = once ? SHEAF_PIPED_ONCE : SHEAF_PIPED};
}

static sheaf_bytes bytes_of(const char *text) { return (sheaf_bytes){(const uint8_t *)text, strlen(text)}; }

static float first_value(const sheaf_frame *frame, int column)
{
	return *(const float *)(const void *)frame->columns[column].values.data;
}

static void test_pipe_mode_loops(void **state)
{
	(void)state;
	static const float wanted[] = {1, 4, 7};
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_open_options options = piped(false);
	assert_ok(open_bytes(bytes_of(three), "three.ex", &options, cx, &dataset));
	for (int k = 0; k < 10; k++) {
		assert_ok(sheaf_next(dataset, &frame, &err));
		assert_int_equal(frame->nrows, 1); /* an example at a time */
		assert_int_equal(sheaf_dataset_row(dataset), k);
		assert_true(first_value(frame, 0) == wanted[k % 3]);
	}
	sheaf_close(dataset);
	end_context(cx);
}

static void test_pipe_mode_once(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_open_options options = piped(true);
	assert_ok(open_bytes(bytes_of(three), "three.ex", &options, cx, &dataset));
	for (int k = 0; k < 3; k++) assert_ok(sheaf_next(dataset, &frame, &err));
	assert_status(SHEAF_END, sheaf_next(dataset, &frame, &err));
	sheaf_close(dataset);
	end_context(cx);
}

/* An input that can be read only once cannot begin again; nothing may be read ahead, so widths must be
 * given; other formats have no such mode. */
static void test_pipe_mode_refusals(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	sheaf_source *source;
	const sheaf_frame *frame;
	sheaf_open_options options = piped(false);
	bytes_source drip = {bytes_of(three), 5};
	assert_ok(sheaf_source_function(read_bytes, &drip, "drip", cx, &source, &err));
	assert_ok(sheaf_open_source(source, &options, cx, &dataset, &err));
	for (int k = 0; k < 3; k++) assert_ok(sheaf_next(dataset, &frame, &err));
	assert_status(SHEAF_UNSUPPORTED, sheaf_next(dataset, &frame, &err));
	assert_message("drip: it cannot be opened again by its name");
	sheaf_close(dataset);
	options.nsettings = 0;
	assert_status(SHEAF_USAGE, open_bytes(bytes_of(three), "three.ex", &options, cx, &dataset));
	assert_message("expected the groups of the network (--group)");
	assert_status(SHEAF_UNSUPPORTED, open_bytes(bytes_of("|A 1\n"), "a.ctf", &options, cx, &dataset));
	assert_message("expected one whose rows can be read as they arrive");
	end_context(cx);
}

/* A long input in pipe mode: no more memory than for a few examples. */
typedef struct endless {
	int64_t left;
	char line[600];
	size_t at;
} endless;

static int64_t read_endless(void *user, void *data, size_t size)
{
	endless *e = (endless *)user;
	if (e->left == 0) return 0;
	size_t n = strlen(e->line) - e->at;
	if (n > size) n = size;
	memcpy(data, e->line + e->at, n);
	e->at += n;
	if (e->line[e->at] == '\0') e->at = 0, e->left--;
	return (int64_t)n;
}

static void test_pipe_mode_is_bounded(void **state)
{
	(void)state;
	enum { EXAMPLES = 20000 };
	static endless e = {.left = EXAMPLES};
	int64_t peak;
	sheaf_context *cx = usual_context();
	sheaf_source *source;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_open_options options = piped(true);
	memset(e.line, ' ', 500);
	snprintf(e.line + 500, sizeof e.line - 500, "I: 1 2 T: 3;\n");
	assert_ok(sheaf_source_function(read_endless, &e, "long", cx, &source, &err));
	options.format = "lens";
	assert_ok(sheaf_open_source(source, &options, cx, &dataset, &err));
	int64_t n = 0;
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK) n += frame->nrows;
	assert_int_equal(n, EXAMPLES);
	sheaf_context_memory(cx, &peak);
	assert_true(peak < 4 << 20); /* of 10 MB */
	sheaf_close(dataset);
	end_context(cx);
}

static void test_pieces_in_any_order(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	const sheaf_pieces *pieces;
	sheaf_frame frame = {0};
	uint32_t lengths[3];
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 1, .access = SHEAF_RANDOM};
	assert_ok(open_bytes(bytes_of(three), "three.ex", &options, cx, &dataset));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_int_equal(sheaf_pieces_rows(pieces), 3);
	assert_int_equal(pieces->samples, 4);
	assert_ok(sheaf_pieces_lengths(pieces, 0, 3, lengths, &err));
	assert_int_equal(lengths[2], 2);
	static const float wanted[] = {1, 4, 7};
	for (int64_t k = sheaf_pieces_count(pieces); k-- > 0;) {
		sheaf_piece_entry entry;
		sheaf_pieces_at(pieces, k, &entry);
		assert_ok(sheaf_dataset_read_piece(dataset, k, &frame, cx, &err));
		if (entry.rows) assert_true(first_value(&frame, 0) == wanted[entry.row]);
	}
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
	end_context(cx);
}

/* The frequency of each row, to weigh it by. */
static void test_frequencies_are_a_column(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	sheaf_frame all;
	assert_ok(open_bytes(bytes_of(three), "three.ex", NULL, cx, &dataset));
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	int column = sheaf_schema_find(schema, "freq");
	assert_true(column >= 0);
	assert_int_equal(schema->fields[column].nlevels, 0);
	assert_ok(sheaf_read_all(dataset, &all, &err));
	const float *frequencies = (const float *)(const void *)all.columns[column].values.data;
	assert_true(frequencies[0] == 2 && frequencies[1] == 1 && frequencies[2] == 1);
	/* Columns of events share their offsets; the last example has an event without inputs, and one without
	 * targets. */
	assert_true(sheaf_level_has(&all.columns[0].levels[1], 2) &&
	            !sheaf_level_has(&all.columns[0].levels[1], 3));
	assert_true(!sheaf_level_has(&all.columns[1].levels[1], 2) &&
	            sheaf_level_has(&all.columns[1].levels[1], 3));
	sheaf_frame_free(&all);
	sheaf_close(dataset);
	end_context(cx);
}

/* The names and frequencies of the rows of a batch. */
static void look_at_batch(const sheaf_schema *schema, const sheaf_batch *batch, int seen[3])
{
	static const float frequencies[] = {2, 0, 1};
	int names = sheaf_schema_find(schema, "name"), weights = sheaf_schema_find(schema, "freq");
	assert_true(names >= 0 && weights >= 0);
	for (int64_t r = 0; r < batch->frame->nrows; r++) {
		const sheaf_level *level = &batch->frame->columns[names].levels[0];
		sheaf_run name = sheaf_level_below_one(level, r);
		int number = batch->frame->columns[names].values.data[name.begin] - 'a';
		assert_true(((const float *)(const void *)batch->frame->columns[weights].values.data)[r] ==
		            frequencies[number]);
		seen[number]++;
	}
}

/* Batches carry the columns of examples, so that a frequency can weigh them; or it decides what is drawn. */
static void test_frequencies_in_batches(void **state)
{
	(void)state;
	static const char text[] = ";\nname:{a} freq:2 I: 1;\nname:{b} freq:0 I: 2;\nname:{c} I: 3;\n";
	static const char *const orders[] = {"file", "sheaf", "random", "frequency"};
	for (size_t o = 0; o < COUNT(orders); o++) {
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset;
		sheaf_batches *batches;
		const sheaf_batch *batch;
		int seen[3] = {0};
		sheaf_open_options options = {.size = sizeof options, .access = SHEAF_RANDOM};
		sheaf_batch_options how = {.size = sizeof how,
		                           .batch_size = 2,
		                           .order = orders[o],
		                           .epochs = &(sheaf_epoch_options){.sweeps = 20}};
		assert_ok(open_bytes(bytes_of(text), "frequencies.ex", &options, cx, &dataset));
		assert_ok(sheaf_batches_open(&dataset, 1, &how, cx, &batches, &err));
		while (sheaf_batches_next(batches, &batch, &err) == SHEAF_OK)
			look_at_batch(sheaf_batches_schema(batches), batch, seen);
		assert_int_equal(seen[0] + seen[1] + seen[2], 60);
		assert_true(seen[0] > 0 && seen[2] > 0);
		if (o < 2) assert_true(seen[0] == 20 && seen[1] == 20 && seen[2] == 20);
		assert_true((seen[1] == 0) == (o == 3)); /* a frequency of 0 is never drawn */
		sheaf_batches_close(batches);
		sheaf_close(dataset);
		end_context(cx);
	}
}

/* The lengths of rows are reported without columns, and are what the columns say; an example with an error is
 * no row. */
static void test_measuring(void **state)
{
	(void)state;
	static const char text[] = ";\nI: 1;\n3 I: 1 I: 2;\nI: +1;\n2;\nT: 1;\n";
	static const uint32_t wanted[] = {1, 3, 2, 1};
	sheaf_context_options forgiving = {.size = sizeof forgiving, .max_errors = 9};
	sheaf_context *cx;
	sheaf_dataset *dataset;
	const sheaf_pieces *pieces;
	uint32_t lengths[4];
	assert_ok(sheaf_context_new(&forgiving, &cx, &err));
	sheaf_open_options options = {.size = sizeof options, .access = SHEAF_RANDOM};
	assert_ok(open_bytes(bytes_of(text), "lengths.ex", &options, cx, &dataset));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_int_equal(sheaf_pieces_rows(pieces), 4);
	assert_ok(sheaf_pieces_lengths(pieces, 0, 4, lengths, &err));
	assert_memory_equal(lengths, wanted, sizeof wanted);
	sheaf_close(dataset);
	end_context(cx);
}

/* ---- what stands below ---- */

static void test_flush_hands_on(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_sink *sink;
	bytes_sink bytes = {0};
	assert_ok(sheaf_sink_function(write_bytes, &bytes, "sink", cx, &sink, &err));
	assert_ok(sheaf_sink_write(sink, "abc", 3, &err));
	assert_int_equal(bytes.size, 0);
	assert_ok(sheaf_sink_flush(sink, &err));
	assert_int_equal(bytes.size, 3);
	assert_ok(sheaf_sink_flush(sink, &err));
	assert_ok(sheaf_sink_commit(sink, &err));
	assert_int_equal(bytes.size, 3);
	free_bytes(&bytes);
	end_context(cx);
}

static void test_reopening(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_source *source;
	sheaf_bytes shown;
	write_text("again", "abc");
	assert_ok(sheaf_source_path(in_folder("again"), cx, &source, &err));
	for (int k = 0; k < 3; k++) {
		assert_ok(sheaf_source_ahead(source, 4, &shown, &err));
		assert_int_equal(shown.size, 3);
		sheaf_source_consume(source, 3);
		assert_ok(sheaf_source_reopen(source, &err));
		assert_int_equal(sheaf_source_tell(source), 0);
	}
	sheaf_close(NULL);
	sheaf_source_close(source);
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe_mode_loops),        cmocka_unit_test(test_pipe_mode_once),
		cmocka_unit_test(test_pipe_mode_refusals),     cmocka_unit_test(test_pipe_mode_is_bounded),
		cmocka_unit_test(test_pieces_in_any_order),    cmocka_unit_test(test_frequencies_are_a_column),
		cmocka_unit_test(test_frequencies_in_batches), cmocka_unit_test(test_measuring),
		cmocka_unit_test(test_flush_hands_on),         cmocka_unit_test(test_reopening),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
