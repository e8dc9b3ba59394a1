/* SPDX-License-Identifier: MIT */
/* Index files: a fresh one changes only the time that opening takes; a stale, foreign, cut or damaged one
 * changes nothing at all. */
#include "base/context.h"
#include "base/endian.h"
#include "dataset/dataset.h"
#include "index/index.h"
#include "share.h"
#include "support.h"
#include "third/filled.h"
#include "third/xxhash.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define INDEX ".sheaf-index"

static sheaf_context *cx;
static int warnings;
static char last_rule[64];

static void hear(void *user, const sheaf_problem *problem)
{
	(void)user;
	warnings += problem->severity >= SHEAF_WARNING;
	snprintf(last_rule, sizeof last_rule, "%s", problem->rule);
}

static int set_up(void **state)
{
	sheaf_context_options options = {.size = sizeof options, .on_problem = hear};
	int failed = make_folder(state);
	warnings = 0;
	cx = context_with(&options);
	mkdir(in_folder("cache"), S_IRWXU);
	setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
	return failed;
}

static int tear_down(void **state)
{
	end_context(cx);
	return remove_folder(state);
}

/* ---- what there is to compare ---- */

/* What a reader learns about a file, in every way. */
typedef struct picture {
	char hash[33], schema[200], table[4000], tail[33];
} picture;

static void put_schema(const sheaf_schema *schema, char *text, size_t size)
{
	size_t used = 0;
	for (int f = 0; f < schema->nfields && used < size; f++) {
		char field[80];
		used += (size_t)snprintf(text + used, size - used, "%s %s;", schema->fields[f].name,
		                         sheaf_field_text(&schema->fields[f], field, sizeof field));
	}
}

static void put_table(const sheaf_pieces *pieces, char *text, size_t size)
{
	size_t used = 0;
	enum { BATCH = 64 };
	uint32_t lengths[BATCH];
	for (int64_t i = 0; i < sheaf_pieces_count(pieces) && used < size; i++) {
		sheaf_piece_entry e;
		sheaf_pieces_at(pieces, i, &e);
		used += (size_t)snprintf(text + used, size - used,
		                         "%" PRId64 "+%" PRId64 " line %" PRId64 " row %" PRId64 "+%" PRId64
		                         " =%" PRId64 ";",
		                         e.byte, e.size, e.line, e.row, e.rows, e.samples);
		for (int64_t r = e.row; r < e.row + e.rows && used < size; r += BATCH) {
			int64_t n = e.row + e.rows - r < BATCH ? e.row + e.rows - r : BATCH;
			assert_ok(sheaf_pieces_lengths(pieces, r, n, lengths, &err));
			for (int64_t k = 0; k < n && used < size; k++)
				used += (size_t)snprintf(text + used, size - used, " %" PRIu32, lengths[k]);
		}
	}
}

enum { PIECE = 60, SKIPPED = 5 };

static sheaf_open_options opening(sheaf_index_policy policy)
{
	return (sheaf_open_options){.size = sizeof(sheaf_open_options), .piece_bytes = PIECE, .index = policy};
}

static sheaf_dataset *open_file(const char *name, const sheaf_open_options *options)
{
	sheaf_dataset *dataset;
	assert_ok(sheaf_open(in_folder(name), options, cx, &dataset, &err));
	return dataset;
}

static bool is_fresh(const char *name, const sheaf_open_options *options)
{
	sheaf_index_info info;
	sheaf_dataset *dataset = open_file(name, options);
	sheaf_dataset_index(dataset, &info);
	sheaf_close(dataset);
	return info.fresh;
}

static void take_picture(const char *name, const sheaf_open_options *options, picture *out)
{
	const sheaf_pieces *pieces;
	memset(out, 0, sizeof *out);
	sheaf_dataset *dataset = open_file(name, options);
	put_schema(sheaf_dataset_schema(dataset), out->schema, sizeof out->schema);
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	put_table(pieces, out->table, sizeof out->table);
	assert_ok(hash_dataset(dataset, true, true, out->hash));
	sheaf_close(dataset);
	dataset = open_file(name, options);
	assert_ok(sheaf_skip(dataset, SKIPPED, &err));
	assert_ok(hash_dataset(dataset, true, true, out->tail));
	sheaf_close(dataset);
}

static void assert_same_picture(const picture *a, const picture *b)
{
	assert_string_equal(a->schema, b->schema);
	assert_string_equal(a->table, b->table);
	assert_string_equal(a->hash, b->hash);
	assert_string_equal(a->tail, b->tail);
}

static void assert_nothing_changes(const char *name)
{
	picture with, without;
	sheaf_open_options use = opening(SHEAF_INDEX_USE), never = opening(SHEAF_INDEX_NEVER);
	take_picture(name, &use, &with);
	take_picture(name, &never, &without);
	assert_same_picture(&with, &without);
}

static void make_index(const char *name, const sheaf_setting *settings, int n)
{
	sheaf_open_options options = opening(SHEAF_INDEX_USE);
	options.settings = settings;
	options.nsettings = n;
	sheaf_dataset *dataset = open_file(name, &options);
	assert_ok(sheaf_dataset_write_index(dataset, &err));
	sheaf_close(dataset);
}

/* Sequences of several lines, the first one with the least dims. */
static const char sequences[] =
	"0 |A 1 |B 1:1\n0 |A 2\n1 |A 1 |B 5:1\n2 |A 1 |B 2:1 7:1\n2 |A 3\n2 |A 4\n"
	"9 |A 5 |B 3:1\n12 |A 5 |B 3:1\n13 |A 5 |B 3:1\n13 |B 3:2\n14 |A 5 |B 3:1\n15 |A 8 |B 1:1\n";

static void write_indexed(const char *name)
{
	write_text(name, sequences);
	make_index(name, NULL, 0);
}

static const char *index_of(const char *name)
{
	static char text[80];
	snprintf(text, sizeof text, "%s" INDEX, name);
	return text;
}

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
	assert_int_not_equal(SHEAF_OK, sheaf_dataset_write_index(dataset, &err));
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
	sheaf_convert_options options = {.size = sizeof options, .settings = &small, .nsettings = 1};
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	write_text("a.ctf", sequences);
	assert_ok(sheaf_convert(&in, 1, in_folder("a.cbf"), &options, cx, &err));
	make_index("a.cbf", NULL, 0);
	assert_true(is_fresh("a.cbf", &require));
	assert_nothing_changes("a.cbf");
}

/* ---- not fresh ---- */

static void set_time(const char *name, int64_t ns)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
	                            {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)}};
	assert_int_equal(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

static int64_t time_of(const char *name)
{
	struct stat info;
	assert_int_equal(stat(in_folder(name), &info), 0);
	return (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
}

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
							   precision = {"precision", "double"};
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

static void store_hash(bytes_sink *index)
{
	uint32_t head = sheaf_load_u32le(index->data + 12);
	if (head <= index->size && head >= 24)
		sheaf_store_u64le(index->data + 16, sheaf_xxhash(index->data + 24, head - 24, 4).low);
}

static void test_index_of_another_version(void **state)
{
	(void)state;
	write_indexed("a.ctf");
	bytes_sink index = read_file(index_of("a.ctf"));
	index.data[8] = 1;
	store_hash(&index);
	write_file(index_of("a.ctf"), index.data, index.size);
	free_bytes(&index);
	assert_stale("a.ctf", "expected an index of version 4, found one of version 1");
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
	free_bytes(&index);
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
		store_hash(&index);
		write_file(index_of("a.ctf"), index.data, index.size);
		assert_stale("a.ctf", "found it damaged (counts)");
		sheaf_store_u64le(index.data + WORDS + 8 * w, word);
	}
	store_hash(&index);
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
		store_hash(&copy);
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
	assert_ok(sheaf_dataset_write_index(dataset, &err));
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
	store_hash(&index);
	write_file(index_of("a.ctf"), index.data, index.size);
	sheaf_dataset *dataset = open_file("a.ctf", &never);
	assert_status(SHEAF_DATA, sheaf_dataset_check_index(dataset, &err));
	assert_message("found it damaged (sums over pieces)");
	sheaf_close(dataset);
	index.data[SAMPLES]--;
	store_hash(&index);
	index.data[end_of_lengths(&index)] ^= 1;
	write_file(index_of("a.ctf"), index.data, index.size);
	free_bytes(&index);
	dataset = open_file("a.ctf", &never);
	assert_status(SHEAF_DATA, sheaf_dataset_check_index(dataset, &err));
	assert_message("expected the lengths of");
	sheaf_close(dataset);
}

/* ---- where it is, and when it is written ---- */

static void read_to_end(const char *name, const sheaf_open_options *options)
{
	char hash[33];
	sheaf_dataset *dataset = open_file(name, options);
	assert_ok(hash_dataset(dataset, true, true, hash));
	sheaf_close(dataset);
}

static void test_policies_of_a_small_file(void **state)
{
	(void)state;
	sheaf_open_options options = opening(SHEAF_INDEX_USE);
	const sheaf_frame *frame;
	write_text("a.ctf", sequences);
	read_to_end("a.ctf", &options);
	options.index = SHEAF_INDEX_AUTO;
	read_to_end("a.ctf", &options);
	options.index = SHEAF_INDEX_NEVER;
	read_to_end("a.ctf", &options);
	assert_false(file_exists(index_of("a.ctf")));
	options.index = SHEAF_INDEX_WRITE;
	sheaf_dataset *dataset = open_file("a.ctf", &options);
	assert_ok(sheaf_next(dataset, &frame, &err)); /* not to the end */
	sheaf_close(dataset);
	assert_false(file_exists(index_of("a.ctf")));
	read_to_end("a.ctf", &options);
	assert_true(file_exists(index_of("a.ctf")));
	assert_int_equal(warnings, 0);
	assert_nothing_changes("a.ctf");
	options.index = SHEAF_INDEX_REQUIRE;
	assert_true(is_fresh("a.ctf", &options));
	options.index = SHEAF_INDEX_NEVER;
	dataset = open_file("a.ctf", &options);
	assert_ok(sheaf_dataset_check_index(dataset, &err));
	sheaf_close(dataset);
	assert_false(is_fresh("a.ctf", &options));
}

/* 65 MiB of lines that are mostly a comment. */
static void write_large(const char *name)
{
	enum { LINE = 1000, LINES = (65 << 20) / LINE };
	char line[LINE + 1];
	FILE *file = fopen(in_folder(name), "w");
	for (int l = 0; l < LINES; l++) {
		int n = snprintf(line, sizeof line, "%d |A %d |# ", l / 3, l % 10);
		memset(line + n, 'x', (size_t)(LINE - 1 - n));
		line[LINE - 1] = '\n';
		assert_int_equal(fwrite(line, 1, LINE, file), LINE);
	}
	assert_int_equal(fclose(file), 0);
	set_time(name, time_of(name) - 1000000000);
}

static void test_auto_writes_the_index_of_a_large_file(void **state)
{
	(void)state;
	sheaf_open_options automatic = {.size = sizeof automatic, .index = SHEAF_INDEX_AUTO},
					   never = {.size = sizeof never, .index = SHEAF_INDEX_NEVER};
	sheaf_open_options wrong = automatic;
	static const sheaf_setting missing = {"stream", "A:1:sparse"};
	sheaf_context_options tolerant = {.size = sizeof tolerant, .max_errors = INT64_MAX};
	write_large("a.ctf");
	end_context(cx);
	cx = context_with(&tolerant);
	wrong.settings = &missing;
	wrong.nsettings = 1;
	sheaf_dataset *dataset =
		open_file("a.ctf", &wrong); /* every sample is an error: none of it becomes an index */
	const sheaf_frame *frame;
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK) {
	}
	sheaf_close(dataset);
	assert_false(file_exists(index_of("a.ctf")));
	end_context(cx);
	cx = usual_context();
	read_to_end("a.ctf", &automatic);
	assert_true(is_fresh("a.ctf", &automatic));
	dataset = open_file("a.ctf", &never);
	assert_ok(sheaf_dataset_check_index(dataset, &err));
	sheaf_close(dataset);
}

/* A folder that cannot be written: even for root, a file cannot replace a folder. */
static void test_cache_folder(void **state)
{
	(void)state;
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	sheaf_index_info info;
	write_text("a.ctf", sequences);
	mkdir(in_folder(index_of("a.ctf")), S_IRWXU);
	make_index("a.ctf", NULL, 0);
	sheaf_dataset *dataset = open_file("a.ctf", &require);
	sheaf_dataset_index(dataset, &info);
	assert_int_equal(strncmp(info.path, in_folder("cache/sheaf/"), strlen(in_folder("cache/sheaf/"))), 0);
	sheaf_close(dataset);
	assert_nothing_changes("a.ctf");
	rmdir(in_folder(index_of("a.ctf")));
}

static void test_cache_folder_of_the_home(void **state)
{
	(void)state;
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	const char *home = getenv("HOME");
	setenv("XDG_CACHE_HOME", "not/absolute", 1);
	setenv("HOME", in_folder(""), 1);
	write_text("a.ctf", sequences);
	mkdir(in_folder(index_of("a.ctf")), S_IRWXU);
	make_index("a.ctf", NULL, 0);
	assert_true(is_fresh("a.ctf", &require));
	assert_true(file_exists(".cache/sheaf"));
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/dev/null", 1); /* no place is left */
	sheaf_open_options write = opening(SHEAF_INDEX_WRITE);
	read_to_end("a.ctf", &write);
	assert_int_equal(warnings, 1);
	assert_string_equal(last_rule, "index not written");
	if (home) setenv("HOME", home, 1);
	rmdir(in_folder(index_of("a.ctf")));
}

static void test_nothing_else_is_replaced(void **state)
{
	(void)state;
	sheaf_open_options write = opening(SHEAF_INDEX_WRITE);
	write_text("a.ctf", sequences);
	write_text(index_of("a.ctf"), "somebody's notes, which are longer than the beginning of an index\n");
	sheaf_dataset *dataset = open_file("a.ctf", &write);
	assert_status(SHEAF_UNKNOWN, sheaf_dataset_write_index(dataset, &err));
	assert_message("expected an index, found another file");
	sheaf_close(dataset);
	read_to_end("a.ctf", &write);
	assert_int_equal(warnings, 1);
	bytes_sink notes = read_file(index_of("a.ctf"));
	assert_memory_equal(notes.data, "somebody's notes", 16);
	free_bytes(&notes);
}

/* An index is only for users who may read the file, whatever the umask and an older index. */
static void test_index_is_as_private_as_its_input(void **state)
{
	(void)state;
	static const mode_t modes[] = {0600, 0640, 0644, 0666, 0755, 0400};
	struct stat info;
	for (size_t i = 0; i < COUNT(modes); i++) {
		mode_t mask = umask(i % 2 ? 022 : 0);
		write_text("x.ctf", sequences);
		assert_int_equal(chmod(in_folder("x.ctf"), modes[i]), 0);
		for (int again = 0; again < 2; again++) {
			make_index("x.ctf", NULL, 0);
			assert_int_equal(stat(in_folder(index_of("x.ctf")), &info), 0);
			assert_int_equal(info.st_mode & 0777, modes[i] & 0644);
		}
		unlink(in_folder("x.ctf"));
		umask(mask);
	}
}

static void test_fifo_is_not_waited_for(void **state)
{
	(void)state;
	write_text("a.ctf", sequences);
	assert_int_equal(mkfifo(in_folder(index_of("a.ctf")), S_IRWXU), 0);
	assert_nothing_changes("a.ctf");
	make_index("a.ctf", NULL, 0);
	sheaf_open_options require = opening(SHEAF_INDEX_REQUIRE);
	assert_true(is_fresh("a.ctf", &require)); /* in the cache folder */
}

static void refuse_index(const char *name, sheaf_index_policy policy)
{
	sheaf_dataset *dataset;
	sheaf_open_options options = opening(policy);
	assert_status(SHEAF_UNSUPPORTED, sheaf_open(in_folder(name), &options, cx, &dataset, &err));
	assert_message("expected an uncompressed regular file, found gzip");
}

static void test_compressed_input_has_no_index(void **state)
{
	(void)state;
	sheaf_open_options automatic = opening(SHEAF_INDEX_AUTO);
	sheaf_index_info info;
	gzFile packed = gzopen(in_folder("a.ctf.gz"), "wb");
	SHEAF_UNSEEN_BEGIN();
	assert_true(gzwrite(packed, sequences, sizeof sequences - 1) > 0);
	gzclose(packed);
	SHEAF_UNSEEN_END();
	refuse_index("a.ctf.gz", SHEAF_INDEX_REQUIRE);
	refuse_index("a.ctf.gz", SHEAF_INDEX_WRITE);
	sheaf_dataset *dataset = open_file("a.ctf.gz", &automatic);
	sheaf_dataset_index(dataset, &info);
	assert_true(!info.fresh && !info.path);
	assert_status(SHEAF_UNSUPPORTED, sheaf_dataset_write_index(dataset, &err));
	sheaf_close(dataset);
}

static void test_input_that_changes_while_it_is_read(void **state)
{
	(void)state;
	sheaf_open_options write = opening(SHEAF_INDEX_WRITE);
	const sheaf_frame *frame;
	write_text("a.ctf", sequences);
	sheaf_dataset *dataset = open_file("a.ctf", &write);
	assert_ok(sheaf_next(dataset, &frame, &err));
	set_time("a.ctf", time_of("a.ctf") + 1);
	while (sheaf_next(dataset, &frame, &err) == SHEAF_OK) {
	}
	sheaf_close(dataset);
	assert_false(file_exists(index_of("a.ctf")));
	assert_int_equal(warnings, 1);
}

/* ---- several at once ---- */

enum { WRITERS = 3, ROUNDS = 20 };

static void *write_again_and_again(void *user)
{
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER);
	for (int round = 0; round < ROUNDS; round++) {
		sheaf_dataset *dataset;
		if (sheaf_open((const char *)user, &never, cx, &dataset, NULL)) return user;
		sheaf_status status = sheaf_dataset_write_index(dataset, NULL);
		sheaf_close(dataset);
		if (status) return user;
	}
	return NULL;
}

static void test_writers_and_readers_at_once(void **state)
{
	(void)state;
	pthread_t threads[WRITERS];
	sheaf_open_options use = opening(SHEAF_INDEX_USE);
	char path[200];
	write_indexed("a.ctf");
	snprintf(path, sizeof path, "%s", in_folder("a.ctf"));
	for (int t = 0; t < WRITERS; t++)
		assert_int_equal(pthread_create(&threads[t], NULL, write_again_and_again, path), 0);
	for (int round = 0; round < ROUNDS; round++) assert_true(is_fresh("a.ctf", &use));
	for (int t = 0; t < WRITERS; t++) {
		void *failed;
		pthread_join(threads[t], &failed);
		assert_null(failed);
	}
	assert_true(is_fresh("a.ctf", &use));
	assert_int_equal(files_in_folder(), 3); /* and the cache folder: no temporary is left */
}

/* ---- passing over rows ---- */

static int64_t first_row_behind(sheaf_dataset *dataset, int64_t rows, char *text, size_t size)
{
	const sheaf_frame *frame;
	sheaf_buffer line = {0};
	sheaf_status status = SHEAF_OK;
	int64_t at = -1;
	text[0] = '\0';
	assert_ok(sheaf_skip(dataset, rows, &err));
	while (at < 0 && (status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		int64_t begin = sheaf_dataset_row(dataset);
		if (begin + frame->nrows <= rows) continue;
		at = begin;
		assert_ok(sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON, begin, rows - begin,
		                          rows - begin + 1, &line, &err));
		snprintf(text, size, "%.*s", (int)line.size, (const char *)line.data);
		sheaf_buffer_reset(&line);
	}
	assert_true(status == SHEAF_OK || status == SHEAF_END);
	return at;
}

static void test_rows_are_passed_over(void **state)
{
	(void)state;
	sheaf_open_options options[] = {opening(SHEAF_INDEX_NEVER), opening(SHEAF_INDEX_REQUIRE)};
	char wanted[1000], found[1000];
	sheaf_frame all;
	sheaf_buffer line = {0};
	write_indexed("a.ctf");
	sheaf_dataset *dataset = open_file("a.ctf", &options[0]);
	assert_ok(sheaf_read_all(dataset, &all, &err));
	for (int64_t row = 0; row < all.nrows + 2; row++)
		for (size_t o = 0; o < COUNT(options); o++) {
			sheaf_dataset *other = open_file("a.ctf", &options[o]);
			int64_t at = first_row_behind(other, row, found, sizeof found);
			wanted[0] = '\0';
			if (row < all.nrows) {
				assert_ok(sheaf_rows_text(&all, sheaf_dataset_schema(dataset), SHEAF_JSON, 0, row, row + 1,
				                          &line, &err));
				snprintf(wanted, sizeof wanted, "%.*s", (int)line.size, (const char *)line.data);
			}
			assert_string_equal(wanted, found);
			if (row == 6) assert_true(at > 3); /* not all of it was read */
			assert_status(row > 0 && at > 0 ? SHEAF_USAGE : SHEAF_OK,
			              at > 0 ? sheaf_skip(other, 1, &err) : SHEAF_OK);
			sheaf_close(other);
		}
	sheaf_buffer_reset(&line);
	sheaf_frame_free(&all);
	sheaf_close(dataset);
}

static void test_rows_passed_over_are_not_read(void **state)
{
	(void)state;
	sheaf_open_options never = opening(SHEAF_INDEX_NEVER);
	static const sheaf_setting stream = {"stream", "A:1:dense"};
	char text[200];
	never.settings = &stream;
	never.nsettings = 1;
	never.piece_bytes = 8;
	write_text("a.ctf", "|A x\n|A 2\n|A 3\n|A 4\n");
	sheaf_dataset *dataset = open_file("a.ctf", &never);
	assert_int_equal(first_row_behind(dataset, 3, text, sizeof text), 3);
	assert_string_equal(text, "{\"key\":3,\"streams\":{\"A\":[[4]]}}\n");
	sheaf_close(dataset);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
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
	TEST(test_any_byte_damaged),
	TEST(test_any_length_cut),
	TEST(test_counts_below_zero),
	TEST(test_forged_index),
	TEST(test_damaged_block_of_lengths),
	TEST(test_check),
	TEST(test_check_finds_lies),
	TEST(test_policies_of_a_small_file),
	TEST(test_auto_writes_the_index_of_a_large_file),
	TEST(test_cache_folder),
	TEST(test_cache_folder_of_the_home),
	TEST(test_nothing_else_is_replaced),
	TEST(test_index_is_as_private_as_its_input),
	TEST(test_fifo_is_not_waited_for),
	TEST(test_compressed_input_has_no_index),
	TEST(test_input_that_changes_while_it_is_read),
	TEST(test_writers_and_readers_at_once),
	TEST(test_rows_are_passed_over),
	TEST(test_rows_passed_over_are_not_read),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
