/* SPDX-License-Identifier: MIT */
/* The text format as it is written: lines, aliases, and what text cannot hold. */
#include "ctf_text.h"
#include "frame/frame.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How an input is read and written, and what comes out. */
typedef struct passage {
	const char *name, *input, *reading, *writing, *output;
} passage;

static const passage passages[] = {
	{"shortest digits of floats", "|A 0.10 1e0 16777217 0.00000015 1e+30 100000 -0 1e-45 3.40282347e38\n",
     "A:9:dense", "", "|A 0.1 1 16777216 1.5e-7 1e30 100000 -0 1e-45 3.4028235e38\n"},
	{"shortest digits of doubles", "|A 0.1 9007199254740993 5e-324 0.30000000000000004\n", "A:4:dense:double",
     "", "|A 0.1 9007199254740992 5e-324 0.30000000000000004\n"},
	{"no ids where each sequence is a line and the keys are 0, 1, 2", "0 |A 1\n1 |A 2\n2 |A 3\n", "A:1:dense",
     "", "|A 1\n|A 2\n|A 3\n"},
	{"no ids for line mode", "|A 1 |B 1:1\n|A 2 |B\n", "A:1:dense B:10:sparse", "", "|A 1 |B 1:1\n|A 2 |B\n"},
	{"ids where the keys are others", "1 |A 1\n2 |A 2\n", "A:1:dense", "", "1 |A 1\n2 |A 2\n"},
	{"ids where the keys are out of order", "0 |A 1\n2 |A 2\n1 |A 3\n", "A:1:dense", "",
     "0 |A 1\n2 |A 2\n1 |A 3\n"},
	{"ids on every line where a sequence has several samples", "0 |A 1 |B 3:1\n|A 2 |B 2:1\n1 |A 3 |B 1:1\n",
     "A:1:dense B:10:sparse", "", "0 |A 1 |B 3:1\n0 |A 2 |B 2:1\n1 |A 3 |B 1:1\n"},
	{"the largest id", "18446744073709551615 |A 1\n", "A:1:dense", "", "18446744073709551615 |A 1\n"},
	{"sample j of each stream on line j", "7 |A 1\n7 |A 2 |B 3:1\n7 |A 3\n7 |B 4:1 |A 4\n",
     "A:1:dense B:10:sparse", "", "7 |A 1 |B 3:1\n7 |A 2 |B 4:1\n7 |A 3\n7 |A 4\n"},
	{"as many lines as the longest stream has samples", "7 |A 1\n7 |B 3:1\n7 |B 4:1\n",
     "A:1:dense B:10:sparse -allow=unaligned", "", "7 |A 1 |B 3:1\n7 |B 4:1\n"},
	{"streams in the order of declaration", "|B 1:1 |A 1\n", "A:1:dense B:10:sparse", "", "|A 1 |B 1:1\n"},
	{"stored order, duplicates and zeros", "|B 5:1 3:0 5:2\n", "B:10:sparse", "", "|B 5:1 3:0 5:2\n"},
	{"a short dense sample in full", "|A 1\n|A\n", "A:3:dense", "", "|A 1 0 0\n|A 0 0 0\n"},
	{"comments and spelling go", "|A +01.0 |# x\n", "A:1:dense", "", "|A 1\n"},
	{"names, not the aliases of the input", "|a 1 |b 1:1\n", "A:1:dense:alias=a B:10:sparse:alias=b", "",
     "|A 1 |B 1:1\n"},
	{"the aliases of the input on request", "|a 1 |b 1:1\n", "A:1:dense:alias=a B:10:sparse:alias=b",
     "-alias=keep", "|a 1 |b 1:1\n"},
	{"an alias for one stream", "|A 1 |B 1:1\n", "A:1:dense B:10:sparse", "-alias=B=b", "|A 1 |b 1:1\n"},
	{"an alias that is swapped", "|A 1 |B 1:1\n", "A:1:dense B:10:sparse", "-alias=A=B -alias=B=A",
     "|B 1 |A 1:1\n"},
};

/* Reads and writes with both settings. */
static sheaf_status convert(const char *input, const char *reading, const char *writing, record *r)
{
	char in[128], out[128], all[300];
	settings s;
	const char *inputs[1] = {in};
	put_file("in.ctf", input, in);
	snprintf(out, sizeof out, "%s/out.ctf", folder);
	unlink(out);
	snprintf(all, sizeof all, "%s %s", reading, writing);
	read_settings(all, &s);
	sheaf_convert_options options = {
		.size = sizeof options,
		.open = &(sheaf_open_options){.format = "ctf", .settings = s.list, .nsettings = s.n},
		.to = "ctf"};
	return sheaf_convert(inputs, 1, out, &options, r->cx, &err);
}

static void check_output(const char *wanted)
{
	char path[128], found[1024];
	snprintf(path, sizeof path, "%s/out.ctf", folder);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t n = fread(found, 1, sizeof found - 1, file);
	found[n] = '\0';
	assert_int_equal(0, fclose(file));
	assert_string_equal(wanted, found);
}

static void written_lines(void **state)
{
	const passage *w = (const passage *)*state;
	record r;
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert(w->input, w->reading, w->writing, &r));
	check_output(w->output);
	end(&r);
}

/* What is written is valid, and reads back to the same. */
static void written_lines_are_valid(void **state)
{
	static char before[4096], after[4096];
	const passage *w = (const passage *)*state;
	record r;
	begin(&r, (sheaf_context_options){.validate = true});
	assert_int_equal(SHEAF_OK,
	                 read_text(w->output, strlen(w->output), w->reading, 0, &r, after, sizeof after));
	assert_int_equal(0, r.n);
	end(&r);
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK,
	                 read_text(w->input, strlen(w->input), w->reading, 0, &r, before, sizeof before));
	assert_string_equal(before, after);
	end(&r);
}

static void check_write_refusal(const char *input, const char *reading, const char *writing,
                                sheaf_status wanted, const char *message)
{
	char out[128];
	record r;
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(wanted, convert(input, reading, writing, &r));
	assert_non_null(strstr(err.message, message));
	snprintf(out, sizeof out, "%s/out.ctf", folder);
	assert_int_not_equal(0, access(out, F_OK));
	end(&r);
}

static void aliases_must_make_sense(void **state)
{
	static const char streams[] = "A:1:dense B:10:sparse", input[] = "|A 1 |B 1:1\n";
	(void)state;
	check_write_refusal(input, streams, "-alias=C=c", SHEAF_USAGE,
	                    "--alias: expected NAME=A with the name of a stream, or keep, found C=c");
	check_write_refusal(input, streams, "-alias=A", SHEAF_USAGE,
	                    "--alias: expected NAME=A with the name of a stream, or keep, found A");
	check_write_refusal(input, streams, "-alias=A=B", SHEAF_USAGE,
	                    "--alias: expected a name for each stream, found \"B\" twice");
	check_write_refusal(input, streams, "-alias=A=#x", SHEAF_UNSUPPORTED,
	                    "stream \"A\": expected a name without spaces, '|', control characters and a leading "
	                    "'#', found \"#x\"; give it one with --alias");
	check_write_refusal(input, streams, "-alias=A=a|b", SHEAF_UNSUPPORTED,
	                    "stream \"A\": expected a name without spaces, '|', control characters and a leading "
	                    "'#', found \"a|b\"; give it one with --alias");
	check_write_refusal(input, streams, "-alias=A=", SHEAF_UNSUPPORTED,
	                    "stream \"A\": expected a name without spaces, '|', control characters and a leading "
	                    "'#', found \"\"; give it one with --alias");
}

static void doubles_are_written_with_a_warning(void **state)
{
	record r;
	char message[400];
	(void)state;
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_OK, convert("|A 0.1 |B 0:1\n", "A:1:dense:double B:10:sparse:double", "", &r));
	snprintf(message, sizeof message,
	         "%s/out.ctf: stream \"A\": expected an element type that the format records, found float64 "
	         "values, which it does not; "
	         "read them back with --element-type double",
	         folder);
	assert_int_equal(1, r.n);
	assert_string_equal(message, r.found[0].text);
	assert_int_equal(SHEAF_WARNING, r.found[0].severity);
	end(&r);
}

/* ---- what the text cannot hold ---- */

typedef struct loss {
	const char *name, *input, *reading, *rule, *message, *consequence,
		*output; /* the consequence is reported where loss is allowed */
} loss;

static const loss losses[] = {
	{"infinities", "|A 1 2\n|A 1e39 -1e39\n", "A:2:dense", "infinity",
     "out: sequence 1, stream \"A\": expected a finite value, found an infinity",
     "; a number that overflows is written", "|A 1 2\n|A 1e999 -1e999\n"},
	{"NaN", "|A 1 2\n|A 777 2\n", "A:2:dense", "NaN",
     "out: sequence 1, stream \"A\": expected a finite value, found NaN", "; 0 is written",
     "|A 1 2\n|A 0 2\n"},
	{"NaN in a sparse sample", "|B 1:777\n", "B:10:sparse", "NaN",
     "out: sequence 0, stream \"B\": expected a finite value, found NaN", "; 0 is written", "|B 1:0\n"},
	{"a stream without samples", "0 |A 1 2 |B 1:1\n1 |A 3 4\n", "A:2:dense B:10:sparse -allow=missing",
     "stream without samples",
     "out: sequence 1, stream \"B\": expected at least one sample of every stream in every sequence, found "
     "none",
     "; an empty sample is written", "|A 1 2 |B 1:1\n|A 3 4 |B\n"},
};

static int take_bytes(void *user, const void *data, size_t size)
{
	char *text = (char *)user;
	assert_true(strlen(text) + size < 1024);
	strncat(text, (const char *)data, size);
	return 0;
}

/* Values of 777 stand for NaN, which text cannot bring in. */
static void put_nans(sheaf_frame *frame)
{
	float *values = (float *)(void *)frame->columns[0].values.data;
	for (size_t i = 0; i < frame->columns[0].values.size / sizeof *values; i++)
		if (fabsf(values[i] - 777.0F) < 0.5F) values[i] = NAN;
}

static sheaf_status write_loss(const loss *l, record *r, char text[1024])
{
	sheaf_dataset *dataset;
	sheaf_frame frame;
	sheaf_sink *sink;
	sheaf_writer *writer;
	sheaf_create_options create = {
		.size = sizeof create, .format = "ctf", .totals = &(sheaf_facts){-1, -1, -1, 1, 1, NULL, NULL}};
	*text = '\0';
	assert_int_equal(SHEAF_OK, open_text(l->input, strlen(l->input), l->reading, 0, r, &dataset));
	assert_int_equal(SHEAF_OK, sheaf_read_all(dataset, &frame, &err));
	put_nans(&frame);
	assert_int_equal(SHEAF_OK, sheaf_sink_function(take_bytes, text, "out", r->cx, &sink, &err));
	assert_int_equal(SHEAF_OK,
	                 sheaf_create_sink(sink, sheaf_dataset_schema(dataset), &create, r->cx, &writer, &err));
	assert_int_equal(SHEAF_OK, sheaf_write(writer, &frame, &err));
	sheaf_status status = sheaf_finish(writer, &err);
	sheaf_frame_free(&frame);
	sheaf_close(dataset);
	return status;
}

static void loss_is_refused(void **state)
{
	const loss *l = (const loss *)*state;
	char text[1024], wanted[300];
	record r;
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_LOSS, write_loss(l, &r, text));
	snprintf(wanted, sizeof wanted,
	         "out: expected data that format ctf can hold, found loss: %s (%d); the output is abandoned "
	         "(--allow loss writes it anyway)",
	         l->rule, strcmp(l->rule, "infinity") == 0 ? 2 : 1);
	assert_string_equal(wanted, err.message);
	assert_string_equal(l->message, find_rule(&r, l->rule)->text);
	end(&r);
}

static void loss_is_allowed_and_told(void **state)
{
	const loss *l = (const loss *)*state;
	char text[1024], wanted[300];
	record r;
	begin(&r, (sheaf_context_options){.allow_loss = true});
	assert_int_equal(SHEAF_OK, write_loss(l, &r, text));
	assert_string_equal(l->output, text);
	snprintf(wanted, sizeof wanted, "%s%s", l->message, l->consequence);
	assert_string_equal(wanted, find_rule(&r, l->rule)->text);
	end(&r);
}

static void all_kinds_of_loss_are_named_at_once(void **state)
{
	static const loss l = {
		"all", "|A 1e39 777\n|A 777 1e39\n|B 1:1\n", "A:2:dense B:10:sparse -allow=missing", "", "", "", ""};
	char text[1024];
	record r;
	(void)state;
	begin(&r, (sheaf_context_options){0});
	assert_int_equal(SHEAF_LOSS, write_loss(&l, &r, text));
	assert_string_equal("out: expected data that format ctf can hold, found loss: infinity (2), NaN (2), "
	                    "stream without samples (3); the output is abandoned (--allow loss writes it anyway)",
	                    err.message);
	end(&r);
}

/* ---- all of them ---- */

static void add_tables(void)
{
	for (size_t i = 0; i < COUNT(passages); i++) {
		add(name_of("written", passages[i].name), written_lines, &passages[i]);
		if (!strstr(passages[i].reading, "alias") && !*passages[i].writing)
			add(name_of("written and valid", passages[i].name), written_lines_are_valid, &passages[i]);
	}
	for (size_t i = 0; i < COUNT(losses); i++) {
		add(name_of("loss refused", losses[i].name), loss_is_refused, &losses[i]);
		add(name_of("loss allowed", losses[i].name), loss_is_allowed_and_told, &losses[i]);
	}
}

int main(void)
{
	add_tables();
	add("aliases must make sense", aliases_must_make_sense, NULL);
	add("doubles are written with a warning", doubles_are_written_with_a_warning, NULL);
	add("all kinds of loss are named at once", all_kinds_of_loss_are_named_at_once, NULL);
	return _cmocka_run_group_tests("ctf_written", tests, ntests, make_folder, remove_folder);
}
