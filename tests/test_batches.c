/* SPDX-License-Identifier: MIT */
/* Minibatches over datasets: each batch has exactly the rows of the files, whatever the order, the format
 * and the memory, and a state brings it back. */
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a dataset, and its rows as texts ---- */

enum { MOST_ROWS = 400, MOST_BATCHES = 2000 };

typedef struct data {
	bytes_sink bytes;
	const char *name;
	sheaf_setting settings[2];
	char *texts[MOST_ROWS];
	int64_t rows;
} data;

/* Sequences of 1 to `longest` lines with a dense stream A and a sparse one B, with ids from `key` on in steps
 * of 3. */
static void make_text(data *d, const char *name, int64_t rows, int64_t longest, int64_t key)
{
	*d = (data){.name = name, .settings = {{"stream", "A:2:dense"}, {"stream", "B:90:sparse"}}};
	for (int64_t r = 0; r < rows; r++)
		for (int64_t lines = 1 + random_below(longest); lines > 0; lines--) {
			char line[300];
			int n = snprintf(line, sizeof line, "%d |A %d %d |B", (int)(key + 3 * r), (int)random_below(99),
			                 (int)r);
			for (int64_t k = random_below(9); k > 0; k--)
				n += snprintf(line + n, sizeof line - (size_t)n, " %d:%d.5", (int)random_below(90),
				              (int)random_below(9));
			line[n++] = '\n';
			assert_int_equal(write_bytes(&d->bytes, line, (size_t)n), 0);
		}
}

static sheaf_status open_data(const data *d, int64_t piece_bytes, sheaf_context *cx, sheaf_dataset **out)
{
	sheaf_open_options options = {.size = sizeof options,
	                              .piece_bytes = piece_bytes,
	                              .random = true,
	                              .settings = d->settings,
	                              .nsettings = d->settings[0].name ? 2 : 0};
	return open_bytes((sheaf_bytes){d->bytes.data, d->bytes.size}, d->name, &options, cx, out);
}

static char *row_text(const sheaf_frame *frame, const sheaf_schema *schema, int64_t row)
{
	sheaf_buffer text = {0};
	assert_ok(sheaf_rows_text(frame, schema, SHEAF_JSON, 0, row, row + 1, &text, &err));
	char *copy = strndup((const char *)text.data, text.size);
	assert_non_null(copy);
	sheaf_buffer_reset(&text);
	return copy;
}

static void read_texts(data *d)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	sheaf_frame frame;
	assert_ok(open_data(d, 0, cx, &dataset));
	assert_ok(sheaf_read_all(dataset, &frame, &err));
	d->rows = frame.nrows;
	for (int64_t r = 0; r < frame.nrows; r++)
		d->texts[r] = row_text(&frame, sheaf_dataset_schema(dataset), r);
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
	end_context(cx);
}

/* The same rows in the other format, in chunks of about chunk_bytes. */
static void convert_data(const data *from, data *to, const char *name, const char *chunk_bytes)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset;
	sheaf_writer *writer;
	sheaf_sink *sink;
	const sheaf_frame *frame;
	sheaf_status status;
	sheaf_setting chunk = {"chunk-bytes", chunk_bytes};
	sheaf_create_options options = {
		.size = sizeof options,
		.format = "cbf",
		.settings = &chunk,
		.nsettings = 1,
	};
	*to = (data){.name = name};
	assert_ok(open_data(from, 0, cx, &dataset));
	assert_ok(sheaf_sink_function(write_bytes, &to->bytes, name, cx, &sink, &err));
	assert_ok(sheaf_create_sink(sink, sheaf_dataset_schema(dataset), &options, cx, &writer, &err));
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		assert_ok(sheaf_write(writer, frame, &err));
	assert_status(SHEAF_END, status);
	assert_ok(sheaf_finish(writer, &err));
	sheaf_close(dataset);
	end_context(cx);
	read_texts(to);
}

static void free_data(data *d)
{
	free_bytes(&d->bytes);
	for (int64_t r = 0; r < d->rows; r++) free(d->texts[r]);
}

/* ---- batches, walked ---- */

typedef struct run {
	sheaf_context *cx;
	sheaf_dataset *dataset;
	sheaf_batches *batches;
} run;

static void begin_run(run *r, const data *d, int64_t piece_bytes, const sheaf_batch_options *options,
                      sheaf_context_options context)
{
	context.size = sizeof context;
	r->cx = context_with(&context);
	assert_ok(open_data(d, piece_bytes, r->cx, &r->dataset));
	assert_ok(sheaf_batches_open(&r->dataset, 1, options, r->cx, &r->batches, &err));
}

static void end_run(run *r)
{
	sheaf_batches_close(r->batches);
	sheaf_close(r->dataset);
	end_context(r->cx);
}

/* What a batch is, as text. */
static char *batch_text(const sheaf_batch *b, const sheaf_schema *schema)
{
	size_t used = 0, room = 100000;
	char *text = malloc(room);
	assert_non_null(text);
	used += (size_t)snprintf(text, room, "%ld-%ld s%ld %d%d r%ld", (long)b->begin, (long)b->end,
	                         (long)b->sweep, b->sweep_end, b->epoch_end, (long)b->repeated);
	for (int64_t i = 0; i < b->sequences; i++) {
		char *row = row_text(b->frame, schema, i);
		assert_true(used + strlen(row) + 40 < room);
		used += (size_t)snprintf(text + used, room - used, "\n%lu %u %s", (unsigned long)b->keys[i],
		                         b->lengths[i], row);
		free(row);
	}
	return text;
}

typedef struct story {
	char *batches[MOST_BATCHES];
	char states[MOST_BATCHES][SHEAF_STATE_SIZE]; /* after each */
	int n;
} story;

static void tell(story *s, run *r)
{
	const sheaf_batch *batch;
	sheaf_status status;
	for (s->n = 0; (status = sheaf_batches_next(r->batches, &batch, &err)) == SHEAF_OK; s->n++) {
		assert_true(s->n < MOST_BATCHES);
		assert_int_equal(batch->number, s->n);
		s->batches[s->n] = batch_text(batch, sheaf_batches_schema(r->batches));
		sheaf_batches_state(r->batches, s->states[s->n]);
	}
	assert_status(SHEAF_END, status);
}

static void free_story(story *s)
{
	for (int i = 0; i < s->n; i++) free(s->batches[i]);
	s->n = 0;
}

static void assert_same_story(const story *a, int from, const story *b)
{
	assert_int_equal(a->n - from, b->n);
	for (int i = 0; i < b->n; i++) assert_text(a->batches[from + i], b->batches[i]);
}

/* ---- tests ---- */

static const sheaf_batch_options usual = {.size = sizeof(sheaf_batch_options), .batch_size = 20};

static sheaf_batch_options with_order(const char *order, uint64_t seed, int64_t window)
{
	sheaf_batch_options o = usual;
	o.order = order;
	o.seed = seed;
	o.window = window;
	return o;
}

static void check_rows(const data *d, const sheaf_batch_options *options)
{
	run r;
	const sheaf_batch *batch;
	sheaf_status status;
	int seen[MOST_ROWS] = {0};
	begin_run(&r, d, 700, options, (sheaf_context_options){0});
	while ((status = sheaf_batches_next(r.batches, &batch, &err)) == SHEAF_OK) {
		assert_ok(sheaf_frame_check(batch->frame, sheaf_batches_schema(r.batches), SHEAF_CHECK_FULL, &err));
		assert_int_equal(batch->frame->nrows, batch->sequences);
		int64_t samples = 0;
		for (int64_t i = 0; i < batch->sequences; i++) {
			char *text = row_text(batch->frame, sheaf_batches_schema(r.batches), i);
			int64_t row = 0;
			while (row < d->rows && strcmp(strchr(d->texts[row], ','), strchr(text, ',')) != 0)
				row++; /* keys apart: not all formats have them */
			if (row == d->rows) print_error("not a row of the file: %s", text);
			assert_true(row < d->rows);
			seen[row]++;
			samples += batch->lengths[i];
			free(text);
		}
		assert_int_equal(samples, batch->samples);
	}
	assert_status(SHEAF_END, status);
	for (int64_t i = 0; i < d->rows; i++) assert_int_equal(seen[i], 1);
	end_run(&r);
}

static void test_batches_have_the_rows_of_the_file(void **state)
{
	(void)state;
	data text, binary;
	seed_random(41);
	make_text(&text, "x.ctf", 120, 4, 0);
	read_texts(&text);
	convert_data(&text, &binary, "x.cbf", "900");
	const sheaf_batch_options options[] = {with_order("file", 0, 0), with_order("sheaf", 1, 0),
	                                       with_order("sheaf", 2, 3), with_order("cntk", 3, 0),
	                                       with_order("cntk", 4, 2)};
	for (size_t i = 0; i < COUNT(options); i++) {
		check_rows(&text, &options[i]);
		check_rows(&binary, &options[i]);
	}
	free_data(&text);
	free_data(&binary);
}

/* Rows that are taken from a chunk as it is are checked as those that are decoded. */
static void test_index_beyond_in_a_chunk(void **state)
{
	(void)state;
	static const char line[] = "0 |A 1 2 |B\n0 |A 3 4 |B 5:1 89:1\n";
	static const uint8_t indices[] = {5, 0, 0, 0, 89, 0, 0, 0};
	const sheaf_batch_options options = with_order("sheaf", 1, 0);
	data text = {.name = "x.ctf", .settings = {{"stream", "A:2:dense"}, {"stream", "B:90:sparse"}}}, binary;
	const sheaf_batch *batch;
	run r;
	assert_int_equal(write_bytes(&text.bytes, line, sizeof line - 1), 0);
	convert_data(&text, &binary, "x.cbf", "900");
	uint8_t *at = memmem(binary.bytes.data, binary.bytes.size, indices, sizeof indices);
	assert_non_null(at);
	at[4] = 200;
	begin_run(&r, &binary, 0, &options, (sheaf_context_options){0});
	assert_status(SHEAF_DATA, sheaf_batches_next(r.batches, &batch, &err));
	assert_message("found 200");
	end_run(&r);
	free_data(&text);
	free_data(&binary);
}

static void test_states_bring_every_batch_back(void **state)
{
	(void)state;
	static story all, rest;
	data text;
	seed_random(42);
	make_text(&text, "x.ctf", 60, 5, 7);
	read_texts(&text);
	sheaf_batch_options options[] = {with_order("file", 0, 0), with_order("sheaf", 1, 0),
	                                 with_order("sheaf", 2, 2), with_order("cntk", 3, 2),
	                                 with_order("sheaf", 5, 0)};
	options[4].bucket = true;
	for (size_t i = 0; i < COUNT(options); i++) {
		run r;
		options[i].sweeps = 2;
		begin_run(&r, &text, 700, &options[i], (sheaf_context_options){0});
		tell(&all, &r);
		for (int b = 0; b < all.n; b++) {
			assert_true(strlen(all.states[b]) < SHEAF_STATE_SIZE - 1);
			assert_true(is_json(all.states[b], strlen(all.states[b])));
			assert_ok(sheaf_batches_resume(r.batches, all.states[b], &err));
			tell(&rest, &r);
			assert_same_story(&all, b + 1, &rest);
			free_story(&rest);
		}
		free_story(&all);
		end_run(&r);
	}
	free_data(&text);
}

static void test_states_of_something_else_are_refused(void **state)
{
	(void)state;
	data text, other;
	run r;
	char mine[SHEAF_STATE_SIZE], later[SHEAF_STATE_SIZE + 20];
	seed_random(43);
	make_text(&text, "x.ctf", 60, 5, 7);
	make_text(&other, "y.ctf", 61, 5, 7);
	sheaf_batch_options options = with_order("sheaf", 1, 0);
	begin_run(&r, &text, 700, &options, (sheaf_context_options){0});
	sheaf_batches_state(r.batches, mine);
	static const char *const broken[] = {"", "{}", "x", "{\"version\":1}", "{\"version\":1,\"version\":1}"};
	for (size_t i = 0; i < COUNT(broken); i++)
		assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, broken[i], &err));
	snprintf(later, sizeof later, "%s", mine);
	later[strlen("{\"version\":")] = '2';
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, later, &err));
	assert_message("expected version 1, found 2");
	/* A place that these data do not have. */
	static const char *const places[][2] = {{"\"ordinal\":0", "\"ordinal\":60"},
	                                        {"\"position\":0", "\"position\":1"}};
	for (size_t i = 0; i < COUNT(places); i++) {
		const char *at = strstr(mine, places[i][0]);
		assert_non_null(at);
		snprintf(later, sizeof later, "%.*s%s%s", (int)(at - mine), mine, places[i][1],
		         at + strlen(places[i][0]));
		assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, later, &err));
		assert_message("expected a place in these data");
	}
	snprintf(later, sizeof later, "%s trailing", mine);
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, later, &err));
	end_run(&r);
	begin_run(&r, &other, 700, &options, (sheaf_context_options){0});
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, mine, &err));
	assert_message("a state of these data");
	end_run(&r);
	options.seed = 2;
	begin_run(&r, &text, 700, &options, (sheaf_context_options){0});
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, mine, &err));
	assert_message("expected seed 2, found 1");
	end_run(&r);
	options.seed = 1;
	options.batch_size = 21;
	begin_run(&r, &text, 700, &options, (sheaf_context_options){0});
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, mine, &err));
	assert_message("other options");
	end_run(&r);
	options.batch_size = 20;
	options.world = 3;
	begin_run(&r, &text, 700, &options, (sheaf_context_options){0});
	assert_ok(sheaf_batches_resume(r.batches, mine, &err));
	end_run(&r);
	free_data(&text);
	free_data(&other);
}

static void test_memory_and_threads_change_nothing(void **state)
{
	(void)state;
	static story usual_story, other;
	data text;
	seed_random(44);
	make_text(&text, "x.ctf", 200, 5, 0);
	static const char *const orders[] = {"file", "sheaf", "cntk"};
	for (size_t o = 0; o < COUNT(orders); o++) {
		sheaf_batch_options options = with_order(orders[o], 5, 4);
		options.sweeps = 2;
		run r;
		begin_run(&r, &text, 300, &options, (sheaf_context_options){.threads = 1});
		tell(&usual_story, &r);
		end_run(&r);
		for (int way = 0; way < 4; way++) {
			options.keep_in_memory = way == 3;
			begin_run(&r, &text, 300, &options,
			          (sheaf_context_options){.threads = 1 + way, .max_memory = way == 1 ? 1 << 20 : 0});
			tell(&other, &r);
			assert_same_story(&usual_story, 0, &other);
			free_story(&other);
			end_run(&r);
		}
		free_story(&usual_story);
	}
	free_data(&text);
}

/* Loaders that take turns together make what a single one makes; so do skipped batches and the rest. */
static void test_loaders_that_take_turns(void **state)
{
	(void)state;
	static story whole, part;
	data text;
	seed_random(45);
	make_text(&text, "x.ctf", 200, 5, 0);
	static const char *const orders[] = {"file", "sheaf", "cntk"};
	for (size_t o = 0; o < COUNT(orders); o++) {
		sheaf_batch_options options = with_order(orders[o], 5, 4);
		options.sweeps = 2;
		run r;
		const sheaf_batch *batch;
		begin_run(&r, &text, 300, &options, (sheaf_context_options){0});
		tell(&whole, &r);
		end_run(&r);
		for (int64_t stride = 1; stride < 5; stride++)
			for (int64_t first = 0; first < stride; first++) {
				options.stride = stride;
				begin_run(&r, &text, 300, &options, (sheaf_context_options){.threads = 1 + (int)stride % 3});
				assert_ok(sheaf_batches_skip(r.batches, first, &err));
				int64_t n = first;
				for (; !sheaf_batches_next(r.batches, &batch, &err); n += stride) {
					assert_int_equal(batch->number, n);
					char state_now[SHEAF_STATE_SIZE],
						*shown = batch_text(batch, sheaf_batches_schema(r.batches));
					assert_text(whole.batches[n], shown);
					sheaf_batches_state(r.batches, state_now);
					assert_text(whole.states[n], state_now);
					free(shown);
				}
				assert_true(n >= whole.n && n < whole.n + stride);
				end_run(&r);
			}
		/* Skipping in the middle, whatever was made ahead. */
		options.stride = 0;
		for (int before = 0; before < 4; before++) {
			begin_run(&r, &text, 300, &options, (sheaf_context_options){.threads = 3});
			for (int i = 0; i < before; i++) assert_ok(sheaf_batches_next(r.batches, &batch, &err));
			assert_ok(sheaf_batches_skip(r.batches, 2, &err));
			for (part.n = 0; !sheaf_batches_next(r.batches, &batch, &err); part.n++) {
				assert_int_equal(batch->number, before + 2 + part.n);
				part.batches[part.n] = batch_text(batch, sheaf_batches_schema(r.batches));
			}
			assert_same_story(&whole, before + 2, &part);
			free_story(&part);
			end_run(&r);
		}
		begin_run(&r, &text, 300, &options, (sheaf_context_options){0});
		assert_ok(sheaf_batches_skip(r.batches, 0, &err));
		assert_status(SHEAF_USAGE, sheaf_batches_skip(r.batches, -1, &err));
		assert_ok(sheaf_batches_skip(r.batches, whole.n, &err));
		assert_status(SHEAF_END, sheaf_batches_skip(r.batches, 1, &err));
		assert_status(SHEAF_END, sheaf_batches_next(r.batches, &batch, &err));
		end_run(&r);
		free_story(&whole);
	}
	free_data(&text);
}

/* A window is chosen if not everything fits, and then finished pieces are dropped. */
/* Whatever was given before, an epoch is the same as that of batches opened at it. */
static void test_epochs_begin_anew(void **state)
{
	(void)state;
	data text;
	seed_random(53);
	make_text(&text, "x.ctf", 60, 4, 1);
	read_texts(&text);
	static const char *const orders[] = {"sheaf", "cntk", "file"};
	for (int i = 0; i < 9; i++) {
		run r, fresh;
		const sheaf_batch *batch, *wanted;
		sheaf_status status;
		int64_t epochs[] = {2, 0, 1};
		sheaf_batch_options options = with_order(orders[i % 3], 3, i % 3 == 2 ? 0 : 1);
		if (i >= 3) options.epoch_size = 50 + i;
		if (i >= 6) options.rest = SHEAF_REST_DROP;
		begin_run(&r, &text, 300, &options, (sheaf_context_options){0});
		for (int k = 0; k < 3; k++) {
			sheaf_batch_options other = options;
			other.first_epoch = epochs[k], other.epochs = 1 + k;
			begin_run(&fresh, &text, 300, &other, (sheaf_context_options){0});
			if (k > 0) assert_ok(sheaf_batches_start_epoch(r.batches, 1, 1, &err));
			if (k > 0) assert_ok(sheaf_batches_next(r.batches, &batch, &err));
			assert_ok(sheaf_batches_start_epoch(r.batches, epochs[k], 1 + k, &err));
			const sheaf_schema *schema = sheaf_batches_schema(r.batches);
			while ((status = sheaf_batches_next(fresh.batches, &wanted, &err)) == SHEAF_OK) {
				assert_ok(sheaf_batches_next(r.batches, &batch, &err));
				char *a = batch_text(batch, schema), *b = batch_text(wanted, schema);
				assert_string_equal(a, b);
				assert_int_equal(batch->number, wanted->number);
				free(a), free(b);
			}
			assert_status(SHEAF_END, status);
			assert_status(SHEAF_END, sheaf_batches_next(r.batches, &batch, &err));
			end_run(&fresh);
		}
		assert_status(SHEAF_USAGE, sheaf_batches_start_epoch(r.batches, -1, 1, &err));
		assert_status(SHEAF_USAGE, sheaf_batches_start_epoch(r.batches, 1, 0, &err));
		end_run(&r);
	}
	free_data(&text);
}

static void test_little_memory(void **state)
{
	(void)state;
	data text;
	run r;
	const sheaf_batch *batch;
	sheaf_status status;
	int64_t peak, sequences = 0;
	char line[200];
	memset(&text, 0, sizeof text);
	text.name = "x.ctf";
	text.settings[0] = (sheaf_setting){"stream", "A:20:dense"};
	text.settings[1] = (sheaf_setting){"precision", "double"};
	for (int i = 0; i < 100000; i++) {
		int n = snprintf(line, sizeof line, "|A 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 %d\n", i % 10);
		assert_int_equal(write_bytes(&text.bytes, line, (size_t)n), 0);
	}
	sheaf_batch_options options = with_order("sheaf", 0, 0);
	begin_run(&r, &text, 10000, &options, (sheaf_context_options){.max_memory = 12 << 20});
	while ((status = sheaf_batches_next(r.batches, &batch, &err)) == SHEAF_OK) sequences += batch->sequences;
	assert_status(SHEAF_END, status);
	assert_int_equal(sequences, 100000);
	sheaf_context_memory(r.cx, &peak);
	assert_true(peak < 12 << 20);
	end_run(&r);
	free_bytes(&text.bytes);
}

static void test_batches_may_be_kept(void **state)
{
	(void)state;
	data text;
	run r;
	const sheaf_batch *batch;
	seed_random(45);
	make_text(&text, "x.ctf", 100, 3, 0);
	sheaf_batch_options options = with_order("sheaf", 1, 0);
	begin_run(&r, &text, 300, &options, (sheaf_context_options){0});
	assert_ok(sheaf_batches_next(r.batches, &batch, &err));
	sheaf_buffer kept = sheaf_buffer_ref(&batch->frame->columns[1].values);
	uint8_t *copy = malloc(kept.size);
	assert_non_null(copy);
	memcpy(copy, kept.data, kept.size);
	for (int i = 0; i < 3; i++) assert_ok(sheaf_batches_next(r.batches, &batch, &err));
	assert_memory_equal(copy, kept.data, kept.size);
	free(copy);
	sheaf_buffer_reset(&kept);
	end_run(&r);
	free_data(&text);
}

/* The error of a piece comes with the first batch that needs the piece, after all batches before. */
static void test_errors_come_with_their_batch(void **state)
{
	(void)state;
	data text = {.name = "x.ctf", .settings = {{"stream", "A:1:dense"}, {"precision", "float"}}};
	const sheaf_batch *batch;
	run r;
	for (int i = 0; i < 100; i++) {
		char line[40];
		int n = snprintf(line, sizeof line, i == 70 ? "|A x\n" : "|A %d\n", i);
		assert_int_equal(write_bytes(&text.bytes, line, (size_t)n), 0);
	}
	for (int threads = 1; threads < 4; threads++) {
		sheaf_batch_options options = with_order("file", 0, 0);
		options.batch_size = 10;
		begin_run(&r, &text, 50, &options, (sheaf_context_options){.threads = threads});
		for (int i = 0; i < 6; i++) assert_ok(sheaf_batches_next(r.batches, &batch, &err));
		for (int i = 0; i < 2; i++) {
			assert_status(SHEAF_DATA, sheaf_batches_next(r.batches, &batch, &err));
			assert_message("x.ctf:71:4");
		}
		end_run(&r);
	}
	free_bytes(&text.bytes);
}

/* ---- several files ---- */

static void open_two(const data *a, const data *b, sheaf_context *cx, sheaf_dataset *out[2])
{
	assert_ok(open_data(a, 300, cx, &out[0]));
	assert_ok(open_data(b, 300, cx, &out[1]));
}

static void test_files_one_behind_the_other(void **state)
{
	(void)state;
	data a, b;
	sheaf_dataset *datasets[2];
	sheaf_batches *batches;
	const sheaf_batch *batch;
	sheaf_status status;
	int64_t sequences = 0;
	seed_random(46);
	make_text(&a, "a.ctf", 50, 3, 0);
	make_text(&b, "b.ctf", 70, 3, 0);
	read_texts(&a);
	read_texts(&b);
	sheaf_context *cx = usual_context();
	open_two(&a, &b, cx, datasets);
	sheaf_batch_options options = with_order("sheaf", 3, 0);
	assert_ok(sheaf_batches_open(datasets, 2, &options, cx, &batches, &err));
	while ((status = sheaf_batches_next(batches, &batch, &err)) == SHEAF_OK)
		for (int64_t i = 0; i < batch->sequences; i++, sequences++) {
			char *text = row_text(batch->frame, sheaf_batches_schema(batches), i);
			assert_text(batch->keys[i] < 50 ? a.texts[batch->keys[i]] : b.texts[batch->keys[i] - 50], text);
			free(text);
		}
	assert_status(SHEAF_END, status);
	assert_int_equal(sequences, 120);
	sheaf_batches_close(batches);
	for (int i = 0; i < 2; i++) sheaf_close(datasets[i]);
	end_context(cx);
	free_data(&a);
	free_data(&b);
}

static void test_files_of_other_streams_do_not_follow(void **state)
{
	(void)state;
	data a, b;
	sheaf_dataset *datasets[2];
	sheaf_batches *batches;
	make_text(&a, "a.ctf", 5, 3, 0);
	make_text(&b, "b.ctf", 7, 3, 0);
	b.settings[1].value = "B:91:sparse";
	sheaf_context *cx = usual_context();
	open_two(&a, &b, cx, datasets);
	assert_status(SHEAF_DATA, sheaf_batches_open(datasets, 2, &usual, cx, &batches, &err));
	assert_message("b.ctf: expected the streams of a.ctf, found no stream \"B\"");
	for (int i = 0; i < 2; i++) sheaf_close(datasets[i]);
	end_context(cx);
	free_data(&a);
	free_data(&b);
}

static sheaf_dataset *open_text(const char *text, const char *name, const char *stream, sheaf_context *cx)
{
	sheaf_dataset *dataset;
	sheaf_setting setting = {"stream", stream};
	sheaf_open_options options = {
		.size = sizeof options, .piece_bytes = 12, .random = true, .settings = &setting, .nsettings = 1};
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)text, strlen(text)}, name, &options, cx, &dataset));
	return dataset;
}

static void test_joined_files(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_dataset *datasets[3] = {
		open_text("5 |A 50\n3 |A 30\n3 |A 31\n9 |A 90\n1 |A 10\n", "a.ctf", "A:1:dense", cx),
		open_text("1 |B 11\n1 |B 12\n3 |B 33\n4 |B 44\n5 |B 55\n9 |B 99\n", "b.ctf", "B:1:dense", cx),
		open_text("9 |C 1:9\n1 |C 1:1\n3 |C 2:3\n", "c.ctf", "C:4:sparse", cx),
	};
	static const char *const wanted[] = {
		"{\"key\":3,\"streams\":{\"A\":[[30],[31]],\"B\":[[33]],\"C\":[[[2,3]]]}}\n",
		"{\"key\":9,\"streams\":{\"A\":[[90]],\"B\":[[99]],\"C\":[[[1,9]]]}}\n",
		"{\"key\":1,\"streams\":{\"A\":[[10]],\"B\":[[11],[12]],\"C\":[[[1,1]]]}}\n",
	};
	static const uint32_t lengths[] = {2, 1, 2};
	sheaf_batches *batches;
	const sheaf_batch *batch;
	int64_t sequences, samples, dropped;
	sheaf_batch_options options = with_order("file", 0, 0);
	options.join = true;
	assert_ok(sheaf_batches_open(datasets, 3, &options, cx, &batches, &err));
	sheaf_batches_facts(batches, &sequences, &samples, &dropped);
	assert_int_equal(sequences, 3);
	assert_int_equal(samples, 5);
	assert_int_equal(dropped, 1);
	assert_ok(sheaf_batches_next(batches, &batch, &err));
	assert_int_equal(batch->sequences, 3);
	for (int64_t i = 0; i < 3; i++) {
		char *text = row_text(batch->frame, sheaf_batches_schema(batches), i);
		assert_text(wanted[i], text);
		assert_int_equal(batch->lengths[i], lengths[i]);
		free(text);
	}
	sheaf_batches_close(batches);
	options.order = "cntk";
	assert_ok(sheaf_batches_open(datasets, 3, &options, cx, &batches, &err));
	assert_ok(sheaf_batches_next(batches, &batch, &err));
	assert_int_equal(batch->sequences, 3);
	sheaf_batches_close(batches);
	sheaf_dataset *strangers[2] = {datasets[0], open_text("77 |B 1\n", "d.ctf", "B:1:dense", cx)};
	assert_status(SHEAF_DATA, sheaf_batches_open(strangers, 2, &options, cx, &batches, &err));
	assert_message("found no key that all joined inputs have");
	sheaf_dataset *twins[2] = {datasets[0], datasets[0]};
	assert_status(SHEAF_DATA, sheaf_batches_open(twins, 2, &options, cx, &batches, &err));
	assert_message("found \"A\" again");
	sheaf_close(strangers[1]);
	for (int i = 0; i < 3; i++) sheaf_close(datasets[i]);
	end_context(cx);
}

/* Three of a for one of b; each has sweeps of its own. */
static void test_files_mixed_by_weights(void **state)
{
	(void)state;
	enum { A = 30, B = 50, DRAWS = 4 * (A + B) };
	static const int64_t weights[] = {3, 1};
	data a, b;
	sheaf_dataset *datasets[2];
	sheaf_batches *batches;
	const sheaf_batch *batch;
	sheaf_status status;
	int64_t draws = 0, seen[A + B] = {0}, of_a = 0, last = 0;
	char states[DRAWS][SHEAF_STATE_SIZE];
	uint64_t firsts[DRAWS];
	int n = 0;
	seed_random(48);
	make_text(&a, "a.ctf", A, 3, 0);
	make_text(&b, "b.ctf", B, 3, 0);
	sheaf_context *cx = usual_context();
	open_two(&a, &b, cx, datasets);
	sheaf_batch_options options = with_order("sheaf", 3, 0);
	options.unit = SHEAF_SIZE_SEQUENCES;
	options.batch_size = 4;
	options.sweeps = 3;
	options.weights = weights;
	assert_ok(sheaf_batches_open(datasets, 2, &options, cx, &batches, &err));
	for (; (status = sheaf_batches_next(batches, &batch, &err)) == SHEAF_OK; n++) {
		assert_int_equal(batch->begin, last);
		last = batch->end;
		firsts[n] = batch->keys[0];
		for (int64_t i = 0; i < batch->sequences; i++, draws++) {
			of_a += batch->keys[i] < A;
			/* A sequence is repeated only when all others of its file have been given. */
			int64_t first = batch->keys[i] < A ? 0 : A, end = first ? A + B : A,
					least = seen[batch->keys[i]]++;
			for (int64_t k = first; k < end; k++) assert_true(seen[k] >= least - 1);
		}
		assert_true(batch->sequences < 4 || of_a == draws / 4 * 3);
		sheaf_batches_state(batches, states[n]);
	}
	assert_status(SHEAF_END, status);
	for (int i = 0; i + 1 < n; i++) {
		assert_ok(sheaf_batches_resume(batches, states[i], &err));
		assert_ok(sheaf_batches_next(batches, &batch, &err));
		assert_int_equal(batch->keys[0], firsts[i + 1]);
	}
	sheaf_batches_close(batches);
	static const int64_t none[] = {3, 0};
	options.weights = none;
	assert_status(SHEAF_USAGE, sheaf_batches_open(datasets, 2, &options, cx, &batches, &err));
	options.weights = weights;
	options.order = "file";
	assert_status(SHEAF_USAGE, sheaf_batches_open(datasets, 2, &options, cx, &batches, &err));
	for (int i = 0; i < 2; i++) sheaf_close(datasets[i]);
	end_context(cx);
	free_data(&a);
	free_data(&b);
}

static int64_t count_draws(const char *file, const char *order, int64_t draws[4])
{
	sheaf_dataset *dataset;
	sheaf_batches *batches;
	const sheaf_batch *batch;
	sheaf_status status;
	int64_t n = 0;
	sheaf_open_options open = {.size = sizeof open, .random = true};
	sheaf_context *cx = usual_context();
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)file, strlen(file)}, "x.ex", &open, cx, &dataset));
	sheaf_batch_options options = with_order(order, 9, 0);
	options.sweeps = 2500;
	status = sheaf_batches_open(&dataset, 1, &options, cx, &batches, &err);
	if (status == SHEAF_OK) {
		while ((status = sheaf_batches_next(batches, &batch, &err)) == SHEAF_OK)
			for (int64_t i = 0; i < batch->sequences; i++, n++) draws[batch->keys[i]]++;
		assert_status(SHEAF_END, status);
	}
	sheaf_batches_close(batches);
	sheaf_close(dataset);
	end_context(cx);
	return n;
}

/* Ten thousand draws: each count within five sigma of what its frequency says. */
static void test_draws_with_replacement(void **state)
{
	(void)state;
	static const char examples[] = "; name: {a} freq: 1 I: 1 T: 1; name: {b} freq: 2 I: 0 T: 0; name: {c} "
								   "freq: 0 I: 1 T: 0; name: {d} freq: 5 I: 0 T: 1;";
	static const double wanted[2][4] = {{2500, 2500, 2500, 2500}, {1250, 2500, 0, 6250}};
	static const char *const orders[] = {"random", "frequency"};
	for (int o = 0; o < 2; o++) {
		int64_t draws[4] = {0};
		assert_int_equal(count_draws(examples, orders[o], draws), 10000);
		for (int i = 0; i < 4; i++) {
			double off = (double)draws[i] - wanted[o][i], p = wanted[o][i] / 10000;
			assert_true(off * off <= 25 * 10000 * p * (1 - p));
		}
	}
}

static void test_frequencies_that_are_not_there(void **state)
{
	(void)state;
	data text;
	run r;
	make_text(&text, "x.ctf", 5, 3, 0);
	r.cx = usual_context();
	assert_ok(open_data(&text, 0, r.cx, &r.dataset));
	sheaf_batch_options options = with_order("frequency", 0, 0);
	assert_status(SHEAF_DATA, sheaf_batches_open(&r.dataset, 1, &options, r.cx, &r.batches, &err));
	assert_message("a column \"freq\"");
	end_run(&r);
	free_data(&text);
}

/* ---- options ---- */

static void test_options_that_make_no_sense(void **state)
{
	(void)state;
	data text;
	sheaf_dataset *dataset;
	sheaf_batches *batches;
	make_text(&text, "x.ctf", 5, 3, 0);
	sheaf_context *cx = usual_context();
	assert_ok(open_data(&text, 0, cx, &dataset));
	sheaf_batch_options o[12];
	for (size_t i = 0; i < COUNT(o); i++) o[i] = usual;
	o[0].batch_size = -1;
	o[1].order = "odd";
	o[2].rank = 2, o[2].world = 2;
	o[3].window = -1;
	o[4].sweeps = 1, o[4].epoch_size = 5;
	o[5].rest = SHEAF_REST_WRAP, o[5].stop_at_sweep_end = true;
	o[6].bucket = true, o[6].order = "cntk";
	o[7].size = 3;
	o[8].sweeps = INT64_MAX;
	o[9].epochs = -1;
	o[10].first_epoch = INT64_MAX / 2;
	o[11].rank = -1;
	for (size_t i = 0; i < COUNT(o); i++)
		assert_status(SHEAF_USAGE, sheaf_batches_open(&dataset, 1, &o[i], cx, &batches, &err));
	assert_status(SHEAF_USAGE, sheaf_batches_open(&dataset, 0, &usual, cx, &batches, &err));
	sheaf_close(dataset);
	end_context(cx);
	free_data(&text);
}

/* ---- shards ---- */

static void test_shards_by_name(void **state)
{
	static const struct {
		const char *text;
		int64_t rank, world; /* world 0: refused */
	} cases[] = {{"0/1", 0, 1},  {"7/8", 7, 8},   {"0/999999999999999999", 0, 999999999999999999},
	             {"", 0, 0},     {"1", 0, 0},     {"/", 0, 0},
	             {"1/", 0, 0},   {"/2", 0, 0},    {"2/2", 0, 0},
	             {"-1/2", 0, 0}, {"0/0", 0, 0},   {"0/2 ", 0, 0},
	             {" 0/2", 0, 0}, {"0/2/3", 0, 0}, {"0/9999999999999999999", 0, 0},
	             {"ENV", 0, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sheaf_shard shard = {5, 5, "x"};
		err = (sheaf_error){0};
		sheaf_status status = sheaf_shard_from_text(cases[i].text, &shard, &err);
		assert_int_equal(status, cases[i].world ? SHEAF_OK : SHEAF_USAGE);
		assert_string_equal(err.option, cases[i].world ? "" : "shard");
		assert_int_equal(shard.rank, cases[i].rank);
		assert_int_equal(shard.world, cases[i].world);
		assert_string_equal(shard.origin, "");
	}
}

static void test_shards_of_launchers(void **state)
{
	static const char *const names[] = {
		"RANK",     "WORLD_SIZE",   "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",
		"PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS",         "SLURM_STEP_NUM_TASKS"};
	sheaf_shard shard;
	(void)state;
	err = (sheaf_error){0};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
	assert_int_equal(sheaf_shard_from_text("env", &shard, &err), SHEAF_USAGE);
	setenv("SLURM_PROCID", "3", 1);
	assert_int_equal(sheaf_shard_from_text("env", &shard, &err), SHEAF_USAGE);
	setenv("SLURM_NTASKS", "16", 1);
	assert_ok(sheaf_shard_from_text("env", &shard, &err));
	assert_int_equal(shard.world, 16);
	setenv("SLURM_STEP_NUM_TASKS", "4", 1); /* a step has fewer than the job */
	assert_ok(sheaf_shard_from_text("env", &shard, &err));
	assert_int_equal(shard.rank, 3);
	assert_int_equal(shard.world, 4);
	assert_string_equal(shard.origin, "Slurm (SLURM_PROCID=3, SLURM_STEP_NUM_TASKS=4)");
	setenv("SLURM_PROCID", "3x", 1);
	assert_int_equal(sheaf_shard_from_text("env", &shard, &err), SHEAF_USAGE);
	assert_string_equal(shard.origin, "");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
}

/* Batches of a file, in this order; each allocation fails in turn, until none does. */
static void fail_each_allocation(const data *file, const char *order)
{
	for (int64_t fail_at = 1, failed = true; failed; fail_at++) {
		allocator memory = {.fail_at = fail_at};
		sheaf_context_options options = options_with(&memory);
		sheaf_context *cx = NULL;
		sheaf_dataset *dataset = NULL;
		sheaf_batches *batches = NULL;
		const sheaf_batch *batch;
		sheaf_batch_options o = with_order(order, 0, 2);
		sheaf_status status = sheaf_context_new(&options, &cx, &err);
		if (!status) status = open_data(file, 200, cx, &dataset);
		if (!status) status = sheaf_batches_open(&dataset, 1, &o, cx, &batches, &err);
		while (!status) status = sheaf_batches_next(batches, &batch, &err);
		failed = status != SHEAF_END;
		if (failed) assert_status(SHEAF_NOMEM, status);
		sheaf_batches_close(batches);
		sheaf_close(dataset);
		sheaf_context_free(cx);
		assert_int_equal(memory.bytes, 0);
	}
}

static void test_any_allocation_may_fail(void **state)
{
	(void)state;
	static char examples[] = "; name: {a} freq: 1 I: 1 T: 1; name: {b} freq: 2 I: 0 T: 0;";
	data text;
	seed_random(47);
	make_text(&text, "x.ctf", 30, 3, 0);
	fail_each_allocation(&text, "cntk");
	free_data(&text);
	const data weighted = {.bytes = {.data = (uint8_t *)examples, .size = sizeof examples - 1},
	                       .name = "x.ex"};
	fail_each_allocation(&weighted, "frequency");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches_have_the_rows_of_the_file),
		cmocka_unit_test(test_index_beyond_in_a_chunk),
		cmocka_unit_test(test_states_bring_every_batch_back),
		cmocka_unit_test(test_states_of_something_else_are_refused),
		cmocka_unit_test(test_memory_and_threads_change_nothing),
		cmocka_unit_test(test_loaders_that_take_turns),
		cmocka_unit_test(test_epochs_begin_anew),
		cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_batches_may_be_kept),
		cmocka_unit_test(test_errors_come_with_their_batch),
		cmocka_unit_test(test_files_one_behind_the_other),
		cmocka_unit_test(test_files_of_other_streams_do_not_follow),
		cmocka_unit_test(test_joined_files),
		cmocka_unit_test(test_files_mixed_by_weights),
		cmocka_unit_test(test_draws_with_replacement),
		cmocka_unit_test(test_frequencies_that_are_not_there),
		cmocka_unit_test(test_options_that_make_no_sense),
		cmocka_unit_test(test_shards_by_name),
		cmocka_unit_test(test_shards_of_launchers),
		cmocka_unit_test(test_any_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
