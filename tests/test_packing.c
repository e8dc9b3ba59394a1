/* SPDX-License-Identifier: MIT */
/* Packed batches: where samples are, what they are, and what continues in the next batch. */
#include "batches_support.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct packer {
	sheaf_context *cx;
	sheaf_dataset *dataset;
	sheaf_batches *batches;
} packer;

static sheaf_status open_packer(packer *p, const char *text, const char *a, const char *b, batching options)
{
	sheaf_setting settings[] = {{"stream", a}, {"stream", b}, {"allow", "unaligned"}};
	sheaf_open_options open = {
		.size = sizeof open, .access = SHEAF_RANDOM, .settings = settings, .nsettings = 3};
	if (!options.order) options.order = "file";
	p->cx = usual_context();
	assert_ok(
		open_bytes((sheaf_bytes){(const uint8_t *)text, strlen(text)}, "x.ctf", &open, p->cx, &p->dataset));
	return open_batches(&p->dataset, 1, &options, p->cx, &p->batches, &err);
}

static void close_packer(packer *p)
{
	sheaf_batches_close(p->batches);
	sheaf_close(p->dataset);
	end_context(p->cx);
}

static float value_at(const sheaf_packed *packed, int64_t at)
{
	return ((const float *)(const void *)packed->values.data)[at];
}

/* A grid, row by row: dense samples as their one value, sparse ones as index:value, '.' where there is
 * none. */
static const char *grid(const sheaf_packed *p)
{
	static char text[2000];
	size_t used = 0;
	for (int64_t r = 0; r < p->rows; r++) {
		if (r) used += (size_t)snprintf(text + used, sizeof text - used, " / ");
		for (int64_t t = 0; t < p->width; t++) {
			int64_t at = r * p->row_stride + t * p->step_stride;
			if (t) used += (size_t)snprintf(text + used, sizeof text - used, " ");
			if (!p->mask.data[at]) {
				used += (size_t)snprintf(text + used, sizeof text - used, ".");
				if (!p->starts.size) assert_true(value_at(p, at) == 0);
			} else if (p->starts.size) {
				const int32_t *starts = (const int32_t *)(const void *)p->starts.data;
				for (int32_t k = starts[at]; k < starts[at + 1]; k++)
					used += (size_t)snprintf(text + used, sizeof text - used, "%d:%g",
					                         ((const int32_t *)(const void *)p->indices.data)[k],
					                         (double)value_at(p, k));
			} else {
				used += (size_t)snprintf(text + used, sizeof text - used, "%g", (double)value_at(p, at));
			}
		}
	}
	return text;
}

static const char *placed_text(const sheaf_packed *p)
{
	static char text[1000];
	size_t used = 0;
	text[0] = '\0';
	for (int64_t i = 0; i < p->nplaced; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%ld@%ld[%ld,%ld)", i ? " " : "",
		                         (long)p->placed[i].sequence, (long)p->placed[i].row,
		                         (long)p->placed[i].begin, (long)p->placed[i].end);
	return text;
}

static const sheaf_batch *next_batch(packer *p)
{
	const sheaf_batch *batch;
	assert_ok(sheaf_batches_next(p->batches, &batch, &err));
	assert_null(batch->frame);
	assert_int_equal(batch->npacked, 2);
	return batch;
}

/* Sequences of 4, 1, 2, 1 and 3 samples. */
static const char five[] = "1 |A 11 |B 1:1\n1 |A 12 |B 2:2\n1 |A 13 |B 3:3\n1 |A 14 |B 4:4\n2 |A 21 |B "
						   "5:5\n3 |A 31 |B 6:6\n3 |A 32 |B\n4 |A 41 |B 7:7\n5 |A 51 |B 1:1\n"
						   "5 |A 52 |B 2:2\n5 |A 53 |B 3:3\n";

static void test_sequences_share_rows(void **state)
{
	(void)state;
	packer p;
	assert_ok(open_packer(&p, five, "A:1:dense", "B:9:sparse",
	                      (batching){.batch_size = 20, .packing = SHEAF_PACK_SEQUENCES}));
	const sheaf_batch *batch = next_batch(&p);
	assert_text("11 12 13 14 / 21 31 32 41 / 51 52 53 .", grid(&batch->packed[0]));
	assert_text("1:1 2:2 3:3 4:4 / 5:5 6:6  7:7 / 1:1 2:2 3:3 .", grid(&batch->packed[1]));
	assert_text("0@0[0,4) 1@1[0,1) 2@1[1,3) 3@1[3,4) 4@2[0,3)", placed_text(&batch->packed[0]));
	/* Steps outermost, rows next to one another. */
	assert_int_equal(batch->packed[0].row_stride, 1);
	assert_int_equal(batch->packed[0].step_stride, 3);
	assert_int_equal(batch->keys[4], 5);
	close_packer(&p);
}

/* Each stream has a layout of its own. */
static void test_streams_of_other_lengths(void **state)
{
	(void)state;
	packer p;
	assert_ok(open_packer(&p, "1 |A 1 |B 1\n1 |A 2\n2 |A 3 |B 2\n", "A:1:dense", "B:1:dense",
	                      (batching){.batch_size = 20, .packing = SHEAF_PACK_SEQUENCES}));
	const sheaf_batch *batch = next_batch(&p);
	assert_text("1 2 / 3 .", grid(&batch->packed[0]));
	assert_text("1 / 2", grid(&batch->packed[1]));
	close_packer(&p);
}

static void test_padded(void **state)
{
	(void)state;
	packer p;
	assert_ok(open_packer(&p, five, "A:1:dense", "B:9:sparse",
	                      (batching){.batch_size = 7, .packing = SHEAF_PACK_PADDED, .pad_multiple = 3}));
	const sheaf_batch *batch = next_batch(&p);
	assert_text("11 12 13 14 . . / 21 . . . . . / 31 32 . . . .", grid(&batch->packed[0]));
	assert_int_equal(batch->packed[0].row_stride, 6);
	assert_int_equal(batch->packed[0].step_stride, 1);
	batch = next_batch(&p);
	assert_text("41 . . / 51 52 53", grid(&batch->packed[0]));
	assert_text("7:7 . . / 1:1 2:2 3:3", grid(&batch->packed[1]));
	close_packer(&p);
}

/* The rows of a packed batch as a frame, as JSON. */
static void assert_rows(packer *p, const sheaf_batch *batch, const char *wanted)
{
	sheaf_schema schema;
	sheaf_frame rows;
	sheaf_buffer text = {0};
	assert_ok(sheaf_batch_grid(p->batches, batch, &schema, &rows, &err));
	assert_ok(sheaf_frame_check(&rows, &schema, SHEAF_CHECK_FULL, &err));
	assert_ok(sheaf_rows_text(&rows, &schema, SHEAF_JSON, 0, 0, rows.nrows, &text, &err));
	assert_int_equal(text.size, strlen(wanted));
	assert_memory_equal(text.data, wanted, text.size);
	sheaf_buffer_reset(&text);
	sheaf_frame_free(&rows);
	sheaf_schema_free(&schema);
}

static void test_rows_of_a_grid(void **state)
{
	(void)state;
	packer p;
	static const char text[] = "4 |A 1 |B 1:1\n4 |A 2 |B\n5 |A 3 |B 2:7\n";
	batching options = {.batch_size = 9, .packing = SHEAF_PACK_PADDED};
	assert_ok(open_packer(&p, text, "A:1:dense", "B:9:sparse", options));
	assert_rows(&p, next_batch(&p),
	            "{\"key\":4,\"streams\":{\"A\":[[1],[2]],\"A.mask\":[[1],[1]],"
	            "\"B\":[[[1,1]],[]],\"B.mask\":[[1],[1]]}}\n"
	            "{\"key\":5,\"streams\":{\"A\":[[3],[0]],\"A.mask\":[[1],[0]],"
	            "\"B\":[[[2,7]],[]],\"B.mask\":[[1],[0]]}}\n");
	close_packer(&p);
	options.packing = SHEAF_PACK_SEQUENCES;
	assert_ok(open_packer(&p, text, "A:1:dense", "B:9:sparse", options));
	assert_rows(&p, next_batch(&p),
	            "{\"key\":0,\"streams\":{\"A\":[[1],[2]],\"A.mask\":[[1],[1]],\"A.key\":[[4],[4]],\"A.step\":"
	            "[[0],[1]],"
	            "\"B\":[[[1,1]],[]],\"B.mask\":[[1],[1]],\"B.key\":[[4],[4]],\"B.step\":[[0],[1]]}}\n"
	            "{\"key\":1,\"streams\":{\"A\":[[3],[0]],\"A.mask\":[[1],[0]],\"A.key\":[[5],[0]],\"A.step\":"
	            "[[0],[0]],"
	            "\"B\":[[[2,7]],[]],\"B.mask\":[[1],[0]],\"B.key\":[[5],[0]],\"B.step\":[[0],[0]]}}\n");
	close_packer(&p);
}

static void test_no_rows_of_a_grid(void **state)
{
	(void)state;
	packer p;
	sheaf_schema schema;
	sheaf_frame rows;
	assert_ok(open_packer(&p, "1 |A 1 |B 1:1\n", "A:1:dense", "B:9:sparse", (batching){.batch_size = 9}));
	const sheaf_batch *batch;
	assert_ok(sheaf_batches_next(p.batches, &batch, &err));
	assert_status(SHEAF_USAGE, sheaf_batch_grid(p.batches, batch, &schema, &rows, &err));
	assert_message("the batch is not packed: it has a frame");
	assert_status(SHEAF_USAGE, sheaf_batch_grid(p.batches, NULL, &schema, &rows, &err));
	assert_status(SHEAF_USAGE, sheaf_batch_grid(NULL, batch, &schema, &rows, &err));
	assert_status(SHEAF_USAGE, sheaf_batch_grid(p.batches, batch, NULL, &rows, &err));
	assert_status(SHEAF_USAGE, sheaf_batch_grid(p.batches, batch, &schema, NULL, &err));
	close_packer(&p);
	/* A stream that has the name of another one's mask. */
	assert_ok(open_packer(&p, "1 |A 1 |A.mask 1\n", "A:1:dense", "A.mask:1:dense",
	                      (batching){.batch_size = 9, .packing = SHEAF_PACK_PADDED}));
	assert_status(SHEAF_USAGE, sheaf_batch_grid(p.batches, next_batch(&p), &schema, &rows, &err));
	assert_message("A.mask");
	close_packer(&p);
}

static void test_frames(void **state)
{
	(void)state;
	packer p;
	const sheaf_batch *batch;
	assert_ok(open_packer(&p, "|A 1 |B 1:1\n|A 2 |B 2:2\n|A 3 |B\n", "A:1:dense", "B:9:sparse",
	                      (batching){.batch_size = 2, .packing = SHEAF_PACK_FRAMES}));
	batch = next_batch(&p);
	assert_text("1 / 2", grid(&batch->packed[0]));
	assert_text("1:1 / 2:2", grid(&batch->packed[1]));
	close_packer(&p);
	assert_ok(open_packer(&p, five, "A:1:dense", "B:9:sparse",
	                      (batching){.batch_size = 2, .packing = SHEAF_PACK_FRAMES}));
	assert_status(SHEAF_DATA, sheaf_batches_next(p.batches, &batch, &err));
	assert_message("expected sequences of one sample in frame mode, found one of 4");
	close_packer(&p);
}

static void assert_bytes(const char *wanted, const sheaf_buffer *found)
{
	char text[500];
	snprintf(text, sizeof text, "%.*s", (int)found->size, (const char *)found->data);
	assert_text(wanted, text);
}

/* What is packed, and what is not, as JSON. */
static void test_text(void **state)
{
	(void)state;
	packer p;
	sheaf_buffer text = {0};
	const sheaf_batch *batch;
	static const char rows[] = "1 |A 1 2 |B 3:1\n1 |A 3 4 |B\n2 |A 5 6 |B 1:2 4:7\n";
	batching options = {.batch_size = 9};
	assert_ok(open_packer(&p, rows, "A:2:dense", "B:9:sparse", options));
	assert_ok(sheaf_batches_next(p.batches, &batch, &err));
	assert_ok(sheaf_batch_text(p.batches, batch, &text, &err));
	assert_bytes("{\"A\":[[[1,2],[3,4]],[[5,6]]],\"B\":[[[[3,1]],[]],[[[1,2],[4,7]]]]}", &text);
	sheaf_buffer_reset(&text);
	close_packer(&p);
	/* The longest sequence makes two steps; steps outermost, and rows outermost, read alike. */
	for (int i = 0; i < 2; i++) {
		options.packing = i ? SHEAF_PACK_PADDED : SHEAF_PACK_SEQUENCES;
		assert_ok(open_packer(&p, rows, "A:2:dense", "B:9:sparse", options));
		assert_ok(sheaf_batch_text(p.batches, next_batch(&p), &text, &err));
		assert_bytes("{\"A\":[[[1,2],[3,4]],[[5,6],null]],\"B\":[[[[3,1]],[]],[[[1,2],[4,7]],null]]}", &text);
		assert_status(SHEAF_USAGE, sheaf_batch_text(p.batches, NULL, &text, &err));
		assert_message("expected a batch");
		sheaf_buffer_reset(&text);
		close_packer(&p);
	}
}

static const batching two_rows = {.batch_size = 4, .packing = SHEAF_PACK_TRUNCATED, .truncation = 2};

static void test_truncated_sequences_go_on(void **state)
{
	(void)state;
	packer p;
	const sheaf_batch *batch;
	assert_ok(open_packer(&p, five, "A:1:dense", "B:9:sparse", two_rows));
	batch = next_batch(&p);
	assert_text("11 12 / 21 31", grid(&batch->packed[0]));
	assert_text("0@0[0,4) 1@1[0,1) 2@1[1,3)", placed_text(&batch->packed[0]));
	batch = next_batch(&p);
	assert_text("13 14 / 32 51", grid(&batch->packed[0]));
	assert_text("3:3 4:4 /  1:1", grid(&batch->packed[1]));
	assert_text("0@0[-2,2) 1@1[-1,1) 2@1[1,4)", placed_text(&batch->packed[0]));
	assert_int_equal(batch->keys[0], 1);
	assert_int_equal(batch->keys[1], 3);
	assert_false(batch->epoch_end);
	batch = next_batch(&p);
	assert_text("41 . / 52 53", grid(&batch->packed[0]));
	assert_true(batch->epoch_end);
	assert_status(SHEAF_END, sheaf_batches_next(p.batches, &batch, &err));
	close_packer(&p);
}

static void test_truncation_needs_one_length(void **state)
{
	(void)state;
	packer p;
	const sheaf_batch *batch;
	assert_ok(open_packer(&p, "1 |A 1 |B 1\n1 |A 2\n2 |A 3 |B 2\n", "A:1:dense", "B:1:dense", two_rows));
	assert_status(SHEAF_DATA, sheaf_batches_next(p.batches, &batch, &err));
	assert_message("stream \"B\": expected 2 samples");
	close_packer(&p);
}

/* Every sample once, whatever the order and the number of shards; and a state restores the contents of
 * rows. */
static void test_truncated_shards_and_states(void **state)
{
	(void)state;
	static const char *const orders[] = {"file", "sheaf", "cntk"};
	enum { MOST = 200 };
	char *grids[MOST], states[MOST][SHEAF_STATE_SIZE];
	for (size_t o = 0; o < COUNT(orders); o++)
		for (int64_t world = 1; world < 3; world++) {
			int64_t samples = 0;
			for (int64_t rank = 0; rank < world; rank++) {
				batching options = two_rows;
				packer p;
				const sheaf_batch *batch;
				sheaf_status status;
				int n = 0;
				options.order = orders[o];
				options.rank = rank;
				options.world = world;
				options.epochs = 2;
				options.chunk_bytes = 20;
				assert_ok(open_packer(&p, five, "A:1:dense", "B:9:sparse", options));
				for (; (status = sheaf_batches_next(p.batches, &batch, &err)) == SHEAF_OK; n++) {
					assert_true(n < MOST);
					samples += batch->samples;
					grids[n] = strdup(grid(&batch->packed[0]));
					sheaf_batches_state(p.batches, states[n]);
				}
				assert_status(SHEAF_END, status);
				for (int i = 0; i < n; i++) {
					assert_ok(sheaf_batches_resume(p.batches, states[i], &err));
					for (int k = i + 1; k < n; k++) assert_text(grids[k], grid(&next_batch(&p)->packed[0]));
					assert_status(SHEAF_END, sheaf_batches_next(p.batches, &batch, &err));
				}
				for (int i = 0; i < n; i++) free(grids[i]);
				close_packer(&p);
			}
			assert_int_equal(samples, 2 * 11);
		}
}

/* Three rows for two shards: the first has one more. */
static void test_truncated_rows_are_shared_out(void **state)
{
	(void)state;
	static const int rows[] = {2, 1};
	for (int rank = 0; rank < 2; rank++) {
		packer p;
		batching options = two_rows;
		options.batch_size = 6;
		options.world = 2;
		options.rank = rank;
		assert_ok(open_packer(&p, five, "A:1:dense", "B:9:sparse", options));
		assert_int_equal(next_batch(&p)->packed[0].rows, rows[rank]);
		close_packer(&p);
	}
}

static void test_packings_that_make_no_sense(void **state)
{
	(void)state;
	packer p;
	batching o[4];
	for (size_t i = 0; i < COUNT(o); i++) o[i] = two_rows;
	o[0].truncation = 0;
	o[1].unit = SHEAF_SIZE_SEQUENCES;
	o[2].world = 3;
	o[3].rest = SHEAF_REST_DROP;
	for (size_t i = 0; i < COUNT(o); i++) {
		assert_status(SHEAF_USAGE, open_packer(&p, five, "A:1:dense", "B:9:sparse", o[i]));
		close_packer(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences_share_rows),
		cmocka_unit_test(test_streams_of_other_lengths),
		cmocka_unit_test(test_padded),
		cmocka_unit_test(test_rows_of_a_grid),
		cmocka_unit_test(test_no_rows_of_a_grid),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_truncated_sequences_go_on),
		cmocka_unit_test(test_truncation_needs_one_length),
		cmocka_unit_test(test_truncated_shards_and_states),
		cmocka_unit_test(test_truncated_rows_are_shared_out),
		cmocka_unit_test(test_packings_that_make_no_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
