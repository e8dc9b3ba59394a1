/* SPDX-License-Identifier: MIT */
/* Writing frames: brings rows into the types, the order and the chunks that the format requires.
 *
 *     frame --> entries, if it is a whole tensor that the format wants as such
 *           --> the arranger, if entries must be sorted or joined, which gives them back in order
 *           --> the types that are stored
 *           --> chunks, if the format has them --> encoding (threads) --> the output
 *
 * Rows whose number the format must know first wait until sheaf_finish, if nobody has told it. A loss does
 * not stop the call that finds it: to name all kinds of loss, the rest is still encoded. */
#include "base/context.h"
#include "base/memory.h"
#include "base/need.h"
#include "base/spell.h"
#include "dataset/input/lost.h"
#include "dataset/writer.h"
#include "frame/frame.h"
#include "io/sink.h"
#include "io/source.h"
#include "sparse/arrange.h"
#include "sparse/unroll.h"
#include <string.h>

/* ---- write ---- */

/* Hands the rows of the encoding's free item over to be encoded. Once a loss is found that is not allowed,
 * the rest is still encoded, to find the other kinds of loss, but not written. */
static sheaf_status submit(sheaf_writer *w, sheaf_error *err)
{
	bool begins = w->begins;
	bool lost = !sheaf_allows_loss(w->cx) && sheaf_context_losses(w->cx) > w->losses_before;
	w->begins = false;
	return sheaf_encoding_submit(&w->encoding, lost, begins, err);
}

/* Submits the rows of the incomplete chunk. */
static sheaf_status flush(sheaf_writer *w, sheaf_error *err)
{
	sheaf_frame *rows;
	SHEAF_TRY(sheaf_encoding_rows(&w->encoding, &rows, err));
	return rows->nrows ? submit(w, err) : SHEAF_OK;
}

/* Moves or copies rows of a frame into *rows. A frame that was made here (w->cast) and goes as a whole
 * moves, as its columns would take as much memory again; others are sliced, and share their buffers. */
static sheaf_status take_rows(sheaf_writer *w, const sheaf_frame *frame, sheaf_run some, sheaf_frame *rows,
                              sheaf_error *err)
{
	if (frame != &w->cast || sheaf_run_length(some) < frame->nrows)
		return sheaf_frame_slice(frame, some.begin, some.end, rows, err);
	sheaf_frame_free(rows);
	*rows = w->cast;
	w->cast = (sheaf_frame){0};
	return SHEAF_OK;
}

/* Whether rows of that many bytes go to be encoded before their chunk is complete. */
static bool is_enough(const sheaf_writer *w, int64_t bytes)
{
	enum { ENOUGH = 256 << 10 };
	return w->format->write->joins && bytes >= ENOUGH;
}

/* Adds rows of one chunk, of about `bytes`, to the encoding. If nothing waits and the chunk ends with them,
 * or there are enough of them, they go at once, without a copy; otherwise they wait for the rest of the
 * chunk. */
static sheaf_status put_some(sheaf_writer *w, const sheaf_frame *frame, sheaf_run some, int64_t bytes,
                             sheaf_error *err)
{
	sheaf_frame *waiting;
	SHEAF_TRY(sheaf_encoding_rows(&w->encoding, &waiting, err));
	if (waiting->nrows == 0 && (some.end < frame->nrows || is_enough(w, bytes))) {
		SHEAF_TRY(take_rows(w, frame, some, waiting, err));
		return submit(w, err);
	}
	SHEAF_TRY(sheaf_frame_append(waiting, frame, some.begin, some.end, w->cx, err));
	return is_enough(w, sheaf_frame_bytes(waiting)) ? submit(w, err) : SHEAF_OK;
}

/* Divides rows into chunks. Row i > 0 opens a chunk if floor(s(i) / B) is above that of the row before,
 * where s(i) are the bytes of all rows before it and B the bytes of a chunk. So borders depend on rows
 * alone, not on how they come in frames: w->bytes_before is s(i), and w->last_chunk that quotient for the
 * last row. */
static sheaf_status write_chunks(sheaf_writer *w, const sheaf_frame *frame, sheaf_error *err)
{
	int64_t nrows = frame->nrows; /* a frame that moves is empty afterwards */
	size_t needed = (size_t)nrows * sizeof *w->bytes_of_row;
	if (needed > w->bytes_size) {
		SHEAF_TRY(sheaf_reallocate(w->cx, &w->bytes_of_row, w->bytes_size, needed, err));
		w->bytes_size = needed;
	}
	int64_t chunk_bytes = w->format->write->sizes(w->out, frame, w->bytes_of_row);
	for (sheaf_run some = {0}; some.begin < nrows; some.begin = some.end) {
		if (w->row + some.begin > 0 && w->bytes_before / chunk_bytes > w->last_chunk) {
			SHEAF_TRY(flush(w, err));
			w->begins = true;
		}
		int64_t before = w->bytes_before;
		for (some.end = some.begin; some.end < nrows; some.end++) {
			int64_t chunk = w->bytes_before / chunk_bytes;
			if (some.end > some.begin && chunk > w->last_chunk) break;
			w->last_chunk = chunk;
			w->bytes_before += w->bytes_of_row[some.end];
		}
		SHEAF_TRY(put_some(w, frame, some, w->bytes_before - before, err));
	}
	return SHEAF_OK;
}

/* The size of a frame in memory, including rows that share buffers with others: about what its rows take in
 * the input. */
static int64_t bytes_of(const sheaf_frame *frame)
{
	int64_t sum = 0;
	for (int c = 0; c < frame->ncolumns; c++) {
		const sheaf_column *column = &frame->columns[c];
		sum += (int64_t)column->values.size;
		for (int l = 0; l < column->nlevels; l++) {
			sum += (int64_t)column->levels[l].offsets.size;
			for (int dimension = 0; dimension < column->levels[l].shape.rank; dimension++)
				sum += (int64_t)column->levels[l].indices[dimension].size;
		}
	}
	return sum;
}

void sheaf_writer_bound(sheaf_writer *w, int64_t input) { sheaf_sink_bound(w->output, input); }

/* Completes the message of a memory limit, which may be too small for chunks, as a chunk is held whole
 * until it is complete. Returns the status unchanged. */
static sheaf_status explain_limit(const sheaf_writer *w, sheaf_status status, sheaf_error *err)
{
	bool chunks = w->format->write->sizes;
	if (chunks && status == SHEAF_LIMIT && err && strcmp(err->advice, "max-memory") == 0)
		sheaf_error_append(
			err, " (a chunk is held whole: raise " SHEAF_OPTION("max-memory") " or make chunks smaller)");
	return status;
}

/* Reports what is lost with columns that are not stored. */
static sheaf_status report_lost(sheaf_writer *w, const sheaf_frame *frame, sheaf_error *err)
{
	sheaf_rows_of rows = {w->name, w->given.rows, w->row, frame->nrows};
	for (int f = 0; f < w->given.nfields; f++) {
		const sheaf_column *column = &frame->columns[f];
		const uint64_t *keys = (const uint64_t *)(const void *)column->values.data;
		if (!sheaf_loses_field(w->format, &w->given.fields[f])) continue;
		if (f == w->key)
			SHEAF_TRY(sheaf_report_keys(keys, &rows, &w->key_reported, w->cx, err));
		else
			SHEAF_TRY(sheaf_report_lost(&w->given.fields[f], column, &rows, w->cx, err));
	}
	return SHEAF_OK;
}

/* Writes rows that are in their final order: reports what is lost with columns that are not stored, brings
 * the others into the stored types, and gives them to the encoding. w->row counts them afterwards. */
static sheaf_status put_rows(sheaf_writer *w, const sheaf_frame *frame, sheaf_error *err)
{
	int64_t nrows = frame->nrows;
	SHEAF_TRY(report_lost(w, frame, err));
	/* A frame that already has the stored form is passed on: a slice of a million columns takes 270 MB. */
	if (w->stored.nfields != frame->ncolumns || !sheaf_frame_is_cast(frame, &w->stored)) {
		SHEAF_TRY(sheaf_frame_pick(frame, w->kept, w->stored.nfields, &w->cast, err));
		SHEAF_TRY(sheaf_frame_cast(&w->cast, &w->stored, w->name, w->row, w->cx, err));
		frame = &w->cast;
	}
	if (w->format->write->sizes) {
		SHEAF_TRY(explain_limit(w, write_chunks(w, frame, err), err));
	} else {
		sheaf_frame *rows;
		SHEAF_TRY(sheaf_encoding_rows(&w->encoding, &rows, err));
		SHEAF_TRY(take_rows(w, frame, (sheaf_run){0, nrows}, rows, err));
		SHEAF_TRY(submit(w, err));
	}
	w->row += nrows;
	/* The reader reuses its buffers only if they have no other owner. */
	sheaf_frame_free(&w->cast);
	return SHEAF_OK;
}

/* Writes all entries that the arranger can give by now, in order. */
static sheaf_status put_arranged(sheaf_writer *w, sheaf_error *err)
{
	const sheaf_frame *frame;
	sheaf_status status;
	while ((status = sheaf_arranger_next(w->arranger, &frame, err)) == SHEAF_OK) {
		SHEAF_TRY(put_rows(w, frame, err));
		if (w->finishing) sheaf_progress(w->outer, w->row, sheaf_arrange_known(w->arranger));
	}
	return status == SHEAF_END ? SHEAF_OK : status;
}

static sheaf_status put_entries(sheaf_writer *w, const sheaf_frame *entries, sheaf_error *err)
{
	SHEAF_TRY(sheaf_arranger_add(w->arranger, entries, err));
	return put_arranged(w, err);
}

/* Writes a tensor that is one row as entries, some at a time, since their coordinates may take more memory
 * than the tensor itself. */
static sheaf_status write_entries(sheaf_writer *w, const sheaf_frame *frame, sheaf_error *err)
{
	enum { AT_ONCE = 1 << 17 };
	int64_t n;
	sheaf_unrolled from = {frame, &w->whole, &w->given, w->outer};
	SHEAF_TRY(sheaf_unroll_count(&from, &n, err));
	for (sheaf_run part = {0}; part.begin < n; part.begin = part.end) {
		SHEAF_TRY(sheaf_check_stop(w->cx, err));
		part.end = n - part.begin < AT_ONCE ? n : part.begin + AT_ONCE;
		SHEAF_TRY(sheaf_unroll_part(&from, part, &w->entries, err));
		SHEAF_TRY(put_entries(w, &w->entries, err));
	}
	return SHEAF_OK;
}

/* Checks a frame and passes it on: a whole tensor becomes entries, entries that need an order go to the
 * arranger, rows whose number must be known first wait in w->rows, and all others are written. */
static sheaf_status write_frame(sheaf_writer *w, const sheaf_frame *frame, sheaf_error *err)
{
	/* Frames of this library have valid offsets and indices; all frames are checked for the writer's
	 * schema. */
	const sheaf_schema *schema = w->whole.nfields ? &w->whole : &w->given;
	SHEAF_TRY(sheaf_frame_fits("sheaf_write", frame, schema, err));
	if (!frame->checked) SHEAF_TRY(sheaf_frame_check(frame, schema, SHEAF_CHECK_FULL, err));
	if (frame->nrows == 0) return SHEAF_OK;
	if (w->bounded) sheaf_writer_bound(w, w->taken += bytes_of(frame));
	sheaf_frame given = *frame;
	given.cx = w->outer; /* a frame that was made by hand has none */
	if (w->whole.nfields) return write_entries(w, &given, err);
	if (!w->collects) return w->arranger ? put_entries(w, &given, err) : put_rows(w, &given, err);
	sheaf_status status = sheaf_frame_append(&w->rows, &given, 0, given.nrows, w->outer, err);
	if (status == SHEAF_LIMIT)
		sheaf_error_append(
			err, " (all rows are held in memory, since their number is not known: give it in the totals)");
	return status;
}

/* Returns the failure of an earlier call, with its message. What has failed once fails always, since
 * nothing after it can be complete. */
static sheaf_status fail_again(const sheaf_writer *w, sheaf_error *err)
{
	if (err) *err = w->failure;
	return w->failure.status;
}

/* Writes a frame, for callers of the library. The first failure is kept, and all later calls return it. */
sheaf_status sheaf_write(sheaf_writer *w, const sheaf_frame *frame, sheaf_error *err)
{
	SHEAF_NEED(w, "a writer");
	if (w->failure.status) return fail_again(w, err);
	sheaf_status status = write_frame(w, frame, &w->failure);
	w->failure.status = status;
	return status ? fail_again(w, err) : SHEAF_OK;
}

/* Waits until all rows so far are encoded and appended, and reports what was found in them. */
sheaf_status sheaf_writer_settle(sheaf_writer *w, sheaf_error *err)
{
	if (!w->failure.status)
		w->failure.status = explain_limit(w, sheaf_encoding_settle(&w->encoding, &w->failure), &w->failure);
	return w->failure.status ? fail_again(w, err) : SHEAF_OK;
}

/* ---- in parts ---- */

bool sheaf_writes_in_parts(const sheaf_format *format, const sheaf_schema *schema)
{
	return !format->write->append && !format->write->sizes &&
	       (schema->rows == SHEAF_SEQUENCES || schema->rows == SHEAF_CELLS);
}

void sheaf_writer_divert(sheaf_writer *w, int64_t row, sheaf_sink *sink)
{
	w->out->sink = sink;
	w->row = w->encoding.row = row;
}

/* Ends a writer whose rows went into a part: checks that no loss was found that is not allowed, and frees
 * the writer. Its own output is abandoned. */
sheaf_status sheaf_finish_diverted(sheaf_writer *w, int64_t *samples, sheaf_error *err)
{
	sheaf_status status = sheaf_writer_settle(w, err);
	if (status == SHEAF_OK)
		status = sheaf_check_losses(w->cx, w->losses_before, w->name, w->format->name, err);
	*samples = w->out->samples;
	sheaf_abandon(w);
	return status;
}

/* Appends rows that another writer has encoded: `blob` says how many bytes from `offset` on, rows and
 * samples they are. A failure is kept, like one of sheaf_write. */
sheaf_status sheaf_writer_take(sheaf_writer *w, sheaf_source *source, int64_t offset, const sheaf_blob *blob,
                               sheaf_error *err)
{
	sheaf_status *status = &w->failure.status;
	if (!*status) *status = sheaf_check_stop(w->cx, &w->failure);
	if (!*status)
		*status = sheaf_sink_copy(w->out->sink, source, offset, (int64_t)blob->bytes.size, &w->failure);
	if (*status) return fail_again(w, err);
	w->out->written += blob->rows;
	w->out->samples += blob->samples;
	w->row += blob->rows;
	return SHEAF_OK;
}

/* ---- finish ---- */

/* Writes rows that had to wait for each other: those that were collected because the format needs their
 * number first, or the entries that the arranger holds. The output is created here if it was waiting for that
 * number. */
static sheaf_status finish_arranging(sheaf_writer *w, sheaf_error *err)
{
	if (w->collects) {
		w->totals.rows = w->rows.nrows;
		SHEAF_TRY(sheaf_writer_start(w, err));
		return w->rows.nrows ? put_rows(w, &w->rows, err) : SHEAF_OK;
	}
	if (!w->arranger) return SHEAF_OK;
	sheaf_stage(w->outer, "sorting");
	SHEAF_TRY(sheaf_arranger_finish(w->arranger, err));
	sheaf_stage(w->outer, "writing");
	w->finishing = true;
	if (w->holds) {
		SHEAF_TRY(sheaf_arranger_count(w->arranger, &w->totals.rows, err));
		SHEAF_TRY(sheaf_writer_start(w, err));
	}
	if (w->out->expected_rows < 0) w->out->expected_rows = sheaf_arrange_known(w->arranger);
	return put_arranged(w, err);
}

/* Writes everything that waits, completes the output, and frees the writer, whatever happens. The sink is
 * committed, or, with `sink`, given to the caller. Without rows, in which it would have been reported, a
 * column that is lost is still part of the table, so it is reported here. */
static sheaf_status finish(sheaf_writer *w, sheaf_sink **sink, sheaf_error *err)
{
	sheaf_status status = w->failure.status ? fail_again(w, err) : finish_arranging(w, err);
	if (status == SHEAF_OK) status = explain_limit(w, flush(w, err), err);
	if (status == SHEAF_OK) status = sheaf_writer_settle(w, err);
	for (int f = 0; f < w->given.nfields && w->row == 0 && status == SHEAF_OK; f++)
		if (f != w->key && sheaf_loses_field(w->format, &w->given.fields[f]))
			status = sheaf_report_lost_column(&w->given.fields[f], w->name, w->given.rows, w->cx, err);
	if (status == SHEAF_OK)
		status = sheaf_check_losses(w->cx, w->losses_before, w->name, w->format->name, err);
	if (status == SHEAF_OK) {
		sheaf_stage(w->outer, "writing");
		status = sheaf_output_finish(w->format->write, w->out, sink, err);
		w->out = NULL;
	}
	sheaf_abandon(w);
	return status;
}

sheaf_status sheaf_finish(sheaf_writer *w, sheaf_error *err)
{
	SHEAF_NEED(w, "a writer");
	return finish(w, NULL, err);
}

sheaf_status sheaf_finish_into(sheaf_writer *w, sheaf_sink **sink, sheaf_error *err)
{
	*sink = NULL;
	return finish(w, sink, err);
}
