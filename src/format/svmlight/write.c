/* SPDX-License-Identifier: MIT */
/* Rows into lines: the label, the query if there is one, the features, the comment. A row is a sequence of
 * one sample; what a sequence has beyond that is a loss, with the row and the stream. */
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/svmlight/svmlight.h"
#include "frame/value.h"
#include "io/sink.h"
#include "number/number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct sheaf_svm_writer {
	SHEAF_BASE(sheaf_output, output);
	int label, features, query, weight, comment; /* fields, or -1 */
	bool many;
	bool costs; /* weights have a name */
	int base;
	char label_name[64], features_name[64];
} sheaf_svm_writer;

/* ---- roles of fields ---- */

enum { QUERY, WEIGHT, COMMENT };

static const sheaf_column_kind columns[] = {
	[QUERY] = {"qid", SHEAF_NUMBER, 0},
	[WEIGHT] = {"weight", SHEAF_NUMBER, 0},
	[COMMENT] = {"comment", SHEAF_STRING, 1},
	{NULL, SHEAF_NUMBER, 0},
};

/* The field of the label, by the setting or by its name; -1: there is none. */
static int find_label(const sheaf_schema *schema, const sheaf_values *values)
{
	const char *name = sheaf_values_text(values, "label");
	if (name) return sheaf_schema_find(schema, name);
	int label = sheaf_schema_find(schema, "label");
	return label >= 0 ? label : sheaf_schema_find(schema, "labels");
}

/* Whether numbers are doubles. */
static bool is_wide(const sheaf_values *values)
{
	const char *precision = sheaf_values_text(values, "element-type");
	return !precision || strcmp(precision, "double") == 0;
}

/* Takes two streams, of which one is the label: one number in each row, or a list of labels. Numbers
 * become floats, or doubles if the setting asks for them, and the id of a query a 64-bit integer. */
static sheaf_status accept(sheaf_schema *schema, const sheaf_values *values, sheaf_error *err)
{
	char names[300];
	int streams = 0, label = find_label(schema, values);
	sheaf_type number = is_wide(values) ? SHEAF_F64 : SHEAF_F32;
	for (int f = 0; f < schema->nfields; f++) streams += sheaf_field_is_stream(&schema->fields[f]);
	const sheaf_field *field = label < 0 ? NULL : &schema->fields[label];
	if (streams != 2 || !field || !sheaf_field_is_stream(field)) {
		int n = sheaf_schema_list_streams(schema, names, sizeof names);
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "expected two streams, one called label or named as the label (" SHEAF_OPTION(
							  "label") " NAME), found %d (%s)%s",
		                  n, names, label < 0 && n ? ", and no label" : "");
	}
	if (!sheaf_field_is_sparse(field) && !(sheaf_field_is_dense(field) && sheaf_field_dim(field) == 1))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "stream \"%s\": expected a label to be dense with dim 1, or sparse, found it dense "
		                  "with dim %" PRId64,
		                  field->name, sheaf_field_dim(field));
	for (int f = 0; f < schema->nfields; f++) {
		sheaf_field *to = &schema->fields[f];
		if (sheaf_field_is_stream(to)) to->type = number;
		int kind = sheaf_column_kind_of(columns, to);
		if (kind == QUERY) to->type = SHEAF_I64;
		if (kind == WEIGHT) to->type = number;
	}
	return SHEAF_OK;
}

/* ---- create, finish ---- */

/* Finds the columns of the label, the features, the query, the weight and the comment, where -1 means
 * that there is none. Where labels are lists, label:WEIGHT would be taken for a feature and its value, so
 * that weights are written as costs then. */
static sheaf_status create(void *created, const sheaf_facts *totals, const sheaf_values *values,
                           sheaf_error *err)
{
	sheaf_svm_writer *out = (sheaf_svm_writer *)created;
	const sheaf_schema *schema = &out->schema;
	const char *base = sheaf_values_text(values, "index-base");
	(void)totals, (void)err;
	const char *labels = sheaf_values_text(values, "labels");
	out->query = out->weight = out->comment = -1;
	out->base = !base || strcmp(base, "0") != 0;
	out->label = find_label(schema, values);
	for (int f = schema->nfields - 1; f >= 0; f--)
		if (f != out->label && sheaf_field_is_stream(&schema->fields[f])) out->features = f;
	out->many = sheaf_field_is_sparse(&schema->fields[out->label]);
	out->costs = out->many || (labels && (strcmp(labels, "cost") == 0 || strcmp(labels, "list") == 0));
	for (int f = 0; f < schema->nfields; f++) {
		int kind = sheaf_column_kind_of(columns, &schema->fields[f]);
		if (kind == QUERY) out->query = f;
		if (kind == WEIGHT) out->weight = f;
		if (kind == COMMENT) out->comment = f;
	}
	snprintf(out->label_name, sizeof out->label_name, "%s", schema->fields[out->label].name);
	snprintf(out->features_name, sizeof out->features_name, "%s", schema->fields[out->features].name);
	return SHEAF_OK;
}

/* Lists of one label each would be read as numeric labels, which is known only now. */
static sheaf_status finish(void *created, sheaf_error *err)
{
	const sheaf_svm_writer *out = (const sheaf_svm_writer *)created;
	static const char lists[] = SVM_LISTS "\n";
	if (!out->many || out->samples > 0) return SHEAF_OK;
	return sheaf_sink_write(out->sink, lists, sizeof lists - 1, err);
}

/* ---- encode ---- */

enum { BATCH = 64, ENTRY_MAX = 2 * SHEAF_NUMBER_MAX + 2 };

/* Rows that are being written. */
typedef struct encoding {
	const sheaf_svm_writer *out;
	const sheaf_frame *frame;
	int64_t row; /* number of the frame's first */
	sheaf_builder *b;
	sheaf_context *cx;
	sheaf_error *err;
} encoding;

/* Reports what row r of the frame loses. */
static sheaf_status lose(const encoding *e, const char *stream, int64_t r, sheaf_finding finding)
{
	finding.severity = SHEAF_ERROR;
	finding.status = SHEAF_LOSS;
	sheaf_problem problem = sheaf_problem_in(sheaf_sink_name(e->out->sink), &finding);
	problem.place.stream = stream;
	problem.place.row = e->row + r;
	return sheaf_report(e->cx, &problem, e->err);
}

static void put_number(sheaf_builder *b, const sheaf_column *column, int64_t at)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
	b->size = (size_t)(sheaf_value_print(column->type, column->values.data, at, (char *)b->data + b->size) -
	                   (char *)b->data);
}

static void put_whole(sheaf_builder *b, int64_t value)
{
	if (!sheaf_builder_room(b, SHEAF_NUMBER_MAX)) return;
	b->size = (size_t)(sheaf_print_i64((char *)b->data + b->size, value) - (char *)b->data);
}

static double value_at(const sheaf_column *column, int64_t at)
{
	const void *values = column->values.data;
	return column->type == SHEAF_F64 ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

/* Finds the run of entries of row r's only sample. More samples have no place, and a row without any
 * cannot be expressed: both are losses. */
static sheaf_status find_sample(const encoding *e, const sheaf_column *column, const char *stream, int64_t r,
                                sheaf_run *run)
{
	char found[32];
	sheaf_run samples = sheaf_level_below_one(&column->levels[0], r);
	int64_t n = sheaf_run_length(samples);
	*run = n ? sheaf_level_below_one(&column->levels[1], samples.begin) : (sheaf_run){0, 0};
	if (n == 1) return SHEAF_OK;
	snprintf(found, sizeof found, "%" PRId64, n);
	return lose(e, stream, r,
	            SHEAF_FINDING(.rule = "samples in a row", .expected = "one sample of each stream in a row",
	                          .found = found,
	                          .consequence = n ? "the first one is written" : "nothing is written"));
}

/* Appends the features of a run, with room for a batch of them at a time. Dense ones have the indices of
 * their places. */
static void put_features(const sheaf_svm_writer *out, sheaf_builder *b, const sheaf_column *column,
                         sheaf_run run)
{
	const sheaf_level *level = &column->levels[1];
	bool sparse = level->shape.kind == SHEAF_COORD;
	for (int64_t at = run.begin; at < run.end;) {
		int64_t end = run.end - at < BATCH ? run.end : at + BATCH;
		if (!sheaf_builder_room(b, (uint64_t)(end - at) * ENTRY_MAX)) return;
		char *to = (char *)b->data + b->size;
		for (; at < end; at++) {
			*to++ = ' ';
			to = sheaf_print_i64(to, (sparse ? sheaf_level_index(level, 0, at) : at - run.begin) + out->base);
			*to++ = ':';
			to = sheaf_value_print(column->type, column->values.data, at, to);
		}
		b->size = (size_t)(to - (char *)b->data);
	}
}

/* A weight of 1 could be omitted, but files with a weight after each label are recognised by that. */
static void put_weight(const sheaf_svm_writer *out, sheaf_builder *b, const sheaf_frame *frame, int64_t r)
{
	if (out->weight < 0) return;
	const sheaf_column *column = &frame->columns[out->weight];
	if (out->costs && value_at(column, r) == 1) return;
	sheaf_builder_text(b, out->costs ? " cost:" : ":");
	put_number(b, column, r);
}

/* Appends the comment of row r, if there is one. A comment ends with its line: of a text of several lines
 * only the first one is written, and the rest is a loss. */
static sheaf_status put_comment(const encoding *e, int64_t r)
{
	if (e->out->comment < 0 || sheaf_level_is_null(&e->frame->columns[e->out->comment].levels[0], r))
		return SHEAF_OK;
	const sheaf_column *column = &e->frame->columns[e->out->comment];
	sheaf_run run = sheaf_level_below_one(&column->levels[0], r);
	sheaf_bytes all = sheaf_column_bytes(column, run);
	const uint8_t *text = all.data, *feed = (const uint8_t *)memchr(text, '\n', all.size);
	size_t n = all.size;
	if (feed) n = (size_t)(feed - text);
	if (n && text[n - 1] == '\r') n--;
	sheaf_builder_text(e->b, " #");
	sheaf_builder_append(e->b, text, n);
	if (n == all.size) return SHEAF_OK;
	return lose(e, "comment", r,
	            SHEAF_FINDING(.rule = "comment of several lines", .expected = "a comment that fits a line",
	                          .found = "a line feed, or a CR at its end",
	                          .consequence = "the rest is left out"));
}

/* Appends row r: labels, weight, query and features. A row without a label has the label 0, which was
 * reported as a loss. Lists of labels are indices: there is no place for their values. An empty line, or
 * one with only a comment, is no row for a reader, which is a loss as well. */
static sheaf_status put_row(const encoding *e, int64_t r)
{
	const sheaf_svm_writer *out = e->out;
	const sheaf_column *label = &e->frame->columns[out->label], *features = &e->frame->columns[out->features];
	size_t begin = e->b->size;
	sheaf_run run;
	SHEAF_TRY(find_sample(e, label, out->label_name, r, &run));
	for (int64_t at = run.begin; at < run.end && out->many; at++) {
		if (at > run.begin) sheaf_builder_byte(e->b, ',');
		put_whole(e->b, sheaf_level_index(&label->levels[1], 0, at));
		if (value_at(label, at) != 1)
			SHEAF_TRY(
				lose(e, out->label_name, r,
			         SHEAF_FINDING(.rule = "value of a label", .expected = "1 as the value of each label",
			                       .found = "another value", .consequence = "it is left out")));
	}
	if (!out->many && run.end > run.begin)
		put_number(e->b, label, run.begin);
	else if (!out->many)
		sheaf_builder_byte(e->b, '0');
	if (!out->costs) put_weight(out, e->b, e->frame, r);
	int64_t query =
		out->query < 0 ? -1 : ((const int64_t *)(const void *)e->frame->columns[out->query].values.data)[r];
	if (query >= 0) {
		sheaf_builder_text(e->b, " qid:");
		put_whole(e->b, query);
	}
	if (out->costs) put_weight(out, e->b, e->frame, r);
	SHEAF_TRY(find_sample(e, features, out->features_name, r, &run));
	put_features(out, e->b, features, run);
	if (e->b->size == begin && !e->b->failed)
		SHEAF_TRY(lose(e, NULL, r,
		               SHEAF_FINDING(.rule = "empty row", .expected = "a label or a feature in each row",
		                             .found = "none", .consequence = "the row is left out")));
	SHEAF_TRY(put_comment(e, r));
	sheaf_builder_byte(e->b, '\n');
	return SHEAF_OK;
}

/* Encodes the rows of a frame on a worker's thread. *samples counts rows with no label or several, if
 * labels are lists: without any, a comment has to say that they are. */
static sheaf_status encode(const void *writer, const sheaf_frame *frame, int64_t row, sheaf_builder *b,
                           int64_t *samples, sheaf_error *err)
{
	const sheaf_svm_writer *out = (const sheaf_svm_writer *)writer;
	encoding e = {out, frame, row, b, b->cx, err};
	for (int64_t r = 0; r < frame->nrows && !b->failed; r++) SHEAF_TRY(put_row(&e, r));
	const sheaf_column *label = &frame->columns[out->label];
	*samples = 0;
	for (int64_t r = 0; r < frame->nrows && out->many; r++) {
		sheaf_run runs = sheaf_level_below_one(&label->levels[0], r);
		*samples += sheaf_run_length(sheaf_level_below(&label->levels[1], runs)) != 1;
	}
	return sheaf_builder_status(b, err);
}

const sheaf_writing sheaf_svm_writing = {
	.takes = SHEAF_TAKES_SEQUENCES,
	.output_size = sizeof(sheaf_svm_writer),
	.columns = columns,
	.accept = accept,
	.create = create,
	.encode = encode,
	.finish = finish,
};
