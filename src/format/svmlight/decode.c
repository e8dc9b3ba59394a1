/* SPDX-License-Identifier: MIT */
/* A piece into columns: a label or labels, features, and what else rows may have. Each row is a sequence of
 * one sample in each stream. A row with any error is left out: the builder goes back to where the row began.
 */
#include "base/context.h"
#include "format/svmlight/svmlight.h"

/* Notes where the parts of a stream go. A single label is dense, and has neither entries nor indices. */
static void begin_stream(sheaf_svm_stream *s, sheaf_column_builder *to)
{
	s->sparse = to->levels[1].shape->kind == SHEAF_COORD;
	s->wide = s->sparse && to->levels[1].shape->index_type == SHEAF_I64;
	s->lists = &to->levels[0].offsets;
	s->entries = &to->levels[1].offsets;
	s->indices = to->levels[1].indices;
	s->values = &to->values;
}

/* The row's only sample of a stream ends. */
static void end_sample(const sheaf_svm_decoding *d, sheaf_svm_stream *s)
{
	sheaf_builder_i64(s->lists, d->to.nrows);
	if (s->sparse)
		sheaf_builder_i64(s->entries,
		                  (int64_t)(s->values->size / (d->in->wide ? sizeof(double) : sizeof(float))));
}

/* Ends a row that is kept. Columns that it does not have get what is usual: no query (-1), a weight of 1,
 * no comment. */
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

/* Reads all lines of a piece; of a row with an error, what it has put into the columns is taken back. */
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

/* Decodes a piece of lines into rows on a worker's thread: labels and features are streams; query, weight
 * and comment have a builder only if the schema has such a column. */
sheaf_status sheaf_svm_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_svm_reader *in = (const sheaf_svm_reader *)reader;
	sheaf_svm_decoding d = {
		.in = in, .text = sheaf_lined_text_of(&in->lined, piece, cx, err), .kernel = sheaf_kernel_chosen()};
	d.text.severity = SHEAF_ERROR;
	d.text.consequence = "the row is left out";
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) {
		begin_stream(&d.labels, &d.to.columns[0]);
		begin_stream(&d.features, &d.to.columns[1]);
		d.queries = in->query < 0 ? NULL : &d.to.columns[in->query].values;
		d.weights = in->weight < 0 ? NULL : &d.to.columns[in->weight].values;
		d.comment = in->comment < 0 ? NULL : &d.to.columns[in->comment];
		status = read_lines(&d);
	}
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
