/* SPDX-License-Identifier: MIT */
/* Options, and the texts of errors and problems. */
#include "base/buffer.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/spell.h"
#include "support.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- options ---- */

static const sheaf_option table_of_options[] = {
	{"flag", SHEAF_OPTION_FLAG, SHEAF_READING, NULL, "help", 'f'},
	{"text", SHEAF_OPTION_TEXT, SHEAF_READING, "WORD", "help", 0},
	{"count", SHEAF_OPTION_COUNT, SHEAF_WRITING, "N", "help", 0},
	{"size", SHEAF_OPTION_SIZE, SHEAF_WRITING, "SIZE", "help", 0},
	{"choice", SHEAF_OPTION_CHOICE, SHEAF_READING, "one|three|two", "help", 0},
	{"words", SHEAF_OPTION_WORDS, SHEAF_READING, "one,three,two", "help", 0},
	{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

static void test_option_find(void **state)
{
	(void)state;
	assert_ptr_equal(sheaf_option_find(table_of_options, "flag"), &table_of_options[0]);
	assert_ptr_equal(sheaf_option_find(table_of_options, "choice"), &table_of_options[4]);
	assert_null(sheaf_option_find(table_of_options, "choic"));
	assert_null(sheaf_option_find(table_of_options, ""));
	assert_null(sheaf_option_find(NULL, "flag"));
}

static void test_option_check(void **state)
{
	(void)state;
	static const struct {
		const char *name, *value, *message; /* NULL: fine */
	} cases[] = {
		{"flag", NULL, NULL},
		{"flag", "yes", "--flag: expected no value, found yes"},
		{"text", "anything: goes", NULL},
		{"text", "", NULL},
		{"text", NULL, "--text: expected WORD, found nothing"},
		{"count", "0", NULL},
		{"count", "9223372036854775807", NULL},
		{"count", "9223372036854775808", "--count: expected a whole number, found 9223372036854775808"},
		{"count", "-1", "--count: expected a whole number, found -1"},
		{"count", "1K", "--count: expected a whole number, found 1K"},
		{"count", "", "--count: expected a whole number, found "},
		{"count", NULL, "--count: expected a whole number, found nothing"},
		{"size", "64K", NULL},
		{"size", "64KB", NULL},
		{"size", "64KX", "--size: expected a size such as 4096, 64K, 1.5G or 2GB, found 64KX"},
		{"size", NULL, "--size: expected a size such as 4096, 64K, 1.5G or 2GB, found nothing"},
		{"choice", "one", NULL},
		{"choice", "two", NULL},
		{"choice", "three", NULL},
		{"choice", "thre", "--choice: expected one|three|two, found thre"},
		{"choice", "threes", "--choice: expected one|three|two, found threes"},
		{"choice", "one|three", "--choice: expected one|three|two, found one|three"},
		{"choice", "", "--choice: expected one|three|two, found "},
		{"choice", NULL, "--choice: expected one|three|two, found nothing"},
		{"words", "two", NULL},
		{"words", "two,one", NULL},
		{"words", "two,ones", "--words: expected words of one,three,two, found ones; did you mean one?"},
		{"words", "zzzzz", "--words: expected words of one,three,two, found zzzzz"},
		{"words", "two,", "--words: expected words of one,three,two, found "},
		{"words", NULL, "--words: expected words of one,three,two, found nothing"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		sheaf_status status = sheaf_option_check(sheaf_option_find(table_of_options, cases[i].name),
		                                         cases[i].value, NULL, &err);
		assert_int_equal(status, cases[i].message ? SHEAF_USAGE : SHEAF_OK);
		if (cases[i].message) assert_text(cases[i].message, err.message);
	}
}

static void test_option_values(void **state)
{
	(void)state;
	static const sheaf_setting settings[] = {{"stream", "a"}, {"flag", NULL}, {"stream", "b"},
	                                         {"size", "1K"},  {"size", "2K"}, {"stream", "c"},
	                                         {"bad", "x"},    {"words", "a"}, {"words", "b,c"}};
	const sheaf_values values = {settings, COUNT(settings)}, none = {NULL, 0};
	assert_string_equal(sheaf_values_text(&values, "stream"), "c");
	assert_null(sheaf_values_text(&values, "strea"));
	assert_null(sheaf_values_text(&none, "stream"));
	assert_string_equal(sheaf_values_nth(&values, "stream", 0), "a");
	assert_string_equal(sheaf_values_nth(&values, "stream", 2), "c");
	assert_null(sheaf_values_nth(&values, "stream", 3));
	assert_true(sheaf_values_flag(&values, "flag"));
	assert_false(sheaf_values_flag(&none, "flag"));
	assert_true(sheaf_values_flag(&values, "words=a"));
	assert_true(sheaf_values_flag(&values, "words=c"));
	assert_false(sheaf_values_flag(&values, "words=b,"));
	assert_false(sheaf_values_flag(&none, "words=a"));
	assert_int_equal(sheaf_values_number(&values, "size", 7), 2048);
	assert_int_equal(sheaf_values_number(&none, "size", 7), 7);
	assert_int_equal(sheaf_values_number(&values, "bad", 7), 7);
}

static void test_seeds_from_text(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t seed;
	} cases[] = {
		{"0", true, 0},
		{"007", true, 7},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"99999999999999999999", false, 0},
		{"-1", true, UINT64_MAX},
		{"-0", true, 0},
		{"-9223372036854775808", true, UINT64_C(1) << 63},
		{"-9223372036854775809", false, 0},
		{"", false, 0},
		{"-", false, 0},
		{"--1", false, 0},
		{"+1", false, 0},
		{"1 ", false, 0},
		{"1K", false, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t seed = 0;
		assert_int_equal(cases[i].good, sheaf_seed_from_text(cases[i].text, &seed));
		assert_true(!cases[i].good || seed == cases[i].seed);
	}
}

static void test_sizes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t size; /* -1: no size */
	} cases[] = {
		{"0", 0},
		{"1", 1},
		{"007", 7},
		{"64K", 65536},
		{"64k", 65536},
		{"3M", 3 << 20},
		{"2G", INT64_C(2) << 30},
		{"1t", INT64_C(1) << 40},
		{"9223372036854775807", INT64_MAX},
		{"9223372036854775808", -1},
		{"99999999999999999999", -1},
		{"8388607T", INT64_C(8388607) << 40},
		{"8388608T", -1},
		{"9007199254740991K", (INT64_MAX >> 10) << 10},
		{"9007199254740992K", -1},
		{"", -1},
		{"K", -1},
		{"1KB", 1024},
		{"1KiB", 1024},
		{"1kib", 1024},
		{"7B", 7},
		{"2gb", (int64_t)2 << 30},
		{"1.5G", (int64_t)3 << 29},
		{"0.25K", 256},
		{"0.0005K", 0},
		{"0.333333333333M", 349525},
		{"8388607.5T", ((int64_t)8388607 << 40) + ((int64_t)1 << 39)},
		{"8388608.5T", -1},
		{"1KK", -1},
		{"1Ki", -1},
		{"1iB", -1},
		{"1BB", -1},
		{"1.5", -1},
		{"1.5B", -1},
		{"1.", -1},
		{"1.K", -1},
		{".5K", -1},
		{"-1", -1},
		{"+1", -1},
		{" 1", -1},
		{"1 ", -1},
		{"1 K", -1},
		{"0x10", -1},
		{"1P", -1},
		{"1\t", -1},
		{"one", -1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t size = -1;
		bool good = sheaf_size_from_text(cases[i].text, &size);
		if (good != (cases[i].size >= 0) || (good && size != cases[i].size))
			fail_msg("\"%s\": found %d, %lld", cases[i].text, good, (long long)size);
	}
}

/* ---- texts ---- */

static void test_statuses(void **state)
{
	(void)state;
	static const char *const names[] = {"ok",          "end",  "nomem", "io",    "unknown", "data", "short",
	                                    "unsupported", "loss", "limit", "usage", "stopped", "stale"};
	assert_int_equal(COUNT(names), SHEAF_STALE + 1);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_string_equal(sheaf_status_name((sheaf_status)i), names[i]);
	assert_string_equal(sheaf_status_name((sheaf_status)13), "status?");
	assert_string_equal(sheaf_status_name((sheaf_status)-1), "status?");
	assert_string_equal(sheaf_version(), SHEAF_VERSION);
}

static void test_fail(void **state)
{
	(void)state;
	char large[3000];
	sheaf_error error = {.sys = 99};
	memset(large, 'x', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	assert_int_equal(sheaf_fail(NULL, SHEAF_DATA, "%s", large), SHEAF_DATA);
	assert_int_equal(sheaf_fail(&error, SHEAF_LOSS, "a %d", 5), SHEAF_LOSS);
	assert_int_equal(error.status, SHEAF_LOSS);
	assert_int_equal(error.sys, 0);
	assert_string_equal(error.message, "a 5");
	struct {
		sheaf_error error;
		char guard;
	} guarded = {.guard = 'g'};
	assert_int_equal(sheaf_fail(&guarded.error, SHEAF_DATA, "%s", large), SHEAF_DATA);
	assert_int_equal(strlen(guarded.error.message), sizeof error.message - 1);
	assert_int_equal(guarded.guard, 'g');
}

static void test_fail_of_the_system(void **state)
{
	(void)state;
	char large[3000];
	sheaf_error error;
	char wanted[200];
	memset(large, 'x', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	assert_int_equal(sheaf_fail_sys(NULL, ENOENT, "a"), SHEAF_IO);
	assert_int_equal(sheaf_fail_sys(&error, ENOENT, "%s", "file"), SHEAF_IO);
	assert_int_equal(error.status, SHEAF_IO);
	assert_int_equal(error.sys, ENOENT);
	snprintf(wanted, sizeof wanted, "file; the system says: %s", strerror(ENOENT));
	assert_text(wanted, error.message);
	/* Lengths at which the system's text, the colon or nothing at all fits. */
	for (size_t n = sizeof error.message - 40; n < sizeof error.message + 5; n++) {
		struct {
			sheaf_error error;
			char guard;
		} guarded = {.guard = 'g'};
		assert_int_equal(sheaf_fail_sys(&guarded.error, EIO, "%.*s", (int)n, large), SHEAF_IO);
		assert_true(strlen(guarded.error.message) < sizeof error.message);
		assert_int_equal(guarded.guard, 'g');
	}
}

static const sheaf_place everywhere = {"train.ctf", 812, 17, 40211, 3, 55, "labels", NULL, NULL};

static sheaf_problem problem_at(sheaf_place place)
{
	return (sheaf_problem){SHEAF_ERROR, SHEAF_DATA, "rule", place, "an index below 10", "4000000", NULL};
}

static void test_problem_text(void **state)
{
	(void)state;
	static const struct {
		sheaf_place place;
		const char *text;
	} cases[] = {
		{{"f", 8, 17, 40, -1, -1, NULL, NULL, NULL}, "f:8:17 (byte 40): "},
		{{"f", 8, 17, -1, -1, -1, NULL, NULL, NULL}, "f:8:17: "},
		{{"f", 1, 1, 0, -1, -1, NULL, NULL, NULL}, "f:1:1 (byte 0): "},
		{{"f", 8, -1, 40, -1, -1, NULL, NULL, NULL}, "f:8 (byte 40): "},
		{{"f", 8, -1, -1, -1, -1, NULL, NULL, NULL}, "f:8: "},
		{{"f", -1, -1, 40, -1, -1, NULL, NULL, NULL}, "f (byte 40): "},
		{{"f", -1, -1, 0, 0, 0, "s", NULL, NULL}, "f: chunk 0, sequence 0, stream \"s\", byte 0: "},
		{{"f", 8, 17, 40, -1, -1, "s", NULL, NULL}, "f:8:17 (byte 40): stream \"s\": "},
		{{"f", 8, 17, 40, 3, 5, "s", NULL, NULL}, "f:8:17 (byte 40): chunk 3, sequence 5, stream \"s\": "},
		{{"f", -1, -1, -1, -1, 5, NULL, NULL, NULL}, "f: sequence 5: "},
		{{"f", -1, -1, -1, -1, -1, "s", NULL, NULL}, "f: stream \"s\": "},
		{{"f", -1, -1, -1, -1, -1, NULL, NULL, NULL}, "f: "},
		{{NULL, -1, -1, 1048, 3, -1, "s", NULL, NULL}, "chunk 3, stream \"s\", byte 1048: "},
		{{NULL, -1, -1, -1, -1, 5, "s", NULL, NULL}, "sequence 5, stream \"s\": "},
		{{NULL, -1, -1, 7, -1, -1, NULL, NULL, NULL}, "byte 7: "},
		{{NULL, -1, -1, -1, -1, -1, NULL, NULL, NULL}, ""},
		{{"f", -1, -1, 0, -1, 5, "s", "cell", "attribute"}, "f: cell 5, attribute \"s\", byte 0: "},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[200], wanted[200];
		sheaf_problem problem = problem_at(cases[i].place);
		snprintf(wanted, sizeof wanted, "%sexpected an index below 10, found 4000000", cases[i].text);
		assert_text(wanted, sheaf_problem_text(&problem, text, sizeof text));
		problem.consequence = "the sample is left out";
		snprintf(wanted, sizeof wanted, "%sexpected an index below 10, found 4000000; the sample is left out",
		         cases[i].text);
		assert_text(wanted, sheaf_problem_text(&problem, text, sizeof text));
	}
}

static int occurrences(const char *text, const char *part)
{
	int n = 0;
	for (; (text = strstr(text, part)); text++) n++;
	return n;
}

/* Which of the seven parts of a place are known, as bits. */
static sheaf_place place_of(int known)
{
	sheaf_place place = SHEAF_NOWHERE;
	if (known & 1) place.file = everywhere.file;
	if (known & 2) place.line = everywhere.line;
	if (known & 4) place.column = everywhere.column;
	if (known & 8) place.byte = everywhere.byte;
	if (known & 16) place.chunk = everywhere.chunk;
	if (known & 32) place.row = everywhere.row;
	if (known & 64) place.stream = everywhere.stream;
	return place;
}

static void test_problem_text_of_every_place(void **state)
{
	(void)state;
	static const char *const parts[] = {
		"train.ctf", "812", ":17", "byte 40211", "chunk 3", "sequence 55", "stream \"labels\""};
	for (int known = 0; known < 128; known++) {
		char text[300];
		sheaf_problem problem = problem_at(place_of(known));
		sheaf_problem_text(&problem, text, sizeof text);
		for (int k = 0; k < 7; k++) {
			/* A column has a meaning only on a line. */
			bool shown = (known >> k & 1) && (k != 2 || (known & 2));
			if (occurrences(text, parts[k]) != shown)
				fail_msg("\"%s\": expected %s %d times", text, parts[k], shown);
		}
		/* No part is joined to another, and none begins with a separator. */
		for (int k = 3; k < 7; k++) {
			const char *at = strstr(text, parts[k]);
			if (at && at > text && !strchr(" (", at[-1]))
				fail_msg("\"%s\": expected a space before %s", text, parts[k]);
		}
		if (strchr(":, ", text[0])) fail_msg("\"%s\": expected a place first", text);
		assert_true(known == 0 || known == 4 || strstr(text, ": expected an index below 10, found 4000000"));
	}
}

static void test_problem_text_is_cut_to_fit(void **state)
{
	(void)state;
	char whole[300], text[300];
	sheaf_problem problem = problem_at(everywhere);
	problem.consequence = "the sample is left out";
	size_t n = strlen(sheaf_problem_text(&problem, whole, sizeof whole));
	for (size_t size = 0; size <= n + 2; size++) {
		memset(text, '#', sizeof text);
		assert_ptr_equal(sheaf_problem_text(&problem, text, size), text);
		assert_int_equal(text[size], '#');
		if (size == 0) continue;
		size_t kept = size <= n ? size - 1 : n;
		assert_int_equal(strlen(text), kept);
		assert_memory_equal(text, whole, kept);
	}
}

/* ---- parts of messages ---- */

typedef struct parts_case {
	const char *place, *file, *stream, *expected, *found;
	int64_t line, column, byte, chunk, row;
} parts_case;

static void check_parts(const parts_case *wanted)
{
	assert_part(wanted->place, place);
	assert_part(wanted->file, file);
	assert_part(wanted->stream, stream);
	assert_part(wanted->expected, expected);
	assert_part(wanted->found, found);
	assert_int_equal(wanted->line, err.line);
	assert_int_equal(wanted->column, err.column);
	assert_int_equal(wanted->byte, err.byte);
	assert_int_equal(wanted->chunk, err.chunk);
	assert_int_equal(wanted->row, err.row);
}

#define FAIL(...) assert_status(SHEAF_DATA, sheaf_fail(&err, SHEAF_DATA, __VA_ARGS__))

/* The format says what the parts are, whatever the name of the file looks like. */
static void test_parts_of_a_format(void **state)
{
	(void)state;
	const char *odd = "a: expected b, found c; (byte 3)";
	FAIL("%s: expected %s, found %d; it is left out", odd, "one, two", 3);
	check_parts(&(parts_case){odd, odd, "", "one, two", "3", -1, -1, -1, -1, -1});
	FAIL("%s:%d:%d (byte %d): expected a, found b", "x", 8, 12, 16);
	check_parts(&(parts_case){"x:8:12 (byte 16)", "x", "", "a", "b", 8, 12, 16, -1, -1});
	FAIL("%s: chunk %d, cell %" PRId64 ", column \"%s\", byte %zu: expected a; found b", odd, 0, INT64_MAX,
	     "the \"c\"", (size_t)7);
	assert_part(odd, file);
	assert_part("the \"c\"", stream);
	assert_int_equal(INT64_MAX, err.row);
	assert_int_equal(7, err.byte);
	assert_int_equal(0, err.chunk);
	FAIL("%s/%s: entry %.*s: expected a smaller size", "folder", "file", 2, "12");
	check_parts(
		&(parts_case){"folder/file: entry 12", "folder/file", "", "a smaller size", "", -1, -1, -1, -1, -1});
	FAIL("memory: expected %d bytes, found none", 5);
	check_parts(&(parts_case){"memory", "", "", "5 bytes", "none", -1, -1, -1, -1, -1});
	FAIL("expected a, found b");
	check_parts(&(parts_case){"", "", "", "a", "b", -1, -1, -1, -1, -1});
	FAIL("stopped on request");
	check_parts(&(parts_case){"", "", "", "", "", -1, -1, -1, -1, -1});
	assert_status(SHEAF_IO, sheaf_fail_sys(&err, ENOENT, "%s: expected a file", odd));
	check_parts(&(parts_case){odd, odd, "", "a file", strerror(ENOENT), -1, -1, -1, -1, -1});
	assert_status(SHEAF_IO, sheaf_fail_sys(&err, EIO, "%s:%d (byte %d): cannot read it", odd, 3, 40));
	check_parts(&(parts_case){"a: expected b, found c; (byte 3):3 (byte 40)", odd, "", "", strerror(EIO), 3,
	                          -1, 40, -1, -1});
	assert_status(SHEAF_IO, sheaf_fail_sys(&err, ENOENT, "cannot open %s/%s, which is wanted", "a", "b"));
	check_parts(&(parts_case){"", "a/b", "", "", strerror(ENOENT), -1, -1, -1, -1, -1});
}

static void test_parts_of_a_problem(void **state)
{
	(void)state;
	sheaf_problem problem = {.severity = SHEAF_ERROR,
	                         .status = SHEAF_SHORT,
	                         .rule = "end",
	                         .place = everywhere,
	                         .expected = "more",
	                         .found = "none (" SHEAF_OPTION("strict") ")",
	                         .consequence = "it ends"};
	assert_status(SHEAF_SHORT, sheaf_fail_problem(&err, &problem));
	check_parts(&(parts_case){"train.ctf:812:17 (byte 40211): chunk 3, sequence 55, stream \"labels\"",
	                          "train.ctf", "labels", "more", "none (--strict)", 812, 17, 40211, 3, 55});
	assert_text("strict", err.advice);
	problem.place = SHEAF_NOWHERE;
	assert_status(SHEAF_SHORT, sheaf_fail_problem(&err, &problem));
	check_parts(&(parts_case){"", "", "", "more", "none (--strict)", -1, -1, -1, -1, -1});
}

/* A place that is added outside of a failure, options that are spelled longer, and a message that is cut. */
static void test_parts_stay_where_they_are(void **state)
{
	(void)state;
	sheaf_error inner;
	char large[3000];
	memset(large, 'x', sizeof large - 1);
	large[sizeof large - 1] = '\0';
	assert_status(
		SHEAF_DATA,
		sheaf_fail(&inner, SHEAF_DATA, "column \"%s\": expected " SHEAF_OPTION("strict") ", found it", "c"));
	assert_status(SHEAF_DATA, sheaf_fail_within(&err, &inner, "%s (byte %d)", "file", 9));
	assert_text("file (byte 9): column \"c\": expected --strict, found it", err.message);
	check_parts(
		&(parts_case){"file (byte 9): column \"c\"", "file", "c", "--strict", "it", -1, -1, 9, -1, -1});
	assert_text("strict", err.advice);
	sheaf_error_append(&err, "; or take %s", SHEAF_OPTION("threads"));
	assert_part("it", found);
	assert_status(SHEAF_USAGE,
	              sheaf_fail_option(&err, SHEAF_USAGE, "threads", " %s: expected 1, found 2", "2"));
	check_parts(&(parts_case){"--threads", "", "", "1", "2", -1, -1, -1, -1, -1});
	assert_status(SHEAF_USAGE, sheaf_misuse(&err, "sheaf_open", "expected a path, found %s", "NULL"));
	assert_text("sheaf_open: expected a path, found NULL", err.message);
	check_parts(&(parts_case){"", "", "", "a path", "NULL", -1, -1, -1, -1, -1});
	FAIL("%s: expected a, found b", large);
	assert_int_equal(sizeof err.message - 1, err.file.size);
	assert_part("", found);
	FAIL("expected %s, found b", large);
	assert_int_equal(sizeof err.message - 1 - strlen("expected "), err.expected.size);
	assert_part("", found);
}

/* Names of options are spelled as the caller of the library wants. */
static void options_are_spelled_by_each_face(void **state)
{
	(void)state;
	static const char *const faces[][3] = {{"--", "", "-"}, {"", "=", "_"}, {"", "", "-"}};
	static const char *const plain[] = {"raise --max-memory, or --threads",
	                                    "raise max_memory=, or threads=", "raise max-memory, or threads"};
	static const char *const about[] = {
		"--max-errors: expected 1, see --strict",
		"max_errors: expected 1, see strict=", "max-errors: expected 1, see strict"};
	for (int f = 0; f < 3; f++) {
		sheaf_spell_options(faces[f][0], faces[f][1], faces[f][2][0]);
		assert_status(SHEAF_LIMIT,
		              sheaf_fail(&err, SHEAF_LIMIT, "raise " SHEAF_OPTION("max-memory") ", or %s",
		                         SHEAF_OPTION("threads")));
		assert_text(plain[f], err.message);
		assert_text("max-memory", err.advice);
		assert_text("", err.option);
		assert_status(SHEAF_USAGE, sheaf_fail_option(&err, SHEAF_USAGE, "max-errors",
		                                             ": expected 1, see " SHEAF_OPTION("strict")));
		assert_text(about[f], err.message);
		assert_text("max-errors", err.option);
	}
	sheaf_spell_options("--", "", '-');
	/* Bytes of an input are not mistaken for our marks. */
	assert_status(SHEAF_DATA, sheaf_fail(&err, SHEAF_DATA, "found \x01x"));
	assert_text("found x", err.message);
	assert_text("", err.advice);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(options_are_spelled_by_each_face),
	cmocka_unit_test(test_parts_of_a_format),
	cmocka_unit_test(test_parts_of_a_problem),
	cmocka_unit_test(test_parts_stay_where_they_are),
	cmocka_unit_test(test_seeds_from_text),
	cmocka_unit_test(test_option_find),
	cmocka_unit_test(test_option_check),
	cmocka_unit_test(test_option_values),
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_statuses),
	cmocka_unit_test(test_fail),
	cmocka_unit_test(test_fail_of_the_system),
	cmocka_unit_test(test_problem_text),
	cmocka_unit_test(test_problem_text_of_every_place),
	cmocka_unit_test(test_problem_text_is_cut_to_fit),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
