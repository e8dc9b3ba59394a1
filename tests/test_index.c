/* SPDX-License-Identifier: MIT */
/* Index files: a fresh one changes only the time that opening takes; a stale, foreign, cut or damaged one
 * changes nothing at all. */
#include "base/endian.h"
#include "dataset/dataset.h"
#include "dataset/index/pieces.h"
#include "index_support.h"
#include "seal.h"
#include "share.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- fresh ---- */

/* Whether there can be an index is asked before anything is read for it. */
static void test_what_has_no_index(void **state)
{
	(void)state;
	bytes_source drip = {{(const uint8_t *)sequences, sizeof sequences - 1}, 5};
	sheaf_source *source;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	assert_ok(sheaf_source_function(read_bytes, &drip, "drip", cx, &source, &err));
	assert_ok(sheaf_open_source(source, NULL, cx, &dataset, &err));
	assert_int_not_equal(SHEAF_OK, sheaf_dataset_write_index(dataset, NULL, &err));
	assert_message("drip: expected an input that can have an index");
	assert_ok(sheaf_next(dataset, &frame, &err));
	assert_int_equal(sheaf_dataset_row(dataset), 0);
	sheaf_close(dataset);
}

static void test_fresh_index_is_used(void **state)
{
	(void)state;
	sheaf_open_options use = opening(SHEAF_INDEX_USE), glance = opening(SHEAF_INDEX_USE);
	sheaf_index_info info;
	sheaf_facts facts;
	glance.glance = true;
	write_indexed("a.ctf");
	assert_true(is_fresh("a.ctf", &use));
	assert_nothing_changes("a.ctf");
	sheaf_dataset *dataset = open_file("a.ctf", &glance);
	sheaf_dataset_index(dataset, &info);
	sheaf_dataset_facts(dataset, &facts);
	assert_true(info.fresh && info.inferred && !info.why);
	assert_string_equal(info.path, in_folder(index_of("a.ctf")));
	assert_int_equal(info.rows, 8);
	assert_int_equal(info.samples, 12);
	assert_int_equal(info.piece_bytes, PIECE);
	assert_true(info.pieces > 2);
	assert_int_equal(facts.rows, 8);
	assert_string_equal(facts.guess, "inferred from the whole input");
	sheaf_close(dataset);
}

/* Where the streams are declared, the index tells the counts. */
static void test_declared_streams_use_the_table(void **state)
{
	(void)state;
	static const sheaf_setting stream = {"stream", "A:3:dense"};
	sheaf_open_options use = opening(SHEAF_INDEX_USE);
	sheaf_facts facts;
	const sheaf_pieces *pieces;
	write_text(
		"a.ctf",
		"0 |A 1 2 3\n0 |A 1 2 3\n1 |A 1 2 3\n2 |A 1 2 3\n3 |A 1 2 3\n4 |A 1 2 3\n5 |A 1 2 3\n6 |A 1 2 3\n");
	make_index("a.ctf", NULL, 0);
	use.settings = &stream;
	use.nsettings = 1;
	sheaf_dataset *dataset = open_file("a.ctf", &use);
	sheaf_dataset_facts(dataset, &facts);
	assert_int_equal(facts.rows, 7);
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_ptr_equal(pieces, dataset->index->pieces);
	sheaf_close(dataset);
}

static void test_chunks_have_an_index(void **state)
{
	(void)state;
	const char *in = in_folder("a.ctf");
	static const sheaf_setting small = {"chunk-bytes", "60"};
	sheaf_convert_options options = {.size = sizeof options,
	                                 .open = &(sheaf_open_options){.settings = &small, .nsettings = 1}};
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	write_text("a.ctf", sequences);
	assert_ok(sheaf_convert(&in, 1, in_folder("a.cbf"), &options, cx, &err));
	make_index("a.cbf", NULL, 0);
	assert_true(is_fresh("a.cbf", &require));
	assert_nothing_changes("a.cbf");
}

/* ---- not fresh ---- */

static void assert_stale(const char *name, const char *why)
{
	sheaf_open_options use = opening(SHEAF_INDEX_USE), require = opening(SHEAF_INDEX_REQUIRE);
	sheaf_dataset *dataset;
	sheaf_index_info info;
	assert_nothing_changes(name);
	dataset = open_file(name, &use);
	sheaf_dataset_index(dataset, &info);
	assert_false(info.fresh);
	assert_non_null(strstr(info.why, why));
	sheaf_close(dataset);
	assert_status(SHEAF_UNKNOWN, sheaf_open(in_folder(name), &require, cx, &dataset, &err));
	assert_message(why);
}

static void test_input_of_another_time(void **state)
{
	(void)state;
	write_indexed("a.ctf");
	set_time("a.ctf", time_of("a.ctf") + 1);
	assert_stale("a.ctf", "found one of another size, time or content");
}

static void test_input_of_other_content(void **state)
{
	(void)state;
	char text[sizeof sequences];
	write_indexed("a.ctf");
	int64_t time = time_of("a.ctf");
	memcpy(text, sequences, sizeof text);
	text[sizeof text - 5] = '2';
	write_text("a.ctf", text);
	set_time("a.ctf", time);
	assert_stale("a.ctf", "found one of another size, time or content");
}

static void test_input_that_was_replaced(void **state)
{
	(void)state;
	write_indexed("a.ctf");
	write_text("b.ctf", "0 |C 1\n1 |C 2\n2 |C 2\n3 |C 2\n4 |C 2\n5 |C 2\n6 |C 2\n7 |C 2\n");
	assert_int_equal(rename(in_folder("b.ctf"), in_folder("a.ctf")), 0);
	assert_stale("a.ctf", "found one of another size, time or content");
}

static void test_input_that_grows(void **state)
{
	(void)state;
	write_indexed("a.ctf");
	int64_t time = time_of("a.ctf");
	FILE *file = fopen(in_folder("a.ctf"), "a");
	fputs("16 |A 1 |B 9:1\n", file);
	fclose(file);
	set_time("a.ctf", time);
	assert_stale("a.ctf", "found one of another size, time or content");
}

static void test_index_of_other_settings(void **state)
{
	(void)state;
	static const sheaf_setting b = {"main-stream", "B"}, lines = {"skip-sequence-ids", NULL},
							   precision = {"element-type", "double"};
	sheaf_open_options use = opening(SHEAF_INDEX_USE), main_use = opening(SHEAF_INDEX_USE);
	main_use.settings = &b;
	main_use.nsettings = 1;
	write_text("a.ctf", sequences);
	make_index("a.ctf", &b, 1);
	assert_true(is_fresh("a.ctf", &main_use));
	assert_stale("a.ctf", "found one made with others");
	make_index("a.ctf", NULL, 0);
	assert_true(is_fresh("a.ctf", &use));
	assert_false(is_fresh("a.ctf", &main_use));
	main_use.settings = &lines;
	write_text("b.ctf", "0 |A 1\n0 |A 2\n1 |A 1\n");
	make_index("b.ctf", NULL, 0);
	assert_false(is_fresh("b.ctf", &main_use));
	main_use.settings = &precision; /* the same rows, but doubles */
	sheaf_dataset *dataset = open_file("b.ctf", &main_use);
	assert_true(dataset->index->fresh);
	assert_int_equal(sheaf_dataset_schema(dataset)->fields[0].type, SHEAF_F64);
	sheaf_close(dataset);
}

/* A map of the same name with other lines. */
static void test_settings_in_a_file_of_their_own(void **state)
{
	(void)state;
	char map[200];
	snprintf(map, sizeof map, "%s", in_folder("map"));
	sheaf_setting settings[] = {{"map", map}, {"main-stream", "A"}};
	sheaf_open_options use = opening(SHEAF_INDEX_USE);
	use.settings = settings;
	use.nsettings = 2;
	write_text("a.ctf", "0 |X 1 |Y 1\n0 |X 1\n1 |X 1 |Y 2\n");
	write_text("map", "A X dense 1\n");
	make_index("a.ctf", settings, 2);
	assert_true(is_fresh("a.ctf", &use));
	write_text("map", "A Y dense 1\n");
	assert_false(is_fresh("a.ctf", &use));
}

static void test_index_of_another_version(void **state)
{
	(void)state;
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	index.data[8] = 1;
	seal_index(index.data, index.size);
	write_file(index_of("a.ctf"), index.data, index.size);
	free_bytes(&index);
	assert_stale("a.ctf", "expected an index of version 4, found one of version 1");
}

/* Numbers of which only some have a meaning, with the hashes right. */
static void test_unknown_marks(void **state)
{
	static const struct {
		size_t at;
		const char *told;
	} marks[] = {{0, "expected an index, found another file"}, {112, "(mark of what was inferred)"}};
	enum { KEYS = 40 /* bytes before the end: the mark of the last piece in the table of counts */ };
	(void)state;
	sheaf_source *input;
	sheaf_index_file file;
	sheaf_pieces *pieces;
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	for (size_t i = 0; i <= COUNT(marks); i++) {
		uint8_t *at = index.data + (i < COUNT(marks) ? marks[i].at : index.size - KEYS), was = *at;
		*at = 2;
		seal_index(index.data, index.size);
		write_file(index_of("a.ctf"), index.data, index.size);
		*at = was;
		if (i < COUNT(marks)) assert_stale("a.ctf", marks[i].told);
	}
	free_bytes(&index);
	assert_nothing_changes("a.ctf");
	assert_ok(sheaf_source_path(in_folder("a.ctf"), cx, &input, &err));
	assert_ok(sheaf_index_open(in_folder(index_of("a.ctf")), input, cx, &file, &err));
	assert_status(SHEAF_DATA, sheaf_index_pieces(&file, &pieces, &err));
	assert_message("(marks of keys)");
	sheaf_index_close(&file);
	sheaf_source_close(input);
}

/* ---- damage ---- */

static void test_any_byte_damaged(void **state)
{
	(void)state;
	picture without, with;
	sheaf_open_options use = opening(SHEAF_INDEX_USE), never = opening(SHEAF_INDEX_NEVER);
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	take_picture("a.ctf", &never, &without);
	seed_random(4);
	for (size_t i = 0; i < index.size; i++) {
		uint8_t flip = (uint8_t)(1 + random_below(255));
		index.data[i] ^= flip;
		write_file(index_of("a.ctf"), index.data, index.size);
		index.data[i] ^= flip;
		take_picture("a.ctf", &use, &with);
		assert_same_picture(&with, &without);
	}
	assert_int_equal(warnings, 0);
	free_bytes(&index);
}

static void test_any_length_cut(void **state)
{
	(void)state;
	enum { PROLOGUE = 24 };
	picture without, with;
	sheaf_open_options use = opening(SHEAF_INDEX_USE), never = opening(SHEAF_INDEX_NEVER);
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	take_picture("a.ctf", &never, &without);
	for (size_t n = 0; n < index.size; n++) {
		write_file(index_of("a.ctf"), index.data, n);
		assert_false(is_fresh("a.ctf", &use));
		if (n % 7 == 0) take_picture("a.ctf", &use, &with);
		if (n % 7 == 0) assert_same_picture(&with, &without);
	}
	write_file(index_of("a.ctf"), index.data, PROLOGUE - 1);
	assert_stale("a.ctf", "expected an index, found another file");
	free_bytes(&index);
}

/* A head that is larger than the streams of so small an input need. */
static void test_sizes_of_the_head(void **state)
{
	(void)state;
	enum { SIZE = 12, MOST = (64 << 10) + 64 * (sizeof sequences - 1) };
	static uint8_t bytes[MOST + 1];
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	memcpy(bytes, index.data, index.size);
	free_bytes(&index);
	for (uint32_t more = 0; more < 2; more++) {
		sheaf_store_u32le(bytes + SIZE, MOST + more);
		write_file(index_of("a.ctf"), bytes, sizeof bytes);
		assert_stale("a.ctf", more ? "found it damaged (size of the head)" : "found it damaged (head)");
	}
}

/* An index with right hashes whose last piece has more rows than are left. */
static void test_what_the_input_contradicts(void **state)
{
	enum { ENTRIES = 64, ROWS = 48 };
	(void)state;
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	size_t head = sheaf_load_u32le(index.data + 12);
	size_t entry = (head + ENTRIES - 1) / ENTRIES * ENTRIES;
	entry += 72 * (size_t)(sheaf_load_u64le(index.data + 64) - 1);
	index.data[entry + ROWS]++;
	seal_index(index.data, index.size);
	write_file(index_of("a.ctf"), index.data, index.size);
	free_bytes(&index);
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER);
	sheaf_dataset *dataset = open_file("a.ctf", &never);
	assert_status(SHEAF_DATA, sheaf_dataset_check_index(dataset, &err));
	assert_message("found it damaged (pieces)");
	sheaf_close(dataset);
}

/* Numbers that no input has: of pieces, rows, samples and bytes of lengths. */
static void test_counts_below_zero(void **state)
{
	(void)state;
	enum { WORDS = 24, PIECES = 5, BITS_SIZE = 8 };
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	for (size_t w = PIECES; w <= BITS_SIZE; w++) {
		uint64_t word = sheaf_load_u64le(index.data + WORDS + 8 * w);
		sheaf_store_u64le(index.data + WORDS + 8 * w, (uint64_t)-1);
		seal_index(index.data, index.size);
		write_file(index_of("a.ctf"), index.data, index.size);
		assert_stale("a.ctf", "found it damaged (counts)");
		sheaf_store_u64le(index.data + WORDS + 8 * w, word);
	}
	seal_index(index.data, index.size);
	write_file(index_of("a.ctf"), index.data, index.size);
	sheaf_open_options use = opening(SHEAF_INDEX_USE);
	assert_true(is_fresh("a.ctf", &use));
	free_bytes(&index);
}

/* An index with mended hashes: the results may be wrong, but nothing breaks. */
static void test_forged_index(void **state)
{
	(void)state;
	sheaf_open_options use = opening(SHEAF_INDEX_USE);
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	seed_random(5);
	for (int round = 0; round < rounds(3000); round++) {
		bytes_sink copy = {malloc(index.size), index.size, index.size};
		sheaf_dataset *dataset;
		sheaf_frame frame = {0};
		const sheaf_pieces *pieces;
		uint32_t lengths[64];
		memcpy(copy.data, index.data, index.size);
		uint32_t head = sheaf_load_u32le(copy.data + 12);
		copy.data[64 + random_below((int64_t)head - 64)] = (uint8_t)random_below(256);
		seal_index(copy.data, copy.size);
		write_file(index_of("a.ctf"), copy.data, copy.size);
		free_bytes(&copy);
		if (sheaf_open(in_folder("a.ctf"), &use, cx, &dataset, &err)) continue;
		if (sheaf_dataset_pieces(dataset, &pieces, &err) == SHEAF_OK) {
			for (int64_t i = 0; i < sheaf_pieces_count(pieces); i++)
				(void)!sheaf_dataset_read_piece(dataset, i, &frame, cx, &err);
			(void)!sheaf_pieces_lengths(
				pieces, 0, sheaf_pieces_rows(pieces) < 64 ? sheaf_pieces_rows(pieces) : 64, lengths, &err);
		}
		sheaf_frame_free(&frame);
		sheaf_close(dataset);
	}
	free_bytes(&index);
}

/* A block of lengths is checked when it is first used; if it is damaged, the lengths are found in the input.
 */
static void test_damaged_block_of_lengths(void **state)
{
	(void)state;
	enum { ROWS = 3 * SHEAF_LENGTHS_BLOCK + 5 };
	sheaf_builder b;
	sheaf_buffer text = {0};
	sheaf_open_options use = {.size = sizeof use};
	const sheaf_pieces *pieces;
	uint32_t lengths[ROWS];
	sheaf_builder_begin(&b, cx, NULL);
	for (int r = 0; r < ROWS; r++)
		for (int line = 0; line <= r % 5; line++) sheaf_builder_printf(&b, "%d |A 1\n", r);
	assert_ok(sheaf_builder_finish(&b, &text, &err));
	write_file("a.ctf", text.data, text.size);
	sheaf_buffer_reset(&text);
	sheaf_dataset *dataset = open_file("a.ctf", &use);
	assert_ok(sheaf_dataset_write_index(dataset, NULL, &err));
	sheaf_close(dataset);
	bytes_sink index = read_file(index_of("a.ctf"));
	index.data[index.size - (ROWS - SHEAF_LENGTHS_BLOCK) * 3 / 8 + 100] ^= 0x55; /* in the second block */
	write_file(index_of("a.ctf"), index.data, index.size);
	free_bytes(&index);
	dataset = open_file("a.ctf", &use);
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_ptr_equal(pieces, dataset->index->pieces);
	assert_ok(sheaf_pieces_lengths(pieces, 0, ROWS, lengths, &err));
	for (uint32_t r = 0; r < ROWS; r++) assert_int_equal(lengths[r], r % 5 + 1);
	assert_true(sheaf_lengths_is_sound(&pieces->lengths, 0) && !sheaf_lengths_is_sound(&pieces->lengths, 1) &&
	            sheaf_lengths_is_sound(&pieces->lengths, 2));
	sheaf_close(dataset);
}

/* ---- checking ---- */

static void test_check(void **state)
{
	(void)state;
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER), use = opening(SHEAF_INDEX_USE);
	write_text("a.ctf", sequences);
	sheaf_dataset *dataset = open_file("a.ctf", &never);
	assert_status(SHEAF_UNKNOWN, sheaf_dataset_check_index(dataset, &err));
	assert_message("expected an index, found none");
	sheaf_close(dataset);
	make_index("a.ctf", NULL, 0);
	dataset = open_file("a.ctf", &never);
	assert_ok(sheaf_dataset_check_index(dataset, &err));
	sheaf_close(dataset);
	dataset = open_file("a.ctf", &use);
	assert_status(SHEAF_USAGE, sheaf_dataset_check_index(dataset, &err));
	sheaf_close(dataset);
}

/* The last byte of the lengths: docs/index-file.md has the tables. */
static size_t end_of_lengths(const bytes_sink *index)
{
	enum { ALIGNMENT = 64, EACH = 72, ROWS = 4096, BLOCK = 24 };
	size_t pieces = (size_t)sheaf_load_u64le(index->data + 64),
		   rows = (size_t)sheaf_load_u64le(index->data + 72);
	size_t at = (sheaf_load_u32le(index->data + 12) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	at = (at + pieces * EACH + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	at = (at + (rows + ROWS - 1) / ROWS * BLOCK + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return at + (size_t)sheaf_load_u64le(index->data + 88) - 1;
}

/* An index with right hashes that is not that of the input. */
static void test_check_finds_lies(void **state)
{
	(void)state;
	enum { SAMPLES = 24 + 7 * 8 };
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER);
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	index.data[SAMPLES]++;
	seal_index(index.data, index.size);
	write_file(index_of("a.ctf"), index.data, index.size);
	sheaf_dataset *dataset = open_file("a.ctf", &never);
	assert_status(SHEAF_DATA, sheaf_dataset_check_index(dataset, &err));
	assert_message("found it damaged (sums over pieces)");
	sheaf_close(dataset);
	index.data[SAMPLES]--;
	seal_index(index.data, index.size);
	index.data[end_of_lengths(&index)] ^= 1;
	write_file(index_of("a.ctf"), index.data, index.size);
	free_bytes(&index);
	dataset = open_file("a.ctf", &never);
	assert_status(SHEAF_DATA, sheaf_dataset_check_index(dataset, &err));
	assert_message("expected the lengths of");
	sheaf_close(dataset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_has_no_index),
		TEST(test_fresh_index_is_used),
		TEST(test_declared_streams_use_the_table),
		TEST(test_chunks_have_an_index),
		TEST(test_input_of_another_time),
		TEST(test_input_of_other_content),
		TEST(test_input_that_was_replaced),
		TEST(test_input_that_grows),
		TEST(test_index_of_other_settings),
		TEST(test_settings_in_a_file_of_their_own),
		TEST(test_index_of_another_version),
		TEST(test_unknown_marks),
		TEST(test_any_byte_damaged),
		TEST(test_any_length_cut),
		TEST(test_sizes_of_the_head),
		TEST(test_what_the_input_contradicts),
		TEST(test_counts_below_zero),
		TEST(test_forged_index),
		TEST(test_damaged_block_of_lengths),
		TEST(test_check),
		TEST(test_check_finds_lies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
