/* SPDX-License-Identifier: MIT */
/* The text format as it is read: what each message says and where it points, what counts as an error and what
 * is kept, what validation reports. test_ctf_written.c is about the writer. Files with one rule each are in
 * tests/files/ctf. */
#include "base/context.h"
#include "ctf_text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- carets ---- */

static const char usual[] = "A:2:dense B:10:sparse";

/* An input; a caret under the byte in question, on the line that the message names; severity, rule and the
 * whole message. */
typedef struct caret {
	const char *input, *under;
	sheaf_severity severity;
	const char *rule; /* NULL: the input cannot be opened */
	const char *message;
	const char *options; /* NULL: usual */
	size_t size;         /* 0: strlen(input) */
} caret;

/* Dense values are on a second line, so that the sequence still has a sample of each stream. */
#define FIRST "1 |A 5 6 |B 1:1\n"
#define LEFT_OUT "; the sample is left out"

/* The carets stand under what they point at. */
/* clang-format off */
static const caret carets[] = {
	/* the start of the file */
	{"x |A 1 2\n",
	 "^", SHEAF_FATAL, NULL,
	 "x.ctf:1:1 (byte 0): expected a sequence id or '|' at the start of the first line, found \"x\"", 0, 0},
	{" \n\t-1 |A 1 2\n",
	 "\t^", SHEAF_FATAL, NULL,
	 "x.ctf:2:2 (byte 3): expected a sequence id or '|' at the start of the first line, found \"-1\"", 0, 0},
	{"\n ",
	 " ^", SHEAF_FATAL, NULL,
	 "x.ctf:2:2 (byte 2): expected lines of samples, found white space only", 0, 0},
	{" \n1 |A 1 2 |B 1:1\n",
	 "^", SHEAF_NOTE, "white space at the start",
	 "x.ctf:1:1 (byte 0): expected an id or '|' as the first byte, found white space, which CNTK 2.0 refuses", 0, 0},
	/* ids */
	{"18446744073709551616 |A 1 2 |B 1:1\n",
	 "^", SHEAF_FATAL, "sequence id beyond 64 bits",
	 "x.ctf:1:1 (byte 0): expected a sequence id of at most 18446744073709551615, found \"18446744073709551616\"", 0, 0},
	{FIRST
	 "30000000000000000000 |A 1 2 |B 1:1\n",
	 "^", SHEAF_FATAL, "sequence id beyond 64 bits",
	 "x.ctf:2:1 (byte 16): expected a sequence id of at most 18446744073709551615, found \"30000000000000000000\"", 0, 0},
	{"1 |A 1 2 |B 1:1\n2 |A 1 2 |B 1:1\n1 |A 1 2 |B 1:1\n",
	 "^", SHEAF_BREACH, "repeated sequence id",
	 "x.ctf:3:1: expected a sequence id that no earlier sequence has, found id 1 again, first seen on line 1; read as a sequence of its own", 0, 0},
	/* text outside an input */
	{"1x |A 1 2 |B 1:1\n",
	 " ^", SHEAF_ERROR, "text outside an input",
	 "x.ctf:1:2 (byte 1): expected '|' and a stream name, found \"x\"; the text up to the next '|' is left out", 0, 0},
	{FIRST
	 " 2 |A 1 2 |B 1:1\n",
	 " ^", SHEAF_ERROR, "text outside an input",
	 "x.ctf:2:2 (byte 17): expected '|' and a stream name, found \"2\"; the text up to the next '|' is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 \x01 text\n",
	 "                  ^", SHEAF_ERROR, "text outside an input",
	 "x.ctf:1:19 (byte 18): expected '|' and a stream name, found \"text\"; the text up to the next '|' is left out", 0, 0},
	/* names */
	{"1 |A 1 2 | |B 1:1\n",
	 "          ^", SHEAF_ERROR, "no stream name",
	 "x.ctf:1:11 (byte 10): expected a stream name directly after '|', found a space; the input is left out", 0, 0},
	{"1 |A 1 2 |\t|B 1:1\n",
	 "          ^", SHEAF_ERROR, "no stream name",
	 "x.ctf:1:11 (byte 10): expected a stream name directly after '|', found a tab; the input is left out", 0, 0},
	{"1 |A 1 2 ||B 1:1\n",
	 "          ^", SHEAF_ERROR, "no stream name",
	 "x.ctf:1:11 (byte 10): expected a stream name directly after '|', found \"|B\"; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |\r\n",
	 "                 ^", SHEAF_ERROR, "no stream name",
	 "x.ctf:1:18 (byte 17): expected a stream name directly after '|', found the end of the line; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |",
	 "                 ^", SHEAF_ERROR, "no stream name",
	 "x.ctf:1:18 (byte 17): expected a stream name directly after '|', found the end of the file; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |\x7f C\n",
	 "                 ^", SHEAF_BREACH, "unknown stream",
	 "x.ctf:1:18 (byte 17): expected the name of a declared stream, found byte 0x7f; the input is left out", 0, 0},
	{"1 |A 1 2 |Bx 1:1 |B 1:1\n",
	 "          ^", SHEAF_BREACH, "unknown stream",
	 "x.ctf:1:11 (byte 10): expected the name of a declared stream, found \"Bx\"; the input is left out", 0, 0},
	{"1 |A 1 2 |B 1:1 |abcdefghijklmnopqrstuvwxyz 1\n",
	 "                 ^", SHEAF_BREACH, "unknown stream",
	 "x.ctf:1:18 (byte 17): expected the name of a declared stream, found \"abcdefghijklmnopqrstuvwx...\"; the input is left out", 0, 0},
	{"1 |\xc3\xa9 1 2\n",
	 "   ^", SHEAF_NOTE, "name beyond ASCII",
	 "x.ctf:1:4 (byte 3): expected a name of ASCII characters, found others, which CNTK 2.0 refuses", "\xc3\xa9:2:dense", 0},
	{"1 |A 1 2 |B 1:1 |A 3 4\n1 |B 2:2\n",
	 "                 ^", SHEAF_BREACH, "stream twice on a line",
	 "x.ctf:1:18 (byte 17): stream \"A\": expected each stream at most once on a line, found it again; both samples are kept", 0, 0},
	/* dense samples */
	{FIRST
	 "1 |A 1 2 3 |B 1:1\n",
	 "    ^", SHEAF_ERROR, "dense sample too long",
	 "x.ctf:2:5 (byte 20): stream \"A\": expected at most 2 values, found 3" LEFT_OUT, 0, 0},
	{"1 |A 1 |B 1:1\n",
	 "       ^", SHEAF_BREACH, "dense sample too short",
	 "x.ctf:1:8 (byte 7): stream \"A\": expected 2 values, found 1; the rest is zeros", 0, 0},
	{"1 |B 1:1 |A\n",
	 "           ^", SHEAF_BREACH, "dense sample too short",
	 "x.ctf:1:12 (byte 11): stream \"A\": expected 2 values, found 0; the rest is zeros", 0, 0},
	{"1 |A 1\0 |B 1:1\n",
	 "      ^", SHEAF_BREACH, "dense sample too short",
	 "x.ctf:1:7 (byte 6): stream \"A\": expected 2 values, found 1; the rest is zeros", 0, 16},
	{"1 |A 1+2 |B 1:1\n",
	 "      ^", SHEAF_BREACH, "values not separated",
	 "x.ctf:1:7 (byte 6): stream \"A\": expected a space between values, found \"+2\"; read as a value of its own", 0, 0},
	{FIRST
	 "1 |A 1:2 3 |B 1:1\n",
	 "      ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:7 (byte 22): stream \"A\": expected a space between values, found \":2\"" LEFT_OUT, 0, 0},
	/* numbers */
	{FIRST
	 "1 |A nan 1 |B 1:1\n",
	 "     ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:6 (byte 21): stream \"A\": expected a number, found \"nan\"" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A -inf 1 |B 1:1\n",
	 "      ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:7 (byte 22): stream \"A\": expected a number, found \"inf\"" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1 - |B 1:1\n",
	 "        ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:9 (byte 24): stream \"A\": expected a number, found a space" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |B 1:1 |A 1 -\n",
	 "               ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:16 (byte 31): stream \"A\": expected a number, found the end of the line" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1e+ 1 |B 1:1\n",
	 "        ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:9 (byte 24): stream \"A\": expected a digit of an exponent, found a space" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 0x10 1 |B 1:1\n",
	 "      ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:7 (byte 22): stream \"A\": expected a space between values, found \"x10\"" LEFT_OUT, 0, 0},
	{"|A .5 1 |B 1:1\n",
	 "   ^", SHEAF_NOTE, "number that CNTK refuses",
	 "x.ctf:1:4 (byte 3): stream \"A\": expected a digit before the point, and one between a point and an exponent, found \".5\"", 0, 0},
	{"|A 1 1.e2 |B 1:1\n",
	 "     ^", SHEAF_NOTE, "number that CNTK refuses",
	 "x.ctf:1:6 (byte 5): stream \"A\": expected a digit before the point, and one between a point and an exponent, found \"1.e2\"", 0, 0},
	{"|A 1 -4e38 |B 1:1\n",
	 "     ^", SHEAF_WARNING, "value overflow",
	 "x.ctf:1:6 (byte 5): stream \"A\": expected a value that float32 can hold, found \"-4e38\"; read as infinity", 0, 0},
	{"|A 1 1e309\n",
	 "     ^", SHEAF_WARNING, "value overflow",
	 "x.ctf:1:6 (byte 5): stream \"A\": expected a value that float64 can hold, found \"1e309\"; read as infinity", "A:2:dense:double", 0},
	/* sparse samples */
	{FIRST
	 "1 |A 1 2 |B 10:1\n",
	 "            ^", SHEAF_ERROR, "index range",
	 "x.ctf:2:13 (byte 28): stream \"B\": expected an index below 10, found \"10\"" LEFT_OUT, 0, 0},
	{"1 |A 1 2 |B 10:1\n",
	 "            ^", SHEAF_ERROR, "index range",
	 "x.ctf:1:13 (byte 12): stream \"B\": expected an index below 10, found \"10\"" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1 2 |B 1:1 18446744073709551617:1\n",
	 "                ^", SHEAF_ERROR, "index range",
	 "x.ctf:2:17 (byte 32): stream \"B\": expected an index below 10, found \"18446744073709551617\"" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1 2 |B -1:1\n",
	 "            ^", SHEAF_ERROR, "not an index",
	 "x.ctf:2:13 (byte 28): stream \"B\": expected an index, found \"-1:1\"" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1 2 |B 1:1 5\n",
	 "                 ^", SHEAF_ERROR, "no ':' after an index",
	 "x.ctf:2:18 (byte 33): stream \"B\": expected ':' and a value directly after the index, found the end of the line" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1 2 |B 5 :1\n",
	 "             ^", SHEAF_ERROR, "no ':' after an index",
	 "x.ctf:2:14 (byte 29): stream \"B\": expected ':' and a value directly after the index, found a space" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1 2 |B 5: 1\n",
	 "              ^", SHEAF_ERROR, "not a number",
	 "x.ctf:2:15 (byte 30): stream \"B\": expected a number, found a space" LEFT_OUT, 0, 0},
	{FIRST
	 "1 |A 1 2 |B 5:1:2\n",
	 "               ^", SHEAF_ERROR, "not an index",
	 "x.ctf:2:16 (byte 31): stream \"B\": expected a space between pairs, found \":2\"" LEFT_OUT, 0, 0},
	/* lines */
	{FIRST
	 "1 |C 5\n",
	 "^", SHEAF_ERROR, "empty row",
	 "x.ctf:2:1 (byte 16): expected at least one sample of a declared stream on a line, found none; the line adds nothing", 0, 0},
	{"1 |A 1 2 |B 1:1",
	 "               ^", SHEAF_BREACH, "no line feed at the end",
	 "x.ctf:1:16 (byte 15): expected a line feed at the end of the last line, found the end of the file", 0, 0},
	{FIRST
	 "23",
	 "^", SHEAF_BREACH, "last line without samples",
	 "x.ctf:2:1 (byte 16): expected samples and a line feed, found the end of the file; the line is left out", 0, 0},
	/* sequences: the caret stands under their first byte */
	{FIRST
	 "2 |A 1 2\n2 |A 3 4\n",
	 "^", SHEAF_ERROR, "stream missing in a sequence",
	 "x.ctf:2:1 (byte 16): stream \"B\": expected at least one sample of every stream in every sequence (--allow missing reads it without, --drop-incomplete leaves it out), found none in sequence 2; the stream has none there", 0, 0},
	{FIRST
	 "456 |A 4 5\n456 |B 1:2\n",
	 "^", SHEAF_ERROR, "more lines than samples",
	 "x.ctf:2:1 (byte 16): expected at most 1 lines, as many as sequence 456 has samples in its longest stream (--allow unaligned reads more), found 2; " "all samples are kept", 0, 0},
	{FIRST
	 "2 |A 1 2 |A 3 4 |B 1:1\n",
	 "^", SHEAF_ERROR, "more samples than lines",
	 "x.ctf:2:1 (byte 16): stream \"A\": expected at most 1 samples, one for each line of sequence 2, found 2; all of them are kept", 0, 0},
};
/* clang-format on */

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

static void check_validating(const caret *c, size_t size, int64_t piece_bytes)
{
	record r;
	begin(&r, (sheaf_context_options){.validate = true});
	sheaf_status status =
		read_text(c->input, size, c->options ? c->options : usual, piece_bytes, &r, NULL, 0);
	if (c->rule) {
		assert_int_equal(SHEAF_OK, status);
		const finding *f = find_rule(&r, c->rule);
		assert_string_equal(c->message, f->text);
		assert_int_equal(c->severity, f->severity);
		assert_int_equal(strlen(c->under), f->place.column);
	} else {
		assert_int_not_equal(SHEAF_OK, status);
		assert_string_equal(c->message, err.message);
	}
	end(&r);
}

static const char ends_here[] = "; stopping at the first error (see --max-errors)";

/* What stops the reading is reported without what would have been left out. */
static void assert_stops_with(const char *message, bool by_error)
{
	char wanted[1024];
	const char *consequence = strstr(message, "; ");
	snprintf(wanted, sizeof wanted, "%.*s%s",
	         consequence ? (int)(consequence - message) : (int)strlen(message), message,
	         by_error ? ends_here : "");
	assert_string_equal(wanted, err.message);
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

/* The first problem of an input stops it, so the message of an error is that of the case where nothing
 * precedes it. */
static void check_stopping(const caret *c, size_t size)
{
	record r;
	if (!c->rule || c->severity < SHEAF_ERROR) return;
	begin(&r, (sheaf_context_options){.max_errors = c->severity == SHEAF_FATAL ? 100 : 0});
	assert_int_equal(SHEAF_DATA, read_text(c->input, size, c->options ? c->options : usual, 0, &r, NULL, 0));
	assert_stops_with(c->message, c->severity == SHEAF_ERROR);
	end(&r);
}

static void caret_points_at_the_flaw(void **state)
{
	const caret *c = (const caret *)*state;
	size_t size = c->size ? c->size : strlen(c->input);
	check_place(c, c->message);
	check_validating(c, size, 0);
	check_validating(c, size, 1);
	check_reading(c, size);
	check_stopping(c, size);
}

/* ---- the error budget: what counts, what is kept, what nothing tolerates ---- */

typedef struct budget {
	const char *name, *input;
	int64_t errors;   /* counted; FATAL: none are enough */
	const char *rows; /* what is kept */
	const char *options;
} budget;
enum { FATAL = -1 };

#define ROW(key, a, b) "{\"key\":" #key ",\"streams\":{\"A\":[" a "],\"B\":[" b "]}}\n"

static const budget budgets[] = {
	{"a good line", "1 |A 1 2 |B 1:1\n", 0, ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"text outside an input: one, the rest of the line is read", "1 oops oops |A 1 2 |B 1:1\n", 1,
     ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"text outside an input twice", "1 x |A 1 2 \x01 y |B 1:1\n", 2, ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"an empty name: one, the rest of the line is read", "1 | A 1 2 |A 1 2 |B 1:1\n", 1,
     ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"three empty names", "1 |A 1 2 |||B 1:1 |\n", 3, ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"an unknown name: none", "1 |C x:y |A 1 2 |Cc |B 1:1\n", 0, ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"a short dense sample: none", "1 |A 7 |B 1:1\n1 |A |B\n", 0, ROW(1, "[7,0],[0,0]", "[[1,1]],[]"), 0},
	{"a missing line feed: none", "1 |A 1 2 |B 1:1", 0, ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"a last line of digits: none", "1 |A 1 2 |B 1:1\n77", 0, ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"values glued by a sign: none", "1 |A 1-2 |B 1:1\n", 0, ROW(1, "[1,-2]", "[[1,1]]"), 0},
	{"an overflow: none", "1 |A 1e99 2 |B 1:1\n", 0, ROW(1, "[\"inf\",2]", "[[1,1]]"), 0},
	{"a long dense sample: one, nothing of it is kept", FIRST "1 |A 1 2 3 4 5 |B 1:1\n", 1,
     ROW(1, "[5,6]", "[[1,1]],[[1,1]]"), 0},
	{"a pair in a dense sample: one", FIRST "1 |A 1:2 3:4 |B 1:1\n", 1, ROW(1, "[5,6]", "[[1,1]],[[1,1]]"),
     0},
	{"no number: one, the values before it go, too", FIRST "1 |A 1 x 3 |B 1:1\n", 1,
     ROW(1, "[5,6]", "[[1,1]],[[1,1]]"), 0},
	{"two bad numbers of a sample: one", FIRST "1 |A x y |B 1:1\n", 1, ROW(1, "[5,6]", "[[1,1]],[[1,1]]"), 0},
	{"an index of dim: one, the pairs before it go, too", FIRST "1 |B 3:1 10:1 4:1 |A 1 2\n", 1,
     ROW(1, "[5,6],[1,2]", "[[1,1]]"), 0},
	{"a missing colon: one", FIRST "1 |B 3:1 4 |A 1 2\n", 1, ROW(1, "[5,6],[1,2]", "[[1,1]]"), 0},
	{"a space after the colon: one", FIRST "1 |B 3: 1 |A 1 2\n", 1, ROW(1, "[5,6],[1,2]", "[[1,1]]"), 0},
	{"a space before the colon: one", FIRST "1 |B 3 :1 |A 1 2\n", 1, ROW(1, "[5,6],[1,2]", "[[1,1]]"), 0},
	{"two colons: one", FIRST "1 |B 3:1:2 |A 1 2\n", 1, ROW(1, "[5,6],[1,2]", "[[1,1]]"), 0},
	{"pairs by comma: one", FIRST "1 |B 3:1,4:1 |A 1 2\n", 1, ROW(1, "[5,6],[1,2]", "[[1,1]]"), 0},
	{"errors of two samples of a line: two, and the line is empty: three, and too many: four",
     FIRST "1 |A x |B y\n", 4, ROW(1, "[5,6]", "[[1,1]]"), 0},
	{"an empty row: one, and a line too many: two", FIRST "\n", 2, ROW(1, "[5,6]", "[[1,1]]"), 0},
	{"two empty rows: two, and lines too many: three", FIRST "\n1\n", 3, ROW(1, "[5,6]", "[[1,1]]"), 0},
	{"a comment only is an empty row", FIRST "1 |# x\n", 2, ROW(1, "[5,6]", "[[1,1]]"), 0},
	{"unknown names only are an empty row", FIRST "1 |C 1 |D 2\n", 2, ROW(1, "[5,6]", "[[1,1]]"), 0},
	{"an empty row in a sequence of as many samples, by a stream twice on a line",
     "1 |A 1 2 |A 3 4 |B 1:1\n1\n", 1, ROW(1, "[1,2],[3,4]", "[[1,1]]"), 0},
	{"a stream twice on the only line: one, both are kept", "1 |A 1 2 |A 3 4 |B 1:1\n", 1,
     ROW(1, "[1,2],[3,4]", "[[1,1]]"), 0},
	{"a stream twice on a line, and not on another: none", "1 |A 1 2 |A 3 4 |B 1:1\n1 |B 2:2\n", 0,
     ROW(1, "[1,2],[3,4]", "[[1,1]],[[2,2]]"), 0},
	{"lines too many: one, all is kept", "1 |A 1 2\n1 |B 1:1\n", 1, ROW(1, "[1,2]", "[[1,1]]"), 0},
	{"lines too many are fine when told", "1 |A 1 2\n1 |B 1:1\n", 0, ROW(1, "[1,2]", "[[1,1]]"),
     "A:2:dense B:10:sparse -allow=unaligned"},
	{"lines too many are fine with a main stream", "1 |A 1 2\n1 |B 1:1\n1 |A 3 4\n1 |A 5 6 |A 7 8 |A 9 0\n",
     0, ROW(1, "[1,2],[3,4],[5,6],[7,8],[9,0]", "[[1,1]]"), "A:2:dense B:10:sparse -main-stream=B"},
	{"the budget is for the whole input", "1 x |A 1 2 |B 1:1\n2 |A 1 2 |B 1:1 |\n3 |A 1 2 |B 1:1 |\n", 3,
     ROW(1, "[1,2]", "[[1,1]]") ROW(2, "[1,2]", "[[1,1]]") ROW(3, "[1,2]", "[[1,1]]"), 0},
	{"a stream missing: one, the sequence has no sample of it", "1 |A 1 2\n2 |A 1 2 |B 1:1\n", 1,
     ROW(1, "[1,2]", "") ROW(2, "[1,2]", "[[1,1]]"), 0},
	{"a stream missing in the last sequence: one", "2 |A 1 2 |B 1:1\n1 |A 1 2\n", 1,
     ROW(2, "[1,2]", "[[1,1]]") ROW(1, "[1,2]", ""), 0},
	{"a stream missing because its sample was left out: two", "1 |A 1 2 |B 10:1\n", 2, ROW(1, "[1,2]", ""),
     0},
	{"two streams missing on a blank line that is a sequence: three", "|A 1 2 |B 1:1\n\n|A 3 4 |B 2:2\n", 3,
     ROW(0, "[1,2]", "[[1,1]]") ROW(1, "", "") ROW(2, "[3,4]", "[[2,2]]"), 0},
	{"an id beyond 64 bits", "18446744073709551616 |A 1 2 |B 1:1\n", FATAL, NULL, 0},
	{"an id beyond 64 bits, later", "1 |A 1 2 |B 1:1\n18446744073709551616 |A 1 2 |B 1:1\n", FATAL, NULL, 0},
	{"a first line without an id", "x |A 1 2 |B 1:1\n", FATAL, NULL, 0},
	{"an empty input", "", FATAL, NULL, 0},
};

static void check_budget(const budget *b, int64_t max_errors, int64_t piece_bytes)
{
	static char rows[4096];
	record r;
	begin(&r, (sheaf_context_options){.max_errors = max_errors});
	sheaf_status status = read_text(b->input, strlen(b->input), b->options ? b->options : usual, piece_bytes,
	                                &r, rows, sizeof rows);
	if (b->errors == FATAL || max_errors < b->errors) {
		assert_int_equal(SHEAF_DATA, status);
	} else {
		assert_int_equal(SHEAF_OK, status);
		assert_string_equal(b->rows, rows);
		assert_int_equal(b->errors, sheaf_context_problems(r.cx, SHEAF_ERROR));
	}
	end(&r);
}

static void error_budget(void **state)
{
	const budget *b = (const budget *)*state;
	for (int64_t piece = 0; piece < 2; piece++) {
		for (int64_t most = 0; most <= (b->errors == FATAL ? 0 : b->errors); most++)
			check_budget(b, most, piece);
		check_budget(b, 1000, piece);
	}
}

/* ---- validation ---- */

static void validation_tells_everything_in_one_run(void **state)
{
	static const char input[] = "1 |A .5 1 |B 1:1\n"
								"1 x |A 1 2 3 |B 11:1 | |C 9\n"
								"2 |A 1 |A 3 4\n"
								"\n"
								"1 |A 1+2 |B 5:1e99 |B 2 3";
	static const char *const rules[] = {"number that CNTK refuses",
	                                    "text outside an input",
	                                    "dense sample too long",
	                                    "index range",
	                                    "no stream name",
	                                    "unknown stream",
	                                    "empty row",
	                                    "more lines than samples",
	                                    "dense sample too short",
	                                    "stream twice on a line",
	                                    "empty row",
	                                    "stream missing in a sequence",
	                                    "values not separated",
	                                    "value overflow",
	                                    "no ':' after an index",
	                                    "no line feed at the end",
	                                    "repeated sequence id"};
	record r;
	(void)state;
	begin(&r, (sheaf_context_options){.validate = true});
	assert_int_equal(SHEAF_OK, read_text(input, sizeof input - 1, usual, 0, &r, NULL, 0));
	for (int i = 0; i < r.n && i < (int)COUNT(rules); i++) assert_string_equal(rules[i], r.found[i].rule);
	assert_int_equal(COUNT(rules), r.n);
	end(&r);
}

/* The document forbids these, CNTK reads them: reading goes on, validation does not pass. */
static void breaches_are_read_and_invalid(void **state)
{
	static const char *const inputs[] = {"1 |A 1 2 |B 1:1",
	                                     "1 |A 1 |B 1:1\n",
	                                     "1 |A 1 2 |B 1:1 |C 1\n",
	                                     "1 |A 1+2 |B 1:1\n",
	                                     "1 |A 1 2 |A 3 4 |B 1:1\n1 |B 1:1\n",
	                                     "1 |A 1 2 |B 1:1\n2 |A 1 2 |B 1:1\n1 |A 1 2 |B 1:1\n"};
	(void)state;
	for (size_t i = 0; i < COUNT(inputs); i++) {
		record r;
		begin(&r, (sheaf_context_options){0});
		assert_int_equal(SHEAF_OK, read_text(inputs[i], strlen(inputs[i]), usual, 0, &r, NULL, 0));
		end(&r);
		begin(&r, (sheaf_context_options){.validate = true});
		assert_int_equal(SHEAF_OK, read_text(inputs[i], strlen(inputs[i]), usual, 0, &r, NULL, 0));
		assert_int_equal(1, r.n);
		assert_int_equal(SHEAF_BREACH, r.found[0].severity);
		end(&r);
	}
}

static void strict_makes_breaches_errors(void **state)
{
	record r;
	(void)state;
	begin(&r, (sheaf_context_options){.strict = true});
	assert_int_equal(SHEAF_DATA, read_text("1 |A 1 |B 1:1\n", 14, usual, 0, &r, NULL, 0));
	assert_stops_with("x.ctf:1:8 (byte 7): stream \"A\": expected 2 values, found 1; the rest is zeros",
	                  true);
	end(&r);
}

/* Repeated ids are found however far apart, and reported in the order of ids. */
static void repeated_ids_are_found_far_apart(void **state)
{
	enum { IDS = 3000 };
	static char input[IDS * 16 + 64];
	size_t n = 0;
	record r;
	(void)state;
	for (int i = 0; i < IDS; i++) n += (size_t)sprintf(input + n, "%d |A 1\n", (i * 7) % IDS);
	n += (size_t)sprintf(input + n, "2999 |A 1\n0 |A 1\n0 |A 1\n5 |A 1\n");
	begin(&r, (sheaf_context_options){.validate = true});
	assert_int_equal(SHEAF_OK, read_text(input, n, "A:1:dense", 256, &r, NULL, 0));
	assert_int_equal(3, r.n);
	const char *const ends[] = {":3002:1: expected a sequence id that no earlier sequence has, found id 0 "
	                            "again, first seen on line 1; read as a sequence of its own",
	                            ":3004:1: expected a sequence id that no earlier sequence has, found id 5 "
	                            "again, first seen on line 1716; read as a sequence of its own",
	                            ":3001:1: expected a sequence id that no earlier sequence has, found id 2999 "
	                            "again, first seen on line 858; read as a sequence of its own"};
	for (int i = 0; i < 3; i++) assert_non_null(strstr(r.found[i].text, ends[i]));
	end(&r);
}

/* ---- declaring ---- */

static void check_refusal(const char *input, const char *options, sheaf_status wanted, const char *message)
{
	record r;
	sheaf_dataset *dataset;
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(wanted, open_text(input, strlen(input), options, 0, &r, &dataset));
	assert_string_equal(message, err.message);
	end(&r);
}

static void declarations_must_make_sense(void **state)
{
	(void)state;
	check_refusal("|A 1\n", "A", SHEAF_USAGE,
	              "--stream A: expected NAME:DIM:dense or NAME:DIM:sparse, found no dim");
	check_refusal("|A 1\n", "A:1", SHEAF_USAGE,
	              "--stream A:1: expected NAME:DIM:dense or NAME:DIM:sparse, found no storage");
	check_refusal("|A 1\n", "A:0:dense", SHEAF_USAGE,
	              "--stream A:0:dense: expected a dim of at least 1, dense, sparse, float, double or "
	              "alias=NAME, found \"0\"");
	check_refusal("|A 1\n", ":1:dense", SHEAF_USAGE, "--stream :1:dense: expected a name first, found none");
	check_refusal("|A 1\n", "A:1:dense:alias=", SHEAF_USAGE,
	              "--stream A:1:dense:alias=: expected a name after alias=, found none");
	check_refusal("|A 1\n", "A:1:dense A:1:dense", SHEAF_USAGE,
	              "stream \"A\": expected each name once, found it twice");
	check_refusal("|A 1\n", "A:1:dense:alias=x B:1:dense:alias=x", SHEAF_USAGE,
	              "stream \"B\": expected each alias once, found \"x\" twice");
	check_refusal("|A 1\n", "A:1:dense -main-stream=B", SHEAF_USAGE,
	              "--main-stream: expected a stream of x.ctf, found \"B\"");
	check_refusal(
		"|A 1\n", "A:1:dense -chunk-bytes=1", SHEAF_USAGE,
		"--chunk-bytes: expected an option that format ctf uses for reading, found one that it does not use");
	check_refusal("|# nothing\n", "", SHEAF_DATA,
	              "x.ctf: expected '|' and a stream name on some line, found none");
}

/* ---- inferring ---- */

static sheaf_status schema_of(const char *input, size_t size, bool whole, const char *options, record *r,
                              char text[256])
{
	settings s;
	sheaf_source *source;
	sheaf_dataset *dataset;
	read_settings(options, &s);
	sheaf_open_options open = {
		.size = sizeof open, .format = "ctf", .glance = !whole, .settings = s.list, .nsettings = s.n};
	assert_int_equal(SHEAF_OK, sheaf_source_memory((sheaf_bytes){(const uint8_t *)input, size}, "x.ctf",
	                                               r->cx, &source, &err));
	sheaf_status status = sheaf_open_source(source, &open, r->cx, &dataset, &err);
	if (status) return status;
	const sheaf_schema *schema = sheaf_dataset_schema(dataset);
	*text = '\0';
	for (int i = 0; i < schema->nfields; i++) {
		const sheaf_field *f = &schema->fields[i];
		if (f->meaning == SHEAF_KEY) continue;
		size_t n = strlen(text);
		snprintf(text + n, 256 - n, "%s%s:%" PRId64 ":%s%s", n ? " " : "", f->name, sheaf_field_dim(f),
		         sheaf_field_is_sparse(f) ? "sparse" : "dense", f->type == SHEAF_F64 ? ":double" : "");
	}
	while (status == SHEAF_OK) {
		const sheaf_frame *frame;
		status = sheaf_next(dataset, &frame, &err);
	}
	sheaf_close(dataset);
	return status == SHEAF_END ? SHEAF_OK : status;
}

/* A stream may begin late; only the first part is examined, however much is available. */
static void names_are_looked_for_in_the_first_part(void **state)
{
	enum { LINES = 20000 };
	static char text[LINES * 8 + 16];
	record r;
	(void)state;
	for (int i = 0; i < LINES; i++) memcpy(text + (size_t)i * 8, "|S 1234\n", 8);
	strcpy(text + LINES * 8, "|Bee 1:1\n"); /* looks like a slip */
	for (int early = 0; early < 2; early++) {
		if (early) memcpy(text, "|Bee 1:1\n|S 12\n", 16);
		begin(&r, (sheaf_context_options){0});
		sheaf_dataset *dataset = NULL;
		sheaf_status status = open_text(text, strlen(text), "S:1:dense Beee:10:sparse", 0, &r, &dataset);
		assert_int_equal(early ? SHEAF_USAGE : SHEAF_OK, status);
		if (early) assert_non_null(strstr(err.message, "did you mean Bee?"));
		sheaf_close(dataset);
		end(&r);
	}
}

static void undeclared_streams_are_inferred(void **state)
{
	static const char *const cases[][3] = {
		{"|A 1 2 |B 3:1\n", "", "A:2:dense B:4:sparse"},
		{"1 |B 3:1 |A 1 2\n1 |A 1 2 |B 11:1 2:1\n", "", "B:12:sparse A:2:dense"},
		{"|A 1\n|A 1 2 3\n|A 1 2\n", "", "A:3:dense"},
		{"|A 1 2\n", "-element-type=double", "A:2:dense:double"},
		{"|A 1+2-3 4e-5\n", "", "A:4:dense"},
		{"|A |B 1\n", "", "A:1:sparse B:1:dense"},
		{"|B |A 1\n|B 0:1 |A 1\n", "", "B:1:sparse A:1:dense"},
		{"|A 1 |# |B 1:1 B 2\n|A 2\n", "-allow=missing", "A:1:dense B:1:sparse"},
		{"|A 1 |# B 1:1\n", "", "A:1:dense"},
		{"|a/b#c 1 |\xc3\xa9 2\n", "", "a/b#c:1:dense \xc3\xa9:1:dense"},
	};
	char text[256];
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		record r;
		begin(&r, (sheaf_context_options){.max_errors = 10});
		sheaf_status status = schema_of(cases[i][0], strlen(cases[i][0]), true, cases[i][1], &r, text);
		if (status) print_error("%s\n", err.message);
		assert_int_equal(SHEAF_OK, status);
		assert_string_equal(cases[i][2], text);
		end(&r);
	}
}

/* Many times one line, then another. The caller frees it. */
static char *long_input(int64_t lines, const char *line, const char *last, size_t *size)
{
	size_t n = strlen(line), m = strlen(last);
	char *input = (char *)malloc((size_t)lines * n + m);
	assert_non_null(input);
	for (int64_t i = 0; i < lines; i++) memcpy(input + (size_t)i * n, line, n);
	memcpy(input + (size_t)lines * n, last, m);
	*size = (size_t)lines * n + m;
	return input;
}

/* A quick look takes the streams from the first part of the input. A longer dense sample after it stops the
 * reading, an index beyond the dim does not. */
static void glance_may_mislead(void **state)
{
	enum { LINES = 300000 };
	char text[256];
	size_t size;
	record r;
	(void)state;
	char *dense = long_input(LINES, "|A 1\n", "|A 1 2\n", &size);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_DATA, schema_of(dense, size, false, "", &r, text));
	assert_string_equal("A:1:dense", text);
	assert_string_equal("x.ctf:300001:3 (byte 1500002): stream \"A\": expected at most 1 values (as in the "
	                    "first part; declare the stream to read more), found 2; "
	                    "stopping at the first error (see --max-errors)",
	                    err.message);
	end(&r);
	free(dense);
	char *sparse = long_input(LINES, "|B 0:1\n", "|B 6:1\n", &size);
	for (int whole = 0; whole < 2; whole++) {
		begin(&r, (sheaf_context_options){0});
		assert_int_equal(SHEAF_OK, schema_of(sparse, size, whole, "", &r, text));
		assert_string_equal(whole ? "B:7:sparse" : "B:1:sparse", text);
		end(&r);
	}
	free(sparse);
}

/* ---- the map file ---- */

static void check_map(const char *map, const char *input, const char *rows, const char *tail)
{
	char path[128], options[160], found[1024], message[300];
	record r;
	put_file("map", map, path);
	snprintf(options, sizeof options, "-map=%s", path);
	begin(&r, (sheaf_context_options){0});
	sheaf_status status = read_text(input, strlen(input), options, 0, &r, found, sizeof found);
	if (rows) {
		assert_int_equal(SHEAF_OK, status);
		assert_string_equal(rows, found);
	} else {
		assert_int_equal(SHEAF_USAGE, status);
		snprintf(message, sizeof message, "%s%s", path, tail);
		assert_string_equal(message, err.message);
	}
	end(&r);
}

static void map_file_declares_streams(void **state)
{
	(void)state;
	check_map("features f dense 2\nB\tB sparse  10\r\n\n", "1 |f 1 2 |B 1:1\n",
	          "{\"key\":1,\"streams\":{\"features\":[[1,2]],\"B\":[[[1,1]]]}}\n", NULL);
	check_map("A A dense\n", "1 |A 1\n", NULL, ":1: expected 4 words (name alias format dim), found 3");
	check_map("A A dense 1\nB B dense 1 2\n", "1 |A 1\n", NULL,
	          ":2: expected 4 words (name alias format dim), found 5");
	check_map("A A dense 0\n", "1 |A 1\n", NULL,
	          ":1: expected dense or sparse and a dim of at least 1, found \"dense 0\"");
	check_map("A A dense double\n", "1 |A 1\n", NULL,
	          ":1: expected dense or sparse and a dim of at least 1, found \"dense double\"");
	check_map("A A thick 1\n", "1 |A 1\n", NULL,
	          ":1: expected dense or sparse and a dim of at least 1, found \"thick 1\"");
	/* of the two last words 28 bytes are read, which is more than any dim needs */
	check_map(
		"A A dense 12345678901234567890123\n", "1 |A 1\n", NULL,
		":1: expected dense or sparse and a dim of at least 1, found \"dense 12345678901234567890123\"");
	check_map("A A dense 123456789012345678901234\n", "1 |A 1\n", NULL,
	          ":1: expected dense or sparse and a dim, found longer words");
	check_map("# A A dense 1\n\n", "1 |A 1\n", NULL,
	          ": expected lines of name, alias, format and dim, found none");
}

/* ---- all of them ---- */

static void add_tables(void)
{
	for (size_t i = 0; i < COUNT(carets); i++)
		add(name_of("caret", carets[i].message), caret_points_at_the_flaw, &carets[i]);
	for (size_t i = 0; i < COUNT(budgets); i++)
		add(name_of("budget", budgets[i].name), error_budget, &budgets[i]);
}

int main(void)
{
	add_tables();
	add("validation tells everything in one run", validation_tells_everything_in_one_run, NULL);
	add("breaches are read and invalid", breaches_are_read_and_invalid, NULL);
	add("strict makes breaches errors", strict_makes_breaches_errors, NULL);
	add("repeated ids are found far apart", repeated_ids_are_found_far_apart, NULL);
	add("declarations must make sense", declarations_must_make_sense, NULL);
	add("names are looked for in the first part", names_are_looked_for_in_the_first_part, NULL);
	add("undeclared streams are inferred", undeclared_streams_are_inferred, NULL);
	add("a glance may mislead", glance_may_mislead, NULL);
	add("a map file declares streams", map_file_declares_streams, NULL);
	return _cmocka_run_group_tests("ctf", tests, ntests, make_folder, remove_folder);
}
