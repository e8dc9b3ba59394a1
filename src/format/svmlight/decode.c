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
	float narrow = (float)value;
	if (d->in->wide)
		sheaf_builder_append(&s->values, &value, sizeof value);
	else
		sheaf_builder_append(&s->values, &narrow, sizeof narrow);
}

void sheaf_svm_put_index(sheaf_svm_stream *s, int64_t index)
{
	int32_t narrow = (int32_t)index;
	if (s->wide)
		sheaf_builder_i64(&s->indices, index);
	else
		sheaf_builder_append(&s->indices, &narrow, sizeof narrow);
}

static void begin_stream(sheaf_svm_decoding *d, sheaf_svm_stream *s, sheaf_column *column)
{
	bool sparse = column->levels[1].shape.kind == SHEAF_COORD;
	s->wide = sparse && column->levels[1].shape.index_type == SHEAF_I64;
	sheaf_builder_begin(&s->lists, d->text.cx, &column->levels[0].offsets);
	sheaf_builder_begin(&s->entries, d->text.cx, &column->levels[1].offsets);
	sheaf_builder_begin(&s->indices, d->text.cx, &column->levels[1].indices[0]);
	sheaf_builder_begin(&s->values, d->text.cx, &column->values);
	sheaf_builder_i64(&s->lists, 0);
	if (sparse) sheaf_builder_i64(&s->entries, 0);
}

static sheaf_status finish_stream(sheaf_svm_decoding *d, sheaf_svm_stream *s, sheaf_column *column)
{
	SHEAF_TRY(sheaf_builder_finish(&s->lists, &column->levels[0].offsets, d->text.err));
	SHEAF_TRY(sheaf_builder_finish(&s->entries, &column->levels[1].offsets, d->text.err));
	SHEAF_TRY(sheaf_builder_finish(&s->indices, &column->levels[1].indices[0], d->text.err));
	return sheaf_builder_finish(&s->values, &column->values, d->text.err);
}

static void drop_stream(sheaf_svm_stream *s)
{
	sheaf_builder_drop(&s->lists);
	sheaf_builder_drop(&s->entries);
	sheaf_builder_drop(&s->indices);
	sheaf_builder_drop(&s->values);
}

/* ---- many at once ---- */

static size_t index_size(const sheaf_svm_stream *s) { return s->wide ? sizeof(int64_t) : sizeof(int32_t); }

/* Indices as they are written into those from 0 on; false where one is below the first. */
static bool shift_indices(const sheaf_svm_decoding *d, size_t from, size_t n)
{
	const sheaf_svm_stream *s = &d->features;
	int32_t *narrow = (int32_t *)(void *)(s->indices.data + from);
	int64_t *wide = (int64_t *)(void *)(s->indices.data + from), least = 0;
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
	size_t value_size = d->in->wide ? sizeof(double) : sizeof(float), from = s->indices.size;
	if (!sheaf_builder_room(&s->values, SHEAF_NUMBERS_ROOM * value_size) ||
	    !sheaf_builder_room(&s->indices, SHEAF_NUMBERS_ROOM * index_size(s)))
		return false;
	size_t room = (s->indices.capacity - from) / index_size(s);
	sheaf_numbers run = {.delimiters = &delimiters,
	                     .at = d->text.at,
	                     .end = d->text.end,
	                     .values = s->values.data + s->values.size,
	                     .indices = s->indices.data + from};
	run.room = (s->values.capacity - s->values.size) / value_size;
	if (run.room > room) run.room = room;
	run.wide_indices = s->wide;
	run.limit = d->in->guessed ? INT32_MAX
	                           : (uint64_t)sheaf_field_dim(&d->in->schema.fields[1]) + (uint64_t)d->in->base;
	(d->in->wide ? d->kernel->pairs_f64 : d->kernel->pairs_f32)(&run);
	if (run.count == 0 || !shift_indices(d, from, run.count)) return false; /* read again, by line.c */
	d->text.at = run.at;
	s->values.size += run.count * value_size;
	s->indices.size += run.count * index_size(s);
	return true;
}

int64_t sheaf_svm_find_descent(const sheaf_svm_stream *s, size_t from)
{
	size_t n = (s->indices.size - from) / index_size(s);
	if (n < 2) return -1;
	const int32_t *narrow = (const int32_t *)(const void *)(s->indices.data + from);
	const int64_t *wide = (const int64_t *)(const void *)(s->indices.data + from);
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
	SHEAF_TRY(sheaf_frame_begin(frame, &in->schema, d->text.cx, d->text.err));
	begin_stream(d, &d->labels, &frame->columns[0]);
	begin_stream(d, &d->features, &frame->columns[1]);
	sheaf_builder_begin(&d->lines, d->text.cx, &frame->lines);
	sheaf_builder_begin(&d->queries, d->text.cx, in->query < 0 ? NULL : &frame->columns[in->query].values);
	sheaf_column *comment = in->comment < 0 ? NULL : &frame->columns[in->comment];
	sheaf_builder_begin(&d->comments, d->text.cx, comment ? &comment->values : NULL);
	sheaf_builder_begin(&d->comment_ends, d->text.cx, comment ? &comment->levels[0].offsets : NULL);
	sheaf_builder_begin(&d->comments_valid, d->text.cx, comment ? &comment->levels[0].valid : NULL);
	sheaf_builder_i64(&d->comment_ends, 0);
	return SHEAF_OK;
}

static sheaf_status finish_frame(sheaf_svm_decoding *d, sheaf_frame *frame)
{
	const sheaf_svm_reader *in = d->in;
	SHEAF_TRY(finish_stream(d, &d->labels, &frame->columns[0]));
	SHEAF_TRY(finish_stream(d, &d->features, &frame->columns[1]));
	SHEAF_TRY(sheaf_builder_finish(&d->lines, &frame->lines, d->text.err));
	if (in->query >= 0)
		SHEAF_TRY(sheaf_builder_finish(&d->queries, &frame->columns[in->query].values, d->text.err));
	if (in->comment >= 0) {
		sheaf_column *comment = &frame->columns[in->comment];
		SHEAF_TRY(sheaf_builder_finish(&d->comments, &comment->values, d->text.err));
		SHEAF_TRY(sheaf_builder_finish(&d->comment_ends, &comment->levels[0].offsets, d->text.err));
		SHEAF_TRY(sheaf_builder_finish(&d->comments_valid, &comment->levels[0].valid, d->text.err));
	}
	frame->nrows = d->nrows;
	return SHEAF_OK;
}

static void drop_builders(sheaf_svm_decoding *d)
{
	drop_stream(&d->labels);
	drop_stream(&d->features);
	sheaf_builder_drop(&d->queries);
	sheaf_builder_drop(&d->comments);
	sheaf_builder_drop(&d->comment_ends);
	sheaf_builder_drop(&d->comments_valid);
	sheaf_builder_drop(&d->lines);
}

/* ---- rows ---- */

/* Where the buffers stood before a row. */
typedef struct mark {
	size_t label_indices, label_values, indices, values, queries, comments, comment_ends;
} mark;

static mark mark_of(const sheaf_svm_decoding *d)
{
	return (mark){d->labels.indices.size,  d->labels.values.size, d->features.indices.size,
	              d->features.values.size, d->queries.size,       d->comments.size,
	              d->comment_ends.size};
}

static void go_back(sheaf_svm_decoding *d, const mark *m)
{
	d->labels.indices.size = m->label_indices;
	d->labels.values.size = m->label_values;
	d->features.indices.size = m->indices;
	d->features.values.size = m->values;
	d->queries.size = m->queries;
	d->comments.size = m->comments;
	d->comment_ends.size = m->comment_ends;
}

static void end_sample(const sheaf_svm_decoding *d, sheaf_svm_stream *s, bool sparse)
{
	sheaf_builder_i64(&s->lists, d->nrows);
	if (sparse)
		sheaf_builder_i64(&s->entries,
		                  (int64_t)(s->values.size / (d->in->wide ? sizeof(double) : sizeof(float))));
}

/* A comment has been read where there is one more end than rows before. */
static void end_row(sheaf_svm_decoding *d)
{
	const sheaf_svm_reader *in = d->in;
	bool commented = (int64_t)(d->comment_ends.size / sizeof(int64_t)) > d->nrows + 1;
	if (in->query >= 0 && (int64_t)(d->queries.size / sizeof(int64_t)) == d->nrows)
		sheaf_builder_i64(&d->queries, -1);
	if (!commented) sheaf_builder_i64(&d->comment_ends, (int64_t)d->comments.size);
	if (d->nrows % 8 == 0) sheaf_builder_byte(&d->comments_valid, 0);
	if (commented && !d->comments_valid.failed)
		d->comments_valid.data[d->comments_valid.size - 1] |= (uint8_t)(1u << (d->nrows % 8));
	d->nrows++;
	end_sample(d, &d->labels, in->many);
	end_sample(d, &d->features, true);
	sheaf_builder_i64(&d->lines, d->text.line);
}

static sheaf_status read_lines(sheaf_svm_decoding *d)
{
	for (; d->text.at < d->text.end; d->text.line++) {
		d->text.line_start = d->text.at;
		if (sheaf_lined_is_row(&sheaf_svm_syntax, d->text.at, d->text.end)) {
			mark m = mark_of(d);
			bool kept;
			SHEAF_TRY(sheaf_svm_read_row(d, &kept));
			kept ? end_row(d) : go_back(d, &m);
			SHEAF_TRY(sheaf_builder_status(&d->features.values, d->text.err));
			SHEAF_TRY(sheaf_builder_status(&d->comments_valid, d->text.err));
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
	sheaf_status status = begin_frame(&d, frame);
	if (status == SHEAF_OK) status = read_lines(&d);
	if (status == SHEAF_OK) status = finish_frame(&d, frame);
	if (status) frame->nrows = 0;
	drop_builders(&d);
	return status;
}
