/* SPDX-License-Identifier: MIT */
/* The input in pieces of whole cells, each of about the requested size; a longer cell makes a longer piece. A
 * rest at the end is an incomplete cell, and goes with the last piece:
 *
 *     | cell | cell | ... | cell | cell |  | cell | cell | part of a cell |
 *     '----------- piece --------------'   '------- last piece -----------'
 *
 * What cut finds out is in the notes of the piece, so that decoding does not count cells again. */
#include "base/buffer.h"
#include "base/context.h"
#include "format/scidb/scidb.h"
#include "io/source.h"
#include <inttypes.h>

sheaf_scidb_part sheaf_scidb_part_of(const sheaf_piece *piece)
{
	return *(const sheaf_scidb_part *)(const void *)piece->notes.data;
}

static sheaf_status note(const sheaf_scidb_reader *in, sheaf_piece *piece, sheaf_scidb_part part,
                         sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, in->cx, &piece->notes);
	sheaf_builder_append(&b, &part, sizeof part);
	return sheaf_builder_finish(&b, &piece->notes, err);
}

/* ---- complete cells ---- */

typedef struct extent {
	int64_t cells, bytes; /* complete ones */
	uint64_t needed;      /* least size of the next one */
} extent;

static extent measure_fixed(int64_t cell_bytes, int64_t size, int64_t wanted)
{
	int64_t most = wanted > cell_bytes ? wanted / cell_bytes : 1, cells = size / cell_bytes;
	if (cells > most) cells = most;
	return (extent){cells, cells * cell_bytes, (uint64_t)cell_bytes};
}

/* The whole cells that begin within the first `wanted` bytes. */
static extent measure_cells(const sheaf_scidb_layout *layout, sheaf_bytes shown, int64_t wanted)
{
	extent e = {0};
	if (layout->cell_bytes) return measure_fixed(layout->cell_bytes, (int64_t)shown.size, wanted);
	const uint8_t *at = shown.data, *end = shown.data + shown.size, *next;
	while (e.bytes < wanted && (next = sheaf_scidb_pass_cell(layout, at, end, &e.needed))) {
		e.cells++;
		e.bytes = next - shown.data;
		at = next;
	}
	return e;
}

/* ---- cutting ---- */

/* Makes a piece of the complete cells, or, if `left` bytes of an incomplete one follow in the input, of all
 * `size` bytes that are at hand. */
static sheaf_status take(sheaf_scidb_reader *in, int64_t size, extent e, int64_t left, sheaf_piece *piece,
                         sheaf_error *err)
{
	piece->byte = in->views ? in->cell * in->layout.cell_bytes : sheaf_source_tell(in->source);
	piece->size = left < 0 ? e.bytes : size;
	piece->line = in->cell + 1;
	piece->column = piece->chunk = -1;
	SHEAF_TRY(note(in, piece, (sheaf_scidb_part){in->cell, e.cells, left}, err));
	if (in->views)
		SHEAF_TRY(sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err));
	else
		sheaf_source_take(in->source, (size_t)piece->size, &piece->bytes);
	in->cell += e.cells;
	in->ended = left >= 0;
	return SHEAF_OK;
}

/* Takes at least one whole cell, or the rest. If a count goes beyond the end of the input, this does not wait
 * for more. If the input fails, the whole cells before that are cut first, and the failure comes with the
 * next call. */
sheaf_status sheaf_scidb_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	sheaf_buffer_reset(&piece->bytes);
	if (in->ended) return SHEAF_END;
	if (bytes > INT32_MAX) bytes = INT32_MAX;
	if (in->views) {
		int64_t cell = in->layout.cell_bytes, left = sheaf_source_size(in->source) - in->cell * cell;
		extent e = measure_fixed(cell, left, bytes);
		int64_t rest = left - e.bytes;
		return left <= 0 ? SHEAF_END : take(in, left, e, rest > 0 && rest < cell ? rest : -1, piece, err);
	}
	for (int64_t want = bytes;; want *= 2) {
		sheaf_bytes shown;
		int64_t total = sheaf_source_size(in->source); /* from here on; below 0: unknown */
		if (total >= 0) total -= sheaf_source_tell(in->source);
		sheaf_status status = sheaf_source_ahead(in->source, (size_t)want, &shown, err);
		if (status == SHEAF_OK && shown.size == 0) return SHEAF_END;
		bool is_end = status == SHEAF_OK && (int64_t)shown.size < want;
		if (status == SHEAF_OK && (int64_t)shown.size > want) shown.size = (size_t)want;
		extent e = measure_cells(&in->layout, shown, bytes);
		int64_t rest = (is_end ? (int64_t)shown.size : total) - e.bytes;
		bool broken = e.bytes < bytes && (is_end ? rest > 0 : total >= 0 && e.needed > (uint64_t)rest);
		if (status) return e.cells ? take(in, 0, e, -1, piece, err) : status;
		if (e.cells || broken) return take(in, (int64_t)shown.size, e, broken ? rest : -1, piece, err);
	}
}

/* ---- pieces in any order ---- */

static sheaf_status refuse(const sheaf_scidb_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s (byte %" PRId64 "): expected %" PRId64 " bytes of whole cells, found others",
	                  sheaf_source_name(in->source), piece->byte, piece->size);
}

/* A piece that an index remembers has whole cells, and an incomplete one only if it goes on to the end of the
 * input: its next entry needs more bytes than there are. */
sheaf_status sheaf_scidb_recall(const void *reader, sheaf_piece *piece, sheaf_error *err)
{
	const sheaf_scidb_reader *in = (const sheaf_scidb_reader *)reader;
	if (piece->size <= 0 || piece->line < 1) return refuse(in, piece, err);
	SHEAF_TRY(sheaf_source_view_at(in->source, piece->byte, (size_t)piece->size, &piece->bytes, err));
	extent e = measure_cells(&in->layout, (sheaf_bytes){piece->bytes.data, piece->bytes.size}, INT64_MAX);
	int64_t rest = piece->size - e.bytes, after = sheaf_source_size(in->source) - piece->byte - piece->size;
	if (rest > 0 && e.needed <= (uint64_t)rest + (uint64_t)after) return refuse(in, piece, err);
	return note(in, piece, (sheaf_scidb_part){piece->line - 1, e.cells, rest > 0 ? rest + after : -1}, err);
}

sheaf_status sheaf_scidb_resume(sheaf_scidb_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	if (piece->line < 1) return refuse(in, piece, err);
	in->cell = piece->line - 1;
	in->ended = false;
	if (in->views && in->cell != piece->byte / in->layout.cell_bytes) return refuse(in, piece, err);
	return in->views ? SHEAF_OK : sheaf_source_seek(in->source, piece->byte, err);
}

/* Each cell counts as one. What an incomplete one leads to, only decoding shows. */
sheaf_status sheaf_scidb_measure(const void *reader, const sheaf_piece *piece, sheaf_context *cx,
                                 sheaf_buffer *lengths, sheaf_buffer *keys, sheaf_error *err)
{
	static const uint32_t one = 1;
	sheaf_scidb_part part = sheaf_scidb_part_of(piece);
	sheaf_builder b;
	(void)reader;
	if (keys || part.left >= 0) return SHEAF_END;
	sheaf_builder_begin(&b, cx, lengths);
	for (int64_t c = 0; c < part.count && !b.failed; c++) sheaf_builder_append(&b, &one, sizeof one);
	return sheaf_builder_finish(&b, lengths, err);
}
