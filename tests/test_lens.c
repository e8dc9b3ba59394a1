/* SPDX-License-Identifier: MIT */
/* Example files: what each message says and where it points, what is read and what is left out, sharing, the
 * writers, pieces. Models and bytes of the real program are compared by conform_lens.py. */
#include "lens_model.h"
#include "record.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A set read whole, with what was found. */
typedef struct whole {
	record r;
	sheaf_source *source;
	sheaf_lens_reader *in;
	sheaf_lens_set set;
	sheaf_status status;
} whole;

static void read_whole(whole *w, const void *data, size_t size, int64_t piece_bytes,
                       sheaf_context_options options)
{
	*w = (whole){.status = SHEAF_OK};
	begin(&w->r, options);
	assert_int_equal(SHEAF_OK, sheaf_source_memory((sheaf_bytes){(const uint8_t *)data, size}, "x.ex",
	                                               w->r.cx, &w->source, &err));
	w->status = sheaf_lens_open(w->source, w->r.cx, &w->in, &err);
	if (w->status) return;
	sheaf_lens_set_begin(&w->set, sheaf_lens_header_of(w->in), w->r.cx);
	w->status = read_set(w->in, piece_bytes, &w->set, w->r.cx, &err);
}

static void end_whole(whole *w)
{
	sheaf_lens_set_free(&w->set);
	sheaf_lens_close(w->in);
	sheaf_source_close(w->source);
	end(&w->r);
}

static void write_whole(const whole *w, const sheaf_lens_spelling *spelling, bytes_sink *out)
{
	sheaf_builder to;
	sheaf_lens_writing writing;
	sheaf_builder_begin(&to, w->r.cx, NULL);
	sheaf_lens_writing_begin(&writing, "out", w->r.cx);
	assert_int_equal(SHEAF_OK, write_set(&writing, spelling, &w->set, &to, &err));
	*out = (bytes_sink){NULL, 0, 0};
	write_bytes(out, to.data, to.size);
	sheaf_lens_writing_end(&writing);
	sheaf_builder_drop(&to);
}

/* ---- carets ---- */

/* An input; a caret under the byte in question, on the line that the message names; severity, rule and the
 * whole message. */
typedef struct caret {
	const char *input, *under;
	sheaf_severity severity;
	const char *rule, *message;
	size_t size; /* 0: strlen(input) */
} caret;

/* The carets stand under what they point at. */
/* clang-format off */
static const caret carets[] = {
	{"proc:{a\nb",
	 " ^", SHEAF_FATAL, "set proc",
	 "x.ex:2:2 (byte 9): expected the code of the set to be closed with '}', found the end of the file", 0},
	{"proc:{a)};",
	 "       ^", SHEAF_FATAL, "set proc",
	 "x.ex:1:8 (byte 7): expected the code of the set to be closed with '}', found \")};\"", 0},
	{"max:x;\n",
	 "    ^", SHEAF_FATAL, "missing value",
	 "x.ex:1:5 (byte 4): expected a value after \"max:\" in the set header, found \"x\"", 0},
	{"min:x;\n",
	 "    ^", SHEAF_FATAL, "missing value",
	 "x.ex:1:5 (byte 4): expected a value after \"min:\" in the set header, found \"x\"", 0},
	{"grace:x;\n",
	 "      ^", SHEAF_FATAL, "missing value",
	 "x.ex:1:7 (byte 6): expected a value after \"grace:\" in the set header, found \"x\"", 0},
	{"defI:x;\n",
	 "     ^", SHEAF_FATAL, "missing value",
	 "x.ex:1:6 (byte 5): expected a value after \"defI:\" in the set header, found \"x\"", 0},
	{"actI:x;\n",
	 "     ^", SHEAF_FATAL, "missing value",
	 "x.ex:1:6 (byte 5): expected a value after \"actI:\" in the set header, found \"x\"", 0},
	{"defT:x;\n",
	 "     ^", SHEAF_FATAL, "missing value",
	 "x.ex:1:6 (byte 5): expected a value after \"defT:\" in the set header, found \"x\"", 0},
	{"actT:x;\n",
	 "     ^", SHEAF_FATAL, "missing value",
	 "x.ex:1:6 (byte 5): expected a value after \"actT:\" in the set header, found \"x\"", 0},
	{"5 I:1;",
	 "^", SHEAF_WARNING, "leading number",
	 "x.ex:1:1 (byte 0): expected the file not to begin with a number: write ';' before the number of events, found \"5\"; read as the number of inputs of an old header, as Lens does, and ignored", 0},
	{"4 2\nI:1;",
	 "^", SHEAF_NOTE, "leading number",
	 "x.ex:1:1 (byte 0): expected the file not to begin with a number: write ';' before the number of events, found \"4\"; read as an old header and ignored", 0},
	{"max: ;I:1;",
	 "     ^", SHEAF_WARNING, "empty value",
	 "x.ex:1:6 (byte 5): expected a number or '-', found \";I:1;\"; read as NaN", 0},
	{";name:",
	 "      ^", SHEAF_ERROR, "example name",
	 "x.ex:1:7 (byte 6): expected the name of an example, found the end of the file; the example is left out", 0},
	{";name:{a\n#}\n",
	 "^", SHEAF_ERROR, "example name",
	 "x.ex:3:1 (byte 12): expected the name of an example to be closed with '}', found the end of the file; the example is left out", 0},
	{";name:{a)} I:1;",
	 "        ^", SHEAF_ERROR, "example name",
	 "x.ex:1:9 (byte 8): expected the name of an example to be closed with '}', found \")}\"; the example is left out", 0},
	{";freq:x;",
	 "      ^", SHEAF_ERROR, "example frequency",
	 "x.ex:1:7 (byte 6): expected the frequency of an example, found \"x\"; the example is left out", 0},
	{";proc:\"{\" I:1;",
	 "              ^", SHEAF_ERROR, "example proc",
	 "x.ex:1:15 (byte 14): expected the proc of an example to be closed with '\"', found the end of the file; the example is left out", 0},
	{";99999999999 I:1;",
	 " ^", SHEAF_ERROR, "number of events",
	 "x.ex:1:2 (byte 1): expected a number of events from 1 to 2147483647, found \"99999999999\"; the example is left out", 0},
	{";0 I:1;",
	 " ^", SHEAF_ERROR, "number of events",
	 "x.ex:1:2 (byte 1): expected a number of events from 1 to 2147483647, found \"0\"; the example is left out", 0},
	{";2 [99999999999] I:1;",
	 "    ^", SHEAF_ERROR, "event out of range",
	 "x.ex:1:5 (byte 4): expected an event from 0 to 1, found \"99999999999\"; the example is left out", 0},
	{";2 [0 2] I:1;",
	 "      ^", SHEAF_ERROR, "event out of range",
	 "x.ex:1:7 (byte 6): expected an event from 0 to 1, found \"2\"; the example is left out", 0},
	{";3 [1-1] I:1;",
	 "      ^", SHEAF_ERROR, "event out of range",
	 "x.ex:1:7 (byte 6): expected an event above 1 and below 3, found \"1\"; the example is left out", 0},
	{";3 [1-3] I:1;",
	 "      ^", SHEAF_ERROR, "event out of range",
	 "x.ex:1:7 (byte 6): expected an event above 1 and below 3, found \"3\"; the example is left out", 0},
	{";3 [0-] I:1;",
	 "      ^", SHEAF_ERROR, "event range",
	 "x.ex:1:7 (byte 6): expected the last event of a range, found \"]\"; the example is left out", 0},
	{";[0 max:x] I:1;",
	 "        ^", SHEAF_ERROR, "missing value",
	 "x.ex:1:9 (byte 8): expected a value after \"max:\" in the event header, found \"x]\"; the example is left out", 0},
	{";[0 min:x] I:1;",
	 "        ^", SHEAF_ERROR, "missing value",
	 "x.ex:1:9 (byte 8): expected a value after \"min:\" in the event header, found \"x]\"; the example is left out", 0},
	{";[0 grace:x] I:1;",
	 "          ^", SHEAF_ERROR, "missing value",
	 "x.ex:1:11 (byte 10): expected a value after \"grace:\" in the event header, found \"x]\"; the example is left out", 0},
	{";[0 defI:x] I:1;",
	 "         ^", SHEAF_ERROR, "missing value",
	 "x.ex:1:10 (byte 9): expected a value after \"defI:\" in the event header, found \"x]\"; the example is left out", 0},
	{";[0 actI:x] I:1;",
	 "         ^", SHEAF_ERROR, "missing value",
	 "x.ex:1:10 (byte 9): expected a value after \"actI:\" in the event header, found \"x]\"; the example is left out", 0},
	{";[0 defT:x] I:1;",
	 "         ^", SHEAF_ERROR, "missing value",
	 "x.ex:1:10 (byte 9): expected a value after \"defT:\" in the event header, found \"x]\"; the example is left out", 0},
	{";[0 actT:x] I:1;",
	 "         ^", SHEAF_ERROR, "missing value",
	 "x.ex:1:10 (byte 9): expected a value after \"actT:\" in the event header, found \"x]\"; the example is left out", 0},
	{";[proc:{] I:1;",
	 "        ^", SHEAF_ERROR, "event proc",
	 "x.ex:1:9 (byte 8): expected the proc of an event to be closed with '}', found \"]\"; the example is left out", 0},
	{";2 [0,1] I:1;",
	 "     ^", SHEAF_ERROR, "unexpected in event header",
	 "x.ex:1:6 (byte 5): expected an event, a field or ']' in the event header, found \",1]\"; the example is left out", 0},
	{";[0 ",
	 "    ^", SHEAF_ERROR, "unexpected in event header",
	 "x.ex:1:5 (byte 4): expected an event, a field or ']' in the event header, found the end of the file; the example is left out", 0},
	{";I:1 I:2;",
	 "     ^", SHEAF_ERROR, "inputs beyond the events",
	 "x.ex:1:6 (byte 5): expected inputs for events below 1, found inputs for event 1; the example is left out", 0},
	{";T:1\nT:2;",
	 "^", SHEAF_ERROR, "targets beyond the events",
	 "x.ex:2:1 (byte 5): expected targets for events below 1, found targets for event 1; the example is left out", 0},
	{";B:1 t:2;",
	 "     ^", SHEAF_ERROR, "targets beyond the events",
	 "x.ex:1:6 (byte 5): expected targets for events below 1, found targets for event 1; the example is left out", 0},
	{";[0] I:1 [0] i:2;",
	 "             ^", SHEAF_ERROR, "inputs twice",
	 "x.ex:1:14 (byte 13): expected inputs at most once for each event, found inputs for event 0 again; the example is left out", 0},
	{";[0] T:1 [*] t:2;",
	 "             ^", SHEAF_ERROR, "targets twice",
	 "x.ex:1:14 (byte 13): expected targets at most once for each event, found targets for event 0 again; the example is left out", 0},
	{";2 [1] I:1 [*] I:2;",
	 "               ^", SHEAF_ERROR, "inputs twice",
	 "x.ex:1:16 (byte 15): expected inputs at most once for each event, found inputs for event 1 again; the example is left out", 0},
	{";2 [1] T:1 [0 1] T:2;",
	 "                 ^", SHEAF_ERROR, "targets twice",
	 "x.ex:1:18 (byte 17): expected targets at most once for each event, found targets for event 1 again; the example is left out", 0},
	{";i:{-)} 1;",
	 "    ^", SHEAF_ERROR, "sparse value",
	 "x.ex:1:5 (byte 4): expected the value of a sparse range, found \"-)}\"; the example is left out", 0},
	{";I:(.5) 1;",
	 "    ^", SHEAF_ERROR, "first unit",
	 "x.ex:1:5 (byte 4): expected the first unit of a dense range, found \".5)\"; the example is left out", 0},
	{";I:(9999999999) 1;",
	 "    ^", SHEAF_ERROR, "first unit",
	 "x.ex:1:5 (byte 4): expected the first unit of a dense range within 32 bits, found \"9999999999)\"; the example is left out", 0},
	{";I:1 -);",
	 "     ^", SHEAF_ERROR, "dense value",
	 "x.ex:1:6 (byte 5): expected a value, found \"-)\"; the example is left out", 0},
	{";I:*;",
	 "   ^", SHEAF_ERROR, "* in a range",
	 "x.ex:1:4 (byte 3): expected '*' only as the first and only unit of a sparse range, found \"*\"; the example is left out", 0},
	{";i:1 *;",
	 "     ^", SHEAF_ERROR, "* in a range",
	 "x.ex:1:6 (byte 5): expected '*' only as the first and only unit of a sparse range, found \"*\"; the example is left out", 0},
	{";i:* 1;",
	 "     ^", SHEAF_ERROR, "units after *",
	 "x.ex:1:6 (byte 5): expected no units after '*', which means all, found \"1\"; the example is left out", 0},
	{";i:1.5;",
	 "    ^", SHEAF_ERROR, "unit number",
	 "x.ex:1:5 (byte 4): expected the number of a unit, found \".5\"; the example is left out", 0},
	{";i:- 6;",
	 "   ^", SHEAF_ERROR, "unit number",
	 "x.ex:1:4 (byte 3): expected the number of a unit, found \"-\"; the example is left out", 0},
	{";i:2147483648;",
	 "   ^", SHEAF_ERROR, "unit number",
	 "x.ex:1:4 (byte 3): expected the number of a unit within 32 bits, found \"2147483648\"; the example is left out", 0},
	{";i:5-3;",
	 "    ^", SHEAF_ERROR, "unit range",
	 "x.ex:1:5 (byte 4): expected the last unit of a range not to be before the first, found \"-3\"; the example is left out", 0},
	{";i:-3;",
	 "   ^", SHEAF_ERROR, "unit range",
	 "x.ex:1:4 (byte 3): expected the last unit of a range not to be before the first, found \"-3\"; the example is left out", 0},
	{";I:1",
	 "    ^", SHEAF_ERROR, "missing semicolon",
	 "x.ex:1:5 (byte 4): expected '[', inputs, targets, or the ';' that ends the example, found the end of the file; the example is left out", 0},
	{";I:1,2;",
	 "    ^", SHEAF_ERROR, "missing semicolon",
	 "x.ex:1:5 (byte 4): expected '[', inputs, targets, or the ';' that ends the example, found \",2\"; the example is left out", 0},
	{";I:1 +1;",
	 "     ^", SHEAF_ERROR, "missing semicolon",
	 "x.ex:1:6 (byte 5): expected '[', inputs, targets, or the ';' that ends the example, found \"+1\"; the example is left out", 0},
	{";I:1 nan;",
	 "     ^", SHEAF_ERROR, "missing semicolon",
	 "x.ex:1:6 (byte 5): expected '[', inputs, targets, or the ';' that ends the example, found \"nan\"; the example is left out", 0},
	{";name :a;",
	 " ^", SHEAF_ERROR, "missing semicolon",
	 "x.ex:1:2 (byte 1): expected '[', inputs, targets, or the ';' that ends the example, found \"name\"; the example is left out", 0},
	{";I:1;max:3 I:2;",
	 "     ^", SHEAF_ERROR, "missing semicolon",
	 "x.ex:1:6 (byte 5): expected '[', inputs, targets, or the ';' that ends the example, found \"max:3\"; the example is left out", 0},
	{"\357\273\277I:1;",
	 "^", SHEAF_FATAL, "byte order mark",
	 "x.ex:1:1 (byte 0): expected text without a byte order mark, found that of UTF-8", 0},
	{";i:{)} 1;",
	 "    ^", SHEAF_ERROR, "range header",
	 "x.ex:1:5 (byte 4): expected a number, the name of a group or the bracket that closes the header of the range, found \")}\"; the example is left out", 0},
	{";I:(]) 1;",
	 "    ^", SHEAF_ERROR, "range header",
	 "x.ex:1:5 (byte 4): expected a number, the name of a group or the bracket that closes the header of the range, found \"])\"; the example is left out", 0},
	{";I:(a",
	 "     ^", SHEAF_ERROR, "range header",
	 "x.ex:1:6 (byte 5): expected the header of a range, found the end of the file; the example is left out", 0},
	{";I:(\"a b) 1;",
	 "        ^", SHEAF_ERROR, "range header",
	 "x.ex:1:9 (byte 8): expected the header of a range to be closed with '\"', found \")\"; the example is left out", 0},
	{";name:a;I:1;\n;",
	 "       ^", SHEAF_WARNING, "semicolon in a bare word",
	 "x.ex:1:8 (byte 7): expected a blank or a bracket after a string without brackets, found \"a;I:1;\"; the semicolon is part of the string and ends nothing", 0},
	{";i:{nan} 2;",
	 "    ^", SHEAF_WARNING, "group named like a value",
	 "x.ex:1:5 (byte 4): expected the name of a group, or '-' for NaN, found \"nan\"; read as the name of a group, as Lens does", 0},
	{";2 i: i:1;",
	 "   ^", SHEAF_NOTE, "turn without units",
	 "x.ex:1:4 (byte 3): expected values or units, found nothing after i:; an event's turn passes without values", 0},
	{";i:0-2-4;",
	 "      ^", SHEAF_BREACH, "chain of unit ranges",
	 "x.ex:1:7 (byte 6): expected a unit between two ends of ranges, found \"-4\"; kept, but Lens fails when it presents the example", 0},
	{";name:{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}};",
	 "      ^", SHEAF_NOTE, "deep nesting",
	 "x.ex:1:7 (byte 6): expected at most 32 brackets within each other, as many as Lens has room for, found more", 0},
	{";I:1e400;",
	 "   ^", SHEAF_WARNING, "value overflow",
	 "x.ex:1:4 (byte 3): expected a value that float32 can hold, found \"1e400\"; read as infinity", 0},
	{";I:1e 2;",
	 "   ^", SHEAF_WARNING, "exponent without digits",
	 "x.ex:1:4 (byte 3): expected digits of an exponent, found \"1e\"; read without the exponent", 0},
	{";I:0x1p;",
	 "   ^", SHEAF_WARNING, "exponent without digits",
	 "x.ex:1:4 (byte 3): expected digits of an exponent, found \"0x1p\"; read without the exponent", 0},
	{";name:{a\0b};",
	 "        ^", SHEAF_ERROR, "example name",
	 "x.ex:1:9 (byte 8): expected the name of an example to be closed with '}', found byte 0x00; the example is left out", 12},
};
/* clang-format on */

static const finding *find_rule(const record *r, const char *rule)
{
	for (int i = 0; i < r->n; i++)
		if (strcmp(r->found[i].rule, rule) == 0) return &r->found[i];
	print_error("expected a finding of the rule \"%s\", found none\n", rule);
	fail();
	return NULL;
}

/* Validation reports it, whatever the size of pieces; reading stops at errors. */
static void caret_points_at_the_flaw(void **state)
{
	static const int64_t pieces[] = {1, 1 << 20};
	const caret *c = (const caret *)*state;
	size_t size = c->size ? c->size : strlen(c->input);
	whole w;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		read_whole(&w, c->input, size, pieces[i], (sheaf_context_options){.validate = true});
		assert_int_equal(SHEAF_OK, w.status);
		const finding *f = find_rule(&w.r, c->rule);
		assert_string_equal(c->message, f->text);
		assert_int_equal(c->severity, f->severity);
		assert_int_equal(strlen(c->under), f->place.column);
		end_whole(&w);
	}
	read_whole(&w, c->input, size, 1, (sheaf_context_options){0});
	assert_int_equal(c->severity >= SHEAF_ERROR, w.status != SHEAF_OK);
	end_whole(&w);
}

/* ---- what is read ---- */

/* An input and the lines of its model's dump that matter. */
typedef struct reading {
	const char *name, *input, *model; /* parts of the dump, in order, separated by '|' */
} reading;

static const reading readings[] = {
	{"comments begin in column 0 only", "#;\n;I:1\n# no\n 2;\n#", "examples=1|dense first=0 n=2: 1 2\n"},
	{"a comment line vanishes from a string", ";name:{a\n#b\nc} I:1;", "name=\"a\\nc\""},
	{"newlines in front of a string are lost", ";name:{\n\na\n\n} I:1;", "name=\"a\\n\\n\""},
	{"lines end with LF, CR or both", ";\r#a\r\nI:1\r2\n3\r\n;", "n=3: 1 2 3\n"},
	{"strings join lines by LF, however they end", ";name:{a\r\nb\rc};", "name=\"a\\nb\\nc\""},
	{"all blanks of C part words", ";\v\fI:\t1\v2;", "n=2: 1 2\n"},
	{"no blank is needed where nothing can go on", "max:3min:1;[0max:2]I:1 0T:1;",
     "max=3 min=1|max=2|n=2: 1 0|n=1: 1\n"},
	{"fields of the set may come in any order, the last one counts", "defI:2 max:1 defI:-;",
     "max=1 min=0 grace=0 defI=nan"},
	{"fields of the set: numbers as scanf takes them",
     "max:+2 min:INFINITY grace:-inf defI:0x1.8p1 actI:NaN defT:.5 actT:1e1;",
     "max=2 min=inf grace=-inf defI=3 actI=nan defT=0.5 actT=10"},
	{"hexadecimal digits beyond a float are rounded once",
     ";I:0x1.000001 0x1.0000010000000000001 0x1000003 0x.8 0x1p-149 0x1p-150 0x0.0000000001;",
     "n=7: 1 1.00000012 16777220 0.5 1.40129846e-45 0 9.09494702e-13\n"},
	{"bare words end at blanks and brackets", ";name:a(I:1;", NULL},
	{"a backslash hides a bracket and stays", ";name:{a\\}b\\\\} I:1;", "name=\"a\\\\}b\\\\\\\\\""},
	{"a backslash at the end of a line hides the first byte of the next", ";name:{a\\\n}b} I:1;",
     "name=\"a\\\\\\n}b\""},
	{"strings in any brackets or quotes", ";name:(a) proc:\"b\" I:1;name:[c];",
     "name=\"a\"|proc=\"b\"|name=\"c\""},
	{"the last of several names and counts", ";name:a 3 name:b 2 freq:2 freq:4;",
     "name=\"b\" freq=4|events=2"},
	{"numbers glued to each other", ";I:3-4 1- 5.-.5 007;", "n=7: 3 -4 1 nan 5 -0.5 7\n"},
	{"a comma ends the word -", ";[max:-]I:-;", "max=nan|n=1: nan\n"},
	{"unit ranges are kept as written", ";i:4-6 7-7 0-0 8;", "n=7: 4 -6 7 -7 0 0 8\n"},
	{"units of eight digits and more", ";i:12345678 123456789 2147483647 00000000012 7;",
     "n=5: 12345678 123456789 2147483647 12 7\n"},
	{"kinds of ranges may change within a list", ";i: 1 {} 2 (3) 4 5 {2} *;",
     "n=1: 1\n|n=1: 2\n|dense first=3 n=2: 4 5\n|sparse value=2 n=1: -1\n"},
	{"headers of ranges: any order, the last of each", ";I:(a 1 \"b c\" 2) 9 {3 {d} 4} 1;",
     "group=\"b c\" dense first=2|group=\"d\" sparse value=4"},
	{"a number and then a name without a blank", ";i:{3rd} 1;i:{\"3rd\"} 1;",
     "group=\"rd\" sparse value=3|group=\"3rd\" sparse value=1"},
	{"the value of a sparse range is the owner's", ";2 [0 actI:3] [1 actI:5] [0-1] i:1;",
     "sparse value=3|input shared-with event 0"},
	{"B: gives targets the value of inputs", "actI:2 actT:3;b:1;t:1;",
     "sparse value=2|target shared-with INPUT of event 0|sparse value=3"},
	{"inputs in turn", ";3 I:1 I:2 T:3;", "event 0|n=1: 1\n|n=1: 3\n|event 1|n=1: 2\n"},
	{"the next turn is after the highest event of a list", ";6 [0-2 4] I:1 I:2 T:3;",
     "event 4|shared-with event 0|event 5|n=1: 2\n"},
	{"turns do not go back", ";5 [3] i:1 i:2;", "event 3|n=1: 1\n|event 4|n=1: 2\n"},
	{"B: after T: takes the next target", ";3 [0] T:1 B:2;",
     "event 0|input\n|n=1: 2\n|target\n|n=1: 1\n|event 1|target shared-with INPUT of event 0\n"},
	{"nothing after I: spends the turn", ";2 i: i:1;", "event 0|event 1|input\n|n=1: 1\n"},
	{"events may be listed twice, with blanks around the dash", ";3 [0 - 1 1 0] i:1 [*] t:2;",
     "event 1|input shared-with event 0|event 2|target shared-with"},
	{"fields reach the events of their list", ";3 [0-1 max:2 proc:{p}] [1 max:3 defT:-];",
     "max=2|proc=\"p\"|max=3|defT=nan|proc=\"p\"|max=nan|proc=null"},
	{"names of examples in Latin-1", ";name:{caf\xe9};", "name=\"caf\xc3\xa9\""},
	{"names of examples in UTF-8", ";name:{caf\xc3\xa9};", "name=\"caf\xc3\xa9\""},
	{"no examples", "\n#\n\n", "examples=0"},
	{"thirteen groups", ";i:{a}1{b}1{c}1{d}1{e}1{f}1{g}1{h}1{i}1{j}1{k}1{l}1{m}1{a}2;",
     "group=\"m\" sparse value=1 n=1: 1\n|group=\"a\" sparse value=1 n=1: 2\n"},
};

static void find_parts(const char *text, const char *parts)
{
	while (*parts) {
		size_t n = strcspn(parts, "|");
		const char *found = (const char *)memmem(text, strlen(text), parts, n);
		if (!found) fail_msg("expected \"%.*s\" in\n%s", (int)n, parts, text);
		text = found + n;
		parts += n + (parts[n] == '|');
	}
}

static void assert_model(const whole *w, const char *parts)
{
	char *text;
	size_t size;
	sheaf_lens_writing writing;
	FILE *to = open_memstream(&text, &size);
	assert_non_null(to);
	sheaf_lens_writing_begin(&writing, "out", w->r.cx);
	assert_int_equal(SHEAF_OK, print_set(&writing, &w->set, to, &err));
	sheaf_lens_writing_end(&writing);
	fclose(to);
	find_parts(text, parts);
	free(text);
}

/* By way of either spelling, the set is the same again. */
static void assert_comes_back(const whole *w)
{
	const sheaf_lens_spelling *const spellings[] = {&sheaf_lens_text_spelling, &sheaf_lens_binary_spelling};
	bytes_sink text, binary, again;
	whole other;
	int told = w->r.n;
	write_whole(w, &sheaf_lens_text_spelling, &text);
	write_whole(w, &sheaf_lens_binary_spelling, &binary);
	for (int i = 0; i < 2 && w->r.n == told; i++) { /* what one spelling cannot say is reported */
		const bytes_sink *from = i ? &binary : &text;
		read_whole(&other, from->data, from->size, 1, (sheaf_context_options){0});
		assert_int_equal(SHEAF_OK, other.status);
		write_whole(&other, spellings[!i], &again);
		assert_same_bytes(i ? &text : &binary, &again);
		free_bytes(&again);
		end_whole(&other);
	}
	free_bytes(&text);
	free_bytes(&binary);
}

static void model_is_that_of_the_grammar(void **state)
{
	const reading *c = (const reading *)*state;
	whole w;
	read_whole(&w, c->input, strlen(c->input), 1, (sheaf_context_options){0});
	assert_int_equal(c->model == NULL, w.status != SHEAF_OK);
	if (c->model) {
		assert_model(&w, c->model);
		assert_comes_back(&w);
	}
	end_whole(&w);
}

/* ---- the text writer ---- */

typedef struct passage {
	const char *name, *input, *written;
	const char *rule; /* of what is reported about it; NULL: nothing is */
} passage;

static const passage passages[] = {
	{"an empty set has four bytes", "\n\n\n\n", ";\n\n\n", NULL},
	{"a header and an example", "max:2 defI:-;\nI:1;", "max:2\ndefI:-\n;\nI: 1\n;\n", NULL},
	{"a count after a semicolon", ";2 I:1 I:2;", ";\n2\n[0]I: 1\n[1]I: 2\n;\n", NULL},
	{"strings in braces", "proc:\"x y\";name:a proc:(b) I:1;", "proc:{x y}\n;\nname:{a}\nproc:{b}\nI: 1\n;\n",
     NULL},
	{"strings that are empty", ";name:{} [proc:{}];", ";\nname:{}\n[0 proc:{}]\n;\n", NULL},
	{"a backslash at the end is a bare word", ";name:a\\ I:1;", ";\nname:a\\ \nI: 1\n;\n", NULL},
	{"NaN and infinities", ";I:- 1e999 -1e999 {-} 1;freq:- [max:inf];",
     ";\nI: - 1e999 -1e999 {-} 1\n;\nfreq:-\n[0 max:1e999]\n;\n", NULL},
	{"shortest digits of float32", ";I:0.1 0.333333343 3.40282347e38 1e-45 -0;",
     ";\nI: 0.1 0.33333334 3.4028235e38 1e-45 -0\n;\n", NULL},
	{"openers of ranges", ";I:1 () 2 (3) 4 {} 5 {2} *;i:{} 1 {} 2;i:{3} 1;",
     ";\nI: 1 (0) 2 (3) 4 {1} 5 {2} *\n;\ni: 1 {1} 2\n;\ni:{3} 1\n;\n", NULL},
	{"ranges of nothing", ";I:() {};i:{2};", ";\nI:(0) {1}\n;\ni:{2}\n;\n", NULL},
	{"groups", ";I:(\"a b\" 2) 1 {c} 2;", ";\nI:({a b} 2) 1 {{c} 1} 2\n;\n", NULL},
	{"unit ranges", ";i:1-3 5-5 0-0;", ";\ni: 1-3 5-5 0 0\n;\n", NULL},
	{"lists that coincide", ";b:1;2 [*] B:1;", ";\nb: 1\n;\n2\n[0-1]B: 1\n;\n", NULL},
	{"targets of other events", ";2 [1] T:5 [0] i:2 [*];3 I:1 b:2;",
     ";\n2\n[0]i: 2\n[1]T: 5\n;\n3\n[0]I: 1\n[1]i: 2\n[0]t: 2\n;\n", "list written twice"},
	{"events with the same traits stand together", ";4 [0-1 3 max:2];", ";\n4\n[0-1 max:2]\n[3 max:2]\n;\n",
     NULL},
};

static void writes_what_lens_reads(void **state)
{
	const passage *c = (const passage *)*state;
	whole w;
	bytes_sink text;
	read_whole(&w, c->input, strlen(c->input), 1, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, w.status);
	w.r.n = 0;
	write_whole(&w, &sheaf_lens_text_spelling, &text);
	assert_int_equal(strlen(c->written), text.size);
	assert_memory_equal(c->written, text.data, text.size);
	assert_int_equal(c->rule != NULL, w.r.n);
	if (c->rule) assert_string_equal(c->rule, w.r.found[0].rule);
	free_bytes(&text);
	end_whole(&w);
}

/* ---- the binary spelling ---- */

/* Fields of a file, in its order: i 32 bits, r a real, f a flag, s a string, until the end of the text. */
static void put_fields(bytes_sink *to, const char *fields)
{
	char copy[400], *rest = copy, *word;
	snprintf(copy, sizeof copy, "%s", fields);
	while ((word = strsep(&rest, " "))) {
		uint8_t bytes[4];
		if (!*word) continue;
		uint32_t bits = (uint32_t)strtoll(word + 1, NULL, 0);
		float real = strtof(word + 1, NULL);
		if (*word == 'r') memcpy(&bits, &real, sizeof bits);
		for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(bits >> (24 - 8 * i));
		if (*word == 's')
			write_bytes(to, word + 1, strlen(word));
		else
			write_bytes(to, *word == 'f' ? bytes + 3 : bytes, *word == 'f' ? 1 : 4);
	}
}

#define COOKIE "i0xaaaaaaaa i4 "
#define HEADER COOKIE "s r1 r0 r0 r0 r1 r0 r1 "
#define ONE "i1 s s r1 " /* one example, and its name, proc and frequency */

typedef struct binary {
	const char *name, *fields, *message; /* NULL: it is read */
	const char *rule, *model;
} binary;

static const binary binaries[] = {
	{"a header alone", HEADER "i0", NULL, NULL, "examples=0"},
	{"reals of eight bytes by name, four in fact", "i0xaaaaaaaa i8 s r1 r0 r0 r0 r1 r0 r1 i0", NULL, NULL,
     "examples=0"},
	{"no sizeof(real)", "i0xaaaaaaaa", "x.ex (byte 4): expected sizeof(real), found the end of the file",
     "header", NULL},
	{"a size that is none", "i0xaaaaaaaa i5", "x.ex (byte 4): expected sizeof(real) to be 4 or 8, found 5",
     "sizeof(real)", NULL},
	{"little-endian", "i0xaaaaaaaa i0x04000000",
     "x.ex (byte 4): expected sizeof(real) to be 4 or 8, found 67108864: the file is little-endian, and only "
     "big-endian ones are example files",
     "sizeof(real)", NULL},
	{"no end of the set's proc", COOKIE "f97",
     "x.ex (byte 8): expected the proc of the set, found the end of the file", "header", NULL},
	{"fewer examples than none", HEADER "i-1",
     "x.ex (byte 37): expected a number of examples from 0 to 2147483647, found -1", "number of examples",
     NULL},
	{"more examples than are there", HEADER "i2 s s r1 i1 i0 i0 i0",
     "x.ex (byte 63): expected the name of an example (1 bytes), found the end of the file", "truncated",
     NULL},
	{"bytes after the examples", HEADER "i0 f1",
     "x.ex (byte 41): expected the end of the file after the last example, found more bytes; ignored",
     "bytes after the examples", "examples=0"},
	{"a name without an end", HEADER "i1 f97",
     "x.ex (byte 41): expected the name of an example (2 bytes), found the end of the file", "truncated",
     NULL},
	{"a frequency below 0", HEADER "i1 s s r-1 i1 i0 i0 i0",
     "x.ex (byte 43): expected a frequency of at least 0, found -1; the example is left out",
     "example frequency", NULL},
	{"no events", HEADER ONE "i0 i0 i0 i0",
     "x.ex (byte 47): expected a number of events from 1 to 2147483647, found 0; the example is left out",
     "number of events", NULL},
	{"a special event beyond the events", HEADER ONE "i1 i1 i1 s r0 r0 r0 r0 r0 r0 r0 i0 i0",
     "x.ex (byte 55): expected an event of the example, found 1; the example is left out",
     "event out of range", NULL},
	{"more special events than events",
     HEADER ONE "i1 i2 i0 s r0 r0 r0 r0 r0 r0 r0 i0 s r0 r0 r0 r0 r0 r0 r0 i0 i0",
     "x.ex (byte 51): expected at most as many special events as events, found 2; the example is left out",
     "special events", NULL},
	{"a count beyond the file", HEADER ONE "i1 i0 i1000000 i0",
     "x.ex (byte 55): expected a number of input lists that the rest of the file can hold, found 1000000",
     "count", NULL},
	{"a count below 0", HEADER ONE "i1 i0 i-1 i0",
     "x.ex (byte 55): expected a number of input lists that the rest of the file can hold, found -1", "count",
     NULL},
	{"a list of no events", HEADER ONE "i1 i0 i1 i0 i0 f0 i0",
     "x.ex (byte 59): expected a list of one event or more, found 0; the example is left out", "no events",
     NULL},
	{"a list with an event beyond", HEADER ONE "i2 i0 i1 i2 i0 i-2 i0 f0 i0",
     "x.ex (byte 67): expected an event of the example, found -2; the example is left out",
     "event out of range", NULL},
	{"a range beyond the file", HEADER ONE "i1 i0 i1 i1 i0 i1 s i100 f0 i0 r1 f0 i0",
     "x.ex (byte 81): expected the values of a range (400 bytes), found the end of the file", "truncated",
     NULL},
	{"a range of fewer units than none", HEADER ONE "i1 i0 i1 i1 i0 i1 s i-5 f1 r1 f0 i0",
     "x.ex (byte 72): expected a number of units from 0 to 2147483647, found -5; the example is left out",
     "number of units", NULL},
	{"a list that begins with an end", HEADER ONE "i4 i0 i1 i1 i-2 i1 s i1 f1 r1 i0 f0 i0",
     "x.ex (byte 63): expected the end of a range after its start, found an end that begins the list; read "
     "as Lens does",
     "event range without a start", "event 1|input\n|event 2|shared-with event 1|event 3"},
	{"inputs twice", HEADER ONE "i1 i0 i2 i1 i0 i1 s i1 f1 r1 i0 f0 i1 i0 i1 s i1 f1 r1 i7 f0 i0",
     "x.ex (byte 86): expected inputs at most once for each event, found an event that has them already; the "
     "later ones count, as in Lens",
     "inputs twice", "n=1: 7\n"},
	{"units kept as they stand, any flag is true",
     HEADER ONE "i1 i0 i1 i1 i0 i1 sg i3 f2 r0.5 i4 i-6 i-1 f3 i1 i0 i0", NULL, NULL,
     "group=\"g\" sparse value=0.5 n=3: 4 -6 -1\n|target shared-with INPUT of event 0"},
	{"a list without ranges is none", HEADER ONE "i1 i0 i1 i1 i0 i0 f1 i1 i0 i0", NULL, NULL, "event 0"},
	{"any NaN is one NaN, signs and infinities stay",
     HEADER ONE "i1 i0 i1 i1 i0 i1 s i4 f0 i-2 i0xffc00001 i0x7f800001 r-inf r-0 f0 i0", NULL, NULL,
     "dense first=-2 n=4: nan nan -inf -0\n"},
	{"strings in Latin-1 and UTF-8", HEADER "i1 scaf\xe9 scaf\xc3\xa9 r1 i1 i0 i0 i0", NULL, NULL,
     "name=\"caf\xc3\xa9\"|proc=\"caf\xc3\xa9\""},
};

static void binary_file_is_read_or_refused(void **state)
{
	static const int64_t pieces[] = {1, 1 << 20};
	const binary *c = (const binary *)*state;
	bytes_sink file = {NULL, 0, 0};
	whole w;
	put_fields(&file, c->fields);
	for (int i = 0; i < 2; i++) {
		read_whole(&w, file.data, file.size, pieces[i], (sheaf_context_options){.validate = true});
		assert_int_equal(SHEAF_OK, w.status);
		assert_int_equal(c->message ? 1 : 0, w.r.n);
		if (c->message) assert_string_equal(c->message, w.r.found[0].text);
		if (c->message) assert_string_equal(c->rule, w.r.found[0].rule);
		if (c->model) assert_model(&w, c->model);
		end_whole(&w);
	}
	read_whole(&w, file.data, file.size, 1, (sheaf_context_options){0});
	assert_int_equal(c->model == NULL, w.status != SHEAF_OK);
	if (c->model) assert_comes_back(&w);
	end_whole(&w);
	free_bytes(&file);
}

/* Wherever a file is cut off, it is refused, and the examples before the last one are distinguished from it.
 */
static void cut_binary_is_refused(void **state)
{
	static const char text[] = "proc:{x};name:{n} 2 [0 max:3 proc:{q}] [*] i:1-3 {g 2} 4 [0] T:1 2;";
	(void)state;
	whole w, cut;
	bytes_sink file;
	read_whole(&w, text, strlen(text), 1, (sheaf_context_options){0});
	write_whole(&w, &sheaf_lens_binary_spelling, &file);
	for (size_t size = 4; size < file.size; size++) {
		read_whole(&cut, file.data, size, 1, (sheaf_context_options){0});
		assert_int_equal(SHEAF_SHORT, cut.status);
		end_whole(&cut);
	}
	free_bytes(&file);
	end_whole(&w);
}

/* ---- parts ---- */

/* Examples with errors are left out, each with one message; the others stay. */
static void budget_leaves_examples_out(void **state)
{
	static const char text[] = ";I:1;I:x;I:2;name:{)};[5] I:1;I:3;";
	(void)state;
	whole w;
	for (int64_t piece = 1; piece < 40; piece += 13) {
		read_whole(&w, text, strlen(text), piece, (sheaf_context_options){.max_errors = 3});
		assert_int_equal(SHEAF_OK, w.status);
		assert_int_equal(3, w.r.n);
		assert_int_equal(3, sheaf_lens_count(&w.set));
		assert_model(&w, "n=1: 1\n|n=1: 2\n|n=1: 3\n");
		end_whole(&w);
	}
	read_whole(&w, text, strlen(text), 1, (sheaf_context_options){.max_errors = 2});
	assert_int_equal(SHEAF_DATA, w.status);
	end_whole(&w);
}

/* If too few bytes are left for a word, a letter does not begin one. */
static void examples_end_within_the_last_bytes(void **state)
{
	static const int64_t pieces[] = {1, 1000};
	(void)state;
	whole w;
	for (size_t i = 0; i < 2; i++) {
		read_whole(&w, ";x n:;;", 7, pieces[i], (sheaf_context_options){.validate = true});
		assert_int_equal(SHEAF_OK, w.status);
		assert_int_equal(1, w.r.n);
		assert_int_equal(1, sheaf_lens_count(&w.set));
		end_whole(&w);
		read_whole(&w, ";[min:];;", 9, pieces[i], (sheaf_context_options){0});
		assert_int_equal(2, sheaf_lens_count(&w.set));
		end_whole(&w);
	}
}

static void pieces_hold_whole_examples(void **state)
{
	static const char text[] = "max:2;\nname:{a;b}I:1;i:{\"c;d\"} 1;\n#;\n;name:e;f ;";
	(void)state;
	record r;
	sheaf_source *source;
	sheaf_lens_reader *in;
	sheaf_piece piece = {0};
	int64_t before, seen = 0;
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, sheaf_source_memory((sheaf_bytes){(const uint8_t *)text, strlen(text)}, "x.ex",
	                                               r.cx, &source, &err));
	assert_int_equal(SHEAF_OK, sheaf_lens_open(source, r.cx, &in, &err));
	assert_true(sheaf_lens_header_of(in)->fields[SHEAF_LENS_MAX] == 2);
	while (sheaf_lens_cut(in, 1, &piece, &err) == SHEAF_OK) {
		assert_int_equal(1, sheaf_lens_piece_examples(&piece, &before));
		assert_int_equal(seen++, before);
		assert_memory_equal(text + piece.byte, piece.bytes.data, (size_t)piece.size);
	}
	assert_int_equal(4, seen);
	sheaf_buffer_reset(&piece.bytes);
	sheaf_buffer_reset(&piece.notes);
	sheaf_lens_close(in);
	sheaf_source_close(source);
	end(&r);
}

/* From a pipe, an example can be had as soon as its last byte has come, whichever byte comes alone. */
static void pipe_gives_each_example_at_once(void **state)
{
	static const char text[] = ";I:1;I:2;";
	static const char fields[] = "s s r1 i1 i0 i1 i1 i0 i1 sg i1 f1 r1 i4 f1 i1 i0 i0";
	(void)state;
	bytes_sink packed = {NULL, 0, 0};
	put_fields(&packed, HEADER "i2");
	put_fields(&packed, fields);
	size_t first = packed.size;
	put_fields(&packed, fields);
	const struct {
		bytes_source bytes;
		size_t second;
	} files[] = {{{{(const uint8_t *)text, strlen(text)}, 1}, strlen("I:2;")},
	             {{{packed.data, packed.size}, 1}, packed.size - first}};
	for (int f = 0; f < 2; f++) {
		record r;
		sheaf_source *source;
		sheaf_lens_reader *in;
		sheaf_piece piece = {0};
		bytes_source bytes = files[f].bytes;
		begin(&r, (sheaf_context_options){0});
		assert_int_equal(SHEAF_OK, sheaf_source_function(read_bytes, &bytes, "x.ex", r.cx, &source, &err));
		assert_int_equal(SHEAF_OK, sheaf_lens_open(source, r.cx, &in, &err));
		assert_int_equal(SHEAF_OK, sheaf_lens_cut(in, 1 << 20, &piece, &err));
		assert_int_equal(files[f].second, bytes.rest.size);
		assert_int_equal(SHEAF_OK, sheaf_lens_cut(in, 1 << 20, &piece, &err));
		assert_int_equal(files[f].second, piece.size);
		assert_int_equal(SHEAF_END, sheaf_lens_cut(in, 1 << 20, &piece, &err));
		sheaf_buffer_reset(&piece.notes);
		sheaf_lens_close(in);
		sheaf_source_close(source);
		end(&r);
	}
	free_bytes(&packed);
}

/* A cut for which memory runs out can be repeated. */
static void cut_is_repeated_after_memory_ran_out(void **state)
{
	(void)state;
	bytes_sink file = {NULL, 0, 0};
	put_fields(&file, HEADER "i2 s s r1 i1 i0 i0 i0 s s r1 i1 i0 i0 i0");
	sheaf_source *source;
	sheaf_lens_reader *in;
	sheaf_piece piece = {0};
	int64_t before, examples = 0;
	allocator memory = {0};
	sheaf_context *cx;
	sheaf_context_options options = options_with(&memory);
	assert_int_equal(SHEAF_OK, sheaf_context_new(&options, &cx, &err));
	assert_int_equal(SHEAF_OK, sheaf_source_memory((sheaf_bytes){file.data, file.size}, "x.bex", cx, &source,
	                                               &err));
	assert_int_equal(SHEAF_OK, sheaf_lens_open(source, cx, &in, &err));
	memory.fail_at = memory.calls + 1;
	assert_int_equal(SHEAF_NOMEM, sheaf_lens_cut(in, 1, &piece, &err));
	for (; sheaf_lens_cut(in, 1, &piece, &err) == SHEAF_OK; examples++) {
		assert_int_equal(1, sheaf_lens_piece_examples(&piece, &before));
		assert_int_equal(examples, before);
		assert_true(piece.size > 0);
	}
	assert_int_equal(2, examples);
	sheaf_buffer_reset(&piece.bytes);
	sheaf_buffer_reset(&piece.notes);
	sheaf_lens_close(in);
	sheaf_source_close(source);
	sheaf_context_free(cx);
	free_bytes(&file);
}

/* What block syntax cannot hold is a loss, reported with the example. */
static void text_refuses_what_blocks_cannot_hold(void **state)
{
	static const char *const names[] = {"}", "{", "\"", "\na", "a\n#b", "a)", "a b\\", "\r"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		bytes_sink file = {NULL, 0, 0}, text;
		whole w;
		put_fields(&file, HEADER "i1");
		write_bytes(&file, names[i], strlen(names[i]) + 1);
		put_fields(&file, "s r1 i1 i0 i0 i0");
		read_whole(&w, file.data, file.size, 1, (sheaf_context_options){.allow_loss = true});
		assert_int_equal(SHEAF_OK, w.status);
		write_whole(&w, &sheaf_lens_text_spelling, &text);
		assert_int_equal(1, w.r.n);
		assert_string_equal("example name", w.r.found[0].rule);
		assert_int_equal(0, w.r.found[0].place.row);
		assert_memory_equal(";\n;\n", text.data, text.size);
		free_bytes(&text);
		free_bytes(&file);
		end_whole(&w);
	}
}

/* Nor can units be listed backwards. */
static void text_refuses_units_that_end_before_they_begin(void **state)
{
	(void)state;
	static const struct {
		const char *units, *rule, *text;
	} lists[] = {{"i4 i-3", "unit range", ";\ni: {1} 5\n;\n"}, {"i-1 i9", "all units", ";\ni: * {1} 5\n;\n"}};
	for (size_t i = 0; i < COUNT(lists); i++) {
		bytes_sink file = {NULL, 0, 0}, text;
		whole w;
		put_fields(&file, HEADER ONE "i1 i0 i1 i1 i0 i2 s i2 f1 r1");
		put_fields(&file, lists[i].units);
		put_fields(&file, "s i1 f1 r1 i5 f0 i0");
		read_whole(&w, file.data, file.size, 1, (sheaf_context_options){.allow_loss = true});
		assert_int_equal(SHEAF_OK, w.status);
		write_whole(&w, &sheaf_lens_text_spelling, &text);
		assert_int_equal(1, w.r.n);
		assert_string_equal(lists[i].rule, w.r.found[0].rule);
		assert_memory_equal(lists[i].text, text.data, text.size);
		free_bytes(&text);
		free_bytes(&file);
		end_whole(&w);
	}
}

/* Procs longer than any buffer of the real program, and the same by way of binary. */
static void long_procs_are_kept(void **state)
{
	enum { LONG = 100000 };
	(void)state;
	char *text = (char *)malloc(LONG + 32);
	whole w;
	assert_non_null(text);
	size_t n = (size_t)sprintf(text, ";proc:{");
	memset(text + n, 'x', LONG);
	strcpy(text + n + LONG, "} I:1;");
	read_whole(&w, text, strlen(text), 1, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, w.status);
	assert_int_equal(LONG, strlen(sheaf_lens_string(&w.set, sheaf_lens_example_at(&w.set, 0)->proc)));
	assert_comes_back(&w);
	end_whole(&w);
	free(text);
}

/* ---- main ---- */

#define COUNT(array) (sizeof(array) / sizeof *(array))

int main(void)
{
	enum { OTHERS = 9 };
	static char names[COUNT(carets)][160];
	static struct CMUnitTest
		tests[COUNT(carets) + COUNT(readings) + COUNT(passages) + COUNT(binaries) + OTHERS];
	size_t n = 0;
	for (size_t i = 0; i < COUNT(carets); i++) {
		snprintf(names[i], sizeof names[i], "caret: %.120s", carets[i].message);
		for (char *c = names[i]; *c; c++) *c = (char)(*c == '#' || *c < ' ' ? '?' : *c);
		tests[n++] = (struct CMUnitTest){names[i], caret_points_at_the_flaw, NULL, NULL,
		                                 (void *)(uintptr_t)&carets[i]};
	}
	for (size_t i = 0; i < COUNT(readings); i++)
		tests[n++] = (struct CMUnitTest){readings[i].name, model_is_that_of_the_grammar, NULL, NULL,
		                                 (void *)(uintptr_t)&readings[i]};
	for (size_t i = 0; i < COUNT(passages); i++)
		tests[n++] = (struct CMUnitTest){passages[i].name, writes_what_lens_reads, NULL, NULL,
		                                 (void *)(uintptr_t)&passages[i]};
	for (size_t i = 0; i < COUNT(binaries); i++)
		tests[n++] = (struct CMUnitTest){binaries[i].name, binary_file_is_read_or_refused, NULL, NULL,
		                                 (void *)(uintptr_t)&binaries[i]};
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(cut_binary_is_refused);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(budget_leaves_examples_out);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(examples_end_within_the_last_bytes);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(pieces_hold_whole_examples);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(pipe_gives_each_example_at_once);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(cut_is_repeated_after_memory_ran_out);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(text_refuses_what_blocks_cannot_hold);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(text_refuses_units_that_end_before_they_begin);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(long_procs_are_kept);
	assert_true(n == COUNT(tests));
	return cmocka_run_group_tests_name("lens", tests, NULL, NULL);
}
