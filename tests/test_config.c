/* SPDX-License-Identifier: MIT */
/* CNTK configuration files: what is read of them, in every spelling, and each refusal with its place. */
#include "support.h"

#include <sheaf/config.h>
#include <stdio.h>
#include <string.h>

/* A configuration, and the settings of its first input and of the reader, one a line. */
typedef struct reading {
	sheaf_context *cx;
	sheaf_config *config;
	char settings[1000];
} reading;

static char warnings[1000];

static void keep_warning(void *user, const sheaf_problem *problem)
{
	char text[500];
	size_t used = strlen(warnings);
	(void)user;
	snprintf(warnings + used, sizeof warnings - used, "%s\n", sheaf_problem_text(problem, text, sizeof text));
}

static void list_settings(reading *r, const sheaf_setting *settings, int n)
{
	for (int i = 0; i < n; i++) {
		size_t used = strlen(r->settings);
		snprintf(r->settings + used, sizeof r->settings - used, "%s%s%s\n", settings[i].name,
		         settings[i].value ? "=" : "", settings[i].value ? settings[i].value : "");
	}
}

static sheaf_status read_section(const char *text, const char *section, reading *r)
{
	char name[300];
	sheaf_context_options options = {.size = sizeof options, .on_problem = keep_warning};
	*r = (reading){.cx = context_with(&options)};
	warnings[0] = '\0';
	write_text("a.cntk", text);
	snprintf(name, sizeof name, "%s%s%s", in_folder("a.cntk"), section ? ":" : "", section ? section : "");
	sheaf_status status = sheaf_config_read(name, r->cx, &r->config, &err);
	if (status == SHEAF_OK) {
		list_settings(r, r->config->inputs[0].settings, r->config->inputs[0].nsettings);
		list_settings(r, r->config->inputs[0].others, r->config->inputs[0].nothers);
		list_settings(r, r->config->settings, r->config->nsettings);
	}
	return status;
}

static void end(reading *r)
{
	sheaf_config_free(r->config);
	end_context(r->cx);
}

/* Reads and compares all settings; where nothing is wanted of the order, CNTK's default is, after all
 * others. */
static void expect_settings(const char *text, const char *section, const char *wanted)
{
	reading r;
	char all[1000];
	snprintf(all, sizeof all, "%s%s", wanted, strstr(wanted, "order=") ? "" : "order=cntk\n");
	assert_ok(read_section(text, section, &r));
	assert_text(all, r.settings);
	end(&r);
}

static void refuse(const char *text, const char *section, sheaf_status status, const char *message)
{
	reading r;
	assert_status(status, read_section(text, section, &r));
	assert_null(r.config);
	assert_message(message);
	end(&r);
}

#define READER(body) \
	"reader = [\nreaderType = \"CNTKTextFormatReader\"\nfile = \"x.txt\"\ninput = [ A = [ dim = 5 ; format " \
	"= \"dense\" ] ]\n" body "\n]\n"
#define STREAM "stream=A:5:dense\n"

/* ---- good ---- */

static void test_the_simple_form(void **state)
{
	reading r;
	(void)state;
	assert_ok(read_section(READER(""), NULL, &r));
	assert_int_equal(r.config->ninputs, 1);
	assert_text("ctf", r.config->inputs[0].format);
	assert_text("x.txt", r.config->inputs[0].path);
	assert_text(STREAM "order=cntk\n", r.settings);
	assert_text("", warnings);
	end(&r);
}

static void test_every_key_has_its_setting(void **state)
{
	(void)state;
	expect_settings(READER("precision = Double\nskipSequenceIds = true\nmaxErrors = 7\nchunkSizeInBytes = "
	                       "1024\nkeepDataInMemory = true\ncacheIndex = "
	                       "true\ntraceLevel = 2\nrandomize = true\nrandomizationSeed = "
	                       "9\nrandomizationWindow = 30\nsampleBasedRandomizationWindow = "
	                       "true\nframeMode = true\nlocalTimeline = false"),
	                NULL,
	                STREAM "precision=double\nskip-sequence-ids\nmax-errors=7\nchunk-bytes=1024\nkeep-in-"
	                       "memory\nindex=write\ntrace-level=2\norder=cntk\nseed=9\n"
	                       "window=30\nwindow-unit=samples\nframe-mode\ntimeline=global\n");
	expect_settings(READER("skipSequenceIds = false\nkeepDataInMemory = 0\ncacheIndex = no\nrandomize = "
	                       "none\nrandomizationWindow = "
	                       "auto\nsampleBasedRandomizationWindow = False\nlocalTimeline = 1\nframeMode = no"),
	                NULL, STREAM "index=auto\norder=file\nwindow-unit=chunks\ntimeline=local\n");
	expect_settings(READER("truncated = true\ntruncationLength = 20"), NULL,
	                STREAM "order=cntk\ntruncate=20\n");
	expect_settings(READER("truncated = false\ntruncationLength = 20"), NULL, STREAM);
}

static void test_names_have_no_case_and_signs_are_two(void **state)
{
	(void)state;
	expect_settings("READER : {\nReaderType : CNTKTextFormatReader\nFILE: 'x.txt'\nInput: { A: {DIM: 5; "
	                "FORMAT: DENSE; definesMbSize: TRUE} }\nMAXERRORS: 2\n}",
	                NULL, STREAM "main-stream=A\nmax-errors=2\n");
}

static void test_comments_brackets_and_separators(void **state)
{
	(void)state;
	expect_settings("# reader = [ nothing ]\nreader = # here\n{\n  readerType = \"CNTKTextFormatReader\" ; "
	                "file = \"a#b ] } .txt\" # ] }\n input =\n [\nA = "
	                "[dim=5;format=dense,]\n]\nmaxErrors = 3# three\n}",
	                NULL, STREAM "max-errors=3\n");
}

static void test_other_sections_are_passed_over(void **state)
{
	(void)state;
	expect_settings("command = Train:Test\nNet = {\n f(x) = if x == 1 then [ 'a' ; \"}\" ] else { y := 3 }\n "
	                "m = Layer{dim:3} .* (1 + x::y)\n}\nTrain = [ SGD = [ "
	                "minibatchSize = 1:2 ]\n" READER("") "]",
	                NULL, STREAM);
}

static void test_the_nearest_precision_around_counts(void **state)
{
	(void)state;
	expect_settings("precision = \"float\"\nTrain = [ precision = double\n" READER("") "]", NULL,
	                STREAM "precision=double\n");
	expect_settings("traceLevel = 0\nmaxErrors = 4\n" READER(""), NULL, STREAM "trace-level=0\n");
}

static void test_the_last_of_two_fields_counts(void **state)
{
	(void)state;
	expect_settings(READER("maxErrors = 1\nmaxErrors = 2"), NULL, STREAM "max-errors=2\n");
}

static void test_streams_in_every_form(void **state)
{
	(void)state;
	expect_settings("reader = [ readerType = CNTKTextFormatReader ; file = x ; input = [ Very_long = { alias "
	                "= \"a\" ; dim = 3 ; format = sparse } ; B = [ format = "
	                "Dense ; dim = 1 ] ] ]",
	                NULL, "stream=Very_long:3:sparse:alias=a\nstream=B:1:dense\n");
	/* A binary file declares its own streams: only a new name is worth a word. */
	expect_settings("reader = [ readerType = CNTKBinaryReader ; file = x ; input = [ F = [ alias = features "
	                "] ; labels = [ ] ] ]",
	                NULL, "stream=F:alias=features\n");
	expect_settings("reader = [ readerType = CNTKBinaryReader ; file = x ]", NULL, "");
}

static void test_names_between_dollars(void **state)
{
	reading r;
	char wanted[200];
	(void)state;
	assert_ok(read_section("Root = \"/data\"\nTrain = [ DataDir = \"$Root$/set\"\nreader = [ readerType = "
	                       "CNTKTextFormatReader ; file = \"$datadir$/$Unset$/a.txt\" ; "
	                       "input = [ A = [ dim = $Dim$ ; format = dense ] ] ] ]\nDim = 12",
	                       NULL, &r));
	assert_text("/data/set/$Unset$/a.txt", r.config->inputs[0].path);
	assert_text("stream=A:12:dense\norder=cntk\n", r.settings);
	end(&r);
	write_text("here.txt", "|A 1\n");
	assert_ok(read_section("reader = [ readerType = CNTKBinaryReader ; file = \"$ConfigDir$/here.txt\" ]",
	                       NULL, &r));
	snprintf(wanted, sizeof wanted, "%s/here.txt", folder);
	assert_text(wanted, r.config->inputs[0].path);
	end(&r);
	refuse("A = $B$\nB = $A$\nreader = [ readerType = CNTKTextFormatReader ; file = $A$ ]", NULL, SHEAF_DATA,
	       "names that mean each other");
	refuse("A = $B$$B$$B$$B$\nB = $C$$C$$C$$C$\nC = $D$$D$$D$$D$\nD = $E$$E$$E$$E$\nE = x\nreader = [ "
	       "readerType = CNTKBinaryReader ; file = $A$ ]",
	       NULL, SHEAF_DATA, "expected at most 100 names in a value");
}

static void test_paths_from_windows(void **state)
{
	reading r;
	char text[300];
	(void)state;
	write_text("data.txt", "|A 1\n");
	assert_ok(read_section("reader = [ readerType = CNTKBinaryReader ; file = \"c:\\new\\table\\data.txt\" ]",
	                       NULL, &r));
	assert_text(in_folder("data.txt"), r.config->inputs[0].path);
	end(&r);
	snprintf(text, sizeof text, "reader = [ readerType = CNTKBinaryReader ; file = \"%s\\data.txt\" ]",
	         folder);
	for (char *at = strstr(text, "/"); at; at = strstr(at, "/")) *at = '\\';
	assert_ok(read_section(text, NULL, &r));
	assert_text(in_folder("data.txt"), r.config->inputs[0].path);
	end(&r);
	assert_ok(
		read_section("reader = [ readerType = CNTKBinaryReader ; file = \"c:\\gone\\away.txt\" ]", NULL, &r));
	assert_text("c:\\gone\\away.txt", r.config->inputs[0].path);
	end(&r);
}

#define COMPOSITE \
	"Train = { reader = { verbosity = 0 ; randomize = false ; traceLevel = 0 ; maxErrors = 9\n " \
	"deserializers = ({ type = \"CNTKTextFormatDeserializer\" ; module = " \
	"\"CNTKTextFormatReader\"\n file = \"a.txt\"\n maxErrors = 100\n input = { q = {alias = \"qui\"; dim = " \
	"95; format = \"sparse\"} } }\n : { type = CBFDeserializer ; " \
	"file = b.cbf }) } }"

static void test_the_composite_form(void **state)
{
	reading r;
	(void)state;
	assert_ok(read_section(COMPOSITE, NULL, &r));
	assert_int_equal(r.config->ninputs, 2);
	assert_text("ctf", r.config->inputs[0].format);
	assert_text("cbf", r.config->inputs[1].format);
	assert_text("b.cbf", r.config->inputs[1].path);
	/* The reader's maxErrors counts something else, and is not the input's. */
	assert_int_equal(r.config->inputs[1].nsettings, 0);
	assert_text("stream=q:95:sparse:alias=qui\nmax-errors=100\ntrace-level=0\norder=file\n", r.settings);
	end(&r);
	assert_ok(read_section(COMPOSITE, "train.reader.deserializers.1", &r));
	assert_int_equal(r.config->ninputs, 1);
	assert_text("b.cbf", r.config->inputs[0].path);
	end(&r);
}

static void test_sections(void **state)
{
	static const char two[] = "A = [ action = \"train\"\n" READER(
		"maxErrors = 1") "]\nB = [ action = \"test\"\n" READER("maxErrors = 2") "]";
	(void)state;
	expect_settings(two, NULL, STREAM "max-errors=1\n");
	expect_settings(two, "b", STREAM "max-errors=2\n");
	expect_settings(two, "B.Reader", STREAM "max-errors=2\n");
	expect_settings(
		"readerType = CNTKTextFormatReader\nfile = x\ninput = [ A = [ dim = 5 ; format = dense ] ]", NULL,
		STREAM);
	refuse(two, "C", SHEAF_UNKNOWN, "expected a section \"C\"");
	refuse(two, "B.reader.deserializers.0", SHEAF_UNKNOWN, "found no record \"deserializers\"");
	refuse(COMPOSITE, "Train.reader.deserializers.2", SHEAF_UNKNOWN, "found no record \"2\"");
	refuse("A = [ " READER("") "]\nB = [ " READER("") "]", NULL, SHEAF_UNKNOWN, "found 2");
	refuse("A = 3", NULL, SHEAF_UNKNOWN, "a section with a reader");
	refuse("", NULL, SHEAF_UNKNOWN, "a section with a reader");
}

static void test_unknown_keys_are_named(void **state)
{
	reading r;
	(void)state;
	assert_ok(read_section(READER("useless = 3\ninput2 = [ dim = x ]"), NULL, &r));
	assert_non_null(
		strstr(warnings, "a.cntk:5:1: expected a key of a reader, found \"useless\"; it is ignored"));
	assert_non_null(strstr(warnings, "a.cntk:6:1: expected a key of a reader, found \"input2\""));
	end(&r);
	assert_ok(read_section("reader = [\nreaderType = CNTKTextFormatReader ; file = x\ninput = [ A = [ dim = "
	                       "5 ; format = dense ; size = 3 ] ] ]",
	                       NULL, &r));
	assert_non_null(strstr(warnings, "a.cntk:3:44: expected a key of an input, found \"size\""));
	end(&r);
}

static void test_marks_at_the_start(void **state)
{
	(void)state;
	expect_settings("\xef\xbb\xbf" READER(""), NULL, STREAM);
	refuse("\xff\xfer", NULL, SHEAF_UNSUPPORTED, "UTF-16");
}

/* ---- bad ---- */

static void test_wrong_values_have_their_place(void **state)
{
	static const char *const cases[][2] = {
		{"maxErrors = many", "a.cntk:5:13: maxErrors: expected a whole number, found \"many\""},
		{"maxErrors = -1", "a.cntk:5:13: maxErrors: expected a whole number, found \"-1\""},
		{"maxErrors = 99999999999999999999", "expected a whole number"},
		{"maxErrors = ", "a.cntk:5:13: maxErrors: expected a whole number, found \"\""},
		{"randomize = perhaps", "a.cntk:5:13: randomize: expected true or false, found \"perhaps\""},
		{"precision = half", "a.cntk:5:13: precision: expected float|double, found \"half\""},
		{"traceLevel = 3", "a.cntk:5:14: traceLevel: expected 0|1|2, found \"3\""},
		{"randomizationWindow = wide", "expected a whole number, found \"wide\""},
		{"truncated = true", "a.cntk:5:13: truncated: expected a truncationLength"},
		{"truncated = true\ntruncationLength = 0", "expected a truncationLength of at least 1"},
		{"file = \"open", "a.cntk:5:8: expected a second \" to end this string"},
		{"file = \"a\" b", "a.cntk:5:11: expected the end of the field after a string"},
		{"input = 3", "a.cntk:5:9: input: expected a record"},
		{"input = [ A = 3 ]", "a.cntk:5:15: input \"A\": expected a record"},
		{"input = [ A = [ dim = 0 ; format = dense ] ]", "a.cntk:5:23: dim: expected at least 1, found 0"},
		{"input = [ A = [ dim = 1 ; format = wide ] ]", "format: expected dense|sparse, found \"wide\""},
		{"input = [ A = [ dim = 1 ] ]", "a.cntk:5:11: input \"A\": expected dim and format, found no format"},
		{"input = [ A = [ format = dense ] ]", "found no dim"},
		{"input = [ A = [ dim = 1 ; format = dense ; alias = \"\" ] ]",
	     "alias: expected a name, found nothing"},
		{"readerType = \"UCIFastReader\"",
	     "a.cntk:5:14: expected the name of a reader whose files this build reads, found \"UCIFastReader\""},
		{"deserializers = { }", "deserializers: expected an array"},
		{"deserializers = ( )", "deserializers: expected at least one"},
		{"deserializers = ( 3 )", "deserializers: expected a record"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[500];
		snprintf(text, sizeof text, READER("%s"), cases[i][0]);
		refuse(text, NULL, SHEAF_DATA, cases[i][1]);
	}
}

static void test_missing_keys(void **state)
{
	(void)state;
	refuse("reader = [ file = x ]", NULL, SHEAF_DATA, "expected a readerType");
	refuse("reader = [ readerType = CNTKTextFormatReader ]", NULL, SHEAF_DATA, "expected `file`");
	refuse("reader = [ readerType = CNTKTextFormatReader ; file = x ]", NULL, SHEAF_DATA,
	       "expected an `input` section");
}

static void test_brackets_must_match(void **state)
{
	char deep[500];
	(void)state;
	refuse("reader = [ a = 1", NULL, SHEAF_DATA,
	       "a.cntk:1:10: expected ']' to close this '[', found the end");
	refuse("reader = [ a = 1 }", NULL, SHEAF_DATA, "a.cntk:1:18: expected ']', found '}'");
	refuse("a = 3 ]", NULL, SHEAF_DATA, "a.cntk:1:7: expected a field, found ']', which closes nothing");
	memset(deep, '[', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	refuse(deep, NULL, SHEAF_DATA, "expected at most 200 brackets in brackets");
}

static void test_bytes_that_are_no_text(void **state)
{
	reading r = {.cx = usual_context()};
	(void)state;
	write_file("zero.cntk", "reader = \0 [ ]", 14);
	assert_status(SHEAF_DATA, sheaf_config_read(in_folder("zero.cntk"), r.cx, &r.config, &err));
	assert_message("zero.cntk:1:10: expected text, found byte 0x00");
	assert_status(SHEAF_IO, sheaf_config_read(in_folder("none.cntk"), r.cx, &r.config, &err));
	end(&r);
}

/* Whatever allocation fails, the failure is told and nothing is left. */
static void test_any_allocation_may_fail(void **state)
{
	sheaf_status status = SHEAF_NOMEM;
	(void)state;
	write_text("a.cntk", COMPOSITE);
	for (int64_t n = 1; status; n++) {
		allocator memory = {.fail_at = n, .stay = n % 2};
		sheaf_context_options options = options_with(&memory);
		sheaf_context *cx;
		sheaf_config *config = NULL;
		status = sheaf_context_new(&options, &cx, &err);
		if (status) {
			assert_int_equal(status, SHEAF_NOMEM);
			continue;
		}
		status = sheaf_config_read(in_folder("a.cntk"), cx, &config, &err);
		assert_true(status == SHEAF_OK || status == SHEAF_NOMEM);
		sheaf_config_free(config);
		sheaf_context_free(cx);
		assert_int_equal(memory.bytes, 0);
		assert_true(n < 1000);
	}
}

/* What is said of an input opens it as it is, whatever else its record has. */
static void test_an_input_is_opened_as_it_is(void **state)
{
	(void)state;
	sheaf_context *cx = usual_context();
	sheaf_config *config;
	sheaf_dataset *file;
	const sheaf_frame *frame;
	write_text("x.txt", "|A 1 2 3 4 5\n");
	write_text("open.cntk",
	           READER("precision = double\nmaxErrors = 7\nskipSequenceIds = true\nkeepDataInMemory = "
	                  "true"));
	assert_ok(sheaf_config_read(in_folder("open.cntk"), cx, &config, &err));
	const sheaf_config_input *input = &config->inputs[0];
	sheaf_open_options options = {
		.format = input->format, .settings = input->settings, .nsettings = input->nsettings};
	assert_int_equal(input->nothers, 2);
	assert_text("max-errors", input->others[0].name);
	assert_ok(sheaf_open(in_folder("x.txt"), &options, cx, &file, &err));
	assert_ok(sheaf_next(file, &frame, &err));
	assert_int_equal(frame->columns[0].type, SHEAF_F64);
	sheaf_close(file);
	sheaf_config_free(config);
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_simple_form),
		cmocka_unit_test(test_an_input_is_opened_as_it_is),
		cmocka_unit_test(test_every_key_has_its_setting),
		cmocka_unit_test(test_names_have_no_case_and_signs_are_two),
		cmocka_unit_test(test_comments_brackets_and_separators),
		cmocka_unit_test(test_other_sections_are_passed_over),
		cmocka_unit_test(test_the_nearest_precision_around_counts),
		cmocka_unit_test(test_the_last_of_two_fields_counts),
		cmocka_unit_test(test_streams_in_every_form),
		cmocka_unit_test(test_names_between_dollars),
		cmocka_unit_test(test_paths_from_windows),
		cmocka_unit_test(test_the_composite_form),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_unknown_keys_are_named),
		cmocka_unit_test(test_marks_at_the_start),
		cmocka_unit_test(test_wrong_values_have_their_place),
		cmocka_unit_test(test_missing_keys),
		cmocka_unit_test(test_brackets_must_match),
		cmocka_unit_test(test_bytes_that_are_no_text),
		cmocka_unit_test(test_any_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
