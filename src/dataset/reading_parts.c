/* SPDX-License-Identifier: MIT */
/* All parts of a reading, put together: their findings and results come as if the rows had been read here. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "data/frame.h"
#include "data/frame_bytes.h"
#include "dataset/reading_part.h"
#include "index/counts.h"
#include "io/source.h"
#include <stdio.h>
#include <string.h>

enum { BLOB = 16 };

struct sheaf_parts {
	sheaf_context *cx;
	sheaf_part_set set;
	sheaf_part_reading *readings; /* one for each */
	bool keep;                    /* rows */
	/* the current place of the reading: */
	int part;
	int64_t blob, byte;
	sheaf_kept_findings findings; /* of the part */
	bool begun;                   /* it belongs to the part */
	sheaf_frame frame;
};

/* ---- from bytes ---- */

static sheaf_bytes read_bytes(sheaf_cursor *c, const char *what)
{
	uint64_t size = sheaf_cursor_u64le(c, what);
	const uint8_t *bytes = sheaf_cursor_bytes(c, size, 1, what);
	return (sheaf_bytes){bytes, bytes ? (size_t)size : 0};
}

static void blob_at(const sheaf_part_reading *r, int64_t i, int64_t *size, int64_t *rows)
{
	sheaf_cursor c = sheaf_cursor_over(r->blobs.data + (size_t)i * BLOB, BLOB, 0);
	*size = sheaf_cursor_i64le(&c, "bytes");
	*rows = sheaf_cursor_i64le(&c, "rows");
}

static sheaf_status check_blobs(const sheaf_part_file *part, const sheaf_part_reading *r, sheaf_error *err)
{
	int64_t left = part->payload, size, rows;
	for (int64_t i = 0; i < r->nblobs; i++) {
		blob_at(r, i, &size, &rows);
		if (size < 0 || size > left || rows < 0) return sheaf_part_refuse(part, "bytes and rows", err);
		left -= size;
	}
	return left ? sheaf_part_refuse(part, "the sum of bytes", err) : SHEAF_OK;
}

static bool may_end(uint32_t status)
{
	return status == SHEAF_OK || status == SHEAF_DATA || status == SHEAF_SHORT || status == SHEAF_UNSUPPORTED;
}

sheaf_status sheaf_part_read_reading(const sheaf_part_file *part, sheaf_part_reading *out, sheaf_error *err)
{
	sheaf_cursor c = sheaf_cursor_over(part->own.data, part->own.size, 0);
	*out = (sheaf_part_reading){0};
	SHEAF_TRY(sheaf_part_read_mark(&c, part, "mark of the whole", &out->settled, err));
	uint32_t failure = sheaf_cursor_u32le(&c, "status");
	if (c.failed || !may_end(failure)) return sheaf_part_refuse(part, "a status", err);
	out->failure = (sheaf_status)failure;
	SHEAF_TRY(sheaf_part_read_text(&c, part, &out->message, err));
	out->findings = read_bytes(&c, "findings");
	out->kept = read_bytes(&c, "review");
	out->state = read_bytes(&c, "state");
	uint64_t n = sheaf_cursor_u64le(&c, "number of blobs");
	const uint8_t *blobs = sheaf_cursor_bytes(&c, n, BLOB, "blobs");
	if (c.failed || sheaf_cursor_left(&c) || (failure && !out->message))
		return sheaf_part_refuse(part, "what is its own", err);
	out->blobs = (sheaf_bytes){blobs, (size_t)n * BLOB};
	out->nblobs = (int64_t)n;
	return check_blobs(part, out, err);
}

/* ---- opening ---- */

static sheaf_status find_job(sheaf_source *source, sheaf_context *cx, char job[SHEAF_PART_JOB],
                             sheaf_error *err)
{
	bool is;
	sheaf_part_file part;
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

sheaf_status sheaf_part_job(const char *path, sheaf_context *cx, char job[SHEAF_PART_JOB], sheaf_error *err)
{
	sheaf_source *source;
	SHEAF_NEED(path, "a path");
	SHEAF_NEED(cx, "a context");
	SHEAF_NEED(job, "room for a word");
	job[0] = '\0';
	SHEAF_TRY(sheaf_source_path(path, cx, &source, err));
	return find_job(source, cx, job, err);
}

static sheaf_status read_common(sheaf_parts *p, sheaf_error *err)
{
	const sheaf_part_file *any = p->set.parts;
	sheaf_cursor c = sheaf_cursor_over(any->common.data, any->common.size, 0);
	SHEAF_TRY(sheaf_part_read_mark(&c, any, "mark of rows", &p->keep, err));
	(void)sheaf_cursor_bytes(&c, 2, sizeof(int64_t), "pieces");
	bool sound = !c.failed && sheaf_cursor_left(&c) == 0 && any->head.ninputs == 1;
	return sound ? SHEAF_OK : sheaf_part_refuse(any, "what is common", err);
}

static sheaf_status read_readings(sheaf_parts *p, sheaf_error *err)
{
	void *memory;
	if (strcmp(p->set.parts->head.job, "convert") == 0)
		return sheaf_fail(err, SHEAF_UNSUPPORTED,
		                  "%s: expected a part of a reading, found one of a conversion",
		                  sheaf_source_name(p->set.parts->source));
	SHEAF_TRY(read_common(p, err));
	SHEAF_TRY(sheaf_allocate_array(p->cx, (uint64_t)p->set.n, sizeof *p->readings, &memory, err));
	p->readings = (sheaf_part_reading *)memory;
	for (int i = 0; i < p->set.n; i++)
		SHEAF_TRY(sheaf_part_read_reading(&p->set.parts[i], &p->readings[i], err));
	return SHEAF_OK;
}

static void close_sources(sheaf_source *const *sources, int n)
{
	for (int i = 0; i < n; i++) sheaf_source_close(sources[i]);
}

sheaf_status sheaf_parts_open(sheaf_source *const *sources, int n, sheaf_context *cx, sheaf_parts **out,
                              sheaf_error *err)
{
	void *memory;
	SHEAF_NEED(out, "a place for the outcome");
	*out = NULL;
	SHEAF_NEED(sources, "sources");
	SHEAF_NEED(cx, "a context");
	SHEAF_EXPECT(n >= 1 && n <= SHEAF_PARTS_MOST, "a number of parts from 1 to 2^20", n);
	sheaf_status status = sheaf_allocate(cx, sizeof **out, &memory, err);
	if (status) {
		close_sources(sources, n);
		return status;
	}
	sheaf_parts *p = (sheaf_parts *)memory;
	*p = (sheaf_parts){.cx = cx};
	status = sheaf_part_set_take(sources, n, cx, &p->set, err);
	if (status == SHEAF_OK) status = read_readings(p, err);
	if (status == SHEAF_OK)
		*out = p;
	else
		sheaf_parts_close(p);
	return status;
}

void sheaf_parts_close(sheaf_parts *p)
{
	if (!p) return;
	for (int i = 0; p->readings && i < p->set.n; i++) sheaf_release_text(p->cx, p->readings[i].message);
	if (p->readings) sheaf_release(p->cx, p->readings, (size_t)p->set.n * sizeof *p->readings);
	sheaf_part_set_close(&p->set);
	sheaf_release(p->cx, p, sizeof *p);
}

const char *sheaf_parts_job(const sheaf_parts *p) { return p ? p->set.parts->head.job : NULL; }

const char *sheaf_parts_options(const sheaf_parts *p) { return p ? p->set.parts->head.options : NULL; }

const char *sheaf_parts_input(const sheaf_parts *p, int i)
{
	if (!p || i < 0 || i >= p->set.parts->head.ninputs) return NULL;
	return p->set.parts->head.inputs[i].path;
}

int sheaf_parts_count(const sheaf_parts *p) { return p ? p->set.n : 0; }

sheaf_status sheaf_parts_state(const sheaf_parts *p, int i, sheaf_bytes *out, sheaf_error *err)
{
	SHEAF_NEED(out, "a place for the outcome");
	*out = (sheaf_bytes){0};
	SHEAF_NEED(p, "parts");
	SHEAF_EXPECT(i >= 0 && i < p->set.n, "the number of a part", i);
	*out = p->readings[i].state;
	return SHEAF_OK;
}

/* ---- reading them ---- */

/* The rows are in memory of the dataset. */
void sheaf_dataset_drop_parts(sheaf_dataset *d)
{
	if (d->merged) sheaf_frame_free(&d->merged->frame);
	d->merged = NULL;
}

static sheaf_status refuse_rows(const sheaf_parts *p, sheaf_error *err)
{
	return sheaf_part_refuse(&p->set.parts[p->part], "rows", err);
}

static sheaf_status read_rows(sheaf_parts *p, sheaf_dataset *d, sheaf_error *err)
{
	int64_t size, rows;
	sheaf_buffer bytes = {0};
	blob_at(&p->readings[p->part], p->blob, &size, &rows);
	SHEAF_TRY(sheaf_source_view_at(p->set.parts[p->part].source, p->byte, (size_t)size, &bytes, err));
	sheaf_frame_free(&p->frame);
	sheaf_status status = sheaf_frame_from_bytes(&bytes, &d->in->schema, d->cx, &p->frame, err);
	sheaf_buffer_reset(&bytes);
	if (status == SHEAF_DATA || (status == SHEAF_OK && p->frame.nrows != rows)) return refuse_rows(p, err);
	p->blob++;
	p->byte += size;
	return status;
}

static void begin_part(sheaf_parts *p)
{
	if (p->begun) return;
	p->begun = true;
	p->blob = 0;
	p->byte = SHEAF_PART_PAYLOAD;
	p->findings = sheaf_kept_findings_over(p->readings[p->part].findings, NULL);
}

/* What follows the rows of a part: findings, its review, and its end. */
static sheaf_status end_part(sheaf_parts *p, sheaf_dataset *d, sheaf_error *err)
{
	const sheaf_part_reading *r = &p->readings[p->part];
	sheaf_cursor kept = sheaf_cursor_over(r->kept.data, r->kept.size, 0);
	SHEAF_TRY(sheaf_kept_findings_until(&p->findings, INT64_MAX - 1, d->cx, err));
	if (r->failure) {
		for (int i = p->part + 1; i < p->set.n; i++) p->readings[i].state = (sheaf_bytes){0};
		return sheaf_fail(err, r->failure, "%s", r->message);
	}
	if (r->kept.size && !d->format->absorb) return sheaf_part_refuse(&p->set.parts[p->part], "review", err);
	if (r->kept.size) SHEAF_TRY(d->format->absorb(d->in, &kept, err));
	p->part++;
	p->begun = false;
	return SHEAF_OK;
}

static sheaf_status settle(sheaf_parts *p, sheaf_dataset *d, sheaf_error *err)
{
	d->ended = true;
	bool settles = !p->readings[0].settled && d->format->settle;
	if (settles) SHEAF_TRY(d->format->settle(d->in, err));
	return SHEAF_END;
}

static sheaf_status next_kept(sheaf_dataset *d, const sheaf_frame **out, sheaf_error *err)
{
	sheaf_parts *p = d->merged;
	for (; p->part < p->set.n;) {
		SHEAF_TRY(sheaf_check_stop(d->cx, err));
		begin_part(p);
		if (!p->keep || p->blob == p->readings[p->part].nblobs) {
			SHEAF_TRY(end_part(p, d, err));
			continue;
		}
		SHEAF_TRY(sheaf_kept_findings_until(&p->findings, p->blob, d->cx, err));
		SHEAF_TRY(read_rows(p, d, err));
		d->row = d->next_row;
		d->next_row += p->frame.nrows;
		*out = &p->frame;
		return SHEAF_OK;
	}
	return settle(p, d, err);
}

sheaf_status sheaf_dataset_take_parts(sheaf_dataset *d, sheaf_parts *p, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	SHEAF_NEED(p, "parts");
	if (d->decoding.format || d->ended || d->failed || d->part || d->merged)
		return sheaf_fail(err, SHEAF_USAGE,
		                  "%s: expected a dataset of which nothing has been read, found another",
		                  sheaf_source_name(d->source));
	SHEAF_TRY(sheaf_part_check_input(p->set.parts, 0, d->source, err));
	sheaf_index_pass_over(&d->indexed);
	p->part = 0;
	p->begun = false;
	d->merged = p;
	d->next_kept = next_kept;
	d->ranged = true;
	return SHEAF_OK;
}

/* ---- an index ---- */

/* Counts of the pieces of a part, after those of the parts before it. */
static sheaf_status add_counts(const sheaf_parts *p, int i, const sheaf_dataset *d, sheaf_builder *counts,
                               bool *all, sheaf_error *err)
{
	const sheaf_bytes *state = &p->readings[i].state;
	size_t each = sheaf_counts_size(&d->in->schema);
	sheaf_cursor c = sheaf_cursor_over(state->data, state->size, 0);
	int64_t count = sheaf_cursor_i64le(&c, "pieces"), first = sheaf_cursor_i64le(&c, "first piece"),
			n = sheaf_cursor_i64le(&c, "pieces of the part");
	bool nothing;
	SHEAF_TRY(sheaf_part_read_mark(&c, &p->set.parts[i], "mark of counts", &nothing, err));
	if (c.failed || count != d->surveyed->count) return sheaf_part_refuse(&p->set.parts[i], "pieces", err);
	*all = *all && !nothing;
	if (!*all) return SHEAF_OK;
	bool follows = n == 0 || (uint64_t)first * each == counts->size;
	if (!follows || sheaf_cursor_left(&c) / each != (uint64_t)n || sheaf_cursor_left(&c) % each)
		return sheaf_part_refuse(&p->set.parts[i], "counts", err);
	sheaf_builder_append(counts, c.at, sheaf_cursor_left(&c));
	return sheaf_builder_status(counts, err);
}

static sheaf_status take_counts(const sheaf_parts *p, sheaf_dataset *d, sheaf_error *err)
{
	sheaf_builder counts;
	bool all = true;
	sheaf_status status = SHEAF_OK;
	if (d->surveyed->counts.size) return SHEAF_OK;
	sheaf_builder_begin(&counts, d->cx, NULL);
	for (int i = 0; i < p->set.n && status == SHEAF_OK; i++) status = add_counts(p, i, d, &counts, &all, err);
	bool whole = counts.size == (size_t)d->surveyed->count * sheaf_counts_size(&d->in->schema);
	if (status == SHEAF_OK && all && !whole)
		status = sheaf_part_refuse(p->set.parts, "counts of all pieces", err);
	if (status == SHEAF_OK && all) status = sheaf_builder_finish(&counts, &d->surveyed->counts, err);
	if (status == SHEAF_OK && !sheaf_counts_are_known(d->surveyed)) {
		sheaf_buffer_reset(&d->surveyed->counts);
		status = sheaf_part_refuse(p->set.parts, "marks of keys", err);
	}
	sheaf_builder_drop(&counts);
	return status;
}

sheaf_status sheaf_dataset_index_parts(sheaf_dataset *d, const sheaf_parts *p, sheaf_error *err)
{
	SHEAF_NEED(d, "a dataset");
	SHEAF_NEED(p, "parts");
	const sheaf_pieces *pieces;
	if (strcmp(p->set.parts->head.job, SHEAF_INDEX_JOB) != 0)
		return sheaf_fail(err, SHEAF_USAGE, "%s: expected a part of an index, found one of sheaf %s",
		                  sheaf_source_name(p->set.parts->source), p->set.parts->head.job);
	SHEAF_TRY(sheaf_part_check_input(p->set.parts, 0, d->source, err));
	SHEAF_TRY(sheaf_index_identify(&d->indexed, err));
	d->index->asked = true;
	SHEAF_TRY(sheaf_dataset_pieces(d, &pieces, err));
	if (pieces == d->surveyed && sheaf_dataset_counts_pieces(d)) SHEAF_TRY(take_counts(p, d, err));
	SHEAF_TRY(sheaf_index_write_table(&d->indexed, pieces, err));
	return sheaf_index_look(&d->indexed, err);
}
