/* SPDX-License-Identifier: MIT */
/* Minibatches over several datasets: one after the other, joined, and mixed by weights. */
#include "batches_support.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	batching options = with_order("sheaf", 3, 0);
	assert_ok(open_batches(datasets, 2, &options, cx, &batches, &err));
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
	assert_status(SHEAF_DATA, open_batches(datasets, 2, &usual, cx, &batches, &err));
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
	sheaf_open_options options = {.size = sizeof options,
	                              .piece_bytes = 12,
	                              .access = SHEAF_RANDOM,
	                              .settings = &setting,
	                              .nsettings = 1};
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
	batching options = with_order("file", 0, 0);
	options.join = true;
	assert_ok(open_batches(datasets, 3, &options, cx, &batches, &err));
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
	assert_ok(open_batches(datasets, 3, &options, cx, &batches, &err));
	assert_ok(sheaf_batches_next(batches, &batch, &err));
	assert_int_equal(batch->sequences, 3);
	sheaf_batches_close(batches);
	sheaf_dataset *strangers[2] = {datasets[0], open_text("77 |B 1\n", "d.ctf", "B:1:dense", cx)};
	assert_status(SHEAF_DATA, open_batches(strangers, 2, &options, cx, &batches, &err));
	assert_message("found no key that all joined inputs have");
	sheaf_dataset *twins[2] = {datasets[0], datasets[0]};
	assert_status(SHEAF_DATA, open_batches(twins, 2, &options, cx, &batches, &err));
	assert_message("found \"A\" again");
	sheaf_close(strangers[1]);
	for (int i = 0; i < 3; i++) sheaf_close(datasets[i]);
	end_context(cx);
}

/* Keys are read after the files were opened. */
static void test_joined_files_that_become_shorter(void **state)
{
	(void)state;
	sheaf_context *cx = context_with(&(sheaf_context_options){.size = sizeof(sheaf_context_options),
	                                                          .no_mapping = true});
	sheaf_open_options opening = {.size = sizeof opening, .piece_bytes = 12, .access = SHEAF_RANDOM};
	sheaf_dataset *datasets[2] = {open_text("1 |A 10\n3 |A 30\n", "a.ctf", "A:1:dense", cx), NULL};
	sheaf_batches *batches;
	batching options = with_order("file", 0, 0);
	options.join = true;
	write_text("b.ctf", "1 |B 11\n3 |B 33\n4 |B 44\n5 |B 55\n");
	assert_ok(sheaf_open(in_folder("b.ctf"), &opening, cx, &datasets[1], &err));
	assert_int_equal(truncate(in_folder("b.ctf"), 20), 0);
	assert_status(SHEAF_SHORT, open_batches(datasets, 2, &options, cx, &batches, &err));
	assert_message("b.ctf (byte 16)");
	for (int i = 0; i < 2; i++) sheaf_close(datasets[i]);
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
	batching options = with_order("sheaf", 3, 0);
	options.unit = SHEAF_SIZE_SEQUENCES;
	options.batch_size = 4;
	options.sweeps = 3;
	options.weights = weights;
	assert_ok(open_batches(datasets, 2, &options, cx, &batches, &err));
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
	assert_status(SHEAF_USAGE, open_batches(datasets, 2, &options, cx, &batches, &err));
	options.weights = weights;
	options.order = "file";
	assert_status(SHEAF_USAGE, open_batches(datasets, 2, &options, cx, &batches, &err));
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
	sheaf_open_options open = {.size = sizeof open, .access = SHEAF_RANDOM};
	sheaf_context *cx = usual_context();
	assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)file, strlen(file)}, "x.ex", &open, cx, &dataset));
	batching options = with_order(order, 9, 0);
	options.sweeps = 2500;
	status = open_batches(&dataset, 1, &options, cx, &batches, &err);
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
	batching options = with_order("frequency", 0, 0);
	assert_status(SHEAF_DATA, open_batches(&r.dataset, 1, &options, r.cx, &r.batches, &err));
	assert_message("a column \"freq\"");
	end_run(&r);
	free_data(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_one_behind_the_other),
		cmocka_unit_test(test_files_of_other_streams_do_not_follow),
		cmocka_unit_test(test_joined_files),
		cmocka_unit_test_setup_teardown(test_joined_files_that_become_shorter, make_folder, remove_folder),
		cmocka_unit_test(test_files_mixed_by_weights),
		cmocka_unit_test(test_draws_with_replacement),
		cmocka_unit_test(test_frequencies_that_are_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
