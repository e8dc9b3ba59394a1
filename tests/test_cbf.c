/* SPDX-License-Identifier: MIT */
/* The binary format as it is read: what each message says and where it points, views, parts of long chunks.
 * test_cbf_written.c is about the writer. Files with one rule each are in tests/files/cbf. */
#include "base/endian.h"
#include "cbf_bytes.h"
#include "format/cbf/cbf.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sample_is_read_and_valid(void **state)
{
	static char rows[4096];
	static bytes b;
	record r;
	(void)state;
	make_sample(&b);
	begin(&r, (sheaf_context_options){.validate = true});
	assert_int_equal(SHEAF_OK, read_binary(&b, "", 0, &r, rows, sizeof rows));
	assert_string_equal(sample_rows, rows);
	assert_int_equal(0, r.n);
	end(&r);
}

/* ---- messages ---- */

/* A change of the sample: `size` bytes at `at` become `value`; size 0: the file is cut (at < SIZE) or
 * grows. */
typedef struct change {
	int64_t at;
	int size;
	int64_t value;
} change;

typedef struct flaw {
	change changes[3];
	sheaf_severity severity;
	const char *rule; /* NULL: the file cannot be opened */
	const char *message;
	int64_t chunk, row, byte; /* place of a finding; -1: none */
	const char *stream;
	sheaf_status status;
} flaw;

#define OPEN(message, ...) {{__VA_ARGS__}, SHEAF_FATAL, NULL, "x.cbf" message, -1, -1, -1, "", SHEAF_DATA}
#define FOUND(severity, rule, chunk, row, stream, byte, message, ...) \
	{{__VA_ARGS__}, severity, rule, "x.cbf" message, chunk, row, byte, stream, SHEAF_DATA}

static const flaw flaws[] = {
	/* prefix */
	OPEN(" (byte 0): expected the magic number 0x636e746b5f62696e, found 0x636e746b5f626900", {0, 1, 0}),
	OPEN(" (byte 0): expected the magic number in little-endian order (\"nib_ktnc\"), found it in big-endian "
         "order",
         {0, 4, 0x6b746e63}, {4, 4, 0x6e69625f}),
	{{{8, 4, 2}},
     SHEAF_FATAL,
     NULL,
     "x.cbf (byte 8): expected version 1, found version 2",
     -1,
     -1,
     -1,
     "",
     SHEAF_UNSUPPORTED},
	{{{0, 0, 0}},
     SHEAF_FATAL,
     NULL,
     "x.cbf: expected at least 36 bytes (prefix, header and header offset), found 0",
     -1,
     -1,
     -1,
     "",
     SHEAF_SHORT},
	{{{11, 0, 0}},
     SHEAF_FATAL,
     NULL,
     "x.cbf: expected at least 36 bytes (prefix, header and header offset), found 11",
     -1,
     -1,
     -1,
     "",
     SHEAF_SHORT},
	{{{35, 0, 0}},
     SHEAF_FATAL,
     NULL,
     "x.cbf: expected at least 36 bytes (prefix, header and header offset), found 35",
     -1,
     -1,
     -1,
     "",
     SHEAF_SHORT},
	/* header */
	OPEN(" (byte 198): expected the header's offset, from 12 to 182, in the last 8 bytes, found 11 (is the "
         "file cut off, or has it grown?)",
         {198, 8, 11}),
	OPEN(" (byte 198): expected the header's offset, from 12 to 182, in the last 8 bytes, found -1 (is the "
         "file cut off, or has it grown?)",
         {198, 8, -1}),
	OPEN(" (byte 198): expected the header's offset, from 12 to 182, in the last 8 bytes, found 183 (is the "
         "file cut off, or has it grown?)",
         {198, 8, 183}),
	OPEN(" (byte 128): expected the magic number 0x636e746b5f62696e at the start of the header, found "
         "0x636e746b5f626900",
         {128, 1, 0}),
	OPEN(" (byte 140): expected at least 1 stream, found 0", {140, 4, 0}),
	OPEN(" (byte 140): expected room for the stream headers, 655360 bytes, found 58", {140, 4, 65536}),
	OPEN(" (byte 166): expected a table of 3 chunks, 48 bytes up to the header offset, found 32 bytes",
         {136, 4, 3}),
	OPEN(" (byte 166): expected a table of 1 chunks, 16 bytes up to the header offset, found 32 bytes",
         {136, 4, 1}),
	/* stream headers */
	OPEN(" (byte 144): expected storage type 0 (dense) or 1 (sparse), found 2", {144, 1, 2}),
	OPEN(" (byte 150): expected element type 0 (float) or 1 (double), found 255", {150, 1, 255}),
	OPEN(" (byte 151): expected a sample dim of at least 1, found 0", {151, 4, 0}),
	OPEN(" (byte 162): expected a sparse sample dim of at most 2147483647, found 4294967295", {162, 4, -1}),
	OPEN(" (byte 149): expected a stream name without NUL bytes, found one in 1 bytes", {149, 1, 0}),
	OPEN(" (byte 160): expected each stream name once, found \"A\" twice", {160, 1, 'A'}),
	OPEN(" (byte 145): expected room for the stream name, 4294967295 bytes, found 53", {145, 4, -1}),
	/* chunk table */
	OPEN(" (byte 166): expected chunk 0 to begin from byte 12 to byte 128, found offset 11", {166, 8, 11}),
	OPEN(" (byte 166): expected chunk 0 to begin from byte 12 to byte 128, found offset -9223372036854775808",
         {166, 8, INT64_MIN}),
	OPEN(" (byte 182): expected chunk 1 to begin from byte 12 to byte 128, found offset 129", {182, 8, 129}),
	OPEN(" (byte 182): expected chunk 1 to begin from byte 12 to byte 128, found offset 11", {182, 8, 11}),
	OPEN(" (byte 174): expected chunk 0 to have at most 5 sequences in its 80 bytes, found 6", {174, 4, 6}),
	OPEN(" (byte 190): expected chunk 1 to have at most 2 sequences in its 36 bytes, found 4294967295",
         {190, 4, -1}),
	/* sequences */
	FOUND(SHEAF_FATAL, "sequence beyond its chunk", 0, 1, "A", 44,
          ": chunk 0, sequence 1, stream \"A\", byte 44: expected room for the values, 56 bytes, found 48 to "
          "the end of the chunk",
          {40, 4, 7}),
	FOUND(SHEAF_FATAL, "sequence beyond its chunk", 1, 2, "A", 100,
          ": chunk 1, sequence 2, stream \"A\", byte 100: expected room for the values, 34359738360 bytes, "
          "found 28 to the end of the chunk",
          {96, 4, -1}),
	FOUND(SHEAF_FATAL, "sequence beyond its chunk", 1, 2, "B", 116,
          ": chunk 1, sequence 2, stream \"B\", byte 116: expected room for the values, 16 bytes, found 12 "
          "to the end of the chunk",
          {112, 4, 4}),
	FOUND(SHEAF_FATAL, "sequence beyond its chunk", 1, 2, "B", 124,
          ": chunk 1, sequence 2, stream \"B\", byte 124: expected room for the indices, 8 bytes, found 4 to "
          "the end of the chunk",
          {112, 4, 2}),
	FOUND(SHEAF_FATAL, "sequence beyond its chunk", 1, 2, "B", 124,
          ": chunk 1, sequence 2, stream \"B\", byte 124: expected room for the non-zeros of each sample, 8 "
          "bytes, found 4 to the end of the chunk",
          {108, 4, 2}),
	FOUND(SHEAF_FATAL, "negative count", 0, 0, "B", 56,
          ": chunk 0, sequence 0, stream \"B\", byte 56: expected a number of non-zeros of at least 0, found "
          "-1",
          {56, 4, -1}),
	FOUND(SHEAF_FATAL, "negative count", 1, 2, "B", 124,
          ": chunk 1, sequence 2, stream \"B\", byte 124: expected a number of non-zeros of at least 0, "
          "found -2147483648",
          {124, 4, INT32_MIN}),
	FOUND(SHEAF_FATAL, "sum of non-zeros", 0, 0, "B", 76,
          ": chunk 0, sequence 0, stream \"B\", byte 76: expected non-zeros of the samples that sum to 2, "
          "found 3",
          {76, 4, 3}),
	FOUND(SHEAF_FATAL, "index range", 0, 0, "B", 72,
          ": chunk 0, sequence 0, stream \"B\", byte 72: expected an index below 10, found 10", {72, 4, 10}),
	FOUND(SHEAF_FATAL, "index range", 1, 2, "B", 120,
          ": chunk 1, sequence 2, stream \"B\", byte 120: expected an index below 10, found -1",
          {120, 4, -1}),
	FOUND(SHEAF_FATAL, "bytes after the last sequence", 1, -1, "", 116,
          ": chunk 1, byte 116: expected the chunk to end with its 1 sequences, found 12 bytes more",
          {108, 4, 0}, {112, 4, 0}),
	FOUND(SHEAF_ERROR, "sum of sample counts", 0, -1, "", 12,
          ": chunk 0, byte 12: expected sample counts that sum to 9, as in the chunk table, found 3",
          {178, 4, 9}),
	FOUND(SHEAF_ERROR, "sum of sample counts", 1, -1, "", 92,
          ": chunk 1, byte 92: expected sample counts that sum to 0, as in the chunk table, found 1",
          {194, 4, 0}),
	FOUND(SHEAF_BREACH, "unused bytes", 0, -1, "", 12,
          ": chunk 0, byte 12: expected the first chunk at byte 12, found it at byte 92; the bytes between "
          "are not read",
          {166, 8, 92}, {174, 8, 0}),
	FOUND(SHEAF_BREACH, "unused bytes", 0, -1, "", 12,
          ": chunk 0, byte 12: expected the first chunk at byte 12, found it at byte 92; the bytes between "
          "are not read",
          {166, 8, 92}, {174, 8, 0}),
	/* the whole file */
	FOUND(SHEAF_BREACH, "name beyond ASCII", -1, -1, "", 149,
          " (byte 149): expected a stream name of ASCII characters, found \"\\xe9\"", {149, 1, 0xe9}),
	FOUND(SHEAF_BREACH, "name beyond ASCII", -1, -1, "", 149,
          " (byte 149): expected a stream name of ASCII characters, found \"\\xe9\"", {149, 1, 0xe9}),
	FOUND(SHEAF_BREACH, "sample counts of no stream", -1, -1, "", -1,
          ": expected the sample counts of sequences to be those of the largest stream or of one stream "
          "throughout, found counts that are neither; the streams' own counts "
          "are used",
          {92, 4, 5}, {194, 4, 5}),
	FOUND(SHEAF_WARNING, "sample counts of one stream", -1, -1, "B", -1,
          ": stream \"B\": expected the sample counts of sequences to be those of the largest stream, found "
          "those of this stream; --main-stream keeps them in a copy",
          {12, 4, 1}, {178, 4, 2}),
	FOUND(SHEAF_NOTE, "indices not ascending", -1, -1, "B", -1,
          ": stream \"B\": expected indices that ascend in each sample, found 1 samples with others",
          {68, 4, 9}),
};

static void apply(const flaw *f, bytes *b)
{
	make_sample(b);
	for (size_t i = 0; i < COUNT(f->changes); i++) {
		const change *c = &f->changes[i];
		uint8_t le[8];
		sheaf_store_u64le(le, (uint64_t)c->value);
		memcpy(b->data + c->at, le, (size_t)c->size);
		if (i == 0 && c->size == 0) b->n = (size_t)c->at;
	}
}

static void check_validating(const flaw *f, const bytes *b, int64_t piece_bytes)
{
	record r;
	begin(&r, (sheaf_context_options){.validate = true});
	sheaf_status status = read_binary(b, "", piece_bytes, &r, NULL, 0);
	if (!f->rule) {
		assert_int_equal(f->status, status);
		assert_string_equal(f->message, err.message);
		end(&r);
		return;
	}
	assert_int_equal(SHEAF_OK, status);
	int i = 0;
	while (i < r.n && strcmp(r.found[i].rule, f->rule) != 0) i++;
	assert_true(i < r.n);
	assert_string_equal(f->message, r.found[i].text);
	assert_int_equal(f->severity, r.found[i].severity);
	assert_string_equal(f->stream, r.found[i].stream);
	assert_int_equal(f->chunk, r.found[i].place.chunk);
	assert_int_equal(f->row, r.found[i].place.row);
	assert_int_equal(f->byte, r.found[i].place.byte);
	end(&r);
}

/* Anything worse than a breach stops the reading with the same message. */
static void check_reading(const flaw *f, const bytes *b)
{
	record r;
	begin(&r, (sheaf_context_options){0});
	sheaf_status status = read_binary(b, "", 0, &r, NULL, 0);
	assert_int_equal(f->severity >= SHEAF_ERROR ? f->status : SHEAF_OK, status);
	if (status) assert_true(strncmp(f->message, err.message, strlen(f->message)) == 0);
	if (!status && f->severity > SHEAF_NOTE) assert_string_equal(f->message, r.found[0].text);
	end(&r);
}

static void message_points_at_the_flaw(void **state)
{
	static bytes b;
	const flaw *f = (const flaw *)*state;
	apply(f, &b);
	check_validating(f, &b, 0);
	check_validating(f, &b, 1);
	check_reading(f, &b);
}

/* No single changed byte makes the reader crash: the file is read, or refused with the right reason. */
static void any_byte_may_change(void **state)
{
	static bytes b;
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	(void)state;
	for (int64_t at = 0; at < SIZE; at++)
		for (size_t v = 0; v < COUNT(values); v++) {
			record r;
			make_sample(&b);
			b.data[at] = values[v];
			begin(&r, (sheaf_context_options){.max_memory = 1 << 24});
			sheaf_status status = read_binary(&b, "", 1, &r, NULL, 0);
			assert_true(status == SHEAF_OK || status == SHEAF_DATA || status == SHEAF_UNSUPPORTED);
			assert_true(status == SHEAF_OK || strncmp(err.message, "x.cbf", 5) == 0);
			end(&r);
		}
}

/* A file that is cut anywhere is refused. */
static void any_cut_is_refused(void **state)
{
	static bytes b;
	(void)state;
	for (size_t n = 0; n < SIZE; n++) {
		record r;
		make_sample(&b);
		b.n = n;
		begin(&r, (sheaf_context_options){0});
		assert_int_equal(n < 36 ? SHEAF_SHORT : SHEAF_DATA, read_binary(&b, "", 0, &r, NULL, 0));
		end(&r);
	}
}

/* ---- names ---- */

static void check_open(const char *options, sheaf_status wanted, const char *message)
{
	static bytes b;
	record r;
	sheaf_dataset *dataset;
	make_sample(&b);
	begin(&r, (sheaf_context_options){0});
	sheaf_status status = open_binary(&b, options, 0, &r, &dataset);
	assert_int_equal(wanted, status);
	if (status == SHEAF_OK) sheaf_close(dataset);
	if (message) assert_string_equal(message, status ? err.message : r.n ? r.found[0].text : "nothing");
	end(&r);
}

static void declarations_are_held_against_the_file(void **state)
{
	(void)state;
	check_open("A:2:dense:float B:10:sparse:float", SHEAF_OK, "nothing");
	check_open("A:3:dense", SHEAF_DATA, "x.cbf: stream \"A\": expected dim 3, found 2");
	check_open("A:sparse", SHEAF_DATA, "x.cbf: stream \"A\": expected sparse storage, found dense");
	check_open("B:double", SHEAF_DATA, "x.cbf: stream \"B\": expected float64, found float32");
	check_open("X:alias=Y", SHEAF_USAGE, "--stream: expected a stream of x.cbf, found \"Y\"; it has A, B");
	check_open(
		"B:alias=A", SHEAF_USAGE,
		"--stream B:alias=A: expected a new name that no other stream has, found one that stream 1 has");
	check_open("-sort-indices", SHEAF_USAGE,
	           "--sort-indices: expected an option that format cbf uses for reading, found one that it does "
	           "not use");
}

static void alias_renames_a_stream(void **state)
{
	static bytes b;
	static char rows[4096];
	record r;
	(void)state;
	make_sample(&b);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, read_binary(&b, "words:alias=B", 0, &r, rows, sizeof rows));
	assert_non_null(strstr(rows, "{\"key\":2,\"streams\":{\"A\":[[7,8]],\"words\":[[[0,2.5]]]}}\n"));
	end(&r);
}

/* ---- views ---- */

static bool is_within(const sheaf_buffer *buffer, const bytes *b)
{
	return buffer->data >= b->data && buffer->data < b->data + b->n;
}

/* One sequence a chunk: aligned values are used in place, others are copied. */
static void single_sequences_are_views(void **state)
{
	static bytes b;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	record r;
	(void)state;
	make_sample(&b);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, open_binary(&b, "", 0, &r, &dataset));
	assert_int_equal(SHEAF_OK, sheaf_next(dataset, &frame, &err));
	assert_int_equal(2, frame->nrows);
	assert_false(is_within(&frame->columns[0].values, &b));
	assert_int_equal(SHEAF_OK, sheaf_next(dataset, &frame, &err));
	assert_int_equal(1, frame->nrows);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ /* as the file; other machines turn the bytes of a copy */
	assert_ptr_equal(b.data + 100, frame->columns[0].values.data);
	assert_ptr_equal(b.data + 116, frame->columns[1].values.data);
	assert_ptr_equal(b.data + 120, frame->columns[1].levels[1].indices[0].data);
#endif
	sheaf_close(dataset);
	end(&r);
}

static void put_double_chunk(bytes *b, uint32_t padding_sequences)
{
	prefix(b);
	u32(b, 1);
	for (uint32_t i = 0; i < padding_sequences; i++) u32(b, 0);
	u32(b, 1), f64(b, 0.1);
	uint64_t header = b->n;
	u64(b, MAGIC), u32(b, 1), u32(b, 1);
	stream_header(b, 0, "A", 1, 1);
	chunk_header(b, 12, 1, 1);
	u64(b, header);
}

static void unaligned_doubles_are_copied(void **state)
{
	static bytes b;
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	record r;
	(void)state;
	put_double_chunk(&b, 0);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, open_binary(&b, "", 0, &r, &dataset));
	assert_int_equal(SHEAF_OK, sheaf_next(dataset, &frame, &err));
	assert_false(is_within(&frame->columns[0].values, &b));
	assert_int_equal(0, (uintptr_t)frame->columns[0].values.data % 8);
	double value;
	memcpy(&value, frame->columns[0].values.data, sizeof value);
	assert_true(value == 0.1);
	sheaf_close(dataset);
	end(&r);
}

/* ---- sequences of a sparse stream at once ---- */

/* Two sequences, the second one of two samples; `index` is the last one. */
static void put_run(bytes *b, uint32_t index)
{
	b->n = 0;
	u32(b, 1), u32(b, 2);
	u32(b, 1), u32(b, 2), f32(b, 0.5F), f32(b, 1.5F), u32(b, 3), u32(b, 9), u32(b, 2);
	u32(b, 2), u32(b, 1), f32(b, 2.5F), u32(b, index), u32(b, 0), u32(b, 1);
}

/* Only where numbers are stored as in memory. */
static void sound_sequences_are_taken_at_once(void **state)
{
	enum { LISTS, ENTRIES, INDICES, VALUES, BUILDERS };
	static bytes b;
	sheaf_cbf_shape shape = {.sparse = true, .size = 4, .dim = 10};
	sheaf_context *cx = usual_context();
	(void)state;
	for (uint32_t index = 9; index < 11 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; index++) {
		uint32_t largest[2] = {0};
		sheaf_builder to[BUILDERS];
		put_run(&b, index);
		for (int i = 0; i < BUILDERS; i++) sheaf_builder_begin(&to[i], cx, NULL);
		sheaf_cbf_run run = {.shape = &shape,
		                     .at = b.data + 8,
		                     .end = b.data + b.n,
		                     .counts = b.data,
		                     .sequences = 2,
		                     .largest = largest,
		                     .to.lists = &to[LISTS],
		                     .to.entries = &to[ENTRIES],
		                     .to.indices = &to[INDICES],
		                     .to.values = &to[VALUES]};
		assert_int_equal(sheaf_cbf_take_run(&run), index < shape.dim);
		if (index < shape.dim) {
			assert_ptr_equal(run.at, run.end);
			assert_int_equal(run.differs, 0);
			assert_memory_equal(largest, ((uint32_t[]){1, 2}), 8);
			assert_memory_equal(to[LISTS].data, ((int64_t[]){1, 3}), 16);
			assert_memory_equal(to[ENTRIES].data, ((int64_t[]){2, 2, 3}), 24);
			assert_memory_equal(to[INDICES].data, ((uint32_t[]){3, 9, 9}), 12);
			assert_memory_equal(to[VALUES].data, ((float[]){0.5F, 1.5F, 2.5F}), 12);
		}
		for (int i = 0; i < BUILDERS; i++) {
			if (index >= shape.dim) assert_int_equal(to[i].size, 0);
			sheaf_builder_drop(&to[i]);
		}
	}
	end_context(cx);
}

/* ---- long chunks ---- */

enum { LONG_SEQUENCES = 200, LONG_CHUNKS = 3 };

/* A chunk of 200 sequences; sequence i has i % 3 samples in A, and one of i % 4 non-zeros in B. `bad`: a
 * sequence whose last index is 99; -1: none. Returns its samples. */
static uint32_t put_long(bytes *b, int bad)
{
	uint32_t samples = 0;
	for (uint32_t i = 0; i < LONG_SEQUENCES; i++) u32(b, i % 3 ? i % 3 : 1), samples += i % 3 ? i % 3 : 1;
	for (uint32_t i = 0; i < LONG_SEQUENCES; i++) {
		u32(b, i % 3);
		for (uint32_t k = 0; k < i % 3; k++) f32(b, (float)(i * 10 + k));
	}
	for (uint32_t i = 0; i < LONG_SEQUENCES; i++) {
		u32(b, 1), u32(b, i % 4);
		for (uint32_t k = 0; k < i % 4; k++) f32(b, (float)k + 0.5F);
		for (uint32_t k = 0; k < i % 4; k++) u32(b, (int)i == bad && k + 1 == i % 4 ? 99 : k * 3);
		u32(b, i % 4);
	}
	return samples;
}

/* Chunks of 200 sequences; `bad` is one of the first chunk. */
static void make_long(bytes *b, int bad)
{
	uint32_t samples = 0;
	uint64_t begins[LONG_CHUNKS];
	prefix(b);
	for (int k = 0; k < LONG_CHUNKS; k++) {
		begins[k] = b->n;
		samples = put_long(b, k ? -1 : bad);
	}
	uint64_t header = b->n;
	u64(b, MAGIC), u32(b, LONG_CHUNKS), u32(b, 2);
	stream_header(b, 0, "A", 0, 1);
	stream_header(b, 1, "B", 0, 10);
	for (int k = 0; k < LONG_CHUNKS; k++) chunk_header(b, begins[k], LONG_SEQUENCES, samples);
	u64(b, header);
}

/* Validation reads each sequence by itself, any number of threads walks over chunks ahead of their turn. */
static void parts_of_a_chunk_are_as_the_whole(void **state)
{
	static bytes b;
	static char whole[1 << 16], parts[1 << 16];
	record r;
	(void)state;
	make_long(&b, -1);
	begin(&r, (sheaf_context_options){.validate = true});
	assert_int_equal(SHEAF_OK, read_binary(&b, "", 1 << 20, &r, whole, sizeof whole));
	assert_non_null(
		strstr(whole, "{\"key\":399,\"streams\":{\"A\":[[1990]],\"B\":[[[0,0.5],[3,1.5],[6,2.5]]]}}\n"));
	end(&r);
	for (int how = 0; how < 4; how++) {
		begin(&r, (sheaf_context_options){.validate = how & 1, .threads = how & 2 ? 3 : 1});
		for (int64_t piece = 1; piece < 400; piece += 13) {
			assert_int_equal(SHEAF_OK, read_binary(&b, "", piece, &r, parts, sizeof parts));
			assert_string_equal(whole, parts);
		}
		assert_int_equal(0, r.n);
		end(&r);
	}
}

/* Walks that are under way, or were not needed, hold no memory after the end. */
static void reading_ends_in_the_middle_of_long_chunks(void **state)
{
	static bytes b;
	(void)state;
	make_long(&b, -1);
	for (int64_t rows = 0; rows < LONG_CHUNKS * LONG_SEQUENCES; rows += 37) {
		record r;
		sheaf_dataset *dataset;
		const sheaf_frame *frame;
		int64_t read = 0;
		begin(&r, (sheaf_context_options){.threads = 3});
		assert_int_equal(SHEAF_OK, open_binary(&b, "", 64, &r, &dataset));
		while (read < rows) {
			assert_int_equal(SHEAF_OK, sheaf_next(dataset, &frame, &err));
			read += frame->nrows;
		}
		sheaf_close(dataset);
		end(&r);
	}
}

static void parts_of_a_chunk_tell_the_same_flaws(void **state)
{
	static bytes b;
	char message[TEXT] = "";
	(void)state;
	make_long(&b, 151);
	for (int64_t piece = 1 << 20; piece; piece /= 8) {
		record r;
		begin(&r, (sheaf_context_options){.threads = piece % 3 ? 1 : 3});
		assert_int_equal(SHEAF_DATA, read_binary(&b, "", piece, &r, NULL, 0));
		if (!*message) strcpy(message, err.message);
		assert_string_equal(message, err.message);
		end(&r);
	}
	assert_non_null(strstr(message, "x.cbf: chunk 0, sequence 151, stream \"B\", byte "));
	assert_non_null(strstr(message, ": expected an index below 10, found 99"));
}

/* ---- all of them ---- */

#define TEST(function) {#function, function, NULL, NULL, NULL}
static const struct CMUnitTest others[] = {
	TEST(sample_is_read_and_valid),
	TEST(any_byte_may_change),
	TEST(any_cut_is_refused),
	TEST(declarations_are_held_against_the_file),
	TEST(alias_renames_a_stream),
	TEST(single_sequences_are_views),
	TEST(unaligned_doubles_are_copied),
	TEST(sound_sequences_are_taken_at_once),
	TEST(parts_of_a_chunk_are_as_the_whole),
	TEST(reading_ends_in_the_middle_of_long_chunks),
	TEST(parts_of_a_chunk_tell_the_same_flaws),
};

int main(void)
{
	static struct CMUnitTest tests[COUNT(flaws) + COUNT(others)];
	size_t n = 0;
	for (size_t i = 0; i < COUNT(flaws); i++)
		tests[n++] =
			(struct CMUnitTest){flaws[i].message, message_points_at_the_flaw, NULL, NULL, (void *)&flaws[i]};
	for (size_t i = 0; i < COUNT(others); i++) tests[n++] = others[i];
	return _cmocka_run_group_tests("cbf", tests, n, make_folder, remove_folder);
}
