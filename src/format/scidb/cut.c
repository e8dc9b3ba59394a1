/* SPDX-License-Identifier: MIT */
/* The input in pieces of whole cells, each of about the requested size; a longer cell makes a longer piece. A
 * rest at the end is an incomplete cell, and goes with the last piece. */
#include "base/buffer.h"
#include "base/context.h"
#include "base/memory.h"
#include "format/scidb/scidb.h"
#include "io/source.h"
#include <inttypes.h>

enum { FIRST, COUNT, LEFT }; /* words of a piece's notes */

sheaf_scidb_part sheaf_scidb_part_of(const sheaf_piece *piece)
{
	const int64_t *words = (const int64_t *)(const void *)piece->notes.data;
	return (sheaf_scidb_part){words[FIRST], words[COUNT], words[LEFT]};
}

static sheaf_status note(const sheaf_scidb_reader *in, sheaf_piece *piece, sheaf_scidb_part part,
                         sheaf_error *err)
{
	sheaf_builder b;
	sheaf_builder_begin(&b, in->cx, &piece->notes);
	sheaf_builder_i64(&b, part.first);
	sheaf_builder_i64(&b, part.count);
	sheaf_builder_i64(&b, part.left);
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

/* Size of the input from here on, or -1 if unknown. */
static int64_t bytes_left(const sheaf_scidb_reader *in)
{
	int64_t size = sheaf_source_size(in->source);
	return size < 0 ? -1 : size - sheaf_source_tell(in->source);
}

static sheaf_status take(sheaf_scidb_reader *in, sheaf_bytes shown, extent e, int64_t left,
                         sheaf_piece *piece, sheaf_error *err)
{
	int64_t size = left < 0 ? e.bytes : (int64_t)shown.size;
	piece->byte = sheaf_source_tell(in->source);
	piece->size = size;
	piece->line = in->cell + 1;
	piece->column = piece->chunk = -1;
	SHEAF_TRY(note(in, piece, (sheaf_scidb_part){in->cell, e.cells, left}, err));
	sheaf_source_take(in->source, (size_t)size, &piece->bytes);
	in->cell += e.cells;
	in->ended = left >= 0;
	return SHEAF_OK;
}

/* If the input fails, the whole cells before that are cut first, and the failure comes with the next call. */
static sheaf_status take_before_failure(sheaf_scidb_reader *in, sheaf_bytes shown, int64_t bytes,
                                        sheaf_status failure, sheaf_piece *piece, sheaf_error *err)
{
	extent e = measure_cells(&in->layout, shown, bytes);
	return e.cells ? take(in, shown, e, -1, piece, err) : failure;
}

/* At least one whole cell, or the rest. If a count goes beyond the end of the input, this does not wait for
 * more. */
static sheaf_status cut_shown(sheaf_scidb_reader *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	for (int64_t want = bytes;; want *= 2) {
		sheaf_bytes shown;
		int64_t total = bytes_left(in);
		sheaf_status status = sheaf_source_ahead(in->source, (size_t)want, &shown, err);
		if (status) return take_before_failure(in, shown, bytes, status, piece, err);
		if (shown.size == 0) return SHEAF_END;
		bool is_end = (int64_t)shown.size < want;
		if ((int64_t)shown.size > want) shown.size = (size_t)want;
		extent e = measure_cells(&in->layout, shown, bytes);
		int64_t rest = is_end ? (int64_t)shown.size - e.bytes : total - e.bytes;
		bool broken = e.bytes < bytes && (is_end ? rest > 0 : total >= 0 && e.needed > (uint64_t)rest);
		if (e.cells || broken) return take(in, shown, e, broken ? rest : -1, piece, err);
	}
}

/* Cells of fixed size in a plain file are cut without reading. */
static sheaf_status cut_view(sheaf_scidb_reader *in, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	int64_t cell_bytes = in->layout.cell_bytes, at = in->cell * cell_bytes,
			left = sheaf_source_size(in->source) - at;
	if (left <= 0) return SHEAF_END;
	extent e = measure_fixed(cell_bytes, left, bytes);
	int64_t rest = left - e.bytes;
	bool broken = rest > 0 && rest < cell_bytes;
	piece->byte = at;
	piece->size = broken ? left : e.bytes;
	piece->line = in->cell + 1;
	piece->column = piece->chunk = -1;
	SHEAF_TRY(note(in, piece, (sheaf_scidb_part){in->cell, e.cells, broken ? rest : -1}, err));
	SHEAF_TRY(sheaf_source_view_at(in->source, at, (size_t)piece->size, &piece->bytes, err));
	in->cell += e.cells;
	in->ended = broken;
	return SHEAF_OK;
}

sheaf_status sheaf_scidb_cut(void *reader, int64_t bytes, sheaf_piece *piece, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
	enum { MOST = INT32_MAX };
	sheaf_buffer_reset(&piece->bytes);
	if (in->ended) return SHEAF_END;
	if (bytes > MOST) bytes = MOST;
	return in->views ? cut_view(in, bytes, piece, err) : cut_shown(in, bytes, piece, err);
}

/* ---- pieces in any order ---- */

static sheaf_status refuse(const sheaf_scidb_reader *in, const sheaf_piece *piece, sheaf_error *err)
{
	return sheaf_fail(err, SHEAF_DATA,
	                  "%s (byte %" PRId64 "): expected %" PRId64 " bytes of whole cells, found others",
	                  sheaf_source_name(in->source), piece->byte, piece->size);
}

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

sheaf_status sheaf_scidb_resume(void *reader, const sheaf_piece *piece, sheaf_error *err)
{
	sheaf_scidb_reader *in = (sheaf_scidb_reader *)reader;
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
