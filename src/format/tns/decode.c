/* SPDX-License-Identifier: MIT */
/* A piece into coordinates and values: kernels read what lines are plain, line.c all others. */
#include "base/context.h"
#include "format/tns/tns.h"
#include "number/kernel.h"
#include "number/lines.h"

void sheaf_tns_put_entry(sheaf_tns_decoding *d, const int64_t *at)
{
	for (int c = 0; c < d->in->rank; c++) {
		int32_t narrow = (int32_t)at[c];
		if (d->wide[c])
			sheaf_builder_i64(&d->coordinates[c], at[c]);
		else
			sheaf_builder_append(&d->coordinates[c], &narrow, sizeof narrow);
	}
	sheaf_builder_i64(&d->lines, d->text.line);
	d->nrows++;
}

/* ---- many at once ---- */

/* Values of either type, coordinates and line numbers take at most eight bytes. */
static bool make_room(sheaf_tns_decoding *d, size_t most)
{
	bool room = sheaf_builder_room(&d->values, most * 8 + 1) && sheaf_builder_room(&d->lines, most * 8 + 1);
	for (int c = 0; c < d->in->rank; c++) room = sheaf_builder_room(&d->coordinates[c], most * 8 + 1) && room;
	return room;
}

static void take_rows(sheaf_tns_decoding *d, size_t n)
{
	int64_t *lines = (int64_t *)(void *)(d->lines.data + d->lines.size);
	for (size_t r = 0; r < n; r++) lines[r] = d->text.line + (int64_t)r;
	d->lines.size += n * sizeof *lines;
	d->values.size += n * 8;
	for (int c = 0; c < d->in->rank; c++) d->coordinates[c].size += n * (d->wide[c] ? 8 : 4);
	d->text.line += (int64_t)n;
	d->nrows += (int64_t)n;
}

static void read_many(sheaf_tns_decoding *d, size_t most)
{
	const sheaf_tns_reader *in = d->in;
	sheaf_entries run = {.at = d->text.at,
	                     .end = d->text.end,
	                     .coordinates = in->rank,
	                     .numbers = 1,
	                     .integers = in->integers,
	                     .room = most};
	if (!make_room(d, most)) return; /* the builders keep the failure */
	for (int c = 0; c < in->rank; c++) {
		run.to[c] = d->coordinates[c].data + d->coordinates[c].size;
		run.wide[c] = d->wide[c];
		run.limits[c] = (uint64_t)in->schema.tensor.shape[c];
	}
	run.values = d->values.data + d->values.size;
	sheaf_kernel_chosen()->entries(&run);
	d->text.at = run.at;
	take_rows(d, run.count);
}

/* ---- the frame ---- */

static sheaf_status begin_frame(sheaf_tns_decoding *d, sheaf_frame *frame)
{
	const sheaf_tns_reader *in = d->in;
	SHEAF_TRY(sheaf_frame_begin(frame, &in->schema, d->text.cx, d->text.err));
	for (int c = 0; c < in->rank; c++) {
		d->wide[c] = in->schema.fields[c].type == SHEAF_I64;
		sheaf_builder_begin(&d->coordinates[c], d->text.cx, &frame->columns[c].values);
	}
	sheaf_builder_begin(&d->values, d->text.cx, &frame->columns[in->rank].values);
	sheaf_builder_begin(&d->lines, d->text.cx, &frame->lines);
	return SHEAF_OK;
}

static sheaf_status finish_frame(sheaf_tns_decoding *d, sheaf_frame *frame)
{
	int rank = d->in->rank;
	for (int c = 0; c < rank; c++)
		SHEAF_TRY(sheaf_builder_finish(&d->coordinates[c], &frame->columns[c].values, d->text.err));
	SHEAF_TRY(sheaf_builder_finish(&d->values, &frame->columns[rank].values, d->text.err));
	SHEAF_TRY(sheaf_builder_finish(&d->lines, &frame->lines, d->text.err));
	frame->nrows = d->nrows;
	return SHEAF_OK;
}

static void drop_builders(sheaf_tns_decoding *d)
{
	for (int c = 0; c < d->in->rank; c++) sheaf_builder_drop(&d->coordinates[c]);
	sheaf_builder_drop(&d->values);
	sheaf_builder_drop(&d->lines);
}

static sheaf_status read_lines(sheaf_tns_decoding *d)
{
	size_t most = (size_t)sheaf_count_feeds(d->text.begin, d->text.end) + 1;
	while (d->text.at < d->text.end) {
		read_many(d, most - (size_t)d->nrows);
		SHEAF_TRY(sheaf_builder_status(&d->values, d->text.err));
		SHEAF_TRY(sheaf_builder_status(&d->lines, d->text.err));
		if (d->text.at < d->text.end) SHEAF_TRY(sheaf_tns_read_line(d));
		SHEAF_TRY(sheaf_check_stop(d->text.cx, d->text.err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_tns_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	const sheaf_tns_reader *in = (const sheaf_tns_reader *)reader;
	sheaf_tns_decoding d = {.in = in, .text = sheaf_lined_text_of(&in->lined, piece, cx, err)};
	sheaf_status status = begin_frame(&d, frame);
	if (status == SHEAF_OK) status = read_lines(&d);
	if (status == SHEAF_OK) status = finish_frame(&d, frame);
	if (status) frame->nrows = 0;
	drop_builders(&d);
	return status;
}
