/* SPDX-License-Identifier: MIT */
/* A piece into columns. */
#include "base/context.h"
#include "format/svmlight/svmlight.h"
#include <string.h>

static const sheaf_delimiters delimiters = {
	.spaces = {' ', '\t'}, .pair = ':', .mark = '#', .feed = '\n', .before_feed = '\r', .comment = '#'};

/* ---- columns ---- */

void sheaf_svm_put_value(const sheaf_svm_decoding *d, sheaf_svm_stream *s, double value)
{
	sheaf_put_real(s->values, d->in->wide ? SHEAF_F64 : SHEAF_F32, value);
}

void sheaf_svm_put_index(sheaf_svm_stream *s, int64_t index)
{
	sheaf_put_index(s->indices, s->wide ? SHEAF_I64 : SHEAF_I32, index);
}

static void begin_stream(sheaf_svm_stream *s, sheaf_column_builder *to)
{
	s->sparse = to->levels[1].shape->kind == SHEAF_COORD;
	s->wide = s->sparse && to->levels[1].shape->index_type == SHEAF_I64;
	s->lists = &to->levels[0].offsets;
	s->entries = &to->levels[1].offsets;
	s->indices = to->levels[1].indices;
	s->values = &to->values;
}

/* ---- many at once ---- */

static size_t index_size(const sheaf_svm_stream *s) { return s->wide ? sizeof(int64_t) : sizeof(int32_t); }

/* Indices as they are written into those from 0 on; false where one is below the first. */
static bool shift_indices(const sheaf_svm_decoding *d, size_t from, size_t n)
{
	const sheaf_svm_stream *s = &d->features;
	int32_t *narrow = (int32_t *)(void *)(s->indices->data + from);
	int64_t *wide = (int64_t *)(void *)(s->indices->data + from), least = 0;
	for (size_t k = 0; k < n && s->wide; k++) {
		wide[k] -= d->in->base;
		least = wide[k] < least ? wide[k] : least;
	}
	for (size_t k = 0; k < n && !s->wide; k++) {
		narrow[k] -= d->in->base;
		least = narrow[k] < least ? narrow[k] : least;
	}
	return least == 0;
}

bool sheaf_svm_read_many(sheaf_svm_decoding *d)
{
	sheaf_svm_stream *s = &d->features;
	size_t value_size = d->in->wide ? sizeof(double) : sizeof(float), from = s->indices->size;
	if (!sheaf_builder_room(s->values, SHEAF_NUMBERS_ROOM * value_size) ||
	    !sheaf_builder_room(s->indices, SHEAF_NUMBERS_ROOM * index_size(s)))
		return false;
	size_t room = (s->indices->capacity - from) / index_size(s);
	sheaf_numbers run = {.delimiters = &delimiters,
	                     .at = d->text.at,
	                     .end = d->text.end,
	                     .values = s->values->data + s->values->size,
	                     .indices = s->indices->data + from};
	run.room = (s->values->capacity - s->values->size) / value_size;
	if (run.room > room) run.room = room;
	run.wide_indices = s->wide;
	run.limit = d->in->guessed ? INT32_MAX
	                           : (uint64_t)sheaf_field_dim(&d->in->schema.fields[1]) + (uint64_t)d->in->base;
	(d->in->wide ? d->kernel->pairs_f64 : d->kernel->pairs_f32)(&run);
	if (run.count == 0 || !shift_indices(d, from, run.count)) return false; /* read again, by line.c */
	d->text.at = run.at;
	s->values->size += run.count * value_size;
	s->indices->size += run.count * index_size(s);
	return true;
}

int64_t sheaf_svm_find_descent(const sheaf_svm_stream *s, size_t from)
{
	size_t n = (s->indices->size - from) / index_size(s);
	if (n < 2) return -1;
	const int32_t *narrow = (const int32_t *)(const void *)(s->indices->data + from);
	const int64_t *wide = (const int64_t *)(const void *)(s->indices->data + from);
	for (size_t k = 1; k < n; k++) {
		bool ascends = s->wide ? wide[k] > wide[k - 1] : narrow[k] > narrow[k - 1];
		if (!ascends) return s->wide ? wide[k] : narrow[k];
	}
	return -1;
}

/* ---- the frame ---- */

static sheaf_status begin_frame(sheaf_svm_decoding *d, sheaf_frame *frame)
{
	const sheaf_svm_reader *in = d->in;
	SHEAF_TRY(sheaf_frame_builder_begin(&d->to, &in->schema, frame, d->text.cx, d->text.err));
	begin_stream(&d->labels, &d->to.columns[0]);
	begin_stream(&d->features, &d->to.columns[1]);
	d->queries = in->query < 0 ? NULL : &d->to.columns[in->query].values;
	d->weights = in->weight < 0 ? NULL : &d->to.columns[in->weight].values;
	d->comment = in->comment < 0 ? NULL : &d->to.columns[in->comment];
	return SHEAF_OK;
}

/* ---- rows ---- */

static void end_sample(const sheaf_svm_decoding *d, sheaf_svm_stream *s)
{
	sheaf_builder_i64(s->lists, d->to.nrows);
	if (s->sparse)
		sheaf_builder_i64(s->entries,
		                  (int64_t)(s->values->size / (d->in->wide ? sizeof(double) : sizeof(float))));
}

static void end_row(sheaf_svm_decoding *d)
{
	if (d->queries && !d->queried) sheaf_builder_i64(d->queries, -1);
	if (d->weights && !d->weighed) sheaf_put_real(d->weights, d->in->wide ? SHEAF_F64 : SHEAF_F32, 1);
	if (d->comment && !d->commented) {
		sheaf_level_miss(&d->comment->levels[0], d->to.nrows, 0);
		sheaf_column_put_text(d->comment, NULL, 0);
	}
	d->to.nrows++;
	end_sample(d, &d->labels);
	end_sample(d, &d->features);
	sheaf_builder_i64(&d->to.lines, d->text.line);
}

static sheaf_status read_lines(sheaf_svm_decoding *d)
{
	for (; d->text.at < d->text.end; d->text.line++) {
		d->text.line_start = d->text.at;
		if (sheaf_lined_is_row(&sheaf_svm_syntax, d->text.at, d->text.end)) {
			bool kept;
			SHEAF_TRY(sheaf_svm_read_row(d, &kept));
			kept ? end_row(d) : sheaf_frame_builder_go_back(&d->to);
			SHEAF_TRY(sheaf_builder_status(d->features.values, d->text.err));
			SHEAF_TRY(sheaf_check_stop(d->text.cx, d->text.err));
		}
		d->text.at = sheaf_lined_pass_line(d->text.at, d->text.end);
	}
	return SHEAF_OK;
}

sheaf_status sheaf_svm_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_svm_reader *in = (const sheaf_svm_reader *)reader;
	sheaf_svm_decoding d = {
		.in = in, .text = sheaf_lined_text_of(&in->lined, piece, cx, err), .kernel = sheaf_kernel_chosen()};
	d.text.severity = SHEAF_ERROR;
	d.text.consequence = "the row is left out";
	sheaf_status status = begin_frame(&d, frame);
	if (status == SHEAF_OK) status = read_lines(&d);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
