/* SPDX-License-Identifier: MIT */
/* A piece of a chunk into sequences: the counts of each are checked against the remaining bytes, each index
 * against its dim, each sum against its parts. The first flaw ends the reading; validation goes on after it,
 * as far as the bytes still show where the next sequence begins. */
#include "base/carried.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/endian.h"
#include "base/memory.h"
#include "base/spell.h"
#include "format/cbf/cbf.h"
#include "io/source.h"
#include <inttypes.h>
#include <stdio.h>

typedef struct decoding {
	const sheaf_cbf_reader *in;
	const sheaf_piece *piece;
	sheaf_cbf_part part;
	sheaf_frame_builder to;
	sheaf_context *cx;
	sheaf_error *err;
	uint32_t *largest; /* samples of the largest stream, for each sequence of the part */
	sheaf_cbf_finding *findings;
	bool broken;  /* found while validating: what follows cannot be read, and the piece gives no rows */
	bool unsound; /* the current sequence is flawed in its stream: it is kept without samples there, but only
	                 while validating */
} decoding;

/* ---- problems ---- */

/* Only validation continues after a flaw. */
static sheaf_status fail(decoding *d, int stream, int64_t sequence, int64_t byte, sheaf_finding finding)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(d->in->source), &finding);
	problem.place.chunk = d->piece->chunk;
	problem.place.byte = byte;
	if (stream >= 0) problem.place.stream = d->in->schema.fields[stream].name;
	if (sequence >= 0) problem.place.row = d->in->chunks[d->piece->chunk].row + sequence;
	d->unsound = true;
	return sheaf_report(d->cx, &problem, d->err);
}

static sheaf_status report_negative(decoding *d, int stream, int64_t sequence, int64_t byte, int32_t n)
{
	char found[32];
	snprintf(found, sizeof found, "%" PRId32, n);
	return fail(d, stream, sequence, byte,
	            SHEAF_FINDING(SHEAF_FATAL, "negative count", "a number of non-zeros of at least 0", found));
}

/* The cursor knows what did not fit; if it has not failed, it is after a negative count. */
static sheaf_status report_unfit(decoding *d, int stream, int64_t sequence, const sheaf_cursor *c,
                                 const sheaf_cbf_extent *extent)
{
	char expected[96], found[64];
	d->broken = true;
	if (!c->failed) return report_negative(d, stream, sequence, sheaf_cursor_tell(c) - 4, extent->nonzeros);
	snprintf(expected, sizeof expected, "room for the %s, %" PRIu64 " bytes", c->failed, c->needed);
	snprintf(found, sizeof found, "%" PRId64 " to the end of the chunk",
	         c->base + (c->end - c->begin) - c->failed_at);
	return fail(d, stream, sequence, c->failed_at,
	            SHEAF_FINDING(SHEAF_FATAL, "sequence beyond its chunk", expected, found));
}

/* ---- one sequence of one stream ---- */

static int64_t byte_of(const decoding *d, const uint8_t *at)
{
	return d->piece->byte + (at - d->piece->bytes.data);
}

/* The sample count at the head of the chunk for its sequence number i. */
static uint32_t meta_count(const decoding *d, int64_t i)
{
	return sheaf_load_u32le(d->piece->bytes.data + 4 * (size_t)i);
}

/* All are examined before any is judged: that is faster, and errors are rare. */
static sheaf_status check_indices(decoding *d, int stream, int64_t sequence, const sheaf_cbf_extent *e)
{
	char expected[48], found[32];
	uint32_t dim = d->in->shapes[stream].dim;
	const uint8_t *at = e->indices, *end = at + 4 * (size_t)e->nonzeros;
	if (sheaf_cbf_most_index(e) < dim) return SHEAF_OK;
	while (at < end && sheaf_load_u32le(at) < dim) at += 4;
	if (at == end) return SHEAF_OK;
	snprintf(expected, sizeof expected, "an index below %" PRIu32, dim);
	snprintf(found, sizeof found, "%" PRId32, sheaf_load_i32le(at));
	return fail(d, stream, sequence, byte_of(d, at),
	            SHEAF_FINDING(SHEAF_FATAL, "index range", expected, found));
}

/* Samples whose indices do not ascend: CNTK's converter sorts them, other writers may not. */
static int64_t count_unsorted(const sheaf_cbf_extent *e)
{
	int64_t unsorted = 0;
	size_t k = 0;
	for (uint32_t i = 0; i < e->samples; i++) {
		uint32_t n = sheaf_load_u32le(e->counts + 4 * (size_t)i);
		bool ascends = true;
		for (uint32_t j = 1; j < n; j++)
			ascends &=
				sheaf_load_u32le(e->indices + 4 * (k + j)) > sheaf_load_u32le(e->indices + 4 * (k + j - 1));
		unsorted += !ascends;
		k += n;
	}
	return unsorted;
}

/* Why the non-zeros of the samples are not those of the sequence. */
static sheaf_status report_counts(decoding *d, int stream, int64_t sequence, const sheaf_cbf_extent *e)
{
	int64_t sum = 0;
	char expected[80], found[48];
	for (uint32_t i = 0; i < e->samples; i++) {
		const uint8_t *at = e->counts + 4 * (size_t)i;
		int32_t n = sheaf_load_i32le(at);
		sum += n;
		if (n < 0) return report_negative(d, stream, sequence, byte_of(d, at), n);
	}
	snprintf(expected, sizeof expected, "non-zeros of the samples that sum to %" PRId32, e->nonzeros);
	snprintf(found, sizeof found, "%" PRId64, sum);
	return fail(d, stream, sequence, byte_of(d, e->counts),
	            SHEAF_FINDING(SHEAF_FATAL, "sum of non-zeros", expected, found));
}

/* ---- one stream ---- */

/* The arrays of a single sequence are contiguous in the file: a view, if this machine can read them in
 * place. */
static void hold_array(const decoding *d, sheaf_builder *b, const uint8_t *from, size_t count, size_t size)
{
	bool native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (uintptr_t)from % size == 0;
	if (!native || count == 0) {
		sheaf_cbf_put_array(b, from, count, size);
		return;
	}
	sheaf_buffer part =
		sheaf_buffer_part(&d->piece->bytes, (size_t)(from - d->piece->bytes.data), count * size);
	sheaf_builder_hold(b, &part);
}

/* Validation keeps a flawed sequence, without samples. */
static sheaf_status put_sequence(decoding *d, int stream, int64_t i, sheaf_cbf_filling *f,
                                 sheaf_cbf_extent *e)
{
	const sheaf_cbf_shape *shape = &d->in->shapes[stream];
	int64_t sequence = d->part.first + i, nonzeros = f->nonzeros;
	size_t size = f->entries->size;
	d->findings[stream].differs += e->samples != meta_count(d, sequence);
	if (e->samples > d->largest[i]) d->largest[i] = e->samples;
	d->unsound = false;
	if (shape->sparse) {
		if (!sheaf_cbf_put_ends(f, e)) SHEAF_TRY(report_counts(d, stream, sequence, e));
		SHEAF_TRY(check_indices(d, stream, sequence, e));
		if (!d->unsound && sheaf_is_validating(d->cx)) d->findings[stream].unsorted += count_unsorted(e);
	}
	if (d->unsound) {
		*e = (sheaf_cbf_extent){0};
		f->entries->size = size;
		f->nonzeros = nonzeros;
	}
	f->samples += e->samples;
	sheaf_builder_i64(f->lists, f->samples);
	if (d->part.count > 1) sheaf_cbf_put_arrays(f, shape, e);
	return SHEAF_OK;
}

/* Sound sparse sequences are read all at once; validation counts more, sequence by sequence. A single
 * sequence is not copied. */
static sheaf_status read_stream(decoding *d, int stream, sheaf_cursor *c)
{
	const sheaf_cbf_shape *shape = &d->in->shapes[stream];
	sheaf_cbf_filling f = sheaf_cbf_fill(&d->to.columns[stream]);
	sheaf_cbf_extent last = {0};
	if (d->part.starts[stream] >= 0) c->at = c->begin + d->part.starts[stream];
	if (shape->sparse && d->part.count > 1 && !sheaf_is_validating(d->cx)) {
		sheaf_cbf_run run = {.shape = shape,
		                     .at = c->at,
		                     .end = c->end,
		                     .counts = d->piece->bytes.data + 4 * (size_t)d->part.first,
		                     .sequences = d->part.count,
		                     .largest = d->largest,
		                     .to = f};
		if (sheaf_cbf_take_run(&run)) {
			c->at = run.at;
			d->findings[stream].differs += run.differs;
			return SHEAF_OK;
		}
	}
	for (int64_t i = 0; i < d->part.count; i++) {
		if (!sheaf_cbf_pass_sequence(c, shape, &last))
			return report_unfit(d, stream, d->part.first + i, c, &last);
		SHEAF_TRY(put_sequence(d, stream, i, &f, &last));
	}
	if (d->part.count > 1) return SHEAF_OK;
	hold_array(d, f.values, last.values, sheaf_cbf_value_count(shape, &last), shape->size);
	if (shape->sparse) hold_array(d, f.indices, last.indices, (size_t)last.nonzeros, 4);
	return SHEAF_OK;
}

/* ---- the chunk ---- */

/* All streams of the part, in their order. What cannot be read gives no rows. The sample counts at the head
 * of a chunk must add up to the number in the chunk table, and its last part ends where the chunk does. */
static sheaf_status read_streams(decoding *d)
{
	const sheaf_cbf_chunk *chunk = &d->in->chunks[d->piece->chunk];
	char expected[80], found[64];
	sheaf_cursor c = sheaf_cursor_over(d->piece->bytes.data, (size_t)d->piece->size, d->piece->byte);
	uint64_t sum = d->part.first > 0 ? chunk->samples : sheaf_cbf_sum_samples(d->piece, chunk->sequences);
	if (sum != chunk->samples) {
		snprintf(expected, sizeof expected, "sample counts that sum to %" PRIu32 ", as in the chunk table",
		         chunk->samples);
		snprintf(found, sizeof found, "%" PRIu64, sum);
		SHEAF_TRY(fail(d, -1, -1, d->piece->byte,
		               SHEAF_FINDING(SHEAF_ERROR, "sum of sample counts", expected, found)));
	}
	for (int s = 0; s < d->in->schema.nfields && !d->broken; s++) SHEAF_TRY(read_stream(d, s, &c));
	bool is_last = d->part.first + d->part.count >= chunk->sequences;
	if (!d->broken && is_last && c.at != c.end) {
		snprintf(expected, sizeof expected, "the chunk to end with its %" PRIu32 " sequences",
		         chunk->sequences);
		snprintf(found, sizeof found, "%zu bytes more", sheaf_cursor_left(&c));
		d->broken = true;
		SHEAF_TRY(fail(d, -1, -1, sheaf_cursor_tell(&c),
		               SHEAF_FINDING(SHEAF_FATAL, "bytes after the last sequence", expected, found)));
	}
	if (d->broken) {
		sheaf_frame_builder_go_back(&d->to);
		return SHEAF_OK;
	}
	for (int64_t i = 0; i < d->part.count; i++)
		d->findings[d->in->schema.nfields].differs += d->largest[i] != meta_count(d, d->part.first + i);
	d->to.nrows = d->part.count;
	return SHEAF_OK;
}

sheaf_status sheaf_cbf_decode(const void *reader, const sheaf_piece *piece, sheaf_frame *frame,
                              sheaf_context *cx, sheaf_error *err)
{
	static const sheaf_cbf_finding none;
	const sheaf_cbf_reader *in = (const sheaf_cbf_reader *)reader;
	decoding d = {.in = in, .piece = piece, .part = sheaf_cbf_part_of(piece), .cx = cx, .err = err};
	sheaf_status status = sheaf_frame_builder_begin(&d.to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) {
		for (int s = 0; s <= in->schema.nfields; s++) sheaf_builder_append(&d.to.notes, &none, sizeof none);
		status = sheaf_builder_status(&d.to.notes, err);
		d.findings = (sheaf_cbf_finding *)(void *)d.to.notes.data;
	}
	if (status == SHEAF_OK)
		status = sheaf_allocate_array(cx, (uint64_t)d.part.count, sizeof *d.largest, &d.largest, err);
	if (status == SHEAF_OK) status = read_streams(&d);
	sheaf_release(cx, d.largest, (size_t)d.part.count * sizeof *d.largest);
	return sheaf_frame_builder_end(&d.to, status, frame, err);
}

sheaf_status sheaf_cbf_carry(void *reader, const sheaf_carried *counts, sheaf_error *err)
{
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	for (int s = 0; s <= in->schema.nfields; s++) {
		sheaf_carry_sum(counts, &in->findings[s].differs);
		sheaf_carry_sum(counts, &in->findings[s].unsorted);
	}
	return sheaf_carried_status(counts, err);
}

static sheaf_status report(sheaf_cbf_reader *in, const char *stream, sheaf_finding finding, sheaf_error *err)
{
	sheaf_problem problem = sheaf_problem_in(sheaf_source_name(in->source), &finding);
	problem.place.stream = stream;
	return sheaf_report(in->cx, &problem, err);
}

/* The numbers at the heads of chunks are redundant. CNTK's converter gives those of the longest stream of
 * each sequence, other writers those of one stream: only the whole file shows which they are. */
static sheaf_status settle(sheaf_cbf_reader *in, sheaf_error *err)
{
	char found[64];
	int n = in->schema.nfields, one = 0; /* the first stream that gives all numbers */
	for (int s = 0; s < n; s++) {
		int64_t unsorted = in->findings[s].unsorted;
		if (unsorted == 0) continue;
		snprintf(found, sizeof found, "%" PRId64 " samples with others", unsorted);
		SHEAF_TRY(report(
			in, in->schema.fields[s].name,
			SHEAF_FINDING(SHEAF_NOTE, "indices not ascending", "indices that ascend in each sample", found),
			err));
	}
	if (!in->findings[n].differs) return SHEAF_OK;
	while (one < n && in->findings[one].differs) one++;
	if (one < n)
		return report(in, in->schema.fields[one].name,
		              SHEAF_FINDING(SHEAF_WARNING, "sample counts of one stream",
		                            "the sample counts of sequences to be those of the largest stream",
		                            "those of this stream",
		                            SHEAF_OPTION("main-stream") " keeps them in a copy"),
		              err);
	return report(
		in, NULL,
		SHEAF_FINDING(
			SHEAF_BREACH, "sample counts of no stream",
			"the sample counts of sequences to be those of the largest stream or of one stream throughout",
			"counts that are neither", "the streams' own counts are used"),
		err);
}

/* ---- the whole file ---- */

sheaf_status sheaf_cbf_review(void *reader, const sheaf_frame *frame, int64_t row, sheaf_error *err)
{
	sheaf_cbf_reader *in = (sheaf_cbf_reader *)reader;
	if (!frame) return settle(in, err);
	const sheaf_cbf_finding *found = (const sheaf_cbf_finding *)(const void *)frame->notes.data;
	(void)row, (void)err;
	for (int s = 0; s <= in->schema.nfields; s++) {
		in->findings[s].differs += found[s].differs;
		in->findings[s].unsorted += found[s].unsorted;
	}
	return SHEAF_OK;
}
