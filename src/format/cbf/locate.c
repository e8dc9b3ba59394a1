/* SPDX-License-Identifier: MIT */
/* Sequences in any order, straight from their chunk: a walk over the counts finds where each one is, stream
 * by stream, and the requested ones are copied from there. So a shuffle moves each byte once, and needs
 * memory only for the places. */
#include "base/endian.h"
#include "format/cbf/cbf.h"
#include "frame/frame_builder.h"
#include "io/source.h"
#include <inttypes.h>

/* ---- where they are ---- */

static bool sums_up(const sheaf_cbf_reader *in, const sheaf_piece *piece)
{
	const sheaf_cbf_chunk *chunk = &in->chunks[piece->chunk];
	uint64_t sum = 0;
	for (int64_t i = 0; i < chunk->sequences; i++) sum += sheaf_load_u32le(piece->bytes.data + 4 * (size_t)i);
	return sum == chunk->samples;
}

static bool has_indices_below(const sheaf_cbf_extent *e, uint32_t dim)
{
	uint32_t most = 0;
	for (int32_t k = 0; k < e->nonzeros; k++) {
		uint32_t index = sheaf_load_u32le(e->indices + 4 * (size_t)k);
		most = index > most ? index : most;
	}
	return e->nonzeros == 0 || most < dim;
}

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

static bool walk_stream(const sheaf_cbf_shape *shape, int64_t sequences, sheaf_cursor *c, sheaf_builder *rows)
{
	sheaf_cbf_extent e;
	for (int64_t i = 0; i < sequences; i++) {
		sheaf_builder_i64(rows, c->at - c->begin);
		if (!sheaf_cbf_pass_sequence(c, shape, &e)) return false;
		if (shape->sparse && (!has_sound_counts(&e) || !has_indices_below(&e, shape->dim))) return false;
	}
	return true;
}

sheaf_status sheaf_cbf_locate(const void *reader, sheaf_located *located, sheaf_context *cx, sheaf_error *err)
{
	const sheaf_cbf_reader *in = (const sheaf_cbf_reader *)reader;
	const sheaf_piece *piece = &located->piece;
	sheaf_cbf_part part = sheaf_cbf_part_of(piece);
	sheaf_cursor c = sheaf_cursor_over(piece->bytes.data, (size_t)piece->size, piece->byte);
	sheaf_builder b;
	sheaf_builder_begin(&b, cx, &located->rows);
	bool sound = part.first == 0 && part.count == in->chunks[piece->chunk].sequences && sums_up(in, piece);
	c.at += sound ? 4 * part.count : 0;
	for (int s = 0; s < in->schema.nfields && sound; s++)
		sound = walk_stream(&in->shapes[s], part.count, &c, &b);
	located->nrows = part.count;
	if (sound && c.at == c.end) return sheaf_builder_finish(&b, &located->rows, err);
	sheaf_builder_drop(&b);
	return SHEAF_END;
}

/* ---- taking them ---- */

enum { BLOCK = 32 /* sequences that are looked up at a time, while the next ones are prefetched */ };

typedef struct taking {
	const sheaf_cbf_reader *in;
	int stream;
	sheaf_builder *lists, *entries, *indices, *values;
	int64_t samples, nonzeros;
} taking;

static const uint8_t *place_of(const sheaf_row_at *row, int stream)
{
	const int64_t *places = (const int64_t *)(const void *)row->located->rows.data;
	return row->located->piece.bytes.data + places[stream * row->located->nrows + row->row];
}

static void ask_for(const uint8_t *at, size_t bytes)
{
	enum { LINE = 64, LONG = 1024 };
	for (size_t i = 0; i < bytes && i < LONG; i += LINE) __builtin_prefetch(at + i, 0, 1);
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
 * the chunk. */
static sheaf_status look_up(const taking *t, const sheaf_row_at *rows, size_t n, sheaf_cbf_extent *extents,
                            sheaf_error *err)
{
	const sheaf_cbf_shape *shape = &t->in->shapes[t->stream];
	for (size_t i = 0; i < n; i++) {
		const sheaf_piece *piece = &rows[i].located->piece;
		sheaf_cursor c = sheaf_cursor_over(piece->bytes.data, (size_t)piece->size, piece->byte);
		c.at = place_of(&rows[i], t->stream);
		if (!sheaf_cbf_pass_sequence(&c, shape, &extents[i])) return refuse(t->in, &rows[i], err);
		ask_for(extents[i].values, (size_t)(c.at - extents[i].values));
	}
	return SHEAF_OK;
}

/* Where each sample ends; the sum of counts that are read once stays within the copied bytes. */
static bool put_ends(taking *t, const sheaf_cbf_extent *e)
{
	uint64_t end = (uint64_t)t->nonzeros, sound = end + (uint64_t)e->nonzeros;
	int64_t *ends =
		(int64_t *)(void *)sheaf_builder_extend(t->entries, (uint64_t)e->samples * sizeof(int64_t));
	if (!ends) return true; /* the builder will report it */
	for (uint32_t i = 0; i < e->samples; i++) {
		uint32_t n = sheaf_load_u32le(e->counts + 4 * (size_t)i);
		if (n > sound - end) return false;
		end += n;
		ends[i] = (int64_t)end;
	}
	return end == sound;
}

static void put_array(sheaf_builder *b, const uint8_t *from, size_t count, size_t size)
{
	if (count == 0 || !sheaf_builder_room(b, (uint64_t)count * size)) return;
	sheaf_copy_le(b->data + b->size, from, count, size);
	b->size += count * size;
}

static sheaf_status copy(taking *t, const sheaf_row_at *rows, size_t n, const sheaf_cbf_extent *extents,
                         sheaf_error *err)
{
	const sheaf_cbf_shape *shape = &t->in->shapes[t->stream];
	for (size_t i = 0; i < n; i++) {
		const sheaf_cbf_extent *e = &extents[i];
		if (shape->sparse && !put_ends(t, e)) return refuse(t->in, &rows[i], err);
		put_array(t->values, e->values, shape->sparse ? (size_t)e->nonzeros : (size_t)e->samples * shape->dim,
		          shape->size);
		put_array(t->indices, e->indices, (size_t)e->nonzeros, 4);
		t->samples += e->samples;
		t->nonzeros += e->nonzeros;
		sheaf_builder_i64(t->lists, t->samples);
	}
	return SHEAF_OK;
}

static sheaf_status take_blocks(taking *t, const sheaf_row_at *rows, size_t n, sheaf_error *err)
{
	sheaf_cbf_extent extents[BLOCK];
	ask_for_heads(rows, n < BLOCK ? n : BLOCK, t->stream);
	for (size_t i = 0; i < n; i += BLOCK) {
		size_t left = n - i, own = left < BLOCK ? left : BLOCK,
			   next = left - own < BLOCK ? left - own : BLOCK;
		SHEAF_TRY(look_up(t, rows + i, own, extents, err));
		ask_for_heads(rows + i + own, next, t->stream);
		SHEAF_TRY(copy(t, rows + i, own, extents, err));
	}
	return SHEAF_OK;
}

static sheaf_status take_streams(const sheaf_cbf_reader *in, const sheaf_row_at *rows, size_t n,
                                 sheaf_frame_builder *to, sheaf_error *err)
{
	to->nrows = (int64_t)n;
	for (int s = 0; s < in->schema.nfields; s++) {
		sheaf_column_builder *column = &to->columns[s];
		taking t = {in,
		            s,
		            &column->levels[0].offsets,
		            &column->levels[1].offsets,
		            column->levels[1].indices,
		            &column->values,
		            0,
		            0};
		SHEAF_TRY(take_blocks(&t, rows, n, err));
	}
	return SHEAF_OK;
}

sheaf_status sheaf_cbf_pick(const void *reader, const sheaf_row_at *rows, size_t n, sheaf_frame *frame,
                            sheaf_context *cx, sheaf_error *err)
{
	const sheaf_cbf_reader *in = (const sheaf_cbf_reader *)reader;
	sheaf_frame_builder to;
	sheaf_status status = sheaf_frame_builder_begin(&to, &in->schema, frame, cx, err);
	if (status == SHEAF_OK) status = take_streams(in, rows, n, &to, err);
	return sheaf_frame_builder_end(&to, status, frame, err);
}
