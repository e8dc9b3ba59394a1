/* SPDX-License-Identifier: MIT */
/* Batches that are made ahead of their turn, and rows that are taken from pieces without decoding them:
 * the results must be the same. */
#include "batches_support.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000, MOST = 400 };

/* Sequences of one to three samples; batches of some hundreds of them are worth a thread. */
static void make_rows(bytes_sink *text)
{
	*text = (bytes_sink){0};
	for (int r = 0; r < ROWS; r++)
		for (int64_t lines = 1 + random_below(3); lines > 0; lines--) {
			char line[600];
			int n = snprintf(line, sizeof line, "%d |A %d %d |B", 5 * r, (int)random_below(99), r);
			for (int64_t k = random_below(40); k > 0; k--)
				n += snprintf(line + n, sizeof line - (size_t)n, " %d:%d.5", (int)random_below(90),
				              (int)random_below(9));
			line[n++] = '\n';
			assert_int_equal(write_bytes(text, line, (size_t)n), 0);
		}
}

static void make_binary(const bytes_sink *text, bytes_sink *binary, const char *chunk_bytes)
{
	sheaf_context *cx = usual_context();
	sheaf_setting streams[] = {{"stream", "A:2:dense"}, {"stream", "B:90:sparse"}},
				  chunk = {"chunk-bytes", chunk_bytes};
	sheaf_open_options from = {.size = sizeof from, .settings = streams, .nsettings = 2};
	sheaf_create_options to = {.size = sizeof to, .format = "cbf", .settings = &chunk, .nsettings = 1};
	sheaf_dataset *dataset;
	sheaf_writer *writer;
	sheaf_sink *sink;
	const sheaf_frame *frame;
	sheaf_status status;
	*binary = (bytes_sink){0};
	assert_ok(open_bytes((sheaf_bytes){text->data, text->size}, "x.ctf", &from, cx, &dataset));
	assert_ok(sheaf_sink_function(write_bytes, binary, "x.cbf", cx, &sink, &err));
	assert_ok(sheaf_create_sink(sink, sheaf_dataset_schema(dataset), &to, cx, &writer, &err));
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		assert_ok(sheaf_write(writer, frame, &err));
	assert_status(SHEAF_END, status);
	assert_ok(sheaf_finish(writer, &err));
	sheaf_close(dataset);
	end_context(cx);
}

/* ---- runs ---- */

typedef struct input {
	sheaf_bytes bytes;
	const char *name;
	int64_t piece_bytes;
	bool declared;
} input;

typedef struct told {
	uint64_t batches[MOST]; /* a hash of each */
	char states[MOST][SHEAF_STATE_SIZE];
	int n;
	sheaf_status status;
	char message[sizeof err.message];
} told;

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t hash_frame(uint64_t hash, const sheaf_frame *frame, const sheaf_schema *schema)
{
	sheaf_buffer text = {0};
	assert_ok(sheaf_frame_check(frame, schema, SHEAF_CHECK_FULL, &err));
	assert_ok(sheaf_rows_text(frame, schema, SHEAF_JSON, 0, 0, frame->nrows, &text, &err));
	hash = mix(hash, text.data, text.size);
	sheaf_buffer_reset(&text);
	return hash;
}

static uint64_t hash_packed(uint64_t hash, const sheaf_packed *p)
{
	const int64_t shape[] = {p->field, p->rows, p->width, p->nplaced};
	hash = mix(hash, shape, sizeof shape);
	hash = mix(hash, p->values.data, p->values.size);
	hash = mix(hash, p->indices.data, p->indices.size);
	hash = mix(hash, p->starts.data, p->starts.size);
	return mix(hash, p->mask.data, p->mask.size);
}

static uint64_t hash_batch(const sheaf_batch *b, const sheaf_schema *schema)
{
	const int64_t facts[] = {b->begin,     b->end,       b->sweep,   b->sweep_end,
	                         b->epoch_end, b->sequences, b->samples, b->repeated};
	uint64_t hash = mix(UINT64_C(14695981039346656037), facts, sizeof facts);
	hash = mix(hash, b->keys, (size_t)b->sequences * sizeof *b->keys);
	hash = mix(hash, b->lengths, (size_t)b->sequences * sizeof *b->lengths);
	if (b->frame) hash = hash_frame(hash, b->frame, schema);
	for (int i = 0; i < b->npacked; i++) hash = hash_packed(hash, &b->packed[i]);
	return hash;
}

/* Everything that comes from `state` on; NULL: from the beginning. */
static void run_from(const input *in, const batching *options, sheaf_context_options context,
                     const char *state, told *out)
{
	sheaf_setting streams[] = {{"stream", "A:2:dense"}, {"stream", "B:90:sparse"}};
	sheaf_open_options how = {.size = sizeof how,
	                          .piece_bytes = in->piece_bytes,
	                          .access = SHEAF_RANDOM,
	                          .settings = streams,
	                          .nsettings = in->declared ? 2 : 0};
	sheaf_dataset *dataset;
	sheaf_batches *batches;
	const sheaf_batch *batch;
	context.size = sizeof context;
	sheaf_context *cx = context_with(&context);
	*out = (told){.n = 0};
	out->status = open_bytes(in->bytes, in->name, &how, cx, &dataset);
	if (out->status == SHEAF_OK) {
		out->status = open_batches(&dataset, 1, options, cx, &batches, &err);
		if (out->status == SHEAF_OK && state) assert_ok(sheaf_batches_resume(batches, state, &err));
		while (out->status == SHEAF_OK &&
		       (out->status = sheaf_batches_next(batches, &batch, &err)) == SHEAF_OK) {
			assert_true(out->n < MOST);
			out->batches[out->n] = hash_batch(batch, sheaf_batches_schema(batches));
			sheaf_batches_state(batches, out->states[out->n++]);
		}
		sheaf_batches_close(batches);
		sheaf_close(dataset);
	}
	if (out->status != SHEAF_END) snprintf(out->message, sizeof out->message, "%s", err.message);
	end_context(cx);
}

static void assert_same(const told *a, int from, const told *b)
{
	assert_int_equal(a->status, b->status);
	assert_text(a->message, b->message);
	assert_int_equal(a->n - from, b->n);
	for (int i = 0; i < b->n; i++) assert_int_equal(a->batches[from + i], b->batches[i]);
}

static const batching ways[] = {
	{.batch_size = 700},
	{.batch_size = 700, .window = 3, .seed = 1},
	{.batch_size = 400, .unit = SHEAF_SIZE_SEQUENCES, .order = "cntk", .window = 4, .rank = 1, .world = 2},
	{.batch_size = 700, .order = "file", .rest = SHEAF_REST_PAD, .stop_at_sweep_end = true},
	{.batch_size = 800, .bucket = true, .rest = SHEAF_REST_DROP},
	{.batch_size = 800, .order = "random", .packing = SHEAF_PACK_SEQUENCES},
	{.batch_size = 800, .packing = SHEAF_PACK_TRUNCATED, .truncation = 4},
};

/* ---- tests ---- */

static void try_threads(const input *in, const batching *way)
{
	static told alone, other;
	batching options = *way;
	options.sweeps = 2;
	options.keep_in_memory = true;
	run_from(in, &options, (sheaf_context_options){.threads = 1}, NULL, &alone);
	assert_status(SHEAF_END, alone.status);
	for (int threads = 1; threads <= 4; threads++) {
		options.keep_in_memory = threads == 3;
		run_from(in, &options, (sheaf_context_options){.threads = threads}, NULL, &other);
		assert_same(&alone, 0, &other);
		for (int at = 0; at < alone.n; at += 13) {
			run_from(in, &options, (sheaf_context_options){.threads = threads}, alone.states[at], &other);
			assert_same(&alone, at + 1, &other);
		}
	}
}

static void test_threads_and_places_change_nothing(void **state)
{
	(void)state;
	bytes_sink text, binary;
	seed_random(71);
	make_rows(&text);
	make_binary(&text, &binary, "60000");
	const input inputs[] = {{{text.data, text.size}, "x.ctf", 40000, true},
	                        {{binary.data, binary.size}, "x.cbf", 0, false}};
	for (size_t i = 0; i < COUNT(inputs); i++)
		for (size_t w = 0; w < COUNT(ways); w++) try_threads(&inputs[i], &ways[w]);
	free_bytes(&text);
	free_bytes(&binary);
}

/* With too little memory to run ahead, everything still comes. */
static void test_what_is_enough_for_one_thread(void **state)
{
	(void)state;
	static told alone, other;
	bytes_sink text;
	seed_random(72);
	make_rows(&text);
	const input in = {{text.data, text.size}, "x.ctf", 40000, true};
	batching options = ways[1];
	run_from(&in, &options, (sheaf_context_options){.threads = 1}, NULL, &alone);
	for (int64_t most = 3 << 20; most < 12 << 20; most += 1 << 20) {
		run_from(&in, &options, (sheaf_context_options){.threads = 3, .max_memory = most}, NULL, &other);
		assert_same(&alone, 0, &other);
	}
	free_bytes(&text);
}

/* In file order the end is not searched for, and the counts after the last batch are those of a run with a
 * table. */
static void test_the_end_is_found_when_it_comes(void **state)
{
	(void)state;
	static told whole, other;
	bytes_sink text;
	seed_random(74);
	make_rows(&text);
	sheaf_context *cx = usual_context();
	sheaf_setting streams[] = {{"stream", "A:2:dense"}, {"stream", "B:90:sparse"}};
	sheaf_open_options how = {
		.size = sizeof how, .piece_bytes = 5000, .access = SHEAF_RANDOM, .settings = streams, .nsettings = 2};
	batching options = {.order = "file", .batch_size = 100, .sweeps = 2};
	sheaf_dataset *datasets[2];
	sheaf_batches *batches;
	const sheaf_batch *batch;
	const sheaf_frame *frame;
	int64_t sequences, samples, dropped, seen = 0;
	for (int i = 0; i < 2; i++)
		assert_ok(open_bytes((sheaf_bytes){text.data, text.size}, "x.ctf", &how, cx, &datasets[i]));
	assert_ok(open_batches(datasets, 2, &options, cx, &batches, &err));
	sheaf_batches_facts(batches, &sequences, &samples, &dropped);
	assert_int_equal(sequences, -1);
	assert_ok(sheaf_batches_next(batches, &batch, &err));
	assert_true(sheaf_source_about(sheaf_dataset_source(datasets[0])).done < (int64_t)text.size / 2);
	for (seen = batch->sequences; sheaf_batches_next(batches, &batch, &err) == SHEAF_OK;
	     seen += batch->sequences)
		continue;
	assert_int_equal(seen, 4 * ROWS);
	sheaf_batches_facts(batches, &sequences, &samples, &dropped);
	assert_int_equal(sequences, 2 * ROWS);
	sheaf_batches_close(batches);
	for (int i = 0; i < 2; i++) sheaf_close(datasets[i]);
	/* If batches are closed half-way, the dataset is at its beginning again. */
	assert_ok(open_bytes((sheaf_bytes){text.data, text.size}, "x.ctf", &how, cx, &datasets[0]));
	assert_ok(open_batches(datasets, 1, &options, cx, &batches, &err));
	assert_ok(sheaf_batches_next(batches, &batch, &err));
	sheaf_batches_close(batches);
	for (seen = 0; sheaf_next(datasets[0], &frame, &err) == SHEAF_OK; seen += frame->nrows) continue;
	assert_int_equal(seen, ROWS);
	sheaf_close(datasets[0]);
	end_context(cx);
	/* Positions are the same, whether the end was known or not. */
	const input in = {{text.data, text.size}, "x.ctf", 5000, true};
	run_from(&in, &options, (sheaf_context_options){.threads = 1}, NULL, &whole);
	for (int at = 0; at < whole.n; at += 11) {
		run_from(&in, &options, (sheaf_context_options){.threads = 1 + at % 3}, whole.states[at], &other);
		assert_same(&whole, at + 1, &other);
	}
	free_bytes(&text);
}

/* ---- several files ---- */

/* One stream whose value is the key: `from` and on, each but every `without`th, in an order of which `step`
 * is coprime to the number. */
static void make_keyed(bytes_sink *text, const char *stream, int rows, int step, int without)
{
	*text = (bytes_sink){0};
	for (int r = 0; r < rows; r++) {
		char line[80];
		int key = (int)((int64_t)r * step % rows);
		if (without && key % without == 0) continue;
		int n = snprintf(line, sizeof line, "%d |%s %d\n", key, stream, key);
		assert_int_equal(write_bytes(text, line, (size_t)n), 0);
	}
}

static void run_several(const bytes_sink *texts, int n, const batching *options,
                        sheaf_context_options context, told *out)
{
	static const char *const names[] = {"a.ctf", "b.ctf", "c.ctf"};
	sheaf_dataset *datasets[3];
	sheaf_batches *batches;
	const sheaf_batch *batch;
	context.size = sizeof context;
	sheaf_context *cx = context_with(&context);
	sheaf_open_options how = {.size = sizeof how, .piece_bytes = 700, .access = SHEAF_RANDOM};
	*out = (told){.n = 0};
	for (int i = 0; i < n; i++)
		assert_ok(open_bytes((sheaf_bytes){texts[i].data, texts[i].size}, names[i], &how, cx, &datasets[i]));
	assert_ok(open_batches(datasets, n, options, cx, &batches, &err));
	while ((out->status = sheaf_batches_next(batches, &batch, &err)) == SHEAF_OK) {
		const sheaf_frame *f = batch->frame;
		int values = 0;
		assert_true(out->n < MOST);
		out->batches[out->n++] = hash_batch(batch, sheaf_batches_schema(batches));
		for (int c = 0; c < f->ncolumns; c++) {
			const float *v = (const float *)(const void *)f->columns[c].values.data;
			if (f->columns[c].meaning == SHEAF_KEY) continue;
			const int64_t *o = sheaf_level_offsets(&f->columns[c].levels[0]);
			values++;
			for (int64_t i = 0; options->join && i < batch->sequences; i++)
				assert_true((uint64_t)v[o[i]] == batch->keys[i]);
		}
		assert_int_equal(values, options->join ? n : 1);
	}
	sheaf_batches_close(batches);
	for (int i = 0; i < n; i++) sheaf_close(datasets[i]);
	end_context(cx);
}

static void test_several_files_in_any_way(void **state)
{
	(void)state;
	static told alone, other;
	static const int64_t weights[] = {3, 1, 2};
	enum { KEYS = 2000 };
	bytes_sink joined[3], mixed[3];
	make_keyed(&joined[0], "A", KEYS, 1, 0);
	make_keyed(&joined[1], "B", KEYS, 1, 7);
	make_keyed(&joined[2], "C", KEYS, 1237, 11);
	for (int i = 0; i < 3; i++) make_keyed(&mixed[i], "A", KEYS / (i + 1), 1, 0);
	const batching options[] = {
		{.batch_size = 50, .join = true, .order = "file"},
		{.batch_size = 50, .join = true},
		{.batch_size = 50, .join = true, .window = 4},
		{.batch_size = 50, .join = true, .order = "cntk", .window = 4},
		{.batch_size = 50, .weights = weights, .window = 3},
		{.batch_size = 50, .weights = weights},
	};
	for (size_t i = 0; i < COUNT(options); i++) {
		const bytes_sink *texts = options[i].join ? joined : mixed;
		run_several(texts, 3, &options[i], (sheaf_context_options){.threads = 1}, &alone);
		assert_status(SHEAF_END, alone.status);
		for (int threads = 2; threads <= 4; threads++) {
			run_several(texts, 3, &options[i],
			            (sheaf_context_options){.threads = threads, .max_memory = threads == 3 ? 3 << 20 : 0},
			            &other);
			if (options[i].window || options[i].order || threads != 3)
				assert_same(&alone, 0, &other); /* a small memory chooses a window */
		}
	}
	for (int i = 0; i < 3; i++) free_bytes(&joined[i]);
	for (int i = 0; i < 3; i++) free_bytes(&mixed[i]);
}

/* Flaws of a file are reported in the same words whether its pieces are decoded, or their rows only
 * located. */
static void test_flaws_are_told_as_by_decoding(void **state)
{
	(void)state;
	static told decoded, located;
	bytes_sink text, binary;
	int flaws = 0;
	seed_random(73);
	make_rows(&text);
	make_binary(&text, &binary, "60000");
	for (int i = 0; i < 120; i++) {
		size_t at = 12 + (size_t)random_below((int64_t)binary.size - 12);
		uint8_t old = binary.data[at];
		const input in = {{binary.data, binary.size}, "x.cbf", 0, false};
		batching options = ways[i % 2];
		sheaf_context_options context = {.threads = 1 + i % 3, .max_errors = i % 5 ? 0 : 100};
		binary.data[at] = (uint8_t)(old ^ (1 << random_below(8)));
		options.keep_in_memory = true;
		run_from(&in, &options, context, NULL, &decoded);
		options.keep_in_memory = false;
		run_from(&in, &options, context, NULL, &located);
		assert_same(&decoded, 0, &located);
		flaws += decoded.status != SHEAF_END;
		binary.data[at] = old;
	}
	assert_true(flaws > 10 && flaws < 110);
	free_bytes(&text);
	free_bytes(&binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_and_places_change_nothing),
		cmocka_unit_test(test_what_is_enough_for_one_thread),
		cmocka_unit_test(test_the_end_is_found_when_it_comes),
		cmocka_unit_test(test_several_files_in_any_way),
		cmocka_unit_test(test_flaws_are_told_as_by_decoding),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
