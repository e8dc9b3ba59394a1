/* SPDX-License-Identifier: MIT */
/* Datasets over formats: validation, comparison, and rows as text. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "dataset/dataset.h"
#include "notes.h"
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- validation ---- */

static void validating(void)
{
	sheaf_context_options options = hearing_options();
	options.validate = true;
	renew(&options);
}

/* Reads to the end; every frame on the way must be sound. Gives the number of rows. */
static int64_t read_sound_frames(sheaf_dataset *dataset)
{
	const sheaf_frame *frame;
	sheaf_status status;
	int64_t rows = 0;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		assert_ok(sheaf_frame_check(frame, sheaf_dataset_schema(dataset), SHEAF_CHECK_FULL, &err));
		assert_int_equal(sheaf_dataset_row(dataset), rows);
		rows += frame->nrows;
	}
	assert_status(SHEAF_END, status);
	return rows;
}

static void test_validation_goes_on_behind_fatal_problems(void **state)
{
	(void)state;
	static const char text[] = "0 |A 1 |B 1\n1 |A 2\n2 |A x |B 1\n3 |B 4\n4 |A 1 |B 1\n";
	const sheaf_frame *frame;
	sheaf_dataset *dataset = open_text(text, NULL);
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_int_equal(frame->nrows, 1);
	assert_status(SHEAF_DATA, sheaf_next(dataset, &frame, &err)); /* at the first one */
	assert_message("text:2:");
	sheaf_close(dataset);
	validating();
	dataset = open_text(text, NULL);
	assert_true(read_sound_frames(dataset) >= 2);
	sheaf_close(dataset);
	int fatal = 0;
	for (int i = 0; i < heard.count; i++) fatal += heard.severity[i] == SHEAF_FATAL;
	assert_int_equal(fatal, 0);
	assert_int_equal(heard.count, 4);
	assert_true(is_heard("not a number"));
}

/* A binary file of a chunk for each row, with two sparse streams of one sample. */
static bytes_sink sparse_chunks(int64_t chunk_bytes)
{
	bytes_sink bytes = {0};
	char word[24];
	sheaf_setting setting = {"chunk-bytes", word};
	sheaf_create_options options = {
		.size = sizeof options,
		.format = "cbf",
		.settings = &setting,
		.nsettings = 1,
	};
	table t = new_table(cx);
	snprintf(word, sizeof word, "%" PRId64, chunk_bytes);
	add_stream(&t, "A", true, 9, SHEAF_F32), add_stream(&t, "B", true, 9, SHEAF_F32);
	fill_text(&t, 0, "1:1;2:2;3:3"), fill_text(&t, 1, "4:4;5:5;6:6");
	assert_ok(write_table(&t, &options, 0, &bytes, cx));
	free_table(&t);
	return bytes;
}

/* Rows of 44 bytes each: a count, then for each stream two counts, a value, an index, a length. */
enum { PREFIX = 12, SPARSE_ROW = 44, INDEX_A = 4 + 8 + 4, INDEX_B = INDEX_A + 20 };

static int64_t validate_bytes(const bytes_sink *bytes)
{
	sheaf_dataset *dataset;
	assert_ok(open_bytes((sheaf_bytes){bytes->data, bytes->size}, "binary", NULL, cx, &dataset));
	int64_t rows = read_sound_frames(dataset);
	sheaf_close(dataset);
	return rows;
}

static void test_validation_of_chunks(void **state)
{
	(void)state;
	bytes_sink bytes = sparse_chunks(1);
	validating();
	assert_int_equal(validate_bytes(&bytes), 3);
	assert_int_equal(heard.count, 0);
	bytes.data[PREFIX + INDEX_A] = 77; /* the first chunk, and so before any sound frame */
	bytes.data[PREFIX + 2 * SPARSE_ROW + INDEX_B] = 78;
	assert_int_equal(validate_bytes(&bytes),
	                 3); /* flawed rows stay without samples, so that rows keep their numbers */
	assert_int_equal(heard.count, 2);
	assert_int_equal(heard.severity[0], SHEAF_FATAL);
	assert_non_null(strstr(
		heard.text[0], "chunk 0, sequence 0, stream \"A\", byte 28: expected an index below 9, found 77"));
	assert_non_null(strstr(
		heard.text[1], "chunk 2, sequence 2, stream \"B\", byte 136: expected an index below 9, found 78"));
	free_bytes(&bytes);
}

/* After a wrong count, which hides where the next item begins, only the next chunk can be read. */
static void test_validation_behind_a_broken_chunk(void **state)
{
	(void)state;
	bytes_sink bytes = sparse_chunks(1), together = sparse_chunks(1000);
	validating();
	memset(bytes.data + PREFIX + 4, 0xff, 4);
	assert_int_equal(validate_bytes(&bytes), 2);
	assert_int_equal(heard.count, 1);
	assert_non_null(strstr(heard.text[0], "chunk 0, sequence 0, stream \"A\""));
	memset(together.data + PREFIX + 3 * 4, 0xff, 4);
	assert_int_equal(validate_bytes(&together), 0);
	assert_int_equal(heard.count, 2);
	free_bytes(&bytes);
	free_bytes(&together);
}

/* Flaws that do not hide where the next item begins are all reported, in any stream of the chunk. */
static void test_validation_of_all_streams_of_a_chunk(void **state)
{
	(void)state;
	bytes_sink bytes = sparse_chunks(1);
	validating();
	bytes.data[PREFIX + INDEX_A] = 77;
	bytes.data[PREFIX + INDEX_B] = 78;
	assert_int_equal(validate_bytes(&bytes), 3);
	assert_int_equal(heard.count, 2);
	free_bytes(&bytes);
}

/* ---- comparison ---- */

enum { MOST_DIFFERENCES = 16 };

typedef struct differences {
	int count, wanted; /* stops after `wanted` */
	char text[MOST_DIFFERENCES][200];
} differences;

static bool see_difference(void *user, const sheaf_difference *d)
{
	differences *all = (differences *)user;
	if (all->count < MOST_DIFFERENCES)
		snprintf(all->text[all->count], sizeof all->text[0], "%lld/%s/%lld: %s | %s", (long long)d->row,
		         d->stream ? d->stream : "", (long long)d->sample, d->a, d->b);
	return ++all->count < all->wanted;
}

static bool diff_texts(const char *a, const char *b, bool keys, bool strict, differences *found)
{
	bool equal;
	sheaf_diff_options options = {.size = sizeof options,
	                              .keys = keys,
	                              .types = strict,
	                              .on_difference = see_difference,
	                              .user = found};
	sheaf_open_options pieces = {.size = sizeof pieces, .piece_bytes = 1};
	sheaf_dataset *da = open_text(a, NULL), *db = open_text(b, &pieces);
	*found = (differences){.wanted = MOST_DIFFERENCES};
	assert_ok(sheaf_diff(da, db, &options, &equal, &err));
	sheaf_close(da);
	sheaf_close(db);
	assert_int_equal(equal, found->count == 0);
	return equal;
}

static void test_diff(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		const char *found[4];
	} cases[] = {
		{"|A 1\n|A 2\n", "|A 1\n|A 2\n", {NULL}},
		{"|A 1\n|A 2\n", "5 |A 1.0\n9 |A 20e-1\n", {NULL}},
		{"|A 1 |B 2\n", "|B 2 |A 1\n", {NULL}},
		{"|A 1 2\n", "|A 0:1 1:2\n", {NULL}},
		{"|A 1\n|A 2\n", "|A 1\n|A 3\n", {"1/A/0: [2] | [3]"}},
		{"|A 0\n", "|A -0\n", {"0/A/0: [0] | [-0]"}},
		{"|A 1 2\n", "|A 1:2 0:1\n", {NULL}},
		{"0 |A 1\n0 |A 2\n1 |A 3\n", "0 |A 1\n1 |A 3\n", {"0/A/-1: 2 samples | 1 samples"}},
		{"0 |A 1\n1 |A 3\n", "0 |A 1\n0 |A 2\n1 |A 3\n", {"0/A/-1: 1 samples | 2 samples"}},
		{"0 |A 1\n0 |A 2\n1 |A 3\n",
	     "0 |A 9\n1 |A 3\n",
	     {"0/A/-1: 2 samples | 1 samples", "0/A/0: [1] | [9]"}},
		{"|A 1 |B 2\n", "|A 1\n", {"-1/B/-1: such a stream | none"}},
		{"|A 1\n", "|A 1 |B 2\n", {"-1/B/-1: none | such a stream"}},
		{"|A 1 |B 2\n",
	     "|A 3 |C 2\n",
	     {"-1/B/-1: such a stream | none", "-1/C/-1: none | such a stream", "0/A/0: [1] | [3]"}},
		{"|A 1\n|A 2\n|A 3\n", "|A 1\n", {"-1//-1: 3 sequences | 1 sequences"}},
		{"|A 1\n", "|A 1\n|A 2\n|A 3\n", {"-1//-1: 1 sequences | 3 sequences"}},
		{"|A 1 2\n", "|A 1 2 3\n", {"0/A/0: [1 2] | [1 2 3]"}},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		differences found;
		int n = 0;
		diff_texts(cases[i].a, cases[i].b, false, false, &found);
		for (; n < 4 && cases[i].found[n]; n++)
			if (n < found.count) assert_text(cases[i].found[n], found.text[n]);
		assert_int_equal(found.count, n);
	}
}

static void test_diff_of_keys(void **state)
{
	(void)state;
	differences found;
	assert_true(diff_texts("0 |A 1\n1 |A 2\n", "|A 1\n|A 2\n", true, false, &found));
	assert_false(diff_texts("0 |A 1\n7 |A 2\n", "|A 1\n|A 2\n", true, false, &found));
	assert_int_equal(found.count, 1);
	assert_text("1//-1: key 7 | key 1", found.text[0]);
}

static void test_diff_strict(void **state)
{
	(void)state;
	differences found;
	assert_true(diff_texts("|A 1 2\n", "|A 1 2\n", false, true, &found));
	assert_false(diff_texts("|A 1 2\n", "|A 0:1 1:2\n", false, true, &found));
	assert_text("-1/A/-1: dense, dim 2, float32 | sparse, dim 2, float32", found.text[0]);
	assert_false(diff_texts("|S 1:2\n|S 2:2\n", "|S 1:2\n|S 3:2\n", false, true, &found));
	assert_int_equal(found.count, 2);
	assert_text("-1/S/-1: sparse, dim 3, float32 | sparse, dim 4, float32", found.text[0]);
	assert_text("1/S/0: [2:2] | [3:2]", found.text[1]);
}

static void test_diff_stops_when_it_is_told(void **state)
{
	(void)state;
	for (int wanted = 1; wanted < 4; wanted++) {
		bool equal = true;
		differences found = {.wanted = wanted};
		sheaf_diff_options options = {
			.size = sizeof options, .on_difference = see_difference, .user = &found};
		sheaf_dataset *a = open_text("|A 1 |B 1\n|A 2 |B 1\n|A 3 |B 1\n", NULL),
					  *b = open_text("|A 9 |B 9\n|A 9 |B 9\n|A 9 |B 9\n", NULL);
		assert_ok(sheaf_diff(a, b, &options, &equal, &err));
		assert_false(equal);
		assert_int_equal(found.count, wanted);
		sheaf_close(a);
		sheaf_close(b);
	}
	bool equal = true;
	sheaf_dataset *a = open_text("|A 1\n", NULL), *b = open_text("|A 2\n", NULL);
	assert_ok(sheaf_diff(a, b, NULL, &equal, &err)); /* nothing is reported */
	assert_false(equal);
	sheaf_close(a);
	sheaf_close(b);
}

static void test_diff_fails_where_reading_does(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		bool equal = true;
		sheaf_dataset *good = open_text("|A 1\n|A 2\n", NULL), *bad = open_text("|A 1\n|A x\n", NULL);
		assert_status(SHEAF_DATA, swap ? sheaf_diff(bad, good, NULL, &equal, &err)
		                               : sheaf_diff(good, bad, NULL, &equal, &err));
		assert_false(equal);
		assert_message("text:2:");
		sheaf_close(good);
		sheaf_close(bad);
	}
}

/* ---- rows ---- */

static void test_keys_of_rows(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 1};
	sheaf_dataset *dataset = open_text("18446744073709551615 |A 1\n5 |A 2\n6 |A 3\n", &options);
	uint64_t keys[3];
	int n = 0;
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK)
		for (int64_t r = 0; r < frame->nrows; r++) {
			assert_int_equal(sheaf_dataset_row(dataset) + r, n);
			keys[n++] = sheaf_row_key(dataset, frame, r);
		}
	assert_int_equal(n, 3);
	assert_true(keys[0] == UINT64_MAX && keys[1] == 5 && keys[2] == 6);
	sheaf_close(dataset);
	dataset = open_text("NOTES", NULL);
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_int_equal(sheaf_row_key(dataset, frame, 1), NOTE_ROWS + 1);
	sheaf_close(dataset);
}

/* A frame's buffers may be kept longer than the frame. */
static void test_buffers_outlive_their_frame(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 1};
	sheaf_dataset *dataset = open_text("|A 1 2\n|A 3 4\n|A 5 6\n", &options);
	sheaf_buffer kept[3] = {{0}};
	int n = 0;
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK)
		kept[n++] = sheaf_buffer_ref(&frame->columns[0].values);
	assert_int_equal(n, 3);
	sheaf_close(dataset);
	for (int i = 0; i < 3; i++) {
		const float *values = (const float *)(const void *)kept[i].data;
		assert_true(values[0] == (float)(2 * i + 1) && values[1] == (float)(2 * i + 2));
		sheaf_buffer_reset(&kept[i]);
	}
}

/* Where reading stops, and the message, are the same however the input is cut. */
static void test_errors_do_not_depend_on_pieces(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"0 |A 1 |B 1\n1 |A 2 |B 1\n2 |A x |B 1\n3 |A 4 |B 1\n",
		"0 |A 1 |B 1\n1 |A 2\n2 |A 3 |B 3\n",
		"0 |A 1 |B 1\n0 |B 1 |B 2 |B 3\n1 |A 2 |B 1\n",
		"0 |A 1 |B 1\n1 |A 2 |B 2\n18446744073709551616 |A 3 |B 3\n",
		"0 |A 1 |A 2 |B 1\n18446744073709551616 |A 3 |B 3\n2 |A 1 |B 1\n3 |A 1 |B 1\n",
		"0 |A 1 |B 1\n0\n\n1 |A 2 |B 2\n",
		"|A 1 |B 1\n|A 2 |B 2\n|A 3 B 3\n",
	};
	static const sheaf_setting declared[] = {{"stream", "A:1:dense"}, {"stream", "B:1:dense"}};
	for (size_t i = 0; i < COUNT(texts); i++) {
		char first[sizeof err.message] = "";
		for (int64_t piece = 100; piece >= 1; piece--) {
			sheaf_frame all;
			sheaf_open_options options = {
				.size = sizeof options, .settings = declared, .nsettings = 2, .piece_bytes = piece};
			sheaf_dataset *dataset = open_text(texts[i], &options);
			assert_status(SHEAF_DATA, sheaf_read_all(dataset, &all, &err));
			sheaf_close(dataset);
			if (piece == 100) memcpy(first, err.message, sizeof first);
			assert_text(first, err.message);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_validation_goes_on_behind_fatal_problems),
	TEST(test_validation_of_chunks),
	TEST(test_validation_behind_a_broken_chunk),
	TEST(test_validation_of_all_streams_of_a_chunk),
	TEST(test_diff),
	TEST(test_diff_of_keys),
	TEST(test_diff_strict),
	TEST(test_diff_stops_when_it_is_told),
	TEST(test_diff_fails_where_reading_does),
	TEST(test_keys_of_rows),
	TEST(test_buffers_outlive_their_frame),
	TEST(test_errors_do_not_depend_on_pieces),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
