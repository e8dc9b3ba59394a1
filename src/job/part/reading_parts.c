/* SPDX-License-Identifier: MIT */
/* All parts of a reading, put together: their findings and results come as if the rows had been read here.
 *
 * A part has, for each input: findings, what its review has kept, and frames of rows in the payload, one
 * after the other. A dataset that takes the parts goes through them in order (next_kept): findings up to a
 * frame, the frame, and after the last one the review, which the format's own review goes on from. So the
 * caller of sheaf_next sees what it would have seen without parts, down to the number of each row. Nothing in
 * a part is trusted: sizes and rows must add up before the first frame is given. */
#include "base/carried.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "dataset/index/counts.h"
#include "frame/frame.h"
#include "frame/frame_bytes.h"
#include "frame/schema/schema_bytes.h"
#include "io/source.h"
#include "job/part/reading_part.h"
#include <stdio.h>
#include <string.h>

enum { FRAME = 16 /* bytes that a frame takes in the foot: how long it is, and how many rows it has */ };

/* ---- from bytes ---- */

/* Reads bytes with their number before them, and views them where they are; no bytes if the cursor has
 * failed. */
static sheaf_bytes read_bytes(sheaf_cursor *c, const char *what)
{
	uint64_t size = sheaf_cursor_u64le(c, what);
	const uint8_t *bytes = sheaf_cursor_bytes(c, size, 1, what);
	return (sheaf_bytes){bytes, bytes ? (size_t)size : 0};
}

/* Reads the size and the rows of frame i. They are read whenever they are needed, since there may be many
 * frames. */
static void frame_at(const sheaf_part_segment *s, int64_t i, int64_t *size, int64_t *rows)
{
	sheaf_cursor c = sheaf_cursor_over(s->frames.data + (size_t)i * FRAME, FRAME, 0);
	*size = sheaf_cursor_i64le(&c, "bytes");
	*rows = sheaf_cursor_i64le(&c, "rows");
}

/* Reads what a part has of an input. Its frames follow one another in the payload, from byte *at on, which
 * moves past them; *rows is what is left of the part's rows. */
static sheaf_status read_segment(sheaf_cursor *c, const sheaf_part_file *part, sheaf_part_segment *out,
                                 int64_t *at, int64_t *rows, sheaf_error *err)
{
	int64_t size, frame_rows, end = SHEAF_PART_PAYLOAD + part->payload;
	out->findings = read_bytes(c, "findings");
	out->kept = read_bytes(c, "review");
	uint64_t count = sheaf_cursor_u64le(c, "number of frames");
	const uint8_t *frames = sheaf_cursor_bytes(c, count, FRAME, "frames");
	if (c->failed) return sheaf_part_refuse(part, "what it has of an input", err);
	out->frames = (sheaf_bytes){frames, (size_t)count * FRAME};
	out->nframes = (int64_t)count;
	out->at = *at;
	for (int64_t i = 0; i < out->nframes; i++) {
		frame_at(out, i, &size, &frame_rows);
		bool fits = size >= 0 && size <= end - *at && frame_rows >= 0 && frame_rows <= *rows;
		if (!fits) return sheaf_part_refuse(part, "bytes and rows", err);
		*at += size;
		*rows -= frame_rows;
	}
	return SHEAF_OK;
}

/* Reads how the reading of a part has ended, and where its rows are. What it failed with, if it did, must
 * be a status that belongs to the input, and has a message. Bytes and rows of all frames must add up to those
 * of the part. */
static sheaf_status read_reading(const sheaf_parts *p, const sheaf_part_file *part, sheaf_part_reading *out,
                                 sheaf_error *err)
{
	sheaf_cursor c = sheaf_cursor_over(part->own.data, part->own.size, 0);
	int64_t payload_at = SHEAF_PART_PAYLOAD;
	uint64_t ninputs = (uint64_t)part->head.ninputs;
	SHEAF_TRY(sheaf_part_read_mark(&c, part, "mark of the whole", &out->settled, err));
	uint32_t failure = sheaf_cursor_u32le(&c, "status");
	bool may_end = failure == SHEAF_OK || failure == SHEAF_DATA || failure == SHEAF_SHORT ||
	               failure == SHEAF_UNSUPPORTED;
	if (c.failed || !may_end) return sheaf_part_refuse(part, "a status", err);
	out->failure = (sheaf_status)failure;
	SHEAF_TRY(sheaf_part_read_text(&c, part, &out->message, err));
	out->row = sheaf_cursor_i64le(&c, "first row");
	int64_t rows = out->rows = sheaf_cursor_i64le(&c, "rows");
	if (c.failed || out->row < 0 || rows < 0 || out->row > INT64_MAX - rows)
		return sheaf_part_refuse(part, "its rows", err);
	SHEAF_TRY(sheaf_allocate_array(p->cx, ninputs, sizeof *out->segments, &out->segments, err));
	for (int i = 0; i < part->head.ninputs; i++)
		SHEAF_TRY(read_segment(&c, part, &out->segments[i], &payload_at, &rows, err));
	out->state = read_bytes(&c, "state");
	if (c.failed || sheaf_cursor_left(&c) || (out->failure && !out->message))
		return sheaf_part_refuse(part, "what is its own", err);
	bool adds_up = payload_at == SHEAF_PART_PAYLOAD + part->payload && rows == 0;
	if (p->keep ? !adds_up : payload_at > SHEAF_PART_PAYLOAD)
		return sheaf_part_refuse(part, "sums of bytes and rows", err);
	return SHEAF_OK;
}

/* ---- opening ---- */

/* Tells which job a part file is of: job[] is empty if the file is no part. */
sheaf_status sheaf_part_job(const char *path, sheaf_context *cx, char job[SHEAF_PART_JOB], sheaf_error *err)
{
	bool is;
	sheaf_source *source;
	sheaf_part_file part;
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(job, "room for a word");
	job[0] = '\0';
	SHEAF_TRY(sheaf_source_path(path, cx, &source, err));
	sheaf_status status = sheaf_is_part(source, &is, err);
	if (status || !is) {
		sheaf_source_close(source);
		return status;
	}
	SHEAF_TRY(sheaf_part_open(source, cx, &part, err));
	snprintf(job, SHEAF_PART_JOB, "%s", part.head.job);
	sheaf_part_close(&part);
	return SHEAF_OK;
}

/* Reads what all parts have. What they have in common is the same in each, so the first one's is read. It
 * begins with the borders, three numbers for each input, which are there to be compared. */
static sheaf_status read_readings(sheaf_parts *p, sheaf_error *err)
{
	const sheaf_part_file *any = p->set.parts;
	sheaf_cursor c = sheaf_cursor_over(any->common.data, any->common.size, 0);
	SHEAF_TRY(sheaf_part_read_mark(&c, any, "mark of rows", &p->keep, err));
	(void)sheaf_cursor_bytes(&c, (uint64_t)any->head.ninputs, 3 * sizeof(int64_t), "pieces");
	p->shared = read_bytes(&c, "what the job has in common");
	if (c.failed || sheaf_cursor_left(&c) || any->head.ninputs < 1)
		return sheaf_part_refuse(any, "what is common", err);
	SHEAF_TRY(sheaf_allocate_array(p->cx, (uint64_t)p->set.n, sizeof *p->readings, &p->readings, err));
	for (int i = 0; i < p->set.n; i++) {
		SHEAF_TRY(read_reading(p, &p->set.parts[i], &p->readings[i], err));
		if (!sheaf_add_i64(&p->rows, p->rows, p->readings[i].rows))
			return sheaf_part_refuse(&p->set.parts[i], "its rows", err);
	}
	return SHEAF_OK;
}

/* Opens all parts of a job. The sources are closed in any case: by the set, or here if it does not come to
 * that. */
sheaf_status sheaf_parts_open(sheaf_source *const *sources, int n, sheaf_context *cx, sheaf_parts **out,
                              sheaf_error *err)
{
	sheaf_parts *p;
	SHEAF_NEED(sources, "sources");
	if (out) *out = NULL;
	sheaf_status status = !out  ? sheaf_not_given(__func__, "a place for the outcome", err)
	                      : !cx ? sheaf_not_given(__func__, "a context", err)
	                      : n < 1 || n > SHEAF_PARTS_MOST
	                          ? sheaf_out_of_range(__func__, "a number of parts from 1 to 2^20", n, err)
	                          : sheaf_allocate(cx, sizeof *p, &p, err);
	if (status) {
		for (int i = 0; i < n; i++) sheaf_source_close(sources[i]);
		return status;
	}
	*p = (sheaf_parts){.cx = cx};
	status = sheaf_part_set_take(sources, n, cx, &p->set, err);
	if (status == SHEAF_OK) status = read_readings(p, err);
	if (status == SHEAF_OK)
		*out = p;
	else
		sheaf_parts_close(p);
	return status;
}

/* Frees all parts and closes their sources; NULL is allowed. */
void sheaf_parts_close(sheaf_parts *p)
{
	if (!p) return;
	for (int i = 0; p->readings && i < p->set.n; i++) {
		sheaf_part_reading *r = &p->readings[i];
		sheaf_release_text(p->cx, r->message);
		sheaf_release(p->cx, r->segments, (size_t)p->set.parts[i].head.ninputs * sizeof *r->segments);
	}
	sheaf_release(p->cx, p->readings, (size_t)p->set.n * sizeof *p->readings);
	sheaf_part_set_close(&p->set);
	sheaf_release(p->cx, p, sizeof *p);
}

sheaf_parts_info sheaf_parts_about(const sheaf_parts *p)
{
	if (!p) return (sheaf_parts_info){0};
	const sheaf_part_head *head = &p->set.parts->head;
	return (sheaf_parts_info){.count = p->set.n,
	                          .job = head->job,
	                          .options = head->options,
	                          .input = head->ninputs ? head->inputs[0].path : NULL};
}

/* Gives the state that part i has, which is borrowed from the parts. */
sheaf_status sheaf_parts_state(const sheaf_parts *p, int i, sheaf_bytes *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = (sheaf_bytes){0};
	SHEAF_NEED(p, "parts");
	SHEAF_EXPECT(i >= 0 && i < p->set.n, "the number of a part", i);
	*out = p->readings[i].state;
	return SHEAF_OK;
}

/* Checks that an input still has the schema with which the parts were made; also where the parts have bytes
 * of the output, which belong to its columns. */
sheaf_status sheaf_parts_check_schema(const sheaf_parts *p, int input, const sheaf_dataset *d,
                                      sheaf_error *err)
{
	uint64_t schema;
	const sheaf_part_file *part = p->set.parts;
	SHEAF_TRY(sheaf_schema_hash(&d->in->schema, d->cx, &schema, err));
	if (schema == part->head.inputs[input].schema) return SHEAF_OK;
	return sheaf_fail(
		err, SHEAF_DATA,
		"%s: expected the streams or columns that %s was made with, found others: what declares "
		"them was changed",
		sheaf_source_name(d->source), sheaf_source_name(part->source));
}

/* ---- reading them ---- */

/* Frees the frame that the parts have given, before the dataset that owns its memory is closed. */
static void leave_parts(sheaf_dataset *d, bool closed)
{
	if (!closed) sheaf_frame_free(&d->merged->frame);
}

/* What the current part has of the current input. */
static const sheaf_part_segment *segment_of(const sheaf_parts *p)
{
	return &p->readings[p->part].segments[p->input];
}

/* Reads the next frame of the current part into p->frame. Its number of rows is known from the foot, whose
 * sums were checked, and must be the same. */
static sheaf_status read_rows(sheaf_parts *p, sheaf_dataset *d, sheaf_error *err)
{
	int64_t size, rows;
	sheaf_buffer bytes = {0};
	const sheaf_part_file *part = &p->set.parts[p->part];
	frame_at(segment_of(p), p->frame_at, &size, &rows);
	sheaf_frame_free(&p->frame); /* the next one takes its memory */
	SHEAF_TRY(sheaf_source_view_at(part->source, p->byte, (size_t)size, &bytes, err));
	sheaf_status status = sheaf_frame_from_bytes(&bytes, &d->in->schema, d->cx, &p->frame, err);
	sheaf_buffer_reset(&bytes);
	if (status == SHEAF_DATA || (status == SHEAF_OK && p->frame.nrows != rows))
		return sheaf_part_refuse(part, "rows", err);
	p->frame_at++;
	p->byte += size;
	return status;
}

/* Ends the current part after its rows: reports the rest of its findings, lets the format take over what
 * its review has kept, and goes to the next part. If the part's reading has failed, so does this one, and
 * later parts have no state. */
static sheaf_status end_part(sheaf_parts *p, sheaf_dataset *d, sheaf_error *err)
{
	const sheaf_part_reading *r = &p->readings[p->part];
	const sheaf_bytes *review = &segment_of(p)->kept;
	sheaf_cursor kept = sheaf_cursor_over(review->data, review->size, 0);
	SHEAF_TRY(sheaf_kept_findings_until(&p->findings, INT64_MAX - 1, d->cx, err));
	if (r->failure) {
		for (int i = p->part + 1; i < p->set.n; i++) p->readings[i].state = (sheaf_bytes){0};
		return sheaf_fail(err, r->failure, "%s", r->message);
	}
	const sheaf_carried counts = {.from = &kept};
	if (review->size && !d->format->carry) return sheaf_part_refuse(&p->set.parts[p->part], "review", err);
	if (review->size) SHEAF_TRY(d->format->carry(d->in, &counts, err));
	p->part++;
	p->begun = false;
	return SHEAF_OK;
}

/* Gives the next rows of the parts, after what was found before them. After the last part comes what is
 * said of the whole input, unless the first part has had all of it. */
static sheaf_status next_kept(sheaf_dataset *d, const sheaf_frame **out, sheaf_error *err)
{
	sheaf_parts *p = d->merged;
	while (p->part < p->set.n) {
		const sheaf_part_segment *segment = segment_of(p);
		SHEAF_TRY(sheaf_check_stop(d->cx, err));
		if (!p->begun) {
			p->begun = true;
			p->frame_at = 0;
			p->byte = segment->at;
			p->findings = sheaf_kept_findings_over(segment->findings, p->output);
		}
		if (p->frame_at == segment->nframes) {
			SHEAF_TRY(end_part(p, d, err));
			continue;
		}
		SHEAF_TRY(sheaf_kept_findings_until(&p->findings, p->frame_at, d->cx, err));
		SHEAF_TRY(read_rows(p, d, err));
		d->row = d->next_row;
		d->next_row += p->frame.nrows;
		*out = &p->frame;
		return SHEAF_OK;
	}
	d->ended = true;
	if (!p->readings[0].settled && d->format->review)
		SHEAF_TRY(d->format->review(d->in, NULL, d->next_row, err));
	return SHEAF_END;
}

/* Lets a dataset give the rows that the parts have of an input instead of its own. The index of the input
 * is neither used nor made from now on. */
sheaf_status sheaf_dataset_take_input(sheaf_dataset *d, sheaf_parts *p, int input, sheaf_error *err)
{
	SHEAF_TRY(sheaf_parts_check_schema(p, input, d, err));
	sheaf_index_pass_over(&d->indexed);
	p->input = input;
	p->part = 0;
	p->begun = false;
	d->merged = p;
	d->next_kept = next_kept;
	d->leave = leave_parts;
	d->ranged = true;
	return SHEAF_OK;
}

/* Lets a dataset give the rows of parts that were made by reading its file. */
sheaf_status sheaf_dataset_take_parts(sheaf_dataset *d, sheaf_parts *p, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	SHEAF_NEED(p, "parts");
	SHEAF_TRY(sheaf_dataset_check_unread(d, err));
	if (strcmp(p->set.parts->head.job, "convert") == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a part of a reading, found one of a conversion",
		                  sheaf_source_name(p->set.parts->source));
	SHEAF_TRY(sheaf_part_check_input(p->set.parts, 0, d->source, err));
	return sheaf_dataset_take_input(d, p, 0, err);
}

/* ---- an index ---- */

/* Adds the counts of a part's pieces, which must follow those of the parts before it. *all becomes false if
 * the part has none. */
static sheaf_status add_counts(const sheaf_parts *p, int i, const sheaf_dataset *d, sheaf_builder *counts,
                               bool *all, sheaf_error *err)
{
	const sheaf_bytes *state = &p->readings[i].state;
	size_t piece_size = sheaf_counts_size(&d->in->schema);
	sheaf_cursor c = sheaf_cursor_over(state->data, state->size, 0);
	int64_t count = sheaf_cursor_i64le(&c, "pieces"), first_piece = sheaf_cursor_i64le(&c, "first piece"),
			n = sheaf_cursor_i64le(&c, "pieces of the part");
	bool nothing;
	SHEAF_TRY(sheaf_part_read_mark(&c, &p->set.parts[i], "mark of counts", &nothing, err));
	if (c.failed || count != d->surveyed->count) return sheaf_part_refuse(&p->set.parts[i], "pieces", err);
	*all = *all && !nothing;
	if (!*all) return SHEAF_OK;
	bool follows = n == 0 || (uint64_t)first_piece * piece_size == counts->size;
	if (!follows || sheaf_cursor_left(&c) / piece_size != (uint64_t)n || sheaf_cursor_left(&c) % piece_size)
		return sheaf_part_refuse(&p->set.parts[i], "counts", err);
	sheaf_builder_append(counts, c.at, sheaf_cursor_left(&c));
	return sheaf_builder_status(counts, err);
}

/* Gives the dataset's table the counts of all pieces, which the index keeps beside it, unless it has them
 * already. They are all there or none: a part whose counting would have left out rows has none. */
static sheaf_status take_counts(const sheaf_parts *p, sheaf_dataset *d, sheaf_error *err)
{
	sheaf_builder counts;
	bool has_all = true;
	sheaf_status status = SHEAF_OK;
	if (d->surveyed->counts.size) return SHEAF_OK;
	sheaf_builder_begin(&counts, d->cx, NULL);
	for (int i = 0; i < p->set.n && status == SHEAF_OK; i++)
		status = add_counts(p, i, d, &counts, &has_all, err);
	bool is_complete = counts.size == (size_t)d->surveyed->count * sheaf_counts_size(&d->in->schema);
	if (status == SHEAF_OK && has_all && !is_complete)
		status = sheaf_part_refuse(p->set.parts, "counts of all pieces", err);
	if (status == SHEAF_OK && has_all) status = sheaf_builder_finish(&counts, &d->surveyed->counts, err);
	if (status == SHEAF_OK && !sheaf_counts_are_known(d->surveyed)) {
		sheaf_buffer_reset(&d->surveyed->counts);
		status = sheaf_part_refuse(p->set.parts, "marks of keys", err);
	}
	sheaf_builder_drop(&counts);
	return status;
}

/* The input is the one that was opened, or its index would describe another. The table of a fresh index has
 * its counts; a table that was made for this one gets them, from a pass over the rows, or from the parts. */
sheaf_status sheaf_dataset_write_index(sheaf_dataset *d, const sheaf_parts *p, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	const sheaf_pieces *pieces;
	if (p && strcmp(p->set.parts->head.job, SHEAF_INDEX_JOB) != 0)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a part of an index, found one of sheaf %s",
		                  sheaf_source_name(p->set.parts->source), p->set.parts->head.job);
	if (p) SHEAF_TRY(sheaf_part_check_input(p->set.parts, 0, d->source, err));
	if (p) SHEAF_TRY(sheaf_parts_check_schema(p, 0, d, err));
	SHEAF_TRY(sheaf_index_identify(&d->indexed, err));
	if (d->glance)
		return sheaf_fail(
			err, SHEAF_USAGE,
			"%s: expected it to be opened for reading, found it opened only to look at its beginning",
			sheaf_source_name(d->source));
	d->index->asked = true;
	SHEAF_TRY(sheaf_dataset_pieces(d, &pieces, err));
	if (pieces == d->surveyed && !p) SHEAF_TRY(sheaf_dataset_count_pieces(d, d->surveyed, err));
	if (pieces == d->surveyed && p && sheaf_dataset_counts_pieces(d)) SHEAF_TRY(take_counts(p, d, err));
	SHEAF_TRY(sheaf_index_write_table(&d->indexed, pieces, err));
	return sheaf_index_look(&d->indexed, err);
}
