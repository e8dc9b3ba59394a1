/* SPDX-License-Identifier: MIT */
/* The table of pieces: it has every row once, its lengths are those of the rows, and pieces read in any
 * order, by any thread, are what reading in order gives. */
#include "base/context.h"
#include "base/third/filled.h"
#include "dataset/dataset.h"
#include "dataset/index/lengths.h"
#include "dataset/index/pieces.h"
#include "support.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static sheaf_context *cx;

static int set_up(void **state)
{
	cx = usual_context();
	return make_folder(state);
}

static int tear_down(void **state)
{
	end_context(cx);
	return remove_folder(state);
}

/* ---- what both ways of reading give ---- */

/* Samples of a row in its main stream, else in its longest. */
static uint32_t length_of(const sheaf_schema *schema, const sheaf_frame *frame, int64_t row)
{
	uint32_t longest = 0;
	for (int f = 0; f < schema->nfields; f++) {
		if (schema->fields[f].nlevels == 0) continue;
		const int64_t *o = sheaf_level_offsets(&frame->columns[f].levels[0]);
		uint32_t samples = (uint32_t)(o[row + 1] - o[row]);
		if (schema->fields[f].main) return samples;
		if (samples > longest) longest = samples;
	}
	return longest;
}

static void assert_rows_equal(const sheaf_schema *schema, const sheaf_frame *all, int64_t row,
                              const sheaf_frame *piece)
{
	sheaf_buffer a = {0}, b = {0};
	assert_ok(sheaf_rows_text(all, schema, SHEAF_JSON, 0, row, row + piece->nrows, &a, &err));
	assert_ok(sheaf_rows_text(piece, schema, SHEAF_JSON, row, 0, piece->nrows, &b, &err));
	assert_int_equal(a.size, b.size);
	if (a.size) assert_memory_equal(a.data, b.data, a.size);
	sheaf_buffer_reset(&a);
	sheaf_buffer_reset(&b);
}

/* Each row once and in order, and the sums. */
static void assert_entries(const sheaf_pieces *pieces, int64_t rows)
{
	sheaf_piece_entry entry;
	int64_t row = 0, samples = 0, byte = 0;
	for (int64_t i = 0; i < sheaf_pieces_count(pieces); i++) {
		sheaf_pieces_at(pieces, i, &entry);
		assert_int_equal(entry.row, row);
		assert_true(entry.byte >= byte && entry.size >= 0);
		for (int64_t r = 0; r < entry.rows; r++) assert_int_equal(sheaf_pieces_find(pieces, row + r), i);
		row += entry.rows;
		samples += entry.samples;
		byte = entry.byte + entry.size;
	}
	assert_int_equal(row, rows);
	assert_int_equal(sheaf_pieces_rows(pieces), rows);
	assert_int_equal(pieces->samples, samples);
}

static void assert_lengths(const sheaf_schema *schema, const sheaf_frame *all, const sheaf_pieces *pieces)
{
	int64_t samples = 0;
	uint32_t *lengths = (uint32_t *)calloc((size_t)all->nrows + 1, sizeof *lengths), one;
	assert_ok(sheaf_pieces_lengths(pieces, 0, all->nrows, lengths, &err));
	for (int64_t r = 0; r < all->nrows; r++) {
		assert_int_equal(lengths[r], length_of(schema, all, r));
		assert_ok(sheaf_pieces_lengths(pieces, r, 1, &one, &err));
		assert_int_equal(one, lengths[r]);
		samples += one;
	}
	assert_int_equal(pieces->samples, samples);
	free(lengths);
}

/* Last one first: nothing may depend on what was read before. */
static void assert_pieces(const sheaf_dataset *dataset, const sheaf_frame *all, const sheaf_pieces *pieces)
{
	sheaf_frame frame = {0};
	sheaf_piece_entry entry;
	for (int64_t i = sheaf_pieces_count(pieces); i-- > 0;) {
		sheaf_pieces_at(pieces, i, &entry);
		assert_ok(sheaf_dataset_read_piece(dataset, i, &frame, cx, &err));
		assert_int_equal(frame.nrows, entry.rows);
		assert_rows_equal(sheaf_dataset_schema(dataset), all, entry.row, &frame);
	}
	sheaf_frame_free(&frame);
}

/* Opens `path` and compares its table with its rows. Gives the number of pieces. */
static int64_t compare(const char *path, const sheaf_setting *settings, int n, int64_t piece_bytes)
{
	const sheaf_pieces *pieces;
	sheaf_dataset *dataset;
	sheaf_frame all;
	sheaf_open_options options = {.size = sizeof options,
	                              .settings = settings,
	                              .nsettings = n,
	                              .piece_bytes = piece_bytes,
	                              .access = SHEAF_RANDOM};
	assert_ok(sheaf_open(in_folder(path), &options, cx, &dataset, &err));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_ok(sheaf_read_all(dataset, &all, &err));
	assert_int_equal(all.lines.size, 0);
	assert_entries(pieces, all.nrows);
	assert_lengths(sheaf_dataset_schema(dataset), &all, pieces);
	assert_pieces(dataset, &all, pieces);
	int64_t count = sheaf_pieces_count(pieces);
	sheaf_frame_free(&all);
	sheaf_close(dataset);
	return count;
}

/* ---- text ---- */

/* Sequences of 1 to 9 lines; the second stream has a sample on the first line only. */
static void write_sequences(const char *name, int sequences, bool ids)
{
	sheaf_builder b;
	sheaf_buffer text = {0};
	sheaf_builder_begin(&b, cx, NULL);
	seed_random(3);
	for (int s = 0; s < sequences; s++)
		for (int64_t line = 0, lines = ids ? 1 + random_below(9) : 1; line < lines; line++) {
			if (ids && (line == 0 || random_below(2))) sheaf_builder_printf(&b, "%d ", s * 3);
			sheaf_builder_printf(&b, "|A %" PRId64 " %" PRId64, random_below(100), random_below(100));
			sheaf_builder_printf(&b, line == 0 ? " |B %" PRId64 ":1\n" : "\n", random_below(7));
		}
	assert_ok(sheaf_builder_finish(&b, &text, &err));
	write_file(name, text.data, text.size);
	sheaf_buffer_reset(&text);
}

static void test_text_with_ids(void **state)
{
	(void)state;
	write_sequences("ids.ctf", 300, true);
	assert_int_equal(compare("ids.ctf", NULL, 0, 0), 1);
	for (int64_t bytes = 1; bytes < 40000; bytes = bytes * 3 + 1)
		assert_true(compare("ids.ctf", NULL, 0, bytes) >= 20000 / (bytes + 300));
}

static void test_text_by_line(void **state)
{
	(void)state;
	write_sequences("lines.ctf", 200, false);
	assert_int_equal(compare("lines.ctf", NULL, 0, 1), 200);
	assert_true(compare("lines.ctf", NULL, 0, 500) > 4);
}

/* Beginnings and ends of files, and the effect of settings on lines. */
static void test_text_of_every_kind(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		sheaf_setting settings[2];
		int n;
		bool drop_incomplete;
	} cases[] = {
		{"\xef\xbb\xbf  \n 0 |A 1\n0 |A 2\n1 |A 3\n", {{0}}, 0},
		{"0 |A 1\n0 |A 2\n1 |A 3", {{0}}, 0},
		{"0 |A 1\n1 |A 2\n7", {{0}}, 0},
		{"0 |A 1\n1 |A 2\n |# nothing", {{0}}, 0},
		{"|A 1\n|A 2", {{0}}, 0},
		{"0 |A 1\n0 |A 2\n1 |A 3\n", {{"skip-sequence-ids", NULL}}, 1},
		{"007 |A 1\n7 |A 2\n |A 3\n8|A 3\n", {{0}}, 0},
		{"5 |A 1\n6 |A 2\n5 |A 3\n", {{0}}, 0},
		{"0 |A 1 |B 1\n0 |A 2\n0 |A 3\n1 |A 3 |B 1\n", {{"main-stream", "B"}}, 1},
		{"0 |A 1 |B 1\n0 |A 2\n1 |A 3\n2 |A 4 |B 4\n", {{0}}, 0, true},
		{"0 |A 1 |B 1\n0 |A 2\n1 |A 3\n2 |A 4 |B 4\n", {{"allow", "missing"}}, 1},
		{"0 |A 1\n0 |# nothing here\n0 |A 2\n1 |A 3\n", {{"allow", "unaligned"}, {"stream", "A:1:dense"}}, 2},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_context_options tolerant = {
			.size = sizeof tolerant, .max_errors = 1000, .drop_incomplete = cases[i].drop_incomplete};
		write_text("case.ctf", cases[i].text);
		end_context(cx);
		cx = context_with(&tolerant);
		for (int64_t bytes = 1; bytes < 60; bytes++)
			compare("case.ctf", cases[i].settings, cases[i].n, bytes);
	}
}

/* ---- chunks ---- */

static void test_chunks_are_pieces(void **state)
{
	(void)state;
	static const sheaf_setting small = {"chunk-bytes", "700"};
	sheaf_convert_options options = {.size = sizeof options,
	                                 .open = &(sheaf_open_options){.settings = &small, .nsettings = 1}};
	const char *in = in_folder("ids.ctf");
	write_sequences("ids.ctf", 300, true);
	assert_ok(sheaf_convert(&in, 1, in_folder("ids.cbf"), &options, cx, &err));
	int64_t chunks = compare("ids.cbf", NULL, 0, 0);
	assert_true(chunks > 10);
	assert_int_equal(compare("ids.cbf", NULL, 0, 1), chunks);
}

/* ---- sources ---- */

static void test_compressed_input(void **state)
{
	(void)state;
	write_sequences("ids.ctf", 300, true);
	bytes_sink text = read_file("ids.ctf");
	gzFile packed = gzopen(in_folder("ids.ctf.gz"), "wb");
	SHEAF_UNSEEN_BEGIN();
	assert_int_equal(gzwrite(packed, text.data, (unsigned)text.size), text.size);
	gzclose(packed);
	SHEAF_UNSEEN_END();
	free_bytes(&text);
	assert_int_equal(compare("ids.ctf.gz", NULL, 0, 1000), compare("ids.ctf", NULL, 0, 1000));
}

static void test_input_that_passes_once(void **state)
{
	(void)state;
	static const char text[] = "0 |A 1\n1 |A 2\n2 |A 3\n3 |A 3\n4 |A 3\n";
	bytes_source drip = {{(const uint8_t *)text, sizeof text - 1}, 5};
	sheaf_source *source;
	sheaf_dataset *dataset;
	sheaf_frame frame = {0};
	const sheaf_pieces *pieces;
	static const sheaf_setting stream = {"stream", "A:1:dense"};
	sheaf_open_options options = {.size = sizeof options,
	                              .settings = &stream,
	                              .nsettings = 1,
	                              .piece_bytes = 1,
	                              .access = SHEAF_RANDOM};
	assert_ok(sheaf_source_function(read_bytes, &drip, "drip", cx, &source, &err));
	assert_ok(sheaf_open_source(source, &options, cx, &dataset, &err));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_entries(pieces, 5);
	assert_true(sheaf_pieces_count(pieces) > 1);
	assert_ok(sheaf_dataset_read_piece(dataset, 1, &frame, cx, &err));
	assert_true(frame.nrows > 0);
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 3, STEP = 11 };

typedef struct reader {
	sheaf_dataset *dataset;
	const sheaf_pieces *pieces;
	int64_t start, rows;
} reader;

static void *read_all_pieces(void *user)
{
	reader *r = (reader *)user;
	sheaf_frame frame = {0};
	int64_t n = sheaf_pieces_count(r->pieces);
	for (int64_t k = 0; k < n * ROUNDS; k++) {
		if (sheaf_dataset_read_piece(r->dataset, (r->start + k * STEP) % n, &frame, cx, NULL) != SHEAF_OK)
			break;
		r->rows += frame.nrows;
	}
	sheaf_frame_free(&frame);
	return NULL;
}

static void test_pieces_on_many_threads(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	reader readers[THREADS];
	sheaf_dataset *dataset;
	sheaf_frame all;
	const sheaf_pieces *pieces;
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 700};
	write_sequences("ids.ctf", 2000, true);
	assert_ok(sheaf_open(in_folder("ids.ctf"), &options, cx, &dataset, &err));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_true(sheaf_pieces_count(pieces) % STEP != 0); /* so that each thread reads every piece */
	for (int t = 0; t < THREADS; t++) {
		readers[t] = (reader){dataset, pieces, t, 0};
		assert_int_equal(pthread_create(&threads[t], NULL, read_all_pieces, &readers[t]), 0);
	}
	assert_ok(sheaf_read_all(dataset, &all, &err));
	for (int t = 0; t < THREADS; t++) {
		pthread_join(threads[t], NULL);
		assert_int_equal(readers[t].rows, ROUNDS * 2000);
	}
	assert_int_equal(all.nrows, 2000);
	sheaf_frame_free(&all);
	sheaf_close(dataset);
}

/* ---- what goes wrong ---- */

static void test_findings_come_with_the_rows(void **state)
{
	(void)state;
	sheaf_dataset *dataset;
	sheaf_frame frame = {0};
	const sheaf_pieces *pieces;
	static const sheaf_setting stream = {"stream", "A:1:dense"};
	sheaf_open_options options = {
		.size = sizeof options, .settings = &stream, .nsettings = 1, .piece_bytes = 1};
	write_text("bad.ctf", "|A 1\n|A x\n|A 3\n");
	assert_ok(sheaf_open(in_folder("bad.ctf"), &options, cx, &dataset, &err));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_int_equal(sheaf_pieces_count(pieces), 3);
	assert_int_equal(sheaf_context_problems(cx, SHEAF_NOTE), 0);
	assert_status(SHEAF_DATA, sheaf_dataset_read_piece(dataset, 1, &frame, cx, &err));
	assert_message("bad.ctf:2:4 (byte 8)");
	assert_ok(sheaf_dataset_read_piece(dataset, 2, &frame, cx, &err));
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
}

static void test_calls_out_of_order(void **state)
{
	(void)state;
	sheaf_dataset *dataset;
	sheaf_frame frame = {0};
	const sheaf_frame *first;
	const sheaf_pieces *pieces;
	uint32_t lengths[2];
	sheaf_open_options options = {.size = sizeof options, .piece_bytes = 1};
	write_text("two.ctf", "|A 1\n|A 2\n");
	assert_ok(sheaf_open(in_folder("two.ctf"), &options, cx, &dataset, &err));
	assert_status(SHEAF_USAGE, sheaf_dataset_read_piece(dataset, 0, &frame, cx, &err));
	assert_ok(sheaf_next(dataset, &first, &err));
	assert_status(SHEAF_USAGE, sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_message("before the first row is read, found it after 1 rows");
	sheaf_close(dataset);
	assert_ok(sheaf_open(in_folder("two.ctf"), &options, cx, &dataset, &err));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	assert_status(SHEAF_USAGE, sheaf_dataset_read_piece(dataset, 2, &frame, cx, &err));
	assert_status(SHEAF_USAGE, sheaf_dataset_read_piece(dataset, -1, &frame, cx, &err));
	assert_status(SHEAF_USAGE, sheaf_pieces_lengths(pieces, 1, 2, lengths, &err));
	assert_message("expected rows from 0 to 2, found 2 rows from 1");
	assert_status(SHEAF_USAGE, sheaf_pieces_lengths(pieces, -1, 1, lengths, &err));
	assert_status(SHEAF_USAGE, sheaf_pieces_lengths(pieces, 1, -1, lengths, &err));
	assert_status(SHEAF_USAGE, sheaf_pieces_lengths(pieces, 1, INT64_MAX, lengths, &err));
	assert_ok(sheaf_pieces_lengths(pieces, 2, 0, lengths, &err));
	sheaf_close(dataset);
}

static void test_input_that_changes(void **state)
{
	(void)state;
	sheaf_dataset *dataset;
	sheaf_frame frame = {0};
	const sheaf_pieces *pieces;
	FILE *file;
	write_text("two.ctf", "0 |A 1\n1 |A 2\n");
	assert_ok(sheaf_open(in_folder("two.ctf"), NULL, cx, &dataset, &err));
	assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
	file = fopen(in_folder("two.ctf"), "r+");
	assert_int_equal(fseek(file, 7, SEEK_SET), 0);
	fputc('0', file);
	fclose(file);
	assert_status(SHEAF_DATA, sheaf_dataset_read_piece(dataset, 0, &frame, cx, &err));
	assert_message("expected 2 rows, as when its pieces were found, found 1");
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
}

/* ---- packing ---- */

static uint32_t length_below(uint32_t width)
{
	return (uint32_t)(next_random() & (((uint64_t)1 << width) - 1));
}

static void test_lengths_of_every_width(void **state)
{
	(void)state;
	enum { ROWS = 3 * SHEAF_LENGTHS_BLOCK + 77 };
	uint32_t *wanted = (uint32_t *)calloc(ROWS, sizeof *wanted),
			 *found = (uint32_t *)calloc(ROWS, sizeof *found);
	seed_random(9);
	for (uint32_t width = 0; width <= 32; width++) {
		sheaf_packer p;
		sheaf_lengths l;
		for (int r = 0; r < ROWS; r++) wanted[r] = length_below(width) | (width < 32 ? 1U << 31 : 0);
		assert_ok(sheaf_packer_begin(&p, cx, &err));
		for (int64_t r = 0, n; r < ROWS; r += n) {
			n = 1 + random_below(5000);
			if (n > ROWS - r) n = ROWS - r;
			sheaf_packer_add(&p, wanted + r, n);
		}
		assert_ok(sheaf_packer_finish(&p, &l, &err));
		sheaf_packer_drop(&p);
		assert_int_equal(l.rows, ROWS);
		assert_ok(sheaf_lengths_distrust(&l, UINT32_MAX, cx, &err));
		assert_true(l.bits.size <= (size_t)ROWS * width / 8 + 64);
		for (int64_t b = 0; b * SHEAF_LENGTHS_BLOCK < ROWS; b++) {
			int64_t row = b * SHEAF_LENGTHS_BLOCK,
					n = ROWS - row < SHEAF_LENGTHS_BLOCK ? ROWS - row : SHEAF_LENGTHS_BLOCK;
			assert_true(sheaf_lengths_is_sound(&l, b));
			sheaf_lengths_unpack(&l, row, n, found + row);
		}
		assert_memory_equal(wanted, found, ROWS * sizeof *wanted);
		sheaf_lengths_free(&l);
	}
	free(wanted);
	free(found);
}

/* ---- CNTK's chunks ---- */

/* A text of n sequences, with ids or by line, and the bytes of each. */
static size_t make_text(char *text, bool ids, size_t *bytes, int n)
{
	size_t used = 0;
	for (int i = 0; i < n; i++) {
		size_t before = used;
		int64_t lines = ids ? 1 + random_below(3) : 1;
		for (int64_t k = 0; k < lines; k++) {
			if (ids && (k == 0 || random_below(2))) used += (size_t)sprintf(text + used, "%d ", i * 7);
			used += (size_t)sprintf(text + used, "|A %.*s\n", (int)(1 + random_below(9)), "123456789");
		}
		bytes[i] = used - before;
	}
	return used;
}

/* A sequence goes into the current chunk if that is empty or still has room for all of it. */
static void test_pieces_of_text_are_chunks_of_cntk(void **state)
{
	(void)state;
	enum { SEQUENCES = 12 };
	char text[2000];
	size_t bytes[SEQUENCES];
	seed_random(31);
	for (int round = 0; round < 200; round++) {
		size_t size = make_text(text, round % 2, bytes, SEQUENCES), filled = 0;
		int64_t limit = 1 + random_below(60), piece = -1;
		sheaf_setting stream = {"stream", "A:1:dense"};
		sheaf_open_options options = {.size = sizeof options,
		                              .settings = &stream,
		                              .nsettings = 1,
		                              .piece_bytes = limit,
		                              .access = SHEAF_RANDOM};
		sheaf_dataset *dataset;
		const sheaf_pieces *pieces;
		assert_ok(open_bytes((sheaf_bytes){(const uint8_t *)text, size}, "x.ctf", &options, cx, &dataset));
		assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
		for (int64_t i = 0; i < SEQUENCES; i++) {
			bool opens = i == 0 || filled + bytes[i] > (size_t)limit;
			filled = opens ? bytes[i] : filled + bytes[i];
			piece += opens;
			assert_int_equal(sheaf_pieces_find(pieces, i), piece);
		}
		assert_int_equal(sheaf_pieces_count(pieces), piece + 1);
		sheaf_close(dataset);
	}
}

/* ---- rows that are skipped ---- */

/* The first frame after the skip begins with its row; at most a part of it was skipped. */
static void check_skip(const char *file, int64_t rows, int64_t skip, bool is_far)
{
	sheaf_dataset *d;
	const sheaf_frame *frame;
	int64_t seen = 0;
	sheaf_setting layout = {"format-string", "(int64,double)"};
	sheaf_open_options options = {
		.size = sizeof options, .settings = &layout, .nsettings = strstr(file, ".scidb") ? 1 : 0};
	assert_ok(sheaf_open(in_folder(file), &options, cx, &d, &err));
	assert_ok(sheaf_skip(d, skip, &err));
	for (sheaf_status status; (status = sheaf_next(d, &frame, &err)) != SHEAF_END;) {
		assert_ok(status);
		int64_t first = sheaf_dataset_row(d);
		if (seen == 0) assert_true(first <= skip && (!is_far || skip == rows || first > skip / 4));
		assert_true(seen == 0 || first == seen);
		for (int64_t r = 0; r < frame->nrows; r++)
			assert_int_equal(((const int64_t *)(const void *)frame->columns[0].values.data)[r], first + r);
		seen = first + frame->nrows;
	}
	assert_int_equal(seen, rows);
	sheaf_close(d);
}

static void test_skip_in_every_format(void **state)
{
	(void)state;
	static const char *const files[] = {"a.csv", "a.tsv", "a.npy", "a.scidb"};
	static const int64_t skips[] = {1, 90000, 131072, 199999, 200000};
	enum { ROWS = 200000 };
	char *text = malloc(ROWS * 24 + 16), *at = text;
	const char *input = strdup(in_folder("a.csv"));
	assert_non_null(text);
	at += sprintf(at, "a,b\n");
	for (int i = 0; i < ROWS; i++) at += sprintf(at, "%d,%d.5\n", i, i % 1000);
	write_text("a.csv", text);
	free(text);
	for (size_t f = 1; f < COUNT(files); f++)
		assert_ok(sheaf_convert(&input, 1, in_folder(files[f]), NULL, cx, &err));
	for (size_t f = 0; f < COUNT(files); f++)
		for (size_t s = 0; s < COUNT(skips); s++) check_skip(files[f], ROWS, skips[s], skips[s] > 100000);
	free((char *)(uintptr_t)input);
}

/* One chunk of some MiB, which is cut into parts: rows of a dense stream that begin with their number, and of
 * a sparse one of different lengths. */
static void make_long_chunk(int64_t rows)
{
	const char *input = strdup(in_folder("long.ctf"));
	FILE *f = fopen(input, "w");
	const sheaf_setting size = {"chunk-bytes", "1G"};
	const sheaf_convert_options options = {.size = sizeof options,
	                                       .open = &(sheaf_open_options){.settings = &size, .nsettings = 1}};
	assert_non_null(f);
	for (int64_t i = 0; i < rows; i++)
		fprintf(f, "|A %" PRId64 " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 |B %s99:1\n", i,
		        i % 3 ? "1:2 5:7 " : "");
	assert_int_equal(fclose(f), 0);
	assert_ok(sheaf_convert(&input, 1, in_folder("long.cbf"), &options, cx, &err));
	free((char *)(uintptr_t)input);
}

/* Rows after a skip, up to the end of the frame, are those of the file. */
static void check_long_chunk(int64_t skip, int64_t rows)
{
	sheaf_dataset *d;
	const sheaf_frame *frame;
	assert_ok(sheaf_open(in_folder("long.cbf"), NULL, cx, &d, &err));
	assert_ok(sheaf_skip(d, skip, &err));
	int64_t seen = 0;
	for (sheaf_status status; (status = sheaf_next(d, &frame, &err)) != SHEAF_END; seen += frame->nrows) {
		assert_ok(status);
		if (seen == 0) seen = sheaf_dataset_row(d);
		assert_int_equal(sheaf_dataset_row(d), seen);
		const float *values = (const float *)(const void *)frame->columns[0].values.data;
		for (int64_t r = 0; r < frame->nrows; r++) assert_int_equal((int64_t)values[20 * r], seen + r);
	}
	assert_int_equal(seen, rows);
	sheaf_close(d);
}

static void test_skip_into_a_long_chunk(void **state)
{
	(void)state;
	enum { ROWS = 60000 };
	static const int64_t skips[] = {1, 5000, 20000, 33333, ROWS - 1};
	make_long_chunk(ROWS);
	for (size_t i = 0; i < COUNT(skips); i++) check_long_chunk(skips[i], ROWS);
}

/* Reads a row after those before it are skipped. */
static sheaf_status read_from(const char *file, int64_t row)
{
	sheaf_dataset *d;
	sheaf_status status;
	const sheaf_frame *frame;
	assert_ok(sheaf_open(in_folder(file), NULL, cx, &d, &err));
	assert_ok(sheaf_skip(d, row, &err));
	do {
		status = sheaf_next(d, &frame, &err);
	} while (!status && sheaf_dataset_row(d) + frame->nrows <= row);
	sheaf_close(d);
	return status;
}

/* Skipped rows are not read, also those in the piece of the first row that is. */
static void test_errors_in_skipped_rows(void **state)
{
	(void)state;
	enum { ROWS = 30000, WRONG = 20000, LINE = 32 };
	static const struct {
		const char *file, *line, *wrong;
		sheaf_status status;
	} cases[] = {
		{"a.ctf", "|A %d 2 |B 3:1\n", "|A x 2 |B 3:1\n", SHEAF_DATA},
		{"a.svmlight", "1 1:%d 2:3\n", "1 x:1 2:3\n", SHEAF_DATA},
		{"a.jsonl", "{\"a\":%d,\"b\":1}\n", "{\"a\":x,\"b\":1}\n", SHEAF_OK}, /* no row, and passed over */
	};
	char *text = malloc((size_t)ROWS * LINE);
	assert_non_null(text);
	for (size_t c = 0; c < COUNT(cases); c++) {
		char *at = text;
		for (int i = 0; i < ROWS; i++) at += sprintf(at, i == WRONG ? cases[c].wrong : cases[c].line, i);
		write_text(cases[c].file, text);
		assert_status(cases[c].status, read_from(cases[c].file, WRONG));
		for (int64_t far = 1; far < 5000; far *= 3) assert_ok(read_from(cases[c].file, WRONG + far));
	}
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Lengths that cannot be checked are not believed. */
static void test_distrust_without_memory(void **state)
{
	(void)state;
	allocator memory = {0};
	sheaf_context_options options = options_with(&memory);
	sheaf_context *failing = context_with(&options);
	sheaf_lengths l = {.rows = 1000};
	memory.fail_at = memory.calls + 1;
	assert_status(SHEAF_NOMEM, sheaf_lengths_distrust(&l, 1, failing, &err));
	end_context(failing);
}

static const struct CMUnitTest tests[] = {
	TEST(test_pieces_of_text_are_chunks_of_cntk),
	TEST(test_skip_into_a_long_chunk),
	TEST(test_errors_in_skipped_rows),
	cmocka_unit_test(test_distrust_without_memory),
	TEST(test_text_with_ids),
	TEST(test_text_by_line),
	TEST(test_text_of_every_kind),
	TEST(test_chunks_are_pieces),
	TEST(test_compressed_input),
	TEST(test_input_that_passes_once),
	TEST(test_pieces_on_many_threads),
	TEST(test_findings_come_with_the_rows),
	TEST(test_calls_out_of_order),
	TEST(test_input_that_changes),
	TEST(test_lengths_of_every_width),
	TEST(test_skip_in_every_format),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
