/* SPDX-License-Identifier: MIT */
/* Arrow's files and streams: columns that come back as they were, types that other writers use, and bytes
 * that are not what they should be. */
#include "base/endian.h"
#include "dataset/dataset.h"
#include "dataset/index/pieces.h"
#include "format/arrow/ipc.h"
#include "frame/print.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- there and back ---- */

static bytes_sink convert(const char *from, const char *to, const char *const *settings)
{
	sheaf_context *cx = usual_context();
	sheaf_setting set[4];
	sheaf_convert_options options = {.size = sizeof options};
	size_t n = 0;
	for (; settings && settings[2 * n]; n++) set[n] = (sheaf_setting){settings[2 * n], settings[2 * n + 1]};
	options.open = &(sheaf_open_options){.settings = set, .nsettings = (int)n};
	options.force = true;
	char source[200], target[200];
	snprintf(source, sizeof source, "%s", in_folder(from));
	snprintf(target, sizeof target, "%s", in_folder(to));
	assert_ok(sheaf_convert((const char *const[]){source}, 1, target, &options, cx, &err));
	end_context(cx);
	return read_file(to);
}

static void assert_same_rows(const char *a, const char *b)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *da, *db;
	bool equal = false;
	assert_ok(sheaf_open(in_folder(a), NULL, cx, &da, &err));
	assert_ok(sheaf_open(in_folder(b), NULL, cx, &db, &err));
	assert_ok(sheaf_diff(da, db, NULL, &equal, &err));
	assert_true(equal);
	sheaf_close(da);
	sheaf_close(db);
	end_context(cx);
}

static void test_forms_and_compressions(void **state)
{
	static const char *const ways[][6] = {
		{NULL},
		{"compression", "zstd", NULL},
#if SHEAF_LZ4
		{"compression", "lz4", NULL},
#endif
		{"chunk-bytes", "1", "compression", "zstd", NULL}
	};
	(void)state;
	write_text("a.ctf", "7 |A 1 2 |B 3:0.5 9:1\n7 |A -0 4\n9 |A 1e-40 5 |B 0:1\n");
	for (size_t i = 0; i < 2 * COUNT(ways); i++) {
		const char *name = i % 2 ? "a.arrows" : "a.arrow";
		bytes_sink bytes = convert("a.ctf", name, ways[i / 2]);
		assert_same_rows("a.ctf", name);
		assert_int_equal(memcmp(bytes.data, "ARROW1", 6) == 0, i % 2 == 0);
		free_bytes(&bytes);
	}
}

/* Decompression gives exactly the stated number of bytes from all of the input, or fails. */
static void test_lengths_of_compressed_buffers(void **state)
{
	enum { SIZE = 1000 };
	static const int codecs[] = {
		SHEAF_IPC_ZSTD,
#if SHEAF_LZ4
		SHEAF_IPC_LZ4,
#endif
	};
	(void)state;
	uint8_t plain[SIZE], out[SIZE + 1];
	sheaf_context *cx = usual_context();
	for (int i = 0; i < SIZE; i++) plain[i] = (uint8_t)(i * i / 7);
	for (size_t c = 0; c < COUNT(codecs); c++) {
		sheaf_builder packed;
		sheaf_builder_begin(&packed, cx, NULL);
		assert_ok(sheaf_ipc_compress(codecs[c], (sheaf_bytes){plain, SIZE}, &packed, &err));
		sheaf_builder_byte(&packed, 'x');
		sheaf_bytes all = {packed.data, packed.size - 1};
		const struct {
			sheaf_bytes from;
			size_t size;
		} wrong[] = {{all, SIZE - 1},
		             {all, SIZE + 1},
		             {{all.data, all.size - 1}, SIZE},
		             {{all.data, all.size + 1}, SIZE},
		             {{all.data, all.size / 2}, SIZE}};
		assert_ok(sheaf_ipc_decompress(codecs[c], all, out, SIZE, cx, &err));
		assert_memory_equal(out, plain, SIZE);
		for (size_t w = 0; w < COUNT(wrong); w++)
			assert_status(SHEAF_DATA,
			              sheaf_ipc_decompress(codecs[c], wrong[w].from, out, wrong[w].size, cx, &err));
		sheaf_builder_drop(&packed);
	}
	end_context(cx);
}

/* Texts in another encoding, which SciDB may have, cannot be written, unless as bytes. */
static void test_texts_that_are_no_utf8(void **state)
{
	(void)state;
	static const char cells[] = "\2\0\0\0x\0\3\0\0\0\xf2y";
	static const char *const as_bytes[] = {"schema", "<a:string NOT NULL>", "text-as-bytes", NULL, NULL};
	sheaf_context *cx = usual_context();
	const sheaf_setting schema = {as_bytes[0], as_bytes[1]};
	const sheaf_convert_options options = {
		.size = sizeof options,
		.open = &(sheaf_open_options){.settings = &schema, .nsettings = 1, .format = "scidb"}};
	char source[200], target[200];
	write_file("u.scidb", cells, sizeof cells);
	snprintf(source, sizeof source, "%s", in_folder("u.scidb"));
	snprintf(target, sizeof target, "%s", in_folder("u.arrow"));
	assert_status(SHEAF_UNSUPPORTED,
	              sheaf_convert((const char *const[]){source}, 1, target, &options, cx, &err));
	assert_message("u.arrow: row 1, column \"a\": expected UTF-8 (--text-as-bytes takes any bytes), found byte "
	               "0xf2");
	assert_int_equal(err.row, 1);
	assert_string_equal(err.advice, "text-as-bytes");
	end_context(cx);
	bytes_sink bytes = convert("u.scidb", "u.arrow", as_bytes);
	assert_non_null(memmem(bytes.data, bytes.size, "x\xf2y", 3));
	free_bytes(&bytes);
}

/* The compressions of buffers also compress files. */
static void test_lz4_files(void **state)
{
	(void)state;
#if SHEAF_LZ4
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	for (int i = 0; i < 100000; i++) fprintf(file, "%d |A %d\n", i, i * 7919 % 1000003);
	fclose(file);
	write_text("l.ctf", text);
	bytes_sink packed = convert("l.ctf", "l.ctf.lz4", NULL);
	assert_true(packed.size < size);
	assert_same_rows("l.ctf", "l.ctf.lz4");
	packed.data[packed.size / 2] ^= 255;
	write_file("bad.ctf.lz4", packed.data, packed.size);
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset = NULL;
	const sheaf_frame *frame;
	sheaf_status status = sheaf_open(in_folder("bad.ctf.lz4"), NULL, cx, &dataset, &err);
	while (!status) status = sheaf_next(dataset, &frame, &err);
	assert_status(SHEAF_DATA, status);
	sheaf_close(dataset);
	end_context(cx);
	free_bytes(&packed);
	free(text);
#else
	skip();
#endif
}

/* What Arrow's types do not say, the schema's metadata does. */
static void test_columns_come_back(void **state)
{
	(void)state;
	write_text("a.ex",
	           "defI:0; proc:{p};\nname:{one two} freq:2 2\n[0]I: 1 0.5\n[1]T: 1\n;\n1 I: 2 3 T: 0;\n");
	bytes_sink a = convert("a.ex", "a.arrow", NULL), b = convert("a.arrow", "b.ex", NULL);
	assert_same_rows("a.ex", "a.arrow");
	assert_same_rows("a.ex", "b.ex");
	free_bytes(&a);
	free_bytes(&b);
}

/* A batch longer than a piece is read in runs of its rows, from any row on and in any order. */
static void test_long_batches(void **state)
{
	enum { ROWS = 20000, PIECE = 4096 };
	char *text = NULL;
	size_t size = 0;
	(void)state;
	FILE *file = open_memstream(&text, &size);
	fputs("a,b\n", file);
	for (int i = 0; i < ROWS; i++) fprintf(file, "%d,x%d\n", i, i);
	fclose(file);
	write_text("long.csv", text);
	free(text);
	static const char *const names[] = {"long.arrow", "long.arrows"};
	for (size_t k = 0; k < COUNT(names); k++) {
		bytes_sink bytes = convert("long.csv", names[k], (const char *const[]){"chunk-bytes", "100M", NULL});
		free_bytes(&bytes);
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset;
		const sheaf_frame *frame;
		const sheaf_pieces *pieces;
		sheaf_open_options options = {.size = sizeof options, .piece_bytes = PIECE};
		for (int64_t row = 0; row < ROWS; row += 4999) {
			assert_ok(sheaf_open(in_folder(names[k]), &options, cx, &dataset, &err));
			assert_ok(sheaf_skip(dataset, row, &err));
			assert_ok(sheaf_next(dataset, &frame, &err));
			int64_t first = sheaf_dataset_row(dataset);
			assert_true(first <= row && row < first + frame->nrows);
			assert_int_equal(first > 0, row > 0);
			assert_int_equal(*(const int64_t *)(const void *)frame->columns[0].values.data, first);
			sheaf_close(dataset);
		}
		assert_ok(sheaf_open(in_folder(names[k]), &options, cx, &dataset, &err));
		assert_ok(sheaf_dataset_pieces(dataset, &pieces, &err));
		assert_int_equal(sheaf_pieces_rows(pieces), ROWS);
		for (int64_t p = sheaf_pieces_count(pieces); p-- > 0;) {
			sheaf_piece_entry entry;
			sheaf_frame piece = {0};
			sheaf_pieces_at(pieces, p, &entry);
			assert_ok(sheaf_dataset_read_piece(dataset, p, &piece, cx, &err));
			assert_int_equal(*(const int64_t *)(const void *)piece.columns[0].values.data, entry.row);
			sheaf_frame_free(&piece);
		}
		sheaf_close(dataset);
		end_context(cx);
	}
}

/* What is said beside a column must not be taken for another column. */
static void test_names_that_are_taken(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	char source[200], target[200];
	write_text("o.csv", "a,a.offset\n2020-01-01T00:00:00+01:00,x\n");
	snprintf(source, sizeof source, "%s", in_folder("o.csv"));
	snprintf(target, sizeof target, "%s", in_folder("o.arrow"));
	assert_status(SHEAF_UNSUPPORTED, sheaf_convert((const char *const[]){source}, 1, target, NULL, cx, &err));
	assert_message("expected no column \"a.offset\", a name that is needed beside column \"a\"");
	end_context(cx);
}

/* ---- what others write ---- */

enum { UTF8 = 5, INT = 2, UTF8_VIEW = 24, NULLS = 1, DECIMAL = 7 };

/* A schema of one field, its indices looked up in dictionary 5 where `words`. */
static void put_fields(sheaf_fb_writer *w, size_t from, int kind, bool words)
{
	enum { NAME, NULLABLE, TYPE_KIND, TYPE, DICTIONARY, CHILDREN, SLOTS };
	sheaf_fb_slot schema[] = {{0, 0, 0}, {SHEAF_FB_POINTER, 0, 0}};
	sheaf_fb_slot field[SLOTS] = {[NAME] = {SHEAF_FB_POINTER, 0, 0},
	                              [NULLABLE] = {1, 1, 0},
	                              [TYPE_KIND] = {1, kind, 0},
	                              [TYPE] = {SHEAF_FB_POINTER, 0, 0},
	                              [DICTIONARY] = {words ? SHEAF_FB_POINTER : 0, 0, 0},
	                              [CHILDREN] = {SHEAF_FB_POINTER, 0, 0}};
	sheaf_fb_slot encoding[] = {{8, 5, 0}};
	sheaf_fb_put_table(w, from, schema, 2);
	size_t at = sheaf_fb_put_tables(w, schema[1].at, 1);
	sheaf_fb_put_table(w, at, field, SLOTS);
	sheaf_fb_put_text(w, field[NAME].at, "c", 1);
	sheaf_fb_put_table(w, field[TYPE].at, NULL, 0);
	if (words) sheaf_fb_put_table(w, field[DICTIONARY].at, encoding, 1);
	sheaf_fb_put_tables(w, field[CHILDREN].at, 0);
	sheaf_fb_align(w, 8);
}

static void put_schema(sheaf_builder *to, int kind, bool words)
{
	sheaf_fb_slot message[] = {
		{2, SHEAF_IPC_METADATA_V5, 0}, {1, SHEAF_IPC_SCHEMA, 0}, {SHEAF_FB_POINTER, 0, 0}};
	sheaf_builder head;
	sheaf_builder_begin(&head, to->cx, NULL);
	sheaf_fb_writer w = sheaf_fb_begin(&head);
	sheaf_fb_put_table(&w, SHEAF_FB_ROOT, message, 3);
	put_fields(&w, message[2].at, kind, words);
	sheaf_builder_u32le(to, UINT32_MAX);
	sheaf_builder_u32le(to, (uint32_t)head.size);
	sheaf_builder_append(to, head.data, head.size);
	sheaf_builder_drop(&head);
}

/* The parts of a batch of one field: up to four buffers of 16 bytes each, of which the sizes are said. */
typedef struct one_batch {
	int64_t rows, nulls, variadic; /* -1: no such count */
	int nbuffers;
	int64_t sizes[4];
	const char *bytes; /* 16 for each buffer */
	bool is_delta;
} one_batch;

static void put_batch(sheaf_builder *to, const one_batch *batch, sheaf_ipc_kind kind)
{
	enum { LENGTH, NODES, BUFFERS, COMPRESSION, VARIADIC, SLOTS, EACH = 16 };
	sheaf_fb_slot message[] = {{2, SHEAF_IPC_METADATA_V5, 0},
	                           {1, kind, 0},
	                           {SHEAF_FB_POINTER, 0, 0},
	                           {8, batch->nbuffers * EACH, 0}};
	sheaf_fb_slot dictionary[] = {{8, 5, 0}, {SHEAF_FB_POINTER, 0, 0}, {1, batch->is_delta, 0}};
	sheaf_fb_slot slots[SLOTS] = {[LENGTH] = {8, batch->rows, 0},
	                              [NODES] = {SHEAF_FB_POINTER, 0, 0},
	                              [BUFFERS] = {SHEAF_FB_POINTER, 0, 0},
	                              [VARIADIC] = {batch->variadic >= 0 ? SHEAF_FB_POINTER : 0, 0, 0}};
	sheaf_builder head;
	sheaf_builder_begin(&head, to->cx, NULL);
	sheaf_fb_writer w = sheaf_fb_begin(&head);
	sheaf_fb_put_table(&w, SHEAF_FB_ROOT, message, 4);
	size_t at = message[2].at;
	if (kind == SHEAF_IPC_DICTIONARY) {
		sheaf_fb_put_table(&w, at, dictionary, 3);
		at = dictionary[1].at;
	}
	sheaf_fb_put_table(&w, at, slots, SLOTS);
	sheaf_fb_put_vector(&w, slots[NODES].at, 1, EACH);
	sheaf_builder_i64(&head, batch->rows);
	sheaf_builder_i64(&head, batch->nulls);
	sheaf_fb_put_vector(&w, slots[BUFFERS].at, batch->nbuffers, EACH);
	for (int i = 0; i < batch->nbuffers; i++) {
		sheaf_builder_i64(&head, i * EACH);
		sheaf_builder_i64(&head, batch->sizes[i]);
	}
	if (batch->variadic >= 0) {
		sheaf_fb_put_vector(&w, slots[VARIADIC].at, 1, 8);
		sheaf_builder_i64(&head, batch->variadic);
	}
	sheaf_fb_align(&w, 8);
	sheaf_builder_u32le(to, UINT32_MAX);
	sheaf_builder_u32le(to, (uint32_t)head.size);
	sheaf_builder_append(to, head.data, head.size);
	sheaf_builder_append(to, batch->bytes, (size_t)batch->nbuffers * EACH);
	sheaf_builder_drop(&head);
}

/* What `cat --json` prints for the stream, or the error message. */
static void assert_read(const sheaf_builder *stream, sheaf_status wanted, const char *text)
{
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset = NULL;
	const sheaf_frame *frame;
	char *printed = NULL;
	size_t size = 0;
	sheaf_open_options options = {.size = sizeof options, .format = "arrow"};
	sheaf_status status = open_bytes((sheaf_bytes){stream->data, stream->size}, "s", &options, cx, &dataset);
	FILE *out = open_memstream(&printed, &size);
	while (!status && (status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK)
		for (int64_t r = 0; r < frame->nrows; r++) {
			sheaf_builder row;
			sheaf_builder_begin(&row, cx, NULL);
			sheaf_row_text(&row, frame, sheaf_dataset_schema(dataset), SHEAF_JSON, sheaf_dataset_row(dataset),
			               r);
			fwrite(row.data, 1, row.size, out);
			sheaf_builder_drop(&row);
		}
	fclose(out);
	if (status == SHEAF_END) status = SHEAF_OK;
	check_status(wanted, status, __FILE__, __LINE__);
	if (wanted)
		check_message(text, __FILE__, __LINE__);
	else
		check_text(text, printed, __FILE__, __LINE__);
	free(printed);
	if (dataset) sheaf_close(dataset);
	end_context(cx);
}

#define I32(a, b, c, d) a "\0\0\0" b "\0\0\0" c "\0\0\0" d "\0\0\0"
#define NOTHING "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define WORDS "redgreenblue\0\0\0\0"

static void test_dictionaries(void **state)
{
	static const one_batch words = {3, 0, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
						   others = {1, 0,         -1,
	                                 3, {0, 8, 4}, NOTHING I32("\0", "\4", "\0", "\0") "gold" NOTHING},
						   rows = {3, 1,       -1,
	                               2, {1, 12}, "\5" NOTHING "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" NOTHING},
						   far = {3, 0, -1, 2, {0, 12}, NOTHING I32("\0", "\1", "\3", "\0")};
	sheaf_context *cx = usual_context();
	sheaf_builder s;
	(void)state;
	sheaf_builder_begin(&s, cx, NULL);
	put_schema(&s, UTF8, true);
	size_t schema = s.size;
	put_batch(&s, &rows, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_DATA,
	            "expected a dictionary before the first batch that needs it, found none with the number 5");
	s.size = schema;
	put_batch(&s, &words, SHEAF_IPC_DICTIONARY);
	put_batch(&s, &rows, SHEAF_IPC_BATCH);
	put_batch(&s, &others, SHEAF_IPC_DICTIONARY);
	put_batch(&s, &rows, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_OK,
	            "{\"row\":0,\"cells\":{\"c\":\"red\"}}\n{\"row\":1,\"cells\":{\"c\":{\"null\":0}}}\n"
	            "{\"row\":2,\"cells\":{\"c\":\"red\"}}\n{\"row\":3,\"cells\":{\"c\":\"gold\"}}\n"
	            "{\"row\":4,\"cells\":{\"c\":{\"null\":0}}}\n{\"row\":5,\"cells\":{\"c\":\"gold\"}}\n");
	put_batch(&s, &far, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_DATA, "expected an index below the size of its dictionary, found 1");
	sheaf_builder_drop(&s);
	end_context(cx);
}

/* Additions to a dictionary hold from then on, with the earlier values. */
static void test_deltas(void **state)
{
	static const one_batch
		words = {3, 0, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
		more = {3,
	            1,
	            -1,
	            3,
	            {1, 16, 9},
	            "\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" I32("\1", "\5", "\5", "\11") "-goldgrey\0\0\0\0\0\0\0",
	            true},
		rows = {4, 0, -1, 2, {0, 16}, NOTHING I32("\3", "\0", "\5", "\4")};
	sheaf_context *cx = usual_context();
	sheaf_builder s;
	(void)state;
	sheaf_builder_begin(&s, cx, NULL);
	put_schema(&s, UTF8, true);
	size_t schema = s.size;
	put_batch(&s, &more, SHEAF_IPC_DICTIONARY);
	put_batch(&s, &rows, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_DATA, "column \"c\": expected a dictionary to add to, found none before");
	s.size = schema;
	put_batch(&s, &words, SHEAF_IPC_DICTIONARY);
	put_batch(&s, &more, SHEAF_IPC_DICTIONARY);
	put_batch(&s, &rows, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_OK,
	            "{\"row\":0,\"cells\":{\"c\":\"gold\"}}\n{\"row\":1,\"cells\":{\"c\":\"red\"}}\n"
	            "{\"row\":2,\"cells\":{\"c\":\"grey\"}}\n{\"row\":3,\"cells\":{\"c\":{\"null\":0}}}\n");
	sheaf_builder_drop(&s);
	end_context(cx);
}

/* A file of such messages, which are all dictionaries as its footer has it. */
static void put_footer(sheaf_builder *to, const size_t *messages, int n)
{
	enum { VERSION, SCHEMA, DICTIONARIES, BATCHES, SLOTS, BLOCK = 24 };
	sheaf_fb_slot footer[SLOTS] = {
		[SCHEMA] = {SHEAF_FB_POINTER, 0, 0}, [DICTIONARIES] = {SHEAF_FB_POINTER, 0, 0}};
	sheaf_builder b;
	sheaf_builder_begin(&b, to->cx, NULL);
	sheaf_fb_writer w = sheaf_fb_begin(&b);
	sheaf_fb_put_table(&w, SHEAF_FB_ROOT, footer, SLOTS);
	put_fields(&w, footer[SCHEMA].at, UTF8, true);
	sheaf_fb_put_vector(&w, footer[DICTIONARIES].at, n, BLOCK);
	for (int i = 0; i < n; i++) {
		uint32_t head;
		memcpy(&head, to->data + messages[i] + 4, sizeof head);
		int64_t size = (int64_t)(messages[i + 1] - messages[i]), before = SHEAF_IPC_PREFIX + (int64_t)head;
		sheaf_builder_i64(&b, (int64_t)messages[i]);
		sheaf_builder_i64(&b, before);
		sheaf_builder_i64(&b, size - before);
	}
	sheaf_builder_append(to, b.data, b.size);
	sheaf_builder_u32le(to, (uint32_t)b.size);
	sheaf_builder_text(to, SHEAF_IPC_MAGIC);
	sheaf_builder_drop(&b);
}

/* In a file a dictionary holds for all batches, so there cannot be two of it. */
static void test_dictionaries_of_files(void **state)
{
	static const one_batch words = {3, 0, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS};
	static const sheaf_ipc_kind kinds[][2] = {{SHEAF_IPC_DICTIONARY, SHEAF_IPC_DICTIONARY},
	                                          {SHEAF_IPC_DICTIONARY, SHEAF_IPC_BATCH}};
	static const char *const found[] = {"expected one dictionary of column \"c\"",
	                                    "found another one in place of a dictionary"};
	sheaf_context *cx = usual_context();
	sheaf_builder s;
	(void)state;
	sheaf_builder_begin(&s, cx, NULL);
	for (size_t i = 0; i < COUNT(kinds); i++)
		for (int n = 1; n <= 2; n++) {
			size_t at[3] = {SHEAF_IPC_FIRST};
			s.size = 0;
			sheaf_builder_append(&s, SHEAF_IPC_MAGIC "\0", SHEAF_IPC_FIRST);
			for (int k = 0; k < n; k++) {
				put_batch(&s, &words, kinds[i][k]);
				at[k + 1] = s.size;
			}
			put_footer(&s, at, n);
			assert_read(&s, n == 1 ? SHEAF_OK : SHEAF_DATA, n == 1 ? "" : found[i]);
		}
	sheaf_builder_drop(&s);
	end_context(cx);
}

/* What the footer says of a dictionary, and what the end says of the footer. */
static void test_what_is_said_of_the_footer(void **state)
{
	static const one_batch words = {3, 0, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS};
	enum { TAIL = 10 };
	sheaf_context *cx = usual_context();
	sheaf_builder s;
	(void)state;
	sheaf_builder_begin(&s, cx, NULL);
	sheaf_builder_append(&s, SHEAF_IPC_MAGIC "\0", SHEAF_IPC_FIRST);
	put_batch(&s, &words, SHEAF_IPC_DICTIONARY);
	const size_t at[] = {SHEAF_IPC_FIRST, s.size};
	const int64_t head = SHEAF_IPC_PREFIX + (int64_t)sheaf_load_u32le(s.data + SHEAF_IPC_FIRST + 4),
				  body = (int64_t)s.size - SHEAF_IPC_FIRST - head;
	put_footer(&s, at, 1);
	const int64_t size = (int64_t)s.size, rest = size - SHEAF_IPC_FIRST;
	const int64_t said[] = {SHEAF_IPC_FIRST, head, body};
	const struct {
		int64_t byte, head, body;
		bool inside;
	} blocks[] = {
		{SHEAF_IPC_FIRST, head, rest - head, true},
		{SHEAF_IPC_FIRST, head, rest - head + 1},
		{SHEAF_IPC_FIRST, head, -1},
		{SHEAF_IPC_FIRST, rest + 1, 0},
		{SHEAF_IPC_FIRST, SHEAF_IPC_PREFIX - 1, body},
		{SHEAF_IPC_FIRST - 1, head, body},
		{size, head, body},
		{size + 1, SHEAF_IPC_PREFIX, 0},
		{INT64_MAX, head, body},
	};
	uint8_t *block = (uint8_t *)memmem(s.data + at[1], s.size - at[1], said, sizeof said);
	assert_non_null(block);
	for (size_t i = 0; i < COUNT(blocks); i++) {
		memcpy(block, &blocks[i], sizeof said);
		assert_read(&s, SHEAF_DATA,
		            blocks[i].inside ? "found a message of another size there"
		                             : "footer: expected batches inside of the file, found one at byte ");
	}
	memcpy(block, said, sizeof said);
	const int64_t sizes[] = {0, -1, rest - TAIL + 1, rest - TAIL};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		sheaf_store_u32le(s.data + s.size - TAIL, (uint32_t)sizes[i]);
		assert_read(&s, SHEAF_DATA,
		            i < 3 ? "expected the size of a footer, at most "
		                  : "footer: expected a schema and places");
	}
	s.data[s.size - 1] ^= 1;
	assert_read(&s, SHEAF_SHORT, "expected a footer and \"" SHEAF_IPC_MAGIC "\" at the end");
	sheaf_builder_drop(&s);
	end_context(cx);
}

/* The footer says where the batch begins; beyond the file there can be none. */
static void test_batch_beyond_the_file(void **state)
{
	(void)state;
	const char *input = in_folder("a.csv"), *path = in_folder("a.arrow");
	sheaf_context *cx = usual_context();
	sheaf_dataset *dataset = NULL;
	sheaf_convert_options how = {.size = sizeof how, .force = true};
	sheaf_open_options opening = {.size = sizeof opening};
	write_text("a.csv", "n\n1\n2\n");
	assert_ok(sheaf_convert(&input, 1, path, &how, cx, &err));
	bytes_sink file = read_file("a.arrow");
	size_t at = file.size - 10 - sheaf_load_u32le(file.data + file.size - 10);
	for (; at < file.size - 24; at++) {
		int64_t byte = sheaf_load_i64le(file.data + at);
		bool is_within = byte > SHEAF_IPC_FIRST && byte < (int64_t)at;
		if (is_within && sheaf_load_u32le(file.data + byte) == UINT32_MAX) break;
	}
	assert_true(at < file.size - 24);
	file.data[at + 5] = 1;
	write_file("a.arrow", file.data, file.size);
	assert_status(SHEAF_DATA, sheaf_open(path, &opening, cx, &dataset, &err));
	assert_message("footer: expected batches inside of the file, found one at byte 10995");
	free_bytes(&file);
	end_context(cx);
}

static void test_views_of_texts(void **state)
{
	static const char bytes[] = NOTHING "\15\0\0\0this\0\0\0\0\0\0\0\0"
										"this is long.\0\0\0";
	one_batch views = {1, 0, 1, 3, {0, 16, 13}, bytes};
	sheaf_context *cx = usual_context();
	sheaf_builder s;
	(void)state;
	sheaf_builder_begin(&s, cx, NULL);
	put_schema(&s, UTF8_VIEW, false);
	size_t schema = s.size;
	put_batch(&s, &views, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_OK, "{\"row\":0,\"cells\":{\"c\":\"this is long.\"}}\n");
	views.sizes[2] = 12;
	s.size = schema;
	put_batch(&s, &views, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_DATA, "expected texts that lie within their bytes, found one outside, in row 0");
	views.variadic = -1;
	s.size = schema;
	put_batch(&s, &views, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_DATA, "expected as many buffers for its views as there are, found -1");
	sheaf_builder_drop(&s);
	end_context(cx);
}

/* Each count is compared with the bytes. */
static void test_what_is_said_of_buffers(void **state)
{
	static const struct {
		one_batch batch;
		const char *message;
	} rows[] = {
		{{3, 0, -1, 3, {0, 12, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
	     "expected a buffer as long as its type"},
		{{3, 0, -1, 3, {0, 16, 11}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
	     "expected texts that end within"},
		{{3, 0, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\10", "\3", "\14") WORDS},
	     "expected offsets that ascend"},
		{{3, 4, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
	     "as many nulls as the length"},
		{{-3, 0, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
	     "expected a batch of 0 rows or more"},
		{{3, 0, -1, 2, {0, 16}, NOTHING I32("\0", "\3", "\10", "\14")},
	     "expected the buffers of all columns"},
		{{3, 0, -1, 3, {0, 16, 1000}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
	     "expected buffers inside"},
		{{3, 1, -1, 3, {0, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
	     "expected bits that say what is missing"},
		{{300, 1, -1, 3, {16, 16, 12}, NOTHING I32("\0", "\3", "\10", "\14") WORDS},
	     "expected a bit for each"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		sheaf_context *cx = usual_context();
		sheaf_builder s;
		sheaf_builder_begin(&s, cx, NULL);
		put_schema(&s, UTF8, false);
		put_batch(&s, &rows[i].batch, SHEAF_IPC_BATCH);
		assert_read(&s, SHEAF_DATA, rows[i].message);
		sheaf_builder_drop(&s);
		end_context(cx);
	}
}

/* Two columns of one name, of which one is left out; metadata that leads out of its message. */
static void test_other_files(void **state)
{
	(void)state;
	write_text("n.csv", "aa,bb\n1,2\n");
	bytes_sink bytes = convert("n.csv", "n.arrows", NULL);
	sheaf_context *cx = usual_context();
	sheaf_builder s;
	sheaf_builder_begin(&s, cx, NULL);
	sheaf_builder_append(&s, bytes.data, bytes.size);
	uint8_t *name = memmem(s.data, s.size, "\2\0\0\0bb", 6);
	assert_non_null(name);
	memcpy(name + 4, "aa", 2);
	assert_read(&s, SHEAF_OK, "{\"row\":0,\"cells\":{\"aa\":1}}\n");
	/* The key of the first pair, of which only the size is changed. */
	s.size = 0;
	sheaf_builder_append(&s, bytes.data, bytes.size);
	uint8_t *key = memmem(s.data, s.size, SHEAF_IPC_SCHEMA_KEY, strlen(SHEAF_IPC_SCHEMA_KEY));
	assert_non_null(key);
	memset(key - 4, 0xff, 4);
	assert_read(&s, SHEAF_DATA, "expected metadata inside of its message");
	free_bytes(&bytes);
	/* Streams of which only the name of what a list holds is another. */
	write_text("n.ctf", "0 |A 1 2\n");
	bytes = convert("n.ctf", "n.arrows", NULL);
	s.size = 0;
	sheaf_builder_append(&s, bytes.data, bytes.size);
	uint8_t *item = memmem(s.data, s.size, "\4\0\0\0item", 8);
	assert_non_null(item);
	item[4] = 'I';
	assert_read(&s, SHEAF_DATA, "found columns of these names and other types");
	free_bytes(&bytes);
	sheaf_builder_drop(&s);
	end_context(cx);
}

/* A text that many parts share counts for each of them. */
static void test_shared_texts(void **state)
{
	enum { TEXT = 1000 };
	char text[TEXT] = {0};
	sheaf_context *cx = usual_context();
	sheaf_builder b;
	(void)state;
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_fb_writer w = sheaf_fb_begin(&b);
	sheaf_fb_slot slot[] = {{SHEAF_FB_POINTER, 0, 0}};
	sheaf_fb_put_table(&w, SHEAF_FB_ROOT, slot, 1);
	sheaf_fb_put_text(&w, slot[0].at, text, TEXT);
	sheaf_fb in = sheaf_fb_over(b.data, b.size);
	sheaf_fb_table root = sheaf_fb_root(&in);
	int n = 0;
	while (sheaf_fb_text(&root, 0).size == TEXT) assert_true(++n < 100);
	assert_true(n >= 16 && in.broken);
	sheaf_builder_drop(&b);
	end_context(cx);
}

static void test_types_without_a_place(void **state)
{
	sheaf_context *cx = usual_context();
	sheaf_builder s;
	(void)state;
	sheaf_builder_begin(&s, cx, NULL);
	put_schema(&s, DECIMAL, false);
	assert_read(&s, SHEAF_UNSUPPORTED, "there is no column that can be read");
	s.size = 0;
	put_schema(&s, NULLS, false);
	put_batch(&s, &(one_batch){INT64_MAX / 2, 0, -1, 0, {0}, ""}, SHEAF_IPC_BATCH);
	assert_read(&s, SHEAF_DATA, "expected no more rows than a batch of its size has");
	sheaf_builder_drop(&s);
	end_context(cx);
}

/* ---- damage ---- */

/* Whatever a byte becomes, the file is read, or refused with a message. */
static void damage(const char *name, uint8_t (*change)(uint8_t))
{
	bytes_sink bytes = read_file(name);
	for (size_t i = 0; i < bytes.size; i++) {
		sheaf_context *cx = usual_context();
		sheaf_dataset *dataset = NULL;
		sheaf_open_options options = {.size = sizeof options, .format = "arrow"};
		uint8_t was = bytes.data[i];
		bytes.data[i] = change(was);
		err = (sheaf_error){0};
		sheaf_status status = open_bytes((sheaf_bytes){bytes.data, bytes.size}, "d", &options, cx, &dataset);
		const sheaf_frame *frame;
		while (!status) status = sheaf_next(dataset, &frame, &err);
		assert_true(status == SHEAF_END || *err.message);
		if (dataset) sheaf_close(dataset);
		bytes.data[i] = was;
		end_context(cx);
	}
	free_bytes(&bytes);
}

static uint8_t all_bits(uint8_t v) { return (uint8_t)~v; }
static uint8_t one_more(uint8_t v) { return (uint8_t)(v + 1); }
static uint8_t nothing(uint8_t v) { return v ? 0 : 1; }

static void test_damage(void **state)
{
	uint8_t (*const changes[])(uint8_t) = {all_bits, one_more, nothing};
	static const char *const plain[] = {NULL}, *const zstd[] = {"compression", "zstd", "chunk-bytes", "64",
	                                                            NULL};
	(void)state;
	write_text("d.ctf", "7 |A 1 2 |B 3:0.5 9:1\n7 |A -0 4\n9 |A 3 5 |B 0:1\n");
	write_text("d.csv", "a,b,c\n1,x,true\n,yy,false\n3,,true\n");
	for (size_t i = 0; i < COUNT(changes); i++)
		for (int k = 0; k < 4; k++) {
			const char *to = k & 1 ? "d.arrow" : "d.arrows";
			bytes_sink bytes = convert(k & 2 ? "d.ctf" : "d.csv", to, k ? plain : zstd);
			free_bytes(&bytes);
			damage(to, changes[i]);
		}
}

static void test_truncated(void **state)
{
	(void)state;
	write_text("t.csv", "a,b\n1,x\n2,y\n");
	for (int file = 0; file < 2; file++) {
		const char *name = file ? "t.arrow" : "t.arrows";
		bytes_sink bytes = convert("t.csv", name, NULL);
		for (size_t n = 0; n < bytes.size; n++) {
			sheaf_context *cx = usual_context();
			sheaf_dataset *dataset = NULL;
			sheaf_open_options options = {.size = sizeof options, .format = "arrow"};
			sheaf_status status = open_bytes((sheaf_bytes){bytes.data, n}, "t", &options, cx, &dataset);
			const sheaf_frame *frame;
			while (!status) status = sheaf_next(dataset, &frame, &err);
			if (file) assert_true(status == SHEAF_SHORT || status == SHEAF_DATA);
			if (dataset) sheaf_close(dataset);
			end_context(cx);
		}
		free_bytes(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms_and_compressions),
	                                   cmocka_unit_test(test_columns_come_back),
	                                   cmocka_unit_test(test_lengths_of_compressed_buffers),
	                                   cmocka_unit_test(test_texts_that_are_no_utf8),
	                                   cmocka_unit_test(test_long_batches),
	                                   cmocka_unit_test(test_names_that_are_taken),
	                                   cmocka_unit_test(test_lz4_files),
	                                   cmocka_unit_test(test_dictionaries),
	                                   cmocka_unit_test(test_deltas),
	                                   cmocka_unit_test(test_dictionaries_of_files),
	                                   cmocka_unit_test(test_what_is_said_of_the_footer),
	                                   cmocka_unit_test(test_batch_beyond_the_file),
	                                   cmocka_unit_test(test_views_of_texts),
	                                   cmocka_unit_test(test_what_is_said_of_buffers),
	                                   cmocka_unit_test(test_other_files),
	                                   cmocka_unit_test(test_shared_texts),
	                                   cmocka_unit_test(test_types_without_a_place),
	                                   cmocka_unit_test(test_damage),
	                                   cmocka_unit_test(test_truncated)};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
