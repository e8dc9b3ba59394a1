/* SPDX-License-Identifier: MIT */
/* Some of the rows of inputs, and what was found in them, as a part file.
 *
 * A dataset that makes a part gives the part's rows and no others (range.c). On their way they are written to
 * the payload, if the part keeps rows; findings are overheard, and after the last row the review of the
 * format lists what it has counted. Everything that is not rows is held in memory until the payload is
 * complete, since it comes after it. */
#include "job/part/reading_part.h"
#include "base/carried.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "frame/frame.h"
#include "frame/frame_bytes.h"
#include "frame/schema/schema_bytes.h"
#include "io/sink.h"
#include "io/source.h"
#include <string.h>

/* ---- what passes ---- */

/* Keeps a finding that passes, with the number of frames before it, which is where the merge reports it. */
static sheaf_status hear(void *user, const sheaf_problem *problem, sheaf_error *err)
{
	sheaf_part_making *m = (sheaf_part_making *)user;
	(void)err;
	sheaf_kept_findings_put(&m->findings, problem, m->nframes, sheaf_sink_name(m->sink));
	return SHEAF_OK;
}

/* Counts a frame of the part's rows, and writes it into the payload if the part keeps rows; NULL: there are
 * no more. Rows are copied first, so that buffers contain what belongs to them and nothing else. */
static sheaf_status keep(sheaf_dataset *d, const sheaf_frame *frame, sheaf_error *err)
{
	sheaf_part_making *m = d->part;
	if (!frame) m->settled = m->whole && m->part == 1;
	if (!frame || frame->nrows == 0) return SHEAF_OK;
	if (m->row < 0) m->row = m->before + d->row;
	m->rows += frame->nrows;
	if (!m->keeps) return SHEAF_OK;
	SHEAF_TRY(sheaf_frame_append(&m->frame, frame, 0, frame->nrows, m->cx, err));
	m->bytes.size = 0;
	sheaf_frame_to_bytes(&m->frame, &m->bytes);
	sheaf_frame_clear(&m->frame);
	SHEAF_TRY(sheaf_builder_status(&m->bytes, err));
	sheaf_builder_i64le(&m->frames, (int64_t)m->bytes.size);
	sheaf_builder_i64le(&m->frames, frame->nrows);
	m->nframes++;
	return sheaf_sink_write(m->sink, m->bytes.data, m->bytes.size, err);
}

/* ---- which rows ---- */

/* Sets the path and the identity of an input, and the hash of its schema if it was opened. UNSUPPORTED if
 * the source is no plain regular file, since nobody could tell later whether it is the same. */
static sheaf_status identify(sheaf_part_making *m, int input, sheaf_error *err)
{
	sheaf_identity stamp;
	const sheaf_dataset *d = m->datasets[input];
	sheaf_part_input *out = &m->inputs[input];
	out->path = (char *)(uintptr_t)sheaf_source_name(d->source);
	SHEAF_TRY(sheaf_source_stamp(d->source, &stamp, err));
	SHEAF_TRY(sheaf_source_identify(d->source, &stamp, &out->identity, err));
	return d->in ? sheaf_schema_hash(&d->in->schema, m->cx, &out->schema, err) : SHEAF_OK;
}

/* Begins the builders and allocates the arrays of a part. On failure sheaf_part_making_drop releases what
 * is there. */
static sheaf_status allocate(sheaf_part_making *m, sheaf_error *err)
{
	sheaf_builder *builders[] = {&m->segments, &m->findings, &m->frames, &m->bytes};
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
		sheaf_builder_begin(builders[i], m->cx, NULL);
	SHEAF_TRY(sheaf_allocate_array(m->cx, (uint64_t)m->ninputs, sizeof *m->inputs, &m->inputs, err));
	SHEAF_TRY(sheaf_allocate_array(m->cx, (uint64_t)m->ninputs, sizeof *m->cuts, &m->cuts, err));
	return SHEAF_OK;
}

/* Identifies the inputs, finds the borders of parts in each of them, and begins the file. If one input
 * cannot be cut, the first part has everything, and says so. */
sheaf_status sheaf_part_making_begin(sheaf_part_making *m, sheaf_context *cx, sheaf_error *err)
{
	m->cx = cx;
	m->row = -1;
	SHEAF_TRY(allocate(m, err));
	for (int i = 0; i < m->ninputs; i++) SHEAF_TRY(identify(m, i, err));
	for (int i = 0; i < m->ninputs && !m->whole; i++) {
		sheaf_dataset *d = m->datasets[i];
		const char *why = sheaf_dataset_uncut(d);
		if (!why) SHEAF_TRY(sheaf_dataset_cut(d, m->parts, &m->cuts[i], err));
		if (!why && m->cuts[i].count == 0) why = "nothing to cut";
		if (why && m->part == 1) SHEAF_TRY(sheaf_report_uncut(d, why, d->cx, err));
		m->whole = why != NULL;
	}
	return sheaf_part_begin(m->sink, err);
}

/* Makes an input give the part's rows only: those of the pieces that begin in the part's share of the bytes
 * of all inputs. A share without any, like that of a later part where the first one has everything, is a
 * range of no pieces. */
sheaf_status sheaf_part_making_read(sheaf_part_making *m, int input, sheaf_error *err)
{
	sheaf_dataset *d = m->datasets[input];
	int64_t bytes_before = 0, total = 0;
	m->input = input;
	m->before = 0;
	for (int i = 0; i < m->ninputs; i++) {
		int64_t rows = m->whole ? m->datasets[i]->next_row : m->cuts[i].rows;
		if (i < input) m->before += rows;
		if (i < input) bytes_before += sheaf_cuts_bytes(&m->cuts[i]);
		total += sheaf_cuts_bytes(&m->cuts[i]);
	}
	d->part = m;
	d->keep = keep;
	sheaf_context_overhear(d->cx, (sheaf_listener){hear, m});
	if (m->whole && m->part == 1) return SHEAF_OK;
	sheaf_range range = {0};
	if (!m->whole) range = sheaf_cuts_share(&m->cuts[input], bytes_before, total, m->part, m->parts);
	if (range.from >= range.to) range = (sheaf_range){.cuts = &m->cuts[input], .open_ended = true};
	return sheaf_dataset_narrow(d, &range, err);
}

/* ---- the file ---- */

/* Writes bytes with their number before them, as read_bytes reads them. */
static void put_bytes(sheaf_builder *b, const void *data, size_t size)
{
	sheaf_builder_u64le(b, size);
	sheaf_builder_append(b, data, size);
}

/* Closes the account of an input: its findings, what its review has kept, and the sizes of its frames. The
 * next input begins with empty ones. */
static void put_segment(sheaf_part_making *m, const sheaf_builder *kept)
{
	put_bytes(&m->segments, m->findings.data, m->findings.size);
	put_bytes(&m->segments, kept->data, kept->size);
	sheaf_builder_u64le(&m->segments, (uint64_t)m->nframes);
	sheaf_builder_append(&m->segments, m->frames.data, m->frames.size);
	m->findings.size = m->frames.size = 0;
	m->nframes = 0;
}

/* Ends an input: adds its account to the part. Its review has what it has counted in the part's rows,
 * unless the part has everything, in which case it has reported that itself, or reading has failed. */
sheaf_status sheaf_part_making_add(sheaf_part_making *m, const sheaf_error *failure, sheaf_error *err)
{
	sheaf_builder kept;
	sheaf_dataset *d = m->datasets[m->input];
	bool carries = !m->settled && !failure && !(m->whole && m->part > 1) && d->format->carry;
	sheaf_context_overhear(d->cx, (sheaf_listener){0});
	d->keep = NULL;
	SHEAF_TRY(sheaf_builder_status(&m->findings, err));
	SHEAF_TRY(sheaf_builder_status(&m->frames, err));
	sheaf_builder_begin(&kept, m->cx, NULL);
	const sheaf_carried counts = {.to = &kept};
	sheaf_status status = carries ? d->format->carry(d->in, &counts, err) : SHEAF_OK;
	if (status == SHEAF_OK) status = sheaf_builder_status(&kept, err);
	put_segment(m, &kept);
	sheaf_builder_drop(&kept);
	return status;
}

/* Writes the foot and finishes the file. All parts have the same bytes in `common`, and merging compares
 * them one by one: the borders in each input, and what the job has in common. What is the part's own: how it
 * ended, its rows, its inputs, and its state. */
sheaf_status sheaf_part_making_write(sheaf_part_making *m, const sheaf_part_outcome *o,
                                     const sheaf_builder *shared, sheaf_error *err)
{
	sheaf_builder common, own;
	sheaf_sink *sink = m->sink;
	sheaf_part_head head = {.job = (char *)(uintptr_t)o->job,
	                        .part = m->part,
	                        .parts = m->parts,
	                        .ninputs = m->ninputs,
	                        .inputs = m->inputs,
	                        .options = (char *)(uintptr_t)(o->options ? o->options : "")};
	SHEAF_TRY(sheaf_builder_status(&m->segments, err));
	sheaf_builder_begin(&common, m->cx, NULL);
	sheaf_builder_begin(&own, m->cx, NULL);

	sheaf_builder_u32le(&common, m->keeps);
	for (int i = 0; i < m->ninputs; i++) {
		sheaf_builder_i64le(&common, m->whole ? -1 : m->cuts[i].count);
		sheaf_builder_i64le(&common, m->whole ? -1 : m->cuts[i].rows);
		sheaf_builder_u64le(&common, m->whole ? 0 : sheaf_cuts_hash(&m->cuts[i]));
	}
	put_bytes(&common, shared ? shared->data : NULL, shared ? shared->size : 0);
	sheaf_builder_u32le(&own, m->settled);
	sheaf_builder_u32le(&own, o->failure ? (uint32_t)o->failure->status : 0);
	sheaf_builder_counted_text(&own, o->failure ? o->failure->message : NULL);
	sheaf_builder_i64le(&own, m->row < 0 ? 0 : m->row);
	sheaf_builder_i64le(&own, m->rows);
	sheaf_builder_append(&own, m->segments.data, m->segments.size);
	put_bytes(&own, o->state, o->state_size);
	m->sink = NULL;
	sheaf_status status = sheaf_part_finish(sink, &head, &common, &own, err);
	sheaf_builder_drop(&common);
	sheaf_builder_drop(&own);
	return status;
}

/* Frees a part and abandons its file, unless that was finished. The cuts stay, since datasets may still
 * read by them. */
void sheaf_part_making_drop(sheaf_part_making *m)
{
	sheaf_builder *builders[] = {&m->segments, &m->findings, &m->frames, &m->bytes};
	if (m->sink) sheaf_sink_abandon(m->sink);
	m->sink = NULL;
	if (!m->cx) return;
	sheaf_context_overhear(m->cx, (sheaf_listener){0});
	for (size_t i = 0; i < sizeof builders / sizeof *builders; i++) sheaf_builder_drop(builders[i]);
	sheaf_frame_free(&m->frame);
	sheaf_release(m->cx, m->inputs, (size_t)m->ninputs * sizeof *m->inputs);
	m->inputs = NULL;
}

void sheaf_part_making_free_cuts(sheaf_part_making *m)
{
	for (int i = 0; m->cuts && i < m->ninputs; i++) sheaf_cuts_free(&m->cuts[i]);
	if (m->cuts) sheaf_release(m->cx, m->cuts, (size_t)m->ninputs * sizeof *m->cuts);
	m->cuts = NULL;
}

/* ---- of one dataset ---- */

/* Fails if anything was read of a dataset, or if it already belongs to a job. */
sheaf_status sheaf_dataset_check_unread(const sheaf_dataset *d, sheaf_error *err)
{
	bool was_read = d->decoding.format || d->ended || d->failed;
	bool has_job = d->part || d->merged || d->ranged;
	if (!was_read && !has_job) return SHEAF_OK;
	return sheaf_fail(err, SHEAF_USAGE,
	                  "%s: expected a dataset of which nothing has been read, found another",
	                  sheaf_source_name(d->source));
}

/* Takes the part away from its dataset, in two calls: before its reader is closed everything but the cuts,
 * which the reader needs, and the rest afterwards (`closed`). */
static void leave_part(sheaf_dataset *d, bool closed)
{
	d->keep = NULL;
	if (!closed) {
		sheaf_part_making_drop(d->part);
		return;
	}
	sheaf_part_making_free_cuts(d->part);
	sheaf_release(d->cx, d->part, sizeof *d->part);
}

/* Gives the dataset a part of its own, which it closes. The sink belongs to it from now on, and is
 * abandoned on failure. */
static sheaf_status begin_part(const char *function, sheaf_dataset *d, const char *part, sheaf_sink *sink,
                               sheaf_error *err)
{
	sheaf_part_making m = {.ninputs = 1, .only = d, .sink = sink};
	if (!sink) return sheaf_misuse(err, function, "expected a sink, found none");
	sheaf_status status = d && part
	                          ? sheaf_dataset_check_unread(d, err)
	                          : sheaf_misuse(err, function, "expected a dataset and a part, found none");
	if (status == SHEAF_OK) status = sheaf_part_number(part, &m.part, &m.parts, err);
	if (status == SHEAF_OK) status = sheaf_allocate(d->cx, sizeof *d->part, &d->part, err);
	if (status) {
		sheaf_sink_abandon(sink);
		return status;
	}
	*d->part = m;
	d->leave = leave_part;
	d->part->datasets = &d->part->only;
	return SHEAF_OK;
}

/* Makes a dataset give the rows of a part, and write the part on the way. Rows are kept where the caller
 * asks for that, or where an error could leave some out, which would change the numbers of later ones. */
sheaf_status sheaf_dataset_take_part(sheaf_dataset *d, const char *part, sheaf_part_rows rows,
                                     sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_TRY(begin_part(__func__, d, part, sink, err));
	d->part->keeps = rows == SHEAF_PART_KEPT || (rows == SHEAF_PART_NUMBERED && sheaf_leaves_out(d->cx));
	sheaf_status status = sheaf_part_making_begin(d->part, d->cx, err);
	if (status == SHEAF_OK) status = sheaf_part_making_read(d->part, 0, err);
	d->failed = status != SHEAF_OK;
	return status;
}

bool sheaf_dataset_keeps_part(const sheaf_dataset *d) { return d && d->part && d->part->keeps; }

/* Finishes the part that a dataset has made of what was read. A part that keeps rows has no state: the
 * merge makes the result of the rows. */
sheaf_status sheaf_dataset_finish_part(sheaf_dataset *d, const sheaf_part_outcome *o, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	SHEAF_NEED(o, "an outcome");
	SHEAF_NEED(o->job, "the word for a job");
	SHEAF_TRY(sheaf_check_size("part outcome", o->size, sizeof *o, err));
	bool has_part = d->part && d->part->sink, was_read = d->ended || o->failure;
	if (!has_part || !was_read)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a part that was read to its end, found another",
		                  sheaf_source_name(d->source));
	sheaf_part_outcome outcome = *o;
	if (d->part->keeps) outcome.state_size = 0;
	sheaf_status status = sheaf_part_making_add(d->part, o->failure, err);
	if (status == SHEAF_OK) status = sheaf_part_making_write(d->part, &outcome, NULL, err);
	leave_part(d, false);
	d->ended = true;
	return status;
}

/* ---- an index ---- */

/* Makes a part of an index. The pieces of the part are counted, and those of the others only located: the
 * merge needs a table of all. The part has no rows, and its state is where its pieces are in that table, with
 * their counts. */
static sheaf_status make_index_part(sheaf_dataset *d, const char *options, sheaf_error *err)
{
	sheaf_builder state;
	const sheaf_pieces *pieces;
	sheaf_piece_counts some = {.nothing = true};
	sheaf_part_making *m = d->part;
	m->cx = d->cx;
	SHEAF_TRY(allocate(m, err));
	SHEAF_TRY(sheaf_index_identify(&d->indexed, err));
	SHEAF_TRY(identify(m, 0, err));
	SHEAF_TRY(sheaf_part_begin(m->sink, err));
	m->settled = true;
	d->index->asked = true;
	SHEAF_TRY(sheaf_dataset_pieces(d, &pieces, err));
	if (sheaf_dataset_counts_pieces(d))
		SHEAF_TRY(sheaf_dataset_count_some(d, pieces, m->part, m->parts, &some, err));
	sheaf_builder_begin(&state, d->cx, NULL);
	sheaf_builder_i64le(&state, sheaf_pieces_count(pieces));
	sheaf_builder_i64le(&state, some.first);
	sheaf_builder_i64le(&state, some.n);
	sheaf_builder_u32le(&state, some.nothing);
	sheaf_builder_append(&state, some.counts.data, some.counts.size);
	sheaf_buffer_reset(&some.counts);
	put_segment(m, &(sheaf_builder){0});
	const sheaf_part_outcome outcome = {.size = sizeof outcome,
	                                    .job = SHEAF_INDEX_JOB,
	                                    .options = options,
	                                    .state = state.data,
	                                    .state_size = state.size};
	sheaf_status status = sheaf_builder_status(&state, err);
	if (status == SHEAF_OK) status = sheaf_part_making_write(m, &outcome, NULL, err);
	sheaf_builder_drop(&state);
	return status;
}

/* Makes a part of an index of the dataset, which cannot be read afterwards. */
sheaf_status sheaf_dataset_index_part(sheaf_dataset *d, const char *part, const char *options,
                                      sheaf_sink *sink, sheaf_error *err)
{
	SHEAF_TRY(begin_part(__func__, d, part, sink, err));
	sheaf_status status = make_index_part(d, options, err);
	leave_part(d, false);
	d->failed = true; /* it is not read any more */
	return status;
}
