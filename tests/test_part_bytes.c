/* SPDX-License-Identifier: MIT */
/* Parts that are changed in one place, with hashes that are right: each change alone is refused, for what it
 * says; what tells two jobs apart differs alone. */
#include "part_support.h"
#include "with_context.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { ENCODED, ARRAY, STREAMS, ROWS, ENTRIES, NOTHING, KEPT, HASHED, INDEXED, KINDS } kind;
enum { FIRST = 1, SECOND = 2, BOTH = 3 };

typedef struct change {
	kind of;
	int parts;
	splice splices[SPLICES];
	sheaf_status status;
	const char *told; /* NULL: status is all */
} change;

static const struct job {
	const char *input, *output;
} jobs[KINDS] = {
	[ENCODED] = {"a.csv", "b.csv"}, [ARRAY] = {"a.csv", "b.npy"},   [STREAMS] = {"a.ctf", "b.ctf"},
	[ROWS] = {"a.csv", "b.jsonl"},  [ENTRIES] = {"a.mtx", "b.npz"}, [NOTHING] = {"a.ex", "b.bex"},
	[KEPT] = {"a.csv", NULL},       [HASHED] = {"a.csv", NULL},     [INDEXED] = {"a.ctf", NULL}};

static const char *job_of_readings = "hash";

/* ---- making parts ---- */

static void write_inputs(void)
{
	write_text("a.csv", "n,x\n1,0.5\n2,1.5\n3,2.5\n4,3.5\n");
	write_text("a.ctf", "0 |x 1 2\n0 |x 3 4\n1 |x 5 6\n1 |x 7 8\n");
	write_text("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n3 1 1\n1 2 2\n2 2 3\n1 3 4\n");
	write_text("a.ex", "name: {a} I: 1 2 T: 1 0;\nname: {b} I: 3 4 T: 0 1;\n");
}

static sheaf_context *new_context(kind of)
{
	bool tolerates = of == ROWS || of == KEPT;
	return context_with(&(sheaf_context_options){
		.size = sizeof(sheaf_context_options), .threads = 1, .max_errors = tolerates ? 1 : 0});
}

static sheaf_dataset *open_input(kind of)
{
	sheaf_dataset *dataset;
	const sheaf_open_options options = {.size = sizeof options, .piece_bytes = 16};
	assert_ok(sheaf_open(in_folder(jobs[of].input), &options, cx, &dataset, &err));
	return dataset;
}

static sheaf_status read_all(sheaf_dataset *dataset)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_next(dataset, &frame, &err)) == SHEAF_OK) {
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static void make_reading(kind of, const char *number, bytes_sink *out)
{
	sheaf_sink *sink;
	sheaf_dataset *dataset = open_input(of);
	assert_ok(open_part_sink(out, cx, &sink, &err));
	if (of == INDEXED) {
		assert_ok(sheaf_dataset_index_part(dataset, number, "", sink, &err));
	} else {
		const sheaf_part_outcome outcome = {
			.size = sizeof outcome, .job = job_of_readings, .state = "s", .state_size = 1};
		assert_ok(sheaf_dataset_take_part(dataset, number, SHEAF_PART_NUMBERED, sink, &err));
		assert_ok(read_all(dataset));
		assert_ok(sheaf_dataset_finish_part(dataset, &outcome, &err));
	}
	sheaf_close(dataset);
}

static void make_part(kind of, int p, bytes_sink *out)
{
	char number[8];
	snprintf(number, sizeof number, "%d/2", p + 1);
	const char *input = in_folder(jobs[of].input);
	if (of >= KEPT) {
		make_reading(of, number, out);
		return;
	}
	const sheaf_convert_options options = {
		.size = sizeof options,
		.open = &(sheaf_open_options){.piece_bytes = 16},
		.part = &(sheaf_part_options){.part = number, .open = open_part_sink, .user = out},
		.force = true};
	assert_ok(sheaf_convert(&input, 1, in_folder(jobs[of].output), &options, cx, &err));
}

/* ---- merging them ---- */

static sheaf_status merge_readings(kind of, sheaf_source *const sources[2])
{
	sheaf_parts *parts;
	sheaf_status status = sheaf_parts_open(sources, 2, cx, &parts, &err);
	if (status) return status;
	sheaf_dataset *dataset = open_input(of);
	if (of == INDEXED) {
		status = sheaf_dataset_write_index(dataset, parts, &err);
	} else {
		status = sheaf_dataset_take_parts(dataset, parts, &err);
		if (status == SHEAF_OK) status = read_all(dataset);
	}
	sheaf_close(dataset);
	sheaf_parts_close(parts);
	return status;
}

static sheaf_status merge(kind of, const bytes_sink parts[2])
{
	sheaf_source *const sources[2] = {part_source(&parts[0]), part_source(&parts[1])};
	if (of >= KEPT) return merge_readings(of, sources);
	const sheaf_split_options how = {.size = sizeof how, .force = true, .sources = sources};
	return sheaf_merge(NULL, 2, in_folder(jobs[of].output), &how, cx, NULL, &err);
}

static void check_change(const change *c)
{
	bytes_sink parts[2] = {{0}, {0}};
	cx = new_context(c->of);
	for (int p = 0; p < 2; p++) {
		make_part(c->of, p, &parts[p]);
		if (c->parts & 1 << p) change_part(&parts[p], c->splices);
	}
	remove(in_folder("a.ctf.sheaf-index"));
	err.message[0] = '\0';
	sheaf_status status = merge(c->of, parts);
	if (status != c->status || (c->told && !strstr(err.message, c->told)))
		print_error("change of kind %d, area %d, byte %d: expected %s, %s\n", c->of, c->splices->area,
		            c->splices->at, sheaf_status_name(c->status), c->told ? c->told : "");
	check_status(c->status, status, __FILE__, __LINE__);
	if (c->told) assert_message(c->told);
	for (int p = 0; p < 2; p++) free_bytes(&parts[p]);
	end_context(cx);
}

/* ---- the changes ---- */

#define WITH(bytes) (bytes), sizeof(bytes) - 1
#define U32(low) low "\0\0\0"
#define I64(low) low "\0\0\0\0\0\0\0"
#define ALL_32 "\xff\xff\xff\xff"
#define ALL_64 ALL_32 ALL_32
#define MOST_64 ALL_32 "\xff\xff\xff\x7f"

/* A finding before the first row, instead of none: severity and status, its rule, and what was expected and
 * found, without a place. */
#define NO_TEXT ALL_32
#define SOME_TEXT "\1\0\0\0t"
#define FINDING(severity, status, rule, expected, found) \
	I64("\x5b") \
	U32(severity) \
	U32(status) \
	ALL_64 ALL_64 ALL_64 ALL_64 ALL_64 ALL_64 NO_TEXT NO_TEXT rule NO_TEXT NO_TEXT expected found NO_TEXT

static const change changes[] = {
	{ENCODED, 0, {{0}}, SHEAF_OK, NULL},
	{ARRAY, 0, {{0}}, SHEAF_OK, NULL},
	{STREAMS, 0, {{0}}, SHEAF_OK, NULL},
	{ROWS, 0, {{0}}, SHEAF_OK, NULL},
	{ENTRIES, 0, {{0}}, SHEAF_OK, NULL},
	{NOTHING, 0, {{0}}, SHEAF_OK, NULL},
	{KEPT, 0, {{0}}, SHEAF_OK, NULL},
	{HASHED, 0, {{0}}, SHEAF_OK, NULL},
	{INDEXED, 0, {{0}}, SHEAF_OK, NULL},

	/* The end, and what it says about the foot. */
	{ENCODED, FIRST, {{END, 0, 8, WITH(I64("\x3f"))}}, SHEAF_DATA, "(its end)"},
	{ENCODED, FIRST, {{END, 0, 8, WITH(MOST_64)}}, SHEAF_DATA, "(its end)"},
	{ENCODED, FIRST, {{END, 8, 1, WITH("\1")}}, SHEAF_DATA, "(its end)"},
	{ENCODED, FIRST, {{END, -1, 1, WITH("D")}}, SHEAF_DATA, "(its end)"},
	{ENCODED, FIRST, {{END, 16, 1, WITH("\1")}}, SHEAF_DATA, "(its foot)"},

	/* The head. */
	{ENCODED, FIRST, {{HEAD, 0, 11, WITH(NO_TEXT)}}, SHEAF_DATA, "(a text)"},
	{ENCODED, FIRST, {{HEAD, 4, 1, WITH("\0")}}, SHEAF_DATA, "(a text)"},
	{ENCODED, FIRST, {{HEAD, 0, 4, WITH("\0\0\0\x7f")}}, SHEAF_DATA, "(a text)"},
	{ENCODED, FIRST, {{HEAD, 11, 4, WITH(U32("\0"))}}, SHEAF_DATA, "(which part it is)"},
	{ENCODED, FIRST, {{HEAD, 11, 4, WITH(U32("\3"))}}, SHEAF_DATA, "(which part it is)"},
	{ENCODED, FIRST, {{HEAD, 11, 8, WITH(U32("\0") U32("\0"))}}, SHEAF_DATA, "(which part it is)"},
	{ENCODED, FIRST, {{HEAD, 15, 4, WITH("\1\0\x10\0")}}, SHEAF_DATA, "(which part it is)"},
	{ENCODED, SECOND, {{HEAD, 15, 4, WITH("\0\0\x10\0")}}, SHEAF_DATA, "expected one of 2 parts"},
	{ENCODED, FIRST, {{HEAD, 19, 4, WITH(ALL_32)}}, SHEAF_DATA, "(number of inputs)"},
	{HASHED,
     FIRST,
     {{HEAD, 16, 4, WITH(U32("\2"))}, {COMMON, 0, 8, NULL, 0}, {OWN, 0, 61, NULL, 0}},
     SHEAF_DATA,
     "(inputs)"},
	{ENCODED, FIRST, {{HEAD, 23, 32, WITH(NO_TEXT)}}, SHEAF_DATA, "(a text)"},
	{ENCODED, FIRST, {{HEAD, -29, 29, WITH(NO_TEXT)}}, SHEAF_DATA, "(a text)"},
	{HASHED, FIRST, {{HEAD, -4, 0, WITH(U32("\0"))}}, SHEAF_DATA, "(what is common)"},

	/* What tells two jobs apart, alone. */
	{ENCODED,
     SECOND,
     {{HEAD, 0, 11, WITH("\4\0\0\0hash")}},
     SHEAF_DATA,
     "expected a part of sheaf convert, as part is, found one of sheaf hash"},
	{ENCODED,
     BOTH,
     {{HEAD, 0, 11, WITH("\4\0\0\0hash")}},
     SHEAF_UNSUPPORTED,
     "expected a part of a conversion, found one of sheaf hash"},
	{HASHED,
     BOTH,
     {{HEAD, 0, 8, WITH("\7\0\0\0convert")}},
     SHEAF_UNSUPPORTED,
     "expected a part of a reading, found one of a conversion"},
	{INDEXED,
     BOTH,
     {{HEAD, 0, 9, WITH("\4\0\0\0hash")}},
     SHEAF_USAGE,
     "expected a part of an index, found one of sheaf hash"},
	{ENCODED, SECOND, {{HEAD, 15, 4, WITH(U32("\3"))}}, SHEAF_DATA, "expected one of 2 parts, as part is"},
	{ENCODED, SECOND, {{HEAD, 11, 4, WITH(U32("\1"))}}, SHEAF_USAGE, "expected each part once"},
	{ENCODED,
     SECOND,
     {{HEAD, 19, 4, WITH(U32("\2"))}, {HEAD, 23, 0, WITH(SOME_TEXT ALL_64 ALL_64 ALL_64 ALL_64 ALL_64)}},
     SHEAF_DATA,
     "expected a part of 1 inputs, as part is, found one of 2"},
	{ENCODED, SECOND, {{HEAD, -69, 1, WITH("\1")}}, SHEAF_DATA, "expected a part of the same input"},
	{ENCODED, SECOND, {{HEAD, -54, 1, WITH("\x55")}}, SHEAF_DATA, "expected a part of the same input"},
	{ENCODED, SECOND, {{HEAD, -46, 1, WITH("\x55")}}, SHEAF_DATA, "expected a part of the same input"},
	{ENCODED, SECOND, {{HEAD, -38, 1, WITH("\x55")}}, SHEAF_DATA, "expected a part of the same input"},
	{ENCODED,
     SECOND,
     {{HEAD, -30, 1, WITH("\x55")}},
     SHEAF_DATA,
     "expected a part made with the streams or columns"},
	{ENCODED,
     BOTH,
     {{HEAD, -30, 1, WITH("\x55")}},
     SHEAF_DATA,
     "was made with, found others: what declares them was changed"},
	{HASHED, BOTH, {{HEAD, -5, 1, WITH("\x55")}}, SHEAF_DATA, "found others: what declares them"},
	{INDEXED,
     BOTH,
     {{HEAD, -5, 1, WITH("\x55")}},
     SHEAF_DATA,
     "was made with, found others: what declares them was changed"},
	{ENCODED, SECOND, {{COMMON, 20, 1, WITH("\x55")}}, SHEAF_DATA, "expected a part made with the borders"},
	{ENCODED, SECOND, {{HEAD, -3, 1, WITH("D")}}, SHEAF_DATA, "found other options: with rows-are=encodeD"},
	{ENCODED, SECOND, {{COMMON, 36, 1, WITH("\1")}}, SHEAF_DATA, "expected a part made with the borders"},
	{ENCODED, SECOND, {{COMMON, -1, 0, WITH("\0")}}, SHEAF_DATA, "expected a part made with the borders"},
	{ENCODED, FIRST, {{COMMON, -1, 1, NULL, 0}}, SHEAF_DATA, "expected a part made with the borders"},
	{NOTHING, BOTH, {{HEAD, -41, 1, WITH("\x55")}}, SHEAF_DATA, "found it changed since"},
	{HASHED, BOTH, {{HEAD, -13, 1, WITH("\x55")}}, SHEAF_DATA, "found it changed since"},
	{INDEXED, BOTH, {{HEAD, -13, 1, WITH("\x55")}}, SHEAF_DATA, "found it changed since"},
	{STREAMS, BOTH, {{HEAD, -38, 1, WITH("\x55")}}, SHEAF_DATA, "found it changed since"},

	/* What is common, and the options, which all have in common, too. */
	{ENCODED, BOTH, {{COMMON, 0, 4, WITH(U32("\2"))}}, SHEAF_DATA, "(mark of rows)"},
	{ENCODED, BOTH, {{COMMON, 0, 4, WITH(U32("\1"))}}, SHEAF_DATA, "(sums of bytes and rows)"},
	{ROWS, BOTH, {{COMMON, 0, 4, WITH(U32("\0"))}}, SHEAF_DATA, "(sums of bytes and rows)"},
	{ENTRIES,
     BOTH,
     {{COMMON, 0, 4, WITH(U32("\0"))}, {OWN, 116, 40, WITH(I64("\0"))}},
     SHEAF_DATA,
     "(rows that are encoded apart)"},
	{ENCODED, BOTH, {{COMMON, 28, 8, WITH(I64("\x2f"))}}, SHEAF_DATA, "(what is common)"},
	{ENCODED, BOTH, {{COMMON, -1, 1, NULL, 0}}, SHEAF_DATA, "(what is common)"},
	{ENCODED, BOTH, {{COMMON, -1, 0, WITH("\0")}}, SHEAF_DATA, "(what is common)"},
	{ENCODED, BOTH, {{COMMON, 36, 4, WITH(U32("\2"))}}, SHEAF_DATA, "(options)"},
	{ENCODED, BOTH, {{COMMON, 36, 4, WITH(U32("\1"))}}, SHEAF_DATA, "(a format that is copied without rows)"},
	{NOTHING, BOTH, {{COMMON, 36, 4, WITH(U32("\0"))}}, SHEAF_DATA, "(a format that is copied without rows)"},
	{ENCODED, BOTH, {{COMMON, 40, 4, WITH(U32("\2"))}}, SHEAF_DATA, "(options)"},
	{ENCODED, BOTH, {{COMMON, 76, 8, WITH(I64("\2"))}}, SHEAF_DATA, "(options)"},
	{ENCODED,
     BOTH,
     {{HEAD, -22, 3, WITH("xyz")}},
     SHEAF_UNKNOWN,
     "expected a format that this build has, found xyz"},
	{ENCODED, BOTH, {{HEAD, -25, 1, WITH("T")}}, SHEAF_DATA, "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x23"))}, {HEAD, -22, 0, WITH("duplicates=2\n")}},
     SHEAF_OK,
     NULL},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x23"))}, {HEAD, -22, 0, WITH("duplicates=3\n")}},
     SHEAF_DATA,
     "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x23"))}, {HEAD, -22, 0, WITH("duplicates=x\n")}},
     SHEAF_DATA,
     "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x24"))}, {HEAD, -22, 0, WITH("duplicates=2x\n")}},
     SHEAF_DATA,
     "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x2c"))}, {HEAD, -22, 0, WITH("duplicates=4294967296\n")}},
     SHEAF_DATA,
     "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x22"))}, {HEAD, -22, 0, WITH("allow=large\n")}},
     SHEAF_OK,
     NULL},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x21"))}, {HEAD, -22, 0, WITH("allow=loss\n")}},
     SHEAF_DATA,
     "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x1e"))}, {HEAD, -22, 0, WITH("skip=-1\n")}},
     SHEAF_DATA,
     "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x18"))}, {HEAD, -1, 1, WITH("\nx\n")}},
     SHEAF_USAGE,
     "--x: expected an option that"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x1b"))}, {HEAD, -22, 0, WITH("skip\n")}},
     SHEAF_DATA,
     "(options)"},
	{ENTRIES,
     BOTH,
     {{HEAD, -26, 4, WITH(U32("\x1e"))}, {HEAD, -22, 0, WITH("matrix=\n")}},
     SHEAF_DATA,
     "(options)"},
	{HASHED, BOTH, {{COMMON, -1, 1, NULL, 0}}, SHEAF_DATA, "(what is common)"},
	{HASHED, BOTH, {{COMMON, 0, 0, WITH("\0")}}, SHEAF_DATA, "(what is common)"},
	{HASHED,
     BOTH,
     {{HEAD, 16, 4, WITH(U32("\2"))}, {HEAD, 20, 0, WITH(SOME_TEXT ALL_64 ALL_64 ALL_64 ALL_64 ALL_64)}},
     SHEAF_DATA,
     "(what is common)"},

	/* Words and numbers of which only some have a meaning. */
	{ENCODED, FIRST, {{OWN, 60, 4, WITH(U32("\2"))}}, SHEAF_DATA, "(numbers of its rows)"},
	{ENCODED, FIRST, {{OWN, 64, 4, WITH(U32("\7"))}}, SHEAF_DATA, "(numbers of its rows)"},
	{ENCODED, FIRST, {{OWN, 64, 4, WITH(U32("\6"))}}, SHEAF_OK, NULL},
	{ENCODED, FIRST, {{OWN, 76, 8, WITH(ALL_64)}}, SHEAF_DATA, "(numbers of its rows)"},
	{ENCODED,
     FIRST,
     {{OWN, 100, 8, WITH("\xfe" ALL_32 "\xff\xff\xff")}},
     SHEAF_DATA,
     "(numbers of its rows)"},
	{HASHED, BOTH, {{COMMON, 0, 4, WITH(U32("\2"))}}, SHEAF_DATA, "(mark of rows)"},
	{HASHED, FIRST, {{OWN, 0, 4, WITH(U32("\2"))}}, SHEAF_DATA, "(mark of the whole)"},
	{INDEXED, FIRST, {{OWN, 84, 4, WITH(U32("\2"))}}, SHEAF_DATA, "(mark of counts)"},
	{INDEXED, FIRST, {{OWN, 96, 8, WITH(I64("\2"))}}, SHEAF_DATA, "(marks of keys)"},

	{ENCODED, BOTH, {{OWN, 76, 8, WITH(MOST_64)}}, SHEAF_DATA, "(numbers of its rows)"},
	{HASHED, BOTH, {{OWN, 12, 16, WITH(I64("\0") MOST_64)}}, SHEAF_DATA, "(its rows)"},

	/* The rows of a part of a conversion. */
	{ENCODED, FIRST, {{OWN, 12, 8, WITH(ALL_64)}}, SHEAF_DATA, "(its rows)"},
	{ENCODED, FIRST, {{OWN, 12, 8, WITH(MOST_64)}}, SHEAF_DATA, "(its rows)"},
	{ENCODED,
     FIRST,
     {{OWN, 12, 8, WITH(I64("\1"))}},
     SHEAF_STALE,
     "expected the rows that the other parts leave"},
	{ENCODED, FIRST, {{OWN, 20, 8, WITH(ALL_64)}}, SHEAF_DATA, "(its rows)"},
	{ENCODED, FIRST, {{OWN, 20, 8, WITH(I64("\1"))}}, SHEAF_DATA, "(numbers of its rows)"},
	{ENCODED, FIRST, {{OWN, 28, 8, WITH(MOST_64)}}, SHEAF_DATA, "(what it has of an input)"},
	{ENCODED, FIRST, {{OWN, 36, 8, WITH(MOST_64)}}, SHEAF_DATA, "(what it has of an input)"},
	{ENCODED, FIRST, {{OWN, 44, 8, WITH(MOST_64)}}, SHEAF_DATA, "(what it has of an input)"},
	{ENCODED, FIRST, {{OWN, 52, 8, WITH(I64("\x2f"))}}, SHEAF_DATA, "(what is its own)"},
	{ENCODED, FIRST, {{OWN, -1, 1, NULL, 0}}, SHEAF_DATA, "(what is its own)"},
	{ENCODED, FIRST, {{OWN, -1, 0, WITH("\0")}}, SHEAF_DATA, "(what is its own)"},
	{ARRAY,
     BOTH,
     {{COMMON, 44, 8, WITH(I64("\5"))}},
     SHEAF_STALE,
     "expected the rows that the other parts leave"},
	{STREAMS, FIRST, {{OWN, -16, 8, WITH(I64("\1"))}}, SHEAF_OK, NULL},
	{STREAMS,
     BOTH,
     {{OWN, -16, 8, WITH(I64("\1"))}},
     SHEAF_STALE,
     "expected the rows that the other parts leave"},
	{STREAMS,
     BOTH,
     {{COMMON, 68, 8, WITH(I64("\1"))}},
     SHEAF_STALE,
     "expected the rows that the other parts leave"},
	{ROWS, FIRST, {{OWN, 52, 8, WITH(ALL_64)}}, SHEAF_DATA, "(bytes and rows)"},
	{ROWS, FIRST, {{OWN, 52, 8, WITH(MOST_64)}}, SHEAF_DATA, "(bytes and rows)"},
	{ROWS, FIRST, {{OWN, 52, 2, WITH("\xff\0")}}, SHEAF_DATA, "(sums of bytes and rows)"},
	{ROWS, FIRST, {{OWN, 60, 8, WITH(ALL_64)}}, SHEAF_DATA, "(bytes and rows)"},
	{ROWS, FIRST, {{OWN, 60, 8, WITH(I64("\x0d"))}}, SHEAF_DATA, "(bytes and rows)"},
	{ROWS, FIRST, {{OWN, 60, 8, WITH(I64("\0"))}}, SHEAF_DATA, "(sums of bytes and rows)"},
	{ROWS,
     SECOND,
     {{OWN, 12, 16, WITH(I64("\0") MOST_64)},
      {OWN, 60, 8, WITH("\xfe" ALL_32 "\xff\xff\x7f")},
      {OWN, -40, 8, WITH(MOST_64)}},
     SHEAF_DATA,
     "(its rows)"},
	{ROWS,
     FIRST,
     {{OWN, 20, 8, WITH(I64("\4"))}, {OWN, 60, 8, WITH(I64("\3"))}, {OWN, -40, 8, WITH(I64("\4"))}},
     SHEAF_DATA,
     "(rows)"},
	{ROWS, FIRST, {{PAYLOAD, 0, 8, WITH(I64("\2"))}}, SHEAF_DATA, "(rows)"},

	/* Findings. */
	{ROWS, FIRST, {{OWN, 28, 8, WITH(FINDING("\1", "\5", SOME_TEXT, SOME_TEXT, SOME_TEXT))}}, SHEAF_OK, NULL},
	{ROWS, FIRST, {{OWN, 28, 8, WITH(FINDING("\1", "\6", SOME_TEXT, SOME_TEXT, SOME_TEXT))}}, SHEAF_OK, NULL},
	{ROWS, FIRST, {{OWN, 28, 8, WITH(FINDING("\1", "\7", SOME_TEXT, SOME_TEXT, SOME_TEXT))}}, SHEAF_OK, NULL},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\x08", SOME_TEXT, SOME_TEXT, SOME_TEXT))}},
     SHEAF_LOSS,
     "found loss: t (1)"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\4", "\5", SOME_TEXT, SOME_TEXT, SOME_TEXT))}},
     SHEAF_DATA,
     "expected t, found t"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\5", "\5", SOME_TEXT, SOME_TEXT, SOME_TEXT))}},
     SHEAF_DATA,
     "expected sound findings"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\0", SOME_TEXT, SOME_TEXT, SOME_TEXT))}},
     SHEAF_DATA,
     "expected sound findings"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\4", SOME_TEXT, SOME_TEXT, SOME_TEXT))}},
     SHEAF_DATA,
     "expected sound findings"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\x09", SOME_TEXT, SOME_TEXT, SOME_TEXT))}},
     SHEAF_DATA,
     "expected sound findings"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\5", NO_TEXT, SOME_TEXT, SOME_TEXT))}, {OWN, 28, 1, WITH("\x5a")}},
     SHEAF_DATA,
     "expected sound findings"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\5", SOME_TEXT, NO_TEXT, SOME_TEXT))}, {OWN, 28, 1, WITH("\x5a")}},
     SHEAF_DATA,
     "expected sound findings"},
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\5", SOME_TEXT, SOME_TEXT, NO_TEXT))}, {OWN, 28, 1, WITH("\x5a")}},
     SHEAF_DATA,
     "expected sound findings"},
	{ROWS, FIRST, {{OWN, 28, 8, WITH(I64("\1") "x")}}, SHEAF_DATA, "expected sound findings"},

	/* A part of a reading. */
	{KEPT, FIRST, {{OWN, 44, 8, WITH(MOST_64)}}, SHEAF_DATA, "(what it has of an input)"},
	{KEPT, FIRST, {{OWN, -1, 0, WITH("\0")}}, SHEAF_DATA, "(what is its own)"},
	{KEPT, FIRST, {{OWN, -1, 1, NULL, 0}}, SHEAF_DATA, "(what is its own)"},
	{KEPT, FIRST, {{OWN, 52, 8, WITH(ALL_64)}}, SHEAF_DATA, "(bytes and rows)"},
	{KEPT, FIRST, {{OWN, 60, 8, WITH(ALL_64)}}, SHEAF_DATA, "(bytes and rows)"},
	{KEPT, FIRST, {{PAYLOAD, 0, 8, WITH(I64("\2"))}}, SHEAF_DATA, "(rows)"},
	{HASHED, FIRST, {{OWN, 36, 8, WITH(I64("\1") "x")}}, SHEAF_DATA, "(review)"},
	{HASHED, FIRST, {{OWN, 4, 4, WITH(U32("\1"))}}, SHEAF_DATA, "(a status)"},
	{HASHED, FIRST, {{OWN, 4, 4, WITH(U32("\4"))}}, SHEAF_DATA, "(a status)"},
	{HASHED, FIRST, {{OWN, 4, 4, WITH(U32("\x08"))}}, SHEAF_DATA, "(a status)"},
	{HASHED, FIRST, {{OWN, 0, 61, WITH(U32("\0"))}}, SHEAF_DATA, "(a status)"},
	{HASHED, FIRST, {{OWN, 4, 4, WITH(U32("\5"))}}, SHEAF_DATA, "(what is its own)"},
	{HASHED, FIRST, {{OWN, 4, 8, WITH(U32("\5") SOME_TEXT)}}, SHEAF_DATA, "t"},
	{HASHED, FIRST, {{OWN, 4, 8, WITH(U32("\6") SOME_TEXT)}}, SHEAF_SHORT, "t"},
	{HASHED, FIRST, {{OWN, 4, 8, WITH(U32("\7") SOME_TEXT)}}, SHEAF_UNSUPPORTED, "t"},
	{INDEXED, FIRST, {{OWN, 60, 8, WITH(I64("\3"))}}, SHEAF_DATA, "(pieces)"},
	{INDEXED, FIRST, {{OWN, 52, 8, WITH(I64("\1"))}, {OWN, 61, 59, NULL, 0}}, SHEAF_DATA, "(pieces)"},
	{INDEXED, FIRST, {{OWN, 68, 8, WITH(I64("\1"))}}, SHEAF_DATA, "(counts)"},
	{INDEXED, FIRST, {{OWN, 76, 8, WITH(ALL_64)}}, SHEAF_DATA, "(counts)"},
	{INDEXED, FIRST, {{OWN, 76, 8, WITH(I64("\2"))}}, SHEAF_DATA, "(counts)"},
	{INDEXED, FIRST, {{OWN, 52, 8, WITH(I64("\x3d"))}, {OWN, 120, 0, WITH("\0")}}, SHEAF_DATA, "(counts)"},
	{INDEXED,
     SECOND,
     {{OWN, 52, 8, WITH(I64("\x1c"))}, {OWN, 76, 8, WITH(I64("\0"))}, {OWN, 88, 32, NULL, 0}},
     SHEAF_DATA,
     "(counts of all pieces)"},
	{HASHED, FIRST, {{END, 0, 16, WITH(I64("\x3f") I64("\xba"))}}, SHEAF_DATA, "(its end)"},
	{HASHED, BOTH, {{COMMON, 4, 24, NULL, 0}}, SHEAF_DATA, "(what is common)"},
	{HASHED, FIRST, {{OWN, 53, 8, NULL, 0}}, SHEAF_DATA, "(what is its own)"},
	{INDEXED, SECOND, {{OWN, 52, 8, WITH(I64("\x3d"))}, {OWN, 120, 0, WITH("\0")}}, SHEAF_DATA, "(counts)"},
	/* the last text is cut off */
	{ROWS,
     FIRST,
     {{OWN, 28, 8, WITH(FINDING("\1", "\5", SOME_TEXT, SOME_TEXT, SOME_TEXT))},
      {OWN, 28, 1, WITH("\x57")},
      {OWN, 123, 4, NULL, 0}},
     SHEAF_DATA,
     "expected sound findings"},
};

static void changes_are_refused(void **state)
{
	(void)state;
	write_inputs();
	for (size_t i = 0; i < COUNT(changes); i++) check_change(&changes[i]);
}

enum { NOTHING_READ, FRAME_READ, ALL_READ, PART_BEGUN, PARTS_TAKEN };

/* A dataset of which something was read has no part, and takes none; a part that was not read to its end is
 * none. */
static void what_was_read_is_not_read_in_parts(void **state)
{
	(void)state;
	const sheaf_frame *frame;
	sheaf_parts *merged;
	bytes_sink parts[2] = {{0}, {0}}, bytes = {0};
	sheaf_part_outcome outcome = {.size = sizeof outcome, .job = "hash"};
	write_inputs();
	cx = new_context(HASHED);
	for (int p = 0; p < 2; p++) make_part(HASHED, p, &parts[p]);
	sheaf_source *const sources[2] = {part_source(&parts[0]), part_source(&parts[1])};
	assert_ok(sheaf_parts_open(sources, 2, cx, &merged, &err));
	for (unsigned how = NOTHING_READ; how <= PARTS_TAKEN; how++) {
		sheaf_sink *sink;
		sheaf_dataset *dataset = open_input(HASHED);
		if (how == FRAME_READ) assert_ok(sheaf_next(dataset, &frame, &err));
		if (how == ALL_READ) assert_ok(read_all(dataset));
		if (how == PART_BEGUN) {
			assert_ok(open_part_sink(&bytes, cx, &sink, &err));
			assert_ok(sheaf_dataset_take_part(dataset, "1/2", SHEAF_PART_NUMBERED, sink, &err));
			outcome.size--;
			assert_status(SHEAF_USAGE, sheaf_dataset_finish_part(dataset, &outcome, &err));
			assert_message("part outcome: expected size");
			outcome.size++;
			assert_status(SHEAF_USAGE, sheaf_dataset_finish_part(dataset, &outcome, &err));
			assert_message("expected a part that was read to its end");
		}
		if (how == PARTS_TAKEN) assert_ok(sheaf_dataset_take_parts(dataset, merged, &err));
		if (how != PART_BEGUN) {
			assert_status(SHEAF_USAGE, sheaf_dataset_finish_part(dataset, &outcome, &err));
			assert_message("expected a part that was read to its end");
		}
		if (how != NOTHING_READ) {
			assert_status(SHEAF_USAGE, sheaf_dataset_take_parts(dataset, merged, &err));
			assert_message("expected a dataset of which nothing has been read");
			assert_ok(open_part_sink(&bytes, cx, &sink, &err));
			assert_status(SHEAF_USAGE,
			              sheaf_dataset_take_part(dataset, "1/2", SHEAF_PART_NUMBERED, sink, &err));
			assert_message("expected a dataset of which nothing has been read");
		}
		if (how == NOTHING_READ) {
			assert_status(SHEAF_USAGE,
			              sheaf_dataset_take_part(dataset, "1/2", SHEAF_PART_NUMBERED, NULL, &err));
			assert_message("expected a sink, found none");
			for (int given = 0; given < 2; given++) {
				assert_ok(open_part_sink(&bytes, cx, &sink, &err));
				assert_status(SHEAF_USAGE,
				              sheaf_dataset_take_part(given ? dataset : NULL, given ? NULL : "1/2",
				                                      SHEAF_PART_NUMBERED, sink, &err));
				assert_message("expected a dataset and a part, found none");
			}
		}
		sheaf_close(dataset);
	}
	sheaf_parts_close(merged);
	free_bytes(&bytes);
	for (int p = 0; p < 2; p++) free_bytes(&parts[p]);
	end_context(cx);
}

/* The sources of a call that is refused are closed: the context finds any memory that is left. */
static void refused_sources_are_closed(void **state)
{
	(void)state;
	sheaf_parts *merged;
	bytes_sink parts[2] = {{0}, {0}};
	static const sheaf_open_options csv = {.format = "csv"}, old = {.size = 1};
	const struct {
		const char *output;
		bool has_context;
		const sheaf_open_options *open;
		const char *told;
	} refused[] = {{NULL, true, NULL, "a path for the output"},
	               {"b.csv", false, NULL, "a context"},
	               {"b.csv", true, &old, "open options: expected size"},
	               {"b.csv", true, &csv, "expected no such option with part files"}};
	write_inputs();
	cx = new_context(ENCODED);
	for (int p = 0; p < 2; p++) make_part(ENCODED, p, &parts[p]);
	for (size_t i = 0; i < COUNT(refused); i++) {
		sheaf_source *const sources[2] = {part_source(&parts[0]), part_source(&parts[1])};
		const sheaf_split_options options = {.open = refused[i].open, .sources = sources};
		const char *output = refused[i].output ? in_folder(refused[i].output) : NULL;
		sheaf_context *context = refused[i].has_context ? cx : NULL;
		assert_status(SHEAF_USAGE, sheaf_merge(NULL, 2, output, &options, context, NULL, &err));
		assert_message(refused[i].told);
	}
	for (int i = 0; i < 2; i++) {
		sheaf_source *const sources[2] = {part_source(&parts[0]), part_source(&parts[1])};
		assert_status(SHEAF_USAGE, sheaf_parts_open(sources, 2, i ? cx : NULL, i ? NULL : &merged, &err));
	}
	for (int p = 0; p < 2; p++) free_bytes(&parts[p]);
	end_context(cx);
}

/* Programs may give a part any job and any state. */
static void the_command_merges_what_it_has_made(void **state)
{
	(void)state;
	static const struct {
		const char *job, *output;
		int code;
		const char *told;
	} rows[] = {{"mine", "", 6, "expected parts of a command that works in parts, found mine"},
	            {"report", "out.html", 4, "expected the report of a part, found it damaged"},
	            {"hash", "", 4, "hash: expected one of the same columns, found another"}};
	write_inputs();
	cx = new_context(HASHED);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char command[600];
		job_of_readings = rows[i].job;
		for (int p = 0; p < 2; p++) {
			bytes_sink part = {0};
			make_part(HASHED, p, &part);
			write_file(p ? "2.part" : "1.part", (const char *)part.data, part.size);
			free_bytes(&part);
		}
		snprintf(command, sizeof command, "cd %s && '%s' merge 1.part 2.part %s 2>said", folder,
		         getenv("SHEAF"), rows[i].output);
		assert_int_equal(system(command), rows[i].code << 8);
		bytes_sink said = read_file("said");
		assert_non_null(memmem(said.data, said.size, rows[i].told, strlen(rows[i].told)));
		free_bytes(&said);
	}
	job_of_readings = "hash";
	end_context(cx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changes_are_refused, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(what_was_read_is_not_read_in_parts, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(refused_sources_are_closed, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(the_command_merges_what_it_has_made, make_folder, remove_folder),
	};
	return cmocka_run_group_tests_name("part_bytes", tests, NULL, NULL);
}
