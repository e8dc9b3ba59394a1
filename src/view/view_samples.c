/* SPDX-License-Identifier: MIT */
/* Sequences as rows of a table: one for each sample, for each value, or for each sequence. A stream A with
 * two values in a sample, and a sparse stream B:
 *
 *     wide     key,sample,A.0,A.1,B               a row for each sample; "3:1 7:0.5" for the entries of B
 *     long     key,sample,stream,index,value      a row for each value
 *     lists    key,A,B                            a row for each sequence; its samples as JSON
 *
 * Columns beside streams come after these. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spell.h"
#include "frame/frame.h"
#include "frame/print.h"
#include "view/view.h"
#include <inttypes.h>
#include <sheaf/arrays.h>
#include <stdio.h>
#include <string.h>

/* What a column of the table contains. */
typedef enum source {
	FROM_KEY,         /* the sequence's key, or its number */
	FROM_SAMPLE,      /* the sample's number in its sequence */
	FROM_VALUE,       /* value `element` of a dense sample */
	FROM_ENTRIES,     /* a sparse sample: "3:1 7:0.5" */
	FROM_ROW,         /* the item of the sequence */
	FROM_ITEM,        /* the item of the sample */
	FROM_LIST,        /* all of the sequence, as JSON */
	FROM_STREAM_NAME, /* the stream of the value; its index in the sample; and the value */
	FROM_INDEX,
	FROM_NUMBER
} source;

/* Where a column of the table takes its cells from: `column` is below, -1 if there is none; `element`
 * counts the values of a dense sample. */
typedef struct origin {
	source from;
	int column; /* below */
	int64_t element;
} origin;

typedef struct samples {
	sheaf_row_view view;
	sheaf_samples_as as;
	origin *origins; /* of each column */
	int room;
	int key; /* column below; -1: rows have their numbers */
} samples;

/* ---- items ---- */

/* Whether a column has an item for each sample, as streams have, and not one for the sequence. */
static bool is_of_samples(const sheaf_field *field)
{
	bool text = sheaf_means_text(field->meaning) || field->meaning == SHEAF_BYTES;
	return field->nlevels > 0 && field->levels[0].kind == SHEAF_LIST && !(text && field->nlevels == 1);
}

/* Copies position p of a column's level as one cell: a value, a run of values, a text, or a missing one.
 * `level` is nlevels where each position is a value itself. */
static void copy_item(const sheaf_column *from, int level, int64_t position, sheaf_column_builder *to)
{
	size_t size = sheaf_type_size(from->type);
	sheaf_run run = {position, position + 1};
	bool has_item = level == from->nlevels || !sheaf_level_is_null(&from->levels[level], position);
	if (level < from->nlevels) run = sheaf_level_below_one(&from->levels[level], position);
	if (to->field->levels[0].kind == SHEAF_LIST) {
		const char *text = has_item ? (const char *)sheaf_column_bytes(from, run).data : NULL;
		if (!text) sheaf_level_miss(&to->levels[0], sheaf_column_count(to, 0), 0);
		sheaf_column_put_text(to, text, has_item ? (size_t)sheaf_run_length(run) : 0);
		return;
	}
	int64_t width = to->field->levels[0].extent;
	if (!has_item) sheaf_level_miss(&to->levels[0], (int64_t)(to->values.size / size) / width, 0);
	sheaf_builder_append(&to->values, from->values.data + (size_t)run.begin * size, (size_t)width * size);
}

/* Adds a missing cell, which takes the place of an empty text or of zeros. */
static void put_nothing(sheaf_column_builder *to)
{
	uint8_t *zeros;
	const sheaf_level_shape *shape = &to->field->levels[0];
	size_t size = sheaf_type_size(to->field->type);
	if (shape->kind == SHEAF_LIST) {
		sheaf_level_miss(&to->levels[0], sheaf_column_count(to, 0), 0);
		sheaf_level_end(&to->levels[0], (int64_t)to->values.size);
		return;
	}
	size *= (size_t)shape->extent;
	sheaf_level_miss(&to->levels[0], (int64_t)(to->values.size / size), 0);
	if ((zeros = sheaf_builder_extend(&to->values, size))) memset(zeros, 0, size);
}

static void put_integer(sheaf_column_builder *to, int64_t v)
{
	sheaf_builder_append(&to->values, &v, sizeof v);
}

static void end_text(sheaf_column_builder *to) { sheaf_level_end(&to->levels[0], (int64_t)to->values.size); }

/* ---- rows ---- */

/* A row of the table on its way: what it shows. */
typedef struct putting {
	const samples *v;
	const sheaf_frame *below;
	sheaf_frame_builder *to;
	int64_t row;             /* the sequence below */
	int64_t sample;          /* of the sequence; -1: it has none, or the row shows all */
	int stream;              /* of the value, if rows are values, */
	int64_t index, position; /* its index in the sample, and its place among all values of the stream */
} putting;

static sheaf_run samples_of(const putting *p, int column)
{
	return sheaf_level_below_one(&p->below->columns[column].levels[0], p->row);
}

/* Adds the cell that the row's sample has in a column: an entry text, an item, or one of the dense values.
 * Streams of a sequence may have different numbers of samples, so the cell is missing where this one has
 * fewer. */
static void put_sample_of(const putting *p, const origin *o, const sheaf_column *from,
                          sheaf_column_builder *to)
{
	sheaf_run run = samples_of(p, o->column);
	int64_t sample = p->sample >= 0 && p->sample < sheaf_run_length(run) ? run.begin + p->sample : -1;
	size_t size = sheaf_type_size(from->type);
	if (sample < 0) {
		put_nothing(to);
	} else if (o->from == FROM_ENTRIES) {
		sheaf_run entries = sheaf_level_below_one(&from->levels[1], sample);
		for (int64_t e = entries.begin; e < entries.end; e++) {
			sheaf_builder_printf(&to->values, "%s%" PRId64 ":", e > entries.begin ? " " : "",
			                     sheaf_level_index(&from->levels[1], 0, e));
			sheaf_position_text(&to->values, from, from->nlevels, e, SHEAF_TEXT);
		}
		end_text(to);
	} else if (o->from == FROM_ITEM) {
		copy_item(from, 1, sample, to);
	} else {
		sheaf_builder_append(
			&to->values,
			from->values.data + (size_t)(sample * from->levels[1].shape.extent + o->element) * size, size);
	}
}

/* Adds the cell of column c in the current row, from wherever its origin says. */
static void put_cell(const putting *p, int c)
{
	const origin *o = &p->v->origins[c];
	sheaf_column_builder *to = &p->to->columns[c];
	const sheaf_column *from = o->column >= 0 ? &p->below->columns[o->column] : NULL;
	switch (o->from) {
	case FROM_KEY:
		put_integer(to, from ? ((const int64_t *)(const void *)from->values.data)[p->row] : p->row);
		break;
	case FROM_SAMPLE:
		if (p->sample < 0)
			put_nothing(to);
		else
			put_integer(to, p->sample);
		break;
	case FROM_VALUE:
	case FROM_ENTRIES:
	case FROM_ITEM: put_sample_of(p, o, from, to); break;
	case FROM_ROW: copy_item(from, 0, p->row, to); break;
	case FROM_LIST: sheaf_position_text(&to->values, from, 0, p->row, SHEAF_JSON), end_text(to); break;
	case FROM_STREAM_NAME: {
		const char *name = p->v->view.in->schema.fields[p->stream].name;
		sheaf_column_put_text(to, name, strlen(name));
		break;
	}
	case FROM_INDEX: put_integer(to, p->index); break;
	case FROM_NUMBER: {
		const sheaf_column *stream = &p->below->columns[p->stream];
		sheaf_items items = {.type = stream->type, .count = p->position + 1, .data = stream->values.data};
		sheaf_put_real(&to->values, to->field->type, sheaf_items_number(&items, p->position));
		break;
	}
	}
}

static void put_row(const putting *p)
{
	for (int c = 0; c < p->v->view.schema.nfields; c++) put_cell(p, c);
	p->to->nrows++;
}

/* Adds a row for each value of each sample of each stream of the sequence p->row. The index of a value is
 * that of its entry in a sparse sample, and its place in a dense one. */
static void put_values(putting *p)
{
	const sheaf_schema *below = &p->v->view.in->schema;
	for (p->stream = 0; p->stream < below->nfields; p->stream++) {
		if (!sheaf_field_is_stream(&below->fields[p->stream])) continue;
		const sheaf_level *level = &p->below->columns[p->stream].levels[1];
		sheaf_run run = samples_of(p, p->stream);
		for (int64_t s = run.begin; s < run.end; s++) {
			sheaf_run values = sheaf_level_below_one(level, s);
			p->sample = s - run.begin;
			for (p->position = values.begin; p->position < values.end && !p->to->columns[0].values.failed;
			     p->position++) {
				bool coordinates = level->shape.kind == SHEAF_COORD;
				p->index =
					coordinates ? sheaf_level_index(level, 0, p->position) : p->position - values.begin;
				put_row(p);
			}
		}
	}
}

/* Makes the rows of a table from sequences. A sequence without samples is also a row, where rows are
 * samples, so that its key and its items are not lost; where rows are values, it leaves none. */
static sheaf_status fill(const sheaf_row_view *view, const sheaf_frame *below, sheaf_frame_builder *to,
                         sheaf_error *err)
{
	putting p = {.v = (const samples *)view, .below = below, .to = to};
	const sheaf_schema *schema = &view->in->schema;
	(void)err;
	for (p.row = 0; p.row < below->nrows; p.row++) {
		int64_t longest = 0;
		p.sample = -1;
		for (int f = 0; p.v->as == SHEAF_SAMPLES_WIDE && f < schema->nfields; f++)
			if (is_of_samples(&schema->fields[f]) && sheaf_run_length(samples_of(&p, f)) > longest)
				longest = sheaf_run_length(samples_of(&p, f));
		if (p.v->as == SHEAF_SAMPLES_LONG)
			put_values(&p);
		else if (longest == 0)
			put_row(&p);
		for (p.sample = 0; p.sample < longest; p.sample++) put_row(&p);
	}
	return SHEAF_OK;
}

/* Adds the number of the first sequence to numbers in the first column, once it is known; keys need no such
 * thing. */
static sheaf_status place(sheaf_row_view *view, sheaf_frame *frame, sheaf_error *err)
{
	(void)err;
	if (((const samples *)view)->key < 0) sheaf_view_number(view, &frame->columns[0], frame->nrows);
	return SHEAF_OK;
}

/* ---- columns ---- */

/* Adds a column to the table, and says where it takes its cells from. */
static sheaf_status add(samples *v, const char *name, origin from, sheaf_field **out, sheaf_error *err)
{
	int n = v->view.schema.nfields;
	if (n == v->room) {
		int new_room = v->room ? 2 * v->room : 16;
		SHEAF_TRY(sheaf_reallocate(v->view.cx, &v->origins, (size_t)v->room * sizeof *v->origins,
		                           (size_t)new_room * sizeof *v->origins, err));
		v->room = new_room;
	}
	v->origins[n] = from;
	return sheaf_schema_add(&v->view.schema, v->view.cx, name, strlen(name), out, err);
}

/* Keys, lists and what names a value are always there; what comes from streams may be missing, since a
 * sequence may have no sample in one of them. */
static sheaf_status add_cell(samples *v, const char *name, origin from, sheaf_meaning meaning,
                             sheaf_type type, sheaf_error *err)
{
	sheaf_field *field;
	bool text = meaning == SHEAF_STRING, always = from.from == FROM_KEY || from.from >= FROM_LIST;
	SHEAF_TRY(add(v, name, from, &field, err));
	sheaf_field_make_cell(field, meaning, type, text ? -1 : 1, !always);
	return SHEAF_OK;
}

/* Adds a column beside the streams to the table, unchanged. A table has one item in a cell, so columns with
 * lists of items, or with missing lists, are refused. */
static sheaf_status add_beside(samples *v, const sheaf_field *from, int column, sheaf_error *err)
{
	sheaf_field *field;
	bool of_samples = is_of_samples(from);
	int level = of_samples ? 1 : 0, levels_left = from->nlevels - level;
	const sheaf_level_shape *shape = levels_left ? &from->levels[level] : NULL;
	int64_t width = !shape ? 1 : shape->kind == SHEAF_LIST ? -1 : shape->extent;
	if (sheaf_field_lacks_samples(from))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "column \"%s\": some of its lists, samples or values are missing, for which rows "
		                  "of a table have no place (" SHEAF_OPTION("columns") " names the columns to keep)",
		                  from->name);
	if (levels_left > 1 || (shape && shape->kind == SHEAF_COORD))
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "column \"%s\" has more than one item in each sequence or sample", from->name);
	SHEAF_TRY(add(v, from->name, (origin){of_samples ? FROM_ITEM : FROM_ROW, column, 0}, &field, err));
	sheaf_field_make_cell(field, from->meaning, from->type, width, true);
	field->digits = from->digits;
	return SHEAF_OK;
}

/* Adds the columns of the table that a field below becomes: none for a key, or for a stream whose values
 * are rows; a text of JSON where rows are sequences; a text of entries for a sparse stream; a column for each
 * value of a dense sample. */
static sheaf_status add_column(samples *v, const sheaf_field *field, int column, sheaf_error *err)
{
	enum { MOST = 100000 };
	bool stream = sheaf_field_is_stream(field), list = stream || is_of_samples(field);
	if (field->meaning == SHEAF_KEY || (v->as == SHEAF_SAMPLES_LONG && stream)) return SHEAF_OK;
	if (v->as == SHEAF_SAMPLES_LISTS && list)
		return add_cell(v, field->name, (origin){FROM_LIST, column, 0}, SHEAF_STRING, SHEAF_U8, err);
	if (!stream) return add_beside(v, field, column, err);
	if (!sheaf_field_is_dense(field))
		return add_cell(v, field->name, (origin){FROM_ENTRIES, column, 0}, SHEAF_STRING, SHEAF_U8, err);
	int64_t dim = sheaf_field_dim(field);
	char name[300];
	if (dim > MOST)
		return sheaf_fail(
			err, SHEAF_UNSUPPORTED,
			"stream \"%s\": expected at most %d values in a sample, each of which is a column, found "
			"%" PRId64 "; " SHEAF_OPTION("layout") " long has a row for each",
			field->name, MOST, dim);
	if (dim == 1)
		return add_cell(v, field->name, (origin){FROM_VALUE, column, 0}, SHEAF_NUMBER, field->type, err);
	for (int64_t i = 0; i < dim; i++) {
		snprintf(name, sizeof name, "%.250s.%" PRId64, field->name, i);
		SHEAF_TRY(add_cell(v, name, (origin){FROM_VALUE, column, i}, SHEAF_NUMBER, field->type, err));
	}
	return SHEAF_OK;
}

static void release(sheaf_row_view *view)
{
	samples *v = (samples *)view;
	if (v->origins) sheaf_release(view->cx, v->origins, (size_t)v->room * sizeof *v->origins);
}

/* Puts the view on the input that makes a table of sequences: first the columns that name a row, as the
 * layout has them, then those of the streams, then those beside them. */
sheaf_status sheaf_view_samples(sheaf_input *input, sheaf_samples_as as, sheaf_error *err)
{
	sheaf_row_view *view;
	const sheaf_schema *below = &input->in->schema;
	SHEAF_TRY(sheaf_view_new(input, sizeof(samples), &view, err));
	samples *v = (samples *)view;
	v->as = as;
	v->key = sheaf_schema_key(below);
	view->release = release;
	view->schema = (sheaf_schema){.rows = SHEAF_CELLS, .cx = view->cx};
	SHEAF_TRY(add_cell(v, v->key < 0 ? "sequence" : "key", (origin){FROM_KEY, v->key, 0}, SHEAF_NUMBER,
	                   v->key < 0 ? SHEAF_I64 : SHEAF_U64, err));
	if (as != SHEAF_SAMPLES_LISTS)
		SHEAF_TRY(add_cell(v, "sample", (origin){FROM_SAMPLE, -1, 0}, SHEAF_NUMBER, SHEAF_I64, err));
	if (as == SHEAF_SAMPLES_LONG) {
		sheaf_type type = SHEAF_F32; /* that holds the values of all streams */
		for (int f = 0; f < below->nfields; f++)
			if (sheaf_field_is_stream(&below->fields[f]) && below->fields[f].type != SHEAF_F32)
				type = SHEAF_F64;
		SHEAF_TRY(add_cell(v, "stream", (origin){FROM_STREAM_NAME, -1, 0}, SHEAF_STRING, SHEAF_U8, err));
		SHEAF_TRY(add_cell(v, "index", (origin){FROM_INDEX, -1, 0}, SHEAF_NUMBER, SHEAF_I64, err));
		SHEAF_TRY(add_cell(v, "value", (origin){FROM_NUMBER, -1, 0}, SHEAF_NUMBER, type, err));
	}
	for (int f = 0; f < below->nfields; f++) SHEAF_TRY(add_column(v, &below->fields[f], f, err));
	view->fill = fill;
	view->place = place;
	if (as == SHEAF_SAMPLES_LISTS) view->facts.rows = view->in->facts.rows;
	return SHEAF_OK;
}
