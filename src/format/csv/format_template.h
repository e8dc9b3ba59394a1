/* SPDX-License-Identifier: MIT */
/* The table entry of a format of this family, from its own parts: FORMAT, NAME, SUMMARY, SUFFIXES, KIND,
 * and OPTIONS besides the common ones. Each includes this once. */
#include "format/csv/delimited.h"
#include <string.h>

static const char *const suffixes[] = {SUFFIXES, NULL};

static const sheaf_delimited_kind kind = KIND;

static const sheaf_option options[] = {
	{"columns", SHEAF_OPTION_TEXT, SHEAF_READING, "NAME:TYPE[ null],...",
     "declare the columns: by the names of the header, or by position", 0},
	{"header", SHEAF_OPTION_CHOICE, SHEAF_READING | SHEAF_WRITING, "auto|yes|no",
     "whether the first line has names (auto, the default: if it looks like it)", 0},
	{"delimiter", SHEAF_OPTION_TEXT, SHEAF_READING | SHEAF_WRITING, "BYTE",
     "the byte that separates fields, or tab, comma, semicolon, pipe, space", 0},
	{"decimal", SHEAF_OPTION_CHOICE, SHEAF_READING | SHEAF_WRITING, "point|comma",
     "the decimal sign of numbers; with a comma, fields are separated by semicolons", 0},
	{"quoted", SHEAF_OPTION_CHOICE, SHEAF_READING, "text|any|no",
     "what a field in quotes may be: only text (the default, if there are quotes), or anything; no: quotes "
     "are ordinary characters",
     0},
	{"fill", SHEAF_OPTION_FLAG, SHEAF_READING, NULL, "fill rows that are too short with missing values", 0},
	{"missing", SHEAF_OPTION_TEXT, SHEAF_READING, "WORD,...",
     "words for missing values, besides null, \\N, ?n and an empty field: NA,NULL", 0},
	{"null", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "null|\\N|NA|NULL|empty|?n",
     "how to write missing values (empty is the default, NA in a table of one column); codes other than 0 "
     "are always ?n",
     0},
	{"code-columns", SHEAF_OPTION_FLAG, SHEAF_WRITING, NULL,
     "write the codes of missing values to columns of their own", 0},
	{"layout", SHEAF_OPTION_CHOICE, SHEAF_WRITING, "wide|long|lists",
     "how sequences become rows: wide: one for each sample, with a column for each value of its dense "
     "streams "
     "(default for several streams); long: one for each value; lists: one for each sequence, with lists of "
     "JSON "
     "in cells",
     0},
	SHEAF_ENCODING_OPTION,
	OPTIONS{NULL, SHEAF_OPTION_FLAG, 0, NULL, NULL, 0},
};

static sheaf_likely probe(sheaf_glimpse *at) { return sheaf_delimited_probe(at, &kind, suffixes); }

static sheaf_status open_reader(void *reader, const sheaf_values *values, const sheaf_opening *how,
                                sheaf_error *err)
{
	return sheaf_delimited_open(reader, &kind, values, how, err);
}

static sheaf_status create(void *out, const sheaf_facts *totals, const sheaf_values *values, sheaf_error *err)
{
	(void)totals;
	return sheaf_delimited_create(out, &kind, values, err);
}

static const sheaf_layout_samples layouts[] = {
	{"wide", SHEAF_SAMPLES_WIDE},
	{"long", SHEAF_SAMPLES_LONG},
	{"lists", SHEAF_SAMPLES_LISTS},
	{NULL, SHEAF_SAMPLES_SEVERAL},
};

static const sheaf_random_access random_access = {
	.recall = sheaf_delimited_recall,
	.resumes = true,
};

static const sheaf_writing writing = {
	.takes = SHEAF_TAKES_CELLS | SHEAF_TAKES_ENTRIES,
	.layouts = layouts,
	.accept = sheaf_delimited_accept,
	.output_size = sizeof(sheaf_delimited_writer),
	.create = create,
	.encode = sheaf_delimited_encode,
	.finish = sheaf_delimited_finish,
	.close = sheaf_delimited_close_output,
};

static const sheaf_model model = {
	.describe = sheaf_delimited_describe,
	.declare = sheaf_delimited_declare,
};

const sheaf_format FORMAT = {
	.name = NAME,
	.summary = SUMMARY,
	.suffixes = suffixes,
	.text = SHEAF_TEXT_OF_TEXTS,
	.options = options,
	.random = &random_access,
	.write = &writing,
	.model = &model,
	.probe = probe,
	.reader_size = sizeof(sheaf_delimited_reader),
	.open = open_reader,
	.cut = sheaf_delimited_cut,
	.decode = sheaf_delimited_decode,
	.rewind = sheaf_delimited_rewind,
	.close = sheaf_delimited_close,
};
