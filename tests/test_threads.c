/* SPDX-License-Identifier: MIT */
/* Threads change only the time: for any number of them the same frames, the same problems in the same order,
 * the same failure at the same place, the same bytes; and nothing hangs or leaks when the work is stopped,
 * runs out of memory, or is closed half-way. */
#include "share.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FORMATS = 16, ROWS = 400, MOST_THREADS_TRIED = 8 };

static const int thread_counts[] = {1, 2, 3, MOST_THREADS_TRIED};

/* ---- what a run says ---- */

static bytes_sink said; /* by the run under way */
static sheaf_context *stop_at_problem;
static int problems_until_stop;

static void say(const char *text)
{
	write_bytes(&said, text, strlen(text));
	write_bytes(&said, "\n", 1);
}

static void hear(void *user, const sheaf_problem *problem)
{
	char text[1100];
	(void)user;
	say(sheaf_problem_text(problem, text, sizeof text));
	if (problems_until_stop && --problems_until_stop == 0) sheaf_context_stop(stop_at_problem);
}

typedef struct manner {
	int64_t piece_bytes, max_errors, max_memory;
	bool strict, validate;
	const sheaf_setting *settings;
	int nsettings;
} manner;

static sheaf_context *context_in(const manner *m, int threads)
{
	sheaf_context_options options = {
		.size = sizeof options, .threads = threads, .max_errors = m->max_errors, .max_memory = m->max_memory};
	options.strict = m->strict;
	options.validate = m->validate;
	options.on_problem = hear;
	return context_with(&options);
}

static sheaf_status say_frames(sheaf_dataset *dataset)
{
	const sheaf_frame *frame;
	sheaf_status status;
	sheaf_buffer text = {0};
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		const sheaf_schema *schema = sheaf_dataset_schema(dataset);
		assert_ok(sheaf_frame_check(frame, schema, SHEAF_CHECK_FULL, &err));
		assert_ok(sheaf_rows_text(frame, schema, SHEAF_JSON, sheaf_dataset_row(dataset), 0, frame->nrows,
		                          &text, &err));
		write_bytes(&said, text.data, text.size);
		say("-- frame");
	}
	sheaf_buffer_reset(&text);
	return status;
}

static bytes_sink read_in(const bytes_sink *file, const char *format, const manner *m, int threads)
{
	sheaf_context *cx = context_in(m, threads);
	sheaf_dataset *dataset;
	sheaf_open_options options = {.size = sizeof options,
	                              .format = format,
	                              .settings = m->settings,
	                              .nsettings = m->nsettings,
	                              .piece_bytes = m->piece_bytes};
	said = (bytes_sink){0};
	sheaf_status status = open_bytes((sheaf_bytes){file->data, file->size}, "file", &options, cx, &dataset);
	if (status == SHEAF_OK) status = say_frames(dataset);
	say(sheaf_status_name(status));
	if (status != SHEAF_END) say(err.message);
	sheaf_close(dataset);
	end_context(cx);
	return said;
}

static void assert_same(const bytes_sink *one, const bytes_sink *many, int threads)
{
	if (one->size == many->size && memcmp(one->data, many->data, one->size) == 0) return;
	print_error("with one thread:\n%.*s\nwith %d:\n%.*s\n", (int)one->size, one->data, threads,
	            (int)many->size, many->data);
	fail();
}

static void assert_reads_the_same(const bytes_sink *file, const char *format, const manner *m)
{
	if (!is_in_share()) return;
	bytes_sink one = read_in(file, format, m, 1);
	for (size_t k = 1; k < COUNT(thread_counts); k++) {
		bytes_sink many = read_in(file, format, m, thread_counts[k]);
		assert_same(&one, &many, thread_counts[k]);
		free_bytes(&many);
	}
	free_bytes(&one);
}

/* ---- inputs ---- */

static table make_dataset(sheaf_context *cx)
{
	table t = new_table(cx);
	filler dense, sparse;
	add_stream(&t, "D.input", false, 3, SHEAF_F32); /* names that say a side, for formats that have sides */
	add_stream(&t, "S.target", true, 100, SHEAF_F32);
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	begin_filling(&dense, &t.schema.fields[0], cx);
	begin_filling(&sparse, &t.schema.fields[1], cx);
	for (int r = 0; r < ROWS; r++) {
		for (int s = 0; s <= r % 3; s++) {
			for (int v = 0; v < 3; v++) fill_value(&dense, -1, r + v);
			end_sample(&dense);
			for (int v = 0; v < r % 4; v++) fill_value(&sparse, v * 7 + s, r * 0.25);
			end_sample(&sparse);
		}
		end_row(&dense);
		end_row(&sparse);
	}
	finish_filling(&dense, &t.frame.columns[0]);
	finish_filling(&sparse, &t.frame.columns[1]);
	t.frame.nrows = ROWS;
	return t;
}

static bool is_tested(const sheaf_format *format)
{
	return holds_streams(format) && (abilities(format) & SHEAF_CAN_READ) &&
	       (abilities(format) & SHEAF_CAN_WRITE);
}

static bytes_sink written_as(const sheaf_format *format, const table *t, sheaf_context *cx)
{
	static const sheaf_setting small = {"chunk-bytes", "1000"};
	bytes_sink bytes = {0};
	const sheaf_option *option = sheaf_option_find(format->options, small.name);
	sheaf_create_options options = {.size = sizeof options, .format = format->name, .settings = &small};
	options.nsettings = option && (option->use & SHEAF_WRITING) ? 1 : 0;
	assert_ok(write_table(t, &options, 7, &bytes, cx));
	return bytes;
}

static void for_each_format(void (*run)(const bytes_sink *file, const sheaf_format *format))
{
	sheaf_context *cx = usual_context();
	table t = make_dataset(cx);
	for (int i = 0; sheaf_format_at(i); i++) {
		if (!is_tested(sheaf_format_at(i))) continue;
		bytes_sink file = written_as(sheaf_format_at(i), &t, cx);
		run(&file, sheaf_format_at(i));
		free_bytes(&file);
	}
	free_table(&t);
	end_context(cx);
}

/* Lines of two streams of which about one in `rarity` has a flaw: errors, breaches, warnings, values that
 * lose digits. */
static bytes_sink flawed_text(int lines, int rarity)
{
	static const char *const flaws[] = {
		"|A 1 2 3 |B 5:1",           "|A 1 x |B 5:1",      "|A 1 |B 5:1",
		"|A 1 2 |B 500:1",           "|A 1 2 |B 5:1 |C 3", "|A 1e99 2 |B 5:1",
		"|A 1.23456789012 0 |B 5:1", "junk |A 1 2 |B 5:1", "|A 1 2 |B 5:1 |B 6:1",
	};
	bytes_sink text = {0};
	char line[200];
	for (int i = 0; i < lines; i++) {
		const char *rest =
			random_below(rarity) ? "|A 1 2 |B 5:1 7:0.5" : flaws[random_below((int64_t)COUNT(flaws))];
		write_bytes(&text, line, (size_t)snprintf(line, sizeof line, "%d %s\n", i / 2, rest));
	}
	return text;
}

static const sheaf_setting two_streams[] = {{"stream", "A:2:dense"}, {"stream", "B:10:sparse"}};

static manner flawed_manner(int64_t piece_bytes)
{
	return (manner){
		.piece_bytes = piece_bytes, .settings = two_streams, .nsettings = (int)COUNT(two_streams)};
}

/* ---- reading ---- */

static const int64_t piece_sizes[] = {1, 64, 700, 5000, 0};

static void reads_good_files(const bytes_sink *file, const sheaf_format *format)
{
	for (size_t p = 0; p < COUNT(piece_sizes); p++) {
		assert_reads_the_same(file, format->name, &(manner){.piece_bytes = piece_sizes[p]});
		assert_reads_the_same(file, format->name, &(manner){.piece_bytes = piece_sizes[p], .validate = true});
	}
}

static void test_good_files(void **state)
{
	(void)state;
	for_each_format(reads_good_files);
}

static void reads_broken_files(const bytes_sink *file, const sheaf_format *format)
{
	for (int k = 0; k < 24; k++) {
		bytes_sink broken = {0};
		manner m = {.piece_bytes = piece_sizes[k % (int)COUNT(piece_sizes)],
		            .validate = k % 2,
		            .max_errors = k % 3,
		            .strict = k % 5 == 0};
		write_bytes(&broken, file->data,
		            k % 4 ? file->size : file->size - (size_t)random_below((int64_t)file->size / 2));
		for (int64_t n = random_below(6); n >= 0; n--)
			broken.data[random_below((int64_t)broken.size)] ^= (uint8_t)(1 << random_below(7));
		assert_reads_the_same(&broken, format->name, &m);
		free_bytes(&broken);
	}
}

static void test_broken_files(void **state)
{
	(void)state;
	seed_random(41);
	for_each_format(reads_broken_files);
}

static void test_error_budget_ends_at_the_same_problem(void **state)
{
	(void)state;
	if (!sheaf_format_find("ctf")) skip();
	seed_random(42);
	bytes_sink text = flawed_text(600, 12);
	for (int64_t most = 0; most < 40; most++) {
		manner m = flawed_manner(piece_sizes[most % 4]);
		m.max_errors = most;
		assert_reads_the_same(&text, "ctf", &m);
		m.strict = true;
		assert_reads_the_same(&text, "ctf", &m);
	}
	free_bytes(&text);
}

/* A piece has more findings than are kept for later, and is decoded again. */
static void test_findings_beyond_what_is_kept(void **state)
{
	(void)state;
	if (!sheaf_format_find("ctf")) skip();
	seed_random(43);
	bytes_sink text = flawed_text(12000, 2);
	manner m = flawed_manner(200000);
	m.validate = true;
	assert_reads_the_same(&text, "ctf", &m);
	m.validate = false;
	m.max_errors = 1000000;
	assert_reads_the_same(&text, "ctf", &m);
	m.max_errors = 2000;
	assert_reads_the_same(&text, "ctf", &m);
	free_bytes(&text);
}

/* If there is not enough memory for several pieces, there still is for one at a time. */
static void test_small_limits(void **state)
{
	(void)state;
	if (!sheaf_format_find("ctf")) skip();
	seed_random(44);
	bytes_sink text = flawed_text(30000, 1000000);
	for (int64_t memory = 1 << 20; memory <= 64 << 20; memory *= 2) {
		manner m = flawed_manner(70000);
		m.max_memory = memory;
		assert_reads_the_same(&text, "ctf", &m);
	}
	free_bytes(&text);
}

/* A small limit makes the pieces small that are looked at for streams. */
static void test_streams_that_nobody_declared(void **state)
{
	(void)state;
	if (!sheaf_format_find("ctf")) skip();
	seed_random(47);
	for (int rarity = 2; rarity < 3000; rarity *= 9) {
		bytes_sink text = flawed_text(8000, rarity);
		for (int64_t memory = 2 << 20; memory <= 16 << 20; memory *= 2)
			assert_reads_the_same(
				&text, "ctf", &(manner){.piece_bytes = 50000, .max_memory = memory, .max_errors = 100000});
		free_bytes(&text);
	}
}

/* ---- stopping ---- */

static void stops_at_any_problem(int threads, const bytes_sink *text)
{
	for (int after = 1; after < 60; after += 7) {
		sheaf_dataset *dataset;
		manner m = flawed_manner(300);
		m.max_errors = 1000;
		sheaf_context *cx = context_in(&m, threads);
		sheaf_open_options options = {.size = sizeof options,
		                              .format = "ctf",
		                              .settings = m.settings,
		                              .nsettings = m.nsettings,
		                              .piece_bytes = m.piece_bytes};
		stop_at_problem = cx;
		problems_until_stop = after;
		said = (bytes_sink){0};
		assert_ok(open_bytes((sheaf_bytes){text->data, text->size}, "text", &options, cx, &dataset));
		assert_status(SHEAF_STOPPED, say_frames(dataset));
		problems_until_stop = 0;
		free_bytes(&said);
		sheaf_close(dataset);
		end_context(cx);
	}
}

static void test_stopping_half_way(void **state)
{
	(void)state;
	if (!sheaf_format_find("ctf")) skip();
	seed_random(45);
	bytes_sink text = flawed_text(2000, 10);
	for (size_t k = 0; k < COUNT(thread_counts); k++) stops_at_any_problem(thread_counts[k], &text);
	free_bytes(&text);
}

static void closes_after_each_frame(const bytes_sink *file, const sheaf_format *format)
{
	for (int frames = 0; frames < 12; frames++) {
		sheaf_context *cx = context_in(&(manner){0}, 3);
		sheaf_dataset *dataset;
		const sheaf_frame *frame;
		sheaf_open_options options = {.size = sizeof options, .format = format->name, .piece_bytes = 200};
		assert_ok(open_bytes((sheaf_bytes){file->data, file->size}, "file", &options, cx, &dataset));
		for (int n = 0; n < frames; n++) assert_ok(sheaf_next(dataset, &frame, &err));
		sheaf_close(dataset);
		end_context(cx);
	}
}

static void test_closing_half_way(void **state)
{
	(void)state;
	for_each_format(closes_after_each_frame);
}

/* Buffers of a frame may be kept however far the reading goes on. */
static void keeps_frames(const bytes_sink *file, const sheaf_format *format)
{
	enum { MOST_KEPT = 2000 };
	static sheaf_frame kept[MOST_KEPT];
	int n = 0;
	sheaf_context *cx = context_in(&(manner){0}, 3);
	sheaf_dataset *dataset, *again;
	const sheaf_frame *frame;
	sheaf_buffer a = {0}, b = {0};
	sheaf_open_options options = {.size = sizeof options, .format = format->name, .piece_bytes = 200};
	assert_ok(open_bytes((sheaf_bytes){file->data, file->size}, "file", &options, cx, &dataset));
	assert_ok(open_bytes((sheaf_bytes){file->data, file->size}, "file", &options, cx, &again));
	for (; sheaf_next(dataset, &frame, &err) == SHEAF_OK; n++) {
		assert_true(n < MOST_KEPT);
		assert_ok(sheaf_frame_slice(frame, 0, frame->nrows, &kept[n], &err));
	}
	sheaf_close(dataset);
	for (int i = 0; i < n; i++) {
		assert_ok(sheaf_next(again, &frame, &err));
		assert_ok(
			sheaf_rows_text(frame, sheaf_dataset_schema(again), SHEAF_JSON, 0, 0, frame->nrows, &a, &err));
		assert_ok(sheaf_rows_text(&kept[i], sheaf_dataset_schema(again), SHEAF_JSON, 0, 0, kept[i].nrows, &b,
		                          &err));
		assert_int_equal(a.size, b.size);
		if (a.size) assert_memory_equal(a.data, b.data, a.size);
		sheaf_frame_free(&kept[i]);
	}
	sheaf_close(again);
	sheaf_buffer_reset(&a);
	sheaf_buffer_reset(&b);
	end_context(cx);
}

static void test_frames_that_are_kept(void **state)
{
	(void)state;
	for_each_format(keeps_frames);
}

/* ---- inputs that take time ---- */

static void reads_compressed_files(const bytes_sink *file, const sheaf_format *format)
{
	static const char *const suffixes[] = {".gz", ".zst"};
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		bytes_sink packed, cut = {0};
		char name[32];
		sheaf_sink *sink;
		sheaf_context *cx = usual_context();
		snprintf(name, sizeof name, "packed%s", suffixes[i]);
		assert_ok(sheaf_sink_path(in_folder(name), true, cx, &sink, &err));
		/* Over and over, so that it is long enough to be read ahead. */
		for (size_t size = 0; size < 1500000; size += file->size)
			assert_ok(sheaf_sink_write(sink, file->data, file->size, &err));
		assert_ok(sheaf_sink_commit(sink, &err));
		end_context(cx);
		packed = read_file(name);
		write_bytes(&cut, packed.data, packed.size - packed.size / 4);
		assert_reads_the_same(&packed, format->name, &(manner){.piece_bytes = 30000});
		assert_reads_the_same(&cut, format->name, &(manner){.piece_bytes = 30000});
		free_bytes(&packed);
		free_bytes(&cut);
	}
}

static void test_compressed_files(void **state)
{
	(void)state;
	for_each_format(reads_compressed_files);
}

enum { LINE = 10, STEP = 40000 };

/* A process that writes STEP bytes of lines for each byte that it is given, and ends when there are no
 * more. */
static pid_t start_slow_writer(const int orders[2], const int rows[2])
{
	char order, lines[STEP];
	pid_t child = fork();
	if (child != 0) return child;
	close(orders[1]);
	close(rows[0]);
	for (int i = 0; i < STEP; i += LINE) memcpy(lines + i, "|A 123456\n", LINE);
	while (read(orders[0], &order, 1) == 1)
		for (ssize_t done = 0, n; done < STEP; done += n)
			if ((n = write(rows[1], lines + done, (size_t)(STEP - done))) < 0) _exit(1);
	_exit(0);
}

/* Rows come as soon as their piece is complete, however long the writer takes for the next one; and closing
 * does not wait for it. */
static void gives_rows_of_a_slow_pipe(int threads)
{
	enum { PIECE = 100, AT_ONCE = 40 /* opening looks at the first MiB */, STEPS = 60 };
	static const sheaf_setting stream = {"stream", "A:1:dense"};
	int orders[2], ends[2];
	char path[32];
	int64_t rows = 0;
	const sheaf_frame *frame;
	sheaf_dataset *dataset;
	sheaf_open_options options = {
		.size = sizeof options, .settings = &stream, .nsettings = 1, .piece_bytes = PIECE};
	assert_int_equal(pipe(orders) + pipe(ends), 0);
	pid_t child = start_slow_writer(orders, ends);
	sheaf_context *cx = context_in(&(manner){0}, threads);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	for (int step = 0; step < STEPS; step++) {
		assert_int_equal(write(orders[1], "", 1), 1);
		if (step < AT_ONCE) continue;
		if (step == AT_ONCE) assert_ok(sheaf_open(path, &options, cx, &dataset, &err));
		for (; rows < (int64_t)(step + 1) * STEP / LINE - 3 * PIECE / LINE; rows += frame->nrows)
			assert_ok(sheaf_next(dataset, &frame, &err));
	}
	sheaf_close(dataset);
	end_context(cx);
	for (int i = 0; i < 2; i++) close(orders[i]), close(ends[i]);
	waitpid(child, NULL, 0);
}

static void test_slow_pipes(void **state)
{
	(void)state;
	if (!sheaf_format_find("ctf")) skip();
	alarm(100); /* waiting here would be forever */
	for (size_t k = 0; k < COUNT(thread_counts); k++) gives_rows_of_a_slow_pipe(thread_counts[k]);
	alarm(0);
}

/* ---- converting ---- */

static const char *with_suffix(char name[32], const char *stem, const sheaf_format *format)
{
	snprintf(name, 32, "%s%s", stem, format->suffixes[0]);
	return in_folder(name);
}

/* What is said, and then the bytes of the output. */
static bytes_sink converted_in(const char *in, const sheaf_format *from, const sheaf_format *to,
                               const manner *m, bool allow_loss, int threads)
{
	char name[32];
	const char *input = in_folder(in), *output = with_suffix(name, "out", to);
	sheaf_context_options options = {
		.size = sizeof options, .threads = threads, .max_errors = m->max_errors, .max_memory = m->max_memory};
	sheaf_convert_options convert = {.size = sizeof convert,
	                                 .open = &(sheaf_open_options){.format = from->name,
	                                                               .settings = m->settings,
	                                                               .nsettings = m->nsettings,
	                                                               .piece_bytes = m->piece_bytes},
	                                 .to = to->name};
	options.on_problem = hear;
	options.allow_loss = allow_loss;
	sheaf_context *cx = context_with(&options);
	said = (bytes_sink){0};
	sheaf_status status = sheaf_convert(&input, 1, output, &convert, cx, &err);
	say(sheaf_status_name(status));
	if (status) say(err.message);
	assert_int_equal(file_exists(name), status == SHEAF_OK);
	if (status == SHEAF_OK) {
		bytes_sink bytes = read_file(name);
		write_bytes(&said, bytes.data, bytes.size);
		free_bytes(&bytes);
		remove(output);
	}
	end_context(cx);
	return said;
}

static void assert_converts_the_same(const char *in, const sheaf_format *from, const sheaf_format *to,
                                     const manner *m, bool allow_loss)
{
	if (!is_in_share()) return;
	bytes_sink one = converted_in(in, from, to, m, allow_loss, 1);
	for (size_t k = 1; k < COUNT(thread_counts); k++) {
		bytes_sink many = converted_in(in, from, to, m, allow_loss, thread_counts[k]);
		assert_same(&one, &many, thread_counts[k]);
		free_bytes(&many);
	}
	free_bytes(&one);
}

static void converts_to_all(const bytes_sink *file, const sheaf_format *format)
{
	static const sheaf_setting chunks[] = {{"chunk-bytes", "1000"}};
	char name[32];
	with_suffix(name, "in", format);
	write_file(name, file->data, file->size);
	for (int i = 0; sheaf_format_at(i); i++) {
		const sheaf_format *to = sheaf_format_at(i);
		const sheaf_option *option = sheaf_option_find(to->options, chunks[0].name);
		if (!is_tested(to)) continue;
		for (size_t p = 0; p < COUNT(piece_sizes); p++) {
			manner m = {.piece_bytes = piece_sizes[p],
			            .settings = chunks,
			            .nsettings = option && (option->use & SHEAF_WRITING) ? 1 : 0};
			assert_converts_the_same(name, format, to, &m, false);
			assert_converts_the_same(name, format, to, &m, true);
		}
	}
}

static void test_converting(void **state)
{
	(void)state;
	for_each_format(converts_to_all);
}

/* Problems in reading and losses in writing come in the order of pieces. */
static void test_losses_and_errors_in_one_order(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {
		{"stream", "A:2:dense"}, {"stream", "B:10:sparse"}, {"chunk-bytes", "500"}};
	const sheaf_format *ctf = sheaf_format_find("ctf"), *cbf = sheaf_format_find("cbf");
	if (!ctf || !cbf) skip();
	seed_random(46);
	bytes_sink text = flawed_text(1200, 6);
	write_file("in.ctf", text.data, text.size);
	for (int most = 0; most < 3; most++) {
		manner m = {
			.piece_bytes = 400, .max_errors = most ? most * 60 : 0, .settings = settings, .nsettings = 3};
		for (int loss = 0; loss < 2; loss++) {
			assert_converts_the_same("in.ctf", ctf, cbf, &m, loss);
			m.nsettings = 2;
			assert_converts_the_same("in.ctf", ctf, ctf, &m, loss);
			m.nsettings = 3;
		}
	}
	free_bytes(&text);
}

/* Every infinity is a loss where text is written: more of them than are kept for later. */
static void test_losses_beyond_what_is_kept(void **state)
{
	(void)state;
	enum { MANY = 9000 };
	const sheaf_format *ctf = sheaf_format_find("ctf"), *cbf = sheaf_format_find("cbf");
	if (!ctf || !cbf) skip();
	sheaf_context *cx = usual_context();
	table t = new_table(cx);
	filler f;
	add_stream(&t, "A", false, 1, SHEAF_F32);
	assert_ok(sheaf_frame_begin(&t.frame, &t.schema, cx, &err));
	begin_filling(&f, &t.schema.fields[0], cx);
	for (int r = 0; r < MANY; r++) {
		fill_value(&f, -1, r % 3 ? (double)INFINITY : r);
		end_sample(&f);
		end_row(&f);
	}
	finish_filling(&f, &t.frame.columns[0]);
	t.frame.nrows = MANY;
	bytes_sink file = written_as(cbf, &t, cx);
	write_file("in.cbf", file.data, file.size);
	for (int loss = 0; loss < 2; loss++) {
		assert_converts_the_same("in.cbf", cbf, ctf, &(manner){0}, loss);
		assert_converts_the_same("in.cbf", cbf, ctf, &(manner){.piece_bytes = 300}, loss);
	}
	free_bytes(&file);
	free_table(&t);
	end_context(cx);
}

static void test_converting_under_small_limits(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {
		{"stream", "A:2:dense"}, {"stream", "B:10:sparse"}, {"chunk-bytes", "200000"}};
	const sheaf_format *ctf = sheaf_format_find("ctf"), *cbf = sheaf_format_find("cbf");
	if (!ctf || !cbf) skip();
	bytes_sink text = flawed_text(20000, 1000000);
	write_file("in.ctf", text.data, text.size);
	for (int64_t memory = 8 << 20; memory <= 64 << 20; memory *= 2) {
		manner m = {.piece_bytes = 70000, .max_memory = memory, .settings = settings, .nsettings = 3};
		assert_converts_the_same("in.ctf", ctf, cbf, &m, false);
	}
	free_bytes(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_files),
		cmocka_unit_test(test_broken_files),
		cmocka_unit_test(test_error_budget_ends_at_the_same_problem),
		cmocka_unit_test(test_findings_beyond_what_is_kept),
		cmocka_unit_test(test_small_limits),
		cmocka_unit_test(test_streams_that_nobody_declared),
		cmocka_unit_test(test_stopping_half_way),
		cmocka_unit_test(test_closing_half_way),
		cmocka_unit_test(test_frames_that_are_kept),
		cmocka_unit_test(test_compressed_files),
		cmocka_unit_test(test_slow_pipes),
		cmocka_unit_test(test_converting),
		cmocka_unit_test(test_losses_and_errors_in_one_order),
		cmocka_unit_test(test_losses_beyond_what_is_kept),
		cmocka_unit_test(test_converting_under_small_limits),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
