/* SPDX-License-Identifier: MIT */
/* What a format keeps: found by writing small examples in it and reading them back.
 *
 * A table of features that somebody has to maintain would be wrong soon, so each feature has an example here,
 * and whether a format keeps it is what happens: the example becomes a file in memory, of which a second
 * reading is compared with the example. It is kept, or changed in a way that the first difference shows, or
 * written and not read again, or lost, or refused. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "dataset/dataset.h"
#include "frame/frame.h"
#include "job/conversion.h"

#include <sheaf/dataset.h>
#include <stdio.h>
#include <string.h>

/* An example of a feature that data may have: lines of JSON, in which ' stands for ". */
typedef struct example {
	const char *feature;
	const char *kind;    /* kind of rows: "sequences", "cells" */
	const char *columns; /* each with a comma after it */
	const char *rows;
	const char *coordinates; /* of a tensor; NULL: it is no tensor */
	bool keys;               /* they are the feature */
	bool symmetric;          /* a matrix to be stored with that structure */
} example;

#define COLUMN(name, storage, type, more) \
	"{'name':'" name "','storage':'" storage "','type':'" type "'" more "},"
#define DENSE(name, type) COLUMN(name, "dense", type, ",'dim':1")
#define SPARSE(name) COLUMN(name, "sparse", "float32", ",'dim':4")
#define CELL(name, storage, type) COLUMN(name, storage, type, "")
#define NULLABLE(name, storage, type) COLUMN(name, storage, type, ",'null':true")
#define MATRIX(storage, type) \
	CELL("i", "values", "int64") CELL("j", "values", "int64") CELL("v", storage, type)
#define TENSOR CELL("k", "values", "int64") MATRIX("values", "float64")

/* Names of streams show, to formats that need it, which is an input and which a target. Numbers are such that
 * a narrower type shows: 9007199254740993 is no float64, and 0.1 is another number as float32. */
static const example examples[] = {
	{"a dense stream", "sequences", DENSE("x.input", "float32"),
     "{'key':0,'streams':{'x.input':[[1]]}}\n{'key':1,'streams':{'x.input':[[2.5]]}}\n"},
	{"a label and sparse features", "sequences", DENSE("label", "float32") SPARSE("features"),
     "{'key':0,'streams':{'label':[[1]],'features':[[[0,0.5],[3,2]]]}}\n"
     "{'key':1,'streams':{'label':[[-1]],'features':[[[2,4]]]}}\n"},
	{"several dense streams", "sequences", DENSE("x.input", "float32") DENSE("y.target", "float32"),
     "{'key':0,'streams':{'x.input':[[1]],'y.target':[[2]]}}\n"
     "{'key':1,'streams':{'x.input':[[3]],'y.target':[[4]]}}\n"},
	{"several sparse streams", "sequences", SPARSE("x.input") SPARSE("y.target"),
     "{'key':0,'streams':{'x.input':[[[1,2]]],'y.target':[[[3,4]]]}}\n"
     "{'key':1,'streams':{'x.input':[[[3,1]]],'y.target':[[[0,4]]]}}\n"},
	{"sequences of several samples", "sequences", DENSE("x.input", "float32"),
     "{'key':0,'streams':{'x.input':[[1],[2]]}}\n{'key':1,'streams':{'x.input':[[3]]}}\n"},
	{"float64 values in streams", "sequences", DENSE("x.input", "float64"),
     "{'key':0,'streams':{'x.input':[[0.1]]}}\n{'key':1,'streams':{'x.input':[[2.5]]}}\n"},
	{"keys of sequences", "sequences", DENSE("x.input", "float32"),
     "{'key':3,'streams':{'x.input':[[1]]}}\n{'key':5,'streams':{'x.input':[[2]]}}\n", .keys = true},
	{"columns of numbers", "cells", CELL("a", "values", "int64") CELL("b", "values", "float64"),
     "{'a':9007199254740993,'b':0.1}\n{'a':2,'b':2.5}\n"},
	{"columns of text", "cells", CELL("a", "values", "int64") CELL("b", "text", "uint8"),
     "{'a':1,'b':'one, two'}\n{'a':2,'b':''}\n"},
	{"truth values", "cells", CELL("a", "bool", "uint8"), "{'a':true}\n{'a':false}\n"},
	{"times", "cells", CELL("a", "datetime", "int64"),
     "{'a':'2012-05-25T14:13:29'}\n{'a':'1969-12-31T23:59:59'}\n"},
	{"dates", "cells", CELL("a", "date", "int64"), "{'a':'2012-05-25'}\n{'a':'1969-12-31'}\n"},
	{"times of day", "cells", CELL("a", "time[ms]", "int64"), "{'a':'14:13:29.500'}\n{'a':'00:00:00'}\n"},
	{"missing values", "cells", NULLABLE("a", "values", "float64") NULLABLE("b", "text", "uint8"),
     "{'a':1.5,'b':null}\n{'a':null,'b':'x'}\n"},
	{"reasons for missing values", "cells", NULLABLE("a", "values", "float64"),
     "{'a':1.5}\n{'a':{'null':5}}\n"},
	{"complex numbers in columns", "cells", CELL("a", "complex", "float64"), "{'a':[1,2]}\n{'a':[0,-1]}\n"},
	{"a sparse matrix", "cells", MATRIX("values", "float64"),
     "{'i':0,'j':1,'v':0.1}\n{'i':2,'j':0,'v':2.5}\n", "i,j"},
	{"a dense matrix", "cells", MATRIX("values", "float64"),
     "{'i':0,'j':0,'v':0.5}\n{'i':0,'j':1,'v':1.5}\n{'i':1,'j':0,'v':2.5}\n{'i':1,'j':1,'v':3.5}\n", "i,j"},
	{"integers in a matrix", "cells", MATRIX("values", "int64"),
     "{'i':0,'j':1,'v':9007199254740993}\n{'i':2,'j':0,'v':2}\n", "i,j"},
	{"complex numbers in a matrix", "cells", MATRIX("complex", "float64"),
     "{'i':0,'j':1,'v':[1,2]}\n{'i':1,'j':0,'v':[0,-1]}\n", "i,j"},
	{"a symmetric matrix as its triangle", "cells", MATRIX("values", "float64"),
     "{'i':0,'j':0,'v':1.5}\n{'i':0,'j':1,'v':2.5}\n{'i':1,'j':0,'v':2.5}\n", "i,j", .symmetric = true},
	{"tensors of three dimensions", "cells", TENSOR,
     "{'k':0,'i':1,'j':0,'v':0.5}\n{'k':2,'i':0,'j':1,'v':2.5}\n", "k,i,j"},
};

/* ---- trying one ---- */

typedef struct trial {
	const sheaf_format *format;
	const example *example;
	sheaf_bytes text; /* of the example */
	sheaf_context *cx;
	sheaf_builder bytes;
	sheaf_buffer written;
	sheaf_feature *out;
} trial;

/* Opens the example as rows of the kinds that `rows` allows, of which the format takes one; 0: as they are.
 * A tensor is named by its coordinates. */
static sheaf_status open_example(const trial *t, unsigned rows, sheaf_dataset **out, sheaf_error *err)
{
	sheaf_source *source;
	const sheaf_tensor_options tensor = {.coordinates = t->example->coordinates};
	const sheaf_sequence_options sequences = {.samples = rows ? sheaf_samples_of(t->format, NULL, 0)
	                                                          : SHEAF_SAMPLES_NOT};
	const sheaf_open_options given = {
		.rows = rows, .tensor = &tensor, .sequences = &sequences, .index = SHEAF_INDEX_NEVER};
	sheaf_open_options open;
	SHEAF_TRY(sheaf_take_open_options(__func__, &given, &open, err));
	SHEAF_TRY(sheaf_source_memory(t->text, "example", t->cx, &source, err));
	return sheaf_open_with(source, &open, true, t->cx, out, err);
}

static int keep_bytes(void *user, const void *data, size_t size)
{
	sheaf_builder_append(&((trial *)user)->bytes, data, size);
	return 0; /* failures appear when the bytes are taken */
}

/* Writes the example into memory, t->written. `with_structure` stores a symmetric matrix as its triangle,
 * which not every format can do. */
static sheaf_status write_example(trial *t, bool with_structure, sheaf_error *err)
{
	sheaf_dataset *rows;
	sheaf_sink *sink;
	sheaf_writer *writer = NULL;
	const sheaf_frame *frame;
	sheaf_structure structure = SHEAF_SYMMETRIC_LOWER;
	sheaf_facts facts = SHEAF_NO_FACTS;
	sheaf_create_options create = {.size = sizeof create,
	                               .format = t->format->name,
	                               .totals = &facts,
	                               .structure = t->example->symmetric && with_structure ? &structure : NULL,
	                               .allow_large = true};
	SHEAF_TRY(open_example(t, sheaf_format_about(t->format).takes, &rows, err));
	sheaf_builder_begin(&t->bytes, t->cx, NULL);
	sheaf_status status = SHEAF_OK;
	if (sheaf_needs_totals(t->format)) status = sheaf_dataset_count(rows, true, true, &facts, err);
	if (status == SHEAF_OK) status = sheaf_sink_function(keep_bytes, t, "output", t->cx, &sink, err);
	if (status == SHEAF_OK)
		status = sheaf_create_sink(sink, sheaf_dataset_schema(rows), &create, t->cx, &writer, err);
	while (status == SHEAF_OK && (status = sheaf_next(rows, &frame, err)) == SHEAF_OK)
		status = sheaf_write(writer, frame, err);
	if (status == SHEAF_END)
		status = sheaf_finish(writer, err);
	else
		sheaf_abandon(writer);
	sheaf_close(rows);
	if (status == SHEAF_OK) return sheaf_builder_finish(&t->bytes, &t->written, err);
	sheaf_builder_drop(&t->bytes);
	return status;
}

/* ---- reading it again ---- */

/* Keeps the first difference as a text, and asks for no more. */
static bool note_difference(void *user, const sheaf_difference *d)
{
	sheaf_feature *out = (sheaf_feature *)user;
	snprintf(out->how, sizeof out->how, "%s%s%s becomes %s", d->stream ? d->stream : "",
	         d->stream ? ": " : "", d->a, d->b);
	return false;
}

/* Compares the example with what was read again, and says whether it was kept. Rows of a table that become
 * entries of a tensor, or the reverse, are not compared. A symmetric matrix of which all entries are written
 * is equal, but its structure is not kept. */
static sheaf_status compare(const trial *t, sheaf_dataset *a, sheaf_dataset *b, sheaf_error *err)
{
	bool equal;
	const sheaf_schema *before = sheaf_dataset_schema(a), *after = sheaf_dataset_schema(b);
	sheaf_diff_options how = {.size = sizeof how,
	                          .keys = t->example->keys,
	                          .types = true,
	                          .on_difference = note_difference,
	                          .user = t->out};
	bool was_tensor = before->rows >= SHEAF_ENTRIES, is_tensor = after->rows >= SHEAF_ENTRIES;
	t->out->kept = SHEAF_CHANGED;
	if (was_tensor != is_tensor || (before->rows != after->rows && !is_tensor)) {
		snprintf(t->out->how, sizeof t->out->how, "%s become %s", sheaf_row_kind_name(before->rows),
		         sheaf_row_kind_name(after->rows));
		return SHEAF_OK;
	}
	SHEAF_TRY(sheaf_diff(a, b, &how, &equal, err));
	if (equal && t->example->symmetric && after->tensor.structure == SHEAF_GENERAL)
		snprintf(t->out->how, sizeof t->out->how, "all entries are written");
	else if (equal)
		t->out->kept = SHEAF_KEPT;
	return SHEAF_OK;
}

/* Reads the written example and compares it with the original. */
static sheaf_status read_again(const trial *t, sheaf_error *err)
{
	sheaf_dataset *a, *b = NULL;
	sheaf_source *source;
	sheaf_bytes bytes = {t->written.data, t->written.size};
	sheaf_open_options open = {.size = sizeof open, .format = t->format->name, .index = SHEAF_INDEX_NEVER};
	SHEAF_TRY(open_example(t, 0, &a, err));
	sheaf_status status = sheaf_source_memory(bytes, "output", t->cx, &source, err);
	if (status == SHEAF_OK) status = sheaf_open_source(source, &open, t->cx, &b, err);
	if (status == SHEAF_OK) status = compare(t, a, b, err);
	sheaf_close(b);
	sheaf_close(a);
	return status;
}

/* Writes and reads one example, and sets the verdict. A failure that says something of the format is the
 * outcome; one of memory or of the system is a failure. The reason is the message without the name that the
 * example or the output has in it; for losses, what is lost. */
static sheaf_status try_example(trial *t, sheaf_error *err)
{
	sheaf_error why = {0};
	sheaf_status status = write_example(t, true, &why);
	bool expands = status == SHEAF_UNSUPPORTED && t->example->symmetric;
	if (expands) status = write_example(t, false, &why);
	sheaf_kept verdict = status == SHEAF_LOSS ? SHEAF_LOST : SHEAF_REFUSED;
	if (status == SHEAF_OK) {
		status = read_again(t, &why);
		verdict = SHEAF_WRITTEN;
	}
	if (status == SHEAF_OK) return SHEAF_OK;
	if (sheaf_is_of_memory(status) || status == SHEAF_IO || status == SHEAF_STOPPED)
		return sheaf_fail_again(err, &why);
	t->out->kept = verdict;
	if (verdict == SHEAF_LOST) sheaf_context_lost(t->cx, t->out->how, sizeof t->out->how);
	size_t name = why.file.size && why.file.at == 0 ? why.file.size + strlen(": ") : 0;
	if (!t->out->how[0]) snprintf(t->out->how, sizeof t->out->how, "%s", why.message + name);
	return SHEAF_OK;
}

/* Finds out what a format does with example i; END after the last one. In the text of the example ' stands
 * for ", and its columns go without the comma after the last one. */
sheaf_status sheaf_format_keeps(const sheaf_format *format, int i, sheaf_feature *out, sheaf_error *err)
{
	enum { MOST_TEXT = 1024 };
	SHEAF_NEED(format, "a format");
	SHEAF_NEED(out, "room for what it keeps");
	*out = (sheaf_feature){0};
	if (i < 0 || (size_t)i >= sizeof examples / sizeof *examples || !sheaf_format_about(format).takes)
		return SHEAF_END;
	const example *e = &examples[i];
	out->name = e->feature;
	char text[MOST_TEXT];
	snprintf(text, MOST_TEXT, "{'sheaf':'schema','rows':'%s','columns':[%.*s]}\n%s", e->kind,
	         (int)strlen(e->columns) - 1, e->columns, e->rows);
	for (char *c = text; *c; c++)
		if (*c == '\'') *c = '"';
	trial t = {.format = format, .example = e, .text = {(const uint8_t *)text, strlen(text)}, .out = out};
	sheaf_context_options options = {.size = sizeof options, .threads = 1};
	SHEAF_TRY(sheaf_context_new(&options, &t.cx, err));
	sheaf_status status = try_example(&t, err);
	static const char *const words[] = {"kept", "changed", "written", "lost", "refused"};
	out->word = words[out->kept];
	sheaf_buffer_reset(&t.written);
	sheaf_context_free(t.cx);
	return status;
}
