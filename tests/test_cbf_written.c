/* SPDX-License-Identifier: MIT */
/* The binary format as it is written: every byte, sample counts, chunks, and what is lost. */
#include "base/endian.h"
#include "cbf_bytes.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path_of(const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", folder, name);
	return path;
}

static void put_file(const char *name, const char *text)
{
	char path[128];
	FILE *file = fopen(path_of(name, path), "wb");
	assert_non_null(file);
	assert_int_equal(strlen(text), fwrite(text, 1, strlen(text), file));
	assert_int_equal(0, fclose(file));
}

static void get_file(const char *name, bytes *b)
{
	char path[128];
	FILE *file = fopen(path_of(name, path), "rb");
	assert_non_null(file);
	b->n = fread(b->data, 1, sizeof b->data, file);
	assert_true(b->n < sizeof b->data);
	assert_int_equal(0, fclose(file));
}

static sheaf_status convert_piecewise(const char *from, const char *to, const char *options,
                                      int64_t piece_bytes, record *r)
{
	char in[128], out[128];
	settings s;
	const char *inputs[1] = {path_of(from, in)};
	read_settings(options, &s);
	unlink(path_of(to, out));
	sheaf_convert_options convert = {
		.size = sizeof convert,
		.open = &(sheaf_open_options){.settings = s.list, .nsettings = s.n, .piece_bytes = piece_bytes}};
	return sheaf_convert(inputs, 1, out, &convert, r->cx, &err);
}

static sheaf_status convert(const char *from, const char *to, const char *options, record *r)
{
	return convert_piecewise(from, to, options, 0, r);
}

static void write_from_text(const char *input, const char *options, bytes *out)
{
	record r;
	put_file("in.ctf", input);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert("in.ctf", "out.cbf", options, &r));
	get_file("out.cbf", out);
	end(&r);
}

static void assert_equal_bytes(const bytes *wanted, const bytes *found)
{
	assert_int_equal(wanted->n, found->n);
	assert_memory_equal(wanted->data, found->data, wanted->n);
}

/* The format's page shows 52 bytes with four samples and, by mistake, a count of 3. */
static void dense_example_of_the_page(void **state)
{
	static bytes found, wanted;
	(void)state;
	write_from_text("7 |features 0.1 0.2 0.3\n7 |features 0.4 0.5 0.6\n7 |features 0.7 0.8 0.9\n7 |features "
	                "1.0 1.1 1.2\n",
	                "features:3:dense", &found);
	prefix(&wanted);
	u32(&wanted, 4);
	size_t sequence = wanted.n;
	u32(&wanted, 4);
	for (int i = 1; i <= 12; i++) f32(&wanted, (float)(i / 10.0));
	assert_int_equal(52, wanted.n - sequence);
	u64(&wanted, MAGIC), u32(&wanted, 1), u32(&wanted, 1);
	stream_header(&wanted, 0, "features", 0, 3);
	chunk_header(&wanted, 12, 1, 4);
	u64(&wanted, sequence + 52);
	assert_equal_bytes(&wanted, &found);
}

static void sparse_example_of_the_page(void **state)
{
	static const uint32_t indices[] = {123, 456, 789, 99, 999};
	static bytes found, wanted;
	(void)state;
	write_from_text("7 |features 123:0.1 456:0.2 789:0.3\n7 |features 99:0.4 999:0.5\n",
	                "features:1000:sparse:double", &found);
	prefix(&wanted);
	u32(&wanted, 2);
	size_t sequence = wanted.n;
	u32(&wanted, 2), u32(&wanted, 5);
	for (int i = 1; i <= 5; i++) f64(&wanted, i / 10.0);
	for (size_t i = 0; i < COUNT(indices); i++) u32(&wanted, indices[i]);
	u32(&wanted, 3), u32(&wanted, 2);
	assert_int_equal(76, wanted.n - sequence);
	u64(&wanted, MAGIC), u32(&wanted, 1), u32(&wanted, 1);
	stream_header(&wanted, 1, "features", 1, 1000);
	chunk_header(&wanted, 12, 1, 2);
	u64(&wanted, sequence + 76);
	assert_equal_bytes(&wanted, &found);
}

static void sample_is_written_as_it_stands(void **state)
{
	static bytes found, wanted;
	(void)state;
	write_from_text("0 |A 1 2 |B 1:0.5 9:1.5\n0 |A 3 4\n1 |A 5 6 |B\n2 |A 7 8 |B 0:2.5\n",
	                "A:2:dense B:10:sparse -chunk-bytes=80", &found);
	make_sample(&wanted);
	assert_equal_bytes(&wanted, &found);
}

static void empty_samples_and_streams_are_kept(void **state)
{
	static bytes found;
	static char rows[1024];
	record r;
	(void)state;
	write_from_text("0 |A 1 |B\n0 |A\n1 |A 2\n", "A:1:dense B:10:sparse -allow=missing", &found);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, read_binary(&found, "", 0, &r, rows, sizeof rows));
	assert_string_equal("{\"key\":0,\"streams\":{\"A\":[[1],[0]],\"B\":[[]]}}\n{\"key\":1,\"streams\":{\"A\":"
	                    "[[2]],\"B\":[]}}\n",
	                    rows);
	end(&r);
}

/* Stored order unless sorted; then stable, so the two values of index 5 keep their order. */
static void indices_are_sorted_on_request(void **state)
{
	static const char input[] = "|B 5:1 3:2 5:3 0:4 9:5\n|B 1:1\n|B 7:2 6:2 5:2\n";
	static bytes found;
	static char rows[1024];
	record r;
	(void)state;
	begin(&r, (sheaf_context_options){0});
	write_from_text(input, "B:10:sparse", &found);
	assert_int_equal(SHEAF_OK, read_binary(&found, "", 0, &r, rows, sizeof rows));
	assert_non_null(strstr(rows, "[[[5,1],[3,2],[5,3],[0,4],[9,5]]]"));
	assert_non_null(strstr(rows, "[[[7,2],[6,2],[5,2]]]"));
	write_from_text(input, "B:10:sparse -sort-indices", &found);
	assert_int_equal(SHEAF_OK, read_binary(&found, "", 0, &r, rows, sizeof rows));
	assert_non_null(strstr(rows, "[[[0,4],[3,2],[5,1],[5,3],[9,5]]]"));
	assert_non_null(strstr(rows, "[[[5,2],[6,2],[7,2]]]"));
	end(&r);
}

static void samples_are_sorted_apart(void **state)
{
	static bytes found;
	static char rows[1024];
	record r;
	(void)state;
	write_from_text("3 |B 5:1 3:2\n3 |B\n3 |B 4:1 0:2 2:3\n", "B:10:sparse -sort-indices", &found);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, read_binary(&found, "", 0, &r, rows, sizeof rows));
	assert_non_null(strstr(rows, "\"B\":[[[3,2],[5,1]],[],[[0,2],[2,3],[4,1]]]"));
	end(&r);
}

/* ---- sample counts ---- */

static void check_counts(const char *options, const uint32_t counts[3], int warnings, const char *message)
{
	static bytes found;
	record r;
	char all[200];
	snprintf(all, sizeof all, "A:1:dense B:10:sparse %s", options);
	write_from_text("0 |A 1 |B 1:1\n0 |A 2\n0 |A 3\n1 |A 1 |B 1:1\n1 |B 2:1\n2 |A 1 |B\n", all, &found);
	for (int i = 0; i < 3; i++) assert_int_equal(counts[i], sheaf_load_u32le(found.data + 12 + 4 * i));
	begin(&r, (sheaf_context_options){.validate = true});
	assert_int_equal(SHEAF_OK, read_binary(&found, "", 0, &r, NULL, 0));
	assert_int_equal(warnings, r.n);
	if (message) assert_string_equal(message, r.found[0].text);
	end(&r);
}

static void main_stream_gives_the_sample_counts(void **state)
{
	(void)state;
	check_counts("", (const uint32_t[]){3, 2, 1}, 0, NULL);
	check_counts("-main-stream=A", (const uint32_t[]){3, 1, 1}, 1,
	             "x.cbf: stream \"A\": expected the sample counts of sequences to be those of the largest "
	             "stream, found those of this stream; --main-stream keeps them in a copy");
	check_counts("-main-stream=B", (const uint32_t[]){1, 2, 1}, 1,
	             "x.cbf: stream \"B\": expected the sample counts of sequences to be those of the largest "
	             "stream, found those of this stream; --main-stream keeps them in a copy");
}

/* ---- chunks ---- */

/* Where the chunks of a file begin: numbers of their first sequences. */
static int read_chunks(const bytes *b, int64_t *first, int most)
{
	size_t header = (size_t)sheaf_load_u64le(b->data + b->n - 8);
	uint32_t n = sheaf_load_u32le(b->data + header + 8);
	int64_t row = 0;
	assert_true((int)n <= most);
	for (uint32_t i = 0; i < n; i++) {
		first[i] = row;
		row += sheaf_load_u32le(b->data + b->n - 8 - 16 * (size_t)(n - i) + 8);
	}
	return (int)n;
}

enum { ROWS = 60 };

/* Row i has a dense stream of n(i) samples of one float: 4 bytes for its count in the chunk, 4 for that of
 * the stream, 4 a sample. */
static int64_t samples_of(int i) { return 1 + (i * 7) % 5 + (i % 11 == 0 ? 20 : 0); }

static void make_rows(char *text)
{
	char *at = text;
	for (int i = 0; i < ROWS; i++)
		for (int64_t k = 0; k < samples_of(i); k++) at += sprintf(at, "%d |A %" PRId64 "\n", i, k);
}

static void check_chunks(int64_t chunk_bytes, int64_t piece_bytes)
{
	static bytes found;
	int64_t first[ROWS], wanted[ROWS], before = 0, number = 0;
	int n = 0;
	char options[64];
	record r;
	int64_t b = chunk_bytes ? chunk_bytes : 1;
	for (int i = 0; i < ROWS; i++) {
		if (i == 0 || before / b > number) wanted[n++] = i;
		number = before / b;
		before += 8 + 4 * samples_of(i);
	}
	snprintf(options, sizeof options, "A:1:dense -chunk-bytes=%" PRId64, chunk_bytes);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert_piecewise("in.ctf", "out.cbf", options, piece_bytes, &r));
	end(&r);
	get_file("out.cbf", &found);
	assert_int_equal(n, read_chunks(&found, first, ROWS));
	assert_memory_equal(wanted, first, (size_t)n * sizeof *first);
}

/* Sequence i > 0 opens a chunk iff floor(s(i)/B) > floor(s(i-1)/B), s being the bytes of all before. */
static void chunks_open_where_the_bytes_before_cross_a_multiple(void **state)
{
	static const int64_t sizes[] = {0, 1, 12, 16, 30, 100, 128, 1000, 1 << 20};
	static char text[1 << 15];
	(void)state;
	make_rows(text);
	put_file("in.ctf", text);
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (int64_t piece = 1; piece < 4000; piece *= 9) check_chunks(sizes[i], piece);
}

static void chunk_bytes_zero_and_one_give_each_sequence_a_chunk(void **state)
{
	static bytes found;
	int64_t first[4];
	(void)state;
	for (int size = 0; size < 2; size++) {
		write_from_text("|A 1\n|A 2\n|A 3\n", size ? "A:1:dense -chunk-bytes=1" : "A:1:dense -chunk-bytes=0",
		                &found);
		assert_int_equal(3, read_chunks(&found, first, 4));
	}
	write_from_text("|A 1\n|A 2\n|A 3\n", "A:1:dense", &found);
	assert_int_equal(1, read_chunks(&found, first, 4));
}

/* ---- there and back ---- */

static void text_comes_back_equal(void **state)
{
	static const char text[] = "0 |A 0.1 2 |B 5:1 3:0 5:2\n0 |A 1e30 -0\n1 |A 1 1 |B\n";
	static bytes found;
	record r;
	(void)state;
	put_file("in.ctf", text);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert("in.ctf", "out.cbf", "A:2:dense B:10:sparse", &r));
	assert_int_equal(SHEAF_OK, convert("out.cbf", "again.ctf", "", &r));
	get_file("again.ctf", &found);
	assert_int_equal(sizeof text - 1, found.n);
	assert_memory_equal(text, found.data, found.n);
	assert_int_equal(0, r.n);
	end(&r);
}

static void bytes_come_back_equal(void **state)
{
	static char text[1 << 15];
	static bytes before, after;
	record r;
	(void)state;
	make_rows(text);
	write_from_text(text, "A:1:dense -chunk-bytes=100", &before);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert("out.cbf", "again.ctf", "", &r));
	assert_int_equal(SHEAF_OK, convert("again.ctf", "out.cbf", "A:1:dense -chunk-bytes=100", &r));
	get_file("out.cbf", &after);
	assert_equal_bytes(&before, &after);
	assert_int_equal(SHEAF_OK, convert("out.cbf", "again.cbf", "-chunk-bytes=100", &r));
	get_file("again.cbf", &after);
	assert_equal_bytes(&before, &after);
	end(&r);
}

static void keys_become_positions_with_one_warning(void **state)
{
	char message[300];
	record r;
	(void)state;
	put_file("in.ctf", "0 |A 1\n5 |A 2\n9 |A 3\n");
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert("in.ctf", "out.cbf", "A:1:dense", &r));
	assert_int_equal(1, r.n);
	assert_string_equal("keys become positions", r.found[0].rule);
	assert_int_equal(SHEAF_WARNING, r.found[0].severity);
	snprintf(message, sizeof message,
	         "%s/out.cbf: sequence 1: expected key 1, found key 5; keys become positions", folder);
	assert_string_equal(message, r.found[0].text);
	end(&r);
}

/* ---- element types ---- */

static void precision_makes_types_one(void **state)
{
	static bytes found;
	record r;
	char message[300];
	(void)state;
	put_file("in.ctf", "|A 0.1 |B 1:0.1\n");
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert("in.ctf", "out.cbf", "A:1:dense:double B:10:sparse", &r));
	snprintf(message, sizeof message,
	         "%s/out.cbf: expected one element type in all streams, found float and double streams, which "
	         "CNTK's reader refuses; --out-element-type makes them one",
	         folder);
	assert_int_equal(1, r.n);
	assert_string_equal(message, r.found[0].text);
	r.n = 0;
	assert_int_equal(SHEAF_OK, convert("out.cbf", "again.cbf", "-out-element-type=double", &r));
	assert_int_equal(0, r.n);
	get_file("again.cbf", &found);
	size_t header = (size_t)sheaf_load_u64le(found.data + found.n - 8);
	assert_int_equal(1, found.data[header + 16 + 6]);
	assert_int_equal(1, found.data[header + 16 + 11 + 6]);
	end(&r);
}

/* 0.1 is not a float32: rounding it is a loss. */
static void narrower_values_are_loss(void **state)
{
	record r;
	(void)state;
	put_file("in.ctf", "|A 0.1\n");
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert("in.ctf", "out.cbf", "A:1:dense:double", &r));
	assert_int_equal(SHEAF_LOSS, convert("out.cbf", "again.cbf", "-out-element-type=float", &r));
	end(&r);
}

static void check_refusal(const char *input, const char *options, sheaf_status wanted, const char *message)
{
	char path[128];
	record r;
	put_file("in.ctf", input);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(wanted, convert("in.ctf", "out.cbf", options, &r));
	assert_non_null(strstr(err.message, message));
	assert_int_not_equal(0, access(path_of("out.cbf", path), F_OK));
	end(&r);
}

static void what_cannot_be_stored_is_refused(void **state)
{
	(void)state;
	check_refusal("|B 1:1\n", "B:2147483648:sparse", SHEAF_UNSUPPORTED,
	              "stream \"B\": expected a dim from 1 to 2147483647, found 2147483648");
	check_refusal("|A 1\n", "A:1:dense -alias=A=x", SHEAF_USAGE,
	              "--alias: expected an option that ctf uses for reading or cbf for writing, found one that "
	              "neither uses");
}

/* ---- all of them ---- */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dense_example_of_the_page),
		cmocka_unit_test(sparse_example_of_the_page),
		cmocka_unit_test(sample_is_written_as_it_stands),
		cmocka_unit_test(empty_samples_and_streams_are_kept),
		cmocka_unit_test(indices_are_sorted_on_request),
		cmocka_unit_test(samples_are_sorted_apart),
		cmocka_unit_test(main_stream_gives_the_sample_counts),
		cmocka_unit_test(chunks_open_where_the_bytes_before_cross_a_multiple),
		cmocka_unit_test(chunk_bytes_zero_and_one_give_each_sequence_a_chunk),
		cmocka_unit_test(text_comes_back_equal),
		cmocka_unit_test(bytes_come_back_equal),
		cmocka_unit_test(keys_become_positions_with_one_warning),
		cmocka_unit_test(precision_makes_types_one),
		cmocka_unit_test(narrower_values_are_loss),
		cmocka_unit_test(what_cannot_be_stored_is_refused),
	};
	return cmocka_run_group_tests_name("cbf_written", tests, make_folder, remove_folder);
}
