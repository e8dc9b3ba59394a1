/* SPDX-License-Identifier: MIT */
/* The Arrow C data interface: arrays of other programs as frames; they are made here by hand. */
#include "frame/print.h"
#include "with_context.h"
#include <stdio.h>
#include <string.h>

/* ---- arrays of others ---- */

typedef struct made_array {
	struct ArrowSchema schema, fields[4], *field_pointers[4];
	struct ArrowArray array, columns[4], *column_pointers[4];
	const void *root_buffers[1];
	int schemas, arrays; /* how often they were released */
} made_array;

static void count_schema(struct ArrowSchema *schema)
{
	((made_array *)schema->private_data)->schemas++;
	schema->release = NULL;
}

static void count_array(struct ArrowArray *array)
{
	((made_array *)array->private_data)->arrays++;
	array->release = NULL;
}

/* Rows of n columns, which the caller fills in. */
static void make(made_array *m, int n, int64_t rows)
{
	*m = (made_array){0};
	for (int i = 0; i < n; i++) {
		m->field_pointers[i] = &m->fields[i];
		m->column_pointers[i] = &m->columns[i];
	}
	m->schema = (struct ArrowSchema){.format = "+s",
	                                 .name = "",
	                                 .n_children = n,
	                                 .children = m->field_pointers,
	                                 .release = count_schema,
	                                 .private_data = m};
	m->array = (struct ArrowArray){.length = rows,
	                               .n_buffers = 1,
	                               .n_children = n,
	                               .buffers = m->root_buffers,
	                               .children = m->column_pointers,
	                               .release = count_array,
	                               .private_data = m};
}

static void put_field(made_array *m, int i, const char *name, const char *format, int64_t flags)
{
	m->fields[i] = (struct ArrowSchema){.format = format, .name = name, .flags = flags};
}

static void put_column(made_array *m, int i, int64_t length, int64_t nulls, const void **buffers, int n)
{
	m->columns[i] =
		(struct ArrowArray){.length = length, .null_count = nulls, .n_buffers = n, .buffers = buffers};
}

/* Reads it as a frame of one array, as JSON lines of its cells. */
static sheaf_status read_made(made_array *m, sheaf_arrow_reader **reader, sheaf_frame *frame)
{
	*frame = (sheaf_frame){0};
	SHEAF_TRY(sheaf_arrow_reader_of(&m->schema, &m->array, cx, reader, &err));
	return sheaf_arrow_reader_next(*reader, frame, &err);
}

static sheaf_column_arrays column_of(const sheaf_arrow_reader *reader, const sheaf_frame *frame, int column)
{
	sheaf_column_arrays arrays;
	assert_ok(sheaf_frame_column(frame, sheaf_arrow_reader_schema(reader), column, &arrays, &err));
	return arrays;
}

static void end_made(made_array *m, sheaf_arrow_reader *reader, sheaf_frame *frame)
{
	sheaf_arrow_reader_free(reader);
	sheaf_frame_free(frame);
	assert_int_equal(m->schemas, 1);
	assert_int_equal(m->arrays, 1);
}

static void check_texts(const sheaf_column_arrays *c, const char *const *wanted)
{
	for (int64_t r = 0; r < c->nrows; r++) {
		assert_int_equal(sheaf_column_has(c, r), wanted[r] != NULL);
		int64_t n = c->offsets[r + 1] - c->offsets[r];
		assert_int_equal(n, wanted[r] ? strlen(wanted[r]) : 0);
		if (wanted[r]) assert_memory_equal(c->values.u8 + c->offsets[r], wanted[r], (size_t)n);
	}
}

static void test_texts_of_others(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	static const char letters[] = "xxonetwo...three";
	static const int32_t offsets[] = {0, 2, 5, 8, 11, 16};
	static const uint8_t valid[] = {0x16}; /* rows 1, 2 and 4 of five; number 3 covers bytes all the same */
	make(&m, 2, 4);
	put_field(&m, 0, "nulls", "u", ARROW_FLAG_NULLABLE);
	put_column(&m, 0, 4, -1, (const void *[]){valid, offsets, letters}, 3);
	m.columns[0].offset = 1;
	/* Views: four short ones, and one of more than twelve bytes. */
	static const char far[] = "a text of more than twelve bytes";
	struct {
		int32_t n;
		char text[12];
	} views[4] = {{3, "one"}, {0, ""}, {12, "twelve bytes"}, {32, "a te"}};
	memcpy(views[3].text + 4, (int32_t[]){0, 0}, 8);
	int64_t lengths[] = {sizeof far};
	put_field(&m, 1, "views", "vu", 0);
	put_column(&m, 1, 4, 0, (const void *[]){NULL, views, far, lengths}, 4);
	assert_ok(read_made(&m, &reader, &frame));
	sheaf_column_arrays nulls = column_of(reader, &frame, 0), viewed = column_of(reader, &frame, 1);
	check_texts(&nulls, (const char *const[]){"one", "two", NULL, "three"});
	assert_null(viewed.valid);
	assert_int_equal(viewed.offsets[4], 3 + 0 + 12 + 32);
	assert_memory_equal(viewed.values.u8 + viewed.offsets[3], far, 32);
	end_made(&m, reader, &frame);
}

static void test_a_dictionary(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	static const int32_t offsets[] = {0, 3, 4};
	static const int8_t places[] = {1, 0, 0, 5, 1}, before[] = {1, 0, -1, 0, 1};
	static const uint8_t valid[] = {0x17};
	struct ArrowSchema words = {.format = "u"};
	struct ArrowArray letters = {
		.length = 2, .n_buffers = 3, .buffers = (const void *[]){NULL, offsets, "redx"}};
	make(&m, 1, 5);
	put_field(&m, 0, "colour", "c", ARROW_FLAG_NULLABLE);
	put_column(&m, 0, 5, 1, (const void *[]){valid, places}, 2);
	m.fields[0].dictionary = &words;
	m.columns[0].dictionary = &letters;
	assert_ok(read_made(&m, &reader, &frame));
	sheaf_column_arrays c = column_of(reader, &frame, 0);
	assert_int_equal(c.meaning, SHEAF_STRING);
	check_texts(&c, (const char *const[]){"x", "red", "red", NULL, "x"});
	end_made(&m, reader, &frame);
	/* Indices beyond the dictionary and before it, where they are not missing. */
	for (int i = 0; i < 2; i++) {
		make(&m, 1, 5);
		put_field(&m, 0, "colour", "c", 0);
		put_column(&m, 0, 5, 0, (const void *[]){NULL, i ? before : places}, 2);
		m.fields[0].dictionary = &words;
		m.columns[0].dictionary = &letters;
		assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
		assert_message(i ? "column \"colour\": expected an index below the size of its dictionary, found -1"
		                 : "column \"colour\": expected an index below the size of its dictionary, found 5");
		end_made(&m, reader, &frame);
	}
}

static void test_numbers_of_others(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	static const uint16_t halves[] = {0x3c00, 0xc000, 0x7c00, 0x0001, 0x7e00};
	static const uint8_t bits[] = {0x15};
	static const int32_t days[] = {0, 1, -1, 365, 10};
	_Alignas(8) static char shifted[8 * 6];
	for (int i = 0; i < 5; i++) memcpy(shifted + 4 + 8 * i, &(double){i + 0.5}, 8);
	make(&m, 4, 5);
	put_field(&m, 0, "half", "e", 0);
	put_column(&m, 0, 5, 0, (const void *[]){NULL, halves}, 2);
	put_field(&m, 1, "truth", "b", 0);
	put_column(&m, 1, 5, 0, (const void *[]){NULL, bits}, 2);
	put_field(&m, 2, "day", "tdD", 0);
	put_column(&m, 2, 5, 0, (const void *[]){NULL, days}, 2);
	put_field(&m, 3, "shifted", "g", 0);
	put_column(&m, 3, 5, 0, (const void *[]){NULL, shifted + 4}, 2);
	assert_ok(read_made(&m, &reader, &frame));
	const float *floats = column_of(reader, &frame, 0).values.f32;
	assert_true(floats[0] == 1 && floats[1] == -2 && floats[2] == __builtin_inff() && floats[3] == 0x1p-24f &&
	            floats[4] != floats[4]);
	assert_memory_equal(column_of(reader, &frame, 1).values.u8, "\1\0\1\0\1", 5);
	assert_int_equal(column_of(reader, &frame, 2).meaning, SHEAF_DATE);
	assert_memory_equal(column_of(reader, &frame, 2).values.i64, ((int64_t[]){0, 1, -1, 365, 10}), 40);
	assert_true(column_of(reader, &frame, 3).values.f64[4] == 4.5);
	end_made(&m, reader, &frame);
}

static void test_times_of_others(void **state)
{
	(void)state;
	static const struct {
		const char *format;
		sheaf_meaning meaning;
		int digits;
	} cases[] = {{"tss:", SHEAF_DATETIME, 0}, {"tsm:", SHEAF_DATETIME, 3},
	             {"tsu:", SHEAF_DATETIME, 6}, {"tsn:", SHEAF_DATETIME, 9},
	             {"tdm", SHEAF_DATETIME, 3},  {"tsm:Europe/Rome", SHEAF_DATETIMETZ, 3},
	             {"ttu", SHEAF_TIME, 6},      {"ttn", SHEAF_TIME, 9},
	             {"tDs", SHEAF_DURATION, 0},  {"tDn", SHEAF_DURATION, 9}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const int64_t times[] = {1500, cases[i].meaning == SHEAF_TIME ? 0 : INT64_MAX};
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, 2);
		put_field(&m, 0, "t", cases[i].format, 0);
		put_column(&m, 0, 2, 0, (const void *[]){NULL, times}, 2);
		assert_ok(read_made(&m, &reader, &frame));
		assert_int_equal(column_of(reader, &frame, 0).values.i64[0], 1500);
		assert_int_equal(column_of(reader, &frame, 0).meaning, cases[i].meaning);
		assert_int_equal(column_of(reader, &frame, 0).digits, cases[i].digits);
		end_made(&m, reader, &frame);
	}
}

static void test_lists_of_others(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	sheaf_stream_arrays arrays;
	static const int32_t offsets[] = {1, 2, 2, 4};
	static const double numbers[] = {9, 1, 2, 3, 4, 5, 6, 7};
	const void *values[] = {NULL, numbers};
	struct ArrowSchema number = {.format = "g", .name = "item"}, *numbers_of[] = {&number};
	struct ArrowArray number_array = {.length = 7, .offset = 1, .n_buffers = 2, .buffers = values},
					  *arrays_of[] = {&number_array};
	make(&m, 2, 3);
	put_field(&m, 0, "list", "+l", ARROW_FLAG_NULLABLE);
	m.fields[0].n_children = 1;
	m.fields[0].children = numbers_of;
	put_column(&m, 0, 3, 0, (const void *[]){NULL, offsets}, 2);
	m.columns[0].n_children = 1;
	m.columns[0].children = arrays_of;
	put_field(&m, 1, "vector", "+w:2", 0);
	m.fields[1].n_children = 1;
	m.fields[1].children = numbers_of;
	put_column(&m, 1, 3, 0, (const void *[]){NULL}, 1);
	m.columns[1].n_children = 1;
	m.columns[1].children = arrays_of;
	assert_ok(read_made(&m, &reader, &frame));
	assert_ok(sheaf_frame_stream(&frame, sheaf_arrow_reader_schema(reader), 0, &arrays, &err));
	assert_int_equal(arrays.dim, 1);
	assert_memory_equal(arrays.rows, ((int64_t[]){0, 1, 1, 3}), 32);
	assert_ptr_equal(arrays.values.data, numbers + 2);
	assert_ok(sheaf_frame_stream(&frame, sheaf_arrow_reader_schema(reader), 1, &arrays, &err));
	assert_int_equal(arrays.dim, 2);
	assert_memory_equal(arrays.rows, ((int64_t[]){0, 1, 2, 3}), 32);
	assert_int_equal(arrays.values.count, 6);
	end_made(&m, reader, &frame);
}

/* Row r of a column, after those before it. */
static void put_cell(char *text, size_t size, const sheaf_frame *frame, int column, int64_t r)
{
	sheaf_builder b;
	size_t n = strlen(text);
	sheaf_builder_begin(&b, cx, NULL);
	sheaf_position_text(&b, &frame->columns[column], 0, r, SHEAF_TEXT_SHORT);
	sheaf_builder_byte(&b, '\0');
	snprintf(text + n, size - n, "%s%s", n ? " " : "", (const char *)b.data);
	sheaf_builder_drop(&b);
}

/* A dictionary of numbers, one of which is missing, and indices, one of which is missing, too. */
static void test_dictionaries_of_numbers(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	char text[100] = "";
	static const uint8_t indices[] = {2, 0, 1, 0, 2}, all_but_last[] = {0xf}, but_the_second[] = {5};
	static const int64_t words[] = {-7, 1, 1LL << 62};
	const void *values[] = {but_the_second, words};
	struct ArrowSchema word = {.format = "l", .name = "", .flags = ARROW_FLAG_NULLABLE};
	struct ArrowArray word_array = {.length = 3, .null_count = 1, .n_buffers = 2, .buffers = values};
	make(&m, 1, 5);
	put_field(&m, 0, "c", "C", ARROW_FLAG_NULLABLE);
	m.fields[0].dictionary = &word;
	put_column(&m, 0, 5, 1, (const void *[]){all_but_last, indices}, 2);
	m.columns[0].null_count = 1;
	m.columns[0].dictionary = &word_array;
	assert_ok(read_made(&m, &reader, &frame));
	for (int64_t r = 0; r < 5; r++) put_cell(text, sizeof text, &frame, 0, r);
	assert_string_equal(text, "4611686018427387904 -7 null -7 null");
	end_made(&m, reader, &frame);
	word_array.length = 2;
	make(&m, 1, 5);
	put_field(&m, 0, "c", "C", ARROW_FLAG_NULLABLE);
	m.fields[0].dictionary = &word;
	put_column(&m, 0, 5, 1, (const void *[]){NULL, indices}, 2);
	m.columns[0].dictionary = &word_array;
	assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
	assert_message("expected an index below the size of its dictionary, found 2");
	end_made(&m, reader, &frame);
}

static void make_text_lists(made_array *m, struct ArrowSchema **item, struct ArrowArray **items, int columns)
{
	static const int32_t offsets[] = {0, 2, 2, 3};
	static const void *buffers[] = {NULL, offsets};
	make(m, columns, 3);
	put_field(m, 0, "words", "+l", 0);
	m->fields[0].n_children = 1;
	m->fields[0].children = item;
	put_column(m, 0, 3, 0, buffers, 2);
	m->columns[0].n_children = 1;
	m->columns[0].children = items;
}

/* Lists of texts are read beside a stream, and alone. */
static void test_lists_of_texts(void **state)
{
	(void)state;
	made_array m;
	sheaf_arrow_reader *reader;
	sheaf_frame frame;
	char text[100] = "";
	static const int32_t ends[] = {0, 1, 3, 3};
	static const uint8_t valid[] = {3};
	static const double numbers[] = {1, 2, 3};
	struct ArrowSchema item = {.format = "u", .name = "item", .flags = ARROW_FLAG_NULLABLE}, *of[] = {&item};
	struct ArrowSchema number = {.format = "g", .name = "item"}, *numbers_of[] = {&number};
	char letters[] = "abc";
	const void *texts[] = {valid, ends, letters}, *values[] = {NULL, numbers};
	struct ArrowArray items = {.length = 3, .null_count = 1, .n_buffers = 3, .buffers = texts},
					  *arrays[] = {&items}, vector = {.length = 3, .n_buffers = 2, .buffers = values},
					  *vectors[] = {&vector};
	make_text_lists(&m, of, arrays, 1);
	assert_ok(read_made(&m, &reader, &frame));
	end_made(&m, reader, &frame);
	make_text_lists(&m, of, arrays, 2);
	put_field(&m, 1, "A", "+w:1", 0);
	m.fields[1].n_children = 1;
	m.fields[1].children = numbers_of;
	put_column(&m, 1, 3, 0, (const void *[]){NULL}, 1);
	m.columns[1].n_children = 1;
	m.columns[1].children = vectors;
	assert_ok(read_made(&m, &reader, &frame));
	for (int64_t r = 0; r < 3; r++) put_cell(text, sizeof text, &frame, 0, r);
	assert_string_equal(text, "\"a\" \"bc\" - null");
	/* Row 0 has the second text, too. */
	struct ArrowArray out;
	memcpy(frame.columns[0].values.data, "ab\xff", 3);
	assert_status(SHEAF_DATA,
	              sheaf_arrow_frame(&frame, sheaf_arrow_reader_schema(reader), NULL, cx, &out, &err));
	assert_message("row 0, column \"words\": expected UTF-8");
	end_made(&m, reader, &frame);
}

static void test_what_has_no_place(void **state)
{
	(void)state;
	static const struct {
		const char *format, *message;
	} bad[] = {
		{"d:10,2,24", "found type \"d:10,2,24\", decimals (the program that has written it can cast it"},
		{"d:77,2", "decimals"},
		{"d:10", "decimals"},
		{"d:10,2,128x", "decimals"},
		{"d:10,77", "decimals"},
		{"+m", "found type \"+m\""},
		{"tim", "found type \"tim\""},
		{"+r", "found type \"+r\""},
		{"w:0", "found type \"w:0\""},
		{"tDx", "found type"},
		{"", "found type"},
		{NULL, "found type \"\""}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, 1);
		put_field(&m, 0, "c", bad[i].format, 0);
		put_column(&m, 0, 1, 0, (const void *[]){NULL, "12345678"}, 2);
		assert_status(SHEAF_UNSUPPORTED, read_made(&m, &reader, &frame));
		assert_message(bad[i].message);
		assert_null(reader);
		end_made(&m, NULL, &frame);
	}
}

/* Rows are a struct; sparse samples say how wide they are. */
static void test_schemas_that_lack_something(void **state)
{
	(void)state;
	struct ArrowSchema parts[] = {{.format = "i", .name = "index"}, {.format = "f", .name = "value"}},
					   *parts_of[] = {&parts[0], &parts[1]};
	struct ArrowSchema entry = {.format = "+s", .name = "entry", .n_children = 2, .children = parts_of},
					   *entry_of[] = {&entry};
	struct ArrowSchema sample = {.format = "+l", .name = "sample", .n_children = 1, .children = entry_of},
					   *sample_of[] = {&sample};
	for (int i = 0; i < 2; i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, 0);
		put_field(&m, 0, "x", i ? "+l" : "i", 0);
		m.fields[0].n_children = i;
		m.fields[0].children = sample_of;
		put_column(&m, 0, 0, 0, (const void *[]){NULL, NULL}, 2);
		if (!i) m.schema.format = "+l";
		assert_status(SHEAF_UNSUPPORTED, read_made(&m, &reader, &frame));
		assert_message(i ? "arrow column \"x\": expected the dim of its sparse samples in the metadata"
		                 : "arrow: expected rows, a struct of columns, found \"+l\"");
		end_made(&m, NULL, &frame);
	}
}

/* Indices may have any type, and are below the dim. */
/* Numbers of several bytes are in the order of the machine. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DECIMAL(high, low) {low, high}
#define INT_BYTES(byte) byte "\0\0\0"
#else
#define DECIMAL(high, low) {high, low}
#define INT_BYTES(byte) "\0\0\0" byte
#endif

static void test_indices_of_others(void **state)
{
	(void)state;
	static const char metadata[] = INT_BYTES("\1") INT_BYTES("\11") "sheaf.dim" INT_BYTES("\1") "3";
	static const int32_t from[] = {0, 2}, one[] = {0, 1};
	static const float values[] = {7, 8};
	static const struct {
		int64_t indices[2];
		const char *message;
	} rows[] = {{{0, 2}, NULL},
	            {{0, 3}, "column \"x\": expected an index below its dim, found 3"},
	            {{-1, 2}, "column \"x\": expected an index below its dim, found -1"}};
	struct ArrowSchema parts[] = {{.format = "l", .name = "index"}, {.format = "f", .name = "value"}},
					   *parts_of[] = {&parts[0], &parts[1]};
	struct ArrowSchema entry = {.format = "+s", .name = "entry", .n_children = 2, .children = parts_of},
					   *entry_of[] = {&entry};
	struct ArrowSchema sample = {.format = "+l", .name = "sample", .n_children = 1, .children = entry_of},
					   *sample_of[] = {&sample};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ArrowArray numbers[] = {
			{.length = 2, .n_buffers = 2, .buffers = (const void *[]){NULL, rows[i].indices}},
			{.length = 2, .n_buffers = 2, .buffers = (const void *[]){NULL, values}}};
		struct ArrowArray *numbers_of[] = {&numbers[0], &numbers[1]};
		struct ArrowArray entries = {.length = 2,
		                             .n_buffers = 1,
		                             .buffers = (const void *[]){NULL},
		                             .n_children = 2,
		                             .children = numbers_of},
						  *entries_of[] = {&entries};
		struct ArrowArray samples = {.length = 1,
		                             .n_buffers = 2,
		                             .buffers = (const void *[]){NULL, from},
		                             .n_children = 1,
		                             .children = entries_of},
						  *samples_of[] = {&samples};
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, 1);
		put_field(&m, 0, "x", "+l", 0);
		m.fields[0].metadata = metadata;
		m.fields[0].n_children = 1;
		m.fields[0].children = sample_of;
		put_column(&m, 0, 1, 0, (const void *[]){NULL, one}, 2);
		m.columns[0].n_children = 1;
		m.columns[0].children = samples_of;
		assert_status(rows[i].message ? SHEAF_DATA : SHEAF_OK, read_made(&m, &reader, &frame));
		if (rows[i].message) assert_message(rows[i].message);
		end_made(&m, reader, &frame);
	}
}

/* The message names the type of the words, not of the indices. */
static void test_dictionaries_that_have_no_place(void **state)
{
	(void)state;
	static const char *const formats[] = {"d:38,2", "+vl", "+m"};
	for (size_t i = 0; i < COUNT(formats); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		char message[80];
		make(&m, 1, 1);
		put_field(&m, 0, "c", "c", 0);
		struct ArrowSchema words = {.format = formats[i], .name = ""};
		m.fields[0].dictionary = &words;
		put_column(&m, 0, 1, 0, (const void *[]){NULL, "1"}, 2);
		assert_status(SHEAF_UNSUPPORTED, read_made(&m, &reader, &frame));
		snprintf(message, sizeof message, "found a dictionary of type \"%s\"", formats[i]);
		assert_message(message);
		end_made(&m, NULL, &frame);
	}
}

static void test_decimals(void **state)
{
	(void)state;
	static const int64_t numbers[][2] = {DECIMAL(-1, -1234), DECIMAL(0, 5), DECIMAL(0, 999999999999999)};
	static const int32_t narrow[] = {-7, 70, 0};
	static const struct {
		const char *format;
		const void *values;
		const char *rows;
	} good[] = {{"d:15,2", numbers, "-12.34 0.05 9999999999999.99"},
	            {"d:16,0", numbers, "-1234 5 999999999999999"},
	            {"d:15,-1", numbers, "-12340 50 9999999999999990"},
	            {"d:20,3", numbers, "\"-1.234\" \"0.005\" \"999999999999.999\""},
	            {"d:19,-1", numbers, "\"-12340\" \"50\" \"9999999999999990\""},
	            {"d:9,12,32", narrow, "-7e-12 7e-11 0"},
	            {"d:9,30,32", narrow,
	             "\"-0.000000000000000000000000000007\" \"0.000000000000000000000000000070\" "
	             "\"0.000000000000000000000000000000\""}};
	for (size_t i = 0; i < COUNT(good); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		char found[300] = "";
		make(&m, 1, 3);
		put_field(&m, 0, "d", good[i].format, 0);
		put_column(&m, 0, 3, 0, (const void *[]){NULL, good[i].values}, 2);
		assert_ok(read_made(&m, &reader, &frame));
		for (int64_t r = 0; r < 3; r++) put_cell(found, sizeof found, &frame, 0, r);
		assert_string_equal(found, good[i].rows);
		end_made(&m, reader, &frame);
	}
}

static void test_decimals_of_too_many_digits(void **state)
{
	(void)state;
	static const int64_t numbers[][2] = {DECIMAL(0, 1), DECIMAL(0, INT64_C(1000000000000000)), DECIMAL(1, 0)};
	static const char *const formats[] = {"d:15,2", "d:14,-3", "d:18,0"};
	static const int rows[] = {1, 1, 2};
	for (size_t i = 0; i < COUNT(formats); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		char expected[100];
		make(&m, 1, 3);
		put_field(&m, 0, "d", formats[i], 0);
		put_column(&m, 0, 3, 0, (const void *[]){NULL, numbers}, 2);
		snprintf(expected, sizeof expected,
		         "column \"d\": expected decimals of as many digits as their type says, found more in row %d",
		         rows[i]);
		assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
		assert_message(expected);
		end_made(&m, reader, &frame);
	}
}

/* Mistakes of a producer that a consumer can detect. */
static void test_arrays_that_are_not_sound(void **state)
{
	(void)state;
	static const int32_t falling[] = {0, 5, 2}, below[] = {-1, 2, 5};
	static const uint8_t second_missing[] = {0x01};
	const void *one[] = {NULL, "12345678"}, *none[] = {NULL, NULL}, *texts[] = {NULL, falling, "abcdefgh"},
			   *before[] = {NULL, below, "abcdefgh" + 1}, *gap[] = {second_missing, "12345678"};
	struct {
		const char *format;
		int64_t length, nulls;
		const void **buffers;
		int n;
		const char *message;
		int64_t rows; /* 0: two */
	} bad[] = {{"i", 1, 0, one, 2, "as many positions as its parent covers, found 1"},
	           {"i", 2, 0, one, 1, "the buffers of its type, found 1"},
	           {"i", 2, 0, NULL, 2, "the buffers of its type, found 2"},
	           {"i", 2, 0, none, 2, "expected its elements, found none in buffer 1"},
	           {"i", 1, 0, none, 2, "expected its elements, found none in buffer 1", 1},
	           {"b", 1, 0, none, 2, "expected its elements, found none in buffer 1", 1},
	           {"e", 2, 0, none, 2, "expected its elements, found none in buffer 1"},
	           {"tss:", 2, 0, none, 2, "expected its elements, found none in buffer 1"},
	           {"i", -1, 0, one, 2, "positions"},
	           {"u", 2, 0, texts, 3, ""},
	           {"u", 2, 0, before, 3, "expected offsets that ascend from 0 on"},
	           {"i", 2, 1, gap, 2, "null"}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		made_array m;
		sheaf_arrow_reader *reader;
		sheaf_frame frame;
		make(&m, 1, bad[i].rows ? bad[i].rows : 2);
		put_field(&m, 0, "c", bad[i].format, 0);
		put_column(&m, 0, bad[i].length, bad[i].nulls, bad[i].buffers, bad[i].n);
		assert_status(SHEAF_DATA, read_made(&m, &reader, &frame));
		assert_message(bad[i].message);
		end_made(&m, reader, &frame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts_of_others),
		cmocka_unit_test(test_a_dictionary),
		cmocka_unit_test(test_numbers_of_others),
		cmocka_unit_test(test_times_of_others),
		cmocka_unit_test(test_lists_of_others),
		cmocka_unit_test(test_dictionaries_of_numbers),
		cmocka_unit_test(test_lists_of_texts),
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_decimals_of_too_many_digits),
		cmocka_unit_test(test_what_has_no_place),
		cmocka_unit_test(test_schemas_that_lack_something),
		cmocka_unit_test(test_indices_of_others),
		cmocka_unit_test(test_dictionaries_that_have_no_place),
		cmocka_unit_test(test_arrays_that_are_not_sound),
	};
	return cmocka_run_group_tests(tests, make_context_and_folder, drop_context_and_folder);
}
