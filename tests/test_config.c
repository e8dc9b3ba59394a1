/* SPDX-License-Identifier: MIT */
/* CNTK configuration files: what is read from them, in every spelling, and each refusal with its place. */
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

static sheaf_variables variables; /* of the next reading */

static sheaf_status read_section(const char *text, const char *section, reading *r)
{
	char name[300];
	sheaf_context_options options = {.size = sizeof options, .on_problem = keep_warning};
	*r = (reading){.cx = context_with(&options)};
	warnings[0] = '\0';
	write_text("a.cntk", text);
	snprintf(name, sizeof name, "%s%s%s", in_folder("a.cntk"), section ? ":" : "", section ? section : "");
	sheaf_status status = sheaf_config_read(name, variables, r->cx, &r->config, &err);
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

/* The defaults of every reader of one file. */
#define USUAL "order=cntk\ntimeline=global\nno-cross-sweep\n"

/* Reads and compares all settings; if no order is expected, it is the usual one, after all others. */
static void expect_settings(const char *text, const char *section, const char *wanted)
{
	reading r;
	char all[1000];
	snprintf(all, sizeof all, "%s%s", wanted, strstr(wanted, "order=") ? "" : USUAL);
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
	assert_text(STREAM USUAL, r.settings);
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
	                       "true\nframeMode = true"),
	                NULL,
	                STREAM "element-type=double\nskip-sequence-ids\nmax-errors=7\nchunk-bytes=1024\nkeep-in-"
	                       "memory\nindex=write\ntrace-level=2\npack=frames\norder=cntk\nseed=9\n"
	                       "window=30samples\ntimeline=global\nno-cross-sweep\n");
	expect_settings(READER("skipSequenceIds = false\nkeepDataInMemory = 0\ncacheIndex = no\nrandomize = "
	                       "none\nrandomizationWindow = "
	                       "auto\nsampleBasedRandomizationWindow = False\nframeMode = no"),
	                NULL, STREAM "index=auto\norder=file\ntimeline=global\nno-cross-sweep\n");
}

/* Every word for a truth value that CNTK has, and those of its older readers. */
static void test_words_for_truth(void **state)
{
	static const char *const yes[] = {"t", "T", "true", "True", "TRUE", "1", "yes", "auto"},
							 *const no[] = {"f", "F", "false", "False", "FALSE", "0", "no", "none", "None"};
	char text[300];
	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++) {
		snprintf(text, sizeof text, READER("skipSequenceIds = %s"), yes[i]);
		expect_settings(text, NULL, STREAM "skip-sequence-ids\n");
	}
	for (size_t i = 0; i < COUNT(no); i++) {
		snprintf(text, sizeof text, READER("skipSequenceIds = %s"), no[i]);
		expect_settings(text, NULL, STREAM);
	}
	expect_settings(READER("skipSequenceIds"), NULL, STREAM "skip-sequence-ids\n");
	expect_settings(READER("skipSequenceIds # so"), NULL, STREAM "skip-sequence-ids\n");
}

/* `default` means as if nothing were given, here and in records around. */
static void test_default(void **state)
{
	(void)state;
	expect_settings("maxErrors = 3\n" READER("maxErrors = default\nrandomize = default\nrandomizationSeed = "
	                                         "default\ntraceLevel = default"),
	                NULL, STREAM);
	refuse(READER("file = default"), NULL, SHEAF_DATA, "expected `file`");
}

static void test_numbers_as_cntk_reads_them(void **state)
{
	static const char *const seeds[] = {"0", "18446744073709551615", "-1", "-9223372036854775808"},
							 *const bad[] = {"18446744073709551616", "-9223372036854775809", "-", "1.5",
	                                         "0x1"};
	static const struct {
		const char *said, *level;
	} levels[] = {{"0", "0"}, {"1", "1"}, {"3", "2"}, {"-4", "0"}, {"99999999999999999999", "2"}};
	char text[300], wanted[300];
	(void)state;
	for (size_t i = 0; i < COUNT(seeds); i++) {
		snprintf(text, sizeof text, READER("randomizationSeed = %s"), seeds[i]);
		snprintf(wanted, sizeof wanted, STREAM "order=cntk\nseed=%s\ntimeline=global\nno-cross-sweep\n",
		         seeds[i]);
		expect_settings(text, NULL, wanted);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(text, sizeof text, READER("randomizationSeed = %s"), bad[i]);
		refuse(text, NULL, SHEAF_DATA, "a.cntk:5:21: randomizationSeed: expected a whole number of 64 bits");
	}
	for (size_t i = 0; i < COUNT(levels); i++) {
		snprintf(text, sizeof text, READER("traceLevel = %s"), levels[i].said);
		snprintf(wanted, sizeof wanted, STREAM "trace-level=%s\n", levels[i].level);
		expect_settings(text, NULL, wanted);
	}
}

/* A reader of one file looks for its keys in the records around, but for its streams. */
static void test_readers_look_around(void **state)
{
	(void)state;
	expect_settings(
		"skipSequenceIds = true\nframeMode = t\nTrain = [ maxErrors = 4 ; file = y.txt\nreader = [ "
		"readerType = CNTKTextFormatReader ; chunkSizeInBytes = 9\ninput = [ A = [ dim = 5 ; format "
		"= dense ] ] ] ]",
		NULL, STREAM "skip-sequence-ids\nmax-errors=4\nchunk-bytes=9\npack=frames\n");
	refuse("input = [ A = [ dim = 5 ; format = dense ] ]\nreader = [ file = x ]", NULL, SHEAF_DATA,
	       "expected an `input` section");
}

/* A window of 0 is the order of the file. */
static void test_window_of_nothing(void **state)
{
	(void)state;
	expect_settings(READER("randomizationWindow = 0"), NULL,
	                STREAM "order=file\ntimeline=global\nno-cross-sweep\n");
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
	                "[dim=5;format=dense,]\n]\nmaxErrors = 3 # three\n}",
	                NULL, STREAM "max-errors=3\n");
}

static void test_depth_of_a_section(void **state)
{
	(void)state;
	enum { MOST = 14 };
	for (int depth = MOST; depth <= MOST + 1; depth++) {
		reading r;
		char text[400] = "", section[80] = "r";
		for (int i = 1; i < depth; i++) strcat(text, "r = [ ");
		strcat(text, "r = [ readerType = CNTKBinaryReader ; file = x ]");
		for (int i = 1; i < depth; i++) strcat(text, " ]"), strcat(section, ".r");
		if (depth > MOST) {
			refuse(text, section, SHEAF_UNKNOWN, "found no record \"r\"");
		} else {
			assert_ok(read_section(text, section, &r));
			end(&r);
		}
	}
}

static void test_other_sections_are_passed_over(void **state)
{
	(void)state;
	expect_settings("command = Train:Test\nNet = {\n f(x) = if x == 1 then [ 'a' ; \"}\" ] else { y := 3 }\n "
	                "m = Layer{dim:3} .* (1 + x::y)\n}\nTrain = [ SGD = [ "
	                "minibatchSize = 1:2 ]\n" READER("") "]",
	                NULL, STREAM USUAL "size=1\n");
}

static void test_the_nearest_precision_around_counts(void **state)
{
	(void)state;
	expect_settings("precision = \"float\"\nTrain = [ precision = double\n" READER("") "]", NULL,
	                STREAM "element-type=double\n");
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
	/* A binary file declares its own streams: only a new name makes a setting. */
	expect_settings("reader = [ readerType = CNTKBinaryReader ; file = x ; input = [ F = [ alias = features "
	                "] ; labels = [ ] ] ]",
	                NULL, "stream=F:alias=features\nelement-type=float\n");
	expect_settings("precision = double\nreader = [ readerType = CNTKBinaryReader ; file = x ]", NULL,
	                "element-type=double\n");
}

/* Names are of fields at the top, wherever they are used. */
static void test_names_between_dollars(void **state)
{
	reading r;
	char wanted[200];
	(void)state;
	assert_ok(read_section("Root = \"/data\"\nDataDir = \"$Root$/set\"\nTrain = [ Root = nowhere\nreader = [ "
	                       "readerType = CNTKTextFormatReader ; file = \"$datadir$/a.txt\" ; "
	                       "input = [ A = [ dim = $Dim$ ; format = dense ] ] ] ]\nDim = 12 # $not$ one",
	                       NULL, &r));
	assert_text("/data/set/a.txt", r.config->inputs[0].path);
	assert_text("stream=A:12:dense\n" USUAL, r.settings);
	end(&r);
	write_text("here.txt", "|A 1\n");
	assert_ok(read_section("reader = [ readerType = CNTKBinaryReader ; file = \"$ConfigDir$/here.txt\" ]",
	                       NULL, &r));
	snprintf(wanted, sizeof wanted, "%s/here.txt", folder);
	assert_text(wanted, r.config->inputs[0].path);
	end(&r);
	/* Other dollar signs stay: alone, before a digit, with a blank, without a second one on the line. */
	assert_ok(read_section("reader = [ readerType = CNTKBinaryReader ; file = \"a$1$ c$d\" ]", NULL, &r));
	assert_text("a$1$ c$d", r.config->inputs[0].path);
	end(&r);
}

static void test_names_that_nothing_sets(void **state)
{
	(void)state;
	refuse("reader = [ readerType = CNTKBinaryReader\nfile = \"$DataDir$/x\" ]", NULL, SHEAF_DATA,
	       "a.cntk:2:9: file: expected a value of $DataDir$, found none at the top of the file; set it with "
	       "DataDir=VALUE");
	refuse("reader = [ readerType = CNTKBinaryReader\nfile = $A$ ]\nA = $B$\nB = $A$", NULL, SHEAF_DATA,
	       "file: expected a value of $A$");
	refuse("A = default\nreader = [ readerType = CNTKBinaryReader\nfile = $A$ ]", NULL, SHEAF_DATA,
	       "file: expected a value of $A$");
	refuse("Train = [ A = x ; reader = [ readerType = CNTKBinaryReader\nfile = $A$ ] ]", NULL, SHEAF_DATA,
	       "file: expected a value of $A$");
	refuse("reader = [ file = x ; input = $Streams$ ]", NULL, SHEAF_DATA,
	       "a.cntk:1:31: input: expected a value of $Streams$");
	refuse("reader = $Common$", NULL, SHEAF_DATA, "a.cntk:1:10: reader: expected a value of $Common$");
	refuse("reader = [ deserializers = $Parts$ ]", NULL, SHEAF_DATA,
	       "deserializers: expected a value of $Parts$");
	/* Fields that no reader uses may have any. */
	expect_settings("Net = [ a = $Unset$ ]\nA = $A$\n" READER(""), NULL, STREAM);
}

static void test_names_have_bounds(void **state)
{
	char all[20000] = "";
	(void)state;
	refuse(
		"A = $B$$B$$B$$B$$B$$B$\nB = $C$$C$$C$$C$$C$$C$\nC = $D$$D$$D$$D$$D$$D$\nD = $E$$E$$E$$E$$E$$E$\nE = "
		"x\nreader = [ readerType = CNTKBinaryReader ; file = $A$ ]",
		NULL, SHEAF_DATA, "expected at most 1000 names between dollars, found more");
	for (int i = 0; i < 11; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "A%d = $A%d$$A%d$\n", i, i + 1, i + 1);
	memset(all + strlen(all), 'x', 12000);
	memcpy(strstr(all, "xxxx"), "A11=", 4);
	refuse(all, NULL, SHEAF_DATA, "expected at most");
	/* a file of a mebibyte less one byte, and of a mebibyte */
	static char comment[(1 << 20) + 1] = "#";
	memset(comment + 1, 'x', (1 << 20) - 2);
	refuse(comment, NULL, SHEAF_UNKNOWN, "expected a section with a reader");
	comment[(1 << 20) - 1] = 'x';
	refuse(comment, NULL, SHEAF_LIMIT, "expected a configuration of less than 1048576 bytes, found more");
}

/* A name may stand for a record, or for a part of one; places are where things are written. */
static void test_names_of_records(void **state)
{
	(void)state;
	expect_settings(
		"S = [ A = [ dim = 5 ; format = dense ] ]\nreader = [ file = x ; input = $S$ ; $Rest$ ]\nRest "
		"= \"maxErrors = 2 ; chunkSizeInBytes = 7\"",
		NULL, STREAM "max-errors=2\nchunk-bytes=7\n");
	expect_settings(
		"Common = [ file = x ; input = [ A = [ dim = 5 ; format = dense ] ] ]\nTrain = [ reader = "
		"$Common$ ]",
		NULL, STREAM);
	refuse("\n\nCommon = [ file = x ; input = [ A = [ dim = five ; format = dense ] ] ]\nreader = $Common$",
	       NULL, SHEAF_DATA, "a.cntk:3:45: dim: expected a whole number, found \"five\"");
}

/* Two records of one name are merged; of other fields the last counts. */
static void test_records_of_one_name(void **state)
{
	char many[2000] = "reader = [ file = x ; input = [ A = [ dim = 5 ; format = dense ] ] ]\n";
	(void)state;
	expect_settings(
		"reader = [ file = y ; maxErrors = 1 ; input = [ A = [ dim = 4 ] ] ]\nreader = [ file = x\n"
		"input = [ B = [ dim = 1 ; format = sparse ] ]\ninput = [ a = [ dim = 5 ; format = dense ] ] ]",
		NULL, STREAM "stream=B:1:sparse\nmax-errors=1\n");
	expect_settings(
		"reader = [ maxErrors = 1 ]\nreader = { file = x\ninput = [ A = [ dim = 5 ; format = dense ] ] }",
		NULL, STREAM);
	expect_settings("Train = [ a = 1 ]\nTrain = [ " READER("") "]", NULL, STREAM);
	for (int i = 0; i < 16; i++) snprintf(many + strlen(many), 100, "reader = [ maxErrors = %d ]\n", i);
	refuse(many, NULL, SHEAF_DATA, "a.cntk:17:1: expected at most 16 records of one name, found more");
}

/* Configurations that would take long are refused: too many streams, or sections with a reader. Sections
 * without one may be many.
 */
static void test_many_records(void **state)
{
	static char text[200000];
	size_t used = 0;
	(void)state;
	for (int i = 0; i < 9000; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "a%d=[b=1]\n", i);
	snprintf(text + used, sizeof text - used, "train=[ " READER("") " ]");
	expect_settings(text, NULL, STREAM);
	used = (size_t)snprintf(text, sizeof text, "reader=[ file = x ; input = [ ");
	for (int i = 0; i < 257; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "s%d=[dim=1;format=dense]\n", i);
	snprintf(text + used, sizeof text - used, "] ]");
	refuse(text, NULL, SHEAF_DATA, "a.cntk:257:1: input: expected at most 256 streams, found more");
	used = 0;
	for (int i = 0; i < 257; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "s%d=[ reader=[ file = x ] ]\n", i);
	refuse(text, NULL, SHEAF_DATA, "a.cntk:257:1: expected at most 256 sections with a reader, found more");
}

static void test_fields_without_signs(void **state)
{
	(void)state;
	expect_settings(
		"reader [ file \"x\" ; input [ A [ dim = 5 ; format = dense ] B [ dim = 1 ; format = sparse ] ] "
		"maxErrors = 3 ]",
		NULL, STREAM "stream=B:1:sparse\nmax-errors=3\n");
	/* A name may have any character that does not end it. */
	expect_settings("reader = [ file = a#b ; input = [ my-A+1 = [ dim = 5 ; format = dense ] ] ]", NULL,
	                "stream=my-A+1:5:dense\n");
}

static void test_variables(void **state)
{
	static const char *const set[] = {"DataDir=/data", "reader=[maxErrors=4]",
	                                  "reader = [ chunkSizeInBytes = 8 ]"},
							 *const bad[] = {"reader=[maxErrors=many]"}, *const none[] = {"DataDir"};
	reading r;
	(void)state;
	variables = (sheaf_variables){set, 3};
	assert_ok(read_section("DataDir = .\n" READER("file = $DataDir$/x"), NULL, &r));
	assert_text("/data/x", r.config->inputs[0].path);
	assert_text(STREAM "max-errors=4\nchunk-bytes=8\n" USUAL, r.settings);
	end(&r);
	variables = (sheaf_variables){bad, 1};
	refuse(READER(""), NULL, SHEAF_DATA,
	       "command line:1:19: maxErrors: expected a whole number, found \"many\"");
	variables = (sheaf_variables){none, 1};
	refuse(READER(""), NULL, SHEAF_USAGE, "variable: expected NAME=VALUE, found \"DataDir\"");
	variables = (sheaf_variables){0};
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
	assert_int_equal(r.config->inputs[1].nsettings, 1);
	assert_text("element-type", r.config->inputs[1].settings[0].name);
	assert_text("stream=q:95:sparse:alias=qui\nmax-errors=100\ntrace-level=0\norder=file\ntimeline=local\n"
	            "no-cross-sweep\n",
	            r.settings);
	end(&r);
	assert_ok(read_section(COMPOSITE, "train.reader.deserializers.1", &r));
	assert_int_equal(r.config->ninputs, 1);
	assert_text("b.cbf", r.config->inputs[0].path);
	assert_text("element-type=float\ntrace-level=0\norder=file\ntimeline=local\nno-cross-sweep\n",
	            r.settings);
	end(&r);
}

#define PART "{ type = CNTKTextFormatDeserializer ; file = x ; input = [ A = [ dim = 5 ; format = dense ] ] }"
#define JOINED(body) "reader = [\n" body "\ndeserializers = ( " PART " ) ]"
#define CHUNKS(n) "order=cntk\nwindow=" n "\ntimeline=local\nno-cross-sweep\n"
#define SAMPLES(n) "order=cntk\nwindow=" n "samples\ntimeline=local\nno-cross-sweep\n"

/* What counts as a window where deserializers are joined. */
static void test_windows_of_composites(void **state)
{
	static const char *const cases[][2] = {
		{"", CHUNKS("128")},
		{"randomizationWindow = auto", CHUNKS("128")},
		{"randomizationWindow = default", SAMPLES("")},
		{"randomizationWindow = 9", SAMPLES("9")},
		{"randomizationWindow = 0", SAMPLES("1")},
		{"randomizationWindow = 9 ; sampleBasedRandomizationWindow = true", SAMPLES("9")},
		{"randomizationWindow = 9 ; sampleBasedRandomizationWindow = false", CHUNKS("9")},
		{"sampleBasedRandomizationWindow = false", CHUNKS("128")},
		{"chunkSizeInBytes = 1073741824", CHUNKS("4")},
		{"chunkSizeInBytes = 99999999999", CHUNKS("1")},
		{"chunkSizeInBytes = 4294967296", CHUNKS("1")},
		{"chunkSizeInBytes = 2147483649", CHUNKS("1")},
	};
	char text[500], wanted[500];
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(text, sizeof text, JOINED("%s"), cases[i][0]);
		snprintf(wanted, sizeof wanted, STREAM "%s", cases[i][1]);
		expect_settings(text, NULL, wanted);
	}
	/* A window in the records around is not the reader's own; nor is their unit. */
	expect_settings("randomizationWindow = 9\nsampleBasedRandomizationWindow = true\n" JOINED(""), NULL,
	                STREAM CHUNKS("128"));
	expect_settings("sampleBasedRandomizationWindow = false\n" JOINED("randomizationWindow = 9"), NULL,
	                STREAM CHUNKS("9"));
	/* Binary files have no chunks that could be counted by size. */
	expect_settings(
		"randomizationWindow = 9\nreader = [ deserializers = ( [ type = CBFDeserializer ; file = x ] ) ]",
		NULL, "element-type=float\n" SAMPLES("9"));
	expect_settings("sampleBasedRandomizationWindow = false\nreader = [ deserializers = ( [ type = "
	                "CNTKBinaryFormatDeserializer ; file = x ] ) ]",
	                NULL, "element-type=float\n" SAMPLES(""));
	refuse(JOINED("sampleBasedRandomizationWindow = true"), NULL, SHEAF_DATA,
	       "a.cntk:1:11: expected a randomizationWindow beside sampleBasedRandomizationWindow, found none");
	refuse(JOINED("chunkSizeInBytes = 0"), NULL, SHEAF_DATA,
	       "a.cntk:2:20: chunkSizeInBytes: expected at least 1, found \"0\"");
}

/* Deserializers take three keys from their reader, and none from elsewhere. */
static void test_what_deserializers_take(void **state)
{
	(void)state;
	expect_settings(
		"precision = double\nskipSequenceIds = true\nmaxErrors = 3\ncacheIndex = true\n"
		"keepDataInMemory = true\ntraceLevel = 2\nframeMode = true\nlocalTimeline = false\n" JOINED(
			"chunkSizeInBytes = 1073741824"),
		NULL,
		STREAM "element-type=double\ntrace-level=2\norder=cntk\nwindow=4\n"
			   "timeline=global\nno-cross-sweep\npack=frames\n");
	expect_settings(
		"reader = [ deserializers = ( { type = CNTKTextFormatDeserializer ; file = x ; chunkSizeInBytes = "
		"5 ; precision = double ; skipSequenceIds ; input = [ A = [ dim = 5 ; format = dense ] ] } ) ]",
		NULL, STREAM "skip-sequence-ids\nchunk-bytes=5\n" CHUNKS("128"));
	assert_non_null(
		strstr(warnings, "expected a key of such a deserializer, found \"precision\"; it is ignored"));
}

static void test_truncation_and_frames(void **state)
{
	(void)state;
	expect_settings(JOINED("truncated = true\ntruncationLength = 20"), NULL,
	                STREAM CHUNKS("128") "pack=20\n");
	expect_settings(JOINED("truncated = false\ntruncationLength = 20"), NULL, STREAM CHUNKS("128"));
	expect_settings("action = write\n" JOINED("truncated = true"), NULL,
	                STREAM "order=file\ntimeline=local\nno-cross-sweep\n");
	refuse(JOINED("truncated = true"), NULL, SHEAF_DATA,
	       "a.cntk:2:13: truncated: expected a truncationLength");
	refuse(JOINED("truncated\ntruncationLength = 0"), NULL, SHEAF_DATA,
	       "expected a truncationLength of at least 1");
	refuse(JOINED("truncated = true\ntruncationLength = 5\nframeMode = true"), NULL, SHEAF_DATA,
	       "a.cntk:2:13: truncated: expected this key or frameMode, found both");
}

/* Writing and testing do not shuffle, unless a test's own reader says so. */
static void test_actions(void **state)
{
	static const char file[] = STREAM "order=file\ntimeline=global\nno-cross-sweep\n",
					  local[] = STREAM "order=file\ntimeline=local\nno-cross-sweep\n";
	(void)state;
	expect_settings("action = Write\n" READER("randomize = true"), NULL, file);
	expect_settings("A = [ action = eval\n" READER("") "]", NULL, file);
	expect_settings("randomize = true\nA = [ action = test\n" READER("") "]", NULL, file);
	expect_settings("A = [ action = test\n" READER("randomize = true") "]", NULL, STREAM);
	expect_settings("A = [ action = test\n" READER("randomize = f") "]", NULL, file);
	expect_settings("A = [ action = train\n" READER("randomize = f") "]", NULL, file);
	expect_settings(READER("action = write"), NULL, STREAM);
	expect_settings("action = write\n" JOINED("randomize = true"), NULL, local);
	expect_settings(JOINED("action = write"), NULL, local);
	expect_settings("action = test\n" JOINED("randomize = false"), NULL, local);
	expect_settings("action = eval\n" JOINED("randomize = true"), NULL, STREAM CHUNKS("128"));
	refuse("action = eval\n" JOINED(""), NULL, SHEAF_DATA,
	       "a.cntk:2:11: expected `randomize` in this reader, found none");
}

#define SIZED(sgd) "Train = [ SGD = [ " sgd " ]\n" READER("") "]"

/* The size of a minibatch in training. */
static void test_sizes(void **state)
{
	(void)state;
	expect_settings(SIZED("minibatchSize = 12 ; epochSize = 300 ; maxEpochs = 4"), NULL,
	                STREAM USUAL "size=12\nepoch-size=300\nepochs=4\n");
	expect_settings("minibatchSize = 7\n" SIZED("epochSize = 0 ; maxEpochs = 2"), NULL,
	                STREAM USUAL "size=7\nepochs=2\n");
	expect_settings("SGD = [ minibatchSize = 5 ]\nTrain = [ action = train\n" READER("") "]", NULL,
	                STREAM USUAL "size=5\n");
	expect_settings("minibatchSize = 5\n" READER(""), NULL, STREAM);
	expect_settings(
		"SGD = [ minibatchSize = 9 ]\nA = [ action = test ; minibatchSize = 5 ; maxEpochs = 4\n" READER(
			"") "]",
		NULL, STREAM "order=file\ntimeline=global\nno-cross-sweep\nsize=5\n");
	assert_text("", warnings);
	expect_settings(SIZED("minibatchSize = 256*2:1024"), NULL, STREAM USUAL "size=256\n");
	assert_non_null(
		strstr(warnings, "expected one size for all epochs, found \"256*2:1024\"; the first counts"));
	expect_settings(SIZED("minibatchSize = (32:64)"), NULL, STREAM USUAL "size=32\n");
	expect_settings(SIZED("minibatchSize = if x then 2 else 3"), NULL, STREAM);
	assert_non_null(strstr(warnings, "a.cntk:1:35: expected a whole number"));
}

/* Images and speech are for other programs, but deserializers beside them can be read. */
static void test_parts_of_other_programs(void **state)
{
	static const char text[] = "Train = [ reader = [ deserializers = ( [ type = ImageDeserializer ; module = "
							   "ImageReader ; file = i ] : " PART " ) ] ]";
	(void)state;
	refuse(text, NULL, SHEAF_DATA,
	       "a.cntk:1:49: expected the name of a reader whose files this build reads, found "
	       "\"ImageDeserializer\"; "
	       "another part can be read alone, as :Train.reader.deserializers.1");
	expect_settings(text, "train.reader.deserializers.1", STREAM CHUNKS("128"));
	refuse(text, "train.reader.deserializers.0", SHEAF_DATA, "deserializers.1");
	refuse("reader = [ deserializers = ( [ type = HTKFeatureDeserializer ] ) ]", NULL, SHEAF_DATA,
	       "found \"HTKFeatureDeserializer\"");
	refuse("reader = [ deserializers = ( [ file = x ] ) ]", NULL, SHEAF_DATA,
	       "expected a deserializer's type");
}

static void test_names_of_readers(void **state)
{
	(void)state;
	expect_settings("reader = [ file = x ; input = [ A = [ dim = 5 ; format = dense ] ] ]", NULL, STREAM);
	expect_settings(
		"readerType = Cntk.Deserializers.TextFormat\nT = [ reader = [ file = x ; input = [ A = [ dim = 5 ; "
		"format = dense ] ] ] ]",
		"T", STREAM);
	expect_settings("reader = [ readerType = Cntk.Deserializers.Binary ; file = x ]", NULL,
	                "element-type=float\n");
}

/* Keys of other readers are ignored in this one. */
static void test_keys_of_other_readers(void **state)
{
	(void)state;
	expect_settings(READER("truncated = true\nlocalTimeline = true"), NULL, STREAM);
	assert_non_null(strstr(warnings, "a.cntk:5:1: expected a key of such a reader, found \"truncated\""));
	assert_non_null(strstr(warnings, "a.cntk:6:1: expected a key of such a reader, found \"localTimeline\""));
	expect_settings(
		"reader = [ readerType = CNTKBinaryReader ; file = x ; frameMode = 1 ; chunkSizeInBytes = 5 ; "
		"maxErrors = 4 ; skipSequenceIds = 1 ]",
		NULL, "element-type=float\n");
}

static void test_sections(void **state)
{
	static const char two[] = "A = [ action = \"train\"\n" READER(
		"maxErrors = 1") "]\nB = [ action = \"test\"\n" READER("maxErrors = 2") "]";
	(void)state;
	expect_settings(two, NULL, STREAM "max-errors=1\n");
	expect_settings(two, "b", STREAM "max-errors=2\norder=file\ntimeline=global\nno-cross-sweep\n");
	expect_settings(two, "B.Reader", STREAM "max-errors=2\norder=file\ntimeline=global\nno-cross-sweep\n");
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
		strstr(warnings, "a.cntk:5:1: expected a key of such a reader, found \"useless\"; it is ignored"));
	assert_non_null(strstr(warnings, "a.cntk:6:1: expected a key of such a reader, found \"input2\""));
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
		{"traceLevel = 3x", "a.cntk:5:14: traceLevel: expected a whole number, found \"3x\""},
		{"traceLevel = -", "traceLevel: expected a whole number, found \"-\""},
		{"maxErrors = 3# three", "maxErrors: expected a whole number, found \"3# three\""},
		{"randomizationWindow = wide", "expected a whole number, found \"wide\""},
		{"file = \"open", "a.cntk:5:8: expected a second \" to end this string"},
		{"file = \"a\" b", "a.cntk:5:11: expected the end of the field after a string"},
		{"input = 3", "a.cntk:5:9: input: this is not a record"},
		{"input = [ B = 3 ]", "a.cntk:5:15: input \"B\": this is not a record"},
		{"input = [ A = [ dim = 0 ; format = dense ] ]", "a.cntk:5:23: dim: expected at least 1, found 0"},
		{"input = [ A = [ dim = 1 ; format = wide ] ]", "format: expected dense|sparse, found \"wide\""},
		{"input = [ B = [ dim = 1 ] ]", "a.cntk:5:11: input \"B\": expected dim and format, found no format"},
		{"input = [ B = [ format = dense ] ]", "found no dim"},
		{"input = [ A = [ dim = 1 ; format = dense ; alias = \"\" ] ]",
	     "alias: expected a name, found nothing"},
		{"readerType = \"UCIFastReader\"",
	     "a.cntk:5:14: expected the name of a reader whose files this build reads, found \"UCIFastReader\""},
		{"deserializers = { }", "deserializers: this is not an array"},
		{"deserializers = ( )", "deserializers: expected at least one"},
		{"deserializers = ( 3 )", "deserializers: this is not a record"},
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
	assert_status(SHEAF_DATA,
	              sheaf_config_read(in_folder("zero.cntk"), (sheaf_variables){0}, r.cx, &r.config, &err));
	assert_message("zero.cntk:1:10: expected text, found byte 0x00");
	assert_status(SHEAF_IO,
	              sheaf_config_read(in_folder("none.cntk"), (sheaf_variables){0}, r.cx, &r.config, &err));
	end(&r);
}

/* Whichever allocation fails, the failure is reported and nothing is leaked. */
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
		status = sheaf_config_read(in_folder("a.cntk"), (sheaf_variables){0}, cx, &config, &err);
		assert_true(status == SHEAF_OK || status == SHEAF_NOMEM);
		sheaf_config_free(config);
		sheaf_context_free(cx);
		assert_int_equal(memory.bytes, 0);
		assert_true(n < 1000);
	}
}

/* The settings of an input open it as they are, whatever else its record has. */
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
	assert_ok(sheaf_config_read(in_folder("open.cntk"), (sheaf_variables){0}, cx, &config, &err));
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
		cmocka_unit_test(test_every_key_has_its_setting),
		cmocka_unit_test(test_words_for_truth),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_numbers_as_cntk_reads_them),
		cmocka_unit_test(test_readers_look_around),
		cmocka_unit_test(test_window_of_nothing),
		cmocka_unit_test(test_names_have_no_case_and_signs_are_two),
		cmocka_unit_test(test_comments_brackets_and_separators),
		cmocka_unit_test(test_depth_of_a_section),
		cmocka_unit_test(test_other_sections_are_passed_over),
		cmocka_unit_test(test_the_nearest_precision_around_counts),
		cmocka_unit_test(test_the_last_of_two_fields_counts),
		cmocka_unit_test(test_streams_in_every_form),
		cmocka_unit_test(test_names_between_dollars),
		cmocka_unit_test(test_names_that_nothing_sets),
		cmocka_unit_test(test_names_have_bounds),
		cmocka_unit_test(test_names_of_records),
		cmocka_unit_test(test_records_of_one_name),
		cmocka_unit_test(test_many_records),
		cmocka_unit_test(test_fields_without_signs),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_paths_from_windows),
		cmocka_unit_test(test_the_composite_form),
		cmocka_unit_test(test_windows_of_composites),
		cmocka_unit_test(test_what_deserializers_take),
		cmocka_unit_test(test_truncation_and_frames),
		cmocka_unit_test(test_actions),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_parts_of_other_programs),
		cmocka_unit_test(test_names_of_readers),
		cmocka_unit_test(test_keys_of_other_readers),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_unknown_keys_are_named),
		cmocka_unit_test(test_marks_at_the_start),
		cmocka_unit_test(test_wrong_values_have_their_place),
		cmocka_unit_test(test_missing_keys),
		cmocka_unit_test(test_brackets_must_match),
		cmocka_unit_test(test_bytes_that_are_no_text),
		cmocka_unit_test(test_any_allocation_may_fail),
		cmocka_unit_test(test_an_input_is_opened_as_it_is),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
