/* SPDX-License-Identifier: MIT */
/* Sequences in any order, straight from their chunk: a walk over the counts finds where each one is, stream
 * by stream, and the requested ones are copied from there. So a shuffle moves each byte once, and needs
 * memory only for the places. */
#include "base/endian.h"
#include "format/cbf/cbf.h"
#include "io/source.h"
#include <inttypes.h>

/* ---- where they are ---- */

/* The non-zeros of all samples are those of the sequence. */
static bool has_sound_counts(const sheaf_cbf_extent *e)
{
	uint64_t sum = 0;
	uint32_t all = 0;
	for (uint32_t i = 0; i < e->samples; i++) {
		uint32_t n = sheaf_load_u32le(e->counts + 4 * (size_t)i);
		all |= n;
		sum += n;
	}
	return all <= INT32_MAX && sum == (uint64_t)e->nonzeros;
}

/* Only a whole chunk in which every count and index is sound has places: END for another, which then is
 * decoded, and what is wrong with it reported. */
sheaf_status sheaf_cbf_locate(const void *reader, sheaf_located *located, sheaf_context *cx, sheaf_error *err)
{
	const sheaf_cbf_reader *in = (const sheaf_cbf_reader *)reader;
	const sheaf_piece *piece = &located->piece;
	sheaf_cbf_part part = sheaf_cbf_part_of(piece);
	sheaf_cursor c = sheaf_cursor_over(piece->bytes.data, (size_t)piece->size, piece->byte);
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, &located->rows);
	const sheaf_cbf_chunk *chunk = &in->chunks[piece->chunk];
	bool sound = part.first == 0 && part.count == chunk->sequences &&
	             sheaf_cbf_sum_samples(piece, chunk->sequences) == chunk->samples;
	c.at += sound ? 4 * part.count : 0;
	for (int s = 0; s < in->schema.nfields; s++) {
		const sheaf_cbf_shape *shape = &in->shapes[s];
		for (int64_t i = 0; i < part.count && sound; i++) {
			sheaf_cbf_extent e;
			sheaf_builder_i64(&b, c.at - c.begin);
			sound = sheaf_cbf_pass_sequence(&c, shape, &e) &&
			        (!shape->sparse || (has_sound_counts(&e) && sheaf_cbf_most_index(&e) < shape->dim));
		}
	}
	located->nrows = part.count;
	if (sound && c.at == c.end) return sheaf_builder_finish(&b, &located->rows, err);
	sheaf_builder_drop(&b);
	return SHEAF_END;
}

/* ---- taking them ---- */

enum { BLOCK = 32 /* sequences that are looked up at a time, while the next ones are prefetched */ };

static const uint8_t *place_of(const sheaf_row_at *row, int stream)
{
	const int64_t *places = (const int64_t *)(const void *)row->located->rows.data;
	return row->located->piece.bytes.data + places[stream * row->located->nrows + row->row];
}

static void ask_for_heads(const sheaf_row_at *rows, size_t n, int stream)
{
	for (size_t i = 0; i < n; i++) __builtin_prefetch(place_of(&rows[i], stream), 0, 1);
}

static sheaf_status refuse(const sheaf_cbf_reader *in, const sheaf_row_at *row, sheaf_error *err)
{
	return sheaf_fail(
		err, SHEAF_DATA,
		"%s: chunk %" PRId64 ", sequence %" PRId64
		": expected the same counts as before, found other counts: the file was changed meanwhile",
		sheaf_source_name(in->source), row->located->piece.chunk, row->row);
}

/* Counts are read again: another program may change a mapped file meanwhile, and nothing may be read beyond
 * the chunk. The arrays are prefetched. */
static sheaf_status look_up(const sheaf_cbf_reader *in, int stream, const sheaf_row_at *rows, size_t n,
                            sheaf_cbf_extent *extents, sheaf_error *err)
{
	enum { LINE = 64, LONG = 1024 };
	for (size_t i = 0; i < n; i++) {
		const sheaf_piece *piece = &rows[i].located->piece;
		sheaf_cursor c = sheaf_cursor_over(piece->bytes.data, (size_t)piece->size, piece->byte);
		c.at = place_of(&rows[i], stream);
		if (!sheaf_cbf_pass_sequence(&c, &in->shapes[stream], &extents[i])) return refuse(in, &rows[i], err);
		size_t bytes = (size_t)(c.at - extents[i].values);
		for (size_t k = 0; k < bytes && k < LONG; k += LINE) __builtin_prefetch(extents[i].values + k, 0, 1);
	}
	return SHEAF_OK;
}

/* The rows of one stream, a block after the other: its places are found while the arrays of the one before
 * are on their way. */
static sheaf_status take_stream(const sheaf_cbf_reader *in, int stream, const sheaf_row_at *rows, size_t n,
                                sheaf_column_builder *to, sheaf_error *err)
{
	const sheaf_cbf_shape *shape = &in->shapes[stream];
	sheaf_cbf_filling f = sheaf_cbf_fill(to);
	sheaf_cbf_extent extents[BLOCK];
	ask_for_heads(rows, n < BLOCK ? n : BLOCK, stream);
	for (size_t i = 0, own; i < n; i += own) {
		size_t left = n - i;
		own = left < BLOCK ? left : BLOCK;
		SHEAF_TRY(look_up(in, stream, rows + i, own, extents, err));
		ask_for_heads(rows + i + own, left - own < BLOCK ? left - own : BLOCK, stream);
		for (size_t k = 0; k < own; k++) {
			if (shape->sparse && !sheaf_cbf_put_ends(&f, &extents[k])) return refuse(in, &rows[i + k], err);
			sheaf_cbf_put_arrays(&f, shape, &extents[k]);
			f.samples += extents[k].samples;
			sheaf_builder_i64(f.lists, f.samples);
		}
	}
	return SHEAF_OK;
}

sheaf_status sheaf_cbf_pick(const void *reader, const sheaf_row_at *rows, size_t n, sheaf_frame *frame,
                            sheaf_context *cx, sheaf_error *err)
{
	const sheaf_cbf_reader *in = (const sheaf_cbf_reader *)reader;
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) to.nrows = (int64_t)n;
	for (int s = 0; s < in->schema.nfields && status == SHEAF_OK; s++)
		status = take_stream(in, s, rows, n, &to.columns[s], err);
	return sheaf_frame_builder_end(&to, status, frame, err);
}
