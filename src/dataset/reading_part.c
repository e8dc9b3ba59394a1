/* SPDX-License-Identifier: MIT */
/* Some of the rows of a dataset, and what was found in them, as a part file. */
#include "dataset/reading_part.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include "data/frame_bytes.h"
#include "io/sink.h"
#include "io/source.h"
#include <string.h>

/* ---- findings ---- */

static sheaf_status hear(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_part_making *m = (sheaf_part_making *)user;
	(void)err;
	sheaf_kept_findings_put(&m->findings, problem, m->nblobs, NULL);
	return SHEAF_OK;
}

/* ---- rows ---- */

static sheaf_status put_frame(sheaf_part_making *m, sheaf_error *err)
{
	sheaf_builder b;
	sheaf_buffer bytes = {0};
	sheaf_builder_begin(&b, m->findings.cx, NULL);
	sheaf_frame_to_bytes(&m->frame, &b);
	SHEAF_TRY(sheaf_builder_finish(&b, &bytes, err));
	sheaf_status status = sheaf_sink_write(m->sink, bytes.data, bytes.size, err);
	sheaf_part_put_i64(&m->blobs, (int64_t)bytes.size);
	sheaf_part_put_i64(&m->blobs, m->frame.nrows);
	m->nblobs++;
	sheaf_buffer_reset(&bytes);
	return status;
}

static sheaf_status keep(sheaf_dataset *d, const sheaf_frame *frame, sheaf_error *err)
{
	sheaf_part_making *m = d->part;
	if (!frame) m->settled = m->whole && m->part == 1;
	if (!frame || !m->keeps || frame->nrows == 0) return SHEAF_OK;
	SHEAF_TRY(sheaf_frame_append(&m->frame, frame, 0, frame->nrows, d->cx, err));
	sheaf_status status = put_frame(m, err);
	sheaf_frame_clear(&m->frame);
	return status;
}

/* ---- which rows ---- */

static sheaf_status cut_input(sheaf_dataset *d, sheaf_error *err)
{
	sheaf_part_making *m = d->part;
	const char *why = sheaf_dataset_uncut(d);
	if (!why) SHEAF_TRY(sheaf_dataset_cut(d, &(sheaf_cutting){.parts = m->parts}, &m->cuts, err));
	if (!why && m->cuts.count == 0) why = "nothing to cut";
	m->whole = why != NULL;
	return why && m->part == 1 ? sheaf_report_uncut(d, why, d->cx, err) : SHEAF_OK;
}

static sheaf_status narrow(sheaf_dataset *d, sheaf_error *err)
{
	sheaf_part_making *m = d->part;
	if (m->whole && m->part == 1) return SHEAF_OK;
	sheaf_range range = {.cuts = &m->cuts, .open_ended = true};
	if (!m->whole) range = sheaf_cuts_share(&m->cuts, 0, sheaf_cuts_bytes(&m->cuts), m->part, m->parts);
	if (range.from >= range.to) range = (sheaf_range){.cuts = &m->cuts, .open_ended = true};
	return sheaf_dataset_narrow(d, &range, err);
}

static sheaf_status begin(sheaf_dataset *d, sheaf_part_rows rows, sheaf_error *err)
{
	sheaf_part_making *m = d->part;
	m->keeps = rows == SHEAF_PART_KEPT || (rows == SHEAF_PART_NUMBERED && sheaf_leaves_out(d->cx));
	SHEAF_TRY(sheaf_source_stamp(d->source, &m->input, err));
	SHEAF_TRY(sheaf_source_identify(d->source, &m->input, &m->input, err));
	SHEAF_TRY(cut_input(d, err));
	sheaf_context_overhear(d->cx, (sheaf_listener){hear, m});
	SHEAF_TRY(sheaf_part_begin(m->sink, err));
	d->keep = keep;
	return narrow(d, err);
}

static sheaf_status allocate(sheaf_dataset *d, sheaf_sink *sink, sheaf_error *err)
{
	void *memory;
	SHEAF_TRY(sheaf_allocate(d->cx, sizeof *d->part, &memory, err));
	d->part = (sheaf_part_making *)memory;
	*d->part = (sheaf_part_making){.sink = sink};
	sheaf_builder_begin(&d->part->findings, d->cx, NULL);
	sheaf_builder_begin(&d->part->blobs, d->cx, NULL);
	return SHEAF_OK;
}

static sheaf_status check_unread(const sheaf_dataset *d, sheaf_error *err)
{
	bool unread = !d->decoding.format && !d->ended && !d->failed && !d->part && !d->merged && !d->ranged;
	if (unread) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected a dataset of which nothing has been read, found another",
	                  sheaf_source_name(d->source));
}

static sheaf_status begin_part(const char *function, sheaf_dataset *d, const char *part, sheaf_sink *sink,
                               sheaf_error *err)
{
	int number, parts;
	sheaf_status status = SHEAF_OK;
	if (!sink) return sheaf_misuse(err, function, "expected a sink, found none");
	if (!d || !part) status = sheaf_misuse(err, function, "expected a dataset and a part, found none");
	if (status == SHEAF_OK) status = check_unread(d, err);
	if (status == SHEAF_OK) status = sheaf_part_number(part, &number, &parts, err);
	if (status == SHEAF_OK) status = allocate(d, sink, err);
	if (status) {
		sheaf_sink_abandon(sink);
		return status;
	}
	d->part->part = number;
	d->part->parts = parts;
	return SHEAF_OK;
}

sheaf_status sheaf_dataset_take_part(sheaf_dataset *d, const char *part, sheaf_part_rows rows,
                                     sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_TRY(begin_part(__func__, d, part, sink, err));
	sheaf_status status = begin(d, rows, err);
	d->failed = status != SHEAF_OK;
	return status;
}

bool sheaf_dataset_keeps_part(const sheaf_dataset *d) { return d && d->part && d->part->keeps; }

/* ---- the file ---- */

void sheaf_part_put_reading(sheaf_builder *common, const sheaf_part_making *m)
{
	sheaf_builder_u32le(common, m->keeps);
	sheaf_part_put_i64(common, m->whole ? -1 : m->cuts.count);
	sheaf_part_put_i64(common, m->whole ? -1 : m->cuts.rows);
}

static void put_bytes(sheaf_builder *b, const void *data, size_t size)
{
	sheaf_builder_u64le(b, size);
	sheaf_builder_append(b, data, size);
}

static sheaf_status put_own(const sheaf_dataset *d, const sheaf_part_outcome *o, sheaf_builder *own,
                            sheaf_error *err)
{
	sheaf_builder kept;
	const sheaf_part_making *m = d->part;
	bool carries = !m->settled && !o->failure && !(m->whole && m->part > 1);
	sheaf_builder_begin(&kept, d->cx, NULL);
	sheaf_status status = carries ? sheaf_dataset_carry(d, &kept, err) : SHEAF_OK;
	sheaf_builder_u32le(own, m->settled);
	sheaf_builder_u32le(own, o->failure ? (uint32_t)o->failure->status : 0);
	sheaf_part_put_text(own, o->failure ? o->failure->message : NULL);
	put_bytes(own, m->findings.data, m->findings.size);
	put_bytes(own, kept.data, kept.size);
	put_bytes(own, m->keeps ? NULL : o->state, m->keeps ? 0 : o->state_size);
	sheaf_builder_u64le(own, (uint64_t)m->nblobs);
	sheaf_builder_append(own, m->blobs.data, m->blobs.size);
	if (status == SHEAF_OK) status = sheaf_builder_status(&kept, err);
	sheaf_builder_drop(&kept);
	return status;
}

static sheaf_status write_part(sheaf_dataset *d, const sheaf_part_outcome *o, sheaf_error *err)
{
	sheaf_builder common, own;
	sheaf_part_making *m = d->part;
	sheaf_part_input input = {(char *)(uintptr_t)sheaf_source_name(d->source), m->input};
	sheaf_part_head head = {.job = (char *)(uintptr_t)o->job,
	                        .part = m->part,
	                        .parts = m->parts,
	                        .ninputs = 1,
	                        .inputs = &input,
	                        .options = (char *)(uintptr_t)(o->options ? o->options : "")};
	sheaf_builder_begin(&common, d->cx, NULL);
	sheaf_builder_begin(&own, d->cx, NULL);
	sheaf_part_put_reading(&common, m);
	sheaf_status status = sheaf_builder_status(&m->findings, err);
	if (status == SHEAF_OK) status = sheaf_builder_status(&m->blobs, err);
	if (status == SHEAF_OK) status = put_own(d, o, &own, err);
	if (status == SHEAF_OK) {
		status = sheaf_part_finish(m->sink, &head, &common, &own, err);
		m->sink = NULL;
	}
	sheaf_builder_drop(&common);
	sheaf_builder_drop(&own);
	return status;
}

sheaf_status sheaf_dataset_finish_part(sheaf_dataset *d, const sheaf_part_outcome *o, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	SHEAF_NEED(o, "an outcome");
	SHEAF_NEED(o->job, "the word for a job");
	if (o->size != sizeof *o)
		return sheaf_fail(err, SHEAF_USAGE, "part outcome: expected size %zu, found %zu", sizeof *o, o->size);
	if (!d->part || !d->part->sink || (!d->ended && !o->failure))
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a part that was read to its end, found another",
		                  sheaf_source_name(d->source));
	sheaf_status status = write_part(d, o, err);
	sheaf_dataset_drop_part(d);
	d->ended = true;
	return status;
}

/* ---- an index ---- */

static sheaf_status count_share(sheaf_dataset *d, sheaf_builder *state, sheaf_error *err)
{
	const sheaf_pieces *pieces;
	sheaf_piece_counts some = {.nothing = true};
	const sheaf_part_making *m = d->part;
	d->index->asked = true;
	SHEAF_TRY(sheaf_dataset_pieces(d, &pieces, err));
	if (sheaf_dataset_counts_pieces(d))
		SHEAF_TRY(sheaf_dataset_count_some(d, pieces, m->part, m->parts, &some, err));
	sheaf_part_put_i64(state, sheaf_pieces_count(pieces));
	sheaf_part_put_i64(state, some.first);
	sheaf_part_put_i64(state, some.n);
	sheaf_builder_u32le(state, some.nothing);
	sheaf_builder_append(state, some.counts.data, some.counts.size);
	sheaf_buffer_reset(&some.counts);
	return sheaf_builder_status(state, err);
}

static sheaf_status make_index_part(sheaf_dataset *d, const char *options, sheaf_error *err)
{
	sheaf_builder state;
	sheaf_part_outcome outcome = {.size = sizeof outcome, .job = SHEAF_INDEX_JOB, .options = options};
	SHEAF_TRY(sheaf_index_identify(&d->indexed, err));
	SHEAF_TRY(sheaf_source_stamp(d->source, &d->part->input, err));
	SHEAF_TRY(sheaf_source_identify(d->source, &d->part->input, &d->part->input, err));
	SHEAF_TRY(sheaf_part_begin(d->part->sink, err));
	d->part->settled = true;
	sheaf_builder_begin(&state, d->cx, NULL);
	sheaf_status status = count_share(d, &state, err);
	outcome.state = state.data;
	outcome.state_size = state.size;
	if (status == SHEAF_OK) status = write_part(d, &outcome, err);
	sheaf_builder_drop(&state);
	return status;
}

sheaf_status sheaf_dataset_index_part(sheaf_dataset *d, const char *part, const char *options,
                                      sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_TRY(begin_part(__func__, d, part, sink, err));
	sheaf_status status = make_index_part(d, options, err);
	sheaf_dataset_drop_part(d);
	d->failed = true; /* it is not read any more */
	return status;
}

/* The dataset reads by the cuts, so they stay. */
void sheaf_dataset_drop_part(sheaf_dataset *d)
{
	sheaf_part_making *m = d->part;
	if (!m) return;
	sheaf_context_overhear(d->cx, (sheaf_listener){0});
	d->keep = NULL;
	if (m->sink) sheaf_sink_abandon(m->sink);
	m->sink = NULL;
	sheaf_builder_drop(&m->findings);
	sheaf_builder_drop(&m->blobs);
	sheaf_frame_free(&m->frame);
}
