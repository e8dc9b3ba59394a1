/* SPDX-License-Identifier: MIT */
/* What is closed twice, or used after its close. */
#include "misuse_support.h"

/* ---- batches and configurations ---- */

/* Once closed, a handle can be closed again, which does nothing, and calls with it say that it is closed. */
static void test_what_was_closed(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	const sheaf_batch *batch;
	sheaf_frame rows;
	sheaf_writer *w, *v;
	sheaf_batches *b;
	sheaf_context *other = usual_context();
	sheaf_dataset *d = open_some();
	assert_ok(sheaf_read_all(d, &rows, &err));
	assert_ok(sheaf_create(in_folder("x.cbf"), sheaf_dataset_schema(d), NULL, cx, &w, &err));
	assert_ok(sheaf_create(in_folder("y.cbf"), sheaf_dataset_schema(d), NULL, cx, &v, &err));
	sheaf_close(d);
	sheaf_close(d);
	assert_usage(sheaf_next(d, &frame, &err),
	             "sheaf_next: expected an open dataset, found one that was closed");
	sheaf_frame none;
	assert_usage(sheaf_read_all(d, &none, &err), "sheaf_read_all: expected an open dataset");
	assert_usage(sheaf_skip(d, 1, &err), "sheaf_skip: expected an open dataset");
	assert_usage(sheaf_dataset_read_piece(d, 0, &none, cx, &err),
	             "sheaf_dataset_read_piece: expected an open dataset");
	assert_ok(sheaf_write(w, &rows, &err));
	assert_ok(sheaf_finish(w, &err));
	assert_usage(sheaf_finish(w, &err), "sheaf_finish: expected an open writer, found one that was closed");
	assert_usage(sheaf_write(w, &rows, &err), "sheaf_write: expected an open writer");
	sheaf_abandon(w);
	sheaf_abandon(v);
	sheaf_abandon(v);
	sheaf_frame_free(&rows);
	sheaf_open_options random = {.random = true};
	assert_ok(sheaf_open(in_folder("a.ctf"), &random, cx, &d, &err));
	assert_ok(sheaf_batches_open(&d, 1, &(sheaf_batch_options){0}, cx, &b, &err));
	assert_ok(sheaf_batches_next(b, &batch, &err));
	sheaf_batches_close(b);
	sheaf_batches_close(b);
	assert_usage(sheaf_batches_next(b, &batch, &err), "sheaf_batches_next: expected open batches");
	assert_usage(sheaf_batches_skip(b, 1, &err), "sheaf_batches_skip: expected open batches");
	assert_usage(sheaf_batches_seek(b, 0, &err), "sheaf_batches_seek: expected open batches");
	assert_usage(sheaf_batches_start_epoch(b, 0, 1, &err),
	             "sheaf_batches_start_epoch: expected open batches");
	assert_usage(sheaf_batches_resume(b, "{}", &err), "sheaf_batches_resume: expected open batches");
	sheaf_close(d);
	sheaf_context_free(other);
	sheaf_context_free(other);
}

/* More than there are places for are believed to be open. */
static void test_many_that_are_open(void **state)
{
	enum { MANY = 3000 };
	static sheaf_dataset *all[MANY];
	(void)state;
	for (int i = 0; i < MANY; i++) all[i] = open_some();
	const sheaf_frame *frame;
	for (int i = 0; i < MANY; i++) assert_ok(sheaf_next(all[i], &frame, &err));
	for (int i = 0; i < MANY; i++) sheaf_close(all[i]);
	assert_usage(sheaf_next(all[0], &frame, &err), "expected an open dataset");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_closed),
		TEST(test_many_that_are_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
