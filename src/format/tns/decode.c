/* SPDX-License-Identifier: MIT */
/* A piece into coordinates and values: kernels read what lines are plain, line.c all others. */
#include "base/context.h"
#include "format/tns/tns.h"
#include "number/kernel.h"
#include "number/lines.h"

void sheaf_tns_put_entry(sheaf_tns_decoding *d, const int64_t *at)
{
	for (int c = 0; c < d->in->rank; c++)
		sheaf_put_index(&d->to.columns[c].values, d->wide[c] ? SHEAF_I64 : SHEAF_I32, at[c]);
	sheaf_builder_i64(d->lines, d->text.line);
	d->to.nrows++;
}

/* ---- many at once ---- */

/* Values of either type, coordinates and line numbers take at most eight bytes. */
static bool make_room(sheaf_tns_decoding *d, size_t most)
{
	bool room = sheaf_builder_room(d->values, most * 8 + 1) && sheaf_builder_room(d->lines, most * 8 + 1);
	for (int c = 0; c < d->in->rank; c++)
		room = sheaf_builder_room(&d->to.columns[c].values, most * 8 + 1) && room;
	return room;
}

static void take_rows(sheaf_tns_decoding *d, size_t n)
{
	int64_t *lines = (int64_t *)(void *)(d->lines->data + d->lines->size);
	for (size_t r = 0; r < n; r++) lines[r] = d->text.line + (int64_t)r;
	d->lines->size += n * sizeof *lines;
	d->values->size += n * 8;
	for (int c = 0; c < d->in->rank; c++) d->to.columns[c].values.size += n * (d->wide[c] ? 8 : 4);
	d->text.line += (int64_t)n;
	d->to.nrows += (int64_t)n;
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
		run.to[c] = d->to.columns[c].values.data + d->to.columns[c].values.size;
		run.wide[c] = d->wide[c];
		run.limits[c] = (uint64_t)in->schema.tensor.shape[c];
	}
	run.values = d->values->data + d->values->size;
	sheaf_kernel_chosen()->entries(&run);
	d->text.at = run.at;
	take_rows(d, run.count);
}

/* ---- the frame ---- */

static sheaf_status begin_frame(sheaf_tns_decoding *d, sheaf_frame *frame)
{
	const sheaf_tns_reader *in = d->in;
	SHEAF_TRY(sheaf_frame_builder_begin(&d->to, &in->schema, frame, d->text.cx, d->text.err));
	for (int c = 0; c < in->rank; c++) d->wide[c] = in->schema.fields[c].type == SHEAF_I64;
	d->values = &d->to.columns[in->rank].values;
	d->lines = &d->to.lines;
	return SHEAF_OK;
}

static sheaf_status read_lines(sheaf_tns_decoding *d)
{
	size_t most = (size_t)sheaf_count_feeds(d->text.begin, d->text.end) + 1;
	while (d->text.at < d->text.end) {
		read_many(d, most - (size_t)d->to.nrows);
		SHEAF_TRY(sheaf_builder_status(d->values, d->text.err));
		SHEAF_TRY(sheaf_builder_status(d->lines, d->text.err));
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
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}
