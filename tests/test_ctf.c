/* SPDX-License-Identifier: MIT */
/* The text format: what each message says and where it points, what counts as an error and what is kept, what validation tells, and
 * what the writer writes. Files with one rule each are in tests/files/ctf. */
/* clang-format off: cmocka.h needs the four before it */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "data/frame.h"
#include <inttypes.h>
#include <math.h>
#include <sheaf/sheaf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { MOST_FOUND = 40, TEXT = 1100, MOST_SETTINGS = 8 };

static sheaf_error err;

/* ---- a context that remembers what it is told ---- */

typedef struct finding {
	sheaf_severity severity;
	char rule[64];
	int64_t line, column, byte;
	char text[TEXT];
} finding;

typedef struct record {
	finding found[MOST_FOUND];
	int n;
	sheaf_context *cx;
} record;

static void remember(void *user, const sheaf_problem *problem)
{
	record *r = (record *)user;
	assert_true(r->n < MOST_FOUND);
	finding *f = &r->found[r->n++];
	f->severity = problem->severity;
	snprintf(f->rule, sizeof f->rule, "%s", problem->rule);
	f->line = problem->place.line, f->column = problem->place.column, f->byte = problem->place.byte;
	sheaf_problem_text(problem, f->text, sizeof f->text);
}

static void begin(record *r, sheaf_context_options options)
{
	*r = (record){.n = 0};
	err = (sheaf_error){0};
	options.size = sizeof options;
	options.on_problem = remember;
	options.user = r;
	assert_int_equal(SHEAF_OK, sheaf_context_new(&options, &r->cx, &err));
}

/* Nothing may be left in memory. */
static void end(record *r)
{
	assert_int_equal(0, sheaf_context_memory(r->cx, NULL));
	sheaf_context_free(r->cx);
}

/* ---- settings in one text: "A:2:dense B:10:sparse -skip-sequence-ids -main-stream=B" ---- */

typedef struct settings {
	char text[256];
	sheaf_setting list[MOST_SETTINGS];
	int n;
} settings;

static void read_settings(const char *text, settings *s)
{
	*s = (settings){.n = 0};
	snprintf(s->text, sizeof s->text, "%s", text);
	char *rest = s->text, *word;
	while ((word = strsep(&rest, " "))) {
		if (!*word) continue;
		assert_true(s->n < MOST_SETTINGS);
		char *value = *word == '-' ? strchr(word, '=') : word;
		if (*word == '-' && value) *value++ = '\0';
		s->list[s->n++] = (sheaf_setting){*word == '-' ? word + 1 : "stream", value};
	}
}

static sheaf_status open_text(const char *input, size_t size, const char *options, int64_t piece_bytes, record *r, sheaf_dataset **out)
{
	settings s;
	sheaf_source *source;
	read_settings(options, &s);
	sheaf_open_options open = {.size = sizeof open, .format = "ctf", .whole = true, .settings = s.list, .nsettings = s.n, .piece_bytes = piece_bytes};
	assert_int_equal(SHEAF_OK, sheaf_source_memory((sheaf_bytes){(const uint8_t *)input, size}, "x.ctf", r->cx, &source, &err));
	return sheaf_open_source(source, &open, r->cx, out, &err);
}

/* All rows as JSON into `rows` (NULL: not wanted). */
static sheaf_status read_text(const char *input, size_t size, const char *options, int64_t piece_bytes, record *r, char *rows, size_t room)
{
	sheaf_dataset *dataset;
	const sheaf_frame *frame;
	sheaf_status status = open_text(input, size, options, piece_bytes, r, &dataset);
	if (status) return status;
	if (rows) *rows = '\0';
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
		sheaf_buffer text = {0};
		if (!rows) continue;
		assert_int_equal(SHEAF_OK, sheaf_rows_text(frame, sheaf_dataset_schema(dataset), SHEAF_JSON, sheaf_dataset_row(dataset), 0, frame->nrows, &text, &err));
		assert_true(strlen(rows) + text.size < room);
		strncat(rows, (const char *)text.data, text.size);
		sheaf_buffer_reset(&text);
	}
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* ---- carets ---- */

static const char usual[] = "A:2:dense B:10:sparse";

/* An input; a caret under the byte in question, on the line that the message names; severity, rule and the whole message. */
typedef struct caret {
	const char *input, *under;
	sheaf_severity severity;
	const char *rule; /* NULL: the input cannot be opened */
	const char *message;
	const char *options; /* NULL: usual */
	size_t size;         /* 0: strlen(input) */
} caret;

/* Dense values stand on a second line, so that the sequence has a sample of each stream all the same. */
#define FIRST "1 |A 5 6 |B 1:1\n"
#define LEFT_OUT "; the sample is left out"

static const caret carets[] = {
	/* the start of the file */
	{"x |A 1 2\n",
	 "^", SHEAF_FATAL, NULL, "x.ctf:1:1 (byte 0): expected a sequence id or '|' at the start of the first line, found \"x\"", 0, 0},
	{" \n\t-1 |A 1 2\n",
	 "\t^", SHEAF_FATAL, NULL, "x.ctf:2:2 (byte 3): expected a sequence id or '|' at the start of the first line, found \"-1\"", 0, 0},
	{"\n ",
	 " ^", SHEAF_FATAL, NULL, "x.ctf:2:2 (byte 2): expected lines of samples, found white space only", 0, 0},
	{"\xff\xfe|",
	 "^", SHEAF_FATAL, NULL, "x.ctf:1:1 (byte 0): expected UTF-8 or ASCII text, found a UTF-16 byte order mark", 0, 0},
	{" \n1 |A 1 2 |B 1:1\n",
	 "^", SHEAF_NOTE, "white space at the start", "x.ctf:1:1 (byte 0): expected an id or '|' as the first byte, found white space, which CNTK 2.0 refuses", 0, 0},
	/* ids */
	{"18446744073709551616 |A 1 2 |B 1:1\n",
	 "^", SHEAF_FATAL, "sequence id beyond 64 bits",
	 "x.ctf:1:1 (byte 0): expected a sequence id of at most 18446744073709551615, found \"18446744073709551616\"", 0, 0},
	{FIRST "30000000000000000000 |A 1 2 |B 1:1\n",
	 "^", SHEAF_FATAL, "sequence id beyond 64 bits",
	 "x.ctf:2:1 (byte 16): expected a sequence id of at most 18446744073709551615, found \"30000000000000000000\"", 0, 0},
	{"1 |A 1 2 |B 1:1\n2 |A 1 2 |B 1:1\n1 |A 1 2 |B 1:1\n",
	 "^", SHEAF_BREACH, "repeated sequence id",
	 "x.ctf:3:1: expected a sequence id that no earlier sequence has, found id 1 again, first seen on line 1; read as a sequence of its own", 0, 0},
	/* text outside an input */
	{"1x |A 1 2 |B 1:1\n",
	 " ^", SHEAF_ERROR, "text outside an input", "x.ctf:1:2 (byte 1): expected '|' and a stream name, found \"x\"; the text up to the next '|' is left out", 0, 0},
	{FIRST " 2 |A 1 2 |B 1:1\n",
	 " ^", SHEAF_ERROR, "text outside an input", "x.ctf:2:2 (byte 17): expected '|' and a stream name, found \"2\"; the text up to the next '|' is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 \x01 text\n",
	 "                  ^", SHEAF_ERROR, "text outside an input",
	 "x.ctf:1:19 (byte 18): expected '|' and a stream name, found \"text\"; the text up to the next '|' is left out", 0, 0},
	/* names */
	{"1 |A 1 2 | |B 1:1\n",
	 "          ^", SHEAF_ERROR, "no stream name", "x.ctf:1:11 (byte 10): expected a stream name straight behind '|', found a space; the input is left out", 0, 0},
	{"1 |A 1 2 |\t|B 1:1\n",
	 "          ^", SHEAF_ERROR, "no stream name", "x.ctf:1:11 (byte 10): expected a stream name straight behind '|', found a tab; the input is left out", 0, 0},
	{"1 |A 1 2 ||B 1:1\n",
	 "          ^", SHEAF_ERROR, "no stream name", "x.ctf:1:11 (byte 10): expected a stream name straight behind '|', found \"|B\"; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |\r\n",
	 "                 ^", SHEAF_ERROR, "no stream name",
	 "x.ctf:1:18 (byte 17): expected a stream name straight behind '|', found the end of the line; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |",
	 "                 ^", SHEAF_ERROR, "no stream name",
	 "x.ctf:1:18 (byte 17): expected a stream name straight behind '|', found the end of the file; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |\x7f C\n",
	 "                 ^", SHEAF_BREACH, "unknown stream", "x.ctf:1:18 (byte 17): expected the name of a declared stream, found byte 0x7f; the input is left out", 0, 0},
	{"1 |A 1 2 |Bx 1:1 |B 1:1\n",
	 "          ^", SHEAF_BREACH, "unknown stream", "x.ctf:1:11 (byte 10): expected the name of a declared stream, found \"Bx\"; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |abcdefghijklmnopqrstuvwxyz 1\n",
	 "                 ^", SHEAF_BREACH, "unknown stream",
	 "x.ctf:1:18 (byte 17): expected the name of a declared stream, found \"abcdefghijklmnopqrstuvwx...\"; the input is left out", 0, 0},
	{"1 |\xc3\xa9 1 2\n",
	 "   ^", SHEAF_NOTE, "name beyond ASCII", "x.ctf:1:4 (byte 3): expected a name of ASCII characters, found others, which CNTK 2.0 refuses", "\xc3\xa9:2:dense", 0},
	{"1 |A 1 2 |B 1:1 |A 3 4\n1 |B 2:2\n",
	 "                 ^", SHEAF_BREACH, "stream twice on a line",
	 "x.ctf:1:18 (byte 17): stream \"A\": expected each stream at most once on a line, found it again; both samples are kept", 0, 0},
	/* dense samples */
	{FIRST "1 |A 1 2 3 |B 1:1\n",
	 "    ^", SHEAF_ERROR, "dense sample too long", "x.ctf:2:5 (byte 20): stream \"A\": expected at most 2 values, found 3" LEFT_OUT, 0, 0},
	{"1 |A 1 |B 1:1\n",
	 "       ^", SHEAF_BREACH, "dense sample too short", "x.ctf:1:8 (byte 7): stream \"A\": expected 2 values, found 1; the rest is zeros", 0, 0},
	{"1 |B 1:1 |A\n",
	 "           ^", SHEAF_BREACH, "dense sample too short", "x.ctf:1:12 (byte 11): stream \"A\": expected 2 values, found 0; the rest is zeros", 0, 0},
	{"1 |A 1\0 2 |B 1:1\n",
	 "      ^", SHEAF_BREACH, "dense sample too short", "x.ctf:1:7 (byte 6): stream \"A\": expected 2 values, found 1; the rest is zeros", 0, 18},
	{"1 |A 1+2 |B 1:1\n",
	 "      ^", SHEAF_BREACH, "values not parted",
	 "x.ctf:1:7 (byte 6): stream \"A\": expected a space between values, found \"+2\"; read as a value of its own", 0, 0},
	{FIRST "1 |A 1:2 3 |B 1:1\n",
	 "      ^", SHEAF_ERROR, "not a number", "x.ctf:2:7 (byte 22): stream \"A\": expected a space between values, found \":2\"" LEFT_OUT, 0, 0},
	/* numbers */
	{FIRST "1 |A nan 1 |B 1:1\n",
	 "     ^", SHEAF_ERROR, "not a number", "x.ctf:2:6 (byte 21): stream \"A\": expected a number, found \"nan\"" LEFT_OUT, 0, 0},
	{FIRST "1 |A -inf 1 |B 1:1\n",
	 "      ^", SHEAF_ERROR, "not a number", "x.ctf:2:7 (byte 22): stream \"A\": expected a number, found \"inf\"" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1 - |B 1:1\n",
	 "        ^", SHEAF_ERROR, "not a number", "x.ctf:2:9 (byte 24): stream \"A\": expected a number, found a space" LEFT_OUT, 0, 0},
	{FIRST "1 |B 1:1 |A 1 -\n",
	 "               ^", SHEAF_ERROR, "not a number", "x.ctf:2:16 (byte 31): stream \"A\": expected a number, found the end of the line" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1e+ 1 |B 1:1\n",
	 "        ^", SHEAF_ERROR, "not a number", "x.ctf:2:9 (byte 24): stream \"A\": expected a digit of an exponent, found a space" LEFT_OUT, 0, 0},
	{FIRST "1 |A 0x10 1 |B 1:1\n",
	 "      ^", SHEAF_ERROR, "not a number", "x.ctf:2:7 (byte 22): stream \"A\": expected a space between values, found \"x10\"" LEFT_OUT, 0, 0},
	{"|A .5 1 |B 1:1\n",
	 "   ^", SHEAF_NOTE, "number that CNTK refuses",
	 "x.ctf:1:4 (byte 3): stream \"A\": expected a digit before the point, and one between a point and an exponent, found \".5\"", 0, 0},
	{"|A 1 1.e2 |B 1:1\n",
	 "     ^", SHEAF_NOTE, "number that CNTK refuses",
	 "x.ctf:1:6 (byte 5): stream \"A\": expected a digit before the point, and one between a point and an exponent, found \"1.e2\"", 0, 0},
	{"|A 1 -4e38 |B 1:1\n",
	 "     ^", SHEAF_WARNING, "value overflow", "x.ctf:1:6 (byte 5): stream \"A\": expected a value that float32 can hold, found \"-4e38\"; read as infinity", 0, 0},
	{"|A 1 1e309\n",
	 "     ^", SHEAF_WARNING, "value overflow", "x.ctf:1:6 (byte 5): stream \"A\": expected a value that float64 can hold, found \"1e309\"; read as infinity",
	 "A:2:dense:double", 0},
	/* sparse samples */
	{FIRST "1 |A 1 2 |B 10:1\n",
	 "            ^", SHEAF_ERROR, "index range", "x.ctf:2:13 (byte 28): stream \"B\": expected an index below 10, found \"10\"" LEFT_OUT, 0, 0},
	{"1 |A 1 2 |B 10:1\n",
	 "            ^", SHEAF_ERROR, "index range", "x.ctf:1:13 (byte 12): stream \"B\": expected an index below 10, found \"10\"" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1 2 |B 1:1 18446744073709551617:1\n",
	 "                ^", SHEAF_ERROR, "index range", "x.ctf:2:17 (byte 32): stream \"B\": expected an index below 10, found \"18446744073709551617\"" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1 2 |B -1:1\n",
	 "            ^", SHEAF_ERROR, "not an index", "x.ctf:2:13 (byte 28): stream \"B\": expected an index, found \"-1:1\"" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1 2 |B 1:1 5\n",
	 "                 ^", SHEAF_ERROR, "no ':' behind an index",
	 "x.ctf:2:18 (byte 33): stream \"B\": expected ':' and a value straight behind the index, found the end of the line" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1 2 |B 5 :1\n",
	 "             ^", SHEAF_ERROR, "no ':' behind an index",
	 "x.ctf:2:14 (byte 29): stream \"B\": expected ':' and a value straight behind the index, found a space" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1 2 |B 5: 1\n",
	 "              ^", SHEAF_ERROR, "not a number", "x.ctf:2:15 (byte 30): stream \"B\": expected a number, found a space" LEFT_OUT, 0, 0},
	{FIRST "1 |A 1 2 |B 5:1:2\n",
	 "               ^", SHEAF_ERROR, "not an index", "x.ctf:2:16 (byte 31): stream \"B\": expected a space between pairs, found \":2\"" LEFT_OUT, 0, 0},
	/* lines */
	{FIRST "1 |C 5\n",
	 "^", SHEAF_ERROR, "empty row", "x.ctf:2:1 (byte 16): expected at least one sample of a declared stream on a line, found none; the line adds nothing", 0, 0},
	{"1 |A 1 2 |B 1:1",
	 "               ^", SHEAF_BREACH, "no line feed at the end", "x.ctf:1:16 (byte 15): expected a line feed at the end of the last line, found the end of the file", 0, 0},
	{FIRST "23",
	 "^", SHEAF_BREACH, "last line without samples", "x.ctf:2:1 (byte 16): expected samples and a line feed, found the end of the file; the line is left out", 0, 0},
	/* sequences: the caret stands under their first byte */
	{FIRST "2 |A 1 2\n2 |A 3 4\n",
	 "^", SHEAF_FATAL, "stream missing in a sequence",
	 "x.ctf:2:1 (byte 16): stream \"B\": expected at least one sample of every stream in every sequence (--allow-missing reads it without), found none in sequence 2", 0, 0},
	{FIRST "456 |A 4 5\n456 |B 1:2\n",
	 "^", SHEAF_ERROR, "more lines than samples",
	 "x.ctf:2:1 (byte 16): expected at most 1 lines, as many as sequence 456 has samples in its longest stream (--allow-unaligned reads more), found 2; "
	 "all samples are kept", 0, 0},
	{FIRST "2 |A 1 2 |A 3 4 |B 1:1\n",
	 "^", SHEAF_ERROR, "more samples than lines",
	 "x.ctf:2:1 (byte 16): stream \"A\": expected at most 1 samples, one for each line of sequence 2, found 2; all of them are kept", 0, 0},
};

/* The byte that line `line` of the input begins with. */
static int64_t start_of(const char *input, int64_t line)
{
	const char *at = input;
	for (int64_t k = 1; k < line; k++) at = strchr(at, '\n') + 1;
	return at - input;
}

/* The message's place is where the caret stands. */
static void check_place(const caret *c, const char *message)
{
	int64_t line, column, byte;
	int n = sscanf(message, "x.ctf:%" SCNd64 ":%" SCNd64 " (byte %" SCNd64 ")", &line, &column, &byte);
	assert_true(n >= 2);
	assert_int_equal(strlen(c->under), column);
	assert_int_equal('^', c->under[strlen(c->under) - 1]);
	if (n == 3) assert_int_equal(start_of(c->input, line) + column - 1, byte);
}

static const finding *find_rule(const record *r, const char *rule)
{
	for (int i = 0; i < r->n; i++)
		if (strcmp(r->found[i].rule, rule) == 0) return &r->found[i];
	print_error("expected a finding of the rule \"%s\", found none\n", rule);
	fail();
	return NULL;
}

static void check_validating(const caret *c, size_t size, int64_t piece_bytes)
{
	record r;
	begin(&r, (sheaf_context_options){.validate = true});
	sheaf_status status = read_text(c->input, size, c->options ? c->options : usual, piece_bytes, &r, NULL, 0);
	if (c->rule) {
		assert_int_equal(SHEAF_OK, status);
		const finding *f = find_rule(&r, c->rule);
		assert_string_equal(c->message, f->text);
		assert_int_equal(c->severity, f->severity);
		assert_int_equal(strlen(c->under), f->column);
	} else {
		assert_int_not_equal(SHEAF_OK, status);
		assert_string_equal(c->message, err.message);
	}
	end(&r);
}

/* What is worse than a breach stops the reading; other findings do not. */
static void check_reading(const caret *c, size_t size)
{
	record r;
	begin(&r, (sheaf_context_options){0});
	sheaf_status status = read_text(c->input, size, c->options ? c->options : usual, 0, &r, NULL, 0);
	assert_int_equal(c->severity >= SHEAF_ERROR, status != SHEAF_OK);
	if (!c->rule) assert_string_equal(c->message, err.message);
	end(&r);
}

/* The first problem of an input stops it, so the message of an error is that of the case where nothing precedes it. */
static void check_stopping(const caret *c, size_t size)
{
	record r;
	if (!c->rule || c->severity < SHEAF_ERROR) return;
	begin(&r, (sheaf_context_options){.max_errors = c->severity == SHEAF_FATAL ? 100 : 0});
	assert_int_equal(SHEAF_DATA, read_text(c->input, size, c->options ? c->options : usual, 0, &r, NULL, 0));
	assert_string_equal(c->message, err.message);
	end(&r);
}

static void carets_point_at_the_flaw(void **state)
{
	int bad = 0;
	(void)state;
	for (size_t i = 0; i < COUNT(carets); i++) {
		const caret *c = &carets[i];
		size_t size = c->size ? c->size : strlen(c->input);
		print_message("# %s\n", c->message);
		check_place(c, c->message);
		check_validating(c, size, 0);
		check_validating(c, size, 1);
		check_reading(c, size);
		check_stopping(c, size);
	}
	assert_int_equal(0, bad);
}
