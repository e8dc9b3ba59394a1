/* SPDX-License-Identifier: MIT */
/* Frames and findings of the text formats do not depend on the kernel, and kernels read the plain lines
 * that they are meant for. */
#include "format/ctf/ctf.h"
#include "reading.h"
#include "share.h"
#include "texts.h"
#include <inttypes.h>
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sequences ---- */

static const way ways_of_ctf[] = {
	{"ctf", {{"stream", "A:3:dense"}, {"stream", "B:100:sparse"}}, false, 0},
	{"ctf", {{"stream", "A:3:dense"}, {"stream", "B:100:sparse"}}, true, 0},
	{"ctf", {{"stream", "A:40:dense:double"}, {"stream", "B:50000000000:sparse:double"}}, true, 0},
	{"ctf", {{"stream", "A:3:dense"}, {"stream", "B:100:sparse"}, {"skip-sequence-ids", NULL}}, false, 0},
	{"ctf",
     {{"stream", "A:3:dense"},
      {"stream", "B:100:sparse"},
      {"stream", "a-name-longer-than-eight:7:sparse"},
      {"allow", "unaligned"}},
     false,
     64},
	{"ctf", {{"stream", "B:100:sparse"}, {"allow", "missing"}}, true, 0},
	{"ctf", {{NULL, NULL}}, false, 0},
};

static void put_sample(made_text *t)
{
	int n = random_below(8) ? 3 : (int)random_below(60);
	switch (random_below(9)) {
	case 0: put(t, "|a-name-longer-than-eight "); break;
	case 1: put(t, random_below(2) ? "|# a comment" : "|C 1"); return;
	case 2:
	case 3:
	case 4:
		put(t, "|A ");
		for (; n > 0; n--) {
			put_number(t);
			if (n > 1) put_space(t);
		}
		return;
	default: put(t, "|B "); break;
	}
	for (n = (int)random_below(random_below(10) ? 3 : 50); n > 0; n--) {
		char word[32];
		snprintf(word, sizeof word, "%d:", (int)random_below(random_below(50) ? 100 : 200));
		put(t, word);
		if (random_below(3))
			put(t, "1");
		else
			put_number(t);
		if (n > 1) put_space(t);
	}
}

static void put_line(made_text *t, int *id)
{
	char word[32];
	*id += random_below(3) == 0;
	snprintf(word, sizeof word, "%d%s", *id, random_below(2) ? "\t" : " ");
	if (random_below(10)) put(t, word);
	for (int samples = random_below(5) ? 2 : (int)random_below(5); samples > 0; samples--) {
		put_sample(t);
		if (samples > 1) put(t, random_below(3) ? "\t" : " ");
	}
	put(t, random_below(20) ? "\n" : "\r\n");
}

static void test_text_format(void **state)
{
	(void)state;
	static made_text t;
	seed_random(7);
	for (int round = 0; round < rounds(1500); round++) {
		int id = 0;
		t.size = 0;
		for (int64_t lines = random_below(30); lines >= 0; lines--) put_line(&t, &id);
		if (round % 3) damage(&t);
		for (size_t w = 0; w < COUNT(ways_of_ctf); w++) compare_readings(&ways_of_ctf[w], bytes_of(&t));
	}
}

/* ---- entries of tensors ---- */

/* Numbers at the edges of what a value, or a kernel, holds. */
static void put_edge(made_text *t)
{
	static const char *const words[] = {"-1e400",
	                                    "1e309",
	                                    "0.1e400",
	                                    "1e-400",
	                                    "-1e39",
	                                    "3.5e38",
	                                    "4e-46",
	                                    "1e-310",
	                                    "1.7976931348623159e308",
	                                    "9223372036854775808",
	                                    "-9223372036854775809",
	                                    "18446744073709551616",
	                                    "12345678901234567890123",
	                                    "nan",
	                                    "-Inf",
	                                    "1e99999999999",
	                                    ".5",
	                                    "5.e1",
	                                    "+1"};
	put(t, words[random_below((int64_t)COUNT(words))]);
}

static void put_value(made_text *t)
{
	if (random_below(12) == 0) return put_edge(t);
	put_number(t);
}

static void put_index(made_text *t, int64_t most)
{
	char word[32];
	snprintf(word, sizeof word, "%" PRId64,
	         random_below(40) ? 1 + random_below(most) : random_below(3 * most));
	put(t, word);
}

static void put_entry(made_text *t, int coordinates, int numbers, bool integers, int64_t most)
{
	char word[32];
	for (int c = 0; c < coordinates; c++) {
		put(t, c ? " " : "");
		put_index(t, most);
	}
	for (int n = 0; n < numbers; n++) {
		put(t, coordinates || n ? " " : "");
		snprintf(word, sizeof word, "%" PRId64, (int64_t)next_random() >> random_below(64));
		integers &&random_below(20) ? put(t, word) : put_value(t);
	}
	put(t, random_below(60) ? "\n" : random_below(2) ? "\r\n" : " \n");
}

/* Every second text is sound but for its values, every third one is damaged. */
static void compare_entries(const way *w, made_text *t, int round)
{
	if (round % 3 == 2) damage(t);
	compare_readings(w, bytes_of(t));
}

static void test_matrix_market(void **state)
{
	static const char *const kinds[][3] = {{"real", "general", "coordinate"},
	                                       {"real", "symmetric", "coordinate"},
	                                       {"integer", "general", "coordinate"},
	                                       {"integer", "skew-symmetric", "coordinate"},
	                                       {"complex", "general", "coordinate"},
	                                       {"complex", "hermitian", "coordinate"},
	                                       {"pattern", "general", "coordinate"},
	                                       {"real", "general", "array"},
	                                       {"integer", "general", "array"},
	                                       {"complex", "general", "array"},
	                                       {"unsigned-integer", "general", "coordinate"}};
	static const way ways[] = {{"matrixmarket", {{NULL, NULL}}, false, 0},
	                           {"matrixmarket", {{NULL, NULL}}, true, 0},
	                           {"matrixmarket", {{NULL, NULL}}, true, 700}};
	enum { SIDE = 9, ENTRIES = SIDE * SIDE };
	static made_text t;
	(void)state;
	seed_random(10);
	for (int round = 0; round < rounds(330); round++) {
		const char *const *kind = kinds[(size_t)round % COUNT(kinds)];
		bool array = strcmp(kind[2], "array") == 0, complex = strcmp(kind[0], "complex") == 0;
		char word[128];
		snprintf(word, sizeof word,
		         array ? "%%%%MatrixMarket matrix %s %s %s\n%d %d\n"
		               : "%%%%MatrixMarket matrix %s %s %s\n%d %d %d\n",
		         kind[2], kind[0], kind[1], SIDE, SIDE, ENTRIES);
		t.size = 0;
		put(&t, word);
		for (int k = 0; k < ENTRIES; k++)
			put_entry(&t, array ? 0 : 2, complex ? 2 : strcmp(kind[0], "pattern") != 0,
			          strstr(kind[0], "integer") != NULL, SIDE);
		compare_entries(&ways[(size_t)round % COUNT(ways)], &t, round);
	}
}

static void test_tensors(void **state)
{
	static const way ways[] = {{"tns", {{NULL, NULL}}, false, 0},
	                           {"tns", {{NULL, NULL}}, true, 900},
	                           {"tns", {{"element-type", "int64"}}, true, 0}};
	static made_text t;
	(void)state;
	seed_random(11);
	for (int round = 0; round < rounds(300); round++) {
		const way *w = &ways[(size_t)round % COUNT(ways)];
		int rank = 1 + (int)random_below(6);
		t.size = 0;
		for (int lines = (int)random_below(120); lines >= 0; lines--)
			put_entry(&t, rank, 1, w->settings[0].name, 4000);
		compare_entries(w, &t, round / 3);
	}
}

/* ---- labels and features, cells, examples ---- */

static void test_svmlight(void **state)
{
	static const way ways[] = {{"svmlight", {{NULL, NULL}}, false, 0},
	                           {"svmlight", {{"element-type", "double"}}, true, 0},
	                           {"svmlight", {{"element-type", "float"}, {"shape", "500"}}, true, 300}};
	static made_text t;
	(void)state;
	seed_random(12);
	for (int round = 0; round < rounds(300); round++) {
		t.size = 0;
		for (int64_t lines = random_below(20); lines >= 0; lines--) {
			put_value(&t);
			int64_t index = 0;
			for (int64_t n = random_below(30); n > 0; n--) {
				char word[32];
				index += 1 + random_below(20) - (random_below(100) == 0) * 25;
				snprintf(word, sizeof word, " %" PRId64 ":", index);
				put(&t, word);
				put_value(&t);
			}
			put(&t, random_below(9) ? "\n" : " # said\r\n");
		}
		compare_entries(&ways[(size_t)round % COUNT(ways)], &t, round / 3);
	}
}

static void test_cells(void **state)
{
	static const way ways[] = {{"csv", {{NULL, NULL}}, false, 0},
	                           {"csv", {{NULL, NULL}}, true, 200},
	                           {"csv", {{"type", "A=double"}, {"type", "B=float"}}, true, 0}};
	static made_text t;
	(void)state;
	seed_random(13);
	for (int round = 0; round < rounds(300); round++) {
		t.size = 0;
		put(&t, "A,B,C\n");
		for (int64_t lines = random_below(30); lines >= 0; lines--) {
			put_value(&t), put(&t, ","), put_value(&t);
			put(&t, random_below(4) ? ",1\n" : ",\"a \"\"b\"\"\n,c\"\r\n");
		}
		compare_entries(&ways[(size_t)round % COUNT(ways)], &t, round / 3);
	}
}

/* A field of a table that is mostly sound. */
static void put_field(made_text *t, int column)
{
	static const char *const
		texts[] = {"a",
	               "",
	               "null",
	               "\"\"",
	               "\"x,\"\"y\"\"\"",
	               "\"two\nlines\"",
	               "long enough for a block",
	               "\"quoted\"",
	               "?5",
	               "x\"y",
	               "a text that is longer than what is copied in one step, whatever its length"},
		*const numbers[] = {"0",
	                        "-0",
	                        "007",
	                        "12.50",
	                        "-3.25",
	                        "1234567890123456",
	                        "123456789012345678",
	                        "9223372036854775807",
	                        "-9223372036854775808",
	                        "0.1234567890123456",
	                        "0.30000000000000004",
	                        "-123.45678901234567",
	                        "1.7976931348623157",
	                        "1843.9999999999999999",
	                        "1844.0000000000000001",
	                        "0.00000000000000000000123456789",
	                        "12345678901234567.5",
	                        "0.12345678901234567890123456789012345",
	                        "00.12345678901234567",
	                        "1.2345678901234567.8",
	                        "1.23456789012x4567",
	                        "-9007199254740993",
	                        ".5",
	                        "5.",
	                        "1e3",
	                        "--1",
	                        "1.2.3",
	                        " 7 ",
	                        "-"},
		*const times[] = {"2000-02-29 23:59:59",
	                      "1900-02-29 00:00:00",
	                      "2023-04-31 00:00:00",
	                      "2023-12-31T12:30:45",
	                      "1719-12-31 23:59:59",
	                      "9999-12-31 23:59:59",
	                      "0000-01-01 00:00:00",
	                      "2023-13-01 00:00:00",
	                      "2023-01-01 24:00:00",
	                      "2023-01-01 00:60:00",
	                      "2023-01-01 00:00:60",
	                      "2023-01-00 00:00:00",
	                      "2023-1-01 00:00:000",
	                      "2012-05-25 14:13:29.500",
	                      "2012-05-25 14:13:29 +02:00",
	                      "2012-05-25U14:13:29",
	                      "\xcf\xcf\xcf\xcf-05-25 14:13:29",
	                      ""},
		*const days[] = {"2023-02-29", "0000-01-01",  "-2023-1-01", "12023-01-01", "2020-01-05", "2023-1-001",
	                     "2023/01/01", " 2023-01-01", "2023-01-32", "2023-01-0:",  "",           "null"},
		*const flags[] = {"True", "FALSE", "tru", "falsf", "xalse", "0", "", "null"};
	char number[160];
	switch (column) {
	case 0: snprintf(number, sizeof number, "%" PRId64, random_below(100000)); break;
	case 1:
		snprintf(number, sizeof number, "-%" PRId64 ".%03" PRId64, random_below(1000), random_below(1000));
		break;
	case 2: put(t, texts[random_below(random_below(9) ? 9 : COUNT(texts))]); return;
	case 3: put(t, random_below(30) ? "17.25" : numbers[random_below(COUNT(numbers))]); return;
	case 4:
		if (random_below(40) == 0) {
			put(t, times[random_below(COUNT(times))]);
			return;
		}
		snprintf(number, sizeof number,
		         "%" PRId64 "-%02" PRId64 "-%02" PRId64 " 0%" PRId64 ":5%" PRId64 ":07",
		         1800 + random_below(300), 1 + random_below(12), 1 + random_below(28), random_below(10),
		         random_below(10));
		break;
	case 5:
		if (random_below(40) == 0) {
			put(t, days[random_below(COUNT(days))]);
			return;
		}
		snprintf(number, sizeof number, "%" PRId64 "-%02" PRId64 "-%02" PRId64, 1000 + random_below(9000),
		         1 + random_below(12), 1 + random_below(28));
		break;
	default:
		put(t, random_below(40) ? random_below(2) ? "true" : "false" : flags[random_below(COUNT(flags))]);
		return;
	}
	put(t, number);
}

/* Kernels that read fields read plain ones to the last block, and no byte after it. */
static void check_fields(const sheaf_kernel *kernel, const char *data, size_t size)
{
	enum { ROOM = TEXT_ROOM + 2 * SHEAF_FIELDS_BLOCK, RECORD = 110, WIDTH = 7, FIRST = 32 };
	static uint32_t starts[ROOM], ends[ROOM];
	static int64_t lines[ROOM], whole[ROOM];
	static double real[ROOM];
	static uint8_t flags[ROOM];
	unsigned seen = 0;
	sheaf_fields_cut c = {.begin = (const uint8_t *)data,
	                      .end = (const uint8_t *)data + size,
	                      .delimiter = ',',
	                      .feed = '\n',
	                      .quote = '"',
	                      .width = WIDTH,
	                      .first_line = 5,
	                      .starts = starts,
	                      .ends = ends,
	                      .lines = lines};
	sheaf_fields_cut_begin(&c);
	kernel->fields->cut(&c, c.end);
	if (strcmp(kernel->name, "scalar") == 0) {
		assert_int_equal(c.records, 0);
		return;
	}
	assert_true(!c.stopped && size - c.record < RECORD + SHEAF_FIELDS_BLOCK);
	for (size_t r = 0; r < c.records; r++) assert_int_equal(lines[r], 5 + (int64_t)r);
	sheaf_fields f = {c.begin, starts, ends, 1, WIDTH, 0, false, c.records};
	size_t from = 0;
	while (from < f.count && ends[from * WIDTH] < FIRST) from++; /* too near to the beginning for some */
	assert_int_equal(kernel->fields->read_i64(&f, from, whole), f.count);
	assert_int_equal(kernel->fields->look(&f, from, &seen), f.count);
	assert_int_equal(seen, from < f.count ? SHEAF_FIELD_WHOLE : 0);
	for (size_t r = from; r < f.count; r++) assert_int_equal(whole[r], r * 1001);
	f = (sheaf_fields){c.begin, ends, ends + 1, WIDTH, WIDTH, 1, false, c.records};
	assert_int_equal(kernel->fields->read_f64(&f, from, real), f.count);
	for (size_t r = from; r < f.count; r++) assert_true(real[r] == -0.25 * (double)(r % 4) - 1);
	assert_int_equal(kernel->fields->read_i64(&f, from, whole), from);
	f = (sheaf_fields){c.begin, ends + 2, ends + 3, WIDTH, WIDTH, 1, false, c.records};
	assert_int_equal(kernel->fields->read_f64(&f, from, real), f.count);
	for (size_t r = from; r < f.count; r++) {
		char text[40];
		snprintf(text, sizeof text, "%zu.1234567890123456", r);
		assert_true(real[r] == strtod(text, NULL));
	}
	f = (sheaf_fields){c.begin, ends + 3, ends + 4, WIDTH, WIDTH, 1, false, c.records};
	assert_int_equal(kernel->fields->read_times(&f, 0, NULL), f.count);
	assert_int_equal(kernel->fields->read_times(&f, 0, whole), f.count);
	for (size_t r = 0; r < f.count; r++) assert_int_equal(whole[r], 951868740 + (int64_t)(r % 60));
	f = (sheaf_fields){c.begin, ends + 4, ends + 5, WIDTH, WIDTH, 1, false, c.records};
	assert_int_equal(kernel->fields->read_days(&f, 0, NULL), f.count);
	assert_int_equal(kernel->fields->read_days(&f, 0, whole), f.count);
	for (size_t r = 0; r < f.count; r++) assert_int_equal(whole[r], 18262 + (int64_t)(r % 30));
	f = (sheaf_fields){c.begin, ends + 5, ends + 6, WIDTH, WIDTH, 1, true, c.records};
	assert_int_equal(kernel->fields->read_bools(&f, 0, NULL), f.count);
	assert_int_equal(kernel->fields->read_bools(&f, 0, flags), f.count);
	for (size_t r = 0; r < f.count; r++) assert_int_equal(flags[r], r % 3 == 0);
}

static void test_fields(void **state)
{
	static made_text t;
	(void)state;
	for (int records = 1; records < 180; records += records < 20 ? 1 : 37) {
		t.size = 0;
		for (int r = 0; r < records; r++) {
			char line[160];
			snprintf(line, sizeof line,
			         "%d,-1.%02d,%s,%d.1234567890123456,2000-02-29%c23:59:%02d,2020-01-%02d,%s\n", r * 1001,
			         r % 4 * 25, r % 3 ? "\"a, \"\"b\"" : "text", r, r % 2 ? 'T' : ' ', r % 60, r % 30 + 1,
			         r % 3 ? "false" : "true");
			put(&t, line);
		}
		with_kernels(check_fields, t.data, t.size);
	}
}

/* Tables of some kilobytes, whose records cross the edges of blocks at any byte. */
static void test_tables(void **state)
{
	static const way ways[] = {
		{"csv", {{NULL, NULL}}, false, 0},
		{"csv", {{NULL, NULL}}, true, 1000},
		{"csv", {{"missing", "-3.25,0"}}, true, 0},
		{"csv", {{"missing", "true,2000-02-29 23:59:59,2020-01-05"}}, true, 0},
		{"csv",
	     {{"columns", "a:int64,b:double,c:string null,d:double null,e:datetime,f:date null,g:bool null"},
	      {"header", "no"}},
	     true,
	     0},
		{"csv",
	     {{"columns", "a:int16,b:float,c:string null,d:int64,e:datetime[ms] null,f:date,g:bool"},
	      {"header", "no"}},
	     true,
	     0},
		{"tsv", {{"delimiter", "comma"}, {"header", "no"}}, true, 0}};
	static made_text t;
	(void)state;
	seed_random(21);
	for (int round = 0; round < rounds(120); round++) {
		const char *end = round % 3 ? "\n" : "\r\n";
		for (t.size = 0; t.size < 3000;) {
			for (int column = 0; column < 7; column++) {
				if (column) put(&t, ",");
				put_field(&t, column);
			}
			if (random_below(200) == 0) put(&t, ",");
			put(&t, random_below(150) ? end : "\n\n");
		}
		if (round % 4 == 3) damage(&t);
		t.size -= (size_t)random_below(3); /* with and without a last feed */
		compare_readings(&ways[(size_t)round % COUNT(ways)], bytes_of(&t));
	}
}

static void put_range(made_text *t, const char *head, bool dense)
{
	put(t, head);
	for (int64_t n = random_below(40); n >= 0; n--) {
		put(t, " ");
		dense ? put_value(t) : put_index(t, 500);
	}
}

static void test_examples(void **state)
{
	static const way ways[] = {
		{"lens", {{NULL, NULL}}, false, 0},
		{"lens", {{NULL, NULL}}, true, 200},
		{"lens", {{"group", "x:40:input"}, {"group", "y:600:output:sparse"}}, true, 0}};
	static made_text t;
	(void)state;
	seed_random(14);
	for (int round = 0; round < rounds(300); round++) {
		t.size = 0;
		put(&t, "defI: 0\n;\n");
		for (int64_t examples = random_below(12); examples >= 0; examples--) {
			put(&t, random_below(3) ? "" : "name: {a b}\n");
			put_range(&t, "I:", true);
			put_range(&t, random_below(2) ? "\nT:" : "\nt:", random_below(2));
			put(&t, ";\n");
		}
		compare_entries(&ways[(size_t)round % COUNT(ways)], &t, round / 3);
	}
}

/* ---- tapes ---- */

/* A kernel that reads lines reads plain ones to the end of the text, or of the tape, and no byte after
 * it. */
static void check_tape(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static sheaf_tape tape;
	sheaf_tape_reader *const readers[] = {kernel->lines_f32, kernel->lines_f64};
	for (size_t i = 0; i < COUNT(readers) && readers[i]; i++) {
		tape.delimiters = &sheaf_ctf_delimiters;
		tape.begin = (const uint8_t *)data;
		tape.end = tape.begin + size;
		readers[i](&tape);
		bool full = tape.nvalues + SHEAF_TAPE_SLACK >= SHEAF_TAPE_ROOM ||
		            tape.nevents + SHEAF_TAPE_SLACK >= SHEAF_TAPE_ROOM;
		assert_true(tape.nevents > 0 && (full || size - tape.at[tape.nevents - 1] < 100));
		for (size_t e = 0; e < tape.nevents; e++) assert_int_equal(e % 3 == 2 ? '\n' : '|', data[tape.at[e]]);
		for (size_t e = 2; e < tape.nevents; e += 3) assert_int_equal(e / 3 * 2 + 2, tape.values_before[e]);
		for (size_t v = 0; v < tape.nvalues; v++)
			assert_true((i ? tape.values.f64[v] : (double)tape.values.f32[v]) == (v % 2 ? 0.5 : 1));
		for (size_t v = 0; v < tape.nindices; v++) assert_int_equal(v * 7 % 1000, tape.indices[v]);
		for (size_t v = 0; v < tape.nids; v++) assert_int_equal(v / 3, tape.ids[v]);
	}
}

static void test_tape(void **state)
{
	(void)state;
	static made_text t;
	for (int lines = 1; lines < 400; lines += lines < 20 ? 1 : 63) {
		t.size = 0;
		for (int i = 0; i < lines; i++) {
			char line[80];
			snprintf(line, sizeof line, "%d\t|S0 %d:1\t|S2 %d:0.5%s", i / 3, 2 * i * 7 % 1000,
			         (2 * i + 1) * 7 % 1000, i % 5 ? "\n" : "\r\n");
			put(&t, line);
		}
		if (lines > 4) with_kernels(check_tape, t.data, t.size);
	}
}

/* The places on a tape are within their lines, of any length, damaged or not. */
static void check_tape_bounds(const sheaf_kernel *kernel, const char *data, size_t size)
{
	static sheaf_tape tape;
	sheaf_tape_reader *const readers[] = {kernel->lines_f32, kernel->lines_f64};
	for (size_t i = 0; i < COUNT(readers) && readers[i]; i++) {
		tape = (sheaf_tape){.delimiters = &sheaf_ctf_delimiters};
		tape.begin = (const uint8_t *)data;
		tape.end = tape.begin + size;
		readers[i](&tape);
		for (size_t e = 0; e < tape.nevents; e++) {
			assert_true(tape.at[e] < size);
			assert_true(data[tape.at[e]] == '|' || data[tape.at[e]] == '\n');
		}
	}
}

static void test_every_length(void **state)
{
	enum { LENGTHS = 300 };
	(void)state;
	static made_text t;
	seed_random(9);
	for (int round = 0; round < rounds(20); round++) {
		int id = 0;
		for (t.size = 0; t.size < 2 * LENGTHS;) put_line(&t, &id);
		if (round % 2) damage(&t);
		for (size_t size = 0; size <= LENGTHS && size <= t.size; size++)
			with_kernels(check_tape_bounds, t.data, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tape),        cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_text_format), cmocka_unit_test(test_matrix_market),
		cmocka_unit_test(test_tensors),     cmocka_unit_test(test_svmlight),
		cmocka_unit_test(test_cells),       cmocka_unit_test(test_examples),
		cmocka_unit_test(test_tables),      cmocka_unit_test(test_fields),
	};
	return cmocka_run_group_tests(tests, map_guarded, unmap_guarded);
}
