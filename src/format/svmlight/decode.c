/* SPDX-License-Identifier: MIT */
/* A piece into columns. */
#include "base/context.h"
#include "format/svmlight/svmlight.h"

static void begin_stream(sheaf_svm_stream *s, sheaf_column_builder *to)
{
	s->sparse = to->levels[1].shape->kind == SHEAF_COORD;
	s->wide = s->sparse && to->levels[1].shape->index_type == SHEAF_I64;
	s->lists = &to->levels[0].offsets;
	s->entries = &to->levels[1].offsets;
	s->indices = to->levels[1].indices;
	s->values = &to->values;
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
