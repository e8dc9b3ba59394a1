/* SPDX-License-Identifier: MIT */
/* Minibatches over one dataset: each batch has exactly its rows, whatever the order, the format and the
 * memory, and a state brings it back. */
#include "batch/state.h"
#include "batches_support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a dataset, and its rows as texts ---- */

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

/* ---- batches, walked ---- */

static void begin_run(run *r, const data *d, int64_t piece_bytes, const batching *options,
                      sheaf_context_options context)
{
	context.size = sizeof context;
	r->cx = context_with(&context);
	assert_ok(open_data(d, piece_bytes, r->cx, &r->dataset));
	assert_ok(open_batches(&r->dataset, 1, options, r->cx, &r->batches, &err));
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

static void check_rows(const data *d, const batching *options)
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
	const batching options[] = {with_order("file", 0, 0), with_order("sheaf", 1, 0),
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
	const batching options = with_order("sheaf", 1, 0);
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
	batching options[] = {with_order("file", 0, 0), with_order("sheaf", 1, 0), with_order("sheaf", 2, 2),
	                      with_order("cntk", 3, 2), with_order("sheaf", 5, 0)};
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
	batching options = with_order("sheaf", 1, 0);
	begin_run(&r, &text, 700, &options, (sheaf_context_options){0});
	sheaf_batches_state(r.batches, mine);
	static const char *const broken[] = {"", "{}", "x", "{\"version\":1}", "{\"version\":1,\"version\":1}"};
	for (size_t i = 0; i < COUNT(broken); i++)
		assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, broken[i], &err));
	for (size_t i = 0; mine[i]; i++) {
		snprintf(later, sizeof later, "%s", mine);
		later[i] ^= 1;
		sheaf_status status = sheaf_batches_resume(r.batches, later, &err);
		assert_true(status == SHEAF_USAGE || (status == SHEAF_DATA && strstr(err.message, "changed")));
	}
	snprintf(later, sizeof later, "%s", mine);
	later[strlen("{\"version\":")] = '2';
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, later, &err));
	assert_message("expected version 1, found 2");
	/* Places that these data do not have. */
	for (int i = 0; i < 2; i++) {
		sheaf_state place;
		assert_ok(sheaf_state_read(mine, &place, &err));
		*(i ? &place.mark.position : &place.mark.ordinal) = i ? 1 : 60;
		sheaf_state_write(&place, later);
		assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, later, &err));
		assert_message("expected a place in these data");
	}
	sheaf_state within;
	assert_ok(sheaf_state_read(mine, &within, &err));
	within.step = 1;
	sheaf_state_write(&within, later);
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, later, &err));
	assert_message("state: expected step 0 where sequences are whole, found 1");
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
	options.truncation = 4;
	options.packing = SHEAF_PACK_TRUNCATED;
	begin_run(&r, &text, 700, &options, (sheaf_context_options){0});
	sheaf_batches_state(r.batches, later);
	assert_ok(sheaf_state_read(later, &within, &err));
	within.step = 1 << 20;
	sheaf_state_write(&within, later);
	assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, later, &err));
	assert_message("state: expected a step that the epoch has, found 1048576");
	end_run(&r);
	options.packing = SHEAF_PACK_NONE;
	options.world = 3;
	begin_run(&r, &text, 700, &options, (sheaf_context_options){0});
	assert_ok(sheaf_batches_resume(r.batches, mine, &err));
	end_run(&r);
	free_data(&text);
	free_data(&other);
}

/* Each option that says which sequences come when tells two runs apart, alone. */
static void test_each_option_makes_another_run(void **state)
{
	(void)state;
	data text;
	run r;
	batching base[] = {with_order("cntk", 1, 2), with_order("sheaf", 1, 0), with_order("file", 0, 0)},
			 other[11];
	base[2].packing = SHEAF_PACK_TRUNCATED;
	base[2].truncation = 4;
	seed_random(43);
	make_text(&text, "x.ctf", 60, 5, 7);
	for (size_t i = 0; i < COUNT(base); i++) {
		char mine[SHEAF_STATE_SIZE];
		size_t n = 0;
		for (; n < COUNT(other); n++) other[n] = base[i];
		n = 0;
		if (i == 0) {
			other[n++].window = 3;
			other[n++].window_in_samples = true;
			other[n++].batch_size = 21;
			other[n++].unit = SHEAF_SIZE_SEQUENCES;
			other[n++].stop_at_sweep_end = true;
			other[n++].global_timeline = true;
			other[n++].epoch_size = 50;
			other[n++].sweeps = 2;
		} else if (i == 1) {
			other[n++].bucket = true;
			other[n++].rest = SHEAF_REST_DROP;
		} else {
			other[n++].truncation = 5;
			other[n++].batch_size = 21;
			other[n++].world = 2;
		}
		begin_run(&r, &text, 700, &base[i], (sheaf_context_options){0});
		sheaf_batches_state(r.batches, mine);
		assert_ok(sheaf_batches_resume(r.batches, mine, &err));
		end_run(&r);
		for (size_t k = 0; k < n; k++) {
			begin_run(&r, &text, 700, &other[k], (sheaf_context_options){0});
			assert_status(SHEAF_USAGE, sheaf_batches_resume(r.batches, mine, &err));
			assert_message("other options");
			end_run(&r);
		}
	}
	free_data(&text);
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
		batching options = with_order(orders[o], 5, 4);
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
		batching options = with_order(orders[o], 5, 4);
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
		batching options = with_order(orders[i % 3], 3, i % 3 == 2 ? 0 : 1);
		if (i >= 3) options.epoch_size = 50 + i;
		if (i >= 6) options.rest = SHEAF_REST_DROP;
		begin_run(&r, &text, 300, &options, (sheaf_context_options){0});
		for (int k = 0; k < 3; k++) {
			batching other = options;
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
	text.settings[1] = (sheaf_setting){"element-type", "double"};
	for (int i = 0; i < 100000; i++) {
		int n = snprintf(line, sizeof line, "|A 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 %d\n", i % 10);
		assert_int_equal(write_bytes(&text.bytes, line, (size_t)n), 0);
	}
	batching options = with_order("sheaf", 0, 0);
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
	batching options = with_order("sheaf", 1, 0);
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
	data text = {.name = "x.ctf", .settings = {{"stream", "A:1:dense"}, {"element-type", "float"}}};
	const sheaf_batch *batch;
	run r;
	for (int i = 0; i < 100; i++) {
		char line[40];
		int n = snprintf(line, sizeof line, i == 70 ? "|A x\n" : "|A %d\n", i);
		assert_int_equal(write_bytes(&text.bytes, line, (size_t)n), 0);
	}
	for (int threads = 1; threads < 4; threads++) {
		batching options = with_order("file", 0, 0);
		options.batch_size = 10;
		begin_run(&r, &text, 50, &options, (sheaf_context_options){.threads = threads});
		for (int i = 0; i < 6; i++) assert_ok(sheaf_batches_next(r.batches, &batch, &err));
		for (int i = 0; i < 2; i++) {
			assert_status(SHEAF_DATA, sheaf_batches_next(r.batches, &batch, &err));
			assert_message("x.ctf:71:4");
			assert_status(SHEAF_DATA, sheaf_batches_skip(r.batches, 0, &err));
			assert_message("x.ctf:71:4");
		}
		end_run(&r);
	}
	free_bytes(&text.bytes);
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
	batching o[14];
	for (size_t i = 0; i < COUNT(o); i++) o[i] = usual;
	o[0].batch_size = -1;
	o[1].order = "odd";
	o[2].rank = 2, o[2].world = 2;
	o[3].window = -1;
	o[4].sweeps = 1, o[4].epoch_size = 5;
	o[5].rest = SHEAF_REST_WRAP, o[5].stop_at_sweep_end = true;
	o[6].bucket = true, o[6].order = "cntk";
	o[7].stride = -1;
	o[8].sweeps = INT64_MAX;
	o[9].epochs = -1;
	o[10].first_epoch = INT64_MAX / 2;
	o[11].rank = -1;
	o[12].world = -1;
	o[13].world = INT64_MIN;
	for (size_t i = 0; i < COUNT(o); i++)
		assert_status(SHEAF_USAGE, open_batches(&dataset, 1, &o[i], cx, &batches, &err));
	assert_status(SHEAF_USAGE, open_batches(&dataset, 0, &usual, cx, &batches, &err));
	sheaf_close(dataset);
	end_context(cx);
	free_data(&text);
}

/* ---- shards ---- */

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
		batching o = with_order(order, 0, 2);
		sheaf_status status = sheaf_context_new(&options, &cx, &err);
		if (!status) status = open_data(file, 200, cx, &dataset);
		if (!status) status = open_batches(&dataset, 1, &o, cx, &batches, &err);
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
		cmocka_unit_test(test_each_option_makes_another_run),
		cmocka_unit_test(test_memory_and_threads_change_nothing),
		cmocka_unit_test(test_loaders_that_take_turns),
		cmocka_unit_test(test_epochs_begin_anew),
		cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_batches_may_be_kept),
		cmocka_unit_test(test_errors_come_with_their_batch),
		cmocka_unit_test(test_options_that_make_no_sense),
		cmocka_unit_test(test_any_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
