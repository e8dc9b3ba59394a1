/* SPDX-License-Identifier: MIT */
/* Sequences as entries: a matrix if each sequence has one sample, else a tensor of sequences, samples and
 * elements. Extents are known only when all rows were looked at, and so is what the tensor promises: that its
 * entries are sorted, that it is dense, and how many sequences are shorter than the longest, which readers
 * cannot tell from sequences that end with zeros. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "dataset/input/lost.h"
#include "frame/frame.h"
#include "io/source.h"
#include "view/view.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct ungrouped {
	sheaf_row_view view;
	int stream; /* the field below that becomes the tensor */
	bool sparse, one_sample;
	int64_t dim;
	/* What the look at all rows has found: */
	int64_t rows, entries;
	int64_t longest, shortest; /* lengths, in samples */
	int64_t first_length;      /* of the first row */
	int64_t first_shorter;     /* the first row that is shorter than that; 0: there is none */
	int64_t nlongest;          /* rows of the greatest length */
	int64_t nends_empty;       /* rows whose last sample has no entry */
	bool sorted;               /* the entries of each sample ascend */
	bool keeps;                /* lengths are kept, an int64 for each row: */
	sheaf_builder kept;
	bool key_reported;
} ungrouped;

/* ---- looking at all rows ---- */

/* Looks at rows in order, during the first pass: counts entries, and finds the greatest and the smallest
 * length, which rows are shorter than the longest, and whether the entries of each sample ascend. */
static sheaf_status see(void *user, const sheaf_frame *frame, sheaf_error *err)
{
	ungrouped *v = (ungrouped *)user;
	const sheaf_column *column = &frame->columns[v->stream];
	const sheaf_level *level = &column->levels[1];
	(void)err;
	for (int64_t r = 0; r < frame->nrows; r++) {
		sheaf_run samples = sheaf_level_below_one(&column->levels[0], r);
		int64_t length = sheaf_run_length(samples);
		bool ends_empty = false;
		for (int64_t s = samples.begin; s < samples.end && v->sparse; s++) {
			sheaf_run entries = sheaf_level_below_one(level, s);
			ends_empty = sheaf_run_length(entries) == 0;
			for (int64_t e = entries.begin + 1; e < entries.end && v->sorted; e++)
				v->sorted = sheaf_level_index(level, 0, e - 1) < sheaf_level_index(level, 0, e);
		}
		v->entries += sheaf_run_length(sheaf_level_below(level, samples));
		v->nends_empty += ends_empty;
		if (v->rows == 0) v->first_length = v->shortest = length;
		if (length < v->first_length && v->first_shorter == 0) v->first_shorter = v->rows;
		if (length > v->longest) v->nlongest = 0;
		if (length > v->longest) v->longest = length;
		if (length < v->shortest) v->shortest = length;
		v->nlongest += length == v->longest;
		v->rows++;
		if (v->keeps) sheaf_builder_i64(&v->kept, length);
	}
	return SHEAF_OK;
}

/* ---- entries of a frame ---- */

/* Adds the same coordinate for each of `times` entries. */
static void put(sheaf_column_builder *to, int64_t coordinate, int64_t times)
{
	bool wide = to->field->type == SHEAF_I64;
	uint8_t *data = sheaf_builder_extend(&to->values, (uint64_t)times * (wide ? 8 : 4));
	for (int64_t k = 0; data && wide && k < times; k++) ((int64_t *)(void *)data)[k] = coordinate;
	for (int64_t k = 0; data && !wide && k < times; k++) ((int32_t *)(void *)data)[k] = (int32_t)coordinate;
}

/* Makes entries of sequences. Coordinates are new: the number of the sequence in the frame, the sample, if
 * sequences have several, and the element. Values are not copied: the frame shares them. */
static sheaf_status fill(const sheaf_row_view *view, const sheaf_frame *below, sheaf_frame_builder *to,
                         sheaf_error *err)
{
	const ungrouped *v = (const ungrouped *)view;
	const sheaf_column *from = &below->columns[v->stream];
	size_t size = sheaf_type_size(from->type);
	(void)err;
	if (below->nrows == 0) return SHEAF_OK;
	sheaf_run all = sheaf_level_below(&from->levels[1],
	                                  sheaf_level_below(&from->levels[0], (sheaf_run){0, below->nrows}));
	to->nrows = sheaf_run_length(all);
	const sheaf_level *level = &from->levels[1];
	sheaf_column_builder *last = &to->columns[v->one_sample ? 1 : 2];
	for (int64_t r = 0; r < below->nrows; r++) {
		sheaf_run samples = sheaf_level_below_one(&from->levels[0], r);
		for (int64_t s = samples.begin; s < samples.end; s++) {
			sheaf_run entries = sheaf_level_below_one(level, s);
			put(&to->columns[0], r, sheaf_run_length(entries));
			if (!v->one_sample) put(&to->columns[1], s - samples.begin, sheaf_run_length(entries));
			for (int64_t e = entries.begin; e < entries.end && !last->values.failed; e++)
				put(last, v->sparse ? sheaf_level_index(level, 0, e) : e - entries.begin, 1);
		}
	}
	if (to->nrows == 0) return SHEAF_OK;
	sheaf_buffer values =
		sheaf_buffer_part(&from->values, (size_t)all.begin * size, (size_t)to->nrows * size);
	sheaf_builder_hold(&to->columns[to->schema->tensor.rank].values, &values);
	return SHEAF_OK;
}

/* ---- in order ---- */

/* Numbers the sequences of a frame once the number of the first one is known, and reports what a tensor has
 * no place for: keys that are not the numbers of rows, columns beside the stream, and, with the first frame,
 * sequences whose last samples are empty. */
static sheaf_status place(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	ungrouped *v = (ungrouped *)view;
	const sheaf_frame *below = sheaf_view_unwrap(&frame->notes);
	const sheaf_schema *schema = &view->in->schema;
	sheaf_rows_of rows = {sheaf_source_name(view->source), SHEAF_SEQUENCES, view->inner_row, below->nrows};
	bool unseen = v->nends_empty > 0 && !v->one_sample && !v->keeps;
	if (view->inner_row == 0 && unseen) {
		/* In a tensor, a sequence whose last samples have no entries looks like a shorter one, unless its
		 * length is kept beside it. */
		char found[96];
		snprintf(found, sizeof found, "%" PRId64 " sequences whose last samples are empty", v->nends_empty);
		sheaf_finding finding = {
			.severity = SHEAF_ERROR,
			.rule = "empty samples",
			.expected = "sequences whose last sample has a value, since a tensor has no other end of them",
			.found = found,
			.consequence = "they end earlier",
			.status = SHEAF_LOSS};
		sheaf_problem problem = sheaf_problem_in(sheaf_source_name(view->source), &finding);
		problem.place.stream = view->schema.fields[view->schema.tensor.rank].name;
		SHEAF_TRY(sheaf_report(view->cx, &problem, err));
	}
	sheaf_view_number(view, &frame->columns[0], frame->nrows);
	for (int f = 0; f < schema->nfields; f++) {
		const sheaf_field *field = &schema->fields[f];
		const uint64_t *keys = (const uint64_t *)(const void *)below->columns[f].values.data;
		if (field->meaning == SHEAF_KEY)
			SHEAF_TRY(sheaf_report_keys(keys, &rows, &v->key_reported, view->cx, err));
		else if (field->loss && !sheaf_field_is_stream(field))
			SHEAF_TRY(sheaf_report_lost(field, &below->columns[f], &rows, view->cx, err));
	}
	return SHEAF_OK;
}

/* ---- opening ---- */

/* Finds the stream that becomes the tensor: the one that is named, or, without a name (NULL), the only
 * one. */
static sheaf_status find_stream(ungrouped *v, const sheaf_schema *below, const char *wanted, sheaf_error *err)
{
	int found = 0;
	for (int f = 0; f < below->nfields; f++) {
		if (!sheaf_field_is_stream(&below->fields[f]) ||
		    (wanted && strcmp(below->fields[f].name, wanted) != 0))
			continue;
		v->stream = f;
		found++;
	}
	if (found != 1) {
		char names[300];
		int streams = sheaf_schema_list_streams(below, names, sizeof names);
		const char *file = sheaf_source_name(v->view.source);
		if (wanted) return sheaf_refuse_stream("value", wanted, file, below, err);
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"%s: expected one stream, since sequences are to become one tensor, found %d (%s)%s", file,
			streams, names, streams ? "; choose one (" SHEAF_OPTION("value") " NAME)" : "");
	}
	v->sparse = sheaf_field_is_sparse(&below->fields[v->stream]);
	v->dim = sheaf_field_dim(&below->fields[v->stream]);
	return SHEAF_OK;
}

/* Makes the schema of entries from what the first pass has found: a matrix if each sequence has exactly one
 * sample, else a tensor of three dimensions. nshort and first_short say how many sequences a dense tensor
 * would fill up, and which is the first. */
static sheaf_status make_schema(ungrouped *v, const sheaf_schema *below, sheaf_error *err)
{
	static const char *const names[] = {"sequence", "sample", "element"}, *const matrix_names[] = {"sequence",
	                                                                                               "element"};
	const sheaf_field *stream = &below->fields[v->stream];
	sheaf_schema *schema = &v->view.schema;
	sheaf_field *value;
	const int64_t shape2[] = {v->rows, v->dim}, shape3[] = {v->rows, v->longest, v->dim};
	v->one_sample = v->longest <= 1 && (v->shortest == 1 || v->rows == 0);
	SHEAF_TRY(
		sheaf_schema_make_entries(schema, v->view.cx,
	                              (sheaf_dimensions){v->one_sample ? 2 : 3, v->one_sample ? shape2 : shape3,
	                                                 v->one_sample ? matrix_names : names},
	                              &value, err));
	/* The value is named after its stream, and so are rows made from it. */
	int field = sheaf_schema_value(schema);
	sheaf_schema_remove(schema, field);
	SHEAF_TRY(sheaf_schema_add(schema, v->view.cx, stream->name, strlen(stream->name), &value, err));
	value->type = stream->type;
	schema->tensor.sorted = schema->tensor.unique = v->sorted;
	schema->tensor.dense = !v->sparse && v->longest == v->shortest;
	schema->tensor.nshort = v->rows - v->nlongest;
	schema->tensor.first_short = v->first_length < v->longest ? 0 : v->first_shorter;
	return SHEAF_OK;
}

/* Puts the view on the input that makes entries of one stream, after a pass over all rows. If lengths are
 * to be kept beside the tensor, the pass collects them for the view. */
sheaf_status sheaf_view_ungroup(sheaf_input *input, const sheaf_open_options *options, sheaf_error *err)
{
	sheaf_row_view *view;
	const sheaf_schema *below = &input->in->schema;
	SHEAF_TRY(sheaf_view_new(input, sizeof(ungrouped), &view, err));
	ungrouped *v = (ungrouped *)view;
	v->sorted = true;
	SHEAF_TRY(find_stream(v, below, options->tensor->value, err));
	v->keeps = options->sequences->keep_lengths;
	sheaf_builder_begin(&v->kept, view->cx, NULL);
	sheaf_status status = sheaf_view_survey(view, see, v, err);
	if (status == SHEAF_OK && v->keeps)
		status = sheaf_builder_finish(&v->kept, &view->lengths, err);
	else
		sheaf_builder_drop(&v->kept);
	SHEAF_TRY(status);
	SHEAF_TRY(make_schema(v, below, err));
	view->fill = fill;
	view->facts.rows = v->entries;
	view->place = place;
	return SHEAF_OK;
}
